#!/usr/bin/env python3
"""Writes pyramid.swc: a synthetic cortical pyramidal cell, the same bytes at every run.

The cell is made up, not traced. Its proportions follow what is usual for such cells: a soma of 16 um,
six basal stems, a tapering apical trunk with oblique branches that ends in a tuft, and a local axon
with collaterals. Daughters follow Rall's 3/2 power rule, less a little; branches taper and wander.

    make_pyramid.py [-o FILE]        without -o: pyramid.swc beside this script
"""

import argparse
import math
import os
import random

SEED = 3
STEP_UM = 4.2  # between samples
SOMA_RADIUS_UM = 8.0
SOMA, AXON, BASAL, APICAL = 1, 2, 3, 4
THINNEST_UM = {AXON: 0.15, BASAL: 0.22, APICAL: 0.22}

HEADER = """\
# A synthetic pyramidal cell, not a reconstruction: written by make_pyramid.py (seed {seed}).
# Made for Hillock's examples and benchmarks; free to use as the rest of the project is.
# Soma: three samples in NeuroMorpho.org's convention, a cylinder with the area of a sphere.
# Coordinates and radii in um.
# id type x y z radius parent
"""


class Draws:
    """Uniform and normal numbers from random(), the one call whose values Python promises to keep."""

    def __init__(self, seed):
        self.random = random.Random(seed).random

    def uniform(self, low, high):
        return low + (high - low) * self.random()

    def normal(self):
        radius = math.sqrt(-2.0 * math.log(1.0 - self.random()))
        return radius * math.cos(2.0 * math.pi * self.random())

    def normals(self):
        return [self.normal() for _ in range(3)]


def unit(v):
    length = math.sqrt(sum(x * x for x in v))
    return [x / length for x in v]


def blend(*terms):
    """The unit vector along a weighted sum of vectors, given as (weight, vector)."""
    return unit([sum(w * v[k] for w, v in terms) for k in range(3)])


class Cell:
    def __init__(self, draws):
        self.draws = draws
        self.samples = []  # (type, [x, y, z], radius, parent), ids count from 1

    def add(self, kind, position, radius, parent):
        # Rounded as written, so that the walk goes on from what the file says.
        self.samples.append((kind, [round(x, 3) for x in position], round(radius, 4), parent))
        return len(self.samples)

    def soma(self):
        centre = self.add(SOMA, [0.0, 0.0, 0.0], SOMA_RADIUS_UM, -1)
        self.add(SOMA, [0.0, -SOMA_RADIUS_UM, 0.0], SOMA_RADIUS_UM, centre)
        self.add(SOMA, [0.0, SOMA_RADIUS_UM, 0.0], SOMA_RADIUS_UM, centre)
        return centre

    def stem(self, kind, direction, radius, soma):
        """The first sample of a neurite, on the soma's surface."""
        return self.add(kind, [SOMA_RADIUS_UM * x for x in unit(direction)], radius, soma)

    def walk(self, tip, heading, pull, length, radii, wander=0.16):
        """Grows an unbranched path from sample `tip`; returns its end and its last direction.

        heading: where it sets out; pull: (weight, vector), what it bends towards;
        radii: first and last.
        """
        kind = self.samples[tip - 1][0]
        steps = max(2, int(length / STEP_UM + 0.5))
        going = heading
        for k in range(1, steps + 1):
            going = blend((1.0, going), (wander, self.draws.normals()), pull)
            stride = length / steps * self.draws.uniform(0.85, 1.15)
            here = [x + stride * g for x, g in zip(self.samples[tip - 1][1], going)]
            radius = radii[0] + (radii[1] - radii[0]) * k / steps
            radius *= 1.0 + 0.04 * self.draws.normal()
            tip = self.add(kind, here, max(THINNEST_UM[kind], radius), tip)
        return tip, going

    def fork(self, going, angle):
        """Two directions at `angle` to either side of `going`, in a plane drawn at random."""
        aside = self.draws.normals()
        along = sum(a * g for a, g in zip(aside, going))
        aside = unit([a - along * g for a, g in zip(aside, going)])
        return [
            blend((math.cos(angle), going), (sign * math.sin(angle), aside)) for sign in (1.0, -1.0)
        ]

    def tree(self, tip, heading, pull, radius, plan):
        """A binary tree: plan is a list of (chance to branch, inner length, terminal length)."""
        chance, inner, terminal = plan[0]
        branches = len(plan) > 1 and self.draws.random() < chance
        length = (inner if branches else terminal) * self.draws.uniform(0.7, 1.3)
        end_radius = radius * (0.85 if branches else 0.45)
        tip, going = self.walk(tip, heading, pull, length, (radius, end_radius))
        if not branches:
            return
        share = self.draws.uniform(0.35, 0.65)
        for part, way in zip((share, 1.0 - share), self.fork(going, self.draws.uniform(0.35, 0.65))):
            self.tree(tip, way, pull, 0.95 * end_radius * part ** (2.0 / 3.0), plan[1:])

    def basal(self, soma):
        plan = [(1.0, 20, 0), (0.9, 30, 100), (0.5, 36, 95), (0.2, 40, 90), (0.0, 0, 85)]
        for k in range(6):
            around = 2.0 * math.pi * (k + self.draws.uniform(-0.25, 0.25)) / 6
            way = [math.cos(around), self.draws.uniform(-0.9, -0.1), math.sin(around)]
            radius = self.draws.uniform(0.9, 1.2)
            tip = self.stem(BASAL, way, radius, soma)
            self.tree(tip, unit(way), (0.02, unit(way)), radius, plan)

    def apical(self, soma):
        up = [0.0, 1.0, 0.0]
        radius = 2.1
        tip = self.stem(APICAL, up, radius, soma)
        going = up
        obliques = [(0.5, 40, 95), (0.3, 45, 90), (0.0, 0, 80)]
        for _ in range(9):
            thinner = 0.925 * radius
            length = self.draws.uniform(24, 44)
            tip, going = self.walk(tip, going, (0.12, up), length, (radius, thinner), wander=0.06)
            radius = thinner
            side = self.draws.normals()
            side[1] = 0.35 * abs(side[1])
            self.tree(tip, unit(side), (0.02, unit(side)), self.draws.uniform(0.45, 0.65), obliques)
        tip, going = self.walk(tip, going, (0.12, up), 30.0, (radius, 0.95 * radius), wander=0.06)
        tuft = [(1.0, 45, 0), (0.95, 50, 130), (0.75, 55, 125), (0.3, 55, 120), (0.0, 0, 110)]
        for way in self.fork(going, 0.45):
            self.tree(tip, way, (0.04, up), 0.62 * radius, tuft)

    def axon(self, soma):
        down = [0.0, -1.0, 0.0]
        tip = self.stem(AXON, down, 1.2, soma)
        tip, going = self.walk(tip, down, (0.1, down), 30.0, (1.2, 0.5), wander=0.05)
        collaterals = [(0.5, 50, 130), (0.0, 0, 100)]
        for _ in range(5):
            length = self.draws.uniform(40, 70)
            tip, going = self.walk(tip, going, (0.08, down), length, (0.5, 0.42))
            side = self.draws.normals()
            side[1] = -0.4 * abs(side[1])
            self.tree(tip, unit(side), (0.02, unit(side)), 0.3, collaterals)
        self.walk(tip, going, (0.08, down), 90.0, (0.42, 0.3))

    def text(self):
        lines = [HEADER.format(seed=SEED)]
        for number, (kind, (x, y, z), radius, parent) in enumerate(self.samples, start=1):
            # Adding 0.0 turns -0.0 into 0.0.
            lines.append(
                f"{number} {kind} {x + 0.0:.3f} {y + 0.0:.3f} {z + 0.0:.3f} {radius:.4f} {parent}\n"
            )
        return "".join(lines)


def make_pyramid():
    cell = Cell(Draws(SEED))
    soma = cell.soma()
    cell.axon(soma)
    cell.basal(soma)
    cell.apical(soma)
    return cell.text()


def main():
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pyramid.swc")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", default=beside, metavar="FILE")
    options = parser.parse_args()
    with open(options.output, "w", encoding="ascii", newline="\n") as out:
        out.write(make_pyramid())


if __name__ == "__main__":
    main()
