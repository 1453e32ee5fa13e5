#!/usr/bin/env python3
"""Question: how long does a user wait until a folder of .mod files is compiled? `hillock mech build` with an empty
cache, beside what nrnivmodl does (nocmodl and `cc -O2` for every file, two at a time, and one link), in turns, best of
--repeat; with --before PROGRAM another build of hillock in the same turns. The files are 14 of the catalogue, under
other names, and one with 90 states whose rates these set; --mods FOLDER takes others.

    s        from start to end, as many compilers at a time as there are cores
    CPU s    of all processes, that of the system included: what a busy machine leaves alone"""

import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

import builds

sys.path.insert(0, str(builds.ROOT / "tests/peer"))
import neuron_mods  # noqa: E402

CHANNELS = ["bk", "cal", "cal_ghk", "capool", "cat", "hh", "ih", "ka", "kdr", "km", "kv31", "nap", "nat", "sk"]


def copies(folder):
    """14 files of the catalogue, with a 2 behind the mechanisms' names."""
    folder.mkdir()
    for name in CHANNELS:
        text = (builds.ROOT / f"mechanisms/catalogue/{name}.mod").read_text()
        (folder / f"{name}2.mod").write_text(re.sub(rf"\bSUFFIX {name}\b", f"SUFFIX {name}2", text))
    return folder


def one_scheme(folder):
    folder.mkdir()
    shutil.copy(builds.ROOT / "tests/mechanisms/emitted/buffered.mod", folder)
    return folder


def measured(work):
    """(seconds, seconds of processors) of what it does in other processes."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    work()
    wall, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def by_hillock(program, mods, scratch):
    cache = scratch / "cache"
    shutil.rmtree(cache, ignore_errors=True)
    return measured(lambda: subprocess.run([program, "mech", "build", mods], check=True, capture_output=True,
                                           env=dict(os.environ, HILLOCK_CACHE=str(cache))))


def by_neuron(mods, scratch):
    folder = scratch / "neuron"
    shutil.rmtree(folder, ignore_errors=True)
    files = sorted(mods.glob("*.mod"))

    def work():
        _, refused = neuron_mods.build(files, folder)
        if refused:
            raise next(iter(refused.values()))
    return measured(work)


def main():
    parser = builds.parser_of(__doc__)
    parser.add_argument("--mods", type=pathlib.Path, help="a folder of .mod files")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--no-neuron", action="store_true")
    options = parser.parse_args()
    programs = builds.programs_of(options)
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        folders = [("14 channels", copies(scratch / "channels")), ("one scheme", one_scheme(scratch / "scheme"))]
        if options.mods:
            folders = [(options.mods.name, options.mods.resolve())]
        ways = [("Hillock", lambda mods: by_hillock(programs[0], mods, scratch))]
        if len(programs) > 1:
            ways.append(("before", lambda mods: by_hillock(programs[1], mods, scratch)))
        if not options.no_neuron:
            ways.append(("NEURON", lambda mods: by_neuron(mods, scratch)))
        print(f"{'files':<14} {'by':<8} {'s':>7} {'CPU s':>7}")
        for folder, mods in folders:
            best = {way: (float("inf"), float("inf")) for way, _ in ways}
            for _ in range(options.repeat):
                for way, work in ways:
                    best[way] = tuple(map(min, best[way], work(mods)))
            for way, (wall, cpu) in best.items():
                print(f"{folder:<14} {way:<8} {wall:7.1f} {cpu:7.1f}", flush=True)


if __name__ == "__main__":
    main()
