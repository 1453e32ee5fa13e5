#!/usr/bin/env python3
"""Question: does another build of hillock write the same bytes? Hashes every output of the examples, the library's
cells and networks, the tests' models, busyring and every mechanism case, under 1 and 2 threads, every instruction
set that the machine has, and two epoch lengths.

    tests/command/same_outputs.py PROGRAM --keep FILE       the hashes of one build
    tests/command/same_outputs.py PROGRAM --against FILE    those of another, compared with the kept ones
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/peer"), str(ROOT / "bench"), str(ROOT / "bench/cpu")]
import models  # noqa: E402
from mechanism_cases import CASES, path_of  # noqa: E402
from mechanisms_neuron import Hillock  # noqa: E402

# Files of the repository and what shortens them.
FILES = {"examples/ring/ring.yaml": "100 ms", "examples/pyramidal_network/pyramidal_network.yaml": "50 ms",
         "examples/balanced_network/balanced_network.yaml": "30 ms", "examples/rallpacks/rallpack1.yaml": "20 ms",
         "examples/rallpacks/rallpack2.yaml": "20 ms", "examples/rallpacks/rallpack3.yaml": "20 ms",
         "tests/command/models/mixed.yaml": "100 ms", "tests/command/models/lanes.yaml": "100 ms",
         "tests/command/models/events.yaml": "100 ms", "tests/command/models/points.yaml": "100 ms",
         "tests/command/models/only_plastic.yaml": "100 ms",
         "examples/izhikevich/balanced.yaml": "100 ms"}
# Cells of the library, each in the file of its name.
LIBRARY = ["ball_and_stick", "hh_soma", "pyramidal"]


def library_model(cell):
    return {"hillock": 1, "include": [f"library:{cell}.yaml"], "run": {"duration": "30 ms", "dt": "0.025 ms"},
            "populations": {"p": {"cell": cell, "size": 11}},
            "stimuli": [{"iclamp": {"amplitude": "1 nA", "start": "2 ms", "duration": "20 ms"}, "to": "p[0:7]",
                         "at": "soma(0.5)"}],
            "record": [{"name": "v", "of": "p", "variable": "v", "at": "all"}, {"name": "spikes", "of": "p"}]}


def made_models(program, folder):
    """{name: path} of the models that are written for this."""
    made = {f"library {name}": library_model(name) for name in LIBRARY}
    made["passive ring"] = models.ring(33, "pas", 30)
    for name, is_complex in (("busyring", False), ("busyring complex", True)):
        made[name], pairs = models.busyring(40, 4, 40, is_complex)
        (folder / "pairs.csv").write_text(pairs)
    writer = Hillock(program, folder)
    for case in CASES.values():
        if not writer.knows(case) or not path_of(case.mechanism).exists():
            continue
        for integrator in ("backward_euler", "crank_nicolson"):
            made[f"{case.name} {integrator}"], _ = writer.model(case, 0.025)
            made[f"{case.name} {integrator}"]["run"]["integrator"] = integrator
            made[f"{case.name} {integrator}"]["run"]["duration"] = "20 ms"
    paths = {}
    for name, model in made.items():
        paths[name] = folder / (name.replace(" ", "_") + ".yaml")
        paths[name].write_text(json.dumps(model))
    return paths


def environment(isa, more=None):
    return dict(os.environ, HILLOCK_ISA=isa, CUDA_VISIBLE_DEVICES="", **(more or {}))  # on the CPU


def instruction_sets(program):
    model = ROOT / "examples/ring/ring.yaml"
    return [isa for isa in ("baseline", "avx2", "avx512")
            if subprocess.run([program, "info", model], env=environment(isa), capture_output=True).returncode == 0]


def hashes(program, model, out, isa, options, more=None):
    done = subprocess.run([program, "run", model, "-o", out, "--force", "--quiet", *options],
                          env=environment(isa, more), capture_output=True, text=True)
    if done.returncode != 0:
        return {"error": done.stderr.strip().replace(str(model.parent), "").splitlines()[-1]}
    return {file.name: hashlib.md5(file.read_bytes()).hexdigest() for file in sorted(out.glob("*.h5"))}


def jobs(program, folder):
    isas = instruction_sets(program)
    best = isas[-1]
    variants = [(isa, ("--threads", "1")) for isa in isas]
    variants += [(best, ("--threads", "2")), (best, ("--threads", "2", "--epoch-steps", "3")),
                 (best, ("--threads", "3", "--epoch-steps", "1"))]
    for file, duration in FILES.items():
        for isa, options in variants:
            yield pathlib.Path(file).stem, ROOT / file, isa, (*options, "--set", f"run.duration={duration}")
    for name, path in made_models(program, folder).items():
        is_case = name.rpartition(" ")[2] in ("backward_euler", "crank_nicolson")
        for isa, options in variants[:3] + variants[-1:] if is_case else variants:
            yield name, path, isa, options


def all_hashes(program, at_once):
    """{"model, settings: file": hash}"""
    found = {}
    with tempfile.TemporaryDirectory(prefix="hillock-outputs-") as scratch:
        folder = pathlib.Path(scratch)
        with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
            running = {}
            for number, (name, model, isa, options) in enumerate(jobs(program, folder)):
                key = f"{name}, {isa} {' '.join(options)}"
                running[key] = pool.submit(hashes, program, model, folder / f"out{number}", isa, options)
            for key, job in running.items():
                for file, value in job.result().items():
                    found[f"{key}: {file}"] = value
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--against", type=pathlib.Path)
    parser.add_argument("--at-once", type=int, default=2)
    arguments = parser.parse_args()
    found = all_hashes(arguments.program.resolve(), arguments.at_once)
    if arguments.keep:
        arguments.keep.write_text(json.dumps(found, indent=0))
    differing = []
    if arguments.against:
        kept = json.loads(arguments.against.read_text())
        differing = sorted(key for key in kept.keys() | found.keys() if kept.get(key) != found.get(key))
        for key in differing:
            print("differs:", key, kept.get(key), found.get(key))
    print(f"{len(found)} outputs, {sum(k.endswith(': error') for k in found)} runs that fail, "
          f"{len(differing)} that differ")
    sys.exit(1 if differing else 0)


if __name__ == "__main__":
    main()
