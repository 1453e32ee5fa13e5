"""What goes wrong, as exceptions. Their texts are those that the command prints."""


class HillockError(Exception):
    """Everything that Hillock raises on purpose."""


class ModelError(HillockError, ValueError):
    """The model, or a file that it names, is wrong.

    ``problems`` has everything that was found, as :class:`Problem`; the text has a line for each.
    """

    def __init__(self, text, problems=()):
        super().__init__(text)
        self.problems = [Problem(*problem) for problem in problems]

    def __reduce__(self):
        return type(self), (str(self), [problem.as_tuple() for problem in self.problems])


class Problem:
    """One finding about a model.

    ``severity`` is "error" or "warning"; ``line`` and ``column`` count from 1, 0 where unknown.
    """

    def __init__(self, severity, file, line, column, message):
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

    def __init__(self, text, time_ms=0.0, population="", cell=0, compartment=""):
        super().__init__(text)
        self.time_ms = time_ms
        self.population = population
        self.cell = cell
        self.compartment = compartment

    def __reduce__(self):
        return type(self), (str(self), self.time_ms, self.population, self.cell, self.compartment)


class FileError(HillockError, OSError):
    """A file cannot be read or written. ``filename`` says which."""

    def __init__(self, text, filename=None):
        super().__init__(text)
        self.filename = filename

    def __str__(self):
        return str(self.args[0])

    def __reduce__(self):
        return type(self), (str(self), self.filename)


class DeviceError(HillockError, RuntimeError):
    """A GPU cannot be used, or has too little memory."""


class UsageError(HillockError, ValueError):
    """Something was asked for that cannot be."""
