"""`psolve` on Hillock: the session is taken, runs, and goes on where the run ends."""

from __future__ import annotations

import contextlib

import numpy as np

from . import _hillock
from ._errors import FileError, ModelError, Refused, UsageError
from ._model import Model
from ._neuron_given import Given
from ._neuron_hand_over import MEMBRANE_CURRENT, TIME, VOLTAGE, Trajectories, is_9
from ._neuron_junctions import Junctions
from ._neuron_model import ModelTree
from ._neuron_numbers import Numbers
from ._neuron_observers import Observed
from ._neuron_others import Others
from ._neuron_places import Places
from ._neuron_played import Played
from ._neuron_queue import LATE, Queue, put_back
from ._neuron_ranks import Elsewhere
from ._neuron_session import Session
from ._neuron_state import State


_room_of_gpu = 16  # room_for_awaited in simulator/backends/device/kernels/views.hpp


class Options:
    """How sessions run. backend: "auto", "cpu" or "cuda"; threads: of the CPU, one a core without. plot: called, with
    what is recorded as it is then, where every so many steps are done. knows: whether what a Vector records may be
    what does not change during a run."""

    def __init__(self, backend="auto", threads=None, plot=None, every=1, knows=lambda vector: False):
        self.backend, self.threads, self.plot, self.every, self.knows = backend, threads, plot, every, knows


def run(h, hand_over, until, options, ranks, observers):
    """Takes the session from where it is to a time, in ms, as far as whole steps go, but for the last one, which
    finish() does. ranks: Ranks; observers: Observers."""
    steps = int((until - h.t) / h.dt + 1e-9)
    if steps > 1:
        try:
            _run_here(h, hand_over, steps - 1, options, ranks, observers)
        except (FileError, ModelError, UsageError) as error:
            raise Refused(_errors_of(error)) from error
    return steps


def finish(h, steps, options, ranks):
    """The last of so many steps, which NEURON does: what mechanisms assign, currents of ions and of membranes, and what
    an event at that time does, is as it leaves it."""
    if steps > 0:
        ranks.last_step(h.fadvance)
        if options.plot and steps % options.every == 0:
            options.plot()


def _errors_of(error):
    """What is wrong, without what is only said on the side."""
    problems = [str(problem) for problem in getattr(error, "problems", ()) if problem.severity == "error"]
    return problems or [str(error)]


def _run_here(h, hand_over, steps, options, ranks, observers):
    with contextlib.ExitStack() as undo:
        run = ranks.together(lambda: _Run(h, hand_over, steps, options, ranks, observers, undo))
        ranks.together(run.describe)
        ranks.together(run.begin)
        ranks.together(run.find_state)
        ranks.together(run.advance)
        undo.pop_all()
    run.give_back()


class _Run:
    """The session from where it is on, so many steps. Of several ranks each has a run of its own, all make them and
    call their methods together, and an exception of one is one of all. undo: has, when something raises, the session as
    it was. Raises Refused."""

    def __init__(self, h, hand_over, steps, options, ranks, observers, undo):
        self._h, self._hand_over, self._options, self._ranks, self._undo = h, hand_over, options, ranks, undo
        self._observers = observers
        self._others_joined = ranks.joined()
        numbers = self._numbers = Numbers(h, hand_over)
        session = self._session = Session(h, numbers, ranks.count > 1, observers.names)
        self._first, self._steps = round(h.t / h.dt), steps
        if abs(self._first * h.dt - h.t) > 1e-6 * h.dt:
            session.refuse(f"t = {h.t:.10g} ms is no multiple of dt = {h.dt:g} ms")
        if self._first < 0:
            session.refuse(f"it begins at {h.t:g} ms, before 0")
        self._begun = h.t
        self._times = _times(self._begun, h.dt, steps)
        if session.refused:
            raise Refused(session.refused)
        self._places = Places(h, session, hand_over, numbers)
        self._junctions = Junctions(self._places)
        self._others = Others(self._places, [self._begun, *self._times])
        self._given = Given(self._places)
        if problems := session.refused + self._junctions.problems + self._others.problems + self._given.problems + \
                observers.problems:
            raise Refused(problems)

    def describe(self):
        """The model of it, and what is on its way; from now on NEURON's queue is empty."""
        h, hand_over, places, others, undo = self._h, self._hand_over, self._places, self._others, self._undo
        begun, steps, first = self._begun, self._steps, self._first
        elsewhere = self._elsewhere = Elsewhere(self._ranks, self._session, self._junctions, self._given.early)
        undo.callback(others.put_back)
        others.take()
        uses = hand_over.uses_of_vectors(h)
        sizes = [len(vector) for vector, _, _ in uses]
        self._played = Played(places, begun + (steps + 1) * h.dt, others, uses)
        if problems := self._junctions.problems + self._played.problems:
            raise Refused(problems)
        self._trajectories = Trajectories(hand_over, 0 if self._options.plot else steps)
        undo.callback(self._trajectories.drop, begun)
        unknown = []
        for (vector, kind, player), size in zip(uses, sizes):
            if kind == 3 and player not in self._trajectories.players:
                vector.resize(size)  # NEURON made room for what it then found that it does not know
                unknown.append((vector, hand_over.recorded_at(player)))
        self._observed = Observed(self._observers, places, self._trajectories.entries + others.entries, unknown)
        if ignored := [vector.hname() for vector, _ in self._observed.unknown if not self._options.knows(vector)]:
            raise Refused([f"{name} records what is no voltage and no number of a mechanism on a cell"
                           for name in ignored])
        if self._observers.problems:
            raise Refused(self._observers.problems)
        self._recorded = _Recorded(places, self._trajectories.entries + others.entries, self._observed)
        events = self._numbers.events()
        self._above, self._watches = self._numbers.above(), self._numbers.watches()
        undo.callback(put_back, places, events, begun, self._played)
        undo.callback(others.clear_queues, self._played.first_ms(begun) - h.dt)
        hand_over.close()
        if is_9() and not _are_laid_out(self._numbers, hand_over):
            raise Refused(["an artificial cell was made since finitialize()"])
        self._queue = Queue(places, events, first, self._times[-1], self._given, self._played)
        # A step more, since samples at a run's very end are none of it.
        written = ModelTree(self._session, places, self._queue.sent_by_hoc, self._junctions, self._given.early,
                            self._played.entries, elsewhere)
        tree = written.tree((first + steps + 1) * h.dt, self._recorded.entries)
        if self._session.refused:
            raise Refused(self._session.refused)
        self._model = Model(tree)
        self._outside = elsewhere.outside(self._model) if elsewhere.count else None

    def begin(self):
        """It stands at t = 0."""
        joined, backend = self._others_joined, _backend_for(self._given, self._options.backend)
        if joined and backend == "auto" and not joined.have_own_gpus:  # a GPU that several share, they wait for
            backend = "cpu"
        threads = self._options.threads or (joined.threads if joined else 0)
        self._simulation = _hillock.Simulation(
            self._model._native, backend, threads, 400, lambda *_: None, saves_assigned=self._first > 0, ranks=joined,
            outside=self._outside)
        self._simulation.begin(None, {}, set())

    def find_state(self):
        """Of NEURON's numbers."""
        self._state = State(self._places, self._simulation.columns(), self._above, self._watches, self._junctions,
                            self._elsewhere.count)
        self._queue.put_into(self._state)

    def advance(self):
        """To the end."""
        self._simulation.start_at(self._first, self._state.columns, self._queue.heard_ms)
        self._simulation.advance(self._first + self._steps)

    def give_back(self):
        """Everything is NEURON's, as it is at the end."""
        places, others, options, times = self._places, self._others, self._options, self._times
        trajectories, simulation = self._trajectories, self._simulation
        rows, of_trajectories = self._recorded.rows(simulation.reports, times), len(trajectories.entries)
        others.give_first()
        trajectories.give(rows[:, :of_trajectories], times, options.plot, options.every)
        others.give(rows[:, of_trajectories:])
        spikes, fired = _spikes_of(places, simulation.spikes, self._first, times, self._given.spikes)
        spikes += [(self._begun + LATE, *source) for source in self._state.fires]
        columns = simulation.columns()
        self._state.give_back(columns, fired)
        others.clear_queues(self._played.first_ms(times[-1]) - self._h.dt)
        self._queue.give_back(columns, times)
        others.give_back()
        _note_spikes(places, spikes)


def _are_laid_out(numbers, hand_over):
    """NEURON 9.0 ends the process where it is given numbers of artificial cells that it does not know yet."""
    types = [type_ for type_, of in numbers.instances.items() if of.nodes is None]
    return not types or hand_over.survives(lambda: [numbers.put(type_, numbers.instances[type_].data)
                                                    for type_ in types])


def _backend_for(given, backend):
    """A GPU has room for so many spikes of a cell that are known before."""
    source, times = max(given.spikes.items(), key=lambda one: len(one[1]), default=(None, ()))
    if len(times) <= _room_of_gpu or backend == "cpu":
        return backend
    if backend == "cuda":
        raise Refused([f"{source[0]}[{source[1]}]: {len(times)} spikes of a NetStim or VecStim are known before the "
                       f"run, and a GPU has room for {_room_of_gpu} of each (the CPU has no such limit, nor have "
                       "shorter runs)"])
    return "cpu"


def _times(begin, dt, steps):
    """[step] its end, as NEURON counts."""
    halves = np.full(2 * steps + 1, 0.5 * dt)
    halves[0] = begin
    return np.add.accumulate(halves)[2::2]


class _Recorded:
    """What NEURON records, as recordings of a model. entries: [(thread, type, index)] as Trajectories has them, and
    what is recorded for Observed."""

    def __init__(self, places, entries, observed):
        session = places.session
        self._observed, self.entries = observed, list(observed.entries)
        self._columns = []  # [trajectory] the recording's name, or None of the time
        names = {}
        for thread, type_, index in entries:
            key = type_, places.numbers.index(thread, type_, index)
            if key[0] != TIME and key not in names and places.hand_over.names.get(type_) not in session.left_out:
                names[key] = f"n{len(names)}"
                self._add(places, session, names[key], *key)
            self._columns.append(names.get(key))

    def _add(self, places, session, name, type_, index):
        if type_ in (VOLTAGE, MEMBRANE_CURRENT):
            what = {"variable": "v" if type_ == VOLTAGE else "i_membrane"}
            self.entries.append({"name": name, **session.place_of(session.segment_at(index)), **what})
            return
        mechanism = places.hand_over.names[type_]
        of = places.numbers.instances[type_]
        instance, offset = divmod(index, of.data.shape[1])
        bare = places.named(mechanism, offset)
        if bare is None:
            session.refuse(f"{mechanism}: a number is recorded that is none of its variables")
        elif point := places.point_of(type_, instance):
            (population, _), number = point
            self.entries.append({"name": name, "points": f"{population}_{mechanism}[{number}]",
                                 "variable": f"{mechanism}.{bare}", "type": "float64"})
        else:
            segment = session.segment_at(int(of.nodes[instance]))
            variable = bare if mechanism.endswith("_ion") else f"{mechanism}.{bare}"
            self.entries.append({"name": name, **session.place_of(segment), "variable": variable})

    def rows(self, reports, times):
        """[step, number of the entries]"""
        data = {report["name"]: np.asarray(report["data"], float)[:, 0] for report in reports}
        rows = np.empty((len(times), len(self._columns)))
        for k, name in enumerate(self._columns):
            rows[:, k] = times if name is None else data[name]
        self._observed.give(data, rows)
        return rows


def _spikes_of(places, spikes, first, times, given):
    """([(time, population, cell)] as NEURON has them, {(population, cell)} that it sees spike when it goes on): it
    looks for a step's spikes at the beginning of the next one. given: Given.spikes, whose times are known."""
    dt, fired = places.h.dt, set()
    seen = [(time, *source) for source, known in given.items() for time in known]
    for population, (of_times, ids) in spikes.items():
        for time, cell in zip(of_times.tolist(), ids.tolist()):
            if population in places.session.artificial:
                if (population, cell) not in given:
                    seen.append((time, population, cell))
                continue
            step = round(time / dt) - first - 1
            if step == len(times) - 1:
                fired.add((population, cell))
            else:
                seen.append((times[step] + LATE, population, cell))
    return seen, fired


def _note_spikes(places, spikes):
    """Whoever asked NEURON for spikes gets them, those of one time in the order of their NetCons."""
    session, of_gids = places.session, []
    order = {source: number for number, source in enumerate(session.netcon_of)}
    for time, *source in sorted(spikes, key=lambda one: (one[0], order.get(one[1:], 0))):
        source = tuple(source)
        if source in session.netcon_of:
            places.hand_over.record_spike(session.netcon_of[source], time)
        elif source in session.gids:
            of_gids.append((time, session.gids[source]))
    if of_gids:
        places.hand_over.put_spikes(*zip(*of_gids))
