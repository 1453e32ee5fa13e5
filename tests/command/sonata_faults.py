#!/usr/bin/env python3
"""SONATA circuits whose files hold what a reader may pass over: each is read as it is meant, or refused or warned of
with the place."""

import json
import pathlib
import re
import shutil
import subprocess

import h5py
import numpy as np

import harness
import sonata

checks = 0


def expect(folder, words, *, code=3, command="validate", where="config.json", no=None, cwd=None):
    """The command answers with this code and says the words (a pattern); returns what it said."""
    global checks
    checks += 1
    rest = ["-o", folder / "as/model.yaml"] if command == "import" else []
    done = subprocess.run([harness.HILLOCK, command, (folder / where) if cwd is None else where, *rest], cwd=cwd,
                          capture_output=True, text=True, timeout=60)
    harness.check(done.returncode == code and re.search(words, done.stderr) and not (no and no in done.stderr),
                  f"{folder.name}: wanted {code} and '{words}'{f' without {no}' if no else ''}, "
                  f"not {done.returncode} {done.stderr}")
    return done.stderr


def change(folder, file, old, new):
    path = folder / file
    text = path.read_text()
    harness.check(old in text, f"{file} has {old}")
    path.write_text(text.replace(old, new))


def imported(folder):
    """The model that a circuit becomes, and its tables."""
    expect(folder, "", code=0, command="import")
    return ((folder / "as/model.yaml").read_text(),
            {path.name: path.read_text() for path in (folder / "as/model_data").glob("*")})


def check_variables(fresh):
    folder = fresh("configdir")
    expect(folder, "", code=0, where=f"{folder.name}/config.json", cwd=folder.parent)
    for number, (manifest, words) in enumerate([
            ({"$NET": "x$NET"}, r"circuit.json:\d+:\d+: error: \$NET is made of itself: \$NET -> \$NET"),
            ({"$NET": "${A}/b", "$A": "$B", "$B": "c/$NET"}, r"\$NET -> \$A -> \$B -> \$NET"),
            ({"$NET": "$V0", **{f"$V{k}": f"$V{k + 1}" * 8 for k in range(20)}, "$V20": "a"}, "longer than 65536"),
            ({"$NET": "$V0", **{f"$V{k}": f"$V{k + 1}" for k in range(500)}}, "more than 100 variables")]):
        folder = fresh(f"manifest_{number}")
        circuit = json.loads((folder / "circuit.json").read_text())
        circuit["manifest"].update(manifest)
        (folder / "circuit.json").write_text(json.dumps(circuit))
        expect(folder, words)


def check_mechanisms(fresh):
    """A circuit's own .mod file is found whatever stands in its title and comments."""
    own = sonata.MOD.replace("alpha_syn", "exp2syn").replace("tau = 1 (ms)", "tau = 1 (ms) tau1 = 1 (ms) tau2 = 2 (ms)")
    for name, text in (("title", "TITLE a POINT_PROCESS of its own\n" + own),
                       ("comment", "COMMENT\nSUFFIX hh\nENDCOMMENT\n" + own), ("colon", ": POINT_PROCESS pas\n" + own)):
        folder = fresh("mod_" + name)
        (folder / "parts/mods/modfiles/own.mod").write_text(text)
        model, _ = imported(folder)
        harness.check("own.mod" in model, f"{name}: the circuit's own exp2syn is taken: {model[:300]}")
    folder = fresh("mod_broken")
    (folder / "parts/mods/modfiles/own.mod").write_text("COMMENT does not end\nNEURON { POINT_PROCESS exp2syn }\n")
    expect(folder, r"own.mod:\d+:\d+: error")
    folder = fresh("mod_folder")
    change(folder, "circuit.json", "$PARTS/mods", "$PARTS/nowhere")
    expect(folder, r"components.mechanisms_dir: there is no folder '.*parts/nowhere'")


def check_shapes(fresh):
    folder, plain = fresh("swc_cr"), fresh("swc_plain")
    (folder / "parts/swc/shape.swc").write_bytes(sonata.SWC.replace("\n", "\r").encode())
    harness.check(imported(folder)[0] == imported(plain)[0], "line ends of an SWC file change no cell")
    folder = fresh("swc_broken")
    change(folder, "parts/swc/shape.swc", "5 3 0 130", "5 3 0 far")
    expect(folder, r"shape.swc:5:\d+: error")


def main():
    with harness.scratch() as name:
        base = pathlib.Path(name) / "base"
        base.mkdir()
        sonata.make(base)

        def fresh(case):
            return pathlib.Path(shutil.copytree(base, pathlib.Path(name) / case))

        for check in (check_variables, check_mechanisms, check_shapes):
            check(fresh)
    harness.finish(checks, "circuits")


if __name__ == "__main__":
    main()
