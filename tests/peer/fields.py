#!/usr/bin/python3
"""Potentials outside cells (points, an expression, a grid; pulses, trains, ramps, sines, tables; several at once) on
trees drawn at random, beside NEURON's `extracellular` whose outside is what it is told (its defaults: xg 1e9 S/cm2),
e_extracellular set before each step to the potential in the middle of every segment in the middle of the step.

Tolerance: 1e-6 of how far voltages go, and of the largest membrane current: layers of xg 1e9 S/cm2 leave NEURON's
numbers some seven digits fewer.
"""

import csv
import itertools

from parity import Run, Session
from twin import Branch, Cell

import numpy as np  # after parity, which says what is missing

TREES = 6
RUN = Run(20.0)
REGIONS = [("all", {"cm": 1.0, "Ra": 120.0, "pas": {"g": 2e-4, "e": -65.0}}),
           ("soma", {"hh": {"gnabar": 0.12, "gkbar": 0.036, "gl": 3e-4, "el": -54.3}})]


def drawn_tree(draws, along_axes=False):
    """Straight branches, in any direction, or along axes and of sizes that NEURON's floats hold."""
    branches, ends = [], []
    for number in range(9):
        parent = int(draws.integers(number)) if number else None
        begin = ends[parent] if number else np.zeros(3)
        direction = draws.normal(size=3)
        length = 20.0 if not number else draws.uniform(30, 200)
        diameter = 20.0 if not number else draws.uniform(0.5, 4)
        if along_axes:
            direction = np.eye(3)[np.abs(direction).argmax()] * np.sign(draws.uniform(-1, 1))
            length, diameter = round(length * 2) / 2, round(diameter * 16) / 16
        end = begin + length * direction / np.linalg.norm(direction)
        ends.append(end)
        branches.append(Branch("soma" if not number else f"dend[{number - 1}]", length, diameter,
                               None if parent is None else branches[parent].name, 1,
                               1 if not number else int(draws.integers(1, 8)),
                               [(*begin, diameter), (*end, diameter)]))
    return Cell(REGIONS, branches=branches)


def points_field(draws):
    at = draws.uniform(-300, 300, (2, 3))
    current = draws.uniform(-2e4, 2e4, 2)  # nA
    model = {"points": [[f"{float(x)!r} um" for x in place] for place in at],
             "current": [f"{float(one)!r} nA" for one in current], "conductivity": "0.3 S/m"}
    return model, lambda place: sum(i / (4 * np.pi * 0.3 * np.linalg.norm(place - one)) for i, one in zip(current, at))


def expression_field(_):
    return {"potential": "z * 30 V/m + 2 mV * (x / 100 um)^2"}, lambda place: 0.03 * place[2] + 2 * (place[0] / 100) ** 2


def grid_field(folder):
    """Of a function that is linear along each axis, as what is between a grid's corners."""
    def of(place):
        return 0.02 * place[0] - 1e-5 * place[1] * place[2] + 3
    with open(folder / "grid.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["x", "y", "z", "potential"])
        writer.writerows([*map(float, at), of(at)] for at in itertools.product(
            (-2000, 10, 2000), (-2000, -400, 300, 2000), (-2000, 2000)))
    return {"grid": "grid.csv"}, of


def waveforms(folder):
    """Of each its model, and what it is at a time in ms."""
    table = np.array([[2, 0], [5, 1], [5, -0.5], [11, 0.7], [17, 0.2]])
    np.savetxt(folder / "wave.csv", table, delimiter=",")
    within = lambda t, first, last: first <= t < last  # noqa: E731
    return {
        "pulse": ({"amplitude": 1.5, "start": "2 ms", "duration": "0.3 ms"}, lambda t: 1.5 * within(t, 2, 2.3)),
        "train": ({"train": {"amplitude": -1, "width": "1 ms", "period": "4 ms", "count": 3, "start": "1 ms"}},
                  lambda t: -1.0 * (1 <= t < 12 and (t - 1) % 4 < 1)),
        "ramp": ({"ramp": {"from": 0.2, "to": 2, "start": "3 ms", "duration": "9 ms"}},
                 lambda t: (0.2 + 0.2 * (t - 3)) * within(t, 3, 12)),
        "sine": ({"sine": {"frequency": "110 Hz", "amplitude": 0.8, "phase": 0.2, "offset": 0.1, "start": "1 ms",
                           "duration": "15 ms"}},
                 lambda t: (0.1 + 0.8 * np.sin(2 * np.pi * (0.11 * (t - 1) + 0.2))) * within(t, 1, 16)),
        "table": ({"csv": "wave.csv"},
                  lambda t: np.interp(t, table[:, 0], table[:, 1]) if within(t, 2, 17) else 0.0),
        "always": (None, lambda t: 1.0)}


def run_neuron(h, cell, fields):
    """Voltages [sample][segment] and membrane currents in nA, of cell's segments. fields: of a place and a time."""
    built = cell.build(h)
    segments, places = [], []
    for branch in cell.branches:
        section = built.sections[branch.name]
        section.insert("extracellular")
        for segment in section:
            begin, end = (np.array(point[:3]) for point in branch.points)
            segments.append(segment)
            places.append(begin + segment.x * (end - begin))
    potentials = np.array([[of(place) for place in places] for of, _ in fields])
    voltages = [h.Vector().record(segment._ref_v) for segment in segments]
    currents = [h.Vector().record(segment._ref_i_membrane) for segment in segments]
    h.celsius, h.secondorder, h.dt = RUN.temperature, 0, RUN.dt
    h.finitialize(RUN.v_init)
    for step in range(RUN.steps):
        outside = np.array([wave((step + 0.5) * RUN.dt) for _, wave in fields]) @ potentials
        for segment, mV in zip(segments, outside):
            segment.e_extracellular = mV
        h.fadvance()
    areas = np.array([segment.area() for segment in segments])
    return (np.array([np.array(vector) for vector in voltages]).T[:RUN.steps],
            np.array([np.array(vector) for vector in currents]).T[:RUN.steps] * areas * 0.01)


def main():
    session = Session(__doc__.splitlines()[0])
    draws = np.random.default_rng(1)
    waves = waveforms(session.folder)
    grid = grid_field(session.folder)
    for number in range(TREES):
        cell = drawn_tree(draws)
        some = [points_field(draws), expression_field(draws), grid]
        names = list(waves)
        chosen = [(field, waves[names[(number + k) % len(names)]]) for k, field in enumerate(some)]
        chosen = chosen[:number % 3 + 1]
        fields = [(of, wave) for (_, of), (_, wave) in chosen]
        stimuli = [{"field": {**field, **({"waveform": wave} if wave else {})}, "to": "one"}
                   for (field, _), (wave, _) in chosen]
        records = [{"name": name, "of": "one", "variable": variable, "at": "all", "every": "0.025 ms",
                    "type": "float64"} for name, variable in (("v", "v"), ("i", "i_membrane"))]
        model = {"hillock": 1, "run": RUN.model(), "cells": {"cell": cell.model()},
                 "populations": {"one": {"cell": "cell", "size": 1}}, "stimuli": stimuli, "record": records}
        case = f"tree {number}, {len(fields)} fields"
        output = session.hillock(model, f"tree{number}")
        voltages, currents = run_neuron(session.neuron, cell, fields)
        ours = output.trace("v", "one")[1]
        range_mV, most = np.ptp(voltages), np.abs(currents).max()
        session.within(case, "- range of v", -range_mV, -1, "mV")
        session.same_trace(case, "v", ours / range_mV, voltages / range_mV, 1e-6, "")
        session.same_trace(case, "i_membrane", output.trace("i", "one")[1][1:] / most, currents[1:] / most, 1e-6, "")
    session.finish()


if __name__ == "__main__":
    main()
