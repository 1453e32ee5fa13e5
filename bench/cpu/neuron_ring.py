#!/usr/bin/python3
"""NEURON's half of the ring: builds it, runs it, prints one line of JSON. Not here: our half (models.py).

A cell: a soma of 20 x 20 um with hh and a binary dendrite of 6 levels (30 um a branch, one
compartment each, diameter 3 um divided by 2^(2/3) a level, at least 0.6): 127 compartments.
ExpSyn (tau 2 ms) on the first dendrite, weight 0.05 uS, delay 5 ms, every sixteenth cell kicked once.
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

LEVELS, KICK_EVERY = 6, 16


def make_cell(dendrites):
    soma = h.Section(name="soma")
    soma.L = soma.diam = 20
    soma.insert("hh")
    sections, tips, diameter = [soma], [soma], 3.0
    for _ in range(LEVELS):
        children = []
        for parent in tips:
            for _ in range(2):
                child = h.Section(name=f"dend{len(sections) - 1}")
                child.connect(parent(1), 0)
                child.L, child.diam, child.nseg = 30, max(diameter, 0.6), 1
                if dendrites == "hh":
                    child.insert("hh")
                else:
                    child.insert("pas")
                    child.g_pas, child.e_pas = 0.001, -65
                children.append(child)
                sections.append(child)
        tips, diameter = children, diameter / 2 ** (2 / 3)
    for section in sections:
        section.Ra, section.cm = 100, 1
    return sections


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cells", type=int, default=64)
    parser.add_argument("--dendrites", choices=["hh", "pas"], default="hh")
    parser.add_argument("--duration", type=float, default=100)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--tables", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--mpi", action="store_true", help="a rank of several, under mpirun")
    options = parser.parse_args()
    h.load_file("stdrun.hoc")
    if options.mpi:
        h.nrnmpi_init()
    if hasattr(h, "usetable_hh"):  # PyPI's 8.2 has an hh that computes its rates
        h.usetable_hh = options.tables
    elif options.tables:
        print("neuron_ring: this NEURON's hh has no tables", file=sys.stderr)
    start = time.perf_counter()
    context = h.ParallelContext()
    ranks, rank = int(context.nhost()), int(context.id())
    cells = {i: make_cell(options.dendrites) for i in range(rank, options.cells, ranks)}
    synapses = {i: h.ExpSyn(sections[1](0.5)) for i, sections in cells.items()}
    for synapse in synapses.values():
        synapse.tau, synapse.e = 2, 0
    connections, kicks = [], []
    times, ids = h.Vector(), h.Vector()
    for i, sections in cells.items():
        context.set_gid2node(i, rank)
        detector = h.NetCon(sections[0](0.5)._ref_v, None, sec=sections[0])
        detector.threshold = -10
        context.cell(i, detector)
        context.threshold(i, -10)
        context.spike_record(i, times, ids)
    for i, synapse in synapses.items():
        connection = context.gid_connect((i - 1) % options.cells, synapse)
        connection.delay, connection.weight[0] = 5, 0.05
        connections.append(connection)
        if i % KICK_EVERY == 0:
            kick = h.NetCon(None, synapse)
            kick.weight[0], kick.delay = 0.05, 1  # threads need a delay; event() delivers at its time
            kicks.append(kick)
    context.nthread(options.threads)
    h.CVode().cache_efficient(1)
    context.set_maxstep(5)
    h.celsius, h.dt, h.steps_per_ms = 6.3, 0.025, 40
    handler = h.FInitializeHandler(lambda: [kick.event(1) for kick in kicks])
    setup = time.perf_counter() - start
    runs = []
    for _ in range(options.repeat):
        times.resize(0)
        h.finitialize(-65)
        start = time.perf_counter()
        context.barrier()
        context.psolve(options.duration)
        runs.append(context.allreduce(time.perf_counter() - start, 2))  # of all ranks the last
    del handler
    spikes = round(context.allreduce(times.size(), 1))
    if rank == 0:
        print(json.dumps({"program": f"NEURON {h.nrnversion(5)}", "setup_s": setup, "run_s": min(runs),
                          "compartments": 127 * options.cells, "cells": options.cells,
                          "steps": round(options.duration / h.dt), "spikes": spikes, "ranks": ranks}), flush=True)
    if options.mpi:
        context.barrier()
        h.quit()


if __name__ == "__main__":
    main()
