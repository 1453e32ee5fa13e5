#!/usr/bin/env python3
"""Question: how long does a sweep from Python take on a GPU, beside all cores of the machine?

The cell, the currents and the variants of bench/cpu/python_sweep.py, `hillock.sweep` with backend cuda and cpu in turns,
each --repeat times; of each the best wall time counts. The first sweep on a GPU also compiles its kernel, unless the
cache has it (HILLOCK_CACHE): it stands apart.

  PYTHONPATH=build/release/python bench/gpu/python_sweep.py [--variants 1000 10000]

Needs numpy. Prints rows for bench/RESULTS.md."""

import argparse
import datetime
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
for folder in (HERE.parent, HERE.parent / "cpu"):
    sys.path.insert(0, str(folder))
from needs import Needs  # noqa: E402

import python_sweep  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--variants", type=int, nargs="+", default=[1000, 10000])
    parser.add_argument("--duration", type=float, default=50, help="ms")
    parser.add_argument("--amplitude", type=float, default=0.5, help="nA")
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    Needs().modules("hillock", "numpy").check()
    print(f"{datetime.date.today().isoformat()}, {options.duration:g} ms")
    print("| variants | backend | threads | first, s | best, s | of it the run, s | variants/s | spikes | spikes in it that "
          "differ |")
    print("| --- " * 9 + "|")
    for variants in options.variants:
        work = python_sweep.work_of(argparse.Namespace(variants=variants, duration=options.duration,
                                                       amplitude=options.amplitude))
        first, best = {}, {}
        for _ in range(options.repeat):
            for backend in ("cuda", "cpu"):
                sweep, took, _ = python_sweep.swept(work, backend=backend)
                first.setdefault(backend, took)
                if backend not in best or took < best[backend][0]:
                    best[backend] = took, sweep.summary, sweep.spike_counts("cells")
        for backend, (took, summary, counts) in best.items():
            run = sum(summary["timings_s"][part] for part in ("initialise", "advance", "record"))
            print(f"| {variants} | {backend} | {summary['threads']} | {first[backend]:.3f} | {took:.3f} | {run:.3f} | "
                  f"{variants / took:.0f} | {counts.sum()} | {abs(counts - best['cpu'][2]).sum()} |")


if __name__ == "__main__":
    main()
