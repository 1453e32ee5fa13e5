#!/usr/bin/env python3
"""Fails when a file that is compiled without the CUDA Toolkit includes one of its headers, itself or through others: the
list of what is left out then stands in CMakeLists.txt."""

import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]')
OF_TOOLKIT = re.compile(r"^(cuda|nvrtc|nvJitLink|cub/|thrust/|cooperative_groups|driver_types)")
LEFT_OUT = re.compile(r'list\(FILTER sources EXCLUDE REGEX "(/backends/cuda/[^"]*)"\)')
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
    found = LEFT_OUT.search((root / "CMakeLists.txt").read_text())
    if not found:
        sys.exit("CMakeLists.txt does not say which files of backends/cuda are left out")
    left_out = re.compile(found.group(1).replace("\\\\", "\\"))
    names = [path.relative_to(root).as_posix() for room in ROOMS for path in sorted((root / room).rglob("*.cpp"))]
    out = [name for name in names if left_out.search("/" + name)]
    wrong = [(name, header) for name in names if name not in out
             if (header := header_of_toolkit(root, name, set()))]
    for name, header in wrong:
        print(f"{name}: includes {header}, and is not left out without CUDA (CMakeLists.txt)")
    if len(out) < 15:
        sys.exit(f"only {len(out)} files are left out: wrong expression?")
    print(f"{len(names) - len(out)} files without CUDA, {len(wrong)} of them include a header of it")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
