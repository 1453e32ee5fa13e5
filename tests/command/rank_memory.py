#!/usr/bin/env python3
"""The peak of every rank is no more than what `hillock info --ranks` says of it, and, had it read all of the program's code,
nine tenths of that or more, on models of different kinds, also where all cells spike at once. A run whose ranks together
cannot fit is refused before it begins. Skipped without MPI; fails without it when REQUIRE_MPI=1."""

import os
import pathlib
import sys

import harness
import mpi

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench/cpu"))
import rank_memory  # noqa: E402

NAMES = ["balanced, 400 synapses", "balanced, 80 synapses", "busyring", "alike connections", "gap junctions"]


def tells_of_each_rank(count):
    every = rank_memory.all_models(part=2)
    for name in NAMES:
        told, peaks = rank_memory.measure(harness.HILLOCK, 2, *every[name])
        for rank, (said, peak) in enumerate(zip(told, peaks)):
            harness.check(0.9 * said <= peak.with_all_code and peak.bytes <= said,
                          f"{name}: rank {rank} of 2 is said to take {said / 1e6:.1f} MB and took {peak.bytes / 1e6:.1f} MB "
                          f"({peak.with_all_code / 1e6:.1f} MB with all code)")
            count += 1
    return count


def refuses_together(count, folder):
    """Each of two ranks would fit, both do not."""
    model = folder / "model.yaml"
    model.write_text(rank_memory.all_models(part=4)["balanced, 400 synapses"][0])
    words = ["run", model, "-o", folder / "out", "--quiet", "--threads", "1", "--set", "run.duration=1ms"]
    os.environ["HILLOCK_MEMORY"] = "15M"
    done = mpi.run(2, *words)
    harness.check(done.returncode == 6, f"two ranks in 15 MB: exit code {done.returncode}\n{done.stderr}")
    for text in ("out of memory before the run", "ranks 0 to 1 (2 of them)", "15 MB are free", "HILLOCK_MEMORY",
                 "--ignore-memory"):
        harness.check(text in done.stderr, f"no '{text}' in\n{done.stderr}")
    harness.check(not (folder / "out").exists(), "a run that was refused made a directory")
    done = mpi.run(2, *words, "--ignore-memory")
    harness.check(done.returncode == 0, f"--ignore-memory: exit code {done.returncode}\n{done.stderr}")
    del os.environ["HILLOCK_MEMORY"]
    done = mpi.run(2, *words, "--force")
    harness.check(done.returncode == 0, f"with all memory: exit code {done.returncode}\n{done.stderr}")
    return count + 3


def main():
    mpi.need()
    with harness.scratch() as folder:
        count = refuses_together(tells_of_each_rank(0), pathlib.Path(folder))
    harness.finish(count, "checks")


if __name__ == "__main__":
    main()
