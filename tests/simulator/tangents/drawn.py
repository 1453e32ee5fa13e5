#!/usr/bin/env python3
"""Directional derivatives of drawn cells beside those of the reference (docs/gradients.md).

    drawn.py HILLOCK TANGENTS [--cases N] [--first NUMBER] [--seed SEED] [--most COMPARTMENTS] [--keep FOLDER]
             [--mod-files FILE ...]

A case is a tree of 1 to some compartments with one mechanism in the foreground, of the catalogue or of the files in
turn, and up to two of the catalogue beside it; two directions each, one of them of the parameters of its kinetics alone,
if it has such. Fails where one is off by more than it may, or a mechanism's is always 0.
"""

import argparse
import json
import math
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

INTEGRATORS = ("backward_euler", "crank_nicolson")
#: What may stand beside a mechanism, everywhere.
BESIDE = {"hh_traub": {"gnabar": "0.01 S/cm2"}, "kdr": {"gbar": "0.002 S/cm2"}, "ih": {"gbar": "1e-4 S/cm2"},
          "cal": {"gbar": "1e-4 S/cm2"}, "capool": {"decay": "20 ms"}, "sk": {"gbar": "1e-4 S/cm2"}}
IN_PLACE_OF_0 = {"amplitude": 0.1, "duration": 3}
#: A transposed product may be off by 1e-12, or by so many times what doubles do to the reference's own derivative.
ROUNDINGS = 3


class Shown:
    """What `hillock mech show` says of a mechanism."""

    def __init__(self, hillock, name_or_file):
        shown = subprocess.run([hillock, "mech", "show", name_or_file], capture_output=True, text=True)
        if shown.returncode:
            raise ValueError(shown.stderr.strip().splitlines()[0])
        lines = shown.stdout.splitlines()
        self.name, self.kind = re.match(r"(\S+) \((\w+)", lines[0]).groups()
        self.file = name_or_file if name_or_file.endswith(".mod") else None
        self.weight = next((line.split()[-1] for line in lines if line.startswith("weight in")), "1")
        self.parameters, self.ions, self.sets_calcium = {}, set(), False
        for line in lines:
            if ion := re.match(r"ion (\w+):", line):
                self.ions.add(ion.group(1))
                self.sets_calcium |= ion.group(1) == "ca" and "sets its concentration" in line
            found = re.match(r"(\w+) +parameter +(?:([^\s\d-]\S*|1(?:/\S+)?) +)?(-?[\d.]\S*)"
                             r"(?: +(?:at least )?(\S+))??(?: +(?:to|at most) (\S+))?$", line)
            if found:
                name, unit, default, least, most = found.groups()
                self.parameters[name] = (unit or "1", float(default), float(least or -math.inf), float(most or math.inf))

    def draw(self, rng):
        """{parameter: number} near the defaults."""
        numbers = {}
        for name, (_, default, least, most) in self.parameters.items():
            number = default or IN_PLACE_OF_0.get(name, 1e-4 if re.match(r"[gp]", name) and name != "period" else 0)
            number *= rng.uniform(0.95, 1.05)
            numbers[name] = min(max(number, least), most)
        return numbers

    def kinetics(self):
        """Parameters that are no densities, conductances or potentials, if there are any; of others than channels and
        synapses all."""
        some = [name for name, (unit, *_) in self.parameters.items()
                if unit not in ("S/cm2", "cm/s", "uS", "mV") and self.kind in ("density", "synapse")]
        return some or list(self.parameters)

    def texts(self, numbers):
        return {name: number if self.parameters[name][0] == "1" else f"{number!r} {self.parameters[name][0]}"
                for name, number in numbers.items()}


def tree(rng, most):
    """Branches of a cell, and how long its pieces are at most: about as many compartments as are drawn."""
    wanted = round(math.exp(rng.uniform(0, math.log(most))))
    names, branches = ["soma"], [{"name": "soma", "length": "20 um", "diameter": f"{rng.uniform(10, 20):.2f} um"}]
    length = rng.uniform(5, 40)
    left = wanted - 1
    while left > 0:
        pieces = min(left, rng.randint(1, 40))
        name = f"dend[{len(names) - 1}]"
        branches.append({"name": name, "parent": rng.choice(names), "length": f"{pieces * length * 0.999:.4f} um",
                         "diameter": f"{rng.uniform(0.5, 3):.3f} um"})
        names.append(name)
        left -= pieces
    return branches, f"{max(length, 20):.4f} um" if wanted == 1 else f"{length:.4f} um", names


def case(rng, shown, integrator, most):
    """A model, and {path: number} of it; those of the mechanism's own parameters first."""
    branches, piece, names = tree(rng, most)
    everywhere = {"cm": f"{rng.uniform(0.8, 1.5):.3f} uF/cm2", "Ra": f"{rng.uniform(70, 200):.1f} ohm.cm",
                  "pas": {"g": f"{rng.uniform(3e-5, 2e-4):.3g} S/cm2", "e": "-67 mV"}}
    for name in rng.sample(sorted(BESIDE), rng.randint(0, 2)):
        everywhere[name] = BESIDE[name]
    if shown.sets_calcium:
        everywhere.pop("capool", None)
        everywhere |= {"sk": BESIDE["sk"]}
    elif "ca" in shown.ions and rng.random() < 0.5:
        everywhere["capool"] = BESIDE["capool"]
    if "ca" in shown.ions:
        everywhere["cal"] = BESIDE["cal"]
    numbers = shown.draw(rng)
    texts = shown.texts(numbers)
    stimuli = [{"iclamp": {"amplitude": f"{rng.uniform(0.02, 0.3):.3f} nA", "start": "1 ms", "duration": "4 ms"},
                "to": "cells", "at": "soma(0.5)"}]
    paths, region = "cells.cell.regions.all.", rng.choice(("all", "soma"))
    values = {}
    if shown.kind == "density":
        if shown.name != "pas":
            everywhere.pop(shown.name, None)
        base = f"cells.cell.regions.{region}.{shown.name}."
    elif shown.kind == "synapse":
        base = f"stimuli.1.synapse.{shown.name}."
        weight = "2e-4 uS" if shown.weight == "uS" else 2e-4
        stimuli.append({"spikes": {"times": ["1.3 ms", "3 ms", "3.01 ms"]}, "to": "cells", "weight": weight,
                        "synapse": {shown.name: texts, "at": f"{rng.choice(names)}(0.5)"}})
        values["stimuli.1.weight"] = 2e-4
    else:
        base = f"stimuli.1.point.{shown.name}."
        stimuli.append({"point": {shown.name: texts, "at": f"{rng.choice(names)}(0.5)"}, "to": "cells"})
    own = {base + name: number for name, number in numbers.items()}
    regions = {"all": everywhere}
    if shown.kind == "density":
        regions.setdefault(region, {})[shown.name] = texts
    model = {"hillock": 1,
             "run": {"duration": "6 ms", "dt": "0.025 ms", "integrator": integrator,
                     "temperature": f"{rng.uniform(18, 35):.1f} degC", "v_init": f"{rng.uniform(-72, -60):.2f} mV"},
             "cells": {"cell": {"morphology": {"branches": branches}, "discretization": {"max_length": piece},
                                "regions": regions}},
             "populations": {"cells": {"cell": "cell", "size": 1}}, "stimuli": stimuli,
             "record": [{"name": "v", "of": "cells", "variable": "v", "at": "all", "every": "0.25 ms", "type": "float64"}]}
    if "ca" in shown.ions or "capool" in everywhere:
        model["record"].append({"name": "ca", "of": "cells", "variable": "cai", "at": "all", "every": "0.25 ms",
                                "type": "float64"})
    if shown.file:
        model["mechanisms"] = [shown.file]
    values |= {"stimuli.0.iclamp.amplitude": float(stimuli[0]["iclamp"]["amplitude"].split()[0]),
               "run.v_init": float(model["run"]["v_init"].split()[0]),
               paths + "cm": float(everywhere["cm"].split()[0]), paths + "Ra": float(everywhere["Ra"].split()[0]),
               paths + "pas.g": float(everywhere["pas"]["g"].split()[0]),
               paths + "pas.e": float(everywhere["pas"]["e"].split()[0])}
    values |= own  # of pas the same
    return model, values, {base + name for name in shown.kinetics()}


def written(number, model, values, own, rng, folder):
    file = Path(folder) / f"{number}.yaml"
    file.write_text(json.dumps(model), encoding="utf-8")
    lines = [f"case {number} {file}"]
    for path, value in values.items():
        every = value * rng.gauss(0, 1)
        lines.append(f"value {path} {value!r} {every if path in own else 0.0!r} {value * rng.gauss(0, 1)!r}")
    return "\n".join([*lines, "end", ""])


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("hillock")
    arguments.add_argument("tangents")
    arguments.add_argument("--mod-files", nargs="+", default=[])
    arguments.add_argument("--cases", type=int, default=500)
    arguments.add_argument("--first", type=int, default=0, help="the number of the first of them")
    arguments.add_argument("--seed", type=int, default=39)
    arguments.add_argument("--most", type=int, default=500)
    arguments.add_argument("--keep")
    options = arguments.parse_args()
    if options.mod_files:
        shown = []
        for file in options.mod_files:
            try:
                shown.append(Shown(options.hillock, file))
            except ValueError as problem:
                print(f"{file}: {problem}")
    else:
        listed = subprocess.run([options.hillock, "mech", "list"], capture_output=True, text=True, check=True).stdout
        names = [line.split()[0] for line in listed.splitlines() if line.split()[1] != "artificial"]
        shown = [Shown(options.hillock, name) for name in names if name != "gap"]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(options.keep or scratch)
        folder.mkdir(exist_ok=True)
        run(options, shown, folder)


def run(options, shown, folder):
    texts, foreground = [], {}
    for number in range(options.first, options.first + options.cases):
        rng = random.Random(options.seed * 1_000_003 + number)
        one = foreground[number] = shown[number % len(shown)]
        integrator = INTEGRATORS[number // len(shown) % 2]
        texts.append(written(number, *case(rng, one, integrator, options.most), rng, folder))
    (folder / "cases").write_text("".join(texts), encoding="utf-8")
    with open(folder / "cases", encoding="utf-8") as cases, open(folder / "told", "w", encoding="utf-8") as told:
        subprocess.run([options.tangents, str(folder)], stdin=cases, stdout=told, check=True)
    count, smooth, worst, bad, refused, moves, sizes = 0, 0, [0.0] * 3, [], {}, {}, {}
    lines = [line.split() for line in (folder / "told").read_text(encoding="utf-8").splitlines()]
    for words in lines:
        if words[1] != "refused:":
            sizes[words[0]] = max(sizes.get(words[0], 0), *map(float, words[-2:]))
    for words in lines:
        name = foreground[int(words[0])].name
        if words[1] == "refused:":
            why = re.sub(r"^\S+\.yaml:\S+ ", "", " ".join(words[2:]))
            refused.setdefault(why, []).append((int(words[0]), name))
            if "not a finite number" in why:
                bad.append(f"case {words[0]}, {name}: {why}")
            continue
        tangent, gradient, transposed, rounded, differences, size, _ = map(float, words[2:])
        count += 1
        moves[name] = moves.get(name, False) or (words[1] == "0" and tangent != 0)
        least = max(abs(tangent), 1e-6 * sizes[words[0]], 1e-300)
        off = [abs(gradient - tangent) / least,
               abs(transposed - tangent) / (max(size, abs(tangent), 1e-300) + ROUNDINGS * abs(rounded - tangent) / 1e-12),
               abs(differences - tangent) / least]
        smooth += off[0] <= 1e-9
        worst = [max(a, b) if b == b else math.inf for a, b in zip(worst, off)]
        if not (off[0] <= 1e-6 and off[1] <= 1e-12 and off[2] <= 1e-6):
            bad.append(f"case {words[0]}, direction {words[1]}, {name}: off by {off[0]:.1e} of its gradient, "
                       f"{off[1]:.1e} of the transposed product, {off[2]:.1e} of differences")
    print(*bad, sep="\n")
    for why, cases in refused.items():
        print(f"refused: {why}: {', '.join(f'{name} ({number})' for number, name in cases[:8])}")
    still = sorted(name for name in moves if not moves[name])
    print(f"{count} directional derivatives of {len(moves)} mechanisms: off by at most {worst[0]:.1e} (1e-9: {smooth} of "
          f"them), transposed products by {worst[1]:.1e}, differences by {worst[2]:.1e}; {len(bad)} are off by more than "
          f"they may; none by a parameter of: {', '.join(still) or 'none'}")
    sys.exit(bool(bad) or count == 0 or bool(still))


if __name__ == "__main__":
    main()
