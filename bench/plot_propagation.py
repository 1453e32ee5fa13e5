#!/usr/bin/env python3
"""Draws the table of `bench/gpu/propagation.py --json FILE` as Kasap and van Opstal (2018) have it: their figures 5 and 6
(time a step and throughput over neurons and over synapses) and 7 (the fastest way of each network).

    plot_propagation.py FILE [more files …] [--to bench/plots]
"""
from needs import Needs

Needs().modules("matplotlib").check()
import matplotlib  # noqa: E402

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.colors import ListedColormap  # noqa: E402

import rows as bench_rows  # noqa: E402

WAYS = {"neurons": ("N", "#1f5fbf"), "synapses": ("S", "#c8372d"), "spikes": ("AP", "#2e8b57"),
        "spike_blocks": ("AP, a grid a block", "#8fbc5a"), "queue": ("queue", "#222222")}
PUBLISHED = ("neurons", "synapses", "spikes")
LINES = ("-", "--")


def draw_over(rows, regimes, over, fixed, values, words, path):
    """Throughput above, time a step below, a column a regime. fixed: what is one of two values in each line."""
    figure, axes = plt.subplots(2, len(regimes), figsize=(4.2 * len(regimes), 7), sharex=True, sharey="row")
    for regime, column in zip(regimes, axes.T):
        for axis, field in zip(column, ("spikes_per_ms", "us")):
            for way, (label, colour) in WAYS.items():
                for value, line in zip(values, LINES):
                    found = bench_rows.select(rows, regime=regime, way=way, **{fixed: value})
                    points = sorted((row[over], row[field]) for row in found)
                    axis.loglog(*zip(*points), line, color=colour, marker="o", markersize=3,
                                label=label if line == LINES[0] else None)
            axis.grid(True, which="both", alpha=0.2)
        column[0].set_title(regime)
        column[1].set_xlabel(over if over == "neurons" else "synapses a neuron")
    axes[0][0].set_ylabel("spikes passed a ms")
    axes[1][0].set_ylabel("µs a step")
    axes[1][0].legend(fontsize=7)
    figure.suptitle(f"{words}\n{bench_rows.describe(rows)}", fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=120)


def draw_winners(rows, regimes, path):
    """Above the fastest of the paper's three ways, below of all; in each field how many times as fast as the next."""
    neurons = sorted({row["neurons"] for row in rows})
    synapses = sorted({row["synapses"] for row in rows})
    names = list(WAYS)
    figure, axes = plt.subplots(2, len(regimes), figsize=(4.2 * len(regimes), 6.4), sharex=True, sharey=True)
    for ways, line in ((PUBLISHED, axes[0]), (names, axes[1])):
        for regime, axis in zip(regimes, line):
            field = [[float("nan")] * len(neurons) for _ in synapses]
            for y, some in enumerate(synapses):
                for x, size in enumerate(neurons):
                    found = bench_rows.select(rows, regime=regime, neurons=size, synapses=some)
                    best = sorted((row["us"], row["way"]) for row in found if row["way"] in ways)
                    if not best:
                        continue
                    field[y][x] = names.index(best[0][1])
                    axis.text(x, y, f"{WAYS[best[0][1]][0]}\n{best[1][0] / best[0][0]:.1f}", ha="center", va="center",
                              fontsize=6, color="white")
            axis.imshow(field, origin="lower", aspect="auto", cmap=ListedColormap([colour for _, colour in WAYS.values()]),
                        vmin=-0.5, vmax=len(names) - 0.5)
            axis.set_xticks(range(len(neurons)), [f"{size:,}" for size in neurons], fontsize=6, rotation=45)
            axis.set_yticks(range(len(synapses)), synapses, fontsize=7)
            axis.set_title(f"{regime}, {'the three' if ways == PUBLISHED else 'all'}", fontsize=9)
    for axis in axes[1]:
        axis.set_xlabel("neurons")
    for axis in axes[:, 0]:
        axis.set_ylabel("synapses a neuron")
    figure.suptitle("The fastest way, and how many times as fast as the next\n" + bench_rows.describe(rows), fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=120)


def main():
    options = bench_rows.options_of_plot(__doc__, ["propagation"], "bench/gpu/propagation.py --json FILE")
    rows = bench_rows.read(options.json, "propagation")
    regimes = list(dict.fromkeys(row["regime"] for row in rows))
    draw_over(rows, regimes, "neurons", "synapses", (1000, 2000), "1,000 (lines) and 2,000 synapses a neuron (dashed)",
              options.to / "propagation_neurons.png")
    draw_over(rows, regimes, "synapses", "neurons", (10000, 100000), "10,000 (lines) and 100,000 neurons (dashed)",
              options.to / "propagation_synapses.png")
    draw_winners(rows, regimes, options.to / "propagation_winners.png")


if __name__ == "__main__":
    main()
