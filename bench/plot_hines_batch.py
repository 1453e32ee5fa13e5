#!/usr/bin/env python3
"""Draws the tables hines, hines-variable, devices and stone of `hillock bench solvers --json FILE`:
PNG into bench/plots/.

    bench/plot_hines_batch.py FILE [more files …] [--to bench/plots]

Rows of several files are put together; a file may hold any of the tables.
"""

from needs import Needs

Needs().modules("matplotlib").check()
import matplotlib  # noqa: E402

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

import rows as bench_rows  # noqa: E402
from rows import select  # noqa: E402

CLASSES = ["small-low", "small-high", "medium-low", "medium-high", "big-low", "big-high"]
COLOURS = {
    "cpu-openmp": "0.6", "cpu-lanes": "0.4", "flat": "tab:brown", "full": "tab:blue",
    "block-32": "tab:cyan", "block-128": "tab:olive", "block-512": "tab:pink",
    "shared-32": "tab:orange", "stream": "tab:red",
}


def line(axes, rows, x, y, **style):
    points = sorted((r[x], r[y]) for r in rows if r.get(y))
    if points:
        axes.plot(*zip(*points), marker="o", markersize=3, **style)


def draw_classes(rows, precision, subtitle, to):
    figure, grid = plt.subplots(2, 3, figsize=(13, 7), sharex=True, sharey=True)
    for axes, name in zip(grid.T.flat, CLASSES):
        own = select(rows, precision=precision, **{"class": name})
        for layout, colour in COLOURS.items():
            line(axes, select(own, variant=layout), "systems", "speedup_serial",
                 label=layout, color=colour)
        if own:
            axes.set_title(f"{name}: {own[0]['compartments']} compartments, "
                           f"{own[0]['branches']} branches", fontsize=9)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.grid(alpha=0.3)
    for axes in grid[-1]:
        axes.set_xlabel("cells")
    for axes in grid[:, 0]:
        axes.set_ylabel("times one CPU core")
    grid[0, 0].legend(fontsize=7)
    figure.suptitle(f"Batches of Hines systems, {precision}. {subtitle}", fontsize=10)
    figure.tight_layout()
    figure.savefig(to / f"hines_batch_classes_{precision}.png", dpi=130)


def draw_variable(rows, precision, subtitle, to):
    kinds = ["mono", "multi", "multi-600-700"]
    figure, grid = plt.subplots(1, 3, figsize=(13, 4), sharey=True)
    for axes, kind in zip(grid, kinds):
        own = select(rows, precision=precision, kind=kind)
        for layout in dict.fromkeys(r["variant"] for r in own):
            line(axes, select(own, variant=layout), "systems", "us", label=layout)
        axes.set_title(kind, fontsize=9)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("cells")
        axes.grid(alpha=0.3)
    grid[0].set_ylabel("µs a solve")
    grid[0].legend(fontsize=7)
    figure.suptitle(f"Unlike neurons in one batch, {precision}. {subtitle}", fontsize=10)
    figure.tight_layout()
    figure.savefig(to / f"hines_batch_variable_{precision}.png", dpi=130)


def draw_devices(rows, subtitle, to):
    own = select(rows, precision="double")
    if not own:
        return
    figure, grid = plt.subplots(1, 3, figsize=(13, 4), sharey=True)
    for axes, in_flight in zip(grid, [1, 2, 4]):
        for number in sorted({r["devices"] for r in own} - {1}):
            for name in CLASSES:
                line(axes, select(own, devices=number, in_flight=in_flight, **{"class": name}),
                     "systems", "speedup", label=f"{name}, {number}")
            axes.axhline(number, color="0.5", linewidth=0.8)
        axes.set_title("dependent" if in_flight == 1 else f"{in_flight} in flight", fontsize=9)
        axes.set_xscale("log")
        axes.set_xlabel("cells")
        axes.grid(alpha=0.3)
    grid[0].set_ylabel("several GPUs, times one")
    grid[0].legend(fontsize=7)
    figure.suptitle(f"stream, double. {subtitle}", fontsize=9)
    figure.tight_layout()
    figure.savefig(to / "hines_batch_devices.png", dpi=130)


def draw_stone(rows, to):
    subtitle = bench_rows.describe(rows)
    rows = select(rows, precision="float", backend="cuda")
    if not rows:
        return
    trees = list(dict.fromkeys(r["tree"] for r in rows))
    figure, grid = plt.subplots(1, 2, figsize=(13, 4.5), sharey=True)
    for axes, team in zip(grid, [32, 256]):
        for method, colour in [("segment", "tab:red"), ("branch", "tab:blue")]:
            for traces, cells, dashes in [(1, 1, "-"), (13, 14, "--"), (13, 128, ":")]:
                own = select(rows, team=team, method=method, traces=traces, cells=cells)
                times = {r["tree"]: r["us"] for r in own}
                axes.plot([t for t in trees if t in times], [times[t] for t in trees if t in times],
                          dashes, marker="o", markersize=3, color=colour,
                          label=f"{method}, {cells} cells × {traces} traces")
        axes.set_title("a warp a trace" if team == 32 else f"a block of {team} a trace", fontsize=9)
        axes.set_yscale("log")
        axes.tick_params(axis="x", rotation=40)
        axes.grid(alpha=0.3)
    grid[0].set_ylabel("µs a solve in one kernel")
    grid[0].legend(fontsize=7)
    figure.suptitle(f"Segment (Stone) and branch method, float. {subtitle}", fontsize=10)
    figure.tight_layout()
    figure.savefig(to / "stone.png", dpi=130)


def main():
    options = bench_rows.options_of_plot(__doc__, ["hines", "hines-variable", "devices", "stone"])
    classes = bench_rows.read(options.json, "hines")
    variable = bench_rows.read(options.json, "hines-variable")
    for precision in ["double", "float"]:
        if select(classes, precision=precision):
            draw_classes(classes, precision, bench_rows.describe(classes), options.to)
        if select(variable, precision=precision):
            draw_variable(variable, precision, bench_rows.describe(variable), options.to)
    devices = bench_rows.read(options.json, "devices")
    if devices:
        draw_devices(devices, bench_rows.describe(devices), options.to)
    stone = bench_rows.read(options.json, "stone")
    if stone:
        draw_stone(stone, options.to)


if __name__ == "__main__":
    main()
