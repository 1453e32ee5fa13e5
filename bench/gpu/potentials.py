#!/usr/bin/env python3
"""Question: what do potentials outside cells cost? busyring's complex cells of depth 10, with spikes recorded alone and
with potentials at contacts every 0.1 ms, in turns, best of --repeat; --backend cpu and --threads for a CPU.

    loop, s   run.json's advance, exchange and record
    over      that over what spikes alone take
    map, MB   what maps currents to contacts, by `hillock info`"""

import runs
import models


def with_potentials(model, contacts, every):
    """Contacts along an axis through the box in which cells stand."""
    model["populations"]["cells"] |= {"positions": {"uniform_box": ["500 um", "500 um", "1000 um"]},
                                      "rotations": {"uniform": "any"}}
    places = [["250 um", "250 um", f"{1000 * i / max(1, contacts - 1)} um"] for i in range(contacts)]
    if contacts:
        model["record"].append({"name": "lfp", "of": "cells", "every": every,
                                "potential": {"electrodes": places, "conductivity": "0.3 S/m"}})
    return model


def main():
    parser = runs.parser_of(__doc__, 25)
    parser.add_argument("--cells", type=int, default=1024)
    parser.add_argument("--depth", type=int, default=10)
    parser.add_argument("--contacts", type=int, nargs="+", default=[100])
    parser.add_argument("--every", default="0.1 ms")
    parser.add_argument("--threads", default="0")
    parser.add_argument("--repeat", type=int, default=3)
    options = runs.options_of(parser)
    words = ["--threads", options.threads] if options.threads != "0" else []
    best, maps = {}, {}
    with runs.Models(options) as scratch:
        for _ in range(options.repeat):
            for contacts in [0, *options.contacts]:
                model, pairs = models.busyring(options.cells, options.depth, options.duration, is_complex=True)
                path = scratch.write(with_potentials(model, contacts, options.every), pairs=pairs)
                seconds = runs.loop_s(scratch.run(path, *words))
                best[contacts] = min(seconds, best.get(contacts, seconds))
                if contacts not in maps:
                    maps[contacts] = scratch.info(path, "cpu")["map_bytes"] / 1e6
    print(f"{options.cells} cells, {options.duration:g} ms, every {options.every}, {options.backend} {' '.join(words)}")
    print("| contacts | loop, s | over | map, MB |\n| --- | --- | --- | --- |")
    for contacts, seconds in best.items():
        print(f"| {contacts} | {seconds:.3f} | {seconds / best[0]:.3f} | {maps[contacts]:.0f} |", flush=True)


if __name__ == "__main__":
    main()
