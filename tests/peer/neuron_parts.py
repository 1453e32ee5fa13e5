#!/usr/bin/python3
"""A session of NEURON whose run is cut by hoc's events, `cvode.event`, beside NEURON itself.

Every event leaves the session as it is, as a line of progress does, or changes something of it: numbers, NetCons,
mechanisms, what POINTERs stand for. Each way is a process of its own. Mechanisms that look on sum voltages by POINTERs,
and one of the sessions has NEURON's constants of before 8.0. Traces to 1e-6 mV, spikes all the same.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

from parity import skip

try:
    import numpy as np
    from neuron import coreneuron, h
except ImportError as missing:
    skip(f"{missing.name} is missing (packages python3-neuron, python3-numpy)")

import hillock
import hillock.neuron
import neuron_mods

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILES = [*(ROOT / f"tests/peer/mechanisms/{name}.mod" for name in ("axial_flow", "section_flow", "given_arguments")),
         *(ROOT / f"mechanisms/catalogue/{name}.mod" for name in ("cal", "capool", "tmsyn"))]
CELLS, UNTIL, EVERY = 4, 60, 3
MOST = 1e-6


class Cell:
    """A soma and a dendrite, along which axial_flow sums what flows into a Vector and, by section, into points."""

    def __init__(self, number):
        self.number = number
        self.soma, self.dend = (h.Section(name=name, cell=self) for name in ("soma", "dend"))
        self.dend.connect(self.soma(1))
        self.soma.L = self.soma.diam = 15 + number
        self.dend.L, self.dend.diam, self.dend.nseg = 150, 1.5, 5
        self.soma.insert("hh")
        for name in ("pas", "cal", "capool"):
            self.dend.insert(name)
        for segment in self.dend:
            segment.cal.gbar = 1e-5
        self.points = [h.ExpSyn(self.dend(0.5)), h.tmsyn(self.soma(0.5)), h.given_arguments(self.dend(0.9))]
        self.total = h.Vector(1)
        self.flows = []
        for section in (self.soma, self.dend):
            section.insert("axial_flow")
            self.flows.append(h.section_flow(section(0.5)))
            self.flows[-1]._ref_of_cell = self.total._ref_x[0]
            before = section(0)
            for segment in section:
                flow = segment.axial_flow
                flow.ri, flow.length = segment.ri(), section.L / section.nseg
                flow._ref_beside, flow._ref_of_section = before._ref_v, self.flows[-1]._ref_sum
                flow._ref_of_cell = self.total._ref_x[0]
                before = segment

    def __str__(self):
        return f"Cell[{self.number}]"


class Session:
    def __init__(self):
        self.cells = [Cell(number) for number in range(CELLS)]
        self.generator = h.NetStim()
        self.generator.interval, self.generator.number, self.generator.start = 9, 100, 1
        self.netcons = []
        for number, cell in enumerate(self.cells):
            self.connect(self.generator, cell.points[0], 1 + number, 0.05)
            for k, point in enumerate(self.cells[number - 1].points):
                self.connect(cell, point, 0.5 + 1.3 * k, 0.003)
        self.clamp = h.IClamp(self.cells[0].soma(0.5))
        self.clamp.delay, self.clamp.dur, self.clamp.amp = 2, 1e9, 0.05
        self.times, self.numbers = h.Vector(), h.Vector()
        for cell in self.cells:
            self.netcons.append(h.NetCon(cell.soma(0.5)._ref_v, None, sec=cell.soma))
            self.netcons[-1].record(self.times, self.numbers, cell.number)
        recorded = [h._ref_t]
        for cell in self.cells:
            recorded += [cell.soma(0.5)._ref_v, cell.dend(1)._ref_v, cell.dend(0.5)._ref_cai, cell.points[0]._ref_g,
                         cell.total._ref_x[0], cell.flows[1]._ref_sum, cell.flows[1]._ref_square,
                         cell.dend(0.3).axial_flow._ref_i]
        self.traces = [h.Vector().record(reference) for reference in recorded]

    def connect(self, source, target, delay, weight):
        one = h.NetCon(source.soma(0.5)._ref_v, target, sec=source.soma) if isinstance(source, Cell) else \
            h.NetCon(source, target)
        one.delay, one.weight[0] = delay, weight
        if "given_arguments" in target.hname():
            one.weight[1], one.weight[2] = 1.5, 4
        self.netcons.append(one)
        return one

    def changes(self):
        """What hoc's events do, one after the other; None is a line of progress."""
        cells, netcons = self.cells, self.netcons

        def setattr_of(what, name, value):
            return lambda: setattr(what, name, value)

        def at(array, number, value):
            return lambda: array.__setitem__(number, value)

        def points_elsewhere():
            cells[1].dend(0.3).axial_flow._ref_beside = cells[2].soma(0.5)._ref_v

        return [None, None, at(netcons[0].weight, 0, 0.03), None, setattr_of(netcons[1], "delay", 2.2), None,
                setattr_of(cells[0].soma(0.5).hh, "gnabar", 0.1), None, lambda: netcons[2].active(False), None,
                lambda: self.connect(cells[0], cells[2].points[0], 1, 0.01), None, lambda: netcons.pop(5), None,
                setattr_of(h, "scale_axial_flow", 2e-3), points_elsewhere, None,
                lambda: (setattr(self.clamp, "amp", 0.4), setattr(cells[3].dend(0.5), "v", -50)), None]

    def run(self, way):
        """way: how it runs; what the events do begins with "plain", that they do nothing, or "changing"."""
        does = [None] * 50 if way.startswith("plain") else self.changes()
        self.events = []

        def happens(number):
            self.events.append(h.t)
            if does[number]:
                does[number]()
            if number + 1 < len(does):
                h.CVode().event(h.t + EVERY, (happens, number + 1))

        handler = h.FInitializeHandler(lambda: h.CVode().event(EVERY - 0.5, (happens, 0)))
        h.tstop = UNTIL
        if way.endswith("run"):
            h.run()
        else:
            h.stdinit()
            for until in (UNTIL / 3, UNTIL):
                h.ParallelContext().psolve(until)
        del handler
        return {"times": np.array(self.times), "numbers": np.array(self.numbers), "events": np.array(self.events),
                "v": np.array([segment.v for section in h.allsec() for segment in section.allseg()]),
                **{f"trace{k}": np.array(trace) for k, trace in enumerate(self.traces)}}


def child(way, is_here, library, path):
    h.nrn_load_dll(library)
    h.load_file("stdrun.hoc")
    if "legacy" in way:
        h.nrnunit_use_legacy(1)
    h.ParallelContext().set_maxstep(1)
    kept = []
    if is_here:
        hillock.neuron.enable()
        from hillock import _neuron_kept as kept_parts

        take = kept_parts.Keeper.take

        def noted(*arguments):
            found = take(*arguments)
            kept.append(found is not None)
            return found

        kept_parts.Keeper.take = noted
    found = Session().run(way)
    np.savez(path, kept=np.array(kept, bool), **found)


def run(way, is_here, library, folder):
    path = folder / f"{way}{is_here}.npz"
    done = subprocess.run([sys.executable, __file__, way, "here" if is_here else "", library, path],
                          capture_output=True, text=True)
    if done.returncode:
        print(done.stdout[-2000:], done.stderr[-4000:])
        return None
    return np.load(path)


def main():
    if len(sys.argv) > 1:
        return child(sys.argv[1], bool(sys.argv[2]), *sys.argv[3:])
    good = True
    with tempfile.TemporaryDirectory(prefix="hillock-parts-") as name:
        folder = pathlib.Path(name)
        os.environ.setdefault("HILLOCK_CACHE", str(folder / "cache"))
        library, refused = neuron_mods.build(FILES, folder / "neuron")
        if refused:
            raise next(iter(refused.values()))
        for way, least_kept in (("plain", 15), ("plain run", 15), ("changing", 6), ("changing run", 6),
                                ("plain legacy", 15)):
            wanted, got = (run(way, is_here, library, folder) for is_here in (False, True))
            if wanted is None or got is None:
                good = False
                continue
            apart = {key: np.abs(got[key] - wanted[key]).max(initial=0) / max(1, np.abs(wanted[key]).max(initial=0))
                     if got[key].shape == wanted[key].shape else np.inf for key in wanted.files if key != "kept"}
            worst = max(apart, key=apart.get)
            is_good = apart[worst] <= MOST and len(wanted["times"]) > 10 and got["kept"].sum() >= least_kept
            good = good and is_good
            print(f"{'ok' if is_good else 'WRONG'}: {way}: {len(wanted['times'])} spikes, {len(wanted['events'])} "
                  f"events, {got['kept'].sum()} of {len(got['kept'])} parts in the model before; {worst} is "
                  f"{apart[worst]:.2g} apart")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
