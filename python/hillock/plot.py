"""Figures of models and results, one call each, drawn with matplotlib.

>>> from hillock import plot
>>> plot.raster(hillock.run(model))

Every function draws on ``ax``, axes that there are, or into ``figure``, an empty one, or makes a figure
with pyplot; it returns the axes: one, or an array of them where there are several panels.
``axes.figure.savefig("raster.pdf")`` writes them. Settings of matplotlib (rcParams) stay as they are.

Colours differ for the colour-blind too (those of Okabe and Ito; viridis and cividis for numbers).
A population has the same colour in all figures of the same results; ``colors``, {population: colour},
gives others.
"""

try:
    import matplotlib  # noqa: F401
except ImportError as missing:
    raise ImportError("hillock.plot draws with matplotlib, which is not installed: `pip install "
                      "matplotlib`, or `apt-get install python3-matplotlib`", name="matplotlib") \
        from missing

from ._plot_connections import connectivity
from ._plot_raster import raster
from ._plot_shapes import morphology
from ._plot_spikes import distributions, rates
from ._plot_traces import traces

__all__ = ["connectivity", "distributions", "morphology", "raster", "rates", "traces"]
