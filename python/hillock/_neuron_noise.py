"""The spikes of NetStims with noise, from NEURON's own streams of random numbers, as far as a run goes; and of those
whose spikes arrive at once, which have to be known before.

A generator that nobody sends events to does not depend on the run: what it will draw is drawn before, in NEURON's
arithmetic, and its stream stands in NEURON behind it. Streams are Random123's (philox4x32, Salmon et al. 2011), known
by three numbers; those of other Randoms are shared, and NEURON says what they give (Randoms).
"""

from __future__ import annotations

import math

import numpy as np

from ._neuron_library import is_9
from ._neuron_randoms import OF_HOC, ONE_STREAM, Randoms


_spacing = 1.0 / 4294967297.0  # of NEURON's uniform numbers: 1/(2^32 + 1)
_begins = 3  # the flag of what INITIAL sends


def philox(counters, key):
    """Philox4x32-10 of [n, 4] counters with a key of one word, the other one 0: [n, 4] words."""
    words = np.array(counters, np.uint64).T
    keys = np.array([key, 0], np.uint64)
    low = np.uint64(0xFFFFFFFF)
    for _ in range(10):
        first = words[0] * np.uint64(0xD2511F53)
        second = words[2] * np.uint64(0xCD9E8D57)
        words = np.array([second >> np.uint64(32) ^ words[1] ^ keys[0], second & low,
                          first >> np.uint64(32) ^ words[3] ^ keys[1], first & low])
        keys = keys + np.array([0x9E3779B9, 0xBB67AE85], np.uint64) & low
    return words.T


def philox_of_one(counter, key):
    """The same of one counter, of which arrays take thirty times as long."""
    word_0, word_1, word_2, word_3 = counter
    other = 0
    for _ in range(10):
        first, second = word_0 * 0xD2511F53, word_2 * 0xCD9E8D57
        word_0, word_1, word_2, word_3 = (second >> 32 ^ word_1 ^ key, second & 0xFFFFFFFF,
                                          first >> 32 ^ word_3 ^ other, first & 0xFFFFFFFF)
        key, other = key + 0x9E3779B9 & 0xFFFFFFFF, other + 0xBB67AE85 & 0xFFFFFFFF
    return [word_0, word_1, word_2, word_3]


class Stream:
    """One of NEURON's streams. ids: three; sequence, which: of the next word."""

    def __init__(self, ids, sequence, which, key):
        self.ids, self.sequence, self.which, self._key = ids, int(sequence), int(which), key
        self._words, self._begin, self._asked = [], 0, 0

    def negexp(self):
        """An exponential draw of mean 1."""
        at = self.sequence - self._begin
        if not 0 <= at < len(self._words):
            behind = (self.ids[2], self.ids[0], self.ids[1])
            self._asked += 1
            count = 64 if self._asked > 8 else 1  # many streams draw little
            counters = [(sequence & 0xFFFFFFFF, *behind) for sequence in range(self.sequence, self.sequence + count)]
            self._words = philox(counters, self._key).tolist() if count > 1 else [philox_of_one(counters[0], self._key)]
            self._begin, at = self.sequence, 0
        word = float(self._words[at][self.which])
        self.which += 1
        if self.which == 4:
            self.which, self.sequence = 0, self.sequence + 1
        return -math.log((word + 1.0) * _spacing)


class NetStims:
    """What NetStims do when an event comes that they sent themselves."""

    def __init__(self, places):
        self._at = [places.offset("NetStim", name)
                    for name in ("interval", "number", "noise", "event", "on", "ispike")]

    def receive(self, row, time, flag, stream):
        """As Program.receive(). stream: of one that draws, or None."""
        interval, number, noise, event, on, ispike = self._at
        if row[on] != 1:
            return [], []
        if flag == _begins:
            row[ispike] = 0
        row[ispike] += 1
        mean = row[interval] if row[interval] > 0 else 0.01
        row[event] = (1.0 - row[noise]) * mean + row[noise] * mean * stream.negexp() if stream else mean
        if row[ispike] >= row[number]:
            row[on] = 0
            return [], [time]
        return [(time + row[event], 1.0)], [time]


class Noise:
    """The NetStims of a session that draw, or are among `short`, whose spikes arrive at once. problems, left: as
    of Streams; shared: {cell: Randoms' number of its Random, or None of NEURON's one stream} of those whose numbers are
    none of Random123's, which are left to Ahead; randoms: Randoms, or None."""

    def __init__(self, places, short):
        self._places, session = places, places.session
        made = session.artificial.get("NetStim", [])
        reached = {target[1] for _, target in session.ends_of_netcons
                   if target and target[0] == ("NetStim", None)}
        drawing = [cell for cell, netstim in enumerate(made) if netstim.noise > 0]
        self.problems, self._streams, self.left = [], {}, []
        self.shared, self.randoms = {}, None
        if reached & set(drawing):
            self.problems.append("NetStim with noise that a NetCon leads to")
        elif drawing:
            self._find_streams(made, drawing)
        given = {*drawing, *(cell for name, cell in short if name == "NetStim" and cell not in reached)}
        self.cells = sorted(given - {*self.shared})
        self._instances = places.instances_of_cells.get("NetStim")
        self.sources = [("NetStim", cell) for cell in self.cells]

    def _find_streams(self, made, drawing):
        places, key = self._places, int(self._places.h.Random().Random123_globalindex())
        if is_9():
            self._streams = {cell: Stream([int(x) for x in made[cell].ranvar.get_ids()],
                                          *divmod(int(made[cell].ranvar.get_seq()), 4), key) for cell in drawing}
            return
        randoms = Randoms(places)
        for cell in drawing:
            kind, words, random = randoms.of(made[cell])
            if kind == ONE_STREAM:
                self.shared[cell] = None
            elif kind == OF_HOC:
                self.shared[cell] = random
            else:
                self._streams[cell] = Stream(words[:3], *words[3:], key)
        self.randoms = randoms

    def instances(self):
        """(type, instance) of each."""
        return [(self._places.type_of["NetStim"], int(self._instances[cell])) for cell in self.cells]

    def draw(self, waiting, end):
        """{(population, cell): [ms]} of the spikes, as Given.draw() has it."""
        if not self.cells:
            return {}
        type_, spikes_of, law = self._places.type_of["NetStim"], {}, NetStims(self._places)
        data = self._places.numbers.instances[type_].data
        for cell in self.cells:
            instance, stream = int(self._instances[cell]), self._streams.get(cell)
            spikes = spikes_of.setdefault(("NetStim", cell), [])
            events = waiting.get((type_, instance), [])[-1:]
            while events and events[0][0] <= end:
                events, fired = law.receive(data[instance], *events[0], stream)
                spikes += fired
            self.left += [(time, type_, instance, flag) for time, flag in events]
        return spikes_of

    def give_back(self):
        """As Given.give_back(), and the streams stand where they would."""
        made = self._places.session.artificial.get("NetStim", [])
        for cell, stream in self._streams.items():
            if is_9():
                made[cell].ranvar.set_seq(4 * stream.sequence + stream.which)
            else:
                self.randoms.put(made[cell], stream.sequence & 0xFFFFFFFF, stream.which)
