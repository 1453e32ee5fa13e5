"""The mechanisms of a session of NEURON: their texts, and which of their numbers are given."""

from __future__ import annotations

import functools
import re

from . import _hillock
from ._errors import ModelError
from ._neuron_channels import channel_of, channels_of
from ._neuron_library import has_legacy_units, library
from ._neuron_own import text_of_given, texts
from ._neuron_tables import tables_of


#: Parameters of NetStim that a run has otherwise than the session, where it is given the spikes.
OF_GIVEN = {"NetStim": ("start", "noise")}


#: What is known of a text is found once.
_of_text = functools.lru_cache(maxsize=1024)


class Mechanism:
    """A mechanism of the session.

    parameters: [(name, name in the session)] of its RANGE parameters, each element of an array by itself; globals:
    {name: value} of those that are one for all. arguments: of NET_RECEIVE behind the weight. states: what lasts from
    step to step; begun: what INITIAL alone computes; of_last_place: what NEURON has one for all places of, and what is
    read of it may be another place's; held: what steps read of as it was when the run began; kept_globals: {name: value} of states, begun and parameters, of a text that sets
    some, that are one for all; assigned: what follows from the others; constant: the parameters, if it sets none itself;
    pointers: names; tabulated: of RANGE parameters that tables are made with, of_first: those of them that NEURON takes
    of its first instance for all, and nothing else reads. sends: whether somebody listens to a point's events. draws:
    whether it draws random numbers; plays: whether it sends at the times of a Vector; prints: whether it prints anything.
    tables: {FUNCTION_TABLE: the model's entry}. problems: why it cannot be taken; of a text with errors nothing else is
    known.
    """

    def __init__(self, h, name, code, is_cell, sends=False, of_neuron=None):
        """of_neuron: the text that NEURON has, where code is another."""
        self.name, self._of_neuron = name, code if of_neuron is None else of_neuron
        self.plays = is_cell and is_vector_stream(code)
        self.code = text_of_given(name, is_cell) if self.plays else texts.get(name) or _without_unused_c(code)
        if not is_cell and not sends:  # it would be the cell's spike, and nobody listens to the point
            self.code = re.sub(r"\bnet_event\s*\([^()]*\)", "", self.code)
        self.parameters, self.globals, self.arguments, self.weight_unit = [], {}, [], ""
        self.assigned, self.constant, self.states, self.kept_globals = [], [], [], {}
        self.pointers, self.tabulated, self.begun, self.of_last_place, self.held = [], set(), [], [], []
        self.of_first = set()
        self.draws, self.prints = _draws_and_prints(self.code)
        self.tables, self.problems = self._tables(h)
        self._names_of_kept, self._names_of_globals = {}, []
        self.use_tables = bool(getattr(h, f"usetable_{name}", False))
        known, problems = _read(name, self.code, self.use_tables, has_legacy_units())
        self.problems += problems
        if not known:
            return
        self.arguments, self.weight_unit = known["arguments"], known["weight_unit"]
        self.assigned, self.states = known["assigned"], known["states"]
        self.pointers, self.constant = known["pointers"], known["constant"]
        self.begun, self.of_last_place, self.held = known["begun"], known["of_last_place"], known["held"]
        ranges, globals_ = names_of(h, name, 1), names_of(h, name, -1)
        self.parameters = [one for one in self._elements(ranges) if one[0] in known["parameters"]]
        if self.use_tables:
            inside, of_first = names_in_tables(self.code)
            self.tabulated = {bare for bare, _ in self.parameters if bare.partition("[")[0] in inside}
            self.of_first = self.tabulated & of_first & set(self.constant)
        of_all = self._elements(globals_)
        self.globals = {bare: number_of(h, full) for bare, full in of_all if bare in known["parameters"]}
        lasting = known["states"] + known["begun"] + [bare for bare in self.globals if bare not in self.constant]
        self._names_of_kept = {bare: full for bare, full in of_all if bare in lasting}
        self._names_of_globals = [full for bare, full in of_all if bare in self.globals]
        self.renew(h)

    def _tables(self, h):
        """({FUNCTION_TABLE: the model's entry}, why some cannot be taken)"""
        if channel := channel_of(h, self.name):
            _, tables, problems = channel.text(h)
            return tables, [f"{self.name}: {problem}" for problem in problems]
        return tables_of(h, self.name, without_comments(self._of_neuron))

    def renew(self, h):
        """What is one for all and lasts from step to step is as it is now."""
        self.kept_globals = {bare: number_of(h, full) for bare, full in self._names_of_kept.items()}

    def globals_now(self, h):
        """What else is one for all, as it is now."""
        uses_tables = bool(getattr(h, f"usetable_{self.name}", False))
        channel = channel_of(h, self.name)
        return [uses_tables, channel and channel.text(h)[0], repr(self._tables(h) if self.tables else None),
                *(number_of(h, full) for full in self._names_of_globals)]

    def reads_its_own(self, code):
        """Whether a text in the stead of its own reads nothing that other places have left."""
        known, _ = _read(self.name, code, self.use_tables, has_legacy_units())
        return bool(known) and not known["of_last_place"]

    def put_global(self, h, bare, number):
        """One of kept_globals becomes that."""
        name, bracket, index = self._names_of_kept[bare].partition("[")
        if bracket:
            getattr(h, name)[int(index[:-1])] = number
        else:
            setattr(h, name, number)

    def _bare(self, full):
        """The name in the file of what the session calls gbar_hh; variables of point processes have no suffix."""
        return full[:-len(self.name) - 1] if full.endswith(f"_{self.name}") else full

    def _elements(self, names):
        """[(name in the file, name in the session)] of what names_of() gives, each element of an array by itself."""
        return [(self._bare(full) + index, full + index) for full, size in names
                for index in ([f"[{k}]" for k in range(size)] if size > 1 else [""])]


@functools.lru_cache(maxsize=1024)
def _read(name, code, uses_tables, is_legacy):
    """(what is known of a text, why it is not)"""
    try:
        return _hillock.mechanism(f"{name}.mod", code, uses_tables, is_legacy), ()
    except ModelError as error:
        return None, tuple(str(problem) for problem in error.problems if problem.severity == "error")


def number_of(holder, name):
    """A variable of hoc, of a segment or of a point, `m[2]` among them."""
    name, _, index = name.partition("[")
    number = getattr(holder, name)
    return number[int(index[:-1])] if index else number


@_of_text
def is_vector_stream(code):
    """Whether an artificial cell is a VecStim, in any of its versions: C code gives the times, `etime`, of a Vector one
    by one, by `index`, and all that NET_RECEIVE does is to send them, and to look now and then for another Vector."""
    outside = re.sub(r"\bVERBATIM\b.*?\bENDVERBATIM\b", "", without_comments(code), flags=re.S)
    outside = re.sub(r"\s", "", outside)
    received = re.search(r"NET_RECEIVE\(\w*\){if\(flag==1\){net_event\(t\)", outside)
    if not received or not {"vector_capacity", "vector_vec", "index", "etime"} <= set(re.findall(r"\w+", code)):
        return False
    block = outside[received.end():end_of(outside, received.end(), "{}")]
    behind = outside[received.end() + len(block):]
    ping = re.match(r"elseif\(flag==2\){", behind)
    if ping:
        behind = behind[end_of(behind, ping.end(), "{}"):]
    return "net_send(etime-t,1)" in block and "net_event" not in block and behind.startswith("}")


@_of_text
def _draws_and_prints(code):
    code = without_comments(code)
    return (bool(re.search(r"\b(RANDOM|scop_random|exprand|normrand|poisrand)\b", code)),
            bool(re.search(r"\bprintf\s*\(", code)))


@_of_text
def asks_for_diameters(code):
    """Whether a text may read diam."""
    return bool(re.search(r"\bdiam\b", code))


@_of_text
def has_no_place(code):
    """Whether a point process neither reads nor writes anything of where it is."""
    code = without_comments(_without_unused_c(code))
    if re.search(r"\b(USEION|\w+_CURRENT|(BBCORE)?POINTER|EXTERNAL|VERBATIM)\b", code):
        return False
    return not any(re.search(r"\b(v|area|diam)\b", f"{head} {body}") for head, body in blocks_of(code)
                   if not head.endswith(_declaring))


def said_by(h, what, call):
    """(text, number) that a method of a hoc object gives, whose first argument is a strdef. Not by `h.ref`,
    which a script's own variable may hide."""
    _declare_what_is_said(h)
    h.hillock_object_ = what
    h(f"hillock_number_ = hillock_object_.{call}")
    return h.hillock_text_, h.hillock_number_


@functools.lru_cache(maxsize=None)
def _declare_what_is_said(h):
    h("strdef hillock_text_, hillock_texts_\nobjref hillock_object_\nhillock_number_ = 0")


def _defined_in(code):
    """{name: number}"""
    return {name: int(number) for name, number in re.findall(r"\bDEFINE\s+(\w+)\s+(\d+)", code)}


@_of_text
def flags_of_watches(code):
    """[WATCH] the flag that it gives, in the order of the text; NaN where that is no number."""
    flags, code = [], without_comments(code)
    defined = _defined_in(code)
    for rest in re.split(r"\bWATCH\s*\(", code)[1:]:
        word = re.match(r"\s*([-+\w.]+)", rest[end_of(rest, 0, "()"):])
        try:
            flags.append(float(defined.get(word[1], word[1]) if word else "nan"))
        except (TypeError, ValueError):
            flags.append(float("nan"))
    return flags


_declaring = ("NEURON", "UNITS", "PARAMETER", "ASSIGNED", "STATE")
_kinds_of_names = (-1, 0, 1, 2, 3)


def names_of(h, mechanism, kind):
    """[(name, size)] of a mechanism's variables: 1 parameters, 2 assigned, 3 states, -1 globals, 0 all of an
    instance."""
    channel = channel_of(h, mechanism)
    return channel.names(kind) if channel else _names_asked(h, mechanism, kind)


@functools.lru_cache(maxsize=None)
def _names_asked(h, mechanism, kind):
    """Asking makes an instance that no node has, for which NEURON would lay out all its nodes anew."""
    changed = library().hillock_structure_change()
    before = changed and changed[0]
    standard = h.MechanismStandard(mechanism, kind)
    _declare_what_is_said(h)
    h.hillock_object_ = standard
    h.hillock_texts_ = ""
    h(f"""for hillock_number_ = 0, {int(standard.count()) - 1} sprint(hillock_texts_, "%s%d %s ", hillock_texts_, \
hillock_object_.name(hillock_text_, hillock_number_), hillock_text_)""")
    said = h.hillock_texts_.split()
    names = [(name, int(size)) for size, name in zip(said[::2], said[1::2])]
    del standard
    h("objref hillock_object_")
    if changed:
        changed[0] = before
    return names


def learn_names(h):
    """Asks for them before NEURON lays instances in rows, since it doubles a row's room for the one that is made."""
    for name, code, _, _ in kinds_of(h):
        for kind in _kinds_of_names if code else ():
            names_of(h, name, kind)


@functools.lru_cache(maxsize=1024)
def named_behind(code, *words):
    """What is named behind some words of a NEURON block."""
    listed = re.findall(rf"\b(?:{'|'.join(words)})\b\s*(\w+(?:\s*,\s*\w+)*)", without_comments(code))
    return set(re.findall(r"\w+", " ".join(listed)))


@_of_text
def names_in_tables(code):
    """(whatever the blocks that have a TABLE name, and what they call; what of it NEURON has of its first instance in
    each step, and nothing else reads)"""
    code = without_comments(code)
    bodies = {head: body for head, body in blocks_of(code) if not head.endswith(_declaring)}
    words = {head: set(re.findall(r"[A-Za-z]\w*", body)) for head, body in bodies.items()}
    called = {found[1]: head for head in bodies if (found := re.match(r"(?:PROCEDURE|FUNCTION) (\w+)", head))}
    inside = [head for head, body in bodies.items() if "TABLE" in words[head]]
    tabulated = set(inside)
    for head in inside:
        inside += [called[name] for name in words[head] & {*called} if called[name] not in inside]
    names = set().union(*(words[head] for head in inside))
    others = [head for head in bodies if head not in inside]
    elsewhere = set().union(*(words[head] for head in others))
    are_called = any(called[name] in set(inside) - tabulated for name in elsewhere & {*called})
    asked_for = [set(re.findall(r"\w+", found[1])) if (found := re.search(
        r"\bDEPEND\s+(\w+(?:\s*,\s*\w+)*)", bodies[head])) else set() for head in tabulated]
    if are_called or not asked_for or not is_threadsafe(code):
        return names, set()
    return names, set.intersection(*asked_for) - elsewhere


_of_vectorized = {"cnexp", "derivimplicit", "euler", "sparse", "after_cvode"}
#: Functions that nocmodl takes for such as keep something between calls.
_of_one_instance = {"state_discontinuity", "force", "deflate", "expfit", "derivs", "spline", "exprand", "gauss", "normrand",
                    "poisrand", "poisson", "setseed", "scop_random", "boundary", "romberg", "invert", "stepforce",
                    "schedule", "set_seed", "nrn_random_play"}


def is_threadsafe(code):
    """Whether it is sure that nocmodl gives a text's functions an instance's numbers, and not one instance to all."""
    code = without_comments(code)
    bodies = [body for head, body in blocks_of(code) if not head.endswith(_declaring)]
    named = set(re.findall(r"[A-Za-z]\w*", " ".join(bodies)))
    if re.search(r"\b(VERBATIM|POINTER|BBCOREPOINTER|EXTERNAL|LINEAR|NONLINEAR|DISCRETE|ARTIFICIAL_CELL)\b", code) or \
            named & _of_one_instance or \
            not set(re.findall(r"\bMETHOD\s+(\w+)", code)) <= _of_vectorized:
        return False
    return bool(re.search(r"\bTHREADSAFE\b", code)) or named_behind(code, "GLOBAL").isdisjoint(
        name for body in bodies for name in re.findall(r"\b(\w+)\s*(?:\[[^\]]*\]\s*)?=(?!=)", body))


_brackets = {both: re.compile(f"[{both}]") for both in ("{}", "()")}


def end_of(code, begin, brackets):
    """Behind the bracket that closes what was opened before `begin`; the text's end where none does."""
    depth = 1
    for found in _brackets[brackets].finditer(code, begin):
        depth += 1 if found[0] == brackets[0] else -1
        if depth == 0:
            return found.end()
    return len(code)


@_of_text
def blocks_of(code):
    """[(what stands before its bracket, what is in it)] of a text's blocks."""
    code, blocks, end = without_comments(code), [], 0
    while (begin := code.find("{", end)) >= 0:
        behind = end_of(code, begin + 1, "{}")
        blocks.append((" ".join(code[end:begin].split()), code[begin + 1:behind - 1]))
        end = behind
    return blocks


@_of_text
def _run_by_events(code):
    """The bodies of a text's NET_RECEIVE and of the procedures that it calls."""
    bodies = {head.split("(")[0].strip(): body for head, body in blocks_of(code)}
    waiting = [name for name in bodies if name.startswith("NET_RECEIVE")]
    for name in waiting:
        words = set(re.findall(r"[A-Za-z]\w*", bodies[name]))
        waiting += [one for one in bodies if one not in waiting and one.split()[-1:] and one.split()[-1] in words]
    return [bodies[name] for name in waiting]


@_of_text
def set_in_events(code):
    """What a text's NET_RECEIVE sets, and the procedures that it calls."""
    known = set()
    for body in _run_by_events(code):
        known.update(re.findall(r"\b([A-Za-z]\w*)\s*(?:\[[^\]]*\]\s*)?[-+*/]?=(?!=)", body),
                     re.findall(r"\bstate_discontinuity\s*\(\s*(\w+)", body))
    return known


@_of_text
def is_counted(code, name):
    """Whether a text's steps and events do nothing with a variable but add to it."""
    added = re.compile(rf"\b{name}\s*=\s*{name}\s*[-+](?!.*\b{name}\b)")
    bodies = "\n".join(body for head, body in blocks_of(code) if not head.endswith((*_declaring, "INITIAL")))
    found = [re.search(rf"\b{name}\b.*", line) for line in re.split(r"[\n{}]", bodies)]
    return all(added.match(one[0]) for one in found if one)


@_of_text
def asks_when(code):
    """Whether it matters to a text at what time exactly an event comes."""
    words = {word for body in _run_by_events(code) for word in re.findall(r"[A-Za-z]\w*", body)}
    return not words.isdisjoint({"t", "net_send", "net_move", "net_event", "VERBATIM"})


def declared_in(body):
    """[(name, size or nothing)] that a block of PARAMETERs, ASSIGNED or STATEs declares."""
    body = re.sub(r"\([^)]*\)|<[^>]*>|=\s*[-+.\w]+|\bFROM\s+\S+\s+TO\s+\S+|\bSTART\s+\S+", " ", body)
    return re.findall(r"\b([A-Za-z]\w*)(?:\s*\[\s*(\w+)\s*\])?", body)


@_of_text
def ions_of(code):
    """The names of those that a mechanism uses."""
    return set(re.findall(r"\bUSEION\s+(\w+)", without_comments(code)))


@_of_text
def hidden_names(code):
    """[(name, size)] of the variables of an instance that NEURON keeps behind those that it shows: what is assigned
    and not RANGE, what is an ion's, RANGE or not, but for currents, and a number for the derivative of each state, in
    the order in which they are declared."""
    shown = named_behind(code, "RANGE", "NONSPECIFIC_CURRENT", "ELECTRODE_CURRENT")
    others = named_behind(code, "GLOBAL", "POINTER", "BBCOREPOINTER", "EXTERNAL", "RANDOM") | \
        {"v", "t", "dt", "celsius", "area", "diam"}
    code = without_comments(code)
    currents = {f"i{ion}" for ion in ions_of(code)}
    ions = named_behind(code, "READ", "WRITE") - (shown & currents)
    sizes = _defined_in(code)
    names = []
    for block, body in re.findall(r"\b(PARAMETER|ASSIGNED|STATE)\s*{([^}]*)}", code):
        for name, size in declared_in(body):
            size = sizes.get(size) or int(size or 1)
            if name in ions or (block == "ASSIGNED" and name not in shown | others):
                names.append((name, size))
            if block == "STATE":
                names.append((f"D{name}", size))
    return list(dict.fromkeys(names))


@_of_text
def _without_unused_c(code):
    """Without procedures of C code that nothing in the file calls: they are for hoc."""
    for found in list(re.finditer(r"\b(?:PROCEDURE|FUNCTION)\s+(\w+)\s*\([^)]*\)\s*(?:\([^)]*\)\s*)?"
                                  r"{\s*VERBATIM.*?ENDVERBATIM\s*}", code, re.S)):
        others = without_comments(code.replace(found[0], ""))
        if not re.search(rf"\b{found[1]}\b", others):
            code = code.replace(found[0], "")
    return code


@_of_text
def without_comments(code):
    """Whatever begins first ends where it says: a COMMENT in a line's comment is none."""
    return re.sub(r"\bCOMMENT\b.*?\bENDCOMMENT\b|[:?][^\n]*|^\s*TITLE\b[^\n]*", "", code, flags=re.S | re.M)


def segments_with(h, name):
    """[segment] in which a density mechanism is."""
    return [segment for section in h.allsec() if section.has_membrane(name) for segment in section]


#: (whether of points, number): as kinds_of() has it, where that stays, as of what has a text
_kinds: dict[tuple[int, int], tuple] = {}
_of_neuron = ("morphology", "capacitance", "extracellular", "fastpas")


def kinds_of(h):
    """(name, .mod text or None, whether it is a point process, whether artificial) of all mechanisms."""
    channels = channels_of(h)
    for is_point in (0, 1):
        kinds = h.MechanismType(is_point)
        for i in range(int(kinds.count())):
            if (is_point, i) not in _kinds:
                kinds.select(i)
                name, _ = said_by(h, kinds, "selected(hillock_text_)")
                code = channels[name].text(h)[0] if name in channels else kinds.code()
                kind = name, code, bool(is_point), bool(is_point) and bool(kinds.is_artificial(i))
                if name in channels or not code and not name.endswith("_ion") and name not in _of_neuron:
                    yield kind
                    continue
                _kinds[is_point, i] = kind
            yield _kinds[is_point, i]
