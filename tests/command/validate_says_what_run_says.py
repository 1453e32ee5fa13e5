#!/usr/bin/env python3
"""Whatever `run` refuses before it makes cells, `validate` refuses, in the same words."""

import pathlib

import harness

POINTING = """hillock: 1
run: {duration: 1 ms}
mechanisms: [follow.mod]
cells:
  c: {morphology: {branches: [{name: soma, length: 20 um, diameter: 20 um},
                              {name: dend, parent: soma, length: 90 um, diameter: 2 um}]},
      regions: {all: {pas: {}, follow: USE}}}
populations: {p: {cell: c, size: 2}}
record: [{name: v, of: p, variable: v, at: soma(0.5)}]
"""
FOLLOW = """NEURON { SUFFIX follow POINTER p RANGE seen }
ASSIGNED { p seen }
BREAKPOINT { seen = p }
"""


def models(folder):
    """Path and words that its errors must hold."""
    for path in sorted((harness.ROOT / "tests/io/broken").glob("*.yaml")):
        yield path, ""
    (folder / "follow.mod").write_text(FOLLOW)
    for name, use, words in [
            ("missing", "{}", ":7:40: error: follow has no p: a POINTER, which must name"),
            ("nothing", "{p: pas.h}", "error: there is none of 'pas.h' on cell c"),
            ("elsewhere", "{p: hh.m}", "error: there is none of 'hh.m' on cell c"),
            ("ion", "{p: cai}", "error: there is none of 'cai' on cell c"),
            ("word", "{p: voltage}", "error: there is none of 'voltage' on cell c")]:
        path = folder / f"{name}.yaml"
        path.write_text(POINTING.replace("USE", use))
        yield path, words
    across = folder / "across.yaml"
    across.write_text(POINTING.replace("USE", "{p: v}") + """projections:
  - {from: p, to: p, connect: all_to_all,
     gap_junction: {mechanism: {gap: {}}, reads: hh.m, at: soma(0.5), peer_at: soma(0.5)}}
""")
    yield across, ":12:50: error: there is none of 'hh.m' on cell c, where a POINTER stands for it or a gap junction"
    solver = folder / "solver.yaml"
    solver.write_text(POINTING.replace("USE", "{p: v}").replace("1 ms}", "1 ms, solver: branch}", 1))
    yield solver, "run.solver: solves batches"


def main():
    count = 0
    with harness.scratch() as folder:
        folder = pathlib.Path(folder)
        for path, words in models(folder):
            said = harness.run("validate", path)
            ran = harness.run("run", path, "-o", folder / "out", "--quiet",
                              env={"HILLOCK_CACHE": str(folder / "cache")})
            harness.check((said.returncode, said.stderr) == (ran.returncode, ran.stderr),
                          f"{path.name}: validate says ({said.returncode})\n{said.stderr}"
                          f"run says ({ran.returncode})\n{ran.stderr}")
            harness.check(said.returncode in (3, 4), f"{path.name}: exit code {said.returncode}")
            harness.check(words in said.stderr, f"{path.name}: no '{words}' in\n{said.stderr}")
            harness.check(not (folder / "out").exists(), f"{path.name}: made an output folder")
            count += 1
        good = folder / "good.yaml"
        good.write_text(POINTING.replace("USE", "{p: v}"))
        harness.check(harness.run("validate", good).returncode == 0, "a good model is refused")
    harness.finish(count, "broken models")


if __name__ == "__main__":
    main()
