#!/usr/bin/env python3
"""Figures: what is drawn is what the results and the model say.

  PYTHONPATH=build/release/python python3 tests/python/plot_test.py
"""

import io
import pathlib
import subprocess
import sys
import unittest
import warnings

import matplotlib

matplotlib.use("Agg")

import numpy as np  # noqa: E402
from matplotlib import pyplot  # noqa: E402
from matplotlib.collections import PolyCollection  # noqa: E402

import hillock  # noqa: E402
from hillock import plot  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]


def results_of(spikes, until=100.0, reports=()):
    """Results of {population: (times, ids)}."""
    made = {name: hillock.Spikes(name, np.array(times, float), np.array(ids, np.uint64))
            for name, (times, ids) in spikes.items()}
    return hillock.Results(made, {report.name: report for report in reports}, {"reached_ms": until})


def report_of(data, cells, per_cell=1, name="v", every=0.5, branches=None, places=None):
    data = np.asarray(data, np.float32)
    data = data.reshape(-1, len(cells) * per_cell) if data.size else data
    elements = data.shape[1]
    return hillock.Report(name, "a", "mV", 0.0, every, data, np.array(cells, np.uint64),
                          np.arange(0, elements + 1, per_cell, dtype=np.uint64),
                          np.array(branches if branches is not None else np.zeros(elements), np.uint32),
                          np.array(places if places is not None else np.full(elements, 0.5), np.float32))


def model_of(cells, populations, projections=(), **more):
    return hillock.load({"hillock": 1, "run": {"duration": "5 ms", "dt": "0.025 ms", "seed": 3},
                         "cells": cells, "populations": populations,
                         "projections": list(projections), **more})


REGIONS = {"all": {"cm": "1 uF/cm2", "Ra": "100 ohm.cm", "pas": {"g": "1e-4 S/cm2", "e": "-65 mV"}}}
FORKED = {"morphology": {"branches": [
    {"name": "soma", "length": "20 um", "diameter": "20 um", "compartments": 1},
    {"name": "dend[0]", "parent": "soma", "length": "100 um", "diameter": "2 um", "compartments": 5},
    {"name": "dend[1]", "parent": "soma", "length": "80 um", "diameter": "2 um", "compartments": 4},
    {"name": "axon", "parent": "soma", "at": 0, "length": "50 um", "diameter": "1 um",
     "compartments": 2}]}, "regions": REGIONS, "detector": {"at": "soma(0.5)", "threshold": "0 mV"}}
POINT = {"artificial": {"izhikevich": {}}}


class FigureTest(unittest.TestCase):
    def setUp(self):
        caught = warnings.catch_warnings()
        caught.__enter__()
        self.addCleanup(caught.__exit__, None, None, None)
        self.addCleanup(pyplot.close, "all")
        warnings.simplefilter("error")
        self.settings = dict(matplotlib.rcParams)

    def drawn(self, axes):
        """The axes, after they were drawn, with settings as they were."""
        np.atleast_1d(np.asarray(axes, dtype=object)).flat[0].figure.canvas.draw()
        self.assertEqual(self.settings, dict(matplotlib.rcParams))
        return axes


class RasterTest(FigureTest):
    def setUp(self):
        super().setUp()
        self.results = results_of({"a": ([1, 2, 2, 50, 99], [0, 3, 4, 0, 1]), "b": ([10, 20], [1, 0])})

    def test_a_point_a_spike_in_the_color_of_its_population(self):
        above, below = self.drawn(plot.raster(self.results, sizes={"a": 8, "b": 3}))
        a, b = [line for line in above.lines if len(line.get_xdata()) > 2 or line.get_label() == "b"][:2]
        np.testing.assert_array_equal(a.get_xydata(), [[1, 0], [2, 3], [2, 4], [50, 0], [99, 1]])
        np.testing.assert_array_equal(b.get_xydata(), [[10, 9], [20, 8]])
        self.assertNotEqual(a.get_color(), b.get_color())
        self.assertEqual([text.get_text().split("\n")[0] for text in above.get_yticklabels()], ["a", "b"])
        self.assertEqual(above.get_ylim(), (-0.5, 10.5))
        self.assertEqual((below.get_xlabel(), below.get_ylabel()), ("time (ms)", "rate (Hz)"))
        self.assertEqual([patch.get_edgecolor() for patch in below.patches],
                         [a.get_color(), b.get_color()])

    def test_rates_are_of_bins_and_per_cell(self):
        _, below = self.drawn(plot.raster(self.results, "a", rates=50, sizes={"a": 10}))
        rate, edges, _ = below.patches[0].get_data()
        np.testing.assert_array_equal(edges, [0, 50, 100])
        np.testing.assert_allclose(rate, [3 / 10 / 0.05, 2 / 10 / 0.05])  # 50 ms: of the later bin

    def test_cells_are_rows_in_their_order(self):
        ax = self.drawn(plot.raster(self.results, "a", cells=[4, 0], rates=False))
        np.testing.assert_array_equal(ax.lines[0].get_xydata(), [[1, 1], [2, 0], [50, 1]])
        self.assertEqual(ax.get_ylim(), (-0.5, 1.5))
        ax = self.drawn(plot.raster(self.results, cells={"a": slice(0, 2)}, rates=False))
        np.testing.assert_array_equal(ax.lines[0].get_xydata(), [[1, 0], [50, 0], [99, 1]])
        self.assertEqual(len(ax.lines[1].get_xdata()), 2)  # all of b

    def test_only_the_time_that_is_asked_for(self):
        above, below = self.drawn(plot.raster(self.results, "a", t=(2, 50)))  # both included
        np.testing.assert_array_equal(above.lines[0].get_xdata(), [2, 2, 50])
        self.assertEqual(below.get_xlim(), (2, 50))

    def test_very_many_spikes_are_an_image(self):
        random = np.random.default_rng(5)
        n, cells = 1_000_000, 10_000
        times, ids = np.sort(random.random(n) * 1000), random.integers(0, cells, n)
        ids[times > 500] %= cells // 2  # the upper half falls silent
        above, _ = self.drawn(plot.raster(results_of({"a": (times, ids)}, 1000), sizes={"a": cells}))
        self.assertEqual(len(above.lines), 0)
        image = above.images[0].get_array()
        self.assertLess(image.size, 4e6)
        opaque = image[..., 3]
        rows, columns = opaque.shape
        self.assertGreater(opaque[:rows // 2, :].mean(), 0.2)
        self.assertGreater(opaque[rows // 2:, :columns // 2 - 1].mean(), 0.2)
        self.assertEqual(opaque[rows // 2 + 1:, columns // 2 + 1:].max(), 0)
        np.testing.assert_allclose(above.images[0].get_extent(), [0, 1000, -0.5, cells - 0.5], rtol=0.01)

    def test_points_in_files_of_vectors_are_pixels_where_there_are_many(self):
        for n, expected in ((100, False), (20_000, True)):
            times = np.linspace(0, 99, n)
            ax = plot.raster(results_of({"a": (times, np.arange(n) % 50)}), rates=False)
            self.assertEqual(bool(ax.lines[0].get_rasterized()), expected)

    def test_nothing_one_thing_and_great_numbers(self):
        for spikes, until in (({}, 0), ({}, None), ({"a": ([], [])}, 100), ({"a": ([], []), "b": ([], [])}, 1),
                              ({"a": ([5], [0])}, 10), ({"a": ([5], [0])}, None),
                              ({"a": ([1e9, 2e9], [0, 2_000_000])}, 3e9)):
            results = results_of(spikes, until)
            for draw in (plot.raster, plot.rates, plot.distributions):
                axes = self.drawn(draw(results))
                for ax in np.atleast_1d(np.asarray(axes, dtype=object)).flat:
                    self.assertTrue(np.isfinite([*ax.get_xlim(), *ax.get_ylim()]).all())
                pyplot.close("all")
        above, _ = plot.raster(results_of({"a": ([], [])}))
        self.assertIn("no spikes", [text.get_text() for text in above.texts])

    def test_axes_and_figures_that_there_are(self):
        figure, (left, right) = pyplot.subplots(1, 2)
        above, below = self.drawn(plot.raster(self.results, ax=right))
        self.assertIs(above, right)
        self.assertIs(below.figure, figure)
        self.assertLess(below.get_position().y1, above.get_position().y0)
        self.assertEqual(left.lines[:], [])
        free = pyplot.figure().add_axes((0.1, 0.1, 0.8, 0.8))
        above, below = self.drawn(plot.raster(self.results, ax=free))
        self.assertLess(below.get_position().y1, above.get_position().y0)
        whole = pyplot.figure()
        part = whole.subfigures(1, 2)[1]
        self.assertIs(plot.rates(self.results, figure=part)[0].figure, part)
        self.assertIs(plot.raster(self.results, figure=whole.subfigures(1, 2)[0], rates=False).figure.figure,
                      whole)
        with self.assertRaises(hillock.UsageError):
            plot.raster(self.results, ax=left, figure=figure)

    def test_mistakes_are_said(self):
        for error, arguments in ((KeyError, {"populations": "c"}), (KeyError, {"sizes": {"a": 9}}),
                                 (hillock.UsageError, {"sizes": {"a": 2, "b": 2}}),
                                 (hillock.UsageError, {"t": (5, 5)}), (hillock.UsageError, {"cells": [-1]}),
                                 (hillock.UsageError, {"cells": [0.5]}), (hillock.UsageError, {"rates": -1})):
            with self.assertRaises(error, msg=str(arguments)):
                plot.raster(self.results, **arguments)

    def test_files_of_a_run_tell_how_many_cells_and_how_long(self):
        results = self.results
        results.directory = "run.out"
        results.summary = {"populations": [{"name": "a", "size": 20}, {"name": "b", "size": 6}],
                           "steps": 4000, "dt_ms": 0.05}
        ax = plot.raster(results, rates=False)
        self.assertEqual((ax.get_ylim(), ax.get_xlim()), ((-0.5, 25.5), (0, 200)))
        self.assertEqual(plot.raster(results, rates=False, sizes={"a": 5, "b": 5}).get_ylim(), (-0.5, 9.5))

    def test_colors_differ_and_can_be_given(self):
        for n in (2, 8, 12):
            results = results_of({f"p{i}": ([1 + i], [0]) for i in range(n)})
            ax = plot.raster(results, rates=False)
            colors = {line.get_color() for line in ax.lines if line.get_label().startswith("p")}
            self.assertEqual(len(colors), n)
        ax = plot.raster(self.results, ["b"], rates=False, colors={"b": "red"})
        self.assertEqual(ax.lines[0].get_color(), (1, 0, 0, 1))
        alone = plot.raster(self.results, "b", rates=False).lines[0].get_color()
        among = plot.raster(self.results, rates=False)
        self.assertIn(alone, [line.get_color() for line in among.lines if line.get_label() == "b"])


class RatesTest(FigureTest):
    def test_bins_and_the_mean_of_each_cell(self):
        results = results_of({"a": ([1, 2, 3, 60, 61], [0, 0, 0, 0, 1])})
        ax, beside = self.drawn(plot.rates(results, bin=20, sizes={"a": 4}))
        rate, edges, _ = ax.patches[0].get_data()
        np.testing.assert_array_equal(edges, [0, 20, 40, 60, 80, 100])
        np.testing.assert_allclose(rate, np.array([3, 0, 0, 2, 0]) / 4 / 0.02)
        np.testing.assert_allclose(beside.lines[0].get_ydata(), 5 / 4 / 0.1)
        self.assertIn("12.5 Hz", beside.get_xticklabels()[0].get_text())

    def test_a_kernel_keeps_a_steady_rate_and_the_number_of_spikes(self):
        steady = results_of({"a": (np.arange(0.5, 1000), np.zeros(1000))}, 1000)
        ax = self.drawn(plot.rates(steady, kernel=20, neurons=False))
        np.testing.assert_allclose(ax.lines[0].get_ydata(), 1000, rtol=2e-3)
        one = results_of({"a": ([500], [0])}, 1000)
        times, rate = plot.rates(one, kernel=20, neurons=False).lines[0].get_data()
        self.assertAlmostEqual(rate.sum() * (times[1] - times[0]) / 1000, 1, places=3)
        self.assertAlmostEqual(rate.max(), 1000 / (20 * np.sqrt(2 * np.pi)), delta=0.2)
        with self.assertRaises(hillock.UsageError):
            plot.rates(one, bin=1, kernel=1)
        with self.assertRaises(hillock.UsageError):
            plot.rates(one, kernel=0)

    def test_a_part_of_the_time(self):
        results = results_of({"a": ([1, 2, 31, 61, 95, 99], [0, 0, 0, 0, 1, 1])})
        ax, beside = self.drawn(plot.rates(results, t=(30, 100), bin=30))
        rate, edges, _ = ax.patches[0].get_data()
        np.testing.assert_array_equal(edges, [30, 60, 90, 100])  # the last bin is shorter
        np.testing.assert_allclose(rate, np.array([1 / 30, 1 / 30, 2 / 10]) * 1000 / 2)
        np.testing.assert_allclose(beside.lines[0].get_ydata(), 4 / 2 / 0.07)
        _, intervals, _ = plot.distributions(results, t=(30, 100))
        share, edges, _ = intervals.patches[0].get_data()
        np.testing.assert_allclose((edges[0], edges[-1], share[0], share[-1]), (4, 30, 50, 50))

    def test_a_spike_at_an_edge_is_of_the_later_bin(self):
        self.assertLess(0.3 / 0.1, 3)  # what rounding would make of it
        ax = plot.rates(results_of({"a": ([0.3], [0])}, 1), bin=0.1, neurons=False)
        self.assertEqual(np.flatnonzero(ax.patches[0].get_data()[0]).tolist(), [3])

    def test_bins_are_whole_steps(self):
        # Spikes on every step of 0.3 ms: in bins of another multiple the rate would jump.
        times = np.repeat(np.arange(1000) * 0.3, 4)
        ax = plot.rates(results_of({"a": (times, np.tile(np.arange(4), 1000))}, 300), neurons=False)
        rate = ax.patches[0].get_data()[0]
        np.testing.assert_allclose(rate[:-1], 1000 / 0.3, rtol=1e-9)


class DistributionsTest(FigureTest):
    def test_rates_intervals_and_their_variation(self):
        # Cell 0 regular, cell 1 with intervals of 10 and 30 in turns, cells 2 and 3 one and two
        # spikes, too few for a CV, cell 4 none.
        trains = {0: np.arange(1, 100, 10), 1: np.array([2, 12, 42, 52, 82]), 2: np.array([7]),
                  3: np.array([3, 13])}
        times = np.concatenate([*trains.values()]).astype(float)
        ids = np.repeat(list(trains), [len(train) for train in trains.values()])
        order = np.lexsort((ids, times))
        results = results_of({"a": (times[order], ids[order])})
        rates, intervals, variations = self.drawn(plot.distributions(results, sizes={"a": 5}))
        share, edges, _ = rates.patches[0].get_data()
        self.assertAlmostEqual(share.sum(), 100)
        found = {round((edges[i] + edges[i + 1]) / 2): round(share[i]) for i in np.flatnonzero(share)}
        # Bins of two spikes: cells of 0 and 1 spikes share one, and there are 2, 5 and 10.
        self.assertEqual(found, {5: 40, 25: 20, 45: 20, 105: 20})
        share, edges, _ = intervals.patches[0].get_data()
        self.assertAlmostEqual(share[0], 100 * 12 / 14)  # 9 + 2 + 1 of 10 ms
        self.assertAlmostEqual(share[-1], 100 * 2 / 14)
        np.testing.assert_allclose(edges[[0, -1]], [10, 30])
        share, edges, _ = variations.patches[0].get_data()
        np.testing.assert_allclose(edges[[0, -1]], [0, 0.5])
        self.assertEqual((share[0], share[-1]), (50, 50))
        for ax in (rates, intervals, variations):
            self.assertTrue(ax.get_xlabel() and "(%)" in ax.get_ylabel())

    def test_intervals_that_differ_much_have_a_logarithmic_axis(self):
        results = results_of({"a": ([1, 2, 90], [0, 0, 0])})
        self.assertEqual(plot.distributions(results)[1].get_xscale(), "log")


class TracesTest(FigureTest):
    def test_few_lie_over_one_another_with_their_unit(self):
        data = np.arange(12).reshape(4, 3)
        ax = self.drawn(plot.traces(report_of(data, [0, 2, 5])))
        self.assertEqual([line.get_label() for line in ax.lines], ["cell 0", "cell 2", "cell 5"])
        np.testing.assert_array_equal(ax.lines[1].get_xydata(), np.c_[[0, .5, 1, 1.5], data[:, 1]])
        self.assertEqual((ax.get_xlabel(), ax.get_ylabel()), ("time (ms)", "v (mV)"))
        self.assertEqual(len({line.get_color() for line in ax.lines}), 3)
        ax = self.drawn(plot.traces(report_of(data, [0, 2, 5]), cells=5, t=(0.5, 1)))
        np.testing.assert_array_equal(ax.lines[0].get_xydata(), [[0.5, 5], [1, 8]])

    def test_many_are_stacked_with_a_scale_bar(self):
        data = np.sin(np.arange(200)[:, None] / 9 + np.arange(8)) * 50
        ax = self.drawn(plot.traces(report_of(data, range(8))))
        lines = [line for line in ax.lines if line.get_label() != "scale"]
        self.assertEqual([text.get_text() for text in ax.get_yticklabels()],
                         [f"cell {i}" for i in range(8)])
        for above, below in zip(lines, lines[1:]):
            self.assertGreater(above.get_ydata().min(), below.get_ydata().max())
        for i, line in enumerate(lines):  # moved, not stretched
            np.testing.assert_allclose(np.diff(line.get_ydata()), np.diff(data[:, i]), atol=1e-4)
        scale, = [line for line in ax.lines if line.get_label() == "scale"]
        x, y = scale.get_data()
        self.assertEqual({text.get_text() for text in ax.texts},
                         {f"{x[1] - x[0]:g} ms", f"{round(y[2] - y[1], 6):g} mV"})

    def test_of_very_many_some_are_drawn_and_the_figure_says_so(self):
        report = report_of(np.zeros((3, 1000)), [4], per_cell=1000)
        ax = self.drawn(plot.traces(report, stacked=False))
        self.assertEqual(len(ax.lines), 20)
        self.assertIn("20 of 1\u2009000", ax.get_title("left"))
        self.assertEqual(len(plot.traces(report, most=None, stacked=False).lines), 1000)
        self.assertEqual(len(plot.traces(report, elements=[0, 999]).lines), 2)

    def test_long_recordings_keep_their_spikes(self):
        data = np.zeros(1_000_000)
        data[[123_456, 654_321]] = [100, -50]
        times, line = self.drawn(plot.traces(report_of(data, [0], every=0.1))).lines[0].get_data()
        self.assertLess(len(line), 10_000)
        self.assertEqual((line.max(), line.min()), (100, -50))
        self.assertAlmostEqual(times[line.argmax()], 12345.6, delta=30)

    def test_a_panel_a_report(self):
        results = results_of({}, reports=(report_of([1, 2], [0]), report_of([3, 4], [0], name="ca")))
        axes = self.drawn(plot.traces(results))
        self.assertEqual([ax.get_ylabel() for ax in axes], ["v (mV)", "ca (mV)"])
        self.assertEqual(plot.traces(results, report="ca").get_ylabel(), "ca (mV)")
        with self.assertRaises(KeyError):
            plot.traces(results, report="na")
        with self.assertRaises(KeyError):
            plot.traces(results["v"], cells=1)
        with self.assertRaises(hillock.UsageError):
            plot.traces(results["v"], elements=3)

    def test_weights_are_named_by_their_sources_and_one_sample_is_a_point(self):
        report = report_of([1.0, 2, 3, 4], [0, 1], 2, branches=[7, 8, 7, 9], places=np.zeros(4))
        ax = self.drawn(plot.traces(report))
        self.assertEqual([line.get_label() for line in ax.lines],
                         ["cell 0, element 7", "cell 0, element 8", "cell 1, element 7", "cell 1, element 9"])
        self.assertEqual({line.get_marker() for line in ax.lines}, {"o"})
        ax = self.drawn(plot.traces(report_of(np.zeros((3, 2)), [4], 2, branches=[1, 2], places=[0.5, 0.25])))
        self.assertEqual([line.get_label() for line in ax.lines], ["branch 1 at 0.5", "branch 2 at 0.25"])
        self.assertIn("cell 4", ax.get_title("left"))

    def test_nothing_one_sample_and_what_is_no_number(self):
        for what in (results_of({}), report_of(np.zeros((0, 3)), [0, 1, 2]), report_of([7], [0]),
                     report_of(np.zeros((0, 0)), []), report_of([np.nan, 1, np.inf, 2], [0]),
                     report_of([[1e30] * 8, [-1e30] * 8], range(8)),
                     report_of(np.full((5, 8), np.nan), range(8)), report_of(np.ones((5, 8)), range(8))):
            ax = self.drawn(plot.traces(what))
            self.assertTrue(np.isfinite([*ax.get_xlim(), *ax.get_ylim()]).all())


class MorphologyTest(FigureTest):
    def setUp(self):
        super().setUp()
        self.model = model_of({"c": FORKED, "n": POINT}, {"p": {"cell": "c", "size": 2}})
        self.cell = self.model.cells["c"]

    def polygons(self, ax):
        collection, = [one for one in ax.collections if isinstance(one, PolyCollection)]
        return collection

    def test_a_ribbon_a_compartment_as_large_as_it_is(self):
        drawn = self.polygons(self.drawn(plot.morphology(self.cell)))
        paths = drawn.get_paths()
        self.assertEqual(len(paths), 12)
        areas = sorted(_area(path.vertices) for path in paths)
        expected = sorted([np.pi * 100] + [2 * 20.0] * 9 + [25.0] * 2)
        np.testing.assert_allclose(areas, expected, rtol=2e-3)

    def test_regions_have_colors_and_names(self):
        ax = self.drawn(plot.morphology(self.cell))
        self.assertEqual([text.get_text() for text in ax.get_legend().get_texts()],
                         ["soma", "dend", "axon"])
        self.assertEqual(len(np.unique(self.polygons(ax).get_facecolor(), axis=0)), 3)
        ax = plot.morphology(self.cell, colors={"soma": "black"})
        self.assertIn([0, 0, 0, 1], self.polygons(ax).get_facecolor().tolist())

    def test_branches_that_are_lengths_alone_do_not_lie_on_one_another(self):
        ax = plot.morphology(self.cell)
        # Compartments from the last branch to the first: axon 2, dend[1] 4, dend[0] 5, soma.
        middles = [path.vertices.mean(axis=0) for path in self.polygons(ax).get_paths()]
        axon, upper, lower, soma = middles[1], middles[5], middles[10], middles[11]
        self.assertLess(axon[0], soma[0])
        self.assertGreater(upper[0], soma[0])
        self.assertGreater(abs(upper[1] - lower[1]), 20)

    def test_points_are_drawn_where_they_are(self):
        cell = {"morphology": {"branches": [{"name": "soma", "unit": "um", "compartments": 2, "points":
                [[0, 0, 0, 4], [0, 100, 50, 2], [0, 200, 100, 4]]}]}, "regions": REGIONS}
        cell = model_of({"c": cell}, {"p": {"cell": "c", "size": 1}}).cells["c"]
        for plane, wide, high in (("xy", 4, 200), ("yz", 200, 100), ("xz", 4, 100)):
            drawn = self.polygons(self.drawn(plot.morphology(cell, plane=plane)))
            every = np.concatenate([path.vertices for path in drawn.get_paths()])
            np.testing.assert_allclose(np.ptp(every, axis=0), (wide, high), atol=4, err_msg=plane)
        with self.assertRaises(hillock.UsageError):
            plot.morphology(cell, plane="xx")

    def test_values_and_columns_of_compartments(self):
        values = np.arange(12.0)
        ax = self.drawn(plot.morphology(self.cell, values, variable="v", unit="mV"))
        drawn = self.polygons(ax)
        self.assertEqual(sorted(drawn.get_array()), values.tolist())
        self.assertEqual(drawn.get_array()[-1], 0)  # the soma, on top
        self.assertEqual(drawn.get_clim(), (0, 11))
        self.assertIn("v (mV)", [one.get_ylabel() for one in ax.figure.axes])
        ax = self.drawn(plot.morphology(self.cell, variable="diameter_um", limits=(0, 30)))
        self.assertEqual(self.polygons(ax).get_array().max(), 20)
        self.assertEqual(self.polygons(ax).get_clim(), (0, 30))
        self.assertIn("diameter (µm)", [one.get_ylabel() for one in ax.figure.axes])
        for wrong in ({"values": [1, 2]}, {"variable": "colour"}, {"time": 3}):
            with self.assertRaises(hillock.UsageError):
                plot.morphology(self.cell, **wrong)

    def test_a_report_at_a_time(self):
        # Two places of cell 1: dend[0], third of its five compartments, and the axon's second.
        report = report_of([[1, 2], [3, 4], [5, 6]], [1], 2, branches=[1, 3], places=[0.5, 0.75])
        ax = self.drawn(plot.morphology(self.cell, report=report, time=0.6, variable="v"))
        drawn = self.polygons(ax).get_array()
        self.assertEqual(drawn.compressed().tolist(), [4, 3])
        # Branches from the last to the first: axon 2, dend[1] 4, then dend[0].
        self.assertEqual(np.flatnonzero(drawn == 3).tolist(), [2 + 4 + 2])
        self.assertEqual(np.flatnonzero(drawn == 4).tolist(), [1])
        self.assertIn("v (mV), 0.5 ms", [one.get_ylabel() for one in ax.figure.axes])
        last = self.polygons(plot.morphology(self.cell, report=report)).get_array()
        self.assertEqual(last.compressed().tolist(), [6, 5])
        with self.assertRaises(KeyError):
            plot.morphology(self.cell, report=report, index=0)
        for wrong in (report_of(np.zeros((0, 1)), [0]), report_of([1], [0], branches=[9])):
            with self.assertRaises(hillock.UsageError):
                plot.morphology(self.cell, report=wrong)

    def test_what_is_no_number_has_no_color(self):
        for values in (np.full(12, np.nan), np.ones(12), np.r_[np.inf, np.zeros(11)], np.full(12, 1e300)):
            self.drawn(plot.morphology(self.cell, values))

    def test_a_state_of_a_simulation(self):
        simulation = hillock.Simulation(self.model)
        simulation.advance(1)
        values = simulation.get("v", "p", 1)
        ax = self.drawn(plot.morphology(self.cell, values, variable="v", unit="mV"))
        self.assertEqual(self.polygons(ax).get_array().min(), values.min())

    def test_cells_without_a_shape_and_with_one_of_their_own(self):
        with self.assertRaises(ValueError):
            plot.morphology(self.model.cells["n"])
        tree = {"morphology": {"random_tree": {"depth": 3, "length": "50 um", "compartments": 2}},
                "regions": REGIONS}
        cell = model_of({"c": tree}, {"p": {"cell": "c", "size": 2}}).cells["c"]
        drawn = self.polygons(self.drawn(plot.morphology(cell)))
        self.assertEqual(len(drawn.get_paths()), len(cell.compartments["branch"]))
        self.drawn(plot.morphology(hillock.load(ROOT / "examples/pyramidal_network/pyramidal_network.yaml")
                                   .cells["hh_soma"]))


class ConnectivityTest(FigureTest):
    def setUp(self):
        super().setUp()
        synapse = {"expsyn": {"tau": "2 ms", "e": "0 mV"}, "at": "soma(0.5)"}
        self.model = model_of(
            {"c": FORKED}, {"a": {"cell": "c", "size": 4}, "b": {"cell": "c", "size": 2}},
            [{"name": "listed", "from": "a", "to": "b", "synapse": synapse, "connect": {"list": {
                "source": np.array([0, 3, 3]), "target": np.array([0, 0, 1]),
                "weight": np.array([0.1, 0.2, 0.3]), "delay": np.array([1.0, 2.0, 3.0])}}, "weight": "1 uS", "delay": "9 ms"},
             {"from": "b", "to": "b", "synapse": synapse, "connect": {"all_to_all": {}, "autapses": True},
              "weight": "0.5 uS", "delay": "1 ms"}])

    def test_populations(self):
        for show, numbers in (("number", [[0, 3], [0, 4]]), ("indegree", [[0, 1.5], [0, 2]]),
                              ("weight", [[0, 0.2], [0, 0.5]]), ("delay", [[0, 2], [0, 1]])):
            ax = self.drawn(plot.connectivity(self.model, show=show))
            image = ax.images[0].get_array()
            np.testing.assert_allclose(image.filled(0), numbers, err_msg=show)
            self.assertEqual(image.mask.tolist(), [[True, False], [True, False]])
            self.assertEqual((ax.get_xlabel(), ax.get_ylabel()), ("to", "from"))
            self.assertEqual([text.get_text() for text in ax.get_yticklabels()], ["a", "b"])
            self.assertEqual(len(ax.texts), 2)

    def test_a_projection(self):
        matrix, delays, weights = self.drawn(plot.connectivity(self.model, "listed", unit="uS"))
        np.testing.assert_allclose(matrix.images[0].get_array().filled(0),
                                   [[0.1, 0], [0, 0], [0, 0], [0.2, 0.3]])
        share, edges, _ = delays.patches[0].get_data()
        np.testing.assert_allclose(edges[[0, -1]], [1, 3])
        np.testing.assert_allclose(share[share > 0], 100 / 3)
        self.assertEqual((delays.get_xlabel(), weights.get_xlabel()), ("delay (ms)", "weight (uS)"))
        # All weights alike: how often a pair is connected.
        matrix, *_ = self.drawn(plot.connectivity(self.model, 1))
        np.testing.assert_array_equal(matrix.images[0].get_array(), np.ones((2, 2)))
        one = plot.connectivity(self.model, self.model.projections[0], ax=pyplot.figure().add_subplot())
        self.assertEqual(one.images[0].get_array().shape, (4, 2))

    def test_a_large_projection_is_a_density(self):
        random = np.random.default_rng(1)
        source, target = random.integers(0, 1000, 60_000) // 2, random.integers(0, 2000, 60_000)
        model = model_of({"n": POINT}, {"a": {"cell": "n", "size": 1000}, "b": {"cell": "n", "size": 2000}},
                         [{"from": "a", "to": "b", "connect": {"list": {
                             "source": source, "target": target, "weight": np.ones(60_000),
                             "delay": np.full(60_000, 1.0)}}, "weight": 1, "delay": "1 ms"}])
        matrix, *_ = self.drawn(plot.connectivity(model, 0))
        image = matrix.images[0].get_array()
        self.assertLess(image.size, 401 ** 2)
        rows = image.shape[0]
        self.assertAlmostEqual(image[:rows // 2 - 1].filled(0).mean(), 60_000 / 500 / 2000, delta=2e-3)
        self.assertEqual(image[rows // 2 + 1:].count(), 0)
        self.assertEqual(matrix.get_xlim(), (-0.5, 1999.5))

    def test_signs_nothing_and_mistakes(self):
        model = model_of({"n": POINT}, {"a": {"cell": "n", "size": 3}},
                         [{"name": "signs", "from": "a", "to": "a", "delay": "1 ms", "connect": {"list": {
                             "source": np.array([0, 1]), "target": np.array([1, 2]),
                             "weight": np.array([-2.0, 1.0])}}, "weight": 1}])
        matrix, *_ = self.drawn(plot.connectivity(model, "signs"))
        self.assertEqual(matrix.images[0].get_clim(), (-2, 2))
        lone = model_of({"n": POINT}, {"a": {"cell": "n", "size": 3}})
        self.assertIn("no connections", [text.get_text() for text in
                                         self.drawn(plot.connectivity(lone)).texts])
        for wrong in ("other", 5):
            with self.assertRaises(KeyError):
                plot.connectivity(self.model, wrong)
        with self.assertRaises(hillock.UsageError):
            plot.connectivity(self.model, show="colour")


class PackageTest(FigureTest):
    def test_real_runs_are_drawn(self):
        for name in ("ring", "pyramidal_network", "mixed_network"):
            model = hillock.load(ROOT / f"examples/{name}/{name}.yaml", {"run.duration": "60 ms"})
            results = hillock.run(model)
            for axes in (plot.raster(results, sizes=model), plot.rates(results), plot.traces(results),
                         plot.distributions(results, sizes=model), plot.connectivity(model)):
                np.atleast_1d(axes).flat[0].figure.savefig(io.BytesIO(), format="pdf")
                self.drawn(axes)
            pyplot.close("all")
            drawn = plot.raster(results, sizes=model, rates=False).lines
            self.assertEqual(sum(len(line.get_xdata()) for line in drawn if line.get_linestyle() == "None"),
                             sum(len(some) for some in results.spikes.values()))

    def test_without_matplotlib_the_error_says_what_to_install(self):
        code = ("import sys; sys.modules['matplotlib'] = None\n"
                "import hillock\n"
                "try: hillock.plot\n"
                "except ImportError as error: print(error.name, error)\n"
                "print('matplotlib.pyplot' in sys.modules)")
        said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        self.assertIn("matplotlib hillock.plot draws with matplotlib", said)
        self.assertIn("pip install matplotlib", said)

    def test_a_backend_that_wakes_with_the_first_figure_stays_awake(self):
        code = ("import sys, types, matplotlib.backends.backend_agg as agg\n"
                "from importlib.machinery import ModuleSpec\n"
                "class Waking:\n"
                "    def find_spec(self, name, path=None, target=None):\n"
                "        return ModuleSpec(name, self) if name == 'waking' else None\n"
                "    def create_module(self, spec): return None\n"
                "    def exec_module(self, module):\n"
                "        module.FigureCanvas = agg.FigureCanvas\n"
                "        matplotlib.interactive(True)\n"
                "import matplotlib\n"
                "sys.meta_path.insert(0, Waking())\n"
                "import hillock\n"
                "matplotlib.use('module://waking')\n"
                "ax = hillock.plot.rates(hillock.Results({}, {}, {}))\n"
                "print(matplotlib.is_interactive(), matplotlib.get_backend(), ax.figure.canvas is not None)")
        said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        self.assertEqual(said.split(), ["True", "module://waking", "True"])

    def test_hillock_alone_does_not_load_matplotlib(self):
        code = "import sys, hillock; print('matplotlib' in sys.modules, hillock.plot.__name__)"
        said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        self.assertEqual(said.split(), ["False", "hillock.plot"])
        with self.assertRaises(AttributeError):
            hillock.plots


def _area(outline):
    """Of a polygon, by its corners."""
    x, y = outline.T
    return abs(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1))) / 2


if __name__ == "__main__":
    unittest.main()
