#!/usr/bin/env python3
"""Question: what do cells of one tree cost that have sizes of their own, beside equal ones and beside a kind each?

A soma and three dendrites of ten compartments in all, with hh everywhere and a calcium channel in the dendrites, all
driven alike. "equal": one population with the first cell's sizes; "own": one population, each cell its own; "kinds": a
kind of cell and a population for each. They take turns; seconds are the whole command's, and those of the steps.

    bench/cpu/own_sizes.py [--cells N] [--ms N] [--times N] [--threads N] [--backend cpu|cuda] [--hillock PROGRAM]
"""

import json
import pathlib
import subprocess
import tempfile
import time

import h5py

import builds
from sized_cells import draw_sizes, write_sizes

REGIONS = {"all": {"cm": "1 uF/cm2", "pas": {"g": "0.0003 S/cm2", "e": "-65 mV"}, "hh": {}}, "dend": {"cal": {}}}


def model(groups, size, ms):
    """groups: {population: group of its cell}"""
    synapse = {"nmda": {}, "at": "dend[1](0.9)"}
    return {"hillock": 1, "run": {"duration": f"{ms} ms", "dt": "0.025 ms"},
            "cells": {name: {"morphology": {"compartments": {"hdf5": "cells.h5", "group": group}}, "regions": REGIONS,
                             "detector": {"at": "soma(0.5)", "threshold": "-20 mV"}} for name, group in groups.items()},
            "populations": {name: {"cell": name, "size": size} for name in groups},
            "stimuli": [{"spikes": {"times": ["2 ms", "20 ms", "50 ms"]}, "to": name, "weight": "20 nS",
                         "synapse": synapse} for name in groups],
            "record": [{"name": f"spikes_{name}", "of": name} for name in groups]}


def run(program, path, options):
    """Seconds of all, seconds of the steps, spikes."""
    out, began = path.with_suffix(".out"), time.time()
    subprocess.run([program, "run", path, "-o", out, "--force", "--quiet", "--threads", str(options.threads),
                    "--backend", options.backend], check=True)
    taken, ran = time.time() - began, json.loads((out / "run.json").read_text())
    return taken, options.ms / ran["biological_ms_per_s"], ran["spikes"]


def main():
    parser = builds.parser_of(__doc__)
    parser.add_argument("--cells", type=int, default=2000)
    parser.add_argument("--ms", type=int, default=200)
    parser.add_argument("--times", type=int, default=2)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--backend", default="cpu")
    options = parser.parse_args()
    program = builds.programs_of(options)[0]
    sizes = draw_sizes(options.cells)
    with tempfile.TemporaryDirectory(prefix="hillock-sizes-") as name:
        folder = pathlib.Path(name)
        with h5py.File(folder / "cells.h5", "w") as file:
            write_sizes(file, "own", sizes)
            for cell in range(options.cells):
                write_sizes(file, f"cell{cell}", {name: rows[cell] for name, rows in sizes.items()})
        models = {"equal": model({"p": "cell0"}, options.cells, options.ms),
                  "own": model({"p": "own"}, options.cells, options.ms),
                  "kinds": model({f"p{cell}_": f"cell{cell}" for cell in range(options.cells)}, 1, options.ms)}
        for way, written in models.items():
            (folder / f"{way}.yaml").write_text(json.dumps(written))
        for _ in range(options.times):
            for way in models:
                taken, steps, spikes = run(program, folder / f"{way}.yaml", options)
                print(f"{way:6} {taken:7.2f} s, steps {steps:7.2f} s, {spikes} spikes", flush=True)


if __name__ == "__main__":
    main()
