#!/usr/bin/python3
"""Sessions whose cells are joined without delay, on Hillock beside NEURON.

Cells with gap junctions of two kinds (target_var), graded synapses (a POINTER to another cell's voltage), NetCons whose
delays are 0 or shorter than a step, from voltages, from generators with and without noise and from those that send at
the times of a Vector, clamps that follow Vectors: whole, and handed over and back at ten moments.
"""

import os
import pathlib
import random
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
from neuron_run import ROOT, check, compare, refuses

CELLS, UNTIL = 7, 50

#: As the VecStims that go round: the Vector is behind a pointer of C, of either kind, or behind a number's bits.
STREAM = """
NEURON {{ THREADSAFE  ARTIFICIAL_CELL {name} {pointer} RANGE ping }}
PARAMETER {{ ping = {ping} (ms) }}
ASSIGNED {{ index  etime (ms)  {number} }}
INITIAL {{
  index = 0
  following()
  if (index > 0) {{ net_send(etime - t, 1) }}
  if (ping > 0) {{ net_send(ping, 2) }}
}}
NET_RECEIVE (w) {{
  if (flag == 1) {{
    net_event(t)
    following()
    if (index > 0) {{ net_send(etime - t, 1) }}
  }} else if (flag == 2) {{
    net_send(ping, 2)
  }}
}}
PROCEDURE following() {{
VERBATIM
  void* vector = *(void**)&{held};
  int at = (int)index;
  index = -1;
  if (vector && at >= 0 && at < vector_capacity(vector)) {{ etime = vector_vec(vector)[at]; index = at + 1; }}
ENDVERBATIM
}}
PROCEDURE play() {{
VERBATIM
  *(void**)&{held} = vector_arg(1);
ENDVERBATIM
}}
{given}
"""
GIVEN = """VERBATIM
static void bbcore_write(double* numbers, int* counts, int* n, int* c, _threadargsproto_) {
  int k, count = _p_held ? vector_capacity(_p_held) : 0;
  if (counts) counts[*c] = count;
  for (k = 0; numbers && k < count; ++k) numbers[*n + k] = vector_vec(_p_held)[k];
  *n += count; *c += 1;
}
static void bbcore_read(double* numbers, int* counts, int* n, int* c, _threadargsproto_) {}
ENDVERBATIM
"""


def streams(folder):
    """[file] of such mechanisms."""
    ways = {"VecStim": {"pointer": "BBCOREPOINTER held", "number": "held", "held": "_p_held", "ping": 0,
                        "given": GIVEN},
            "HeldStim": {"pointer": "POINTER held", "number": "held", "held": "_p_held", "ping": 0, "given": ""},
            "PingStim": {"pointer": "", "number": "space", "held": "space", "ping": 0.7, "given": ""}}
    for name, way in ways.items():
        path = pathlib.Path(folder) / f"{name}.mod"
        path.write_text(STREAM.format(name=name, **way))
        yield path


class Session:
    def __init__(self):
        self.draws, context = random.Random(4), h.ParallelContext()
        self.somas = [h.Section(name=f"soma{i}") for i in range(CELLS)]
        self.dends = [h.Section(name=f"dend{i}") for i in range(CELLS)]
        self.points, self.netcons, self.clamps, self.synapses, self.generators = [], [], [], [], []
        self.spikes = []
        for i, (soma, dend) in enumerate(zip(self.somas, self.dends)):
            soma.L = soma.diam = 20
            soma.insert("hh")
            dend.L, dend.diam, dend.nseg = 200, 2, 5
            dend.insert("pas")
            dend.connect(soma(1))
            self.clamps.append(h.IClamp(soma(0.5)))
            self.clamps[-1].delay, self.clamps[-1].dur, self.clamps[-1].amp = 1 + i, 30, 0.15 + 0.03 * i
            context.source_var(dend(0.7)._ref_v, i, sec=dend)
            self.synapses.append(h.ExpSyn(soma(0.5)))
            self.synapses[-1].tau = 3
            if i % 2:
                self.synapses[-1].e = -75
        for i, dend in enumerate(self.dends):
            for j in ((i + 1) % CELLS, (i + 3) % CELLS):
                self.points.append(h.leaks(dend(0.5)))
                self.points[-1].g = 0.001 + 0.0005 * j
                context.target_var(self.points[-1], self.points[-1]._ref_beyond, j)
            self.points.append(h.graded(dend(0.3)))
            self.points[-1].gmax = 0.002
            h.setpointer(self.somas[(i + 2) % CELLS](0.5)._ref_v, "vpre", self.points[-1])
        context.setup_transfer()
        for i in range(CELLS):
            self.connect(h.NetCon(self.somas[i](0.5)._ref_v, self.synapses[(i + 1) % CELLS], sec=self.somas[i]),
                         self.draws.choice((0, 0, 0.01, 0.8)))
            generator = h.NetStim()
            generator.interval, generator.number, generator.start = 3 + i, 12, 0.3 + self.draws.random()
            if i % 2:
                generator.noise = 0.7
            self.generators.append(generator)
            for k, delay in enumerate((0, 1.3)):
                self.connect(h.NetCon(generator, self.synapses[(i + k) % CELLS]), delay)
        self.sent = []
        for i in range(2 * CELLS):
            stream = h.VecStim() if i % 2 else h.PingStim()
            self.sent.append(h.Vector([self.draws.uniform(0.1, 60) for _ in range(i)]).sort())
            if i:  # the first one plays nothing
                stream.play(self.sent[-1])
            self.generators.append(stream)
            self.connect(h.NetCon(stream, self.synapses[i % CELLS]), (0, 1.1, 0.013)[i % 3])
        # One goes on beyond the run, one ends within it; NEURON follows its last line then.
        self.played = [h.Vector([self.draws.uniform(0, 60) for _ in range(40)]).sort() for _ in range(2)]
        self.played[1].resize(12)
        self.played += [h.Vector([0.2 + 0.01 * self.draws.random() for _ in times]) for times in self.played]
        for clamp, times, values in zip(self.clamps, self.played, self.played[2:]):
            values.play(clamp._ref_amp, times, 1)
        recorded = [*(soma(0.5)._ref_v for soma in self.somas), *(point._ref_i for point in self.points)]
        self.traces = [h.Vector().record(reference) for reference in recorded]
        self.handler = h.FInitializeHandler(self.begin_apart)

    def begin_apart(self):
        """Behind what NEURON passed on between cells: their first step has that."""
        for i, section in enumerate((*self.somas, *self.dends)):
            for segment in section:
                segment.v = -68 + i

    def connect(self, netcon, delay):
        netcon.delay, netcon.weight[0] = delay, 0.008
        if netcon.preseg() is not None:
            netcon.threshold = -10
        self.netcons.append(netcon)
        self.spikes.append(h.Vector())
        netcon.record(self.spikes[-1])

    def divide(self):
        """Onto two threads of NEURON, which read by POINTER what is their own alone, and whose spikes take a while."""
        h.ParallelContext().nthread(2)
        for netcon in self.netcons:
            netcon.delay = max(netcon.delay, 0.1)
        reading = [point for point in self.points if "graded" in point.hname()]
        for i in (5, 6):
            h.setpointer(self.somas[i % 2](0.5)._ref_v, "vpre", reading[i])
        for thread in range(2):
            h.ParallelContext().partition(thread, h.SectionList(self.somas[1 - thread::2]))

    def run(self, moments, is_here):
        """Traces, spikes and states at the end; is_here: of each part whether it runs on Hillock."""
        for i, generator in enumerate(self.generators):
            if getattr(generator, "noise", 0):
                generator.noiseFromRandom123(i, 5, 6)
        for clamp in self.clamps[:2]:
            clamp.amp = 0.2
        h.stdinit()
        for number, moment in enumerate(moments):
            coreneuron.enable = is_here(number)
            h.ParallelContext().psolve(moment)
        coreneuron.enable = False
        times = [(time, number) for number, vector in enumerate(self.spikes) for time in vector]
        states = {f"{section}({x})": section(x).v for section in h.allsec() for x in (0.1, 0.5, 0.9)}
        states.update({f"{point}.s": point.s for point in self.points if hasattr(point, "s")})
        return [np.array(trace) for trace in self.traces], tuple(np.array(sorted(times)).reshape(-1, 2).T), states


def between_steps(kind):
    """Events right between two steps come with the one that NEURON's sum of steps decides for."""
    soma, context = h.Section(name="alone"), h.ParallelContext()
    point, stream = h.ExpSyn(soma(0.5)), kind()
    times = h.Vector([0.55 + 1.1 * k for k in range(600)])
    stream.play(times)
    netcon = h.NetCon(stream, point)
    netcon.delay, netcon.weight[0] = 2, 0.001
    trace, steps = h.Vector().record(point._ref_g), h.dt
    of_both = []
    for coreneuron.enable in (False, True):
        h.dt = 0.1
        h.finitialize(-65)
        for until in (100, 650):
            context.psolve(until)
        of_both.append(np.array(trace))
    coreneuron.enable, h.dt = False, steps
    apart = np.abs(of_both[0] - of_both[1]).max() if of_both[0].shape == of_both[1].shape else np.inf
    arrived = [np.count_nonzero(np.diff(one) > 0) for one in of_both]
    return check(f"events between two steps, {stream}", apart < 1e-12 and arrived[0] > 500, f"{apart} apart, {arrived} arrived")


def runs():
    h.ParallelContext().set_maxstep(1)
    yield between_steps(h.VecStim)
    yield between_steps(h.HeldStim)
    session = Session()
    wanted = session.run([UNTIL], lambda _: False)
    yield compare("joined cells", session.run([UNTIL], lambda _: True), wanted)
    moments = [*sorted(round(session.draws.uniform(0, UNTIL) / h.dt) * h.dt for _ in range(10)), UNTIL]
    for name, first in (("joined cells, handed over and back", 0), ("joined cells, back and handed over", 1)):
        yield compare(name, session.run(moments, lambda part: part % 2 == first), wanted)
    session.divide()
    wanted = session.run([UNTIL], lambda _: False)
    yield compare("joined cells, two threads", session.run(moments, lambda part: part % 2 == 0), wanted)
    h.ParallelContext().nthread(1)
    session.sent[3].x[1] = 60
    yield refuses(session, "a Vector whose times fall")
    session.sent[3].sort()
    h.setpointer(session.somas[0](0.5)._ref_m_hh, "vpre", session.points[2])
    session.points[2].half, session.points[2].slope = 0.2, 0.1
    wanted = session.run([UNTIL], lambda _: False)
    h.CVode().cache_efficient(0)
    yield compare("joined cells, by a gate", session.run(moments, lambda part: part % 2 == 0), wanted)


def main():
    with tempfile.TemporaryDirectory(prefix="hillock-joined-") as folder:
        os.environ.setdefault("HILLOCK_CACHE", str(pathlib.Path(folder) / "cache"))
        models, parameter = ROOT / "tests/command/models", pathlib.Path(folder) / "leaks.mod"
        parameter.write_text((models / "leaks.mod").read_text().replace("  beyond (mV)\n", "").replace(
            "PARAMETER {", "PARAMETER { beyond (mV) "))
        files = [parameter, models / "graded.mod", *streams(folder)]
        neuron_mods.load(h, files, pathlib.Path(folder) / "neuron")
        h.load_file("stdrun.hoc")
        hillock.neuron.enable()
        coreneuron.enable = False
        good = list(runs())
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
