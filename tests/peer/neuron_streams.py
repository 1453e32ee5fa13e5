#!/usr/bin/python3
"""Sessions with streams of random numbers that C code holds in POINTERs, on Hillock beside NEURON.

Generators, synapses that draw at each event and a current that draws in each step, from hoc's Random objects of both
kinds and all three distributions, and from Random123's own streams; some generators have none and draw nothing. The
streams go on where NEURON's would. What cannot be taken is refused.
"""

import os
import pathlib
import sys
import tempfile

from parity import skip

try:
    import numpy as np
    from neuron import coreneuron, h
except ImportError as missing:
    skip(f"{missing.name} is missing (packages python3-neuron, python3-numpy)")

import hillock.neuron
import neuron_mods
from neuron_run import compare, refuses, solve_in_parts

UNTIL = 60

HEAD = """
VERBATIM
#include "nrnran123.h"
#ifndef NRN_VERSION_GTEQ_8_2_0
double nrn_random_pick(void* r);
void* nrn_random_arg(int argpos);
#define OF_RANDOM
#else
#define OF_RANDOM (Rand*)
#endif
ENDVERBATIM
"""
HOLD = """
PROCEDURE hold() {
VERBATIM
  { /* one of hoc's, or none */
    void** held = (void**)(&_p_stream);
    *held = ifarg(1) ? (void*)nrn_random_arg(1) : (void*)0;
  }
ENDVERBATIM
}
"""
#: Branches that begin in C code and end in it, with NMODL between.
DRAW = HEAD.replace("OF_RANDOM", "RANDCAST") + """
FUNCTION drawn() {
VERBATIM
  if (_p_stream) {
    /* { its own */
    _ldrawn = nrn_random_pick(RANDCAST _p_stream);
  } else {
ENDVERBATIM
    drawn = exprand(1)
VERBATIM
  }
ENDVERBATIM
}
""" + HOLD
TRAIN = """
NEURON {{ ARTIFICIAL_CELL {name}  RANGE mean, noise  POINTER stream }}
PARAMETER {{ mean = 5  noise = 1 }}
ASSIGNED {{ stream }}
INITIAL {{ net_send(next(), 1) }}
NET_RECEIVE (w) {{
  if (flag == 1) {{
    net_event(t)
    net_send(next(), 1)
  }}
}}
FUNCTION next() {{
  if (noise == 0) {{ next = mean }} else {{ next = fabs(mean * ((1 - noise) + noise * drawn())) }}
}}
"""
RELEASE = """
NEURON { POINT_PROCESS release  RANGE g, tau, released, seen, asked  NONSPECIFIC_CURRENT i  POINTER stream }
""" + HEAD + """
PARAMETER { tau = 4 (ms) }
ASSIGNED { v (mV)  i (nA)  stream  of_random123  released  seen  asked }
STATE { g (uS) }
INITIAL {
  g = 0  released = 0  seen = 0  asked = 0
VERBATIM
  if (_p_stream) {
    if (of_random123) {
      nrnran123_setseq((nrnran123_State*)_p_stream, 5, 2);
    }
  }
ENDVERBATIM
}
BREAKPOINT {
  SOLVE going METHOD cnexp
  asked = asked + 1
  i = g * v
}
DERIVATIVE going { g' = -g / tau }
NET_RECEIVE (w) {
  seen = picked()
  if (seen < 0.6) {
    g = g + w
    released = released + 1
  }
}
FUNCTION picked() {
VERBATIM
  double value = 0.0;
  if (of_random123) {
    value = nrnran123_dblpick((nrnran123_State*)_p_stream);
  } else if (_p_stream) {
#ifndef CORENEURON_BUILD
    value = nrn_random_pick(OF_RANDOM _p_stream);
#endif
  } else {
    value = 1;
  }
  _lpicked = value;
ENDVERBATIM
}
PROCEDURE hold() {
VERBATIM
  of_random123 = 0;
  if (hoc_is_double_arg(1)) {
    nrnran123_State** held = (nrnran123_State**)(&_p_stream);
    *held = nrnran123_newstream3((uint32_t)*getarg(1), (uint32_t)*getarg(2), (uint32_t)*getarg(3));
    of_random123 = 1;
  } else {
    void** held = (void**)(&_p_stream);
    *held = (void*)nrn_random_arg(1);
  }
ENDVERBATIM
}
"""
NOISE = """
NEURON { POINT_PROCESS noise  RANGE deviation, now  NONSPECIFIC_CURRENT i  POINTER stream }
PARAMETER { deviation = 0.1 }
ASSIGNED { i (nA)  now  stream }
INITIAL { now = 0  net_send(0.3, 1) }
BREAKPOINT { i = now }
NET_RECEIVE (w) {
  now = deviation * drawn()
  net_send(0.1, 1)
}
""" + DRAW
KINDS = {"train": TRAIN.format(name="train") + DRAW, "other_train": TRAIN.format(name="other_train") + DRAW,
         "release": RELEASE, "noise": NOISE,
         # CoreNEURON's, with what that would ask for.
         "kept_release": RELEASE.replace("POINT_PROCESS release", "THREADSAFE POINT_PROCESS kept_release").replace(
             "POINTER stream", "BBCOREPOINTER stream") + """
VERBATIM
static void bbcore_write(double* x, int* d, int* xx, int* offset, _threadargsproto_) {}
static void bbcore_read(double* x, int* d, int* xx, int* offset, _threadargsproto_) {}
ENDVERBATIM
"""}


class Session:
    """Four cells; of each generator's and synapse's streams those of even numbers are Ran4's."""

    def __init__(self, of_random123):
        """of_random123: the synapses hold Random123's own, in BBCOREPOINTERs."""
        self.of_random123 = of_random123
        self.cells = [h.Section(name=f"cell{k}") for k in range(4)]
        self.trains = [(h.train, h.other_train)[k % 2]() for k in range(6)]
        self.synapses, self.noises, self.randoms = [], [], []
        for cell in self.cells:
            cell.L = cell.diam = 15
            cell.insert("hh")
            self.synapses += [(h.kept_release if of_random123 else h.release)(cell(0.5)) for _ in range(2)]
            self.noises.append(h.noise(cell(0.5)))
        self.trains.append(h.train())
        self.trains[-1].noise = 0  # and has no stream
        self.netcons = [h.NetCon(self.trains[(3 * k + n) % 7], synapse) for k, synapse in enumerate(self.synapses)
                        for n in range(2)]
        for netcon in self.netcons:
            netcon.weight[0], netcon.delay = 0.02, 0.5
        self.spikes = []
        for cell in self.cells:
            self.netcons.append(h.NetCon(cell(0.5)._ref_v, self.synapses[0], sec=cell))
            self.netcons[-1].delay = 1
            self.spikes.append(h.Vector())
            self.netcons[-1].record(self.spikes[-1])
        for train in self.trains[:-1]:
            self.hold(train, 1 if train.hname().startswith("train") else 2)
        for number, synapse in enumerate(self.synapses):
            if of_random123:
                synapse.hold(number, 5, 7)
            else:
                self.hold(synapse, 0)
        for noise in self.noises:
            self.hold(noise, 2)
        self.traces = [h.Vector().record(one) for one in [
            *(cell(0.5)._ref_v for cell in self.cells), *(synapse._ref_seen for synapse in self.synapses),
            *(noise._ref_i for noise in self.noises)]]

    def hold(self, holder, distribution):
        random = h.Random()
        holder.hold(random)
        self.randoms.append((random, distribution, len(self.randoms), holder.hname().startswith(("train", "release"))))

    def begin(self):
        for random, distribution, number, is_ran4 in self.randoms:
            random.MCellRan4(1000 * number + 1, 3 * (number % 2)) if is_ran4 else random.Random123(number, 3, 4)
            (lambda: random.uniform(0, 1), lambda: random.negexp(1.5), lambda: random.normal(0.2, 1.3))[distribution]()
        if self.of_random123:
            for number, synapse in enumerate(self.synapses):
                synapse.hold(number, 5, 7)

    def run(self, moments, is_here):
        """Traces, spikes and where the streams stand at the end."""
        self.begin()
        h.stdinit()
        solve_in_parts(moments, is_here)
        times = [(time, number) for number, vector in enumerate(self.spikes) for time in vector]
        states = {f"{synapse.hname()}.{name}": getattr(synapse, name) for synapse in self.synapses
                  for name in ("g", "released", "seen", "asked")}
        states.update({f"{number}": random.seq() for random, _, number, _ in self.randoms})
        states.update({f"{number}, next": random.repick() for random, _, number, _ in self.randoms})
        return [np.array(trace) for trace in self.traces], tuple(np.array(sorted(times)).reshape(-1, 2).T), states


def runs():
    h.ParallelContext().set_maxstep(1)
    h.mcell_ran4_init(17)
    moments = [0.5, 3, 7.025, 12, 20, 45, UNTIL]
    for of_random123 in (False, True):
        session, what = Session(of_random123), "of Random123" if of_random123 else "of hoc"
        wanted = session.run([UNTIL], lambda _: False)
        yield compare(f"streams {what}", session.run([UNTIL], lambda _: True), wanted)
        for name, first in ((f"streams {what}, handed over and back", 0), (f"streams {what}, back and handed over", 1)):
            yield compare(name, session.run(moments, lambda part: part % 2 == first), wanted)
        handler = h.FInitializeHandler(lambda: [h.CVode().event(1.5 + 7 * k, lambda: None) for k in range(7)])
        yield compare(f"streams {what}, in parts", session.run([UNTIL], lambda _: True), wanted)
        del handler
        if not of_random123:
            session.trains[-1].noise = 1
            yield refuses(session, "a generator that draws from none beside others that have one")
            session.trains[-1].noise = 0
            session.synapses[0].hold(session.randoms[0][0])
            yield refuses(session, "a stream that two draw from")
        else:
            yield compare("streams of NEURON's, as they were", session.run([UNTIL], lambda _: False), wanted)
        for vector in session.traces + session.spikes:
            vector.play_remove()
        del session


def main():
    with tempfile.TemporaryDirectory(prefix="hillock-streams-") as folder:
        os.environ.setdefault("HILLOCK_CACHE", str(pathlib.Path(folder) / "cache"))
        files = neuron_mods.written(KINDS, folder)
        neuron_mods.load(h, files, pathlib.Path(folder) / "neuron")
        h.load_file("stdrun.hoc")
        hillock.neuron.enable()
        coreneuron.enable = False
        good = list(runs())
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
