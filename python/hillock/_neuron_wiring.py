"""LinearMechanisms of a session of NEURON, and LinearCircuits, which make some: C dy/dt + G y = b beside the equations
of voltages.

NEURON hands no session over that has some. So they are read, and are none of it meanwhile (`set_aside`).
"""

from __future__ import annotations

import contextlib
import ctypes

import numpy as np

from ._errors import Refused
from ._neuron_library import lay_out, library
from ._neuron_session import WIRES


def is_wired(h):
    """Whether there are LinearMechanisms."""
    return any(one.valid() for one in h.List("LinearMechanism"))


class _Mechanism:
    """One: c, g, y and b are hoc's, places how many of its unknowns are voltages."""

    def __init__(self, one, matrices, vectors):
        parts = (ctypes.c_void_p * 6)()
        self.places = library().hillock_linear_mechanism(ctypes.c_void_p(one.hocobjptr()), parts)
        (self.c, self.g), (self.y, self.b) = map(matrices.get, parts[:2]), map(vectors.get, parts[2:4])
        self.name, self._object, self.problem = one.hname(), one, None
        if not (self.c and self.g and self.y and self.b):
            self.problem = f"{self.name}: a Matrix or Vector of it is there no more"
        elif parts[4]:
            self.problem = f"{self.name}: it calls a function of Python's in every step"
        elif parts[5] and parts[5] not in vectors:
            self.problem = f"{self.name}: a Vector of it is there no more"
        self.layers = [0] * self.places  # 0: inside
        if parts[5] and not self.problem:
            self.layers = [int(layer) for layer in _numbers(vectors[parts[5]])[:self.places]]

    def nodes(self):
        """[place] NEURON's number."""
        numbers = (ctypes.c_int * max(1, self.places))()
        if not library().hillock_nodes_of_linear_mechanism(ctypes.c_void_p(self._object.hocobjptr()), numbers):
            raise Refused([f"{self.name}: one of its places is none of NEURON's nodes"])
        return list(numbers[:self.places])

    def terms(self):
        """[(equation, unknown, element of c, of g)]"""
        size = len(self.y)
        return [(i, j, c, g) for i in range(size) for j in range(size)
                for c, g in [(self.c.getval(i, j), self.g.getval(i, j))] if c or g]


class Wiring:
    """Those of a session as they are now. problems: why they cannot be taken. spots: [unknown] (population, cell,
    branch, position) of a voltage's, None of one of their own; layers: [unknown] in which extracellular layer that is, 0:
    inside. recorded: [(Vector, unknown)]."""

    def __init__(self, h):
        self._h = h
        self._objects = [one for one in h.List("LinearMechanism") if one.valid()]
        of_class = {name: {_what_is(one): one for one in h.List(name)} for name in ("Matrix", "Vector")}
        self._mechanisms = [_Mechanism(one, of_class["Matrix"], of_class["Vector"]) for one in self._objects]
        self.problems = [one.problem for one in self._mechanisms if one.problem]
        if h.secondorder != 0:
            self.problems.append("LinearMechanism: NEURON takes secondorder 0 alone with it")
        self.spots, self.layers, self._sources, self._terms, self.recorded = [], [], [], {}, []
        self._unknowns, self._nodes = [], []  # of each mechanism: [number of its y] unknown, and [place] node

    def _pointers(self):
        return (ctypes.c_void_p * len(self._objects))(*(one.hocobjptr() for one in self._objects))

    @contextlib.contextmanager
    def set_aside(self, lay_out_numbers, is_last):
        """NEURON hands the session over as if it had none. lay_out_numbers(): as it hands them over, where this is the
        last to go. put_back() may come before the end."""
        self._is_aside = False
        try:
            if not library().hillock_set_wiring_aside(len(self._objects), self._pointers()):
                raise Refused(["LinearMechanism: this NEURON keeps it in another way than is known, or has others' "
                               "equations, too"])
            self._is_aside = True
            if is_last:
                lay_out_numbers()
                lay_out()
            yield
        finally:
            self.put_back()

    def put_back(self):
        """They are there again."""
        if self._is_aside:
            library().hillock_put_wiring_back(len(self._objects), self._pointers())
            self._is_aside = False
            lay_out()

    def find_places(self, session):
        """Where they are, when NEURON's numbers lie as they are handed over."""
        known = {}
        for one in self._mechanisms:
            unknowns, nodes = [], one.nodes()
            self._nodes.append(nodes)
            areas = []  # of an equation's rows, in uS of S/cm2
            for number in range(len(one.y)):
                if number < len(nodes):
                    segment = session.segment_at(nodes[number])
                    areas.append((segment.area() or 100.0) / 100 * session.copies_at(segment))
                    layer = one.layers[number]
                    spot, key = session.place_on_cell(segment), (nodes[number], layer)
                else:
                    areas.append(1.0)
                    spot, key, layer = None, None, 0
                unknown = known.get(key)
                if unknown is None:
                    unknown = len(self.spots)
                    self.spots.append(spot)
                    self.layers.append(layer)
                    self._sources.append(0.0)
                    if key is not None:
                        known[key] = unknown
                unknowns.append(unknown)
                self._sources[unknown] += one.b.x[number] * areas[-1]
            for i, j, c, g in one.terms():
                at = unknowns[i], unknowns[j]
                before = self._terms.get(at, (0.0, 0.0))
                self._terms[at] = before[0] + c * areas[i], before[1] + g * areas[i]
            self._unknowns.append((unknowns, areas))

    @property
    def wires(self):
        """[cell of WIRES] its unknown."""
        return [unknown for unknown, spot in enumerate(self.spots) if spot is None]

    def values(self):
        """[cell of WIRES] what its unknown is now."""
        values = {unknown: one.y.x[number] for one, (unknowns, _) in zip(self._mechanisms, self._unknowns)
                  for number, unknown in enumerate(unknowns)}
        return np.array([values[unknown] for unknown in self.wires])

    def give_back(self, values, voltage):
        """values: [cell of WIRES]; voltage(node, layer) is a place's."""
        of_wires = dict(zip(self.wires, values.tolist()))
        for one, (unknowns, _), nodes in zip(self._mechanisms, self._unknowns, self._nodes):
            for number, unknown in enumerate(unknowns):
                one.y.x[number] = of_wires[unknown] if unknown in of_wires else \
                    voltage(nodes[number], one.layers[number])

    # What is recorded and played.

    def find_recorded(self, uses):
        """uses: uses_of_vectors()."""
        of_y = {address: unknown for one, (unknowns, _) in zip(self._mechanisms, self._unknowns)
                for address, unknown in zip(_addresses(one.y), unknowns)}
        for vector, kind, player in uses:
            address = library().hillock_recorded_at(ctypes.c_void_p(player)) if kind == 3 else None
            if address in of_y:
                self.recorded.append((vector, of_y[address]))

    def sources(self):
        """{address of a number of b: (unknown, factor of it)}"""
        return {address: (unknown, area) for one, (unknowns, areas) in zip(self._mechanisms, self._unknowns)
                for address, unknown, area in zip(_addresses(one.b), unknowns, areas)}

    def entry(self, played):
        """The model's. played: [(unknown, factor, times, values)] of what Vectors play into b."""
        populations = list(dict.fromkeys(spot[0] for spot in self.spots if spot)) + ([WIRES] if self.wires else [])
        of_wires = {unknown: cell for cell, unknown in enumerate(self.wires)}
        rows = [(populations.index(WIRES), of_wires[unknown], 0, 0.5, 1.0) if spot is None
                else (populations.index(spot[0]), *spot[1:], 0.0) for unknown, spot in enumerate(self.spots)]
        spots = dict(zip(("population", "cell", "branch", "position", "free"), map(np.array, zip(*rows))))
        spots["source"] = np.array(self._sources)
        if any(self.layers):
            spots["layer"] = np.array(self.layers)
        terms = [(*at, *numbers) for at, numbers in self._terms.items()]
        terms = dict(zip(("equation", "unknown", "c", "g"), np.array(terms, float).reshape(-1, 4).T))
        entry = {"on": populations, "spots": {"hdf5": spots}, "terms": {"hdf5": terms}}
        if played:
            entry["play"] = [{"spot": unknown, "csv": {"time": times, "value": values}}
                             for unknown, times, values in self._played(played)]
        return entry

    def _played(self, played):
        """Of an unknown's source all that is played into it, with what stays."""
        for unknown in dict.fromkeys(one[0] for one in played):
            of_it = [one for one in played if one[0] == unknown]
            if len(of_it) > 1:
                raise Refused(["several Vectors are played into the b of one place of LinearMechanisms"])
            _, factor, first, times, values = of_it[0]
            yield unknown, times, self._sources[unknown] + factor * (values - first)


def _what_is(one):
    return library().hillock_what_is(ctypes.c_void_p(one.hocobjptr()))


def _numbers(vector):
    return [vector.x[i] for i in range(len(vector))]


def _addresses(vector):
    """[number of it]"""
    size = len(vector)
    if not size:
        return []
    first = np.asarray(vector.as_numpy()).__array_interface__["data"][0]
    return [first + 8 * i for i in range(size)]
