"""Procedures of hoc's as NEURON keeps them: words, each an operation's address or what belongs to it."""

from __future__ import annotations

import ctypes
import functools
import struct

from ._neuron_library import is_9, library


_word = struct.Struct("<Q")
_symbol = struct.Struct("<QhhhhQIIQQQ")  # hocdec.h: name, type, subtype, cpublic, on the fly, u, s_varn, -, arrays, ...

#: {operation: (what follows: symbols, integers; how many values more there are behind it, or None: as
#: Operation.effect says)}.
_operations = {
    "hoc_nopop": ("", -1), "hoc_eval": ("", 0), "hoc_add": ("", -1), "hoc_sub": ("", -1), "hoc_mul": ("", -1),
    "hoc_div": ("", -1), "hoc_cyclic": ("", -1), "hoc_negate": ("", 0), "hoc_power": ("", -1), "hoc_gt": ("", -1),
    "hoc_lt": ("", -1), "hoc_eq": ("", -1), "hoc_ge": ("", -1), "hoc_le": ("", -1), "hoc_ne": ("", -1),
    "hoc_and": ("", -1), "hoc_or": ("", -1), "hoc_not": ("", 0), "hoc_assign": ("i", -1), "hoc_bltin": ("s", 0),
    "hoc_varpush": ("s", None), "hoc_constpush": ("s", 1), "hoc_pushzero": ("", 1), "hoc_print": ("", -1),
    "hoc_prexpr": ("", -1), "hoc_prstr": ("", -1), "hoc_newline": ("", 0), "hoc_assstr": ("", -2),
    "hoc_forcode": ("iii", 0), "hoc_ifcode": ("iii", 0), "hoc_shortfor": ("ii", -3), "for_segment": ("ii", -1),
    "for_segment1": ("ii", -2), "forall_section": ("ii", -1), "hoc_ifsec": ("ii", -1), "forall_sectionlist": ("ii", -1),
    "hoc_ifseclist": ("ii", -1), "hoc_call": ("si", None), "hoc_arg": ("i", 1), "hoc_argassign": ("ii", 0),
    "hoc_argref": ("ii", 0), "hoc_argrefasgn": ("iii", -1), "hoc_stringarg": ("i", 1), "hoc_push_string": ("s", 1),
    "hoc_argrefarg": ("i", 1), "hoc_evalpointer": ("", 0), "hoc_ob_pointer": ("", 0), "hoc_objectvar": ("s", None),
    "hoc_object_component": ("siiisi", None), "hoc_object_eval": ("", 0), "hoc_object_asgn": ("i", -1),
    "hoc_cmp_otype": ("i", 0), "hoc_known_type": ("i", 0), "hoc_newobj": ("si", None), "hoc_newobj_arg": ("si", None),
    "hoc_newobj_ret": ("si", None), "hoc_objectarg": ("i", 1), "hoc_autoobject": ("s", 1), "hoc_constobject": ("s", 0),
    "hoc_asgn_obj_to_str": ("", -2), "hoc_push_current_object": ("", 1), "sec_access_push": ("s", None),
    "sec_access_pop": ("", 0), "hoc_sec_internal_push": ("i", 0), "ob_sec_access": ("", -1), "rangevareval": ("s", 0),
    "rangepoint": ("s", 1), "rangevarevalpointer": ("s", 0), "range_const": ("si", 0), "range_interpolate": ("si", -3),
    "range_interpolate_single": ("si", -1), "hoc_procret": ("", 0), "hoc_funcret": ("", -1), "hocobjret": ("", -1),
    "hoc_Break": ("", 0), "hoc_Continue": ("", 0), "hoc_Stop": ("", 0),
    "hoc_chk_sym_has_ndim1": ("s", 0), "hoc_chk_sym_has_ndim2": ("s", 0),
    "sec_access": ("", 0), "sec_access_object": ("", 0), "add_section": ("si", 0), "connectsection": ("", -2),
    "simpleconnectsection": ("", -2), "connect_obsec_syntax": ("", 0), "connectpointer": ("s", -1), "nrn_cppp": ("", 0),
    "connect_point_process_pointer": ("", 0), "mech_access": ("s", 0), "mech_uninsert": ("s", 0),
    "hoc_objvardecl": ("si", 0), "hoc_arayinstal": ("i", 0), "hoc_delete_symbol": ("s", 0), "hoc_varread": ("s", 1),
    "hoc_iterator": ("siii", 0), "hoc_iterator_stmt": ("", 0),
}
_names_in_8 = {"hoc_Stop": "Stop"}
_only_in_9 = {"hoc_chk_sym_has_ndim1", "hoc_chk_sym_has_ndim2"}
#: Operations behind which code follows that a loop of theirs or a condition has to itself.
BRANCHES = {"hoc_forcode", "hoc_ifcode", "hoc_shortfor", "for_segment", "for_segment1", "forall_section", "hoc_ifsec",
            "forall_sectionlist", "hoc_ifseclist"}

#: Operations that build a model, or do what is not looked at here.
BUILDING = {"add_section", "connectsection", "simpleconnectsection", "connect_obsec_syntax", "connectpointer", "nrn_cppp",
            "connect_point_process_pointer", "mech_access", "mech_uninsert", "hoc_objvardecl", "hoc_arayinstal",
            "hoc_delete_symbol", "hoc_varread", "hoc_iterator", "hoc_iterator_stmt"}

_user_made = 0  # of subtypes
_declared = """
proc hillock_procedure_() { local x  x = 1 }
func hillock_function_() { return 0 }
obfunc hillock_object_function_() { return hillock_list_ }
"""


class Symbol:
    """A name. kind: of Hoc.kinds, or None; is_users: a variable that a script has made; dimensions: of an array."""

    def __init__(self, address, kinds):
        name, type_, subtype, _, _, self.of, _, _, arrays, _, self.next = \
            _symbol.unpack(ctypes.string_at(address, _symbol.size))
        self.name = ctypes.string_at(name).decode(errors="replace") if name else ""
        self.kind = kinds.get(type_)
        self.type = type_
        self.is_users = subtype == _user_made
        self.dimensions = struct.unpack("<i", ctypes.string_at(arrays + 8, 4))[0] if arrays else 0


class Operation:
    """One of a procedure: at, its address; name, None of one that ends a part, "?" of one that is not known; symbol,
    the first that follows it; integers that follow it."""

    def __init__(self, at, name, symbol=None, integers=()):
        self.at, self.name, self.symbol, self.integers = at, name, symbol, integers

    @property
    def following(self):
        """How many words follow it."""
        return len(_operations[self.name][0]) if self.name else 0

    @property
    def effect(self):
        """How many values more there are behind it."""
        known = _operations[self.name][1]
        if known is not None:
            return known
        if self.name == "hoc_call":
            return 1 - self.integers[0]
        if self.name == "hoc_object_component":
            return -self.integers[0] - self.integers[1]
        if self.name == "hoc_newobj":
            return -self.integers[0]
        if self.name.startswith("hoc_newobj"):
            return 1 - self.integers[0]
        of_array = self.symbol.dimensions if self.symbol else 0
        return (0 if self.name == "sec_access_push" else 1) - of_array


class Hoc:
    """The procedures of the session. is_known: whether NEURON is built as is known here."""

    def __init__(self, h):
        find = library().hillock_of_neuron
        find.restype, find.argtypes = ctypes.c_void_p, [ctypes.c_char_p]

        def address(name):
            shown = name if is_9() else _names_in_8.get(name, name)
            return find(shown.encode()) or find(f"_Z{len(shown)}{shown}v".encode())
        known = _operations.keys() - (() if is_9() else _only_in_9)
        self._names = {address(name): name for name in known}
        self._word_at, asks = library().hillock_word_at, library().hillock_asks
        self._word_at.restype = asks.restype = ctypes.c_void_p
        self._word_at.argtypes = [ctypes.c_void_p]
        self._asks = {asks(0), asks(1)}
        self._begin_and_end = [find(name) for name in (b"hoc_progbase", b"hoc_progp")]
        self._lists = [find(name.encode()) for name in ("hoc_built_in_symlist", "hoc_top_level_symlist")]
        self.kinds, self._routines, self._names_in = {}, {}, {}
        self.is_known = None not in self._names and all(self._lists + self._begin_and_end) and self._find_kinds(h)

    def _find_kinds(self, h):
        h("objref hillock_list_\n" + _declared)
        known = {"hillock_procedure_": "routine", "hillock_function_": "routine", "hillock_object_function_": "routine",
                 "hillock_list_": "object", "sin": "pure", "fadvance": "built in", "t": "variable", "v": "range",
                 "Vector": "template"}
        found = {symbol.name: symbol for symbol in self._symbols(self._lists)}
        if not known.keys() <= found.keys():
            return False
        self.kinds = {found[name].type: kind for name, kind in known.items()}
        local = next((one.symbol for one in self.routine(found["hillock_procedure_"]).operations
                      if one.name == "hoc_varpush"), None)
        if local is None:
            return False
        self.kinds[local.type] = "local"
        routines, (classes,) = self._types_of("routine"), self._types_of("template")
        library().hillock_procedures.restype = ctypes.c_uint64
        library().hillock_routines.restype = ctypes.c_size_t
        self._types = (ctypes.c_short * len(routines))(*routines), ctypes.c_size_t(len(routines)), \
            ctypes.c_short(classes)
        return True

    def _symbols(self, lists):
        for of in lists:
            at = _word.unpack(ctypes.string_at(of, 8))[0]  # hoc's variable, or a template's own list
            at = _word.unpack(ctypes.string_at(at, 8))[0] if at else 0
            while at:
                symbol = Symbol(at, self.kinds)
                yield symbol
                at = symbol.next

    def signature(self):
        """What changes where a procedure does, or what hoc is doing."""
        return library().hillock_procedures(*self._types)

    def _types_of(self, kind):
        return [type_ for type_, known in self.kinds.items() if known == kind]

    def routines(self):
        """All procedures and functions: ({name: Routine}, {name: [Routine]} of templates)."""
        rows, own, of_templates = ctypes.POINTER(ctypes.c_uint64)(), {}, {}
        calls = (ctypes.c_void_p * 2)(*map(self.word, ("hoc_call", "hoc_object_component")))
        count = library().hillock_routines(*self._types, b"fadvance", calls, ctypes.byref(rows))
        found = rows[:3 * count]
        library().hillock_free(rows)
        before, self._routines = self._routines, {}
        for address, signature, kind in zip(found[::3], found[1::3], found[2::3]):
            known = before.get((address, signature))
            if known is None or known.may_step != bool(kind & 2):
                known = self.routine(Symbol(address, self.kinds), bool(kind & 2), bool(kind & 1))
            self._routines[address, signature] = known
            if kind & 1:
                of_templates.setdefault(known.symbol.name, []).append(known)
            else:
                own[known.symbol.name] = known
        return own, of_templates

    def routine(self, symbol, may_step=True, is_of_class=False):
        """Of a symbol. may_step, is_of_class: as Routine."""
        code, size = struct.unpack("<QQ", ctypes.string_at(symbol.of, 16)) if symbol.of else (0, 0)
        return Routine(f"{symbol.name}()", code, size, functools.partial(self._read, code, size), symbol, may_step,
                       is_of_class)

    def names_in(self, name):
        """The names in a procedure, in their order; empty where there is none."""
        size, code = ctypes.c_ulong(), ctypes.c_void_p()
        if not library().hillock_procedure(name.encode(), ctypes.byref(size), ctypes.byref(code)) or not code:
            return ""
        content = ctypes.string_at(code.value, 8 * size.value)
        if self._names_in.get(name, ("", ""))[0] != content:
            names = " ".join(one.symbol.name for one in self._read(code.value, size.value)
                             if one.symbol and one.symbol.name and not one.name.startswith("hoc_chk"))
            self._names_in[name] = content, names
        return self._names_in[name][1]

    def statement(self):
        """What hoc is doing that is in no procedure."""
        begin, end = (_word.unpack(ctypes.string_at(at, 8))[0] for at in self._begin_and_end)
        size = (end - begin) // 8
        return Routine("a statement", begin, size, functools.partial(self._read, begin, size))

    def words_of(self, operations):
        """Those of operations that follow one another."""
        last = operations[-1]
        return self._words(operations[0].at, (last.at - operations[0].at) // 8 + 1 + last.following)

    def word(self, name):
        """Of an operation."""
        return next(word for word, known in self._names.items() if known == name)

    def _words(self, begin, size):
        content = ctypes.string_at(begin, 8 * size) if begin else b""
        return [self._original(begin + 8 * i, word) for i, (word,) in enumerate(_word.iter_unpack(content))]

    def _original(self, at, word):
        return self._word_at(at) if word in self._asks else word

    def _read(self, begin, size):
        words, at, operations, known = self._words(begin, size), 0, [], {}
        while at < len(words):
            name = self._names.get(words[at]) if words[at] else None
            if words[at] and name is None:
                operations.append(Operation(begin + 8 * at, "?"))
                break
            follow = _operations[name][0] if name else ""
            if at + 1 + len(follow) > len(words):
                break
            values = words[at + 1:at + 1 + len(follow)]
            symbol = None
            if follow[:1] == "s" and values[0]:
                symbol = known[values[0]] = known.get(values[0]) or Symbol(values[0], self.kinds)
            integers = [_signed(value) for kind, value in zip(follow, values) if kind == "i"]
            operations.append(Operation(begin + 8 * at, name, symbol, integers))
            at += 1 + len(follow)
        return operations


def _signed(word):
    return struct.unpack("<i", _word.pack(word)[:4])[0]


class Routine:
    """A procedure or function, by its symbol, or a statement. begin, end: its words' addresses; may_step: whether it may
    come to fadvance(); is_of_class: whether it is a template's; read: a function that gives its operations."""

    def __init__(self, name, begin, size, read, symbol=None, may_step=True, is_of_class=False):
        self.name, self.begin, self.end, self.symbol = name, begin, begin + 8 * size, symbol
        self.may_step, self.is_of_class, self._read = may_step, is_of_class, read

    @functools.cached_property
    def operations(self):
        """In the order of their words."""
        return self._read()

    def between(self, begin, end):
        """The operations there."""
        return [one for one in self.operations if begin <= one.at < end]
