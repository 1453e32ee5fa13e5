#!/usr/bin/env python3
"""Every scalar of every example and of the library files that examples include, changed in turn:
dropped, retyped, wrong unit, negated, huge.

Each `hillock validate` must end within 2 s of processor time and 1 GiB, either content or with a placed error and exit
code 3. Never a crash, never an internal error.

--stride N takes every Nth scalar of files with more than 200 scalars, --every N every Nth change (the whole: 1 and 1).
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

import harness

harness.need("yaml")
import yaml  # noqa: E402

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


def measured(command, environment):
    """(exit code, output, seconds of processor time, peak bytes) of one process."""
    read, write = os.pipe()
    process = subprocess.Popen(command, stdout=write, stderr=write, stdin=subprocess.DEVNULL,
                               env=environment)
    os.close(write)
    chunks = []
    while chunk := os.read(read, 1 << 16):
        chunks.append(chunk)
    os.close(read)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return (process.returncode, b"".join(chunks).decode(errors="replace"),
            usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


class Case:
    """One changed file: an example itself, or a library file that the example includes."""

    def __init__(self, example, changed, whole, span, new, what, number):
        self.example, self.changed = example, changed
        self.whole, self.span, self.new = whole, span, new
        self.what, self.number = what, number

    def text(self):
        begin, end = self.span
        return self.whole[:begin] + self.new + self.whole[end:]

    def validate(self, root):
        environment = dict(os.environ)
        if self.changed == self.example:
            model = self.example.parent / f"mutation{self.number}.yaml"
            model.write_text(self.text())
            remove = model.unlink
        else:
            model = self.example
            library = root / f"library{self.number}"
            library.mkdir()
            for path in self.changed.parent.iterdir():
                (library / path.name).symlink_to(path)
            (library / self.changed.name).unlink()
            (library / self.changed.name).write_text(self.text())
            environment["HILLOCK_LIBRARY"] = str(library)
            remove = lambda: shutil.rmtree(library)
        result = measured([str(harness.HILLOCK), "validate", str(model)], environment)
        remove()
        return result

    def run(self, root):
        """(accepted, problems)"""
        code, output, seconds, peak = self.validate(root)
        problems = []
        if code not in (0, 3):
            problems.append(f"exit code {code}")
        if code == 3 and not PLACED.search(output):
            problems.append("no placed error")
        if seconds > SECONDS:
            problems.append(f"{seconds:.1f} s")
        if peak > BYTES:
            problems.append(f"{peak >> 20} MiB")
        return code == 0, [f"{self.what}: {', '.join(problems)}\n{output[:600]}"] if problems else []


def cases_of(root, stride_of_long):
    models = sorted((root / "examples").rglob("*.yaml"))
    files = [(model, model) for model in models]
    for model in models:
        for name in re.findall(r"library:(\S+\.yaml)", model.read_text()):
            files.append((model, harness.ROOT / "models/library" / name))
    cases = []
    for example, changed in files:
        text = changed.read_text()
        found = list(scalars(yaml.compose(text, yaml.SafeLoader)))
        for node in found[::stride_of_long if len(found) > 200 else 1]:
            old = text[node.start_mark.index:node.end_mark.index]
            for kind, new in mutations(old):
                cases.append(Case(example, changed, text,
                                  (node.start_mark.index, node.end_mark.index), new,
                                  f"{changed.name}:{node.start_mark.line + 1}: {old!r} {kind}",
                                  len(cases)))
    return cases


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--stride", type=int, default=1)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    with harness.scratch() as scratch:
        root = pathlib.Path(scratch)
        shutil.copytree(harness.ROOT / "examples", root / "examples",
                        ignore=shutil.ignore_patterns("*.out"))
        cases = cases_of(root, options.stride)[::options.every]
        accepted = 0
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for valid, problems in pool.map(lambda case: case.run(root), cases):
                accepted += valid
                for problem in problems:
                    harness.check(False, problem)
    print(f"{accepted} accepted, {len(cases) - accepted} rejected")
    harness.finish(len(cases), "mutations")


if __name__ == "__main__":
    sys.exit(main())
