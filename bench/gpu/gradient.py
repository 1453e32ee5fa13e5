#!/usr/bin/env python3
"""Question: what does the derivative of a run of many copies of one cell cost on a GPU? hh all over a cell from a file,
gnabar and gkbar drawn for each, a current into each soma, whose voltage is recorded in every step; the sum of its
squared distance from -65 mV, by gl, el, cm and Ra. Seconds of the clock, best of --repeat, kernels compiled before.

    run     the loop of hillock.run
    kept    DerivedRun: reading the model, beginning cells, the run whose steps are kept
    first   vjp: back over the steps, and how cells begin by each value
    again   vjp once more: back over the steps, and the derivatives to the host
    GB      in which steps are kept

  PYTHONPATH=build/release/python bench/gpu/gradient.py [--swc FILE] [--cells N ...]"""

import argparse
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from needs import Needs  # noqa: E402

REGION = "cells.cell.regions.all."
VALUES = {REGION + "hh.gl": 3e-4, REGION + "hh.el": -54.3, REGION + "cm": 1, REGION + "Ra": 100}


def model_of(options, cells):
    whole = f"{options.duration} ms"
    return {
        "hillock": 1, "run": {"duration": whole, "dt": "0.025 ms", "v_init": "-65 mV", "solver": options.solver},
        "cells": {"cell": {"morphology": {"swc": options.swc}, "discretization": {"max_length": options.max_length},
                           "regions": {"all": {"cm": "1 uF/cm2", "Ra": "100 ohm.cm", "hh": {
                               "gnabar": {"uniform": {"min": "0.11 S/cm2", "max": "0.13 S/cm2"}},
                               "gkbar": {"uniform": {"min": "0.033 S/cm2", "max": "0.039 S/cm2"}}}}}}},
        "populations": {"cells": {"cell": "cell", "size": cells}},
        "stimuli": [{"iclamp": {"amplitude": "0.5 nA", "start": "1 ms", "duration": whole}, "to": "cells",
                     "at": "soma[0](0.5)"}],
        "record": [{"name": "v", "of": "cells", "variable": "v", "at": "soma[0](0.5)", "every": "0.025 ms",
                    "type": "float64"}]}


def seconds_of(call):
    start = time.perf_counter()
    made = call()
    return made, time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--swc", default="library:pyramid.swc")
    parser.add_argument("--max-length", default="20 um")
    parser.add_argument("--solver", default="auto")
    parser.add_argument("--cells", type=int, nargs="+", default=[10000])
    parser.add_argument("--duration", type=float, default=20, help="ms")
    parser.add_argument("--repeat", type=int, default=2)
    options = parser.parse_args()
    Needs().modules("hillock", "numpy").check()
    import hillock

    print("| cells | compartments | steps | run | kept | first | again | GB |\n" + "| --- " * 8 + "|")
    for cells in options.cells:
        model, best = hillock.load(model_of(options, cells), set=VALUES), {}
        for _ in range(options.repeat):
            ran, took = seconds_of(lambda: hillock.run(model, backend="cuda"))
            timings = ran.summary["timings_s"]
            turn = {"run": sum(timings[part] for part in ("advance", "exchange", "record"))}
            derived, turn["kept"] = seconds_of(lambda: hillock.DerivedRun(model, VALUES, backend="cuda"))
            by = {"v": 2 * (derived.traces["v"] + 65)}
            _, turn["first"] = seconds_of(lambda: derived.vjp(by))
            _, turn["again"] = seconds_of(lambda: derived.vjp(by))
            held = derived.tape_bytes
            del derived
            best = {name: min(s, best.get(name, s)) for name, s in turn.items()}
        count = len(next(iter(model.cells.values())).compartments["area_um2"])
        print(f"| {cells} | {count} | {round(options.duration / 0.025)} | " +
              " | ".join(f"{best[name]:.3f}" for name in ("run", "kept", "first", "again")) + f" | {held / 1e9:.2f} |",
              flush=True)


if __name__ == "__main__":
    main()
