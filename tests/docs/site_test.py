#!/usr/bin/env python3
"""docs are built as pages without a warning, which is what a link to nowhere is and a page that nothing leads to; every
example of the gallery has made its picture, or says what it lacks.

  PYTHONPATH=build/release/python python3 tests/docs/site_test.py

Needs what docs/site/make.py needs.
"""

import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77

if missing := [name for name in ("sphinx", "myst_parser", "furo", "matplotlib") if not importlib.util.find_spec(name)]:
    print(f"left out: no {', '.join(missing)} (PyPI's sphinx, myst-parser, furo and matplotlib)")
    sys.exit(1 if os.environ.get("REQUIRE_PYTHON") == "1" else SKIPPED)

# Debian's NEURON is that of Debian's Python.
DEBIANS = pathlib.Path("/usr/lib/python3/dist-packages/neuron").glob(f"hoc.cpython-{sys.version_info[0]}{sys.version_info[1]}-*.so")
REQUIRED = {"gpu": os.environ.get("REQUIRE_GPU") == "1",
            "neuron_script": os.environ.get("REQUIRE_PEERS") == "1" and any(DEBIANS)}


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.pages = pathlib.Path(folder.name)
        done = subprocess.run([sys.executable, ROOT / "docs/site/make.py", cls.pages], capture_output=True, text=True)
        cls.said = done.stdout + done.stderr
        if done.returncode != 0:
            raise AssertionError(f"the site is not built:\n{cls.said}")

    def test_examples_have_pictures(self):
        scripts = sorted(path.stem for path in (ROOT / "examples/gallery").glob("*.py"))
        self.assertEqual(len(scripts), 10)
        gallery = (self.pages / "docs/gallery.html").read_text()
        for name in scripts:
            page = (self.pages / f"examples/gallery/{name}.html").read_text()
            self.assertIn("import hillock" if name != "neuron_script" else "import coreneuron", re.sub("<.*?>", "", page))
            if (self.pages / f"_images/{name}.png").exists():
                for text in (page, gallery):
                    self.assertRegex(text, rf'<img [^>]*src="[./]*_images/{name}\.png"')
            else:
                self.assertIn("Left out here: it needs", page)
                self.assertIn(f"left out of the gallery: {name}", self.said)
                self.assertIs(REQUIRED.get(name), False, f"{name} has no picture")

    def test_first_page(self):
        self.assertEqual((self.pages / "index.html").read_text(), (self.pages / "README.html").read_text())

    def test_nothing_comes_from_elsewhere(self):
        for path in self.pages.rglob("*.html"):
            self.assertEqual(re.findall(r'<(?:img|script|link|iframe)\b[^>]*(?:src|href)="(?:https?:)?//[^"]*', path.read_text()), [], path)


if __name__ == "__main__":
    unittest.main()
