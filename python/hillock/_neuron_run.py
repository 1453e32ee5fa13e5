"""`psolve` on Hillock: the session is taken, runs, and goes on where the run ends."""

from __future__ import annotations

import contextlib
import ctypes
import functools

import numpy as np

from . import _hillock
from ._errors import FileError, ModelError, Refused, UsageError
from ._model import Model
from ._neuron_calls import Called
from ._neuron_counts import Counts
from ._neuron_drawn import Drawn
from ._neuron_given import Given
from ._neuron_hand_over import CAPACITANCE, drop_freed, uses_of_vectors
from ._neuron_junctions import Junctions
from ._neuron_kept import Kept
from ._neuron_library import MEMBRANE_CURRENT, TIME, VOLTAGE, is_9, library, without_complaints
from ._neuron_lines import keep_lines
from ._neuron_mechanisms import set_in_events
from ._neuron_model import ModelTree
from ._neuron_numbers import Numbers
from ._neuron_observers import Observed
from ._neuron_others import Others, steps_to
from ._neuron_places import Places
from ._neuron_played import Played
from ._neuron_queue import LATE, Queue, put_back
from ._neuron_randoms import PlayedRandoms
from ._neuron_ranks import Elsewhere
from ._neuron_session import WIRES, Session
from ._neuron_state import State
from ._neuron_trajectories import Trajectories


_room_of_gpu = 16  # room_for_awaited in simulator/backends/device/kernels/views.hpp


class Options:
    """How sessions run. backend: "auto", "cpu" or "cuda"; threads: of the CPU, one a core without; precision, solver: as
    in a model file's run. plot: called, with what is recorded as it is then, where every so many steps are done. lines:
    Lines of graphs, for which Vectors record what may not change during a run, or None. watch: what a loop reads in every step, or
    None. recorders: as of recorders() before, or None. tell: called with what is done in another way than in NEURON. trust_c: NEURON computes what it has compiled of
    C code that is not read here. calls: Calls; has_parts: whether a run may end, by Called, where something is to be
    called."""

    def __init__(self, backend="auto", threads=None, precision="double", plot=None, every=1, lines=None,
                 watch=None, tell=lambda text: None, trust_c=False, calls=None, has_parts=False, solver="auto",
                 recorders=None):
        self.backend, self.threads, self.precision, self.solver = backend, threads, precision, solver
        self.plot, self.every, self.lines, self.watch, self.tell = plot, every, lines, watch, tell
        self.trust_c, self.calls, self.has_parts, self.recorders = trust_c, calls, has_parts, recorders


def run(h, hand_over, until, options, ranks, observers, held, keeper, layers=None, wiring=None,
        guests=None, crossings=None):
    """Takes the session from where it is to a time, in ms, as far as whole steps go, but for the last one, which
    finish() does. ranks: Ranks; observers: Observers; held: Held; keeper: Keeper; layers, wiring, guests, crossings:
    Layers, Wiring, Guests and Crossings, if there are some."""
    steps = steps_to(h, until, h.dt)
    if steps > 1:
        try:
            _run_here(h, hand_over, steps - 1, options, ranks, observers, held, keeper, layers, wiring, guests,
                      crossings)
        except (FileError, ModelError, UsageError) as error:
            raise Refused(_errors_of(error)) from error
    return steps


def finish(h, steps, options, ranks):
    """The last of so many steps, which NEURON does: what mechanisms assign, currents of ions and of membranes, and what
    an event at that time does, is as it leaves it."""
    def step():
        library().hillock_deliver_events(int(h.ParallelContext().nthread()))
        h.fadvance()
    if steps > 0:
        ranks.last_step(step)
        if options.plot and steps % options.every == 0:
            options.plot()


def _errors_of(error):
    """What is wrong, without what is only said on the side."""
    problems = [str(problem) for problem in getattr(error, "problems", ()) if problem.severity == "error"]
    return problems or [str(error)]


def _run_here(h, hand_over, steps, options, ranks, observers, held, keeper, layers, wiring, guests, crossings):
    with contextlib.ExitStack() as undo:
        run = ranks.together(lambda: _Run(h, hand_over, steps, options, ranks, observers, held, keeper, layers,
                                          wiring, guests, crossings, undo))
        run.check_parts()
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

    def __init__(self, h, hand_over, steps, options, ranks, observers, held, keeper, layers, wiring, guests, crossings,
                 undo):
        self._h, self._hand_over, self._options, self._ranks, self._undo = h, hand_over, options, ranks, undo
        self._observers, self._keeper, self._layers, self._wiring = observers, keeper, layers, wiring
        self._guests, self._crossings = guests, crossings or None  # which is false where there are none
        self._others_joined = ranks.joined()
        numbers = self._numbers = Numbers(h, hand_over)
        held.owned.read(numbers, {name: type_ for type_, name in hand_over.names.items()})
        is_own = wiring or guests or self._crossings or held.owned
        kept = self._kept = keeper.take(h, numbers, held) if ranks.count == 1 and not is_own else None
        if kept:
            kept.renew(h, numbers, hand_over, held)
        if guests:
            guests.extend(numbers, hand_over)
        session = self._session = kept.session if kept else Session(
            h, numbers, ranks.count > 1, observers.names | (guests.names if guests else set()), layers, held, wiring,
            guests, self._crossings, hand_over.names)
        if guests:
            guests.find(session, numbers, hand_over, ranks.count > 1)
            guests.find_sources(h, hand_over)
            session.refused += guests.problems
        self._first, self._steps = round(h.t / h.dt), steps
        if abs(self._first * h.dt - h.t) > 1e-6 * h.dt:
            session.refuse(f"t = {h.t:.10g} ms is no multiple of dt = {h.dt:g} ms")
        if library().hillock_solves_with(ctypes.c_double(h.dt)) == (1 if h.secondorder else 2):
            session.refuse(f"secondorder has become {h.secondorder:g} within a run, whose steps NEURON solves as before "
                           "until finitialize() or another dt")
        begins = library().hillock_step_begins(ctypes.c_double(h.t), ctypes.c_double(h.dt))
        if abs(begins - h.t) > 1e-6 * h.dt:
            session.refuse(f"t was set to {h.t:.10g} ms, and NEURON's psolve goes on from {begins:.10g} ms until "
                           "finitialize() or another dt")
        if self._first < 0:
            session.refuse(f"it begins at {h.t:g} ms, before 0")
        self._begun = h.t
        self._halves = _halves(self._begun, h.dt, steps)
        self._moments = self._halves[::2]
        self._times = self._moments[1:]
        if session.refused:
            raise Refused(session.refused)
        self._places = kept.places if kept else Places(h, session, hand_over, numbers)
        self._junctions = Junctions(self._places)
        if layers and (hand_over.has_gaps or self._junctions.rows):
            session.refuse("gap junctions, or POINTERs to what is elsewhere, beside extracellular layers")
        self._others = Others(self._places, self._moments)
        self._given = Given(self._places)
        self._counts = Counts(h, self._places)
        self._calling = self._find_calling(held)
        if problems := session.refused + self._junctions.problems + self._others.problems + self._given.problems + \
                self._counts.problems + observers.problems + held.problems:
            raise Refused(problems)
        if keeper.until is None:  # nobody compares them
            numbers.forget_sizes()

    def _find_calling(self, held):
        """{source: NetCon} of those at whose spikes something is called that may not be called later."""
        calls, session = self._options.calls, self._session
        called = {source: call for source, nc in session.netcon_of.items()
                  if (call := self._hand_over.calls_at_spikes(nc))}
        if called and not self._options.watch:
            called = calls.that_may_not_wait(called, held.scalars.names)
        calling = {source: session.netcon_of[source] for source in called}
        what = [f"{nc.hname()}: what its record() calls at spikes may change the model" for nc in calling.values()]
        beside = "what is run as NEURON compiled it" if self._guests else "extracellular layers or LinearMechanisms"
        if calling and self._options.watch:
            self._options.watch.problems += what
        elif calling and (self._guests or self._layers or self._wiring):
            session.refuse(f"{what[0]}, beside {beside}")
        return calling

    def check_parts(self):
        """Raises Called where parts of the run are to end by it."""
        self._has_calls = any(self._ranks.all(bool(self._calling and not self._options.watch)))
        if self._has_calls and not self._options.has_parts:
            raise Called(0)

    def _check_recorders(self, uses, own):
        """own: Vectors that NEURON does not record."""
        known, lines = self._options.recorders, self._options.lines
        if known is None:
            return
        late = [vector.hname() for vector, kind, player in uses if kind == 3 and player not in known and
                vector.hocobjptr() not in own and not (lines and lines.has(vector))]
        if late:
            raise Refused([f"{name} is to record since finitialize(), and NEURON records nothing in it until the next "
                           "one: call record() before finitialize(), stdinit() or run()" for name in late])

    def describe(self):
        """The model of it, and what is on its way; from now on NEURON's queue is empty."""
        h, hand_over, places, others, undo = self._h, self._hand_over, self._places, self._others, self._undo
        begun, steps, first = self._begun, self._steps, self._first
        keep_lines(h, True)
        elsewhere = self._elsewhere = Elsewhere(self._ranks, self._session, self._junctions, self._given.early)
        undo.callback(others.put_back)
        others.take()
        uses = uses_of_vectors(h)
        drop_freed(self._numbers.count, [player for _, kind, player in uses if kind != 3])
        if self._wiring:
            self._wiring.find_recorded(uses)
        own = {vector.hocobjptr() for of in (self._layers, self._wiring) if of for vector, *_ in of.recorded}
        sizes = [len(vector) for vector, _, _ in uses]
        self._check_recorders(uses, own)
        self._randoms = PlayedRandoms(places, steps, self._draws_in_step())
        self._played = Played(places, begun + (steps + 1) * h.dt, others, uses, self._randoms)
        known = {name for name, _ in self._given.early} | self._given.whole
        if played := [one for one in self._session.held.asked if self._played.changes(*one)]:
            raise Refused([f"Vector.play into {bare} of {name}, which decides whether C code runs"
                           for name, bare in sorted(played)])
        if self._guests and self._guests.is_played_into(uses):
            raise Refused(["Vector.play into what a POINTER of what is run as NEURON compiled it stands for"])
        if self._guests and self._guests.addresses and self._options.watch and self._options.watch.sets:
            raise Refused(["a loop sets variables, for which POINTERs of what is run as NEURON compiled it may stand"])
        if problems := self._junctions.problems + self._randoms.problems + self._played.problems + [
                f"Vector.play into {name}, whose events are known before the run" for _, name in self._played.entries
                if name in known]:
            raise Refused(problems)
        is_quiet = self._observers.names or self._options.watch or self._options.plot or \
            self._layers or self._wiring
        with without_complaints() if is_quiet else contextlib.nullcontext():
            self._trajectories = Trajectories(hand_over, 0 if self._options.plot else steps)
        undo.callback(self._trajectories.drop, begun)
        self._drawn = Drawn(places, self._given, first, self._halves, self._played.changes)
        if self._drawn.problems:
            raise Refused(self._drawn.problems)
        unknown = []
        for (vector, kind, player), size in zip(uses, sizes):
            if kind == 3 and player not in self._trajectories.players:
                vector.resize(size)  # NEURON made room for what it then found that it does not know
                if vector.hocobjptr() not in own:
                    unknown.append((vector, hand_over.recorded_at(player)))
        entries = self._trajectories.entries + others.entries + self._counts.entries
        self._observed = Observed(self._observers, places, entries, unknown, self._kept and self._kept.observed)
        lines = self._options.lines
        if ignored := [vector.hname() for vector, _ in self._observed.unknown if not lines or not lines.has(vector)]:
            raise Refused([f"{name} records what is no voltage and no number of a mechanism on a cell"
                           for name in ignored])
        if self._observers.problems:
            raise Refused(self._observers.problems)
        if self._options.plot and (problems := lines.set_by_events(places)):
            raise Refused(problems)
        watch, watched = self._options.watch, []
        if watch and (names := self._session.held.scalars.names & watch.sets):
            raise Refused([f"a POINTER stands for {sorted(names)[0]}, which a loop sets"])
        if watch:
            watched = watch.find(places, bool(self._randoms.entries) or any(kind != 3 for _, kind, _ in uses))
            if watch.problems:
                raise Refused(watch.problems)
        self._entries = entries + watched
        goes_on = self._kept and self._kept.records(self._entries, self._observed)
        self._recorded = self._kept.recorded if goes_on else _Recorded(places, self._entries, self._observed.segments,
                                                                       self._layers, self._given, self._wiring)
        self._given.watch(self._recorded.known_before)
        events = waiting = self._numbers.events()
        self._above, self._watches = self._numbers.above(), self._numbers.watches()
        undo.callback(put_back, places, events, begun, self._played)
        undo.callback(others.clear_queues, self._played.first_ms(begun), begun)
        hand_over.close()
        if is_9() and not _are_laid_out(self._numbers, hand_over):
            raise Refused(["an artificial cell was made since finitialize()"])
        if self._guests:
            waiting = self._guests.taken(events, places)
        self._queue = Queue(places, waiting, first, self._moments, self._given, self._played)
        # Events that hoc has sent, and Vectors that are played, are the model's own.
        self._is_plain = not (self._queue.sent_by_hoc or self._queue.delays or self._played.entries or
                              self._played.stimuli or self._layers or self._wiring or
                              self._guests or self._crossings or self._session.held.owned)
        self._goes_on = bool(goes_on and self._is_plain and
                             self._kept.goes_on(self._junctions, self._given.early, first + steps))
        self._model = self._kept.model if self._goes_on else self._make_model(elsewhere)
        self._outside = elsewhere.outside(self._model) if elsewhere.count else None
        undo.callback(self._drawn.undo)
        self._drawn.draw()

    def _draws_in_step(self):
        """What may draw from Randoms of hoc's while their numbers are taken before, or be told them by others."""
        watch = self._options.watch
        return ("what is run as NEURON compiled it" if self._guests else "a loop that draws" if watch and watch.may_draw
                else "several ranks" if self._ranks.count > 1 else
                "several threads of NEURON's" if self._numbers.count > 1 else None)

    def _make_model(self, elsewhere):
        dt, until = self._h.dt, self._keeper.until
        self._last = self._first + self._steps
        if until is not None and np.isfinite(until):
            self._last = max(self._last, round(until / dt))
        written = ModelTree(self._session, self._places, self._queue.sent_by_hoc, self._junctions, self._given.early,
                            self._played, elsewhere, self._given.whole, self._given.owns, self._queue.delays)
        # A step more, since samples at a run's very end are none of it.
        tree = written.tree((self._last + 1) * dt, self._recorded.entries)
        tree["run"]["precision"], tree["run"]["solver"] = self._options.precision, self._options.solver
        self._sizes = {name: one["size"] for name, one in tree.get("populations", {}).items()}
        if self._session.refused:
            raise Refused(self._session.refused)
        model = Model(tree)
        if self._keeper.until is None:
            self._session.forget_sizes()
            if self._first == 0 and not self._junctions.has_targets():  # else what is assigned is part of the state
                self._numbers.forget([self._places.type_of[name] for name in self._session.without_state()])
        return model

    def begin(self):
        """It stands at t = 0."""
        joined, backend = self._others_joined, _backend_for(self._given, self._drawn, self._options.backend)
        guests = None
        if self._guests:
            if backend == "cuda":
                raise Refused([f"{name}: run as NEURON compiled it, which a GPU cannot"
                               for name in sorted(self._guests.names)])
            backend = "cpu"
            guests = self._guests.begin(self._first, self._halves, self._sizes, self._given.early)
        if joined and backend == "auto" and not joined.have_own_gpus:  # a GPU that several share, they wait for
            backend = "cpu"
        threads = 1 if guests else self._options.threads or (joined.threads if joined else 0)
        assigned = any(one.begun for one in self._session.mechanisms().values())
        self._simulation = _hillock.Simulation(
            self._model._native, backend, threads, 400, lambda *_: None, saves_assigned=assigned, ranks=joined,
            outside=self._outside, draws=self._drawn.numbers, guests=guests)
        self._simulation.begin(None, {}, set())

    def find_state(self):
        """Of NEURON's numbers."""
        self._state = State(self._places, self._simulation.columns(), self._above, self._watches, self._junctions,
                            self._elsewhere.count, self._drawn.begins)
        self._queue.put_into(self._state, self._elsewhere.fires(self._ranks, self._state.fires))
        if self._guests:
            self._guests.fire(self._state.fires, self._begun + LATE, self._places)

    def advance(self):
        """To the end."""
        if self._guests:
            if self._options.watch:
                self._options.watch.begin(self._hand_over)
            self._undo.callback(self._guests.put_back)
            self._guests.attach()
        self._simulation.start_at(self._first, self._state.take_columns(), self._queue.heard_ms)
        if not self._has_calls:
            return self._simulation.advance(self._first + self._steps)
        at, some = 0, 8
        while True:
            called = self._ranks.least(self._steps_before_call())
            if called is not None and called < self._steps:
                if self._kept:
                    self._keeper.put(self._kept)
                raise Called(called + 1)
            if at == self._steps:
                return
            at, some = min(at + some, self._steps), 2 * some
            self._simulation.advance(self._first + at)

    def _steps_before_call(self):
        """How many steps are over when NEURON's next one is to call something; None where nothing of the kind is known
        yet."""
        dt, given, calling = self._h.dt, self._given.spikes, self._calling
        steps = [0 for source in self._state.fires if source in calling]
        sent = [time for source, times in given.items() if source in calling for time in times]
        populations = {population for population, _ in calling}
        for population, (times, cells) in self._simulation.spikes.items():
            if population not in populations:
                continue
            for time, cell in zip(times.tolist(), cells.tolist()):
                if (population, cell) not in calling or (population, cell) in given:
                    continue
                if self._session.sends_events((population, cell)):
                    sent.append(time)
                else:
                    steps.append(round(time / dt) - self._first)
        steps += [max(0, int((time - self._begun) / dt - 0.5 - 1e-6)) for time in sent]
        return min(steps, default=None)

    def give_back(self):
        """Everything is NEURON's, as it is at the end; POINTERs stand for what they did before anything is drawn."""
        self._observers.attach()
        self._session.held.attach()
        places, others, options, times = self._places, self._others, self._options, self._times
        trajectories, simulation = self._trajectories, self._simulation
        of_trajectories = len(trajectories.entries)
        of_others = of_trajectories + len(others.entries)
        of_all = of_others + len(self._counts.entries)
        rows = self._recorded.rows(simulation.reports, self._moments, self._observed, self._given, of_all)
        for k, (thread, type_, index) in enumerate(self._entries if self._played.is_linear else ()):
            self._played.put_ends(rows[:, k], type_, self._numbers.index(thread, type_, index), times)
        if options.watch:
            if not self._guests:
                options.watch.begin(self._hand_over)
            options.watch.times, options.watch.rows = times, rows[:, of_all:]
        others.give_first()
        drawn = [vector for vector, _ in [*self._observed.vectors, *(self._wiring.recorded if self._wiring else ())]]
        plot = options.plot and options.lines.over(options.plot, drawn, len(times), options.every)
        if plot and self._guests:
            plot = self._guests.over(plot, options.every)
        trajectories.give(rows[:, :of_trajectories], times, plot, options.every)
        if self._guests:
            self._guests.show_last()
        others.give(rows[:, of_trajectories:of_others],
                    self._recorded.exact(self._given)[of_trajectories:of_others])
        self._counts.give(rows[:, of_others:of_all], times)
        spikes, fired = _spikes_of(places, simulation.spikes, self._first, self._begun, times,
                                   self._given.spikes)
        spikes += [(self._begun + LATE, *source) for source in self._state.fires]
        columns = simulation.columns()
        if self._guests:
            self._guests.refresh_weights(places)
        self._state.give_back(columns, fired)
        if not self._guests:  # whose events wait in NEURON's queue, and nothing else does
            others.clear_queues(self._played.first_ms(times[-1]), times[-1])
        self._queue.give_back(columns, times)
        others.give_back()
        self._randoms.give_back()
        _note_spikes(places, spikes)
        if not self._kept:
            self._tell()
        if self._goes_on:
            self._keeper.put(self._kept)
        elif self._is_plain and self._ranks.count == 1 and self._keeper.follows(self._times[-1] + 2 * self._h.dt):
            self._keeper.put(Kept(self._h, places, self._state, junctions=self._junctions, recorded=self._recorded,
                                  observed=self._observed, entries=self._entries, early=self._given.early,
                                  model=self._model, steps=self._last))

    def _tell(self):
        """Of what a script may not have as in NEURON."""
        prints = sorted(name for name, one in self._session.mechanisms().items() if one.prints)
        if prints:
            self._options.tell(f"what a .mod file prints is not printed here ({', '.join(prints)})")
        sampled = {f"{self._hand_over.names[type_]}'s {name}" for thread, type_, index in self._others.entries
                   if (name := self._places.set_by_events(thread, type_, index))}
        if any(type_ == VOLTAGE for _, type_, _ in self._others.entries):
            sampled |= {f"v, which {name} sets," for name, one in self._session.mechanisms().items()
                        if "v" in set_in_events(one.code)}
        if sampled:
            self._options.tell(f"a sample of {sorted(sampled)[0]} that falls on an event is as it was before it")
        if self._calling:
            self._options.tell("a run stops at each spike at which something is called that may change the model "
                               f"({next(iter(self._calling.values())).hname()}.record())")


def _are_laid_out(numbers, hand_over):
    """NEURON 9.0 ends the process where it is given numbers of artificial cells that it does not know yet."""
    types = [type_ for type_, of in numbers.instances.items() if of.nodes is None]
    return not types or hand_over.survives(lambda: [numbers.put(type_, numbers.instances[type_].data)
                                                    for type_ in types])


def _backend_for(given, drawn, backend):
    """A GPU has room for so many spikes of a cell that are known before, and for no numbers that are drawn before."""
    if drawn.begins and backend == "cuda":
        raise Refused([f"{name}: it draws random numbers of NEURON's own, which a GPU cannot be given"
                       for name in sorted(drawn.names)])
    if drawn.begins:
        return "cpu"
    source, times = max(given.spikes.items(), key=lambda one: len(one[1]), default=(None, ()))
    if len(times) <= _room_of_gpu or backend == "cpu":
        return backend
    if backend == "cuda":
        raise Refused([f"{source[0]}[{source[1]}]: {len(times)} spikes of a generator are known before the "
                       f"run, and a GPU has room for {_room_of_gpu} of each (the CPU has no such limit, nor have "
                       "shorter runs)"])
    return "cpu"


def _halves(begin, dt, steps):
    """[half of a step] where it begins, and the end of the last one, as NEURON counts."""
    halves = np.full(2 * steps + 1, 0.5 * dt)
    halves[0] = begin
    return np.add.accumulate(halves, out=halves)


class _Recorded:
    """What NEURON records, as recordings of a model; what is recorded of many cells at one place, or of many points of
    a list, is one. entries: [(thread, type, index)] as Trajectories has them; segments: whose voltages are recorded for
    Observed; layers, wiring: Layers and Wiring, or None; given: Given. known_before: {(type, instance, place)} of what it
    knows."""

    def __init__(self, places, entries, segments, layers, given, wiring):
        self._places, self._session, self._given, self.known_before = places, places.session, given, set()
        self._groups = {}   # (whether of points, population or list, where, variable): {cell or point}
        self._wanted = [self._want(*entry) for entry in entries]
        self._of_segments = {(one.sec, one.x): self._want_segment(one, "v") for one in segments}
        self._layers = layers
        self._of_layers = {(one.sec, one.x, variable): self._want_segment(one, variable)
                           for _, one, variable, _ in (layers.recorded if layers else ())}
        self._of_wiring = [(vector, self._want_unknown(wiring, unknown))
                           for vector, unknown in (wiring.recorded if wiring else ())]
        self.entries, self._column_of = [], {}  # (key of a group, cell or point): (recording, column)
        for key, numbers in self._groups.items():
            for first, last in _runs(sorted(numbers)):
                self._add(key, first, last)

    def _want(self, thread, type_, index):
        """(key of a group, cell or point); None of the time and what is no part of the model."""
        places, session = self._places, self._session
        mechanism = places.hand_over.names.get(type_)
        if session.guests and mechanism in session.guests.names:
            return session.guests.want(thread, type_, index)
        if type_ == TIME or mechanism in session.left_out:
            return None
        if type_ == MEMBRANE_CURRENT and session.guests:
            return session.refuse("a membrane current is recorded, beside what is run as NEURON compiled it")
        index = places.numbers.index(thread, type_, index)
        if type_ in (VOLTAGE, MEMBRANE_CURRENT):
            if type_ == MEMBRANE_CURRENT and session.copies_at(session.segment_at(index)) != 1:
                session.refuse("i_membrane_ is recorded where rallbranch is not 1")
            return self._want_segment(session.segment_at(index), "v" if type_ == VOLTAGE else "i_membrane")
        of = places.numbers.instances[type_]
        instance, offset = divmod(index, of.size)
        if type_ == CAPACITANCE:
            return session.refuse(f"{'cm' if offset == 0 else 'i_cap'} of {session.segment_at(int(of.nodes[instance]))} is "
                                  "recorded, which NEURON alone has")
        bare = places.named(mechanism, offset)
        if bare is None:
            return session.refuse(f"{mechanism}: a number is recorded that is none of its variables")
        if self._given.owns(type_, instance):
            self.known_before.add((type_, instance, offset))
            return None, (type_, instance, offset)
        if point := places.point_of(type_, instance):
            return self._note((True, point[0], None, f"{mechanism}.{bare}"), point[1])
        variable = bare if mechanism.endswith("_ion") else f"{mechanism}.{bare}"
        return self._want_segment(session.segment_at(int(of.nodes[instance])), variable)

    def _want_segment(self, segment, variable):
        population, cell, at = self._session.place_of(segment)
        return self._note((False, population, at, variable), cell)

    def _want_unknown(self, wiring, unknown):
        if (spot := wiring.spots[unknown]) is None:
            return self._note((False, WIRES, "soma(0.5)", "v"), wiring.wires.index(unknown))
        population, cell, branch, position = spot
        at = f"{self._session.names_in(population)[branch]}({position!r})"
        layer = wiring.layers[unknown]
        if self._layers and not layer:
            self._session.refuse("a y of LinearMechanisms is recorded that is a potential inside, beside extracellular "
                                 "layers")
        return self._note((False, population, at, f"vext[{layer - 1}]" if layer else "v"), cell)

    def _note(self, key, number):
        self._groups.setdefault(key, set()).add(number)
        return key, number

    def _add(self, key, first, last):
        is_of_points, of, at, variable = key
        name = f"n{len(self.entries)}"
        entry = {"name": name, "variable": variable, "type": "float64"}
        order = np.arange(last + 1 - first)
        if is_of_points:
            population, mechanism = of
            entry["points"] = f"{population}_{mechanism}[{first}:{last + 1}]"
            cells = [cell for _, cell, _ in self._session.points[of][first:last + 1]]
            order = np.argsort(np.argsort(cells, kind="stable"))
        else:
            entry.update(of=f"{of}[{first}:{last + 1}]", at=at)
        self.entries.append(entry)
        for number in self._groups[key]:
            if first <= number <= last:
                self._column_of[key, number] = name, int(order[number - first])

    def rows(self, reports, times, observed, given, watched):
        """[step, number of the entries]; Vectors of Observed get theirs. times: where the run begins, and each step
        ends; watched: the first of the entries that a loop reads."""
        data = {report["name"]: report["data"] for report in reports}
        begins, times = times[:-1], times[1:]
        asks_when = any(wanted and wanted[0] is None for wanted in self._wanted)
        due = begins + 0.5 * self._places.h.dt if asks_when else None  # NEURON looks half a step ahead
        rows = np.empty((len(self._wanted), len(times))).T  # written, and mostly read, column by column

        def column(wanted):
            name, number = self._column_of[wanted]
            return np.asarray(data[name][:, number], float)
        for k, wanted in enumerate(self._wanted):
            if wanted is None:
                rows[:, k] = times
            elif wanted[0] and wanted[0] is self._session.guests:
                rows[:, k] = wanted[0].column(wanted, k >= watched)
            else:
                rows[:, k] = column(wanted) if wanted[0] else given.values(wanted[1], due)
        if self._layers:
            self._layers.give_recorded(lambda one, variable: column(self._of_layers[one.sec, one.x, variable]))
        for vector, wanted in self._of_wiring:
            vector.append(self._places.h.Vector(np.ascontiguousarray(column(wanted))))
        observed.give({at: column(wanted) for at, wanted in self._of_segments.items()}, rows)
        return rows


    def exact(self, given):
        """[number of the entries] None, or a function of time where it knows more than a step's end."""
        return [functools.partial(given.value_before, wanted[1]) if wanted and wanted[0] is None else None
                for wanted in self._wanted]


def _runs(numbers):
    """[(first, last)] of sorted numbers, in which at least every other one is."""
    runs = []
    for number in numbers:
        if runs and number - runs[-1][0] + 1 <= 2 * (runs[-1][2] + 1):
            runs[-1][1:] = number, runs[-1][2] + 1
        else:
            runs.append([number, number, 1])
    return [(first, last) for first, last, _ in runs]


def _spikes_of(places, spikes, first, begun, times, given):
    """([(time, population, cell)] as NEURON has them, {(population, cell)} that it sees spike when it goes on): it
    looks for a step's spikes at the beginning of the next one. given: Given.spikes, whose times are known."""
    dt, fired = places.h.dt, set()
    seen = [(time, *source) for source, known in given.items() for time in known]
    for population, (of_times, ids) in spikes.items():
        for time, cell in zip(of_times.tolist(), ids.tolist()):
            if places.session.sends_events((population, cell)):
                if (population, cell) not in given:
                    seen.append((time, population, cell))
                continue
            step = round(time / dt) - first - 1
            if step == len(times) - 1:
                fired.add((population, cell))
            else:
                seen.append(((times[step] if step >= 0 else begun) + LATE, population, cell))
    return seen, fired


def _note_spikes(places, spikes):
    """Whoever asked NEURON for spikes gets them."""
    session = places.session
    order = {source: number for number, source in enumerate(session.netcon_of)}
    for time, *source in sorted(spikes, key=lambda one: (one[0], order.get(one[1:], 0))):
        source = tuple(source)
        if source in session.netcon_of:
            places.hand_over.record_spike(session.netcon_of[source], time)
        elif source in session.gids:
            places.hand_over.record_spike_of(session.gids[source], time)
