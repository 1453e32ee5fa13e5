#!/usr/bin/env python3
"""The scripts of bench/gpu that run whole models work: each on the CPU, small and short. No time is looked at."""

import json
import math
import pathlib
import subprocess
import sys

import harness

BENCH = harness.ROOT / "bench/gpu"


def rows_of(script, folder, *words, **environment):
    """The rows that a script wrote, after it ended well."""
    path = pathlib.Path(folder) / f"{script}.json"
    done = subprocess.run([sys.executable, BENCH / f"{script}.py", "--hillock", harness.HILLOCK, "--backend", "cpu",
                           "--json", path, *map(str, words)], capture_output=True, text=True, timeout=120,
                          cwd=folder, env=harness.environment(**environment))
    harness.check(done.returncode == 0, f"{script}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    rows = [json.loads(line) for line in path.read_text().splitlines()] if path.is_file() else []
    harness.check(rows, f"{script}: no rows")
    for row in rows:
        harness.check(row["table"] == script and row["device"], f"{script}: {row}")
    return rows


def runs_of_every_kind_have_the_same_spikes(folder):
    rows = rows_of("ablation", folder, "--duration", 10, "--only", "busyring 16")
    kinds = {row["kind"] for row in rows}
    harness.check({"1", "20", "400", "auto", "exact", "hines", "changing, exact"} <= kinds, f"ablation: {kinds}")
    harness.check({row["spikes"] for row in rows} == {16}, f"ablation: spikes {[row['spikes'] for row in rows]}")
    return 1


def every_sample_is_counted(folder):
    """4 bytes each; what a file holds beside them is less than 64 KiB here."""
    rows = rows_of("recording", folder, "--duration", 20, "--share", 0.5, "--part", 256, "--repeat", 1, "--memory", "",
                   "--only", "hh 8")
    harness.check([row["recorded"] for row in rows] == ["none", "somata", "none", "compartments"],
                  f"recording: {[row['recorded'] for row in rows]}")
    somata, compartments = rows[1]["bytes"], rows[3]["bytes"]
    harness.check(0 <= somata - 4 * 8 * 200 < 65536, f"recording: {somata} bytes of somata")
    harness.check(compartments > 4 * 8 * 100 * 100, f"recording: {compartments} bytes of compartments")
    return 1


def the_extremes_are_what_they_say(folder):
    rows = {row["model"]: row for row in rows_of("extremes", folder, "--duration", 1, "--part", 200)}
    for name, compartments in {"20,000 compartments": 100, "20,000, hh everywhere": 100, "star of 500 branches": 41,
                               "1e6 cells of 20": 100000}.items():
        harness.check(rows[name]["compartments"] == compartments, f"extremes: {rows[name]}")
    harness.check(rows["sweep of 65,000"]["cells"] == 13 * 25, f"extremes: {rows['sweep of 65,000']}")
    harness.check(rows["1e9 synapses"]["synapses"] > 1000 * 4750, f"extremes: {rows['1e9 synapses']}")
    return 1


def equal_runs_are_equal_and_a_bit_shows(folder):
    rows = rows_of("accuracy", folder, "--duration", 20, "--only", "hh 16", "--with", "",
                   "--with", "run.temperature=7 degC;run.seed=1", "--seeds", 1)
    rows = {row["run"]: row for row in rows}
    same, warmer, bit = (rows[f"cpu{run}"]
                         for run in ("", " run.temperature=7 degC;run.seed=1", ", one bit changed"))
    harness.check(same["before_mV"] == same["after_mV"] == same["shift_ms"] == 0 and same["same_counts"]
                  and same["same_until_ms"] is None, f"accuracy: {same}")
    harness.check(warmer["after_mV"] > 1 and warmer["same_until_ms"] < 20, f"accuracy: {warmer}")
    harness.check(0 < bit["before_mV"] < 1e-9 and bit["same_until_ms"] is None, f"accuracy: {bit}")
    harness.check(all(math.isclose(row["rate_Hz"], row["spikes"] / 16 / 0.02) for row in (same, warmer, bit)),
                  "accuracy: rates")
    axon = {row["run"]: row for row in rows_of("accuracy", folder, "--duration", 20, "--only", "rallpack 3")}
    harness.check(axon["cpu"]["before_mV"] == 0 < axon["cpu, one bit changed"]["after_mV"] < 1e-9, f"accuracy: {axon}")
    return 1


def the_balanced_network_is_itself_everywhere(folder):
    rows = rows_of("balanced", folder, "--duration", 20, "--driven", 10, "--cells", 400, "--repeat", 1)
    harness.check([row["cells"] for row in rows] == [400] and rows[0]["spikes"] > 0 and rows[0]["cpu_over_it"] == 1,
                  f"balanced: {rows}")
    return 1


def a_failed_run_is_named(folder):
    done = subprocess.run([sys.executable, BENCH / "epoch.py", "--hillock", harness.HILLOCK, "--backend", "cpu",
                           "--duration", "1", "--only", "busyring 16", "--set", "run.solver=contraction"],
                          capture_output=True, text=True, timeout=60, cwd=folder, env=harness.environment())
    harness.check(done.returncode == 1 and "run.solver" in done.stdout and "1 run failed" in done.stderr,
                  f"epoch: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return 1


def main():
    with harness.scratch() as folder:
        count = sum(check(folder) for check in (
            runs_of_every_kind_have_the_same_spikes, every_sample_is_counted, the_extremes_are_what_they_say,
            equal_runs_are_equal_and_a_bit_shows, the_balanced_network_is_itself_everywhere,
            a_failed_run_is_named))
    harness.finish(count, "scripts' claims")


if __name__ == "__main__":
    main()
