#!/usr/bin/python3
"""Question: how long does it take to find the thresholds of a nerve's fibres? Fibres of examples/myelinated_axon of
21 nodes, of the nine diameters in turn, at distances drawn between 0.2 and 3 mm from an electrode that is a point: the
least current of a pulse of 0.1 ms that begins a spike, to 1 %. Hillock with `hillock.threshold`, all fibres of a
diameter at once; NEURON with some of the same fibres, one after the other, by the same doublings and halves, a run
being ended by its spike. Best of --repeat, in turns. Needs Debian's python3-neuron and neuron-dev, but with --neuron 0.

    s      until all thresholds are found, with reading and building the models
    CPU s  the same of all threads together

  PYTHONPATH=build/release/python bench/cpu/fibres.py [--fibres 100 1000] [--threads 1 2] [--neuron 20]
      [--diameters 10] [--gpu] [--tries 3]
"""

import argparse
import functools
import pathlib
import sys
import tempfile
import time

import builds
from needs import Needs

EXAMPLE = builds.ROOT / "examples/myelinated_axon"
sys.path[:0] = [str(EXAMPLE), str(builds.ROOT / "tests/peer")]
HIGH, PRECISION, DURATION_MS = 5000, 0.01, 3.0  # times make.CURRENT_UA; the second of thresholds


def drawn_mm(count):
    """[fibre] its distance from the electrode: few draws are the first of many."""
    import numpy as np

    return np.random.default_rng(1).uniform(0.2, 3, count)


def model_of(fibre, distances):
    import make

    model = make.model(fibre, distances, duration_ms=DURATION_MS)
    model["record"] = [{"name": "spikes", "of": "fibres"}]
    return model


def in_hillock(distances, threads, diameters):
    """[fibre] its threshold; threads: 0: on a GPU"""
    import hillock
    import make
    import numpy as np

    found = np.empty(len(distances))
    for number, diameter in enumerate(diameters):
        mine = slice(number, None, len(diameters))
        if len(distances[mine]):
            found[mine] = hillock.threshold(model_of(make.Fibre(diameter), distances[mine]),
                                            "stimuli.0.field.scale", "fibres", high=HIGH, tolerance=PRECISION,
                                            backend="cpu" if threads else "cuda", threads=threads or None)
    return found


def in_neuron(h, distances, diameters):
    import make
    import myelinated_axon
    import numpy as np

    found = []
    for number, distance in enumerate(distances):
        twin = myelinated_axon.Twin(h, model_of(make.Fibre(diameters[number % len(diameters)]), [distance]))
        found.append(twin.threshold(PRECISION, HIGH / 1024)[1])
    return np.array(found)


def timed(function, *arguments):
    """(s, CPU s, what it gives)"""
    begun, before = time.perf_counter(), time.process_time()
    given = function(*arguments)
    return time.perf_counter() - begun, time.process_time() - before, given


def start_neuron():
    import neuron_mods
    from parity import load_neuron

    h = load_neuron()
    with tempfile.TemporaryDirectory(prefix="hillock-fibres-") as folder:
        neuron_mods.load(h, [EXAMPLE / "axnode.mod"], pathlib.Path(folder))
    return h


def print_row(program, fibres, threads, of):
    seconds, processor = (min(one[part] for one in of) for part in (0, 1))
    where = threads or "GPU"
    print(f"{program:8} {fibres:6} {where:>8} {seconds:9.2f} {processor:9.2f} {1000 * seconds / fibres:12.2f}")


def report(options, h):
    import numpy as np

    for threads in options.threads:  # compiles the node
        in_hillock(drawn_mm(9), threads, options.diameters)
    print(f"{'':8} fibres  threads         s     CPU s  ms a fibre")
    for count in options.fibres:
        distances = drawn_mm(count)
        of = {threads: [] for threads in options.threads}
        for threads in options.threads * options.repeat:
            of[threads].append(timed(in_hillock, distances, threads, options.diameters))
        for threads in options.threads:
            print_row("Hillock", count, threads, of[threads])
    if h:
        few = drawn_mm(options.neuron)
        of = [timed(in_neuron, h, few, options.diameters) for _ in range(options.repeat)]
        print_row("NEURON", len(few), 1, of)
        apart = np.abs(in_hillock(few, 1, options.diameters) / of[0][2] - 1).max()
        print(f"thresholds of {few.min():.2f} to {few.max():.2f} mm differ by {100 * apart:.2g} % at most")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fibres", type=int, nargs="+", default=[100, 1000])
    parser.add_argument("--threads", type=int, nargs="*", default=[1, 2], help="none: the GPU alone")
    parser.add_argument("--neuron", type=int, default=20, help="fibres of NEURON (default: 20)")
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--diameters", type=float, nargs="+", help="um, in turn (default: all nine)")
    parser.add_argument("--gpu", action="store_true", help="a row more")
    parser.add_argument("--tries", type=int, help="of a fibre in one run on a GPU (default: as is chosen)")
    options = parser.parse_args()
    needs = Needs().modules("hillock", "numpy").cores(max(options.threads, default=1))
    if options.gpu:
        options.threads.append(0)
    if options.neuron:
        needs.modules("neuron", "h5py")
    needs.check()
    import make
    from hillock import _hillock

    if options.tries:
        _hillock.find_thresholds = functools.partial(_hillock.find_thresholds, tries=options.tries)

    options.diameters = options.diameters or list(make.SIZES)
    report(options, start_neuron() if options.neuron else None)


if __name__ == "__main__":
    main()
