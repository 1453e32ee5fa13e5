#!/usr/bin/env python3
"""Writes the model of the cortical microcircuit of Potjans and Diesmann (2014), Cereb. Cortex 24:785-806: the neurons
and synapses under 1 mm2 of early sensory cortex, or some part of them.

    examples/microcircuit/make.py --scale 0.1 > microcircuit.yaml
    hillock run microcircuit.yaml

At the full scale these are 77169 neurons and 0.3e9 synapses. --scale makes fewer neurons, --indegrees fewer synapses a
neuron. With fewer synapses weights grow by the inverse square root, and a constant current stands for the mean of
what is lacking, so that means and variances of inputs stay (van Albada et al. 2015, PLoS Comput. Biol. 11:e1004490);
--uncompensated leaves both as they are.

--columns makes several such columns, C0_L23E and so on. Of the synapses that a neuron has from outside, --among of them
are then from the layer 5 excitatory neurons of the other columns, which fire at about the 8 Hz of those outside."""

import argparse
import math
import sys

POPULATIONS = ["L23E", "L23I", "L4E", "L4I", "L5E", "L5I", "L6E", "L6I"]
SIZES = [20683, 5834, 21915, 5479, 4850, 1065, 14395, 2948]
# [target][source] that a pair is connected at least once (table 5 of the paper)
PROBABILITIES = [[0.1009, 0.1689, 0.0437, 0.0818, 0.0323, 0.0, 0.0076, 0.0],
                 [0.1346, 0.1371, 0.0316, 0.0515, 0.0755, 0.0, 0.0042, 0.0],
                 [0.0077, 0.0059, 0.0497, 0.135, 0.0067, 0.0003, 0.0453, 0.0],
                 [0.0691, 0.0029, 0.0794, 0.1597, 0.0033, 0.0, 0.1057, 0.0],
                 [0.1004, 0.0622, 0.0505, 0.0057, 0.0831, 0.3726, 0.0204, 0.0],
                 [0.0548, 0.0269, 0.0257, 0.0022, 0.06, 0.3158, 0.0086, 0.0],
                 [0.0156, 0.0066, 0.0211, 0.0166, 0.0572, 0.0197, 0.0396, 0.2252],
                 [0.0364, 0.001, 0.0034, 0.0005, 0.0277, 0.008, 0.0658, 0.1443]]
OUTSIDE = [1600, 1500, 2100, 1900, 2000, 1900, 2900, 2100]  # synapses a neuron from outside
OUTSIDE_HZ = 8
# Of the whole network, for the current that stands for lacking synapses.
RATES_HZ = [0.971, 2.868, 4.746, 5.396, 8.142, 9.078, 0.991, 7.523]
WEIGHT_PA, WEIGHT_SD, INHIBITION = 87.81, 0.1, -4
DELAYS_MS = {"E": (1.5, 0.75), "I": (0.75, 0.375)}
DELAY_AMONG_COLUMNS_MS = (3, 1.5)
FROM_OTHER_COLUMNS = "L5E"
TAU_SYN_MS = 0.5


def weight_pA(target, source):
    if source.endswith("I"):
        return INHIBITION * WEIGHT_PA
    return 2 * WEIGHT_PA if (target, source) == ("L23E", "L4E") else WEIGHT_PA


def synapse_numbers():
    """[target][source] of the whole network"""
    return [[math.log(1 - p) / math.log(1 - 1 / (SIZES[s] * SIZES[t])) if p > 0 else 0 for s, p in enumerate(row)]
            for t, row in enumerate(PROBABILITIES)]


def lacking_current_pA(t, numbers, indegrees):
    """The mean current of the synapses that a neuron lacks, but for what stronger weights make up."""
    weighted_Hz = WEIGHT_PA * OUTSIDE[t] * OUTSIDE_HZ
    for s, source in enumerate(POPULATIONS):
        weighted_Hz += weight_pA(POPULATIONS[t], source) * numbers[t][s] / SIZES[t] * RATES_HZ[s]
    return (1 - math.sqrt(indegrees)) * TAU_SYN_MS * 1e-3 * weighted_Hz


def projection(target, source, number, weight, delays_ms, least_ms):
    # Draws of the other sign are drawn again.
    low, high = (0, 20 * weight) if weight > 0 else (20 * weight, 0)
    mean_ms, sd_ms = delays_ms
    return (f"  - {{from: {source}, to: {target}, connect: {{fixed_total_number: {number}, autapses: true,"
            f" multapses: true}},\n"
            f"     weight: {{truncated: {{normal: {{mean: {weight:.10g} pA, sd: {abs(weight) * WEIGHT_SD:.10g} pA}},"
            f" min: {low:.10g} pA, max: {high:.10g} pA}}}},\n"
            f"     delay: {{truncated: {{normal: {{mean: {mean_ms} ms, sd: {sd_ms} ms}}, min: {least_ms} ms, max: 20 ms}}}}}}")


def within_a_column(column, scale, indegrees, factor):
    numbers = synapse_numbers()
    for t, target in enumerate(POPULATIONS):
        for s, source in enumerate(POPULATIONS):
            number = round(numbers[t][s] * scale * indegrees)
            if number > 0:
                yield projection(column + target, column + source, number, weight_pA(target, source) * factor,
                                 DELAYS_MS[source[-1]], 0.1)


def among_columns(columns, among, scale, indegrees, factor):
    for target_column in columns:
        for t, target in enumerate(POPULATIONS):
            number = round(among * OUTSIDE[t] * SIZES[t] * scale * indegrees / max(1, len(columns) - 1))
            for source_column in columns:
                if source_column != target_column and number > 0:
                    yield projection(target_column + target, source_column + FROM_OTHER_COLUMNS, number,
                                     WEIGHT_PA * factor, DELAY_AMONG_COLUMNS_MS, 1)


def model(scale, indegrees, compensated, duration_ms, seed, columns=1, among=0.1):
    numbers = synapse_numbers()
    factor = 1 / math.sqrt(indegrees) if compensated else 1
    lines = [f"# The microcircuit of Potjans and Diesmann (2014): {scale:g} of its neurons, {indegrees:g} of the synapses"
             " of each,", f"# {'' if compensated else 'not '}compensated. Made by examples/microcircuit/make.py.",
             "hillock: 1", f"run: {{duration: {duration_ms:g} ms, dt: 0.1 ms, seed: {seed}}}", "cells:"]
    for t, name in enumerate(POPULATIONS):
        current = lacking_current_pA(t, numbers, indegrees) if compensated else 0
        lines.append(f"  {name}:\n    iaf_psc_exp: {{tau_m: 10 ms, C_m: 250 pF, t_ref: 2 ms, E_L: -65 mV, V_th: -50 mV,"
                     f" V_reset: -65 mV,\n                  tau_syn_ex: {TAU_SYN_MS} ms, tau_syn_in: {TAU_SYN_MS} ms,"
                     f" I_e: {current:.10g} pA,\n                  V_init: {{truncated: {{normal: {{mean: -58 mV,"
                     f" sd: 10 mV}}, min: -158 mV, max: 42 mV}}}}}}")
    prefixes = [f"C{c}_" for c in range(columns)] if columns > 1 else [""]
    outside = 1 - among if columns > 1 else 1
    lines.append("populations:")
    lines += [f"  {column}{name}: {{cell: {name}, size: {max(1, round(size * scale))}}}"
              for column in prefixes for name, size in zip(POPULATIONS, SIZES)]
    lines.append("projections:")
    for column in prefixes:
        lines += within_a_column(column, scale, indegrees, factor)
    lines += among_columns(prefixes, among, scale, indegrees, factor)
    lines.append("stimuli:")
    lines += [f"  - {{poisson: {{rate: {outside * synapses * indegrees * OUTSIDE_HZ:.10g} Hz}}, to: {column}{name},"
              f" weight: {WEIGHT_PA * factor:.10g} pA}}"
              for column in prefixes for name, synapses in zip(POPULATIONS, OUTSIDE)]
    lines.append("record:")
    lines += [f"  - {{name: spikes_{column}{name}, of: {column}{name}}}" for column in prefixes for name in POPULATIONS]
    return "\n".join(lines) + "\n"


def fraction(text):
    number = float(text)
    if not 0 < number <= 1:
        raise argparse.ArgumentTypeError(f"{text} is not above 0 and at most 1")
    return number


def positive(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is below 1")
    return number


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=fraction, default=1, help="part of the neurons (default: all)")
    parser.add_argument("--indegrees", type=fraction, help="part of each neuron's synapses (default: as --scale)")
    parser.add_argument("--uncompensated", action="store_true", help="do not make up for the lacking synapses")
    parser.add_argument("--duration", type=float, default=1000, help="ms (default: 1000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--columns", type=positive, default=1, help="so many columns (default: 1)")
    parser.add_argument("--among", type=fraction, default=0.1,
                        help="of the synapses from outside, those from other columns (default: 0.1)")
    given = parser.parse_args()
    sys.stdout.write(model(given.scale, given.indegrees or given.scale, not given.uncompensated, given.duration,
                           given.seed, given.columns, given.among))


if __name__ == "__main__":
    main()
