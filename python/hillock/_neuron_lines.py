"""Lines of the graphs in stdrun.hoc's graphList: what they read is recorded, and NEURON draws them over it."""

from __future__ import annotations

import re

_variable = re.compile(r"[A-Za-z_]\w*(?:\[[^\]]*\])?(?:\.[A-Za-z_]\w*(?:\[[^\]]*\])?)*(?:\(\s*[^()]*\))?")
#: Functions of hoc's that read nothing that changes.
_constant = {"abs", "area", "atan", "cos", "diam", "distance", "erf", "erfc", "exp", "fabs", "int", "L", "log", "log10",
             "PI", "Ra", "ri", "sin", "sqrt", "tanh"}
_scalar = 5  # of name_declared()


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
            if not h.execute1(f"hillock_number_ = {expression}", 0):
                self.problems.append(f"a line of a graph, '{expression}': its label is no expression")
                continue
            for variable in dict.fromkeys(_variable.findall(expression)):
                self._record(variable.strip(), expression)

    def _record(self, variable, expression):
        h, name = self._h, variable.partition("(")[0]
        if name == "t" or name in _constant or (re.fullmatch(r"\w+", variable) and h.name_declared(variable) == _scalar):
            return
        h("hillock_vector_ = new Vector()")
        if h.execute1(f"hillock_vector_.record(&{variable})", 0):
            h("hillock_vectors_.append(hillock_vector_)")
        elif "(" in variable:
            self.problems.append(f"a line of a graph, '{expression}': what {name}() reads is not known")

    def _expressions(self):
        h, found = self._h, {}
        x, y = h.Vector(), h.Vector()
        for of_kind in range(int(h.n_graph_lists)):
            for graph in h.graphList[of_kind]:
                line = -1
                while hasattr(graph, "getline") and (line := graph.getline(line, x, y)) >= 0:
                    found[y.label()] = None
        return list(found)

    def are_attached(self):
        """Whether these are the lines that there are."""
        return self._known is not None and self._known == self._expressions()

    def drop(self):
        """Nothing is recorded for them any more."""
        if self._known is not None:
            self._h("objref hillock_vectors_, hillock_vector_")
        self._known, self.problems = None, []
