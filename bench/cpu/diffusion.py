#!/usr/bin/python3
"""Question: how long do states take that spread along the cable (LONGITUDINAL_DIFFUSION)? A population of the cell of
tests/peer/diffusion.py (hh, four shells of calcium with a buffer, a tracer and sodium that diffuse) in Hillock and in
Debian's NEURON, both on one thread, in turns; best of --repeat. Needs Debian's python3-neuron and neuron-dev.

    s        of the steps alone, without set-up and without recording"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import builds

sys.path.insert(0, str(builds.ROOT / "tests/peer"))
import diffusion  # noqa: E402
import neuron_mods  # noqa: E402
from parity import Run  # noqa: E402
from twin import Cell  # noqa: E402

D = 0.6


def in_neuron(h, run, cells):
    built = [diffusion.build(h, Cell(diffusion.regions(), diffusion.BRANCHES), D) for _ in range(cells)]
    h.dt, h.celsius = run.dt, run.temperature
    h.finitialize(run.v_init)
    began = time.monotonic()
    for _ in range(run.steps):
        h.fadvance()
    taken = time.monotonic() - began
    del built
    return taken


def in_hillock(program, run, cells, folder):
    model = diffusion.model(Cell(diffusion.regions(), diffusion.BRANCHES), run, D)
    model["populations"]["p"]["size"] = cells
    model["record"] = []
    path = folder / "model.yaml"
    path.write_text(json.dumps(model))
    subprocess.run([program, "run", path, "-o", folder / "out", "--force", "--quiet", "--threads", "1", "--backend",
                    "cpu"], check=True)
    return json.loads((folder / "out/run.json").read_text())["timings_s"]["advance"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hillock", default=builds.ROOT / "build/release/hillock")
    parser.add_argument("--cells", type=int, default=200)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    from neuron import h
    run = Run(20.0)
    with tempfile.TemporaryDirectory(prefix="hillock-diffusion-") as scratch:
        folder = pathlib.Path(scratch)
        neuron_mods.load(h, diffusion.FILES, folder / "mods")
        pairs = [(in_hillock(options.hillock, run, options.cells, folder), in_neuron(h, run, options.cells))
                 for _ in range(options.repeat)]
    ours, theirs = (min(column) for column in zip(*pairs))
    print(f"{options.cells} cells, {run.duration:g} ms: Hillock {ours:.3f} s, NEURON {theirs:.3f} s, "
          f"{theirs / ours:.1f} times")


if __name__ == "__main__":
    main()
