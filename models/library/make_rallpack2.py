#!/usr/bin/env python3
"""Writes rallpack2.yaml: Rallpack 2's binary tree of 1023 compartments, one branch each.

    python3 models/library/make_rallpack2.py > models/library/rallpack2.yaml
"""

LENGTHS_UM = [32, 25.4, 20.16, 16, 12.7, 10.08, 8, 6.35, 5.04, 4]
DIAMETERS_UM = [16, 10.08, 6.35, 4, 2.52, 1.587, 1, 0.63, 0.397, 0.25]

HEAD = """\
# Rallpack 2 (Bhalla, Bilitch and Bower 1992): a passive binary tree, equivalent to one cylinder of
# 320 x 16 um, with a constant current into its root. docs/rallpacks.md has the exact solution.
# The cell and its stimulus, written by make_rallpack2.py; examples/rallpacks runs it.
hillock: 1
populations:
  tree: {cell: tree, size: 1}
stimuli:
  - {iclamp: {amplitude: 0.1 nA, start: 0 ms, duration: 250 ms}, to: tree, at: "tree[0](0.5)"}
cells:
  tree:
    discretization: {per_branch: 1}
    regions:
      all: {cm: 1 uF/cm2, Ra: 100 ohm.cm, pas: {g: 2.5e-5 S/cm2, e: -65 mV}}  # 40000 ohm.cm2
    morphology:
      branches:"""


def main():
    print(HEAD)
    number = 0
    for level, (length, diameter) in enumerate(zip(LENGTHS_UM, DIAMETERS_UM)):
        for _ in range(2**level):
            parent = f', parent: "tree[{(number - 1) // 2}]", at: 1' if number else ""
            print(f'        - {{name: "tree[{number}]"{parent}, length: {length} um, diameter: {diameter} um}}')
            number += 1


if __name__ == "__main__":
    main()
