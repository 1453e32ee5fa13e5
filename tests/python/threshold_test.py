"""hillock.threshold: how strong a field, or a current, must be."""

import unittest

import numpy as np

import hillock
from models import cell, network

SCALE = "stimuli.0.field.scale"


def fibres(size=4, duration="0.2 ms", **more):
    """Unmyelinated fibres of 2 mm, farther and farther from an electrode."""
    model = cell(**more)
    model["run"] |= {"duration": "6 ms", "temperature": "20 degC"}
    model["cells"]["pyr"] = {
        "morphology": {"branches": [{"name": "axon", "unit": "um", "compartments": 80,
                                     "points": [[-1000, 0, 0, 5], [1000, 0, 0, 5]]}]},
        "regions": {"all": {"hh": {}, "cm": "1 uF/cm2", "Ra": "70 ohm.cm"}}, "detector": {"at": "axon(0.5)"}}
    model["populations"] = {"exc": {"cell": "pyr", "size": size, "positions": {
        "list": [["-1000 um", "0 um", f"{100 + 50 * k} um"] for k in range(size)]}}}
    model["stimuli"] = [{"to": "exc", "field": {
        "points": [["0 um", "0 um", "0 um"]], "current": "-0.1 mA", "conductivity": "0.3 S/m",
        "waveform": {"amplitude": 1, "start": "0.5 ms", "duration": duration}}}]
    model["record"] = [{"name": "spikes", "of": "exc"}]
    return model


class Threshold(unittest.TestCase):
    def spikes(self, model, scale):
        spikes = hillock.run(hillock.load(model).with_values({SCALE: scale}), backend="cpu").spikes["exc"]
        return {int(one) for one in spikes.ids}

    def test_it_is_the_least_that_is_enough(self):
        model = fibres()
        found = hillock.threshold(model, SCALE, "exc", spikes_at="axon(0.95)", backend="cpu")
        self.assertTrue(np.all(np.diff(found) > 0), found)  # farther away more is needed
        model["cells"]["pyr"]["detector"]["at"] = "axon(0.95)"
        for number, least in enumerate(found):
            self.assertIn(number, self.spikes(model, float(least)))
            self.assertNotIn(number, self.spikes(model, float(least) * 0.99))

    def test_strength_and_duration(self):
        durations = [0.05, 0.1, 0.2, 0.4]
        found = hillock.threshold(fibres(2), SCALE, "exc", spikes_at="axon(0.95)", high=2, backend="cpu",
                                  values={"stimuli.0.field.waveform.duration": durations})
        self.assertEqual(found.shape, (4, 2))
        self.assertTrue(np.all(np.diff(found, axis=0) < 0), found)
        alone = hillock.threshold(fibres(2, "0.1 ms"), SCALE, "exc", spikes_at="axon(0.95)", high=2,
                                  backend="cpu")
        self.assertEqual(found[1].tolist(), alone.tolist())

    def test_what_is_not_enough_is_nan_and_what_always_is_the_lowest(self):
        found = hillock.threshold(fibres(), SCALE, "exc", high=0.4, backend="cpu")
        self.assertTrue(np.isfinite(found[0]) and np.isnan(found[-1]), found)
        one = hillock.threshold(cell(), "stimuli.0.iclamp.amplitude", "exc", low=0.2, backend="cpu")
        self.assertEqual(one.tolist(), [0.2] * 3)

    def test_block(self):
        """A current that depolarises for long ends the spikes that a smaller one makes."""
        model = cell("100 ms")
        least = hillock.threshold(model, "stimuli.0.iclamp.amplitude", "exc", low=0.3, high=20, block=True,
                                  window_ms=(60, 100), backend="cpu")
        for amplitude, spikes in ((least[0] * 1.02, False), (least[0] * 0.98, True)):
            run = hillock.run(hillock.load(model).with_values({"stimuli.0.iclamp.amplitude": float(amplitude)}))
            self.assertEqual(bool(np.any(run.spikes["exc"].times >= 60)), spikes, amplitude)

    def test_errors_have_names(self):
        for words, call in (("there is no population 'inh'", lambda: hillock.threshold(cell(), SCALE, "inh")),
                            ("lower one at least 0", lambda: hillock.threshold(cell(), SCALE, "exc", low=2)),
                            ("tolerance", lambda: hillock.threshold(cell(), SCALE, "exc", tolerance=0)),
                            ("high: a number", lambda: hillock.threshold(cell(), SCALE, "exc", high="1 nA")),
                            ("window_ms: a number", lambda: hillock.threshold(cell(), SCALE, "exc", window_ms=(0, "1 ms"))),
                            ("is what is looked for", lambda: hillock.threshold(cell(), SCALE, "exc", values={SCALE: [1, 2]})),
                            ("cells are connected", lambda: hillock.threshold(network(), SCALE, "exc"))):
            with self.assertRaisesRegex(hillock.UsageError, words):
                call()
        with self.assertRaisesRegex(hillock.ModelError, "scale"):
            hillock.threshold(cell(), SCALE, "exc")


if __name__ == "__main__":
    unittest.main()
