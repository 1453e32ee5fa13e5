"""What is in a session of NEURON: cells, points, artificial cells, NetCons, and who makes spikes."""

from __future__ import annotations

import math
import re
from operator import methodcaller

import numpy as np

from ._errors import Refused
from ._neuron_hand_over import CAPACITANCE
from ._neuron_mechanisms import Mechanism, asks_for_diameters, has_no_place, kinds_of, names_of
from ._neuron_stimuli import Stimuli
from ._neuron_trees import Cell, OfNodes, Population, find_inserted, name_of


#: Cells that stand for whoever sent events by hoc, one an event.
EVENTS = "HillockEvent"
#: Sources of spikes get numbers from here on where NEURON asks for them.
FIRST_OWN_GID = 2_000_000_000
#: Cells that stand for those of other ranks.
ELSEWHERE = "HillockElsewhere"
#: Cells that spike where a voltage of another one passes a threshold, beside its own spikes.
RELAY = "HillockRelay"
#: Unknowns of a wiring that are no voltages: cells of a population of that name.
WIRES = "HillockWire"
#: A threshold of cells that spike where a point of theirs says so, mV.
NEVER = 1000.0
_longest_name = 60
_longest_delay = 1e8  # of a model, ms
#: What a compartment may pass on to the next one in a step, by what its cell holds: with more nothing of the cell's
#: voltage would be left of sixteen digits. A compartment that holds next to nothing, as of myelin, follows the next one.
_most_stiff = 1e9


class Session:
    """What NEURON has: cells, points ({(population, mechanism): [(point process, cell, place)]}), nodes_of_points (in
    the same order), artificial ({mechanism: [cell]}), all_netcons with delays, in ms, are_active and ends_of_netcons:
    [((population, cell), ((population, list of points or None), number))], None where it has none. numbers: Numbers,
    where NEURON handed them over; then voltages with gids make spikes, too, and cells of one population may differ in
    their sections' names. gids, netcon_of: {(population, cell): …} of what makes spikes; apart: mechanisms of points that
    send events and have nothing to do with their place, each point a cell of a population of that name; relays: [cell of
    RELAY] (population, cell, branch, position, threshold, node) of further places of spikes; refused: why it cannot be
    taken.

    has_others: it is the part of one of several ranks. left_out: mechanisms that are none of it, looking_on:
    those of them that NEURON does not run. elsewhere: {gid: cell} of the others' that NetCons lead here from, cells of a
    population of their own; elsewhere_between: the cells among them that do not spike at the ends of steps. layers,
    held, wiring, guests, crossings: Layers, Held, Wiring, Guests and Crossings, or None. names: {type: mechanism} where
    there are Crossings.
    """

    def __init__(self, h, numbers=None, has_others=False, left_out=(), layers=None, held=None,
                 wiring=None, guests=None, crossings=None, names=None):
        self.h, self._least_delay = h, h.dt * (1 - 1e-9)
        self.layers, self.refused = layers, [*layers.problems] if layers else []
        self.held, self.wiring, self.guests, self.crossings = held, wiring, guests, crossings
        kinds = list(kinds_of(h))
        self._texts = {name: (code, is_cell) for name, code, _, is_cell in kinds if code}
        points = [name for name, _, is_point, is_cell in kinds if is_point and not is_cell]
        self.left_out, self.points_known = left_out, [name for name in points if name not in left_out]
        self.looking_on = {*left_out} - (guests.names if guests else set())
        self._mechanisms = {}
        self.stimuli = Stimuli(h)
        self._check_method()
        self._numbers = numbers
        self.has_others, self.elsewhere, self.elsewhere_between = has_others, {}, set()
        of_gids = [(source.node, source.threshold, source.gid) for source in numbers.sources
                   if source.gid >= 0 and source.node >= 0] if numbers else []
        of_nodes = OfNodes(numbers.area, numbers.at_nodes(CAPACITANCE, 0), numbers.resistance,
                           any(asks_for_diameters(code) for code, _ in self._texts.values())) if numbers else None
        roots = [section for section in h.allsec() if section.parentseg() is None]
        if numbers and len(numbers.area) != len(roots) + sum(section.nseg + 1 for section in h.allsec()):
            raise Refused(["a section has lost segments: its nseg was set in an event, which ended with an error of "
                           "NEURON's"])
        self.cells = [Cell(root, of_nodes, numbers.first_node(root) if numbers else 0) for root in roots]
        if numbers and self.cells:
            find_inserted(self.cells, numbers.inserted({*points, *left_out}))
        elif not numbers:
            for cell in self.cells:
                cell.ask_for_inserted(h)
        for cell in self.cells if layers else ():
            cell.surrounded = tuple(layers.of_branches(cell.tree))
        self._check_sizes()
        self._node_cells = None  # of _find_nodes()
        self._cell_of = {section: cell for cell in self.cells for section in cell.tree.sections}
        self.all_netcons = list(h.List("NetCon"))
        self._targets = list(map(methodcaller("syn"), self.all_netcons))
        self._segments_before = list(map(methodcaller("preseg"), self.all_netcons))
        self._names_before = [None if segment is not None or (source := nc.pre()) is None else source.hname()
                              for nc, segment in zip(self.all_netcons, self._segments_before)]
        # Of one from nothing to nothing NEURON cannot be asked for a delay.
        self.delays = [np.inf if target is segment is name is None else nc.delay for nc, target, segment, name in zip(
            self.all_netcons, self._targets, self._segments_before, self._names_before)]
        # One without a target is there to record spikes; one that is off may, and does nothing else.
        self.are_active = list(map(methodcaller("active"), self.all_netcons))
        self._are_used = [target is None or is_active for target, is_active in zip(self._targets, self.are_active)]
        recorders = set(self.recorders_now(numbers))
        self._detect = [is_used or number in recorders for number, is_used in enumerate(self._are_used)]
        for i in np.flatnonzero(~(np.array(self.delays) <= _longest_delay)).tolist():
            if self._are_used[i] and self._targets[i] is not None:
                self.refuse(f"{self.all_netcons[i].hname()}: its delay of {self.delays[i]:g} ms is more than "
                            f"{_longest_delay:g}")
        self.sending = set()  # mechanisms of points whose events somebody hears
        self.apart = set()
        self._ends = {}    # population's name: {(branch, position)} that something is at, of any of its cells
        self._relays = {}  # {id of cell: {(branch, position): (number, threshold, segment)}}
        self._find_senders()
        if crossings:
            crossings.take_cells(self, self._without_source(), names, numbers.instances)
            self.apart |= crossings.apart
        self._find_detectors(of_gids)
        self.populations = self._sorted_cells(is_named=numbers is None)
        self._population_of = {id(cell): population for population in self.populations
                               for cell in population.cells}
        self._between = {population.name for population in self.populations if population.cells[0].sends}
        self.relays = self._sorted_relays()
        self.points, self.nodes_of_points = {}, {}
        self._point_of = {}  # hoc name: (population's name, mechanism, number)
        self._find_points()
        self.stimuli.find_places(self)
        if crossings:
            crossings.find_places(self, numbers.instances)
        self.artificial = {name: list(h.List(name)) for name, (_, is_cell) in self._texts.items()
                            if is_cell}
        self._artificial_of = {cell.hname(): (name, i) for name, cells in self.artificial.items()
                               for i, cell in enumerate(cells)}
        self._find_sources(of_gids)
        if wiring:
            wiring.find_places(self)

    def renew(self, h, numbers, held):
        """It is as these numbers and Held have it, and nothing else has changed."""
        self._numbers, self.held = numbers, held
        for mechanism in self.mechanisms().values():
            mechanism.renew(h)

    def recorders_now(self, numbers):
        """The numbers of the NetCons that are off and at whose source's spikes something is recorded or called."""
        return [number for number, (nc, is_active) in enumerate(zip(self.all_netcons, self.are_active))
                if not is_active and (nc.get_recordvec() is not None or numbers and numbers.calls_at_spikes(nc))]

    def is_used(self, number):
        """Whether that NetCon is there for more than what its source has recorded."""
        return self._are_used[number]

    def without_state(self):
        """The mechanisms of sections that a run changes nothing of."""
        inserted = {name for population in self.populations for name in population.cells[0].inserted}
        known = [(name, self.mechanism(name)) for name in inserted if not name.endswith("_ion")]
        return [name for name, one in known
                if not one.states and not one.begun and {bare for bare, _ in one.parameters} <= {*one.constant}]

    def forget_sizes(self):
        """Nobody asks for them any more."""
        for cell in self.cells:
            cell.tree.forget_sizes()

    def let_go(self):
        """It holds none of hoc's objects any more, which are the script's to delete."""
        for some in (self.all_netcons, self._targets, self._segments_before, self.netcon_of, self.points,
                     self.artificial):
            some.clear()
        self.held = None

    def refuse(self, reason):
        self.refused.append(reason)

    def _check_method(self):
        if self.h.CVode().active():
            self.refuse("CVode is active: steps are fixed here (h.cvode.active(False))")
        if self.h.secondorder not in (0, 2):
            self.refuse(f"secondorder is {self.h.secondorder:g}: 0 and 2 are integrators here")
        if not self.wiring and any(one.valid() for one in self.h.List("LinearMechanism")):
            self.refuse("LinearMechanism: only sessions that run here have some")
        self.refused += self.stimuli.problems

    def _check_sizes(self):
        for cell in self.cells:
            tree = cell.tree
            if cell.surrounded and any(copies != 1 for copies in tree.copies):
                self.refuse(f"{tree.sections[0]}: a rallbranch that is not 1 beside extracellular layers")
            with np.errstate(divide="ignore", invalid="ignore"):
                stiff = self.h.dt / (tree.resistance * np.sum(tree.cm * tree.area) * 1e-5)
            for i in np.flatnonzero((stiff > _most_stiff) & (tree.cm > 0))[:1].tolist():
                self.refuse(f"{tree.segment(i)}: its area of {tree.area[i]:.3g} um2 and resistance of "
                            f"{tree.resistance[i]:.3g} MOhm are too small for steps of {self.h.dt:g} ms")

    def check_begin(self):
        """An init() of the script's may go on after finitialize, to where no INITIAL leads."""
        h = self.h
        if h.t != 0:
            return self.refuse(f"init() of the script ends at t = {h.t:g} ms, and a run here begins at 0")
        states = {name: [state for state, _ in names_of(h, name, 3)] for name in self._texts}
        states["extracellular"] = ["vext"]
        variables = [(segment, name) for cell in self.cells for section in cell.tree.sections
                     for segment in section
                     for name in ["v", *(state for mechanism in segment
                                         for state in states.get(mechanism.name(), ()))]]
        before = [_number(segment, name) for segment, name in variables]
        h.finitialize(h.v_init)
        for (segment, name), number in zip(variables, before):
            begins = _number(segment, name)
            if begins != number:
                return self.refuse(f"init() of the script changes what finitialize gives: {name} of {segment}")
            if name == "v" and begins != h.v_init:
                return self.refuse(f"{segment} begins at {begins:g} mV, not at v_init, which something of the "
                                   "script sets during finitialize")

    def text_of(self, name):
        """The .mod text that NEURON keeps; empty where it has none."""
        return self._texts.get(name, ("", False))[0]

    def mechanisms(self):
        """{name: Mechanism} of those that were asked for and have a text."""
        return {name: one for name, one in self._mechanisms.items() if one}

    def mechanism(self, name):
        """The mechanism of that name; None, and a refusal, where NEURON has no text of it."""
        if name not in self._mechanisms:
            text = self._texts.get(name)
            if text is None:
                self.refuse(f"{name}: NEURON has no .mod text of it{self._first_place(name)}")
            known, is_cell = text or ("", False)
            code = self.held.text(name, known) if text and self.held else known
            self._mechanisms[name] = text and Mechanism(self.h, name, code, is_cell, name in self.sending, known)
            if text:
                self.refused += [problem + self._first_place(name) for problem in self._mechanisms[name].problems]
        return self._mechanisms[name]

    def _first_place(self, name):
        """Of the first section that has the mechanism ", in NAME", which artificial cells are not in."""
        def has_it(section):
            points = (point.hname() for segment in section for point in segment.point_processes())
            return section.has_membrane(name) or any(point.startswith(f"{name}[") for point in points)

        return next((f", in {section}" for section in self.h.allsec() if has_it(section)), "")

    def _find_detectors(self, of_gids):
        """Those of NetCons and of gids; one that a session got to be handed over has no say once its NetCon is gone,
        and is taken from of_gids."""
        seen = set()
        # Of a cell's places the first is the one that NetCons without delay may have.
        order = np.argsort(np.array(self.delays) >= self._least_delay, kind="stable").tolist()
        for nc, segment, detects in ((self.all_netcons[n], self._segments_before[n], self._detect[n]) for n in order):
            if segment is not None and detects:
                detector = segment.sec, segment.x, nc.threshold
                if detector not in seen:
                    seen.add(detector)
                    self._add_detector(nc.hname(), segment, nc.threshold)
        used = []
        for node, threshold, gid in of_gids:
            segment = self.segment_at(node)
            if gid < FIRST_OWN_GID or self._is_detector(segment, threshold):
                self._add_detector(f"gid {gid}", segment, threshold)
                used.append((node, threshold, gid))
        of_gids[:] = used

    def _is_detector(self, segment, threshold):
        cell = self._cell_of[segment.sec]
        place = cell.tree.place(segment)
        relay = self._relays.get(id(cell), {}).get(place)
        return cell.spikes_at == (*place, threshold) or (relay is not None and relay[1] == threshold)

    def _add_detector(self, what, segment, threshold):
        cell = self._cell_of[segment.sec]
        place = (*cell.tree.place(segment), threshold)
        if cell.spikes_at in (None, place):
            cell.spikes_at = place
            return
        relays, count = self._relays.setdefault(id(cell), {}), sum(map(len, self._relays.values()))
        known = relays.setdefault(place[:2], (count, threshold, segment))
        if known[1] != threshold or (cell.spikes_at[:2] == place[:2] and not cell.sends):
            self.refuse(f"{what}: {segment} has another threshold of spikes, too")
        elif self.has_others:
            self.refuse(f"{what}: the cell of {segment.sec} has another place of spikes, too, on several ranks")
        elif self.layers:
            self.refuse(f"{what}: the cell of {segment.sec} has another place of spikes, too, beside extracellular "
                        "layers")

    def _find_senders(self):
        """Points that send events to others: such an event is a spike of the cell, whose only such point that is."""
        points = set(self.points_known)
        names = {name for name, detects in zip(self._names_before, self._detect) if name and detects}
        self.sending.update({name.partition("[")[0] for name in names} & points)
        if self._numbers:
            self.sending.update(self._numbers.points_with_gids() & points)
        self.apart = {name for name in self.sending if has_no_place(self.text_of(name))}
        for name in self.sending - self.apart:
            for point in self.h.List(name):
                segment = point.get_segment()
                if segment is not None and (cell := self._cell_of[segment.sec]).spikes_at is not None:
                    self.refuse(f"{point.hname()}: it sends events, and so does another point of its cell, that of "
                                f"{segment.sec}")
                elif segment is not None:
                    cell.spikes_at, cell.sends = (0, 0.5, NEVER), name

    def _without_source(self):
        """The NetCons that are used or record, and whose source is neither a voltage nor a cell or point."""
        return [nc for nc, segment, name, detects in zip(self.all_netcons, self._segments_before, self._names_before,
                                                         self._detect) if segment is name is None and detects]

    def take_watch(self, node, watcher):
        """A point at a node says when its cell spikes. False: something else does."""
        cell = self._cell_of[self.segment_at(node).sec]
        if cell.spikes_at is not None:
            return False
        cell.spikes_at, cell.sends = (0, 0.5, NEVER), watcher
        return True

    def segment_at(self, node):
        """The segment, or end of a section, that is a node of NEURON's."""
        if self._node_cells is None:
            self._find_nodes()
        if node in self._nodes_of_ends:
            tree, branch = self._nodes_of_ends[node]
            return tree.sections[0](1 if tree.flipped[0] else 0) if branch is None else tree.end(branch)
        return self.cells[self._node_cells[node]].tree.segment(int(self._node_compartments[node]))

    def _find_nodes(self):
        trees = [cell.tree for cell in self.cells]
        ends = {tree.root: (tree, None) for tree in trees}
        for tree in trees:
            for branch, node in enumerate(tree.ends.tolist()):
                ends.setdefault(node, (tree, branch))
        count = 1 + max(max(ends), *(tree.nodes.max() for tree in trees))
        self._node_cells, self._node_compartments = np.full((2, count), -1, np.intc)
        for cell, tree in enumerate(trees):
            self._node_cells[tree.nodes] = cell
            self._node_compartments[tree.nodes] = np.arange(len(tree.nodes))
        # Where a section joins the middle of another one, its end is a compartment.
        self._nodes_of_ends = {node: end for node, end in ends.items() if self._node_cells[node] < 0}

    def cell_at_node(self, node):
        """(population's name, cell) at a node of NEURON's."""
        return self._source_at(self.segment_at(node))

    def _source_at(self, segment):
        """(population's name, cell) of what spikes there."""
        population, number, cell = self.cell_at(segment)
        relay = self._relays.get(id(cell), {}).get(cell.tree.place(segment)) if self._relays else None
        return (RELAY, relay[0]) if relay else (population.name, number)

    def _sorted_relays(self):
        relays = [one for of_cell in self._relays.values() for one in of_cell.values()]
        return [(*self.place_on_cell(segment), threshold, self._cell_of[segment.sec].tree.node(segment))
                for _, threshold, segment in sorted(relays, key=lambda one: one[0])]

    def order_of_projections(self):
        """{(source's population, target's (population, list of points)): the projection's number}"""
        pairs = [(source[0], target[0]) for source, target in self.ends_of_netcons if source and target]
        return {pair: i for i, pair in enumerate(dict.fromkeys(pairs))}

    def _find_sources(self, of_gids):
        self.gids, self.netcon_of = {}, {}
        known = {}  # section, or name of a point or artificial cell: (population, cell)
        self.ends_of_netcons = [
            (self._source_of(nc, segment, name, known) if detects else None, self._target_of(target) if is_used else None)
            for nc, segment, name, target, is_used, detects in zip(
                self.all_netcons, self._segments_before, self._names_before, self._targets, self._are_used,
                self._detect)]
        for node, _, gid in of_gids:
            self.gids[self.cell_at_node(node)] = gid
        for one in self.crossings.used if self.crossings else ():
            if one.gid >= 0 and one.place:
                self.gids[one.place[:2]] = one.gid
        for nc, (source, _) in zip(self.all_netcons, self.ends_of_netcons):
            if source is not None:
                self.netcon_of.setdefault(source, nc)

    def _sorted_cells(self, is_named):
        groups, taken = {}, dict.fromkeys([*self._texts, EVENTS, ELSEWHERE, RELAY, WIRES], 1)
        for cell in self.cells:
            groups.setdefault(cell.key(is_named), []).append(cell)
        populations = []
        for cells in groups.values():
            root = cells[0].tree.sections[0]
            owner = str(root.cell()) if root.cell() is not None else name_of(root)
            name = re.sub(r"[^A-Za-z0-9_-]", "_", owner.partition("[")[0])[:_longest_name]
            name = _unused(name if re.match("[A-Za-z]", name) else f"cell{name}", taken)
            populations.append(Population(name, cells))
        return populations

    def cell_at(self, segment):
        """(population, number in it, cell) of a segment."""
        cell = self._cell_of[segment.sec]
        population = self._population_of[id(cell)]
        return population, population.index[id(cell)], cell

    def copies_at(self, segment):
        """For how many such places it stands (rallbranch)."""
        tree = self._cell_of[segment.sec].tree
        return tree.copies_at(*tree.place(segment))

    def copies_of_points(self, key):
        """[point] of a list for how many such points it stands; None where that is 1 of all."""
        cells = next((one.cells for one in self.populations if one.name == key[0]), ())
        copies = [cells[cell].tree.copies_at(*place) if cells else 1.0 for _, cell, place in self.points[key]]
        return copies if any(count != 1 for count in copies) else None

    def place_on_cell(self, segment):
        """(population's name, cell, branch, position), where something is from now on."""
        population, number, cell = self.cell_at(segment)
        return population.name, number, *self._used(population, cell, segment)

    def _find_points(self):
        numbers, found = {id(cell): number for number, cell in enumerate(self.cells)}, {}
        nodes, places = {}, {}  # (section, x): node; as place_on_cell() has it
        for name in self.points_known:
            for point in self.h.List(name):
                segment = point.get_segment()
                if segment is None:
                    continue
                at = segment.sec, segment.x
                if at not in nodes:
                    cell = self._cell_of[segment.sec]
                    nodes[at] = cell.tree.node(segment)
                    found.setdefault((numbers[id(cell)], *cell.tree.node_place(segment)), segment)
                if at not in places and name not in self.apart:
                    places[at] = self.place_on_cell(segment)
        for _, segment in sorted(found.items(), key=lambda one: one[0]):
            for point in segment.point_processes():
                own, hname = point.get_segment(), point.hname()
                at, name = (own.sec, own.x), hname.partition("[")[0]
                if name in self.apart:
                    cell = len(self.points.get((name, name), ()))
                    self._add_point(point, hname, name, nodes[at], name, cell, 0, 0.5)
                elif name not in self.left_out:
                    self._add_point(point, hname, name, nodes[at], *places[at])

    def _add_point(self, point, hname, mechanism, node, population, number, *place):
        key = population, mechanism
        listed = self.points.setdefault(key, [])
        self._point_of[hname] = (*key, len(listed))
        listed.append((point, number, place))
        self.nodes_of_points.setdefault(key, []).append(node)

    def sizes_apart(self):
        """{population: cells} of points that are apart."""
        return {name: len(self.points[name, name]) for name in sorted(self.apart) if (name, name) in self.points}

    def _used(self, population, cell, segment):
        """Its (branch, position), where something is."""
        place = cell.tree.place(segment)
        if place[1] in (0, 1):
            self._ends.setdefault(population.name, set()).add(place)
        return place

    def ends_used(self, population):
        """{(branch, position)} of the ends of branches at which something is: where that is so of one cell, all of a
        population have a number there."""
        return self._ends.get(population, set())

    def names_in(self, population):
        """[branch] of the cells of a population."""
        return next(one for one in self.populations if one.name == population).cells[0].tree.names

    def place_of(self, segment):
        """(population's name, cell, where on it), for a recording."""
        population, number, cell = self.cell_at(segment)
        branch, position = self._used(population, cell, segment)
        return population.name, number, f"{population.cells[0].tree.names[branch]}({position!r})"

    def threads_of_netcons(self, types):
        """[NetCon] which of NEURON's threads has it: its target's. types: {mechanism: type}."""
        numbers = self._numbers
        of_cells = {name: numbers.threads_of_artificial(types[name], len(made))
                    for name, made in self.artificial.items() if made}
        threads = []
        for target in self._targets:
            name = target.hname() if target is not None else None
            if name in self._artificial_of:
                made, number = self._artificial_of[name]
                threads.append(of_cells[made][number])
            elif name in self._point_of:
                cell = self._cell_of[target.get_segment().sec]
                threads.append(numbers.thread_of_cell(cell.tree.sections[0]))
            else:
                threads.append(0)
        return threads

    @property
    def lead(self):
        """How much before its time a spike is sent where it is known before and may arrive at once, ms: two steps or
        more, and a power of two, so that with a delay that is as much longer it arrives at the same time to the last
        bit."""
        return 2.0**math.ceil(math.log2(2 * self.h.dt))

    def is_short(self, number):
        """Whether a spike that a NetCon sends on may arrive within the step in which an artificial cell sends it."""
        return self.delays[number] < self._least_delay

    def _source_of(self, nc, segment, name, known):
        if segment is not None and self._relays:
            return self._source_at(segment)
        if segment is None and name is None and self.crossings and (one := self.crossings.of_netcon(nc)):
            return one.place and one.place[:2]
        if segment is None and name is None:
            return self._source_elsewhere(nc)
        source = name if segment is None else segment.sec
        if source not in known:
            known[source] = self._source_named(nc, name) if segment is None else self._source_at(segment)
        return known[source]

    def _source_elsewhere(self, nc):
        if not self.has_others or (gid := int(nc.srcgid())) < 0:
            return None
        if gid not in self.elsewhere and nc.get_recordvec() is not None:
            self.refuse(f"{nc.hname()}: it records spikes of another rank's gid {gid}")
        return ELSEWHERE, self.elsewhere.setdefault(gid, len(self.elsewhere))

    def _source_named(self, nc, name):
        kind = name.partition("[")[0]
        if kind in self.left_out:
            return None
        if name in self._artificial_of:
            return self._artificial_of[name]
        if kind in self.apart:
            population, _, number = self._point_of[name]
            return population, number
        population, number, _ = self.cell_at(nc.pre().get_segment())
        return population.name, number

    def is_on_grid(self, source):
        """Whether a (population, cell) spikes at the ends of steps alone."""
        if source[0] == ELSEWHERE:
            return source[1] not in self.elsewhere_between
        return not self.sends_events(source)

    def is_crossing(self, source):
        """Whether it spikes where a number of a mechanism passes a threshold."""
        return self.crossings is not None and self.crossings.has(source[0])

    def sends_events(self, source):
        """Whether it is an artificial cell here, or a cell with a point that says when it spikes."""
        name = source[0]
        return (name in self.artificial or name in self._between or name in self.apart) and not self.is_crossing(source)

    def target_of(self, number):
        """As in `ends_of_netcons`, of one that is not active, too."""
        return self.ends_of_netcons[number][1] if self._are_used[number] else self._target_of(self._targets[number])

    def _target_of(self, target):
        """((population, list of points or None), number); None of a NetCon that only detects."""
        if target is None:
            return None
        name = target.hname()
        if name in self._artificial_of:
            made, number = self._artificial_of[name]
            return (made, None), number
        if name not in self._point_of and name.partition("[")[0] in self.left_out:
            return None
        population, mechanism, number = self._point_of[name]
        return (population, mechanism), number


def _number(segment, name):
    """A variable of a segment, of an array its numbers."""
    value = getattr(segment, name)
    return value if isinstance(value, float) else tuple(value)


def _unused(name, taken):
    """taken: {name: the highest number behind it}"""
    new = name
    while new in taken:
        taken[name] += 1
        new = f"{name}_{taken[name]}"
    taken[new] = 1
    return new
