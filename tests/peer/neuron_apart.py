#!/usr/bin/python3
"""Sessions whose cells have several sources of events, beside NEURON: a voltage and many generators on one section.

Generators are points that have nothing to do with their place, and artificial cells; with delays and without, with
noise (of NEURON's own random numbers, both kinds) and without, as a whole, in parts and handed back and forth. Traces
to 1e-6 mV, among them what the generators show; spikes all the same; and NEURON draws on where a run ends. What cannot
be taken is refused by name, and leaves NEURON's random numbers as they are.
"""

import gc
import itertools
import pathlib
import sys
import tempfile

from parity import skip

try:
    import numpy as np
    import neuron
    from neuron import coreneuron, h
except ImportError as missing:
    skip(f"{missing.name} is missing (packages python3-neuron, python3-numpy)")

import hillock
import hillock.neuron
import neuron_mods
from neuron_run import solve_in_parts

MOST_MV, UNTIL = 1e-6, 40
GENERATOR = """
: Spikes at intervals, regular or not, until so many were sent; an event of another one's begins them anew
NEURON {{ {kind} {name}  RANGE first, every, most, noise, shown }}
PARAMETER {{ first = 1 (ms)  every = 4 (ms)  most = 1e9  noise = 0 <0, 1> }}
ASSIGNED {{ shown  left  next (ms) }}
PROCEDURE seed(x) {{ set_seed(x) }}
INITIAL {{
  shown = -1
  left = most
  if (noise > 0) {{ next = first + exprand(1) }} else {{ next = first }}
  net_send(next, 1)
}}
FUNCTION wait(mean (ms)) (ms) {{
  LOCAL part
  if (noise == 0) {{
    wait = mean
  }} else {{
    part = 1 (/ms) * noise
    wait = (1 - part) * mean + part * exprand(mean) + fabs(normrand(0, 0.1)) + scop_random() ^ 2
  }}
}}
PROCEDURE go_on(t (ms)) {{
  left = left - 1
  next = t + wait(every)
}}
NET_RECEIVE (w) {{
  if (flag == 0 && left <= 0) {{
    left = most
    net_send(0, 1)
  }} else if (flag == 1 && left > 0) {{
    shown = most - left
    net_event(t)
    go_on(t)
    if (!(left < 1)) {{ net_send(next - t, 1) }}
    net_send(0.3, 2)
  }} else if (flag == 2) {{
    shown = -1
  }}
}}
"""


class Session:
    """A ball and stick that spikes, with generators on its end. kind, count: of these; delay: of their NetCons, ms."""

    def __init__(self, kind, delay, noise, draws=0, count=5):
        h.use_mcell_ran4(draws)
        self.soma, self.dend = h.Section(name="soma"), h.Section(name="dend")
        self.soma.L = self.soma.diam = 20
        self.dend.L, self.dend.diam, self.dend.nseg = 100, 2, 3
        self.dend.connect(self.soma(1))
        self.soma.insert("hh")
        self.dend.insert("pas")
        self.clamp = h.IClamp(self.soma(0.5))
        self.clamp.dur, self.clamp.amp = 1e9, 0.4
        self.synapses = [h.ExpSyn(self.dend(x)) for x in (0.2, 0.5, 0.9, 0.9, 0.5)]
        is_point = kind != "bursts_cell"
        self.generators = [getattr(h, kind)(*([self.dend(1)] if is_point else [])) for _ in range(count)]
        self.netcons = []
        self.noise = noise
        for k, (generator, synapse) in enumerate(zip(self.generators, self.synapses)):
            generator.first, generator.every, generator.most = 1.01 + 0.7 * k, 3.7 + 0.3 * k, 1000 if k else 3
            generator.noise = noise
            self.netcons.append(h.NetCon(generator, synapse))
            self.netcons[-1].delay, self.netcons[-1].weight[0] = delay, 0.004
        self.times = [h.Vector() for _ in range(2)]
        seen = h.NetCon(self.soma(0.5)._ref_v, None, sec=self.soma)
        for netcon, times in zip((seen, self.netcons[:2][-1]), self.times):
            netcon.record(times)
            self.netcons.append(netcon)
        self.traces = [h.Vector().record(reference) for reference in (
            h._ref_t, self.soma(0.5)._ref_v, self.dend(1)._ref_v, self.synapses[2]._ref_g)]
        if is_point:
            self.traces += [h.Vector().record(one._ref_shown) for one in self.generators[:2]]
            self.traces.append(h.Vector().record(self.generators[:3][-1]._ref_shown, 0.7))

    def run(self, moments, is_here):
        """What is recorded, where the generators are at the end, and what NEURON would draw next."""
        self.generators[0].seed(7)
        h.stdinit()
        solve_in_parts(moments, is_here)
        return self.all()

    def all(self):
        found = [np.array(list(one)) for one in (*self.traces, *self.times)]
        return found + [np.array([one.shown for one in self.generators]), np.array([self.next_draw()])]

    def next_draw(self):
        """Of NEURON's own."""
        if not self.noise:
            return 0
        return self.generators[0].wait(1.0)


def is_same(name, got, wanted, spikes=None):
    """spikes: of each of some sources, or as Session has them."""
    sizes = [len(one) for one in got] == [len(one) for one in wanted]
    apart = max(np.abs(one - other).max(initial=0) for one, other in zip(got, wanted)) if sizes else np.inf
    spikes = spikes or wanted[-4:-2]
    good = apart <= MOST_MV and min(map(len, spikes)) > 0 and sum(map(len, spikes)) > 6
    print(f"{'ok' if good else 'WRONG'}: {name}: {sum(map(len, spikes))} spikes, at most {apart:.2g} apart",
          *([] if sizes else [[len(one) for one in got], [len(one) for one in wanted]]))
    return good


def all_kinds():
    moments = [3.3, 8.025, 8.05, 17, 26.5, UNTIL]
    for kind, delay, (noise, draws), count in [*itertools.product(
            ("bursts", "bursts_cell"), (1.3, 0), ((0, 0), (0.7, 0), (0.7, 1)), (5,)),
            ("draws_alone", 0, (0.7, 0), 1), ("draws_alone", 1.3, (0.7, 1), 1)]:
        name = f"{count} {kind}, delay {delay}, noise {noise} ({'Ran4' if draws else 'linear'})"
        session = Session(kind, delay, noise, draws, count)
        wanted = session.run([UNTIL], lambda _: False)
        yield is_same(name, session.run([UNTIL], lambda _: True), wanted)
        for how, first in (("back and forth", 0), ("forth and back", 1)):
            yield is_same(f"{name}, {how}", session.run(moments, lambda part: part % 2 == first), wanted)
        yield is_same(f"{name}, in parts", session.run(moments, lambda _: True), wanted)
        del session
    h.use_mcell_ran4(0)


def whole():
    """By run(), with what hoc's events do; on two threads; the cell begins a generator anew."""
    for noise in (0, 0.7):
        session = Session("bursts", 0, noise)
        handler = h.FInitializeHandler(lambda: [
            h.CVode().event(11.3, lambda: setattr(session.generators[1], "every", 2)),
            h.CVode().event(5.2, "hillock_number_ = t"), h.CVode().event(21.7, "hillock_number_ = t")])
        h.tstop = UNTIL
        results = []
        for coreneuron.enable in (False, True):
            session.generators[0].seed(7)
            session.generators[1].every = 4
            h.run()
            results.append(session.all())
        coreneuron.enable = False
        yield is_same(f"run(), a parameter changes, noise {noise}", *reversed(results))
        del handler, session
    session = Session("bursts", 1.3, 0)
    session.netcons.append(h.NetCon(session.soma(0.5)._ref_v, session.generators[0], sec=session.soma))
    session.netcons[-1].delay, session.netcons[-1].weight[0] = 2, 1
    wanted = session.run([UNTIL], lambda _: False)
    yield is_same("begun anew", session.run([UNTIL], lambda _: True), wanted)
    yield is_same("begun anew, back and forth", session.run([5, 15.5, UNTIL], lambda part: part % 2 == 0), wanted)
    h.ParallelContext().nthread(2)
    yield is_same("two threads", session.run([UNTIL], lambda _: True), wanted)
    h.ParallelContext().nthread(1)


class Places:
    """Cells that spike at three places each, with a threshold of its own at each, onto one another. sends: the first
    one has a point, too, that looks at its voltage and sends events."""

    def __init__(self, sends):
        self.cells, self.netcons, self.times = [], [], []
        for number in range(3):
            soma, dend, axon = (h.Section(name=f"{name}{number}") for name in ("soma", "dend", "axon"))
            soma.L = soma.diam = 20
            dend.L, dend.diam, dend.nseg = 150 + 10 * number, 2, 3
            axon.L, axon.diam, axon.nseg = 300, 1, 5
            dend.connect(soma(1))
            axon.connect(soma(0))
            for section in (soma, axon):
                section.insert("hh")
            dend.insert("pas")
            clamp, synapses = h.IClamp(soma(0.5)), [h.ExpSyn(dend(0.5)), h.ExpSyn(axon(0.3)), h.ExpSyn(dend(0.9))]
            clamp.dur, clamp.amp = 1e9, 0.6 + 0.3 * number
            self.cells.append((soma, dend, axon, clamp, synapses))
        for number, (soma, dend, axon, *_) in enumerate(self.cells):
            for k, (section, x, threshold) in enumerate(((soma, 0.5, -10), (dend, 0.9, -45), (axon, 1, 5))):
                self.add(h.NetCon(section(x)._ref_v, self.cells[(number + k) % 3][4][k], sec=section), threshold)
        if sends:
            self.point = h.watches_the_voltage(self.cells[0][0](0.5))
            self.add(h.NetCon(self.point, self.cells[1][4][0]), None)
        self.traces = [h.Vector().record(reference) for reference in (
            h._ref_t, *(cell[0](0.5)._ref_v for cell in self.cells), self.cells[1][2](0.9)._ref_v)]

    def add(self, netcon, threshold):
        if threshold is not None:
            netcon.threshold = threshold
        netcon.delay, netcon.weight[0] = 0.7 + 0.3 * len(self.netcons), 0.001
        self.times.append(h.Vector())
        netcon.record(self.times[-1])
        self.netcons.append(netcon)

    def run(self, moments, is_here):
        h.stdinit()
        solve_in_parts(moments, is_here)
        return [np.array(list(one)) for one in (*self.traces, *self.times)]


def places():
    draws = np.random.default_rng(3)
    context = h.ParallelContext()
    moments = [*sorted(np.round(draws.uniform(0, UNTIL, 14) / h.dt) * h.dt), UNTIL]
    for sends in (False, True):
        name, session = f"three places{' and a point' * sends}", Places(sends)
        wanted = session.run([UNTIL], lambda _: False)
        spikes = wanted[len(session.traces):]
        yield is_same(name, session.run([UNTIL], lambda _: True), wanted, spikes)
        at_spikes = {round(time / h.dt) + k for times in spikes for time in times for k in range(-1, 3)}
        at_spikes = [h.dt * step for step in sorted(at_spikes) if step < UNTIL / h.dt] + [UNTIL]
        for where, ends in (("", moments), (" at spikes", at_spikes)):
            for how, first in (("back and forth", 0), ("forth and back", 1)):
                got = session.run(ends, lambda part: part % 2 == first)
                yield is_same(f"{name}, {how}{where}", got, wanted, spikes)
            yield is_same(f"{name}, in parts{where}", session.run(ends, lambda _: True), wanted, spikes)
        h.ParallelContext().nthread(2)
        yield is_same(f"{name}, two threads", session.run([UNTIL], lambda _: True), wanted, spikes)
        h.ParallelContext().nthread(1)
        if not sends:
            h.tstop = UNTIL
            results = hillock.run(hillock.neuron.model(record=[cell[0](0.5) for cell in session.cells]), progress=False)
            apart = max(np.abs(wanted[1 + k][:len(ours)] - ours).max() for k in range(3)
                        for ours in [results[f"v{k}"].data[:, 0]])
            good = apart <= MOST_MV
            print(f"{'ok' if good else 'WRONG'}: {name}, as a model: {apart:.2g} mV apart")
            yield good
        else:  # places with gids
            del session
            session = Places(False)
            for gid, netcon in enumerate(session.netcons[:9]):
                context.set_gid2node(gid, 0)
                context.cell(gid, netcon)
            session.times += [h.Vector(), h.Vector()]
            context.spike_record(-1, *session.times[-2:])
            wanted = session.run([UNTIL], lambda _: False)
            try:
                got = session.run(moments, lambda part: part % 2 == 0)
                yield is_same("places with gids", got, wanted, session.times[-2:])
            except RuntimeError:
                print(f"{'WRONG' if neuron.__version__ >= '9' else 'ok'}: several gids on a cell are refused")
                yield neuron.__version__ < "9"
            context.gid_clear()
        del session


def refusals():
    def refused(name, words, session):
        session.generators[0].seed(7)
        h.tstop = 5
        coreneuron.enable = True
        h.stdinit()
        before = session.next_draw()
        session.generators[0].seed(7)
        try:
            h.run()
            said = "it ran"
        except RuntimeError:
            said = ""
        coreneuron.enable = False
        session.generators[0].seed(7)
        h.stdinit()
        good = not said and session.next_draw() == before and words in errors()
        print(f"{'ok' if good else 'WRONG'}: refused: {name}", said)
        gc.collect()  # exceptions know the session
        return good

    def errors():
        caught.seek(0)
        return caught.read()

    from contextlib import redirect_stderr
    with tempfile.TemporaryFile("w+") as caught, redirect_stderr(caught):
        session = Session("bursts", 1.3, 0.5)
        session.netcons.append(h.NetCon(session.soma(0.5)._ref_v, session.generators[0], sec=session.soma))
        session.netcons[-1].delay = 2
        yield refused("noise of one that the cell begins anew", "bursts: it draws random numbers", session)
        del session
        session = Session("bursts", 0, 0)
        session.netcons.append(h.NetCon(session.soma(0.5)._ref_v, session.generators[0], sec=session.soma))
        session.netcons[-1].delay = 2
        yield refused("no delay behind one that the cell begins anew", "does not know its spikes", session)
        del session
        session = Session("bursts", 1.3, 0.5)
        values = h.Vector([0, 0.5])
        values.play(session.generators[1]._ref_every, 1)
        yield refused("a Vector is played into one with noise", "Vector.play into bursts", session)
        values.play_remove()
        del session
        session = Session("bursts", 1.3, 0)
        for generator in session.generators:
            generator.first = 1.5
        handlers = [h.FInitializeHandler(when, lambda noise=noise: [setattr(one, "noise", noise)
                                                                    for one in session.generators])
                    for when, noise in ((0, 0), (1, 0.5))]
        yield refused("two that draw at one time", "it draws at 1.5 ms, as another one does", session)
        del session, handlers
        session = Session("bursts", 1.3, 0)
        for place in (session.soma(0.5), session.dend(0.5)):
            session.netcons.append(h.NetCon(place._ref_v, session.synapses[0], sec=place.sec))
            session.netcons[-1].delay = 0
        yield refused("no delay behind two places", "is not the only place of spikes of its cell", session)
        del session
        session = Session("bursts", 1.3, 0.5)
        leak = h.Section(name="leak")
        leak.L = 1e-6
        leak.connect(session.soma(0))
        yield refused("noise in what cannot be taken otherwise", "too small", session)


def as_model():
    """`hillock.neuron.model()`: the generators are a population."""
    session = Session("bursts", 1.3, 0)
    h.tstop = UNTIL
    model = hillock.neuron.model(record=[session.soma(0.5)])
    results = hillock.run(model, progress=False)
    wanted = session.run([UNTIL], lambda _: False)
    ours = results["v0"].data[:, 0]
    apart = np.abs(wanted[1][:len(ours)] - ours).max()
    spikes = results.spikes["bursts"]
    of_generators = [list(np.round(spikes.times[spikes.ids == cell], 6)) for cell in range(5)]
    good = apart <= MOST_MV and list(np.round(wanted[-3], 6)) in of_generators
    print(f"{'ok' if good else 'WRONG'}: as a model: {apart:.2g} mV apart")
    return good


def main():
    with tempfile.TemporaryDirectory(prefix="hillock-apart-") as folder:
        files = []
        for kind, name in (("POINT_PROCESS", "bursts"), ("ARTIFICIAL_CELL", "bursts_cell")):
            files.append(pathlib.Path(folder) / f"{name}.mod")
            files[-1].write_text(GENERATOR.format(kind=kind, name=name))
        files.append(pathlib.Path(folder) / "draws_alone.mod")  # once a statement, as others take what one point draws
        text = GENERATOR.replace(" + fabs(normrand(0, 0.1)) + scop_random() ^ 2", "")
        files[-1].write_text(text.format(kind="POINT_PROCESS", name="draws_alone"))
        files.append(pathlib.Path(__file__).resolve().parent / "mechanisms/watches_the_voltage.mod")
        neuron_mods.load(h, files, pathlib.Path(folder) / "neuron")
        h.load_file("stdrun.hoc")
        hillock.neuron.enable()
        coreneuron.enable = False
        h.ParallelContext().set_maxstep(10)
        good = [*all_kinds(), *whole(), *places(), *refusals(), as_model()]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
