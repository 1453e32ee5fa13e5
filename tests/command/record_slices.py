#!/usr/bin/env python3
"""A record of many slices, in any order, is the report of the whole: node for node and number for number, of cells that
have one shape and of random trees."""

import json
import pathlib

import harness

harness.need("h5py", "numpy")
import h5py  # noqa: E402
import numpy as np  # noqa: E402

SIZE = 240
CELLS = {
    "stick": {"morphology": {"branches": [{"name": "soma", "length": "20 um", "diameter": "20 um"}]},
              "regions": {"all": {"pas": {"e": "-60 mV + 1 mV * r"}}}},
    "tree": {"morphology": {"random_tree": {"depth": 3}}, "regions": {"all": {"pas": {"e": "-60 mV + 1 mV * r"}}}}}


def record(name, of):
    return {"name": name, "of": of, "variable": "v", "at": "all", "type": "float64"}


def model():
    """Every second cell of one population and all of another, cell by cell; and the wholes."""
    odd = [f"sticks[{i}:{i + 1}]" for i in range(1, SIZE, 2)]
    trees = [f"trees[{i}:{i + 1}]" for i in range(SIZE)]
    mixed = trees[::3] + trees[2::3] + trees[1::3]
    return {"hillock": 1, "run": {"duration": "5 ms"}, "cells": CELLS,
            "populations": {f"{name}s": {"cell": name, "size": SIZE} for name in CELLS},
            "record": [record("odd", odd[::-1]), record("sticks", "sticks"), record("parts", mixed),
                       record("trees", "trees")]}


def content(folder, name, population):
    with h5py.File(folder / f"{name}.h5") as file:
        group = file[f"report/{population}"]
        mapping = group["mapping"]
        return {"data": group["data"][:], "nodes": mapping["node_ids"][:], "pointers": mapping["index_pointers"][:],
                "ids": mapping["element_ids"][:], "positions": mapping["element_pos"][:]}


def main():
    count = 0
    with harness.scratch() as folder:
        folder = pathlib.Path(folder)
        (folder / "m.yaml").write_text(json.dumps(model()))
        for threads in ("1", "3"):
            out = folder / f"out{threads}"
            done = harness.run("run", folder / "m.yaml", "-o", out, "--quiet", "--threads", threads)
            harness.check(done.returncode == 0, done.stderr)
            whole, parts = content(out, "trees", "trees"), content(out, "parts", "trees")
            for name, numbers in whole.items():
                harness.check(np.array_equal(numbers, parts[name]), f"{name} of the trees, {threads} threads")
                count += 1
            sticks, odd = content(out, "sticks", "sticks"), content(out, "odd", "sticks")
            harness.check(odd["nodes"].tolist() == list(range(1, SIZE, 2)), f"nodes: {odd['nodes']}")
            harness.check(np.array_equal(odd["data"], sticks["data"][:, 1::2]) and np.ptp(odd["data"][-1]) > 0.1,
                          "every second cell has other numbers")
            count += 2
    harness.finish(count, "things compared")


if __name__ == "__main__":
    main()
