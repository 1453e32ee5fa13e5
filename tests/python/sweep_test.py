"""hillock.sweep: variants in one run are runs of their own, number for number."""

import importlib.util
import unittest

import numpy as np

import hillock
from models import cell, network

GNABAR = "cells.pyr.regions.soma.hh.gnabar"
AMPLITUDE = "stimuli.0.iclamp.amplitude"
OWN_FEATURES = ["Spikecount", "time_to_first_spike", "mean_frequency", "AHP_depth", "AP_amplitude", "AP_duration_half_width",
                "voltage_base", "steady_state_voltage", "minimum_voltage", "maximum_voltage"]


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

    def test_reports_of_other_forms_are_told(self):
        model = cell()
        model["record"][1]["at"] = "all"
        model["cells"]["pyr"]["discretization"] = {"max_length": "20 um"}
        sweep = hillock.sweep(model, {"cells.pyr.morphology.branches.1.length": [100, 300]}, backend="cpu")
        with self.assertRaisesRegex(hillock.UsageError, r"v has \d+ samples of \d+ elements of variant 0 and "
                                                        r"\d+ samples of \d+ elements of variant 1"):
            sweep.report("v")

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

    def test_features(self):
        sweep = hillock.sweep(cell(), {GNABAR: ["0.1 S/cm2", "0.15 S/cm2"]},
                              stimuli={AMPLITUDE: [0.0, 0.3]}, backend="cpu")
        found = sweep.efel("v", OWN_FEATURES, 5, 40)
        self.assertEqual(list(found), OWN_FEATURES)
        self.assertEqual(found["Spikecount"].tolist(), (sweep.spike_counts("exc") / 3).tolist())
        self.assertTrue(np.all(np.isnan(found["AP_amplitude"][:, 0])))
        self.assertTrue(np.all(found["AP_amplitude"][:, 1] > 50))
        for batch in (1, 3, np.int64(4)):
            table = hillock.sweep_efel(cell(), {GNABAR: ["0.1 S/cm2", "0.15 S/cm2"]}, {AMPLITUDE: [0.0, 0.3]}, report="v",
                                       names=OWN_FEATURES, start_ms=5, stop_ms=40, batch=batch, backend="cpu")
            for name, column in found.items():
                np.testing.assert_array_equal(table[name], column, name)
        with self.assertRaisesRegex(hillock.UsageError, "eFEL has no feature 'spikes'|spikes is not among the features"):
            sweep.efel("v", ["spikes"], 5, 40)
        with self.assertRaisesRegex(hillock.UsageError, "begins at 40 ms and ends at 5 ms"):
            sweep.efel("v", ["Spikecount"], 40, 5)
        with self.assertRaisesRegex(hillock.UsageError, "none of number 7"):
            sweep.efel("v", ["Spikecount"], 5, 40, element=7)

    @unittest.skipUnless(importlib.util.find_spec("efel"), "efel is not there")
    def test_features_are_those_of_efel(self):
        import efel

        draws = np.random.default_rng(8)
        values = {GNABAR: draws.uniform(0.03, 0.25, 60), "cells.pyr.regions.soma.hh.gkbar": draws.uniform(0.01, 0.08, 60)}
        sweep = hillock.sweep(cell(), values, {AMPLITUDE: [0.0, 0.05, 0.3, 1.0]}, backend="cpu")
        traces = sweep.report("v")[..., 0].reshape(len(sweep), -1)
        for start, stop in ((5, 38), (12, 20), (0, 30)):
            found = sweep.efel("v", [*OWN_FEATURES, "peak_voltage"], start, stop)
            theirs = efel.get_feature_values(
                [{"T": sweep.times("v"), "V": trace.astype(float), "stim_start": [start], "stim_end": [stop]}
                 for trace in traces], OWN_FEATURES + ["AP_begin_indices", "AP_end_indices"], raise_warnings=False)
            for name in OWN_FEATURES:
                # Of a spike whose end the trace does not have eFEL's width is any number.
                lacks_end = [name == "AP_duration_half_width" and one["AP_begin_indices"] is not None
                             and len(one["AP_begin_indices"]) > len(one["AP_end_indices"]) for one in theirs]
                expected = [np.nan if one[name] is None or len(one[name]) == 0 or lacks else np.mean(one[name])
                            for one, lacks in zip(theirs, lacks_end)]
                np.testing.assert_allclose(found[name].ravel(), expected, rtol=1e-12, atol=1e-10, err_msg=name)
                if start == 5:
                    self.assertGreater(np.isfinite(found[name]).sum(), 100, name)

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
