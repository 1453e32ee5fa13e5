#!/usr/bin/env python3
"""Jaxley's half of gradient.py, which gives the numbers: in double precision, on one thread; prints one line of JSON."""

import json
import os
import pathlib
import resource
import sys
import time

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
os.environ["JAX_PLATFORMS"] = "cpu"
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from needs import Needs  # noqa: E402

Needs().modules("jaxley").check()
import jax  # noqa: E402

jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp  # noqa: E402
import jaxley  # noqa: E402
from jaxley.channels import HH  # noqa: E402


def main():
    work = json.loads(pathlib.Path(sys.argv[1]).read_text())
    said, sys.stdout = sys.stdout, sys.stderr
    cell = jaxley.read_swc(work["swc"], ncomp=1, max_branch_len=work["max_length"])
    cell.insert(HH())
    cell.set("axial_resistivity", 100)
    cell.set("capacitance", 1)
    cell.set("v", -65)
    cell.init_states()
    soma = cell.branch(0).loc(0.5)
    soma.stimulate(jaxley.step_current(i_delay=1, i_dur=work["duration"], i_amp=0.5, delta_t=work["dt"],
                                       t_max=work["duration"]))
    soma.record("v")
    sys.stdout = said

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
            start = time.perf_counter()
            function(densities).block_until_ready()
            times.append(time.perf_counter() - start)
        compiling += times[0] - min(times[1:])
        told[name] = min(times[1:])
    print(json.dumps({**told, "program": f"Jaxley {jaxley.__version__}", "compiling_s": compiling,
                      "compartments": len(cell.nodes),
                      "peak_MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3}))


if __name__ == "__main__":
    main()
