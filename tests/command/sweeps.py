#!/usr/bin/env python3
"""A cell of a sweep is the cell that has its values set by hand: every cell of models/sweep.yaml is run in a network of
its own, with a number in place of every expression of index, column and list, and writes the same numbers."""

import math
import re

import harness

harness.need("h5py", "numpy", "yaml")
import h5py  # noqa: E402
import numpy  # noqa: E402
import yaml  # noqa: E402

MODEL = harness.ROOT / "tests/command/models/sweep.yaml"
UNITS = {"gnabar": "S/cm2", "duration": "ms"}  # of columns that are in the base unit


def computed(expression, index):
    """The value of a `row` or `number`."""
    known = {"index": index, "floor": math.floor, "mod": lambda a, b: a % b, "__builtins__": {}}
    return int(eval(expression, known))


def table(name):
    lines = [line for line in (MODEL.parent / name).read_text().splitlines() if not line.startswith("#")]
    return [line.split(",") for line in lines]


def by_hand(value, index):
    """What the model says of one cell, without index."""
    if isinstance(value, list):
        return [by_hand(entry, index) for entry in value]
    if isinstance(value, str):
        return re.sub(r"\bindex\b", str(index), value)
    if not isinstance(value, dict):
        return value
    if "list" in value:
        return value["list"][computed(value["row"], index)]
    if "number" in value:
        header = table(value["csv"])[0]
        return {"csv": value["csv"], "column": header[1 + computed(value["number"], index)]}
    if "csv" in value and "row" in value:
        header, *rows = table(value["csv"])
        number = rows[computed(value["row"], index)][header.index(value["column"])]
        return f"{number} {value.get('unit') or UNITS[value['column']]}"
    return {key: by_hand(entry, index) for key, entry in value.items()}


def slice_of(to):
    """Its population, and which cells."""
    name, *ends = re.split(r"[\[:\]]", to)
    return (name, int(ends[0]), int(ends[1])) if ends else (name, 0, 1 << 30)


def alone(model, name, index):
    """A network of that one cell."""
    population = model["populations"][name]
    one = {"hillock": 1, "run": model["run"], "populations": {name: {"cell": population["cell"], "size": 1}},
           "cells": {population["cell"]: by_hand(model["cells"][population["cell"]], index)},
           "stimuli": [], "record": [r for r in model["record"] if r["of"] == name]}
    for stimulus in model["stimuli"]:
        to, begin, end = slice_of(stimulus["to"])
        if to == name and begin <= index < end:
            one["stimuli"].append(dict(by_hand(stimulus, index), to=name))
    return one


def random_trees(cm, Ra):
    """Cells of random trees, which are drawn by their number: alone a cell would be another."""
    return {"hillock": 1, "run": {"duration": "10 ms", "dt": "0.025 ms"},
            "cells": {"tree": {"morphology": {"random_tree": {"depth": 4}},
                               "regions": {"all": {"cm": cm, "Ra": Ra, "pas": {}}, "soma": {"hh": {}}}}},
            "populations": {"trees": {"cell": "tree", "size": 11}},
            "stimuli": [{"iclamp": {"amplitude": "0.5 nA", "start": "1 ms", "duration": "8 ms"}, "to": "trees",
                         "at": "soma(0.5)"}],
            "record": [{"name": "v", "of": "trees", "variable": "v", "at": "soma(0.5)", "type": "float64"}]}


def check_random_trees(folder):
    """What is the same in all cells in the end may be written as if it were not."""
    traces = []
    for number, (cm, Ra) in enumerate((("2 uF/cm2", "150 ohm.cm"),
                                       ("2 uF/cm2 * (index < 100)", "150 ohm.cm * (index >= 0)"),
                                       ("2 uF/cm2 * (1 + mod(index, 2))", "150 ohm.cm"))):
        path = folder / f"trees{number}.yaml"
        path.write_text(yaml.safe_dump(random_trees(cm, Ra)))
        if run(path, folder / f"trees{number}"):
            traces.append(reports(folder / f"trees{number}")[0]["v"])
    if len(traces) < 3:
        return
    for index in range(11):
        harness.check(numpy.array_equal(traces[0][index], traces[1][index]), f"trees[{index}] differs")
        harness.check(numpy.array_equal(traces[0][index], traces[2][index]) == (index % 2 == 0),
                      f"trees[{index}] does not have its own capacitance")


def check_errors(folder):
    """What only a cell's own number shows is refused with the cell, at its place in the model."""
    def refused(stimulus, cm, message):
        model = random_trees(cm, "100 ohm.cm")
        model["cells"]["tree"]["morphology"] = {"branches": [{"name": "soma", "length": "20 um", "diameter": "20 um"}]}
        model["stimuli"] = [dict(stimulus, to="trees")]
        path = folder / "refused.yaml"
        path.write_text(yaml.safe_dump(model))
        done = harness.run("run", path, "-o", folder / "refused", "--force", "--quiet")
        harness.check(done.returncode == 3 and message in done.stderr and "refused.yaml:" in done.stderr,
                      f"'{message}' is not what was said: {done.returncode} {done.stderr}")

    clamp = {"iclamp": {"amplitude": "1 nA", "duration": "1 ms"}, "at": "soma(0.5)"}
    train = {"poisson": {"rate": "10 Hz", "start": "5 ms * index", "stop": "12 ms"}, "weight": "1 nS",
             "synapse": {"expsyn": {}, "at": "soma(0.5)"}}
    refused(clamp, "1 uF/cm2 - 0.3 uF/cm2 * index", "cells.tree.regions.all.cm: -0.2 uF/cm2 for trees[4] must not be negative")
    refused(train, "1 uF/cm2", "the stop 12 ms for trees[3] must be later than the start, 15 ms")
    refused({"seclamp": {"levels": ["-65 mV"], "durations": ["2 ms - 1 ms * index"]}, "at": "soma(0.5)"}, "1 uF/cm2",
            "stimuli[0].seclamp.durations[0]: -1 ms for trees[3] must not be negative")


def run(path, out):
    done = harness.run("run", path, "-o", out, "--quiet")
    harness.check(done.returncode == 0, f"{path.name}: {done.stderr}")
    return done.returncode == 0


def reports(out):
    """{report: {cell: samples}}, and {population: {cell: spike times}}."""
    traces, spikes = {}, {}
    for file in sorted(out.glob("*.h5")):
        with h5py.File(file) as content:
            if "report" in content:
                for group in content["report"].values():
                    data, nodes = group["data"][()], group["mapping/node_ids"][()]
                    ends = group["mapping/index_pointers"][()]
                    traces[file.stem] = {int(n): data[:, ends[i]:ends[i + 1]] for i, n in enumerate(nodes)}
            for name, group in content.get("spikes", {}).items():
                nodes, times = group["node_ids"][()], group["timestamps"][()]
                spikes[name] = {int(n): times[nodes == n] for n in numpy.unique(nodes)}
    return traces, spikes


def main():
    model = yaml.safe_load(MODEL.read_text())
    count, spike_count, distinct = 0, 0, set()
    with harness.scratch() as name:
        folder = harness.pathlib.Path(name)
        for file in MODEL.parent.glob("sweep*.csv"):
            (folder / file.name).write_bytes(file.read_bytes())
        if not run(MODEL, folder / "all"):
            return harness.finish(1, "cells")
        traces, spikes = reports(folder / "all")
        for population, about in model["populations"].items():
            for index in range(about["size"]):
                one = folder / f"{population}{index}.yaml"
                one.write_text(yaml.safe_dump(alone(model, population, index)))
                out = folder / f"{population}{index}"
                if not run(one, out):
                    continue
                own_traces, own_spikes = reports(out)
                for report, cells in own_traces.items():
                    same = numpy.array_equal(cells[0], traces[report][index])
                    harness.check(same, f"{report} of {population}[{index}] differs from that of the cell alone")
                    distinct.add(cells[0].tobytes())
                times = own_spikes.get(population, {}).get(0, numpy.array([]))
                sweep_times = spikes.get(population, {}).get(index, numpy.array([]))
                harness.check(numpy.array_equal(times, sweep_times), f"spikes of {population}[{index}] differ")
                spike_count += len(times)
                count += 1
        check_random_trees(folder)
        check_errors(folder)
    harness.check(spike_count >= 40, f"only {spike_count} spikes")
    harness.check(len(distinct) == count + model["populations"]["balls"]["size"], "some cells are not of their own")
    harness.finish(count, f"cells, {spike_count} spikes")


if __name__ == "__main__":
    main()
