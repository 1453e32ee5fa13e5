#!/usr/bin/env python3
"""Fits the constants of solver/choice/cost_model.cpp to measurements, and prints them as C++.

  fit_cost_model.py auto.json > solver/choice/cost_constants.hpp

auto.json: rows of `hillock bench solvers --table auto --json auto.json` on the reference GPU, one
with 132 multiprocessors. The formulas are those of cost_model.cpp; relative errors are fitted, few
large ones counting little. Needs numpy and scipy (python3-scipy).
"""

import collections
import sys

from needs import Needs, check_files

Needs().modules("numpy", "scipy").check()
import numpy  # noqa: E402
from scipy.optimize import least_squares  # noqa: E402

import rows as bench_rows  # noqa: E402

MULTIPROCESSORS = 132
SHARED_BYTES = 0.965 * 228 * 1024


def size(row):
    return 8 if row["precision"] == "double" else 4


def total(fixed, latency, throughput):
    return fixed + (latency**4 + throughput**4) ** 0.25


def thomas(p, row):
    fixed, a_row, bandwidth, long_row, long_bandwidth = p
    n, cells = row["compartments"], row["cells"]
    if n <= 1056:
        return total(fixed, a_row * n, 5 * n * cells * size(row) / (bandwidth * 1e3))
    return total(fixed, long_row * n, 9 * n * cells * size(row) / (long_bandwidth * 1e3))


def hines(p, row):
    fixed, a_row, kept, bandwidth, fork = p
    n, cells = row["compartments"], row["cells"]
    numbers = 4 + 4 * max(0, 1 - kept / n)
    return total(fixed, a_row * n + fork * row["branches"], numbers * n * cells * size(row) / (bandwidth * 1e3))


def branch(p, row):
    fixed, level, path, sharing, compartment, in_memory, memory_compartment, child = p
    n, share = row["compartments"], row["cells"] / MULTIPROCESSORS
    block = "many" if row["cells"] > 2 * MULTIPROCESSORS else "few"
    cells, levels, length, storage, branches, threads = (
        row[f"{block}_{what}"]
        for what in ("cells", "levels", "path", "storage", "branches", "threads"))
    latency = level * levels + path * length + child * row["stone_children"]
    shared = storage * 4 * size(row) + branches * (2 * size(row) + 16) + 16 * (levels + 1)
    if shared > SHARED_BYTES:
        return total(fixed, latency * in_memory, share * n * memory_compartment)
    resident = min(SHARED_BYTES // (shared + 1024), 16 if threads <= 32 else 4)
    return total(fixed, latency, share * (latency * sharing / cells / resident + n * compartment))


def stone(p, row):
    fixed, level, path, a_round, sharing, child, compartment = p
    latency = (level * row["stone_levels"] + path * row["stone_path"]
               + a_round * row["stone_rounds"] + child * row["stone_children"]
               + compartment * row["compartments"])
    alone = min(1, 3 * row["compartments"] * size(row) / (228 * 1024))
    return total(fixed, latency, row["cells"] / MULTIPROCESSORS * latency * max(sharing, alone))


def contraction(p, row):
    fixed, step, wide, compartment, memory_step, memory_compartment, memory_wide, a_step = p
    n, share = row["compartments"], row["cells"] / MULTIPROCESSORS
    if row["contraction_tasks"] > 4 * 1024:
        return total(fixed, memory_step * row["contraction_steps"] + memory_wide * n,
                     share * n * memory_compartment)
    return total(fixed, step * row["contraction_steps"] + wide * n,
                 share * n * (compartment + a_step * row["contraction_steps"]))


HEADER = """#pragma once
// The constants of cost_model.cpp, in microseconds, compartments and GB/s; what each stands for is
// said there. Printed by bench/fit_cost_model.py: not for editing.

#include <array>

namespace hillock::solver {

using Constants = std::array<double, 8>;

struct Measured {
  Constants double_launch, double_resident, float_launch, float_resident;
};
"""

FAMILIES = {
    "thomas": (thomas, [3, 0.002, 4200, 0.1, 2000]),
    "hines": (hines, [5, 0.1, 40, 4200, 0.01]),
    "branch": (branch, [1, 0.4, 0.05, 1, 0.001, 1.5, 0.005, 0.01]),
    "stone": (stone, [1, 0.3, 0.03, 0.1, 0.5, 0.05, 0.01]),
    "contraction": (contraction, [1, 0.15, 0.001, 0.0013, 1, 0.01, 0.001, 0.0001]),
}


def fit(formula, start, rows):
    def errors(logarithms):
        p = numpy.exp(logarithms)
        return [numpy.log(formula(p, row) / row["us"]) for row in rows]

    best = None
    for seed in range(6):
        spread = numpy.random.default_rng(seed).normal(0, 0.5 if seed else 0, len(start))
        found = least_squares(errors, numpy.log(start) + spread, loss="soft_l1", f_scale=0.1,
                              bounds=(-12, 12))
        if best is None or found.cost < best.cost:
            best = found
    return numpy.exp(best.x)


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    check_files(sys.argv[1:])
    bench_rows.check(sys.argv[1:], ["auto"])
    rows = bench_rows.read(sys.argv[1], "auto")
    print(HEADER)
    cases = collections.defaultdict(list)
    for family, (formula, start) in FAMILIES.items():
        print(f"inline constexpr Measured {family}_measured{{")
        for precision in ("double", "float"):
            for use in ("launch", "resident"):
                own = [row for row in rows if row["family"] == family
                       and row["precision"] == precision and row["use"] == use]
                p = fit(formula, start, own)
                print("    {" + ", ".join(f"{value:.4g}" for value in p) + "},")
                for row in own:
                    case = (precision, use, row["tree"], row["cells"])
                    cases[case].append((formula(p, row), row["us"], family))
        print("};")
    print("\n}  // namespace hillock::solver")
    wrong = 0
    for case, estimates in cases.items():
        picked, best = min(estimates), min(us for _, us, _ in estimates)
        if picked[1] > 1.1 * best:
            wrong += 1
            print(*case, f"{picked[2]} takes {picked[1] / best:.3f} times the best:",
                  *(f"{family} {us:.4g} ({guess:.4g})" for guess, us, family in estimates),
                  file=sys.stderr)
    print(f"{len(cases)} cases, {wrong} more than 10 % off the best", file=sys.stderr)


if __name__ == "__main__":
    main()
