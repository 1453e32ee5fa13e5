#!/usr/bin/env python3
"""Question: how much faster is a sweep in one run than NEURON's, cell after cell?

Two reconstructed pyramidal cells (SWC files beside the repository), hh in all of the membrane and a passive leak, max.
40 um a compartment; 1, 8, 32, 128 variants of the sodium conductance, each with 13 steps of current: one population of
13 cells a variant here, and in NEURON one cell that is run 13 times a variant, which is the way that is fastest there
(it stays in the cache); of --threads N each of N processes takes an N-th of the runs.  Same compartments, dt, duration
and temperature; spikes are counted cell by cell.  Programs take turns, and of each the best of --repeat runs counts.  A
run is timed without its set-up, which is a column of its own.  On a busy machine seconds mean little; the processor's
time stands beside them, ours with set-up, and gives the second ratio.  --backend cuda runs ours on a GPU.

  bench/cpu/sweep.py --hillock build/release/hillock [--backend cuda] [--variants 1,8] [--out sweep.json] [--csv FILE]

Prints rows for bench/RESULTS.md: ratios are NEURON's time over ours.
"""

import argparse
import csv
import datetime
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from needs import Needs  # noqa: E402

SHARED = pathlib.Path(os.environ.get("HILLOCK_SHARED", HERE.parents[2] / "shared"))
STEPS = 13
MORPHOLOGIES = {"hippocampal (NMO_49821)": ("pyramidal.swc", 0.25), "V1 (Scnn1a)": ("v1_scnn1a.swc", 0.08)}
GNABAR = {"soma": 0.12, "axon": 0.12, "dend": 0.1, "apic": 0.1}  # S/cm2; gkbar is three tenths
FACTOR = "(0.85 + 0.3 * mod(0.6180339887 * floor(index / 13), 1))"


def work_of(swc, step_nA, variants, duration, tables):
    """What both programs do."""
    return {"swc": str(SHARED / "data/morphologies" / swc), "max_length": 40, "Ra": 100, "cm": 1, "g_pas": 1e-4,
            "e_pas": -65, "hh": {region: (g, 0.3 * g) for region, g in GNABAR.items()}, "dt": 0.025, "v_init": -65,
            "duration": duration, "start": 5, "length": duration - 10, "threshold": 0, "tables": tables,
            "factors": [0.85 + 0.3 * (0.6180339887 * v % 1) for v in range(variants)],
            "amplitudes": [step_nA * step for step in range(STEPS)], "step_nA": step_nA}


def regions_of(swc):
    """Which of the regions the file has."""
    kinds = {"1": "soma", "2": "axon", "3": "dend", "4": "apic"}
    rows = (line.split() for line in pathlib.Path(swc).read_text().splitlines() if not line.startswith("#"))
    there = {kinds.get(row[1]) for row in rows if len(row) >= 7}
    return [region for region in GNABAR if region in there]


def model_of(work):
    regions = {"all": {"cm": f"{work['cm']} uF/cm2", "Ra": f"{work['Ra']} ohm.cm",
                       "pas": {"g": f"{work['g_pas']} S/cm2", "e": f"{work['e_pas']} mV"}}}
    for region in regions_of(work["swc"]):
        gnabar, gkbar = work["hh"][region]
        regions[region] = {"hh": {"gnabar": f"{gnabar!r} S/cm2 * {FACTOR}", "gkbar": f"{gkbar!r} S/cm2",
                                  "gl": "0 S/cm2"}}
    return {"hillock": 1,
            "run": {"duration": f"{work['duration']} ms", "dt": f"{work['dt']} ms", "temperature": "6.3 degC",
                    "v_init": f"{work['v_init']} mV", "spike_time": "grid"},
            "cells": {"cell": {"morphology": {"swc": work["swc"], "soma": "neuron8"},
                               "discretization": {"max_length": f"{work['max_length']} um"}, "regions": regions,
                               "detector": {"at": "soma[0](0.5)", "threshold": f"{work['threshold']} mV"}}},
            "populations": {"sweep": {"cell": "cell", "size": STEPS * len(work["factors"])}},
            "stimuli": [{"iclamp": {"amplitude": f"{work['step_nA']} nA * mod(index, {STEPS})",
                                    "start": f"{work['start']} ms", "duration": f"{work['length']} ms"},
                         "to": "sweep", "at": "soma[0](0.5)"}],
            "record": [{"name": "spikes", "of": "sweep"}]}


def run_hillock(options, work, folder):
    import h5py
    model = folder / "model.json"
    model.write_text(json.dumps(model_of(work)))
    before = os.times()
    done = subprocess.run([options.hillock, "run", model, "-o", folder / "out", "--force", "--quiet", "--json",
                           "--threads", str(options.threads), "--backend", options.backend],
                          capture_output=True, text=True)
    after = os.times()
    if done.returncode:
        sys.exit(f"hillock run: {done.stderr[-2000:]}")
    summary = json.loads(done.stdout)
    times = summary["timings_s"]
    cells = STEPS * len(work["factors"])
    with h5py.File(folder / "out/spikes.h5") as file:
        ids = file["spikes/sweep/node_ids"][()]
    counts = [0] * cells
    for i in ids:
        counts[int(i)] += 1
    return {"program": f"hillock {summary['hillock']} ({summary['device'] or summary['instruction_set']})",
            "setup_s": times["read"] + times["build"], "spikes": counts, "compartments": summary["compartments"],
            "run_s": times["initialise"] + times["advance"] + times["exchange"] + times["record"],
            "cpu_s": after.children_user + after.children_system - before.children_user - before.children_system}


def run_neuron(options, work, folder):
    (folder / "work.json").write_text(json.dumps(work))
    processes = [subprocess.Popen([options.neuron_python, HERE / "neuron_sweep.py", folder / "work.json", "--part",
                                   str(part), "--parts", str(options.threads)],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                 for part in range(options.threads)]
    results = []
    for process in processes:
        said, complaint = process.communicate()
        if process.returncode:
            sys.exit(f"NEURON: {complaint[-2000:]}")
        results.append(json.loads(said.splitlines()[-1]))
    counts = [0] * STEPS * len(work["factors"])
    for result in results:
        for number, spikes in result["spikes"]:
            counts[number] = spikes
    return {"program": results[0]["program"], "setup_s": max(r["setup_s"] for r in results),
            "run_s": max(r["run_s"] for r in results), "cpu_s": sum(r["cpu_s"] for r in results), "spikes": counts,
            "compartments": results[0]["compartments"] * len(counts)}


def measure(options, name, variants, folder):
    swc, step_nA = MORPHOLOGIES[name]
    work = work_of(swc, step_nA, variants, options.duration, options.tables)
    best = {}
    for _ in range(options.repeat):
        for who, run in (("hillock", run_hillock), ("NEURON", run_neuron)):
            got = run(options, work, folder)
            known = best.setdefault(who, got)
            for figure in ("run_s", "cpu_s", "setup_s"):
                known[figure] = min(known[figure], got[figure])
    ours, theirs = best["hillock"], best["NEURON"]
    differ = sum(a != b for a, b in zip(ours["spikes"], theirs["spikes"]))
    return {"cell": name, "variants": variants, "cells": STEPS * variants, "compartments": ours["compartments"],
            "compartments_of_neuron": theirs["compartments"], "hillock_s": ours["run_s"],
            "hillock_setup_s": ours["setup_s"], "neuron_s": theirs["run_s"], "neuron_setup_s": theirs["setup_s"],
            "ratio": theirs["run_s"] / ours["run_s"], "hillock_cpu_s": ours["cpu_s"], "neuron_cpu_s": theirs["cpu_s"],
            "cpu_ratio": theirs["cpu_s"] / ours["cpu_s"], "spikes": sum(ours["spikes"]),
            "neuron_spikes": sum(theirs["spikes"]), "cells_whose_counts_differ": differ,
            "programs": [ours["program"], theirs["program"]]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--hillock", default="build/release/hillock")
    parser.add_argument("--neuron-python", default="/usr/bin/python3")
    parser.add_argument("--backend", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--variants", default="1,8,32,128")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--duration", type=float, default=100, help="ms")
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--tables", type=int, default=1, help="NEURON's tables of hh's rates (0: computed)")
    parser.add_argument("--only", default="", help="cells whose name has this in it")
    parser.add_argument("--commit", default="")
    parser.add_argument("--out", default="sweep.json")
    parser.add_argument("--csv", default="", help="the rows as a table, too")
    options = parser.parse_args()
    needs = Needs().program(options.hillock, "build it with ./dev build, or name another with --hillock")
    needs.modules("h5py").modules("neuron", python=options.neuron_python).writable(options.out)
    for swc, _ in MORPHOLOGIES.values():
        needs.file(SHARED / "data/morphologies" / swc, "HILLOCK_SHARED names the folder that has data/morphologies")
    needs.check()
    rows = []
    device = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "")
    print(f"{device}, {datetime.date.today().isoformat()}, commit {options.commit}, {options.duration:g} ms, "
          f"{options.threads} thread(s)")
    print("| cell | variants | cells | compartments | ours, s | set-up, s | NEURON, s | set-up, s | ratio | "
          "CPU s | CPU s | ratio | spikes |")
    print("| --- " * 13 + "|")
    with tempfile.TemporaryDirectory(prefix="hillock-bench-") as folder:
        for name in MORPHOLOGIES:
            for variants in map(int, options.variants.split(",")):
                if options.only not in name:
                    continue
                row = measure(options, name, variants, pathlib.Path(folder))
                rows.append(row)
                spikes = f"{row['spikes']}" if row["spikes"] == row["neuron_spikes"] \
                    else f"{row['spikes']} and {row['neuron_spikes']}"
                print(f"| {name} | {variants} | {row['cells']} | {row['compartments']:,} | {row['hillock_s']:.3f} | "
                      f"{row['hillock_setup_s']:.3f} | {row['neuron_s']:.3f} | {row['neuron_setup_s']:.3f} | "
                      f"{row['ratio']:.2f} | {row['hillock_cpu_s']:.2f} | {row['neuron_cpu_s']:.2f} | "
                      f"{row['cpu_ratio']:.2f} | {spikes} |", flush=True)
    pathlib.Path(options.out).write_text(json.dumps(
        {"date": datetime.date.today().isoformat(), "commit": options.commit, "device": device,
         "threads": options.threads, "duration_ms": options.duration, "backend": options.backend, "rows": rows},
        indent=1))
    if options.csv and rows:
        with open(options.csv, "w", newline="") as file:
            writer = csv.DictWriter(file, [key for key in rows[0] if key != "programs"], extrasaction="ignore")
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
