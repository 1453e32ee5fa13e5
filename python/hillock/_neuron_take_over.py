"""What of a session of NEURON runs here: `psolve`."""

from __future__ import annotations

import os

from . import _neuron_run
from ._neuron_hand_over import library_path, take_runs

_options = _neuron_run.Options()
_until = {}  # what psolve was asked for, of which NEURON passes six digits on


def enable(*, threads: int | None = None, backend: str = "auto") -> None:
    """From now on `ParallelContext.psolve` of this process's NEURON runs on Hillock.

    threads: of the CPU, one a core without. backend: "auto", "cpu" or "cuda". NEURON's own switch is set
    with it, `coreneuron.enable`; `coreneuron.gpu` asks for "cuda".
    """
    from neuron import coreneuron, h

    _options.threads, _options.backend = threads, backend
    os.environ["CORENEURONLIB"] = str(library_path())
    attend()
    h.cvode.cache_efficient(1)
    coreneuron.enable = True


def disable() -> None:
    """NEURON runs by itself again."""
    from neuron import coreneuron

    coreneuron.enable = False


def attend() -> None:
    """Has the library call this module, which NEURON has loaded or will."""
    from neuron import coreneuron

    arguments = type(coreneuron).nrncore_arg

    def with_time(self, until):
        _until["ms"] = float(until)
        return arguments(self, until)

    if arguments.__name__ != "with_time":
        type(coreneuron).nrncore_arg = with_time
    take_runs(_run)


def _run(hand_over, argument):
    from neuron import coreneuron, h

    words = argument.split()
    until = _until.pop("ms", None)
    if until is None:
        until = float(words[words.index("--tstop") + 1])
    backend = "cuda" if coreneuron.gpu else _options.backend
    _neuron_run.run(h, hand_over, until, _neuron_run.Options(backend, _options.threads))
