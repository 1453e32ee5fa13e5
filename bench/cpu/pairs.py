#!/usr/bin/env python3
"""Question: what does a thing cost that should cost nothing? Two runs in turns, the loop's seconds of
one over those of the other, median of --pairs.

    rare samples   every compartment recorded twice in a run, against the soma alone: the floor is 1
    silent         synapses that were hit once and fell silent, against ones that still decay: 1
    ring, busyring (simple and complex cells), balanced, microcircuit
                   the loop of this build, against another's with --before PROGRAM

A ratio above 1 means that the first is slower; `best` is that of the best run of each."""

import json
import pathlib
import statistics
import subprocess
import tempfile

import builds
import models

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
SOMA = {"name": "soma", "length": "20 um", "diameter": "20 um"}
DEND = {"name": "dend", "parent": "soma", "length": "500 um", "diameter": "2 um", "compartments": 31}


def cells(branches, duration, **more):
    return {"hillock": 1, "run": {"duration": f"{duration} ms", "dt": "0.025 ms"},
            "cells": {"c": {"morphology": {"branches": branches}, "regions": {"all": {"pas": {}}}}},
            "populations": {"p": {"cell": "c", "size": 80}}, **more}


def recorded(at):
    return cells([SOMA, DEND], 5000,
                 record=[{"name": "v", "of": "p", "variable": "v", "at": at, "every": "500 ms"}])


def decaying(tau1, tau2):
    synapse = {"exp2syn": {"tau1": f"{tau1} ms", "tau2": f"{tau2} ms", "e": "0 mV"}, "at": "soma(0.5)"}
    return cells([SOMA], 8000, stimuli=[{"spikes": {"times": ["1 ms"]}, "to": "p", "synapse": synapse,
                                         "weight": "1 nS"}],
                 record=[{"name": "v", "of": "p[0]", "variable": "v", "at": "soma(0.5)",
                          "every": "100 ms"}])


def busyring(folder, duration, is_complex):
    model, pairs = models.busyring(200, 5, duration, is_complex)
    (folder / "pairs.csv").write_text(pairs)
    return model


def balanced():
    text = (EXAMPLES / "balanced_network/balanced_network.yaml").read_text()
    return text.replace("duration: 1000 ms", "duration: 500 ms")


def microcircuit():
    """7,700 point neurons."""
    make = [EXAMPLES / "microcircuit/make.py", "--scale", "0.1"]
    return subprocess.run(make, check=True, capture_output=True, text=True).stdout


def seconds(program, model):
    return builds.timings(program, model)["advance"]


def ratio(name, first, second, pairs):
    taken = [(seconds(*first), seconds(*second)) for _ in range(pairs + 1)][1:]  # the first warms up
    ratios = [ours / theirs for ours, theirs in taken]
    best = min(ours for ours, _ in taken) / min(theirs for _, theirs in taken)
    print(f"{name:<14}{statistics.median(ratios):8.3f}{min(ratios):8.3f}{max(ratios):8.3f}{best:8.3f}",
          flush=True)


def main():
    parser = builds.parser_of(__doc__)
    parser.add_argument("--pairs", type=int, default=10)
    options = parser.parse_args()
    ours, *others = builds.programs_of(options)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)

        def model(name, content):
            path = folder / f"{name}.yaml"
            path.write_text(content if isinstance(content, str) else json.dumps(content))
            return path

        print(f"{'what':<14}{'median':>8}{'least':>8}{'most':>8}{'best':>8}")
        ratio("rare samples", (ours, model("all", recorded("all"))),
              (ours, model("soma", recorded("soma(0.5)"))), options.pairs)
        ratio("silent", (ours, model("silent", decaying(0.3, 0.4))),
              (ours, model("loud", decaying(50, 1000))), options.pairs)
        for before in others:
            for name, content in [("ring", models.ring(64, "hh", 500)),
                                  ("busyring", busyring(folder, 200, False)),
                                  ("complex", busyring(folder, 20, True)),
                                  ("balanced", balanced()), ("microcircuit", microcircuit())]:
                path = model(name, content)
                ratio(name, (ours, path), (before, path), options.pairs)


if __name__ == "__main__":
    main()
