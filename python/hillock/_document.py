"""Models that are Python's: dictionaries become the text of a model, and arrays files in memory."""

from __future__ import annotations

import functools
import io
import json
import math

import numpy as np

from ._errors import UsageError


#: Keys that take a file's name where they are not lists: {"csv": array} stands for it, too.
_NAMED_TABLES = {"electrodes", "points", "grid", "nodes"}


class Document:
    """The text of a model and the files that stand for its arrays. files: {name: bytes}; arrays: {name: {path: array or
    list of texts}} of what is not written as an HDF5 file, where the model is read in this process."""

    def __init__(self, tree, prefix="", in_files=False):
        self.files, self.arrays, self._in_files = {}, {}, in_files
        self._held = {}  # id of what is held once, however often it stands in the model: (it, name)
        self._prefix = prefix
        self._places = 0
        lines = []
        self._write_map(self._known(tree, ""), 0, lines, "")
        self.text = "\n".join(lines) + "\n"

    # Arrays are written as the file that a key takes: csv and hdf5 name files, and so does swc.

    def _known(self, tree, path):
        if not isinstance(tree, dict):
            raise TypeError(f"a model is a dictionary, not {type(tree).__name__}{_at(path)}")
        return tree

    def _write_map(self, tree, depth, lines, path):
        indent = "  " * depth
        for key, value in tree.items():
            if not isinstance(key, str):
                raise TypeError(f"keys are texts, not {key!r}{_at(path)}")
            here = f"{path}.{key}" if path else key
            name = _scalar(key, here)
            value = self._replaced(key, value, here)
            if isinstance(value, dict) and value:
                lines.append(f"{indent}{name}:")
                self._write_map(value, depth + 1, lines, here)
            elif isinstance(value, (list, tuple)) and any(isinstance(item, dict) for item in value):
                lines.append(f"{indent}{name}:")
                self._write_items(value, depth + 1, lines, here)
            else:
                lines.append(f"{indent}{name}: {self._flow(value, here)}")

    def _write_items(self, items, depth, lines, path):
        indent = "  " * depth
        for number, item in enumerate(items):
            here = f"{path}.{number}"
            if isinstance(item, dict) and item:
                first = len(lines)
                self._write_map(item, depth + 1, lines, here)
                lines[first] = f"{indent}- {lines[first][len(indent) + 2:]}"
            else:
                lines.append(f"{indent}- {self._flow(item, here)}")

    def _flow(self, value, path):
        if isinstance(value, dict):
            entries = []
            for key, item in value.items():
                here = f"{path}.{key}"
                item = self._replaced(key, item, here)
                entries.append(f"{_scalar(key, here)}: {self._flow(item, here)}")
            return "{" + ", ".join(entries) + "}"
        if isinstance(value, np.ndarray):
            value = value.tolist()
        if isinstance(value, (list, tuple)):
            if set(map(type, value)) <= {str}:
                return "[" + ", ".join(map(_quoted, value)) + "]"
            return "[" + ", ".join(self._flow(item, f"{path}.{i}") for i, item in enumerate(value)) + "]"
        return _scalar(value, path)

    def _replaced(self, key, value, path):
        """What stands for a value that is an array."""
        if key == "hdf5" and isinstance(value, dict):
            return self._hold_once(value, lambda: self._hold_datasets(_datasets(value, path)))
        if key == "file" and isinstance(value, bytes):
            return self._hold("mod", value)
        if key == "swc" and isinstance(value, np.ndarray):
            return self._hold("swc", _swc(value, path))
        if key == "csv" and isinstance(value, (np.ndarray, dict)):
            return self._hold("csv", _csv(value, path))
        if key == "csv" and type(value).__name__ == "DataFrame":
            return self._hold("csv", _csv({str(name): value[name].to_numpy() for name in value}, path))
        if key in _NAMED_TABLES and isinstance(value, dict) and set(value) == {"csv"}:
            name = self._replaced("csv", value["csv"], f"{path}.csv")
            return value if name is value["csv"] else name
        if key == "list" and isinstance(value, dict) and "source" in value:
            return self._connections(value, path)
        return value

    def _connections(self, columns, path):
        """Connections from arrays: a file in memory."""
        if not any(isinstance(column, (np.ndarray, list, tuple)) for column in columns.values()):
            return columns  # names of datasets, or a mistake that the model's reader explains
        arrays = {name: np.asarray(column) for name, column in columns.items()}
        for name, column in arrays.items():
            if column.ndim != 1:
                raise UsageError(f"{path}.{name}: must have one dimension, not {column.ndim}")
        if self._in_files and is_short(arrays):
            return {"csv": self._hold("csv", _csv(arrays, path))}
        return {"hdf5": self._hold_datasets(_datasets(arrays, path)), **{name: f"/{name}" for name in arrays}}

    def _name(self, ending):
        self._places += 1
        return f"{self._prefix}array {self._places}.{ending}"

    def _hold(self, ending, content):
        name = self._name(ending)
        self.files[name] = content
        return name

    def _hold_datasets(self, datasets):
        datasets = dict(datasets)
        if self._in_files:
            return self._hold("h5", _hdf5(datasets))
        name = self._name("h5")
        self.arrays[name] = {path: value if isinstance(value, list) else np.ascontiguousarray(value, float)
                             for path, value in datasets.items()}
        return name

    def _hold_once(self, what, hold):
        if id(what) not in self._held:
            self._held[id(what)] = what, hold()
        return self._held[id(what)][1]


def is_short(columns):
    """Whether columns are rather a text that people read, where files are written."""
    return all(len(column) <= 4096 for column in columns.values())


def _datasets(entries, path, group=""):
    """[(path in the file, array of numbers or list of texts)]; a dictionary is a group."""
    for name, value in entries.items():
        place = f"{path}.{name}"
        if isinstance(value, dict):
            yield from _datasets(value, place, f"{group}{name}/")
            continue
        array = np.asarray(value)
        if array.dtype.kind == "U":
            yield group + name, list(map(str, array))
        elif array.dtype.kind in "iufb" and array.ndim in (1, 2):
            yield group + name, array
        else:
            raise UsageError(f"{place}: a dataset has numbers or texts, of one or two dimensions")


def _hdf5(datasets):
    """The bytes of a file with these datasets."""
    import h5py

    with h5py.File("arrays", "w", driver="core", backing_store=False) as file:
        for path, value in datasets.items():
            if isinstance(value, list):
                file.create_dataset(path, data=value, dtype=h5py.string_dtype())
            else:
                file[path] = value
        file.flush()
        return file.id.get_file_image()


def _at(path):
    return f" at {path}" if path else ""


#: Names stand in many places.
_quoted = functools.lru_cache(maxsize=10_000)(json.dumps)


def _scalar(value, path):
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, np.generic):
        value = value.item()
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise UsageError(f"{path}: {value} is no number of a model")
        return repr(value)
    if isinstance(value, str):  # of numpy's
        return _quoted(value)
    if hasattr(value, "__fspath__"):
        return _quoted(str(value))
    raise TypeError(f"{path}: {type(value).__name__} cannot stand in a model")


def _columns(value, path):
    """(names or None, columns) of an array, a structured array, or a dictionary of columns."""
    if isinstance(value, dict):
        names, columns = list(value), [np.asarray(column) for column in value.values()]
    elif value.dtype.names:
        names, columns = list(value.dtype.names), [value[name] for name in value.dtype.names]
    elif value.ndim <= 2:
        names, columns = None, list(np.atleast_2d(value.T if value.ndim == 2 else value))
    else:
        raise UsageError(f"{path}: a table has one or two dimensions, not {value.ndim}")
    for column in columns:
        if column.ndim != 1 or column.dtype.kind not in "iufb":
            raise UsageError(f"{path}: the columns of a table are numbers in one dimension")
        if len(column) != len(columns[0]):
            raise UsageError(f"{path}: the columns of a table have one length")
    return names, columns


def _csv(value, path):
    names, columns = _columns(value, path)
    text = io.StringIO()
    if names:
        text.write(",".join(names) + "\n")
    # repr() of a float is the shortest text that gives the same float.
    texts = [[repr(number) for number in column.tolist()] for column in columns]
    for row in zip(*texts):
        text.write(",".join(row) + "\n")
    return text.getvalue().encode()


def _swc(value, path):
    """Samples: id, type, x, y, z, radius, parent."""
    if value.ndim != 2 or value.shape[1] != 7:
        raise UsageError(f"{path}: samples of a morphology are rows of 7 numbers")
    lines = []
    for sample, kind, x, y, z, radius, parent in value.tolist():
        lines.append(f"{int(sample)} {int(kind)} {x!r} {y!r} {z!r} {radius!r} {int(parent)}")
    return ("\n".join(lines) + "\n").encode()


def overrides_of(values):
    """[(path, text, whether it is not a text in Python)] of values that replace some of a model, as `--set` takes
    them, and a document with the files that stand for arrays."""
    document = Document({}, prefix="set ")
    texts = []
    for path, value in values.items():
        key = path.rpartition(".")[2]
        value = document._replaced(key, value, path)
        is_text = isinstance(value, str)
        texts.append((path, value if is_text else document._flow(value, path), not is_text))
    return texts, document
