#!/usr/bin/env python3
"""dev and the benchmarks' scripts say what is wrong before they install, build or measure anything; comparisons
with peers that are missing are skipped, or fail where these are required."""

import pathlib
import subprocess
import sys

import harness

DEV = harness.ROOT / "dev"
BENCH = harness.ROOT / "bench"
PEERS = harness.ROOT / "tests/peer"


def expect(words, code, *texts, **environment):
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=60,
                          cwd=harness.ROOT, env=harness.environment(**environment))
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
    count += expect([DEV, "check", "all-of-it"], 2, "dev: check has no part 'all-of-it'. Known: format, tidy, sanitizers")
    count += expect([DEV, "check", "tidy", "nowhere"], 2, "dev: there is no room 'nowhere'. Known: core, io,")
    count += expect([DEV, "check", "sanitizers", "models"], 2, "dev: models has no tests of its own")
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
    count += expect([sys.executable, BENCH / "cpu/sweep.py", "--hillock", "no/hillock", "--neuron-python", "no/python",
                     "--out", "no/where.json"], 2, "cannot begin", "no program no/hillock",
                    "no/python has no module neuron", "no/nowhere/data/morphologies/pyramidal.swc",
                    "no/where.json cannot be written", HILLOCK_SHARED="no/nowhere")
    with harness.scratch() as folder:
        rows = pathlib.Path(folder) / "rows.json"
        plot = [sys.executable, BENCH / "plot_thomas.py", rows, "--table"]
        count += expect(plot, 2, f"no file {rows}")
        rows.write_text('{"table": "hines"}\n')
        count += expect(plot, 1, "no rows of thomas, thomas-variable")
        rows.write_text('{"table": "thomas"}\n{"tab\n')
        count += expect(plot, 1, "rows.json:2: no row of JSON")
    # -S: without the folders that modules are installed in, so without any peer.
    for script in ("single_cells", "order", "mechanism_order"):
        peer = [sys.executable, "-S", PEERS / f"{script}.py"]
        count += expect(peer, 77, REQUIRE_PEERS="0")
        count += expect(peer, 1, REQUIRE_PEERS="1")
    readers = [sys.executable, "-S", PEERS / "sonata_readers.py"]
    count += expect(readers, 77, "libsonata", REQUIRE_PEERS="1")
    count += expect(readers, 1, "libsonata", REQUIRE_PEERS="all")
    harness.finish(count, "calls")


if __name__ == "__main__":
    main()
