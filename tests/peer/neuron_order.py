#!/usr/bin/python3
"""In which order and step events come in sessions, beside NEURON, whose times are sums of steps: spikes of two cells whose
times and delays make the same, and what hoc sends to the middle between two steps. Onto a point that notes who came, and
when; as a whole, and handed back in between.
"""

import pathlib
import sys
import tempfile

from parity import skip

try:
    import numpy as np
    from neuron import coreneuron, h
except ImportError as missing:
    skip(f"{missing.name} is missing (packages python3-neuron, python3-numpy)")

import hillock.neuron
import neuron_mods
from neuron_run import check, solve_in_parts

UNTIL = 60
TEXTS = {"notes_who_came": """
: The places behind the point of who came, one after the other, and the sum of when, each as many times as it was said
NEURON { POINT_PROCESS notes_who_came  RANGE seen, when, count }
ASSIGNED { seen  when (ms)  count }
INITIAL { seen = 0  when = 0  count = 0 }
NET_RECEIVE (who) {
  count = count + 1
  seen = seen/3 + who
  when = when + count*t
}
"""}


class Session:
    def __init__(self):
        self.cells = [h.Section(name=f"cell{k}") for k in range(2)]
        self.clamps = [h.IClamp(cell(0.5)) for cell in self.cells]
        for number, (cell, clamp) in enumerate(zip(self.cells, self.clamps)):
            cell.L = cell.diam = 20
            cell.insert("hh")
            clamp.delay, clamp.dur, clamp.amp = 1, 1e9, 0.15 + 0.03 * number
        self.point = h.notes_who_came(self.cells[0](0.5))
        self.netcons = [h.NetCon(cell(0.5)._ref_v, self.point, sec=cell) for cell in self.cells]
        self.spikes = [h.Vector() for _ in self.cells]
        for number, (nc, vector) in enumerate(zip(self.netcons, self.spikes)):
            nc.weight[0] = number + 1
            nc.record(vector)

    def run(self, is_here, events=()):
        h.finitialize(-65)
        for nc, time in events:
            nc.event(time)
        solve_in_parts([UNTIL / 3, UNTIL], is_here)
        return self.point.seen, self.point.when, self.point.count

    def compare(self, what, events=()):
        """Compares the last thirty of who came, and the sum of when, bit for bit; what is said to come in
        the middle between two steps may come a millionth of a step sooner here."""
        wanted = self.run(lambda _: False, events)
        for how, is_here in (("", lambda _: True), (", and back", lambda part: part == 0)):
            seen, when, count = self.run(is_here, events)
            good = seen == wanted[0] and count == wanted[2] > 5 and \
                abs(when - wanted[1]) <= len(events) * count * 1.2e-6 * h.dt
            yield check(f"{what}{how}", good, (seen, when, count, wanted))


def meeting():
    session = Session()
    session.run(lambda _: False)
    of_first, of_second = (np.array(vector) for vector in session.spikes)
    steps = np.unique(np.round((of_first[:4, None] - of_second[:4]) / h.dt))
    for apart in steps.tolist():
        session.netcons[0].delay, session.netcons[1].delay = 1 + max(0, -apart) * h.dt, 1 + max(0, apart) * h.dt
        yield from session.compare(f"spikes that meet, delays {apart:g} steps apart")


def between_steps():
    session = Session()
    for nc in session.netcons:
        nc.delay = 1.3
    sent = [h.NetCon(None, session.point) for _ in range(2)]
    for number, nc in enumerate(sent):
        nc.weight[0] = 3 + number
    yield from session.compare("events of hoc's between two steps",
                               [(sent[k % 2], (k + 0.5) * h.dt) for k in range(0, round((UNTIL - 1) / h.dt), 7)])


def of_artificial_cells():
    """What events between two steps make an artificial cell send has their times."""
    session = Session()  # without which there is nothing to run
    stim, cell, spikes = h.NetStim(), h.IntFire1(), h.Vector()
    stim.start, stim.interval, stim.number, stim.noise = 2.5 * h.dt, 28 * h.dt, 60, 0
    starts, sends = h.NetCon(stim, cell, 0, 1, 2), h.NetCon(cell, None)
    sends.record(spikes)
    found = []
    for is_here in (lambda _: False, lambda _: True, lambda part: part == 0):
        session.run(is_here)
        found.append(list(spikes))
    for how, ours in zip(("", ", and back"), found[1:]):
        yield check(f"spikes of an artificial cell between two steps{how}", ours == found[0] and len(ours) > 5, found)
    del starts


def main():
    with tempfile.TemporaryDirectory(prefix="hillock-order-") as folder:
        folder = pathlib.Path(folder)
        neuron_mods.load(h, neuron_mods.written(TEXTS, folder), folder / "neuron")
        h.load_file("stdrun.hoc")
        hillock.neuron.enable()
        coreneuron.enable = False
        h.ParallelContext().set_maxstep(10)
        good = [*meeting(), *between_steps(), *of_artificial_cells()]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
