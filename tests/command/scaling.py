#!/usr/bin/env python3
"""What a model, a circuit or a .mod file lists may be listed twice as often for twice the cost: of each such thing two
sizes, one twice the other, of which the larger may take at most 2.6 times the instructions (valgrind's count, which is
the same on every machine and under any load) and the memory of the smaller, start-up left out. Seconds are shown.
Left out are the states of a KINETIC scheme (512 at most): their Jacobian is a matrix.

    tests/command/scaling.py [NAME ...] [--larger FACTOR]
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import harness

MOST = 2.6
LEAST_MEMORY = 8e6  # bytes: of less nothing can be told, since a program begins with some room

HEAD = "hillock: 1\nrun: {duration: 0.2 ms, dt: 0.1 ms}\n"
SOMA = "{name: soma, length: 20 um, diameter: 20 um}"
CELL = "  c: {morphology: {branches: [" + SOMA + "]}, regions: {all: {pas: {}}}, detector: {at: soma(0.5)}}\n"
SYNAPSE = "synapse: {expsyn: {tau: 2 ms}, at: soma(0.5)}, weight: 1 nS, delay: 1 ms"


def rows(form, n):
    """form of 0 to n - 1, joined."""
    return "".join(form(i) for i in range(n))


def listed(form, n):
    return "[" + ", ".join(form(i) for i in range(n)) + "]"


def model(cells=CELL, populations="  p: {cell: c, size: 2}\n", projections="", stimuli="",
          record="  - {name: spikes, of: p}\n", more=""):
    return (HEAD + more + "cells:\n" + cells + "populations:\n" + populations
            + ("projections:\n" + projections if projections else "")
            + ("stimuli:\n" + stimuli if stimuli else "") + "record:\n" + record)


def branched(n, regions="    regions: {all: {pas: {}}}\n", parent=lambda i: "soma"):
    return ("  c:\n    morphology:\n      branches:\n        - " + SOMA + "\n"
            + rows(lambda i: f"        - {{name: b{i}, parent: {parent(i)}, length: 10 um, diameter: 1 um}}\n", n)
            + regions + "    detector: {at: soma(0.5)}\n")


def with_csv(n):
    pathlib.Path("e.csv").write_text("source,target\n" + rows(lambda i: f"{i % 1000},{i * 7 % 1000}\n", n))
    return model(populations="  p: {cell: c, size: 1000}\n",
                 projections="  - {from: p, to: p, connect: {list: {csv: e.csv}}, " + SYNAPSE + "}\n")


def with_swc(parent):
    def make(n):
        pathlib.Path("m.swc").write_text("1 1 0 0 0 5 -1\n" + rows(
            lambda i: f"{i + 2} 3 {i % 7 / 10} {i % 11 / 10 + 5} {i % 13 / 10} 0.5 {parent(i + 2)}\n", n))
        return model(cells="  c: {morphology: {swc: m.swc}, regions: {all: {pas: {}}}, detector: {at: soma(0.5)}}\n")
    return make


def with_mods(n):
    shutil.rmtree("mods", ignore_errors=True)
    pathlib.Path("mods").mkdir()
    for i in range(n):
        pathlib.Path(f"mods/m{i}.mod").write_text(
            f"NEURON {{ SUFFIX zz{i} RANGE g NONSPECIFIC_CURRENT i }}\nPARAMETER {{ g = 0 }}\nASSIGNED {{ v i }}\n"
            "BREAKPOINT { i = g*v }\n")
    return model(more="mechanisms: [mods]\n")


def all_alike(n):
    """Populations each with a projection, a stimulus and a record of its own."""
    return model(populations=rows(lambda i: f"  p{i}: {{cell: c, size: 1}}\n", n),
                 projections=rows(lambda i: f"  - {{from: p{i}, to: p{(i + 1) % n}, connect: all_to_all, {SYNAPSE}}}\n", n),
                 stimuli=rows(lambda i: f"  - {{iclamp: {{amplitude: 1 pA, duration: 1 ms}}, to: p{i}, at: soma(0.5)}}\n", n),
                 record=rows(lambda i: f"  - {{name: r{i}, of: p{i}, variable: v, at: soma(0.5)}}\n", n))


POPULATIONS = lambda n: rows(lambda i: f"  p{i}: {{cell: c, size: 1}}\n", n)  # noqa: E731
ONE = "  - {name: spikes, of: p0}\n"

# name: (command, n whose instructions are counted, the file of n)
MODELS = {
    "populations": ("run", 100, lambda n: model(populations=POPULATIONS(n), record=ONE)),
    "populations, of ranks": ("info", 100, lambda n: model(populations=POPULATIONS(n), record=ONE)),
    "spikes recorded": ("run", 50, lambda n: model(
        populations=POPULATIONS(n), record=rows(lambda i: f"  - {{name: r{i}, of: p{i}}}\n", n))),
    "cells": ("run", 50, lambda n: model(
        cells=rows(lambda i: CELL.replace("  c:", f"  c{i}:"), n),
        populations=rows(lambda i: f"  p{i}: {{cell: c{i}, size: 1}}\n", n), record=ONE)),
    "projections": ("run", 80, lambda n: model(
        projections=f"  - {{from: p, to: p, connect: all_to_all, {SYNAPSE}}}\n" * n)),
    "kinds of synapses": ("run", 120, lambda n: model(projections=rows(
        lambda i: "  - {from: p, to: p, connect: all_to_all, " + SYNAPSE.replace("2 ms", f"{i + 1} us") + "}\n", n))),
    "current clamps": ("run", 200, lambda n: model(
        stimuli="  - {iclamp: {amplitude: 1 pA, duration: 1 ms}, to: p, at: soma(0.5)}\n" * n)),
    "poisson stimuli": ("run", 120, lambda n: model(
        stimuli=("  - {poisson: {rate: 1 Hz}, to: p, " + SYNAPSE + "}\n") * n)),
    "spike stimuli": ("run", 120, lambda n: model(
        stimuli=("  - {spikes: {times: [0.1 ms]}, to: p, " + SYNAPSE + "}\n") * n)),
    "times of a stimulus": ("run", 2000, lambda n: model(
        stimuli="  - {spikes: {times: " + listed(lambda i: f"{i} us", n) + "}, to: p, " + SYNAPSE + "}\n")),
    "points of a waveform": ("run", 1000, lambda n: model(
        stimuli="  - {iclamp: {waveform: {times: " + listed(lambda i: f"{i} us", n) + ", currents: "
        + listed(lambda i: "1 pA", n) + "}}, to: p, at: soma(0.5)}\n")),
    "records": ("run", 16, lambda n: model(
        record=rows(lambda i: f"  - {{name: r{i}, of: p, variable: v, at: soma(0.5)}}\n", n))),
    "slices of a record": ("run", 400, lambda n: model(
        populations=f"  p: {{cell: c, size: {2 * n}}}\n",
        record="  - {name: r, of: " + listed(lambda i: f'"p[{2 * i}]"', n) + ", variable: v, at: soma(0.5)}\n")),
    "all of these": ("run", 12, all_alike),
    "branches of a branch": ("run", 200, lambda n: model(cells=branched(n))),
    "branches in a chain": ("run", 200, lambda n: model(
        cells=branched(n, parent=lambda i: f"b{i - 1}" if i else "soma"))),
    "regions": ("run", 100, lambda n: model(cells=branched(
        n, "    regions:\n      all: {pas: {}}\n" + rows(lambda i: f"      b{i}: {{pas: {{g: {i + 1}e-6 S/cm2}}}}\n", n)))),
    "pairs in the model": ("run", 800, lambda n: model(
        populations="  p: {cell: c, size: 1000}\n",
        projections="  - {from: p, to: p, connect: {list: " + listed(lambda i: f"[{i % 1000}, {i * 7 % 1000}]", n)
        + "}, " + SYNAPSE + "}\n")),
    "gap junctions in the model": ("run", 800, lambda n: model(
        populations=f"  p: {{cell: c, size: {n + 1}}}\n",
        projections="  - {from: p, to: p, connect: {list: " + listed(lambda i: f"[{i}, {i + 1}]", n)
        + "}, gap_junction: {g: 1 nS, at: soma(0.5), peer_at: soma(0.5)}}\n")),
    "rows of a CSV file": ("run", 20000, with_csv),
    "SWC samples in a chain": ("run", 8000, with_swc(lambda i: i - 1)),
    "SWC samples of one sample": ("run", 2000, with_swc(lambda i: 1)),
    "SWC samples in a tree": ("run", 2000, with_swc(lambda i: i // 2)),
    "mechanism files": ("validate", 50, with_mods),
    "warnings": ("validate", 400, lambda n: model(populations=POPULATIONS(n), record=ONE)),
    "errors": ("validate", 200, lambda n: model(
        record=rows(lambda i: f"  - {{name: r{i}, of: q{i}, variable: v}}\n", n))),
}

MOD = "NEURON {{ SUFFIX a {neuron} NONSPECIFIC_CURRENT ii }}\nASSIGNED {{ v ii {assigned} }}\n{more}\n"


def mod(breakpoint="ii = 0", neuron="", assigned="", more=""):
    return MOD.format(neuron=neuron, assigned=assigned, more=more) + "BREAKPOINT { " + breakpoint + " }\n"


MOD_FILES = {
    "elements of a STATE": (800, lambda n: mod("ii = s[0]", more=f"STATE {{ s[{n}] }}\nINITIAL {{ FROM i=0 TO {n - 1} "
                                                "{ s[i]=0 } }")),
    "STATEs": (120, lambda n: mod("SOLVE d METHOD cnexp ii = s0", more="STATE { " + rows(lambda i: f"s{i} ", n) + "}\n"
                                  "DERIVATIVE d { " + rows(lambda i: f"s{i}' = -s{i}/{i + 1}\n", n) + "}")),
    "PARAMETERs": (800, lambda n: mod("ii = q0", neuron="RANGE " + ", ".join(f"q{i}" for i in range(n)),
                                       more="PARAMETER { " + rows(lambda i: f"q{i} = {i}\n", n) + "}")),
    "ASSIGNED": (200, lambda n: mod(rows(lambda i: f"a{i} = v*{i}\n", n) + "ii = a0",
                                    neuron="RANGE " + ", ".join(f"a{i}" for i in range(n)),
                                    assigned=rows(lambda i: f"a{i} ", n))),
    "LOCALs": (300, lambda n: mod("LOCAL " + ", ".join(f"l{i}" for i in range(n)) + "\n"
                                  + rows(lambda i: f"l{i} = v*{i}\n", n) + "ii = l0")),
    "statements": (200, lambda n: mod(rows(lambda i: f"ii = ii + v*{i}\n", n))),
    "terms of a sum": (160, lambda n: mod("ii = 0" + rows(lambda i: f" + {i}*v", n))),
    "FUNCTIONs": (120, lambda n: mod(rows(lambda i: f"ii = ii + f{i}(v)\n", n), more=rows(
        lambda i: f"FUNCTION f{i}(x) {{ f{i} = x*{i} }}\n", n))),
    "ifs": (120, lambda n: mod(rows(lambda i: f"if (v > {i}) {{ ii = {i} }}\n", n))),
    "branches of an if": (120, lambda n: mod("if (v < 0) { ii = 0 }\n" + rows(
        lambda i: f"else if (v < {i + 1}) {{ ii = {i} }}\n", n))),
    "statements of NET_RECEIVE": (600, lambda n: mod(neuron="").replace("SUFFIX", "POINT_PROCESS")
                                  + "NET_RECEIVE(w) { " + rows(lambda i: f"ii = ii + w*{i}\n", n) + "}\n"),
}


# name: n whose instructions are counted
CIRCUITS = {"nodes": 2000, "node types": 20, "edges": 2000, "edge types": 40, "populations of nodes": 8,
            "node sets": 800, "current clamps of a circuit": 60, "reports of a circuit": 100,
            "spikes of an input": 8000, "XML elements": 8000}


# name: what a .mod file may have of it; populations of circuits take a process each to read
MOST_OF = {"populations of nodes": 400, "STATEs": 4900, "PARAMETERs": 4900, "ASSIGNED": 4900, "terms of a sum": 990,
           "FUNCTIONs": 1990, "branches of an if": 1990}


# Each gives what it starts, n, and the command of so many.
def mod_case(number, make):
    def command(n):
        pathlib.Path("a.mod").write_text(make(n))
        return ["mech", "check", "a.mod"]
    return "mech", number, command


def model_case(words, number, make):
    def command(n):
        shutil.rmtree("out", ignore_errors=True)  # removing what is there would be counted too
        pathlib.Path("m.yaml").write_text(make(n))
        if words == "validate":
            return ["validate", "m.yaml"]
        if words == "info":
            return ["info", "m.yaml", "--ranks", "2"]
        return ["run", "m.yaml", "-o", "out", "--quiet", "--threads", "1", "--flush-interval", "1000"]
    return words, number, command


def circuit_case(name, number):
    def command(n):
        # In a process of its own: the memory of this one counts as that of every program it starts.
        subprocess.run([sys.executable, pathlib.Path(__file__).with_name("circuit_lists.py"), name, str(n)], check=True)
        return ["validate", "circuit/config.json"]
    return "circuit", number, command


def cases():
    all_of_them = {name: model_case(*case) for name, case in MODELS.items()}
    all_of_them |= {name: mod_case(*case) for name, case in MOD_FILES.items()}
    return all_of_them | {name: circuit_case(name, number) for name, number in CIRCUITS.items()}


ENVIRONMENT = dict(os.environ, HILLOCK_ISA="avx2", HILLOCK_CACHE="cache")


class Counter:
    """Counts instructions of commands, each in a child of one process that valgrind has watched doing all kinds of
    them: what it has to learn of the code, which takes longer than most commands, it learns once."""

    def __init__(self):
        self.said = open("counted", "w+")
        self.process = subprocess.Popen(
            ["valgrind", "--tool=exp-bbv", "--instr-count-only=yes", "--bb-out-file=/dev/null",
             os.environ["COMMANDS_IN_CHILDREN"]],
            env=ENVIRONMENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.said, text=True)

    def tell(self, words, mark=""):
        print(mark + "\t".join(words), file=self.process.stdin, flush=True)

    def ended(self):
        """The process and its exit code."""
        while not (line := self.process.stdout.readline()).startswith("# "):
            if not line:
                sys.exit("the process that was counted is gone")
        return [int(number) for number in line.split()[1:]]

    def prepare(self, words):
        self.tell(words, "!")
        self.ended()

    def count(self, words, code):
        """What the threads of the command execute until it ends with this code, its children left out."""
        self.said.seek(0, os.SEEK_END)
        begin = self.said.tell()
        self.tell(words)
        idle, its = self.ended(), self.ended()
        self.said.seek(begin)
        said = self.said.read()
        counts = [sum(map(int, re.findall(rf"^=={process}== # +Total instructions: (\d+)", said, re.M)))
                  for process, _ in (idle, its)]
        if its[1] != code or not all(counts):
            sys.exit(f"{words}: {its[1]}\n{said[-2000:]}")
        return counts[1] - counts[0]


# Begins programs from a process that stays small, for what this one takes counts as theirs.
BEGINNER = """
import json, os, subprocess, sys
for line in sys.stdin:
    with subprocess.Popen(json.loads(line), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        said = process.stderr.read(2000)
        while process.stderr.read(65536):
            pass
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    print(json.dumps([process.returncode, usage.ru_maxrss * 1024, usage.ru_utime + usage.ru_stime, said]), flush=True)
"""


class Beginner:
    def __init__(self):
        self.process = subprocess.Popen([sys.executable, "-c", BEGINNER], env=ENVIRONMENT, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def run(self, words, code):
        """The peak of the resident set, in bytes, and seconds of processor time, of what ends with this code."""
        print(json.dumps([str(harness.HILLOCK), *words]), file=self.process.stdin, flush=True)
        ended, peak, seconds, said = json.loads(self.process.stdout.readline())
        if ended != code:
            sys.exit(f"{words} ended with {ended}\n{said}")
        return peak, seconds


def growth(small, large, start):
    return (large - start) / max(small - start, 1)


def check(counter, beginner, starts, name, kind, number, command, factor):
    code = 3 if name == "errors" else 0
    if kind not in starts:
        counter.prepare(command(2))
        starts[kind] = counter.count(command(2), code), beginner.run(command(2), code)[0]
    start, begun = starts[kind]
    small, large = (counter.count(command(n), code) for n in (number, 2 * number))
    work = growth(small, large, start)
    many = min(2 * factor * number, MOST_OF.get(name, sys.maxsize))
    less, _ = beginner.run(command(many // 2), code)
    more, seconds = beginner.run(command(many), code)
    room = growth(less, more, begun) if less - begun > LEAST_MEMORY else 0
    print(f"{name:<28}{number:>8}{small / 1e6:>9.0f}{start / small:>7.2f}{work:>7.2f}{many:>9}"
          f"{more / 1e6:>8.0f}{room:>7.2f}{seconds:>8.2f}", flush=True)
    harness.check(start < 0.4 * small, f"{name}: start-up is most of {number}: choose more")
    harness.check(work <= MOST, f"{name}: {2 * number} take {work:.2f} times the instructions of {number}")
    harness.check(room <= MOST, f"{name}: {many} take {room:.2f} times the memory of {many // 2}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="of what is listed; default: all")
    parser.add_argument("--larger", type=int, default=24, metavar="FACTOR",
                        help="memory is taken of so many times what is counted; default: 24")
    options = parser.parse_args()
    if not shutil.which("valgrind"):
        harness.leave_out("valgrind is not there")
        harness.finish(0, "things")
    print(f"{'what is listed':<28}{'n':>8}{'10^6 in.':>9}{'start':>7}{'x2':>7}{'n':>9}{'MB':>8}{'x2':>7}{'s':>8}")
    known = cases()
    with harness.scratch() as folder:
        os.chdir(folder)
        counter, beginner, starts = Counter(), Beginner(), {}
        for name in options.names or known:
            check(counter, beginner, starts, name, *known[name], options.larger)
        os.chdir("/")
    harness.finish(len(options.names or known), "things")


if __name__ == "__main__":
    main()
