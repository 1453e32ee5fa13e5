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


# busyring's complex cell: the densities of Arbor's example, S/cm2, with the transient sodium current
# and the M current of Hodgkin-Huxley form in place of its Markov scheme and second version, so that
# both programs compute the same kinetics: {our name: (Arbor's name, soma, dendrites)}.
COMPLEX = {
    "nat": ("NaTs", 0.0499779, 0.0472215), "kv31": ("Kv3_1", 0.186718, 0.186859),
    "ih": ("Ih", 1.07608e-07, 9.18815e-06), "km": ("Im", None, 0.00132163),
    "sk": ("SK", 0.000733676, None), "cal": ("Ca_HVA", 9.96973e-05, None),
    "cat": ("Ca_LVA", 0.00344495, None)}
COMPLEX_POOL = {"gamma": 0.0177038, "decay": 42.2507}  # ms
COMPLEX_PASSIVE = [  # S/cm2, mV, uF/cm2, ohm.cm of soma and dendrites
    (0.000119174, -76.4024, 4.21567, 133.577), (9.57001e-05, -88.2554, 2.11248, 68.355)]


def complex_regions():
    regions = {"all": {"ions": {"na": {"e": "53 mV"}, "k": {"e": "-107 mV"}}}}
    for i, region in enumerate(("soma", "dend")):
        g, e, cm, Ra = COMPLEX_PASSIVE[i]
        regions[region] = {"cm": f"{cm} uF/cm2", "Ra": f"{Ra} ohm.cm",
                           "pas": {"g": f"{g} S/cm2", "e": f"{e} mV"}}
        for name, (_, *densities) in COMPLEX.items():
            if densities[i] is not None:
                regions[region][name] = {"gbar": f"{densities[i]} S/cm2"}
    regions["soma"]["capool"] = {"gamma": COMPLEX_POOL["gamma"], "decay": f"{COMPLEX_POOL['decay']} ms"}
    return regions


def busyring(cells, depth, duration, is_complex=False, synapses=10, ring_size=4, min_delay=5):
    """busyring's simple cell, hh on the soma and passive dendrites, or its complex one; random trees.

    Rings are a list of pairs; connections without weight come from anywhere.
    Returns the model and the text of its pairs.csv."""
    pairs = ["source,target"]
    for cell in range(cells):
        start = cell // ring_size * ring_size
        size = min(ring_size, cells - start)
        pairs.append(f"{start + (cell - start + size - 1) % size},{cell}")
    first = {"expsyn": EXPSYN, "at": "soma(0.5)"}
    simple = {"all": {"cm": "1 uF/cm2", "Ra": "100 ohm.cm"}, "soma": {"hh": HH},
              "dend": {"pas": {"g": "0.001 S/cm2", "e": "-70 mV"}}}
    hot = {"temperature": "34 degC", "v_init": "-90 mV"} if is_complex else {}
    return {
        "hillock": 1, "run": run(duration) | hot,
        "cells": {"cell": {
            "morphology": {"random_tree": {
                "depth": depth, "branch_probability": [1, 0.5], "compartments": [20, 2],
                "length": ["200 um", "20 um"], "diameter": "1 um",
                "soma_length": "12.6157 um", "soma_diameter": "12.6157 um"}},
            "regions": complex_regions() if is_complex else simple,
            "detector": {"at": "soma(0.5)", "threshold": "-20 mV" if is_complex else "10 mV"}}},
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
