"""Streams of random numbers that instances own, RANDOM of NEURON 9: a run has where each stands as a number of its own,
and its text draws by what NEURON's generator, Random123's Philox, is a function of.
"""

from __future__ import annotations

import ctypes
import functools
import re

import numpy as np

from ._neuron_draws import bodies_of_run, reached_from
from ._neuron_library import is_9, library
from ._neuron_mechanisms import end_of, kinds_of, named_behind, segments_with, without_comments
from ._neuron_turns import has_currents

_words = 2.0**32
_ids = ("id1", "id2", "id3")


class Owned:
    """Those of a session. texts: {mechanism: its text, as a run has it}; problems: why some cannot be taken."""

    def __init__(self, h, left_out):
        """left_out: mechanisms that are none of a run."""
        self.texts, self.problems, self._names, self._words = {}, [], {}, {}
        for name, code, is_point, is_cell in kinds_of(h) if is_9() else ():
            names = _names_in(code) if code and name not in left_out else ()
            holders = _holders(h, name, is_point, is_cell) if names else ()
            if not names or not holders:
                continue
            for one in names:
                if problem := _problem(code, one):
                    self.problems.append(f"{name}: its RANDOM {one} {problem}")
                elif any(_is_stale(getattr(holder, one)) for holder in holders):
                    self.problems.append(f"{name}: its RANDOM {one} has other ids since set_seq() was called, by which "
                                         "NEURON still draws")
            key = ctypes.c_uint32(library().hillock_random123_key()).value
            self.texts[name], self._names[name] = with_numbers(code, names, key), names

    def __bool__(self):
        return bool(self._names)

    def read(self, numbers, type_of):
        """Where they stand now. numbers: Numbers."""
        self._words = {name: numbers.instances[type_of[name]].randoms for name in self._names
                       if type_of[name] in numbers.instances}

    def given(self, mechanism, instances):
        """{name in the text: [instance]} of what they have for all of a run."""
        return {_named(one, what): self._words[mechanism][number, instances, k].astype(float)
                for number, one in enumerate(self._names.get(mechanism, ())) for k, what in enumerate(_ids)}

    def states(self, mechanism, instances):
        """The same of what a run changes."""
        return {_named(one, "number"): self._words[mechanism][number, instances] @ [0.0, 0, 0, 4, 1]
                for number, one in enumerate(self._names.get(mechanism, ()))}

    def put(self, mechanism, instances, columns):
        """They stand there now. columns: as of states()."""
        for number, one in enumerate(self._names[mechanism]):
            at = columns[_named(one, "number")]
            self._words[mechanism][number, instances, 3], self._words[mechanism][number, instances, 4] = at // 4, at % 4

    def give_back(self, numbers, type_of):
        """To NEURON."""
        for mechanism, words in self._words.items():
            numbers.put_randoms(type_of[mechanism], words @ [0.0, 0, 0, 4, 1])


def with_numbers(code, names, key):
    """A text that draws from RANDOMs by numbers of its own: PARAMETERs hillock_NAME_id1 to id3, and
    hillock_NAME_number, which goes on. key: of all streams."""
    code = re.sub(r"\bRANDOM\b\s*\w+(?:\s*,\s*\w+)*", "", without_comments(code))
    for one in names:
        code = _without_ids(code, one)
        code = re.sub(rf"\brandom_(\w+)\s*\(\s*{one}\s*([,)])", functools.partial(_call, one), code)
        named = {what: _named(one, what) for what in (*_ids, "number")}
        ids = ", ".join(named[what] for what in _ids)
        number, unit, normal = named["number"], _named(one, "uniform"), _named(one, "normal")
        code = re.sub(r"\bNEURON\s*{", f"NEURON {{\n  RANGE {ids}, {number}\n", code, count=1) + f"""
PARAMETER {{ {"  ".join(f"{named[what]} = 0" for what in _ids)} }}
ASSIGNED {{ {number} }}
FUNCTION {_named(one, "ipick")}() {{
  {_named(one, "ipick")} = random123_word({key}, {ids}, {number})
  {number} = fmod({number} + 1, {4 * _words!r})
}}
FUNCTION {unit}() {{ {unit} = ({_named(one, "ipick")}() + 1)*{1 / (_words + 1)!r} }}
FUNCTION {unit}_of(low, high) {{ {unit}_of = low + {unit}()*(high - low) }}
FUNCTION {_named(one, "negexp")}() {{ {_named(one, "negexp")} = -log({unit}()) }}
FUNCTION {_named(one, "negexp")}_of(mean) {{ {_named(one, "negexp")}_of = -log({unit}())*mean }}
FUNCTION {normal}() {{
  LOCAL a, b, w
  w = 2
  while (w > 1) {{
    a = {unit}()
    b = {unit}()
    a = 2*a - 1
    b = 2*b - 1
    w = a*a + b*b
  }}
  {normal} = a*sqrt((-2*log(w))/w)
}}
FUNCTION {normal}_of(mean, deviation) {{ {normal}_of = mean + {normal}()*deviation }}
PROCEDURE {_named(one, "setseq")}_of(begin) {{
  {number} = fmod(floor(begin), {4 * _words!r})
  if (begin < 0 || begin > {2.0**40 - 1!r}) {{ {number} = 0 }}
}}
"""
    return code


def _call(one, found):
    kind = "uniform" if found[1] == "dpick" else found[1]
    return f"{_named(one, kind)}_of(" if found[2] == "," else f"{_named(one, kind)}()"


def _named(one, what):
    return f"hillock_{one}_{what}"


def _names_in(code):
    return _listed(code) if re.search(r"\bRANDOM\b", code) else ()


@functools.lru_cache(maxsize=None)
def _listed(code):
    """In NEURON's order, which is the text's."""
    block = re.search(r"\bNEURON\s*{([^}]*)}", without_comments(code))
    return tuple(name for names in re.findall(r"\bRANDOM\b\s*(\w+(?:\s*,\s*\w+)*)", block[1] if block else "")
                 for name in re.findall(r"\w+", names))


def _blocks_called(code, head):
    """[(begin, end)] of the bodies of such blocks."""
    found = [(one.end(), end_of(code, one.end(), "{}")) for one in re.finditer(rf"\b{head}\s*{{", code)]
    return [one for one in found if not any(first < one[0] < last for first, last in found)]


def _without_ids(code, one):
    """Without what sets a stream's ids as a run begins, which is behind that."""
    for begin, end in reversed(_blocks_called(code, "INITIAL")):
        body = code[begin:end]
        while found := re.search(rf"\brandom_setids\s*\(\s*{one}\b", body):
            body = body[:found.start()] + body[end_of(body, found.end(), "()"):]
        code = code[:begin] + body + code[end:]
    return code


@functools.lru_cache(maxsize=None)
def _problem(code, one):
    """Why a text cannot draw from it here; None where it can: where NEURON runs a part of it once a step, or at
    events."""
    if any(one in re.findall(r"\w+", part) for part in
           re.findall(r"\bVERBATIM\b(.*?)\bENDVERBATIM\b", code, flags=re.S)):
        return "is in C code"
    code = _without_ids(without_comments(code), one)
    if re.search(rf"\brandom_setids\s*\(\s*{one}\b", code):
        return "gets other ids behind INITIAL"
    bodies, called = bodies_of_run(code)
    texts = {name: body for name, (_, body) in called.items()}
    solved = dict(re.findall(r"\b(?:DERIVATIVE|KINETIC|LINEAR|NONLINEAR|DISCRETE)\s+(\w+)()", code))

    def draws(text):
        return any(re.search(rf"\brandom_\w+\s*\(\s*{one}\b", part) for part in reached_from([text], texts))

    for head, body in bodies:
        if re.search(r"(?<!BEFORE )\bBREAKPOINT$", head):
            if has_currents(code) and draws(re.sub(r"\bSOLVE\s+\w+", " ", body)):
                return "is drawn from where a current is computed, which NEURON does twice"
        elif any(re.search(rf"\b{name}\b[^{{}}]*$", head) for name in solved) and draws(body):
            return f"is drawn from in {head.split('(')[0].split()[-1]}, which may be evaluated several times"
        elif re.search(r"\bWATCH\b", body) and any(draws(body[found.end():end_of(body, found.end(), "()")])
                                                   for found in re.finditer(r"\bWATCH\s*\(", body)):
            return "is drawn from in a WATCH"
    if any(re.search(r"\bTABLE\b", text) and draws(text) for text in texts.values()):
        return "is drawn from beside a TABLE"
    return None


def _holders(h, name, is_point, is_cell):
    if is_point:
        return [point for point in h.List(name) if is_cell or point.get_segment() is not None]
    return [getattr(segment, name) for segment in segments_with(h, name)]


def _is_stale(stream):
    return bool(library().hillock_is_stale(ctypes.c_void_p(stream.hocobjptr())))
