#!/usr/bin/env python3
"""Question: how much faster are one large cell, and a few more cells than threads, on several threads?

"hh", "complex": a random tree of long branches with hh everywhere, or with busyring's channels; "fine": the library's
pyramidal cell in compartments of a micrometre, with hh; "17", "64": complex cells of busyring, some 1,600 compartments
each. Seconds of the steps, the best of some runs, and how many times one thread's speed.

    bench/cpu/large_cells.py [--threads N,N,…] [--times N] [--only NAME] [--hillock PROGRAM] [--before PROGRAM]
"""

import json
import pathlib
import tempfile

import builds
import models

LIBRARY = pathlib.Path(__file__).resolve().parents[2] / "models/library"


def tree(is_complex):
    model, _ = models.busyring(1, 10, 20 if is_complex else 100, is_complex)
    model["cells"]["cell"]["morphology"]["random_tree"]["compartments"] = [130, 34]
    if not is_complex:
        model["cells"]["cell"]["regions"] = {"all": {"cm": "1 uF/cm2", "Ra": "100 ohm.cm", "hh": models.HH}}
    model["projections"] = []
    return model, None


def fine():
    model, _ = tree(False)
    model["cells"]["cell"] |= {"morphology": {"swc": str(LIBRARY / "pyramid.swc")},
                               "discretization": {"max_length": "1 um"}}
    return model, None


def all_models():
    return {"hh": tree(False), "complex": tree(True), "fine": fine(), "17": models.busyring(17, 10, 50, True),
            "64": models.busyring(64, 10, 50, True)}


def seconds(program, path, threads, times):
    return min(builds.timings(program, path, threads)["advance"] for _ in range(times))


def main():
    parser = builds.parser_of(__doc__)
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    threads = [int(number) for number in options.threads.split(",")]
    with tempfile.TemporaryDirectory(prefix="hillock-large-") as name:
        for cells, (model, pairs) in all_models().items():
            if options.only not in cells:
                continue
            path = pathlib.Path(name) / "model.yaml"
            path.write_text(json.dumps(model))
            if pairs:
                (path.parent / "pairs.csv").write_text(pairs)
            for program in builds.programs_of(options):
                taken = [seconds(program, path, number, options.times) for number in threads]
                print(f"{cells:<10}" + "  ".join(f"{number}: {s:.3f} s ({taken[0] / s:.2f})"
                                                 for number, s in zip(threads, taken)), flush=True)


if __name__ == "__main__":
    main()
