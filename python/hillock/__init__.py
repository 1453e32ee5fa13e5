"""Hillock simulates networks of neurons: models that are files or dictionaries, results as arrays.

>>> import hillock
>>> model = hillock.load("ring.yaml")
>>> results = hillock.run(model)
>>> results.spikes["ring"].times
"""

from . import _hillock
from ._errors import (DeviceError, FileError, HillockError, ModelError, NumericalError, Problem,
                      UsageError)
from ._files import open  # noqa: A004: it is what it does
from ._fit import Fit, Start, fit
from ._gradient import DerivedRun, gradient, spike_times, squares
from ._mechanisms import Mechanism, mechanisms
from ._model import Model, Population, Projection, load, validate
from ._pages import Page, report, view
from ._results import Report, Results, Spikes
from ._shapes import Branch, Cell
from ._simulation import Saved, Simulation, run
from ._sweep import Sweep, sweep, sweep_efel
from ._threshold import threshold

__version__ = _hillock.version
__all__ = ["Branch", "Cell", "DerivedRun", "DeviceError", "FileError", "Fit", "HillockError", "Mechanism", "Model",
           "ModelError", "NumericalError", "Page", "Population", "Problem", "Projection", "Report", "Results", "Saved",
           "Simulation", "Spikes", "Start", "Sweep", "UsageError", "fit", "gradient", "load", "mechanisms", "open",
           "report", "run", "spike_times", "squares", "sweep", "sweep_efel", "threshold", "validate", "view"]


def __getattr__(name):
    """Figures are there when they are asked for: they need matplotlib, nothing else does."""
    if name == "plot":
        import importlib

        return importlib.import_module(".plot", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
