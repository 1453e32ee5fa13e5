"""hillock.fit: values come out of their own traces; it goes on where it was stopped."""

import contextlib
import io
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import numpy as np

import hillock

R = "cells.pyr.regions."
TRUE = {R + "all.cm": 1.2, R + "all.pas.g": 8e-5, R + "all.pas.e": -67.0, R + "soma.hh.gkbar": 0.03}
BOUNDS = {R + "all.cm": (0.5, 2), R + "all.pas.g": (1e-5, 1e-3), R + "all.pas.e": (-75, -60), R + "soma.hh.gkbar": (0.01, 0.1)}


def model_of():
    return {
        "hillock": 1, "run": {"duration": "20 ms", "dt": "0.05 ms", "integrator": "crank_nicolson", "temperature": "20 degC"},
        "cells": {"pyr": {
            "morphology": {"branches": [
                {"name": "soma", "length": "20 um", "diameter": "20 um"},
                {"name": "dend[0]", "parent": "soma", "length": "200 um", "diameter": "2 um"}]},
            "discretization": {"max_length": "50 um"},
            "regions": {"all": {"cm": "1 uF/cm2", "Ra": "100 ohm.cm", "pas": {"g": "1e-4 S/cm2", "e": "-65 mV"}},
                        "soma": {"hh": {"gnabar": "0.1 S/cm2"}}}}},
        "populations": {"exc": {"cell": "pyr", "size": 2}},
        "stimuli": [{"iclamp": {"amplitude": f"{nA} nA", "start": "2 ms", "duration": "10 ms"}, "to": f"exc[{k}:{k + 1}]",
                     "at": "soma(0.5)"} for k, nA in enumerate((-0.1, 0.1))],
        "record": [{"name": "v", "of": "exc", "variable": "v", "at": "soma(0.5)", "every": "0.25 ms", "type": "float64"}]}


class Fit(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        trace = hillock.run(hillock.load(model_of(), set=TRUE), backend="cpu")["v"].data
        cls.target = {"v": trace + 0.01 * np.random.default_rng(1).standard_normal(trace.shape)}

    def fit(self, **more):
        return hillock.fit(model_of(), self.target, BOUNDS, **{"starts": 4, "progress": False} | more)

    def test_what_is_known_comes_out(self):
        found = self.fit()
        for path, number in TRUE.items():
            self.assertAlmostEqual(found.values[path] / number, 1, 1, path)
        self.assertLess(found.loss, 2 * self.target["v"].size * 0.01**2)
        self.assertEqual([one.loss for one in found.starts], sorted(one.loss for one in found.starts))
        for one in found.starts:
            self.assertTrue(one.is_done)
            for path, (low, high) in BOUNDS.items():
                self.assertTrue(low <= one.begun[path] <= high and low <= one.values[path] <= high)
        self.assertEqual(self.fit(threads=1), found)  # whoever runs them

    def test_goes_on(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "fit.json"
            part = self.fit(starts=np.int64(4), rounds=np.int64(3), threads=np.int64(2), file=file)
            self.assertLessEqual(max(one.rounds for one in part.starts), 3)
            whole = self.fit(file=file)
            self.assertGreater(max(one.rounds for one in whole.starts), 3)
            self.assertLess(whole.loss, part.loss)
            with mock.patch("hillock._fit.gradient", wraps=hillock.gradient) as asked:
                self.assertEqual(self.fit(file=file), whole)
            self.assertEqual(asked.call_count, 1)  # whether it is that of the model
            with self.assertRaisesRegex(hillock.FileError, "of a fit of another model"):
                hillock.fit(hillock.load(model_of(), set={"run.temperature": "21 degC"}), self.target, BOUNDS, starts=4,
                            progress=False, file=file)
            with self.assertRaisesRegex(hillock.FileError, "of a fit with other targets"):
                self.fit(file=file, seed=2)
            file.write_text(json.dumps([]), encoding="utf-8")
            with self.assertRaisesRegex(hillock.FileError, "not a file that fit keeps"):
                self.fit(file=file)

    def test_what_fails_ends_it(self):
        with mock.patch("hillock._fit.gradient", side_effect=hillock.NumericalError("not finite")), \
                self.assertRaisesRegex(hillock.NumericalError, "not finite"):
            self.fit()

    def test_line(self):
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            self.fit(rounds=1, progress=True)
        self.assertRegex(said.getvalue(), r"^Hillock: fitting  4 of 4 starts done  4 rounds  loss [\d.e+]+  \d+ s\n$")

    def test_what_makes_no_sense(self):
        def refuses(words, **changed):
            with self.assertRaisesRegex(hillock.UsageError, words):
                hillock.fit(**{"model": model_of(), "targets": self.target, "parameters": BOUNDS, "progress": False} | changed)

        path = R + "all.cm"
        refuses("at least one path and its bounds", parameters={})
        refuses(r"two numbers are needed, \(low, high\)", parameters={path: 3})
        refuses(r"all\.cm: bounds have to rise, not \(2, 1\)", parameters={path: (2, 1)})
        refuses("starts: a number above 0", starts=0)
        refuses("targets have to be numbers", targets={"v": self.target["v"] * np.nan})
        refuses("nothing that is recorded is called 'w'", targets={"w": [[0]]})

    def test_without_scipy(self):
        said = subprocess.run(
            [sys.executable, "-c", "import sys; sys.modules['scipy'] = None; import hillock; hillock.fit({}, {}, {})"],
            capture_output=True, text=True)
        self.assertIn("fit needs scipy: pip install scipy", said.stderr)


if __name__ == "__main__":
    unittest.main()
