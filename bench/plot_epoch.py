#!/usr/bin/env python3
"""Draws the table of `bench/gpu/ablation.py --json FILE`.

    plot_epoch.py FILE [more files …] [--to bench/plots]
"""
from needs import Needs

Needs().modules("matplotlib").check()
import matplotlib  # noqa: E402

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

import rows as bench_rows  # noqa: E402

WORDS = {"auto": "auto", "contraction": "contraction", "exact": "a thread a branch", "hines": "a thread a cell"}


def draw_epochs(axis, rows, models):
    """Microseconds a step over the steps of an epoch."""
    for model in models:
        points = sorted((int(row["kind"]), row["us"]) for row in bench_rows.select(rows, model=model, part="epochs"))
        if points:
            axis.semilogx(*zip(*points), marker="o", markersize=3, label=model)
    lengths = sorted({int(row["kind"]) for row in bench_rows.select(rows, part="epochs")})
    axis.set_xticks(lengths, lengths)
    axis.minorticks_off()
    axis.set_ylim(bottom=0)
    axis.set_title("one kernel an epoch")
    axis.set_xlabel("steps an epoch")
    axis.set_ylabel("µs a step")
    axis.grid(True, alpha=0.3)
    axis.legend(fontsize=7)


def draw_bars(axis, rows, models, kinds, title):
    """kinds: [(part, kind, label)]; groups of bars, a group a model."""
    models = [model for model in models if any(bench_rows.select(rows, model=model, part=part, kind=kind)
                                               for part, kind, _ in kinds)]
    width = 0.8 / len(kinds)
    for n, (part, kind, label) in enumerate(kinds):
        found = [(m, bench_rows.select(rows, model=model, part=part, kind=kind)) for m, model in enumerate(models)]
        bars = [(m + (n - (len(kinds) - 1) / 2) * width, some[-1]["us"]) for m, some in found if some]
        if bars:
            drawn = axis.bar(*zip(*bars), width, label=label)
            axis.bar_label(drawn, [f"{us:,.1f}" if us < 100 else f"{us:,.0f}" for _, us in bars], fontsize=6,
                           rotation=90, padding=2)
    axis.set_yscale("log")
    axis.margins(y=0.2)
    axis.set_xticks(range(len(models)), [model.replace(" ", "\n") for model in models], fontsize=7)
    axis.set_title(title)
    axis.grid(True, axis="y", alpha=0.3)
    axis.legend(fontsize=7)


def main():
    options = bench_rows.options_of_plot(__doc__, ["ablation"], "bench/gpu/ablation.py --json FILE")
    rows = bench_rows.read(options.json, "ablation")
    models = list(dict.fromkeys(row["model"] for row in rows))
    parts = [part for part in ("epochs", "solvers", "pivots") if bench_rows.select(rows, part=part)]
    figure, axes = plt.subplots(1, len(parts), figsize=(5 * len(parts), 4.4), squeeze=False)
    axis_of = dict(zip(parts, axes[0]))
    pivots = [(part, prefix + kind, f"{WORDS[kind]}, {word}") for kind in ("contraction", "exact", "hines")
              for part, prefix, word in (("solvers", "", "kept"), ("pivots", "changing, ", "changing"))]
    changed = [model for model in models if bench_rows.select(rows, model=model, part="pivots")]
    if "epochs" in parts:
        draw_epochs(axis_of["epochs"], rows, models)
    if "solvers" in parts:
        draw_bars(axis_of["solvers"], rows, models,
                  [("solvers", kind, WORDS[kind]) for kind in ("contraction", "exact", "hines")], "the solve inside it")
    if "pivots" in parts:
        draw_bars(axis_of["pivots"], rows, changed, pivots, "pivots of passive dendrites")
    figure.suptitle(bench_rows.describe(rows), fontsize=8)
    figure.tight_layout()
    figure.savefig(options.to / "epoch_ablation.png", dpi=120)


if __name__ == "__main__":
    main()
