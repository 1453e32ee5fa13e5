#!/usr/bin/env python3
"""Every mechanism case, under both integrators, every model of the tests and models of drawn events are saved at
random steps and resumed on other numbers of threads: spikes, samples and what is saved later are the same to the
bit."""

import argparse
import os
import pathlib
import subprocess
import sys

import harness

harness.need("yaml", "numpy")
import same_outputs  # noqa: E402

sys.path.insert(0, str(harness.ROOT / "tests/simulator/event_models"))
import event_models  # noqa: E402

PROGRAM = pathlib.Path(os.environ.get("RESUME_ANYWHERE", harness.HILLOCK.parent / "tests/resume_anywhere"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=1, help="random steps a model")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--event-models", type=int, default=24, help="how many of tests/simulator/event_models")
    options = parser.parse_args()
    with harness.scratch() as folder:
        made = same_outputs.made_models(harness.HILLOCK, pathlib.Path(folder))
        models = [*made.values(), *sorted((harness.ROOT / "tests/command/models").glob("*.yaml"))]
        for seed in range(options.event_models):
            models.append(pathlib.Path(folder) / f"events{seed}.yaml")
            models[-1].write_text(event_models.yaml_of(event_models.make(seed)))
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
