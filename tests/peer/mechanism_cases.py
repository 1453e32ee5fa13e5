"""One table of small comparison runs: a mechanism on one compartment, and what is done to it.

The compartment is a cylinder of 20 x 20 um with pas (1e-4 S/cm2, -65 mV), cm 1 uF/cm2, Ra 100 ohm.cm, from -65 mV
on; fixed steps of 0.025 ms, tables off.  Not here: how a case is run (mechanisms_neuron.py) and compared.
"""

import dataclasses
import pathlib

FOLDER = pathlib.Path(__file__).parent / "mechanisms"
CATALOGUE = pathlib.Path(__file__).resolve().parents[2] / "mechanisms" / "catalogue"
LENGTH_UM = DIAMETER_UM = 20.0
LEAK = {"g": 1e-4, "e": -65.0}
V_INIT = -65.0
DT = 0.025

# How closely two programs should agree, as a part of each trace's range.
SAME_METHOD = 1e-6  # the same numerical method in both
SECANT = 1e-5       # as above, but NEURON's secant for the derivative of the current shows
SAME_SECANT = 1e-9  # where that is taken here, too (derivative: neuron)
ORDER = None        # another method: the difference shrinks with dt
MOMENTS = "moments"  # random numbers: means and variances only

# Pulses of current: (start ms, duration ms, nA).
STEPS = [(5, 15, 0.03), (25, 10, -0.02), (40, 10, 0.06)]
WEAK = [(5, 15, 0.01), (30, 10, -0.01)]
# A voltage clamp: levels mV, durations ms, series resistance MOhm.
LEVELS = ((-80.0, -20.0, -55.0), (10.0, 25.0, 25.0), 2.0)


@dataclasses.dataclass
class Connection:
    """Spikes that reach the mechanism: times in ms, and the arguments of NET_RECEIVE that are given."""

    times: list
    weight: float
    arguments: dict = dataclasses.field(default_factory=dict)  # behind it, in their order: {name: (value, unit)}


@dataclasses.dataclass
class Drive:
    """A synapse of the catalogue (expsyn) on the compartment that the mechanism's own events reach."""

    weight: float = 0.004  # uS
    delay: float = 1.0  # ms
    tau: float = 3.0  # ms


@dataclasses.dataclass
class Case:
    name: str
    mechanism: str
    kind: str  # density | point_process | artificial_cell
    parameters: dict = dataclasses.field(default_factory=dict)
    globals: dict = dataclasses.field(default_factory=dict)  # of the file, the same for all instances
    record: list = dataclasses.field(default_factory=list)  # variables of the mechanism, c[2] for array elements
    record_compartment: list = dataclasses.field(default_factory=list)  # cai, eca, ina ... beside v
    companions: dict = dataclasses.field(default_factory=dict)  # other density mechanisms: {name: parameters}
    ions: dict = dataclasses.field(default_factory=dict)  # {"k": {"e": -77}, "ca": {"inside": mM, "outside": mM}}
    current: list = dataclasses.field(default_factory=list)
    voltage: tuple = None
    connections: list = dataclasses.field(default_factory=list)
    drive: Drive = None
    shares_instance: bool = False  # several connections to one instance that are not the sum of several instances
    pointers: dict = dataclasses.field(default_factory=dict)  # {name: "v" | "mechanism.state" | "there.v"}
    other_current: list = dataclasses.field(default_factory=list)  # into a second, separate compartment ("there")
    tables: dict = dataclasses.field(default_factory=dict)  # FUNCTION_TABLEs: {name: (values, axis ...)}
    use_tables: bool = False  # TABLE as NEURON has it with usetable = 1, instead of exact values
    derivative: str = "exact"  # of currents by the voltage: "neuron", the secant
    celsius: float = 20.0
    duration: float = 60.0
    integrator: str = "backward_euler"
    integrators: tuple = ("backward_euler", "crank_nicolson")  # under which the two programs are to agree
    agreement: object = SAME_METHOD
    needs_neuron: int = 8  # the first version that knows the constructs

    @property
    def path(self):
        return path_of(self.mechanism)


ELSEWHERE = {}  # files of mechanisms that any_mechanism.py was given


def path_of(mechanism):
    """The mechanism's file: written for these cases, or of the catalogue."""
    if mechanism in ELSEWHERE:
        return ELSEWHERE[mechanism]
    path = FOLDER / f"{mechanism}.mod"
    return path if path.exists() else CATALOGUE / f"{mechanism}.mod"


NA, K = {"na": {"e": 50.0}}, {"k": {"e": -77.0}}
CA = {"ca": {"inside": 1e-4, "outside": 2.0}}


def _under_both_clamps(mechanism, record, **more):
    """A density mechanism under current clamp and under voltage clamp."""
    current, name = more.pop("current", STEPS), more.pop("name", mechanism)
    return [Case(f"{name}.current", mechanism, "density", record=record, current=current, **more),
            Case(f"{name}.voltage", mechanism, "density", record=record, voltage=LEVELS, **more)]


def _synapse(mechanism, record, connections, **more):
    """A point process that spikes reach, in a quiet compartment and under voltage clamp."""
    current = more.pop("current", WEAK)
    return [Case(f"{mechanism}.spikes", mechanism, "point_process", record=record, connections=connections,
                 current=current, **more),
            Case(f"{mechanism}.clamped", mechanism, "point_process", record=record, connections=connections,
                 voltage=LEVELS, **more)]


TRAIN = [5.0, 12.5, 15.0, 20.01, 24.99, 40.0, 43.3]


def _cases():
    yield from _under_both_clamps("leak_of_constants", ["i", "shifted"], agreement=SECANT)
    yield from _under_both_clamps("gates_cnexp", ["n", "p", "q", "g", "ninf", "ntau"], ions=K,
                                  record_compartment=["ik"])
    yield from _under_both_clamps("cnexp_in_order", ["first", "second", "third", "i"])
    yield from _under_both_clamps("begins_by_a_step", ["m", "n", "i"])
    yield from _under_both_clamps("gates_in_a_table", ["m", "h", "gna"], ions=NA, record_compartment=["ina"],
                                  agreement=SECANT)
    yield from _under_both_clamps("gates_in_a_table", ["m", "h", "gna"], ions=NA, record_compartment=["ina"],
                                  agreement=SECANT, name="gates_in_a_table.interpolated", use_tables=True)
    yield from _under_both_clamps("table_of_factors", ["n", "scaled", "i"], use_tables=True, celsius=31.0)
    yield from _under_both_clamps("supposes_a_reversal", ["n"], ions=K)
    yield from _under_both_clamps("gates_euler", ["w", "z", "i"])
    # secondorder = 2 is another method there: dt/2, then the slope.
    yield from _under_both_clamps("gates_runge", ["w", "z", "share", "i"], integrators=("backward_euler",))
    yield from _under_both_clamps("gates_derivimplicit", ["x", "w", "z", "i"])
    yield from _under_both_clamps("array_of_states", ["c[0]", "c[1]", "c[2]", "c[3]", "total", "i"])
    yield from _under_both_clamps("kinetic_channel", ["c1", "c2", "o", "b", "g", "closed"], ions=NA,
                                  record_compartment=["ina"])
    yield from _under_both_clamps("kinetic_pump", ["ca", "free", "bound", "pump", "pumpca", "pumped"], ions=CA,
                                  companions={"calcium_by_nernst": {"gbar": 1e-4}},
                                  record_compartment=["cai", "ica", "eca"])
    yield from _under_both_clamps("kinetic_diffusion", ["ca[0]", "ca[1]", "ca[2]", "ca[3]", "outer"], ions=CA,
                                  companions={"calcium_by_nernst": {"gbar": 2e-4}},
                                  record_compartment=["cai", "ica", "eca"])
    yield from _under_both_clamps("linear_equations", ["closed", "open", "blocked", "i"])
    yield from _under_both_clamps("nonlinear_equations", ["free", "bound", "i"], agreement=SECANT)
    yield from _under_both_clamps("procedure_as_solver", ["n", "l", "ninf"], ions=K, globals={"half": -35.0},
                                  record_compartment=["ik"])
    yield from _under_both_clamps("c_code", ["n", "turns", "cut", "parts[1]", "parts[3]", "total", "side", "ghk"], ions=K,
                                  record_compartment=["ik"])
    yield from _under_both_clamps("function_table", ["m", "i"], tables={
        "steady": ([0.0, 0.02, 0.1, 0.5, 0.9, 0.97, 1.0], (7, -100, 20)),
        "lag": ([9.0, 18.0, 7.0, 14.0, 4.0, 8.0, 2.0, 4.0, 1.0, 2.0, 0.5, 1.0], (6, -100, 0), (2, 1, 2))})
    yield from _under_both_clamps("ranged_reversal", ["n", "lag"], ions=K | CA, record_compartment=["ik"])
    yield from _under_both_clamps("own_ion", ["g"], parameters={"depth": 0.02, "tau": 100.0},
                                  ions={"cl": {"inside": 6.0, "outside": 130.0}}, record_compartment=["cli", "ecl", "icl"])
    yield from _under_both_clamps("pool_for_calcium", ["excess"], ions=CA,
                                  companions={"calcium_by_nernst": {"gbar": 1e-4}},
                                  record_compartment=["cai", "eca", "ica"])
    yield from _under_both_clamps("calcium_by_nernst", ["m", "seen", "ratio"], ions=CA,
                                  companions={"pool_for_calcium": {"depth": 0.2}},
                                  record_compartment=["cai", "eca", "ica"])
    yield from _under_both_clamps("calcium_by_ghk", ["m"], ions=CA, companions={"pool_for_calcium": {}},
                                  record_compartment=["cai", "ica"], agreement=SECANT)
    yield from _under_both_clamps("sodium_potassium_pump", ["turnover", "il"],
                                  ions={"na": {"inside": 10.0, "outside": 140.0},
                                        "k": {"inside": 54.4, "outside": 2.5}},
                                  companions={"sodium_gatherer": {}}, record_compartment=["ina", "ik", "nai"],
                                  agreement=SECANT)
    yield from _under_both_clamps("sodium_gatherer", ["seen"], ions={"na": {"inside": 10.0, "outside": 140.0}},
                                  companions={"gates_in_a_table": {}}, record_compartment=["nai", "ena", "ina"],
                                  agreement=SECANT)
    # crank_nicolson ends a step 1e-4 mV from where this current jumps: NEURON's secant reaches over the jump.
    yield from _under_both_clamps("while_and_else", ["strength", "digits", "halvings", "i"], agreement=SECANT,
                                  integrators=("backward_euler",))
    # NEURON's secondorder moves the cnexp states of a mechanism that has a KINETIC block, too, by dt/2.
    yield from _under_both_clamps("includes", ["m", "h", "shut", "g"], integrators=("backward_euler",))
    yield from _under_both_clamps("before_and_after",
                                  ["x", "steps", "breakpoints", "solved", "highest", "settled", "i"])
    yield from _under_both_clamps("geometry", ["seen_t", "seen_area", "seen_diam", "i"])
    yield from _under_both_clamps("rectifier", ["i", "ileak"], agreement=SECANT)
    yield from _under_both_clamps("old_style", ["n", "inf", "tau"], ions=K, celsius=30.0, record_compartment=["ik"])
    yield from _under_both_clamps("arithmetic", ["powers", "circles", "hyperbolas", "wholes", "compared", "i"],
                                  agreement=SECANT)
    yield from _under_both_clamps("coupled_gates", ["a", "b", "i"])
    yield from _under_both_clamps("computes_a_reversal", [], ions={"k": {"inside": 54.4, "outside": 2.5}},
                                  companions={"gates_cnexp": {}}, record_compartment=["ek", "ik"])
    yield from _under_both_clamps("steady_start", ["rest", "active", "tired", "i"], globals={"speed": 0.4})

    yield Case("follows_a_pointer", "follows_a_pointer", "point_process", record=["seen", "i"], current=STEPS,
               companions={"gates_cnexp": {}}, ions=K, other_current=[(10, 20, 0.03)],
               pointers={"there": "there.v", "gate": "gates_cnexp.n"})
    yield Case("follows_a_pointer.here", "follows_a_pointer", "point_process", record=["seen", "i"], current=STEPS,
               companions={"gates_cnexp": {}, "pool_for_calcium": {}, "calcium_by_nernst": {"gbar": 1e-4}}, ions=K | CA,
               pointers={"there": "ica", "gate": "gates_cnexp.n"}, agreement=SECANT)
    yield Case("bbcore_pointer.here", "bbcore_pointer", "point_process", record=["i"], current=WEAK,
               companions={"gates_cnexp": {}}, ions=K, pointers={"there": "gates_cnexp.n"})
    yield Case("bbcore_pointer", "bbcore_pointer", "point_process", record=["i"], current=WEAK,
               other_current=[(15, 20, 0.03)], pointers={"there": "there.v"})
    yield Case("ramp_electrode", "ramp_electrode", "point_process", record=["i", "on", "charge"],
               parameters={"begin": 5.0, "finish": 35.0, "slope": 0.001})
    yield Case("clamp_behind_a_resistance", "clamp_behind_a_resistance", "point_process", record=["i"],
               current=WEAK)
    yield from _synapse("plastic_synapse", ["g", "arrivals", "i"],
                        [Connection(TRAIN, 0.004), Connection([8.0, 22.0, 24.0, 30.0], 0.006)])
    yield from _synapse("given_arguments", ["g", "h", "late", "i"],
                        [Connection(TRAIN, 0.004, {"gain": (0.5, ""), "tau": (7.5, "ms"), "seen": (3.0, "")}),
                         Connection([8.0, 22.0, 24.0], 0.006, {"gain": (2.0, ""), "tau": (3.0, "ms")})],
                        shares_instance=True)
    yield from _synapse("rise_and_fall", ["waiting", "open", "gone", "i"], [Connection(TRAIN, 0.003)])
    yield from _synapse("calcium_synapse", ["g", "i", "ica", "at_arrival", "block"], [Connection(TRAIN, 0.003)],
                        ions=CA, companions={"pool_for_calcium": {}}, record_compartment=["cai", "eca"],
                        agreement=SECANT)
    yield from _synapse("concentrations_in_events", ["seen", "after"], [Connection(TRAIN, 0.003)], ions=CA,
                        companions={"calcium_by_nernst": {"gbar": 1e-4}}, record_compartment=["cai", "eca"],
                        agreement=SECANT)
    yield from _synapse("pulse_of_transmitter", ["r", "present", "i"],
                        [Connection(TRAIN, 1.0), Connection([13.0, 26.0, 26.5, 44.0], 0.5)], shares_instance=True)
    yield Case("pulse_of_transmitter.alone", "pulse_of_transmitter", "point_process", record=["r", "present", "i"],
               connections=[Connection(TRAIN, 1.0)], current=WEAK)
    yield from _synapse("moved_event", ["g", "fired", "moved", "i"],
                        [Connection([10.0, 12.0, 25.0, 29.0, 31.0, 33.0, 45.0], 0.003)])
    yield Case("resets_the_voltage", "resets_the_voltage", "point_process", record=["spikes", "before", "i"],
               current=[(2, 40, 0.05)], connections=[Connection([4.0, 9.0, 20.0, 20.01, 33.0], 3.0)])
    yield Case("watches_the_voltage", "watches_the_voltage", "point_process",
               record=["g", "ups", "downs", "last", "i"], current=[(5, 6, 0.05), (20, 5, 0.06), (38, 7, 0.06)],
               connections=[Connection([30.0, 50.0], 0.002)], drive=Drive(0.001, 2.0))
    yield from _synapse("knows_its_connections", ["g", "total", "count", "i"],
                        [Connection([5.0, 14.0, 22.0, 30.0, 45.0], 0.004),
                         Connection([7.0, 15.5, 31.0, 50.0], 0.002)])
    yield Case("leaky_integrator", "leaky_integrator", "artificial_cell", record=["m", "fired"], drive=Drive(),
               connections=[Connection([2.0, 5.0, 6.0, 9.0, 12.5, 14.0, 15.5, 30.0, 31.0, 32.0, 33.0], 0.45),
                            Connection([7.0, 21.0, 31.5], 0.6)])
    yield Case("pacemaker", "pacemaker", "artificial_cell", record=["due", "fired"], drive=Drive(0.003, 1.5),
               connections=[Connection([12.0, 20.0, 41.0], 1.0), Connection([30.0], 0.0)])
    yield Case("noisy_current", "noisy_current", "point_process", record=["flat", "normal", "waiting", "number", "i"],
               duration=100.0, agreement=MOMENTS)
    yield Case("neuron9_random", "neuron9_random", "point_process", record=["flat", "normal", "waiting", "i"],
               duration=100.0, agreement=MOMENTS, needs_neuron=9)


def _catalogue_cases():
    """Every file of the catalogue but gap, which stands between two cells (gap_junctions.py)."""
    both = NA | K
    yield from _under_both_clamps("pas", ["i"], parameters={"g": 2e-4, "e": -75.0})
    yield from _under_both_clamps("hh", ["m", "h", "n", "gna", "gk", "il"], ions=both, celsius=6.3,
                                  record_compartment=["ina", "ik"])
    yield from _under_both_clamps("hh_traub", ["m", "h", "n", "gna", "gk"], ions=both, celsius=36.0,
                                  record_compartment=["ina", "ik"])
    for name, gbar in (("nat", 0.1), ("nap", 2e-4)):
        yield from _under_both_clamps(name, ["m", "h", "g"], parameters={"gbar": gbar}, ions=NA, celsius=34.0,
                                      record_compartment=["ina"])
    for name, gates, gbar in (("kdr", ["m", "h"], 0.02), ("ka", ["m", "h"], 0.2), ("kv31", ["m"], 0.05),
                              ("km", ["m"], 3e-3)):
        yield from _under_both_clamps(name, [*gates, "g"], parameters={"gbar": gbar}, ions=K, celsius=34.0,
                                      record_compartment=["ik"])
    yield from _under_both_clamps("ih", ["m", "g", "i"], parameters={"gbar": 5e-3}, celsius=34.0)
    pool = {"capool": {"gamma": 0.05, "decay": 20.0}}
    seen = ["cai", "eca", "ica"]
    for channel, density in (("cat", 0.01), ("cal", 5e-4)):  # with a fixed reversal potential
        yield Case(f"{channel}.fixed", channel, "density", {"gbar": density}, record=["m", "h", "g"],
                   record_compartment=["ica"], ions={"ca": {"e": 120.0}}, current=STEPS, celsius=34.0)
    yield from _under_both_clamps("cat", ["m", "h", "g"], parameters={"gbar": 0.01}, ions=CA, companions=pool,
                                  celsius=34.0, record_compartment=seen)
    yield from _under_both_clamps("cal", ["m", "h", "g"], parameters={"gbar": 5e-4}, ions=CA, companions=pool,
                                  celsius=34.0, record_compartment=seen)
    yield from _under_both_clamps("cal_ghk", ["m", "h", "p"], parameters={"pbar": 1e-4}, ions=CA,
                                  companions=pool, celsius=34.0, record_compartment=["cai", "ica"],
                                  agreement=SECANT)
    yield from _under_both_clamps("sk", ["z", "g"], parameters={"gbar": 1e-3}, ions=CA | K, celsius=34.0,
                                  companions=pool | {"cat": {"gbar": 0.01}}, record_compartment=["cai", "ik"])
    yield from _under_both_clamps("bk", ["o", "g"], parameters={"gbar": 0.1}, ions=CA | K, celsius=34.0,
                                  companions=pool | {"cat": {"gbar": 0.02}}, record_compartment=["cai", "ik"])
    yield from _under_both_clamps("capool", [], parameters={"gamma": 0.1, "depth": 0.2}, ions=CA,
                                  companions={"cal": {"gbar": 3e-4}}, celsius=34.0, record_compartment=seen)
    two = [Connection(TRAIN, 0.004), Connection([8.0, 22.0, 24.0, 30.0], 0.006)]
    yield from _synapse("expsyn", ["g", "i"], two, parameters={"tau": 2.0})
    yield from _synapse("exp2syn", ["A", "B", "g", "i"], two, parameters={"tau1": 0.7, "tau2": 5.0})
    yield from _synapse("tmsyn", ["g", "i"], two, parameters={"U": 0.3, "tau_rec": 60.0, "tau_facil": 30.0})
    yield from _synapse("tmsyn_shared", ["g", "x", "u", "i"], two, shares_instance=True,
                        parameters={"U": 0.3, "tau_rec": 60.0, "tau_facil": 30.0})
    yield Case("tmsyn_shared.alone", "tmsyn_shared", "point_process", record=["g", "x", "u", "i"], current=WEAK,
               parameters={"U": 0.3, "tau_rec": 60.0, "tau_facil": 30.0}, connections=[Connection(TRAIN, 0.004)])
    yield Case("intfire", "intfire", "artificial_cell", record=["m"], drive=Drive(), parameters={"refrac": 3.0},
               connections=[Connection([2.0, 5.0, 6.0, 9.01, 12.513, 14.0, 15.5, 30.0, 31.0, 32.0, 33.0], 0.45),
                            Connection([7.0, 21.0, 31.507], 0.6)])
    yield from _synapse("nmda", ["A", "B", "g", "i"], two, parameters={"tau2": 30.0}, agreement=SECANT)
    yield from _synapse("ampanmda", ["g_ampa", "g_nmda", "i_ampa", "i_nmda", "i"], two,
                        parameters={"tau_rec": 100.0, "tau_facil": 20.0, "tau2_nmda": 30.0}, agreement=SECANT)
    yield Case("iclamp", "iclamp", "point_process", record=["i"],
               parameters={"amplitude": 0.02, "start": 3.012, "duration": 4.0, "period": 11.0, "count": 4.0,
                           "slope": 0.004})
    yield Case("alphasynapse", "alphasynapse", "point_process", record=["g", "i"], current=WEAK,
               parameters={"onset": 3.012, "tau": 1.7, "gmax": 0.004, "e": -10.0})
    yield Case("seclamp", "seclamp", "point_process", record=["i"], current=WEAK,
               parameters={"level": -40.0, "rs": 20.0, "start": 10.013, "stop": 45.0})


def _with_secant(cases):
    for case in cases:
        yield case
        if case.agreement == SECANT:
            # There NEURON's Newton iteration stops earlier than ours.
            most = 1e-7 if case.mechanism == "nonlinear_equations" else SAME_SECANT
            yield dataclasses.replace(case, name=f"{case.name}.secant", derivative="neuron", agreement=most)


CASES = {case.name: case for case in [*_with_secant(_cases()), *_catalogue_cases()]}

# A table's values: the last argument's index moves fastest; an axis is (points, first, last). NEURON
# takes the nearest end outside, interpolates linearly inside.

# Recorded variables that stay where they are, by intention.
CONSTANT = {("leak_of_constants", "shifted"), ("geometry", "seen_area"), ("geometry", "seen_diam"),
            ("before_and_after", "settled"), ("own_ion", "g")}
