#!/usr/bin/python3
"""Tries every .mod file below some folders: does Hillock read it, compile it, and begin with finite numbers?

  /usr/bin/python3 tests/peer/mod_sweep.py FOLDER ... [--json FILE] [--table FILE] [--jobs 2] [--limit 95] [--limit-c 60]

Each folder is a repository of published models, checked out.  Each file is judged alone: it is read, compiled and
put into a model of one compartment of its own, whose run of a millisecond records every state and computed variable
of the mechanism and of its ions.  A density mechanism stands in the membrane, a point process at it; where it takes
events, one arrives; a side of a gap junction stands between two cells; a POINTER is a variable of the place.
Parameters keep their defaults; a FUNCTION_TABLE is 1 everywhere.  What is not finite and has a TABLE is run with
use_tables as well, for the note alone.

A file with C code is one with a VERBATIM block, in it or in what it INCLUDEs, that holds more than comments,
#include lines, `return;`, `return 0;` or `cai = _ion_cai;`.  It is judged as others are, or else as a session of NEURON
has it, with a stream of Random123's where it draws from a POINTER, or as a VecStim; and it is counted apart.  Files of
equal content (and equal INCLUDEs) are tried once.  Exit status 1 when fewer than --limit per cent of the files without
C code are good, or fewer than --limit-c per cent of those with.

docs/mod-sweep.md has the result.  Not here: whether what is computed is right (any_mechanism.py).
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from parity import REPOSITORY, Needs, need_hillock, np

import h5py

GOOD = ("ok", "functions")
LONGEST_S = 120  # for each command
MODEL = """hillock: 1
run: {{duration: 1 ms, dt: 0.025 ms, v_init: -65 mV}}
mechanisms: [{mechanism}]
cells:
  c: {cell}
populations: {{p: {{cell: c, size: 2}}}}
{more}
record: [
  {record}]
"""
OTHERS = ("hh.gnabar", "hh.m")  # what POINTERs are that are no voltage; parameters cannot be written
WEIGHT = 0.01  # in the file's own unit
MEMBRANE = """{{morphology: {{branches: [{{name: soma, length: 20 um, diameter: 20 um}}]}},
      regions: {{all: {{{inside}}}}}}}"""


def words_of(text):
    """NMODL without comments; the text of VERBATIM blocks stays."""
    text = re.sub(r"^[ \t]*TITLE\b.*", "", text, flags=re.MULTILINE)
    parts = re.split(r"\b(VERBATIM\b.*?\bENDVERBATIM)\b|\b(COMMENT\b.*?\bENDCOMMENT)\b|([?:][^\n]*)", text,
                     flags=re.DOTALL)
    return "".join((between or "") + (code or "") for between, code in zip(parts[::4], parts[1::4] + [""]))


def included_by(path, text):
    """The files that a text INCLUDEs, whole, with theirs; what is missing is for Hillock to say."""
    for name in re.findall(r'\bINCLUDE\s*"([^"]+)"', words_of(text)):
        file = path.parent / name
        if file.is_file():
            inner = file.read_text(encoding="latin-1")
            yield inner
            yield from included_by(file, inner)


def has_c_code(text):
    for code in re.findall(r"\bVERBATIM\b(.*?)\bENDVERBATIM\b", words_of(text), flags=re.DOTALL):
        code = re.sub(r"/\*.*?\*/|//[^\n]*|^[ \t]*#[ \t]*include\b[^\n]*", "", code, flags=re.DOTALL | re.MULTILINE)
        if not re.fullmatch(r"(return;|return0;|(\w+=_ion_\w+;)+)?", re.sub(r"\s", "", code)):
            return True
    return False


@dataclasses.dataclass
class ModFile:
    path: pathlib.Path
    folder: pathlib.Path
    digest: str = ""
    has_c_code: bool = False
    outcome: str = ""  # ok, functions, refused, not finite, crashed
    why: str = ""

    def read(self):
        text = self.path.read_text(encoding="latin-1")
        texts = [text, *included_by(self.path, text)]
        self.digest = hashlib.sha256("\0".join(texts).encode("latin-1")).hexdigest()
        self.has_c_code = any(has_c_code(part) for part in texts)
        return self


def files_below(folder):
    """Its .mod files; not the shadows that macOS leaves beside files."""
    return sorted(path for path in folder.rglob("*") if path.suffix.lower() == ".mod" and path.is_file()
                  and not path.name.startswith("._"))


class Variables:
    """What `hillock mech show` says of a file."""

    def __init__(self, text):
        lines = text.splitlines()
        head = re.compile(r"(\w+) \((density|point|synapse|electrode|artificial)\):")
        self.name, self.kind = next(filter(None, map(head.match, lines))).groups()
        self.ions = re.findall(r"^ion (\w+):", text, flags=re.MULTILINE)
        weight = re.search(r"^weight in (.*)$", text, flags=re.MULTILINE)
        self.weight = weight and weight.group(1).strip()
        start = next(i for i, line in enumerate(lines) if re.match(r"variable\s+role\b", line))
        fields = [line.split() for line in lines[start + 1:] if line.strip()]
        self.roles = {name: role for name, role, *_ in fields}
        self.units = {name: rest[0] if rest else "" for name, _, *rest in fields}

    def of(self, *roles):
        return [name for name, role in self.roles.items() if role in roles]

    def of_ions(self):
        """The variables of ions at the place that it reads, or sums up in."""
        names = {form.format(ion) for ion in self.ions for form in ("e{}", "{}i", "{}o", "i{}")}
        return [name for name in self.roles if name in names]


def file_name(variable):
    return re.sub(r"\W", "_", variable)


def as_sessions_have_it(text):
    """The text with streams of random numbers for POINTERs that its C code draws from; None where there are none."""
    from hillock import _neuron_held as held

    text = without = held._without_comments(text)
    drawn = {pointer for _, pointer in held._draw.findall(text)}
    for pointer, _ in held._pointers_of(text):
        if pointer in drawn:
            text = held._folded(text, pointer, is_there=True, is_one_thread=True)
            text, _ = held._with_stream(text, pointer, held._RANDOM123, held._UNIFORM, 0)
    return text if text != without else None


def is_vector_stream(text):
    from hillock._neuron_mechanisms import is_vector_stream

    return is_vector_stream(text)


class Sweep:
    def __init__(self, hillock, folder):
        self.hillock, self.folder = hillock, folder

    def command(self, *words):
        environment = dict(os.environ, COLUMNS="400")
        return subprocess.run([self.hillock, *map(str, words)], capture_output=True, text=True, errors="replace",
                              timeout=LONGEST_S, env=environment)

    def judge(self, file, number):
        folder = self.folder / str(number)
        folder.mkdir()
        try:
            file.outcome, file.why = self.outcome(file.path, folder)
            if file.has_c_code and file.outcome == "refused":
                self.judge_in_a_session(file, folder)
        except subprocess.TimeoutExpired:
            file.outcome, file.why = "crashed", f"longer than {LONGEST_S} s"

    def judge_in_a_session(self, file, folder):
        text = file.path.read_text(encoding="latin-1")
        if is_vector_stream(text):
            file.outcome, file.why = "ok", "a VecStim"
        elif other := as_sessions_have_it(text):
            path = folder / file.path.name
            path.write_text(other, encoding="latin-1")
            outcome, why = self.outcome(path, folder)
            if outcome in GOOD:
                file.outcome, file.why = outcome, why

    def outcome(self, path, folder):
        checked = self.command("mech", "check", path)
        if checked.returncode:
            return self.failure(checked)
        shown = self.command("mech", "show", path)
        if shown.returncode:
            if "holds functions only" in shown.stderr:
                return "functions", ""
            return self.failure(shown)
        variables = Variables(shown.stdout)
        outcome = self.run(path, folder, variables, use_tables=False)
        if outcome[0] == "not finite" and self.run(path, folder, variables, use_tables=True)[0] == "ok":
            return "not finite", f"{outcome[1]} (finite with use_tables: true)"
        return outcome

    def run(self, path, folder, variables, use_tables):
        for other in OTHERS:
            (folder / "model.yaml").write_text(self.model(path, variables, other, use_tables))
            shutil.rmtree(folder / "out", ignore_errors=True)
            ran = self.command("run", folder / "model.yaml", "-o", folder / "out", "--threads", 1, "--backend", "cpu")
            if "writes its POINTER" not in ran.stderr:
                break
        if ran.returncode:
            return self.failure(ran)
        strange = [name for report in sorted((folder / "out").glob("*.h5")) if report.stem != "spikes"
                   for name in self.not_finite(report)]
        return ("not finite", ", ".join(strange)) if strange else ("ok", "")

    @staticmethod
    def failure(done):
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        if done.returncode < 0:
            return "crashed", f"signal {-done.returncode}"
        line = next((line for line in lines if re.search(r"\berror\b", line)), lines[-1] if lines else "no message")
        line = re.sub(r"^\S*?[^\s/]*\.mod:", "", line)
        return ("not finite" if "not a finite number" in line else "refused"), line

    @staticmethod
    def not_finite(report):
        with h5py.File(report) as opened:
            for population in opened["report"].values():
                if not np.isfinite(population["data"][:]).all():
                    yield report.stem

    @staticmethod
    def model(path, v, other, use_tables):
        """The model of a mechanism; a POINTER that is no voltage is `other`."""
        given = ", ".join(f"{name}: {'v' if v.units[name] == 'mV' else other}" for name in v.of("pointer"))
        use = f"{v.name}: {{{given}}}"
        inside = ["hh: {}"] * bool(given) + [use] * (v.kind == "density")
        cell = MEMBRANE.format(inside=", ".join(inside))
        weight = f"{WEIGHT} {'' if v.weight == '1' else v.weight}"
        events = f"spikes: {{times: [0.2 ms, 0.5 ms]}}, to: p, weight: {weight}"
        at, more = ", at: soma(0.5)", "stimuli: []"
        if v.kind == "artificial":
            cell, at = f"{{artificial: {{{use}}}}}", ""
            if v.weight:
                more = f"stimuli: [{{{events}}}]"
        elif "vgap" in v.of("state") and v.kind != "density":
            more = ("projections: [{from: p, to: p, connect: {one_to_one: {}, autapses: true}, gap_junction: "
                    f"{{mechanism: {{{use}}}, at: soma(0.5), peer_at: soma(0.5)}}}}]")
        elif v.weight:
            more = f"stimuli: [{{{events}, synapse: {{{use}, at: soma(0.5)}}}}]"
        elif v.kind != "density":
            more = f"stimuli: [{{point: {{{use}, at: soma(0.5)}}, to: p}}]"
        wanted = [f"{v.name}.{name}" for name in v.of("state", "assigned")]
        wanted += (["v"] if at else []) + v.of_ions()
        record = ",\n  ".join(f'{{name: "{i}.{file_name(name)}", of: p, variable: "{name}"{at}, type: float64}}'
                              for i, name in enumerate(wanted))
        tables = re.findall(r"\bFUNCTION_TABLE\s+(\w+)", words_of(path.read_text(encoding="latin-1")))
        given = f", tables: {{{', '.join(f'{name}: 1' for name in tables)}}}" if tables else ""
        given += ", use_tables: true" if use_tables else ""
        mechanism = f"{{file: {json.dumps(str(path.resolve()))}{given}}}"
        return MODEL.format(mechanism=mechanism, cell=cell, more=more, record=record)


def repository_of(folder):
    """(name, commit) of a folder that is a checkout, as OWNER/NAME; its path where it is none."""
    asked = subprocess.run(["git", "-C", folder, "rev-parse", "HEAD"], capture_output=True, text=True)
    return "/".join(folder.resolve().parts[-2:]), asked.stdout.strip() if asked.returncode == 0 else ""


def share(good, of):
    return f"{good} of {of} ({100 * good / of:.1f} %)" if of else "0 of 0"


def report(options, files, tried):
    """Prints what came out; whether enough files are good."""
    print(f"{len(files)} .mod files in {len(options.folders)} folders, {len(tried)} of them different")
    are_good = True
    for has_c_code, limit in ((False, options.limit), (True, options.limit_c)):
        judged = [file for file in tried if file.has_c_code == has_c_code]
        good = [file for file in judged if file.outcome in GOOD]
        counts = collections.Counter(file.outcome for file in judged)
        print(f"{'with' if has_c_code else 'without'} C code: good {share(len(good), len(judged))}; "
              + ", ".join(f"{outcome} {count}" for outcome, count in sorted(counts.items())))
        for file in sorted((file for file in judged if file.outcome not in GOOD),
                           key=lambda file: (file.outcome, re.sub(r"[\d:]+|'[^']*'", "", file.why))):
            print(f"{file.outcome}: {file.path}: {file.why}")
        are_good = are_good and len(good) * 100 >= limit * len(judged)
    if options.json:
        rows = [{"file": str(file.path), "sha256": file.digest, "c_code": file.has_c_code, "outcome": file.outcome,
                 "why": file.why} for file in files]
        options.json.write_text(json.dumps(rows, indent=1) + "\n")
    if options.table:
        options.table.write_text(table(options.folders, files))
    return are_good


def table(folders, files):
    """A row a repository, in Markdown."""
    rows = ["| repository | commit | .mod files | without C code | good | with C code | good |",
            "| --- | --- | --- | --- | --- | --- | --- |"]
    for folder in folders:
        name, commit = repository_of(folder)
        here = [file for file in files if file.folder == folder]
        counts = []
        for has_c_code in (False, True):
            judged = [file for file in here if file.has_c_code == has_c_code]
            counts += [len(judged), sum(file.outcome in GOOD for file in judged)]
        rows.append("| " + " | ".join(map(str, [name, commit, len(here), *counts])) + " |")
    return "\n".join(rows) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path, help="file for each file's outcome")
    parser.add_argument("--table", type=pathlib.Path, help="file for the table of repositories")
    parser.add_argument("--jobs", type=int, default=2, help="files at once")
    parser.add_argument("--limit", type=float, default=95, help="per cent of those without C code that must be good")
    parser.add_argument("--limit-c", type=float, default=60, help="the same of those with C code")
    parser.add_argument("--hillock", default=os.environ.get("HILLOCK", REPOSITORY / "build/release/hillock"))
    options = parser.parse_args()
    need_hillock(options.hillock)
    sys.path.insert(0, str(pathlib.Path(options.hillock).resolve().parent / "python"))
    needs = Needs()
    for folder in options.folders:
        if not folder.is_dir():
            needs.add(f"no folder {folder}", "give the path of one")
    for path in filter(None, (options.json, options.table)):
        needs.writable(path)
    needs.check()
    files = [ModFile(path, folder).read() for folder in options.folders for path in files_below(folder)]
    first = {}
    for file in files:
        first.setdefault(file.digest, file)
    tried = list(first.values())
    with tempfile.TemporaryDirectory(prefix="hillock-sweep-") as scratch:
        sweep = Sweep(options.hillock, pathlib.Path(scratch))
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            list(pool.map(sweep.judge, tried, range(len(tried))))
    for file in files:
        file.outcome, file.why = first[file.digest].outcome, first[file.digest].why
    return not report(options, files, tried)


if __name__ == "__main__":
    sys.exit(main())
