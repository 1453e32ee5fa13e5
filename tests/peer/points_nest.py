#!/usr/bin/env python3
"""Point neurons of the catalogue beside NEST's of the same names: given spikes and step currents in, membrane traces and
spikes out. To round-off where both compute the same (iaf_psc_exp, iaf_psc_alpha, iaf_psc_delta; izhikevich with
consistent_integration false), and as a method of second order beside NEST's adaptive one for those with conductances, with steps that are halved. Skipped
without NEST (PyPI's nest-simulator; 3.10 when this was written)."""

import dataclasses
import importlib.util
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "command"))
import harness  # noqa: E402

if not importlib.util.find_spec("nest") and not harness.peers_are_required(from_pypi=True):
    print("left out: there is no NEST (pip install nest-simulator)")
    sys.exit(harness.SKIPPED)
harness.need("h5py", "numpy", "nest")

import h5py  # noqa: E402
import nest  # noqa: E402
import numpy as np  # noqa: E402

DURATION_MS = 250
DELAY_MS = 1.0  # of NEST's connections from its devices

OF_CURRENTS = {"V_m": "V_m", "I_syn_ex": "I_syn_ex", "I_syn_in": "I_syn_in"}
OF_CONDUCTANCES = {"V_m": "V_m", "g_ex": "g_ex", "g_in": "g_in"}
VARIABLES = {"iaf_psc_exp": OF_CURRENTS, "iaf_psc_alpha": OF_CURRENTS, "iaf_psc_delta": {"V_m": "V_m"},
             "iaf_cond_exp": OF_CONDUCTANCES, "iaf_cond_alpha": OF_CONDUCTANCES,
             "aeif_cond_exp": {"V_m": "V_m", "w": "w", "g_ex": "g_ex", "g_in": "g_in"},
             "izhikevich": {"v": "V_m", "u": "U_m"}}


@dataclasses.dataclass
class Case:
    """A neuron and what it gets. Weights are whole numbers, which Hillock adds up without rounding."""
    name: str
    parameters: dict
    excitation: tuple = (0, 0)  # (spikes in a ms, weight)
    inhibition: tuple = (0, 0)
    pulses: list = dataclasses.field(default_factory=list)  # (start in ms, duration in ms, amplitude)

    def trains(self, dt):
        """[(weight, times in ms)]: on steps of 0.1 ms, whatever shorter ones a run takes."""
        grid_ms = max(dt, 0.1)
        random = np.random.default_rng(sum(map(ord, self.name)))
        for rate, weight in (self.excitation, self.inhibition):
            if rate > 0:
                steps = random.integers(20, int(DURATION_MS / grid_ms) - 20, int(rate * DURATION_MS))
                yield weight, np.sort(steps) * grid_ms


CASES = {
    "iaf_psc_exp": [
        Case("defaults", {}, (4, 400), (1, -300), [(100, 50, 200)]),
        Case("slow", {"tau_m": 20, "C_m": 200, "t_ref": 0.5, "V_reset": -65, "E_L": -65, "V_th": -50, "tau_syn_ex": 0.5,
                      "tau_syn_in": 5, "V_init": -60}, (6, 500), (1, -100), [(30, 80, 150), (60, 20, -90)]),
        Case("alike", {"tau_syn_ex": 10, "tau_syn_in": 10, "I_e": 300}, (1, 100), (0.3, -100)),  # tau_m is 10
        Case("nearly_alike", {"tau_syn_ex": 10.001, "tau_syn_in": 9.99, "I_e": 300}, (1, 100), (0.3, -100)),
        Case("between_steps", {"t_ref": 0.25, "I_e": 500}, (1, 100)),
        Case("not_refractory", {"t_ref": 0, "I_e": 500, "V_reset": -60}, (1, 100))],
    "iaf_psc_alpha": [
        Case("defaults", {}, (4, 150), (1, -110), [(100, 50, 200)]),
        Case("slow", {"tau_m": 20, "C_m": 200, "t_ref": 0.5, "V_reset": -65, "E_L": -65, "V_th": -50, "tau_syn_ex": 0.5,
                      "tau_syn_in": 5, "V_init": -60}, (6, 180), (1, -40), [(30, 80, 150), (60, 20, -90)]),
        Case("alike", {"tau_syn_ex": 10, "tau_syn_in": 10, "I_e": 300}, (1, 40), (0.3, -40)),  # tau_m is 10
        Case("nearly_alike", {"tau_syn_ex": 10.001, "tau_syn_in": 9.99, "I_e": 300}, (1, 40), (0.3, -40)),
        Case("bounded", {"tau_syn_ex": 0.05, "V_min": -72, "I_e": 300, "t_ref": 0.25}, (2, 3000), (0.5, -400)),
        Case("not_refractory", {"t_ref": 0, "I_e": 500, "V_reset": -60}, (1, 40))],
    "iaf_psc_delta": [
        Case("defaults", {"I_e": 50}, (4, 2), (2, -1), [(100, 50, 300)]),
        Case("lost", {"tau_m": 20, "C_m": 200, "V_reset": -65, "E_L": -66, "V_th": -50, "t_ref": 3.3, "V_init": -60},
             (3, 4), (1, -3), [(30, 80, 150), (60, 20, -90)]),
        Case("waiting", {"refractory_input": 1, "I_e": 300}, (2, 3), (0.5, -2)),
        Case("bounded", {"V_min": -73, "V_reset": -60, "t_ref": 0.25}, (2, 6), (2, -5)),
        Case("pushed", {"V_init": -50, "t_ref": 0.1, "refractory_input": 1, "V_reset": -60}, (2, 16)),
        Case("not_refractory", {"t_ref": 0, "I_e": 500, "V_reset": -60, "refractory_input": 1}, (1, 3), (1, -2))],
    "izhikevich": [
        Case("regular", {}, (2, 6), (0.5, -4), [(50, 100, 8)]),
        Case("chattering", {"a": 0.02, "b": 0.2, "c": -50, "d": 2}, (2, 5), (0.5, -4), [(50, 100, 6)]),
        Case("fast", {"a": 0.1, "b": 0.2, "c": -65, "d": 2}, (1, 20), (0.5, -10), [(50, 100, 12)]),
        Case("low_threshold", {"a": 0.02, "b": 0.25, "c": -65, "d": 2, "v_init": -60},
             pulses=[(10, 30, 10), (100, 30, 10)])],
    "iaf_cond_exp": [
        Case("defaults", {}, (4, 60), (1, -20), [(100, 50, 300)]),
        Case("coba", {"C_m": 200, "g_L": 10, "E_L": -60, "V_th": -50, "t_ref": 5, "E_in": -80, "tau_syn_ex": 5,
                      "tau_syn_in": 10, "V_init": -55}, (2, 6), (0.4, -30), [(100, 50, 200)]),
        Case("between_steps", {"t_ref": 1.25, "I_e": 300, "tau_syn_ex": 2}, (0.5, 10), (0.1, -20))],
    "iaf_cond_alpha": [
        Case("still", {"V_th": 10, "tau_syn_ex": 1}, (4, 10), (1, -8), [(100, 50, 300)]),
        Case("defaults", {}, (4, 24), (1, -8), [(100, 50, 300)]),
        Case("coba", {"C_m": 200, "g_L": 10, "E_L": -60, "V_th": -50, "t_ref": 5, "E_in": -80, "tau_syn_ex": 5,
                      "tau_syn_in": 10, "V_init": -55}, (2, 2), (0.4, -12), [(100, 50, 200)]),
        Case("between_steps", {"t_ref": 1.25, "I_e": 300, "tau_syn_ex": 2}, (0.5, 4), (0.1, -8))],
    "aeif_cond_exp": [
        Case("still", {"V_th": -30}, (2, 40), (0.4, -30), [(20, 200, 200)]),
        Case("tonic", {}, pulses=[(20, 200, 800)]),
        Case("driven", {}, (0.05, 40), (0.04, -30), [(20, 200, 800)]),
        Case("held", {"t_ref": 2, "tau_syn_ex": 2}, (0.2, 10), (0.1, -20), [(20, 200, 700)]),
        Case("bursts", {"V_reset": -47.4, "tau_w": 40}, pulses=[(10, 200, 800)]),
        Case("held_bursts", {"V_reset": -47, "b": 20, "tau_w": 40, "t_ref": 1}, pulses=[(10, 200, 900)]),
        Case("sharp", {"Delta_T": 0.5, "V_peak": -40, "t_ref": 0.5}, (0.2, 10), (0.1, -20), [(10, 200, 700)])]}

def unit_of(model, key):
    if model == "izhikevich" or key == "refractory_input":
        return ""
    return {"C_m": "pF", "I_e": "pA", "g_L": "nS", "a": "nS", "b": "pA"}.get(key, "ms" if key.startswith("t") else "mV")


def own_run(model, cases, dt, folder):
    """{case: {variable: [sample at k dt], "spikes": [ms]}}"""
    unit = "" if model == "izhikevich" else " pA"
    of_weight = {"iaf_psc_exp": " pA", "iaf_psc_alpha": " pA", "iaf_psc_delta": " mV", "izhikevich": ""}.get(model, " nS")
    cells, populations, stimuli, record = [], [], [], []
    for case in cases:
        given = ", ".join(f"{key}: {value} {unit_of(model, key)}" for key, value in case.parameters.items())
        cells.append(f"{case.name}: {{{model}: {{{given}}}}}")
        populations.append(f"{case.name}: {{cell: {case.name}, size: 1}}")
        for weight, times in case.trains(dt):
            listed = ", ".join(f"{time:.1f} ms" for time in times)
            stimuli.append(f"- {{spikes: {{times: [{listed}]}}, to: {case.name}, weight: {weight}{of_weight}}}")
        for start, duration, amplitude in case.pulses:
            stimuli.append(f"- {{iclamp: {{amplitude: {amplitude}{unit}, start: {start} ms, duration: {duration} ms}}, "
                           f"to: {case.name}}}")
        record.append(f"- {{name: {case.name}_spikes, of: {case.name}}}")
        record += [f"- {{name: {case.name}_{variable}, of: {case.name}, variable: {variable}, every: {dt} ms, "
                   "type: float64}" for variable in VARIABLES[model]]
    text = f"hillock: 1\nrun: {{duration: {DURATION_MS} ms, dt: {dt} ms}}\n"
    for key, lines in (("cells", cells), ("populations", populations), ("stimuli", stimuli), ("record", record)):
        text += f"{key}:\n" + "".join(f"  {line}\n" for line in lines)
    (folder / "model.yaml").write_text(text)
    done = harness.run("run", folder / "model.yaml", "-o", folder / "out", "--force", "--quiet")
    if done.returncode != 0:
        sys.exit(done.stderr)
    found = {}
    with h5py.File(folder / "out/spikes.h5") as spikes:
        for case in cases:
            found[case.name] = {"spikes": spikes[f"spikes/{case.name}/timestamps"][:]}
            for variable in VARIABLES[model]:
                with h5py.File(folder / f"out/{case.name}_{variable}.h5") as file:
                    found[case.name][variable] = file[f"report/{case.name}/data"][:, 0]
    return found


def nest_run(model, cases, dt, more):
    """The same of NEST's neurons. more: parameters of all of them."""
    nest.ResetKernel()
    nest.verbosity = nest.VerbosityLevel.ERROR
    nest.resolution = dt
    # NEST's izhikevich takes what arrives at the end of a step into that step.
    later = dt if model == "izhikevich" else 0
    watched = {}
    for case in cases:
        theirs = {{"V_init": "V_m", "v_init": "V_m", "threshold": "V_th"}.get(key, key): float(value)
                  for key, value in case.parameters.items()}
        if model == "izhikevich":
            theirs["U_m"] = theirs.get("b", 0.2) * theirs.get("V_m", -65)
        if "refractory_input" in theirs:
            theirs["refractory_input"] = bool(theirs["refractory_input"])
        neuron = nest.Create(model, params={**theirs, **more})
        for weight, times in case.trains(dt):
            generator = nest.Create("spike_generator", params={"spike_times": np.round(times + later - DELAY_MS, 6)})
            nest.Connect(generator, neuron, syn_spec={"weight": float(weight), "delay": DELAY_MS})
        changes = {}
        for start, duration, amplitude in case.pulses:
            changes[start] = changes.get(start, 0) + amplitude
            changes[start + duration] = changes.get(start + duration, 0) - amplitude
        if changes:
            times = np.array(sorted(changes))
            values = np.cumsum([changes[time] for time in times])
            generator = nest.Create("step_current_generator", params={"amplitude_times": np.round(times - DELAY_MS, 6),
                                                                      "amplitude_values": values.astype(float)})
            nest.Connect(generator, neuron, syn_spec={"delay": DELAY_MS})
        meter = nest.Create("multimeter", params={"interval": dt, "record_from": list(VARIABLES[model].values())})
        nest.Connect(meter, neuron, syn_spec={"delay": dt})
        recorder = nest.Create("spike_recorder")
        nest.Connect(neuron, recorder, syn_spec={"delay": dt})
        watched[case.name] = (meter, recorder)
    nest.Simulate(DURATION_MS + 2 * dt)
    found = {}
    for name, (meter, recorder) in watched.items():
        events = meter.events
        found[name] = {ours: np.asarray(events[theirs]) for ours, theirs in VARIABLES[model].items()}
        found[name]["spikes"] = np.sort(np.asarray(recorder.events["times"]))
    return found


class Compared:
    """A case in both programs with one step: samples of k dt from k = 1 on, and the steps of spikes."""

    def __init__(self, model, case, dt, ours, theirs):
        self.model, self.case, self.dt = model, case, dt
        steps = round(DURATION_MS / dt)
        self.ours = {key: ours[key][1:steps] for key in VARIABLES[model]}
        self.theirs = {key: theirs[key][:steps - 1] for key in VARIABLES[model]}
        for key, sign in (("I_syn_ex", 1), ("I_syn_in", -1), ("g_ex", 1), ("g_in", -1)):
            if key in self.ours and model.endswith("_exp"):  # NEST's sample has what arrives at that time, ours what arrived before
                size = sign if key.startswith("I") else 1
                self.ours[key] = self.ours[key] + size * self.arrivals(sign, steps)[1:]
        later = 1 if model == "izhikevich" else 0  # NEST's spikes have the time of their step's end
        self.spikes = np.round(ours["spikes"] / dt).astype(int) + later
        self.their_spikes = np.round(theirs["spikes"] / dt).astype(int)
        self.spikes, self.their_spikes = (some[some < steps] for some in (self.spikes, self.their_spikes))
        if model == "iaf_psc_delta":
            self.take_of_spikes_and_jumps(steps)
        others = np.setxor1d(self.spikes, self.their_spikes)
        self.same_until_ms = (others[0] - 1 if len(others) else steps - 1) * dt
        self.other_spikes = len(others)
        traces = ", ".join(f"{key} {self.apart(key):.1e}" for key in VARIABLES[model])
        print(f"{model} {case.name}, dt {dt}: {len(self.spikes)} spikes, {self.other_spikes} not NEST's or not ours; until "
              f"{self.same_until_ms:.0f} ms {traces}")

    def apart(self, key, until_ms=None):
        """The largest difference up to a time, or to the first spike that is another."""
        end = round((until_ms or self.same_until_ms) / self.dt)
        return float(np.max(np.abs(self.ours[key][:end] - self.theirs[key][:end])))

    def arrivals(self, sign, steps):
        sums = np.zeros(steps)
        for weight, times in self.case.trains(self.dt):
            if weight * sign > 0:
                np.add.at(sums, np.round(times / self.dt).astype(int), abs(weight))
        return sums

    def take_of_spikes_and_jumps(self, steps):
        """Our sample is from before what arrives at its time and from before the spike, and NEST's from after: theirs is
        taken there, and at the end of a step after the voltage was held, where what has waited arrives."""
        held = np.ceil(self.case.parameters.get("t_ref", 2.0) / self.dt - 1e-6)
        jumps = (self.arrivals(1, steps) + self.arrivals(-1, steps))[1:] > 0
        for step in self.spikes:
            jumps[[k for k in (step - 1, int(step + held)) if k < steps - 1]] = True
        self.ours["V_m"] = np.where(jumps, self.theirs["V_m"], self.ours["V_m"])
        harness.check(np.mean(jumps) < 0.7, f"{self.case.name}: only {np.mean(~jumps):.0%} of the samples are compared")

    def check(self, condition, what):
        harness.check(condition, f"{self.model} {self.case.name}, dt {self.dt}: {what}")

    def check_spikes(self, most_others=0):
        """most_others: so many may be in other steps than NEST's, or NEST's in others than ours."""
        self.check(len(self.spikes) > 0 or self.case.name == "still", "there are no spikes")
        self.check(self.other_spikes <= most_others,
                   f"{self.other_spikes} of {len(self.spikes)} and {len(self.their_spikes)} spikes have no like")

    def check_trace(self, key, limit):
        self.check(self.apart(key) <= limit, f"{key} is {self.apart(key):.2e} apart, more than {limit:.2e}")

    def check_held(self, defaults):
        """The voltage is held at V_reset for t_ref, rounded up to whole steps."""
        steps = int(np.ceil(self.case.parameters.get("t_ref", defaults["t_ref"]) / self.dt - 1e-6))
        reset = self.case.parameters.get("V_reset", defaults["V_reset"])
        if steps == 0:
            return
        for traces, spikes in ((self.ours, self.spikes), (self.theirs, self.their_spikes)):
            for step in spikes[:-1]:
                held = traces["V_m"][step - 1:step + steps]
                is_let_go = traces["V_m"][step + steps] != reset or step + steps + 1 in spikes
                self.check(np.all(held == reset) and is_let_go, f"is held from {step} on")


def conductance_limit(compared, defaults):
    """mV. With a conductance at its mean over a step a linear equation of the first order is left with half the
    commutator of its coefficients: dt^3/12 of the slope of each times the other, g/(tau C^2) times the current through
    what is held, step for step, which the membrane forgets within tau_m. g: twice its mean, as spikes come in groups."""
    of = {**{key: defaults[key] for key in ("C_m", "g_L", "E_L", "E_ex", "E_in", "tau_syn_ex", "tau_syn_in", "I_e")},
          **compared.case.parameters}
    current = abs(of["I_e"]) + max((abs(pulse[2]) for pulse in compared.case.pulses), default=0)
    most = {key: 2 * np.mean(compared.theirs[f"g_{key}"]) for key in ("ex", "in")}
    limit = 0
    for key, other in (("ex", "in"), ("in", "ex")):
        held = of["g_L"] * abs(of[f"E_{key}"] - of["E_L"]) + current + most[other] * abs(of["E_ex"] - of["E_in"])
        limit += compared.dt ** 2 / 12 * most[key] / of[f"tau_syn_{key}"] * held / of["C_m"] / of["g_L"]
    return limit + 1e-3  # NEST's tolerance of a step


def check_round_off(compared, defaults):
    compared.check_spikes()
    if compared.model == "izhikevich":
        # v' grows from less than 0.01 mV/ms between spikes to 400 mV/ms: so much more an error, of 1e-13 mV a step.
        steps = DURATION_MS / compared.dt
        compared.check_trace("v", 1e-13 * steps * 400 / 0.01)
        compared.check_trace("u", 1e-13 * steps * 400 / 0.01)
        return
    # Five numbers below 100 mV, rounded in a step, of which the membrane forgets 1 - exp(-dt/tau_m).
    tau_m = compared.case.parameters.get("tau_m", defaults["tau_m"])
    compared.check_trace("V_m", 5 * 2.0 ** -53 * 100 * tau_m / compared.dt * 10)
    for key in ("I_syn_ex", "I_syn_in") if "I_syn_ex" in compared.ours else ():
        compared.check_trace(key, 1e-12 * np.max(np.abs(compared.theirs[key])))
    compared.check_held(defaults)


def check_second_order(all_steps, defaults):
    """Where a voltage passes the threshold by less than what the two are apart, a spike is another, and the traces
    after it: they are compared until then, and few spikes are others."""
    until_ms = min(compared.same_until_ms for compared in all_steps)
    for compared in all_steps:
        compared.check(compared.same_until_ms > 20, f"a spike is another at {compared.same_until_ms} ms")
        compared.check_spikes(most_others=0.2 * len(compared.spikes))
        compared.check_held(defaults)
        for key in ("g_ex", "g_in"):
            compared.check_trace(key, 1e-3)
        if compared.model.startswith("iaf_cond"):
            compared.check_trace("V_m", conductance_limit(compared, defaults))
            continue
        of = {**{key: defaults[key] for key in ("b", "tau_w")}, **compared.case.parameters}
        compared.check_trace("w", 5 * of["b"] * compared.dt / of["tau_w"])  # what is lost of b in five steps
        if compared.case.name == "still":
            compared.check_trace("V_m", 3 * compared.dt ** 2)
    if all_steps[0].model == "iaf_cond_exp" or all_steps[0].case.name == "still":
        for coarse, fine in zip(all_steps, all_steps[1:]):
            gain = coarse.apart("V_m", until_ms) / fine.apart("V_m", until_ms)
            fine.check(3.2 < gain < 4.8, f"V_m is {gain:.2f} times as near as with twice the step")


def main():
    compared = []

    def compare(model, steps, more=None):
        defaults = nest.GetDefaults(model)
        found = {}
        for dt in steps:
            ours = own_run(model, CASES[model], dt, pathlib.Path(scratch))
            theirs = nest_run(model, CASES[model], dt, more or {})
            for case in CASES[model]:
                found.setdefault(case.name, []).append(Compared(model, case, dt, ours[case.name], theirs[case.name]))
        compared.extend(some for all_steps in found.values() for some in all_steps)
        return found.values(), defaults

    with harness.scratch() as scratch:
        for model, steps, more in (("iaf_psc_exp", (0.1, 0.025), None),
                                   ("iaf_psc_alpha", (0.1, 0.025), None),
                                   ("iaf_psc_delta", (0.1, 0.025), None),
                                   ("izhikevich", (0.1, 1.0), {"consistent_integration": False})):
            all_cases, defaults = compare(model, steps, more)
            for one in (some for all_steps in all_cases for some in all_steps):
                check_round_off(one, defaults)
        for model, more in (("iaf_cond_exp", None), ("iaf_cond_alpha", None), ("aeif_cond_exp", {"gsl_error_tol": 1e-9})):
            all_cases, defaults = compare(model, (0.1, 0.05, 0.025), more)
            for all_steps in all_cases:
                check_second_order(all_steps, defaults)
    harness.finish(len(compared), "comparisons")


if __name__ == "__main__":
    main()
