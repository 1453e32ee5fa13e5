#!/usr/bin/python3
"""A reconstructed neuron with ten channels, SK and a calcium pool: Hillock against NEURON 8.2.2.

Both run the catalogue's .mod files on v1_scnn1a.swc, which lies beside the repository; skipped
without it.  A step of current into the soma makes it fire for 460 of 500 ms.
Tolerances: at least ten spikes, counts equal, times within dt, for both integrators; up to the first
spike the soma's voltage within 1e-5 mV and its calcium within 1e-6 of its range (only the secant
differs: NEURON's slope of the currents through rectifying channels).
"""

import sys

import neuron_mods
from parity import REPOSITORY, SKIPPED, Run, Session, SpikeRecorder, run_neuron, shared
from twin import Cell

import numpy as np  # after parity, which says what is missing

CHANNELS = ["nat", "nap", "kdr", "ka", "kv31", "km", "ih", "cat", "cal", "sk", "bk", "capool"]
CURRENT = 0.5  # nA into the soma from 20 to 480 ms
SOMA = "soma[0](0.5)"
INTEGRATORS = ("backward_euler", "crank_nicolson")
RECORDED = {"v": "mV", "cai": "mM", "eca": "mV", "ica": "mA/cm2"}

# S/cm2; the passive membrane is NEURON's own pas. Somatic densities stand near those of Hay et al. 2011,
# PLoS Comput. Biol. 7:e1002107, adjusted to this cell by hand.
BOTH = {"na": 50.0, "k": -85.0}
POOL = {"gamma": 5e-3, "decay": 120.0, "depth": 0.1}
REGIONS = [
    ("all", {"cm": 1.0, "Ra": 100.0, "pas": {"g": 5e-5, "e": -80.0}, "ih": {"gbar": 1e-4}}),
    ("soma", {"nat": {"gbar": 1.5}, "nap": {"gbar": 1e-3}, "kdr": {"gbar": 5e-3}, "ka": {"gbar": 0.03},
              "kv31": {"gbar": 0.4}, "km": {"gbar": 1e-4}, "cat": {"gbar": 2e-3}, "cal": {"gbar": 5e-4},
              "sk": {"gbar": 0.006}, "bk": {"gbar": 0.005}, "capool": POOL, "ions": BOTH}),
    ("axon", {"nat": {"gbar": 0.5}, "kv31": {"gbar": 0.2}, "ions": BOTH}),
    ("dend", {"km": {"gbar": 3e-5}, "cm": 2.0, "ions": {"k": -85.0}}),
    ("apic", {"nat": {"gbar": 0.01}, "kv31": {"gbar": 2e-3}, "km": {"gbar": 3e-5}, "ih": {"gbar": 3e-4},
              "cal": {"gbar": 2e-5}, "cat": {"gbar": 1e-5}, "sk": {"gbar": 5e-4}, "capool": POOL,
              "cm": 2.0, "ions": BOTH}),
]


def model(cell, run):
    return {
        "hillock": 1, "run": run.model(), "cells": {"cell": cell.model()},
        "populations": {"one": {"cell": "cell", "size": 1}},
        "stimuli": [{"iclamp": {"amplitude": f"{CURRENT} nA", "start": "20 ms", "duration": "460 ms"},
                     "to": "one", "at": SOMA}],
        "record": [{"name": "spikes", "of": "one"}]
        + [{"name": name, "of": "one", "variable": name, "at": SOMA, "every": f"{run.dt} ms",
            "type": "float64"} for name in RECORDED],
    }


def in_neuron(session, cell, run):
    """Spikes, and {variable: trace}."""
    h = session.neuron
    built = cell.build(h)
    soma = built.segment(SOMA)
    clamp = h.IClamp(soma)
    clamp.delay, clamp.dur, clamp.amp = 20, 460, CURRENT
    vectors = {name: h.Vector().record(getattr(soma, f"_ref_{name}")) for name in RECORDED}
    spikes = SpikeRecorder(h)
    spikes.add(0, built.connection(None))
    run_neuron(h, run)
    return spikes.spikes(), {name: np.array(vector) for name, vector in vectors.items()}


def compare(session, cell, run):
    case = run.integrator
    theirs, traces = in_neuron(session, cell, run)
    times = theirs.get(0, np.empty(0))
    calcium = traces["cai"]
    print(f"{case}: {len(times)} spikes in NEURON at {np.round(times, 3).tolist()} ms, "
          f"cai {calcium.min():.3g} .. {calcium.max():.3g} mM")
    session.between(case, "spikes in NEURON", len(times), 10, 1000)
    output = session.hillock(model(cell, run), case)
    if output is None or not len(times):
        return
    session.same_spikes(case, output.spikes("one"), theirs, run.dt)
    before = round(times[0] / run.dt) - 40  # a millisecond before the crossing
    for name, unit in RECORDED.items():
        trace = traces[name]
        ours = output.trace(name, "one")[1][:, 0]
        limit = 1e-5 if name == "v" else 1e-6 * np.ptp(trace)
        session.same_trace(case, f"{name} up to the first spike", ours[:before], trace[:before], limit,
                           unit)


def main():
    path = shared("data", "morphologies", "v1_scnn1a.swc")
    if not path:
        # Data, not a peer: its absence is no failure, whatever REQUIRE_PEERS says.
        print("SKIPPED: v1_scnn1a.swc is not beside the repository (HILLOCK_SHARED)")
        sys.exit(SKIPPED)
    session = Session(__doc__)
    files = [REPOSITORY / "mechanisms" / "catalogue" / f"{name}.mod" for name in CHANNELS]
    neuron_mods.load(session.neuron, files, session.folder / "mods")
    cell = Cell(REGIONS, swc=path, detector=(SOMA, 0.0))
    for integrator in INTEGRATORS:
        compare(session, cell,
                Run(500, integrator=integrator, temperature=34.0, v_init=-80.0))
    session.finish()


if __name__ == "__main__":
    main()
