#!/usr/bin/python3
"""In which order and step events come in sessions, beside NEURON, whose times are sums of steps: spikes of two cells whose
times and delays make the same, and what hoc sends to the middle between two steps. Onto a point that notes who came, and
when; as a whole, and handed back in between. And what comes there because points and artificial cells send it while the
run goes on, for several dt, onto conductances, so that voltages tell in which step each came.
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
""", "asks_again": """
: Sends itself one event after the other; the current is another after each
NEURON { POINT_PROCESS asks_again  NONSPECIFIC_CURRENT i  RANGE wait, count, when }
PARAMETER { wait = 0.5 (ms) }
ASSIGNED { i (nA)  v (mV)  count  when (ms) }
INITIAL { count = 0  when = 0  net_send(wait, 1) }
BREAKPOINT { i = 1e-4*(count - 7*floor(count/7))*(v + 60) }
NET_RECEIVE (w) {
  count = count + 1
  when = when + count*t
  if (flag == 1) { net_send(wait, 1) }
}
""", "sends_later": """
NEURON { ARTIFICIAL_CELL sends_later  RANGE wait }
PARAMETER { wait = 0.5 (ms) }
NET_RECEIVE (w) {
  if (flag == 0) { net_send(wait, 1) } else { net_event(t) }
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
        """Compares the last thirty of who came, and the sum of when, bit for bit."""
        wanted = self.run(lambda _: False, events)
        for how, is_here in (("", lambda _: True), (", and back", lambda part: part == 0)):
            found = self.run(is_here, events)
            yield check(f"{what}{how}", found == wanted and wanted[2] > 5, (found, wanted))


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


class Between:
    """Everything comes in the middle between two steps of dt, or as far from it as steps are long: delays, starts and
    waits in half steps."""

    def __init__(self, draws):
        dt = h.dt
        self.soma = h.Section(name="soma")
        self.soma.L = self.soma.diam = 20
        self.soma.insert("pas")
        self.points = [h.asks_again(self.soma(0.5)) for _ in range(4)]
        for halves, point in zip((1, 3, 5, 7), self.points):
            point.wait = 0.5 * halves * dt
        self.cells, self.netcons, self.synapses = [], [], []
        for number in range(8):
            stim = h.NetStim()
            stim.start, stim.noise, stim.number = dt * (1 + 0.5 * draws.integers(1, 40)), 0, 1e9
            stim.interval = 0.5 * dt * draws.integers(9, 90)
            later = h.sends_later() if number % 2 else h.IntFire1()
            if number % 2:
                later.wait = 0.5 * dt * draws.integers(1, 4)
            else:
                later.refrac = 4 * dt
            self.cells += [stim, later]
            synapse = h.ExpSyn(self.soma(0.5))
            synapse.tau, synapse.e = 20 * dt, draws.choice([0, -90])
            self.synapses.append(synapse)
            delays = dt * (2 + 0.5 * draws.integers(0, 9, 3))
            for source, target, delay in zip((stim, stim, later), (later, synapse, synapse), delays):
                self.netcons.append(h.NetCon(source, target, 0, delay, 2 if target is later else 1e-4))
        self.spikes = [h.Vector() for _ in self.cells]
        for cell, vector in zip(self.cells, self.spikes):
            self.netcons.append(h.NetCon(cell, None))
            self.netcons[-1].record(vector)
        self.trace = h.Vector().record(self.soma(0.5)._ref_v)

    def run(self, is_here):
        h.finitialize(-65)
        steps = 1000 * h.dt
        solve_in_parts([0.35 * steps, 0.7 * steps, steps], is_here)
        points = [(point.count, point.when) for point in self.points]
        return [list(vector) for vector in self.spikes], points, np.array(self.trace)


def sent_between_steps():
    draws = np.random.default_rng(3)
    for h.dt in (0.025, 0.1, 0.2, 0.03):
        session = Between(draws)
        spikes, points, trace = session.run(lambda _: False)
        for how, is_here in (("", lambda _: True), (", and back", lambda part: part == 0),
                             (", from the middle on", lambda part: part > 0),
                             (", in the middle", lambda part: part == 1)):
            found = session.run(is_here)
            apart = np.abs(found[2] - trace)
            good = found[:2] == (spikes, points) and apart.max() < 1e-9 and min(map(len, spikes)) > 5
            yield check(f"sent between two steps of {h.dt:g} ms{how}", good,
                        (apart.max(), int(np.argmax(apart > 1e-9)), found[:2] == (spikes, points)))
        del session
    h.dt = 0.025


def main():
    with tempfile.TemporaryDirectory(prefix="hillock-order-") as folder:
        folder = pathlib.Path(folder)
        neuron_mods.load(h, neuron_mods.written(TEXTS, folder), folder / "neuron")
        h.load_file("stdrun.hoc")
        hillock.neuron.enable()
        coreneuron.enable = False
        h.ParallelContext().set_maxstep(10)
        good = [*meeting(), *between_steps(), *of_artificial_cells(), *sent_between_steps()]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
