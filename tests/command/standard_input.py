#!/usr/bin/env python3
"""A model from standard input: what a run of it writes are the bytes that its file gives; what cannot
be read is said, and what is waited for."""

import json
import os
import pathlib
import pty
import signal
import subprocess
import time

import harness
import mpi

RING = (harness.ROOT / "examples/ring/ring.yaml").read_text()
PARTS = """hillock: 1
include: cells/ball.yaml
run: {duration: 20 ms, dt: 0.025 ms}
populations: {balls: {cell: ball, size: 3}}
stimuli: [{iclamp: {amplitude: 1 nA, start: 1 ms, duration: 2 ms}, to: balls, at: soma(0.5)}]
record: [{name: spikes, of: balls}]
"""
BALL = """cells:
  ball:
    morphology: {branches: [{name: soma, length: 20 um, diameter: 20 um}]}
    regions: {all: {cm: 1 uF/cm2, hh: {}}}
    detector: {at: soma(0.5), threshold: 0 mV}
"""


def say(text, *words, cwd=None, stdin=None):
    """hillock with a text, or with an open file, as its standard input."""
    given = {"stdin": stdin} if stdin is not None else {"input": text}
    return subprocess.run([str(harness.HILLOCK), *map(str, words)], capture_output=True, text=True, timeout=120,
                          cwd=cwd, **given)


def expect(done, code, *texts):
    harness.check(done.returncode == code, f"{done.args[1:]}: {done.returncode}, not {code}\n{done.stderr}")
    for text in texts:
        harness.check(text in done.stdout + done.stderr, f"{done.args[1:]}: no '{text}' in\n{done.stderr}")


def runs_as_from_a_file(folder):
    (folder / "cells").mkdir()
    (folder / "cells/ball.yaml").write_text(BALL)
    (folder / "model.yaml").write_text(PARTS)
    expect(say(PARTS, "validate", "-", cwd=folder), 0, "<stdin>: valid")
    expect(say(PARTS, "info", "-", "--json", cwd=folder), 0, '"cells": 3')
    expect(say(PARTS, "run", "-", "-o", "piped", cwd=folder), 0, "3 spikes recorded")
    expect(say("", "run", "model.yaml", "-o", "file", cwd=folder), 0)
    harness.check(mpi.outputs(folder / "piped") == mpi.outputs(folder / "file"), "other bytes than from a file")
    piped, file = (json.loads((folder / name / "run.json").read_text()) for name in ("piped", "file"))
    harness.check(piped["model"] == "<stdin>" and piped["model_sha256"] == file["model_sha256"],
                  f"run.json has {piped['model']}")
    expect(say(PARTS, "validate", "-", cwd=folder.parent), 3, "<stdin>:2:10: error: cannot read 'cells/ball.yaml'")
    # A file of that name is a file.
    (folder / "-").write_text(PARTS)
    expect(say("", "validate", "./-", cwd=folder), 0, "./-: valid")
    return 7


def tells_places():
    expect(say("hillock: 1\nrun: {duration: 1}\n", "validate", "-"), 3, "<stdin>:2:17: error: ")
    expect(say(RING, "run", "-"), 2, "-o DIR")
    expect(say(RING, "view", "-"), 2, "-o FILE")
    expect(say(RING, "export", "-"), 2, "-o DIR")
    with harness.scratch() as folder:
        expect(say(RING, "view", "-", "-o", "page.html", cwd=folder), 0, "page.html")
        expect(say(RING, "export", "-", "-o", "circuit", cwd=folder), 0, "circuit: ")
    expect(say(RING, "run", "-", "-o", ""), 2, "--output: is empty")
    expect(say(RING, "info", "-", "--set", "run.duration"), 2, "KEY=VALUE")
    return 3


def refuses_what_is_no_text():
    expect(say("", "validate", "-"), 4, "<stdin>: standard input is empty")
    with open("/dev/zero") as endless:
        expect(say(None, "validate", "-", stdin=endless), 4, "larger than 64 MiB")
    folder = os.open("/tmp", os.O_RDONLY)
    expect(say(None, "validate", "-", stdin=folder), 4, "directory")
    os.close(folder)
    closed = subprocess.run(["sh", "-c", '"$0" validate - <&-', harness.HILLOCK], capture_output=True, text=True)
    harness.check(closed.returncode == 4 and "empty" in closed.stderr, f"closed: {closed.returncode}\n{closed.stderr}")
    return 4


def waits_for_what_comes_slowly():
    """In pieces, with a signal that means nothing between them, of a pipe that does not block."""
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    process = subprocess.Popen([harness.HILLOCK, "validate", "-"], stdin=reader, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    os.close(reader)
    half = len(RING) // 2
    told = process.stderr.readline()
    harness.check("waiting for a model on standard input" in told, f"it said: {told}")
    for part in (RING[:half], RING[half:]):
        os.write(writer, part.encode())
        process.send_signal(signal.SIGCONT)
        time.sleep(0.2)
    os.close(writer)
    out, err = process.communicate(timeout=60)
    harness.check(process.returncode == 0 and "<stdin>: valid" in out, f"slowly: {process.returncode}\n{err}")
    # And no longer when it is told to end.
    process = subprocess.Popen([harness.HILLOCK, "validate", "-"], stdin=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True)
    process.stderr.readline()
    process.send_signal(signal.SIGTERM)
    harness.check(process.wait(10) == 143, f"stopped while it waits: {process.returncode}")
    return 2


def talks_to_a_terminal():
    ours, theirs = pty.openpty()
    process = subprocess.Popen([harness.HILLOCK, "validate", "-"], stdin=theirs, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    os.close(theirs)
    told = process.stderr.readline()
    harness.check("Ctrl-D" in told, f"at a terminal it said: {told}")
    os.write(ours, RING.encode())
    os.write(ours, b"\n\x04")
    out, err = process.communicate(timeout=60)
    harness.check(process.returncode == 0 and "<stdin>: valid" in out, f"typed: {process.returncode}\n{err}")
    os.close(ours)
    return 1


def resumes(folder):
    words = ["run", "-", "-o", "saved", "--quiet", "--checkpoint-every", "50ms", "--set", "run.duration=4 s"]
    process = subprocess.Popen([harness.HILLOCK, *words], stdin=subprocess.PIPE, cwd=folder, text=True,
                               stderr=subprocess.DEVNULL)
    process.stdin.write(RING)
    process.stdin.close()
    deadline = time.monotonic() + 60
    while not (folder / "saved/run.checkpoint").exists() and time.monotonic() < deadline:
        time.sleep(0.001)
    process.send_signal(signal.SIGTERM)
    harness.check(process.wait(60) == 143, "the run was not stopped before its end")
    expect(say(RING + "\n", *words, "--resume", cwd=folder), 4, "cannot be resumed: its checkpoint ")
    expect(say(RING, *words, "--resume", cwd=folder), 0)
    expect(say(RING, "run", "-", "-o", "whole", "--quiet", "--set", "run.duration=4 s", cwd=folder), 0)
    harness.check(mpi.outputs(folder / "saved") == mpi.outputs(folder / "whole"), "resumed: other bytes")
    return 3


def reaches_all_ranks(folder):
    """Launchers give standard input to the first alone."""
    def on_ranks(text, *words):
        return subprocess.run(mpi.command(3, *words), input=text, capture_output=True, text=True, timeout=120,
                              cwd=folder, env=harness.environment(**mpi.ENVIRONMENT))

    expect(on_ranks(PARTS, "run", "-", "-o", "ranks"), 0, "3 spikes recorded")
    harness.check(mpi.outputs(folder / "ranks") == mpi.outputs(folder / "file"), "other bytes on ranks")
    expect(on_ranks("", "run", "-", "-o", "none"), 4, "<stdin>: standard input is empty")
    expect(on_ranks("hillock: 1\n", "run", "-", "-o", "none"), 3, "<stdin>:1:1: error: ")
    return 3


def main():
    with harness.scratch() as folder:
        folder = pathlib.Path(folder) / "here"
        folder.mkdir()
        count = runs_as_from_a_file(folder) + tells_places() + refuses_what_is_no_text()
        count += waits_for_what_comes_slowly() + talks_to_a_terminal() + resumes(folder)
        if mpi.is_here():
            count += reaches_all_ranks(folder)
    harness.finish(count, "models from standard input")


if __name__ == "__main__":
    main()
