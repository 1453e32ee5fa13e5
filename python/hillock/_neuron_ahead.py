"""Cells that send events and that nobody sends any to: what they do does not depend on the run, so that it is done
before, as their text says, where their spikes arrive at once or they draw random numbers, which are NEURON's own."""

from __future__ import annotations

import bisect
import functools
import heapq
import itertools

import numpy as np

from ._errors import Refused
from ._neuron_draws import draws_in_run
from ._neuron_noise import NetStims
from ._neuron_randoms import OfRandom, ScopRandom
from ._neuron_text import Program, Unknown


class Ahead:
    """Those of a session. short: as of Noise; noise: Noise, whose `shared` are among them. sources:
    [(population, cell)]; whole: the mechanisms all of whose instances are among them; problems, left: as of Streams;
    draws_of_stream: whether some draw from NEURON's one.
    What is not known here is left to others, and to refuse."""

    def __init__(self, places, short, noise):
        self._places, session = places, places.session
        self.problems, self.left, self.sources, self.whole = [], [], [], set()
        self.draws_of_stream = None in noise.shared.values()
        self._programs, self._cells, self._changes = {}, {}, {}  # by (type, instance); by that and a place
        self._scop, self._randoms = ScopRandom(places.h), noise.randoms
        self._take_netstims(noise.shared)
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
            self.draws_of_stream |= draws
            if wanted == cells:
                self.whole.add(name)
            self._add(sorted(wanted), instances, program.receive, self._scop)

    def _add(self, sources, instances, receive, stream):
        """receive: as of Program; stream: that it draws from."""
        type_ = self._places.type_of[sources[0][0]]
        for source in sources:
            at = type_, int(instances[source[1]])
            self._cells[at], self._programs[at] = source, (receive, stream)
        self.sources += sources

    def _take_netstims(self, shared):
        places, has_one = self._places, None in shared.values()
        if has_one and places.numbers.count > 1:
            self.problems.append("NetStim with noise of NEURON's one stream, on several threads of NEURON's")
        elif has_one and not self._scop.is_at_hand():
            self.problems.append("NetStim with noise: this NEURON keeps its stream in another way than is known")
        elif shared:
            law = NetStims(places)
            for random in dict.fromkeys(shared.values()):
                stream = self._scop if random is None else OfRandom(self._randoms, random)
                self._add([("NetStim", cell) for cell, its in shared.items() if its == random],
                          places.instances_of_cells["NetStim"], functools.partial(law.receive, stream=stream), stream)

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
        drew = {}  # stream: (when, who) the last time
        while queue and queue[0][0] <= end:
            time, _, at, flag = heapq.heappop(queue)
            source, (receive, stream) = self._cells[at], self._programs[at]
            count = stream.count
            row = self._places.numbers.instances[at[0]].data[at[1]]
            try:
                sent, fired = receive(row, time, flag)
            except (ArithmeticError, ValueError) as error:
                raise Refused([f"{source[0]}[{source[1]}]: what it does at {time:.10g} ms is not known ({error})"]) \
                    from None
            if stream.count != count:
                when, who = drew.get(stream, (None, None))
                if when == time and who != source:
                    raise Refused([f"{source[0]}[{source[1]}]: it draws at {time:.10g} ms, as another one does"])
                drew[stream] = time, source
            for when, its_flag in sent:
                heapq.heappush(queue, (when, next(order), at, its_flag))
            spikes[source] += fired
            for key in instances.setdefault(at, [key for key in self._changes if key[:2] == at]):
                self._changes[key][0].append(time)
                self._changes[key][1].append(row[key[2]])
        self.left = [(time, *at, flag) for time, _, at, flag in sorted(queue)]
        return spikes

    def give_back(self):
        """As Given.give_back(), and the streams stand where they would."""
        for type_ in {type_ for type_, _ in self._programs}:
            self._places.numbers.put(type_, self._places.numbers.instances[type_].data)
        self._scop.give_back()
        if self._randoms:
            self._randoms.give_back()


def numbers_of(places, mechanism, bare):
    """What a parameter is, of all instances, as draws_in_run() asks for it."""
    if bare in mechanism.globals:
        return np.array([mechanism.globals[bare]])
    if bare not in dict(mechanism.parameters) or places.offset(mechanism.name, bare) is None:
        return None
    return places.numbers_of(mechanism.name, bare)
