#!/usr/bin/env python3
"""The notebooks of docs/notebooks run from their first cell to their last, and lie there without outputs.

  PYTHONPATH=build/release/python python3 tests/python/notebook_test.py

Needs nbclient and ipykernel, and what the notebooks import.
"""

import os
import pathlib
import unittest

import nbformat
from nbclient import NotebookClient

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "docs/notebooks"


def texts_of(cell):
    """What a cell printed."""
    return "".join(output["text"] for output in cell.outputs if output.output_type == "stream")


class Notebooks(unittest.TestCase):
    def test_the_first_steps(self):
        cells = self.executed("first_steps")
        figures = [cell for cell in cells if any("image/png" in output.get("data", {})
                                                 for output in cell.outputs)]
        self.assertGreaterEqual(len(figures), 6)
        found = float(texts_of(cells[-1]).split()[0])
        self.assertAlmostEqual(found, 0.105, delta=1e-3)

    def executed(self, name):
        """The cells of code, executed."""
        notebook = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
        cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
        for cell in cells:
            self.assertEqual((cell.outputs, cell.execution_count), ([], None))
        os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"
        NotebookClient(notebook, timeout=300, kernel_name="python3",
                       resources={"metadata": {"path": str(FOLDER)}}).execute()
        for cell in cells:
            self.assertIsNotNone(cell.execution_count)
        return cells

    def test_all_are_tested(self):
        self.assertEqual([path.stem for path in FOLDER.glob("*.ipynb")], ["first_steps"])


if __name__ == "__main__":
    unittest.main()
