"""What a NET_RECEIVE does, of a text that computes with its instance's own numbers alone."""

from __future__ import annotations

import math
import re
import types

from ._neuron_mechanisms import blocks_of, end_of


class Unknown(Exception):
    """There is more in a text than is known here."""


_token = re.compile(r"\s*(?:((?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)|([A-Za-z]\w*)"
                    r"|(<=|>=|==|!=|&&|\|\||[-+*/^()<>{}=!,]))")
_levels = (("||",), ("&&",), ("==", "!=", "<=", ">=", "<", ">"), ("+", "-"), ("*", "/"))


def _exp(x):
    """NEURON's, which ends at -700, and complains from 700 on."""
    if x > 700:
        raise OverflowError(f"exp({x})")
    return 0.0 if x < -700 else math.exp(x)


_functions = {"exp": _exp, "log": math.log, "log10": math.log10, "sqrt": math.sqrt, "fabs": math.fabs,
              "sin": math.sin, "cos": math.cos, "pow": math.pow, "floor": math.floor, "ceil": math.ceil}
_draws = ("scop_random", "exprand", "normrand")
_arguments_of = {"pow": 2, "normrand": 2, "scop_random": 0}  # of others one


class Program:
    """Of a Mechanism. offset(name): where a variable is among an instance's numbers, or None; stream: has the functions
    that draw. draws: whether it does. Raises Unknown."""

    def __init__(self, mechanism, offset, stream):
        self._mechanism, self._offset, self.draws = mechanism, offset, False
        self._called, self._lines, receive = {}, [], None
        for head, body in blocks_of(mechanism.code):
            if of := re.search(r"\b(PROCEDURE|FUNCTION)\s+(\w+)\s*\(", head):
                self._called[of[2]] = of[1], _arguments(head, of.end()), body
            elif of := re.search(r"\bNET_RECEIVE\s*\(", head):
                receive = _arguments(head, of.end()), body
            elif re.search(r"\b(WATCH|BREAKPOINT|DERIVATIVE|KINETIC|BEFORE|AFTER)\b", head):
                raise Unknown
        if receive is None:
            raise Unknown
        self._waiting, self._known = [], set()
        self._write("receive", ["flag"], receive[1], dict.fromkeys(receive[0], "0.0"))
        while self._waiting:
            name = self._waiting.pop()
            kind, arguments, body = self._called[name]
            self._write(f"f_{name}", arguments, body, {name: "0.0"} if kind == "FUNCTION" else {}, name)
        self._mechanism = self._offset = None  # they know the session, whose objects are the script's
        sent, fired = self._sent, self._fired = [], []
        self._code = {"__builtins__": {"float": float, "bool": bool}, "stream": stream,
                      "send": lambda *event: sent.append(event), "fire": fired.append,
                      **{f"c_{name}": function for name, function in _functions.items()}}
        exec(compile("\n".join(self._lines), mechanism.name, "exec"), self._code)

    def receive(self, row, time, flag):
        """([(ms, flag)] that it sends itself, [ms] of its spikes) when an event comes that it sent itself; row: the
        instance's numbers, which change."""
        self._sent.clear()
        self._fired.clear()
        numbers = row.tolist()
        self._code["receive"](numbers, time, flag)
        row[:] = numbers
        return list(self._sent), list(self._fired)

    def _write(self, name, arguments, body, locals_, returns=None):
        writer = _Writer(self, body, {*arguments, *locals_})
        self._lines.append(f"def {name}({', '.join(['row', 'now', *(f'l_{one}' for one in arguments)])}):")
        self._lines += [f" l_{one} = {value}" for one, value in locals_.items()] + writer.lines + [
            f" return l_{returns}" if returns in locals_ else " return 0.0"]

    def call(self, name, count):
        """What a call of one of its own begins with; raises Unknown where there is no such thing."""
        if name not in self._called or len(self._called[name][1]) != count:
            raise Unknown
        if name not in self._known:
            self._known.add(name)
            self._waiting.append(name)
        return f"f_{name}(row, now"

    def variable(self, name, is_set=False):
        """Where it is."""
        if (offset := self._offset(name)) is not None:
            return f"row[{offset}]"
        if name in self._mechanism.globals and not is_set:
            return repr(self._mechanism.globals[name])
        if name == "t" and not is_set:
            return "now"
        raise Unknown


def may_be_known(code):
    """Whether there is no more in a text than is known here, whatever its names stand for."""
    try:
        Program(types.SimpleNamespace(name="", code=code, globals={}), lambda _: 0, None)
    except Unknown:
        return False
    return True


def _arguments(head, begin):
    """The names in the brackets that were opened before `begin`, without units."""
    inside = re.sub(r"\([^()]*\)", "", head[begin:end_of(head, begin, "()") - 1])
    return re.findall(r"\w+", inside)


class _Writer:
    """Writes a body as Python. lines: of it."""

    def __init__(self, program, body, locals_):
        self._program, self._locals, self._at, self._tokens, self.lines = program, set(locals_), 0, [], []
        body, at = body.rstrip() + "}", 0
        while at < len(body):
            found = _token.match(body, at)
            if not found:
                raise Unknown
            self._tokens.append((found[1] and repr(float(found[1])), found[2] or found[3]))
            at = found.end()
        self._block(" ")
        if self._at < len(self._tokens):
            raise Unknown

    def _next(self, behind=0):
        return self._tokens[self._at + behind][1] if self._at + behind < len(self._tokens) else None

    def _take(self, wanted=None):
        token = self._next()
        if token is None or wanted not in (None, token):
            raise Unknown
        self._at += 1
        return token

    def _take_any(self):
        if self._at == len(self._tokens):
            raise Unknown
        self._at += 1
        return self._tokens[self._at - 1][1]

    def _block(self, indent):
        """Up to the bracket that closes it."""
        self.lines.append(f"{indent}pass")
        while (token := self._take()) != "}":
            if token in ("if", "while"):
                self._branch(token, indent)
                while token == "if" and self._next() == "else":
                    self._take()
                    if self._next() == "if":
                        self._take()
                        self._branch("elif", indent)
                    else:
                        self._take("{")
                        self.lines.append(f"{indent}else:")
                        self._block(f"{indent} ")
            elif token == "LOCAL":
                self._declare(indent)
            elif self._next() == "=":
                self._take()
                self.lines.append(f"{indent}{self._name(token, True)} = {self._expression()}")
            elif self._next() == "(":
                self.lines.append(f"{indent}{self._statement(token)}")
            elif token not in ("UNITSON", "UNITSOFF"):
                raise Unknown

    def _branch(self, word, indent):
        self._take("(")
        condition = self._expression()
        self._take(")")
        self._take("{")
        self.lines.append(f"{indent}{word} {condition}:")
        self._block(f"{indent} ")

    def _declare(self, indent):
        while True:
            name = self._take()
            self._locals.add(name)
            self.lines.append(f"{indent}l_{name} = 0.0")
            if self._next() != ",":
                return
            self._take()

    def _name(self, name, is_set=False):
        return f"l_{name}" if name in self._locals else self._program.variable(name, is_set)

    def _statement(self, name):
        if name not in ("net_send", "net_event"):
            return self._call(name)
        arguments = self._arguments()
        if len(arguments) != (2 if name == "net_send" else 1):
            raise Unknown
        # As nocmodl writes it: what is sent in `event - t` comes at t + event - t.
        return f"send(now + {arguments[0]}, {arguments[1]})" if name == "net_send" else f"fire({arguments[0]})"

    def _arguments(self):
        self._take("(")
        found = []
        while self._next() != ")":
            found.append(self._expression())
            if self._next() == ",":
                self._take()
        self._take(")")
        return found

    def _call(self, name):
        arguments = self._arguments()
        if name in (*_functions, *_draws) and len(arguments) != _arguments_of.get(name, 1):
            raise Unknown
        if name in _functions:
            return f"c_{name}({', '.join(arguments)})"
        if name in _draws:
            self._program.draws = True
            return f"stream.{name}({', '.join(arguments)})"
        return ", ".join([self._program.call(name, len(arguments)), *arguments]) + ")"

    def _expression(self, level=0):
        if level == len(_levels):
            return self._signed()
        left = self._expression(level + 1)
        while (token := self._next()) in _levels[level]:
            self._take()
            right = self._expression(level + 1)
            if level < 2:
                left = f"float(bool({left}) {'or' if level == 0 else 'and'} bool({right}))"
            else:
                left = f"float({left} {token} {right})" if level == 2 else f"{left} {token} {right}"
        return left

    def _signed(self):
        token = self._next()
        if token in ("-", "!"):
            self._take()
            return f"-{self._signed()}" if token == "-" else f"float(not {self._signed()})"
        base = self._single()
        if self._next() == "^":
            self._take()
            return f"c_pow({base}, {self._signed()})"
        return base

    def _single(self):
        if self._at < len(self._tokens) and self._tokens[self._at][0]:
            number = self._tokens[self._at][0]
            self._at += 1
            if self._next() == "(":  # its unit
                while self._take_any() != ")":
                    pass
            return number
        token = self._take()
        if token == "(":
            inside = self._expression()
            self._take(")")
            return f"({inside})"
        if not re.match("[A-Za-z]", token):
            raise Unknown
        return self._call(token) if self._next() == "(" else self._name(token)
