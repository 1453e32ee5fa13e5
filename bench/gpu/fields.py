#!/usr/bin/env python3
"""Question: what does a potential outside that acts on cells cost? busyring's complex cells of depth 10 without one, with
one that is there all the time and with a pulse that is not, in turns, best of --repeat; --backend cpu and --threads for
a CPU.

    loop, s   run.json's advance, exchange and record
    over      that over what the run without takes
    build, s  run.json's time before the first step"""

import runs
import models

WAVEFORMS = {"none": None, "sine": {"sine": {"frequency": "100 Hz"}},
             "pulse": {"amplitude": 1, "start": "1 ms", "duration": "0.1 ms"}}


def in_field(model, waveform):
    model["populations"]["cells"] |= {"positions": {"uniform_box": ["500 um", "500 um", "1000 um"]},
                                      "rotations": {"uniform": "any"}}
    if waveform:
        model.setdefault("stimuli", []).append({"to": "cells", "field": {"potential": "z * 1 V/m", "waveform": waveform}})
    return model


def main():
    parser = runs.parser_of(__doc__, 25)
    parser.add_argument("--cells", type=int, default=1024)
    parser.add_argument("--depth", type=int, default=10)
    parser.add_argument("--threads", default="0")
    parser.add_argument("--repeat", type=int, default=3)
    options = runs.options_of(parser)
    words = ["--threads", options.threads] if options.threads != "0" else []
    best = {}
    with runs.Models(options) as scratch:
        for _ in range(options.repeat):
            for name, waveform in WAVEFORMS.items():
                model, pairs = models.busyring(options.cells, options.depth, options.duration, is_complex=True)
                run = scratch.run(scratch.write(in_field(model, waveform), pairs=pairs), *words)
                times = runs.loop_s(run), run["timings_s"]["build"]
                best[name] = min(times, best.get(name, times))
    print(f"{options.cells} cells, {options.duration:g} ms, {options.backend} {' '.join(words)}")
    print("| field | loop, s | over | build, s |\n| --- | --- | --- | --- |")
    for name, (loop, build) in best.items():
        print(f"| {name} | {loop:.3f} | {loop / best['none'][0]:.3f} | {build:.2f} |", flush=True)


if __name__ == "__main__":
    main()
