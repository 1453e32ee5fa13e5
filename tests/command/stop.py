#!/usr/bin/env python3
"""SIGTERM and SIGINT at random moments of every phase: the command is gone soon, with the right exit
code, its run.json says so, and every file opens with all rows of the epochs that had ended. So it is
where nobody reads its words and the pipes are full, for other commands, too. By hand: --number 200 --blocked 200
--limit 1."""

import argparse
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import time

import h5py

import harness

CELL = """morphology: {branches: [{name: soma, length: 20 um, diameter: 20 um}]}, regions: {all: {hh: {}}},
          detector: {at: soma(0.5)}"""
# Each lasts for many seconds; the phase in which it does is its name's.
MODELS = {
    "connecting": """hillock: 1
run: {duration: 20 ms, dt: 0.025 ms}
cells: {c: {CELL}}
populations: {p: {cell: c, size: 20000}}
projections: [{from: p, to: p, connect: {fixed_indegree: 10000},
               synapse: {expsyn: {tau: 2 ms, e: 0 mV}, at: soma(0.5)},
               weight: {lognormal: {mean: 1 pS, cv: 0.1}}, delay: {uniform: {min: 1 ms, max: 3 ms}}}]
record: [{name: v, of: "p[0]", variable: v, at: soma(0.5), every: 1 ms}]
""",
    "compiling": """hillock: 1
run: {duration: 1000 s, dt: 0.025 ms}
mechanisms: [ihs.mod]
cells: {c: {morphology: {branches: [{name: soma, length: 20 um, diameter: 20 um}]},
            regions: {all: {hh: {}, ihs: {}}}}}
populations: {p: {cell: c, size: 200}}
record: [{name: v, of: p, variable: v, at: soma(0.5), every: 1 ms}]
""",
    "stuck in a step": """hillock: 1
run: {duration: 100 s, dt: 0.025 ms}
mechanisms: [endless.mod]
cells: {c: {morphology: {branches: [{name: soma, length: 20 um, diameter: 20 um}]},
            regions: {all: {pas: {}, endless: {begin: 20 ms}}}}}
populations: {p: {cell: c, size: 3}}
record: [{name: v, of: p, variable: v, at: soma(0.5), every: 1 ms}]
""",
    "running": """hillock: 1
run: {duration: 1000 s, dt: 0.025 ms}
cells: {c: {CELL}}
populations: {p: {cell: c, size: 64}}
projections: [{from: p, to: p, connect: {fixed_indegree: 4},
               synapse: {expsyn: {tau: 2 ms, e: 0 mV}, at: soma(0.5)}, weight: 1 nS, delay: 1 ms}]
stimuli: [{iclamp: {amplitude: 0.2 nA, start: 2 ms, duration: 1000 s}, to: p, at: soma(0.5)}]
record: [{name: v, of: p, variable: v, at: soma(0.5), every: 0.1 ms}, {name: spikes, of: p}]
""",
    "writing": """hillock: 1
run: {duration: 1000 s, dt: 0.025 ms}
cells: {c: {CELL}}
populations: {p: {cell: c, size: 400}}
record: [{name: v, of: p, variable: v, at: soma(0.5), type: float64},
         {name: m, of: p, variable: hh.m, at: soma(0.5), type: float64, gzip: 4}]
""",
}
GRACE_S = 0.4  # decision 0013
ENDLESS = """NEURON { SUFFIX endless RANGE begin }
PARAMETER { begin = 20 (ms) }
ASSIGNED { n }
BREAKPOINT { SOLVE turn METHOD cnexp }
STATE { s }
DERIVATIVE turn {
  n = 1
  WHILE (n > 0 && t > begin) { n = n + 1 }
  s' = -s*n
}
"""


def write_models(folder):
    for name, text in MODELS.items():
        (folder / f"{name}.yaml").write_text(text.replace("CELL", CELL))
    ih = (harness.ROOT / "mechanisms/catalogue/ih.mod").read_text()
    (folder / "ihs.mod").write_text(ih.replace("SUFFIX ih", "SUFFIX ihs"))
    (folder / "endless.mod").write_text(ENDLESS)
    # Each of the stimuli begins after the end of the run, which is worth a warning.
    late = "  - {iclamp: {amplitude: 1 pA, start: 9 ms, duration: 1 ms}, to: p, at: soma(0.5)}\n"
    (folder / "warnings.yaml").write_text("hillock: 1\nrun: {duration: 1 ms, dt: 0.025 ms}\n"
                                          f"cells:\n  c: {{{CELL}}}\npopulations: {{p: {{cell: c, size: 1}}}}\n"
                                          f"stimuli:\n{late * 2000}record: [{{name: spikes, of: p}}]\n")


def full_pipe():
    """(end that nobody reads, end that takes nothing more)"""
    read, write = os.pipe()
    os.set_blocking(write, False)
    try:
        while True:
            os.write(write, bytes(4096))
    except BlockingIOError:
        os.set_blocking(write, True)
    return read, write


def await_watching(process):
    """Until the command has its handlers of signals, or is gone."""
    both = 1 << signal.SIGTERM - 1 | 1 << signal.SIGINT - 1
    while process.poll() is None:
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
        caught = int(next(line for line in status.splitlines() if line.startswith("SigCgt:")).split()[1], 16)
        if caught & both == both:
            return
        time.sleep(0.001)


def stop_blocked(folder, number, draws, longest):
    """Seconds until a command whose words nobody reads is gone, and what was stopped."""
    name = draws.choice(list(MODELS))
    command = draws.choice(["run", "run", "validate", "info", "warn"])
    words = [harness.HILLOCK, command, folder / f"{name}.yaml"]
    if command == "run":
        words += ["-o", folder / f"blocked{number}"]
    elif command == "warn":
        words[1:] = ["validate", folder / "warnings.yaml"]
    read, write = full_pipe()
    # Standard output is full, too, or takes everything.
    output = write if draws.random() < 0.5 else subprocess.DEVNULL
    sent = draws.choice([signal.SIGTERM, signal.SIGINT])
    process = subprocess.Popen(words, stdout=output, stderr=write,
                               env=harness.environment(HILLOCK_CACHE=str(folder / f"cache{number}")))
    await_watching(process)
    time.sleep(draws.uniform(0, longest))
    ended = process.poll()
    process.send_signal(sent)
    start = time.monotonic()
    try:
        code = process.wait(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        code = process.wait()
    waited = time.monotonic() - start
    os.close(read)
    os.close(write)
    # What does not run may come to its own end after the signal, and then has done what it should.
    codes = (128 + sent,) if command == "run" else (128 + sent, 0)
    harness.check(ended is not None or code in codes, f"blocked {command} {name}: exit code {code}")
    return waited, f"blocked {command} {name}"


def check_files(name, out):
    """What a stopped run leaves: a status, and files that open."""
    if not (out / "run.json").exists():
        return  # stopped while it was read or compiled
    summary = json.loads((out / "run.json").read_text())
    harness.check(summary["status"] == "interrupted", f"{name}: {summary['status']}")
    for path in out.glob("*.h5.partial"):
        with h5py.File(path) as file:
            if "report" in file:
                rows = file["report/p/data"].shape[0]
                if name == "stuck in a step" and summary["spikes"] == 0:
                    # Epochs are 400 steps of 0.025 ms; that of 20 ms is the one that never ends.
                    harness.check(rows in (0, 1, 11, 21), f"{name}: {rows} rows")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--number", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=float, default=30,
                        help="seconds from the signal to the end; generous, for a busy machine")
    parser.add_argument("--longest", type=float, default=2, help="seconds until the signal, at most")
    parser.add_argument("--blocked", type=int, default=10, help="signals to commands whose words nobody reads")
    options = parser.parse_args()
    draws = random.Random(options.seed)
    waits, count = [], 0
    with harness.scratch() as folder:
        folder = pathlib.Path(folder)
        write_models(folder)
        names = list(MODELS)
        for number in range(options.number):
            name = names[number % len(names)]
            out = folder / f"out{number}"
            sent = draws.choice([signal.SIGTERM, signal.SIGINT])
            # A cache of its own: each run compiles anew, except where the step is what hangs.
            cache = folder / (f"cache{number}" if name == "compiling" else "cache")
            with open(folder / "messages", "w+") as messages:
                process = subprocess.Popen(
                    [harness.HILLOCK, "run", folder / f"{name}.yaml", "-o", out], stderr=messages,
                    env=harness.environment(HILLOCK_CACHE=str(cache)))
                await_watching(process)
                time.sleep(draws.uniform(0, options.longest))
                process.send_signal(sent)
                start = time.monotonic()
                code = process.wait(timeout=120)
                waits.append(time.monotonic() - start)
                messages.seek(0)
                text = messages.read()
            what = f"{name}, signal {sent}"
            harness.check(code == 128 + sent, f"{what}: exit code {code}\n{text}")
            harness.check(waits[-1] < options.limit, f"{what}: gone after {waits[-1]:.2f} s\n{text}")
            harness.check(f"stopped by signal {sent}" in text, f"{what}: said\n{text}")
            check_files(name, out)
            # A main thread that had no processor in that time is abandoned with the folder in which it built.
            left = list(cache.glob("building-*"))
            harness.check(not left or waits[-1] > GRACE_S, f"{what}: gone after {waits[-1]:.2f} s, left {left}")
            for building in left:
                shutil.rmtree(building, ignore_errors=True)
            count += 1
        for number in range(options.blocked):
            waited, what = stop_blocked(folder, number, draws, options.longest)
            waits.append(waited)
            harness.check(waited < options.limit, f"{what}: gone after {waited:.2f} s")
            count += 1
    print(f"gone after {sorted(waits)[len(waits) // 2]:.2f} s (median), {max(waits):.2f} s at most")
    harness.finish(count, "signals")


if __name__ == "__main__":
    main()
