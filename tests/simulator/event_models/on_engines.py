#!/usr/bin/env python3
"""Do engines hand out events alike?  Draws models (event_models.py) and runs each on the CPU and on another engine,
on one rank and on two, in one go and resumed: byte for byte the same, or it is told.

    on_engines.py [--first SEED] [--models N] --host-form PROGRAM    the device's kernels, compiled for the host
    on_engines.py [--first SEED] [--models N] --cuda RESUME_ANYWHERE the GPU; HILLOCK names the program
    on_engines.py [--first SEED] [--models N] --cpu RESUME_ANYWHERE  the CPU itself, resumed and on two ranks
"""

import argparse
import concurrent.futures
import pathlib
import shutil
import subprocess
import sys
import tempfile

import event_models

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "command"))
import harness  # noqa: E402


def on_host(program, models):
    return subprocess.run([program, "exact", f"{event_models.DURATION} ms", *models]).returncode


def run(model, folder, *options, ranks=1):
    command = [harness.HILLOCK, "run", model, "-o", folder, "--quiet", *options]
    if ranks > 1:
        command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(ranks), *command]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip()[-500:])
    return {file.name: file.read_bytes() for file in sorted(folder.glob("*.h5"))}


def on_ranks(backend, model, folder):
    """What is other on two ranks of a backend than on the CPU and one, in a list."""
    try:
        cpu = run(model, folder / "cpu", "--backend", "cpu", "--threads", "1")
        ranks = run(model, folder / "ranks", "--backend", backend, "--threads", "1", ranks=2)
        return [] if ranks == cpu else [f"{model}: other bytes on two ranks"]
    except RuntimeError as failure:
        return [f"{model}: {failure}"]
    finally:
        shutil.rmtree(folder)


def resumed(backend, program, models):
    """What failed of runs that are saved at a random step and resumed, beside whole ones on the CPU."""
    words = ["cuda"] if backend == "cuda" else []
    done = subprocess.run([program, "1", "1", *words, *models], capture_output=True, text=True)
    failed = [line for line in done.stdout.splitlines() if line.startswith("FAIL")]
    return failed or ([done.stderr] if done.returncode else [])


def on_backend(backend, models, scratch, resume_anywhere, every):
    if backend == "cuda":
        harness.need_gpu()
    some = [models[k:k + 10] for k in range(0, len(models), 10)]
    ranked = models[::every]
    with concurrent.futures.ThreadPoolExecutor(8 if backend == "cuda" else 2) as pool:
        jobs = [pool.submit(resumed, backend, resume_anywhere, part) for part in some]
        jobs += [pool.submit(on_ranks, backend, model, scratch / f"run{number}") for number, model in enumerate(ranked)]
        bad = [line for job in jobs for line in job.result()]
    for line in bad:
        print("differs:", line)
    print(f"{len(models)} models whole and resumed, {len(ranked)} on two ranks: {len(bad)} differ")
    return 1 if bad else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--models", type=int, default=500)
    engine = parser.add_mutually_exclusive_group(required=True)
    engine.add_argument("--host-form")
    engine.add_argument("--cuda", metavar="RESUME_ANYWHERE", help="the program of tests/simulator/resume")
    engine.add_argument("--cpu", metavar="RESUME_ANYWHERE", help="the same")
    parser.add_argument("--ranks-every", type=int, default=10, metavar="N", help="every Nth model runs on two ranks")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hillock-events-") as folder:
        scratch = pathlib.Path(folder)
        models = [scratch / f"seed{seed}.yaml" for seed in range(options.first, options.first + options.models)]
        for seed, model in enumerate(models, options.first):
            model.write_text(event_models.yaml_of(event_models.make(seed)))
        if options.host_form:
            sys.exit(on_host(options.host_form, models))
        backend = "cuda" if options.cuda else "cpu"
        sys.exit(on_backend(backend, models, scratch, options.cuda or options.cpu, options.ranks_every))


if __name__ == "__main__":
    main()
