#!/usr/bin/python3
"""Extracellular layers (one or two, around all or some branches, of random xraxial, xg and xc) around trees drawn at
random, with clamps of current and of voltage, synapses and potentials outside, beside NEURON's `extracellular`,
e_extracellular set before each step to the potential in the middle of every segment in the middle of the step.

Tolerance: 1e-8 mV, and 1e-9 of the largest membrane current.
"""

from fields import drawn_tree, expression_field, waveforms
from parity import Run, Session

import numpy as np  # after parity, which says what is missing

TREES = 50
RUN = Run(8.0)
QUANTITIES = {"v": "v", "i": "i_membrane", "e0": "vext[0]", "e1": "vext[1]"}


def drawn_layers(draws, count):
    """xraxial in MOhm/cm, xg in S/cm2, xc in uF/cm2 of each layer; no xg or no xc in some."""
    layers = [(10 ** draws.uniform(0, 5), 10 ** draws.uniform(-4, 1), 10 ** draws.uniform(-2, 1)) for _ in range(count)]
    which = int(draws.integers(4))
    if which == 0:
        layers = [(xraxial, xg, 0.0) for xraxial, xg, _ in layers]
    elif which == 1:
        layers[0] = (layers[0][0], 0.0, layers[0][2])
    return layers


def model_of(layers):
    return [{"xraxial": f"{float(xraxial)!r} MOhm/cm", "xg": f"{float(xg)!r} S/cm2", "xc": f"{float(xc)!r} uF/cm2"}
            for xraxial, xg, xc in layers]


def insert(section, layers):
    section.insert("extracellular")
    for segment in section:
        for number, (xraxial, xg, xc) in enumerate(layers):
            segment.xraxial[number], segment.xg[number], segment.xc[number] = xraxial, xg, xc


def run_neuron(h, cell, count, layers, place, field):
    """[sample][segment] of each quantity; outside is what is not where there are no layers."""
    h.nlayer_extracellular(count)
    built = cell.build(h)
    for name, of_branch in layers.items():
        insert(built.sections[name], of_branch)
    soma, dend = built.segment("soma(0.5)"), built.segment(place)
    clamp = h.IClamp(soma)
    clamp.delay, clamp.dur, clamp.amp = 1.0, 2.0, 0.6
    hold = h.SEClamp(dend)
    hold.rs, hold.dur1, hold.amp1 = 20.0, 5.0, -40.0
    synapse = built.synapse("dend[2](0.5)", "expsyn", tau=1.5, e=0.0)
    source = h.NetStim()
    source.number, source.start = 1, 2.0
    connection = h.NetCon(source, synapse, 0, 1.0, 0.02)
    segments, potentials = [], []
    of, wave = field
    for branch in cell.branches:
        for segment in built.sections[branch.name]:
            begin, end = (np.array(point[:3]) for point in branch.points)
            segments.append((segment, branch.name in layers))
            potentials.append(of(begin + segment.x * (end - begin)))
    recorded = {name: [] for name in QUANTITIES}
    for segment, is_surrounded in segments:
        recorded["v"].append(h.Vector().record(segment._ref_v))
        if not is_surrounded:
            continue
        recorded["i"].append(h.Vector().record(segment._ref_i_membrane))
        for number in range(count):
            recorded[f"e{number}"].append(h.Vector().record(segment._ref_vext[number]))
    h.celsius, h.secondorder, h.dt = RUN.temperature, 0, RUN.dt
    h.finitialize(RUN.v_init)
    for step in range(RUN.steps):
        for (segment, is_surrounded), mV in zip(segments, potentials):
            if is_surrounded:
                segment.e_extracellular = mV * wave((step + 0.5) * RUN.dt)
        h.fadvance()
    areas = np.array([segment.area() for segment, is_surrounded in segments if is_surrounded])
    traces = {name: np.array([np.array(vector) for vector in vectors]).T[:RUN.steps]
              for name, vectors in recorded.items() if vectors}
    del connection
    return traces | {"i": traces["i"] * areas * 0.01}


def main():
    session = Session(__doc__.splitlines()[0])
    draws = np.random.default_rng(3)
    pulse = waveforms(session.folder)["pulse"]
    for number in range(TREES):
        cell = drawn_tree(draws, along_axes=True)
        count = 1 + number % 2
        names = [branch.name for branch in cell.branches]
        surrounded = names if number % 3 == 0 else [name for name in names if draws.random() < 0.6] or names[:1]
        layers = {name: drawn_layers(draws, count) for name in surrounded}
        # Outside the cell there is a field only where all of it has layers: elsewhere NEURON has none.
        field = expression_field(draws)
        is_in_field = len(surrounded) == len(names)
        described = cell.model()
        for name, of_branch in layers.items():
            described["regions"].setdefault(name, {})["extracellular"] = model_of(of_branch)
        place = f"dend[{int(draws.integers(8))}](0.5)"
        stimuli = [{"to": "one", "at": "soma(0.5)",
                    "iclamp": {"amplitude": "0.6 nA", "start": "1 ms", "duration": "2 ms"}},
                   {"to": "one", "at": place,
                    "seclamp": {"levels": ["-40 mV"], "durations": ["5 ms"], "rs": "20 MOhm"}},
                   {"to": "one", "spikes": {"times": ["2 ms"]}, "weight": "0.02 uS", "delay": "1 ms",
                    "synapse": {"expsyn": {"tau": "1.5 ms", "e": "0 mV"}, "at": "dend[2](0.5)"}}]
        if is_in_field:
            stimuli.append({"to": "one", "field": {**field[0], "waveform": pulse[0]}})
        records = [{"name": name, "of": "one", "variable": variable, "at": "all", "every": "0.025 ms",
                    "type": "float64"} for name, variable in QUANTITIES.items() if name != "e1" or count == 2]
        model = {"hillock": 1, "run": RUN.model(), "cells": {"cell": described},
                 "populations": {"one": {"cell": "cell", "size": 1}}, "stimuli": stimuli, "record": records}
        output = session.hillock(model, f"tree{number}")
        theirs = run_neuron(session.neuron, cell, count, layers, place,
                            (field[1], pulse[1] if is_in_field else lambda t: 0.0))
        case = f"tree {number}, {count} layers around {len(surrounded)} of {len(names)} branches"
        segment_names = [branch.name for branch in cell.branches for _ in range(branch.compartments)]
        there = [name in layers for name in segment_names]
        session.within(case, "- range of vext[0]", -np.ptp(theirs["e0"]), 0, "mV")
        for name, values in theirs.items():
            ours = output.trace(name, "one")[1]
            if name == "i":
                most = np.abs(values[1:]).max()
                session.same_trace(case, name, ours[1:, there] / most, values[1:] / most, 1e-9, "")
            else:
                session.same_trace(case, name, ours, values, 1e-8)
    session.finish()


if __name__ == "__main__":
    main()
