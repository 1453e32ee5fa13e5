#!/usr/bin/env python3
"""Extracellular layers beside closed forms: a sealed cable in a layer that conducts along and across, into whose end a
current flows, of order 2 in the length of its compartments; a cosine along such a cable that decays, of order 1
(backward Euler) and 2 (Crank-Nicolson) in the time step; a layer that is grounded well is none; a potential outside
reaches the membrane through the layer."""

import json
import pathlib

import harness

harness.need("h5py", "numpy")
import h5py  # noqa: E402
import numpy as np  # noqa: E402

LENGTH, DIAMETER = 1000e-4, 2e-4  # cm
G, CM, RA = 5e-4, 1.0, 150.0  # S/cm2, uF/cm2, ohm cm
XRAXIAL, XG, XC = 3e3, 2e-3, 0.3  # MOhm/cm, S/cm2, uF/cm2
PERIMETER = np.pi * DIAMETER
INSIDE, OUTSIDE = RA / (np.pi * DIAMETER ** 2 / 4), XRAXIAL * 1e6  # ohm/cm
LAYER = {"xraxial": f"{XRAXIAL} MOhm/cm", "xg": f"{XG} S/cm2", "xc": f"{XC} uF/cm2"}


def model(compartments, layers, duration, dt, integrator="backward_euler", v_init="-70 mV", stimuli=()):
    cable = {"name": "cable", "length": f"{LENGTH} cm", "diameter": f"{DIAMETER} cm", "compartments": compartments}
    region = {"cm": f"{CM} uF/cm2", "Ra": f"{RA} ohm.cm", "pas": {"g": f"{G} S/cm2", "e": "-70 mV"}, "v_init": v_init}
    if layers:
        region["extracellular"] = layers
    records = {"v": "v", "e": "vext"} if layers else {"v": "v"}
    return {"hillock": 1, "run": {"duration": f"{duration!r} ms", "dt": f"{dt!r} ms", "integrator": integrator},
            "cells": {"c": {"morphology": {"branches": [cable]}, "regions": {"all": region}}},
            "populations": {"p": {"cell": "c", "size": 1}}, "stimuli": list(stimuli),
            "record": [{"name": name, "of": "p", "variable": variable, "at": "all", "every": f"{dt!r} ms",
                        "start": f"{duration - dt!r} ms", "type": "float64"} for name, variable in records.items()]}


def last(folder, model):
    """Of each record what it has in the end."""
    path = folder / "model.yaml"
    path.write_text(json.dumps(model))
    done = harness.run("run", path, "-o", folder / "out", "--force", "--quiet")
    harness.check(done.returncode == 0, done.stderr)
    values = {}
    for record in model["record"]:
        with h5py.File(folder / f"out/{record['name']}.h5") as file:
            values[record["name"]] = file["report/p/data"][-1]
    return values


def rates(k2):
    """What leaves membrane and layer, S/cm2, of voltages and potentials that go as cos(kx)."""
    inside, outside = k2 / INSIDE / PERIMETER, k2 / OUTSIDE / PERIMETER
    return np.array([[G + inside, inside], [inside, inside + outside + XG]])


def steady(compartments, current):
    """Voltages and potentials where that many mA flow into an end for good: sums of two cosh(kx), as of a cable in an
    insulated bath, with the outside as a second conductor (Rall 1977)."""
    # u'' = INSIDE PERIMETER G (u - e), e'' = OUTSIDE PERIMETER (XG e - G (u - e)); u: the potential inside.
    matrix = PERIMETER * np.array([[INSIDE * G, -INSIDE * G], [-OUTSIDE * G, OUTSIDE * (XG + G)]])
    k2, modes = np.linalg.eig(matrix)
    k = np.sqrt(k2)
    amplitude = np.linalg.solve(modes * (k * np.sinh(k * LENGTH)), [INSIDE * current, 0])
    x = LENGTH * (np.arange(compartments) + 0.5) / compartments
    inside, layer = modes @ (amplitude[:, None] * np.cosh(np.outer(k, LENGTH - x)))
    return inside - layer, layer


def check_space(folder):
    clamp = {"to": "p", "at": "cable(0)", "iclamp": {"amplitude": "0.5 nA", "start": "0 ms", "duration": "1 s"}}
    errors = []
    for n in (31, 93, 279):
        is_ = last(folder, model(n, [LAYER], 200.0, 0.1, stimuli=[clamp]))
        v, e = steady(n, 0.5e-6)
        errors.append([np.abs(is_["v"] + 70 - v).max(), np.abs(is_["e"] - e).max()])
    orders = np.log(np.array(errors[:-1]) / errors[1:]) / np.log(3)
    harness.check(np.abs(e).max() > 1, "the layer is far from ground")
    harness.check(np.all(np.abs(orders - 2) < 0.15), f"errors {errors} mV fall with the orders {orders.tolist()}")


def check_time(folder):
    n, duration = 20, 2.0
    wave = f"-70 mV + 30 mV * cos(pi * distance / ({LENGTH} cm))"
    step = LENGTH / n
    k2 = (2 - 2 * np.cos(np.pi / n)) / step ** 2  # as compartments have it
    decay = -1e3 * rates(k2) / np.array([[CM], [XC]])  # S/uF = 1e3/ms
    values, modes = np.linalg.eig(decay)
    in_time = (modes * np.exp(values * duration)) @ np.linalg.solve(modes, [30.0, 0.0])
    shape = np.cos(np.pi * (np.arange(n) + 0.5) / n)
    for integrator, order in (("backward_euler", 1), ("crank_nicolson", 2)):
        errors = []
        for dt in (1 / 32, 1 / 64, 1 / 128):
            is_ = last(folder, model(n, [LAYER], duration + dt, dt, integrator, wave))
            errors.append([np.abs(is_["v"] + 70 - in_time[0] * shape).max(),
                           np.abs(is_["e"] - in_time[1] * shape).max()])
        orders = np.log2(np.array(errors[:-1]) / errors[1:])
        harness.check(np.all(np.abs(orders - order) < 0.1),
                      f"{integrator}: errors {errors} mV fall with the orders {orders.tolist()}")


def check_outside(folder):
    clamp = {"to": "p", "at": "cable(0)", "iclamp": {"amplitude": "0.5 nA", "start": "0 ms", "duration": "1 s"}}
    grounded, two, none = (last(folder, model(15, layers, 5.0, 0.025, stimuli=[clamp]))["v"]
                           for layers in ([{}], [{}, {}], None))
    harness.check(np.abs(grounded - none).max() < 1e-6, "a layer that is grounded well is none")
    harness.check(np.abs(two - none).max() < 1e-6, "nor are two")
    field = {"to": "p", "field": {"potential": "x * 20 V/m"}}
    through, open_ = (last(folder, model(15, layers, 200.0, 0.1, stimuli=[field]))["v"] for layers in ([{}], None))
    harness.check(np.abs(through - open_).max() < 1e-5 and np.ptp(open_) > 1,
                  "a potential outside comes through a layer that is grounded well")
    lifted = last(folder, model(15, [LAYER], 500.0, 0.1, stimuli=[{"to": "p", "field": {"potential": "30 mV"}}]))
    harness.check(np.abs(lifted["v"] + 70).max() < 1e-6 and np.abs(lifted["e"] - 30).max() < 1e-6,
                  "what lifts all of a layer lifts the cell, and crosses no membrane")


ALONG = """NEURON { SUFFIX along ELECTRODE_CURRENT i RANGE amplitude }
PARAMETER { amplitude = 0.001 (mA/cm2) }
ASSIGNED { i (mA/cm2) }
BREAKPOINT { i = amplitude }
"""


def check_refused(folder):
    (folder / "along.mod").write_text(ALONG)
    around = model(3, [LAYER], 1.0, 0.1)
    around["mechanisms"] = ["along.mod"]
    around["cells"]["c"]["regions"]["all"]["along"] = {}
    (folder / "model.yaml").write_text(json.dumps(around))
    done = harness.run("validate", folder / "model.yaml")
    harness.check(done.returncode == 3 and "along is an electrode all along a membrane" in done.stderr,
                  f"an electrode all along a membrane with layers: {done.returncode} {done.stderr}")


SIDE = """NEURON { POINT_PROCESS side ELECTRODE_CURRENT i RANGE g, vgap }
UNITS { (nA) = (nanoamp) (mV) = (millivolt) (uS) = (microsiemens) }
PARAMETER { g = 0.001 (uS) }
ASSIGNED { i (nA) v (mV) vgap (mV) }
BREAKPOINT { i = g*(vgap - v) }
"""


def joined(layers, junction):
    """Two cables, of which one gets a current."""
    clamp = {"to": "p[0]", "at": "cable(0)", "iclamp": {"amplitude": "0.05 nA", "start": "0 ms", "duration": "1 s"}}
    two = model(5, layers, 5.0, 0.025, stimuli=[clamp])
    two["populations"]["p"]["size"] = 2
    two["mechanisms"] = ["side.mod"]
    two["projections"] = [{"from": "p[0]", "to": "p[1]", "connect": "all_to_all",
                           "gap_junction": {**junction, "at": "cable(0.5)", "peer_at": "cable(0.5)"}}]
    return two


def check_gaps(folder):
    """With an electrode's current a gap junction joins insides; others are refused where there are layers."""
    (folder / "side.mod").write_text(SIDE)
    around, without = (last(folder, joined(layers, junction))["v"] for layers, junction in (
        ([{}], {"mechanism": {"side": {}}, "peer_mechanism": {"side": {}}}), (None, {"g": "1 nS"})))
    harness.check(np.abs(around - without).max() < 1e-6 and around[7] > -69.97,
                  f"a junction of cells whose layers are grounded well: {around} {without}")
    (folder / "model.yaml").write_text(json.dumps(joined([{}], {"g": "1 nS"})))
    done = harness.run("run", folder / "model.yaml", "-o", folder / "out", "--force", "--quiet")
    harness.check(done.returncode == 3 and "has to have a mechanism with ELECTRODE_CURRENT" in done.stderr,
                  f"a junction through the membrane: {done.returncode} {done.stderr}")


def main():
    with harness.scratch() as name:
        for check in (check_space, check_time, check_outside, check_refused, check_gaps):
            check(pathlib.Path(name))
    harness.finish(19, "runs")


if __name__ == "__main__":
    main()
