"""Runs models through the command and says what each run took: what the scripts of this folder share.

The standard library alone is needed, so that they run on a machine with a GPU and little else."""

import argparse
import datetime
import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
for folder in (HERE.parent, HERE.parent / "cpu"):
    sys.path.insert(0, str(folder))
from needs import Needs  # noqa: E402

LOOP = ("advance", "exchange", "record")  # of run.json's timings_s


class Failed(Exception):
    """A run that ended with an error: the last line that it said."""


def parser_of(doc, duration):
    """Options of every script; duration: ms, unless --duration says another."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hillock", default=os.environ.get("HILLOCK", ROOT / "build/release/hillock"))
    parser.add_argument("--backend", default="cuda")
    parser.add_argument("--duration", type=float, default=duration, help="ms that each model runs")
    parser.add_argument("--only", default="", help="models whose name has this in it")
    parser.add_argument("--set", action="append", default=[], help="PATH=VALUE, passed on to every run")
    parser.add_argument("--json", default="", help="a file for the rows, one JSON object a line")
    parser.add_argument("--commit", default="", help="what the rows say of the build")
    return parser


def options_of(parser):
    """The command line's options. Ends the script when the program is missing."""
    options = parser.parse_args()
    needs = Needs().program(options.hillock, "build it with ./dev build, or name it with --hillock")
    if options.json:
        needs.writable(options.json)
    needs.check()
    options.hillock = pathlib.Path(options.hillock).resolve()
    return options


class Models:
    """A folder for models and outputs, and the program that runs them."""

    def __init__(self, options):
        self.options = options
        self.sets = [word for one in options.set for word in ("--set", one)]
        self.scratch = tempfile.TemporaryDirectory(prefix="hillock-bench-")
        self.folder = pathlib.Path(self.scratch.name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.scratch.cleanup()

    def write(self, model, **files):
        """model.yaml of a dictionary or a text, and the files beside it: pairs="…" is pairs.csv. Returns its path."""
        path = self.folder / "model.yaml"
        path.write_text(model if isinstance(model, str) else json.dumps(model))
        for name, text in files.items():
            (self.folder / f"{name}.csv").write_text(text)
        return path

    def run(self, model, *words, backend=None, out=None):
        """run.json of one run, with `peak_bytes`, the most memory that its process had. Throws Failed."""
        out = out or self.folder / "out"
        with subprocess.Popen([self.options.hillock, "run", model, "-o", out, "--force", "--quiet", "--backend",
                               backend or self.options.backend, *self.sets, *words],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            said = process.stderr.read()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise Failed(_last_line(said, process.returncode))
        told = json.loads((pathlib.Path(out) / "run.json").read_text())
        return told | {"peak_bytes": usage.ru_maxrss * 1024}

    def info(self, model, backend, *words):
        """What hillock info says of the model on a backend. Throws Failed."""
        done = subprocess.run([self.options.hillock, "info", model, "--json", "--backend", backend, *self.sets, *words],
                              capture_output=True, text=True)
        if done.returncode != 0:
            raise Failed(_last_line(done.stderr, done.returncode))
        return json.loads(done.stdout)


def _last_line(said, status):
    return (said.strip().splitlines() or [f"ended with {status}"])[-1]


def loop_s(told):
    """Seconds of the loop, exchange and recording included."""
    return sum(told["timings_s"][part] for part in LOOP)


def us_a_step(told):
    return loop_s(told) / told["steps"] * 1e6


def end(failures):
    """Ends the script with 1 when runs failed."""
    if failures:
        sys.exit(f"{failures} run{'s' if failures > 1 else ''} failed")


class Rows:
    """The rows of a table, for bench/rows.py to read. Without a file they go nowhere."""

    def __init__(self, table, options):
        self.table, self.options, self.rows = table, options, []

    def add(self, told, **fields):
        """told: run.json of the run that the row is of."""
        self.rows.append({"table": self.table, **fields, "device": told["device"] or told["instruction_set"],
                          "cpu": _processor(), "threads": told["threads"], "commit": self.options.commit,
                          "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")})
        if self.options.json:
            pathlib.Path(self.options.json).write_text("".join(json.dumps(row) + "\n" for row in self.rows))


def _processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()
