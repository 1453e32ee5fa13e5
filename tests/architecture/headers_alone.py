#!/usr/bin/env python3
"""Compiles every header by itself with a second compiler, clang, with what the build gives to all units, and fails with
its words where one does not include what it needs, or where it warns.

  headers_alone.py ROOT BUILD [--time] [HEADER ...]

BUILD has compile_commands.json and the headers that it emits; HEADER, as it is included: these alone.

A header that many include is precompiled, which is its own test, and so are some sets of headers of the standard
library; those that include it, or all of a set, begin from there, and still see nothing but what they include. Those
that begin from the same stand in chains, each before one that includes it; they are read by one compiler, chain by
chain, and compiled by themselves where it minds any. Kernels begin from the words that CUDA C++ has beside C++
(device_words.hpp).
What newer standard libraries give to those alone who ask for it is looked for in the text (GIVEN_BY), of source files
too: clang reads the library that is here, which may be an older one.

Exits with 77 where there is no clang++ of 16 or later, or where a library is missing that headers include;
REQUIRE_PEERS=1 makes the first a failure."""

import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
from needs import SKIPPED, peers_are_required  # noqa: E402

OLDEST = 16
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]')
CONDITION = re.compile(r"^\s*#\s*(if|endif)")
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
WORDS_OF_DEVICE = "simulator/backends/host/device_words.hpp"
OF_DEVICE = re.compile(r"^[^/#]*\b__(device|global|shared)__")
# What a precompiled header must save others, in the units of Compilation.weight.
WORTH_IT = 30
# Chains of headers that one call of the compiler reads.
AT_ONCE = 16
# What of the standard library takes little.
LIGHT = {"cerrno", "cmath", "compare", "concepts", "cstddef", "cstdint", "cstdio", "cstdlib", "cstring", "exception",
         "initializer_list", "limits", "new", "type_traits", "utility"}
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wnon-virtual-dtor", "-Wshadow", "-Werror"]
# What GCC 13 and 14 gave up including in other headers of the standard library.
GIVEN_BY = {
    "cstdint": re.compile(r"\bu?int(_fast|_least)?(8|16|32|64)_t\b|\bu?int(ptr|max)_t\b"),
    "stdexcept": re.compile(r"\bstd::(runtime|logic|range|domain|length|overflow|underflow)_error\b|"
                            r"\bstd::(invalid_argument|out_of_range)\b"),
    "algorithm": re.compile(
        r"\bstd::(ranges::)?(all_of|any_of|none_of|adjacent_find|binary_search|clamp|copy_if|count|count_if|equal_range|"
        r"find|find_if|find_if_not|find_first_of|for_each|generate|includes|inplace_merge|is_sorted|max_element|"
        r"min_element|minmax|minmax_element|merge|next_permutation|nth_element|partial_sort|partition|"
        r"partition_point|remove|remove_if|replace|replace_if|reverse|rotate|search|set_difference|"
        r"set_intersection|set_union|shuffle|sort|stable_partition|stable_sort|transform|unique|unique_copy|"
        r"upper_bound)\("),
}


def compiler():
    """clang++ of the oldest version that Hillock is built with, if it is here; else any that is not older."""
    for name in [f"clang++-{version}" for version in range(OLDEST, OLDEST + 10)] + ["clang++"]:
        if shutil.which(name):
            said = subprocess.run([name, "--version"], capture_output=True, text=True).stdout
            found = re.search(r"clang version (\d+)", said)
            if found and int(found.group(1)) >= OLDEST:
                return name
    return None


class Sources:
    """The project's files and what they include."""

    def __init__(self, root, build):
        self.folders = [root, build / "generated", build / "tests/generated"]
        self.names = {}  # of a file, as it is included: its path
        for folder in self.folders:
            for path in sorted(folder.rglob("*.?pp")):
                name = path.relative_to(folder).as_posix()
                if not name.startswith(("build/", ".")) and (folder == root) == (build not in path.parents):
                    self.names.setdefault(name, path)
        self.headers = [name for name in self.names if name.endswith(".hpp")]
        self.direct = {name: self._read(name) for name in self.names}
        self.closures = {}

    def _read(self, name):
        """What a file includes: of the project, of libraries, those whatever is defined; and whether it needs the words
        of a device."""
        own, libraries, always, depth, of_device = [], set(), set(), 0, False
        for line in self.names[name].read_text().splitlines():
            if found := CONDITION.match(line):
                depth += 1 if found.group(1) == "if" else -1
            elif found := INCLUDE.match(line):
                if found.group(1) == "<":
                    libraries.add(found.group(2))
                    if depth == 0:
                        always.add(found.group(2))
                elif found.group(2) in self.names:
                    own.append(found.group(2))
            elif depth == 0 and OF_DEVICE.match(line):
                of_device = True
        return own, libraries, always, of_device

    def closure(self, name):
        """The project's files that a file includes, itself or through others, with itself."""
        if name not in self.closures:
            seen, left = set(), [name]
            while left:
                if (here := left.pop()) not in seen:
                    seen.add(here)
                    left.extend(self.direct[here][0])
            self.closures[name] = seen
        return self.closures[name]

    def libraries(self, name):
        return set().union(*(self.direct[part][1] for part in self.closure(name)))

    def standard_headers(self, name):
        """Those that a file includes whatever is defined."""
        return frozenset(library for part in self.closure(name) for library in self.direct[part][2]
                         if re.fullmatch("[a-z_]+", library))

    def is_of_device(self, name):
        return any(self.direct[part][3] for part in self.closure(name)) and WORDS_OF_DEVICE not in self.closure(name)

    def missing_by_name(self):
        """Yields (file, what of the standard library it names, who would give it)."""
        for name, path in self.names.items():
            text = COMMENT.sub("", path.read_text())
            for header, names in GIVEN_BY.items():
                if (found := names.search(text)) and header not in self.libraries(name):
                    yield name, found.group(0).rstrip("("), header


def options_of_build(build):
    """The folders that units of the build look into, and the definitions that most of them have."""
    units = [unit for unit in json.loads((build / "compile_commands.json").read_text())
             if unit["file"].endswith((".cpp", ".cxx"))]
    folders, definitions = {}, {}
    for unit in units:
        words = shlex.split(unit["command"])
        for word, after in zip(words, words[1:] + [""]):
            if word == "-isystem":
                folders[("-isystem", os.path.join(unit["directory"], after))] = None
            elif word.startswith("-I"):
                folders[("-I", os.path.join(unit["directory"], word[2:]))] = None
            elif word.startswith("-D"):
                definitions[word] = definitions.get(word, 0) + 1
    return [word for folder in folders for word in folder] + [word for word, count in definitions.items()
                                                              if 2 * count > len(units)]


class Compilation:
    """Of all headers, several at a time, those first that others begin from."""

    def __init__(self, sources, command, folder):
        self.sources = sources
        self.command = command
        self.folder = pathlib.Path(folder)
        # What the driver calls, which reads several headers one by one; it is to give memory back after each.
        said = self._compile([*command, "-###", "-fsyntax-only", "-x", "c++-header", os.devnull]).stderr
        self.reader = [word for word in shlex.split(said.splitlines()[-1]) if word not in ("-disable-free", os.devnull)]
        # What a header takes goes with what it includes, of the standard library above all.
        self.weight = {name: len(sources.closure(name)) + self._weight_of(sources.libraries(name))
                       for name in sources.headers}
        self.base = self._bases()  # the header that another begins from
        self.precompiled = set(self.base.values())
        self.done = {}  # by header: what says how it went
        self.seconds = {}

    @staticmethod
    def _weight_of(libraries):
        return sum(1 if library in LIGHT else 6 for library in libraries)

    def _bases(self):
        """Of headers that are worth it, and of sets of headers of the standard library, those that include them begin
        from the one with most in it. None begins from one that began from another: clang 16 breaks down where many do.
        """
        weight = dict(self.weight)
        includers = {name: [] for name in self.sources.headers}
        sets = {self.sources.standard_headers(name) for name in self.sources.headers}
        for libraries in sets:
            weight[libraries] = self._weight_of(libraries)
            includers[libraries] = []
        for name in self.sources.headers:
            if not self.sources.is_of_device(name):
                for part in self.sources.closure(name) - {name}:
                    if part in includers and name not in self.sources.closure(part):
                        includers[part].append(name)
                mine = self.sources.standard_headers(name)
                for libraries in sets:
                    if libraries <= mine:
                        includers[libraries].append(name)
        base, saved, chosen = {}, dict.fromkeys(includers, 0), set()
        for libraries in sets:  # which nobody wants by themselves
            saved[libraries] = weight[libraries]
        while True:
            gain = {part: sum(max(0, weight[part] - saved[name]) for name in names if name not in chosen) - saved[part]
                    for part, names in includers.items() if part not in chosen}
            best = max(gain, key=lambda part: (gain[part], str(part)))
            if gain[best] < WORTH_IT:
                return base
            base.pop(best, None)
            chosen.add(best)
            for name in includers[best]:
                if name not in chosen and saved[name] < weight[best]:
                    base[name], saved[name] = best, weight[best]

    def archive(self, name):
        name = " ".join(sorted(name)) if isinstance(name, frozenset) else name.replace("/", "+")
        return self.folder / (name + ".pch")

    def _kept(self, name):
        """What is instantiated is kept too, or all that begin from here would do so again: three quarters of their time.
        """
        return ["-fpch-instantiate-templates", "-o", str(self.archive(name))]

    def are_good(self, chains):
        """Whether one compiler takes headers that begin from the same; it reads one chain after the other, and forgets
        each."""
        words, first = list(self.reader), chains[0][0]
        base = self.base.get(first)
        if base:
            words += ["-include-pch", str(self.archive(base))]
        if self.sources.is_of_device(first):
            words += ["-include", WORDS_OF_DEVICE]
        begin = time.monotonic()
        good = ((not base or self.done[base].result()[0] == "good") and
                self._compile([*words, *(str(self._source_of(chain)) for chain in chains)]).returncode == 0)
        self.seconds[f"{first} and {sum(map(len, chains)) - 1} more"] = time.monotonic() - begin
        return good

    def _source_of(self, chain):
        """A header, or what includes a chain of them."""
        if len(chain) == 1:
            return self.sources.names[chain[0]]
        source = self.archive(chain[-1]).with_suffix(".hpp")
        source.write_text("".join(f'#include "{name}"\n' for name in chain))
        return source

    def _chains(self, names):
        """As few chains as there can be, in which each header but the first includes the one before it: it sees nothing
        by it that it does not include."""
        includers = {name: [other for other in names if other != name and name in self.sources.closure(other)
                            and other not in self.sources.closure(name)] for name in names}
        before = {}  # of a header: the one that stands before it

        def find(name, tried):
            for other in includers[name]:
                if other not in tried:
                    tried.add(other)
                    if other not in before or find(before[other], tried):
                        before[other] = name
                        return True
            return False

        followed = {name for name in names if find(name, set())}
        chains = []
        for name in names:
            if name not in followed:
                chains.append([name])
                while chains[-1][0] in before:
                    chains[-1].insert(0, before[chains[-1][0]])
        return chains

    def _groups(self):
        """Headers that nobody begins from, of those that begin from the same up to AT_ONCE chains."""
        groups = {}
        for name in self.sources.headers:
            if name not in self.precompiled:
                groups.setdefault((self.base.get(name), self.sources.is_of_device(name)), []).append(name)
        return [chains[k:k + AT_ONCE] for chains in map(self._chains, groups.values())
                for k in range(0, len(chains), AT_ONCE)]

    def precompile(self, libraries):
        """A set of headers of the standard library."""
        source = self.archive(libraries).with_suffix(".hpp")
        source.write_text("".join(f"#include <{library}>\n" for library in sorted(libraries)))
        done = self._compile([*self.command, "-x", "c++-header", str(source), *self._kept(libraries)])
        return "wrong" if done.returncode else "good", done.stderr

    def compile(self, name):
        """(verdict, the compiler's words): "good", "wrong", "left out" or "behind" one that is wrong."""
        for part in self.sources.closure(name) - {name}:
            if part in self.done and self.done[part].done() and self.done[part].result()[0] != "good":
                verdict = self.done[part].result()
                return ("behind", "") if verdict[0] == "wrong" else verdict
        words = [*self.command, "-x", "c++-header", str(self.sources.names[name])]
        base = self.base.get(name)
        begins = ["-include-pch", str(self.archive(base))] if base and self.done[base].result()[0] == "good" else []
        if self.sources.is_of_device(name):
            words += ["-include", WORDS_OF_DEVICE]
        words += self._kept(name) if name in self.precompiled else ["-fsyntax-only"]
        begin = time.monotonic()
        done = self._compile([*words, *begins])
        if done.returncode and begins:  # the words of a plain compilation
            done = self._compile(words)
        self.seconds[name] = time.monotonic() - begin
        if found := re.search(r"fatal error: '([^']+)' file not found", done.stderr):
            if found.group(1) not in self.sources.names and any(
                    found.group(1) in self.sources.direct[part][1] for part in self.sources.closure(name)):
                return "left out", found.group(1)
        return "wrong" if done.returncode else "good", done.stderr

    def _compile(self, words):
        return subprocess.run(words, capture_output=True, text=True, cwd=self.sources.folders[0])

    def run(self, at_once):
        with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
            for libraries in self.precompiled.difference(self.sources.headers):
                self.done[libraries] = pool.submit(self.precompile, libraries)
            by_closure = sorted(self.sources.headers, key=lambda name: (len(self.sources.closure(name)), name))
            for name in by_closure:
                if name in self.precompiled:
                    self.done[name] = pool.submit(self.compile, name)
            together = [(chains, pool.submit(self.are_good, chains)) for chains in self._groups()]
            good = {name for chains, are_good in together if are_good.result() for chain in chains for name in chain}
            for name in by_closure:
                if name not in good and name not in self.precompiled:
                    self.done[name] = pool.submit(self.compile, name)
        return {name: ("good", "") if name in good else self.done[name].result() for name in by_closure}


def main():
    root, build = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    clang = compiler()
    if not clang:
        print(f"left out: no clang++ of {OLDEST} or later is here. On Debian: apt-get install clang-{OLDEST}")
        sys.exit(1 if peers_are_required() else SKIPPED)
    sources = Sources(root, build)
    if len(sources.headers) < 20:
        sys.exit(f"only {len(sources.headers)} headers found below {root}: wrong folder?")
    if only := [word for word in sys.argv[3:] if word != "--time"]:
        sources.headers = only
    unasked = list(sources.missing_by_name())
    for name, what, header in unasked:
        print(f"{name}: names {what}, and neither it nor what it includes includes <{header}>")
    command = [clang, "-std=c++20", *WARNINGS, *options_of_build(build)]
    with tempfile.TemporaryDirectory(prefix="headers-", dir=build) as folder:
        compilation = Compilation(sources, command, folder)
        begin = time.monotonic()
        results = compilation.run(len(os.sched_getaffinity(0)))
        if "--time" in sys.argv:
            megabytes = sum(path.stat().st_size for path in pathlib.Path(folder).iterdir()) / 1e6
            print(f"{time.monotonic() - begin:.1f} s, {sum(compilation.seconds.values()):.1f} s of compilers; "
                  f"{len(compilation.precompiled)} precompiled, {megabytes:.0f} MB")
            for name in sorted(compilation.seconds, key=compilation.seconds.get)[-12:]:
                print(f"  {compilation.seconds[name]:.2f} s {name}")
    wanting = {}
    for name, (verdict, words) in results.items():
        if verdict == "wrong":
            print(f"{name} by itself:\n{words}")
        elif verdict == "left out":
            wanting.setdefault(words, []).append(name)
    for library, names in wanting.items():
        print(f"left out, for want of <{library}>: {', '.join(names)}")
    count = {verdict: sum(1 for result in results.values() if result[0] == verdict)
             for verdict in ("good", "wrong", "behind")}
    print(f"{clang}: {count['good']} headers by themselves, {count['wrong']} do not compile, {count['behind']} include "
          f"one of these; {len(unasked)} files name what they do not include")
    sys.exit(1 if count["wrong"] or unasked else SKIPPED if wanting else 0)


if __name__ == "__main__":
    main()
