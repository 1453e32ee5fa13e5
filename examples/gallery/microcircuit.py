"""# The cortical microcircuit

Eight populations in four layers, after Potjans and Diesmann (2014).
[make.py](../microcircuit/make.py) writes the model; here it has a tenth of the neurons with a tenth of the synapses of each, stronger in turn.
At full size, 77169 neurons and 0.3 billion synapses, it is `make.py` without `--scale`.
"""

import pathlib
import subprocess
import sys

import hillock
from hillock import plot
from matplotlib import pyplot

MAKE = pathlib.Path(__file__).resolve().parents[1] / "microcircuit/make.py"

with open("microcircuit.yaml", "w") as file:
    subprocess.run([sys.executable, MAKE, "--scale", "0.1", "--duration", "500"], check=True, stdout=file)
model = hillock.load("microcircuit.yaml")
results = hillock.run(model)
layers = list(model.populations)[::-1]  # from the lowest up
colors = {name: "C0" if name.endswith("E") else "C1" for name in layers}

figure, (left, right) = pyplot.subplots(1, 2, figsize=(7, 3.4), width_ratios=(3, 1), layout="constrained")
plot.raster(results, populations=layers, cells=slice(0, None, 4), t=(200, 500), sizes=model,
            rates=False, colors=colors, ax=left)
seconds = results.duration_ms / 1000
for row, name in enumerate(layers):
    rate_Hz = len(results.spikes[name]) / model.populations[name].size / seconds
    right.barh(row, rate_Hz, color=colors[name])
right.set(xlabel="rate (Hz)", yticks=range(len(layers)), yticklabels=layers)
figure.savefig("microcircuit.png")
