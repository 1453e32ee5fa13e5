#!/usr/bin/env python3
"""Question: what does a session of NEURON gain when Hillock runs it, and what does taking it over cost?

Cells of Hodgkin–Huxley somata with passive dendrites excite each other, and noise goes to all; NEURON and Hillock run
the same session in one process, in turns. Seconds of psolve, taking over and giving back included, and of a psolve of
two steps, which is what each call costs: of one step NEURON does all.

    bench/cpu/neuron_session.py [--cells N] [--segments N] [--connections N] [--ms N] [--times N] [--engines E ...]
                                [--neuron-threads N]

An engine is cpu/THREADS, or cuda. The package hillock and NEURON are on the path.
"""

import argparse
import random
import statistics
import time

import hillock.neuron
from neuron import coreneuron, h

SHOTS = 16  # of each noise: so many a GPU has room for


class Owner:
    def __init__(self, number):
        self.number = number

    def __str__(self):
        return f"Cell[{self.number}]"


def build(options):
    """(NetStims, somata, whatever must live)"""
    draws, owners = random.Random(3), [Owner(number) for number in range(options.cells)]
    somas, synapses, kept, noises = [], [], [], []
    for owner in owners:
        soma = h.Section(name="soma", cell=owner)
        soma.L = soma.diam = 20
        soma.insert("hh")
        somas.append(soma)
        for i in range(4):
            dend = h.Section(name=f"dend[{i}]", cell=owner)
            dend.L, dend.diam, dend.nseg = 150 + 20 * i, 1.5, max(1, options.segments // 4)
            dend.insert("pas")
            dend.connect(soma(i % 2))
            kept.append(dend)
        synapses.append(h.ExpSyn(kept[-1](0.1)))
    for soma in somas:
        for _ in range(options.connections):
            kept.append(h.NetCon(soma(0.5)._ref_v, draws.choice(synapses), sec=soma))
            kept[-1].threshold, kept[-1].delay, kept[-1].weight[0] = 0, 1 + draws.random(), 0.06 / options.connections
    for synapse in synapses:
        noises.append(h.NetStim())
        noises[-1].start, noises[-1].interval, noises[-1].number, noises[-1].noise = 1, options.ms / SHOTS, SHOTS, 1
        kept.append(h.NetCon(noises[-1], synapse))
        kept[-1].weight[0] = 0.2
    return noises, somas, [owners, synapses, kept]


def solve(noises, until, engine):
    """Seconds; engine: (backend, threads), or None of NEURON."""
    if engine:
        hillock.neuron.enable(backend=engine[0], threads=engine[1])
    coreneuron.enable = False
    for number, noise in enumerate(noises):
        noise.noiseFromRandom123(number, 1, 2)
    h.stdinit()
    coreneuron.enable = engine is not None
    begun = time.perf_counter()
    h.ParallelContext().psolve(until)
    coreneuron.enable = False
    return time.perf_counter() - begun


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cells", type=int, default=1000)
    parser.add_argument("--segments", type=int, default=60)
    parser.add_argument("--connections", type=int, default=10)
    parser.add_argument("--ms", type=float, default=100)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--engines", nargs="+", default=["cpu/1", "cpu/2"])
    parser.add_argument("--neuron-threads", type=int, default=1)
    options = parser.parse_args()
    h.load_file("stdrun.hoc")
    hillock.neuron.enable()
    noises, somas, _kept = build(options)
    spikes, gids = h.Vector(), h.Vector()
    context = h.ParallelContext()
    for number, soma in enumerate(somas):
        context.set_gid2node(number, 0)
        context.cell(number, h.NetCon(soma(0.5)._ref_v, None, sec=soma))
    context.spike_record(-1, spikes, gids)
    context.set_maxstep(1)
    context.nthread(options.neuron_threads)
    engines = {"NEURON": None}
    for name in options.engines:
        backend, _, threads = name.partition("/")
        engines[name] = backend, int(threads) if threads else None
    seconds, seen = {name: ([], []) for name in engines}, {}
    for engine in engines.values():  # compiles, and lays out
        solve(noises, 2 * h.dt, engine)
    for _ in range(options.times):
        for name, engine in engines.items():
            seconds[name][1].append(solve(noises, 2 * h.dt, engine))
            spikes.resize(0)
            gids.resize(0)
            seconds[name][0].append(solve(noises, options.ms, engine))
            seen[name] = sorted(zip(map(round, spikes.as_numpy() / h.dt), gids))
    print(f"{options.cells} cells of {1 + 4 * max(1, options.segments // 4)} compartments, "
          f"{len(h.List('NetCon'))} NetCons, {options.ms:g} ms, medians of {options.times}, "
          f"NEURON's threads: {options.neuron_threads}\n"
          "engine      seconds   NEURON's over it   two steps   spikes")
    whole = statistics.median(seconds["NEURON"][0])
    for name, (all_of_it, step) in seconds.items():
        own = statistics.median(all_of_it)
        print(f"{name:10} {own:8.2f}   {whole / own:16.2f}   {statistics.median(step):9.2f}   "
              f"{len(seen[name])}{'' if seen[name] == seen['NEURON'] else ', others than NEURON has'}", flush=True)


if __name__ == "__main__":
    main()
