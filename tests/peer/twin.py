"""One description of a cell, written as a Hillock model and built in NEURON.

Not here: running and comparing (parity.py).
"""

import dataclasses
import re

# Units in which NEURON takes a parameter; the same text goes into the model file.
UNITS = {"gnabar": "S/cm2", "gkbar": "S/cm2", "gl": "S/cm2", "g": "S/cm2", "el": "mV", "e": "mV",
         "vt": "mV", "tau": "ms", "tau1": "ms", "tau2": "ms", "cm": "uF/cm2", "Ra": "ohm.cm", "gbar": "S/cm2",
         "gamma": "1", "decay": "ms", "depth": "um"}


def quantity(name, value):
    return value if UNITS[name] == "1" else f"{value!r} {UNITS[name]}"


def mechanism(name, **parameters):
    """{hh: {gl: 0.0003 S/cm2}}, as a model file has it."""
    return {name: {key: quantity(key, value) for key, value in parameters.items()}}


@dataclasses.dataclass
class Branch:
    """A stylised branch: a cylinder, or with two diameters a cone. Or points in place of those."""

    name: str
    length: float
    diameter: object  # um, or (at 0, at 1)
    parent: str = None
    at: float = 1
    compartments: int = 1
    points: list = None  # [(x, y, z, diameter)] in um

    def model(self):
        d = self.diameter
        entry = {"name": self.name, "compartments": self.compartments}
        if self.points:
            entry |= {"points": [list(point) for point in self.points], "unit": "um"}
        else:
            entry |= {"length": f"{self.length!r} um",
                      "diameter": [f"{x!r} um" for x in d] if isinstance(d, tuple) else f"{d!r} um"}
        if self.parent is not None:
            entry |= {"parent": self.parent, "at": self.at}
        return entry


@dataclasses.dataclass
class Cell:
    """Branches or an SWC file, and what stands in which region (later entries win).

    regions: [(region, {"cm": 1.0, "Ra": 100.0, "hh": {"gnabar": 0.12}, "ions": {"k": -90.0}})]
    """

    regions: list
    branches: list = None
    swc: object = None
    detector: tuple = ("soma(0.5)", -10.0)

    def model(self):
        regions = {}
        for name, content in self.regions:
            regions[name] = {}
            for key, value in content.items():
                if key == "ions":
                    value = {ion: {"e": f"{e!r} mV"} for ion, e in value.items()}
                elif isinstance(value, dict):
                    value = mechanism(key, **value)[key]
                else:
                    value = quantity(key, value)
                regions[name][key] = value
        cell = {"regions": regions,
                "detector": {"at": self.detector[0], "threshold": f"{self.detector[1]!r} mV"}}
        if self.swc:
            cell["morphology"] = {"swc": str(self.swc), "soma": "neuron8"}
            cell["discretization"] = {"d_lambda": 0.1}
        else:
            cell["morphology"] = {"branches": [branch.model() for branch in self.branches]}
            cell["discretization"] = {"per_branch": 1}
        return cell

    def build(self, h):
        return NeuronCell(h, self)


class NeuronCell:
    """The same cell in NEURON. sections: in file order, by the names Hillock gives them."""

    def __init__(self, h, cell):
        self.h, self.cell = h, cell
        self.sections = self._import(cell.swc) if cell.swc else self._connect(cell.branches)
        for region, content in cell.regions:
            for name, section in self.sections.items():
                if region in ("all", name, region_of(name)):
                    self._paint(section, content)
        if cell.swc:
            for section in self.sections.values():  # NEURON's rule of thumb, as its GUI applies it
                length = section.L / (0.1 * h.lambda_f(100, sec=section))
                section.nseg = int((length + 0.9) / 2) * 2 + 1

    def _connect(self, branches):
        sections = {}
        for branch in branches:
            section = self.h.Section(name=branch.name, cell=self)
            points = branch.points
            if isinstance(branch.diameter, tuple):
                points = [(0, 0, 0, branch.diameter[0]), (branch.length, 0, 0, branch.diameter[1])]
            if points:
                for point in points:
                    self.h.pt3dadd(*point, sec=section)
            else:
                section.L, section.diam = branch.length, branch.diameter
            section.nseg = branch.compartments
            if branch.parent is not None:
                section.connect(sections[branch.parent](branch.at), 0)
            sections[branch.name] = section
        return sections

    def _import(self, path):
        self.h.load_file("import3d.hoc")
        reader = self.h.Import3d_SWC_read()
        reader.quiet = 1
        reader.input(str(path))
        self.h.Import3d_GUI(reader, 0).instantiate(self)
        sections = {section.name().split(".")[-1]: section for section in self.all}
        self.aliases = {name.replace("dend_", "tag"): name for name in sections}  # SWC's types from 5 on
        return sections

    def _paint(self, section, content):
        """Parameters are uniform in a section, so a later nseg copies them."""
        for key, value in content.items():
            if not isinstance(value, dict):
                setattr(section, key, value)
            elif key == "hh_traub":
                insert_hh_traub(self.h, section, **value)
            elif key != "ions":
                section.insert(key)
                for parameter, number in value.items():
                    setattr(section, f"{parameter}_{key}", number)
        for ion, reversal in content.get("ions", {}).items():
            setattr(section, f"e{ion}", reversal)

    def segment(self, place):
        """soma(0.5), dend[3](0.5)"""
        name, position = re.fullmatch(r"(.+)\(([0-9.]+)\)", place).groups()
        name = getattr(self, "aliases", {}).get(name, name)
        if name not in self.sections:
            name += "[0]"
        return self.sections[name](float(position))

    def synapse(self, place, kind, **parameters):
        names = {"expsyn": "ExpSyn", "exp2syn": "Exp2Syn"}
        point = getattr(self.h, names[kind])(self.segment(place))
        for key, value in parameters.items():
            setattr(point, key, value)
        return point

    def connection(self, target):
        """A NetCon from this cell's detector to a synapse, or to nothing."""
        segment = self.segment(self.cell.detector[0])
        made = self.h.NetCon(segment._ref_v, target, sec=segment.sec)
        made.threshold = self.cell.detector[1]
        return made

    def record(self, *places):
        return [self.h.Vector().record(self.segment(place)._ref_v) for place in places]


def region_of(name):
    return name.split("[")[0]


_hh_traub = {}


def insert_hh_traub(h, section, gnabar, gkbar, vt):
    """The Traub and Miles channels of Brette et al. (2007), benchmark 3, as NEURON's run-time channels.

    Rates with u = v - vt, in 1/ms:
      alpha_m = 0.32 (13 - u) / (exp((13 - u)/4) - 1)     beta_m = 0.28 (u - 40) / (exp((u - 40)/5) - 1)
      alpha_h = 0.128 exp((17 - u)/18)                    beta_h = 4 / (1 + exp((40 - u)/5))
      alpha_n = 0.032 (15 - u) / (exp((15 - u)/5) - 1)    beta_n = 0.5 exp((10 - u)/40)
    NEURON writes them with y = k (v - d) as A exp(y), A y / (1 - exp(-y)) and A / (1 + exp(y)).
    """
    exponential, linoid, sigmoid = 2, 3, 4
    if vt not in _hh_traub:
        made = []
        for ion, gates in (("na", [(3, (linoid, 0.32 * 4, 1 / 4, 13), (linoid, 0.28 * 5, -1 / 5, 40)),
                                   (1, (exponential, 0.128, -1 / 18, 17), (sigmoid, 4, -1 / 5, 40))]),
                           ("k", [(4, (linoid, 0.032 * 5, 1 / 5, 15), (exponential, 0.5, -1 / 40, 10))])):
            channel = h.KSChan(0)
            channel.name(f"traub{len(_hh_traub)}{ion}")
            channel.ion(ion)
            channel.iv_type(0)
            channel.gmax(0)
            for number, (power, *rates) in enumerate(gates):
                channel.add_hhstate("mhn"[number + 2 * (ion == "k")])
                channel.gate(number).power(power)
                for which, (kind, scale, slope, shift) in enumerate(rates):
                    channel.trans(number).set_f(which, kind, h.Vector([scale, slope, vt + shift]))
            made.append(channel)
        _hh_traub[vt] = made
    for channel, g in zip(_hh_traub[vt], (gnabar, gkbar)):
        section.insert(channel.name())
        setattr(section, f"gmax_{channel.name()}", g)
