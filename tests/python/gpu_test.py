"""The package on a GPU: with `solver: exact` all is the CPU's, bit for bit. Skipped where there is no GPU, a failure there
with REQUIRE_GPU=1."""

import os
import sys
import unittest

import numpy as np

import hillock
from models import assert_same, cell, network

GNABAR = "cells.pyr.regions.soma.hh.gnabar"
AMPLITUDE = "stimuli.0.iclamp.amplitude"
SKIPPED = 77


def exact(model):
    model["run"]["solver"] = "exact"
    return model


def need_gpu():
    try:
        hillock.run(cell("1 ms"), backend="cuda")
    except hillock.UsageError as error:
        if os.environ.get("REQUIRE_GPU") == "1":
            raise
        print("left out:", error)
        sys.exit(SKIPPED)


class OnTheGpu(unittest.TestCase):
    def setUp(self):
        self.model = hillock.load(exact(network()))
        self.expected = hillock.run(self.model, backend="cpu")

    def test_a_run_is_the_cpus(self):
        results = hillock.run(self.model, backend="cuda")
        self.assertEqual(results.summary["backend"], "cuda")
        assert_same(self, results, self.expected)

    def test_what_fits_best_differs_in_last_bits(self):
        results = hillock.run(network(), backend="cuda")
        for name, spikes in self.expected.spikes.items():
            self.assertEqual(results.spikes[name].ids.tolist(), spikes.ids.tolist())
            np.testing.assert_allclose(results.spikes[name].times, spikes.times, atol=1e-6)

    def test_a_run_in_steps_is_the_run_at_once(self):
        for times in ((0.025, 1, 33.3, 99.975), tuple(np.arange(0, 100, 2.5))):
            simulation = hillock.Simulation(self.model, backend="cuda")
            for time in times:
                simulation.advance(time)
            assert_same(self, simulation.advance().results(), self.expected)

    def test_derivatives_are_the_cpus(self):
        model = exact(cell())
        values = {GNABAR: 0.11, AMPLITUDE: 0.2}
        here, there = (hillock.DerivedRun(model, values, backend=backend) for backend in ("cuda", "cpu"))
        for name, trace in there.traces.items():
            self.assertEqual(here.traces[name].tolist(), trace.tolist(), name)
        self.assertEqual(here.vjp(there.traces), there.vjp(there.traces))

    def test_values_are_the_cpus(self):
        here, there = (hillock.Simulation(self.model, backend=backend).advance(30) for backend in ("cuda", "cpu"))
        for name, population in (("v", "exc"), ("hh.m", "exc"), ("expsyn.g", "exc"), ("hh.gnabar", "exc"),
                                 ("projection 1.weight", "point"), ("izhikevich.u", "point")):
            self.assertEqual(here.get(name, population).tolist(), there.get(name, population).tolist(), name)
        for simulation in (here, there):
            simulation.put("v", "exc", -40, cell=3)
            simulation.change({"projections.0.weight": "0 nS", GNABAR: "0.2 S/cm2"})
        assert_same(self, here.advance().results(), there.advance().results())

    def test_what_is_saved_goes_on_elsewhere(self):
        for one, other in (("cuda", "cuda"), ("cuda", "cpu"), ("cpu", "cuda")):
            saved = hillock.Simulation(self.model, backend=one).advance(42).save()
            results = hillock.Simulation(self.model, backend=other).restore(saved).advance().results()
            for name, spikes in self.expected.spikes.items():
                self.assertEqual(results.spikes[name].times.tolist(), [t for t in spikes.times if t > 42])

    def test_one_that_was_interrupted_goes_on_from_what_was_saved(self):
        model = hillock.load(exact(network("1000 s")))
        simulation = hillock.Simulation(model, backend="cuda").advance(20)
        saved = simulation.save()

        def stop(*_):
            raise InterruptedError

        with self.assertRaises(InterruptedError):
            simulation.advance(progress=stop)
        with self.assertRaisesRegex(hillock.UsageError, "interrupted or failed"):
            simulation.save()
        results = simulation.restore(saved).advance(100).results()
        for name, spikes in self.expected.spikes.items():
            self.assertEqual(results.spikes[name].times.tolist(), spikes.times.tolist())

    def test_variants_are_cells_of_one_run(self):
        swept = {GNABAR: np.linspace(0.05, 0.3, 300)}, {AMPLITUDE: ["0.1 nA", "0.5 nA"]}
        here, there = (hillock.sweep(exact(cell()), swept[0], stimuli=swept[1], backend=backend)
                       for backend in ("cuda", "cpu"))
        self.assertTrue(here.together)
        self.assertEqual(here.report("v").tobytes(), there.report("v").tobytes())
        self.assertEqual(here.spike_counts("exc").tolist(), there.spike_counts("exc").tolist())
        self.assertGreater(here.spike_counts("exc").max(), 0)


if __name__ == "__main__":
    need_gpu()
    unittest.main()
