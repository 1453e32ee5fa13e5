#!/usr/bin/env python3
"""Fails when a file outside the folders that name CUDA includes one of its headers, itself or through others: what a
machine without the CUDA Toolkit compiles, and what another device would run on."""

import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]')
OF_TOOLKIT = re.compile(r"^(cuda|nvrtc|nvJitLink|cub/|thrust/|cooperative_groups|driver_types)")
OF_CUDA = ("simulator/backends/cuda/", "solver/cuda/", "solver/device/cuda/", "solver/batches/")
ROOMS = ("core", "models", "io", "mechanisms", "solver", "network", "simulator")


def header_of_toolkit(root, name, seen):
    """The header of the toolkit that a file comes to, or None."""
    if name in seen:
        return None
    seen.add(name)
    path = root / name
    if not path.exists():  # made by the build
        return None
    for line in path.read_text().splitlines():
        found = INCLUDE.match(line)
        if not found:
            continue
        if found.group(1) == "<":
            if OF_TOOLKIT.match(found.group(2)):
                return f"{found.group(2)} in {name}"
        elif header := header_of_toolkit(root, found.group(2), seen):
            return header
    return None


def main():
    root = pathlib.Path(sys.argv[1])
    names = [path.relative_to(root).as_posix() for room in ROOMS for suffix in ("*.cpp", "*.hpp")
             for path in sorted((root / room).rglob(suffix))]
    names = [name for name in names if not name.startswith(OF_CUDA)]
    wrong = [(name, header) for name in names if (header := header_of_toolkit(root, name, set()))]
    for name, header in wrong:
        print(f"{name}: includes {header}, and is in no folder that names CUDA")
    print(f"{len(names)} files outside the folders that name CUDA, {len(wrong)} of them include a header of it")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
