#!/usr/bin/python3
"""Runs entries of ModelDB by NEURON and, with one line before them, by Hillock, and compares what their graphs show.

  PYTHON tests/peer/modeldb.py --ci CHECKOUT --models FOLDER --work FOLDER [--only N ...] [--jobs 2] [--table FILE]

PYTHON is of an environment with PyPI's `neuron` and PyYAML; Xvfb has to be there.  CHECKOUT is one of
neuronsimulator/nrn-modeldb-ci, whose modeldb-run.yaml says how each entry is run and whose driver writes the lines of
all graphs into `gout`.  FOLDER has the entries' repositories (ModelDBRepository/N) as N, bare or checked out.

An entry is `equal` where it has NEURON's graphs, lines and points, and each point is within 1e-4 of its line's range;
where it is not and NEURON itself, begun with one voltage 1e-9 mV off, comes no nearer, `chaotic`.  What ran before is
kept in --work (result.json of each entry); --again runs Hillock's part anew.

docs/modeldb.md has the result.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import runpy
import shutil
import signal
import subprocess
import sys

import numpy as np
import yaml

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
HELD_BACK = ("3", "7")  # entries whose number ends so are for others to check with
NEAR = 1e-4             # of a line's range
ROUNDING = 1e-12        # of anything: a clamp's current of 0 is what voltages of 100 mV round to
PUSH = 1e-9             # mV

#: What the driver of nrn-modeldb-ci is given: seconds of what runs, and whether it ended with variable steps.
CLOCK = """
objref verify_cvode_
verify_cvode_ = new CVode()
verify_seconds_ = 0
proc verify_graph_() {
  verify_seconds_ += verify_now_() - verify_clock_
  printf("\\nverified %g s, variable steps %d\\n", verify_seconds_, verify_cvode_.active())
  verify_lines_()  // which ends the process where there is no screen
  verify_clock_ = verify_now_()
}
"""
OF_THE_CLOCK = "func verify_now_() { return startsw() }\n"
OF_THE_PROCESSOR = """
objref verify_python_
nrnpython("import time")
verify_python_ = new PythonObject()
func verify_now_() { return verify_python_.time.process_time() }
"""
FIXED = """
verify_cvode_.active(0)
if (name_declared("using_cvode_")) execute("using_cvode_ = 0")
"""
PUSHED = """
objref verify_push_
proc verify_pushes_() { local last, count
  last = %d
  count = 0
  forall count += 1
  forall { count -= 1  if (last == (count == 0)) { v(0.5) += %g  last = 2 } }
}
verify_push_ = new FInitializeHandler(2, "verify_pushes_()")
"""
SESSION = """
import json, time
import hillock.neuron
from hillock import _neuron_run
from neuron import h

here = {"steps": 0, "seconds": 0.0, "own": 0}
run = _neuron_run.run

def counted(h, hand_over, until, *more):
    begun, first = time.perf_counter(), h.t
    steps = run(h, hand_over, until, *more)
    here["steps"] += round((h.t - first) / h.dt)
    here["seconds"] += time.perf_counter() - begun
    write()
    return steps

def own():
    here["own"] += 1
    if here["own"] == 1:
        write()

def write():
    with open(%(here)r, "w") as file:
        json.dump(here, file)

_neuron_run.run = counted
hillock.neuron.enable(threads=1, backend=%(backend)r, trust_c=%(trust_c)r)
h.CVode().extra_scatter_gather(0, own)
write()
"""


class Entry:
    def __init__(self, number, how, options):
        self.number, self.how, self.options = number, how or {}, options
        self.place = options.work / str(number)
        self.repository = options.models / str(number)

    def why_not(self):
        """Why it is left out, before anything has run."""
        if "skip" in self.how:
            return "nrn-modeldb-ci skips it"
        if "run" in self.how and self.how["run"] is None:
            return "nrn-modeldb-ci does not run it"
        if "python" in self.how:
            return "a program of Python's, without graphs"
        if not re.search(r"^[^/\n]*verify_graph_", self._lines(), flags=re.MULTILINE):
            return "its graphs are not asked for"
        if str(self.number)[-1] in HELD_BACK:
            return "held back for a check by others"
        if not self.repository.exists():
            return "not had here"
        return None

    def _lines(self):
        """Of hoc, which run it."""
        return "".join(f"{line}\n" for line in self.how.get("run", ["verify_graph_()"]))

    def judge(self):
        """Runs what has not run, and says how it ended."""
        kept = self.place / "result.json"
        result = json.loads(kept.read_text()) if kept.exists() else {}
        if "neuron" not in result:
            result = {"neuron": self._run_neuron()}
        if not result["neuron"]["why"] and ("hillock" not in result or self.options.again):
            result.pop("pushed", None)
            result["hillock"] = self._run_hillock(result["neuron"]["fixed"])
            result["difference"], result["what"] = compare(self._gout("neuron"), self._gout("hillock"))
            if not result["hillock"]["why"] and not result["difference"] <= NEAR:
                result["pushed"] = max(self._push(result["neuron"]["fixed"], push, last)
                                       for push in (PUSH, -PUSH) for last in (0, 1))
        if self.options.time and verdict(result)[0] in ("equal", "chaotic"):
            result["loops"] = self._time(result["neuron"]["fixed"])
        kept.write_text(json.dumps(result, indent=1))
        return result

    def _time(self, fixed):
        """Seconds of a processor of NEURON and of Hillock, neither with a screen; what is compiled is kept by then."""
        seconds = []
        for first in (None, self.place / "session.hoc"):
            self._copy("timed", fixed)
            seconds.append(self._run("timed", fixed, first=first, screen=False, now=OF_THE_PROCESSOR)["seconds"])
        return seconds

    def _run_neuron(self):
        """What NEURON needs: {"why": it gives nothing to compare with, "seconds", "fixed": it was told not to use
        variable steps}."""
        shutil.rmtree(self.place, ignore_errors=True)
        built = self.place / "built"
        built.mkdir(parents=True)
        if why := self._build(built):
            return {"why": why, "fixed": False}
        self._copy("neuron")
        ran = self._run("neuron", False)
        ran["fixed"] = bool(ran["variable"])
        if ran["fixed"]:
            self._copy("neuron", True)
            ran |= self._run("neuron", True)
            if ran["variable"]:
                ran["why"] = ran["why"] or "switches variable steps on itself"
        ran["why"] = ran["why"] or why_nothing(self._gout("neuron"))
        return ran

    def _run_hillock(self, fixed):
        self._copy("hillock", fixed)
        (self.place / "here.json").unlink(missing_ok=True)
        (self.place / "session.py").write_text(SESSION % {"here": str(self.place / "here.json"),
                                                                 "backend": self.options.backend,
                                                                 "trust_c": self.options.trust_c})
        ran = self._run("hillock", fixed, first=self.place / "session.hoc")
        here = self.place / "here.json"
        if not here.exists():
            return ran | {"why": "Hillock did not begin"}
        return ran | {"here": json.loads(here.read_text())}

    def _build(self, built):
        git = self.repository / ".git" if (self.repository / ".git").exists() else self.repository
        archive = subprocess.run(["git", f"--git-dir={git}", "archive", "HEAD"], stdout=subprocess.PIPE)
        if archive.returncode:
            return "its repository is not whole here"
        subprocess.run(["tar", "x", "-C", built], input=archive.stdout, check=True)
        if script := self.how.get("script"):
            (built / "script.tmp").write_text("\n".join(script))
            self._call(["/bin/sh", "script.tmp"], built, "script.log")
        begins = sorted(built.glob("**/mosinit.hoc"), key=lambda path: (len(path.parts), str(path)))
        if not begins:
            return "no mosinit.hoc"
        start = begins[0].parent
        (self.place / "start").write_text(str(start.relative_to(built)))
        if "model_dir" in self.how:
            groups = [[built / folder for folder in group.split(";")] for group in self.how["model_dir"]]
        else:
            groups = [[pathlib.Path(folder)] for folder, _, _ in os.walk(start)]
        for group in groups:
            if mods := [str(mod) for folder in group for mod in sorted(folder.glob("*.mod"))]:
                self._call(["nrnivmodl", *mods], start, "build.log")
        return None

    def _push(self, fixed, push, last):
        """How far NEURON itself is off where a voltage of the first section, or the last, begins so many mV off."""
        self._copy("pushed", fixed)
        self._run("pushed", fixed, more=PUSHED % (last, push))
        return compare(self._gout("neuron"), self._gout("pushed"))[0]

    def _start(self, of):
        return self.place / of / (self.place / "start").read_text()

    def _gout(self, of):
        path = self.place / of / "gout"
        return read_gout(path.read_text(errors="replace")) if path.exists() else None

    def _copy(self, to, fixed=False):
        """fixed: with no script that asks for variable steps."""
        shutil.rmtree(self.place / to, ignore_errors=True)
        shutil.copytree(self.place / "built", self.place / to, symlinks=True)
        for script in self.place.joinpath(to).rglob("*") if fixed else ():
            if script.suffix in (".hoc", ".ses", ".oc") and script.is_file():
                script.write_bytes(in_fixed_steps(script.read_bytes()))

    def _run(self, of, fixed, more="", first=None, screen=True, now=OF_THE_CLOCK):
        """{"seconds" of what runs, "variable" steps at its end, "why" it ended too early}."""
        driver = self.place / f"{of}.hoc"
        texts = runpy.run_path(str(self.options.ci / "modeldb" / "hocscripts.py"))
        lines = self._lines()
        driver.write_text(texts["driver_hoc_header"].format(model_dir=self.place / of)
                          + texts["driver_hoc_body"].replace("proc verify_graph_()", "proc verify_lines_()")
                          + now + CLOCK + (FIXED if fixed else "") + more + "verify_clock_ = verify_now_()\n"
                          + (in_fixed_steps(lines.encode()).decode() if fixed else lines)
                          + ('nrnpython("write()")\n' if first else ""))
        command = ["nrniv", "-nobanner"]
        if "hoc_stack_size" in self.how:
            command += ["-NSTACK", str(int(self.how["hoc_stack_size"]))]
        if first:
            first.write_text(f'nrnpython("exec(open(\\"{first.with_suffix(".py")}\\").read())")\n')
            command.append(str(first))
        start = self._start(of)
        status, text = self._call([*command, "mosinit.hoc", str(driver)], start, f"{of}.log", screen)
        verified = re.findall(r"^verified (\S+) s, variable steps (\d)", text, flags=re.MULTILINE)
        ran = {"seconds": float(verified[-1][0]) if verified else None,
               "variable": bool(verified) and verified[-1][1] == "1", "why": refusal_in(text)}
        if not verified and not ran["why"]:
            ran["why"] = f"longer than {self.options.longest:g} s" if status is None else reason_in(text, status)
        return ran

    def _call(self, command, where, log, screen=True):
        """(exit status, None when it took too long; what it printed)."""
        environment = {name: value for name, value in self.options.environment.items() if screen or name != "DISPLAY"}
        with open(self.place / log, "wb") as file:
            process = subprocess.Popen(command, cwd=where, stdin=subprocess.DEVNULL, stdout=file,
                                       stderr=subprocess.STDOUT, env=environment, start_new_session=True)
            try:
                status = process.wait(self.options.longest)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                status = None
        return status, (self.place / log).read_text(errors="replace")


def in_fixed_steps(script):
    """A script that asks for no variable steps."""
    script = re.sub(rb"(\.active|cvode_active|cvode_local)\(\s*1\s*\)", rb"\1(0)", script)
    return re.sub(rb"(//Begin VariableTimeStep.*?)restore\([^)]*\)", rb"\1", script, flags=re.S)


def refusal_in(text):
    """Why Hillock does not take a session, by what it printed; None where it takes it."""
    found = re.search(r"this session cannot be taken:\n((?:  .*\n)*)", text)
    return None if not found else "; ".join(line.strip() for line in found[1].splitlines())[:300]


def reason_in(text, status):
    """The line of an output that says what went wrong."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    for pattern in (r"Error|error|not a|undefined", r"Segmentation|Assertion|terminate"):
        if found := [line for line in lines if re.search(pattern, line)]:
            return found[0][:300]
    return f"exit status {status}: {lines[-1][:200] if lines else 'nothing printed'}"


def read_gout(text):
    """[[(x, y) of each line] of each graph] of all dumps in one list."""
    words, graphs = iter(text.split()), []
    try:
        for word in words:
            if word == "lines":
                graphs.append([])
            elif word == "points":
                count = int(next(words))
                next(words)
                x = [float(next(words)) for _ in range(count)]
                next(words)
                graphs[-1].append((np.array(x), np.array([float(next(words)) for _ in range(count)])))
    except (StopIteration, ValueError, RuntimeError):
        return None
    return graphs


def why_nothing(graphs):
    if graphs is None:
        return "no gout"
    if not any(len(x) > 1 for graph in graphs for x, _ in graph):
        return "its graphs have no lines with points"
    return None


def distances(one, two):
    """Of each point that both have, in ranges of the first."""
    extent = np.nanmax(one) - np.nanmin(one) or max(1e-300, abs(one[0]))
    apart = np.where((one == two) | np.isnan(one) & np.isnan(two), 0, np.abs(one - two))
    with np.errstate(divide="ignore"):
        printed = 10 ** (np.floor(np.log10(np.abs(one))) - 5)  # the last of six digits
    return np.where((apart <= ROUNDING) | (apart <= 1.001 * printed), 0, apart) / extent


def compare(theirs, ours):
    """(the largest distance, in ranges of its line; what differs)."""
    if ours is None:
        return float("inf"), "no gout"
    if [len(graph) for graph in theirs] != [len(graph) for graph in ours]:
        return float("inf"), f"{sum(map(len, theirs))} lines and {sum(map(len, ours))}"
    largest, where = 0.0, ""
    for g, (graph, other) in enumerate(zip(theirs, ours)):
        for k, (line, its) in enumerate(zip(graph, other)):
            for axis, one, two in zip("xy", line, its):
                if len(one) != len(two):
                    return float("inf"), f"graph {g}, line {k}: {len(one)} and {len(two)} points"
                distance = float(np.max(distances(one, two), initial=0)) if len(one) else 0
                if not distance <= largest:
                    largest, where = distance, f"graph {g}, line {k}, {axis}"
    return largest, where


def verdict(result):
    """(kind, why)."""
    if why := result["neuron"]["why"]:
        nothing = why in ("no mosinit.hoc", "its repository is not whole here", "its graphs have no lines with points",
                          "no gout")
        return ("nothing to compare" if nothing else "not run in NEURON"), why
    ours = result["hillock"]
    if ours["why"]:
        return "refused", ours["why"]
    here = ours["here"]
    if not here["steps"]:
        return ("not taken", "all steps are NEURON's") if here["own"] else ("nothing to compare", "it takes no steps")
    if result["difference"] <= NEAR:
        return "equal", ""
    if result["difference"] <= result.get("pushed", 0) < float("inf"):  # of lines with other points nothing is known
        return "chaotic", f"NEURON itself {result['pushed']:.2g} ({result['what']})"
    return "differs", result["what"]


def row(entry, result):
    kind, why = verdict(result)
    ours, theirs = result.get("hillock"), result["neuron"]
    if not ours or ours["why"]:
        return [str(entry.number), kind, "", "", "", "", why]
    here, loops = ours["here"], [f"{one:.2f}" if one is not None else "" for one in result.get("loops", ())] or ["", ""]
    share = here["steps"] / max(1, here["steps"] + here["own"])
    return [str(entry.number), kind + (", variable steps off" if theirs["fixed"] else ""),
            f"{result['difference']:.1e}", f"{share:.1%}", *loops, why]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ci", type=pathlib.Path, required=True)
    parser.add_argument("--models", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--only", type=int, nargs="*")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--longest", type=float, default=300, help="seconds for each command")
    parser.add_argument("--backend", default="cpu")
    parser.add_argument("--trust-c", action="store_true", help="enable(trust_c=True)")
    parser.add_argument("--again", action="store_true", help="run Hillock's part anew")
    parser.add_argument("--time", action="store_true",
                        help="seconds of a processor that loops of those that are equal take, without a screen")
    parser.add_argument("--table", type=pathlib.Path)
    options = parser.parse_args()
    options.work = options.work.resolve()
    entries = [Entry(number, how, options)
               for number, how in yaml.safe_load((options.ci / "modeldb" / "modeldb-run.yaml").read_text()).items()]
    left_out = {entry.number: why for entry in entries if (why := entry.why_not())}
    print(f"{len(entries)} entries; left out: "
          + ", ".join(f"{count} ({why})" for why, count in collections.Counter(left_out.values()).most_common()))
    tried = [entry for entry in entries if entry.number not in left_out
             and (not options.only or entry.number in options.only)]
    screen = subprocess.Popen(["Xvfb", "-noreset", "-displayfd", "1", "-screen", "0", "1280x1024x24"],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    options.environment = dict(
        os.environ, DISPLAY=f":{screen.stdout.readline().strip()}", OMP_NUM_THREADS="1",
        PATH=f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}",
        PYTHONPATH=os.environ.get("PYTHONPATH") or str(REPOSITORY / "build" / "release" / "python"))
    rows, timed = [], []
    try:
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for entry, result in zip(tried, pool.map(Entry.judge, tried)):
                rows.append(row(entry, result))
                timed += [result["loops"]] if None not in result.get("loops", (None,)) else []
                print(" | ".join(rows[-1]), flush=True)
    finally:
        screen.terminate()
    kinds = collections.Counter(one[1] for one in rows)
    print(", ".join(f"{count} {kind}" for kind, count in kinds.most_common()))
    if timed:
        theirs, ours = map(sum, zip(*timed))
        print(f"loops of {len(timed)} entries: NEURON {theirs:.1f} s, Hillock {ours:.1f} s, {theirs / ours:.2f} times")
    if options.table:
        head = ["entry", "result", "largest difference", "steps here", "loops of NEURON, s", "of Hillock, s", ""]
        options.table.write_text("\n".join("| " + " | ".join(one).replace("\n", " ") + " |"
                                           for one in [head, ["---"] * len(head), *rows]) + "\n")
    return 1 if any(one[1].startswith("differs") for one in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
