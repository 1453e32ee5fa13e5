"""Recorded variables in time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from . import _plot_numbers as numbers
from . import _plot_style as looks
from ._errors import UsageError
from ._plot_types import Cells, Names, Span
from ._results import Report, Results

_FEW = 6  # traces that are drawn over one another, each with its colour


def traces(results: Results | Report, cells: Cells = None, report: Names = None, t: Span = None,
           stacked: bool | None = None, ax: Any = None, *, figure: Figure | None = None,
           elements: Cells = None, most: int | None = 20, colors: Sequence[Any] | None = None) -> Any:
    """What was recorded, as lines: over one another on an axis with its unit, or stacked with a scale
    bar.

    results: a Report, or Results, of which report names one or several; without, all get a panel each.
    cells: numbers of cells; elements: columns of each of them, as in Report.of(): without, all.
    most: of more lines than that evenly chosen ones are drawn, and the figure says so; None for all.
    t: (first, last) ms. stacked: without it where there are more than six lines. colors: of the lines
    of a panel, in turn. Of long recordings the least and the greatest of each stretch are drawn.

    Returns the axes, an array where there are several reports. Raises KeyError for a report or cell
    that there is not, UsageError.
    """
    reports = _chosen(results, report)
    if ax is not None and (figure is not None or np.size(ax) != len(reports)):
        raise UsageError("ax and figure: give one of them" if figure is not None else
                         f"ax: {len(reports)} axes are needed, not {np.size(ax)}")
    several = len(reports) > 1
    with looks.style(ax):
        if ax is None:
            high = sum(_height(one, cells, elements, stacked, most) for one in reports) or 2.4
            axes = looks.panels(figure, (5.5, high), len(reports), 1) \
                if several else looks.place(None, figure, (5.5, high))
        else:
            axes = ax
        for one, on in zip(reports, np.atleast_1d(np.asarray(axes, dtype=object)).reshape(-1)):
            _draw(on, one, cells, elements, t, stacked, most, colors)
        if not reports:
            looks.bare(axes)
            looks.say(axes, "nothing was recorded")
        return axes


def _chosen(results, names):
    if isinstance(results, Report):
        if names is not None:
            raise UsageError("report: goes with Results")
        return [results]
    if names is None:
        # What is recorded once, a weight say, still is a line; without samples there is none.
        return [one for one in results.reports.values() if one.data.size]
    return [results[name] for name in ([names] if isinstance(names, str) else names)]


def _is_stacked(lines, stacked):
    return bool(stacked) if stacked is not None else lines > _FEW


def _height(report, cells, elements, stacked, most):
    """Inches that a panel deserves."""
    lines = min(len(_columns(report, cells, elements)), most or np.inf)
    return max(2.4, 0.6 + 0.2 * min(lines, 40)) if _is_stacked(lines, stacked) else 2.4


def _draw(ax, report, cells, elements, t, stacked, most, colors):
    columns = _columns(report, cells, elements)
    of = len(columns)
    if most is not None and of > most:
        columns = columns[np.linspace(0, of - 1, most).round().astype(int)]
    names, only = _names(report, columns)
    times = report.times
    # A run may have stopped between samples: its times are what they are to rounding.
    some = slice(None) if t is None else slice(*np.searchsorted(
        times, np.add(numbers.span_of(None, t), (-1e-6, 1e-6))))
    times, lines = numbers.outline(times[some], np.asarray(report.data[some])[:, columns]
                                   .astype(float), 8000)
    lines = np.ma.masked_invalid(lines)
    of_whom = f" of {report.population}" if report.population else ""
    ax.set_title(f"{report.name}{of_whom}{only}"
                 + (f", {len(columns)} of {looks.counted(of)}" if len(columns) < of else ""),
                 loc="left")
    if not lines.count():
        ax.set_xlabel("time (ms)")
        ax.set_ylabel(looks.with_unit(report.name, report.units))
        looks.say(ax, "no samples")
        return
    first, last = (times[0], report.times[-1] + report.every_ms) if t is None \
        else numbers.span_of(None, t)
    ax.set_xlim(first, last)
    if _is_stacked(len(names), stacked):
        _draw_stacked(ax, times, lines, names, report.units, colors)
    else:
        _draw_over(ax, times, lines, names, report, colors)


def _columns(report, cells, elements):
    """The columns of the data."""
    starts = np.asarray(report.index_pointers).astype(np.int64)
    if cells is None:
        places = np.arange(len(report.node_ids))
    else:
        wanted = np.atleast_1d(np.asarray(cells)).astype(np.int64)
        places = np.searchsorted(report.node_ids, wanted)
        for place, cell in zip(places, wanted):
            if place == len(report.node_ids) or report.node_ids[place] != cell:
                raise KeyError(f"{report.name}: cell {cell} of {report.population} is not recorded")
    if cells is None and elements is None:
        return np.arange(report.data.shape[1])
    columns = []
    for place in places:
        of_cell = np.arange(starts[place], starts[place + 1])
        try:
            columns.append(of_cell if elements is None else np.atleast_1d(of_cell[elements]))
        except IndexError:
            raise UsageError(f"elements: cell {report.node_ids[place]} has {len(of_cell)} in "
                             f"{report.name}") from None
    return np.concatenate([np.zeros(0, np.int64), *columns])


def _names(report, columns):
    """(what the lines are called, what the title says where they are of one cell)."""
    if report.contacts_um is not None:
        return [f"contact {report.element_ids[column]}" for column in columns], ""
    starts = np.asarray(report.index_pointers).astype(np.int64)
    places = np.searchsorted(starts, columns, side="right") - 1
    cells = np.asarray(report.node_ids)[places]
    # The elements of weights are connections by their sources, which have no position.
    what = "branch" if np.any(report.element_pos) else "element"
    one = len(columns) > 1 and bool(np.all(cells == cells[0]))
    names = []
    for cell, place, column in zip(cells, places, columns):
        branch = f"{what} {report.element_ids[column]}"
        if what == "branch":
            branch += f" at {report.element_pos[column]:.2g}"
        alone = starts[place + 1] - starts[place] == 1
        names.append(branch if one else f"cell {cell}" if alone else f"cell {cell}, {branch}")
    return names, f", cell {cells[0]}" if one else ""


def _line_colors(names, colors):
    palette = list(colors) if colors is not None else list(looks.colors_of(range(len(names))).values())
    return [palette[i % len(palette)] for i in range(len(names))]


def _marks(times):
    """One sample is no line."""
    return {"marker": "o", "markersize": 2} if len(times) == 1 else {}


def _draw_over(ax, times, lines, names, report, colors):
    for i, (name, color) in enumerate(zip(names, _line_colors(names, colors))):
        ax.plot(times, lines[:, i], color=color, label=name,
                **_marks(times))
    ax.set_xlabel("time (ms)")
    ax.set_ylabel(looks.with_unit(report.name, report.units))
    if 1 < len(names) <= _FEW:
        ax.legend(loc="upper left", bbox_to_anchor=(1, 1), handlelength=1.2, borderaxespad=0)


def _draw_stacked(ax, times, lines, names, unit, colors):
    heights = np.ma.filled(lines.max(axis=0) - lines.min(axis=0), 0)
    step = float(heights.max()) * 1.08 or 1.0
    one = colors is None
    palette = [looks.COLORS[0]] * len(names) if one else _line_colors(names, colors)
    middles = np.ma.filled((lines.max(axis=0) + lines.min(axis=0)) / 2, 0)
    offsets = -step * np.arange(len(names))
    for i, name in enumerate(names):
        ax.plot(times, lines[:, i] - middles[i] + offsets[i], color=palette[i], label=name,
                linewidth=0.7, clip_on=False, **_marks(times))
    ax.set_yticks(offsets, names)
    ax.set_xticks([])
    ax.tick_params(axis="y", length=0)
    ax.spines[["left", "bottom", "right", "top"]].set_visible(False)
    _draw_scale(ax, step, offsets[-1], unit)


def _draw_scale(ax, step, lowest, unit):
    """A corner at the lower right, whose sides are so long in ms and in the unit."""
    first, last = ax.get_xlim()
    wide, high = numbers.nice((last - first) / 6), numbers.nice(step * 0.8)
    bottom = lowest - 0.75 * step
    at = last + 0.02 * (last - first)
    ax.plot([at - wide, at, at], [bottom, bottom, bottom + high], color="black", linewidth=1.2,
            clip_on=False, label="scale", solid_joinstyle="miter")
    ax.set_xlim(first, last)
    ax.set_ylim(bottom - 0.1 * step, 0.6 * step)
    ax.annotate(f"{wide:g} ms", (at - wide / 2, bottom), xytext=(0, -3), textcoords="offset points",
                ha="center", va="top", annotation_clip=False)
    ax.annotate(f"{high:g} {unit}".strip(), (at, bottom + high / 2), xytext=(4, 0),
                textcoords="offset points", ha="left", va="center", annotation_clip=False)
