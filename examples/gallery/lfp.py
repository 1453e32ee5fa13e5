"""# A local field potential

What sixteen contacts of a probe see of sixty pyramidal cells that a volley of excitation reaches on their apical dendrites, and then inhibition at their somata.
The potential is the exact sum over the membrane currents of all compartments ([fields.md](../../docs/fields.md)).
"""

import hillock
import numpy as np
from matplotlib import pyplot

heights_um = np.arange(-200, 600, 50)
CELLS = 60


def volley(at_ms):
    """A spike onto each cell, not all at once."""
    return {"cell": np.arange(CELLS), "time_ms": np.random.default_rng(1).normal(at_ms, 2, CELLS)}


MODEL = {
    "hillock": 1,
    "include": ["library:pyramidal.yaml"],
    "run": {"duration": "60 ms", "v_init": "-70 mV", "seed": 1},
    "populations": {"pyr": {"cell": "pyramidal", "size": CELLS,
                            "positions": {"uniform_box": ["200 um", "50 um", "200 um"]}}},
    "stimuli": [{"spikes": {"csv": volley(15)}, "to": "pyr", "weight": "0.3 nS",
                 "synapse": {"exp2syn": {"tau1": "0.5 ms", "tau2": "3 ms", "e": "0 mV"}, "at": "tips(apic)"}},
                {"spikes": {"csv": volley(30)}, "to": "pyr", "weight": "20 nS",
                 "synapse": {"exp2syn": {"tau1": "0.5 ms", "tau2": "8 ms", "e": "-75 mV"}, "at": "soma(0.5)"}}],
    "record": [{"name": "spikes", "of": "pyr"},
               {"name": "lfp", "every": "0.1 ms", "potential": {
                   "electrodes": [["100 um", f"{height} um", "100 um"] for height in heights_um],
                   "conductivity": "0.3 S/m"}}]}
lfp = hillock.run(MODEL)["lfp"]
microvolts = 1000 * lfp.data
most = np.abs(microvolts).max()

figure, ax = pyplot.subplots(figsize=(5, 3.6), layout="constrained")
image = ax.pcolormesh(lfp.times, heights_um, microvolts.T, shading="gouraud", cmap="RdBu_r",
                      vmin=-most, vmax=most)
ax.plot(lfp.times, heights_um + 40 * microvolts / most, color="black", linewidth=0.6)
figure.colorbar(image, ax=ax, label="potential (µV)")
ax.set(xlabel="time (ms)", ylabel="height above the somata (µm)", ylim=(-225, 575))
figure.savefig("lfp.png")
