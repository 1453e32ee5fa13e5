#!/usr/bin/env python3
"""hillock bench solvers on the CPU: the list, tiny tables, rows of JSON, exit codes and messages.
Needs no GPU."""

import json
import pathlib
import re
import shutil
import signal
import subprocess
import time

import harness

TABLES = ["thomas", "thomas-variable", "hines", "hines-variable", "devices", "branch", "stone",
          "contraction", "auto"]
KEYS = {"table", "backend", "variant", "precision", "systems", "us", "error_over_bound", "device",
        "gpus", "cpu", "threads", "commit", "date", "build", "command"}
VARIANTS = {"thomas-variable": {"cpu-serial", "cpu-openmp"}}  # the others have lanes too


def bench(*words, code=0):
    done = harness.run("bench", "solvers", *words)
    harness.check(done.returncode == code,
                  f"{' '.join(map(str, words))}: exit code {done.returncode}, not {code}\n"
                  f"{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def check_rows(table, path):
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    harness.check(len(rows) > 2, f"{table}: {len(rows)} rows")
    for row in rows:
        harness.check(KEYS <= set(row), f"{table}: a row lacks {KEYS - set(row)}")
        harness.check(row["table"] == table, f"{table}: a row of {row['table']}")
        harness.check(row["backend"] == "cpu" and row["us"] > 0, f"{table}: {row}")
        harness.check(0 <= row["error_over_bound"] <= 1, f"{table}: error of {row}")
        harness.check(row["device"] == "no GPU: --backend cpu", row["device"])
        harness.check(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", row["date"]), row["date"])
    expected = VARIANTS.get(table, {"cpu-serial", "cpu-openmp", "cpu-lanes"})
    found = {row["variant"] for row in rows}
    harness.check(found == expected, f"{table}: variants {found}")
    return len(rows)


def main():
    harness.Needs().program(harness.HILLOCK.with_name("hillock-bench"),
                            "ninja hillock-bench in the build folder").check()
    count = 0
    listed = bench("--list")
    for name in TABLES:
        harness.check(re.search(rf"^{name} ", listed, re.M), f"--list: no {name} in\n{listed}")
        count += 1
    with harness.scratch() as folder:
        folder = pathlib.Path(folder)
        for table in TABLES:
            if table in ("devices", "auto"):  # of GPUs alone
                continue
            path = folder / f"{table}.json"
            text = bench("--table", table, "--quick", "--cells", "5", "--backend", "cpu", "--json",
                         path)
            harness.check("the GPU's columns are left out: no GPU: --backend cpu" in text, text)
            harness.check("serial" in text and "OpenMP" in text and "µs" in text, text)
            harness.check("WRONG" not in text, text)
            harness.check("stream" not in text, f"a column of the GPU in\n{text}")
            count += check_rows(table, path)
        text = bench("--table", "devices", "--backend", "cpu")
        harness.check("left out: no GPU" in text, text)
        # Two tables and one precision in one file.
        path = folder / "two.json"
        bench("--table", "hines", "--table", "thomas", "--cells", "3", "--precision", "float",
              "--quick", "--backend", "cpu", "--json", path)
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        harness.check({r["table"] for r in rows} == {"hines", "thomas"}, "two tables")
        harness.check({r["precision"] for r in rows} == {"float"}, "one precision")
        harness.check(all(r["systems"] == 3 for r in rows), "--cells 3")

        text = bench("--table", "fly", code=2)
        harness.check(all(name in text for name in TABLES), f"known tables are not named:\n{text}")
        bench("--cells", "0", code=2)
        bench("--cells", "many", code=2)
        bench("--backend", "fpga", code=2)
        bench("--fly", code=2)
        bench("--table", "stone", "--json", folder / "no" / "where.json", code=4)
        done = harness.run("bench")
        harness.check(done.returncode == 2, f"bench alone: {done.returncode}")
        done = harness.run("bench", "--help")
        harness.check(done.returncode == 0 and "solvers" in done.stdout, done.stdout)
        count += 8

        # Without the program beside it.
        alone = folder / "hillock"
        shutil.copy(harness.HILLOCK, alone)
        done = subprocess.run([alone, "bench", "solvers", "--list"], capture_output=True, text=True)
        harness.check(done.returncode == 2, f"no hillock-bench: exit code {done.returncode}")
        for text in (str(folder / "hillock-bench"), "./dev build", "ninja hillock-bench"):
            harness.check(text in done.stderr, f"no '{text}' in {done.stderr}")

        # Arguments, exit codes and signals pass through.
        stand_in = folder / "hillock-bench"
        stand_in.write_text('#!/bin/sh\necho "$@"\n[ "$3" = wait ] && exec sleep 60\nexit 37\n')
        stand_in.chmod(0o755)
        done = subprocess.run([alone, "bench", "solvers", "--json", "a b", "-x"],
                              capture_output=True, text=True)
        harness.check((done.returncode, done.stdout) == (37, "solvers --json a b -x\n"),
                      f"{done.returncode}: {done.stdout}{done.stderr}")
        for number in (signal.SIGINT, signal.SIGTERM):
            process = subprocess.Popen([alone, "bench", "solvers", "--table", "wait"],
                                       stdout=subprocess.PIPE, text=True)
            process.stdout.readline()  # it has become the other program
            time.sleep(0.1)
            process.send_signal(number)
            harness.check(process.wait(timeout=30) == -number, f"signal {number}")
            process.stdout.close()
        count += 4
    harness.finish(count, "rows and calls")


if __name__ == "__main__":
    main()
