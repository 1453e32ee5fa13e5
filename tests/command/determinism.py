#!/usr/bin/env python3
"""Any number of threads, any epoch and any instruction set give the same bytes: spikes.h5 and every
report.  Threads also change how many cells share a group, and which.
"""

import pathlib

import harness

MODELS = [harness.ROOT / "examples/ring/ring.yaml", harness.ROOT / "tests/command/models/mixed.yaml",
          harness.ROOT / "tests/command/models/lanes.yaml", harness.ROOT / "tests/command/models/events.yaml",
          harness.ROOT / "tests/command/models/clock.yaml",
          harness.ROOT / "tests/command/models/sweep.yaml", harness.ROOT / "tests/command/models/gaps.yaml",
          harness.ROOT / "tests/command/models/diffusion.yaml", harness.ROOT / "tests/command/models/potentials.yaml",
          harness.ROOT / "tests/command/models/fields.yaml", harness.ROOT / "tests/command/models/layers.yaml",
          harness.ROOT / "tests/command/models/points.yaml", harness.ROOT / "tests/command/models/plastic.yaml",
          harness.ROOT / "tests/command/models/plastic_of_artificial.yaml",
          harness.ROOT / "tests/command/models/only_plastic.yaml",
          harness.ROOT / "tests/command/models/own_steps.yaml",
          harness.ROOT / "tests/command/models/places.yaml", harness.ROOT / "tests/command/models/uses_arrays.yaml",
          harness.ROOT / "tests/command/models/listed_points.yaml",
          harness.ROOT / "tests/command/models/listed_junctions.yaml",
          harness.ROOT / "tests/command/models/large.yaml", harness.ROOT / "tests/command/models/large_points.yaml"]
DURATIONS = {"ring": "100 ms"}  # whose cells spike seldom
MIXED = ["ring", "large", "mixed", "lanes", "events", "gaps", "diffusion", "uses_arrays",
         "layers"]  # with floats, too
VARIANTS = [("--threads", "1"), ("--threads", "2"), ("--threads", "3", "--epoch-steps", "5"),
            ("--threads", "2", "--epoch-steps", "1"), ("--threads", "1", "--epoch-steps", "1"),
            ("--threads", "60"), ("--threads", "4"), ("--threads", "2", "--side-by-side", "1"), ("--threads", "1", "--side-by-side", "4"),
            ("--threads", "3", "--side-by-side", "8")]
# HILLOCK_ISA; those that the machine lacks are refused, and passed over here.
INSTRUCTION_SETS = ["baseline", "avx2", "avx512"]


def available(model):
    refused = {isa: harness.run("info", model, env={"HILLOCK_ISA": isa}) for isa in INSTRUCTION_SETS}
    for isa, done in refused.items():
        harness.check(done.returncode == 0 or "this machine does not have it" in done.stderr,
                      f"HILLOCK_ISA={isa}: {done.stderr}")
    return [isa for isa, done in refused.items() if done.returncode == 0]


def main():
    count = 0
    isas = available(MODELS[0])
    harness.check("baseline" in isas, f"instruction sets: {isas}")
    print("instruction sets:", *isas)
    variants = [(options, None) for options in VARIANTS]
    variants += [(("--threads", "2"), isa) for isa in isas[:-1]]  # the last is what runs take by themselves
    with harness.scratch() as folder:
        for model, precision in [(model, "double") for model in MODELS] + [
                (model, "mixed") for model in MODELS if model.stem in MIXED]:
            first = None
            for number, (options, isa) in enumerate(variants):
                out = pathlib.Path(folder) / f"{model.stem}_{precision}{number}"
                done = harness.run("run", model, "-o", out, "--quiet", *options,
                                   "--set", f"run.duration={DURATIONS.get(model.stem, '60 ms')}",
                                   "--set", f"run.precision={precision}",
                                   env={"HILLOCK_ISA": isa} if isa else None)
                harness.check(done.returncode == 0, f"{model.name}: {done.stderr}")
                files = {p.name: p.read_bytes() for p in sorted(out.glob("*.h5"))}
                harness.check("spikes.h5" in files and len(files) > 1, f"{model.name}: {list(files)}")
                if first is None:
                    first = files
                    import h5py
                    with h5py.File(out / "spikes.h5") as spikes:
                        total = sum(len(g["timestamps"]) for g in spikes["spikes"].values())
                    harness.check(total >= 16, f"{model.name}: only {total} spikes")
                    print(f"{model.name}, {precision}: {total} spikes")
                for name in first:
                    harness.check(files.get(name) == first[name],
                                  f"{model.name} {precision} {' '.join(options)} {isa or ''}: {name} differs")
                    count += 1
    harness.finish(count, "files compared")


if __name__ == "__main__":
    main()
