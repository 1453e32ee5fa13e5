#!/usr/bin/env python3
"""Plastic synapses have the weights of NEST's stdp_synapse and stdp_nn_symm_synapse, whose delay is dendritic, spike by
spike, on random trains in which spikes of sources and targets often meet. Skipped without NEST (PyPI's nest-simulator;
3.10 when this was written)."""

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

DT, STEPS, SOURCES, TARGETS = 0.1, 20000, 5, 4
W_MAX, LAMBDA, ALPHA, TAU_PLUS, TAU_MINUS = 100.0, 0.02, 1.05, 17.0, 34.0
# Of w_max, after hundreds of changes, each with the round-off of an exponential and a power.
TOLERANCE = 1e-12
MODELS = {"all_to_all": "stdp_synapse", "nearest": "stdp_nn_symm_synapse"}
POWERS = [(0, 0), (1, 1), (0, 1), (0.4, 0.7)]

PARROT = """NEURON { ARTIFICIAL_CELL parrot RANGE arrived }
STATE { arrived }
INITIAL { arrived = 0 }
BREAKPOINT { if (arrived > 50000) { net_event(t - dt) } arrived = 0 }
NET_RECEIVE(weight) { arrived = arrived + weight }
"""
MODEL = f"""hillock: 1
run: {{duration: {STEPS * DT} ms, dt: {DT} ms}}
mechanisms: [parrot.mod]
cells: {{parrot: {{parrot: {{}}}}}}
populations: {{sources: {{cell: parrot, size: {SOURCES}}}, targets: {{cell: parrot, size: {TARGETS}}}}}
projections:
  - {{name: plastic, from: sources, to: targets, connect: {{list: {{csv: pairs.csv}}}}, weight: {0.4 * W_MAX}, delay: 1 ms,
     plasticity: {{stdp: {{w_max: {W_MAX}, lambda: {LAMBDA}, alpha: {ALPHA}, tau_plus: {TAU_PLUS} ms,
                         tau_minus: {TAU_MINUS} ms, mu_plus: MU_PLUS, mu_minus: MU_MINUS, pairing: PAIRING}}}}}}
stimuli:
  - {{spikes: {{csv: sources.csv}}, to: sources, weight: 100000}}
  - {{spikes: {{csv: targets.csv}}, to: targets, weight: 100000}}
record:
  - {{name: w, weights: plastic, every: {DT} ms, type: float64}}
  - {{name: spikes, of: targets}}
"""


def trains(count, rate_hz, random, first=100):
    """Steps of spikes of each of some cells, none before `first`."""
    chance = rate_hz * DT / 1000
    return [first + np.flatnonzero(random.random(STEPS - 500 - first) < chance) for _ in range(count)]


def nest_weights(model, mu_plus, mu_minus, delays, sources, targets):
    """{(source, target): {step of a spike: the weight that it was sent with}}"""
    nest.ResetKernel()
    nest.verbosity = nest.VerbosityLevel.ERROR
    nest.resolution = DT

    def parrots(all_steps):
        cells = nest.Create("parrot_neuron", len(all_steps), {"tau_minus": TAU_MINUS})
        times = [{"spike_times": np.round((steps - 1) * DT, 6)} for steps in all_steps]
        nest.Connect(nest.Create("spike_generator", len(all_steps), params=times), cells, "one_to_one",
                     {"delay": DT, "weight": 1.0})
        return cells

    before, after = parrots(sources), parrots(targets)
    recorder = nest.Create("weight_recorder")
    nest.CopyModel(model, "plastic", {"weight_recorder": recorder})
    for s in range(SOURCES):
        for t in range(TARGETS):
            # A parrot does not repeat what comes to its second port.
            nest.Connect(before[s], after[t], "one_to_one",
                         {"synapse_model": "plastic", "receptor_type": 1, "weight": 0.4 * W_MAX, "Wmax": W_MAX,
                          "delay": round(delays[s, t] * DT, 6), "lambda": LAMBDA, "alpha": ALPHA,
                          "tau_plus": TAU_PLUS, "mu_plus": float(mu_plus), "mu_minus": float(mu_minus)})
    nest.Simulate(STEPS * DT)
    events = recorder.events
    found = {}
    for sender, target, time, weight in zip(events["senders"], events["targets"], events["times"], events["weights"]):
        key = (int(sender) - before[0].global_id, int(target) - after[0].global_id)
        found.setdefault(key, {})[round(time / DT)] = weight
    return found


def own_weights(pairing, mu_plus, mu_minus, delays, sources, targets, folder):
    """[sample][source][target], a sample a step."""
    for name, all_steps in (("sources", sources), ("targets", targets)):
        rows = [f"{cell},{step * DT:.1f}" for cell, steps in enumerate(all_steps) for step in steps]
        (folder / f"{name}.csv").write_text("cell,time_ms\n" + "\n".join(rows) + "\n")
    rows = [f"{s},{t},{0.4 * W_MAX},{delays[s, t] * DT:.1f}" for s in range(SOURCES) for t in range(TARGETS)]
    (folder / "pairs.csv").write_text("source,target,weight,delay\n" + "\n".join(rows) + "\n")
    (folder / "parrot.mod").write_text(PARROT)
    (folder / "model.yaml").write_text(MODEL.replace("MU_PLUS", str(mu_plus)).replace("MU_MINUS", str(mu_minus))
                                       .replace("PAIRING", pairing))
    done = harness.run("run", folder / "model.yaml", "-o", folder / "out", "--force", "--quiet")
    harness.check(done.returncode == 0, done.stderr)
    with h5py.File(folder / "out/spikes.h5") as file:
        spiked = len(file["spikes/targets/timestamps"])
    harness.check(spiked == sum(map(len, targets)), f"{spiked} spikes of targets")
    with h5py.File(folder / "out/w.h5") as file:
        report = file["report/targets"]
        harness.check(list(report["mapping/element_ids"][:]) == list(range(SOURCES)) * TARGETS, "the order of weights")
        return report["data"][:].reshape(-1, TARGETS, SOURCES).transpose(0, 2, 1)


def main():
    count = 0
    random = np.random.default_rng(3)
    with harness.scratch() as scratch:
        for pairing, model in MODELS.items():
            for mu_plus, mu_minus in POWERS:
                sources = trains(SOURCES, 60, random)
                # To stdp_nn_symm_synapse the source's first spike is one at time 0, which is none.
                targets = trains(TARGETS, 80, random, max(steps[0] for steps in sources))
                delays = random.integers(1, 60, (SOURCES, TARGETS))
                theirs = nest_weights(model, mu_plus, mu_minus, delays, sources, targets)
                ours = own_weights(pairing, mu_plus, mu_minus, delays, sources, targets, pathlib.Path(scratch))
                # In the sample after its arrival the weight is the one that a spike arrived with.
                apart = [abs(weight - ours[step + delays[s, t] + 1, s, t])
                         for (s, t), sent in theirs.items() for step, weight in sent.items()]
                print(f"{model}, mu_plus {mu_plus}, mu_minus {mu_minus}: {len(apart)} weights, at most "
                      f"{max(apart) / W_MAX:.1e} of w_max apart; at last {ours[-1].min():.1f} to {ours[-1].max():.1f}")
                harness.check(len(apart) == TARGETS * sum(map(len, sources)), f"{len(apart)} weights")
                harness.check(max(apart) < TOLERANCE * W_MAX, f"{model} {mu_plus} {mu_minus}: {max(apart)}")
                count += len(apart)
    harness.finish(count, "weights")


if __name__ == "__main__":
    main()
