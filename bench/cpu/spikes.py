#!/usr/bin/env python3
"""Question: what does a spike cost on its way to spikes.h5? 100,000 neurons of models/library/izhikevich_network.yaml
without synapses, driven so that each of them fires some 50 times a second, in one population and in eight. Processor
time of all threads of a run, less that of this build's run of the same network without recordings, in which spikes
are collected and sorted too; best of --repeat runs in turns; in nanoseconds a spike. --before PROGRAM measures
another build beside it."""

import json
import os
import pathlib
import resource
import subprocess
import tempfile

import builds

NEURONS = 100_000
MILLISECONDS = 1000


def model(populations, is_recorded):
    names = [f"q{p}" for p in range(populations)]
    return {"hillock": 1, "include": ["library:izhikevich_network"],
            "run": {"duration": f"{MILLISECONDS} ms", "dt": "1 ms", "seed": 1},
            "populations": {name: {"cell": "izhikevich", "size": NEURONS // populations} for name in names},
            "stimuli": [{"gaussian": {"mean": 15, "sd": 5}, "to": name} for name in names],
            "record": [{"name": f"spikes_{name}", "of": name} for name in names] if is_recorded else []}


def run(program, path):
    """Processor seconds, and how many spikes were recorded."""
    out = path.with_suffix(".out")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    # Epochs as short as those of a network, without which there is one of 400 steps.
    subprocess.run([program, "run", path, "-o", out, "--force", "--quiet", "--threads", "1", "--epoch-steps", "20",
                    "--set", "projections=[]", "--set", "populations.p.size=1"], check=True, capture_output=True,
                   env=dict(os.environ, CUDA_VISIBLE_DEVICES=""))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    taken = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return taken, json.loads((out / "run.json").read_text())["spikes"]


def main():
    parser = builds.parser_of(__doc__)
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    programs = builds.programs_of(options)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for populations in (1, 8):
            paths = {}
            for name, is_recorded in (("recorded", True), ("silent", False)):
                paths[name] = folder / f"{name}{populations}.yaml"
                paths[name].write_text(json.dumps(model(populations, is_recorded)))
            jobs = [(programs[0], paths["silent"])] + [(program, paths["recorded"]) for program in programs]
            taken = [[] for _ in jobs]
            for _ in range(options.repeat):
                for times, job in zip(taken, jobs):
                    times.append(run(*job))
            silent, *recorded = [min(times) for times in taken]
            print(f"{populations} populations, {recorded[0][1]} spikes, {silent[0]:.2f} s without recordings:", end="")
            for name, (seconds, spikes) in zip(("this", "before"), recorded):
                print(f"  {name} {seconds:.2f} s, {(seconds - silent[0]) / spikes * 1e9:.0f} ns a spike", end="")
            print(flush=True)


if __name__ == "__main__":
    main()
