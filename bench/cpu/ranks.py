#!/usr/bin/env python3
"""Question: what do ranks of MPI cost beside threads, and what do more GPUs gain? A balanced network and busyring on
--cores cores, as threads of one process and as 1, 2, 4, … ranks that share the cores (--part cores); busyring on 1, 2,
… GPUs, a rank each, with so many cells a GPU and with a fixed number of cells (--part gpus); a ring with hh everywhere
beside NEURON under the same mpirun (--part neuron); the memory of ranks that read a list of ten million connections
(--part lists). Best of --repeat, in turns.

    ranks      x the threads of each; 0 ranks: without mpirun
    s          the loop's seconds, exchange and recording included, of the first rank
    exchange   of these, those in which it waits for the others' spikes
    lists      read, build: seconds; then the peak of each rank's resident set
    speed      cores: the threads' seconds over these; gpus: the seconds of one GPU over these, of a fixed number of
               cells over the number of GPUs, too; neuron: NEURON's over these"""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

import builds
import models
import scaling
from needs import Needs

LOOP = ("advance", "exchange", "record")


def launcher(ranks):
    return ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(ranks)] if ranks else []


def as_root():
    return dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


def run(program, model, ranks, threads, *words):
    """run.json of one run; ranks: 0 without mpirun."""
    out = model.with_suffix(".out")
    done = subprocess.run([*launcher(ranks), program, "run", model, "-o", out, "--force", "--quiet", "--threads", str(threads),
                           *words], capture_output=True, text=True,
                          env=as_root())
    if done.returncode != 0:
        raise SystemExit(f"{ranks} ranks: exit code {done.returncode}\n{done.stderr[-2000:]}")
    return json.loads((out / "run.json").read_text())


def seconds(told):
    return sum(told["timings_s"][part] for part in LOOP)


def peaks_of(launched, program, ranks):
    """The peak of each rank that was launched, in bytes, when all have ended."""
    peaks = {}
    while launched.poll() is None:
        for status in pathlib.Path("/proc").glob("[0-9]*/status"):
            try:
                told = dict(line.split(":", 1) for line in status.read_text().splitlines())
                is_rank = int(told["PPid" if ranks else "Pid"]) == launched.pid
                if is_rank and (status.parent / "exe").readlink() == program:
                    peaks[told["Pid"]] = 1024 * int(told["VmHWM"].split()[0])
            except (OSError, KeyError):
                continue  # it has ended
        time.sleep(0.01)
    return sorted(peaks.values())


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
        for name, make in {"balanced 40,000": lambda: (scaling.balanced(40000 // self.options.share, 200), None),
                           "busyring 8,192/5": lambda: models.busyring(8192 // self.options.share, 5, 50)}.items():
            path = self.write(*make())
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
                     "--cells", str(cells), "--duration", str(duration)], capture_output=True, text=True, env=as_root())
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
                out = self.folder / "list.out"
                with subprocess.Popen([*launcher(ranks), self.options.hillock, "run", path, "-o", out, "--force",
                                       "--quiet", "--threads", "1", "--backend", "cpu"], env=as_root()) as launched:
                    peaks = peaks_of(launched, self.options.hillock, ranks)
                if launched.returncode != 0:
                    raise SystemExit(f"{name}, {ranks} ranks: exit code {launched.returncode}")
                told = json.loads((out / "run.json").read_text())
                parts = {part: told["timings_s"][part] for part in ("read", "build")}
                print(f"list in {name:<20}{ranks:>5} x 1   " + "".join(f"{part:>8} {s:.2f}" for part, s in parts.items())
                      + "   MB " + " ".join(f"{peak / 1e6:.0f}" for peak in peaks), flush=True)
                self.rows.append({"table": "ranks", "model": f"list in {name}", "ranks": ranks, "threads": 1, **parts,
                                  "peak_bytes": peaks, "host": told["host"]})

    def gpus(self):
        threads = max(1, self.options.cores // self.options.gpus)
        counts = [n for n in (2**k for k in range(10)) if n <= self.options.gpus]
        for name, cells_of in {"busyring 4,000/5 a GPU": lambda n: 4000 * n, "busyring 32,000/5": lambda n: 32000}.items():
            single = None
            for n in counts:
                cells = cells_of(n) // self.options.share
                path = self.write(*models.busyring(cells, 5, 100))
                case = (n if n > 1 else 0, threads)
                told = self.best(path, [case], "--backend", "cuda", *self.options.more)[case]
                single = single or seconds(told)
                is_fixed = cells_of(n) == cells_of(1) and n > 1
                self.row(name, case, told, single / seconds(told) / (n if is_fixed else 1))


def main():
    parser = builds.parser_of(__doc__)
    parser.add_argument("--part", action="append", choices=("cores", "neuron", "gpus", "lists"), help="the default: cores")
    parser.add_argument("--cores", type=int, default=os.cpu_count())
    parser.add_argument("--gpus", type=int, default=2)
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
