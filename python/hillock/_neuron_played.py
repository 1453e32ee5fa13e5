"""Vectors that a session plays into its points, linear between times (`Vector.play(&x, t, 1)`)."""

from __future__ import annotations

import numpy as np


class Played:
    """until: when the run ends, ms. entries: {(population, mechanism): [an entry of the points' `play`]}. problems: why
    some cannot be taken."""

    def __init__(self, places, until):
        self._places = places
        self.entries, self.problems, self._played = {}, [], []
        ways = places.hand_over.ways_of_playing(places.h)
        if 2 in ways:
            self.problems.append("Vector.play in steps (taken is what is linear between times, play(&x, t, 1))")
        elif ways and not places.hand_over.survives(places.numbers.played):
            self.problems.append("Vector.play into what is no number of a mechanism")
        if self.problems or not ways:
            return
        self._played = places.numbers.played()
        for _, type_, index, times, values in self._played:
            instance, offset = divmod(index, places.numbers.instances[type_].data.shape[1])
            name = places.hand_over.names[type_]
            variable = places.named(name, offset)
            listed = places.point_of(type_, instance)
            if not listed or variable not in [bare for bare, _ in places.session.mechanism(name).parameters]:
                self.problems.append(f"Vector.play into {name}: only parameters of point processes are played into")
                continue
            key, point = listed
            times, values = _as_neuron_goes_on(times, values, until)
            self.entries.setdefault(key, []).append({"point": point, "variable": variable,
                                                     "csv": {"time": times, "value": values}})

    def first_ms(self, now):
        """The earliest time that an event may have that give_back() puts into NEURON's queue."""
        return min([now, *(times[-1] for *_, times, _ in self._played)])

    def give_back(self, now):
        """NEURON goes on playing at that time."""
        if self._played:
            self._places.numbers.put_played([
                (which, int(min(np.searchsorted(times, now + 1e-9, side="right"), len(times) - 1)))
                for which, _, _, times, _ in self._played])


def _as_neuron_goes_on(times, values, until):
    """Behind the last row NEURON follows the line through the last two, or where these are of one time keeps their
    mean."""
    last, end = times[-1], max(until, times[-1]) + 1.0
    if len(times) < 2:
        return times, values
    if times[-2] == last:
        behind = [(values[-2] + values[-1]) / 2] * 2
        return np.append(times, [last, end]), np.append(values, behind)
    slope = (values[-1] - values[-2]) / (last - times[-2])
    return np.append(times, end), np.append(values, values[-1] + slope * (end - last))
