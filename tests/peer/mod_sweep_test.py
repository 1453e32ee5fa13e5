#!/usr/bin/python3
"""What mod_sweep.py says of files that are good, wrong, not finite, in C, and there twice."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

from parity import REPOSITORY

FILES = {
    "density.mod": "NEURON { SUFFIX density NONSPECIFIC_CURRENT i RANGE w }\nPARAMETER { w[2] }\nASSIGNED { v i }\n"
                   "STATE { m }\nINITIAL { m = 1 }\nBREAKPOINT { SOLVE d METHOD cnexp\n i = 1e-6*m*v }\n"
                   "DERIVATIVE d { m' = -m }\n",
    "twin.mod": None,  # density.mod once more
    "synapse.mod": "NEURON { POINT_PROCESS synapse NONSPECIFIC_CURRENT i }\nASSIGNED { v i }\nSTATE { g }\n"
                   "BREAKPOINT { i = 1e-3*g*v }\nNET_RECEIVE(w (uS)) { g = g + w }\n",
    "needle.mod": "NEURON { POINT_PROCESS needle ELECTRODE_CURRENT i POINTER p, q }\nPARAMETER { p (mV) q }\n"
                  "ASSIGNED { i }\nBREAKPOINT { i = 1e-6*p  q = 0.5 }\n",
    "junction.mod": "NEURON { POINT_PROCESS junction NONSPECIFIC_CURRENT i RANGE vgap }\nASSIGNED { v vgap i }\n"
                    "BREAKPOINT { i = 1e-6*(v - vgap) }\n",
    "cell.mod": "NEURON { ARTIFICIAL_CELL cell RANGE n }\nASSIGNED { n }\nNET_RECEIVE(w) { n = n + w }\n",
    "table.mod": "NEURON { SUFFIX table RANGE x }\nASSIGNED { v x }\nINITIAL { x = 2/given(v) }\n"
                 "FUNCTION_TABLE given(v)\n",
    "nothing.mod": "NEURON { SUFFIX nothing }\nFUNCTION f(x) { f = x }\n",
    "pool.mod": "NEURON { SUFFIX pool USEION ca READ cai WRITE cai }\nSTATE { cai }\nINITIAL {\nVERBATIM\n"
                "  cai = _ion_cai;\nENDVERBATIM\n}\n",
    "hidden.mod": 'NEURON { SUFFIX hidden }\nINCLUDE "theirs.inc"\n',
    "theirs.inc": "INITIAL {\nVERBATIM\n  exit(1);\nENDVERBATIM\n}\n",
    "translated.mod": "NEURON { SUFFIX translated RANGE x }\nASSIGNED { x }\nINITIAL {\nVERBATIM\n  x = sqrt(2.0);\n"
                      "ENDVERBATIM\n}\n",
    "commented.mod": "NEURON { SUFFIX commented }\n: VERBATIM exit(1); ENDVERBATIM\nCOMMENT\nVERBATIM\nexit(1);\n"
                     "ENDVERBATIM\nENDCOMMENT\nVERBATIM\n#include <math.h>\n// exit(1);\nreturn 0;\nENDVERBATIM\n",
    "undeclared.mod": "NEURON { SUFFIX undeclared RANGE x }\nASSIGNED { x }\nINITIAL { x = y }\n",
    "no_number.mod": "NEURON { SUFFIX no_number RANGE x }\nPARAMETER { tau }\nASSIGNED { x }\n"
                     "INITIAL { x = 1/tau }\n",
    "at_a_point.mod": "NEURON { SUFFIX at_a_point RANGE x }\nASSIGNED { celsius x }\nBREAKPOINT { rates(celsius) }\n"
                      "PROCEDURE rates(c) {\n TABLE x FROM 0 TO 10 WITH 7\n x = 1/(c - 6.3)\n}\n",
    "._density.mod": "what macOS leaves",
}
EXPECTED = {
    "density.mod": "ok", "twin.mod": "ok", "synapse.mod": "ok", "needle.mod": "ok", "junction.mod": "ok",
    "cell.mod": "ok", "table.mod": "ok", "nothing.mod": "functions", "pool.mod": "ok", "hidden.mod": "refused",
    "translated.mod": "ok",
    "commented.mod": "ok", "undeclared.mod": "refused", "no_number.mod": "not finite", "at_a_point.mod": "not finite",
}
WHY = {"undeclared.mod": "'y' is declared nowhere", "no_number.mod": "no_number_x", "at_a_point.mod": "use_tables"}


def sweep(folder, limit, limit_c):
    outcome = folder.parent / "outcome.json"
    done = subprocess.run([sys.executable, REPOSITORY / "tests/peer/mod_sweep.py", folder, "--json", outcome,
                           "--table", folder.parent / "table.md", "--limit", str(limit), "--limit-c", str(limit_c)],
                          capture_output=True, text=True, env=dict(os.environ, HILLOCK_ISA="baseline"))
    rows = json.loads(outcome.read_text())
    return done, {pathlib.Path(row["file"]).name: row for row in rows}


def main():
    with tempfile.TemporaryDirectory(prefix="hillock-sweep-") as scratch:
        folder = pathlib.Path(scratch) / "owner" / "models"
        folder.mkdir(parents=True)
        for name, text in FILES.items():
            (folder / name).write_text(text or FILES["density.mod"])
        done, rows = sweep(folder, 50, 50)
        wrong = [f"{name}: {rows.get(name)}, expected {outcome}" for name, outcome in EXPECTED.items()
                 if name not in rows or rows[name]["outcome"] != outcome or WHY.get(name, "") not in rows[name]["why"]]
        wrong += [f"{name} was tried" for name in rows if name not in EXPECTED]
        if any(line not in done.stdout.splitlines() for line in (
                "15 .mod files in 1 folders, 14 of them different",
                "without C code: good 9 of 12 (75.0 %); functions 1, not finite 2, ok 8, refused 1",
                "with C code: good 1 of 2 (50.0 %); ok 1, refused 1")):
            wrong.append(f"counted {done.stdout}")
        if "| owner/models |  | 15 | 13 | 10 | 2 | 1 |" not in (pathlib.Path(scratch) / "owner/table.md").read_text():
            wrong.append("the table is another one")
        if done.returncode or any(sweep(folder, *limits)[0].returncode != 1 for limits in ((95, 50), (50, 95))):
            wrong.append("the limit does not decide")
    print("\n".join(wrong) or f"ok: {len(EXPECTED)} files")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
