"""What point processes of a session read of elsewhere: by a POINTER, or by ParallelContext's target_var."""

from __future__ import annotations

import re

from ._errors import Refused
from ._neuron_library import VOLTAGE, is_9
from ._neuron_mechanisms import kinds_of, named_behind, names_of, segments_with
from ._neuron_numbers import address_of
from ._neuron_session import ELSEWHERE

#: What reads on another rank, for whom a cell stands here.
READER = "HillockReader"


def check_pointers(h, left_out):
    """NEURON 8.2 loses POINTERs to other than voltages where it lays its numbers out for a hand-over, and the process
    ends when it reads them. left_out: mechanisms whose POINTERs are taken care of. Raises Refused."""
    if is_9() or h.CVode().cache_efficient():
        return
    pointers = list(pointers_of(h, left_out))
    if not pointers:
        return
    voltages = {address_of(segment._ref_v) for section in h.allsec() for segment in section.allseg()}
    lost = {f"{name}: its POINTER {pointer} stands for other than a voltage, which NEURON 8.2 does not hand over (9.0 "
            "does)" for name, pointer, there in pointers if there is None or address_of(there) not in voltages}
    if lost:
        raise Refused(sorted(lost))


def pointers_of(h, left_out=()):
    """(mechanism, POINTER, hoc's pointer to what it stands for, None where that is nothing) of all instances."""
    for name, code, is_point, _ in kinds_of(h):
        pointers = sorted(named_behind(code, "POINTER")) if code and name not in left_out else ()
        if pointers:
            of = h.List(name) if is_point else [getattr(segment, name) for segment in segments_with(h, name)]
            for instance in of:
                yield from ((name, pointer, _pointer(instance, pointer)) for pointer in pointers)


def _pointer(instance, name):
    try:
        return getattr(instance, f"_ref_{name}")
    except Exception:  # it stands for nothing yet
        return None


def numbers_of_points(h):
    """[(point process, name)] of all RANGE numbers, without arrays and what is elsewhere."""
    found = []
    for mechanism, code, is_point, is_cell in kinds_of(h):
        if is_point and not is_cell:
            elsewhere = named_behind(code or "", "POINTER", "BBCOREPOINTER", "RANDOM")
            names = [name for name, size in names_of(h, mechanism, 0) if size == 1 and name not in elsewhere]
            found += [(point, name) for point in h.List(mechanism) for name in names]
    return found


class Junctions:
    """rows: {((population, mechanism) of the points, source's population, variable or None of a voltage): [(point,
    cell, branch, position)]}. peers: {mechanism: the name in its file of what is read}. values: {(population,
    mechanism): {point: what it is now}}. problems: why some cannot be taken. readers: [READER] the cell elsewhere that
    it is on."""

    def __init__(self, places):
        self._places = places
        self._of_id = {}   # source_var's id: node
        self._wanted = []  # [(type, instance, variable, id)] of target_var, whose source is another rank's
        self.readers = []
        self.rows, self.peers, self.values, self.problems = {}, {}, {}, []
        for type_, instances in places.numbers.instances.items():
            if instances.pointer_kinds.size and places.hand_over.names[type_] not in places.session.left_out:
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
        for id_, kind, index in sources:
            if kind == VOLTAGE:
                self._of_id[id_] = index
            else:  # NEURON passes on what it was before the step's states went on
                self.problems.append(f"{places.hand_over.names[kind]}: source_var of a number that is no voltage")
        for id_, type_, index in targets:
            instance, offset = divmod(index, places.numbers.instances[type_].size)
            variable = places.named(places.hand_over.names[type_], offset)
            if variable is None:
                self.problems.append(f"{places.hand_over.names[type_]}: target_var of a number that is none of its "
                                     "variables")
            elif id_ in self._of_id:
                self._add(type_, instance, variable, self._place_of(self._of_id[id_]), None,
                          self._number_of(type_, instance, variable))
            else:
                self._wanted.append((type_, instance, variable, id_))

    def join_elsewhere(self, ranks, first):
        """What target_var reads of other ranks, and they of this one: cells elsewhere, from the number `first` on,
        stand for both. Returns [(cell, rank, number)] of what goes between it and that rank, a value with the same
        number on both."""
        wanted = ranks.all([id_ for *_, id_ in self._wanted])
        known = ranks.all(sorted(set(self._of_id) & set().union(*wanted)))
        rank_of = {id_: rank for rank, ids in enumerate(known) for id_ in ids}
        joins = []
        for number, (type_, instance, variable, id_) in enumerate(self._wanted):
            if id_ not in rank_of:
                self.problems.append(f"{self._places.hand_over.names[type_]}: target_var with a source id, {id_}, "
                                     "that is nobody's")
                continue
            self._add(type_, instance, variable, (ELSEWHERE, first + len(joins), 0, 0.5), None,
                      self._number_of(type_, instance, variable))
            joins.append((first + len(joins), rank_of[id_], number))
        for rank, ids in enumerate(wanted):
            for number, id_ in enumerate(ids):
                if rank == ranks.number or id_ not in self._of_id:
                    continue
                population, *place = self._place_of(self._of_id[id_])
                self.rows.setdefault(((ELSEWHERE, READER), population, None), []).append((len(self.readers), *place))
                self.readers.append(first + len(joins))
                joins.append((first + len(joins), rank, number))
        if self.readers:
            self.peers[READER] = "peer"
        return joins

    def _join(self, type_, instance, variable, kind, index):
        if found := self._find(f"{self._places.hand_over.names[type_]}: its {variable}", kind, index):
            self._add(type_, instance, variable, *found)

    def _find(self, who, kind, index):
        """((population, cell, branch, position), variable or None of a voltage, its value) of a number of NEURON's."""
        places = self._places
        if kind == VOLTAGE:
            node, reads, value = index, None, places.numbers.v[index]
        else:
            of = places.numbers.instances[kind]
            source, offset = divmod(index, of.size)
            mechanism, value = places.hand_over.names[kind], of.data[source, offset]
            bare = places.named(mechanism, offset)
            if of.nodes is None or bare is None:
                return self.problems.append(f"{who} stands for a number of {mechanism} that is no variable of a cell")
            node = int(of.nodes[source])
            reads = bare if mechanism.endswith("_ion") else f"{mechanism}.{bare}"
        return self._place_of(node), reads, value

    def _number_of(self, type_, instance, variable):
        """What NEURON brought there, which may be older than what its source has."""
        return self._places.numbers_of(self._places.hand_over.names[type_], variable)[instance]

    def _place_of(self, node):
        """(population, cell, branch, position)"""
        return self._places.session.place_on_cell(self._places.session.segment_at(node))

    def _add(self, type_, instance, variable, of_source, reads, value):
        name = self._places.hand_over.names[type_]
        listed = self._places.point_of(type_, instance)
        if not listed:
            return self.problems.append(f"{name}: what reads elsewhere is no point process of a cell")
        if self.peers.setdefault(name, variable) != variable:
            return self.problems.append(f"{name}: it reads elsewhere with {self.peers[name]} and with {variable}")
        key, point = listed
        self.rows.setdefault((key, of_source[0], reads), []).append((point, *of_source[1:]))
        self.values.setdefault(key, {})[point] = value
