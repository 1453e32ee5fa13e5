"""What a run leaves for the next one, while nothing of the session has changed but what a run changes.

A run that stops where hoc's events come, for a line of progress say, goes on in the same model then.
"""

from __future__ import annotations

from operator import attrgetter, methodcaller

import numpy as np

from ._neuron_hand_over import CAPACITANCE
from ._neuron_library import References, changes_of_structure, has_legacy_units
from ._neuron_stimuli import Stimuli



class Keeper:
    """What is kept while parts of one run follow one another, to `until`, ms; without parts nothing is."""

    def __init__(self):
        self.until, self._kept = None, None

    def begin(self, until):
        """Parts follow, up to that time; until end() those that begin after the first are parts of the same run."""
        if self.until is None:
            self.until = until

    def end(self):
        """Nothing follows, and nothing is kept."""
        if self._kept:
            self._kept.session.let_go()
        self.until = self._kept = None

    def follows(self, time):
        """Whether a part follows that goes on at that time, in ms."""
        return self.until is not None and time < self.until

    def put(self, kept):
        self._kept = kept

    def look(self):
        """Lets go of what is kept where the script has got rid of some of it."""
        if self._kept and self._kept.has_lost_some():
            self._kept.session.let_go()
            self._kept = None

    def take(self, h, numbers, held):
        """Kept, if it is as these Numbers and Held have it; None else."""
        kept, self._kept = self._kept, None
        if kept and (kept.session.held.signature() != held.signature() or not kept.is_as(h, numbers)):
            kept.session.let_go()
            kept = None
        return kept


class Kept:
    """The session, places, model and all that belongs to it of a run that has ended. steps: of the model."""

    def __init__(self, h, places, state, *, junctions, recorded, observed, entries, early, model, steps):
        numbers, session = places.numbers, places.session
        self.session, self.places, self.junctions = session, places, junctions
        self.recorded, self.observed, self.entries = recorded, observed, entries
        self.early, self.model, self.steps = early, model, steps
        self._covered = state.covered()
        self._static = np.ones(len(numbers.weights), bool)
        self._static[state.weights()] = False
        self._columns = self._columns_of_parameters()
        self._numbers = self._compared(h, numbers)
        objects = [*session.all_netcons, *(point for listed in session.points.values() for point, _, _ in listed),
                   *(cell for made in session.artificial.values() for cell in made)]
        self._references = References(objects)
        self._before = self._references.counts()

    def has_lost_some(self):
        """Whether the script holds some objects no more, which are only here because they are kept."""
        return bool(np.any(self._references.counts() < self._before))

    def is_as(self, h, numbers):
        """Whether nothing has changed but what a run changes."""
        if self._numbers is None:
            return False
        now = self._compared(h, numbers)
        return now is not None and len(now) == len(self._numbers) and all(map(_are_same, now, self._numbers))

    def renew(self, h, numbers, hand_over, held):
        """It is that of these numbers."""
        self.session.renew(h, numbers, held)
        self.places.renew(numbers, hand_over)

    def records(self, entries, observed):
        """Whether what is recorded is the same. entries: as Trajectories has them."""
        return entries == self.entries and observed.segments == self.observed.segments

    def goes_on(self, junctions, early, steps):
        """Whether the model is the same, and lasts so many steps."""
        known = self.junctions
        return (junctions.rows, junctions.peers, junctions.direct, early) == \
            (known.rows, known.peers, known.direct, self.early) and steps <= self.steps

    def _columns_of_parameters(self):
        """[(mechanism, [place])], None where some have no place."""
        columns = []
        for name, mechanism in self.session.mechanisms().items():
            places = [self.places.offset(name, bare) for bare, _ in mechanism.parameters]
            if None in places:
                return None
            columns.append((name, places))
        return columns

    def _compared(self, h, numbers):
        """All that makes the model; None where it is not known."""
        if self._columns is None or numbers.count > 1 or (changes := changes_of_structure()) is None:
            return None
        session, type_of = self.session, self.places.type_of
        netcons = session.all_netcons
        compared = [changes, h.dt, h.celsius, h.secondorder, has_legacy_units(), Stimuli(h).signature(),
                    h.List("NetCon").count(), list(map(methodcaller("active"), netcons)),
                    session.recorders_now(numbers),
                    list(map(attrgetter("delay"), netcons)), list(map(attrgetter("threshold"), netcons)),
                    [(source.gid, source.node, source.threshold) for source in numbers.sources],
                    numbers.sources_of_netcons, numbers.targets, numbers.area, numbers.at_nodes(CAPACITANCE, 0)]
        compared += [mechanism.globals_now(h) for mechanism in session.mechanisms().values()]
        if len(numbers.weights) != len(self._static):
            return None
        compared.append(numbers.weights[self._static])
        for type_, of in numbers.instances.items():
            compared += [type_, of.count, of.nodes, of.pointers, of.pointer_kinds]
        for name, places in self._columns:
            if type_of[name] in numbers.instances:
                compared.append(numbers.instances[type_of[name]].data[:, places])
        for name, type_ in type_of.items():
            if name.endswith("_ion") and type_ in numbers.instances:
                data = numbers.instances[type_].data
                covered = self._covered.get(type_, np.zeros(data.shape, bool))
                if covered.shape != data.shape:
                    return None
                compared.append(np.where(covered, 0, data)[:, :3])
        return compared


def _are_same(one, other):
    if isinstance(one, np.ndarray) and one.dtype.kind == "f":
        return np.array_equal(one, other, equal_nan=True)
    return np.array_equal(one, other) if isinstance(one, np.ndarray) else one == other
