#!/usr/bin/env python3
"""SONATA circuits: a small one that uses what is read of the format, made here, runs from its configuration and as the
model that it is imported as, with the same results; what is not read is refused by name."""

import json
import pathlib
import re
import shutil
import subprocess

import h5py
import numpy as np

import harness

SWC = """1 1 0 0 0 5 -1
2 1 0 -5 0 5 1
3 1 0 5 0 5 1
4 3 0 10 0 1 3
5 3 0 130 0 1 4
6 4 10 0 0 1 1
7 4 90 0 0 1 6
8 2 0 -20 0 1 2
"""
FIT = {"passive": [{"ra": 100.0, "e_pas": -75.0,
                    "cm": [{"section": s, "cm": 1.0} for s in ("soma", "axon", "dend", "apic")]}],
       "conditions": [{"erev": [{"section": "soma", "ena": 53.0, "ek": -107.0}]}],
       "genome": [{"section": "soma", "name": "gnabar_hh", "value": "0.12", "mechanism": "hh"},
                  {"section": "soma", "name": "g_pas", "value": "0.0001", "mechanism": ""},
                  {"section": "dend", "name": "g_pas", "value": "0.0001", "mechanism": ""}]}
NML = """<?xml version="1.0"?>
<neuroml xmlns="http://www.neuroml.org/schema/neuroml2"><cell id="c"><notes>a &lt; b</notes>
 <channelDensity id="g_pas_all" segmentGroup="all" ion="non_specific" ionChannel="pas" erev="-70 mV"
   condDensity="0.0002 S_per_cm2"/>
 <resistivity segmentGroup="all" value="120 ohm_cm"/>
 <specificCapacitance segmentGroup="soma" value="1.5 uF_per_cm2"/></cell></neuroml>
"""
MOD = """NEURON { POINT_PROCESS alpha_syn RANGE tau, e NONSPECIFIC_CURRENT i }
PARAMETER { tau = 1 (ms) e = 0 (mV) }
ASSIGNED { v (mV) i (nA) }
STATE { g (uS) }
INITIAL { g = 0 }
BREAKPOINT { SOLVE s METHOD cnexp i = g*(v - e) }
DERIVATIVE s { g' = -g/tau }
NET_RECEIVE(w (uS)) { g = g + w }
"""


def nodes(path, name, ids, types, groups, columns):
    """groups: of each node; columns: {group: {name: values}}."""
    with h5py.File(path, "w") as file:
        to = file.create_group("nodes/" + name)
        to["node_id"] = np.array(ids, "u8")
        to["node_type_id"] = np.array(types, "u8")
        to["node_group_id"] = np.array(groups, "u4")
        to["node_group_index"] = np.array([groups[:i].count(g) for i, g in enumerate(groups)], "u8")
        for group, values in columns.items():
            for key, column in values.items():
                to[f"{group}/{key}"] = column


def edges(path, source, target, rows, types, groups, columns):
    with h5py.File(path, "w") as file:
        to = file.create_group(f"edges/{source}_to_{target}")
        for k, (key, of) in enumerate((("source_node_id", source), ("target_node_id", target))):
            to.create_dataset(key, data=np.array([row[k] for row in rows], "u8")).attrs["node_population"] = of
        to["edge_type_id"] = np.array(types, "u4")
        to["edge_group_id"] = np.array(groups, "u2")
        to["edge_group_index"] = np.array([groups[:i].count(g) for i, g in enumerate(groups)], "u4")
        for group, values in columns.items():
            for key, column in values.items():
                to[f"{group}/{key}"] = np.array(column)


def make(folder):
    """A circuit of two biophysical types, point neurons and virtual nodes."""
    network, parts = folder / "network", folder / "parts"
    for name in ("swc", "cells/nml", "synapses", "points", "mods/modfiles"):
        (parts / name).mkdir(parents=True)
    network.mkdir()
    (parts / "swc/shape.swc").write_text(SWC)
    (parts / "cells/fit.json").write_text(json.dumps(FIT))
    (parts / "cells/nml/cell.nml").write_text(NML)
    (parts / "synapses/exc.json").write_text('{"level_of_detail": "exp2syn", "tau1": 1.0, "tau2": 3.0, "erev": 0.0}')
    (parts / "synapses/alpha.json").write_text('{"tau": 2.0, "erev": -10}')
    (parts / "synapses/minus.json").write_text('{"sign": -1}')
    (parts / "points/lif.json").write_text('{"tau": 0.02, "refrac": 0.003}')
    (parts / "mods/modfiles/alpha.mod").write_text(MOD)
    (parts / "mods/modfiles/vecevent.mod").write_text("NEURON { ARTIFICIAL_CELL VecStim }\nVERBATIM\nENDVERBATIM\n")
    nodes(network / "v1_nodes.h5", "v1", [4, 2, 0, 7, 9, 11], [100, 101, 100, 102, 100, 102], [0, 1, 0, 2, 0, 2],
          {0: {"x": [1., 2., 3.], "y": [0., 0., 0.], "z": [0., 5., 0.], "tuning_angle": [0., 45., 90.]},
           1: {"positions": [[7., 8., 9.]], "rotation_angle_yaxis": [0.5]}, 2: {"tuning_angle": [30., 60.]}})
    (network / "v1_types.csv").write_text(
        "node_type_id model_type model_template morphology model_processing dynamics_params ei\n"
        "100 biophysical ctdb:Biophys1.hoc shape.swc aibs_perisomatic fit.json e\n"
        "101 biophysical nml:nml/cell.nml shape NULL NONE i\n"
        "102 point_neuron nrn:IntFire1 NULL NULL lif.json i\n")
    nodes(network / "ext_nodes.h5", "ext", [0, 1], [7, 7], [0, 0], {})
    (network / "ext_types.csv").write_text("node_type_id model_type\n7 virtual\n")
    edges(network / "ext_v1.h5", "ext", "v1", [(0, 4), (1, 2), (0, 0), (1, 7), (0, 11)], [1, 1, 2, 3, 3],
          [0, 0, 1, 2, 2], {0: {"sec_id": [1, 0], "sec_x": [0.3, 0.5], "delay": [1.5, 2.5]}, 1: {"nsyns": [3]},
                            2: {"nsyns": [2, 4], "syn_weight": [0.7, 0.9]}})
    (network / "ext_v1_types.csv").write_text(
        "edge_type_id target_sections distance_range delay syn_weight model_template dynamics_params weight_function\n"
        "1 NULL NULL 9 0.02 exp2syn exc.json wmax\n"
        "2 \"['basal', 'apical']\" \"[0.0, 1e+20]\" 2 0.03 alpha_syn alpha.json NULL\n"
        "3 NULL NULL 1 0.1 NULL minus.json wmax\n")
    edges(network / "v1_v1.h5", "v1", "v1", [(4, 0), (0, 9)], [5, 5], [0, 0],
          {0: {"afferent_section_id": [0, 1], "afferent_section_pos": [0.5, 1.0]}})
    (network / "v1_v1_types.csv").write_text(
        "edge_type_id delay syn_weight weight_sigma model_template dynamics_params weight_function\n"
        "5 1 0.01 50.0 exp2syn exc.json gaussianLL\n")
    with h5py.File(folder / "train.h5", "w") as file:
        file["spikes/ext/timestamps"] = [10.0, 12.0, 30.0, 31.0]
        file["spikes/ext/node_ids"] = np.array([1, 0, 0, 1], "u8")
    (folder / "sets.json").write_text('{"shaped": {"model_type": "biophysical"}, "one": {"population": "v1", "node_id": [4]}}')
    circuit = {"manifest": {"$NET": "./network", "$PARTS": "${configdir}/parts"},
               "components": {"morphologies_dir": "$PARTS/swc", "synaptic_models_dir": "$PARTS/synapses",
                              "mechanisms_dir": "$PARTS/mods", "point_neuron_models_dir": "$PARTS/points",
                              "biophysical_neuron_models_dir": "$PARTS/cells"},
               "networks": {"nodes": [{"nodes_file": "$NET/v1_nodes.h5", "node_types_file": "$NET/v1_types.csv"},
                                      {"nodes_file": "$NET/ext_nodes.h5", "node_types_file": "$NET/ext_types.csv"}],
                            "edges": [{"edges_file": "$NET/ext_v1.h5", "edge_types_file": "$NET/ext_v1_types.csv"},
                                      {"edges_file": "$NET/v1_v1.h5", "edge_types_file": "$NET/v1_v1_types.csv"}]}}
    simulation = {"run": {"tstop": 50.0, "dt": 0.1, "dL": 20.0, "spike_threshold": -15},
                  "conditions": {"celsius": 34.0, "v_init": -75}, "node_sets_file": "sets.json",
                  "inputs": {"train": {"input_type": "spikes", "module": "sonata", "input_file": "train.h5",
                                       "node_set": "ext"},
                             "step": {"input_type": "current_clamp", "module": "IClamp", "node_set": "one",
                                      "amp": 0.5, "delay": 5.0, "duration": 20.0}},
                  "reports": {"v": {"module": "membrane_report", "cells": "shaped", "variable_name": "v",
                                    "sections": "soma"},
                              "field": {"module": "netcon_report", "cells": "shaped", "variable_name": "v"}}}
    (folder / "circuit.json").write_text(json.dumps(circuit))
    (folder / "simulation.json").write_text(json.dumps(simulation))
    (folder / "config.json").write_text('{"network": "circuit.json", "simulation": "simulation.json"}')


def spikes_of(directory):
    with h5py.File(directory / "spikes.h5") as file:
        return {name: (list(group["timestamps"]), list(group["node_ids"])) for name, group in file["spikes"].items()}


def check_runs(folder):
    done = harness.run("run", folder / "config.json", "-o", folder / "direct", "--quiet")
    harness.check(done.returncode == 0, "the circuit runs: " + done.stderr)
    harness.check("'netcon_report'" in done.stderr, "a report that is left out is named: " + done.stderr)
    named = folder / "config.yaml"
    named.write_bytes((folder / "config.json").read_bytes())
    done = harness.run("validate", named)
    harness.check(done.returncode == 0, f"a configuration named .yaml: {done.stderr}")
    done = subprocess.run([harness.HILLOCK, "validate", "-"], input=named.read_text(), capture_output=True, text=True)
    harness.check(done.returncode == 2 and "name its file" in done.stderr, f"a configuration as input: {done.stderr}")
    done = harness.run("import", folder / "config.json", "-o", folder / "as/model.yaml")
    harness.check(done.returncode == 0, "the circuit is imported: " + done.stderr)
    done = harness.run("run", folder / "as/model.yaml", "-o", folder / "imported", "--quiet")
    harness.check(done.returncode == 0, "what was imported runs: " + done.stderr)
    direct, imported = spikes_of(folder / "direct"), spikes_of(folder / "imported")
    harness.check(direct == imported, f"both have the same spikes: {direct} {imported}")
    harness.check(list(direct) == ["v1"] and direct["v1"][1] and set(direct["v1"][1]) <= {0, 2, 4, 7, 9, 11},
                  f"spikes have the population and the ids of their nodes: {direct}")
    with h5py.File(folder / "direct/v.h5") as report:
        mapping = report["report/v1/mapping"]
        harness.check(list(mapping["node_ids"]) == [0, 2, 4, 9], "a report has the nodes of two types, rising")
        harness.check(report["report/v1/data"].shape == (500, 4), "and a column for each")
    model = (folder / "as/model.yaml").read_text()
    for piece in ("at: list", "alpha_syn: {tau: 2.0 ms, e: -10 mV}", "odd_pieces: 40 um",
                  "hh: {gnabar: 0.12 S/cm2}", "na: {e: 53.0 mV}", "of: [dend, apic]"):
        harness.check(piece in model, f"the model has '{piece}'")
    tables = {path.name: path.read_text() for path in (folder / "as/model_data").glob("edges_*.csv")}
    harness.check(any("0,0,1,0.3\n" in text for text in tables.values()) and "delay: 1.5 ms" in model,
                  "an edge's own delay and place come before its type's")
    gauss = [text for name, text in tables.items() if name.startswith("edges_v1_to_v1")]
    harness.check(len(gauss) == 1, f"one projection a type and pair of populations: {list(tables)}")
    want = [0.01 * np.exp(-(45 / 50) ** 2), 0.01 * np.exp(-(45 / 50) ** 2)]
    rows = [line.split(",") for line in gauss[0].splitlines()[1:]]
    weights = [float(row[2]) for row in rows] if "weight" in gauss[0] else [
        float(line.split("weight: ")[1].split(" ")[0]) for line in model.splitlines() if "weight: 0.004" in line] * 2
    harness.check(np.allclose(weights, want), f"weights by gaussianLL: {weights}, not {want}")
    harness.check("weight: -1.4" in model or any(",-1.4\n" in t or ",-1.4," in t for t in tables.values()),
                  "edges onto point neurons are as strong as their synapses, with their sign")


REFUSED = [("network/v1_types.csv", "ctdb:Biophys1.hoc", "hoc:Cell", "is written in hoc"),
           ("network/v1_types.csv", "nrn:IntFire1", "nrn:IntFire4", "nrn:IntFire4"),
           ("network/v1_types.csv", "aibs_perisomatic", "own_processing", "own_processing"),
           ("network/v1_v1_types.csv", "gaussianLL", "own_weights", "own_weights"),
           ("network/v1_v1_types.csv", "exp2syn", "own_synapse", "own_synapse"),
           ("simulation.json", "IClamp", "comsol", "comsol"),
           ("simulation.json", "IClamp", "xstim", "has no 'positions_file'"),
           ("simulation.json", '"current_clamp"', '"own_clamp"', "the input_type 'own_clamp'"),
           ("simulation.json", '"delay": 5.0', '"delay": [5.0, 6.0]', "other numbers of amp, delay and duration"),
           ("simulation.json", '"ext"}', '"ex"}', "Did you mean 'ext'?"),
           ("simulation.json", "train.h5", "no.h5", "no.h5"),
           ("circuit.json", "$PARTS/swc", "$OTHER/swc", "no manifest knows"),
           ("parts/cells/fit.json", "gnabar_hh", "gnobar_hh", "no parameter 'gnobar'"),
           ("parts/cells/nml/cell.nml", "0.0002 S_per_cm2", "2 mS_per_cm2", "S_per_cm2")]


def check_refusals(folder):
    for name, old, new, words in REFUSED:
        path = folder / name
        text = path.read_text()
        harness.check(old in text, f"{name} has {old}")
        path.write_text(text.replace(old, new))
        done = harness.run("validate", folder / "config.json")
        harness.check(done.returncode in (3, 4) and words in done.stderr,
                      f"{new} in {name} is refused by name: {done.returncode} {done.stderr}")
        path.write_text(text)


def check_mixed_texts(folder):
    """Edges of one type whose own columns give them other synapses are not one list."""
    path = folder / "network/v1_v1.h5"
    whole = path.read_bytes()
    with h5py.File(path, "a") as file:
        file.create_dataset("edges/v1_to_v1/0/model_template", data=["exp2syn", "alpha_syn"], dtype=h5py.string_dtype())
    done = harness.run("validate", folder / "config.json")
    harness.check(done.returncode == 3 and "edges 0 and 1 of one type and group have other synapses" in done.stderr,
                  f"mixed texts: {done.returncode} {done.stderr}")
    path.write_bytes(whole)


NEST_MODEL = """hillock: 1
run: {duration: 50 ms, dt: 0.1 ms, v_init: -70 mV}
cells:
  by_current: {iaf_psc_exp: {C_m: 200 pF, E_L: -68 mV, I_e: 300 pA}}
  by_conductance: {aeif_cond_exp: {V_init: -65 mV, w_init: 10 pA, I_e: 800 pA}}
  quadratic: {izhikevich: {a: 0.1, threshold: 25, v_init: -60}}
  jumping: {iaf_psc_delta: {t_ref: 4 ms, V_min: -72 mV, refractory_input: 1, I_e: 250 pA}}
  rising: {iaf_psc_alpha: {tau_syn_ex: 4 ms, V_init: -60 mV}}
  opening: {iaf_cond_alpha: {tau_syn_ex: 1 ms}}
  source: {artificial: {relay: {}}}
populations:
  n_1: {cell: by_current, size: 2, nodes: {population: n, ids: [5, 3]}}
  n_2: {cell: by_conductance, size: 1, nodes: {population: n, ids: [4]}}
  n_3: {cell: quadratic, size: 1, nodes: {population: n, ids: [9]}}
  n_4: {cell: jumping, size: 1, nodes: {population: n, ids: [12]}}
  n_5: {cell: rising, size: 2, nodes: {population: n, ids: [15, 14]}}
  n_6: {cell: opening, size: 1, nodes: {population: n, ids: [1]}}
  ext: {cell: source, size: 1}
projections:
  - {from: n_1, to: n_1, connect: {list: [[0, 1]]}, weight: 900 pA, delay: 1.5 ms}
  - {from: n_1, to: n_1, connect: {list: [[1, 0]]}, weight: -250 pA, delay: 1.5 ms}
  - {from: n_1, to: n_2, connect: {list: [[0, 0]]}, weight: 40 nS, delay: 1.5 ms}
  - {from: n_1, to: n_4, connect: {list: [[0, 0], [1, 0]]}, weight: 6 mV, delay: 1.5 ms}
  - {from: n_4, to: n_5, connect: {list: [[0, 1]]}, weight: 500 pA, delay: 1.5 ms}
  - {from: n_4, to: n_6, connect: {list: [[0, 0]]}, weight: 70 nS, delay: 1.5 ms}
  - {from: ext, to: n_3, connect: {list: [[0, 0]]}, weight: 400, delay: 1 ms}
stimuli:
  - {spikes: {times: [10 ms, 12 ms, 14 ms]}, to: ext, weight: 1}
  - {iclamp: {amplitude: 700 pA, start: 5.1 ms, duration: 10 ms}, to: n_5}
  - {iclamp: {amplitude: 600 pA, start: 15.1 ms, duration: 5 ms}, to: n_5}
  - {iclamp: {waveform: {times: [8.1 ms, 9.1 ms, 9.1 ms, 60 ms], currents: [300 pA, 300 pA, 90 pA, 90 pA]}}, to: n_4}
record:
  - {name: s1, of: n_1}
  - {name: s2, of: n_2}
  - {name: s3, of: n_3}
  - {name: s4, of: n_4}
  - {name: s5, of: n_5}
  - {name: s6, of: n_6}
  - {name: V, of: [n_1, n_2, n_4, n_5, n_6], variable: V_m, every: 0.5 ms}
  - {name: V_2, of: n_3, variable: v, every: 0.5 ms}
"""


def check_nest(folder):
    """Neurons of NEST's spike as those of a model file with the same parameters, weights and delays."""
    folder.mkdir()
    (folder / "p1.json").write_text('{"C_m": 200.0, "E_L": -68.0, "I_e": 300.0}')
    (folder / "p2.json").write_text('{"V_m": -65.0, "w": 10.0, "I_e": 800}')
    (folder / "p3.json").write_text('{"a": 0.1, "V_th": 25.0, "V_m": -60.0}')
    (folder / "p4.json").write_text('{"t_ref": 4.0, "V_min": -72.0, "refractory_input": true, "I_e": 250.0}')
    (folder / "p5.json").write_text('{"tau_syn_ex": 4.0, "V_m": -60.0}')
    (folder / "p6.json").write_text('{"tau_syn_ex": 1.0}')
    nodes(folder / "n.h5", "n", [5, 4, 3, 9, 12, 15, 14, 1], [1, 2, 1, 3, 4, 5, 5, 6], [0] * 8, {})
    (folder / "n.csv").write_text("node_type_id model_type model_template dynamics_params\n"
                                  "1 point_process nest:iaf_psc_exp p1.json\n"
                                  "2 point_process nest:aeif_cond_exp p2.json\n3 point_neuron nest:izhikevich p3.json\n"
                                  "4 point_neuron nest:iaf_psc_delta p4.json\n5 point_neuron nest:iaf_psc_alpha p5.json\n"
                                  "6 point_neuron nest:iaf_cond_alpha p6.json\n")
    nodes(folder / "ext.h5", "ext", [0], [7], [0], {})
    (folder / "ext.csv").write_text("node_type_id model_type\n7 virtual\n")
    edges(folder / "n_n.h5", "n", "n", [(5, 3), (3, 5), (5, 4), (5, 12), (3, 12), (12, 14), (12, 1)],
          [1, 1, 2, 2, 2, 2, 2], [0, 0, 1, 1, 1, 1, 1],
          {0: {"syn_weight": [300.0, -250.0], "nsyns": [3, 1]}, 1: {"syn_weight": [40.0, 6.0, 6.0, 500.0, 70.0]}})
    (folder / "n_n.csv").write_text("edge_type_id model_template delay\n1 static_synapse 1.5\n2 static_synapse 1.5\n")
    edges(folder / "ext_n.h5", "ext", "n", [(0, 9)], [1], [0], {0: {"nsyns": [1]}})
    (folder / "ext_n.csv").write_text("edge_type_id syn_weight\n1 400\n")
    with h5py.File(folder / "train.h5", "w") as file:
        file["spikes/ext/timestamps"] = [10.0, 12.0, 14.0]
        file["spikes/ext/node_ids"] = np.array([0, 0, 0], "u8")
    (folder / "config.json").write_text(json.dumps({
        "components": {"point_neuron_models_dir": "."}, "run": {"tstop": 50.0, "dt": 0.1},
        "networks": {"nodes": [{"nodes_file": f"{name}.h5", "node_types_file": f"{name}.csv"} for name in ("n", "ext")],
                     "edges": [{"edges_file": f"{name}.h5", "edge_types_file": f"{name}.csv"}
                               for name in ("n_n", "ext_n")]},
        "inputs": {"train": {"input_type": "spikes", "module": "sonata", "input_file": "train.h5", "node_set": "ext"},
                   "pulses": {"input_type": "current_clamp", "module": "IClamp", "node_set": {"node_type_id": 5},
                              "amp": [700.0, 600.0], "delay": [5.0, 15.0], "duration": [40.0, 5.0]},
                   "steps": {"input_type": "csv", "module": "IClamp", "node_set": {"node_type_id": 4},
                             "file": "steps.csv"}},
        "reports": {"V": {"module": "multimeter_report", "variable_name": "V_m", "cells": "n", "interval": 0.5}},
        "conditions": {"v_init": -70}}))
    (folder / "steps.csv").write_text("timestamps amps\n8.0 300.0\n9.0 90.0\n70.0 10.0\n")
    (folder / "model.yaml").write_text(NEST_MODEL)
    found = []
    for what, output in (("config.json", "a"), ("model.yaml", "b")):
        done = harness.run("run", folder / what, "-o", folder / output, "--quiet")
        harness.check(done.returncode == 0, f"{what}: {done.stderr}")
        with h5py.File(folder / output / "spikes.h5") as file:
            found.append([file["spikes/n"][key][()] for key in ("timestamps", "node_ids")])
        for name in ("V", "V_2"):
            with h5py.File(folder / output / f"{name}.h5") as file:
                found[-1] += [file["report/n/data"][()], file["report/n/mapping/node_ids"][()]]
    harness.check(set(found[1][1]) == {1, 3, 4, 5, 9, 12, 14, 15}, f"every neuron spikes: {set(found[1][1])}")
    harness.check(all(np.array_equal(one, other) for one, other in zip(*found)),
                  f"neurons of NEST's spike otherwise: {found}")
    for file, old, new, words in (("n.csv", "nest:izhikevich", "nest:glif_psc", "'nest:glif_psc' of a point"),
                                  ("p1.json", "C_m", "C_n", "iaf_psc_exp has no parameter 'C_n'"),
                                  ("config.json", '"delay": [5.0, 15.0]', '"delay": [5.0, 5.0]', "that do not rise"),
                                  ("config.json", '"csv"', '"nwb"', "has no 'sweep_id'"),
                                  ("n_n.csv", "1 static_synapse", "1 stdp_synapse", "'stdp_synapse' of edges onto")):
        text = (folder / file).read_text()
        (folder / file).write_text(text.replace(old, new))
        done = harness.run("validate", folder / "config.json")
        harness.check(done.returncode == 3 and words in done.stderr, f"{new}: {done.returncode} {done.stderr}")
        (folder / file).write_text(text)


CURRENT = {"module": "IClamp", "node_set": "shaped"}
CLAMP = {"module": "SEClamp", "input_type": "voltage_clamp", "node_set": {"node_id": [4, 9]}}
# What are the same stimuli.
ALIKE = {"currents": [{**CURRENT, "input_type": "current_clamp", "amp": [0.3, 0.5], "delay": [10, 25],
                       "duration": [10, 5]},
                      {**CURRENT, "input_type": "csv", "file": "steps.csv"},
                      {**CURRENT, "input_type": "file", "file": "named.csv", "separator": ";", "timestamps_column": "t",
                       "amplitudes_column": "i"},
                      {**CURRENT, "input_type": "nwb", "file": "sweeps.nwb", "sweep_id": 3},
                      {**CURRENT, "input_type": "allen", "file": "sweeps.nwb", "sweep_id": "Sweep_4",
                       "sweep_window": [30.0, 80.0], "downsample": 0.5}],
         "clamps": [{**CLAMP, "amp": -40.0, "delay": 0.0, "duration": 20.0, "resistance": 2.0},
                    {**CLAMP, "amps": [-40.0], "durations": [[5, 5, 10]], "rs": 2.0},
                    {**CLAMP, "amps": [-40.0, -40.0], "durations": [[5, 5, 10], [20, 0, 0]], "rs": [2.0]}],
         "each its own": [{**CLAMP, "amps": [[-60, -20, -70], -50.0], "durations": [[5, 10, 15], 10], "gids": [0, 4]},
                          {**CLAMP, "amps": [-50.0, [-60, -20, -70]], "durations": [10, [5, 10, 15]], "rs": 1,
                           "node_set": [4, 0]}]}


def check_clamps(folder):
    """Currents from lists, tables and sweeps, and voltage clamps in both of bmtk's forms: what is the same stimulus makes
    the same voltages."""
    path = folder / "simulation.json"
    text = path.read_text()
    simulation = json.loads(text)
    (folder / "steps.csv").write_text("timestamps amps\n10 0.3\n20.0 0\n25.0 0.5\n30 0.0\n")
    (folder / "named.csv").write_text("i;x;t\n" + "".join(f"{0.3 if t < 20 else 0 if t < 25 else 0.5};7;{t}\n"
                                                       for t in (10, 15, 20, 25)))
    with h5py.File(folder / "sweeps.nwb", "w") as file:
        for number, rate, before in ((3, 10e3, 0), (4, 20e3, 30)):
            times = np.arange(round((before + 60) * rate / 1000)) / rate * 1000 - before + 1e-9
            series = file.create_group(f"stimulus/presentation/Sweep_{number}")
            series["data"] = np.where((times >= 10) & (times < 20), 0.3, np.where((times >= 25) & (times < 30), 0.5, 0)) / 1e9
            series["starting_time"] = 0.0
            series["starting_time"].attrs["rate"] = rate
            file.create_group(f"epochs/Sweep_{number}/stimulus")["timeseries"] = h5py.SoftLink(series.name)
    for what, inputs in ALIKE.items():
        found = []
        for number, stimulus in enumerate(inputs):
            path.write_text(json.dumps({**simulation, "inputs": {"only": stimulus}}))
            done = harness.run("run", folder / "config.json", "-o", folder / "clamped", "--force", "--quiet")
            harness.check(done.returncode == 0, f"{what} {number}: {done.stderr}")
            with h5py.File(folder / "clamped/v.h5") as report:
                found.append((list(report["report/v1/mapping/node_ids"]), report["report/v1/data"][()]))
        nodes, voltages = found[0]
        apart = [float(np.max(np.abs(voltages - others))) for _, others in found[1:]]
        harness.check(max(apart) < 1e-4, f"{what} are alike: {apart} mV apart")
        if what == "currents":
            harness.check(np.ptp(voltages[:, nodes.index(2)]) > 1, f"a current moves the voltage of {what}")
        else:
            row, level = (199, {4: -40.0, 9: -40.0}) if what == "clamps" else (299, {0: -70.0, 4: -50.0})
            for node, mV in level.items():
                at = voltages[row, nodes.index(node)]
                harness.check(abs(at - mV) < 3, f"{what}: {node} is at {at} mV, not {mV}")
            harness.check(abs(voltages[row, nodes.index(2)] + 75) < 6, f"{what}: the others are left alone")
    for stimulus, words in (({**CURRENT, "input_type": "csv", "file": "no.csv"}, "no.csv"),
                            ({**CURRENT, "input_type": "csv", "file": "named.csv"}, "needs the columns timestamps and amps"),
                            ({**ALIKE["currents"][3], "sweep_id": 5}, "Sweep_5"),
                            ({**ALIKE["currents"][3], "delay": 10.0}, "does not move a sweep"),
                            ({**ALIKE["currents"][3], "sweep_window": [20, 10]}, "the beginning and the end of a part"),
                            ({**CLAMP, "amps": [[-60, -20]], "durations": [5]}, "a number or a list of three"),
                            ({**CLAMP, "amps": [1, 2, 3], "durations": [5]}, "3 entries of amps for 2 nodes"),
                            ({**CLAMP, "electrode_file": "e.csv"}, "has no 'amp'"),
                            ({**CLAMP, "node_set": "v1", "amps": [-70], "durations": [9]}, "have no membrane")):
        path.write_text(json.dumps({**simulation, "inputs": {"only": stimulus}}))
        done = harness.run("validate", folder / "config.json")
        harness.check(done.returncode in (3, 4) and words in done.stderr, f"{words}: {done.returncode} {done.stderr}")
    path.write_text(text)


STUDY = """% Model:              field.mph
% Version:            COMSOL 5.6
% Dimension:          3
% Nodes:              {}
% Expressions:        1
% Description:        Electric potential
% Length unit:        um
% x                       y                        z                        V ({})
"""


def check_comsol(folder, simulation, shape):
    """bmtk's comsol: nodes of the same potential in V and in mV, of two studies half of it each; a waveform that repeats;
    cells that the nodes do not lie around feel nothing."""
    draws = np.random.default_rng(2)
    nodes = np.vstack([draws.uniform(-900, 900, (200, 3)), 6000.0 * np.array(list(np.ndindex(2, 2, 2))) - 3000])
    mV = 0.05 * nodes[:, 0] - 0.02 * nodes[:, 2]
    for name, unit, factor in (("volt", "V", 1e-3), ("millivolt", "mV", 1.0), ("far", "mV", 1.0)):
        places = nodes + (1e5 if name == "far" else 0)
        rows = "".join(f"{x!r} {y!r}   {z!r} {v!r}\n" for x, y, z, v in np.column_stack([places, factor * mV]).tolist())
        (folder / f"{name}.txt").write_text(STUDY.format(len(nodes), unit) + rows + rows.splitlines()[0] + "\n")
    (folder / "times.txt").write_text(STUDY.format(1, "V") + "0 0 0 1 2\n")
    for name, header, row in (("untimed", "V (V)    V (V)", "0 0 0 1 2"), ("falling", "V (V) @ t=1    V (V) @ t=0.5", "0 0 0 1 2"),
                              ("lacking", "V (V) @ t=0    V (V) @ t=1", "0 0 0 1 2\n1 0 0 1")):
        (folder / f"{name}.txt").write_text(STUDY.format(2, "V").replace("V (V)", header) + row + "\n")
    (folder / "unknown.txt").write_text(STUDY.format(1, "kV") + "0 0 0 1\n")
    (folder / "short.csv").write_text("time amplitude\n0 0\n2 1\n4.9 0\n")
    (folder / "long.csv").write_text("time amplitude\n" + "".join(f"{5 * k} 0\n{5 * k + 2} 1\n{5 * k + 4.9} 0\n"
                                                                 for k in range(20)))
    comsol = {"input_type": "lfp", "module": "comsol", "node_set": "shaped"}
    path, found = folder / "simulation.json", []
    for more in ({"comsol_files": "volt.txt", "waveforms": "long.csv"},
                 {"comsol_files": ["millivolt.txt"], "waveforms": ["short.csv"], "amplitudes": 1},
                 {"comsol_files": ["volt.txt", "millivolt.txt"], "waveforms": ["long.csv", "long.csv"],
                  "amplitudes": [0.5, 0.5]},
                 {"comsol_files": "far.txt", "waveforms": "long.csv"}):
        path.write_text(json.dumps({**simulation, "inputs": {"only": {**comsol, **more}}}))
        done = harness.run("run", folder / "config.json", "-o", folder / "outside", "--force", "--quiet")
        harness.check(done.returncode == 0, f"comsol with {more}: {done.stderr}")
        with h5py.File(folder / "outside/v.h5") as report:
            found.append(report["report/v1/data"][()].astype(float))
    harness.check(found[0].shape == shape and np.ptp(found[0] - found[3]) > 0.1, "it acts on the cells")
    apart = [float(np.abs(found[0] - other).max()) for other in found[1:3]]
    harness.check(max(apart) < 1e-4, f"V and mV, one study and two, a table and what repeats: {apart} mV apart")
    check_comsol_in_time(folder, simulation, nodes, found[3])
    for more, words in (({}, "comsol_files"), ({"comsol_files": "volt.txt"}, "needs a file of 'waveforms'"),
                        ({"comsol_files": "untimed.txt"}, "2 potentials, and the line above 0 times"),
                        ({"comsol_files": "falling.txt"}, "do not rise"),
                        ({"comsol_files": "lacking.txt"}, "lacking.txt:10:1"),
                        ({"comsol_files": "times.txt", "waveforms": "long.csv"}, "times.txt:9:1"),
                        ({"comsol_files": "unknown.txt", "waveforms": "long.csv"}, "no unit of the potential"),
                        ({"comsol_files": "none.txt", "waveforms": "long.csv"}, "none.txt"),
                        ({"comsol_files": "volt.txt", "waveforms": ["long.csv", "long.csv"]}, "there are 2 of them, and 1"),
                        ({"comsol_files": "volt.txt", "waveforms": "long.csv", "amplitudes": [1, 2]}, "there are 2 of them")):
        path.write_text(json.dumps({**simulation, "inputs": {"only": {**comsol, **more}}}))
        done = harness.run("validate", folder / "config.json")
        harness.check(done.returncode in (3, 4) and words in done.stderr, f"{words}: {done.returncode} {done.stderr}")


def check_comsol_in_time(folder, simulation, nodes, without):
    """bmtk's comsol without waveforms: a study in time is that of its nearest nodes, straight between its times, counted in
    steps from its first one on, and begins anew with the step that would reach its end."""
    dt_ms, steps = simulation["run"]["dt"], round(simulation["run"]["tstop"] / simulation["run"]["dt"])
    times_ms, goes = np.array([2.0, 3.05, 4.0, 9.0]), [0.0, 1.0, -0.5, 0.0]  # 70 steps of 0.1 ms
    mV = 0.05 * nodes[:, 0] - 0.02 * nodes[:, 2]
    head = "    ".join(f"V (mV) @ t={time / 1000!r}" for time in times_ms.tolist())
    rows = "".join(" ".join(map(repr, row)) + "\n" for row in np.column_stack([nodes, np.outer(mV, goes)]).tolist())
    (folder / "in_time.txt").write_text(STUDY.format(len(nodes), "mV").replace("V (mV)", head) + rows)
    found = []

    def run(model):
        done = harness.run("run", model, "-o", folder / "outside", "--force", "--quiet")
        harness.check(done.returncode == 0, done.stderr)
        with h5py.File(folder / "outside/v.h5") as report:
            found.append(report["report/v1/data"][()].astype(float))

    for more in ({"comsol_files": "in_time.txt"},
                 {"comsol_files": ["in_time.txt", "in_time.txt"], "amplitudes": [0.25, 0.75]}):
        (folder / "simulation.json").write_text(json.dumps({**simulation, "inputs": {"only": {
            "input_type": "lfp", "module": "comsol", "node_set": "shaped", **more}}}))
        run(folder / "config.json")
    # The same by hand: one potential of nodes, and what it is multiplied by in the middle of each step.
    at = np.arange(1, steps + 2)
    by_hand = np.column_stack([(at + 0.5) * dt_ms, np.interp(times_ms[0] + (at - 1) % 70 * dt_ms, times_ms, goes)])
    for name, table in (("by_hand", by_hand), ("nodes", np.column_stack([nodes, mV]))):
        (folder / f"{name}.csv").write_text("".join(",".join(map(repr, row)) + "\n" for row in table.tolist()))
    done = harness.run("import", folder / "config.json", "-o", folder / "by_hand.yaml", "--force")
    harness.check(done.returncode == 0, done.stderr)
    of_one = "field: {nodes: nodes.csv, between: nearest, waveform: {csv: by_hand.csv}}}\n"
    text, second = re.subn(r".*only_1.*field: .*clock: .*\n", "", (folder / "by_hand.yaml").read_text())
    text, first = re.subn(r"field: .*clock: .*\n", of_one, text)
    harness.check(first == second > 0, f"the model has its two studies as fields: {text}")
    (folder / "by_hand.yaml").write_text(text)
    run(folder / "by_hand.yaml")
    harness.check(np.ptp(found[0] - without) > 0.1, "a study in time acts on the cells")
    apart = [float(np.abs(found[0] - other).max()) for other in found[1:]]
    harness.check(max(apart) < 1e-4, f"a study in time, two parts of it, and its nodes by hand: {apart} mV apart")


def check_fields(folder):
    """bmtk's xstim: a pulse and the table of the same, an electrode and the same as a mesh, which is turned and put where
    its mean is."""
    path = folder / "simulation.json"
    text = path.read_text()
    simulation = json.loads(text)
    head = "ip pos_x pos_y pos_z rotation_x rotation_y rotation_z"
    (folder / "points.csv").write_text(f"{head}\n0 60 10 0 0 0 0\n1 60 -10 0 0 0 0\n")
    turned = f"{head} electrode_mesh_file\n0 60 0 0 0 0 {np.pi / 2} mesh.csv\n1 60 0 0 0 0 {np.pi / 2} mesh.csv\n"
    (folder / "meshes.csv").write_text(turned)
    (folder / "mesh.csv").write_text("x_pos y_pos z_pos\n90 7 3\n110 7 3\n")
    (folder / "wave.csv").write_text("time amplitude\n10 0\n10.05 -0.05\n29.95 -0.05\n30 0\n")
    pulse = {"shape": "DC", "del": 10.0, "amp": -0.05, "dur": 20.0}
    xstim = {"input_type": "lfp", "module": "xstim", "node_set": "shaped", "resistance": 200.0}
    found = []
    for more in ({"positions_file": "points.csv", "waveform": pulse},
                 {"positions_file": "points.csv", "waveform": "wave.csv"},
                 {"positions_file": "meshes.csv", "waveform": pulse}):
        path.write_text(json.dumps({**simulation, "inputs": {"only": {**xstim, **more}}}))
        done = harness.run("run", folder / "config.json", "-o", folder / "outside", "--force", "--quiet")
        harness.check(done.returncode == 0, f"xstim with {more}: {done.stderr}")
        with h5py.File(folder / "outside/v.h5") as report:
            found.append(report["report/v1/data"][()])
    apart = [float(np.abs(found[0] - other).max()) for other in found[1:]]
    harness.check(max(apart) < 1e-4, f"pulses and tables, points and meshes are alike: {apart} mV apart")
    before, after = np.abs(np.diff(found[0], axis=0))[[100, 101]].max(axis=1)
    harness.check(before < 0.1 < after, f"the pulse begins with the step after 10 ms: {before}, {after} mV in a step")
    check_comsol(folder, simulation, found[0].shape)
    for more, words in (({"positions_file": "no.csv"}, "no.csv"), ({"positions_file": "wave.csv"}, "needs the columns pos_x"),
                        ({"positions_file": "points.csv", "waveform": {**pulse, "shape": "saw"}}, "'saw' is not known"),
                        ({"positions_file": "points.csv", "resistance": 0}, "must be positive"),
                        ({"positions_file": "points.csv", "waveform": {**pulse, "dur": 0}}, "over before"),
                        ({"positions_file": "meshes.csv", "mesh_files_dir": "none"}, "none/mesh.csv")):
        path.write_text(json.dumps({**simulation, "inputs": {"only": {**xstim, "waveform": pulse, **more}}}))
        done = harness.run("validate", folder / "config.json")
        harness.check(done.returncode in (3, 4) and words in done.stderr, f"{words}: {done.returncode} {done.stderr}")
    path.write_text(text)


def check_report_of_two_populations(folder):
    """A report of cells of two populations of nodes is one of each: v and v_2."""
    circuit, simulation = folder / "circuit.json", folder / "simulation.json"
    texts = circuit.read_text(), simulation.read_text()
    shutil.copy(folder / "network/v1_nodes.h5", folder / "network/v2_nodes.h5")
    with h5py.File(folder / "network/v2_nodes.h5", "a") as file:
        file.move("nodes/v1", "nodes/v2")
    config = json.loads(texts[0])
    config["networks"]["nodes"].append({**config["networks"]["nodes"][0], "nodes_file": "$NET/v2_nodes.h5"})
    circuit.write_text(json.dumps(config))
    config = json.loads(texts[1])
    config["reports"] = {"v": {**config["reports"]["v"], "sections": "all"}}
    simulation.write_text(json.dumps(config))
    done = harness.run("run", folder / "config.json", "-o", folder / "two", "--quiet")
    harness.check(done.returncode == 0, f"a report of two populations: {done.stderr}")
    for name, population in (("v", "v1"), ("v_2", "v2")):
        with h5py.File(folder / f"two/{name}.h5") as file:
            harness.check(list(file["report"]) == [population], f"{name} is of {population}")
            harness.check(list(file[f"report/{population}/mapping/node_ids"]) == [0, 2, 4, 9], f"{name} has its nodes")
    circuit.write_text(texts[0])
    simulation.write_text(texts[1])


def main():
    with harness.scratch() as name:
        folder = pathlib.Path(name)
        make(folder)
        check_runs(folder)
        check_refusals(folder)
        check_mixed_texts(folder)
        check_clamps(folder)
        check_fields(folder)
        check_nest(folder / "nest")
        check_report_of_two_populations(folder)
    harness.finish(len(REFUSED) + len(sum(ALIKE.values(), [])) + 27, "circuits")


if __name__ == "__main__":
    main()
