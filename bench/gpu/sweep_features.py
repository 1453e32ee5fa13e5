#!/usr/bin/env python3
"""Question: how many variants of a cell a second become a table of features, from Python to the table?

The cell, the currents and the variants of bench/cpu/python_sweep.py, in compartments of at most --length um, 20 ms, the
soma's voltage every 0.1 ms; `hillock.sweep_efel` for ten features in batches. What compiles the kernel stands apart: it
is run once before. Of --repeat runs the best counts. The peak of the process's memory is told with each.

  PYTHONPATH=build/release/python bench/gpu/sweep_features.py [--variants 10000 100000]

Needs numpy. Prints rows for bench/RESULTS.md."""

import argparse
import datetime
import pathlib
import resource
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
for folder in (HERE.parent, HERE.parent / "cpu"):
    sys.path.insert(0, str(folder))
from needs import Needs  # noqa: E402

import python_sweep  # noqa: E402

NAMES = ["Spikecount", "time_to_first_spike", "mean_frequency", "AHP_depth", "AP_amplitude", "AP_duration_half_width",
         "voltage_base", "steady_state_voltage", "minimum_voltage", "maximum_voltage"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--variants", type=int, nargs="+", default=[10000])
    parser.add_argument("--batch", type=int, nargs="+", default=[2500])
    parser.add_argument("--length", type=float, default=17.5, help="um")
    parser.add_argument("--backend", default="cuda")
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    Needs().modules("hillock", "numpy").check()
    import hillock
    import numpy as np

    def table(variants, batch):
        work = python_sweep.work_of(argparse.Namespace(variants=variants, duration=20, amplitude=0.5))
        work |= {"max_length": options.length, "start": 2, "length": 14}
        begun = time.perf_counter()
        found = hillock.sweep_efel(python_sweep.model_of(work),
                                   {"cells.cell.regions.all.hh.gnabar": python_sweep.GNABAR * np.array(work["factors"])},
                                   report="v", names=NAMES, start_ms=2, stop_ms=16, batch=batch, backend=options.backend)
        return found, time.perf_counter() - begun

    table(64, 32)
    print(f"{datetime.date.today().isoformat()}, 20 ms, {options.backend}")
    print("| variants | at once | s | variants/s | spikes | mean AP_amplitude, mV | peak memory, GB |")
    print("| --- " * 7 + "|")
    for variants in options.variants:
        for batch in options.batch:
            found, took = min((table(variants, batch) for _ in range(options.repeat)), key=lambda one: one[1])
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
            print(f"| {variants} | {batch} | {took:.3f} | {variants / took:.0f} | {found['Spikecount'].sum():.0f} | "
                  f"{np.nanmean(found['AP_amplitude']):.3f} | {peak:.2f} |", flush=True)


if __name__ == "__main__":
    main()
