"""hillock.Simulation: a run in steps is the run at once, and what is changed between them counts."""

import pickle
import unittest

import numpy as np

import hillock
from models import assert_same, cell, network


class Steps(unittest.TestCase):
    def test_a_run_in_steps_is_the_run_at_once(self):
        expected = hillock.run(network(), backend="cpu")
        for times in ((0.025, 0.05, 1, 33.3, 50, 99.975), (50,), tuple(np.arange(0, 100, 2.5))):
            simulation = hillock.Simulation(network(), backend="cpu", threads=2)
            for time in times:
                simulation.advance(time)
                self.assertAlmostEqual(simulation.time, time)
            self.assertEqual(simulation.results().status, "running")
            simulation.advance()
            self.assertEqual(simulation.results().status, "complete")
            assert_same(self, simulation.results(), expected)

    def test_results_are_there_at_any_time(self):
        simulation = hillock.Simulation(cell(), backend="cpu").advance(20)
        first = simulation.results()["v"].data
        self.assertEqual(first.shape, (201, 3))
        kept = first.copy()
        simulation.advance()
        self.assertEqual(first.tolist(), kept.tolist())
        self.assertEqual(simulation.results()["v"].data[:201].tolist(), kept.tolist())

    def test_a_saved_simulation_goes_on(self):
        expected = hillock.run(network(), backend="cpu")
        simulation = hillock.Simulation(network(), backend="cpu").advance(42)
        saved = pickle.loads(pickle.dumps(simulation.save()))
        simulation.advance(80)
        simulation.restore(saved)
        self.assertEqual(simulation.time, 42)
        assert_same(self, simulation.advance().results(), expected)
        other = hillock.Simulation(network(), backend="cpu", threads=1).restore(saved)
        self.assertEqual(other.advance().results().spikes["point"].times.tolist(),
                         [t for t in expected.spikes["point"].times if t > 42])
        self.assertEqual(other.restore(hillock.Simulation(network()).save()).time, 0)
        assert_same(self, other.advance().results(), expected)

    def test_it_is_saved_again_before_it_goes_on(self):
        expected = hillock.run(network(), backend="cpu")
        simulation = hillock.Simulation(network(), backend="cpu").advance(30)
        for _ in range(3):
            simulation.restore(simulation.save())
        assert_same(self, simulation.advance().results(), expected)

    def test_spikes_that_are_made_after_their_time_come_once(self):
        """An artificial cell's have exact times within half a step of a boundary, izhikevich's those of the beginning
        of a step, here of ten of the run's."""
        cells = {"relay": {"artificial": {"relay": {}}}, "point": {"izhikevich": {}},
                 "soma": {"morphology": {"branches": [{"name": "soma", "length": "20 um", "diameter": "20 um"}]},
                          "regions": {"all": {"hh": {}}}, "detector": {"at": "soma(0.5)"}}}
        known = {name: {"population": "all", "ids": {"csv": np.arange(3) * 3 + k}} for k, name in enumerate(cells)}
        model = {"hillock": 1, "run": {"duration": "30 ms", "dt": "0.1 ms"}, "cells": cells,
                 "populations": {name: {"cell": name, "size": 3, "nodes": known[name]} for name in cells},
                 "stimuli": [{"poisson": {"rate": "400 Hz"}, "to": "relay", "weight": 1},
                             {"iclamp": {"amplitude": 40, "duration": "30 ms"}, "to": "point"},
                             {"iclamp": {"amplitude": "0.5 nA", "duration": "30 ms"}, "to": "soma", "at": "soma(0.5)"}],
                 "record": [{"name": "spikes", "of": list(cells)}]}
        model["populations"]["point"]["step"] = "1 ms"
        expected = hillock.run(model, backend="cpu")
        self.assertGreater(min(np.bincount(expected.spikes["all"].ids % 3)), 3)
        simulation = hillock.Simulation(model, backend="cpu")
        for time in np.arange(0.3, 29, 0.7):
            saved = simulation.advance(time).save()
            simulation.advance(time + 0.5).restore(saved)
            simulation.change({"stimuli.1.iclamp.amplitude": 40})
        assert_same(self, simulation.advance().results(), expected)
        simulation.restore(saved)
        assert_same(self, simulation.advance().results(), expected)

    def test_times_that_cannot_be(self):
        simulation = hillock.Simulation(cell(), backend="cpu").advance(10)
        with self.assertRaisesRegex(hillock.UsageError, "5 ms have passed"):
            simulation.advance(5)
        with self.assertRaisesRegex(hillock.UsageError, "beyond the end at 40 ms"):
            simulation.advance(41)
        with self.assertRaisesRegex(TypeError, "what save.. gives"):
            simulation.restore(3)
        simulation.advance()
        for call in (lambda: simulation.restore(simulation.save()),
                     lambda: simulation.change({"stimuli.0.iclamp.amplitude": "0 nA"})):
            with self.assertRaisesRegex(hillock.UsageError, "nothing comes after the end"):
                call()
        self.assertEqual(simulation.get("v", "exc").shape, (3, 4))

    def test_one_that_was_interrupted_goes_on_from_what_was_saved(self):
        model = hillock.load(network("1000 s"))
        expected = hillock.Simulation(model, backend="cpu").advance(100).results()
        simulation = hillock.Simulation(model, backend="cpu", threads=1).advance(20)
        saved = simulation.save()

        def stop(*_):
            raise InterruptedError

        with self.assertRaises(InterruptedError):
            simulation.advance(progress=stop)
        for call in (simulation.advance, simulation.save, lambda: simulation.get("v", "exc")):
            with self.assertRaisesRegex(hillock.UsageError, "interrupted or failed"):
                call()
        self.assertEqual(simulation.results()["v"].data[:201].tolist(), expected["v"].data[:201].tolist())
        assert_same(self, simulation.restore(saved).advance(100).results(), expected)

    def test_after_a_numerical_error_numbers_are_as_it_found_them(self):
        simulation = hillock.Simulation(cell(), {"stimuli.0.iclamp.amplitude": -1e9}, backend="cpu", epoch_steps=10)
        with self.assertRaises(hillock.NumericalError) as failed:
            simulation.advance()
        voltages = simulation.get("v", "exc")
        self.assertFalse(np.all(np.abs(voltages[failed.exception.cell]) < 1e4))
        for call in (simulation.advance, simulation.save, lambda: simulation.put("v", "exc", -65)):
            with self.assertRaisesRegex(hillock.UsageError, "interrupted or failed"):
                call()

    def test_with_gives_back_what_it_holds(self):
        with hillock.Simulation(cell(), backend="cpu") as simulation:
            results = simulation.advance(5).results()
        self.assertEqual(len(results["v"].data), 51)
        for call in (simulation.advance, simulation.results, lambda: simulation.get("v", "exc")):
            with self.assertRaisesRegex(hillock.UsageError, "ended with its `with`"):
                call()

    def test_what_is_restored_elsewhere_has_its_times(self):
        model = hillock.load(cell())
        whole = hillock.run(model, backend="cpu")
        saved = hillock.Simulation(model, backend="cpu").advance(20).save()
        for there in (0, 10):
            other = hillock.Simulation(model, backend="cpu").advance(there).restore(saved).advance()
            report = other.results()["v"]
            begin = int(np.searchsorted(whole["v"].times, report.times[0] - 1e-6))
            self.assertGreater(report.times[0], 20 - 1e-6)
            np.testing.assert_allclose(report.times, whole["v"].times[begin:], atol=1e-9)
            self.assertEqual(report.data.tolist(), whole["v"].data[begin:].tolist())
            times = whole.spikes["exc"].times
            self.assertEqual(other.results().spikes["exc"].times.tolist(), times[times > 20].tolist())

    def test_what_would_be_another_run_or_network_is_refused(self):
        simulation = hillock.Simulation(network(), backend="cpu").advance(5)
        before = simulation.results()["v"].data.tobytes()
        for path, value in (("run.dt", 0.05), ("run.duration", 200), ("record.1.every", 0.2), ("record.1.of", "exc[0:2]"),
                            ("populations.exc.size", 9), ("projections.0.connect", {"fixed_indegree": {"number": 1}}),
                            ("projections.0.synapse.at", "soma(0.5)"), ("stimuli.0.to", "exc[0]"),
                            ("cells.pyr.morphology.branches.0.length", 30), ("cells.pyr.discretization", {"per_branch": 2}),
                            ("cells.pyr.regions.soma.pas", {})):
            with self.assertRaisesRegex(hillock.UsageError, "fixed once a run has begun", msg=path):
                simulation.change({path: value})
        self.assertEqual(simulation.results()["v"].data.tobytes(), before)
        simulation.change({"projections.0.weight": 0.001, "stimuli.1.poisson.rate": 50}).advance(6)
        at_0 = hillock.Simulation(network(), backend="cpu").change({"run.duration": 7}).advance()
        self.assertEqual(at_0.time, 7)

    def test_one_thread_at_a_time(self):
        simulation = hillock.Simulation(network("1000 s"), backend="cpu", threads=1).advance(1)
        heard = []

        def meddle(*_):
            for call in (simulation.results, simulation.save, simulation.advance):
                with self.assertRaisesRegex(hillock.UsageError, "at work already"):
                    call()
            heard.append(True)
            raise InterruptedError

        with self.assertRaises(InterruptedError):
            simulation.advance(progress=meddle)
        self.assertTrue(heard)

    def test_a_state_of_another_network_is_refused(self):
        saved = hillock.Simulation(cell(), backend="cpu").advance(5).save()
        with self.assertRaises(hillock.HillockError):
            hillock.Simulation(network(), backend="cpu").restore(saved)


class Values(unittest.TestCase):
    def test_voltages_are_those_that_are_recorded(self):
        simulation = hillock.Simulation(network(), backend="cpu").advance(30)
        voltages = simulation.get("v", "exc")
        self.assertEqual(voltages.shape, (8, 4))
        last = simulation.results()["v"].data[-1]
        self.assertEqual(voltages[:, 0].tolist(), last.tolist())
        self.assertEqual(simulation.get("v", "exc", 3).tolist(), voltages[3].tolist())
        np.testing.assert_allclose(simulation.get("hh.m", "exc")[:, 0],
                                   simulation.results()["m"].data[-1], rtol=1e-6)
        self.assertEqual(simulation.get("pas.g", "exc").shape, (8, 3))

    def test_what_there_is_at_the_beginning(self):
        simulation = hillock.Simulation(cell(), backend="cpu")
        self.assertEqual(simulation.get("v", "exc").tolist(), [[-65.0] * 4] * 3)

    def test_what_is_put_is_there_and_counts(self):
        simulation = hillock.Simulation(cell(amplitude="0 nA"), backend="cpu").advance(10)
        before = simulation.results()["v"].data
        simulation.put("v", "exc", np.array([-20.0, -55.0, -60.0, -65.0]), cell=1)
        self.assertEqual(simulation.get("v", "exc", 1).tolist(), [-20.0, -55.0, -60.0, -65.0])
        results = simulation.advance(30).results()
        self.assertEqual(results["v"].data[:len(before)].tolist(), before.tolist())
        self.assertEqual(results.spikes["exc"].ids.tolist(), [1])
        simulation.put("v", "exc", -70)
        self.assertEqual(simulation.get("v", "exc").tolist(), [[-70.0] * 4] * 3)
        simulation.advance()

    def test_what_cannot_be_put(self):
        simulation = hillock.Simulation(cell(), backend="cpu").advance(10)
        with self.assertRaisesRegex(KeyError, "exc keeps no 'hh.q' from step to step among"):
            simulation.put("hh.q", "exc", 1)
        with self.assertRaisesRegex(hillock.UsageError, "hh.gnabar is a parameter"):
            simulation.put("hh.gnabar", "exc", 1)
        with self.assertRaises(ValueError):
            simulation.put("v", "exc", [1, 2, 3])
        with self.assertRaisesRegex(KeyError, "no population 'inh'"):
            simulation.get("v", "inh")
        with self.assertRaisesRegex(IndexError, "exc has 3 cells"):
            simulation.get("v", "exc", 3)
        with self.assertRaisesRegex(hillock.UsageError, "at 0 ms"):
            hillock.Simulation(cell(), backend="cpu").put("v", "exc", 1)


class Changes(unittest.TestCase):
    def test_a_clamp_that_changes_is_a_clamp_written_so(self):
        changed = hillock.Simulation(cell(amplitude="0 nA"), backend="cpu").advance(10)
        changed.change({"stimuli.0.iclamp.amplitude": "0.3 nA"})
        self.assertEqual(set(changed.get("iclamp.amplitude", "exc").ravel()), {0.3})
        written = cell()
        written["stimuli"][0]["iclamp"]["start"] = "10 ms"
        expected = hillock.run(written, backend="cpu")
        self.assertGreater(len(expected.spikes["exc"]), 0)
        assert_same(self, changed.advance().results(), expected)

    def test_parameters_change_and_states_stay(self):
        simulation = hillock.Simulation(network(), backend="cpu").advance(40)
        before = {name: simulation.get(name, "exc") for name in ("v", "hh.m", "expsyn.g")}
        weights = simulation.get("projection 1.weight", "point")
        simulation.change({"cells.pyr.regions.soma.hh": {"gnabar": "0.2 S/cm2"},
                           "projections.0.weight": "0 nS"})
        self.assertEqual(set(simulation.get("hh.gnabar", "exc").ravel()), {0.2})
        for name, values in before.items():
            self.assertEqual(simulation.get(name, "exc").tolist(), values.tolist())
        self.assertEqual(simulation.get("projection 1.weight", "point").tolist(), weights.tolist())
        self.assertEqual(set(simulation.model.projections[0].connections()["weight"]), {0.0})
        once = simulation.advance().results()
        plain = hillock.run(network(), backend="cpu")
        self.assertEqual(once["v"].data[:401].tolist(), plain["v"].data[:401].tolist())
        self.assertNotEqual(once["v"].data[-1].tolist(), plain["v"].data[-1].tolist())

    def test_parameters_differ_from_cell_to_cell_from_now_on(self):
        simulation = hillock.Simulation(cell(), backend="cpu").advance(10)
        simulation.change({"cells.pyr.regions.soma.hh": {"gnabar": {"csv": np.array([0.1, 0.12, 0.2])}}})
        self.assertEqual(simulation.get("hh.gnabar", "exc").ravel().tolist(), [0.1, 0.12, 0.2])
        simulation.change({"stimuli.0.iclamp.amplitude": "0.1 nA"})
        self.assertEqual(simulation.get("hh.gnabar", "exc").ravel().tolist(), [0.1, 0.12, 0.2])

    def test_a_change_that_is_wrong_changes_nothing(self):
        simulation = hillock.Simulation(cell(), backend="cpu").advance(10)
        with self.assertRaises(hillock.ModelError):
            simulation.change({"stimuli.0.iclamp.amplitud": "0.3 nA"})
        assert_same(self, simulation.advance().results(), hillock.run(cell(), backend="cpu"))

    def test_a_loop_that_is_closed(self):
        """A current that follows the voltage: changes every 2 ms."""
        simulation = hillock.Simulation(cell(amplitude="0 nA"), backend="cpu").advance(6)
        for time in range(8, 20, 2):
            current = 0.001 * (-60 - simulation.get("v", "exc", 0)[0])
            simulation.change({"stimuli.0.iclamp.amplitude": f"{current:.6f} nA"}).advance(time)
        self.assertLess(abs(simulation.get("v", "exc", 0)[0] + 60), 6)


if __name__ == "__main__":
    unittest.main()
