"""FUNCTION_TABLEs of a session's mechanisms: the numbers that hoc has given them, which NEURON reads where the script
keeps them."""

from __future__ import annotations

import ctypes
import re

import numpy as np

from ._neuron_library import double_p, library


class _Table(ctypes.Structure):
    _fields_ = [("values", double_p), ("arguments", ctypes.c_int), ("counts", ctypes.c_int * 2),
                ("points", double_p * 2), ("firsts", ctypes.c_double * 2), ("lasts", ctypes.c_double * 2)]


def tables_of(h, mechanism, code):
    """({name: the model's entry}, why some cannot be taken) of those that were given numbers. code: without comments."""
    entries, problems = {}, []
    for found in re.finditer(r"\bFUNCTION_TABLE\s+(\w+)\s*\(((?:[^()]|\([^()]*\))*)\)", code):
        name, count = found[1], found[2].count(",") + 1
        call = _caller(h, mechanism, name, count)
        if call is None:
            continue
        table = _Table()
        arguments = library().hillock_table(ctypes.CFUNCTYPE(None)(call), ctypes.byref(table))
        if arguments < 0:
            problems.append(f"{mechanism}: what its FUNCTION_TABLE {name} was given is not found")
        elif arguments > 0:
            _add(entries, problems, f"{mechanism}: its FUNCTION_TABLE {name}", name, table)
    return entries, problems


def _caller(h, mechanism, name, count):
    """What calls it; None of points of which there are none."""
    full = f"{name}_{mechanism}"
    if hasattr(h, full):
        return lambda: getattr(h, full)(*[0.0] * count) and None
    points = h.List(mechanism)
    return (lambda: getattr(points.o(0), name)(*[0.0] * count) and None) if points.count() else None


def _add(entries, problems, what, name, table):
    count = table.arguments
    if count > 2:
        return problems.append(f"{what} has {count} arguments, of which NEURON takes the lower neighbours")
    if count == 0:
        entries[name] = table.values[0]
        return None
    sizes = table.counts[:count]
    values = np.array(table.values[:int(np.prod(sizes))])
    if sizes == [1] * count:
        entries[name] = float(values[0])
    elif count == 1 and table.points[0]:
        entries[name] = {"csv": {"x": table.points[0][:sizes[0]], "value": values.tolist()}}
    elif any(table.points[k] for k in range(count)):
        return problems.append(f"{what} has two arguments, and points that are listed")
    else:
        entries[name] = {"values": values.reshape(sizes).tolist(), "from": table.firsts[:count],
                         "to": table.lasts[:count]}
    return None
