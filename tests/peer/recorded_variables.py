#!/usr/bin/python3
"""What can be recorded besides voltages, against NEURON 8.2.2: gates, currents, conductances.

A current recorded at a time is that of the step that ends there, in both programs, but for a
voltage clamp's, which NEURON computes from the voltage at the step's end.  NEURON's
secondorder = 2 extrapolates ionic currents (ina, ik) to the end of the step and leaves all other
currents as they are; Hillock extrapolates none, so ionic currents are compared with
backward_euler alone.

Tolerance: 1e-6 of the largest value that NEURON records (reference; a spike magnifies round-off).
"""

from parity import Run, Session, run_neuron
from single_cells import HH, PASSIVE, SOMA, clamp_model, clamp_neuron
from twin import Branch, Cell, mechanism

import numpy as np  # after parity, which says what is missing

EXPSYN = {"tau": 2.0, "e": 0.0}
EXP2SYN = {"tau1": 0.5, "tau2": 3.0, "e": -80.0}
WEIGHT, EVENTS = 0.01, [3.0, 12.31, 15.0]
STEP = ("iclamp", "soma(0.5)", {"amplitude": 0.5, "start": 2.0, "duration": 40.0})
HOLD = ("seclamp", "soma(0.5)", {"levels": [-65.0, 0.0, -70.0], "durations": [5.0, 10.0, 10.0], "rs": 0.5})
CELL = Cell([("all", {"cm": 1.0, "Ra": 100.0}), ("soma", {"hh": HH["hh"]}), ("dend", {"pas": PASSIVE["pas"]})],
            [SOMA, Branch("dend", 300.0, 2.0, "soma", compartments=11)])

# Hillock's variable, its place, NEURON's: (what holds it, its name)
VARIABLES = [
    ("hh.m", "soma(0.5)", ("segment", "m_hh")), ("hh.h", "soma(0.5)", ("segment", "h_hh")),
    ("hh.n", "soma(0.5)", ("segment", "n_hh")),
    ("ina", "soma(0.5)", ("segment", "ina")), ("ik", "soma(0.5)", ("segment", "ik")),
    ("expsyn.g", "dend(0.5)", ("expsyn", "g")), ("expsyn.i", "dend(0.5)", ("expsyn", "i")),
    ("exp2syn.g", "dend(0.5)", ("exp2syn", "g")), ("exp2syn.i", "dend(0.5)", ("exp2syn", "i")),
    ("i_membrane", "dend(0.5)", ("segment", "i_membrane_")),
]
# NEURON's i_membrane_ under a voltage clamp is not the membrane's current (226 nA for a clamp of 30).
CASES = {"step": (STEP, VARIABLES + [("i_membrane", "soma(0.5)", ("segment", "i_membrane_"))]),
         "hold": (HOLD, VARIABLES), "clamp_current": (HOLD, [("seclamp.i", "soma(0.5)", ("clamp", "i"))])}


def model(clamp, variables, run):
    synapses = [{"spikes": {"times": [f"{t!r} ms" for t in EVENTS]}, "to": "one", "weight": f"{WEIGHT} uS",
                 "synapse": {**mechanism(kind, **parameters), "at": "dend(0.5)"}}
                for kind, parameters in (("expsyn", EXPSYN), ("exp2syn", EXP2SYN))]
    return {"hillock": 1, "run": run.model(), "cells": {"cell": CELL.model()},
            "populations": {"one": {"cell": "cell", "size": 1}},
            "stimuli": [clamp_model(*clamp), *synapses],
            "record": [{"name": f"r{i}", "of": "one", "variable": variable, "at": place,
                        "every": f"{run.dt!r} ms", "type": "float64"}
                       for i, (variable, place, _) in enumerate(variables)]}


def in_neuron(h, clamp, variables, run):
    built, sources = CELL.build(h), []
    holders = {"clamp": clamp_neuron(h, built.segment(clamp[1]), clamp[0], clamp[2])}
    for kind, parameters in (("expsyn", EXPSYN), ("exp2syn", EXP2SYN)):
        holders[kind] = built.synapse("dend(0.5)", kind, **parameters)
        source = h.NetCon(None, holders[kind])
        source.weight[0], source.delay = WEIGHT, 0
        sources.append(source)
    traces = [h.Vector().record(getattr(holders.get(holder) or built.segment(place), f"_ref_{name}"))
              for _, place, (holder, name) in variables]
    run_neuron(h, run, lambda: [source.event(t) for source in sources for t in EVENTS])
    return [np.array(trace)[:run.steps] for trace in traces]


def main():
    session = Session(__doc__.splitlines()[0], list(CASES))
    session.neuron.CVode().use_fast_imem(1)
    for case in session.options.cases:
        clamp, variables = CASES[case]
        for integrator in ("backward_euler", "crank_nicolson"):
            run = Run(40.0, integrator=integrator)
            if case == "clamp_current" and not session.options.neuron_only:
                if not session.accepts(model(clamp, variables, run), case):
                    print(f"left out: {case}, a clamp's current cannot be recorded yet")
                    break
            traces = in_neuron(session.neuron, clamp, variables, run)
            output = session.hillock(model(clamp, variables, run), f"{case}.{integrator}")
            for i, (variable, place, _) in enumerate(variables):
                if not output:
                    print(case, integrator, variable, place, traces[i].min(), traces[i].max())
                elif integrator == "backward_euler" or variable not in ("ina", "ik"):
                    _, ours = output.trace(f"r{i}", "one")
                    session.same_trace(f"{case}.{integrator}", f"{variable} at {place}", ours[1:, 0],
                                       traces[i][1:], 1e-6 * np.abs(traces[i]).max(), "")
    session.finish()


if __name__ == "__main__":
    main()
