#!/usr/bin/env python3
"""How fast a run goes and how much its cells spike, as its progress, its last lines and run.json tell."""

import json
import pathlib
import re
import signal
import subprocess
import time

import harness
import mpi

RING = harness.ROOT / "examples/ring/ring.yaml"
IN_THE_RUN = ("advance", "exchange", "record", "save")


def summary_of(out):
    return json.loads((out / "run.json").read_text())


def check_speed(summary, ms):
    seconds = sum(summary["timings_s"].get(name, 0) for name in IN_THE_RUN)
    harness.check(abs(summary["biological_ms_per_s"] * seconds / ms - 1) < 1e-9,
                  f"{summary['biological_ms_per_s']} ms/s, and {ms} ms in {seconds} s")


def run_at_once(out):
    done = harness.run("run", RING, "-o", out)
    summary = summary_of(out)
    check_speed(summary, 1000)
    harness.check(abs(summary["mean_rate_hz"] - summary["spikes"] / summary["cells"]) < 1e-9,
                  f"{summary['mean_rate_hz']} Hz of {summary['spikes']} spikes")
    harness.check(" ms/s (biological time by wall time); a cell spikes at 1.6 Hz in the mean\n" in done.stderr,
                  f"the last lines are\n{done.stderr}")
    return summary["mean_rate_hz"]


def run_in_two(out):
    """What was done before the run was resumed is not in its speed, and is in its rate."""
    words = [str(word) for word in (harness.HILLOCK, "run", RING, "-o", out, "--quiet", "--checkpoint-every", "100ms",
                                    "--set", "run.duration=4 s")]
    process = subprocess.Popen(words, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while not (out / "run.checkpoint").exists() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.001)
    process.send_signal(signal.SIGTERM)
    harness.check(process.wait(60) == 143, "the run was not stopped before its end")
    done = subprocess.run([*words, "--resume"], capture_output=True, text=True)
    harness.check(done.returncode == 0, done.stderr)
    summary = summary_of(out)
    check_speed(summary, 4000 - summary["resumed_ms"])
    rate = summary["spikes"] / summary["cells"] / 4
    harness.check(abs(summary["mean_rate_hz"] - rate) < 1e-9, f"{summary['mean_rate_hz']} Hz resumed, not {rate}")


def run_on_ranks(out, rate):
    done = mpi.run(2, "run", RING, "-o", out, "--quiet")
    harness.check(done.returncode == 0, done.stderr)
    harness.check(summary_of(out)["mean_rate_hz"] == rate, f"{summary_of(out)['mean_rate_hz']} Hz on two ranks, not {rate}")


def tells_on_its_way(out):
    """For as long as it takes to say something, which it does after a second."""
    done = harness.run("run", RING, "-o", out, "--threads", "1", "--set", "run.duration=12 s")
    line = next((line for line in done.stderr.splitlines() if line.startswith("running  ")), "")
    told = re.fullmatch(r"running  \d+ %  ([\d.]+) of 12000 ms  ([\d.]+) ms/s  (\d+) spikes  ([\d.]+) Hz"
                        r"  \d+:\d\d  \d+:\d\d left", line)
    harness.check(told, f"its progress is\n{done.stderr}")
    if told:
        reached, speed, spikes, rate = map(float, told.groups())
        harness.check(speed > 0 and abs(rate - 10 * spikes / reached) <= 0.02 * rate, line)


def main():
    with harness.scratch() as folder:
        folder = pathlib.Path(folder)
        rate = run_at_once(folder / "once")
        run_in_two(folder / "two")
        tells_on_its_way(folder / "long")
        if mpi.is_here():
            run_on_ranks(folder / "ranks", rate)
    harness.finish(4, "runs")


if __name__ == "__main__":
    main()
