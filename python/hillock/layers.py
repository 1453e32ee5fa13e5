"""Runs as layers of PyTorch and of JAX, which nothing else here needs.

>>> from hillock import layers
>>> run = layers.torch(model, ["cells.pyr.regions.soma.hh.gnabar", "cells.pyr.regions.all.cm"])
>>> values = torch.tensor([0.12, 1.0], dtype=torch.float64, requires_grad=True)
>>> run(values)["soma_v"].square().sum().backward()
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ._errors import UsageError
from ._gradient import DerivedRun
from ._model import Model, Source, as_model


def torch(model: Source | Model, paths: Sequence[str], **how: Any) -> Callable[[Any], dict[str, Any]]:
    """A function of a tensor of numbers, one for each path in its base unit, that gives {report: tensor [sample, element]}
    of a run with them, in doubles. Its derivatives by the numbers are those of DerivedRun.

    how: most_bytes and threads, as for DerivedRun. The function raises what that does.
    """
    import torch as pytorch

    model, paths = as_model(model), list(paths)

    class Run(pytorch.autograd.Function):
        @staticmethod
        def forward(context, numbers, reports):
            context.run = DerivedRun(model, _values(paths, numbers.detach().cpu().numpy()), **how)
            context.like = numbers
            reports.extend(context.run.traces)
            return tuple(pytorch.from_numpy(trace.copy()) for trace in context.run.traces.values())

        @staticmethod
        def backward(context, *by):
            found = context.run.vjp({name: one.numpy() for name, one in zip(context.run.traces, by)})
            return context.like.new_tensor([found[path] for path in paths]), None

    def run(numbers):
        reports = []
        return dict(zip(reports, Run.apply(numbers, reports)))

    return run


def jax(model: Source | Model, paths: Sequence[str], values: Sequence[float], **how: Any) -> Callable[[Any], dict[str, Any]]:
    """The same of JAX's arrays, within jit too. values: with which the model is run once, for the form of its reports.

    Numbers are in single precision on their way unless jax_enable_x64 is set, as all of JAX's.
    """
    import jax as google_jax

    model, paths = as_model(model), list(paths)
    form = {name: google_jax.ShapeDtypeStruct(trace.shape, google_jax.numpy.result_type(float))
            for name, trace in DerivedRun(model, _values(paths, np.asarray(values)), **how).traces.items()}
    last: dict[bytes, DerivedRun] = {}

    def derived(numbers):
        numbers = np.asarray(numbers, dtype=float)
        key = numbers.tobytes()
        if key not in last:
            made = DerivedRun(model, _values(paths, numbers), **how)
            last.clear()
            last[key] = made
        return last[key]

    def traces(numbers):
        return {name: trace.astype(form[name].dtype) for name, trace in derived(numbers).traces.items()}

    def back(numbers, by):
        found = derived(numbers).vjp({name: np.asarray(one, dtype=float) for name, one in by.items()})
        return np.array([found[path] for path in paths], dtype=np.asarray(numbers).dtype)

    @google_jax.custom_vjp
    def run(numbers):
        return google_jax.pure_callback(traces, form, numbers)

    run.defvjp(lambda numbers: (run(numbers), numbers),
               lambda numbers, by: (google_jax.pure_callback(
                   back, google_jax.ShapeDtypeStruct(numbers.shape, numbers.dtype), numbers, by),))
    return run


def _values(paths, numbers):
    if numbers.shape != (len(paths),):
        raise UsageError(f"{len(paths)} paths have as many numbers, not an array of the form {numbers.shape}")
    return dict(zip(paths, numbers.tolist()))
