#!/usr/bin/python3
"""Makes comparison runs for any .mod files and runs them in NEURON and in Hillock.

  /usr/bin/python3 tests/peer/any_mechanism.py FILE.mod ... [--limit 1e-5] [--keep FOLDER] [--json FILE]
                                           [--integrator crank_nicolson]

A density mechanism stands under current clamp and under voltage clamp; a point process in a quiet and in a
clamped compartment, with spikes where it receives them; an artificial cell drives a synapse.  Parameters keep
their defaults, but a conductance or permeability that is 0 gets a value.  Recorded are the voltage, every RANGE
variable and state, and what the file writes of its ions.  A file takes part when both programs run it and
something moves; the rest is listed with its reason.  Exit status 1 when a trace differs by more than --limit of
its range.  mechanisms_neuron.py runs the cases.

Not here: files of several mechanisms that need each other.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import mechanism_cases
import neuron_mods
from mechanism_cases import LEVELS, STEPS, TRAIN, WEAK, Case, Connection, Drive
from mechanisms_neuron import SECOND_ORDER, Hillock, Neuron, compare, trouble_of
from parity import REPOSITORY, Needs, need_hillock

IONS = {"na": {"e": 50.0}, "k": {"e": -77.0}, "ca": {"inside": 1e-4, "outside": 2.0}}
DENSITY = 1e-3  # S/cm2 of a conductance whose default is 0
PERMEABILITY = 1e-5  # cm/s
LONGEST_S = 120  # a file


class Description:
    """What the declarations of a file say."""

    def __init__(self, path):
        text = path.read_text(encoding="latin-1")
        text = re.sub(r"\bCOMMENT\b.*?\bENDCOMMENT\b", " ", text, flags=re.DOTALL)
        self.text = re.sub(r"[:?].*", "", re.sub(r"^\s*TITLE.*", "", text, flags=re.MULTILINE))
        form = re.search(r"\b(SUFFIX|POINT_PROCESS|ARTIFICIAL_CELL)\s+(\w+)", self.text)
        if not form:
            raise ValueError("no SUFFIX, POINT_PROCESS or ARTIFICIAL_CELL")
        self.kind = {"SUFFIX": "density", "POINT_PROCESS": "point_process",
                     "ARTIFICIAL_CELL": "artificial_cell"}[form.group(1)]
        self.name = form.group(2)
        ranges = " ".join(re.findall(r"\bRANGE\s+([\w\s,]+?)(?=\n\s*[A-Z_]+\b|})", self.text)).replace(",", " ")
        states = re.search(r"\bSTATE\s*{([^}]*)}", self.text)
        names = re.sub(r"\([^)]*\)|\[[^]]*\]|\bFROM\b.*", " ", states.group(1)).split() if states else []
        self.variables = list(dict.fromkeys(name for name in ranges.split() + names if re.match(r"[A-Za-z]\w*$", name)))
        uses = re.findall(r"\bUSEION\s+(\w+)([^\n]*)", self.text)
        self.ions = {ion: IONS[ion] for ion, _ in uses if ion in IONS}
        writes = [re.search(r"\bWRITE\s+([\w\s,]+?)(?=\bVALENCE\b|\bREAD\b|\bREPRESENTS\b|$)", rest) for _, rest in uses]
        self.written = [name for match in writes if match for name in re.split(r"[\s,]+", match.group(1)) if name]
        self.receives = "NET_RECEIVE" in self.text
        self.zero = {}  # parameters whose default is 0 and that scale a current
        for name, value, unit in re.findall(r"\b(\w+)\s*=\s*([-+]?[.\d]+(?:[eE][-+]?\d+)?)\s*\(([^)]*)\)", self.text):
            if float(value) == 0 and name in self.variables:
                if re.fullmatch(r"(S|mho|siemens)/cm2", unit):
                    self.zero[name] = DENSITY
                elif unit == "cm/s":
                    self.zero[name] = PERMEABILITY


def renamed(path, folder, name):
    """A copy whose mechanism has another name: neither program's own mechanisms are in its way."""
    text = path.read_text(encoding="latin-1")
    form = re.compile(r"(\b(?:SUFFIX|POINT_PROCESS|ARTIFICIAL_CELL)\s+)\w+")
    copy = folder / f"{name}.mod"
    copy.write_text(form.sub(rf"\g<1>{name}", text, count=1), encoding="utf-8")
    for included in path.parent.glob("*.inc"):
        shutil.copy(included, folder)
    return copy


def cases_of(name, d, integrator):
    """The comparison runs of one file."""
    record = [variable for variable in d.variables if variable not in d.written]
    more = {"record": record, "parameters": d.zero, "ions": d.ions, "celsius": 30.0, "integrator": integrator,
            "record_compartment": [] if d.kind == "artificial_cell" else d.written}
    trains = [Connection(TRAIN, 0.004)] if d.receives else []
    if d.kind == "artificial_cell":
        yield Case(f"{name}.spikes", name, d.kind, drive=Drive(), connections=[Connection(TRAIN, 0.6)], **more)
        return
    quiet = STEPS if d.kind == "density" else WEAK
    yield Case(f"{name}.current", name, d.kind, current=quiet, connections=trains, **more)
    yield Case(f"{name}.voltage", name, d.kind, voltage=LEVELS, connections=trains, **more)


def drop_unknown(case, error):
    """The case without a variable that an error names, or None when it names none."""
    found = re.search(r"has no variable '([\w\[\]]+)'|record it as (\w+), not|'?(\w+)\[\d+\]", str(error))
    unknown = next((name for name in found.groups() if name), None) if found else None
    if unknown not in case.record:
        return None
    case.record.remove(unknown)
    return case


class Comparison:
    """One file in both programs."""

    def __init__(self, path, folder, integrator):
        self.path, self.folder, self.integrator = path, folder, integrator
        self.hillock = Hillock(pathlib.Path(os.environ.get("HILLOCK", REPOSITORY / "build/release/hillock")), folder)

    def result(self):
        """{"file", "worst", "where", "traces"}, or {"file", "left_out": reason}."""
        name = "compared"
        try:
            description = Description(self.path)
            mechanism_cases.ELSEWHERE[name] = renamed(self.path, self.folder, name)
            cases = list(cases_of(name, description, self.integrator))
            self.neuron = Neuron(cases, self.folder / "loaded")
            apart = {f"{case.name.partition('.')[2]} {variable}": value
                     for case in cases for variable, value in self.run(case).items()}
        except neuron_mods.Refused:
            return {"file": str(self.path), "left_out": "NEURON does not compile it"}
        except (RuntimeError, ValueError, AttributeError, TypeError, KeyError) as reason:
            return {"file": str(self.path), "left_out": " ".join(str(reason).split())[-300:]}
        where = max(apart, key=apart.get)
        return {"file": str(self.path), "worst": apart[where], "where": where, "traces": len(apart)}

    def run(self, case):
        """{variable: largest difference as a part of its range} of one case."""
        case.record = [variable for variable in case.record if self.is_there(case, variable)]
        theirs = self.neuron.run(case)
        wrong = [text for text in trouble_of(case, theirs) if "not finite" in text]
        if wrong:
            raise ValueError("in NEURON " + "; ".join(wrong))
        while True:
            try:
                ours = self.hillock.run(case)
                break
            except RuntimeError as error:
                if not drop_unknown(case, error):
                    raise
        return compare(ours, {name: trace for name, trace in theirs.items() if name in ours})

    def is_there(self, case, variable):
        try:
            self.neuron.run(Case(case.name, case.mechanism, case.kind, record=[variable], duration=0.1,
                            connections=[], ions=case.ions))
            return True
        except (AttributeError, LookupError, TypeError, RuntimeError):
            return False


def in_a_process(options, number, path):
    """The result of one file from a process of its own: what NEURON cannot bear ends that alone."""
    words = [sys.executable, __file__, path, "--one", "--integrator", options.integrator]
    if options.keep:
        words += ["--keep", options.keep / f"{number}-{path.stem}"]
    try:
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=LONGEST_S)
    except subprocess.TimeoutExpired:
        return {"file": str(path), "left_out": f"longer than {LONGEST_S} s"}
    lines = [line for line in done.stdout.splitlines() if line.startswith('{"file"')]
    if lines:
        return json.loads(lines[-1])
    return {"file": str(path), "left_out": "NEURON ended: " + " ".join(done.stderr.split())[-200:]}


def show(result, limit):
    if "left_out" in result:
        print(f"left out {result['file']}: {result['left_out']}", flush=True)
        return
    print(f"{'ok  ' if result['worst'] <= limit else 'FAIL'} {result['file']}: {result['traces']} traces, "
          f"largest difference {result['worst']:.2g} ({result['where']})", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--limit", type=float, default=1e-5)
    parser.add_argument("--keep", type=pathlib.Path, help="folder for models and outputs")
    parser.add_argument("--json", type=pathlib.Path, help="file for the differences")
    parser.add_argument("--integrator", choices=SECOND_ORDER, default="backward_euler")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    need_hillock(os.environ.get("HILLOCK", REPOSITORY / "build/release/hillock"))
    needs = Needs()
    for path in options.files:
        needs.file(path)
    if options.json:
        needs.writable(options.json)
    needs.check()
    if options.one:
        with tempfile.TemporaryDirectory(prefix="hillock-any-") as scratch:
            folder = options.keep or pathlib.Path(scratch)
            folder.mkdir(parents=True, exist_ok=True)
            print(json.dumps(Comparison(options.files[0], folder, options.integrator).result()))
        return False
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda item: in_a_process(options, *item), enumerate(options.files)))
    for result in results:
        show(result, options.limit)
    compared = [result for result in results if "worst" in result]
    far = [result for result in compared if not result["worst"] <= options.limit]
    print(f"{len(results)} files, {len(compared)} compared, {len(far)} beyond {options.limit:g}")
    if options.json:
        options.json.write_text(json.dumps(results, indent=1))
    return bool(far)


if __name__ == "__main__":
    sys.exit(main())
