#!/usr/bin/env python3
"""What `hillock info` says of memory lies within a tenth of the peak of the run, on models of different kinds: trees
that no two cells share, HH everywhere, many connections, alike and drawn, everything recorded."""

import pathlib
import sys

import harness

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench/cpu"))
import memory  # noqa: E402

NAMES = ["busyring", "ring, HH everywhere", "alike connections", "drawn weights and delays",
         "all compartments recorded"]

every = memory.all_models(part=4)
for name in NAMES:
    with harness.scratch() as folder:
        info, peak = memory.measure(harness.HILLOCK, pathlib.Path(folder), *every[name], threads=1)
    ratio = info["memory_bytes"] / peak
    harness.check(0.9 < ratio < 1.1, f"{name}: info says {info['memory_bytes'] / 1e6:.1f} MB, the run took "
                                     f"{peak / 1e6:.1f} MB")
harness.finish(len(NAMES), "models")
