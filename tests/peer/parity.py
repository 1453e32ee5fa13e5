"""Runs Hillock and NEURON on one model and compares them number by number.

Not here: how a model is described for both (twin.py).  Every script of this folder is a test:
exit 0 when all comparisons hold, 1 when one does not, 77 (skipped) when something is left out because
NEURON or data is missing; REQUIRE_PEERS=1 turns a missing NEURON into 1.

  HILLOCK=path/to/hillock   the program under test (or --hillock PATH; else build/release/hillock)
  HILLOCK_SHARED=folder     data kept beside the repository (default ../shared)
"""

import argparse
import dataclasses
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "bench"))
from needs import SKIPPED, Needs, peers_are_required  # noqa: E402


def skip(reason):
    """Ends the script: skipped, or failed when peers are required."""
    required = peers_are_required()
    print(f"{'FAILED' if required else 'SKIPPED'}: {reason}")
    sys.exit(1 if required else SKIPPED)



# NEURON is looked at here too, so that one message names all; some scripts can do without it.
if missing := Needs().modules("h5py", "numpy").missing:
    skip("; ".join(missing + Needs().modules("neuron").missing))
import h5py  # noqa: E402
import numpy as np  # noqa: E402


def load_neuron():
    """NEURON's interpreter with its standard library, fixed step, exact rates."""
    try:
        os.environ.setdefault("NEURON_MODULE_OPTIONS", "-nogui")
        from neuron import h
    except ImportError:
        skip("; ".join(Needs().modules("neuron").missing) or f"NEURON does not start for {sys.executable}")
    h.load_file("stdrun.hoc")
    h.usetable_hh = 0
    return h


def compute_side_by_side(h):
    """What NEURON computes with lies side by side: the same bytes in half the time. Not where cells have gap junctions,
    and not where it matters which of several events of one time comes first: these it would hand out otherwise."""
    h.CVode().cache_efficient(1)


def need_hillock(path):
    """Ends the script when there is no such program."""
    needs = Needs().program(path, "build it with ./dev build, or name another in HILLOCK")
    if needs.missing:
        sys.exit(f"FAILED: {needs.missing[0]}")


def shared(*parts):
    """A file of the data kept beside the repository, or None."""
    root = pathlib.Path(os.environ.get("HILLOCK_SHARED", REPOSITORY.parent / "shared"))
    path = root.joinpath(*parts)
    return path if path.exists() else None


def arguments(description, cases=()):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--hillock", help="the program under test")
    parser.add_argument("--keep", help="folder for models and outputs (default: a temporary one)")
    parser.add_argument("--neuron-only", action="store_true", help="run NEURON's half and print it")
    parser.add_argument("--threads", type=int, default=1)
    if cases:
        parser.add_argument("cases", nargs="*", help=f"of: {' '.join(cases)} (default: all)")
    options = parser.parse_args()
    if cases:
        unknown = set(options.cases) - set(cases)
        if unknown:
            parser.error(f"no such case: {' '.join(sorted(unknown))}")
        options.cases = options.cases or list(cases)
    return options


class Output:
    """What one run of Hillock left behind."""

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)

    def spikes(self, population):
        """{cell: times in ms}"""
        with h5py.File(self.directory / "spikes.h5") as file:
            group = file["spikes"][population]
            times, cells = group["timestamps"][:], group["node_ids"][:]
        return spikes_by_cell(times, cells)

    def trace(self, name, population):
        """(times in ms, data[time, element])"""
        with h5py.File(self.directory / f"{name}.h5") as file:
            group = file["report"][population]
            data = group["data"][:].astype(float)
            start, _, every = group["mapping"]["time"][:]
        return start + every * np.arange(len(data)), data


def spikes_by_cell(times, cells):
    times, cells = np.asarray(times), np.asarray(cells).astype(int)
    return {int(cell): np.sort(times[cells == cell]) for cell in np.unique(cells)}


class Session:
    """One test script: its options, its scratch folder, its table of comparisons."""

    def __init__(self, description, cases=(), neuron=True):
        self.options = arguments(description, cases)
        self.scratch = tempfile.TemporaryDirectory(prefix="hillock-peer-")
        self.folder = pathlib.Path(self.options.keep or self.scratch.name)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.hillock_path = self._find_hillock()
        self.rows = []
        self.started = time.time()
        self.left_out = 0
        self.neuron = load_neuron() if neuron else None

    def _find_hillock(self):
        named = self.options.hillock or os.environ.get("HILLOCK")
        path = pathlib.Path(named) if named else REPOSITORY / "build" / "release" / "hillock"
        if not self.options.neuron_only:
            need_hillock(path)
        return path.resolve()

    def hillock(self, model, name, *more):
        """Runs Hillock on a model (a dict, or the path of a file). None with --neuron-only."""
        if isinstance(model, dict):
            path = self.folder / f"{name}.yaml"
            path.write_text(json.dumps(model, indent=1) + "\n")  # JSON is YAML
        else:
            path = pathlib.Path(model)
        if self.options.neuron_only:
            return None
        out = self.folder / f"{name}.out"
        self.command("run", path, "-o", out, "--force", "--threads", self.options.threads, *more)
        return Output(out)

    def accepts(self, model, name):
        """Whether Hillock finds no error in a model."""
        path = self.folder / f"{name}.yaml"
        path.write_text(json.dumps(model, indent=1) + "\n")
        return subprocess.run([self.hillock_path, "validate", path], capture_output=True).returncode == 0

    def command(self, *words):
        """Standard output of `hillock words`. Ends the script when Hillock fails."""
        words = [str(self.hillock_path), *map(str, words)]
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"FAILED: {' '.join(words)}\n  ended with status {done.returncode}\n"
                     f"{done.stdout[-2000:]}{done.stderr[-4000:]}")
        return done.stdout

    # -- comparisons ------------------------------------------------------------------------------

    def within(self, case, quantity, value, limit, unit=""):
        """value must not exceed limit."""
        self.rows.append((case, quantity, value, f"<= {limit:g}", unit,
                          bool(math.isfinite(value) and value <= limit)))

    def between(self, case, quantity, value, low, high, unit=""):
        self.rows.append((case, quantity, value, f"{low:g} .. {high:g}", unit,
                          bool(low <= value <= high)))

    def equal(self, case, quantity, value, expected, unit=""):
        self.rows.append((case, quantity, value, f"== {expected}", unit, value == expected))

    def same_trace(self, case, quantity, ours, theirs, limit, unit="mV"):
        """Largest difference of two arrays over all times and places."""
        ours, theirs = np.asarray(ours), np.asarray(theirs)
        if ours.shape != theirs.shape:
            self.equal(case, f"shape of {quantity}", ours.shape, theirs.shape)
            return
        self.within(case, f"max |difference| of {quantity}", np.abs(ours - theirs).max(), limit, unit)

    def same_spikes(self, case, ours, theirs, dt):
        """Counts equal in every cell, times within one step.

        dt gets a part in 1e6 on top: the two programs sum their clocks in different orders.
        """
        cells = sorted(set(ours) | set(theirs))
        none = np.empty(0)
        unequal = [c for c in cells if len(ours.get(c, none)) != len(theirs.get(c, none))]
        total = sum(map(len, theirs.values()))
        self.equal(case, f"cells of {len(cells)} whose spike counts differ ({total} spikes)",
                   len(unequal), 0)
        if unequal:
            cell = unequal[0]
            print(f"{case}: cell {cell}: hillock {list(ours.get(cell, none))[:12]}\n"
                  f"{' ' * len(case)}          neuron  {list(theirs.get(cell, none))[:12]}")
        paired = [np.abs(ours[c] - theirs[c]).max() for c in cells
                  if c not in unequal and len(theirs[c])]
        if paired:
            self.within(case, "max |difference| of spike times", max(paired), dt * (1 + 1e-6), "ms")

    def leave_out(self, what):
        """Notes a part that cannot be run here: the script ends as skipped, if not as failed."""
        print(f"left out: {what}")
        self.left_out += 1

    def finish(self):
        """Prints the table and ends the script."""
        if self.rows:
            width = [max(len(str(row[i])) for row in self.rows) for i in (0, 1)]
            for case, quantity, value, limit, unit, holds in self.rows:
                number = f"{value:.3g}" if isinstance(value, float) else str(value)
                print(f"{'ok  ' if holds else 'FAIL'} {case:{width[0]}} {quantity:{width[1]}} "
                      f"{number:>10} {limit:>14} {unit}")
        failed = sum(not row[-1] for row in self.rows)
        print(f"{len(self.rows)} comparisons, {failed} failed, {time.time() - self.started:.1f} s")
        self.scratch.cleanup()
        sys.exit(1 if failed else SKIPPED if self.left_out else 0)


# -- NEURON's side --------------------------------------------------------------------------------

@dataclasses.dataclass
class Run:
    """What both programs are told about time."""

    duration: float
    dt: float = 0.025
    integrator: str = "backward_euler"
    temperature: float = 6.3
    v_init: float = -65.0
    spike_time: str = "grid"

    def model(self):
        return {"duration": f"{self.duration!r} ms", "dt": f"{self.dt!r} ms", "seed": 1,
                "temperature": f"{self.temperature!r} degC", "v_init": f"{self.v_init!r} mV",
                "integrator": self.integrator, "spike_time": self.spike_time}

    @property
    def steps(self):
        return round(self.duration / self.dt)


def run_neuron(h, run, at_start=None):
    """Fixed steps from 0 to run.duration; at_start is called inside finitialize, to queue events.

    NEURON looks at the start of a step for crossings in the one before, so it gets one step more:
    recordings hold run.steps + 2 samples.
    """
    h.celsius = run.temperature
    h.secondorder = 2 if run.integrator == "crank_nicolson" else 0
    h.dt = run.dt
    handler = h.FInitializeHandler(at_start) if at_start else None
    h.finitialize(run.v_init)
    for _ in range(run.steps + 1):
        h.fadvance()
    del handler


class SpikeRecorder:
    """Spike times of NEURON cells by cell number."""

    def __init__(self, h):
        self.h, self.times, self.cells, self.connections = h, h.Vector(), h.Vector(), []

    def add(self, number, connection):
        connection.record(self.times, self.cells, number)
        self.connections.append(connection)

    def spikes(self):
        return spikes_by_cell(self.times.as_numpy(), self.cells.as_numpy())
