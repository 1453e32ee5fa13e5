#!/usr/bin/env python3
"""Makes docs/conformance.md of what tests have said, of other pages' tables and of processors.md beside this script.

  tests/conformance/conformance.py [--check]         the page, of what is kept in ran.json; --check: is it that page?
  tests/conformance/conformance.py --run BUILD       asks ctest in that folder first (build/release)
  tests/conformance/conformance.py --mutation FILE   takes in results_SEED.json of tests/mutation/mutation_run.py

What a test said is kept until it says something else; one that is skipped says nothing, so that a machine with GPUs can
add what it alone can try.
"""

import argparse
import ast
import collections
import datetime
import fnmatch
import json
import pathlib
import platform
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE, KEPT = ROOT / "docs/conformance.md", ROOT / "tests/conformance/ran.json"
ORDERS = "peer.order"
#: What may vary: [(tests of ctest, the file that says what they do)].
BYTES = {
    "Threads, epochs, instruction sets": [("command.determinism", "tests/command/determinism.py")],
    "Ranks": [("command.ranks", "tests/command/ranks.py"), ("command.rank_lists", "tests/command/rank_lists.py")],
    "Restarts": [("command.checkpoints", "tests/command/checkpoints.py"),
                 ("command.resume_anywhere", "tests/command/resume_anywhere.py"),
                 ("command.rank_checkpoints", "tests/command/rank_checkpoints.py")],
    "Engines": [("reference.*", "tests/simulator/reference/main.cpp"),
                ("cuda.*on_the_host.*", "tests/simulator/cuda/host_form/main.cpp"),
                ("cuda.on_the_host.event_models", "tests/simulator/event_models/on_engines.py"),
                ("command.same_on_cuda", "tests/command/same_on_cuda.py"),
                ("command.ranks_on_cuda", "tests/command/ranks_on_cuda.py")],
    "What a model is written as": [("command.own_sizes", "tests/command/own_sizes.py"),
                                   ("command.record_slices", "tests/command/record_slices.py"),
                                   ("command.sweeps", "tests/command/sweeps.py")],
}
COUNTED = {"MODELS": "model", "VARIANTS": "variant", "RUNS": "run"}
ORDER_ROW = re.compile(r"(?:ok  |FAIL) (\w+) +order of the ([\w ]+) at the \w+, .* ([\d.]+) +(\S+) \.\. (\S+)")


def tests_in(pattern, names):
    """Those that another row names by themselves are that row's."""
    alone = {one for rows in BYTES.values() for one, _ in rows}
    return sorted(name for name in names if fnmatch.fnmatchcase(name, pattern)
                  and (name == pattern or name not in alone))


def run(build, kept):
    """Has ctest run all that the page names."""
    patterns = [ORDERS, *(pattern for rows in BYTES.values() for pattern, _ in rows)]
    names = "|".join(re.escape(pattern).replace(r"\*", ".*") for pattern in patterns)
    with tempfile.TemporaryDirectory() as folder:
        said = pathlib.Path(folder) / "said.xml"
        subprocess.run(["ctest", "--test-dir", build, "-R", f"^({names})$", "--output-junit", said,
                        "--test-output-size-passed", "1000000"], check=False)
        cases = xml.etree.ElementTree.parse(said).getroot().findall("testcase")
    of = {"commit": output_of("git", "rev-parse", "--short=8", "HEAD"), "date": str(datetime.date.today()),
          "machine": machine()}
    for case in cases:
        status = {"run": "passed", "fail": "failed"}.get(case.get("status"))
        if status:
            kept["tests"][case.get("name")] = {"status": status, **of}
        if status and case.get("name") == ORDERS:
            kept["orders"] = orders_in(case.findtext("system-out"))


def output_of(*command):
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def machine():
    try:
        name = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())[1].strip()
    except (OSError, TypeError):
        name = platform.processor()
    gpu = subprocess.run("nvidia-smi --query-gpu=name --format=csv,noheader", shell=True, capture_output=True, text=True)
    return ", ".join([name, platform.machine(), *gpu.stdout.splitlines()[:1]])


def orders_in(text):
    """[[integrator, of what, the least order, the greatest, asked for, how many]]"""
    found = collections.defaultdict(list)
    for integrator, what, order, low, high in ORDER_ROW.findall(text):
        found[integrator, what, f"{low} to {high}"].append(float(order))
    return [[integrator, what, min(all_), max(all_), asked, len(all_)]
            for (integrator, what, asked), all_ in found.items()]


def take_mutation(path, kept):
    outcomes = [one["outcome"] for one in json.loads(path.read_text())]
    counted = [one for one in outcomes if one != "does not compile"]
    kept["mutation"] = {"changes": len(counted), "survived": counted.count("SURVIVED"),
                        "seed": int(re.search(r"(\d+)\.json", path.name)[1]), "date": str(datetime.date.today()),
                        "commit": output_of("git", "rev-parse", "--short=8", "HEAD")}


def what_it_does(path):
    """What a script or a source says of itself in its first paragraph, but for when it is skipped."""
    text = (ROOT / path).read_text()
    if path.endswith(".py"):
        text = ast.get_docstring(ast.parse(text)).split("\n\n")[0]
    else:
        text = re.sub(r"^//", "", re.search(r"^(//.+\n)+", text, re.M)[0], flags=re.M)
    sentences = re.split(r"(?<=[.?]) +", " ".join(text.split()))
    return " ".join(one for one in sentences if not one.startswith("Skipped") and ".py " not in one)


def counts_in(path):
    """How many models and variants it has, as it lists them."""
    if not path.endswith(".py"):
        return ""
    found = []
    for node in ast.parse((ROOT / path).read_text()).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in COUNTED and \
                isinstance(node.value, (ast.List, ast.Dict, ast.Tuple)):
            count = len(getattr(node.value, "elts", None) or node.value.keys)
            found.append(f"{count} {COUNTED[node.targets[0].id]}s")
    return ", ".join(found)


def table(head, rows):
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in [head, ["---"] * len(head), *rows])


def section(path, title):
    """What a page has under a heading of level 2."""
    return re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", (ROOT / path).read_text(), re.M | re.S)[1].strip()


def tables(text):
    return ["\n".join(lines.splitlines()) for lines in re.findall(r"(?:^\|.*\n?)+", text, re.M)]


def bytes_part(kept):
    parts, machines = [], {}
    for what, rows in BYTES.items():
        lines = []
        for pattern, path in rows:
            known = [kept["tests"][name] for name in tests_in(pattern, kept["tests"])]
            for one in known:
                machines.setdefault((one["machine"], one["commit"], one["date"]), len(machines) + 1)
            passed = sum(one["status"] == "passed" for one in known)
            where = sorted({machines[one["machine"], one["commit"], one["date"]] for one in known})
            lines.append([f"`{pattern}`", what_it_does(path) + (f" ({counts})" if (counts := counts_in(path)) else ""),
                          f"{passed} of {len(known)} ({', '.join(map(str, where))})" if known else "no run is kept"])
        parts.append(f"### {what}\n\n" + table(["test", "what it does", "passed"], lines))
    said = [f"{number}. {name}, commit {commit}, {date}" for (name, commit, date), number in machines.items()]
    return "\n\n".join([*parts, "Where that was:\n\n" + "\n".join(said)])


def orders_part(kept):
    rows = [[f"`{integrator}`", what, f"{low:g} to {high:g}", asked, count]
            for integrator, what, low, high, asked, count in kept["orders"]]
    return table(["integrator", "error of the", "order in dt", "asked for", "halvings and places"], rows)


def modeldb_part():
    sums = tables(section("docs/modeldb.md", "Sums"))
    entries = [[cell.strip() for cell in line.strip("|").split("|")]
               for line in section("docs/modeldb.md", "Entries").splitlines() if re.match(r"\| \d", line)]
    kinds = collections.Counter(entry[1].partition(",")[0] for entry in entries)
    head, *of_sums = [[cell.strip() for cell in line.strip("|").split("|")] for line in sums[1].splitlines()]
    for column, kind in enumerate(head[1:-1], 1):
        told = sum(int(row[column]) for row in of_sums[1:])
        if told != kinds[kind]:
            sys.exit(f"docs/modeldb.md: {told} are {kind} by its sums, and {kinds[kind]} by its list of entries")
    timed = [(float(entry[4]), float(entry[5])) for entry in entries if entry[4] and entry[5]]
    theirs, ours = map(sum, zip(*timed))
    return (f"{sums[1].strip()}\n\nThe loops of the {len(timed)} entries that the list has times of take NEURON "
            f"{theirs:.1f} s and Hillock {ours:.1f} s on one thread, {theirs / ours:.1f} times. "
            "[modeldb.md](modeldb.md) has each entry, and what the words mean.")


def mutation_part(kept):
    one = kept.get("mutation")
    if not one:
        return "No run is kept. "
    percent = 100 * one["survived"] / max(1, one["changes"])
    return (f"Of {one['changes']} small changes of product code, drawn by line and kind (seed {one['seed']}), tests "
            f"see {one['changes'] - one['survived']}; {one['survived']} survive ({percent:.0f} %, at most 10 may). "
            f"Commit {one['commit']}, {one['date']}. ")


def page(kept):
    processors = (ROOT / "tests/conformance/processors.md").read_text().strip()
    return f"""# Conformance

What of Hillock's results is the same wherever and however they are computed, and how that was tried. `tests/conformance/conformance.py` makes this page of what tests said, of tables of other pages and of a list of processors; a test (`architecture.conformance`) fails where it is no longer what these say.

## The same bytes

`spikes.h5` and every report are compared byte for byte. What is said here may be read in [ARCHITECTURE.md](ARCHITECTURE.md#contracts), too.

{bytes_part(kept)}

### Processors

{processors}

## Orders of the integrators

A cell with hh that spikes twice, four steps of which each is half of the one before, against the finest (`tests/peer/order.py`).

{orders_part(kept)}

Mechanisms that step implicitly have theirs in `tests/peer/mechanism_order.py`.

## Published models

{modeldb_part()}

## Published .mod files

{tables(section("docs/mod-sweep.md", "Result"))[0].strip()}

[mod-sweep.md](mod-sweep.md) says what is good, and what stands in the way of the rest.

## What tests see

{mutation_part(kept)}`tests/mutation/mutation_run.py` changes a sign, an index, a constant or the like, one at a time, and asks the unit tests, then models on the host as a device computes them.
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", metavar="BUILD", type=pathlib.Path)
    parser.add_argument("--mutation", metavar="FILE", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {"tests": {}, "orders": []}
    if options.run:
        run(options.run, kept)
    if options.mutation:
        take_mutation(options.mutation, kept)
    if options.run or options.mutation:
        KEPT.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n")
    text = page(kept)
    if options.check:
        if PAGE.read_text() != text:
            sys.exit("docs/conformance.md is not what tests/conformance/conformance.py makes: run it")
        return
    PAGE.write_text(text)


if __name__ == "__main__":
    main()
