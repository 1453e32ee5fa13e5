"""When in a step the mechanisms of a session read and assign what they share: what a POINTER reads is that of this step
or of the one before, as who comes first will have it."""

from __future__ import annotations

import functools
import re

from ._neuron_mechanisms import blocks_of, named_behind

#: When currents are added up, when states go on, when events arrive, and another time than these.
CURRENT, STATE, EVENT, OTHER = "current", "state", "event", "other"
_solve = re.compile(r"\bSOLVE\s+(\w+)(?:\s+(?:METHOD|STEADYSTATE)\s+\w+)?")
_assignment = re.compile(r"([A-Za-z]\w*)\s*'?\s*(?:\[[^\]]*\]\s*)?=(?!=)")
_reaction = re.compile(r"~([^(]*)")
_discontinuity = re.compile(r"\bstate_discontinuity\s*\(\s*(\w+)")


class Turns:
    """reads, assigns: {time: names}, more of them than there are rather than less."""

    def __init__(self, reads, assigns):
        self.reads, self.assigns = reads, assigns

    def of(self, name):
        """([time] when it reads it, [time] when it assigns it)"""
        return tuple({time for time, names in by_time.items() if name in names}
                     for by_time in (self.reads, self.assigns))


def has_currents(code):
    """Whether a mechanism's BREAKPOINT is of the time when currents are added up."""
    return any(name.startswith("i") for name in named_behind(code, "WRITE")) or \
        bool(named_behind(code, "NONSPECIFIC_CURRENT", "ELECTRODE_CURRENT"))


def read_before(code, pointer):
    """A text with currents whose states read by a POINTER what it was when the currents did."""
    kept, written = f"hillock_{pointer}", []
    for head, body in blocks_of(code):
        word = head.split("(")[0].split()[-1:]
        if word in (["BREAKPOINT"], ["INITIAL"]):
            body = f"\n {kept} = {pointer}{body}"
        elif word != ["NEURON"] and word not in (["ASSIGNED"], ["PARAMETER"], ["NET_RECEIVE"]):
            body = re.sub(rf"\b{pointer}\b", kept, body)
        written.append(f"{head} {{{body}}}\n")
    return f"{''.join(written)}ASSIGNED {{ {kept} }}\n"


@functools.lru_cache(maxsize=None)
def turns_of(code):
    """Of a mechanism's text."""
    bodies, roots = {}, {CURRENT: [], STATE: [], EVENT: [], OTHER: []}
    solved = {}  # name of a block of equations: what they may be solved for
    for head, body in blocks_of(code):
        words = head.split("(")[0].split() or [""]
        if words[-2:-1] and words[-2] in ("BEFORE", "AFTER"):
            if words[-1] != "INITIAL":
                roots[OTHER].append(body)
        elif words[-1] == "BREAKPOINT":
            roots[CURRENT if has_currents(code) else STATE].append(_solve.sub(" ", body))
            roots[STATE] += _solve.findall(body)
        elif words[-1] == "NET_RECEIVE":
            roots[EVENT].append(body)
        else:
            bodies[words[-1]] = body
            if words[-2:-1] == ["KINETIC"]:
                solved[words[-1]] = set(re.findall(r"[A-Za-z]\w*", " ".join(_reaction.findall(body))))
            elif words[-2:-1] and words[-2] in ("LINEAR", "NONLINEAR"):
                solved[words[-1]] = set(re.findall(r"[A-Za-z]\w*", body))
    reads, assigns = {}, {}
    for time, waiting in roots.items():
        waiting, seen = list(waiting), set()
        reads[time], assigns[time] = set(), set()
        while waiting:
            one = waiting.pop()
            body = bodies.get(one, one)
            words = set(re.findall(r"[A-Za-z]\w*", body))
            waiting += [name for name in words & set(bodies) - seen]
            seen |= words
            reads[time] |= words
            assigns[time] |= {*_assignment.findall(body), *_discontinuity.findall(body), *solved.get(one, ())}
    return Turns(reads, assigns)
