#!/usr/bin/env python3
"""Writes the model of myelinated fibres after McIntyre, Richardson and Grill (2002), J. Neurophysiol. 87:995-1006,
beside an electrode that is a point.

    examples/myelinated_axon/make.py --diameter 10 --distances 1 2 -o fibres.yaml
    hillock run fibres.yaml

Without -o the model goes to standard output, and is to lie where make.py was called. Fibres lie along x, side by side
along y; the electrode is above their middle node, at the distances given."""

import argparse
import dataclasses
import math
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent

# [diameter of the fibre]: diameters of axon and node, from node to node, length of FLUT, all in um, and lamellae of
# myelin (the authors' model, ModelDB 3810). The axon is as thin as the node within MYSA.
SIZES = {5.7: (3.4, 1.9, 500, 35, 80), 7.3: (4.6, 2.4, 750, 38, 100), 8.7: (5.8, 2.8, 1000, 40, 110),
         10.0: (6.9, 3.3, 1150, 46, 120), 11.5: (8.1, 3.7, 1250, 50, 130), 12.8: (9.2, 4.2, 1350, 54, 135),
         14.0: (10.4, 4.7, 1400, 56, 140), 15.0: (11.5, 5.0, 1450, 58, 145), 16.0: (12.7, 5.5, 1500, 60, 150)}
NODE_UM, MYSA_UM, STIN_PIECES = 1, 3, 6
NARROW_UM, WIDE_UM = 0.002, 0.004  # between axon and myelin: at nodes and MYSA, elsewhere
RESISTIVITY_OHM_CM = 70  # of the axon and of what lies between it and the myelin
AXON_UF_PER_CM2, REST_MV = 2, -80
LAMELLA_UF_PER_CM2, LAMELLA_S_PER_CM2 = 0.1, 0.001  # of each of the two membranes of a lamella
CURRENT_UA = -10  # of the electrode, times `scale`
LEAK_S_PER_CM2 = {"mysa": 0.001, "flut": 0.0001, "stin": 0.0001}


@dataclasses.dataclass
class Fibre:
    """Sizes of one diameter, in um."""

    diameter: float
    nodes: int = 21

    def __post_init__(self):
        self.axon, self.node, self.spacing, self.flut_length, self.lamellae = SIZES[self.diameter]

    @property
    def lengths(self):
        """{region: of one branch}"""
        stin = self.spacing - NODE_UM - 2 * MYSA_UM - 2 * self.flut_length
        return {"node": NODE_UM, "mysa": MYSA_UM, "flut": self.flut_length, "stin": stin}

    @property
    def middle(self):
        """x of the middle node"""
        return self.nodes // 2 * self.spacing + NODE_UM / 2


def said(number, unit):
    return f"{number:.12g} {unit}"


def branches(fibre):
    """From end to end: a node, and after each but the last one its internode."""
    count = dict.fromkeys(fibre.lengths, 0)
    for number in range(fibre.nodes):
        is_last = number == fibre.nodes - 1
        for region in ["node"] if is_last else ["node", "mysa", "flut", "stin", "flut", "mysa"]:
            branch = {"name": f"{region}[{count[region]}]", "length": said(fibre.lengths[region], "um"),
                      "diameter": said(fibre.node if region == "node" else fibre.diameter, "um")}
            if region == "stin":
                branch["compartments"] = STIN_PIECES
            if number or region != "node":
                branch["parent"] = before
            yield branch
            before = branch["name"]
            count[region] += 1


def along_MOhm_per_cm(diameter, space):
    """Of the space between an axon and its myelin."""
    area_um2 = math.pi * ((diameter / 2 + space) ** 2 - (diameter / 2) ** 2)
    return 100 * RESISTIVITY_OHM_CM / area_um2


def layers(diameter, space, g, c):
    """The space around an axon with its myelin, and at hand outside of that what is far away: capacitance of an
    outermost layer would lead to ground, not to where the electrode's potential is."""
    return [{"xraxial": said(along_MOhm_per_cm(diameter, space), "MOhm/cm"), "xg": said(g, "S/cm2"),
             "xc": said(c, "uF/cm2")}, {}]


def node(fibre):
    """Of a node, around which there is no myelin."""
    return {"cm": said(AXON_UF_PER_CM2, "uF/cm2"), "Ra": said(RESISTIVITY_OHM_CM, "ohm.cm"), "axnode": {},
            "ions": {"na": {"e": "50 mV"}, "k": {"e": "-90 mV"}},
            "extracellular": layers(fibre.node, NARROW_UM, 1e10, 0)}


def under_myelin(fibre, axon, space, leak):
    """Branches are as thick as the myelin, whose area that of its layer is; numbers of the axon in it are made so."""
    part, membranes = axon / fibre.diameter, 2 * fibre.lamellae
    return {"cm": said(AXON_UF_PER_CM2 * part, "uF/cm2"), "Ra": said(RESISTIVITY_OHM_CM / part**2, "ohm.cm"),
            "pas": {"g": said(leak * part, "S/cm2"), "e": said(REST_MV, "mV")},
            "extracellular": layers(axon, space, LAMELLA_S_PER_CM2 / membranes, LAMELLA_UF_PER_CM2 / membranes)}


def cell(fibre):
    axons = {"mysa": (fibre.node, NARROW_UM), "flut": (fibre.axon, WIDE_UM), "stin": (fibre.axon, WIDE_UM)}
    regions = {"node": node(fibre)}
    for region, (axon, space) in axons.items():
        regions[region] = under_myelin(fibre, axon, space, LEAK_S_PER_CM2[region])
    return {"morphology": {"branches": list(branches(fibre))}, "discretization": {"per_branch": 1},
            "regions": regions, "detector": {"at": f"node[{fibre.nodes - 2}](0.5)", "threshold": "-20 mV"}}


def electrode(fibre, times, width_ms):
    """A pulse after 1 ms above the middle node; fibres begin at x = 0."""
    return {"points": [[said(fibre.middle, "um"), "0 um", "0 um"]], "current": said(CURRENT_UA, "uA"),
            "conductivity": "0.2 S/m", "scale": times,
            "waveform": {"amplitude": 1, "start": "1 ms", "duration": said(width_ms, "ms")}}


def model(fibre, distances_mm, times=20, width_ms=0.1, duration_ms=4, mechanism=HERE / "axnode.mod"):
    """A fibre at each distance; the current is so many times CURRENT_UA."""
    places = [["0 um", said(1000 * distance, "um"), "0 um"] for distance in distances_mm]
    return {"hillock": 1, "mechanisms": [str(mechanism)],
            "run": {"duration": said(duration_ms, "ms"), "dt": "0.005 ms", "seed": 1, "temperature": "37 degC",
                    "v_init": said(REST_MV, "mV")},
            "cells": {"fibre": cell(fibre)},
            "populations": {"fibres": {"cell": "fibre", "size": len(places), "positions": {"list": places}}},
            "stimuli": [{"to": "fibres", "field": electrode(fibre, times, width_ms)}],
            "record": [{"name": "spikes", "of": "fibres"},
                       {"name": "v", "of": "fibres", "variable": "v", "at": "node(*)", "every": "0.02 ms"}]}


def flow(value):
    """On one line"""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {flow(below)}" for key, below in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(flow, value)) + "]"
    text = str(value)
    return f'"{text}"' if set(text) & set("[]{},:*#") else text


def block(value, indent=""):
    """Lines that hold what is short, else one for each entry."""
    for key, below in value.items():
        line = f"{indent}{key}: {flow(below)}"
        if len(line) <= 120:
            yield line
            continue
        yield f"{indent}{key}:"
        if isinstance(below, dict):
            yield from block(below, indent + "  ")
        else:
            for entry in below:
                yield from item(entry, indent + "  ")


def item(entry, indent):
    """Lines of an entry of a list"""
    line = f"{indent}- {flow(entry)}"
    if len(line) <= 120 or not isinstance(entry, dict):
        yield line
        return
    yield from ((f"{indent}- " if not number else f"{indent}  ") + text
                for number, text in enumerate(block(entry)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--diameter", type=float, choices=SIZES, default=10.0, help="of the fibre, um (default: 10)")
    parser.add_argument("--nodes", type=int, default=21, help="of Ranvier (default: 21)")
    parser.add_argument("--distances", type=float, nargs="+", default=[1.0], metavar="MM",
                        help="from the electrode, a fibre each (default: 1)")
    parser.add_argument("--current", type=float, default=-200, metavar="uA", help="of the electrode (default: -200)")
    parser.add_argument("--width", type=float, default=0.1, metavar="MS", help="of its pulse (default: 0.1)")
    parser.add_argument("-o", "--output", type=pathlib.Path, help="file (default: standard output)")
    given = parser.parse_args()
    if given.nodes < 3:
        parser.error(f"{given.nodes} nodes are too few: 3 or more")
    folder = given.output.resolve().parent if given.output else pathlib.Path.cwd()
    made = model(Fibre(given.diameter, given.nodes), given.distances, given.current / CURRENT_UA, given.width,
                 mechanism=os.path.relpath(HERE / "axnode.mod", folder))
    title = (f"# {given.nodes} nodes of a fibre of {given.diameter:g} um after McIntyre, Richardson and Grill (2002),"
             " beside an electrode.\n# Made by examples/myelinated_axon/make.py.\n")
    text = title + "\n".join(block(made)) + "\n"
    given.output.write_text(text) if given.output else sys.stdout.write(text)


if __name__ == "__main__":
    main()
