"""Models that live in a session of NEURON.

>>> from neuron import h
>>> import hillock.neuron
>>> model = hillock.neuron.model(duration=100, record=[soma(0.5)])
>>> hillock.run(model).spikes
"""

from ._neuron_session import Refused, model

__all__ = ["Refused", "model"]
