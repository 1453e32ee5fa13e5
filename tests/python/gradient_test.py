"""hillock.gradient: derivatives of runs beside differences."""

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

    def spiking(self, **more):
        model, values = cell_of(np.random.default_rng(3), regions={"soma": {"hh": {}}},
                                stimuli=[train("expsyn", {"tau": "2 ms", "e": "0 mV"})], **more)
        model["populations"]["exc"]["size"] = 5
        values |= {R + "soma.hh.gnabar": 0.12, "stimuli.1.weight": 0.002, "stimuli.0.iclamp.amplitude": 0.3}
        return model, values

    def test_run_and_bytes(self):
        model, values = self.spiking()
        results = hillock.run(hillock.load(model, set=values), backend="cpu")
        found = []
        for threads in (1, 4):
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
        run = hillock.DerivedRun(model, values)
        bytes_before = run.tape_bytes
        for _ in range(20):
            run.vjp({"v": run.traces["v"]})
        self.assertEqual(run.tape_bytes, bytes_before)

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
        self.refuses("not '1 nA'", lambda: hillock.DerivedRun(model, {"stimuli.0.iclamp.amplitude": "1 nA"}))
        with self.assertRaises(hillock.ModelError):
            hillock.DerivedRun(model, {"stimuli.7.iclamp.amplitude": 1})
        diameter = "cells.pyr.morphology.branches.0.diameter"
        self.refuses(f"no derivative by {diameter}: it changes areas", lambda: hillock.gradient(
            model, {diameter: 20}, hillock.squares({"v": run.traces["v"] + 1})))

    def test_values_that_are_held(self):
        model, values = self.spiking()
        model["stimuli"][1]["spikes"] = {"times": ["1 ms", "3 ms"]}
        for path, number, what in (("run.temperature", 20, "the temperature"),
                                   ("stimuli.1.spikes.times.0", 1, "times of events")):
            run = hillock.DerivedRun(model, {path: number})
            self.refuses(f"there is no derivative by {path}: it changes {what}", lambda run=run: run.vjp(
                {"v": run.traces["v"]}))

    def test_what_is_not_derived(self):
        def refused(words, change, **more):
            model, values = self.spiking(**more)
            change(model)
            self.refuses("there is no derivative of a run with " + words, lambda: hillock.DerivedRun(model, values))

        synapse = {"expsyn": {"tau": "2 ms", "e": "0 mV"}, "at": "soma(0.5)"}
        refused("cells whose spikes reach cells", lambda model: (
            model["cells"]["pyr"].update(detector={"at": "soma(0.5)"}),
            model.update(projections=[{"from": "exc", "to": "exc", "connect": {"all_to_all": {}}, "synapse": synapse,
                                       "weight": "1 nS", "delay": "1 ms"}])))
        refused("point neurons: rs", lambda model: (model["cells"].update(rs={"izhikevich": {}}),
                                                    model["populations"].update(rs={"cell": "rs", "size": 2})))
        refused("extracellular layers", lambda model: model["cells"]["pyr"]["regions"]["all"].update(
            extracellular=[{}]))
        refused("precision: mixed", lambda model: model["run"].update(precision="mixed"))
        refused("recorded membrane currents", lambda model: None, record=[
            {"name": "i", "of": "exc", "variable": "i_membrane", "at": "soma(0.5)"}])
        refused("gna of hh recorded", lambda model: None, record=[
            {"name": "g", "of": "exc", "variable": "hh.gna", "at": "soma(0.5)"}])


if __name__ == "__main__":
    unittest.main()
