#!/usr/bin/env python3
"""A run whose output does not fit ends with exit code 4, and its run.json says that it failed and why:
on a full disk, and at the shell's limit of a file's size. An exported circuit that does not fit leaves nothing."""

import ctypes
import json
import os
import pathlib
import resource
import signal
import subprocess

import harness

MODEL = """hillock: 1
run: {duration: 20 s, dt: 0.025 ms}
cells:
  c:
    morphology: {branches: [{name: soma, length: 20 um, diameter: 20 um}]}
    regions: {all: {pas: {g: 1e-4 S/cm2, e: -65 mV}}}
populations: {p: {cell: c, size: 50}}
record: [{name: v, of: p, variable: v, at: soma(0.5), every: 0.025 ms}]
"""

CIRCUIT = """hillock: 1
run: {duration: 5 ms}
cells:
  c:
    morphology: {branches: [{name: soma, length: 20 um, diameter: 20 um}]}
    regions: {all: {pas: {}}}
    detector: {at: soma(0.5)}
populations: {p: {cell: c, size: 1500}}
projections:
  - {from: p, to: p, connect: {fixed_indegree: 20}, synapse: {expsyn: {}, at: soma(0.5)}, weight: 1 nS, delay: 1 ms}
"""


def check_failed(out, done, *texts):
    harness.check(done.returncode == 4, f"exit code {done.returncode}\n{done.stderr}")
    summary = json.loads((out / "run.json").read_text())
    harness.check(summary["status"] == "failed", f"run.json: {summary['status']}")
    for text in texts:
        harness.check(text in summary["error"], f"run.json: no '{text}' in {summary['error']}")
        harness.check(text in done.stderr, f"no '{text}' in {done.stderr}")
    harness.check(not (out / ".run.json.new").exists(), "the reserved file is left")


def run(model, out, limit=None):
    return subprocess.run([harness.HILLOCK, "run", model, "-o", out, "--flush-interval", "0.1"],
                          capture_output=True, text=True, preexec_fn=limit)


def at_the_limit_of_a_file(model, folder):
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))

    check_failed(folder / "limited", run(model, folder / "limited", limit), "v.h5", "File too large")
    return 1


def on_a_full_disk(model, folder):
    disk = folder / "disk"
    disk.mkdir()
    system = ctypes.CDLL(None, use_errno=True)
    if system.mount(b"tmpfs", str(disk).encode(), b"tmpfs", 0, b"size=2m") != 0:
        harness.leave_out(f"a full disk: none can be mounted here ({os.strerror(ctypes.get_errno())})")
        return 0
    try:
        out = disk / "out"
        check_failed(out, run(model, out), "v.h5", "No space left on device")
        circuit = disk / "circuit"
        (folder / "circuit.yaml").write_text(CIRCUIT)
        done = harness.run("export", folder / "circuit.yaml", "-o", circuit)
        harness.check(done.returncode == 4 and "No space left on device" in done.stderr,
                      f"exit code {done.returncode}\n{done.stderr}")
        harness.check(not list(circuit.iterdir()), f"left: {list(circuit.iterdir())}")
        # Not even a summary fits: nothing is run.
        filler = disk / "filler"
        with open(filler, "wb", buffering=0) as file:
            try:
                while file.write(bytes(4096)):
                    pass
            except OSError:
                pass
        done = run(model, disk / "none")
        harness.check(done.returncode == 4 and "No space left on device" in done.stderr,
                      f"exit code {done.returncode}\n{done.stderr}")
        harness.check("failed" in (out / "run.json").read_text(), "the first run.json is lost")
        return 3 + while_files_are_made(system, disk)
    finally:
        system.umount(str(disk).encode())


def while_files_are_made(system, disk):
    """Disks that are full when one file or the other is begun: HDF5 could not close it, and must not try again."""
    model = disk.parent / "files.yaml"
    records = ", ".join(f"{{name: v{k}, of: p, variable: v, at: soma(0.5), every: 0.025 ms}}" for k in range(3))
    model.write_text(MODEL[:MODEL.index("record:")].replace("20 s", "1 ms") + f"record: [{records}]\n")
    ends = {}
    for kilobytes in range(40, 200, 4):
        for left in sorted(disk.rglob("*"), reverse=True):
            left.unlink() if left.is_file() else left.rmdir()
        remounted = system.mount(b"tmpfs", str(disk).encode(), b"tmpfs", 32, b"size=%dk" % kilobytes)
        harness.check(remounted == 0, f"{kilobytes} kB: {os.strerror(ctypes.get_errno())}")
        done = run(model, disk / "out")
        harness.check(done.returncode in (0, 4), f"{kilobytes} kB: exit code {done.returncode}\n{done.stderr}")
        ends[kilobytes] = done.returncode
    harness.check(set(ends.values()) == {0, 4}, f"exit codes by kB: {ends}")
    return len(ends)


def main():
    with harness.scratch() as folder:
        folder = pathlib.Path(folder)
        model = folder / "model.yaml"
        model.write_text(MODEL)
        count = at_the_limit_of_a_file(model, folder)
        count += on_a_full_disk(model, folder)
    harness.finish(count, "runs")


if __name__ == "__main__":
    main()
