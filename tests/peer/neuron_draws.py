#!/usr/bin/python3
"""Sessions whose mechanisms draw random numbers in their steps, and NetStims whose noise comes from any of NEURON's
generators, beside NEURON. A point that draws alone may do so at events, and as often as it likes.

Traces to 1e-6 mV, spikes all the same, and NEURON draws on where a run ends: as a whole, in parts and handed back and
forth, with both generators of NEURON's one stream. Any number of threads gives the same bytes. What cannot be taken is
refused by name, and leaves NEURON's random numbers as they are.
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
from hillock._neuron_library import is_9
from neuron_run import solve_in_parts

MOST_MV, UNTIL = 1e-6, 30
FILES = {
    "fluctuates": """
: A conductance whose noise has a time course, or has none, and is drawn with the current then
NEURON { POINT_PROCESS fluctuates  NONSPECIFIC_CURRENT i  RANGE tau, deviation, g, fast }
PARAMETER { tau = 3 (ms)  deviation = 0.002 (uS)  e = -10 (mV) }
ASSIGNED { v (mV)  i (nA)  g (uS)  fast (uS)  kept (uS) }
INITIAL { kept = deviation * normrand(0, 1) }
BREAKPOINT {
  SOLVE go_on
  if (tau == 0) {
    fast = normrand(0.004, deviation)
  } else { fast = 0 }
  g = 0.004 + kept + fast
  if (g < 0) { g = 0 }
  i = g * (v - e)
}
PROCEDURE go_on() {
  if (tau > 0) { kept = kept * exp(-dt / tau) + deviation * sqrt(1 - exp(-2 * dt / tau)) * normrand(0, 1) }
}
""",
    "for_a_while": """
: A noisy clamp that is on for a while, and a gate that is drawn at other times
NEURON { POINT_PROCESS for_a_while  ELECTRODE_CURRENT i  RANGE del, span, amp, late, gate }
PARAMETER { del = 5.01 (ms)  span = 10 (ms)  amp = 2e-6 (nA)  late = 12.01 (ms)  gate = 1 }
ASSIGNED { i (nA)  kept }
INITIAL { kept = 0 }
BREAKPOINT {
  SOLVE often
  if (t >= del && t < del + span) { i = amp * normrand(0, 1) } else if (t > 20 (ms)) { i = 0.05 * kept } else { i = 0 }
}
PROCEDURE often() {
  if (gate * 2 > 1 || t < 3.01) { if (t - late > 0) { kept = exprand(1) } else { kept = normrand(0, 1) } }
}
""",
    "of_hoc": """
NEURON { SUFFIX nothing }
FUNCTION next_draw() { next_draw = scop_random() }
FUNCTION seed_draws(x) { set_seed(x)  seed_draws = x }
""",
    "flickers": """
: A leak that is another one whenever it is asked
NEURON { SUFFIX flickers  NONSPECIFIC_CURRENT i  RANGE gbar, deviation, g }
PARAMETER { gbar = 1e-4 (S/cm2)  e = -65 (mV)  deviation = 0 }
ASSIGNED { v (mV)  i (mA/cm2)  g (S/cm2) }
BREAKPOINT {
  g = gbar * normrand(1, deviation)
  i = g * (v - e)
}
""",
    "jumps": """
: A gate that is pushed about
NEURON { SUFFIX jumps  USEION k READ ek WRITE ik  RANGE gbar, m, some }
PARAMETER { gbar = 1e-4 (S/cm2)  some = 1 }
ASSIGNED { v (mV)  ek (mV)  ik (mA/cm2)  push }
STATE { m }
INITIAL { m = 0.5  push = 0 }
BREAKPOINT {
  SOLVE states METHOD cnexp
  ik = gbar * m * (v - ek)
}
DERIVATIVE states {
  m' = (0.5 + 0.4 * push - m) / (2 + v / 100)
  draw()
}
PROCEDURE draw() {
  push = waited(0.3) - 0.3
  if (some == 1) { push = push + scop_random() - 0.5 }
  FROM k = 0 TO 1 { push = 0.5 * push + 0.1 * scop_random() }
}
FUNCTION waited(mean) { waited = exprand(mean) }
""",
    "in_a_loop": """
NEURON { SUFFIX in_a_loop  NONSPECIFIC_CURRENT i  RANGE n }
PARAMETER { n = 2 }
ASSIGNED { v  i }
BREAKPOINT { i = 0  FROM k = 1 TO n { i = i + 1e-9 * scop_random() * v } }
""",
    "twice": """
NEURON { SUFFIX twice  NONSPECIFIC_CURRENT i }
ASSIGNED { v  i }
BREAKPOINT { i = 1e-9 * (scop_random() - scop_random()) * v }
""",
    "in_a_derivative": """
NEURON { SUFFIX in_a_derivative  NONSPECIFIC_CURRENT i }
ASSIGNED { v  i }
STATE { m }
INITIAL { m = 0 }
BREAKPOINT { SOLVE states METHOD cnexp  i = 1e-9 * m * v }
DERIVATIVE states { m' = (scop_random() - m) / 5 }
""",
    "at_the_end": """
NEURON { SUFFIX at_the_end  NONSPECIFIC_CURRENT i  RANGE del }
PARAMETER { del = 0.7 }
ASSIGNED { v  i  kept }
INITIAL { kept = 0 }
BREAKPOINT { SOLVE often  i = 1e-9 * kept }
PROCEDURE often() { if (t < del) { kept = scop_random() } }
""",
    "as_it_is": """
NEURON { SUFFIX as_it_is  NONSPECIFIC_CURRENT i }
ASSIGNED { v  i }
BREAKPOINT { i = 0  if (v > -60) { i = 1e-9 * scop_random() } }
""",
    "alone": """
: Draws at events and in steps, as often as it likes
NEURON { POINT_PROCESS alone  NONSPECIFIC_CURRENT i  RANGE g, tries, mean }
PARAMETER { mean = 0.7 (ms) }
ASSIGNED { v (mV)  i (nA)  g (uS)  tries  kick }
INITIAL { g = 0  tries = 0  kick = 0  net_send(mean * exprand(1), 1) }
BREAKPOINT {
  SOLVE often
  i = g * v + kick
}
PROCEDURE often() {
  if (v > -60) { kick = kick + 0.01 * normrand(0, 1) } else { kick = 0.9 * kick }
  tries = 0
  while (scop_random() < 0.4) { tries = tries + 1 }
}
NET_RECEIVE (w) {
  if (flag == 1) {
    g = 0.002 * scop_random()
    net_send(waited(mean), 1)
  } else {
    g = g + w * normrand(1, 0.1)
  }
}
FUNCTION waited(mean) { waited = exprand(mean) }
""",
    "at_events": """
NEURON { POINT_PROCESS at_events  NONSPECIFIC_CURRENT i }
ASSIGNED { v  i  g }
INITIAL { g = 0 }
BREAKPOINT { i = g * v }
NET_RECEIVE (w) { g = 1e-6 * scop_random() }
""",
}


class Session:
    """Two cells of several branches that draw. draws: of use_mcell_ran4; deviation: of the leak."""

    def __init__(self, draws=0, deviation=0.0):
        h.use_mcell_ran4(draws)
        self.sections, self.points, self.clamps = [], [], []
        for number in range(2):
            soma, dend, other = (h.Section(name=f"{name}{number}") for name in ("soma", "dend", "other"))
            soma.L = soma.diam = 20
            dend.L, dend.diam, dend.nseg = 100 + 20 * number, 2, 5
            other.L, other.diam, other.nseg = 80, 1, 3
            dend.connect(soma(1))
            other.connect(dend(0.5))
            soma.insert("hh")
            for section in (dend, other):
                section.insert("flickers")
                section.insert("jumps")
                section.deviation_flickers, section.ek = deviation, -77
            other.some_jumps = 0
            self.points += [h.fluctuates(place) for place in (soma(0.5), dend(0.3), dend(0.3), other(1))]
            self.points += [h.for_a_while(soma(0.5)), h.for_a_while(other(0.3))]
            self.points[-1].gate, self.points[-1].late = number, 17.3
            self.clamps.append(h.IClamp(soma(0.5)))
            self.clamps[-1].dur, self.clamps[-1].amp = 1e9, 0.1 * number
            self.sections += [soma, dend, other]
        for point in (self.points[1], self.points[8]):  # with much of such noise NEURON's voltages go to 1e7 mV
            point.tau, point.deviation = 0, 2e-8
        self.stims, self.netcons = [], []
        self.spikes, self.netcon = h.Vector(), h.NetCon(self.sections[3](0.5)._ref_v, None, sec=self.sections[3])
        self.netcon.record(self.spikes)
        self.traces = [h.Vector().record(reference) for reference in (
            h._ref_t, *(section(0.5)._ref_v for section in self.sections), self.points[1]._ref_g,
            self.points[6]._ref_g, self.points[4]._ref_i, self.sections[1](0.3)._ref_m_jumps,
            self.sections[1](0.3)._ref_g_flickers)]

    def begin(self):
        h.seed_draws(11)
        h.stdinit()

    def run(self, moments, is_here):
        """What is recorded, and what NEURON would draw next."""
        self.begin()
        solve_in_parts(moments, is_here)
        return self.all()

    def all(self):
        return [np.array(list(one)) for one in (*self.traces, self.spikes)] + [np.array([h.next_draw()])]


class Alone(Session):
    """One point alone draws."""

    def __init__(self, draws=0):
        super().__init__(draws)
        for section in self.sections:
            if not section.has_membrane("hh"):
                section.uninsert("flickers")
                section.uninsert("jumps")
        self.points, self.stim = [h.alone(self.sections[1](0.3))], h.NetStim()
        self.stim.interval, self.stim.start, self.stim.number = 3, 1, 1e9
        self.more = h.NetCon(self.stim, self.points[0])
        self.more.weight[0] = 0.001
        self.traces = self.traces[:1 + len(self.sections)] + [
            h.Vector().record(reference) for reference in (self.points[0]._ref_tries, self.points[0]._ref_i)]


class Generators(Session):
    """NetStims beside nothing that draws. kinds: of each what its noise comes from."""

    def __init__(self, kinds, draws=0):
        super().__init__(draws)
        self.points = []
        for section in self.sections:
            if not section.has_membrane("hh"):
                section.uninsert("flickers")
                section.uninsert("jumps")
        self.traces = self.traces[:1 + len(self.sections)]
        self.randoms = [h.Random() for _ in range(3)]
        self.synapses = [h.ExpSyn(self.sections[1](0.1 + 0.2 * (k % 5))) for k in range(len(kinds))]
        for k, (kind, synapse) in enumerate(zip(kinds, self.synapses)):
            stim = h.NetStim()
            stim.start, stim.interval, stim.number, stim.noise = 1 + 0.37 * k, 2 + 0.1 * k, 1e30 if k else 4, 0.9
            if kind is not None:
                stim.noiseFromRandom(self.randoms[kind])
            self.netcons.append(h.NetCon(stim, synapse))
            self.netcons[-1].delay, self.netcons[-1].weight[0] = 0.9 * (k % 2), 0.002
            self.stims.append(stim)
        self.times = [h.Vector() for _ in self.stims]
        for netcon, times in zip(self.netcons, self.times):
            netcon.record(times)

    def begin(self):
        self.randoms[0].ACG(5)
        self.randoms[1].MCellRan4(7)
        self.randoms[2].Random123(1, 2, 3)
        for random in self.randoms:
            random.negexp(1)
            random.repick()
        super().begin()

    def all(self):
        found = super().all()
        found[-1:-1] = [np.array(list(times)) for times in self.times]
        return found + [np.array([random.repick()]) for random in self.randoms]


def is_same(name, got, wanted):
    sizes = [len(one) for one in got] == [len(one) for one in wanted]
    apart = max(np.abs(one - other).max(initial=0) for one, other in zip(got, wanted)) if sizes else np.inf
    good = apart <= MOST_MV and sum(map(len, wanted)) > 1000
    print(f"{'ok' if good else 'WRONG'}: {name}: {sum(map(len, wanted))} numbers, at most {apart:.2g} apart",
          *([] if sizes else [[len(one) for one in got], [len(one) for one in wanted]]))
    return good


def all_ways(name, session):
    wanted = session.run([UNTIL], lambda _: False)
    yield is_same(name, session.run([UNTIL], lambda _: True), wanted)
    moments = [3.3, 8.025, 8.05, 17, 26.5, UNTIL]
    for how, first in (("back and forth", 0), ("forth and back", 1)):
        yield is_same(f"{name}, {how}", session.run(moments, lambda part: part % 2 == first), wanted)
    yield is_same(f"{name}, in parts", session.run(moments, lambda _: True), wanted)


def with_events(session):
    handler = h.FInitializeHandler(lambda: [h.CVode().event(time, "hillock_number_ = t") for time in (5.2, 11.3)])
    results = []
    h.tstop = UNTIL
    for coreneuron.enable in (False, True):
        h.seed_draws(11)
        h.run()
        results.append(session.all())
    coreneuron.enable = False
    del handler
    return is_same("run(), with events of hoc's", *reversed(results))


def in_steps():
    for draws, deviation in ((0, 0), (1, 0), (0, 2e-5), (1, 2e-5)):
        session = Session(draws, deviation)
        yield from all_ways(f"{'Ran4' if draws else 'linear'}, leak's deviation {deviation}", session)
        del session
    h.CVode().use_fast_imem(1)  # for which electrodes' currents are taken apart
    session = Session(1, 2e-5)
    session.traces += [h.Vector().record(place._ref_i_membrane_) for place in (session.sections[1](0.3),
                                                                               session.sections[4](0.5))]
    yield from all_ways("membrane currents", session)
    h.CVode().use_fast_imem(0)
    del session
    session = Session(0, 2e-5)
    of_threads = []
    for threads in (1, 2, 5):
        hillock.neuron.enable(threads=threads)
        of_threads.append(session.run([UNTIL], lambda _: True))
    hillock.neuron.enable()
    coreneuron.enable = False
    good = all(one.tobytes() == other.tobytes() for some in of_threads for one, other in zip(some, of_threads[0]))
    print(f"{'ok' if good else 'WRONG'}: bytes on 1, 2 and 5 threads")
    yield good
    yield with_events(session)
    del session
    h.use_mcell_ran4(0)


def generators():
    kinds = {"NEURON's one stream": [None] * 5, "of all kinds": [2, None, 0, 1, None],
             "several of one Random": [0, 0, 1, 0, 1]}
    for name, some in kinds.items() if not is_9() else ():
        for draws in (0, 1):
            session = Generators(some, draws)
            yield from all_ways(f"NetStims, {name} ({'Ran4' if draws else 'linear'})", session)
            del session


def alone():
    for draws in (0, 1):
        session = Alone(draws)
        yield from all_ways(f"one point alone ({'Ran4' if draws else 'linear'})", session)
        yield with_events(session)
        del session
        session = Alone(draws)  # whose draws are known before
        session.points, session.more = [h.for_a_while(session.sections[1](0.3))], None
        session.traces[-2:] = [h.Vector().record(session.points[0]._ref_i)]
        yield from all_ways(f"one point alone, for a while ({'Ran4' if draws else 'linear'})", session)
        del session
    h.use_mcell_ran4(0)


def refusals():
    def refused(name, words, session):
        h.tstop = 5
        coreneuron.enable = True
        session.begin()
        before = session.all()[-1]
        h.seed_draws(11)
        try:
            h.run()
            said = "it ran"
        except RuntimeError:
            said = ""
        coreneuron.enable = False
        session.begin()
        caught.seek(0)
        good = not said and np.array_equal(session.all()[-1], before) and words in caught.read()
        print(f"{'ok' if good else 'WRONG'}: refused: {name}", said)
        gc.collect()  # exceptions know the session
        return good

    from contextlib import redirect_stderr
    with tempfile.TemporaryFile("w+") as caught, redirect_stderr(caught):
        for mechanism, words in (("in_a_loop", "in a loop"), ("twice", "several times in one statement"),
                                 ("in_a_derivative", "in a derivative"),
                                 ("at_the_end", "under a condition that round-off decides"),
                                 ("as_it_is", "under a condition of what is not known")):
            session = Session()
            session.sections[1].insert(mechanism)
            yield refused(f"draws {words}", f"{mechanism}: it draws random numbers of NEURON's own {words}", session)
            del session
        session = Session()
        session.more = h.at_events(session.sections[0](0.5))
        yield refused("draws at events", "at_events: it draws random numbers of NEURON's own in NET_RECEIVE", session)
        del session
        session = Session()
        h.secondorder = 2
        yield refused("currents that draw, in secondorder 2", "in secondorder 2", session)
        h.secondorder = 0
        hillock.neuron.enable(backend="cuda")
        yield refused("draws on a GPU", "which a GPU cannot be given", session)
        hillock.neuron.enable()
        coreneuron.enable = False
        session.clamps[0].amp, session.clamps[0].delay = 1e306, 2
        yield refused("draws in what comes to no number", "finite", session)
        del session
        session = Session()
        session.short = h.Section(name="short")
        session.short.L = 1e-6
        session.short.connect(session.sections[0](0))
        yield refused("draws in what cannot be taken otherwise", "too small", session)
        del session
        if not is_9():
            session = Session()
            session.stim, session.syn = h.NetStim(), h.ExpSyn(session.sections[0](0.5))
            session.stim.noise, session.more = 1, h.NetCon(session.stim, session.syn)
            yield refused("beside a NetStim of the same stream", "as a generator does", session)
            del session
            session = Generators([None, None])
            for stim in session.stims:
                stim.noise = 0
                stim.start = 1.5
            handlers = [h.FInitializeHandler(when, lambda noise=noise: [setattr(one, "noise", noise)
                                                                        for one in session.stims])
                        for when, noise in ((0, 0), (1, 0.5))]
            yield refused("two NetStims that draw at one time", "it draws at 1.5 ms, as another one does", session)
            del handlers, session


def main():
    with tempfile.TemporaryDirectory(prefix="hillock-draws-") as folder:
        files = neuron_mods.written(FILES, folder)
        neuron_mods.load(h, files, pathlib.Path(folder) / "neuron")
        h.load_file("stdrun.hoc")
        hillock.neuron.enable()
        coreneuron.enable = False
        h.ParallelContext().set_maxstep(10)
        good = [*in_steps(), *alone(), *generators(), *refusals()]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
