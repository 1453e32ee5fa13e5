#!/usr/bin/python3
"""One cell at a time against NEURON 8.2.2: clamps, synapses, shapes, both integrators.

Each case is one model, built twice from the description in `cases()`, run with backward_euler and
with crank_nicolson and compared at every step in doubles.

Tolerances (reference: NEURON, same scheme, so only the order of sums differs):
  passive membranes  1e-6 mV
  hh                 1e-6 mV until the first spike; 1e-3 mV over all of the run, since a spike's
                     upstroke (some 300 mV/ms) magnifies round-off
"""

import sys

from parity import Run, Session, SpikeRecorder, run_neuron
from twin import Branch, Cell, mechanism

import numpy as np  # after parity, which says what is missing

PASSIVE = {"cm": 1.0, "Ra": 100.0, "pas": {"g": 1e-4, "e": -65.0}}
HH = {"cm": 1.0, "Ra": 100.0, "hh": {"gnabar": 0.12, "gkbar": 0.036, "gl": 0.0003, "el": -54.3}}
SOMA = Branch("soma", 20.0, 20.0)
SWC = """\
# a soma of three samples, a dendrite that forks, an axon; diameters change along the way
1 1 0 0 0 8 -1
2 1 0 -8 0 8 1
3 1 0 8 0 8 1
4 3 10 0 0 1.5 1
5 3 40 10 0 1.2 4
6 3 90 10 20 0.9 5
7 3 150 60 20 0.4 6
8 3 260 160 20 0.3 7
9 3 120 -30 20 0.6 6
10 3 240 -130 60 0.6 9
11 2 0 -20 0 1 1
12 2 0 -120 10 0.5 11
13 2 10 -320 10 0.4 12
"""


def cases(folder):
    """{name: (cell, clamps, synapses, places, duration in ms, largest difference in mV)}

    clamps: (kind, place, parameters); synapses: (kind, place, parameters, weight in uS, times)
    """
    stick = Cell([("all", PASSIVE)], [SOMA, Branch("dend", 300.0, 2.0, "soma", compartments=11)])
    ball = Cell([("all", HH)], [SOMA])
    ball_and_stick = Cell([("all", {"cm": 1.0, "Ra": 100.0}), ("soma", {"hh": HH["hh"]}),
                           ("dend", {"pas": PASSIVE["pas"]})], stick.branches)
    tree = [SOMA, Branch("dend[0]", 120.0, 3.0, "soma", 1, 5), Branch("dend[1]", 80.0, 1.0, "soma", 0, 3),
            Branch("dend[2]", 90.0, 1.5, "dend[0]", 0.5, 3), Branch("dend[3]", 70.0, 1.2, "dend[0]", 0.5, 1),
            Branch("dend[4]", 60.0, 1.1, "dend[0]", 0, 2), Branch("dend[5]", 60.0, 1.0, "dend[0]", 1, 4),
            Branch("dend[6]", 50.0, 0.8, "dend[2]", 0.5, 3), Branch("dend[7]", 50.0, 0.7, "dend[2]", 0.2, 2),
            Branch("dend[8]", 40.0, 0.6, "dend[2]", 1, 1), Branch("dend[9]", 30.0, 0.9, "soma", 0.5, 1)]
    cones = [SOMA, Branch("dend[0]", 200.0, (4.0, 1.0), "soma", 1, 7),
             Branch("dend[1]", 100.0, (1.0, 0.3), "dend[0]", 1, 5),
             Branch("dend[2]", 100.0, (0.5, 2.0), "dend[0]", 0.5, 4)]
    bent = [SOMA, Branch("dend[0]", None, None, "soma", 1, 5,
                         points=[(20, 0, 0, 3), (50, 10, 0, 1.5), (70, 60, 5, 2), (71, 60, 5, 0.8), (120, 90, 40, 1)]),
            Branch("dend[1]", None, None, "dend[0]", 1, 4,  # the diameter jumps between points that coincide
                   points=[(120, 90, 40, 1), (160, 90, 40, 0.9), (160, 90, 40, 2), (190, 120, 40, 1.2)])]
    swc = folder / "bent.swc"
    swc.write_text(SWC)
    step = [("iclamp", "soma(0.5)", {"amplitude": 0.1, "start": 5.0, "duration": 30.0})]
    spiking = [("iclamp", "soma(0.5)", {"amplitude": 0.5, "start": 2.0, "duration": 40.0})]
    events = [5.0, 12.31, 12.32, 13.0, 20.01]  # on the grid and off it
    middle = ["soma(0.5)", "dend(0.5)"]
    traub = Cell([("all", {"cm": 1.0, "Ra": 100.0, "pas": {"g": 5e-5, "e": -65.0},
                           "hh_traub": {"gnabar": 0.1, "gkbar": 0.03, "vt": -63.0},
                           "ions": {"na": 50.0, "k": -90.0}})],
                 [Branch("soma", 79.788456, 79.788456)])
    return {
        "passive_step": (stick, step, [], middle + ["dend(0)", "dend(1)"], 50.0, 1e-6),
        "hh_step": (ball, spiking, [], ["soma(0.5)"], 50.0, 1e-3),
        "ball_and_stick": (ball_and_stick, spiking, [], middle, 50.0, 1e-3),
        "odd_times": (ball, [("iclamp", "soma(0.5)", {"amplitude": 0.5, "start": 1.012, "duration": 7.5}),
                             ("iclamp", "soma(0.5)", {"amplitude": 0.5, "start": 21.013, "duration": 0.9})],
                      [], ["soma(0.5)"], 30.0, 1e-3),
        "expsyn": (stick, [], [("expsyn", "dend(0.5)", {"tau": 2.0, "e": 0.0}, 0.002, events)],
                   middle, 50.0, 1e-6),
        "exp2syn": (stick, [], [("exp2syn", "dend(0.5)", {"tau1": 0.5, "tau2": 3.0, "e": 0.0}, 0.002, events)],
                    middle, 50.0, 1e-6),
        "synapses_fire_hh": (ball_and_stick, [],
                             [("expsyn", "dend(0.5)", {"tau": 2.0, "e": 0.0}, 0.02, events),
                              ("exp2syn", "dend(1)", {"tau1": 0.2, "tau2": 1.0, "e": -80.0}, 0.001, [12.0])],
                             middle + ["dend(1)"], 50.0, 1e-3),
        "seclamp": (ball_and_stick, [("seclamp", "soma(0.5)", {"levels": [-65.0, 0.0, -70.0],
                                                               "durations": [5.0, 10.0, 10.0], "rs": 0.5})],
                    [], middle, 40.0, 1e-3),
        "passive_tree": (Cell([("all", PASSIVE)], tree), step,
                         [("expsyn", "dend[6](0.5)", {"tau": 2.0, "e": 0.0}, 0.002, [15.0])],
                         ["soma(0.5)", "dend[1](1)", "dend[4](0.75)", "dend[6](0.5)", "dend[7](0.75)",
                          "dend[8](0.5)", "dend[9](0.5)"], 50.0, 1e-6),
        "hh_tree": (Cell([("all", HH)], tree), spiking, [],
                    ["soma(0.5)", "dend[4](0.75)", "dend[6](0.5)"], 50.0, 1e-3),
        "passive_cones": (Cell([("all", PASSIVE)], cones), step, [],
                          ["soma(0.5)", "dend[1](0.9)", "dend[2](0.9)"], 50.0, 1e-6),
        "passive_points": (Cell([("all", PASSIVE)], bent), step, [],
                           ["soma(0.5)", "dend[0](0.5)", "dend[1](0.375)", "dend[1](1)"], 50.0, 1e-6),
        "passive_swc": (Cell([("all", PASSIVE)], swc=swc), step, [],
                        ["soma(0.5)", "dend[1](0.5)", "dend[2](0.5)", "axon(0.5)"], 50.0, 1e-6),
        "hh_swc": (Cell([("all", {"cm": 1.0, "Ra": 100.0}), ("soma", {"hh": HH["hh"]}),
                         ("axon", {"hh": HH["hh"]}), ("dend", {"pas": PASSIVE["pas"]})], swc=swc),
                   spiking, [], ["soma(0.5)", "dend[1](0.5)", "axon(0.5)"], 50.0, 1e-3),
        "hh_traub": (traub, [("iclamp", "soma(0.5)", {"amplitude": 1.0, "start": 5.0, "duration": 40.0})],
                     [("expsyn", "soma(0.5)", {"tau": 5.0, "e": 0.0}, 0.06, [7.0, 30.0]),
                      ("expsyn", "soma(0.5)", {"tau": 10.0, "e": -80.0}, 0.067, [20.0])],
                     ["soma(0.5)"], 60.0, 1e-3),
    }


CASES = ("passive_step hh_step ball_and_stick odd_times expsyn exp2syn synapses_fire_hh seclamp "
         "passive_tree hh_tree passive_cones passive_points passive_swc hh_swc hh_traub").split()


def clamp_model(kind, place, p):
    if kind == "iclamp":
        content = {"amplitude": f"{p['amplitude']!r} nA", "start": f"{p['start']!r} ms",
                   "duration": f"{p['duration']!r} ms"}
    else:
        content = {"levels": [f"{x!r} mV" for x in p["levels"]],
                   "durations": [f"{x!r} ms" for x in p["durations"]], "rs": f"{p['rs']!r} MOhm"}
    return {kind: content, "to": "one", "at": place}


def clamp_neuron(h, segment, kind, p):
    if kind == "iclamp":
        clamp = h.IClamp(segment)
        clamp.delay, clamp.dur, clamp.amp = p["start"], p["duration"], p["amplitude"]
    else:
        clamp = h.SEClamp(segment)
        clamp.rs = p["rs"]
        clamp.amp1, clamp.amp2, clamp.amp3 = p["levels"]
        clamp.dur1, clamp.dur2, clamp.dur3 = p["durations"]
    return clamp


def model(cell, clamps, synapses, places, run):
    stimuli = [clamp_model(*clamp) for clamp in clamps]
    for kind, place, parameters, weight, times in synapses:
        stimuli.append({"spikes": {"times": [f"{t!r} ms" for t in times]}, "to": "one",
                        "synapse": {**mechanism(kind, **parameters), "at": place},
                        "weight": f"{weight!r} uS"})
    record = [{"name": f"v{i}", "of": "one", "variable": "v", "at": place,
               "every": f"{run.dt!r} ms", "type": "float64"} for i, place in enumerate(places)]
    return {"hillock": 1, "run": run.model(), "cells": {"cell": cell.model()},
            "populations": {"one": {"cell": "cell", "size": 1}}, "stimuli": stimuli,
            "record": record + [{"name": "spikes", "of": "one"}]}


def in_neuron(h, cell, clamps, synapses, places, run):
    built = cell.build(h)
    keep, queued = [], []
    for kind, place, parameters in clamps:
        keep.append(clamp_neuron(h, built.segment(place), kind, parameters))
    for kind, place, parameters, weight, times in synapses:
        point = built.synapse(place, kind, **parameters)
        source = h.NetCon(None, point)
        source.weight[0], source.delay = weight, 0
        keep.append(point)
        queued += [(source, t) for t in times]
    traces = built.record(*places)
    recorder = SpikeRecorder(h)
    recorder.add(0, built.connection(None))
    run_neuron(h, run, lambda: [source.event(t) for source, t in queued])
    return [np.array(trace) for trace in traces], recorder.spikes()


def main():
    session = Session(__doc__.splitlines()[0], CASES)
    everything = cases(session.folder)
    assert list(everything) == CASES
    for name in session.options.cases:
        cell, clamps, synapses, places, duration, limit = everything[name]
        for integrator in ("backward_euler", "crank_nicolson"):
            run = Run(duration, integrator=integrator, temperature=36.0 if name == "hh_traub" else 6.3)
            label = f"{name}.{integrator}"
            traces, spikes = in_neuron(session.neuron, cell, clamps, synapses, places, run)
            output = session.hillock(model(cell, clamps, synapses, places, run), label)
            if not output:
                print(label, "spikes", [list(np.round(t, 3)) for t in spikes.values()],
                      "v ranges", [(round(v.min(), 3), round(v.max(), 3)) for v in traces])
                continue
            session.same_spikes(label, output.spikes("one"), spikes, run.dt)
            first = int(min((t[0] for t in spikes.values()), default=duration) / run.dt)
            for i, place in enumerate(places):
                times, ours = output.trace(f"v{i}", "one")
                session.equal(label, "samples", len(times), run.steps)
                ours, theirs = ours[:, 0], traces[i][:run.steps]
                session.same_trace(label, f"v at {place}", ours, theirs, limit)
                if limit > 1e-6:
                    session.same_trace(label, f"v at {place} up to the first spike",
                                       ours[:first], theirs[:first], 1e-6)
    session.finish()


if __name__ == "__main__":
    sys.exit(main())
