"""Streams of random numbers that C code of points and artificial cells holds in POINTERs, as NEURON's own NetStim does,
and NEURON's one stream, where one point alone draws from it.

A run has them as numbers of its own: its text draws by what NEURON's generators are functions of, Ran4 (Press et al.
1992) and Random123's Philox. What C code does where such a POINTER stands for nothing is known, too.
"""

from __future__ import annotations

import ctypes
import functools
import re

import numpy as np

from ._neuron_draws import draws_in_order, draws_in_run, draws_unknown, may_draw, without_dead_c
from ._neuron_library import is_9, library, numbers_of_vector
from ._neuron_mechanisms import end_of, has_no_place, is_vector_stream, kinds_of, names_of, segments_with
from ._neuron_own import texts
from ._neuron_owned import Owned
from ._neuron_randoms import ScopRandom
from ._neuron_scalars import Scalars
from ._neuron_text import may_be_known

_most_bytes = 40  # of a POINTER
_words = 2.0**32
_parts = re.compile(r"\bVERBATIM\b(.*?)\bENDVERBATIM\b|(\"[^\"\n]*\")|\bCOMMENT\b.*?\bENDCOMMENT\b|[:?][^\n]*"
                    r"|^\s*TITLE\b[^\n]*", re.S | re.M)
_of_c = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
_of_coreneuron = re.compile(r"^[ \t]*#[ \t]*if(n?)def[ \t]+CORENEURON_BUILD\b[^\n]*\n((?:(?![ \t]*#).*\n)*?)"
                            r"(?:[ \t]*#[ \t]*else\b[^\n]*\n((?:(?![ \t]*#).*\n)*?))?[ \t]*#[ \t]*endif\b[^\n]*",
                            re.M)
_draw = re.compile(r"\b(nrn_random_pick|nrnran123_dblpick|nrnran123_negexp)"
                   r"\s*\(\s*(?:\([^()]*\)|[A-Za-z]\w*\b)?\s*_p_(\w+)\s*\)")
_known = re.compile(r"\bif\s*\(\s*(!?)\s*([01])\s*\)\s*{")
_RAN4, _RANDOM123 = 1, 2
_one = "scop"  # as a POINTER's name
_UNIFORM, _EXPONENTIAL, _NORMAL = 1, 2, 3


class _Stream(ctypes.Structure):
    _fields_ = [("generator", ctypes.c_int), ("distribution", ctypes.c_int), ("number", ctypes.c_double),
                ("id1", ctypes.c_double), ("id2", ctypes.c_double), ("id3", ctypes.c_double),
                ("first", ctypes.c_double), ("second", ctypes.c_double), ("has_next", ctypes.c_double),
                ("next", ctypes.c_double)]

    def kind(self):
        return self.generator, self.distribution


#: What a run changes of a stream, and what else it has.
_changing = ("number", "has_next", "next")
_given = ("id1", "id2", "id3", "first", "second")


class Held:
    """Those of a session, as it is now. problems: why some cannot be taken. scalars: Scalars of it. vectors: {VecStim:
    the numbers of the Vector that a POINTER of it holds}. users: the addresses of what is drawn from, or stood for
    so. owned: Owned."""

    def __init__(self, h, left_out):
        """left_out: mechanisms that are none of a run."""
        self._h, self.problems, self._texts, self._streams, self._names, self._aside = h, [], {}, {}, {}, []
        self._holds = []  # (point, which of its POINTERs, name, segment)
        self.vectors = {}
        self._randoms = {ctypes.c_void_p.from_address(random.hocobjptr() + 8).value for random in h.List("Random")}
        self.owned = Owned(h, {"NetStim", *texts, *left_out})
        self.problems += self.owned.problems
        self._texts.update(self.owned.texts)
        self.asked = set()  # (mechanism, parameter) by which it is known that some C code never runs
        for name, code, is_point, is_cell in kinds_of(h):
            if code and "VERBATIM" in code and name not in {*texts, *left_out}:
                self._leave_out_c(name, self._texts.get(name, code), is_point, is_cell)
        users = {}
        for name, code, is_point, is_cell in kinds_of(h):
            if not code or not is_point or name in {*texts, *left_out}:
                continue
            if is_cell and is_vector_stream(code):
                self._add_vectors(name, code)
            else:
                self._add(name, self._texts.get(name, code), is_cell, users)
        for netstim in h.List("NetStim") if not is_9() else ():
            if netstim.noise > 0:
                users.setdefault(self._kept(netstim, 0), []).append("NetStim's noise")
        users.pop(None, None)
        self.users = set(users)
        self.scalars = Scalars(h, left_out, {(point.hname().partition("[")[0], pointer)
                                             for point, _, pointer, _ in self._holds})
        self.problems += self.scalars.problems
        self._add_one_stream(left_out)
        for address, names in users.items():
            if len(names) > 1 and set(names) != {"NetStim's noise"}:  # which draw in an order that is known
                self.problems.append(f"{' and '.join(sorted(set(names)))}: two of them draw from one stream of random "
                                     "numbers, and it is not known who comes first")

    def _leave_out_c(self, name, code, is_point, is_cell):
        """C code in branches that no place comes to, as of what prints when it is asked to."""
        code = _without_comments(code)
        parameters = dict(names_of(self._h, name, 1))
        holders = None

        def numbers(bare):
            nonlocal holders
            full = bare if is_point else f"{bare}_{name}"
            if parameters.get(full) != 1:
                return None
            if holders is None:
                holders = [one for one in self._h.List(name) if is_cell or one.get_segment() is not None] \
                    if is_point else segments_with(self._h, name)
            return np.array([getattr(one, full) for one in holders])

        code, asked = without_dead_c(code, numbers)
        if asked:
            self._texts[name] = code
            self.asked |= {(name, bare) for bare in asked}

    def _add_vectors(self, name, code):
        pointers = [pointer for pointer, is_one in _pointers_of(_without_comments(code)) if is_one]
        if len(pointers) != 1:
            return
        for cell in self._h.List(name):
            self._holds.append((cell, 0, pointers[0], None))
            self.vectors[cell.hname()] = numbers_of_vector(self._kept(cell, 0))

    def _add(self, name, code, is_cell, users):
        code = _without_comments(code)
        drawn = _drawn_from(code)
        if not drawn:
            return
        points = [point for point in self._h.List(name) if is_cell or point.get_segment() is not None]
        for which, (pointer, is_one) in enumerate(_pointers_of(code)):
            if pointer not in drawn or not points:
                continue
            there = [self._kept(point, which) for point in points]
            streams = {}
            for point, address in zip(points, there):
                if address:
                    streams[point.hname()] = self._stream(code, pointer, address)
                    users.setdefault(address, []).append(f"{name}'s {pointer}")
            if None in streams.values():
                continue  # it stands for a number
            if is_one:
                self._holds += [(point, which, pointer, None if is_cell else point.get_segment()) for point in points]
            one_thread = int(self._h.ParallelContext().nthread()) == 1
            without = [point for point, address in zip(points, there) if not address]
            if streams and without and self._draw_in_run(name, without, _folded(code, pointer, False, one_thread)):
                self.problems.append(f"{name}: its POINTER {pointer} stands for nothing at places that draw random "
                                     "numbers, and for a stream of them at others")
                continue
            kinds = {stream.kind() for _, _, stream in streams.values()}
            if len(kinds) > 1 or any(not all(kind) for kind in kinds):
                self.problems.append(f"{name}: its POINTER {pointer} stands for streams of random numbers " + (
                    "of several kinds" if len(kinds) > 1 else
                    "other than Ran4's and Random123's, uniform, exponential or normal ones"))
                continue
            code = _folded(code, pointer, bool(streams), one_thread)
            if streams:
                key = ctypes.c_uint32(library().hillock_random123_key()).value
                code, names = _with_stream(code, pointer, *kinds.pop(), key)
                self._streams[name, pointer], self._names[name, pointer] = streams, names
            self._texts[name] = code

    def _add_one_stream(self, left_out):
        """Where one point alone draws from NEURON's one stream, that is a number of its own, however often it draws."""
        drawing = [None for one in self._h.List("NetStim") if one.noise > 0 and (is_9() or not self._kept(one, 0))]
        for name, code, is_point, is_cell in kinds_of(self._h):
            if not code or name == "NetStim" or not may_draw(code):
                continue
            code = self.text(name, code)
            if is_point:
                points = [one for one in self._h.List(name) if is_cell or one.get_segment() is not None]
                draws = may_draw(code) and points and self._draw_in_run(name, points, code)
                drawing += [(name, code, None if is_cell else one) for one in points] if draws else []
            elif may_draw(code) and next(iter(segments_with(self._h, name)), None) is not None:
                drawing.append(None)
        if len(drawing) != 1 or drawing[0] is None:
            return
        (name, code, point), stream = drawing[0], ScopRandom(self._h)
        if point is None or name in left_out or not draws_unknown(code) or not draws_in_order(code) or \
                int(self._h.ParallelContext().nthread()) > 1 or not stream.is_at_hand() or \
                self._is_generator(point, code):
            return
        low = self._h.mcell_ran4_init() if stream.is_ran4 else 0
        self._texts[name], self._names[name, _one] = _with_one_stream(code, stream.is_ran4)
        self._streams[name, _one] = {point.hname(): (stream, False, _Stream(number=stream.number, id1=low))}

    def _is_generator(self, point, code):
        """Whether what a point sends does not depend on the run, and is known before it (Ahead)."""
        if not has_no_place(code) or not may_be_known(code):
            return False
        netcons = list(self._h.List("NetCon"))
        return any(nc.pre() == point for nc in netcons) and not any(nc.syn() == point for nc in netcons)

    @staticmethod
    def _kept(point, which):
        """The address that C code keeps in one of its POINTERs."""
        find = library().hillock_kept_in_pointer
        find.restype = ctypes.c_void_p
        return find(_object(point), which)

    def _draw_in_run(self, name, points, code):
        parameters = {full for full, size in names_of(self._h, name, 1) if size == 1}
        return draws_in_run(code, lambda bare: np.array([getattr(point, bare) for point in points])
                            if bare in parameters else None)

    def _stream(self, code, pointer, address):
        """(address, whether it is a Random of hoc's, what it is); None of another number."""
        is_random = address in self._randoms
        if not is_random and not re.search(rf"\bnrnran123_\w+\s*\(\s*(?:\([^()]*\))?\s*_p_{pointer}\b", code):
            return None
        stream = _Stream()
        library().hillock_stream(ctypes.c_void_p(address), int(is_random), ctypes.byref(stream))
        if not is_random:
            stream.distribution, stream.second = _UNIFORM, 1.0
        elif stream.generator == _RAN4 and stream.id1 == 0:
            stream.id1 = self._h.mcell_ran4_init()
        return address, is_random, stream

    def text(self, name, code):
        """The text of a mechanism, as a run has it."""
        return self._texts.get(name) or self.scalars.text(name, code)

    def signature(self):
        """Equal where a run is of the same text and numbers, but for those that it changes."""
        return self.scalars.signature(), self._texts, {key: {name: [getattr(stream, what) for what in _given]
                                   for name, (_, _, stream) in streams.items()}
                             for key, streams in self._streams.items()}

    def parameters(self, name, points):
        """{name in the text: [point]} of what such points have beyond what NEURON has of them, for all of a run."""
        return self._numbers(name, points, _given)

    def states(self, name, points):
        """The same of what a run changes."""
        return self._numbers(name, points, _changing)

    def _numbers(self, name, points, some):
        of_nothing = None, None, _Stream()
        return {_named(pointer, what): np.array([getattr(streams.get(point.hname(), of_nothing)[2], what)
                                                 for point in points])
                for (mechanism, pointer), streams in self._streams.items() if mechanism == name
                for what in some if what in self._names[mechanism, pointer]}

    def put(self, name, points, numbers):
        """The streams go on behind what was drawn. numbers: as states() gives them."""
        for (mechanism, pointer), streams in self._streams.items():
            if mechanism != name:
                continue
            for row, point in enumerate(points):
                if point.hname() not in streams:
                    continue
                address, is_random, stream = streams[point.hname()]
                for what in self._names[mechanism, pointer].intersection(_changing):
                    setattr(stream, what, numbers[_named(pointer, what)][row])
                if isinstance(address, ScopRandom):
                    address.stand_at(stream.number)
                else:
                    library().hillock_put_stream(ctypes.c_void_p(address), int(is_random), ctypes.byref(stream))

    def detach(self):
        """Such POINTERs stand for voltages, which NEURON can hand over, until attach()."""
        if self._aside:
            return
        self.scalars.detach()
        some = next((section(0.5) for section in self._h.allsec()), None)
        if int(self._h.ParallelContext().nthread()) > 1:
            some = None  # it may be another thread's
        for point, which, name, segment in self._holds:
            if segment is None and some is None:
                self.problems.append(f"{point.hname()}: its POINTER {name}, on several threads or without any section")
                return
            kept = (ctypes.c_ubyte * _most_bytes)()
            if library().hillock_take_pointer(_object(point), which, kept):
                self._aside.append((point, which, kept))
                setattr(point, f"_ref_{name}", (segment or some)._ref_v)

    def attach(self):
        """They stand for what they did."""
        self.scalars.attach()
        for point, which, kept in self._aside:
            library().hillock_give_pointer(_object(point), which, kept)
        self._aside = []


def _object(point):
    return ctypes.c_void_p(point.hocobjptr())


def _named(pointer, what):
    return f"hillock_{pointer}_{what}"


def _pointers_of(code):
    """[(name, whether it is no BBCOREPOINTER)], in NEURON's order."""
    block = re.search(r"\bNEURON\s*{([^}]*)}", code)
    return [(name, not word) for word, names in re.findall(r"\b(BBCORE)?POINTER\b\s*(\w+(?:\s*,\s*\w+)*)",
                                                           block[1] if block else "")
            for name in re.findall(r"\w+", names)]


@functools.lru_cache(maxsize=1024)
def _without_comments(code):
    """NMODL's and C's, and without what is CoreNEURON's."""
    def of_neuron(found):
        return (found[2] if found[1] else found[3]) or ""

    def kept(found):
        if found[1] is None:
            return found[2] or ""
        return f"VERBATIM{_of_coreneuron.sub(of_neuron, _of_c.sub(' ', found[1]))}ENDVERBATIM"

    return _parts.sub(kept, code)


@functools.lru_cache(maxsize=1024)
def _drawn_from(code):
    """{POINTER} of a text without comments that it draws from."""
    return frozenset(pointer for _, pointer in _draw.findall(code))


def _folded(code, pointer, is_there, is_one_thread):
    """A text without what is not done where a POINTER stands for something, or for nothing."""
    here = str(int(is_there))
    code = re.sub(rf"\bif(\s*\(\s*)(!?)(\s*)_p_{pointer}(\s*\))", rf"if\g<1>\g<2>\g<3>{here}\g<4>", code)
    code = re.sub(rf"\bif(\s*\(\s*)_p_{pointer}\s*(==|!=)\s*(?:NULL|0|nullptr)(\s*\))",
                  lambda found: f"if{found[1]}{int(is_there == (found[2] == '!='))}{found[3]}", code)
    if not is_there:  # no run comes there
        code = _draw.sub(lambda found: "0" if found[2] == pointer else found[0], code)
    if is_one_thread:
        code = re.sub(r"\bif\s*\(\s*_nt\s*!=\s*nrn_threads\s*\)", "if (0)", code)
    while found := _known.search(code):
        behind = end_of(code, found.end(), "{}")
        body, rest = code[found.end():behind - 1], code[behind:]
        is_taken = (found[2] == "1") != (found[1] == "!")
        other = re.match(r"\s*else\b\s*", rest)
        if is_taken:
            rest = rest[_end_of_else(rest):]
        elif other:
            rest = rest[other.end():]
            body = ""
            if rest.startswith("{"):
                end = end_of(rest, 1, "{}")
                body, rest = rest[1:end - 1], rest[end:]
        else:
            body = ""
        if "VERBATIM" not in body and body:
            body = f"{{{body}}}"
        code = code[:found.start()] + body + rest
    return code


def _end_of_else(code):
    """Behind the branches that begin there, if some do."""
    at = 0
    while found := re.compile(r"\s*else\b\s*(if\s*\()?").match(code, at):
        at = end_of(code, found.end(), "()") if found[1] else found.end()
        at = end_of(code, code.find("{", at) + 1, "{}")
    return at


def _without_rewinding(code, pointer):
    """A text whose INITIAL does not set where a stream is: a run begins behind that."""
    rewinds, begins, at = re.compile(rf"\bnrnran123_setseq\s*\(\s*(?:\([^()]*\))?\s*_p_{pointer}\b[^;]*;"), \
        re.compile(r"\bINITIAL\s*{"), 0
    while found := begins.search(code, at):
        at = end_of(code, found.end(), "{}")
        body = rewinds.sub("", code[found.end():at])
        code, at = code[:found.end()] + body + code[at:], found.end() + len(body)
    return code


def _with_one_stream(code, is_ran4):
    """(a text that draws from NEURON's one stream, whose number, and beside Ran4's the other one, are its own; these)"""
    number, low = _named(_one, "number"), _named(_one, "id1")
    for name in ("scop_random", "exprand", "normrand"):
        code = re.sub(rf"\b{name}\b", f"hillock_{name}", code)
    if is_ran4:
        drawn = f"""  hillock_scop_random = ran4_word({number}, {low})/{_words!r}
  {number} = fmod({number} + 1, {_words!r})"""
    else:  # 2147437301 times what it was, and 453816981: of 32 bits, in parts that have less than 53
        drawn = f"""  {number} = fmod(fmod({number}*32767, 65536)*65536 + {number}*19189 + 453816981, {_words!r})
  hillock_scop_random = {number}/{_words - 1!r}"""
    names = {"number", "id1"} if is_ran4 else {"number"}
    shown = ", ".join(sorted(_named(_one, name) for name in names))
    code = re.sub(r"\bNEURON\s*{", f"NEURON {{\n  RANGE {shown}\n", code, count=1)
    return f"""{code}
{f"PARAMETER {{ {low} = 0 }}" if is_ran4 else ""}
ASSIGNED {{ {number} }}
FUNCTION hillock_scop_random() {{
{drawn}
}}
FUNCTION hillock_exprand(mean) {{ hillock_exprand = -mean*log(hillock_scop_random()) }}
FUNCTION hillock_normrand(mean, deviation) {{
  LOCAL a, b, w
  w = 1
  while (w >= 1) {{
    a = hillock_scop_random()
    b = hillock_scop_random()
    a = 2*a - 1
    b = 2*b - 1
    w = a*a + b*b
  }}
  hillock_normrand = a*sqrt(-2*log(w)/w)*deviation + mean
}}
""", names


def _with_stream(code, pointer, generator, distribution, key):
    """(a text that draws from a stream by numbers of its own, which these are)"""
    code = _without_rewinding(code, pointer)
    name = {what: _named(pointer, what) for what in (*_changing, *_given, "unit", "draw")}
    code = _draw.sub(lambda found: found[0] if found[2] != pointer else
                     f"(-log({name['draw']}()))" if found[1] == "nrnran123_negexp" else f"{name['draw']}()", code)
    if generator == _RAN4:
        word, count = f"ran4_word({name['number']}, {name['id1']})/{_words!r}", _words
    else:
        ids = ", ".join(name[what] for what in ("id1", "id2", "id3", "number"))
        word, count = f"(random123_word({key}, {ids}) + 1)*{1 / (_words + 1)!r}", 4 * _words
    unit, draw = f"{name['unit']}()", name["draw"]
    if distribution == _NORMAL:
        body = f"""  LOCAL a, b, w, y
  if ({name["has_next"]} == 1) {{
    {name["has_next"]} = 0
    {draw} = {name["next"]}*{name["second"]} + {name["first"]}
  }} else {{
    w = 2
    while (w > 1) {{
      a = {unit}
      b = {unit}
      a = 2*a - 1
      b = 2*b - 1
      w = a*a + b*b
    }}
    y = sqrt((-2*log(w))/w)
    {name["next"]} = b*y
    {name["has_next"]} = 1
    {draw} = a*y*{name["second"]} + {name["first"]}
  }}"""
    elif distribution == _EXPONENTIAL:
        body = f"  {draw} = -{name['first']}*log({unit})"
    else:
        body = f"  {draw} = {name['first']} + {name['second']}*{unit}"
    used = {what for what in (*_changing, *_given) if re.search(rf"\b{name[what]}\b", f"{word} {body}")} | {"number"}
    code = re.sub(r"\bNEURON\s*{", f"NEURON {{\n  RANGE {', '.join(sorted(name[what] for what in used))}\n", code,
                  count=1)
    return f"""{code}
PARAMETER {{ {"  ".join(f"{name[what]} = 0" for what in _given if what in used)} }}
ASSIGNED {{ {"  ".join(name[what] for what in _changing if what in used)} }}
FUNCTION {name["unit"]}() {{
  {name["unit"]} = {word}
  {name["number"]} = fmod({name["number"]} + 1, {count!r})
}}
FUNCTION {draw}() {{
{body}
}}
""", used
