#!/usr/bin/env python3
"""Jaxley's half of the sweep in Python: all variants at once by vmap, in double precision; prints one line of JSON. Not
here: our half (python_sweep.py), which gives the numbers.

Jaxley's own HH channel, whose kinetics are not NEURON's hh: spikes are not compared. The first call compiles, and is told
apart. All variants in one call, or in calls of --at-once of them, whichever is said.
"""

import argparse
import json
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from jaxley_cell import cell_of, jax, jaxley  # noqa: E402

import jax.numpy as jnp  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", help="a JSON file of python_sweep.py")
    parser.add_argument("--at-once", type=int, default=100)
    options = parser.parse_args()
    work = json.loads(pathlib.Path(options.work).read_text())
    start = time.perf_counter()
    cell = cell_of(work, work["amplitudes"][0])

    def voltage(conductance):
        return jaxley.integrate(cell, param_state=cell.data_set("HH_gNa", conductance, None), delta_t=work["dt"])

    every = jax.jit(jax.vmap(voltage))
    conductances = jnp.array(work["factors"]) * work["gnabar"]
    parts = [conductances[first:first + options.at_once] for first in range(0, len(conductances), options.at_once)]
    setup = time.perf_counter() - start
    start = time.perf_counter()
    every(parts[0]).block_until_ready()
    compiling = time.perf_counter() - start
    start, begun = time.perf_counter(), time.process_time()
    voltages = jnp.concatenate([every(part) for part in parts]).block_until_ready()
    print(json.dumps({"program": f"Jaxley {jaxley.__version__}", "setup_s": setup + compiling,
                      "run_s": time.perf_counter() - start, "cpu_s": time.process_time() - begun,
                      "compartments": len(cell.nodes), "spikes": int((jnp.diff(jnp.sign(voltages[:, 0])) > 0).sum())}))


if __name__ == "__main__":
    main()
