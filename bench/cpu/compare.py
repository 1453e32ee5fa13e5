#!/usr/bin/python3
"""Question: how many times NEURON's and Arbor's speed does the CPU engine have, side by side?

Axes: the ring of 64 and 1024 cells with hh everywhere or passive dendrites, against NEURON with its
tables (and without, for information); busyring's simple and complex cells, 1000 of depth 5, against every
Arbor given; each at one and two threads.  Programs take turns, and of each the best of --repeat runs
counts.  A run is timed without its set-up; set-up is a column of its own.  Spike counts are compared.
Floor: docs/decisions/0006.

  bench/cpu/compare.py --hillock build/release/hillock --second-core build/release/bench/bench_second_core
      [--arbor-python venv/bin/python] [--commit SHA] [--out cpu.json]

NEURON is imported by --neuron-python (Debian's python3-neuron belongs to /usr/bin/python3).  What is
missing is told before anything is run.  Prints rows for bench/RESULTS.md.
"""

import argparse
import datetime
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

import models

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from needs import Needs  # noqa: E402

HAS_AVX2 = "avx2" in pathlib.Path("/proc/cpuinfo").read_text().split()


def output_of(command, env=None):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          env=dict(os.environ, **(env or {})))
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stderr[-2000:]}")
    return done.stdout


def neuron(options, cells, dendrites, duration, threads, tables):
    text = output_of([options.neuron_python, HERE / "neuron_ring.py", "--cells", cells, "--dendrites",
                      dendrites, "--duration", duration, "--threads", threads, "--tables", tables])
    return json.loads(text.splitlines()[-1])


def arbor(python, duration, threads, group_size, cells, is_complex):
    text = output_of([python, HERE / "arbor_busyring.py", "--cells", cells, "--duration", duration,
                      "--threads", threads, "--group-size", group_size]
                     + ["--complex"] * is_complex)
    return json.loads(text.splitlines()[-1])


def hillock(options, model, folder, threads, isa=None):
    path = folder / "model.yaml"
    path.write_text(json.dumps(model))
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    text = output_of([options.hillock, "run", path, "-o", folder / "out", "--force", "--quiet",
                      "--backend", "cpu", "--json", "--threads", threads], {"HILLOCK_ISA": isa} if isa else None)
    summary = json.loads(text)
    times = summary["timings_s"]
    after = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return {"program": f"hillock ({summary['instruction_set']})",
            "setup_s": times["read"] + times["build"],
            "run_s": times["initialise"] + times["advance"] + times["exchange"] + times["record"],
            "compartments": summary["compartments"], "cells": summary["cells"],
            "steps": summary["steps"], "spikes": summary["spikes"],
            # Of the biggest child so far: ours when it grew.
            "peak_MB": after / 1024 if after > before else None}


class TwoThreads:
    """What the engine gains from a second thread, and a loop without memory beside it, in turns."""

    def __init__(self, options, folder):
        self.networks = {
            f"ring, {cells} cells, HH everywhere": models.ring(cells, "hh", options.duration)
            for cells in (64, 1024)}
        self.options, self.folder, self.best, self.loop = options, folder, {}, 0

    def turn(self):
        for name, model in self.networks.items():
            for threads in (1, 2):
                run = hillock(self.options, model, self.folder, threads)["run_s"]
                self.best[name, threads] = min(run, self.best.get((name, threads), run))
            self.loop = max(self.loop, float(output_of([self.options.second_core])))

    def rows(self):
        return [{"network": name, "gain": self.best[name, 1] / self.best[name, 2],
                 "loop": self.loop,
                 "share": self.best[name, 1] / self.best[name, 2] / self.loop}
                for name in self.networks]


class Comparison:
    """One network: who runs it, in turns, and the best of each."""

    def __init__(self, name, threads, runners):
        self.name, self.threads = name, threads
        self.runners, self.best = runners, {}

    def turn(self):
        for who, run in self.runners.items():
            got = run()
            got["cs_per_s"] = got["compartments"] * got["steps"] / got["run_s"] if got["steps"] else 0
            if who not in self.best or got["run_s"] < self.best[who]["run_s"]:
                setup = min(got["setup_s"], self.best.get(who, got)["setup_s"])
                self.best[who] = dict(got, setup_s=setup)

    def row(self):
        ours = self.best["hillock"]
        result = {"network": self.name, "threads": self.threads, "runs": self.best, "ratio": {}}
        for who, theirs in self.best.items():
            if not who.startswith("hillock") and theirs["cs_per_s"]:
                result["ratio"][who] = ours["cs_per_s"] / theirs["cs_per_s"]
            a = ours["spikes"] / ours["cells"]
            b = theirs["spikes"] / theirs["cells"]
            if abs(a - b) > 0.02 * max(a, b):
                result["differ"] = f"{a:.4g} and {b:.4g} spikes a cell"
        return result


def comparisons(options, folder):
    duration = options.duration
    for threads in (1, 2):
        for cells in (64, 1024):
            for dendrites in ("hh", "pas"):
                model = models.ring(cells, dendrites, duration)
                bind = dict(cells=cells, dendrites=dendrites, duration=duration, threads=threads)
                runners = {"hillock": lambda m=model, t=threads: hillock(options, m, folder, t)}
                if threads == 1 and HAS_AVX2:
                    runners["hillock avx2"] = (
                        lambda m=model: hillock(options, m, folder, 1, "avx2"))
                runners["NEURON, tables"] = lambda b=bind: neuron(options, tables=1, **b)
                if threads == 1 and dendrites == "hh":
                    runners["NEURON, no tables"] = lambda b=bind: neuron(options, tables=0, **b)
                name = "HH everywhere" if dendrites == "hh" else "passive dendrites"
                yield Comparison(f"ring, {cells} cells, {name}", threads, runners)
        yield Comparison("busyring, 1000 cells, depth 5", threads,
                         busyring(options, folder, 1000, duration, threads))
        yield Comparison("busyring, complex cell, 1000 cells, depth 5", threads,
                         busyring(options, folder, 1000, duration, threads, is_complex=True))
    yield Comparison("busyring, 8192 cells, depth 5: set-up", 1,
                     busyring(options, folder, 8192, 1, 1))


def busyring(options, folder, cells, duration, threads, is_complex=False):
    model, pairs = models.busyring(cells, 5, duration, is_complex)

    def ours(isa=None):
        (folder / "pairs.csv").write_text(pairs)
        return hillock(options, model, folder, threads, isa)

    runners = {"hillock": ours}
    if threads == 1 and HAS_AVX2:
        runners["hillock avx2"] = lambda: ours("avx2")
    for python in options.arbor_python:
        for group in options.arbor_group_size:
            runners[f"Arbor {python} group {group}"] = (
                lambda p=python, g=group: arbor(p, duration, threads, g, cells, is_complex))
    return runners


def check_needs(options):
    needs = Needs()
    needs.program(options.hillock, "build it with ./dev build, or name another with --hillock")
    needs.program(options.second_core, "ninja -C build/release bench_second_core, or --second-core")
    needs.modules("neuron", python=options.neuron_python)
    for python in options.arbor_python:
        needs.modules("arbor", python=python)
    needs.writable(options.out).cores(2)
    if options.repeat < 1:
        needs.add(f"--repeat {options.repeat}", "at least 1")
    needs.check()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--hillock", default="build/release/hillock")
    parser.add_argument("--second-core", default="build/release/bench/bench_second_core")
    parser.add_argument("--neuron-python", default="/usr/bin/python3")
    parser.add_argument("--arbor-python", action="append", default=[])
    parser.add_argument("--arbor-group-size", type=int, action="append", default=[])
    parser.add_argument("--duration", type=float, default=50, help="ms")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--commit", default="")
    parser.add_argument("--out", default="cpu.json")
    parser.add_argument("--only", default="", help="networks whose name has this in it")
    options = parser.parse_args()
    options.arbor_group_size = options.arbor_group_size or [1, 16]
    check_needs(options)
    report = {"date": datetime.date.today().isoformat(), "commit": options.commit,
              "device": next((line.split(":")[1].strip() for line in open("/proc/cpuinfo")
                              if line.startswith("model name")), ""), "rows": [], "two_threads": []}
    with tempfile.TemporaryDirectory(prefix="hillock-bench-") as name:
        todo = [c for c in comparisons(options, pathlib.Path(name)) if options.only in c.name]
        if not todo:
            raise SystemExit(f"compare.py: no network has {options.only!r} in its name")
        for _ in range(options.repeat):
            for comparison in todo:
                comparison.turn()
        pair = TwoThreads(options, pathlib.Path(name))
        for _ in range(2 * options.repeat):
            pair.turn()
        report["two_threads"] = pair.rows()
    report["rows"] = [comparison.row() for comparison in todo]
    pathlib.Path(options.out).write_text(json.dumps(report, indent=1))
    print(f"{report['device']}, {report['date']}, commit {report['commit']}")
    for row in report["two_threads"]:
        print(f"two threads, {row['network']}: {row['gain']:.3f}, a loop without memory "
              f"{row['loop']:.3f}, share {row['share']:.3f}")
    print("| network | threads | who | 1e6 cs/s | ours / theirs | set-up s | spikes |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for row in report["rows"]:
        for who, run in row["runs"].items():
            ratio = row["ratio"].get(who)
            print(f"| {row['network']} | {row['threads']} | {who} | {run['cs_per_s'] / 1e6:.1f} | "
                  f"{f'{ratio:.2f}' if ratio else ''} | {run['setup_s']:.3f} | {run['spikes']} |")
        if "differ" in row:
            print(f"DIFFERENT SIMULATIONS: {row['network']}: {row['differ']}")


if __name__ == "__main__":
    main()
