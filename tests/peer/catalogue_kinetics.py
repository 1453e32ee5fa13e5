"""The catalogue's .mod files have the published kinetics: measured in NEURON, channel by channel.

Half activations and slopes, time constants and peak currents are measured on one compartment whose
capacitance is so large that its voltage stays where it is put; synapses on the same. What they are
compared with stands in this file: numbers and rate equations from the papers named beside them,
written down here a second time, so that a slip of the pen in a .mod file shows.
Not here: the same files in Hillock.

  /usr/bin/python3 tests/peer/catalogue_kinetics.py [name ...]
"""

import math
import pathlib
import sys
import tempfile

import neuron_mods
from parity import REPOSITORY, load_neuron

import numpy as np

CATALOGUE = REPOSITORY / "mechanisms" / "catalogue"
DT = 0.025
R, FARADAY = 8.31446, 96485.3  # J/(mol K), C/mol
AREA_CM2 = math.pi * 20e-4 * 20e-4

# -- published kinetics ---------------------------------------------------------------------------


def linoid(x, y):
    """x / (exp(x/y) - 1)"""
    return y if abs(x) < 1e-9 else x / math.expm1(x / y)


def from_rates(opening, closing, q=1.0, slower=1.0):
    return opening / (opening + closing), slower / (q * (opening + closing))


def sigmoid(v, half, slope):
    """1/2 at half; grows with v when slope is positive."""
    return 1 / (1 + math.exp(-(v - half) / slope))


def q10(celsius, q=2.3, measured=21):
    return q ** ((celsius - measured) / 10)


def squid(v, T):
    """Hodgkin and Huxley 1952, resting at -65 mV."""
    q, u = q10(T, 3, 6.3), v + 65
    return {"m": from_rates(0.1 * linoid(25 - u, 10), 4 * math.exp(-u / 18), q),
            "h": from_rates(0.07 * math.exp(-u / 20), 1 / (math.exp((30 - u) / 10) + 1), q),
            "n": from_rates(0.01 * linoid(10 - u, 10), 0.125 * math.exp(-u / 80), q)}


def traub_miles(v, T):
    """Traub and Miles 1991 in the form of Brette et al. 2007, benchmark 3, V_T = -63 mV."""
    u = v + 63
    return {"m": from_rates(0.32 * linoid(13 - u, 4), 0.28 * linoid(u - 40, 5)),
            "h": from_rates(0.128 * math.exp((17 - u) / 18), 4 / (1 + math.exp((40 - u) / 5))),
            "n": from_rates(0.032 * linoid(15 - u, 5), 0.5 * math.exp((10 - u) / 40))}


def transient_sodium(v, T):
    """Colbert and Pan 2002."""
    return {"m": from_rates(0.182 * linoid(-38 - v, 6), 0.124 * linoid(v + 38, 6), q10(T)),
            "h": from_rates(0.015 * linoid(v + 66, 6), 0.015 * linoid(-66 - v, 6), q10(T))}


def persistent_sodium(v, T):
    """Magistretti and Alonso 1999; activation six times slower than the transient current's."""
    _, tau_m = from_rates(0.182 * linoid(-38 - v, 6), 0.124 * linoid(v + 38, 6), q10(T), 6)
    _, tau_h = from_rates(2.88e-6 * linoid(v + 17, 4.63), 6.94e-6 * linoid(-64.4 - v, 2.63), q10(T))
    return {"m": (sigmoid(v, -52.6, 4.6), tau_m), "h": (sigmoid(v, -48.8, -10), tau_h)}


def slow_potassium(v, T):
    """Korngreen and Sakmann 2000, slow current; 10 mV of liquid junction taken off."""
    u = v + 10
    tau_m = 1.25 + (175.03 * math.exp(0.026 * u) if u < -50 else 13 * math.exp(-0.026 * u))
    tau_h = 360 + (1010 + 24 * (u + 55)) * math.exp(-((u + 75) / 48) ** 2)
    return {"m": (sigmoid(v, -11, 12), tau_m / q10(T)), "h": (sigmoid(v, -64, -11), tau_h / q10(T))}


def fast_potassium(v, T):
    """Korngreen and Sakmann 2000, fast current; 10 mV of liquid junction taken off."""
    u = v + 10
    return {"m": (sigmoid(v, -10, 19), (0.34 + 0.92 * math.exp(-((u + 71) / 59) ** 2)) / q10(T)),
            "h": (sigmoid(v, -76, -10), (8 + 49 * math.exp(-((u + 73) / 23) ** 2)) / q10(T))}


def kv31(v, T):
    """Rettig et al. 1992, fit of Hay et al. 2011."""
    return {"m": (sigmoid(v, 18.7, 9.7), 4 * sigmoid(v, -46.56, 44.14))}


def m_current(v, T):
    """Adams, Brown and Constanti 1982: 3.3/s both ways at -35 mV, e-fold in 10 mV each way."""
    return {"m": from_rates(0.0033 * math.exp((v + 35) / 10), 0.0033 * math.exp(-(v + 35) / 10), q10(T))}


def h_current(v, T):
    """Kole et al. 2006."""
    return {"m": from_rates(0.00643 * linoid(v + 154.9, 11.9), 0.193 * math.exp(v / 33.1))}


def t_calcium(v, T):
    """Avery and Johnston 1996, Randall and Tsien 1997; 10 mV of liquid junction taken off."""
    return {"m": (sigmoid(v, -40, 6), (5 + 20 * sigmoid(v, -35, -5)) / q10(T)),
            "h": (sigmoid(v, -90, -6.4), (20 + 50 * sigmoid(v, -50, -7)) / q10(T))}


def l_calcium(v, T):
    """Reuveni et al. 1993."""
    return {"m": from_rates(0.055 * linoid(-27 - v, 3.8), 0.94 * math.exp(-(75 + v) / 17)),
            "h": from_rates(0.000457 * math.exp(-(13 + v) / 50), 0.0065 * sigmoid(v, -15, 28))}


# mechanism: (rates, celsius, half activations and slopes (positive: opens with v) of the gates,
#   voltages for time constants, (holding, test voltage, powers of the gates, reversal, suffix of the
#   conductance parameter, current) for the peak current)
# Halves and slopes as the papers state them where they do; else what their equations give to the
# digits written: for rates of one linoid pair A*linoid(-u,k), B*linoid(u,k) the half
# is -k*ln(A/B) from their common zero and the slope is k.
CHANNELS = {
    "hh": (squid, 6.3, {}, (-80, -65, -40, 0), (-80, 0, {"m": 3, "h": 1}, "ena", 50, "gnabar", "ina")),
    "hh_traub": (traub_miles, 36, {}, (-80, -50, -23, 0),
                 (-80, -10, {"m": 3, "h": 1}, "ena", 50, "gnabar", "ina")),
    "nat": (transient_sodium, 34, {"m": (-40.30, 6.0), "h": (-66.0, -6.0)}, (-90, -66, -38, -20, 10),
            (-90, -10, {"m": 3, "h": 1}, "ena", 50, "gbar", "ina")),
    "nap": (persistent_sodium, 34, {"m": (-52.6, 4.6), "h": (-48.8, -10.0)}, (-90, -64.4, -38, -17, 10),
            (-90, -40, {"m": 3, "h": 1}, "ena", 50, "gbar", "ina")),
    "kdr": (slow_potassium, 34, {"m": (-11.0, 12.0), "h": (-64.0, -11.0)}, (-90, -60, -30, 20),
            (-90, 30, {"m": 2, "h": 1}, "ek", -85, "gbar", "ik")),
    "ka": (fast_potassium, 34, {"m": (-10.0, 19.0), "h": (-76.0, -10.0)}, (-100, -81, -30, 20),
           (-100, 30, {"m": 4, "h": 1}, "ek", -85, "gbar", "ik")),
    "kv31": (kv31, 34, {"m": (18.7, 9.7)}, (-60, 0, 40), (-80, 40, {"m": 1}, "ek", -85, "gbar", "ik")),
    "km": (m_current, 34, {"m": (-35.0, 5.0)}, (-80, -35, 0), (-80, 0, {"m": 1}, "ek", -85, "gbar", "ik")),
    "ih": (h_current, 34, {}, (-154.9, -110, -80, -60), (-60, -120, {"m": 1}, "e", -45, "gbar", "i")),
    "cat": (t_calcium, 34, {"m": (-40.0, 6.0), "h": (-90.0, -6.4)}, (-100, -60, -35, 0),
            (-110, -30, {"m": 2, "h": 1}, "eca", 120, "gbar", "ica")),
    "cal": (l_calcium, 34, {}, (-80, -40, -27, 0), (-80, 0, {"m": 2, "h": 1}, "eca", 120, "gbar", "ica")),
    "cal_ghk": (l_calcium, 34, {}, (-80, -40, -27, 0), None),
}

# Half activations without a closed form: where the papers' rates of opening and closing are equal,
# solved by bisection, to the digits written.
HALVES_OF_RATES = {"hh": {"m": -40.02, "h": -62.31, "n": -53.41}, "ih": {"m": -110.25},
                   "cal": {"m": -33.34, "h": -58.49}}

# -- measuring in NEURON --------------------------------------------------------------------------


class Bench:
    """One compartment of 20 x 20 um that keeps its voltage, and a table of comparisons."""

    def __init__(self, h):
        self.h, self.failed, self.count = h, 0, 0

    def within(self, case, quantity, value, expected, limit, reason):
        self.count += 1
        holds = math.isfinite(value) and abs(value - expected) <= limit
        self.failed += not holds
        print(f"{'ok  ' if holds else 'FAIL'} {case:13} {quantity:44} {value:14.7g} expected "
              f"{expected:14.7g} +- {limit:.1g} ({reason})")

    def membrane(self, *mechanisms, celsius=34):
        section = self.h.Section(name="soma")
        section.L = section.diam = 20
        section.cm = 1e9  # uF/cm2: nothing moves it
        for name in mechanisms:
            section.insert(neuron_mods.neuron_name(name))
        self.h.celsius, self.h.dt, self.h.secondorder = celsius, DT, 0
        return section

    def initialise(self, section, v):
        self.h.finitialize(v)
        return section(0.5)

    def step(self, section, v):
        for segment in section:
            segment.v = v
        self.h.fadvance()


def gates_at(bench, name, section, v, gates):
    segment = bench.initialise(section, v)
    return {gate: getattr(getattr(segment, neuron_mods.neuron_name(name)), gate) for gate in gates}


def check_channel(bench, name):
    rates, celsius, stated, voltages, peak = CHANNELS[name]
    section = bench.membrane(name, celsius=celsius)
    gates = list(rates(-50, celsius))
    for v in voltages:
        there = gates_at(bench, name, section, v, gates)
        for gate, (steady, _) in rates(v, celsius).items():
            bench.within(name, f"{gate} at rest at {v} mV", there[gate], steady, 1e-6 + 1e-6 * steady,
                         "the linoid's continuation, constants of nature")
    for gate, (half, slope) in stated.items():
        there = gates_at(bench, name, section, half, [gate])[gate]
        bench.within(name, f"{gate} at its half activation {half} mV", there, 0.5, 5e-4, "digits of the half")
        beside = [gates_at(bench, name, section, half + d, [gate])[gate] for d in (-0.01, 0.01)]
        measured = 0.25 / ((beside[1] - beside[0]) / 0.02)
        bench.within(name, f"slope of {gate}, mV", measured, slope, 1e-3 * abs(slope), "digits of the slope")
    for gate, half in HALVES_OF_RATES.get(name, {}).items():
        low, high = half - 0.01, half + 0.01
        ends = [gates_at(bench, name, section, v, [gate])[gate] - 0.5 for v in (low, high)]
        bench.within(name, f"{gate} crosses 1/2 within 0.01 mV of {half} mV", float(ends[0] * ends[1] <= 0),
                     1, 0, "exact")
    for v in voltages:
        for gate, (steady, tau) in rates(v, celsius).items():
            far = -120 if steady > 0.5 else 60
            if abs(rates(far, celsius)[gate][0] - steady) < 0.02:
                far = 60 if far < 0 else -120
            start = gates_at(bench, name, section, far, [gate])[gate]
            bench.step(section, v)
            after = getattr(getattr(section(0.5), neuron_mods.neuron_name(name)), gate)
            measured = -DT / math.log((after - steady) / (start - steady))
            # one step moves a gate by dt/tau of its way: round-off and the steady state's 1e-9 over it
            limit = tau * (1e-6 + 1e-8 * tau / DT)
            bench.within(name, f"time constant of {gate} at {v} mV, ms", measured, tau, limit,
                         "steady state's 1e-9 over one step's way")
    if peak:
        check_peak(bench, name, rates, celsius, peak)


def check_peak(bench, name, rates, celsius, peak):
    """The current after a step of voltage against the closed form of its gates."""
    holding, test, powers, reversal, e, conductance, current = peak
    section = bench.membrane(name, celsius=celsius)
    segment = section(0.5)
    mechanism = getattr(segment, neuron_mods.neuron_name(name))
    setattr(mechanism, conductance, 0.01)
    if reversal == "e":
        setattr(mechanism, "e", e)
    else:
        setattr(segment, reversal, e)
    held, tested = rates(holding, celsius), rates(test, celsius)
    slowest = max(tested[gate][1] for gate in powers)
    steps = int(min(50, 5 * min(tested[gate][1] for gate in powers) + slowest) / DT)
    bench.initialise(section, holding)
    measured = []
    for _ in range(steps):
        bench.step(section, test)  # the current of a step is that of the gates at its start
        measured.append(getattr(segment, current) if current != "i" else mechanism.i)
    times = DT * np.arange(steps)
    expected = np.full(steps, 0.01 * (test - e))
    for gate, power in powers.items():
        start, (steady, tau) = held[gate][0], tested[gate]
        expected *= (steady + (start - steady) * np.exp(-times / tau)) ** power
    where = int(np.argmax(np.abs(expected)))
    bench.within(name, f"peak current {holding} -> {test} mV, mA/cm2", measured[int(np.argmax(np.abs(measured)))],
                 expected[where], 1e-6 * abs(expected[where]), "round-off of the recursion")
    bench.within(name, "time of the peak, ms", DT * int(np.argmax(np.abs(measured))), DT * where, DT,
                 "one step")


def check_goldman(bench):
    """cal_ghk: Hodgkin and Katz 1949; zero at Nernst's voltage, P z F c_in far above it."""
    section = bench.membrane("cal_ghk")
    segment = section(0.5)
    segment.cal_ghk.pbar = 1e-4
    segment.cai, segment.cao = 1e-4, 2.0
    for v in (-60, -20, 0, 40, 100):
        bench.initialise(section, v)
        bench.step(section, v)
        x = 2e-3 * FARADAY * v / (R * (273.15 + 34))
        open_part = segment.cal_ghk.m ** 2 * segment.cal_ghk.h
        whole = 4e-3 * FARADAY ** 2 / (R * 307.15) * v if x else None
        if x:  # i = P z^2 (v F^2/RT) (c_in - c_out e^-x)/(1 - e^-x); mol/m3 * cm/s -> mA/cm2: 1e-3
            expected = 1e-4 * 1e-3 * whole * (segment.cai - segment.cao * math.exp(-x)) / (1 - math.exp(-x))
        else:
            expected = 1e-4 * 1e-3 * 2 * FARADAY * (segment.cai - segment.cao)
        bench.within("cal_ghk", f"current of the open channel at {v} mV, mA/cm2", segment.ica / open_part,
                     expected, 1e-5 * abs(expected), "constants of nature")


def check_calcium_gates(bench):
    """SK: half open at 0.43 uM, Hill slope 4.8 (Koehler et al. 1996). BK: Moczydlowski and Latorre 1983."""
    section = bench.membrane("sk", "bk", celsius=23)
    segment = section(0.5)

    def at(v, cai):
        segment.cai = cai  # a constant where nothing writes it
        bench.initialise(section, v)

    at(-65, 4.3e-4)
    bench.within("sk", "open fraction at 0.43 uM", segment.sk.z, 0.5, 1e-9, "round-off")
    odds = []
    for cai in (2.15e-4, 8.6e-4):
        at(-65, cai)
        odds.append(segment.sk.z / (1 - segment.sk.z))
    bench.within("sk", "Hill coefficient", math.log(odds[1] / odds[0]) / math.log(4), 4.8, 1e-9, "round-off")
    at(-65, 0)
    bench.within("sk", "open fraction without calcium", segment.sk.z, 0, 0, "exact")
    for v, cai in ((-60, 0.01), (0, 0.001), (0, 0.01), (40, 0.01), (40, 0.1)):
        at(v, cai)
        u = FARADAY * v * 1e-3 / (R * 296.15)
        opening = 0.48 / (1 + 0.18 * math.exp(-2 * 0.84 * u) / cai)
        closing = 0.28 / (1 + cai / (0.011 * math.exp(-2 * u)))
        bench.within("bk", f"open fraction at {v} mV and {1e3 * cai:g} uM", segment.bk.o,
                     opening / (opening + closing), 1e-5, "constants of nature")


def check_pool(bench):
    """capool: the steady level of a constant current and the time constant of its decay."""
    section = bench.membrane("capool", "cal", celsius=34)
    segment = section(0.5)
    bench.initialise(section, -65)
    segment.cai = 1e-3
    before, dt = segment.cai, DT
    bench.step(section, -65)
    bench.within("capool", "time constant of the decay, ms", -dt / math.log((segment.cai - 1e-4) / (before - 1e-4)),
                 80, 1e-6, "round-off")
    segment.cal.gbar = 1e-4
    segment.eca = 120
    bench.initialise(section, -20)
    before = segment.cai
    bench.step(section, -20)
    entry = -1e4 * 0.05 * segment.ica / (2 * FARADAY * 0.1)
    expected = 1e-4 + entry * 80 * (1 - math.exp(-dt / 80))
    bench.within("capool", "concentration after a step of entry, mM", segment.cai, expected, 1e-5 * expected,
                 "constants of nature")


def synapse(bench, name, times, weight, v, duration, variable, **parameters):
    """The variable at every step, with spikes at times."""
    section = bench.membrane()
    point = getattr(bench.h, name)(section(0.5))
    for key, value in parameters.items():
        setattr(point, key, value)
    source = bench.h.NetCon(None, point)
    source.weight[0], source.delay = weight, 0
    trace = bench.h.Vector().record(getattr(point, f"_ref_{variable}"))
    handler = bench.h.FInitializeHandler(lambda: [source.event(t) for t in times])
    bench.initialise(section, v)
    bench.h.continuerun(duration)
    del handler
    return np.array(trace)


def check_synapses(bench):
    g = synapse(bench, "expsyn", [1], 0.01, -65, 5, "g", tau=2)
    bench.within("expsyn", "conductance 2 ms after a spike of 0.01 uS", g[round(3 / DT)], 0.01 / math.e, 1e-9,
                 "round-off")
    g = synapse(bench, "exp2syn", [1], 0.01, -65, 20, "g", tau1=0.5, tau2=3)
    peak = 0.5 * 3 / 2.5 * math.log(6)
    bench.within("exp2syn", "peak of the conductance, uS", g.max(), 0.01, 0.01 * 1e-4, "peak between steps")
    bench.within("exp2syn", "time to the peak, ms", DT * int(np.argmax(g)) - 1, peak, DT, "one step")
    # Jahr and Stevens 1990: 1/(1 + exp(-0.062 v) [Mg]/3.57)
    for v, mg in ((-80, 1), (-40, 1), (0, 1), (0, 0), (20.5, 1)):
        g = synapse(bench, "nmda", [1], 0.01, v, 30, "g", mg=mg)
        expected = 0.01 / (1 + mg / 3.57 * math.exp(-0.062 * v))
        bench.within("nmda", f"peak at {v} mV, {mg} mM, uS", g.max(), expected, 1e-4 * expected, "peak between steps")
    # Depression: peaks of a train at rest fall as U x with x -> 1 - (1 - x (1 - U)) exp(-T/tau_rec)
    U, tau_rec, interval = 0.5, 800, 50
    for name in ("tmsyn", "tmsyn_shared"):
        times = [10 + interval * k for k in range(6)]
        tau_facil = 0 if name == "tmsyn" else 1e-3
        g = synapse(bench, name, times, 0.01, -65, 300, "g", U=U, tau_rec=tau_rec, tau_facil=tau_facil, tau=3)
        x, left = 1.0, 0.0
        for k, t in enumerate(times):
            left = left * math.exp(-interval / 3) + 0.01 * U * x
            bench.within(name, f"depression: conductance a step after spike {k + 1}, uS",
                         g[round(t / DT) + 1], left * math.exp(-DT / 3), 1e-6 * left, "round-off")
            x = 1 - (1 - x * (1 - U)) * math.exp(-interval / tau_rec)
        # Markram et al. 1998, a facilitating connection: U 0.05, tau_rec 130 ms, tau_facil 530 ms
        g = synapse(bench, name, times, 0.01, -65, 300, "g", U=0.05, tau_rec=130, tau_facil=530, tau=3)
        x, u, left = 1.0, 0.0, 0.0
        for k, t in enumerate(times):
            u = u * math.exp(-interval / 530) if k else 0.0
            u += 0.05 * (1 - u)
            left = left * math.exp(-interval / 3) + 0.01 * u * x
            bench.within(name, f"facilitation: conductance a step after spike {k + 1}, uS",
                         g[round(t / DT) + 1], left * math.exp(-DT / 3), 1e-6 * left, "round-off")
            x = 1 - (1 - x * (1 - u)) * math.exp(-interval / 130)
    g = synapse(bench, "ampanmda", [1], 0.01, -40, 30, "g_ampa", U=0.4)
    bench.within("ampanmda", "AMPA peak of a first spike, uS", g.max(), 0.004, 0.004 * 2e-3, "peak between steps")
    g = synapse(bench, "ampanmda", [1], 0.01, -40, 30, "g_nmda", U=0.4)
    expected = 0.7 * 0.004 / (1 + math.exp(0.062 * 40) / 3.57)
    bench.within("ampanmda", "NMDA peak of a first spike, uS", g.max(), expected, 1e-4 * expected,
                 "peak between steps")


def check_electrodes(bench):
    """iclamp against the sum of its pulses, seclamp and gap against Ohm's law."""
    section = bench.membrane()
    clamp = bench.h.iclamp(section(0.5))
    clamp.amplitude, clamp.start, clamp.duration, clamp.period, clamp.count = 0.3, 2, 1, 3, 3
    clamp.slope = 0.1
    trace = bench.h.Vector().record(clamp._ref_i)
    bench.initialise(section, -65)
    bench.h.continuerun(15)
    mid = DT * (np.arange(len(trace)) - 0.5)  # the sample at t holds the current of the step before it
    expected = np.zeros(len(trace))
    for begin in (2, 5, 8):
        inside = (mid >= begin) & (mid < begin + 1)
        expected[inside] = 0.3 + 0.1 * (mid[inside] - begin)
    bench.within("iclamp", "largest difference from its pulses, nA", np.abs(np.array(trace) - expected).max(), 0,
                 1e-9, "round-off of the clock")
    own, neurons = bench.h.alphasynapse(section(0.5)), bench.h.AlphaSynapse(section(0.5))
    for one in (own, neurons):
        one.onset, one.tau, one.gmax, one.e = 2.01, 0.7, 0.003, -10
    g, *traces = [bench.h.Vector().record(one) for one in (own._ref_g, own._ref_i, neurons._ref_i)]
    bench.initialise(section, -65)
    bench.h.continuerun(15)
    difference = np.abs(np.array(traces[0]) - np.array(traces[1])).max()
    bench.within("alphasynapse", "largest difference from NEURON's AlphaSynapse, nA", difference, 0, 1e-15, "round-off")
    bench.within("alphasynapse", "peak, uS", np.array(g).max(), 0.003, 1e-6, "peak between steps")
    del own, neurons, one
    clamp = bench.h.seclamp(section(0.5))
    clamp.level, clamp.rs, clamp.start, clamp.stop = -20, 5, 0, 10
    bench.initialise(section, -65)
    bench.step(section, -65)
    bench.within("seclamp", "current through 5 MOhm over 45 mV, nA", clamp.i, 9, 1e-4, "the membrane moves a little")
    junction = bench.h.gap(section(0.5))
    junction.g = 0.002
    bench.initialise(section, -65)
    junction.vgap = -45
    bench.step(section, -65)
    bench.within("gap", "current of 2 nS over -20 mV, nA", junction.i, -0.04, 1e-9, "round-off")


def check_leak(bench):
    section = bench.membrane("pas")
    section(0.5).pas_mod.g, section(0.5).pas_mod.e = 1e-4, -75
    bench.initialise(section, -65)
    bench.step(section, -65)
    bench.within("pas", "current at 10 mV above e, mA/cm2", section(0.5).pas_mod.i, 1e-3, 1e-12, "round-off")


OTHERS = {"goldman": check_goldman, "calcium_gates": check_calcium_gates, "pool": check_pool,
          "synapses": check_synapses, "electrodes": check_electrodes, "leak": check_leak}


def is_point_neuron(mod):
    """What NEURON has not: an ARTIFICIAL_CELL that advances in every step."""
    text = mod.read_text()
    return "ARTIFICIAL_CELL" in text and "BREAKPOINT" in text


def main():
    h = load_neuron()
    chosen = sys.argv[1:] or [*CHANNELS, *OTHERS]
    with tempfile.TemporaryDirectory(prefix="hillock-mods-") as folder:
        neuron_mods.load(h, [mod for mod in sorted(CATALOGUE.glob("*.mod")) if not is_point_neuron(mod)],
                         pathlib.Path(folder))
        h("usetable_hh_mod = 0")
        bench = Bench(h)
        for name in chosen:
            if name in CHANNELS:
                check_channel(bench, name)
            else:
                OTHERS[name](bench)
    print(f"{bench.count} comparisons, {bench.failed} failed")
    return bool(bench.failed)


if __name__ == "__main__":
    sys.exit(main())
