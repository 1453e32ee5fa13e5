"""How strong something must be so that cells spike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ._errors import UsageError
from ._model import Model, Source, as_model
from ._simulation import run
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
    if not (0 <= low < high < float("inf")):
        raise UsageError(f"low and high must be two numbers, the lower one at least 0, not {low} and {high}")
    if not 0 < tolerance < 1:
        raise UsageError(f"tolerance is a part of a threshold, between 0 and 1, not {tolerance}")
    model = as_model(model)
    if population not in model.populations:
        raise UsageError(f"there is no population '{population}'; there are {', '.join(model.populations)}")
    if spikes_at is not None:
        kind = model.populations[population].cell.name
        model = model.with_values({f"cells.{kind}.detector.at": spikes_at})
    if model.projections or model._native.points:
        raise UsageError("cells are connected: a threshold is that of a cell by itself")
    if values:
        columns, (variants,) = as_columns(values, {})
        joined, _ = as_one_model(model, columns)
        every = [joined] if joined else [model.with_values({path: column[variant] for path, column in columns.items()})
                                         for variant in range(variants)]
        found = [threshold(one, scale, population, low=low, high=high, tolerance=tolerance, block=block,
                           window_ms=window_ms, backend=backend, threads=threads) for one in every]
        return np.reshape(found, (variants, -1))
    size = model.populations[population].size
    known_as, ids = model._native.nodes.get(population, (population, np.arange(size, dtype=np.uint64)))
    order = np.argsort(ids)

    def is_reached(at: np.ndarray) -> np.ndarray:
        spikes = run(model.with_values({scale: {"csv": at}}), backend=backend, threads=threads).spikes
        if known_as not in spikes:
            raise UsageError(f"the model does not record spikes of '{known_as}'")
        some = spikes[known_as]
        mine = np.isin(some.ids, ids) & (some.times >= window_ms[0]) & (some.times < window_ms[1])
        has_spiked = np.zeros(size, bool)
        has_spiked[order[np.searchsorted(ids, some.ids[mine], sorter=order)]] = True
        return ~has_spiked if block else has_spiked

    # Upwards first, in doublings: what is far too strong may block what less of it begins.
    below, above = np.full(size, float(low)), np.full(size, np.nan)
    above[is_reached(below)] = low
    first, least = max(2 * low, high / 1024), 1e-9 * high
    is_beyond = np.zeros(size, bool)
    while True:
        rises = np.isnan(above) & ~is_beyond
        is_sought = rises | ((above - below > tolerance * above) & (above > least))
        if not np.any(is_sought):
            break
        upwards = np.minimum(np.maximum(2 * below, first), high)
        at = np.where(rises | is_beyond, upwards, np.where(below > 0, np.sqrt(below * above), above / 2))
        reached = is_reached(at)
        above[is_sought & reached] = at[is_sought & reached]
        below[is_sought & ~reached] = at[is_sought & ~reached]
        is_beyond |= rises & ~reached & (at == high)
    return above
