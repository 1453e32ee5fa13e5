#!/usr/bin/python3
"""Who hears of which event first, against NEURON: models drawn by tests/simulator/event_models, whose nodes have
several receivers of events that meet in one step.  Receivers lie apart from where cells are seen to spike, and no two
events of a cell have exactly the same time: docs/parity.md says what differs there.

    event_order.py [--models N] [--first SEED]

Tolerance: every spike of cells and of artificial cells lies in NEURON's step (dt/2; reference: NEURON).
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import neuron_mods
from parity import REPOSITORY, load_neuron, need_hillock

import h5py  # after parity, which says what is missing

sys.path.insert(0, str(REPOSITORY / "tests/simulator/event_models"))
import event_models  # noqa: E402

HILLOCK = os.environ.get("HILLOCK", str(REPOSITORY / "build/release/hillock"))


def drawn(seed):
    return event_models.make(seed, ties=False, apart=True)


def in_neuron(seed, library):
    """Prints the spikes of one model: NEURON keeps what a process has built."""
    h = load_neuron()
    h.nrn_load_dll(library)
    spikes = event_models.simulate_in_neuron(h, drawn(seed))
    print(json.dumps([[population, cell, [t for t in times if t < event_models.DURATION]]
                      for (population, cell), times in spikes.items()]))


def in_hillock(seed, folder):
    model = folder / f"seed{seed}.yaml"
    model.write_text(event_models.yaml_of(drawn(seed)))
    subprocess.run([HILLOCK, "run", model, "-o", folder / f"out{seed}", "--quiet", "--threads", "1"], check=True)
    spikes = {}
    with h5py.File(folder / f"out{seed}" / "spikes.h5") as file:
        for population, group in file["spikes"].items():
            for time, cell in zip(group["timestamps"][()], group["node_ids"][()]):
                spikes.setdefault((population, int(cell)), []).append(float(time))
    return spikes


def compared(seed, library, folder):
    """(spikes of NEURON, what differs)"""
    done = subprocess.run([sys.executable, __file__, "--neuron", str(seed), library], capture_output=True, text=True)
    if done.returncode:
        return 0, [f"NEURON ended with {done.returncode}: {done.stderr[-300:]}"]
    theirs = {(population, cell): times for population, cell, times in json.loads(done.stdout.splitlines()[-1])}
    ours = in_hillock(seed, folder)
    wrong = []
    for cell in theirs.keys() | ours.keys():
        mine, its = sorted(ours.get(cell, [])), sorted(theirs.get(cell, []))
        if len(mine) != len(its) or any(abs(a - b) > event_models.DT / 2 for a, b in zip(mine, its)):
            wrong.append(f"{cell[0]}[{cell[1]}]: {mine} instead of {its}")
    return sum(map(len, theirs.values())), wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=int, default=40)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--neuron", nargs=2, metavar=("SEED", "LIBRARY"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.neuron:
        in_neuron(int(options.neuron[0]), options.neuron[1])
        return
    need_hillock(HILLOCK)
    load_neuron()
    with tempfile.TemporaryDirectory(prefix="hillock-event-order-") as name:
        folder = pathlib.Path(name)
        library, refused = neuron_mods.build(sorted(event_models.MODS.glob("*.mod")), folder / "mods")
        if refused:
            raise next(iter(refused.values()))
        seeds = range(options.first, options.first + options.models)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            results = list(pool.map(lambda seed: compared(seed, str(library), folder), seeds))
    spikes, bad = 0, 0
    for seed, (count, wrong) in zip(seeds, results):
        spikes += count
        bad += bool(wrong)
        for line in wrong:
            print(f"FAILED: model {seed}: {line}")
    print(f"{len(seeds)} models, {spikes} spikes in NEURON; {bad} models differ")
    sys.exit(1 if bad or not spikes else 0)


if __name__ == "__main__":
    main()
