#!/usr/bin/env python3
"""Question: what does each part of the epoch kernel gain? Whole runs through the command, of busyring's simple cells
and of cells with hh everywhere; delays of 10 ms, so that an epoch may have 400 steps of 0.025 ms.

    epochs    from 1 to 400 steps an epoch. An epoch of one step is a kernel a step with equal arithmetic: it loads and
              stores all of a cell's state, delivers events and reports in every step
    solvers   inside the kernel, epochs of 400 steps: contraction, a thread a branch (exact), a thread a cell (hines),
              and what auto takes
    pivots    the same with dendrites whose pivots change in every step: in place of `pas` a leak of the same numbers
              whose conductance could rise with time, so nothing is eliminated before the run. Beside the solve this
              costs the leak's own current, a multiply-add more than that of `pas`, and rows assembled, in each
              compartment and step; `pas` is part of the matrix once and for all

    us/step   the loop's seconds (exchange and recording included) over its steps, best of --repeat
    times     epochs: over epochs of 400 steps; solvers: over auto; pivots: over the same solver with `pas`"""

import json

import runs
import epoch
import models  # which runs.py has found

EPOCHS = (1, 2, 5, 10, 20, 50, 100, 200, 400)
SOLVERS = ("auto", "contraction", "exact", "hines")
DELAY = 10  # ms, the shortest
PARTS = ("epochs", "solvers", "pivots")
LEAK = """TITLE leak whose conductance may rise with time: i = (g + rise t) (v - e)

NEURON {
  SUFFIX rising
  NONSPECIFIC_CURRENT i
  RANGE g, e, i, rise
}

UNITS {
  (mV) = (millivolt)
  (mA) = (milliamp)
  (S) = (siemens)
}

PARAMETER {
  g = 0.001 (S/cm2) <0, 1e9>
  e = -70 (mV)
  rise = 0 (S/cm2/ms)
}

ASSIGNED {
  v (mV)
  t (ms)
  i (mA/cm2)
}

BREAKPOINT {
  i = (g + rise*t)*(v - e)
}
"""


def with_changing_pivots(model):
    """The model with LEAK in place of its passive dendrites."""
    region = model["cells"]["cell"]["regions"]["dend"]
    region["rising"] = region.pop("pas")
    model["mechanisms"] = ["rising.mod"]
    return model


def all_models(duration):
    """{name: its maker}; the maker gives a model and its pairs. Of few cells runs are four times as long."""
    def length(cells):
        return duration if cells > 16 else 4 * duration

    busyring = {f"busyring {cells:,}/{depth}": lambda cells=cells, depth=depth:
                models.busyring(cells, depth, length(cells), min_delay=DELAY)
                for cells, depth in ((16, 5), (1024, 5), (1024, 10))}
    return busyring | {f"hh {cells:,}": lambda cells=cells: epoch.hh_everywhere(cells, length(cells), min_delay=DELAY)
                       for cells in (16, 2048)}


class Ablation:
    """The table of one model after the other. A run that fails is named, and the rest goes on."""

    def __init__(self, options, scratch):
        self.options, self.scratch = options, scratch
        self.rows, self.failures = runs.Rows("ablation", options), 0
        self.known = {}  # of the model at hand
        self.solvers_there = [one for one in SOLVERS if options.backend != "cpu" or one != "contraction"]

    def run(self, path, solver="auto", steps=EPOCHS[-1]):
        """run.json of the fastest run; none when it failed."""
        key = (path, solver, steps)
        if key not in self.known:
            words = ["--epoch-steps", str(steps)] + (["--set", f"run.solver={solver}"] if solver != "auto" else [])
            try:
                told = [self.scratch.run(path, *words) for _ in range(self.options.repeat)]
                self.known[key] = min(told, key=runs.loop_s)
            except runs.Failed as why:
                print(f"{' '.join(words)}: {why}", flush=True)
                self.failures += 1
                self.known[key] = None
        return self.known[key]

    def row(self, name, part, kind, told, base):
        if not told:
            return
        us = runs.us_a_step(told)
        times = us / runs.us_a_step(base) if base else None
        print(f"{name:<20}{part:<10}{kind:<24}{us:>10.2f}{f'{times:.2f}' if times else '':>8}"
              f"{told['compartments'] / us * 1e6:>11.2e}{told['spikes']:>9}", flush=True)
        self.rows.add(told, model=name, part=part, kind=kind, us=us, times=times,
                      compartments=told["compartments"], steps=told["steps"], spikes=told["spikes"])

    def epochs(self, name, path):
        for steps in EPOCHS:
            told = self.run(path, steps=steps)
            if told and told["epoch_steps"] != steps:
                raise SystemExit(f"{name}: epochs of {told['epoch_steps']} steps, not {steps}")
            self.row(name, "epochs", str(steps), told, self.run(path))

    def solvers(self, name, path):
        for solver in self.solvers_there:
            self.row(name, "solvers", solver, self.run(path, solver), self.run(path))

    def pivots(self, name, path, model):
        changing = path.with_name("changing.yaml")
        path.with_name("rising.mod").write_text(LEAK)
        changing.write_text(json.dumps(with_changing_pivots(model)))
        for solver in self.solvers_there:
            self.row(name, "pivots", f"changing, {solver}", self.run(changing, solver), self.run(path, solver))

    def measure(self, name, model, pairs):
        self.known.clear()
        path = self.scratch.write(model, pairs=pairs)
        if "epochs" in self.options.part:
            self.epochs(name, path)
        if "solvers" in self.options.part:
            self.solvers(name, path)
        if "pivots" in self.options.part and "pas" in model["cells"]["cell"]["regions"]["dend"]:
            self.pivots(name, path, model)


def main():
    parser = runs.parser_of(__doc__, 40)
    parser.add_argument("--part", action="append", choices=PARTS, help="the default: all")
    parser.add_argument("--repeat", type=int, default=1)
    options = runs.options_of(parser)
    options.part = options.part or PARTS
    print(f"{'model':<20}{'part':<10}{'':<24}{'us/step':>10}{'times':>8}{'cs/s':>11}{'spikes':>9}")
    with runs.Models(options) as scratch:
        ablation = Ablation(options, scratch)
        for name, make in all_models(options.duration).items():
            if options.only in name:
                ablation.measure(name, *make())
    runs.end(ablation.failures)


if __name__ == "__main__":
    main()
