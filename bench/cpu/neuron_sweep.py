#!/usr/bin/python3
"""NEURON's half of the sweep: one cell, run for every variant and step of its share, one after the other, as sweeps are
run there; prints one line of JSON. Not here: our half (sweep.py), which gives the numbers.

The cell stays in the cache from run to run, and nothing is built again: more cells side by side take longer each.
"""

import argparse
import json
import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from needs import Needs  # noqa: E402

Needs().modules("neuron").check()
os.environ.setdefault("NEURON_MODULE_OPTIONS", "-nogui")
from neuron import h  # noqa: E402


class Cell:
    """The morphology, cut and painted as the model says."""

    def __init__(self, work):
        h.load_file("import3d.hoc")
        reader = h.Import3d_SWC_read()
        reader.quiet = 1
        reader.input(work["swc"])
        h.Import3d_GUI(reader, 0).instantiate(self)
        for section in self.all:
            section.Ra, section.cm = work["Ra"], work["cm"]
            section.nseg = max(1, -int(-(section.L / work["max_length"] * (1 - 1e-12)) // 1))
            section.insert("pas")
            section.g_pas, section.e_pas = work["g_pas"], work["e_pas"]
            if section.name().split(".")[-1].split("[")[0] in work["hh"]:
                section.insert("hh")

    def set_variant(self, work, factor):
        for section in self.all:
            gnabar, gkbar = work["hh"].get(section.name().split(".")[-1].split("[")[0], (None, None))
            if gnabar is None:
                continue
            section.gnabar_hh, section.gkbar_hh = gnabar * factor, gkbar
            section.gl_hh = 0  # pas is the leak


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", help="a JSON file of sweep.py")
    parser.add_argument("--part", type=int, default=0, help="of the runs, of --parts")
    parser.add_argument("--parts", type=int, default=1)
    options = parser.parse_args()
    work = json.loads(pathlib.Path(options.work).read_text())
    h.load_file("stdrun.hoc")
    h.usetable_hh = work["tables"]
    start = time.perf_counter()
    cell = Cell(work)
    soma = cell.soma[0] if hasattr(cell.soma, "__getitem__") else cell.soma
    clamp = h.IClamp(soma(0.5))
    clamp.delay, clamp.dur = work["start"], work["length"]
    times = h.Vector()
    crossing = h.NetCon(soma(0.5)._ref_v, None, sec=soma)
    crossing.threshold = work["threshold"]
    crossing.record(times)
    h.CVode().cache_efficient(1)
    h.celsius, h.dt, h.steps_per_ms = 6.3, work["dt"], round(1 / work["dt"])
    setup = time.perf_counter() - start
    runs, seconds, processor = [], 0.0, 0.0
    for number in range(options.part, len(work["factors"]) * len(work["amplitudes"]), options.parts):
        variant, step = divmod(number, len(work["amplitudes"]))
        cell.set_variant(work, work["factors"][variant])
        clamp.amp = work["amplitudes"][step]
        times.resize(0)
        start, begun = time.perf_counter(), time.process_time()
        h.finitialize(work["v_init"])
        h.continuerun(work["duration"])
        seconds += time.perf_counter() - start
        processor += time.process_time() - begun
        runs.append((number, int(times.size())))
    print(json.dumps({"program": f"NEURON {h.nrnversion(5)}", "setup_s": setup, "run_s": seconds, "cpu_s": processor,
                      "spikes": runs, "compartments": sum(section.nseg for section in cell.all)}))


if __name__ == "__main__":
    main()
