#!/usr/bin/env python3
"""Question: does a network of 200 cells learn when its cells spike, by derivatives through spikes and delays alone? 60
cells are driven at random times, 100 hear of some of these, 40 of some of those; weights and delays of all 2,200 connections
are drawn, and the first spikes of the 40 are to come when they come with other weights (by up to a third) and delays (by
2 ms) that are not known. Loss: the sum of squares of what they are away, in ms²; of a cell that does not spike, of 5 ms and
of a tenth of its highest voltage in mV, since a spike that is not there has no derivative. Adam, by weights' logarithms and
delays.

    first      loss before
    best       the least of --rounds
    no events  the same with the derivatives left out that go by times of events: what is left are weights onto the 40
    s          of a round, with reading the model

  PYTHONPATH=build/release/python bench/cpu/train_spikes.py [--seeds 5] [--rounds 60]
"""

import argparse
import time

import numpy as np

import hillock

SIZES = {"first": 60, "middle": 100, "last": 40}
LIST = "projections.{}.connect.list.{}"
ELSE_MS = 5.0


def connections(rng, sources, targets, each, weight_uS):
    """Every target has so many sources."""
    source = np.concatenate([rng.choice(sources, each, replace=False) for _ in range(targets)])
    return {"source": source, "target": np.repeat(np.arange(targets), each),
            "weight": weight_uS * rng.uniform(0.5, 1.5, targets * each), "delay": rng.uniform(2, 6, targets * each)}


def model_of(rng, dt_ms):
    synapse = {"exp2syn": {"tau1": "0.5 ms", "tau2": "3 ms", "e": "0 mV"}, "at": "soma(0.5)"}
    cell = {"morphology": {"branches": [{"name": "soma", "length": "20 um", "diameter": "20 um"}]},
            "regions": {"all": {"cm": "1 uF/cm2", "Ra": "100 ohm.cm", "hh": {}}}, "detector": {"at": "soma(0.5)"}}
    times = np.sort(rng.uniform(1, 9, SIZES["first"]))
    lists = [connections(rng, SIZES["first"], SIZES["middle"], 10, 0.0016),
             connections(rng, SIZES["middle"], SIZES["last"], 30, 0.0006)]
    return {
        "hillock": 1, "run": {"duration": "40 ms", "dt": f"{dt_ms} ms", "temperature": "20 degC"}, "cells": {"cell": cell},
        "populations": {name: {"cell": "cell", "size": size} for name, size in SIZES.items()},
        "projections": [{"from": a, "to": b, "connect": {"list": connected}, "synapse": synapse, "weight": "1 nS",
                         "delay": "1 ms"}
                        for (a, b), connected in zip((("first", "middle"), ("middle", "last")), lists)],
        "stimuli": [{"spikes": {"csv": {"cell": np.arange(len(times)), "time_ms": times}}, "to": "first", "synapse": synapse,
                     "weight": "20 nS"}],
        "record": [{"name": "spikes", "of": "last"},
                   {"name": "v", "of": "last", "variable": "v", "at": "soma(0.5)", "every": "0.1 ms", "type": "float64"}]}


def first_spikes(spikes):
    """The number of the first spike of each cell, or -1."""
    firsts = np.full(SIZES["last"], -1)
    cells, at = np.unique(spikes.ids, return_index=True)
    firsts[cells.astype(int)] = at
    return firsts


def loss_of(run, targets):
    """The loss of a run, its derivatives by samples of v, and by times of spikes."""
    last, v = run.spikes["last"], run.traces["v"]
    firsts = first_spikes(last)
    there = firsts >= 0
    away = last.times[firsts[there]] - targets[there]
    by_time, by_v = np.zeros(len(last)), np.zeros_like(v)
    by_time[firsts[there]] = 2 * away
    silent = np.flatnonzero(~there)
    highest = np.argmax(v[:, silent], axis=0), silent
    by_v[highest] = v[highest] / 50
    return np.sum(away**2) + ELSE_MS**2 * len(silent) + np.sum(v[highest]**2) / 100, by_v, by_time


def train(rng, options, through_events):
    """(first loss, least loss, s a round)"""
    model = model_of(rng, options.dt)
    known = {LIST.format(p, c): model["projections"][p]["connect"]["list"][c] for p in (0, 1) for c in ("weight", "delay")}
    targets = np.full(SIZES["last"], np.nan)
    spikes = hillock.run(model, backend="cpu").spikes["last"]
    targets[:] = spikes.times[first_spikes(spikes)]
    assert np.all(first_spikes(spikes) >= 0), "a cell does not spike"
    values = {path: numbers * rng.uniform(0.67, 1.33, len(numbers)) if "weight" in path
              else np.clip(numbers + 2 * rng.standard_normal(len(numbers)), 0.5, None) for path, numbers in known.items()}
    mean = {path: 0 * numbers for path, numbers in values.items()}
    square = {path: 0 * numbers for path, numbers in values.items()}
    losses, start = [], time.perf_counter()
    for k in range(1, options.rounds + 1):
        run = hillock.DerivedRun(model, values, threads=1)
        loss, by_v, by_time = loss_of(run, targets)
        by = run.vjp({"v": by_v}, {"last": by_time})
        losses.append(loss)
        for path, numbers in values.items():
            is_weight = "weight" in path
            if not through_events and not (is_weight and "s.1." in path):
                continue
            slope = by[path] * numbers if is_weight else by[path]
            mean[path] = 0.9 * mean[path] + 0.1 * slope
            square[path] = 0.99 * square[path] + 0.01 * slope**2
            step = mean[path] / (1 - 0.9**k) / (np.sqrt(square[path] / (1 - 0.99**k)) + 1e-9)
            values[path] = numbers * np.exp(-0.03 * step) if is_weight else np.clip(numbers - 0.1 * step, 0.5, None)
    return losses[0], min(losses), (time.perf_counter() - start) / options.rounds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--dt", type=float, default=0.025, help="ms")
    options = parser.parse_args()
    print(f"{'seed':>4}{'first':>9}{'best':>9}{'of first':>9}{'no events':>10}{'s':>7}", flush=True)
    for seed in range(1, options.seeds + 1):
        first, best, seconds = train(np.random.default_rng(seed), options, True)
        _, without, _ = train(np.random.default_rng(seed), options, False)
        print(f"{seed:4}{first:9.2f}{best:9.3f}{best / first:9.3f}{without:10.3f}{seconds:7.2f}", flush=True)


if __name__ == "__main__":
    main()
