"""A reconstructed neuron with ten channels, SK and a calcium pool in NEURON, from the catalogue's files.

The cell is v1_scnn1a.swc beside the repository; skipped without it.  Prints spike times and how far
the calcium of the soma moves.  Not here: Hillock's half.

  /usr/bin/python3 tests/peer/layer5_cell.py [nA]
"""

import pathlib
import sys
import tempfile

import neuron_mods
from parity import REPOSITORY, SKIPPED, Run, SpikeRecorder, load_neuron, run_neuron, shared
from twin import Cell

import numpy as np

CHANNELS = ["nat", "nap", "kdr", "ka", "kv31", "km", "ih", "cat", "cal", "sk", "bk", "capool"]
RUN = Run(500, temperature=34.0, v_init=-80.0)
CURRENT = 0.5  # nA into the soma from 20 to 480 ms

# S/cm2; the passive membrane is NEURON's own pas. Somatic densities stand near those of Hay et al. 2011,
# PLoS Comput. Biol. 7:e1002107, adjusted to this cell by hand.
BOTH = {"na": 50.0, "k": -85.0}
REGIONS = [
    ("all", {"cm": 1.0, "Ra": 100.0, "pas": {"g": 5e-5, "e": -80.0},
             "ih": {"gbar": 1e-4}}),
    ("soma", {"nat": {"gbar": 1.5}, "nap": {"gbar": 1e-3}, "kdr": {"gbar": 5e-3}, "ka": {"gbar": 0.03},
              "kv31": {"gbar": 0.4}, "km": {"gbar": 1e-4}, "cat": {"gbar": 2e-3}, "cal": {"gbar": 5e-4},
              "sk": {"gbar": 0.006}, "bk": {"gbar": 0.005},
              "capool": {"gamma": 5e-3, "decay": 120.0, "depth": 0.1}, "ions": BOTH}),
    ("axon", {"nat": {"gbar": 0.5}, "kv31": {"gbar": 0.2}, "ions": BOTH}),
    ("dend", {"km": {"gbar": 3e-5}, "cm": 2.0, "ions": {"k": -85.0}}),
    ("apic", {"nat": {"gbar": 0.01}, "kv31": {"gbar": 2e-3}, "km": {"gbar": 3e-5}, "ih": {"gbar": 3e-4},
              "cal": {"gbar": 2e-5}, "cat": {"gbar": 1e-5}, "sk": {"gbar": 5e-4},
              "capool": {"gamma": 5e-3, "decay": 120.0, "depth": 0.1}, "cm": 2.0,
              "ions": BOTH}),
]


def build(h, current):
    path = shared("data", "morphologies", "v1_scnn1a.swc")
    if not path:
        # Data, not a peer: its absence is no failure, whatever REQUIRE_PEERS says.
        print("SKIPPED: v1_scnn1a.swc is not beside the repository (HILLOCK_SHARED)")
        sys.exit(SKIPPED)
    cell = Cell(REGIONS, swc=path, detector=("soma(0.5)", 0.0)).build(h)
    clamp = h.IClamp(cell.segment("soma(0.5)"))
    clamp.delay, clamp.dur, clamp.amp = 20, 460, current
    return cell, clamp


def main():
    current = float(sys.argv[1]) if len(sys.argv) > 1 else CURRENT
    h = load_neuron()
    with tempfile.TemporaryDirectory(prefix="hillock-mods-") as folder:
        files = [REPOSITORY / "mechanisms" / "catalogue" / f"{name}.mod" for name in CHANNELS]
        neuron_mods.load(h, files, pathlib.Path(folder))
        cell, clamp = build(h, current)
        soma = cell.segment("soma(0.5)")
        voltage, calcium = h.Vector().record(soma._ref_v), h.Vector().record(soma._ref_cai)
        spikes = SpikeRecorder(h)
        spikes.add(0, cell.connection(None))
        run_neuron(h, RUN)
    times = spikes.spikes().get(0, np.empty(0))
    voltage, calcium = np.array(voltage), np.array(calcium)
    print(f"{sum(section.nseg for section in cell.sections.values())} compartments, {clamp.amp} nA")
    print(f"{len(times)} spikes at {np.round(times, 3).tolist()} ms")
    print(f"v {voltage.min():.2f} .. {voltage.max():.2f} mV, cai {calcium.min():.3g} .. {calcium.max():.3g} mM, "
          f"v at 19 ms {voltage[760]:.2f} mV")
    finite = np.isfinite(voltage).all() and np.isfinite(calcium).all()
    return 0 if finite and len(times) >= 10 else 1


if __name__ == "__main__":
    sys.exit(main())
