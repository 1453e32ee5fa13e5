#!/usr/bin/env python3
"""Question: what do ranks of MPI cost beside threads, and what do more GPUs gain? A balanced network and busyring on
--cores cores, as threads of one process and as 1, 2, 4, … ranks that share the cores (--part cores); busyring, its
complex cells and microcircuits on 1, 2, … GPUs, a rank each, with so many cells a GPU and with a fixed number of cells
(--part gpus); a ring with hh everywhere beside NEURON under the same mpirun (--part neuron); the memory of ranks that
read a list of ten million connections (--part lists). Best of --repeat, in turns.

    ranks      x the threads of each; 0 ranks: without mpirun
    s          the loop's seconds, exchange and recording included, of the first rank
    exchange   of these, those in which it waits for the others' spikes; gpus: of each rank
    J          gpus: energy of all GPUs over the loop, by their own counters, and of these beyond what they take idle
    lists      read, build: seconds; then the peak of each rank's resident set
    speed      cores: the threads' seconds over these; gpus: the seconds of one GPU over these, of a fixed number of
               cells over the number of GPUs, too; neuron: NEURON's over these"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import builds
import models
import rank_memory
import scaling
from needs import Needs

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "gpu"), str(HERE.parents[1] / "examples/microcircuit")]
import energy  # noqa: E402
import make  # noqa: E402

LOOP = ("advance", "exchange", "record")


def launcher(ranks):
    return ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(ranks)] if ranks else []


def run(program, model, ranks, threads, *words):
    """run.json of one run; ranks: 0 without mpirun."""
    out = model.with_suffix(".out")
    done = subprocess.run([*launcher(ranks), program, "run", model, "-o", out, "--force", "--quiet", "--threads", str(threads),
                           *words], capture_output=True, text=True,
                          env=rank_memory.environment())
    if done.returncode != 0:
        raise SystemExit(f"{ranks} ranks: exit code {done.returncode}\n{done.stderr[-2000:]}")
    return json.loads((out / "run.json").read_text())


def seconds(told):
    return sum(told["timings_s"][part] for part in LOOP)


def traced(path, case, options):
    """[rank] {part of the run: seconds}, of one more run, by --trace."""
    trace = path.with_suffix(".trace.json")
    run(options.hillock, path, *case, "--backend", "cuda", "--trace", trace, *options.more)
    files = [trace] + [trace.with_suffix(f".{rank}.json") for rank in range(1, case[0])]
    ranks = []
    for file in files:
        spans = {}
        for event in json.loads(file.read_text())["traceEvents"]:
            if event["ph"] == "X" and event["name"] in (*LOOP, "build", "initialise"):
                spans[event["name"]] = spans.get(event["name"], 0) + event["dur"] / 1e6
        ranks.append(spans)
    return ranks


def list_model(connect):
    return f"""hillock: 1
run: {{duration: 2 ms, dt: 0.1 ms}}
cells: {{c: {{artificial: {{intfire: {{tau: 12 ms}}}}}}}}
populations: {{p: {{cell: c, size: 100000}}}}
stimuli: [{{poisson: {{rate: 200 Hz}}, to: "p[0:1000]", weight: 1.1}}]
projections: [{{from: p, to: p, connect: {{list: {connect}}}, weight: 0.01, delay: 1 ms}}]
record: [{{name: spikes, of: p}}]
"""


class Table:
    def __init__(self, options, folder):
        self.options, self.folder, self.rows = options, folder, []

    def write(self, model, pairs=None):
        path = self.folder / "model.yaml"
        path.write_text(model if isinstance(model, str) else json.dumps(model))
        if pairs is not None:
            (self.folder / "pairs.csv").write_text(pairs)
        return path

    def best(self, path, cases, *words):
        """{case: run.json of its fastest run}; a case is (ranks, threads)."""
        found = {}
        for _ in range(self.options.repeat):
            for case in cases:
                told = run(self.options.hillock, path, *case, *words)
                found[case] = min(found.get(case, told), told, key=seconds)
        return found

    def row(self, name, case, told, speed):
        ranks, threads = case
        print(f"{name:<28}{ranks:>5} x {threads:<4}{seconds(told):>9.3f}{told['timings_s']['exchange']:>10.3f}"
              f"{speed:>8.2f}{told['timings_s']['build']:>9.2f}{told['spikes']:>10}", flush=True)
        self.rows.append({"table": "ranks", "model": name, "ranks": ranks, "threads": threads, "s": seconds(told),
                          "exchange_s": told["timings_s"]["exchange"], "speed": speed, "spikes": told["spikes"],
                          "device": told["device"] or told["instruction_set"], "host": told["host"]})
        if self.options.json:
            pathlib.Path(self.options.json).write_text("".join(json.dumps(row) + "\n" for row in self.rows))

    def cores(self):
        cores = self.options.cores
        cases = [(0, cores)] + [(n, cores // n) for n in (2**k for k in range(20)) if n <= cores]
        for name, network in {"balanced 40,000": lambda: (scaling.balanced(40000 // self.options.share, 200), None),
                           "busyring 8,192/5": lambda: models.busyring(8192 // self.options.share, 5, 50)}.items():
            path = self.write(*network())
            found = self.best(path, cases, "--backend", "cpu", *self.options.more)
            for case, told in found.items():
                self.row(name, case, told, seconds(found[cases[0]]) / seconds(told))

    def neuron(self):
        """The ring with hh everywhere, beside NEURON under the same mpirun."""
        cells, duration = 256 // self.options.share, 200
        path = self.write(models.ring(cells, "hh", duration))
        for ranks in (n for n in (2**k for k in range(20)) if n <= self.options.cores):
            case = (ranks, 1)
            theirs = []
            for _ in range(self.options.repeat):
                done = subprocess.run(
                    [*launcher(ranks), self.options.neuron, pathlib.Path(__file__).with_name("neuron_ring.py"), "--mpi",
                     "--cells", str(cells), "--duration", str(duration)], capture_output=True, text=True,
                    env=rank_memory.environment())
                lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
                if done.returncode != 0 or not lines:
                    raise SystemExit(f"NEURON on {ranks} ranks: {done.stderr[-2000:]}")
                theirs.append(json.loads(lines[-1]))
            ours = self.best(path, [case], "--backend", "cpu", *self.options.more)[case]
            their = min(theirs, key=lambda told: told["run_s"])
            if their["spikes"] != ours["spikes"] or their["ranks"] != ranks:
                raise SystemExit(f"{ranks} ranks: NEURON has {their}, Hillock {ours['spikes']} spikes")
            self.row(f"ring {cells}; NEURON {their['run_s']:.2f} s", case, ours, their["run_s"] / seconds(ours))

    def lists(self):
        """Rows with weights and delays, between cells that hold next to nothing."""
        import h5py
        import numpy

        draws, rows = numpy.random.default_rng(1), 10_000_000 // self.options.share
        columns = [draws.integers(0, 100000, rows), draws.integers(0, 100000, rows),
                   draws.integers(1, 99, rows) / 1e4, draws.integers(10, 50, rows) / 10]
        numpy.savetxt(self.folder / "pairs.csv", numpy.stack(columns, 1), "%d,%d,%.4g,%.1f")
        with h5py.File(self.folder / "pairs.h5", "w") as file:
            for name, column, kind in zip("stwd", columns, ("u4", "u4", "f8", "f8")):
                file[name] = column.astype(kind)
        hdf5 = "{hdf5: pairs.h5, source: s, target: t, weight: w, delay: d}"
        for name, connect in {"CSV": "{csv: pairs.csv}", "HDF5": hdf5}.items():
            path = self.write(list_model(connect))
            for ranks in (0, 2, 4):
                found = rank_memory.peaks_of(self.options.hillock, max(1, ranks), path, self.folder)
                peaks = sorted(peak.bytes for peak in found)
                told = json.loads((self.folder / "out/run.json").read_text())
                parts = {part: told["timings_s"][part] for part in ("read", "build")}
                print(f"list in {name:<20}{ranks:>5} x 1   " + "".join(f"{part:>8} {s:.2f}" for part, s in parts.items())
                      + "   MB " + " ".join(f"{peak / 1e6:.0f}" for peak in peaks), flush=True)
                self.rows.append({"table": "ranks", "model": f"list in {name}", "ranks": ranks, "threads": 1, **parts,
                                  "peak_bytes": peaks, "host": told["host"]})

    def gpus(self):
        threads = max(1, self.options.cores // self.options.gpus)
        counts = [n for n in (2**k for k in range(10)) if n <= self.options.gpus]
        share, idle = self.options.share, energy.idle_watts(self.options.gpus) / self.options.gpus

        def columns(number):
            return (make.model(1 / share, 1 / share, True, self.options.duration, 1, number), None)

        networks = {  # [name] of n GPUs the model, and whether all GPUs together have as much as one has
            "busyring 4,000/5 a GPU": (lambda n: models.busyring(4000 * n // share, 5, 100), False),
            "busyring 32,000/5": (lambda n: models.busyring(32000 // share, 5, 100), True),
            "complex 256/10 a GPU": (lambda n: models.busyring(256 * n // share, 10, 20, True), False),
            "a microcircuit a GPU": (columns, False),
            "a microcircuit": (lambda n: columns(1), True)}
        for name, (network, is_fixed) in networks.items():
            if self.options.only not in name:
                continue
            single = None
            for n in counts:
                path = self.write(*network(n))
                case = (n if n > 1 else 0, threads)
                with energy.Meter(n) as meter:
                    told = self.best(path, [case], "--backend", "cuda", *self.options.more)[case]
                joules = meter.most_in(seconds(told))
                single = single or seconds(told)
                self.row(name, case, told, single / seconds(told) / (n if is_fixed else 1))
                above = joules - idle * n * seconds(told)
                ranks = traced(path, case, self.options)
                print(f"{'':<10}{joules:.1f} J, {above:.1f} above idle; of ranks: " + "; ".join(
                    " ".join(f"{part} {s:.3f}" for part, s in sorted(rank.items())) for rank in ranks), flush=True)
                self.rows[-1] |= {"J": joules, "J_above_idle": above, "ranks_s": ranks}


def main():
    parser = builds.parser_of(__doc__)
    parser.add_argument("--part", action="append", choices=("cores", "neuron", "gpus", "lists"), help="the default: cores")
    parser.add_argument("--cores", type=int, default=os.cpu_count())
    parser.add_argument("--gpus", type=int, default=2)
    parser.add_argument("--only", default="", help="gpus: models whose name has this in it")
    parser.add_argument("--duration", type=float, default=1000, help="ms of microcircuits")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--neuron", default="/usr/bin/python3", help="a Python with NEURON, for --part neuron")
    parser.add_argument("--share", type=int, default=1, help="of the cells, to try it out")
    parser.add_argument("--json", default="", help="a file for the rows, one JSON object a line")
    parser.add_argument("--more", action="append", default=[], help="an option for every run, as --more=--overlap=off")
    options = parser.parse_args()
    Needs().program(options.hillock, "build it with ./dev build, or name it with --hillock").check()
    if not shutil.which("mpirun"):
        raise SystemExit("mpirun is needed (Debian's openmpi-bin)")
    options.hillock = options.hillock.resolve()
    print(f"{'model':<28}{'ranks':>10}  {'s':>8}{'exchange':>10}{'speed':>8}{'build s':>9}{'spikes':>10}")
    with tempfile.TemporaryDirectory(prefix="hillock-ranks-") as scratch:
        table = Table(options, pathlib.Path(scratch))
        for part in options.part or ["cores"]:
            getattr(table, part)()


if __name__ == "__main__":
    main()
