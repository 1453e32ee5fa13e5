"""Reads the rows that `hillock bench solvers --json` and the scripts of gpu/ wrote, for the plots of this folder."""

import argparse
import json
import pathlib
import sys

from needs import check_files

PLOTS = pathlib.Path(__file__).resolve().parent / "plots"


def options_of_plot(doc, tables, command=None):
    """The command line of a script that draws some tables: `json`, the files, and `to`, the folder of its pictures,
    which is made. Ends the script as check_files() and check() do. doc: the script's, whose first paragraph is told."""
    parser = argparse.ArgumentParser(description=doc.split("\n\n")[0])
    parser.add_argument("json", nargs="+", type=pathlib.Path, metavar="FILE", help="rows, one JSON object a line")
    parser.add_argument("--to", type=pathlib.Path, default=PLOTS, metavar="FOLDER", help="where pictures go")
    options = parser.parse_args()
    check_files(options.json, options.to)
    check(options.json, tables, command)
    return options


def read(paths, table):
    """Rows of one table, from one file or several."""
    paths = [paths] if isinstance(paths, (str, pathlib.Path)) else paths
    return [row for path in paths for row in _rows_of(path) if row["table"] == table]


def check(paths, tables, command=None):
    """Ends the script when the files hold none of the tables. command: what writes them."""
    if not any(read(paths, table) for table in tables):
        sys.exit(f"{pathlib.Path(sys.argv[0]).name}: no rows of {', '.join(tables)} in "
                 f"{', '.join(map(str, paths))}: write them with "
                 f"{command or f'hillock bench solvers --table {tables[0]} --json FILE'}")


def _rows_of(path):
    rows = []
    for number, line in enumerate(pathlib.Path(path).read_text().splitlines(), 1):
        try:
            row = json.loads(line) if line.strip() else None
        except json.JSONDecodeError as error:
            sys.exit(f"{path}:{number}: no row of JSON ({error.msg})")
        if row is not None and (not isinstance(row, dict) or "table" not in row):
            sys.exit(f"{path}:{number}: no row of a table")
        if row is not None:
            rows.append(row)
    return rows


def select(found, /, **wanted):
    return [r for r in found if all(r.get(k) == v for k, v in wanted.items())]


def describe(rows):
    """Where, with what and when the first row was measured."""
    r = rows[0]
    words = [r["device"]]
    if "cpu" in r:
        words += [f"{r['cpu']}, {r['threads']} threads", r["date"][:10], f"commit {r['commit']}"]
    return "; ".join(words)
