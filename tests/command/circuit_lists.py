#!/usr/bin/env python3
"""Writes a small SONATA circuit that lists one thing N times into the folder `circuit`, for scaling.py.

    tests/command/circuit_lists.py NAME N
"""

import json
import pathlib
import sys

import h5py
import numpy as np

import sonata

FOLDER = pathlib.Path("circuit")


def make(nodes=None, node_types=None, edges=None, edge_types=None, populations=("v1",), sets=None, inputs=None,
         reports=None, spikes=4, xml=""):
    """nodes: [(id, type)] of the first population; edges: [(source, target, type)] onto it."""
    nodes = nodes or [(i, 100) for i in range(4)]
    nodes += [(len(nodes) + i, nodes[0][1]) for i in range(4 - len(nodes))]
    edges = edges or [(0, i, 1) for i in range(4)]
    FOLDER.mkdir(exist_ok=True)
    for name, text in (("shape.swc", sonata.SWC), ("fit.json", json.dumps(sonata.FIT)),
                       ("exc.json", '{"level_of_detail": "exp2syn", "tau1": 1.0, "tau2": 3.0, "erev": 0.0}'),
                       ("cell.nml", sonata.NML.replace("<notes>", xml + "<notes>"))):
        (FOLDER / name).write_text(text)
    header = "node_type_id model_type model_template morphology model_processing dynamics_params\n"
    (FOLDER / "node_types.csv").write_text(header + "".join(
        f"{t} biophysical ctdb:Biophys1.hoc shape.swc aibs_perisomatic fit.json\n" for t in node_types or [100])
        + "101 biophysical nml:cell.nml shape.swc NULL NONE\n")
    (FOLDER / "ext_types.csv").write_text("node_type_id model_type\n7 virtual\n")
    (FOLDER / "edge_types.csv").write_text(
        "edge_type_id target_sections distance_range delay syn_weight model_template dynamics_params\n" + "".join(
            f"{t} \"['soma']\" \"[0.0, 1e+20]\" 2 0.0{t} exp2syn exc.json\n" for t in edge_types or [1]))
    for name in populations:
        write_nodes(name, nodes if name == populations[0] else [(0, 100), (1, 101)])
    write_nodes("ext", [(i, 7) for i in range(2)])
    with h5py.File(FOLDER / "edges.h5", "w") as file:
        to = file.create_group("edges/ext_to_" + populations[0])
        for k, (key, of) in enumerate((("source_node_id", "ext"), ("target_node_id", populations[0]))):
            to.create_dataset(key, data=np.array([e[k] for e in edges], "u8")).attrs["node_population"] = of
        to["edge_type_id"] = np.array([e[2] for e in edges], "u4")
        to["edge_group_id"] = np.zeros(len(edges), "u2")
        to["edge_group_index"] = np.arange(len(edges), dtype="u4")
        to["0/nsyns"] = np.ones(len(edges), "u2")
    with h5py.File(FOLDER / "train.h5", "w") as file:
        file["spikes/ext/timestamps"] = np.arange(spikes) * 1e-3
        file["spikes/ext/node_ids"] = np.arange(spikes, dtype="u8") % 2
    (FOLDER / "sets.json").write_text(json.dumps({"all": {"population": populations[0]}} | (sets or {})))
    train = {"input_type": "spikes", "module": "sonata", "input_file": "train.h5", "node_set": {"population": "ext"}}
    config = {
        "manifest": {"$HERE": "${configdir}"},
        "components": {key: "$HERE" for key in ("morphologies_dir", "synaptic_models_dir", "mechanisms_dir",
                                                "point_neuron_models_dir", "biophysical_neuron_models_dir")},
        "networks": {"nodes": [{"nodes_file": f"$HERE/{name}.h5", "node_types_file": f"$HERE/{types}.csv"}
                               for name, types in [(name, "node_types") for name in populations] + [("ext", "ext_types")]],
                     "edges": [{"edges_file": "$HERE/edges.h5", "edge_types_file": "$HERE/edge_types.csv"}]},
        "run": {"tstop": 1.0, "dt": 0.1, "dL": 20.0, "spike_threshold": -15},
        "conditions": {"celsius": 34.0, "v_init": -75}, "node_sets_file": "$HERE/sets.json",
        "inputs": {"train": train} | (inputs or {}), "reports": reports or {}}
    (FOLDER / "config.json").write_text(json.dumps(config))


def write_nodes(name, nodes):
    with h5py.File(FOLDER / f"{name}.h5", "w") as file:
        to = file.create_group("nodes/" + name)
        to["node_id"] = np.array([node[0] for node in nodes], "u8")
        to["node_type_id"] = np.array([node[1] for node in nodes], "u8")
        to["node_group_id"] = np.zeros(len(nodes), "u4")
        to["node_group_index"] = np.arange(len(nodes), dtype="u8")
        to["0/x"] = np.zeros(len(nodes))


def types(n):
    return range(200, 200 + n)


def clamp(i):
    return {"input_type": "current_clamp", "module": "IClamp", "node_set": "all", "amp": 0.5, "delay": 0.1 * i,
            "duration": 1.0}


def report(i):
    return {"module": "membrane_report", "cells": "all", "variable_name": "v", "sections": "soma", "file_name": f"r{i}.h5"}


CASES = {
    "nodes": lambda n: make(nodes=[(i, 100) for i in range(n)]),
    "node types": lambda n: make(nodes=list(enumerate(types(n))), node_types=types(n)),
    "edges": lambda n: make(edges=[(i % 2, i % 4, 1) for i in range(n)]),
    "edge types": lambda n: make(edges=[(i % 2, i % 4, t) for i, t in enumerate(types(n))], edge_types=types(n)),
    "populations of nodes": lambda n: make(populations=[f"v{i}" for i in range(n)]),
    "node sets": lambda n: make(sets={f"s{i}": {"node_id": [i % 4]} for i in range(n)}),
    "current clamps of a circuit": lambda n: make(inputs={f"c{i}": clamp(i) for i in range(n)}),
    "reports of a circuit": lambda n: make(reports={f"r{i}": report(i) for i in range(n)}),
    "spikes of an input": lambda n: make(spikes=n),
    "XML elements": lambda n: make(nodes=[(0, 101), (1, 101), (2, 100), (3, 100)], xml="<notes>a</notes>" * n),
}

if __name__ == "__main__":
    CASES[sys.argv[1]](int(sys.argv[2]))
