#!/usr/bin/env python3
"""Writes a small circuit in the SONATA format, with its simulation: 16 pyramidal cells and 4 inhibitory point neurons, which
60 Poisson trains excite. Needs numpy and h5py.

    examples/sonata_circuit/make.py circuit
    hillock run circuit/simulation_config.json -o circuit.out
"""

import json
import pathlib
import sys

import h5py
import numpy as np

PYRAMID = pathlib.Path(__file__).resolve().parents[2] / "models/library/pyramid.swc"
PYRAMIDS, INHIBITORY, OUTSIDE, DURATION_MS = 16, 4, 60, 300
random = np.random.default_rng(1)

REGIONS = ("soma", "axon", "dend", "apic")
FIT = {"passive": [{"ra": 100.0, "e_pas": -65.0, "cm": [{"section": one, "cm": 1.0} for one in REGIONS]}],
       "conditions": [{"erev": [{"section": one, "ena": 50.0, "ek": -77.0} for one in ("soma", "axon")]}],
       "genome": [{"section": one, "name": "g_pas", "value": "3e-5", "mechanism": ""} for one in REGIONS] +
                 [{"section": one, "name": name, "value": value, "mechanism": "hh"} for one in ("soma", "axon")
                  for name, value in (("gnabar_hh", "0.3"), ("gkbar_hh", "0.06"), ("gl_hh", "0.0"), ("el_hh", "-54.3"))]}
EXCITES = {"tau1": 0.5, "tau2": 3.0, "erev": 0.0}
INHIBITS = {"tau1": 0.5, "tau2": 8.0, "erev": -75.0}


def write_nodes(path, name, types):
    with h5py.File(path, "w") as file:
        to = file.create_group(f"nodes/{name}")
        to["node_id"], to["node_type_id"] = np.arange(len(types), dtype="u8"), np.array(types, "u8")
        to["node_group_id"], to["node_group_index"] = np.zeros(len(types), "u4"), np.arange(len(types), dtype="u8")
        to.create_group("0")


def write_edges(path, source, target, rows):
    """rows: (source, target, type)"""
    of, onto, types = np.transpose(sorted(rows, key=lambda row: row[1]))
    with h5py.File(path, "w") as file:
        to = file.create_group(f"edges/{source}_to_{target}")
        for end, population, ids in (("source", source, of), ("target", target, onto)):
            to[f"{end}_node_id"] = ids.astype("u8")
            to[f"{end}_node_id"].attrs["node_population"] = population
        to["edge_type_id"], to["edge_group_id"] = types.astype("u4"), np.zeros(len(types), "u4")
        to["edge_group_index"] = np.arange(len(types), dtype="u8")
        to.create_group("0")


def pairs(sources, targets, number, kind):
    """Each target has a number of sources, drawn."""
    return [(of, onto, kind) for onto in targets for of in random.choice(sources, number, replace=False)]


def write_trains(path):
    counts = random.poisson(20 * DURATION_MS / 1000, OUTSIDE)
    with h5py.File(path, "w") as file:
        file["spikes/outside/node_ids"] = np.repeat(np.arange(OUTSIDE, dtype="u8"), counts)
        file["spikes/outside/timestamps"] = random.uniform(0, DURATION_MS, counts.sum())


def config():
    of = {"nodes": ("nodes", "node_types"), "edges": ("edges", "edge_types")}
    parts = {kind: [{f"{kind}_file": f"{name}_{kind}.h5", f"{kind[:-1]}_types_file": f"{name}_types.csv"} for name in names]
             for kind, names in (("nodes", ("cortex", "outside")), ("edges", ("outside_to_cortex", "cortex_to_cortex")))}
    return {"run": {"tstop": DURATION_MS, "dt": 0.05, "dL": 40.0, "spike_threshold": -15},
            "conditions": {"celsius": 6.3, "v_init": -65},
            "components": {"morphologies_dir": ".", "synaptic_models_dir": ".", "biophysical_neuron_models_dir": ".",
                           "point_neuron_models_dir": "."},
            "networks": parts,
            "inputs": {"trains": {"input_type": "spikes", "module": "sonata", "input_file": "trains.h5", "node_set": "outside"}},
            "reports": {"v": {"module": "membrane_report", "variable_name": "v", "sections": "soma",
                              "cells": {"model_type": "biophysical"}}}}


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name, made in (("fit", FIT), ("excites", EXCITES), ("inhibits", INHIBITS), ("fires", {"tau": 0.01, "refrac": 0.003}),
                       ("plain", {}), ("simulation_config", config())):
        (folder / f"{name}.json").write_text(json.dumps(made, indent=1))
    (folder / "pyramid.swc").write_bytes(PYRAMID.read_bytes())
    pyramids, inhibitory = np.arange(PYRAMIDS), PYRAMIDS + np.arange(INHIBITORY)
    write_nodes(folder / "cortex_nodes.h5", "cortex", [100] * PYRAMIDS + [101] * INHIBITORY)
    write_nodes(folder / "outside_nodes.h5", "outside", [7] * OUTSIDE)
    (folder / "cortex_types.csv").write_text(
        "node_type_id model_type model_template morphology model_processing dynamics_params pop_name\n"
        "100 biophysical ctdb:Biophys1.hoc pyramid.swc aibs_perisomatic fit.json pyramidal\n"
        "101 point_neuron nrn:IntFire1 NULL NULL fires.json inhibitory\n")
    (folder / "outside_types.csv").write_text("node_type_id model_type\n7 virtual\n")
    write_edges(folder / "outside_to_cortex_edges.h5", "outside", "cortex", pairs(range(OUTSIDE), pyramids, 30, 1))
    write_edges(folder / "cortex_to_cortex_edges.h5", "cortex", "cortex",
                pairs(pyramids, pyramids, 3, 2) + pairs(pyramids, inhibitory, 8, 3) + pairs(inhibitory, pyramids, 2, 4))
    header = "edge_type_id target_sections distance_range delay syn_weight model_template dynamics_params\n"
    anywhere = "\"['dend', 'apic']\" \"[0.0, 1e+20]\""
    (folder / "outside_to_cortex_types.csv").write_text(f"{header}1 {anywhere} 2.0 0.0016 exp2syn excites.json\n")
    (folder / "cortex_to_cortex_types.csv").write_text(
        f"{header}2 {anywhere} 2.0 0.0005 exp2syn excites.json\n3 NULL NULL 1.0 0.3 NULL plain.json\n"
        "4 \"['soma']\" \"[0.0, 100.0]\" 1.0 0.01 exp2syn inhibits.json\n")
    write_trains(folder / "trains.h5")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "circuit"))
