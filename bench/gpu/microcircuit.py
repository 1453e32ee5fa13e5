#!/usr/bin/env python3
"""Question: how long does a second of the cortical microcircuit (examples/microcircuit/make.py) take on a GPU, and does
it fire as published? --seeds networks are made and run on --backend, the first --settle ms left out of the statistics.

    s / s   wall seconds of the loop (recording included) over seconds of biological time
    build   seconds until the loop begins
    nJ      energy of the GPU over the loop, by its own counter, a synaptic event (spikes times the synapses of their
            neurons; outside trains make none), and beyond what it takes idle; where the loop takes a second or more
    Hz      spikes a neuron and second, mean of the seeds, and their least and most
    Hz, van Albada et al.   of the whole network (2018, Front. Neuroinform. 12:291, by NEST's example of it)
    CV      of the intervals between a neuron's spikes, where it has ten or more, mean of the neurons and seeds"""

import contextlib
import pathlib
import statistics
import sys

import energy
import runs

runs.Needs().modules("h5py", "numpy").check()
import h5py  # noqa: E402
import numpy  # noqa: E402

sys.path.insert(0, str(runs.ROOT / "examples/microcircuit"))
import make  # noqa: E402


def fires(path, settle_ms, end_ms):
    """Of each population: spikes a neuron and second, and the mean CV of its neurons' intervals."""
    found = {}
    with h5py.File(path) as file:
        for name, group in file["spikes"].items():
            times, ids = group["timestamps"][:], group["node_ids"][:].astype(numpy.int64)
            inside = (times >= settle_ms) & (times < end_ms)
            times, ids = times[inside], ids[inside]
            order = numpy.lexsort((times, ids))
            intervals, same = numpy.diff(times[order]), numpy.diff(ids[order]) == 0
            of = ids[order][1:][same]
            count = numpy.bincount(of)
            some = numpy.bincount(of, intervals[same])
            squares = numpy.bincount(of, intervals[same] ** 2)
            enough = count >= 9
            mean = some[enough] / count[enough]
            cv = numpy.sqrt(numpy.maximum(squares[enough] / count[enough] - mean**2, 0)) / mean
            found[name] = (len(times), float(cv.mean()) if len(cv) else float("nan"))
    return found


def synaptic_events(path, scale):
    """Spikes of a run times the mean number of synapses that neurons of their population have."""
    numbers = make.synapse_numbers()
    synapses = {source: sum(row[s] for row in numbers) / make.SIZES[s] * scale
                for s, source in enumerate(make.POPULATIONS)}
    with h5py.File(path) as file:
        return sum(len(group["timestamps"]) * synapses[name] for name, group in file["spikes"].items())


def main():
    parser = runs.parser_of(__doc__, 1000)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--settle", type=float, default=100, help="ms left out of the statistics")
    options = runs.options_of(parser)
    rows = runs.Rows("microcircuit", options)
    rates, cvs = {name: [] for name in make.POPULATIONS}, {name: [] for name in make.POPULATIONS}
    is_on_gpu = options.backend == "cuda"
    idle_watts = energy.idle_watts(1) if is_on_gpu else None
    if is_on_gpu:
        print(f"idle: {idle_watts:.0f} W")
    print(f"{'seed':>4}{'s / s':>9}{'build s':>9}{'spikes':>10}{'nJ':>8}{'beyond idle':>13}")
    with runs.Models(options) as scratch:
        for seed in range(1, options.seeds + 1):
            model = make.model(options.scale, options.scale, True, options.duration, seed)
            out = pathlib.Path(scratch.folder) / "out"
            path = scratch.write(model)
            with energy.Meter(1) if is_on_gpu else contextlib.nullcontext() as meter:
                told = scratch.run(path, out=out)
            loop_s = runs.loop_s(told)
            a_second = loop_s / options.duration * 1e3
            events = synaptic_events(out / "spikes.h5", options.scale)
            nJ = []
            if is_on_gpu and loop_s >= 1:
                joules = meter.most_in(loop_s)
                nJ = [taken / events * 1e9 for taken in (joules, joules - idle_watts * loop_s)]
            print(f"{seed:>4}{a_second:>9.3f}{told['timings_s']['build']:>9.2f}{told['spikes']:>10}"
                  + "".join(f"{one:>{width}.1f}" for one, width in zip(nJ, (8, 13))), flush=True)
            rows.add(told, seed=seed, scale=options.scale, s_per_s=a_second, build_s=told["timings_s"]["build"],
                     spikes=told["spikes"], events=events, nJ_an_event=nJ)
            for name, (spikes, cv) in fires(out / "spikes.h5", options.settle, options.duration).items():
                size = max(1, round(make.SIZES[make.POPULATIONS.index(name)] * options.scale))
                rates[name].append(spikes / size / (options.duration - options.settle) * 1e3)
                cvs[name].append(cv)
    print(f"{'':<6}{'Hz':>8}{'least':>8}{'most':>8}{'van Albada et al.':>20}{'CV':>7}")
    for name, published in zip(make.POPULATIONS, make.RATES_HZ):
        found = rates[name]
        print(f"{name:<6}{statistics.mean(found):>8.3f}{min(found):>8.3f}{max(found):>8.3f}{published:>20.3f}"
              f"{numpy.nanmean(cvs[name]):>7.2f}")
        rows.add(told, population=name, rate_Hz=statistics.mean(found), least_Hz=min(found), most_Hz=max(found),
                 published_Hz=published, cv=float(numpy.nanmean(cvs[name])))


if __name__ == "__main__":
    main()
