#!/usr/bin/env python3
"""Question: how much faster is a run on many threads, and than that of another build? Ring, busyring, and balanced
networks of two sizes: the loop's seconds (exchange and recording included) and those of building, best of --repeat,
on one thread and on --threads; with --before PROGRAM another build's beside them, in turns.

    1 / N    one thread's seconds over those of N threads
    before   the other build's seconds over this one's"""

import json
import os
import pathlib
import re
import tempfile

import builds
import models


def balanced(cells, duration, synapses=80):
    """The library's balanced network with so many synapses a cell."""
    text = (builds.ROOT / "models/library/balanced_network.yaml").read_text()
    text = re.sub("size: 3200", f"size: {cells * 4 // 5}", re.sub("size: 800}", f"size: {cells // 5}}}", text))
    text = text.replace("p: 0.02", f"p: {synapses / cells!r}")
    return text + f"""
run: {{duration: {duration} ms, dt: 0.05 ms, seed: 1, temperature: 36 degC, v_init: -65 mV}}
record: [{{name: exc, of: exc}}, {{name: inh, of: inh}}]
"""


def seconds(program, model, threads):
    taken = builds.timings(program, model, threads)
    return sum(taken[part] for part in ("initialise", "advance", "exchange", "record")), taken["build"]


def main():
    parser = builds.parser_of(__doc__)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    programs = builds.programs_of(options)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        busyring, pairs = models.busyring(8192, 5, 100)
        (folder / "pairs.csv").write_text(pairs)
        print(f"{'model':<18}{'':<7}{'run: 1':>9}{options.threads:>9}{'1 / N':>8}{'build: 1':>10}"
              f"{options.threads:>9}{'1 / N':>8}{'before':>8}{options.threads:>8}")
        for name, content in [("balanced 4,000", balanced(4000, 1000)), ("balanced 40,000", balanced(40000, 200)),
                              ("ring 1,024", json.dumps(models.ring(1024, "hh", 100))),
                              ("busyring 8,192", json.dumps(busyring))]:
            path = folder / f"{name.replace(' ', '_').replace(',', '')}.yaml"
            path.write_text(content)
            best = {}
            for _ in range(options.repeat):
                for which, program in enumerate(programs):
                    for threads in (1, options.threads):
                        taken = seconds(program, path, threads)
                        old = best.get((which, threads), taken)
                        best[which, threads] = tuple(map(min, old, taken))
            for which in range(len(programs)):
                one, many = best[which, 1], best[which, options.threads]
                line = f"{name if which == 0 else '':<18}{('now', 'before')[which]:<7}"
                for k in (0, 1):
                    line += f"{one[k]:9.3f}{many[k]:9.3f}{one[k] / many[k]:8.2f}" + " " * (1 - k)
                if which == 1:
                    line += "".join(f"{best[1, t][0] / best[0, t][0]:8.2f}" for t in (1, options.threads))
                print(line, flush=True)


if __name__ == "__main__":
    main()
