"""Derivatives of what a run records by values of its model."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from . import _hillock
from ._errors import UsageError
from ._model import Model, Source, as_model

Traces = dict[str, np.ndarray]
Loss = Callable[[Traces], tuple[float, Mapping[str, Any]]]


class DerivedRun:
    """A run that can be gone back over.

    model: what load() gives, or takes. values: {path: number} with which it is run and by which it is
    derived, in the base unit of what each path names (ms, mV, nA, uS, um, S/cm2, …). most_bytes: in
    which its steps are kept; None: half of the memory that is free. Where they do not fit some are kept,
    and the others made again as they are needed, which costs another run and changes no digit.
    threads: None: one a core.

    ``values`` are these, ``traces`` {report: [sample, element]} in the reports' units, ``tape_bytes`` is
    the memory that it holds until it is forgotten.

    Raises as load() and run(); UsageError where the model has what is not derived, by its name, or
    most_bytes are too few.
    """

    def __init__(self, model: Source | Model, values: Mapping[str, float], *, most_bytes: int | None = None,
                 threads: int | None = None):
        if not values:
            raise UsageError("values: at least one path and its number are needed")
        self.values = {path: _number(path, value) for path, value in values.items()}
        model = as_model(model)
        for warning in model.warnings:
            warnings.warn(warning, stacklevel=2)
        if most_bytes is None:
            most_bytes = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
        self._native = _hillock.DerivedRun(**model._given(), values=list(self.values.items()), most_bytes=int(most_bytes),
                                           threads=threads or 0)
        samples = self._native.samples
        self._times = {name: (start, every) for name, (start, every, _) in samples.items()}
        self.traces: Traces = {name: data for name, (_, _, data) in samples.items()}

    @property
    def tape_bytes(self) -> int:
        return self._native.tape_bytes

    def times(self, report: str) -> np.ndarray:
        """[sample] in ms."""
        start, every = self._times[report]
        return start + every * np.arange(len(self.traces[report]))

    def vjp(self, by: Mapping[str, Any]) -> dict[str, float]:
        """{path: derivative} of a number whose derivatives by samples are `by`, {report: [sample,
        element]}; of a report that is not there they are 0. Per base unit of each path.

        The derivative of the run is that of its steps, to rounding. How cells begin follows from the
        model's values by differences of fourth order, which are exact where a value is only scaled.

        Raises UsageError where a report is none, an array has another form or a number that is none, or
        a value changes the form of cells.
        """
        given = {}
        for name, numbers in by.items():
            if name not in self.traces:
                raise UsageError(f"nothing that is recorded is called {name!r}; there are {', '.join(self.traces)}")
            numbers = np.ascontiguousarray(numbers, dtype=float)
            if numbers.shape != self.traces[name].shape:
                raise UsageError(f"{name}: derivatives have the form {self.traces[name].shape} of what is recorded, "
                                 f"not {numbers.shape}")
            if not np.isfinite(numbers).all():
                raise UsageError(f"{name}: derivatives have to be numbers")
            given[name] = numbers
        return dict(zip(self.values, self._native.by_values(given)))


def gradient(model: Source | Model, values: Mapping[str, float], loss: Loss, *,
             most_bytes: int | None = None, threads: int | None = None) -> tuple[float, dict[str, float]]:
    """(loss, {path: its derivative}) of a run with these values.

    loss: of {report: [sample, element]} a number and its derivatives by samples, {report: [sample,
    element]}, as squares() makes one. Others as for DerivedRun, whose errors it raises.
    """
    run = DerivedRun(model, values, most_bytes=most_bytes, threads=threads)
    number, by = loss(run.traces)
    return float(number), run.vjp(by)


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


def _number(path, value):
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if not np.isfinite(number):
        raise UsageError(f"{path}: a number in base units is needed, not {value!r}")
    return number
