"""# Plasticity that depends on the timing of spikes

1000 excitatory synapses compete for four neurons: [stdp.yaml](../stdp/stdp.yaml), after Song, Miller and Abbott (2000).
Here they learn four times as fast as in the file.
Weights begin anywhere between 0 and their bound and drift apart; the neurons fire less and less, until it is the timing of their inputs that makes them fire.
"""

import pathlib

import hillock
import numpy as np
from matplotlib import pyplot

EXAMPLES = pathlib.Path(__file__).resolve().parents[1]
MOST_nS = 0.15

results = hillock.run(EXAMPLES / "stdp/stdp.yaml", set={
    "run.duration": "60 s", "record.0.every": "20 s", "projections.0.plasticity.stdp.lambda": 0.02})
weights = results["weights"]

figure, (left, right) = pyplot.subplots(1, 2, figsize=(7, 2.8), layout="constrained")
for time_ms, sample in zip(weights.times, weights.data):
    shares, edges = np.histogram(sample / MOST_nS, np.linspace(0, 1, 26))
    left.stairs(100 * shares / sample.size, edges, label=f"{time_ms / 1000:.0f} s")
left.set(xlabel="weight / bound", ylabel="synapses (%)")
left.legend(title="after")
counts, seconds = np.histogram(results.spikes["learning"].times / 1000, np.arange(61))
right.stairs(counts / 4, seconds)
right.set(xlabel="time (s)", ylabel="rate of a neuron (Hz)", ylim=(0, None))
figure.savefig("stdp.png")
