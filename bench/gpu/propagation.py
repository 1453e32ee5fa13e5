#!/usr/bin/env python3
"""Question: how long does a step of the network of Kasap and van Opstal (2018, Neurocomputing 302:55) take on a GPU with
each way of bringing spikes to synapses, over neurons and synapses a neuron, in each of its regimes? Their figures 5, 6
and 7.

A network is built once. In it the regimes come one after the other; in each the first --settle ms are left out, and
then the ways take turns, epoch by epoch, so that all of them meet the same activity (run.propagation: [...]; epochs of
--turn ms, --rounds of each). Weights are scaled by 1000 / S. The times are the device's own, of the kernels of an epoch
from its first to its last step; nothing is recorded. N, S and AP are the paper's algorithms, AP/block starts a grid for
the spikes of a block of threads, the queue is what run.propagation: auto takes.

    us         a step
    spikes/ms  spikes passed a ms of the device's time: the paper's throughput
    best       the fastest of the paper's three over the queue"""

import time

import runs

NEURONS = (2500, 10000, 25000, 50000, 100000, 250000, 500000)
SYNAPSES = (256, 512, 1000, 2000, 4096, 8192)
REGIMES = {"quiet": (2.5, 1), "balanced": (5, 2), "irregular": (7.5, 3)}  # sd of the drive: excitatory, inhibitory
WAYS = {"neurons": "N", "synapses": "S", "spikes": "AP", "spike_blocks": "AP/block", "queue": "queue"}
PUBLISHED = ("neurons", "synapses", "spikes")


def regime_length(options):
    """ms: what is left out, and then the others in turns with the queue."""
    return options.settle + options.rounds * 2 * (len(WAYS) - 1) * options.turn


def model_of(neurons, options):
    length = regime_length(options)
    turns = ["queue"] * (options.settle // options.turn)
    turns += [way for _ in range(options.rounds) for other in WAYS if other != "queue" for way in ("queue", other)]
    stimuli = [{"gaussian": {"sd": f"index < {neurons * 4 // 5} ? {sd_exc} : {sd_inh}", "start": f"{number * length} ms",
                             "stop": f"{(number + 1) * length} ms"}, "to": "p"}
               for number, (sd_exc, sd_inh) in enumerate(REGIMES.values())]
    return {"hillock": 1, "include": "library:izhikevich_network", "stimuli": stimuli,
            "run": {"duration": f"{len(REGIMES) * length} ms", "dt": "1 ms", "seed": options.seed, "propagation": turns}}


def sizes(neurons, synapses):
    """What is set of the library's network."""
    exc, scale = neurons * 4 // 5, 1000 / synapses
    settings = {"populations.p.size": neurons, "projections.0.from": f"p[0:{exc}]", "projections.1.from": f"p[{exc}:]",
                "projections.0.weight.uniform.max": 0.5 * scale, "projections.1.weight.uniform.min": -scale}
    settings |= {f"projections.{number}.connect.fixed_outdegree": synapses for number in (0, 1)}
    return [word for path, value in settings.items() for word in ("--set", f"{path}={value}")]


def of_regime(turns, begin_ms, options):
    """{way: (ms, spikes, s)} after what is left out."""
    found = {way: [0, 0, 0] for way in WAYS}
    for turn in turns:
        if begin_ms + options.settle <= turn["from_ms"] and turn["to_ms"] <= begin_ms + regime_length(options):
            for part, value in enumerate((turn["to_ms"] - turn["from_ms"], turn["spikes"], turn["device_s"])):
                found[turn["way"]][part] += value
    return found


def main():
    parser = runs.parser_of(__doc__, 0)
    parser.add_argument("--settle", type=int, default=400, help="ms of each regime that are left out")
    parser.add_argument("--turn", type=int, default=25, help="ms of an epoch")
    parser.add_argument("--rounds", type=int, default=4, help="turns of each way in a regime")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--neurons", type=int, nargs="+", default=NEURONS)
    parser.add_argument("--synapses", type=int, nargs="+", default=SYNAPSES)
    parser.add_argument("--most", type=float, default=1.1e9, help="synapses of a network, which all lie on the host first")
    options = runs.options_of(parser)
    rows, failures, begin = runs.Rows("propagation", options), 0, time.monotonic()
    print(f"{'neurons':>8}{'S':>6}  {'regime':<10}{'spikes/step':>12}" +
          "".join(f"{word:>10}" for word in WAYS.values()) + f"{'best':>8}")
    with runs.Models(options) as scratch:
        for synapses in options.synapses:
            for neurons in options.neurons:
                if synapses > neurons or synapses * neurons > options.most:
                    continue
                path = scratch.write(model_of(neurons, options))
                try:
                    told = scratch.run(path, *sizes(neurons, synapses), "--epoch-steps", str(options.turn))
                    if "propagation_turns" not in told:
                        raise runs.Failed(f"ran on {told['backend']}, where spikes are not passed so")
                except runs.Failed as why:
                    print(f"{neurons:>8}{synapses:>6}: {why}", flush=True)
                    failures += 1
                    continue
                for number, regime in enumerate(REGIMES):
                    found = of_regime(told["propagation_turns"], number * regime_length(options), options)
                    us = {way: seconds / ms * 1e6 for way, (ms, _, seconds) in found.items()}
                    best = min(us[way] for way in PUBLISHED) / us["queue"]
                    steps, spikes, _ = map(sum, zip(*found.values()))
                    print(f"{neurons:>8}{synapses:>6}  {regime:<10}{spikes / steps:>12.1f}" +
                          "".join(f"{us[way]:>10.1f}" for way in WAYS) + f"{best:>8.2f}", flush=True)
                    for way, (ms, some, seconds) in found.items():
                        rows.add(told, neurons=neurons, synapses=synapses, regime=regime, way=way, us=us[way],
                                 spikes_per_step=some / ms, spikes_per_ms=some / seconds * 1e-3,
                                 build_s=told["timings_s"]["build"])
    print(f"{time.monotonic() - begin:.0f} s in all")
    runs.end(failures)


if __name__ == "__main__":
    main()
