"""What of a session of NEURON runs here: `psolve`, and `continuerun` of stdrun.hoc with `run` on it."""

from __future__ import annotations

import math
import os
import sys
import traceback

from . import _neuron_run
from ._errors import Refused, UsageError
from ._neuron_hand_over import find_targets, is_9, is_out_of_date, lay_out, library_path, procedure, take_runs
from ._neuron_junctions import check_pointers, numbers_of_points
from ._neuron_kept import Keeper
from ._neuron_lines import Lines
from ._neuron_observers import Observers, names_of_observers
from ._neuron_others import next_of_hoc, steps_before
from ._neuron_ranks import Ranks

#: What stdrun.hoc runs with: one of a script's own is the script's to run, step by step.
_of_steps = ("advance", "step", "Plot")

#: Sources of spikes get numbers from here on where NEURON asks for them.
_first_gid = 2_000_000_000

_procedures = """
strdef hillock_said_
proc stdinit() {
  hillock_session_.begin()
  cvode_simgraph()
  realtime = 0
  setdt()
  init()
  initPlot()
}
proc continuerun() { if (hillock_session_.go_on($1)) execerror("Hillock:", hillock_said_) }
"""


class _Session:
    """What hoc calls, and what it was told."""

    def __init__(self):
        self.options = _neuron_run.Options()
        self.fallback = False
        self._stock = {}      # {procedure: what it was}
        self._until = None    # of psolve, of which NEURON passes six digits on
        self._asked = False   # psolve is called from here
        self._failed = None   # the exception that it ended with
        self._early = None    # one that came before NEURON called
        self._told = False    # with_time() was called before NEURON hands over
        self._again = None    # the time to which psolve is to be called once more
        self._last = None     # (steps, Options, Ranks) of the run
        self._ranks = None    # that continue together
        self._observers = None  # of the session that is being handed over
        self._checked = None  # when the session was looked at, as NEURON asks several times before it hands it over
        self._keeper, self._parts = Keeper(), 0  # how many runs are under way in parts
        self._is_inside = False  # steps of NEURON's own, in which a script may call psolve
        self._attends = False
        self._lines = None    # of graphs, where procedures of stdrun.hoc lead here

    def attend(self):
        """Has the library call this, which NEURON has loaded or will."""
        if self._attends:
            return
        from neuron import coreneuron, h

        arguments = type(coreneuron).nrncore_arg

        def with_time(settings, until):
            self._early = None
            self._attach()
            if settings.enable:
                self._told = True
                try:
                    ranks = Ranks(h)
                    if any(ranks.all(is_out_of_date())):
                        h.fcurrent()  # lays the nodes out anew, as NEURON's own steps do
                        find_targets(lambda: numbers_of_points(h))
                    self._pass_on(ranks.tell_spikes)
                    self._run_past_events(float(until), ranks)
                    _number_sources()
                    self._until = h.t if h.stoprun else float(until)
                except BaseException as error:  # NEURON would let it pass as if all were well
                    self._early = error
                    self._keeper.end()
            self._checked = None
            return arguments(settings, until)

        asked = type(coreneuron).enable
        type(coreneuron).nrncore_arg = with_time
        type(coreneuron).enable = property(self._is_asked, asked.fset, asked.fdel, asked.__doc__)
        take_runs(self._prepare, self._run, self._finish, self._keeps)
        self._attends = True

    def _is_asked(self, settings):
        """What `neuron.coreneuron.enable` is, which psolve asks first: only then NEURON lays its numbers out for a
        hand-over, as it has to; its variable steps, and POINTERs to what such a layout moves, fail with it."""
        from neuron import h

        if self._is_inside:  # NEURON is delivering what waits
            return False
        if settings._enable and self._stock and not h.CVode().active():
            try:
                if not self._asked and self._checked != h.t:
                    _check(h)
                self._checked = h.t
                _lay_out(h)
            except Refused as refused:  # without that NEURON 8.2 ends psolve with an error
                print(refused, file=sys.stderr)
                h.CVode().cache_efficient(0)
        return settings._enable

    def take_procedures(self):
        """Puts this in the place of two of stdrun.hoc's."""
        from neuron import h

        h.load_file("stdrun.hoc")
        h("objref hillock_session_")
        h.hillock_session_ = self
        h(_procedures)
        self._stock = {name: procedure(name) for name in _of_steps}
        self._lines = Lines(h)

    def begin(self):
        """A run begins: what lines of graphs read is recorded where it is to go on here."""
        from neuron import h

        if self._takes_steps():
            self._lines.attach()
        else:
            self._lines.drop()
        if h.CVode().active():
            h.CVode().cache_efficient(0)

    def _takes_steps(self):
        from neuron import coreneuron, h

        return coreneuron._enable and not self._is_inside and not h.CVode().active() and \
            all(procedure(name) == known for name, known in self._stock.items())

    def _takes_steps_of_all(self):
        """Of several ranks, which continue together."""
        from neuron import h

        has_cells = any(True for _ in h.allsec()) or h.List("NetCon").count() > 0
        of_all = self._ranks.all((self._takes_steps(), has_cells))
        return all(takes for takes, _ in of_all) and any(has for _, has in of_all)

    def go_on(self, until):
        """continuerun(until), in ms. Returns 1 where it fails, and hoc's `hillock_said_` has what hoc ends with: of an
        exception NEURON 8.2 hears nothing if it has a letter that is not ASCII, and of an interrupt never."""
        from neuron import h

        try:
            self._continue(until)
            return 0
        except Refused as refused:
            print(refused, file=sys.stderr)
            said = "this session cannot be taken (see above)"
        except RuntimeError as error:  # hoc told of what it ended with
            said = str(error)
        except BaseException as error:
            traceback.print_exc()
            said = f"{type(error).__name__}: {error}"
        h.hillock_said_ = said.encode("ascii", "backslashreplace").decode()[:200]
        return 1

    def _continue(self, until):
        from neuron import h

        h.eventcount, h.eventslow, h.stoprun = 0, 1, 0
        begun = h.startsw()
        self._ranks = Ranks(h)
        if not self._takes_steps_of_all() or not self._solve(until):
            self._step_on(until)
        h.flushPlot()
        h.realtime = h.startsw() - begun

    def _solve(self, until):
        """Whether it ran here, as many steps as continuerun takes; those that hoc's events come in are NEURON's."""
        from neuron import h

        step = max(1, int(h.nstep_steprun))
        self._keeper.end()
        self._parts += 1
        try:
            while h.stoprun == 0 and (event := next_of_hoc(h, until, self._ranks)) is not None:
                self._keeper.begin(until)
                steps = steps_before(h, event) // step * step
                if steps > 1 and not self._solve_steps(steps):
                    return False
                self._pass_on(lambda: self._ranks.step(h.step))
            steps = math.ceil((until - h.t) / h.dt - 0.5 - 1e-9)
            steps = -(-steps // step) * step
            return steps <= 0 or h.stoprun != 0 or self._solve_steps(steps)
        finally:
            self._parts -= 1
            self._keeper.end()

    def _solve_steps(self, steps):
        """Whether so many ran here."""
        from neuron import h

        self._asked, self._failed = True, None
        try:
            self._ranks.together(self._check_steps)
            h.ParallelContext().psolve(h.t + (steps + 0.25) * h.dt)
        except Refused as refused:
            self._failed = refused
        except RuntimeError as error:  # of hoc's: it was told of there
            self._failed = self._failed or Refused([f"NEURON does not hand this session over ({error})"])
        finally:
            self._asked = False
            self._attach()
        failed, self._failed = self._failed, None
        if failed is None:
            self._lines.check()
            return True
        if not self.fallback or not isinstance(failed, Refused):
            raise failed
        if self._ranks.number == 0:
            print(f"Hillock: NEURON runs this itself: {'; '.join(failed.reasons)}", file=sys.stderr)
        self._lines.drop()
        return False

    def _check_steps(self):
        from neuron import h

        if not self._lines.are_attached():
            self._lines.attach()
            h.CVode().re_init()
        if self._lines.problems:
            raise Refused(self._lines.problems)
        _check(h)

    def _step_on(self, until):
        """What stdrun.hoc's own continuerun does."""
        from neuron import h

        if h.using_cvode_:
            h.CVode().event(until)
            if h.CVode().use_local_dt():
                h.CVode().solve(until)
                return
            last = until
        else:
            last = until - h.dt / 2
        begun, shown = h.startsw(), h.screen_update_invl
        while h.t < last and h.stoprun == 0:
            h.step()
            if h.startsw() - begun >= shown:
                h.screen_update()
                shown = h.startsw() - begun + h.screen_update_invl
        if h.using_cvode_ and h.stoprun == 0:
            h.step()

    def _keeps(self, error):
        self._failed = error
        return self._asked

    def _pass_on(self, step):
        """NEURON goes on by itself; what it calls may call psolve, which is NEURON's then."""
        self._is_inside = True
        try:
            step()
        finally:
            self._is_inside = False
            self._keeper.look()

    def _run_past_events(self, until, ranks):
        """What comes before events of hoc's (cvode.event) is handed over by itself; the steps in which they come are
        NEURON's."""
        from neuron import h

        if not self._parts:
            self._keeper.end()
        while h.stoprun == 0 and (event := next_of_hoc(h, until, ranks)) is not None:
            self._keeper.begin(until)
            if (steps := steps_before(h, event)) > 1:
                self._failed = None
                self._parts += 1
                try:
                    h.ParallelContext().psolve(h.t + (steps + 0.25) * h.dt)
                except RuntimeError as error:  # hoc's, of what failed
                    raise self._failed or error from None
                finally:
                    self._parts -= 1
            self._pass_on(lambda: ranks.step(h.fadvance))

    def _attach(self):
        if self._observers:
            self._observers.attach()

    def _prepare(self):
        from neuron import h

        self._checked = None
        self._attach()  # where NEURON failed to hand over before
        if not self._parts or not self._observers or not self._observers.are_where_they_were():
            self._observers = Observers(h, is_laid_out=True)
        self._observers.detach()

    def _run(self, hand_over, argument):
        try:
            self._take(hand_over, argument)
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
        if not told and next_of_hoc(h, until, ranks) is not None:  # the library was loaded for this psolve
            self._again = until
            return
        backend = "cuda" if coreneuron.gpu else self.options.backend
        plot = h.Plot if self._asked else None
        every = max(1, int(h.nstep_steprun)) if self._asked else 1
        options = _neuron_run.Options(backend, self.options.threads, plot, every,
                                      self._lines.has if self._lines else lambda vector: False)
        steps = _neuron_run.run(h, hand_over, until, options, ranks, self._observers, self._keeper)
        self._last = steps, options, ranks

    def _check_early(self):
        if self._early is not None:
            raise self._early
        _check_rxd()

    def _finish(self):
        from neuron import h

        again, self._again = self._again, None
        if again is not None:
            h.ParallelContext().psolve(again)
        elif self._last:
            self._pass_on(lambda: _neuron_run.finish(h, *self._last))


_session = _Session()


def _lay_out(h):
    """NEURON's numbers lie as it hands them over. In 8.2 POINTERs to mechanisms' numbers do not outlast it."""
    if h.CVode().cache_efficient():
        return
    observers = None if is_9() else Observers(h, is_laid_out=False)
    if observers and observers.names:
        observers.detach()
        h.CVode().cache_efficient(1)
        lay_out()  # and computes nothing: what is detached would be written to voltages
        observers.attach()
    else:
        h.CVode().cache_efficient(1)


def _check(h):
    """What NEURON 8.2 does not bear when it is to hand a session over. Raises Refused."""
    _check_rxd()
    check_pointers(h, names_of_observers(h))
    if is_9():
        return
    numbers = []
    for nc in h.List("NetCon"):
        if nc.preseg() is None and nc.pre() is None and (place := nc.preloc()) != -1:
            h.pop_section()  # preloc() makes the source's the one that is accessed
            if place == -2:
                numbers.append(nc.hname())
    if numbers:
        others = f" (and those of {len(numbers) - 1} others)" if len(numbers) > 1 else ""
        raise Refused([f"{numbers[0]}: its source is a number that is no voltage{others}"])


def _check_rxd():
    species = getattr(sys.modules.get("neuron.rxd.species"), "_all_species", ())
    if any(one() is not None for one in species):
        raise Refused(["neuron.rxd has species, which NEURON alone steps"])


def _number_sources():
    """NEURON 9 hands no session over in which a voltage makes spikes and has no gid."""
    from neuron import h

    if not is_9():
        return
    context = h.ParallelContext()
    gid, count = _first_gid + int(context.id()), int(context.nhost())  # another than any other rank's
    for netcon in h.List("NetCon"):
        if netcon.preseg() is None or netcon.srcgid() >= 0:
            continue
        while context.gid_exists(gid):
            gid += count
        context.set_gid2node(gid, context.id())
        context.cell(gid, netcon)


def enable(*, threads: int | None = None, backend: str = "auto", fallback: bool = False) -> None:
    """From now on the session of this process's NEURON runs on Hillock: `ParallelContext.psolve`, and
    `run()` and `continuerun()` of stdrun.hoc, which is loaded. Called before the model is loaded, it sees
    whether a script has steps of its own (`advance`, `step`); these stay NEURON's to run.

    threads: of the CPU, one a core without. backend: "auto", "cpu" or "cuda" (as `coreneuron.gpu` asks
    for, too). fallback: what cannot be taken by `run()` NEURON runs itself, and a line says so; else it
    ends, as psolve does, with an error of hoc's (a RuntimeError), whose reasons are on standard error.
    """
    from neuron import coreneuron

    if threads is not None and (not isinstance(threads, int) or threads < 1):
        raise UsageError(f"threads={threads!r} is no number of threads")
    if backend not in ("auto", "cpu", "cuda"):
        raise UsageError(f"there is no backend {backend!r} (auto, cpu, cuda)")
    _session.options = _neuron_run.Options(backend, threads)
    _session.fallback = fallback
    os.environ["CORENEURONLIB"] = str(library_path())
    attend()
    _session.take_procedures()
    coreneuron.enable = True


def disable() -> None:
    """NEURON runs by itself again."""
    from neuron import coreneuron

    coreneuron.enable = False


def attend() -> None:
    """Called by the library where nobody has called enable()."""
    _session.attend()
