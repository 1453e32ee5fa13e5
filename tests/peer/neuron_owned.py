#!/usr/bin/python3
"""RANDOM of NEURON 9, streams of random numbers that instances own, in sessions that run here.

Under NEURON 9 numbers are NEURON's, of points, membranes and artificial cells, as a whole, in parts and handed back and
forth; a script reads and sets streams meanwhile, and they stand where NEURON's would. Under any, what the text of a run
draws is what NEURON's Random123 gives.
"""

import ctypes
import pathlib
import shutil
import subprocess
import sys
import tempfile

from parity import skip

try:
    import numpy as np
    import neuron
    from neuron import coreneuron, h
except ImportError as missing:
    skip(f"{missing.name} is missing (packages python3-neuron, python3-numpy)")

import hillock
import hillock.neuron
from hillock import _neuron_owned as owned
from hillock._neuron_library import library
from neuron_run import solve_in_parts

MOST_MV, UNTIL, MOST = 1e-6, 40, 1e-12
DRAWS = """
NEURON { POINT_PROCESS draws  ELECTRODE_CURRENT i  RANGE i, flat, between, waiting, normal, wide, whole
  RANDOM one, other }
ASSIGNED { i (nA)  flat  between  waiting  normal  wide  whole  late }
INITIAL { random_setids(other, 3, 4, 5)  random_setseq(other, 0)  random_setseq(one, 2)
  i = 0  flat = 0  between = 0  waiting = 0  normal = 0  wide = 0  whole = 0  late = 0 }
BREAKPOINT { SOLVE draw METHOD after_cvode  i = 0.1*normal + 0.02*late }
PROCEDURE draw() {
  flat = random_uniform(one)
  between = random_uniform(other, -1, 1)
  waiting = random_negexp(one, 2.5)
  normal = random_normal(other)
  wide = random_normal(other, 1, 0.5)
  whole = random_ipick(one)
}
NET_RECEIVE (w) {
  late = random_negexp(other)
  if (late > 2) { random_setseq(other, 100) }
}
"""
NOISY = """
NEURON { SUFFIX noisy  NONSPECIFIC_CURRENT i  RANGE every, next, e  RANDOM ran }
PARAMETER { g = 0.05 (S/cm2)  every = 2 (ms) }
ASSIGNED { v (mV)  i (mA/cm2)  next (ms) }
STATE { e (mV) }
INITIAL { random_setseq(ran, 0)  e = -65  next = wait() }
BEFORE STEP { if (t > next) { next = next + wait()  e = 20 } }
BREAKPOINT { SOLVE fall METHOD cnexp  i = g*(v - e) }
DERIVATIVE fall { e' = (-65 - e)/0.5 }
FUNCTION wait() (ms) { wait = every*random_negexp(ran) }
"""
CELL = """
NEURON { ARTIFICIAL_CELL rolls  RANGE mean  RANDOM ran }
PARAMETER { mean = 3 (ms) }
INITIAL { random_setseq(ran, 0)  net_send(random_negexp(ran, mean), 1) }
NET_RECEIVE (w) {
  if (flag == 1) { net_event(t)  net_send(0.5 + random_negexp(ran, mean), 1) }
}
"""
TWICE = DRAWS.replace("draws  ELEC", "twice  ELEC").replace("0.1*normal", "0.1*random_normal(one)")


class Session:
    def __init__(self):
        self.cells = [h.Section(name=f"cell{k}") for k in range(3)]
        self.dend = h.Section(name="dend")
        self.dend.connect(self.cells[1](1))
        for cell in (*self.cells, self.dend):
            cell.L, cell.diam, cell.nseg = 30, 20, 3
            cell.insert("hh")
        self.cells[1].insert("noisy")
        self.dend.insert("noisy")
        self.points = [h.draws(self.cells[k](0.5)) for k in (0, 2, 0)]
        self.rolls = [h.rolls() for _ in range(2)]
        self.synapses = [h.ExpSyn(cell(0.5)) for cell in self.cells]
        self.netcons, self.times = [], [h.Vector() for _ in range(3)]
        for source, target, weight in ((self.rolls[0], self.synapses[0], 0.02), (self.rolls[1], self.points[1], 1)):
            self.netcons.append(h.NetCon(source, target))
            self.netcons[-1].delay, self.netcons[-1].weight[0] = 1.3, weight
        self.netcons.append(h.NetCon(self.cells[1](0.5)._ref_v, self.points[2], sec=self.cells[1]))
        self.netcons[-1].threshold = -30
        for netcon, times in zip(self.netcons, self.times):
            netcon.record(times)
        self.traces = [h.Vector().record(reference) for reference in (
            h._ref_t, *(cell(0.5)._ref_v for cell in self.cells), self.dend(0.9).noisy._ref_e,
            *(getattr(self.points[1], f"_ref_{name}") for name in
              ("flat", "between", "waiting", "normal", "wide", "whole")))]

    def streams(self):
        return [*(getattr(point, name) for point in self.points for name in ("one", "other")),
                *(segment.noisy.ran for cell in (self.cells[1], self.dend) for segment in cell),
                *(cell.ran for cell in self.rolls)]

    def run(self, moments, is_here, between=lambda: None):
        for k, stream in enumerate(self.streams()):
            stream.set_ids(k, 7, 1).set_seq(1000 * k + k % 4)
        h.stdinit()
        for number, moment in enumerate(moments):
            solve_in_parts([moment], lambda _, number=number: is_here(number))
            between()
        found = [np.array(list(one)) for one in (*self.traces, *self.times)]
        return [*found, np.array([[*stream.get_ids(), stream.get_seq()] for stream in self.streams()]).ravel()]


def is_same(name, got, wanted):
    sizes = [len(one) for one in got] == [len(one) for one in wanted]
    apart = max(np.abs(one - other).max(initial=0) for one, other in zip(got, wanted)) if sizes else np.inf
    spikes = [len(one) for one in wanted[-4:-1]]
    good = apart <= MOST_MV and min(spikes) > 3
    print(f"{'ok' if good else 'WRONG'}: {name}: {spikes} spikes, at most {apart:.2g} apart",
          *([] if sizes else [[len(one) for one in got], [len(one) for one in wanted]]))
    return good


def sessions(folder):
    (pathlib.Path(folder) / "mod").mkdir()
    for name, text in (("draws", DRAWS), ("noisy", NOISY), ("rolls", CELL), ("twice", TWICE)):
        (pathlib.Path(folder) / "mod" / f"{name}.mod").write_text(text)
    compiler = pathlib.Path(sys.executable).parent / "nrnivmodl"
    compiler = str(compiler) if compiler.exists() else shutil.which("nrnivmodl")
    subprocess.run([compiler, "mod"], cwd=folder, check=True, capture_output=True)
    neuron.load_mechanisms(folder)
    h.load_file("stdrun.hoc")
    hillock.neuron.enable()
    coreneuron.enable = False
    h.ParallelContext().set_maxstep(10)
    session = Session()
    moments = [3.3, 8.025, 8.05, 17, 26.5, UNTIL]

    def rewind():
        session.points[1].one.set_seq(12345)
        session.points[0].other.set_ids(9, 9, 9).set_seq(3)
        session.dend(0.5).noisy.ran.uniform()

    wanted = session.run([UNTIL], lambda _: False)
    yield is_same("as a whole", session.run([UNTIL], lambda _: True), wanted)
    yield is_same("in parts", session.run(moments, lambda _: True), wanted)
    for how, first in (("back and forth", 0), ("forth and back", 1)):
        yield is_same(how, session.run(moments, lambda part: part % 2 == first), wanted)
    wanted = session.run(moments, lambda _: False, rewind)
    yield is_same("streams are set in between", session.run(moments, lambda _: True, rewind), wanted)
    h.ParallelContext().nthread(2)
    wanted = session.run(moments, lambda _: False)
    yield is_same("two threads", session.run(moments, lambda part: part % 2 == 0), wanted)
    h.ParallelContext().nthread(1)
    for words, change in (("which NEURON does twice", lambda: h.twice(session.cells[0](0.5))),
                          ("other ids since set_seq()", lambda: session.points[0].other.set_ids(1, 2, 8))):
        h.stdinit()
        kept = change()
        from contextlib import redirect_stderr
        with tempfile.TemporaryFile("w+") as caught, redirect_stderr(caught):
            coreneuron.enable = True
            try:
                h.continuerun(5)
                said = "it ran"
            except RuntimeError:
                said = ""
            coreneuron.enable = False
            caught.seek(0)
            good = not said and words in caught.read()
        print(f"{'ok' if good else 'WRONG'}: refused: {words}", said)
        yield good
        del kept


def texts():
    """What a run draws is what hoc's Random gives, which every NEURON has."""
    names, key = ("one", "other"), ctypes.c_uint32(library().hillock_random123_key()).value
    text = owned.with_numbers(DRAWS, names, key)
    settings = {f"hillock_{name}_{id_}": k for k, (name, id_) in enumerate(
        (name, id_) for name in names for id_ in ("id1", "id2", "id3"))}
    model = {"hillock": 1, "run": {"duration": "5 ms", "dt": "0.1 ms"}, "mechanisms": [{"file": text.encode()}],
             "cells": {"one": {"morphology": {"branches": [{"name": "soma", "length": "20 um", "diameter": "20 um"}]},
                               "regions": {"all": {"cm": "1 uF/cm2", "Ra": "100 ohm.cm"}}}},
             "populations": {"one": {"cell": "one", "size": 1}},
             "points": {"draws": {"on": "one", "draws": settings,
                                 "list": {"csv": {"cell": [0], "branch": [0], "position": [0.5]}}}},
             "record": [{"name": name, "points": "draws", "variable": f"draws.{name}", "type": "float64"}
                        for name in ("flat", "between", "waiting", "normal", "wide", "whole")]}
    results = hillock.run(hillock.Model(model), progress=False)
    got = {entry["name"]: results[entry["name"]].data[1:, 0] for entry in model["record"]}
    streams = {name: h.Random() for name in names}
    for k, (name, stream) in enumerate(streams.items()):
        stream.Random123(3 * k, 3 * k + 1, 3 * k + 2)
        stream.uniform(0, 1)
        stream.seq(2 if name == "one" else 0)

    def normal():
        while True:
            a, b = (2*streams["other"].repick() - 1 for _ in range(2))
            if (w := a*a + b*b) <= 1:
                return a*np.sqrt(-2*np.log(w)/w)

    wanted = {name: [] for name in got}
    for _ in range(len(got["flat"])):
        wanted["flat"].append(streams["one"].repick())
        wanted["between"].append(-1 + 2*streams["other"].repick())
        wanted["waiting"].append(-2.5*np.log(streams["one"].repick()))
        wanted["normal"].append(normal())
        wanted["wide"].append(1 + 0.5*normal())
        wanted["whole"].append(round(streams["one"].repick()*(2**32 + 1) - 1))
    return got, wanted


def is_as_random123():
    got, wanted = texts()
    apart = {name: np.abs(got[name] - wanted[name][:len(got[name])]).max() for name in got}
    good = all(one <= MOST for one in apart.values())
    print(f"{'ok' if good else 'WRONG'}: as Random123 gives them: {apart}")
    return good


def main():
    good = [is_as_random123()]
    if neuron.__version__ >= "9":
        with tempfile.TemporaryDirectory(prefix="hillock-owned-") as folder:
            good += sessions(folder)
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
