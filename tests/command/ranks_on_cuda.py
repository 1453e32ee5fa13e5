#!/usr/bin/env python3
"""Ranks of MPI with a GPU each, or sharing one, write the bytes of one process: with solver exact the CPU's, with auto
those of one GPU, also when a run is killed and goes on. Skipped without MPI or a GPU; fails without MPI when
REQUIRE_MPI=1, and without a GPU when REQUIRE_GPU=1. ranks_on_cuda.py NAME…: models whose names have one of these in them
alone."""

import json
import pathlib
import sys

import harness
import mpi
import rank_checkpoints
import ranks

COLUMNS = "tests/command/models/columns.yaml"
MODELS = ranks.MODELS | {"examples/pyramidal_network/pyramidal_network.yaml": "20 ms",
                         "tests/command/models/events.yaml": "30 ms", "tests/command/models/burst.yaml": "4 ms",
                         "tests/command/models/only_points.yaml": "20 ms",
                         "tests/command/models/points_and_gaps.yaml": "10 ms",
                         COLUMNS: "60 ms",
                         "examples/mixed_network/mixed_network.yaml": "40 ms"}
# ranks, threads, further options
VARIANTS = [(2, 2, ()), (3, 1, ("--overlap", "off", "--exchange", "neighbours")),
            (2, 2, ("--set", "run.placement=round_robin", "--overlap", "on"))]
PAIRS = ((1, 2), (2, 1), (2, 2))  # ranks before and after a run is killed
# killed and resumed: how long they run, and how often they are saved
RESUMED = {"tests/command/models/gaps.yaml": ("1000 ms", "5 ms"), COLUMNS: ("5000 ms", "50 ms"),
           "tests/command/models/only_plastic.yaml": ("2000 ms", "20 ms")}


def is_like(wanted, got, words):
    for name in wanted.keys() | got.keys():
        harness.check(wanted.get(name) == got.get(name), f"{words}: {name} differs")
    return len(wanted)


def chosen(models):
    return {name: of for name, of in models.items() if not sys.argv[1:] or any(part in name for part in sys.argv[1:])}


def compare_bytes(folder):
    count = 0
    for model, duration in chosen(MODELS).items():
        for solver, backend in (("exact", "cpu"), ("auto", "cuda")):
            more = ("--set", f"run.solver={solver}", "--backend")
            wanted = ranks.outputs(model, duration, 1, 2, (*more, backend), folder / "one")
            for number, threads, options in VARIANTS:
                got = ranks.outputs(model, duration, number, threads, (*more, "cuda", *options), folder / "several")
                told = json.loads((folder / "several/run.json").read_text())
                harness.check(told["backend"] == "cuda" and told["ranks"] == number, told)
                count += is_like(wanted, got, f"{model}, {solver}, {number} ranks {' '.join(options)}")
    return count


def columns_have_long_epochs(folder):
    """Point neurons bring spikes to their rank's own within an epoch, which is as long as delays between ranks."""
    for ranks_here, steps in ((2, 12), (3, 1)):
        out = folder / "columns"
        done = mpi.run(ranks_here, "run", harness.ROOT / COLUMNS, "--quiet", "--threads", 1,
                       "--backend", "cuda", "--force", "-o", out)
        harness.check(done.returncode == 0, done.stderr)
        told = json.loads((out / "run.json").read_text())
        harness.check(told["epoch_steps"] == steps, f"columns on {ranks_here} ranks: epochs of {told['epoch_steps']}")
    return 2


def kill_and_resume(folder):
    for model, (duration, every) in chosen(RESUMED).items():
        options = ["run", harness.ROOT / model, "--quiet", "--threads", 1, "--set", "run.solver=exact",
                   "--set", f"run.duration={duration}", "--backend"]
        here = folder / pathlib.Path(model).stem
        done = mpi.run(1, *options, "cpu", "-o", here / "whole")
        harness.check(done.returncode == 0, done.stderr)
        resumed = 0
        for before, after in PAIRS:
            out = here / f"killed{before}{after}"
            resumed += rank_checkpoints.is_resumed([*options, "cuda"], every, before, after, 3, out)
            is_like(mpi.outputs(here / "whole"), mpi.outputs(out), f"{model} resumed, {before} and {after} ranks")
        harness.check(resumed > 0, f"{model}: no run was killed in time")
    return len(PAIRS) * len(chosen(RESUMED))


def main():
    mpi.need()
    harness.need_gpu()
    with harness.scratch() as scratch:
        folder = pathlib.Path(scratch)
        count = compare_bytes(folder) + columns_have_long_epochs(folder) + kill_and_resume(folder)
    harness.finish(count, "files compared")


if __name__ == "__main__":
    main()
