#!/usr/bin/env python3
"""Potentials at 1,000 contacts drawn around cells, in them and on their axes, beside LFPykit's of the same currents:
lines, points and somata as points, in media that conduct alike along all axes and not, above a plane, and the mean
over discs; dipole moments of cells and of all. Skipped without LFPykit (PyPI's lfpykit; 0.6.2 when this was written)."""

import importlib.util
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "command"))
import harness  # noqa: E402

if not importlib.util.find_spec("lfpykit") and not harness.peers_are_required(from_pypi=True):
    print("left out: there is no LFPykit (pip install lfpykit)")
    sys.exit(harness.SKIPPED)
harness.need("numpy", "lfpykit", "hillock")

import lfpykit  # noqa: E402
import numpy as np  # noqa: E402

import hillock  # noqa: E402

CONTACTS = 1000
METHODS = {"line": "linesource", "point": "pointsource", "soma_as_point": "root_as_point"}
TURNED = [[0, 0, 0], [0.3, -1.2, 2.5], [3, 0.1, -0.7]]  # rad, about x, y and z
MEDIA = {"alike": 0.3, "unlike": [0.3, 0.2, 0.45]}  # S/m
PLACES_UM = [[0, 0, 0], [100, 20, 5], [-50, 60, 90]]


def um(values):
    return [f"{float(value)!r} um" for value in values]


def model(places, method, conductivity, **more):
    sigma = [f"{one} S/m" for one in np.atleast_1d(conductivity)]
    potential = {"electrodes": [um(place) for place in places], "method": method,
                 "conductivity": sigma if len(sigma) == 3 else sigma[0], **more}
    return {"hillock": 1, "include": ["library:pyramidal.yaml"],
            "run": {"duration": "5 ms", "dt": "0.025 ms", "v_init": "-65 mV"},
            "populations": {"pyr": {"cell": "pyramidal", "size": len(PLACES_UM),
                                    "positions": {"list": [um(place) for place in PLACES_UM]},
                                    "rotations": {"list": TURNED}}},
            "stimuli": [{"spikes": {"times": ["1 ms"]}, "to": "pyr", "weight": "20 nS",
                         "synapse": {"expsyn": {"tau": "2 ms", "e": "0 mV"}, "at": "apic[0](0.5)"}}],
            "record": [{"name": "i", "of": "pyr", "variable": "i_membrane", "at": "all", "every": "0.1 ms",
                        "type": "float64"},
                       {"name": "moments", "of": "pyr", "variable": "dipole", "by": "cell", "every": "0.1 ms",
                        "type": "float64"},
                       {"name": "moment", "variable": "dipole", "every": "0.1 ms", "type": "float64"},
                       {"name": "lfp", "every": "0.1 ms", "type": "float64", "potential": potential}]}


def drawn_contacts(draws, placed):
    """Around the cells, and a third of them near compartments, in them and on their axes."""
    contacts = draws.uniform(-300, 300, (CONTACTS, 3))
    for number in range(0, CONTACTS, 3):
        ends = placed[draws.integers(len(placed))]
        begin, end = ends[draws.integers(len(ends))]
        contacts[number] = begin + draws.uniform(-0.5, 1.5) * (end - begin) + \
            draws.choice([0, 0.1, 2]) * draws.normal(size=3)
    return contacts


def turned(angles):
    """Rx Ry Rz, counterclockwise."""
    matrix = np.eye(3)
    for axis, angle in enumerate(angles):
        one, (i, j) = np.eye(3), ((axis + 1) % 3, (axis + 2) % 3)
        one[i, i] = one[j, j] = np.cos(angle)
        one[i, j], one[j, i] = -np.sin(angle), np.sin(angle)
        matrix = matrix @ one
    return matrix


def check_places(population):
    """Cells are turned about the middle of the soma, which stands at their positions."""
    ends = population.cell.ends_um
    regions = [branch.region for branch in population.cell.branches]
    soma = population.cell.compartments["branch"] == regions.index("soma")
    middle = (ends[soma][0, 0] + ends[soma][-1, 1]) / 2
    for cell, (place, angles) in enumerate(zip(PLACES_UM, TURNED)):
        expected = (ends - middle) @ turned(angles).T + place
        off = np.abs(population.ends_um(cell) - expected).max()
        harness.check(off < 1e-9, f"cell {cell}: compartments are {off} um from where they should be")


def potential_by_lfpykit(cells, currents, contacts, method, conductivity, mirrored=0):
    """[sample, contact] mV; mirrored: how much images in a plane at z = 0 count."""
    x, y, z = contacts.T
    total = 0
    for geometry, current in zip(cells, currents):
        for sign, weight in ((1, 1), (-1, mirrored)) if mirrored else ((1, 1),):
            one = lfpykit.CellGeometry(x=geometry.x, y=geometry.y, z=sign * geometry.z, d=geometry.d)
            map_of_one = lfpykit.RecExtElectrode(
                one, x=x, y=y, z=z, method=METHODS[method],
                sigma=np.array(conductivity) if np.ndim(conductivity) else conductivity).get_transformation_matrix()
            total = total + weight * (map_of_one @ current.T)
    return total.T


def compare(what, ours, theirs, tolerance):
    ranges = np.abs(theirs).max(axis=0)
    largest = (np.abs(ours - theirs).max(axis=0) / ranges).max()
    print(f"{what}: {largest:.1e} of a contact's range")
    harness.check(largest < tolerance, f"{what}: {largest} of a contact's range")


def check_moments(results, cells, currents):
    theirs = [(lfpykit.CurrentDipoleMoment(geometry).get_transformation_matrix() @ current.T).T
              for geometry, current in zip(cells, currents)]
    for cell, moment in enumerate(theirs):
        compare(f"dipole moment of cell {cell}", results["moments"].of(cell), moment, 1e-10)
    compare("dipole moment of all", results["moment"].data, sum(theirs), 1e-10)


def main():
    draws = np.random.default_rng(1)
    of = model([[0, 0, 0]], "line", 0.3)
    population = hillock.load(of).populations["pyr"]
    results = hillock.run(of, progress=False)
    currents = [results["i"].of(cell) for cell in range(population.size)]
    check_places(population)
    diameters = population.cell.compartments["diameter_um"]
    placed = [population.ends_um(cell) for cell in range(population.size)]
    cells = [lfpykit.CellGeometry(x=at[..., 0], y=at[..., 1], z=at[..., 2], d=diameters) for at in placed]
    contacts = drawn_contacts(draws, placed)
    check_moments(results, cells, currents)
    checked = 0
    for method in METHODS:
        for medium, conductivity in MEDIA.items():
            ours = hillock.run(model(contacts, method, conductivity), progress=False)["lfp"].data
            compare(f"{method}, {medium}", ours, potential_by_lfpykit(cells, currents, contacts, method, conductivity),
                    1e-10)
            checked += CONTACTS
    # A plane below all cells, at which contacts may lie; LFPykit's own plane takes no others.
    lowest = min(at[..., 2].min() for at in placed)
    above = contacts[:200].copy()
    above[:, 2] = np.abs(above[:, 2]) + lowest - 60
    above[::2, 2] = lowest - 60
    plane = {"z": um([lowest - 60])[0], "conductivity": "1.5 S/m"}
    lifted = [lfpykit.CellGeometry(x=one.x, y=one.y, z=one.z - (lowest - 60), d=one.d) for one in cells]
    ours = hillock.run(model(above, "line", 0.3, plane=plane), progress=False)["lfp"].data
    theirs = potential_by_lfpykit(lifted, currents, above - [0, 0, lowest - 60], "line", 0.3, (0.3 - 1.5) / (0.3 + 1.5))
    compare("above a plane", ours, theirs, 1e-10)
    # LFPykit draws its places on a disc, by numpy's own stream: of many the mean is near.
    np.random.seed(1)
    some = np.array([[40.0, 30, 0], [-80, 10, 40]])
    normal = np.array([0.6, 0, 0.8])
    ours = hillock.run(model(some, "line", 0.3, contacts={"radius": "10 um", "normal": normal.tolist()}),
                       progress=False)["lfp"].data
    theirs = sum(lfpykit.RecExtElectrode(geometry, x=some[:, 0], y=some[:, 1], z=some[:, 2], sigma=0.3, n=20000, r=10,
                                         N=np.tile(normal, (2, 1)), seedvalue=1).get_transformation_matrix()
                 @ current.T for geometry, current in zip(cells, currents)).T
    compare("over discs", ours, theirs, 2e-3)
    harness.finish(checked + len(above) + len(some), "contacts compared")


if __name__ == "__main__":
    main()
