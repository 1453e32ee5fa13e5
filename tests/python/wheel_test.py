#!/usr/bin/env python3
"""The wheel that ./dev wheel makes, installed into an environment of its own: the package and the command.

  python3 tests/python/wheel_test.py build/wheel

Exits with 77 where there is no wheel, or no package index to install numpy and h5py from; REQUIRE_PYTHON=1 makes both
a failure.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import zipfile

from wheels import skip, wheel_in

SOURCES = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = """
import sys, numpy, hillock
assert hillock.__file__.startswith(sys.prefix), hillock.__file__
results = hillock.run(hillock.load(sys.argv[1], {"run.duration": "50 ms"}))
assert len(results.spikes["ring"]) > 0
from_library = hillock.load({"hillock": 1, "include": "library:ball_and_stick", "run": {"duration": "1 ms"},
                             "populations": {"a": {"cell": "ball_and_stick", "size": 1}}})
assert "ball_and_stick" in from_library.cells, list(from_library.cells)
lists = hillock.load({"hillock": 1, "run": {"duration": "1 ms"}, "cells": {"p": {"izhikevich": {}}},
                      "populations": {"a": {"cell": "p", "size": 3}},
                      "projections": [{"from": "a", "to": "a", "weight": 1, "delay": "1 ms", "connect":
                                       {"list": {"source": numpy.array([0, 1]), "target": numpy.array([1, 2])}}}]})
assert lists.projections[0].connections()["target"].tolist() == [1, 2]
print(hillock.__version__)
"""


def another_hillock(folder):
    """A wheel of the package on the index that is called so and is not this one, as far as it matters here."""
    name = pathlib.Path(folder) / "hillock-1.0-py3-none-any.whl"
    with zipfile.ZipFile(name, "w") as wheel:
        wheel.writestr("hillock/__init__.py", "whose = 'another'\n")
        wheel.writestr("hillock-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: hillock\nVersion: 1.0\n")
        wheel.writestr("hillock-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr("hillock-1.0.dist-info/RECORD", "hillock/__init__.py,,\nhillock-1.0.dist-info/METADATA,,\n"
                                                       "hillock-1.0.dist-info/WHEEL,,\nhillock-1.0.dist-info/RECORD,,\n")
    return str(name)


def stands_beside_another(folder, ours, env):
    """What docs/install.md says of the two."""
    pip = (f"{folder}/bin/python", "-m", "pip", "-q", "--disable-pip-version-check")
    subprocess.run([*pip, "install", "--no-index", another_hillock(folder)], check=True, env=env)

    def whose():
        return subprocess.run([f"{folder}/bin/python", "-c", "import hillock; print(getattr(hillock, 'whose', 'ours'))"],
                              check=True, env=env, cwd=folder, capture_output=True, text=True).stdout.strip()

    if whose() != "another":
        sys.exit("the import is not that of the package installed last")
    subprocess.run([f"{folder}/bin/hillock", "--version"], check=True, env=env, capture_output=True)
    subprocess.run([*pip, "uninstall", "-y", "hillock"], check=True, env=env)
    subprocess.run([*pip, "install", "--no-index", "--no-deps", "--force-reinstall", ours], check=True, env=env)
    if whose() != "ours":
        sys.exit("installed anew, the import is not ours")


def main():
    wheel = wheel_in(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="hillock wheel ") as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        python = f"{folder}/bin/python"
        done = subprocess.run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", str(wheel)],
                              capture_output=True, text=True)
        if done.returncode != 0:
            skip(f"the wheel cannot be installed: {done.stderr}")
        clean = {name: value for name, value in os.environ.items()
                 if name not in ("PYTHONPATH", "HILLOCK_LIBRARY")}
        ring = str(SOURCES / "examples/ring/ring.yaml")
        version = subprocess.run([python, "-c", PROGRAM, ring], env=clean, cwd=folder, check=True,
                                 stdout=subprocess.PIPE, text=True).stdout.strip()
        told = subprocess.run([f"{folder}/bin/hillock", "--version"], env=clean, check=True, capture_output=True,
                              text=True).stdout.strip()
        if version != told.split()[-1]:
            sys.exit(f"the package is {version}, and the command {told}")
        model = pathlib.Path(folder) / "model.yaml"
        model.write_text("hillock: 1\ninclude: library:ball_and_stick\nrun: {duration: 5 ms}\n"
                         "populations: {a: {cell: ball_and_stick, size: 1}}\n")
        subprocess.run([f"{folder}/bin/hillock", "validate", str(model)], env=clean, check=True)
        stands_beside_another(folder, str(wheel), clean)
    print(f"{wheel.name}: the package and the command run")


if __name__ == "__main__":
    main()
