"""Results from the directory of a run, complete or not."""

from __future__ import annotations

import json
import os
import pathlib

import numpy as np

from ._errors import file_error
from ._results import Report, Results, Spikes


def open(directory: str | os.PathLike) -> Results:  # noqa: A001
    """The Results that lie in the directory of a run.

    Of a run that has not ended, or was killed, what had reached the disk. Spikes are read at once,
    reports when they are asked for. Raises FileError.
    """
    path = pathlib.Path(directory)
    summary = _summary(path)
    status = summary.get("status", "unknown")
    found = _spikes(_there(path, "spikes.h5"))
    order = [one.get("name") for one in summary.get("populations", [])]
    spikes = {name: found[name] for name in sorted(found, key=lambda name: order.index(name)
                                                   if name in order else len(order))}
    names = [name for name in summary.get("outputs", []) if name != "spikes.h5"]
    reports = _Reports({pathlib.Path(name).stem: _there(path, name) for name in names})
    return Results(spikes, reports, summary, status, str(path))


def _summary(path):
    try:
        text = (path / "run.json").read_text(encoding="utf-8")
        summary = json.loads(text)
    except (OSError, ValueError) as problem:
        raise file_error(f"{path / 'run.json'}: {problem}", str(path / "run.json")) from None
    if not isinstance(summary, dict):
        raise file_error(f"{path / 'run.json'}: is no summary of a run", str(path / "run.json"))
    return summary


def _there(path, name):
    """The file, or what a run that is not complete has of it."""
    for file in (path / name, path / f"{name}.partial"):
        if file.exists():
            return file
    return path / name


def _opened(file):
    import h5py

    try:
        return h5py.File(file, "r", locking=False)
    except OSError as problem:
        raise file_error(f"{file}: {problem}", str(file)) from None


def _spikes(file):
    if not file.exists():
        return {}
    with _opened(file) as opened:
        return {name: _spikes_of(name, group) for name, group in opened["spikes"].items()}


def _spikes_of(name, group):
    times, ids = group["timestamps"][()], group["node_ids"][()]
    n = min(len(times), len(ids))  # of a run that was killed one column may be longer
    times, ids = times[:n], ids[:n]
    order = np.lexsort((ids, times))
    if np.any(order[1:] < order[:-1]):
        times, ids = times[order], ids[order]
    return Spikes(name, times, ids)


def _report(name, file):
    with _opened(file) as opened:
        (population, group), = opened["report"].items()
        mapping = group["mapping"]
        start, _, every = mapping["time"][()]
        return Report(name, population, group["data"].attrs["units"], float(start), float(every),
                      group["data"][()], mapping["node_ids"][()], mapping["index_pointers"][()],
                      mapping["element_ids"][()], mapping["element_pos"][()])


class _Reports(dict):
    """{name: Report}, each read when it is first asked for."""

    def __init__(self, files):
        super().__init__(dict.fromkeys(file for file in files))
        self._files = files

    def __getitem__(self, name):
        if super().__getitem__(name) is None:
            self[name] = _report(name, self._files[name])
        return super().__getitem__(name)

    def get(self, name, default=None):
        return self[name] if name in self else default

    def items(self):
        return [(name, self[name]) for name in self]

    def values(self):
        return [self[name] for name in self]

    def __reduce__(self):
        return dict, (dict(self.items()),)
