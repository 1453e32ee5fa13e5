#!/usr/bin/python3
"""Networks of 20 neurons with real shapes against NEURON 8.2.2 over 200 ms, for six morphologies.

Shape: `soma: neuron8` against NEURON's Import3d, and d_lambda 0.1: the same branches, numbered alike,
with the same parents, compartments and, to 1e-6 relative, areas of every compartment.
Network: hh on the soma and on the axon where there is one, pas elsewhere; all-to-all ExpSyn, each
cell driven by a current of its own, so that every cell spikes at least five times and no two alike.
The same network without its synapses must spike at other times, or the comparison would say
nothing about synapses.
Tolerances: spike counts equal, times within dt, for both integrators.

The library's pyramid is always compared; the five reconstructions lie beside the repository
(HILLOCK_SHARED) and are left out, with a word, when they are not there.
"""

import json

from parity import REPOSITORY, Run, Session, SpikeRecorder, compute_side_by_side, run_neuron, shared
from twin import Cell, mechanism

import numpy as np  # after parity, which says what is missing

CELLS, DURATION = 20, 200.0
SYNAPSE = {"tau": 3.0, "e": 0.0}

# per morphology: axon (hh on it too), how many times hh's sodium and potassium conductances (a small
# soma must drive the whole dendrite), place of the synapses, weight in uS, delay in ms, current of
# cell 0 and what each further cell gets on top, in nA
NETWORKS = {
    "ca1_c91662": dict(axon=True, dense=3, at="dend[1](0.5)", weight=0.0006, delay=1.51, first=0.85, more=0.03),
    "ca1_n120": dict(axon=False, dense=3, at="dend[1](0.5)", weight=0.0005, delay=1.51, first=0.95, more=0.02),
    # Its delay ends on half a step, which goes to the later one.
    "purkinje": dict(axon=False, dense=3, at="tag11[0](0.5)", weight=0.0006, delay=1.5125, first=0.85, more=0.03),
    "pyramidal": dict(axon=True, dense=10, at="dend[1](0.5)", weight=0.0006, delay=1.51, first=0.8, more=0.03),
    "v1_scnn1a": dict(axon=True, dense=3, at="dend[1](0.5)", weight=0.0004, delay=1.51, first=0.33, more=0.01),
}
LIBRARY = "pyramid"  # models/library
NETWORKS[LIBRARY] = dict(axon=True, dense=3, at="dend[1](0.5)", weight=0.0006, delay=1.51, first=0.8,
                         more=0.03)
INTEGRATORS = ("backward_euler", "crank_nicolson")


def network_cell(path, p):
    hh = {"gnabar": 0.12 * p["dense"], "gkbar": 0.036 * p["dense"], "gl": 0.0003, "el": -54.3}
    regions = [("all", {"cm": 1.0, "Ra": 100.0, "pas": {"g": 3e-5, "e": -65.0}})]
    for region in ("soma", "axon") if p["axon"] else ("soma",):
        regions.append((region, {"pas": {"g": 0.0, "e": -65.0}, "hh": hh}))
    return Cell(regions, swc=path, detector=("soma[0](0.5)", -10.0))


def start_of(index):
    """When the current of a cell begins, in ms; on the grid of dt."""
    return 2.0 + 1.3 * index


def model(cell, p, run, synapses=True):
    made = {
        "hillock": 1, "run": run.model(), "cells": {"cell": cell.model()},
        "populations": {"net": {"cell": "cell", "size": CELLS}},
        "stimuli": [{"iclamp": {"amplitude": f"{p['first']} nA + {p['more']} nA * index",
                                "start": "2 ms + 1.3 ms * index", "duration": "1000 ms"},
                     "to": "net", "at": "soma[0](0.5)"}],
        "record": [{"name": "spikes", "of": "net"}],
    }
    if synapses:
        made["projections"] = [{
            "from": "net", "to": "net", "connect": {"all_to_all": {}, "autapses": False},
            "synapse": {**mechanism("expsyn", **SYNAPSE), "at": p["at"]},
            "weight": f"{p['weight']} uS", "delay": f"{p['delay']} ms"}]
    return made


def in_neuron(h, cells, p, run, synapses=True):
    recorder, keep = SpikeRecorder(h), []
    targets = [c.synapse(p["at"], "expsyn", **SYNAPSE) for c in cells]
    for i, c in enumerate(cells):
        clamp = h.IClamp(c.segment("soma[0](0.5)"))
        clamp.delay, clamp.dur, clamp.amp = start_of(i), 1000, p["first"] + p["more"] * i
        keep.append(clamp)
        recorder.add(i, c.connection(None))
        for j in range(CELLS) if synapses else ():
            if j != i:
                connection = c.connection(targets[j])
                connection.weight[0], connection.delay = p["weight"], p["delay"]
                keep.append(connection)
    run_neuron(h, run)
    return recorder.spikes()


def neuron_name(name):
    """soma, dend[3], tag6[0] as Import3d calls them: soma[0], dend[3], dend_6[0]."""
    if name.startswith("tag"):
        name = f"dend_{name[3:]}"
    return name if name.endswith("]") else f"{name}[0]"


def compare_shape(session, name, cell, path_of_model):
    """Branch by branch against Import3d, by name: NEURON lists custom types before their parents."""
    told = json.loads(session.command("info", path_of_model, "--branches", "cell"))["branches"]
    theirs = cell.build(session.neuron).sections
    names = [neuron_name(branch["name"]) for branch in told]
    session.equal(name, "branches", len(told), len(theirs))
    session.equal(name, "branches that only one of the two has", len(set(names) ^ set(theirs)), 0)
    if set(names) != set(theirs):
        return
    names_there = {section: there for there, section in theirs.items()}
    wrong = {"parent": 0, "place on the parent": 0, "compartments": 0}
    area, length = [0.0], [0.0]
    for branch, there in zip(told, names):
        section = theirs[there]
        parent = section.parentseg()
        ours = names[branch["parent"]] if branch["parent"] >= 0 else None
        wrong["parent"] += ours != (names_there[parent.sec] if parent else None)
        wrong["place on the parent"] += bool(parent) and abs(branch["at"] - parent.x) > 1e-12
        wrong["compartments"] += branch["compartments"] != section.nseg
        length.append(abs(branch["length_um"] / section.L - 1))
        if branch["compartments"] == section.nseg:
            area += [abs(here / segment.area() - 1)
                     for here, segment in zip(branch["area_um2"], section)]
    for what, count in wrong.items():
        session.equal(name, f"branches whose {what} differs", count, 0)
    session.within(name, "largest relative difference of a length", max(length), 1e-6)
    session.within(name, f"largest relative difference of an area ({len(area) - 1} compartments)",
                   max(area), 1e-6)


def compare_network(session, cell, p, run, label):
    h = session.neuron
    cells = [cell.build(h) for _ in range(CELLS)]
    spikes = in_neuron(h, cells, p, run)
    fewest = min(len(spikes.get(i, ())) for i in range(CELLS))
    together = max(np.unique(np.round(np.concatenate(list(spikes.values())), 3), return_counts=True)[1])
    if session.options.neuron_only:
        print(f"{label}: fewest {fewest}, most {max(map(len, spikes.values()))}, most cells in one step {together}, "
              f"all {sum(map(len, spikes.values()))}")
    else:
        session.between(label, "fewest spikes of a cell", fewest, 5, 1000)
        session.between(label, "most cells that spike in one step", int(together), 1, 3)
        ours = session.hillock(model(cell, p, run), label).spikes("net")
        session.same_spikes(label, ours, spikes, run.dt)
    if run.integrator == "backward_euler":
        compare_alone(session, cell, in_neuron(h, cells, p, run, synapses=False), spikes, p, run, label)


def compare_alone(session, cell, alone, spikes, p, run, label):
    """The network without its synapses, which must spike at other times."""
    moved = [np.abs(spikes[i][:k] - alone[i][:k]).max() if (k := min(len(spikes[i]), len(alone.get(i, ()))))
             else np.inf for i in spikes]
    if session.options.neuron_only:
        print(f"{label}: moved by synapses {min(moved):.3f} .. {max(moved):.3f} ms; without them "
              f"{sum(map(len, alone.values()))}")
        return
    session.between(label, "least shift of a cell's spikes by synapses", float(min(moved)), 10 * run.dt,
                    np.inf, "ms")
    ours = session.hillock(model(cell, p, run, synapses=False), f"{label}.alone").spikes("net")
    session.same_spikes(f"{label} without synapses", ours, alone, run.dt)


def main():
    session = Session(__doc__.splitlines()[0], list(NETWORKS))
    compute_side_by_side(session.neuron)
    for name in session.options.cases:
        p = NETWORKS[name]
        path = shared("data", "morphologies", f"{name}.swc")
        if name == LIBRARY:
            path = REPOSITORY / "models" / "library" / f"{name}.swc"
        if not path:
            session.leave_out(f"{name}.swc is not beside the repository (HILLOCK_SHARED)")
            continue
        cell = network_cell(path, p)
        for integrator in INTEGRATORS:
            run = Run(DURATION, integrator=integrator)
            compare_network(session, cell, p, run, f"{name}.{integrator}")
        if not session.options.neuron_only:
            compare_shape(session, name, cell, session.folder / f"{name}.backward_euler.yaml")
    session.finish()


if __name__ == "__main__":
    main()
