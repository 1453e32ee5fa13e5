#!/usr/bin/env python3
"""Any number of threads and any epoch give the same bytes: spikes.h5 and every report."""

import pathlib

import harness

MODELS = [harness.ROOT / "examples/ring/ring.yaml", harness.ROOT / "tests/command/models/mixed.yaml"]
VARIANTS = [("--threads", "1"), ("--threads", "2"), ("--threads", "3", "--epoch-steps", "5"),
            ("--threads", "2", "--epoch-steps", "1"), ("--threads", "1", "--epoch-steps", "1")]


def main():
    count = 0
    with harness.scratch() as folder:
        for model in MODELS:
            first = None
            for number, options in enumerate(VARIANTS):
                out = pathlib.Path(folder) / f"{model.stem}{number}"
                done = harness.run("run", model, "-o", out, "--quiet", *options,
                                   "--set", "run.duration=100 ms")
                harness.check(done.returncode == 0, f"{model.name}: {done.stderr}")
                files = {p.name: p.read_bytes() for p in sorted(out.glob("*.h5"))}
                harness.check("spikes.h5" in files and len(files) > 1, f"{model.name}: {list(files)}")
                if first is None:
                    first = files
                    import h5py
                    with h5py.File(out / "spikes.h5") as spikes:
                        total = sum(len(g["timestamps"]) for g in spikes["spikes"].values())
                    harness.check(total >= 16, f"{model.name}: only {total} spikes")
                    print(f"{model.name}: {total} spikes")
                for name in first:
                    harness.check(files.get(name) == first[name],
                                  f"{model.name} {' '.join(options)}: {name} differs")
                    count += 1
    harness.finish(count, "files compared")


if __name__ == "__main__":
    main()
