"""What mechanisms draw in their steps from NEURON's one stream, which all of them share: where it is known how many
each draws in each step, whatever the run does, NEURON draws them before, in its order."""

from __future__ import annotations

import ctypes

import numpy as np

from ._errors import Refused
from ._neuron_ahead import numbers_of
from ._neuron_draws import DrawsOfSteps, UnknownDraws, draws_in_run, may_draw
from ._neuron_library import double_p, int_p, library
from ._neuron_randoms import MOST_DRAWN, ScopRandom


class Drawn:
    """Those of a run from step `first` on. times: [ms] where it begins, and each half of a step ends, as NEURON counts;
    given: Given, whose texts are no part of it; is_played(mechanism, name): whether a parameter changes meanwhile.
    names: the mechanisms that draw; problems: why it is not known what; numbers: of all, one instance's behind
    another's, once draw() was called, None where nothing draws; begins: {mechanism: [instance] where its own begin}."""

    def __init__(self, places, given, first, times, is_played):
        self._places, self._steps, self._is_played = places, len(times) // 2, is_played
        self._first, self._halves, self._times = first, times, {}
        self.problems, self.numbers, self.begins, self._stream = [], None, {}, None
        guests = places.session.guests.names if places.session.guests else ()
        if given.draws_of_stream and any(may_draw(places.session.text_of(name)) for name in guests):
            self.problems.append(f"{min(guests)}: it draws random numbers of NEURON's own, as a generator does")
        patterns = {}  # mechanism: [instance] (drawn with its current, with its states)
        for type_ in places.numbers.instances:  # in NEURON's order
            name = places.hand_over.names[type_]
            if name in (*given.whole, *guests, "NetStim") or not may_draw(places.session.text_of(name)):
                continue
            mechanism = None if name in places.session.left_out else places.session.mechanism(name)
            if not mechanism:
                self.problems.append(f"{name}: it draws random numbers of NEURON's own")
            elif self._draws(mechanism):
                try:
                    patterns[name] = self._patterns_of(mechanism, places.numbers.instances[type_].count)
                except UnknownDraws as unknown:
                    self.problems.append(f"{name}: it draws random numbers of NEURON's own {unknown}")
        self.names = set(patterns)
        if not patterns or self.problems:
            return
        if places.numbers.count > 1:
            self.problems.append(f"{min(patterns)}: it draws random numbers of NEURON's own, on several threads of "
                                 "NEURON's")
        elif given.draws_of_stream:
            self.problems.append(f"{min(patterns)}: it draws random numbers of NEURON's own, as a generator does")
        else:
            self._order(patterns)

    def _draws(self, mechanism):
        return draws_in_run(mechanism.code, lambda bare: self._known(mechanism, bare))

    def _times_of(self, which):
        """[as NEURON counts, and as Hillock does: step] ms, at which currents are taken (0), and states (1)."""
        if which not in self._times:
            halves = 2 * np.arange(self._first, self._first + self._steps) + 1 + which
            self._times[which] = np.stack([self._halves[1 + which::2], halves * (0.5 * self._places.h.dt)])
        return self._times[which]

    def _known(self, mechanism, bare):
        return None if self._is_played(mechanism.name, bare) else numbers_of(self._places, mechanism, bare)

    def _patterns_of(self, mechanism, count):
        """[instance] what DrawsOfSteps says of it."""
        text = DrawsOfSteps(mechanism.code)
        known = {bare: numbers for bare in text.parameters
                 if (numbers := self._known(mechanism, bare)) is not None}
        rows = np.stack([np.broadcast_to(numbers, count) for numbers in known.values()], axis=1) if known else \
            np.zeros((count, 0))
        kinds, which = np.unique(rows, axis=0, return_inverse=True)
        kinds = [text.of({"dt": self._places.h.dt, **dict(zip(known, row))}, self._times_of) for row in kinds.tolist()]
        if self._places.h.secondorder == 2 and any(with_current for with_current, _ in kinds):
            raise UnknownDraws("with its current, in secondorder 2")  # which takes it once more here
        return [kinds[kind] for kind in which.ravel().tolist()]

    def _order(self, patterns):
        """All that may be drawn in a step, in NEURON's order: with all currents, each of which it takes twice, then
        with all states."""
        self._drawn, states, number, end = [], [], -1, 0
        known = {}  # id of a mask: how often it is drawn

        def counts(mask):
            if id(mask) not in known:
                known[id(mask)] = int(mask.sum())
            return known[id(mask)]

        for name, of_instances in patterns.items():
            self.begins[name] = begins = np.empty(len(of_instances))
            for instance, (with_current, with_states) in enumerate(of_instances):
                number, begins[instance] = number + 1, end
                self._drawn += [(*one, number) for one in 2 * with_current]
                states += [(*one, number) for one in with_states]
                drawn = 2 * with_current + with_states  # and a step more, of which none is to be read
                end += len(drawn) + sum(self._steps if mask is None else counts(mask) for _, mask in drawn)
        self._drawn += states
        self._count = end
        if end > MOST_DRAWN:
            self.problems.append(f"{end} random numbers of NEURON's own in one run (there is room for {MOST_DRAWN}; "
                                 "shorter runs have fewer)")

    def draw(self):
        """NEURON draws, and its stream goes on behind that, until undo()."""
        if not self.begins:
            return
        stream = ScopRandom(self._places.h)
        if not stream.is_at_hand():
            raise Refused([f"{min(self.names)}: this NEURON keeps its random numbers in another way than is known"])
        self._stream = stream
        self.numbers = np.full(self._count, np.nan)
        are_normal = np.array([kind == "normal" for kind, _, _ in self._drawn], np.intc)
        instances = np.array([instance for _, _, instance in self._drawn], np.intc)
        places = np.concatenate(list(self.begins.values())).astype(np.uintp)
        masks = {id(mask): np.ascontiguousarray(mask, np.int8) for _, mask, _ in self._drawn if mask is not None}
        of_all = (ctypes.c_void_p * len(self._drawn))(
            *(None if mask is None else masks[id(mask)].ctypes.data for _, mask, _ in self._drawn))
        library().hillock_draw(
            ctypes.c_size_t(self._steps), ctypes.c_size_t(len(self._drawn)), are_normal.ctypes.data_as(int_p), of_all,
            instances.ctypes.data_as(int_p), places.ctypes.data_as(ctypes.POINTER(ctypes.c_size_t)),
            self.numbers.ctypes.data_as(double_p))

    def undo(self):
        """NEURON's stream stands where it was."""
        if self._stream:
            self._stream.put_back()
