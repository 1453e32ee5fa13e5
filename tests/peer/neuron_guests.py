#!/usr/bin/python3
"""Sessions with C code that is not read here, run as NEURON has compiled it (`trust_c=True`), beside NEURON.

Traces to 1e-9 mV and spikes all the same, as a whole, in parts, and handed back and forth: what C code keeps is
NEURON's all along. What cannot be taken is refused by name; without `trust_c` all of it is, and the refusal says so.
"""

import contextlib
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

MOST_MV, MOST_OF_DRAWS, UNTIL = 1e-9, 1e-8, 30
FILES = {
    "leaks_in_c": """
: A gate whose rates a C function counts, and a loop over memory of its own
NEURON { SUFFIX leaks_in_c  USEION k READ ek WRITE ik  NONSPECIFIC_CURRENT i  RANGE gbar, m, calls }
PARAMETER { gbar = 2e-5 (S/cm2)  e = -60 (mV) }
ASSIGNED { v (mV)  ek (mV)  ik (mA/cm2)  i (mA/cm2)  calls  inf }
STATE { m }
VERBATIM
static unsigned long called = 0;
static double rate_of(double x) { ++called;  return 1 / (1 + exp(-(x + 45) / 9)); }
ENDVERBATIM
INITIAL {
VERBATIM
  called = 0;
ENDVERBATIM
  rates()  m = inf  calls = 0
}
BREAKPOINT {
  SOLVE states METHOD cnexp
  ik = gbar * m * (v - ek)
VERBATIM
  { static double last = 0;  float *some = (float*)malloc(3 * sizeof(float));
    int k;  for (k = 0; k < 3; ++k) some[k] = k * 1e-5f;
    i = (some[0] + some[1] + some[2]) * (v - e);
    last += i;
    free(some); }
ENDVERBATIM
  calls = calls + 1
}
DERIVATIVE states { rates()  m' = (inf - m) / 4 }
PROCEDURE rates() {
VERBATIM
  inf = rate_of(v) + 1e-6 * (called % 7);
ENDVERBATIM
}
""",
    "pool_in_c": """
: A pool that others read, of what others let in
NEURON { SUFFIX pool_in_c  USEION ca READ ica WRITE cai  RANGE depth, tau }
UNITS { (mM) = (milli/liter)  FARADAY = (faraday) (coulomb) }
PARAMETER { depth = 0.1 (um)  tau = 8 (ms) }
ASSIGNED { ica (mA/cm2) }
STATE { cai (mM) }
INITIAL { cai = 5e-5 }
BREAKPOINT { SOLVE states METHOD cnexp }
DERIVATIVE states {
  cai' = inward(ica) + (5e-5 - cai) / tau
}
FUNCTION inward(x) {
VERBATIM
  static int sees = 0;
  float scale = 1;
  ++sees;
  _linward = scale * -1e4 * _lx / (2 * 96485.309 * depth);
ENDVERBATIM
  if (inward < 0) { inward = 0 }
}
""",
    "lets_calcium_in": """
NEURON { SUFFIX lets_calcium_in  USEION ca READ eca WRITE ica  RANGE gbar }
PARAMETER { gbar = 2e-4 (S/cm2) }
ASSIGNED { v (mV)  eca (mV)  ica (mA/cm2) }
STATE { m }
INITIAL { m = 1 / (1 + exp(-(v + 30) / 6)) }
BREAKPOINT { SOLVE states METHOD cnexp  ica = gbar * m * (v - eca) }
DERIVATIVE states { m' = (1 / (1 + exp(-(v + 30) / 6)) - m) / 2 }
""",
    "by_calcium": """
NEURON { SUFFIX by_calcium  USEION ca READ cai  USEION k READ ek WRITE ik  RANGE gbar, n }
PARAMETER { gbar = 1e-4 (S/cm2) }
ASSIGNED { v (mV)  cai (mM)  ek (mV)  ik (mA/cm2) }
STATE { n }
INITIAL { n = cai / (cai + 1e-3) }
BREAKPOINT { SOLVE states METHOD cnexp  ik = gbar * n * (v - ek) }
DERIVATIVE states { n' = (cai / (cai + 1e-3) - n) / 5 }
""",
    "clamp_in_c": """
: An electrode that answers events, with a queue of its own
NEURON { POINT_PROCESS clamp_in_c  ELECTRODE_CURRENT i  RANGE amp, on, count }
PARAMETER { amp = 0.1 (nA) }
ASSIGNED { i (nA)  v (mV)  on  count }
VERBATIM
struct waiting { struct waiting* next;  double amp; };
static struct waiting* first = 0;
ENDVERBATIM
INITIAL {
  on = 0  count = 0
VERBATIM
  first = 0;
ENDVERBATIM
}
BREAKPOINT { i = on * (1 + 1e-3 * (v + 65)) }
NET_RECEIVE (w, seen) {
  if (flag == 0) {
VERBATIM
    { struct waiting* one = (struct waiting*)malloc(sizeof(struct waiting));
      one->next = first;  one->amp = amp * _args[0];  first = one; }
ENDVERBATIM
    seen = seen + 1
    on = on + amp * w * (1 + 0.01 * seen)
    net_send(1.5, 1)
  } else {
VERBATIM
    { struct waiting* one = first;
      if (one) { on -= one->amp;  first = one->next;  free(one); } }
ENDVERBATIM
    count = count + 1
  }
}
""",
    "draws_in_c": """
NEURON { POINT_PROCESS draws_in_c  NONSPECIFIC_CURRENT i  RANGE much }
PARAMETER { much = 2e-6 }
ASSIGNED { v (mV)  i (nA) }
BREAKPOINT {
  i = 0
VERBATIM
  while (scop_random() < 0.5) { i += much * (scop_random() - 0.5); }
ENDVERBATIM
}
""",
    "draws_too": """
NEURON { SUFFIX draws_too  NONSPECIFIC_CURRENT i  RANGE much }
PARAMETER { much = 1e-3 }
ASSIGNED { v (mV)  i (mA/cm2)  now }
INITIAL { now = 0 }
BREAKPOINT { SOLVE go  i = much * now }
PROCEDURE go() { if (v > -70) { now = scop_random() - 0.5 } }
""",
    "sees_in_c": """
: Another place's voltage, and a number of hoc's
NEURON { POINT_PROCESS sees_in_c  NONSPECIFIC_CURRENT i  POINTER there, level  RANGE g }
PARAMETER { g = 0.003 (uS) }
ASSIGNED { v (mV)  i (nA)  there  level }
BREAKPOINT {
VERBATIM
  { float one = 1;  i = g * one * (v - there) * level; }
ENDVERBATIM
}
""",
    "own_pool": """
: NMODL's own, of what C code lets in
NEURON { SUFFIX own_pool  USEION ba READ iba WRITE bai VALENCE 2 }
ASSIGNED { iba (mA/cm2) }
STATE { bai (mM) }
INITIAL { bai = 1e-4 }
BREAKPOINT { SOLVE states METHOD cnexp }
DERIVATIVE states { bai' = -200 * iba + (1e-4 - bai) / 6 }
""",
    "barium_in_c": """
: What it lets in, another one keeps, and it sees that at a step's end and before currents
NEURON { SUFFIX barium_in_c  USEION ba READ bai WRITE iba VALENCE 2  RANGE gbar, n, before, behind }
PARAMETER { gbar = 1e-4 (S/cm2) }
ASSIGNED { v (mV)  bai (mM)  iba (mA/cm2)  before  behind }
STATE { n }
INITIAL { n = 0.5  before = 0  behind = 0 }
BEFORE BREAKPOINT { before = before + bai }
BREAKPOINT {
  SOLVE states METHOD cnexp
VERBATIM
  { float one = 1;  iba = one * gbar * n * (v - 50); }
ENDVERBATIM
}
AFTER SOLVE { behind = 0.9 * behind + bai * n }
DERIVATIVE states { n' = (1 / (1 + bai / 2e-4) - n) / 3 }
""",
    "sends_in_c": """
: It sends events to what else is in C
NEURON { POINT_PROCESS sends_in_c  RANGE every, sent }
PARAMETER { every = 2.3 (ms) }
ASSIGNED { sent }
INITIAL { sent = 0  net_send(every, 1) }
NET_RECEIVE (w) {
  if (flag == 1) {
    net_event(t)
    net_send(every, 1)
VERBATIM
    { float one = 1;  sent += one; }
ENDVERBATIM
  }
}
""",
    "reads_in_nmodl": """
: NMODL's own, that a POINTER ties to C code
NEURON { POINT_PROCESS reads_in_nmodl  ELECTRODE_CURRENT i  POINTER x  RANGE seen }
ASSIGNED { i (nA)  x  seen }
BREAKPOINT { seen = x  i = 0.01 * x }
""",
    "fails_in_c": """
NEURON { SUFFIX fails_in_c  NONSPECIFIC_CURRENT i }
ASSIGNED { v  i }
BREAKPOINT {
  i = 0
VERBATIM
  if (t > 2) { hoc_execerror("it fails", 0); }
ENDVERBATIM
}
""",
    "watches_in_c": """
NEURON { POINT_PROCESS watches_in_c  NONSPECIFIC_CURRENT i }
ASSIGNED { v  i }
INITIAL { net_send(0, 1) }
BREAKPOINT {
  i = 0
VERBATIM
  { float none = 0;  i = none; }
ENDVERBATIM
}
NET_RECEIVE (w) { if (flag == 1) { WATCH (v > 0) 2 } }
""",
}


class Session:
    """Two cells that excite one another. draws: whether some of it draws random numbers."""

    def __init__(self, draws=False):
        self.sections, self.points, self.netcons, self.draws = [], [], [], draws
        for number in range(2):
            soma, dend, other = (h.Section(name=f"{name}{number}") for name in ("soma", "dend", "other"))
            soma.L = soma.diam = 20
            dend.L, dend.diam, dend.nseg = 100 + 20 * number, 2, 5
            other.L, other.diam, other.nseg = 80, 1, 3
            dend.connect(soma(1))
            other.connect(dend(0.5))
            soma.insert("hh")
            for section in (dend, other):
                for name in ("leaks_in_c", "lets_calcium_in", "pas"):
                    section.insert(name)
                section.ek = -77
            for name in ("pool_in_c", "by_calcium"):
                dend.insert(name)
            for name in ("own_pool", "barium_in_c"):
                soma.insert(name)
            if draws:
                other.insert("draws_too")
            clamp = h.IClamp(soma(0.5))
            self.points += [h.clamp_in_c(dend(0.5)), h.clamp_in_c(soma(0.5)), h.clamp_in_c(other(1)), clamp,
                            h.ExpSyn(dend(0.3)), h.sees_in_c(other(0.5))]
            if draws:
                self.points.append(h.draws_in_c(dend(0.3)))
            clamp.dur, clamp.amp = 1e9, 0.8 * (1 - number)
            self.sections += [soma, dend, other]
        self.sender, self.reader = h.sends_in_c(self.sections[0](0.5)), h.reads_in_nmodl(self.sections[3](0.5))
        h.setpointer(self.sender._ref_sent, "x", self.reader)
        self.netcons.append(h.NetCon(self.sender, self.points[1]))
        self.netcons[-1].weight[0] = 0.1
        self.stim = h.NetStim()
        self.stim.start, self.stim.interval, self.stim.number = 1.3, 3.17, 1e9
        first = self.sections[0]
        for number, (source, target, delay, weight) in enumerate((
                (self.stim, 0, 0.5, 0.2), (self.stim, 1, 0, 0.3), (self.stim, 4, 1, 0.01), (None, 0, 0, 1),
                (None, 2, 4, 1), (None, 8, 1.1, 2), (None, 10, 0.3, 0.01))):
            point = self.points[target + (len(self.points) // 2 - 6 if target > 5 else 0)]
            netcon = h.NetCon(source, point) if source else h.NetCon(first(0.5)._ref_v, point, sec=first)
            netcon.delay, netcon.weight[0] = delay + (0.1 if source else 0), weight
            self.netcons.append(netcon)
        h("hillock_level_ = 0.7")
        for point in self.points:
            if point.hname().startswith("sees_in_c"):
                h.setpointer(first(0.5)._ref_v, "there", point)
                h.setpointer(h._ref_hillock_level_, "level", point)
        self.spikes, self.netcon = h.Vector(), h.NetCon(first(0.5)._ref_v, None, sec=first)
        self.netcon.record(self.spikes)
        dend = self.sections[1]
        self.traces = [h.Vector().record(reference) for reference in (
            h._ref_t, *(section(0.5)._ref_v for section in self.sections), dend(0.3)._ref_cai, dend(0.3)._ref_eca,
            dend(1)._ref_v,
            dend(0.7)._ref_m_leaks_in_c, dend(0.7)._ref_i_leaks_in_c, dend(0.7)._ref_calls_leaks_in_c,
            dend(0.5)._ref_n_by_calcium, self.points[0]._ref_on, self.points[0]._ref_i, self.points[1]._ref_count,
            self.sections[3](0.5)._ref_bai, *(getattr(self.sections[0](0.5), f"_ref_{name}_barium_in_c")
                                              for name in ("n", "before", "behind")), self.reader._ref_seen)]

    def now(self):
        return [h.t, *(segment.v for section in self.sections for segment in section), self.sender.sent,
                *(segment.m_leaks_in_c for segment in self.sections[1]), *(point.on for point in self.points[:3])]

    def run(self, moments, is_here):
        h.stdinit()
        if self.draws:
            h.seed_draws(7)
        solve_in_parts(moments, is_here)
        found = [np.array(list(one)) for one in (*self.traces, self.spikes)]
        return found + [np.array([netcon.weight[1] if int(netcon.wcnt()) > 1 else 0 for netcon in self.netcons]),
                        np.array([h.next_draw() if self.draws else 0.0, *(point.on for point in self.points[:3])])]


def is_same(name, got, wanted, most=MOST_MV):
    sizes = [len(one) for one in got] == [len(one) for one in wanted]
    each = [np.abs(one - other).max(initial=0) for one, other in zip(got, wanted)] if sizes else [np.inf]
    good = max(each) <= most and sum(map(len, wanted)) > 1000 and len(wanted[-3]) > 0
    print(f"{'ok' if good else 'WRONG'}: {name}: {sum(map(len, wanted))} numbers, {len(wanted[-3])} spikes, "
          f"at most {max(each):.2g} apart", *([] if good else [each]))
    return good


def all_ways(name, session, most=MOST_MV):
    def forget():  # the C code counts from process to process on
        return session.run([UNTIL], lambda _: False)

    forget()
    wanted = forget()
    if not np.array_equal(wanted[1], forget()[1]):
        print(f"{name}: NEURON itself is not the same twice")
    yield is_same(name, session.run([UNTIL], lambda _: True), wanted, most)
    moments = [3.3, 8.025, 8.05, 17, 26.5, UNTIL]
    for how, first in (("back and forth", 0), ("forth and back", 1)):
        yield is_same(f"{name}, {how}", session.run(moments, lambda part: part % 2 == first), wanted, most)
    yield is_same(f"{name}, in parts", session.run(moments, lambda _: True), wanted, most)


def refusals():
    def refused(name, words, session):
        coreneuron.enable = True
        h.stdinit()
        caught.seek(0)
        caught.truncate()
        h.tstop = 5
        try:
            h.run()
            said = "it ran"
        except RuntimeError:
            said = ""
        coreneuron.enable = False
        caught.seek(0)
        text = caught.read()
        good = not said and words in text
        print(f"{'ok' if good else 'WRONG'}: refused: {name}", said or ("" if good else text))
        return good

    with tempfile.TemporaryFile("w+") as caught, contextlib.redirect_stderr(caught):
        session = Session()
        hillock.neuron.enable()
        yield refused("C code, by itself", "trust_c=True", session)
        hillock.neuron.enable(trust_c=True)
        session.more = h.watches_in_c(session.sections[0](0.5))
        yield refused("a WATCH", "watches_in_c: run as NEURON compiled it, and it has a WATCH", session)
        session.more = None
        h.secondorder = 2
        yield refused("secondorder 2", "beside secondorder 2", session)
        h.secondorder = 0
        hillock.neuron.enable(trust_c=True, backend="cuda")
        yield refused("on a GPU", "which a GPU cannot", session)
        hillock.neuron.enable(trust_c=True)
        session.more = h.NetCon(session.sender, session.points[4])
        yield refused("events to what is not in C", "its source, sends_in_c[", session)
        h.CVode().use_fast_imem(1)
        session.more = h.Vector().record(session.sections[0](0.5)._ref_i_membrane_)
        yield refused("membrane currents", "a membrane current is recorded", session)
        h.CVode().use_fast_imem(0)
        session.more = h.Vector([0, 1, 2]), h.Vector([0, 2, 4])
        session.more[0].play(session.points[0]._ref_amp, session.more[1], 1)
        yield refused("Vector.play", "Vector.play into clamp_in_c", session)
        session.more = None
        session.sections[1].insert("fails_in_c")
        h.stdinit()
        before = session.now()
        yield refused("C code that fails", "ended with an error", session)
        good = before == session.now()
        print(f"{'ok' if good else 'WRONG'}: where C code fails the session is as it was")
        yield good
        coreneuron.enable = False


def loops(session):
    """A loop over fadvance() that reads what C code computes."""
    found = []
    for coreneuron.enable in (False, True):
        h.stdinit()
        rows = []
        while h.t < 6 - h.dt / 2:
            h.fadvance()
            rows.append((h.t, session.sections[0].v, session.sections[1](0.7).m_leaks_in_c, session.sender.sent))
        found.append(np.array(rows))
    coreneuron.enable = False
    apart = np.abs(found[0] - found[1]).max() if found[0].shape == found[1].shape else np.inf
    good = apart <= MOST_MV and found[0][-1, -1] == 2
    print(f"{'ok' if good else 'WRONG'}: a loop over fadvance(): {found[0].size} numbers, at most {apart:.2g} apart")
    yield good


def main():
    if is_9():
        skip("NEURON 9.0 computes nothing for a run")
    with tempfile.TemporaryDirectory(prefix="hillock-guests-") as folder:
        files = neuron_mods.written({**FILES, "of_hoc": """
NEURON { SUFFIX nothing }
FUNCTION next_draw() { next_draw = scop_random() }
FUNCTION seed_draws(x) { set_seed(x)  seed_draws = x }
"""}, folder)
        neuron_mods.load(h, files, pathlib.Path(folder) / "neuron")
        h.load_file("stdrun.hoc")
        hillock.neuron.enable(trust_c=True)
        coreneuron.enable = False
        h.ParallelContext().set_maxstep(10)
        session = Session()
        good = [*all_ways("C code", session), *loops(session)]
        del session
        gc.collect()
        session = Session(draws=True)
        good += [*all_ways("C code that draws", session, MOST_OF_DRAWS)]
        del session
        gc.collect()
        good += refusals()
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
