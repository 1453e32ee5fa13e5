"""What is on its way in a session of NEURON: events of NetCons, and what instances send themselves."""

from __future__ import annotations

import functools
import math

import numpy as np

from ._errors import Refused
from ._neuron_hand_over import NETCON, OWN, SOURCE
from ._neuron_mechanisms import asks_when
from ._neuron_session import ELSEWHERE, EVENTS, RELAY

_no_connection = 2**64 - 1
#: NEURON has a spike of a voltage that much later than the step in which it crosses the threshold, in ms.
LATE = 1e-10

_numbers_of_awaited = 8  # rank, time, instance, connection, weight, flag, whether a spike, whether movable


class Queue:
    """The events that wait when a run begins at step `first`, and when it ends. times: [ms] where it begins, and where
    each step of it ends.

    A spike that has not reached all is given as such, by its source and time, where what waits is what it sends.
    delays: {NetCon's number: ms} of those that are others in the run. sent_by_hoc: [(NetCon's number, time)] of all
    else that NetCons await. heard_ms: what arrives no later was heard of, though a run would hear of it now.
    """

    def __init__(self, places, events, first, times, given, played):
        self._places, self._first, self._given, self._played = places, first, given, played
        self._dt, self._begun = places.h.dt, places.h.t
        self._netcons, self._delays = places.session.all_netcons, places.session.delays
        guests = places.session.guests
        of_guests = guests.of_netcons if guests else ()
        self._of_source = {source: [number for number in numbers if places.session.are_active[number]
                                    and number not in of_guests]
                           for source, numbers in places.netcons_of.items()}
        self._own, self.spikes, self.sent_by_hoc, self._moments = [], {}, [], times
        self._has_bins = has_bins(places.h)
        self._late = 1e-6 * self._dt if self._has_bins else 0.0  # what comes by NetCons
        self._times_in_neuron = {}  # (source, time of a spike in a bin): NEURON's
        self._known = {}  # the same of spikes that are known before, by when a run announces them
        of_given = {}  # (type, instance): [(time, flag)]
        waiting = {}  # NetCon's number: [time]
        self._delays_of = {}  # source: _delays_from()
        self._asking = {}  # mechanism: _asks_when() of those that it is the target of
        self.delays, self._behind_steps = {}, {}  # the latter: source: how far its delays go beyond whole steps, ms
        if self._has_bins:
            self._find_bins()
        for kind, time, integers, numbers in events:
            if time < self._begun - self._dt / 2:
                raise Refused([f"an event waits that was to come at {time:.10g} ms, before t = {self._begun:.10g} ms"])
            if kind == NETCON:
                waiting.setdefault(integers[0], []).append(time)
            elif kind == OWN and given.owns(*integers[:2]):
                of_given.setdefault(tuple(integers[:2]), []).append((time, numbers[0]))
            elif kind == OWN:
                self._own.append((time, *integers, numbers[0]))
            elif kind == SOURCE:
                source = places.source_of(*integers)
                self._add_spike(source, time - places.least_delay(source))
        self._sort_out(waiting)
        given.draw(of_given, times[-1])

    @functools.cached_property
    def _due(self):
        """What NEURON delivers at each of the times: it looks half a step ahead."""
        return self._moments + 0.5 * self._dt

    def _delays_from(self, source):
        """Those of a source's NetCons, each once."""
        if source not in self._delays_of:
            self._delays_of[source] = np.unique([self._delays[n] for n in self._of_source.get(source, ())])
        return self._delays_of[source]

    def _find_bins(self):
        """With queue_mode(1) NEURON delivers what comes by a NetCon at the time of a step, which it tells the target:
        onto what asks for its time spikes go in whole steps. In the middle between two it takes the later one."""
        session, told = self._places.session, {}
        for source, numbers in self._of_source.items():
            if not session.is_on_grid(source):
                self.delays |= {number: self._delays[number] + self._late for number in numbers}
            asking = [number for number in numbers if self._asks_when(number)]
            if not asking:
                continue
            steps = np.array([self._delays[number] / self._dt for number in numbers])
            behind = steps - np.floor(steps + 1e-6)
            if session.is_on_grid(source):
                self.delays |= {number: self._delay_of_steps(self._delays[number]) for number in asking}
            elif source in self._given.sources and np.ptp(behind) < 1e-6:
                self._behind_steps[source] = float(np.mean(behind)) * self._dt
                self.delays |= {number: math.floor(step + 1e-6) * self._dt for number, step in zip(numbers, steps)}
            else:
                number = asking[0]
                told[number] = f"{self._netcons[number].hname()}: an event between two steps onto " \
                               f"{self._asks_when(number)}, which asks for its time, with cvode.queue_mode(1), where " \
                               "it is that of a step"
        if told:
            raise Refused(list(told.values()))

    def _asks_when(self, number):
        """The name of a NetCon's target, if it asks at what time an event comes."""
        target = self._places.session.target_of(number)
        name = target and (target[0][1] or target[0][0])
        if name not in self._asking:
            mechanism = name and self._places.session.mechanism(name)
            self._asking[name] = name if mechanism and asks_when(mechanism.code) else None
        return self._asking[name]

    def _delay_of_steps(self, delay):
        """In whole steps, as a bin has it."""
        return math.floor(delay / self._dt + 0.5 + 1e-9) * self._dt

    def _in_bin(self, source, time):
        """When a run has a spike of a source whose delays are whole steps there: no two at one time."""
        in_run = self._delay_of_steps(time + self._behind_steps[source])
        while self._times_in_neuron.get((source, in_run), time) != time:
            in_run += 1e-7 * self._dt
        self._times_in_neuron[source, in_run] = time
        return in_run

    def _step_of(self, time):
        """At the beginning of which step an event is heard of (network::Boundaries)."""
        if time <= self._begun:
            return math.floor(time / self._dt + 0.5 + 1e-6)
        return self._first + int(np.searchsorted(self._due, time))

    def _time_of(self, source, time):
        """When a run has a spike that NEURON has at that time."""
        return self._in_bin(source, time) if source in self._behind_steps else time

    def _add_spike(self, source, in_neuron):
        time = self._time_of(source, in_neuron)
        times = self.spikes.setdefault(source, [])
        if not any(abs(time - other) < 1e-9 for other in times):
            times.append(time)

    def _sort_out(self, waiting):
        """Tells spikes of sources from what NetCon.event() sent. NEURON delivers at a step's end what arrives until
        then, a run when the next begins: of what arrives at `first` some may have been heard of."""
        now = self._first * self._dt + 1e-6 * self._dt
        spikes, heard = [], []
        for source, netcons in self._of_source.items():
            sent = {}
            for number in netcons:
                for time in waiting.get(number, ()):
                    sent.setdefault(round((time - self._delays[number]) / (1e-3 * self._dt)), {})[number] = time
            for listed in sent.values():
                in_neuron = _sent(np.array(list(listed.values())), np.array([self._delays[n] for n in listed]))
                spike = self._time_of(source, in_neuron)
                arrives = {n: spike + self.delays.get(n, self._delays[n]) for n in netcons}
                behind = [time for n, time in arrives.items()
                          if n not in listed and self._step_of(time) >= self._first]
                if all(time <= now for time in behind):
                    spikes.append((source, in_neuron, listed, min(arrives[n] for n in listed)))
                    heard += behind
        self.heard_ms = max(heard, default=np.finfo(float).min)
        for source, in_neuron, listed, earliest in spikes:
            if earliest > self.heard_ms:
                self._add_spike(source, in_neuron)
                for number, time in listed.items():
                    waiting[number].remove(time)
        for number, times in waiting.items():
            self.sent_by_hoc += [(number, time) for time in times]
        for number, _ in self.sent_by_hoc:
            target = self._places.session.target_of(number)
            mechanism = target and self._places.session.mechanism(target[0][1] or target[0][0])
            if mechanism and mechanism.arguments:
                raise Refused([f"{self._netcons[number].hname()}: an event of hoc's, or of a part of a spike, onto "
                               f"{mechanism.name}, whose connections keep numbers"])

    def put_into(self, state, fires_elsewhere):
        """Adds columns to a State of the run. fires_elsewhere: Elsewhere.fires()."""
        given = {source: [(in_run := self._time_of(source, time), self._announced(source, in_run, time))
                          for time in times] for source, times in self._given.spikes.items()}
        for source in self._given.early:
            for in_run, announced in given[source]:
                if self._step_of(announced) < self._first:
                    self.spikes.setdefault(source, []).append(in_run)
        for source in (*state.fires, *fires_elsewhere):
            self._add_spike(source, self._begun + LATE)
        if self._places.session.has_others:
            state.columns[ELSEWHERE] = {}
        for population in state.columns:
            columns = state.columns[population]
            cells = state.cells_of(population)
            columns["spikes/time"] = _listed([
                [self._announced((population, c), time, self._times_in_neuron.get(((population, c), time), time))
                 for time in sorted(self.spikes.get((population, c), []))] for c in range(cells)])
        if self.sent_by_hoc:
            state.columns[EVENTS] = {"spikes/time": _listed(
                [[_sent(time, self._places.session.lead)] for _, time in self.sent_by_hoc])}
        awaited, ranks = {}, {}
        for time, type_, instance, netcon, is_movable, flag in self._own:
            population, cell, mechanism, number = self._places.owner_of(type_, instance)
            rank = ranks[population, cell] = ranks.get((population, cell), -1) + 1
            if mechanism == "NetStim":
                flag = 1.0  # its first event has another flag, which means the same
            weight = self._netcons[netcon].weight[0] if netcon >= 0 else 0.0
            keeps = netcon >= 0 and state.keeps_arguments(population, mechanism)
            connection = self._places.connection_of(netcon) if keeps else _no_connection
            awaited.setdefault((population, f"{mechanism}/awaited"), {}).setdefault(cell, []).extend(
                _bits(rank, time, number, connection, weight, flag, 0, is_movable))
        for (population, cell), times in given.items():
            listed = awaited.setdefault((population, f"{population}/awaited"), {}).setdefault(cell, [])
            for _, announced in times:
                if (population, cell) in self._given.early and self._step_of(announced) < self._first:
                    continue
                rank = ranks[population, cell] = ranks.get((population, cell), -1) + 1
                listed.extend(_bits(rank, announced, 0, _no_connection, 0.0, 0.0, 1, 0))
        for population, column in dict.fromkeys([*state.sending, *awaited]):
            cells = awaited.get((population, column), {})
            state.columns[population][column] = _listed(
                [cells.get(c, []) for c in range(state.cells_of(population))])

    def _announced(self, source, time, in_neuron):
        """When a run announces a spike that it has at a time."""
        announced = time
        if lead := self._given.early.get(source, 0.0):
            delays = self._delays_from(source)
            announced = _sent(time + delays, delays + lead)
        if source in self._given.sources:
            self._known[source, announced] = in_neuron
        return announced

    def give_back(self, of_populations, times):
        """NEURON's queue, which is empty, becomes what is on its way at the end. of_populations: {population: {column:
        …}} of the run."""
        places, numbers = self._places, self._places.numbers
        last = self._first + len(times)
        self._given.give_back()
        self._played.give_back(times[-1])
        for number, time in self.sent_by_hoc:
            if self._step_of(time) >= last:
                numbers.put_event(number, time)
        for population in [*places.populations(), ELSEWHERE]:
            columns = of_populations.get(population, {})
            for cell, of_cell in enumerate(_by_cell(columns.get("spikes/time"))):
                for time in of_cell:
                    if not places.session.is_on_grid((population, cell)) or round(time / self._dt) < last:
                        self._send((population, cell), self._in_neuron((population, cell), time, times), last)
            for column, known in columns.items():
                if column.endswith("/awaited"):
                    self._give_own(population, column[:-len("/awaited")], known, last)
        numbers.put_answers()
        numbers.put_time(times[-1])

    def _in_neuron(self, source, time, times):
        """The time of a spike as NEURON has it."""
        step = round(time / self._dt) - self._first - 1
        if self._places.session.is_on_grid(source) and 0 <= step < len(times):
            return times[step] + LATE
        if step == -1 and (source[0] == RELAY or self._places.session.is_crossing(source)):  # heard of as the run began
            return self._begun + LATE
        if source in self._given.sources:
            return self._spike_of(source, time)
        return self._times_in_neuron.get((source, time), time)

    def _spike_of(self, source, announced):
        """The same of one that a run announced then."""
        return self._known.get((source, announced), announced + self._given.early.get(source, 0.0))

    def _send(self, source, spike, last):
        """spike: its time in NEURON."""
        for number in self._of_source.get(source, ()):
            arrives = spike + self._delays[number]
            if self._step_of(arrives + self._late) >= last:
                self._places.numbers.put_event(number, arrives)

    def _give_own(self, population, mechanism, column, last):
        places = self._places
        numbers, of_cells = np.array(column[0]).reshape(-1, _numbers_of_awaited), column[1].astype(int)
        counts = numbers.view(np.uint64)
        order = np.argsort(counts[:, 0], kind="stable")
        cells = np.repeat(np.arange(len(of_cells)), of_cells // _numbers_of_awaited)
        for cell, (_, time, _, _, weight, flag, _, _), (_, _, number, connection, _, _, is_spike, is_movable) in zip(
                cells[order].tolist(), numbers[order].tolist(), counts[order].tolist()):
            if is_spike:  # that it announced
                self._send((population, cell), self._spike_of((population, cell), time), last)
                continue
            type_, instance = places.instance_of(population, cell, mechanism, number)
            netcon = places.netcon_of(population, cell, mechanism, number, connection, weight) \
                if weight != 0 or connection != _no_connection else -1
            places.numbers.put_own_event(time, type_, instance, flag, netcon, is_movable)


def has_bins(h):
    """Whether NEURON has a queue of bins of a step each beside its other one, for what comes by NetCons."""
    return h.CVode().queue_mode() % 2 == 1


def put_back(places, events, time, played):
    """NEURON's queue, which is empty, is what it was."""
    numbers = places.numbers
    played.give_back(time)
    numbers.put_time(min([time, *(when for _, when, _, _ in events)]))  # NEURON ends where one is of the past
    for kind, when, integers, flags in events:
        if kind == NETCON:
            numbers.put_event(integers[0], when)
        elif kind == OWN:
            type_, instance, netcon, is_movable = integers
            numbers.put_own_event(when, type_, instance, flags[0], netcon, is_movable)
        elif kind == SOURCE:
            source = places.source_of(*integers)
            for number in places.netcons_of[source]:
                numbers.put_event(number, when - places.least_delay(source) + places.session.delays[number])
    numbers.put_answers()
    numbers.put_time(time)


def _sent(arrives, delays):
    """When a spike is sent that arrives at a time, or at times: to the last bit, where one number does for all, and
    else no later."""
    near = np.ravel(arrives)[0] - np.ravel(delays)[0]
    return max((near, np.nextafter(near, -np.inf), np.nextafter(near, np.inf)),
               key=lambda sent: (np.count_nonzero(sent + delays == arrives), np.count_nonzero(sent + delays < arrives)))


def _bits(rank, time, instance, connection, weight, flag, is_spike, is_movable):
    numbers = np.array([0, time, 0, 0, weight, flag, 0, 0], float)
    counts = numbers.view(np.uint64)
    counts[[0, 2, 3, 6, 7]] = [rank, instance, connection, is_spike, is_movable]
    return numbers.tolist()


def _listed(of_cells):
    """A column of a state: of some numbers of each cell."""
    return (np.array([number for of_cell in of_cells for number in of_cell], float),
            np.array([len(of_cell) for of_cell in of_cells], np.uint32))


def _by_cell(column):
    if column is None:
        return []
    numbers, counts = column
    return np.split(numbers, np.cumsum(counts.astype(int))[:-1])
