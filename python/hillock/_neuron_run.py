"""`psolve` on Hillock: the session is taken, runs, and goes on where the run ends."""

from __future__ import annotations

import sys

import numpy as np

from . import _hillock
from ._errors import Refused
from ._model import Model
from ._neuron_given import Given
from ._neuron_hand_over import MEMBRANE_CURRENT, TIME, VOLTAGE, Trajectories
from ._neuron_junctions import Junctions
from ._neuron_model import ModelTree
from ._neuron_numbers import Numbers
from ._neuron_places import Places
from ._neuron_played import Played
from ._neuron_queue import LATE, Queue, of_others, put_back
from ._neuron_session import Session
from ._neuron_state import State


_room_of_gpu = 16  # room_for_awaited in simulator/backends/device/kernels/views.hpp


class Options:
    """How sessions run. backend: "auto", "cpu" or "cuda"; threads: of the CPU, one a core without. plot: called, with
    what is recorded as it is then, where every so many steps are done. is_core_neuron: as with CoreNEURON, Vectors
    that are recorded at times of their own are not."""

    def __init__(self, backend="auto", threads=None, plot=None, every=1, is_core_neuron=False):
        self.backend, self.threads, self.plot, self.every = backend, threads, plot, every
        self.is_core_neuron = is_core_neuron


def run(h, hand_over, until, options):
    """Takes the session from where it is to a time, in ms, as far as whole steps go. The last one is NEURON's own: what
    mechanisms assign, currents of ions and of membranes, and what an event at that time does, is as it leaves it."""
    steps = int((until - h.t) / h.dt + 1e-9)
    if steps > 1:
        _run_here(h, hand_over, steps - 1, options)
    if steps > 0:
        h.fadvance()
        if options.plot and steps % options.every == 0:
            options.plot()


def _run_here(h, hand_over, steps, options):
    numbers = Numbers(h, hand_over)
    session = Session(h, numbers)
    first = round(h.t / h.dt)
    if abs(first * h.dt - h.t) > 1e-6 * h.dt:
        session.refuse(f"t = {h.t:.10g} ms is no multiple of dt = {h.dt:g} ms")
    if h.ParallelContext().nhost() > 1:
        session.refuse("several ranks (ParallelContext.nhost)")
    by_hoc, recorded_apart = of_others(h)
    session.refused += [f"cvode.event(): {text} waits" for text in by_hoc]
    if recorded_apart and not options.is_core_neuron:
        session.refuse(f"{len(recorded_apart)} Vectors are recorded at times of their own, record(…, Dt)")
    places = Places(h, session, hand_over, numbers) if not session.refused else None
    junctions = Junctions(places) if places else None
    played = Played(places, h.t + (steps + 1) * h.dt) if places else None
    session.refused += junctions.problems + played.problems if places else []
    if session.refused:
        raise Refused(session.refused)
    begun = h.t
    times = _times(begun, h.dt, steps)
    if recorded_apart:
        print(f"Hillock: {len(recorded_apart)} Vectors are recorded at times of their own, record(…, Dt): as with "
              "CoreNEURON they get nothing during psolve", file=sys.stderr)
    given = Given(places)
    if given.problems:
        raise Refused(given.problems)
    trajectories = Trajectories(hand_over, 0 if options.plot else steps)
    events = None
    try:
        recorded = _Recorded(places, trajectories)
        events, above, watches = numbers.events(), numbers.above(), numbers.watches()
        hand_over.close()
        queue = Queue(places, events, first, times[-1], given, played)
        # A step more, since samples at a run's very end are none of it.
        written = ModelTree(session, places, queue.sent_by_hoc, junctions, given.early, played.entries)
        tree = written.tree((first + steps + 1) * h.dt, recorded.entries)
        if session.refused:
            raise Refused(session.refused)
        simulation = _hillock.Simulation(Model(tree)._native, _backend_for(given, options.backend),
                                         options.threads or 0, 400, lambda *_: None, saves_assigned=first > 0)
        simulation.begin(None, {}, set())
        state = State(places, simulation.columns(), above, watches, junctions)
        queue.put_into(state)
        simulation.start_at(first, state.columns, queue.heard_ms)
        simulation.advance(first + steps)
    except BaseException:
        trajectories.drop(begun)
        if events is not None:
            put_back(places, events, begun, played)
        raise
    trajectories.give(recorded.rows(simulation.reports, times), times, options.plot, options.every)
    spikes, fired = _spikes_of(places, simulation.spikes, first, times, given.spikes)
    spikes += [(begun + LATE, *source) for source in state.fires]
    columns = simulation.columns()
    state.give_back(columns, fired)
    queue.give_back(columns, times)
    _note_spikes(places, spikes)


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
    """What NEURON records in every step, as recordings of a model."""

    def __init__(self, places, trajectories):
        session = places.session
        self.entries = []
        self._columns = []  # [trajectory] the recording's name, or None of the time
        names = {}
        for thread, type_, index in trajectories.entries:
            key = type_, places.numbers.index(thread, type_, index)
            if key[0] != TIME and key not in names:
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
        """[step, trajectory]"""
        data = {report["name"]: np.asarray(report["data"], float)[:, 0] for report in reports}
        rows = np.empty((len(times), len(self._columns)))
        for k, name in enumerate(self._columns):
            rows[:, k] = times if name is None else data[name]
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
        gid = session.gids.get(source)
        if gid is not None:
            of_gids.append((time, gid))
        elif source in session.netcon_of:
            places.hand_over.record_spike(session.netcon_of[source], time)
    if of_gids:
        places.hand_over.put_spikes(*zip(*of_gids))
