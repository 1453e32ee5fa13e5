"""What waits in NEURON's queue beside a model's events: events of hoc's, Vectors that are recorded at times of their
own, and those that are played in steps."""

from __future__ import annotations

import ctypes
import functools

import numpy as np

from ._neuron_library import TIME, Other, double_p, library


def next_of_hoc(h, until, ranks):
    """(when the next of hoc's events (cvode.event), of any rank's, has its time, if it does in a run to `until`, in ms, or
    else None, whether this rank has several of that time)"""
    times = [other.time for other in Other.all(int(h.ParallelContext().nthread())) if other.kind == Other.HOC]
    first = ranks.least(min((time for time in times if time < until - h.dt / 2), default=None))
    return first, times.count(first) > 1


def steps_to(h, until, dt):
    """How many steps a psolve of NEURON's takes to there."""
    return int((until * (1 + 1e-11) - h.t) / dt + 1e-9)


def steps_before(h, time):
    """How many steps NEURON goes until it is about to deliver an event."""
    return int((time - h.t) / h.dt - 0.5 - 1e-6)


class Others:
    """Those of a session. times: [ms] where a run begins, and where each step of it ends. entries: [(thread, type,
    index)] of what is recorded of it, as Trajectories has them. problems: why some cannot be taken."""

    def __init__(self, places, times):
        self._places, self._times, self._dt = places, times, places.h.dt
        self.problems, self.entries, self._recorded, self.played = [], [], [], []
        self._played_last = {}  # variable: what NEURON played into it last
        threads = places.numbers.count
        self._all = [other for other in Other.all(threads) if other.kind != Other.RANKS]  # NEURON has that anew
        if places.h.CVode().queue_mode() >= 2:
            self.problems.append("cvode.queue_mode(…, 1): NEURON hands over no events that mechanisms send themselves")
        if places.h.CVode().queue_mode() and any(other.kind == Other.HOC for other in self._all):
            self.problems.append("cvode.event() that waits, with cvode.queue_mode(1)")
        self._check_times()
        wiring = places.session.wiring
        of_wiring, self.into_wiring = wiring.sources() if wiring else {}, []
        for other in self._all:
            if other.kind == Other.HOC:
                if self._step_of(other.time) < len(times) - 1:
                    self.problems.append(f"cvode.event() at {other.time:.10g} ms")
                continue
            variable = other.variable(threads)
            address = library().hillock_recorded_at(ctypes.c_void_p(other.player))
            if variable is None and other.kind == Other.STEPS and address in of_wiring:
                self.into_wiring.append((other, address, *of_wiring[address]))
            elif variable is None:
                what = "play in steps into" if other.kind == Other.STEPS else "record of"
                self.problems.append(f"Vector.{what} what is no voltage and no number of a mechanism on a cell")
            elif other.kind == Other.STEPS:
                self.played.append((other, variable))
            else:
                self.entries.append(variable)
                self._recorded.append(other)

    def _check_times(self):
        """An event whose time is no number holds up others in NEURON's queue, in whatever order these came."""
        times = [other.time for other in self._all]
        times += [time for other in self._all if other.kind == Other.AT_TIMES for time in other.times_to_come()]
        if np.any(np.isnan(times)):
            self.problems.append("Vector.record at times of which some are no numbers")

    @functools.cached_property
    def _due(self):
        """What NEURON delivers at each of the times: it looks half a step ahead."""
        return self._times + 0.5 * self._dt

    def _step_of(self, time):
        """The end of which step NEURON has come to when it delivers an event."""
        return int(np.searchsorted(self._due, time))

    def take(self):
        """They wait no longer."""
        Other.all(self._places.numbers.count, takes=True)

    def clear_queues(self, earliest, now):
        """It is `now`, and nothing waits; `earliest` is when the first event may come that is put there, in ms. Where
        NEURON clears its queues it forgets hoc's events, too, wherever these are; what was handed over waits no longer
        anyway."""
        if not any(other.kind == Other.HOC for other in self._all):
            self._places.hand_over.clear_queues(now)  # from when the bins of queue_mode(1) count
        self._places.numbers.put_time(earliest - self._places.h.dt)

    def put_back(self):
        """They wait as before."""
        for other in self._all:
            other.undo()
            other.put()

    def steps_of(self, other, variable):
        """([step], [value]) of a Vector that is played, until the run's end: NEURON plays it."""
        where = self._where(variable)
        begun = where[0]
        other.keep()
        steps, values = other.play_all(where, self._due[:-1])
        if len(values):
            self._played_last[variable] = values[-1]
        where[0] = begun
        return steps, values

    def value_of(self, variable):
        """What is played into has it now."""
        return self._where(variable)[0]

    def _where(self, variable):
        """variable: (thread, type, index), or an address."""
        if isinstance(variable, int):
            return ctypes.cast(variable, double_p)
        return self._places.hand_over.where(*variable)

    def give_first(self):
        """What NEURON records before the first step, of its own numbers."""
        for other in self._recorded:
            while self._step_of(other.time) == 0:
                other.deliver()

    def give(self, rows, exact):
        """rows: [step, number of `entries`]; exact: [number] None, or what it was before any time is known of it.
        What NEURON records of them."""
        for other, (thread, type_, index), column, of_time in zip(self._recorded, self.entries, rows.T, exact):
            if type_ == TIME:
                self._give_times(other)
                continue
            where = self._places.hand_over.where(thread, type_, index)
            if not of_time:
                other.deliver_all(where, np.ascontiguousarray(column), self._due)
                continue
            while self._step_of(other.time) < len(self._times):
                where[0] = of_time(other.time)
                other.deliver()

    def _give_times(self, other):
        """hoc's t is that of the step's beginning until its end is over, when NEURON delivers what came until then."""
        h, shown = self._places.h, -np.inf
        known = h.t
        while (step := self._step_of(other.time)) < len(self._times):
            shown = max(shown, self._times[step if other.time > self._times[step] else max(0, step - 1)])
            h.t = shown
            other.deliver()
        h.t = known

    def give_back(self):
        """They wait for what comes next."""
        for variable, value in self._played_last.items():
            self._where(variable)[0] = value
        for other in self._all:
            if np.isfinite(other.time):
                other.put()
