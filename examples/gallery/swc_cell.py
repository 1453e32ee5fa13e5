"""# A cell from an SWC file, with synapses

The library's pyramidal cell gets excitation at the tips of its dendrites and inhibition on its soma.
`pyramid.swc`, from which it is, was drawn by a program; the path of a reconstruction (SWC, or Neurolucida's ASC) stands in its place just as well, as [morphology.md](../../docs/morphology.md) says.
Left is its voltage while it spikes, right that of the soma and of an apical branch.
"""

import hillock
from hillock import plot
from matplotlib import pyplot

MODEL = {
    "hillock": 1,
    "include": ["library:pyramidal.yaml"],  # {morphology: {swc: "library:pyramid.swc", …}, …}
    "run": {"duration": "150 ms", "v_init": "-70 mV", "seed": 3},
    "populations": {"pyr": {"cell": "pyramidal", "size": 1}},
    "stimuli": [
        {"poisson": {"rate": "20 Hz"}, "to": "pyr", "weight": "0.8 nS",
         "synapse": {"exp2syn": {"tau1": "0.5 ms", "tau2": "3 ms", "e": "0 mV"}, "at": "tips(dend)"}},
        {"poisson": {"rate": "20 Hz"}, "to": "pyr", "weight": "0.8 nS",
         "synapse": {"exp2syn": {"tau1": "0.5 ms", "tau2": "3 ms", "e": "0 mV"}, "at": "tips(apic)"}},
        {"poisson": {"rate": "100 Hz"}, "to": "pyr", "weight": "4 nS",
         "synapse": {"exp2syn": {"tau1": "0.5 ms", "tau2": "8 ms", "e": "-75 mV"}, "at": "soma(0.5)"}}],
    "record": [{"name": "spikes", "of": "pyr"},
               {"name": "soma", "of": "pyr", "variable": "v", "at": "soma(0.5)", "every": "0.05 ms"},
               {"name": "apical", "of": "pyr", "variable": "v", "at": "apic[48](0.5)", "every": "0.05 ms"},
               {"name": "everywhere", "of": "pyr", "variable": "v", "at": "all", "every": "0.1 ms"}]}
model = hillock.load(MODEL)
results = hillock.run(model)
spike_ms = results.spikes["pyr"].times[0]

figure, (left, right) = pyplot.subplots(1, 2, figsize=(7, 3.6), width_ratios=(1, 2), layout="constrained")
plot.morphology(model.cells["pyramidal"], report=results["everywhere"], time=spike_ms + 0.5,
                variable="v", ax=left)
for name in ("apical", "soma"):
    right.plot(results[name].times, results[name].data[:, 0], label=name)
right.axvline(spike_ms + 0.5, color="0.6", linewidth=0.6, zorder=0)
right.set(xlabel="time (ms)", ylabel="v (mV)")
right.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2)
figure.savefig("swc_cell.png")
