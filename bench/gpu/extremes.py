#!/usr/bin/env python3
"""Question: do models at the ends of what is asked for run, and what do they take? A cell of 20,000 compartments (hh on
the soma alone, and everywhere), a star of 500 branches, a network of 60 morphologies, a million cells of 20
compartments, 5,000 variants of a pyramidal cell with 13 steps of current each, and a network of 1e9 synapses.

Spikes of all cells are recorded, and the soma's voltage of the first 13 cells of each population at 0.1 ms. That bounds
the output: every soma of the sweep's 65,000 cells would be 2.6 GB a second of biological time.

    build s   from the model to the first step: cells, connections, kernels (those not in the cache are compiled)
    us/step   the loop's seconds (exchange and recording included) over its steps
    GPU MB    the most of its memory that was in use, less what was before the run; CUDA's own (some 500 MB) counts
    counted   MB of it that hillock info counts, with --info, which lays the model out once more
    host MB   the most memory that the process had

--part N takes an N-th of the cells, variants, morphologies or compartments."""

import ctypes
import pathlib
import random
import threading

import runs
import models
import scaling  # of bench/cpu, which runs.py has found

FIRST = 13  # cells of a population whose somata are recorded
BASE = {"cm": "1 uF/cm2", "Ra": "100 ohm.cm"}
PASSIVE = {"pas": {"g": "0.0001 S/cm2", "e": "-65 mV"}}
SOMA_MIDDLE = "soma[0](0.5)"  # in SWC files, too, where a soma may have several branches
DETECTOR = {"at": SOMA_MIDDLE, "threshold": "-10 mV"}
SOMA = {"name": "soma", "length": "20 um", "diameter": "20 um", "compartments": 1}


def cell(branches, everywhere=False):
    """hh on the soma and passive dendrites, or hh everywhere."""
    regions = {"all": BASE, "soma": {"hh": models.HH}, "dend": {"hh": models.HH} if everywhere else PASSIVE}
    return {"morphology": {"branches": branches}, "regions": regions, "detector": DETECTOR}


def synapse(place="uniform(dend)"):
    return {"expsyn": models.EXPSYN, "at": place}


def network(cells, sizes, duration, kicked=None, projections=()):
    """kicked: {population or slice: nA}, a current from the beginning."""
    return {"hillock": 1, "run": models.run(duration), "cells": cells,
            "populations": {name: {"cell": name, "size": size} for name, size in sizes.items()},
            "projections": list(projections),
            "stimuli": [{"iclamp": {"amplitude": f"{nA} nA", "start": "0 ms", "duration": f"{duration} ms"}, "to": to,
                         "at": SOMA_MIDDLE} for to, nA in (kicked or dict.fromkeys(sizes, 0.5)).items()],
            "record": recordings(sizes)}


def recordings(sizes):
    return [{"name": f"spikes-{name}", "of": name} for name in sizes] + [
        {"name": f"v-{name}", "of": f"{name}[0:{min(FIRST, size)}]", "variable": "v", "at": SOMA_MIDDLE,
         "every": "0.1 ms"} for name, size in sizes.items()]


def dendrite(number, parent, compartments, diameter=1.0):
    return {"name": f"dend[{number}]", "parent": parent, "at": 1, "length": f"{5 * compartments} um",
            "diameter": f"{diameter!r} um", "compartments": compartments}


def large_cell(compartments, everywhere, duration):
    """A binary tree of 255 dendrites, fewer where there are fewer compartments."""
    count = min(255, compartments - 1)
    each, more = divmod(compartments - 1, count)
    branches = [SOMA] + [dendrite(i, f"dend[{(i - 1) // 2}]" if i else "soma", each + (i < more),
                                  max(0.5, 6 / 1.4 ** (i + 1).bit_length())) for i in range(count)]
    return network({"large": cell(branches, everywhere)}, {"large": 1}, duration, {"large": 5})


def star(branches, duration):
    rays = [dendrite(i, "soma", 20) for i in range(branches)]
    return network({"star": cell([SOMA, *rays])}, {"star": 1}, duration, {"star": 5})


def drawn_tree(seed):
    """A tree of 10 to 60 dendrites of 2 to 12 compartments, in which each grows from one that has less than two."""
    draw = random.Random(seed)
    branches, room = [SOMA], ["soma"] * 4
    for i in range(draw.randint(10, 60)):
        parent = room.pop(draw.randrange(len(room)))
        branches.append(dendrite(i, parent, draw.randint(2, 12), draw.uniform(0.6, 2.5)))
        room += [branches[-1]["name"]] * 2
    return branches


def morphologies(number, swc_files, duration, cells_of_each=20):
    """So many shapes, each a population that excites the next; from SWC files where there are some."""
    if swc_files:
        kinds = {f"m{i}": {"morphology": {"swc": str(swc_files[i % len(swc_files)].resolve())},
                           "discretization": {"max_length": f"{20 + 5 * (i // len(swc_files))} um"},
                           "regions": {"all": BASE | {"hh": models.HH}}, "detector": DETECTOR}
                 for i in range(number)}
    else:
        kinds = {f"m{i}": cell(drawn_tree(i), everywhere=i % 2 == 1) for i in range(number)}
    names = list(kinds)
    links = [{"from": name, "to": names[(i + 1) % number], "connect": {"fixed_indegree": {"number": 5}},
              "synapse": synapse(SOMA_MIDDLE if swc_files else "uniform(dend)"), "weight": "0.01 uS", "delay": "1 ms"}
             for i, name in enumerate(names)]
    return network(kinds, dict.fromkeys(names, cells_of_each), duration, projections=links)


def many_cells(cells, duration):
    """20 compartments and 5 synapses each; one in a hundred is driven."""
    branches = [SOMA, dendrite(0, "soma", 9), dendrite(1, "dend[0]", 5), dendrite(2, "dend[0]", 5)]
    link = {"from": "cells", "to": "cells", "connect": {"fixed_indegree": {"number": 5}}, "synapse": synapse(),
            "weight": "0.005 uS", "delay": {"uniform": {"min": "1 ms", "max": "3 ms"}}}
    return network({"cells": cell(branches)}, {"cells": cells}, duration, {f"cells[0:{max(1, cells // 100)}]": 1},
                   [link])


def sweep(variants, duration):
    """hh everywhere on the pyramidal cell that comes with Hillock; variants differ in its sodium."""
    cells = 13 * variants
    factor = "(0.85 + 0.3 * mod(0.6180339887 * floor(index / 13), 1))"
    model = network({"sweep": {
        "morphology": {"swc": "library:pyramid.swc"}, "discretization": {"max_length": "40 um"},
        "regions": {"all": BASE | {"hh": models.HH | {"gnabar": f"0.12 S/cm2 * {factor}"}}},
        "detector": DETECTOR}}, {"sweep": cells}, duration)
    model["stimuli"][0]["iclamp"]["amplitude"] = "0.2 nA * mod(index, 13)"
    return model


def many_synapses(cells, duration):
    """The balanced network with a thousand synapses a cell, each a twelfth as strong. Without traces."""
    text = scaling.balanced(cells, duration, synapses=min(1000, cells // 5))
    network, stimuli = text.split("stimuli:")
    return network.replace("6 nS", "0.5 nS").replace("67 nS", "5 nS") + "stimuli:" + stimuli


def all_models(options):
    part, duration = options.part, options.duration
    files = sorted(pathlib.Path(options.morphologies).glob("*.swc")) if options.morphologies else []
    return {"20,000 compartments": lambda: large_cell(20000 // part, False, 4 * duration),
            "20,000, hh everywhere": lambda: large_cell(20000 // part, True, 4 * duration),
            "star of 500 branches": lambda: star(500 // part, 4 * duration),
            "60 morphologies": lambda: morphologies(max(2, 60 // part), files, 4 * duration),
            "1e6 cells of 20": lambda: many_cells(1000000 // part, duration),
            "sweep of 65,000": lambda: sweep(max(1, 5000 // part), duration),
            "1e9 synapses": lambda: many_synapses(1000000 // part, 4 * duration)}


class UsedMemory:
    """Asks the driver (NVML, the library behind nvidia-smi) how much of the first GPU's memory is in use, 50 times a
    second."""

    def __init__(self):
        self.nvml = _nvml()
        self.before_bytes = self.most_bytes = self.used_bytes()
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.watch)
        self.thread.start()

    def used_bytes(self):
        """None where there is no driver."""
        if not self.nvml:
            return None
        device, memory = ctypes.c_void_p(), (ctypes.c_ulonglong * 3)()  # all, free, used
        if self.nvml.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(device)) != 0:
            return None
        return memory[2] if self.nvml.nvmlDeviceGetMemoryInfo(device, memory) == 0 else None

    def watch(self):
        while self.most_bytes is not None and not self.is_over.wait(0.02):
            self.most_bytes = max(self.most_bytes, self.used_bytes() or 0)

    def stop(self):
        """Most bytes since the beginning, less those of before; none where nobody knows."""
        self.is_over.set()
        self.thread.join()
        return None if self.most_bytes is None else self.most_bytes - self.before_bytes


def _nvml():
    for name in ("libnvidia-ml.so.1", "/usr/local/nvidia/lib64/libnvidia-ml.so.1"):
        try:
            library = ctypes.CDLL(name)
        except OSError:
            continue
        return library if library.nvmlInit_v2() == 0 else None
    return None


def megabytes(count):
    return "-" if count is None else f"{count / 1e6:,.0f}"


def main():
    parser = runs.parser_of(__doc__, 5)
    parser.add_argument("--part", type=int, default=1)
    parser.add_argument("--morphologies", default="", help="a folder of SWC files, in place of drawn trees")
    parser.add_argument("--info", action="store_true")
    options = runs.options_of(parser)
    rows, failures = runs.Rows("extremes", options), 0
    print(f"{'model':<23}{'cells':>10}{'compartments':>13}{'synapses':>15}{'build s':>9}{'us/step':>11}{'cs/s':>10}"
          f"{'GPU MB':>9}{'counted':>9}{'host MB':>9}{'spikes':>9}")
    with runs.Models(options) as scratch:
        for name, make in all_models(options).items():
            if options.only not in name:
                continue
            path, used = scratch.write(make()), UsedMemory()
            try:
                told = scratch.run(path)
                gpu_bytes = used.stop()
                synapses = scratch.info(path, "cpu")["synapses"]
                counted = scratch.info(path, "cuda")["on_gpu"]["bytes"] if options.info else None
            except runs.Failed as why:
                used.stop()
                print(f"{name:<23}{why}", flush=True)
                failures += 1
                continue
            us, build_s = runs.us_a_step(told), told["timings_s"]["read"] + told["timings_s"]["build"]
            print(f"{name:<23}{told['cells']:>10,}{told['compartments']:>13,}{synapses:>15,}{build_s:>9.2f}{us:>11.2f}"
                  f"{told['compartments'] / us * 1e6:>10.2e}{megabytes(gpu_bytes):>9}{megabytes(counted):>9}"
                  f"{megabytes(told['peak_bytes']):>9}{told['spikes']:>9}", flush=True)
            rows.add(told, model=name, cells=told["cells"], compartments=told["compartments"], synapses=synapses,
                     build_s=build_s, us=us, steps=told["steps"], gpu_bytes=gpu_bytes, counted_bytes=counted,
                     peak_bytes=told["peak_bytes"], spikes=told["spikes"])
    runs.end(failures)


if __name__ == "__main__":
    main()
