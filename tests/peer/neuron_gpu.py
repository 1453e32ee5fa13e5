#!/usr/bin/python3
"""A session of NEURON on a GPU: as NEURON has it, again and again, and handed over ten times from either side.

Its mechanisms are NEURON's own, so that nothing is compiled for NEURON. Skipped where there is no GPU, a failure there
with REQUIRE_GPU=1.
"""

import os
import random
import sys

from parity import SKIPPED, skip

try:
    import numpy as np
    from neuron import coreneuron, h
except ImportError as missing:
    skip(f"{missing.name} is missing (packages python3-neuron, python3-numpy)")

import hillock.neuron
from neuron_run import check, compare

CELLS, UNTIL = 40, 60


class Owner:
    """Whose sections are so called."""

    def __init__(self, number):
        self.number = number

    def __str__(self):
        return f"Cell[{self.number}]"


class Session:
    """Cells that excite and inhibit each other at once and later; noise goes to all."""

    def __init__(self):
        self.draws = random.Random(3)
        self.owners = [Owner(number) for number in range(CELLS)]
        self.netcons, self.spikes, self.kept, self.noises = [], [], [], []
        self.somas, self.excited, self.inhibited = [], [], []
        for owner in self.owners:
            soma, dends = h.Section(name="soma", cell=owner), [h.Section(name=f"dend[{i}]", cell=owner) for i in (0, 1)]
            soma.L = soma.diam = 20
            soma.insert("hh")
            for i, dend in enumerate(dends):
                dend.L, dend.diam, dend.nseg = 150 + 20 * i, 1.5, 5
                dend.insert("pas")
                dend.connect(soma(i))
            self.somas.append(soma)
            self.excited.append(h.ExpSyn(dends[0](0.5)))
            self.inhibited.append(h.Exp2Syn(dends[1](0.3)))
            self.excited[-1].tau, self.inhibited[-1].e = 2, -80
            self.kept += dends
        for number in range(CELLS):
            for k in range(8):
                synapses = self.inhibited if k < 3 else self.excited
                self.connect(h.NetCon(self.somas[number](0.5)._ref_v, self.draws.choice(synapses),
                                      sec=self.somas[number]), 0.003, (0, 0.01, 1.5, 3)[k % 4])
            self.noises.append(h.NetStim())
            self.noises[-1].start, self.noises[-1].interval, self.noises[-1].noise = 1, 5, 1
            self.connect(h.NetCon(self.noises[-1], self.excited[number]), 0.03, 0.5)
        self.traces = [h.Vector().record(soma(0.5)._ref_v) for soma in self.somas]

    def connect(self, netcon, weight, delay):
        netcon.weight[0], netcon.delay = weight, delay
        if netcon.preseg() is not None:
            netcon.threshold = 0
        self.netcons.append(netcon)
        self.spikes.append(h.Vector())
        netcon.record(self.spikes[-1])

    def run(self, moments, is_here=lambda _: True, backend="cuda", on_card=False, known=12):
        """(traces, spikes, nothing else), as compare() takes them; known: spikes of each noise."""
        hillock.neuron.enable(backend=backend)
        for number, noise in enumerate(self.noises):
            noise.number = known
            noise.noiseFromRandom123(number, 1, 2)
        coreneuron.enable, coreneuron.gpu = False, on_card
        h.stdinit()
        for part, moment in enumerate(moments):
            coreneuron.enable = is_here(part)
            h.ParallelContext().psolve(moment)
        coreneuron.enable = coreneuron.gpu = False
        times = [(time, number) for number, vector in enumerate(self.spikes) for time in vector]
        return [np.array(trace) for trace in self.traces], tuple(np.array(sorted(times)).reshape(-1, 2).T), {}


def runs(session):
    wanted = session.run([UNTIL], lambda _: False)
    yield check("cells that spike", len(wanted[1][0]) > 100)
    yield compare("on the GPU", session.run([UNTIL]), wanted)
    yield compare("again", session.run([UNTIL]), wanted)
    yield compare("coreneuron.gpu", session.run([UNTIL], backend="auto", on_card=True), wanted)
    yield compare("on the CPU after it", session.run([UNTIL], backend="cpu"), wanted)
    moments = [*sorted(round(session.draws.uniform(0, UNTIL) / h.dt) * h.dt for _ in range(10)), UNTIL]
    for name, first in (("handed over and back", 0), ("back and handed over", 1)):
        yield compare(name, session.run(moments, lambda part: part % 2 == first), wanted)
    many = session.run([2 * UNTIL], lambda _: False, known=1000)
    yield compare("on whichever takes it", session.run([2 * UNTIL], backend="auto", known=1000), many)
    try:
        session.run([2 * UNTIL], known=1000)
        text = "it ran"
    except RuntimeError as error:
        text = str(error)
    yield check("more known spikes than a GPU has room for are refused", h.t == 0 and text != "it ran", text)


def main():
    h.load_file("stdrun.hoc")
    h.ParallelContext().set_maxstep(1)
    session = Session()
    try:
        session.run([1])
    except RuntimeError as error:
        print("left out:", error)
        sys.exit(1 if os.environ.get("REQUIRE_GPU") == "1" else SKIPPED)
    sys.exit(0 if all(list(runs(session))) else 1)


if __name__ == "__main__":
    main()
