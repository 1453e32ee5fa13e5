#!/usr/bin/env python3
"""Does --backend cuda write the CPU's bytes? Runs examples, the tests' models and, with arguments, those named, on
both. Skipped without a GPU; fails without one when REQUIRE_GPU=1."""

import concurrent.futures
import pathlib
import subprocess
import sys
import tempfile

import harness

ROOT, HILLOCK = harness.ROOT, harness.HILLOCK
# Files of the repository and what shortens them.
MODELS = {"examples/ring/ring.yaml": "100 ms", "examples/pyramidal_network/pyramidal_network.yaml": "50 ms",
          "examples/balanced_network/balanced_network.yaml": "30 ms", "examples/rallpacks/rallpack1.yaml": "20 ms",
          "examples/rallpacks/rallpack2.yaml": "20 ms", "examples/rallpacks/rallpack3.yaml": "20 ms",
          "tests/command/models/mixed.yaml": "100 ms", "tests/command/models/lanes.yaml": "100 ms",
          "tests/command/models/events.yaml": "100 ms", "tests/command/models/saved.yaml": "20 ms",
          "tests/command/models/gaps.yaml": "20 ms", "tests/command/models/diffusion.yaml": "20 ms",
          "tests/command/models/deliveries.yaml": None, "tests/command/models/potentials.yaml": None,
          "tests/command/models/fields.yaml": None,
          "tests/command/models/layers.yaml": None,
          "tests/command/models/burst.yaml": None, "tests/command/models/parts.yaml": "20 ms",
          "tests/simulator/cuda/alike.yaml": None, "tests/simulator/cuda/quick.yaml": None,
          "tests/command/models/sweep.yaml": "30 ms", "tests/command/models/places.yaml": "30 ms",
          "tests/command/models/listed_points.yaml": "30 ms", "tests/command/models/listed_junctions.yaml": "20 ms",
          "tests/command/models/uses_arrays.yaml": "40 ms", "tests/command/models/clock.yaml": None,
          "examples/sweep/sweep.yaml": "60 ms"}
# Networks with point neurons, alone and beside other cells, run with each way of bringing spikes to synapses.
POINT_MODELS = {"tests/command/models/points.yaml": None, "tests/command/models/points_and_gaps.yaml": None,
                "examples/mixed_network/mixed_network.yaml": "100 ms",
                "tests/command/models/only_points.yaml": None, "tests/command/models/own_steps.yaml": None,
                "tests/command/models/only_plastic.yaml": None,
                "tests/command/models/plastic.yaml": "50 ms",
                "examples/stdp/stdp.yaml": "2 s", "examples/izhikevich/balanced.yaml": "300 ms",
                "examples/izhikevich/irregular.yaml": "200 ms",
                "examples/point_network_with_delays/point_network_with_delays.yaml": "60 ms"}
PROPAGATIONS = ("neurons", "synapses", "spikes", "spike_blocks", "queue")
TURNS = ["--set", f"run.propagation=[{', '.join(PROPAGATIONS)}]", "--epoch-steps", "7"]
# What a run on the GPU is given.
EPOCHS = ([], ["--epoch-steps", "3"])
WAYS = [*EPOCHS, *(["--set", f"run.propagation={way}", *epochs] for way in PROPAGATIONS for epochs in EPOCHS),
        TURNS]

def outputs(model, duration, folder, *options):
    shortened = ["--set", "run.solver=exact"] + (["--set", f"run.duration={duration}"] if duration else [])
    done = subprocess.run([HILLOCK, "run", model, "-o", folder, "--force", "--quiet", *shortened, *options],
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{model} {' '.join(options)}: {done.stderr.strip()}")
    return {file.name: file.read_bytes() for file in sorted(folder.glob("*.h5"))}


def differing(model, duration, folder):
    """Outputs that are not the CPU's, whatever the epochs and the way of spikes."""
    on_cpu = outputs(ROOT / model, duration, folder / "cpu", "--backend", "cpu")
    bad = []
    for number, options in enumerate(WAYS if model in POINT_MODELS else EPOCHS):
        on_cuda = outputs(ROOT / model, duration, folder / f"cuda{number}", "--backend", "cuda", *options)
        bad += [f"{model} {' '.join(options)}: {name}" for name in on_cpu.keys() | on_cuda.keys()
                if on_cpu.get(name) != on_cuda.get(name)]
    if not on_cpu:
        bad.append(f"{model}: no output")
    return bad


def main():
    harness.need_gpu()
    models = {name: None for name in sys.argv[1:]} or MODELS | POINT_MODELS
    with tempfile.TemporaryDirectory(prefix="hillock-cuda-") as scratch, \
            concurrent.futures.ThreadPoolExecutor(4) as pool:
        running = []
        for number, (model, duration) in enumerate(models.items()):
            folder = pathlib.Path(scratch) / str(number)
            folder.mkdir()
            running.append(pool.submit(differing, model, duration, folder))
        bad = [name for job in running for name in job.result()]
    for name in bad:
        print("differs:", name)
    print(f"{len(models)} models, {len(bad)} outputs differ")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
