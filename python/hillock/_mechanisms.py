"""The mechanisms that come with Hillock."""

from __future__ import annotations

from . import _hillock
from ._html import table
from ._named import Named


class Mechanism:
    """A built-in mechanism: ``name``, ``kind`` ("density", "synapse", "point", "electrode", "artificial"),
    ``description``, ``weight_unit`` (None where it receives no events) and ``variables`` {name: Variable}."""

    def __init__(self, name: str, kind: str, description: str, weight_unit: str | None, variables: dict[str, tuple]):
        self.name = name
        self.kind = kind
        self.description = description
        self.weight_unit = weight_unit
        self.variables = {one: Variable(one, *about) for one, about in variables.items()}

    @property
    def parameters(self) -> dict[str, float]:
        """{name: default} of what a model may set, in the units that ``variables`` have."""
        return {name: one.default for name, one in self.variables.items() if one.role == "parameter"}

    def __repr__(self):
        return f"{self.name} ({self.kind}): {self.description}"

    def _repr_html_(self):
        rows = [[one.name, one.role, one.unit, one.default if one.role == "parameter" else ""]
                for one in self.variables.values()]
        return table(repr(self), ["variable", "role", "unit", "default"], rows)


class Variable:
    """One of a mechanism's: ``name``, ``role`` ("parameter", "state", "assigned", "place", "pointer"), ``unit``, and of
    a parameter ``default``, ``minimum`` and ``maximum``, -inf and inf where there are none."""

    def __init__(self, name: str, role: str, unit: str, default: float, minimum: float, maximum: float):
        self.name = name
        self.role = role
        self.unit = unit
        self.default = default
        self.minimum = minimum
        self.maximum = maximum

    def __repr__(self):
        return f"{self.name} ({self.role}), {self.unit}"


def mechanisms() -> dict[str, Mechanism]:
    """{name: Mechanism} of those that models may use without a .mod file."""
    return Named("mechanism", {about["name"]: Mechanism(**about) for about in _hillock.catalogue()})
