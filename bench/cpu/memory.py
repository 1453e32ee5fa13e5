#!/usr/bin/env python3
"""Question: how much memory does a run take, and does `hillock info` say so beforehand?

Peaks of the resident set (what wait4() says of the process) of `hillock run` on models of different kinds, and
memory_bytes of `hillock info --json`; bytes a compartment, a connection and a recorded column follow from the counts.

    bench/cpu/memory.py [--hillock PROGRAM] [--threads N] [--part N] [--only NAME]
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import models  # noqa: E402
import peak  # noqa: E402

SOMA = {"branches": [{"name": "soma", "length": "20 um", "diameter": "20 um", "compartments": 1}]}
SYNAPSE = {"expsyn": {"tau": "2 ms", "e": "0 mV"}, "at": "soma(0.5)"}


def cells(morphology, regions, **more):
    return {"cell": {"morphology": morphology, "regions": {"all": {"cm": "1 uF/cm2", "Ra": "100 ohm.cm"} | regions},
                     **more}}


def points(number, connect, weight, delay):
    """Cells of one compartment, many connections."""
    return {"hillock": 1, "run": models.run(2),
            "cells": cells(SOMA, {"hh": models.HH}, detector={"at": "soma(0.5)", "threshold": "0 mV"}),
            "populations": {"p": {"cell": "cell", "size": number}},
            "projections": [{"from": "p", "to": "p", "connect": connect, "synapse": SYNAPSE, "weight": weight,
                             "delay": delay}],
            "record": [{"name": "spikes", "of": "p"}]}


def neurons(number, neuron, connect, weight, delay, stimulus, duration="5 ms"):
    """Point neurons."""
    return {"hillock": 1, "run": {"duration": duration, "dt": "0.1 ms"}, "cells": {"cell": {neuron: {}}},
            "populations": {"p": {"cell": "cell", "size": number}},
            "projections": [{"from": "p", "to": "p", "connect": connect, "weight": weight, "delay": delay}],
            "stimuli": [stimulus | {"to": "p"}], "record": [{"name": "spikes", "of": "p"}]}


def long_cable(compartments, number):
    """Passive cells of one long branch."""
    branch = {"name": "soma", "length": "20 um", "diameter": "20 um", "compartments": 1}
    cable = {"name": "dend", "parent": "soma", "at": 1, "length": "1000 um", "diameter": "1 um",
             "compartments": compartments}
    return {"hillock": 1, "run": models.run(1),
            "cells": cells({"branches": [branch, cable]}, {"pas": {"g": "0.001 S/cm2", "e": "-65 mV"}}),
            "populations": {"p": {"cell": "cell", "size": number}},
            "stimuli": [{"iclamp": {"amplitude": "0.1 nA", "start": "0 ms", "duration": "1 ms"}, "to": "p",
                         "at": "soma(0.5)"}],
            "record": [{"name": "v", "of": "p[0]", "variable": "v", "at": "soma(0.5)"}]}


def recorded(number):
    """Every compartment's voltage, at every eighth step."""
    model = models.ring(number, "hh", 25)
    model["record"].append({"name": "v", "of": "ring", "variable": "v", "at": "all", "every": "0.2 ms"})
    return model


def potentials(number, **record):
    """What contacts see of long cables, over several epochs."""
    model = long_cable(400, number)
    model["run"] = models.run(30)
    model["populations"]["p"]["positions"] = {"uniform_box": ["200 um", "200 um", "200 um"]}
    electrodes = [[f"{contact} um", "0 um", "0 um"] for contact in range(50)]
    model["record"] = [{"name": "lfp", "of": "p", "potential": {"electrodes": electrodes, "conductivity": "0.3 S/m"},
                        **record}]
    return model


def all_models(part):
    """{name: (model, pairs.csv or none)}; of part N an N-th of the cells or connections."""
    drawn = {"uniform": {"min": "0 uS", "max": "1e-5 uS"}}
    spread = {"uniform": {"min": "1 ms", "max": "9 ms"}}
    return {
        "busyring": models.busyring(8192 // part, 5, 2),
        "busyring, complex cell": models.busyring(2048 // part, 5, 2, True),
        "ring, HH everywhere": (models.ring(8192 // part, "hh", 2), None),
        "long passive cables": (long_cable(2000, 1000 // part), None),
        "alike connections": (points(10000, {"fixed_indegree": {"number": 2000 // part}}, "1e-6 uS", "2 ms"), None),
        "drawn weights and delays": (points(10000, {"fixed_indegree": {"number": 1000 // part}}, drawn, spread), None),
        "connections by source": (points(10000, {"fixed_outdegree": {"number": 2000 // part}}, "1e-6 uS", "2 ms"), None),
        "all compartments recorded": (recorded(4096 // part), None),
        "means of potentials": (potentials(400 // part, mean=True, every="0.1 ms"), None),
        "potentials by cell": (potentials(400 // part, by="cell"), None),
        "point neurons, alike": (neurons(20000, "izhikevich", {"fixed_indegree": {"number": 1000 // part}}, 0.01,
                                         "1 ms", {"gaussian": {"sd": 5}}), None),
        "point neurons, drawn": (neurons(10000, "iaf_psc_exp", {"fixed_indegree": {"number": 1000 // part}},
                                         {"uniform": {"min": "-1 pA", "max": "1 pA"}}, spread,
                                         {"poisson": {"rate": "8 kHz"}, "weight": "87.8 pA"}), None),
        "point neurons, by source": (neurons(10000, "aeif_cond_exp", {"fixed_outdegree": {"number": 2000 // part}},
                                             "0.01 nS", "1 ms", {"gaussian": {"sd": "5 pA"}}), None),
        "point neurons, long delays": (neurons(80000 // part, "iaf_cond_exp", {"fixed_indegree": {"number": 5}}, "1 nS",
                                               {"uniform": {"min": "1 ms", "max": "25 ms"}},
                                               {"gaussian": {"sd": "5 pA"}}), None),
        "point neurons, 1e7 spikes": (neurons(20000, "iaf_psc_exp", {"fixed_indegree": {"number": 50}}, "1 pA", "1 ms",
                                              {"iclamp": {"amplitude": "10 nA", "start": "0 ms", "duration": "10 s"}},
                                              f"{1250 // part} ms"), None),
    }


def peak_of(command):
    """Its peak.Peak; the command must succeed."""
    with tempfile.TemporaryFile("w+") as said, subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=said) as process:
        found = peak.wait(process)
        if process.returncode != 0:
            said.seek(0)
            sys.exit(f"{command} ended with {process.returncode}:\n{said.read()}")
    return found


def measure(program, folder, model, pairs, threads):
    """What info says, and the peak.Peak of the run."""
    path = folder / "model.json"
    path.write_text(json.dumps(model))
    if pairs:
        (folder / "pairs.csv").write_text(pairs)
    here = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(here)[:threads])  # both take a thread a core
    try:
        info = json.loads(subprocess.run([program, "info", "--json", path], capture_output=True, check=True).stdout)
        return info, peak_of([program, "run", path, "-o", folder / "out", "--force", "--quiet", "--backend", "cpu"])
    finally:
        os.sched_setaffinity(0, here)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hillock", type=pathlib.Path, default=pathlib.Path("build/release/hillock"))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--part", type=int, default=1, help="N: an N-th of the cells or connections")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    print(f"{'model':<28}{'info, MB':>10}{'run, MB':>10}{'ratio':>7}{'B a compartment':>17}")
    for name, (model, pairs) in all_models(options.part).items():
        if options.only not in name:
            continue
        with tempfile.TemporaryDirectory(prefix="hillock-memory-") as folder:
            info, found = measure(options.hillock.resolve(), pathlib.Path(folder), model, pairs, options.threads)
        said, taken = info["memory_bytes"], found.bytes
        print(f"{name:<28}{said / 1e6:>10.1f}{taken / 1e6:>10.1f}{said / taken:>7.3f}"
              f"{taken / (info['compartments'] or info['cells']):>17.1f}", flush=True)


if __name__ == "__main__":
    main()
