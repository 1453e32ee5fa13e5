#!/usr/bin/env python3
"""The firing rates of examples/sweep: a row a variant, a column a step of current.

    examples/sweep/rates.py examples/sweep/sweep.out
"""

import pathlib
import sys

import h5py
import numpy

STEPS, BEGIN_MS, END_MS = 13, 50, 250


def rates(folder):
    """[variant, step] Hz."""
    with h5py.File(pathlib.Path(folder) / "soma_v.h5") as report:
        cells = len(report["report/sweep/mapping/node_ids"])
    with h5py.File(pathlib.Path(folder) / "spikes.h5") as spikes:
        ids, times = spikes["spikes/sweep/node_ids"][()], spikes["spikes/sweep/timestamps"][()]
    during = ids[(times >= BEGIN_MS) & (times < END_MS)]
    counts = numpy.bincount(during.astype(int), minlength=cells)
    return counts.reshape(-1, STEPS) * 1000 / (END_MS - BEGIN_MS)


if __name__ == "__main__":
    table = rates(sys.argv[1] if len(sys.argv) > 1 else "sweep.out")
    print("variant", *(f"{-0.05 + 0.025 * step:7.3f}" for step in range(STEPS)), "nA")
    for variant, row in enumerate(table):
        print(f"{variant:7d}", *(f"{rate:7.0f}" for rate in row), "Hz")
