"""Variables of hoc's that POINTERs stand for: a run has each as a number, or, where a Vector is played into it, linear
between times, as a table of the time."""

from __future__ import annotations

import ctypes
import re

import numpy as np

from ._neuron_hand_over import uses_of_vectors
from ._neuron_layers import is_used
from ._neuron_library import POINTER_AT, library, thread_of_number
from ._neuron_mechanisms import kinds_of, named_behind, segments_with
from ._neuron_turns import turns_of, with_table, without_pointer

_LINEAR, _IN_STEPS = 1, 2


class Scalars:
    """Those of a session, as it is now. problems: why some cannot be taken; names: of them; played: what of NEURON
    plays into them."""

    def __init__(self, h, left_out, taken):
        """left_out: mechanisms that are none of a run; taken: [(mechanism, POINTER)] that somebody else takes care of."""
        self.problems, self.names, self.played = [], set(), set()
        self._texts, self._tables, self._holds = {}, {}, []
        self._is_aside, self._h, self._values = False, h, {}
        found = {}  # (mechanism, POINTER): [(holder, segment, hoc's pointer, address)]
        for one in self._pointers(taken):
            found.setdefault(one[:2], []).append(one[2:])
        if not found or is_used(h):
            return
        names = self._names_of_hoc()
        written = {address for (name, pointer), some in found.items() for *_, address in some
                   if turns_of(self._code[name]).of(pointer)[1]}
        plays = self._plays()
        for (name, pointer), some in found.items():
            addresses = {address for *_, address in some}
            if name not in left_out and len(addresses) == 1 and addresses <= set(names):
                self._add(name, pointer, some, names, written, plays)

    def _pointers(self, taken):
        """(mechanism, POINTER, holder, segment, hoc's pointer, address) of those to what is no number of a cell."""
        threads, self._code = int(self._h.ParallelContext().nthread()), {}
        for name, code, is_point, is_cell in kinds_of(self._h):
            if not code or is_cell or "VERBATIM" in code:
                continue
            pointers = [one for one in sorted(named_behind(code, "POINTER")) if (name, one) not in taken]
            self._code[name] = code
            holders = [] if not pointers else self._h.List(name) if is_point else \
                [getattr(segment, name) for segment in segments_with(self._h, name)]
            for holder in holders:
                segment = holder.get_segment() if is_point else holder.segment()
                for pointer in pointers if segment is not None else ():
                    try:
                        ref = getattr(holder, f"_ref_{pointer}")
                        address = None if thread_of_number(ref, threads) else _address(ref)
                    except Exception:  # it stands for nothing
                        continue
                    if address:
                        yield name, pointer, holder, segment, ref, address

    def _names_of_hoc(self):
        """{address: name} of hoc's own variables but the time."""
        names = {}
        for name in dir(self._h):
            try:
                names[_address(getattr(self._h, f"_ref_{name}"))] = name
            except Exception:  # it is no variable
                continue
        names.pop(_address(self._h._ref_t), None)
        return names

    def _plays(self):
        """{address of what is played into: {what of NEURON does it: (kind, Vector, times)}}"""
        plays = {}
        for vector, kind, player in uses_of_vectors(self._h):
            if kind in (_LINEAR, _IN_STEPS):
                at = library().hillock_recorded_at(ctypes.c_void_p(player))
                times = _times_of(player, vector) if kind == _LINEAR else None
                if kind == _IN_STEPS or times is None or len(times):  # or it is the Vector of the times
                    plays.setdefault(at, {})[player] = kind, vector, times
        return plays

    def _add(self, name, pointer, some, names, written, plays):
        code, (address,) = self._texts.get(name, self._code[name]), {one[3] for one in some}
        if address in written:
            return self.problems.append(f"{name}: its POINTER {pointer} stands for {names[address]}, which mechanisms "
                                        "change")
        playing = plays.get(address, {})
        if len(playing) > 1 or any(kind == _IN_STEPS for kind, *_ in playing.values()):
            return self.problems.append(f"{name}: its POINTER {pointer} stands for {names[address]}, into which Vectors"
                                        " are played in steps, or several")
        if playing:
            (player, (_, vector, times)), = playing.items()
            self._values[address] = times, np.array(vector)
            if times is None or len(times) < 2 or np.any(np.diff(times) <= 0):
                return self.problems.append(f"Vector.play into {names[address]}: its times do not rise")
            if re.search(r"\b(PROCEDURE|FUNCTION)\s+\w+\s*\([^)]*\bt\b", code):
                return self.problems.append(f"{name}: t is an argument in it, and its POINTER {pointer} stands for "
                                            f"{names[address]}, into which a Vector is played")
            self.played.add(player)
            self._tables.setdefault(name, {})[f"hillock_{pointer}_played"] = address
            self._texts[name] = with_table(code, pointer)
        else:
            self._texts[name] = without_pointer(code, pointer, float(some[0][2][0]))
        self.names.add(names[address])
        self._holds += [(holder, pointer, segment, ref) for holder, segment, ref, _ in some]

    def text(self, name, code):
        """The text of a mechanism, as a run has it."""
        return self._texts.get(name, code)

    def tables(self, name, rows):
        """A mechanism's, as a model has them. rows(times, values): those that a run sees."""
        return {table: {"csv": dict(zip(("x", "value"), rows(*self._values[address])))}
                for table, address in self._tables.get(name, {}).items()}

    def rows(self):
        """[(times, values)] of the Vectors that are played."""
        return list(self._values.values())

    def signature(self):
        """Equal where a run is of the same text and numbers."""
        return self._texts, [(times.tolist(), values.tolist()) for times, values in self._values.values()]

    def detach(self):
        """Such POINTERs stand for voltages, which NEURON can hand over, until attach()."""
        self._is_aside = True
        for holder, pointer, segment, _ in self._holds:
            setattr(holder, f"_ref_{pointer}", segment._ref_v)

    def attach(self):
        """They stand for what they did."""
        if self._is_aside:
            self._is_aside = False
            for holder, pointer, _, ref in self._holds:
                setattr(holder, f"_ref_{pointer}", ref)


def _address(ref):
    """Of a number to which hoc's pointer is."""
    if not repr(ref).startswith(("<pointer to hoc scalar", "data_handle<double>{raw=")):
        raise TypeError
    return ctypes.cast(library().hillock_number(ctypes.c_void_p(id(ref) + POINTER_AT)), ctypes.c_void_p).value


def _times_of(player, vector):
    """The times at which a Vector is played; None where NEURON keeps them in a way that is not known."""
    numbers = ctypes.POINTER(ctypes.c_double)()
    count = library().hillock_times_of_play(ctypes.c_void_p(player), ctypes.c_void_p(vector.hocobjptr()),
                                            ctypes.byref(numbers))
    return np.array(numbers[:count], float) if count >= 0 else None
