#!/usr/bin/env python3
"""Any number of MPI ranks, whatever cells they have and however spikes travel, gives the bytes of one process:
spikes.h5 and every report. Skipped without MPI; fails without it when REQUIRE_MPI=1."""

import json
import os
import pathlib
import shutil
import subprocess

import harness
import mpi

MODELS = {"examples/ring/ring.yaml": "50 ms", "examples/balanced_network/balanced_network.yaml": "20 ms",
          "tests/command/models/mixed.yaml": "30 ms", "tests/command/models/parts.yaml": "10 ms",
          "tests/command/models/gaps.yaml": "10 ms", "tests/command/models/diffusion.yaml": "10 ms",
          "tests/command/models/potentials.yaml": "20 ms", "tests/command/models/fields.yaml": "20 ms",
          "tests/command/models/layers.yaml": "20 ms",
          "tests/command/models/distances.yaml": "30 ms",
          "tests/command/models/points.yaml": "40 ms", "tests/command/models/own_steps.yaml": "30 ms",
          "tests/command/models/plastic.yaml": "40 ms", "tests/command/models/only_plastic.yaml": "40 ms",
          "tests/command/models/places.yaml": "30 ms", "tests/command/models/uses_arrays.yaml": "30 ms",
          "tests/command/models/listed_points.yaml": "30 ms",
          "tests/command/models/listed_junctions.yaml": "20 ms"}
# ranks, threads, further options
VARIANTS = [(2, 1, ()), (2, 2, ()), (3, 1, ()), (4, 1, ()), (4, 2, ()),
            (3, 1, ("--exchange", "neighbours", "--overlap", "off", "--set", "run.placement=round_robin")),
            (4, 1, ("--exchange", "all", "--overlap", "on", "--set", "run.placement=blocks")),
            (2, 1, ("--epoch-steps", "1", "--exchange", "neighbours"))]


def outputs(model, duration, ranks, threads, options, folder):
    done = mpi.run(ranks, "run", harness.ROOT / model, "-o", folder, "--force", "--quiet", "--threads", threads,
                   "--set", f"run.duration={duration}", *options)
    harness.check(done.returncode == 0, f"{model}, {ranks} ranks {' '.join(options)}: {done.stderr}")
    return mpi.outputs(folder)


def without_shared_memory(folder):
    """As ranks of several machines: their gathers are MPI's."""
    model = "examples/balanced_network/balanced_network.yaml"
    wanted = outputs(model, "20 ms", 3, 1, (), folder / "shared")
    os.environ["OMPI_MCA_osc"] = "^sm"
    got = outputs(model, "20 ms", 3, 1, (), folder / "not_shared")
    del os.environ["OMPI_MCA_osc"]
    harness.check(got == wanted, "without shared memory the bytes differ")
    return len(wanted)


def by_mpich(folder):
    """The same command, started by the other MPI; where that is not installed, it is left out."""
    if not shutil.which("mpirun.mpich"):
        harness.check(os.environ.get("REQUIRE_MPI") != "1", "REQUIRE_MPI=1, and there is no mpirun.mpich")
        return 0
    model = harness.ROOT / "tests/command/models/gaps.yaml"
    run = ["run", model, "-o", folder / "mpich", "--force", "--quiet", "--threads", "1", "--set", "run.duration=10 ms"]
    for ranks in (2, 3):
        done = subprocess.run(["mpirun.mpich", "-n", str(ranks), harness.HILLOCK, *run], capture_output=True, text=True,
                              timeout=120)
        harness.check(done.returncode == 0, f"MPICH, {ranks} ranks: {done.stderr}")
        harness.check(mpi.outputs(folder / "mpich") == outputs(model, "10 ms", 1, 1, (), folder / "one"),
                      f"MPICH, {ranks} ranks: the bytes differ")
        told = json.loads((folder / "mpich/run.json").read_text())
        harness.check(told["ranks"] == ranks, f"MPICH: {told['ranks']} ranks")
    stranger = harness.run(*run, env={"PMI_SIZE": "2", "PMI_RANK": "0"})
    harness.check(stranger.returncode == 2 and "not the one that started it" in stranger.stderr, stranger.stderr)
    return 3


def main():
    mpi.need()
    count = 0
    with harness.scratch() as scratch:
        folder = pathlib.Path(scratch)
        for model, duration in MODELS.items():
            wanted = outputs(model, duration, 1, 2, (), folder / "one")
            harness.check("spikes.h5" in wanted and len(wanted) > 1, f"{model}: {list(wanted)}")
            for ranks, threads, options in VARIANTS:
                got = outputs(model, duration, ranks, threads, options, folder / "several")
                for name in wanted.keys() | got.keys():
                    harness.check(wanted.get(name) == got.get(name),
                                  f"{model}, {ranks} ranks x {threads} {' '.join(options)}: {name} differs")
                    count += 1
        told = json.loads((folder / "several/run.json").read_text())
        harness.check(told["ranks"] == VARIANTS[-1][0] and told["threads"] == 1, f"run.json: {told}")
        one = json.loads((folder / "one/run.json").read_text())
        for number in ("cells", "compartments", "spikes"):
            harness.check(told[number] == one[number], f"run.json: {number} {told[number]}, not {one[number]}")
        count += without_shared_memory(folder) + by_mpich(folder)
    harness.finish(count, "files compared")


if __name__ == "__main__":
    main()
