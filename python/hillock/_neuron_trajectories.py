"""What NEURON records in every step, and how it gets that back."""

from __future__ import annotations

import ctypes

import numpy as np

from ._neuron_library import double_p, int_p, library


class _Steps(ctypes.Structure):
    """What a thread records."""

    _fields_ = [("thread", ctypes.c_int), ("records", ctypes.c_int), ("objects", ctypes.c_void_p),
                ("count", ctypes.c_size_t), ("numbers", ctypes.c_void_p), ("values", double_p)]


class Trajectories:
    """What is recorded in every step. entries: [trajectory] (thread, type, index) of which number of NEURON's it is:
    the index of a node, or of a number among all of a mechanism's instances. room: for how many steps at once; 0 gives
    them step by step, as who draws lines of graphs needs them. players: what of NEURON records."""

    def __init__(self, hand_over, room):
        self._threads = [_Recording(hand_over, number, room) for number in range(len(hand_over.threads))]
        self.entries = [(of.number, int(type_), int(index)) for of in self._threads
                        for type_, index in zip(of.types, of.indices)]
        self.players = set().union(*(of.players for of in self._threads))

    def give(self, rows, times, plot=None, every=1):
        """rows: [step, trajectory]; times: [step], ms. Vectors get them. plot: called where so many steps are done,
        with NEURON's numbers as they are then; of its exceptions the first is raised at the end."""
        parts = np.split(rows, np.cumsum([len(of.types) for of in self._threads])[:-1], axis=1)
        one_by_one = []
        for of, some in zip(self._threads, parts):
            if of.room:
                of.give(some, times)
            else:
                one_by_one.append((of, np.ascontiguousarray(some)))
        try:
            if one_by_one:
                _give_steps(one_by_one, np.ascontiguousarray(times), plot, every)
        finally:
            for of in self._threads:
                of.free()

    def drop(self, time):
        """Nothing came of it, and it is still that time."""
        for of in self._threads:
            of.drop(time)


def _give_steps(of_threads, times, plot, every):
    failures = []

    def plotted():
        try:
            if plot and not failures:
                plot()
        except BaseException as failure:  # nothing may pass through NEURON's frames
            failures.append(failure)
    steps = (_Steps * len(of_threads))(*(of.steps(rows) for of, rows in of_threads))
    library().hillock_give_steps(
        ctypes.c_size_t(len(of_threads)), steps, ctypes.c_size_t(len(times)), times.ctypes.data_as(double_p),
        ctypes.c_size_t(every), ctypes.CFUNCTYPE(None)(plotted))
    if failures:
        raise failures[0]


class _Recording:
    """Trajectories of a thread. types, indices: [trajectory]. room: for how many steps it has any; 0 where each is
    given by itself. players: what of NEURON records."""

    def __init__(self, hand_over, number, room):
        self._hand_over, self.number = hand_over, number
        room, self._records, count = ctypes.c_int(room), ctypes.c_int(), ctypes.c_int()
        self._objects, pointers, arrays = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
        types, indices = int_p(), int_p()
        hand_over.callback("nrn2core_get_trajectory_requests_", None, ctypes.c_int, *[ctypes.c_void_p] * 8)(
            number, *(ctypes.byref(x) for x in (room, self._records, self._objects, count, types, indices, pointers,
                                                arrays)))
        self.room = room.value
        self.types = hand_over.taken(types, count.value, int)
        self.indices = hand_over.taken(indices, count.value, int)
        self._places = arrays if self.room else pointers
        objects = ctypes.cast(self._objects, ctypes.POINTER(ctypes.c_void_p))
        self.players = {objects[i] for i in range(self._records.value)}

    def give(self, rows, times):
        """rows: [step, trajectory]."""
        places = ctypes.cast(self._places, ctypes.POINTER(double_p))
        for k, column in enumerate(np.ascontiguousarray(rows.T)):
            ctypes.memmove(places[k], column.ctypes.data_as(double_p), column.nbytes)
        self._end(len(rows), times[-1] if len(times) else None)

    def steps(self, rows):
        """What the library needs to give the same step by step."""
        return _Steps(self.number, self._records, self._objects, len(self.types), self._places,
                      rows.ctypes.data_as(double_p))

    def drop(self, time):
        """As Trajectories.drop()."""
        if self.room:
            self._end(0, time)
        self.free()

    def _end(self, count, time):
        if self._records.value and time is not None:
            self._hand_over.callback("nrn2core_trajectory_return_", None, *[ctypes.c_int] * 4, ctypes.c_void_p,
                                     ctypes.c_double)(self.number, self._records, self.room, count, self._objects, time)

    def free(self):
        """What NEURON made for whoever asked."""
        self._hand_over.free(self._objects)
        self._hand_over.free(self._places)
