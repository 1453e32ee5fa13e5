#!/usr/bin/env python3
"""Question: how many times as fast as Brian2's C++ standalone is the balanced network of the library (Brette et al.
2007, COBAHH: 4,000 cells, p 0.02, exponential conductances, 0.1 ms delay, dt 0.05 ms), one thread each, in turns?

Run it by a Python that has brian2 (pip install brian2 "numpy<2"); beside_brian.py says what is counted. Prints
seconds, spikes and the ratio, best of --repeat."""

import pathlib
import sys
import tempfile

import beside_brian
import builds
import scaling
from needs import Needs

SIZES = {"exc": 3200, "inh": 800}
RATES = """
am = 0.32*4/exprel((13 - u)/4)/ms : Hz
bm = 0.28*5/exprel((u - 40)/5)/ms : Hz
ah = 0.128*exp((17 - u)/18)/ms : Hz
bh = 4/(1 + exp((40 - u)/5))/ms : Hz
an = 0.032*5/exprel((15 - u)/5)/ms : Hz
bn = 0.5*exp((10 - u)/40)/ms : Hz
u = (v + 63*mV)/mV : 1
"""
MEMBRANE = """
dv/dt = (gl*(el - v) + ge*(ee - v) + gi*(ei - v) - gna*m*m*m*h*(v - ena) - gk*n*n*n*n*(v - ek))/capacity : volt
dm/dt = am*(1 - m) - bm*m : 1
dh/dt = ah*(1 - h) - bh*h : 1
dn/dt = an*(1 - n) - bn*n : 1
dge/dt = -ge/(5*ms) : siemens
dgi/dt = -gi/(10*ms) : siemens
"""


def make_network(brian2, duration_ms):
    """Everything that runs, with the counts of spikes."""
    from brian2 import Hz, cm, mV, ms, msiemens, nS, siemens, uF, um
    area = 20000*um**2
    constants = {"capacity": 1*uF/cm**2*area, "gl": 5e-5*siemens/cm**2*area, "el": -65*mV, "ena": 50*mV, "ek": -90*mV,
                 "gna": 100*msiemens/cm**2*area, "gk": 30*msiemens/cm**2*area, "ee": 0*mV, "ei": -80*mV,
                 "we": 6*nS, "wi": 67*nS}
    cells = brian2.NeuronGroup(sum(SIZES.values()), MEMBRANE + RATES, threshold="v > -20*mV", refractory=3*ms,
                               method="exponential_euler", namespace=constants)
    cells.v = "-65*mV + 5*mV*(2*rand() - 1)"
    for gate in "mhn":
        setattr(cells, gate, f"a{gate}/(a{gate} + b{gate})")
    exc, inh = cells[:SIZES["exc"]], cells[SIZES["exc"]:]
    parts = [cells]
    for source, effect in ((exc, "ge += we"), (inh, "gi += wi")):
        synapses = brian2.Synapses(source, cells, on_pre=effect, delay=0.1*ms, namespace=constants)
        synapses.connect(p=0.02)
        parts.append(synapses)
    drive = brian2.PoissonGroup(SIZES["exc"], rates="300*Hz*int(t < 50*ms)")
    kicks = brian2.Synapses(drive, exc, on_pre="ge += we", namespace=constants)
    kicks.connect(j="i")
    spikes = brian2.SpikeMonitor(cells)
    network = brian2.Network(*parts, drive, kicks, spikes)
    network.run(duration_ms*ms)
    return spikes


def main():
    parser = builds.parser_of(__doc__)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--duration", type=float, default=1000, help="ms")
    parser.add_argument("--seed", type=int, default=1, help="of Brian2's draws: with some the activity dies out")
    options = parser.parse_args()
    Needs().modules("brian2").check()
    programs = builds.programs_of(options)
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        model = scratch / "balanced.yaml"
        model.write_text(scaling.balanced(4000, options.duration))
        theirs = beside_brian.compiled(beside_brian.written(
            scratch / "brian", lambda brian2: make_network(brian2, options.duration), 0.05, options.seed))
        beside_brian.compare(f"balanced network, 4,000 cells, {options.duration:g} ms", theirs, model, programs,
                             options.repeat)


if __name__ == "__main__":
    sys.exit(main())
