#!/usr/bin/env python3
"""Question: does hillock for aarch64 write the bytes of x86-64's? Every example, test model and mechanism case, of the
latter with every instruction set that the machine has, the former as the kernel runs it: under qemu-user
(docs/aarch64.md), whose mechanisms a cross compiler compiles.

    tests/command/aarch64.py X86_64 AARCH64 [--root FOLDER] [--only WORD]     programs, the packages of the second
"""

import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

import same_outputs
from same_outputs import ROOT
from needs import Needs

# What shortens the others' runs is in same_outputs.
DURATION = "10 ms"
# So slow under qemu that they are shortened further.
SHORT = {"pyramidal_network": "5 ms", "balanced_network": "5 ms", "balanced": "20 ms", "large": "2 ms"}


def models(program, folder):
    """(name, path, duration or None, precision): each in doubles, and in the other precision."""
    shortened = {pathlib.Path(file).stem: duration for file, duration in same_outputs.FILES.items()} | SHORT
    files = sorted(path for place in ("examples", "tests/command/models") for path in (ROOT / place).rglob("*.yaml"))
    for precision in ("double", "mixed"):
        for path in files:
            yield str(path.relative_to(ROOT)), path, shortened.get(path.stem, DURATION), precision
        for name, path in same_outputs.made_models(program, folder).items():
            if precision == "double" or not name.endswith("crank_nicolson"):
                yield name, path, None, precision


def need_what_runs(program, environment):
    """Ends the script where the kernel does not start that machine's programs."""
    needs = Needs().program(environment["CXX"], "apt-get install g++-aarch64-linux-gnu")
    try:
        subprocess.run([program, "--version"], env=os.environ | environment, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        needs.add(f"{program} does not run ({error})",
                  "apt-get install qemu-user-static; in a container mount -t binfmt_misc none "
                  "/proc/sys/fs/binfmt_misc, and write /usr/lib/binfmt.d/qemu-aarch64.conf to register there")
    needs.check()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("x86_64", type=pathlib.Path)
    parser.add_argument("aarch64", type=pathlib.Path)
    parser.add_argument("--root", default=ROOT / "build/aarch64-root", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--at-once", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    here, there = arguments.x86_64.resolve(), arguments.aarch64.resolve()
    root = arguments.root.resolve()
    on_arm = {"QEMU_LD_PREFIX": str(root), "CXX": "aarch64-linux-gnu-g++"}
    need_what_runs(there, on_arm)
    isas = same_outputs.instruction_sets(here)
    counts = {"compared": 0, "refused": 0, "differing": 0}

    def compare(name, model, folder, duration, precision):
        """Lines on what differs, and what was compared."""
        options = ["--threads", "1", "--set", f"run.precision={precision}"]
        if duration:
            options += ["--set", f"run.duration={duration}"]
        ours = same_outputs.hashes(there, model, folder / "aarch64", "baseline", options, on_arm)
        lines = []
        for isa in isas:
            theirs = same_outputs.hashes(here, model, folder / isa, isa, options)
            lines += [f"differs: {name}, {precision}, {isa}: {file} {theirs.get(file)} {ours.get(file)}"
                      for file in sorted(ours.keys() | theirs.keys()) if ours.get(file) != theirs.get(file)]
        return lines, ours

    with tempfile.TemporaryDirectory(prefix="hillock-aarch64-") as scratch:
        folder = pathlib.Path(scratch)
        with concurrent.futures.ThreadPoolExecutor(arguments.at_once) as pool:
            running = [pool.submit(compare, name, model, folder / f"out{number}", duration, precision)
                       for number, (name, model, duration, precision) in enumerate(models(here, folder))
                       if arguments.only in name]
            for job in running:
                lines, ours = job.result()
                if not ours:
                    sys.exit("a run has written nothing")
                for line in lines:
                    print(line, flush=True)
                counts["refused" if "error" in ours else "compared"] += 1
                counts["differing"] += bool(lines)
    print(f"{counts['compared']} models give the bytes of {', '.join(isas)}, but {counts['differing']}; "
          f"{counts['refused']} are refused by both")
    sys.exit(1 if counts["differing"] or not counts["compared"] else 0)


if __name__ == "__main__":
    main()
