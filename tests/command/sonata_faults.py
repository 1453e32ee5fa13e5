#!/usr/bin/env python3
"""SONATA circuits whose files hold what a reader may pass over: each is read as it is meant, or refused or warned of
with the place."""

import json
import pathlib
import re
import resource
import shutil
import subprocess

import h5py
import numpy as np

import harness
import sonata

checks = 0


def expect(folder, words, *, code=3, command="validate", where="config.json", no=None, cwd=None):
    """The command answers with this code and says the words (a pattern); returns what it said."""
    global checks
    checks += 1
    rest = ["-o", folder / "as/model.yaml"] if command == "import" else []
    done = subprocess.run([harness.HILLOCK, command, (folder / where) if cwd is None else where, *rest], cwd=cwd,
                          capture_output=True, text=True, timeout=60)
    harness.check(done.returncode == code and re.search(words, done.stderr) and not (no and no in done.stderr),
                  f"{folder.name}: wanted {code} and '{words}'{f' without {no}' if no else ''}, "
                  f"not {done.returncode} {done.stderr}")
    return done.stderr


def change(folder, file, old, new):
    path = folder / file
    text = path.read_text()
    harness.check(old in text, f"{file} has {old}")
    path.write_text(text.replace(old, new))


def imported(folder):
    """The model that a circuit becomes, and its tables."""
    expect(folder, "", code=0, command="import")
    return ((folder / "as/model.yaml").read_text(),
            {path.name: path.read_text() for path in (folder / "as/model_data").glob("*")})


def check_variables(fresh):
    folder = fresh("configdir")
    expect(folder, "", code=0, where=f"{folder.name}/config.json", cwd=folder.parent)
    for number, (manifest, words) in enumerate([
            ({"$NET": "x$NET"}, r"circuit.json:\d+:\d+: error: \$NET is made of itself: \$NET -> \$NET"),
            ({"$NET": "${A}/b", "$A": "$B", "$B": "c/$NET"}, r"\$NET -> \$A -> \$B -> \$NET"),
            ({"$NET": "$V0", **{f"$V{k}": f"$V{k + 1}" * 8 for k in range(20)}, "$V20": "a"}, "longer than 65536"),
            ({"$NET": "$V0", **{f"$V{k}": f"$V{k + 1}" for k in range(500)}}, "more than 100 variables")]):
        folder = fresh(f"manifest_{number}")
        circuit = json.loads((folder / "circuit.json").read_text())
        circuit["manifest"].update(manifest)
        (folder / "circuit.json").write_text(json.dumps(circuit))
        expect(folder, words)


def check_mechanisms(fresh):
    """A circuit's own .mod file is found whatever stands in its title and comments."""
    own = sonata.MOD.replace("alpha_syn", "exp2syn").replace("tau = 1 (ms)", "tau = 1 (ms) tau1 = 1 (ms) tau2 = 2 (ms)")
    for name, text in (("title", "TITLE a POINT_PROCESS of its own\n" + own),
                       ("comment", "COMMENT\nSUFFIX hh\nENDCOMMENT\n" + own), ("colon", ": POINT_PROCESS pas\n" + own)):
        folder = fresh("mod_" + name)
        (folder / "parts/mods/modfiles/own.mod").write_text(text)
        model, _ = imported(folder)
        harness.check("own.mod" in model, f"{name}: the circuit's own exp2syn is taken: {model[:300]}")
    folder = fresh("mod_broken")
    (folder / "parts/mods/modfiles/own.mod").write_text("COMMENT does not end\nNEURON { POINT_PROCESS exp2syn }\n")
    expect(folder, r"own.mod:\d+:\d+: error")
    folder = fresh("mod_folder")
    change(folder, "circuit.json", "$PARTS/mods", "$PARTS/nowhere")
    expect(folder, r"components.mechanisms_dir: there is no folder '.*parts/nowhere'")
    folder = fresh("no_processing")
    change(folder, "network/v1_types.csv", "aibs_perisomatic", "NULL")
    expect(folder, "warning: dynamics_params 'fit.json' are not read, for there is no model_processing", code=0)


def check_shapes(fresh):
    folder, plain = fresh("swc_cr"), fresh("swc_plain")
    (folder / "parts/swc/shape.swc").write_bytes(sonata.SWC.replace("\n", "\r").encode())
    harness.check(imported(folder)[0] == imported(plain)[0], "line ends of an SWC file change no cell")
    folder = fresh("swc_broken")
    change(folder, "parts/swc/shape.swc", "5 3 0 130", "5 3 0 far")
    expect(folder, r"shape.swc:5:\d+: error")


EDGES, NODES = "edges/ext_to_v1", "nodes/v1"
# A column of the HDF5 file that was there before or is new, what it is made, and what is said of it.
COLUMNS = [
    ("ext_v1", f"{EDGES}/2/syn_weight", lambda: h5py.ExternalLink("other.h5", "/w"), "leads through an external link"),
    ("ext_v1", f"{EDGES}/2/syn_weight", lambda: h5py.SoftLink("/nowhere"), "syn_weight: is no dataset"),
    ("ext_v1", f"{EDGES}/2/syn_weight", lambda: np.ones((2, 100)), "has 2 rows of 100 numbers"),
    ("ext_v1", f"{EDGES}/2/syn_weight", lambda: np.ones((2, 2)), "has 2 numbers in a row; 1 is wanted"),
    ("ext_v1", f"{EDGES}/2/syn_weight", lambda: np.ones(1), "has 1 row, and edge_group_index asks for 2"),
    ("ext_v1", f"{EDGES}/2/syn_weight", lambda: np.array([True, False]), "syn_weight' does not hold numbers"),
    ("ext_v1", f"{EDGES}/2/syn_weight", lambda: [0.7, np.nan], "edge 4 has the weight nan"),
    ("ext_v1", f"{EDGES}/0/delay", lambda: [1.5, -1.0], "edge 1 has the weight 0.02 and the delay -1 ms"),
    ("ext_v1", f"{EDGES}/0/sec_id", lambda: [1, -2], "edge 1 leads to 0.5 of the section -2"),
    ("ext_v1", f"{EDGES}/0/sec_x", lambda: [0.3, 1.5], "edge 1 leads to 1.5 of the section 0"),
    ("ext_v1", f"{EDGES}/1/nsyns", lambda: np.array([b"3"]), "nsyns has texts and no numbers"),
    ("ext_v1", f"{EDGES}/1/nsyns", lambda: [2.7], "edge 2 has 2.7 synapses"),
    ("v1_nodes", f"{NODES}/0/x", lambda: np.array([b"1", b"2", b"3"]), "x has texts and no numbers"),
    ("v1_nodes", f"{NODES}/1/positions", lambda: [[7.0, 8.0]], "has 2 numbers in a row; 3 are wanted"),
    ("v1_nodes", f"{NODES}/0/model_type", lambda: np.array([True, False, True]), "model_type' does not hold numbers"),
    ("v1_nodes", f"{NODES}/node_group_index", lambda: np.array([0, 0, 1, 0, 2, 2**32], "u8"),
     "has the node_group_index 4294967296")]
# Columns that nobody asks for.
UNUSED = {"bool": lambda to: to.create_dataset("0/is_inhibitory", data=[True, False, True]),
          "scalar": lambda to: to.create_dataset("0/version", data=3),
          "text": lambda to: to.create_dataset("0/version", data="3"),
          "deep": lambda to: to.create_dataset("0/field", data=np.ones((3, 2, 2))),
          "compound": lambda to: to.create_dataset("0/both", data=np.zeros(3, [("a", "f8"), ("b", "i4")])),
          "lzf": lambda to: to.create_dataset("0/packed", data=np.ones(3), compression="lzf"),
          "group": lambda to: to.create_group("0/more"),
          "parameters": lambda to: to.create_group("0/dynamics_params")}


def check_columns(fresh):
    for number, (file, name, made, words) in enumerate(COLUMNS):
        folder = fresh(f"column_{number}")
        with h5py.File(folder / f"network/{file}.h5", "a") as h5:
            if name in h5:
                del h5[name]
            h5[name] = made()
        expect(folder, f"network/{file}.h5: error: .*" + re.escape(words))
    plain = imported(fresh("columns"))[0]
    for name, add in UNUSED.items():
        folder = fresh("unused_" + name)
        with h5py.File(folder / "network/v1_nodes.h5", "a") as h5:
            add(h5[NODES])
        harness.check(imported(folder)[0] == plain, f"a column that nobody asks for changes nothing: {name}")
    folder = fresh("parameters")
    with h5py.File(folder / "network/v1_nodes.h5", "a") as h5:
        h5[f"{NODES}/0/dynamics_params/tau"] = np.ones(3)
    expect(folder, "0/dynamics_params: parameters of single nodes are not read")
    # Numbers that a file of some kB may say it has.
    folder = fresh("many_rows")
    with h5py.File(folder / "network/v1_nodes.h5", "a") as h5:
        for number in range(60):
            h5[NODES].create_dataset(f"0/unused{number}", (50_000_000,), "f8", chunks=(1 << 20,))
    harness.check(imported(folder)[0] == plain, "columns of many rows that nobody asks for change nothing")
    folder = fresh("many_synapses")
    with h5py.File(folder / "network/ext_v1.h5", "a") as h5:
        group = h5[EDGES]
        for name in list(group["0"]):
            del group[f"0/{name}"]
        edges = 20_000
        for name, value in {"edge_type_id": group["edge_type_id"][0], "edge_group_id": 0, "source_node_id": group["source_node_id"][0],
                            "target_node_id": group["target_node_id"][0]}.items():
            attributes = dict(group[name].attrs)
            del group[name]
            group[name] = np.full(edges, value)
            group[name].attrs.update(attributes)
        del group["edge_group_index"]
        group["edge_group_index"] = np.arange(edges)
        group.create_dataset("0/nsyns", (edges,), "u4", chunks=(1024,), fillvalue=1_000_000)
        group.create_dataset("0/syn_weight", (edges,), "f8", chunks=(1024,), fillvalue=0.5)
    expect(folder, "ext_v1.h5: error: its edges have 20000000000 synapses .nsyns.; at most 50000000 are possible")
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    harness.check(most < 400_000, f"{most} kB of memory for what is refused by its number or not asked for")
    folder = fresh("set_of_unreadable")
    with h5py.File(folder / "network/v1_nodes.h5", "a") as h5:
        UNUSED["bool"](h5[NODES])
    (folder / "sets.json").write_text('{"shaped": {"model_type": "biophysical"}, "one": {"is_inhibitory": 1}}')
    expect(folder, "is_inhibitory' does not hold numbers")
    folder = fresh("text_in_csv")
    change(folder, "network/ext_v1_types.csv", " 2 0.03 ", " 2 much ")
    expect(folder, r"ext_v1_types.csv:3:\d+: error: syn_weight must be a number, not 'much'")
    folder = fresh("byte_order_mark")
    types = folder / "network/v1_types.csv"
    types.write_bytes(b"\xef\xbb\xbf" + types.read_bytes())
    harness.check(imported(folder)[0] == plain, "a types CSV may begin with a byte order mark")


# A file of parameters, what it is made, the exit code and what is said.
PARAMETERS = [
    ("synapses/alpha.json", '{"tau": "fast"}', 3, "alpha.json:1:9: error: tau: must be a number, not 'fast'"),
    ("synapses/alpha.json", '{"tau": [2.0]}', 3, "alpha.json:1:9: error: tau: must be a number"),
    ("synapses/alpha.json", '{"tua": "2.0"}', 3, "alpha_syn has no parameter 'tua'"),
    ("synapses/alpha.json", '{"level_of_detail": "alpha", "tau": 2}', 0, ""),
    ("cells/nml/cell.nml", "", 3, "cell.nml:1:1: error: is no XML from here on \\(no element found\\)"),
    ("cells/nml/cell.nml", sonata.NML.replace("</neuroml>", ""), 3, "is no XML from here on \\(no element found\\)"),
    ("cells/nml/cell.nml", sonata.NML.replace("</cell>", ""), 3, "is no XML from here on \\(mismatched tag\\)"),
    ("cells/nml/cell.nml", sonata.NML.replace("<neuroml", '<!DOCTYPE neuroml [<!ENTITY a "b">]><neuroml', 1), 3, "declares an entity, a"),
    ("cells/nml/cell.nml", sonata.NML[:len(sonata.NML) // 2], 3, "cell.nml:.*: error: "),
    ("cells/fit.json", json.dumps(sonata.FIT).replace('"soma", "name"', '"somas", "name"'), 3, "'somas' is none of soma, axon, dend and apic"),
    ("cells/fit.json", json.dumps(sonata.FIT).replace('"apic", "cm"', '"apical", "cm"'), 3, "'apical' is none of soma, axon, dend and apic"),
    ("cells/fit.json", json.dumps(sonata.FIT).replace('"soma", "name"', '"glob", "name"'), 0, "'glob' is no section"),
    ("points/lif.json", '{"tau": 0.02, "refrac": 0.003, "foo": 3}', 0, "lif.json:1:32: warning: .*'foo'")]


def check_parameters(fresh):
    for number, (file, text, code, words) in enumerate(PARAMETERS):
        folder = fresh(f"parameter_{number}")
        (folder / "parts" / file).write_text(text)
        expect(folder, words, code=code)
    folder = fresh("number_as_text")
    (folder / "parts/synapses/alpha.json").write_text('{"tau": "2.5", "erev": "-10"}')
    harness.check("alpha_syn: {tau: 2.5 ms, e: -10 mV}" in imported(folder)[0], "numbers may be written as texts")
    folder = fresh("input_names")
    simulation = json.loads((folder / "simulation.json").read_text())
    train = simulation["inputs"]["train"]
    simulation["inputs"].update({"a b": train, "a_b": train})
    (folder / "simulation.json").write_text(json.dumps(simulation))
    tables = sorted(name for name in imported(folder)[1] if name.startswith("input_a_b"))
    harness.check(len(tables) == 2 * len([name for name in imported(fresh("one_input"))[1] if name.startswith("input_")]),
                  f"inputs of like names have files of their own: {tables}")
    folder = fresh("waveform_names")
    (folder / "steps.csv").write_text("timestamps amps\n0 0.1\n5 0.2\n")
    simulation = json.loads((folder / "simulation.json").read_text())
    steps = {"input_type": "csv", "module": "IClamp", "node_set": "one", "file": "steps.csv"}
    simulation["inputs"].update({"a b": steps, "a_b": steps})
    (folder / "simulation.json").write_text(json.dumps(simulation))
    harness.check({"input_a_b.csv", "input_a_b_2.csv"} <= set(imported(folder)[1]), "waveforms of like names are two files")


# What the population is called in the file of spikes, its node ids, the input's node set, the exit code, what is said.
SPIKES = [("ext", [1, 0, 0, 1], "all", 0, ""), ("ext", [1, 0, 0, 1], None, 0, ""),
          ("other", [1, 0, 0, 1], "ext", 0, "warning: .*has spikes of 'other', which are taken for those of 'ext'"),
          ("v1", [1, 0, 0, 1], "ext", 3, "error: .*has no spikes of 'ext'"),
          ("ext", [9, 9, 9, 9], "ext", 0, "warning: .*none of its 4 spikes is of a node in the node set"),
          ("ext", [], "ext", 0, "warning: .*has no spikes of these nodes"),
          ("ext", [1, 0, 0, 1], "v1", 0, "warning: .*no node of its node set is virtual"),
          ("ext", [1.7, 0, 0, 1], "ext", 3, "train.h5: error: /spikes/ext/node_ids has 1.7, which is no whole number"),
          ("ext", [-1, 0, 0, 1], "ext", 3, "node_ids has -1"),
          ("ext", [np.nan, 0, 0, 1], "ext", 3, "node_ids has nan")]


def check_inputs(fresh):
    for number, (population, ids, node_set, code, words) in enumerate(SPIKES):
        folder = fresh(f"spikes_{number}")
        with h5py.File(folder / "train.h5", "w") as file:
            file[f"spikes/{population}/timestamps"] = [10.0, 12.0, 30.0, 31.0][:len(ids)]
            file[f"spikes/{population}/node_ids"] = np.array(ids, None if number > 6 else "i8")
        if node_set != "ext":
            change(folder, "simulation.json", ', "node_set": "ext"', f', "node_set": "{node_set}"' if node_set else "")
        expect(folder, words, code=code, no=None if words else "inputs.train")
        if not words:
            harness.check(any(name.startswith("input_") for name in imported(folder)[1]), "virtual nodes get spikes")
    tables = {}
    for unit, scale in (("", 1), ("ms", 1), ("s", 1000), ("h", 1)):
        folder = fresh(f"spikes_in_{unit}")
        with h5py.File(folder / "train.h5", "a") as file:
            times = file["spikes/ext/timestamps"]
            times[:] = times[:] / scale
            times.attrs["units"] = unit
        if unit == "h":
            expect(folder, r"simulation.json:1:\d+: error: inputs.train.input_file: .*train.h5 has "
                           "/spikes/ext/timestamps in 'h': ms and s are read")
        else:
            tables[unit] = {name: text for name, text in imported(folder)[1].items() if name.startswith("input_")}
    harness.check(tables["s"] == tables["ms"] == tables[""], f"times in s are those in ms: {tables}")
    for number, (old, new, code, words) in enumerate([
            ('"module": "IClamp", "node_set": "one"', '"module": "IClamp", "node_set": {"modle_type": "biophysical"}', 0,
             "inputs.step: no node is in its node set"),
            ('"inputs": {', '"inputs": [], "not_read": {', 0, ""),
            ('"inputs": {', '"inputs": [{}], "not_read": {', 3, "inputs: must be a map of inputs by their names"),
            ('"reports": {', '"reports": [{}], "not_read": {', 3, "reports: must be a map of reports by their names")]):
        folder = fresh(f"silent_{number}")
        change(folder, "simulation.json", old, new)
        expect(folder, words, code=code)
    folder = fresh("empty_csv")
    change(folder, "simulation.json", '"module": "sonata", "input_file": "train.h5"',
           '"module": "csv", "input_file": "train.csv"')
    (folder / "train.csv").write_text("")
    expect(folder, "warning: .*has no spikes of these nodes", code=0)


def check_places(fresh):
    """What only the model's reader finds is told where the circuit has it."""
    for number, (file, old, new, words) in enumerate([
            ("simulation.json", '"dL": 20.0', '"dL": 0', r"simulation.json:1:\d+: error: run.dL: must be positive"),
            ("simulation.json", '"dt": 0.1', '"dt": -0.1', r"simulation.json:1:\d+: error: run.dt"),
            ("simulation.json", '"tstop": 50.0', '"tstop": -5.0', r"simulation.json:1:\d+: error: run.tstop: "),
            ("simulation.json", '"celsius": 34.0', '"celsius": 340.0', r"simulation.json:1:\d+: error: conditions.celsius: "),
            ("simulation.json", '"duration": 20.0', '"duration": -20.0', r"simulation.json:1:\d+: error: stimuli"),
            ("simulation.json", '"variable_name": "v"', '"variable_name": "w"', r"simulation.json:1:\d+: error: record"),
            ("parts/cells/fit.json", '"cm": 1.0', '"cm": -1.0', r"v1_types.csv:2:1: error: cells.v1_100.*cm"),
            ("parts/synapses/exc.json", '"tau1": 1.0', '"tau1": -1.0', r"_v1_types.csv:2:1: error: projections")]):
        folder = fresh(f"place_{number}")
        change(folder, file, old, new)
        said = expect(folder, words)
        harness.check("as a model" not in said, f"{file}: {said}")
    folder = fresh("place_edge")
    with h5py.File(folder / "network/ext_v1.h5", "a") as h5:
        h5[f"{EDGES}/0/sec_id"][1] = 77
    expect(folder, "network/ext_v1.h5: error: edge 1: .*77")
    folder = fresh("place_node")
    with h5py.File(folder / "network/v1_nodes.h5", "a") as h5:
        h5[f"{NODES}/0/y"][2] = np.nan
    expect(folder, "network/v1_nodes.h5: error: row 4: ")


def check_files(fresh):
    """Files that are missing or broken are told together, each where it is named."""
    folder = fresh("files_missing")
    for name in ("network/ext_nodes.h5", "network/v1_v1.h5", "network/ext_v1_types.csv", "train.h5"):
        (folder / name).unlink()
    said = expect(folder, "")
    for words in (r"circuit.json:1:\d+: error: networks.nodes.*nodes_file: .*ext_nodes.h5: No such file",
                  r"circuit.json:1:\d+: error: networks.edges.*edges_file: .*v1_v1.h5: No such file",
                  r"circuit.json:1:\d+: error: .*ext_v1_types.csv: ",
                  r"simulation.json:1:\d+: error: inputs.train.input_file: .*train.h5: "):
        harness.check(re.search(words, said), f"missing files are told together: {words} in {said}")
    folder = fresh("files_broken")
    (folder / "network/v1_v1.h5").write_bytes(b"no file of HDF5" * 99)
    (folder / "train.h5").write_bytes((folder / "train.h5").read_bytes()[:900])
    (folder / "parts/synapses/exc.json").unlink()
    said = expect(folder, r"edges_file: .*v1_v1.h5: ")
    for words in (r"inputs.train.input_file: .*train.h5", r"ext_v1_types.csv:2:\d+: error: .*exc.json"):
        harness.check(re.search(words, said), f"broken files are told with others: {words} in {said}")
    folder = fresh("files_of_cells")
    (folder / "parts/swc/shape.swc").unlink()
    (folder / "network/v1_v1.h5").unlink()
    said = expect(folder, r"v1_types.csv:\d+:\d+: error: .*shape.swc")
    harness.check("v1_v1.h5" in said, f"cells' files and edges' are told together: {said}")
    folder = fresh("all_at_once")
    simulation = json.loads((folder / "simulation.json").read_text())
    del simulation["run"]["tstop"]
    simulation["conditions"]["celsius"] = "warm"
    simulation["inputs"]["step"].update(amp="much", duration="long")
    simulation["reports"]["v"].update(start_time="early", end_time="late")
    del simulation["reports"]["v"]["module"]
    (folder / "simulation.json").write_text(json.dumps(simulation))
    change(folder, "network/ext_v1_types.csv", " 2 0.03 ", " 2 much ")
    said = expect(folder, "has no run.tstop")
    for words in ("conditions.celsius: ", "step.amp: ", "step.duration: ", "v.start_time: ", "v.end_time: ",
                  "reports.v: .*module", "syn_weight must be a number, not 'much'"):
        harness.check(re.search(words, said), f"errors of all parts are told together: {words} in {said}")


def without_own_mechanisms(folder):
    """So that it runs where there is no compiler."""
    change(folder, "network/ext_v1_types.csv", "alpha_syn alpha.json", "exp2syn exc.json")


def check_at_once(fresh):
    """Along edges without a delay spikes of virtual nodes arrive in the step in which they are sent: as those that are
    sent a step earlier, along edges with the delay of one."""
    results = []
    for delay, earlier in ((0.0, 0.0), (0.1, 0.1), (0.04, 0.0)):
        folder = fresh(f"delay_{delay}")
        without_own_mechanisms(folder)
        types = (folder / "network/ext_v1_types.csv").read_text()
        for old, new in (('1e+20]" 2 ', f'1e+20]" {delay} '), ("NULL NULL 1 0.1", f"NULL NULL {delay} 0.1")):
            harness.check(old in types, f"{old} in {types}")
            types = types.replace(old, new)
        (folder / "network/ext_v1_types.csv").write_text(types)
        with h5py.File(folder / "network/ext_v1.h5", "a") as file:
            file[f"{EDGES}/0/delay"][:] = delay
        with h5py.File(folder / "train.h5", "a") as file:
            file["spikes/ext/timestamps"][:] -= earlier
        done = harness.run("run", folder / "config.json", "-o", folder / "out", "--quiet")
        harness.check(done.returncode == 0, f"edges with a delay of {delay} ms: {done.stderr}")
        with h5py.File(folder / "out/v.h5") as file:
            results.append((file["report/v1/data"][()], sonata.spikes_of(folder / "out")["v1"],
                            json.loads((folder / "out/run.json").read_text())["mean_rate_hz"]))
    harness.check(np.array_equal(results[0][0], results[1][0]) and results[0][1] == results[1][1],
                  "a spike without a delay arrives when it is sent")
    harness.check(np.array_equal(results[0][0], results[2][0]), "and so does one whose delay is less than half a step")
    spikes, rate = len(results[0][1][0]), results[0][2]
    harness.check(spikes > 0 and np.isclose(rate, spikes / 6 / 0.05), f"the mean rate is the six cells': {rate} Hz")
    folder = fresh("delay_at_0")
    change(folder, "network/ext_v1_types.csv", '1e+20]" 2 ', '1e+20]" 0 ')
    with h5py.File(folder / "train.h5", "a") as file:
        file["spikes/ext/timestamps"][0] = 0.05
    expect(folder, r"inputs.train.input_file: has a spike of node 1 at 0.05 ms, .*must not come before the end of the first step, 0.1 ms")


def check_misspelt(fresh):
    """A key that nobody reads and that looks like one that is read."""
    folder = fresh("misspelt")
    simulation = json.loads((folder / "simulation.json").read_text())
    simulation["run"]["spike_treshold"] = -20
    simulation["run"]["nsteps_block"] = 5000
    simulation["conditions"]["celcius"] = 30
    simulation["inputs"]["step"]["durations_"] = 3
    simulation["reports"]["v"]["variable_names"] = "v"
    (folder / "simulation.json").write_text(json.dumps(simulation))
    said = expect(folder, r"simulation.json:1:\d+: warning: run: 'spike_treshold' is not read. Did you mean 'spike_threshold'\?",
                  code=0, no="nsteps_block")
    for words in ("conditions: 'celcius'", "inputs.step: 'durations_'", "reports.v: 'variable_names'"):
        harness.check(words in said, f"{words} in {said}")


# Texts that may name populations and reports, as JSON has them.
TEXTS = ["of v1", "long" * 60, "soma: [a, {b}] # 'c'", 'a "quoted" \\ one', "Zürich é", "- *x &y !z %", "\U0001d4e6", "a\tb", "~", "123", "null"]


def check_names(fresh):
    for number, text in enumerate(TEXTS):
        folder = fresh(f"names_{number}")
        without_own_mechanisms(folder)
        for name in ("v1_nodes", "ext_v1", "v1_v1"):
            with h5py.File(folder / f"network/{name}.h5", "a") as file:
                if name == "v1_nodes":
                    file.move("nodes/v1", f"nodes/{text}")
                for edges in file["edges"].values() if "edges" in file else ():
                    for end in ("source_node_id", "target_node_id"):
                        if edges[end].attrs["node_population"] == "v1":
                            edges[end].attrs["node_population"] = text
        change(folder, "sets.json", '"population": "v1"', f'"population": {json.dumps(text)}')
        simulation = json.loads((folder / "simulation.json").read_text())
        simulation["inputs"][text] = simulation["inputs"].pop("step")
        simulation["reports"] = {text: simulation["reports"]["v"]}
        for ascii_alone in (True, False):  # escapes of JSON, and the letters themselves
            (folder / "simulation.json").write_text(json.dumps(simulation, ensure_ascii=ascii_alone))
            imported(folder)
            done = harness.run("run", folder / "as/model.yaml", "-o", folder / "out", "--quiet", "--force")
            harness.check(done.returncode == 0, f"what '{text}' names runs: {done.stderr}")
            harness.check(list(sonata.spikes_of(folder / "out")) == [text], f"'{text}' is the population of its spikes")
            made = {path.stem: path for path in (folder / "out").glob("*.h5")}
            (name,) = made.keys() - {"spikes"}
            can_be = text.isprintable() and text[0] != "-" and len(text) <= 100
            harness.check((name == text) == can_be, f"'{text}' names a report where it can name a file: {name}")
            with h5py.File(made[name]) as file:
                harness.check(list(file["report"]) == [text], f"'{text}' is the population of a report")
            harness.check(harness.run("report", folder / "out").returncode == 0, f"a page shows '{text}'")
            shutil.rmtree(folder / "as")


def main():
    with harness.scratch() as name:
        base = pathlib.Path(name) / "base"
        base.mkdir()
        sonata.make(base)

        def fresh(case):
            return pathlib.Path(shutil.copytree(base, pathlib.Path(name) / case))

        for check in (check_variables, check_mechanisms, check_shapes, check_columns, check_parameters,
                      check_inputs, check_places, check_files, check_misspelt, check_at_once,
                      check_names):
            check(fresh)
    harness.finish(checks, "circuits")


if __name__ == "__main__":
    main()
