"""Derivatives of what a run records by values of its model."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Union

import numpy as np

from . import _hillock
from ._errors import UsageError
from ._model import Model, Source, as_model, spans
from ._results import Spikes

Traces = dict[str, np.ndarray]
Loss = Callable[[Traces], tuple[float, Mapping[str, Any]]]
SpikeLoss = Callable[[dict[str, Spikes]], tuple[float, Mapping[str, Any]]]
Values = Mapping[str, Union[float, np.ndarray]]


class DerivedRun:
    """A run that can be gone back over.

    model: what load() gives, or takes. values: {path: number} with which it is run and by which it is
    derived, in the base unit of what each path names (ms, mV, nA, uS, um, S/cm2, …); weights and delays of
    a list of connections that is arrays may be an array: {"projections.0.connect.list.weight": [connection]}.
    backend: "cpu", or "cuda" for cells that are not connected (docs/gradients.md). most_bytes: in which its steps
    are kept; None: half of the memory that is free, or a GPU's. Where they do not fit some are kept, and the
    others made again as they are needed, which costs another run and changes no digit. threads: None: one a core.

    ``values`` are these, ``traces`` {report: [sample, element]} in the reports' units, ``spikes``
    {population: Spikes} where they are recorded, ``tape_bytes`` is the memory that it holds until it is
    forgotten.

    Raises as load() and run(); UsageError where the model has what is not derived, by its name, or
    most_bytes are too few, or there is no GPU.
    """

    def __init__(self, model: Source | Model, values: Values, *, backend: str = "cpu",
                 most_bytes: int | None = None, threads: int | None = None):
        if not values:
            raise UsageError("values: at least one path and its number are needed")
        if backend not in ("cpu", "cuda"):
            raise UsageError(f"backend {backend!r}: must be cpu or cuda")
        read = as_model(model)
        for warning in read.warnings:
            warnings.warn(warning, stacklevel=2)
        self._lists = {path: _List(read, path, value) for path, value in values.items() if np.ndim(value) > 0}
        numbers = {path: _number(path, value) for path, value in values.items() if path not in self._lists}
        self.values: dict[str, Any] = {path: self._lists[path].numbers if path in self._lists else numbers[path]
                                       for path in values}
        read = _with_lists(read, self._lists.values())
        if most_bytes is None:  # a GPU knows its own
            most_bytes = 2**62 if backend != "cpu" else half_of_free_memory()
        self._given = read._given()  # the model is read again and again, with the arrays in it
        self._native = _hillock.DerivedRun(**self._given, values=list(numbers.items()), backend=backend,
                                           most_bytes=int(most_bytes), threads=int(threads or 0))
        self._paths = list(numbers)
        samples = self._native.samples
        self._times = {name: (start, every) for name, (start, every, _) in samples.items()}
        self.traces: Traces = {name: data for name, (_, _, data) in samples.items()}
        sizes = spans(read._native)
        self.spikes = {name: Spikes(name, times, ids, sizes.get(name))
                       for name, (times, ids) in self._native.spikes.items()}

    @property
    def tape_bytes(self) -> int:
        return self._native.tape_bytes

    def times(self, report: str) -> np.ndarray:
        """[sample] in ms."""
        start, every = self._times[report]
        return start + every * np.arange(len(self.traces[report]))

    def vjp(self, by: Mapping[str, Any] | None = None, spikes: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """{path: derivative} of a number whose derivatives by samples are `by`, {report: [sample,
        element]}, and by times of spikes `spikes`, {population: [spike]} in their order; of what is not
        there they are 0. Per base unit of each path.

        The derivative of the run is that of its steps, to rounding, but by times at which events arrive: these
        have an error of the order of dt. How cells begin follows from the model's values by differences of fourth
        order, which are exact where a value is only scaled.

        Raises UsageError where a report or a population is none, an array has another form or a number that is
        none, or a value changes the form of cells or which connections and events there are.
        """
        forms = {name: trace.shape for name, trace in self.traces.items()}
        of_spikes = {name: some.times.shape for name, some in self.spikes.items()}
        numbers, connections = self._native.by_beginning(_derivatives(by, forms), _derivatives(spikes, of_spikes))
        found = dict(zip(self._paths, numbers))
        return {path: self._lists[path].derivatives(connections) if path in self._lists else found[path]
                for path in self.values}


def half_of_free_memory() -> int:
    """Bytes of the host's: what steps are kept in where nothing else is said."""
    return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2


class _List:
    """Weights or delays of a list of connections."""

    def __init__(self, model, path, numbers):
        self.path = path
        self.numbers = np.array(numbers, dtype=float)
        named = re.fullmatch(r"(projections\.(\d+)\.connect\.list)\.(weight|delay)", path)
        if not named:
            raise UsageError(f"{path}: an array stands for projections.NUMBER.connect.list.weight or .delay alone")
        self.list, number, self.column = named[1], int(named[2]), named[3]
        try:
            self.columns = dict(model._set.get(self.list) or model._source["projections"][number]["connect"]["list"])
            ends = [np.asarray(self.columns[end], dtype=float) for end in ("target", "source")]
        except (AttributeError, LookupError, TypeError, ValueError):
            raise UsageError(f"{path}: the model has no list of connections there that is arrays") from None
        if self.numbers.shape != ends[0].shape or not np.isfinite(self.numbers).all():
            raise UsageError(f"{path}: as many numbers as connections are needed, {len(ends[0])}")
        self._projection, self._order = number, np.lexsort(ends[::-1])

    def derivatives(self, connections):
        """In the order of the list. connections: [projection] those by weights and by delays, by target and source."""
        by_pair = connections[self._projection][self.column == "delay"]
        if len(by_pair) != len(self.numbers):
            raise UsageError(f"there is no derivative by {self.path}: it stands for {len(by_pair)} connections")
        found = np.empty_like(self.numbers)
        found[self._order] = by_pair
        return found


def _with_lists(model, lists):
    changed = {}
    for one in lists:
        changed.setdefault(one.list, dict(one.columns))[one.column] = one.numbers
    return model.with_values(changed) if changed else model


def _derivatives(by, forms):
    """As they go to the C++ side; forms: of what is recorded, by its name."""
    given = {}
    for name, numbers in (by or {}).items():
        if name not in forms:
            raise UsageError(f"nothing that is recorded is called {name!r}; there are {', '.join(forms)}")
        numbers = np.ascontiguousarray(numbers, dtype=float)
        if numbers.shape != forms[name]:
            raise UsageError(f"{name}: derivatives have the form {forms[name]} of what is recorded, not {numbers.shape}")
        if not np.isfinite(numbers).all():
            raise UsageError(f"{name}: derivatives have to be numbers")
        given[name] = numbers
    return given


def gradient(model: Source | Model, values: Values, loss: Loss | None = None, *, spikes: SpikeLoss | None = None,
             backend: str = "cpu", most_bytes: int | None = None,
             threads: int | None = None) -> tuple[float, dict[str, Any]]:
    """(loss, {path: its derivative}) of a run with these values.

    loss: of {report: [sample, element]} a number and its derivatives by samples, {report: [sample,
    element]}, as squares() makes one. spikes: of {population: Spikes} a number, which is added, and its
    derivatives by their times, {population: [spike]}, as spike_times() makes one. Others as for DerivedRun,
    whose errors it raises.
    """
    if loss is None and spikes is None:
        raise UsageError("a loss of traces or of spikes is needed")
    run = DerivedRun(model, values, backend=backend, most_bytes=most_bytes, threads=threads)
    number, by = loss(run.traces) if loss else (0.0, {})
    of_spikes, by_spikes = spikes(run.spikes) if spikes else (0.0, {})
    return float(number) + float(of_spikes), run.vjp(by, by_spikes)


def squares(targets: Mapping[str, Any], weights: Mapping[str, Any] | None = None) -> Loss:
    """A loss for gradient(): the sum of weight · (trace - target)² over all samples.

    targets: {report: [sample, element]}; weights: the same, or a number a report; else 1.
    Raises UsageError where a target is not a number.
    """
    for name, target in targets.items():
        if not np.isfinite(np.asarray(target, dtype=float)).all():
            raise UsageError(f"{name}: targets have to be numbers")
    weights = dict(weights or {})
    for name in weights.keys() - targets.keys():
        raise UsageError(f"weights: there is no target {name!r}")

    def loss(traces: Traces) -> tuple[float, dict[str, np.ndarray]]:
        total, by = 0.0, {}
        for name, target in targets.items():
            if name not in traces:
                raise UsageError(f"nothing that is recorded is called {name!r}; there are {', '.join(traces)}")
            if np.shape(target) != traces[name].shape:
                raise UsageError(f"{name}: the target has the form {np.shape(target)}, what is recorded "
                                 f"{traces[name].shape}")
            away, weight = traces[name] - target, weights.get(name, 1.0)
            total += float(np.sum(weight * away**2))
            by[name] = 2 * weight * away
        return total, by

    return loss


def spike_times(targets: Mapping[str, Sequence[Any]], *, else_ms: float | None = None) -> SpikeLoss:
    """A loss for gradient(spikes=…): the sum of (time - target)² in ms², the first spike of a cell beside its first
    target and so on.

    targets: {population: [cell] times in ms, in order}; of cells behind the last nothing is asked. A spike that
    appears or vanishes has no derivative: where a cell has more or fewer than its targets it is an error, or, with
    else_ms, each spike too many or too few counts as one that is so far from its target, and changes nothing by
    a small step.

    Raises UsageError where a target is not a number; the loss where no spikes of the population are recorded, or counts
    differ.
    """
    asked = {name: [np.asarray(one, dtype=float) for one in trains] for name, trains in targets.items()}
    if any(one.ndim != 1 or not np.isfinite(one).all() for trains in asked.values() for one in trains):
        raise UsageError("targets have to be numbers, a list for each cell")

    def loss(spikes: dict[str, Spikes]) -> tuple[float, dict[str, np.ndarray]]:
        total, by = 0.0, {}
        for name, trains in asked.items():
            if name not in spikes:
                raise UsageError(f"nothing that is recorded is called {name!r}; there are {', '.join(spikes)}")
            by[name] = np.zeros(len(spikes[name]))
            for cell, target in enumerate(trains):
                mine = np.flatnonzero(spikes[name].ids == cell)
                both, odd = min(len(mine), len(target)), abs(len(mine) - len(target))
                if odd > 0:
                    if else_ms is None:
                        raise UsageError(f"cell {cell} of {name} spikes {len(mine)} times and has {len(target)} targets")
                    total += odd * else_ms**2
                away = spikes[name].times[mine[:both]] - target[:both]
                total += float(np.sum(away**2))
                by[name][mine[:both]] = 2 * away
        return total, by

    return loss


def _number(path, value):
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if not np.isfinite(number):
        raise UsageError(f"{path}: a number in base units is needed, not {value!r}")
    return number
