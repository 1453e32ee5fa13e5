#!/usr/bin/env python3
"""hillock threshold: what it finds is the least with which a run has the spike, for each cell of its own; a curve of
strength and duration; the same on any threads; a table, JSON and a CSV file of the same numbers; what cannot be asked
for."""

import csv
import json
import math
import pathlib

import harness

harness.need("h5py", "numpy")
import h5py  # noqa: E402

SCALE, DURATION = "stimuli.0.field.scale", "stimuli.0.field.waveform.duration"
FIBRES = """hillock: 1
run: {duration: 6 ms, dt: 0.01 ms, temperature: 20 degC}  # of two epochs
cells:
  fibre:
    morphology: {branches: [{name: axon, unit: um, compartments: 80, points: [[-1000, 0, 0, 5], [1000, 0, 0, 5]]}]}
    regions: {all: {hh: {}, cm: 1 uF/cm2, Ra: 70 ohm.cm}}
    detector: {at: axon(0.95)}
populations:
  fibres:
    cell: fibre
    size: 3
    positions: {list: [[-1000 um, 0 um, 100 um], [-1000 um, 0 um, 150 um], [-1000 um, 0 um, 400 um]]}
stimuli:
  - to: fibres
    field: {points: [[0 um, 0 um, 0 um]], current: -0.1 mA, conductivity: 0.3 S/m,
            waveform: {amplitude: 1, start: 0.5 ms, duration: 0.2 ms}}
record: [{name: spikes, of: fibres}]
"""


def threshold(*words):
    done = harness.run("threshold", *words)
    harness.check(done.returncode == 0, f"threshold {words}: {done.returncode} {done.stderr}")
    return done.stdout


def spiked(folder, model, scale):
    done = harness.run("run", model, "-o", folder / "out", "--force", "--quiet", "--set", f"{SCALE}={scale!r}")
    harness.check(done.returncode == 0, done.stderr)
    with h5py.File(folder / "out/spikes.h5") as file:
        return {int(cell) for cell in file["spikes/fibres/node_ids"][:]}


def check_least(folder, model):
    found = json.loads(threshold(model, SCALE, "fibres", "--json", "--tolerance", "0.001"))
    least = found["thresholds"]
    harness.check(found["runs"] > 10 and found["backend"] == "cpu" and found["tolerance"] == 0.001, f"{found}")
    harness.check(0 < least[0] < least[1] and least[2] is None, f"farther away more is needed: {least}")
    for cell in (0, 1):
        harness.check(cell in spiked(folder, model, least[cell]), f"{least[cell]} is enough for cell {cell}")
        harness.check(cell not in spiked(folder, model, least[cell] / 1.0011), f"less than {least[cell]} is not")
    by_threads = [json.loads(threshold(model, SCALE, "fibres", "--json", "--threads", n))["thresholds"] for n in (1, 3)]
    harness.check(by_threads[0] == by_threads[1], f"on one thread and three: {by_threads}")
    elsewhere = json.loads(threshold(model, SCALE, "fibres", "--json", "--spikes-at", "axon(0.5)", "--high", "4",
                                     "--tolerance", "0.001"))["thresholds"]
    soon = json.loads(threshold(model, SCALE, "fibres", "--json", "--until", "2 ms", "--tolerance",
                                "0.001"))["thresholds"]
    harness.check(all(elsewhere) and elsewhere[0] != least[0], f"in the middle: {elsewhere}, {least}")
    bare = folder / "bare.yaml"
    bare.write_text(FIBRES[:FIBRES.index("record:")].replace("    detector: {at: axon(0.95)}\n", ""))
    said = json.loads(threshold(bare, SCALE, "fibres", "--json", "--spikes-at", "axon(0.95)", "--tolerance", "0.001"))
    harness.check(said["thresholds"] == least, f"where it is said, of cells without a detector: {said}, {least}")
    harness.check(soon[0] > least[0] * 1.001, f"sooner: {soon}, {least}")


def check_model_for_each_run(folder, model):
    """Where events may reach cells each run has a model of its own: the same is found."""
    driven = folder / "driven.yaml"
    driven.write_text(FIBRES.replace("record:", "  - {to: fibres, poisson: {rate: 1e-6 Hz}, synapse: {expsyn: {tau: 1 ms, e: 0 mV}, "
                                     "at: axon(0.5)}, weight: 0 uS}\nrecord:"))
    found = [json.loads(threshold(of, SCALE, "fibres", "--json", "--tolerance", "0.001")) for of in (model, driven)]
    harness.check(found[0]["thresholds"] == found[1]["thresholds"] and found[0]["runs"] == found[1]["runs"], f"{found}")


def check_table(folder, model):
    words = (model, SCALE, "fibres", "--values", f"{DURATION}=0.1ms,0.4 ms")
    found = json.loads(threshold(*words, "--json", "-o", folder / "curve.csv"))
    curve = found["thresholds"]
    harness.check(found["values"] == {DURATION: ["0.1ms", "0.4 ms"]}, f"{found}")
    harness.check(all(long < short for short, long in zip(curve[0][:2], curve[1])), f"longer is weaker: {curve}")
    alone = json.loads(threshold(model, SCALE, "fibres", "--json", "--set", f"{DURATION}=0.4ms"))["thresholds"]
    harness.check(curve[1] == alone, f"one of the curve is the same alone: {curve} {alone}")
    with open(folder / "curve.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    harness.check([row["cell"] for row in rows] == list("012012"), f"{rows}")
    for row, number in zip(rows, [*curve[0], *curve[1]]):
        same = float(row["threshold"]) == number if number is not None else math.isnan(float(row["threshold"]))
        harness.check(same, f"{row} is {number}")
    lines = threshold(*words).splitlines()
    harness.check(lines[0].split() == [DURATION, "cell", "threshold"] and len(lines) == 8, f"{lines}")
    harness.check(lines[1].split()[-1] == f"{curve[0][0]:.6g}" and lines[3].split()[-1] == "none", f"{lines}")
    harness.check("nothing is enough up to 1, of 2 cells" in lines[-1], f"{lines}")


def check_block(folder):
    """A current that depolarises for long ends the spikes that a smaller one makes."""
    model = folder / "block.yaml"
    model.write_text(FIBRES[:FIBRES.index("stimuli:")].replace("compartments: 80", "compartments: 1") +
                     "stimuli: [{to: fibres, at: axon(0.5), iclamp: {amplitude: 1 nA, duration: 60 ms}}]\n")
    words = (model, "stimuli.0.iclamp.amplitude", "fibres", "--block", "--from", "40", "--until", "60 ms", "--low", "6",
             "--high", "200", "--json", "--set", "run.duration=60 ms", "--set", "run.temperature=6.3 degC")
    found = json.loads(threshold(*words))
    harness.check(found["block"] and all(6 < one < 200 for one in found["thresholds"]), f"{found}")


def check_faults(folder, model):
    wrong = folder / "wrong.yaml"
    wrong.write_text(FIBRES[:FIBRES.index("record:")].replace("    detector: {at: axon(0.95)}\n", ""))
    connected = folder / "connected.yaml"
    connected.write_text(FIBRES + "projections: [{from: fibres, to: fibres, connect: {all_to_all: {}}, weight: 1 nS, "
                         "delay: 1 ms, synapse: {expsyn: {tau: 2 ms, e: 0 mV}, at: axon(0.5)}}]\n")
    (folder / "spots.csv").write_text("population,cell,branch,position\n0,0,0,0.5\n0,1,0,0.5\n")
    (folder / "terms.csv").write_text("equation,unknown,c,g\n0,0,0,0.05\n0,1,0,-0.05\n1,1,0,0.05\n1,0,0,-0.05\n")
    wired = folder / "wired.yaml"
    wired.write_text(FIBRES + "wiring: {on: [fibres], spots: {csv: spots.csv}, terms: {csv: terms.csv}}\n")
    for code, words, said in (
            (2, (model, SCALE, "fibers"), "there is no population 'fibers'; there are fibres"),
            (2, (model, SCALE, "fibres", "--low", "2"), "low and high must be two numbers"),
            (2, (model, SCALE, "fibres", "--tolerance", "0"), "tolerance is a part of a threshold"),
            (2, (model, SCALE, "fibres", "--from", "3", "--until", "2"), "which is no time"),
            (2, (model, SCALE, "fibres", "--from", "3 mV"), "mV"),
            (2, (model, SCALE, "fibres", "--values", DURATION), "expected KEY=VALUE,VALUE"),
            (2, (model, SCALE, "fibres", "--values", f"{DURATION}=1ms,"), "one of the values is empty"),
            (2, (model, SCALE, "fibres", "--values", f"{DURATION}=1ms", "--values", "run.dt=1us,2us"), "has as many"),
            (2, (wrong, SCALE, "fibres"), "have no detector"),
            (2, (model, SCALE, "fibres", "--values", f"{SCALE}=1,2"), "is what is looked for"),
            (2, (connected, SCALE, "fibres"), "cells are connected"),
            (2, (wired, SCALE, "fibres"), "cells are connected"),
            (3, (model, "stimuli.0.field.scales", "fibres"), "scales"),
            (3, (model, "run.dt", "fibres"), "run.dt"),
            (3, (model, SCALE, "fibres", "--spikes-at", "soma(0.5)"), "soma"),
            (3, (model, SCALE, "fibres", "--values", f"{DURATION}=1mV"), "duration must be a time"),
            (4, (folder / "none.yaml", SCALE, "fibres"), "none.yaml")):
        done = harness.run("threshold", *words)
        harness.check(done.returncode == code and said in done.stderr,
                      f"{words[1:]}: {done.returncode} instead of {code}, {done.stderr}")


def main():
    with harness.scratch() as name:
        folder = pathlib.Path(name)
        model = folder / "fibres.yaml"
        model.write_text(FIBRES)
        check_least(folder, model)
        check_model_for_each_run(folder, model)
        check_table(folder, model)
        check_block(folder)
        check_faults(folder, model)
    harness.finish(37, "checks")


if __name__ == "__main__":
    main()
