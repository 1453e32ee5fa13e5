"""Whether a mechanism of a session draws random numbers during a run, whatever its text might do with other numbers."""

from __future__ import annotations

import operator
import re

import numpy as np

from ._neuron_mechanisms import blocks_of, end_of


_draws = re.compile(r"\b(scop_random|exprand|normrand|poisrand|random_\w+)\b")
_condition = re.compile(r"\bif\s*\(\s*([A-Za-z]\w*)\s*(==|!=|<=|>=|<|>)\s*([-+]?[\d.]+(?:[eE][-+]?\d+)?)\s*\)\s*{")
_else = re.compile(r"\s*else\b\s*(if\s*\()?")
_operators = {"==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt,
              ">=": operator.ge}
#: What is no part of a run, which begins behind it.
_before = ("NEURON", "UNITS", "PARAMETER", "ASSIGNED", "STATE", "INITIAL", "CONSTANT")


def draws_in_run(code, numbers):
    """numbers(name): the array of what a parameter is during a run if nothing but the text sets it; None of other
    names. A branch that none of them takes is none of the run."""
    bodies, called = [], {}
    for head, body in blocks_of(code):
        if of := re.search(r"\b(?:PROCEDURE|FUNCTION)\s+(\w+)", head):
            called[of[1]] = body
        elif not head.endswith(_before):
            bodies.append(body)
    changed = set(re.findall(r"\b([A-Za-z]\w*)\s*=(?!=)", " ".join(_reached(bodies, called))))

    def holds(name, comparison, number):
        known = numbers(name) if name not in changed else None
        if known is None:
            return None
        of_all = _operators[comparison](known, float(number))
        return bool(of_all[0]) if len(of_all) and np.all(of_all == of_all[0]) else None

    called = {name: _without_dead(body, holds) for name, body in called.items()}
    return any(map(_draws.search, _reached([_without_dead(body, holds) for body in bodies], called)))


def _reached(bodies, called):
    """The bodies, and those of what they call."""
    waiting, reached, seen = list(bodies), [], set()
    while waiting:
        reached.append(waiting.pop())
        names = set(re.findall(r"[A-Za-z]\w*", reached[-1])) & set(called) - seen
        seen |= names
        waiting += [called[name] for name in names]
    return reached


def _without_dead(body, holds):
    """Without the branches that are never taken. holds(name, comparison, number): whether, or None."""
    found = _condition.search(body)
    if not found:
        return body
    end, held = end_of(body, found.end(), "{}"), holds(*found.groups())
    if held is None:
        return body[:found.end()] + _without_dead(body[found.end():], holds)
    if held:
        kept = body[found.end():end - 1] + body[_end_of_else(body, end):]
    else:
        kept = re.sub(r"^\s*else\b", " ", body[end:])
    return body[:found.start()] + _without_dead(kept, holds)


def _end_of_else(body, begin):
    """Behind the branches that are joined to one that ends at `begin`."""
    while found := _else.match(body, begin):
        at = end_of(body, found.end(), "()") if found[1] else found.end()
        begin = end_of(body, body.find("{", at) + 1, "{}")
    return begin
