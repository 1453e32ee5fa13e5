"""How strong something must be so that cells spike."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from . import _hillock
from ._errors import UsageError
from ._model import Model, Source, as_model
from ._sweep import as_columns, as_one_model


def threshold(model: Source | Model, scale: str, population: str, *, low: float = 0.0, high: float = 1.0,
              tolerance: float = 0.01, spikes_at: str | None = None, block: bool = False,
              window_ms: tuple[float, float] = (0.0, float("inf")),
              values: Mapping[str, Sequence[Any]] | None = None, backend: str = "auto",
              threads: int | None = None) -> np.ndarray:
    """[cell] the least number between `low` and `high` with which a cell of the population spikes or,
    of `values`, [variant, cell].

    All cells are looked for at once, in some fifteen runs; so are variants where they can be
    cells of one run (sweep()), else one after the other.

    scale: path of a value that may vary from cell to cell: "stimuli.0.field.scale",
    "stimuli.0.iclamp.amplitude", in the base unit of what it names. low, high: between which it is
    looked for, in that unit; at least 0. tolerance: of a threshold, relative to it. spikes_at: where
    a spike counts, "node[20](0.5)"; else where the cell's detector is. block: the least with which a
    cell does not spike, that spikes without. window_ms: when a spike counts. values: variants as for
    sweep(): {"stimuli.0.field.waveform.duration": [0.05, 0.1, 0.2]} is a curve of strength and duration.
    Others as for run().

    nan where nothing up to `high` is enough; `low` where that is. Doublings from high/1024 on find
    between which two it lies, bisection where: more does what less does, between these two. Raises as
    load() and run(); UsageError where cells are connected, since each is to be looked for by itself,
    or what is asked for makes no sense.
    """
    model = as_model(model)
    if values:
        if scale in values:
            raise UsageError(f"{scale} is what is looked for, and cannot be among values")
        columns, (variants,) = as_columns(values, {})
        joined, _ = as_one_model(model, columns)
        every = [joined] if joined else [model.with_values({path: column[variant] for path, column in columns.items()})
                                         for variant in range(variants)]
        found = [threshold(one, scale, population, low=low, high=high, tolerance=tolerance, spikes_at=spikes_at,
                           block=block, window_ms=window_ms, backend=backend, threads=threads) for one in every]
        return np.reshape(found, (variants, -1))
    for warning in model.warnings:
        warnings.warn(warning, stacklevel=2)
    from_ms, until_ms = window_ms
    numbers = {name: _number(name, value) for name, value in (("low", low), ("high", high), ("tolerance", tolerance),
                                                              ("from_ms", from_ms), ("until_ms", until_ms))}
    return np.asarray(_hillock.find_thresholds(
        **model._given(), **numbers, scale=scale, population=population, spikes_at=spikes_at, block=block, backend=backend,
        threads=int(threads or 0)))


def _number(name, value):
    try:
        return float(value)
    except (TypeError, ValueError):
        what = "window_ms" if name.endswith("_ms") else name
        raise UsageError(f"{what}: a number in base units is needed, not {value!r}") from None
