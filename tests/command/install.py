#!/usr/bin/env python3
"""What `cmake --install` leaves works by itself: the command runs a model of the installed library,
and another project finds the package, builds against it and runs."""

import os
import pathlib
import subprocess
import sys

import harness

BUILD = pathlib.Path(os.environ["HILLOCK_BUILD"])
CONSUMER = harness.ROOT / "tests/command/consumer"


def run(*words, **options):
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=300, **options)
    if done.returncode != 0:
        sys.exit(f"{words}: exit code {done.returncode}\n{(done.stdout + done.stderr)[:2000]}")
    return done.stdout


def main():
    with harness.scratch() as folder:
        folder = pathlib.Path(folder)
        prefix = folder / "prefix"
        run("cmake", "--install", BUILD, "--prefix", prefix)
        model = folder / "model.yaml"  # which includes what the library holds
        example = harness.ROOT / "examples/pyramidal_network/pyramidal_network.yaml"
        model.write_text(example.read_text())
        alone = {**os.environ, "PATH": "/usr/bin:/bin"}
        run(prefix / "bin/hillock", "run", model, "-o", folder / "out", "--quiet", "--set",
            "run.duration=5 ms", env=alone, cwd=folder)
        harness.check((folder / "out/run.json").exists(), "the installed command ran nothing")
        harness.check((prefix / "share/hillock/library").is_dir(), "no library of models")
        for place in ("bash-completion/completions/hillock", "zsh/site-functions/_hillock",
                      "fish/vendor_completions.d/hillock.fish"):
            shell = place.split("/")[0].split("-")[0]
            harness.check((prefix / "share" / place).read_text() == run(harness.HILLOCK, "completion", shell),
                          f"{place} is not what completes words in {shell}")
        run("cmake", "-G", "Ninja", "-S", CONSUMER, "-B", folder / "consumer", f"-DCMAKE_PREFIX_PATH={prefix}")
        run("cmake", "--build", folder / "consumer")
        names = run(folder / "consumer/consumer").split()
        harness.check("hh" in names and "expsyn" in names, f"the consumer printed {names}")
    harness.finish(6, "uses of an installed Hillock")


if __name__ == "__main__":
    main()
