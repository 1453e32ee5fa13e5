#!/usr/bin/env python3
"""Conduction velocity by diameter, and thresholds by distance and by duration of a pulse, of the fibres of make.py.
Takes a minute and needs Hillock's package for Python.

    examples/myelinated_axon/curves.py
"""

import hillock
import make
import numpy as np

NODES, FROM, TO = 41, 10, 30
STEPS_MS = (0.005, 0.001)
DISTANCES_MM, WIDTHS_MS = (0.25, 0.5, 1, 2, 3), (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2)
HIGH = 5000  # times make.CURRENT_UA


def passes_ms(v, dt_ms):
    """When it passes -20 mV upwards first."""
    before = np.flatnonzero((v[:-1] < -20) & (v[1:] >= -20))[0]
    return (before + (-20 - v[before]) / (v[before + 1] - v[before])) * dt_ms


def velocity(diameter, dt_ms, integrator="backward_euler"):
    """m/s, of a spike that a pulse into the first node begins"""
    fibre = make.Fibre(diameter, NODES)
    model = make.model(fibre, [1.0], duration_ms=2)
    model["run"] |= {"dt": f"{dt_ms} ms", "integrator": integrator}
    model["stimuli"] = [{"to": "fibres", "at": "node[0](0.5)",
                         "iclamp": {"amplitude": "2 nA", "start": "0 ms", "duration": "0.1 ms"}}]
    model["record"][1] |= {"every": f"{dt_ms} ms", "type": "float64"}
    v = hillock.run(model)["v"].data
    return (TO - FROM) * fibre.spacing * 1e-3 / (passes_ms(v[:, TO], dt_ms) - passes_ms(v[:, FROM], dt_ms))


def thresholds_uA(diameter, distances_mm, widths_ms):
    """[width, distance] to 0.1 %"""
    model = make.model(make.Fibre(diameter), distances_mm, duration_ms=4 + max(widths_ms))
    times = hillock.threshold(model, "stimuli.0.field.scale", "fibres", high=HIGH, tolerance=1e-3,
                              values={"stimuli.0.field.waveform.duration": list(widths_ms)})
    return -times * make.CURRENT_UA


def chronaxie_us(widths_ms, currents_uA):
    """Of Weiss' law, in which charge grows evenly with the duration."""
    rheobase, charge = np.polyfit(widths_ms, np.array(currents_uA) * widths_ms, 1)
    return 1000 * charge / rheobase


def main():
    print("velocity, m/s\n  um", *(f"{dt:g} ms".rjust(9) for dt in STEPS_MS), "second order, 0.001 ms")
    for diameter in make.SIZES:
        found = [velocity(diameter, dt) for dt in STEPS_MS] + [velocity(diameter, 0.001, "crank_nicolson")]
        print(f"{diameter:4.1f}", *(f"{one:9.2f}" for one in found))
    print("threshold of 0.1 ms, uA\n  um", *(f"{distance:g} mm".rjust(9) for distance in DISTANCES_MM))
    for diameter in make.SIZES:
        print(f"{diameter:4.1f}", *(f"{one:9.1f}" for one in thresholds_uA(diameter, DISTANCES_MM, [0.1])[0]))
    print("threshold at 1 mm, uA\n  um", *(f"{width:g} ms".rjust(9) for width in WIDTHS_MS), " chronaxie, us")
    for diameter in make.SIZES:
        currents = thresholds_uA(diameter, [1.0], WIDTHS_MS)[:, 0]
        print(f"{diameter:4.1f}", *(f"{one:9.1f}" for one in currents), f"{chronaxie_us(WIDTHS_MS, currents):9.0f}")


if __name__ == "__main__":
    main()
