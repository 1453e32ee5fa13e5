#!/usr/bin/env python3
"""hillock export: the circuit that it writes is the network that a run makes. A model whose projections are lists read from
the exported files writes the run's bytes; indices, types and configuration say what the columns say."""

import csv
import json
import pathlib

import h5py
import numpy as np

import harness

CELLS = {
    "stick": {"morphology": {"branches": [
        {"name": "soma", "length": "20 um", "diameter": "20 um"},
        {"name": "dend[0]", "parent": "soma", "length": "200 um", "diameter": "2 um"},
        {"name": "dend[1]", "parent": "soma", "at": 0, "length": "120 um", "diameter": "1 um"}]},
        "discretization": {"max_length": "30 um"},
        "regions": {"soma": {"hh": {}}, "dend": {"pas": {}}}, "detector": {"at": "soma(0.5)"}},
    "tree": {"morphology": {"random_tree": {"depth": 4}}, "regions": {"all": {"hh": {}}},
             "detector": {"at": "soma(0.5)"}},
    "rs": {"izhikevich": {}}}
SYNAPSE = {"expsyn": {"tau": "2 ms", "e": "0 mV"}}
WEIGHT = {"lognormal": {"mean": "4 nS", "cv": 0.5}}
PROJECTIONS = [
    {"from": "exc", "to": "inh[1:6]", "connect": {"pairwise_bernoulli": 0.4}, "weight": WEIGHT,
     "synapse": SYNAPSE | {"at": "uniform(dend)"}, "delay": {"uniform": {"min": "1 ms", "max": "3 ms"}}},
    {"name": "all places", "from": "exc[2:]", "to": "exc", "connect": {"fixed_outdegree": 3, "multapses": True},
     "weight": "2 nS", "synapse": SYNAPSE | {"at": "dend(*)"}, "delay": {"base": "1 ms", "velocity": "0.2 m/s"}},
    {"from": "exc", "to": "trees", "connect": {"fixed_indegree": 5}, "weight": WEIGHT,
     "synapse": SYNAPSE | {"at": {"of": "dend"}}, "delay": "1 ms"},
    {"name": "ends", "from": "exc", "to": "exc", "connect": {"fixed_indegree": 3}, "weight": WEIGHT,
     "synapse": SYNAPSE | {"at": "dend[1](1)"}, "delay": "2 ms"},
    {"name": "begin", "from": "points", "to": "inh", "connect": {"fixed_indegree": 3}, "weight": WEIGHT,
     "synapse": SYNAPSE | {"at": "soma(0)"}, "delay": "2 ms"},
    {"from": "exc", "to": "points", "connect": {"fixed_indegree": 4}, "weight": {"uniform": {"min": 2, "max": 9}},
     "delay": "1 ms"},
    {"from": "points", "to": "points", "connect": {"fixed_total_number": 60}, "weight": 3, "delay": "2 ms"}]
JUNCTIONS = {"name": "gaps", "from": "inh", "to": "inh", "connect": {"fixed_indegree": 2},
             "gap_junction": {"g": {"uniform": {"min": "0.1 nS", "max": "0.5 nS"}}, "at": "uniform(dend)",
                              "peer_at": "soma(0.5)"}}
IDS = {"exc": [7, 3, 12, 5, 9, 1, 20, 4], "inh": [2, 0, 6, 8, 10, 11]}


def model(projections, nodes=True):
    known = {name: {"nodes": {"population": "cortex", "ids": {"csv": f"{name}.csv"}}} if nodes else {} for name in IDS}
    box = {"positions": {"uniform_box": ["200 um", "100 um", "50 um"]}}
    return {"hillock": 1, "run": {"duration": "60 ms", "seed": 5}, "cells": CELLS,
            "populations": {"exc": {"cell": "stick", "size": 8} | box | known["exc"],
                            "inh": {"cell": "stick", "size": 6} | box | known["inh"],
                            "trees": {"cell": "tree", "size": 5}, "points": {"cell": "rs", "size": 12}},
            "projections": projections,
            "stimuli": [{"poisson": {"rate": "150 Hz"}, "to": "exc", "synapse": SYNAPSE | {"at": "soma(0.5)"},
                         "weight": "9 nS"},
                        {"gaussian": {"mean": 6, "sd": 3}, "to": "points"}],
            "record": [{"name": "spikes", "of": name} | {"name": f"s_{name}"} for name in ("exc", "inh", "trees", "points")] +
                      [{"name": f"v_{name}", "of": name, "variable": "v", "at": "soma(0.5)", "type": "float64"}
                       for name in ("exc", "inh", "trees")]}


def run(folder, name, content):
    path = folder / f"{name}.yaml"
    path.write_text(json.dumps(content))
    done = harness.run("run", path, "-o", folder / f"{name}.out", "--quiet")
    harness.check(done.returncode == 0, f"{name}: {done.stderr}")
    return {file.name: numbers_of(file) for file in sorted((folder / f"{name}.out").glob("*.h5"))}


def numbers_of(path):
    found = {}
    with h5py.File(path) as file:
        file.visititems(lambda name, item: found.update({name: item[()].tobytes()})
                        if isinstance(item, h5py.Dataset) else None)
    return found


def as_lists(edges):
    """The projections, each a list of what was exported, but those onto cells whose branches have no certain number. Of a
    slice sources and targets are whole cells again."""
    made = []
    for projection, name in zip(PROJECTIONS, NAMES):
        if projection["to"] == "trees":
            made.append(projection)
            continue
        columns = {column: f"/edges/{name}/0/{theirs}" for column, theirs in (
            ("weight", "syn_weight"), ("delay", "delay"), ("branch", "afferent_section_id"),
            ("position", "afferent_section_pos"))}
        if "synapse" not in projection:
            del columns["branch"], columns["position"]
        synapse = {"synapse": projection["synapse"] | {"at": "list"}} if "synapse" in projection else {}
        made.append(synapse | {
            "name": projection.get("name", f"{projection['from']}->{projection['to']}"),
            "from": projection["from"].split("[")[0], "to": projection["to"].split("[")[0],
            "weight": "1 nS" if synapse else 1, "delay": "1 ms",
            "connect": {"list": {"hdf5": str(edges), "source": f"/edges/{name}/source_node_id",
                                 "target": f"/edges/{name}/target_node_id"} | columns}})
    return made


NAMES = ["exc_to_inh_1_6_", "all_places", "exc_to_trees", "ends", "begin", "exc_to_points", "points_to_points"]


def is_the_network_of_a_run(folder):
    wanted = run(folder, "rules", model(PROJECTIONS, nodes=False))
    done = harness.run("export", folder / "rules.yaml", "-o", folder / "circuit")
    harness.check(done.returncode == 0, done.stderr)
    got = run(folder, "lists", model(as_lists(folder / "circuit/edges.h5"), nodes=False))
    harness.check(wanted.keys() == got.keys() and wanted, f"{wanted.keys()} and {got.keys()}")
    for name in wanted:
        harness.check(wanted[name] == got[name], f"{name}: lists of the exported circuit make another run")
    with h5py.File(folder / "rules.out/spikes.h5") as spikes:
        for name in ("exc", "inh", "trees", "points"):
            harness.check(len(spikes[f"spikes/{name}/timestamps"]) > 0, f"{name} is silent: nothing is compared")
    return len(wanted)


def ranges_of(index, node):
    begin, end = index["node_id_to_ranges"][node]
    return [edge for first, last in index["range_to_edge_id"][begin:end] for edge in range(first, last)]


def says_what_it_has(folder):
    for name, ids in IDS.items():
        (folder / f"{name}.csv").write_text("\n".join(["id", *map(str, ids)]))
    (folder / "nodes.yaml").write_text(json.dumps(model([*PROJECTIONS, JUNCTIONS])))
    done = harness.run("export", folder / "nodes.yaml")
    out = folder / "nodes.circuit"
    harness.check(done.returncode == 0 and done.stdout.startswith(f"{out}: 31 nodes, "), done.stdout + done.stderr)
    config = json.loads((out / "circuit_config.json").read_text())
    for kind, entry in (("node", config["networks"]["nodes"][0]), ("edge", config["networks"]["edges"][0])):
        for key in (f"{kind}s_file", f"{kind}_types_file"):
            harness.check((out / entry[key].removeprefix("$NETWORK_DIR/")).is_file(), f"{key} is not there")
    types = {table: list(csv.DictReader((out / f"{table}_types.csv").open(), delimiter=" ")) for table in ("node", "edge")}
    harness.check([row["model_type"] for row in types["node"]] == ["biophysical"] * 3 + ["point_neuron"], types["node"])
    harness.check([row["model_template"] for row in types["edge"]] == ["expsyn"] * 5 + ["izhikevich"] * 2 + ["gap"],
                  types["edge"])
    count = 0
    with h5py.File(out / "nodes.h5") as nodes, h5py.File(out / "edges.h5") as edges:
        cortex = nodes["nodes/cortex"]
        ids = cortex["node_id"][:].tolist()
        harness.check(ids == sorted(IDS["exc"] + IDS["inh"]), f"ids: {ids}")
        of_type = {int(row["node_type_id"]): row["population"] for row in types["node"]}
        harness.check(set(of_type.values()) == {"cortex", "trees", "points"}, of_type)
        is_exc = np.isin(ids, IDS["exc"])
        harness.check(len(set(cortex["node_type_id"][is_exc])) == 1 == len(set(cortex["node_type_id"][~is_exc])), "types")
        harness.check(np.ptp(cortex["0/x"]) > 10 and np.ptp(cortex["0/z"]) <= 50, "positions")
        for row in types["edge"]:
            population = edges["edges"][row["population"]]
            source, target = population["source_node_id"], population["target_node_id"]
            harness.check(set(population["edge_type_id"]) == {int(row["edge_type_id"])}, "edge types")
            for name, column in (("source_to_target", source), ("target_to_source", target)):
                known = nodes["nodes"][column.attrs["node_population"]]["node_id"][:]
                harness.check(np.isin(column[:], known).all(), f"{row['population']}: nodes that are not there")
                for node in known:
                    found = ranges_of(population["indices"][name], node)
                    harness.check(found == np.flatnonzero(column[:] == node).tolist(), f"{name} of {node}: {found}")
                    count += 1
        junctions = edges["edges/gaps/0"]
        harness.check(len(junctions["conductance"]) == 12 and 1e-4 <= np.min(junctions["conductance"]) and
                      np.max(junctions["conductance"]) <= 5e-4, "conductances, uS")
        harness.check(set(junctions["efferent_section_id"]) == {0} and set(junctions["afferent_section_id"]) == {1, 2},
                      "places of junctions")
        weights = edges[f"edges/{NAMES[0]}/0/syn_weight"][:]
        harness.check(0.002 < weights.mean() < 0.008, f"weights, uS: {weights.mean()}")
    done = harness.run("export", folder / "nodes.yaml")
    harness.check(done.returncode == 4 and "not overwritten without --force" in done.stderr, done.stderr)
    done = harness.run("export", folder / "nodes.yaml", "--force")
    harness.check(done.returncode == 0, done.stderr)
    for name in ("nodes.h5", "edges.h5", "node_types.csv", "edge_types.csv"):
        theirs = folder / f"with {name}"
        theirs.mkdir()
        (theirs / name).write_text("somebody's\n")
        done = harness.run("export", folder / "nodes.yaml", "-o", theirs)
        harness.check(done.returncode == 4 and f"{name}: is there already" in done.stderr, f"{name}: {done.stderr}")
        harness.check([file.name for file in theirs.iterdir()] == [name] and
                      (theirs / name).read_text() == "somebody's\n", f"{name} is another's")
        count += 1
    far = model([JUNCTIONS], nodes=False)
    far["populations"]["inh"] |= {"nodes": {"population": "v1", "ids": [0, 1, 2, 3, 4, 2**53 - 1]}}
    (folder / "far.yaml").write_text(json.dumps(far))
    done = harness.run("export", folder / "far.yaml")
    harness.check(done.returncode == 3 and "populations.inh: node id 9007199254740991 of v1" in done.stderr, done.stderr)
    (folder / "each.csv").write_text("cell,branch,position\n3,0,0.5\n")
    (folder / "points.yaml").write_text(json.dumps(model([], nodes=False) | {
        "points": {"each": {"on": "exc"} | SYNAPSE | {"list": {"csv": "each.csv"}}}}))
    done = harness.run("export", folder / "points.yaml", "-o", folder / "points")
    harness.check(done.returncode == 3 and "points.each: points with numbers of their own" in done.stderr, done.stderr)
    done = harness.run("export", folder / "nodes.yaml", "-o", folder / "nodes.yaml" / "x")
    harness.check(done.returncode == 4, done.stderr)
    return count


def main():
    with harness.scratch() as scratch:
        folder = pathlib.Path(scratch)
        count = is_the_network_of_a_run(folder) + says_what_it_has(folder)
    harness.finish(count, "things compared")


if __name__ == "__main__":
    main()
