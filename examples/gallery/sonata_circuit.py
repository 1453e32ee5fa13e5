"""# A SONATA circuit

A circuit in the SONATA format, which [make.py](../sonata_circuit/make.py) writes with h5py, runs from its own files: pyramidal cells with the Allen institute's template and a fit of conductances, inhibitory point neurons, and trains of spikes from outside.
[sonata.md](../../docs/sonata.md) says what is read of the format.
"""

import pathlib
import subprocess
import sys

import hillock
from hillock import plot
from matplotlib import pyplot

MAKE = pathlib.Path(__file__).resolve().parents[1] / "sonata_circuit/make.py"

subprocess.run([sys.executable, MAKE, "circuit"], check=True)
results = hillock.run("circuit/simulation_config.json")

figure, (left, right) = pyplot.subplots(1, 2, figsize=(7, 2.8), layout="constrained")
plot.raster(results, rates=False, ax=left)
for cell in range(3):
    right.plot(results["v"].times, results["v"].of(cell)[:, 0], label=f"node {cell}")
right.set(xlabel="time (ms)", ylabel="soma v (mV)")
right.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=3)
figure.savefig("sonata_circuit.png")
