#!/usr/bin/python3
"""A session of NEURON taken as a model, `hillock.neuron.model()`, and run beside NEURON itself.

Spikes are NEURON's, every one, in its step; voltages to 1e-7 mV over all of the run, where the sessions
below came to at most 7e-10 mV: cells have NEURON's own areas and resistances, and what is left is
round-off. What cannot be taken is refused by name.
"""

import pathlib
import random
import re
import sys
import tempfile

from parity import skip

try:
    import numpy as np
    from neuron import h
except ImportError as missing:
    skip(f"{missing.name} is missing (packages python3-neuron, python3-numpy)")

import hillock
import hillock.neuron
import neuron_mods

ROOT = pathlib.Path(__file__).resolve().parents[2]
MOST_MV = 1e-7
IN_C = """
NEURON { POINT_PROCESS in_c  NONSPECIFIC_CURRENT i }
ASSIGNED { v (mV)  i (nA) }
BREAKPOINT {
VERBATIM
  double* at = &i;
  *at = 1e-6*v;
ENDVERBATIM
}
"""


class Ball:
    """A soma with dendrites at both of its ends and on another dendrite; one joins by its 1 end."""

    def __init__(self, number, kinds):
        self.number = number
        self.soma = h.Section(name="soma", cell=self)
        self.dend = [h.Section(name=f"dend[{i}]", cell=self) for i in range(3)]
        self.soma.L = self.soma.diam = 12.6 + 0.1 * (number % kinds)
        for i, section in enumerate(self.dend):
            section.L, section.diam, section.nseg = 150 + 10 * i, 1 + 0.2 * i, 5 - i % 2
        self.dend[0].connect(self.soma(1))
        self.dend[1].connect(self.soma(0), 1)
        self.dend[2].connect(self.dend[1](0.25))  # between two segments of a branch that is turned round
        for section in (self.soma, *self.dend):
            section.Ra, section.cm = 100, 1 + 0.01 * number
        self.soma.insert("hh")
        self.soma(0.5).hh.gnabar = 0.12 + 0.001 * number
        for section in self.dend:
            section.insert("pas")
            for segment in section:
                segment.pas.g, segment.pas.e = 0.001, -65 + segment.x
        self.excited = h.ExpSyn(self.dend[0](0.5))
        self.excited.tau = 2 + 0.01 * number
        self.inhibited = h.Exp2Syn(self.dend[2](1))
        self.inhibited.e, self.inhibited.tau2 = -80, 5

    def __str__(self):
        return f"Ball[{self.number}]"

    def spikes_onto(self, target, weight, delay):
        connection = h.NetCon(self.soma(0.5)._ref_v, target, sec=self.soma)
        connection.threshold, connection.weight[0], connection.delay = 10, weight, delay
        return connection


def ring():
    """Eight cells of two shapes, a generator, a clamp."""
    cells = [Ball(number, 2) for number in range(8)]
    kept = []
    for i, cell in enumerate(cells):
        kept.append(cell.spikes_onto(cells[(i + 1) % 8].excited, 0.01, 5))
        kept.append(cell.spikes_onto(cells[(i + 3) % 8].inhibited, 0.002 + 0.0001 * i, 2))
    generator = h.NetStim()
    generator.number, generator.start, generator.interval = 2, 3, 20
    start = h.NetCon(generator, cells[0].excited)
    start.weight[0], start.delay = 0.04, 1
    clamp = h.IClamp(cells[2].soma(0.5))
    clamp.delay, clamp.dur, clamp.amp = 10, 5, 0.2
    watched = [cell.soma(0.5) for cell in cells] + [cells[1].dend[2](1), cells[1].dend[1](0.1)]
    return watched, [(cell.soma, 10) for cell in cells], (cells, kept, generator, start, clamp)


class Pyramid:
    """The library's pyramidal cell by Import3d, with channels, calcium and synapses here and there."""

    def __init__(self, number, draws):
        self.number = number
        reader = h.Import3d_SWC_read()
        reader.input(str(ROOT / "models/library/pyramid.swc"))
        h.Import3d_GUI(reader, 0).instantiate(self)
        for section in self.all:
            section.nseg, section.Ra = 1 + 2 * int(section.L / 40), 120
            section.insert("pas")
            for segment in section:
                segment.pas.g, segment.pas.e = 3e-5 * (1 + segment.x), -70
            section.insert("ih")
        for section in [*self.soma, *self.apic]:
            for name in ("hh", "kdr", "cal", "capool", "sk"):
                section.insert(name)
            for segment in section:
                segment.hh.gnabar = 0.15 + 0.03 * draws.random()
            section.ek = -85
        self.synapses = []
        for _ in range(20):
            synapse = h.given_arguments(draws.choice(list(self.all))(draws.random()))
            self.synapses.append(synapse)

    def __str__(self):
        return f"Pyramid[{self.number}]"


def pyramids():
    """Two cells with ions, pools and synapses that take arguments, driven by generators."""
    draws = random.Random(1)
    cells = [Pyramid(number, draws) for number in range(2)]
    kept = []
    for cell in cells:
        for synapse in cell.synapses:
            generator = h.NetStim()
            generator.start, generator.number, generator.interval = 30 * draws.random(), 8, 5 + draws.random()
            connection = h.NetCon(generator, synapse)
            connection.weight[0], connection.delay = 0.05, 0.5 + draws.random()
            connection.weight[1], connection.weight[2] = 0.5 + draws.random(), 2 + 4 * draws.random()
            kept += [generator, connection]
        clamp = h.IClamp(cell.soma[0](0.5))
        clamp.delay, clamp.dur, clamp.amp = 5, 50, 1.5
        kept.append(clamp)
    h.celsius = 12
    watched = [cell.soma[0](0.5) for cell in cells]
    watched += [draws.choice(list(cell.all))(draws.random()) for cell in cells for _ in range(4)]
    return watched, [(cell.soma[0], 0) for cell in cells], (cells, kept)


def compare(name, session, duration):
    h.celsius, h.v_init, h.dt, h.tstop = 6.3, -65, 0.025, duration
    watched, detected, kept = session()
    times, numbers = h.Vector(), h.Vector()
    detectors = []
    for number, (section, threshold) in enumerate(detected):
        detectors.append(h.NetCon(section(0.5)._ref_v, None, sec=section))
        detectors[-1].threshold = threshold
        detectors[-1].record(times, numbers, number)
    traces = [h.Vector().record(segment._ref_v) for segment in watched]
    model = hillock.neuron.model(record=watched)
    results = hillock.run(model, progress=False)
    h.run()
    spikes = sorted(time for of in results.spikes.values() for time in of.times)
    apart = 0.0
    for i, trace in enumerate(traces):
        ours = results[f"v{i}"].data[:, 0]
        apart = max(apart, np.abs(np.array(trace)[:len(ours)] - ours).max())
    same = np.array_equal(np.rint(np.array(spikes) / h.dt), np.rint(np.sort(list(times)) / h.dt))
    good = same and len(spikes) > 0 and apart <= MOST_MV
    print(f"{'ok' if good else 'WRONG'}: {name}: {len(spikes)} spikes, {len(times)} of NEURON's"
          f"{'' if same else ', other times'}; voltages at most {apart:.2g} mV apart")
    return good


def refuse(name, words, change):
    """One ring, changed: refused in these words, and NEURON runs on as if nobody had asked."""
    h.celsius, h.v_init, h.dt, h.tstop = 6.3, -65, 0.025, 5
    _, _, kept = ring()
    undo = change(*kept)
    try:
        hillock.neuron.model()
        text = "taken"
    except hillock.neuron.Refused as refused:
        text = str(refused)
    finally:
        if callable(undo):
            undo()
    good = re.search(words, text) is not None
    print(f"{'ok' if good else 'WRONG'}: refused: {name}" + ("" if good else f": {text}"))
    return good


def variable_steps(*_):
    h.cvode.active(True)
    return lambda: h.cvode.active(False)


def first_order(*_):
    h.secondorder = 1

    def undo():
        h.secondorder = 0
    return undo


def noise(_, __, generator, *___):
    generator.noise = 0.5


def no_delay(cells, kept, *_):
    generator = h.NetStim()
    kept += [generator, h.NetCon(generator, cells[0].excited)]
    kept[-1].delay = 0


def two_places(cells, kept, *_):
    for section in cells[0].dend[:2]:
        kept.append(h.NetCon(section(0.5)._ref_v, cells[1].excited, sec=section))
        kept[-1].delay = 0


def warmed_up(cells, *_):
    h("proc init() { finitialize(v_init) while (t < 1) { fadvance() } t = 0 }")
    return lambda: h("proc init() { finitialize(v_init) }")


def handler(cells, *_):
    def other_voltage():
        cells[3].dend[1](0.5).v = -70
    kept = h.FInitializeHandler(0, other_voltage)
    return lambda: kept and None


def c_code(cells, kept, *_):
    kept.append(h.in_c(cells[0].soma(0.5)))


def outside_layer(cells, *_):
    h.nlayer_extracellular(3)
    cells[0].soma.insert("extracellular")


def main():
    h.load_file("stdrun.hoc")
    h.load_file("import3d.hoc")
    with tempfile.TemporaryDirectory(prefix="hillock-peer-") as folder:
        names = [f"mechanisms/catalogue/{name}.mod" for name in ("cal", "capool", "sk", "ih", "kdr")]
        files = [ROOT / name for name in [*names, "tests/peer/mechanisms/given_arguments.mod"]]
        files.append(pathlib.Path(folder) / "in_c.mod")
        files[-1].write_text(IN_C)
        neuron_mods.load(h, files, pathlib.Path(folder) / "mods")
        good = [compare("a ring of cells of two shapes", ring, 100),
                compare("pyramidal cells with calcium", pyramids, 60)]
    good += [refuse("variable steps", "CVode is active", variable_steps),
             refuse("an integrator", "secondorder is 1", first_order),
             refuse("a generator with noise", "NetStim with noise", noise),
             refuse("a NetCon without delay", "its delay of 0 ms is shorter than dt", no_delay),
             refuse("a cell that spikes at two places without delay", "is not the only place of spikes", two_places),
             refuse("an init() that warms up", r"init\(\) of the script changes", warmed_up),
             refuse("a handler that sets a voltage", "begins at -70 mV, not at v_init", handler),
             refuse("a point process in C", r"in_c\.mod:6:9.*, in \S*soma", c_code),
             refuse("three layers outside the membrane", r"NEURON has 3 layers", outside_layer)]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
