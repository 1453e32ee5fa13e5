"""The state of a run from NEURON's numbers, and back to them."""

from __future__ import annotations

import numpy as np

from ._errors import Refused
from ._neuron_library import VOLTAGE
from ._neuron_mechanisms import OF_GIVEN, flags_of_watches, is_counted, named_behind
from ._neuron_session import ELSEWHERE, RELAY, WIRES


class State:
    """The state of a run, from NEURON's numbers and back to them.

    known: {population: {column: (numbers, [cell] how many)}} of a run that begins; above: nodes that are above a
    threshold of theirs; watches: as the hand-over has them; junctions: Junctions; cells_elsewhere: how many there are;
    draws_begin: Drawn.begins.
    columns: {population: {column: …}} of what NEURON has. sending: [(population, column)] of what instances that sent
    themselves something await. fires: [(population, cell)] that NEURON would see spike when it begins the next step; a
    run has seen it.
    """

    def __init__(self, places, known, above, watches, junctions, cells_elsewhere, draws_begin):
        self._places, self._known, self._above = places, known, set(above)
        self._draws_begin = draws_begin
        self._sizes = {p.name: len(p.cells) for p in places.session.populations} | places.session.sizes_apart()
        self._sizes.update({name: len(made) for name, made in places.session.artificial.items()})
        self._sizes[ELSEWHERE] = cells_elsewhere
        if places.session.relays:
            self._sizes[RELAY] = len(places.session.relays)
        wiring = places.session.wiring
        if wiring and wiring.wires:
            self._sizes[WIRES] = len(wiring.wires)
        self.sending = [(population, column) for population in self._sizes for column in known.get(population, ())
                        if column.endswith("/awaited")]
        self.fires = []
        self._spots = {}  # population: [cell] the node whose voltage crosses the threshold
        self._junctions, self._crossings = junctions, places.session.crossings
        self._watches, self._ranks, self._watching = watches, {}, []
        self._arguments = {}  # (population, column): which of the weights
        self._idle = []  # nodes that are not in the state, and those beside them
        self._parts = []  # (population, column, type, instances, offset)
        self._potentials, self._idle_potentials = [], []  # (population, layer, [row] pointer), {node: pointer}
        self._points = {}  # population: [(mechanism, instances)]
        for (population, mechanism), instances in places.point_instance.items():
            self._points.setdefault(population, []).append((mechanism, instances))
        self._globals = []  # (population, column, the last place's, mechanism, name) of what is one for all
        self._counted = {}  # (mechanism, name) of what is one for all and each adds to: [(population, column)]
        self._held = []  # (population, mechanism, points) of what Held has states of
        self._owned, self._of_randoms = places.session.held.owned, []  # the same of Owned, with instances
        self.columns = {population.name: self._of_cells(population) for population in places.session.populations}
        for name in places.session.sizes_apart():
            columns = self.columns.setdefault(name, {})
            self._add_points(columns, name, self._known[name])
            if self._crossings:
                self._crossings.add_columns(columns, name, self._known[name])
        if places.session.relays:
            self.columns[RELAY] = self._of_relays(known[RELAY])
        if WIRES in self._sizes:
            self.columns[WIRES] = {"v": (wiring.values(), known[WIRES]["v"][1])}
        for name, made in places.session.artificial.items():
            if made:
                self.columns[name] = self._of_artificial(name, len(made))
        del self._known  # may be as large as the columns

    def take_columns(self):
        """The columns, which nobody asks for again."""
        columns, self.columns = self.columns, None
        return columns

    def cells_of(self, population):
        """How many."""
        return self._sizes[population]

    def keeps_arguments(self, population, mechanism):
        """Whether connections onto it keep numbers, or all of one weight are alike."""
        return (population, f"{mechanism}/arguments") in self._arguments

    def _of_cells(self, population):
        places = self._places
        names = self._known[population.name]
        nodes = [places.cells[id(cell)] for cell in population.cells]
        columns = {}
        rows = np.concatenate([self._rows(population, one, names["v"][1][number])
                               for number, one in enumerate(nodes)])
        self._add(columns, population.name, "v", names["v"], VOLTAGE, rows, 0)
        self._add_potentials(columns, population, names, rows)
        for name in population.cells[0].inserted:
            if name.endswith("_ion"):
                self._add_ion(columns, population.name, names, name, rows, places.instances_at(name, rows))
                continue
            those = np.concatenate([one.compartments[one.cell.compartments_of(name)] for one in nodes])
            self._add_variables(columns, population.name, names, name, places.instances_at(name, those),
                                places.session.mechanism(name).constant)
        self._add_points(columns, population.name, names)
        if self._crossings:
            self._crossings.add_columns(columns, population.name, names)
        for (owner, name), points in self._junctions.seers.items():
            if owner == population.name:
                seen = [value for _, *_, value in sorted(points, key=lambda one: one[0])]  # stable
                columns[f"{name}/vgap"] = np.array(seen), names[f"{name}/vgap"][1]
        if population.cells[0].spikes_at:
            branch, position, threshold = population.cells[0].spikes_at
            spots = np.array([self._node_at(one, branch, position) for one in nodes])
            self._spots[population.name] = spots
            known = np.array([node in self._above for node in spots.tolist()])
            is_above = places.numbers.v[spots] > threshold
            self.fires += [(population.name, int(cell)) for cell in np.flatnonzero(is_above & ~known)]
            columns["above"] = (known | is_above).astype(np.uint64).view(np.float64), names["above"][1]
        return columns

    def _of_relays(self, names):
        """What each is: one WATCH, active."""
        relays, column = self._places.session.relays, f"{RELAY}/watch"
        numbers = np.zeros((len(relays), 4))
        counts = numbers.view(np.uint64)
        counts[:, 0], numbers[:, 2] = 1, 2.0
        counts[:, 1] = [one[-1] in self._above for one in relays]
        if numbers.size != len(names[column][0]):
            raise RuntimeError(f"{numbers.size} numbers of WATCHes, where there are {len(names[column][0])}")
        seen, nodes = f"{RELAY}/vgap", [one[-1] for one in relays]
        return {column: (numbers.ravel(), names[column][1]),
                seen: (self._places.numbers.v[nodes], names[seen][1])}

    def _add_points(self, columns, owner, names):
        for name, instances in self._points.get(owner, ()):
            listed = self._places.session.points[owner, name]
            order = np.argsort([cell for _, cell, _ in listed], kind="stable")
            self._add_variables(columns, owner, names, name, instances[order], points=[listed[i][0] for i in order])
            if (owner, name) in self._junctions.values:
                self._add_read_elsewhere(columns, owner, names, name, instances, order)
            self._add_arguments(columns, owner, names, name, instances[order])
            self._add_watches(columns, owner, names, name, instances[order], sorted(cell for _, cell, _ in listed))

    def _add_read_elsewhere(self, columns, population, names, mechanism, instances, order):
        """What points read by gap junctions; with a POINTER NEURON keeps no number of its own."""
        now, column = self._junctions.values[population, mechanism], f"{mechanism}/vgap"
        columns[column] = np.array([now[point] for point in order.tolist()]), names[column][1]
        offset = self._places.offset(mechanism, self._junctions.peers[mechanism])
        if offset is not None:
            self._parts.append((population, column, self._places.type_of[mechanism], instances[order], offset))

    def _add_potentials(self, columns, population, names, rows):
        """Those in extracellular layers, 0 where there are none."""
        layers = self._places.session.layers
        if not population.cells[0].surrounded:
            return
        pointers = layers.potentials(population.cells)
        self._idle_potentials.append(pointers)
        for layer in range(layers.count):
            of = [pointers.get(node) for node in rows.tolist()]
            numbers = np.array([pointer[layer] if pointer else 0.0 for pointer in of])
            columns[f"vext[{layer}]"] = numbers, names[f"vext[{layer}]"][1]
            self._potentials.append((population.name, layer, of))

    def _give_potentials(self, of_populations, idle):
        for population, layer, pointers in self._potentials:
            for pointer, mV in zip(pointers, of_populations[population][f"vext[{layer}]"][0].tolist()):
                if pointer:
                    pointer[layer] = mV
        for pointers in self._idle_potentials:
            for node, beside in idle:
                if node in pointers and beside in pointers:
                    for layer in range(self._places.session.layers.count):
                        pointers[node][layer] = pointers[beside][layer]

    def _rows(self, population, nodes, count):
        used = self._places.session.ends_used(population.name)
        spot = nodes.cell.spikes_at
        rows, idle = nodes.rows([*used, *([spot[:2]] if spot else [])])
        self._idle.append(idle)
        if len(rows) != count:
            raise RuntimeError(f"{len(rows)} nodes of a cell of {population.name}, where there are {count}")
        return rows

    def _node_at(self, nodes, branch, position):
        tree = nodes.cell.tree
        if position == 0:
            branch, position = tree.joint(branch)
        if branch < 0:
            return nodes.root
        if position == 1:
            return int(nodes.ends[branch])
        count = tree.first[branch + 1] - tree.first[branch]
        return int(nodes.compartments[tree.first[branch] + min(int(position * count), count - 1)])

    def _of_artificial(self, name, count):
        columns = {}
        names, instances = self._known.get(name, {}), self._places.instances_of_cells[name]
        self._add_variables(columns, name, names, name, instances, points=self._places.session.artificial[name])
        self._add_arguments(columns, name, names, name, instances)
        self._add_watches(columns, name, names, name, instances, range(count))
        return columns

    def _add_variables(self, columns, population, names, mechanism, instances, constant=(), points=()):
        """constant: variables that are the model's, whatever a run does; points: hoc's objects of the instances."""
        places = self._places
        held = places.session.held.states(mechanism, points)
        if held:
            columns.update({f"{mechanism}/{bare}": (numbers, names[f"{mechanism}/{bare}"][1])
                            for bare, numbers in held.items()})
            self._held.append((population, mechanism, points, [*held]))
        if owned := self._owned.states(mechanism, instances):
            columns.update({f"{mechanism}/{bare}": (numbers, names[f"{mechanism}/{bare}"][1])
                            for bare, numbers in owned.items()})
            self._of_randoms.append((population, mechanism, instances, [*owned]))
            held = {**held, **owned}
        known_of = places.session.mechanism(mechanism)
        of_all = known_of.kept_globals
        states = set(known_of.states) - set(of_all)
        follows = set() if self._junctions.has_targets() else set(known_of.assigned) - set(known_of.begun)
        # How many it drew is nobody's: NEURON has a stream. Of what is given to a run, that has no states.
        missing = sorted(state for state in states - {"_draws", *held} if f"{mechanism}/{state}" in names
                         and places.offset(mechanism, state) is None)
        if missing:
            raise Refused([f"{mechanism}: its {', '.join(missing)} cannot be found among NEURON's numbers"])
        # What it reads of ions is the model's; NEURON has it there from the last time that it was read.
        of_ions = named_behind(places.session.text_of(mechanism), "READ", "WRITE") - states
        prefix = f"{mechanism}/"
        for column, known in names.items():
            if not column.startswith(prefix) or len(known[0]) != len(instances):
                continue
            bare = column[len(prefix):]
            offset = places.offset(mechanism, bare)
            if bare in held:
                continue
            if bare == "_draws" and mechanism in self._draws_begin:
                columns[column] = self._draws_begin[mechanism][instances], known[1]
            elif bare in of_all:
                columns[column] = np.full(len(instances), of_all[bare]), known[1]
                last = int(np.argmax(instances))
                if is_counted(known_of.code, bare):
                    self._counted.setdefault((mechanism, bare), []).append((population, column))
                elif instances[last] == places.numbers.instances[places.type_of[mechanism]].count - 1:
                    self._globals.append((population, column, last, mechanism, bare))
            elif offset is not None and bare not in of_ions | follows and bare not in constant:
                self._add(columns, population, column, known, places.type_of[mechanism], instances, offset)

    def _add_arguments(self, columns, population, names, mechanism, instances):
        """What connections keep, the weight among it."""
        column, places = f"{mechanism}/arguments", self._places
        if column not in names:
            return
        type_ = places.type_of[mechanism]
        at = [number for instance in instances for netcon in places.connections_onto(type_, instance)
              for number in range(places.first_weight[netcon], places.first_weight[netcon + 1])]
        if len(at) != len(names[column][0]):
            raise RuntimeError(f"{len(at)} arguments of {mechanism}, where there are {len(names[column][0])}")
        columns[column] = places.numbers.weights[at], names[column][1]
        self._arguments[population, column] = at

    def _add_watches(self, columns, population, names, mechanism, instances, cells):
        """Which WATCHes are active: of each instance two sets, then flag and rank of each."""
        column, places = f"{mechanism}/watch", self._places
        if column not in names:
            return
        type_, code = places.type_of[mechanism], places.session.text_of(mechanism)
        flags = flags_of_watches(code)
        first = places.hand_over.pointers_of(type_) - ("FOR_NETCONS" in code) - len(flags) - 1
        numbers = np.zeros((len(instances), 2 + 2 * len(flags)))
        counts = numbers.view(np.uint64)
        at = {int(instance): k for k, instance in enumerate(instances)}
        for of, instance, place, holds in self._watches:
            if of != type_ or instance not in at:
                continue
            k, n = at[instance], place - first - 1
            if not 0 <= n < len(flags) or np.isnan(flags[n]):
                raise Refused([f"{mechanism}: a WATCH whose flag is no number, or that NEURON keeps where it is not "
                               "known here"])
            rank = self._ranks[population, cells[k]] = self._ranks.get((population, cells[k]), -1) + 1
            counts[k, 0] |= np.uint64(1 << n)
            counts[k, 1] |= np.uint64(holds << n)
            numbers[k, 2 + 2 * n], counts[k, 3 + 2 * n] = flags[n], rank
        if numbers.size != len(names[column][0]):
            raise RuntimeError(f"{numbers.size} numbers of WATCHes of {mechanism}, where there are "
                               f"{len(names[column][0])}")
        columns[column] = numbers.ravel(), names[column][1]
        self._watching.append((population, column, type_, first, instances))

    def _put_watches(self, of_populations):
        """NEURON's are those of the run."""
        if not self._watching:
            return
        places = self._places
        active = {}
        for population, column, type_, first, instances in self._watching:
            listed = active.setdefault((type_, first), [[] for _ in range(places.numbers.instances[type_].count)])
            numbers = of_populations[population][column][0].reshape(len(instances), -1)
            counts = numbers.view(np.uint64)
            for k, instance in enumerate(instances):
                some = [(int(counts[k, 3 + 2 * n]), first + 1 + n, bool(int(counts[k, 1]) >> n & 1))
                        for n in range(numbers.shape[1] // 2 - 1) if int(counts[k, 0]) >> n & 1]
                listed[instance] = [(place, holds) for _, place, holds in sorted(some)]
        places.hand_over.clear_watches()
        for (type_, first), listed in active.items():
            places.numbers.put_watches(type_, first, listed)

    def _add_ion(self, columns, population, names, ion, rows, instances):
        for offset, what in enumerate(("reversal", "inside", "outside", "current")):
            column = f"ion/{ion[:-len('_ion')]}/{what}"
            if column in names and len(names[column][0]) == len(rows):
                self._add(columns, population, column, names[column], self._places.type_of[ion], instances, offset)

    def _add(self, columns, population, column, known, type_, instances, offset):
        """instances: [number], -1 where NEURON has none; of VOLTAGE nodes. What is assigned is not given back where no
        other mechanism reads it: NEURON's next step assigns it."""
        numbers = self._places.numbers
        source = numbers.v[:, None] if type_ == VOLTAGE else numbers.instances[type_].data
        there = instances >= 0
        if np.all(there):
            columns[column] = source[instances, offset], known[1]
        else:
            columns[column] = np.where(there, source[instances, offset], known[0]), known[1]
        name, _, bare = column.partition("/")
        mechanism = self._places.session.mechanism(name) if type_ > 0 and not name.startswith("ion") else None
        assigned = () if not mechanism or self._junctions.has_targets() else mechanism.assigned
        if not mechanism or bare not in (*assigned, *OF_GIVEN.get(name, ())):
            self._parts.append((population, column, type_, np.asarray(instances, np.intc), offset))

    def covered(self):
        """{type: [instance, number] whether a run has it in its state}"""
        masks = {}
        for _, _, type_, instances, offset in self._parts:
            if type_ != VOLTAGE:
                shape = self._places.numbers.instances[type_].data.shape
                masks.setdefault(type_, np.zeros(shape, bool))[instances[instances >= 0], offset] = True
        return masks

    def weights(self):
        """Which of the weights a run has in its state."""
        return [number for at in self._arguments.values() for number in at]

    def _potential_of(self, node, layer):
        """In a layer, of 0 inside, as NEURON has it now."""
        pointer = next((pointers[node] for pointers in self._idle_potentials if node in pointers), None)
        if layer > 0:
            return pointer[layer - 1]
        return self._places.numbers.v[node] + (pointer[0] if pointer else 0.0)

    def give_back(self, of_populations, fired):
        """NEURON's numbers become the run's. of_populations: {population: {column: …}}; fired: (population, cell) of
        those that NEURON will see spike."""
        places, numbers = self._places, self._places.numbers
        changed, above = {}, []
        for population, spots in self._spots.items():
            is_above = of_populations[population]["above"][0].view(np.uint64) > 0
            above += [int(node) for cell, node in enumerate(spots)
                      if is_above[cell] and (population, cell) not in fired]
        if places.session.relays:
            held = of_populations[RELAY][f"{RELAY}/watch"][0].view(np.uint64).reshape(-1, 4)[:, 1]
            above += [one[-1] for one, holds in zip(places.session.relays, held.tolist()) if holds]
        if self._crossings:
            self._crossings.give_back(of_populations)
        for population, column, type_, instances, offset in self._parts:
            target = numbers.v[:, None] if type_ == VOLTAGE else numbers.instances[type_].data
            there = instances >= 0
            target[instances[there], offset] = of_populations[population][column][0][there]
            changed[type_] = target
        for (population, column), at in self._arguments.items():
            numbers.weights[at] = of_populations[population][column][0]
        self._put_watches(of_populations)
        if self._arguments:
            numbers.put_weights()
        for type_, target in changed.items():
            if type_ != VOLTAGE:
                numbers.put(type_, target)
        for population, column, last, mechanism, bare in self._globals:
            number = float(of_populations[population][column][0][last])
            places.session.mechanism(mechanism).put_global(places.h, bare, number)
        for (mechanism, bare), added in self._counted.items():
            begun = places.session.mechanism(mechanism).kept_globals[bare]
            number = begun + sum(float(np.sum(of_populations[population][column][0] - begun))
                                 for population, column in added)
            places.session.mechanism(mechanism).put_global(places.h, bare, number)
        for population, mechanism, points, names in self._held:
            places.session.held.put(mechanism, points, {
                bare: of_populations[population][f"{mechanism}/{bare}"][0] for bare in names})
        for population, mechanism, instances, names in self._of_randoms:
            self._owned.put(mechanism, instances, {
                bare: of_populations[population][f"{mechanism}/{bare}"][0] for bare in names})
        self._owned.give_back(numbers, places.type_of)
        idle = np.concatenate(self._idle or [np.empty((0, 2), int)])
        numbers.v[idle[:, 0]] = numbers.v[idle[:, 1]]
        numbers.put(VOLTAGE, numbers.v)
        self._give_potentials(of_populations, idle.tolist())
        if places.session.wiring:
            values = of_populations[WIRES]["v"][0] if WIRES in self._sizes else np.empty(0)
            places.session.wiring.give_back(values, self._potential_of)
        numbers.put_above(above)
