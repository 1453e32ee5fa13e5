"""Runs the hillock command on several ranks of MPI, for the tests of this folder."""

import os
import pathlib
import shutil
import subprocess
import sys

import harness

LIBRARY = harness.HILLOCK.parent / "libhillock-mpi-openmpi.so"
# Root is asked for it in containers, where there is nobody else.
ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def missing():
    return [what for what, there in (("mpirun", shutil.which("mpirun")), (LIBRARY.name, LIBRARY.exists()))
            if not there]


def is_here():
    """False, and a part that is noted as left out, where there is no MPI; a failure when REQUIRE_MPI=1."""
    if not missing():
        return True
    harness.leave_out("ranks: there is no " + " and no ".join(missing()))
    harness.check(os.environ.get("REQUIRE_MPI") != "1", "REQUIRE_MPI=1")
    return False


def need():
    """Ends the script as skipped where there is no MPI; as failed when REQUIRE_MPI=1."""
    if missing():
        print("left out: there is no", " and no ".join(missing()))
        sys.exit(1 if os.environ.get("REQUIRE_MPI") == "1" else harness.SKIPPED)


def command(ranks, *words):
    return ["mpirun", "--oversubscribe", "-n", str(ranks), str(harness.HILLOCK), *map(str, words)]


def run(ranks, *words, timeout=600):
    """The finished process; 1 rank is without mpirun. Ranks that wait for one another take long beside other work."""
    if ranks == 1:
        return harness.run(*words, timeout=timeout)
    return subprocess.run(command(ranks, *words), capture_output=True, text=True, timeout=timeout,
                          env=harness.environment(**ENVIRONMENT))


def start(ranks, *words):
    return subprocess.Popen(command(ranks, *words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env=harness.environment(**ENVIRONMENT))


def processes_of(launcher):
    """The ranks that mpirun has started, in their order."""
    found = subprocess.run(["ps", "-o", "pid=,comm=", "--ppid", str(launcher.pid)], capture_output=True, text=True)
    return [int(line.split()[0]) for line in found.stdout.splitlines() if line.split()[1].startswith("hillock")]


def outputs(folder):
    return {file.name: file.read_bytes() for file in sorted(pathlib.Path(folder).glob("*.h5"))}
