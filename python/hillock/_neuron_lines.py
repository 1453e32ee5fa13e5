"""Lines of the graphs in stdrun.hoc's graphList: what they read is recorded, and NEURON draws them over it."""

from __future__ import annotations

import ctypes
import itertools
import re

import numpy as np

from ._neuron_library import POINTER_AT, WORD, double_p, library
from ._neuron_mechanisms import kinds_of, names_of

_token = re.compile(r"(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|([A-Za-z_]\w*)|(.)", re.DOTALL)
_word = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
#: Functions of hoc's that read nothing that changes, and what stays as it is.
_constant = {"abs", "area", "atan", "cos", "diam", "distance", "erf", "erfc", "exp", "fabs", "int", "L", "log", "log10",
             "nseg", "PI", "Ra", "ri", "sin", "sqrt", "tanh"}
_scalar = 5  # of name_declared()
#: Why NEURON is to draw a line in its own steps, and does.
LATE = "which its events set in a step when it has been recorded, and NEURON draws"


class _Found(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("expression", ctypes.c_char_p), ("pointer", ctypes.c_void_p),
                ("object", ctypes.c_void_p), ("its_class", ctypes.c_char_p)]


class Line:
    """What a line of a graph, or its x, reads: the number that NEURON's `pointer` is to, or else an `expression`.
    sets: after numbers() hoc's variables that functions which it calls set."""

    def __init__(self, h, graph, found):
        self._h, self.pointer, self._object, self.sets = h, found.pointer, None, set()
        self.expression = (found.expression or b"").decode(errors="replace")
        self._name = f"a line of a graph, '{found.name.decode(errors='replace')}'" if found.name is not None \
            else f"the x of {graph.hname()}, '{self.expression}'"
        if found.object and not self.pointer:
            self._object = next(one for one in h.List(found.its_class.decode()) if one.hocobjptr() == found.object)

    def __str__(self):
        return self._name

    def numbers(self, read_by):
        """([address of a number that it reads], [what it reads and is not known]). read_by: Loops.read_by."""
        if self.pointer:
            return [_address(library().hillock_number(ctypes.c_void_p(self.pointer)))], []
        addresses, unknown = [], []
        for variable in dict.fromkeys(variables_in(self.expression)):
            known = self._addresses_of(variable, read_by)
            addresses += known or []
            if known is None:
                unknown.append(re.match(r"[\w.]*", variable)[0])
        if unknown and not self._runs(f"hoc_ac_ = {self.expression}"):  # NEURON does not draw it, either
            return [], []
        return addresses, unknown

    def place(self, threads):
        """As _place_of()."""
        return _place_of(self.pointer, threads)

    def _addresses_of(self, variable, read_by):
        """[address] of all that a variable, or a call of a function of the script's, may read; None where that is not
        known."""
        if address := self.address_of(variable):
            return [address]
        call = re.fullmatch(r"(\w+)\((.*)\)", variable, re.S)
        known = read_by(call[1]) if call and not self._object else None
        if known is None:
            return None
        reads, sets = known
        self.sets |= {name for name in sets if self._h.name_declared(name) == _scalar}
        addresses = addresses_named(self._h, reads)
        for argument in variables_in(call[2]):
            found = self._addresses_of(argument, read_by)
            if found is None:
                self._h("objref hillock_object_")
                if not self._runs(f"hillock_object_ = {argument}"):  # nor an object
                    return None
            addresses += found or []
        return addresses

    def address_of(self, variable):
        """Of a number of hoc's or of the model's; None of what is none."""
        inside = set(_word.findall(" ".join(re.findall(r"[(\[](.*)[)\]]", variable)))) - _constant
        if inside and (self._object or "t" in inside
                       or any(self._h.name_declared(word) != _scalar for word in inside)):
            return None
        if any(self._runs(f"{{hoc_pointer_(&{variable}{at})}}") for at in ("", "(0.5)")):
            return _address(library().hillock_pointed_to())
        return None

    def _runs(self, statement):
        known = self._h.hoc_ac_
        runs = self._h.execute1(statement, *([self._object] if self._object else []), 0)
        self._h.hoc_ac_ = known
        return runs


def addresses_named(h, names):
    """[address] of all numbers of sections, and of points and artificial cells, that have one of these names."""
    names, found = names - _constant, []
    if not names:
        return found
    holders = [segment for section in h.allsec() for segment in (section.allseg() if "v" in names else section)]
    for mechanism, code, is_point, _ in kinds_of(h):
        if is_point and names & {name for name, _ in names_of(h, mechanism, 0)}:
            holders += h.List(mechanism)
    for holder in holders:
        for name in names:
            try:
                pointer = getattr(holder, f"_ref_{name}")  # which is to be there until it has been read
                found.append(_address(library().hillock_number(ctypes.c_void_p(id(pointer) + POINTER_AT))))
            except (AttributeError, LookupError, RuntimeError, TypeError, ValueError):  # it has none of that name
                continue
    return found


def variables_in(expression):
    """What an expression of hoc's reads but for t and what does not change."""
    tokens, found, at = [token for token in _token.findall(expression) if not token[2].isspace()], [], 0
    while at < len(tokens):
        first, at = at, at + 1
        last = tokens[first][1]
        while last and last not in _constant and at < len(tokens):
            if tokens[at][2] == "." and at + 1 < len(tokens) and tokens[at + 1][1]:
                last, at = tokens[at + 1][1], at + 2
            elif tokens[at][2] in ("(", "["):
                at = _behind(tokens, at)
            else:
                break
        if last and last not in _constant and (last != "t" or at > first + 1):
            found.append("".join(map("".join, tokens[first:at])))
    return found


def _behind(tokens, at):
    """What follows the bracket there and what it encloses."""
    depth = 0
    while at < len(tokens):
        depth += (tokens[at][2] in ("(", "[")) - (tokens[at][2] in (")", "]"))
        at += 1
        if depth == 0:
            break
    return at


def lines_of(h, graphs=None):
    """([Line] that NEURON draws, or a graph's x, problems); of all graphs that a screen shows, as initPlot() drops
    others, or of some."""
    lines = []
    for graph in h.List("Graph") if graphs is None else graphs:
        found = ctypes.POINTER(_Found)()
        if graph.view_count() == 0:
            continue
        count = library().hillock_lines(ctypes.c_void_p(graph.hocobjptr()), ctypes.byref(found))
        if count < 0:
            return [], ["this NEURON keeps lines of graphs in another way than is known"]
        if count > 0:
            lines += [Line(h, graph, found[i]) for i in range(count) if found[i].pointer or found[i].expression]
            library().hillock_free(found)
    return lines, []


def keep_lines(h, is_laid_out):
    """Lines of graphs keep their numbers where NEURON 8.2 lays these out anew. is_laid_out: it has done so."""
    for graph in h.List("Graph"):
        library().hillock_keep_lines(ctypes.c_void_p(graph.hocobjptr()), int(is_laid_out))


class Lines:
    """The lines of a session. problems: of which it is not known what they read."""

    def __init__(self, h, read_by):
        """read_by: Loops.read_by."""
        self._h, self._read_by = h, read_by
        self._vectors = None  # that record for them
        self.problems = []

    def attach(self):
        """Has NEURON record what they read, from its next finitialize on."""
        self.drop()
        addresses, self.problems = self._numbers()
        self._vectors = [self._h.Vector() for _ in addresses]
        for vector, address in zip(self._vectors, addresses):
            vector.record(_pointer_to(address))

    def _numbers(self):
        """([address of what they read], problems)"""
        addresses, sets = [], {}
        self._h.execute1("{hoc_pointer_(&t)}", 0)
        t = _address(library().hillock_pointed_to())
        lines, problems = lines_of(self._h, self._graphs())
        for line in lines:
            numbers, unknown = line.numbers(self._read_by)
            addresses += numbers
            problems += [f"{line}: what {name} reads is not known" for name in unknown]
            sets.update((line.address_of(name), name) for name in line.sets)
        problems += [f"a line of a graph reads {sets[one]}, which a function of a line sets"
                     for one in sorted(sets.keys() & {*addresses})]
        return [address for address in dict.fromkeys(addresses) if address != t], problems

    def _graphs(self):
        return [graph for of_kind in range(int(self._h.n_graph_lists)) for graph in self._h.graphList[of_kind]
                if hasattr(graph, "getline")]

    def are_any(self):
        """Whether there are graphs that Plot() of stdrun.hoc draws."""
        return bool(self._graphs())

    def has(self, vector):
        """Whether a Vector is one that records for them."""
        return any(vector.hocobjptr() == own.hocobjptr() for own in self._vectors or ())

    def are_attached(self):
        """Whether what is recorded is what there is to record."""
        return self._vectors is not None and \
            (list(map(_recorded_by, self._vectors)), self.problems) == self._numbers()

    def over(self, plot, vectors, steps, every):
        """plot() that sees, each time that so many steps are done, what Vectors of these have recorded in all steps of
        numbers that are no cell's."""
        numbers = [(ctypes.c_double.from_address(_recorded_by(vector)), np.array(vector)[-steps:][every - 1::every])
                   for vector in vectors if self.has(vector)]
        drawn = itertools.count()

        def plot_over():
            at = next(drawn)
            for number, values in numbers:
                number.value = values[at]
            plot()
        return plot_over if numbers else plot

    def set_by_events(self, places):
        """Why some are to be NEURON's, whose numbers lie as it hands them over."""
        found, threads = [], len(places.hand_over.threads)
        for place in (_place_of(_pointer_of(vector), threads) for vector in self._vectors):
            if place and (name := places.set_by_events(*place)):
                found.append(f"a line of a graph reads {places.hand_over.names[place[1]]}'s {name}, {LATE}")
        return list(dict.fromkeys(found))

    def drop(self):
        """Nothing is recorded for them any more."""
        self._vectors, self.problems = None, []


def _address(number):
    return ctypes.cast(number, ctypes.c_void_p).value


def _pointer_to(address):
    """hoc's, to a number of NEURON's."""
    from neuron import numpy_element_ref

    return numpy_element_ref(np.frombuffer((ctypes.c_double * 1).from_address(address)), 0)


def _pointer_of(vector):
    """NEURON's, to what a Vector records; None of one that does not."""
    player = ctypes.c_void_p()
    if library().hillock_is_played(ctypes.c_void_p(vector.hocobjptr()), ctypes.byref(player)) != 3:
        return None
    return player.value + WORD  # behind its class's functions


def _recorded_by(vector):
    """The address of what a Vector records."""
    pointer = _pointer_of(vector)
    return pointer and _address(library().hillock_number(ctypes.c_void_p(pointer)))


def _place_of(pointer, threads):
    """(thread, type, index) of the number of the model that a pointer of NEURON's is to, as POINTERs have it; None of
    others."""
    numbers = [ctypes.c_int() for _ in range(3)]
    found = pointer and library().hillock_place_of(ctypes.c_void_p(pointer), threads, *map(ctypes.byref, numbers))
    return tuple(number.value for number in numbers) if found else None
