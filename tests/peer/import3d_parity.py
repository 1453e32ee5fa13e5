#!/usr/bin/env python3
"""Compares branches read from SWC files under `soma: neuron8`, and from Neurolucida's .asc files,
with those of NEURON's Import3d, one by one.

    import3d_parity.py [options] FILE.swc|FILE.asc ...

Hillock's side is JSON, {"branches": [{"name", "region", "parent", "at", "length_um",
"compartments", "area_um2": [...]}]}, where parent is an index or -1. A branch may also carry
"points", [[x, y, z, diameter], ...]. It comes from --command, run once a file with {file} replaced
by the file's path, or by default from `hillock info --branches` on a small model written for the file.

Compared: names, parents and where they are joined exactly; the order, except where NEURON lists a
branch before its parent, which Hillock never does; points exactly (both are single precision); the
number of compartments by the d_lambda rule exactly; lengths and areas of compartments to a relative
2e-7 (round-off: NEURON subtracts coordinates in single precision, whose epsilon is 1.2e-7). A soma
that NEURON makes of one contour may run the other way (NEURON 8 leaves that to its linear algebra,
NEURON 9 does not), and is compared to 5e-6: its circles lie on an axis found by another method.

Exit status: 0 all equal, 1 differences or refusals, 77 NEURON is not installed (1 with
REQUIRE_PEERS=1).
"""

import argparse
import json
import math
import os
import re
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bench"))

from needs import SKIPPED, Needs, peers_are_required  # noqa: E402

# NEURON subtracts coordinates in single precision, which shows in lengths near 1e-8 relative.
TOLERANCE = 2e-7
CONTOUR_TOLERANCE = 5e-6

MODEL = """\
hillock: 1
run: {{duration: 1 ms, dt: 0.025 ms}}
cells:
  cell:
    morphology: {{{format}: "{file}"}}
    discretization: {{d_lambda: {d_lambda}}}
    regions: {{all: {{cm: {cm} uF/cm2, Ra: {ra} ohm.cm}}}}
populations:
  one: {{cell: cell, size: 1}}
"""


def import_neuron():
    try:
        from neuron import h
    except ImportError:
        print("skipped: NEURON's Python module is not installed")
        sys.exit(1 if peers_are_required() else SKIPPED)
    h.load_file("stdlib.hoc")
    h.load_file("import3d.hoc")
    return h


class Cell:
    """Import3d puts its sections here as lists: cell.soma, cell.dend, ..."""

    def __init__(self):
        self.all = []


def hillock_name(section, soma_count):
    """NEURON's soma[0] of one is soma; its dend_5[0] is tag5[0]."""
    name = section.name().split(".")[-1]
    if name == "soma[0]" and soma_count == 1:
        return "soma"
    return re.sub(r"^dend_(\d+)", r"tag\1", name)


def read_with_neuron(h, path, options):
    """A list of dictionaries like Hillock's, in the order in which NEURON made the sections."""
    is_asc = path.endswith(".asc")
    reader = h.Import3d_Neurolucida3() if is_asc else h.Import3d_SWC_read()
    reader.quiet = 1
    reader.input(path)
    cell = Cell()
    h.Import3d_GUI(reader, 0).instantiate(cell)
    sections = [s for s in h.allsec() if s.cell() is cell]
    soma_count = sum(s.name().split(".")[-1].startswith("soma[") for s in sections)
    branches = []
    for section in sections:
        section.Ra = options.ra
        section.cm = options.cm
        if section.L <= 1.001e-9:  # all points coincide: lambda_f would divide by zero
            continue
        wavelength = h.lambda_f(100, sec=section)
        section.nseg = int((section.L / (options.d_lambda * wavelength) + 0.9) / 2) * 2 + 1
    for section in sections:
        parent = section.parentseg()
        branches.append(
            {
                "name": hillock_name(section, soma_count),
                "parent": hillock_name(parent.sec, soma_count) if parent else None,
                "at": parent.x if parent else None,
                "length_um": section.L,
                "compartments": section.nseg,
                "area_um2": [segment.area() for segment in section],
                "from_contour": is_asc and section.name().split(".")[-1].startswith("soma["),
                "points": [
                    [section.x3d(i), section.y3d(i), section.z3d(i), section.diam3d(i)]
                    for i in range(section.n3d())
                ],
            }
        )
    return branches


def read_with_hillock(path, options):
    if options.command:
        command = [word.replace("{file}", path) for word in shlex.split(options.command)]
        return run_for_json(command)
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, "model.yaml")
        with open(model, "w", encoding="utf-8") as out:
            out.write(
                MODEL.format(
                    format="asc" if path.endswith(".asc") else "swc",
                    file=os.path.abspath(path),
                    d_lambda=options.d_lambda,
                    cm=options.cm,
                    ra=options.ra,
                )
            )
        return run_for_json([options.hillock, "info", model, "--branches", "cell"])


def run_for_json(command):
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    except FileNotFoundError:
        sys.exit(f"{command[0]}: no such command; give --hillock or --command")
    if done.returncode != 0:
        return None, done.stderr.strip()
    return json.loads(done.stdout)["branches"], done.stderr.strip()


def close(a, b, tolerance=TOLERANCE):
    return math.isclose(a, b, rel_tol=tolerance, abs_tol=1e-12)


def runs_backwards(branch, expected):
    """Whether a soma of contours begins where NEURON's ends."""
    if not expected["from_contour"] or len(branch["area_um2"]) != len(expected["area_um2"]):
        return False

    def apart(areas):
        return sum(abs(a - b) for a, b in zip(branch["area_um2"], areas))

    return apart(expected["area_um2"][::-1]) < apart(expected["area_um2"])


def points_equal(points, expected, from_contour):
    if not from_contour:
        return points == expected
    return all(math.isclose(a, b, rel_tol=CONTOUR_TOLERANCE, abs_tol=1e-4)
               for p, q in zip(points, expected) for a, b in zip(p, q))


def compare(ours, theirs):
    """Yields one line for each difference, and returns the largest relative one of an area."""
    for i, branch in enumerate(ours):
        if branch["parent"] >= i:
            yield f"{branch['name']}: parent {branch['parent']} does not come before it"
    by_name = {branch["name"]: branch for branch in ours}
    if len(by_name) != len(ours):
        yield "branch names are not unique"
    names, their_names = [b["name"] for b in ours], [b["name"] for b in theirs]
    if sorted(names) != sorted(their_names):
        missing = sorted(set(their_names) - set(names))
        surplus = sorted(set(names) - set(their_names))
        yield f"{len(ours)} branches for {len(theirs)}; missing {missing[:5]}, surplus {surplus[:5]}"
        return
    seen = {None}
    parents_first = True
    for branch in theirs:
        parents_first = parents_first and branch["parent"] in seen
        seen.add(branch["name"])
    if parents_first and names != their_names:
        first = next(i for i in range(len(names)) if names[i] != their_names[i])
        yield f"branch {first} is {names[first]} for {their_names[first]}"
    for expected in theirs:
        branch = by_name[expected["name"]]
        name = branch["name"]
        tolerance = CONTOUR_TOLERANCE if expected["from_contour"] else TOLERANCE
        if runs_backwards(branch, expected):
            expected["points"].reverse()
            expected["area_um2"].reverse()
        parent = ours[branch["parent"]]["name"] if branch["parent"] >= 0 else None
        if parent != expected["parent"]:
            yield f"{name}: parent {parent} for {expected['parent']}"
        elif parent is not None and branch["at"] != expected["at"]:
            yield f"{name}: at {branch['at']} for {expected['at']}"
        if branch["region"] != name.split("[")[0]:
            yield f"{name}: region {branch['region']}"
        if "points" in branch:
            if len(branch["points"]) != len(expected["points"]):
                yield f"{name}: {len(branch['points'])} points for {len(expected['points'])}"
            elif branch["length_um"] > 1e-8 and not points_equal(
                branch["points"], expected["points"], expected["from_contour"]
            ):
                yield f"{name}: points differ"
        if not close(branch["length_um"], expected["length_um"], tolerance):
            # A branch of coinciding points is 1e-9 um long in both, to the coordinates' round-off.
            if max(branch["length_um"], expected["length_um"]) > 1.001e-9:
                yield f"{name}: length {branch['length_um']} for {expected['length_um']}"
        if branch["compartments"] != expected["compartments"]:
            yield f"{name}: {branch['compartments']} compartments for {expected['compartments']}"
            continue
        for k, (area, expected_area) in enumerate(zip(branch["area_um2"], expected["area_um2"])):
            if not close(area, expected_area, tolerance) and branch["length_um"] > 1e-8:
                yield f"{name}: compartment {k} has {area} um2 for {expected_area}"
                break


def totals(branches):
    return (
        f"{len(branches)} branches, {sum(b['compartments'] for b in branches)} compartments, "
        f"{sum(b['length_um'] for b in branches):.10g} um, "
        f"{sum(sum(b['area_um2']) for b in branches):.10g} um2"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--hillock", default="hillock", help="the hillock command")
    parser.add_argument("--command", help="another command that prints the JSON; {file} is the file")
    parser.add_argument("--d-lambda", type=float, default=0.1)
    parser.add_argument("--ra", type=float, default=100.0, help="ohm.cm")
    parser.add_argument("--cm", type=float, default=1.0, help="uF/cm2")
    parser.add_argument("--shown", type=int, default=5, help="differences shown for each file")
    options = parser.parse_args()
    needs = Needs()
    for path in options.files:
        needs.file(path)
    if not options.command:
        needs.program(options.hillock, "name another with --hillock, or give --command")
    needs.check()
    h = import_neuron()

    different = 0
    for path in options.files:
        ours, said = read_with_hillock(path, options)
        try:
            theirs = read_with_neuron(h, path, options)
        except RuntimeError as error:
            theirs = None
            print(f"{path}: NEURON gave up ({error})")
        if theirs is not None:
            print(f"{path}: NEURON  {totals(theirs)}")
        if ours is None:
            print(f"{path}: Hillock refuses it:\n  {said}")
            different += 1
            continue
        print(f"{path}: Hillock {totals(ours)}")
        if theirs is None:
            different += 1
            continue
        differences = list(compare(ours, theirs))
        for line in differences[: options.shown]:
            print(f"  {line}")
        print(f"  {len(differences)} differences" if differences else "  equal")
        different += bool(differences)
    print(f"NEURON {h.nrnversion(5)}: {len(options.files) - different} of {len(options.files)} equal")
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
