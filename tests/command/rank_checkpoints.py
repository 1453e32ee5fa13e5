#!/usr/bin/env python3
"""A run on several ranks that is killed after a checkpoint goes on, on any number of ranks, to the files of a run that
nobody stopped. Skipped without MPI; fails without it when REQUIRE_MPI=1."""

import json
import os
import pathlib
import random
import signal
import time

import harness
import mpi

MODELS = {"examples/balanced_network/balanced_network.yaml": ("400 ms", "20 ms"),
          "tests/command/models/mixed.yaml": ("400 ms", "20 ms"), "tests/command/models/parts.yaml": ("200 ms", "5 ms"),
          "tests/command/models/gaps.yaml": ("200 ms", "5 ms"), "examples/ring/ring.yaml": ("400 ms", "20 ms"),
          "tests/command/models/points.yaml": ("2000 ms", "20 ms"),
          "tests/command/models/points_and_gaps.yaml": ("200 ms", "5 ms"),
          "tests/command/models/only_plastic.yaml": ("2000 ms", "20 ms"),
          "tests/command/models/potentials.yaml": ("100 ms", "5 ms"), "tests/command/models/few.yaml": ("1000 ms", "10 ms")}
PAIRS = ((1, 3), (3, 2), (4, 1))  # ranks before and after


def wait_for_checkpoints(launcher, path, number):
    """Whether the run is still there when it has been saved so often."""
    seen = 0
    last = None
    while launcher.poll() is None:
        try:
            now = path.stat().st_mtime_ns
        except FileNotFoundError:
            now = None
        if now != last:
            seen, last = seen + 1, now
            if seen >= number:
                return True
        time.sleep(0.001)
    return False


def is_resumed(options, every, before, after, number, out):
    """Kills a run when it has been saved `number` times, and lets it go on; false where it ended before."""
    launcher = mpi.start(before, *options, "-o", out, "--checkpoint-every", every)
    if wait_for_checkpoints(launcher, out / "run.checkpoint", number):
        for rank in mpi.processes_of(launcher):
            os.kill(rank, signal.SIGKILL)
    launcher.communicate(timeout=60)
    if json.loads((out / "run.json").read_text())["status"] == "complete":
        return False
    done = mpi.run(after, *options, "-o", out, "--resume")
    harness.check(done.returncode == 0, f"{options}, {before} and {after} ranks: {done.stderr}")
    return True


def main():
    mpi.need()
    draws = random.Random(3)
    count = resumed = 0
    with harness.scratch() as scratch:
        for model, (duration, every) in MODELS.items():
            options = ["run", harness.ROOT / model, "--quiet", "--threads", 1, "--set", f"run.duration={duration}"]
            whole = pathlib.Path(scratch) / "whole"
            done = mpi.run(1, *options, "-o", whole, "--force")
            harness.check(done.returncode == 0, f"{model}: {done.stderr}")
            for before, after in PAIRS:
                out = pathlib.Path(scratch) / f"{pathlib.Path(model).stem}{before}{after}"
                resumed += is_resumed(options, every, before, after, draws.randint(1, 4), out)
                harness.check(mpi.outputs(out) == mpi.outputs(whole), f"{model}, {before} and {after} ranks: differs")
                count += 1
    harness.check(resumed >= count // 2, f"only {resumed} of {count} runs were killed in time")
    harness.finish(count, "runs")


if __name__ == "__main__":
    main()
