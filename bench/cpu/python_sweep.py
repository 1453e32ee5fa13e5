#!/usr/bin/env python3
"""Question: how much faster is a sweep from Python than the same loop in NEURON's Python, and Jaxley's vmap?

A reconstructed pyramidal cell (models/library/pyramid.swc), hh in all of the membrane, compartments of at most 40 um,
variants of the sodium conductance: `hillock.sweep` on one thread, one cell that NEURON runs for each variant
(neuron_sweep.py, tables of hh's rates off), and Jaxley's vmap in double precision with its own HH (jaxley_sweep.py). One
core for each (taskset), in turns, and of each the best processor time of --repeat runs counts. Set-up, and compiling,
stand apart.

  PYTHONPATH=build/release/python bench/cpu/python_sweep.py --peers-python VENV/bin/python [--variants 1000]

VENV has PyPI's neuron and jaxley; the interpreter that runs this, numpy and h5py. Prints rows for bench/RESULTS.md.
"""

import argparse
import datetime
import json
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from needs import Needs  # noqa: E402

SWC = HERE.parents[1] / "models/library/pyramid.swc"
REGIONS = ("soma", "axon", "dend", "apic")
GNABAR, GKBAR = 0.12, 0.036  # S/cm2


def work_of(options):
    """What all programs do."""
    factors = [0.85 + 0.3 * (0.6180339887 * variant % 1) for variant in range(options.variants)]
    return {"swc": str(SWC), "max_length": 40, "Ra": 100, "cm": 1, "g_pas": 3e-4, "e_pas": -54.3, "gnabar": GNABAR,
            "hh": {region: (GNABAR, GKBAR) for region in REGIONS}, "dt": 0.025, "v_init": -65,
            "duration": options.duration, "start": 5, "length": options.duration - 10, "threshold": 0, "tables": 0,
            "factors": factors, "amplitudes": [options.amplitude]}


def model_of(work):
    """The cell as Hillock's model."""
    regions = {"all": {"cm": f"{work['cm']} uF/cm2", "Ra": f"{work['Ra']} ohm.cm",
                       "pas": {"g": f"{work['g_pas']} S/cm2", "e": f"{work['e_pas']} mV"},
                       "hh": {"gnabar": f"{GNABAR} S/cm2", "gkbar": f"{GKBAR} S/cm2", "gl": "0 S/cm2"}}}
    return {"hillock": 1,
            "run": {"duration": f"{work['duration']} ms", "dt": f"{work['dt']} ms", "temperature": "6.3 degC",
                    "v_init": f"{work['v_init']} mV", "spike_time": "grid"},
            "cells": {"cell": {"morphology": {"swc": work["swc"]},
                               "discretization": {"max_length": f"{work['max_length']} um"}, "regions": regions,
                               "detector": {"at": "soma(0.5)", "threshold": f"{work['threshold']} mV"}}},
            "populations": {"cells": {"cell": "cell", "size": 1}},
            "stimuli": [{"iclamp": {"amplitude": f"{work['amplitudes'][0]} nA", "start": f"{work['start']} ms",
                                    "duration": f"{work['length']} ms"}, "to": "cells", "at": "soma(0.5)"}],
            "record": [{"name": "spikes", "of": "cells"},
                       {"name": "v", "of": "cells", "variable": "v", "at": "soma(0.5)", "every": "0.1 ms"}]}


def swept(work, **options):
    """hillock.sweep of the variants, and the wall and processor seconds that it took."""
    import hillock
    import numpy as np

    begun, before = time.perf_counter(), time.process_time()
    sweep = hillock.sweep(model_of(work), {"cells.cell.regions.all.hh.gnabar": GNABAR * np.array(work["factors"])},
                          **options)
    return sweep, time.perf_counter() - begun, time.process_time() - before


def run_hillock(work):
    """In this process, whose thread is on the one core."""
    import hillock

    sweep, took, processor = swept(work, backend="cpu", threads=1)
    seconds = sweep.summary["timings_s"]
    setup = took - seconds["initialise"] - seconds["advance"] - seconds["record"]
    return {"program": f"Hillock {hillock.__version__} ({sweep.summary['instruction_set']})", "setup_s": setup,
            "run_s": took - setup, "cpu_s": processor, "compartments": sweep.summary["compartments"] // len(sweep),
            "spikes": int(sweep.spike_counts("cells").sum())}


def run_peer(options, script, work, folder):
    (folder / "work.json").write_text(json.dumps(work))
    done = subprocess.run(["taskset", "-c", str(options.core), options.peers_python, HERE / script,
                           folder / "work.json"], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{script}: {done.stderr[-2000:]}")
    result = json.loads(done.stdout.splitlines()[-1])
    if isinstance(result["spikes"], list):
        result["spikes"] = sum(count for _, count in result["spikes"])
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--peers-python", required=True)
    parser.add_argument("--variants", type=int, default=1000)
    parser.add_argument("--duration", type=float, default=50, help="ms")
    parser.add_argument("--amplitude", type=float, default=0.5, help="nA")
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--core", type=int, default=0)
    parser.add_argument("--ours", action="store_true", help=argparse.SUPPRESS)  # this process is ours' half
    options = parser.parse_args()
    work = work_of(options)
    if options.ours:
        print(json.dumps(run_hillock(work)))
        return
    Needs().modules("hillock", "numpy").modules("neuron", "jaxley", python=options.peers_python).check()
    best = {}
    with tempfile.TemporaryDirectory(prefix="hillock-bench-") as folder:
        for _ in range(options.repeat):
            ours = subprocess.run(["taskset", "-c", str(options.core), sys.executable, __file__, *sys.argv[1:],
                                   "--ours"], capture_output=True, text=True)
            if ours.returncode:
                sys.exit(ours.stderr[-2000:])
            turns = [json.loads(ours.stdout.splitlines()[-1])]
            turns += [run_peer(options, script, work, pathlib.Path(folder))
                      for script in ("neuron_sweep.py", "jaxley_sweep.py")]
            for row in turns:
                known = best.setdefault(row["program"], row)
                for figure in ("run_s", "cpu_s", "setup_s"):
                    known[figure] = min(known[figure], row[figure])
    device = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "")
    print(f"{device}, {datetime.date.today().isoformat()}, {options.variants} variants, {options.duration:g} ms, "
          "one core")
    print("| who | compartments | run, s | processor, s | set-up, s | 1e6 compartment-steps/s | ours / theirs | spikes |")
    print("| --- " * 8 + "|")
    ours = next(iter(best.values()))
    for row in best.values():
        steps = row["compartments"] * options.variants * options.duration / work["dt"]
        print(f"| {row['program']} | {row['compartments']} | {row['run_s']:.2f} | {row['cpu_s']:.2f} | "
              f"{row['setup_s']:.2f} | {steps / row['cpu_s'] / 1e6:.1f} | {row['cpu_s'] / ours['cpu_s']:.1f} | "
              f"{row['spikes']} |")


if __name__ == "__main__":
    main()
