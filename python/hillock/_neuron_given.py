"""Cells whose spikes are known before a run, which is given them: artificial ones, and points that are apart."""

from __future__ import annotations

import numpy as np

from ._neuron_ahead import Ahead
from ._neuron_noise import Noise
from ._neuron_queue import has_bins
from ._neuron_streams import Streams


class Given:
    """NetStims that draw or whose spikes arrive at once, VecStims, and those of Ahead. problems: what cannot be taken;
    early: {(population, cell): ms} how much before its time a spike is sent of those with a delay shorter than dt, and
    0 of those that are known before for the sake of bins;
    whole: Ahead.whole, whose texts are no part of the run; draws_of_stream: whether some draw from NEURON's
    one stream."""

    def __init__(self, places):
        self._places, session = places, places.session
        # With a delay of just a step a spike may come, by round-off, in the step in which it is sent.
        just, most = 1.000001 * places.h.dt, min(session.delays, default=np.inf)
        short = {source for number, (source, target) in enumerate(session.ends_of_netcons)
                 if source and target and session.sends_events(source) and
                 (session.is_short(number) or source[0] == "NetStim" and session.delays[number] < just)
                 } if most < just else set()
        at_once = short
        if has_bins(places.h):  # which decide what their targets know of their time
            sources = {source for source, target in session.ends_of_netcons if source and target}
            short = short | set(filter(session.sends_events, sources))
        noise = Noise(places, short)
        self._kinds = [noise]
        self._kinds += [Streams(places, name) for name, made in session.artificial.items()
                        if made and getattr(session.mechanism(name), "plays", False)]
        self._ahead = Ahead(places, short, noise)
        self._kinds.append(self._ahead)
        self.whole, self.draws_of_stream = self._ahead.whole, self._ahead.draws_of_stream
        self.problems = [problem for kind in self._kinds for problem in kind.problems]
        self.early = {source: session.lead if source in at_once else 0.0
                      for kind in self._kinds for source in kind.sources if source in short}
        self.spikes = {}
        self._instances = {instance for kind in self._kinds for instance in kind.instances()}
        self.sources = {source for kind in self._kinds for source in kind.sources}

    def owns(self, type_, instance):
        """Whether an instance is one of them."""
        return (type_, instance) in self._instances

    def watch(self, keys):
        """As Ahead.watch(): nothing of a run knows what these are."""
        self._ahead.watch(keys)

    def values(self, key, times):
        """As Ahead.values()."""
        return self._ahead.values(key, times)

    def value_before(self, key, time):
        """As Ahead.value_before()."""
        return self._ahead.value_before(key, time)

    def draw(self, waiting, end):
        """Makes `spikes` known, {(population, cell): [ms]} until the run's end, and where the cells stand then in
        NEURON's arrays. waiting: {(type, instance): [(time, flag)]} of what they sent themselves; end: ms."""
        for kind in self._kinds:
            self.spikes.update(kind.draw(waiting, end))

    def give_back(self):
        """What waits, and what the cells know of themselves, is NEURON's again."""
        for kind in self._kinds:
            kind.give_back()
            for event in kind.left:
                self._places.numbers.put_own_event(*event, -1, 0)
