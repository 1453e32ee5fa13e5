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
import numpy

import builds

COUNTS = numpy.array([1, 3, 2, 4])
REGIONS = {"all": {"cm": "1 uF/cm2", "pas": {"g": "0.0003 S/cm2", "e": "-65 mV"}, "hh": {}}, "dend": {"cal": {}}}


def draw_sizes(cells):
    """{dataset: [cell] of numbers}"""
    r, count = numpy.random.default_rng(6), COUNTS.sum()
    length = numpy.c_[r.uniform(15, 25, cells), r.uniform(30, 200, (cells, 3))]
    diameter = numpy.c_[r.uniform(15, 25, cells), r.uniform(0.5, 3, (cells, count - 1))]
    area = numpy.pi * diameter * numpy.repeat(length / COUNTS, COUNTS, axis=1)
    return {"branches/length": length, "compartments/diameter": diameter, "compartments/area": area,
            "compartments/resistance": r.uniform(1, 80, (cells, count)),
            "branches/end_resistance": r.uniform(1, 80, (cells, len(COUNTS)))}


def write_sizes(file, group, sizes):
    made = file.create_group(group)
    made["branches/name"] = ["soma", "dend[0]", "dend[1]", "dend[2]"]
    made["branches/parent"], made["branches/at"] = [-1, 0, 1, 0], [1, 1, 0.5, 0]
    made["branches/compartments"] = COUNTS
    for name, numbers in sizes.items():
        made[name] = numbers


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
