#!/usr/bin/env python3
"""Do the unit tests see a small change of the product's code?

  tests/mutation/mutation_run.py [--seed N] [--changes N] [--folder DIR] [--again] [--own-room]

Works in a copy of the tree, which is kept with its build in --folder (build/mutation), so that a second run compiles
little; with ccache (CMAKE_CXX_COMPILER_LAUNCHER) each change costs one compilation.  The unit tests are built and must
pass.  Then changes are drawn by kind and line (changes.py), from the rooms that are computed on the CPU: of the command
and simulator/session, of pages' assets, of MPI's library and of CUDA nothing is drawn.  Of each the test program of its room
is asked; if it passes, those of the rooms above, and then models on the host as a device computes them
(cuda.on_the_host).  One that does not compile is drawn anew.  What only changes the text
of an evaluator, so that it no longer compiles, is seen by the build.

A change that no test can see because it changes no result is named in equivalent.txt, and counts for nothing.
The results are in --folder/results_SEED.json; --again asks only what survived there, after tests were added.
--own-room leaves out the rooms above.  Exit status 1 where more than --limit per cent (10) survive.
"""

import argparse
import collections
import dataclasses
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import time

import changes

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
SEED = 20260
# What a device computes, on the host: tests of ctest's, by one program.
ON_THE_HOST = "host_form"
# The test programs of each room, its own first, then of those above.
ASKED = {
    "core": ["test_core", "test_network", "test_solver", "test_mechanisms", "test_io", "test_simulator",
             ON_THE_HOST],
    "io": ["test_io"],
    "mechanisms": ["test_mechanisms", "test_simulator", ON_THE_HOST],
    "network": ["test_network", "exchange_traffic", "test_simulator", ON_THE_HOST],
    "simulator": ["test_simulator", ON_THE_HOST],
    "solver": ["test_solver", "test_batches", "test_simulator", ON_THE_HOST],
}
PROGRAMS = sorted({program for programs in ASKED.values() for program in programs})
NOT_DRAWN = re.compile(r"/cuda/|simulator/(command|session)/|nmodl/generator/|network/mpi/|core/program/command_line\."
                       r"|/assets/|without_cuda|/device\.hpp|_device\.hpp|unsupported_on_device|device_report")
OPTIONS = ["-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O1", "-DHILLOCK_AVX512=OFF",
           "-DHILLOCK_UNITY=OFF", "-DCMAKE_CUDA_COMPILER=NOTFOUND",
           "-DCMAKE_GTEST_DISCOVER_TESTS_DISCOVERY_MODE=PRE_TEST"]
BUILD_S = 1200
MEMORY_BYTES, FILE_BYTES = 8 << 30, 4 << 30
SURVIVED, UNCOMPILED = "SURVIVED", "does not compile"


@dataclasses.dataclass
class Ended:
    status: int  # 0: well
    output: str
    seconds: float


def limit_resources():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_BYTES, FILE_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(command, timeout_s, folder, limits=None):
    """A command with all that it starts, which ends when it does or is too late (status 124)."""
    started = time.monotonic()
    process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True,
                               preexec_fn=limits)
    try:
        output, _ = process.communicate(timeout=timeout_s)
        status = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        status = 124
    return Ended(status, output, time.monotonic() - started)


class Copy:
    """The tree once more, and its build."""

    def __init__(self, folder, jobs):
        self.tree, self.build_folder, self.jobs = folder / "tree", folder / "build", jobs
        self.seconds = {}  # what each program takes of the unchanged tree

    def follow(self):
        """Becomes the repository's tree; what is the same keeps its time."""
        listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=REPOSITORY,
                                capture_output=True, text=True, check=True).stdout.split("\0")
        names = {name for name in listed if name and (REPOSITORY / name).is_file()}
        for name in names:
            source, target = REPOSITORY / name, self.tree / name
            if not target.is_file() or target.read_bytes() != source.read_bytes():
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(source.read_bytes())
                target.chmod(source.stat().st_mode)
        for path in list(self.tree.rglob("*")):
            if path.is_file() and path.relative_to(self.tree).as_posix() not in names:
                path.unlink()

    def configure(self):
        ended = run(["cmake", "-S", self.tree, "-B", self.build_folder, *OPTIONS], BUILD_S, self.tree)
        if ended.status != 0:
            sys.exit(ended.output)

    def build(self, target, timeout_s=BUILD_S):
        return run(["ninja", "-C", self.build_folder, f"-j{self.jobs}", target], timeout_s, self.tree)

    def ask(self, program, timeout_s):
        if program == ON_THE_HOST:  # but for drawn models, whose script wants the command too
            return run(["ctest", "--test-dir", self.build_folder, "-R", "on_the_host", "-E", "event_models",
                        "--stop-on-failure", f"-j{self.jobs}"], timeout_s, self.tree)
        options = [] if program == "exchange_traffic" else ["--gtest_fail_fast"]
        return run([self.build_folder / "tests" / program, *options], timeout_s, self.build_folder / "tests",
                   limit_resources)

    def check_unchanged(self, programs):
        for program in programs:
            ended = self.build(program, None)
            if ended.status != 0:
                sys.exit(f"{ended.output}\n{program} is not built")
            ended = self.ask(program, 3600)
            if ended.status != 0:
                sys.exit(f"{ended.output}\n{program} fails without a change")
            self.seconds[program] = ended.seconds
            print(f"{program}: passes in {ended.seconds:.0f} s", flush=True)

    def patience_s(self, program):
        return 60 + 5 * self.seconds[program]


def what_failed(ended):
    """The test that saw it, as far as the output tells."""
    for pattern in (r"^\[  FAILED  \] ([\w/.]+)", r"^\s+\d+ - (\S+) \("):  # GoogleTest's, ctest's
        if failed := re.search(pattern, ended.output, re.M):
            return failed[1]
    begun = re.findall(r"^\[ RUN      \] ([\w/.]+)", ended.output, re.M)
    return f"{'late' if ended.status == 124 else 'crash'} in {begun[-1] if begun else 'main'}"


def is_compiler_of_nmodl(path):
    return path.startswith(("mechanisms/nmodl/", "core/"))


def outcome_of(copy, change, programs):
    """Who saw a change that is in the copy."""
    for program in programs:
        built = copy.build(program)
        if built.status == 124:
            return "the build: late"
        if built.status != 0:
            emits = is_compiler_of_nmodl(change.path) and copy.build("hillock-nmodl").status == 0
            return "the build: what NMODL becomes" if emits else UNCOMPILED
        ended = copy.ask(program, copy.patience_s(program))
        if ended.status != 0:
            return f"{program}: {what_failed(ended)}"
    return SURVIVED


def tried(copy, change, programs):
    path = copy.tree / change.path
    text = path.read_text(encoding="utf-8")
    path.write_text(changes.applied(text, change), encoding="utf-8")
    try:
        return outcome_of(copy, change, programs)
    finally:
        path.write_text(text, encoding="utf-8")


def room_of(change):
    return change.path.partition("/")[0]


def all_changes(tree):
    for room in sorted(ASKED):
        for path in sorted((tree / room).rglob("*")):
            name = path.relative_to(tree).as_posix()
            if path.suffix in (".cpp", ".hpp") and not NOT_DRAWN.search(name):
                yield from changes.changes_in(name, path.read_text(encoding="utf-8"))


class Results:
    """What earlier runs found, by change."""

    def __init__(self, file, again):
        self.file = file
        known = json.loads(file.read_text(encoding="utf-8")) if again and file.is_file() else []
        self.outcomes = {(entry["path"], entry["before"], entry["after"]): entry["outcome"] for entry in known}
        self.entries = []

    def known(self, change):
        """Nothing where it has to be asked (again): tests that saw it are still there."""
        outcome = self.outcomes.get((change.path, change.before, change.after))
        return None if outcome == SURVIVED else outcome

    def add(self, change, outcome):
        self.entries.append(dataclasses.asdict(change) | {"outcome": outcome})
        self.file.write_text(json.dumps(self.entries, indent=1, ensure_ascii=False), encoding="utf-8")


def print_row(number, change, outcome):
    print(f"{number:3} {change.path}:{change.line} {change.kind}\n      {change.before.strip()}\n    → "
          f"{change.after.strip()}\n      {outcome}", flush=True)


def print_summary(seed, counted, equivalent, limit_percent):
    survived = [change for change, outcome in counted if outcome == SURVIVED]
    by_kind = collections.Counter(change.kind for change, _ in counted)
    by_room = collections.Counter(room_of(change) for change, _ in counted)
    print(f"\nseed {seed}: {len(counted)} changes, {dict(sorted(by_room.items()))}, {dict(sorted(by_kind.items()))}")
    for change, reason in equivalent:
        print(f"equivalent: {change.path}:{change.line} {change.after.strip()}: {reason}")
    for change in survived:
        print(f"survived: {change.path}:{change.line} {change.kind}: {change.before.strip()} → {change.after.strip()}")
    percent = 100 * len(survived) / max(1, len(counted))
    print(f"{len(survived)} of {len(counted)} survive ({percent:.1f} %), {len(equivalent)} are equivalent")
    return percent <= limit_percent


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--changes", type=int, default=60, help="so many are counted")
    parser.add_argument("--folder", type=pathlib.Path, default=REPOSITORY / "build" / "mutation")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--limit", type=float, default=10, help="per cent that may survive")
    parser.add_argument("--again", action="store_true", help="ask only what survived, and what is new")
    parser.add_argument("--own-room", action="store_true", help="ask the room's own tests alone")
    parser.add_argument("--list", action="store_true", help="print what is drawn, and try nothing")
    return parser.parse_args()


def main():
    asked = options()
    drawn = changes.draw(list(all_changes(REPOSITORY)), asked.seed)
    if asked.list:
        for number, change in zip(range(asked.changes), drawn):
            print_row(number + 1, change, "")
        return 0
    folder = asked.folder.resolve()
    (folder / "tree").mkdir(parents=True, exist_ok=True)
    copy = Copy(folder, asked.jobs)
    copy.follow()
    copy.configure()
    copy.check_unchanged(PROGRAMS)
    equivalents = changes.Equivalents((pathlib.Path(__file__).parent / "equivalent.txt").read_text(encoding="utf-8"))
    results = Results(folder / f"results_{asked.seed}.json", asked.again)
    counted, equivalent = [], []
    for change in drawn:
        if len(counted) == asked.changes:
            break
        if reason := equivalents.reason(change):
            equivalent.append((change, reason))
            continue
        programs = ASKED[room_of(change)][:1 if asked.own_room else None]
        outcome = results.known(change) or tried(copy, change, programs)
        results.add(change, outcome)
        if outcome != UNCOMPILED:
            counted.append((change, outcome))
            print_row(len(counted), change, outcome)
    return 0 if print_summary(asked.seed, counted, equivalent, asked.limit) else 1


if __name__ == "__main__":
    sys.exit(main())
