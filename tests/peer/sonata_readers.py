#!/usr/bin/env python3
"""The files of a run and an exported circuit, read by libsonata and by the Allen tools' bmtk, against h5py.

Needs libsonata, bmtk and h5py in the interpreter that runs it, and the hillock command (HILLOCK, or
build/release/hillock). With arguments, the files of those run directories are compared instead.
Exit status: 0 all equal, 1 not, 77 skipped because a reader is missing; with REQUIRE_PEERS=all that
is a failure (they come from PyPI, so 1, Debian's peers, is not enough). Exact: every value must be the one h5py gives. The lengths of 4.3 and 8.1 ms are ones
at which (stop - start) / dt would truncate to a sample too few if stop were not chosen with care.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

from needs import SKIPPED, Needs, peers_are_required  # noqa: E402

if missing := Needs().modules("h5py", "numpy", "libsonata", "bmtk").missing:
    print(f"skipped: {'; '.join(missing)}")
    sys.exit(1 if peers_are_required(from_pypi=True) else SKIPPED)
try:
    import h5py
    import libsonata
    import numpy
    from bmtk.utils.reports.compartment import CompartmentReport
    from bmtk.utils.reports.spike_trains import SpikeTrains
    from bmtk.utils.sonata import File
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(1 if peers_are_required(from_pypi=True) else SKIPPED)

HILLOCK = os.environ.get("HILLOCK", str(ROOT / "build/release/hillock"))
MODEL = ROOT / "tests/command/models/mixed.yaml"


def equal(found, expected, what):
    found, expected = numpy.asarray(found), numpy.asarray(expected)
    numbers = found.dtype.kind == expected.dtype.kind == "f"
    if not numpy.array_equal(found, expected, equal_nan=numbers):
        raise AssertionError(f"{what}: {found} is not {expected}")


def check_spikes(path):
    with h5py.File(path) as file:
        expected = {name: (group["node_ids"][:], group["timestamps"][:])
                    for name, group in file["spikes"].items()}
    reader = libsonata.SpikeReader(str(path))
    equal(sorted(reader.get_population_names()), sorted(expected), "libsonata's populations")
    trains = SpikeTrains.load(str(path))
    equal(sorted(trains.populations), sorted(expected), "bmtk's populations")
    for name, (nodes, times) in expected.items():
        population = reader[name]
        equal(str(population.sorting), "by_time", f"libsonata's sorting of {name}")
        spikes = population.get()
        equal([node for node, _ in spikes], nodes, f"libsonata's nodes of {name}")
        equal([time for _, time in spikes], times, f"libsonata's times of {name}")
        equal(trains.units(name), "ms", f"bmtk's units of {name}")
        table = trains.to_dataframe(populations=name)
        equal(table["node_ids"], nodes, f"bmtk's nodes of {name}")
        equal(table["timestamps"], times, f"bmtk's times of {name}")
        for node in numpy.unique(nodes)[:5]:
            equal(trains.get_times(int(node), name), times[nodes == node],
                  f"bmtk's times of {name}[{node}]")
    return sum(len(nodes) for nodes, _ in expected.values())


def check_report(path):
    with h5py.File(path) as file:
        (name, group), = file["report"].items()
        data, units = group["data"][:], group["data"].attrs["units"]
        mapping = {key: dataset[:] for key, dataset in group["mapping"].items()}
    nodes, pointers, time = mapping["node_ids"], mapping["index_pointers"], mapping["time"]
    equal(mapping["index_pointer"], pointers, "the link index_pointer")

    bmtk = CompartmentReport(str(path))
    equal(bmtk.units(), units, "bmtk's units")
    equal(bmtk.node_ids(), nodes, "bmtk's nodes")
    equal(bmtk.data(), data, "bmtk's values")
    for i, node in enumerate(nodes):
        columns = slice(pointers[i], pointers[i + 1])
        equal(bmtk.data(node_id=node), data[:, columns], f"bmtk's values of node {node}")
        equal(bmtk.element_ids(node_id=node), mapping["element_ids"][columns], "bmtk's elements")
        equal(bmtk.element_pos(node_id=node), mapping["element_pos"][columns], "bmtk's positions")

    population = libsonata.ElementReportReader(str(path))[name]
    equal(population.times, time, "libsonata's times")
    equal((population.time_units, population.data_units), ("ms", units), "libsonata's units")
    equal(population.get_node_ids(), nodes, "libsonata's nodes")
    equal(population.sorted, True, "libsonata's sorted")
    if data.dtype == numpy.float32:  # it refuses doubles
        frame = population.get()
        equal(frame.data, data, "libsonata's values")
        widths = numpy.diff(pointers.astype(int))
        equal(frame.ids[:, 0], numpy.repeat(nodes, widths), "libsonata's nodes")
        equal(frame.ids[:, 1], mapping["element_ids"], "libsonata's elements")
        equal(len(frame.times), len(data), "libsonata's samples")
        some = population.get(node_ids=[int(nodes[-1])], tstart=time[0], tstop=time[0])
        equal(some.data[0], data[0, pointers[-2]:pointers[-1]], "libsonata's last node")
    return data.size


def check_run(folder):
    spikes = check_spikes(folder / "spikes.h5")
    values = sum(check_report(path) for path in sorted(folder.glob("*.h5"))
                 if path.name != "spikes.h5")
    print(f"{folder}: {spikes} spikes and {values} values read alike by h5py, libsonata and bmtk")
    return spikes, values


def check_circuit(folder):
    """An exported circuit."""
    circuit = libsonata.CircuitConfig.from_file(str(folder / "circuit_config.json"))
    bmtk = File(data_files=[str(folder / name) for name in ("nodes.h5", "edges.h5")],
                data_type_files=[str(folder / name) for name in ("node_types.csv", "edge_types.csv")])
    count = 0
    with h5py.File(folder / "nodes.h5") as nodes, h5py.File(folder / "edges.h5") as edges:
        equal(sorted(circuit.node_populations), sorted(nodes["nodes"]), "libsonata's populations of nodes")
        equal(sorted(circuit.edge_populations), sorted(edges["edges"]), "libsonata's populations of edges")
        for name, group in nodes["nodes"].items():
            population = circuit.node_population(name)
            for axis in "xyz":
                equal(population.get_attribute(axis, population.select_all()), group[f"0/{axis}"], f"{axis} of {name}")
            equal(sorted(node.node_id for node in bmtk.nodes[name]), group["node_id"], f"bmtk's nodes of {name}")
        for name, group in edges["edges"].items():
            population = circuit.edge_population(name)
            every = population.select_all()
            equal(population.source_nodes(every), group["source_node_id"], f"libsonata's sources of {name}")
            for column in group["0"]:
                equal(population.get_attribute(column, every), group[f"0/{column}"], f"{column} of {name}")
            for target in sorted(set(group["target_node_id"][:].tolist())):
                of_target = numpy.flatnonzero(group["target_node_id"][:] == target)
                equal(population.afferent_edges([target]).flatten(), of_target, f"libsonata's edges onto {target}")
                found = list(bmtk.edges[name].get_target(target))
                equal([edge.source_node_id for edge in found], group["source_node_id"][:][of_target], "bmtk's sources")
                equal([edge["syn_weight"] for edge in found], group["0/syn_weight"][:][of_target], "bmtk's weights")
                count += len(found)
    print(f"{folder}: {count} edges read alike by h5py, libsonata and bmtk")
    return count


def main():
    folders = [pathlib.Path(name) for name in sys.argv[1:]]
    if folders:
        needs = Needs()
        for folder in folders:
            needs.file(folder / "spikes.h5", "give the directories of runs")
        needs.check()
        for folder in folders:
            check_run(folder)
        return
    Needs().program(HILLOCK, "build it with ./dev build, or name another in HILLOCK").check()
    spikes = values = 0
    with tempfile.TemporaryDirectory(prefix="hillock-readers-") as scratch:
        for duration in ("1 ms", "4.3 ms", "8.1 ms", "60 ms"):
            for kind in ("float32", "float64"):
                out = pathlib.Path(scratch) / f"{duration}-{kind}".replace(" ", "")
                subprocess.run([HILLOCK, "run", str(MODEL), "-o", str(out), "--quiet",
                                "--set", f"run.duration={duration}",
                                "--set", "record.3.every=0.1 ms",
                                "--set", f"record.3.type={kind}"], check=True)
                found = check_run(out)
                spikes, values = spikes + found[0], values + found[1]
        circuit = pathlib.Path(scratch) / "circuit"
        subprocess.run([HILLOCK, "export", str(MODEL), "-o", str(circuit)], check=True, stdout=subprocess.DEVNULL)
        edges = check_circuit(circuit)
    if spikes == 0 or values == 0 or edges == 0:
        sys.exit("nothing was compared")


if __name__ == "__main__":
    main()
