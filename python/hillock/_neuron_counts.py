"""Vectors into which APCounts put the times of what they count: `record()`, which is C code."""

from __future__ import annotations

import ctypes

import numpy as np

_NAME = "APCount"


class Counts:
    """Those that have a Vector. entries: [(thread, type, index)] of what a run has to record for them, as Trajectories
    has them; problems: why some cannot be taken."""

    def __init__(self, h, places):
        self.entries, self.problems, self._vectors, self._begun = [], [], [], []
        type_ = places.type_of.get(_NAME)
        if type_ not in places.numbers.instances:
            return
        data = places.numbers.instances[type_].data
        n, space = places.offset(_NAME, "n"), places.offset(_NAME, "space")
        if n is None or space is None:
            self.problems.append(f"{_NAME}: whether it records cannot be found among NEURON's numbers")
            return
        addresses = np.ascontiguousarray(data[:, space]).view(np.uint64).tolist()
        vectors = {_address(vector): vector for vector in h.List("Vector")} if any(addresses) else {}
        for number, thread in enumerate(places.hand_over.threads):
            for instance in range(thread.instances[type_].count if type_ in thread.instances else 0):
                at = instance * data.shape[1] + n
                instance = places.numbers.index(number, type_, at) // data.shape[1]
                if not addresses[instance]:
                    continue
                if addresses[instance] not in vectors:
                    self.problems.append(f"{_NAME}: the Vector that it records into is no more")
                    continue
                self.entries.append((number, type_, at))
                self._vectors.append(vectors[addresses[instance]])
                self._begun.append(data[instance, n])

    def give(self, rows, times):
        """rows: [step, entry]; times: [step], ms."""
        for column, begun, vector in zip(rows.T, self._begun, self._vectors):
            steps = np.flatnonzero(np.diff(column, prepend=begun))
            if len(steps):
                known = np.zeros(int(column[-1]))
                known[:min(len(vector), len(known))] = vector.as_numpy()[:len(known)]
                known[len(known) - len(steps):] = times[steps]
                vector.from_python(known)


def _address(vector):
    """Of what a mechanism keeps of a Vector, behind the count and the number that hoc's object has of itself."""
    return ctypes.c_size_t.from_address(vector.hocobjptr() + 2 * ctypes.sizeof(ctypes.c_int)).value
