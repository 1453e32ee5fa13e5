"""# A NEURON script, unchanged

A ring of cells as NEURON's users write it, for CoreNEURON: nothing in it is of Hillock, and Hillock runs it when the environment says so.

```sh
CORENEURONLIB=$(hillock neuron-library) python neuron_script.py
```

[neuron.md](../../docs/neuron.md) says what a session may hold; a script without CoreNEURON needs two lines before it.
"""

from matplotlib import pyplot
from neuron import coreneuron, h

h.load_file("stdrun.hoc")
cells, synapses, connections = [], [], []
for number in range(20):
    soma, dend = h.Section(name=f"soma{number}"), h.Section(name=f"dend{number}")
    dend.connect(soma(1))
    soma.L = soma.diam = 20
    dend.L, dend.diam, dend.nseg = 100, 2, 5
    soma.insert("hh")
    dend.insert("pas")
    cells.append((soma, dend))
    synapses.append(h.ExpSyn(dend(0.5)))
spikes = [h.Vector() for _ in cells]
for number, (soma, _) in enumerate(cells):
    connections.append(h.NetCon(soma(0.5)._ref_v, synapses[(number + 1) % 20], 10, 5, 0.06, sec=soma))
    connections[-1].record(spikes[number])
kick = h.IClamp(cells[0][0](0.5))
kick.delay, kick.dur, kick.amp = 1, 1, 1
traces = [h.Vector().record(soma(0.5)._ref_v) for soma, _ in cells[:3]]
times = h.Vector().record(h._ref_t)

h.cvode.cache_efficient(1)
coreneuron.enable = True
h.finitialize(-65)
h.ParallelContext().set_maxstep(10)
h.ParallelContext().psolve(200)

figure, (left, right) = pyplot.subplots(1, 2, figsize=(7, 2.8), layout="constrained")
left.plot(list(times), list(zip(*map(list, traces))))
left.set(xlim=(0, 40), xlabel="time (ms)", ylabel="soma v (mV)")
right.eventplot([list(one) for one in spikes], linelengths=0.8)
right.set(xlabel="time (ms)", ylabel="cell")
figure.savefig("neuron_script.png")
