#!/usr/bin/python3
"""Lines of graphs of a session of NEURON, on a screen that nobody sees, beside NEURON itself.

Whatever is written beside a line: what it reads, a number or an expression, is drawn as NEURON draws it, by run() and
by a loop over fadvance(). What is not known is refused by name.
"""

import contextlib
import io
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from parity import skip

if not shutil.which("Xvfb"):
    skip("Xvfb is missing (package xvfb)")
_screen = subprocess.Popen(["Xvfb", "-noreset", "-displayfd", "1"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                           text=True)
os.environ["DISPLAY"] = f":{_screen.stdout.readline().strip()}"

try:
    import numpy as np
    from neuron import h
except ImportError as missing:
    _screen.terminate()
    skip(f"{missing.name} is missing (packages python3-neuron, python3-numpy)")

import hillock.neuron
import neuron_mods
from hillock import _neuron_run
from hillock._neuron_lines import variables_in

MOST = 1e-6  # of a line's largest number, which graphs keep as floats

MODEL = """
begintemplate Cell
public soma, dend, syn, late, all
create soma, dend
objref syn, all
proc init() {
  create soma, dend
  all = new SectionList()
  soma all.append()
  dend all.append()
  soma { L=20 diam=20 insert hh }
  dend { nseg=5 L=300+100*$1 diam=2 insert pas insert hh }
  connect dend(0), soma(1)
  dend syn = new ExpSyn(0.3)
  gap = 3
}
func late() { return v(0.5) }
endtemplate Cell
objref along, profile, cell, cells, nobody, stim, generator, netcon, time, volts, trend, phase, shown, absent, more
cells = new List()
for i=0,2 { cells.append(new Cell(i)) }
cell = cells.o(0)
access cell.soma
stim = new IClamp(0.5)
{ stim.del = 1  stim.dur = 20  stim.amp = 0.5 }
generator = new NetStim()
{ generator.start = 3  generator.interval = 4  generator.number = 5 }
netcon = new NetCon(generator, cells.o(1).syn, 0, 1, 0.02)
offset = 7
total = 0
objref flow, ending
place = 0.2
seen = 0
func gates_of() { local sum, k
  sum = 0
  for k=0,2 forsec cells.o(k).all { for (x, 0) sum += m_hh(x)  sum += $2 }
  seen = sum
  return sum / $1
}
func soma_of() { return $o1.soma.v(0.5) + $o1.syn.i }
func flow_of() { local sum
  sum = 0
  forsec cells.o(1).all for (x, 0) sum += of_section_axial_flow(x)
  return sum
}
func sets_some() { cell.syn.tau = 3  return 1 }
tstop = 12
"""

#: Called "early" they are made before enable().
GRAPHS = """
proc early() {
  time = new Graph()  graphList[0].append(time)  time.size(0, 12, -80, 40)
  time.addvar("membrane potential", &cells.o(0).soma.v(0.5))
  time.addvar("v_soma", "cells.o(1).soma.v(0.5)")
  time.addexpr("cells.o(2).dend.v(0.9)")
}
proc space() {
  along = new Graph()  flush_list.append(along)
  profile = new RangeVarPlot("v")
  cells.o(2).soma profile.begin(0)
  cells.o(2).dend profile.end(1)
  profile.origin(0)
  along.addobject(profile)
}
proc late() {
  trend = new Graph()  graphList[1].append(trend)
  for i=0,2 { cell = cells.o(i)  trend.addvar("cell.dend.v(0.5)", &cell.dend.v(0.5))  trend.addvar("cell.dend.v(0.1)") }
  cell = cells.o(1)
  i = 1
  trend.addexpr("what it is", "cell.soma.v(0.5) + offset", 2, 1)
  trend.addexpr("inside", "dend.v(0.5*(0.2+1)) + gap - 1e1 + syn.i", cells.o(2))
  trend.addexpr("cells.o(i).dend.v(place) / 2 - sin(cell.syn.i)")
  trend.addvar("current of a synapse", &cells.o(1).syn.i)
  trend.addvar("gate", &cells.o(1).dend.m_hh(0.3))
  trend.addvar("offset (mV)", &offset)
  trend.addvar("flow", &total)
  if (flow != nobody) trend.addexpr("flow of both", "total * 1e3 + flow.sum")
  if (flow != nobody) trend.addexpr("flow to the end", "flow_of()")
  trend.addexpr("the time", "2*t")
  trend.addexpr("sum of gates", "gates_of(t + 1, soma_of(cells.o(1))) + place")
  phase = new Graph()  graphList[2].append(phase)
  phase.addvar("current", &cells.o(0).soma.ina(0.5))
  phase.xexpr("cells.o(0).soma.v(0.5)", 1)
  shown = new Graph()  graphList[2].append(shown)
  shown.addexpr("cells.o(0).soma.n_hh(0.5)")
  shown.xexpr("cells.o(0).soma.v(0.5) * 2")
}
proc flows() {
  forsec cells.o(2).all insert axial_flow
  cells.o(2).dend flow = new section_flow(0.5)
  setpointer flow.of_cell, total
  forsec cells.o(2).all for (x, 0) {
    setpointer beside_axial_flow(x), cells.o(2).soma.v(0.5)
    setpointer of_section_axial_flow(x), flow.sum
    setpointer of_cell_axial_flow(x), total
  }
  forsec cells.o(1).all insert axial_flow
  cells.o(1).dend ending = new end_flow(1)
  setpointer ending.beside, cells.o(1).soma.v(0.5)
  forsec cells.o(1).all for (x, 0) {
    setpointer beside_axial_flow(x), cells.o(1).soma.v(0.5)
    setpointer of_section_axial_flow(x), ending.sum
    setpointer of_cell_axial_flow(x), total
  }
}
"""


def lines():
    """[(label, x, y)] of all lines."""
    found, x, y = [], h.Vector(), h.Vector()
    for graph in (h.along, h.time, h.trend, h.phase, h.shown, h.absent):
        line = -1
        while graph and (line := graph.getline(line, x, y)) >= 0:
            found.append((y.label(), np.array(x), np.array(y)))
    return found


def ran(call):
    """(lines, steps that ran here, what was said)"""
    steps, known, said = [], _neuron_run.run, io.StringIO()

    def counted(*arguments):
        steps.append(known(*arguments))
        return steps[-1]
    _neuron_run.run = counted
    try:
        with contextlib.redirect_stderr(said):
            h(call)
    finally:
        _neuron_run.run = known
    return lines(), sum(steps), said.getvalue()


def check(name, is_right, said=""):
    print(f"{name}: {'right' if is_right else 'WRONG'}{f' {said}' if not is_right else ''}", flush=True)
    return is_right


def is_as_neurons(name, call, least, fewest_steps=400):
    hillock.neuron.disable()
    wanted, _, _ = ran(call)
    hillock.neuron.enable()
    got, steps, said = ran(call)
    wrong = [label for (label, *one), (_, *other) in zip(got, wanted)
             if not all(a.shape == b.shape and np.allclose(a, b, rtol=0, atol=MOST * max(1, np.abs(b).max(initial=0)))
                        for a, b in zip(one, other))]
    moving = sum(len(y) > 100 and np.ptp(y) > 0 for _, _, y in wanted)
    return check(f"{name}, {moving} lines that move", not wrong and len(got) == len(wanted) and steps > fewest_steps
                 and moving >= least and len(wanted[0][2]) > 5, f"{wrong}, {steps} steps here, {said}")


def by_whom(name, made, call, steps_here, reason):
    """A line more, without which all goes on as before. reason: why it is refused, or NEURON's."""
    wanted = lines()
    h(f"{{ {made} }}")
    _, steps, said = ran(call)
    good = check(name, (steps > 400) == steps_here and reason in said, f"{steps} steps here, {said}")
    h("{ more.erase_all()  graphList[3].remove_all() }")
    return good and len(lines()) == len(wanted)


def main():
    good = [check("what expressions read", variables_in(
        "sin(v(0.2)) + t + 1e5*cell[i][0].soma . v ( 0.5*(1+x) ) - soma.L*PI*f(a.all)/.5")
        == ["v(0.2)", "cell[i][0].soma.v(0.5*(1+x))", "f(a.all)"])]
    with tempfile.TemporaryDirectory(prefix="hillock-graphs-") as folder:
        os.environ.setdefault("HILLOCK_CACHE", os.path.join(folder, "cache"))
        mods = pathlib.Path(__file__).parent / "mechanisms"
        neuron_mods.load(h, [mods / f"{name}.mod" for name in ("axial_flow", "section_flow", "end_flow")],
                         pathlib.Path(folder) / "neuron")
        h.load_file("stdrun.hoc")
        h(MODEL)
        h(GRAPHS)
        if sys.argv[1:] == ["flows"]:
            h("flows()")
        h("early()")
        h("space()")
        hillock.neuron.enable()
        h("late()")
        h("""proc draw() { stdinit()  while (t < tstop) { fadvance()
          time.plot(t)  trend.plot(t)  phase.plot(t)  shown.plot(t)  absent.plot(t) }  along.flush() }""")
        begin = "more = new Graph()  graphList[3].append(more)"
        if sys.argv[1:] == ["flows"]:
            good.append(is_as_neurons("sums of mechanisms that look on", "run()", 21))
            good.append(by_whom("and a loop", f"{begin}  absent = more", "draw()", False, "mechanisms look on"))
            sys.exit(0 if all(good) else 1)
        good.append(is_as_neurons("run()", "run()", 17))
        h("{ steps_per_ms = 20  setdt() }")
        good.append(is_as_neurons("each other step", "run()", 16))
        h('cells.o(0).soma netcon = new NetCon(&v(0.5), nobody, 0, 1, 0)')
        for every in (3, 1):
            h(f'{{ nstep_steprun = {every}  netcon.record("total = t") }}')
            good.append(is_as_neurons(f"what is set at spikes, each {every} steps", "{ total = 0  run() }", 17, 40))
        h('netcon.record("")')
        h("{ steps_per_ms = 40  setdt() }")
        h('{ absent = new Graph()  graphList[2].append(absent)  absent.addexpr("no cell", "nobody.soma.v(0.5)") }')
        h("proc init() { finitialize(v_init)  cell = cells.o(2)  nobody = cells.o(0) }")
        good.append(is_as_neurons("objects that init() sets", "run()", 16))
        h("proc go_on() { finitialize(v_init)  fcurrent()  initPlot()  continuerun(tstop) }")
        good.append(is_as_neurons("continuerun() behind the script's own finitialize()", "go_on()", 16))
        good.append(by_whom("a function that sets something", f'{begin}  more.addexpr("two", "sets_some()")', "run()",
                            False, "'two': what sets_some reads is not known"))
        good.append(by_whom("what a function of a line sets", f'{begin}  more.addvar("seen", &seen)', "run()", False,
                            "seen, which a function of a line sets"))
        good.append(by_whom("what events set", f'{begin}  more.addvar("conductance", &cells.o(1).syn.g)', "run()", False,
                            "ExpSyn's g, which its events set"))
        good.append(is_as_neurons("a loop", "draw()", 16))
        good.append(subprocess.run([sys.executable, __file__, "flows"]).returncode == 0)
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    try:
        main()
    finally:
        _screen.terminate()
