"""Pages that show a model before it runs, or a run: the command's `view` and `report`."""

from __future__ import annotations

import base64
import os
import pathlib
import warnings

from . import _hillock
from ._model import Model, Source, as_model
from ._results import Results


class Page:
    """One HTML file that needs nothing else: ``text``; ``save(path)`` writes it, and a notebook shows it."""

    def __init__(self, text: str):
        self.text = text

    def save(self, path: str | os.PathLike) -> pathlib.Path:
        """Writes it in place of what is there, and returns the path."""
        path = pathlib.Path(path)
        path.write_text(self.text, encoding="utf-8")
        return path

    def _repr_html_(self):
        content = base64.b64encode(self.text.encode()).decode()
        return (f'<iframe src="data:text/html;base64,{content}" width="100%" height="720" '
                'style="border:0" sandbox="allow-scripts"></iframe>')

    def __repr__(self):
        return f"Page of {len(self.text.encode()) / 1e6:.3g} MB"


def view(model: Source | Model) -> Page:
    """The page of a model: its cells, where things are on them, populations, what connections come to.

    model: what load() gives, or takes. Raises as load().
    """
    model = as_model(model)
    return Page(_hillock.view_page(model._native, pathlib.Path(model.path).stem))


def report(results: Results | str | os.PathLike) -> Page:
    """The page of a run: its spikes, traces and what it took.

    results: the directory of a run, complete or not, or Results that are in one. A file in it that cannot be read is a
    warning. Raises FileError; ValueError for Results that are in memory alone.
    """
    directory = results.directory if isinstance(results, Results) else os.fspath(results)
    if directory is None:
        raise ValueError("these results are in memory: run(output=) writes the files that a page is made of")
    text, problems = _hillock.report_page(directory)
    for problem in problems:
        warnings.warn(problem, stacklevel=2)
    return Page(text)
