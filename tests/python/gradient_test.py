"""hillock.gradient: derivatives of runs beside differences."""

import json
import os
import resource
import subprocess
import unittest
import zlib

import numpy as np

import hillock

R = "cells.pyr.regions."


def random_tree(rng):
    """A soma and four branches anywhere."""
    names, branches = ["soma"], [{"name": "soma", "length": "20 um", "diameter": "20 um"}]
    for k in range(4):
        branches.append({"name": f"dend[{k}]", "parent": names[rng.integers(len(names))],
                         "length": f"{rng.uniform(20, 200):.3f} um", "diameter": f"{rng.uniform(0.5, 3):.3f} um"})
        names.append(f"dend[{k}]")
    return branches


def cell_of(rng, integrator="backward_euler", regions=None, stimuli=(), record=()):
    """A model, and values of it by which it may be derived."""
    model = {
        "hillock": 1,
        "run": {"duration": "15 ms", "integrator": integrator, "temperature": "20 degC"},
        "cells": {"pyr": {
            "morphology": {"branches": random_tree(rng)}, "discretization": {"max_length": f"{rng.integers(15, 100)} um"},
            "regions": {"all": {"cm": "1 uF/cm2", "Ra": "100 ohm.cm", "pas": {"g": "5e-5 S/cm2", "e": "-65 mV"}},
                        **(regions or {})}}},
        "populations": {"exc": {"cell": "pyr", "size": 1}},
        "stimuli": [{"iclamp": {"amplitude": "0.1 nA", "start": "1 ms", "duration": "9 ms"}, "to": "exc",
                     "at": "soma(0.5)"}, *stimuli],
        "record": [{"name": "v", "of": "exc", "variable": "v", "at": "all", "every": "0.25 ms", "type": "float64"}, *record]}
    values = {R + "all.cm": 1.1, R + "all.Ra": 120, R + "all.pas.g": 6e-5, R + "all.pas.e": -64,
              "stimuli.0.iclamp.amplitude": 0.12, "run.v_init": -66}
    return model, values


def train(mechanism, parameters):
    return {"spikes": {"times": ["1.3 ms", "4 ms", "4.01 ms"]}, "to": "exc",
            "synapse": {mechanism: parameters, "at": "dend[1](0.5)"}, "weight": "1 nS"}


class Gradient(unittest.TestCase):
    def check(self, model, values, weights, directions):
        """Derivatives along directions beside differences of fourth order, whose step is what comes nearest: a large one
        misses, a small one rounds. Returns the derivatives by each value."""
        run = hillock.DerivedRun(model, values)
        by = {name: weights(name, trace.shape) for name, trace in run.traces.items()}
        gradient = run.vjp(by)
        size = np.sqrt(sum((gradient[path] * values[path]) ** 2 for path in values))

        def loss(moved):
            results = hillock.run(hillock.load(model, set={path: values[path] + moved.get(path, 0) for path in values}),
                                  backend="cpu")
            return sum(np.sum(by[name] * (results[name].data - trace)) for name, trace in run.traces.items())

        for direction in directions:
            along = sum(gradient[path] * by_path for path, by_path in direction.items())
            away = []
            for step in (1e-3, 1e-4, 1e-5, 1e-6):
                at = {k: loss({path: k * step * by_path for path, by_path in direction.items()}) for k in (-2, -1, 1, 2)}
                away.append(abs((at[-2] - 8 * at[-1] + 8 * at[1] - at[2]) / (12 * step) - along))
            self.assertLess(min(away), 1e-6 * abs(along) + 1e-9 * size, (direction, along, away, size))
        return gradient

    def test_catalogue(self):
        undone, refused = [], []
        for name, mechanism in hillock.mechanisms().items():
            if mechanism.kind not in ("density", "synapse"):
                continue
            rng = np.random.default_rng(zlib.crc32(name.encode()))
            parameters = {}
            for parameter, default in mechanism.parameters.items():
                about = mechanism.variables[parameter]
                number = default * rng.uniform(0.85, 1.15) if default else 1e-4 if parameter.startswith("g") else 0
                parameters[parameter] = float(np.clip(number, about.minimum, about.maximum))
            texts = {parameter: f"{number!r} {mechanism.variables[parameter].unit}"
                     if mechanism.variables[parameter].unit not in ("", "1") else number
                     for parameter, number in parameters.items()}
            is_density = mechanism.kind == "density"
            model, values = cell_of(rng, rng.choice(["backward_euler", "crank_nicolson"]).item(),
                                    {"dend": {name: texts}} if is_density else None,
                                    () if is_density else [train(name, texts) | ({} if mechanism.weight_unit == "uS" else
                                                                                  {"weight": 0.001})])
            base = f"{R}dend.{name}." if is_density else f"stimuli.1.synapse.{name}."
            values |= {base + parameter: number for parameter, number in parameters.items()}
            if not is_density:
                values["stimuli.1.weight"] = 0.001
            own = {path: number * rng.standard_normal() for path, number in values.items() if name in path}
            every = {path: number * rng.standard_normal() for path, number in values.items()}
            try:
                gradient = self.check(model, values, lambda _, shape: rng.standard_normal(shape), [own, every])
            except hillock.UsageError as problem:
                self.assertIn(f"{name}: not supported yet: the derivative of a mechanism", str(problem))
                refused.append(name)
                continue
            if name != "capool":  # of which nothing here depends
                self.assertTrue(any(gradient[base + parameter] for parameter in parameters), name)
            undone.append(name)
        self.assertEqual(refused, ["ampanmda", "tmsyn"])
        self.assertGreater(len(undone), 18)

    def test_ions_that_change(self):
        regions = {"all": {"cm": "1 uF/cm2", "Ra": "100 ohm.cm", "pas": {"g": "5e-5 S/cm2", "e": "-65 mV"},
                           "cal": {"gbar": "1e-4 S/cm2"}, "capool": {"gamma": 0.05, "decay": "20 ms"},
                           "sk": {"gbar": "1e-4 S/cm2"}, "bk": {"gbar": "1e-4 S/cm2"}},
                   "soma": {"nat": {"gbar": "0.05 S/cm2"}, "kdr": {"gbar": "0.02 S/cm2"}}}
        record = [{"name": "ca", "of": "exc", "variable": "cai", "at": "all", "every": "0.25 ms", "type": "float64"},
                  {"name": "z", "of": "exc", "variable": "sk.z", "at": "all", "every": "0.25 ms", "type": "float64"}]
        for integrator in ("backward_euler", "crank_nicolson"):
            rng = np.random.default_rng(7)
            model, values = cell_of(rng, integrator, regions, record=record)
            values |= {R + "all.cal.gbar": 1.2e-4, R + "all.capool.gamma": 0.06, R + "all.capool.decay": 22,
                       R + "all.sk.gbar": 1.1e-4, R + "all.bk.gbar": 9e-5, R + "soma.nat.gbar": 0.055,
                       R + "soma.kdr.gbar": 0.021, "stimuli.0.iclamp.amplitude": 0.21}
            directions = [{path: number * rng.standard_normal() for path, number in values.items()} for _ in range(3)]
            directions += [{path: values[path]} for path in values if "gamma" in path or "decay" in path or "cal" in path]
            self.check(model, values, lambda name, shape: rng.standard_normal(shape) * (1e4 if name == "ca" else 1),
                       directions)

    def test_events_that_see_the_voltage(self):
        text = b"""
NEURON { POINT_PROCESS seeing RANGE tau, e NONSPECIFIC_CURRENT i }
UNITS { (mV) = (millivolt) (nA) = (nanoamp) (uS) = (microsiemens) }
PARAMETER { tau = 3 (ms) e = 0 (mV) }
ASSIGNED { v (mV) i (nA) }
STATE { g (uS) }
INITIAL { g = 0 }
BREAKPOINT { SOLVE s METHOD cnexp  i = g*(v - e) }
DERIVATIVE s { g' = -g/tau }
NET_RECEIVE(w (uS)) { g = g + w*exp((v + 65)/5) }
"""
        for integrator in ("backward_euler", "crank_nicolson"):
            rng = np.random.default_rng(5)
            model, values = cell_of(rng, integrator, stimuli=[train("seeing", {"tau": "3 ms"})])
            model["mechanisms"] = [{"file": text}]
            values["stimuli.1.weight"] = 0.001
            directions = [{path: number * rng.standard_normal() for path, number in values.items()} for _ in range(2)]
            self.check(model, values, lambda _, shape: rng.standard_normal(shape), directions)

    def spiking(self, **more):
        model, values = cell_of(np.random.default_rng(3), regions={"soma": {"hh": {}}},
                                stimuli=[train("expsyn", {"tau": "2 ms", "e": "0 mV"})], **more)
        model["populations"]["exc"]["size"] = 5
        values |= {R + "soma.hh.gnabar": 0.12, "stimuli.1.weight": 0.002, "stimuli.0.iclamp.amplitude": 0.3}
        return model, values

    def test_run_and_bytes(self):
        model, values = self.spiking()
        model["populations"]["exc"]["size"] = 20  # so that more threads would have more ranges
        results = hillock.run(hillock.load(model, set=values), backend="cpu")
        found = []
        for threads in (1, np.int64(6)):
            run = hillock.DerivedRun(model, values, threads=threads)
            np.testing.assert_allclose(run.traces["v"], results["v"].data, rtol=0, atol=1e-7)
            np.testing.assert_array_equal(run.times("v"), results["v"].times)
            found += [run.vjp({"v": run.traces["v"]}) for _ in range(2)]
        self.assertGreater(results["v"].data.max(), 5)
        self.assertEqual(found, found[:1] * 4)

    def test_steps_made_again(self):
        model, values = self.spiking()
        whole = hillock.DerivedRun(model, values)
        by = whole.vjp({"v": whole.traces["v"]})
        for share in (2, 5, 10):
            part = hillock.DerivedRun(model, values, most_bytes=whole.tape_bytes // share, threads=1)
            for _ in range(2):
                self.assertEqual(part.vjp({"v": part.traces["v"]}), by)
            self.assertLess(part.tape_bytes, whole.tape_bytes / share)
        self.refuses("steps take at least", lambda: hillock.DerivedRun(model, values, most_bytes=whole.tape_bytes // 1000))

    def test_memory_is_told_before(self):
        model, values = self.spiking()
        run = hillock.DerivedRun(model, values)

        def told(*words):
            return subprocess.run([os.environ["HILLOCK"], "info", "--json", "--gradient", *words, "-"],
                                  input=json.dumps(model), capture_output=True, text=True)

        bounds = json.loads(told().stdout)
        self.assertEqual(bounds["gradient_bytes"], run.tape_bytes)
        with self.assertRaises(hillock.UsageError):
            hillock.DerivedRun(model, values, most_bytes=bounds["least_gradient_bytes"] - 1, threads=os.cpu_count())
        hillock.DerivedRun(model, values, most_bytes=bounds["least_gradient_bytes"], threads=os.cpu_count())
        self.assertIn("goes with none of", told("--time").stderr)
        model["run"]["precision"] = "mixed"
        self.assertIn("there is no derivative of a run with precision: mixed", told().stderr)

    def test_squares(self):
        model, values = self.spiking()
        target = hillock.run(hillock.load(model, set=values | {R + "soma.hh.gnabar": 0.13}), backend="cpu")["v"].data
        loss, gradient = hillock.gradient(model, values, hillock.squares({"v": target}, {"v": 0.5}))
        beside = [hillock.gradient(model, values | {R + "soma.hh.gnabar": 0.12 + h},
                                   hillock.squares({"v": target}, {"v": 0.5}))[0] for h in (-1e-6, 1e-6)]
        self.assertGreater(loss, 1)
        self.assertAlmostEqual(gradient[R + "soma.hh.gnabar"] / ((beside[1] - beside[0]) / 2e-6), 1, 4)

    def test_memory_does_not_grow(self):
        model, values = self.spiking()
        target = hillock.DerivedRun(model, values).traces["v"] + 1

        def resident_bytes():
            with open("/proc/self/statm", encoding="ascii") as file:
                return int(file.read().split()[1]) * resource.getpagesize()

        grown = []
        for number in range(200):
            hillock.gradient(model, values, hillock.squares({"v": target}), threads=1)
            if number % 50 == 49:
                grown.append(resident_bytes())
        self.assertLess(grown[-1] - grown[0], 2e6, grown)

    def refuses(self, words, call):
        with self.assertRaises(hillock.UsageError) as caught:
            call()
        self.assertIn(words, str(caught.exception))

    def test_what_makes_no_sense(self):
        model, values = self.spiking()
        run = hillock.DerivedRun(model, values)
        nan = np.full_like(run.traces["v"], np.nan)
        self.refuses("nothing that is recorded is called 'w'; there are v", lambda: run.vjp({"w": nan}))
        self.refuses("have the form", lambda: run.vjp({"v": nan[1:]}))
        self.refuses("have to be numbers", lambda: run.vjp({"v": nan}))
        self.refuses("targets have to be numbers", lambda: hillock.squares({"v": nan}))
        self.refuses("weights: there is no target 'w'", lambda: hillock.squares({"v": 0}, {"w": 1}))
        self.refuses("the target has the form", lambda: hillock.gradient(model, values, hillock.squares({"v": [0]})))
        self.refuses("nothing that is recorded", lambda: hillock.gradient(model, values, hillock.squares({"w": [0]})))
        self.refuses("values:", lambda: hillock.DerivedRun(model, {}))
        self.refuses("must be cpu or cuda", lambda: hillock.DerivedRun(model, values, backend="gpu"))
        self.refuses("not '1 nA'", lambda: hillock.DerivedRun(model, {"stimuli.0.iclamp.amplitude": "1 nA"}))
        with self.assertRaises(hillock.ModelError):
            hillock.DerivedRun(model, {"stimuli.7.iclamp.amplitude": 1})
        diameter = "cells.pyr.morphology.branches.0.diameter"
        self.refuses(f"no derivative by {diameter}: it changes areas", lambda: hillock.gradient(
            model, {diameter: 20}, hillock.squares({"v": run.traces["v"] + 1})))

    def test_values_that_are_held(self):
        model, _ = self.spiking()
        run = hillock.DerivedRun(model, {"run.temperature": 20})
        self.refuses("there is no derivative by run.temperature: it changes the temperature",
                     lambda: run.vjp({"v": run.traces["v"]}))

    def test_what_is_not_derived(self):
        def refused(words, change, **more):
            model, values = self.spiking(**more)
            change(model)
            self.refuses("there is no derivative of a run with " + words, lambda: hillock.DerivedRun(model, values))

        refused("point neurons: rs", lambda model: (model["cells"].update(rs={"izhikevich": {}}),
                                                    model["populations"].update(rs={"cell": "rs", "size": 2})))
        refused("extracellular layers", lambda model: model["cells"]["pyr"]["regions"]["all"].update(
            extracellular=[{}]))
        refused("precision: mixed", lambda model: model["run"].update(precision="mixed"))
        refused("recorded membrane currents", lambda model: None, record=[
            {"name": "i", "of": "exc", "variable": "i_membrane", "at": "soma(0.5)"}])
        refused("gna of hh recorded", lambda model: None, record=[
            {"name": "g", "of": "exc", "variable": "hh.gna", "at": "soma(0.5)"}])


LIST = "projections.0.connect.list."


class ThroughSpikes(unittest.TestCase):
    """Events make cells spike, which make others: beside differences of whole runs in which as many spike."""

    MOVES = {R + "all.cm": (1, 0.05), R + "all.pas.g": (2e-4, 9e-5), R + "soma.hh.gnabar": (0.12, 0.006),
             "cells.pyr.detector.threshold": (0, 5), "stimuli.0.weight": (0.008, 6e-4), "stimuli.0.delay": (0.7, 0.2),
             "stimuli.0.spikes.times.0": (1.3, 0.2)}
    LISTS = {"weight": ([5e-4, 0.008], [4e-5, 6e-4]), "delay": ([1.1, 2.3], [0.2, 0.2])}

    def model(self, dt_ms, synapse=None, **run):
        synapse = (synapse or {"exp2syn": {"tau1": "0.5 ms", "tau2": "3 ms", "e": "0 mV"}}) | {"at": "soma(0.5)"}
        return {
            "hillock": 1, "run": {"duration": "20 ms", "dt": f"{dt_ms} ms", "temperature": "20 degC", **run},
            "cells": {"pyr": {
                "morphology": {"branches": [{"name": "soma", "length": "20 um", "diameter": "20 um"},
                                            {"name": "dend", "parent": "soma", "length": "150 um", "diameter": "2 um"}]},
                "discretization": {"max_length": "50 um"}, "detector": {"at": "soma(0.5)", "threshold": "0 mV"},
                "regions": {"all": {"cm": "1 uF/cm2", "Ra": "100 ohm.cm", "pas": {"g": "2e-4 S/cm2", "e": "-65 mV"}},
                            "soma": {"hh": {}}}}},
            "populations": {"exc": {"cell": "pyr", "size": 3}},
            "projections": [{"from": "exc", "to": "exc", "synapse": synapse, "weight": "1 nS", "delay": "1 ms",
                             "connect": {"list": {"source": [1, 0], "target": [2, 1], **{
                                 column: np.array(numbers) for column, (numbers, _) in self.LISTS.items()}}}}],
            "stimuli": [{"spikes": {"times": ["1.3 ms"]}, "to": "exc[0:1]", "synapse": synapse, "weight": "8 nS",
                         "delay": "0.7 ms"}],
            "record": [{"name": "v", "of": "exc", "variable": "v", "at": "all", "every": "0.5 ms", "type": "float64"},
                       {"name": "spikes", "of": "exc"}]}

    @staticmethod
    def weights(trace, around_ms=13):
        """Of what the third cell, which does not spike, comes to."""
        by = np.zeros_like(trace)
        by[:, -1] = np.exp(-((0.5 * np.arange(len(trace)) - around_ms) / 1.5)**2)
        return by

    def numbers(self, model, values, lists):
        """A sum over the trace, and when the second cell spikes."""
        model["projections"][0]["connect"]["list"].update(lists)
        results = hillock.run(hillock.load(model, set=values), backend="cpu")
        self.assertEqual(results.spikes["exc"].ids.tolist(), [0, 1])
        trace = results["v"].data
        return np.array([np.sum(self.weights(trace) * trace), results.spikes["exc"].times[-1]])

    def differences(self, *how, **run):
        """{path, or (column, connection): both numbers' derivatives}"""
        values = {path: number for path, (number, _) in self.MOVES.items()}
        lists = {column: np.array(numbers) for column, (numbers, _) in self.LISTS.items()}
        moves = [(path, step, lambda away, path=path: ({**values, path: values[path] + away}, lists))
                 for path, (_, step) in self.MOVES.items()]
        moves += [((column, i), step, lambda away, column=column, i=i: (
            values, {**lists, column: lists[column] + away * (np.arange(2) == i)}))
                  for column, (_, steps) in self.LISTS.items() for i, step in enumerate(steps)]
        found = {}
        for name, step, moved in moves:
            at = {k: self.numbers(self.model(*how, **run), *moved(k * step)) for k in (-2, -1, 1, 2)}
            found[name] = (at[-2] - 8 * at[-1] + 8 * at[1] - at[2]) / (12 * step)
        return found

    def derived(self, *how, threads=None, most_bytes=None, **run):
        values = {path: number for path, (number, _) in self.MOVES.items()}
        values |= {LIST + column: np.array(numbers) for column, (numbers, _) in self.LISTS.items()}
        return hillock.DerivedRun(self.model(*how, **run), values, threads=threads, most_bytes=most_bytes)

    def test_beside_differences(self):
        for synapse, run in (({"exp2syn": {"tau1": "0.5 ms", "tau2": "3 ms", "e": "0 mV"}}, {}),
                             ({"expsyn": {"tau": "3 ms", "e": "0 mV"}},
                              {"integrator": "crank_nicolson", "spike_time": "grid"})):
            exact = self.differences(0.001, synapse, **run)
            for dt_ms in (0.02, 0.005, 0.00125):
                one = self.derived(dt_ms, synapse, **run)
                by_trace = one.vjp({"v": self.weights(one.traces["v"])})
                by_spike = one.vjp(spikes={"exc": [0, 1]})
                for name, expected in exact.items():
                    found = [by[name] if isinstance(name, str) else by[LIST + name[0]][name[1]]
                             for by in (by_trace, by_spike)]
                    # In proportion to dt, and what the differences are away by.
                    np.testing.assert_allclose(found, expected, rtol=12 * dt_ms + 0.01, atol=1e-6,
                                               err_msg=f"{name} {dt_ms}")

    CALCIUM = b"""
NEURON { POINT_PROCESS casyn USEION ca READ cai, eca WRITE ica RANGE tau, last NONSPECIFIC_CURRENT i }
UNITS { (mV) = (millivolt) (nA) = (nanoamp) (uS) = (microsiemens) (mM) = (milli/liter) }
PARAMETER { tau = 3 (ms) }
ASSIGNED { v (mV) i (nA) ica (nA) eca (mV) cai (mM) last (ms) fast }
STATE { g (uS) }
INITIAL { g = 0  last = -1000  fast = 0 }
BREAKPOINT { SOLVE s METHOD cnexp  ica = g*(v - eca)/(1 + fast)/(1 + cai/0.001)  i = 0.5*g*v }
DERIVATIVE s { g' = -g/tau }
NET_RECEIVE(w (uS)) { fast = exp(-(t - last)/5)  last = t  g = g + w*(1 - 0.5*fast)*(1 - g/0.05) }
"""

    def test_of_what_ions_gather(self):
        """Events that go by the time since the last one and add to what a pool takes in."""
        def made(dt_ms, integrator):
            model = self.model(dt_ms, integrator=integrator, duration="30 ms")
            model["mechanisms"] = [{"file": self.CALCIUM}]
            model["cells"]["pool"] = {**model["cells"]["pyr"], "regions": {"all": {
                "cm": "1 uF/cm2", "Ra": "100 ohm.cm", "pas": {"g": "2e-4 S/cm2", "e": "-65 mV"},
                "capool": {"gamma": 0.05, "decay": "20 ms"}, "sk": {"gbar": "1e-3 S/cm2"}}}}
            model["populations"] = {"exc": {"cell": "pyr", "size": 1}, "pool": {"cell": "pool", "size": 1}}
            model["projections"] = [{"from": "exc", "to": "pool", "connect": {"all_to_all": {}}, "weight": "2 nS",
                                     "delay": "3 ms", "synapse": {"casyn": {"tau": "3 ms"}, "at": "dend(0.5)"}}]
            model["stimuli"][0] |= {"spikes": {"times": ["1.3 ms", "12 ms"]}, "to": "exc", "weight": "12 nS"}
            model["record"] = [{"name": name, "of": "pool", "variable": name, "at": "dend(0.5)", "every": "0.5 ms",
                                "type": "float64"}
                               for name in ("v", "cai")]
            return model

        moves = {"projections.0.delay": (3, 0.2), "projections.0.weight": (0.002, 1e-4),
                 "stimuli.0.spikes.times.1": (12, 0.2)}
        values = {path: number for path, (number, _) in moves.items()}
        for integrator in ("backward_euler", "crank_nicolson"):
            def sums(moved, integrator=integrator):
                results = hillock.run(hillock.load(made(0.001, integrator), set=values | moved), backend="cpu")
                return np.array([np.sum(self.weights(results[name].data, 22) * results[name].data)
                                 for name in ("v", "cai")])

            runs = {dt_ms: hillock.DerivedRun(made(dt_ms, integrator), values) for dt_ms in (0.005, 0.00125)}
            by = {dt_ms: [run.vjp({name: self.weights(run.traces[name], 22)}) for name in ("v", "cai")]
                  for dt_ms, run in runs.items()}
            for path, (number, step) in moves.items():
                at = {k: sums({path: number + k * step}) for k in (-2, -1, 1, 2)}
                expected = (at[-2] - 8 * at[-1] + 8 * at[1] - at[2]) / (12 * step)
                for dt_ms, found in by.items():
                    np.testing.assert_allclose([one[path] for one in found], expected, rtol=15 * dt_ms + 0.01,
                                               err_msg=f"{integrator} {path} {dt_ms}")

    def test_spike_times_are_exact(self):
        """Where no event lies between, the time of a spike is derived to rounding."""
        for run in ({}, {"integrator": "crank_nicolson"}):
            def times(values, run=run):
                model = hillock.load(self.model(0.025, **run), set=values)
                return hillock.run(model, backend="cpu").spikes["exc"].times

            path = R + "soma.hh.gnabar"
            at = [times({path: number})[0] for number in 0.12 + 1e-4 * np.array([-2, -1, 1, 2])]
            one = self.derived(0.025, **run)
            slope = (at[0] - 8 * at[1] + 8 * at[2] - at[3]) / 12e-4
            self.assertAlmostEqual(one.vjp(spikes={"exc": [1, 0]})[path] / slope, 1, 7)
            np.testing.assert_allclose(one.spikes["exc"].times, times({}), rtol=1e-9)

    def test_bytes(self):
        """Of any threads, and with steps made again."""
        found = []
        whole = self.derived(0.02)
        for threads, most_bytes in ((1, None), (3, None), (1, whole.tape_bytes // 4), (3, whole.tape_bytes // 10)):
            run = self.derived(0.02, threads=threads, most_bytes=most_bytes)
            for _ in range(2):
                by = run.vjp({"v": run.traces["v"]}, {"exc": [1, -2]})
                found.append({path: np.asarray(one).tolist() for path, one in by.items()})
            self.assertLessEqual(run.tape_bytes, most_bytes or whole.tape_bytes)
        self.assertEqual(found, found[:1] * len(found))

    def test_rate_of_a_train(self):
        path = "stimuli.0.poisson.rate"

        def made(dt_ms):
            model = self.model(dt_ms, {"expsyn": {"tau": "2 ms", "e": "0 mV"}})
            del model["stimuli"][0]["spikes"]
            model["stimuli"][0] |= {"poisson": {"rate": "300 Hz"}, "weight": "0.3 nS"}
            model["record"][0]["every"] = "0.1 ms"
            return model

        def mean(rate_Hz):
            return hillock.run(hillock.load(made(0.0005), set={path: rate_Hz}), backend="cpu")["v"].data.mean()

        expected = (mean(304) - mean(296)) / 8
        for dt_ms in (0.02, 0.005):
            run = hillock.DerivedRun(made(dt_ms), {path: 300})
            v = run.traces["v"]
            self.assertAlmostEqual(run.vjp({"v": np.full_like(v, 1 / v.size)})[path] / expected, 1, 1)

    def test_list_of_equal_pairs(self):
        """Derivatives come in the order of the list, whose pairs may be repeated."""
        model = self.model(0.02)
        ends = {"source": np.array([1, 0, 1, 0, 1]), "target": np.array([2, 1, 2, 2, 2])}
        numbers = {"weight": np.array([1, 8, 2, 3, 4]) * 1e-3 / 4, "delay": np.array([2, 2.3, 4, 1, 3.0])}
        numbers["weight"][1] = 0.008
        model["projections"][0]["connect"]["list"] = {**ends, **numbers}
        values = {LIST + column: one for column, one in numbers.items()}
        run = hillock.DerivedRun(model, values)
        by = run.vjp({"v": self.weights(run.traces["v"])})
        for i in range(5):
            moved = []
            for away in (-1e-6, 1e-6):
                moved_weights = numbers["weight"] + away * (np.arange(5) == i)
                model["projections"][0]["connect"]["list"] = {**ends, **numbers, "weight": moved_weights}
                trace = hillock.run(model, backend="cpu")["v"].data
                moved.append(np.sum(self.weights(trace) * trace))
            if i != 1:  # which moves a spike
                self.assertAlmostEqual(by[LIST + "weight"][i] / ((moved[1] - moved[0]) / 2e-6), 1, 5)
        self.assertEqual(len(np.unique(by[LIST + "delay"])), 5)

    def test_losses_of_spikes(self):
        def loss(targets):
            return hillock.gradient(self.model(0.02), {"stimuli.0.delay": 0.7}, spikes=hillock.spike_times(
                {"exc": targets}, else_ms=3))

        first, second = hillock.run(self.model(0.02), backend="cpu").spikes["exc"].times
        number, by = loss([[second], [9.0]])
        self.assertAlmostEqual(number, (first - second)**2 + (second - 9)**2, 9)
        self.assertAlmostEqual(by["stimuli.0.delay"] / (2 * (first - second) + 2 * (second - 9)), 1, 1)
        self.assertAlmostEqual(loss([[], [9.0]])[0], 9 + (second - 9)**2, 9)
        self.assertAlmostEqual(loss([[first], [9.0], [4.0, 5.0]])[0], (second - 9)**2 + 18, 9)

    def test_what_makes_no_sense(self):
        refuses = Gradient.refuses
        model, path = self.model(0.02), "stimuli.0.delay"
        run = hillock.DerivedRun(model, {path: 0.7})
        refuses(self, "nothing that is recorded is called 'inh'; there are exc", lambda: run.vjp(spikes={"inh": []}))
        refuses(self, "exc: derivatives have the form (2,)", lambda: run.vjp(spikes={"exc": [1]}))
        refuses(self, "exc: derivatives have to be numbers", lambda: run.vjp(spikes={"exc": [1, np.nan]}))
        refuses(self, "targets have to be numbers", lambda: hillock.spike_times({"exc": [[np.nan]]}))
        refuses(self, "a loss of traces or of spikes is needed", lambda: hillock.gradient(model, {path: 0.7}))
        refuses(self, "cell 1 of exc spikes 1 times and has 2 targets", lambda: hillock.gradient(
            model, {path: 0.7}, spikes=hillock.spike_times({"exc": [[4], [9, 12]]})))
        refuses(self, "is called 'inh'; there are exc", lambda: hillock.gradient(
            model, {path: 0.7}, spikes=hillock.spike_times({"inh": []})))
        refuses(self, "as many numbers as connections are needed, 2",
                lambda: hillock.DerivedRun(model, {LIST + "weight": [1.0]}))
        refuses(self, "an array stands for", lambda: hillock.DerivedRun(model, {"stimuli.0.weight": [1.0]}))
        refuses(self, "the model has no list of connections there", lambda: hillock.DerivedRun(
            model, {"projections.3.connect.list.weight": [1.0]}))
        drawn = self.model(0.02)
        drawn["projections"][0] |= {"connect": {"all_to_all": {}}, "weight": {"lognormal": {"mean": "0.1 nS", "cv": 0.4}}}
        seed = hillock.DerivedRun(drawn, {"run.seed": 1000})
        refuses(self, "no derivative by run.seed: it changes what is drawn", lambda: seed.vjp({"v": run.traces["v"]}))


if __name__ == "__main__":
    unittest.main()
