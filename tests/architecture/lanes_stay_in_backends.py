#!/usr/bin/env python3
"""Fails when a file of simulator/ outside the engines speaks of lanes: how cells lie in memory is a backend's business."""

import pathlib
import re
import sys

from simulator_lines import lines_outside

LANES = re.compile(r"(?<!p)lane", re.IGNORECASE)  # not a plane
ENGINES = ("simulator/backends/cpu/", "simulator/backends/device/", "simulator/backends/cuda/",
           "simulator/backends/host/", "simulator/backends/taped/")


def violations(root):
    """Yields (file, line, text) for each line that speaks of lanes."""
    for name, number, line in lines_outside(root, lambda name: name.startswith(ENGINES)):
        if LANES.search(line):
            yield name, number, line.strip()


def main():
    root = pathlib.Path(sys.argv[1])
    if not (root / "simulator/backends/cpu/layout/group_layout.hpp").exists():
        sys.exit(f"no simulator room below {root}: wrong folder?")
    found = list(violations(root))
    for name, line, text in found:
        print(f"{name}:{line}: {text}")
    print(f"{len(found)} lines outside backends/ speak of lanes")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
