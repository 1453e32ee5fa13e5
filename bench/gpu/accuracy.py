#!/usr/bin/env python3
"""Question: how far is a run on a GPU from the CPU's, and how far would a last bit carry that run? The examples,
busyring and cells with hh everywhere: a run on the CPU, beside it one on the GPU for each --with ("" for none, the
default; run.solver=exact, or several with semicolons between them), and one more on the CPU in which the voltage of the
first cell of a population begins one bit lower, or --change mV: where that run goes astray, the network is chaotic.

    before      largest difference of a soma's voltage over the first 20 ms, mV, before that cell's first spike
    after       the same from then on
    spikes      of all cells
    counts      whether each cell has as many as on the CPU
    shift       the largest difference of spikes' times, ms, the nth spike of a cell with its nth; of each cell up to the
                first that is more than dt off
    same until  ms, when the first spike falls that has no partner within dt
    rate, CV    spikes a cell and second; of the intervals between spikes, the mean over cells with three or more
    seeds       with --seeds N: lowest and highest rate and CV of N runs on the CPU with other seeds"""

import math
import pathlib
import statistics

import runs
import epoch
import models
import outputs

TRACED_MS = 20
MOST_TRACED = 256  # cells of a population
ONE_BIT = math.ulp(65.0)  # of what lies between 64 and 128 mV


class Case:
    """A model, and what is looked at in it."""

    def __init__(self, model, populations, dt_ms, v_init, cell, pairs=None):
        """populations: {name: (cells, place)}; v_init: of `cell`, whose region `all` gets another one."""
        self.model, self.populations, self.dt_ms, self.pairs = model, populations, dt_ms, pairs
        self.v_init, self.cell = v_init, cell

    def changed(self, mV):
        """What lowers the first cell's voltage."""
        return f"cells.{self.cell}.regions.all.v_init={self.v_init} - {mV!r} mV * (index < 1)"

    def write(self, scratch):
        """The model with traces of somata beside its own recordings."""
        traces = [{"name": f"accuracy-{name}", "of": f"{name}[0:{min(size, MOST_TRACED)}]", "variable": "v",
                   "at": place, "stop": f"{TRACED_MS} ms", "type": "float64"}
                  for name, (size, place) in self.populations.items()]
        if isinstance(self.model, pathlib.Path):
            return scratch.write({"hillock": 1, "include": [str(self.model)], "record": traces})
        return scratch.write(self.model | {"record": self.model["record"] + traces}, pairs=self.pairs)


def examples():
    """{name: case}"""
    folder, soma = runs.ROOT / "examples", "soma(0.5)"
    balanced = "-65 mV + 5 mV * (2*r - 1)"
    return {
        "ring": Case(folder / "ring/ring.yaml", {"ring": (100, soma)}, 0.025, "-65 mV", "ball_and_sticks"),
        "pyramidal network": Case(folder / "pyramidal_network/pyramidal_network.yaml",
                                  {"pyr": (40, soma), "inh": (10, soma)}, 0.025, "-70 mV", "pyramidal"),
        "balanced network": Case(folder / "balanced_network/balanced_network.yaml",
                                 {"exc": (3200, soma), "inh": (800, soma)}, 0.05, balanced, "cobahh"),
        "rallpack 1": Case(folder / "rallpacks/rallpack1.yaml", {"cable": (1, "cable(0.0005)")}, 0.05, "-65 mV",
                           "cable"),
        "rallpack 2": Case(folder / "rallpacks/rallpack2.yaml", {"tree": (1, "tree[0](0.5)")}, 0.05, "-65 mV", "tree"),
        "rallpack 3": Case(folder / "rallpacks/rallpack3.yaml", {"axon": (1, "axon(0.0005)")}, 0.025, "-65 mV",
                           "axon"),
        "sweep": Case(folder / "sweep/sweep.yaml", {"sweep": (104, soma)}, 0.025, "-70 mV", "pyramidal")}


def drawn(duration):
    """busyring and hh everywhere."""
    cases = {}
    for name, (cells, depth, is_complex) in {"busyring 16/5": (16, 5, False), "busyring 256/5": (256, 5, False),
                                             "busyring 16/5 complex": (16, 5, True)}.items():
        model, pairs = models.busyring(cells, depth, duration, is_complex)
        cases[name] = Case(model, {"cells": (cells, "soma(0.5)")}, 0.025, model["run"]["v_init"], "cell", pairs)
    for cells in (16, 256):
        model, pairs = epoch.hh_everywhere(cells, duration)
        cases[f"hh {cells}"] = Case(model, {"cells": (cells, "soma(0.5)")}, 0.025, "-65 mV", "cell", pairs)
    return cases


class Result:
    """Spikes and traces of a run, by (population, cell)."""

    def __init__(self, case, told, found):
        self.told, self.spikes, self.traces = told, {}, {}
        for name in case.populations:
            self.spikes |= {(name, cell): sorted(times) for cell, times in found.spikes(name).items()}
            self.traces |= {(name, cell): trace for cell, trace in found.traces(f"accuracy-{name}", name).items()}

    def count(self):
        return sum(map(len, self.spikes.values()))

    def cv(self):
        """None where no cell has three spikes."""
        found = []
        for times in self.spikes.values():
            gaps = [later - earlier for earlier, later in zip(times, times[1:])]
            if len(gaps) > 1:
                found.append(statistics.pstdev(gaps) / statistics.fmean(gaps))
        return statistics.fmean(found) if found else None


def compare(case, wanted, got):
    """What the table has of `got`."""
    before = after = shift = 0.0
    for key, trace in wanted.traces.items():
        first = next(iter(wanted.spikes.get(key, ())), math.inf)
        for n, (one, other) in enumerate(zip(trace, got.traces[key], strict=True)):
            if one == other:
                continue
            if n * case.dt_ms < first:
                before = max(before, abs(one - other))
            else:
                after = max(after, abs(one - other))
    same_counts, same_until = True, math.inf
    for key in wanted.spikes.keys() | got.spikes.keys():
        one, other = wanted.spikes.get(key, []), got.spikes.get(key, [])
        same_counts = same_counts and len(one) == len(other)
        for a, b in zip(one, other):
            shift = max(shift, abs(a - b))
            if abs(a - b) > case.dt_ms * (1 + 1e-9):
                same_until = min(same_until, a, b)
                break
        else:
            rest = one[len(other):] + other[len(one):]
            same_until = min([same_until, *rest[:1]])
    return {"before_mV": before, "after_mV": after, "same_counts": same_counts, "shift_ms": shift,
            "same_until_ms": same_until}


def form(value, text):
    return "-" if value is None or value == math.inf else format(value, text)


class Accuracy:
    def __init__(self, options, scratch):
        self.options, self.scratch = options, scratch
        self.library = outputs.Library(options.hillock)
        self.rows, self.failures = runs.Rows("accuracy", options), 0

    def result(self, name, case, path, backend, *sets):
        """None when the run failed."""
        words = [word for one in (f"run.duration={self.options.duration} ms", *sets) for word in ("--set", one)]
        out = self.scratch.folder / "accuracy.out"
        try:
            told = self.scratch.run(path, *words, backend=backend, out=out)
        except runs.Failed as why:
            print(f"{name}, {backend} {' '.join(sets)}: {why}", flush=True)
            self.failures += 1
            return None
        return Result(case, told, outputs.Outputs(self.library, out))

    def row(self, name, kind, result, compared, cells):
        seconds = self.options.duration / 1000
        rate, cv = result.count() / cells / seconds, result.cv()
        line = f"{name:<23}{kind:<30}"
        if compared:
            line += (f"{form(compared['before_mV'], '.1e'):>9}{form(compared['after_mV'], '.1e'):>9}"
                     f"{result.count():>9}{'same' if compared['same_counts'] else 'differ':>8}"
                     f"{form(compared['shift_ms'], '.1e'):>9}{form(compared['same_until_ms'], '.1f'):>12}")
        else:
            line += f"{'':>18}{result.count():>9}{'':>29}"
        print(f"{line}{form(rate, '.3f'):>10}{form(cv, '.4f'):>9}", flush=True)
        differences = {key: None if value == math.inf else value for key, value in (compared or {}).items()}
        self.rows.add(result.told, model=name, run=kind, spikes=result.count(), rate_Hz=rate, cv=cv, **differences)

    def measure(self, name, case):
        path = case.write(self.scratch)
        cells = sum(size for size, _ in case.populations.values())
        wanted = self.result(name, case, path, "cpu")
        if not wanted:
            return
        self.row(name, "cpu", wanted, None, cells)
        backend = self.options.backend
        others = [(f"{backend} {sets}".strip(), backend, [one for one in sets.split(";") if one])
                  for sets in self.options.variants or [""]]
        change = self.options.change
        words = "one bit" if change == ONE_BIT else f"{change:g} mV"
        for kind, backend, sets in [*others, (f"cpu, {words} changed", "cpu", [case.changed(change)])]:
            got = self.result(name, case, path, backend, *sets)
            if got:
                self.row(name, kind, got, compare(case, wanted, got), cells)
        self.seeds(name, case, path, cells)

    def seeds(self, name, case, path, cells):
        found = [self.result(name, case, path, "cpu", f"run.seed={1000 + k}") for k in range(self.options.seeds)]
        found = [one for one in found if one]
        rates = sorted(one.count() / cells / self.options.duration * 1000 for one in found)
        cvs = sorted(one.cv() for one in found if one.cv() is not None)
        if rates:
            print(f"{name:<23}{f'{len(found)} seeds':<30}rate {rates[0]:.3f} to {rates[-1]:.3f}"
                  + (f", CV {cvs[0]:.4f} to {cvs[-1]:.4f}" if cvs else ""), flush=True)
            self.rows.add(found[0].told, model=name, run="seeds", rates_Hz=rates, cvs=cvs)


def main():
    parser = runs.parser_of(__doc__, 100)
    parser.add_argument("--with", dest="variants", action="append", metavar="SETS",
                        help="another run on the GPU: PATH=VALUE[;PATH=VALUE …], or nothing")
    parser.add_argument("--change", type=float, default=ONE_BIT, metavar="MV")
    parser.add_argument("--seeds", type=int, default=0)
    options = runs.options_of(parser)
    print(f"{'model':<23}{'run':<30}{'before':>9}{'after':>9}{'spikes':>9}{'counts':>8}{'shift':>9}{'same until':>12}"
          f"{'rate':>10}{'CV':>9}")
    with runs.Models(options) as scratch:
        accuracy = Accuracy(options, scratch)
        for name, case in (examples() | drawn(options.duration)).items():
            if options.only in name:
                accuracy.measure(name, case)
    runs.end(accuracy.failures)


if __name__ == "__main__":
    main()
