"""hillock.load: models from files and dictionaries, what they tell, and what is wrong with them."""

import errno
import os
import pathlib
import pickle
import tempfile
import unittest

import numpy as np

import hillock
from models import RING, SOURCES, cell, command, network


def in_compartments(gnabar=((0.12, 0.12), (0.2, 0.15))):
    """Two cells given in compartments, one point on each; the first one's spikes reach the second."""
    return {
        "hillock": 1,
        "run": {"duration": "30 ms"},
        "mechanisms": [{"file": b"NEURON { SUFFIX still NONSPECIFIC_CURRENT i RANGE g }\n"
                                b"PARAMETER { g = 1e-5 (S/cm2) }\nASSIGNED { v (mV) i (mA/cm2) }\n"
                                b"BREAKPOINT { i = g * (v + 65) }\n"}],
        "cells": {"cell": {
            "morphology": {"compartments": {"hdf5": {
                "branches": {"name": ["soma", "dend[0]"], "parent": np.array([-1, 0]), "length": np.array([20.0, 90]),
                             "compartments": np.array([1, 1]), "end_resistance": np.array([0.1, 30])},
                "compartments": {"area": np.array([1200.0, 500]), "diameter": np.array([20.0, 2]),
                                 "resistance": np.array([0.1, 30])}}}},
            "regions": {"all": {"still": {}, "hh": {"gnabar": {"hdf5": {"g": np.array(gnabar)}, "compartments": "/g"}}}},
            "detector": {"at": "soma(0.5)", "threshold": "-10 mV"}}},
        "populations": {"two": {"cell": "cell", "size": 2}},
        "points": {"each": {"on": "two", "expsyn": {}, "list": {"hdf5": {
            "cell": np.array([1, 0]), "branch": np.array([1, 1]), "position": np.array([0.5, 1])}}}},
        "projections": [{"from": "two", "to": "two", "synapse": {"points": "each"}, "weight": "0 uS", "delay": "1 ms",
                         "connect": {"list": {"source": np.array([0]), "target": np.array([0]),
                                              "weight": np.array([0.05])}}}],
        "stimuli": [{"iclamp": {"amplitude": "0.4 nA", "start": "2 ms", "duration": "2 ms"}, "to": "two[0]",
                     "at": "soma(0.5)"}],
        "record": [{"name": "s", "of": "two"},
                   {"name": "v", "of": "two", "variable": "v", "at": "soma(0.5)", "type": "float64"}]}


class Load(unittest.TestCase):
    def test_a_file_tells_its_cells_and_populations(self):
        model = hillock.load(RING)
        self.assertEqual(list(model.populations), ["ring"])
        self.assertEqual(model.populations["ring"].size, 100)
        self.assertEqual((model.duration_ms, model.dt_ms), (1000, 0.025))
        self.assertIn("100 × ball_and_sticks (26 compartments)", repr(model))

    def test_the_compartments_of_a_cell_are_those_of_the_command(self):
        shape = hillock.load(cell()).cells["pyr"]
        self.assertEqual([branch.name for branch in shape.branches], ["soma", "dend"])
        self.assertEqual(shape.branches[1].parent, 0)
        columns = shape.compartments
        self.assertEqual(columns["branch"].tolist(), [0, 1, 1, 1])
        np.testing.assert_allclose(columns["area_um2"][0], np.pi * 20 * 20)
        np.testing.assert_allclose(columns["length_um"], [20, 200 / 3, 200 / 3, 200 / 3])
        self.assertEqual(shape.compartment("dend", 0.5), 2)
        self.assertEqual(shape.regions, [("soma", ["hh"]), ("dend", ["pas"])])

    def test_compartments_begin_where_those_before_end(self):
        pyramid = cell()
        pyramid["cells"]["pyr"]["morphology"] = {"swc": "library:pyramid.swc"}
        for model in (cell(), pyramid):
            shape = hillock.load(model).cells["pyr"]
            ends, branch = shape.ends_um, shape.compartments["branch"]
            self.assertEqual(ends.shape, (len(branch), 2, 3))
            for number, one in enumerate(shape.branches):
                of = ends[branch == number]
                np.testing.assert_allclose(of[0, 0], one.points[0, :3], atol=1e-9)
                np.testing.assert_allclose(of[-1, 1], one.points[-1, :3], atol=1e-9)
                np.testing.assert_array_equal(of[1:, 0], of[:-1, 1])
            lengths = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
            self.assertTrue(np.all(lengths <= shape.compartments["length_um"] * (1 + 1e-12)))  # some are bent
        straight = hillock.load(cell()).cells["pyr"]
        middles = [straight.compartments[axis] for axis in ("x_um", "y_um", "z_um")]
        np.testing.assert_allclose(straight.ends_um.mean(axis=1), np.transpose(middles))

    def test_populations_tell_where_their_cells_lie(self):
        model = cell()
        self.assertIsNone(hillock.load(model).populations["exc"].positions_um)
        model["populations"]["exc"]["positions"] = {"list": [["1 um", "2 um", "3 um"], ["0 um", "0 um", "-5 um"],
                                                             ["7 um", "8 um", "9 um"]]}
        self.assertEqual(hillock.load(model).populations["exc"].positions_um.tolist(),
                         [[1, 2, 3], [0, 0, -5], [7, 8, 9]])

    def test_a_point_neuron_has_no_shape(self):
        one = hillock.load(network()).cells["rs"]
        self.assertFalse(one.has_shape)
        self.assertEqual(repr(one), "Cell rs: izhikevich")
        with self.assertRaisesRegex(ValueError, "rs has no shape"):
            one.branches

    def test_values_are_replaced(self):
        model = hillock.load(cell(), {"run.duration": "7 ms", "populations.exc.size": 5})
        self.assertEqual((model.duration_ms, model.populations["exc"].size), (7, 5))
        self.assertEqual(model.with_values({"run.duration": "8 ms"}).populations["exc"].size, 5)

    def test_numbers_are_in_the_base_unit_of_what_they_replace(self):
        texts = {"run.duration": "7 ms", "run.temperature": "20 degC", "populations.exc.size": 5,
                 "cells.pyr.morphology.branches.0.length": "30 um", "cells.pyr.regions.dend.cm": "2 uF/cm2",
                 "stimuli.0.iclamp.amplitude": "0.25 nA", "cells.pyr.regions.soma.hh.gnabar": "0.1 S/cm2",
                 "cells.pyr.regions.dend.pas.g": {"normal": {"mean": "1e-4 S/cm2", "sd": "1e-5 S/cm2"}}}
        numbers = {"run.duration": 7, "run.temperature": 20.0, "populations.exc.size": np.int64(5),
                   "cells.pyr.morphology.branches.0.length": np.float64(30), "cells.pyr.regions.dend.cm": 2,
                   "stimuli.0.iclamp.amplitude": 0.25, "cells.pyr.regions.soma.hh.gnabar": 0.1,
                   "cells.pyr.regions.dend.pas.g": {"normal": {"mean": 1e-4, "sd": 1e-5}}}
        expected = hillock.run(cell(), texts, backend="cpu")
        for results in (hillock.run(cell(), numbers, backend="cpu"),
                        hillock.run(hillock.load(cell()).with_values(numbers), backend="cpu"),
                        hillock.run(hillock.load(cell(), {"run.duration": 9}), {**numbers}, backend="cpu")):
            self.assertEqual(results["v"].data.tobytes(), expected["v"].data.tobytes())
        self.assertNotEqual(hillock.run(cell(), {"run.duration": 7}, backend="cpu")["v"].data.tolist(),
                            expected["v"].data.tolist())
        for wrong in ({"run.duration": "7"}, {"cells.pyr.regions.dend.pas.g": {"normal": {"mean": "1e-4", "sd": 0}}}):
            with self.assertRaisesRegex(hillock.ModelError, "has no unit"):
                hillock.load(cell(), wrong)
        with self.assertRaisesRegex(hillock.ModelError, "must be positive"):
            hillock.load(cell(), {"run.duration": -7})

    def test_all_that_is_wrong_is_listed(self):
        self.assertEqual(hillock.validate(cell()), [])
        self.assertEqual(hillock.validate(hillock.load(cell())), [])
        model = cell()
        model["populations"]["exc"]["size"] = -1
        model["run"]["duration"] = "7"
        found = hillock.validate(model)
        self.assertEqual([problem.severity for problem in found], ["error", "error"])
        self.assertIn("7 has no unit", found[0].message + found[1].message)
        warned = cell()
        warned["populations"]["idle"] = {"cell": "pyr", "size": 2}
        (problem,) = hillock.validate(warned)
        self.assertEqual(problem.severity, "warning")
        self.assertEqual([repr(problem)], hillock.load(warned).warnings)
        with self.assertRaises(FileNotFoundError):
            hillock.validate("nowhere.yaml")

    def test_a_page_shows_it(self):
        with tempfile.TemporaryDirectory() as folder:
            page = hillock.view(RING)
            where = page.save(pathlib.Path(folder) / "ring.html")
            stderr, code = command("view", RING, "-o", f"{folder}/by_command.html")
            self.assertEqual((stderr, code), ("", 0))
            self.assertEqual(where.read_text(), pathlib.Path(folder, "by_command.html").read_text())
            self.assertIn("iframe", page._repr_html_())
            hillock.run(cell(), backend="cpu", output=f"{folder}/out")
            of_run = hillock.report(f"{folder}/out")
            self.assertEqual(of_run.text, hillock.report(hillock.open(f"{folder}/out")).text)
            self.assertIn("spikes", of_run.text)
            with self.assertRaisesRegex(ValueError, "in memory"):
                hillock.report(hillock.run(cell(), backend="cpu"))
            with self.assertRaises(hillock.FileError):
                hillock.report(folder)

    def test_what_a_notebook_shows(self):
        model = hillock.load(cell())
        self.assertIn("<td style=\"text-align:left\">exc</td>", model._repr_html_())
        self.assertIn("Results, complete", hillock.run(model, backend="cpu")._repr_html_())

    def test_the_mechanisms_that_there_are(self):
        known = hillock.mechanisms()
        self.assertEqual((known["hh"].kind, known["expsyn"].kind), ("density", "synapse"))
        self.assertEqual(known["hh"].parameters["gnabar"], 0.12)
        self.assertEqual(known["hh"].variables["gnabar"].unit, "S/cm2")
        self.assertEqual((known["expsyn"].weight_unit, known["hh"].weight_unit), ("uS", None))
        self.assertIn("<td", known["hh"]._repr_html_())

    def test_connections_are_those_that_are_drawn(self):
        connections = hillock.load(network()).projections[0].connections()
        self.assertEqual(np.bincount(connections["target"].astype(int)).tolist(), [3] * 8)
        self.assertTrue(np.all(connections["source"] != connections["target"]))
        self.assertTrue(np.all((connections["weight"] >= 1e-3) & (connections["weight"] <= 4e-3)))
        self.assertEqual(set(connections["delay_ms"]), {1.5})

    def test_a_dictionary_may_change_behind_its_model(self):
        """Models that are made of one dictionary in turn stay what they were, wherever they are read again."""
        source = cell("1 ms")
        models = []
        for amplitude in ("0.1 nA", "0.2 nA"):
            source["stimuli"][0]["iclamp"].update(amplitude=amplitude, start="0 ms")
            models.append(hillock.load(source, set={"record.1.at": "soma(0.5)"}))
        expected = [hillock.run(model, backend="cpu")["v"].data for model in models]
        self.assertFalse(np.array_equal(*expected))
        for model, data in zip(models, expected):
            again = hillock.run(model.with_values({"run.seed": 3}), backend="cpu")["v"].data
            np.testing.assert_array_equal(again, data)
            np.testing.assert_array_equal(hillock.run(pickle.loads(pickle.dumps(model)), backend="cpu")["v"].data, data)

    def test_a_compartment_that_is_not_there(self):
        kind = hillock.load(cell()).cells["pyr"]
        for branch, position, error in (("axon", 0.5, KeyError), (2, 0.5, KeyError), (-1, 0.5, KeyError),
                                        ("dend", -0.1, ValueError), ("dend", 1.1, ValueError)):
            with self.assertRaises(error):
                kind.compartment(branch, position)

    def test_a_model_is_pickled(self):
        for source in (RING, cell()):
            model = hillock.load(source, {"run.duration": "3 ms"})
            copy = pickle.loads(pickle.dumps(model))
            self.assertEqual(copy.run, model.run)
            self.assertEqual(repr(copy).splitlines()[1:], repr(model).splitlines()[1:])

    def test_file_names_in_a_dictionary_are_relative_to_a_directory(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "g.csv").write_text("g\n1e-4\n2e-4\n3e-4\n")
            model = cell()
            model["cells"]["pyr"]["regions"]["dend"]["pas"]["g"] = {"csv": "g.csv"}
            hillock.load(model, directory=folder)
            with self.assertRaisesRegex(hillock.ModelError, "cannot read 'g.csv'"):
                hillock.load(model)


class Arrays(unittest.TestCase):
    def test_a_column_is_the_same_as_written_by_hand(self):
        values = np.array([1e-4, 2e-4, 1 / 3 * 1e-3])
        by_hand, by_array, by_frame = cell(), cell(), cell()
        by_hand["cells"]["pyr"]["regions"]["dend"]["pas"]["g"] = {
            "list": [f"{value!r} S/cm2" for value in values.tolist()]}
        by_array["cells"]["pyr"]["regions"]["dend"]["pas"]["g"] = {"csv": values}
        import pandas
        by_frame["cells"]["pyr"]["regions"]["dend"]["pas"]["g"] = {
            "csv": pandas.DataFrame({"other": values + 1, "g": values}), "column": "g"}
        expected = hillock.run(by_hand, backend="cpu")["v"].data
        self.assertNotEqual(expected[:, 0].tolist(), expected[:, 1].tolist())
        for model in (by_array, by_frame):
            self.assertEqual(hillock.run(model, backend="cpu")["v"].data.tobytes(), expected.tobytes())

    def test_columns_with_places_give_one_value_to_each_compartment(self):
        by_expression, by_rows = cell(), cell()
        for model in (by_expression, by_rows):
            model["cells"]["pyr"]["discretization"] = {"per_branch": 4}
        by_expression["cells"]["pyr"]["regions"]["dend"]["pas"]["g"] = "1e-4 S/cm2 * x / 1 um"
        x = 20 + 200 * (np.arange(4) + 0.5) / 4
        by_rows["cells"]["pyr"]["regions"]["dend"]["pas"]["g"] = {
            "csv": {"branch": np.ones(4), "position": (np.arange(4) + 0.5) / 4, "g": 1e-4 * x}}
        expected, found = (hillock.run(model, backend="cpu")["v"].data for model in (by_expression, by_rows))
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)  # rounding
        self.assertGreater(np.abs(hillock.run(cell(), backend="cpu")["v"].data - found).max(), 1)
        by_rows["cells"]["pyr"]["discretization"] = {"per_branch": 5}
        with self.assertRaisesRegex(hillock.ModelError, r"has no row for exc\[0\] at dend\(0.5\)"):
            hillock.run(by_rows, backend="cpu")

    def test_connections_come_as_lists(self):
        pairs = {"source": [0, 1, 2], "target": (1, 2, 0)}
        models = [network("20 ms") for _ in range(2)]
        for model, columns in zip(models, (pairs, {name: np.array(column) for name, column in pairs.items()})):
            model["projections"][0]["connect"] = {"list": columns}
        by_lists, by_arrays = (hillock.load(model).projections[0].connections() for model in models)
        self.assertEqual(by_lists["target"].tolist(), [0, 1, 2])
        self.assertEqual(by_lists["source"].tolist(), by_arrays["source"].tolist())

    def test_connections_come_as_arrays(self):
        sources, targets = np.array([0, 1, 2, 0]), np.array([1, 2, 0, 2])
        weights = np.array([0.001, 0.002, 0.003, 0.004])
        model = network()
        model["projections"][0].update(
            connect={"list": {"source": sources, "target": targets, "weight": weights}})
        made = hillock.load(model).projections[0].connections()
        order = np.lexsort((sources, targets))
        self.assertEqual(made["source"].tolist(), sources[order].tolist())
        self.assertEqual(made["target"].tolist(), targets[order].tolist())
        self.assertEqual(made["weight"].tolist(), weights[order].tolist())

    def test_connections_have_arguments_of_their_own(self):
        runs = []
        for gain, rows in (("0", np.array([1.0, 2.0, 4.0])), ("0", np.ones(3)), ("1", None)):
            model = network()
            model["mechanisms"] = [str(SOURCES / "tests/peer/mechanisms/given_arguments.mod")]
            connections = {"source": np.array([0, 1, 2]), "target": np.array([3, 3, 4])}
            model["projections"][0].update(
                synapse={"given_arguments": {}, "at": "soma(0.5)"}, arguments={"gain": gain, "tau": "5 ms"},
                connect={"list": connections if rows is None else {**connections, "gain": rows}})
            runs.append(hillock.run(model, backend="cpu")["v"].data.tobytes())
        self.assertEqual(runs[1], runs[2])
        self.assertNotEqual(runs[0], runs[1])

    def test_a_morphology_comes_as_samples(self):
        file = SOURCES / "models/library/pyramid.swc"
        samples = np.loadtxt(file)
        by_file, by_array = cell(), cell()
        by_file["cells"]["pyr"]["morphology"] = {"swc": str(file)}
        by_array["cells"]["pyr"]["morphology"] = {"swc": samples}
        one, other = (hillock.load(model).cells["pyr"] for model in (by_file, by_array))
        self.assertEqual(repr(one), repr(other))
        for branch, same in zip(one.branches, other.branches):
            self.assertEqual(branch.points.tolist(), same.points.tolist())

    def test_contacts_and_fields_come_as_arrays(self):
        """As lists and expressions of the same numbers."""
        corners = np.array([[x, y, z, 0.02 * x] for x in (-500, 500) for y in (-500, 500) for z in (-500, 500)])
        named = dict(zip("vzyx", corners.T[::-1]))

        def last(electrodes, field):
            model = cell("10 ms")
            model["populations"]["exc"]["size"] = 1
            model["stimuli"].append({"to": "exc", "field": field})
            model["record"] = [{"name": "lfp", "type": "float64",
                                "potential": {"electrodes": electrodes, "conductivity": "0.3 S/m"}}]
            return hillock.run(model, threads=np.int64(1), backend="cpu")["lfp"].data

        expected = last([["20 um", "0 um", "50 um"]], {"potential": "x * 20 V/m"})
        contacts = {"csv": np.array([[20.0, 0, 50]])}
        for field in ({"grid": {"csv": corners}}, {"grid": {"csv": named}}, {"nodes": {"csv": corners}}):
            np.testing.assert_allclose(last(contacts, field), expected, rtol=0, atol=1e-10)
        medium = {"conductivity": "0.3 S/m"}
        listed = last(contacts, {"points": [["0 um", "0 um", "500 um"]], "current": "-1 uA", **medium})
        for source in ({"points": {"csv": np.array([[0.0, 0, 500]])}, "current": "-1 uA", **medium},
                       {"points": {"csv": {"x": [0.0], "y": [0.0], "z": [500.0], "current": [-1000.0]}}, **medium}):
            self.assertEqual(last(contacts, source).tolist(), listed.tolist())

    def test_a_waveform_comes_as_an_array(self):
        model = cell()
        times = np.linspace(0, 40, 401)
        model["stimuli"] = [{"iclamp": {"waveform": {"csv": np.column_stack(
            [times, 0.3 * np.sin(times)])}}, "to": "exc", "at": "soma(0.5)"}]
        self.assertGreater(np.ptp(hillock.run(model, backend="cpu")["v"].data[:, 0]), 5)

    def test_compartments_points_and_a_mechanism_come_from_memory(self):
        results = hillock.run(in_compartments(), progress=False)
        self.assertGreater(len(results.spikes["two"].times), 1)
        plain = hillock.run(in_compartments(gnabar=[[0.12, 0.12], [0.12, 0.12]]), progress=False)
        changed = np.flatnonzero((results["v"].data != plain["v"].data).any(axis=0))
        self.assertEqual(changed.tolist(), [1])  # the second cell has other values

    def test_a_dictionary_is_saved_as_a_file_that_the_command_runs(self):
        model = hillock.load(in_compartments())
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "saved.yaml"
            model.save(path)
            text, code = command("run", str(path), "-o", f"{folder}/out", "--quiet")
            self.assertEqual(code, 0, text)
            ours, theirs = hillock.run(model, progress=False), hillock.open(f"{folder}/out")
            np.testing.assert_array_equal(ours["v"].data, theirs["v"].data)
            self.assertEqual(ours.spikes["two"].times.tolist(), theirs.spikes["two"].times.tolist())
            with self.assertRaisesRegex(ValueError, "a file already"):
                hillock.load(path).save(path)
        with self.assertRaisesRegex(ValueError, "were set"):
            model.with_values({"run.duration": "1 ms"}).save("nowhere.yaml")

    def test_a_dataset_that_is_none_is_refused_with_its_place(self):
        model = in_compartments()
        model["points"]["each"]["list"]["hdf5"]["cell"] = np.zeros((1, 1, 1))
        with self.assertRaisesRegex(ValueError, r"points\.each\.list\.hdf5\.cell: a dataset has numbers or texts"):
            hillock.load(model)

    def test_what_is_no_table_is_refused_with_its_place(self):
        for value, said in ((np.zeros((2, 2, 2)), "one or two dimensions"),
                            (np.array(["a", "b"]), "are numbers"),
                            ({"a": np.zeros(2), "b": np.zeros(3)}, "have one length")):
            model = cell()
            model["cells"]["pyr"]["regions"]["dend"]["pas"]["g"] = {"csv": value}
            with self.assertRaisesRegex(ValueError, f"cells.pyr.regions.dend.pas.g.csv.*{said}"):
                hillock.load(model)

    def test_what_no_model_has_is_refused_with_its_place(self):
        for value, said in ((float("nan"), "run.duration: nan"), (object(), "run.duration: object")):
            with self.assertRaisesRegex((ValueError, TypeError), said):
                hillock.load({**cell(), "run": {"duration": value}})
        with self.assertRaisesRegex(TypeError, "keys are texts, not 1"):
            hillock.load({1: 2})


class Errors(unittest.TestCase):
    def test_all_errors_of_a_model_are_one_exception_with_the_commands_words(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "wrong.yaml")
            with open(file, "w", encoding="utf-8") as opened:
                opened.write("hillock: 1\nrun: {duration: 5, dt: 1 mV}\ncells: {c: {nothing: {}}}\n"
                             "populations: {p: {cell: d, size: -1}}\n")
            with self.assertRaises(hillock.ModelError) as raised:
                hillock.load(file)
            said, code = command("validate", file)
        self.assertEqual(code, 3)
        self.assertEqual(str(raised.exception), said.rstrip("\n"))
        problems = raised.exception.problems
        self.assertGreater(len(problems), 3)
        self.assertEqual((problems[0].severity, problems[0].file, problems[0].line),
                         ("error", file, 2))
        self.assertEqual(pickle.loads(pickle.dumps(raised.exception)).problems, problems)

    def test_a_file_that_is_not_there(self):
        with self.assertRaises(hillock.FileError) as raised:
            hillock.load("/nowhere/model.yaml")
        self.assertEqual(raised.exception.filename, "/nowhere/model.yaml")
        self.assertIsInstance(raised.exception, FileNotFoundError)
        self.assertEqual(raised.exception.errno, errno.ENOENT)
        again = pickle.loads(pickle.dumps(raised.exception))
        self.assertEqual((type(again), again.filename, again.errno, str(again)),
                         (type(raised.exception), "/nowhere/model.yaml", errno.ENOENT, str(raised.exception)))
        with self.assertRaises(hillock.FileError) as raised:
            hillock.load("/")
        self.assertNotIsInstance(raised.exception, FileNotFoundError)

    def test_what_is_wrong_with_set_is_said_in_pythons_words(self):
        with self.assertRaisesRegex(hillock.ModelError, "^set: error: run.duration: 2 has no unit"):
            hillock.load(cell(), set={"run.duration": "2"})

    def test_no_threads_are_refused(self):
        for threads in (0, -1, 5000):
            with self.assertRaisesRegex(hillock.UsageError, "threads must be from 1 to 4096"):
                hillock.run(cell(), threads=threads)

    def test_numbers_that_grow_beyond_all_bounds_tell_where(self):
        with self.assertRaises(hillock.NumericalError) as raised:
            hillock.run(cell(amplitude="-1e9 nA"), backend="cpu")
        self.assertEqual(raised.exception.population, "exc")
        self.assertGreater(raised.exception.time_ms, 4)

    def test_a_backend_that_there_is_not(self):
        with self.assertRaisesRegex(hillock.UsageError, "must be auto, cpu or cuda"):
            hillock.run(cell(), backend="gpu")


if __name__ == "__main__":
    unittest.main()
