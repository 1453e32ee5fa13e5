#!/usr/bin/env python3
"""Jaxley's side of gradient.py: the derivative of as many copies of the cell on a GPU, some at once, each by its own gNa,
gK and gLeak, in double or single precision; steps are kept at checkpoints. Prints seconds of the clock, compiling apart.

  bench/gpu/jaxley_gradient.py --swc FILE [--cells 10000] [--at-once 500] [--single]"""

import argparse
import os
import pathlib
import sys
import time

os.environ.setdefault("JAX_PLATFORMS", "cuda")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cpu"))
from jaxley_cell import cell_of, jax, jaxley  # noqa: E402

import jax.numpy as jnp  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--swc", required=True)
    parser.add_argument("--max-length", type=float, default=20, help="um")
    parser.add_argument("--cells", type=int, default=10000)
    parser.add_argument("--at-once", type=int, default=500)
    parser.add_argument("--duration", type=float, default=20, help="ms")
    parser.add_argument("--checkpoints", type=int, nargs="+", default=[29, 28])
    parser.add_argument("--single", action="store_true")
    options = parser.parse_args()
    if options.single:
        jax.config.update("jax_enable_x64", False)
    cell = cell_of({"swc": options.swc, "max_length": options.max_length, "Ra": 100, "cm": 1, "v_init": -65, "start": 1,
                    "length": options.duration, "dt": 0.025, "duration": options.duration}, 0.5)

    def loss(densities):
        state = None
        for name, density in zip(("HH_gNa", "HH_gK", "HH_gLeak"), densities):
            state = cell.data_set(name, density, state)
        v = jaxley.integrate(cell, param_state=state, delta_t=0.025, checkpoint_lengths=options.checkpoints)
        return jnp.sum((v + 65) ** 2)

    derivatives = jax.jit(jax.vmap(jax.grad(loss)))
    factors = jnp.linspace(0.9, 1.1, options.at_once)[:, None]
    densities = factors * jnp.array([[0.12, 0.036, 3e-4]])
    times = []
    for _ in range(2):
        start = time.perf_counter()
        derivatives(densities).block_until_ready()
        times.append(time.perf_counter() - start)
    rounds = -(-options.cells // options.at_once)
    print(f"Jaxley {jaxley.__version__}, JAX {jax.__version__} on {jax.devices()[0].device_kind}, "
          f"{'single' if options.single else 'double'}: {len(cell.nodes)} compartments, {options.at_once} cells {times[1]:.2f} s, "
          f"{options.cells} cells {times[1] * rounds:.1f} s, the first time {times[0]:.0f}", flush=True)


if __name__ == "__main__":
    main()
