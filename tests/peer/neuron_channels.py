#!/usr/bin/python3
"""Sessions with mechanisms of the ChannelBuilder (KSChan), which have no text, beside NEURON.

Gates with all kinds of rates, with tables and without, kinetic schemes, ligands, ohmic currents and permeabilities, of
ions and of none, in membranes and as points; as a whole, in parts and handed back and forth, and made after a run.
Then a mechanism whose FUNCTION_TABLEs hoc gives their numbers, in all the ways that it has, and one whose TABLE is made
with parameters that differ from place to place, and one whose RANGE has its ion's numbers. Traces of voltages, states
and currents to 1e-9 of their range. Single channels are refused by name.
"""

import pathlib
import sys
import tempfile

from parity import skip

try:
    import numpy as np
    from neuron import coreneuron, h
except ImportError as missing:
    skip(f"{missing.name} is missing (packages python3-neuron, python3-numpy)")

import hillock
import hillock.neuron
import neuron_mods
from neuron_run import check, refuses, solve_in_parts

MOST, UNTIL = 1e-9, 30
CONSTANT, EXPONENTIAL, LINOID, SIGMOID, STEADY, LAG, TABLE = range(1, 8)
KEPT = []  # Vectors of rates


def set_rates(transition, kind, *functions):
    transition.type(kind)
    for which, (function, numbers, *ends) in enumerate(functions):
        KEPT.append(h.Vector(numbers))
        transition.set_f(which, function, KEPT[-1], *ends)


def channel(name, ion, iv_type=0, is_point=0, gmax=0.0, erev=0.0):
    made = h.KSChan(is_point)
    made.name(name)
    made.ion(ion)
    made.iv_type(iv_type)
    made.gmax(gmax)
    made.erev(erev)
    return made


def sodium(name, table=None):
    """As hh's."""
    made = channel(name, "na", gmax=0.12)
    made.add_hhstate("m")
    made.add_hhstate("h")
    made.gate(0).power(3)
    set_rates(made.trans(0), 0, (LINOID, [1, 0.1, -40]), (EXPONENTIAL, [4, -1 / 18, -65]))
    set_rates(made.trans(1), 0, (EXPONENTIAL, [0.07, -0.05, -65]), (SIGMOID, [1, -0.1, -35]))
    if table:
        made.usetable(1, *table)
    return made


def potassium():
    """Its steady state by a formula, its lag by a table, and one to an odd power."""
    made = channel("kdr", "k", 1, gmax=0.03)
    made.add_hhstate("n")
    made.add_hhstate("l")
    made.gate(0).power(4)
    made.gate(1).power(5)
    voltages = np.arange(-100, 51, 10)
    set_rates(made.trans(0), 1, (SIGMOID, [1, -0.08, -52]),
              (TABLE, list(1 + 5 / (1 + ((voltages + 60) / 20) ** 2)), -100, 50))
    set_rates(made.trans(1), 1, (CONSTANT, [0.9]), (CONSTANT, [7]))
    return made


def leak():
    """Of no ion, by rates of temperature."""
    made = channel("slow", "NonSpecific", gmax=0.0004, erev=-54.3)
    made.add_hhstate("q")
    set_rates(made.trans(0), 1, (STEADY, [0.02, -60, 2.5, 0.4, 1.5]), (LAG, [0.03, -61, 2.5, 0.4, 1.2]))
    return made


def scheme(name, ion, iv_type=0, is_point=0, gmax=0.0, gate=True):
    """Closed, open and inactivated, and a gate beside it."""
    made = channel(name, ion, iv_type, is_point, gmax)
    if gate:
        made.add_hhstate("u")
    made.add_ksstate(None, "c")
    made.add_ksstate(made.gate(int(gate)), "o")
    made.add_ksstate(made.gate(int(gate)), "p")
    made.state(int(gate) + 1).frac(1)
    made.state(int(gate) + 2).frac(0.25)
    for source, target in ((0, 1), (1, 2), (2, 0)):
        made.add_transition(made.state(source + int(gate)), made.state(target + int(gate)))
    if gate:
        set_rates(made.trans(0), 0, (EXPONENTIAL, [0.3, 0.02, -50]), (EXPONENTIAL, [0.2, -0.03, -50]))
    rates = [(0, (LINOID, [0.4, 0.1, -35]), (EXPONENTIAL, [0.9, -0.04, -60])),
             (1, (SIGMOID, [1, -0.1, -20]), (CONSTANT, [4])),
             (0, (CONSTANT, [0.05]), (EXPONENTIAL, [0.02, 0.01, -60]))]
    for source, (kind, *functions) in enumerate(rates):
        set_rates(made.trans(made.state(source + int(gate)), made.state((source + 1) % 3 + int(gate))), kind,
                  *functions)
    return made


def bound():
    """Opens where calcium binds to it."""
    made = channel("kca", "k", gmax=0.002)
    made.add_ksstate(None, "r")
    made.add_ksstate(made.gate(0), "b")
    made.add_ksstate(made.gate(0), "bb")
    made.state(2).frac(1)
    made.gate(0).power(2)
    for source in (0, 1):
        made.add_transition(source, source + 1)
    for source in (0, 1):
        made.trans(0).type(3, "cai")  # which puts it behind the other one
        KEPT.extend([h.Vector([3e6 if source else 700]), h.Vector([0.2])])
        for which in (0, 1):
            made.trans(1).set_f(which, CONSTANT, KEPT[-2 + which])
        made.trans(1).stoichiometry(1 + source)
    return made


class Session:
    """Cells whose membranes have them, and points on their ends."""

    def __init__(self, names, points=()):
        self.sections, self.points = [], []
        for number in range(3):
            soma, dend = h.Section(name=f"soma{number}"), h.Section(name=f"dend{number}")
            dend.connect(soma(1))
            soma.L = soma.diam = 18 + number
            dend.L, dend.diam, dend.nseg = 150, 2, 5
            self.sections += [soma, dend]
            for section in (soma, dend):
                for name in names:
                    section.insert(name)
            for name in points:
                self.points.append(getattr(h, name)(dend(0.7)))
                setattr(self.points[-1], *(("gmax", 0.02) if name == "opens" else ("pmax", 1e-5)))
            clamp = h.IClamp(soma(0.5))
            clamp.delay, clamp.dur, clamp.amp = 2, 20, 0.4 + 0.1 * number
            self.points.append(clamp)
        h.celsius = 17
        soma, dend = self.sections[:2]
        recorded = [segment._ref_v for section in self.sections for segment in (section(0.5),)]
        for name in names:
            made = next(one for one in h.List("KSChan") if one.name() == name)
            variables = [*(made.state(k).name() for k in range(int(made.nstate()))), "i"]
            recorded += [getattr(segment, f"_ref_{bare}_{name}") for segment in (soma(0.5), dend(0.7))
                         for bare in variables]
        for point in self.points:
            if points and point.hname().startswith(tuple(points)):
                recorded.append(point._ref_o)  # of i the ChannelBuilder of NEURON 8.2 loses the name
        self.traces = [h.Vector().record(ref) for ref in recorded]

    def set_calcium(self, times):
        for section in self.sections:
            for segment in section if h.ismembrane("ca_ion", sec=section) else ():
                segment.cai = times * 1e-4 * (1 + segment.x)

    def run(self, ends, is_here):
        self.set_calcium(1)
        h.finitialize(-65)
        self.set_calcium(3)  # so that what it binds to does not rest
        h.fcurrent()
        solve_in_parts(ends, is_here)
        return [np.array(trace) for trace in self.traces]


def is_same(name, got, wanted):
    apart = max(np.abs(ours - theirs).max() / max(np.ptp(theirs), 1e-12) if len(ours) == len(theirs) else np.inf
                for ours, theirs in zip(got, wanted))
    return check(name, apart <= MOST and wanted[0].max() > 0, f"{apart:.2g} of the range")


def all_channels():
    h.ion_register("ca", 2)
    sodium("nav")
    potassium()
    leak()
    scheme("nak", "na", gmax=0.01)
    scheme("cat", "ca", 2, gmax=1e-4)
    bound()
    scheme("opens", "NonSpecific", is_point=1, gate=False)
    scheme("perm", "ca", 2, is_point=1)
    moments = [3.025, 7.5, 8, 20, UNTIL]
    parts = (["nav", "kdr", "slow"], ()), (["nav", "kdr", "slow", "nak"], ()), \
        (["nav", "kdr", "slow", "cat", "kca"], ()), (["nav", "kdr", "slow"], ["opens", "perm"])
    for names, points in parts:
        session = Session(names, points)
        what = ", ".join([*names, *points])
        wanted = session.run([UNTIL], lambda _: False)
        yield is_same(what, session.run([UNTIL], lambda _: True), wanted)
        yield is_same(f"{what}, in parts", session.run(moments, lambda _: True), wanted)
        yield is_same(f"{what}, back and forth", session.run(moments, lambda part: part % 2 == 0), wanted)
        if names == ["nav", "kdr", "slow"] and not points:  # of schemes NEURON's threads share a matrix
            h.ParallelContext().nthread(2)
            yield is_same(f"{what}, two threads", session.run([UNTIL], lambda _: True), wanted)
            h.ParallelContext().nthread(1)
        del session
    sodium("tabled", (76, -90.0, 60.0))  # which NEURON's library did not know when it was loaded
    session = Session(["tabled", "kdr", "slow"])
    wanted = session.run([UNTIL], lambda _: False)
    yield is_same("by tables", session.run([UNTIL], lambda _: True), wanted)
    yield is_same("by tables, back and forth", session.run(moments, lambda part: part % 2 == 1), wanted)
    tabled = next(one for one in h.List("KSChan") if one.name() == "tabled")
    tabled.usetable(0)
    KEPT.append(h.Vector([1.2, 0.1, -41]))
    tabled.trans(0).set_f(0, LINOID, KEPT[-1])
    again = session.run([UNTIL], lambda _: False)
    good = np.abs(again[0] - wanted[0]).max() > 1
    yield good and is_same("with other rates", session.run([UNTIL], lambda _: True), again)
    single = scheme("single", "NonSpecific", is_point=1, gate=False)
    for k in (1, 2):
        single.state(k).frac(1)
    single.single(1)
    point = h.single(session.sections[0](0.5))
    yield refuses(session, "a single channel")
    del point
    slow = next(one for one in h.List("KSChan") if one.name() == "slow")
    slow.usetable(1)
    yield refuses(session, "a table of rates at some temperature")


def tables():
    """A number, Vectors, even steps and two arguments, and a Vector whose numbers change afterwards."""
    soma = h.Section(name="soma")
    soma.L = soma.diam = 20
    soma.insert("function_table")
    clamp, trace = h.IClamp(soma(0.5)), h.Vector().record(soma(0.5)._ref_v)
    clamp.delay, clamp.dur, clamp.amp = 1, 5, 0.1

    def run(is_here):
        h.finitialize(-65)
        solve_in_parts([UNTIL], lambda _: is_here)
        return np.array(trace)

    def is_good(what):
        wanted = run(False)
        apart = np.abs(run(True) - wanted).max()
        return check(f"FUNCTION_TABLEs of {what}", apart <= MOST * np.ptp(wanted) > 0, apart)

    voltages, parts = h.Vector([-100, -70, -65, -40, -10, 50]), h.Vector([0, 0.1, 0.2, 0.5, 0.9, 1])
    lags = h.Vector([9, 18, 4, 8, 1, 2, 1, 3])
    h.table_steady_function_table(parts, voltages)
    h.table_lag_function_table(3)
    yield is_good("Vectors and a number")
    parts.x[2] = 0.4
    yield is_good("a Vector that has changed")
    h.table_steady_function_table(parts._ref_x[0], 6, -80, -20)
    h.table_lag_function_table(lags._ref_x[0], 4, -100, 0, 2, 1, 2)
    yield is_good("even steps and two arguments")


def table_of_first_place():
    """NEURON makes a TABLE of its first instance's parameters, whichever others have."""
    soma, dend = h.Section(name="soma"), h.Section(name="dend")
    dend.connect(soma(1))
    soma.L = soma.diam = 20
    dend.L, dend.nseg = 100, 5
    clamp = h.IClamp(soma(0.5))
    clamp.delay, clamp.dur, clamp.amp = 1, 5, 0.1
    for section in (soma, dend):
        section.insert("table_of_first_place")
    traces = [h.Vector().record(segment._ref_v) for segment in (soma(0.5), dend(0.9))]

    def run(is_here):
        h.finitialize(-65)
        solve_in_parts([UNTIL / 2, UNTIL], lambda _: is_here)
        return [np.array(trace) for trace in traces]

    same, at = run(False), None
    for at, segment in enumerate([*dend, soma(0.5)]):
        segment.shift_table_of_first_place, segment.steepness_table_of_first_place = 7 - 3 * at, 5 + at
        wanted = run(False)
        apart = max(np.abs(ours - theirs).max() for ours, theirs in zip(run(True), wanted))
        yield check(f"TABLE of the first place, {at}", apart <= MOST * np.ptp(wanted[0]), apart)
    yield check("of which others are none", np.abs(same[0] - wanted[0]).max() > 0.1)


def ranged_reversal():
    """NEURON keeps an ion's numbers behind a mechanism's own, though its text shows them; and an ion that nothing uses any
    more does nothing."""
    cell = h.Section(name="cell")
    cell.L = cell.diam = 20
    for name in ("ranged_reversal", "pas", "own_ion"):
        cell.insert(name)
    cell.uninsert("own_ion")
    cell.ek, clamp = -81, h.IClamp(cell(0.5))
    clamp.delay, clamp.dur, clamp.amp = 1, 5, 0.3
    here = cell(0.5)
    traces = [h.Vector().record(one) for one in (here._ref_v, here.ranged_reversal._ref_n, here.ranged_reversal._ref_lag)]

    def run(is_here):
        h.finitialize(-65)
        solve_in_parts([UNTIL / 2, UNTIL], is_here)
        return [np.array(trace) for trace in traces]

    wanted = run(lambda _: False)
    for how, is_here in (("", lambda _: True), (" and back", lambda part: part == 0)):
        apart = max(np.abs(ours - theirs).max() for ours, theirs in zip(run(is_here), wanted))
        yield check(f"RANGE of an ion's numbers{how}", apart <= MOST * np.ptp(wanted[0]) > 0, apart)


def played():
    """Vectors that play into membranes, linear between times and in steps."""
    soma, dend = h.Section(name="soma"), h.Section(name="dend")
    dend.connect(soma(1))
    soma.L = soma.diam = 20
    dend.L, dend.diam, dend.nseg = 200, 2, 5
    for section in (soma, dend):
        section.insert("hh")
        section.insert("pas")
        for segment in section:
            segment.g_pas = 1e-4
    traces = [h.Vector().record(segment._ref_v) for segment in (soma(0.5), dend(0.7))]
    times, shifts = h.Vector([0, 2, 5, 5, 12, 40]), h.Vector([-65, -65, 20, -40, -80, -50])
    steps = h.Vector(np.where(np.arange(60) % 7 < 3, 0.12, 0.05))

    def run(ends, is_here):
        h.finitialize(-65)
        solve_in_parts(ends, is_here)
        return [np.array(trace) for trace in traces]

    for name, play in (
            ("linear", lambda: [shifts.play(segment._ref_e_pas, times, 1) for segment in dend]),
            ("steps", lambda: [steps.play(segment._ref_gnabar_hh, 0.5) for segment in (*soma, *list(dend)[:3])])):
        play()
        wanted = run([UNTIL], lambda _: False)
        moments = [1.025, 4.5, 5, 11.3, 20, UNTIL]
        for how, ends, is_here in (("", [UNTIL], lambda _: True), (", in parts", moments, lambda _: True),
                                   (", back and forth", moments, lambda part: part % 2 == 0)):
            apart = max(np.abs(ours - theirs).max() for ours, theirs in zip(run(ends, is_here), wanted))
            yield check(f"played into membranes, {name}{how}", apart <= MOST * np.ptp(wanted[0]) > 0, apart)
        shifts.play_remove()
        steps.play_remove()


def main():
    with tempfile.TemporaryDirectory(prefix="hillock-channels-") as folder:
        files = [pathlib.Path(__file__).resolve().parent / f"mechanisms/{name}.mod"
                 for name in ("function_table", "table_of_first_place", "ranged_reversal", "own_ion")]
        neuron_mods.load(h, files, pathlib.Path(folder) / "neuron")
        h.load_file("stdrun.hoc")
        hillock.neuron.enable()
        coreneuron.enable = False
        h.ParallelContext().set_maxstep(10)
        good = [*all_channels(), *tables(), *table_of_first_place(), *ranged_reversal(), *played()]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
