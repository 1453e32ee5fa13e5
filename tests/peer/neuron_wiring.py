#!/usr/bin/python3
"""Sessions of NEURON with LinearMechanisms on Hillock beside NEURON itself.

Cells drawn at random, joined by conductances and capacities anywhere, among them circuits with unknowns of their own
(a coil, a battery that a Vector sets, an electrode), also at ends of sections and several at one place: whole, handed
over and back at several moments, as a LinearCircuit, in a loop over fadvance(). Voltages and unknowns as they are
recorded and as they are at the end. What cannot be taken is refused by name.

Tolerance: 1e-9 mV where membranes only leak; 1e-7 mV with hh, whose spikes magnify what NEURON's sparse matrix and
trees round otherwise; the same of other unknowns.
"""

import contextlib
import io
import sys

from parity import skip

try:
    import numpy as np
    from neuron import coreneuron, h
except ImportError as missing:
    skip(f"{missing.name} is missing (packages python3-neuron, python3-numpy)")

import hillock.neuron
from neuron_run import check, solve_in_parts

CELLS, UNTIL, MOST, MOST_OF_LEAKS = 5, 8.0, 1e-7, 1e-9


class Drawn:
    """A session, and what is recorded of it."""

    def __init__(self, draws, only_leaks):
        self.draws, self.only_leaks, self.cells, self.held, self.mechanisms = draws, only_leaks, [], [], []
        for number in range(CELLS):
            self.cells.append(self.cell(number))
        h.finitialize(-65)  # sizes of segments are settled
        for _ in range(12):
            self.join()
        self.join(same=True)
        for number in range(3):
            self.circuit(number)
        self.stimulate()
        places = [one for cell in self.cells for section in cell for one in section.allseg()]
        self.recorded = [h.Vector().record(one._ref_v) for one in places]
        self.recorded += [h.Vector().record(y._ref_x[k]) for y in self.mechanisms for k in range(len(y))]

    def cell(self, number):
        draws, own = self.draws, []
        for part in range(4):
            section = h.Section(name=f"s{number}_{part}")
            section.L, section.diam, section.nseg = draws.uniform(20, 200), draws.uniform(0.5, 20), draws.integers(1, 6)
            section.insert("hh" if draws.random() < 0.3 and not self.only_leaks else "pas")
            if own:
                section.connect(own[draws.integers(len(own))](draws.choice([0, 1, 0.5])), int(draws.integers(2)))
                section.rallbranch = 1 + part % 2 * (number % 3)
            own.append(section)
        return own

    def place(self, cell):
        section = self.cells[cell][self.draws.integers(4)]
        return section(self.draws.choice([0, 1, 0.5, self.draws.random()]))

    def add(self, places, rows, b=None, y0=None):
        """rows: {(equation, unknown): (c, g)}, nF and uS."""
        size = 1 + max(max(at) for at in rows)
        c, g, y, b = h.Matrix(size, size, 2), h.Matrix(size, size), h.Vector(size), h.Vector(b or [0.0] * size)
        areas = [100 / (one.area() or 100) for one in places] + [1.0] * (size - len(places))
        for (i, j), (of_c, of_g) in rows.items():
            g.setval(i, j, of_g * areas[i])
            if of_c:
                c.setval(i, j, of_c * areas[i])
        sections, x = h.SectionList(), h.Vector([one.x for one in places])
        for one in places:
            sections.append(sec=one.sec)
        y0 = [h.Vector(y0)] if y0 else []
        self.held += [h.LinearMechanism(c, g, y, *y0, b, sections, x), c, g, b, sections, x, y0]
        self.mechanisms.append(y)
        return b

    def join(self, same=False):
        draws = self.draws
        one, other = [0, 0] if same else draws.choice(CELLS, 2, replace=False)
        g, c = 10 ** draws.uniform(-4, -1), draws.choice([0, 0, 1e-3])
        self.add([self.place(one), self.place(other)],
                 {(0, 0): (c, g), (0, 1): (-c, -g), (1, 0): (-c, -g), (1, 1): (c, g)})

    def circuit(self, number):
        place = self.place(number)
        if number == 0:    # a coil to ground, of which unknown 1 is the current
            self.add([place], {(0, 1): (0, 1), (1, 0): (0, -1), (1, 1): (5, 40)}, y0=[0.0, 0.1])
        elif number == 1:  # a battery behind a resistance
            b = self.add([place], {(0, 1): (0, -1), (1, 0): (0, 1), (1, 1): (0, 20)}, b=[0.0, -65.0])
            levels, times = h.Vector([-65, -20, -70]), h.Vector([0, 2.51, 5])
            levels.play(b._ref_x[1], times)
            self.held += [levels, times]
        else:              # an electrode: two resistances, a capacity between them, a current at its end
            self.add([place], {(0, 0): (0, 0.05), (0, 1): (0, -0.05), (1, 0): (0, -0.05), (1, 1): (1e-3, 0.1),
                               (1, 2): (0, -0.05), (2, 1): (0, -0.05), (2, 2): (0, 0.05)}, b=[0.0, 0.0, 0.3])

    def stimulate(self):
        clamp = h.IClamp(self.cells[0][0](0.5))
        clamp.delay, clamp.dur, clamp.amp = 0.5, 2, 0.3
        synapse, source = h.ExpSyn(self.cells[3][0](0.5)), h.NetStim()
        source.start, source.number, source.interval = 1, 4, 1.1
        self.held += [clamp, synapse, source, h.NetCon(source, synapse, 0, 0.5, 0.01)]

    def run(self, moments, is_here):
        h.ParallelContext().set_maxstep(1)
        h.finitialize(-65)
        solve_in_parts(moments, is_here)
        return self.all()

    def all(self):
        at_end = [one.v for cell in self.cells for section in cell for one in section.allseg()]
        return [np.array(vector) for vector in self.recorded], at_end + [x for y in self.mechanisms for x in y]


def compare(name, got, wanted, most):
    apart = 0.0
    for one, other in zip(got[0], wanted[0]):
        apart = max(apart, np.abs(one - other).max() if one.shape == other.shape else np.inf)
    apart = max(apart, np.abs(np.array(got[1]) - wanted[1]).max())
    return check(f"{name} ({apart:.1g} apart)", apart <= most, f"{apart} apart")


def refuses(name, run, word):
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said):
            run()
        said.write("it ran")
    except RuntimeError as error:
        said.write(str(error))
    finally:
        coreneuron.enable = False
    return check(f"{name} is refused", h.t == 0 and word in said.getvalue(), said.getvalue())


def joined():
    for seed in range(4):
        only_leaks = seed % 2 == 0
        session, most = Drawn(np.random.default_rng(seed), only_leaks), MOST_OF_LEAKS if only_leaks else MOST
        wanted, moments = session.run([UNTIL], lambda _: False), [1.0, 2.5, 4.325, UNTIL]
        for name, parts, is_here in (("", [UNTIL], lambda _: True), (", in parts", moments, lambda _: True),
                                     (", handed over and back", moments, lambda part: part % 2 == 0),
                                     (", in NEURON again", [UNTIL], lambda _: False)):
            yield compare(f"session {seed}{name}", session.run(parts, is_here), wanted, most)
        del session


def refused():
    section = h.Section(name="refused")
    c, g, y, b = h.Matrix(1, 1, 2), h.Matrix(1, 1), h.Vector(1), h.Vector(1)
    g.setval(0, 0, 1e-4)

    def run():
        h.finitialize(-65)
        solve_in_parts([2], lambda _: True)

    tied = h.LinearMechanism(lambda: 0, c, g, y, b, h.SectionList([section]), h.Vector([0.5]))
    yield refuses("what a function of Python's computes", run, "a function of Python's")
    del tied
    tied = h.LinearMechanism(c, g, y, b, h.SectionList([section]), h.Vector([0.5]))
    sheathed, seen = h.Section(name="sheathed"), h.Vector().record(y._ref_x[0])
    sheathed.insert("extracellular")
    yield refuses("a potential inside that is recorded", run, "beside extracellular")
    del sheathed, seen
    current = h.Vector().record(section(0.5)._ref_v)
    wanted = []
    for is_here in (False, True):
        h.finitialize(-65)
        solve_in_parts([2], lambda _: is_here)
        wanted.append(np.array(current))
    yield check("and runs then", np.abs(wanted[0] - wanted[1]).max() < MOST, f"{wanted}")
    del tied


def in_layers():
    """Two fibres with layers, of which one has its only way to ground by what ties it to the other's, and a coil between a
    layer and the inside of a third."""
    fibres, held = [h.Section(name=f"fibre{k}") for k in range(3)], []
    for k, one in enumerate(fibres):
        one.L, one.diam, one.nseg, one.Ra = 400, 2 + k, 5, 100
        one.insert("hh")
        if k < 2:
            one.insert("extracellular")
            for x in one:
                x.xraxial[0], x.xg[0], x.xc[0] = 1e3, [0.01, 0][k], [0.1, 0][k]
                x.xraxial[1], x.xg[1], x.xc[1] = 1e4, [0.002, 0][k], 0.01 * (1 - k)

    def tie(places, layers, rows):
        size = 1 + max(max(at) for at in rows)
        c, g, y, b = h.Matrix(size, size, 2), h.Matrix(size, size), h.Vector(size), h.Vector(size)
        areas = [100 / (one.area() or 100) for one in places] + [1.0] * (size - len(places))
        for (i, j), (of_c, of_g) in rows.items():
            g.setval(i, j, of_g * areas[i])
            c.setval(i, j, of_c * areas[i])
        sections = h.SectionList()
        for one in places:
            sections.append(sec=one.sec)
        x, layers = h.Vector([one.x for one in places]), h.Vector(layers)
        held.extend([h.LinearMechanism(c, g, y, b, sections, x, layers), c, g, b, y, x, layers, sections])
        return y

    h.finitialize(-65)
    one, other, third = fibres
    ys = []
    for k, (near, far) in enumerate(zip(one, other)):
        ys.append(tie([near, far], [1 + k % 2, 1 + k % 2], {(0, 0): (0, 0.3), (0, 1): (0, -0.3), (1, 0): (0, -0.1),
                                                            (1, 1): (1e-4, 0.1)}))
    ys.append(tie([other(1), other(1)], [1, 2], {(0, 0): (0, 0.2), (0, 1): (0, -0.2), (1, 0): (0, -0.2), (1, 1): (0, 0.2)}))
    coil = tie([third(0.5), one(0.3), other(0.7)], [0, 2, 0], {
        (0, 3): (0, 1), (1, 3): (0, -1), (3, 0): (0, -1), (3, 1): (0, 1), (3, 3): (5, 40), (2, 2): (1e-3, 1e-3)})
    clamp = h.IClamp(one(0.1))
    clamp.delay, clamp.dur, clamp.amp = 0.5, 1, 2
    recorded = [h.Vector().record(x._ref_v) for fibre in fibres for x in fibre.allseg()]
    recorded += [h.Vector().record(x._ref_vext[layer]) for fibre in fibres[:2] for x in fibre for layer in (0, 1)]
    recorded += [h.Vector().record(y._ref_x[k]) for y in ys for k in (0, 1)] + [h.Vector().record(coil._ref_x[3])]

    def run(moments, is_here):
        h.finitialize(-65)
        solve_in_parts(moments, is_here)
        return [np.array(vector) for vector in recorded], [x for y in (*ys, coil) for x in y]

    wanted = run([6], lambda _: False)
    for name, parts, is_here in (("", [6], lambda _: True), (", handed over and back", [1, 2.5, 4], lambda k: k % 2 == 0)):
        yield compare(f"layers{name}", run([*parts, 6] if name else parts, is_here), wanted, MOST)
    moving = sum(np.ptp(vector) > 0.1 for vector in wanted[0])
    yield check(f"{moving} of {len(recorded)} that move", moving > 30)
    held.clear()


def in_a_loop():
    """Steps of hoc's own, which look at voltages, over a gap junction."""
    h("""
    create one, two
    objref c_, g_, y_, b_, x_, l_, tied_, seen_
    proc tie_() { local k
      forall { insert hh  L = 20  diam = 20 }
      c_ = new Matrix(2, 2, 2)  g_ = new Matrix(2, 2)  y_ = new Vector(2)  b_ = new Vector(2)
      x_ = new Vector(2, 0.5)  l_ = new SectionList()
      one l_.append()
      two l_.append()
      for k = 0, 1 { g_.x[k][k] = 1e-4  g_.x[k][1 - k] = -1e-4 }
      tied_ = new LinearMechanism(c_, g_, y_, b_, l_, x_)
    }
    objref stim_
    proc look_() {
      seen_ = new Vector()
      finitialize(-65)
      while (t < 10) {
        fadvance()
        seen_.append(one.v(0.5), two.v(0.5))
      }
    }
    tie_()
    one stim_ = new IClamp(0.5)
    {stim_.del = 1  stim_.dur = 1  stim_.amp = 1}
    """)
    h("look_()")
    wanted = np.array(h.seen_)
    hillock.neuron.enable()
    h("look_()")
    hillock.neuron.disable()
    apart = np.abs(np.array(h.seen_) - wanted).max()
    return check(f"a loop over fadvance() ({apart:.1g} apart)", apart < MOST and wanted.max() > 0, f"{apart} apart")


def main():
    hillock.neuron.enable()
    h.load_file("stdrun.hoc")
    good = [*joined(), *in_layers(), *refused()]
    hillock.neuron.disable()
    good.append(in_a_loop())
    sys.exit(not all(good))


if __name__ == "__main__":
    main()
