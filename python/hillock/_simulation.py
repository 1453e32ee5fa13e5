"""Runs: whole ones, and ones that go on step by step."""

from __future__ import annotations

import json
import os
import re
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from . import _hillock
from ._errors import UsageError, is_count
from ._files import open as open_files
from ._model import Model, Source, as_model, spans
from ._progress import Progress, Shown
from ._results import Report, Results, Spikes


def run(model: Source | Model, set: Mapping[str, Any] | None = None, *,  # noqa: A002: as load() has it
        backend: str = "auto", threads: int | None = None, output: str | os.PathLike | None = None,
        force: bool = False, progress: Progress = None, epoch_steps: int | None = None) -> Results:
    """Runs a model in this process and returns its Results.

    model: what load() gives, or takes. set: values that replace the model's, as for load(). backend:
    "auto", "cpu" or "cuda". threads: of the CPU, one a core without. output: a directory for the files
    that the command writes; without one nothing is written. force: overwrite an existing run. progress:
    True for a bar in a notebook (where tqdm is), a line on a terminal, one line at the end elsewhere; or
    a function of (what, done, total, spikes), called a few times a second. epoch_steps: the most steps
    between exchanges of spikes; results do not depend on it.

    Other threads of Python go on meanwhile; Ctrl-C ends the run with KeyboardInterrupt. What the
    model is warned of is a warning of Python's. Raises ModelError, NumericalError, DeviceError, FileError.
    """
    model = as_model(model, set)
    for warning in model.warnings:
        warnings.warn(warning, stacklevel=2)
    with Shown(progress, model.dt_ms) as look:
        native = _simulation_of(model, backend, threads, epoch_steps, look)
        if output is not None:
            native.run_into(os.fspath(output), force, 5.0)
            return open_files(output)
        native.run()
    return _results_of(native, model, "complete")


class Begun:
    """A run that is built, and can be told to go."""

    def __init__(self, model, backend, threads):
        self._model = model
        self._native = _simulation_of(model, backend, threads, None, lambda *_: None)

    def results(self) -> Results:
        self._native.run()
        return _results_of(self._native, self._model, "complete")


class Simulation:
    """A run that goes on step by step.

    >>> sim = hillock.Simulation("model.yaml")
    >>> sim.advance(10)            # ms of biological time
    >>> sim.change({"stimuli.0.iclamp.amplitude": "0.2 nA"})
    >>> sim.advance(20)
    >>> sim.results().reports["v"].data[-1]

    What comes out is what one run would give, wherever it stops in between. Arguments as those of
    run(). ``with hillock.Simulation(model) as sim:`` gives its memory and threads back at the end.
    """

    def __init__(self, model: Source | Model, set: Mapping[str, Any] | None = None, *,  # noqa: A002
                 backend: str = "auto", threads: int | None = None, epoch_steps: int | None = None):
        self._model = as_model(model, set)
        self._options = (backend, threads, epoch_steps)
        self._earlier: list[Results] = []  # until the step at which the present part begins
        self._begun = 0
        self._native = self._made(self._model, None)

    @property
    def model(self) -> Model:
        """The model as it now is."""
        return self._model

    def __enter__(self) -> Simulation:
        return self

    def __exit__(self, *_) -> None:
        self._native = _Closed()

    @property
    def time(self) -> float:
        """How far it is, in ms."""
        return self._native.step * self._model.dt_ms

    def advance(self, to: float | None = None, *, progress: Progress = None) -> Simulation:
        """Goes on to a time, in ms; without one to the end. The nearest step is taken; it is an
        error if that is one that has passed, or beyond the end."""
        if to is not None and not (isinstance(to, (int, float, np.number)) and np.isfinite(to)):
            raise UsageError(f"advance: a time in ms is needed, not {to!r}")
        step = self._model.run["steps"] if to is None else round(to / self._model.dt_ms)
        if step < self._native.step:
            raise UsageError(f"{to} ms have passed: the simulation is at {self.time:g} ms")
        if step > self._model.run["steps"]:
            raise UsageError(f"{to} ms lie beyond the end at {self._model.duration_ms:g} ms")
        with Shown(progress, self._model.dt_ms) as look:
            self._look.use(look)
            try:
                self._native.advance(step)
            finally:
                self._look.use(None)  # who listens may hold this simulation
        return self

    def get(self, variable: str, population: str,
            cell: int | None = None) -> np.ndarray | list[np.ndarray]:
        """The numbers of a variable that changes, as they now are: "v" in mV, "hh.m".

        Of one cell: [n], in the order of the compartments that have it (Cell.compartments), or of
        its synapses. Without a cell: [cell, n], where all have as many, else a list of arrays.
        After a NumericalError as it found them.
        """
        some = self._numbers(variable, population)
        if cell is not None:
            return some.of(cell)[some.shown]
        if some.are_alike:
            return some.all.reshape(some.cells, -1)[:, some.shown]
        return np.split(some.all, some.ends[:-1])

    def put(self, variable: str, population: str, numbers, cell: int | None = None) -> Simulation:
        """Gives a variable that changes other numbers: of one cell or, [cell, n] or one for all, of
        the whole population. What does not change by itself is the model's: change()."""
        mechanism, _, name = variable.rpartition(".")
        if name in self._model._native.parameters.get(mechanism, ()):
            raise UsageError(f"{variable} is a parameter: change() gives it another value")
        some = self._numbers(variable, population)
        numbers = np.asarray(numbers, float)
        if not np.all(np.isfinite(numbers)):
            raise UsageError(f"{variable}: numbers that are not finite cannot be put there")
        if numbers.ndim == 0:
            (some.all if cell is None else some.of(cell))[:] = numbers
        elif cell is not None:
            some.of(cell)[some.shown] = numbers
        elif some.are_alike:
            some.all.reshape(some.cells, -1)[:, some.shown] = numbers
        else:
            some.all[:] = numbers
        self._go_on(self._model, self.save(), {population: {some.column: some.all}})
        return self

    def change(self, values: Mapping[str, Any]) -> Simulation:
        """Changes values of the model from now on, as load() takes them: of clamps, weights,
        parameters. ``{"stimuli.0.iclamp.amplitude": "0.2 nA"}``. What changes by itself stays as it
        is. The network is built again, which takes as long as at the start. Raises UsageError for
        what would make it another network, or another run."""
        saved = self.save()
        model = self._model.with_values(values)
        if saved.step > 0:
            fixed = [path for path in values if _fixed.match(path)]
            if fixed or _network_of(model) != _network_of(self._model):
                what = f"{fixed[0]} is" if fixed else "which cells, mechanisms and connections there are is"
                raise UsageError(f"change: {what} fixed once a run has begun; clamps, weights and parameters are not")
        self._go_on(model, saved, own=_named(model._native.parameters, values))
        return self

    def save(self) -> Saved:
        """The simulation as it now is, for restore(). It can be pickled."""
        self._native.check_sound()
        step = self._native.step
        if step == 0:
            return Saved(step, None)
        after_ms = step * self._model.dt_ms - self._model._native.longest_step_ms
        recent = [{name: (some.times[some.times > after_ms], some.ids[some.times > after_ms])
                   for name, some in part.spikes.items()} for part in self._earlier]
        return Saved(step, self._native.save(), after_ms, _in_order([*recent, self._native.spikes_after(after_ms)]))

    def restore(self, saved: Saved) -> Simulation:
        """Goes back, or on, to what save() gave, of this model or one of the same network. Results
        begin there where it lies ahead of what has been simulated here."""
        self._go_on(self._model, saved)
        return self

    def results(self) -> Results:
        """What there is until now. After change(), put() or restore() the part before it is there too, as far
        as it leads to now."""
        parts = [*self._earlier, _results_of(self._native, self._model, self._status())]
        return _joined(parts) if len(parts) > 1 else parts[0]

    def _numbers(self, variable, population):
        kind = self._model.populations[population].cell
        name = variable.replace(".", "/")
        column = self._native.column_of(population, name)
        if isinstance(column, list):
            known = ", ".join(sorted(other.replace("/", ".") for other in column if other != "above"))
            raise KeyError(f"{population} keeps no '{variable}' from step to step among {known} (what follows from "
                           "these, as currents, is recorded)")
        return _Numbers(population, name, *column, kind)

    def _status(self):
        return "complete" if self._native.step == self._model.run["steps"] else "running"

    def _made(self, model, state, changes=None, own=frozenset()):
        self._look = _Look()
        native = _simulation_of(model, *self._options, self._look)
        native.begin(state, changes or {}, own)
        return native

    def _go_on(self, model, saved, changes=None, own=frozenset()):
        if not isinstance(saved, Saved):
            raise TypeError(f"what save() gives is needed, not {type(saved).__name__}")
        if changes and saved.state is None:
            raise UsageError("at 0 ms the model says what there is: change() it")
        if saved.step >= self._model.run["steps"]:
            raise UsageError("nothing comes after the end of the run")
        time_ms = saved.step * self._model.dt_ms
        before = []
        if 0 < saved.step <= self._native.step:  # else nothing is known of what leads there
            # One that was interrupted has more than it is at.
            before = [part if saved.step >= self._begun and not _has_spikes(part, saved.after_ms) else
                      _until(part, time_ms, saved.after_ms) for part in self._earlier]
            before.append(_until(_results_of(self._native, self._model, "running"), time_ms, saved.after_ms))
            for name, some in before[-1].spikes.items():
                recent = saved.recent.get(name, (some.times[:0], some.ids[:0]))
                some.times, some.ids = (np.concatenate(both) for both in zip((some.times, some.ids), recent))
        native = self._made(model, saved.state, changes, own)
        self._model, self._native, self._begun = model, native, saved.step
        self._earlier = before

    def __repr__(self):
        return f"Simulation of {self._model.path} at {self.time:g} of {self._model.duration_ms:g} ms"


#: Paths of values that say which network it is, and which run.
_fixed = re.compile(r"(run|record|populations|mechanisms|hillock|include)(\.|$)|points\.[^.]+(\.(on|list))?$|"
                    r"projections(\.\d+(\.(from|to|connect)|.*\.at)?)?$|stimuli(\.\d+(\.to|.*\.at)?)?$|"
                    r"cells(\.[^.]+(\.(morphology|discretization).*|\.regions)?)?$|cells\.[^.]+\.regions\.[^.]+\.diam$")


def _network_of(model):
    """What a change leaves as it is."""
    native = model._native
    return native.populations, native.projections, native.stimuli, native.recordings, native.points, \
        {name: cell.regions if cell.has_shape else cell.mechanism for name, cell in model.cells.items()}


class _Closed:
    """In the place of a simulation whose `with` has ended."""

    def __getattr__(self, _):
        raise UsageError("this simulation ended with its `with`: its results() are to be had before")


class Saved:
    """What a simulation can be gone on from. ``step``: how many steps are done."""

    def __init__(self, step: int, state: bytes | None, after_ms: float = 0.0,
                 recent: dict[str, tuple[np.ndarray, np.ndarray]] | None = None):
        self.step = step
        self.state = state
        # Which spikes behind a time there were: an artificial cell's of half a step before the end, and those
        # that have the time of the beginning of a step, are made when the step after is.
        self.after_ms = after_ms
        self.recent = recent or {}

    def __repr__(self):
        return f"Saved at step {self.step}"


class _Numbers:
    """The numbers of a column of a state: ``all`` of them, cell by cell."""

    def __init__(self, population, column, numbers, counts, kind):
        self.population = population
        self.column = column
        self.all = numbers
        self.cells = len(counts)
        self.ends = np.cumsum(counts, dtype=np.int64)
        self.are_alike = self.cells > 0 and bool(np.all(counts == counts[0]))
        # A voltage is solved for where branches join, too; what is at a branch's end adds one more.
        self.shown = slice(None)
        if column == "v" and kind.has_shape and self.are_alike and counts[0] == len(kind._solved):
            self.shown = kind._solved >= 0

    def of(self, cell):
        """A view of those of one cell."""
        if not 0 <= cell < self.cells:
            raise IndexError(f"{self.population} has {self.cells} cells, and no cell {cell}")
        return self.all[self.ends[cell - 1] if cell else 0:self.ends[cell]]


def _named(parameters, values):
    """The columns of the parameters of all mechanisms that values of a model may be of."""
    words = set()

    def add(value):
        if isinstance(value, dict):
            for key, inner in value.items():
                words.add(str(key))
                add(inner)
        elif isinstance(value, (list, tuple)):
            for inner in value:
                add(inner)

    for path, value in values.items():
        words.update(path.split("."))
        add(value)
    return {f"{mechanism}/{parameter}" for mechanism in words & set(parameters)
            for parameter in parameters[mechanism]}


def _simulation_of(model, backend, threads, epoch_steps, look):
    if threads is not None and not is_count(threads):
        raise UsageError(f"threads must be from 1 to 4096, or None for one a core, not {threads!r}")
    if epoch_steps is not None and not (is_count(epoch_steps) and epoch_steps <= 1_000_000):
        raise UsageError(f"epoch_steps must be from 1 to 1000000, not {epoch_steps!r}")
    native = _hillock.Simulation(model._native, backend, 0 if threads is None else int(threads),
                                 400 if epoch_steps is None else int(epoch_steps), look)
    for note in native.notes:
        warnings.warn(note, stacklevel=3)
    return native


def _results_of(native, model, status):
    sizes = spans(model._native)
    spikes = {name: Spikes(name, *columns, sizes.get(name)) for name, columns in native.spikes.items()}
    reports = {report["name"]: Report(**report) for report in native.reports}
    summary = {**json.loads(native.summary()), "reached_ms": native.step * model.dt_ms}
    return Results(spikes, reports, summary, status)


def _in_order(parts):
    """{population: (times, ids)} of several of these, by time and then by cell."""
    joined = {}
    for name in parts[-1]:
        times, ids = (np.concatenate([part[name][k] for part in parts if name in part]) for k in (0, 1))
        if np.any((times[1:] < times[:-1]) | ((times[1:] == times[:-1]) & (ids[1:] < ids[:-1]))):
            order = np.lexsort((ids, times))
            times, ids = times[order], ids[order]
        joined[name] = times, ids
    return joined


def _has_spikes(results, after_ms):
    return any(len(some) > 0 and some.times[-1] > after_ms for some in results.spikes.values())


def _until(results, time_ms, spikes_ms):
    """What is there until a time, and spikes until another."""
    spikes = {}
    for name, some in results.spikes.items():
        n = int(np.searchsorted(some.times, spikes_ms, side="right"))
        spikes[name] = Spikes(name, some.times[:n], some.ids[:n], some.size)
    reports = {}
    for name, report in results.reports.items():
        n = int(np.count_nonzero(report.times <= time_ms + 1e-9 * report.every_ms))
        reports[name] = report._with(report.start_ms, report.data[:n])
    return Results(spikes, reports, results.summary, results.status)


def _joined(parts):
    """Parts that follow one another."""
    last = parts[-1]
    columns = _in_order([{name: (some.times, some.ids) for name, some in part.spikes.items()} for part in parts])
    spikes = {name: Spikes(name, *both, last.spikes[name].size) for name, both in columns.items()}
    reports = {}
    for name, report in last.reports.items():
        some = [part.reports[name] for part in parts if name in part.reports]
        reports[name] = report._with(some[0].start_ms, np.concatenate([one.data for one in some]))
    summary = {**last.summary, "spikes": sum(len(some) for some in spikes.values())}
    return Results(spikes, reports, summary, last.status)


class _Look:
    """Hears how far a simulation is, for whoever listens at the moment."""

    def __init__(self):
        self._to = None

    def use(self, to):
        self._to = to

    def __call__(self, what, done, total, spikes):
        if self._to:
            self._to(what, done, total, spikes)
