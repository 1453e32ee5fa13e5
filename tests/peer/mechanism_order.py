#!/usr/bin/python3
"""The order in dt of mechanisms that step implicitly, against solutions in closed form and against NEURON.

Every solution is known, so each error is that of one run.  Three steps, each half of the one before.  Expected: an
error of order 0.9 to 1.1 under backward_euler, 1.9 to 2.1 under crank_nicolson, and NEURON's traces, to 1e-8 of their
ranges, but where NEURON is of first order under its secondorder = 2: rates that a state sets.  The comparison with
NEURON is left out where there is none (REQUIRE_PEERS=1 makes that a failure).
"""

import importlib.util

import neuron_mods
from mechanism_cases import FOLDER
from parity import Run, Session, load_neuron, peers_are_required, run_neuron

import numpy as np

DURATION, STEPS = 2.0, (0.02, 0.01, 0.005)
ORDER = {"backward_euler": 1, "crank_nicolson": 2}
SAME, TOLERANCE = 1e-8, 0.1
K, TAU, REST, AMPLITUDE, OMEGA = 0.8, 4.0, 0.1, 0.3, 1.7


def pool(t):
    a = 1 / TAU
    swing = a * np.sin(OMEGA * t) - OMEGA * np.cos(OMEGA * t) + OMEGA * np.exp(-a * t)
    return REST - AMPLITUDE / (a * a + OMEGA * OMEGA) * swing


# {mechanism: {state: its solution}}
SOLUTIONS = {
    "relaxing_states": {"linear": lambda t: np.exp(-K * t), "squared": lambda t: 1 / (1 + t),
                        "upper": lambda t: np.cos(K * t), "lower": lambda t: np.sin(K * t)},
    "relaxing_scheme": {"closed": lambda t: 0.4 + 0.6 * np.exp(-0.5 * t), "open": lambda t: 0.6 - 0.6 * np.exp(-0.5 * t),
                        "left": lambda t: 1 / 7 + 6 / 7 * np.exp(-0.7 * t),
                        "right": lambda t: 2 / 7 - 2 / 7 * np.exp(-0.7 * t)},
    "relaxing_pairs": {"pair": lambda t: 1 / (1 + t)},
    "relaxing_catalysis": {"catalyst": lambda t: np.exp(-K * t),
                           "substrate": lambda t: np.exp(-2 / K * (1 - np.exp(-K * t))),
                           "product": lambda t: 1 - np.exp(-2 / K * (1 - np.exp(-K * t)))},
    "relaxing_pool": {"cai": pool},
}
FILES = [FOLDER / f"{name}.mod" for name in (*SOLUTIONS, "swinging_calcium")]
# What NEURON steps by first order even so.
FIRST_ORDER = {("crank_nicolson", "substrate"), ("crank_nicolson", "product")}


def traces(session, run):
    """{state: values at 0, dt, ...} of Hillock."""
    names = {state: "cai" if state == "cai" else f"{mechanism}.{state}"
             for mechanism, states in SOLUTIONS.items() for state in states}
    model = {"hillock": 1, "run": run.model(), "mechanisms": [str(path) for path in FILES],
             "cells": {"cell": {"morphology": {"branches": [{"name": "soma", "length": "20 um", "diameter": "20 um"}]},
                                "regions": {"all": {path.stem: {} for path in FILES}}}},
             "populations": {"one": {"cell": "cell", "size": 1}},
             "record": [{"name": state, "of": "one", "variable": variable, "at": "soma(0.5)", "type": "float64"}
                        for state, variable in names.items()]}
    output = session.hillock(model, f"{run.integrator}.{run.dt:g}")
    return {state: output.trace(state, "one")[1][:, 0] for state in names}


def neuron_traces(h, run):
    section = h.Section(name="soma")
    section.L = section.diam = 20
    for path in FILES:
        section.insert(path.stem)
    segment = section(0.5)
    recorded = {state: h.Vector().record(segment._ref_cai if state == "cai"
                                         else getattr(getattr(segment, mechanism), f"_ref_{state}"))
                for mechanism, states in SOLUTIONS.items() for state in states}
    run_neuron(h, run)
    return {state: np.array(list(values))[:run.steps] for state, values in recorded.items()}


def main():
    session = Session(__doc__.splitlines()[0], neuron=False)
    h = None
    if importlib.util.find_spec("neuron") or peers_are_required():
        h = load_neuron()
        neuron_mods.load(h, FILES, session.folder / "mods")
    else:
        session.leave_out("the comparison with NEURON, which is not installed")
    solutions = {state: solution for states in SOLUTIONS.values() for state, solution in states.items()}
    for integrator, order in ORDER.items():
        errors = {state: [] for state in solutions}
        for dt in STEPS:
            run = Run(DURATION, dt=dt, integrator=integrator)
            ours = traces(session, run)
            times = dt * np.arange(run.steps)
            for state, solution in solutions.items():
                errors[state].append(np.sqrt(np.mean((ours[state] - solution(times)) ** 2)))
            if not h:
                continue
            for state, theirs in neuron_traces(h, run).items():
                if (integrator, state) not in FIRST_ORDER:
                    apart = np.abs(ours[state] - theirs).max() / np.ptp(theirs)
                    session.within(f"{integrator} dt {dt:g}", f"{state}: difference from NEURON", float(apart), SAME)
        for state, (coarse, middle, fine) in errors.items():
            for one, other, dt in ((coarse, middle, STEPS[0]), (middle, fine, STEPS[1])):
                session.between(integrator, f"order of {state}, dt {dt:g} to {dt / 2:g} ms (error {other:.2g})",
                                float(np.log2(one / other)), order - TOLERANCE, order + TOLERANCE)
    session.finish()


if __name__ == "__main__":
    main()
