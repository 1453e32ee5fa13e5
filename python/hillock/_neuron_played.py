"""Vectors that a session plays into its points and membranes, linear between times (`Vector.play(&x, t, 1)`) or in
steps."""

from __future__ import annotations

import contextlib
import ctypes

import numpy as np

from ._neuron_hand_over import CAPACITANCE
from ._neuron_layers import PlayedOutside
from ._neuron_library import WORD, changes_of_structure, library, words_at


class Played:
    """until: when the run ends, ms; others: Others, which has those that are played in steps; uses:
    uses_of_vectors(); randoms: PlayedRandoms. entries: {(population, mechanism): [an entry of the points' `play`]};
    stimuli: those that play into membranes' mechanisms; outside: PlayedOutside, of what plays into e_extracellular;
    into_wiring: [(unknown, factor, what b has now, times, values)] of what plays into b of LinearMechanisms. problems:
    why some cannot be taken."""

    def __init__(self, places, until, others, uses, randoms):
        self._places = places
        self.entries, self.problems, self._played = {}, [], []
        self._of_membranes = {}  # (population, cell, mechanism, variable, table): (its rows, {place on the cell})
        self._tables = {}  # (type, index): its table in a membrane
        self.outside = PlayedOutside(places.session)
        scalars = places.session.held.scalars
        ways = {kind for _, kind, player in uses if player not in scalars.played} - {3}
        self.problems += [f"Vector.play: {vector.hname()} has {len(vector)} values for {count} times"
                          for vector, kind, player in uses if kind == 1
                          if (count := _end_early(vector, player, until))]
        self._jumps = Jumps(uses)
        if scalars.played:
            with self._jumps.aside():
                self._add_scalars(scalars, ways)
        if ways == {1, 2}:
            self.problems.append("Vectors that are played in steps beside others that are linear between times")
        for other, variable in others.played if not self.problems else ():
            self._add(places.numbers.index(*variable), variable[1],
                      lambda: _in_steps(places.h, until, others.value_of(variable), *others.steps_of(other, variable),
                                        _behind_a_boundary))
        for variable, numbers in randoms.entries if not self.problems else ():
            self._add(places.numbers.index(*variable), variable[1],
                      lambda: _in_steps(places.h, until, others.value_of(variable), np.arange(len(numbers)), numbers,
                                        _behind_a_boundary),
                      "Random.play")
        self.into_wiring = []
        for other, address, unknown, factor in others.into_wiring if not self.problems else ():
            begun = others.value_of(address)
            rows = _in_steps(places.h, until, begun, *others.steps_of(other, address))
            self.into_wiring.append((unknown, factor, begun, *rows))
        with self._jumps.aside():
            if ways == {1} and not _are_known(places, uses):
                self.problems.append("Vector.play into what is no number of a mechanism")
            self.problems += self._jumps.problems
            if self.problems or ways != {1}:
                return
            self._played += places.numbers.played()
        for _, type_, index, times, values in self._played:
            self._add(index, type_, lambda t=times, v=values: as_neuron_goes_on(t, v, until))

    def _add_scalars(self, scalars, ways):
        """NEURON plays into variables of hoc's, which go on behind the run."""
        rows, which = scalars.rows(), self._places.hand_over.plays()
        if 1 in ways or self._places.numbers.count > 1 or len(which) != len(scalars.played) or any(
                not np.array_equal(times, rows[0][0]) for times, _ in rows):
            self.problems.append("Vectors that are played into variables of hoc's at other times than others, beside "
                                 "others, or on several threads")
        self._played = [((0, number), None, None, *rows[0]) for number in which]

    def _add(self, index, type_, rows, by="Vector.play"):
        """rows(): (times, values)."""
        places = self._places
        name = places.hand_over.names.get(type_, "a voltage, or by a statement of hoc's")
        instance, offset = divmod(index, places.numbers.instances[type_].size) if type_ > 0 else (0, 0)
        if segment := self._segment_outside(type_, instance):
            return self.outside.add(segment, *rows())
        variable, listed = places.named(name, offset) if type_ > 0 else None, places.point_of(type_, instance)
        mechanism = places.session.mechanism(name) if type_ > 0 and not name.endswith("_ion") else None
        known = [bare for bare, _ in mechanism.parameters if bare not in mechanism.tabulated] + mechanism.begun \
            if mechanism else ()
        if variable not in known or not (listed or mechanism and places.numbers.instances[type_].nodes is not None):
            return self.problems.append(f"{by} into {name}: only parameters of mechanisms on cells are played "
                                        "into, and none that a TABLE is made with")
        times, values = rows()
        if listed:
            key, point = listed
            if (type_, index) in self._tables:
                return self.problems.append(f"two Vectors or Randoms that play into one {variable} of {name}")
            self._tables[type_, index] = None
            self.entries.setdefault(key, []).append({"point": point, "variable": variable,
                                                     "hdf5": {"time": times, "value": values}})
            return None
        table = times.tobytes(), values.tobytes()
        if self._tables.setdefault((type_, index), table) != table:
            return self.problems.append(f"two Vectors or Randoms that play into one {variable} of {name}")
        segment = places.session.segment_at(int(places.numbers.instances[type_].nodes[instance]))
        population, cell, at = places.session.place_of(segment)
        self._of_membranes.setdefault((population, cell, name, variable, table), ((times, values), {}))[1][at] = None
        return None

    @property
    def stimuli(self):
        return [{"to": f"{population}[{cell}:{cell + 1}]", "at": list(at),
                 "play": {"mechanism": name, "variable": variable, "hdf5": {"time": times, "value": values}}}
                for (population, cell, name, variable, _), ((times, values), at) in self._of_membranes.items()]

    def _segment_outside(self, type_, instance):
        """Whose e_extracellular it is, which is aside (Layers)."""
        layers, places = self._places.session.layers, self._places
        if type_ != CAPACITANCE or not layers:
            return None
        segment = places.session.segment_at(int(places.numbers.instances[type_].nodes[instance]))
        return segment if layers.is_played(segment) else None

    def changes(self, mechanism, bare):
        """Whether some point's variable is played into."""
        return any(entry["variable"] == bare for (_, name), entries in self.entries.items() if name == mechanism
                   for entry in entries)

    def variables(self, mechanism):
        """What of a mechanism is played into."""
        return {entry["variable"] for (_, name), entries in self.entries.items() if name == mechanism
                for entry in entries} | {variable for _, _, name, variable, _ in self._of_membranes if name == mechanism}

    @property
    def is_linear(self):
        """Whether some are played linear between times."""
        return bool(self._played)

    def put_ends(self, column, type_, index, times):
        """[step] what is recorded of a variable, if it is played into so: NEURON plays as a step ends, too."""
        for _, played_type, played_index, its_times, values in self._played:
            if (played_type, played_index) == (type_, index):
                column[:] = np.interp(times, *as_neuron_goes_on(its_times, values, times[-1]))

    def first_ms(self, now):
        """The earliest time that an event may have that give_back() puts into NEURON's queue."""
        return min([now, *(times[-1] for *_, times, _ in self._played)])

    def give_back(self, now):
        """NEURON goes on playing at that time."""
        if self._played:
            self._places.numbers.put_played([
                (which, int(min(np.searchsorted(times, now + 1e-9, side="right"), len(times) - 1)))
                for which, _, _, times, _ in self._played], self._jumps, now)


class Jumps:
    """Vectors that are played, linear between times, with the rows at which they jump (`play(&x, t, rows)`). While they
    are aside NEURON hands them over as others, which have the same values: what lies between two rows is found by
    time. uses: uses_of_vectors(). problems: why some cannot be taken."""

    def __init__(self, uses):
        self._vectors, self._aside, self.problems = [vector for vector, kind, _ in uses if kind == 1], [], []

    @contextlib.contextmanager
    def aside(self):
        """They play without."""
        self._aside, player = [], ctypes.c_void_p()
        try:
            for vector in self._vectors:
                while taken := library().hillock_take_jumps(ctypes.c_void_p(vector.hocobjptr()), ctypes.byref(player)):
                    if taken < 0:
                        raise RuntimeError("this NEURON keeps Vectors that are played in another way than is known")
                    self._aside.append((player.value, vector))
                    self._check(player.value, vector)
            yield
        finally:
            for player, vector in self._aside:
                library().hillock_put_jumps(ctypes.c_void_p(player), ctypes.c_void_p(vector.hocobjptr()))

    def _check(self, player, vector):
        rows = np.array(list(vector), float)
        if np.any(np.diff(rows) <= 0) or np.any((rows < 0) | (rows >= len(_times_of(player)))):
            self.problems.append(f"Vector.play: the rows at which it jumps ({vector.hname()}) do not rise, or are none "
                                 "of its rows")

    def go_on(self, now):
        """NEURON goes on playing at that time."""
        for player, vector in self._aside:
            rows, times = np.array(list(vector)).astype(int), _times_of(player)
            jump = int(np.searchsorted(times[rows], now + 1e-9, side="right"))
            bound = rows[jump] if jump < len(rows) else len(times) - 1
            library().hillock_go_on_to_jump(ctypes.c_void_p(player), min(jump + 1, len(rows)), int(bound))


_known = None  # the last Vectors of which NEURON said what they play into, as _are_known() tells them from others


def _are_known(places, uses):
    """Whether Vectors are played into numbers of mechanisms alone: of others NEURON ends the process. So one of its own
    asks, but about layers, and about what was asked before and has not moved since."""
    global _known
    layers = places.session.layers
    of_layers = layers.players() if layers else ()
    asked = changes_of_structure(), [(player, words_at(player + WORD)) for _, kind, player in uses
                                     if kind != 3 and player not in of_layers]
    if not asked[1] or asked[0] and asked == _known:
        return True
    if not places.hand_over.survives(places.numbers.played):
        return False
    _known = asked
    return True


def _times_of(player, vector=None):
    """Between which it plays; none where `vector` has these, or rows at which it jumps."""
    times = ctypes.POINTER(ctypes.c_double)()
    of = None if vector is None else ctypes.c_void_p(vector.hocobjptr())
    count = library().hillock_times_of_play(ctypes.c_void_p(player), of, ctypes.byref(times))
    return np.array(times[:count], float)


def _end_early(vector, player, until):
    """How many times there are, where a Vector that is played has fewer values and `until` comes behind the last: there
    NEURON ends with an error, 8.2 the process."""
    times, count = _times_of(player, vector), len(vector)
    return len(times) if count < len(times) and (count == 0 or until > times[count - 1]) else 0


#: Of a step: where jumps are, so that states at the end of the step before see nothing of them.
_behind_a_boundary = 0.25


def _in_steps(h, until, begun, steps, values, behind=0):
    """Rows of what is `begun` and becomes `values` at steps: so far behind a step's beginning the one, and at the same
    time the next."""
    first = round(h.t / h.dt)
    times = [[first * h.dt], np.repeat((first + steps + behind) * h.dt, 2), [until + h.dt]]
    return np.concatenate(times), np.repeat(np.concatenate([[begun], values]), 2)


def as_neuron_goes_on(times, values, until):
    """Behind the last row NEURON follows the line through the last two, or where these are of one time keeps their
    mean."""
    last, end = times[-1], max(until, times[-1]) + 1.0
    if len(times) < 2:
        return times, values
    if times[-2] == last:
        behind = [(values[-2] + values[-1]) / 2] * 2
        return np.append(times, [last, end]), np.append(values, behind)
    slope = (values[-1] - values[-2]) / (last - times[-2])
    return np.append(times, end), np.append(values, values[-1] + slope * (end - last))
