#!/usr/bin/env python3
"""Every mechanism case, under both integrators, and every model of the tests is saved at random steps and resumed on
other numbers of threads: spikes, samples and what is saved later are the same to the bit."""

import argparse
import os
import pathlib
import subprocess

import harness

harness.need("yaml", "numpy")
import same_outputs  # noqa: E402

PROGRAM = pathlib.Path(os.environ.get("RESUME_ANYWHERE", harness.HILLOCK.parent / "tests/resume_anywhere"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=1, help="random steps a model")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with harness.scratch() as folder:
        made = same_outputs.made_models(harness.HILLOCK, pathlib.Path(folder))
        models = [*made.values(), *sorted((harness.ROOT / "tests/command/models").glob("*.yaml"))]
        done = subprocess.run([PROGRAM, str(options.steps), str(options.seed), *models], capture_output=True, text=True)
    failed = [line for line in done.stdout.splitlines() if line.startswith("FAIL")]
    for line in failed:
        harness.check(False, line)
    resumed = [line for line in done.stdout.splitlines() if "resumed" in line]
    harness.check(done.returncode == (1 if failed else 0), f"ended with {done.returncode}: {done.stderr}")
    harness.check(len(resumed) + len(failed) >= len(models), f"{len(resumed)} of {len(models)} models were run")
    harness.finish(len(resumed), "models resumed")


if __name__ == "__main__":
    main()
