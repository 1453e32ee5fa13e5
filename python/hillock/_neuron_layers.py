"""Extracellular layers of a session of NEURON (`extracellular`): what they are made of, the potentials in them, what
acts on them from outside, and what is recorded of them.

NEURON hands no session over that has some. So they are read, and set aside meanwhile (`set_aside`).
"""

from __future__ import annotations

import contextlib
import ctypes
import functools

import numpy as np

from ._errors import Refused
from ._neuron_library import POINTER_AT, WORD, double_p, is_9, lay_out, library, words_at

MECHANISM = "extracellular"
_most = 2
#: What NEURON keeps of a pointer of hoc's is an address, in 9.0 words of a handle.
_words_of_handle = 5
#: A Vector is played along a line where each of its numbers is so near to it, of the largest one.
_nearly = 4e-16


def is_used(h):
    """Whether some section has layers."""
    return any(section.has_membrane(MECHANISM) for section in h.allsec())


class _Surrounded:
    """A section's: layers [segment, layer] of xraxial, xg and xc, MOhm/cm, S/cm2, uF/cm2; outside [segment], mV;
    area [segment], um2; at: {position: address of vext[0]}, behind which the next layer's is."""

    def __init__(self, section, count):
        segments = list(section)
        self.layers = {name: np.array([[getattr(segment, name)[k] for k in range(count)] for segment in segments])
                       for name in ("xraxial", "xg", "xc")}
        self.outside = np.array([segment.e_extracellular for segment in segments])
        self.area = np.array([segment.area() for segment in segments])
        far = 0 if section.orientation() else 1
        places = [segment.x for segment in segments] + [far] + ([] if section.parentseg() else [1 - far])
        self.at = {x: _address(section(x)._ref_vext[0]) for x in places}


class Layers:
    """Those of a session as they are now. count: of layers; sections: {section: what it has}; problems: why they cannot
    be taken. recorded: [(Vector, segment, variable, factor)] of what is recorded of them; played: {what NEURON has of a
    Vector's target while they are aside: segment}."""

    def __init__(self, h):
        self.count, self.problems = int(h.nlayer_extracellular()), []
        self._h, self.recorded, self._targets, self._hidden = h, [], {}, []
        if self.count > _most:
            self.problems.append(f"extracellular: NEURON has {self.count} layers (nlayer_extracellular), and there are "
                                 "one or two here")
            self.sections = {}
            return
        if h.secondorder != 0:
            self.problems.append("extracellular with secondorder: NEURON's vext goes half as far as its v")
        self.sections = {section: _Surrounded(section, self.count) for section in h.allsec()
                         if section.has_membrane(MECHANISM)}

    def of_branches(self, tree):
        """[branch] of a cell's that have some."""
        return [branch for branch, section in enumerate(tree.sections) if section in self.sections]

    # What is recorded and played.

    def find_uses(self, uses, pointers):
        """uses: uses_of_vectors(); pointers: pointers_of()."""
        self.problems += dict.fromkeys(
            f"{name}: its POINTER {pointer} stands for {found[1]}, of extracellular layers"
            for name, pointer, there, _ in pointers if there is not None and (found := self._at(_words_of(there))))
        for vector, kind, player in uses:
            words = words_at(player + WORD)
            found = self._variables.get(words) if kind == 3 else self._at(words)
            if not found:
                continue
            segment, variable = found
            if kind == 3 and variable not in ("i_membrane", *(f"vext[{layer}]" for layer in range(self.count))):
                self.problems.append(f"Vector.record of {variable} of {segment}")
            elif kind == 3:
                factor = 100 / segment.area() if variable == "i_membrane" else 1.0  # nA to mA/cm2
                self.recorded.append((vector, segment, variable, factor))
            elif variable != "e_extracellular":
                self.problems.append(f"Vector.play into {variable} of {segment}")
            elif kind == 2:
                self.problems.append(f"Vector.play in steps into e_extracellular of {segment}")
            else:
                self._targets[_key(segment)] = segment, player

    def _at(self, words):
        return self._variables.get(words) or self._parameters.get(words)

    @functools.cached_property
    def _variables(self):
        """{what NEURON has of it: (segment, variable)} of potentials and currents."""
        found = {}
        for section, of in self.sections.items():
            for x, address in of.at.items():
                for layer in range(self.count):
                    found[_words_of_address(address + layer * 8)] = section(x), f"vext[{layer}]"
            for segment in section:
                for name in ("i_membrane", "e_extracellular"):
                    found[_words_of(getattr(segment, f"_ref_{name}"))] = segment, name
        return found

    @functools.cached_property
    def _parameters(self):
        """The same of what the layers are made of, which takes as long again."""
        return {_words_of(getattr(segment, f"_ref_{name}")[layer]): (segment, name)
                for section in self.sections for segment in section
                for name in ("xraxial", "xg", "xc") for layer in range(self.count)}

    def is_played(self, segment):
        """Whether a Vector is played into its e_extracellular."""
        return _key(segment) in self._targets

    def players(self):
        """What NEURON has of Vectors that play into e_extracellular."""
        return {player for _, player in self._targets.values()}

    def _hide_targets(self):
        """What plays into e_extracellular plays into cm meanwhile, which NEURON can hand over."""
        for segment, player in self._targets.values():
            begin, pointer = player + WORD, segment._ref_cm
            known = ctypes.string_at(begin, _size_of_handle())
            self._hidden.append((begin, known, pointer))
            ctypes.memmove(begin, id(pointer) + POINTER_AT, len(known))

    def _show_targets(self):
        while self._hidden:
            begin, known, _ = self._hidden.pop()
            ctypes.memmove(begin, known, len(known))

    # What a model has of them.

    def rows(self, cells, name, layer):
        """[cell, compartment] of xraxial, xg or xc of a layer, NaN where there is none."""
        return self._rows(cells, lambda of, section: of.layers[name][:, layer], np.nan)

    def outside(self, cells):
        """[cell, compartment] of e_extracellular that stays as it is, 0 elsewhere."""
        return self._rows(cells, lambda of, section: np.array(
            [0.0 if self.is_played(segment) else mV for segment, mV in zip(section, of.outside)]), 0.0)

    def _rows(self, cells, numbers_of, elsewhere):
        rows = np.full((len(cells), cells[0].tree.first[-1]), elsewhere)
        for row, cell in zip(rows, cells):
            tree = cell.tree
            for branch in cell.surrounded:
                numbers = numbers_of(self.sections[tree.sections[branch]], tree.sections[branch])
                row[tree.first[branch]:tree.first[branch + 1]] = numbers[::-1] if tree.flipped[branch] else numbers
        return rows

    # The potentials in them, as NEURON has them.

    def potentials(self, cells):
        """{node: pointer to vext[0]} of some cells."""
        return {cell.tree.node(section(x)): ctypes.cast(address, double_p) for cell in cells
                for section in (cell.tree.sections[branch] for branch in cell.surrounded)
                for x, address in self.sections[section].at.items()}

    def give_recorded(self, column_of):
        """Vectors get what was recorded. column_of(segment, variable) has it, [step]."""
        for vector, segment, variable, factor in self.recorded:
            vector.append(self._h.Vector(np.ascontiguousarray(factor * column_of(segment, variable), float)))

    # Aside.

    @contextlib.contextmanager
    def set_aside(self, lay_out_numbers, is_last):
        """NEURON hands the session over as if it had none. lay_out_numbers(): as it hands them over, where this is the
        last to go. put_back() may come before the end."""
        try:
            if library().hillock_set_layers_aside() < 0:
                raise Refused(["extracellular: this NEURON keeps its layers in another way than is known, or has "
                               "several threads"])
            if is_last:
                lay_out_numbers()
                lay_out()
            self._hide_targets()
            yield
        finally:
            self.put_back()

    def put_back(self):
        """They are there again, with the potentials that they have now."""
        self._show_targets()
        library().hillock_put_layers_back()
        lay_out()


class PlayedOutside:
    """What Vectors play into e_extracellular. rows: [(segment, times, values)], ms, mV."""

    def __init__(self, session):
        self._session, self.rows = session, []

    def add(self, segment, times, values):
        if times[0] > 0:  # before a Vector's first time NEURON has its first number
            times, values = np.append(0.0, times), np.append(values[0], values)
        self.rows.append((segment, times, values))

    def fields(self):
        """[(population's name, cell, {compartment: factor}, times, values)]: segments of a cell whose Vectors are
        multiples of one another are together."""
        groups = {}
        for segment, times, values in self.rows:
            population, number, cell = self._session.cell_at(segment)
            compartment = cell.tree.compartment(segment)
            known = groups.setdefault((population.name, number, times.tobytes()), [])
            for together, of in known:
                factor = _multiple(values, of)
                if factor is not None:
                    together[compartment] = factor
                    break
            else:
                known.append(({compartment: 1.0}, values))
        return [(name, number, together, np.frombuffer(times), of)
                for (name, number, times), known in groups.items() for together, of in known]


def _multiple(values, of):
    """How many times one row the other is, None where it is no multiple."""
    most = int(np.abs(of).argmax())
    if of[most] == 0:
        return 0.0 if not np.any(values) else None
    factor = values[most] / of[most]
    return factor if np.abs(values - factor * of).max() <= _nearly * np.abs(values).max() else None


def _key(segment):
    """Equal for what NEURON has as one."""
    return segment.sec, int(segment.x * segment.sec.nseg)


def _address(pointer):
    return _words_of(pointer)[1 if is_9() else 0]


def _size_of_handle():
    return WORD * (_words_of_handle if is_9() else 1)


def _words_of(pointer):
    """The same of one of hoc's."""
    return words_at(id(pointer) + POINTER_AT)


def _words_of_address(address):
    return (0, address, 1) if is_9() else (address,)
