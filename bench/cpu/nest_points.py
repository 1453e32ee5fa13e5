#!/usr/bin/env python3
"""NEST's runs for points.py, one a process: nest_points.py CASE MS THREADS SEED prints {"seconds", "spikes"}. Counts the
loop alone (nest.Run), after a first stretch of 10 ms in which NEST lays out its connections: processor time with one
thread, else that of a clock on the wall."""

import functools
import json
import pathlib
import sys
import time

WARM_UP_MS = 10


def izhikevich(nest, uniform):
    """Published numerics, 1 ms. Weights are currents in pA, which the model takes as plain numbers."""
    nest.resolution = 1.0
    neurons = nest.Create("izhikevich", 2500, {"consistent_integration": False, "V_m": -65.0})
    exc, inh = neurons[:2000], neurons[2000:]
    r = [uniform() for _ in range(2500)]
    exc.set([{"a": 0.02, "b": 0.2, "c": -65 + 15*x*x, "d": 8 - 6*x*x} for x in r[:2000]])
    inh.set([{"a": 0.02 + 0.08*x, "b": 0.25 - 0.05*x, "c": -65.0, "d": 2.0} for x in r[2000:]])
    neurons.set([{"U_m": -65*b} for b in neurons.get("b")])
    out = {"rule": "fixed_outdegree", "outdegree": 1000, "allow_multapses": False}
    for source, sd, low, high in ((exc, 5.0, 0.0, 0.5), (inh, 2.0, -1.0, 0.0)):
        noise = nest.Create("noise_generator", params={"mean": 0.0, "std": sd, "dt": 1.0})
        nest.Connect(noise, source)
        nest.Connect(source, neurons, out, {"weight": nest.random.uniform(low, high), "delay": 1.0})
    return neurons


def coba(nest, uniform):
    """iaf_cond_exp, which NEST integrates by an adaptive Runge-Kutta method within each step of 0.1 ms."""
    nest.resolution = 0.1
    neurons = nest.Create("iaf_cond_exp", 4000, {
        "C_m": 200.0, "g_L": 10.0, "E_L": -49.0, "V_th": -50.0, "V_reset": -60.0, "t_ref": 5.0, "E_ex": 0.0,
        "E_in": -80.0, "tau_syn_ex": 5.0, "tau_syn_in": 10.0})
    neurons.set([{"V_m": -60 + 10*uniform()} for _ in range(4000)])
    some = {"rule": "pairwise_bernoulli", "p": 0.02}
    nest.Connect(neurons[:3200], neurons, some, {"weight": 6.0, "delay": 0.1})
    nest.Connect(neurons[3200:], neurons, some, {"weight": -67.0, "delay": 0.1})
    return neurons


def microcircuit(nest, scale):
    """The cortical microcircuit of examples/microcircuit/make.py, a part of its neurons and of the synapses of each."""
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples/microcircuit"))
    import make
    nest.resolution = 0.1
    numbers, factor, populations = make.synapse_numbers(), scale**-0.5, []
    for t, size in enumerate(make.SIZES):
        some = nest.Create("iaf_psc_exp", max(1, round(size * scale)), {
            "tau_m": 10.0, "C_m": 250.0, "t_ref": 2.0, "E_L": -65.0, "V_th": -50.0, "V_reset": -65.0,
            "tau_syn_ex": make.TAU_SYN_MS, "tau_syn_in": make.TAU_SYN_MS,
            "I_e": make.lacking_current_pA(t, numbers, scale)})
        some.V_m = nest.random.normal(-58.0, 10.0)
        outside = nest.Create("poisson_generator", params={"rate": make.OUTSIDE[t] * scale * make.OUTSIDE_HZ})
        nest.Connect(outside, some, syn_spec={"weight": make.WEIGHT_PA * factor, "delay": 1.5})
        populations.append(some)
    for t, target in enumerate(make.POPULATIONS):
        for s, source in enumerate(make.POPULATIONS):
            number, weight = round(numbers[t][s] * scale * scale), make.weight_pA(target, source) * factor
            if number == 0:
                continue
            low, high = sorted((0, 20 * weight))
            mean_ms, sd_ms = make.DELAYS_MS[source[-1]]
            nest.Connect(populations[s], populations[t], {"rule": "fixed_total_number", "N": number}, {
                "weight": nest.math.redraw(nest.random.normal(weight, abs(weight) * make.WEIGHT_SD), low, high),
                "delay": nest.math.redraw(nest.random.normal(mean_ms, sd_ms), 0.1 - 0.05, 20.0)})
    return functools.reduce(lambda a, b: a + b, populations)


def main():
    case, duration_ms, threads, seed = sys.argv[1], *map(float, sys.argv[2:5])
    import random

    import nest
    nest.set_verbosity("M_ERROR")
    nest.ResetKernel()
    nest.local_num_threads = int(threads)
    nest.rng_seed = int(seed)
    if case.startswith("microcircuit"):  # or a part of it: microcircuit:0.1
        neurons = microcircuit(nest, float(case.partition(":")[2] or 1))
    else:
        neurons = {"izhikevich": izhikevich, "coba": coba}[case](nest, random.Random(seed).random)
    recorder = nest.Create("spike_recorder")
    nest.Connect(neurons, recorder)
    nest.Prepare()
    nest.Run(WARM_UP_MS)
    clock = time.process_time if threads == 1 else time.perf_counter
    before = clock()
    nest.Run(duration_ms)
    seconds = clock() - before
    nest.Cleanup()
    print(json.dumps({"seconds": seconds, "spikes": recorder.n_events}))


if __name__ == "__main__":
    main()
