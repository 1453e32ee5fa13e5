#!/usr/bin/env python3
"""Question: what does the derivative of a network by its weights cost? Copies of one cell from a file with hh all over
them, each with synapses at drawn places of its dendrites from drawn cells, currents of drawn amplitudes into somata, whose
voltages are recorded every ms: the sum of their squared distance from -65 mV, by all weights. Seconds of the clock.

    run      the loop of hillock.run
    kept     DerivedRun: the same with its steps kept, with reading the model
    back     vjp: back over them; and how the network begins by its weights
    info     GB, `hillock info --gradient` and `hillock info` of the rest: where as many steps are made again as can be
    peak     GB, the most memory that the process had

  PYTHONPATH=build/release/python bench/cpu/network_gradient.py [--cells 2000] [--synapses 500] [--threads 16]"""

import argparse
import json
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import builds

sys.path.insert(0, str(builds.ROOT / "bench"))
from needs import Needs  # noqa: E402

WEIGHTS = "projections.0.connect.list.weight"


def model_of(options, folder):
    import numpy as np

    rng = np.random.default_rng(options.seed)
    count = options.cells * options.synapses
    columns = {"source": rng.integers(0, options.cells, count), "target": np.repeat(np.arange(options.cells), options.synapses),
               "weight": rng.uniform(1e-5, 3e-5, count), "delay": rng.uniform(1, 5, count)}
    rows = np.column_stack(list(columns.values()))
    np.savetxt(folder / "list.csv", rows, delimiter=",", header=",".join(columns), comments="", fmt="%d,%d,%.17g,%.17g")
    whole = f"{options.duration} ms"
    model = {
        "hillock": 1, "run": {"duration": whole, "dt": "0.025 ms", "v_init": "-65 mV"},
        "cells": {"cell": {"morphology": {"swc": options.swc}, "discretization": {"max_length": options.max_length},
                           "regions": {"all": {"cm": "1 uF/cm2", "Ra": "100 ohm.cm", "hh": {}}},
                           "detector": {"at": "soma[0](0.5)", "threshold": "0 mV"}}},
        "populations": {"cells": {"cell": "cell", "size": options.cells}},
        "projections": [{"from": "cells", "to": "cells", "connect": {"list": {"csv": "list.csv"}},
                         "synapse": {"expsyn": {"tau": "2 ms", "e": "0 mV"}, "at": {"of": "dend"}}, "weight": "1 nS",
                         "delay": "1 ms"}],
        "stimuli": [{"iclamp": {"amplitude": {"uniform": {"min": "0 nA", "max": "1 nA"}}, "start": "1 ms", "duration": whole},
                     "to": "cells", "at": "soma[0](0.5)"}],
        "record": [{"name": "v", "of": "cells", "variable": "v", "at": "soma[0](0.5)", "every": "1 ms", "type": "float64"},
                   {"name": "spikes", "of": "cells"}]}
    (folder / "model.yaml").write_text(json.dumps(model))
    model["projections"][0]["connect"]["list"] = columns  # the same as arrays, by whose weights it can be derived
    return model, columns["weight"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hillock", default=builds.ROOT / "build/release/hillock")
    parser.add_argument("--swc", default="library:pyramid.swc")
    parser.add_argument("--max-length", default="20 um")
    parser.add_argument("--cells", type=int, default=2000)
    parser.add_argument("--synapses", type=int, default=500, help="of a cell")
    parser.add_argument("--duration", type=float, default=50, help="ms")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--most-bytes", type=int)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    Needs().modules("hillock", "numpy").program(options.hillock, "build it with ./dev build").check()
    import hillock

    with tempfile.TemporaryDirectory() as scratch:
        model, weights = model_of(options, pathlib.Path(scratch))
        told = subprocess.run([options.hillock, "info", "--gradient", pathlib.Path(scratch) / "model.yaml"],
                              capture_output=True, text=True, check=True).stdout
    print("\n".join(line for line in told.splitlines() if "emory" in line or "deriv" in line or "step" in line), flush=True)
    started = time.perf_counter()

    def lap():
        nonlocal started
        took, started = time.perf_counter() - started, time.perf_counter()
        return took

    ran = hillock.run(model, backend="cpu", threads=options.threads)
    timings = ran.summary["timings_s"]
    spikes = len(ran.spikes["cells"])
    del ran
    lap()
    derived = hillock.DerivedRun(model, {WEIGHTS: weights}, threads=options.threads, most_bytes=options.most_bytes)
    kept = lap()
    by = derived.vjp({"v": 2 * (derived.traces["v"] + 65)})[WEIGHTS]
    back = lap()
    print(f"{options.cells} cells, {len(weights)} synapses, {round(options.duration / 0.025)} steps, {spikes} spikes: run "
          f"{sum(timings[part] for part in ('advance', 'exchange', 'record')):.2f}, kept {kept:.2f}, back {back:.2f} s; "
          f"kept {derived.tape_bytes / 1e9:.2f}, peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB; "
          f"{(by != 0).sum()} derivatives that are not 0", flush=True)


if __name__ == "__main__":
    main()
