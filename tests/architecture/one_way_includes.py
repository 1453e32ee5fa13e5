#!/usr/bin/env python3
"""Fails when a file of one room includes a room that it may not (docs/ARCHITECTURE.md)."""

import pathlib
import re
import sys

MAY_INCLUDE = {
    "core": set(),
    "models": {"core"},
    "io": {"core", "models"},
    "mechanisms": {"core"},
    "solver": {"core", "models"},
    "network": {"core", "models"},
    "simulator": {"core", "models", "io", "mechanisms", "solver", "network"},
    "bench": {"core", "models", "solver"},
}
# Within the NMODL compiler, one phase hands over to the next; those who call it use its doors.
NMODL = "mechanisms/nmodl/"
PHASES = {
    "parse": set(),
    "analyse": {"parse"},
    "lower": {"parse", "analyse"},
    "optimise": {"lower"},
    "emit": {"lower"},
}
# What a mechanism is compiled with, far from the compiler that emitted it.
RUN_TIME = re.compile(r"^mechanisms/runtime/")
# Within the solver room, the linear algebra knows no neuron.
CORE_ONLY = re.compile(r"^solver/[^/]+$")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')
SUFFIXES = {".hpp", ".cpp", ".h", ".cu", ".cuh"}


def points_back_in_nmodl(name, include):
    """Whether a phase includes a later one, or a mechanism's run-time header the compiler."""
    if not include.startswith(NMODL):
        return False
    phase = name.removeprefix(NMODL).split("/")[0]
    other = include.removeprefix(NMODL).split("/")[0]
    if name.startswith(NMODL) and phase in PHASES and other in PHASES:
        return other not in PHASES[phase] | {phase}
    return bool(RUN_TIME.match(name))


def violations(root, rooms=MAY_INCLUDE):
    """Yields (file, line, text) for each include that points the wrong way."""
    for room, allowed in rooms.items():
        for path in sorted((root / room).rglob("*")):
            if path.suffix not in SUFFIXES:
                continue
            name = path.relative_to(root).as_posix()
            permitted = allowed | {room}
            if CORE_ONLY.match(name):
                permitted = {"core", "solver"}
            for number, line in enumerate(path.read_text().splitlines(), 1):
                found = INCLUDE.match(line)
                if found and found.group(1).split("/")[0] not in permitted:
                    yield name, number, found.group(1)
                if found and points_back_in_nmodl(name, found.group(1)):
                    yield name, number, found.group(1)
                if found and CORE_ONLY.match(name) and found.group(1).startswith("solver/cable/"):
                    yield name, number, found.group(1)


def main():
    root = pathlib.Path(sys.argv[1])
    files = [p for room in MAY_INCLUDE for p in (root / room).rglob("*") if p.suffix in SUFFIXES]
    if len(files) < 20:
        sys.exit(f"only {len(files)} source files found below {root}: wrong folder?")
    found = list(violations(root))
    for name, line, text in found:
        print(f"{name}:{line}: may not include {text}")
    print(f"{len(files)} files, {len(found)} includes that point back")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
