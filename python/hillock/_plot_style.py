"""What all figures have in common: where they are drawn, colours, labels."""

import contextlib

import matplotlib
import numpy as np
from matplotlib.colors import to_rgba

from ._errors import UsageError

# Okabe and Ito (2008), the best on white first, without their yellow.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999")
GREY = "#6E6E6E"
PALE = "#D9D9D9"

_STYLE = {
    "font.size": 8, "axes.titlesize": 8, "axes.labelsize": 8, "xtick.labelsize": 7,
    "ytick.labelsize": 7, "legend.fontsize": 7, "legend.frameon": False, "axes.linewidth": 0.7,
    "xtick.major.width": 0.7, "ytick.major.width": 0.7, "xtick.major.size": 3,
    "ytick.major.size": 3, "xtick.minor.size": 1.5, "ytick.minor.size": 1.5,
    "lines.linewidth": 0.9, "figure.dpi": 120, "savefig.dpi": 300, "axes.formatter.limits": (-3, 5), "axes.formatter.use_mathtext": True,
    "axes.formatter.useoffset": False, "axes.unicode_minus": True, "axes.grid": False,
}


@contextlib.contextmanager
def style(ax=None):
    """Settings for what is made meanwhile; axes that there are keep those of who made them."""
    if ax is not None:
        yield
        return
    # Not rc_context, which sets back everything: the first figure wakes the backend, which says there
    # whether it is interactive, as a notebook's is.
    before = {key: matplotlib.rcParams[key] for key in _STYLE}
    matplotlib.rcParams.update(_STYLE)
    try:
        yield
    finally:
        matplotlib.rcParams.update(before)


def place(ax, figure, size):
    """The axes to draw on: those given, or new ones in a figure, of size (width, height) in inches."""
    if ax is not None:
        if figure is not None:
            raise UsageError("ax and figure: give one of them")
        return ax
    return plain(_figure(figure, size).add_subplot())


def panels(figure, size, rows, columns, **ratios):
    """[row, column] axes in a figure, squeezed."""
    axes = _figure(figure, size).subplots(rows, columns, gridspec_kw=ratios)
    for one in np.atleast_1d(axes).flat:
        plain(one)
    return axes


def _figure(figure, size):
    if figure is not None:
        return figure
    import matplotlib.pyplot

    return matplotlib.pyplot.figure(figsize=size, layout="constrained")


def strip_below(ax, share):
    """Axes below others, with the same x, that take a share of their height."""
    figure = ax.figure
    spec = ax.get_subplotspec() if hasattr(ax, "get_subplotspec") else None  # 3.6: of those that have one
    if spec is not None:
        grid = spec.subgridspec(2, 1, height_ratios=(1 - share, share), hspace=0.08)
        ax.set_subplotspec(grid[0])
        strip = figure.add_subplot(grid[1], sharex=ax)
    else:
        left, bottom, width, height = ax.get_position().bounds
        ax.set_position((left, bottom + height * share * 1.1, width, height * (1 - share * 1.1)))
        strip = figure.add_axes((left, bottom, width, height * share), sharex=ax)
    ax.tick_params(labelbottom=False)
    return plain(strip)


def plain(ax):
    """Axes without a box. Ticks are made late, so that their sizes are said now."""
    ax.spines[["top", "right"]].set_visible(False)
    for axis in "xy":
        ax.tick_params(axis=axis, labelsize=matplotlib.rcParams[f"{axis}tick.labelsize"],
                       width=matplotlib.rcParams[f"{axis}tick.major.width"],
                       length=matplotlib.rcParams[f"{axis}tick.major.size"])
    return ax


def bare(ax):
    """Axes of which nothing is seen."""
    ax.set_xticks([])
    ax.set_yticks([])
    ax.spines[["top", "right", "bottom", "left"]].set_visible(False)


def colors_of(names, colors=None):
    """{name: RGBA}, other colours where given; up to eight are from the palette."""
    colors = dict(colors or {})
    names = list(names)
    if len(names) <= len(COLORS):
        own = COLORS
    else:
        own = matplotlib.colormaps["viridis"](np.linspace(0, 0.95, len(names)))
    return {name: to_rgba(colors.get(name, own[i])) for i, name in enumerate(names)}


def color_map(name):
    """A map of colours by its name, or itself."""
    return matplotlib.colormaps[name] if isinstance(name, str) else name


def chosen(populations, known):
    """Names of populations, those that were asked for."""
    if populations is None:
        return list(known)
    names = [populations] if isinstance(populations, str) else list(populations)
    for name in names:
        if name not in known:
            raise KeyError(f"there is no population '{name}' among {', '.join(known) or 'none'}")
    return names


def say(ax, text):
    """A remark in the middle of axes that have nothing to show."""
    ax.text(0.5, 0.5, text, transform=ax.transAxes, ha="center", va="center", color=GREY)


def color_bar(ax, mappable, label, **how):
    """A colour bar beside axes, without a box."""
    bar = ax.figure.colorbar(mappable, ax=ax, **{"shrink": 0.6, "aspect": 18, "pad": 0.02, **how})
    bar.set_label(label)
    bar.outline.set_visible(False)
    plain(bar.ax)
    return bar


def with_unit(name, unit):
    return f"{name} ({unit})" if unit else name


def counted(number):
    """A count as people write it: 12 500 with a thin space."""
    return f"{number:,}".replace(",", "\u2009")
