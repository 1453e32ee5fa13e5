#!/usr/bin/env python3
"""hillock view: a page has the cells, places and connections of a model, as `hillock info` and the model itself tell
them. What a browser makes of it is in report_page.py."""

import json
import pathlib

import harness

harness.need("h5py", "numpy")

import numpy as np  # noqa: E402

from page_data import Page  # noqa: E402
from report import HARM, check_sound  # noqa: E402

MODEL = """hillock: 1
run: {duration: 20 ms, dt: 0.1 ms, seed: 3}
cells:
  stick:
    morphology:
      branches:
        - {name: soma, length: 20 um, diameter: 20 um}
        - {name: "dend[0]", region: dend, parent: soma, length: 200 um, diameter: 2 um, compartments: 5}
        - {name: "dend[1]", region: dend, parent: soma, length: 100 um, diameter: 1 um, compartments: 3}
    regions: {all: {pas: {g: 1 pS/um2, e: -65 mV}}, soma: {hh: {}}}
    detector: {at: soma(0.5), threshold: 0 mV}
  twig: {morphology: {random_tree: {depth: 3}}, regions: {all: {pas: {}}}}
  point: {artificial: {izhikevich: {}}}
populations:
  sticks: {cell: stick, size: 40, positions: {grid: {counts: [4, 5, 2], spacing: [10 um, 20 um, 30 um]}}}
  twigs: {cell: twig, size: 3}
  points: {cell: point, size: 500, positions: {uniform_box: [100 um, 100 um, 100 um]}}
projections:
  - {name: HARM, from: sticks, to: sticks, connect: {fixed_indegree: 5},
     synapse: {expsyn: {tau: 2 ms, e: 0 mV}, at: uniform(dend)}, weight: 2 nS, delay: 1.5 ms}
  - {name: many, from: points, to: points, connect: {pairwise_bernoulli: {p: 0.1}}, weight: {normal: {mean: 0.5, sd: 0.1}},
     delay: {uniform: {min: 1 ms, max: 3 ms}}}
  - {name: out, from: points, to: sticks, connect: {fixed_outdegree: 3},
     synapse: {exp2syn: {tau1: 1 ms, tau2: 2 ms, e: 0 mV}, at: "dend[1](0)"}, weight: 1 nS, delay: 2 ms}
  - {name: gaps, from: "sticks[0:2]", to: "sticks[2:4]", connect: one_to_one,
     gap_junction: {g: 3 nS, at: soma(0.5), peer_at: "dend[0](0.5)"}}
stimuli:
  - {iclamp: {amplitude: 0.1 nA, start: 5 ms, duration: 10 ms}, to: sticks, at: "dend[0](1)"}
record:
  - {name: v, of: sticks, variable: v, at: dend(*), every: 1 ms}
"""


def view(model, *words, code=0):
    done = harness.run("view", model, *words)
    harness.check(done.returncode == code, f"view {model}: exit code {done.returncode}: {done.stderr}")
    return done


def check_connections(page, info):
    told = {p["name"]: p for p in page.data["projections"]}
    harness.check(list(told) == [HARM, "many", "out", "gaps"], f"projections {list(told)}")
    counts = [told[HARM]["count"], told["many"]["count"], told["out"]["count"]]
    harness.check(counts[0] == 200 and counts[2] == 1500 and 20_000 < counts[1] < 30_000, f"connections {counts}")
    harness.check(abs(sum(counts) - info["connections"]) <= 1, f"{counts} in all, and info says {info['connections']}")
    harness.check([told[n]["is_exact"] for n in told] == [True, False, True, True], "which counts are exact")
    harness.check(abs(told[HARM]["weight"] - 0.002) < 1e-12 and told[HARM]["weight_unit"] == "uS", f"weights {told[HARM]}")
    harness.check(told[HARM]["delay_ms"] == 1.5 and abs(told["many"]["delay_ms"] - 2) < 0.1, "mean delays")
    harness.check(abs(told["many"]["weight"] - 0.5) < 0.02, f"mean weight {told['many']['weight']}")
    harness.check(told["gaps"]["is_gap"] and told["gaps"]["count"] == 2 and abs(told["gaps"]["weight"] - 0.003) < 1e-12 and
                  "delays" not in told["gaps"], f"gap junctions {told['gaps']}")
    delays = told["many"]["delays"]
    edges = delays["width"] * np.arange(len(delays["counts"]))
    some = edges[np.array(delays["counts"]) > 0]
    harness.check(sum(delays["counts"]) == told["many"]["sampled"] and some.min() > 0.9 and some.max() < 3, "the delays' distribution")
    by_distance = told["many"]["by_distance"]
    connected, pairs = np.array(by_distance["counts"]), np.array(by_distance["of"])
    harness.check(connected.sum() == told["many"]["sampled"] and pairs.sum() % 499 == 0 and
                  abs(connected.sum() / pairs.sum() - 0.1) < 0.01, f"connected pairs {by_distance}")
    farthest = by_distance["width"] * len(pairs)
    harness.check(80 < farthest < 180 and np.all(connected <= pairs), f"distances in a box of 100 um: {farthest}")
    nearest = told[HARM]["by_distance"]
    harness.check(sum(nearest["of"]) == 40 * 39 and sum(nearest["counts"]) <= 200, f"pairs of a grid: {nearest}")


def check_places(page):
    told = {p["name"]: p for p in page.data["populations"]}
    grid = page.blob(told["sticks"]["places"], "<f4").reshape(-1, 3)
    expected = [(x * 10, y * 20, z * 30) for z in range(2) for y in range(5) for x in range(4)]
    harness.check(np.allclose(grid, expected), f"the grid {grid[:5]}")
    box = page.blob(told["points"]["places"], "<f4").reshape(-1, 3)
    harness.check(len(box) == 500 and box.min() >= 0 and box.max() < 100 and "places" not in told["twigs"], "the box")
    harness.check(told["points"]["mechanism"] == "izhikevich", "a point neuron's mechanism")


def check_cells(page):
    stick, twig = page.data["cells"]
    harness.check((stick["branches"], stick["compartments"], stick["regions"]) == (3, 9, ["soma", "dend"]), f"stick {stick['name']}")
    harness.check(not stick["is_drawn"] and twig["is_drawn"] and twig["branches"] > 1, "the random tree")
    layers = {layer["name"]: list(page.blob(layer["elements"], "<i4")) for layer in stick["layers"]}
    expected = {
        "mechanism pas": list(range(9)), "mechanism hh": [0], "detector of spikes": [0], f"synapse expsyn of {HARM}": list(range(1, 9)),
        "synapse exp2syn of out": [0], "gap junction of gaps": [0, 3], "stimulus iclamp->sticks": [5], "recording v": [3, 7]}
    harness.check(layers == expected, f"what is where: {layers}")


def main():
    with harness.scratch() as folder:
        folder = pathlib.Path(folder)
        model = folder / "model.yaml"
        model.write_text(MODEL.replace("HARM", json.dumps(HARM)))
        view(model)
        page = Page(folder / "model.html")
        check_sound(page, "the page of a model")
        harness.check(page.data["title"] == "model" and page.data["duration_ms"] == 20, "the head")
        check_connections(page, json.loads(harness.run("info", model, "--json").stdout))
        check_places(page)
        check_cells(page)
        view(model, "--set", "populations.points.size=40000", "--set", "projections.1.connect={fixed_indegree: 2}", "-o", folder / "large.html")
        points = Page(folder / "large.html").data["populations"][2]
        harness.check(points["every_cell"] == 3, f"every {points['every_cell']}th cell of 40,000 is shown")
        view(model, "--set", "populations.points.size=0", code=3)
        view(folder / "none.yaml", code=4)
        view(model, "-o", folder, code=4)
    harness.finish(6, "views of models")


if __name__ == "__main__":
    main()
