"""hillock.run and hillock.open: the same numbers as the command's, in memory and in files."""

import contextlib
import errno
import filecmp
import importlib.util
import io
import os
import pathlib
import pickle
import shutil
import tempfile
import threading
import unittest
import warnings

import h5py
import numpy as np

import hillock
from models import RING, assert_same, cell, command, network

try:
    import pandas
except ImportError:
    pandas = None


NOBODY = 65534


def raised_as_nobody(folder):
    """What a run into a folder raises in a process of another user; None for nothing."""
    read, write = os.pipe()
    if (child := os.fork()) == 0:
        error = None
        try:
            os.setuid(NOBODY)
            hillock.run(cell("1 ms"), output=folder, backend="cpu")
        except BaseException as raised:
            error = raised
        os.write(write, pickle.dumps(error))
        os._exit(0)
    os.close(write)
    with open(read, "rb") as pipe:
        pickled = pipe.read()
    os.waitpid(child, 0)
    return pickle.loads(pickled)



class Outside(unittest.TestCase):
    def test_a_cell_without_electrodes_is_a_dipole_from_afar(self):
        model = cell("12 ms")
        model["stimuli"] = [{"spikes": {"times": ["2 ms"]}, "to": "exc", "weight": "20 nS",
                             "synapse": {"expsyn": {"tau": "2 ms", "e": "0 mV"}, "at": "dend(0.9)"}}]
        model["record"].append({"name": "i", "of": "exc[0]", "variable": "i_membrane", "at": "all", "every": "0.1 ms",
                                "type": "float64"})
        currents = hillock.run(model, progress=False)["i"].of(0)  # nA
        largest = np.abs(currents).max()
        self.assertGreater(largest, 0.05)
        self.assertLess(np.abs(currents.sum(axis=1)).max(), 1e-9 * largest)
        middles = hillock.load(model).cells["pyr"].ends_um.mean(axis=1)

        def potential_mV(x_um):
            distances = np.linalg.norm(middles - [x_um, 0, 0], axis=1)
            return currents @ (1 / (4 * np.pi * 0.3 * distances))

        near, far = potential_mV(-2e4), potential_mV(-4e4)
        at = np.abs(near).argmax()
        self.assertAlmostEqual(near[at] / far[at], 4, delta=0.1)


    def test_means_and_parts_of_potentials(self):
        model = cell("12 ms")
        model["populations"]["inh"] = {"cell": "pyr", "size": 2, "positions": {"uniform_box": ["90 um"] * 3}}
        model["populations"]["exc"]["positions"] = {"uniform_box": ["90 um"] * 3}
        model["stimuli"] = [{"spikes": {"times": ["2 ms"]}, "to": name, "weight": "20 nS",
                             "synapse": {"expsyn": {"tau": "2 ms", "e": "0 mV"}, "at": "dend(0.9)"}} for name in ("exc", "inh")]
        potential = {"electrodes": [["30 um", "5 um", "0 um"], ["-40 um", "0 um", "0 um"]], "conductivity": "0.3 S/m"}
        exact = {"type": "float64", "potential": potential}
        moment = {"type": "float64", "variable": "dipole", "every": "0.1 ms"}
        model["record"] = [
            {"name": "steps", **exact}, {"name": "samples", "every": "0.1 ms", "by": "population", **exact},
            {"name": "means", "every": "0.1 ms", "mean": True, **exact},
            {"name": "late", "every": "0.2 ms", "start": "0.1 ms", "mean": True, **exact},
            {"name": "cells", "of": "inh", "every": "0.1 ms", "by": "cell", **exact},
            {"name": "i", "of": "inh", "variable": "i_membrane", "at": "all", "every": "0.1 ms", "type": "float64"},
            {"name": "moment", "by": "population", **moment}, {"name": "moments", "of": "inh", "by": "cell", **moment}]
        results = hillock.run(model, progress=False)
        steps = results["steps"].data
        scale = 1e-12 * np.abs(steps).max()
        np.testing.assert_array_equal(results["samples"].data, steps[::4])
        means = np.stack([steps[max(0, k - 3):k + 1].mean(axis=0) for k in range(0, len(steps), 4)])
        np.testing.assert_allclose(results["means"].data, means, rtol=0, atol=scale)
        late = np.stack([steps[max(0, k - 7):k + 1].mean(axis=0) for k in range(4, len(steps), 8)])
        np.testing.assert_allclose(results["late"].data, late, rtol=0, atol=scale)
        self.assertEqual(results["late"].times[0], 0.1)
        parts = [results[f"samples.{name}"] for name in ("exc", "inh")]
        np.testing.assert_array_equal(sum(part.data for part in parts), results["samples"].data)
        np.testing.assert_array_equal(parts[0].contacts_um, results["samples"].contacts_um)
        cells = results["cells"]
        self.assertEqual(cells.columns(), [(0, 0, 0), (0, 1, 0), (1, 0, 0), (1, 1, 0)])
        np.testing.assert_allclose(cells.of(0) + cells.of(1), parts[1].data, rtol=0, atol=scale)
        population = hillock.load(model).populations["inh"]
        by_hand = [results["i"].of(one) @ population.ends_um(one).mean(axis=1) for one in range(2)]
        largest = np.abs(by_hand).max()
        for one in range(2):
            np.testing.assert_allclose(results["moments"].of(one), by_hand[one], rtol=0, atol=1e-12 * largest)
        np.testing.assert_allclose(results["moment.inh"].data, sum(by_hand), rtol=0, atol=1e-12 * largest)
        np.testing.assert_array_equal(results["moment.exc"].data + results["moment.inh"].data, results["moment"].data)
        self.assertEqual(repr(results["moment"]), "Report moment: 120 samples of 3 elements, nA um")
        with hillock.Simulation(model) as simulation:  # in parts that end within means
            parts = simulation.advance(3.025).advance(7.05).advance().results()
        with hillock.Simulation(model) as simulation:
            saved = simulation.advance(5.05).save()
        with hillock.Simulation(model) as simulation:
            resumed = simulation.restore(saved).advance().results()
        for name, report in results.reports.items():
            np.testing.assert_array_equal(parts[name].data, report.data)
            np.testing.assert_array_equal(resumed[name].data, report.data[-len(resumed[name].data):])
        with tempfile.TemporaryDirectory() as folder:
            hillock.run(model, output=f"{folder}/out", progress=False)
            read = hillock.open(f"{folder}/out")
            self.assertEqual(list(read.reports), list(results.reports))
            for name, report in results.reports.items():
                np.testing.assert_array_equal(read[name].data, report.data)
                self.assertEqual(repr(read[name]), repr(report))
            os.remove(f"{folder}/out/run.json")  # as if another program had written it
            for name, report in results.reports.items():
                again = hillock.open(f"{folder}/out")[name]
                np.testing.assert_array_equal(again.data, report.data)
                self.assertEqual(again.contacts_um is None, report.contacts_um is None)

    def test_a_potential_is_a_report_of_contacts(self):
        model = cell("12 ms")
        model["stimuli"] = [{"spikes": {"times": ["2 ms"]}, "to": "exc", "weight": "20 nS",
                             "synapse": {"expsyn": {"tau": "2 ms", "e": "0 mV"}, "at": "dend(0.9)"}}]
        contacts = [["30 um", "5 um", "0 um"], ["-40 um", "0 um", "0 um"], ["10 um", "50 um", "0 um"]]
        model["record"] += [
            {"name": "i", "of": "exc", "variable": "i_membrane", "at": "all", "every": "0.1 ms", "type": "float64"},
            {"name": "lfp", "every": "0.1 ms", "type": "float64",
             "potential": {"electrodes": contacts, "conductivity": "0.3 S/m", "method": "point"}}]
        with self.assertWarnsRegex(UserWarning, "no positions"):
            results = hillock.run(model, progress=False)
        report = results["lfp"]
        places = np.array([[30, 5, 0], [-40, 0, 0], [10, 50, 0]])
        np.testing.assert_array_equal(report.contacts_um, places)
        middles = hillock.load(model).cells["pyr"].ends_um.mean(axis=1)
        distances = np.linalg.norm(middles - places[:, None], axis=2)
        cells = hillock.load(model).populations["exc"].size
        expected = sum(results["i"].of(one) for one in range(cells)) @ (1 / (4 * np.pi * 0.3 * distances)).T
        np.testing.assert_allclose(report.data, expected, rtol=1e-9, atol=1e-12 * np.abs(expected).max())
        if importlib.util.find_spec("pandas"):
            self.assertEqual(list(report.frame().columns), [0, 1, 2])
        if importlib.util.find_spec("xarray"):
            self.assertEqual(report.xarray().y.values.tolist(), [5, 0, 50])
        self.assertEqual(repr(report), "Report lfp: 120 samples of 3 contacts, mV")
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            hillock.run(model, output=f"{folder}/out", progress=False)
            read = hillock.open(f"{folder}/out")["lfp"]
            np.testing.assert_array_equal(read.data, report.data)
            np.testing.assert_array_equal(read.contacts_um, places)
            os.remove(f"{folder}/out/run.json")  # as if another program had written it
            np.testing.assert_array_equal(hillock.open(f"{folder}/out")["lfp"].data, report.data)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            swept = hillock.sweep(model, {"cells.pyr.regions.dend.pas.g": ["1e-4 S/cm2", "2e-4 S/cm2"]})
        self.assertFalse(swept.together)
        self.assertIn("potentials are sums", repr(swept))


class Run(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def test_what_a_model_is_warned_of_is_a_warning(self):
        model = cell()
        model["populations"]["idle"] = {"cell": "pyr", "size": 2}
        with self.assertWarnsRegex(UserWarning, "idle"):
            hillock.run(model, {"run.duration": 0.1})

    def path(self, name):
        return os.path.join(self.folder, name)

    def test_results_are_the_commands(self):
        said, code = command("run", RING, "-o", self.path("command"), "--backend", "cpu", "--quiet",
                             "--set", "run.duration=100ms")
        self.assertEqual((said, code), ("", 0))
        model = hillock.load(RING, {"run.duration": "100ms"})
        results = hillock.run(model, backend="cpu")
        files = hillock.open(self.path("command"))
        assert_same(self, results, files)
        self.assertGreater(len(results.spikes["ring"]), 5)
        self.assertEqual(results.status, "complete")
        for key in ("cells", "compartments", "steps", "epoch_steps", "seed", "hillock"):
            self.assertEqual(results.summary[key], files.summary[key])

    def test_files_are_the_commands(self):
        model = pathlib.Path(self.path("model.yaml"))
        model.write_text(hillock.load(network()).text, encoding="utf-8")
        command("run", str(model), "-o", self.path("command"), "--backend", "cpu", "--quiet")
        results = hillock.run(str(model), output=self.path("python"), backend="cpu", threads=1)
        for name in ("spikes.h5", "v.h5", "m.h5"):
            self.assertTrue(filecmp.cmp(self.path(f"command/{name}"), self.path(f"python/{name}"), False))
        assert_same(self, results, hillock.run(str(model), backend="cpu"))
        self.assertEqual(results.directory, self.path("python"))

    def test_a_complete_run_is_not_overwritten(self):
        hillock.run(cell("1 ms"), output=self.path("a"), backend="cpu")
        with self.assertRaisesRegex(hillock.FileError, r"holds a complete run \(force=True replaces it, output"):
            hillock.run(cell("1 ms"), output=self.path("a"), backend="cpu")
        hillock.run(cell("2 ms"), output=self.path("a"), backend="cpu", force=True)
        self.assertEqual(hillock.open(self.path("a"))["v"].data.shape, (20, 3))

    def test_a_folder_that_cannot_be_made(self):
        blocked = pathlib.Path(self.path("file"))
        blocked.write_text("", encoding="utf-8")
        with self.assertRaisesRegex(hillock.FileError, "file/a: cannot be created .*; output names another place") as raised:
            hillock.run(cell("1 ms"), output=blocked / "a", backend="cpu")
        self.assertEqual(raised.exception.errno, errno.ENOTDIR)
        for file in ("run.json", "spikes.h5"):
            hillock.run(cell("1 ms"), output=self.path("a"), backend="cpu", force=True)
            for use in (hillock.open, hillock.report):
                with self.assertRaisesRegex(hillock.FileError, f"is a file; give the folder of the run, {self.path('a')}"):
                    use(self.path(f"a/{file}"))

    @unittest.skipUnless(os.geteuid() == 0, "only root can be another user")
    def test_a_folder_that_belongs_to_others(self):
        theirs = pathlib.Path(self.path("theirs"))
        theirs.mkdir(mode=0o700)
        pathlib.Path(self.folder).chmod(0o755)
        for folder in (theirs, theirs / "a/b"):
            error = raised_as_nobody(folder)
            self.assertIsInstance(error, hillock.FileError)
            self.assertIsInstance(error, PermissionError)
            self.assertEqual((error.errno, error.filename), (errno.EACCES, str(folder)))
            self.assertIn("Permission denied; output names another place", str(error))

    def test_reports_are_views_of_what_the_run_wrote(self):
        data = hillock.run(cell(), backend="cpu")["v"].data
        self.assertFalse(data.flags.owndata)
        self.assertTrue(data.flags.c_contiguous)
        self.assertEqual((data.dtype, data.shape), (np.float64, (400, 3)))

    def test_threads_and_epochs_change_nothing(self):
        results = hillock.run(network(), backend="cpu", threads=1)
        assert_same(self, results, hillock.run(network(), backend="cpu", threads=2, epoch_steps=7))
        self.assertGreater(len(results.spikes["point"]), 10)

    def test_two_runs_at_once_change_nothing(self):
        expected = hillock.run(network(), backend="cpu")
        model, made = hillock.load(network()), {}

        def run(number):
            made[number] = hillock.run(model, backend="cpu", threads=1 + number % 2)

        threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for results in made.values():
            assert_same(self, results, expected)
        self.assertEqual(len(made), 4)

    def test_results_are_pickled(self):
        in_memory = hillock.run(network(), backend="cpu")
        in_files = hillock.run(network(), output=self.path("out"), backend="cpu")
        for results in (in_memory, in_files):
            assert_same(self, pickle.loads(pickle.dumps(results)), in_memory)

    def test_a_run_that_fails_leaves_its_files(self):
        model = cell(amplitude="-1e9 nA")
        with self.assertRaises(hillock.NumericalError):
            hillock.run(model, output=self.path("out"), backend="cpu", epoch_steps=10)
        results = hillock.open(self.path("out"))
        self.assertEqual(results.status, "failed")
        self.assertGreater(len(results["v"].data), 40)
        np.testing.assert_array_equal(results["v"].data[:40],
                                      hillock.run(cell(), backend="cpu")["v"].data[:40])

    def test_progress_is_told(self):
        heard = []
        hillock.run(cell("2 s"), backend="cpu", threads=1, progress=lambda *now: heard.append(now))
        for what, done, total, spikes in heard:
            self.assertIsInstance(what, str)
            self.assertLessEqual(done, max(total, done))
            self.assertGreaterEqual(spikes, 0)

    def test_logs_get_a_line_at_the_end(self):
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            hillock.run(cell("2 s"), backend="cpu", threads=1, progress=True)
        self.assertRegex(said.getvalue(), r"^Hillock: 2000 ms in 0:\d\d, [\d.e+]+ ms/s, \d+ spikes\n$")

    def test_a_terminal_gets_speed_and_time_left(self):
        class Terminal(io.StringIO):
            def isatty(self):
                return True

        said = Terminal()
        with contextlib.redirect_stderr(said):
            hillock.run(cell("100 s"), backend="cpu", threads=1, progress=True)
        self.assertRegex(said.getvalue(), r"\rrunning  \d+ %  [\d.]+ of 100000 ms  [\d.e+]+ ms/s  \d:\d\d left")
        self.assertTrue(said.getvalue().endswith("\r"))

    @unittest.skipUnless(importlib.util.find_spec("xarray"), "xarray is not there")
    def test_reports_as_xarray(self):
        report = hillock.run(cell(), backend="cpu")["v"]
        array = report.xarray()
        self.assertEqual((array.dims, array.attrs["units"]), (("time", "element"), "mV"))
        np.testing.assert_array_equal(array.sel(time=10.0, method="nearest"), report.data[100])
        np.testing.assert_array_equal(array[:, array.cell == 1], report.of(1))

    @unittest.skipUnless(importlib.util.find_spec("neo"), "neo is not there")
    def test_results_as_neo(self):
        results = hillock.run(network(), backend="cpu")
        (segment,) = results.neo().segments
        trains = {(one.annotations["population"], one.annotations["cell"]): one for one in segment.spiketrains}
        for name, spikes in results.spikes.items():
            for number, times in enumerate(spikes.trains()):
                if len(times):
                    np.testing.assert_array_equal(trains.pop((name, number)).magnitude, times)
        self.assertFalse(trains)
        signals = {one.name: one for one in segment.analogsignals}
        self.assertEqual((str(signals["v"].dimensionality), str(signals["m"].dimensionality)), ("mV", "dimensionless"))
        np.testing.assert_array_equal(signals["v"].magnitude, results["v"].data)
        self.assertEqual(signals["v"].array_annotations["cell"].tolist(), results["v"].node_ids.tolist())

    def test_outputs_of_other_programs(self):
        folder = pathlib.Path(self.path("others"))
        folder.mkdir()
        rng = np.random.default_rng(1)
        data, widths, nodes = rng.normal(size=(50, 6)), [2, 1, 3], [7, 3, 12]
        with h5py.File(folder / "membrane.h5", "w") as file:  # as bmtk 1.2 writes it, its nodes in any order
            group = file.create_group("report/cortex")
            group["data"] = data
            group["data"].attrs["units"] = "mV"
            mapping = {"node_ids": np.array(nodes, "u8"), "index_pointer": np.cumsum([0, *widths]).astype("u8"),
                       "element_ids": np.array([0, 1, 0, 0, 1, 2], "u8"), "element_pos": rng.uniform(size=6),
                       "time": np.array([5.0, 10, 0.1])}
            for name, column in mapping.items():
                group[f"mapping/{name}"] = column
        for name, times, ids in (("spikes", [5.0, 1.0, 9.5], [3, 7, 12]), ("more_spikes", [2.5], [3])):
            with h5py.File(folder / f"{name}.h5", "w") as file:
                file["spikes/cortex/timestamps"], file["spikes/cortex/node_ids"] = times, np.array(ids, "i8")
        with h5py.File(folder / "ecp.h5", "w") as file:  # bmtk's too
            file["ecp/data"], file["ecp/time"], file["ecp/channel_id"] = data, [0.0, 5.0, 0.1], np.arange(6)
            file["ecp/data"].attrs["units"] = "mV"
        with h5py.File(folder / "other.h5", "w") as file:
            file["other/data"] = data
        results = hillock.open(folder)
        self.assertEqual((results.status, list(results.reports), list(results.spikes)),
                         ("unknown", ["ecp", "membrane"], ["cortex"]))
        report, spikes = results["membrane"], results.spikes["cortex"]
        self.assertEqual((spikes.times.tolist(), spikes.ids.tolist()), ([1.0, 2.5, 5.0, 9.5], [7, 3, 3, 12]))
        self.assertEqual((report.units, report.start_ms, report.every_ms), ("mV", 5.0, 0.1))
        for node, begin, end in zip(nodes, np.cumsum([0, *widths]), np.cumsum(widths)):
            np.testing.assert_array_equal(report.of(node), data[:, begin:end])
        np.testing.assert_array_equal(report.element_pos, mapping["element_pos"][[2, 0, 1, 3, 4, 5]])
        np.testing.assert_array_equal(results["ecp"].data, data)
        self.assertEqual(repr(results["ecp"]), "Report ecp: 50 samples of 6 contacts, mV")
        page = hillock.report(folder).text
        self.assertTrue('"membrane"' in page and '"ecp"' in page)
        self.assertIn("other.h5 has neither spikes nor a report", page)
        with h5py.File(folder / "membrane.h5", "a") as file:
            del file["report/cortex/mapping/index_pointer"]
        with self.assertRaisesRegex(hillock.FileError, "membrane.h5: has no dataset '/report/cortex/mapping/index_pointer"):
            hillock.open(folder)
        (folder / "membrane.h5").write_bytes(b"nothing of the kind")
        with self.assertRaisesRegex(hillock.FileError, "membrane.h5"):
            hillock.open(folder)

    def test_what_progress_raises_ends_the_run(self):
        def stop(*_):
            raise LookupError("enough")

        with self.assertRaisesRegex(LookupError, "enough"):
            hillock.run(cell("1000 s"), backend="cpu", progress=stop)

    def test_nothing_is_recorded(self):
        results = hillock.run({**cell(), "record": []}, backend="cpu")
        self.assertEqual((results.spikes, results.reports), ({}, {}))

    def test_populations_that_the_output_knows_as_one(self):
        model = cell()
        model["populations"] = {
            name: {"cell": "pyr", "size": len(ids), "nodes": {"population": "cortex", "ids": {"csv": np.array(ids)}}}
            for name, ids in (("a", [4, 0, 2]), ("b", [1, 3]))}
        model["stimuli"][0]["to"] = "a"
        model["record"] = [{"name": "v", "of": ["a", "b"], "variable": "v", "at": "soma(0.5)"},
                           {"name": "w", "of": "a", "variable": "v", "at": "dend(0.5)", "type": "float64"},
                           {"name": "spikes_a", "of": "a"}, {"name": "spikes_b", "of": "b"}]
        in_files = hillock.run(model, backend="cpu", output=self.path("run.out"))
        in_memory = hillock.run(model, backend="cpu")
        assert_same(self, in_memory, in_files)
        for results in (in_files, in_memory):
            self.assertEqual(list(results.spikes), ["cortex"])
            self.assertEqual(results["v"].population, "cortex")
            self.assertEqual(results["v"].node_ids.tolist(), [0, 1, 2, 3, 4])
            self.assertEqual(results["w"].node_ids.tolist(), [0, 2, 4])
        self.assertGreater(np.ptp(in_memory["v"].of(4)), np.ptp(in_memory["v"].of(3)))
        simulation = hillock.Simulation(model, backend="cpu")
        for time in (3, 17.5, 40):
            simulation.advance(time)
        assert_same(self, simulation.results(), in_files)

    def test_trains_of_fewer_cells_are_theirs_alone(self):
        spikes = hillock.Spikes("exc", np.array([1.0, 2, 3, 4]), np.array([0, 5, 2, 1], np.uint64), 6)
        self.assertEqual([train.tolist() for train in spikes.trains(2)], [[1], [4]])
        self.assertEqual([train.tolist() for train in spikes.trains()], [[1], [4], [3], [], [], [2]])
        self.assertEqual(spikes.trains(0), [])

    def test_cells_that_never_spike_have_trains(self):
        model = cell("5 ms", "0 nA")
        self.assertEqual(len(hillock.run(model, backend="cpu").spikes["exc"].trains()), 3)
        hillock.run(model, backend="cpu", output=self.path("silent"))
        self.assertEqual(len(hillock.open(self.path("silent")).spikes["exc"].trains()), 3)

    def test_what_is_no_run(self):
        with self.assertRaises(hillock.FileError):
            hillock.open(self.folder)
        pathlib.Path(self.path("run.json")).write_text("[1, 2]", encoding="utf-8")
        with self.assertRaisesRegex(hillock.FileError, "no summary of a run"):
            hillock.open(self.folder)


class Results(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.results = hillock.run(network(), backend="cpu")

    def test_spikes_by_cell(self):
        spikes = self.results.spikes["point"]
        self.assertTrue(np.all(np.diff(spikes.times) >= 0))
        trains = spikes.trains(40)
        self.assertEqual(len(trains), 40)
        self.assertEqual(sum(len(train) for train in trains), len(spikes))
        for number, train in enumerate(trains):
            self.assertEqual(train.tolist(), spikes.of(number).tolist())
        self.assertEqual(len(spikes.trains()), 40)
        self.assertEqual(hillock.Spikes("none", np.empty(0), np.empty(0, np.uint64)).trains(), [])

    def test_a_cell_of_a_report(self):
        report = self.results["v"]
        self.assertEqual(report.of(2).tolist(), report.data[:, 2:3].tolist())
        self.assertEqual(report.columns()[2], (2, 0, 0.5))
        with self.assertRaisesRegex(KeyError, "cell 99 of exc is not recorded"):
            report.of(99)
        with self.assertRaisesRegex(KeyError, "no report 'w' among v, m"):
            self.results["w"]
        with self.assertRaisesRegex(KeyError, "no population 'pint' among exc, point. Did you mean 'point'"):
            self.results.spikes["pint"]

    @unittest.skipUnless(pandas, "pandas is not there")
    def test_frames(self):
        frame = self.results["v"].frame()
        self.assertEqual(frame.shape, self.results["v"].data.shape)
        self.assertEqual(frame[(2, 0, 0.5)].tolist(), self.results["v"].data[:, 2].tolist())
        spikes = self.results.spikes["point"].frame()
        self.assertEqual(list(spikes.columns), ["time_ms", "cell"])
        self.assertEqual(len(spikes), len(self.results.spikes["point"]))


if __name__ == "__main__":
    unittest.main()
