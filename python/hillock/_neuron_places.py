"""Where the numbers of a session are in the arrays that NEURON hands over."""

from __future__ import annotations

from operator import methodcaller

import numpy as np

from ._neuron_hand_over import artificial_cell
from ._neuron_last import of_last_place
from ._neuron_mechanisms import hidden_names, named_behind, names_of, number_of, set_in_events
from ._neuron_session import RELAY, WIRES


class Places:
    """Where the numbers of a session are in NEURON's arrays: of nodes, and of mechanisms by instance. netcons_of:
    {(population, cell): [number]} of those that are used, by their source."""

    def __init__(self, h, session, hand_over, numbers):
        self.h, self.session, self.hand_over = h, session, hand_over
        self.numbers = numbers
        self.type_of = {name: type_ for type_, name in hand_over.names.items()}
        counts = list(map(methodcaller("wcnt"), session.all_netcons))
        self.first_weight = np.cumsum([0, *counts]).astype(int)  # [NetCon] in the weights
        if numbers.count > 1:
            numbers.join_netcons(session.threads_of_netcons(self.type_of), counts)
        self._offsets = {}
        self.of_last = {}  # mechanism of a membrane: OfLast, where several places read what the last one has left
        for name in {name for cell in session.cells for name in cell.inserted if not name.endswith("_ion")}:
            mechanism = session.mechanism(name)
            if mechanism and mechanism.of_last_place and numbers.instances[self.type_of[name]].count > 1:
                of_last = of_last_place(mechanism.code, tuple(mechanism.of_last_place))
                if of_last and mechanism.reads_its_own(of_last.shared):
                    self.of_last[name] = of_last
        self.cells = {id(cell): CellNodes(cell) for cell in session.cells}
        self.point_instance = self._find_points()
        self.instances_of_cells = {name: self._find_cells(name) for name in session.artificial}
        self._points = {(self.type_of[key[1]], instance): (key, number)
                        for key, instances in self.point_instance.items()
                        for number, instance in enumerate(instances.tolist())}
        self._find_owners()
        self._find_connections()
        self.netcons_of, self._least_delays = {}, {}
        for number, (source, _) in enumerate(session.ends_of_netcons):
            if source is not None:
                used = self.netcons_of.setdefault(source, [])
                if session.is_used(number):
                    used.append(number)

    def renew(self, numbers, hand_over):
        """The same of other numbers that are where these were."""
        self.numbers, self.hand_over = numbers, hand_over

    def least_delay(self, source):
        """Of a source's NetCons, ms: its event is in NEURON's queue for the first of them."""
        if source not in self._least_delays:
            self._least_delays[source] = min((self.session.delays[n] for n in self.netcons_of[source]), default=0.0)
        return self._least_delays[source]

    def offset(self, mechanism, bare):
        """Where a variable is among a mechanism's numbers, or None."""
        if mechanism not in self._offsets:
            suffix, code = f"_{mechanism}", self.session.text_of(mechanism)
            shown = [(full[:-len(suffix)] if full.endswith(suffix) else full, size)
                     for full, size in names_of(self.h, mechanism, 0)]
            pointers = named_behind(code, "POINTER", "BBCOREPOINTER", "RANDOM")
            shown = [one for one in shown if one[0] not in pointers]
            hidden = [] if mechanism.endswith("_ion") else hidden_names(code)
            self._offsets[mechanism] = _offsets(shown, hidden, self.numbers.instances[self.type_of[mechanism]])
        return self._offsets[mechanism].get(bare)

    def named(self, mechanism, offset):
        """The variable at a place among a mechanism's numbers."""
        self.offset(mechanism, "")
        return next((bare for bare, at in self._offsets[mechanism].items() if at == offset), None)

    def set_by_events(self, thread, type_, index):
        """The variable there of a point process, if its events set it; None else."""
        if type_ not in self.numbers.instances:
            return None
        instance, offset = divmod(self.numbers.index(thread, type_, index), self.numbers.instances[type_].size)
        if self.point_of(type_, instance) is None:
            return None
        mechanism = self.hand_over.names[type_]
        bare = self.named(mechanism, offset)
        return bare if bare in set_in_events(self.session.text_of(mechanism)) else None

    def instances_at(self, mechanism, nodes):
        """Which of a mechanism's instances are at nodes, -1 where none is."""
        return self.numbers.instances[self.type_of[mechanism]].at(nodes)

    def _find_points(self):
        """{(population, mechanism): [number in the list] of the instance in NEURON's array}; of those on one node
        NEURON's order is that of the node's list."""
        found = {}
        by_mechanism = {}
        for key, nodes in self.session.nodes_of_points.items():
            by_mechanism.setdefault(key[1], []).extend((node, key, number) for number, node in enumerate(nodes))
        for name, points in by_mechanism.items():
            of = self.numbers.instances[self.type_of[name]]
            points.sort(key=lambda one: one[0])  # stable: of one node in their order
            if [node for node, _, _ in points] != of.nodes.tolist():
                self.session.refuse(f"{name}: NEURON lists its points in an order that is not known here")
                continue
            for instance, (_, key, number) in enumerate(points):
                found.setdefault(key, {})[number] = instance
        self._check_points(found)
        return {key: np.array([of[number] for number in range(len(of))]) for key, of in found.items()}

    def _check_points(self, found):
        told = {}  # key: the numbers of those that NEURON itself says are NetCons' targets
        for (_, target), onto in zip(self.session.ends_of_netcons, self.numbers.targets):
            if target and target[0][1]:
                if (self.type_of[target[0][1]], found[target[0]].get(target[1])) != onto:
                    self.session.refuse(f"{target[0][1]}: NEURON lists its points in an order that is not known here")
                told.setdefault(target[0], set()).add(target[1])
        for key, of in found.items():
            mechanism = self.session.mechanism(key[1])
            asked = [0, *({*range(1, len(of))} - told.get(key, set()))]
            points = [self.session.points[key][number][0] for number in asked]
            instances = [of[number] for number in asked]
            for bare, full in mechanism.parameters if mechanism else ():
                if self.offset(key[1], bare) is None:
                    continue
                known = np.array([number_of(point, full) for point in points])
                there = self.numbers_of(key[1], bare)[instances]
                if not np.array_equal(known, there, equal_nan=True):
                    self.session.refuse(f"{key[1]}: NEURON lists its points in an order that is not known here")
                    return

    def numbers_of(self, mechanism, bare):
        """[instance] of a variable."""
        return self.numbers.instances[self.type_of[mechanism]].data[:, self.offset(mechanism, bare)]

    def _find_owners(self):
        """Who has an instance, and which of its cell it is."""
        self._owners, self._instances = {}, {}
        for (population, mechanism), instances in self.point_instance.items():
            type_ = self.type_of[mechanism]
            counts = {}
            for (_, cell, _), instance in zip(self.session.points[population, mechanism], instances.tolist()):
                number = counts[cell] = counts.get(cell, -1) + 1
                self._owners[type_, instance] = population, cell, mechanism, number
                self._instances[population, cell, mechanism, number] = type_, instance
        for name, instances in self.instances_of_cells.items():
            for cell, instance in enumerate(instances.tolist()):
                self._owners[self.type_of[name], instance] = name, cell, name, 0
                self._instances[name, cell, name, 0] = self.type_of[name], instance

        for source in self.numbers.sources:  # of artificial cells; the session knows those of voltages
            if source.gid >= 0 > source.node:
                self.session.gids[self._owners[artificial_cell(source.node)][:2]] = source.gid

    def _find_cells(self, name):
        """[cell] the instance in NEURON's array of artificial cells, of which NetCons tell; the others of a thread are
        left over, in their order."""
        count = len(self.session.artificial[name])
        if not count:
            return np.empty(0, int)
        found = [None] * count
        of_gid = {source.gid: source.node for source in self.numbers.sources if source.gid >= 0}
        for (source, target), said, onto in zip(self.session.ends_of_netcons, self.numbers.sources_of_netcons.tolist(),
                                                self.numbers.targets):
            said = of_gid.get(said, said)
            if source and source[0] == name and said < -1:
                found[source[1]] = artificial_cell(said)[1]
            if target and target[0] == (name, None):
                found[target[1]] = onto[1]
        type_, threads = self.type_of[name], [0] * count
        if self.numbers.count > 1:
            threads = self.numbers.threads_of_artificial(type_, count)
        taken = set(found)
        left = [iter([i for i in self.numbers.instances_of(type_, thread) if i not in taken])
                for thread in range(self.numbers.count)]
        return np.array([next(left[thread]) if instance is None else instance
                         for thread, instance in zip(threads, found)], int)

    def point_of(self, type_, instance):
        """((population, mechanism), number in that list) of a point process; None of others."""
        return self._points.get((type_, instance))

    def populations(self):
        """The names of all."""
        return [*(p.name for p in self.session.populations), *self.session.sizes_apart(),
                *([RELAY] if self.session.relays else []),
                *([WIRES] if self.session.wiring and self.session.wiring.wires else []),
                *(name for name, made in self.session.artificial.items() if made)]

    def owner_of(self, type_, instance):
        """(population, cell, mechanism, number on that cell) of an instance of a point process or artificial cell."""
        return self._owners[type_, instance]

    def instance_of(self, population, cell, mechanism, number):
        """(type, instance) of what owner_of() gives."""
        return self._instances[population, cell, mechanism, number]

    def source_of(self, is_gid, number):
        """(population, cell) of a source of spikes in NEURON's queue."""
        source = next(s for s in self.numbers.sources if s.gid == number) if is_gid else self.numbers.sources[number]
        if source.node >= 0:
            return self.session.cell_at_node(source.node)
        return self._owners[artificial_cell(source.node)][:2]

    def _find_connections(self):
        """The NetCons that lead to the same instance, in the order in which a run has them."""
        order = self.session.order_of_projections()
        leading = {}
        for number, (source, target) in enumerate(self.session.ends_of_netcons):
            if source is not None and target is not None:
                leading.setdefault(self._instance_of_target(target), []).append(
                    (order[source[0], target[0]], source[1], number))
        self._onto = {at: [number for _, _, number in sorted(found)] for at, found in leading.items()}

    def _instance_of_target(self, target):
        (population, mechanism), number = target
        if mechanism is None:
            return self._instances[population, number, population, 0]
        return self.type_of[mechanism], int(self.point_instance[population, mechanism][number])

    def connections_onto(self, type_, instance):
        """The numbers of the NetCons that are an instance's connections, in their order."""
        return self._onto.get((type_, int(instance)), [])

    def connection_of(self, netcon):
        """The number of a NetCon among those onto the same instance."""
        return self._onto[self._instance_of_target(self.session.ends_of_netcons[netcon][1])].index(netcon)

    def netcon_of(self, population, cell, mechanism, number, connection, weight):
        """The NetCon that is a connection of an instance, or one of its weight where they are alike."""
        onto = self.connections_onto(*self.instance_of(population, cell, mechanism, number))
        if connection < len(onto):
            return onto[connection]
        return next((n for n in onto if self.session.all_netcons[n].weight[0] == weight), -1)


def _offsets(shown, hidden, instances):
    """{name: where it is}; of hidden ones only where their sizes say that none was missed: behind them there are
    at most a voltage, a conductance and a time."""
    of_hidden = sum(size for _, size in hidden)
    left = instances.size - sum(size for _, size in shown) - of_hidden
    at, found = 0, {}
    for name, size in [*shown, *(hidden if 0 <= left <= 3 else [])]:
        for k in range(size):
            found.setdefault(name if size == 1 else f"{name}[{k}]", at + k)
        at += size
    return found


class CellNodes:
    """Which nodes of NEURON's a cell's compartments and ends of branches are."""

    def __init__(self, cell):
        tree = cell.tree
        self.cell = cell
        self.compartments = tree.nodes
        self.root, self.ends = tree.root, tree.ends

    def rows(self, used):
        """([number of v in a state] its node, [(node without one, the node beside it)]): what has no area and no use,
        and leads nowhere, is none. used: (branch, position) of ends that are used."""
        tree = self.cell.tree
        joints = [tree.joint(branch) for branch in range(len(tree.sections))]
        used = [joints[branch] if position == 0 else (branch, position) for branch, position in used]
        keeps_root = sum(above < 0 for above, _ in joints) > 1 or any(above < 0 for above, _ in used)
        keeps = np.zeros(len(joints), bool)  # at the end that leads on
        for above, at in joints + used:
            if above >= 0 and at == 1:
                keeps[above] = True
        rows = [[self.root]] if keeps_root else []
        idle = [] if keeps_root else [(self.root, self.compartments[0])]
        for branch, (first, last) in enumerate(zip(tree.first, tree.first[1:])):
            rows.append(self.compartments[first:last])
            if keeps[branch]:
                rows.append([self.ends[branch]])
            else:
                idle.append((self.ends[branch], self.compartments[last - 1]))
        return np.concatenate(rows, dtype=np.intc), np.array(idle, int).reshape(-1, 2)
