"""What `NetCon.record()` has called at spikes. What leaves the model alone, a count or a list of times, is called at a
run's end, with `t` the spike's; before anything else a run ends, and NEURON calls it in its own step."""

from __future__ import annotations

from ._neuron_frames import Function, Unknown

_STATEMENT, _OF_OBJECT, _OF_PYTHON = 1, 2, 3
_few, _most = 200, 3200  # steps


class Called(Exception):
    """A run of so many steps that ends as NEURON is to call something is to be instead; the last one is NEURON's."""

    def __init__(self, steps):
        super().__init__()
        self.steps = steps


class Pace:
    """How many steps NEURON takes itself where something is called after few, since each part has its cost."""

    def __init__(self):
        self._left = 0

    def steps_behind(self, steps):
        """How many behind a part of so many."""
        self._left = 0 if steps >= _few else min(max(_few, 2 * self._left), _most)
        return self._left


class Calls:
    """Of a session. loops: Loops, or None; has_lines: whether NEURON draws lines of graphs."""

    def __init__(self, h, loops, has_lines):
        self._h, self._loops, self._has_lines = h, loops, has_lines

    def that_may_not_wait(self, calls, read):
        """Which of them may not be called later. calls: {source: (kind, what is called)} as HandOver.calls_at_spikes()
        has it; read: names of hoc's variables that POINTERs stand for."""
        has_some = any(kind == _OF_PYTHON for kind, _ in calls.values())
        # Nobody holds these for longer: the script may want to get rid of them.
        objects = {id(one): one for one in self._h.List("PythonObject")} if has_some else {}
        return {source for source, (kind, called) in calls.items()
                if not (self._may_function_wait(objects.get(called)) if kind == _OF_PYTHON else
                        kind == _STATEMENT and self._may_statement_wait(called, read))}

    def _may_function_wait(self, function):
        try:
            known = Function(self._h, function)
        except (Unknown, AttributeError, LookupError, RuntimeError, SyntaxError, TypeError, ValueError):  # of names, of hoc
            return False
        return known.leaves_the_model() and (known.is_plain or not self._has_lines)

    def _may_statement_wait(self, statement, read):
        known = self._loops.left_by(statement) if self._loops else None
        if known is None:
            return False
        sets, is_plain = known
        return not sets & read and (not self._has_lines or is_plain and not sets)
