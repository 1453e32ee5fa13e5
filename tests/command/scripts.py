#!/usr/bin/env python3
"""dev and the benchmarks' scripts say what is wrong before they install, build or measure anything."""

import pathlib
import subprocess
import sys

import harness

DEV = harness.ROOT / "dev"
BENCH = harness.ROOT / "bench"


def expect(words, code, *texts):
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=60,
                          cwd=harness.ROOT)
    output = done.stdout + done.stderr
    harness.check(done.returncode == code, f"{words}: exit code {done.returncode}\n{output}")
    for text in texts:
        harness.check(text in output, f"{words}: no '{text}' in\n{output}")
    return 1


def main():
    count = 0
    for words in ([], ["--help"], ["help"]):
        count += expect([DEV, *words], 0, "One door", "./dev run", "./dev build", "./dev test", "./dev check",
                        "./dev bench", "./dev COMMAND", "build/build.log")
    count += expect([DEV, "fly"], 2, "dev: no command 'fly'. Known: run,")
    count += expect([DEV, "run"], 2, "dev: run needs a model")
    count += expect([DEV, "run", "--threads", "2", "no/such.yaml"], 4, "dev: no/such.yaml: no such file")
    count += expect([DEV, "bench"], 2, "bench measures solvers")
    count += expect([DEV, "bench", "cells"], 2, "bench measures solvers")
    count += expect([DEV, "build", "more"], 2, "build takes nothing more")
    count += expect([sys.executable, BENCH / "cpu/compare.py", "--hillock", "no/hillock",
                     "--second-core", "no/loop", "--neuron-python", "no/python", "--arbor-python",
                     "no/arbor", "--out", "no/where.json"], 2, "cannot begin", "no program no/hillock",
                    "no program no/loop", "no/python has no module neuron",
                    "no/arbor has no module arbor", "no/where.json cannot be written")
    with harness.scratch() as folder:
        rows = pathlib.Path(folder) / "rows.json"
        plot = [sys.executable, BENCH / "plot_thomas.py", rows, "--table"]
        count += expect(plot, 2, f"no file {rows}")
        rows.write_text('{"table": "hines"}\n')
        count += expect(plot, 1, "no rows of thomas, thomas-variable")
        rows.write_text('{"table": "thomas"}\n{"tab\n')
        count += expect(plot, 1, "rows.json:2: no row of JSON")
    harness.finish(count, "calls")


if __name__ == "__main__":
    main()
