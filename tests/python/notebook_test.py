#!/usr/bin/env python3
"""The notebooks of docs/notebooks run, and lie there without outputs.

  PYTHONPATH=build/release/python python3 tests/python/notebook_test.py

A cell that needs scipy is left out, and said to be, where that is not installed.
"""

import importlib.util
import json
import os
import pathlib
import unittest

import matplotlib

matplotlib.use("Agg")

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "docs/notebooks"


class NotebookTest(unittest.TestCase):
    def test_cells_run_and_have_no_outputs(self):
        notebooks = sorted(FOLDER.glob("*.ipynb"))
        self.assertTrue(notebooks)
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(FOLDER)
        for path in notebooks:
            names = {}
            for number, cell in enumerate(json.loads(path.read_text(encoding="utf-8"))["cells"], 1):
                if cell["cell_type"] != "code":
                    continue
                self.assertEqual((cell["outputs"], cell["execution_count"]), ([], None))
                source = "".join(cell["source"])
                if "scipy" in source and importlib.util.find_spec("scipy") is None:
                    print(f"{path.name}: cell {number} is left out, scipy is not installed")
                    continue
                exec(compile(source, f"{path.name}, cell {number}", "exec"), names)
            if "fit" in names:
                self.assertAlmostEqual(names["fit"].x, 0.105, delta=1e-3)


if __name__ == "__main__":
    unittest.main()
