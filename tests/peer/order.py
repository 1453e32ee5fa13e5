#!/usr/bin/python3
"""The order of both integrators in dt, measured on a soma and a dendrite with hh that spike twice.

The stimulus rises smoothly (a quintic step, two continuous derivatives) and is sampled so finely
that every run meets it at a sample, so nothing but the scheme limits the order.  Four steps, each
half of the one before, against crank_nicolson at 1/64 of the largest: its own error, 1/4096 of that
of the largest step, is negligible for both schemes.

Expected: 0.9 to 1.1 for backward_euler, 1.9 to 2.1 for crank_nicolson, at every halving, for the rms
voltage error at the soma, the middle and the far end, and for interpolated spike times.  The
threshold lies where the upstroke is straight, since interpolating a curved one costs C dt^2 with a
C that depends on where in its step the crossing falls.
"""

from parity import Run, Session
from twin import Branch, Cell

import numpy as np  # after parity, which says what is missing

DURATION, LARGEST, HALVINGS, FINEST = 15.0, 0.05, 3, 64
AMPLITUDE, RISE = 1.0, 5.0  # nA, ms
THRESHOLD = 0.0
PLACES = {"soma": "soma(0.5)", "middle": "dend(0.5)", "far": "dend(1)"}
ORDER = {"backward_euler": (0.9, 1.1), "crank_nicolson": (1.9, 2.1)}


def write_waveform(path):
    step = LARGEST / FINEST / 2
    times = np.arange(round(DURATION / step) + 3) * step
    x = np.clip(times / RISE, 0, 1)
    current = AMPLITUDE * x**3 * (10 - 15 * x + 6 * x**2)
    rows = (f"{t!r},{i!r}" for t, i in zip(times.tolist(), current.tolist()))
    path.write_text("time,current\n" + "\n".join(rows) + "\n")


def model(run, waveform, detector):
    cell = Cell([("all", {"cm": 1.0, "Ra": 100.0,
                          "hh": {"gnabar": 0.12, "gkbar": 0.036, "gl": 0.0003, "el": -54.3}})],
                [Branch("soma", 20.0, 20.0), Branch("dend", 600.0, 2.0, "soma", compartments=21)],
                detector=(detector, THRESHOLD))
    return {"hillock": 1, "run": run.model(), "cells": {"cell": cell.model()},
            "populations": {"one": {"cell": "cell", "size": 1}},
            "stimuli": [{"iclamp": {"waveform": {"csv": str(waveform)}}, "to": "one", "at": "soma(0.5)"}],
            "record": [{"name": "spikes", "of": "one"}] +
                      [{"name": name, "of": "one", "variable": "v", "at": place,
                        "every": f"{LARGEST!r} ms", "type": "float64"} for name, place in PLACES.items()]}


def simulate(session, waveform, integrator, refinement):
    """Voltages at the largest step's times by place, spike times by place of the detector."""
    run = Run(DURATION, dt=LARGEST / refinement, integrator=integrator, spike_time="interpolated")
    voltages, spikes = {}, {}
    for name, place in PLACES.items():
        output = session.hillock(model(run, waveform, place), f"{integrator}.{refinement}.{name}")
        voltages[name] = output.trace(name, "one")[1][:, 0]
        spikes[name] = output.spikes("one").get(0, np.empty(0))
    return voltages, spikes


def main():
    session = Session(__doc__.splitlines()[0], neuron=False)
    waveform = session.folder / "smooth.csv"
    write_waveform(waveform)
    exact_v, exact_spikes = simulate(session, waveform, "crank_nicolson", FINEST)
    for integrator, (low, high) in ORDER.items():
        runs = [simulate(session, waveform, integrator, 2**k) for k in range(HALVINGS + 1)]
        for name in PLACES:
            errors = {"rms voltage": [np.sqrt(np.mean((v[name] - exact_v[name]) ** 2)) for v, _ in runs]}
            counts = {len(s[name]) for _, s in runs} | {len(exact_spikes[name])}
            session.equal(integrator, f"numbers of spikes at the {name}", sorted(counts), [2])
            if counts == {2}:
                errors["spike time"] = [np.abs(s[name] - exact_spikes[name]).max() for _, s in runs]
            for what, e in errors.items():
                for k in range(HALVINGS):
                    session.between(integrator, f"order of the {what} at the {name}, dt "
                                    f"{LARGEST / 2**k:g} to {LARGEST / 2**(k + 1):g} ms "
                                    f"(error {e[k + 1]:.2g})", float(np.log2(e[k] / e[k + 1])), low, high)
    session.finish()


if __name__ == "__main__":
    main()
