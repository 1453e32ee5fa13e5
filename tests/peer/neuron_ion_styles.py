#!/usr/bin/python3
"""Every ion_style of sodium on one section of two, with concentrations and a reversal potential of its own, beside NEURON.

128 sessions, by run(); each engine has a process. Voltages to 1e-6 mV.
"""

import itertools
import json
import subprocess
import sys

from parity import skip

try:
    from neuron import h
except ImportError as missing:
    skip(f"{missing.name} is missing (package python3-neuron)")

MOST = 1e-6
STYLES = list(itertools.product(range(4), range(4), range(2), range(2), range(2)))


def voltages(style):
    """After 2.5 and 5 ms."""
    soma, dend = h.Section(name="soma"), h.Section(name="dend")
    soma.L = soma.diam = 20
    dend.L, dend.diam, dend.nseg = 100, 2, 3
    dend.connect(soma(1))
    for section in (soma, dend):
        section.insert("hh")
    h.ion_style("na_ion", *style, sec=dend)
    dend.nai, dend.nao, dend.ena = 14, 145, 47
    trace = h.Vector().record(dend(0.5)._ref_v)
    h.tstop = 5
    h.run()
    return [trace[100], trace[200]]


def main():
    if len(sys.argv) > 1:
        h.load_file("stdrun.hoc")
        if sys.argv[1] == "hillock":
            import hillock.neuron
            hillock.neuron.enable()
        json.dump([voltages(style) for style in STYLES], open(3, "w"))
        return
    by = {}
    for engine in ("neuron", "hillock"):
        done = subprocess.run(["sh", "-c", '"$0" "$1" "$2" 3>&1 >/dev/null', sys.executable, __file__, engine],
                              stdout=subprocess.PIPE, text=True)
        if done.returncode != 0:
            sys.exit(f"{engine}: exit code {done.returncode}")
        by[engine] = json.loads(done.stdout)
    wrong = 0
    for style, expected, got in zip(STYLES, by["neuron"], by["hillock"]):
        apart = max(abs(a - b) for a, b in zip(expected, got))
        if not apart <= MOST:
            print(f"WRONG: ion_style{style}: {got} mV, NEURON {expected}")
            wrong += 1
    different = len({tuple(voltage) for voltage in by["neuron"]})
    print(f"{len(STYLES)} styles with {different} results, {wrong} wrong")
    sys.exit(wrong > 0 or different < 3)


if __name__ == "__main__":
    main()
