#!/usr/bin/python3
"""Odd and wrong sessions of NEURON, each in a process of its own, by run() or by psolve.

NEURON runs each first and has the right result: traces to 1e-6 mV, spikes to 1e-9 ms. Here it ends in that, or in a
RuntimeError whose reason is on standard error; and then NEURON runs the same session again as if nothing had been.
"""

import dataclasses
import os
import pathlib
import subprocess
import sys
import tempfile

from parity import skip

try:
    import numpy  # noqa: F401
    from neuron import h  # noqa: F401
except ImportError as missing:
    skip(f"{missing.name} is missing (packages python3-neuron, python3-numpy)")

import hillock.neuron  # noqa: F401
from hillock._neuron_library import is_9, knows_random_plays

_BEGIN = """
import os, signal, sys, threading, time
import numpy as np
import hillock.neuron
from neuron import coreneuron, h
h.load_file("stdrun.hoc")
hillock.neuron.enable(fallback=FALLBACK)
is_here = True
pc = h.ParallelContext()
pc.set_maxstep(10)
soma, dend = h.Section(name="soma"), h.Section(name="dend")
soma.L = soma.diam = 20
dend.L, dend.diam, dend.nseg = 100, 2, 3
dend.connect(soma(1))
soma.insert("hh")
dend.insert("pas")
clamp, syn, stim = h.IClamp(soma(0.5)), h.ExpSyn(dend(0.5)), h.NetStim()
clamp.delay, clamp.dur, clamp.amp = 1, 1e9, 0.5
stim.start, stim.interval, stim.number = 1.3, 2, 5
nc = h.NetCon(stim, syn)
nc.weight[0], nc.delay = 0.005, 1
spikes, seen = h.Vector(), h.NetCon(soma(0.5)._ref_v, None, sec=soma)
seen.record(spikes)
traces = [h.Vector().record(reference) for reference in (h._ref_t, soma(0.5)._ref_v, dend(0.5)._ref_v)]

def to(until, begin=True):
    if by == "run":
        h.tstop = until
        h.run() if begin else h.continuerun(until)
    else:
        if begin:
            h.stdinit()
        pc.psolve(until)

def run():
    to(10)

def again():
    clamp.amp, clamp.dur = 0.5, 1e9
"""

_END = """
def result():
    again()
    run()
    return [np.array(list(one)) for one in (*traces, spikes)]

def same(got):
    return all(a.shape == b.shape and np.allclose(a, b, rtol=0, atol=1e-6, equal_nan=True) for a, b in zip(got, wanted))

coreneuron.enable = is_here = False
wanted = result()
coreneuron.enable = is_here = True
try:
    outcome = "right" if same(result()) else "wrong"
except RuntimeError as error:
    outcome = "error"
    print(error, file=sys.stderr)
coreneuron.enable = is_here = False
print(outcome, "and goes on" if same(result()) else "and is broken")
"""


@dataclasses.dataclass
class Case:
    """code: of the session, which may define run() and again(), what makes it what it was. says: what is on standard
    error where it ends in an error, or empty where its result is right."""
    name: str
    code: str
    says: str = ""
    by: str = "run"
    fallback: bool = False
    environment: dict = dataclasses.field(default_factory=dict)


_IN_PARTS = "def run():\n to(3.5)\n {}\n to(7, begin=False)\n to(10, begin=False)\n"
_SEVERAL = """
dend.rallbranch, tip = 3, h.Section(name='tip')
tip.L, tip.diam, tip.nseg, tip.rallbranch = 50, 1, 2, 2.5
tip.connect(dend(1), 1)
tip.insert('hh')
more = [h.IClamp(dend(0)), h.IClamp(dend(1)), h.IClamp(tip(0.3)), h.SEClamp(tip(0))]
for k, one in enumerate(more[:3]): one.delay, one.dur, one.amp = 2 + k, 1, 0.05
more[3].dur1, more[3].amp1, more[3].rs = 3, -60, 10
traces.append(h.Vector().record(tip(0.7)._ref_v))
"""
_STIMULI = """
h.fstim(4)
h.fstim(0, 0.5, 1.0000004, 1.3, 1 / 7, sec=soma)
h.fstim(1, 1, 4.5, 3, -0.3, sec=dend)
h.fstim(3, 0.3, 2.2, 1e9, 0.1, sec=dend)
"""
#: By turns here and in NEURON.
_BY_TURNS = """
def run():
 for k, until in enumerate([2, 3.025, 3.5, 4.1, 5, 5.525, 6.025, 10]):
  coreneuron.enable = is_here and k % 2 == 0
  to(until, begin=k == 0)
 coreneuron.enable = is_here
"""
_AT_3 = "handler = h.FInitializeHandler(lambda: h.CVode().event(3, {}))\n"

_PLAYED = "rand = h.Random()\ndef again(): rand.MCellRan4(1, 1); rand.uniform(0, 1)\nrand.play(clamp._ref_amp)"
_UNKNOWN = "" if knows_random_plays() else "Random.play"  # as of Debian's NEURON

CASES = [
    # Cells.
    Case("a section with nothing in it", "bare = h.Section(name='bare')"),
    Case("a chain of sections", "more = [h.Section(name=f'c{i}') for i in range(1500)]\n"
         "for one, other in zip(more, [dend, *more]): one.connect(other(1)); one.L = one.diam = 10"),
    Case("joined at the middle of two, and at 0", "dend.nseg = 2\nx, y = h.Section(name='x'), h.Section(name='y')\n"
         "x.connect(dend(0.5)); y.connect(dend(0), 1); x.insert('hh'); y.insert('pas')"),
    Case("sections of one name", "more = [h.Section(name='soma') for _ in range(3)]\n"
         "for one in more: one.connect(soma(0)); one.insert('hh')"),
    Case("sections of odd names", "more = [h.Section(name=n) for n in ('a b', 'x[3', 'a.b', 'all', 'ä')]\n"
         "for one in more: one.connect(soma(0)); one.insert('pas')"),
    Case("a section called 1", "x = h.Section(name='1'); x.insert('pas'); x.connect(soma(0))"),
    Case("a section without a name", "x = h.Section(name=''); x.insert('pas'); x.connect(soma(0))"),
    Case("a section with a long name", "x = h.Section(name='x' * 200); x.insert('hh')\n"
         "xs = h.NetCon(x(0.5)._ref_v, None, sec=x)"),
    Case("sections with longer names than a model knows", "more = [h.Section(name=name) for name in\n"
         " ('x' * 181, 'x' * 250 + '[3]', 'x' * 250, 'x' * 700, 'x' * 700 + 'y', '1' * 700)]\n"
         "for one in more: one.insert('hh'); one.connect(dend(1))\ntraces.append(h.Vector().record(more[3](0.5)._ref_v))"),
    Case("a cell called NetStim", "x = h.Section(name='NetStim'); x.insert('hh'); xi = h.IClamp(x(0.5)); xi.dur = 5"),
    Case("very short sections", "x = h.Section(name='x'); x.L = 1e-6; x.connect(soma(0))", "too small"),
    Case("myelin, which holds nothing", "x, y = h.Section(name='x'), h.Section(name='y')\n"
         "x.L, x.diam, x.cm = 100, 0.7, 1.87e-11; x.insert('pas'); x.connect(dend(1)); x.g_pas = 5.6e-9\n"
         "y.L, y.diam = 3, 0.7; y.insert('hh'); y.connect(x(1))"),
    Case("an ion_style that differs", "dend.insert('hh')\nh.ion_style('na_ion', 1, 2, 1, 0, 0, sec=dend)\n"
         "dend.nai, dend.nao = 12, 150"),
    Case("joined otherwise in between", "def again():\n dend.disconnect(); dend.connect(soma(1))\n"
         + _IN_PARTS.format("dend.disconnect(); dend.connect(soma(0), 1)")),
    Case("a mechanism comes in between", "def again(): dend.uninsert('hh')\n" + _IN_PARTS.format("dend.insert('hh')")),
    Case("the length changes in between", "def again(): dend.L = 100\n" + _IN_PARTS.format("dend.L = 300")),
    Case("a point moves in between", "def again(): clamp.loc(soma(0.5))\n" + _IN_PARTS.format("clamp.loc(dend(0.5))")),
    Case("extracellular", "dend.insert('extracellular')"),
    Case("extracellular comes in between", "def again(): pass\n" + _IN_PARTS.format("dend.insert('extracellular')")),
    Case("extracellular, in secondorder 2", "dend.insert('extracellular'); h.secondorder = 2",
         "extracellular with secondorder"),
    Case("a NetCon of vext", "dend.insert('extracellular'); x = h.NetCon(dend(0.5)._ref_vext[0], syn, sec=dend)",
         "voltage"),
    Case("extracellular, in secondorder 2, and fallback", "dend.insert('extracellular'); h.secondorder = 2", fallback=True),
    Case("a reason with other letters", "x = h.Section(name='ä'); x.L = 1e-6; x.connect(soma(0))", "ä(0.5): its area"),
    Case("no cell, by psolve", "seen = nc = clamp = syn = stim = soma = dend = traces = None\ntraces = []\n"
         "def again(): pass\ndef run():\n if is_here: to(10)", "there are no cells", "psolve"),
    *(Case(f"{what}, by psolve, and fallback", code, says, "psolve", True) for what, code, says in (
        ("no cell", "seen = nc = clamp = syn = stim = soma = dend = traces = None\ntraces = []\ndef again(): pass", ""),
        ("a NetCon whose source is gone", "x = h.Section(name='x'); y = h.NetCon(x(0.5)._ref_v, syn, sec=x); x = None", ""),
        ("secondorder 1", "h.secondorder = 1", ""),
        ("extracellular, in secondorder 2", "dend.insert('extracellular'); h.secondorder = 2", ""),
        ("nothing refused", "", ""),
        ("an event sets secondorder 1", "def again(): h.secondorder = 0\n"
         + "handler = h.FInitializeHandler(lambda: h.CVode().event(3, lambda: setattr(h, 'secondorder', 1)))\n"
         "def run(): to(7); to(10, begin=False)", ""),
        ("a loop of parts", "def run():\n h.stdinit()\n for k in range(1, 11): to(k, begin=False)", ""),
        ("an event raises", "handler = h.FInitializeHandler(lambda: h.CVode().event(3, lambda: 1 / 0 if is_here else None))",
         "ZeroDivisionError"))),
    # Numbers.
    *(Case(f"dt is {dt}, by {by}", f"def run():\n if is_here: h.stdinit(); h.dt = float('{dt}'); {how}(5)\n h.dt = 0.025; to(10)",
           "no length of a step", by, is_left)
      for dt in ("0", "-0.025", "inf", "nan") for by, how, is_left in (
          ("psolve", "pc.psolve", False), ("psolve", "pc.psolve", True), ("run", "h.continuerun", False))),
    Case("psolve to what is no time", "def run(): h.stdinit(); pc.psolve(float('nan') if is_here else 10)", "no time to run to",
         "psolve"),
    Case("continuerun() without an end, which an event stops", "def run(): h.stdinit(); h.continuerun(float('inf'))\n"
         + "handler = h.FInitializeHandler(lambda: h.CVode().event(10, 'stoprun = 1'))"),
    Case("dt is longer than what is left", "h.dt = 0.025\ndef run():\n"
         " if is_here: h.stdinit(); h.dt = 20; to(5, begin=False); assert h.t == 0 and len(traces[0]) == 1; h.dt = 0.025\n to(10)",
         by="psolve"),
    Case("v_init is no number", "h.v_init = float('nan')", "run.v_init"),
    Case("cm is 0", "dend.cm = 0"),
    Case("cm is 0, in secondorder 2", "dend.cm, h.secondorder = 0, 2"),
    Case("cm is below 0", "dend.cm = -1", "must not be negative"),
    Case("negative weights", "nc.weight[0] = -0.001\nx, y = h.Exp2Syn(dend(0)), h.ExpSyn(dend(1))\n"
         "more = [h.NetCon(stim, one, 0, 1.5, w) for one in (syn, x, y) for w in (0.003, -0.002)]"),
    Case("numbers beyond the limits of their .mod files", "x, y = h.AlphaSynapse(dend(0.5)), h.IntFire1()\n"
         "x.tau, x.gmax, y.tau, soma.gnabar_hh = 0, -0.001, 0, 0.12\ndend.insert('hh'); dend(0.1).gnabar_hh = -0.001"),
    Case("no number is finite, and fallback", "clamp.delay = float('inf')\ndef again(): pass", fallback=True),
    Case("secondorder 1", "h.secondorder = 1", "secondorder"),
    Case("secondorder 3", "h.secondorder = 3", "secondorder"),
    Case("dt does not divide", "h.dt, h.steps_per_ms = 0.03, 1 / 0.03"),
    Case("parts shorter than dt, and backwards", "def run():\n to(0.01)\n"
         " for t in (0.02, 0.03, 4, 3, 10): to(t, begin=False)"),
    Case("noise of another generator, by psolve", "stim.noise, rand = 0.5, h.Random()\n"  # NEURON 9 takes Random123 alone
         f"def again(): rand.{'Random123(1, 2, 3)' if is_9() else 'MCellRan4(1, 1)'}; rand.negexp(1); stim.noiseFromRandom(rand)",
         by="psolve"),
    *(Case(f"a Random is played{how}", _PLAYED, _UNKNOWN, by) for how, by in (("", "run"), (", by psolve", "psolve"))),
    Case("several Randoms are played, in parts, beside a Vector", _PLAYED + "\nothers = [h.Random() for _ in range(2)]\n"
         "others[0].play(soma(0.5).hh._ref_gnabar); others[1].play(syn._ref_e); others[1].play(dend(0.5).pas._ref_e)\n"
         "def again():\n rand.MCellRan4(1, 1); rand.uniform(0, 1)\n"
         " for one in others: one.Random123(1, 2, 3); one.normal(0.1, 1e-5)\n"
         "x, y = h.Vector([-70, -60]), h.Vector([0, 10]); x.play(soma(0.5).hh._ref_el, y, 1)\n"
         "traces.append(h.Vector().record(clamp._ref_amp))\n"
         "def run(): to(3.3); to(3.35, begin=False); to(7, begin=False); to(10, begin=False)", _UNKNOWN),
    Case("a Random is played, and a section comes in between", _PLAYED + "\nmore = []\n"
         + _IN_PARTS.format("more.append(h.Section(name='more')); more[-1].insert('hh'); h.IClamp(more[-1](0.5))"),
         _UNKNOWN),
    Case("a Random is played in a loop that draws", _PLAYED + "\nother = h.Random(); other.uniform(0, 1)\n"
         "h('objref other'); h.other = other\n"
         "h('proc loop() { stdinit() while (t < 10) { fadvance() clamp_amp = other.uniform(0, 1) } }')\n"
         "def run(): h.loop()", _UNKNOWN or "Random.play beside a loop that draws"),
    Case("a Random is played that a NetStim draws from", _PLAYED + "\nstim.noise = 0.5; stim.noiseFromRandom(rand)",
         "" if is_9() else _UNKNOWN or "from which mechanisms draw"),
    Case("a Random and a Vector are played into one number", _PLAYED + "\nx, y = h.Vector([0, 1]), h.Vector([0, 10])\n"
         "x.play(clamp._ref_amp, y, 1)", _UNKNOWN or "two Vectors or Randoms"),
    Case("a Random is played into v", _PLAYED.replace("clamp._ref_amp", "soma(0.5)._ref_v"),
         _UNKNOWN or "into what is no number of a mechanism"),
    Case("a Vector is played into another number in between, and NEURON forgets an event that it has freed",
         "x, y = h.Vector([0, 1]), h.Vector([0, 20])\ndef run():\n x.play(clamp._ref_amp, y, 1); to(5); x.play_remove()\n"
         " x.play(clamp._ref_delay, y, 1); to(10, begin=False); x.play_remove()\ndef again(): clamp.delay = 1"),
    Case("sections that stand for several, with points",
         _SEVERAL + "traces += [h.Vector().record(one._ref_i) for one in (syn, *more)]"),
    Case("they stand for others in between", _SEVERAL + "def again(): dend.rallbranch = 3\n"
         + _IN_PARTS.format("dend.rallbranch = 2")),
    Case("i_membrane_ where a section stands for several", "dend.rallbranch = 3; h.CVode().use_fast_imem(1)\n"
         "traces.append(h.Vector().record(dend(0.5)._ref_i_membrane_))", "rallbranch"),
    Case("layers where a section stands for several", "dend.rallbranch = 3; dend.insert('extracellular')", "rallbranch"),
    # Names of the script's.
    Case("the script's own names", "h('strdef ref, t2\\nobjref cell, v0\\nproc name() { }\\nref = \"x\"')"),
    Case("a template with init and advance", "h('''begintemplate Odd\\npublic init, advance, run, soma\\ncreate soma\n"
         "proc init() { soma insert hh }\\nproc advance() { }\\nproc run() { }\\nendtemplate Odd\\nobjref odd\n"
         "odd = new Odd()'''.replace('\\\\n', '\\n'))"),
    # Callbacks.
    Case("stoprun is set before psolve", "def run(): h.stdinit(); h.stoprun = 1; pc.psolve(5); pc.psolve(10); h.stoprun = 0",
         by="psolve"),
    *(Case(f"steps of its own in an event, by {by}", _AT_3.format(what), by=by)
      for by in ("run", "psolve") for what in ("h.fadvance", "lambda: h.continuerun(5)")),
    Case("psolve, where t is more than the steps to there come to", "def run():\n"
         " to(1050); to(1500, begin=False)\n for one in traces[1:]: one.resize(50)", by="psolve"),
    Case("steps longer than set_maxstep says, of which CoreNEURON does not ask either",
         "def run(): pc.set_maxstep(0.01 if is_here else 10); to(10)", by="psolve"),
    Case("stoprun is set before psolve, and an event comes", _AT_3.format("lambda: setattr(clamp, 'amp', 0)")
         + "def run(): h.stdinit(); h.stoprun = 1; pc.psolve(5); h.stoprun = 0; pc.psolve(10)", by="psolve"),
    Case("an event changes the clamp", _AT_3.format("lambda: setattr(clamp, 'amp', 0)")),
    Case("an event raises", _AT_3.format("lambda: 1 / 0 if is_here else None"), "ZeroDivisionError"),
    Case("an event raises, by psolve", _AT_3.format("lambda: 1 / 0 if is_here else None"),
         "ZeroDivisionError", "psolve"),
    Case("an event stops the run", _AT_3.format("'stoprun = 1'")),
    Case("an event changes dt", "def again(): h.dt = 0.025\n" + _AT_3.format("lambda: setattr(h, 'dt', 0.0125)")),
    Case("an event sets nseg, and another run follows", _AT_3.format("lambda: setattr(dend, 'nseg', 5)")
         + "def run():\n global handler\n try: to(5)\n except RuntimeError: pass\n handler = None; to(10)",
         "a section has lost segments" if is_9() else ""),
    *(Case(f"an event {what}, by psolve", f"made = []\ndef again():\n made.clear(); {back}\n" + _AT_3.format(
        f"lambda: {code}") + "def run(): to(6); to(10, begin=False)", by="psolve")
      for what, code, back, is_for_9 in (
          ("changes L", "setattr(dend, 'L', 300)", "dend.L = 100", True),
          ("changes diam", "setattr(dend, 'diam', 4)", "dend.diam = 2", True),
          ("changes Ra", "setattr(dend, 'Ra', 300)", "dend.Ra = 35.4", True),
          ("moves a synapse", "syn.loc(soma(0.5))", "syn.loc(dend(0.5))", True),
          ("changes nseg", "setattr(dend, 'nseg', 5)", "dend.nseg = 3", False),
          ("inserts", "dend.insert('hh')", "dend.uninsert('hh')", False),
          ("makes a clamp", "made.append(h.SEClamp(dend(0.5)))", "", False),
          ("disconnects", "dend.disconnect()", "dend.disconnect(); dend.connect(soma(1))", False),
          ("makes a cell", "made.append(h.IntFire1())", "", False)) if is_for_9 or not is_9()),
    *(Case(f"an event changes dt, by psolve{how}", f"def again(): h.dt = 0.025\ndef run(): {code}\n"
           + _AT_3.format("lambda: setattr(h, 'dt', 0.0125)"), by="psolve") for how, code in (
               ("", "to(6); to(10, begin=False)"), (", as it ends", "to(3.05); to(10, begin=False)"),
               (" of three steps", "to(2.975); to(3.05, begin=False); to(10, begin=False)"))),
    Case("an event sets t", "stim.start = 6\n" + _AT_3.format("lambda: setattr(h, 't', 5)")),
    Case("an event sets t, by psolve", _AT_3.format("lambda: setattr(h, 't', 5)"), "t was set to 5 ms", "psolve"),
    Case("a StateTransitionEvent", "x, y = h.StateTransitionEvent(2), h.ref(0)\n"
         "x.transition(0, 1, soma(0.5)._ref_v, y, lambda: setattr(clamp, 'amp', 0.1))\n"
         "handler = h.FInitializeHandler(lambda: x.state(0))", "StateTransitionEvent"),
    Case("psolve in an event", _AT_3.format("lambda: pc.psolve(5)")),
    Case("an initialization raises", "handler = h.FInitializeHandler(lambda: 1 / 0 if is_here else None)",
         "ZeroDivisionError"),
    Case("who records spikes raises", "seen.record(lambda: 1 / 0 if is_here else None)", "ZeroDivisionError"),
    Case("a PlotShape without a screen", "h('objref shape\\nshape = new PlotShape(0)')", "" if is_9() else "PlotShape"),
    Case("a graph without a screen", "h('func twice() { return 2 * t }')\ngraph = h.Graph(0)\n"
         "graph.addexpr('twice()')\nh.graphList[0].append(graph)\nto(1)", environment={"DISPLAY": ""}),
    *(Case(f"a RangeVarPlot{how}", f"plot, x = h.RangeVarPlot('v'), h.Vector(); traces.append(x)\n"
           "plot.begin(soma(0)); plot.end(dend(1)); plot.origin(7)\ndef run(): to(5); plot.to_vector(x); x.append(plot.left())",
           by=by) for how, by in (("", "run"), (", by psolve", "psolve"))),
    # What is recorded and played.
    Case("one Vector records twice", "traces[2].record(dend(0.5)._ref_v); traces.append(h.Vector())\n"
         "traces[3].record(dend(0.5)._ref_v)"),
    *(Case(f"recorded at times that {what}", f"x = h.Vector({times})\n"
           "traces += [h.Vector().record(one, x) for one in (soma(0.5)._ref_v, h._ref_t)]", says)
      for what, times, says in (("fall", "[1, 5, 3, 3, 7, 6.99, 12]", ""), ("begin before 0", "[-3, -1, 2.3, 4]", ""),
                                ("never come", "[2, float('inf'), 3]", ""), ("begin late", "[20, 1]", ""),
                                ("are no numbers", "[float('nan'), 3]", "no numbers"),
                                ("are no numbers in between", "[1, 3, float('nan'), 5]", "no numbers"))),
    *(Case(f"recorded since finitialize(){how}", "x = h.Vector(); traces.append(x)\n"
           f"def again(): x.play_remove(); x.resize(0)\ndef run():\n {code}", says, by)
      for how, code, says, by in (
          ("", "h.stdinit(); x.record(soma(0.5)._ref_v); h.continuerun(10)", "call record() before", "run"),
          (", by psolve", "h.stdinit(); x.record(soma(0.5)._ref_v); pc.psolve(10)", "call record() before", "psolve"),
          (", of something else", "x.record(dend(0.5)._ref_v); to(4); x.record(soma(0.5)._ref_v); to(10, begin=False)",
           "call record() before", "psolve"),
          (", at a step of its own", "h.stdinit(); x.record(soma(0.5)._ref_v, 0.5); pc.psolve(10)", "", "psolve"),
          (", and a new run begins", "x.record(dend(0.5)._ref_v); to(4); x.record(soma(0.5)._ref_v); to(10)", "", "run"))),
    Case("what is no number of a cell is recorded", "traces.append(h.Vector().record(h._ref_celsius))", "record"),
    Case("a weight is recorded", "traces.append(h.Vector().record(nc._ref_weight[0]))", "record"),
    Case("a Vector is played in steps into cm", "x = h.Vector([1, 1.1]); x.play(soma(0.5)._ref_cm, 3)", "Vector.play"),
    *(Case(f"a Vector is played that {what}", "x, y, z = h.Vector([0.1, 0.3, 0.3, -0.1, 0.2, 0.25]), "
           f"h.Vector([1, 2, 2, 5.0125, 6, 7.3]), h.Vector({rows})\nx.play(clamp._ref_amp, y, z); "
           "x.play(syn._ref_e, y, z)\ntraces += [h.Vector().record(one._ref_i) for one in (clamp, syn)]\n"
           "def again(): clamp.amp = syn.e = 0\n" + _BY_TURNS, says)
      for what, rows, says in (("jumps at rows", "[2, 5]", ""), ("has no rows at which it jumps", "", ""),
                               ("jumps back", "[4, 2]", "do not rise"))),
    Case("a Vector is played into two numbers that jumps back, and fallback", "x, y, z = h.Vector([0.1, 0.3, 0.3, -0.1, "
         "0.2, 0.25]), h.Vector([1, 2, 2, 5.0125, 6, 7.3]), h.Vector([4, 2])\nx.play(clamp._ref_amp, y, z)\n"
         "x.play(syn._ref_e, y, z); traces.append(h.Vector().record(syn._ref_e))\ndef again(): clamp.amp = syn.e = 0\n"
         + _BY_TURNS, fallback=True),
    *(Case(f"a Vector is played that has {what}", f"x, y = h.Vector({values}), h.Vector({times})\n"
           "traces.append(h.Vector().record(clamp._ref_amp))\n"
           f"def run():\n if is_here or {not says}: x.play(clamp._ref_amp, y, 1)\n try: to(4); to(10, begin=False)\n"
           " finally: x.play_remove()", says, by)
      for by in ("run", "psolve") for what, values, times, says in (
          (f"less values than times, by {by}", [0.1, 0.5], [1, 5, 6], "has 2 values for 3 times"),
          (f"no values, by {by}", [], [1, 5], "has 0 values for 2 times"),
          (f"less, but enough for a run, by {by}", [0.1, 0.5], [1, 12, 13], ""),
          (f"more values than times, by {by}", [0.1, 0.5, 0.2, 7, 8], [1, 3, 6], ""))),
    # What steps read is made of it as a run begins: its time constant, and 1 / tau.
    *(Case(f"a Vector is played into a time constant{how}", "x, y, z = h.Vector([0.5, 2, 4, 0.3, 0.4, 4.5]), "
           f"h.Vector([1, {jump}, {jump}, 5.0125, 6, 7.3]), h.Vector([1])\npoint = h.{point}(dend(0.5)); {connected}\n"
           f"x.play(point._ref_{tau}, {played})\ntraces.append(h.Vector().record(point._ref_{shown}))\n"
           f"def again(): point.{tau} = 2\n" + _BY_TURNS)
      for what, point, tau, shown, connected in (
          ("a synapse's", "Exp2Syn", "tau2", "g", "more = h.NetCon(stim, point, 0, 1, 0.002)"),
          ("a synapse's rise", "Exp2Syn", "tau1", "g", "point.tau2 = 9; more = h.NetCon(stim, point, 0, 1, 0.002)"),
          ("a conductance's", "AlphaSynapse", "tau", "i", "point.onset, point.gmax = 1.5, 0.004"))
      for way, played, jump in (("linear", "y, 1", 3), ("with a row at which it jumps", "y, z", 3), ("in steps", "1.5", 3),
                                ("with a row between two steps", "y, z", 3.01), ("in steps between steps", "1.51", 3),
                                ("with a row behind a middle", "y, z", 3.02))
      for how in (f", {what}, {way}",)),
    Case("a Random is played into a time constant", "point = h.Exp2Syn(dend(0.5)); more = h.NetCon(stim, point, 0, 1, 0.002)\n"
         "rand = h.Random(); rand.play(point._ref_tau2); traces.append(h.Vector().record(point._ref_g))\n"
         "def again(): rand.MCellRan4(1, 1); rand.uniform(1, 5); point.tau2 = 2", _UNKNOWN),
    Case("a Vector is played into v", "x, y = h.Vector([0, 0.3]), h.Vector([0, 3]); x.play(soma(0.5)._ref_v, y, 1)",
         "Vector.play into"),
    # NEURON's own mechanisms of C code.
    Case("VClamp, in parts", "vc = h.VClamp(dend(0.5)); vc.tau2, vc.fac = 0.002, 0.5\n"
         "for k, (ms, mV) in enumerate([(2, -65), (3.01, -20), (2, 0)]): vc.dur[k], vc.amp[k] = ms, mV\n"
         "traces += [h.Vector().record(one) for one in (vc._ref_e, vc._ref_vi0)]\n" + _IN_PARTS.format("vc.amp[1] = -30")
         + "def again(): vc.amp[1] = -20"),
    Case("APCount with a Vector and without, in parts", "one, two, at = h.APCount(soma(0.5)), h.APCount(dend(0)), "
         "h.Vector()\none.record(at); traces += [at, *(h.Vector().record(x) for x in (one._ref_n, two._ref_n))]\n"
         + _IN_PARTS.format("one.thresh = 0") + "def again(): one.thresh = -20"),
    Case("a loop reads an APCount's n", "x = h.APCount(soma(0.5)); h('objref x, y\\ny = new Vector()'); h.x = x\n"
         "traces.append(h.y)\nh('proc go() { y.resize(0)  while (t < 10) { fadvance()  y.append(x.n) } }')\n"
         "def run():\n h.stdinit(); h.go()"),
    # Connections.
    Case("a NetCon without a source, one without a target", "x, y = h.NetCon(None, syn), h.NetCon(stim, None)"),
    Case("a NetCon of nothing", "x = h.NetCon(None, None)"),
    Case("a NetCon of a gate", "x = h.NetCon(soma(0.5)._ref_m_hh, None, sec=soma)\nx.threshold = 0.5\n"
         "pc.set_gid2node(7, 0); pc.cell(7, x); t, i = h.Vector(), h.Vector(); pc.spike_record(-1, t, i)\n"
         "traces.append(t)"),
    Case("a cell has a gid by a gate, and no NetCon", "x = h.NetCon(soma(0.5)._ref_m_hh, None, sec=soma)\n"
         "x.threshold = 0.5; pc.set_gid2node(7, 0); pc.cell(7, x); x = None; t, i = h.Vector(), h.Vector()\n"
         "pc.spike_record(7, t, i); traces.append(t)"),
    Case("a threshold that is no number", "x = h.NetCon(soma(0.5)._ref_v, None, sec=soma)\nx.threshold = float('nan')",
         "threshold"),
    Case("a NetCon is off while its event is on its way", "def again(): nc.active(1)\ndef run():\n to(3.5)\n"
         " nc.active(0)\n to(10, begin=False)"),
    Case("NetCons that are off record spikes", "other, called = h.NetStim(), h.Vector()\n"
         "other.start, other.interval, other.number = 2, 1.7, 3\n"
         "off = [h.NetCon(dend(0.5)._ref_v, syn, sec=dend), h.NetCon(stim, syn), h.NetCon(other, syn)]\n"
         "off[0].threshold = -40\nfor one in off: one.active(0); one.delay = 0\n"
         "traces += [h.Vector(), h.Vector(), called]\noff[0].record(traces[-3]); off[1].record(traces[-2])\n"
         "off[2].record(lambda: called.append(h.t))\ndef again(): called.resize(0)"),
    Case("a NetCon that is off records from the second run on", "off = h.NetCon(dend(0.5)._ref_v, syn, sec=dend)\n"
         "off.threshold = -40; off.active(0); traces.append(h.Vector())\n"
         "def run():\n off.record(); traces[-1].resize(0); to(10)\n off.record(traces[-1]); to(10)"),
    Case("a NetCon is switched off by an event", "def again(): nc.active(1)\n"
         "traces.append(h.Vector()); nc.record(traces[-1])\n" + _AT_3.format("lambda: nc.active(0)")),
    Case("a charging current is recorded", "traces.append(h.Vector().record(soma(0.5)._ref_i_cap))",
         "i_cap of soma(0.5) is recorded"),
    Case("a cell in its refractory time", "cell = h.IntFire1(); cell.refrac = 20; x = h.NetCon(stim, cell)\n"
         "x.weight[0] = 1.1"),
    Case("an artificial cell comes in between", "z = h.IntFire2()\ndef again():\n global x, y\n x = y = None\n"
         "def run():\n global x, y\n to(3.5); x = h.IntFire2(); y = h.NetCon(x, syn); to(10, begin=False)"),
    Case("a cell starts a NetStim", "other = h.NetStim(); other.start = -1; x = h.NetCon(soma(0.5)._ref_v, other, "
         "sec=soma)\nx.weight[0] = 1; y = h.NetCon(other, syn); y.weight[0] = 0.01"),
    Case("gids of some, not of others", "x = h.Section(name='x'); xs = h.NetCon(x(0.5)._ref_v, None, sec=x)\n"
         "pc.set_gid2node(7, 0); pc.cell(7, xs); t, i = h.Vector(), h.Vector(); pc.spike_record(-1, t, i)"),
    Case("spikes of gids with NetCons and without, some at one time",
         "more = [h.Section(name=f'c{i}') for i in range(9)]\n"
         "for one in more: one.insert('hh'); one.L = one.diam = 20\n"
         "pulses = [h.IClamp(one(0.5)) for one in more]; kept = []\n"
         "for k, one in enumerate(pulses): one.delay, one.dur, one.amp = 1 + k % 3, 9, 0.5\n"
         "for k in (4, 8, 0, 3, 7, 1, 6, 2, 5):\n"
         " pc.set_gid2node(20 - k, 0); x = h.NetCon(more[k](0.5)._ref_v, None, sec=more[k]); pc.cell(20 - k, x)\n"
         " if k % 2: kept.append(x)\n"
         "del x; kept.append(pc.gid_connect(20, syn)); t, i = h.Vector(), h.Vector(); pc.spike_record(-1, t, i)\n"
         "traces += [t, i]"),
    *(Case(f"a NetStim's events come in the middle of two steps, {what}", f"stim.interval, stim.start = {how}\n"
           "nc.delay = 1; clamp.amp = 0.1\ntraces.append(h.Vector().record(syn._ref_g))\n"
           f"def run(): to({'60' if parts is None else '3); to(5, begin=False); to(60, begin=False'})")
      for what, how, parts in (("some", "7.8125, 0", None), ("all", "0.35, 1.0125", None),
                               ("in parts", "0.35, 1.0125", 3))),
    *(Case(f"a NetStim's first event comes in the middle of the first step, without a delay, {what}",
           f"stim.start, stim.interval, stim.number, nc.delay = 0.0125, {interval}, 20, 0\nclamp.amp = 0.1\n"
           f"traces.append(h.Vector().record(syn._ref_g))\ndef run(): to(1.05); to(10, begin=False)", by=by)
      for what, interval, by in (("of several", 0.05, "run"), ("of few", 1, "psolve"))),
    Case("Vectors are played beyond the limits of .mod files", "x, y = h.Vector([0.12, 0.1]), h.Vector([0, 1])\n"
         "x.play(soma(0.5)._ref_gnabar_hh, y, 1); x.play(clamp._ref_dur, y, 1); clamp.delay = 0\n"
         "def again(): soma(0.5).hh.gnabar = 0.12; clamp.dur = 1e9"),
    Case("a Vector is played by a statement", "x, y = h.Vector([0.5, 0.1]), h.Vector([0, 3])\nh('objref of_play')\n"
         "h.of_play = clamp; x.play('of_play.amp = $1', y)", "by a statement"),
    Case("what a Vector is played into is recorded", "x, y = h.Vector([0.3, 0.1, 0.1]), h.Vector([0, 4, 20])\n"
         "x.play(clamp._ref_amp, y, 1); traces.append(h.Vector().record(clamp._ref_amp))"),
    *(Case(f"a NetStim's interval is {what}{how}", f"other = h.NetStim(); other.number, other.interval = 9, {what}\n"
           f"{code}\ny = h.NetCon(other, syn, 0, 1, 0.002)")
      for what in (0, -2) for how, code in (
          ("", "other.start = 1.3"), (", and a NetCon starts it", "other.start = -1; x = h.NetCon(stim, other, 0, 1, 1)"))),
    Case("a delay without end", "nc.delay = float('inf')", "its delay of inf ms"),
    # NEURON's own ways.
    Case("threads of NEURON's", "pc.nthread(2)", by="psolve"),
    Case("a queue of their own for what mechanisms send themselves", "h.CVode().queue_mode(0, 1)", "queue_mode(…, 1)"),
    *(Case(f"a bin queue by turns, {what}", "h.CVode().queue_mode(1)\n"
           f"stim.start, stim.interval, stim.number = 0.3, 0.317, 30\n{more}{_BY_TURNS}", says) for what, more, says in (
               ("whose events come between two steps", "nc.delay = 0.99", ""),
               ("whose first event comes in their middle", "nc.delay = 1.0125", ""),
               ("onto a cell that asks for the time", "cell = h.IntFire1(); cell.tau = 0.5; x = h.NetCon(stim, cell)\n"
                "x.weight[0] = 0.7; y = h.NetCon(cell, syn); y.weight[0] = 0.02; x.delay = nc.delay = 0.99", ""),
               ("of such cells onto each other", "cells = [h.IntFire1(), h.IntFire1()]; x = h.NetCon(stim, cells[0])\n"
                "y = h.NetCon(*cells)", "asks for its time"),
               ("of spikes onto such a cell", "cell = h.IntFire1(); x = h.NetCon(soma(0.5)._ref_v, cell, sec=soma)\n"
                "x.weight[0] = 2; y = h.NetCon(cell, syn); y.weight[0] = 0.02; x.delay = 0.5", ""))),
    Case("secondorder changes in between", "def again(): h.secondorder = 0\n" + _IN_PARTS.format("h.secondorder = 2"),
         "secondorder has become 2 within a run"),
    Case("secondorder 2 from the beginning, in parts", "h.secondorder = 2\n" + _IN_PARTS.format("")),
    Case("CVode in between", "def again(): h.CVode().active(0)\n" + _IN_PARTS.format(
         "h.CVode().active(1); h.CVode().re_init(); h.CVode().active(0)")),
    *(Case(f"t is set {what}", "stim.start = 6\n" + code, says, "psolve") for what, code, says in (
        ("in between", _IN_PARTS.format("h.t = 0"), "goes on from 3.5 ms"),
        ("behind finitialize()", "def run(): h.stdinit(); h.t = 5; pc.psolve(10)", "goes on from 0 ms"),
        ("as it is", _IN_PARTS.format("h.t = h.t"), ""))),
    *(Case(f"t is set {what}, by run()", code, fallback=True) for what, code in (
        ("back", _IN_PARTS.format("h.t = 0")), ("back to where it is no step's", _IN_PARTS.format("h.t = 0.51")),
        ("on, past an event", _IN_PARTS.format("h.t = 5")), ("on", "stim.start = 6\n" + _IN_PARTS.format("h.t = 5")),
        ("in a loop", "h('proc go() { while (t < 10) { fadvance() } }')\n"
         "def run():\n h.stdinit(); h.continuerun(2); h.t = 0; h.go()"))),
    Case("cells are split among threads", "h.load_file('parcom.hoc')\ntip = h.Section(name='tip'); tip.connect(soma(0))\n"
         "tip.insert('pas'); tip.nseg = 9; way = h.ParallelComputeTool(); way.nthread(2); way.multisplit(1)",
         "multisplit", "psolve"),
    *(Case(f"a NetCon whose source is gone, by {by}", "tip = h.Section(name='tip'); more = h.NetCon(tip(0.5)._ref_v, syn, "
           "sec=tip); h.delete_section(sec=tip)", "its source is gone", by) for by in ("run", "psolve")),
    Case("nrn_netrec_state_adjust", "h.nrn_netrec_state_adjust = 1", "nrn_netrec_state_adjust"),
    *(Case(f"a PtrVector{how}", f"{before}; p, x = h.PtrVector(2), h.Vector(2); traces.append(x)\n"
           "def set_pointers(): p.pset(0, soma(0.5)._ref_v); p.pset(1, dend(0.5)._ref_v)\n"
           f"set_pointers(); {code}\ndef run():\n to(5); x.from_python([-60, -50]); p.scatter(x); to(10, begin=False)\n"
           " p.gather(x)", says)
      for how, before, code, says in (
          ("", "1", "1", "" if is_9() else "no ptr_update_callback"),
          (" where numbers lie as they are", "h.CVode().cache_efficient(1); h.finitialize(-65)", "1", ""),
          (" with a callback", "1", "getattr(p, 'ptr_update_callback', callable)(set_pointers)", ""))),
    Case("LinearMechanism", "c, g, y, b = h.Matrix(1, 1, 2), h.Matrix(1, 1), h.Vector(1), h.Vector(1)\n"
         "lm = h.LinearMechanism(c, g, y, b, h.SectionList([soma]), h.Vector([0.5]))"),
    Case("stimuli of fstim()", _STIMULI),
    Case("stimuli of fstim(), in secondorder 2", _STIMULI + "h.secondorder = 2"),
    Case("stimuli of fstim(), in parts", _STIMULI + _IN_PARTS.format("h.fstim(1, 1, 4.5, 3, -0.5, sec=dend)"), by="psolve"),
    Case("a stimulus of fstim() and i_membrane_", _STIMULI + "h.CVode().use_fast_imem(1)", "fstim"),
    Case("a LinearMechanism goes in between", "c, g, y, b = h.Matrix(1, 1, 2), h.Matrix(1, 1), h.Vector(1), h.Vector(1)\n"
         "g.setval(0, 0, 1e-3)\ndef again():\n global lm\n"
         " lm = h.LinearMechanism(c, g, y, b, h.SectionList([soma]), h.Vector([0.5]))\n"
         + _IN_PARTS.format("global lm; lm = None")),
    Case("a synapse of fsyn()", "soma.push(); h('fsyn(2)\\nfsyn(0, 0.5, 1, 2, 0.1, 0)'); h.pop_section()", "fsyn"),
    Case("events at the end, and SaveState", "stim.start = 1\ndef run():\n to(5); state = h.SaveState(); state.save()\n"
         " to(7, begin=False); state.restore(); to(10, begin=False)"),
    # The process.
    Case("Ctrl-C in a run", "more = [h.Section(name=f'c{i}') for i in range(200)]\n"
         "for one in more: one.nseg = 11; one.insert('hh')\n"
         "def run():\n if not is_here: return to(10)\n"
         " threading.Timer(1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n to(2e4)", "KeyboardInterrupt"),
    Case("signal handlers of the script's", "before = signal.signal(signal.SIGTERM, lambda *_: None)\n"
         "mine = signal.getsignal(signal.SIGTERM)\n"
         "def again(): assert signal.getsignal(signal.SIGTERM) is mine and np.seterr(all='raise')"),
    *(Case(f"objects go where a run has ended with an error of ours, by {by}", "from hillock._neuron_queue import Queue\n"
           "known = Queue.put_into\ndef broken(*_): raise ValueError('broken')\n"
           "def fail():\n Queue.put_into, other = broken, h.NetStim(); x = h.NetCon(other, syn)\n try: to(10)\n"
           " except RuntimeError: Queue.put_into = known\n"
           "def run():\n if is_here: fail()\n assert len(h.List('NetStim')) == len(h.List('ExpSyn'))\n to(10)", by=by)
      for by in ("run", "psolve")),
    Case("in a thread of Python", "def run():\n one = threading.Thread(target=to, args=(10,))\n"
         " one.start(); one.join()"),
    Case("the thread of neuron.gui waits", "from neuron import gui\nfrom hillock import _neuron_run\n"
         "known, waits = _neuron_run.run, []\n"
         "def run_here(*arguments):\n waits.append(gui._lock._is_owned())\n return known(*arguments)\n"
         "_neuron_run.run = run_here\n"
         "def run():\n to(10)\n assert all(waits) and len(waits) >= is_here and not gui._lock._is_owned()"),
    Case("in a child", "def run():\n to(10); child = os.fork()\n if child == 0:\n  to(10); os._exit(len(spikes))\n"
         " assert os.waitpid(child, 0)[1] == len(spikes) << 8"),
    Case("the working directory is gone", "import tempfile\nplace = tempfile.mkdtemp(); os.chdir(place)\n"
         "os.rmdir(place)"),
    Case("standard output is closed, by psolve", "kept = os.dup(1)\ndef run():\n os.close(1)\n try: to(10)\n"
         " finally: os.dup2(kept, 1)", by="psolve"),
    Case("nowhere to keep what is compiled", "", "HILLOCK_CACHE", environment={"HILLOCK_CACHE": "/proc/nowhere"}),
    Case("enabled twice, disabled and enabled", "hillock.neuron.enable(); hillock.neuron.disable()\n"
         "hillock.neuron.enable()"),
    Case("threads as a number of numpy's", "hillock.neuron.enable(threads=np.int64(1))"),
    Case("a backend that there is none of", "for wrong in ({'backend': 'nonsense'}, {'threads': 0}):\n"
         " try: hillock.neuron.enable(**wrong)\n except ValueError: continue\n assert False, wrong"),
]


def ended(case):
    """How it ended, and what is on standard error."""
    code = f"by = {case.by!r}\n{_BEGIN.replace('FALLBACK', str(case.fallback))}{case.code}\n{_END}"
    environment = {**os.environ, **case.environment}
    if not environment.get("DISPLAY", "x"):
        del environment["DISPLAY"]
    try:
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=30)
    except subprocess.TimeoutExpired:
        return "never", ""
    said = done.stdout.strip().splitlines()
    if sum(" and " in line for line in said) > 1:  # a child that only was to ask went on
        return "twice", done.stderr
    return (said[-1] if said and done.returncode == 0 else f"process ended ({done.returncode})"), done.stderr


def is_good(case):
    how, said = ended(case)
    wanted = f"{'error' if case.says else 'right'} and goes on"
    good = how == wanted and case.says in said
    lines = [] if good else [line for line in said.splitlines() if line.strip()][-4:]
    not_so = "" if good else f", not {wanted} ({case.says})"
    print(f"{'ok' if good else 'WRONG'}: {case.name}: {how}{not_so}", *lines, sep="\n  ")
    return good


def main():
    with tempfile.TemporaryDirectory(prefix="hillock-odd-") as folder:
        os.environ.setdefault("HILLOCK_CACHE", str(pathlib.Path(folder) / "cache"))
        os.environ.setdefault("OMP_NUM_THREADS", "1")
        only = sys.argv[1:]
        good = [is_good(case) for case in CASES if not only or any(part in case.name for part in only)]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
