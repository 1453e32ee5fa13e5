"""Loops of hoc over fadvance(), as scripts have of their own: what their steps are runs here at once, where the loop
only looks at the model, and the loop goes its way over what was recorded."""

from __future__ import annotations

import ctypes
import re
import sys

import numpy as np

from ._errors import Refused
from ._neuron_code import BRANCHES, BUILDING, Hoc, Operation
from ._neuron_frames import Frame, Unknown, any_used
from ._neuron_library import MEMBRANE_CURRENT, VOLTAGE, library
from ._neuron_lines import addresses_named, lines_of
from ._neuron_mechanisms import names_of, set_in_events

_unknown = "it does what is not known here"
_most_bytes = 400_000_000  # of what is recorded for a loop
_told_after = 32  # steps that are NEURON's
_double_p = ctypes.POINTER(ctypes.c_double)

#: What a condition of t is made of.
_pure = {"hoc_eval", "hoc_add", "hoc_sub", "hoc_mul", "hoc_div", "hoc_cyclic", "hoc_negate", "hoc_power", "hoc_gt",
         "hoc_lt", "hoc_eq", "hoc_ge", "hoc_le", "hoc_ne", "hoc_and", "hoc_or", "hoc_not", "hoc_bltin", "hoc_varpush",
         "hoc_constpush", "hoc_pushzero", "hoc_arg", "hoc_chk_sym_has_ndim1", "hoc_chk_sym_has_ndim2"}
#: Functions of hoc's that neither change nor ask for anything of the model.
_functions = {"arc3d", "area", "argtype", "diam3d", "distance", "doEvents", "doNotify", "fmatch", "fprint", "fscan",
              "getstr", "ismembrane", "issection", "n3d", "name_declared", "numarg", "object_id", "print_session",
              "printf", "ri", "ropen", "secname", "sprint", "sscanf", "startsw", "stopsw", "strcmp", "system",
              "unix_mac_pc", "wopen", "x3d", "xred", "y3d", "z3d"}
#: Methods of hoc's classes that do not, either.
_methods = {"abs", "add", "align", "aopen", "append", "apply", "begin", "brush", "buffer_size", "c", "chooser", "clear",
            "close", "color", "contains", "convlv", "copy", "count", "cl", "cr", "deriv", "div", "dot", "eq", "eof",
            "erase", "erase_all", "exec_menu", "fastflush", "fill", "flush", "fprint", "fread", "from_double", "fwrite",
            "get", "gets", "getcol", "getrow", "getval", "gtoplevel", "head", "hist", "histogram", "indgen", "index",
            "indwhere", "insrt", "integral", "interpolate", "is_cas", "isopen", "label", "left", "len", "line", "log",
            "log10", "mark", "max", "max_ind", "mean", "median", "meansqr", "min", "min_ind", "mul", "ncol", "normal",
            "nrow", "o", "object", "plot", "plotr", "ploty", "poisson", "pow", "prepend", "printf", "rebin", "remove",
            "remove_all", "resize", "reverse", "right", "ropen", "scanstr", "scanvar", "seek", "set", "setcol",
            "setrow", "setval", "size", "smhist", "sort", "sortindex", "spikebin", "sqrt", "stderr", "stdev", "sub",
            "substr", "sum", "sumgauss", "sumsq", "tail", "tell", "tobj", "trigavg", "uniform", "unique", "var",
            "vfixed", "view_count", "vread", "vwrite", "wopen", "x", "xaxis", "yaxis"}
_draws = {"normal", "poisson", "uniform"}
#: Those that ask for what is in a Vector.
_asks_of_vectors = {"c", "contains", "get", "indwhere", "integral", "interpolate", "max", "max_ind", "mean", "median",
                    "min", "min_ind", "printf", "size", "stdev", "sum", "sumsq", "var", "vwrite", "x"}
_of_netcons = {"weight", "event", "active", "delay", "threshold"}
#: Operations that have a section for what follows.
_sections = {"sec_access_push", "hoc_sec_internal_push"}
#: Variables of NEURON's own that a run does not change, and t, which is shown.
_constants = {"DEG", "E", "FARADAY", "GAMMA", "L", "PHI", "PI", "R", "Ra", "celsius", "clamp_resist", "dt",
              "float_epsilon", "hoc_ac_", "nseg", "rallbranch", "secondorder", "stoprun", "t"}
_of_lists = {"File", "Matrix", "String", "Vector"}
_classes = {"Vector", "List", "String", "StringFunctions", "File", "Matrix", "Random", "Graph"}


class Watch:
    """What a loop reads of the model, by name. ranges: of sections' variables; members: of point processes'; lines: of
    graphs that it draws. sets: hoc's variables that it sets; may_draw: whether it may draw random numbers."""

    def __init__(self, h, ranges, members, sets, lines=()):
        self.sets, self.may_draw = sets, bool(_draws & {*members})
        self._h, self._ranges, self._members, self._lines = h, set(ranges), set(members), lines
        self.problems, self.begun, self.times, self.rows = [], None, None, None
        self._places, self._numbers, self._hand_over = [], [], None

    def find(self, places, plays):
        """[(thread, type, index)] of all of them, as Trajectories has them. plays: whether Vectors are played."""
        threads = places.hand_over.threads
        if places.session.layers:  # with which NEURON's numbers lie elsewhere
            self.problems.append("its cells have extracellular layers")
        for name, type_ in (("v", VOLTAGE), ("i_membrane_", MEMBRANE_CURRENT)):
            if name in self._ranges | self._members:
                self._places += [(number, type_, node) for number, thread in enumerate(threads)
                                 for node in range(len(thread.v))]
        for type_, mechanism in places.hand_over.names.items():
            if type_ in places.numbers.instances:
                asked = self._members if self._is_point(places, type_) else self._ranges | self._members
                size = places.numbers.instances[type_].size
                self._places += [(number, type_, instance * size + at)
                                 for at in self._offsets(places, type_, asked, plays)
                                 for number, thread in enumerate(threads) if type_ in thread.instances
                                 for instance in range(thread.instances[type_].count)]
        if self._lines and places.session.looking_on:  # of whose sums nothing is shown
            self.problems.append("it draws graphs, and mechanisms look on")
        for place in filter(None, (line.place(len(threads)) for line in self._lines if line.pointer)):
            if self._changes(places, place, plays):
                self._places.append(place)
        return self._places

    @staticmethod
    def _is_point(places, type_):
        mechanism = places.hand_over.names[type_]
        return places.numbers.instances[type_].nodes is None or \
            any(key[1] == mechanism for key in places.session.points)

    def _changes(self, places, place, plays):
        """Whether what a line reads is to be recorded."""
        _, type_, index = place
        if type_ not in places.hand_over.names:
            return True  # a voltage
        mechanism = places.hand_over.names[type_]
        bare = places.named(mechanism, index % places.numbers.instances[type_].size)
        if bare is None:
            self.problems.append(f"a line of a graph reads a number of {mechanism} that is not recorded here")
            return False
        return bool(self._offsets(places, type_, {bare, f"{bare}_{mechanism}"}, plays))

    def _offsets(self, places, type_, asked, plays):
        """[place among a mechanism's numbers] of what a run changes."""
        mechanism, of = places.hand_over.names[type_], places.numbers.instances[type_]
        full = {name for name, _ in names_of(self._h, mechanism, 0)} & asked
        if not full:
            return []
        given = {name for name, _ in names_of(self._h, mechanism, 1)} & full
        if given and plays:
            self.problems.append(f"a loop reads {mechanism}'s {sorted(given)[0]}, while Vectors are played")
        is_guest = mechanism in places.session.left_out and mechanism not in places.session.looking_on
        if not mechanism.endswith("_ion") and not is_guest:
            has_text = places.session.text_of(mechanism) and mechanism not in places.session.looking_on
            known = places.session.mechanism(mechanism) if has_text else None
            full -= {name for name in given if not known or name.removesuffix(f"_{mechanism}") in known.constant}
        changed = full & set_in_events(places.session.text_of(mechanism)) if self._is_point(places, type_) else ()
        if changed:  # which what is recorded shows a step later
            self.problems.append(f"a loop reads {mechanism}'s {sorted(changed)[0]}, which its events may change")
        offsets = []
        for name in sorted(full):
            at = places.offset(mechanism, name.removesuffix(f"_{mechanism}"))
            if at is None or of.nodes is None or mechanism in places.session.looking_on:
                self.problems.append(f"a loop reads {mechanism}'s {name}, which is not recorded here")
            else:
                offsets.append(at)
        return offsets

    def begin(self, hand_over):
        """NEURON's numbers are still those of the beginning."""
        self._hand_over = hand_over
        self.find_again()
        self.begun = self.now()

    def find_again(self):
        """NEURON's numbers may lie elsewhere than they did."""
        self._numbers = [self._hand_over.where(*place) for place in self._places]

    def now(self):
        """[number] as it is."""
        return np.array([number[0] for number in self._numbers])

    def addresses(self):
        return (_double_p * len(self._numbers))(*self._numbers)


class Loops:
    """Those of the session, which come here before each turn. session: of `_neuron_take_over`."""

    def __init__(self, h, session):
        self._h, self._session = h, session
        self._hoc, self._loops, self._values = None, {}, None
        self._routines = ({}, {})
        self._of_routines = None, {}, []  # (_Steps, {place: loop}, reasons) of these
        self._calls = None
        self._signature, self._reasons = None, []  # of the last look
        self._reasons_of_python = []
        self._waits = {}  # place: how many turns are NEURON's before its loop is looked at again
        self._of_statement = None, None  # of left_by(): (what was asked, what it gave)
        self._part = None  # (place, t) of the loop whose next part is to follow there

    def take(self):
        """From now on."""
        h = self._h
        self._hoc = self._hoc or Hoc(h)
        if self._calls is None:
            self._calls = (ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p,
                                            ctypes.c_size_t)(self._before_turn),
                           ctypes.CFUNCTYPE(None, ctypes.c_ulong)(self._stepped))
        if not self._hoc.is_known or not library().hillock_take_steps(*self._calls):
            self._session.say_once("this NEURON keeps procedures in another way than is known: loops over fadvance() "
                                   "are its own")

    def leave(self):
        """No longer: conditions are asked on, but lead nowhere."""
        library().hillock_take_steps(None, None)

    def names_in(self, procedure):
        """As Hoc has them."""
        return self._hoc.names_in(procedure)

    def read_by(self, function):
        """({names} of what a function of the script's may read of sections and of objects, {names} of hoc's variables that
        it sets); None where it may do more than that."""
        if self._hoc is None or not self._hoc.is_known:
            return None
        own, of_templates = self._hoc.routines()
        steps = _Steps(own, of_templates)
        if function not in own or steps.are_in(own[function]):
            return None
        return _Called(own[function]).reads(self._h, steps)

    def left_by(self, statement):
        """({names} of hoc's variables that a statement sets, whether it uses no objects), where it leaves the model
        alone; None else."""
        key = statement, self._hoc.signature() if self._hoc else None
        if self._of_statement[0] != key:
            self._of_statement = key, None
            if self._hoc and self._hoc.is_known and self._h.execute1(f"proc hillock_called_() {{ {statement} }}", 0):
                own, of_templates = self._hoc.routines()
                called = _Called(own["hillock_called_"])
                self._of_statement = (statement, self._hoc.signature()), called.leaves(self._h,
                                                                                       _Steps(own, of_templates))
        return self._of_statement[1]

    def _stepped(self, count):
        """NEURON is about to take a step for the script, the count-th in a row."""
        if not self._session.takes_loops():
            return
        try:
            reasons = self._look()
            if library().hillock_is_in_loop():
                return
            if count < _told_after:
                self._reasons_of_python = self._run_python(sys._getframe().f_back)
            else:
                reasons = self._reasons_of_python + reasons
                said = "; ".join(dict.fromkeys(reasons)) or "they are in no loop of hoc's"
                self._session.say_once(f"NEURON takes single steps of this script itself ({said})")
        except Exception as error:  # nothing may pass through NEURON's frames
            self._session.say_once(f"loops over fadvance() are NEURON's ({type(error).__name__}: {error})")

    def _run_python(self, frame):
        """Where it is a loop of Python's that is at a step, runs this and those that follow. Returns why not."""
        h, session = self._h, self._session
        if frame is None:
            return []
        try:
            loop = Frame(h, frame)
        except Unknown as problem:
            return [str(problem)]
        except (AttributeError, LookupError, RuntimeError, SyntaxError, TypeError, ValueError):  # of names, of hoc
            return [_unknown]
        try:
            watch, in_a_step = self._watch(loop)
            most = int(max(1, _most_bytes / 8 / max(1, in_a_step)))
            steps = 1 + loop.turns(most - 1)
            before_event = session.steps_before_event(steps)
            steps = steps if before_event is None else before_event
            problems = watch.problems + session.problems_of_steps()
            if problems or steps < library().hillock_fewest_steps():
                return problems
            begun = h.t
            if not session.run_ahead(steps, watch, None):
                return watch.problems
        except Refused as refused:
            session.end_parts()
            return refused.reasons
        self._play(watch, begun)
        return []

    def _look(self):
        """Takes the loops there are; returns why not, of the others. What a loop calls may be another by the next
        time."""
        signature = self._hoc.signature()
        if signature == self._signature:
            return self._reasons
        known, self._loops, reasons = self._loops, {}, []
        routines, before = self._hoc.routines(), self._routines
        if self._of_routines[0] is None or routines != before:
            self._routines, (own, of_templates) = routines, routines
            self._of_routines = _Steps(own, of_templates), {}, []
            for routine in [*own.values(), *(one for listed in of_templates.values() for one in listed)]:
                self._look_at(routine, known, *self._of_routines)
        statement, (steps, loops, of_routines) = self._hoc.statement(), self._of_routines
        self._look_at(statement, known, steps, self._loops, reasons)
        self._loops.update(loops)
        self._signature, self._reasons = signature, reasons + of_routines
        return self._reasons

    def _look_at(self, routine, known, steps, loops, reasons):
        if not steps.are_in(routine):
            return
        for number, one in enumerate(routine.operations):
            if one.name not in ("hoc_forcode", "hoc_shortfor"):
                continue
            loop = _Loop(routine, number)
            if not any(steps.is_step(inner) for inner in loop.operations):
                continue
            problem = loop.problem(steps)
            if problem is None:
                loops[loop.place] = loop
                loop.take(self._hoc)
            else:
                reasons.append(f"{routine.name}: {problem}")
        for place in known.keys() - loops.keys():
            if routine.begin <= place < routine.end:  # where none is now, hoc has something else
                library().hillock_leave_loop(ctypes.c_void_p(place))

    def _before_turn(self, place, steps, problem, size):
        """Returns as Ahead of loops.cpp."""
        if not self._session.takes_loops():
            return 0
        left = []
        said = self._session.said_of(lambda: left.append(self._run(place, steps)))
        if said is None:
            return left[0]
        text = said.encode()[:size - 1]
        ctypes.memmove(problem, text + b"\0", len(text) + 1)
        return -1

    def _run(self, place, steps):
        """Runs what comes of a loop, before the next event of hoc's. Returns how many turns are NEURON's before it is
        to be tried again, where it does not, 0 where all are; where it does, 1 if a next part is awaited, else 0."""
        h, session = self._h, self._session
        is_first, self._part = self._part is None or self._part[0] != place or abs(self._part[1] - h.t) > h.dt / 2, None
        if is_first:
            session.end_parts()
        reasons = self._look()
        if place not in self._loops:
            session.say_once(f"NEURON takes the steps of a loop itself ({'; '.join(dict.fromkeys(reasons))})")
            return 0
        loop = self._loops[place]
        watch, in_a_step = self._watch(loop)
        most = int(max(1, _most_bytes / 8 / max(1, in_a_step) // steps))
        turns = library().hillock_turns_left(ctypes.c_void_p(place), steps, ctypes.c_size_t(most))
        problems = watch.problems + session.problems_of_steps()
        until, left, fewest = h.t + turns * steps * h.dt, turns, library().hillock_fewest_steps()
        before = self._turns_before(loop, steps, turns)
        if before is not None:
            if loop.has_changing_end:
                problems.append("cvode.event is used in it")
            turns, left = before, turns - before - 1  # one that NEURON goes on with
        goes_on = before is not None and left * steps >= fewest
        if turns * steps < fewest and not problems:
            if not goes_on:
                session.end_parts()
                return 0
            ours = min(left, turns + self._waits.get(place, 1))
            if loop.guards:  # it may be so for long, and the script may drop what is kept
                session.end_parts()
                self._waits[place] = 2 * self._waits.get(place, 1)
                if ours >= _told_after:
                    self._tell_of_steps(loop, [problem for problem, _ in loop.guards])
            self._part = place, h.t + ours * steps * h.dt
            return ours
        self._waits.pop(place, None)
        begun = h.t
        if problems or not session.run_ahead(turns * steps, watch,
                                             until if goes_on and not loop.guards else None):
            session.end_parts()
            if problems := problems or watch.problems:
                self._tell_of_steps(loop, problems)
            return 0
        self._part = (place, h.t) if goes_on else None
        self._play(watch, begun)
        return 1 if goes_on else 0

    def _turns_before(self, loop, steps, turns):
        """How many of so many turns of a loop come before one that is NEURON's, as an event of hoc's comes in it, or it
        does what only NEURON can; None where none is."""
        of_event = self._session.steps_before_event(turns * steps)
        free = library().hillock_turns_before_guards(ctypes.c_void_p(loop.place), steps, ctypes.c_size_t(turns)) \
            if loop.guards else turns
        before = free if of_event is None else min(free, of_event // steps)
        return before if before < turns or of_event is not None else None

    def _tell_of_steps(self, loop, problems):
        self._session.say_once(f"NEURON takes the steps of {loop.name} itself: {'; '.join(dict.fromkeys(problems))}")

    def _play(self, watch, begun):
        """From now on fadvance() shows what ran, since that time."""
        count, numbers = watch.rows.shape
        self._values = values = np.empty((count + 2, 1 + numbers))
        values[0, 0], values[1:-1, 0], values[-1, 0] = begun, watch.times, self._h.t
        values[0, 1:], values[1:-1, 1:], values[-1, 1:] = watch.begun, watch.rows, watch.now()
        library().hillock_play(ctypes.c_size_t(numbers), watch.addresses(), ctypes.c_size_t(count + 2),
                               values.ctypes.data_as(_double_p))

    def _watch(self, loop):
        """(Watch, about how many numbers it records a step)"""
        h, (ranges, members), problems, lines = self._h, loop.read, [], []
        if loop.draws:
            lines, problems = lines_of(h)
            words = set(re.findall(r"[A-Za-z_]\w*", " ".join(line.expression for line in lines if not line.pointer)))
            for function in sorted(words & self._routines[0].keys()):
                reads, _ = self.read_by(function) or (None, None)
                if reads is None:
                    problems.append(f"a line of a graph calls {function}()")
                words |= reads or set()
            ranges, members = ranges | words, members | words
        watch = Watch(h, ranges, members, loop.sets, lines)
        watch.problems += problems + loop.problems_of_objects(h)
        segments = sum(section.nseg + 2 for section in h.allsec())
        return watch, segments * sum(1 for name in ranges | members if name == "v" or _is_range(h, name))


class _Steps:
    """Where steps are: which procedures come to fadvance()."""

    def __init__(self, own, of_templates):
        self.own, self.of_templates = own, of_templates
        self._are_in = {}

    def called(self, operation):
        """The procedures that an operation may call."""
        if operation.name == "hoc_call" and operation.symbol.kind == "routine":
            return [self.own[operation.symbol.name]] if operation.symbol.name in self.own else \
                self.of_templates.get(operation.symbol.name, [])
        if operation.name == "hoc_object_component":
            return self.of_templates.get(operation.symbol.name, [])
        return []

    def is_step(self, operation):
        """Whether it is fadvance(), or calls what comes to it."""
        if operation.name == "hoc_call" and operation.symbol.name == "fadvance":
            return True
        return any(self.are_in(routine) for routine in self.called(operation))

    def are_in(self, routine):
        """Whether a procedure comes to fadvance()."""
        if not routine.may_step:
            return False
        if routine.symbol is None:  # a statement, and the next one is where this one is
            return any(map(self.is_step, routine.operations))
        if routine.begin not in self._are_in:
            self._are_in[routine.begin] = False  # of one that calls itself
            self._are_in[routine.begin] = any(map(self.is_step, routine.operations))
        return self._are_in[routine.begin]


class _Loop:
    """A while or for of a procedure. place: where it leads here, at its condition, or where its body begins if it
    counts by itself; end: what follows. After problem() read has the names of what it reads (of sections, of objects),
    draws says whether lines of graphs are drawn in it, and has_changing_end whether its last number is of variables;
    guards: [(why it could not run ahead, conditions [(its operations, whether they are to hold)])] of branches in which
    it does what it may not, which NEURON has turns for.

    number: of its operation in the routine."""

    def __init__(self, routine, number):
        operation = routine.operations[number]
        self.name, self.end = routine.name, _end_of(operation)
        self._is_body = operation.name == "hoc_shortfor"
        self._counter, self._more = None, 0.0  # an operation that has the variable, and what a turn adds to it
        if self._is_body:
            self.place = operation.at + 8 * (1 + operation.integers[0])
            self._condition = routine.operations[_values_before(routine.operations, number, 1):number]
            self._counter, self._more = routine.operations[_values_before(routine.operations, number, 3)], 1.0
        else:
            self.place = operation.at + 4 * 8
            self._condition = _up_to_end(routine.between(self.place, self.end))
        self.operations = routine.between(self.place, self.end)
        self.has_changing_end = self._is_body and any(one.name == "hoc_varpush" for one in self._condition)
        self._is_of_class = routine.is_of_class
        self.guards, self._left_out = [], []  # and where their branches lie
        self._begin()

    def _begin(self):
        self._reached = []  # what is called from it
        self._objects, self._vectors, self._asks_of_others = set(), set(), False
        self.read, self.draws, self.sets = (set(), set()), False, set()

    def take(self, hoc):
        """Has it lead here."""
        end, code = [0], hoc.words_of(self._condition)
        read = write = ()
        if self._counter:
            counter = hoc.words_of([self._counter])
            read = [*counter, hoc.word("hoc_eval")]
            write = [*counter, hoc.word("hoc_assign"), 0]
        if self._is_body:
            code = [*read, *code, hoc.word("hoc_le")]
        arguments = []
        for words in (code, read, write):
            words = [*words, *end] if words else []
            arguments += [(ctypes.c_void_p * len(words))(*words) if words else None, ctypes.c_size_t(len(words))]
        library().hillock_take_loop(ctypes.c_void_p(self.place), int(self._is_body), *arguments,
                                    ctypes.c_double(self._more))
        library().hillock_guard_loop(ctypes.c_void_p(self.place), ctypes.c_size_t(0), None, None, None)
        for _, conditions in self.guards:
            codes = [[*hoc.words_of(condition), 0] for condition, _ in conditions]
            words = [word for code in codes for word in code]
            library().hillock_guard_loop(
                ctypes.c_void_p(self.place), ctypes.c_size_t(len(codes)),
                (ctypes.c_size_t * len(codes))(*map(len, codes)), (ctypes.c_void_p * len(words))(*words),
                (ctypes.c_int * len(codes))(*(holds for _, holds in conditions)))

    def problem(self, steps):
        """Why it cannot run ahead, None where it can."""
        if self._is_body and (self._counter.name != "hoc_varpush" or self._counter.symbol.dimensions):
            return _unknown
        while True:
            self._begin()
            problem, written, *where = self._find_problem(steps)
            if problem is None:
                break
            if not self._guard(steps, problem, *where):
                return problem
        for problem, conditions in self.guards:
            if written.keys() & {one.symbol.name for condition, _ in conditions for one in condition
                                 if one.name == "hoc_varpush"}:
                return problem
        self.sets = set(written)
        return self._problem_of_condition(written) or self._problem_of_steps(steps, written) or \
            self._problem_of_continuing(steps, written)

    def _find_problem(self, steps):
        """(problem, {name: [(operations, number)] that set it}, operations and the number of the one that it is of)"""
        written = {self._counter.symbol.name: []} if self._is_body else {}
        if where := self._find_reached(steps):
            return _unknown, written, *where
        for at, one in self._kept(self.operations):
            if problem := self._problem_of_leaving(one):
                return problem, written, self.operations, at
        for operations in [self.operations, *(routine.operations for routine in self._reached)]:
            for at, one in self._kept(operations):
                if problem := self._problem_of(steps, operations, at, written):
                    return problem, written, operations, at
        return None, written

    def _kept(self, operations):
        """(number, operation) of those that are in no branch that is NEURON's."""
        if not self._left_out:
            return enumerate(operations)
        return [(at, one) for at, one in enumerate(operations)
                if not any(begin <= one.at < end for begin, end in self._left_out)]

    def _guard(self, steps, problem, operations, at):
        """Leaves an operation to NEURON, where it is in a branch, or all that calls it is, of which it can be asked
        before a turn whether it will be taken. Returns whether it is."""
        waiting, seen, found = [(operations, at)], set(), []
        while waiting:
            operations, at = waiting.pop()
            routine = next((one for one in self._reached if one.operations is operations), None)
            conditions = () if self._is_of_class or (routine and routine.is_of_class) else \
                self._conditions_of(steps, operations, at)
            if conditions:
                found.append(conditions)
            elif routine is None:
                return False
            elif routine.begin not in seen:
                seen.add(routine.begin)
                waiting += [(some, number) for some in [self.operations, *(one.operations for one in self._reached)]
                            for number, one in self._kept(some) if routine in steps.called(one)]
        for branch, conditions in found:
            self._left_out.append(branch)
            self.guards.append((problem, conditions))
        return bool(found)

    @staticmethod
    def _conditions_of(steps, operations, at):
        """((where the innermost branch lies that it is in, without steps), [(the condition's operations, whether it is
        to hold)] of all such) of an operation; None where it is in none."""
        place, found = operations[at].at, []
        for number, one in enumerate(operations):
            if one.name != "hoc_ifcode" or not one.at < place < _end_of(one):
                continue
            condition = _up_to_end(operations[number + 1:])
            then, otherwise = (one.at + 8 * (1 + k + one.integers[k]) for k in (0, 1))
            branch = (then, otherwise if one.integers[1] else _end_of(one))
            holds = branch[0] <= place < branch[1]
            if not holds:
                branch = (otherwise, _end_of(one))
            if branch[0] <= place < branch[1] and condition and \
                    all(map(_is_known_before, condition, [None, *condition])) and \
                    not any(steps.is_step(inner) for inner in operations if branch[0] <= inner.at < branch[1]):
                found.append((branch, condition, holds))
        if not found:
            return None
        return max(branch for branch, *_ in found), [(condition, holds) for _, condition, holds in found]

    def problems_of_objects(self, h):
        """Why not, of those that it uses now: Python's may do anything, and Vectors that record are whole before its
        next turn."""
        for name in sorted(self._objects):
            held = getattr(h, name, None)
            if held is not None and not hasattr(held, "hocobjptr"):
                return [f"{name} is an object of Python's"]
        used = {vector.hocobjptr() for vector in h.List("Vector")
                if library().hillock_is_played(ctypes.c_void_p(vector.hocobjptr()), ctypes.byref(ctypes.c_void_p()))}
        named = [name for name in sorted(self._vectors)
                 if getattr(getattr(h, name, None), "hocobjptr", int)() in used]
        if named:
            return [f"it reads {named[0]}, which records"]
        return ["it may read a Vector that records"] if used and self._asks_of_others else []

    def _find_reached(self, steps):
        """Returns (operations, number) of one that is not known."""
        waiting, known = [self.operations], set()
        while waiting:
            operations = waiting.pop()
            for at, one in self._kept(operations):
                if one.name == "?":
                    return operations, at
                for routine in steps.called(one):
                    if routine.begin not in known:
                        known.add(routine.begin)
                        self._reached.append(routine)
                        waiting.append(routine.operations)
        return None

    @staticmethod
    def _problem_of_leaving(one):
        if one.name in ("hoc_Break", "hoc_Stop", "hoc_procret", "hoc_funcret", "hocobjret"):
            return "it may be left by break, return or stop"
        return None

    def _problem_of(self, steps, operations, at, written):
        one = operations[at]
        if one.name == "hoc_Stop":
            return "it may be left by stop"
        if one.name in BUILDING:
            return "it builds a model, or does what is not known here"
        if one.name in ("range_const", "range_interpolate", "range_interpolate_single"):
            return f"it sets {one.symbol.name}"
        if one.name in ("rangevareval", "rangepoint"):
            self.read[0].add(one.symbol.name)
        elif one.name in ("hoc_evalpointer", "hoc_ob_pointer", "rangevarevalpointer", "hoc_argrefasgn"):
            return "it passes variables on by reference"
        elif one.name in ("hoc_assign", "hoc_shortfor", "for_segment", "for_segment1"):
            return _note_written(operations, at, written)
        elif one.name == "hoc_object_asgn":
            return self._problem_of_setting(operations, at)
        elif one.name in ("hoc_newobj", "hoc_newobj_arg", "hoc_newobj_ret"):
            if one.symbol.name not in _classes:
                return f"it makes a new {one.symbol.name}"
        elif one.name == "hoc_varpush":
            if one.symbol.kind == "variable" and not one.symbol.is_users and one.symbol.name not in _constants:
                return f"it uses {one.symbol.name}"
        elif one.name == "hoc_argassign":
            written.setdefault("$", []).append((operations, at))
        elif one.name == "hoc_call" and one.symbol.kind != "routine":
            if one.symbol.name not in _functions | {"fadvance"}:
                return f"it calls {one.symbol.name}()"
        elif one.name == "hoc_objectvar" and one.symbol.is_users:
            self._objects.add(one.symbol.name)
        elif one.name == "hoc_object_component":
            return self._problem_of_member(steps, operations, at)
        return None

    def _problem_of_member(self, steps, operations, at):
        one = operations[at]
        name, is_function = one.symbol.name, one.integers[3] & 1
        self.read[1].add(name)
        if name == "plot":
            self.draws = True
        if name in _of_netcons:
            return f"it uses {name} of a NetCon"
        if name in _asks_of_vectors:
            if of := _object_of(operations, at):
                self._vectors.add(of)
            else:
                self._asks_of_others = True
        if is_function and name not in _methods and one.symbol.kind != "range" and not steps.called(one):
            return f"it calls {name}() of an object"
        return None

    def _problem_of_setting(self, operations, at):
        """Of what an assignment sets: what stands before the value's part."""
        first = _values_before(operations, at, 1, True)
        if first == 0:
            return _unknown
        target = operations[first - 1]
        if target.name in ("hoc_objectvar", "hoc_autoobject"):
            return None
        if target.name == "hoc_object_component" and target.symbol.name in _methods:
            return None
        return f"it sets {target.symbol.name if target.symbol else 'something'} of an object"

    def _problem_of_condition(self, written):
        symbols = {"$" if one.name == "hoc_arg" else one.symbol.name for one in self._condition
                   if one.name in ("hoc_varpush", "hoc_arg")}
        is_known = bool(self._condition) and all(one.name in _pure for one in self._condition)
        changed = sorted(symbols & written.keys())
        if self._is_body:
            if written[self._counter.symbol.name]:
                return f"it counts with {self._counter.symbol.name}, which it sets"
            return None if is_known and not changed and "t" not in symbols else "how long it counts may change"
        if changed and is_known:
            self._find_counter(changed, written)
        if not is_known or not self._counter and "t" not in symbols:
            return "its condition asks for more than t"
        if changed and not self._counter:
            return f"its condition asks for {changed[0]}, which it sets"
        return None

    def _find_counter(self, changed, written):
        """Where each turn adds a number to what the condition asks for, it is known how many there are."""
        if len(changed) > 1 or len(written[changed[0]]) > 1:
            return
        operations, at = written[changed[0]][0]
        if operations is not self.operations or operations[at].name != "hoc_assign" or \
                any(one.at < operations[at].at < _end_of(one) for one in operations if one.name in BRANCHES):
            return
        variable, more = operations[at - 1], _added(operations, at)
        if more is not None and not variable.symbol.dimensions:
            self._counter, self._more = variable, more

    def _problem_of_continuing(self, steps, written):
        """Whether a turn may go on before its steps, or before it counts."""
        counting = {operations[at].at for name in written for operations, at in written[name]
                    if self._counter and name == self._counter.symbol.name}
        for operations in [self.operations, *(one.operations for one in self._reached if steps.are_in(one))]:
            for one in operations:
                if one.name != "hoc_Continue":
                    continue
                end = min((_end_of(loop) for loop in operations if loop.name in BRANCHES - {"hoc_ifcode", "hoc_ifsec",
                           "hoc_ifseclist"} and loop.at < one.at < _end_of(loop)), default=operations[-1].at + 1)
                if any(one.at < after.at < end and (after.at in counting or steps.is_step(after))
                       for after in operations):
                    return "its turns may have different numbers of steps"
        return None

    def _problem_of_steps(self, steps, written):
        """Each turn is to have as many steps."""
        for operations, is_own in [(self.operations, True), *((one.operations, False) for one in self._reached
                                                              if steps.are_in(one))]:
            returns = [one for one in operations if one.name in ("hoc_procret", "hoc_funcret")]
            if not is_own and len(returns) > 1:
                return "a procedure of its steps may be left early"
            for at, one in enumerate(operations):
                if one.name not in BRANCHES:
                    continue
                end = _end_of(one)
                if not any(steps.is_step(inner) for inner in operations if one.at < inner.at < end):
                    continue
                if one.name == "hoc_ifcode":
                    asked = _up_to_end(operations[at + 1:])
                elif one.name == "hoc_shortfor":
                    asked = operations[_values_before(operations, at, 3) + 1:at]
                else:
                    return "its steps are in a loop in it"
                symbols = {inner.symbol.name for inner in asked if inner.name == "hoc_varpush"}
                if not all(inner.name in _pure for inner in asked) or symbols & (written.keys() | {"t"}):
                    return "its turns may have different numbers of steps"
        return None


class _Called(_Loop):
    """A function that is called between steps."""

    def __init__(self, routine):
        self.operations, self._is_body, self._left_out = [Operation(0, "hoc_call", routine.symbol, [0])], False, []
        self._begin()

    def reads(self, h, steps):
        """As Loops.read_by()."""
        problem, written, *_ = self._find_problem(steps)
        if problem or self.draws or self.problems_of_objects(h):
            return None
        return set().union(*self.read), {
            name for name, places in written.items() for operations, at in places
            if name != "$" and _target_of(operations, at).symbol.kind != "local"}

    def leaves(self, h, steps):
        """As Loops.left_by()."""
        known = self.reads(h, steps)
        ranges, members = self.read
        if known is None or ranges or members - _methods or addresses_named(h, members) or \
                any(map(steps.is_step, self.operations)):
            return None
        names = {_object_of(one.operations, at) for one in self._reached if not one.is_of_class
                 for at, operation in enumerate(one.operations) if operation.name == "hoc_object_component"}
        used = [getattr(h, name) if name else None for name in names | self._objects]
        if not all(hasattr(one, "hname") and one.hname().partition("[")[0] in _of_lists for one in used) or any_used(used):
            return None
        return known[1], not members


def _is_known_before(operation, before):
    """Whether what an operation gives is so wherever it stands, but for t and what is set, and is no error. before: the
    operation before it."""
    if operation.name in ("hoc_div", "hoc_cyclic"):
        return before is not None and before.name == "hoc_constpush"
    if operation.name == "hoc_bltin":
        return operation.symbol.name in ("abs", "cos", "fabs", "int", "sin", "tanh")
    if operation.name != "hoc_varpush":
        return operation.name in _pure - {"hoc_arg", "hoc_power"}
    symbol = operation.symbol
    return symbol.kind == "variable" and not symbol.dimensions and \
        (symbol.is_users or symbol.name in _constants - {"hoc_ac_"})


def _end_of(operation):
    """What follows it and its parts."""
    place = 2 if operation.name == "hoc_ifcode" else 1
    return operation.at + 8 * (1 + place + operation.integers[place])


def _up_to_end(operations):
    """Those before one that ends a part; none where nothing does."""
    return operations[:next((i for i, one in enumerate(operations) if one.name is None), 0)]


def _added(operations, at):
    """What an assignment adds to its variable; None where that is no number."""
    of, name = operations[at].integers[0], operations[at - 1].symbol.name
    value = operations[_values_before(operations, at - 1, 1):at - 1]
    names = [one.name for one in value]
    numbers = [_number_at(one.symbol.of) for one in value if one.name == "hoc_constpush"]
    if names == ["hoc_constpush"] and of in (ord("+"), ord("-")):
        return numbers[0] if of == ord("+") else -numbers[0]
    is_same = all(one.symbol.name == name for one in value if one.name == "hoc_varpush")
    if of == 0 and is_same and names in (["hoc_varpush", "hoc_eval", "hoc_constpush", "hoc_add"],
                                         ["hoc_constpush", "hoc_varpush", "hoc_eval", "hoc_add"]):
        return numbers[0]
    if of == 0 and is_same and names == ["hoc_varpush", "hoc_eval", "hoc_constpush", "hoc_sub"]:
        return -numbers[0]
    return None


def _number_at(address):
    return ctypes.c_double.from_address(address).value


def _target_of(operations, at):
    """What has the variable that an assignment or a loop sets."""
    one = operations[at]
    return operations[at - 1 if one.name == "hoc_assign" else _values_before(operations, at, -one.effect)]


def _note_written(operations, at, written):
    """The variable that an assignment or a loop sets; returns why it may not."""
    target = _target_of(operations, at)
    if target.name != "hoc_varpush":
        return _unknown
    if target.symbol.kind != "local" and not target.symbol.is_users:
        return f"it sets {target.symbol.name}"
    written.setdefault(target.symbol.name, []).append((operations, at))
    return None


def _object_of(operations, at):
    """The name of the object whose member an operation asks for; None where it is no plain variable of the script's."""
    count = operations[at].integers[0] + operations[at].integers[1]
    of = operations[(_values_before(operations, at, count, True) if count else at) - 1]
    return of.symbol.name if of.name == "hoc_objectvar" and of.symbol.is_users and not of.symbol.dimensions else None


def _values_before(operations, at, count, with_section=False):
    """Where the shortest part begins that leaves so many values for an operation; 0 where it is not known.
    with_section: with that of the first of them."""
    values, first = 0, at
    while first > 0 and (values != count or with_section and operations[first - 1].name in _sections):
        first -= 1
        if operations[first].name is None:
            return 0
        values += operations[first].effect
    return first


def _is_range(h, name):
    try:
        getattr(h, name, None)
    except TypeError:  # of a section or a segment
        return True
    return False
