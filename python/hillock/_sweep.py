"""Many variants of a model in one run."""

from __future__ import annotations

import concurrent.futures
import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ._errors import ModelError, UsageError, is_count
from ._model import Model, Source, as_model, spans
from ._results import Report, Results, Spikes
from ._simulation import Begun, Progress, run


def sweep(model: Source | Model, values: Mapping[str, Any] | None = None,
          stimuli: Mapping[str, Any] | None = None, *, backend: str = "auto", threads: int | None = None,
          progress: Progress = None) -> Sweep:
    """Runs variants of a model and returns a Sweep.

    model: what load() gives, or takes. values: {path: [variant]}, of each path one value a variant:
    numbers are in the base unit of what the path names (ms, mV, nA, uS, um, S/cm2, …), or texts with
    their unit ("0.12 S/cm2"). stimuli: the same of stimuli; each variant gets each of these, so that
    arrays have an axis more. Others as for run().

    Where nothing connects the model's cells and everything that is swept may vary from cell to cell,
    all variants are cells of one run, which costs a fraction of as many runs. Else each is a run of its
    own; ``together`` of what is returned says which it was. Draws (of `r`, of Poisson trains and noise)
    are each cell's own in one run, and the same for all variants in runs of their own.

    Raises as load() and run(); ValueError where columns differ in length.
    """
    model, values, stimuli = as_model(model), dict(values or {}), dict(stimuli or {})
    columns, shape = as_columns(values, stimuli)
    if not columns:
        raise UsageError("a sweep needs at least one path and its values, in values or in stimuli")
    _check(columns)
    together, why_not = as_one_model(model, columns)
    if together is not None:
        results = run(together, backend=backend, threads=threads, progress=progress)
        return Sweep(values, stimuli, shape, model, results, None, "")
    every = []
    for variant in range(len(next(iter(columns.values())))):
        own = model.with_values({path: column[variant] for path, column in columns.items()})
        every.append(run(own, backend=backend, threads=threads, progress=progress))
    return Sweep(values, stimuli, shape, model, None, every, why_not)


def sweep_efel(model: Source | Model, values: Mapping[str, Any] | None = None,
               stimuli: Mapping[str, Any] | None = None, *, report: str, names: Sequence[str], start_ms: float,
               stop_ms: float, element: int = 0, batch: int = 5000, backend: str = "auto",
               threads: int | None = None) -> dict[str, np.ndarray]:
    """{name: [variant, stimulus]}: features of the variants of a sweep(), however many there are.

    report, names, start_ms, stop_ms, element: as for Sweep.efel(). batch: so many variants are run at
    once, so that memory is theirs alone, while the next ones are built. Others as for sweep().
    """
    model, values, stimuli = as_model(model), dict(values or {}), dict(stimuli or {})
    columns, shape = as_columns(values, stimuli)
    if not is_count(batch):
        raise UsageError(f"batch: a number of variants is needed, not {batch!r}")
    parts = [{path: column[begin:begin + batch] for path, column in columns.items()}
             for begin in range(0, int(np.prod(shape)), batch)]

    def begun(part):
        together, _ = as_one_model(model, part)
        return together and Begun(together, backend, threads)

    found = []
    with concurrent.futures.ThreadPoolExecutor(1) as ahead:
        coming = ahead.submit(begun, parts[0])
        for number, part in enumerate(parts):
            one_run = coming.result()
            if number + 1 < len(parts):
                coming = ahead.submit(begun, parts[number + 1])
            variants = len(next(iter(part.values())))
            some = Sweep(part, {}, (variants,), model, one_run.results(), None, "") if one_run \
                else sweep(model, part, backend=backend, threads=threads)
            found.append(some.efel(report, names, start_ms, stop_ms, element))
    return {name: np.concatenate([one[name] for one in found]).reshape(shape) for name in found[0]}


class Sweep:
    """The results of variants: arrays begin with an axis of variants and, where stimuli were swept
    too, one of these. ``shape`` has the lengths of these axes; ``values`` and ``stimuli`` are what
    was swept; ``together`` tells whether it was one run, and ``why_not`` why it was not."""

    def __init__(self, values, stimuli, shape, model, results, every, why_not):
        self.values = values
        self.stimuli = stimuli
        self.shape = shape
        self.together = results is not None
        self.why_not = why_not
        self._spans = spans(model._native)
        self._results = results
        self._every = every
        self._sorted = {}  # {population: (order of spikes, [variant] first)}

    def __len__(self) -> int:
        return int(np.prod(self.shape))

    @property
    def summary(self):
        """What the run says of itself; a list of these where there were several."""
        return self._results.summary if self.together else [one.summary for one in self._every]

    def report(self, name: str) -> np.ndarray:
        """[variant, sample, element] of a report, in its units: a view where it was one run."""
        if self.together:
            data = self._results[name].data
            data = np.moveaxis(data.reshape(len(data), len(self), -1), 0, 1)
        else:
            every = [one[name].data for one in self._every]
            for number, one in enumerate(every):
                if one.shape != every[0].shape:
                    raise UsageError(f"{name} has {_form(every[0])} of variant 0 and {_form(one)} of variant {number}: "
                                     "take each by itself, sweep[number]")
            data = np.stack(every)
        return data.reshape(*self.shape, *data.shape[1:])

    def times(self, name: str) -> np.ndarray:
        """[sample] of a report, in ms."""
        return self[0][name].times

    def spike_counts(self, population: str) -> np.ndarray:
        """[variant] how many spikes there were."""
        if self.together:
            spikes, span = self._results.spikes[population], self._spans[population]
            counts = np.bincount((spikes.ids // np.uint64(span)).astype(np.int64), minlength=len(self))
        else:
            counts = np.array([len(one.spikes[population]) for one in self._every])
        return counts.reshape(self.shape)

    def features(self, function: Callable[[Results], Any]) -> np.ndarray:
        """[variant, …] what a function makes of each variant's Results: a number or an array."""
        made = np.array([function(self[i]) for i in range(len(self))])
        return made.reshape(*self.shape, *made.shape[1:])

    def efel(self, report: str, names: Sequence[str], start_ms: float, stop_ms: float,
             element: int = 0) -> dict[str, np.ndarray]:
        """{name: [variant]} features of one element of a report of voltages, as Report.efel()."""
        every = [self._results] if self.together else self._every
        found = []
        for results in every:
            count = results[report].data.shape[1] // (len(self) if self.together else 1)
            if not 0 <= element < count:
                raise UsageError(f"{report} has {count} elements a variant, and none of number {element}")
            found.append(results[report].efel(names, start_ms, stop_ms, np.arange(
                element, results[report].data.shape[1], count)))
        return {name: np.concatenate([one[name] for one in found]).reshape(self.shape) for name in found[0]}

    def __getitem__(self, variant: int | tuple[int, ...]) -> Results:
        """The Results of one variant, by its number or, of several axes, its numbers."""
        if isinstance(variant, tuple):
            places = [range(n)[i] for i, n in zip(variant, self.shape, strict=True)]
            number = int(np.ravel_multi_index(places, self.shape))
        else:
            number = range(len(self))[variant]
        if not self.together:
            return self._every[number]
        spikes = {name: self._spikes_of(some, number) for name, some in self._results.spikes.items()}
        reports = {name: self._report_of(report, number)
                   for name, report in self._results.reports.items()}
        own = [{**one, "size": one["size"] // len(self)} for one in self._results.summary["populations"]]
        return Results(spikes, reports, {**self._results.summary, "populations": own})

    def _spikes_of(self, spikes, number):
        span = self._spans[spikes.population]
        if spikes.population not in self._sorted:
            variants = (spikes.ids // np.uint64(span)).astype(np.int64)
            order = np.argsort(variants, kind="stable")
            first = np.searchsorted(variants[order], np.arange(len(self) + 1))
            self._sorted[spikes.population] = order, first
        order, first = self._sorted[spikes.population]
        mine = order[first[number]:first[number + 1]]
        return Spikes(spikes.population, spikes.times[mine], spikes.ids[mine] - np.uint64(number * span), span)

    def _report_of(self, report, number):
        first = number * self._spans[report.population]
        begin, end = np.searchsorted(report.node_ids, [first, first + self._spans[report.population]])
        cells, pointers = slice(begin, end), report.index_pointers[begin:end + 1]
        columns = slice(int(pointers[0]), int(pointers[-1]))
        return Report(report.name, report.population, report.units, report.start_ms, report.every_ms,
                      report.data[:, columns], report.node_ids[cells] - np.uint64(first),
                      pointers - pointers[0], report.element_ids[columns], report.element_pos[columns])

    def __repr__(self):
        axes = " × ".join(str(n) for n in self.shape)
        how = "one run" if self.together else f"{len(self)} runs ({self.why_not})"
        return f"Sweep of {axes} variants in {how}: {', '.join([*self.values, *self.stimuli])}"


def _form(data):
    return f"{data.shape[0]} samples of {data.shape[1]} elements"


def as_columns(values, stimuli):
    """{path: [variant × stimulus]}, and the lengths of the axes."""
    axes = [axis for axis in (values, stimuli) if axis]
    if twice := set(values) & set(stimuli):
        raise UsageError(f"{twice.pop()} is in both, values and stimuli")
    for path, column in itertools.chain(*(axis.items() for axis in axes)):
        if isinstance(column, str) or not hasattr(column, "__len__") or isinstance(column, Mapping):
            raise UsageError(f"{path}: a list with a value for each variant is needed, not {column!r}")
    lengths = []
    for axis in axes:
        found = {path: len(column) for path, column in axis.items()}
        if len(set(found.values())) > 1:
            raise ValueError("what is swept together has one length: " +
                             ", ".join(f"{path} {n}" for path, n in found.items()))
        if 0 in found.values():
            raise ValueError("a sweep of no variants")
        lengths.append(next(iter(found.values())))
    rows = list(itertools.product(*(range(n) for n in lengths)))
    columns = {}
    for number, axis in enumerate(axes):
        for path, column in axis.items():
            columns[path] = [column[row[number]] for row in rows]
    return columns, tuple(lengths)


def _check(columns):
    """Of each path a number or a text a variant."""
    for path, column in columns.items():
        for value in column:
            if not isinstance(value, (str, int, float, np.number)):
                raise UsageError(f"{path}: variants are numbers or texts, not {type(value).__name__}")


def as_one_model(model, columns):
    """(the model whose cells are all variants, "") or (None, why it cannot be one)."""
    native = model._native
    sizes = {name: size for name, _, size in native.populations}
    slices = [*native.stimuli, *native.recordings]
    if native.projections or native.points:
        return None, "cells are connected, or have points"
    if native.has_potentials:
        return None, "potentials are sums over all cells"
    if any((begin, end) != (0, sizes[population]) for _, population, begin, end in slices):
        return None, "a stimulus or a record is of a part of a population"
    if others := [path for path in columns if path.split(".")[0] not in ("cells", "stimuli")]:
        return None, f"{others[0]} does not vary from cell to cell"
    texts = [str(value) for column in columns.values() for value in column if isinstance(value, str)]
    if any(re.search(r"\b(index|size)\b", text) for text in texts) or model.with_values(
            {path: column[0] for path, column in columns.items()})._native.goes_by_number:
        return None, "the model has values that go by a cell's number or place, as index, a list, a column"
    variants = len(next(iter(columns.values())))
    values = {f"populations.{name}.size": size * variants for name, size in sizes.items()}
    width = spans(native)
    for name, (known_as, ids) in native.nodes.items():
        others = np.arange(variants, dtype=np.uint64)[:, None] * np.uint64(width[known_as])
        values[f"populations.{name}.nodes.ids"] = {"csv": (others + ids).ravel()}
    for number, (_, population, _, _) in enumerate(native.stimuli):
        values[f"stimuli.{number}.to"] = population
    entries = itertools.groupby(native.recordings, key=lambda one: one[0])
    for number, (_, places) in enumerate(entries):
        names = [population for _, population, _, _ in places]
        values[f"record.{number}.of"] = names if len(names) > 1 else names[0]
    for path, column in columns.items():
        values[path] = _column(column)
    try:
        return model.with_values(values), ""
    except ModelError as error:
        return None, str(error).splitlines()[0]  # something that is swept cannot vary from cell to cell


def _column(column):
    """Of each variant one value for all its cells, in populations of whatever sizes."""
    row = f"floor(index * {len(column)} / size)"
    if any(isinstance(value, str) for value in column):
        return {"list": list(column), "row": row}
    return {"csv": np.asarray(column, float), "row": row}
