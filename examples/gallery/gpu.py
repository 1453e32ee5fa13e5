"""# A run on a GPU

The pyramidal cells of [pyramidal_network.yaml](../pyramidal_network/pyramidal_network.yaml), 640 compartments each, on an NVIDIA GPU and on all cores of the machine: what takes a run there is one word, `backend="cuda"` or `--backend cuda`, and the network is the same ([gpu.md](../../docs/gpu.md)).
"""

import pathlib

import hillock
from matplotlib import pyplot

MODEL = pathlib.Path(__file__).resolve().parents[1] / "pyramidal_network/pyramidal_network.yaml"
SIZES = [20, 100, 500, 2000]


def run(size, backend):
    values = {"populations.pyr.size": size, "projections.0.connect.pairwise_bernoulli.p": 12 / size,
              "run.duration": "50 ms", "run.solver": "exact"}
    return hillock.run(MODEL, set=values, backend=backend)


figure, ax = pyplot.subplots(figsize=(4.5, 3), layout="constrained")
for backend in ("cuda", "cpu"):
    runs = [run(size, backend).summary for size in SIZES]
    name = runs[0]["device"] or f"{runs[0]['threads']} threads of a CPU"
    ax.loglog(SIZES, [one["timings_s"]["advance"] for one in runs], "o-", label=name.split(",")[0])
ax.set(xlabel="pyramidal cells", ylabel="time of 50 ms (s)")
ax.legend()
figure.savefig("gpu.png")
