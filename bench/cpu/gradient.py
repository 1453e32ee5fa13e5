#!/usr/bin/env python3
"""Question: what does the derivative of a run cost beside the run itself, and beside Jaxley? One cell from a file, hh all
over it, a current into its soma; the sum of the squared distance of the soma's voltage from -65 mV, by densities of
channels, capacitance and axial resistance, on one thread, in processor seconds. Best of --repeat, in turns. Of a --model all that its cell's
regions give in numbers and base units is derived by; it has one population, and records v. Jaxley's HH is its own,
whose kinetics are not NEURON's; its derivative is by the three densities; compartments are those that it makes, about
as long.

    run            s of hillock.run
    kept           s of DerivedRun: the same with its steps kept, with reading the model
    back           s of vjp: back over them, and how cells begin by each value
    of runs        kept and back, over run
    MB             in which steps are kept
    1e6 /s         compartments times steps over the seconds of a derivative

  PYTHONPATH=build/release/python bench/cpu/gradient.py [--swc FILE] [--max-length "20 um"] [--durations 20 200]
      [--most-bytes N] [--jaxley PYTHON] [--model FILE]
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import builds

sys.path.insert(0, str(builds.ROOT / "bench"))
from needs import Needs  # noqa: E402

DT_MS = 0.025
REGION = "cells.cell.regions.all."
VALUES = {REGION + "hh.gnabar": 0.12, REGION + "hh.gkbar": 0.036, REGION + "hh.gl": 3e-4, REGION + "cm": 1, REGION + "Ra": 100}


def model_of(options, duration_ms):
    return {
        "hillock": 1, "run": {"duration": f"{duration_ms} ms", "dt": f"{DT_MS} ms", "v_init": "-65 mV"},
        "cells": {"cell": {"morphology": {"swc": options.swc}, "discretization": {"max_length": options.max_length},
                           "regions": {"all": {"cm": "1 uF/cm2", "Ra": "100 ohm.cm", "hh": {}}}}},
        "populations": {"cells": {"cell": "cell", "size": 1}},
        "stimuli": [{"iclamp": {"amplitude": "0.5 nA", "start": "1 ms", "duration": f"{duration_ms} ms"}, "to": "cells",
                     "at": "soma[0](0.5)"}],
        "record": [{"name": "v", "of": "cells", "variable": "v", "at": "soma[0](0.5)", "every": f"{DT_MS} ms",
                    "type": "float64"}]}


def values_of(model):
    """{path: number} of what stands in regions."""
    found = {}

    def walk(path, part):
        for key, value in part.items():
            if isinstance(value, dict):
                walk(f"{path}.{key}", value)
                continue
            try:
                found[f"{path}.{key}"] = float(str(value).split()[0])
            except ValueError:
                pass  # an expression, or a word

    for name, cell in model["cells"].items():
        walk(f"cells.{name}.regions", cell["regions"])
    return found


def model_and_values(options, duration_ms):
    if not options.model:
        return model_of(options, duration_ms), VALUES
    import yaml

    model = yaml.safe_load(pathlib.Path(options.model).read_text())
    model["run"].update(duration=f"{duration_ms} ms", dt=f"{DT_MS} ms")
    return model, values_of(model)


def seconds_of(call):
    start = time.process_time()
    made = call()
    return made, time.process_time() - start


def in_hillock(options, duration_ms):
    """(compartments, values, (run, kept, back) of the best turn, bytes)"""
    import hillock

    model, values = model_and_values(options, duration_ms)
    model = hillock.load(model, set=values)
    turns = []
    for _ in range(options.repeat):
        _, run = seconds_of(lambda: hillock.run(model, backend="cpu", threads=1))
        derived, kept = seconds_of(lambda: hillock.DerivedRun(model, values, threads=1, most_bytes=options.most_bytes))
        _, back = seconds_of(lambda: derived.vjp({"v": 2 * (derived.traces["v"] + 65)}))
        turns.append((run, kept, back))
    cell, = model.cells.values()
    return (len(cell.compartments["area_um2"]), len(values), [min(column) for column in zip(*turns)],
            derived.tape_bytes)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--swc", default="library:pyramid.swc")
    parser.add_argument("--model", help="a file; without it a cell with hh from --swc")
    parser.add_argument("--max-length", default="20 um")
    parser.add_argument("--durations", type=float, nargs="+", default=[20, 200])
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--most-bytes", type=int)
    parser.add_argument("--jaxley", help="a Python that has Jaxley, and the path of the same file in --swc")
    options = parser.parse_args()
    Needs().modules("hillock").check()
    print(f"{'':8} {'compartments':>12} {'values':>6} {'steps':>6} {'run':>7} {'kept':>7} {'back':>7} {'of runs':>7} {'MB':>6} {'1e6 /s':>7}")
    for duration_ms in options.durations:
        steps = round(duration_ms / DT_MS)
        count, values, (run, kept, back), held = in_hillock(options, duration_ms)
        print(f"Hillock  {count:12} {values:6} {steps:6} {run:7.3f} {kept:7.3f} {back:7.3f} {(kept + back) / run:7.2f} "
              f"{held / 1e6:6.0f} {count * steps / (kept + back) / 1e6:7.2f}", flush=True)
        if not options.jaxley:
            continue
        with tempfile.NamedTemporaryFile("w", suffix=".json") as work:
            json.dump({"swc": options.swc, "max_length": float(options.max_length.split()[0]), "dt": DT_MS,
                       "duration": duration_ms, "Ra": 100, "cm": 1, "v_init": -65, "start": 1, "length": duration_ms,
                       "amplitude": 0.5, "repeat": options.repeat}, work)
            work.flush()
            done = subprocess.run([options.jaxley, pathlib.Path(__file__).with_name("jaxley_gradient.py"), work.name],
                                  capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stderr)
        told = json.loads(done.stdout.splitlines()[-1])
        print(f"Jaxley   {told['compartments']:12} {3:6} {steps:6} {told['run_s']:7.3f} {'':7} {'':7} "
              f"{told['gradient_s'] / told['run_s']:7.2f} {told['peak_MB']:6.0f} "
              f"{told['compartments'] * steps / told['gradient_s'] / 1e6:7.2f}  ({told['program']}; a derivative takes "
              f"{told['gradient_s']:.2f} s, compiling both {told['compiling_s']:.0f} s; MB: of the program)", flush=True)


if __name__ == "__main__":
    main()
