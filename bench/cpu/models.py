"""Our half of the comparisons: model files of the ring and of busyring, as JSON (which is YAML)."""

LEVELS, KICK_EVERY = 6, 16
HH = {"gnabar": "0.12 S/cm2", "gkbar": "0.036 S/cm2", "gl": "0.0003 S/cm2", "el": "-54.3 mV"}
EXPSYN = {"tau": "2 ms", "e": "0 mV"}


def run(duration):
    return {"duration": f"{duration} ms", "dt": "0.025 ms", "seed": 1, "temperature": "6.3 degC",
            "v_init": "-65 mV", "spike_time": "grid"}


def ring(cells, dendrites, duration):
    """The ring of neuron_ring.py."""
    branches = [{"name": "soma", "length": "20 um", "diameter": "20 um", "compartments": 1}]
    tips, diameter = ["soma"], 3.0
    for _ in range(LEVELS):
        children = []
        for parent in tips:
            for _ in range(2):
                children.append(f"dend[{len(branches) - 1}]")
                branches.append({"name": children[-1], "parent": parent, "at": 1, "compartments": 1,
                                 "length": "30 um", "diameter": f"{max(diameter, 0.6)!r} um"})
        tips, diameter = children, diameter / 2 ** (2 / 3)
    membrane = {"hh": HH} if dendrites == "hh" else {"pas": {"g": "0.001 S/cm2", "e": "-65 mV"}}
    synapse = {"expsyn": EXPSYN, "at": "dend[0](0.5)"}
    link = {"synapse": synapse, "weight": "0.05 uS", "delay": "5 ms", "connect": {"one_to_one": {}}}
    last = cells - 1
    return {
        "hillock": 1, "run": run(duration),
        "cells": {"cell": {
            "morphology": {"branches": branches}, "discretization": {"per_branch": 1},
            "regions": {"all": {"cm": "1 uF/cm2", "Ra": "100 ohm.cm"}, "soma": {"hh": HH},
                        "dend": membrane},
            "detector": {"at": "soma(0.5)", "threshold": "-10 mV"}}},
        "populations": {"ring": {"cell": "cell", "size": cells}},
        "projections": [{"from": f"ring[0:{last}]", "to": f"ring[1:{cells}]", **link},
                        {"from": f"ring[{last}]", "to": "ring[0]", **link}],
        "stimuli": [{"spikes": {"times": ["1 ms"]}, "to": f"ring[{i}]", "synapse": synapse,
                     "weight": "0.05 uS"} for i in range(0, cells, KICK_EVERY)],
        "record": [{"name": "spikes", "of": "ring"}]}


def busyring(cells, depth, duration, synapses=10, ring_size=4, min_delay=5):
    """busyring's simple cell: hh on the soma, passive dendrites, random trees.

    Rings are a list of pairs; connections without weight come from anywhere.
    Returns the model and the text of its pairs.csv."""
    pairs = ["source,target"]
    for cell in range(cells):
        start = cell // ring_size * ring_size
        size = min(ring_size, cells - start)
        pairs.append(f"{start + (cell - start + size - 1) % size},{cell}")
    first = {"expsyn": EXPSYN, "at": "soma(0.5)"}
    return {
        "hillock": 1, "run": run(duration),
        "cells": {"cell": {
            "morphology": {"random_tree": {
                "depth": depth, "branch_probability": [1, 0.5], "compartments": [20, 2],
                "length": ["200 um", "20 um"], "diameter": "1 um",
                "soma_length": "12.6157 um", "soma_diameter": "12.6157 um"}},
            "regions": {"all": {"cm": "1 uF/cm2", "Ra": "100 ohm.cm"}, "soma": {"hh": HH},
                        "dend": {"pas": {"g": "0.001 S/cm2", "e": "-70 mV"}}},
            "detector": {"at": "soma(0.5)", "threshold": "10 mV"}}},
        "populations": {"cells": {"cell": "cell", "size": cells}},
        "projections": [
            {"from": "cells", "to": "cells", "connect": {"list": {"csv": "pairs.csv"}},
             "synapse": first, "weight": "0.2 uS", "delay": f"{min_delay} ms"},
            {"from": "cells", "to": "cells",
             "connect": {"fixed_indegree": {"number": synapses - 1}, "autapses": False},
             "synapse": {"expsyn": EXPSYN, "at": "uniform(dend)"}, "weight": "0 uS",
             "delay": {"uniform": {"min": f"{min_delay} ms", "max": f"{3 * min_delay} ms"}}}],
        "stimuli": [{"spikes": {"times": ["1 ms"]}, "to": f"cells[{i}]", "synapse": first,
                     "weight": "0.2 uS"} for i in range(0, cells, ring_size)],
        "record": [{"name": "spikes", "of": "cells"}]}, "\n".join(pairs) + "\n"
