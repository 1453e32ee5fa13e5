#!/usr/bin/python3
"""Sessions whose mechanisms have POINTERs, on Hillock beside NEURON.

Mechanisms of a membrane and points with several POINTERs each: to states, to what is assigned, to parameters,
concentrations and voltages of their own place, evaluated before what they read and behind it, to other cells', and
to variables of hoc's. Whole, in parts, handed over and back, and after a change for which NEURON 8.2 lays its numbers
out anew. What cannot be taken is refused.
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
from neuron_run import ROOT, compare, refuses, solve_in_parts

UNTIL = 30

#: What is read: a state, two numbers that are assigned with currents and one with states, a concentration.
SOURCE = """
NEURON {{ {kind} {name}  RANGE level, seen, late, gain, i  {ions} NONSPECIFIC_CURRENT i }}
PARAMETER {{ gain = 1e-5  tau = 3 (ms) }}
ASSIGNED {{ v (mV)  seen  late  i  {others} }}
STATE {{ level {states} }}
INITIAL {{ level = v / 80  seen = 0  late = 0 }}
BREAKPOINT {{
  SOLVE going METHOD cnexp
  seen = v / 50 + t / 40
  i = gain * (seen + level)
}}
DERIVATIVE going {{
  late = level - t / 30
  level' = (v / 60 - level) / tau
  {goes}
}}
"""
#: Without currents: BREAKPOINT comes with the states. It sees whether NEURON's clock has come to a tenth of a ms.
IDLE = """
NEURON {{ SUFFIX {name}  RANGE seen }}
ASSIGNED {{ v (mV)  seen }}
INITIAL {{ seen = 0 }}
BREAKPOINT {{
  seen = v / 40 - t / 50
  if (10 * t - floor(10 * t) < 0.5) {{ seen = seen + 0.01 }}
}}
"""
#: What reads, with currents and with states; one number is written, too.
READER = """
NEURON {{ {kind} {name}  POINTER p, q  POINTER r, w  RANGE s, i, scale  NONSPECIFIC_CURRENT i }}
PARAMETER {{ scale = {scale} }}
ASSIGNED {{ v (mV)  p  q  r  w  i }}
STATE {{ s }}
INITIAL {{ s = 0.1 }}
BREAKPOINT {{
  SOLVE going METHOD cnexp
  {writes}
  i = scale * (v + 60 + 10 * s + 3 * p - 2 * q + r)
}}
DERIVATIVE going {{ s' = (p - q + r / 50 - s) / 4 }}
"""
#: Of a membrane, between those that read it by name.
KINDS = {
    "m_source": SOURCE.format(kind="SUFFIX", name="m_source", ions="", others="", states="", goes=""),
    "m_pool": SOURCE.format(kind="SUFFIX", name="m_pool", ions="USEION ca READ cai WRITE cai", others="",
                            states="cai (mM)", goes="cai' = (1e-4 - cai + 1e-6 * level) / 5"),
    "m_idle": IDLE.format(name="m_idle"),
    "n_written": "NEURON { SUFFIX n_written  RANGE n  NONSPECIFIC_CURRENT i }\nASSIGNED { v (mV)  n  i }\n"
                 "INITIAL { n = 0 }\nBREAKPOINT { i = 1e-5 * n }",
    "m_point": SOURCE.format(kind="POINT_PROCESS", name="m_point", ions="", others="", states="", goes=""),
    **{name: READER.format(kind="SUFFIX", name=name, scale=1e-5, writes="w = v + p")
       for name in ("a_reads", "z_reads")},
    **{name: READER.format(kind="POINT_PROCESS", name=name, scale=1e-3, writes="")
       for name in ("b_point", "y_point")},
    # Of a membrane, to what is elsewhere, and to variables of hoc's.
    "far_reads": """
NEURON { SUFFIX far_reads  POINTER p, q, fixed, played  RANGE s  NONSPECIFIC_CURRENT i }
ASSIGNED { v (mV)  p  q  fixed  played  i }
STATE { s }
INITIAL { s = 0 }
BREAKPOINT {
  SOLVE going METHOD cnexp
  i = 1e-5 * (v + 60 + 1e4 * p + q / 100 + fixed * played)
}
DERIVATIVE going { s' = (played - s) / 3 + fixed }
""",
    "from_hoc": "NEURON { SUFFIX from_hoc  POINTER p  NONSPECIFIC_CURRENT i }\nASSIGNED { p  i }\n"
                "BREAKPOINT { if (t > 100) { i = p } }",
}


class Session:
    """Three cells of a soma and a dendrite."""

    def __init__(self):
        self.sections, self.points, self.clamps, self.netcons, self.spikes = [], [], [], [], []
        for i in range(3):
            soma, dend = h.Section(name=f"soma{i}"), h.Section(name=f"dend{i}")
            soma.L = soma.diam = 20
            dend.L, dend.diam, dend.nseg = 150, 2, 3
            dend.connect(soma(1))
            soma.insert("hh")
            for section in (soma, dend):
                for name in ("m_source", "m_pool", "m_idle", "n_written", "a_reads", "z_reads"):
                    section.insert(name)
            self.sections += [soma, dend]
            self.clamps.append(h.IClamp(soma(0.5)))
            self.clamps[-1].delay, self.clamps[-1].dur, self.clamps[-1].amp = 1 + i, 20, 0.2
            for place in (soma(0.5), dend(0.5)):
                self.points += [h.m_point(place), h.b_point(place), h.y_point(place)]
            self.netcons.append(h.NetCon(soma(0.5)._ref_v, None, sec=soma))
            self.spikes.append(h.Vector())
            self.netcons[-1].record(self.spikes[-1])
        self.point()
        recorded = [place for section in self.sections for place in
                    (section(0.5)._ref_v, section(0.5)._ref_s_a_reads, section(0.5)._ref_s_z_reads,
                     section(0.5)._ref_n_n_written)]
        self.traces = [h.Vector().record(one) for one in [*recorded, *(point._ref_i for point in self.points)]]

    def point(self):
        """All POINTERs stand for something."""
        for section in self.sections:
            for place in section:
                for reader in (place.a_reads, place.z_reads):
                    first = reader.name() == "a_reads"
                    reader._ref_p = place.m_source._ref_seen if first else place.m_source._ref_level
                    reader._ref_q = place.m_idle._ref_seen if first else place.m_pool._ref_late
                    reader._ref_r = place.ca_ion._ref_cai if first else place._ref_v
                    reader._ref_w = place.n_written._ref_n if first else place.z_reads._ref_i
        for k in range(0, len(self.points), 3):
            source, *readers = self.points[k:k + 3]
            place, beyond = source.get_segment(), self.sections[(k + 2) % 6](0.5)
            for reader in readers:
                reader._ref_p = source._ref_seen if readers[0] is reader else place.m_source._ref_level
                reader._ref_q = place.m_source._ref_gain
                reader._ref_r = beyond._ref_v
                reader._ref_w = source._ref_late

    def see_far(self):
        """Dendrites read of the other cells' somata, and variables of hoc's."""
        h("fixed_ = 0.2\nplayed_ = 0")
        times = h.Vector().indgen(0, UNTIL + 5, 0.7)
        self.kept = times, h.Vector(np.sin(np.array(times)))
        self.kept[1].play(h._ref_played_, times, 1)
        for k in (1, 3, 5):
            soma, dend = self.sections[(k + 1) % 6], self.sections[k]
            dend.insert("far_reads")
            for place in dend:
                reader = place.far_reads
                reader._ref_p, reader._ref_q = soma(0.5)._ref_cai, self.sections[(k + 3) % 6](0.5)._ref_v
                reader._ref_fixed, reader._ref_played = h._ref_fixed_, h._ref_played_
            self.traces.append(h.Vector().record(dend(0.5).far_reads._ref_s))

    def run(self, moments, is_here):
        """Traces, spikes and states at the end; is_here: of each part whether it runs on Hillock."""
        h.stdinit()
        solve_in_parts(moments, is_here)
        times = [(time, number) for number, vector in enumerate(self.spikes) for time in vector]
        states = {f"{place}.{name}": getattr(getattr(place, mechanism), name)
                  for section in self.sections for place in section
                  for mechanism, name in (("m_source", "level"), ("a_reads", "s"), ("z_reads", "s"), ("n_written", "n"),
                                          ("m_source", "seen"), ("m_idle", "seen"), ("ca_ion", "cai"))}
        return [np.array(trace) for trace in self.traces], tuple(np.array(sorted(times)).reshape(-1, 2).T), states


def runs():
    h.ParallelContext().set_maxstep(1)
    h.CVode().cache_efficient(0)
    session = Session()
    wanted = session.run([UNTIL], lambda _: False)
    yield compare("POINTERs", session.run([UNTIL], lambda _: True), wanted)
    moments = [0.5, 3, 7.025, 12, 20, UNTIL]
    for name, first in (("POINTERs, handed over and back", 0), ("POINTERs, back and handed over", 1)):
        yield compare(name, session.run(moments, lambda part: part % 2 == first), wanted)
    handler = h.FInitializeHandler(lambda: [h.CVode().event(1.5 + 7 * k, lambda: None) for k in range(4)])
    yield compare("POINTERs, in parts", session.run([UNTIL], lambda _: True), wanted)
    del handler
    other = h.Section(name="another")
    other.insert("m_source")
    yield compare("POINTERs, beside a new section", session.run(moments, lambda part: part % 2 == 0), wanted)
    yield compare("POINTERs of NEURON's, which it laid out", session.run([UNTIL], lambda _: False), wanted)
    place = session.sections[1](0.5)
    known = place.m_source._ref_level
    for what, to in (("of a membrane to elsewhere", session.sections[1](0.9).m_source._ref_level),
                     ("that differs within a cell", place.m_source._ref_seen)):
        place.z_reads._ref_p = to
        yield refuses(session, f"a POINTER {what}")
    place.z_reads._ref_p = known
    yield compare("POINTERs, back where they were", session.run([UNTIL], lambda _: True), wanted)
    source = session.sections[2](0.5).m_source
    session.points[2]._ref_r, session.points[1]._ref_r = source._ref_level, source._ref_gain
    wanted = session.run([UNTIL], lambda _: False)
    yield compare("POINTERs to states elsewhere", session.run(moments, lambda part: part % 2 == 0), wanted)
    session.points[1]._ref_r = source._ref_level
    yield refuses(session, "a POINTER to what has changed and to what will elsewhere")
    for k in range(0, len(session.points), 3):
        session.points[k + 1]._ref_r = session.sections[(k + 2) % 6](0.5).m_source._ref_level
    wanted = session.run([UNTIL], lambda _: False)
    yield compare("POINTERs to states that change behind them elsewhere",
                  session.run(moments, lambda part: part % 2 == 0), wanted)
    for k in range(0, len(session.points), 3):
        session.points[k + 1]._ref_r = session.sections[(k + 2) % 6](0.5)._ref_v
    session.points[1]._ref_r = source._ref_gain
    session.points[1]._ref_p = source._ref_gain
    yield refuses(session, "two POINTERs of a point to elsewhere")
    session.points[1]._ref_p = session.points[0]._ref_seen
    session.see_far()
    wanted = session.run([UNTIL], lambda _: False)
    yield compare("POINTERs of a membrane to elsewhere and to hoc's", session.run([UNTIL], lambda _: True), wanted)
    for name, first in (("the same, handed over and back", 0), ("the same, back and handed over", 1)):
        yield compare(name, session.run(moments, lambda part: part % 2 == first), wanted)

    def sets():
        h.fixed_ = 0.2 + h.t / 100
        if h.t < 20:
            h.CVode().event(h.t + 7, sets)

    handler = h.FInitializeHandler(sets)
    wanted = session.run([UNTIL], lambda _: False)
    yield compare("POINTERs to what hoc's events set", session.run([UNTIL], lambda _: True), wanted)
    del handler
    session.kept[1].play(h._ref_played_, 0.7)
    yield refuses(session, "a POINTER to what is played into in steps")
    session.kept[1].play_remove()
    other.insert("from_hoc")
    yield refuses(session, "a POINTER to nothing")
    number = h.Vector(1)
    other(0.5).from_hoc._ref_p = number._ref_x[0]
    yield refuses(session, "a POINTER to a number of hoc's")


def main():
    with tempfile.TemporaryDirectory(prefix="hillock-pointers-") as folder:
        os.environ.setdefault("HILLOCK_CACHE", str(pathlib.Path(folder) / "cache"))
        files = sorted(neuron_mods.written(KINDS, folder))  # NEURON evaluates them in this order
        neuron_mods.load(h, files, pathlib.Path(folder) / "neuron")
        h.load_file("stdrun.hoc")
        hillock.neuron.enable()
        coreneuron.enable = False
        good = list(runs())
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
