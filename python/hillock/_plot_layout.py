"""Where the branches of a cell are drawn."""

import numpy as np


def paths_of(cell, plane):
    """[branch] points [n, 4] (x, y, z, diameter in um).

    Branches that a model gives as lengths alone all lie on the x axis, over one another. They are spread
    out over the two axes of a plane, in their lengths.
    """
    paths = [_points(cell, number) for number in range(len(cell.branches))]
    if len(paths) > 1 and not any(path[:, 1:3].any() for path in paths):
        _spread(cell, paths, plane)
    return paths


def along(points):
    """[n] path length from the first of some points to each, from 0 to 1. The last column is no
    coordinate."""
    steps = np.linalg.norm(np.diff(points[:, :-1], axis=0), axis=1)
    path = np.concatenate([[0], np.cumsum(steps)])
    return path / path[-1] if path[-1] > 0 else np.linspace(0, 1, len(points))


def _points(cell, number):
    """Those of a branch; where each cell has a tree of its own, through the compartments' middles."""
    points = cell.branches[number].points
    if points is not None:
        return np.array(points, float)
    columns = cell.compartments
    here = np.flatnonzero(columns["branch"] == number)
    middles = np.stack([columns[c][here] for c in ("x_um", "y_um", "z_um", "diameter_um")], axis=1)
    half = (middles[-1] - middles[0]) / (len(here) - 1) / 2 if len(here) > 1 else \
        np.array([columns["length_um"][here[0]] / 2, 0, 0, 0])
    half[3] = 0
    return np.concatenate([middles[:1] - half, middles, middles[-1:] + half])


def _spread(cell, paths, plane):
    """Each branch goes straight through the middle of its share of the parent's angle; shares are as
    the numbers of tips. From the near half of the root branches leave backwards."""
    branches = cell.branches
    children = [[] for _ in branches]
    tips = np.zeros(len(branches))
    for number in reversed(range(len(branches))):  # a parent comes before its children
        tips[number] = tips[number] or 1
        if branches[number].parent >= 0:
            children[branches[number].parent].insert(0, number)
            tips[branches[number].parent] += tips[number]
    angles = {0: (0.0, 0.0)}
    for number, branch in enumerate(branches):
        direction = sum(angles[number]) / 2
        if branch.parent >= 0:
            parent = paths[branch.parent]
            begin = [np.interp(branch.at, along(parent), parent[:, i]) for i in range(3)]
        else:
            begin = np.zeros(3)
        reach = along(paths[number]) * branch.length_um
        paths[number][:, :3] = begin
        paths[number][:, plane[0]] += reach * np.cos(direction)
        paths[number][:, plane[1]] += reach * np.sin(direction)
        if branch.parent >= 0:
            _share(children[number], tips, angles[number], angles)
            continue
        back = [child for child in children[number] if branches[child].at < 0.5]
        _share([c for c in children[number] if c not in back], tips, (-1.3, 1.3), angles)
        _share(back, tips, (np.pi - 1.3, np.pi + 1.3), angles)


def _share(numbers, tips, angle, angles):
    low, high = angle
    each = (high - low) / max(sum(tips[number] for number in numbers), 1)
    for number in numbers:
        angles[number] = (low, low + each * tips[number])
        low += each * tips[number]
