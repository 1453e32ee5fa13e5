"""What point processes of a session read of elsewhere: by a POINTER, or by ParallelContext's target_var."""

from __future__ import annotations

import functools
import re
import typing

import numpy as np

from ._errors import Refused
from ._neuron_library import VOLTAGE, is_9, place_of_pointers, thread_of_number
from ._neuron_mechanisms import blocks_of, kinds_of, named_behind, names_of, segments_with
from ._neuron_session import ELSEWHERE
from ._neuron_turns import CURRENT, EVENT, OTHER, STATE, has_currents, turns_of

#: What reads on another rank, for whom a cell stands here.
READER = "HillockReader"


def check_pointers(h, left_out, problems):
    """NEURON ends the process where it is to hand over a POINTER to what is no number of a cell, or another thread's. Its
    numbers lie as it hands them over. left_out: mechanisms whose POINTERs are taken care of; problems: what is known to
    be in the way of others. Raises Refused."""
    threads, lost = int(h.ParallelContext().nthread()), set(problems)
    for name, pointer, there, segment in pointers_of(h, left_out):
        thread = there is not None and thread_of_number(there, threads)
        if not thread:
            lost.add(f"{name}: its POINTER {pointer} stands for " +
                     ("nothing" if there is None else "no number of a cell's"))
        elif segment is not None and threads > 1 and not is_9() and thread != thread_of_number(segment._ref_v, threads):
            lost.add(f"{name}: its POINTER {pointer} stands for a number of another of NEURON's threads")
    if lost:
        raise Refused(sorted(lost))


def pointers_of(h, left_out=()):
    """(mechanism, POINTER, hoc's pointer to what it stands for, None where that is nothing, segment or None) of all
    instances."""
    for name, code, is_point, is_cell in kinds_of(h):
        pointers = sorted(named_behind(code, "POINTER")) if code and name not in left_out else ()
        if pointers:
            of = h.List(name) if is_point else [getattr(segment, name) for segment in segments_with(h, name)]
            for instance in of:
                segment = None if is_cell else instance.get_segment() if is_point else instance.segment()
                if is_cell or segment is not None:
                    yield from ((name, pointer, _pointer(instance, pointer), segment) for pointer in pointers)


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


class _Found(typing.NamedTuple):
    """A voltage of a node, or a mechanism's variable there."""

    node: int
    mechanism: str | None
    bare: str | None
    value: float

    @property
    def reads(self):
        """As a model has it; None of a voltage."""
        if self.mechanism is None:
            return None
        return self.bare if self.mechanism.endswith("_ion") else f"{self.mechanism}.{self.bare}"


@functools.lru_cache(maxsize=None)
def _pointers_of(code):
    """[(name, whether it is no BBCOREPOINTER)] of a text, in its order, which is that in which NEURON keeps them."""
    text = " ".join(body for head, body in blocks_of(code) if head.split()[-1:] == ["NEURON"])
    return [(name, not word) for word, names in re.findall(r"\b(BBCORE)?POINTER\b\s*(\w+(?:\s*,\s*\w+)*)", text)
            for name in re.findall(r"\w+", names)]


class Junctions:
    """rows: {((population, mechanism) of the points, source's population, variable or None of a voltage): [(point,
    cell, branch, position)]}. peers: {mechanism: the name in its file of what is read}. values: {(population,
    mechanism): {point: what it is now}}. problems: why some cannot be taken. readers: [READER] the cell elsewhere that
    it is on. before: [(mechanism, POINTER)] whose states read what it was at the step's beginning. seers: {(population,
    name): [(cell, branch, position, what it sees)]} of points that see what is elsewhere for a membrane's mechanism
    that is there."""

    def __init__(self, places):
        self._places = places
        self._of_id = {}   # source_var's id: node
        self._counts = {}  # mechanism: [node] how many of its instances are there
        self._wanted = []  # [(type, instance, variable, id)] of target_var, whose source is another rank's
        self.readers, self.before, self.seers = [], [], {}
        self.rows, self.peers, self.values, self.direct, self.problems = {}, {}, {}, {}, []
        for type_, instances in places.numbers.instances.items():
            if instances.pointer_kinds.size and places.hand_over.names[type_] not in places.session.left_out:
                self._add_pointers(type_, instances)
        for name, of_last in places.of_last.items():
            self._add_last(name, of_last)
        self._add_targets()

    def _add_pointers(self, type_, instances):
        places = self._places
        name = places.hand_over.names[type_]
        listed = _pointers_of(places.session.text_of(name))
        mechanism = places.session.mechanism(name)
        used = set(mechanism.pointers) if mechanism else ()
        of_kinds = iter(instances.pointer_kinds.reshape(instances.count, -1).T.tolist())
        for place, (pointer, is_one) in enumerate(listed, place_of_pointers(type_)):
            kinds = next(of_kinds) if is_one else ()
            if pointer not in used:
                continue
            of = [(kind, places.numbers.index_of_pointer(type_, instance, kind, index))
                  for instance, (kind, index) in enumerate(zip(kinds, instances.pointers[:, place].tolist()))]
            found = [self._find(f"{name}: its {pointer}", *one) for one in of]
            if None in found or self._add_direct(type_, instances, pointer, found):
                continue
            if name not in places.session.points_known:
                self._add_seers(type_, instances, pointer, found)
            else:
                for instance, one in enumerate(found):
                    self._add(type_, instance, pointer, self._place_of(one.node), one.reads, one.value)
                self._check_turns(type_, pointer, found)

    def _add_direct(self, type_, instances, pointer, found):
        """Whether a model has all of a mechanism's POINTERs of a name as what is at their own places, read when NEURON
        reads it."""
        if instances.nodes is None or [one.node for one in found] != instances.nodes.tolist() or \
                any(one.mechanism in self._places.session.points_known and self._count_at(one) != 1 for one in found):
            return False
        if any(self._is_apart(type_, pointer, *one) for one in {(one.mechanism, one.bare) for one in found}):
            return False
        texts = {}
        for instance, one in enumerate(found):
            point = self._places.point_of(type_, instance)
            texts.setdefault(point[0] if point else (self._place_of(one.node)[0], self._name_of(type_)),
                             set()).add(one.reads or "v")
        if any(len(some) > 1 for some in texts.values()):
            return False
        for key, (text,) in texts.items():
            self.direct.setdefault(key, {})[pointer] = text
        return True

    def _add_seers(self, type_, instances, pointer, found):
        """A mechanism of a membrane reads by points at its places, which see what it was at the step's beginning."""
        name, text_of = self._name_of(type_), self._places.session.text_of
        reads, assigns = turns_of(text_of(name)).of(pointer)
        for mechanism, bare in {(one.mechanism, one.bare) for one in found}:
            meet = self._meet(name, pointer, mechanism, bare)
            if mechanism is None:
                is_other = STATE in reads
            elif mechanism.endswith("_ion"):
                is_changed = self._is_changed(mechanism[:-len("_ion")])
                is_other = meet or is_changed and (STATE in reads or bare.startswith("e"))
            else:
                _, assigned = turns_of(text_of(mechanism)).of(bare)
                is_first = self._comes_first(name, mechanism)
                is_other = (meet and not is_first) or meet & {EVENT, OTHER} or EVENT in assigned or \
                    (CURRENT in assigned and STATE in reads)
            if assigns or is_other or OTHER in reads:
                return self.problems.append(
                    f"{name}: its POINTER {pointer} stands for other than a number of its own place, the same "
                    "everywhere on cells of a kind, that is read in the order in which mechanisms are evaluated here, "
                    "and for other than what is elsewhere and was so at a step's beginning")
        self._see(name, pointer, instances, found)

    def _add_last(self, name, of_last):
        """All of a mechanism's places read of the last one."""
        places = self._places
        instances = places.numbers.instances[places.type_of[name]]
        node, mechanism = int(instances.nodes[-1]), places.session.mechanism(name)
        if places.numbers.count > 1:
            self.problems.append(f"{name}: NEURON has one {mechanism.of_last_place[0]} for all places, on several threads")
        for pointer, bare in of_last.pointers.items():
            one = _Found(node, bare and name, bare, mechanism.kept_globals[bare] if bare else places.numbers.v[node])
            self._see(name, pointer, instances, [one] * instances.count)

    def _see(self, name, pointer, instances, found):
        seer = f"Hillock_{name}_{pointer}"
        for node, one in zip(instances.nodes.tolist(), found):
            population, *place = self._place_of(node)
            source, *there = self._place_of(one.node)
            points = self.seers.setdefault((population, seer), [])
            self.rows.setdefault(((population, seer), source, one.reads), []).append((len(points), *there))
            points.append((*place, one.value))
            self.direct.setdefault((population, name), {})[pointer] = f"{seer}.vgap"

    def _name_of(self, type_):
        return self._places.hand_over.names[type_]

    def _count_at(self, found):
        """Of a mechanism's instances at a node."""
        if found.mechanism not in self._counts:
            of = self._places.numbers.instances[self._places.type_of[found.mechanism]]
            self._counts[found.mechanism] = np.bincount(of.nodes)
        return int(self._counts[found.mechanism][found.node])

    def _comes_first(self, name, other):
        """Of NEURON's mechanisms."""
        order = list(self._places.numbers.instances)
        return order.index(self._places.type_of[name]) < order.index(self._places.type_of[other])

    def _meet(self, name, pointer, mechanism, bare):
        """[time] at which a POINTER is read where others change what it stands for, so that it counts who is first."""
        if mechanism is None:
            return set()
        text_of = self._places.session.text_of
        reads, assigns = turns_of(text_of(name)).of(pointer)
        if mechanism.endswith("_ion"):
            is_current = bare == f"i{mechanism[:-len('_ion')]}"
            return {CURRENT} & (reads | assigns) if is_current else set()
        read, assigned = turns_of(text_of(mechanism)).of(bare)
        return (reads | assigns) & assigned | assigns & read

    def _is_apart(self, type_, pointer, mechanism, bare):
        """Whether a model evaluates two mechanisms of one place in another order than NEURON, and that counts: those of
        membranes come before points."""
        name, points = self._name_of(type_), self._places.session.points_known
        if not self._meet(name, pointer, mechanism, bare):
            return False
        if mechanism.endswith("_ion"):
            return True
        return (name in points) != (mechanism in points) and \
            self._comes_first(name, mechanism) != (mechanism in points)

    def _check_turns(self, type_, pointer, found):
        """What is read of elsewhere is what it was at the step's beginning, of states what it is at its end, or of all
        of them that, too."""
        name, text_of = self._name_of(type_), self._places.session.text_of
        reads, assigns = turns_of(text_of(name)).of(pointer)
        if assigns:
            self.problems.append(f"{name}: it sets what its POINTER {pointer} stands for, which is elsewhere")
        may_be_before = has_currents(text_of(name)) and EVENT not in reads
        are_before = set()
        for mechanism, bare in {(one.mechanism, one.bare) for one in found}:
            if mechanism is None:
                are_before.add(False)
                continue
            meet = self._meet(name, pointer, mechanism, bare)
            if mechanism.endswith("_ion"):
                follows = bare.startswith("e") and self._is_changed(mechanism[:-len("_ion")])
                is_other = meet or follows and CURRENT in reads
            else:
                _, assigned = turns_of(text_of(mechanism)).of(bare)
                is_first = self._comes_first(name, mechanism)
                is_before = STATE in meet and is_first
                is_other = (CURRENT in meet and not is_first) or (is_before and not may_be_before) or \
                    meet & {EVENT, OTHER} or (EVENT in assigned and CURRENT in reads)
                are_before.add(is_before)
            if is_other:
                self.problems.append(f"{name}: its POINTER {pointer} reads {mechanism}'s {bare} of elsewhere in the "
                                     "step in which it changes, and NEURON in another order")
        if len(are_before) > 1:
            self.problems.append(f"{name}: its POINTER {pointer} reads some of elsewhere before it changes in a step, "
                                 "and some when it has")
        elif True in are_before:
            self.before.append((name, pointer))

    def _is_changed(self, ion):
        """Whether some mechanism writes a concentration of an ion."""
        texts = map(self._places.session.text_of, self._places.session.mechanisms())
        return any({f"{ion}i", f"{ion}o"} & named_behind(text, "WRITE") for text in texts)

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

    def has_targets(self):
        """Whether some mechanism's variables are read by others, so that what is assigned counts."""
        return bool(self.direct or self._places.session.crossings) or any(reads for *_, reads in self.rows)

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

    def _find(self, who, kind, index):
        """What a number of NEURON's is."""
        places = self._places
        if kind == VOLTAGE:
            return _Found(index, None, None, places.numbers.v[index])
        of = places.numbers.instances.get(kind)
        if of is None:
            return self.problems.append(f"{who} stands for what is no voltage and no variable of a cell")
        source, offset = divmod(index, of.size)
        mechanism = places.hand_over.names[kind]
        bare = places.named(mechanism, offset)
        if of.nodes is None or bare is None or mechanism in places.session.apart:
            return self.problems.append(f"{who} stands for a number of {mechanism} that is no variable of a cell")
        return _Found(int(of.nodes[source]), mechanism, bare, of.data[source, offset])

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
            if (said := f"{name}: it reads elsewhere with {self.peers[name]} and with {variable}") not in self.problems:
                self.problems.append(said)
            return
        key, point = listed
        self.rows.setdefault((key, of_source[0], reads), []).append((point, *of_source[1:]))
        self.values.setdefault(key, {})[point] = value
