"""The library that stands in CoreNEURON's place, and what of NEURON it is asked for whether or not a session is being
handed over: where its nodes lie, what waits in its queue, which NEURON it is.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import io
import os
import pathlib
import re
import sys

import numpy as np

#: Types of NEURON's that are no mechanism's.
VOLTAGE, MEMBRANE_CURRENT, TIME = -1, -2, 0

#: Where Python's object of a pointer of hoc's has the address, in 9.0 NEURON's handle.
POINTER_AT = 24
WORD = ctypes.sizeof(ctypes.c_void_p)

int_p = ctypes.POINTER(ctypes.c_int)
double_p = ctypes.POINTER(ctypes.c_double)

_complaint = re.compile(r"Pointer 0x[0-9a-f]+ of PlayRecord type [68] ignored because not a Range Variable")


class _Other(ctypes.Structure):
    _fields_ = [("event", ctypes.c_void_p), ("player", ctypes.c_void_p), ("time", ctypes.c_double),
                ("kind", ctypes.c_int)]


def library_path():
    """Of the library that CORENEURONLIB is to name."""
    return pathlib.Path(__file__).parent / "libhillock-neuron.so"


@functools.cache
def library():
    """That library; NEURON's own handle of it is the same."""
    # Python's other threads are to wait meanwhile, as they do for NEURON.
    loaded = ctypes.PyDLL(str(library_path()), ctypes.RTLD_GLOBAL)
    loaded.hillock_mechanisms.restype = ctypes.c_void_p
    loaded.hillock_structure_change.restype = int_p
    loaded.hillock_deliver_other.restype = loaded.hillock_deliver_others.restype = ctypes.c_double
    loaded.hillock_step_begins.restype = ctypes.c_double
    for name in ("hillock_where", "hillock_number", "hillock_pointed_to"):
        getattr(loaded, name).restype = double_p
    for name in ("hillock_recorded_at", "hillock_what_is", "hillock_source_of"):
        getattr(loaded, name).restype = ctypes.c_void_p
    for name in ("hillock_put", "hillock_above", "hillock_put_answers", "hillock_turns_left",
                 "hillock_turns_before_guards", "hillock_play_other"):
        getattr(loaded, name).restype = ctypes.c_size_t
    return loaded


@functools.cache
def is_9():
    """Whether the session's NEURON is 9.0, and not 8.2."""
    return bool(library().hillock_is_9())


def words_at(address):
    """What tells one number of NEURON's from another, of a pointer to it there."""
    at = (address, address + 2 * WORD, address + 3 * WORD) if is_9() else (address,)
    return tuple(ctypes.c_size_t.from_address(word).value for word in at)


def numbers_of_vector(address):
    """Of one of NEURON's, as C code has it; none of a null pointer."""
    numbers = double_p()
    count = library().hillock_vector(ctypes.c_void_p(address), ctypes.byref(numbers))
    if count < 0:
        raise RuntimeError("this NEURON keeps Vectors in another way than is known")
    return np.array(numbers[:count], float)


def is_out_of_date():
    """Whether sections, sizes or mechanisms are others than those that NEURON's nodes were laid out for."""
    return bool(library().hillock_is_out_of_date())


@contextlib.contextmanager
def is_not_laid_out():
    """NEURON's nodes stay as they are laid out, whatever has changed, as they do within a psolve."""
    flags = (ctypes.c_int * 2)()
    library().hillock_hide_changes(1, flags)
    try:
        yield
    finally:
        library().hillock_hide_changes(0, flags)


def recorders():
    """Addresses of what of NEURON's records in every step."""
    found = ctypes.POINTER(ctypes.c_void_p)()
    count = library().hillock_recorders(ctypes.byref(found))
    addresses = set(found[:count])
    library().hillock_free(found)
    return addresses


def find_targets(numbers):
    """After nodes were laid out anew: where target_var's numbers lie. NEURON finds it by passing on what it is now, and
    what it was stays. numbers: a function that gives [(object, name of a number of it)], where these may be."""
    if not library().hillock_has_targets():
        return
    before = [(point, name, getattr(point, name)) for point, name in numbers()]
    library().hillock_find_targets()
    for point, name, number in before:
        if getattr(point, name) != number:
            setattr(point, name, number)


def begin_exchange():
    """NEURON's ranks tell each other of spikes from now on."""
    if not library().hillock_begin_exchange():
        raise RuntimeError("this NEURON exchanges spikes in another way than is known")


class Other:
    """Something that waits in a thread's queue and is no event of the model's: event, player: NEURON's own; time: ms;
    kind: one of HOC, EVERY, AT_TIMES, STEPS, and RANKS, at which these tell each other of spikes."""

    HOC, EVERY, AT_TIMES, STEPS, RANKS = range(5)

    def __init__(self, thread, found):
        self.thread, self.event, self.player = thread, found.event, found.player
        self.time, self.kind = found.time, found.kind
        self._known = None

    @staticmethod
    def all(threads, *, takes=False):
        """Of so many threads. takes: they wait no longer."""
        others = []
        for thread in range(threads):
            found = ctypes.POINTER(_Other)()
            count = library().hillock_others(thread, int(takes), ctypes.byref(found))
            if count < 0:
                raise RuntimeError("this NEURON keeps its queue in another way than is known")
            others += [Other(thread, found[i]) for i in range(count)]
            library().hillock_free(found)
        return others

    def put(self):
        """It waits again."""
        library().hillock_put_other(self.thread, ctypes.c_void_p(self.event), ctypes.c_double(self.time))

    def deliver(self):
        """NEURON does what it is there for; its time is that of the next then, infinite where there is none."""
        self.time = library().hillock_deliver_other(self.thread, ctypes.c_void_p(self.event),
                                                    ctypes.c_double(self.time))

    def deliver_all(self, number, column, due):
        """The same of it and those that follow until the last of the times `due`, ms, where what is recorded, if it is a
        number and no time, has become column[step] behind due[step]."""
        self.time = library().hillock_deliver_others(
            self.thread, ctypes.c_void_p(self.event), ctypes.c_double(self.time), number,
            column.ctypes.data_as(double_p), due.ctypes.data_as(double_p), ctypes.c_size_t(len(due)))

    def play_all(self, number, due):
        """The same of what is played into a number: ([place among `due`], [the number then]) of each."""
        found, time = double_p(), ctypes.c_double(self.time)
        count = library().hillock_play_other(
            self.thread, ctypes.c_void_p(self.event), ctypes.byref(time), number, due.ctypes.data_as(double_p),
            ctypes.c_size_t(len(due)), ctypes.byref(found))
        rows = np.array(np.ctypeslib.as_array(found, (count, 2)))
        library().hillock_free(found)
        self.time = time.value
        return rows.T

    def variable(self, threads):
        """(thread, type, index) of what is recorded or played into, the type that of TIME; None of what else it is."""
        numbers = [ctypes.c_int() for _ in range(3)]
        known = library().hillock_recorded(ctypes.c_void_p(self.event), ctypes.c_void_p(self.player), threads,
                                           *map(ctypes.byref, numbers))
        return tuple(number.value for number in numbers) if known else None

    def times_to_come(self):
        """Those of AT_TIMES, ms, in their order."""
        times, recorded = double_p(), ctypes.c_int()
        count = library().hillock_times_of_record(ctypes.c_void_p(self.player), ctypes.c_void_p(self.event),
                                                  ctypes.byref(times), ctypes.byref(recorded))
        if count < 0:
            raise RuntimeError("this NEURON keeps Vectors that are recorded in another way than is known")
        return times[recorded.value:count]

    def keep(self):
        """Of how far it has played NEURON keeps a number in its object, which undo() brings back."""
        size = 104 if is_9() else 88
        self._known = self.time, ctypes.string_at(self.player, size)

    def undo(self):
        if self._known:
            self.time, known = self._known
            ctypes.memmove(self.player, known, len(known))


class References:
    """How many hold each of some objects of hoc's."""

    def __init__(self, objects):
        self._objects = (ctypes.c_void_p * len(objects))(*(one.hocobjptr() for one in objects))

    def counts(self):
        counts = np.zeros(len(self._objects), np.intc)
        library().hillock_references(self._objects, ctypes.c_size_t(len(counts)), counts.ctypes.data_as(int_p))
        return counts


def lay_out():
    """NEURON lays its nodes out as its next step would."""
    library().hillock_lay_out()


def changes_of_structure():
    """What changes where sections, segments, what is inserted, or sizes do; None where NEURON does not show it."""
    changes = (ctypes.c_int * 2)()
    return list(changes) if library().hillock_changes(changes) else None


def has_legacy_units():
    """Whether NEURON has the constants of nature that it had before 8.0 (nrnunit_use_legacy)."""
    return bool(library().corenrn_units_use_legacy() & 1)


def keep_pointers(layouts):
    """NEURON 8.2 keeps POINTERs to mechanisms' numbers wherever it lays these, and those of the ChannelBuilder's
    mechanisms to ions', as 9.0 does. layouts: gives [(name, Channel.layout())] of these."""
    def tell():
        for name, layout in layouts():
            library().hillock_know_channel(name.encode(), *layout)

    if is_9():
        return
    keep_pointers.tell = ctypes.CFUNCTYPE(None)(tell)
    if not library().hillock_keep_pointers(keep_pointers.tell):
        raise RuntimeError("this NEURON lays its numbers out in another way than is known")


@functools.lru_cache(maxsize=None)
def knows_random_plays():
    """Whether the library has found where NEURON has what Randoms set in each step: its file says so, where it was not
    stripped."""
    find = library().hillock_of_neuron
    find.restype, find.argtypes = ctypes.c_void_p, [ctypes.c_char_p]
    shown = find(b"nrn_random_play")
    with open("/proc/self/maps") as maps:
        path = next((line.split(maxsplit=5)[5].strip() for line in maps if _is_in(shown, line)), None)
    places = _places_in(path, (b"nrn_random_play", b"_ZL17random_play_list_")) if path else ()
    if len(places) < 2:
        return False
    library().hillock_know_random_plays(ctypes.c_void_p(shown - places[0] + places[1]))
    return True


def _is_in(address, line):
    """Whether a line of /proc/self/maps is of a file that has it."""
    begin, end = (int(word, 16) for word in line.split(maxsplit=1)[0].split("-"))
    return address is not None and begin <= address < end and "/" in line


def _places_in(path, names):
    """[place] of these names in a library's file of 64 bits (ELF), where its table of all symbols has them."""
    data = np.memmap(path, np.uint8, "r")
    (at,), (size, count) = data[40:48].view(np.uint64), data[58:62].view(np.uint16)
    sections = data[int(at):int(at) + int(size) * int(count)].reshape(count, size)
    kinds, others = sections[:, 4:8].copy().view(np.uint32)[:, 0], sections[:, 40:44].copy().view(np.uint32)[:, 0]
    parts = sections[:, 24:40].copy().view(np.uint64).astype(int).tolist()  # [section] (place, size)

    def part(number):
        return data[parts[number][0]:sum(parts[number])]

    of_all = 2  # a table of symbols, not only of those that are shown to others
    for number in np.flatnonzero(kinds == of_all).tolist():
        symbols = np.frombuffer(part(number), np.dtype([("name", "u4"), ("kind", "u4"), ("value", "u8"), ("size", "u8")]))
        text = part(others[number]).tobytes()
        found = [symbols["value"][symbols["name"] == text.find(b"\0" + name + b"\0") + 1] for name in names]
        return [int(values[0]) for values in found if len(values)]
    return []


def knows_channel(name):
    """Whether NEURON has kept pointers of that mechanism of the ChannelBuilder to ions' numbers."""
    return is_9() or bool(library().hillock_knows_channel(name.encode()))


def place_of_pointers(type_):
    """Where the first of a mechanism's POINTERs and BBCOREPOINTERs lies among an instance's pointers."""
    return int(library().hillock_place_of_pointers(type_))


def thread_of_number(pointer, threads):
    """Which of NEURON's threads, from 1 on, has the voltage's or mechanism's number to which a pointer of hoc's is, 0
    where none has it; a voltage of 9.0's is the first one's. Numbers lie as they are handed over."""
    at = id(pointer) + POINTER_AT
    return int(library().hillock_thread_of_number(
        ctypes.c_void_p(at if is_9() else ctypes.c_void_p.from_address(at).value), threads))


def file_in_memory():
    """A file for what is written to a descriptor."""
    return open(os.memfd_create("hillock"), "w+b", buffering=0)


@contextlib.contextmanager
def without_complaints():
    """NEURON complains on standard error of each Vector that records what it cannot hand over, and of such a line of a
    graph; of nothing else in the meantime anything is lost."""
    with file_in_memory() as caught:
        sys.stderr.flush()
        known, by_python = os.dup(2), io.StringIO()  # some of NEURON's write to Python's
        os.dup2(caught.fileno(), 2)
        try:
            with contextlib.redirect_stderr(by_python):
                yield
        finally:
            os.dup2(known, 2)
            os.close(known)
            caught.seek(0)
            text = by_python.getvalue() + caught.read().decode(errors="replace")
            sys.stderr.write(_complaint.sub("", text))
