"""The kinds of cells of a model: their branches, compartments and regions."""

from __future__ import annotations

import functools

import numpy as np


class Cell:
    """One kind of cell. One without a shape, a point neuron say, is its ``mechanism`` alone."""

    def __init__(self, name: str, mechanism: str, native):
        self.name = name
        self.mechanism = mechanism
        self._native = native

    @functools.cached_property
    def _shape(self):
        shape = self._native.shape_of(self.name)
        if shape is None:
            raise ValueError(f"{self.name} has no shape: it is {self.mechanism}")
        return shape

    @property
    def has_shape(self) -> bool:
        return not self.mechanism

    @functools.cached_property
    def branches(self) -> list[Branch]:
        """A list of Branch; a parent comes before its children."""
        points = self._shape[2]
        return [Branch(name, region, parent, at, length_um, points[i] if i < len(points) else None)
                for i, (name, region, parent, at, length_um) in enumerate(self._shape[0])]

    @property
    def compartments(self) -> dict[str, np.ndarray]:
        """{column: [compartment]}: branch (its number), position (0 to 1), length_um, diameter_um,
        area_um2, x_um, y_um, z_um, distance_um (path length from the origin of distances, the soma's
        middle unless the morphology says otherwise)."""
        return dict(self._shape[1])

    @property
    def ends_um(self) -> np.ndarray:
        """[compartment, 2, 3]: where each begins and ends, x, y and z in um, along the middle of its branch,
        where the cell's points have it. ``Population.ends_um`` has those of a cell in the network."""
        return self._shape[5]

    @property
    def regions(self) -> list[tuple[str, list[str]]]:
        """[(name, [mechanism, …])] in the model's order; later ones win."""
        return [(name, list(mechanisms)) for name, mechanisms in self._shape[3]]

    def compartment(self, branch: str | int, position: float) -> int:
        """The number of the compartment at a position (0 to 1) of a branch, named or numbered. KeyError where there is
        no such branch."""
        names = [one.name for one in self.branches]
        if branch not in names if isinstance(branch, str) else not 0 <= branch < len(names):
            raise KeyError(f"{self.name} has no branch {branch!r} among its {len(names)}")
        if not 0 <= position <= 1:
            raise ValueError(f"positions on a branch are from 0 to 1, not {position!r}")
        number = names.index(branch) if isinstance(branch, str) else int(branch)
        of_branch = np.flatnonzero(self.compartments["branch"] == number)
        at = min(int(position * len(of_branch)), len(of_branch) - 1)
        return int(of_branch[at])

    @property
    def _solved(self):
        """[number of v in a state] its compartment, -1 for a point where branches join."""
        return self._shape[4]

    def summary(self) -> str:
        if self.mechanism:
            return f"{self.name} ({self.mechanism})"
        return f"{self.name} ({len(self.compartments['area_um2'])} compartments)"

    def __repr__(self):
        if self.mechanism:
            return f"Cell {self.name}: {self.mechanism}"
        lines = [f"Cell {self.name}: {len(self.branches)} branches, "
                 f"{len(self.compartments['area_um2'])} compartments, "
                 f"{self.compartments['area_um2'].sum():.4g} um2"]
        for name, mechanisms in self.regions:
            lines.append(f"  {name}: {', '.join(mechanisms) or '-'}")
        return "\n".join(lines)


class Branch:
    """An unbranched cable: ``name``, ``region``, ``parent`` (a branch's number, -1 for the root),
    ``at`` (where on the parent), ``length_um``, and ``points`` [n, 4] (x, y, z, diameter in um) where
    the morphology is not drawn for each cell."""

    def __init__(self, name: str, region: str, parent: int, at: float, length_um: float,
                 points: np.ndarray | None):
        self.name = name
        self.region = region
        self.parent = parent
        self.at = at
        self.length_um = length_um
        self.points = points

    def __repr__(self):
        return f"Branch {self.name} ({self.region}): {self.length_um:.4g} um"
