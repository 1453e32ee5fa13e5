"""Loops of Python's over h.fadvance(), `while h.t < h.tstop: h.fadvance()`, which run ahead as hoc's do, where all that
is in them is known to look at the model alone, and functions that are called at spikes."""

from __future__ import annotations

import ast
import ctypes
import functools
import inspect
import linecache
import math
import types

from ._neuron_library import library

_types = (int, float, str, bool, list, tuple, dict, type(None))
_functions = {"abs", "bool", "float", "format", "int", "len", "max", "min", "print", "range", "round", "str", "sum"}
_of_python = {list: {"append", "extend"}, str: {"format", "join"}}
_asks_of_vectors = {"c", "contains", "get", "indwhere", "max", "max_ind", "mean", "min", "min_ind", "printf", "size",
                    "sum"}
#: Of hoc's classes, what leaves the model alone.
_does = {"Vector": {"append", *_asks_of_vectors}, "Graph": {"begin", "flush", "line", "plot"},
         "File": {"printf", "flush"}}
_object, _scalar = 2, 5  # of name_declared()


class Unknown(Exception):
    """Why a loop is NEURON's."""


class _Text:
    """Statements of Python's, of which it is known what they do. read: names (of sections, of objects); draws: whether
    they draw lines of graphs. Raises Unknown."""

    def __init__(self, h, names):
        from neuron import nrn

        self._h, self._places, self._mechanism = h, (nrn.Section, nrn.Segment), nrn.Mechanism
        self._names, self._step = names, None
        self.read, self.draws = (set(), set()), False
        self._objects, self._vectors, self._set = [], [], set()

    def problems_of_objects(self, h):
        """As a loop of hoc's."""
        return ["it reads a Vector that records"] if any_used(self._vectors) else []

    def _look_at(self, statement, is_of_loop=False):
        """A statement."""
        if isinstance(statement, ast.Expr) and statement.value is self._step and is_of_loop:
            return
        if isinstance(statement, (ast.Pass, ast.Global, ast.Nonlocal)):
            return
        if isinstance(statement, ast.Return) and self._step is None:
            statement = ast.Expr(statement.value or ast.Constant(None))
        if isinstance(statement, ast.Expr):
            self._look(statement.value)
        elif isinstance(statement, (ast.Assign, ast.AugAssign)):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            if not all(isinstance(one, ast.Name) for one in targets):
                raise Unknown("it sets what is no variable of Python's")
            if isinstance(statement, ast.AugAssign) and \
                    type(self._names.get(targets[0].id, 0)) not in (int, float):
                raise Unknown("it adds to what is no number")
            self._look(statement.value)
        elif isinstance(statement, ast.If):
            self._look(statement.test)
            for one in [*statement.body, *statement.orelse]:
                self._look_at(one)
        else:
            raise Unknown("it does what is not known here")

    def _look(self, tree, is_condition=False):
        """An expression, which may give whatever it likes."""
        if isinstance(tree, ast.Constant):
            return
        if isinstance(tree, ast.Name):
            if is_condition and (tree.id in self._set or type(self._value(tree)) not in (int, float, bool)):
                raise Unknown(f"its condition asks for {tree.id}")
            if type(self._names.get(tree.id, 0) if tree.id in self._set else self._value(tree)) in _types:
                return
            raise Unknown(f"it uses {tree.id}")
        if isinstance(tree, (ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp)) or \
                not is_condition and isinstance(tree, (ast.Tuple, ast.List, ast.JoinedStr, ast.FormattedValue)):
            for part in ast.iter_child_nodes(tree):
                if isinstance(part, ast.expr):
                    self._look(part, is_condition)
        elif isinstance(tree, ast.Attribute):
            self._look_at_attribute(tree, is_condition)
        elif isinstance(tree, ast.Call) and not is_condition:
            self._look_at_call(tree)
        else:
            raise Unknown("it does what is not known here")

    def _look_at_attribute(self, tree, is_condition):
        name, of = tree.attr, self._value(tree.value)
        if of is self._h:
            if self._h.name_declared(name) != _scalar or name == "hoc_ac_":
                raise Unknown(f"it uses h.{name}")
        elif of is math:
            pass
        elif is_condition or name.startswith("_"):
            raise Unknown(f"it uses {name}")
        elif type(of) in self._places:
            self.read[0].add(name)
        elif type(of) is self._mechanism:
            self.read[0].update((name, f"{name}_{of.name()}"))
        elif hasattr(of, "hocobjptr") and hasattr(of, "get_segment"):
            self.read[1].add(name)
        else:
            raise Unknown(f"it uses {name}")

    def _look_at_call(self, tree):
        function = tree.func
        if tree is self._step:
            raise Unknown("its steps are in other statements")
        for part in [*tree.args, *(one.value for one in tree.keywords)]:
            self._look(part)
        if isinstance(function, ast.Name):
            called = self._value(function)
            if function.id not in _functions or getattr(called, "__module__", "") != "builtins":
                raise Unknown(f"it calls {function.id}()")
            return
        if not isinstance(function, ast.Attribute):
            raise Unknown("it does what is not known here")
        of, name = self._value(function.value), function.attr
        class_ = of.hname().partition("[")[0] if hasattr(of, "hocobjptr") else None
        if of is math or name in _of_python.get(type(of), ()):
            return
        if class_ not in _does or name not in _does[class_]:
            raise Unknown(f"it calls {name}()")
        self.draws = self.draws or name == "plot"
        self._objects.append(of)
        if name in _asks_of_vectors:
            self._vectors.append(of)

    def _value(self, tree):
        """What stands there all along the loop."""
        if isinstance(tree, ast.Constant):
            return tree.value
        if isinstance(tree, ast.Name):
            if tree.id in getattr(self, "_set", ()):
                raise Unknown(f"it uses {tree.id}, which it sets")
            if tree.id in self._names:
                return self._names[tree.id]
            raise Unknown(f"it uses {tree.id}")
        if isinstance(tree, ast.Attribute) and not tree.attr.startswith("_"):
            of = self._value(tree.value)
            if of is self._h:
                held = getattr(of, tree.attr)
                if self._h.name_declared(tree.attr) == _object or type(held) in self._places:
                    return held
            elif type(of) in self._places:
                held = getattr(of, tree.attr, None)
                if type(held) is self._mechanism:
                    return held
            elif not isinstance(of, type) and type(of).__getattribute__ is object.__getattribute__ and \
                    not hasattr(type(of), "__getattr__") and not hasattr(type(of), tree.attr) and \
                    tree.attr in getattr(of, "__dict__", ()):
                return of.__dict__[tree.attr]
        if isinstance(tree, ast.Subscript) and isinstance(tree.slice, ast.Constant):
            of = self._value(tree.value)
            if type(of) in (list, tuple, dict):
                return of[tree.slice.value]
        if isinstance(tree, ast.Call) and len(tree.args) == 1 and not tree.keywords and \
                isinstance(tree.args[0], ast.Constant):
            of = self._value(tree.func)
            if type(of) in self._places:
                return of(tree.args[0].value)
        raise Unknown("it does what is not known here")


class Frame(_Text):
    """The loop in which Python has called h.fadvance(), as one of hoc's."""

    def __init__(self, h, frame):
        super().__init__(h, {**frame.f_builtins, **frame.f_globals, **_locals_of(frame)})
        self.name = f"{frame.f_code.co_name}() of Python's" if frame.f_code.co_name != "<module>" else "Python"
        self.guards, self.sets = (), set()
        self._loop, self._step = _loop_at(frame)
        self._set = {one.id for statement in self._loop.body for one in ast.walk(statement)
                     if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
        code = frame.f_code
        if _is_of_function(code) and self._set - {*code.co_varnames, *code.co_cellvars, *code.co_freevars}:
            raise Unknown("it sets variables of its module")
        if self._value(self._step.func.value) is not h or self._step.args or self._step.keywords:
            raise Unknown("they are not h's")
        if isinstance(self._loop, ast.For):
            self._look_at_range()
        else:
            self._look_at_condition()
        for statement in self._loop.body:
            self._look_at(statement, True)

    def turns(self, most):
        """How many come behind this one, at most so many."""
        if isinstance(self._loop, ast.For):
            first, last, step = self._range
            return min(most, len(range(first + step, last, step)))
        h, half, turns = self._h, 0.5 * self._h.dt, 0
        now = h.t
        code = compile(ast.Expression(self._loop.test), "loop", "eval")
        try:
            while turns < most:
                h.t = h.t + half
                h.t = h.t + half
                if not eval(code, self._names):
                    break
                turns += 1
        finally:
            h.t = now
        return turns

    def _look_at_range(self):
        loop = self._loop
        if not isinstance(loop.target, ast.Name) or loop.target.id in self._set or \
                not isinstance(loop.iter, ast.Call) or loop.iter.keywords or self._value(loop.iter.func) is not range:
            raise Unknown("it counts otherwise than by range()")
        of_range = range(*(self._number(one) for one in loop.iter.args))
        self._range = self._value(loop.target), of_range.stop, of_range.step

    def _number(self, tree):
        self._look(tree, is_condition=True)
        return eval(compile(ast.Expression(tree), "loop", "eval"), self._names)

    def _look_at_condition(self):
        self._look(self._loop.test, is_condition=True)
        if not any(isinstance(one, ast.Attribute) and one.attr == "t" and self._value(one.value) is self._h
                   for one in ast.walk(self._loop.test)):
            raise Unknown("its condition does not ask for h.t")


class Function(_Text):
    """A function without arguments, or an object's. is_plain: whether it uses no object of hoc's."""

    def __init__(self, h, function):
        is_of_object = isinstance(function, types.MethodType)
        plain = function.__func__ if is_of_object else function
        if not isinstance(plain, types.FunctionType) or plain.__code__.co_flags & (inspect.CO_GENERATOR
                                                                                  | inspect.CO_COROUTINE):
            raise Unknown("it is no function of Python's")
        code, tree = plain.__code__, _function_at(plain)
        arguments = [one.arg for one in (*tree.args.posonlyargs, *tree.args.args)]
        if len(arguments) != is_of_object or tree.args.vararg or tree.args.kwonlyargs or tree.args.kwarg:
            raise Unknown("it has arguments")
        try:
            closed = {name: cell.cell_contents for name, cell in zip(code.co_freevars, plain.__closure__ or ())}
        except ValueError:  # of a variable that has no value yet
            raise Unknown("it uses what is not there yet") from None
        held = plain.__globals__.get("__builtins__", {})
        super().__init__(h, {**(held if isinstance(held, dict) else vars(held)), **plain.__globals__, **closed,
                             **dict.fromkeys(arguments, getattr(function, "__self__", None))})
        body = [ast.Expr(tree.body)] if isinstance(tree, ast.Lambda) else tree.body
        self._set = {one.id for statement in body for one in ast.walk(statement)
                     if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
        for statement in body:
            self._look_at(statement)
        self.is_plain = not self._objects

    def leaves_the_model(self):
        """Whether it neither reads nor draws anything of it, and uses no Vector that records or plays."""
        return not (any(self.read) or self.draws or any_used(self._objects))


def any_used(objects):
    """Whether one of them is a Vector that records or plays."""
    return any(library().hillock_is_played(ctypes.c_void_p(one.hocobjptr()), ctypes.byref(ctypes.c_void_p()))
               for one in objects if one.hname().startswith("Vector["))


def _function_at(function):
    """Its part of its file's tree."""
    code = function.__code__
    lines = linecache.getlines(code.co_filename, function.__globals__)
    if not lines:
        raise Unknown("its text is not at hand")
    _, codes, functions = _read("".join(lines), code.co_filename)
    if _of_code(code) not in codes:
        raise Unknown("its text is another by now")
    found = functions.get((code.co_firstlineno, code.co_name), ())
    if len(found) != 1:
        raise Unknown("it is not known which one of its line it is")
    return found[0]


def _is_of_function(code):
    """Whether what it sets is no dictionary's."""
    return bool(code.co_flags & inspect.CO_OPTIMIZED)


def _locals_of(frame):
    """A copy of them; Python would keep what it shows of a function, whatever the function drops."""
    shown = frame.f_locals
    known = dict(shown)
    if _is_of_function(frame.f_code) and type(shown) is dict:
        shown.clear()
    return known


def _loop_at(frame):
    """(the loop, its call of fadvance) that a frame is at, by its text, which is that of its code."""
    code = frame.f_code
    lines = linecache.getlines(code.co_filename, frame.f_globals)
    if not hasattr(code, "co_positions") or not lines:  # before Python 3.11 it is not known where in a line it is
        raise Unknown("its text is not at hand")
    tree, codes, _ = _read("".join(lines), code.co_filename)
    if _of_code(code) not in codes:
        raise Unknown("its text is another by now")
    at = list(code.co_positions())[frame.f_lasti // 2]
    found = [(loop, statement.value) for loop in ast.walk(tree) if isinstance(loop, (ast.While, ast.For))
             for statement in loop.body if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
             and (statement.value.lineno, statement.value.end_lineno, statement.value.col_offset,
                  statement.value.end_col_offset) == at]
    if len(found) != 1 or not isinstance(found[0][1].func, ast.Attribute) or found[0][1].func.attr != "fadvance":
        raise Unknown("they are in no loop that is known here")
    return found[0]


@functools.lru_cache(maxsize=32)
def _read(text, name):
    """(the tree of a file, what its code is made of, {(line, name): [its part that is a function]})"""
    tree, functions = ast.parse(text, name), {}
    for one in ast.walk(tree):
        if isinstance(one, (ast.FunctionDef, ast.Lambda)):
            functions.setdefault((one.lineno, getattr(one, "name", "<lambda>")), []).append(one)
    return tree, list(map(_of_code, _codes_in(compile(tree, name, "exec")))), functions


def _codes_in(code):
    yield code
    for one in code.co_consts:
        if isinstance(one, types.CodeType):
            yield from _codes_in(one)


def _of_code(code):
    constants = [repr(one) for one in code.co_consts if not isinstance(one, types.CodeType)]
    return code.co_name, code.co_firstlineno, code.co_code, code.co_names, code.co_varnames, constants
