#!/usr/bin/env python3
"""Izhikevich's network fires as often as published in each of its regimes, whatever the seed, and the cortical
microcircuit in each of its populations; what point neurons cannot do is refused, at its place."""

import pathlib
import re
import subprocess
import sys

import harness

harness.need("h5py", "numpy", "yaml")

# Spikes of the first second, from Kasap and van Opstal (2018), figure 3, and how far the mean of ten seeds may lie from
# them: the standard deviation between seeds is some 2 % of the counts, and 15 % of the few of the quiet regime.
REGIMES = {"quiet": (194, 0.15), "balanced": (18762, 0.05), "irregular": (41895, 0.05)}
SEEDS = 10

# Hz, of the whole microcircuit of Potjans and Diesmann (2014) with Poisson trains from outside.
MICROCIRCUIT_HZ = {"L23E": 0.9, "L23I": 3.0, "L4E": 4.4, "L4I": 5.9, "L5E": 7.6, "L5I": 8.6, "L6E": 1.1, "L6I": 7.8}

SILENT_MOD = """NEURON { ARTIFICIAL_CELL deaf RANGE v }
ASSIGNED { arrived }
STATE { v }
INITIAL { v = 0 arrived = 0 }
BREAKPOINT { v = v + arrived arrived = 0 if (v > 1) { net_event(t) v = 0 } }
NET_RECEIVE(weight) { arrived = arrived + weight }
"""
MODEL = """hillock: 1
run: {duration: 70 ms, dt: 1 ms}
cells: {rs: {izhikevich: {}}, wild: {izhikevich: {c: -10000}}, deaf: {deaf: {}}}
mechanisms: [deaf.mod]
populations: {p: {cell: rs, size: 20}, w: {cell: wild, size: 3}, q: {cell: deaf, size: 4}}
projections:
  - {from: p, to: q, connect: {fixed_indegree: 2}, weight: 1, delay: 1 ms}
  - {from: p, to: q, connect: {fixed_indegree: 2}, weight: WEIGHT, delay: 1 ms}
  - {from: p, to: w, connect: {fixed_indegree: 2}, weight: SPARK, delay: 1 ms}
stimuli:
  - {NOISE, to: DRIVEN}
  - {poisson: {rate: RATE}, to: p, weight: 25}
record: [{name: spikes, of: p}]
"""


def times_of(folder):
    """{population: times of its spikes, ms}"""
    import h5py
    with h5py.File(folder / "spikes.h5") as file:
        return {name: group["timestamps"][:] for name, group in file["spikes"].items()}


def regimes(folder):
    for regime, (published, tolerance) in REGIMES.items():
        counts = []
        for seed in range(1, SEEDS + 1):
            done = harness.run("run", harness.ROOT / f"examples/izhikevich/{regime}.yaml", "-o", folder / "out",
                               "--force", "--quiet", "--set", f"run.seed={seed}")
            harness.check(done.returncode == 0, f"{regime}, seed {seed}: {done.stderr}")
            counts.append(sum(map(len, times_of(folder / "out").values())))
        mean = sum(counts) / SEEDS
        print(f"{regime}: {mean:.0f} spikes on average, published {published}; {sorted(counts)}")
        harness.check(abs(mean - published) < tolerance * published, f"{regime}: {mean} spikes, published {published}")
        harness.check(len(set(counts)) > 1, f"{regime}: seeds do not matter")
    return len(REGIMES)


def microcircuit(folder):
    """A twentieth of it, with what stands for the synapses that it lacks: every population within a third of the whole
    one's rate and half a hertz; the rate of the smallest one, of 53 neurons, has a standard error of 0.6 Hz."""
    import yaml
    text = subprocess.run([sys.executable, harness.ROOT / "examples/microcircuit/make.py", "--scale", "0.05", "--duration",
                           "700"], capture_output=True, text=True, check=True).stdout
    (folder / "microcircuit.yaml").write_text(text)
    done = harness.run("run", folder / "microcircuit.yaml", "-o", folder / "circuit", "--quiet")
    harness.check(done.returncode == 0, f"microcircuit: {done.stderr}")
    times = times_of(folder / "circuit")
    for name, population in yaml.safe_load(text)["populations"].items():
        rate = (times[name] > 200).sum() / population["size"] / 0.5
        print(f"{name}: {rate:.2f} Hz, published {MICROCIRCUIT_HZ[name]}")
        harness.check(abs(rate - MICROCIRCUIT_HZ[name]) < MICROCIRCUIT_HZ[name] / 3 + 0.5, f"{name}: {rate} Hz")
    return len(MICROCIRCUIT_HZ)


def refusals(folder):
    """(what is changed, exit code, what is said)"""
    good = {"WEIGHT": "1", "SPARK": "0", "NOISE": "gaussian: {sd: 5}", "DRIVEN": "p", "RATE": "10 Hz"}
    cases = [({}, 0, ""),
             ({"DRIVEN": "q"}, 3, r"model.yaml:11:16: error: stimuli\[0\].gaussian: deaf takes no current "
                                  r"\(its NEURON block has no ELECTRODE_CURRENT\)"),
             ({"NOISE": "gaussian: {sd: 5 nA}"}, 3, r"5 nA is a current; sd must be a plain number"),
             ({"WEIGHT": "1e-7"}, 3, r"model.yaml:8:5: error: .*the largest weight here is 1e-07 and the largest onto q "
                                     r"1: .* at least 9.53674e-07"),
             ({"RATE": "700 kHz"}, 3, r"model.yaml:12:5: error: .*700 events a step for p\[0\]; at most 600"),
             ({"SPARK": "2000", "RATE": "300 Hz"}, 5, r"izhikevich\.[uv] is not a finite number at [67][04] ms in w\[\d\]")]
    for changes, code, text in cases:
        model = MODEL
        for word, value in {**good, **changes}.items():
            model = model.replace(word, value)
        (folder / "deaf.mod").write_text(SILENT_MOD)
        (folder / "model.yaml").write_text(model)
        for threads in (1, 3):
            done = harness.run("run", folder / "model.yaml", "-o", folder / "refused", "--force", "--quiet", "--threads",
                               threads)
            harness.check(done.returncode == code, f"{changes}: exit code {done.returncode}, not {code}\n{done.stderr}")
            harness.check(re.search(text, done.stderr), f"{changes}: no '{text}' in\n{done.stderr}")
    return len(cases)


def main():
    with harness.scratch() as scratch:
        folder = pathlib.Path(scratch)
        count = refusals(folder) + regimes(folder) + microcircuit(folder)
    harness.finish(count, "cases")


if __name__ == "__main__":
    main()
