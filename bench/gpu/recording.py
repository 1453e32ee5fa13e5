#!/usr/bin/env python3
"""Question: what does recording cost? busyring (1,024 cells of depth 5) and hh everywhere (2,048 cells), with spikes
recorded alone, then every soma's voltage at 0.1 ms, then every compartment's: 4 bytes a sample on the disk, runs in
turns, best of --repeat. What records every compartment runs --share of the time, once, and once more with its output in
--memory, where a disk cannot hold it up.

    us/step    the loop's seconds (exchange and recording included) over its steps
    over none  that over what spikes alone take, in runs of equal length, also for every compartment
    MB, MB/s   samples on the disk; over the seconds of loop and writing
    wait %     of these seconds, those in which the loop waits for what takes the samples, or files are closed
    plain      MB/s of a program that writes as many bytes there, a MiB at a time, and does nothing else"""

import pathlib
import shutil
import time

import runs
import epoch
import models

EVERY = "0.1 ms"
PLACES = {"none": None, "somata": "soma(0.5)", "compartments": "all"}


def recorded(model, place):
    if PLACES[place]:
        model["record"].append({"name": "v", "of": "cells", "variable": "v", "at": PLACES[place], "every": EVERY})
    return model


def plain_rate(path, size):
    """MB/s of plain writes to a new file, which is removed."""
    block = bytes(1 << 20)
    begin = time.perf_counter()
    with open(path, "wb", buffering=0) as file:
        for _ in range(max(1, size >> 20)):
            file.write(block)
    rate = max(1, size >> 20) * len(block) / 1e6 / (time.perf_counter() - begin)
    path.unlink()
    return rate


class Recording:
    def __init__(self, options, scratch):
        self.options, self.scratch = options, scratch
        self.rows, self.failures = runs.Rows("recording", options), 0
        self.folder = pathlib.Path(options.folder) if options.folder else scratch.folder

    def best(self, name, make, duration, wanted, repeat):
        """{(what is recorded, folder): run.json of the fastest run}, in turns."""
        best, most = {}, 0
        for _ in range(repeat):
            for place, folder in wanted:
                if most * 1.2 > shutil.disk_usage(folder).free:
                    print(f"{name}, {place}: {folder} has no room for {most / 1e6:.0f} MB", flush=True)
                    continue
                model, pairs = make(duration)
                path = self.scratch.write(recorded(model, place), pairs=pairs)
                out = folder / f"{self.scratch.folder.name}.out"
                try:
                    told = self.scratch.run(path, out=out)
                except runs.Failed as why:
                    print(f"{name}, {place}: {why}", flush=True)
                    self.failures += 1
                    continue
                finally:
                    size = (out / "v.h5").stat().st_size if (out / "v.h5").is_file() else 0
                    shutil.rmtree(out, ignore_errors=True)
                told["sampled_bytes"], most = size, max(most, size)
                known = best.setdefault((place, folder), told)
                if runs.loop_s(told) < runs.loop_s(known):
                    best[place, folder] = told
        return best

    def print_rows(self, name, best):
        base = next((told for (place, _), told in best.items() if place == "none"), None)
        for (place, folder), told in best.items():
            us, size = runs.us_a_step(told), told["sampled_bytes"]
            over = us / runs.us_a_step(base) if base else None
            taken = runs.loop_s(told) + told["timings_s"]["write"]
            waits = (told["timings_s"]["record"] + told["timings_s"]["write"]) / taken
            rate = size / 1e6 / taken
            plain, written = None, ""
            if place == "compartments":
                plain = plain_rate(folder / f"{self.scratch.folder.name}.plain", size)
                written = f"{rate:>9.0f}{100 * waits:>8.1f}{plain:>8.0f}  {folder}"
            print(f"{name:<20}{place:<14}{told['steps']:>7}{us:>10.2f}{f'{over:.3f}' if over else '':>11}"
                  f"{size / 1e6:>10.1f}{written}", flush=True)
            self.rows.add(told, model=name, recorded=place, folder=str(folder), us=us, over_none=over, bytes=size,
                          MB_s=rate, waits=waits, plain_MB_s=plain, steps=told["steps"])

    def measure(self, name, make):
        options, folder = self.options, self.folder
        self.print_rows(name, self.best(name, make, options.duration, [("none", folder), ("somata", folder)],
                                        options.repeat))
        wanted = [("none", folder), ("compartments", folder)]
        if options.memory and pathlib.Path(options.memory).is_dir():
            wanted.append(("compartments", pathlib.Path(options.memory)))
        self.print_rows(name, self.best(name, make, options.duration * options.share, wanted, 1))


def main():
    parser = runs.parser_of(__doc__, 200)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--share", type=float, default=0.1)
    parser.add_argument("--folder", default="", help="where outputs go for the time of a run; a folder of its own")
    parser.add_argument("--memory", default="/dev/shm", help="a folder that is memory, or nothing")
    parser.add_argument("--part", type=int, default=1, help="N: an N-th of the cells")
    options = runs.options_of(parser)
    part = options.part
    print(f"{'model':<20}{'recorded':<14}{'steps':>7}{'us/step':>10}{'over none':>11}{'MB':>10}{'MB/s':>9}{'wait %':>8}"
          f"{'plain':>8}  to")
    with runs.Models(options) as scratch:
        recording = Recording(options, scratch)
        made = {f"busyring {1024 // part:,}/5": lambda duration: models.busyring(1024 // part, 5, duration),
                f"hh {2048 // part:,}": lambda duration: epoch.hh_everywhere(2048 // part, duration)}
        for name, make in made.items():
            if options.only in name:
                recording.measure(name, make)
    runs.end(recording.failures)


if __name__ == "__main__":
    main()
