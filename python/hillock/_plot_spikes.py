"""Rates in time, and how rates and intervals are distributed."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from . import _plot_numbers as numbers
from . import _plot_style as looks
from ._errors import UsageError
from ._plot_raster import positive
from ._plot_shares import draw_shares, edges_of, interval_edges
from ._plot_types import Colors, Names, Sizes, Span
from ._results import Results


def rates(results: Results, populations: Names = None, t: Span = None,
          bin: float | None = None, kernel: float | None = None, neurons: bool = True,  # noqa: A002
          ax: Axes | None = None, *, figure: Figure | None = None, sizes: Sizes = None,
          colors: Colors = None) -> Any:
    """Rates of populations in time, in Hz per cell, and the mean rate of each cell beside them.

    bin: the width of bins in ms; kernel: instead, the standard deviation of a Gaussian in ms. Without
    either, bins of a width that suits the number of spikes. neurons: False for the first panel alone, as on axes that
    are given. populations, t, sizes, colors: as for raster().

    Returns the axes, [rates in time, rates of cells] where both are drawn. Raises KeyError for a
    population that there is not, UsageError.
    """
    if bin is not None and kernel is not None:
        raise UsageError("bin and kernel: give one of them")
    names = looks.chosen(populations, results.spikes)
    first, last = numbers.span_of(results, t, [results.spikes[name].times for name in names])
    counts = numbers.sizes_of(results, sizes, names)
    palette = looks.colors_of(results.spikes, colors)
    spikes = {name: numbers.within(results.spikes[name], first, last) for name in names}
    width = numbers.bin_for([times for times, _ in spikes.values()], first, last) if bin is None \
        else positive(bin, "bin")
    with looks.style(ax):
        beside = None
        if ax is None and neurons and names:
            ax, beside = looks.panels(figure, (5 + 0.5 * len(names), 2.4), 1, 2,
                                      width_ratios=(4, 0.5 + 0.5 * len(names)))
        else:
            ax = looks.place(ax, figure, (5.5, 2.4))
        for name, (times, _) in spikes.items():
            look = {"color": palette[name], "label": name}
            if kernel is None:
                edges, rate = numbers.rate_in_bins(times, first, last, width, counts[name])
                ax.stairs(rate, edges, baseline=None, **look)
            else:
                ax.plot(*numbers.smooth_rate(times, first, last, positive(kernel, "kernel"),
                                             counts[name]), **look)
        ax.set_xlim(first, last)
        ax.set_ylim(bottom=0)
        ax.set_xlabel("time (ms)")
        ax.set_ylabel("rate (Hz)")
        if not any(len(times) for times, _ in spikes.values()):
            looks.say(ax, "no spikes")
        _legend(ax, names)
        if beside is None:
            return ax
        _draw_cells(beside, {name: numbers.mean_rates(ids, counts[name], last - first)
                             for name, (_, ids) in spikes.items()}, last - first, palette)
        return np.array([ax, beside])


def _draw_cells(ax, rates_of, milliseconds, palette):
    """A column a population, as wide as there are cells of a rate, with a line at the mean."""
    labels = []
    for at, (name, some) in enumerate(rates_of.items()):
        if not len(some):
            labels.append(name)
            continue
        mean = float(some.mean())
        labels.append(f"{name}\n{mean:.3g} Hz")
        if some.max() > some.min():
            bins = int(np.clip(np.sqrt(len(some)), 5, 40))
            count, edges = np.histogram(some, numbers.rate_edges(some, milliseconds, bins))
            half = np.append(count, count[-1]) / count.max() * 0.4
            ax.fill_betweenx(edges, at - half, at + half, step="post", color=palette[name],
                             alpha=0.4, linewidth=0, label=name)
        ax.plot([at - 0.4, at + 0.4], [mean, mean], color=palette[name], linewidth=1.4)
    ax.set_xlim(-0.6, len(rates_of) - 0.4)
    ax.set_xticks(range(len(rates_of)), labels, rotation=0 if len(rates_of) < 4 else 45)
    ax.tick_params(axis="x", length=0)
    ax.set_ylim(bottom=0)
    ax.set_ylabel("rate of a cell (Hz)")


def distributions(results: Results, populations: Names = None, t: Span = None, ax: Any = None, *,
                  figure: Figure | None = None, sizes: Sizes = None,
                  colors: Colors = None) -> np.ndarray:
    """How the cells' rates (Hz), their intervals between spikes (ms) and the coefficients of variation
    of these are distributed in each population.

    A CV is of a cell with three spikes or more. ax: three axes. populations, t, sizes, colors: as for
    raster(). Cells without a spike count for the rates, where sizes tells of them.

    Returns the axes, [rates, intervals, CV]. Raises KeyError for a population that there is not,
    UsageError.
    """
    names = looks.chosen(populations, results.spikes)
    first, last = numbers.span_of(results, t, [results.spikes[name].times for name in names])
    counts = numbers.sizes_of(results, sizes, names)
    palette = looks.colors_of(results.spikes, colors)
    rate, length, variation = {}, {}, {}
    for name in names:
        times, ids = numbers.within(results.spikes[name], first, last)
        rate[name] = numbers.mean_rates(ids, counts[name], last - first)
        length[name], cells = numbers.intervals(times, ids)
        variation[name] = numbers.variation(length[name], cells)
    if ax is not None and np.size(ax) != 3:
        raise UsageError(f"ax: three axes are needed, not {np.size(ax)}")
    if ax is not None and figure is not None:
        raise UsageError("ax and figure: give one of them")
    with looks.style(ax):
        axes = looks.panels(figure, (6.5, 2.1), 1, 3) if ax is None else np.asarray(ax).reshape(-1)
        draw_shares(axes[0], rate, palette, "mean rate of a cell (Hz)", "cells (%)",
                     lambda some, n: numbers.rate_edges(some, last - first, n))
        draw_shares(axes[1], length, palette, "interval between spikes (ms)", "intervals (%)",
                     lambda some, n: interval_edges(axes[1], some, n))
        draw_shares(axes[2], variation, palette, "CV of a cell's intervals", "cells (%)", edges_of)
        _legend(axes[0], names)
        return axes


def _legend(ax, names):
    """Above the axes, where no line is."""
    if len(names) > 1 and ax.get_legend_handles_labels()[0]:
        ax.legend(loc="lower right", bbox_to_anchor=(1, 1), ncol=min(len(names), 4), handlelength=1.2,
                  borderaxespad=0, columnspacing=1)
