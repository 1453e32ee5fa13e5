"""Cells that send events and that nobody sends any to: what they do does not depend on the run, so that it is done
before, as their text says, where their spikes arrive at once or they draw random numbers, which are NEURON's own."""

from __future__ import annotations

import bisect
import ctypes
import heapq
import itertools
import math

import numpy as np

from ._errors import Refused
from ._neuron_draws import draws_in_run
from ._neuron_library import is_9, library
from ._neuron_text import Program, Unknown


class Ahead:
    """Those of a session. short: as of Noise. sources: [(population, cell)]; whole: the mechanisms all of whose
    instances are among them; problems, left: as of Streams. What is not known here is left to others, and to refuse."""

    def __init__(self, places, short):
        self._places, session = places, places.session
        self.problems, self.left, self.sources, self.whole = [], [], [], set()
        self._programs, self._cells, self._changes = {}, {}, {}
        self._scop = ScopRandom(places.h)
        reached = {(key[0], number) for _, target in session.ends_of_netcons if target for key, number in (target,)
                   if key[1] is None or key[1] in session.apart}
        for name, instances in self._instances_of_all():
            cells = {(name, cell) for cell in range(len(instances))}
            draws = self._draws(name)
            wanted = cells & short - reached
            if not cells & reached and (draws or wanted):
                wanted = cells
            if not wanted or (draws and wanted != cells):
                continue
            try:
                program = Program(session.mechanism(name), lambda bare, name=name: places.offset(name, bare),
                                  self._scop)
            except Unknown:
                continue
            if draws and (places.numbers.count > 1 or not self._scop.is_at_hand()):
                continue
            if wanted == cells:
                self.whole.add(name)
            self.sources += sorted(wanted)
            self._programs[places.type_of[name]] = program
            self._cells.update({(places.type_of[name], int(instances[cell])): (name, cell) for _, cell in wanted})

    def _instances_of_all(self):
        """(mechanism, [cell] instance) of what may be known before."""
        places = self._places
        for name in places.session.sizes_apart():
            yield name, places.point_instance[name, name]
        for name, instances in places.instances_of_cells.items():
            mechanism = places.session.mechanism(name) if len(instances) else None
            if mechanism and name != "NetStim" and not mechanism.plays:
                yield name, instances

    def _draws(self, name):
        places, mechanism = self._places, self._places.session.mechanism(name)
        return mechanism.draws and draws_in_run(mechanism.code, lambda bare: numbers_of(places, mechanism, bare))

    def instances(self):
        """(type, instance) of each."""
        return self._cells

    def watch(self, keys):
        """draw() is to note what (type, instance, place among its numbers) of some were, for values()."""
        for type_, instance, offset in keys:
            now = self._places.numbers.instances[type_].data[instance, offset]
            self._changes[type_, instance, offset] = [-np.inf], [now]

    def values(self, key, times):
        """[time] what a watched number was."""
        moments, values = self._changes[key]
        return np.array(values)[np.searchsorted(moments, times, side="right") - 1]

    def value_before(self, key, time):
        """The same before what happens at a time."""
        moments, values = self._changes[key]
        return values[bisect.bisect_left(moments, time) - 1]

    def draw(self, waiting, end):
        """{(population, cell): [ms]} of the spikes, as Given.draw() has it."""
        spikes, order, instances = {source: [] for source in self.sources}, itertools.count(), {}
        queue = [(time, next(order), at, flag) for at, events in waiting.items() if at in self._cells
                 for time, flag in events]
        heapq.heapify(queue)
        drew = None, None  # (when, who) the last time
        while queue and queue[0][0] <= end:
            time, _, at, flag = heapq.heappop(queue)
            count, source = self._scop.count, self._cells[at]
            row = self._places.numbers.instances[at[0]].data[at[1]]
            try:
                sent, fired = self._programs[at[0]].receive(row, time, flag)
            except (ArithmeticError, ValueError) as error:
                raise Refused([f"{source[0]}[{source[1]}]: what it does at {time:.10g} ms is not known ({error})"]) \
                    from None
            if self._scop.count != count:
                if drew[0] == time and drew[1] != source:
                    raise Refused([f"{source[0]}[{source[1]}]: it draws at {time:.10g} ms, as another one does"])
                drew = time, source
            for when, its_flag in sent:
                heapq.heappush(queue, (when, next(order), at, its_flag))
            spikes[source] += fired
            for key in instances.setdefault(at, [key for key in self._changes if key[:2] == at]):
                self._changes[key][0].append(time)
                self._changes[key][1].append(row[key[2]])
        self.left = [(time, *at, flag) for time, _, at, flag in sorted(queue)]
        return spikes

    def give_back(self):
        """As Given.give_back(), and the stream stands where it would."""
        for type_ in self._programs:
            self._places.numbers.put(type_, self._places.numbers.instances[type_].data)
        self._scop.give_back()


def numbers_of(places, mechanism, bare):
    """What a parameter is, of all instances, as draws_in_run() asks for it."""
    if bare in mechanism.globals:
        return np.array([mechanism.globals[bare]])
    if bare not in dict(mechanism.parameters) or places.offset(mechanism.name, bare) is None:
        return None
    return places.numbers_of(mechanism.name, bare)


class ScopRandom:
    """The one stream that `scop_random`, `exprand` and `normrand` draw from: a linear congruential generator of 32
    bits, whose state is seen from what it gives, or with `use_mcell_ran4(1)` NEURON's Ran4 of the same state. count: of
    numbers drawn here."""

    _factor, _summand, _bits = 2147437301, 453816981, 2**32
    _names = (b"scop_random", b"set_seed", b"mcell_ran4a"), (b"_Z11scop_randomv", b"_Z8set_seedd", b"_Z11mcell_ran4aPj")

    def __init__(self, h):
        self.count, self._state, self._h = 0, None, h

    def is_at_hand(self):
        """Whether NEURON's is found."""
        if self._state is None:
            find = library().hillock_of_neuron
            find.restype, find.argtypes = ctypes.c_void_p, [ctypes.c_char_p]
            addresses = [find(name) for name in self._names[is_9()]]
            if all(addresses):
                self._seed = ctypes.PYFUNCTYPE(None, ctypes.c_double)(addresses[1])
                self._ran4 = ctypes.PYFUNCTYPE(ctypes.c_double, ctypes.POINTER(ctypes.c_uint32))(addresses[2])
                self._see(ctypes.PYFUNCTYPE(ctypes.c_double)(addresses[0]))
        return self._state is not None

    def _see(self, scop_random):
        """NEURON's state, which stays what it is."""
        self._is_ran4 = self._h.use_mcell_ran4(0) != 0
        seen = round(scop_random() * (self._bits - 1))
        self._h.use_mcell_ran4(self._is_ran4)
        self._state = ctypes.c_uint32((seen - self._summand) * pow(self._factor, -1, self._bits))
        self._seed(float(self._state.value))

    def scop_random(self):
        """Uniform from 0 to 1."""
        self.count += 1
        if self._is_ran4:
            return self._ran4(ctypes.byref(self._state))
        self._state.value = self._factor * self._state.value + self._summand
        return self._state.value / (self._bits - 1)

    def exprand(self, mean):
        """Exponential."""
        return -mean * math.log(self.scop_random())

    def normrand(self, mean, deviation):
        """Normal, by the polar method of Marsaglia and Bray (1964)."""
        square = 1.0
        while square >= 1.0:
            first = 2.0 * self.scop_random() - 1.0
            second = 2.0 * self.scop_random() - 1.0
            square = first * first + second * second
        return first * math.sqrt(-2.0 * math.log(square) / square) * deviation + mean

    def give_back(self):
        """NEURON's goes on behind what was drawn."""
        if self.count:
            self._seed(float(self._state.value))
