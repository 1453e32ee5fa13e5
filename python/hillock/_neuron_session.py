"""A session of NEURON becomes a model: its cells as they are cut, with every number that they have."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from ._document import is_short
from ._errors import Refused
from ._model import Model
from ._neuron_mechanisms import Mechanism, names_of, texts_of
from ._neuron_trees import Cell, Population

#: Cells that stand for whoever sent events by hoc, one an event.
EVENTS = "HillockEvent"
_events = f"""
NEURON {{ ARTIFICIAL_CELL {EVENTS} }}
NET_RECEIVE (w) {{ net_event(t) }}
"""


def model(duration: float | None = None, record: Sequence = ()) -> Model:
    """The model that is built in this process's session of NEURON, as it begins a run: with
    `h.stdinit()`, or `h.finitialize(h.v_init)` where stdrun.hoc is not loaded, which this calls, since
    only then the sizes of segments are settled.

    duration: ms; without one `h.tstop`. record: segments, `soma(0.5)`, whose voltages are recorded in
    every step, as "v0", "v1", … in their order; spikes of every cell that has a NetCon are recorded by
    population. Taken are sections with all mechanisms of .mod files, ions, point processes, artificial
    cells and NetCons; `h.dt`, `h.celsius`, `h.v_init` and `h.secondorder`. Not seen, since NEURON does
    not show them: `Vector.play`, gap junctions, hoc code that runs during a run.

    Raises Refused with all that cannot be taken, and what `hillock.load` raises.
    """
    from neuron import h

    if hasattr(h, "stdinit"):
        h.stdinit()
    else:
        h.finitialize(h.v_init)
    session = Session(h)
    session.check_begin()
    recordings = [{"name": f"v{i}", **session.place_of(segment), "variable": "v"}
                  for i, segment in enumerate(record)]
    tree = session.tree(h.tstop if duration is None else duration, recordings)
    if session.refused:
        raise Refused(session.refused)
    return Model(tree)


class Session:
    """What NEURON has: cells, points ({(population, mechanism): [(point process, cell, place)]}), artificial
    ({mechanism: [cell]}), all_netcons with ends_of_netcons: [((population, cell), ((population, list of points or
    None), number))], None where it has none. of_gids: [(node, threshold, gid)] of voltages that spikes are made of
    without a NetCon. gids, netcon_of: {(population, cell): …} of what makes spikes; refused: why it cannot be taken.
    """

    def __init__(self, h, of_gids=()):
        self.h = h
        self.refused = []
        self._texts = texts_of(h)
        self._mechanisms = {}
        self._check_method()
        self.cells = [Cell(h, root) for root in h.allsec() if root.parentseg() is None]
        self._cell_of = {section: cell for cell in self.cells for section in cell.tree.sections}
        self.all_netcons = list(h.List("NetCon"))
        # One without a target is there to record spikes; one that is off does nothing.
        self._netcons = [nc for nc in self.all_netcons if nc.syn() is None or nc.active()]
        self._find_detectors(of_gids)
        self.populations = self._sorted_cells()
        self._population_of = {id(cell): population for population in self.populations
                               for cell in population.cells}
        self.points = {}
        self._point_of = {}  # hoc name: (population's name, mechanism, number)
        self._ends = {}      # population's name: {(branch, position)} that something is at, of any of its cells
        self._find_points()
        self.artificial = {name: list(h.List(name)) for name, (_, is_cell) in self._texts.items()
                            if is_cell}
        self._artificial_of = {cell.hname(): (name, i) for name, cells in self.artificial.items()
                               for i, cell in enumerate(cells)}
        self._find_sources(of_gids)

    def refuse(self, reason):
        self.refused.append(reason)

    def _check_method(self):
        if self.h.CVode().active():
            self.refuse("CVode is active: steps are fixed here (h.cvode.active(False))")
        if self.h.secondorder == 1:
            self.refuse("secondorder is 1: 0 and 2 are integrators here")
        if self.h.List("LinearMechanism").count():
            self.refuse("LinearMechanism: there is none here")

    def check_begin(self):
        """An init() of the script's may go on after finitialize, to where no INITIAL leads."""
        h = self.h
        if h.t != 0:
            return self.refuse(f"init() of the script ends at t = {h.t:g} ms, and a run here begins at 0")
        states = {name: [state for state, _ in names_of(h, name, 3)] for name in self._texts}
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

    def mechanism(self, name):
        """The mechanism of that name; None, and a refusal, where NEURON has no text of it."""
        if name not in self._mechanisms:
            text = self._texts.get(name)
            if text is None:
                self.refuse(f"{name}: NEURON has no .mod text of it")
            self._mechanisms[name] = text and Mechanism(self.h, name, *text)
            if text:
                self.refused += self._mechanisms[name].problems
        return self._mechanisms[name]

    def _find_detectors(self, of_gids):
        for nc in self._netcons:
            segment = nc.preseg()
            if segment is not None:
                self._add_detector(nc.hname(), segment, nc.threshold)
        for node, threshold, gid in of_gids:
            self._add_detector(f"gid {gid}", self.segment_at(node), threshold)

    def _add_detector(self, what, segment, threshold):
        cell = self._cell_of[segment.sec]
        place = (*cell.tree.place(segment), threshold)
        if cell.spikes_at not in (None, place):
            self.refuse(f"{what}: the cell of {segment.sec} has another place or threshold of spikes, too")
        cell.spikes_at = place

    def segment_at(self, node):
        """The segment, or end of a section, that is a node of NEURON's."""
        if not hasattr(self, "_segments"):
            self._segments = {}
            for cell in self.cells:
                for section in cell.tree.sections:
                    for segment in section.allseg():
                        self._segments.setdefault(segment.node_index(), segment)
        return self._segments[node]

    def cell_at_node(self, node):
        """(population's name, cell) at a node of NEURON's."""
        population, number, _ = self._cell_at(self.segment_at(node))
        return population.name, number

    def order_of_projections(self):
        """{(source's population, target's (population, list of points)): the projection's number}"""
        pairs = [(source[0], target[0]) for source, target in self.ends_of_netcons if source and target]
        return {pair: i for i, pair in enumerate(dict.fromkeys(pairs))}

    def _find_sources(self, of_gids):
        self.gids, self.netcon_of = {}, {}
        self.ends_of_netcons = [(self._source_of(nc), self._target_of(nc))
                                if nc.syn() is None or nc.active() else (None, None) for nc in self.all_netcons]
        for node, _, gid in of_gids:
            self.gids[self.cell_at_node(node)] = gid
        for nc, (source, _) in zip(self.all_netcons, self.ends_of_netcons):
            if source is not None:
                self.netcon_of.setdefault(source, nc)

    def _sorted_cells(self):
        groups, taken = {}, set()
        for cell in self.cells:
            groups.setdefault(cell.key(), []).append(cell)
        populations = []
        for cells in groups.values():
            root = cells[0].tree.sections[0]
            owner = str(root.cell()) if root.cell() is not None else root.name()
            name = _unused(re.sub(r"[^A-Za-z0-9_-]", "_", owner.partition("[")[0]) or "cell", taken)
            populations.append(Population(name, cells))
        return populations

    def _cell_at(self, segment):
        """(population, number in it, cell) of a segment."""
        cell = self._cell_of[segment.sec]
        population = self._population_of[id(cell)]
        return population, population.index[id(cell)], cell

    def place_on_cell(self, segment):
        """(population's name, cell, branch, position), where something is from now on."""
        population, number, cell = self._cell_at(segment)
        return population.name, number, *self._used(population, cell, segment)

    def _find_points(self):
        for cell in self.cells:
            for section in cell.tree.sections:
                for segment in section.allseg():
                    for point in segment.point_processes():
                        if point.hname() not in self._point_of:  # an end is of two sections
                            self._add_point(point)

    def _add_point(self, point):
        segment = point.get_segment()
        population, number, cell = self._cell_at(segment)
        key = (population.name, point.hname().partition("[")[0])
        listed = self.points.setdefault(key, [])
        self._point_of[point.hname()] = (*key, len(listed))
        listed.append((point, number, self._used(population, cell, segment)))

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

    def place_of(self, segment):
        """Where it is, for a recording."""
        population, number, branch, position = self.place_on_cell(segment)
        names = self._cell_of[segment.sec].tree.names
        return {"of": f"{population}[{number}]", "at": f"{names[branch]}({position!r})",
                "type": "float64"}

    # The model.

    def tree(self, duration, recordings, sent_by_hoc=None, junctions=None, early=(), played=None):
        """The model as a dictionary. sent_by_hoc: of one as it stands, not as a run begins, [(NetCon's number, time)]
        of the events that each of its EVENTS stands for; junctions: what its points read of elsewhere; early:
        {(population, cell)} whose spikes come dt before their time, with delays so much longer; played:
        Played.entries."""
        h = self.h
        self._early, self._tabulated, self._played = early, {}, played or {}
        self._peers = junctions.peers if junctions else {}
        self._is_begun = sent_by_hoc is not None
        cells = {p.name: self._cable(p) for p in self.populations}
        populations = {p.name: {"cell": p.name, "size": len(p.cells)} for p in self.populations}
        for name, made in self.artificial.items():
            if made and self.mechanism(name):
                cells[name] = {"artificial": {name: self._parameters_of_cells(name, made)}}
                populations[name] = {"cell": name, "size": len(made)}
        points = {f"{population}_{name}": self._list_of_points(population, name, listed)
                  for (population, name), listed in self.points.items() if self.mechanism(name)}
        tree = {
            "hillock": 1,
            "run": {"duration": f"{duration!r} ms", "dt": f"{h.dt!r} ms",
                    "temperature": f"{h.celsius!r} degC", "v_init": f"{getattr(h, 'v_init', -65.0)!r} mV",
                    "integrator": "crank_nicolson" if h.secondorder == 2 else "backward_euler",
                    "spike_time": "grid"},
            "cells": cells, "populations": populations, "points": points,
            "projections": self._projections(sent_by_hoc or []) + self._junctions(junctions),
            "record": self._spike_recordings() + list(recordings)}
        tree["mechanisms"] = [self._file_of(name) for name, one in self._mechanisms.items() if one]
        if not populations:
            self.refuse("there are no cells")
        if sent_by_hoc:
            tree["mechanisms"].append({"file": _events.encode()})
            cells[EVENTS] = {"artificial": {EVENTS: {}}}
            populations[EVENTS] = {"cell": EVENTS, "size": len(sent_by_hoc)}
        return {key: value for key, value in tree.items() if value or key in ("hillock", "run")}

    def _file_of(self, name):
        mechanism = self._mechanisms[name]
        if self._is_begun and mechanism.draws:
            self.refuse(f"{name}: it draws random numbers of NEURON's own")
        entry = {"file": mechanism.code.encode(), "derivative": "neuron"}
        if mechanism.use_tables:
            entry["use_tables"] = True
        if name in self._peers:
            entry["peer"] = self._peers[name]
        for pointer in mechanism.pointers:
            if pointer != self._peers.get(name):
                self.refuse(f"{name}: what its POINTER {pointer} stands for is not known")
        return entry

    def _cable(self, population):
        one = population.cells[0]
        datasets = one.tree.compartments()
        regions = {"all": {"cm": _by_compartment(datasets, "cm", [c.tree.cm for c in population.cells])}}
        for name, branches in one.inserted.items():
            if name == "extracellular":
                self.refuse(f"extracellular, in {one.tree.sections[branches[0]]}: there is none here")
                continue
            settings = self._ion(population, name, datasets) if name.endswith("_ion") \
                else self._density(population, name, datasets)
            if settings is None:
                continue
            if len(branches) == len(one.tree.sections):
                _merge(regions["all"], settings)
            else:
                regions[f"with_{name}"] = {"of": [one.tree.names[b] for b in branches], **settings}
        cell = {"morphology": {"compartments": {"hdf5": datasets}}, "regions": regions}
        if one.spikes_at:
            branch, position, threshold = one.spikes_at
            cell["detector"] = {"at": f"{one.tree.names[branch]}({position!r})",
                                "threshold": f"{threshold!r} mV"}
        return cell

    def _density(self, population, name, datasets):
        mechanism = self.mechanism(name)
        if mechanism is None:
            return None
        values = {bare: self._read(population, name, full) for bare, full in mechanism.parameters}
        for bare in mechanism.tabulated:
            self._note_tabulated(name, bare, np.concatenate(values[bare]))
        for bare, number in mechanism.globals.items():
            values[bare] = [np.full(c.tree.first[-1], float(number)) for c in population.cells[:1]]
        return {name: {bare: _by_compartment(datasets, f"{name}/{bare}", numbers)
                       for bare, numbers in values.items()}}

    def _note_tabulated(self, name, bare, numbers):
        """NEURON has one table for all instances, of the numbers of whichever comes first."""
        numbers = numbers[~np.isnan(numbers)]
        if len(numbers) and np.any(numbers != self._tabulated.setdefault((name, bare), numbers[0])):
            self._tabulated[name, bare] = np.nan
            self.refuse(f"{name}: its TABLE is made with {bare}, which differs from place to place, and NEURON makes "
                        f"one for all (usetable_{name} = 0 computes each)")

    def _ion(self, population, name, datasets):
        """What is given of an ion: its reversal potential where nothing computes it, its
        concentrations where something reads them."""
        ion = name[:-len("_ion")]
        styles = set(population.cells[0].styles[name])
        settings = {}
        if len(styles) > 1:
            self.refuse(f"{name}: its ion_style differs from section to section of one cell")
        style = styles.pop()
        if style >> 3 & 3 == 1:
            settings["e"] = self._read(population, name, f"e{ion}")
        if style & 3:
            settings["inside"] = self._concentration(population, name, f"{ion}i", style)
            settings["outside"] = self._concentration(population, name, f"{ion}o", style)
        settings = {key: _by_compartment(datasets, f"{name}/{key}", numbers)
                    for key, numbers in settings.items()}
        return {"ions": {ion: settings}} if settings else None

    def _concentration(self, population, name, variable, style):
        """finitialize sets it to the global `nai0_na_ion` where the style says so."""
        if style & 4 and not self._is_begun:
            initial = getattr(self.h, f"{variable}0_{name}")
            return [np.full(population.cells[0].tree.first[-1], float(initial))]
        return self._read(population, name, variable)

    def _read(self, population, name, attribute):
        """[cell] of numbers by compartment, NaN where the mechanism is not."""
        made = []
        for cell in population.cells:
            numbers = np.full(cell.tree.first[-1], np.nan)
            for i in cell.compartments_of(name):
                numbers[i] = getattr(cell.tree.segments[i], attribute)
            made.append(numbers)
        return made

    def _parameters_of_cells(self, name, made):
        mechanism = self.mechanism(name)
        numbers = {bare: [getattr(cell, full) for cell in made] for bare, full in mechanism.parameters}
        if name == "NetStim" and any(cell.noise > 0 for cell in made):
            if not self._is_begun:
                self.refuse("NetStim with noise: it draws random numbers of NEURON's own")
            numbers["noise"] = [0.0] * len(made)
        if name == "NetStim":  # where spikes are given, the cells send none by themselves
            numbers["start"] = [-1.0 if cell.noise > 0 or ("NetStim", number) in self._early else cell.start
                                for number, cell in enumerate(made)]
        numbers.update({bare: [value] * len(made) for bare, value in mechanism.globals.items()})
        return {bare: {"csv": np.array(column, float)} for bare, column in numbers.items()}

    def _list_of_points(self, population, name, listed):
        mechanism = self.mechanism(name)
        columns = {"cell": [cell for _, cell, _ in listed],
                   "branch": [place[0] for _, _, place in listed],
                   "position": [place[1] for _, _, place in listed]}
        for bare, full in mechanism.parameters:
            columns[bare] = [getattr(point, full) for point, _, _ in listed]
            if bare in mechanism.tabulated:
                self._note_tabulated(name, bare, np.array(columns[bare]))
        for bare, number in mechanism.globals.items():
            columns[bare] = [number] * len(listed)
        columns = {key: np.array(column) for key, column in columns.items()}
        made = {"on": population, name: {}, "list": {"csv" if is_short(columns) else "hdf5": columns}}
        if (population, name) in self._played:
            made["play"] = self._played[population, name]
        return made

    def _projections(self, sent_by_hoc):
        groups = {}

        def add(nc, source, target, delay):
            groups.setdefault((source[0], target[0]), []).append(
                (source[1], target[1], delay, [nc.weight[i] for i in range(int(nc.wcnt()))]))

        for nc, (source, target) in zip(self.all_netcons, self.ends_of_netcons):
            if source is None and target is not None and not self._is_begun:
                self.refuse(f"{nc.hname()}: its source is neither a voltage nor an artificial cell")
            if source is None or target is None:
                continue
            if source in self._early:
                add(nc, source, target, nc.delay + self.h.dt)
                continue
            if self.is_short(nc) and source[0] in self.artificial:
                self.refuse(f"{nc.hname()}: its delay of {nc.delay:g} ms is shorter than dt, and its source, "
                            f"{nc.pre().hname()}, does not know its spikes before they are there")
            add(nc, source, target, nc.delay)
        for cell, (number, _) in enumerate(sent_by_hoc):
            add(self.all_netcons[number], (EVENTS, cell), self.ends_of_netcons[number][1], self.h.dt)
        return [self._projection(source, target, rows) for (source, target), rows in groups.items()]

    def is_short(self, nc):
        """Whether a spike may arrive within the step in which an artificial cell sends it."""
        return nc.delay < self.h.dt * (1 - 1e-9)

    def _source_of(self, nc):
        segment = nc.preseg()
        if segment is not None:
            population, number, _ = self._cell_at(segment)
            return population.name, number
        source = nc.pre()
        if source is not None and source.hname() not in self._artificial_of:
            self.refuse(f"{nc.hname()}: {source.hname()} is a point process that sends events")
            return None
        return self._artificial_of[source.hname()] if source is not None else None

    def _target_of(self, nc):
        """((population, list of points or None), number); None of a NetCon that only detects."""
        target = nc.syn()
        if target is None:
            return None
        if target.hname() in self._artificial_of:
            name, number = self._artificial_of[target.hname()]
            return (name, None), number
        population, name, number = self._point_of[target.hname()]
        return (population, name), number

    def _projection(self, source, target, rows):
        population, name = target
        mechanism = self.mechanism(name or population)
        rows_of = {"source": np.array([row[0] for row in rows]), "target": np.array([row[1] for row in rows]),
                   "weight": np.array([row[3][0] for row in rows], float),
                   "delay": np.array([row[2] for row in rows], float)}
        for i, argument in enumerate(mechanism.arguments if mechanism else ()):
            rows_of[argument] = np.array([row[3][i + 1] for row in rows], float)
        unit = mechanism.weight_unit if mechanism and mechanism.weight_unit != "1" else ""
        projection = {"from": source, "to": population, "connect": {"list": rows_of},
                      "weight": f"0 {unit}" if unit else 0, "delay": f"{self.h.dt!r} ms"}
        if name:
            projection["synapse"] = {"points": f"{population}_{name}"}
        return projection

    def _junctions(self, junctions):
        made = []
        for ((population, name), source, reads), rows in (junctions.rows if junctions else {}).items():
            columns = dict(zip(("target", "source", "branch", "position"), map(np.array, zip(*rows))))
            joined = {"points": f"{population}_{name}", "peer_at": "list"}
            if reads:
                joined["reads"] = reads
            made.append({"from": source, "to": population, "connect": {"list": columns}, "gap_junction": joined})
        return made

    def _spike_recordings(self):
        spiking = {p.name for p in self.populations if p.cells[0].spikes_at}
        if self._is_begun:  # whoever records them in NEURON is to hear of them
            spiking.update(name for name, _ in (*self.netcon_of, *self.gids) if name in self.artificial)
        return [{"name": f"spikes_{name}", "of": name} for name in sorted(spiking)]


def _number(segment, name):
    """A variable of a segment, of an array its numbers."""
    value = getattr(segment, name)
    return value if isinstance(value, float) else tuple(value)


def _by_compartment(datasets, name, of_cells):
    """Values by compartment: one row where all cells have the same."""
    if all(np.array_equal(numbers, of_cells[0], equal_nan=True) for numbers in of_cells):
        of_cells = of_cells[0]
    datasets[name] = np.array(of_cells)
    return {"hdf5": datasets, "compartments": f"/{name}"}


def _merge(region, settings):
    for key, value in settings.items():
        if key == "ions":
            region.setdefault("ions", {}).update(value)
        else:
            region[key] = value


def _unused(name, taken):
    new, number = name, 1
    while new in taken:
        number += 1
        new = f"{name}_{number}"
    taken.add(new)
    return new
