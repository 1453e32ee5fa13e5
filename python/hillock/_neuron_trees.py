"""The cells of a session of NEURON: trees of sections, as cells given in compartments, with what is inserted."""

from __future__ import annotations

import bisect
import ctypes
import functools
import re
from operator import attrgetter, methodcaller

import numpy as np

from ._neuron_library import is_9

#: What a segment has besides mechanisms of .mod files.
_of_neuron = ("morphology", "capacitance", "extracellular")
#: The style of an ion that is none for all of a branch.
MIXED = -1
#: Compartments of which numbers are looked at together.
_at_once = 100_000
#: Letters of a branch's name, of the 200 that a model knows, besides what tells it from others.
_longest_name = 180
_name_at = 24  # in NEURON 8.2's object of a section


class OfNodes:
    """Numbers of NEURON's nodes: area, cm, resistance to what is before it, [node] um2, uF/cm2, MOhm. need_diameters:
    whether anything of the model asks for them, as only sections tell them."""

    def __init__(self, area, cm, resistance, need_diameters):
        self.area, self.cm, self.resistance, self.need_diameters = area, cm, resistance, need_diameters


class Tree:
    """One cell: its sections from the root on, and the numbers of their segments.

    sections: [branch] of NEURON. parents: [branch], -1 of the root.
    at: [branch] where on the parent. flipped: [branch] whether its 1 end joins the parent.
    first: [branch] its first compartment, and behind these how many there are; they go from the end that joins the
    parent. copies: [branch] as many of which it stands for, by its own rallbranch and those before it; area and
    resistances are those of all of them together.
    of_nodes: OfNodes, where these are at hand. first_node: of the thread of NEURON's that has it.
    """

    def __init__(self, root, of_nodes=None, first_node=0):
        self._first_node = first_node
        self.sections, self.parents, self.at, self.flipped, self.copies = [], [], [], [], []
        self.first = [0]
        self._number = {}
        stack = [root]
        while stack:
            section = stack.pop()
            self._add(section)
            stack.extend(reversed(section.children()))
        self.length = np.array([section.L for section in self.sections])
        if of_nodes:
            self.area, self.cm, self.resistance = (
                numbers[self.nodes] for numbers in (of_nodes.area, of_nodes.cm, of_nodes.resistance))
        else:
            self.area, self.cm, self.resistance = map(self._numbers, (methodcaller("area"), attrgetter("cm"),
                                                                      methodcaller("ri")))
        if of_nodes and not of_nodes.need_diameters:  # what a cylinder of that area has
            counts = np.diff(self.first)
            self.diameter = self.area / np.repeat(np.pi * self.length / counts, counts)
        else:
            self.diameter = self._numbers(attrgetter("diam"))
        self.end_resistance = np.array([self.end(branch).ri() for branch in range(len(self.sections))])
        if any(copies != 1 for copies in self.copies):
            copies = np.repeat(self.copies, np.diff(self.first))
            self.area, self.resistance = self.area * copies, self.resistance / copies
            self.end_resistance = self.end_resistance / self.copies

    def _add(self, section):
        parent = section.parentseg()
        self._number[section] = len(self.sections)
        self.sections.append(section)
        self.flipped.append(bool(section.orientation()))
        if parent is None:
            self.parents.append(-1)
            self.at.append(1.0)
        else:
            above = self._number[parent.sec]
            self.parents.append(above)
            self.at.append(self._along(above, parent))
        self.copies.append(section.rallbranch * self.copies_at(len(self.copies), 0))
        self.first.append(self.first[-1] + section.nseg)

    def segments_of(self, branch):
        """[compartment of the branch]"""
        segments = list(self.sections[branch])
        return segments[::-1] if self.flipped[branch] else segments

    def segment(self, compartment):
        """NEURON's."""
        branch = bisect.bisect_right(self.first, compartment) - 1
        count = self.first[branch + 1] - self.first[branch]
        position = (compartment - self.first[branch] + 0.5) / count
        return self.sections[branch](1 - position if self.flipped[branch] else position)

    def place(self, segment):
        """(branch, position) of a segment of this cell."""
        branch = self._number[segment.sec]
        return branch, self._along(branch, segment)

    def compartment(self, segment):
        """The number of the one that is a segment of this cell."""
        branch, position = self.place(segment)
        count = self.first[branch + 1] - self.first[branch]
        return self.first[branch] + min(int(position * count), count - 1)

    def forget_sizes(self):
        """Nobody asks for them any more."""
        del self.area, self.cm, self.resistance, self.diameter

    def _numbers(self, read):
        return np.fromiter((read(segment) for branch in range(len(self.sections))
                            for segment in self.segments_of(branch)), float, self.first[-1])

    def copies_at(self, branch, position):
        """As many of a place there are."""
        if position == 0:
            branch = self.joint(branch)[0]
        return self.copies[branch] if branch >= 0 else 1.0

    def node_place(self, segment):
        """(branch, x) of a segment's node: places of several sections are one where these join."""
        branch, position = self.place(segment)
        if position == 0:
            branch, position = self.joint(branch)
        return branch, 1 - position if branch >= 0 and self.flipped[branch] else position

    @functools.cached_property
    def names(self):
        """[branch] unique."""
        return _names(list(map(name_of, self.sections)))

    @functools.cached_property
    def nodes(self):
        """[compartment] NEURON's number of its node."""
        nodes = np.empty(self.first[-1], np.intc)
        for branch, (begin, end) in enumerate(zip(self.first, self.first[1:])):
            first, last = self.node(self.segment(begin)), self.node(self.segment(end - 1))
            if abs(last - first) == end - 1 - begin:  # a section's are in a row
                nodes[begin:end] = first + np.arange(end - begin) * (1 if last > first else -1)
            else:
                nodes[begin:end] = list(map(self.node, self.segments_of(branch)))
        return nodes

    @functools.cached_property
    def root(self):
        """NEURON's number of the node that it begins with."""
        return self.node(self.sections[0](1 if self.flipped[0] else 0))

    @functools.cached_property
    def ends(self):
        """[branch] NEURON's number of the node at the end that leads on."""
        return np.array([self.node(self.end(branch)) for branch in range(len(self.sections))])

    def end(self, branch):
        """That end of a branch."""
        return self.sections[branch](0 if self.flipped[branch] else 1)

    def node(self, segment):
        """NEURON's number of the node of a segment, or of an end of a section."""
        return segment.node_index() + self._first_node

    def joint(self, branch):
        """Where a branch begins: (branch, position) past the beginning of one; branch -1 where the root begins."""
        position = 0.0
        while branch >= 0 and position == 0:
            branch, position = self.parents[branch], self.at[branch]
        return branch, position

    def _along(self, branch, segment):
        """How far along the branch: an end, or the middle of the compartment in which NEURON has it."""
        x = segment.x
        if 0 < x < 1:
            count = self.sections[branch].nseg
            x = (min(int(x * count), count - 1) + 0.5) / count
        return 1 - x if self.flipped[branch] else x

    def key(self):
        """Equal for cells that can be of one population, whatever their sections are called and their sizes are."""
        return tuple(self.parents), tuple(self.at), tuple(self.first)


class Population:
    """Cells that differ in numbers alone."""

    def __init__(self, name, cells):
        self.name, self.cells = name, cells
        self.index = {id(cell): i for i, cell in enumerate(cells)}

    def parts(self):
        """Its cells, some at a time."""
        at_once = max(1, _at_once // self.cells[0].tree.first[-1])
        for begin in range(0, len(self.cells), at_once):
            yield self.cells[begin:begin + at_once]

    def one_row(self, of_parts):
        """[cell of the part, …] of numbers, part by part, as one array: of one row where all cells have the same."""
        first, rows, done = None, None, 0
        for some in of_parts:
            if first is None:
                first = some[0].copy()
            if rows is None and not np.array_equal(some, np.broadcast_to(first, some.shape), equal_nan=True):
                rows = np.empty((len(self.cells), len(first)))
                rows[:done] = first
            if rows is not None:
                rows[done:done + len(some)] = some
            done += len(some)
        return first if rows is None else rows

    def compartments(self):
        """The datasets of `morphology: {compartments: …}`."""
        tree = self.cells[0].tree

        def sizes(name):
            return self.one_row(np.array([getattr(cell.tree, name) for cell in some]) for some in self.parts())
        return {
            "branches": {"name": tree.names, "parent": np.array(tree.parents), "at": np.array(tree.at),
                         "compartments": np.diff(tree.first), "length": sizes("length"),
                         "end_resistance": sizes("end_resistance")},
            "compartments": {name: sizes(name) for name in ("area", "diameter", "resistance")}}


class Cell:
    """A tree with what is inserted, and where it spikes."""

    def __init__(self, root, of_nodes=None, first_node=0):
        self.tree = Tree(root, of_nodes, first_node)
        self.inserted, self.styles = {}, {}  # name: branches; of ions: [of these branches]
        self.spikes_at = None  # (branch, position, threshold)
        self.sends = None      # the mechanism of a point whose events are its spikes
        self.surrounded = ()   # branches with extracellular layers

    def ask_for_inserted(self, h):
        """Finds what is inserted."""
        for branch, section in enumerate(self.tree.sections):
            for mechanism in section(0.5):
                if mechanism.name() not in _of_neuron:
                    self.inserted.setdefault(mechanism.name(), []).append(branch)
        self.styles = {name: tuple(int(h.ion_style(name, sec=self.tree.sections[b])) for b in branches)
                       for name, branches in self.inserted.items() if name.endswith("_ion")}

    def key(self, is_named):
        """Equal for cells of one population; is_named: whose sections have the same names, too."""
        inserted = tuple(sorted((name, tuple(at)) for name, at in self.inserted.items()))
        names = tuple(self.tree.names) if is_named else ()
        return names, self.tree.key(), inserted, tuple(sorted(self.styles.items())), self.spikes_at, self.sends, \
            self.surrounded

    def compartments_of(self, name):
        first, branches = np.asarray(self.tree.first), np.asarray(self.inserted[name])
        counts = first[branches + 1] - first[branches]
        ends = np.cumsum(counts)
        return np.arange(ends[-1]) + np.repeat(first[branches] - ends + counts, counts)


def find_inserted(cells, inserted):
    """The same as ask_for_inserted(), of many. inserted: Numbers.inserted()."""
    begins = np.cumsum([0, *(len(cell.tree.sections) for cell in cells)])
    nodes = np.concatenate([cell.tree.nodes[cell.tree.first[:-1]] for cell in cells])
    for name, instances in inserted.items():
        at = instances.at(nodes)
        there = np.flatnonzero(at >= 0)
        cuts = np.searchsorted(there, begins)
        styles = _styles_of(cells, instances) if name.endswith("_ion") else None
        for number in np.flatnonzero(np.diff(cuts)).tolist():
            cell, branches = cells[number], there[cuts[number]:cuts[number + 1]]
            cell.inserted[name] = (branches - begins[number]).tolist()
            if styles is not None:
                cell.styles[name] = tuple(styles[branches].tolist())


def _styles_of(cells, instances):
    """[branch] an ion's style there, of the branches of all cells; 0 where it is not."""
    known, trees = instances.pointers[:, 0], [cell.tree for cell in cells]
    at = instances.at(np.concatenate([tree.nodes for tree in trees]))
    styles = np.where(at >= 0, known[at], 0)
    sizes = np.concatenate([np.diff(tree.first) for tree in trees])
    firsts = np.cumsum(sizes) - sizes
    of_branches = np.maximum.reduceat(styles, firsts)
    for branch in np.flatnonzero(np.minimum.reduceat(styles, firsts) != of_branches).tolist():
        of_branches[branch] = _style_of(set(styles[firsts[branch]:firsts[branch] + sizes[branch]].tolist()))
    return of_branches


def _style_of(styles):
    """Of a branch in whose compartments an ion has several, as where a point reads it: whoever asks for nothing of it
    cares for nothing. MIXED where some of those that ask for a reversal potential follow concentrations in steps, and
    others do not."""
    asked = [style for style in styles if style & 24]
    if len({bool(style & 64) for style in asked}) > 1:
        return MIXED
    one = max(asked or styles, key=lambda style: style & 3)
    return one if one & 3 else one | max(style & 3 for style in styles)


def name_of(section):
    """Its name; the beginning of a long one of Python's, for which NEURON 8.2 has no room when it is asked."""
    if not is_9():
        known = ctypes.c_char_p.from_address(id(section) + _name_at).value  # None of hoc's
        if known is not None and len(known) > _longest_name:
            return known.decode(errors="replace").rpartition(".")[2][:_longest_name]
    return section.name()


def _names(hoc_names):
    """Names of branches: without the cell's, of letters that a model knows, each once, and none the
    region of others."""
    names = [re.sub(r"[^A-Za-z0-9_\-\[\]]", "_", name.rpartition(".")[2]) for name in hoc_names]
    names = [name if re.fullmatch(r"[A-Za-z0-9_-]+(\[\d+\])?", name) else re.sub(r"[\[\]]", "_", name)
             for name in names]
    names = [name if re.match("[A-Za-z]", name) else f"section{name}" for name in names]
    names = [re.sub(rf"^([^\[]{{{_longest_name}}})[^\[]*", r"\1", name) for name in names]
    regions = {}
    for name in names:
        regions.setdefault(name.partition("[")[0], []).append(name)
    taken, made = set(), []
    for name in names:
        region = name.partition("[")[0]
        if (name == region and len(regions[region]) > 1) or name in ("all", "uniform", "tips"):
            name += "_"
        new, number = name, 1
        while new in taken:
            number += 1
            new = f"{name.replace('[', '_').replace(']', '')}_{number}"
        taken.add(new)
        made.append(new)
    return made
