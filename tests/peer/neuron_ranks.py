#!/usr/bin/python3
"""A session of several ranks of NEURON's, on Hillock beside NEURON itself.

Cells with gids that lie on any rank, some of which have none, with ions, pools, plastic synapses, generators,
integrators and points that say when their cell spikes, joined by connections and by gap junctions that read voltages
of other ranks: whole, handed over and back at ten moments, by run(), with an event of hoc's on one rank. What one rank
refuses all refuse. Each rank compares what it has with NEURON's own; spikes of all are the same on 1, 2 and 4 ranks.

  neuron_ranks.py [BACKEND]   cuda: on GPUs
"""

import os
import pathlib
import random
import shutil
import subprocess
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
from neuron_run import CATALOGUE, ROOT, check, compare, solve_in_parts

CELLS, UNTIL = 11, 40
GENERATORS, INTEGRATOR, SENDERS = range(100, 104), 200, range(300, 303)
JOINED = 1000  # the id of what gap junctions read of the first cell


class Session:
    """What one rank has of the network."""

    def __init__(self):
        self.context = h.ParallelContext()
        self.number, self.count = int(self.context.id()), int(self.context.nhost())
        self.cells, self.keeps, self.generators, self.netcons = {}, [], [], []
        for gid in range(CELLS):
            if self.has(gid):
                self.cells[gid] = self.cell(gid)
        for gid in GENERATORS:
            if self.has(gid):
                self.generators.append((gid, self.generator(gid)))
        self.senders = {gid: self.sender(gid) for gid in SENDERS if self.has(gid)}
        self.integrator = None
        if self.has(INTEGRATOR):
            self.integrator = h.IntFire1()
            self.give(INTEGRATOR, h.NetCon(self.integrator, None))
            for source in (0, 1, 101):
                self.connect(source, self.integrator, 1.3 + 0.1 * source, 0.7)
        for gid, point in self.senders.items():
            self.connect(gid % 100, point, 1.7, 0.05)
            self.connect(300 + (gid + 1) % 3, point, 2.05, 0.03)
        for gid, (soma, dend, points) in self.cells.items():
            draws = random.Random(gid)
            for source in ((gid - 1) % CELLS, (gid - 4) % CELLS, GENERATORS[gid % 4], INTEGRATOR, SENDERS[gid % 3]):
                self.connect(source, draws.choice(points), draws.choice((1, 1.5, 2.137, 4)),
                             0.01 + 0.02 * draws.random())
            self.connect(gid, points[0], 1.25, 0.01)
            self.context.source_var(dend(0.7)._ref_v, JOINED + gid, sec=dend)
            self.context.source_var(soma(0.5)._ref_v, JOINED + CELLS + gid, sec=soma)
            for k in (1, 3):
                self.junction(gid, dend, JOINED + (gid + k) % CELLS, 0.002)
            self.junction(gid, soma, JOINED + CELLS + (gid + 2) % CELLS, 1e-4)
        self.context.setup_transfer()
        self.times, self.gids = h.Vector(), h.Vector()
        self.context.spike_record(-1, self.times, self.gids)
        recorded = [reference for soma, dend, points in self.cells.values() for reference in (
            soma(0.5)._ref_v, dend(0.9)._ref_v, points[1]._ref_g, dend(0.5)._ref_cai)]
        self.traces = [h.Vector().record(reference) for reference in recorded]
        self.handler = h.FInitializeHandler(self.begin_apart)

    def begin_apart(self):
        """Behind what NEURON passed on between cells: their first step has that."""
        for gid, (soma, dend, _) in self.cells.items():
            for segment in (*soma, *dend):
                segment.v = -66 + gid % 3

    def has(self, gid):
        """Of four ranks the last has no cell."""
        return gid % (3 if self.count == 4 else self.count) == self.number

    def give(self, gid, netcon):
        self.context.set_gid2node(gid, self.number)
        self.context.cell(gid, netcon)
        self.keeps.append(netcon)

    def cell(self, gid):
        soma, dend = h.Section(name=f"soma{gid}"), h.Section(name=f"dend{gid}")
        soma.L = soma.diam = 20
        dend.L, dend.diam, dend.nseg = 250, 1.5, 7
        dend.connect(soma(1))
        soma.insert("hh")
        for name in ("pas", "cal", "capool", "sk"):
            dend.insert(name)
        dend.ek = -77
        netcon = h.NetCon(soma(0.5)._ref_v, None, sec=soma)
        netcon.threshold = -10
        self.give(gid, netcon)
        clamp = h.IClamp(soma(0.5))
        clamp.delay, clamp.dur, clamp.amp = 1 + gid, 15, 0.3 + 0.02 * gid
        self.keeps.append(clamp)
        points = [h.ExpSyn(dend(0.3)), h.tmsyn(dend(0.6)), h.ExpSyn(soma(0.5))]
        points[2].e = -80
        return soma, dend, points

    def generator(self, gid):
        made = h.NetStim()
        made.start, made.interval, made.number, made.noise = 2.3 + gid % 5, 3.1, 20, 0.6 * (gid % 2)
        self.give(gid, h.NetCon(made, None))
        return made

    def sender(self, gid):
        """A point that says when its cell spikes."""
        section = h.Section(name=f"holds{gid}")
        section.L = section.diam = 15
        section.insert("pas")
        point = h.fires(section(0.5))
        point.drive = 6 + gid % 3
        self.give(gid, h.NetCon(point, None))
        self.keeps.append(section)
        return point

    def connect(self, source, target, delay, weight):
        netcon = self.context.gid_connect(source, target)
        netcon.delay, netcon.weight[0] = delay, weight
        self.netcons.append(netcon)

    def junction(self, gid, section, id_, g):
        point = h.leaks(section(0.5))
        point.g = g * (1 + gid % 3)
        self.context.target_var(point, point._ref_beyond, id_)
        self.keeps.append(point)

    def begin(self):
        for gid, made in self.generators:
            if made.noise:
                made.noiseFromRandom123(gid, 5, 6)
        h.stdinit()

    def found(self):
        """Traces, spikes and states."""
        states = {"t": h.t, **{f"{section}({x})": section(x).v for section in h.allsec() for x in (0.1, 0.5, 0.9)}}
        states.update({f"{point}.{name}": getattr(point, name) for point in self.senders.values()
                       for name in ("V", "u")})
        states.update({f"{netcon}.{i}": netcon.weight[i] for netcon in self.netcons
                       for i in range(int(netcon.wcnt()))})
        return ([np.array(trace) for trace in self.traces],
                tuple(np.array(sorted(zip(self.times, self.gids))).reshape(-1, 2).T), states)

    def run(self, moments, is_here):
        self.begin()
        solve_in_parts(moments, is_here)
        return self.found()


def runs(folder):
    session = Session()
    session.context.set_maxstep(1)
    wanted = session.run([UNTIL], lambda _: False)
    np.save(folder / f"spikes-{session.count}-{session.number}", np.array(wanted[1]))

    def same(name, found):
        good = compare(name, found, wanted) if session.cells else len(found[1][0]) == 0
        return check(f"rank {session.number} of {session.count}: {name}", good)

    draws = random.Random(5)
    moments = [*sorted(round(draws.uniform(0, UNTIL) / h.dt) * h.dt for _ in range(10)), UNTIL]
    whole = session.run([UNTIL], lambda _: True)
    np.save(folder / f"here-{session.count}-{session.number}", np.array(whole[1]))
    yield same("whole", whole)
    for name, first in (("handed over and back", 0), ("back and handed over", 1)):
        yield same(name, session.run(moments, lambda part: part % 2 == first))
    yield same("in eleven parts", session.run(moments, lambda _: True))
    coreneuron.enable, h.tstop = True, UNTIL
    session.begin()
    h.continuerun(UNTIL)
    yield same("continuerun()", session.found())
    said = []

    def look():
        said.append(h.t)

    handler = None
    if session.number == session.count - 1:
        handler = h.FInitializeHandler(lambda: h.CVode().event(12.34, look))
    yield same("with an event of hoc's on the last rank", session.run([UNTIL], lambda _: True))
    yield check("what that ran", len(said) == (session.number == session.count - 1), said)
    del handler
    yield from calls_at_spikes(session, same)
    yield check("refusals", refuses(session))


def calls_at_spikes(session, same):
    """What one rank has called at spikes of a cell sees it as it is then."""
    seen, calls = [], [netcon for netcon in session.keeps if netcon.hname().startswith("NetCon[")
                       and netcon.srcgid() == 1]
    for netcon in calls:
        netcon.record(lambda: seen.append((h.t, *(segment.v for segment in session.cells[1][1]))))
    session.run([UNTIL], lambda _: False)
    wanted = np.array(seen)
    seen.clear()
    yield same("with calls at spikes", session.run([UNTIL], lambda _: True))
    yield check("what these saw", wanted.shape == np.array(seen).shape and len(wanted) >= 2 * len(calls)
                and np.allclose(seen, wanted, rtol=0, atol=1e-6), (wanted, seen))
    for netcon in calls:
        netcon.record("")


def refuses(session):
    """What one rank cannot take NEURON runs on all, where it is asked to."""
    hillock.neuron.enable(threads=1, fallback=True)
    if session.number == 0:
        soma, dend, points = session.cells[0]
        session.keeps.append(h.NetCon(dend(0.5)._ref_v, points[0], sec=dend))  # it spikes at two places
    session.begin()
    h.continuerun(5)
    coreneuron.enable = False
    return abs(h.t - 5) < 1e-9


def rank(mods, folder, backend):
    h.nrnmpi_init()
    h.nrn_load_dll(mods)
    h.load_file("stdrun.hoc")
    hillock.neuron.enable(threads=1, backend=backend)
    coreneuron.enable = False
    good = list(runs(folder))
    h.ParallelContext().barrier()
    sys.stdout.flush()
    (folder / f"good-{int(h.ParallelContext().nhost())}-{int(h.ParallelContext().id())}").write_text(str(all(good)))
    h.ParallelContext().done()
    h.quit()


def spikes(folder, what, count):
    """[(time, gid)] of all ranks."""
    found = np.concatenate([np.load(folder / f"{what}-{count}-{number}.npy") for number in range(count)], axis=1)
    return found[:, np.lexsort(found)]


def main(backend):
    if not shutil.which("mpirun"):
        skip("there is no mpirun")
    with tempfile.TemporaryDirectory(prefix="hillock-ranks-") as name:
        folder = pathlib.Path(name)
        files = [*(ROOT / f"tests/command/models/{name}.mod" for name in ("leaks", "fires")),
                 *(ROOT / f"mechanisms/catalogue/{name}.mod" for name in CATALOGUE)]
        mods, _ = neuron_mods.build(files, folder / "neuron")
        environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        environment.setdefault("HILLOCK_CACHE", str(folder / "cache"))
        good = []
        for count in (1, 2, 4):
            done = subprocess.run(["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(count), sys.executable,
                                   __file__, str(mods), name, backend], env=environment, timeout=1200)
            good.append(check(f"{count} ranks", done.returncode == 0 and all(
                (folder / f"good-{count}-{number}").read_text() == "True" for number in range(count))))
        wanted = spikes(folder, "spikes", 1) if all(good) else None
        for count in (1, 2, 4) if all(good) else ():
            found = spikes(folder, "here", count)
            good.append(check(f"spikes of {count} ranks are NEURON's of one", found.shape == wanted.shape and
                              np.array_equal(found[1], wanted[1]) and np.abs(found[0] - wanted[0]).max() < 1e-9,
                              f"{found.shape[1]} where there are {wanted.shape[1]}"))
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    if len(sys.argv) == 4:
        rank(sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3])
    else:
        main(*sys.argv[1:] or ["cpu"])
