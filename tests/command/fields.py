#!/usr/bin/env python3
"""Potentials outside that act on cells: a passive cable in a uniform field beside its closed form, of order 2 in the
length of its compartments, whatever makes the field; no current through the membrane of a cell that all of a potential
lifts alike; a scale of each cell's own; a grid that does not reach its cells."""

import json
import pathlib

import harness

harness.need("h5py", "numpy")
import h5py  # noqa: E402
import numpy as np  # noqa: E402

LENGTH_UM, DIAMETER_UM, G, RA, FIELD = 1200.0, 2.0, 2e-4, 150.0, 20.0  # g in S/cm2, Ra in ohm cm, V/m
LAMBDA_UM = 1e4 * np.sqrt(DIAMETER_UM * 1e-4 / (4 * RA * G))


def model(compartments, field, size=1):
    ends = [[0, 0, -LENGTH_UM / 2, DIAMETER_UM], [0, 0, LENGTH_UM / 2, DIAMETER_UM]]
    cable = {"name": "cable", "points": ends, "unit": "um", "compartments": compartments}
    return {"hillock": 1, "run": {"duration": "200 ms", "dt": "0.1 ms", "v_init": "-70 mV"},
            "cells": {"c": {"morphology": {"branches": [cable]},
                            "regions": {"all": {"cm": "1 uF/cm2", "Ra": f"{RA} ohm.cm",
                                                "pas": {"g": f"{G} S/cm2", "e": "-70 mV"}}}}},
            "populations": {"p": {"cell": "c", "size": size}},
            "stimuli": [{"to": "p", "field": field}],
            "record": [{"name": "v", "of": "p", "variable": "v", "at": "all", "every": "50 ms", "type": "float64"},
                       {"name": "i", "of": "p", "variable": "i_membrane", "at": "all", "every": "50 ms",
                        "type": "float64"}]}


def last(folder, model, name="v"):
    """What a record has in the end, a row a cell."""
    path = folder / "model.yaml"
    path.write_text(json.dumps(model))
    done = harness.run("run", path, "-o", folder / "out", "--force", "--quiet")
    harness.check(done.returncode == 0, done.stderr)
    with h5py.File(folder / f"out/{name}.h5") as file:
        return file["report/p/data"][-1].reshape(model["populations"]["p"]["size"], -1)


def exact(compartments):
    """V - e = E lambda sinh(z / lambda) / cosh(L / 2 lambda) of a sealed cable, the potential outside E z (Plonsey and
    Barr 1998): where it is high outside the membrane is hyperpolarised."""
    z = LENGTH_UM * ((np.arange(compartments) + 0.5) / compartments - 0.5)
    return -70 - 1e-3 * FIELD * LAMBDA_UM * np.sinh(z / LAMBDA_UM) / np.cosh(LENGTH_UM / 2 / LAMBDA_UM)


def check_cable(folder):
    uniform = {"potential": f"z * {FIELD} V/m"}
    errors = [np.abs(last(folder, model(n, uniform))[0] - exact(n)).max() for n in (45, 135, 405)]
    orders = np.log(np.array(errors[:-1]) / errors[1:]) / np.log(3)
    harness.check(np.all(np.abs(orders - 2) < 0.1), f"errors {errors} mV fall with the orders {orders}")
    (folder / "grid.csv").write_text("".join(f"{x},{y},{z},{1e-3 * FIELD * z}\n"
                                             for x in (-1, 1) for y in (-1, 1) for z in (-600, 600)))
    by_grid, by_expression = (last(folder, model(15, field))[0] for field in ({"grid": "grid.csv"}, uniform))
    harness.check(np.abs(by_grid - by_expression).max() < 1e-11, "a grid of the same field does the same")
    draws = np.random.default_rng(1)
    nodes = np.vstack([draws.uniform(-700, 700, (300, 3)), 2000.0 * np.array(list(np.ndindex(2, 2, 2))) - 1000])
    np.savetxt(folder / "nodes.csv", np.column_stack([nodes, 1e-3 * FIELD * nodes[:, 2]]), delimiter=",", fmt="%.17g")
    by_nodes = last(folder, model(15, {"nodes": "nodes.csv"}))
    harness.check(np.abs(by_nodes - by_expression).max() < 1e-10, "so do nodes that lie anywhere")
    (folder / "named.csv").write_text("v,z,y,x\n" + "".join(f"{1e-3 * FIELD * z},{z},{y},{x}\n" for x in (-1000, 1000)
                                                          for y in (-1000, 1000) for z in (-1000, 1000)))
    for kind in ("grid", "nodes"):
        named = last(folder, model(15, {kind: "named.csv"}))
        harness.check(np.abs(named - by_expression).max() < 1e-10, f"{kind} of a table whose columns have names")
    nearest = last(folder, model(15, {"nodes": "nodes.csv", "between": "nearest"}))
    harness.check(1e-3 < np.abs(nearest - by_expression).max() < 20, "and about so the nearest of them")
    np.savetxt(folder / "few.csv", np.column_stack([nodes, 0 * nodes[:, 2]])[:20] * [1, 1, 0.3, 1], delimiter=",")
    (folder / "model.yaml").write_text(json.dumps(model(15, {"nodes": "few.csv"})))
    done = harness.run("run", folder / "model.yaml", "-o", folder / "out", "--force")
    harness.check(done.returncode == 3 and "do not lie around p[0] at cable" in done.stderr and "model.yaml:" in done.stderr,
                  f"nodes that are not around its cells: {done.returncode} {done.stderr}")
    outside = last(folder, model(15, {"nodes": "few.csv", "outside": "0 mV"}))
    harness.check(np.abs(outside + 70).max() < 1e-10, "outside of them is what is said")
    short = model(15, {"grid": "grid.csv"})
    short["cells"]["c"]["morphology"]["branches"][0]["points"][1][2] = 900
    (folder / "model.yaml").write_text(json.dumps(short))
    done = harness.run("run", folder / "model.yaml", "-o", folder / "out", "--force")
    harness.check(done.returncode == 3 and "does not reach p[0] at cable" in done.stderr,
                  f"a grid that does not reach its cells: {done.returncode} {done.stderr}")


def check_scales(folder):
    """Two cells in one field, of which one has twice as much, and one that all of its potential lifts alike."""
    both = {"potential": f"z * {FIELD} V/m", "scale": {"list": [1, 2]}}
    one, two = last(folder, model(15, both, size=2)) + 70
    harness.check(np.allclose(2 * one, two, rtol=0, atol=1e-10), "twice the field does twice as much")
    alike = {"potential": "300 mV"}
    harness.check(np.abs(last(folder, model(15, alike)) + 70).max() < 1e-10, "what lifts all of a cell does nothing")
    currents = last(folder, model(15, {"potential": f"z * {FIELD} V/m"}), "i")[0]
    leak = G * 1e-2 * np.pi * DIAMETER_UM * LENGTH_UM / 15 * (last(folder, model(15, {"potential":
                                                                                     f"z * {FIELD} V/m"}))[0] + 70)
    harness.check(np.allclose(currents, leak, rtol=1e-6), f"membrane currents are those of the leak: {currents} {leak}")


def main():
    with harness.scratch() as name:
        check_cable(pathlib.Path(name))
        check_scales(pathlib.Path(name))
    harness.finish(19, "runs")


if __name__ == "__main__":
    main()
