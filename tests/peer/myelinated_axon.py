#!/usr/bin/python3
"""Fibres of examples/myelinated_axon (double cables after McIntyre, Richardson and Grill 2002) beside NEURON, built
there branch by branch with the same text of the node: voltages inside and under the myelin while a pulse outside makes
a spike, conduction velocity, and the threshold of the pulse.

Tolerance: 1e-8 mV; 0.1 % of velocities and thresholds.
"""

import pathlib
import sys

import neuron_mods
from parity import REPOSITORY, Run, Session

import numpy as np  # after parity, which says what is missing

EXAMPLE = REPOSITORY / "examples/myelinated_axon"
sys.path.insert(0, str(EXAMPLE))
import make  # noqa: E402

RUN = Run(3.0, dt=0.005, temperature=37.0, v_init=-80.0)
DIAMETERS = (5.7, 10.0, 16.0)
DISTANCE_MM, WIDTH_MS, PRECISION = 1.0, 0.1, 1e-3
VARIABLES = {"v": "v", "e": "vext[0]"}


def number(text):
    return float(text.split()[0])


class Twin:
    """The fibre of a model in NEURON."""

    def __init__(self, h, model):
        self.h = h
        cell = model["cells"]["fibre"]
        self.sections = {}
        for branch in cell["morphology"]["branches"]:
            self._add(branch)
        for name, section in self.sections.items():
            self._paint(section, cell["regions"][name.partition("[")[0]])
        self.segments = [segment for section in self.sections.values() for segment in section]
        self.at_unit = self._potentials(model)

    def _add(self, branch):
        section = self.h.Section(name=branch["name"])
        section.L, section.diam = number(branch["length"]), number(branch["diameter"])
        section.nseg = branch.get("compartments", 1)
        if "parent" in branch:
            section.connect(self.sections[branch["parent"]](1))
        self.sections[branch["name"]] = section

    def _paint(self, section, region):
        section.cm, section.Ra = number(region["cm"]), number(region["Ra"])
        section.insert("extracellular")
        layer = region["extracellular"][0]
        for segment in section:
            segment.xraxial[0], segment.xg[0], segment.xc[0] = (number(layer[key]) for key in ("xraxial", "xg", "xc"))
        if "pas" in region:
            section.insert("pas")
            section.g_pas, section.e_pas = number(region["pas"]["g"]), number(region["pas"]["e"])
        else:
            section.insert("axnode")
            section.ena, section.ek = (number(region["ions"][ion]["e"]) for ion in ("na", "k"))

    def _potentials(self, model):
        """[segment] mV of the electrode's current: nA, um and S/m make 1e-3 V m / m."""
        field = model["stimuli"][0]["field"]
        x, y = (number(text) for text in field["points"][0][:2])
        _, of_fibre, _ = (number(text) for text in model["populations"]["fibres"]["positions"]["list"][0])
        begin, centres = 0.0, []
        for section in self.sections.values():
            centres += [begin + segment.x * section.L for segment in section]
            begin += section.L
        far_um = np.hypot(np.array(centres) - x, of_fibre - y)
        return 1e3 * number(field["current"]) / (4 * np.pi * number(field["conductivity"]) * far_um)

    def run(self, scale, recorded=()):
        """(whether the last but one node spikes, {variable: [sample][segment]})"""
        h = self.h
        vectors = {name: [h.Vector().record(getattr(segment, "_ref_v") if name == "v" else segment._ref_vext[0])
                          for segment in self.segments] for name in recorded}
        last = list(self.sections)[-7]
        counter = h.APCount(self.sections[last](0.5))
        counter.thresh = -20
        h.celsius, h.secondorder, h.dt = RUN.temperature, 0, RUN.dt
        h.finitialize(RUN.v_init)
        changes = {round(1 / RUN.dt): scale, round((1 + WIDTH_MS) / RUN.dt): 0.0}
        for step in range(RUN.steps):
            if step in changes:
                for segment, mV in zip(self.segments, self.at_unit):
                    segment.e_extracellular = mV * changes[step]
            h.fadvance()
            if not recorded and counter.n:
                break
        assert last.startswith("node")
        return counter.n > 0, {name: np.array([np.array(vector) for vector in of]).T[:RUN.steps]
                               for name, of in vectors.items()}

    def threshold(self, precision=PRECISION, first=10.0):
        """(does not spike, spikes): doublings first, then halves"""
        below, above = 0.0, first
        while not self.run(above)[0]:
            below, above = above, 2 * above
        while above - below > precision * above:
            middle = np.sqrt(below * above) if below else above / 2
            below, above = (below, middle) if self.run(middle)[0] else (middle, above)
        return below, above


def recording(model):
    model["record"] = [{"name": "spikes", "of": "fibres"}] + [
        {"name": name, "of": "fibres", "variable": variable, "at": "all", "every": f"{RUN.dt} ms", "type": "float64"}
        for name, variable in VARIABLES.items()]
    return model


def velocity(fibre, names, voltages):
    """m/s away from the middle node, by where voltages pass -20 mV upwards"""
    def passes(name):
        v = voltages[:, names.index(name)]
        after = np.flatnonzero((v[1:] >= -20) & (v[:-1] < -20))[0]
        return (after + (-20 - v[after]) / (v[after + 1] - v[after])) * RUN.dt
    first, last = fibre.nodes // 2 + 2, fibre.nodes - 4
    return (last - first) * fibre.spacing * 1e-3 / (passes(f"node[{last}]") - passes(f"node[{first}]"))


def segment_names(model):
    return [branch["name"] for branch in model["cells"]["fibre"]["morphology"]["branches"]
            for _ in range(branch.get("compartments", 1))]


def model_of(fibre, scales):
    """A fibre for each."""
    return make.model(fibre, [DISTANCE_MM] * len(scales), {"list": list(scales)}, WIDTH_MS, RUN.duration)


def compare(session, diameter):
    case = f"{diameter:g} um"
    fibre = make.Fibre(diameter)
    twin = Twin(session.neuron, model_of(fibre, [1.0]))
    below, above = twin.threshold()
    _, theirs = twin.run(1.2 * above, VARIABLES)
    names = segment_names(model_of(fibre, [1.0]))
    output = session.hillock(recording(model_of(fibre, [1.2 * above])), f"traces{diameter:g}")
    ours = {name: output.trace(name, "fibres")[1] for name in VARIABLES}
    for name, variable in VARIABLES.items():
        session.same_trace(case, variable, ours[name], theirs[name], 1e-8)
    session.within(case, "- range of v", -np.ptp(ours["v"]), -100, "mV")
    fast, also = velocity(fibre, names, ours["v"]), velocity(fibre, names, theirs["v"])
    session.within(case, f"|difference| from {also:.2f} m/s", abs(fast / also - 1), PRECISION)
    spikes = session.hillock(model_of(fibre, [below, above]), f"thresholds{diameter:g}").spikes("fibres")
    session.equal(case, f"fibres that spike of {below:.3f} and {above:.3f} times 10 uA", sorted(spikes), [1])


def main():
    session = Session(__doc__.splitlines()[0])
    neuron_mods.load(session.neuron, [EXAMPLE / "axnode.mod"], pathlib.Path(session.folder) / "mods")
    for diameter in DIAMETERS:
        compare(session, diameter)
    session.finish()


if __name__ == "__main__":
    main()
