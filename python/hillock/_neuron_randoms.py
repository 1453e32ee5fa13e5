"""What NEURON draws from: the one stream of its mechanisms, in 8.2 what NetStims draw from beside it, streams of
Random123 and Randoms of hoc's of any other kind, and Randoms that set a number in each step."""

from __future__ import annotations

import ctypes
import math
import os

import numpy as np

from ._errors import Refused
from ._neuron_library import double_p, is_9, knows_random_plays, library

#: Numbers that a run has room for, in a quarter of the machine's memory.
MOST_DRAWN = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 32
_what_at = 8  # of what hoc has of an object: NEURON's own

#: Kinds of what one draws from.
ONE_STREAM, OF_RANDOM123, OF_HOC = range(3)


def check_played(h):
    """Where a NEURON lays its numbers out whose Randoms set them, it is to be known where these are. Raises Refused."""
    if not knows_random_plays() and _are_played(_objects_of(h)[1]):
        raise Refused(["Random.play: a Random sets a number in each step, which this NEURON shows nobody"])


def _are_played(objects):
    return library().hillock_plays_randoms(objects, ctypes.c_size_t(len(objects)))


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
        found = _asked_aside(lambda: np.array([self._all[random].repick() for random in self._known
                                               for _ in range(count)]))
        self._known = dict(zip(self._known, found.reshape(-1, count).tolist()))

    def give_back(self):
        """NEURON's go on behind what was drawn."""
        for random, count in self._used.items():
            for _ in range(count):
                self._all[random].repick()


class PlayedRandoms:
    """What Randoms set in each step of a run (Random.play): NEURON plays them in a process of its own. entries:
    [((thread, type, index), [step] the number)]; problems: why some cannot be taken."""

    def __init__(self, places, steps, beside):
        """beside: what else may draw from Randoms meanwhile, or have numbers that are not seen here, by name, or None."""
        self._steps, self.entries, self.problems = steps, [], []
        randoms, objects = _objects_of(places.h)
        if not _are_played(objects):
            return
        found = ctypes.POINTER(ctypes.c_int)()
        plays = library().hillock_random_plays(objects, ctypes.c_size_t(len(objects)), ctypes.byref(found))
        if plays < 0:
            self.problems.append("Random.play: this NEURON keeps it in another way than is known")
            return
        listed = places.hand_over.taken(found, 3 * plays, int).reshape(-1, 3).tolist()
        drawn_from = {ctypes.c_void_p.from_address(objects[random] + _what_at).value for random, *_ in listed}
        if beside:
            self.problems.append(f"Random.play beside {beside}")
        if drawn_from & places.session.held.users:
            self.problems.append("Random.play of a Random from which mechanisms draw, too")
        if any(type_ <= 0 for _, type_, _ in listed):
            self.problems.append("Random.play into what is no number of a mechanism")
        if plays * steps > MOST_DRAWN:
            self.problems.append(f"Random.play: {plays * steps} random numbers in one run (there is room for "
                                 f"{MOST_DRAWN}; shorter runs have fewer)")
        if not self.problems:
            columns = _asked_aside(lambda: self._play(plays)).reshape(steps, plays).T
            self.entries = [((0, *place), column) for (_, *place), column in zip(listed, columns)]

    def _play(self, plays):
        """[step, number]"""
        rows = np.empty((self._steps, plays))
        library().hillock_play_randoms(ctypes.c_size_t(self._steps), rows.ctypes.data_as(double_p))
        return rows

    def give_back(self):
        """NEURON has played them."""
        if self.entries:
            library().hillock_play_randoms(ctypes.c_size_t(self._steps), None)


def _asked_aside(ask):
    """The numbers that ask() gives in a process of its own. Raises Refused where it fails."""
    reads, writes = os.pipe()
    with os.fdopen(reads, "rb") as file:
        child = os.fork()
        if child == 0:
            try:
                with os.fdopen(writes, "wb") as to:
                    to.write(ask().tobytes())
                os._exit(0)
            finally:
                os._exit(1)
        os.close(writes)
        found = np.frombuffer(file.read())
    if os.waitpid(child, 0)[1] != 0:
        raise Refused(["NEURON does not say what its Randoms give"])
    return found


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

    @property
    def number(self):
        """Of 32 bits, all that it knows of itself."""
        return float(self._state.value)

    @property
    def is_ran4(self):
        return self._is_ran4

    def stand_at(self, number):
        """NEURON's does."""
        self._seed(float(number))

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
