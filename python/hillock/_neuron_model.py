"""A session of NEURON becomes a model: its cells as they are cut, with every number that they have."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from ._errors import Refused, UsageError
from ._model import Model
from ._neuron_junctions import READER
from ._neuron_layers import Layers, is_used
from ._neuron_library import has_legacy_units
from ._neuron_mechanisms import ions_of, named_behind, number_of, without_comments
from ._neuron_own import text_of_given
from ._neuron_played import as_neuron_goes_on
from ._neuron_session import ELSEWHERE, EVENTS, NEVER, RELAY, WIRES, Session
from ._neuron_trees import MIXED
from ._neuron_turns import limits_of, read_before, with_changing, with_copies, without_limits, without_unit_of_weight

_events = f"""
NEURON {{ ARTIFICIAL_CELL {EVENTS} }}
NET_RECEIVE (w) {{ net_event(t) }}
"""

_reader = """
NEURON {{ POINT_PROCESS {name} NONSPECIFIC_CURRENT i POINTER peer }}
ASSIGNED {{ peer i }}
BREAKPOINT {{ i = 0 * peer }}
"""
_relay = f"""
NEURON {{ POINT_PROCESS {RELAY} RANGE threshold POINTER peer }}
PARAMETER {{ threshold = 0 (mV) }}
ASSIGNED {{ peer (mV) }}
INITIAL {{ net_send(0, 1) }}
NET_RECEIVE (w) {{
  if (flag == 1) {{ WATCH (peer > threshold) 2 }} else if (flag == 2) {{ net_event(t) }}
}}
"""
_most_mV = 1000  # that a model begins with
_most_spikes = 1e9  # of a NetStim, more than a run has
_most_steps_of_a_clock = 9e7  # that a model may have
_dot = {"morphology": {"branches": [{"name": "soma", "length": "20 um", "diameter": "20 um"}]},
        "regions": {"all": {"cm": "1 uF/cm2", "Ra": "100 ohm.cm"}}}
_elsewhere = {**_dot, "detector": {"at": "soma(0.5)", "threshold": "0 mV"}}
_ions = {"na", "k", "ca"}  # that models know without a mechanism
_apart = {**_dot, "detector": {"at": "soma(0.5)", "threshold": f"{NEVER!r} mV"}}


def model(duration: float | None = None, record: Sequence = ()) -> Model:
    """The model that is built in this process's session of NEURON, as it begins a run: with
    `h.stdinit()`, which this calls, since only then the sizes of segments are settled; stdrun.hoc is
    loaded for it.

    duration: ms; without one `h.tstop`. record: segments, `soma(0.5)`, whose voltages are recorded in
    every step, as "v0", "v1", … in their order; spikes of every cell that has a NetCon are recorded by
    population. Taken are sections with all mechanisms of .mod files, ions, point processes, artificial
    cells and NetCons; `h.dt`, `h.celsius`, `h.v_init` and `h.secondorder`. Not seen, since NEURON does
    not show them: `Vector.play`, gap junctions, hoc code that runs during a run.

    Raises Refused with all that cannot be taken, UsageError, and what `hillock.load` raises.
    """
    from neuron import h, nrn

    if duration is not None and not isinstance(duration, (int, float)):
        raise UsageError(f"duration: a number of ms is needed, not {duration!r}")
    if not isinstance(record, (list, tuple)) or not all(isinstance(one, nrn.Segment) for one in record):
        raise UsageError(f"record: a list of segments is needed, as [soma(0.5)], not {record!r}")
    h.load_file("stdrun.hoc")
    h.stdinit()
    session = Session(h, layers=Layers(h) if is_used(h) else None)
    session.check_begin()
    recordings = [{"name": f"v{i}", "of": f"{population}[{cell}]", "at": at, "type": "float64", "variable": "v"}
                  for i, (population, cell, at) in enumerate(map(session.place_of, record))]
    tree = ModelTree(session).tree(h.tstop if duration is None else duration, recordings)
    if session.refused:
        raise Refused(session.refused)
    return Model(tree)


class ModelTree:
    """Writes the model of a session; what cannot be is refused there.

    Of one as it stands, not as a run begins: places: its Places; sent_by_hoc: [(NetCon's number, time)] of the events
    that each of its EVENTS stands for; junctions: what its points read of elsewhere; early: Given.early, whose delays
    are so much longer; played: Played; elsewhere: Elsewhere, of several ranks; whole: Given.whole; is_known: Given.owns;
    delays: {NetCon's number: ms} of those that are others than NEURON's.
    """

    def __init__(self, session, places=None, sent_by_hoc=None, junctions=None, early=None, played=None, elsewhere=None,
                 whole=(), is_known=None, delays=None):
        self._session, self._places, self._junctions, self._elsewhere = session, places, junctions, elsewhere
        self._is_begun, self._sent_by_hoc = sent_by_hoc is not None, sent_by_hoc or []
        self._early, self._played = early or {}, played.entries if played else {}
        self._changing = played.variables if played else lambda name: set()
        self._whole, self._is_known, self._delays = whole, is_known, delays or {}
        self._outside = played.outside.fields() if played else ()
        self._stimuli = played.stimuli if played else []
        self._into_wiring = played.into_wiring if played else ()
        self._datasets = {}  # population: those of its compartments
        self._peers = junctions.peers if junctions else {}
        self._direct = junctions.direct if junctions else {}
        self._tabulated = {}  # (mechanism, parameter): the number of the first place
        self._copied = set()  # points' mechanisms of which some stand for several
        self._signed = set()  # those onto which some weights are below 0, as no conductance of a model's may be
        self._beyond = set()  # those of whose numbers some are beyond the limits that their texts have
        self._placed = set()  # mechanisms whose of_last_place is that of one place, so far
        tables = [(name, one) for (_, name), entries in self._played.items() for one in entries]
        for name, one in tables + [(one["play"]["mechanism"], one["play"]) for one in self._stimuli]:
            self._note_limits(session.mechanism(name), {one["variable"]: one["hdf5"]["value"]})

    def tree(self, duration, recordings):
        """The model as a dictionary. duration: ms."""
        h, session, self._until = self._session.h, self._session, duration
        cells = {p.name: self._cable(p) for p in session.populations}
        populations = {p.name: {"cell": p.name, "size": len(p.cells)} for p in session.populations}
        for name, count in session.sizes_apart().items():
            cells[name], populations[name] = _apart, {"cell": name, "size": count}
        for name, made in session.artificial.items():
            if made and session.mechanism(name):
                cells[name] = {"artificial": {name: self._parameters_of_cells(name, made)}}
                populations[name] = {"cell": name, "size": len(made)}
        points = {f"{population}_{name}": self._list_of_points(population, name, listed)
                  for (population, name), listed in self._points() if session.mechanism(name)}
        tree = {
            "hillock": 1,
            "run": {"duration": f"{duration!r} ms", "dt": f"{h.dt!r} ms",
                    "temperature": f"{h.celsius!r} degC", "v_init": f"{self._v_init()!r} mV",
                    "integrator": "crank_nicolson" if h.secondorder == 2 else "backward_euler",
                    "spike_time": "grid", "constants": "legacy" if has_legacy_units() else "codata2018"},
            "cells": cells, "populations": populations, "points": points,
            "projections": self._projections() + self._joined_points(), "stimuli": self._fields() + self._stimuli,
            "record": self._spike_recordings() + list(recordings)}
        if duration / h.dt < _most_steps_of_a_clock:
            tree["run"]["clock"] = {"step": round(h.t / h.dt), "at": f"{h.t!r} ms"}
        tree["mechanisms"] = [self._file_of(*one) for one in session.mechanisms().items()]
        if self._elsewhere and self._elsewhere.count:
            self._add_elsewhere(tree)
        if self._junctions and self._junctions.seers:
            self._add_seers(tree)
        if session.guests:
            session.guests.add_to(tree)
        if session.crossings:
            session.crossings.add_to(tree, self._places, self._is_known)
        if session.relays:
            self._add_relays(tree)
        session.stimuli.add_to(tree)
        if session.wiring:
            if count := len(session.wiring.wires):
                cells[WIRES], populations[WIRES] = _dot, {"cell": WIRES, "size": count}
            tree["wiring"] = session.wiring.entry(self._into_wiring)
        if not populations:
            session.refuse("there are no cells")
        if self._sent_by_hoc:
            tree["mechanisms"].append({"file": _events.encode()})
            cells[EVENTS] = {"artificial": {EVENTS: {}}}
            populations[EVENTS] = {"cell": EVENTS, "size": len(self._sent_by_hoc)}
        _leave_out_ions(tree)
        return {key: value for key, value in tree.items() if value or key in ("hillock", "run")}

    def _v_init(self):
        """Which is nobody's where a run goes on from a state: some scripts have 1e4 there to say that they have set the
        voltages."""
        v_init = getattr(self._session.h, "v_init", -65.0)
        return -65.0 if self._is_begun and abs(v_init) > _most_mV else v_init

    def _points(self):
        """Those of the session; where POINTERs join them, in the order in which NEURON evaluates them."""
        points = list(self._session.points.items())
        if self._direct:
            order = list(self._places.numbers.instances)
            points.sort(key=lambda one: order.index(self._places.type_of[one[0][1]]))
        return points

    def _add_elsewhere(self, tree):
        tree["cells"][ELSEWHERE] = _elsewhere
        tree["populations"][ELSEWHERE] = {"cell": ELSEWHERE, "size": self._elsewhere.count}
        if readers := self._junctions.readers:
            columns = {"cell": np.array(readers), "branch": np.zeros(len(readers), int),
                       "position": np.full(len(readers), 0.5)}
            tree["points"][f"{ELSEWHERE}_{READER}"] = {"on": ELSEWHERE, READER: {}, "list": {"hdf5": columns}}
            tree["mechanisms"].append(_entry_of_reader(READER))

    def _add_seers(self, tree):
        for (population, name), points in self._junctions.seers.items():
            cells, branches, positions, _ = map(np.array, zip(*points))
            columns = {"cell": cells, "branch": branches, "position": positions}
            tree["points"][f"{population}_{name}"] = {"on": population, name: {}, "list": {"hdf5": columns}}
        tree["mechanisms"] += map(_entry_of_reader, sorted({name for _, name in self._junctions.seers}))

    def _add_relays(self, tree):
        of_populations, count = {}, len(self._session.relays)
        for number, (population, *place, _, _) in enumerate(self._session.relays):
            of_populations.setdefault(population, []).append((number, *place))
        thresholds = np.array([one[4] for one in self._session.relays])
        tree["cells"][RELAY], tree["populations"][RELAY] = _apart, {"cell": RELAY, "size": count}
        tree["points"][RELAY] = {"on": RELAY, RELAY: {}, "list": {"hdf5": {
            "cell": np.arange(count), "branch": np.zeros(count, int), "position": np.full(count, 0.5),
            "threshold": thresholds}}}
        for population, rows in of_populations.items():
            columns = dict(zip(("target", "source", "branch", "position"), map(np.array, zip(*rows))))
            tree["projections"].append({"from": population, "to": RELAY, "connect": {"list": columns},
                                        "gap_junction": {"points": RELAY, "peer_at": "list"}})
        tree["record"].append({"name": f"spikes_{RELAY}", "of": RELAY})
        tree["mechanisms"].append({"file": _relay.encode(), "derivative": "neuron", "peer": "peer"})

    def _file_of(self, name, mechanism):
        if name in self._whole:
            return {"file": text_of_given(name, name in self._session.artificial).encode()}
        code = mechanism.code
        if self._places and name in self._places.of_last:
            code = self._places.of_last[name].text
        for of, pointer in self._junctions.before if self._junctions else ():
            if of == name:
                code = read_before(code, pointer)
        if name in self._copied:
            code = with_copies(code)
        if changing := sorted(self._changing(name) & {*mechanism.held} - {*mechanism.begun}):
            code = with_changing(code, changing)
        if name in self._signed:
            code = without_unit_of_weight(code)
        if name in self._beyond:
            code = without_limits(code)
        entry = {"file": code.encode(), "derivative": "neuron"}
        if self._session.held and (tables := self._session.held.scalars.tables(name, self._rows_seen)):
            entry["tables"] = tables
        if mechanism.use_tables:
            entry["use_tables"] = True
        if mechanism.tables:
            entry["tables"] = {**mechanism.tables, **entry.get("tables", {})}
        if name in self._peers:
            entry["peer"] = self._peers[name]
        direct = {pointer for (_, of), known in self._direct.items() if of == name for pointer in known}
        for pointer in mechanism.pointers:
            if pointer != self._peers.get(name) and pointer not in direct:
                self._session.refuse(f"{name}: what its POINTER {pointer} stands for is not known")
        return entry

    def _rows_seen(self, times, values):
        """What a run sees of a Vector that is played."""
        times, values = as_neuron_goes_on(times, values, self._until)
        first = max(0, np.searchsorted(times, self._session.h.t - self._session.h.dt) - 1)
        last = np.searchsorted(times, self._until + self._session.h.dt) + 2
        return times[first:last], values[first:last]

    def _cable(self, population):
        one = population.cells[0]
        datasets = population.compartments()
        cm = (np.array([cell.tree.cm for cell in some]) for some in population.parts())
        regions = {"all": {"cm": _by_compartment(datasets, "cm", cm, population)}}
        keeps_order = any(of == population.name for of, _ in self._direct)
        for name, branches in one.inserted.items():  # in the order in which NEURON evaluates them
            parts = self._ion(population, name, datasets) if name.endswith("_ion") \
                else [(branches, self._density(population, name, datasets))]
            for number, (some, settings) in enumerate(parts):
                if settings is None:
                    continue
                if len(some) == len(one.tree.sections) and not (keeps_order and "ions" not in settings):
                    _merge(regions["all"], settings)
                else:
                    region = f"with_{name}" + (f"_{number}" if len(parts) > 1 else "")
                    regions[region] = {"of": [one.tree.names[b] for b in some], **settings}
        if one.surrounded:
            settings = {"extracellular": self._layers(population, datasets)}
            regions["surrounded"] = {"of": [one.tree.names[b] for b in one.surrounded], **settings}
        self._datasets[population.name] = datasets
        cell = {"morphology": {"compartments": {"hdf5": datasets}}, "regions": regions}
        if one.spikes_at:
            branch, position, threshold = one.spikes_at
            cell["detector"] = {"at": f"{one.tree.names[branch]}({position!r})",
                                "threshold": f"{threshold!r} mV"}
        return cell

    def _layers(self, population, datasets):
        """From the membrane outwards."""
        of = self._session.layers
        return [{name: _by_compartment(datasets, f"extracellular/{name}/{layer}", (of.rows(some, name, layer)
                                                                     for some in population.parts()), population)
                 for name in ("xraxial", "xg", "xc")} for layer in range(of.count)]

    def _fields(self):
        """What is outside of layers, of each population what stays, and of cells what Vectors play."""
        fields = []
        for population in self._session.populations:
            datasets, name = self._datasets[population.name], population.name
            if population.cells[0].surrounded:
                outside = map(self._session.layers.outside, population.parts())
                potential = _by_compartment(datasets, "extracellular/outside", outside, population)
                if np.any(datasets["extracellular/outside"]):
                    fields.append({"to": name, "field": {"potential": potential}})
            for number, (_, cell, factors, times, values) in enumerate(
                    one for one in self._outside if one[0] == name):
                row = np.zeros(population.cells[0].tree.first[-1])
                row[list(factors)] = list(factors.values())
                datasets[f"extracellular/played/{number}"] = row
                fields.append({"to": f"{name}[{cell}:{cell + 1}]", "field": {
                    "potential": {"hdf5": datasets, "compartments": f"/extracellular/played/{number}"},
                    "waveform": {"csv": {"time": times, "value": values}}}})
        return fields

    def _density(self, population, name, datasets):
        mechanism = self._session.mechanism(name)
        if mechanism is None:
            return None
        if any(cell.tree.copies[b] != 1 for cell in population.cells for b in cell.inserted[name]):
            self._check_copies(mechanism)
        self._note_places(mechanism, sum(len(cell.compartments_of(name)) for cell in population.cells))
        values = {bare: self._read(population, name, full, bare) for bare, full in mechanism.parameters}
        for bare in mechanism.tabulated:
            values[bare] = list(values[bare])
            if self._note_tabulated(mechanism, bare, np.concatenate(values[bare]).ravel()):
                values[bare] = _everywhere(population, self._of_first_instance(name, bare))
        values.update((bare, _everywhere(population, number)) for bare, number in mechanism.globals.items())
        if self._session.held:
            values.update(self._of_randoms(population, name))
        settings = {bare: _by_compartment(datasets, f"{name}/{bare}", numbers, population)
                    for bare, numbers in values.items()}
        self._note_limits(mechanism, {bare: datasets[f"{name}/{bare}"] for bare in settings})
        return {name: settings | self._direct.get((population.name, name), {})}

    def _note_limits(self, mechanism, columns):
        """Whether some of {parameter: numbers} are beyond the limits that its text has, which NEURON has for panels."""
        for name, (least, most) in limits_of(mechanism.code).items():
            for bare, numbers in columns.items():
                if bare.partition("[")[0] == name and np.any((numbers < least) | (numbers > most)):
                    self._beyond.add(mechanism.name)

    def _of_randoms(self, population, name):
        """As _read(), of what a mechanism's RANDOMs have for all of a run."""
        nodes = [np.concatenate([cell.tree.nodes for cell in some]) for some in population.parts()]
        at = [self._places.instances_at(name, some) for some in nodes]
        of_parts = [self._session.held.owned.given(name, some[some >= 0]) for some in at]
        count = population.cells[0].tree.first[-1]
        for bare in of_parts[0]:
            rows = [np.full(len(some), np.nan) for some in at]
            for row, some, given in zip(rows, at, of_parts):
                row[some >= 0] = given[bare]
            yield bare, [row.reshape(-1, count) for row in rows]

    def _check_copies(self, mechanism, is_other=False):
        """What stands for several at a place has sizes that are no single one's."""
        if is_other or re.search(r"\b(area|LONGITUDINAL_DIFFUSION)\b", without_comments(mechanism.code)):
            self._session.refuse(f"{mechanism.name}: it asks for area, diffuses, writes an ion's current or returns from "
                                 "its blocks, where rallbranch is not 1")

    def _note_places(self, mechanism, count):
        """What is one for all places can be computed of one alone."""
        if not mechanism.of_last_place or count == 0 or self._places and mechanism.name in self._places.of_last:
            return
        if count > 1 or mechanism.name in self._placed:
            self._session.refuse(f"{mechanism.name}: NEURON has one {mechanism.of_last_place[0]} for all places, which "
                                 "is read where it is what another place has computed (in RANGE, each has its own)")
        self._placed.add(mechanism.name)

    def _note_tabulated(self, mechanism, bare, numbers):
        """NEURON has one table for all instances: whether it is made with the number of its first one; refuses where
        that may be of whichever came first."""
        name = mechanism.name
        if bare in mechanism.of_first and self._places:
            return True
        numbers = numbers[~np.isnan(numbers)]
        if len(numbers) and np.any(numbers != self._tabulated.setdefault((name, bare), numbers[0])):
            self._tabulated[name, bare] = np.nan
            self._session.refuse(f"{name}: its TABLE is made with {bare}, which differs from place to place, and "
                                 f"NEURON makes one for all (usetable_{name} = 0 computes each)")
        return False

    def _of_first_instance(self, name, bare):
        return float(self._places.numbers_of(name, bare)[0])

    def _ion(self, population, name, datasets):
        """[(branches, settings)] of each ion_style: where NEURON computes a reversal potential that a concentration may
        change, `nernst`, else what it is; concentrations where something reads them."""
        ion, one = name[:-len("_ion")], population.cells[0]
        parts = []
        for style in sorted(set(one.styles[name])):
            if style == MIXED:
                self._session.refuse(f"{name}: its style differs within a section, as a point's place has another one, "
                                     f"in {one.tree.sections[one.inserted[name][one.styles[name].index(style)]]}")
                continue
            branches = [b for b, its in zip(one.inserted[name], one.styles[name]) if its == style]
            by_finitialize, by_steps, is_state = style & 32, style & 64, style & 3 == 3
            follows = by_steps or by_finitialize and not is_state and not self._is_begun
            numbers = {}
            if style & 3 or follows:
                numbers["inside"] = list(self._concentration(population, name, f"{ion}i", style))
                numbers["outside"] = list(self._concentration(population, name, f"{ion}o", style))
                is_empty = any(np.any(part <= 0) for part in numbers["inside"] + numbers["outside"])
                follows = follows and (is_state or not is_empty)  # else its potential is 1e6 mV and stays so
            if not follows:
                numbers["e"] = self._read(population, name, f"e{ion}", f"e{ion}")
            of = name if not parts else f"{name}_{len(parts)}"
            settings = {key: _by_compartment(datasets, f"{of}/{key}", given, population)
                        for key, given in numbers.items()}
            if follows:
                settings["reversal"] = "nernst"
            parts.append((branches, {"ions": {ion: settings}}))
        return parts

    def _concentration(self, population, name, variable, style):
        """finitialize sets it to the global `nai0_na_ion` where the style says so."""
        if style & 4 and not self._is_begun:
            initial = getattr(self._session.h, f"{variable}0_{name}")
            return _everywhere(population, initial)
        return self._read(population, name, variable, variable)

    def _read(self, population, name, attribute, bare=None):
        """[cell, compartment] part by part (Population.parts), NaN where the mechanism is not. bare: the name in its
        .mod file."""
        offset = self._places.offset(name, bare) if self._places and bare else None
        of = self._places.numbers.instances[self._places.type_of[name]] if offset is not None else None
        for some in population.parts():
            numbers = np.full((len(some), some[0].tree.first[-1]), np.nan)
            if of:
                at = of.at(np.concatenate([cell.tree.nodes for cell in some])).reshape(numbers.shape)
                numbers[at >= 0] = of.data[at[at >= 0], offset]
            else:
                for row, cell in zip(numbers, some):
                    for i in cell.compartments_of(name):
                        row[i] = number_of(cell.tree.segment(int(i)), attribute)
            yield numbers

    def _parameters_of_cells(self, name, made):
        mechanism = self._session.mechanism(name)
        self._note_places(mechanism, len(made))
        if name in self._whole:
            return {}
        numbers = {bare: [number_of(cell, full) for cell in made] for bare, full in mechanism.parameters}
        if name == "NetStim" and any(cell.noise > 0 for cell in made):
            if not self._is_begun:
                self._session.refuse("NetStim with noise: it draws random numbers of NEURON's own")
            numbers["noise"] = [0.0] * len(made)
        if name == "NetStim":  # where spikes are given, the cells send none by themselves
            numbers["number"] = np.minimum(numbers["number"], _most_spikes)
            numbers["start"] = [-1.0 if cell.noise > 0 or ("NetStim", number) in self._early else cell.start
                                for number, cell in enumerate(made)]
        if mechanism.plays and not self._is_begun:
            self._session.refuse(f"{name}: the Vector that it plays is NEURON's own")
        numbers.update({bare: [value] * len(made) for bare, value in mechanism.globals.items()})
        if self._session.held:
            numbers.update(self._session.held.parameters(name, made))
            numbers.update(self._session.held.owned.given(name, self._places.instances_of_cells[name]))
        columns = {bare: np.array(column, float) for bare, column in numbers.items()}
        self._note_limits(mechanism, columns)
        return {bare: {"csv": column} for bare, column in columns.items()}

    def _list_of_points(self, population, name, listed):
        mechanism = self._session.mechanism(name)
        self._note_places(mechanism, len(listed))
        columns = {"cell": [cell for _, cell, _ in listed],
                   "branch": [place[0] for _, _, place in listed],
                   "position": [place[1] for _, _, place in listed]}
        is_whole = name in self._whole
        for bare, full in mechanism.parameters if not is_whole else ():
            if bare == self._peers.get(name):  # which is another's voltage in every step
                continue
            if self._places and self._places.offset(name, bare) is not None:
                columns[bare] = self._places.numbers_of(name, bare)[self._places.point_instance[population, name]]
            else:
                columns[bare] = [number_of(point, full) for point, _, _ in listed]
            if bare in mechanism.tabulated and self._note_tabulated(mechanism, bare, np.array(columns[bare])):
                columns[bare] = [self._of_first_instance(name, bare)] * len(listed)
        for bare, number in mechanism.globals.items() if not is_whole else ():
            columns[bare] = [number] * len(listed)
        if self._session.held and not is_whole:
            columns.update(self._session.held.parameters(name, [point for point, _, _ in listed]))
            columns.update(self._session.held.owned.given(name, self._places.point_instance[population, name]))
        if copies := self._session.copies_of_points((population, name)):
            self._copied.add(name)
            columns["hillock_copies"] = copies
            self._check_copies(mechanism, bool(re.search(r"\breturn\b", mechanism.code)) or any(
                one.startswith("i") for one in named_behind(mechanism.code, "WRITE")))
        columns = {key: np.array(column) for key, column in columns.items()}
        self._note_limits(mechanism, columns)
        made = {"on": population, name: self._direct.get((population, name), {}), "list": {"hdf5": columns}}
        if (population, name) in self._played:
            made["play"] = self._played[population, name]
        return made

    def _projections(self):
        groups, session = {}, self._session

        def add(number, source, target, delay):
            groups.setdefault((source[0], target[0]), []).append((number, source[1], target[1], delay))

        for number, (source, target) in enumerate(session.ends_of_netcons):
            if source is None and target is not None and not self._is_begun:
                session.refuse(f"{session.all_netcons[number].hname()}: its source is neither a voltage nor an "
                               "artificial cell")
            if source is None or target is None:
                continue
            lead = self._early.get(source, 0.0)
            is_crossing = session.is_crossing(source)
            if not lead and session.is_short(number) and (
                    session.sends_events(source) or source[0] == RELAY or is_crossing):
                nc = session.all_netcons[number]
                named = "a number of a mechanism" if is_crossing else nc.preseg() or nc.pre().hname()
                session.refuse(f"{nc.hname()}: its delay of {nc.delay:g} ms is shorter than dt, and its source, "
                               f"{named}, " + (
                                   "is not the only place of spikes of its cell" if source[0] == RELAY else
                                   "does not know its spikes before they are there"))
            delay = self._delays.get(number, session.delays[number])
            add(number, source, target, delay + lead)
        for cell, (number, _) in enumerate(self._sent_by_hoc):
            add(number, (EVENTS, cell), session.target_of(number), session.lead)
        for (_, (_, name)), rows in groups.items():
            if name and np.any(self._numbers_of(np.array([number for number, *_ in rows]), 0) < 0):
                self._signed.add(name)
        return [self._projection(source, target, rows) for (source, target), rows in groups.items()]

    def _projection(self, source, target, rows):
        """rows: [connection] (the NetCon's number, source cell, target, delay)"""
        population, name = target
        mechanism = self._session.mechanism(name or population)
        numbers, cells, targets, delays = map(np.array, zip(*rows))
        columns = ["weight", *(mechanism.arguments if mechanism else ())]
        rows_of = {"source": cells, "target": targets, "delay": delays,
                   **{column: self._numbers_of(numbers, i) for i, column in enumerate(columns)}}
        has_unit = mechanism and mechanism.weight_unit != "1" and name not in self._signed
        unit = mechanism.weight_unit if has_unit else ""
        projection = {"from": source, "to": population, "connect": {"list": rows_of},
                      "weight": f"0 {unit}" if unit else 0, "delay": f"{self._session.h.dt!r} ms"}
        if name:
            projection["synapse"] = {"points": f"{population}_{name}"}
        return projection

    def _numbers_of(self, netcons, which):
        """One of the numbers that each of some NetCons keeps, its weight the first."""
        if self._places:
            return self._places.numbers.weights[self._places.first_weight[netcons] + which]
        return np.array([self._session.all_netcons[n].weight[which] for n in netcons])

    def _joined_points(self):
        made = []
        for ((population, name), source, reads), rows in (self._junctions.rows if self._junctions else {}).items():
            columns = dict(zip(("target", "source", "branch", "position"), map(np.array, zip(*rows))))
            joined = {"points": f"{population}_{name}", "peer_at": "list"}
            if reads:
                joined["reads"] = reads
            made.append({"from": source, "to": population, "connect": {"list": columns}, "gap_junction": joined})
        return made

    def _spike_recordings(self):
        session = self._session
        spiking = {*(p.name for p in session.populations if p.cells[0].spikes_at), *session.sizes_apart()}
        if self._is_begun:  # whoever records them in NEURON is to hear of them
            spiking.update(name for name, _ in (*session.netcon_of, *session.gids) if name in session.artificial)
        return [{"name": f"spikes_{name}", "of": name} for name in sorted(spiking)]


def _entry_of_reader(name):
    return {"file": _reader.format(name=name).encode(), "derivative": "neuron", "peer": "peer"}


def _everywhere(population, number):
    """What _read() gives of one number."""
    return [np.full((1, population.cells[0].tree.first[-1]), float(number))]


def _by_compartment(datasets, name, numbers, population):
    """Values by compartment of the population's cells, as _read() gives them."""
    datasets[name] = population.one_row(numbers)
    return {"hdf5": datasets, "compartments": f"/{name}"}


def _leave_out_ions(tree):
    """Those that no mechanism uses: where the last one has been taken out of a section, NEURON keeps its ions."""
    known = _ions.union(*(ions_of(one["file"].decode()) for one in tree["mechanisms"]))
    for cell in tree["cells"].values():
        regions = cell.get("regions", {})
        for name, region in list(regions.items()):
            for ion in region.get("ions", {}).keys() - known:
                del region["ions"][ion]
            if region.keys() == {"of", "ions"} and not region["ions"]:
                del regions[name]


def _merge(region, settings):
    for key, value in settings.items():
        if key == "ions":
            region.setdefault("ions", {}).update(value)
        else:
            region[key] = value
