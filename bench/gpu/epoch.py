#!/usr/bin/env python3
"""Question: how long does a step take on a GPU, whole runs through the command, beside what Arbor takes? Arbor's
busyring (hh on the soma, passive dendrites) at the sizes of its table, its complex cell, and cells with hh everywhere
on random trees of some 392 compartments.

    us/step   the loop's seconds (exchange and recording included) over its steps
    cs/s      compartments times steps a second
    Arbor     Arbor 0.12-dev's microseconds a step on an H200, over ours"""

import runs
import models  # which runs.py has found

# cells, depth, complex: microseconds a step of Arbor's
ARBOR = {(16, 5, False): 68, (128, 5, False): 74, (128, 10, False): 122, (1024, 2, False): 75, (1024, 5, False): 94,
         (1024, 10, False): 345, (8192, 2, False): 214, (8192, 5, False): 370, (128, 10, True): 266,
         (1024, 10, True): 787}
HH_CELLS = (16, 256, 2048, 16000)
HH_DEPTH, HH_COMPARTMENTS = 7, [16, 2]  # 392 on average


def hh_everywhere(cells, duration, **more):
    """Cells of random trees with hh on every compartment, in rings."""
    model, pairs = models.busyring(cells, HH_DEPTH, duration, synapses=1, **more)
    cell = model["cells"]["cell"]
    cell["morphology"]["random_tree"]["compartments"] = HH_COMPARTMENTS
    cell["regions"]["dend"] = {"hh": models.HH}
    return model, pairs


def main():
    options = runs.options_of(runs.parser_of(__doc__, 50))
    cases = [(f"busyring {cells}/{depth}{' complex' if is_complex else ''}", arbor,
              lambda cells=cells, depth=depth, is_complex=is_complex:
              models.busyring(cells, depth, options.duration, is_complex))
             for (cells, depth, is_complex), arbor in ARBOR.items()]
    cases += [(f"hh {cells}", None, lambda cells=cells: hh_everywhere(cells, options.duration)) for cells in HH_CELLS]
    rows, failures = runs.Rows("epoch", options), 0
    print(f"{'model':<26}{'compartments':>13}{'us/step':>9}{'cs/s':>10}{'Arbor':>7}{'build s':>9}{'spikes':>9}")
    with runs.Models(options) as scratch:
        for name, arbor, make in cases:
            if options.only not in name:
                continue
            model, pairs = make()
            try:
                told = scratch.run(scratch.write(model, pairs=pairs))
            except runs.Failed as why:
                print(f"{name:<26}{why}", flush=True)
                failures += 1
                continue
            us, compartments = runs.us_a_step(told), told["compartments"]
            ratio = f"{arbor / us:7.2f}" if arbor else " " * 7
            print(f"{name:<26}{compartments:>13,}{us:>9.2f}{compartments / us * 1e6:>10.2e}{ratio}"
                  f"{told['timings_s']['build']:>9.2f}{told['spikes']:>9}", flush=True)
            rows.add(told, model=name, compartments=compartments, us=us, arbor_us=arbor, spikes=told["spikes"])
    runs.end(failures)


if __name__ == "__main__":
    main()
