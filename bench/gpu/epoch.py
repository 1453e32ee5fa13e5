#!/usr/bin/env python3
"""Question: how long does a step take on a GPU, whole runs through the command, beside what Arbor takes? Arbor's
busyring (hh on the soma, passive dendrites) at the sizes of its table, its complex cell, and cells with hh everywhere
on random trees of some 392 compartments.

    us/step   the loop's seconds (exchange and recording included) over its steps
    cs/s      compartments times steps a second
    Arbor     Arbor 0.12-dev's microseconds a step on an H200, over ours"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cpu"))
import models  # noqa: E402

# cells, depth, complex: microseconds a step of Arbor's
ARBOR = {(16, 5, False): 68, (128, 5, False): 74, (128, 10, False): 122, (1024, 2, False): 75, (1024, 5, False): 94,
         (1024, 10, False): 345, (8192, 2, False): 214, (8192, 5, False): 370, (128, 10, True): 266,
         (1024, 10, True): 787}
HH_CELLS = (16, 256, 2048, 16000)
HH_DEPTH, HH_COMPARTMENTS = 7, [16, 2]  # 392 on average


def hh_everywhere(cells, duration):
    """Cells of random trees with hh on every compartment, in rings."""
    model, pairs = models.busyring(cells, HH_DEPTH, duration, synapses=1)
    cell = model["cells"]["cell"]
    cell["morphology"]["random_tree"]["compartments"] = HH_COMPARTMENTS
    cell["regions"]["dend"] = {"hh": models.HH}
    return model, pairs


def run(program, model, pairs, backend, options):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "pairs.csv").write_text(pairs)
        (folder / "model.yaml").write_text(json.dumps(model))
        subprocess.run([program, "run", folder / "model.yaml", "-o", folder / "out", "--quiet", "--backend", backend,
                        *options], check=True)
        with open(folder / "out" / "run.json", encoding="utf-8") as file:
            return json.load(file)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hillock", default=os.environ.get("HILLOCK", "build/release/hillock"))
    parser.add_argument("--backend", default="cuda")
    parser.add_argument("--duration", type=float, default=50, help="ms of 0.025 ms steps")
    parser.add_argument("--only", default="", help="rows whose name has this in it")
    parser.add_argument("--set", action="append", default=[], help="PATH=VALUE, passed on to hillock run")
    options = parser.parse_args()
    extra = [word for one in options.set for word in ("--set", one)]
    rows = [(f"busyring {cells}/{depth}{' complex' if is_complex else ''}", arbor,
             lambda cells=cells, depth=depth, is_complex=is_complex:
             models.busyring(cells, depth, options.duration, is_complex))
            for (cells, depth, is_complex), arbor in ARBOR.items()]
    rows += [(f"hh {cells}", None, lambda cells=cells: hh_everywhere(cells, options.duration)) for cells in HH_CELLS]
    print(f"{'model':<26}{'compartments':>13}{'us/step':>9}{'cs/s':>10}{'Arbor':>7}{'build s':>9}{'spikes':>9}")
    for name, arbor, make in rows:
        if options.only not in name:
            continue
        told = run(options.hillock, *make(), options.backend, extra)
        taken = told["timings_s"]
        seconds = sum(taken[part] for part in ("advance", "exchange", "record"))
        steps = told["steps"]
        us = seconds / steps * 1e6
        ratio = f"{arbor / us:7.2f}" if arbor else " " * 7
        print(f"{name:<26}{told['compartments']:>13,}{us:>9.2f}{told['compartments'] * steps / seconds:>10.2e}{ratio}"
              f"{taken['build']:>9.2f}{told['spikes']:>9}", flush=True)


if __name__ == "__main__":
    main()
