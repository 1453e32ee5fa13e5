"""# A sweep

480 variants of a cell in one run: its leak by the current into its soma.
Cells lie side by side in SIMD lanes on all cores ([sweeps.md](../../docs/sweeps.md)); the time that it took is in the title.
"""

import time

import hillock
import numpy as np
from matplotlib import pyplot

MODEL = {
    "hillock": 1,
    "include": ["library:pyramidal.yaml"],
    "run": {"duration": "100 ms", "v_init": "-70 mV"},
    "populations": {"pyr": {"cell": "pyramidal", "size": 1}},
    "stimuli": [{"iclamp": {"amplitude": "0 nA", "duration": "100 ms"}, "to": "pyr", "at": "soma(0.5)"}],
    "record": [{"name": "spikes", "of": "pyr"}]}
leaks = np.linspace(1e-5, 2e-4, 20)  # S/cm2
currents_pA = np.linspace(0, 400, 24)

begin = time.perf_counter()
sweep = hillock.sweep(MODEL, {"cells.pyramidal.regions.all.pas.g": leaks},
                      stimuli={"stimuli.0.iclamp.amplitude": currents_pA / 1000})
took = time.perf_counter() - begin

figure, ax = pyplot.subplots(figsize=(5, 3.2), layout="constrained")
image = ax.pcolormesh(currents_pA, 1e6 * leaks, sweep.spike_counts("pyr") / 0.1, shading="nearest")
figure.colorbar(image, ax=ax, label="rate (Hz)")
ax.set(xlabel="current (pA)", ylabel="leak (µS/cm²)", title=f"{len(sweep)} cells of 100 ms in {took:.1f} s")
figure.savefig("sweep.png")
