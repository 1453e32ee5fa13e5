#!/usr/bin/python3
"""Implicit steps of a session of NEURON beside NEURON's: where they end, and which of several roots they find.

Reactions in long steps, whose equations have a root below 0, too; states that are next to nothing beside others; states
that a FUNCTION is given. Everything to 1e-9 of what it comes to.
"""

import pathlib
import random
import sys
import tempfile

from parity import skip

try:
    import numpy as np
    from neuron import coreneuron, h
except ImportError as missing:
    skip(f"{missing.name} is missing (packages python3-neuron, python3-numpy)")

import hillock.neuron
import neuron_mods

MOST, STEPS, CELLS = 1e-9, 40, 60
FILES = {
    "binds": """
: A pump, a buffer and a source
NEURON { SUFFIX binds  RANGE k1, k2, k3, j, total, kb }
PARAMETER { k1 = 100  k2 = 0.1  k3 = 1  j = 0  total = 1  kb = 100 }
ASSIGNED { v (mV) }
STATE { ca b cb pump pumpca }
INITIAL { ca = 0.05  b = 0.1  cb = 0  pump = total  pumpca = 0 }
BREAKPOINT { SOLVE scheme METHOD sparse }
KINETIC scheme {
  ~ ca + pump <-> pumpca (k1, k2)
  ~ pumpca <-> pump (k3, 0)
  ~ ca + b <-> cb (kb, k2)
  ~ ca << (j)
  CONSERVE pump + pumpca = total
}
""",
    "releases": """
: A store that empties, and what is released from it, a million times less
NEURON { SUFFIX releases  RANGE k1, k2, k3 }
PARAMETER { k1 = 3000  k2 = 3  k3 = 400 }
ASSIGNED { v (mV) }
STATE { store bound loose }
INITIAL { store = 0.0025  bound = 0  loose = 1e-10 }
BREAKPOINT { SOLVE states METHOD derivimplicit }
DERIVATIVE states {
  store' = -k1 * 0.03 * store + (k1 * store + k2) * bound + back(loose)
  bound' = k1 * 0.03 * store - (k1 * store + k2) * bound
  loose' = -0.03 * loose - k3 * loose * loose - back(loose)
}
FUNCTION back(x) { back = k3 * x^2 }
""",
    "is_given": """
: Each state is given to a FUNCTION, of which cnexp knows nothing
NEURON { SUFFIX is_given  NONSPECIFIC_CURRENT i  RANGE rate, g }
PARAMETER { rate = 0.3  g = 1e-4 (S/cm2) }
ASSIGNED { v (mV)  i (mA/cm2) }
STATE { m w }
INITIAL { m = 0.1  w = 1 }
BREAKPOINT {
  SOLVE states METHOD cnexp
  i = g * m * w * (v + 20)
}
DERIVATIVE states {
  m' = rate * (1 - m) - drain(m)
  w' = (0.5 - w) / 4 - line(w)
}
FUNCTION drain(x) {
  if (x > 0.3) { drain = 4 * (x - 0.3) } else { drain = 0 }
}
FUNCTION line(x) { line = x / (10 + v / 20) }
""",
}


def built():
    """(sections, Vectors of what is recorded)"""
    sections, draws = [], random.Random(3)
    for number in range(CELLS):
        section = h.Section(name=f"cell{number}")
        for name in ("pas", *FILES):
            section.insert(name)
        one, other, third = section(0.5).binds, section(0.5).releases, section(0.5).is_given
        one.k1, one.k2, one.k3, one.kb = (10**draws.uniform(*ends) for ends in ((-1, 3), (-3, 1), (-2, 1), (-1, 3)))
        one.j, one.total = draws.choice((0, 1, 1)) * 10**draws.uniform(-4, 0), 10**draws.uniform(-3, 0)
        other.k1, third.rate = 3000 * draws.uniform(0.5, 2), draws.uniform(0, 2)
        sections.append(section)
    one.j = -1  # more than there is
    names = [("v", None), *((name, "binds") for name in ("ca", "b", "pump")),
             *((name, "releases") for name in ("store", "bound", "loose")), ("m", "is_given"), ("w", "is_given")]
    return sections, [h.Vector().record(getattr(getattr(section(0.5), of) if of else section(0.5), f"_ref_{name}"))
                      for section in sections for name, of in names]


def is_same(dt, traces):
    h.dt, h.steps_per_ms, h.tstop = dt, 1 / dt, STEPS * dt
    results = []
    for coreneuron.enable in (False, True):
        h.run()
        results.append(np.array([np.array(one) for one in traces]))
    coreneuron.enable = False
    wanted, got = results
    apart = np.max(np.abs(got - wanted) / np.maximum(np.abs(wanted).max(axis=1), 1e-300)[:, None])
    good = apart <= MOST and wanted.shape == (9 * CELLS, STEPS + 1)
    print(f"{'ok' if good else 'WRONG'}: steps of {dt} ms: {wanted.size} numbers, at most {apart:.2g} apart")
    return good


def main():
    with tempfile.TemporaryDirectory(prefix="hillock-solves-") as folder:
        neuron_mods.load(h, neuron_mods.written(FILES, folder), pathlib.Path(folder) / "neuron")
        h.load_file("stdrun.hoc")
        hillock.neuron.enable()
        _, traces = kept = built()
        good = [is_same(dt, traces) for dt in (0.0125, 0.5, 10)]
        del kept
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
