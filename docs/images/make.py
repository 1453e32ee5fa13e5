#!/usr/bin/env python3
"""Makes the images of docs/figures.md from the examples, beside itself.

  PYTHONPATH=build/release/python python3 docs/images/make.py
"""

import io
import pathlib

import matplotlib

matplotlib.use("Agg")

from matplotlib import pyplot  # noqa: E402
from PIL import Image  # noqa: E402

import hillock  # noqa: E402
from hillock import plot  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parents[1] / "examples"


def keep(axes, name):
    ax = axes.flat[0] if hasattr(axes, "flat") else axes
    save(ax.figure, name)


def save(figure, name):
    file = io.BytesIO()
    figure.savefig(file, dpi=100)
    Image.open(file).convert("RGB").save(HERE / f"{name}.png", optimize=True)
    pyplot.close(figure)


def gallery(balanced, results, pyramidal, whole):
    """All kinds of figures on one page, each in a part of its own."""
    page = pyplot.figure(figsize=(9, 7.4), layout="constrained")
    left, right = page.subfigures(1, 2, width_ratios=(2.4, 1))
    rows = left.subfigures(3, 1, height_ratios=(1.5, 1.05, 1.05))
    some = {"exc": slice(0, 320), "inh": slice(0, 80)}
    plot.raster(results, cells=some, t=(0, 500), sizes=balanced, figure=rows[0])
    plot.rates(results, sizes=balanced, figure=rows[1])
    plot.distributions(results, sizes=balanced, figure=rows[2])
    parts = right.subfigures(3, 1, height_ratios=(2.2, 1.2, 1.2))
    plot.morphology(pyramidal.cells["pyramidal"], report=whole["whole_cell"], time=28, variable="v",
                    figure=parts[0])
    plot.traces(whole["soma_v"], cells=range(8), t=(0, 100), figure=parts[1])
    plot.connectivity(balanced, figure=parts[2])
    save(page, "gallery")


def main():
    balanced = hillock.load(EXAMPLES / "balanced_network/balanced_network.yaml")
    results = hillock.run(balanced)
    pyramidal = hillock.load(EXAMPLES / "pyramidal_network/pyramidal_network.yaml")
    whole = hillock.run(pyramidal)
    gallery(balanced, results, pyramidal, whole)
    keep(plot.raster(whole, sizes=pyramidal), "raster")
    keep(plot.rates(results, sizes=balanced, kernel=5), "rates")
    keep(plot.traces(whole["soma_v"], cells=range(10)), "traces")
    keep(plot.morphology(pyramidal.cells["pyramidal"]), "morphology")
    keep(plot.connectivity(pyramidal, projection=0, unit="µS"), "connectivity")
    keep(plot.distributions(results, sizes=balanced), "distributions")


if __name__ == "__main__":
    main()
