"""Mechanisms of a session that look on: they read voltages by POINTERs and sum what they make of them, a dipole say, in
numbers that nothing else of the model reads. A run leaves them out; what is recorded of them is made of voltages that
are recorded in their stead."""

from __future__ import annotations

import ast
import collections
import contextlib
import ctypes
import functools
import re

import numpy as np

from ._neuron_library import is_9, thread_of_number
from ._neuron_mechanisms import blocks_of, declared_in, kinds_of, named_behind, segments_with
from ._neuron_numbers import address_of

_operators = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.USub, ast.UAdd)
_functions = {"__builtins__": {}, "exp": np.exp, "log": np.log, "log10": np.log10, "sqrt": np.sqrt,
              "fabs": np.fabs, "sin": np.sin, "cos": np.cos, "tanh": np.tanh}
#: What such a mechanism does in a step, in NEURON's order; v is known behind the first.
_of_step = ("BEFORE BREAKPOINT", "AFTER SOLVE", "BEFORE STEP")
_MADE, _VOLTAGE, _NUMBER = range(3)  # where a statement's names are from
_itself = compile("it", "NMODL", "eval")
_of_begin = ("INITIAL", "BEFORE INITIAL", "AFTER INITIAL")
_declaring = ("NEURON", "UNITS", "PARAMETER", "ASSIGNED")


class _Program:
    """The text of a mechanism that looks on. steps: {block: [(name, expression, what that reads)]}; pointers, ranges,
    assigned, read: names; written: POINTERs."""

    def __init__(self, name, is_point, blocks):
        self.name, self.is_point = name, is_point
        neuron = "NEURON {" + blocks["NEURON"] + "}"
        self.pointers, self.ranges = named_behind(neuron, "POINTER"), named_behind(neuron, "RANGE")
        declared = [one for block in ("PARAMETER", "ASSIGNED") for one in declared_in(blocks.get(block, ""))]
        self.steps = {block: _statements(blocks.get(block, "")) for block in _of_step}
        self.assigned = assigned = {name for statements in self.steps.values() for name, *_ in statements}
        self.written = self.pointers & assigned
        self.read = {name for statements in self.steps.values() for *_, read in statements for name in read}
        unknown = (assigned | self.read) - {name for name, _ in declared} - {"v"}
        if unknown or "v" in assigned or any(size for _, size in declared) or \
                any("v" in read for *_, read in self.steps["BEFORE BREAKPOINT"]):
            raise SyntaxError

    @staticmethod
    @functools.lru_cache(maxsize=None)
    def of(name, code, is_point):
        """None where the text is of another kind."""
        blocks = blocks_of(code)
        heads = [head for head, _ in blocks]
        if len(set(heads)) < len(heads) or not {"NEURON"} <= set(heads) <= {*_declaring, *_of_begin, *_of_step}:
            return None
        blocks = dict(blocks)
        if re.search(r"\b(USEION|NONSPECIFIC_CURRENT|ELECTRODE_CURRENT|BBCOREPOINTER|RANDOM)\b", blocks["NEURON"]):
            return None
        try:
            made = _Program(name, is_point, blocks)
        except SyntaxError:
            return None
        return made if made.pointers else None

    @property
    def runs_as_well(self):
        """Whether a model has such points, too, where nothing that looks on sums in them."""
        return self.is_point and len(self.pointers) == 1 and not self.written


def _statements(text):
    made = []
    for line in filter(None, map(str.strip, text.splitlines())):
        name, _, expression = line.partition("=")
        if not re.fullmatch(r"[A-Za-z]\w*", name.strip()):
            raise SyntaxError
        tree = ast.parse(expression.strip().replace("^", "**"), mode="eval")
        made.append((name.strip(), compile(tree, "NMODL", "eval"), _names_in(tree.body)))
    return made


def _names_in(tree):
    """What an expression reads; raises SyntaxError where there is more in it than arithmetic."""
    if isinstance(tree, ast.Name):
        return {tree.id}
    if isinstance(tree, ast.Constant) and isinstance(tree.value, (int, float)):
        return set()
    if isinstance(tree, ast.BinOp) and type(tree.op) in _operators:
        return _names_in(tree.left) | _names_in(tree.right)
    if isinstance(tree, ast.UnaryOp) and type(tree.op) in _operators:
        return _names_in(tree.operand)
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and tree.func.id in _functions and \
            len(tree.args) == 1 and not tree.keywords:
        return _names_in(tree.args[0])
    raise SyntaxError


class _Instance:
    """holder: what hoc has its variables of. slots: {POINTER: Slot}."""

    def __init__(self, number, program, holder, segment):
        self.number, self.program, self.holder, self.segment, self.slots = number, program, holder, segment, {}

    def is_global(self, name):
        """Whether what it reads by that name is one for all."""
        return name != "v" and name not in self.program.ranges | self.program.assigned | self.program.pointers

    def __str__(self):
        return f"{self.program.name} at {self.segment}"


class _Slot:
    """What POINTERs stand for: a variable (Instance, name) of one that looks on, a voltage (segment), or a number of
    hoc's, if it is not a model's. ref: hoc's pointer to it."""

    def __init__(self, ref):
        self.ref = ref
        self.variable = self.segment = None
        self.is_of_model = self.is_written = False

    @property
    def is_elsewhere(self):
        return self.variable is None and self.segment is None

    def mark(self, marks):
        marks.mark(self, self.ref[0], functools.partial(self.ref.__setitem__, 0))


class _Marks:
    """Numbers that nothing else has, by which one finds what is at a place, and what was there before."""

    def __init__(self):
        self._of, self._undo = {}, []

    def mark(self, what, known, put):
        """put(number) writes to where it is, which has `known` now."""
        number = -7.7e250 * (1 + len(self._of) * 2.0**-40)
        self._of[number] = what
        self._undo.append(functools.partial(put, known))
        put(number)

    def at(self, number):
        """What was marked there, or None."""
        return self._of.get(number)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for undo in reversed(self._undo):
            undo()


class Observers:
    """Those of a session, as it is now, where NEURON's numbers lie as it hands them over. names: of the mechanisms;
    problems: why some cannot be taken."""

    def __init__(self, h):
        self._h, self.problems, self._instances, self._slots, self._is_detached = h, [], [], [], False
        for program in _programs(h):
            for holder, segment in _holders(h, program):
                self._instances.append(_Instance(len(self._instances), program, holder, segment))
        self.names = {instance.program.name for instance in self._instances}
        if self._instances:
            self._find_slots()

    def _find_slots(self):
        with _Marks() as marks:
            for instance in self._instances:
                for pointer in instance.program.pointers:
                    try:
                        ref = getattr(instance.holder, f"_ref_{pointer}")
                        slot = marks.at(ref[0]) or self._add_slot(marks, ref)
                    except Exception:  # hoc's, of any kind
                        self.problems.append(f"{instance}: its POINTER {pointer} stands for nothing")
                        continue
                    instance.slots[pointer] = slot
            for instance in self._instances:
                for name in instance.program.ranges:
                    if slot := marks.at(getattr(instance.holder, name)):
                        slot.variable = instance, name
            for section in self._h.allsec():
                for segment in section.allseg():
                    if slot := marks.at(segment.v):
                        slot.segment = segment
        threads = int(self._h.ParallelContext().nthread())
        for slot in self._slots:
            slot.is_of_model = slot.is_elsewhere and thread_of_number(slot.ref, threads) > 0
        for instance in self._instances:
            for pointer, slot in instance.slots.items():
                slot.is_written = slot.is_written or pointer in instance.program.written
                if slot.is_of_model or (slot.segment is not None and pointer in instance.program.written):
                    self.problems.append(f"{instance}: its POINTER {pointer} stands for a number of the model")

    def _add_slot(self, marks, ref):
        slot = _Slot(ref)
        self._slots.append(slot)
        slot.mark(marks)
        return slot

    def are_where_they_were(self):
        """Whether it is seen that POINTERs stand for what they did, which NEURON 8.2 shows."""
        return not is_9() and not self.problems and all(
            address_of(getattr(instance.holder, f"_ref_{pointer}")) == address
            for instance, pointer, address in self._addresses)

    def signature(self):
        """Equal where they do the same with the same numbers."""
        numbers = [getattr(instance.holder, name) for instance in self._instances
                   for name in sorted(instance.program.ranges - instance.program.assigned)]
        numbers += [getattr(self._h, f"{name}_{instance.program.name}") for instance in self._instances
                    for name in sorted(instance.program.read) if instance.is_global(name)]
        numbers += [slot.ref[0] for slot in self._slots if slot.is_elsewhere and not slot.is_written]
        at = {id(slot): number for number, slot in enumerate(self._slots)}
        return numbers, [(instance.program.name, sorted((name, at[id(slot)]) for name, slot in instance.slots.items()))
                         for instance in self._instances], \
            [(slot.segment.sec, slot.segment.x) if slot.segment is not None else
             slot.variable and (slot.variable[0].number, slot.variable[1]) for slot in self._slots]

    def detach(self):
        """POINTERs that are written stand for voltages, which NEURON can hand over, until attach()."""
        self._is_detached = True
        for instance in self._instances:
            for pointer in instance.program.written & set(instance.slots):
                setattr(instance.holder, f"_ref_{pointer}", instance.segment._ref_v)

    def attach(self):
        """They stand for what they did, wherever NEURON has it now."""
        if not self._is_detached:
            return
        self._is_detached = False
        for instance in self._instances:
            for pointer in instance.program.written & set(instance.slots):
                slot = instance.slots[pointer]
                ref = slot.ref
                if slot.variable:
                    of, name = slot.variable
                    ref = getattr(of.holder, f"_ref_{name}")
                setattr(instance.holder, f"_ref_{pointer}", ref)
        if not is_9():
            self._addresses = [(instance, pointer, address_of(getattr(instance.holder, f"_ref_{pointer}")))
                               for instance in self._instances for pointer in instance.slots]

    def at(self, addresses):
        """[address] what of theirs is there, or None."""
        with _Marks() as marks:
            for slot in self._slots:
                if slot.is_elsewhere:
                    slot.mark(marks)
            for instance in self._instances:
                for name in instance.program.ranges:
                    marks.mark((instance.number, name), getattr(instance.holder, name),
                               functools.partial(setattr, instance.holder, name))
            return [marks.at(ctypes.c_double.from_address(address).value) if address else None
                    for address in addresses]

    def plan(self, wanted):
        """[(what is made, code, {name: (where it is from, what there)})] of a step, in NEURON's order. wanted: of what
        at() gives. Raises KeyError where something lasts from step to step."""
        kept = {self._key(instance, name) for instance in self._instances
                for listed in instance.program.steps.values() for name, *_ in listed}
        plan, known = [], set()
        for block in _of_step:
            for instance in self._instances:
                for name, code, read in instance.program.steps[block]:
                    plan.append((self._key(instance, name), code,
                                 {name: self._source(instance, name, known, kept) for name in read}))
                    known.add(plan[-1][0])
        return plan + [(key, _itself, {"it": (_NUMBER, self._unwritten(key))}) for key in wanted if key not in known]

    def _source(self, instance, name, known, kept):
        key = self._key(instance, name)
        if key in known:
            return _MADE, key
        if key in kept:
            raise KeyError(f"{instance}: its {name} lasts from step to step")
        slot = instance.slots.get(name)
        segment = instance.segment if name == "v" else slot.segment if slot else None
        if segment is not None:
            return _VOLTAGE, segment
        if instance.is_global(name):
            return _NUMBER, getattr(self._h, f"{name}_{instance.program.name}")
        return _NUMBER, self._unwritten(key)

    def _unwritten(self, key):
        return key.ref[0] if isinstance(key, _Slot) else getattr(self._instances[key[0]].holder, key[1])

    def _key(self, instance, name):
        slot = instance.slots.get(name)
        if slot is None:
            return instance.number, name
        return (slot.variable[0].number, slot.variable[1]) if slot.variable else slot


def _programs(h):
    programs = [program for name, code, is_point, is_cell in kinds_of(h) if code and not is_cell
                if (program := _Program.of(name, code, is_point))]
    if any(program.runs_as_well for program in programs):
        summed_in = _summed_in(h, programs)
        programs = [program for program in programs if not program.runs_as_well or program.name in summed_in]
    return programs


def _summed_in(h, programs):
    """{name} of those for whose variables POINTERs of others stand that are written to."""
    with _Marks() as marks:
        for program in programs:
            for holder, _ in _holders(h, program) if program.written else ():
                for pointer in program.written:
                    with contextlib.suppress(Exception):  # it stands for nothing
                        ref = getattr(holder, f"_ref_{pointer}")
                        marks.mark(program, ref[0], functools.partial(ref.__setitem__, 0))
        return {program.name for program in programs if program.runs_as_well for holder, _ in _holders(h, program)
                if any(marks.at(getattr(holder, name)) for name in program.ranges)}


def _holders(h, program):
    """[(what has an instance's variables, its segment)], in the order of NEURON's nodes."""
    if program.is_point:
        found = [(point, point.get_segment()) for point in h.List(program.name)]
        found = [one for one in found if one[1] is not None]
    else:
        found = [(getattr(segment, program.name), segment) for segment in segments_with(h, program.name)]
    return sorted(found, key=lambda one: one[1].node_index())


class Observed:
    """What a run records of them. segments: whose voltages are recorded in their stead; vectors: [(one of hoc's
    Vectors, what it records of them)]; unknown: those that record something else."""

    def __init__(self, observers, places, trajectories, vectors, before=None):
        """trajectories: [(thread, type, index)] of what is recorded; vectors: [(Vector, where its number is)]; before:
        of a run before this one, of the same segments."""
        self._h, self.segments = places.h, []
        self._signature = observers.signature(), trajectories, [(v.hocobjptr(), address) for v, address in vectors]
        if before and before._signature == self._signature:
            self.segments, self._columns = before.segments, before._columns
            self._wanted, self._plan = before._wanted, before._plan
            self.vectors, self.unknown = before.vectors, before.unknown
            return
        of_theirs = [(k, one) for k, one in enumerate(trajectories)
                     if places.hand_over.names.get(one[1]) in observers.names]
        found = observers.at([ctypes.addressof(places.hand_over.where(*one).contents) for _, one in of_theirs] +
                             [address for _, address in vectors]) if observers.names else []
        self._columns = {k: key for (k, _), key in zip(of_theirs, found)}
        keys = found[len(of_theirs):] or [None] * len(vectors)
        self.unknown = [one for one, key in zip(vectors, keys) if not key]
        self.vectors = [(vector, key) for (vector, _), key in zip(vectors, keys) if key]
        self._wanted = {*self._columns.values(), *(key for _, key in self.vectors)}
        self._plan = []
        try:
            self._plan = observers.plan(self._wanted) if self._wanted else []
        except KeyError as error:
            observers.problems.append(error.args[0])
        self.segments = list({(segment.sec, segment.x): segment for *_, read in self._plan
                              for source, segment in read.values() if source == _VOLTAGE}.values())

    def give(self, voltages, rows):
        """voltages: {(section, x): [step]} of the segments, mV; rows: [step, trajectory]. Vectors get what was
        recorded, and those rows."""
        made = {}
        take = {_MADE: made.__getitem__, _NUMBER: np.float64,
                _VOLTAGE: lambda segment: voltages[segment.sec, segment.x]}
        reads = collections.Counter(what for *_, read in self._plan for source, what in read.values()
                                    if source == _MADE)
        with np.errstate(all="ignore"):
            for key, code, read in self._plan:
                number = eval(code, _functions, {name: take[source](what) for name, (source, what) in read.items()})
                for source, what in read.values():
                    if source == _MADE:
                        reads[what] -= 1
                        if not reads[what] and what not in self._wanted:
                            del made[what]
                if reads[key] or key in self._wanted:
                    made[key] = number
        for k, key in self._columns.items():
            rows[:, k] = made[key]
        for vector, key in self.vectors:
            numbers = np.ascontiguousarray(np.broadcast_to(made[key], len(rows)), float)
            vector.append(self._h.Vector(numbers))
