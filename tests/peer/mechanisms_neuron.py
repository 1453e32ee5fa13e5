"""Runs the table of mechanism cases in NEURON; the other program plugs in beside it.

run_neuron(case, dt) and run_hillock(case, dt) both return {name: array}: "t" and "v" in ms and mV, every recorded
variable by its name with one sample a step (the first after initialisation, before any step), and "events", the
times of the mechanism's own events where the case has a drive.

  /usr/bin/python3 tests/peer/mechanisms_neuron.py [case ...] [--write FOLDER] [--dt MS]

Checks that every trace is finite and that every variable moves; writes FOLDER/<case>.npz on request.  When
run_hillock is there, compare() says how far the two are apart.
"""

import argparse
import pathlib
import re
import sys
import tempfile

import neuron_mods
from parity import load_neuron
from mechanism_cases import (CASES, CONSTANT, DIAMETER_UM, DT, LEAK, LENGTH_UM, MOMENTS, V_INIT,
                             path_of)

import numpy as np


def run_hillock(case, dt=DT):
    """The same case in Hillock, or None where it cannot run it (yet)."""
    return None


class Neuron:
    """NEURON with the mechanisms of the cases loaded."""

    def __init__(self, cases, folder):
        self.h = load_neuron()
        version = re.match(r"\d+", self.h.nrnversion(0).removeprefix("NEURON -- VERSION "))
        self.version = int(version.group()) if version else 8
        used = {case.path for case in cases if case.needs_neuron <= self.version}
        for case in cases:
            used |= {path_of(name) for name in case.companions}
        files = sorted({path for path in used if path.exists()} | {path_of("expsyn")})
        neuron_mods.load(self.h, files, folder)
        for path in files:  # tables off
            switch = f"usetable_{neuron_mods.neuron_name(path.stem)}"
            if hasattr(self.h, switch):
                setattr(self.h, switch, 0)

    def run(self, case, dt=DT):
        return _Run(self.h, case, dt).traces()


class _Run:
    """One compartment, what a case puts on it, and the recordings."""

    def __init__(self, h, case, dt):
        self.h, self.case, self.dt, self.keep = h, case, dt, []
        self.section = self._compartment("soma")
        self.there = self._compartment("there") if case.other_current else None
        for name, parameters in case.companions.items():
            self._insert(name, parameters)
        if case.kind == "density":
            self._insert(case.mechanism, case.parameters)
            self.mechanism = getattr(self.section(0.5), neuron_mods.neuron_name(case.mechanism))
        else:
            maker = getattr(h, case.mechanism)
            self.mechanism = maker() if case.kind == "artificial_cell" else maker(self.section(0.5))
            for key, value in case.parameters.items():
                setattr(self.mechanism, key, value)
        for key, value in case.globals.items():
            setattr(h, f"{key}_{case.mechanism}", value)
        self._ions()
        self._tables()
        self._clamps()
        self._pointers()
        self._events()

    def _compartment(self, name):
        section = self.h.Section(name=name)
        section.L, section.diam, section.cm, section.Ra = LENGTH_UM, DIAMETER_UM, 1.0, 100.0
        section.insert("pas")
        section(0.5).pas.g, section(0.5).pas.e = LEAK["g"], LEAK["e"]
        return section

    def _insert(self, name, parameters):
        name = neuron_mods.neuron_name(name)
        self.section.insert(name)
        for key, value in parameters.items():
            setattr(getattr(self.section(0.5), name), key, value)

    def _ions(self):
        segment = self.section(0.5)
        for ion, values in self.case.ions.items():
            if "e" in values:
                setattr(segment, f"e{ion}", values["e"])
            for side, letter in (("inside", "i"), ("outside", "o")):
                if side in values:
                    setattr(self.h, f"{ion}{letter}0_{ion}_ion", values[side])
                    if hasattr(segment, f"{ion}{letter}"):  # a constant where nothing writes it
                        setattr(segment, f"{ion}{letter}", values[side])

    def _tables(self):
        for name, (values, *axes) in self.case.tables.items():
            data = self.h.Vector(values)
            self.keep.append(data)
            arguments = [number for axis in axes for number in axis]
            # (values, n, first, last, ...); the last argument's index moves fastest
            getattr(self.h, f"table_{name}_{self.case.mechanism}")(data._ref_x[0], *arguments)

    def _clamps(self):
        for section, pulses in ((self.section, self.case.current), (self.there, self.case.other_current)):
            for start, duration, amplitude in pulses:
                clamp = self.h.IClamp(section(0.5))
                clamp.delay, clamp.dur, clamp.amp = start, duration, amplitude
                self.keep.append(clamp)
        if self.case.voltage:
            levels, durations, resistance = self.case.voltage
            clamp = self.h.SEClamp(self.section(0.5))
            clamp.rs = resistance
            clamp.amp1, clamp.amp2, clamp.amp3 = levels
            clamp.dur1, clamp.dur2, clamp.dur3 = durations
            self.keep.append(clamp)

    def _pointers(self):
        for name, target in self.case.pointers.items():
            where, variable = target.split(".")
            owner = self.there(0.5) if where == "there" else getattr(self.section(0.5), where)
            self.h.setpointer(getattr(owner, f"_ref_{variable}"), name, self.mechanism)

    def _events(self):
        self.queue, self.events = [], None
        for connection in self.case.connections:
            source = self.h.NetCon(None, self.mechanism)
            source.weight[0], source.delay = connection.weight, 0
            self.keep.append(source)
            self.queue += [(source, time) for time in connection.times]
        if self.case.drive:
            synapse = self.h.expsyn(self.section(0.5))
            synapse.tau, synapse.e = self.case.drive.tau, 0
            driven = self.h.NetCon(self.mechanism, synapse)
            driven.weight[0], driven.delay = self.case.drive.weight, self.case.drive.delay
            self.events = self.h.Vector()
            driven.record(self.events)
            self.keep += [synapse, driven]

    def traces(self):
        h, case, segment = self.h, self.case, self.section(0.5)
        recorded = {"t": h.Vector().record(h._ref_t), "v": h.Vector().record(segment._ref_v)}
        for name in case.record_compartment:
            recorded[name] = h.Vector().record(getattr(segment, f"_ref_{name}"))
        arrays = {}
        for name in case.record:
            element = re.fullmatch(r"(\w+)\[(\d+)\]", name)
            if element:
                arrays[name] = []
            else:
                recorded[name] = h.Vector().record(getattr(self.mechanism, f"_ref_{name}"), sec=self.section)

        def sample_arrays():
            for name, values in arrays.items():
                variable, index = re.fullmatch(r"(\w+)\[(\d+)\]", name).groups()
                values.append(getattr(self.mechanism, variable)[int(index)])

        h.celsius, h.secondorder, h.dt = case.celsius, 0, self.dt
        handler = h.FInitializeHandler(lambda: [source.event(time) for source, time in self.queue])
        h.finitialize(V_INIT)
        sample_arrays()
        for _ in range(round(case.duration / self.dt)):
            h.fadvance()
            sample_arrays()
        del handler
        found = {name: np.array(vector) for name, vector in recorded.items()}
        found |= {name: np.array(values) for name, values in arrays.items()}
        if self.events is not None:
            found["events"] = np.array(self.events)
        return found


def compare(ours, theirs):
    """{variable: largest difference as a part of the trace's range}"""
    apart = {}
    for name, trace in theirs.items():
        if name == "events":
            same = len(ours[name]) == len(trace)
            apart[name] = float(np.abs(ours[name] - trace).max(initial=0)) if same else np.inf
        elif name != "t":
            span = np.ptp(trace) or max(abs(trace).max(), 1e-300)
            apart[name] = float(np.abs(ours[name] - trace).max() / span)
    return apart


def trouble_of(case, traces):
    """What is wrong with NEURON's traces themselves."""
    steps = None
    for name, trace in traces.items():
        if not np.isfinite(trace).all():
            yield f"{name} is not finite"
        if name == "events":
            if not len(trace):
                yield "no event of its own"
            continue
        steps = steps or len(trace)
        if len(trace) != steps:
            yield f"{name} has {len(trace)} samples, t has {steps}"
        moved = np.ptp(trace) / max(abs(trace).max(), 1e-300) if len(trace) else 0
        if moved < 1e-3 and (case.mechanism, name) not in CONSTANT:
            yield f"{name} hardly moves ({trace[0]:g}, by {np.ptp(trace):.2g})"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", nargs="*", help="default: all")
    parser.add_argument("--write", type=pathlib.Path, help="folder for one .npz a case")
    parser.add_argument("--dt", type=float, default=DT)
    options = parser.parse_args()
    unknown = set(options.cases) - set(CASES)
    if unknown:
        parser.error(f"no such case: {' '.join(sorted(unknown))}")
    chosen = [CASES[name] for name in options.cases or CASES]
    failed = 0
    with tempfile.TemporaryDirectory(prefix="hillock-mods-") as folder:
        neuron = Neuron(chosen, pathlib.Path(folder))
        for case in chosen:
            if case.needs_neuron > neuron.version:
                print(f"left out: {case.name} needs NEURON {case.needs_neuron}")
                continue
            theirs = neuron.run(case, options.dt)
            wrong = list(trouble_of(case, theirs))
            ours = run_hillock(case, options.dt)
            if ours is not None and case.agreement not in (None, MOMENTS):
                wrong += [f"{name} differs by {apart:.2g} of its range"
                          for name, apart in compare(ours, theirs).items() if not apart <= case.agreement]
            failed += bool(wrong)
            v = theirs["v"]
            print(f"{'FAIL' if wrong else 'ok  '} {case.name:32} v {v.min():8.3f} .. {v.max():8.3f} mV"
                  f"{''.join('; ' + text for text in wrong)}")
            if options.write:
                options.write.mkdir(parents=True, exist_ok=True)
                np.savez(options.write / f"{case.name}.npz", **theirs)
    print(f"{len(chosen)} cases, {failed} failed")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
