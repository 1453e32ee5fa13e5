"""Whether a mechanism of a session draws random numbers during a run, whatever its text might do with other numbers,
and which, one after the other, where that is known before."""

from __future__ import annotations

import ast
import functools
import operator
import re

import numpy as np

from ._neuron_mechanisms import blocks_of, declared_in, end_of, without_comments


_draws = re.compile(r"\b(scop_random|exprand|normrand|poisrand|random_\w+)\b")
_condition = re.compile(r"\bif\s*\(\s*([A-Za-z]\w*)\s*(==|!=|<=|>=|<|>)\s*([-+]?[\d.]+(?:[eE][-+]?\d+)?)\s*\)\s*{")
_else = re.compile(r"\s*else\b\s*(if\s*\()?")
_operators = {"==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt,
              ">=": operator.ge}
_kinds = {"scop_random": "uniform", "exprand": "uniform", "normrand": "normal"}
#: What is no part of a run, which begins behind it.
_before = ("NEURON", "UNITS", "PARAMETER", "ASSIGNED", "STATE", "INITIAL", "CONSTANT")


_arithmetic = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
               ast.Pow: operator.pow, ast.USub: operator.neg, ast.UAdd: operator.pos, ast.And: np.logical_and,
               ast.Or: np.logical_or, ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt,
               ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge}


def value_of(expression, known):
    """What an expression of a text's gives for {name: numbers}: arithmetic, comparisons, `&&` and `||`. Raises
    KeyError, SyntaxError or ValueError."""
    text = re.sub(r"(?<=[\d.])\s*\(\s*[A-Za-z/][^()]*\)", "", expression)  # units
    text = re.sub(r"\b[A-Za-z]\w*", r"n_\g<0>", text)  # some are Python's words
    text = text.replace("&&", " and ").replace("||", " or ").replace("^", "**")

    def value(node):
        if isinstance(node, ast.Constant):
            return float(node.value)
        if isinstance(node, ast.Name):
            return known[node.id[2:]]
        if isinstance(node, ast.UnaryOp):
            return _arithmetic[type(node.op)](value(node.operand))
        if isinstance(node, ast.BinOp):
            return _arithmetic[type(node.op)](value(node.left), value(node.right))
        if isinstance(node, ast.BoolOp):
            return functools.reduce(_arithmetic[type(node.op)], map(value, node.values))
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            return _arithmetic[type(node.ops[0])](value(node.left), value(node.comparators[0]))
        raise ValueError

    return value(ast.parse(text.strip(), mode="eval").body)


@functools.lru_cache(maxsize=1024)
def may_draw(code):
    """Whether a text draws at all."""
    return bool(_draws.search(without_comments(code)))


def draws_in_run(code, numbers):
    """numbers(name): the array of what a parameter is during a run if nothing but the text sets it; None of other
    names. A branch that none of them takes is none of the run."""
    bodies, called = bodies_of_run(code)
    bodies, called = [body for _, body in bodies], {name: body for name, (_, body) in called.items()}
    changed = _set_in(reached_from(bodies, called))

    def holds(name, comparison, number):
        known = numbers(name) if name not in changed else None
        if known is None:
            return None
        of_all = _operators[comparison](known, float(number))
        return bool(of_all[0]) if len(of_all) and np.all(of_all == of_all[0]) else None

    called = {name: _without_dead(body, holds) for name, body in called.items()}
    return any(map(_draws.search, reached_from([_without_dead(body, holds) for body in bodies], called)))


def bodies_of_run(code):
    """([(head, body)] of what NEURON calls during a run, {name: (head, body)} of what these may call)."""
    bodies, called = [], {}
    for head, body in blocks_of(code):
        if of := re.search(r"\b(?:PROCEDURE|FUNCTION)\s+(\w+)", head):
            called[of[1]] = head, body
        elif not head.endswith(_before):
            bodies.append((head, body))
    return bodies, called


def _set_in(bodies):
    return set(re.findall(r"\b([A-Za-z]\w*)\s*=(?!=)", " ".join(bodies)))


def _is_breakpoint(head):
    return bool(re.search(r"(?<!BEFORE )\bBREAKPOINT$", head))


class UnknownDraws(Exception):
    """What a text draws in a step is not known before."""


class DrawsOfSteps:
    """What a text draws in each step, one by one ("uniform" or "normal", and [step] whether it does, or None where it
    always does): with_current, where NEURON takes its current, which it does twice; with_states, behind that.
    parameters: the names that may decide. Raises UnknownDraws."""

    def __init__(self, code):
        self._bodies, self._called = bodies_of_run(code)
        called = {name: body for name, (_, body) in self._called.items()}
        reached = reached_from([body for _, body in self._bodies], called)
        self._drawing = {name for name in called if any(map(_draws.search, reached_from([called[name]], called)))}
        self._solved = {}
        for head, body in self._bodies:
            if of := re.search(r"\b(DERIVATIVE|KINETIC|LINEAR|NONLINEAR|DISCRETE)\s+(\w+)[^{}]*$", head):
                self._solved[of[2]] = of[1], body
            elif not _is_breakpoint(head) and self._may_draw(body):
                raise UnknownDraws(f"in {head.split('(')[0].strip()}")
        self._changed = _set_in(reached)
        text = " ".join(reached)
        for word in ("set_seed", "poisrand", "VERBATIM"):
            if re.search(rf"\b{word}\b", text):
                raise UnknownDraws(f"with {word} in its steps")
        self._has_current = bool(re.search(r"\b(NONSPECIFIC|ELECTRODE)_CURRENT\b|\bUSEION\s+(\w+)[^}]*?"
                                           r"\bWRITE\b[\s\w,]*?\bi\2\b", code))
        conditions = [body[found.end():end_of(body, found.end(), "()") - 1]
                      for body in reached for found in re.finditer(r"\bif\s*\(", body)]
        self.parameters = sorted(set(re.findall(r"[A-Za-z]\w*", " ".join(conditions))) - self._changed - {"t"})

    def of(self, numbers, times):
        """(with_current, with_states) where the parameters are {name: number}; of those that are not among these it is
        not known what they are. times(which): [how they are counted, step] of currents (0), of states (1), ms."""
        self._numbers, self._times = numbers, times
        with_current, with_states = [], []
        for head, body in self._bodies:
            if not _is_breakpoint(head):
                continue
            self._which = 1
            solves = list(re.finditer(r"\bSOLVE\s+(\w+)(?:\s+METHOD\s+(\w+))?", body))
            for one in solves:
                if body.count("{", 0, one.start()) != body.count("}", 0, one.start()) and \
                        (self._may_draw(body) or self._solve(*one.groups())):
                    raise UnknownDraws("with a SOLVE under a condition")
                with_states += self._solve(*one.groups())
            self._which = 0 if self._has_current else 1
            rest = self._of_body(re.sub(r"\bSOLVE\s+\w+(\s+METHOD\s+\w+)?", " ", body), ())
            if rest and re.search(r"\bCONDUCTANCE\b", body):
                raise UnknownDraws("beside CONDUCTANCE")
            (with_current if self._has_current else with_states).extend(rest)
        return with_current, with_states

    def _may_draw(self, text):
        return bool(_draws.search(text)) or any(name in self._drawing for name in re.findall(r"[A-Za-z]\w*", text))

    def _solve(self, name, method):
        if name in self._called:
            return self._of_call(name)
        kind, body = self._solved.get(name, ("", ""))
        if self._may_draw(body) and (kind != "DERIVATIVE" or method not in ("cnexp", "euler")):
            raise UnknownDraws(f"in {kind} {name}, which may be evaluated several times")
        return self._of_body(body, ())

    def _of_call(self, name):
        head, body = self._called[name]
        return self._of_body(body, re.findall(r"\w+", head[head.find("("):])) if name in self._drawing else []

    def _of_body(self, body, hidden):
        """hidden: names of arguments, which are no parameters there."""
        if not self._may_draw(body):
            return []
        if re.search(r"\bTABLE\b", body):
            raise UnknownDraws("beside a TABLE")
        hidden = {*hidden, *re.findall(r"\w+", " ".join(re.findall(r"\bLOCAL\b\s*(\w+(?:\s*,\s*\w+)*)", body)))}
        drawn, at = [], 0
        while at < len(body):
            found = re.compile(r"\b(if|while|FROM|else)\b").search(body, at)
            drawn += self._of_statements(body[at:found.start() if found else len(body)])
            if not found:
                break
            begin = body.find("{", found.end())
            end = end_of(body, begin + 1, "{}")
            if found[1] == "if" and body.find("(", found.end()) < begin:
                end = _end_of_else(body, end)
                drawn += self._of_branches(body[found.start():end], hidden)
            elif self._may_draw(body[found.start():end]):
                turns = re.fullmatch(r"FROM\s+(\w+)\s*=\s*(\d+)\s+TO\s+(\d+)\s*", body[found.start():begin])
                if not turns:
                    raise UnknownDraws("in a loop")
                drawn += (int(turns[3]) + 1 - int(turns[2])) * self._of_body(body[begin + 1:end - 1],
                                                                             {*hidden, turns[1]})
            at = end
        return drawn

    def _of_branches(self, text, hidden):
        """An if with all that is joined to it."""
        if not self._may_draw(text):
            return []
        first = text.find("(") + 1
        behind = end_of(text, first, "()")
        holds, begin = self._holds(text[first:behind - 1], hidden), text.find("{", behind) + 1
        end = end_of(text, begin, "{}")
        rest = re.sub(r"^\s*else\b", "", text[end:]).strip()
        rest = rest[1:-1] if rest.startswith("{") else rest
        drawn = _where(self._of_body(text[begin:end - 1], hidden), holds) if np.any(holds) else []
        return drawn if np.all(holds) else drawn + _where(self._of_body(rest, hidden), np.logical_not(holds))

    def _holds(self, condition, hidden):
        """[step] whether; or whether in all."""
        known = {name: number for name, number in self._numbers.items() if name not in hidden}
        asks_time = "t" not in hidden and re.search(r"\bt\b", condition)
        if asks_time:
            known["t"] = self._times(self._which)
        try:
            holds = value_of(condition, known)
        except (KeyError, SyntaxError, ValueError):
            raise UnknownDraws("under a condition of what is not known before") from None
        if not asks_time:
            return bool(holds)
        holds = np.broadcast_to(holds, known["t"].shape)
        if not np.array_equal(holds[0], holds[1]):
            raise UnknownDraws("under a condition that round-off decides")
        return True if np.all(holds[0]) else holds[0] != 0

    def _of_statements(self, text):
        """Without branches. One draw a statement: the order of several in one is the compiler's."""
        drawn, behind = [], None
        for found in re.finditer(r"\b([A-Za-z]\w*)\s*\(", text):
            if not self._may_draw(found[1]):
                continue
            end = end_of(text, found.end(), "()")
            if self._may_draw(text[found.end():end]):
                raise UnknownDraws("within what it draws")
            since = text[behind:found.start()] if behind is not None else text[:found.start()]
            assigned = re.split(r"(?<![=!<>])=(?!=)", since)
            goes_on = re.search(r"[-+*/^(,<>=!&|]\s*$", since)
            if goes_on and re.search(r"'\s*=[^=]*$", since):
                raise UnknownDraws("in a derivative")
            if re.search(r"&&|\|\|", assigned[-1]) or (behind is not None and len(assigned) == 1 and goes_on):
                raise UnknownDraws("several times in one statement")
            if found[1] not in (*_kinds, *self._called):
                raise UnknownDraws("of a RANDOM")
            drawn += [(_kinds[found[1]], None)] if found[1] in _kinds else self._of_call(found[1])
            behind = end
        return drawn


@functools.lru_cache(maxsize=None)
def draws_unknown(code):
    """Whether it is not known what a text draws in a step, whatever its parameters are."""
    try:
        text = DrawsOfSteps(code)
        times = np.zeros((2, 1))
        given = {name for head, body in blocks_of(code) if head == "PARAMETER" for name, _ in declared_in(body)}
        text.of({"dt": 1.0, **dict.fromkeys(given & {*text.parameters}, 1.0)}, lambda _: times)
    except UnknownDraws:
        return True
    return False


@functools.lru_cache(maxsize=None)
def draws_in_order(code):
    """Whether a text draws where NEURON runs it once, at events and in procedures that BREAKPOINT solves, and one number
    a statement, so that a point's draws have one order."""
    bodies, called = bodies_of_run(code)
    called = {name: body for name, (_, body) in called.items()}
    drawing = {name for name in called if any(map(_draws.search, reached_from([called[name]], called)))}

    def drawn(text):
        return [name for name in re.findall(r"\b([A-Za-z]\w*)\s*\(", text)
                if name in drawing or _draws.fullmatch(name)]

    for head, body in bodies:
        if _is_breakpoint(head):
            solved = [one for one in re.finditer(r"\bSOLVE\s+(\w+)", body) if one[1] in drawing]
            rest = re.sub(r"\bSOLVE\s+\w+", " ", body)
            if drawn(rest) or any(body.count("{", 0, one.start()) != body.count("}", 0, one.start()) for one in solved):
                return False
        elif drawn(body) and not re.match(r"NET_RECEIVE\b|BEFORE\b|AFTER\b", head):
            return False
    reached = [re.sub(r"\bVERBATIM\s+ENDVERBATIM\b", "", text)
               for text in reached_from([body for _, body in bodies], called) if drawn(text)]
    if re.search(r"\b(TABLE|VERBATIM|FOR_NETCONS|set_seed|poisrand|random_\w+)\b", " ".join(reached)):
        return False
    statements = [one for text in reached for one in
                  re.split(r"[\n{}]", re.sub(r"\s*([-+*/^,(<>=!&|])\s*", r"\1", text)) if drawn(one)]
    return not any(len(drawn(one)) > 1 or re.search(r"&&|\|\|", one) for one in statements)


@functools.lru_cache(maxsize=1024)
def _changed_in_run(code):
    """What of a text's own it sets in a run."""
    bodies, called = bodies_of_run(code)
    return _set_in(reached_from([body for _, body in bodies], {name: body for name, (_, body) in called.items()}))


def without_dead_c(code, numbers):
    """(a text without the branches with C code that are never taken, [the parameters by which]). numbers: as of
    draws_in_run()."""
    changed, at, asked = _changed_in_run(code), 0, []
    while found := _condition.search(code, at):
        name, comparison, number = found.groups()
        end, at = end_of(code, found.end(), "{}"), found.end()
        if "VERBATIM" not in code[at:end] or name in changed or re.search(r"\belse\s*$", code[:found.start()]):
            continue
        known = numbers(name)
        if known is not None and len(known) and not np.any(_operators[comparison](known, float(number))):
            asked.append(name)
            code, at = code[:found.start()] + re.sub(r"^\s*else\b", " ", code[end:]), found.start()
    return code, asked


def _where(drawn, holds):
    """What is drawn in those steps alone."""
    if np.all(holds):
        return drawn
    return [(kind, holds if of is None else of & holds) for kind, of in drawn] if np.any(holds) else []


def reached_from(bodies, called):
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
