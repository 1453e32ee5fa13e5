#!/usr/bin/env python3
"""Question: how long does a step of many copies of one morphology take on a GPU, by each solver? Cells of an SWC file
with hh everywhere, or on the soma with passive dendrites; a current into each soma.

    us/step   the loop's seconds over its steps, the best of --repeat runs after one that compiles
    cs/s      compartments times steps a second"""

import pathlib

import runs
import models  # which runs.py has found

SOLVERS = ("auto", "contraction", "exact")


def copies(options, cells, is_active):
    """So many cells of a file, in compartments of at most --length um."""
    regions = {"all": {"cm": "1 uF/cm2", "Ra": "100 ohm.cm", "pas": {"g": "0.001 S/cm2", "e": "-65 mV"}},
               "soma": {"hh": models.HH}}
    if is_active:
        regions = {"all": {"cm": "1 uF/cm2", "Ra": "100 ohm.cm", "hh": models.HH}}
    return {"hillock": 1, "run": models.run(options.duration),
            "cells": {"cell": {"morphology": {"swc": str(options.swc.resolve())},
                               "discretization": {"max_length": f"{options.length} um"}, "regions": regions,
                               "detector": {"at": options.at, "threshold": "-10 mV"}}},
            "populations": {"cells": {"cell": "cell", "size": cells}},
            "stimuli": [{"iclamp": {"amplitude": "0.5 nA", "start": "1 ms", "duration": f"{options.duration} ms"},
                         "to": "cells", "at": options.at}],
            "record": [{"name": "spikes", "of": "cells"}]}


def main():
    parser = runs.parser_of(__doc__, 20)
    parser.add_argument("--swc", type=pathlib.Path, default=runs.ROOT / "models/library/pyramid.swc")
    parser.add_argument("--at", default="soma(0.5)", help="where the current goes and spikes are seen")
    parser.add_argument("--cells", type=int, nargs="+", default=[1600, 4000, 10000])
    parser.add_argument("--length", type=float, default=20, help="um, of a compartment at most")
    parser.add_argument("--repeat", type=int, default=2)
    options = runs.options_of(parser)
    rows, failures = runs.Rows("copies", options), 0
    print(f"{'model':<18}{'solver':<13}{'compartments':>13}{'us/step':>9}{'cs/s':>10}{'spikes':>9}")
    with runs.Models(options) as scratch:
        for cells in options.cells:
            for kind in ("hh", "passive"):
                name = f"{kind} {cells}"
                if options.only not in name:
                    continue
                model = scratch.write(copies(options, cells, kind == "hh"))
                for solver in SOLVERS:
                    try:
                        told = [scratch.run(model, "--set", f"run.solver={solver}")
                                for _ in range(options.repeat + 1)][1:]
                    except runs.Failed as why:
                        print(f"{name:<18}{solver:<13}{why}", flush=True)
                        failures += 1
                        continue
                    best = min(told, key=runs.us_a_step)
                    us, compartments = runs.us_a_step(best), best["compartments"]
                    print(f"{name:<18}{solver:<13}{compartments:>13,}{us:>9.1f}{compartments / us * 1e6:>10.2e}"
                          f"{best['spikes']:>9}", flush=True)
                    rows.add(best, model=name, solver=solver, compartments=compartments, us=us, spikes=best["spikes"])
    runs.end(failures)


if __name__ == "__main__":
    main()
