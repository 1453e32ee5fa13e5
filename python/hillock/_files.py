"""Results from the directory of a run, complete or not."""

from __future__ import annotations

import errno
import json
import os
import pathlib

import numpy as np

from . import _hillock
from ._errors import file_error
from ._named import Named
from ._results import Report, Results, Spikes


def open(directory: str | os.PathLike) -> Results:  # noqa: A001
    """The Results that lie in the directory of a run.

    Of a run that has not ended, or was killed, what had reached the disk. Spikes are read at once,
    reports when they are asked for. Outputs of other programs in SONATA's form, as bmtk's, are all
    .h5 files of a directory without a run.json that hold spikes or reports; their status is
    "unknown". Raises FileError.
    """
    path = pathlib.Path(directory)
    if path.is_file():
        raise file_error(f"{path}: is a file; give the folder of the run, {path.parent}", str(path), errno.ENOTDIR)
    if not (path / "run.json").exists() and (files := sorted(path.glob("*.h5"))):
        return _of_others(path, files)
    summary = _summary(path)
    status = summary.get("status", "unknown")
    sizes = {one.get("name"): one.get("size") for one in summary.get("populations", [])}
    found = _spikes(_there(path, "spikes.h5"), sizes)
    order = list(sizes)
    spikes = {name: found[name] for name in sorted(found, key=lambda name: order.index(name)
                                                   if name in order else len(order))}
    names = [name for name in summary.get("outputs", []) if name != "spikes.h5"]
    reports = _Reports({pathlib.Path(name).stem: _there(path, name) for name in names})
    return Results(spikes, reports, summary, status, str(path))


def _of_others(path, files):
    """Read by a confined program, as nobody knows who wrote them."""
    spikes, reports = {}, {}
    for file in files:
        some, others = _hillock.recorded(str(file))
        for name, columns in some.items():
            spikes.setdefault(name, []).append(columns)
        for name, columns in others.items():
            called = file.stem if len(others) == 1 else f"{file.stem}.{name or 'ecp'}"
            reports[called] = Report(called, name, **_by_node(columns))
            if not name and columns["units"] != "nA um":  # at contacts, whose places other programs do not tell
                reports[called].contacts_um = np.full((len(reports[called].element_ids), 3), np.nan)
    all_spikes = {name: _sorted_spikes(name, *map(np.concatenate, zip(*parts))) for name, parts in spikes.items()}
    return Results(all_spikes, reports, {}, "unknown", str(path))


def _by_node(columns):
    """The columns of a report, whose nodes rise."""
    nodes, pointers = columns["node_ids"], columns["index_pointers"].astype(np.int64)
    if np.all(nodes[1:] > nodes[:-1]):
        return columns
    order = np.argsort(nodes, kind="stable")
    widths = np.diff(pointers)
    which = np.concatenate([np.arange(pointers[i], pointers[i + 1]) for i in order])
    return {**columns, "node_ids": nodes[order], "data": columns["data"][:, which],
            "index_pointers": np.concatenate([[0], np.cumsum(widths[order])]).astype(np.uint64),
            "element_ids": columns["element_ids"][which], "element_pos": columns["element_pos"][which]}


def _summary(path):
    try:
        text = (path / "run.json").read_text(encoding="utf-8")
        summary = json.loads(text)
    except (OSError, ValueError) as problem:
        raise file_error(f"{path / 'run.json'}: {problem}", str(path / "run.json"),
                         getattr(problem, "errno", None)) from None
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
        raise file_error(f"{file}: {problem}", str(file), problem.errno) from None


def _spikes(file, sizes):
    if not file.exists():
        return {}
    with _opened(file) as opened:
        return {name: _spikes_of(name, group, sizes.get(name)) for name, group in opened["spikes"].items()}


def _spikes_of(name, group, size):
    times, ids = group["timestamps"][()], group["node_ids"][()]
    n = min(len(times), len(ids))  # of a run that was killed one column may be longer
    return _sorted_spikes(name, times[:n], ids[:n], size)


def _sorted_spikes(name, times, ids, size=None):
    order = np.lexsort((ids, times))
    if np.any(order[1:] < order[:-1]):
        times, ids = times[order], ids[order]
    return Spikes(name, times, ids, size)


def _report(name, file):
    with _opened(file) as opened:
        if "ecp" in opened:
            return _potential(name, opened["ecp"])
        if "dipole" in opened:
            return _dipole(name, opened["dipole"])
        (population, group), = opened["report"].items()
        mapping = group["mapping"]
        start, _, every = mapping["time"][()]
        return Report(name, population, group["data"].attrs["units"], float(start), float(every),
                      group["data"][()], mapping["node_ids"][()], mapping["index_pointers"][()],
                      mapping["element_ids"][()], mapping["element_pos"][()])


def _potential(name, group):
    start, _, every = group["time"][()]
    contacts = group["channel_id"][()]
    places = np.stack([group[f"channel_{axis}_um"][()] for axis in "xyz"], axis=1)
    return Report(name, "", group["data"].attrs["units"], float(start), float(every), group["data"][()],
                  np.zeros(1, np.uint64), np.array([0, len(contacts)], np.uint64), contacts,
                  np.zeros(len(contacts), np.float32), places)


def _dipole(name, group):
    start, _, every = group["time"][()]
    return Report(name, "", group["data"].attrs["units"], float(start), float(every), group["data"][()],
                  np.zeros(1, np.uint64), np.array([0, 3], np.uint64), np.arange(3, dtype=np.uint32),
                  np.zeros(3, np.float32))


class _Reports(Named):
    """{name: Report}, each read when it is first asked for."""

    def __init__(self, files):
        super().__init__("report", dict.fromkeys(files))
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
        return Named, ("report", dict(self.items()))
