#!/usr/bin/env python3
"""The cases in shared/data/found beside the repository, each of which once broke Hillock, behave as
its README expects, but for what other tests do (ELSEWHERE). Those of events are compared with the host form of the
device's kernels too, where HOST_FORM names it. Skipped where the folder is not there."""

import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess

import harness

FOUND = harness.ROOT.parent / "shared/data/found"
# Scripts there, and the tests that do what they do; and what the files here read.
ELSEWHERE = {"crank_nicolson_order.py": "tests/peer/mechanism_order.py", "corrupt.py": "tests/command/damaged_runs.py",
             "swap.py": "tests/command/damaged_runs.py", "blocked.py": "tests/command/stop.py",
             "scale.py": "tests/command/scaling.py", "common.py": "", "decays.mod": "", "README.md": "", "ext0.h5": ""}


def processor_s():
    """What has ended until now took: a busy machine makes it no longer."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class Cases:
    def __init__(self, folder):
        self.folder = folder
        self.count = 0
        self.seen = set()

    def expect(self, codes, *words, texts=()):
        before = processor_s()
        done = harness.run(*words, env={"HILLOCK_CACHE": str(self.folder / "cache")})
        said = done.stdout + done.stderr
        what = " ".join(map(str, words))
        harness.check(processor_s() - before < 60, f"{what}: takes {processor_s() - before:.0f} s of a processor")
        harness.check(done.returncode in codes, f"{what}: exit code {done.returncode}\n{said}")
        for text in texts:
            harness.check(text in said, f"{what}: no '{text}' in\n{said}")
        self.count += 1
        self.seen.update(pathlib.Path(word).name for word in words if str(word).startswith(str(self.folder)))
        return said


def check_events(cases):
    """On every engine the same, with as many spikes as docs/parity.md says."""
    for name, duration_ms, spikes in [("order_of_events", 4, None), ("two_watches", 20, 54), ("one_watch", 20, None)]:
        model = cases.folder / f"{name}.yaml"
        out = cases.folder / "out" / name
        cases.expect([0], "run", model, "-o", out, "--quiet")
        found = json.loads((out / "run.json").read_text())["spikes"]
        harness.check(spikes in (None, found), f"{name}: {found} spikes, not {spikes}")
        if "HOST_FORM" in os.environ:
            done = subprocess.run([os.environ["HOST_FORM"], model, f"{duration_ms} ms"], capture_output=True, text=True,
                                  cwd=harness.ROOT, timeout=300)
            harness.check(done.returncode == 0, f"{name} is another on the device:\n{done.stdout}{done.stderr}")


def check_mechanism_files(cases):
    cases.expect([0], "mech", "check", cases.folder / "h_statearr.mod")
    cases.expect([3], "mech", "check", cases.folder / "h_deriv.mod", texts=["h_deriv.mod:"])
    for name in ["kicker", "looker", "twowatch", "event_loop", "nonspecific_not_in_range"]:
        cases.expect([0], "mech", "check", cases.folder / f"{name}.mod")


def main():
    if not FOUND.is_dir():
        harness.leave_out(f"{FOUND} is not there")
        harness.finish(0, "cases")
    with harness.scratch() as scratch:
        folder = pathlib.Path(scratch) / "found"
        shutil.copytree(FOUND, folder)
        os.mkfifo(folder / "pf")
        cases = Cases(folder)
        check_events(cases)
        check_mechanism_files(cases)
        for value in ["{", "[", "{a: 1", "[1,"]:
            cases.expect([3], "validate", folder / "solver_branch.yaml", "--set", f"run.seed={value}",
                         texts=["--set"])
        for name, text in [("sigbus", ""), ("heap_corruption", ""), ("external_raw_storage", "external"),
                           ("external_link", "external"), ("external_link_fifo", "external")]:
            said = cases.expect([3], "validate", folder / "hdf5_list.yaml", "--set",
                                f"projections.0.connect.list.hdf5={name}.h5",
                                texts=[f"{name}.h5", text])
            cases.seen.add(f"{name}.h5")
            harness.check("root:" not in said, f"{name}: bytes of another file are shown")
        for name in ["unsampled_report", "denormal", "nonspecific_not_in_range"]:
            cases.expect([0], "run", folder / f"{name}.yaml")
        cases.expect([5], "run", folder / "event_loop.yaml", texts=["looper", "p[0]"])
        for command in ["validate", "run"]:
            cases.expect([3], command, folder / "solver_branch.yaml", texts=["run.solver: solves batches"])
            cases.expect([3], command, folder / "latin1.yaml", texts=["UTF-8"])
            said = cases.expect([3], command, folder / "escape.yaml", texts=["RED"])
            harness.check("\x1b" not in said, f"{command} escape.yaml: control characters are shown")
        cases.expect([3], "run", folder / "v_init_expression.yaml", texts=["v_init: 1000000 mV for p[1]"])
        said = cases.expect([0], "info", folder / "slow_setup.yaml", texts=["10000000"])
        # Ten times the size that once took half a minute.
        process = subprocess.Popen([harness.HILLOCK, "run", folder / "slow_setup.yaml",
                                    "--set", "populations.p.size=100000", "--threads", "1"],
                                   stderr=subprocess.PIPE, text=True)
        said = process.stderr.readline()  # it says how far it is
        process.send_signal(signal.SIGTERM)
        said += process.communicate(timeout=60)[1]
        harness.check(process.returncode == 143, f"slow_setup: exit code {process.returncode}")
        harness.check("connecting" in said, f"slow_setup: said\n{said}")
        cases.count += 1
    for test in filter(None, ELSEWHERE.values()):
        harness.check((harness.ROOT / test).exists(), f"{test} is not there")
    left = {path.name for path in FOUND.iterdir()} - cases.seen - ELSEWHERE.keys()
    harness.check(not left, f"nothing looks at {sorted(left)}")
    harness.finish(cases.count, "cases")


if __name__ == "__main__":
    main()
