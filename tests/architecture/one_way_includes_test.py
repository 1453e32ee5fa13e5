#!/usr/bin/env python3
"""The check of includes must be able to fail: a wrong include in a scratch tree is found."""

import pathlib
import sys
import tempfile

import one_way_includes

with tempfile.TemporaryDirectory() as folder:
    root = pathlib.Path(folder)
    (root / "core").mkdir()
    (root / "solver/cable").mkdir(parents=True)
    (root / "core/bad.hpp").write_text('#include <vector>\n#include "models/network.hpp"\n')
    (root / "solver/bad.cpp").write_text('#include "solver/cable/compartments.hpp"\n')
    (root / "solver/cable/good.cpp").write_text('#include "models/cell.hpp"\n')
    (root / "mechanisms/nmodl/parse").mkdir(parents=True)
    (root / "mechanisms/runtime").mkdir()
    (root / "mechanisms/nmodl/parse/bad.cpp").write_text('#include "mechanisms/nmodl/findings.hpp"\n'
                                                         '#include "mechanisms/nmodl/lower/ir.hpp"\n')
    (root / "mechanisms/runtime/bad.hpp").write_text('#include "mechanisms/nmodl/findings.hpp"\n')
    found = list(one_way_includes.violations(root))
expected = [("core/bad.hpp", 2, "models/network.hpp"),
            ("mechanisms/nmodl/parse/bad.cpp", 2, "mechanisms/nmodl/lower/ir.hpp"),
            ("mechanisms/runtime/bad.hpp", 1, "mechanisms/nmodl/findings.hpp"),
            ("solver/bad.cpp", 1, "solver/cable/compartments.hpp")]
if found != expected:
    sys.exit(f"expected {expected}, found {found}")
print("a wrong include is found")
