#!/usr/bin/python3
"""Sessions in which numbers of mechanisms make spikes, `NetCon(&point.x, target)`, beside NEURON: a state of a neuron
that is a point and has nothing to do with its place, a conductance of a synapse, a counter that events set, a gate of a
membrane; with gids and without, as a whole, in parts and handed back and forth, at spikes among other times; events that
come as a step ends. Traces to 1e-6 mV, spikes all the same. What cannot be taken is refused by name, and NEURON goes
on.
"""

import gc
import pathlib
import sys
import tempfile

from parity import skip

try:
    import numpy as np
    from neuron import coreneuron, h
except ImportError as missing:
    skip(f"{missing.name} is missing (packages python3-neuron, python3-numpy)")

import hillock.neuron
import neuron_mods
from neuron_run import solve_in_parts

MOST_MV, UNTIL = 1e-6, 60
TEXTS = {"whole_cell": """
: A neuron of its own, which starts again by a WATCH; others listen to its u, or to its own events
NEURON { POINT_PROCESS whole_cell  RANGE drive, top }
PARAMETER { drive = 12  top = 30 }
STATE { u w g }
INITIAL { u = -65  w = -13  g = 0  net_send(0, 1) }
BREAKPOINT { SOLVE go METHOD euler }
DERIVATIVE go {
  u' = 0.04*u*u + 5*u + 140 - w + drive - g*u
  w' = 0.02*(0.2*u - w)
  g' = -g/3
}
NET_RECEIVE (weight) {
  if (flag == 1) {
    WATCH (u > top) 2
  } else if (flag == 2) {
    net_event(t)
    u = -65
    w = w + 6
  } else {
    g = g + weight
  }
}
""", "counts": """
: How many events came, up to a number, at a place that it has to do with
NEURON { POINT_PROCESS counts  RANGE count, most }
PARAMETER { most = 3 }
ASSIGNED { count  v (mV) }
INITIAL { count = 0*v }
NET_RECEIVE (weight) {
  count = count + weight
  if (count > most) { count = 0 }
}
""", "tells": """
: A level that events raise; it may tell a file
NEURON { POINT_PROCESS tells  NONSPECIFIC_CURRENT i  RANGE level, talks }
PARAMETER { talks = 0 }
ASSIGNED { i (nA)  v (mV) }
STATE { level }
INITIAL { level = 0 }
BREAKPOINT {
  SOLVE fall METHOD cnexp
  i = 1e-3*level*v
}
DERIVATIVE fall { level' = -level/4 }
NET_RECEIVE (weight) {
  level = level + weight
  if (talks > 0) {
    VERBATIM
    FILE* file = fopen("/dev/null", "a");
    fprintf(file, "%g\\n", level);
    fclose(file);
    ENDVERBATIM
  }
}
"""}


class Session:
    """has_gids: of all sources; thresholds: of neurons, a synapse, a counter and a gate."""

    def __init__(self, has_gids=False, thresholds=(0, 0.0006, 1.5, 0.5)):
        self.cells = []
        for number in range(4):
            soma, dend = h.Section(name=f"soma{number}"), h.Section(name=f"dend{number}")
            soma.L = soma.diam = 20
            dend.L, dend.diam, dend.nseg = 150 + 10 * number, 2, 3
            dend.connect(soma(1))
            soma.insert("hh")
            dend.insert("pas")
            self.cells.append((soma, dend))
        self.clamp, self.other = (h.IClamp(self.cells[k][0](0.5)) for k in (0, 2))
        self.clamp.dur = self.other.dur = 1e9
        self.clamp.amp, self.other.amp = 0.6, 0.4
        self.wholes = [h.whole_cell(self.cells[3][0](0.5)) for _ in range(3)]
        for k, whole in enumerate(self.wholes):
            whole.drive = 10 + 4 * k
        self.synapses = [h.ExpSyn(dend(0.5)) for _, dend in self.cells]
        self.counter = h.counts(self.cells[2][0](0.5))
        self.netcons, self.times, self.by_gid = [], [], []
        soma, dend = self.cells[0]
        of_whole, of_synapse, of_counter, of_gate = thresholds
        for k, whole in enumerate(self.wholes):
            self.add(self.of(whole, "u", self.synapses[k]), of_whole, 0.006)
            self.add(self.of(whole, "u", self.counter), None, 1)
        self.add(self.of(self.synapses[1], "g", self.wholes[0]), of_synapse, 0.5)
        self.add(self.of(self.counter, "count", self.synapses[0]), of_counter, 0.004)
        self.add(self.of(self.counter, "count", self.wholes[1]), None, 0.3)
        self.add(h.NetCon(soma(0.5)._ref_m_hh, self.synapses[2], sec=soma), of_gate, 0.003)
        self.add(h.NetCon(self.cells[2][0](0.5)._ref_v, self.synapses[3], sec=self.cells[2][0]), -10, 0.01)
        self.add(h.NetCon(soma(0.5)._ref_v, self.wholes[2], sec=soma), -10, 0.2)
        self.stim = h.NetStim()  # whose events come as steps end
        self.stim.start, self.stim.interval, self.stim.number = 1, 7, 20
        self.add(h.NetCon(self.stim, self.synapses[1]), None, 0.001)
        self.netcons[-1].delay = 1
        context = h.ParallelContext()
        if has_gids:
            sources = (0, 2, 4, 6, 7, 9, 10, 11)
            for gid, number in enumerate(sources):
                context.set_gid2node(gid, 0)
                context.cell(gid, self.netcons[number])
            self.times, self.by_gid = [], [h.Vector(), h.Vector()]
            context.spike_record(-1, *self.by_gid)
            del self.netcons[2:4]  # the source's gid stays
        self.traces = [h.Vector().record(reference) for reference in (
            h._ref_t, *(soma(0.5)._ref_v for soma, _ in self.cells), *(whole._ref_u for whole in self.wholes))]

    @staticmethod
    def of(point, name, target):
        return h.NetCon(getattr(point, f"_ref_{name}"), target, sec=point.get_segment().sec)

    def add_teller(self, talks):
        teller = h.tells(self.cells[3][0](0.5))
        teller.talks = talks
        self.add(self.of(self.wholes[0], "u", teller), None, 0.1)
        self.add(self.of(teller, "level", self.synapses[3]), 0.15, 0.002)
        return teller

    def add(self, netcon, threshold, weight):
        """threshold: None of another NetCon of a source."""
        netcon.delay, netcon.weight[0] = 0.4 + 0.31 * len(self.netcons), weight
        if threshold is not None:
            netcon.threshold = threshold
            self.times.append(h.Vector())
            netcon.record(self.times[-1])
        self.netcons.append(netcon)

    def run(self, moments, is_here):
        h.stdinit()
        solve_in_parts(moments, is_here)
        return [*self.all(), np.array([self.counter.count, *(whole.w for whole in self.wholes)])]

    def all(self):
        found = [np.array(list(one)) for one in (*self.traces, *self.times)]
        # Those of one rank are in another order where a source has no NetCon.
        return found + [np.array(sorted(zip(*self.by_gid)))] if self.by_gid else found


def is_same(name, got, wanted, spikes):
    sizes = [len(one) for one in got] == [len(one) for one in wanted]
    apart = max(np.abs(one - other).max(initial=0) for one, other in zip(got, wanted)) if sizes else np.inf
    counts = list(map(len, spikes))
    good = apart <= MOST_MV and min(counts) > 0 and sum(counts) > 30
    print(f"{'ok' if good else 'WRONG'}: {name}: {counts} spikes, at most {apart:.2g} apart",
          *([] if sizes else [[len(one) for one in got], [len(one) for one in wanted]]))
    return good


def sessions():
    draws = np.random.default_rng(5)
    for has_gids in (False, True):
        name = "with gids" if has_gids else "without gids"
        session = Session(has_gids)
        wanted = session.run([UNTIL], lambda _: False)
        spikes = wanted[len(session.traces):-1]
        yield is_same(name, session.run([UNTIL], lambda _: True), wanted, spikes)
        moments = [*sorted(np.round(draws.uniform(0, UNTIL, 14) / h.dt) * h.dt), UNTIL]
        of_some = {time for times in spikes for time in np.reshape(times, (len(times), -1))[:3, 0].tolist()}
        at_spikes = sorted({round(time / h.dt) + k for time in of_some for k in range(-1, 3)})
        at_spikes = [h.dt * step for step in at_spikes if step < UNTIL / h.dt] + [UNTIL]
        for where, ends in (("", moments), (" at spikes", at_spikes)):
            for how, first in (("back and forth", 0), ("forth and back", 1)):
                got = session.run(ends, lambda part: part % 2 == first)
                yield is_same(f"{name}, {how}{where}", got, wanted, spikes)
            yield is_same(f"{name}, in parts{where}", session.run(ends, lambda _: True), wanted, spikes)
        h.tstop = UNTIL
        handler = h.FInitializeHandler(lambda: h.CVode().event(11.3, lambda: setattr(session.clamp, "amp", 0.7)))
        results = []
        for coreneuron.enable in (False, True):
            session.clamp.amp = 0.6
            h.run()
            results.append(session.all())
        coreneuron.enable = False
        yield is_same(f"{name}, run(), the clamp changes", *reversed(results), spikes)
        h.ParallelContext().gid_clear()
        del session, handler
    session = Session()
    teller = session.add_teller(0)
    wanted = session.run([UNTIL], lambda _: False)
    yield is_same("C code that never runs", session.run([UNTIL], lambda _: True), wanted,
                  wanted[len(session.traces):-1])
    del session, teller


def refusals():
    from contextlib import redirect_stderr
    with tempfile.TemporaryFile("w+") as caught, redirect_stderr(caught):
        def refused(name, words, change):
            session = Session()
            kept = change(session)
            h.tstop = 5
            coreneuron.enable = True
            try:
                h.run()
                said = "it ran"
            except RuntimeError:
                said = ""
            coreneuron.enable = False
            h.run()
            caught.seek(0)
            good = not said and words in caught.read() and h.t > 4.9
            print(f"{'ok' if good else 'WRONG'}: refused: {name}", said)
            del kept, session
            gc.collect()  # exceptions know the session
            return good

        def short(session):
            session.netcons[0].delay = 0

        def own_events(session):
            return h.NetCon(session.wholes[0], session.synapses[0])

        def two_of_one(session):
            return session.of(session.wholes[0], "w", session.synapses[0])

        def two_of_a_cell(session):
            return session.of(session.counter, "most", session.synapses[0])

        def several_points(session):
            other = h.counts(session.cells[2][0](0.5))
            return other

        def talks(session):
            return session.add_teller(1)

        def may_talk(session):
            values, times, teller = h.Vector([0, 1]), h.Vector([0, 1]), session.add_teller(0)
            values.play(teller._ref_talks, times, 1)
            return values, times, teller

        yield refused("no delay", "shorter than dt", short)
        yield refused("its own events are heard, too", "is not the only one of its point", own_events)
        yield refused("two numbers of a point", "is not the only one of its point", two_of_one)
        yield refused("two of a cell", "not the only place of spikes", two_of_a_cell)
        yield refused("several points at a place", "one of several points", several_points)
        context = h.ParallelContext()
        context.nthread(2)
        yield refused("threads of NEURON's", "several threads", lambda session: None)
        context.nthread(1)
        yield refused("C code that runs", "'FILE' declares", talks)
        yield refused("C code that may run", "decides whether C code runs", may_talk)


def main():
    with tempfile.TemporaryDirectory(prefix="hillock-crossings-") as folder:
        neuron_mods.load(h, neuron_mods.written(TEXTS, folder), pathlib.Path(folder) / "neuron")
        h.load_file("stdrun.hoc")
        hillock.neuron.enable()
        coreneuron.enable = False
        h.ParallelContext().set_maxstep(10)
        good = [*sessions(), *refusals()]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
