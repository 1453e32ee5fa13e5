#!/usr/bin/python3
"""What NetCon.record() has called at spikes, in sessions of NEURON that run on Hillock: each session runs in NEURON and
here, by run(), by psolve and by a loop, and what was called saw and did the same, at the same times.

What leaves the model alone costs no part of a run; before anything else the run ends, and NEURON's own step has it.
"""

import os
import sys
import tempfile

from parity import skip

try:
    import numpy as np
    from neuron import coreneuron, h
except ImportError as missing:
    skip(f"{missing.name} is missing (packages python3-neuron, python3-numpy)")

import hillock.neuron
from hillock import _neuron_run

MOST = 1e-6


class Session:
    """Two cells, one of which drives the other, a clamp, a NetStim and an artificial cell. seen: what was called."""

    def __init__(self):
        self.cells = [h.Section(name=f"cell{k}") for k in range(2)]
        for cell in self.cells:
            cell.L = cell.diam = 20
            cell.insert("hh")
        self.clamp, self.syn = h.IClamp(self.cells[0](0.5)), h.ExpSyn(self.cells[1](0.5))
        self.clamp.delay, self.clamp.dur = 1, 1e9
        self.stim, self.fire = h.NetStim(), h.IntFire1()
        self.stim.start, self.stim.interval, self.stim.number, self.fire.tau = 3.01, 2.3, 10, 20
        self.to_syn = h.NetCon(self.cells[0](0.5)._ref_v, self.syn, sec=self.cells[0])
        self.to_syn.delay, self.to_syn.threshold = 1.5, 0
        self.to_fire, self.of_fire = h.NetCon(self.stim, self.fire), h.NetCon(self.fire, self.syn)
        self.of_second = h.NetCon(self.cells[1](0.5)._ref_v, None, sec=self.cells[1])
        self.of_second.threshold = -10
        self.seen, self.records_second = [], True

    def begin(self):
        """As a run of it begins."""
        self.seen.clear()
        self.clamp.amp, self.to_syn.weight[0], self.syn.tau = 0.3, 0.02, 0.5
        self.to_fire.weight[0], self.of_fire.weight[0] = 0.4, 0.01
        h.spike_count = h.stoprun = 0

    def end(self):
        """NEURON keeps what it is to call, and that the session."""
        for netcon in (self.to_syn, self.to_fire, self.of_fire, self.of_second):
            netcon.record("")

    def sees(self):
        """Called: it looks at the model."""
        self.seen += [h.t, *(cell(0.5).v for cell in self.cells),
                      self.cells[0](0.5).hh.m, self.syn.g, self.fire.m]

    def counts(self):
        """Called: it does not."""
        self.seen.append(h.t)

    def drives(self):
        """Called: it changes what follows."""
        self.sees()
        if len(self.seen) > 10:
            self.clamp.amp = 0.1 + h.t / 100
            self.to_syn.weight[0] *= 0.9

    def sends(self):
        """Called: it sends what is on its way then."""
        self.sees()
        self.of_fire.event(h.t + 2.1)
        h.CVode().event(h.t + 3, self.sees)


def counted_by_hoc(session):
    session.to_syn.record("spike_count += 1  spike_times.append(t)")


#: {name: (what has it called, in how many parts it runs here at most)}
CASES = {
    "it looks at the model": (lambda one: one.to_syn.record(one.sees), None),
    "it looks at the model, at spikes of an artificial cell": (lambda one: one.of_fire.record(one.sees), None),
    "it looks at the model, at spikes of a NetStim": (lambda one: one.to_fire.record(one.sees), None),
    "it looks at the model, at all spikes": (lambda one: [nc.record(one.sees) for nc in (
        one.to_syn, one.to_fire, one.of_fire, one.of_second)], None),
    "it changes the model": (lambda one: one.to_syn.record(one.drives), None),
    "it sends events": (lambda one: one.to_syn.record(one.sends), None),
    "a statement changes the model": (lambda one: one.to_syn.record("clamp.amp = 0.2  cell.sec seen.append(v(0.5))"), None),
    "a statement ends the run": (lambda one: one.to_syn.record("if (t > 10) stoprun = 1"), None),
    "it counts": (lambda one: one.to_syn.record(one.counts), 1),
    "a function counts": (lambda one: one.to_syn.record(lambda: one.seen.append(h.t)), None),  # two in a line
    "a statement counts": (counted_by_hoc, 1),
    "it counts, at spikes of an artificial cell": (lambda one: one.of_fire.record(one.counts), 1),
}


def goes_in_steps(until):
    """A loop that could run ahead if nothing were called."""
    while h.t < until - h.dt / 2:
        h.fadvance()


def runs(session, by):
    """(what was seen, traces, spikes, count) of a run."""
    session.begin()
    times, vectors = h.Vector(), [h.Vector().record(cell(0.5)._ref_v) for cell in session.cells]
    h.spike_times.resize(0)
    if session.records_second:
        session.of_second.record(times)
    h.tstop = 30
    h.ParallelContext().set_maxstep(10)
    h.stdinit()
    {"run": h.continuerun, "psolve": h.ParallelContext().psolve, "loop": goes_in_steps}[by](h.tstop)
    return [np.array(list(one)) for one in (session.seen, *vectors, h.spike_times, times, [h.t, h.spike_count])]


def is_good(name, attach, most_parts, by):
    session = Session()
    h.clamp, h.cell = session.clamp, h.SectionRef(sec=session.cells[0])
    if "at all spikes" in name:
        session.records_second = False
    h.seen = h.Vector()
    attach(session)
    coreneuron.enable = False
    wanted = runs(session, by)
    coreneuron.enable = True
    parts.clear()
    got = runs(session, by)
    coreneuron.enable = False
    session.end()
    off = [float(np.max(np.abs(one - other), initial=0)) if one.shape == other.shape else np.inf
           for one, other in zip(wanted, got)]
    good = max(off) < MOST and (most_parts is None or len(parts) <= most_parts) and \
        max(len(wanted[0]), len(wanted[3]), wanted[5][1], wanted[5][0] < 30) > 0
    print(f"{'ok' if good else 'WRONG'}: {name}, by {by}: {off}, {len(parts)} parts, {len(wanted[0])} seen")
    return good


parts = []


def main():
    h.load_file("stdrun.hoc")
    h("objref clamp, cell, seen, spike_times\nspike_count = 0\nspike_times = new Vector()")
    with tempfile.TemporaryDirectory(prefix="hillock-calls-") as folder:
        os.environ.setdefault("HILLOCK_CACHE", folder)
        hillock.neuron.enable(threads=1)
        known = _neuron_run.run

        def counted(*arguments, **others):
            parts.append(True)
            return known(*arguments, **others)
        _neuron_run.run = counted
        good = [is_good(name, *case, by) for name, case in CASES.items() for by in ("run", "psolve", "loop")
                if by == "run" or name != "a statement ends the run"]  # psolve of NEURON's ends some steps later
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
