#!/usr/bin/python3
"""Rallpacks 1 to 3: the models of examples/rallpacks against exact solutions, NEURON and references.

Without NEURON the comparisons with the exact solutions and the reference traces still run, unless
REQUIRE_PEERS=1; without the reference traces (HILLOCK_SHARED) those are left out, visibly.

Tolerances
  exact solution    rms over the run below 0.01 % of the trace's range (discretisation; the
                    compartments themselves cost 1e-5 %, see docs/rallpacks.md), read in the middle
                    of each step as the mean of its ends, where crank_nicolson evaluates currents.
                    Read at the steps' ends the near end of Rallpack 1 rings, in NEURON too: 0.0214 %.
  NEURON 8.2.2      1e-6 mV at every step (reference); Rallpack 3: 1e-3 mV until after the second
                    spike, spike counts equal and the last spike of the near end within 0.02 ms
  reference traces  the exact solution read at the cable's ends equals them to 1e-4 mV, their last
                    digits; Hillock's rms below 0.05 % of the range, since a compartment's centre lies
                    half a compartment away from the end (0.064 mV for Rallpack 1);
                    Rallpack 3: spike counts equal, the last spike within 0.05 ms, their step
"""

import importlib.util
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "peer"))

from parity import REPOSITORY, Run, Session, peers_are_required, run_neuron, shared, skip  # noqa: E402
from analytic import RALLPACK_1, RALLPACK_2  # noqa: E402
from twin import Branch, Cell  # noqa: E402

import numpy as np  # noqa: E402, after parity, which says what is missing

CASES = ["rallpack1", "rallpack2", "rallpack3"]
INTEGRATORS = ("crank_nicolson", "backward_euler")
MEMBRANE = {"cm": 1.0, "Ra": 100.0, "pas": {"g": 2.5e-5, "e": -65.0}}
AXON = {"cm": 1.0, "Ra": 100.0, "ions": {"na": 50.0, "k": -77.0},
        "hh": {"gnabar": 0.12, "gkbar": 0.036, "gl": 2.5e-5, "el": -65.0}}
DT = {"rallpack1": 0.05, "rallpack2": 0.05, "rallpack3": 0.025}
PLACES = {"rallpack1": ("cable(0.0005)", "cable(0.9995)"),
          "rallpack2": ("tree[0](0.5)", "tree[1022](0.5)"),
          "rallpack3": ("axon(0.0005)", "axon(0.9995)")}
EXACT = {"rallpack1": (RALLPACK_1, 0.5, (0.5, 999.5)), "rallpack2": (RALLPACK_2, 16.0, (16.0, 304.0))}
REFERENCE = {"rallpack1": ("ref_cable.0", "ref_cable.x"), "rallpack2": ("ref_branch.0", "ref_branch.x"),
             "rallpack3": ("ref_axon.0.neuron", "ref_axon.x.neuron")}


def cell_of(case):
    if case == "rallpack1":
        return Cell([("all", MEMBRANE)], [Branch("cable", 1000.0, 1.0, compartments=1000)])
    if case == "rallpack3":
        return Cell([("all", AXON)], [Branch("axon", 1000.0, 1.0, compartments=1000)])
    path = REPOSITORY / "models" / "library" / "make_rallpack2.py"
    spec = importlib.util.spec_from_file_location("make_rallpack2", path)
    rallpack2 = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(rallpack2)
    branches = []
    for level, (length, diameter) in enumerate(zip(rallpack2.LENGTHS_UM, rallpack2.DIAMETERS_UM)):
        for _ in range(2**level):
            parent = f"tree[{(len(branches) - 1) // 2}]" if branches else None
            branches.append(Branch(f"tree[{len(branches)}]", float(length), float(diameter), parent))
    return Cell([("all", MEMBRANE)], branches)


def in_neuron(h, case, run):
    """Voltage at both ends, [time, end], and at every step."""
    built = cell_of(case).build(h)
    clamp = h.IClamp(built.segment(PLACES[case][0]))
    clamp.delay, clamp.dur, clamp.amp = 0, run.duration, 0.1
    traces = built.record(*PLACES[case])
    run_neuron(h, run)
    return np.array([trace.as_numpy()[:run.steps + 1] for trace in traces]).T


def crossings(times, v, threshold=0.0):
    """Times of upward crossings, interpolated."""
    i = np.nonzero((v[:-1] <= threshold) & (v[1:] > threshold))[0]
    return times[i] + (times[i + 1] - times[i]) * (threshold - v[i]) / (v[i + 1] - v[i])


def rms_percent(error, reference):
    return 100 * np.sqrt(np.mean(error**2)) / np.ptp(reference)


def compare_exact(session, case, integrator, times, traces):
    cable, source, places = EXACT[case]
    for end, place in enumerate(places):
        name = ("near", "far")[end]
        rise = traces[:, end] + 65.0
        exact = cable.response_mV(0.1, source, place, times)
        rms = rms_percent(rise - exact, exact)
        rings = case == "rallpack1" and end == 0
        if integrator == "crank_nicolson":
            middle = cable.response_mV(0.1, source, place, (times[1:] + times[:-1]) / 2)
            mean = (rise[1:] + rise[:-1]) / 2
            session.within(case, f"{name}: rms from the exact solution, mid-step",
                           rms_percent(mean - middle, middle), 0.01, "%")
        first_order = integrator == "backward_euler"
        session.within(case, f"{name}: rms from the exact solution ({integrator})",
                       rms, 0.02 if first_order else 0.0215 if rings else 0.01, "%")


def compare_reference(session, case, times, traces):
    for end, file in enumerate(REFERENCE[case]):
        path = shared("data", "rallpacks", file)
        if not path:
            session.leave_out(f"{case} against {file}, which is not there")
            continue
        reference = np.loadtxt(path) * 1e3  # s, V
        ours = np.interp(reference[:, 0], times, traces[:, end])
        inside = reference[:, 0] <= times[-1]
        if case != "rallpack3":
            cable = EXACT[case][0]
            series = cable.response_mV(0.1, 0, end * cable.length_um, reference[:, 0]) - 65.0
            session.within(case, f"max |difference| of the exact solution at the end and {file}",
                           np.abs(series - reference[:, 1]).max(), 1e-4, "mV")
            session.within(case, f"rms from {file}",
                           rms_percent((ours - reference[:, 1])[inside], reference[:, 1]), 0.05, "%")
            continue
        theirs = crossings(reference[:, 0], reference[:, 1])
        found = crossings(times, traces[:, end])
        session.equal(case, f"spikes, as in {file}", len(found), len(theirs))
        if len(found) == len(theirs):
            session.within(case, f"last spike, from {file}", abs(found[-1] - theirs[-1]), 0.05, "ms")


def compare_neuron(session, case, integrator, times, traces, theirs):
    if case != "rallpack3":
        for end in (0, 1):
            session.same_trace(case, f"v at {PLACES[case][end]} from NEURON ({integrator})",
                               traces[:, end], theirs[:len(traces), end], 1e-6)
        return
    for end, count in ((0, 18), (1, 17)):
        found, expected = (crossings(times, v[:len(times), end]) for v in (traces, theirs))
        session.equal(case, f"spikes at {PLACES[case][end]} ({integrator})", len(found), count)
        session.equal(case, f"NEURON's spikes at {PLACES[case][end]} ({integrator})", len(expected), count)
        if len(found) == len(expected):
            session.within(case, f"last spike at {PLACES[case][end]} from NEURON ({integrator})",
                           abs(found[-1] - expected[-1]), 0.02, "ms")
            second = int(expected[1] / (times[1] - times[0])) + 80
            session.same_trace(case, f"v at {PLACES[case][end]} over two spikes ({integrator})",
                               traces[:second, end], theirs[:second, end], 1e-3)


def main():
    session = Session(__doc__.splitlines()[0], CASES, neuron=False)
    h = None
    if importlib.util.find_spec("neuron"):
        from parity import load_neuron
        h = load_neuron()
    elif peers_are_required():
        skip("NEURON is not installed")
    else:
        session.leave_out("comparisons with NEURON, which is not installed")
    for case in session.options.cases:
        model = REPOSITORY / "examples" / "rallpacks" / f"{case}.yaml"
        for integrator in INTEGRATORS:
            run = Run(250.0, dt=DT[case], integrator=integrator)
            theirs = in_neuron(h, case, run) if h else None
            output = session.hillock(model, f"{case}.{integrator}", "--set", f"run.integrator={integrator}")
            if output:
                population = PLACES[case][0].split("(")[0].split("[")[0]
                (times, near), (_, far) = (output.trace(end, population) for end in ("near", "far"))
                traces = np.hstack([near, far])
            elif h:  # --neuron-only: NEURON against the exact solutions
                traces = theirs
                times = np.arange(len(traces)) * run.dt
            else:
                continue
            if case in EXACT:
                compare_exact(session, case, integrator, times, traces)
            if integrator == "crank_nicolson":
                compare_reference(session, case, times, traces)
            if h:
                compare_neuron(session, case, integrator, times, traces, theirs)
    session.finish()


if __name__ == "__main__":
    main()
