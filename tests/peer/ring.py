#!/usr/bin/python3
"""A ring of 64 branching cells against NEURON 8.2.2 over 200 ms.

A cell: a soma of 20 x 20 um and a binary dendrite of 6 levels, 127 compartments, with hh everywhere
or with hh on the soma and passive dendrites.  Each spike reaches the next cell's first dendrite
(ExpSyn, tau 2 ms, 0.05 uS) after 5 ms.  Every fourth cell is kicked once at 1 ms, so that a wave
returns to a cell every 25 ms or so and each cell spikes at least five times.

Tolerances: spike counts equal and times within dt (both programs stamp spikes with the end of the
step, so a difference of one step means a crossing within round-off of a step's end); soma voltage
within 1e-6 mV up to the first spike and 1e-3 mV over the first three (reference: NEURON).
"""

from parity import Run, Session, SpikeRecorder, compute_side_by_side, run_neuron
from twin import Branch, Cell, mechanism

import numpy as np  # after parity, which says what is missing

CELLS, KICK_EVERY, LEVELS = 64, 4, 6
TRACED = 3  # cells 0 to 2
CASES = [f"{membrane}.{integrator}" for membrane in ("hh", "passive_dendrites")
         for integrator in ("backward_euler", "crank_nicolson")]
SYNAPSE = {"tau": 2.0, "e": 0.0}
WEIGHT, DELAY, KICK = 0.05, 5.0, 1.0
HH = {"gnabar": 0.12, "gkbar": 0.036, "gl": 0.0003, "el": -54.3}


def ring_cell(membrane):
    branches, tips, diameter = [Branch("soma", 20.0, 20.0)], ["soma"], 3.0
    for _ in range(LEVELS):
        children = []
        for parent in tips:
            for _ in range(2):
                name = f"dend[{len(branches) - 1}]"
                branches.append(Branch(name, 30.0, max(diameter, 0.6), parent))
                children.append(name)
        tips, diameter = children, diameter / 2 ** (2 / 3)
    dendrite = {"hh": HH} if membrane == "hh" else {"pas": {"g": 0.001, "e": -65.0}}
    return Cell([("all", {"cm": 1.0, "Ra": 100.0}), ("soma", {"hh": HH}), ("dend", dendrite)], branches)


def model(cell, run):
    last = CELLS - 1
    link = {"synapse": {**mechanism("expsyn", **SYNAPSE), "at": "dend[0](0.5)"},
            "weight": f"{WEIGHT} uS", "delay": f"{DELAY} ms", "connect": {"one_to_one": {}}}
    return {
        "hillock": 1, "run": run.model(), "cells": {"cell": cell.model()},
        "populations": {"ring": {"cell": "cell", "size": CELLS}},
        "projections": [{"from": f"ring[0:{last}]", "to": f"ring[1:{CELLS}]", **link},
                        {"from": f"ring[{last}]", "to": "ring[0]", **link}],
        "stimuli": [{"spikes": {"times": [f"{KICK} ms"]}, "to": f"ring[{i}]",
                     "synapse": link["synapse"], "weight": link["weight"]}
                    for i in range(0, CELLS, KICK_EVERY)],
        "record": [{"name": "spikes", "of": "ring"},
                   {"name": "v", "of": f"ring[0:{TRACED}]", "variable": "v", "at": "soma(0.5)",
                    "every": f"{run.dt!r} ms", "type": "float64"}],
    }


def in_neuron(h, cell, run):
    cells = [cell.build(h) for _ in range(CELLS)]
    synapses = [c.synapse("dend[0](0.5)", "expsyn", **SYNAPSE) for c in cells]
    recorder, kicks = SpikeRecorder(h), []
    for i, c in enumerate(cells):
        connection = c.connection(synapses[(i + 1) % CELLS])
        connection.weight[0], connection.delay = WEIGHT, DELAY
        recorder.add(i, connection)
        if i % KICK_EVERY == 0:
            kick = h.NetCon(None, synapses[i])
            kick.weight[0], kick.delay = WEIGHT, 0
            kicks.append(kick)
    traces = [c.record("soma(0.5)")[0] for c in cells[:TRACED]]
    run_neuron(h, run, lambda: [kick.event(KICK) for kick in kicks])
    return recorder.spikes(), np.array([trace.as_numpy() for trace in traces]).T


def main():
    session = Session(__doc__.splitlines()[0], CASES)
    compute_side_by_side(session.neuron)
    for case in session.options.cases:
        membrane, integrator = case.split(".")
        cell, run = ring_cell(membrane), Run(200.0, integrator=integrator)
        spikes, traces = in_neuron(session.neuron, cell, run)
        fewest = min(map(len, spikes.values())) if len(spikes) == CELLS else 0
        output = session.hillock(model(cell, run), case)
        if not output:
            print(case, "fewest spikes of a cell", fewest, "cell 0", spikes[0])
            continue
        session.between(case, "fewest spikes of a cell", fewest, 5, 100)
        session.same_spikes(case, output.spikes("ring"), spikes, run.dt)
        _, ours = output.trace("v", "ring")
        for i in range(TRACED):
            first, third = (round(spikes[i][k] / run.dt) for k in (0, 2))
            session.same_trace(case, f"v of soma {i} up to the first spike",
                               ours[:first, i], traces[:first, i], 1e-6)
            session.same_trace(case, f"v of soma {i} over three spikes",
                               ours[:third + 80, i], traces[:third + 80, i], 1e-3)
    session.finish()


if __name__ == "__main__":
    main()
