#!/usr/bin/python3
"""A session of NEURON that runs on Hillock, `hillock.neuron.enable()`, beside NEURON itself.

One network, with ions, pools, plastic synapses, WATCHes and generators, runs as a whole here, and handed over and back
at ten moments, from either side, and on three threads of NEURON's: traces to 1e-6 mV, states and weights to 1e-7 of
theirs, spikes all the same, in the vectors that the session recorded. So do Vectors that are recorded at times of their
own and played in steps, and what hoc's events run. What cannot be taken is refused, or NEURON runs it, and the process
goes on.
"""

import os
import pathlib
import random
import subprocess
import sys
import tempfile

from parity import skip

try:
    import numpy as np
    from neuron import coreneuron, h
except ImportError as missing:
    skip(f"{missing.name} is missing (packages python3-neuron, python3-numpy)")

import hillock
import hillock.neuron
import neuron_mods

ROOT = pathlib.Path(__file__).resolve().parents[2]
OWN = ("given_arguments", "watches_the_voltage", "balanced_at_rest", "rate_of_last_place",
       "pool_of_last_volume")
CATALOGUE = ("tmsyn", "cal", "capool", "sk")
#: Arrays of parameters, of every place and for all, and C code, of which a run comes to a part.
CODED = """
NEURON { SUFFIX coded  NONSPECIFIC_CURRENT i  RANGE g, e, n, i  GLOBAL share, kept }
PARAMETER { g[2] (S/cm2)  e[2] (mV)  share[2] }
ASSIGNED { v (mV)  i (mA/cm2)  kept[2]  dt (ms) }
STATE { n }
INITIAL { n = 0  kept[0] = share[0]  kept[1] = 0 }
BREAKPOINT {
  SOLVE advance METHOD after_cvode
  i = (kept[0] + n)*g[0]*(v - e[0]) + share[1]*g[1]*(v - e[1])
}
PROCEDURE advance() {
VERBATIM
  int k;
  for (k = 0; k < 2; k++) {
    if (g[k] <= 0) return 0;
    n += dt*(share[k] - n)/(k + 3);
  }
ENDVERBATIM
  kept[1] = n + share[1]
}
PROCEDURE place() {
VERBATIM
  double* at = &n;
  *at = 0.5;
ENDVERBATIM
}
"""
#: States leave a GLOBAL that currents read; and one that currents leave follows what differs from place to place.
LEFT = """
NEURON { SUFFIX left_by_states  NONSPECIFIC_CURRENT i  RANGE g, i  GLOBAL steady, share }
PARAMETER { g = 1e-4 (S/cm2) }
ASSIGNED { v (mV)  i (mA/cm2)  dt (ms)  steady  share }
STATE { m }
INITIAL { m = 0.5 }
BREAKPOINT {
  SOLVE states
  i = g*steady*m*(v + 70)
}
PROCEDURE states() {
  rates(v)
  m = m + share*(steady - m)
}
PROCEDURE rates(v (mV)) {
  TABLE steady, share DEPEND dt FROM -100 TO 100 WITH 50
  share = 1 - exp(-dt*(1 + exp(v/30)))
  steady = 1/(1 + exp(-(v + 50)/8))
}
"""
UNLIKE = """
NEURON { SUFFIX left_unlike  NONSPECIFIC_CURRENT i  RANGE g, half  GLOBAL steady }
PARAMETER { g = 1e-4 (S/cm2)  half = -50 (mV) }
ASSIGNED { v (mV)  i (mA/cm2)  steady }
STATE { m }
INITIAL { m = 0.5 }
BREAKPOINT {
  SOLVE states METHOD cnexp
  rates(v)
  i = g*m*(v + 70)
}
DERIVATIVE states { m' = (steady - m)/2 }
PROCEDURE rates(v (mV)) { steady = 1/(1 + exp(-(v - half)/5)) }
"""
#: What events change of what is one for all places: a GLOBAL parameter and one that only counts; what decides which
#: events count, of artificial cells; and a highest voltage of all places.
AT_EVENTS = {"raises_gain": """
NEURON { POINT_PROCESS raises_gain  NONSPECIFIC_CURRENT i  RANGE g  GLOBAL gain, last }
PARAMETER { gain = 1 }
ASSIGNED { v (mV)  i (nA)  last (ms) }
STATE { g (uS) }
INITIAL { g = 0  gain = 1  last = -1 }
BREAKPOINT { SOLVE states METHOD cnexp  i = g*v }
DERIVATIVE states { g' = -g/3 }
NET_RECEIVE(weight) { g = g + weight*gain  gain = gain*1.1  last = t }
""", "counts_all": """
NEURON { POINT_PROCESS counts_all  NONSPECIFIC_CURRENT i  GLOBAL total, steps }
ASSIGNED { v (mV)  i (nA)  total  steps }
INITIAL { total = 0  steps = 0 }
BREAKPOINT { i = 0.0001*v }
AFTER SOLVE { steps = steps + 1 }
NET_RECEIVE(weight) { total = total + weight }
""", "takes_turns": """
NEURON { ARTIFICIAL_CELL takes_turns  GLOBAL busy }
ASSIGNED { busy }
INITIAL { busy = 0 }
NET_RECEIVE(weight) {
  if (flag == 1) { busy = 0  net_event(t) }
  else if (busy == 0) { busy = 1  net_send(1.5, 1) }
}
""", "highest_of_all": """
NEURON { SUFFIX highest_of_all  NONSPECIFIC_CURRENT i  GLOBAL highest }
ASSIGNED { v (mV)  i (mA/cm2)  highest }
INITIAL { highest = -1e9 }
BREAKPOINT { SOLVE compare  i = 1e-5*(v + 65) }
PROCEDURE compare() { if (v > highest) { highest = v } }
"""}
CELLS, UNTIL = 6, 60
MOST_MV, MOST = 1e-6, 1e-7
#: What a run changes.
STATES = {"hh": "m h n gna gk il", "cal": "m h", "na_ion": "ina", "ExpSyn": "g i", "Exp2Syn": "A B g i",
          "given_arguments": "g h late", "tmsyn": "g",
          "watches_the_voltage": "g ups downs last", "IntFire1": "m", "coded": "n"}


def solve_in_parts(moments, is_here):
    """A run that ends at one moment after the other. is_here: of each part whether it runs on Hillock."""
    for number, moment in enumerate(moments):
        coreneuron.enable = is_here(number)
        h.ParallelContext().psolve(moment)
    coreneuron.enable = False


class Ball:
    def __init__(self, number):
        self.number = number
        self.soma = h.Section(name="soma", cell=self)
        self.dend = h.Section(name="dend", cell=self)
        self.dend.connect(self.soma(1))
        self.soma.L = self.soma.diam = 18 + number % 3
        self.dend.L, self.dend.diam, self.dend.nseg = 200, 1, 5
        self.soma.insert("hh")
        for name in ("pas", "cal", "capool", "sk"):
            self.dend.insert(name)
        self.dend.ek = -77
        self.points = [h.ExpSyn(self.dend(0.5)), h.given_arguments(self.dend(0.7)), h.tmsyn(self.soma(0.5)),
                       h.watches_the_voltage(self.soma(0.5)), h.Exp2Syn(self.dend(1)),
                       h.given_arguments(self.dend(0.7))]
        self.points[4].e = -80

    def __str__(self):
        return f"Ball[{self.number}]"


class Session:
    """The network, and what is recorded of it."""

    def __init__(self):
        self.draws = random.Random(2)
        self.cells = [Ball(number) for number in range(CELLS)]
        self.netcons = []
        self.generators = [h.NetStim() for _ in range(3)]
        for k, generator in enumerate(self.generators):
            generator.start, generator.interval, generator.number = 2 + 3 * k, 4 + 1.3 * k, 30
        self.noisy = h.NetStim()
        self.noisy.start, self.noisy.interval, self.noisy.number, self.noisy.noise = 1, 3, 1000, 0.8
        self.noisy.noiseFromRandom123(1, 2, 3)
        self.integrator = h.IntFire1()
        for number, cell in enumerate(self.cells):
            for generator in (*self.generators, self.noisy):
                self.connect(generator, cell.points[self.draws.randrange(3)], 1 + 2 * self.draws.random())
            for _ in range(6):
                self.connect(self.cells[self.draws.randrange(CELLS)], self.draws.choice(cell.points),
                             round(1 + 5 * self.draws.random(), 2))
        self.connect(self.cells[0], self.integrator, 2.5)
        self.connect(self.integrator, self.cells[5].points[0], 1)
        self.clamp = h.IClamp(self.cells[0].soma(0.5))
        self.clamp.delay, self.clamp.dur, self.clamp.amp = 3, 1e9, 0.8
        self.times, self.numbers = h.Vector(), h.Vector()
        for cell in self.cells:
            self.netcons.append(h.NetCon(cell.soma(0.5)._ref_v, None, sec=cell.soma))
            self.netcons[-1].record(self.times, self.numbers, cell.number)
        recorded = [h._ref_t, *(cell.soma(0.5)._ref_v for cell in self.cells), self.cells[1].dend(1)._ref_v,
                    self.cells[0].soma(0.5).hh._ref_m, self.cells[1].dend(0.3)._ref_cai, self.cells[2].points[0]._ref_g,
                    self.cells[2].points[5]._ref_g, self.clamp._ref_i, self.cells[3].soma(0.5)._ref_ina]
        self.traces = [h.Vector().record(reference) for reference in recorded]

    def connect(self, source, target, delay):
        if isinstance(source, Ball):
            netcon = h.NetCon(source.soma(0.5)._ref_v, target, sec=source.soma)
            netcon.threshold = -10
        else:
            netcon = h.NetCon(source, target)
        netcon.delay = delay
        netcon.weight[0] = 1.2 if target is self.integrator else 0.004 + 0.025 * self.draws.random()
        if "given_arguments" in target.hname():
            netcon.weight[1], netcon.weight[2] = 1 + self.draws.random(), 3 + 4 * self.draws.random()
        self.netcons.append(netcon)

    def states(self):
        found = {"t": h.t}
        for section in h.allsec():
            for segment in section.allseg():
                found[f"{segment}.v"] = segment.v
            for segment in section:
                for mechanism in segment:
                    found.update({f"{segment}.{mechanism}.{name}": getattr(mechanism, name)
                                  for name in STATES.get(mechanism.name(), "").split()})
                    if mechanism.name() == "ca_ion":
                        found[f"{segment}.cai"] = segment.cai
        for point in [*(point for cell in self.cells for point in cell.points), self.integrator]:
            found.update({f"{point}.{name}": getattr(point, name)
                          for name in STATES[point.hname().partition("[")[0]].split()})
        for netcon in self.netcons:
            found.update({f"{netcon}.weight[{i}]": netcon.weight[i] for i in range(int(netcon.wcnt()))})
        return found

    def run(self, moments, is_here):
        """Traces, spikes and states at the end; is_here: of each part whether it runs on Hillock."""
        h.stdinit()
        solve_in_parts(moments, is_here)
        return self.all()

    def all(self):
        return ([np.array(trace) for trace in self.traces],
                (self.times.as_numpy().copy(), self.numbers.as_numpy().copy()), self.states())


def compare(name, got, wanted, least=4):
    apart, problems = 0.0, []
    for one, other in zip(got[0], wanted[0]):
        apart = max(apart, np.abs(one - other).max() if one.shape == other.shape else np.inf)
    if not np.array_equal(got[1][1], wanted[1][1]) or not np.allclose(got[1][0], wanted[1][0], rtol=0, atol=1e-9):
        problems.append(f"spikes {got[1]} where NEURON has {wanted[1]}")
    problems += [f"{key} {got[2][key]!r} where NEURON has {value!r}" for key, value in wanted[2].items()
                 if not abs(got[2][key] - value) <= MOST * max(1, abs(value))]
    good = apart <= MOST_MV and not problems and len(wanted[1][0]) >= least
    print(f"{'ok' if good else 'WRONG'}: {name}: {len(wanted[1][0])} spikes, traces at most {apart:.2g} apart, "
          f"{len(wanted[2])} states", *problems[:5])
    return good


def check(name, good, text=""):
    print(f"{'ok' if good else 'WRONG'}: {name}" + ("" if good else f": {text}"))
    return good


def refuses(session, what):
    """Whether a session is, before it begins."""
    try:
        session.run([5], lambda _: True)
        text = "it ran"
    except RuntimeError as error:
        text = str(error)
    return check(f"{what} is refused", h.t == 0 and text != "it ran", text)


def runs():
    session = Session()
    h.ParallelContext().set_maxstep(1)
    wanted = session.run([UNTIL], lambda _: False)
    draws = random.Random(5)
    moments = [*sorted(round(draws.uniform(0, UNTIL) / h.dt) * h.dt for _ in range(10)), UNTIL]
    yield compare("all of it", session.run([UNTIL], lambda _: True), wanted)
    for name, first in (("handed over and back", 0), ("back and handed over", 1)):
        yield compare(name, session.run(moments, lambda part: part % 2 == first), wanted)
    yield compare("in eleven parts", session.run(moments, lambda _: True), wanted)
    h.ParallelContext().nthread(3)
    yield compare("three threads", session.run([UNTIL], lambda _: True), wanted)
    for name, first in (("three threads, handed over and back", 0), ("three threads, back and handed over", 1)):
        yield compare(name, session.run(moments, lambda part: part % 2 == first), wanted)
    h.ParallelContext().nthread(1)
    coreneuron.enable = True
    h.tstop = UNTIL
    h.run()
    coreneuron.enable = False
    yield compare("run()", session.all(), wanted)
    yield from in_floats(session)
    yield from coded(session, moments)
    yield from events(session)
    yield from others(session, moments)
    yield from called(session, moments)
    yield from refusals(session)


def coded(session, moments):
    h.share_coded[0], h.share_coded[1] = 0.3, 0.7
    for cell in session.cells:
        cell.dend.insert("coded")
        for segment in cell.dend:
            for k in range(2):
                segment.coded.g[k] = max(cell.number - 1.5 + segment.x, 0) * 1e-5 * (k + 1)
                segment.coded.e[k] = -70 + 10 * k
    traces = session.traces
    session.traces = [*traces, h.Vector().record(session.cells[3].dend(0.5).coded._ref_n)]

    def run(is_here):
        traces, spikes, states = session.run(moments, is_here)
        states.update({f"kept[{k}]": h.kept_coded[k] for k in range(2)})
        return traces, spikes, states
    wanted = run(lambda _: False)
    yield compare("arrays of parameters, and C code", run(lambda _: True), wanted, 2)
    yield compare("the same, handed over and back", run(lambda part: part % 2 == 0), wanted, 2)
    session.traces = traces
    for cell in session.cells:
        cell.dend.uninsert("coded")


def events(session):
    """Those that a script sends by itself, before and during a run."""
    netcon = h.NetCon(None, session.cells[4].points[0])
    netcon.weight[0], netcon.delay = 0.05, 1
    handler = h.FInitializeHandler(lambda: netcon.event(7.3))

    def run(is_here):
        h.stdinit()
        coreneuron.enable = is_here
        for moment in (5, 20):
            h.ParallelContext().psolve(moment)
            netcon.event(moment + 0.3)
        h.ParallelContext().psolve(30)
        coreneuron.enable = False
        return session.all()

    yield compare("NetCon.event", run(True), run(False))
    del handler


def others(session, moments):
    """Vectors that are recorded at times of their own and played in steps, and statements that run during a run."""
    before, cells, cvode = list(session.traces), session.cells, h.CVode()
    session.traces += [h.Vector().record(reference, every) for reference, every in (
        (cells[0].soma(0.5)._ref_v, 0.1), (cells[3].soma(0.5)._ref_ina, 0.0375), (cells[2].points[0]._ref_g, 0.25),
        (h._ref_t, 0.7))]
    given = h.Vector([0.02, 0.5, 3.3, 3.31, 20, 1e6])
    session.traces.append(h.Vector())
    session.traces[-1].record(cells[1].soma(0.5)._ref_v, given)
    clamps = [h.IClamp(cell.soma(0.5)) for cell in cells[1:3]]
    for clamp in clamps:
        clamp.dur = 1e9
    values, times = h.Vector([0.3, 0, 0.7, -0.1]), h.Vector([1, 5.0125, 20.2, 31])
    values.play(clamps[0]._ref_amp, times)
    values.play(clamps[1]._ref_amp, 11.0)
    said, weight = [], session.netcons[0].weight[0]

    def change(number):
        said.append((number, h.t))
        session.netcons[0].weight[0] += 0.01
        session.clamp.amp = 0.8 - 0.1 * number
        cvode.event(h.t + 6.1, (change, number + 1))

    def begin():
        session.netcons[0].weight[0], session.clamp.amp = weight, 0.8
        clamps[0].amp = clamps[1].amp = 0
        said.clear()
        cvode.event(2.5, (change, 1))

    handler = h.FInitializeHandler(begin)
    wanted = session.run([UNTIL], lambda _: False)
    changed = list(said)
    for name, parts, first in (("at times of their own", [UNTIL], 0), ("at times, handed over and back", moments, 0),
                               ("at times, back and handed over", moments, 1)):
        yield compare(name, session.run(parts, lambda part: part % 2 == first), wanted)
        yield check("what hoc's events ran", said == changed and len(said) == 10, f"{said} where {changed}")
    coreneuron.enable = True
    h.run()
    coreneuron.enable = False
    yield compare("at times, run()", session.all(), wanted)
    for vector in (values, given):
        vector.play_remove()
    del handler
    session.traces, session.netcons[0].weight[0] = before, weight


def called(session, moments):
    """What is called at spikes sees their times, and the run's time is as it was behind it."""
    heard = []
    netcon = next(one for one in session.netcons if one.preseg() is not None)
    netcon.record(lambda: heard.append(round(h.t, 9)))
    wanted, times = session.run([UNTIL], lambda _: False), list(heard)
    for name, parts, first in (("calls at spikes", [UNTIL], 0), ("calls at spikes, handed over and back", moments, 0)):
        heard.clear()
        yield compare(name, session.run(parts, lambda part: part % 2 == first), wanted, least=1)  # others are recorded
        yield check(f"{name}: their times", heard == times and times, f"{heard} where NEURON has {times}")
    netcon.record()


def in_floats(session):
    wanted = session.run([8], lambda _: False)
    hillock.neuron.enable(precision="mixed")
    apart = max(np.abs(one - other).max() for one, other in zip(session.run([4, 8], lambda _: True)[0], wanted[0]))
    hillock.neuron.enable()
    yield check("mixed precision", MOST_MV < apart < 0.05, f"traces {apart} apart")
    back = session.run([8], lambda _: True)
    apart = max(np.abs(one - other).max() for one, other in zip(back[0], wanted[0]))
    yield check("and double again", apart < MOST_MV, f"traces {apart} apart")
    try:
        hillock.neuron.enable(precision="half")
        yield check("half precision is refused", False)
    except hillock.UsageError as error:
        yield check("half precision is refused", "half" in str(error), str(error))
    hillock.neuron.enable(solver="exact")  # which is what the CPU does anyway
    exact = session.run([4, 8], lambda _: True)
    hillock.neuron.enable()
    again = session.run([4, 8], lambda _: True)
    yield check("solver exact", all(np.array_equal(one, other) for one, other in zip(exact[0], again[0])))
    try:
        hillock.neuron.enable(solver="quick")
        yield check("an unknown solver is refused", False)
    except hillock.UsageError as error:
        yield check("an unknown solver is refused", "quick" in str(error), str(error))


def refusals(session):
    def ran_into(change, undo):
        """What run() says of a session that is changed."""
        change()
        coreneuron.enable = True
        try:
            h.run()
            return f"ran to {h.t}"
        except RuntimeError as error:
            return str(error)
        finally:
            coreneuron.enable = False
            undo()

    h.tstop = 5
    other = lambda: setattr(h, "secondorder", 1), lambda: setattr(h, "secondorder", 0)
    text = ran_into(*other)
    yield check("another integrator is refused", "ran to" not in text and h.t == 0, text)
    hillock.neuron.enable(fallback=True)
    text = ran_into(*other)
    yield check("or NEURON runs it", text.startswith("ran to 5"), text)
    text = ran_into(lambda: h.cvode_active(1), lambda: h.cvode_active(0))
    yield check("CVode stays NEURON's", text.startswith("ran to 5"), text)
    h("stepped_ = 0\nproc advance() { stepped_ += 1  fadvance() }")
    text = ran_into(lambda: None, lambda: None)
    yield check("steps of a script's own are taken", h.stepped_ == round(5 / h.dt), f"{h.stepped_}, {text}")


def of_all_places():
    """Numbers that NEURON has one for all places of, and what INITIAL alone computes, where an init() of a script's own
    goes on behind it."""
    soma, dend = h.Section(name="soma"), h.Section(name="dend")
    soma.L = soma.diam = 20
    dend.L, dend.diam, dend.nseg = 300, 2, 7
    dend.connect(soma(1))
    soma.insert("hh")
    dend.insert("balanced_at_rest")
    h("proc init() { finitialize(v_init)  forall v = v_init + 5  fcurrent() }")
    traces = [h.Vector().record(segment._ref_v) for segment in (soma(0.5), dend(0.1), dend(0.9))]
    h.tstop = 20

    def run(is_here):
        coreneuron.enable = is_here
        h.run()
        coreneuron.enable = False
        return np.array([list(trace) for trace in traces])

    apart = np.abs(run(True) - run(False)).max()
    yield check("what INITIAL alone computes", apart <= MOST_MV, f"traces {apart:g} mV apart")
    for section in (soma, dend):
        section.insert("pool_of_last_volume")
    apart = np.abs(run(True) - run(False)).max()
    yield check("one for all places, that INITIAL computes", apart <= MOST_MV, f"traces {apart:g} mV apart")
    soma.insert("rate_of_last_place")
    apart = np.abs(run(True) - run(False)).max()
    yield check("one for all places, of one", apart <= MOST_MV, f"traces {apart:g} mV apart")
    dend.insert("rate_of_last_place")
    for section in (soma, dend):
        section.insert("left_by_states")
        section.g_left_by_states = section.g_rate_of_last_place = 3e-3
    clamp = h.IClamp(dend(1))
    clamp.delay, clamp.dur, clamp.amp = 3, 1, 1
    traces += [h.Vector().record(dend(0.1)._ref_m_rate_of_last_place), h.Vector().record(soma(0.5)._ref_m_left_by_states)]

    def left(is_here):
        """Traces, and what is left then, in parts that begin with what NEURON has left, and with what a run has."""
        h.steady_left_by_states = 0.3
        lines = [run(is_here)]
        for until in (20.05, 23.5, 24, 30):
            coreneuron.enable = is_here and until != 23.5
            h.continuerun(until)
            lines.append(np.array([[h.steady_left_by_states, h.steady_rate_of_last_place]]))
        coreneuron.enable = False
        return np.concatenate([*(line.ravel() for line in lines), *map(np.array, traces)])

    ours, apart = left(True), np.inf
    if ours.shape == (theirs := left(False)).shape:
        apart = np.abs(ours - theirs).max()
    yield check("one for all places, of several", apart <= MOST_MV, f"{apart:g} apart")
    dend.insert("left_unlike")
    soma.insert("left_unlike")
    try:
        run(True)
        yield check("one for all places, of unlike ones", False, "it ran")
    except RuntimeError:
        coreneuron.enable = False
        yield check("one for all places, of unlike ones", h.t == 0, f"it ended at {h.t}")
    h("proc init() { finitialize(v_init)  fcurrent() }")
    for section in (soma, dend):
        h.delete_section(sec=section)


def of_all_events():
    """What NEURON has one for all places of, and events change."""
    soma, stim = h.Section(name="soma"), h.NetStim()
    soma.insert("hh")
    stim.start, stim.interval, stim.number = 1, 2, 50
    trace, made = h.Vector().record(soma(0.5)._ref_v), []
    h.tstop = 10

    def add(target):
        made.append((target, h.NetCon(stim, target, 0, 1 + 0.3 * len(made), 0.002)))

    def left(is_here):
        """In parts."""
        coreneuron.enable = is_here
        numbers = []
        for until in (10, 15.5, 23, 30):
            h.run() if until == 10 else h.continuerun(until)
            numbers.append([h.gain_raises_gain, h.last_raises_gain, h.total_counts_all, h.steps_counts_all])
        coreneuron.enable = False
        return np.array(trace), np.array(numbers)

    add(h.raises_gain(soma(0.5)))
    for place in (0.1, 0.5, 0.9):
        add(h.counts_all(soma(place)))
    ours, theirs = left(True), left(False)
    good = all(a.shape == b.shape and np.allclose(a, b, rtol=MOST, atol=MOST_MV) for a, b in zip(ours, theirs))
    yield check("one for all places, that events change", good and theirs[1][-1][0] > 2, f"{ours[1]}, not {theirs[1]}")

    def is_refused(name):
        coreneuron.enable = True
        try:
            h.run()
            return check(f"one for all places, of several {name}", False, "it ran")
        except RuntimeError:
            return check(f"one for all places, of several {name}", h.t == 0, f"it ended at {h.t}")
        finally:
            coreneuron.enable = False

    made[1:] = []
    add(h.raises_gain(soma(0.5)))
    yield is_refused("points that events change")
    made[:] = []
    for _ in range(2):
        add(h.takes_turns())
    yield is_refused("artificial cells")
    made[:] = []
    soma.insert("highest_of_all")
    soma.nseg = 3
    yield is_refused("places of a membrane")
    h.delete_section(sec=soma)


def library_alone():
    """Without enable(): CORENEURONLIB and NEURON's own switch."""
    command = os.environ["HILLOCK"]
    path = subprocess.run([command, "neuron-library"], check=True, capture_output=True, text=True).stdout.strip()
    script = """
from neuron import coreneuron, h
s = h.Section(name="s")
s.L = s.diam = 20
s.insert("hh")
v = h.Vector().record(s(0.5)._ref_v)
h.CVode().cache_efficient(1)
coreneuron.enable = True
h.finitialize(-65)
h.ParallelContext().psolve(10)
import sys
print(len(v), h.t, "hillock._neuron_run" in sys.modules)
"""
    environment = dict(os.environ, CORENEURONLIB=path)
    environment.pop("PYTHONPATH", None)
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)
    said = done.stdout.split()
    return check("the library alone", said[:1] == ["401"] and said[2:] == ["True"], done.stdout + done.stderr)


def no_sections():
    """Artificial cells alone, where nothing has a node."""
    script = """
import sys
import hillock.neuron
from neuron import coreneuron, h
h.load_file("stdrun.hoc")
hillock.neuron.enable()
generator, cell, spikes = h.NetStim(), h.IntFire1(), h.Vector()
generator.interval, generator.number, generator.start, cell.refrac = 0.7, 30, 1, 0.5
onto = h.NetCon(generator, cell)
onto.weight[0], onto.delay = 0.4, 1
seen = h.NetCon(cell, None)
seen.record(spikes)
h.ParallelContext().set_maxstep(1)
of_both = []
for coreneuron.enable in (False, True):
    h.stdinit()
    h.ParallelContext().psolve(30)
    of_both.append(list(spikes))
print(len(spikes), of_both[0] == of_both[1], "hillock._neuron_run" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    said = done.stdout.split()
    return check("artificial cells alone", said[1:] == ["True", "True"] and int(said[0]) > 5, done.stdout + done.stderr)


def main():
    with tempfile.TemporaryDirectory(prefix="hillock-run-") as folder:
        os.environ.setdefault("HILLOCK_CACHE", str(pathlib.Path(folder) / "cache"))
        files = [*(ROOT / f"tests/peer/mechanisms/{name}.mod" for name in OWN),
                 *(ROOT / f"mechanisms/catalogue/{name}.mod" for name in CATALOGUE)]
        files += neuron_mods.written({"coded": CODED, "left_by_states": LEFT, "left_unlike": UNLIKE, **AT_EVENTS}, folder)
        neuron_mods.load(h, files, pathlib.Path(folder) / "neuron")
        h.load_file("stdrun.hoc")
        hillock.neuron.enable()
        coreneuron.enable = False
        good = [*of_all_places(), *of_all_events(), *runs(), library_alone(), no_sections()]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
