"""What goes wrong, as exceptions. Their texts are those that the command prints."""

from __future__ import annotations

import errno
import os
from typing import Any

import numpy as np


class HillockError(Exception):
    """Everything that Hillock raises on purpose."""


class ModelError(HillockError, ValueError):
    """The model, or a file that it names, is wrong.

    ``problems`` has everything that was found, as :class:`Problem`; the text has a line for each.
    """

    def __init__(self, text: str, problems=()):
        super().__init__(text)
        self.problems: list[Problem] = [Problem(*problem) for problem in problems]

    def __reduce__(self):
        return type(self), (str(self), [problem.as_tuple() for problem in self.problems])


class Problem:
    """One finding about a model.

    ``severity`` is "error" or "warning"; ``line`` and ``column`` count from 1, 0 where unknown.
    """

    def __init__(self, severity: str, file: str, line: int, column: int, message: str):
        self.severity = severity
        self.file = file
        self.line = line
        self.column = column
        self.message = message

    def as_tuple(self):
        return self.severity, self.file, self.line, self.column, self.message

    def __eq__(self, other):
        return isinstance(other, Problem) and self.as_tuple() == other.as_tuple()

    def __repr__(self):
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part)
        return f"{place}: {self.severity}: {self.message}"


class NumericalError(HillockError, ArithmeticError):
    """A voltage stopped being finite, or a number does not fit where it is kept.

    It tells when (``time_ms``) and where: ``population``, ``cell`` (index in it) and
    ``compartment``, which is empty of cells without a shape.
    """

    def __init__(self, text: str, time_ms: float = 0.0, population: str = "", cell: int = 0,
                 compartment: str = ""):
        super().__init__(text)
        self.time_ms = time_ms
        self.population = population
        self.cell = cell
        self.compartment = compartment

    def __reduce__(self):
        return type(self), (str(self), self.time_ms, self.population, self.cell, self.compartment)


class FileError(HillockError, OSError):
    """A file cannot be read or written. ``filename`` says which, ``errno`` what the system calls it."""

    def __init__(self, text: str, filename: str | None = None, number: int | None = None):
        super().__init__(text)
        self.filename = filename
        self.errno = number

    def __str__(self):
        return str(self.args[0])

    def __reduce__(self):
        return type(self), (str(self), self.filename, self.errno)


class MissingFileError(FileError, FileNotFoundError):
    """A FileError of a file that is not there."""


class DeniedFileError(FileError, PermissionError):
    """A FileError of a file or folder that this user may not read or write."""


def file_error(text: str, filename: str, number: int | None = None) -> FileError:
    """Of whichever of the classes it is. number: what the system calls it, as far as that is known."""
    if not number:
        try:
            os.lstat(filename)
        except (OSError, ValueError) as problem:
            number = getattr(problem, "errno", errno.ENOENT)
    kinds = {errno.ENOENT: MissingFileError, errno.EACCES: DeniedFileError, errno.EPERM: DeniedFileError}
    return kinds.get(number or 0, FileError)(text, filename, number or None)


class DeviceError(HillockError, RuntimeError):
    """A GPU cannot be used, or has too little memory."""


class RankError(HillockError):
    """Another process of several that run together failed. ``rank``: which."""

    def __init__(self, text: str, rank: int = 0):
        super().__init__(text)
        self.rank = rank

    def __reduce__(self):
        return type(self), (str(self), self.rank)


class Refused(HillockError, ValueError):
    """What of a session of NEURON cannot be taken, all at once. reasons: a list of texts."""

    def __init__(self, reasons):
        self.reasons = list(dict.fromkeys(reasons))
        super().__init__("this session cannot be taken:\n" + "\n".join(f"  {r}" for r in self.reasons))


class UsageError(HillockError, ValueError):
    """Something was asked for that cannot be."""


def is_count(value: Any) -> bool:
    """Whether it is a whole number from 1 on, Python's or numpy's: what is asked before one is refused."""
    return isinstance(value, (int, np.integer)) and bool(value >= 1)
