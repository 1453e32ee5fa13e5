#!/usr/bin/env python3
"""Question: how many times as fast as Brian2's C++ standalone are networks of point neurons, and NEST's beside it, on one
thread and on all, in turns?

izhikevich: the library's network (2,500 neurons, 2.5e6 synapses) in its balanced regime, dt 1 ms, in all by the
published two half steps and one whole.
coba: leaky neurons with conductances, after benchmark 1 of Brette et al. 2007 (4,000 neurons, p 0.02, dt 0.1 ms), whose
leak reverses at -49 mV, so that they go on by themselves. Hillock integrates to second order, Brian2 by exponential
Euler, which is of first, NEST by an adaptive Runge-Kutta method, which takes longer and is the most exact.

Run it by a Python that has brian2 (pip install brian2 "numpy<2") and, to have NEST in it, nest (pip install
nest-simulator), which runs a tenth as long, its seconds and spikes taken ten times; beside_brian.py and nest_points.py
say what is counted. Without brian2, on a machine that has g++: --programs names a folder that --write filled elsewhere.
Prints seconds, spikes and the ratio to Brian2 of the best and of the median of --repeat turns."""

import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import beside_brian
import builds
from needs import Needs

IZHIKEVICH_STEP = """
i_now = drive*randn() + i_syn
v += 0.5*(0.04*v*v + 5*v + 140 - u + i_now)
v += 0.5*(0.04*v*v + 5*v + 140 - u + i_now)
u += a*(b*v - u)
i_syn = 0
"""
COBA = """
dv/dt = (ge*(0*mV - v) + gi*(-80*mV - v) - (v + 49*mV))/(20*ms) : volt (unless refractory)
dge/dt = -ge/(5*ms) : 1
dgi/dt = -gi/(10*ms) : 1
"""
COBA_MODEL = """
cells:
  leaky:
    iaf_cond_exp: {C_m: 200 pF, g_L: 10 nS, E_L: -49 mV, V_th: -50 mV, V_reset: -60 mV, t_ref: 5 ms, E_ex: 0 mV,
                   E_in: -80 mV, tau_syn_ex: 5 ms, tau_syn_in: 10 ms, V_init: "-60 mV + 10 mV * r"}
populations: {exc: {cell: leaky, size: 3200}, inh: {cell: leaky, size: 800}}
projections:
  - {from: exc, to: exc, connect: {pairwise_bernoulli: 0.02}, weight: 6 nS, delay: 0.1 ms}
  - {from: exc, to: inh, connect: {pairwise_bernoulli: 0.02}, weight: 6 nS, delay: 0.1 ms}
  - {from: inh, to: exc, connect: {pairwise_bernoulli: 0.02}, weight: -67 nS, delay: 0.1 ms}
  - {from: inh, to: inh, connect: {pairwise_bernoulli: 0.02}, weight: -67 nS, delay: 0.1 ms}
record: [{name: exc, of: exc}, {name: inh, of: inh}]
"""


def izhikevich(brian2, duration_ms, seed):
    """The library's network, with connections of its own."""
    import numpy
    draws = numpy.random.default_rng(seed)
    size, exc, out = 2500, 2000, 1000
    neurons = brian2.NeuronGroup(size, "v : 1\nu : 1\na : 1\nb : 1\nc : 1\nd : 1\ndrive : 1\ni_syn : 1", threshold="v >= 30",
                                 reset="v = c\nu += d")
    r, excites = draws.random(size), numpy.arange(size) < exc
    neurons.a = numpy.where(excites, 0.02, 0.02 + 0.08*r)
    neurons.b = numpy.where(excites, 0.2, 0.25 - 0.05*r)
    neurons.c = numpy.where(excites, -65 + 15*r*r, -65)
    neurons.d = numpy.where(excites, 8 - 6*r*r, 2)
    neurons.drive = numpy.where(excites, 5, 2)
    neurons.v = -65
    neurons.u = "b*v"
    neurons.run_regularly(IZHIKEVICH_STEP, dt=1*brian2.ms, when="groups")
    synapses = brian2.Synapses(neurons, neurons, "w : 1", on_pre="i_syn += w", delay=1*brian2.ms)
    targets = numpy.concatenate([draws.permutation(size)[:out] for _ in range(size)])
    sources = numpy.repeat(numpy.arange(size), out)
    synapses.connect(i=sources, j=targets)
    synapses.w = draws.random(size*out)*numpy.where(sources < exc, 0.5, -1)
    spikes = brian2.SpikeMonitor(neurons)
    brian2.Network(neurons, synapses, spikes).run(duration_ms*brian2.ms)


def coba(brian2, duration_ms, _):
    from brian2 import mV, ms
    neurons = brian2.NeuronGroup(4000, COBA, threshold="v > -50*mV", reset="v = -60*mV", refractory=5*ms,
                                 method="exponential_euler")
    neurons.v = "-60*mV + 10*mV*rand()"
    parts = [neurons]
    for source, effect in ((neurons[:3200], "ge += 0.6"), (neurons[3200:], "gi += 6.7")):
        synapses = brian2.Synapses(source, neurons, on_pre=effect, delay=0.1*ms)
        synapses.connect(p=0.02)
        parts.append(synapses)
    brian2.Network(*parts, brian2.SpikeMonitor(neurons)).run(duration_ms*ms)


def izhikevich_model(duration_ms):
    text = (builds.ROOT / "examples/izhikevich/balanced.yaml").read_text()
    run = f"run: {{duration: {duration_ms:g} ms, dt: 1 ms, seed: 1}}"
    return text.replace("run: {duration: 1000 ms, dt: 1 ms, seed: 1}", run).split("\nrecord:")[0] + \
        "\nrecord: [{name: spikes, of: p}]\n"


def coba_model(duration_ms):
    return f"hillock: 1\nrun: {{duration: {duration_ms:g} ms, dt: 0.1 ms, seed: 1}}\n{COBA_MODEL}"


def run_nest(name, duration_ms, threads, seed):
    """(seconds of the loop, spikes), of which a tenth of the duration tells."""
    command = [sys.executable, builds.HERE / "nest_points.py", name, str(duration_ms/10), str(threads), str(seed)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found = json.loads(done.stdout.splitlines()[-1])
    return 10*found["seconds"], 10*found["spikes"]


CASES = {"izhikevich": (izhikevich, izhikevich_model, 1, 10000), "coba": (coba, coba_model, 0.1, 2000)}


def written(folder, name, duration_ms, seed, threads):
    network, _, dt_ms, _ = CASES[name]
    return beside_brian.written(folder, lambda brian2: network(brian2, duration_ms, seed), dt_ms, seed, threads)


def write(options):
    for name, (_, _, _, usual_ms) in CASES.items():
        for threads in options.threads:
            if options.only in (None, name):
                written(options.write / f"{name}_{threads}", name, options.duration or usual_ms, options.seed, threads)


def main():
    parser = builds.parser_of(__doc__)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--duration", type=float, help="ms (default: 10000 of izhikevich, 2000 of coba)")
    parser.add_argument("--seed", type=int, default=1, help="of Brian2's draws")
    parser.add_argument("--only", choices=CASES)
    parser.add_argument("--threads", type=int, nargs="+", default=sorted({1, os.cpu_count()}))
    parser.add_argument("--without-nest", action="store_true")
    parser.add_argument("--write", type=pathlib.Path, help="a folder for Brian2's programs; runs nothing")
    parser.add_argument("--programs", type=pathlib.Path, help="such a folder")
    options = parser.parse_args()
    if not options.programs:
        Needs().modules("brian2").check()
    if options.write:
        return write(options)
    programs = builds.programs_of(options)
    has_nest = importlib.util.find_spec("nest") is not None and not options.without_nest
    if not has_nest:
        print("Without NEST (pip install nest-simulator)")
    for name, (_, model, _, usual_ms) in CASES.items():
        if options.only not in (None, name):
            continue
        duration_ms = options.duration or usual_ms
        for threads in options.threads:
            with tempfile.TemporaryDirectory() as scratch:
                scratch = pathlib.Path(scratch)
                path = scratch / f"{name}.yaml"
                path.write_text(model(duration_ms))
                theirs = options.programs / f"{name}_{threads}" if options.programs else \
                    written(scratch / "brian", name, duration_ms, options.seed, threads)
                beside_brian.compiled(theirs)
                others = {"NEST": lambda: run_nest(name, duration_ms, threads, options.seed)} if has_nest else {}
                beside_brian.compare(f"{name}, {duration_ms:g} ms", theirs, path, programs, options.repeat, threads,
                                     others)


if __name__ == "__main__":
    sys.exit(main())
