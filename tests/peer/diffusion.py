#!/usr/bin/python3
"""States that spread along the cable (LONGITUDINAL_DIFFUSION) against NEURON, 60 ms at dt 0.025 ms.

A branching cell with hh, kicked at the soma: shells of calcium with a buffer, an array with an index and a
STATE by itself (calcium_shells.mod), and sodium that is the ion's own (sodium_spreads.mod); branches at the middle and at
both ends of others, of unequal compartments; a branch without the mechanisms between two that have them.

Tolerances: 1e-9 of the largest value of a concentration, 1e-9 mV (round-off; reference: NEURON). Under crank_nicolson
2e-3, for these schemes have rates that states set, which are of second order here and of first in NEURON.
"""

import neuron_mods
from parity import REPOSITORY, Run, Session, run_neuron
from twin import Branch, Cell

import numpy as np  # after parity, which says what is missing

MODELS = REPOSITORY / "tests/command/models"
FILES = [MODELS / "calcium_shells.mod", MODELS / "sodium_spreads.mod"]
STOP = 60.0
BOUNDS = {"backward_euler": 1e-9, "crank_nicolson": 2e-3}
BRANCHES = [Branch("soma", 20.0, 20.0, compartments=3),
            Branch("dend[0]", 150.0, 2.0, "soma", compartments=7),
            Branch("dend[1]", 80.0, (3.0, 1.0), "soma", at=0, compartments=5),
            Branch("dend[2]", 60.0, 1.0, "dend[0]", compartments=4),
            Branch("dend[3]", 70.0, 1.5, "dend[0]", at=0.5, compartments=3),
            Branch("axon", 40.0, 1.0, "dend[2]"),
            Branch("apic[0]", 30.0, 1.0, "axon", compartments=2)]
WITH = ("soma", "dend", "apic")
PLACES = ["soma(0.5)", "dend[0](0.07142857142857142)", "dend[0](0.5)", "dend[1](0.1)", "dend[2](0.125)", "dend[3](0.16666666666666666)", "apic[0](0.25)"]
# What is recorded, and its name in NEURON.
VARIABLES = {"calcium_shells.ca[0]": "ca_calcium_shells[0]", "calcium_shells.ca[3]": "ca_calcium_shells[3]",
             "calcium_shells.tracer": "tracer_calcium_shells", "nai": "nai", "ena": "ena", "v": "v"}
LEAKS = {"soma": 0.02, "dend": 0.0, "apic": 0.01}
CASES = [f"{integrator}.D{D}" for integrator in ("backward_euler", "crank_nicolson") for D in (0.6, 60.0)]


def regions():
    hh = {"gnabar": 0.12, "gkbar": 0.036, "gl": 0.0003, "el": -54.3}
    return [("all", {"cm": 1.0, "Ra": 100.0, "hh": hh})]


def model(cell, run, D):
    described = cell.model()
    for region in WITH:
        described["regions"][region] = {"calcium_shells": {"D": f"{D!r} um2/ms", "leak": f"{LEAKS[region]!r} mM/ms"},
                                        "sodium_spreads": {"D": f"{D!r} um2/ms"}}
    return {
        "hillock": 1, "run": run.model(), "cells": {"cell": described}, "mechanisms": [str(path) for path in FILES],
        "populations": {"p": {"cell": "cell", "size": 1}},
        "stimuli": [{"iclamp": {"amplitude": "2 nA", "start": "1 ms", "duration": "30 ms"}, "to": "p",
                     "at": "soma(0.5)"}],
        "record": [{"name": f"r{number}_{k}", "of": "p", "variable": variable, "at": place,
                    "every": f"{run.dt!r} ms", "type": "float64"}
                   for number, variable in enumerate(VARIABLES) for k, place in enumerate(PLACES)],
    }


def build(h, cell, D):
    built = cell.build(h)
    for branch in BRANCHES:
        region = branch.name.split("[")[0]
        section = built.segment(f"{branch.name}(0.5)").sec
        if region not in WITH:
            continue
        section.insert("calcium_shells")
        section.insert("sodium_spreads")
        for segment in section:
            segment.calcium_shells.D = segment.sodium_spreads.D = D
            segment.calcium_shells.leak = LEAKS[region]
    return built


def in_neuron(h, cell, run, D):
    """{(variable, place): its values in time}"""
    built = build(h, cell, D)
    clamp = h.IClamp(built.segment("soma(0.5)"))
    clamp.delay, clamp.dur, clamp.amp = 1, 30, 2.0
    traces = {}
    for variable, name in VARIABLES.items():
        for place in PLACES:
            segment = built.segment(place)
            own, _, index = name.partition("[")
            reference = getattr(segment, f"_ref_{own}")
            if index:
                reference = reference[int(index[:-1])]
            traces[variable, place] = h.Vector().record(reference)
    run_neuron(h, run)
    return {key: np.array(trace) for key, trace in traces.items()}


def main():
    session = Session(__doc__.splitlines()[0], CASES)
    h = session.neuron
    neuron_mods.load(h, FILES, session.folder / "mods")
    cell = Cell(regions(), BRANCHES)
    for case in session.options.cases:
        integrator, D = case.split(".D")
        run = Run(STOP, integrator=integrator)
        theirs = in_neuron(h, cell, run, float(D))
        output = session.hillock(model(cell, run, float(D)), case)
        if output is None:
            continue
        for number, variable in enumerate(VARIABLES):
            for k, place in enumerate(PLACES):
                _, ours = output.trace(f"r{number}_{k}", "p")
                reference = theirs[variable, place][:len(ours)]
                size = 1.0 if variable in ("v", "ena") else float(np.abs(reference).max())
                session.within(case, f"{variable} at {place}", float(np.abs(ours[:, 0] - reference).max()) / size,
                               BOUNDS[integrator])
        tracer = [float(theirs["calcium_shells.tracer", place].max()) for place in ("dend[0](0.07142857142857142)",
                                                                                    "soma(0.5)")]
        session.between(case, "what of the tracer gets from the soma to a dendrite", tracer[0] / tracer[1],
                        0.0 if D == "0.6" else 0.1, 1.0)
    session.finish()


if __name__ == "__main__":
    main()
