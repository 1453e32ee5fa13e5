"""A kind of cell as it is shaped, in the plane, coloured by what its compartments have."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from . import _plot_numbers as numbers
from . import _plot_style as looks
from ._errors import UsageError
from ._plot_layout import along, paths_of
from ._plot_types import Colors
from ._results import Report
from ._shapes import Cell

_PLANES = {"xy": (0, 1), "xz": (0, 2), "yz": (1, 2), "yx": (1, 0), "zx": (2, 0), "zy": (2, 1)}
_UNITS = {"length_um": "µm", "diameter_um": "µm", "area_um2": "µm²", "distance_um": "µm",
          "x_um": "µm", "y_um": "µm", "z_um": "µm"}


def morphology(cell: Cell, values: Any = None, variable: str | None = None,
               report: Report | None = None, time: float | None = None, ax: Axes | None = None, *,
               figure: Figure | None = None, index: int | None = None, plane: str = "xy",
               unit: str | None = None, limits: tuple[float, float] | None = None,
               cmap: Any = "viridis", colors: Colors = None, scale: bool = True,
               bar: bool = True) -> Axes:
    """A kind of cell, projected onto a plane, in its true diameters.

    cell: a Cell that has a shape. values: [compartment], as Cell.compartments and Simulation.get() give
    them, or report: a Report and time: when, in ms (the nearest sample; without it the last), of cell
    index in its population (without it the first that is recorded). variable: what the colour bar says;
    without values and report a column of Cell.compartments, "diameter_um". unit: of the values.
    Compartments without a value are grey: those that a report leaves out, and values that are no
    number. Without any of these, regions are coloured by name.
    limits: (least, greatest) value of the colours. colors: {region: colour}. plane: "xy", "xz" …
    scale: whether there is a scale bar; bar: whether there is a colour bar, or the legend of regions.

    Returns the axes; in "equal" aspect, one unit is 1 um. Raises UsageError; KeyError for a cell that
    is not recorded; ValueError for a cell without a shape.
    """
    if plane not in _PLANES:
        raise UsageError(f"plane: one of {', '.join(_PLANES)}, not {plane!r}")
    paths = [path[:, (*_PLANES[plane], 3)] for path in paths_of(cell, _PLANES[plane])]
    ribbons, of, size = _ribbons(cell, paths)
    given, label = _values(cell, values, variable, report, time, index, unit)
    with looks.style(ax):
        width, height = np.maximum(3.8 * size / size.max(), (1.2, 1.2))
        ax = looks.place(ax, figure, (width + 1, height + 0.4))
        ax.plot(*_joints(cell, paths), color=looks.GREY, linewidth=0.5, zorder=0, solid_capstyle="round")
        # Lines around them keep dendrites visible that are thinner than a pixel.
        drawn = PolyCollection(ribbons, linewidths=0.5, zorder=1, joinstyle="round")
        ax.add_collection(drawn)
        _frame(ax, ribbons, size)
        if given is None:
            _color_regions(ax, drawn, cell, of, colors, bar)
        else:
            _color_values(ax, drawn, given[of], limits, cmap)
            if bar:
                looks.color_bar(ax, drawn, label)
        ax.set_aspect("equal")
        looks.bare(ax)
        if scale:
            _draw_scale(ax, size)
        return ax


def _values(cell, values, variable, report, time, index, unit):
    """([compartment] numbers, some masked, and what they are), or (None, "")."""
    n = len(cell.compartments["branch"])
    if values is not None and report is not None:
        raise UsageError("values and report: give one of them")
    if report is None and (time is not None or index is not None):
        raise UsageError("time and index: go with a report")
    if report is not None:
        some, when = _sampled(cell, report, time, index)
        name = looks.with_unit(variable or report.name, unit or report.units)
        return some, f"{name}, {when:g} ms"
    if values is not None:
        some = np.ma.masked_invalid(np.asarray(values, float))
        if some.shape != (n,):
            raise UsageError(f"values: {cell.name} has {n} compartments, values are {some.shape}")
        return some, looks.with_unit(variable or "value", unit)
    if variable is None:
        return None, ""
    if variable not in cell.compartments:
        raise UsageError(f"variable: without values or a report one of "
                         f"{', '.join(cell.compartments)}, not {variable!r}")
    name = variable.rsplit("_um", 1)[0]
    return (np.ma.masked_invalid(cell.compartments[variable].astype(float)),
            looks.with_unit(name, unit or _UNITS.get(variable)))


def _sampled(cell, report, time, index):
    """([compartment] means of what is recorded in each, the time of the sample)."""
    if not report.data.size:
        raise UsageError(f"{report.name}: has no samples")
    index = int(report.node_ids[0]) if index is None else index
    at = len(report.times) - 1 if time is None else \
        int(np.clip(np.rint((time - report.start_ms) / report.every_ms), 0, len(report.times) - 1))
    row = np.asarray(report.of(index))[at].astype(float)
    place = int(np.searchsorted(report.node_ids, index))
    columns = slice(int(report.index_pointers[place]), int(report.index_pointers[place + 1]))
    branch = np.asarray(report.element_ids[columns]).astype(np.int64)
    column = cell.compartments["branch"]
    counts = np.bincount(column, minlength=len(cell.branches))
    if len(branch) and branch.max() >= len(counts):
        raise UsageError(f"{report.name}: is of another kind of cell than {cell.name}")
    firsts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    within = (np.asarray(report.element_pos[columns]) * counts[branch]).astype(np.int64)
    number = firsts[branch] + np.minimum(within, counts[branch] - 1)
    fine = np.isfinite(row)
    hits = np.bincount(number[fine], minlength=len(column))
    sums = np.bincount(number[fine], row[fine], minlength=len(column))
    return np.ma.array(sums / np.maximum(hits, 1), mask=hits == 0), float(report.times[at])


def _ribbons(cell, paths):
    """([outline [n, 2]], [ribbon] its compartment, (width, height) of all). The root is last, so that
    it lies on what leaves it."""
    ribbons, of = [], []
    column = cell.compartments["branch"]
    for number, branch in reversed(list(enumerate(cell.branches))):
        points = paths[number]
        s = along(points)
        here = np.flatnonzero(column == number)
        is_round = branch.parent < 0 and branch.region == "soma" and \
            branch.length_um <= 3 * points[:, 2].max()
        cuts = np.linspace(0, 1, len(here) + 1)
        fine = (1 - np.cos(np.linspace(0, np.pi, 65))) / 2
        at = np.union1d(s, np.concatenate([cuts, fine]) if is_round else cuts)
        x, y, diameter = (np.interp(at, s, points[:, i]) for i in range(3))
        if is_round:  # a soma as an ellipse, as long and as wide as its cylinder
            diameter = diameter * np.sqrt(np.maximum(1 - (2 * at - 1) ** 2, 0))
        left, right = _sides(np.stack([x, y], axis=1), diameter / 2)
        for compartment, low, high in zip(here, cuts[:-1], cuts[1:]):
            part = slice(np.searchsorted(at, low), np.searchsorted(at, high) + 1)
            ribbons.append(np.concatenate([left[part], right[part][::-1]]))
            of.append(compartment)
    return ribbons, np.array(of), np.ptp(np.concatenate(ribbons), axis=0)


def _sides(path, radius):
    """Points beside a path, perpendicular to it."""
    along = np.gradient(path, axis=0) if len(path) > 2 else np.repeat(np.diff(path, axis=0), 2, 0)
    length = np.linalg.norm(along, axis=1, keepdims=True)
    along = np.where(length > 1e-9, along / np.maximum(length, 1e-9), (1.0, 0.0))
    aside = np.stack([-along[:, 1], along[:, 0]], axis=1) * radius[:, None]
    return path + aside, path - aside


def _joints(cell, paths):
    """Lines from where branches leave their parents to where they begin, which may lie apart."""
    lines = []
    for branch, path in zip(cell.branches, paths):
        if branch.parent >= 0:
            parent = paths[branch.parent]
            s = along(parent)
            lines += [[np.interp(branch.at, s, parent[:, i]) for i in (0, 1)], path[0, :2],
                      [np.nan, np.nan]]
    return np.array(lines, float).reshape(-1, 2).T


def _frame(ax, ribbons, size):
    everything = np.concatenate(ribbons)
    room = 0.02 * float(size.max())
    low, high = everything.min(axis=0) - room, everything.max(axis=0) + room
    ax.set_xlim(low[0], high[0])
    ax.set_ylim(low[1], high[1])


def _color_regions(ax, drawn, cell, of, colors, legend):
    column = cell.compartments["branch"]
    regions = [cell.branches[number].region for number in column[of]]
    names = list(dict.fromkeys(branch.region for branch in cell.branches))
    palette = looks.colors_of(names, colors)
    drawn.set_color([palette[region] for region in regions])
    if legend and len(names) > 1:
        ax.legend(handles=[Patch(color=palette[name], label=name) for name in names],
                  loc="upper left", bbox_to_anchor=(1, 1), handlelength=0.9, handleheight=0.9,
                  borderaxespad=0)


def _color_values(ax, drawn, values, limits, cmap):
    drawn.set_array(values)
    drawn.set_cmap(looks.color_map(cmap).with_extremes(bad=looks.PALE))
    drawn.set_edgecolor("face")
    if limits is not None:
        drawn.set_clim(*limits)
    elif values.count():
        low, high = float(values.min()), float(values.max())
        drawn.set_clim(low, high if high > low else low + (abs(low) * 1e-3 or 1.0))
    else:
        drawn.set_clim(0, 1)


def _draw_scale(ax, size):
    """A bar at the lower right, below the cell."""
    long = numbers.nice(float(size.max()) / 4)
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    below = bottom - 0.03 * float(size.max())
    at = max(right, left + long)
    ax.plot([at - long, at], [below, below], color="black", linewidth=1.6, clip_on=False,
            solid_capstyle="butt", label="scale")
    ax.set_xlim(left, at)
    ax.set_ylim(below, top)
    ax.annotate(f"{long:g} µm", (at - long / 2, below), xytext=(0, -3), textcoords="offset points",
                ha="center", va="top", annotation_clip=False)
