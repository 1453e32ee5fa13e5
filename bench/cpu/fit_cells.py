#!/usr/bin/env python3
"""Question: do densities of reconstructed cells come out of their own traces? Five cells of the Allen Cell Types database
with 7 to 10 conductances at the soma each; traces of pulses into it, with noise, are fitted from 20 starts a factor of up to
--factor from the densities, which are known. Which of them can be found at all the Fisher information of the traces says:
J'J of their derivatives, by random sums of samples, over the noise's variance; a density can be found where its standard
deviation then is at most 5 %.

    found   of how many densities
    right   of the starts: those that end with each of these within 10 % (15 of 20 are asked)
    s       processor seconds

FOLDER has files of AllenInstitute/bmtk: docs/tutorial/sources/bionet_files/components, of biophysical and mechanisms.

  PYTHONPATH=build/release/python bench/cpu/fit_cells.py FOLDER [--starts 20] [--rounds 200] [--cells 0 1 2 3 4]
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np

import hillock

#: Fit, morphology, and short pulses in nA with which it spikes once, whatever it has: just enough for a spike would be one
#: that vanishes, beyond which the loss has other least places.
CELLS = (("472363762", "Scnn1a_473845048", (1.5, 2.5, 4)), ("473863510", "Rorb_325404214", (1, 2, 4)),
         ("473863035", "Nr5a1_471087815", (1, 2, 4)), ("472912177", "Pvalb_470522102", (1, 2, 4)),
         ("473862421", "Pvalb_469628681", (1, 2, 4)))
LONG_NA = (-0.15, 0.1)
NOISE_MV = 0.2
CAN_BE_FOUND = 0.05


def model_of(folder, fit, morphology, pulses):
    """A model of one cell for each pulse, (nA, ms), and {path: density}."""
    files = {path.name: path for path in Path(folder).rglob("*") if path.is_file()}
    numbers = json.loads(files[f"{fit}_fit.json"].read_text())
    mechanisms = sorted({one["mechanism"] for one in numbers["genome"] if one["mechanism"]})
    soma = {one["mechanism"]: float(one["value"]) for one in numbers["genome"]
            if one["section"] == "soma" and one["name"].startswith("gbar") and float(one["value"]) > 0}
    v_mV = float(numbers["conditions"][0]["v_init"])
    ca = {"inside": "5e-05 mM", "outside": "2 mM", "reversal": "nernst"}
    model = {
        "hillock": 1, "run": {"duration": "45 ms", "dt": "0.05 ms", "integrator": "crank_nicolson", "v_init": f"{v_mV} mV",
                              "temperature": f"{numbers['conditions'][0]['celsius']} degC"},
        "mechanisms": [str(files[f"{name}.mod"]) for name in mechanisms],
        "cells": {"cell": {"morphology": {"swc": str(files[f"{morphology}_m.swc"]),
                                          "replace_axon": {"branches": 2, "length": "30 um", "diameter": "1 um"}},
                           "discretization": {"odd_pieces": "200 um"}, "fit": str(files[f"{fit}_fit.json"]),
                           "regions": {"all": {"ions": {"ca": ca}},
                                       "soma": {name: {"gbar": f"{gbar} S/cm2"} for name, gbar in soma.items()}}}},
        "populations": {"cells": {"cell": "cell", "size": len(pulses)}},
        "stimuli": [{"iclamp": {"amplitude": f"{nA} nA", "start": "5 ms", "duration": f"{ms} ms"},
                     "to": f"cells[{k}:{k + 1}]", "at": "soma[0](0.5)"} for k, (nA, ms) in enumerate(pulses)],
        "record": [{"name": "v", "of": "cells", "variable": "v", "at": "soma[0](0.5)", "every": "0.1 ms",
                    "type": "float64"}]}
    return model, {f"cells.cell.regions.soma.{name}.gbar": gbar for name, gbar in soma.items()}


def deviations(model, densities, seed, sums):
    """{path: standard deviation by that of the traces' noise, relative}, by the information of all samples."""
    rng = np.random.default_rng(seed)
    run = hillock.DerivedRun(model, densities)
    scale = np.array(list(densities.values()))
    rows = []
    for _ in range(sums):
        by = run.vjp({"v": rng.standard_normal(run.traces["v"].shape)})
        rows.append(scale * [by[path] for path in densities])
    information = np.transpose(rows) @ rows / sums / NOISE_MV**2
    return dict(zip(densities, np.sqrt(np.diag(np.linalg.pinv(information, rcond=1e-14)))))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--cells", type=int, nargs="+", default=range(len(CELLS)))
    parser.add_argument("--starts", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--factor", type=float, default=3)
    parser.add_argument("--seed", type=int, default=39)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    print(f"{'cell':>18}{'compartments':>13}{'found':>9}{'right':>9}{'rounds':>8}{'s':>8}", flush=True)
    for number in options.cells:
        start = time.process_time()
        fit, morphology, short_nA = CELLS[number]
        pulses = [(nA, 35) for nA in LONG_NA] + [(nA, 3) for nA in short_nA]
        model, densities = model_of(options.folder, fit, morphology, pulses)
        results = hillock.run(model, backend="cpu")
        trace = results["v"].data
        if options.verbose:
            print("peaks", trace.max(axis=0), "mV")
        targets = {"v": trace + NOISE_MV * np.random.default_rng(options.seed).standard_normal(trace.shape)}
        sd = deviations(model, densities, options.seed, 40 * len(densities))
        can = [path for path in densities if sd[path] <= CAN_BE_FOUND]
        found = hillock.fit(model, targets, {path: (value / options.factor, value * options.factor)
                                             for path, value in densities.items()},
                            starts=options.starts, rounds=options.rounds, seed=options.seed)
        right = sum(all(abs(one.values[path] / densities[path] - 1) <= 0.1 for path in can) for one in found.starts)
        if options.verbose:
            for path in densities:
                print(f"  {path} sd {sd[path]:.3f}", *(f"{one.values[path] / densities[path]:.2f}" for one in found.starts))
            print("  loss by that of the noise", *(f"{one.loss / trace.size / NOISE_MV**2:.3g}" for one in found.starts))
        compartments = results.summary["compartments"] // len(pulses)
        rounds = np.mean([one.rounds for one in found.starts])
        print(f"{morphology:>18}{compartments:>13}{f'{len(can)} of {len(densities)}':>9}"
              f"{f'{right} of {options.starts}':>9}{rounds:8.0f}{time.process_time() - start:8.0f}", flush=True)


if __name__ == "__main__":
    main()
