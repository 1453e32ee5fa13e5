#!/usr/bin/env python3
"""Draws the tables contraction and branch of `hillock bench solvers --json FILE`.

    plot_contraction.py FILE [more files …] [--to bench/plots]
"""
from needs import Needs

Needs().modules("matplotlib").check()
import matplotlib  # noqa: E402

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

import rows as bench_rows  # noqa: E402

LINES_OF_CPU = {"cpu-serial": ":", "cpu-openmp": "--", "cpu-lanes": "-."}


def draw_contraction(rows, folder):
    """Best variant of each family: microseconds a solve over the number of cells."""
    trees = list(dict.fromkeys(row["tree"] for row in rows))
    figure, axes = plt.subplots(1, len(trees), figsize=(4.2 * len(trees), 3.8), sharey=True)
    for axis, tree in zip(axes, trees):
        own = [row for row in rows if row["tree"] == tree]
        for family, colour in (("contraction", "C0"), ("branch", "C1"), ("thread a cell", "C2"),
                               ("cpu-openmp", "0.5")):
            for key, style in (("repeated_us", "-o"), ("single_us", "--x")):
                best = {}
                for row in own:
                    if row["family"] == family:
                        best[row["cells"]] = min(best.get(row["cells"], 1e30), row[key])
                if best:
                    axis.loglog(*zip(*sorted(best.items())), style, color=colour,
                                label=f"{family}, {'in one kernel' if style == '-o' else 'single launch'}")
        axis.set_title(f"{own[0]['compartments']} compartments, depth {own[0]['depth']}")
        axis.set_xlabel("cells")
        axis.grid(True, alpha=0.3)
    axes[0].set_ylabel("µs a solve")
    axes[0].legend(fontsize=7)
    figure.suptitle(bench_rows.describe(rows), fontsize=8)
    figure.tight_layout()
    figure.savefig(folder / "contraction.png", dpi=120)


def draw_branch(rows, folder):
    """The report's two figures: time, and speed-up over one thread a cell."""
    rows = [row for row in rows if row["length"] == 10]
    splits = list(dict.fromkeys(row["trees"] for row in rows))
    figure, axes = plt.subplots(2, len(splits), figsize=(4.2 * len(splits), 6.8), sharex=True)
    for column, trees in enumerate(splits):
        own = [row for row in rows if row["trees"] == trees]
        old = {r["cells"]: r["with_permutation_us"] for r in own if r["variant"].startswith("old")}
        for variant in dict.fromkeys(row["variant"] for row in own):
            points = sorted((r["cells"], r["with_permutation_us"]) for r in own
                            if r["variant"] == variant)
            style = {}
            if variant.startswith("cpu-"):
                style = {"color": "0.5", "linestyle": LINES_OF_CPU[variant]}
            axes[0][column].loglog(*zip(*points), marker="o", markersize=3, label=variant, **style)
            compared = [(c, old[c] / t) for c, t in points if c in old]
            if compared:
                axes[1][column].semilogx(*zip(*compared), marker="o", markersize=3, **style)
        axes[0][column].set_title(f"{trees} branching")
        axes[1][column].set_xlabel("cells")
        for axis in (axes[0][column], axes[1][column]):
            axis.grid(True, alpha=0.3)
    axes[0][0].set_ylabel("µs, with permutation")
    axes[1][0].set_ylabel("speed-up over one thread a cell")
    axes[0][0].legend(fontsize=6)
    figure.suptitle(bench_rows.describe(rows), fontsize=8)
    figure.tight_layout()
    figure.savefig(folder / "branch.png", dpi=120)


def main():
    options = bench_rows.options_of_plot(__doc__, ["contraction", "branch"])
    contraction = bench_rows.read(options.json, "contraction")
    if contraction:
        draw_contraction(contraction, options.to)
    branch = bench_rows.read(options.json, "branch")
    if branch:
        draw_branch(branch, options.to)


if __name__ == "__main__":
    main()
