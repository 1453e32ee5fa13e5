#!/usr/bin/python3
"""Sessions of NEURON with extracellular layers (`extracellular`) on Hillock beside NEURON itself.

Cells drawn at random, joined in any way, with one or two layers around some sections, whose xraxial, xg and xc differ
from segment to segment, e_extracellular that is set, and that Vectors are played into: whole, and handed over and back
at several moments; v, vext and i_membrane as they are recorded, and as they are at the end. So does a ring of spiking
cells on several ranks. A script that sets e_extracellular before each fadvance() has NEURON's steps. What cannot be
taken is refused by name.

Tolerance: 1e-8 mV, 1e-9 of the largest membrane current; 1e-5 of how far things go where xg is as NEURON has it by
default, 1e9 S/cm2, which leaves its numbers that many digits.
"""

import contextlib
import gc
import io
import os
import pathlib
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

import hillock
import hillock.neuron
from neuron_run import check, solve_in_parts

CELLS, UNTIL, RING = 12, 6.0, 4
MOST_MV, MOST_OF_CURRENT, MOST_BY_DEFAULT = 1e-8, 1e-9, 1e-5


class Drawn:
    """A session: two cells of layers around some of their sections, and what is recorded of them."""

    def __init__(self, draws, layers, by_default):
        gc.collect()  # while sections have layers, their number stays
        h.nlayer_extracellular(layers)
        self.draws, self.layers, self.by_default = draws, layers, by_default
        self.sections, self.held, self.recorded = [], [], {"v": [], "vext": [], "i": []}
        for cell in range(2):
            self.add_cell(cell)
        self.surrounded = [one for one in self.sections if draws.random() < 0.6] or self.sections[:1]
        for section in self.surrounded:
            self.surround(section)
        self.stimulate()
        self.record()

    def add_cell(self, cell):
        draws, own = self.draws, []
        for number in range(6):
            section = h.Section(name=f"s{cell}_{number}")
            section.L, section.diam, section.nseg = draws.uniform(20, 300), draws.uniform(0.5, 20), draws.integers(1, 7)
            section.cm, section.Ra = draws.uniform(0.5, 2), draws.uniform(50, 200)
            section.insert("hh" if draws.random() < 0.5 else "pas")
            if own:
                section.connect(own[draws.integers(len(own))](draws.choice([0, 1, 1, 1, 0.5, draws.random()])),
                                int(draws.integers(2)))
            own.append(section)
        self.sections += own

    def surround(self, section):
        section.insert("extracellular")
        for segment in section:
            for layer in range(self.layers) if not self.by_default else ():
                segment.xraxial[layer] = 10 ** self.draws.uniform(0, 5)
                segment.xg[layer] = 10 ** self.draws.uniform(-4, 1)
                segment.xc[layer] = 10 ** self.draws.uniform(-2, 1) * (self.draws.random() < 0.7)
            segment.e_extracellular = self.draws.normal(0, 3)

    def stimulate(self):
        draws, soma = self.draws, self.sections[0](0.5)
        clamp = h.IClamp(self.sections[3](0.7))
        clamp.delay, clamp.dur, clamp.amp = 0.5, 2, 0.3
        hold = h.SEClamp(self.sections[-1](0.5))
        hold.rs, hold.dur1, hold.amp1 = 30, 4, -45
        synapse, source = h.ExpSyn(soma), h.NetStim()
        source.start, source.number, source.interval = 1, 4, 1.1
        onto = h.NetCon(source, synapse, 0, 0.5, 0.01)
        self.held += [clamp, hold, synapse, source, onto]
        times = h.Vector([0.2, 1, 1, 2.5, 100])
        shape = draws.normal(size=5)
        for section in self.surrounded:  # multiples of one waveform, and others
            for segment in section if draws.random() < 0.6 else ():
                values = h.Vector(shape * draws.normal(0, 5) if draws.random() < 0.7 else draws.normal(0, 5, 5))
                values.play(segment._ref_e_extracellular, times, 1)
                self.held += [values, times]

    def record(self):
        for section in self.sections:
            for segment in section.allseg():
                self.recorded["v"].append(h.Vector().record(segment._ref_v))
        for section in self.surrounded:
            for segment in section:
                self.recorded["i"].append(h.Vector().record(segment._ref_i_membrane))
            for segment in self.surrounded_places(section):
                self.recorded["vext"] += [h.Vector().record(segment._ref_vext[k]) for k in range(self.layers)]

    @staticmethod
    def surrounded_places(section):
        """Its segments, and the end that leads on; what is at the other one is another section's."""
        return [*section, section(0 if section.orientation() else 1)]

    def run(self, moments, is_here):
        """What was recorded, and what is at the end. is_here: of each part whether it runs on Hillock."""
        h.finitialize(-65)
        solve_in_parts(moments, is_here)
        return self.all()

    def all(self):
        found = {name: np.array([np.array(vector) for vector in vectors]) for name, vectors in self.recorded.items()}
        found["v at the end"] = np.array([segment.v for one in self.sections for segment in one.allseg()])
        found["vext at the end"] = np.array([segment.vext[k] for one in self.surrounded
                                             for segment in self.surrounded_places(one) for k in range(self.layers)])
        return found


def compare(name, got, wanted, by_default=False):
    apart = {key: np.abs(got[key] - wanted[key]).max() if got[key].shape == wanted[key].shape else np.inf
             for key in wanted}
    most = {key: MOST_BY_DEFAULT * np.abs(wanted[key]).max() if by_default else
            MOST_OF_CURRENT * np.abs(wanted[key]).max() if key == "i" else MOST_MV for key in wanted}
    good = all(apart[key] <= most[key] for key in wanted) and np.ptp(wanted["vext"]) > 0.01
    print(f"{'ok' if good else 'WRONG'}: {name}: apart by", ", ".join(f"{key} {apart[key]:.2g}" for key in wanted))
    return good


def cells():
    draws = np.random.default_rng(7)
    for number in range(CELLS):
        layers, by_default = 1 + number % 2, number in (4, 9)
        drawn = Drawn(draws, layers, by_default)
        name = f"cells {number}, {layers} layers"
        wanted = drawn.run([UNTIL], lambda _: False)
        moments = [*np.sort(draws.choice(np.arange(1, 239), 5, replace=False)) * h.dt, UNTIL]
        yield compare(name, drawn.run([UNTIL], lambda _: True), wanted, by_default)
        yield compare(f"{name}, handed over and back", drawn.run(moments, lambda k: k % 2 == 0), wanted, by_default)
        yield compare(f"{name}, back and handed over", drawn.run(moments, lambda k: k % 2 == 1), wanted, by_default)
        yield compare(f"{name}, in parts", drawn.run(moments, lambda _: True), wanted, by_default)
        coreneuron.enable, h.tstop = True, UNTIL
        h.run()
        coreneuron.enable = False
        yield compare(f"{name}, run()", drawn.all(), wanted, by_default)
        yield compare(f"{name}, NEURON again", drawn.run([UNTIL], lambda _: False), wanted, by_default)
        del drawn


def refused(change, undo):
    """What psolve says on standard error, or where it got to."""
    read, write = os.pipe()
    known = os.dup(2)
    os.dup2(write, 2)
    change()
    said = io.StringIO()
    try:
        h.finitialize(-65)
        coreneuron.enable = True
        with contextlib.redirect_stderr(said):
            h.ParallelContext().psolve(2)
        ended = f"ran to {h.t}"
    except RuntimeError:
        ended = "ended"
    finally:
        coreneuron.enable = False
        undo()
        os.dup2(known, 2)
        os.close(write)
    with os.fdopen(read) as heard:
        return f"{ended}: {said.getvalue()} {heard.read()}"


def scripts():
    draws = np.random.default_rng(3)
    drawn = Drawn(draws, 2, False)
    segment = drawn.surrounded[0](0.5)

    def step_by_step():
        h.finitialize(-65)
        while h.t < UNTIL - h.dt / 2:
            segment.e_extracellular = 20 * np.sin(h.t)
            h.fadvance()
        return drawn.all()

    drawn.held, wanted = [one for one in drawn.held if "Vector" not in one.hname()], None
    wanted = step_by_step()
    coreneuron.enable = True
    yield compare("e_extracellular set before each fadvance()", step_by_step(), wanted)
    coreneuron.enable = False
    segment.e_extracellular = 1.5

    wanted = drawn.run([UNTIL], lambda _: False)
    h.stdinit()
    model = hillock.neuron.model(duration=UNTIL, record=[segment])
    got = hillock.run(model)["v0"].data[:, 0]
    theirs = next(wanted["v"][k] for k, one in enumerate(s for section in drawn.sections for s in section.allseg())
                  if one.sec == segment.sec and one.x == segment.x)
    apart = np.abs(got - theirs[:len(got)]).max()
    yield check("as a model", apart < MOST_MV, f"{apart} mV apart")

    held = {}
    text = refused(lambda: held.update(one=h.Vector().record(segment._ref_e_extracellular)), held.clear)
    yield check("e_extracellular is recorded", "ended" in text and "Vector.record of e_extracellular of" in text, text)
    text = refused(lambda: held.update(one=h.Vector().record(segment._ref_vext[0], 0.1)), held.clear)
    yield check("vext is recorded at times of its own", "ended" in text and "Vector.record of" in text, text)

    def play_in_steps():
        held.update(one=h.Vector([1, 2]), times=h.Vector([0.5, 1]))
        held["one"].play(segment._ref_e_extracellular, held["times"])

    text = refused(play_in_steps, held.clear)
    yield check("steps are played", "ended" in text and "Vector.play in steps into e_extracellular of" in text, text)
    text = refused(lambda: setattr(h, "secondorder", 2), lambda: setattr(h, "secondorder", 0))
    yield check("secondorder", "ended" in text and "extracellular with secondorder" in text, text)
    yield compare("behind that", drawn.run([UNTIL], lambda _: True), wanted)
    del drawn, segment, step_by_step, play_in_steps, model
    gc.collect()
    h.nlayer_extracellular(3)
    section = h.Section(name="many")
    section.insert("extracellular")
    text = refused(lambda: None, lambda: None)
    yield check("three layers", "ended" in text and "NEURON has 3 layers" in text, text)


class Ring:
    """Cells in a ring, on any ranks, some of which have layers."""

    def __init__(self):
        self.context = h.ParallelContext()
        self.held, self.traces, synapses = [], [], {}
        for gid in range(int(self.context.id()), RING, int(self.context.nhost())):
            section = h.Section(name=f"c{gid}")
            section.L, section.diam, section.nseg = 100, 5, 3
            section.insert("hh")
            if gid % 2 == 0:
                section.insert("extracellular")
                for number, segment in enumerate(section):
                    segment.xg[0], segment.xc[0], segment.xg[1] = 0.01 * (number + 1), 0.1, 1e-3
                    segment.xraxial[0], segment.xraxial[1], segment.e_extracellular = 100, 50, gid
                self.traces.append(h.Vector().record(section(0.5)._ref_vext[0]))
            self.traces.append(h.Vector().record(section(0.5)._ref_v))
            spikes = h.NetCon(section(0.5)._ref_v, None, sec=section)
            spikes.threshold = -20
            self.context.set_gid2node(gid, self.context.id())
            self.context.cell(gid, spikes)
            synapses[gid] = h.ExpSyn(section(0.5))
            self.held += [section, spikes, synapses[gid]]
            if gid == 0:
                clamp = h.IClamp(section(0.5))
                clamp.delay, clamp.dur, clamp.amp = 1, 20, 0.5
                self.held.append(clamp)
        for gid, synapse in synapses.items():
            self.held.append(self.context.gid_connect((gid - 1) % RING, synapse))
            self.held[-1].weight[0], self.held[-1].delay = 0.02, 1.5
        self.context.set_maxstep(10)

    def run(self, moments, is_here):
        h.stdinit()
        solve_in_parts(moments, is_here)
        return np.array([np.array(trace) for trace in self.traces])


def rank(folder):
    """What one of several has and runs."""
    h.nrnmpi_init()
    h.load_file("stdrun.hoc")
    ring = Ring()
    wanted = ring.run([20], lambda _: False)
    hillock.neuron.enable()
    apart = max(np.abs(ring.run([5, 8.975, 9, 13.5, 20], lambda k: k % 2 == first) - wanted).max() for first in (0, 1))
    good = check(f"rank {int(ring.context.id())}", apart < MOST_MV and np.ptp(wanted) > 100, f"{apart} mV apart")
    (folder / f"good-{int(ring.context.nhost())}-{int(ring.context.id())}").write_text(str(good))
    sys.stdout.flush()
    ring.context.barrier()
    h.quit()


def ranks(folder):
    if not shutil.which("mpirun"):
        return
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    for count in (1, 2, 4):
        done = subprocess.run(["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(count), sys.executable,
                               __file__, folder], env=environment, timeout=600)
        said = [path.read_text() for path in pathlib.Path(folder).glob(f"good-{count}-*")]
        yield check(f"{count} ranks", done.returncode == 0 and said == ["True"] * count, said)


def main():
    with tempfile.TemporaryDirectory(prefix="hillock-layers-") as folder:
        os.environ.setdefault("HILLOCK_CACHE", str(pathlib.Path(folder) / "cache"))
        h.load_file("stdrun.hoc")
        h.ParallelContext().set_maxstep(1)
        hillock.neuron.enable()
        coreneuron.enable = False
        good = [*cells(), *scripts(), *ranks(folder)]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    rank(pathlib.Path(sys.argv[1])) if len(sys.argv) > 1 else main()
