"""Spikes as points or, where there are very many, as an image of their density."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from . import _plot_numbers as numbers
from . import _plot_style as looks
from ._errors import UsageError
from ._plot_types import Cells, Colors, Names, Sizes, Span
from ._results import Results

_DOTS_IN_A_FILE = 10_000  # beyond, points are pixels in files of vectors
_COLUMNS, _ROWS = 700, 300  # of an image of density


def raster(results: Results, populations: Names = None, cells: Cells | Mapping[str, Cells] = None,
           t: Span = None, rates: bool | float = True, ax: Axes | None = None, *,
           figure: Figure | None = None, sizes: Sizes = None, colors: Colors = None,
           dense: int = 100_000) -> Any:
    """Spikes by time and cell, and below the rates of the populations.

    results: Results. populations: a name, or several from the lowest up; without any all.
    cells: numbers of cells, or a slice, the same for each population or {population: numbers}: only
    these have rows, in that order, and count for the rates. t: (first, last) ms.
    rates: False for none, or the width of its bins in ms. sizes: a Model or {population: cells}, how
    many rows a population has; without, what the files of a run tell, or up to its last cell that
    spikes.
    dense: with more spikes than that there is an image of their density instead of points.

    Returns the axes, [spikes, rates] where there are rates. Raises KeyError for a population that
    there is not, UsageError.
    """
    names = looks.chosen(populations, results.spikes)
    first, last = numbers.span_of(results, t, [results.spikes[name].times for name in names])
    whole = numbers.sizes_of(results, sizes, names)
    palette = looks.colors_of(results.spikes, colors)
    bands, rows = [], 0
    for name in names:
        times, ids = numbers.within(results.spikes[name], first, last)
        of = cells.get(name) if isinstance(cells, dict) else cells
        which, row, size = numbers.rows_of(ids, of, whole[name])
        bands.append((name, times[which], row, rows, size))
        rows += size
    with looks.style(ax):
        ax = looks.place(ax, figure, (5.5, 3.6))
        _draw(ax, bands, rows, (last - first, first), palette, dense)
        ax.set_xlim(first, last)
        ax.set_ylim(-0.5, max(rows, 1) - 0.5)
        _name_rows(ax, bands, rows, palette)
        if rates is False or rates is None:
            ax.set_xlabel("time (ms)")
            return ax
        strip = looks.strip_below(ax, 0.25)
        width = numbers.bin_for([times for _, times, *_ in bands], first, last) if rates is True \
            else positive(rates, "rates")
        for name, times, _, _, size in bands:
            edges, rate = numbers.rate_in_bins(times, first, last, width, size)
            strip.stairs(rate, edges, baseline=None, color=palette[name], label=name)
        strip.set_ylim(bottom=0)
        strip.set_xlabel("time (ms)")
        strip.set_ylabel("rate (Hz)")
        ax.figure.align_ylabels([ax, strip])
        return np.array([ax, strip])


def positive(number, what):
    """A width in ms."""
    number = float(number)
    if not (np.isfinite(number) and number > 0):
        raise UsageError(f"{what}: must be a time above 0 ms, not {number:g}")
    return number


def _draw(ax, bands, rows, span, palette, dense):
    spikes = sum(len(times) for _, times, _, _, _ in bands)
    if not spikes:
        looks.say(ax, "no spikes")
    # The height of a row in points, before the figure is laid out.
    high = ax.bbox.height / ax.figure.dpi * 72 / max(rows, 1)
    for name, times, row, offset, size in bands:
        if not len(times):
            continue
        if spikes > dense:
            _draw_density(ax, times, row, offset, size, rows, span, palette[name])
            continue
        mark = {"marker": "|", "markersize": min(0.8 * high, 9), "markeredgewidth": 0.8} \
            if high >= 3 else {"marker": "o", "markersize": np.clip(high, 0.9, 2),
                               "markeredgewidth": 0}
        ax.plot(times, row + offset, linestyle="none", color=palette[name], label=name,
                rasterized=spikes > _DOTS_IN_A_FILE, **mark)


def _draw_density(ax, times, row, offset, size, rows, span, color):
    """Spikes of each pixel, as how opaque the population's colour is."""
    duration, first = span
    width = numbers.width_of(times, duration / _COLUMNS)
    columns = int(np.ceil(duration / width - 1e-9))
    lines = min(size, max(round(_ROWS * size / rows), 8))
    column = np.minimum(((times - first) / width + 1e-6).astype(np.int64), columns - 1)
    counts = np.bincount(row * lines // size * columns + column, minlength=lines * columns)
    full = np.quantile(counts[counts > 0], 0.95)
    image = np.empty((lines, columns, 4))
    image[..., :3] = color[:3]
    image[..., 3] = np.where(counts > 0, 0.15 + 0.85 * np.minimum(counts / full, 1), 0) \
        .reshape(lines, columns)
    ax.imshow(image, origin="lower", aspect="auto", label=f"{len(times)} spikes",
              extent=(first, first + columns * width, offset - 0.5, offset + size - 0.5))


def _name_rows(ax, bands, rows, palette):
    """Numbers of cells for one population, else names in the middle of each band."""
    if len(bands) == 1:
        ax.set_ylabel(f"cell of {bands[0][0]}")
        ax.yaxis.get_major_locator().set_params(integer=True)
        return
    middles = [offset + size / 2 - 0.5 for _, _, _, offset, size in bands]
    ax.set_yticks(_apart(middles, 0.06 * rows),
                  [f"{name}\n{looks.counted(size)} cells" for name, _, _, _, size in bands]
                  if len(bands) <= 6 else [name for name, *_ in bands])
    ax.tick_params(axis="y", length=0)
    for text, (name, *_) in zip(ax.get_yticklabels(), bands):
        text.set_color(palette[name])
    for _, _, _, offset, _ in bands[1:]:
        ax.axhline(offset - 0.5, color=looks.PALE, linewidth=0.5, zorder=0.5)


def _apart(places, distance):
    """Places moved up where they are closer than that to the one below."""
    apart = []
    for place in places:
        apart.append(max(place, apart[-1] + distance) if apart else place)
    return apart
