"""When in a step the mechanisms of a session read and assign what they share: what a POINTER reads is that of this step
or of the one before, as who comes first will have it."""

from __future__ import annotations

import functools
import re

from ._neuron_mechanisms import blocks_of, named_behind, without_comments

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


_declaring = ("NEURON", "ASSIGNED", "PARAMETER")


def read_before(code, pointer):
    """A text with currents whose states read by a POINTER what it was when the currents did."""
    kept, blocks = f"hillock_{pointer}", []
    for head, body in _replaced(code, pointer, kept, ("BREAKPOINT", "INITIAL", "NET_RECEIVE", *_declaring)):
        begins = _word_of(head) in ("BREAKPOINT", "INITIAL")
        blocks.append((head, f"\n {kept} = {pointer}\n{body}" if begins else body))
    return f"{joined(blocks)}ASSIGNED {{ {kept} }}\n{behind(code)}"


def with_changing(code, parameters):
    """A text whose steps read these as they are then, and nothing that was made of them before."""
    kept = "".join(f"\n {name} = {name}" for name in parameters)
    blocks = [(head, f"{body}{kept}\n" if _word_of(head) == "BREAKPOINT" else body) for head, body in blocks_of(code)]
    return f"{joined(blocks)}{behind(code)}"


def with_table(code, pointer):
    """A text that has for a POINTER what a table of the time, `hillock_…_played`, gives."""
    table = f"hillock_{pointer}_played"
    blocks = _replaced(code, pointer, f"{table}(t)", _declaring)
    return f"{joined(blocks)}FUNCTION_TABLE {table}(t (ms))\n{behind(code)}"


def with_copies(code):
    """A text of a point whose currents flow at `hillock_copies` places."""
    listed = "NONSPECIFIC_CURRENT", "ELECTRODE_CURRENT"
    currents = sorted(named_behind(code, *listed))
    sums, blocks = "".join(f" hillock_{one} = hillock_copies * {one}\n" for one in currents), []
    for head, body in blocks_of(code):
        if _word_of(head) == "NEURON":
            body = re.sub(rf"\b({'|'.join(listed)})\b\s*((?:\w+\s*,\s*)*\w+)", lambda found: "RANGE " + found[2] +
                          f"\n {found[1]} " + re.sub(r"(\w+)", r"hillock_\1", found[2]) + "\n", body)
            body += "\n RANGE hillock_copies\n"
        blocks.append((head, f"{body}\n{sums}" if _word_of(head) == "BREAKPOINT" else body))
    declared = "".join(f" hillock_{one} (nanoamp)" for one in currents)
    return f"{joined(blocks)}PARAMETER {{ hillock_copies = 1 }}\nASSIGNED {{{declared} }}\n{behind(code)}"


def without_unit_of_weight(code):
    """A text whose weights are numbers of any sign."""
    return re.sub(r"(\bNET_RECEIVE\s*\(\s*\w+)\s*\([^()]*\)", r"\1", without_comments(code))


_limits = r"<\s*([-+.\deE]+)\s*,\s*([-+.\deE]+)\s*>"
_limited = re.compile(rf"\b([A-Za-z]\w*)\s*(?:\[[^\]]*\]\s*)?(?:=\s*[-+.\w]+\s*)?(?:\([^()]*\)\s*)?{_limits}")


@functools.lru_cache(maxsize=1024)
def limits_of(code):
    """{PARAMETER: (the least, the most that it may be)} of those that have limits."""
    return {name: (float(least), float(most)) for name, least, most in _limited.findall(without_comments(code))}


def without_limits(code):
    """A text whose PARAMETERs may be any numbers, as in NEURON, which has their limits for its panels alone."""
    return re.sub(_limits, " ", without_comments(code))


def without_pointer(code, pointer, number):
    """A text that has a number for a POINTER."""
    blocks = _replaced(code, pointer, f"({number!r})", _declaring)
    return joined(blocks) + behind(code)


def assigned_in(body):
    """What a block assigns."""
    return {*_assignment.findall(body), *_discontinuity.findall(body)}


def joined(blocks):
    """The text of [(head, body)]."""
    return "".join(f"{head} {{{body}}}\n" for head, body in blocks)


def _replaced(code, name, by, but):
    return [(head, body if _word_of(head) in but else re.sub(rf"\b{name}\b", by, body))
            for head, body in blocks_of(code)]


def behind(code):
    """What stands behind the last block."""
    code = without_comments(code)
    return code[code.rindex("}") + 1:]


def _word_of(head):
    return (head.split("(")[0].split() or [""])[-1]


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
            assigns[time] |= assigned_in(body) | {*solved.get(one, ())}
    return Turns(reads, assigns)
