"""# A balanced network

4000 neurons of one compartment whose excitation and inhibition keep each other at bay: benchmark 3 of Brette et al. (2007), in [balanced_network.yaml](../balanced_network/balanced_network.yaml).
Each row is a cell, one of ten of which is shown; below are the rates of both populations.
"""

import pathlib

import hillock
from hillock import plot

EXAMPLES = pathlib.Path(__file__).resolve().parents[1]

model = hillock.load(EXAMPLES / "balanced_network/balanced_network.yaml", set={"run.duration": "400 ms"})
results = hillock.run(model)

axes = plot.raster(results, cells=slice(0, None, 10), t=(50, 400), sizes=model)
axes[0].figure.savefig("balanced_network.png")
