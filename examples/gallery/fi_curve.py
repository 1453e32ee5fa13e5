"""# A cell's f–I curve

How often a pyramidal cell spikes at a current into its soma.
`hillock.sweep` gives each of 41 currents a cell of its own, and all of them are one run.
"""

import hillock
import numpy as np
from matplotlib import pyplot

MODEL = {
    "hillock": 1,
    "include": ["library:pyramidal.yaml"],
    "run": {"duration": "600 ms", "v_init": "-70 mV"},
    "populations": {"pyr": {"cell": "pyramidal", "size": 1}},
    "stimuli": [{"iclamp": {"amplitude": "0 nA", "start": "50 ms", "duration": "500 ms"},
                 "to": "pyr", "at": "soma(0.5)"}],
    "record": [{"name": "spikes", "of": "pyr"},
               {"name": "soma_v", "of": "pyr", "variable": "v", "at": "soma(0.5)", "every": "0.1 ms"}]}
currents_pA = np.linspace(0, 200, 41)
sweep = hillock.sweep(MODEL, stimuli={"stimuli.0.iclamp.amplitude": currents_pA / 1000})
rates_Hz = sweep.spike_counts("pyr") / 0.5

figure, (left, right) = pyplot.subplots(1, 2, figsize=(7, 2.8), layout="constrained")
for number in (10, 13, 20):
    left.plot(sweep.times("soma_v"), sweep.report("soma_v")[number], label=f"{currents_pA[number]:.0f} pA")
left.set(xlim=(40, 300), xlabel="time (ms)", ylabel="soma v (mV)")
left.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=3)
right.plot(currents_pA, rates_Hz, "o-", markersize=3)
right.set(xlabel="current (pA)", ylabel="rate (Hz)")
figure.savefig("fi_curve.png")
