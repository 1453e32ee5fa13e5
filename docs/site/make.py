#!/usr/bin/env python3
"""Builds docs as pages, with the pictures of the gallery; ./dev docs calls it.

  PYTHONPATH=build/release/python python3 docs/site/make.py [build/site]

Needs matplotlib, Sphinx, myst-parser and furo. A warning is a failure.
"""

import multiprocessing
import os
import pathlib
import runpy
import site
import sys
import tempfile

import matplotlib

matplotlib.use("Agg")

import hillock  # noqa: E402
from hillock import _plot_style, plot  # noqa: E402, F401: imported once, for all examples
from hillock._neuron_library import library_path  # noqa: E402
from matplotlib import pyplot  # noqa: E402
from sphinx.cmd import build  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SCRIPTS = ROOT / "examples/gallery"

# What an example may lack: {its name: (what it raises then, what is told)}.
MAY_LACK = {"gpu": (hillock.UsageError, "an NVIDIA GPU"), "neuron_script": (ImportError, "NEURON")}


def draw(script, folder):
    """Runs an example in a process of its own, which writes its picture into folder."""
    child = multiprocessing.get_context("fork").Process(target=_draw, args=(script, folder))
    child.start()
    child.join()
    if child.exitcode != 0:
        sys.exit(f"{script.relative_to(ROOT)} failed (exit code {child.exitcode})")


def _draw(script, folder):
    os.chdir(folder)
    # Debian's own modules, NEURON among them, behind those that are here.
    site.addsitedir("/usr/lib/python3/dist-packages")
    os.environ.update(CORENEURONLIB=str(library_path()), NEURON_MODULE_OPTIONS="-nogui")
    raised, lacking = MAY_LACK.get(script.stem, ((), None))
    pyplot.rcParams["axes.prop_cycle"] = matplotlib.cycler(color=_plot_style.COLORS)
    pyplot.rcParams.update({"axes.spines.top": False, "axes.spines.right": False})
    try:
        with _plot_style.style():
            pyplot.rcParams["savefig.dpi"] = 160
            runpy.run_path(str(script), run_name="__main__")
    except raised as error:
        pathlib.Path(f"{script.stem}.lacks").write_text(lacking)
        print(f"left out of the gallery: {script.stem}, for want of {lacking} ({error})")
    else:
        if not pathlib.Path(f"{script.stem}.png").exists():
            sys.exit(f"{script.name} has made no {script.stem}.png")


def main():
    out = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/site").resolve()
    with tempfile.TemporaryDirectory() as folder:
        for script in sorted(SCRIPTS.glob("*.py")):
            draw(script, folder)
        os.environ["HILLOCK_PICTURES"] = folder
        sys.exit(build.main(["-q", "-E", "-W", "--keep-going", "-d", f"{folder}/parsed", "-c", str(HERE), str(ROOT), str(out)]))


if __name__ == "__main__":
    main()
