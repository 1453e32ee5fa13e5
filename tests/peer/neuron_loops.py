#!/usr/bin/python3
"""Loops over fadvance() of a session of NEURON, as scripts have of their own, beside NEURON itself.

Loops that only look at the model run ahead here and then go their way over what was recorded; those that change it, or
whose turns cannot be known before, are NEURON's, and it is said why. What they append to a Vector is the same to
1e-6 mV, and so are states, t and recorded Vectors when they have ended.
"""

import contextlib
import io
import math
import os
import subprocess
import sys
import tempfile

from parity import skip

try:
    import numpy as np
    from neuron import h
except ImportError as missing:
    skip(f"{missing.name} is missing (packages python3-neuron, python3-numpy)")

import hillock.neuron
from hillock import _neuron_loops, _neuron_run

MOST = 1e-6
SAID = []

MODEL = """
create soma, dend[2]
access soma
soma { L=20 diam=20 insert hh }
for i=0,1 { connect dend[i](0), soma(1)  dend[i] { nseg=5 L=200 diam=2 insert pas insert hh } }
objref stim, syn, generator, netcon, seen, recorded, nobody, counter
stim = new IClamp(0.5)
{ stim.del = 1  stim.dur = 20  stim.amp = 0.5 }
dend[1] syn = new ExpSyn(0.3)
generator = new NetStim()
{ generator.start = 3  generator.interval = 4  generator.number = 5 }
netcon = new NetCon(generator, syn, 0, 1, 0.01)
seen = new Vector()
recorded = new Vector()
dend[1] recorded.record(&v(0.9))
strdef text
n = 0
end = 12
func peak() { if (soma.v(0.5) > 0) { return 1 } return 0 }
func later() { return t + $1 }
begintemplate Counter
public step, steps, seen, branch
objref seen
create branch
proc init() { seen = new Vector()  branch { L=30 diam=3 insert hh } }
proc step() { seen.append($1)  fadvance() }
proc steps() { local k  for k=1,$1 { fadvance()  seen.append(k, branch.v(0.5)) } }
endtemplate Counter
counter = new Counter()
ticks = 0
proc every() { ticks = ticks + 1  cvode.event(t + dt, "every()") }
proc tick() { ticks = ticks + 1  cvode.event(t + $1, "tick(1.5)") }
proc never() { fadvance()  while (read(n) > 0) { fadvance() }  while (t < end) { fadvance()  read(n) } }
proc begin() { seen.resize(0)  n = 0  t = 0  finitialize(-65) }
"""

#: {name: (what hoc does, whether it runs here)}
LOOPS = {
    "reads places, currents, gates and points": (
        """begin()
        while (t < end) {
          fadvance()
          seen.append(t, soma.v(0.5), dend[1].v(0.9), dend[0].v(1), syn.i, ina, soma.m_hh(0.5), stim.i, dend.g_pas)
          n = n + peak()
        }
        seen.append(n)""", True),
    "for, through all sections": (
        """begin()
        for (i=0; t < end - dt/2; i+=1) { fadvance()  forall for (x) seen.append(i, ik(x), v(x)) }""", True),
    "an argument and locals": (
        """{ begin() }
        proc loop() { local i, last  last = $1  while (t < last) { fadvance()  i = later(1)  seen.append(i, v) } }
        loop(end)""", True),
    "three steps a turn": ("""begin()  while (t < end) { for i=1,3 { fadvance() }  seen.append(t, v) }""", True),
    "steps by a condition that stays": (
        """begin()
        while (t < end) { if (using_cvode_) fadvance() else for i=1,2 fadvance()  seen.append(v) }""", True),
    "steps in an object": ("""begin()  counter.seen.resize(0)
        while (t < end) { counter.step(v) }  seen.append(counter.seen)""", True),
    "accesses sections": ("""begin()
        while (t < end) { access dend[1]  fadvance()  seen.append(v)  access soma  seen.append(v) }""", True),
    "sets a Vector's numbers": (
        """begin()  seen.resize(2*480)  i = 0
        while (t < end - dt/2) { fadvance()  seen.x[i] = dend[1].v(0.9)*dend.g_pas - soma.ina(0.5)/2
          i += 1  seen.x[i] = counter.branch.v(0.5)  i += 1 }""", True),
    "one after the other, and text": (
        """begin()  while (t < end/2) { fadvance()  sprint(text, "%g", v)  seen.append(v) }
        while (t < end) { fadvance()  seen.append(v) }""", True),
    "counts": ("""begin()  i = 0  while (i < 300) { fadvance()  i = i + 1  seen.append(i, v) }  seen.append(t)""",
               True),
    "counts down": ("""begin()
        for (i=300; i > 0 && t < end; i-=2) { seen.append(i, v)  fadvance() }  seen.append(t)""", True),
    "counts by itself": ("""begin()  for i=3,302 { fadvance()  seen.append(i, v) }  seen.append(t, i)""", True),
    "counts to a variable, twice": ("""begin()  n = 99
        for k=0,1 { for i=0,n { fadvance()  seen.append(i, v) }  seen.append(k, t) }""", True),
    "counts with a local, and goes on": (
        """{ begin() }
        proc loop() { local k  for (k=0; k < $1; k+=1) { fadvance()  if (v < 0) continue  seen.append(k, v) } }
        loop(300)""", True),
    "counts in an object": ("""begin()  counter.seen.resize(0)  counter.steps(200)  counter.steps(100)
        seen.append(counter.seen)""", True),
    "a section in an object": ("""begin()  while (t < end) { fadvance()  seen.append(counter.branch.v(0.5)) }""", True),
    "with another dt": ("""begin()  dt = 0.1  for i=1,40 fadvance()  dt = 0.025  for i=1,100 fadvance()
        seen.append(t, v)""", True),
    "behind what builds": ("""{ begin() }
        proc loop() { access soma  objref helped  while (t < end) { fadvance()  seen.append(v, n3d()) } }
        loop()""", True),
    "an event at its end": ("""begin()  cvode.event(end)  while (t < end) { fadvance()  seen.append(v) }""", True),
    "events that count": ("""begin()  ticks = 0  tick(2.01)
        while (t < end) { fadvance()  seen.append(v, ticks) }""", True),
    "an event that changes the model": ("""begin()  cvode.event(5, "stim.amp = 0.1")
        for i=1,400 { fadvance()  seen.append(v) }  stim.amp = 0.5""", True),
    "an event that changes the loop": ("""begin()  i = 0  n = 300  cvode.event(5, "n = 250")
        while (i < n) { fadvance()  seen.append(v)  i = i + 1 }""", True),
    "events each step": ("""begin()  ticks = 0  cvode.event(t, "every()")
        while (t < end) { fadvance()  seen.append(v, ticks) }""", False),
    "behind steps before 0": ("""begin()  t = -100  dt = 10  while (t < -10) { fadvance() }  t = 0  dt = 0.025
        finitialize()  while (t < end) { fadvance()  seen.append(v) }""", True),
    "again and again": ("""for k=0,2 { begin()  stim.amp = 0.5 + k/10
        while (t < end) { fadvance()  seen.append(v) } }  stim.amp = 0.5""", True),
    "run() with an advance of its own": (
        """proc advance() { fadvance()  seen.append(soma.v(0.5)) }
        { begin()  tstop = end  run() }
        proc advance() { fadvance() }""", True),
    "continuerun() with a step of its own": (
        """proc step() { seen.append(soma.v(0.5))  for i=1,2 advance() }
        { begin()  continuerun(end/2)  continuerun(end) }
        proc step() {local i
          if (using_cvode_) { advance() } else for i=1,nstep_steprun { advance() } Plot() }""", True),
    "sets a parameter": (
        """begin()  while (t < end) { fadvance()  if (t > 5) stim.amp = 0.1 }  stim.amp = 0.5""", True),
    "sets a voltage": ("""begin()  while (t < end) { fadvance()  if (t > 5 && t < 5.1) v(0.5) = -50 }""", True),
    "sets dt": ("""begin()  while (t < end) { fadvance()  if (t > 5) dt = 0.05 }  dt = 0.025""", True),
    "sets a voltage each turn": ("""begin()  while (t < end) { fadvance()  v(0.5) = v(0.5) + 0.01 }""", False),
    "sets a voltage now and then": (
        """proc push() { if ($1 > 2) { dend[1].v(0.5) = -50 } }
        proc loop() { begin()  next = 3
          while (t < end) { fadvance()  seen.append(v)  if (t > next + dt) { push(3)  next = next + 3
            } else if (t > next) { soma.v(0.5) += 1 } }
          seen.append(next) }
        loop()""", True),
    "does what it comes to by a number that may be 0": (
        """n = 0  begin()  while (t < end) { fadvance()  if (n != 0) { if (10 / n > t) { stim.amp = 0.1 } } }""", True),
    "sets a voltage where a quotient says so": (
        """begin()  while (t < end) { fadvance()  if (int((t + 1e-6) / dt) % 80 == 0) { v(0.5) += 0.5 } }""", False),
    "sets a voltage every millisecond": (
        """begin()  while (t < end) { fadvance()  if (int((t + 1e-6) / 0.025) % 40 == 0) { v(0.5) += 0.5 } }""", True),
    "does what it never comes to": (
        """shown = 0  kind = 1
        begin()  while (t < end) { fadvance()  if (shown) { if (kind == 1) seen.append(v) else graph(t) } }""", True),
    "does what it comes to": (
        """shown = 1  kind = 0
        begin()  while (t < end) { fadvance()  if (shown) { if (kind == 1) seen.append(v) else { graph() } } }""", False),
    "does it where a number says so that it sets": (
        """begin()  n = 0  while (t < end) { fadvance()  if (v > 0) n = 1  if (n == 1) { stim.amp = 0.1 } }
        stim.amp = 0.5""", False),
    "drops a part": (
        """proc loop() { begin()  while (t < end) { fadvance()  if (t > 5 && t < 5.02) { objref syn  netcon = nobody } } }
        loop()
        dend[1] syn = new ExpSyn(0.3)
        netcon = new NetCon(generator, syn, 0, 1, 0.01)""", True),
    "is left at a time": ("""begin()  while (t < end) { fadvance()  if (t > 7) break }  seen.append(t)""", True),
    "is left": ("""begin()  while (t < end) { fadvance()  if (v > 0) break }  seen.append(t)""", False),
    "counts something twice": ("""begin()  i = 0
        while (i < 300) { fadvance()  i = i + 1  if (v > 0) i = i + 1 }  seen.append(t)""", False),
    "counts to what changes": ("""begin()  n = 200  for (i=0; i < n; i+=1) { fadvance()  if (v > 0) n = n - 1 }
        seen.append(t)""", False),
    "counts by steps that change": ("""begin()  n = 1  for (i=0; i < 200; i+=n) { fadvance()  if (t > 3) n = 2 }
        seen.append(t)""", False),
    "goes on before its step": ("""begin()  for (i=0; i < 300; i+=1) { if (i % 7 == 3) continue  fadvance() }
        seen.append(t)""", False),
    "counts what is used": ("""begin()  for i=1,300 { fadvance()  if (v > 0) i = i + 1 }  seen.append(t)""", False),
    "steps that depend on the voltage": (
        """begin()  while (t < end) { fadvance()  if (v > 0) fadvance()  seen.append(v) }""", False),
    "reads what events change": ("""begin()  while (t < end) { fadvance()  seen.append(syn.g) }""", False),
    "reads what is recorded": ("""begin()  while (t < end) { fadvance()  seen.append(recorded.size()) }""", False),
    "reads what may be recorded": (
        """counter.seen.resize(0)  begin()
        while (t < end) { fadvance()  counter.seen.append(1)  seen.append(counter.seen.size()) }""", False),
    "weights": ("""begin()  while (t < end) { fadvance()  seen.append(netcon.weight) }""", False),
    "drops what may be a part": ("""proc drop() { fadvance()  objref helped }
        { begin() }
        proc loop() { while (t < end) { drop() } }
        loop()""", False),
    "sends events": ("""begin()  while (t < end) { fadvance()  if (t > 6 && t < 6.1) netcon.event(t + 1) }""", True),
    "calls Python": ("""begin()  while (t < end) { fadvance()  if (t > 5 && t < 5.1) nrnpython("h.stim.amp = 0") }
        stim.amp = 0.5""", True),
    "an object of Python's": ("""begin()  while (t < end) { fadvance()  helper.append(v) }""", False),
    "before 0": ("""begin()  t = -20  while (t < -10) { fadvance() }  t = 0""", False),
    "a step": ("""begin()  steprun()  steprun()""", False),
}


class Holder:
    """Of a section, as scripts have classes of cells."""

    def __init__(self):
        self.branch, self.voltages, self.ticks = h.dend[0], [], 0

    @property
    def passed(self):
        self.ticks += 1
        return self.ticks


def reads_of_python():
    """Of all kinds that are known."""
    holder, highest, name, soma = Holder(), -100, "a name", h.soma
    while h.t < h.end - 2 * h.dt:
        holder.voltages.append((h.t, holder.branch(0.9).v, soma(0.5).hh.m, soma(0.5).ina, h.syn.i, h.stim.amp))
        h.fadvance()
        if soma.v > highest:
            highest = soma.v
        name = f"{h.t:g} {highest:.3f}"
        h.seen.append(h.t, abs(soma(0.5).v), math.sqrt(highest ** 2))
    h.seen.append(len(name), h.Vector(np.ravel(holder.voltages)))


def counts_of_python():
    """Turns."""
    number = 0
    for number in range(2, 300):
        h.fadvance()
        h.seen.append(number, h.soma.v)


def drops_in_python():
    """A clamp, between two loops."""
    clamp = h.IClamp(h.dend[1](0.5))
    clamp.dur, clamp.amp = 1e9, 0.2
    while h.t < h.end / 2:
        h.fadvance()
    del clamp
    while h.t < h.end:
        h.fadvance()
        h.seen.append(h.soma.v)


def sets_in_python():
    """A parameter."""
    while h.t < h.end:
        h.fadvance()
        if h.t > 5:
            h.stim.amp = 0.1
    h.stim.amp = 0.5


def calls_of_python():
    """A function of its own."""
    while h.t < h.end:
        h.fadvance()
        results()


def properties_of_python():
    """Which may do anything."""
    holder = Holder()
    while h.t < h.end:
        h.fadvance()
        h.seen.append(holder.passed)


def is_left_in_python():
    """Where a voltage says so."""
    while h.t < h.end:
        h.fadvance()
        if h.soma.v > 0:
            break


def asks_for_voltages_in_python():
    """In its condition."""
    while h.t < h.end and h.soma.v < 0:
        h.fadvance()


def reads_vectors_in_python():
    """That record."""
    while h.t < h.end:
        h.fadvance()
        h.seen.append(h.recorded.size())


def steps_twice_in_python():
    """In a turn."""
    while h.t < h.end:
        h.fadvance()
        h.fadvance()


#: (what Python does, whether it runs here)
OF_PYTHON = [(reads_of_python, sys.version_info >= (3, 11)), (counts_of_python, sys.version_info >= (3, 11)),
             (drops_in_python, sys.version_info >= (3, 11)),
             *((one, False) for one in (sets_in_python, calls_of_python, properties_of_python, is_left_in_python,
                                        asks_for_voltages_in_python, reads_vectors_in_python, steps_twice_in_python))]


def results():
    return np.array([*h.seen, *h.recorded, h.t, h.soma(0.5).v, h.dend[1](0.3).v, h.soma(0.5).hh.m, h.syn.g])


def run(text, here):
    """(what came of it, steps that ran here, what was said)"""
    steps, known, said = [], _neuron_run.run, io.StringIO()

    def counted(*arguments):
        steps.append(known(*arguments))
        return steps[-1]
    (hillock.neuron.enable if here else hillock.neuron.disable)()
    _neuron_run.run = counted
    try:
        with contextlib.redirect_stderr(said):
            if callable(text):
                h.begin()
                text()
            done = callable(text) or h(text if "proc" in text else f"{{ {text} }}")
    finally:
        _neuron_run.run = known
    assert done, f"{text} fails: {said.getvalue()}"
    return results(), sum(steps), said.getvalue()


def check(name, is_right, said=""):
    print(f"{name}: {'right' if is_right else 'WRONG'}{' ' + said if not is_right else ''}", flush=True)
    return is_right


def is_as_neurons(name, text, here):
    expected, _, _ = run(text, False)
    got, steps, said = run(text, True)
    SAID.append(said)
    apart = np.abs(got - expected).max() if len(got) == len(expected) else np.inf
    return check(f"{name}, {apart:.1e}, {steps} steps here", apart <= (MOST if here else 0) and (steps > 20) == here,
                 said)


def ends_with_an_error():
    """A loop that fails stops where it is; the next one begins anew."""
    h("""proc failing() { begin()
      while (t < end) { fadvance()  seen.append(v)  if (t > 5) seen.x[100000] = 0 } }""")
    hillock.neuron.enable()
    with contextlib.redirect_stderr(io.StringIO()):
        failed = not h("failing()")
        stands = abs(h.t - 5.025) < 0.03 and len(h.seen) in (200, 201)
        h.ParallelContext().psolve(h.end + 1)
    return check("an error in a loop", failed and stands and abs(h.t - h.end - 1) < 0.03, f"{h.t} {len(h.seen)}") & \
        is_as_neurons("and what comes then", "begin()  while (t < end) { fadvance()  seen.append(v) }", True)


def changed_in_between():
    """What a loop calls, and which object, is another the next time."""
    text = """proc advance() { fadvance()  seen.append(v) }
    { begin()  tstop = end  run() }
    proc advance() { fadvance()  if (t > 5) stim.amp = 0.1 }
    { run()  stim.amp = 0.5 }
    proc advance() { fadvance() }"""
    expected, _, _ = run(text, False)
    got, steps, said = run(text, True)
    return check("another procedure of that name", np.abs(got - expected).max() <= MOST and steps > 20, said)


def enabled_late():
    """A script's own procedures stay, whenever enable() is called."""
    script = """
import sys
from neuron import h
h.load_file("stdrun.hoc")
h("create soma\\naccess soma\\nsoma insert hh\\nobjref seen\\nseen = new Vector()")
h("proc advance() { seen.append(v)  fadvance() }")
h("proc continuerun() { while (t < $1) { seen.append(-t)  step() } }")
if sys.argv[1] == "here":
    import hillock.neuron
    hillock.neuron.enable()
h.run()
print(len(h.seen), round(h.seen.sum(), 6), h.t)
"""
    said = [subprocess.run([sys.executable, "-c", script, where], capture_output=True, text=True).stdout
            for where in ("there", "here")]
    return check("procedures before enable()", said[0] == said[1] and len(said[0].split()) == 3, str(said))


def says_where_runs_stop():
    """As NetCon.record() calls at spikes what may change the model; once."""
    script = """
import hillock.neuron
from neuron import h
h.load_file("stdrun.hoc")
soma = h.Section(name="soma")
soma.L = soma.diam = 20
soma.insert("hh")
clamp = h.IClamp(soma(0.5))
clamp.dur, clamp.amp = 1e9, 0.5
seen = h.NetCon(soma(0.5)._ref_v, None, sec=soma)
hillock.neuron.enable()
h.run()
seen.record("t = t")
h.run()
h.run()
"""
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True).stderr
    return check("runs stop at spikes", said.count("a run stops at each spike") == 1 and "NetCon[0]" in said, said)


def says_why():
    """Once for each reason, and of steps that Python asks for."""
    hillock.neuron.enable()
    text = io.StringIO()
    with contextlib.redirect_stderr(text):
        h.finitialize(-65)
        while h.t < 5:
            h.fadvance()
            results()
    said = "".join(SAID) + text.getvalue()
    right = all(said.count(reason) == 1 for reason in ("break, return or stop", "ExpSyn's g", "before 0",
                                                     "i, which it sets"))
    return check("it is said why", right and "single steps" in said, said)


def main():
    with tempfile.TemporaryDirectory(prefix="hillock-loops-") as folder:
        os.environ.setdefault("HILLOCK_CACHE", os.path.join(folder, "cache"))
        h.load_file("stdrun.hoc")
        h(MODEL)
        h("objref helper")
        h.helper = []
        hillock.neuron.enable()
        good = [is_as_neurons(name, *loop) for name, loop in LOOPS.items()]
        good += [is_as_neurons(one.__name__, one, here) for one, here in OF_PYTHON]
        most = _neuron_loops._most_bytes
        _neuron_loops._most_bytes = 8 * 15 * 100  # a hundred steps at once
        good.append(is_as_neurons("in several parts", *LOOPS["reads places, currents, gates and points"]))
        _neuron_loops._most_bytes = most
        h.ParallelContext().nthread(2)
        good.append(is_as_neurons("two threads of NEURON's", *LOOPS["for, through all sections"]))
        h.ParallelContext().nthread(1)
        good += [ends_with_an_error(), changed_in_between(), enabled_late(), says_where_runs_stop(), says_why()]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
