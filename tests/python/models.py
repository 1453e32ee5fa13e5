"""Models for the tests of the package, and where things lie."""

import os
import pathlib
import subprocess

SOURCES = pathlib.Path(__file__).resolve().parents[2]
RING = str(SOURCES / "examples/ring/ring.yaml")
COMMAND = os.environ.get("HILLOCK", str(SOURCES / "build/release/hillock"))


def command(*words):
    """What the command prints on standard error, and its exit code."""
    done = subprocess.run([COMMAND, *words], capture_output=True, text=True, timeout=300)
    return done.stderr, done.returncode


def cell(duration="40 ms", amplitude="0.3 nA", **more):
    """Cells with a soma and a dendrite, a current into each, spikes and voltages recorded."""
    return {
        "hillock": 1,
        "run": {"duration": duration, "seed": 3},
        "cells": {"pyr": {
            "morphology": {"branches": [
                {"name": "soma", "length": "20 um", "diameter": "20 um"},
                {"name": "dend", "parent": "soma", "length": "200 um", "diameter": "2 um"}]},
            "regions": {"soma": {"hh": {}}, "dend": {"pas": {"g": "1e-4 S/cm2"}}},
            "detector": {"at": "soma(0.5)"}}},
        "populations": {"exc": {"cell": "pyr", "size": 3}},
        "stimuli": [{"iclamp": {"amplitude": amplitude, "start": "5 ms", "duration": "200 ms"},
                     "to": "exc", "at": "soma(0.5)"}],
        "record": [{"name": "spikes", "of": "exc"},
                   {"name": "v", "of": "exc", "variable": "v", "at": "soma(0.5)", "every": "0.1 ms",
                    "type": "float64"}],
        **more}


def network(duration="100 ms"):
    """Cells and point neurons with connections, noise, Poisson trains and weights that change."""
    model = cell(duration, "0.05 nA")
    model["cells"]["rs"] = {"izhikevich": {}}
    model["populations"] = {"exc": {"cell": "pyr", "size": 8}, "point": {"cell": "rs", "size": 40}}
    model["projections"] = [
        {"from": "exc", "to": "exc", "connect": {"fixed_indegree": {"number": 3}},
         "synapse": {"expsyn": {"tau": "2 ms", "e": "0 mV"}, "at": "dend(0.5)"},
         "weight": {"uniform": {"min": "1 nS", "max": "4 nS"}}, "delay": "1.5 ms"},
        {"from": "point", "to": "point", "connect": {"fixed_indegree": {"number": 6}}, "weight": 1,
         "delay": "1 ms", "plasticity": {"stdp": {"w_max": 10}}},
        {"from": "point", "to": "exc", "connect": {"fixed_indegree": {"number": 5}},
         "synapse": {"expsyn": {"tau": "2 ms", "e": "0 mV"}, "at": "dend(0.5)"}, "weight": "1 nS",
         "delay": "2 ms"}]
    model["stimuli"] += [
        {"poisson": {"rate": "80 Hz"}, "to": "exc",
         "synapse": {"expsyn": {"tau": "2 ms", "e": "0 mV"}, "at": "soma(0.5)"}, "weight": "3 nS"},
        {"gaussian": {"mean": 6, "sd": 4}, "to": "point"}]
    model["record"] += [{"name": "point_spikes", "of": "point"},
                        {"name": "m", "of": "exc", "variable": "hh.m", "at": "soma(0.5)",
                         "every": "0.5 ms"}]
    return model


def assert_same(test, results, others):
    """That two runs made the same, bit for bit."""
    test.assertEqual(list(results.spikes), list(others.spikes))
    for name, spikes in results.spikes.items():
        test.assertEqual(spikes.times.tobytes(), others.spikes[name].times.tobytes())
        test.assertEqual(spikes.ids.tobytes(), others.spikes[name].ids.tobytes())
    test.assertEqual(list(results.reports), list(others.reports))
    for name in results.reports:
        one, other = results[name], others[name]
        test.assertEqual(one.data.dtype, other.data.dtype)
        test.assertEqual(one.data.tobytes(), other.data.tobytes())
        test.assertEqual(one.times.tolist(), other.times.tolist())
        for column in ("node_ids", "index_pointers", "element_ids", "element_pos"):
            test.assertEqual(getattr(one, column).tolist(), getattr(other, column).tolist())
