#!/usr/bin/env python3
"""kill -9 at random moments of a recording run: every partial file opens, holds every row up to the
last flush that flush.log tells of, and the values equal those of an uninterrupted run."""

import argparse
import pathlib
import random
import signal
import subprocess
import time

import harness

harness.need("h5py", "numpy")
import h5py  # noqa: E402
import numpy  # noqa: E402

MODEL = harness.ROOT / "tests/command/models/mixed.yaml"
OPTIONS = ["--set", "run.duration=1500 ms", "--set", "record.3.every=0.025 ms", "--flush-interval",
           "0.02", "--threads", "2", "--quiet"]


def tables(path):
    """{name: array} of the rows of a spike or report file."""
    with h5py.File(path) as file:
        if "spikes" in file:
            return {f"{name}/{column}": group[column][:] for name, group in file["spikes"].items()
                    for column in ("timestamps", "node_ids")}
        return {name: group["data"][:] for name, group in file["report"].items()}


def spike_set(table, name, rows):
    return set(zip(table[f"{name}/timestamps"][:rows].tolist(),
                   table[f"{name}/node_ids"][:rows].tolist()))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    moments = random.Random(options.seed)
    checked = rows_checked = killed = 0
    with harness.scratch() as folder:
        folder = pathlib.Path(folder)
        started = time.time()
        whole = folder / "whole"
        done = harness.run("run", MODEL, "-o", whole, *OPTIONS)
        harness.check(done.returncode == 0, done.stderr)
        lasts = time.time() - started
        expected = {p.name: tables(p) for p in whole.glob("*.h5")}
        for number in range(3 * options.kills):  # some runs end before their moment comes
            if killed == options.kills:
                break
            out = folder / f"killed{number}"
            begun = time.time()
            process = subprocess.Popen([harness.HILLOCK, "run", MODEL, "-o", out, *OPTIONS])
            while not (out / "flush.log").exists() and process.poll() is None:
                time.sleep(0.002)
            time.sleep(moments.uniform(0, 0.8 * lasts))
            process.send_signal(signal.SIGKILL)
            if process.wait() != -signal.SIGKILL:
                lasts = min(lasts, time.time() - begun)  # the machine was busier before
                continue
            killed += 1
            log = (out / "flush.log").read_text().split("\n")[:-1]  # a cut last line does not count
            flushed = {}
            for line in log:
                name, rows = line.rsplit(" ", 1)
                flushed[name] = int(rows)
            for name in expected:
                partial = out / f"{name}.partial"
                promised = flushed.get(partial.name, 0)
                if not partial.exists() and not (out / name).exists():  # not even begun
                    harness.check(promised == 0, f"kill {number}: {name} is lost, with {promised} rows")
                    checked += 1
                    continue
                if not partial.exists():  # the run was about to end, and this file is complete
                    same = all(numpy.array_equal(values, expected[name][column])
                               for column, values in tables(out / name).items())
                    harness.check(same, f"kill {number}: {name} is complete and wrong")
                    checked += 1
                    continue
                try:
                    found = tables(partial)
                except OSError:  # never flushed
                    harness.check(partial.name not in flushed, f"kill {number}: {name} does not open")
                    checked += 1
                    continue
                if name == "spikes.h5":
                    total = 0
                    for column in found:
                        if not column.endswith("/timestamps"):
                            continue
                        population = column.split("/")[0]
                        rows = min(len(found[column]), len(found[f"{population}/node_ids"]))
                        total += rows
                        harness.check(
                            spike_set(found, population, rows)
                            <= spike_set(expected[name], population, None),
                            f"kill {number}: spikes of {population} that the whole run lacks")
                    harness.check(total >= promised, f"kill {number}: {total} spikes of {promised}")
                    rows_checked += total
                else:
                    for population, data in found.items():
                        same = numpy.array_equal(data[:promised],
                                                 expected[name][population][:promised])
                        harness.check(len(data) >= promised and same,
                                      f"kill {number}: {name}: {len(data)} rows of {promised}, "
                                      f"equal: {same}")
                        rows_checked += promised
                checked += 1
    print(f"{rows_checked} rows compared; an uninterrupted run takes {lasts:.1f} s")
    harness.check(killed == options.kills, f"only {killed} runs were killed in time")
    harness.check(checked == 2 * killed, f"{checked} files in {killed} kills, 2 each expected")
    harness.check(rows_checked > 0, "no rows were flushed before any kill")
    harness.finish(checked, "files")


if __name__ == "__main__":
    main()
