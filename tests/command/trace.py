#!/usr/bin/env python3
"""`run --trace FILE`: which thread was at what and when, of runs that end, fail and go on several ranks."""

import json
import pathlib

import harness
import mpi

RING = harness.ROOT / "examples/ring/ring.yaml"


def read(path, rank=0):
    """{thread: [(name, begin, end)]}, whose spans lie in each other or behind each other."""
    events = json.loads(path.read_text())["traceEvents"]
    harness.check({event["pid"] for event in events} == {rank}, f"{path.name} is not of rank {rank} alone")
    names = {event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"}
    spans = {name: [] for name in names.values()}
    harness.check(len(spans) == len(names), f"two threads are called alike: {sorted(names.values())}")
    for event in events:
        if event["ph"] == "X":
            spans[names[event["tid"]]].append((event["name"], event["ts"], event["ts"] + event["dur"]))
    for name, all_of in spans.items():
        inside = []
        for what, begin, end in sorted(all_of, key=lambda span: (span[1], -span[2])):
            while inside and inside[-1] <= begin:
                inside.pop()
            harness.check(not inside or end <= inside[-1] + 0.002, f"'{what}' of {name} begins in what ends before it")
            inside.append(end)
    return spans


def seconds(spans, what):
    return 1e-6 * sum(end - begin for name, begin, end in spans if name == what)


def run(folder, *words):
    file = folder / "trace.json"
    file.unlink(missing_ok=True)
    return harness.run("run", RING, "-o", folder / "out", "--force", "--quiet", "--trace", file, *words), file


def of_two_threads(folder):
    done, file = run(folder, "--threads", "2")
    harness.check(done.returncode == 0 and done.stderr == "", f"{done.returncode}: {done.stderr}")
    spans = read(file)
    harness.check(set(spans) == {"main", "thread 1", "hand over", "writer"}, f"threads are {sorted(spans)}")
    for thread in ("main", "thread 1"):
        harness.check({"deliver to ring", "integrate ring"} <= {name for name, *_ in spans[thread]},
                      f"{thread} has {sorted({name for name, *_ in spans[thread]})}")
    taken = json.loads((folder / "out/run.json").read_text())["timings_s"]
    for part in ("build", "advance", "record"):
        told = seconds(spans["main"], part)
        harness.check(abs(told - taken[part]) <= 0.01 + 0.2 * taken[part], f"{part}: {told} s, in run.json {taken[part]}")


def of_more_than_is_kept(folder):
    done, file = run(folder, "--epoch-steps", "1", "--threads", "2", "--set", "run.duration=6 s")
    harness.check("has the run's first 500000 pieces of work, and no more" in done.stderr, done.stderr)
    harness.check(sum(map(len, read(file).values())) == 500000, "other pieces than it says")


def of_failures(folder):
    done, file = run(folder, "--set", "cells.ball_and_sticks.regions.dend.pas.e=-1e12 mV")
    harness.check(done.returncode == 5, f"{done.returncode}: {done.stderr}")
    harness.check(seconds(read(file)["main"], "build") > 0, "a failed run left no trace")
    done = harness.run("run", RING, "-o", folder / "none", "--trace", folder / "no/such/trace.json")
    harness.check(done.returncode == 4 and "trace.json" in done.stderr, f"{done.returncode}: {done.stderr}")
    harness.check(not (folder / "none").exists(), "it ran without its trace")


def of_ranks(folder):
    done = mpi.run(2, "run", RING, "-o", folder / "out", "--force", "--quiet", "--trace", folder / "r.json")
    harness.check(done.returncode == 0, done.stderr)
    for rank, name in enumerate(("r.json", "r.1.json")):
        harness.check(seconds(read(folder / name, rank)["main"], "exchange") > 0, f"rank {rank} exchanged nothing")


def main():
    with harness.scratch() as folder:
        folder = pathlib.Path(folder)
        of_two_threads(folder)
        of_more_than_is_kept(folder)
        of_failures(folder)
        if mpi.is_here():
            of_ranks(folder)
    harness.finish(5, "traces")


if __name__ == "__main__":
    main()
