#!/usr/bin/python3
"""Gap junctions against NEURON's ParallelContext (source_var and target_var with half gaps), 40 ms at dt 0.025 ms.

Cells: a soma with hh and two passive dendrites, of which one is kicked.  Cases, under both integrators: a pair,
a chain of eight coupled at dendrites of both kinds, one-sided junctions, and rectifying ones by a .mod of one's own;
graded synapses, whose file has a POINTER that NEURON sets to the other cell's v, at once and with a lag, or to another
variable of that cell, its calcium and a gate.

Tolerances: soma voltages within 1e-8 mV before the first spike and 1e-5 mV after it (round-off that a spike's steep
slope magnifies; reference: NEURON); of rectifying ones within 1e-5 mV and 1e-3 mV, for NEURON takes the slope of a
current from a secant over 1e-3 mV.
"""

import neuron_mods
from parity import REPOSITORY, Run, Session, run_neuron
from twin import Branch, Cell

import numpy as np  # after parity, which says what is missing

MODELS = REPOSITORY / "tests/command/models"
CELLS, STOP = 8, 40.0
CASES = [f"{name}.{integrator}" for name in ("pair", "chain", "one_sided", "rectifying", "graded", "lagging", "calcium", "gate")
         for integrator in ("backward_euler", "crank_nicolson")]
G = 2e-2  # uS
READ = {"calcium": "cai", "gate": "hh.m"}  # what is read of the other cell, where that is not the voltage
HALF = {"calcium": 3e-4, "gate": 0.5}


def branching_cell():
    hh = {"gnabar": 0.12, "gkbar": 0.036, "gl": 0.0003, "el": -54.3}
    return Cell([("all", {"cm": 1.0, "Ra": 100.0}), ("soma", {"hh": hh, "cal": {"gbar": 2e-4}, "capool": {"gamma": 0.5, "decay": 10.0}}), ("dend", {"pas": {"g": 0.0003, "e": -65.0}})],
                [Branch("soma", 20.0, 20.0), Branch("dend[0]", 200.0, 2.0, "soma", compartments=5),
                 Branch("dend[1]", 100.0, (3.0, 1.0), "soma", at=0, compartments=3)])


def junctions(name):
    """[(source, target, at on the target, peer_at on the source)]"""
    if name == "pair":
        return [(0, 1, "soma(0.5)", "soma(0.5)")]
    if name == "chain":
        return [(i, i + 1, "dend[0](0.5)", "dend[1](0.5)") for i in range(CELLS - 1)]
    return [(i, (i + 1) % CELLS, "dend[0](0.1)", "soma(0.5)") for i in range(CELLS)]


def sides(name):
    """What stands on the target, and on the source; None for nothing."""
    if name == "rectifying":
        return ("one_way", {"g": G, "sign": 1.0}), ("one_way", {"g": G, "sign": -1.0})
    if name in ("graded", "lagging"):
        return ("graded", {"gmax": G, "quick": 1.0 if name == "graded" else 0.0}), None
    if name in READ:
        return ("released", {"gmax": G, "half": HALF[name]}), None
    return ("gap", {"g": G}), (None if name == "one_sided" else ("gap", {"g": G}))


def described(side):
    units = {"g": "uS", "gmax": "uS", "half": "mM"}
    name, parameters = side
    return {name: {key: f"{value!r} {units[key]}" if key in units else value for key, value in parameters.items()}}


def model(cell, name, run, folder):
    target, source = sides(name)
    listed = junctions(name)
    places = {(at, peer_at) for _, _, at, peer_at in listed}
    (at, peer_at), = places
    junction = {"at": at, "peer_at": peer_at}
    if name in ("pair", "chain"):
        junction["g"] = f"{G!r} uS"
    else:
        junction["mechanism"] = described(target)
        if source:
            junction["peer_mechanism"] = described(source)
        if name in READ:
            junction["reads"] = READ[name]
    (folder / "pairs.csv").write_text("source,target\n" + "".join(f"{s},{t}\n" for s, t, _, _ in listed))
    return {
        "hillock": 1, "run": run.model(), "cells": {"cell": cell.model()}, 
        "mechanisms": [str(MODELS / "one_way.mod"), {"file": str(MODELS / "graded.mod"), "peer": "vpre"},
                       {"file": str(MODELS / "released.mod"), "peer": "held"}],
        "populations": {"p": {"cell": "cell", "size": CELLS}},
        "projections": [{"from": "p", "to": "p", "connect": {"list": {"csv": str(folder / "pairs.csv")}},
                         "gap_junction": junction}],
        "stimuli": [{"iclamp": {"amplitude": "2 nA", "start": "1 ms", "duration": "3 ms"}, "to": "p[0]",
                     "at": "soma(0.5)"}],
        "record": [{"name": "v", "of": "p", "variable": "v", "at": "soma(0.5)", "every": f"{run.dt!r} ms",
                    "type": "float64"},
                   {"name": "spikes", "of": "p"}],
    }


def in_neuron(h, cell, name, run):
    """Every junction end that is read has a number of its own, as source_var wants it."""
    cells = [cell.build(h) for _ in range(CELLS)]
    context = h.ParallelContext()
    target, source = sides(name)
    ends, kept = {}, []

    def number_of(which, place):
        if (which, place) not in ends:
            segment = cells[which].segment(place)
            ends[which, place] = len(ends)
            context.source_var(segment._ref_v, ends[which, place], sec=segment.sec)
        return ends[which, place]

    def put(side, which, place, peer, peer_place):
        point = getattr(h, side[0])(cells[which].segment(place))
        for key, value in side[1].items():
            setattr(point, key, value)
        if side[0] == "graded":
            h.setpointer(cells[peer].segment(peer_place)._ref_v, "vpre", point)
        elif side[0] == "released":
            there = cells[peer].segment(peer_place)
            h.setpointer(there._ref_cai if name == "calcium" else there.hh._ref_m, "held", point)
        else:
            context.target_var(point, point._ref_vgap, number_of(peer, peer_place))
        kept.append(point)

    for s, t, at, peer_at in junctions(name):
        put(target, t, at, s, peer_at)
        if source:
            put(source, s, peer_at, t, at)
    context.setup_transfer()
    clamp = h.IClamp(cells[0].segment("soma(0.5)"))
    clamp.delay, clamp.dur, clamp.amp = 1, 3, 2.0
    traces = [c.record("soma(0.5)")[0] for c in cells]
    run_neuron(h, run)
    values = np.array([trace.as_numpy() for trace in traces]).T
    context.gid_clear()
    return values


def main():
    session = Session(__doc__.splitlines()[0], CASES)
    h = session.neuron
    neuron_mods.load(h, [REPOSITORY / "mechanisms/catalogue/gap.mod", MODELS / "one_way.mod", MODELS / "graded.mod",
                         MODELS / "released.mod", REPOSITORY / "mechanisms/catalogue/cal.mod",
                         REPOSITORY / "mechanisms/catalogue/capool.mod"],
                     session.folder / "mods")
    cell = branching_cell()
    for case in session.options.cases:
        name, integrator = case.split(".")
        run = Run(STOP, integrator=integrator)
        theirs = in_neuron(h, cell, name, run)
        output = session.hillock(model(cell, name, run, session.folder), case)
        if output is None:
            print(case, theirs[::200])
            continue
        _, ours = output.trace("v", "p")
        theirs = theirs[:len(ours)]
        first = min(np.argmax(theirs > 0, axis=0)[(theirs > 0).any(axis=0)], default=len(theirs))
        before, after = (1e-5, 1e-3) if name == "rectifying" else (1e-8, 1e-5)
        session.between(case, "cells that the kick moves by 1 mV", int((np.ptp(theirs, axis=0) > 1).sum()),
                        2 if name == "pair" else CELLS, CELLS)
        session.same_trace(case, "v before the first spike", ours[:first], theirs[:first], before)
        session.same_trace(case, "v", ours, theirs, after)
    session.finish()


if __name__ == "__main__":
    main()
