"""Models whose nodes have several receivers of events, drawn from a seed: as Hillock's files, and built in NEURON.

Receivers set the voltage, wait for it, read and scale one another's variables, send themselves events and
move them; artificial cells drive them and are driven.  In every model several receivers of a node hear of
events in the same steps.  Not here: what is compared (on_engines.py, ../../peer/event_order.py).
"""

import dataclasses
import pathlib
import random

MODS = pathlib.Path(__file__).parent / "mods"
DT = 0.025  # ms
DURATION = 12.0  # ms
# Which receivers a node of a kind has.  A kind is one kernel on a device, or a few.
KINDS = [("kicks", "looks"), ("watches", "watches"), ("kicks", "watches", "looks"), ("looks", "looks", "pulses"),
         ("watches", "kicks", "pulses"), ("kicks", "kicks", "looks", "looks"), ("meddles", "looks"),
         ("watches", "watches", "looks", "meddles"), ("pulses", "pulses", "kicks"), ("watches", "pulses", "watches", "kicks"),
         ("meddles", "looks", "kicks", "watches"), ("kicks", "looks", "watches", "pulses", "meddles")]
# Of each mechanism: whose variable a POINTER stands for, what is recorded, the unit of its weight.
VARIABLES = {"kicks": ["seen"], "looks": ["found"], "watches": ["seen"], "pulses": ["g", "on"], "meddles": ["seen"]}
UNITS = {"first": "ms", "period": "ms", "dur": "ms", "rest": "ms", "pause": "ms", "late": "ms", "by": "mV", "top": "mV",
         "bottom": "mV", "reset": "mV", "e": "mV"}


@dataclasses.dataclass
class Receiver:
    mechanism: str
    parameters: dict  # numbers in the units of UNITS; p: what a POINTER stands for
    place: str  # "soma" or "dend"
    train: list  # ms
    weight: float


@dataclasses.dataclass
class Projection:
    source: str  # "balls" or "answers"
    receiver: int | None  # None: the artificial cells themselves
    pairs: list
    weight: float
    delay: float


@dataclasses.dataclass
class Model:
    seed: int
    cells: int
    has_dendrite: bool
    amplitudes: list  # nA, by cell
    receivers: list
    answers: list  # parameters of artificial cells, one each
    answer_trains: list
    projections: list


class _Maker:
    def __init__(self, seed, ties):
        self.r = random.Random(seed)
        self.ties = ties
        # At these moments something happens to most receivers.
        self.moments = [round(0.5 + 0.025 * self.r.randrange(1, 40) + 1.3 * k, 6) for k in range(8)]

    def near(self, moment):
        """In the step of a moment: on the grid like others, or at a time of its own."""
        if self.ties and self.r.random() < 0.5:
            return moment
        return round(moment + self.r.uniform(-0.0115, 0.0115), 6)

    def duration(self):
        """What net_send waits."""
        return round(0.025 * self.r.randrange(20, 90) + (0 if self.ties and self.r.random() < 0.5 else self.r.uniform(0, 0.02)), 6)

    def number(self, low, high):
        return round(self.r.uniform(low, high), 5)

    def parameters(self, mechanism):
        n = self.number
        return {"kicks": lambda: {"first": self.near(self.moments[0]), "period": self.duration(), "by": n(-6, 9)},
                "looks": lambda: {"gain": n(-2e-4, 2e-4)},
                "watches": lambda: {"top": n(-63, -58), "bottom": n(-74, -70), "reset": n(-73, -66), "rest": self.duration()},
                "pulses": lambda: {"dur": self.duration(), "e": n(-80, 0)},
                "meddles": lambda: {"first": self.near(self.moments[0]), "period": self.duration(), "factor": n(0.3, 0.9)},
                }[mechanism]()

    def receiver(self, mechanism, place):
        weights = {"kicks": (-4, 5), "looks": (0.2, 1), "watches": (-3, 3), "pulses": (2e-4, 3e-3), "meddles": (-0.5, 0.5)}
        train = sorted(self.near(moment) for moment in self.moments if self.r.random() < 0.8)
        return Receiver(mechanism, self.parameters(mechanism), place, train, self.number(*weights[mechanism]))

    def receivers(self, kind, places):
        made = []
        for place in places:
            names = list(kind)
            self.r.shuffle(names)
            made += [self.receiver(name, place) for name in names]
        for one in made:
            if one.mechanism == "meddles":
                # A variable that one instance at the place has.
                there = [other.mechanism for other in made if other.place == one.place]
                one.parameters["p"] = "looks.found" if there.count("looks") == 1 else "v"
        return made


def make(seed, ties=True, apart=False):
    """ties: whether events may come at exactly the same time.  apart: receivers are nowhere where cells are
    seen to spike, so that no event sets the voltage there."""
    m = _Maker(seed, ties)
    kind = KINDS[seed % len(KINDS)]
    has_dendrite = apart or seed // len(KINDS) % 2 == 1
    cells = 1 + seed % 3
    receivers = m.receivers(kind, ["dend"] if apart else ["soma", "dend"] if has_dendrite else ["soma"])
    answers = [{"pause": m.duration(), "late": m.duration()} for _ in range(m.r.randrange(1, 3))]
    pairs = lambda sources, targets: [[m.r.randrange(sources), m.r.randrange(targets)] for _ in range(3)]
    delay = lambda: m.duration()
    projections = [Projection("balls", None, pairs(cells, len(answers)), m.number(0.2, 0.7), delay())]
    for k, one in enumerate(receivers):
        source = m.r.choice(["balls", "answers"])
        if one.mechanism != "meddles" or m.r.random() < 0.5:
            projections.append(Projection(source, k, pairs(cells if source == "balls" else len(answers), cells),
                                          one.weight, delay()))
    trains = [sorted(m.near(moment) for moment in m.moments) for _ in answers]
    return Model(seed, cells, has_dendrite, [m.number(0.05, 0.25) for _ in range(cells)], receivers, answers, trains, projections)


def _with_unit(name, value):
    return str(value) if name == "p" else f"{value} {UNITS[name]}" if name in UNITS else f"{value}"


def _synapse(one):
    parameters = ", ".join(f"{name}: {_with_unit(name, value)}" for name, value in one.parameters.items())
    return f"synapse: {{{one.mechanism}: {{{parameters}}}, at: {one.place}(0.5), shared: true}}"


def _weight(one, weight):
    return f"weight: {weight} uS" if one.mechanism == "pulses" else f"weight: {weight}"


def yaml_of(model):
    """The model file; mechanisms are MODS'."""
    dend = ", {name: dend, parent: soma, length: 300 um, diameter: 2 um}" if model.has_dendrite else ""
    used = sorted({one.mechanism for one in model.receivers} | {"answers"})
    lines = [f"# event model {model.seed}", "hillock: 1", f"run: {{duration: {DURATION} ms, dt: {DT} ms, solver: exact, spike_time: grid}}",
             f"mechanisms: [{', '.join(str(MODS / name) + '.mod' for name in used)}]", "cells:", "  ball:",
             f"    morphology: {{branches: [{{name: soma, length: 20 um, diameter: 20 um}}{dend}]}}",
             *(["    discretization: {max_length: 60 um}"] if dend else []),
             "    regions: {all: {cm: 1 uF/cm2, Ra: 100 Ohm.cm, pas: {g: 0.0002 S/cm2, e: -65 mV}}}",
             "    detector: {at: soma(0.5), threshold: -61 mV}"]
    for k, parameters in enumerate(model.answers):
        lines.append(f"  answer{k}: {{artificial: {{answers: {{{', '.join(f'{n}: {v} ms' for n, v in parameters.items())}}}}}}}")
    lines += ["populations:", f"  balls: {{cell: ball, size: {model.cells}}}"]
    lines += [f"  answers{k}: {{cell: answer{k}, size: 1}}" for k in range(len(model.answers))]
    lines.append("projections:")
    for projection in model.projections:
        for source, target in projection.pairs:
            origin = "balls" if projection.source == "balls" else f"answers{source}"
            index = source if projection.source == "balls" else 0
            if projection.receiver is None:
                to, at, weight = f"answers{target}", 0, f"weight: {projection.weight}"
                synapse = ""
            else:
                one = model.receivers[projection.receiver]
                to, at, weight, synapse = "balls", target, _weight(one, projection.weight), _synapse(one) + ", "
            lines.append(f"  - {{from: {origin}, to: {to}, connect: {{list: [[{index}, {at}]]}}, {synapse}{weight}, delay: {projection.delay} ms}}")
    lines.append("stimuli:")
    for cell, amplitude in enumerate(model.amplitudes):
        lines.append(f"  - {{iclamp: {{amplitude: {amplitude} nA, start: 0.3 ms, duration: 100 ms}}, to: \"balls[{cell}]\", at: soma(0.5)}}")
    for one in model.receivers:
        lines.append(f"  - {{spikes: {{times: [{', '.join(f'{t} ms' for t in one.train)}]}}, to: balls, {_synapse(one)}, {_weight(one, one.weight)}}}")
    for k, train in enumerate(model.answer_trains):
        lines.append(f"  - {{spikes: {{times: [{', '.join(f'{t} ms' for t in train)}]}}, to: answers{k}, weight: 0.45}}")
    lines += ["record:", "  - {name: spikes, of: balls}"]
    lines += [f"  - {{name: spikes{k}, of: answers{k}}}" for k in range(len(model.answers))]
    lines.append("  - {name: v, of: balls, variable: v, at: soma(0.5), every: 0.1 ms, type: float64}")
    for mechanism in dict.fromkeys(one.mechanism for one in model.receivers):
        if sum(one.mechanism == mechanism and one.place == "soma" for one in model.receivers) == 1:
            lines += [f"  - {{name: {mechanism}_{name}, of: balls, variable: {mechanism}.{name}, at: soma(0.5), every: 0.1 ms, type: float64}}"
                      for name in VARIABLES[mechanism]]
    return "\n".join(lines) + "\n"


def simulate_in_neuron(h, model):
    """Spikes as {(population, cell): [ms]}.  h: NEURON with MODS loaded."""
    pc = h.ParallelContext()
    somata, instances, keep = [], [], []  # instances: [cell][receiver]
    for cell in range(model.cells):
        soma = h.Section(name=f"soma{cell}")
        soma.L = soma.diam = 20
        sections = {"soma": soma}
        if model.has_dendrite:
            dend = sections["dend"] = h.Section(name=f"dend{cell}")
            dend.L, dend.diam, dend.nseg = 300, 2, 5
            dend.connect(soma(1))
        for section in sections.values():
            section.cm, section.Ra = 1, 100
            section.insert("pas")
            section.g_pas, section.e_pas = 0.0002, -65
        clamp = h.IClamp(soma(0.5))
        clamp.delay, clamp.dur, clamp.amp = 0.3, 100, model.amplitudes[cell]
        made = {}
        # Of what lies at one place, NEURON deals first with what was made last.
        for k in reversed(range(len(model.receivers))):
            one = model.receivers[k]
            made[k] = point = getattr(h, one.mechanism)(sections[one.place](0.5))
            for name, value in one.parameters.items():
                if name != "p":
                    setattr(point, name, value)
        for k, one in enumerate(model.receivers):
            if one.parameters.get("p") == "v":
                h.setpointer(sections[one.place](0.5)._ref_v, "p", made[k])
            elif "p" in one.parameters:
                looks = next(j for j, other in enumerate(model.receivers) if other.mechanism == "looks" and other.place == one.place)
                h.setpointer(made[looks]._ref_found, "p", made[k])
        somata.append(soma)
        instances.append(made)
        keep += [sections, clamp]
    answers = []
    for parameters in model.answers:
        answers.append(h.answers())
        for name, value in parameters.items():
            setattr(answers[-1], name, value)
    from_outside = []

    def drive(target, train, weight):
        connection = h.NetCon(None, target)
        connection.delay, connection.weight[0] = 0, weight
        from_outside.append((connection, train))

    for k, one in enumerate(model.receivers):
        for cell in range(model.cells):
            drive(instances[cell][k], one.train, one.weight)
    for answer, train in zip(answers, model.answer_trains):
        drive(answer, train, 0.45)
    connect = lambda source, target: (h.NetCon(somata[source[1]](0.5)._ref_v, target, sec=somata[source[1]])
                                      if source[0] == "balls" else h.NetCon(answers[source[1]], target))
    for projection in model.projections:
        for source, target in projection.pairs:
            point = answers[target] if projection.receiver is None else instances[target][projection.receiver]
            connection = connect((projection.source, source), point)
            connection.delay, connection.weight[0] = projection.delay, projection.weight
            if projection.source == "balls":
                connection.threshold = -61
            keep.append(connection)
    spikes = {}
    for source in [("balls", c) for c in range(model.cells)] + [(f"answers{k}", k) for k in range(len(answers))]:
        recorder = connect(("balls" if source[0] == "balls" else "answers", source[1]), None)
        if source[0] == "balls":
            recorder.threshold = -61
        spikes[source[0], source[1] if source[0] == "balls" else 0] = times = h.Vector()
        recorder.record(times)
        keep.append(recorder)
    handler = h.FInitializeHandler(lambda: [connection.event(t) for connection, train in from_outside for t in train])
    h.dt, h.steps_per_ms, h.celsius = DT, 1 / DT, 6.3
    pc.set_maxstep(10)
    h.finitialize(-65)
    for _ in range(round(DURATION / DT) + 1):
        h.fadvance()
    result = {of: list(times) for of, times in spikes.items()}
    del handler, keep
    return result
