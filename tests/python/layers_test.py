"""hillock.layers: runs within PyTorch and JAX, which are not needed for anything else. Left out without them."""

import importlib.util
import unittest

import numpy as np

import hillock
from hillock import layers
from models import cell

VALUES = {"cells.pyr.regions.soma.hh.gnabar": 0.12, "cells.pyr.regions.dend.pas.g": 1e-4, "stimuli.0.iclamp.amplitude": 0.1}


def has(module):
    return importlib.util.find_spec(module) is not None


def model():
    one = cell("10 ms")
    one["cells"]["pyr"]["regions"]["soma"]["hh"] = {"gnabar": "0.12 S/cm2"}
    return one


class Layers(unittest.TestCase):
    def setUp(self):
        run = hillock.DerivedRun(model(), VALUES)
        self.voltages = run.traces["v"]
        self.by = list(run.vjp({"v": 2 * self.voltages}).values())

    @unittest.skipUnless(has("torch"), "no torch")
    def test_torch(self):
        import torch

        run = layers.torch(model(), list(VALUES))
        values = torch.tensor(list(VALUES.values()), dtype=torch.float64, requires_grad=True)
        voltages = run(values)["v"]
        np.testing.assert_array_equal(voltages.detach().numpy(), self.voltages)
        voltages.square().sum().backward()
        np.testing.assert_allclose(values.grad.numpy(), self.by, rtol=1e-12)
        with self.assertRaises(hillock.UsageError):
            run(values[1:])

    @unittest.skipUnless(has("jax"), "no jax")
    def test_jax(self):
        import jax

        jax.config.update("jax_enable_x64", True)
        run = layers.jax(model(), list(VALUES), list(VALUES.values()))
        values = jax.numpy.array(list(VALUES.values()))
        np.testing.assert_array_equal(run(values)["v"], self.voltages)
        for function in (lambda of: of, jax.jit):
            by = function(jax.grad(lambda numbers: jax.numpy.sum(run(numbers)["v"] ** 2)))(values)
            np.testing.assert_allclose(by, self.by, rtol=1e-12)


if __name__ == "__main__":
    unittest.main()
