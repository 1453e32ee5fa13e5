"""What a run makes: spikes and reports as arrays, whether they are in memory or in files."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _hillock
from ._errors import UsageError
from ._html import table
from ._named import Named


class Spikes:
    """The spikes of a population: ``times`` [n] in ms and ``ids`` [n], by time and then by cell; ``size``: how many
    cells there are, None where that is not known."""

    def __init__(self, population: str, times: np.ndarray, ids: np.ndarray, size: int | None = None):
        self.population = population
        self.times = times
        self.ids = ids
        self.size = size

    def __len__(self):
        return len(self.times)

    def of(self, cell: int) -> np.ndarray:
        """The times of one cell, in ms."""
        return self.times[self.ids == cell]

    def trains(self, size: int | None = None) -> list[np.ndarray]:
        """[cell] the times of each cell, in ms. size: how many cells; without one as many as there are, or, where
        that is not known, up to the last that spikes."""
        order = np.argsort(self.ids, kind="stable")
        if size is None:
            size = max(self.size or 0, int(self.ids.max()) + 1 if len(self) else 0)
        ends = np.searchsorted(self.ids[order], np.arange(1, size + 1))
        return np.split(self.times[order], ends)[:-1]

    def frame(self):
        """A pandas frame with the columns time_ms and cell."""
        import pandas

        return pandas.DataFrame({"time_ms": self.times, "cell": self.ids})

    def __repr__(self):
        return f"Spikes of {self.population}: {len(self)}"


class Report:
    """What a model records of a population: ``data`` [sample, element] in ``units``.

    ``times`` [sample] are in ms. The elements of cell ``node_ids[i]`` are the columns from
    ``index_pointers[i]`` to ``index_pointers[i + 1]``: ``element_ids`` are numbers of branches, and
    ``element_pos`` positions along them from 0 to 1. A report of potentials is of no population: its
    elements are contacts, which lie at ``contacts_um`` [element, 3]; of other reports that is None. One
    of a dipole moment has the elements x, y and z. By cell ``element_ids`` are these, or contacts.
    """

    def __init__(self, name: str, population: str, units: str, start_ms: float, every_ms: float,
                 data: np.ndarray, node_ids: np.ndarray, index_pointers: np.ndarray,
                 element_ids: np.ndarray, element_pos: np.ndarray, contacts_um: np.ndarray | None = None):
        self.name = name
        self.population = population
        self.units = units
        self.start_ms = start_ms
        self.every_ms = every_ms
        self.data = data
        self.node_ids = node_ids
        self.index_pointers = index_pointers
        self.element_ids = element_ids
        self.element_pos = element_pos
        self.contacts_um = contacts_um

    @property
    def times(self) -> np.ndarray:
        return self.start_ms + self.every_ms * np.arange(self.data.shape[0])

    def of(self, cell: int) -> np.ndarray:
        """[sample, element] of one cell: a view."""
        at = int(np.searchsorted(self.node_ids, cell))
        if at == len(self.node_ids) or self.node_ids[at] != cell:
            raise KeyError(f"{self.name}: cell {cell} of {self.population} is not recorded")
        return self.data[:, int(self.index_pointers[at]):int(self.index_pointers[at + 1])]

    def efel(self, names: Sequence[str], start_ms: float, stop_ms: float,
             columns: Sequence[int] | None = None) -> dict[str, np.ndarray]:
        """{name: [element]} features of voltages by the names and rules of eFEL: the mean where a
        feature has several values, nan where it has none. Spikecount, time_to_first_spike,
        mean_frequency, AHP_depth, AP_amplitude, AP_duration_half_width, voltage_base,
        steady_state_voltage, minimum_voltage and maximum_voltage are found here; for others PyPI's efel
        is needed. columns: of some elements."""
        if self.units != "mV":
            raise UsageError(f"features are of voltages; {self.name} is in {self.units}")
        chosen = np.arange(self.data.shape[1]) if columns is None else np.asarray(columns, np.int64)
        names = [names] if isinstance(names, str) else list(names)
        ours = [name for name in names if name in _hillock.voltage_feature_names]
        values = np.asarray(_hillock.voltage_features(self.times, self.data, chosen, ours, start_ms, stop_ms, 0))
        values = values.reshape(len(chosen), len(ours))
        found = dict(zip(ours, np.ascontiguousarray(values.T)))
        if others := [name for name in names if name not in ours]:
            found |= _by_efel(self.times, self.data[:, chosen].T, others, start_ms, stop_ms)
        return {name: found[name] for name in names}

    def _with(self, start_ms, data):
        """The same of other samples."""
        other = copy.copy(self)
        other.start_ms, other.data = start_ms, data
        return other

    def columns(self) -> list[tuple[int, int, float]]:
        """[(cell, branch, position)] of each column."""
        cells = np.repeat(self.node_ids, np.diff(self.index_pointers).astype(int))
        return list(zip(cells.tolist(), self.element_ids.tolist(), self.element_pos.tolist()))

    def frame(self):
        """A pandas frame: a row a sample, columns by cell, branch and position, or by contact."""
        import pandas

        columns = pandas.Index(self.element_ids, name="contact") if self.contacts_um is not None else \
            pandas.MultiIndex.from_tuples(self.columns(), names=["cell", "branch", "position"])
        index = pandas.Index(self.times, name="time_ms")
        return pandas.DataFrame(self.data, index=index, columns=columns, copy=False)

    def xarray(self):
        """An xarray.DataArray with the dimensions time (ms) and element, whose coordinates are cell, branch and
        position, or of contacts x, y and z (um)."""
        import xarray

        if self.contacts_um is not None:
            places = {axis: ("element", self.contacts_um[:, i]) for i, axis in enumerate("xyz")}
            return xarray.DataArray(self.data, dims=("time", "element"), coords={"time": self.times, **places},
                                    name=self.name, attrs={"units": self.units})
        cell, branch, position = zip(*self.columns()) if self.data.shape[1] else ((), (), ())
        places = {"cell": ("element", list(cell)), "branch": ("element", list(branch)),
                  "position": ("element", list(position))}
        return xarray.DataArray(self.data, dims=("time", "element"), coords={"time": self.times, **places},
                                name=self.name, attrs={"units": self.units, "population": self.population})

    def __repr__(self):
        of = f" of {self.population}" if self.population else ""
        what = "elements" if self.contacts_um is None else "contacts"
        return (f"Report {self.name}{of}: {self.data.shape[0]} samples of "
                f"{self.data.shape[1]} {what}{', ' + self.units if self.units else ''}")


class Results:
    """What a run made.

    ``spikes`` {population: Spikes}, ``reports`` {name: Report}, ``summary``: everything about the run
    that is no result (run.json has the same), ``status``: "complete", "interrupted", "failed" or
    "running". ``directory`` is where the files lie, if there are any.
    """

    def __init__(self, spikes: dict[str, Spikes], reports: dict[str, Report], summary: dict[str, Any],
                 status: str = "complete", directory: str | None = None):
        self.spikes = Named("population", spikes)
        self.reports = reports if isinstance(reports, Named) else Named("report", reports)
        self.summary = summary
        self.status = status
        self.directory = directory

    @property
    def duration_ms(self) -> float | None:
        """Biological time until which there are results, where that is known."""
        summary = self.summary
        if self.status == "complete" and {"steps", "dt_ms"} <= set(summary):
            return summary["steps"] * summary["dt_ms"]
        return summary.get("reached_ms")

    def neo(self):
        """A neo.Block (PyPI's neo) with one Segment: a SpikeTrain for each cell that spikes, and an AnalogSignal for
        each report, with its columns as `array_annotations`."""
        import neo
        import quantities

        end = self.duration_ms
        segment = neo.Segment(name=self.directory or "run")
        for name, spikes in self.spikes.items():
            stop = max(end or 0.0, spikes.times[-1] if len(spikes) else 0.0)
            for cell, times in enumerate(spikes.trains()):
                if len(times):
                    segment.spiketrains.append(neo.SpikeTrain(times, units="ms", t_stop=stop, population=name,
                                                              cell=cell, name=f"{name}[{cell}]"))
        for name, report in self.reports.items():
            try:
                units = quantities.Quantity(1, report.units.replace("2", "**2"))
            except (LookupError, AttributeError):  # none, or one that quantities does not know
                units = quantities.dimensionless
            cell, branch, position = zip(*report.columns()) if report.data.shape[1] else ((), (), ())
            segment.analogsignals.append(neo.AnalogSignal(
                report.data, units=units, t_start=report.start_ms * quantities.ms,
                sampling_period=report.every_ms * quantities.ms, name=name, population=report.population,
                given_units=report.units, array_annotations={"cell": list(cell), "branch": list(branch),
                                                             "position": list(position)}))
        block = neo.Block(name="Hillock", **{"status": self.status})
        block.segments.append(segment)
        return block

    def __getitem__(self, name: str) -> Report:
        """A report by its name."""
        return self.reports[name]

    def _repr_html_(self):
        rows = [[one.population, "spikes", len(one), "", ""] for one in self.spikes.values()]
        rows += [[name, "report", one.data.shape[0], one.data.shape[1], one.units]
                 for name, one in self.reports.items()]
        where = f", in {self.directory}" if self.directory else ""
        return table(f"Results, {self.status}{where}", ["name", "", "spikes or samples", "elements", "units"], rows)

    def __repr__(self):
        lines = [f"Results, {self.status}" + (f", in {self.directory}" if self.directory else "")]
        lines += [f"  {one!r}" for one in (*self.spikes.values(), *self.reports.values())]
        return "\n".join(lines)


def _by_efel(times, traces, names, start_ms, stop_ms):
    """{name: [trace]} by PyPI's efel."""
    try:
        import efel
    except ImportError:
        raise UsageError(f"{names[0]} is not among the features that are found here "
                         f"({', '.join(_hillock.voltage_feature_names)}), and PyPI's efel is not there") from None
    if unknown := [name for name in names if name not in efel.get_feature_names()]:
        raise UsageError(f"eFEL has no feature '{unknown[0]}'")
    given = [{"T": times, "V": trace.astype(float), "stim_start": [start_ms], "stim_end": [stop_ms]} for trace in traces]
    found = efel.get_feature_values(given, names, raise_warnings=False)
    return {name: np.array([np.nan if one[name] is None or len(one[name]) == 0 else np.mean(one[name]) for one in found])
            for name in names}
