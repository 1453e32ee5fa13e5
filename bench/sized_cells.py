"""Cells of a soma and three dendrites, given in compartments, with sizes that are drawn: for a benchmark and a test. Not
here: what stands on them."""

import numpy

COUNTS = numpy.array([1, 3, 2, 4])


def draw_sizes(cells):
    """{dataset: [cell] of numbers}"""
    r, count = numpy.random.default_rng(6), COUNTS.sum()
    length = numpy.c_[r.uniform(15, 25, cells), r.uniform(30, 200, (cells, 3))]
    diameter = numpy.c_[r.uniform(15, 25, cells), r.uniform(0.5, 3, (cells, count - 1))]
    area = numpy.pi * diameter * numpy.repeat(length / COUNTS, COUNTS, axis=1)
    return {"branches/length": length, "compartments/diameter": diameter, "compartments/area": area,
            "compartments/resistance": r.uniform(1, 80, (cells, count)),
            "branches/end_resistance": r.uniform(1, 80, (cells, len(COUNTS)))}


def write_sizes(file, group, sizes):
    made = file.create_group(group)
    made["branches/name"] = ["soma", "dend[0]", "dend[1]", "dend[2]"]
    made["branches/parent"], made["branches/at"] = [-1, 0, 1, 0], [1, 1, 0.5, 0]
    made["branches/compartments"] = COUNTS
    for name, numbers in sizes.items():
        made[name] = numbers
