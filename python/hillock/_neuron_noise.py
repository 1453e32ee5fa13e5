"""The spikes of NetStims with noise, from NEURON's own streams of random numbers, as far as a run goes; and of those
whose spikes arrive at once, which have to be known before.

A generator that nobody sends events to does not depend on the run: what it will draw is drawn before, in NEURON's
arithmetic, and its stream stands in NEURON behind it. Streams are Random123's (philox4x32, Salmon et al. 2011), known
by three numbers; others belong to NEURON alone.
"""

from __future__ import annotations

import math

import numpy as np

from ._neuron_library import is_9


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


class Stream:
    """One of NEURON's streams. ids: three; sequence, which: of the next word."""

    def __init__(self, ids, sequence, which, key):
        self.ids, self.sequence, self.which, self._key = ids, int(sequence), int(which), key
        self._words, self._begin = np.empty((0, 4), np.uint64), 0

    def negexp(self):
        """An exponential draw of mean 1."""
        at = self.sequence - self._begin
        if not 0 <= at < len(self._words):
            self._begin = self.sequence
            counters = np.empty((64, 4), np.uint64)
            counters[:, 0] = np.arange(self.sequence, self.sequence + 64) & 0xFFFFFFFF
            counters[:, 1:] = [self.ids[2], self.ids[0], self.ids[1]]
            self._words, at = philox(counters, self._key), 0
        word = float(self._words[at, self.which])
        self.which += 1
        if self.which == 4:
            self.which, self.sequence = 0, self.sequence + 1
        return -math.log((word + 1.0) * _spacing)


class Noise:
    """The NetStims of a session that draw, or are among `short`, whose spikes arrive at once. problems, left: as
    of Streams."""

    def __init__(self, places, short):
        self._places, session = places, places.session
        made = session.artificial.get("NetStim", [])
        reached = {target[1] for _, target in session.ends_of_netcons if target and target[0] == ("NetStim", None)}
        drawing = [cell for cell, netstim in enumerate(made) if netstim.noise > 0]
        self.cells = sorted({*drawing, *(cell for name, cell in short if name == "NetStim" and cell not in reached)})
        self.problems, self._streams, self._words, self.left = [], {}, None, []
        if reached & set(drawing):
            self.problems.append("NetStim with noise that a NetCon leads to")
        self._instances = places.instances_of_cells.get("NetStim")
        self.sources = [("NetStim", cell) for cell in self.cells]
        if not drawing:
            return
        key = int(places.h.Random().Random123_globalindex())
        if is_9():
            self._streams = {cell: Stream([int(x) for x in made[cell].ranvar.get_ids()],
                                          *divmod(int(made[cell].ranvar.get_seq()), 4), key) for cell in drawing}
        elif not self.problems and self._may_ask():
            self._read(key)
        else:
            self.problems.append("NetStim with noise whose numbers are not Random123's (noiseFromRandom123)")

    def _may_ask(self):
        """NEURON ends the process where a stream is another's."""
        numbers, type_ = self._places.numbers, self._places.type_of["NetStim"]
        return self._places.hand_over.survives(lambda: numbers.kept_in_c(type_))

    def _read(self, key):
        self._words = self._places.numbers.kept_in_c(self._places.type_of["NetStim"])[0]
        words = self._words.view(np.uint32).reshape(-1, 5)
        for row, cell in zip(words, self._in_order()):
            self._streams[cell] = Stream([int(x) for x in row[:3]], row[3], row[4], key)

    def _in_order(self):
        """Cells that NEURON gives words of, in the order of its instances."""
        made = self._places.session.artificial["NetStim"]
        return sorted((cell for cell in self.cells if made[cell].noise > 0), key=lambda cell: self._instances[cell])

    def instances(self):
        """(type, instance) of each."""
        return [(self._places.type_of["NetStim"], int(self._instances[cell])) for cell in self.cells]

    def draw(self, waiting, end):
        """{(population, cell): [ms]} of the spikes, as Given.draw() has it."""
        if not self.cells:
            return {}
        type_, spikes_of = self._places.type_of["NetStim"], {}
        data = self._places.numbers.instances[type_].data
        interval, number, noise, event, on, ispike = (
            self._places.offset("NetStim", name) for name in ("interval", "number", "noise", "event", "on", "ispike"))
        for cell in self.cells:
            instance, stream = int(self._instances[cell]), self._streams.get(cell)
            row, spikes = data[instance], spikes_of.setdefault(("NetStim", cell), [])
            time, flag = waiting.get((type_, instance), [(None, None)])[-1]
            while time is not None and time <= end:
                now, time = time, None
                if row[on] != 1:
                    continue
                if flag == _begins:
                    row[ispike] = 0
                row[ispike] += 1
                spikes.append(now)
                mean = row[interval] if row[interval] > 0 else 0.01
                row[event] = (1.0 - row[noise]) * mean + row[noise] * mean * stream.negexp() if stream else mean
                if row[ispike] >= row[number]:
                    row[on] = 0
                else:
                    time, flag = now + row[event], 1.0
            if time is not None:
                self.left.append((time, type_, instance, flag))
        return spikes_of

    def give_back(self):
        """As Given.give_back(), and the streams stand where they would."""
        if self._words is None:
            for cell, stream in self._streams.items():  # of 9.0
                self._places.session.artificial["NetStim"][cell].ranvar.set_seq(4 * stream.sequence + stream.which)
            return
        words = self._words.view(np.uint32).reshape(-1, 5)
        for row, cell in zip(words, self._in_order()):
            row[3:] = self._streams[cell].sequence & 0xFFFFFFFF, self._streams[cell].which
        self._places.numbers.put_words(self._places.type_of["NetStim"], self._words)
