"""Models: reading them, and what is in them."""

from __future__ import annotations

import os
import pathlib
import sys
from collections.abc import Mapping
from typing import Any, Union

import numpy as np


from . import _hillock
from ._document import Document, overrides_of
from ._errors import ModelError, Problem
from ._html import table
from ._named import Named
from ._shapes import Cell

Source = Union[str, os.PathLike, dict]


def load(model: Source, set: Mapping[str, Any] | None = None, *,  # noqa: A002: it is the command's --set
         directory: str | os.PathLike | None = None) -> Model:
    """Reads and checks a model.

    model: the path of a model file, or a dictionary of the same form. In a dictionary values may be
    numpy arrays where a file may stand: ``{"csv": array}`` (or a dictionary of columns, or a pandas
    frame), ``{"swc": samples}`` and ``{"list": {"source": …, "target": …, "weight": …, "delay": …}}``.
    set: values that replace the model's, ``{"run.duration": "100 ms"}``; numbers are in the base unit of
    what they replace (ms, mV, nA, uS, um, S/cm2, …), in texts as the model file has them. The dictionaries may be
    changed behind this, but not the arrays in them, which models of other values (with_values(), sweep()) read again.
    directory: what file names in a dictionary are relative to; without one the working directory.

    Raises ModelError with everything that is wrong, and FileError.
    """
    return Model(model, set, directory=directory)


class Model:
    """A model that was read and checked. Nothing in it changes: ``with_values`` gives another one.

    ``warnings`` are texts, ``problems`` the same as Problems."""

    def __init__(self, source: Source, set: Mapping[str, Any] | None = None, *,  # noqa: A002
                 directory: str | os.PathLike | None = None):
        # The user's own may change; the model is read again wherever another one is made of it.
        self._source = _Own(_copied(source, {})) if type(source) is not _Own and isinstance(source, dict) else source
        self._set = _copied(dict(set or {}), {})
        self._directory = directory
        if isinstance(source, dict):
            self.path = os.path.join(directory or "", "model")
        else:
            if directory is not None:
                raise TypeError("directory: goes with a dictionary")
            self.path = os.fspath(source)
        given = self._given()
        self._text = given["text"]
        self._native = _hillock.load(**given)
        self.warnings: list[str] = list(self._native.warnings)
        self.problems: list[Problem] = [Problem(*problem) for problem in self._native.problems]

    def _given(self) -> dict[str, Any]:
        """What says to the C++ side which model this is."""
        overrides, of_set = overrides_of(self._set)
        text, files, arrays = None, of_set.files, of_set.arrays
        if isinstance(self._source, dict):
            document = Document(self._source)
            text, files, arrays = document.text, {**files, **document.files}, {**arrays, **document.arrays}
        return {"file": self.path, "text": text, "files": files, "arrays": arrays, "overrides": overrides,
                "library": library(), "announce": _announce}

    def with_values(self, values: Mapping[str, Any]) -> Model:
        """This model with other values, as load() takes them: ``{"run.duration": "100 ms"}``."""
        return Model(self._source, {**self._set, **values}, directory=self._directory)

    def save(self, path: str | os.PathLike) -> None:
        """Writes a model that is a dictionary as the file `path`, which the command runs, and its
        arrays as files beside it, whose names begin with the model's. What is there is written over.

        Raises ValueError for a model that is a file already, or whose values were set by `set`.
        """
        if not isinstance(self._source, dict):
            raise ValueError(f"this model is a file already: {self.path}")
        if self._set:
            raise ValueError("values that were set are not in the model's text; give them in the dictionary")
        path = pathlib.Path(path)
        document = Document(self._source, prefix=f"{path.stem} ", in_files=True)
        for name, content in document.files.items():
            (path.parent / name).write_bytes(content)
        path.write_text(document.text, encoding="utf-8")

    @property
    def run(self) -> dict[str, Any]:
        """What the model says of its run: duration_ms, dt_ms, steps, seed, temperature_degC."""
        return dict(self._native.run)

    @property
    def duration_ms(self) -> float:
        return self._native.run["duration_ms"]

    @property
    def dt_ms(self) -> float:
        return self._native.run["dt_ms"]

    @property
    def cells(self) -> dict[str, Cell]:
        """{name: Cell} of the kinds of cells."""
        return Named("cell", {name: Cell(name, mechanism, self._native) for name, mechanism in self._native.cells})

    @property
    def populations(self) -> dict[str, Population]:
        """{name: Population}."""
        cells = self.cells
        return Named("population", {name: Population(number, name, cells[cell], size, self._native)
                                    for number, (name, cell, size) in enumerate(self._native.populations)})

    @property
    def projections(self) -> list[Projection]:
        """A list of Projection."""
        return [Projection(number, name, source, target, synapse, self._native)
                for number, (name, source, target, synapse) in enumerate(self._native.projections)]

    @property
    def recordings(self) -> dict[str, str]:
        """{name: population} of what is recorded."""
        return Named("record", {name: population for name, population, _, _ in self._native.recordings})

    @property
    def inputs(self) -> list[str]:
        """The names of the files that the model was read from."""
        return list(self._native.inputs)

    @property
    def text(self) -> str | None:
        """The model's text, where it was a dictionary."""
        return self._text

    def __repr__(self):
        run = self.run
        lines = [f"Model {self.path}: {run['duration_ms']:g} ms in steps of {run['dt_ms']:g} ms, "
                 f"seed {run['seed']}"]
        populations = self.populations.values()
        width = max([len(p.name) for p in populations], default=0)
        for population in populations:
            lines.append(f"  {population.name:{width}}  {population.size} × {population.cell.summary()}")
        for projection in self.projections:
            lines.append(f"  {projection!r}")
        if self.recordings:
            lines.append("  recorded: " + ", ".join(self.recordings))
        lines += [f"  {warning}" for warning in self.warnings]
        return "\n".join(lines)

    def _repr_html_(self):
        run = self.run
        rows = [[one.name, one.size, one.cell.summary()] for one in self.populations.values()]
        below = [*map(repr, self.projections), *self.warnings]
        if self.recordings:
            below.append("recorded: " + ", ".join(self.recordings))
        return table(f"Model {self.path}: {run['duration_ms']:g} ms in steps of {run['dt_ms']:g} ms",
                     ["population", "cells", "kind"], rows, below)

    def __reduce__(self):
        source = self._source
        if not isinstance(source, dict):
            source = os.path.abspath(source)
        return _restored, (source, self._set, self._directory)


class _Own(dict):
    """A model's own dictionary, which nobody else changes."""


def _copied(value, known):
    """Dictionaries and lists anew, each once; what else is in them, arrays too, as it is. known: {id: copy}."""
    if not isinstance(value, (dict, list, tuple)):
        return value
    if id(value) not in known:
        if isinstance(value, dict):
            known[id(value)] = copy = {}
            copy.update((key, _copied(one, known)) for key, one in value.items())
        else:
            copies = [_copied(one, known) if isinstance(one, (dict, list, tuple)) else one for one in value]
            known[id(value)] = tuple(copies) if isinstance(value, tuple) else copies
    return known[id(value)]


def _restored(source, values, directory):
    return Model(source, values, directory=directory)


class Population:
    """Cells of one kind: ``name``, ``cell`` and ``size``."""

    def __init__(self, number: int, name: str, cell: Cell, size: int, native):
        self._number = number
        self._native = native
        self.name = name
        self.cell = cell
        self.size = size

    @property
    def positions_um(self) -> np.ndarray | None:
        """[cell, 3]: x, y and z in um, or None where the model gives none."""
        return self._native.positions_of(self._number)

    def ends_um(self, cell: int) -> np.ndarray:
        """[compartment, 2, 3]: where the compartments of one cell begin and end in the network, turned as it is:
        x, y and z in um, along the middle of their branches. The middle of its soma stands at the cell's position
        or, where the model gives none, where the cell's points have it."""
        if not self.cell.has_shape:
            raise ValueError(f"{self.name} has no compartments: its cells are {self.cell.mechanism}")
        if not 0 <= cell < self.size:
            raise IndexError(f"{self.name} has {self.size} cells, none of number {cell}")
        return self._native.placed_ends_of(self._number, cell)

    def __repr__(self):
        return f"Population {self.name}: {self.size} × {self.cell.summary()}"


class Projection:
    """A rule for connections: ``name``, ``source`` and ``target`` (populations), ``synapse``."""

    def __init__(self, number: int, name: str, source: str, target: str, synapse: str, native):
        self._number = number
        self._native = native
        self.name = name
        self.source = source
        self.target = target
        self.synapse = synapse

    def connections(self) -> dict[str, np.ndarray]:
        """{column: [connection]}: source and target (cells of their populations), weight (in the unit
        of the synapse), delay_ms; by target and then by source. They are drawn as for a run."""
        return self._native.connections_of(self._number)

    def __repr__(self):
        by = f" by {self.synapse}" if self.synapse else ""
        return f"{self.source} -> {self.target}{by}"


def spans(native) -> dict[str, int]:
    """{name in the output: how many ids there may be}"""
    found = {name: size for name, _, size in native.populations}
    for name, ids in native.nodes.values():
        found[name] = max(found.get(name, 0), int(ids.max(initial=0)) + 1)
    return found


def library() -> str:
    """The folder that `library:` means: $HILLOCK_LIBRARY, else the package's."""
    given = os.environ.get("HILLOCK_LIBRARY")
    if given:
        if not os.path.isdir(given):
            raise _hillock_error("UsageError", f"HILLOCK_LIBRARY={given}: there is no such folder")
        return given
    return str(pathlib.Path(__file__).absolute().parent / "library")


def _hillock_error(name, text):
    from . import _errors

    return getattr(_errors, name)(text)


def _announce(line):
    print(line, file=sys.stderr)


def as_model(model: Source | Model, values: Mapping[str, Any] | None = None) -> Model:
    """A Model, whatever load() takes; with other values."""
    if not isinstance(model, Model):
        return load(model, values)
    return model.with_values(values) if values else model


def validate(model: Source | Model, set: Mapping[str, Any] | None = None, *,  # noqa: A002
             directory: str | os.PathLike | None = None) -> list[Problem]:
    """Everything that is wrong with a model, or should be looked at: an empty list where nothing is. Arguments as for
    load(). Raises FileError where the model's own file cannot be read."""
    try:
        if isinstance(model, Model):
            return as_model(model, set).problems
        return load(model, set, directory=directory).problems
    except ModelError as error:
        return error.problems
