#!/usr/bin/env python3
"""A stub with the diameters of the axon that it replaces, and NEURON's nseg = 1 + 2*int(L/40), beside
the same steps in NEURON, on the library's pyramid.

    axon_stub.py [--hillock PROGRAM]

Diameters and areas agree to 2e-7 (import3d_parity.py), joints and numbers of compartments exactly.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile

from import3d_parity import TOLERANCE, Cell, import_neuron

SWC = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../models/library/pyramid.swc")
MODEL = """\
hillock: 1
run: {{duration: 1 ms}}
cells:
  cell:
    morphology: {{swc: "{swc}", replace_axon: {{diameter: original, at: 1}}}}
    discretization: {{odd_pieces: 40 um}}
    regions: {{all: {{Ra: 100 ohm.cm}}}}
populations: {{one: {{cell: cell, size: 1}}}}
"""


def with_neuron(h):
    reader = h.Import3d_SWC_read()
    reader.quiet = 1
    reader.input(SWC)
    cell = Cell()
    h.Import3d_GUI(reader, 0).instantiate(cell)
    diameters = [cell.axon[0].diam, cell.axon[-1].diam]
    for section in cell.axon:
        h.delete_section(sec=section)
    cell.stub = [h.Section(name=f"axon[{i}]") for i in range(2)]
    for section, diameter in zip(cell.stub, diameters):
        section.L = 30
        section.diam = diameter
    cell.stub[0].connect(cell.soma[0](1), 0)
    cell.stub[1].connect(cell.stub[0](1), 0)
    areas = {}
    for section in h.allsec():
        section.nseg = 1 + 2 * int(section.L / 40)
        name = section.name().split(".")[-1]
        areas["soma" if name == "soma[0]" else name] = [segment.area() for segment in section]
    return diameters, areas


def with_hillock(program):
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, "model.yaml")
        with open(model, "w", encoding="utf-8") as out:
            out.write(MODEL.format(swc=os.path.abspath(SWC)))
        done = subprocess.run([program, "info", model, "--branches", "cell"], check=True,
                              stdout=subprocess.PIPE)
    return json.loads(done.stdout)["branches"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hillock", default=os.environ.get("HILLOCK", "hillock"))
    options = parser.parse_args()
    diameters, areas = with_neuron(import_neuron())
    branches = with_hillock(options.hillock)
    by_name = {branch["name"]: branch for branch in branches}
    problems = []
    if sorted(by_name) != sorted(areas):
        problems.append(f"{len(by_name)} branches for {len(areas)}")
    for name, expected in areas.items():
        found = by_name[name]["area_um2"] if name in by_name else []
        if len(found) != len(expected):
            problems.append(f"{name}: {len(found)} compartments for {len(expected)}")
        elif any(not math.isclose(a, b, rel_tol=TOLERANCE) for a, b in zip(found, expected)):
            problems.append(f"{name}: areas {found} for {expected}")
    for i, (parent, diameter) in enumerate(zip(["soma", "axon[0]"], diameters)):
        stub = by_name[f"axon[{i}]"]
        if (branches[stub["parent"]]["name"], stub["at"]) != (parent, 1):
            problems.append(f"axon[{i}] joins {branches[stub['parent']]['name']}({stub['at']})")
        found = sum(stub["area_um2"]) / (math.pi * stub["length_um"])
        if not math.isclose(found, diameter, rel_tol=TOLERANCE):
            problems.append(f"axon[{i}]: diameter {found} for {diameter}")
    if diameters[0] == diameters[1]:
        problems.append("the axon's ends are alike, so nothing was compared")
    print("\n".join(problems) if problems else f"equal; diameters {diameters}")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
