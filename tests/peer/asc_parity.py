#!/usr/bin/env python3
"""Writes Neurolucida files of all that NEURON's Import3d reads, and compares what Hillock makes of
them with NEURON's sections (import3d_parity.py).

    asc_parity.py [--hillock PROGRAM] [--files N] [--seed N] [--wavy]

Files have one contour, a stack of them or none; trees of every kind with properties, markers,
spines and texts beside them; splits in up to four, words at the ends of branches, branches that
repeat their parent's last point, branches of a single point. A seed is all that they depend on.

A soma's single contour is convex and flat unless --wavy is given, which is for NEURON 9: NEURON 8
may walk along the longest axis the other way, and where a contour is not convex it then leaves out
other points of it.
"""

import argparse
import math
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ENDS = ["", "Normal", "Incomplete", "High", "Low", "Midpoint", "Generated"]


class Writer:
    def __init__(self, seed, wavy):
        self.wavy = wavy
        self.draw = random.Random(seed)
        self.lines = [";\tV3 text file written for MicroBrightField products."]

    def add(self, depth, text):
        self.lines.append("  " * depth + text)

    def chance(self, p):
        return self.draw.random() < p

    def point(self, at, diameter):
        comma = "," if self.chance(0.1) else " "
        section = " S%d" % self.draw.randrange(9) if self.chance(0.1) else ""
        x, y, z = at
        return f"({x:9.2f}{comma}{y:9.2f}{comma}{z:9.2f} {diameter:7.2f}{section})"

    def near(self, at, distance):
        return [a + self.draw.gauss(0, distance) for a in at]

    def contour(self, centre, radius, z, wavering):
        self.add(0, f'("{self.draw.choice(["CellBody", "Cell Body", "Soma"])}"')
        self.add(1, "(Color RGB (255, 128, 0))")
        self.add(1, "(CellBody)")
        points = self.draw.randrange(8, 60)
        turn, stretch = self.draw.uniform(0, math.pi), self.draw.uniform(1.3, 2.5)
        for i in range(points):
            angle = 2 * math.pi * i / points
            r = radius * (self.draw.uniform(0.85, 1.15) if self.wavy else 1)
            u, v = stretch * r * math.cos(angle), r * math.sin(angle)
            at = (centre[0] + u * math.cos(turn) - v * math.sin(turn),
                  centre[1] + u * math.sin(turn) + v * math.cos(turn),
                  z + wavering * self.draw.gauss(0, 0.5))
            self.add(1, self.point(at, 0.2))
        self.add(0, ")  ;  End of contour")

    def soma(self, centre):
        stack = self.draw.randrange(2, 6) if self.chance(0.4) else 1
        z = centre[2]
        for _ in range(stack):
            self.contour(centre, self.draw.uniform(3, 8), round(z, 2),
                         1 if self.wavy and stack == 1 and self.chance(0.5) else 0)
            z += self.draw.uniform(0.5, 2)

    def marker(self, depth, at):
        self.add(depth, f"({self.draw.choice(['Dot', 'Cross', 'FilledCircle'])}  ;  [3,3]")
        self.add(depth + 1, '(Color Orange) (Name "Marker (3")')
        self.add(depth + 1, self.point(self.near(at, 3), 0.5))
        self.add(depth, ")")

    def branch(self, depth, start, levels, first):
        at, diameter = start
        count = 1 if self.chance(0.1) and not first else self.draw.randrange(2, 12)
        repeats = not first and self.chance(0.3)
        for i in range(count):
            if not (repeats and i == 0):
                at = [round(a, 2) for a in self.near(at, 6)]
            diameter = max(0.1, round(diameter * self.draw.uniform(0.8, 1.1), 2))
            self.add(depth, self.point(at, diameter) + f"  ; R, {i}")
            while self.chance(0.05):
                self.add(depth, f"<(Class 0 \"thin\") {self.point(self.near(at, 1), 0.3)}>")
        while self.chance(0.15):
            self.marker(depth, at)
        if levels > 0 and self.chance(0.8):
            self.add(depth, "(")
            for child in range(self.draw.choice([1, 2, 2, 2, 3, 4])):
                if child:
                    self.add(depth, "|")
                self.branch(depth + 1, (at, diameter), levels - 1, False)
            self.add(depth, ")  ;  End of split")
        else:
            self.add(depth, self.draw.choice(ENDS))

    def tree(self, centre):
        kind = self.draw.choice(["(Axon)", "(Dendrite)", "(Dendrite)", "(Apical)", ""])
        self.add(0, f"( (Color {self.draw.choice(['Red', 'RGB (1, 2, 3)'])})")
        if kind:
            self.add(1, kind)
        self.branch(1, (self.near(centre, 4), self.draw.uniform(0.5, 4)),
                    self.draw.randrange(0, 6), True)
        self.add(0, ")  ;  End of tree")

    def text(self):
        centre = [self.draw.uniform(-100, 100) for _ in range(3)]
        self.add(0, '(ImageCoords Filename "C:\\images\\a.tif" Merge 65535 0 Coords 0.1 -2)')
        self.add(0, '(Sections S1 "Section 1" 0.00)')
        has_soma = self.chance(0.8)
        if has_soma and self.chance(0.5):
            self.soma(centre)
            has_soma = False
        self.add(0, '("pia" (Closed) (GUID "11594A5D") (0 0 0 1) (1 1 1 1))')
        self.tree(centre)
        if has_soma:
            self.soma(centre)
        if any("Soma" in line or "Body" in line for line in self.lines):
            for _ in range(self.draw.randrange(0, 6)):
                if self.chance(0.2):
                    self.add(0, '( (Color Red) (1 2 3 0) "a note" )')
                self.tree(centre)
        self.marker(0, centre)
        return "\n".join(self.lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hillock", default=os.environ.get("HILLOCK", "hillock"))
    parser.add_argument("--files", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--wavy", action="store_true", help="somata of all shapes (NEURON 9)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for i in range(options.files):
            paths.append(os.path.join(folder, f"cell{i}.asc"))
            with open(paths[-1], "w", encoding="utf-8") as out:
                out.write(Writer(f"{options.seed}.{i}", options.wavy).text())
        sys.exit(subprocess.call([sys.executable, os.path.join(HERE, "import3d_parity.py"),
                                  "--hillock", options.hillock, *paths]))


if __name__ == "__main__":
    main()
