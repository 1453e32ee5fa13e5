"""# A run on a GPU

The pyramidal cells of [pyramidal_network.yaml](../pyramidal_network/pyramidal_network.yaml), 640 compartments each, on an NVIDIA GPU and on all cores of the machine: what takes a run there is one word, `backend="cuda"` or `--backend cuda`, and the network is the same ([gpu.md](../../docs/gpu.md)).
"""

import pathlib

import hillock
from matplotlib import pyplot

MODEL = pathlib.Path(__file__).resolve().parents[1] / "pyramidal_network/pyramidal_network.yaml"
SIZES = [40, 200, 1000, 5000]


def run(size, backend):
    return hillock.run(MODEL, set={"populations.pyr.size": size, "run.duration": "50 ms", "run.solver": "exact",
                                   "projections.0.connect.pairwise_bernoulli.p": 12 / size}, backend=backend)


names = {}
figure, ax = pyplot.subplots(figsize=(4.5, 3), layout="constrained")
for backend in ("cuda", "cpu"):
    runs = [run(size, backend) for size in SIZES]
    summary = runs[0].summary
    names[backend] = summary["device"] or f"{summary['threads']} threads of a CPU"
    ax.loglog(SIZES, [one.summary["timings_s"]["advance"] for one in runs], "o-", label=names[backend])
ax.set(xlabel="pyramidal cells", ylabel="time of 50 ms (s)")
ax.legend()
figure.savefig("gpu.png")
