"""Runs the table of mechanism cases in NEURON and, as far as it has their mechanisms, in Hillock.

Neuron.run(case, dt) and Hillock.run(case, dt) both return {name: array}: "t" and "v" in ms and mV, every recorded
variable by its name with one sample a step (the first after initialisation, before any step), and "events", the
times of the mechanism's own events where the case has a drive.

  /usr/bin/python3 tests/peer/mechanisms_neuron.py [case ...] [--write FOLDER] [--dt MS] [--integrator NAME]

Checks that every trace is finite and that every variable moves; writes FOLDER/<case>.npz on request.  Cases whose
mechanisms Hillock has are run in both and compared, with backward_euler and with crank_nicolson.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import neuron_mods
from parity import REPOSITORY, Output, load_neuron, need_hillock
from mechanism_cases import (CASES, CONSTANT, DIAMETER_UM, DT, LEAK, LENGTH_UM, MOMENTS, V_INIT,
                             path_of)

import numpy as np


SECOND_ORDER = {"backward_euler": 0, "crank_nicolson": 2}  # NEURON's secondorder


class _UnitsOfFile:
    """The units of a file's variables as its declarations say, "1" where they do not."""

    def __init__(self, path):
        self.text = path.read_text()

    def __contains__(self, name):
        return re.search(rf"\b{re.escape(name.partition('[')[0])}\b", self.text) is not None

    def __getitem__(self, name):
        found = re.search(rf"(?:^|{{)\s*{re.escape(name)}\s*=\s*[-+.\w]+\s*\(([^)]*)\)", self.text, re.MULTILINE)
        return found.group(1) if found else "1"


class Hillock:
    """The same cases in Hillock: its own mechanisms, and files that the model names."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        listed = self._output("mech", "list")
        self.known = {line.split()[0] for line in listed.splitlines()}
        self.units = {}  # {mechanism: {variable: unit}}

    def _output(self, *words):
        done = subprocess.run([str(self.program), *map(str, words)], capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"hillock {' '.join(map(str, words))}: {done.stderr}")
        return done.stdout

    def _units(self, mechanism):
        if mechanism not in self.known:
            return _UnitsOfFile(path_of(mechanism))
        if mechanism not in self.units:
            lines = self._output("mech", "show", mechanism).splitlines()
            table = lines[next(i for i, line in enumerate(lines) if line.startswith("variable")) + 1:]
            self.units[mechanism] = {words[0]: words[2] for words in map(str.split, table)}
        return self.units[mechanism]

    def knows(self, case):
        # A second leak at one place; a POINTER stands for a variable at the same place.
        return case.mechanism != "pas" and not case.other_current

    def _use(self, mechanism, parameters):
        units = self._units(mechanism)
        return {mechanism: {key: value if isinstance(value, str) or units[key] == "1" else f"{value!r} {units[key]}"
                            for key, value in parameters.items()}}

    def _use_of(self, case):
        return self._use(case.mechanism, case.parameters | case.globals | case.pointers)

    def _tables(self, case):
        return {name: {"values": np.reshape(values, [count for count, _, _ in axes]).tolist(),
                       "from": [first for _, first, _ in axes], "to": [last for _, _, last in axes]}
                for name, (values, *axes) in case.tables.items()}

    def _events(self, case):
        """What reaches the mechanism, and what its own events do."""
        weight = re.search(r"NET_RECEIVE\s*\(\w+ \(uS\)", case.path.read_text()) if case.connections else None
        target = {"to": "own"} if case.kind == "artificial_cell" else {
            "to": "one", "synapse": {**self._use_of(case), "at": "soma(0.5)", "shared": case.shares_instance}}
        stimuli = [{"spikes": {"times": [f"{t!r} ms" for t in connection.times]}, **target,
                    "weight": f"{connection.weight!r} uS" if weight else connection.weight,
                    **({"arguments": {name: f"{value!r} {unit}".strip()
                                      for name, (value, unit) in connection.arguments.items()}}
                       if connection.arguments else {})}
                   for connection in case.connections]
        if not case.drive:
            return stimuli, []
        drive = case.drive
        return stimuli, [{"from": "own" if case.kind == "artificial_cell" else "one", "to": "one",
                          "connect": {"one_to_one": {}, "autapses": True}, "delay": f"{drive.delay!r} ms",
                          "weight": f"{drive.weight!r} uS",
                          "synapse": {"expsyn": {"tau": f"{drive.tau!r} ms", "e": "0 mV"}, "at": "soma(0.5)"}}]

    def model(self, case, dt):
        """The case as a model, and {recorded name: population}."""
        soma = {"cm": "1 uF/cm2", "Ra": "100 ohm.cm", **self._use("pas", LEAK)}
        for name, values in case.companions.items():
            soma |= self._use(name, values)
        if case.kind == "density":
            soma |= self._use_of(case)
        if case.ions:
            words = {"e": ("reversal", "mV"), "inside": ("inside", "mM"), "outside": ("outside", "mM")}
            soma["ions"] = {ion: {words[key][0]: f"{value!r} {words[key][1]}" for key, value in values.items()}
                            for ion, values in case.ions.items()}
        stimuli, projections = self._events(case)
        if case.kind == "point_process" and not case.connections:
            stimuli.append({"point": {**self._use_of(case), "at": "soma(0.5)"}, "to": "one"})
        stimuli += [{"iclamp": {"amplitude": f"{nA!r} nA", "start": f"{start!r} ms", "duration": f"{duration!r} ms"},
                     "to": "one", "at": "soma(0.5)"} for start, duration, nA in case.current]
        if case.voltage:
            levels, durations, resistance = case.voltage
            stimuli.append({"seclamp": {"levels": [f"{v!r} mV" for v in levels],
                                        "durations": [f"{t!r} ms" for t in durations], "rs": f"{resistance!r} MOhm"},
                            "to": "one", "at": "soma(0.5)"})
        cells = {"cell": {"morphology": {"branches": [{"name": "soma", "length": f"{LENGTH_UM!r} um",
                                                       "diameter": f"{DIAMETER_UM!r} um"}]},
                          "discretization": {"per_branch": 1}, "regions": {"all": soma},
                          # Only a mechanism's own events are spikes of this cell.
                          "detector": {"at": "soma(0.5)", "threshold": "1000 mV"}}}
        populations = {"one": {"cell": "cell", "size": 1}}
        at = {"one": {"of": "one", "at": "soma(0.5)"}, "own": {"of": "own"}}
        owner = "one"
        if case.kind == "artificial_cell":
            owner = "own"
            cells["own"] = {"artificial": self._use_of(case)}
            populations["own"] = {"cell": "own", "size": 1}
        names = {"v": ("v", "one")} | {name: (f"{case.mechanism}.{name}", owner) for name in case.record
                                       if name in self._units(case.mechanism)}
        names |= {name: (name, "one") for name in case.record_compartment}
        own = sorted(str(path_of(name)) for name in {case.mechanism, *case.companions} - self.known)
        files = [{"file": file, "use_tables": case.use_tables, "derivative": case.derivative,
                  **({"tables": self._tables(case)} if case.tables and file == str(case.path) else {})}
                 for file in own]
        model = {"hillock": 1, "mechanisms": files,
                 "run": {"duration": f"{case.duration + dt!r} ms", "dt": f"{dt!r} ms", "v_init": f"{V_INIT!r} mV",
                         "temperature": f"{case.celsius!r} degC", "integrator": case.integrator},
                 "cells": cells, "populations": populations, "projections": projections, "stimuli": stimuli,
                 "record": [{"name": f"r{i}", "variable": variable, **at[population], "every": f"{dt!r} ms",
                             "type": "float64"} for i, (variable, population) in enumerate(names.values())]}
        if case.drive:
            model["record"].append({"name": "events", "of": owner})
        return model, {name: population for name, (_, population) in names.items()}

    def run(self, case, dt=DT):
        """Traces, or None where Hillock cannot run the case."""
        if not self.knows(case):
            return None
        model, populations = self.model(case, dt)
        path, out = self.folder / f"{case.name}.yaml", self.folder / f"{case.name}.out"
        path.write_text(json.dumps(model))
        self._output("run", path, "-o", out, "--force", "--quiet")
        found = {}
        for i, (name, population) in enumerate(populations.items()):
            times, data = Output(out).trace(f"r{i}", population)
            found[name] = data[:, 0]
            found["t"] = times
        if case.drive:
            events = Output(out).spikes("own" if case.kind == "artificial_cell" else "one").get(0, np.array([]))
            found["events"] = events[events <= case.duration + 1e-9]
        return found


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
        self.switches = [switch for switch in (f"usetable_{neuron_mods.neuron_name(path.stem)}" for path in files)
                         if hasattr(self.h, switch)]

    def run(self, case, dt=DT):
        for switch in self.switches:
            setattr(self.h, switch, int(case.use_tables))
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
            where, _, variable = target.rpartition(".")
            owner = (self.section(0.5) if not where else self.there(0.5) if where == "there"
                     else getattr(self.section(0.5), where))
            self.h.setpointer(getattr(owner, f"_ref_{variable}"), name, self.mechanism)

    def _events(self):
        self.queue, self.events = [], None
        for connection in self.case.connections:
            source = self.h.NetCon(None, self.mechanism)
            source.weight[0], source.delay = connection.weight, 0
            for place, (value, _) in enumerate(connection.arguments.values(), 1):
                source.weight[place] = value
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

        h.celsius, h.secondorder, h.dt = case.celsius, SECOND_ORDER[case.integrator], self.dt
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
        elif name != "t" and name in ours:
            span = np.ptp(trace) or max(abs(trace).max(), 1e-300)
            apart[name] = float(np.abs(ours[name][:len(trace)] - trace).max() / span)
    return apart


def compare_moments(case, ours, theirs):
    """{variable: by how much mean or spread differ, as a part of what chance allows}"""
    apart = {}
    for name in case.record:
        if name == "i":  # follows the voltage, whose values hang together
            continue
        one, other = ours[name][1:], theirs[name][1:]
        mean = abs(one.mean() - other.mean()) / (5 * np.hypot(one.std(), other.std()) / np.sqrt(len(other)))
        apart[name] = max(mean, abs(one.std() / other.std() - 1) / 0.1)
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
    parser.add_argument("--integrator", choices=SECOND_ORDER, help="default: one after the other")
    options = parser.parse_args()
    unknown = set(options.cases) - set(CASES)
    if unknown:
        parser.error(f"no such case: {' '.join(sorted(unknown))}")
    integrators = [options.integrator] if options.integrator else list(SECOND_ORDER)
    chosen = [dataclasses.replace(CASES[name], name=f"{name}.{integrator}", integrator=integrator)
              for integrator in integrators for name in options.cases or CASES
              if integrator in CASES[name].integrators]
    program = pathlib.Path(os.environ.get("HILLOCK", REPOSITORY / "build/release/hillock"))
    need_hillock(program)
    if options.write:
        options.write.mkdir(parents=True, exist_ok=True)
    failed = 0
    with tempfile.TemporaryDirectory(prefix="hillock-mods-") as folder:
        neuron = Neuron(chosen, pathlib.Path(folder))
        hillock, compared = Hillock(program, pathlib.Path(folder)), 0
        for case in chosen:
            if case.needs_neuron > neuron.version:
                print(f"left out: {case.name} needs NEURON {case.needs_neuron}")
                continue
            theirs = neuron.run(case, options.dt)
            wrong = list(trouble_of(case, theirs))
            ours = hillock.run(case, options.dt)
            if ours is not None and case.agreement is not None:
                compared += 1
                drawn = case.agreement is MOMENTS
                apart_by = compare_moments(case, ours, theirs) if drawn else compare(ours, theirs)
                wrong += [f"{name} differs by {apart:.2g} of {'what chance allows' if drawn else 'its range'}"
                          for name, apart in apart_by.items() if not apart <= (1 if drawn else case.agreement)]
            failed += bool(wrong)
            v = theirs["v"]
            both = "both" if ours is not None else "    "
            print(f"{'FAIL' if wrong else 'ok  '} {both} {case.name:45} v {v.min():8.3f} .. {v.max():8.3f} mV"
                  f"{''.join('; ' + text for text in wrong)}")
            if options.write:
                options.write.mkdir(parents=True, exist_ok=True)
                np.savez(options.write / f"{case.name}.npz", **theirs)
    print(f"{len(chosen)} cases, {compared} of them in both programs, {failed} failed")
    if not options.cases and compared < 20:
        print(f"FAIL only {compared} cases were compared")
        failed += 1
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
