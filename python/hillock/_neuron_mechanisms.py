"""The mechanisms of a session of NEURON: their texts, and which of their numbers are given."""

from __future__ import annotations

import re


#: NEURON's own is, but for its noise, this; most versions of it hold C code.
_netstim = """
NEURON { ARTIFICIAL_CELL NetStim  RANGE interval, number, start, noise }
UNITS { (ms) = (millisecond) }
PARAMETER {
  interval = 10 (ms) <1e-9, 1e9>
  number = 10 <0, 1e9>
  start = 50 (ms)
  noise = 0 <0, 0>
}
ASSIGNED { on  count }
INITIAL {
  on = 0
  count = 0
  if (start >= 0 && number > 0) {
    on = 1
    net_send(start, 1)
  }
}
NET_RECEIVE (w) {
  if (flag == 0) {
    if (w > 0 && on == 0) {
      if (number > 0) {
        on = 1
        count = 0
        net_send(0, 1)
      }
    } else if (w < 0) {
      on = 0
    }
  } else if (on == 1) {
    count = count + 1
    net_event(t)
    if (count < number) {
      net_send(interval, 1)
    } else {
      on = 0
    }
  }
}
"""


class Mechanism:
    """A mechanism of the session.

    parameters: names of its RANGE parameters, and as the session names them. globals: {name: value}
    of those that are one for all. arguments: of NET_RECEIVE behind the weight.
    """

    def __init__(self, h, name, code):
        self.name = name
        if name == "NetStim":
            code = _netstim
        self.code = _without_unused_c(code)
        self._suffixes = (f"_{name}", "")
        in_file = _words(_block(code, "PARAMETER"))
        self.parameters = [(self._bare(full), full) for full, size in _names(h, name, 1)
                           if size == 1 and self._bare(full) in in_file]
        self.arrays = [full for full, size in _names(h, name, 1) if size > 1]
        self.globals = {self._bare(full): getattr(h, full) for full, size in _names(h, name, -1)
                        if size == 1 and self._bare(full) in in_file}
        usetable = f"usetable_{name}"
        self.use_tables = hasattr(h, usetable) and bool(getattr(h, usetable))
        received = re.search(r"\bNET_RECEIVE\s*\(([^{]*)\)", code)
        words = [] if not received else [part.split("(")[0].strip()
                                         for part in received[1].split(",")]
        self.arguments = words[1:]

    def _bare(self, full):
        suffix = next(s for s in self._suffixes if full.endswith(s))
        return full[:len(full) - len(suffix)] if suffix else full


def _names(h, mechanism, kind):
    standard = h.MechanismStandard(mechanism, kind)
    name, names = h.ref(""), []
    for i in range(int(standard.count())):
        size = standard.name(name, i)
        names.append((name[0], int(size)))
    return names


def _block(code, name):
    found = re.search(rf"\b{name}\s*{{([^}}]*)}}", _without_comments(code))
    return found[1] if found else ""


def _words(text):
    return set(re.findall(r"[A-Za-z_]\w*", text))


def _without_unused_c(code):
    """Without procedures of C code that nothing in the file calls: they are for hoc."""
    for found in list(re.finditer(r"\b(?:PROCEDURE|FUNCTION)\s+(\w+)\s*\([^)]*\)\s*(?:\([^)]*\)\s*)?"
                                  r"{\s*VERBATIM.*?ENDVERBATIM\s*}", code, re.S)):
        others = _without_comments(code.replace(found[0], ""))
        if not re.search(rf"\b{found[1]}\b", others):
            code = code.replace(found[0], "")
    return code


def _without_comments(code):
    return re.sub(r":.*", "", re.sub(r"\bCOMMENT\b.*?\bENDCOMMENT\b", "", code, flags=re.S))


def texts_of(h):
    """{name: (text, whether it is artificial)} of all mechanisms that have one."""
    name, texts = h.ref(""), {}
    for is_point in (0, 1):
        kinds = h.MechanismType(is_point)
        for i in range(int(kinds.count())):
            kinds.select(i)
            kinds.selected(name)
            code = kinds.code()
            if code:
                texts[name[0]] = (code, bool(is_point) and bool(kinds.is_artificial(i)))
    return texts
