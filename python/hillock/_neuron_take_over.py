"""What of a session of NEURON runs here: `psolve`, and `continuerun` of stdrun.hoc with `run` on it."""

from __future__ import annotations

import contextlib
import ctypes
import math
import os
import re
import sys
import traceback

import numpy as np

from . import _neuron_run
from ._errors import HillockError, Refused, UsageError, is_count
from ._neuron_calls import Called, Calls, Pace
from ._neuron_channels import channels_of
from ._neuron_crossings import Crossings
from ._neuron_guests import Guests, guests_of
from ._neuron_hand_over import take_runs, uses_of_vectors
from ._neuron_junctions import check_pointers, numbers_of_points, pointers_of
from ._neuron_held import Held
from ._neuron_kept import Keeper
from ._neuron_layers import Layers, is_used
from ._neuron_library import find_targets, is_9, is_not_laid_out, is_out_of_date, keep_pointers, knows_channel, \
    knows_random_plays, lay_out, library, library_path, recorders
from ._neuron_lines import LATE, Lines, keep_lines
from ._neuron_loops import Loops
from ._neuron_mechanisms import learn_names
from ._neuron_observers import Observers
from ._neuron_others import next_of_hoc, steps_before, steps_to
from ._neuron_randoms import check_played
from ._neuron_ranks import Ranks
from ._neuron_session import FIRST_OWN_GID
from ._neuron_wiring import Wiring, is_wired

_plots = "graphList count cnt i cnt graphList i object t"
#: What stdrun.hoc runs with, by the names in it: one of a script's own is the script's to run, step by step.
_of_steps = {"advance": "fadvance", "step": "using_cvode_ advance i nstep_steprun advance Plot",
             "Plot": f"using_cvode_ dt2 dt dt2 {_plots} plot {_plots} dt2 plot {_plots} dt2 plot {_plots} plot"}

#: {what is taken the place of: (the names in stdrun.hoc's, what it is now)}; one of a script's own stays.
_procedures = {
    "stdinit": ("cvode_simgraph realtime setdt init initPlot", """
proc stdinit() {
  hillock_session_.begin()
  cvode_simgraph()
  realtime = 0
  setdt()
  init()
  initPlot()
}
"""),
    "continuerun": (
        "realtime screen_update_invl rt startsw rtstart eventcount eventslow stoprun using_cvode_ cvode event ts cvode "
        "use_local_dt cvode ts solve flushPlot startsw rtstart realtime dt ts t ts stoprun step startsw rtstart "
        "realtime realtime rt screen_update startsw rtstart realtime realtime screen_update_invl rt using_cvode_ "
        "stoprun step flushPlot startsw rtstart realtime", """
proc continuerun() { local how, last, begun, shown
  how = hillock_session_.go_on($1)
  if (how == 1) execerror("Hillock:", hillock_said_)
  if (how == 2) {
    begun = startsw()  shown = screen_update_invl  last = $1 - dt/2
    if (using_cvode_) last = $1
    while (t < last && stoprun == 0) {
      step()
      if (startsw() - begun >= shown) {
        screen_update()
        shown = startsw() - begun + screen_update_invl
      }
    }
    if (using_cvode_ && stoprun == 0) step()
    hillock_session_.has_stepped()
    flushPlot()
    realtime = startsw() - begun
  }
}
"""),
}


_most_single = 3  # steps of a psolve that NEURON takes one by one


@contextlib.contextmanager
def _gui_waits():
    """The thread of `neuron.gui` asks nothing of NEURON meanwhile: it may lay out nodes anew, or draw."""
    gui = sys.modules.get("neuron.gui")
    if gui is None:
        yield
        return
    gui.stop()
    try:
        yield
    finally:
        gui.start()


class _Session:
    """What hoc calls, and what it was told."""

    def __init__(self):
        self.options = _neuron_run.Options()
        self.fallback = False
        self._until = None    # of psolve, of which NEURON passes six digits on
        self._asked = False   # psolve is called from here
        self._tries = False   # psolve may be left to NEURON
        self._failed = None   # the exception that it ended with
        self._early = None    # one that came before NEURON called
        self._said = set()    # to whoever runs the script, and not again
        self._told = False    # with_time() was called before NEURON hands over
        self._again = None    # the time to which psolve is to be called once more
        self._stops = False   # it ends before what is to be called at spikes
        self._called = None   # steps of the run that did not come to pass, to the first such spike
        self._last = None     # (steps, Options, Ranks) of the run
        self._ranks = None    # that continue together
        self._observers = self._held = None  # of the session that is being handed over
        self._layers = self._wiring = None  # Layers and Wiring of it, while they are aside
        self._guests = self._crossings = None  # of it, while it is handed over
        self._recorders = None  # recorders(), before NEURON lays its numbers out, when it looks for more
        self._checked = None  # when the session was looked at, as NEURON asks several times before it hands it over
        self._keeper, self._parts = Keeper(), 0  # how many runs are under way in parts
        self._is_inside = False  # steps of NEURON's own, in which a script may call psolve
        self._attends = False
        self._lines = None    # of graphs, where procedures of stdrun.hoc lead here
        self._loops = None    # over fadvance()
        self._watch = None    # what a loop reads of the steps that psolve is called for
        self._has_failed = False  # what continuerun() was to run here, so that its steps are NEURON's

    def set_options(self, options):
        if (options.precision, options.solver) != (self.options.precision, self.options.solver):
            self._keeper.end()  # the model that parts of a run go on in has the others
        self.options = options

    def attend(self):
        """Has the library call this, which NEURON has loaded or will."""
        if self._attends:
            return
        from neuron import coreneuron, h

        arguments = type(coreneuron).nrncore_arg

        @_gui_waits()
        def with_time(settings, until):
            self._early = None
            self._end_loop()
            self._attach()
            if settings.enable and not (self._asked or self._tries or self._parts or self._is_aside):
                try:
                    if self._is_left(float(until)):
                        return ""  # which ends psolve
                except BaseException as error:
                    self._early = error
            if settings.enable and self._early is None:
                self._told = True
                if not self._asked:
                    self._recorders = recorders()
                try:
                    ranks = Ranks(h)
                    ranks.together(lambda: _check_steps(h, float(until)))
                    if h.t < float(until) and not steps_to(h, float(until), h.dt):
                        self.say_once(f"a psolve takes no step: dt is {h.dt:g} ms, and less is left")
                    if any(ranks.all(is_out_of_date())):
                        lay_out()
                        if not is_9():
                            _find_space_plots(h)
                        find_targets(lambda: numbers_of_points(h))
                    end = float(until)
                    if not self._is_aside:
                        self._pass_on(ranks.tell_spikes)
                        end = self._run_past_events(end, ranks)
                        if end is None:
                            return ""
                        if any(ranks.all(is_used(h) or is_wired(h))) and h.stoprun == 0:
                            if self._runs_without(end, ranks):
                                return ""
                    _number_sources()
                    self._until = h.t if h.stoprun else end
                except BaseException as error:  # NEURON would let it pass as if all were well
                    self._early = error
                    self._keeper.end()
                    if self._tells_itself:
                        self._failed = error
                        return ""
            if self._early is not None:
                with contextlib.suppress(Exception):  # else NEURON ends psolve by another error
                    if is_out_of_date():
                        lay_out()
                    _number_sources()
            self._checked = None
            return arguments(settings, until)

        asked = type(coreneuron).enable
        type(coreneuron).nrncore_arg = with_time
        type(coreneuron).enable = property(self._is_asked, asked.fset, asked.fdel, asked.__doc__)
        take_runs(self._prepare, self._run, self._finish, self._keeps)
        knows_random_plays()
        keep_pointers(lambda: [(name, one.layout()) for name, one in channels_of(h).items()])
        self._attends = True

    @_gui_waits()
    def _is_asked(self, settings):
        """What `neuron.coreneuron.enable` is, which psolve asks first: only then NEURON lays its numbers out for a
        hand-over, as it has to; its variable steps, and POINTERs to what such a layout moves, fail with it."""
        from neuron import h

        if self._is_inside:  # NEURON is delivering what waits
            return False
        if settings._enable and self._loops and not h.CVode().active():
            try:
                if not self._asked and self._checked != h.t:
                    _check(h)
                self._checked = h.t
                _lay_out(h)
            except Refused as refused:  # without that NEURON 8.2 ends psolve with an error
                if self._asked or not self.fallback:  # else _try() comes to it
                    print(refused, file=sys.stderr)
                h.CVode().cache_efficient(0)
        return settings._enable

    def take_procedures(self):
        """Puts this in the place of two of stdrun.hoc's, and takes loops."""
        from neuron import h

        h.load_file("stdrun.hoc")
        h("objref hillock_session_\nstrdef hillock_said_")
        h.hillock_session_ = self
        self._loops = self._loops or Loops(h, self)
        self._lines = Lines(h, self._loops.read_by)
        self._loops.take()
        for name, (known, own) in _procedures.items():
            if self._loops.names_in(name) == known:
                h(own)

    @_gui_waits()
    def begin(self):
        """A run begins: what lines of graphs read is recorded where it is to go on here."""
        from neuron import h

        self._attach()  # where NEURON failed to hand over before
        keep_lines(h, False)
        if self._takes_steps():
            self._lines.attach()
        else:
            self._lines.drop()
        if h.CVode().active():
            h.CVode().cache_efficient(0)

    def _takes_steps(self):
        """Whether continuerun() is to run here as a whole; else its steps are hoc's, in a loop that may run ahead."""
        from neuron import coreneuron, h

        return coreneuron._enable and not self._is_inside and not h.CVode().active() and \
            all(self._loops.names_in(name) == known for name, known in _of_steps.items())

    def _takes_steps_of_all(self):
        """Of several ranks, which continue together."""
        from neuron import h

        has_cells = any(True for _ in h.allsec()) or h.List("NetCon").count() > 0
        of_all = self._ranks.all((self._takes_steps(), has_cells))
        return all(takes for takes, _ in of_all) and any(has for _, has in of_all)

    def go_on(self, until):
        """continuerun(until), in ms. Returns 1 where it fails, and hoc's `hillock_said_` has what hoc ends with, as of
        an interrupt NEURON 8.2 hears nothing; 2 where the steps are hoc's."""
        from neuron import h

        steps = []
        said = self.said_of(lambda: steps.append(self._continue(until)))
        if said is None:
            return 0 if steps[0] else 2
        h.hillock_said_ = said[:200]
        return 1

    @staticmethod
    def said_of(call):
        """What hoc is to end with where a call raises, None where it does not. It is ASCII, as NEURON 8.2 hears nothing
        of other letters."""
        try:
            call()
            return None
        except Refused as refused:
            print(refused, file=sys.stderr)
            said = "this session cannot be taken (see above)"
        except (RuntimeError, HillockError) as error:  # hoc told of what it ended with
            said = str(error)
        except BaseException as error:
            traceback.print_exc()
            said = f"{type(error).__name__}: {error}"
        return said.encode("ascii", "backslashreplace").decode()

    def _continue(self, until):
        """Whether it ran here."""
        from neuron import h

        h.eventcount, h.eventslow, h.stoprun = 0, 1, 0
        begun, was_laid_out = h.startsw(), h.CVode().cache_efficient()
        self._end_loop()
        self._ranks, self._has_failed = Ranks(h), False
        if h.using_cvode_:
            h.CVode().event(until)
        if h.using_cvode_ and h.CVode().use_local_dt():
            h.CVode().solve(until)
        elif not self._takes_steps_of_all():
            return False
        elif not self._solve(until):
            self._has_failed = True
            return False
        if not was_laid_out and not is_9() and h.List("RangeVarPlot").count():
            _fill_space_plots(h)
        h.flushPlot()
        h.realtime = h.startsw() - begun
        return True

    def has_stepped(self):
        """The steps that continuerun() left to hoc are done."""
        self._has_failed = False

    def leave_loops(self):
        """Loops over fadvance() are NEURON's alone."""
        if self._loops:
            self._loops.leave()
            self.end_parts()

    def takes_loops(self):
        """Whether loops over fadvance() are to come here."""
        from neuron import coreneuron, h

        return bool(coreneuron._enable and not self._is_inside and not self._asked and not self._has_failed
                    and not h.CVode().active() and h.ParallelContext().nhost() < 2)

    def problems_of_steps(self):
        """Why steps of a loop are NEURON's."""
        from neuron import h

        self._ranks = Ranks(h)
        if not any(True for _ in h.allsec()) and h.List("NetCon").count() == 0:
            return ["there are no cells"]
        if h.t < -1e-6 * h.dt:
            return ["it begins before 0 ms"]
        if abs(round(h.t / h.dt) * h.dt - h.t) > 1e-6 * h.dt:
            return [f"t = {h.t:.10g} ms is no multiple of dt = {h.dt:g} ms"]
        return []

    @staticmethod
    def steps_before_event(steps):
        """How many of so many steps of a loop come before an event of hoc's; None where none does."""
        from neuron import h

        event, _ = next_of_hoc(h, h.t + (steps + 0.25) * h.dt, Ranks(h))
        return None if event is None else min(steps, max(0, steps_before(h, event)))

    def _end_loop(self):
        """Where a loop that ran ahead has ended with an error, the session stands where it would have come to."""
        from neuron import h

        left_at = h.t
        if library().hillock_end_play():
            self.say(f"a loop was left at {left_at:.10g} ms; the session stands at its end, {h.t:.10g} ms")

    def say_once(self, text):
        """However many runs there are."""
        if text not in self._said:
            self._said.add(text)
            self.say(text)

    def run_ahead(self, steps, watch, until):
        """Whether so many steps of a loop ran here. until: ms, when the last ends that may follow after an event of
        hoc's, or None."""
        self._keeper.look()
        if until is not None:
            self._keeper.begin(until)
        self._parts += 1
        is_done = False
        try:
            is_done = self._solve_steps(steps, watch)
        finally:
            self._parts -= 1
            if until is None or not is_done:
                self.end_parts()
        return is_done

    def end_parts(self):
        """Those of a loop."""
        if not self._parts:
            self._keeper.end()
            self._observers = None

    def say(self, text):
        """To whoever runs the script."""
        print(f"Hillock: {text}", file=sys.stderr)

    def _solve(self, until):
        """Whether it ran here, as many steps as continuerun takes; those that hoc's events come in are NEURON's."""
        from neuron import h

        step, pace = max(1, int(h.nstep_steprun)), Pace()
        self._keeper.end()
        self._parts += 1
        try:
            last = until - h.dt / 2
            while h.stoprun == 0:
                event = self._next_of_hoc(until, self._ranks)
                _check_steps(h, until if event is None else event)
                if event is not None:
                    self._keeper.begin(until)
                    steps = steps_before(h, event) // step * step
                else:
                    steps = math.ceil((last - h.t) / h.dt - 1e-9)
                    steps = -(-steps // step) * step
                    if steps <= 0:
                        break
                called = None
                if steps > (event is not None):
                    if not self._solve_steps(steps):
                        return False
                    called, self._called = self._called, None
                    if event is None and called is None:
                        break
                behind = 1
                if called is not None:
                    self._keeper.begin(until)
                    steps, behind = called // step * step, pace.steps_behind(called)
                    if steps > 1 and not self._solve_steps(steps):
                        return False
                    behind += self._called is not None or not 1 < steps == called
                    self._called = None
                self._step(h.step, until, behind, self._ranks)
            return True
        finally:
            self._parts -= 1
            self._keeper.end()

    @_gui_waits()
    def _solve_steps(self, steps, watch=None):
        """Whether so many ran here. watch: what a loop reads of them."""
        from neuron import h

        self._asked, self._failed, self._watch = True, None, watch
        try:
            self._ranks.together(self._check_lines)
            library().hillock_take_time(int(h.ParallelContext().nthread()), ctypes.c_double(h.t), ctypes.c_double(h.dt),
                                        2 if h.secondorder else 1)
            h.ParallelContext().psolve(h.t + (steps + 0.25) * h.dt)
        except Refused as refused:
            self._failed = refused
        except RuntimeError as error:  # of hoc's: it was told of there
            self._failed = self._failed or Refused([f"NEURON does not hand this session over ({error})"])
        finally:
            self._asked, self._watch = False, None
            self._attach()
        if self._failed is None:
            return True
        if watch and watch.problems:
            self._failed = None
            return False
        self._leave_to_neuron(self._ranks)
        self._lines.drop()
        return False

    def _leave_to_neuron(self, ranks):
        """Says so, or raises what failed if it is to end the run."""
        failed, self._failed = self._failed, None
        if not isinstance(failed, Refused) or not (self.fallback or all(LATE in one for one in failed.reasons)):
            try:
                raise failed
            finally:
                failed = None  # else its frames, with the script's objects, hold each other
        if ranks.number == 0:
            self.say(f"NEURON runs this itself: {'; '.join(failed.reasons)}")

    def _is_left(self, until):
        """Whether a psolve of the script's is done, because NEURON does it, or might."""
        from neuron import h

        ranks = Ranks(h)
        if any(ranks.all(bool(h.stoprun))):  # which NEURON asks about only where an event has come
            self.say_once("NEURON does a psolve itself that begins with stoprun set")
            self._pass_on(lambda: h.ParallelContext().psolve(until))
            return True
        if self.fallback:
            self._try(until, ranks)
        return self.fallback

    def _try(self, until, ranks):
        """A psolve of the script's, which NEURON does where it cannot be taken."""
        from neuron import h

        self._tries, self._failed = True, None
        try:
            ranks.together(lambda: h.CVode().active() or (_check(h), _lay_out(h)))
            h.ParallelContext().psolve(until)
        except Refused as refused:
            self._failed = refused
        except RuntimeError as error:
            self._failed = self._failed or Refused([f"NEURON does not hand this session over ({error})"])
        finally:
            self._tries = False
            self._attach()
        if self._failed is not None:
            self._leave_to_neuron(ranks)
            self._pass_on(lambda: h.ParallelContext().psolve(until))

    def _check_lines(self):
        from neuron import h

        self._recorders = recorders()
        if not self._watch:
            if not self._lines.are_attached():
                self._lines.attach()
                h.CVode().re_init()
                library().hillock_begin_records()
            if self._lines.problems:
                raise Refused(self._lines.problems)
        _check(h)

    @property
    def _tells_itself(self):
        """Whether it comes to what psolve fails with, and hoc does not hear of it."""
        return self._asked or self._tries and not self._parts

    def _keeps(self, error):
        if self._tells_itself or self._parts or self._is_aside:
            self._failed = error
        return self._tells_itself

    def _pass_on(self, step):
        """NEURON goes on by itself; what it calls may call psolve, which is NEURON's then."""
        self._is_inside = True
        before = library().hillock_steps_are_ours(1)
        try:
            step()
        finally:
            self._is_inside = False
            library().hillock_steps_are_ours(before)
            self._keeper.look()

    def _run_past_events(self, until, ranks):
        """What comes before events of hoc's (cvode.event), and before spikes at which something is called, is handed
        over by itself; the steps in which they come are NEURON's. Returns where the psolve ends, which counts steps: later
        where one of them has gone on by itself; None where NEURON has gone on to the end, as one has changed what it
        does not look at before."""
        from neuron import h

        stops, self._stops, pace = self._stops, False, Pace()
        if not self._parts:
            self._keeper.end()
        dt, knows_dt = h.dt, library().hillock_steps_are_single() or steps_to(h, until, h.dt) <= _most_single

        def has_changed():
            return any(ranks.all(is_out_of_date() or h.dt != dt and not knows_dt))

        while h.stoprun == 0:
            event = self._next_of_hoc(until, ranks)
            steps = steps_to(h, until, h.dt) if event is None else steps_before(h, event)
            if event is None and (not stops or steps < 1):
                return until
            self._keeper.begin(until)
            called = None
            if steps > 1:
                called = self._run_part(steps)
                if called is None and event is None:
                    return until
            behind = 1
            if called is not None:
                behind = pace.steps_behind(called)
                behind += called < 2 or self._run_part(called) is not None
            begun = h.t
            counted, is_over = self._step(h.fadvance, until, behind, ranks, has_changed)
            if not knows_dt:
                until += max(0, round((h.t - begun) / dt) - counted) * dt
            if is_over:
                self._go_on_as_it_is(until, dt, knows_dt)
                return None
        return until

    def _go_on_as_it_is(self, until, dt, knows_dt):
        """NEURON goes on to the end of a psolve that began with this dt and, unless it hears of another, keeps to it;
        within it nothing is laid out anew."""
        from neuron import h

        self.say_once("NEURON goes on itself to the end of a psolve in which an event has changed "
                      + ("sections, mechanisms or sizes" if is_out_of_date() else "dt"))
        known, is_another = h.dt, h.dt != dt and not knows_dt
        is_told = is_another and steps_to(h, until, dt) > _most_single
        if is_another:
            h.dt = dt
        if is_told:  # hoc has the other one all the same
            h.CVode().event(h.t + 1e-3 * dt, lambda: setattr(h, "dt", known))
        try:
            with is_not_laid_out():
                self._pass_on(lambda: h.ParallelContext().psolve(until))
        finally:
            if is_another and not is_told:
                h.dt = known

    def _step(self, step, until, count, ranks, is_over=lambda: False):
        """NEURON goes on itself, by so many steps at most, to where is_over() says so behind one. Returns how
        many, and whether it did."""
        from neuron import h

        taken = 0
        while taken < count and h.stoprun == 0 and h.t < until - h.dt / 2:
            self._pass_on(lambda: ranks.step(step))
            taken += 1
            if is_over():
                return taken, True
        return taken, False

    def _run_part(self, steps):
        """Returns after how many steps something is called, if it is before the end; none of them ran then."""
        from neuron import h

        self._failed = self._called = None
        self._parts += 1
        try:
            h.ParallelContext().psolve(h.t + (steps + 0.25) * h.dt)
        except RuntimeError as error:  # hoc's, of what failed
            raise self._failed or error from None
        finally:
            self._parts -= 1
        called, self._called = self._called, None
        return called

    def _next_of_hoc(self, until, ranks):
        """As next_of_hoc()."""
        from neuron import h

        event, are_several = next_of_hoc(h, until, ranks)
        if are_several:
            self.say_once(f"several events of cvode.event come at {event:.10g} ms, in an order that may be another than "
                          "in NEURON")
        return event

    @property
    def _is_aside(self):
        return bool(self._layers or self._wiring)

    def _runs_without(self, until, ranks):
        """Hands over a session with extracellular layers or LinearMechanisms, which NEURON would not: they are aside
        meanwhile. False where NEURON says why it does not."""
        from neuron import h

        if h.CVode().active():
            return False
        try:
            layers, wiring = ranks.together(lambda: _aside_of(h, self._lines, ranks.count))
        except Refused as refused:
            if not self._asked:
                print(refused, file=sys.stderr)
            raise
        self._failed, self._last = None, None
        with contextlib.ExitStack() as aside:
            of_session = [one for one in (wiring, layers) if one]
            for one in of_session:
                aside.enter_context(one.set_aside(lambda: _lay_out(h), one is of_session[-1]))
            self._layers, self._wiring = layers, wiring
            try:
                h.ParallelContext().psolve(until)
            except RuntimeError as error:  # hoc's, of what failed
                raise self._failed or Refused([f"NEURON does not hand this session over ({error})"]) from None
            finally:
                self._attach()
                self._layers = self._wiring = self._observers = None
        if self._last:
            ranks.last_step_behind(lambda: self._pass_on(lambda: _neuron_run.finish(h, *self._last)))
        if self._watch and self._watch.begun is not None:
            self._watch.find_again()
        return True

    def _attach(self):
        if self._observers:
            self._observers.attach()
        if self._held:
            self._held.attach()
            self._held = None
        if self._guests:
            self._guests.attach()
            self._guests = None
        if self._crossings:
            self._crossings.attach()
            self._crossings = None

    @_gui_waits()
    def _prepare(self):
        from neuron import h

        self._checked = None
        self._attach()  # where NEURON failed to hand over before
        if not self._parts or not self._observers or self._is_aside or not self._observers.are_where_they_were():
            self._observers = Observers(h)
        self._held = Held(h, self._observers.names)
        names = guests_of(h, self._held) if self.options.trust_c and not is_9() else ()
        self._guests = Guests(h, names) if names else None
        left_out = self._observers.names | set(names)
        if names:
            self._held = Held(h, left_out)
        self._observers.detach()
        self._held.detach()
        if self._guests:
            self._guests.detach()
        try:
            if self._guests and self._guests.problems:
                raise Refused(self._guests.problems)
            Ranks(h).together(lambda: check_pointers(h, left_out, self._held.problems))
            if lost := [name for name, one in channels_of(h).items() if not knows_channel(name) and one.is_used(h)]:
                raise Refused([f"{lost[0]}: NEURON 8.2 has laid its numbers out before hillock.neuron.enable(), and lost "
                               "those of ions"])
            self._crossings = Crossings(h)
            if self._crossings.problems:
                raise Refused(self._crossings.problems)
            self._crossings.detach()
        except Refused as refused:
            self._attach()
            raise self._with_hint(refused) from None

    def _with_hint(self, refused):
        """It says where trust_c=True may help."""
        from neuron import h

        names = [] if self.options.trust_c and not is_9() else guests_of(h, self._held)
        helps = [name for name in names if any(re.search(rf"\b{name}\b", one) for one in refused.reasons)]
        if not helps:
            return refused
        return Refused([*refused.reasons, f"hillock.neuron.enable(trust_c=True) has NEURON {'8.2 ' * is_9()}run "
                                          f"{', '.join(helps)} as it compiled them"])

    @_gui_waits()
    def _run(self, hand_over, argument):
        try:
            self._take(hand_over, argument)
        except Refused as refused:
            self._keeper.end()
            raise self._with_hint(refused) from None
        except BaseException:
            self._keeper.end()
            raise
        finally:
            self._checked = None
            self._attach()
            if not self._parts:
                self._keeper.end()
                self._observers = None

    def _take(self, hand_over, argument):
        from neuron import coreneuron, h

        self._last = None
        ranks = Ranks(h)
        ranks.together(self._check_early)
        words = argument.split()
        until, self._until = self._until, None
        if until is None:
            until = float(words[words.index("--tstop") + 1])
        told, self._told = self._told, False
        if not told and next_of_hoc(h, until, ranks)[0] is not None:  # the library was loaded for this psolve
            self._again = until
            return
        backend = "cuda" if coreneuron.gpu else self.options.backend
        draws = self._asked and not self._watch and self._lines.are_any()
        plot = h.Plot if draws else None
        every = max(1, int(h.nstep_steprun)) if draws else 1
        options = _neuron_run.Options(backend, self.options.threads, self.options.precision, plot, every,
                                      self._lines, self._watch, self.say_once, self.options.trust_c,
                                      Calls(h, self._loops, draws), self._parts > 0, self.options.solver,
                                      self._recorders)
        try:
            steps = _neuron_run.run(h, hand_over, until, options, ranks, self._observers, self._held, self._keeper,
                                      self._layers, self._wiring, self._guests, self._crossings)
        except Called as called:
            if called.steps:
                self._called = called.steps
            else:
                self._again, self._stops = until, True
            return
        self._last = steps, options, ranks

    def _check_early(self):
        from neuron import h

        early, self._early = self._early, None
        if early is not None:
            raise early
        _check_others(h)

    @_gui_waits()
    def _finish(self):
        from neuron import h

        again, self._again = self._again, None
        if again is not None:
            h.ParallelContext().psolve(again)
        elif self._last and not self._is_aside:
            self._pass_on(lambda: _neuron_run.finish(h, *self._last))


_session = _Session()


def _aside_of(h, lines, ranks):
    """(Layers or None, Wiring or None): of several ranks some may have none of what the others have."""
    wiring = Wiring(h) if is_wired(h) else None
    layers = _layers_of(h, lines) if is_used(h) or not wiring else None
    problems = [*(wiring.problems if wiring else ())]
    if wiring and ranks > 1:
        problems.append("LinearMechanism on several ranks")
    if problems:
        raise Refused(problems)
    return layers, wiring


def _layers_of(h, lines):
    layers = Layers(h)
    layers.find_uses(uses_of_vectors(h), pointers_of(h))
    layers.problems += [f"a line of a graph of {variable} of {segment}"
                        for vector, segment, variable, _ in layers.recorded if lines and lines.has(vector)]
    if layers.problems:
        raise Refused(layers.problems)
    return layers


def _check_steps(h, until):
    """Whether there are steps of some length to some time."""
    if not 0 < h.dt < math.inf:
        raise UsageError(f"dt is {h.dt:g} ms, which is no length of a step")
    if not math.isfinite(until):
        raise UsageError(f"{until:g} ms is no time to run to")


def _lay_out(h):
    """NEURON's numbers lie as it hands them over."""
    if not h.CVode().cache_efficient():
        if not is_9() and (left := [one.hname() for one in h.List("PtrVector")
                                    if not library().hillock_follows(ctypes.c_void_p(one.hocobjptr()))]):
            raise Refused([f"{left[0]} has no ptr_update_callback(): NEURON 8.2 moves its numbers when it is to hand them "
                           "over, away from where that points to (h.CVode().cache_efficient(1) before pset() helps)"])
        learn_names(h)
        h.CVode().cache_efficient(1)
        if not h.CVode().cache_efficient() and not is_used(h) and not is_wired(h):
            library().hillock_set_wiring_aside(0, None)  # NEURON 8.2 goes on solving for what is gone
            h.CVode().cache_efficient(1)


def _find_space_plots(h):
    """NEURON 8.2 empties them where its voltages come to lie elsewhere; where they begin it looks for them anew."""
    for plot in h.List("RangeVarPlot"):
        left = plot.left()
        plot.origin(0)
        plot.origin(left - plot.left())


def _fill_space_plots(h):
    """NEURON 8.2 empties them where its voltages come to lie elsewhere, until a shape changes."""
    find = library().hillock_of_neuron
    find.restype, find.argtypes = ctypes.c_void_p, [ctypes.c_char_p]
    if changes := find(b"nrn_shape_changed_"):
        ctypes.c_int.from_address(changes).value += 1
        h.doNotify()


def _check(h):
    """What NEURON 8.2 does not bear when it is to hand a session over. Raises Refused."""
    _check_others(h)
    if is_9():
        return
    if not library().hillock_has_screen() and h.List("PlotShape").count():
        raise Refused(["there is a PlotShape and no screen, with which NEURON 8.2 cannot lay its numbers out"])
    gids, seen, twice = {}, set(), []
    for nc in h.List("NetCon"):
        if (gid := int(nc.srcgid())) < 0 or gid in seen:
            continue
        seen.add(gid)
        segment = nc.preseg()
        if segment is not None and (other := gids.setdefault(_root_of(segment.sec), gid)) != gid:
            twice.append(f"gid {gid}: the cell of {segment.sec} has gid {other}, too, which NEURON 8.2 does not "
                         "hand over (9.0 does)")
    if twice:
        raise Refused(twice)


def _root_of(section):
    while (segment := section.parentseg()) is not None:
        section = segment.sec
    return section


def _check_others(h):
    """What steps a session beside NEURON's mechanisms. Raises Refused."""
    check_played(h)
    # NEURON hands over no session with such a NetCon, and its process may end later when it has tried to.
    if gone := [nc.hname() for nc in h.List("NetCon") if not nc.valid() and nc.syn() is not None]:
        raise Refused([f"{name}: its source is gone" for name in gone])
    if library().hillock_is_split():
        raise Refused(["cells are split among threads or ranks (ParallelContext.multisplit), which NEURON alone puts together"])
    if h.nrn_netrec_state_adjust:
        raise Refused(["nrn_netrec_state_adjust is set, by which NEURON goes half a step on with what events set"])
    species = getattr(sys.modules.get("neuron.rxd.species"), "_all_species", ())
    if any(one() is not None for one in species):
        raise Refused(["neuron.rxd has species, which NEURON alone steps"])
    if h.List("StateTransitionEvent").count():
        raise Refused(["StateTransitionEvent, which NEURON does not hand over"])


def _number_sources():
    """NEURON 9 hands no session over in which a voltage makes spikes and has no gid."""
    from neuron import h

    if not is_9():
        return
    context = h.ParallelContext()
    gid, count = FIRST_OWN_GID + int(context.id()), int(context.nhost())  # another than any other rank's
    for netcon in h.List("NetCon"):
        if netcon.preseg() is None or netcon.srcgid() >= 0:
            continue
        while context.gid_exists(gid):
            gid += count
        context.set_gid2node(gid, context.id())
        context.cell(gid, netcon)


def enable(*, threads: int | None = None, backend: str = "auto", precision: str = "double",
           solver: str = "auto", fallback: bool = False, trust_c: bool = False) -> None:
    """From now on the session of this process's NEURON runs on Hillock: `ParallelContext.psolve`, and
    `run()` and `continuerun()` of stdrun.hoc, which is loaded, and loops of hoc's
    and Python's over `fadvance()` that do not change the model.

    threads: of the CPU, one a core without. backend: "auto", "cpu" or "cuda" (as `coreneuron.gpu` asks
    for, too). precision: "double", or "mixed" and "single", in which mechanisms compute with floats, as
    `run.precision` of a model file: NEURON's own steps in between are in double. solver: "auto", "exact",
    "hines" or "contraction", as `run.solver` of a model file: with "exact" a GPU computes the CPU's bytes.
    fallback: what cannot be taken NEURON runs itself, and a line says so; else it ends with an error of
    hoc's (a RuntimeError), whose reasons are on standard error.
    trust_c: C code of a .mod file that is not read here may run, as NEURON 8.2 has compiled it, on the CPU,
    on one thread.
    """
    from neuron import coreneuron

    if threads is not None and not is_count(threads):
        raise UsageError(f"threads={threads!r} is no number of threads")
    if backend not in ("auto", "cpu", "cuda"):
        raise UsageError(f"there is no backend {backend!r} (auto, cpu, cuda)")
    if precision not in ("double", "mixed", "single"):
        raise UsageError(f"there is no precision {precision!r} (double, mixed, single)")
    if solver not in ("auto", "exact", "hines", "contraction"):
        raise UsageError(f"there is no solver {solver!r} (auto, exact, hines, contraction)")
    _session.set_options(_neuron_run.Options(backend, threads and int(threads), precision, trust_c=trust_c, solver=solver))
    _session.fallback = fallback
    os.environ["CORENEURONLIB"] = str(library_path())
    attend()
    _session.take_procedures()
    coreneuron.enable = True


def disable() -> None:
    """NEURON runs by itself again."""
    from neuron import coreneuron

    coreneuron.enable = False
    _session.leave_loops()


def attend() -> None:
    """Called by the library where nobody has called enable()."""
    _session.attend()
