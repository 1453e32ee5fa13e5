"""What NEURON hands over of a session when `psolve` is to run elsewhere, and what it takes back.

NEURON loads `libhillock-neuron` in CoreNEURON's place and gives it pointers to its functions; this asks
them, thread by thread of NEURON's; `Numbers` has those of all threads.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import gc
import os
import traceback

import numpy as np

from ._errors import HillockError
from ._neuron_library import TIME, VOLTAGE, double_p, int_p, library, numbers_of_vector

_no_way = 1e30  # MOhm, as ri() says
#: The type of NEURON's own `capacitance`, whose first number is cm.
CAPACITANCE = 3
#: Kinds of events in NEURON's queue.
NETCON, OWN, SOURCE = 2, 3, 4

_function_of = functools.lru_cache(maxsize=None)(ctypes.PYFUNCTYPE)  # which makes a class each time
_counts_of_events = {NETCON: (1, 0), OWN: (4, 1), SOURCE: (2, 0)}  # integers and numbers of each

_Run = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_char_p,
                        ctypes.POINTER(ctypes.c_char), ctypes.c_size_t)
_Beside = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_char), ctypes.c_size_t)


class _Events(ctypes.Structure):
    _fields_ = [("events", ctypes.c_size_t), ("integers", ctypes.c_size_t), ("numbers", ctypes.c_size_t),
                ("types", int_p), ("times", double_p), ("integer", int_p), ("number", double_p)]


@contextlib.contextmanager
def no_collection():
    """Python looks for no garbage meanwhile, which takes its time among millions of objects that are none, and may have
    objects of NEURON's."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def take_runs(prepare, run, finish, keeps):
    """Has `psolve` call prepare() from now on before NEURON lays out what it hands over, run(HandOver, argument), and
    finish() once all is NEURON's again, which may raise: keeps(exception) says whether somebody else tells of it, or
    else its text becomes hoc's error, as it does where prepare() raises."""
    def passed(call, problem, size, ends=False):
        try:
            call()
        except BaseException as error:  # nothing may pass through NEURON's frames
            text = str(error) if isinstance(error, HillockError) else traceback.format_exc()
            _let_go(error)
            gc.collect()  # objects of the run that hold each other have the script's, too
            if keeps(error) and not ends:
                return 0
            text = text.encode(errors="replace")[:size - 1]
            ctypes.memmove(problem, text + b"\0", len(text) + 1)
            return 1
        return 0

    def called(threads, has_gaps, argument, problem, size):
        with no_collection():  # of NetCons that NEURON has listed
            return passed(lambda: run(HandOver(threads, bool(has_gaps)), argument.decode()), problem, size)

    take_runs.kept = (_Beside(lambda problem, size: passed(prepare, problem, size, ends=True)),
                      _Run(called),
                      _Beside(lambda problem, size: passed(finish, problem, size)))
    library().hillock_set_run(*take_runs.kept)


def _let_go(error):
    """Of the script's objects, which frames of an exception hold: NEURON would have them as long as somebody keeps it."""
    if isinstance(error, HillockError):
        error.__traceback__ = error.__context__ = None
    while error is not None:
        traceback.clear_frames(error.__traceback__)
        error = error.__cause__ or error.__context__


class Instances:
    """Those of a mechanism on one thread: count, size: of them, and of the numbers of each; nodes [instance], or None
    of artificial cells; data [instance, number]; pointers [instance, number of what NEURON calls dparam];
    pointer_kinds: [POINTER, instance by instance] the type of what it stands for, whose index is among its pointers.
    randoms: [RANDOM, instance, 5] three ids and where it stands, as 4 times one number and another; or None."""

    def __init__(self, type_, nodes, data, pointers, pointer_kinds, randoms=None):
        self.type, self.nodes, self.data = type_, nodes, data
        self.count, self.size = data.shape
        self.pointers, self.pointer_kinds, self.randoms = pointers, pointer_kinds, randoms

    def at(self, nodes):
        """Which of them is at each of some nodes, -1 where none is."""
        if not len(self.nodes):
            return np.full(len(nodes), -1)
        order, known = self._by_node
        places = np.minimum(np.searchsorted(known, nodes), len(known) - 1)
        return np.where(known[places] == nodes, places if order is None else order[places], -1)

    def forget(self):
        """Nobody asks for their numbers any more."""
        self.data = None

    @functools.cached_property
    def _by_node(self):
        """(which of them come by rising nodes, None where all do, and these nodes)"""
        if np.all(self.nodes[:-1] <= self.nodes[1:]):
            return None, self.nodes
        order = np.argsort(self.nodes, kind="stable")
        return order, self.nodes[order]


class Source:
    """What makes spikes: a voltage at a node that crosses a threshold, or else node is -(type + 1000·instance).
    gid: negative without one."""

    def __init__(self, gid, node, threshold):
        self.gid, self.node, self.threshold = gid, node, threshold


def artificial_cell(node):
    """(type, instance) by the node of its Source."""
    instance, type_ = divmod(-node, 1000)
    return type_, instance


class Thread:
    """A thread of NEURON's: v, area, resistance to the node before it [node], mV, um2, MOhm; instances:
    {type: Instances}; sources: those that NEURON lists; weights of its NetCons, one after the other.
    sources_of_netcons: [NetCon] a gid, or as a Source's node; targets: [NetCon] (type, instance). threads_of_sources:
    of those NetCons whose source is as a Source's node, if there are several threads."""

    def __init__(self, v, area, resistance, instances, sources, weights, sources_of_netcons, targets,
                 threads_of_sources):
        self.v, self.area, self.resistance, self.instances = v, area, resistance, instances
        self.sources, self.weights = sources, weights
        self.sources_of_netcons, self.targets = sources_of_netcons, targets
        self.threads_of_sources = threads_of_sources


def uses_of_vectors(h):
    """[(Vector, 1: played linear between times, 2: in steps, 3: recorded in every step, what of NEURON does it)]"""
    uses = []
    for vector in h.List("Vector"):
        player = ctypes.c_void_p()
        kind = library().hillock_is_played(ctypes.c_void_p(vector.hocobjptr()), ctypes.byref(player))
        if kind < 0:
            raise RuntimeError("this NEURON keeps Vectors that are played in another way than is known")
        if kind:
            uses.append((vector, kind, player.value))
    return uses


def drop_freed(threads, players):
    """What NEURON's queues have of Vectors that are played no longer, which it would look at, goes. players: of
    uses_of_vectors(), those that are."""
    for thread in range(threads):
        library().hillock_drop_freed(thread, (ctypes.c_void_p * len(players))(*players), ctypes.c_size_t(len(players)))


class HandOver:
    """The session as `psolve` hands it over. names: {type: name of its mechanism}."""

    def __init__(self, threads, has_gaps):
        self._library, self._callbacks = library(), {}
        self.has_gaps = has_gaps
        self.names, self._sizes, self._pointers, self._randoms = {}, {}, {}, {}
        self._read_mechanisms()
        self.threads = [self._thread(number) for number in range(threads)]

    def callback(self, name, restype, *argtypes):
        """A function of NEURON's."""
        if name not in self._callbacks:
            address = ctypes.c_void_p.in_dll(self._library, name).value
            self._callbacks[name] = _function_of(restype, *argtypes)(address)
        return self._callbacks[name]

    def taken(self, pointer, count, dtype):
        """A copy of an array of the library's, which is freed."""
        made = np.ctypeslib.as_array(pointer, (count,)).astype(dtype) if count else np.empty(0, dtype)
        self.free(pointer)
        return made

    def survives(self, ask):
        """Whether NEURON answers, where some questions end its process: one of its own asks first."""
        child = os.fork()
        if child == 0:
            try:
                os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
                self._library.hillock_end_by_errors()
                ask()
                os._exit(0)
            finally:
                os._exit(1)
        return os.waitpid(child, 0)[1] == 0

    def free(self, pointer):
        """What the library or NEURON made for whoever asked."""
        self._library.hillock_free(pointer)

    def _read_mechanisms(self):
        text = self._library.hillock_mechanisms()
        lines = iter(ctypes.string_at(text).decode().splitlines()[2:])
        self.free(ctypes.c_void_p(text))
        for line in lines:
            name, *numbers = line.split()
            type_, _, _, is_ion, size, pointers, *sizes = map(int, numbers)
            self.names[type_] = name
            self._sizes[type_] = sizes[1:] if sizes else [size]
            self._pointers[type_] = pointers
            if is_ion:
                next(lines)  # its charge

    def _thread(self, number):
        counts = (ctypes.c_int * 7)()
        types, instances, gids, of_netcons, threads = (int_p() for _ in range(5))
        self._library.hillock_counts(number, counts, *(ctypes.byref(x) for x in (types, instances, gids, of_netcons,
                                                                                 threads)))
        threads = self.taken(threads, counts[6], int)
        gids = self.taken(gids, counts[4], int)
        of_netcons = self.taken(of_netcons, counts[2], int)
        types = self.taken(types, counts[1], int)
        instances = self.taken(instances, counts[1], int)
        v, area, resistance = self._nodes(number, counts[0])
        made, with_pointers = {}, 0
        for place, (type_, count) in enumerate(zip(types, instances)):
            made[int(type_)] = self._instances(number, place, with_pointers, int(type_), int(count))
            with_pointers += self._pointers[int(type_)] > 0
        nodes, thresholds, weights, targets = self._connections(number, counts)
        sources = [Source(int(gids[i]), int(nodes[i]), float(thresholds[i]) if i < counts[5] else 0.0)
                   for i in range(counts[4])]
        return Thread(v, area, resistance, made, sources, weights, of_netcons, targets, threads.tolist())

    def _nodes(self, number, nodes):
        """(v, area, resistance)"""
        parents = (ctypes.c_int * nodes)()
        a, b, area, v, diameters = ((ctypes.c_double * nodes)() for _ in range(5))
        pointers = [ctypes.byref(ctypes.cast(array, kind)) for array, kind in
                    ((parents, int_p), (a, double_p), (b, double_p), (area, double_p), (v, double_p),
                     (diameters, double_p))]
        self.callback("nrn2core_get_dat2_2_", ctypes.c_int, ctypes.c_int, *[ctypes.c_void_p] * 6)(number, *pointers)
        v, area, b = map(np.array, (v, area, b))
        with np.errstate(divide="ignore"):
            resistance = np.where(b == 0, _no_way, -100 / (b * area))  # b: -100/(area·resistance)
        return v, area, resistance

    def _instances(self, number, place, with_pointers, type_, count):
        size = sum(self._sizes[type_])
        data = np.empty((count, size))
        pointers = np.zeros((count, self._pointers[type_]), np.intc)
        nodes, kinds, words, of_streams = int_p(), int_p(), ctypes.POINTER(ctypes.c_uint32)(), ctypes.c_int()
        of_pointers = self._library.hillock_mechanism(
            number, ctypes.c_size_t(place), with_pointers, ctypes.byref(nodes), data.ctypes.data_as(double_p),
            pointers.ctypes.data_as(int_p), ctypes.byref(kinds), ctypes.byref(words), ctypes.byref(of_streams))
        kinds = self.taken(kinds, of_pointers, int)
        words = self.taken(words, of_streams.value, np.uint32)
        randoms = int(words[0]) if len(words) else 0
        self._randoms[type_] = words[1:1 + randoms].astype(np.intc)
        words = words[1 + randoms:].reshape(randoms, count, -1) if randoms else None
        at = None
        if nodes:
            at = np.ctypeslib.as_array(nodes, (count,)).astype(np.intc)
            ctypes.CDLL(None).free(nodes)
        return Instances(type_, at, data, pointers, kinds, words)

    def _connections(self, number, counts):
        """(nodes and thresholds of sources, weights, targets)"""
        nodes, types, indices = int_p(), int_p(), int_p()
        thresholds, of_weights, delays = double_p(), double_p(), double_p()
        arrays = (nodes, thresholds, types, indices, of_weights, delays)
        self.callback("nrn2core_get_dat2_3_", ctypes.c_int, ctypes.c_int, ctypes.c_int, *[ctypes.c_void_p] * 6)(
            number, counts[3], *(ctypes.byref(array) for array in arrays))
        self.free(delays)
        targets = list(zip(self.taken(types, counts[2], int).tolist(), self.taken(indices, counts[2], int).tolist()))
        return (self.taken(nodes, counts[4], int), self.taken(thresholds, counts[5], float),
                self.taken(of_weights, counts[3], float), targets)

    # What it takes back.

    def put(self, thread, type_, numbers):
        """NEURON's own become these: [instance, number] of a mechanism, [node] of VOLTAGE."""
        sizes = self._sizes[type_] if type_ > 0 else [1]
        numbers = np.ascontiguousarray(numbers, float)
        there = self._library.hillock_put(thread, type_, ctypes.c_size_t(len(numbers)), len(sizes),
                                          (ctypes.c_int * len(sizes))(*sizes), numbers.ctypes.data_as(double_p))
        if there != len(numbers):
            raise RuntimeError(f"NEURON has {there} of type {type_}, not {len(numbers)}")

    def put_randoms(self, thread, type_, numbers):
        """NEURON's RANDOMs of a mechanism stand there now: [RANDOM, instance]."""
        indices, numbers = self._randoms[type_], np.ascontiguousarray(numbers, float)
        self._library.hillock_put_randoms(thread, type_, indices.ctypes.data_as(int_p), ctypes.c_size_t(len(indices)),
                                          numbers.ctypes.data_as(double_p), ctypes.c_size_t(numbers.size))

    def put_time(self, thread, time):
        self.put(thread, TIME, [time])

    def put_weights(self, weights):
        """[thread] those of its NetCons."""
        weights = [np.ascontiguousarray(some) for some in weights]
        pointers = (double_p * len(weights))(*(some.ctypes.data_as(double_p) for some in weights))
        self._library.hillock_put_weights(ctypes.c_size_t(len(weights)), pointers)

    def put_above(self, thread, nodes):
        nodes = np.ascontiguousarray(nodes, np.intc)
        self._library.hillock_put_above(thread, ctypes.c_size_t(len(nodes)), nodes.ctypes.data_as(int_p))

    def clear_queues(self, time):
        """It is that time, and nothing waits. Nothing that is put there then may be earlier, and NEURON ends the
        process's statement for a round-off."""
        self.callback("core2nrn_clear_queues_", None, ctypes.c_double)(time)

    def put_event(self, thread, netcon, time):
        """An event on its way to the NetCon of that number among the thread's."""
        self.callback("core2nrn_NetCon_event_", None, ctypes.c_int, ctypes.c_double, ctypes.c_size_t)(
            thread, time, netcon)

    def put_own_event(self, thread, time, type_, instance, flag, netcon, is_movable):
        """One that an instance sent itself; netcon: whose event it answered, or -1."""
        if netcon < 0:
            self.callback("core2nrn_SelfEvent_event_noweight_", None, ctypes.c_int, ctypes.c_double, ctypes.c_int,
                          ctypes.c_int, ctypes.c_double, ctypes.c_int)(
                thread, time, type_, instance, flag, is_movable)
        else:
            self.callback("core2nrn_SelfEvent_event_", None, ctypes.c_int, ctypes.c_double, ctypes.c_int,
                          ctypes.c_int, ctypes.c_double, ctypes.c_size_t, ctypes.c_int)(
                thread, time, type_, instance, flag, netcon, is_movable)

    def put_answers(self, thread, answers):
        """Own events of artificial cells, which wait, know whose events they answer: [(NetCon, time, flag)]."""
        netcons, times, flags = zip(*answers)
        count = len(netcons)
        found = self._library.hillock_put_answers(
            thread, ctypes.c_size_t(count), (ctypes.c_void_p * count)(*(one.hocobjptr() for one in netcons)),
            (ctypes.c_double * count)(*times), (ctypes.c_double * count)(*flags))
        if found != count:
            raise RuntimeError("this NEURON keeps events in another way than is known")

    def calls_at_spikes(self, netcon):
        """(kind, the statement of hoc's or the address of an object of Python's) of what its record() has called at each
        spike of its source; None of nothing. netcon: the object in hoc."""
        text, called = ctypes.c_char_p(), ctypes.c_void_p()
        kind = self._library.hillock_calls_at_spikes(ctypes.c_void_p(netcon.hocobjptr()), ctypes.byref(text),
                                                     ctypes.byref(called))
        return (kind, called.value or (text.value or b"").decode(errors="replace")) if kind else None

    def record_spike(self, netcon, time):
        """For whoever asked for spikes of a NetCon's source. netcon: the object in hoc."""
        if not self._library.hillock_record_spike(ctypes.c_void_p(netcon.hocobjptr()), ctypes.c_double(netcon.delay),
                                                  ctypes.c_double(time)):
            raise RuntimeError(f"{netcon.hname()}: this NEURON keeps NetCons in another way than is known")

    def record_spike_of(self, gid, time):
        """The same of the source that has a gid."""
        if not self._library.hillock_record_spike_of(gid, ctypes.c_double(time)):
            raise RuntimeError(f"gid {gid}: this NEURON keeps sources of spikes in another way than is known")

    def events(self, thread):
        """(kind, time, its integers, its numbers) of each that waits in the thread's queue, which is empty then."""
        found = _Events()
        self._library.hillock_take_events(thread, ctypes.byref(found))
        kinds, times = self.taken(found.types, found.events, int), self.taken(found.times, found.events, float)
        integers = self.taken(found.integer, found.integers, int).tolist()
        numbers = self.taken(found.number, found.numbers, float).tolist()
        integer = number = 0
        for kind, time in zip(kinds.tolist(), times.tolist()):
            some, others = _counts_of_events.get(kind, (0, 0))
            yield kind, time, integers[integer:integer + some], numbers[number:number + others]
            integer, number = integer + some, number + others

    def above(self, thread):
        """The nodes of the thread that are above a threshold of theirs."""
        nodes = int_p()
        count = self._library.hillock_above(thread, ctypes.byref(nodes))
        return self.taken(nodes, count, int)

    def voltages(self, thread):
        """The addresses of the thread's nodes' voltages."""
        size = self.threads[thread].v.nbytes
        begin = ctypes.addressof(self.where(thread, VOLTAGE, 0).contents) if size else 0
        return range(begin, begin + size)

    def watches(self):
        """[(thread, type, instance, place among the pointers of the type, whether the condition holds)] of the
        WATCHes that are active, in the order in which they were reached."""
        found = []
        listen = ctypes.CFUNCTYPE(None, *[ctypes.c_int] * 5)(lambda *watch: found.append(watch))
        self.callback("nrn2core_transfer_watch_", None, ctypes.c_void_p)(ctypes.cast(listen, ctypes.c_void_p))
        return found

    def transfers(self, thread):
        """([(id, type, index)] of what is sent, the same of what receives) by ParallelContext's source_var and
        target_var; ids join them."""
        counts, found = (ctypes.c_int * 2)(), int_p()
        self._library.hillock_transfers(thread, len(self.threads), counts, ctypes.byref(found))
        rows = self.taken(found, 3 * (counts[0] + counts[1]), int).reshape(-1, 3).tolist()
        return rows[:counts[0]], rows[counts[0]:]

    def recorded_at(self, player):
        """Where the number is that what of NEURON records it, None of one that NEURON knows how to find."""
        return self._library.hillock_recorded_at(ctypes.c_void_p(player))

    def played(self, thread):
        """[(number, type, index, times, values)] of the Vectors that are played, linear between times."""
        found, rows = int_p(), double_p()
        count = self._library.hillock_played(thread, ctypes.byref(found), ctypes.byref(rows))
        listed = self.taken(found, 4 * count, int).reshape(-1, 4).tolist()
        numbers = self.taken(rows, 2 * sum(size for *_, size in listed), float)
        parts = np.split(numbers, np.cumsum([size for *_, size in listed for _ in range(2)]))
        return [(*one[:3], parts[2 * k], parts[2 * k + 1]) for k, one in enumerate(listed)]

    def plays(self):
        """[number] of the first thread's Vectors that are played, linear between times."""
        found = int_p()
        count = self._library.hillock_plays(0, ctypes.byref(found))
        return self.taken(found, count, int).tolist()

    def where(self, thread, type_, index):
        """A pointer to a number of NEURON's, by the index of a voltage or among those of a mechanism's instances."""
        sizes = self._sizes.get(type_, [1])
        return self._library.hillock_where(thread, type_, index, len(sizes), (ctypes.c_int * len(sizes))(*sizes))

    def put_played(self, played, jumps, now):
        """The Vectors go on: played: [(thread, number, index of the time that comes next)]; jumps: Jumps."""
        for thread, number, following in played:
            self.callback("core2nrn_vecplay_", None, *[ctypes.c_int] * 5)(
                thread, number, following, 0, following)
        jumps.go_on(now)
        self.callback("core2nrn_vecplay_events_", None)()

    def pointers_of(self, type_):
        """How many pointers an instance has."""
        return self._pointers[type_]

    def put_watches(self, thread, type_, first, watches):
        """watches: [instance] of [(place, whether the condition holds)]; those of all mechanisms were cleared."""
        counts = np.array([len(some) for some in watches], np.intc)
        places, are_above = (np.array([watch[k] for some in watches for watch in some], np.intc) for k in (0, 1))
        self._library.hillock_put_watches(
            thread, type_, first, ctypes.c_size_t(len(watches)), counts.ctypes.data_as(int_p),
            places.ctypes.data_as(int_p), are_above.ctypes.data_as(int_p))

    def clear_watches(self):
        self.callback("core2nrn_watch_clear_", None)()

    def kept_in_c(self, thread, type_):
        """(integers, numbers) that a mechanism's instances keep in C and give away, one instance after the other."""
        counts = [ctypes.c_int(), ctypes.c_int()]
        integers, numbers = int_p(), double_p()
        self.callback("nrn2core_get_dat2_corepointer_mech_", ctypes.c_int, ctypes.c_int, ctypes.c_int,
                      *[ctypes.c_void_p] * 4)(
            thread, type_, *(ctypes.byref(x) for x in (*counts, integers, numbers)))
        return self.taken(integers, counts[0].value, np.intc), self.taken(numbers, counts[1].value, float)

    def vector_at(self, bits):
        """The numbers of a Vector to which the bits of a mechanism's number point; none of a null pointer."""
        return numbers_of_vector(int(np.float64(bits).view(np.uint64)))

    def close(self):
        """Nothing more is read of the session."""
        self._library.hillock_clean()
