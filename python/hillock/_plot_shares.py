"""Histograms that compare populations."""

import numpy as np
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from . import _plot_style as looks


def draw_shares(ax, of, palette, x_label, y_label, edges_in):
    """Histograms on common bins, in percent."""
    some = np.concatenate([np.zeros(0), *of.values()])
    ax.set_xlabel(x_label)
    ax.set_ylabel(y_label)
    ax.xaxis.get_major_locator().set_params(nbins=4)
    if not len(some):
        ax.set_xticks([])
        ax.set_yticks([])
        looks.say(ax, "none")
        return
    fewest = min(len(one) for one in of.values() if len(one))
    edges = edges_in(some, int(np.clip(np.sqrt(fewest), 8, 40)))
    for name, one in of.items():
        if len(one):
            share = np.histogram(np.clip(one, edges[0], edges[-1]), edges)[0] * 100 / len(one)
            ax.stairs(share, edges, color=palette[name], label=name, linewidth=1.1)
            if len(of) <= 3:  # more cover one another
                ax.stairs(share, edges, color=palette[name], fill=True, alpha=0.15)
    ax.set_ylim(bottom=0)


def edges_of(some, n):
    low, high = float(some.min()), float(some.max())
    if high - low <= 1e-6 * max(abs(high), 1e-6):  # all alike, but for rounding
        room = 0.1 * abs(high) or 0.1
        return np.linspace(low - room, high + room, 6)
    return np.linspace(low, high, n + 1)


def interval_edges(ax, some, n):
    """Edges of bins of intervals, which get a logarithmic axis where they differ much."""
    least = float(some[some > 0].min(initial=np.inf))
    if not some.max() > 10 * least:
        return edges_of(some, n)
    ax.set_xscale("log")
    near = some.max() < 50 * least
    ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if near else (1,)))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.xaxis.set_minor_formatter(NullFormatter())
    return np.geomspace(least, some.max(), n + 1)
