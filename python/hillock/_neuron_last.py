"""GLOBALs that steps of a membrane's mechanism read where its last place has left them: a run has them by POINTERs there.

Either states set them, and currents of the next step read them: then these read the last place's. Or a procedure of the
voltage alone sets them beside currents, and states read them: then each place computes them with the last one's voltage.
"""

from __future__ import annotations

import functools
import re
import typing

from ._neuron_mechanisms import blocks_of, declared_in, named_behind
from ._neuron_turns import CURRENT, STATE, assigned_in, behind, joined, turns_of

_prefix = "hillock_of_last_"
_of_listed = r"\s+(\w+(?:\s*,\s*\w+)*)"


class OfLast(typing.NamedTuple):
    """text: with POINTERs; pointers: {POINTER: the variable of the last place that it stands for, None of a voltage}.
    shared: the text where these variables are one for all still, as what else reads them has to have set them."""

    text: str
    pointers: dict
    shared: str


class _Block:
    """kind: the word before the name, as of a PROCEDURE."""

    def __init__(self, head, body):
        self.head, self.body = head, body
        words = ["", *head.split("(")[0].split()]
        self.kind, self.name = words[-2:]

    def renamed(self, names):
        """A copy with other names. names: {old: new}."""
        word = re.compile(rf"\b({'|'.join(names)})\b")
        return _Block(*(word.sub(lambda found: names[found[0]], text) for text in (self.head, self.body)))


@functools.lru_cache(maxsize=None)
def of_last_place(code, names):
    """OfLast of a text in which `names` are read so; None where it is not known how."""
    blocks, turns, pointers = [_Block(*one) for one in blocks_of(code)], turns_of(code), {}
    main = [one for one in blocks if one.name == "BREAKPOINT" and one.kind not in ("BEFORE", "AFTER")]
    by_voltage, kept = {name for name in names if turns.of(name)[1] == {CURRENT}}, set()
    if len(main) != 1 or any(turns.of(name)[1] not in ({CURRENT}, {STATE}) for name in names):
        return None
    for name in set(names) - by_voltage:
        pointers[_prefix + name] = name
        main[0].body = re.sub(rf"\b{name}\b", _prefix + name, main[0].body)
    if by_voltage:
        kept = _add_copies(code, blocks, main[0], by_voltage)
        if not kept:
            return None
        pointers[f"{_prefix}v"] = None
    shown = sorted(name for name in pointers.values() if name)
    for one in blocks:
        if one.name == "NEURON":
            globals_ = sorted(named_behind(code, "GLOBAL") - {*shown})
            one.body = re.sub(rf"\bGLOBAL{_of_listed}", "", one.body) + "\n" + "".join(
                f" {word} {', '.join(some)}\n" for word, some in (
                    ("GLOBAL", globals_), ("RANGE", shown), ("POINTER", sorted(pointers))) if some)
    text = joined((one.head, one.body) for one in blocks) + \
        f"ASSIGNED {{ {' '.join(sorted({*pointers} | kept))} }}\n{behind(code)}"
    listed = ", ".join(shown)
    return OfLast(text, pointers, text.replace(f" RANGE {listed}\n", f" GLOBAL {listed}\n", 1) if shown else text)


def _add_copies(code, blocks, main, names):
    """Procedures that BREAKPOINT calls with v, and that set `names`, are there once more for the last place's voltage, and
    states read what these set, whose names are returned; nothing where they may read what is not the same everywhere."""
    procedures = {one.name: one for one in blocks if one.kind in ("PROCEDURE", "FUNCTION")}
    calls = [name for name in dict.fromkeys(re.findall(r"^\s*(\w+)\s*\(\s*v\s*\)\s*$", main.body, re.M))
             if name in procedures and assigned_in(procedures[name].body) & names]
    copied = list(calls)
    for name in copied:
        copied += [other for other in re.findall(r"\w+", procedures[name].body)
                   if other in procedures and other not in copied]
    copies = [procedures[name] for name in copied]
    declared = {name: size for one in blocks if one.name in ("PARAMETER", "ASSIGNED", "STATE")
                for name, size in declared_in(one.body)}
    declared.update((name, "") for one in blocks for name in _listed(one.head.split("(")[0], "LOCAL"))
    its_own, found = set(procedures), set()
    for one in copies:
        its_own |= _listed(one.body, "LOCAL") | {*re.findall(r"\w+", re.sub(r"\([^()]*\)", "", one.head.partition("(")[2]))}
        found |= {*re.findall(r"[A-Za-z]\w*", one.body)} & {*declared}
    assigned = set().union(*(assigned_in(one.body) for one in copies)) - its_own
    fixed = {name for one in blocks if one.name == "PARAMETER" for name, _ in declared_in(one.body)} - \
        named_behind(code, "RANGE", "READ", "WRITE") - set().union(*(assigned_in(one.body) for one in blocks))
    if not names <= assigned or found - its_own - assigned - fixed - {"v", "celsius", "dt"} or \
            any(declared.get(name) for name in assigned) or any("VERBATIM" in one.body for one in (main, *copies)) or \
            assigned_in(main.body) & names or not all(_is_set_first(name, copies) for name in assigned):
        return set()
    new = {name: _prefix + name for name in {*copied, *assigned, "v"}}
    blocks += [one.renamed(new) for one in copies]
    solved = re.findall(r"\bSOLVE\s+(\w+)", main.body)
    for one in blocks:
        if one.name in solved:
            one.body = one.renamed({name: new[name] for name in names}).body
    main.body = "".join(f"\n {new[name]}({new['v']})" for name in calls) + f"\n{main.body}"
    return {new[name] for name in assigned}


def _listed(text, word):
    return {name for some in re.findall(rf"\b{word}{_of_listed}", text) for name in re.findall(r"\w+", some)}


def _is_set_first(name, blocks):
    """Whether what these read of a variable is what they have set before, whatever happens."""
    for one in blocks:
        body = re.sub(r"\bTABLE\b.*?\bWITH\s+\w+", "", one.body, flags=re.S)
        found = re.search(rf"\b{name}\b", body)
        if found and not (re.match(r"\s*=(?!=)", body[found.end():])
                          and body.count("{", 0, found.start()) == body.count("}", 0, found.start())):
            return False
    return True
