#!/usr/bin/env python3
"""Packs and the functions of mechanisms have the same bits on x86-64, with each of its instruction sets that this machine
has, and on aarch64, by Debian's cross compiler and qemu-user.

    same_bits.py CXX OPTIONS     what the build compiles with
"""

import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve()
ROOT = HERE.parents[2]
sys.path.insert(0, str(ROOT / "bench"))
from needs import Needs  # noqa: E402

SETS = {"x86-64": [], "avx2": ["-march=x86-64-v3"], "avx512": ["-march=x86-64-v4", "-mprefer-vector-width=512"]}
CROSS, EMULATOR = "aarch64-linux-gnu-g++", "qemu-aarch64-static"


def bits(compiler, options, start=()):
    """What the program prints; nothing where this machine lacks its instructions."""
    with tempfile.TemporaryDirectory(prefix="hillock-bits-") as folder:
        program = pathlib.Path(folder) / "bits"
        subprocess.run([compiler, "-std=c++20", "-O2", *options, "-I", ROOT, HERE.with_name("bits.cpp"), "-o", program],
                       check=True)
        done = subprocess.run([*start, program], capture_output=True, text=True)
        return None if done.returncode == -4 else done.stdout  # SIGILL


def main():
    Needs().program(CROSS, "apt-get install g++-aarch64-linux-gnu") \
        .program(EMULATOR, "apt-get install qemu-user-static").check()
    compiler, options = sys.argv[1], sys.argv[2].split()
    expected = bits(CROSS, [*options, "-static"], [EMULATOR])
    if len(expected.splitlines()) != 8:
        sys.exit(f"{EMULATOR} says: {expected}")
    failed = False
    for name, more in SETS.items():
        found = bits(compiler, [*options, *more])
        same = found == expected
        print(f"{name}: {'not on this machine' if found is None else 'the bits of aarch64' if same else 'OTHER BITS'}")
        if found is not None and not same:
            failed = True
            print(*[f"  {a}   aarch64: {b}" for a, b in zip(found.splitlines(), expected.splitlines()) if a != b],
                  sep="\n")
    sys.exit(failed)


if __name__ == "__main__":
    main()
