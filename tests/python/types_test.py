#!/usr/bin/env python3
"""The package is typed: mypy finds nothing wrong in it, and knows what its functions give.

  python3 tests/python/types_test.py build/release/python
"""

import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAM = """
import hillock
model: hillock.Model = hillock.load("a.yaml", {"run.duration": "1 ms"})
results: hillock.Results = hillock.run(model, threads=1)
reveal_type(results["v"].data)
from hillock import plot
plot.raster(results, ["a"], t=(0, 10)).figure.savefig("a.pdf")
plot.traces(results["v"], cells=[1, 2])
plot.raster(results, t=5)  # wrong
plot.morphology(results)  # wrong
reveal_type(hillock.sweep(model, {"a": [1]}).spike_counts("p"))
hillock.run(3)  # wrong
hillock.Simulation(model).advance("x")  # wrong
"""


def mypy(package, *words):
    return subprocess.run([sys.executable, "-m", "mypy", "--ignore-missing-imports", "--no-error-summary", *words],
                          env={**os.environ, "MYPYPATH": package}, capture_output=True, text=True).stdout


def main():
    package = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        if found := mypy(package, "-p", "hillock"):
            sys.exit(found)
        pathlib.Path("program.py").write_text(PROGRAM)
        found = mypy(package, "program.py").splitlines()
    lines = PROGRAM.splitlines()
    wrong = [number for number, line in enumerate(lines, 1) if "# wrong" in line]
    told = sorted({int(line.split(":")[1]) for line in found if ": error:" in line})
    if told != wrong:
        sys.exit(f"errors in lines {told}, not {wrong}:\n" + "\n".join(found))
    arrays = [line for line in found if "Revealed type" in line and "numpy" in line and "ndarray" in line]
    if len(arrays) != 2:
        sys.exit("no arrays:\n" + "\n".join(found))
    print("the package is typed")


if __name__ == "__main__":
    main()
