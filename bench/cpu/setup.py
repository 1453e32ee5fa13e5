#!/usr/bin/env python3
"""Question: how fast is a network built? Seconds of building (`build` of run.json's timings), best of --repeat, on one
thread and on --threads; with --before PROGRAM another build's beside them, in turns. Each rule joins cells of one
compartment, or point neurons, by about 1e7 synapses or 1e8 pairs that are asked; busyring is 8,192 random trees.

    1e6/s    synapses or pairs a second, as the row says
    CPU s    of the whole run on one thread, that of the system included: what a busy machine leaves alone. It has
             reading the model as well, and for busyring 2 ms of the run
    1 / N    one thread's seconds over those of N threads
    before   the other build's seconds over this one's"""

import json
import os
import pathlib
import resource
import tempfile

import builds
import models

CELLS = 10000


def joined(connect, cells=CELLS, positions=None, weight="1 pS", delay="1 ms"):
    """One population of somata, joined to itself by a rule."""
    soma = {"name": "soma", "length": "20 um", "diameter": "20 um", "compartments": 1}
    population = {"cell": "cell", "size": cells}
    if positions:
        population["positions"] = positions
    return {
        "hillock": 1, "run": models.run(0.025),
        "cells": {"cell": {
            "morphology": {"branches": [soma]},
            "regions": {"all": {"cm": "1 uF/cm2", "Ra": "100 ohm.cm",
                                "pas": {"g": "0.0001 S/cm2", "e": "-65 mV"}}},
            "detector": {"at": "soma(0.5)", "threshold": "-10 mV"}}},
        "populations": {"cells": population},
        "projections": [{"from": "cells", "to": "cells", "connect": connect,
                         "synapse": {"expsyn": models.EXPSYN, "at": "soma(0.5)"},
                         "weight": weight, "delay": delay}],
        "record": [{"name": "spikes", "of": "cells"}]}


def points(connect, weight, delay):
    """One population of point neurons, joined to itself by a rule."""
    return {
        "hillock": 1, "run": models.run(0.1),
        "cells": {"cell": {"iaf_psc_exp": {}}},
        "populations": {"cells": {"cell": "cell", "size": CELLS}},
        "projections": [{"from": "cells", "to": "cells", "connect": connect, "weight": weight, "delay": delay}],
        "record": [{"name": "spikes", "of": "cells"}]}


def list_of(folder, cells, number):
    """A list of pairs without any order."""
    rows = [f"{i * 7919 % cells},{i * 104729 // 7 % cells}" for i in range(number)]
    (folder / "list.csv").write_text("\n".join(["source,target", *rows]) + "\n")
    return {"list": {"csv": "list.csv"}}


def cases(folder):
    """(name, what is counted, how many, model)."""
    number = CELLS * CELLS // 10
    plane = {"uniform_box": ["1 mm", "1 mm", "1 um"]}
    grid = {"grid": {"counts": [100, 100, 1], "spacing": ["10 um", "10 um", "10 um"]}}
    indegree = {"fixed_indegree": {"number": number // CELLS}}
    yield "fixed_indegree", "synapses", number, joined(indegree)
    yield "fixed_indegree, multapses", "synapses", number, joined({**indegree, "multapses": True})
    yield "fixed_indegree, drawn weights and delays", "synapses", number, joined(
        indegree, weight={"lognormal": {"mean": "1 pS", "cv": 0.1}},
        delay={"uniform": {"min": "1 ms", "max": "3 ms"}})
    yield "pairwise_bernoulli, p 0.1", "synapses", number, joined({"pairwise_bernoulli": {"p": 0.1}})
    sparse = 5 * CELLS
    yield "pairwise_bernoulli, p 0.004", "synapses", sparse * sparse // 250, joined(
        {"pairwise_bernoulli": {"p": 0.004}}, sparse)
    yield "pairwise_bernoulli, exp(-distance)", "pairs", CELLS * CELLS, joined(
        {"pairwise_bernoulli": {"p": "0.1 * exp(-distance / 150 um)"}}, positions=grid)
    yield "pairwise_bernoulli, Gaussian of x and y", "pairs", CELLS * CELLS, joined(
        {"pairwise_bernoulli": {"p": "0.1 * exp(-(x*x + y*y) / (2 * (150 um)^2))"}}, positions=plane)
    yield "pairwise_bernoulli, within a distance", "pairs", CELLS * CELLS, joined(
        {"pairwise_bernoulli": {"p": "distance < 100 um ? 0.5 : 0"}}, positions=grid)
    yield "all_to_all", "synapses", 3162 * 3161, joined({"all_to_all": {}}, 3162)
    yield "fixed_outdegree", "synapses", number, joined({"fixed_outdegree": {"number": number // CELLS}})
    yield "fixed_total_number", "synapses", number, joined({"fixed_total_number": {"number": number}})
    yield "point neurons, fixed_outdegree, uniform", "synapses", number, points(
        {"fixed_outdegree": {"number": number // CELLS}}, {"uniform": {"min": "0 pA", "max": "50 pA"}}, "1 ms")
    yield "point neurons, fixed_total_number, normal", "synapses", number, points(
        {"fixed_total_number": {"number": number}, "multapses": True},
        {"truncated": {"normal": {"mean": "87.8 pA", "sd": "8.78 pA"}, "min": "0 pA", "max": "1756 pA"}},
        {"truncated": {"normal": {"mean": "1.5 ms", "sd": "0.75 ms"}, "min": "0.1 ms", "max": "20 ms"}})
    yield "list", "synapses", number // 10, joined(list_of(folder, CELLS, number // 10))
    busyring, pairs = models.busyring(8192, 5, 2)
    (folder / "pairs.csv").write_text(pairs)
    yield "busyring", "compartments", 1754003, busyring


def build_and_cpu(program, path, threads):
    """Seconds of building, and of the processor for the whole run."""
    def of_children():
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime
    before = of_children()
    build = builds.timings(program, path, threads)["build"]
    return build, of_children() - before


def main():
    parser = builds.parser_of(__doc__)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only", default="", help="cases whose names begin so")
    options = parser.parse_args()
    programs = builds.programs_of(options)
    n = options.threads
    print(f"{'rule':<44}{'counted':<14}{'build: 1':>10}{n:>9}{'1 / N':>8}{'1e6/s: 1':>10}{n:>9}{'CPU s':>8}"
          + (f"{'before':>9}{n:>9}{'CPU s':>9}" if options.before else ""))
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name, counted, number, content in cases(folder):
            if not name.startswith(options.only):
                continue
            path = folder / "model.yaml"
            path.write_text(json.dumps(content))
            best = {}
            for _ in range(options.repeat):
                for which, program in enumerate(programs):
                    for threads in (1, n):
                        taken = build_and_cpu(program, path, threads)
                        best[which, threads] = tuple(map(min, taken, best.get((which, threads), taken)))
            (one, cpu), (many, _) = best[0, 1], best[0, n]
            print(f"{name:<44}{counted:<14}{one:10.3f}{many:9.3f}{one / many:8.2f}"
                  f"{number / one / 1e6:10.2f}{number / many / 1e6:9.2f}{cpu:8.2f}"
                  + "".join(f"{best[1, t][0] / best[0, t][0]:9.2f}" for t in (1, n) if options.before)
                  + (f"{best[1, 1][1]:9.2f}" if options.before else ""), flush=True)


if __name__ == "__main__":
    main()
