#!/usr/bin/env python3
"""The build's NMODL compiler leaves a header that says the same as it is, so that a change of the compiler that
changes no evaluator compiles no mechanism anew; one that says something else it writes."""

import os
import pathlib
import subprocess

import harness

COMPILER = os.environ["HILLOCK_NMODL"]
LONG_AGO = 10**9


def emit(mod, header):
    done = subprocess.run([COMPILER, mod, "Leak", header], capture_output=True, text=True, timeout=60)
    harness.check(done.returncode == 0, done.stderr)
    return header.stat().st_mtime


def main():
    mod = (harness.ROOT / "mechanisms/catalogue/pas.mod").read_text()
    with harness.scratch() as folder:
        folder = pathlib.Path(folder)
        file, header = folder / "leak.mod", folder / "leak.hpp"
        file.write_text(mod)
        emit(file, header)
        text = header.read_text()
        os.utime(header, (LONG_AGO, LONG_AGO))
        harness.check(emit(file, header) == LONG_AGO, "the same header was written again")
        file.write_text(mod.replace("-70", "-71"))
        harness.check(emit(file, header) != LONG_AGO and header.read_text() != text, "another header was not written")
        file.write_text(mod)
        for damaged in (text[:-2], text + "\n"):
            header.write_text(damaged)
            emit(file, header)
            harness.check(header.read_text() == text, "a damaged header stayed")
    harness.finish(4, "headers")


if __name__ == "__main__":
    main()
