#!/usr/bin/python3
"""Where NEURON keeps the numbers of a mechanism's instances, beside where a session that is handed over is read.

NEURON's compiler of .mod files says it in the C code that it writes; `hidden_names` says it of the text alone, of what
NEURON shows to nobody. Every file of the catalogue and of the comparison with NEURON.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from parity import skip

try:
    from hillock._neuron_mechanisms import hidden_names, is_threadsafe, named_behind
except ImportError as missing:
    skip(f"{missing.name} is missing")

ROOT = pathlib.Path(__file__).resolve().parents[2]
UNITS = "/usr/share/nrn/lib/nrnunits.lib"
#: RANDOM is of NEURON 9.
PASSED_OVER = {"neuron9_random"}


def translated(path, folder):
    """(the text, the C code that NEURON's compiler makes of it, or None where it refuses the file)"""
    text = path.read_text().replace("BBCOREPOINTER", "POINTER")
    for included in path.parent.glob("*.inc"):
        shutil.copy(included, folder)
    (folder / path.name).write_text(text)
    done = subprocess.run(["nocmodl", path.name], cwd=folder, env=dict(os.environ, MODLUNIT=UNITS),
                          capture_output=True, text=True)
    return text, None if done.returncode else (folder / f"{path.stem}.c").read_text()


def check(path, folder):
    text, code = translated(path, folder)
    if code is None:
        return None
    there = {name: int(at) for name, at in re.findall(r"^#define (\w+) _p\[(\d+)\]", code, re.M)}
    listed = re.search(r"static const char \*_mechanism\[\] = \{(.*?)\n\s*0\};", code, re.S)[1]
    name, *shown = re.findall(r'"([^"]*)"', listed)[1:]
    pointers, at, found = named_behind(text, "POINTER", "RANDOM"), 0, {}
    for variable in shown:
        bare, _, size = variable.partition("[")
        bare = bare.removesuffix(f"_{name}")
        if bare not in pointers:
            found[bare] = at
            at += int(size[:-1] or 1) if size else 1
    for bare, size in hidden_names(text):
        found.setdefault(bare, at)
        at += size
    wrong = {bare: (where, there.get(bare)) for bare, where in found.items()
             if there.get(bare, where) != where or (bare not in there and f"(_p + {where})" not in code)}
    if is_threadsafe(text) and "/* VECTORIZED */" not in code:
        wrong["functions"] = "they are not an instance's"
    print(f"{'WRONG' if wrong else 'ok'}: {path.name}: {len(found)} numbers", wrong or "")
    return not wrong


def main():
    if not shutil.which("nocmodl") or not pathlib.Path(UNITS).exists():
        skip("NEURON's compiler is missing (package neuron-dev)")
    files = sorted([*(ROOT / "mechanisms/catalogue").glob("*.mod"), *(ROOT / "tests/peer/mechanisms").glob("*.mod")])
    with tempfile.TemporaryDirectory(prefix="hillock-places-") as folder:
        results = [check(path, pathlib.Path(folder)) for path in files if path.stem not in PASSED_OVER]
    known = [result for result in results if result is not None]
    print(f"{sum(known)} of {len(known)} as NEURON has them; {len(results) - len(known)} that it does not compile")
    sys.exit(0 if all(known) and len(known) > 50 else 1)


if __name__ == "__main__":
    main()
