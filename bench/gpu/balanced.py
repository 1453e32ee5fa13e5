#!/usr/bin/env python3
"""Question: how long does a second of the balanced network take on a GPU, beside the cores of its machine? The network
of the library with --synapses a cell, dt 0.05 ms, spikes recorded; on --backend and on the CPU with all its threads in
turns, best of --repeat. Two lengths are run: what the second takes longer is the network by itself, after the 50 ms in
which it is driven.

    s / s      wall seconds of the loop (exchange and recording included) over seconds of biological time
    by itself  the same of the time after --driven ms alone
    CPU        what the CPU takes, over it
    Hz         spikes a cell and second"""

import runs
import scaling  # of bench/cpu, which runs.py has found

CELLS = (4000, 40000, 400000)


def main():
    parser = runs.parser_of(__doc__, 200)
    parser.add_argument("--driven", type=float, default=50, help="ms of the shorter run")
    parser.add_argument("--synapses", type=int, default=80, help="a cell")
    parser.add_argument("--cells", type=int, action="append", help="the default: " + ", ".join(map(str, CELLS)))
    parser.add_argument("--repeat", type=int, default=2)
    options = runs.options_of(parser)
    rows, failures = runs.Rows("balanced", options), 0
    print(f"{'cells':>8} {'backend':<8}{'s / s':>9}{'by itself':>11}{'CPU':>7}{'build s':>9}{'spikes':>10}{'Hz':>7}")
    with runs.Models(options) as scratch:
        for cells in options.cells or CELLS:
            if options.only not in str(cells):
                continue
            best = {}  # [backend, length]
            for _ in range(options.repeat):
                for length in (options.driven, options.duration):
                    path = scratch.write(scaling.balanced(cells, length, options.synapses))
                    for backend in dict.fromkeys((options.backend, "cpu")):
                        try:
                            told = scratch.run(path, backend=backend)
                        except runs.Failed as why:
                            print(f"{cells:>8} {backend}: {why}", flush=True)
                            failures += 1
                            continue
                        known = best.setdefault((backend, length), told)
                        best[backend, length] = min(known, told, key=runs.loop_s)
            for backend in dict.fromkeys((options.backend, "cpu")):
                driven, told = best.get((backend, options.driven)), best.get((backend, options.duration))
                if not driven or not told:
                    continue
                whole = runs.loop_s(told) / options.duration * 1e3
                alone = (runs.loop_s(told) - runs.loop_s(driven)) / (options.duration - options.driven) * 1e3
                cpu = best.get(("cpu", options.duration))
                ratio = runs.loop_s(cpu) / runs.loop_s(told) if cpu else None
                rate = told["spikes"] / cells / options.duration * 1e3
                print(f"{cells:>8} {backend:<8}{whole:>9.3f}{alone:>11.3f}{f'{ratio:.2f}' if ratio else '':>7}"
                      f"{told['timings_s']['build']:>9.2f}{told['spikes']:>10}{rate:>7.1f}", flush=True)
                rows.add(told, cells=cells, backend=backend, s_per_s=whole, by_itself_s_per_s=alone, cpu_over_it=ratio,
                         spikes=told["spikes"], rate_Hz=rate)
    runs.end(failures)


if __name__ == "__main__":
    main()
