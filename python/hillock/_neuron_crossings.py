"""Sources of spikes that are numbers of mechanisms, `NetCon(&point.x, target)`: a point beside each watches it."""

from __future__ import annotations

import ctypes

import numpy as np

from ._neuron_library import library
from ._neuron_mechanisms import has_no_place
from ._neuron_queue import LATE

#: Points that watch are called so, with what they watch.
WATCHES = "HillockWatches"
_text = """
NEURON {{ POINT_PROCESS {name} RANGE threshold POINTER peer }}
PARAMETER {{ threshold = 0 }}
ASSIGNED {{ peer }}
INITIAL {{ net_send(0, 1) }}
NET_RECEIVE (w) {{
  if (flag == 1) {{ WATCH (peer > threshold) 2 }} else if (flag == 2) {{ net_event(t + {late!r}) }}
}}
"""
_flag = 2.0
_bytes_of_number = 32


class _Found(ctypes.Structure):
    _fields_ = [("source", ctypes.c_void_p), ("threshold", ctypes.c_double), ("type", ctypes.c_int),
                ("index", ctypes.c_int), ("gid", ctypes.c_int), ("is_above", ctypes.c_int)]


class Crossing:
    """One that is there. source: by which NEURON knows it; type, index: as POINTERs have them, of its number; gid:
    negative without one; is_above: whether NEURON found it above its threshold when it last looked; mechanism, node:
    where it is; place: (population, cell, branch, position) of what watches it; watcher: the name of that."""

    def __init__(self, found):
        self.source, self.threshold, self.gid = found.source, found.threshold, found.gid
        self.type, self.index, self.is_above = found.type, found.index, bool(found.is_above)
        self.mechanism = self.watcher = self.node = self.place = None


class Crossings:
    """Those of a session, where NEURON's numbers lie as it hands them over. problems: why it cannot be taken; apart:
    mechanisms of points that are cells of their own, as of Session, and spike by this."""

    def __init__(self, h):
        self._h, self.problems, self._all, self._kept = h, [], [], None
        self.apart = set()
        self._of_source, self.used, self._populations = {}, [], set()
        if int(h.ParallelContext().nthread()) > 1:  # NEURON looks at each thread's by itself
            if names := number_sources(h):
                self.problems.append(f"{names[0]}: its source is a number that is no voltage, on several threads of "
                                     "NEURON's")
        elif source := _some_source(h):
            self._find(source[0])

    def _find(self, source):
        found = ctypes.POINTER(_Found)()
        count = library().hillock_crossings(ctypes.c_void_p(source), ctypes.byref(found))
        if count < 0:
            raise RuntimeError("this NEURON keeps sources of spikes in another way than is known")
        self._all = [Crossing(found[i]) for i in range(count)]
        library().hillock_free(found)
        self._of_source = {one.source: one for one in self._all}

    def __bool__(self):
        return bool(self._all)

    def _sources(self):
        return (ctypes.c_void_p * len(self._all))(*(one.source for one in self._all))

    def detach(self):
        """NEURON does not see them until attach()."""
        if self._all:
            self._kept = ctypes.create_string_buffer(_bytes_of_number * len(self._all))
            library().hillock_hide_sources(self._sources(), ctypes.c_size_t(len(self._all)), self._kept)

    def attach(self):
        """It does again, and knows what is_above has."""
        if self._kept is not None:
            flags = (ctypes.c_int * len(self._all))(*(one.is_above for one in self._all))
            library().hillock_show_sources(self._sources(), ctypes.c_size_t(len(self._all)), self._kept, flags)
            self._kept = None

    def of_netcon(self, netcon):
        """That which is a NetCon's source, or None."""
        return self._of_source.get(library().hillock_source_of(ctypes.c_void_p(netcon.hocobjptr())))

    # What a session is told of them.

    def take_cells(self, session, netcons, names, instances):
        """They are the spikes of cells that have no others: of the points themselves, where these are apart. netcons:
        those that are used, and may have one as their source; names, instances: of mechanisms, by type."""
        heard = {id(one) for netcon in netcons if (one := self.of_netcon(netcon))}
        self.used = [one for one in self._all if one.gid >= 0 or id(one) in heard]
        seen = set()
        for one in self.used:
            of = instances.get(one.type)
            what = f"NetCon: its source, a number of {names.get(one.type, 'nothing that is handed over')},"
            if of is None or of.nodes is None:
                session.refuse(f"{what} is no voltage, and none of a mechanism on a cell")
                continue
            one.mechanism, (instance, offset) = names[one.type], divmod(one.index, of.size)
            one.node, one.watcher = int(of.nodes[instance]), f"{WATCHES}_{one.mechanism}_{offset}"
            is_apart = one.mechanism in session.points_known and has_no_place(session.text_of(one.mechanism))
            if one.mechanism in session.left_out:
                session.refuse(f"{what} is none of what runs here")
            elif is_apart and (one.mechanism in session.sending or (one.type, instance) in seen):
                session.refuse(f"{what} is not the only one of its point")
            elif is_apart:
                self.apart.add(one.mechanism)
            elif one.mechanism in session.points_known and np.count_nonzero(of.nodes == one.node) > 1:
                session.refuse(f"{what} is of one of several points at {session.segment_at(one.node)}")
            elif not session.take_watch(one.node, one.watcher):
                session.refuse(f"{what} is not the only place of spikes of the cell of "
                               f"{session.segment_at(one.node).sec}")
            seen.add((one.type, instance))

    def find_places(self, session, instances):
        """Now that populations are known."""
        for name in self.apart:
            nodes = np.array(session.nodes_of_points[name, name])
            order = np.argsort(nodes, kind="stable").tolist()  # as NEURON has its instances
            for one in self.used:
                if one.mechanism == name:
                    one.place = name, order[one.index // instances[one.type].size], 0, 0.5
        for one in self.used:
            if one.node is not None and one.place is None:
                one.place = session.place_on_cell(session.segment_at(one.node))
        self._populations = {one.place[0] for one in self.used if one.place}

    def has(self, population):
        """Whether cells of a population spike by one."""
        return population in self._populations

    # What is of them in a model, its state, and back.

    def groups(self):
        """{(population, watcher): [Crossing]}, by their cells."""
        groups = {}
        for one in sorted(self.used, key=lambda one: one.place[1]):
            groups.setdefault((one.place[0], one.watcher), []).append(one)
        return groups

    def add_to(self, tree, places, is_known):
        """is_known: whether (type, instance) is known before the run."""
        for (population, watcher), crossings in self.groups().items():
            one = crossings[0]
            bare = places.named(one.mechanism, one.index % places.numbers.instances[one.type].size)
            if bare is None:
                places.session.refuse(f"NetCon: its source, a number of {one.mechanism}, is none of its variables")
                continue
            size = places.numbers.instances[one.type].size
            if any(is_known(other.type, other.index // size) for other in crossings):
                places.session.refuse(f"NetCon: its source, {bare} of {one.mechanism}, is known before the run")
            reads = bare if one.mechanism.endswith("_ion") else f"{one.mechanism}.{bare}"
            cells, branches, positions = (np.array([other.place[k] for other in crossings]) for k in (1, 2, 3))
            columns = {"cell": cells, "branch": branches, "position": positions,
                       "threshold": np.array([other.threshold for other in crossings])}
            tree["points"][f"{population}_{watcher}"] = {"on": population, watcher: {"peer": reads},
                                                         "list": {"hdf5": columns}}
        tree["mechanisms"] += [{"file": _text.format(name=name, late=LATE).encode(), "derivative": "neuron"}
                               for name in sorted({name for _, name in self.groups()})]

    def add_columns(self, columns, population, names):
        """Each has one WATCH, active."""
        for (of, watcher), crossings in self.groups().items():
            if of == population:
                numbers = np.zeros((len(crossings), 4))
                counts = numbers.view(np.uint64)
                counts[:, 0], numbers[:, 2] = 1, _flag
                counts[:, 1] = [one.is_above for one in crossings]
                column = f"{watcher}/watch"
                if numbers.size != len(names[column][0]):
                    raise RuntimeError(f"{numbers.size} numbers of WATCHes, where there are {len(names[column][0])}")
                columns[column] = numbers.ravel(), names[column][1]

    def give_back(self, of_populations):
        """is_above is what it is at the end. of_populations: {population: {column: …}}"""
        for (population, watcher), crossings in self.groups().items():
            held = of_populations[population][f"{watcher}/watch"][0].view(np.uint64).reshape(-1, 4)[:, 1]
            for one, holds in zip(crossings, held.tolist()):
                one.is_above = bool(holds)


def number_sources(h):
    """[name] of NetCons whose source is a number that is no voltage."""
    names = []
    for nc in h.List("NetCon"):
        if nc.preseg() is None and nc.pre() is None and (place := nc.preloc()) != -1:
            h.pop_section()  # preloc() makes the source's the one that is accessed
            if place == -2:
                names.append(nc.hname())
    return names


def _some_source(h):
    """(of a NetCon's source that has a threshold, what keeps it); None where there are no sections, and so none."""
    for nc in h.List("NetCon"):
        source = library().hillock_source_of(ctypes.c_void_p(nc.hocobjptr()))
        if source and library().hillock_has_threshold(ctypes.c_void_p(source)):
            return source, nc
    section = next(iter(h.allsec()), None)
    if section is None:
        return None
    nc = h.NetCon(section(0.5)._ref_v, None, sec=section)
    return library().hillock_source_of(ctypes.c_void_p(nc.hocobjptr())), nc
