#!/usr/bin/env python3
"""Question: would steps that follow a cell be worth their price? Two halves, on one cell (models/library)
with hh all over it or passive dendrites, and synapses that trains of a given rate reach:

CVODE      NEURON's variable steps beside NEURON's fixed ones, one cell: error by error. Processor seconds, the largest
           difference of the soma's voltage from a run with atol 1e-9 before the first spike, and of spikes' times.
most       of any choice of steps, what it could gain over equal ones at like error: of a method of order p whose local
           error is h^(p+1)·D(t), with steps h ~ D^(-1/(p+1)), T·(int D)^(1/p) / (int D^(1/(p+1)))^((p+1)/p). D is the
           largest over the compartments of one cell, of eight cells side by side, or of all 32, by differences of
           Hillock's run of 0.025 ms.

  PYTHONPATH=build/release/python python bench/cpu/adaptive_steps.py [--duration 500] [--only cvode|most]
needs NEURON, numpy and h5py.
"""

import argparse
import json
import pathlib
import random
import tempfile
import time

import numpy

ROOT = pathlib.Path(__file__).resolve().parents[2]
SWC = ROOT / "models/library/pyramid.swc"
DT_MS = 0.025
WEIGHT_US = 0.0008
KINDS = {"active": ("hh", "hh"), "passive dendrites": ("hh", "pas")}
RATES_HZ = (0, 10, 100, 1000)


def trains(rate_hz, duration_ms, seed):
    """(time, where along a dendrite's list) of the events of one cell."""
    draw = random.Random(seed)
    events, now = [], 5.0
    while rate_hz:
        now += draw.expovariate(rate_hz / 1000)
        if now >= duration_ms:
            break
        events.append((now, draw.random()))
    return events


def neuron_cell(h, kind):
    h.load_file("stdlib.hoc")
    h.load_file("import3d.hoc")
    reader = h.Import3d_SWC_read()
    reader.quiet = 1
    reader.input(str(SWC))
    h.Import3d_GUI(reader, False).instantiate(None)
    soma_mechanism, dendrite_mechanism = KINDS[kind]
    dendrites = []
    for section in h.allsec():
        is_soma = section.name().startswith("soma")
        section.nseg = 2 * int(section.L / 40) + 1
        section.cm, section.Ra = 1, 100
        section.insert(soma_mechanism if is_soma else dendrite_mechanism)
        if section.has_membrane("pas"):
            section.e_pas, section.g_pas = -65, 1e-4
        if not is_soma:
            dendrites.append(section)
    return next(s for s in h.allsec() if s.name().startswith("soma")), dendrites


def neuron_half(options):
    from neuron import h
    solver = h.CVode()
    print(f"{'kind':18s} {'Hz':>5s} {'run':12s} {'s':>7s} {'steps':>8s} {'mV':>9s} {'ms':>9s}")
    for kind in KINDS:
        soma, dendrites = neuron_cell(h, kind)
        for rate in RATES_HZ:
            events = trains(rate, options.duration, 1)
            synapses, connections = [], []
            for _, where in events:
                place = dendrites[int(where * len(dendrites))](0.5)
                synapses.append(h.ExpSyn(place))
                synapses[-1].tau = 2
                connections.append(h.NetCon(None, synapses[-1]))
                connections[-1].weight[0] = WEIGHT_US
            clamp = h.IClamp(soma(0.5))
            clamp.delay, clamp.dur, clamp.amp = 10, 100, 0.6 if rate == 0 else 0
            handler = h.FInitializeHandler(lambda: [c.event(t) for c, (t, _) in zip(connections, events)])
            spikes, detector = h.Vector(), h.NetCon(soma(0.5)._ref_v, None, sec=soma)
            detector.threshold = -20
            detector.record(spikes)
            voltages = h.Vector()
            grid = h.Vector(numpy.arange(0, options.duration, 0.1))
            voltages.record(soma(0.5)._ref_v, grid)

            def run(cvode, number, second_order=0):
                solver.active(cvode)
                if cvode:
                    solver.atol(number)
                    steps_at = h.Vector().record(h._ref_t)
                else:
                    h.dt, h.secondorder = number, second_order
                h.finitialize(-65)
                begin = time.process_time()
                if cvode:
                    solver.solve(options.duration)
                    steps = len(steps_at)
                else:
                    steps = round(options.duration / number)
                    for _ in range(steps):
                        h.fadvance()
                return time.process_time() - begin, steps, numpy.array(list(voltages)), numpy.array(list(spikes))

            exact = run(True, 1e-9)
            runs = [(f"dt {dt}", run(False, dt)) for dt in (0.1, 0.05, 0.025, 0.0125)]
            runs += [(f"CN {dt}", run(False, dt, 2)) for dt in (0.1, 0.05, 0.025)]
            runs += [(f"atol {atol:g}", run(True, atol)) for atol in (1e-1, 1e-2, 1e-3, 1e-4, 1e-5)]
            calm = int(10 * (exact[3][0] - 2)) if len(exact[3]) else len(exact[2])
            for name, (seconds, steps, v, its) in runs:
                n = min(calm, len(v), len(exact[2]))
                mv = numpy.abs(v[:n] - exact[2][:n]).max()
                ms = numpy.abs(its - exact[3]).max() if len(its) == len(exact[3]) and len(its) else float("nan")
                print(f"{kind:18s} {rate:5d} {name:12s} {seconds:7.3f} {steps:8d} {mv:9.2g} {ms:9.2g}"
                      f" {len(its)}/{len(exact[3])}", flush=True)
            del handler
        for section in list(h.allsec()):
            h.delete_section(sec=section)


def model_of(kind, rate, duration):
    soma, dendrite = KINDS[kind]
    pas = {"g": "1e-4 S/cm2", "e": "-65 mV"}
    passive = {"pas": pas} if dendrite == "pas" else {"hh": {}}
    return {
        "hillock": 1, "run": {"duration": f"{duration} ms", "dt": f"{DT_MS} ms", "v_init": "-65 mV", "seed": 1},
        "cells": {"cell": {"morphology": {"swc": str(SWC)}, "discretization": {"max_length": "20 um"},
                           "regions": {"all": {"cm": "1 uF/cm2", "Ra": "100 ohm.cm"}, "soma": {soma: {}},
                                       "dend": passive, "apic": passive}}},
        "populations": {"cells": {"cell": "cell", "size": 32}},
        "stimuli": [{"iclamp": {"amplitude": "0.6 nA", "start": "10 ms", "duration": "100 ms"}, "to": "cells",
                     "at": "soma[0](0.5)"}] if rate == 0 else
                   [{"poisson": {"rate": f"{rate / 10} Hz"}, "to": "cells", "weight": f"{WEIGHT_US} uS",
                     "synapse": {"expsyn": {"tau": "2 ms"}, "at": f"dend[{k}](0.5)"}} for k in range(10)],
        "record": [{"name": "v", "of": "cells", "variable": "v", "at": "all", "every": f"{DT_MS} ms",
                    "type": "float64"}],
    }


def gain(d, p):
    """Of equal steps over steps that follow d, both of order p at like error."""
    d = numpy.maximum(d, 1e-12)
    return len(d) * d.sum() ** (1 / p) / (d ** (1 / (p + 1))).sum() ** ((p + 1) / p)


def most_half(options):
    import h5py
    import hillock
    print(f"{'kind':18s} {'Hz':>5s}   order 1: one, 8, 32 cells     order 2: one, 8, 32 cells")
    for kind in KINDS:
        for rate in RATES_HZ:
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "model.yaml"
                path.write_text(json.dumps(model_of(kind, rate, options.duration)))
                hillock.run(str(path), output=folder + "/out")
                with h5py.File(folder + "/out/v.h5") as file:
                    v = file["report/cells/data"][:]
                    pointers = file["report/cells/mapping/index_pointers"][:]
            derivatives = {}
            for p in (1, 2):
                d = numpy.abs(numpy.diff(v, p + 1, axis=0))
                derivatives[p] = numpy.stack([d[:, a:b].max(axis=1) for a, b in zip(pointers, pointers[1:])], axis=1)
            row = []
            for p in (1, 2):
                d = derivatives[p]
                for together in (1, 8, 32):
                    row.append(numpy.mean([gain(d[:, k:k + together].max(axis=1), p) for k in range(0, 32, together)]))
            print(f"{kind:18s} {rate:5d}   "
                  + "  ".join(f"{x:7.2f}" for x in row), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--duration", type=float, default=500, help="ms")
    parser.add_argument("--only", choices=("cvode", "most"))
    options = parser.parse_args()
    if options.only != "most":
        neuron_half(options)
    if options.only != "cvode":
        most_half(options)


if __name__ == "__main__":
    main()
