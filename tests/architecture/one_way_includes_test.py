#!/usr/bin/env python3
"""The check of includes must be able to fail: a wrong include in a scratch tree is found."""

import pathlib
import sys
import tempfile

import one_way_includes

FILES = {
    "core/bad.hpp": '#include <vector>\n#include "models/network.hpp"\n',
    "core/units/bad.cpp": '#include "core/ids.hpp"\n#include "core/text/utf8.hpp"\n',
    "solver/bad.cpp": '#include "solver/cable/compartments.hpp"\n',
    "solver/batch.hpp": '#include "core/errors/errors.hpp"\n',
    "solver/cable/good.cpp": '#include "models/cell.hpp"\n#include "solver/batch.hpp"\n',
    "solver/batches/thomas/good.cu": '#include "solver/batches/thomas/x.hpp"\n#include "solver/cuda/memory.cuh"\n',
    "solver/batches/stone/bad.hpp": '#include "solver/batches/hines_batch/elimination.hpp"\n',
    "solver/choice/bad.cpp": '#include "solver/batches/thomas/choice.hpp"\n',
    "solver/contraction/bad.cu": '#include "models/cell.hpp"\n',
    "solver/gauss/new.cpp": "",
    "simulator/command/bad.cpp": '#include "simulator/backends/cpu/group.hpp"\n',
    "simulator/loop/simulation.cpp": '#include "simulator/backends/cpu/group.hpp"\n'
                                '#include "io/sonata/sonata.hpp"\n',
    "simulator/command/good.cpp": '#include "io/sonata/sonata.hpp"\n',
    "simulator/backends/cpu/bad.cpp": '#include "simulator/command/terminal/report.hpp"\n',
    "mechanisms/nmodl/bad.cpp": '#include "mechanisms/load/loader.hpp"\n',
    "mechanisms/nmodl/parse/bad.cpp": '#include "mechanisms/nmodl/findings/findings.hpp"\n'
                                      '#include "mechanisms/nmodl/lower/ir.hpp"\n',
    "mechanisms/runtime/bad.hpp": '#include "mechanisms/nmodl/findings/findings.hpp"\n',
    "mechanisms/isa/good.cpp": '#include "mechanisms/emitted/all.hpp"\n',
    "io/bad.cpp": '#include "io/column_reader/confinement.hpp"\n',
    "io/yaml/bad.cpp": '#include "io/encoding.hpp"\n#include "io/model/values/slot.hpp"\n',
    "io/model/good.cpp": '#include "io/columns/csv.hpp"\n#include "io/yaml/item.hpp"\n',
    "io/model/cells/bad.cpp": '#include "io/model/values/slot.hpp"\n#include "io/model/network/read_nodes.hpp"\n',
    "io/run/bad.hpp": '#include "io/sonata/sonata.hpp"\n#include "io/model/values/slot.hpp"\n',
}
EXPECTED = [
    ("core/bad.hpp", 2, "models/network.hpp"),
    ("core/units/bad.cpp", 1, "core/ids.hpp"),
    ("core/units/bad.cpp", 2, "core/text/utf8.hpp"),
    ("io/bad.cpp", 1, "io/column_reader/confinement.hpp"),
    ("io/model/cells/bad.cpp", 2, "io/model/network/read_nodes.hpp"),
    ("io/run/bad.hpp", 2, "io/model/values/slot.hpp"),
    ("io/yaml/bad.cpp", 2, "io/model/values/slot.hpp"),
    ("mechanisms/nmodl/bad.cpp", 1, "mechanisms/load/loader.hpp"),
    ("mechanisms/nmodl/parse/bad.cpp", 2, "mechanisms/nmodl/lower/ir.hpp"),
    ("mechanisms/runtime/bad.hpp", 1, "mechanisms/nmodl/findings/findings.hpp"),
    ("solver/bad.cpp", 1, "solver/cable/compartments.hpp"),
    ("solver/batches/stone/bad.hpp", 1, "solver/batches/hines_batch/elimination.hpp"),
    ("solver/choice/bad.cpp", 1, "solver/batches/thomas/choice.hpp"),
    ("solver/contraction/bad.cu", 1, "models/cell.hpp"),
    ("solver/gauss/new.cpp", 0, "a folder that the table does not know"),
    ("simulator/backends/cpu/bad.cpp", 1, "simulator/command/terminal/report.hpp"),
    ("simulator/command/bad.cpp", 1, "simulator/backends/cpu/group.hpp"),
    ("simulator/loop/simulation.cpp", 2, "io/sonata/sonata.hpp"),
]

with tempfile.TemporaryDirectory() as folder:
    root = pathlib.Path(folder)
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    found = list(one_way_includes.violations(root))
if found != EXPECTED:
    sys.exit(f"expected {EXPECTED}, found {found}")
if list(one_way_includes.circles({"a": set()}, {"a": {".": {"x"}, "x": {"y"}, "y": {"."}}})) == []:
    sys.exit("a circle of folders is not found")
print("every wrong include is found, and no other")
