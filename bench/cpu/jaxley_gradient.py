#!/usr/bin/env python3
"""Jaxley's half of gradient.py, which gives the numbers: in double precision, on one thread, in processor seconds; prints
one line of JSON."""

import json
import pathlib
import resource
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from jaxley_cell import cell_of, jax, jaxley  # noqa: E402

import jax.numpy as jnp  # noqa: E402


def main():
    work = json.loads(pathlib.Path(sys.argv[1]).read_text())
    cell = cell_of(work, work["amplitude"])

    def loss(densities):
        state = None
        for name, density in zip(("HH_gNa", "HH_gK", "HH_gLeak"), densities):
            state = cell.data_set(name, density, state)
        return jnp.sum((jaxley.integrate(cell, param_state=state, delta_t=work["dt"]) + 65) ** 2)

    densities = jnp.array([0.12, 0.036, 3e-4])
    told, compiling = {}, 0
    for name, function in (("run_s", jax.jit(loss)), ("gradient_s", jax.jit(jax.grad(loss)))):
        times = []
        for _ in range(work["repeat"] + 1):
            start = time.process_time()
            function(densities).block_until_ready()
            times.append(time.process_time() - start)
        compiling += times[0] - min(times[1:])
        told[name] = min(times[1:])
    print(json.dumps({**told, "program": f"Jaxley {jaxley.__version__}", "compiling_s": compiling,
                      "compartments": len(cell.nodes),
                      "peak_MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3}))


if __name__ == "__main__":
    main()
