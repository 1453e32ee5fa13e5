"""What NEURON draws from: the one stream of its mechanisms, and in 8.2 what NetStims draw from beside it, streams of
Random123 and Randoms of hoc's of any other kind."""

from __future__ import annotations

import ctypes
import math
import os

import numpy as np

from ._errors import Refused
from ._neuron_library import is_9, library

#: Kinds of what one draws from.
ONE_STREAM, OF_RANDOM123, OF_HOC = range(3)


def check_played(h):
    """NEURON's steps draw for Random.play(). Raises Refused."""
    objects = _objects_of(h)[1]
    if library().hillock_plays_randoms(objects, ctypes.c_size_t(len(objects))):
        raise Refused(["Random.play: a Random sets a number in each step, which NEURON shows nobody"])


def _objects_of(h):
    """([Random], what hoc has of each)."""
    randoms = list(h.List("Random"))
    return randoms, (ctypes.c_void_p * len(randoms))(*(one.hocobjptr() for one in randoms))


class Randoms:
    """Those of a session. What a Random of another generator than Random123 gives is what it gives in a process of its
    own, so that NEURON's stands where it was until give_back()."""

    def __init__(self, places):
        self._hand_over, self._type = places.hand_over, places.type_of["NetStim"]
        self._all, self._objects = _objects_of(places.h)
        self._known, self._used = {}, {}  # by number: [what it gives], how many of these are drawn

    def of(self, netstim):
        """(kind, the five words of a stream of Random123, the number of a Random of hoc's)."""
        words = (ctypes.c_uint32 * 5)()
        kind = self._ask(netstim, 0, words)
        if kind < 0:
            raise Refused(["NetStim with noise: this NEURON keeps its numbers in another way than is known"])
        if kind == OF_HOC:
            self._known.setdefault(words[0], ())
            self._used[words[0]] = 0
        return kind, list(words), words[0]

    def put(self, netstim, sequence, which):
        """A stream of Random123 stands there."""
        self._ask(netstim, 1, (ctypes.c_uint32 * 5)(0, 0, 0, sequence, which))

    def _ask(self, netstim, takes, words):
        return library().hillock_noise_of(ctypes.c_void_p(netstim.hocobjptr()), self._type, self._objects,
                                          ctypes.c_size_t(len(self._all)), takes, words)

    def next(self, random):
        """What the Random of that number gives next."""
        at = self._used[random]
        if at == len(self._known[random]):
            self._look_ahead(2 * at + 64)
        self._used[random] = at + 1
        return self._known[random][at]

    def _look_ahead(self, count):
        """All are known as far, from where NEURON's stand."""
        reads, writes = os.pipe()
        with os.fdopen(reads, "rb") as file:
            child = os.fork()
            if child == 0:
                try:
                    with os.fdopen(writes, "wb") as to:
                        for random in self._known:
                            to.write(np.array([self._all[random].repick() for _ in range(count)]).tobytes())
                    os._exit(0)
                finally:
                    os._exit(1)
            os.close(writes)
            found = np.frombuffer(file.read())
        if os.waitpid(child, 0)[1] != 0:
            raise Refused(["NetStim with noise: NEURON does not say what its Random gives"])
        self._known = dict(zip(self._known, found.reshape(-1, count).tolist()))

    def give_back(self):
        """NEURON's go on behind what was drawn."""
        for random, count in self._used.items():
            for _ in range(count):
                self._all[random].repick()


class OfRandom:
    """One of Randoms. count: of numbers drawn here."""

    def __init__(self, randoms, random):
        self.count, self._randoms, self._random = 0, randoms, random

    def negexp(self):
        """As NetStims draw: whatever distribution it has."""
        self.count += 1
        return self._randoms.next(self._random)


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

    def negexp(self):
        """As NetStims draw."""
        return self.exprand(1.0)

    def normrand(self, mean, deviation):
        """Normal, by the polar method of Marsaglia and Bray (1964)."""
        square = 1.0
        while square >= 1.0:
            first = 2.0 * self.scop_random() - 1.0
            second = 2.0 * self.scop_random() - 1.0
            square = first * first + second * second
        return first * math.sqrt(-2.0 * math.log(square) / square) * deviation + mean

    def give_back(self):
        """NEURON's goes on behind what was drawn here."""
        if self.count:
            self.put_back()

    def put_back(self):
        """NEURON's stands where it was seen, or behind what was drawn here."""
        self._seed(float(self._state.value))
