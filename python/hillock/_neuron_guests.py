"""Mechanisms that NEURON computes in every step of a run, as it has compiled them: those with C code that is not read
here, and what draws from NEURON's stream beside them. Points stand for them in the model, which has none of it."""

from __future__ import annotations

import ctypes
import re
import typing

import numpy as np

from ._neuron_draws import draws_unknown, may_draw
from ._neuron_hand_over import NETCON, OWN, SOURCE
from ._neuron_library import VOLTAGE, double_p, int_p, library, place_of_pointers, thread_of_number
from ._neuron_mechanisms import Mechanism, kinds_of, named_behind, names_of, segments_with, \
    set_in_events, without_comments
from ._neuron_numbers import address_of
from ._neuron_session import RELAY
from ._neuron_turns import turns_of

#: Begins the names of points that stand for them.
STAND_IN = "HillockGuest"
_refused = {"WATCH": "has a WATCH", "LONGITUDINAL_DIFFUSION": "has states that diffuse"}


class _Use(typing.NamedTuple):
    """What mechanisms at a place do with an ion."""

    ion: str
    current: bool = False  # they have some
    takes: bool = False    # they read the sum of all
    inside: bool = False   # they set that concentration
    outside: bool = False
    valence: str = ""

    def __str__(self):
        return self.ion + "".join(str(int(one)) for one in self[1:5])

    def __or__(self, other):
        return _Use(self.ion, *(a or b for a, b in zip(self[1:], other[1:])))

    def head(self, reads, writes):
        """Of a NEURON block."""
        words = (("READ", reads), ("WRITE", writes), ("VALENCE", self.valence))
        return " ".join([f"USEION {self.ion}", *(f"{word} {names}" for word, names in words if names)])


class _Guests(ctypes.Structure):
    _fields_ = [("types", ctypes.c_int), ("ions", ctypes.c_int), ("writers", ctypes.c_int), ("type", int_p),
                ("ion", int_p), ("rows", ctypes.c_size_t), ("numbers", double_p), ("nodes", int_p),
                ("of_ions", ctypes.c_void_p), ("first", ctypes.c_int64), ("dt", ctypes.c_double), ("times", double_p),
                ("sources", ctypes.c_size_t), ("cells", ctypes.POINTER(ctypes.c_uint64)), ("first_netcon", int_p),
                ("netcons", int_p), ("delays", double_p), ("are_on_grid", ctypes.c_char_p),
                ("records", ctypes.c_size_t), ("recorded", ctypes.c_void_p), ("record", double_p), ("shown", double_p)]


def guests_of(h, held):
    """The names of a session's mechanisms that can be computed by NEURON alone: sorted. held: Held, or None."""
    texts = {name: code for name, code, is_point, is_cell in kinds_of(h)
             if code and not is_cell and (code.count("VERBATIM") or may_draw(code)) and _is_used(h, name, is_point)}
    names = {name for name, code in texts.items() if "VERBATIM" in code
             and Mechanism(h, name, held.text(name, code) if held else code, False, of_neuron=code).problems}
    drawing = {name for name, code in texts.items() if may_draw(code)}
    if drawing & names or any(map(draws_unknown, map(texts.get, drawing))):
        names |= drawing  # whose stream is one
    return sorted(names)


def _is_used(h, name, is_point):
    return h.List(name).count() > 0 if is_point else next(iter(segments_with(h, name)), None) is not None


class Guests:
    """Those of a session. names: of the mechanisms; of_netcons: {NetCon's number} of those that lead to them, once
    find() was called; problems: why they cannot be taken; texts: {name: text} of what stands for them; points:
    {(population, name): [(cell, branch, position, row)]}."""

    def __init__(self, h, names):
        self._h, self.names, self.problems = h, set(names), []
        self._aside, self.texts, self.points = [], {}, {}
        self.addresses = set()  # of what is no number of a cell
        self.of_netcons, self._entries = set(), {}
        self._check_texts(self.names)

    def _check_texts(self, names):
        for name, code, _, is_cell in kinds_of(self._h):
            if name in names and is_cell:
                self.problems.append(f"{name}: an artificial cell, which POINTERs tie to what is run as NEURON "
                                     "compiled it")
            elif name in names and code:
                text = re.sub(r"\bVERBATIM\b.*?\bENDVERBATIM\b", " ", without_comments(code), flags=re.S)
                self.problems += [f"{name}: run as NEURON compiled it, and it {why}" for word, why in _refused.items()
                                  if re.search(rf"\b{word}\b", text)]
                if "v" in set_in_events(code):
                    self.problems.append(f"{name}: run as NEURON compiled it, and its events set v")
                self.problems += [f"{name}: run as NEURON compiled it, and it sets e{use.ion}" for use in _uses_of(code)
                                  if f"e{use.ion}" in named_behind(code, "WRITE")]

    def detach(self):
        """POINTERs to what NEURON does not hand over stand for voltages, until attach()."""
        for name, code, is_point, _ in kinds_of(self._h):
            pointers = named_behind(code, "POINTER") if name in self.names else ()
            for holder in (self._h.List(name) if is_point else
                           [getattr(one, name) for one in segments_with(self._h, name)]) if pointers else ():
                segment = holder.get_segment() if is_point else holder.segment()
                for pointer in pointers if segment is not None else ():
                    try:
                        there = getattr(holder, f"_ref_{pointer}")
                    except Exception:  # it stands for nothing
                        self.problems.append(f"{name}: its POINTER {pointer} stands for nothing")
                        continue
                    if not thread_of_number(there, 1):
                        self._aside.append((holder, f"_ref_{pointer}", there))
                        self.addresses.add(address_of(there) or 0)
                        setattr(holder, f"_ref_{pointer}", segment._ref_v)
                    elif pointer in _assigned(code) and _is_voltage(there, self._h):
                        self.problems.append(f"{name}: run as NEURON compiled it, and it sets the voltage that its "
                                             f"POINTER {pointer} stands for")
        self._check_addresses()

    def _check_addresses(self):
        """A run changes numbers of artificial cells, and what NetCons keep."""
        cells = [(cell, bare) for name, code, _, is_cell in kinds_of(self._h) if is_cell and self.addresses
                 for cell in self._h.List(name) for bare, size in names_of(self._h, name, 0) if size == 1]
        found = [f"{cell.hname()}.{bare}" for cell, bare in cells if self._is_at(cell, bare)]
        found += [f"{netcon.hname()}.weight" for netcon in self._h.List("NetCon") if self.addresses and
                  int(netcon.wcnt()) and self._is_at(netcon, "weight", 8 * int(netcon.wcnt()))]
        self.problems += [f"{one}: a POINTER of what is run as NEURON compiled it stands for it" for one in found]

    def _is_at(self, holder, name, size=8):
        try:
            first = address_of(getattr(holder, f"_ref_{name}"))
        except Exception:  # hoc's, of a number that it shows nobody
            return False
        return first is not None and any(first <= address < first + size for address in self.addresses)

    def is_played_into(self, uses):
        """uses: uses_of_vectors()."""
        return any(library().hillock_recorded_at(ctypes.c_void_p(player)) in self.addresses
                   for _, kind, player in uses if kind in (1, 2))

    def attach(self):
        for aside in self._aside:
            setattr(*aside)
        self._aside = []

    def extend(self, numbers, hand_over):
        """What POINTERs tie to them is run by NEURON, too."""
        tied = {}  # mechanism: those that are tied to it
        for type_, of in numbers.instances.items():
            name = hand_over.names[type_]
            for kind in {*of.pointer_kinds.tolist()} - {VOLTAGE}:
                other = hand_over.names.get(kind)
                if other and not other.endswith("_ion"):
                    tied.setdefault(name, set()).add(other)
                    tied.setdefault(other, set()).add(name)
        waiting, before = list(self.names), {*self.names}
        for name in waiting:
            waiting += tied.get(name, set()) - self.names
            self.names |= tied.get(name, set())
        self._check_texts(self.names - before)

    def find(self, session, numbers, hand_over, has_others):
        """What they are in a session."""
        h, self._session, self._numbers, self._hand_over = self._h, session, numbers, hand_over
        types = {name: type_ for type_, name in hand_over.names.items()}
        self._types = [type_ for type_ in numbers.instances if hand_over.names[type_] in self.names]
        if not self._types:
            return
        said = ", ".join(sorted(self.names))
        for why, holds in {"several of NEURON's threads": numbers.count > 1, "several ranks": has_others,
                           "secondorder 2": h.secondorder != 0,
                           "a bin queue": h.CVode().queue_mode() != 0, "extracellular": session.layers,
                           "a LinearMechanism": session.wiring}.items():
            if holds:
                self.problems.append(f"{said}: run as NEURON compiled it, beside {why}")
        for type_ in self._types:
            name = hand_over.names[type_]
            if not library().hillock_guests_are_known(type_, name.encode()):
                self.problems.append(f"{name}: this NEURON keeps its mechanisms in another way than is known")
        uses = {name: _uses_of(session.text_of(name)) for name in map(hand_over.names.get, self._types)}
        self._types.sort(key=lambda type_: not any(use.inside or use.outside for use in uses[hand_over.names[type_]]))
        self._writers = sum(any(use.inside or use.outside for use in some) for some in uses.values())
        self._ions = sorted({use.ion for some in uses.values() for use in some})
        self._of_ions = [types[f"{ion}_ion"] for ion in self._ions]
        at = {}  # node: {ion: _Use}
        for type_ in self._types:
            of = numbers.instances[type_]
            for node in of.nodes.tolist():
                known = at.setdefault(node, {})
                for use in uses[hand_over.names[type_]]:
                    known[use.ion] = known.get(use.ion, use) | use
            for node in self._pointed_to(type_):
                at.setdefault(node, {})
        self._nodes = np.array(list(at), np.intc)
        for row, known in enumerate(at.values()):
            population, *place = session.place_on_cell(session.segment_at(int(self._nodes[row])))
            for name in self._stand_ins(tuple(sorted(known.values()))):
                self.points.setdefault((population, name), []).append((*place, row))
        self._check_writers(at)

    def _pointed_to(self, type_):
        """The nodes whose voltages their POINTERs stand for."""
        of, name, nodes = self._numbers.instances[type_], self._hand_over.names[type_], set()
        kinds, first = of.pointer_kinds.reshape(of.count, -1).T, place_of_pointers(type_)
        for place, known in enumerate(kinds, first):
            for kind, index in zip(known.tolist(), of.pointers[:, place].tolist()):
                if kind == VOLTAGE:
                    nodes.add(index)
                elif kind not in self._types:
                    self.problems.append(f"{name}: run as NEURON compiled it, with a POINTER to what changes in a run, "
                                         f"of {self._hand_over.names.get(kind, 'no mechanism')}")
        return nodes

    def _check_writers(self, at):
        """What they set of an ion nobody else may."""
        for ion in self._ions:
            for what, word in (("inside", "i"), ("outside", "o")):
                nodes = {node for node, known in at.items() if ion in known and getattr(known[ion], what)}
                for type_, of in self._numbers.instances.items():
                    name = self._hand_over.names[type_]
                    if nodes and name not in self.names and of.nodes is not None and f"{ion}{word}" in named_behind(
                            self._session.text_of(name), "WRITE") and nodes & set(of.nodes.tolist()):
                        self.problems.append(f"{name}: it sets {ion}{word}, as does a mechanism that is run as NEURON "
                                             "compiled it")

    def _stand_ins(self, uses):
        """The names of what is at such a place."""
        key = "_".join(map(str, uses))
        names = [f"{STAND_IN}_{key}"]
        self.texts.setdefault(names[0], _text_of_currents(names[0], [use for use in uses if use.current]))
        some = [use for use in uses if use.takes or use.inside or use.outside]
        if some:
            names.append(f"{STAND_IN}_of_{key}")
            self.texts.setdefault(names[1], _text_of_ions(names[1], some))
        return names

    def add_to(self, tree):
        """The model has what stands for them."""
        for (population, name), points in self.points.items():
            columns = dict(zip(("cell", "branch", "position", "guest_row"), map(np.array, zip(*points))))
            columns["guest_row"] = columns["guest_row"].astype(float)
            tree["points"][f"{population}_{name}"] = {"on": population, name: {}, "list": {"hdf5": columns}}
        tree["mechanisms"] += [{"file": text.encode()} for text in self.texts.values()]

    def find_sources(self, h, hand_over):
        """NetCons that lead to them."""
        for number, (netcon, is_active) in enumerate(zip(h.List("NetCon"), self._session.are_active)):
            source, target = netcon.pre(), netcon.syn()
            is_from, is_to = (one is not None and one.hname().partition("[")[0] in self.names
                              for one in (source, target))
            if is_from and is_active and target is not None and not is_to:
                self.problems.append(f"{netcon.hname()}: its source, {source.hname()}, is run as NEURON compiled it, "
                                     "and its target is not")
            if is_from and hand_over.calls_at_spikes(netcon):
                self.problems.append(f"{netcon.hname()}: its record() calls something at spikes of what is run as "
                                     "NEURON compiled it")
            if is_to and is_active:
                self.of_netcons.add(number)
                source = self._session.ends_of_netcons[number][0]
                if source and self._session.is_short(number) and (source[0] == RELAY or
                                                                  self._session.is_crossing(source) or
                                                                  self._session.sends_events(source)):
                    self.problems.append(f"{netcon.hname()}: its delay is shorter than dt, and its target is run as "
                                         "NEURON compiled it")

    def want(self, thread, type_, index):
        """What is recorded of them."""
        return self, self._entries.setdefault((thread, type_, index), len(self._entries))

    def column(self, wanted, is_watched):
        """[step] of what want() gave, as Vectors record it or as a loop sees it behind its fadvance()."""
        return (self._shown if is_watched else self._record)[:, wanted[1]]

    def over(self, plot, every):
        """plot() that sees their numbers as they are where so many steps are done."""
        rows = iter(self._shown[every - 1::every])

        def plot_over():
            self._show(next(rows))
            plot()
        return plot_over

    def show_last(self):
        """What is recorded of them is what they are at the end."""
        self._show(self._shown[-1])

    def _show(self, row):
        for address, number in zip(self._pointers[1], row.tolist()):
            ctypes.c_double.from_address(address).value = number

    # Around a run.

    def put_back(self):
        """What NEURON has computed is as it was, but for what C code keeps."""
        for type_ in [*self._types, *self._of_ions]:
            self._numbers.put(type_, self._numbers.instances[type_].data)
        self._numbers.put(VOLTAGE, self._numbers.v)
        self._numbers.put_weights()

    def taken(self, events, places):
        """The events that wait without theirs, which NEURON gets again."""
        others = []
        for event in events:
            kind, time, integers, flags = event
            if kind == NETCON and integers[0] in self.of_netcons:
                self._numbers.put_event(integers[0], time)
            elif kind == OWN and integers[0] in self._types:
                type_, instance, netcon, is_movable = integers
                self._numbers.put_own_event(time, type_, instance, flags[0], netcon, is_movable)
            else:
                others.append(event)
            if kind == SOURCE:
                source = places.source_of(*integers)
                for number in self.of_netcons & set(places.netcons_of[source]):
                    self._numbers.put_event(number, time - places.least_delay(source) + self._session.delays[number])
        return others

    def fire(self, sources, time, places):
        """(population, cell) that NEURON would see spike as a run begins."""
        for source in sources:
            for number in sorted(self.of_netcons & set(places.netcons_of.get(source, ()))):
                self._numbers.put_event(number, time + self._session.delays[number])

    def begin(self, first, times, sizes, early):
        """What a run of the model is told of them. sizes: {population: cells} in the model's order; early:
        Given.early."""
        begins = dict(zip(sizes, np.cumsum([0, *sizes.values()]).tolist()))
        of_sources = {}
        for number in sorted(self.of_netcons):
            source = self._session.ends_of_netcons[number][0]
            if source:
                of_sources.setdefault(begins[source[0]] + source[1], (source, []))[1].append(number)
        known = sorted(of_sources.items())
        netcons = [number for _, (_, some) in known for number in some]
        delays = [self._session.delays[n] + early.get(source, 0.0) for _, (source, some) in known for n in some]
        ions = [self._numbers.instances[type_] for type_ in self._of_ions]
        places = [of.at(self._nodes) for of in ions]
        where = [[self._hand_over.where(0, type_, int(at[row]) * of.size) if at[row] >= 0 else None
                  for type_, of, at in zip(self._of_ions, ions, places)] for row in range(len(self._nodes))]
        addresses = [ctypes.addressof(one.contents) if one else None for of_row in where for one in of_row]
        recorded = [ctypes.addressof(self._hand_over.where(*one).contents) for one in self._entries]
        told = 1 + 3 * len(ions)
        self._rows = np.zeros((len(self._nodes), told + 2 + 3 * len(ions)))
        self._record, self._shown = np.zeros((2, len(times) // 2, len(recorded)))
        self._arrays = {
            "type": np.array(self._types, np.intc), "ion": np.array(self._of_ions, np.intc), "numbers": self._rows,
            "nodes": self._nodes, "times": np.ascontiguousarray(times),
            "cells": np.array([cell for cell, _ in known], np.uint64),
            "first_netcon": np.cumsum([0, *(len(some) for _, (_, some) in known)]).astype(np.intc),
            "netcons": np.array(netcons, np.intc), "delays": np.array(delays, float),
            "record": self._record, "shown": self._shown}
        self._pointers = [(ctypes.c_void_p * len(some))(*some) for some in (addresses, recorded)]
        fields = dict(_Guests._fields_)
        self._told = _Guests(
            types=len(self._types), ions=len(ions), writers=self._writers, rows=len(self._nodes), first=first,
            dt=self._h.dt, sources=len(known), records=len(recorded), of_ions=ctypes.addressof(self._pointers[0]),
            recorded=ctypes.addressof(self._pointers[1]),
            are_on_grid=bytes(int(self._session.is_on_grid(source)) for _, (source, _) in known),
            **{name: array.ctypes.data_as(fields[name]) for name, array in self._arrays.items()})
        functions = [ctypes.cast(getattr(library(), f"hillock_guests_{name}"), ctypes.c_void_p).value
                     for name in ("hear", "begin", "solve", "end")]
        return self._rows, self._ions, [ctypes.addressof(self._told), *functions]

    def refresh_weights(self, places):
        """What their NetCons keep is as it has become."""
        netcons = self._session.all_netcons
        for number in self.of_netcons:
            first, behind = places.first_weight[number:number + 2].tolist()
            self._numbers.weights[first:behind] = [netcons[number].weight[k] for k in range(behind - first)]


def _assigned(code):
    turns = turns_of(code)
    return {pointer for pointer in named_behind(code, "POINTER") if turns.of(pointer)[1]}


def _is_voltage(pointer, h):
    address = address_of(pointer)
    return any(address_of(segment._ref_v) == address for section in h.allsec() for segment in section.allseg())


def _uses_of(code):
    uses, text = [], " ".join(without_comments(code).split())
    for ion, rest, valence in re.findall(
            r"\bUSEION (\w+)((?: (?:READ|WRITE) \w+(?: ?, ?\w+)*)*)(?: VALENCE (-?\w+))?", text):
        read, written = (named_behind(rest, word) for word in ("READ", "WRITE"))
        uses.append(_Use(ion, f"i{ion}" in written, f"i{ion}" in read - written, f"{ion}i" in written,
                         f"{ion}o" in written, valence))
    return uses


def _text_of_currents(name, uses):
    ions = [use.ion for use in uses]
    use = " ".join(use.head("", f"i{use.ion}") for use in uses)
    own = " ".join(f"guest_j_{ion}" for ion in ions)
    sets = " ".join(f"i{ion} = guest_j_{ion}" for ion in ions)
    rest = "".join(f" - guest_j_{ion}" for ion in ions)
    return (f"NEURON {{ POINT_PROCESS {name} {use} NONSPECIFIC_CURRENT i RANGE guest_row }}\n"
            f"PARAMETER {{ guest_row = 0 }}\nSTATE {{ guest_b guest_g {own} }}\n"
            f"ASSIGNED {{ v i {' '.join(f'i{ion}' for ion in ions)} }}\n"
            f"INITIAL {{ guest_b = 0 guest_g = 0 {' '.join(f'{one} = 0' for one in own.split())} }}\n"
            f"BREAKPOINT {{ {sets}\n i = guest_b + guest_g * v{rest} }}\n")


def _text_of_ions(name, uses):
    use, own, names, sets = [], [], [], []
    for one in uses:
        ion, _, takes, *sides, _ = one
        written = [f"{ion}{side}" for side, is_set in zip("io", sides) if is_set]
        use.append(one.head(f"i{ion}" if takes else "", ", ".join(written)))
        names += [*written, *([f"i{ion}"] if takes else [])]
        own += [f"guest_{one[-1]}_{ion}" for one in written] + ([f"seen_{ion}"] if takes else [])
        sets += [f"{one} = guest_{one[-1]}_{ion}" for one in written] + ([f"seen_{ion} = i{ion}"] if takes else [])
    return (f"NEURON {{ POINT_PROCESS {name} {' '.join(use)} RANGE guest_row }}\n"
            f"PARAMETER {{ guest_row = 0 }}\nSTATE {{ {' '.join(own)} }}\nASSIGNED {{ {' '.join(names)} }}\n"
            f"INITIAL {{ {' '.join(f'{one} = 0' for one in own)} }}\n"
            "BREAKPOINT { SOLVE take }\nPROCEDURE take() { " + "\n".join(sets) + " }\n")
