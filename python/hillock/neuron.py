"""Models that live in a session of NEURON.

>>> from neuron import h
>>> import hillock.neuron
>>> model = hillock.neuron.model(duration=100, record=[soma(0.5)])
>>> hillock.run(model).spikes

or the session itself runs here, and goes on in NEURON as if it had run there:

>>> hillock.neuron.enable()
>>> h.ParallelContext().psolve(100)
"""

from ._errors import Refused
from ._neuron_model import model
from ._neuron_take_over import disable, enable

__all__ = ["Refused", "disable", "enable", "model"]
