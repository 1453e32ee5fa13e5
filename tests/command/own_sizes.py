#!/usr/bin/env python3
"""Cells of one population that have sizes of their own are, byte for byte, what each is as a kind of its own: on
threads, on ranks and in the form of the device's kernels that runs here (HOST_FORM, where it is given)."""

import os
import shutil
import subprocess

import h5py
import numpy

import harness
import mpi
from sized_cells import draw_sizes, write_sizes  # in bench, where harness looks, too

CELLS = 21
RUN = "hillock: 1\nrun: {duration: 30 ms, dt: 0.025 ms, seed: 4}\n"
# What spreads along the cable goes by lengths, the ion's current of a point by its area.
REGIONS = ("all: {cm: 1 uF/cm2, pas: {g: 0.0003 S/cm2, e: -65 mV}}, "
           "soma: {hh: {}, calcium_shells: {leak: 0.05 mM/ms}}, dend: {calcium_shells: {}, sodium_spreads: {}, "
           "cal: {gbar: \"1e-4 S/cm2 * exp(-distance / 100 um)\"}}")
FAR = ", far: {of: dend, distance: [60 um, 400 um], hh: {gnabar: \"0.02 S/cm2 * diam / 1 um\"}}"


def kind(name, group, regions):
    return (f"  {name}:\n    morphology: {{compartments: {{hdf5: cells.h5, group: {group}}}}}\n"
            f"    regions: {{{regions}}}\n    detector: {{at: soma(0.5), threshold: -20 mV}}\n")


def driven(name):
    """The stimulus and what is recorded of a population."""
    return (f"  - {{spikes: {{times: [2 ms, 5 ms, 8 ms, 11 ms, 14.2 ms, 20 ms]}}, to: {name}, weight: 20 nS,\n"
            f"     synapse: {{nmda: {{}}, at: 'dend[1](0.9)'}}}}\n",
            "".join(f'  - {{name: {name}{number}, of: {name}, variable: "{variable}", at: "{place}", type: float64}}\n'
                    for number, (variable, place) in enumerate(
                        [("v", "soma(0.5)"), ("v", "dend[2](0.9)"), ("calcium_shells.ca[0]", "dend(*)"),
                         ("ica", "dend[1](0.3)"), ("nai", "dend[0](0.5)")])) +
            f"  - {{name: {name}s, of: {name}}}\n")


def model(mods, kinds, populations):
    parts = [driven(name) for name in populations]
    return (RUN + f"mechanisms: [{mods}/calcium_shells.mod, {mods}/sodium_spreads.mod]\ncells:\n" + "".join(kinds) +
            "populations:\n" + "".join(f"  {name}: {{cell: {cell}, size: {size}}}\n"
                                       for name, (cell, size) in populations.items()) +
            "stimuli:\n" + "".join(stimulus for stimulus, _ in parts) +
            "record:\n" + "".join(recorded for _, recorded in parts))


def results(folder, populations):
    """[recording] of all cells, [step, of cells], and the spikes of each cell."""
    def recorded(name, number):
        with h5py.File(folder / f"{name}{number}.h5") as file:
            return file[f"report/{name}/data"][()]
    traces = [numpy.hstack([recorded(name, number) for name in populations]) for number in range(5)]
    with h5py.File(folder / "spikes.h5") as file:
        spikes = []
        for name, (_, size) in populations.items():
            times, ids = file[f"spikes/{name}/timestamps"][()], file[f"spikes/{name}/node_ids"][()]
            spikes += [times[ids == cell].tolist() for cell in range(size)]
    return traces, spikes


def ran(name, path, folder, populations, ranks=1, threads=1):
    output = folder / f"{name}.out"
    done = mpi.run(ranks, "run", path, "-o", output, "--threads", threads, "--quiet")
    harness.check(done.returncode == 0, f"{name}: {done.stderr}")
    return results(output, populations) if done.returncode == 0 else None


def compare(folder, far, ranks):
    mods, regions = harness.ROOT / "tests/command/models", REGIONS + (FAR if far else "")
    sizes = draw_sizes(CELLS)
    with h5py.File(folder / "cells.h5", "w") as file:
        write_sizes(file, "all", sizes)
        for cell in range(CELLS):
            write_sizes(file, f"cell{cell}", {name: rows[cell] for name, rows in sizes.items()})
    together, apart = {"p": ("own", CELLS)}, {f"p{cell}_": (f"own{cell}", 1) for cell in range(CELLS)}
    path = folder / f"together{far:d}.yaml"
    path.write_text(model(mods, [kind("own", "all", regions)], together))
    beside = folder / f"apart{far:d}.yaml"
    beside.write_text(model(mods, [kind(f"own{cell}", f"cell{cell}", regions) for cell in range(CELLS)], apart))
    known = ran(beside.stem, beside, folder, apart)
    harness.check(known and sum(map(len, known[1])) > CELLS, f"{beside.stem}: cells spike")
    forms = [(1, 1), (1, 3)] + [(count, 1) for count in ranks]
    for count, threads in forms:
        name = f"{path.stem}-{count}-{threads}"
        now = ran(name, path, folder, together, count, threads)
        same = now and known and now[1] == known[1] and all(map(numpy.array_equal, now[0], known[0]))
        harness.check(same, f"{name}: not what each cell is alone")
    if program := os.environ.get("HOST_FORM"):
        forms.append(program)
        done = subprocess.run([beside_its_reader(program, folder), "exact", "10 ms", path], capture_output=True,
                              text=True)
        harness.check(done.returncode == 0, f"{path.stem} in host form: {done.stdout}{done.stderr}")
    return len(forms)


def beside_its_reader(program, folder):
    """A copy of a program that finds the one that reads HDF5 files."""
    reader = folder / "hillock-read-columns"
    if not reader.exists():
        reader.symlink_to(harness.HILLOCK.parent / reader.name)
    return shutil.copy(program, folder)


def refuse_other_numbers(folder):
    path = folder / "together0.yaml"
    done = harness.run("validate", path, "--set", f"populations.p.size={CELLS + 1}")
    harness.check(done.returncode == 3 and f"{CELLS} rows" in done.stderr and ":6:" in done.stderr,
                  f"other sizes than cells: {done.stderr}")


def main():
    ranks = [2, 3] if mpi.is_here() else []
    with harness.scratch() as folder:
        folder = harness.pathlib.Path(folder)
        count = 0
        for far in (False, True):
            count += compare(folder, far, ranks)
            (folder / "cells.h5").rename(folder / f"cells{far:d}.h5")
        (folder / "cells0.h5").rename(folder / "cells.h5")
        refuse_other_numbers(folder)
    harness.finish(count + 1, "runs of cells of own sizes beside each alone")


if __name__ == "__main__":
    main()
