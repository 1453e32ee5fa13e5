#!/usr/bin/env python3
"""Plots the tables thomas and thomas-variable of `hillock bench solvers --json FILE`:
plot_thomas.py FILE [folder for the PNGs].

With --table in place of the folder, prints the figures as Markdown and needs no matplotlib.
"""

import pathlib
import sys

import rows as bench_rows
from needs import Needs, check_files
from rows import select

if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
    sys.exit(__doc__)
if "--table" not in sys.argv:
    Needs().modules("matplotlib").check()
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

PEER_STRIDED = "cuSPARSE gtsv2StridedBatch"
PEER_INTERLEAVED = "cuSPARSE gtsvInterleavedBatch"
STYLES = {
    "ours": dict(color="#b2182b", marker="o", linewidth=2.2),
    "gtsvInterleavedBatch (best)": dict(color="#2166ac", marker="s"),
    "gtsv2StridedBatch": dict(color="#67a9cf", marker="^"),
    "sweep, flat": dict(color="#bbbbbb", marker="v"),
    "sweep, interleaved": dict(color="#1b7837", marker="D"),
    "sweep, unified vector": dict(color="#7fbf7b", marker="D", linestyle="--"),
    "sweep, block interleaved": dict(color="#af8dc3", marker="D", linestyle=":"),
    "cpu-openmp": dict(color="#444444", marker="x"),
}


def series(rows, kind, size):
    """Name of a line -> {systems: row} for one type and one number of rows."""
    lines = {name: {} for name in STYLES}
    for r in select(rows, precision=kind, rows=size):
        method, layout = r["variant"], r["layout"]
        if method.startswith(PEER_INTERLEAVED):
            name = "gtsvInterleavedBatch (best)"
            known = lines[name].get(r["systems"])
            if known and known["us"] <= r["us"]:
                continue
        elif method == PEER_STRIDED:
            name = "gtsv2StridedBatch"
        elif method == "sweep":
            name = f"sweep, {layout}"
        else:
            name = method
        if name in lines:
            lines[name][r["systems"]] = r
    return lines


def sizes_of(rows):
    return sorted({r["rows"] for r in rows})


def caption(figure, rows, text):
    figure.text(0.01, 0.005, f"{bench_rows.describe(rows)}. {text}", fontsize=7)


def panels(rows, kind, value, ylabel, title, path, note, skip=(), log=True, top=None):
    sizes = sizes_of(rows)
    figure, axes = plt.subplots(2, 2, figsize=(11, 8.5), sharex=True)
    for axis, size in zip(axes.flat, sizes):
        for name, found in series(rows, kind, size).items():
            points = sorted((s, value(r, rows)) for s, r in found.items())
            points = [(s, v) for s, v in points if v is not None]
            if points and name not in skip:
                axis.plot(*zip(*points), label=name, **STYLES[name])
        axis.set_xscale("log")
        if log:
            axis.set_yscale("log")
        if top:
            axis.set_ylim(0, top)
        axis.set_title(f"{size} rows")
        axis.set_xlabel("systems")
        axis.set_ylabel(ylabel)
        axis.grid(True, which="major", alpha=0.3)
    axes.flat[0].legend(fontsize=7)
    figure.suptitle(title)
    figure.tight_layout(rect=(0, 0.02, 1, 1))
    caption(figure, rows, note)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def over_serial(row, rows):
    serial = select(rows, precision=row["precision"], rows=row["rows"], systems=row["systems"],
                    variant="cpu-serial")
    return serial[0]["us"] / row["us"] if serial else None


def plot_variable(rows, path):
    figure, axes = plt.subplots(1, 2, figsize=(11, 4.6))
    styles = {"ours": dict(color="#b2182b", marker="o", linewidth=2.2),
              "ours: sorted by warps": dict(color="#ef8a62", marker="o"),
              "computing padding": dict(color="#2166ac", marker="s"),
              "cpu-openmp": dict(color="#444444", marker="x"),
              "no computing padding": dict(color="#67a9cf", marker="^")}
    for axis, kind in zip(axes, ("float", "double")):
        for name, style in styles.items():
            found = select(rows, precision=kind, variant=name)
            axis.plot([r["systems"] for r in found], [r["us"] for r in found], label=name, **style)
        axis.set_xscale("log")
        axis.set_yscale("log")
        axis.set_title(f"256 to 512 rows, {kind}")
        axis.set_xlabel("systems")
        axis.set_ylabel("µs")
        axis.grid(True, alpha=0.3)
        axis.legend(fontsize=8)
    figure.tight_layout(rect=(0, 0.03, 1, 1))
    caption(figure, rows, "Systems of different lengths.")
    figure.savefig(path, dpi=110)
    plt.close(figure)


def plot_memory(rows, path):
    """Memory for the largest batch in double: the systems themselves and what a solver adds."""
    figure, axis = plt.subplots(figsize=(8, 4.6))
    largest = max(r["systems"] for r in rows)
    names = ["ours", PEER_STRIDED] + [f"{PEER_INTERLEAVED} {a}" for a in (0, 1, 2)]
    sizes = sizes_of(rows)
    for place, size in enumerate(sizes):
        systems = 4 * 8 * size * largest / 2**30
        for k, name in enumerate(names):
            found = select(rows, precision="double", rows=size, systems=largest, variant=name)
            if not found:
                continue
            x = place + (k - 2) * 0.16
            axis.bar(x, systems, 0.15, color="#cccccc", label="systems" if place + k == 0 else None)
            axis.bar(x, found[0]["extra_bytes"] / 2**30, 0.15, bottom=systems, color=f"C{k}",
                     label=name.replace("cuSPARSE ", "") if place == 0 else None)
    axis.set_xticks(range(len(sizes)), [f"{s} rows" for s in sizes])
    axis.set_ylabel("GiB")
    axis.set_title(f"Memory for {largest} systems, double")
    axis.legend(fontsize=8)
    figure.tight_layout(rect=(0, 0.03, 1, 1))
    caption(figure, rows, "Grey: the batch; colour: workspace.")
    figure.savefig(path, dpi=110)
    plt.close(figure)


def number(value):
    return f"{value:.4g}" if value else ""


def print_table(rows, variable):
    print(f"{bench_rows.describe(rows)}, `{rows[0]['command']}`; copy "
          f"{number(next((r['copy_gb_s'] for r in rows if r['copy_gb_s']), None))} GB/s. Times in µs.\n")
    print("| type | rows | systems | ours | of copy | gtsvInterleavedBatch | ratio | "
          "gtsv2StridedBatch | ratio | sweep flat | interleaved | unified | block 32 | "
          "CPU serial | OpenMP |")
    print("| --- " * 15 + "|")
    for serial in select(rows, variant="cpu-serial"):
        kind, size, systems = serial["precision"], serial["rows"], serial["systems"]
        us = {name: found[systems]["us"] for name, found in series(rows, kind, size).items()
              if systems in found}
        ours = select(rows, precision=kind, rows=size, systems=systems, variant="ours")
        share = f"{100 * ours[0]['necessary_over_copy']:.0f} %" if ours else ""
        interleaved, strided = us.get("gtsvInterleavedBatch (best)"), us.get("gtsv2StridedBatch")
        cells = [kind, size, systems, number(us.get("ours")), share, number(interleaved),
                 f"{interleaved / us['ours']:.2f}" if interleaved else "", number(strided),
                 f"{strided / us['ours']:.2f}" if strided else "",
                 *(number(us.get("sweep, " + name)) for name in
                   ("flat", "interleaved", "unified vector", "block interleaved")),
                 number(serial["us"]), number(us.get("cpu-openmp"))]
        print("| " + " | ".join(str(c) for c in cells) + " |")
    print("\n| type | systems of 256 to 512 rows | ours | of copy | sorted by warps | "
          "no computing padding | computing padding | ours over the better of the two |")
    print("| --- " * 8 + "|")
    for ours in select(variable, variant="ours"):
        def us(variant):
            return select(variable, precision=ours["precision"], variant=variant,
                          systems=ours["systems"])[0]["us"]
        skip, compute = us("no computing padding"), us("computing padding")
        cells = [ours["precision"], ours["systems"], number(ours["us"]),
                 f"{100 * ours['necessary_over_copy']:.0f} %",
                 number(us("ours: sorted by warps")), number(skip), number(compute),
                 f"{min(skip, compute) / ours['us']:.2f}"]
        print("| " + " | ".join(str(c) for c in cells) + " |")


def main():
    folder = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else bench_rows.PLOTS
    check_files(sys.argv[1:2], None if "--table" in sys.argv else folder)
    bench_rows.check(sys.argv[1:2], ["thomas", "thomas-variable"])
    rows = bench_rows.read(sys.argv[1], "thomas")
    variable = bench_rows.read(sys.argv[1], "thomas-variable")
    if "--table" in sys.argv:
        print_table(rows, variable)
        return
    for kind in ("float", "double"):
        if not rows:
            break
        panels(rows, kind, over_serial, "times one CPU core",
               f"Batches of tridiagonal systems, {kind}: speedup over one core",
               folder / f"thomas_speedup_{kind}.png", "Conversions between layouts not included.")
        if not select(rows, variant="ours"):
            continue
        panels(rows, kind, lambda r, _: r["necessary_over_copy"],
               "5 numbers a row over time, of copy bandwidth",
               f"Batches of tridiagonal systems, {kind}: how much of the memory's speed",
               folder / f"thomas_bandwidth_{kind}.png",
               "1: every number in and every solution out once, as fast as a copy.",
               skip=("cpu-openmp",), log=False, top=1.05)
    if variable:
        plot_variable(variable, folder / "thomas_variable.png")
    if select(rows, variant="ours"):
        plot_memory(rows, folder / "thomas_memory.png")


if __name__ == "__main__":
    main()
