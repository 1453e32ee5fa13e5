#!/usr/bin/env python3
"""Fails when a file includes a room, or a folder of its own room, that it may not
(docs/ARCHITECTURE.md)."""

import graphlib
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
# What parts of a room may include less of other rooms: the linear algebra knows no neuron, and what
# simulates knows no file; the command joins it to io, with what it shares with Python.
LESS = [(re.compile(r"^solver/(?!cable/|lanes/|potential/)"), {"models"}),
        (re.compile(r"^simulator/(?!command/|session/)"), {"io"})]

# What the folders of a room may include of it, besides themselves; "." is the room's own folder.
# A folder that is not here is not known yet: say what it may include. The families of solvers know
# nothing of one another; whoever chooses among them knows all.
FAMILIES = {f"batches/{family}" for family in ("branch", "contraction", "hines_batch", "stone", "thomas")}


def device(*parts):
    return [f"backends/device/{part}" for part in parts]


def cpu(*parts):
    return [f"backends/cpu/{part}" for part in parts]


def model(*parts):
    return [f"model/{part}" for part in parts]


def plan(*parts):
    return [f"plan/{part}" for part in parts]


def command(*parts):
    return [f"command/{part}" for part in parts]


WITHIN = {
    # Errors are said in texts; draws and expressions are computed in packs.
    "core": {".": set(), "text": set(), "errors": {"text"}, "program": {"errors", "text"}, "units": set(),
             "simd": {"errors"}, "random": {"simd"}, "expressions": {"errors", "random", "simd", "units"},
             "containers": set(), "state": {"containers"}, "mechanism": {"errors", "units"}},
    "solver": {".": set(), "device": set(), "cuda": {".", "device"}, "device/cuda": {"cuda", "device"}, "cable": {"."}, "lanes": {".", "cable"},
               "potential": {"cable"}, "potential/isa": {"potential"},
               "contraction": {"."}, "schedules": {"."},
               "choice": {".", "cuda", "contraction", "schedules"},
               # What solves batches is a target of its own, which no run needs.
               **{family: {".", "cuda", "schedules"} for family in FAMILIES},
               "batches/contraction": {".", "cuda", "contraction"},
               "batches/thomas": {".", "cuda", "choice"},
               "batches": {".", "cuda", "choice", "schedules"} | FAMILIES},
    "simulator": {"threads": set(), "step": set(), "plasticity": set(),
                  # Kinds of cells; a range of cells with all that is on them; the ranges of a network.
                  "plan/cells": {"step"}, "plan/range": {"step", "threads", *plan("cells")},
                  "plan/network": {"step", "threads", *plan("cells", "range")},
                  "backends": set(),
                  # Cells as they begin, in nobody's layout; no engine knows another.
                  "begin": {"backends", "step", *plan("range", "network")},
                  # Groups of lanes: how they lie in memory; what those of cells and of point neurons both have.
                  "backends/cpu/layout": {"begin", *plan("cells", "network")},
                  "backends/cpu/groups": {"backends", "step", "threads", *plan("network"), *cpu("layout")},
                  "backends/cpu/events": {"begin", "step", *cpu("layout")},
                  "backends/cpu/cells": {"backends", "begin", "step", "threads", *plan("range"),
                                         *cpu("layout", "groups", "events")},
                  "backends/cpu/cells/isa": {"step", *cpu("cells")},
                  "backends/cpu/points": {"backends", "plasticity", "step", *plan("range"), *cpu("layout", "groups")},
                  "backends/cpu": {"backends", "begin", "threads", *plan("network"), *cpu("layout", "cells", "points")},
                  # Cells whose steps are kept and gone back over.
                  "backends/taped": {"backends", "begin", "step", "threads", *plan("range", "network")},
                  # The engine on a device names no machine; CUDA and the host are two.
                  "backends/device/kernels": {"plasticity", "step"},
                  "backends/device/memory": {"backends", "begin", "threads", *plan("network")},
                  "backends/device/compiler": set(),
                  "backends/device/delivery": {"backends", "threads", *plan("range", "network"), *device("kernels", "memory")},
                  "backends/device/cells": {"backends", "begin", "step", "threads", *plan("range", "network"),
                                            *device("kernels", "memory", "compiler", "delivery")},
                  "backends/device/points": {"backends", "begin", "plasticity", "threads", *plan("network"),
                                             *device("kernels", "memory", "compiler", "delivery")},
                  "backends/device": {"backends", *plan("range", "network"), *device("compiler", "memory", "cells", "points")},
                  # Cells there whose steps are gone back over.
                  "backends/device/taped": {"backends", "backends/taped", "begin", "step", "threads", *plan("network"),
                                            *device("kernels", "memory", "compiler")},
                  "backends/none": {"backends/device", "backends/device/taped"},
                  "backends/cuda": set(device("kernels", "compiler", "delivery", "points")),
                  "backends/host": set(device("kernels", "compiler", "delivery", "points")),
                  # What a run makes on its way out; what ranks of a run do together; the loop.
                  "output": {"threads", *plan("network")},
                  "ranks": {"backends", "backends/cpu", "output", "threads", *plan("range", "network")},
                  "loop": {"backends", "backends/cpu", "backends/device", "backends/device/taped", "backends/taped", "output", "ranks", "threads",
                           *plan("cells", "network")},
                  "session": {"backends", "backends/taped", "loop", "output", "threads", *plan("network")},
                  # Subcommands know nothing of one another; what joins them to a command line knows all.
                  "command/completion": set(),
                  "command/terminal": {"session", "threads"},
                  "command/process": {"ranks", "session", "threads", *command("terminal")},
                  "command/info": {"backends", "loop", "ranks", "session", "threads", *command("process", "terminal")},
                  "command/page": {"session", *command("process", "terminal")},
                  "command/run": {"loop", "ranks", "session", "threads", *command("process", "terminal")},
                  "command": {"session", *command("completion", "terminal", "process", "info", "page", "run")}},
    # What reads a model and what writes a run know nothing of one another.
    "io": {".": set(), "hdf5": set(), "json": set(), "columns": {"."}, "column_reader": {"columns", "hdf5"},
           "yaml": {"."}, "morphology": set(), "swc": {"morphology"}, "asc": {"morphology"},
           # What all readers of a model share; how a value or a place is read; the sections of a model.
           "model/context": {"columns", "yaml"},
           "model/values": {"yaml", *model("context")},
           "model/mechanisms": {"columns", *model("context", "values")},
           "model/cells": {"morphology", "swc", "asc", *model("context", "values", "mechanisms")},
           "model/network": {"columns", *model("context", "values", "mechanisms")},
           "model/protocol": set(model("context", "values", "mechanisms")),
           "model": {"columns", "yaml", *model("context", "values")},
           # A circuit becomes a model's text; of what reads models it has the question for mechanisms,
           # which sections a shape has, and the reader of fits.
           "circuit": {".", "yaml", "columns", "model/context", "swc"},
           "sonata": {"hdf5"}, "run": {"json", "sonata"},
           # A page of a run is made of its files alone.
           "page": {"json"}, "recorded": {"columns", "json", "page"}},
    # The NMODL compiler's phases hand over one to the next; what a mechanism calls when it runs
    # knows no compiler.
    "mechanisms": {".": {"emitted", "runtime"}, "runtime": set(), "isa": {".", "emitted"},
                   "mixed": {".", "emitted"},
                   "catalogue": set(), "draws": {"runtime"}, "load": {".", "nmodl", "nmodl/emit"},
                   "nmodl": {"nmodl/parse", "nmodl/analyse", "nmodl/lower", "nmodl/optimise"},
                   "nmodl/findings": set(), "nmodl/parse": {"nmodl/findings"},
                   "nmodl/analyse": {"nmodl/findings", "nmodl/parse"},
                   "nmodl/lower": {"runtime", "nmodl/findings", "nmodl/parse", "nmodl/analyse"},
                   "nmodl/optimise": {"nmodl/lower"},
                   "nmodl/emit": {"runtime", "nmodl/lower"},
                   "nmodl/generator": {"nmodl", "nmodl/emit"}},
}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')
SUFFIXES = {".hpp", ".cpp", ".h", ".cu", ".cuh"}


def folder_of(path, known):
    """The folder of a room that a path belongs to, as the table names it, or None."""
    parts = path.split("/")[1:-1]
    if not parts:
        return "."
    for deep in range(len(parts), 0, -1):
        if (name := "/".join(parts[:deep])) in known:
            return name
    return None


def violations(root, rooms=MAY_INCLUDE, within=WITHIN):
    """Yields (file, line, text) for each include that points the wrong way, and line 0 for a file
    whose folder the table does not know."""
    for room, allowed in rooms.items():
        for path in sorted((root / room).rglob("*")):
            if path.suffix not in SUFFIXES:
                continue
            name = path.relative_to(root).as_posix()
            permitted = (allowed | {room}).difference(*(to for of, to in LESS if of.match(name)))
            known = within.get(room, {})
            folder = folder_of(name, known)
            if known and folder is None:
                yield name, 0, "a folder that the table does not know"
                continue
            for number, line in enumerate(path.read_text().splitlines(), 1):
                found = INCLUDE.match(line)
                if not found:
                    continue
                to = found.group(1)
                if to.split("/")[0] not in permitted:
                    yield name, number, to
                elif known and to.startswith(room + "/"):
                    target = folder_of(to, set(known).union(*known.values()))
                    if target != folder and target not in known[folder]:
                        yield name, number, to


def circles(rooms=MAY_INCLUDE, within=WITHIN):
    """Yields what the tables allow to come back to where it began, as a list of folders."""
    for room, table in {"": rooms, **within}.items():
        try:
            graphlib.TopologicalSorter(table).prepare()
        except graphlib.CycleError as circle:
            yield [f"{room}/{folder}".strip("/") for folder in circle.args[1]]


def main():
    root = pathlib.Path(sys.argv[1])
    files = [p for room in MAY_INCLUDE for p in (root / room).rglob("*") if p.suffix in SUFFIXES]
    if len(files) < 20:
        sys.exit(f"only {len(files)} source files found below {root}: wrong folder?")
    found = list(violations(root))
    for name, line, text in found:
        print(f"{name}:{line}: may not include {text}" if line else f"{name}: {text}")
    round_trips = list(circles())
    for circle in round_trips:
        print("may include one another:", " → ".join(circle))
    print(f"{len(files)} files, {len(found)} includes that point the wrong way, {len(round_trips)} circles")
    sys.exit(1 if found or round_trips else 0)


if __name__ == "__main__":
    main()
