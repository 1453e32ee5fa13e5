"""What point processes of a session read of elsewhere: by a POINTER, or by ParallelContext's target_var."""

from __future__ import annotations

import re

from ._errors import Refused
from ._neuron_hand_over import VOLTAGE, is_9
from ._neuron_mechanisms import kinds_of, named_behind
from ._neuron_numbers import address_of


def check_pointers(h):
    """NEURON 8.2 loses POINTERs to other than voltages where it lays its numbers out for a hand-over, and the process
    ends when it reads them. Raises Refused."""
    if is_9() or h.CVode().cache_efficient():
        return
    read, of_mechanisms = {}, []
    for name, code, is_point, _ in kinds_of(h):
        pointers = named_behind(code, "POINTER") if code else None
        if pointers:
            read[name] = pointers
            of_mechanisms += [(instance, name) for instance in (h.List(name) if is_point else _inserted(h, name))]
    if not of_mechanisms:
        return
    voltages = {address_of(segment._ref_v) for section in h.allsec() for segment in section.allseg()}
    lost = {f"{name}: its POINTER {pointer} stands for other than a voltage, which NEURON 8.2 does not hand over (9.0 "
            "does)" for instance, name in of_mechanisms for pointer in sorted(read[name])
            if (there := _pointer(instance, pointer)) is None or address_of(there) not in voltages}
    if lost:
        raise Refused(sorted(lost))


def _inserted(h, name):
    return [getattr(segment, name) for section in h.allsec() if section.has_membrane(name) for segment in section]


def _pointer(instance, name):
    try:
        return getattr(instance, f"_ref_{name}")
    except Exception:  # it stands for nothing yet
        return None


class Junctions:
    """rows: {((population, mechanism) of the points, source's population, variable or None of a voltage): [(point,
    cell, branch, position)]}. peers: {mechanism: the name in its file of what is read}. values: {(population,
    mechanism): {point: what it is now}}. problems: why some cannot be taken."""

    def __init__(self, places):
        self._places = places
        self.rows, self.peers, self.values, self.problems = {}, {}, {}, []
        for type_, instances in places.numbers.instances.items():
            if instances.pointer_kinds.size:
                self._add_pointers(type_, instances)
        self._add_targets()

    def _add_pointers(self, type_, instances):
        places = self._places
        name = places.hand_over.names[type_]
        code = places.session.text_of(name)
        pointers = sorted(named_behind(code, "POINTER"))
        if len(pointers) != 1:
            return self.problems.append(f"{name}: it has the POINTERs {', '.join(pointers)}, and one is taken")
        at = instances.pointers[:, self._place_of_pointer(code)]
        for instance, (kind, index) in enumerate(zip(instances.pointer_kinds.tolist(), at.tolist())):
            self._join(type_, instance, pointers[0], kind,
                       places.numbers.index_of_pointer(type_, instance, kind, index))

    def _place_of_pointer(self, code):
        """Behind area, the point process itself, and what NEURON keeps of ions."""
        place = 2
        for ion, text in re.findall(r"\bUSEION\s+(\w+)([^\n}]*)", code):
            read, written = named_behind(text, "READ"), named_behind(text, "WRITE")
            writes_current = f"i{ion}" in written
            # Each variable, the current's slope, the style of an ion whose concentration is written.
            place += len(read | written) + writes_current + (len(written) > writes_current)
        return place

    def _add_targets(self):
        places = self._places
        if not places.hand_over.has_gaps:
            return
        sources, targets = places.numbers.transfers()
        of_id = {id_: (kind, index) for id_, kind, index in sources}
        for id_, type_, index in targets:
            instance, offset = divmod(index, places.numbers.instances[type_].data.shape[1])
            variable = places.named(places.hand_over.names[type_], offset)
            if id_ not in of_id or variable is None:
                self.problems.append(f"{places.hand_over.names[type_]}: target_var with a source id, {id_}, that is "
                                     "nobody's, or of a number that is none of its variables")
            else:
                self._join(type_, instance, variable, *of_id[id_])

    def _join(self, type_, instance, variable, kind, index):
        places = self._places
        name = places.hand_over.names[type_]
        listed = places.point_of(type_, instance)
        if not listed:
            return self.problems.append(f"{name}: what reads elsewhere is no point process of a cell")
        if self.peers.setdefault(name, variable) != variable:
            return self.problems.append(f"{name}: it reads elsewhere with {self.peers[name]} and with {variable}")
        if kind == VOLTAGE:
            node, reads, value = index, None, places.numbers.v[index]
        else:
            of = places.numbers.instances[kind]
            source, offset = divmod(index, of.data.shape[1])
            mechanism, value = places.hand_over.names[kind], of.data[source, offset]
            bare = places.named(mechanism, offset)
            if of.nodes is None or bare is None:
                return self.problems.append(f"{name}: its {variable} stands for a number of {mechanism} that is no "
                                            "variable of a cell")
            node = int(of.nodes[source])
            reads = bare if mechanism.endswith("_ion") else f"{mechanism}.{bare}"
        segment = places.session.segment_at(node)
        of_source = places.session.place_on_cell(segment)
        key, point = listed
        self.rows.setdefault((key, of_source[0], reads), []).append((point, *of_source[1:]))
        self.values.setdefault(key, {})[point] = value
