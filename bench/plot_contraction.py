#!/usr/bin/env python3
"""Draws what bench_contraction and bench_branch wrote.

    plot_contraction.py contraction.json [branch.json] [--to bench/plots]
"""
import argparse
import json
import pathlib

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402


def read(path):
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]


def draw_contraction(rows, folder):
    """Best variant of each family: microseconds a solve over the number of cells."""
    trees = list(dict.fromkeys(row["tree"] for row in rows))
    figure, axes = plt.subplots(1, len(trees), figsize=(4.2 * len(trees), 3.8), sharey=True)
    for axis, tree in zip(axes, trees):
        own = [row for row in rows if row["tree"] == tree]
        for family, colour in (("contraction", "C0"), ("branch", "C1"), ("thread a cell", "C2")):
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
    figure.suptitle(rows[0]["device"], fontsize=8)
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
            axes[0][column].loglog(*zip(*points), "-o", markersize=3, label=variant)
            axes[1][column].semilogx([c for c, _ in points], [old[c] / t for c, t in points], "-o",
                                     markersize=3)
        axes[0][column].set_title(f"{trees} branching")
        axes[1][column].set_xlabel("cells")
        for axis in (axes[0][column], axes[1][column]):
            axis.grid(True, alpha=0.3)
    axes[0][0].set_ylabel("µs, with permutation")
    axes[1][0].set_ylabel("speed-up over one thread a cell")
    axes[0][0].legend(fontsize=6)
    figure.suptitle(rows[0]["device"], fontsize=8)
    figure.tight_layout()
    figure.savefig(folder / "branch.png", dpi=120)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("contraction", type=pathlib.Path)
    parser.add_argument("branch", type=pathlib.Path, nargs="?")
    parser.add_argument("--to", type=pathlib.Path, default=pathlib.Path(__file__).parent / "plots")
    arguments = parser.parse_args()
    arguments.to.mkdir(parents=True, exist_ok=True)
    draw_contraction(read(arguments.contraction), arguments.to)
    if arguments.branch:
        draw_branch(read(arguments.branch), arguments.to)


if __name__ == "__main__":
    main()
