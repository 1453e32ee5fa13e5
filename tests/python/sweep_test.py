"""hillock.sweep: variants in one run are runs of their own, number for number."""

import importlib.util
import unittest

import numpy as np

import hillock
from models import cell, network

GNABAR = "cells.pyr.regions.soma.hh.gnabar"
AMPLITUDE = "stimuli.0.iclamp.amplitude"


class Sweep(unittest.TestCase):
    def assert_is_runs(self, sweep, models):
        for number, model in enumerate(models):
            expected = hillock.run(model, backend="cpu")
            self.assertEqual(sweep[number]["v"].data.tobytes(), expected["v"].data.tobytes())
            self.assertEqual(sweep[number].spikes["exc"].times.tolist(),
                             expected.spikes["exc"].times.tolist())
            self.assertEqual(sweep[number].spikes["exc"].ids.tolist(),
                             expected.spikes["exc"].ids.tolist())
            self.assertEqual(sweep[number]["v"].node_ids.tolist(), expected["v"].node_ids.tolist())

    def test_variants_are_cells_of_one_run(self):
        model, values = hillock.load(cell()), np.linspace(0.05, 0.3, 7)
        sweep = hillock.sweep(model, {GNABAR: values}, backend="cpu")
        self.assertTrue(sweep.together)
        self.assertEqual(len(sweep), 7)
        self.assert_is_runs(sweep, [model.with_values({GNABAR: f"{value!r} S/cm2"})
                                    for value in values.tolist()])
        self.assertEqual(sweep.report("v").shape, (7, 400, 3))
        self.assertTrue(np.shares_memory(sweep.report("v"), sweep._results["v"].data))
        self.assertEqual(sweep.spike_counts("exc").tolist(),
                         [len(sweep[number].spikes["exc"]) for number in range(7)])
        self.assertGreater(len(set(sweep.spike_counts("exc").tolist())), 1)

    def test_each_variant_gets_each_stimulus(self):
        model = hillock.load(cell())
        sweep = hillock.sweep(model, {GNABAR: ["0.1 S/cm2", "0.2 S/cm2"]},
                              stimuli={AMPLITUDE: [0.0, 0.1, 0.5]}, backend="cpu")
        self.assertEqual(sweep.shape, (2, 3))
        self.assertEqual(sweep.report("v").shape, (2, 3, 400, 3))
        self.assert_is_runs(sweep, [model.with_values({GNABAR: g, AMPLITUDE: a})
                                    for g in ("0.1 S/cm2", "0.2 S/cm2")
                                    for a in ("0 nA", "0.1 nA", "0.5 nA")])
        highest = sweep.features(lambda results: results["v"].data.max())
        np.testing.assert_array_equal(highest, sweep.report("v").max(axis=(2, 3)))
        self.assertEqual(sweep[1, 2]["v"].data.tolist(), sweep[5]["v"].data.tolist())
        of_stimuli = hillock.sweep(model, stimuli={AMPLITUDE: [0.0, 0.1]}, backend="cpu")
        self.assertEqual((of_stimuli.shape, of_stimuli.values), ((2,), {}))
        self.assert_is_runs(of_stimuli, [model.with_values({AMPLITUDE: a}) for a in ("0 nA", "0.1 nA")])
        with self.assertRaisesRegex(KeyError, "no population 'exe' among exc. Did you mean 'exc'"):
            sweep.spike_counts("exe")

    def test_what_cannot_vary_from_cell_to_cell_is_a_run_each(self):
        model = hillock.load(cell())
        for path, values in (("run.temperature", [6.3, 10]), ("run.temperature", ["6.3 degC", "10 degC"]),
                             ("cells.pyr.morphology.branches.1.length", ["100 um", "200 um"])):
            sweep = hillock.sweep(model, {path: values}, backend="cpu")
            self.assertFalse(sweep.together)
            self.assert_is_runs(sweep, [model.with_values({path: value}) for value in values])
            self.assertEqual(sweep.report("v").shape, (2, 400, 3))

    def test_populations_of_several_sizes_and_records_of_several_populations(self):
        model = cell("20 ms")
        model["populations"] = {
            "a": {"cell": "pyr", "size": 3, "nodes": {"population": "cortex", "ids": {"csv": np.array([4, 0, 2])}}},
            "b": {"cell": "pyr", "size": 2, "nodes": {"population": "cortex", "ids": {"csv": np.array([1, 7])}}},
            "c": {"cell": "pyr", "size": 4}}
        model["stimuli"][0]["to"] = "b"
        model["record"] = [{"name": "s", "of": ["a", "b", "c"]},
                           {"name": "v", "of": ["b", "a"], "variable": "v", "at": "soma(0.5)", "type": "float64"},
                           {"name": "c", "of": "c", "variable": "v", "at": "soma(0.5)"}]
        model = hillock.load(model)
        sweep = hillock.sweep(model, {GNABAR: [0.05, 0.2, 0.12], AMPLITUDE: [0.2, 0.3, 0.4]}, backend="cpu")
        self.assertTrue(sweep.together)
        for number in range(3):
            values = {path: column[number] for path, column in sweep.values.items()}
            own, expected = sweep[number], hillock.run(model, values, backend="cpu")
            for name in ("v", "c"):
                self.assertEqual(own[name].data.tobytes(), expected[name].data.tobytes())
                self.assertEqual(own[name].node_ids.tolist(), expected[name].node_ids.tolist())
                self.assertEqual(sweep.report(name)[number].tolist(), expected[name].data.tolist())
            for name in ("cortex", "c"):
                self.assertEqual(own.spikes[name].ids.tolist(), expected.spikes[name].ids.tolist())
                self.assertEqual(own.spikes[name].times.tolist(), expected.spikes[name].times.tolist())
                self.assertEqual(sweep.spike_counts(name)[number], len(expected.spikes[name]))
        self.assertGreater(sweep.spike_counts("cortex").sum(), 0)

    def test_what_goes_by_a_cells_number_is_a_run_each(self):
        by_index, by_size, by_list, by_place = cell("20 ms"), cell("20 ms"), cell("20 ms"), cell("20 ms")
        by_index["stimuli"][0]["iclamp"]["amplitude"] = "0.1 nA + 50 pA * index"
        by_size["cells"]["pyr"]["regions"]["soma"]["hh"]["gkbar"] = "0.01 S/cm2 * size"
        by_list["stimuli"][0]["iclamp"]["amplitude"] = {"list": ["0.1 nA", "0.2 nA", "0.3 nA"]}
        by_place["populations"]["exc"]["positions"] = {"uniform_box": ["1 mm", "1 mm", "1 mm"]}
        by_place["stimuli"][0]["iclamp"]["amplitude"] = "0.3 nA * x / 1 mm"
        for model in (by_index, by_size, by_list, by_place):
            model = hillock.load(model)
            sweep = hillock.sweep(model, {GNABAR: [0.12, 0.12, 0.2]}, backend="cpu")
            self.assertFalse(sweep.together)
            self.assertIn("by a cell's number or place", sweep.why_not)
            self.assert_is_runs(sweep, [model.with_values({GNABAR: value}) for value in (0.12, 0.12, 0.2)])
        sweep = hillock.sweep(cell("20 ms"), {AMPLITUDE: ["0.1 nA * (1 + index)", "0.2 nA"]}, backend="cpu")
        self.assertFalse(sweep.together)

    def test_cells_that_are_connected_are_a_run_each(self):
        model = hillock.load(network("20 ms"))
        sweep = hillock.sweep(model, {GNABAR: [0.1, 0.2]}, backend="cpu")
        self.assertFalse(sweep.together)
        self.assert_is_runs(sweep, [model.with_values({GNABAR: value})
                                    for value in ("0.1 S/cm2", "0.2 S/cm2")])

    def test_cells_with_points_are_a_run_each(self):
        clamp = {"cell": np.array([1]), "branch": np.array([0]), "position": np.array([0.5])}
        model = hillock.load(cell("20 ms", points={"one": {
            "on": "exc", "iclamp": {"amplitude": "0.5 nA", "duration": "10 ms"}, "list": {"csv": clamp}}}))
        sweep = hillock.sweep(model, {GNABAR: [0.1, 0.2]}, backend="cpu")
        self.assertFalse(sweep.together)
        self.assert_is_runs(sweep, [model.with_values({GNABAR: value})
                                    for value in ("0.1 S/cm2", "0.2 S/cm2")])

    @unittest.skipUnless(importlib.util.find_spec("efel"), "efel is not there")
    def test_features_of_efel(self):
        sweep = hillock.sweep(cell(), {GNABAR: ["0.1 S/cm2", "0.15 S/cm2"]},
                              stimuli={AMPLITUDE: [0.0, 0.3]}, backend="cpu")
        found = sweep.efel("v", ["Spikecount", "AP_amplitude"], 5, 40)
        self.assertEqual(found["Spikecount"].tolist(), (sweep.spike_counts("exc") / 3).tolist())
        self.assertTrue(np.all(np.isnan(found["AP_amplitude"][:, 0])))
        self.assertTrue(np.all(found["AP_amplitude"][:, 1] > 50))

    def test_what_is_wrong(self):
        model = hillock.load(cell())
        with self.assertRaisesRegex(ValueError, "has one length"):
            hillock.sweep(model, {GNABAR: [1, 2], AMPLITUDE: [1, 2, 3]})
        with self.assertRaisesRegex(ValueError, "no variants"):
            hillock.sweep(model, {GNABAR: []})
        mixed = hillock.sweep(model, {GNABAR: [0.1, "0.2 S/cm2"]}, backend="cpu")
        self.assertTrue(mixed.together)
        self.assert_is_runs(mixed, [model.with_values({GNABAR: value}) for value in (0.1, 0.2)])
        for wrong, words in (("0.1 S/cm2", "a list with a value"), (0.1, "a list with a value"), ({"a": 1}, "a list with"),
                             ([{"mean": 1}], "numbers or texts"), ([None], "numbers or texts")):
            with self.assertRaisesRegex(hillock.UsageError, words):
                hillock.sweep(model, {GNABAR: wrong})
        with self.assertRaisesRegex(hillock.UsageError, "is in both"):
            hillock.sweep(model, {GNABAR: [0.1]}, stimuli={GNABAR: [0.1]})
        with self.assertRaisesRegex(hillock.UsageError, "at least one path"):
            hillock.sweep(model, {})
        with self.assertRaisesRegex(hillock.ModelError, "Did you mean 'gnabar'"):
            hillock.sweep(model, {"cells.pyr.regions.soma.hh.gnabr": [0.1, 0.2]})
        with self.assertRaisesRegex(hillock.ModelError, "gnabar"):
            hillock.sweep(model, {GNABAR: [0.1, -0.2]})


if __name__ == "__main__":
    unittest.main()
