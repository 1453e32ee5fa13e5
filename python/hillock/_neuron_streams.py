"""The spikes of VecStims: times of a Vector, which only C code of the .mod file reads."""

from __future__ import annotations

import numpy as np

from ._neuron_mechanisms import named_behind

_ping = 2.0  # the flag of what one sends itself that is no event


class Streams:
    """The cells of one such mechanism. problems: why they cannot be taken; left: [(time, type, instance, flag)] of what
    they await, once draw() was called."""

    def __init__(self, places, name):
        self.name, self.problems = name, []
        self._places, self._type = places, places.type_of[name]
        self._instances = places.instances_of_cells[name].tolist()
        self.sources = [(name, cell) for cell in range(len(self._instances))]
        self._times = []  # [cell]
        self.left = []
        self._data = places.numbers.instances[self._type].data
        self._index, self._etime = places.offset(name, "index"), places.offset(name, "etime")
        if self._index is None or self._etime is None:
            self.problems.append(f"{name}: its index and etime cannot be found among NEURON's numbers")
            return
        self._times = self._read()
        if self._times is None:
            self.problems.append(f"{name}: the Vector that it plays is kept in a way that is not known here")
            return
        for cell, (instance, times) in enumerate(zip(self._instances, self._times)):
            following = int(self._data[instance, self._index])
            if following == -2:
                self.problems.append(f"{name}[{cell}]: it plays another Vector since the run began")
            elif np.any(np.diff(times[max(following - 1, 0):]) < 0):
                self.problems.append(f"{name}[{cell}]: the times of its Vector fall")

    def _read(self):
        """[cell] its Vector's numbers; None where these are not found."""
        held = self._places.session.held.vectors
        cells = [cell.hname() for cell in self._places.session.artificial[self.name]]
        if held.keys() >= set(cells):
            return [held[cell] for cell in cells]
        space = self._places.offset(self.name, "space")
        if space is not None:
            return [self._places.hand_over.vector_at(self._data[instance, space]) for instance in self._instances]
        if not named_behind(self._places.session.text_of(self.name), "BBCOREPOINTER"):
            return None
        counts, numbers = self._places.numbers.kept_in_c(self._type)
        if len(counts) != len(self._data) or sum(counts) != len(numbers):
            return None
        of_instances = np.split(numbers, np.cumsum(counts)[:-1])
        return [of_instances[instance] for instance in self._instances]

    def instances(self):
        """(type, instance) of each."""
        return [(self._type, instance) for instance in self._instances]

    def draw(self, waiting, end):
        """{(population, cell): [ms]} of the spikes, as Given.draw() has it."""
        return {source: self._draw(source[1], waiting.get((self._type, instance), []), end)
                for source, instance in zip(self.sources, self._instances)}

    def _draw(self, cell, waiting, end):
        instance, spikes = self._instances[cell], []
        row, times = self._data[instance], self._times[cell]
        for time, flag in waiting:
            while time is not None and time <= end:
                if flag == _ping:  # looks whether there is another Vector
                    time += row[self._places.offset(self.name, "ping")]
                    continue
                spikes.append(time)
                following, now, time = int(row[self._index]), time, None
                if 0 <= following < len(times):
                    row[self._etime], row[self._index] = times[following], following + 1
                    time = now + times[following] - now  # as nocmodl writes net_send(etime - t)
                else:
                    row[self._index] = -1
            if time is not None:
                self.left.append((time, self._type, instance, flag))
        return spikes

    def give_back(self):
        """As Given.give_back()."""
        self._places.numbers.put(self._type, self._data)
