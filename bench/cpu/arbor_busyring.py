#!/usr/bin/env python3
"""Arbor's half of busyring: builds it, runs it, prints one line of JSON.

Morphologies are grown as in models/random_tree.cpp but from Python's generator, so single trees
differ from ours and their distribution does not. Cell descriptions are made before the set-up is
timed: what Python takes for them is not Arbor's.
"""

import argparse
import json
import pathlib
import random
import resource
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from needs import Needs  # noqa: E402

Needs().modules("arbor").check()
import arbor as A  # noqa: E402
from arbor import units as U  # noqa: E402

from models import COMPLEX, COMPLEX_PASSIVE, COMPLEX_POOL


def between(first, last, level, depth):
    return first + (last - first) * level / max(1, depth - 1)


def grow(seed, depth):
    """(segment tree, how many compartments) of one cell."""
    draw = random.Random(seed)
    tree = A.segment_tree()
    radius = 12.6157 / 2
    soma = tree.append(A.mnpos, A.mpoint(0, 0, 0, radius), A.mpoint(12.6157, 0, 0, radius), tag=1)
    count, tips, x0 = 1, [(soma, 12.6157)], 12.6157
    for level in range(depth):
        probability = between(1, 0.5, level, depth)
        length = between(200, 20, level, depth)
        pieces = round(between(20, 2, level, depth))
        children = []
        for tip, x in tips:
            for _ in range(2):
                if draw.random() >= probability:
                    continue
                last = tip
                for k in range(pieces):
                    last = tree.append(last, A.mpoint(x + k * length / pieces, 0, 0, 0.5),
                                       A.mpoint(x + (k + 1) * length / pieces, 0, 0, 0.5), tag=3)
                count += pieces
                children.append((last, x + length))
        tips = children
    return tree, count


def simple_decor():
    decor = A.decor()
    decor.set_property(Vm=-65 * U.mV, cm=0.01 * U.F / U.m2, rL=100 * U.Ohm * U.cm,
                       tempK=279.45 * U.Kelvin)
    decor.paint('"soma"', A.density("hh"))
    decor.paint('"dend"', A.density("pas/e=-70", g=0.001))
    return decor


def complex_decor():
    decor = A.decor()
    decor.set_property(Vm=-90 * U.mV, tempK=307.15 * U.Kelvin)
    decor.set_ion("na", rev_pot=53 * U.mV)
    decor.set_ion("k", rev_pot=-107 * U.mV)
    for i, region in enumerate(('"soma"', '"dend"')):
        g, e, cm, Ra = COMPLEX_PASSIVE[i]
        decor.paint(region, cm=cm / 100 * U.F / U.m2, rL=Ra * U.Ohm * U.cm)
        decor.paint(region, A.density(f"pas/e={e}", g=g))
        for name, *densities in COMPLEX.values():
            if densities[i] is not None:
                decor.paint(region, A.density(name, gbar=densities[i]))
    decor.paint('"soma"', A.density("CaDynamics", **COMPLEX_POOL))
    return decor


class Busyring(A.recipe):
    def __init__(self, options):
        A.recipe.__init__(self)
        self.o = options
        self.count = 0
        self.cells, self.links = [], []
        draw = random.Random(7)
        for gid in range(options.cells):
            tree, count = grow(gid, options.depth)
            self.count += count
            decor = complex_decor() if options.complex else simple_decor()
            decor.place("(location 0 0.5)", A.synapse("expsyn", {"tau": 2}), "primary_syn")
            for k in range(options.synapses - 1):
                decor.place(f"(uniform (tag 3) {k} {k} {gid})", A.synapse("expsyn", {"tau": 2}), f"s{k}")
            decor.place("(location 0 0.5)", A.threshold_detector((-20 if options.complex else 10) * U.mV), "detector")
            labels = A.label_dict({"soma": "(tag 1)", "dend": "(tag 3)"})
            self.cells.append(A.cable_cell(tree, decor, labels, A.cv_policy_every_segment()))
            ring = gid // options.ring * options.ring
            group = min(options.ring, options.cells - ring)
            links = [A.connection((ring + (gid - ring + group - 1) % group, "detector"),
                                  "primary_syn", 0.2, options.min_delay * U.ms)]
            for k in range(options.synapses - 1):
                source = draw.randrange(options.cells - 1)
                source += source >= gid
                delay = options.min_delay * (1 + 2 * draw.random())
                links.append(A.connection((source, "detector"), f"s{k}", 0, delay * U.ms))
            self.links.append(links)
        self.properties = A.neuron_cable_properties()
        self.properties.catalogue = A.default_catalogue()
        if options.complex:
            self.properties.catalogue.extend(A.allen_catalogue(), "")
            self.properties.set_ion("ca", method="nernst/ca")

    def num_cells(self):
        return self.o.cells

    def cell_kind(self, gid):
        return A.cell_kind.cable

    def cell_description(self, gid):
        return self.cells[gid]

    def connections_on(self, gid):
        return self.links[gid]

    def event_generators(self, gid):
        if gid % self.o.ring:
            return []
        return [A.event_generator("primary_syn", 0.2, A.explicit_schedule([1 * U.ms]))]

    def global_properties(self, kind):
        return self.properties


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cells", type=int, default=1000)
    parser.add_argument("--depth", type=int, default=5)
    parser.add_argument("--synapses", type=int, default=10)
    parser.add_argument("--ring", type=int, default=4)
    parser.add_argument("--min-delay", type=float, default=5)
    parser.add_argument("--duration", type=float, default=50)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--complex", action="store_true")
    parser.add_argument("--group-size", type=int, default=1)
    options = parser.parse_args()
    recipe = Busyring(options)
    before_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    context = A.context(threads=options.threads)
    start = time.perf_counter()
    hint = A.partition_hint(cpu_group_size=options.group_size)
    parts = A.partition_load_balance(recipe, context, {A.cell_kind.cable: hint})
    simulation = A.simulation(recipe, context, parts)
    setup = time.perf_counter() - start
    simulation.record(A.spike_recording.all)
    start = time.perf_counter()
    if options.duration > 0:
        simulation.run(options.duration * U.ms, 0.025 * U.ms)
    run = time.perf_counter() - start
    config = A.config()
    peak_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"program": f"Arbor {A.__version__} ({config['arch']}, "
                                 f"vectorize {config['vectorize']})",
                      "setup_s": setup, "run_s": run, "compartments": recipe.count,
                      "cells": options.cells, "steps": round(options.duration / 0.025),
                      "spikes": len(simulation.spikes()), "peak_MB": peak_kb / 1024,
                      "peak_above_descriptions_MB": (peak_kb - before_kb) / 1024}))


if __name__ == "__main__":
    main()
