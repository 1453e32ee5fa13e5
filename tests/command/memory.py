#!/usr/bin/env python3
"""The peak of a run is no more than what `hillock info` and `hillock info --ranks 1` say of memory, and, had it read all of
the program's code, nine tenths of it or more, on models of different kinds: trees that no two cells share, HH everywhere, many connections, alike, drawn or by
source, everything recorded, point neurons, of which some spike millions of times. Ranks together have what one has."""

import json
import os
import pathlib
import subprocess
import sys

import harness

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench/cpu"))
import memory  # noqa: E402

NAMES = ["busyring", "ring, HH everywhere", "alike connections", "drawn weights and delays",
         "connections by source", "all compartments recorded", "means of potentials", "potentials by cell",
         "point neurons, alike", "point neurons, drawn", "point neurons, by source", "point neurons, long delays",
         "point neurons, 1e7 spikes"]


def check_bounds(name, who, said, peak):
    harness.check(0.9 * said <= peak.with_all_code and peak.bytes <= said,
                  f"{name}: {who} says {said / 1e6:.1f} MB, the run took {peak.bytes / 1e6:.1f} MB "
                  f"({peak.with_all_code / 1e6:.1f} MB with all code)")


def of_ranks(number, path):
    here = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(here)[:1])  # a thread, as the run had
    try:
        done = subprocess.run([harness.HILLOCK, "info", "--json", "--ranks", str(number), path], capture_output=True,
                              check=True)
        return json.loads(done.stdout)
    finally:
        os.sched_setaffinity(0, here)


def check_ranks(name, path, info, peak):
    """--ranks 1 says what a run takes; cells, compartments and synapses of three ranks are those of one."""
    one, three = of_ranks(1, path), of_ranks(3, path)
    check_bounds(name, "--ranks 1", one["memory_bytes"], peak)
    for what, tolerance in (("cells", 0), ("compartments", 0.01), ("synapses", 0.01)):
        together = sum(rank[what] for rank in three["ranks"])
        harness.check(abs(together - info[what]) <= tolerance * info[what], f"{name}: {what} of ranks: {together}")
    if one["memory_bytes"] > 50e6:  # else MPI takes more than two thirds of the network
        harness.check(three["most_memory_bytes"] < one["memory_bytes"], f"{name}: a third takes less than all")


every = memory.all_models(part=4)
for name in NAMES:
    with harness.scratch() as folder:
        info, peak = memory.measure(harness.HILLOCK, pathlib.Path(folder), *every[name], threads=1)
        check_ranks(name, pathlib.Path(folder) / "model.json", info, peak)
    check_bounds(name, "info", info["memory_bytes"], peak)
harness.finish(len(NAMES), "models")
