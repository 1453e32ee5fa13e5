"""Reads the rows that `hillock bench solvers --json` wrote, for the plots of this folder."""

import json
import pathlib


def read(paths, table):
    """Rows of one table, from one file or several."""
    paths = [paths] if isinstance(paths, (str, pathlib.Path)) else paths
    lines = [line for path in paths for line in pathlib.Path(path).read_text().splitlines()]
    return [row for row in map(json.loads, filter(str.strip, lines)) if row["table"] == table]


def select(found, /, **wanted):
    return [r for r in found if all(r.get(k) == v for k, v in wanted.items())]


def describe(rows):
    """Where, with what and when the first row was measured."""
    r = rows[0]
    words = [r["device"]]
    if "cpu" in r:
        words += [f"{r['cpu']}, {r['threads']} threads", r["date"][:10], f"commit {r['commit']}"]
    return "; ".join(words)
