"""Mechanisms that NEURON's ChannelBuilder makes (KSChan): their texts, as the objects of a session describe them.

A text computes what NEURON does in the order in which NEURON does it: a gate goes to its steady state exactly, by its
table where it has one, kinetic schemes by one implicit step of all states at once.
"""

from __future__ import annotations

from ._neuron_library import has_legacy_units

_constant, _exponential, _linoid, _sigmoid, _steady, _lag, _table = range(1, 8)  # what KSTrans.ftype() gives
_rates, _steady_and_lag, _outside, _inside = range(4)  # KSTrans.type()
_permeable = 2  # KSChan.iv_type()
_charge_by_boltzmann = 0.001 * 1.602176634e-19 / 1.380649e-23  # K/mV
_charge_by_boltzmann_before = 11.604589


def channels_of(h):
    """{name: Channel} of a session's."""
    return {one.name: one for one in map(Channel, h.List("KSChan"))}


_others: set[str] = set()  # mechanisms that are none, and stay so


def channel_of(h, name):
    """The Channel of that name; None of another mechanism."""
    if name in _others:
        return None
    found = next((Channel(one) for one in h.List("KSChan") if one.name() == name), None)
    if found is None:
        _others.add(name)
    return found


class Channel:
    """One of NEURON's KSChan, as it is now."""

    def __init__(self, made):
        self._made, self.name, self.is_point = made, made.name(), bool(made.is_point())
        self._ion = made.ion() if made.ion() != "NonSpecific" else None
        self._states = [made.state(i) for i in range(int(made.nstate()))]

    def names(self, kind):
        """[(name in the session, size)]: 1 parameters, 2 assigned, 3 states, -1 globals, 0 all of an instance."""
        letter = "p" if self._is_permeable() else "g"
        known = {1: [f"{letter}max"] + ([] if self._ion else ["e"]), 2: [letter, "i"],
                 3: [state.name() for state in self._states], -1: []}
        known[0] = known[1] + known[2] + known[3]
        return [(name if self.is_point else f"{name}_{self.name}", 1) for name in known[kind]]

    def layout(self):
        """(how many numbers an instance has, where pointers to ions' numbers begin among its pointers, where they
        end)"""
        of_single = int(self._made.single())
        begin = 2 + of_single if self.is_point else 0
        return (len(self.names(0)) + len(self._states) + of_single, begin,
                begin + (5 if self._ion else 0) + 2 * int(self._made.nligand()))

    def is_used(self, h):
        """Whether there are instances of it."""
        if self.is_point:
            return h.List(self.name).count() > 0
        return any(section.has_membrane(self.name) for section in h.allsec())

    def text(self, h):
        """(its text, {FUNCTION_TABLE: the model's entry}, why it cannot be taken)"""
        return _Text(h, self).made()

    def _is_permeable(self):
        return bool(self._ion) and self._made.iv_type() == _permeable


class _Text:
    """The text of a Channel. Names of its own begin with ks_."""

    def __init__(self, h, channel):
        self._h, self._of, self._ks = h, channel, channel._made
        self._functions, self._tables, self._problems, self._read = [], {}, [], {}  # _read: {ion: [variable]}
        self._transitions = [self._ks.trans(i) for i in range(int(self._ks.ntrans()))]
        self._gates = [self._ks.gate(i) for i in range(int(self._ks.ngate()))]
        self._names = [state.name() for state in channel._states]

    def made(self):
        of, scheme = self._of, self._ks
        if scheme.single():
            self._problems.append("a single channel that opens by chance (KSChan.single)")
        first = sum(one.src().index() == one.target().index() for one in self._transitions)  # gates by themselves first
        if any(ftype < 0 for one in self._transitions for ftype in self._kinds(one)):
            self._problems.append("a transition has no rates")
        if self._problems:
            return f"NEURON {{ SUFFIX {of.name} }}\n", {}, self._problems
        begin, step = self._gates_alone(first)
        kinetic = self._scheme(first)
        current = self._current()
        blocks = [
            f"NEURON {{\n  {'POINT_PROCESS' if of.is_point else 'SUFFIX'} {of.name}\n{self._uses()}"
            f"  RANGE {', '.join(self._bare([*of.names(1), *of.names(2)]))}\n}}",
            f"PARAMETER {{ {'  '.join(f'{name} = 0' for name in self._bare(of.names(1)))} }}",
            f"ASSIGNED {{ v (mV)  dt (ms)  celsius (degC)"
            f"  {'  '.join([*self._of_ions(), *self._bare(of.names(2))])} }}"]
        if self._names:
            blocks.append(f"STATE {{ {' '.join(self._names)} }}")
        beginning = [f"{name} = 0" for name in self._names]
        beginning += [f"{self._names[int(gate.sindex())]} = 1" for gate in self._gates]
        steady = ["SOLVE ks_scheme STEADYSTATE sparse"] if kinetic else []
        solved = ["SOLVE ks_gates METHOD after_cvode"] if step else []
        solved += ["SOLVE ks_scheme METHOD sparse"] if kinetic else []
        blocks += [_block("INITIAL", beginning + begin + steady), _block("BREAKPOINT", solved + current)]
        if step:
            blocks.append(_block("PROCEDURE ks_gates()", step))
        if kinetic:
            blocks.append(_block("KINETIC ks_scheme", kinetic))
        blocks.append("FUNCTION ks_exp(ks_x) {\n  if (ks_x > 700) { ks_exp = exp(700) }\n"
                      "  else if (ks_x < -700) { ks_exp = exp(-700) }\n  else { ks_exp = exp(ks_x) }\n}")
        return "\n".join(blocks + self._functions) + "\n", self._tables, self._problems

    def _bare(self, names):
        suffix = "" if self._of.is_point else f"_{self._of.name}"
        return [name[:len(name) - len(suffix)] for name, _ in names]

    def _uses(self):
        lines = []
        if not self._of._ion:
            lines.append("  NONSPECIFIC_CURRENT i\n")
        for ion in dict.fromkeys([*self._read, *([self._of._ion] if self._of._ion else [])]):
            read = f" READ {', '.join(self._read[ion])}" if ion in self._read else ""
            write = f" WRITE i{ion}" if ion == self._of._ion else ""
            lines.append(f"  USEION {ion}{read}{write} VALENCE {self._h.ion_charge(f'{ion}_ion'):g}\n")
        return "".join(lines)

    def _of_ions(self):
        own = [f"i{self._of._ion}"] if self._of._ion else []
        return [name for names in self._read.values() for name in names] + own

    def _reads(self, ion, variable):
        if variable not in self._read.setdefault(ion, []):
            self._read[ion].append(variable)
        return variable

    @staticmethod
    def _kinds(transition):
        return [int(transition.ftype(which)) for which in (0, 1)]

    def _gates_alone(self, count):
        """(what INITIAL computes of the first so many states, what a step does to them)"""
        begin, step, table = [], [], None
        if self._ks.usetable() and count:
            table = _Table(self._h, self._ks)
            if any({_steady, _lag} & {*self._kinds(one)} for one in self._transitions[:count]):
                self._problems.append("its table is of rates that depend on celsius, of which NEURON keeps what they "
                                      "were when it made it")
            step = ["LOCAL ks_a, ks_b, ks_x, ks_k, ks_inf, ks_part",
                    f"ks_x = (v - {table.low})*{table.per_mV}", "ks_k = floor(ks_x)", "ks_x = ks_x - ks_k",
                    "if (ks_k < 0) { ks_k = 0  ks_x = 0 }",
                    f"if (ks_k >= {table.last}) {{ ks_k = {table.last}  ks_x = 0 }}"]
        elif count:
            step = ["LOCAL ks_a, ks_b, ks_inf, ks_part"]
        for number, one in enumerate(self._transitions[:count]):
            name, is_steady = self._names[number], one.type() == _steady_and_lag
            a, lag = self._function(number, 0), self._lag_of(number)
            begin.append(f"{name} = {a('v')}" if is_steady else
                         f"{name} = {a('v')}/({a('v')} + {self._function(number, 1)('v')})")

            def at(voltage):
                some = [f"ks_a = {a(voltage)}", f"ks_b = {lag(voltage)}"]
                if not is_steady:
                    some += ["ks_b = 1/(ks_a + ks_b)", "ks_a = ks_a*ks_b"]
                return some + ["ks_b = 1 - ks_exp(-dt/ks_b)"]
            if table:
                step += [*at(f"{table.low} + ks_k*{table.step}"), "ks_inf = ks_a", "ks_part = ks_b",
                         *at(f"{table.low} + (ks_k + 1)*{table.step}"),
                         "if (ks_x > 0) {", "  ks_inf = ks_inf + (ks_a - ks_inf)*ks_x",
                         "  ks_part = ks_part + (ks_b - ks_part)*ks_x", "}"]
            else:
                step += [*at("v"), "ks_inf = ks_a", "ks_part = ks_b"]
            step.append(f"{name} = {name} + (ks_inf - {name})*ks_part")
        return begin, step

    def _scheme(self, first):
        """The reactions of the others."""
        rates, reactions = [], []
        for number, one in list(enumerate(self._transitions))[first:]:
            a, b = f"ks_a{number}", f"ks_b{number}"
            if one.type() >= _outside:
                variable = one.ligand()
                x = self._reads(variable[:-1], variable)
                rates += [f"{a} = {self._power(x, int(one.stoichiometry()))}*{one.parm(0)[0]!r}",
                          f"{b} = {one.parm(1)[0]!r}"]
            else:
                rates += [f"{a} = {self._function(number, 0)('v')}", f"{b} = {self._lag_of(number)('v')}"]
                if one.type() == _steady_and_lag:
                    rates += [f"ks_x = {a}", f"{a} = ks_x/{b}", f"{b} = (1 - ks_x)/{b}"]
            reactions.append(f"~ {one.src().name()} <-> {one.target().name()} ({a}, {b})")
        names = ", ".join(f"ks_a{n}, ks_b{n}" for n in range(first, len(self._transitions)))
        return [f"LOCAL ks_x, {names}", *rates, *reactions] if reactions else []

    @staticmethod
    def _power(x, power):
        """As NEURON multiplies."""
        products = {1: x, 2: f"({x}*{x})", 3: f"({x}*{x}*{x})", 4: f"(({x}*{x})*({x}*{x}))"}
        return products.get(power, f"pow({x}, {power})")

    def _lag_of(self, number):
        """The second function in a step; of a pair of _steady and _lag NEURON takes the first one's numbers."""
        is_pair = self._kinds(self._transitions[number]) == [_steady, _lag]
        return self._function(number, 1, 0 if is_pair else 1)

    def _function(self, number, which, of=None):
        """A function of a voltage's text that gives the text of a transition's function of it. of: whose numbers."""
        transition, of = self._transitions[number], which if of is None else of
        kind, numbers = self._kinds(transition)[which], [float(x) for x in transition.parm(of)]
        name = f"ks_f{number}_{which}" + ("" if of == which else "s")
        if kind in (0, _constant):
            return lambda voltage: f"({numbers[0]!r})" if kind else "1"
        if kind == _table and name not in self._tables:
            low, high = self._range_of(transition, which)
            self._tables[name] = {"values": numbers, "from": low, "to": high}
            self._functions.append(f"FUNCTION_TABLE {name}(ks_v (mV))")
        elif kind != _table and not any(f"FUNCTION {name}(" in one for one in self._functions):
            self._functions.append(_block(f"FUNCTION {name}(ks_v (mV))", self._body(name, kind, numbers)))
        return lambda voltage: f"{name}({voltage})"

    def _range_of(self, transition, which):
        """mV, of a table."""
        h = self._h
        h("hillock_low_ = hillock_high_ = 0\nobjref hillock_object_")
        h.hillock_object_ = transition
        h(f"{{hillock_object_.parm({which}, &hillock_low_, &hillock_high_)}}")
        h("objref hillock_object_")
        return h.hillock_low_, h.hillock_high_

    def _body(self, name, kind, c):
        if kind == _exponential:
            return [f"{name} = ({c[0]!r})*ks_exp(({c[1]!r})*(ks_v - ({c[2]!r})))"]
        if kind == _sigmoid:
            return [f"{name} = ({c[0]!r})/(1 + ks_exp(({c[1]!r})*(ks_v - ({c[2]!r}))))"]
        if kind == _linoid:
            return ["LOCAL ks_x", f"ks_x = ({c[1]!r})*(ks_v - ({c[2]!r}))",
                    f"if (fabs(ks_x) > 1e-6) {{ {name} = ({c[0]!r})*ks_x/(1 - ks_exp(-ks_x)) }}",
                    f"else {{ {name} = ({c[0]!r})*(1 + ks_x/2) }}"]
        by_boltzmann = _charge_by_boltzmann_before if has_legacy_units() else _charge_by_boltzmann
        body = ["LOCAL ks_x, ks_p, ks_q",
                f"ks_x = {by_boltzmann!r}/(273.15 + celsius)*({c[2]!r})*(ks_v - ({c[1]!r}))",
                f"ks_p = ({c[0]!r})*ks_exp(({c[3]!r})*ks_x)", f"ks_q = ({c[0]!r})*ks_exp(({c[3]!r} - 1)*ks_x)"]
        if kind == _steady:
            return body + [f"{name} = ks_p*(1/(ks_p + ks_q))"]
        return body + [f"{name} = 1/(ks_p + ks_q) + ({c[4]!r})"]

    def _current(self):
        factors = [self._power(self._sum(gate), int(gate.power())) for gate in self._gates]
        letter, ion = self._bare(self._of.names(2))[0], self._of._ion
        lines = [f"{letter} = {letter}max*({'*'.join(factors) or '1'})"]
        if self._of._is_permeable():
            inside, outside = self._reads(ion, f"{ion}i"), self._reads(ion, f"{ion}o")
            charge = self._h.ion_charge(f"{ion}_ion")
            factor = "*1e6" if self._of.is_point else ""
            lines.append(f"i = {letter}*nrn_ghk(v, {inside}, {outside}, {charge:g}){factor}")
        else:
            lines.append(f"i = {letter}*(v - {self._reads(ion, f'e{ion}') if ion else 'e'})")
        return lines + ([f"i{ion} = i"] if ion else [])

    def _sum(self, gate):
        first, terms = int(gate.sindex()), []
        for number in range(first, first + int(gate.nstate())):
            part = self._of._states[number].frac()
            if part:
                terms.append(self._names[number] if part == 1 else f"{self._names[number]}*{part!r}")
        return f"({' + '.join(terms) or '0'})"


class _Table:
    """Of gates: low: mV; last: of its points; step, per_mV: between two, mV, and how many a mV."""

    def __init__(self, h, ks):
        h("hillock_low_ = hillock_high_ = hillock_number_ = 0\nobjref hillock_object_")
        h.hillock_object_ = ks
        h("hillock_number_ = hillock_object_.usetable(&hillock_low_, &hillock_high_)\nobjref hillock_object_")
        low, high, self.last = h.hillock_low_, h.hillock_high_, int(h.hillock_number_) - 1
        self.low, self.step, self.per_mV = f"({low!r})", repr((high - low)/self.last), repr(self.last/(high - low))


def _block(head, lines):
    return f"{head} {{\n" + "".join(f"  {line}\n" for line in lines) + "}"
