#!/usr/bin/env python3
"""Every scalar of every example, changed in turn: dropped, retyped, wrong unit, negated, huge.

Each `hillock validate` must end within 2 s and 1 GiB, either content or with a placed error and exit
code 3. Never a crash, never an internal error.

--stride N takes every Nth scalar of files with more than 200 scalars (the whole is --stride 1).
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

import yaml

import harness

PLACED = re.compile(r"^(\S+?):\d+(:\d+)?: error: .+", re.M)
SECONDS, BYTES = 2.0, 1 << 30


def scalars(node):
    """All scalar values below a node, map values and list items."""
    if isinstance(node, yaml.ScalarNode):
        yield node
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from scalars(item)
    elif isinstance(node, yaml.MappingNode):
        for _, value in node.value:
            yield from scalars(value)


def mutations(text):
    """(name, new text) for one scalar as it is written."""
    bare = text.strip("\"'")
    yield "dropped", "''"
    yield "retyped to a list", "[1, 2]"
    yield "retyped to a word", "banana"
    yield "wrong unit", f"\"{bare.split(' ')[0]} furlong\""
    yield "other unit", f"\"{bare.split(' ')[0]} kg\""
    yield "negated", f"\"-{bare}\""
    yield "huge", f"\"{'9' * 30}{bare[len(bare.split(' ')[0]):]}\""
    yield "huge exponent", f"\"1e308{bare[len(bare.split(' ')[0]):]}\""


def measured(command):
    """(exit code, output, seconds, peak bytes) of one process."""
    import time
    read, write = os.pipe()
    started = time.monotonic()
    process = subprocess.Popen(command, stdout=write, stderr=write, stdin=subprocess.DEVNULL)
    os.close(write)
    chunks = []
    while chunk := os.read(read, 1 << 16):
        chunks.append(chunk)
    os.close(read)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return (process.returncode, b"".join(chunks).decode(errors="replace"),
            time.monotonic() - started, usage.ru_maxrss * 1024)


def try_one(case):
    folder, name, text, what = case
    path = folder / name
    path.write_text(text)
    code, output, seconds, peak = measured([str(harness.HILLOCK), "validate", str(path)])
    path.unlink()
    problems = []
    if code not in (0, 3):
        problems.append(f"exit code {code}")
    if code == 3 and not PLACED.search(output):
        problems.append("no placed error")
    # What counts is the program's own time: the machine may be busy with other tests.
    if seconds > SECONDS:
        code, output, seconds, peak = rerun(path, text)
        if seconds > SECONDS:
            problems.append(f"{seconds:.1f} s")
    if peak > BYTES:
        problems.append(f"{peak >> 20} MiB")
    return code, [f"{what}: {', '.join(problems)}\n{output[:600]}"] if problems else []


def rerun(path, text):
    path.write_text(text)
    result = measured([str(harness.HILLOCK), "validate", str(path)])
    path.unlink()
    return result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--stride", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    with harness.scratch() as scratch:
        root = pathlib.Path(scratch)
        shutil.copytree(harness.ROOT / "examples", root / "examples",
                        ignore=shutil.ignore_patterns("*.out"))
        cases = []
        for model in sorted((root / "examples").rglob("*.yaml")):
            text = model.read_text()
            found = list(scalars(yaml.compose(text, yaml.SafeLoader)))
            stride = options.stride if len(found) > 200 else 1
            for number, node in enumerate(found[::stride]):
                old = text[node.start_mark.index:node.end_mark.index]
                for kind, new in mutations(old):
                    changed = text[:node.start_mark.index] + new + text[node.end_mark.index:]
                    what = f"{model.relative_to(root)}:{node.start_mark.line + 1}: {old!r} {kind}"
                    cases.append((model.parent, f"{model.stem}.{number}.{kind.split()[0]}{len(cases)}"
                                  ".yaml", changed, what))
        accepted = 0
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for code, problems in pool.map(try_one, cases):
                accepted += code == 0
                for problem in problems:
                    harness.check(False, problem)
    print(f"{accepted} accepted, {len(cases) - accepted} rejected")
    harness.finish(len(cases), "mutations")


if __name__ == "__main__":
    sys.exit(main())
