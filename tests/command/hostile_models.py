#!/usr/bin/env python3
"""Models, names of files and .mod files that would steer a terminal, numbers that pass a limit only
when they are evaluated, and numbers that a report cannot hold."""

import json
import os
import pathlib
import re
import subprocess

import harness

MODEL = """hillock: 1
run: {duration: 1 ms, dt: 0.1 ms}
mechanisms: []
cells:
  c:
    morphology: {branches: [{name: soma, length: 20 um, diameter: 20 um},
                            {name: dend, parent: soma, length: 100 um, diameter: 2 um}]}
    discretization: {per_branch: 1}
    regions: {all: {pas: {}, ions: {}}, soma: {hh: {}}}
    detector: {at: soma(0.5)}
  leaky: {artificial: {intfire: {tau: 10 ms}}}
populations:
  p: {cell: c, size: 4, positions: {uniform_box: [9 um, 9 um, 9 um]}}
  q: {cell: leaky, size: 2}
projections:
  - {from: p, to: p, connect: all_to_all, synapse: {expsyn: {tau: 1 ms}, at: soma(0.5)},
     weight: 1 nS, delay: 1 ms}
stimuli:
  - {iclamp: {amplitude: 0 nA, duration: 1 ms}, to: p, at: soma(0.5)}
  - {poisson: {rate: 1 Hz}, to: "p[0:2]", synapse: {expsyn: {}, at: soma(0.5)}, weight: 1 nS}
  - {iclamp: {train: {amplitude: 0 nA, width: 1 ms, period: 2 ms, count: 2}}, to: p, at: soma(0.5)}
record: [{name: e, of: p, variable: pas.e, at: soma(0.5)}, {name: q, of: q}]
"""

# What is set, and what is said: as of a constant, and whose the value is. Of the cells of a region
# that have a wrong one, which comes first depends on the machine's lanes.
LIMITS = [
    ("cells.c.regions.all.v_init=1e6 mV * index",
     "cells.c.regions.all.v_init: 1000000 mV for p[1] at soma(0.5) must be at most 1000 mV"),
    ("cells.c.regions.all.v_init={normal: {mean: 0 mV, sd: 1e9 mV}}",
     "cells.c.regions.all.v_init: the draw ", "for p[0] at soma(0.5)", "(truncate the distribution)"),
    ("cells.c.regions.all.v_init=1 mV / (index - 2)", "inf mV for p[2] at soma(0.5) is not a finite"),
    ("cells.c.regions.all.v_init=1e6 mV * (r + 1)", "must be at most 1000 mV"),
    ("cells.c.regions.all.cm=1 uF/cm2 - 1 uF/cm2 * distance / 50 um",
     "cells.c.regions.all.cm: ", " uF/cm2 for dend(0.5) must not be negative"),
    ("cells.c.regions.all.Ra=1e10 ohm.cm * (1 + x/1 um)", "for soma(0.5) must be at most 1000000000 ohm.cm"),
    ("cells.c.regions.all.pas.g=-1 S/cm2 * index",
     "cells.c.regions.all.pas.g: -", " S/cm2 for p[", "] at soma(0.5) must not be negative"),
    ("cells.c.regions.all.ions.na={e: 1 V * (index + 1)}",
     "ions.na.e: ", " mV for p[", "] at soma(0.5) must be at most 1000 mV"),
    ("cells.c.regions.all.ions.na={inside: -1 mM - 1 mM * index}",
     "ions.na.inside: -", " mM for p[", "] at soma(0.5) must not be negative"),
    ("cells.leaky.artificial.intfire.tau=1 ms - 1 ms * index",
     "cells.leaky.artificial.intfire.tau: 0 ms for q[1]"),
    ("projections.0.connect={pairwise_bernoulli: 1 + distance/1 nm}",
     "pairwise_bernoulli: ", "for p[1] -> p[0] must be at most 1"),
    ("projections.0.weight=-1 nS * r", "projections[0].weight: -", "for p[1] -> p[0] must not be negative"),
    ("projections.0.weight={normal: {mean: 0 nS, sd: 1 nS}}", "must not be negative (truncate"),
    ("projections.0.delay=2e8 ms + 1 ms * r", "projections[0].delay: ", "must be at most 100000000 ms"),
    ("projections.0.delay=1 ms / (x / 1 um - x / 1 um)", "is not a finite number"),
    ("projections.0.synapse.expsyn.tau=-1 ms * index",
     "projections[0].synapse.expsyn.tau: 0 ms for p[0] at soma(0.5)"),
    ("stimuli.0.iclamp.duration=-1 ms * r", "stimuli[0].iclamp.duration: -", "for p[0] must be positive"),
    ("stimuli.0.iclamp.start=-1 ms * index", "stimuli[0].iclamp.start: -1 ms for p[1] must not be"),
    ("stimuli.0.iclamp.amplitude=1 nA / index", "stimuli[0].iclamp.amplitude: inf nA for p[0] is not"),
    ("stimuli.1.poisson.rate=-1 Hz * index", "stimuli[1].poisson.rate: -1 Hz for p[1] must not be"),
    ("stimuli.1.poisson.rate=1 GHz * index", "p[1] must be at most 1000000 Hz"),
    ("stimuli.1.weight=-1 nS * index", "stimuli[1].weight: -0.001 uS for p[1] must not be negative"),
    ("stimuli.1.delay=1e9 ms * index", "stimuli[1].delay: 1000000000 ms for p[1] must be at most"),
    ("stimuli.2.iclamp.train.count=1.5 + index", "the count 1.5 for p[0] must be a whole number"),
    ("stimuli.2.iclamp.train.count=0 * index", "0 for p[0] must be at least 1"),
    ("stimuli.2.iclamp.train.width=1 ms + 2 ms * index",
     "the period 2 ms for p[1] must not be shorter than the width, 3 ms"),
]

STEERING = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def raw(*words, cwd):
    """Exit code and all bytes that the command writes."""
    done = subprocess.run([os.fsencode(harness.HILLOCK)] + [w if isinstance(w, bytes) else str(w).encode()
                                                            for w in words],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=cwd, timeout=100)
    return done.returncode, done.stdout, done.stderr


def expect_printable(folder, code, *words, texts=()):
    got, out, err = raw(*words, cwd=folder)
    harness.check(got == code, f"{words}: exit code {got}, not {code}: {out + err!r}")
    try:
        text = (out + err).decode()
    except UnicodeDecodeError as error:
        harness.check(False, f"{words}: not UTF-8: {error}")
        return out
    found = STEERING.search(text)
    harness.check(not found, f"{words}: {found!r} reaches the terminal: {text!r}")
    for wanted in texts:
        harness.check(wanted in text, f"{words}: no {wanted!r} in {text!r}")
    return out


def terminals(folder):
    """Whatever holds characters that steer a terminal, they are shown as escapes."""
    red = "\x1b[31mRED\x1b[0m\x07"
    steering = red + "\nm.yaml: valid\r\x7f\u009b31m\u202e"
    quoted = json.dumps(steering)
    cases = 0
    for text in (MODEL.replace("hillock: 1", f"hillock: 1\n{quoted}: 3"),
                 MODEL.replace("duration: 1 ms", f"duration: {quoted}"),
                 MODEL.replace("size: 4", f"size: {quoted}"),
                 MODEL.replace("variable: pas.e", f"variable: {quoted}"),
                 MODEL.replace("mechanisms: []", f"mechanisms: [{quoted}]"),
                 MODEL.replace("mechanisms: []", f"include: {quoted}"),
                 MODEL.replace("cell: c,", f"cell: {quoted},"),
                 MODEL.replace("from: p,", f"name: {quoted}, from: p, bad: 1,"),
                 MODEL + "\u202e: \x01"):
        (folder / "m.yaml").write_text(text)
        expect_printable(folder, 3, "validate", "m.yaml", texts=["m.yaml"])
        cases += 1
    name = f"{red}\n\u202e.yaml".encode()
    pathlib.Path(os.fsdecode(os.fsencode(folder) + b"/" + name)).write_text(MODEL)
    expect_printable(folder, 0, "validate", name, texts=["\\u001b[31mRED\\u001b[0m", ": valid"])
    expect_printable(folder, 0, "run", name, texts=["output in \\u001b[31m"])
    expect_printable(folder, 4, "run", name, texts=["--force"])
    out = expect_printable(folder, 0, "run", name, "--force", "--json")
    harness.check(json.loads(out)["model"] == name.decode(), "--json does not give the name back")
    expect_printable(folder, 0, "info", name)
    expect_printable(folder, 4, "run", b"none\x1b[31m\xff.yaml", texts=["none\\u001b[31m\\xff.yaml"])
    expect_printable(folder, 2, "run", name, "--set", steering)
    expect_printable(folder, 2, "run", name, "--" + red)
    expect_printable(folder, 2, red)
    expect_printable(folder, 3, "validate", name, "--set", f"run.seed={steering}")
    expect_printable(folder, 3, "validate", name, "--set", b"run.seed=caf\xe9", texts=["not UTF-8"])
    (folder / "m.mod").write_text(f"NEURON {{ SUFFIX m RANGE {red} }}\n")
    expect_printable(folder, 3, "mech", "check", "m.mod", texts=["m.mod:1:"])
    return cases + 11


def latin1(folder):
    """Models are UTF-8; a .mod file may have comments and a title that are older."""
    (folder / "l.yaml").write_bytes(MODEL.encode() + b"# caf\xe9\n")
    lines = MODEL.count("\n") + 1
    expect_printable(folder, 3, "validate", "l.yaml", texts=[f"l.yaml:{lines}:6: error: the byte 0xe9"])
    mod = b"""TITLE caf\xe9
NEURON { SUFFIX old RANGE g NONSPECIFIC_CURRENT i }  : \xb5S
PARAMETER { g = 0 (uS) }
ASSIGNED { v (mV) i (mA/cm2) }
BREAKPOINT { i = g * v }
COMMENT \xe9\xe8 ENDCOMMENT
"""
    (folder / "old.mod").write_bytes(mod)
    (folder / "l.yaml").write_text(MODEL.replace("mechanisms: []", "mechanisms: [old.mod]"))
    expect_printable(folder, 0, "mech", "check", "old.mod")
    expect_printable(folder, 0, "validate", "l.yaml")
    return 3


def reports(folder):
    """A number that float32 cannot hold ends the run, and says where it is and what helps."""
    (folder / "r.yaml").write_text(MODEL)
    huge = ["--set", "cells.c.regions.all.pas={g: 0 S/cm2, e: -1e300 mV}", "--force"]
    expect_printable(folder, 5, "run", "r.yaml", *huge,
                     texts=["record 'e': -1e+300 mV does not fit into float32 (write type: float64) at 0 "
                            "ms in p[0] at branch 0(0.5)"])
    expect_printable(folder, 0, "run", "r.yaml", *huge, "--set", "record.0.type=float64")
    return 2


def main():
    count = 0
    with harness.scratch() as folder:
        folder = pathlib.Path(folder)
        count += terminals(folder) + latin1(folder) + reports(folder)
        (folder / "m.yaml").write_text(MODEL)
        expect_printable(folder, 0, "info", "m.yaml")
        for override, *texts in LIMITS:
            expect_printable(folder, 3, "info", "m.yaml", "--set", override, texts=["error: ", *texts])
        count += len(LIMITS)
    harness.finish(count, "hostile models")


if __name__ == "__main__":
    main()
