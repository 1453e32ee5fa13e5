"""Lines of the graphs in stdrun.hoc's graphList: what they read is recorded, and NEURON draws them over it."""

from __future__ import annotations

import re

_variable = re.compile(r"[A-Za-z_]\w*(?:\[[^\]]*\])?(?:\.[A-Za-z_]\w*(?:\[[^\]]*\])?)*(?:\(\s*[^()]*\))?")
#: Functions of hoc's that read nothing that changes.
_constant = {"abs", "area", "atan", "cos", "diam", "distance", "erf", "erfc", "exp", "fabs", "int", "L", "log", "log10",
             "PI", "Ra", "ri", "sin", "sqrt", "tanh"}
_scalar = 5  # of name_declared()
_index = re.compile(r"\[[^\]]*[A-Za-z_][^\]]*\]")  # one that is no number
_most_indices = 1000


def labels_of_graphs(h):
    """(labels, problems) of the lines of all graphs; a problem is of a line whose label does not say what it reads."""
    h("hillock_number_ = 0")
    labels = list(dict.fromkeys(label for graph in h.List("Graph") for label, _ in _lines_of(h, graph)))
    return labels, [f"a line of a graph, '{label}': its label is no expression" for label in labels
                    if not _index.search(label) and not h.execute1(f"hillock_number_ = {label}", 0)]


def _lines_of(h, graph):
    """(label, last number or None) of each line that is drawn, not of those that are kept as they were, without a
    label; initPlot() drops graphs that no screen shows."""
    x, y, line = h.Vector(), h.Vector(), -1
    if graph.view_count() == 0:
        return
    while (line := graph.getline(line, x, y)) >= 0:
        if label := y.label():
            yield label, y[len(y) - 1] if len(y) else None


class Lines:
    """The lines of a session. problems: of which it is not known what they read."""

    def __init__(self, h):
        self._h = h
        self._known = None
        self.problems = []

    def attach(self):
        """Has NEURON record what they read, from its next finitialize on."""
        h = self._h
        self.drop()
        h("objref hillock_vectors_, hillock_vector_\nhillock_vectors_ = new List()\nhillock_number_ = 0")
        self._known = self._expressions()
        for expression in self._known:
            if not _index.search(expression) and not h.execute1(f"hillock_number_ = {expression}", 0):
                self.problems.append(f"a line of a graph, '{expression}': its label is no expression")
                continue
            for variable in dict.fromkeys(_variable.findall(expression)):
                self._record(variable.strip(), expression)

    def _record(self, variable, expression):
        h, name = self._h, variable.partition("(")[0]
        is_scalar = re.fullmatch(r"\w+", variable) and h.name_declared(variable) == _scalar
        if name == "t" or name in _constant or is_scalar:
            return
        if _index.search(variable):
            recorded = self._record_all(variable)
        else:
            recorded = self._record_one(variable)
        if not recorded and ("(" in variable or _index.search(variable)):
            self.problems.append(f"a line of a graph, '{expression}': what {name} reads is not known")

    def _record_all(self, variable):
        """An index may have been another when the line was made: whichever there are."""
        count = 0
        while count < _most_indices:
            one = _index.sub(f"[{count}]", variable, count=1)
            if not (self._record_all(one) if _index.search(one) else self._record_one(one)):
                break
            count += 1
        return count > 0

    def _record_one(self, variable):
        h = self._h
        h("hillock_vector_ = new Vector()")
        if not any(h.execute1(f"hillock_vector_.record(&{variable}{at})", 0) for at in ("", "(0.5)")):
            return False
        h("hillock_vectors_.append(hillock_vector_)")
        return True

    def _expressions(self):
        return list(dict.fromkeys(expression for expression, _ in self._drawn()))

    def _drawn(self):
        """(label, last number or None) of each line."""
        for graph in self._graphs():
            yield from _lines_of(self._h, graph)

    def _graphs(self):
        return [graph for of_kind in range(int(self._h.n_graph_lists)) for graph in self._h.graphList[of_kind]
                if hasattr(graph, "getline")]

    def are_of_others(self):
        """Whether some lines of a graph have one label that leads through an object: it was another when they were
        made, for at least one of them."""
        for graph in self._graphs():
            labels = [label for label, _ in _lines_of(self._h, graph) if "." in label]
            if len(set(labels)) < len(labels):
                return True
        return False

    def check(self):
        """When a run has ended: raises RuntimeError where lines were drawn that read something else than their labels
        say, as NEURON's numbers are all those of the end now."""
        h = self._h
        for expression, last in self._drawn():
            if _index.search(expression) or not h.execute1(f"hillock_number_ = {expression}", 0):
                continue
            now = h.hillock_number_
            if last is not None and now == now and not abs(now - last) <= 1e-4 * max(abs(now), abs(last), 1e-30):
                raise RuntimeError(f"a line of a graph, '{expression}', reads something else than its label says: "
                                   "its points are not right (hillock.neuron.disable() before the run)")

    def has(self, vector):
        """Whether a Vector is one that records for them."""
        return self._known is not None and any(vector.hocobjptr() == own.hocobjptr()
                                               for own in self._h.hillock_vectors_)

    def are_attached(self):
        """Whether these are the lines that there are."""
        return self._known is not None and self._known == self._expressions()

    def drop(self):
        """Nothing is recorded for them any more."""
        if self._known is not None:
            self._h("objref hillock_vectors_, hillock_vector_")
        self._known, self.problems = None, []
