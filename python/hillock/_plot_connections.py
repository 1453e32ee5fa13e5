"""Who is connected to whom: populations, and the cells of one projection."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from . import _plot_style as looks
from ._errors import UsageError
from ._model import Model, Projection, Source, as_model
from ._plot_shares import draw_shares, edges_of

_SHOWN = {"indegree": "connections onto a cell, mean", "number": "connections",
          "weight": "weight, mean", "delay": "delay (ms), mean"}
_PIXELS = 400  # at most, a side of a matrix of cells
_COARSE = 100  # also of few connections


def connectivity(model: Source | Model, projection: Projection | int | str | None = None,
                 show: str = "indegree", ax: Axes | None = None, *, figure: Figure | None = None,
                 unit: str | None = None, cmap: Any = "viridis_r") -> Any:
    """The connections of a model, drawn as for a run: between populations, or within one projection.

    model: a Model, or what load() takes. show: of the matrix of populations, whose rows are sources
    and columns targets: "indegree" (connections onto each cell of the target), "number", "weight" or
    "delay" (means; delays in ms). Projections between the same populations are taken together.
    projection: a Projection, its number in Model.projections or its name: instead, the matrix of its
    cells, and how its delays and weights are distributed. Up to 400 × 400 cells the matrix shows the
    weight of each pair, or how often it is connected where all weights are alike; of more cells, how
    often their pairs are connected in the mean. unit: of the weights, for the labels. ax: for the matrix
    alone.

    Returns the axes: of a projection in a figure of its own [matrix, delays, weights]. Raises KeyError
    for a projection that there is not, UsageError.
    """
    if show not in _SHOWN:
        raise UsageError(f"show: one of {', '.join(_SHOWN)}, not {show!r}")
    model = as_model(model)
    if projection is not None:
        return _draw_projection(model, _named(model, projection), ax, figure, unit, cmap)
    names = list(model.populations)
    numbers = _between(model, names, show)
    with looks.style(ax):
        side = 0.45 * len(names) + 1.4
        room = 0.9 + 0.07 * max((len(name) for name in names), default=0)
        ax = looks.place(ax, figure, (min(side + room, 7.2), min(side, 6)))
        if not names:
            looks.say(ax, "no populations")
            return ax
        image = _draw_matrix(ax, numbers, cmap)
        ax.set_xticks(range(len(names)), names, rotation=0 if len(names) < 4 else 60)
        ax.set_yticks(range(len(names)), names)
        ax.tick_params(length=0)
        ax.set_xlabel("to")
        ax.set_ylabel("from")
        label = _SHOWN[show]
        if show == "weight" and unit:
            label = f"weight ({unit}), mean"
        if numbers.count():
            looks.color_bar(ax, image, label, shrink=0.9)
        else:
            looks.say(ax, "no connections")
        if len(names) <= 12:
            _write_numbers(ax, image, numbers, 8 if len(names) <= 6 else 5)
        return ax


def _named(model, projection):
    projections = model.projections
    if isinstance(projection, str):
        found = [one for one in projections if one.name == projection]
        if not found:
            known = ", ".join(one.name for one in projections if one.name)
            raise KeyError(f"there is no projection '{projection}' among {known or 'none with a name'}")
        return found[0]
    if isinstance(projection, (int, np.integer)):
        if not 0 <= projection < len(projections):
            raise KeyError(f"there is no projection {projection} among {len(projections)}")
        return projections[projection]
    return projection


def _between(model, names, show):
    """[from, to], masked where there are no connections."""
    place = {name: i for i, name in enumerate(names)}
    counts, sums = np.zeros((2, len(names), len(names)))
    for one in model.projections:
        columns = one.connections()
        at = place[one.source], place[one.target]
        counts[at] += len(columns["target"])
        if show in ("weight", "delay"):
            sums[at] += columns["weight" if show == "weight" else "delay_ms"].sum()
    sizes = np.array([model.populations[name].size for name in names], float)
    shown = {"number": counts, "indegree": counts / np.maximum(sizes, 1)}.get(show)
    if shown is None:
        shown = sums / np.maximum(counts, 1)
    return np.ma.array(shown, mask=counts == 0)


def _draw_matrix(ax, numbers, cmap, **how):
    """Numbers of both signs get colours that are pale at zero."""
    limits = {}
    if numbers.count():
        low, high = float(numbers.min()), float(numbers.max())
        if low < 0 < high:
            cmap, limits = "PuOr", {"vmin": -max(-low, high), "vmax": max(-low, high)}
        else:
            limits = {"vmin": min(low, 0), "vmax": max(high, 0) if high > 0 or low < 0 else 1}
    image = ax.imshow(numbers, cmap=looks.color_map(cmap).with_extremes(bad="white"),
                      interpolation="nearest", aspect="equal", **{**limits, **how})
    ax.spines[["top", "right"]].set_visible(True)
    return image


def _write_numbers(ax, image, numbers, size):
    for (row, column), number in np.ma.ndenumerate(numbers):
        red, green, blue, _ = image.cmap(image.norm(number))
        is_dark = 0.3 * red + 0.59 * green + 0.11 * blue < 0.5
        text = f"{number:.0f}" if 100 <= abs(number) < 1e5 else f"{number:.3g}"
        ax.text(column, row, text, ha="center", va="center", fontsize=size,
                color="white" if is_dark else "black")


def _draw_projection(model, projection, ax, figure, unit, cmap):
    columns = projection.connections()
    sources, targets = (model.populations[name].size
                        for name in (projection.source, projection.target))
    numbers, label = _pairs(columns, sources, targets, unit)
    with looks.style(ax):
        axes = None
        if ax is None:
            axes = looks.panels(figure, (7.2, 2.6), 1, 3, width_ratios=(1.5, 1, 1))
            ax = axes[0]
        elif figure is not None:
            raise UsageError("ax and figure: give one of them")
        image = _draw_matrix(ax, numbers, cmap, extent=(-0.5, targets - 0.5, sources - 0.5, -0.5))
        ax.set_aspect("auto" if max(sources, targets) > 4 * min(sources, targets) else "equal")
        ax.set_xlabel(f"to: cell of {projection.target}")
        ax.set_ylabel(f"from: cell of {projection.source}")
        for axis in (ax.xaxis, ax.yaxis):
            axis.get_major_locator().set_params(integer=True)
        if numbers.count():
            looks.color_bar(ax, image, label, shrink=0.9)
        else:
            looks.say(ax, "no connections")
        if axes is None:
            return ax
        palette = {"": looks.COLORS[0]}
        draw_shares(axes[1], {"": columns["delay_ms"]}, palette, "delay (ms)", "connections (%)",
                    edges_of)
        draw_shares(axes[2], {"": columns["weight"]}, palette, looks.with_unit("weight", unit),
                    "connections (%)", edges_of)
        return axes


def _pairs(columns, sources, targets, unit):
    """([row, column] numbers of the matrix, masked where they are none; what they are)."""
    weight = columns["weight"]
    most = _PIXELS
    if max(sources, targets) > most:  # pixels that some ten connections fall on are not all noise
        most = int(np.clip(np.sqrt(len(weight) / 10), _COARSE, _PIXELS))
    rows, across = (max(min(n, most), 1) for n in (sources, targets))
    source, target = (columns[name].astype(np.int64) for name in ("source", "target"))
    pixel = source * rows // max(sources, 1) * across + target * across // max(targets, 1)
    counts = np.bincount(pixel, minlength=rows * across).reshape(rows, across)
    if (rows, across) == (sources, targets) and len(weight) and weight.max() > weight.min():
        sums = np.bincount(pixel, weight, minlength=rows * across).reshape(rows, across)
        return np.ma.array(sums, mask=counts == 0), looks.with_unit("weight", unit)
    # Not all pixels stand for equally many pairs.
    tall, wide = (np.bincount(np.arange(n) * pixels // n, minlength=pixels) if n else np.ones(1)
                  for n, pixels in ((sources, rows), (targets, across)))
    return np.ma.array(counts / np.outer(tall, wide), mask=counts == 0), "connections a pair"
