#!/usr/bin/env python3
"""The cases in shared/data/found beside the repository, each of which once broke Hillock, behave as
its README expects, but for its comparison with NEURON (tests/peer/mechanism_order.py makes that one) and
its times. Skipped where the folder is not there."""

import os
import pathlib
import shutil
import signal
import subprocess
import time

import harness

FOUND = harness.ROOT.parent / "shared/data/found"


class Cases:
    def __init__(self, folder):
        self.folder = folder
        self.count = 0

    def expect(self, codes, *words, texts=()):
        done = harness.run(*words, env={"HILLOCK_CACHE": str(self.folder / "cache")}, timeout=60)
        said = done.stdout + done.stderr
        what = " ".join(map(str, words))
        harness.check(done.returncode in codes, f"{what}: exit code {done.returncode}\n{said}")
        for text in texts:
            harness.check(text in said, f"{what}: no '{text}' in\n{said}")
        self.count += 1
        return said


def main():
    if not FOUND.is_dir():
        harness.leave_out(f"{FOUND} is not there")
        harness.finish(0, "cases")
    with harness.scratch() as scratch:
        folder = pathlib.Path(scratch) / "found"
        shutil.copytree(FOUND, folder)
        os.mkfifo(folder / "pf")
        cases = Cases(folder)
        for value in ["{", "[", "{a: 1", "[1,"]:
            cases.expect([3], "validate", folder / "solver_branch.yaml", "--set", f"run.seed={value}",
                         texts=["--set"])
        for name, text in [("sigbus", ""), ("heap_corruption", ""), ("external_raw_storage", "external"),
                           ("external_link", "external"), ("external_link_fifo", "external")]:
            said = cases.expect([3], "validate", folder / "hdf5_list.yaml", "--set",
                                f"projections.0.connect.list.hdf5={name}.h5",
                                texts=[f"{name}.h5", text])
            harness.check("root:" not in said, f"{name}: bytes of another file are shown")
        for name in ["unsampled_report", "denormal", "nonspecific_not_in_range"]:
            cases.expect([0], "run", folder / f"{name}.yaml")
        cases.expect([5], "run", folder / "event_loop.yaml", texts=["looper", "p[0]"])
        for command in ["validate", "run"]:
            cases.expect([3], command, folder / "solver_branch.yaml", texts=["run.solver branch"])
            cases.expect([3], command, folder / "latin1.yaml", texts=["UTF-8"])
            said = cases.expect([3], command, folder / "escape.yaml", texts=["RED"])
            harness.check("\x1b" not in said, f"{command} escape.yaml: control characters are shown")
        cases.expect([3], "run", folder / "v_init_expression.yaml", texts=["v_init: 1000000 mV for p[1]"])
        said = cases.expect([0], "info", folder / "slow_setup.yaml", texts=["10000000"])
        # Ten times the size that once took half a minute.
        process = subprocess.Popen([harness.HILLOCK, "run", folder / "slow_setup.yaml",
                                    "--set", "populations.p.size=100000", "--threads", "1"],
                                   stderr=subprocess.PIPE, text=True)
        time.sleep(1.5)
        process.send_signal(signal.SIGTERM)
        said = process.communicate(timeout=60)[1]
        harness.check(process.returncode == 143, f"slow_setup: exit code {process.returncode}")
        harness.check("connecting" in said, f"slow_setup: said\n{said}")
        cases.count += 1
    harness.finish(cases.count, "cases")


if __name__ == "__main__":
    main()
