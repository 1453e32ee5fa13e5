#!/usr/bin/env python3
"""What fails on one of several ranks ends all of them within ten seconds, with one message, the exit code that mpirun
passes on, and files that can be read. Skipped without MPI; fails without it when REQUIRE_MPI=1."""

import json
import os
import pathlib
import signal
import subprocess
import time

import harness
import mpi

RING = harness.ROOT / "examples/ring/ring.yaml"
LONG = harness.ROOT / "examples/balanced_network/balanced_network.yaml"
SOON_S = 30
SHORT = ("--set", "run.duration=5 ms")


def ours(done):
    """Lines that hillock said, not mpirun."""
    return [line for line in done.stderr.splitlines() if "hillock:" in line or ": error:" in line]


def ends(name, done, code, text):
    said = ours(done)
    harness.check(done.returncode == code, f"{name}: exit code {done.returncode}, not {code}\n{done.stderr}")
    harness.check(len(said) == 1 and text in said[0], f"{name}: no single '{text}' in\n{done.stderr}")
    return 1


def on_rank(folder, rank, special, others):
    """Runs other words on one rank of three."""
    script = folder / "ranks.sh"
    script.write_text(f'if [ "$OMPI_COMM_WORLD_RANK" = {rank} ]; then exec {special}; else exec {others}; fi\n')
    return subprocess.run(["mpirun", "--oversubscribe", "-n", "3", "sh", script], capture_output=True, text=True,
                          timeout=60, env=harness.environment(**mpi.ENVIRONMENT))


def words(model, out, *more):
    return " ".join(map(str, [harness.HILLOCK, "run", model, "-o", out, "--force", "--quiet", *more]))


def before_the_run(folder):
    out = folder / "out"
    count = ends("no model", mpi.run(3, "run", "/nowhere.yaml"), 4, "/nowhere.yaml")
    bad = folder / "bad.yaml"
    bad.write_text(RING.read_text().replace("duration:", "durration:"))
    done = mpi.run(3, "run", bad, "-o", out)
    harness.check(done.returncode == 3 and done.stderr.count("durration") == 1, f"bad model: {done.stderr}")
    count += ends("missing on one rank", on_rank(folder, 2, words(folder / "none.yaml", out), words(RING, out)), 4,
                  "rank 2: ")
    count += ends("another seed", on_rank(folder, 1, words(RING, out, "--set run.seed=7"), words(RING, out)), 2,
                  "rank 1: this rank has another run than the first one")
    other = folder / "ring.yaml"
    other.write_text(RING.read_text() + "# changed\n")
    count += ends("another file", on_rank(folder, 2, words(other, out), words(RING, out)), 2, "of another model file")
    done = mpi.run(2, "run", RING, "-o", out, "--force", "--quiet", *SHORT)
    harness.check(done.returncode == 0, f"ring: {done.stderr}")
    count += ends("a complete run", mpi.run(2, "run", RING, "-o", out), 4, "complete run")
    count += ends("another command", mpi.run(2, "validate", RING), 2, "only `hillock run` runs on several")
    return count + 1


def slow_to_leave(folder):
    """mpirun stops the ranks that are still on their way out when one has ended: they have said enough."""
    source = folder / "slow.c"
    source.write_text("#include <unistd.h>\nint PMPI_Finalize(void);\n"
                      "int MPI_Finalize(void) { int done = PMPI_Finalize(); for (;;) pause(); return done; }\n")
    library = folder / "slow.so"
    subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-o", library, source], check=True)
    run = words(RING, folder / "out")
    # Rank 1 fails and is gone; the two others stand at the end of MPI_Finalize.
    done = on_rank(folder, 1, f"{run} --set run.seed=7", f"env LD_PRELOAD={library} {run}")
    return ends("slow to leave", done, 2, "rank 1: this rank has another run than the first one")


def somata(path, size, amplitude, to, projections=()):
    """A model of some somata, one of which gets a current. Returns its path."""
    path.write_text(json.dumps({
        "hillock": 1, "include": ["library:hh_soma.yaml"], "run": {"duration": "20 ms", "dt": "0.025 ms"},
        "populations": {"p": {"cell": "hh_soma", "size": size}},
        "stimuli": [{"iclamp": {"amplitude": amplitude, "start": "1 ms", "duration": "15 ms"}, "to": to,
                     "at": "soma(0.5)"}],
        "projections": projections,
        "record": [{"name": "v", "of": "p", "variable": "v", "at": "soma(0.5)"}, {"name": "s", "of": "p"}]}))
    return path


def more_ranks_than_cells(folder):
    model = somata(folder / "few.yaml", 2, "1 nA", "p[0]", [
        {"from": "p", "to": "p", "connect": {"all_to_all": {}}, "weight": "0.05 uS", "delay": "1 ms",
         "synapse": {"expsyn": {"tau": "2 ms", "e": "0 mV"}, "at": "soma(0.5)"}}])
    found = []
    for ranks in (1, 5):
        done = mpi.run(ranks, "run", model, "-o", folder / f"few{ranks}", "--quiet", "--threads", 1)
        harness.check(done.returncode == 0, f"{ranks} ranks of 2 cells: {done.stderr}")
        found.append(mpi.outputs(folder / f"few{ranks}"))
    harness.check(found[0] == found[1] and found[0], "5 ranks of 2 cells: other files")
    return 1


def spikes_in(path):
    import h5py
    with h5py.File(path) as file:
        return sum(len(group["timestamps"]) for group in file["spikes"].values())


def while_it_runs(folder, name, do):
    """Starts a long run, does something to it when it has flushed some output, and waits for its end."""
    out = folder / name
    launcher = mpi.start(3, "run", LONG, "-o", out, "--quiet", "--threads", 1, "--flush-interval", "0.2",
                         "--set", "run.duration=600 s")
    begin = time.monotonic()
    while not ((out / "flush.log").is_file() and (out / "flush.log").stat().st_size) and time.monotonic() < begin + 60:
        time.sleep(0.05)
    time.sleep(0.5)
    ranks = mpi.processes_of(launcher)
    harness.check(len(ranks) == 3, f"{name}: {len(ranks)} ranks")
    do(launcher, ranks)
    begin = time.monotonic()
    try:
        _, said = launcher.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        launcher.kill()
        harness.check(False, f"{name}: goes on")
        return out, subprocess.CompletedProcess([], -1, "", "")
    harness.check(time.monotonic() - begin < SOON_S, f"{name}: took {time.monotonic() - begin:.0f} s")
    harness.check(spikes_in(out / "spikes.h5.partial") > 0, f"{name}: no spikes can be read")
    return out, subprocess.CompletedProcess([], launcher.returncode, "", said)


def killed(folder):
    """mpirun speaks of it, and stops the others: the first of them may still say so."""
    _, done = while_it_runs(folder, "killed", lambda _, ranks: os.kill(ranks[1], signal.SIGKILL))
    harness.check(done.returncode == 137 and ours(done) in ([], ["hillock: stopped by signal 15"]),
                  f"killed: {done.returncode}\n{done.stderr}")
    return 1


def stopped(folder):
    out, done = while_it_runs(folder, "stopped", lambda _, ranks: os.kill(ranks[2], signal.SIGTERM))
    status = json.loads((out / "run.json").read_text())["status"]
    harness.check(status == "interrupted", f"stopped: {status}")
    return ends("stopped", done, 143, "rank 2: stopped by signal 15")


def slow(folder):
    """A rank that stands still for a while is waited for."""
    out = folder / "slow"
    launcher = mpi.start(3, "run", LONG, "-o", out, "--quiet", "--threads", 1, "--set", "run.duration=500 ms")
    time.sleep(1)
    ranks = mpi.processes_of(launcher)
    if ranks:
        os.kill(ranks[1], signal.SIGSTOP)
        time.sleep(2)
        os.kill(ranks[1], signal.SIGCONT)
    _, said = launcher.communicate(timeout=120)
    harness.check(launcher.returncode == 0, f"slow: {launcher.returncode}\n{said}")
    return 1


def numbers_that_do_not_fit(folder):
    """The first rank's files cannot take what another rank's cell does."""
    model = somata(folder / "large.yaml", 9, "1e300 nA", "p[8]")
    done = mpi.run(3, "run", model, "-o", folder / "large", "--quiet", "--threads", 1)
    harness.check(json.loads((folder / "large/run.json").read_text())["status"] == "failed", "large: not failed")
    return ends("large", done, 5, "p[8]")


def main():
    mpi.need()
    count = 0
    with harness.scratch() as scratch:
        for check in (before_the_run, slow_to_leave, more_ranks_than_cells, killed, stopped, slow,
                      numbers_that_do_not_fit):
            folder = pathlib.Path(scratch) / check.__name__
            folder.mkdir()
            count += check(folder)
    harness.finish(count, "faults")


if __name__ == "__main__":
    main()
