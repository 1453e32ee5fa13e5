"""NEURON's numbers, those of all its threads as if there were one."""

from __future__ import annotations

import ctypes

import numpy as np

from ._errors import Refused
from ._neuron_hand_over import CAPACITANCE, NETCON, OWN, SOURCE, Instances, Source, artificial_cell
from ._neuron_library import POINTER_AT, VOLTAGE, is_9


def address_of(pointer):
    """Of a pointer of hoc's, in NEURON 8.2."""
    return ctypes.c_void_p.from_address(id(pointer) + POINTER_AT).value


class Numbers:
    """Those of one thread are behind those of another: v, area: [node], mV and um2; instances: {type: Instances};
    sources: those of spikes that NEURON lists. NetCons, which join_netcons() puts in NEURON's order: weights, one's
    behind another's; sources_of_netcons: [NetCon] a gid, or as a Source's node; targets: [NetCon] (type, instance)."""

    def __init__(self, h, hand_over):
        self._h, self._hand_over, self._threads = h, hand_over, hand_over.threads
        threads = self._threads
        self._first_node = _begins([len(thread.v) for thread in threads])
        self._first_source = _begins([len(thread.sources) for thread in threads])
        self._first_instance = {
            type_: _begins([thread.instances[type_].count if type_ in thread.instances else 0
                            for thread in threads])
            for type_ in dict.fromkeys(type_ for thread in threads for type_ in thread.instances)}
        self.v = _joined([thread.v for thread in threads])
        self.area = _joined([thread.area for thread in threads])
        self.resistance = _joined([thread.resistance for thread in threads])
        self.instances = {type_: self._instances(type_) for type_ in self._first_instance}
        self.sources = [self._source(number, source) for number, thread in enumerate(threads)
                        for source in thread.sources]
        self._thread_of_root = None  # {section: thread}
        self._answers = {}  # thread: [(NetCon, time, flag)]
        self.join_netcons(None, None)

    def _instances(self, type_):
        having = [(number, thread.instances[type_]) for number, thread in enumerate(self._threads)
                  if type_ in thread.instances]
        if len(self._threads) == 1:
            return having[0][1]
        nodes = None
        if having[0][1].nodes is not None:
            nodes = _joined([of.nodes + self._first_node[number] for number, of in having])
        return Instances(type_, nodes, _joined([of.data for _, of in having]),
                         _joined([of.pointers for _, of in having]), _joined([of.pointer_kinds for _, of in having]),
                         np.concatenate([of.randoms for _, of in having], axis=1)
                         if having[0][1].randoms is not None else None)

    def _source(self, number, source):
        node = source.node
        if node >= 0:
            node += int(self._first_node[number])
        elif node < -1:  # -1 is no source
            node = self._cell_code(node, number)
        return Source(source.gid, node, source.threshold)

    def _cell_code(self, code, number):
        """Of an artificial cell, as a Source's node."""
        return code - 1000 * int(self._first_instance[artificial_cell(code)[0]][number])

    def join_netcons(self, thread_of, counts):
        """[NetCon] its thread and how many weights it has, in NEURON's order; None of one thread, whose they are."""
        threads = self._threads
        self._thread_of_netcon = thread_of
        if thread_of is None:
            self.weights, self.sources_of_netcons = threads[0].weights, threads[0].sources_of_netcons
            self.targets = threads[0].targets
            return
        thread_of, firsts = np.asarray(thread_of, int), _begins(counts)
        self._netcons = [np.flatnonzero(thread_of == number) for number in range(len(threads))]
        if [len(some) for some in self._netcons] != [len(thread.targets) for thread in threads]:
            raise Refused(["NEURON's threads have other NetCons than those that are known here to lead to them"])
        self._number_in_thread = np.empty(len(thread_of), int)
        self.weights, self._weights_of = np.empty(firsts[-1]), []
        self.sources_of_netcons, self.targets = np.empty(len(thread_of), int), [None] * len(thread_of)
        for number, (thread, some) in enumerate(zip(threads, self._netcons)):
            self._number_in_thread[some] = np.arange(len(some))
            at = _joined([np.arange(firsts[n], firsts[n + 1]) for n in some] or [np.empty(0, int)])
            self._weights_of.append(at)
            self.weights[at] = thread.weights
            sent_from = iter(thread.threads_of_sources)
            for netcon, said, (type_, instance) in zip(some.tolist(), thread.sources_of_netcons.tolist(),
                                                       thread.targets):
                self.sources_of_netcons[netcon] = self._cell_code(said, next(sent_from)) if said < -1 else said
                first = self._first_instance[type_][number] if instance >= 0 else 0
                self.targets[netcon] = type_, int(instance + first)

    @property
    def count(self):
        """Of threads."""
        return len(self._threads)

    def calls_at_spikes(self, netcon):
        """As HandOver's."""
        return self._hand_over.calls_at_spikes(netcon)

    def points_with_gids(self):
        """{mechanism} of points that are sources of spikes with a gid."""
        types = {artificial_cell(source.node)[0] for source in self.sources if source.gid >= 0 and source.node < -1}
        return {self._hand_over.names[type_] for type_ in types if self.instances[type_].nodes is not None}

    def thread_of_cell(self, root):
        """Which has the cell of that root section."""
        if self.count == 1:
            return 0
        if self._thread_of_root is None:
            h = self._h
            if is_9():
                context = h.ParallelContext()
                self._thread_of_root = {section: number for number in range(self.count)
                                        for section in context.get_partition(number)}
            else:
                places = [self._hand_over.voltages(number) for number in range(self.count)]
                self._thread_of_root = {
                    section: number for section in h.allsec() if section.parentseg() is None
                    for number, there in enumerate(places) if address_of(section(0.5)._ref_v) in there}
        if root not in self._thread_of_root:
            raise Refused([f"{root}: which of NEURON's threads has it is not known"])
        return self._thread_of_root[root]

    def first_node(self, root):
        """By how much the numbers of the cell's nodes are higher here than in its thread."""
        return int(self._first_node[self.thread_of_cell(root)])

    def threads_of_artificial(self, type_, count):
        """[cell] which has it: all the first one, or they take turns."""
        counts = np.diff(self._first_instance[type_]).tolist()
        for threads in (np.zeros(count, int), np.arange(count) % self.count):
            if np.bincount(threads, minlength=self.count).tolist() == counts:
                return threads.tolist()
        raise Refused([f"{self._hand_over.names[type_]}: which of NEURON's threads has which is not known"])

    def instances_of(self, type_, number):
        """The range of a thread's instances."""
        return range(*self._first_instance[type_][number:number + 2].tolist())

    def at_nodes(self, type_, place):
        """[node] the number at a place among those of a mechanism's instances, NaN where it is not."""
        numbers = np.full(len(self.v), np.nan)
        if type_ in self.instances:
            numbers[self.instances[type_].nodes] = self.instances[type_].data[:, place]
        return numbers

    def inserted(self, points):
        """{mechanism: Instances} of all but those that are point processes."""
        return {name: of for type_, of in self.instances.items() if of.nodes is not None and type_ != CAPACITANCE
                and (name := self._hand_over.names[type_]) not in points}

    def forget(self, types):
        """Of mechanisms of which nobody asks for numbers any more."""
        for having in (self, *self._threads):
            for type_ in types:
                if type_ in having.instances:
                    having.instances[type_].forget()

    def forget_sizes(self):
        """What tells them is not asked for any more."""
        self.forget([CAPACITANCE])
        for having in (self, *self._threads):
            having.area = having.resistance = None

    def _thread_of(self, type_, instance):
        if self.count == 1:
            return 0
        return int(np.searchsorted(self._first_instance[type_], instance, side="right")) - 1

    def index(self, number, type_, index):
        """What is, of a thread, the index of a voltage, or of a number among all of a mechanism's instances."""
        if type_ not in self._first_instance:
            return index + int(self._first_node[number])
        return index + int(self._first_instance[type_][number]) * self.instances[type_].size

    def index_of_pointer(self, type_, instance, kind, index):
        """That of what a POINTER of an instance stands for."""
        return self.index(self._thread_of(type_, instance), kind, index)

    # What NEURON says when it is asked.

    def events(self):
        """[(kind, time, its integers, its numbers)] of what waits, and no longer does: of a NETCON its number, of an
        OWN event a type, an instance, a NetCon or -1 and whether it is movable, of a SOURCE whether the other one is a
        gid, and that or its number."""
        found = []
        for number in range(self.count):
            for kind, time, integers, numbers in self._hand_over.events(number):
                if kind == NETCON:
                    integers = [self._netcon(number, integers[0])]
                elif kind == OWN:
                    type_, instance, netcon, is_movable = integers
                    integers = [type_, int(instance + self._first_instance[type_][number]),
                                self._netcon(number, netcon), is_movable]
                elif kind == SOURCE and not integers[0]:
                    integers = [0, int(integers[1] + self._first_source[number])]
                found.append((kind, time, integers, numbers))
        return found

    def _netcon(self, number, in_thread):
        return in_thread if in_thread < 0 or self._thread_of_netcon is None else int(self._netcons[number][in_thread])

    def above(self):
        """{node} of those that are above a threshold of theirs."""
        return {int(node + self._first_node[number]) for number in range(self.count)
                for node in self._hand_over.above(number)}

    def watches(self):
        """[(type, instance, place among the pointers of the type, whether the condition holds)] of the WATCHes that are
        active, in the order in which they were reached."""
        return [(type_, int(instance + self._first_instance[type_][number]), place, holds)
                for number, type_, instance, place, holds in self._hand_over.watches()]

    def transfers(self):
        """([(id, type, index)] of what is sent, the same of what receives) by ParallelContext's source_var and
        target_var; ids join them."""
        both = [], []
        for number in range(self.count):
            for found, some in zip(both, self._hand_over.transfers(number)):
                found += [(id_, type_, self.index(number, type_, index)) for id_, type_, index in some]
        return both

    def played(self):
        """[((thread, number), type, index, times, values)] of the Vectors that are played, linear between times."""
        return [((number, which), type_, self.index(number, type_, index), times, values)
                for number in range(self.count)
                for which, type_, index, times, values in self._hand_over.played(number)]

    def kept_in_c(self, type_):
        """(integers, numbers) that a mechanism's instances keep in C and give away, one instance after the other."""
        kept = [self._hand_over.kept_in_c(number, type_) for number, thread in enumerate(self._threads)
                if type_ in thread.instances]
        return tuple(_joined(some) for some in zip(*kept))

    # What it takes back.

    def put(self, type_, numbers):
        """NEURON's own become these: [instance, number] of a mechanism, [node] of VOLTAGE."""
        for number, begin, end in _parts(self._first_node if type_ == VOLTAGE else self._first_instance[type_]):
            self._hand_over.put(number, type_, numbers[begin:end])

    def put_randoms(self, type_, numbers):
        """NEURON's RANDOMs of a mechanism stand there now: [RANDOM, instance]."""
        for number, begin, end in _parts(self._first_instance[type_]):
            self._hand_over.put_randoms(number, type_, numbers[:, begin:end])

    def put_time(self, time):
        """It is that time, which NEURON's next step begins with."""
        self._h.t = time
        for number in range(self.count):
            self._hand_over.put_time(number, time)

    def put_weights(self):
        """As they are now."""
        self._hand_over.put_weights([self.weights] if self._thread_of_netcon is None else
                                    [self.weights[at] for at in self._weights_of])

    def put_above(self, nodes):
        nodes = np.sort(np.array(nodes, int))
        parts = np.split(nodes, np.searchsorted(nodes, self._first_node[1:-1]))
        for number, some in enumerate(parts):
            self._hand_over.put_above(number, some - self._first_node[number])

    def put_event(self, netcon, time):
        """An event on its way to the NetCon of that number."""
        if self._thread_of_netcon is None:
            self._hand_over.put_event(0, netcon, time)
        else:
            self._hand_over.put_event(int(self._thread_of_netcon[netcon]), int(self._number_in_thread[netcon]), time)

    def put_own_event(self, time, type_, instance, flag, netcon, is_movable):
        """One that an instance sent itself; netcon: whose event it answered, or -1."""
        number = self._thread_of(type_, instance)
        if netcon >= 0 and self.instances[type_].nodes is None:  # NEURON looks for it among the instances of nodes
            self._answers.setdefault(number, []).append((self._h.List("NetCon").o(netcon), time, flag))
            netcon = -1
        if netcon >= 0 and self._thread_of_netcon is not None:
            netcon = int(self._number_in_thread[netcon])
        self._hand_over.put_own_event(number, time, type_, int(instance - self._first_instance[type_][number]), flag,
                                      netcon, is_movable)

    def put_answers(self):
        """Own events of artificial cells that were put know whose events they answer."""
        for number, answers in self._answers.items():
            self._hand_over.put_answers(number, answers)
        self._answers = {}

    def put_played(self, played, jumps, now):
        """The Vectors go on: played: [((thread, number), index of the time that comes next)]; jumps: Jumps."""
        self._hand_over.put_played([(*which, following) for which, following in played], jumps, now)

    def put_watches(self, type_, first, watches):
        """watches: [instance] of [(place, whether the condition holds)]; those of all mechanisms were cleared."""
        for number, begin, end in _parts(self._first_instance[type_]):
            self._hand_over.put_watches(number, type_, first, watches[begin:end])


def _begins(counts):
    """[number] where it begins, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(np.array(counts, int))]).astype(int)


def _parts(firsts):
    """(number, where it begins, where it ends) of each that is not empty."""
    return [(number, begin, end) for number, (begin, end) in enumerate(zip(firsts, firsts[1:])) if begin < end]


def _joined(arrays):
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)
