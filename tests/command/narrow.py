#!/usr/bin/env python3
"""What the command prints fits the terminal, at 80, 60 and 40 columns: no line is longer, but for a
word that is longer by itself. Elsewhere errors are lines of their own."""

import fcntl
import os
import pathlib
import pty
import struct
import subprocess
import termios

import harness

RING = (harness.ROOT / "examples/ring/ring.yaml").read_text()
BROKEN = """hillock: 1
run: {durations: 1 s, seeds: 3, solver: gauss_seidel, precision: half, dt: 0.025 mV}
cells: {ball: {morphology: {swc: no_such_morphology.swc}, regions: {all: {cm: 1 uF/cm2, hh: {gnabarr: 0.1 S/cm2}}}}}
populations: {balls: {cell: bal, size: -3}}
"""
MOD = """NEURON { SUFFIX broken RANGE gbar, eeee USEION ca READ eca WRITE ica }
PARAMETER { gbar = 1 (S/cm2) }
BREAKPOINT { ica = gbar * (v - ecaa) + undefined_thing_of_a_long_name * another_undefined_thing }
"""
COMMANDS = [["--help"], ["run", "--help"], ["info", "--help"], ["mech", "--help"], ["validate", "m.yaml"],
            ["validate", "broken.yaml"], ["validate", "none.yaml"], ["info", "m.yaml"], ["info", "m.yaml", "--ranks", "3"],
            ["run", "m.yaml", "--force", "--set", "run.duration=5 s", "--threads", "1"], ["run", "m.yaml"],
            ["run", "m.yaml", "--oder"], ["runn", "m.yaml"], ["run", "m.yaml", "--backend", "gpus"], ["mech", "list"],
            ["mech", "show", "nmda"], ["mech", "show", "cal_ghk"], ["mech", "show", "aeif_cond_exp"],
            ["mech", "show", "nothing"], ["info", "m.yaml", "--time"], ["new", "--help"], ["new", "m.yaml"], ["run", "-"],
            ["threshold", "--help"],
            ["threshold", "m.yaml", "stimuli.0.field.scale", "nobody"], ["report", "--help"], ["report", "m.out"], ["report", "none"],
            ["mech", "check", "broken.mod"], ["mech", "check", "."], ["validate"]]


def on_terminal(folder, columns, words):
    """What a terminal of so many columns shows, each line as it was when it was drawn."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    env = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    process = subprocess.Popen([harness.HILLOCK, *words], stdin=theirs, stdout=theirs, stderr=theirs, cwd=folder,
                               env=env)
    os.close(theirs)
    text = b""
    while True:
        try:
            block = os.read(ours, 1 << 16)
        except OSError:  # EIO: the command has ended
            break
        if not block:
            break
        text += block
    os.close(ours)
    process.wait(60)
    return text.decode().replace("\r\n", "\n").replace("\r", "\n").split("\n")


def fits(folder, columns):
    drawn = 0
    for words in COMMANDS:
        lines = on_terminal(folder, columns, words)
        harness.check(any(line.strip() for line in lines), f"{words} at {columns} columns: nothing")
        for line in lines:
            is_one_word = " " not in line.strip()
            harness.check(len(line.rstrip()) <= columns or is_one_word,
                          f"{words} at {columns} columns: {len(line.rstrip())} in '{line}'")
            # What draws over a line must not reach beyond it, either.
            if line.startswith("running  "):
                drawn += 1
                harness.check(len(line) < columns, f"{columns} columns: progress of {len(line)}")
                harness.check(" left" in line or "%" in line, f"{columns} columns: no progress in '{line}'")
    harness.check(drawn > 0, f"{columns} columns: no progress was drawn")
    return len(COMMANDS)


def elsewhere(folder):
    def run(*words, columns=None):
        env = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
        return subprocess.run([harness.HILLOCK, *words], capture_output=True, text=True, cwd=folder,
                              env=dict(env, COLUMNS=columns) if columns else env)

    wide = run("validate", "broken.yaml", columns="40").stderr.splitlines()
    harness.check(len(wide) > 2 and all(line.startswith("broken.yaml:") for line in wide) and
                  any(len(line) > 80 for line in wide), f"errors to a file are folded: {wide}")
    for columns in (None, "50", "nonsense"):
        most = 50 if columns == "50" else 80
        for words in (["info", "m.yaml"], ["run", "--help"]):
            lines = run(*words, columns=columns).stdout.splitlines()
            harness.check(lines and max(map(len, lines)) <= most, f"{words}, COLUMNS={columns}: more than {most}")
    listed = run("mech", "list", columns="40").stdout.splitlines()
    harness.check(all(not line.startswith(" ") for line in listed) and any(len(line) > 40 for line in listed),
                  "mech list to a file: a mechanism is no line")
    return 8


def main():
    with harness.scratch() as folder:
        folder = pathlib.Path(folder)
        (folder / "m.yaml").write_text(RING)
        (folder / "broken.yaml").write_text(BROKEN)
        (folder / "broken.mod").write_text(MOD)
        count = sum(fits(folder, columns) for columns in (80, 60, 40)) + elsewhere(folder)
    harness.finish(count, "outputs")


if __name__ == "__main__":
    main()
