#!/usr/bin/env python3
"""Which backend a run takes, and what it says of that where there is no GPU: silence where nobody expects one, a line
where one cannot be used, and exit code 2 where it was asked for. Drivers that answer as old or broken ones do are made
for it, so none is needed."""

import json
import os
import pathlib
import shutil
import subprocess

import h5py

import harness

MODEL = """hillock: 1
run: {duration: 1 ms, dt: 0.025 ms}
cells: {c: {morphology: {branches: [{name: soma, length: 20 um, diameter: 20 um}]}, regions: {all: {hh: {}}}}}
populations: {p: {cell: c, size: 2}}
record: [{name: v, of: p, variable: v, at: soma(0.5)}]
"""
# Tells that it was loaded, and answers that it knows that version of CUDA; whatever else it is asked fails.
DRIVER = """#include <stdlib.h>
#include <fcntl.h>
__attribute__((constructor)) static void loaded(void) {
  const char* file = getenv("TELL_IN");
  if (file) open(file, O_CREAT | O_WRONLY, 0600);
}
int cuDriverGetVersion(int* version) { *version = VERSION; return 0; }
"""
# No GPU, and nobody says which one to see.
WITHOUT = {name: value for name, value in os.environ.items() if name != "CUDA_VISIBLE_DEVICES"}


class Backends:
    def __init__(self, folder):
        self.folder = folder
        self.model = folder / "model.yaml"
        self.model.write_text(MODEL)
        self.count = 0
        self.has_cuda = "this build has no CUDA" not in self.run("cuda").stderr

    def run(self, backend, *more, env=None, command="run"):
        self.count += 1
        words = [command, self.model, *(["--force"] if command == "run" else []), *more]
        if backend:
            words += ["--backend", backend]
        return subprocess.run([str(harness.HILLOCK), *map(str, words)], capture_output=True, text=True,
                              env=dict(WITHOUT, **(env or {})))

    def summary(self):
        return json.loads((self.folder / "model.out/run.json").read_text())

    def driver(self, name, version):
        """The environment of a machine that has a driver of CUDA `version`."""
        place = self.folder / name
        place.mkdir()
        (place / "driver.c").write_text(DRIVER.replace("VERSION", str(version)))
        subprocess.run([shutil.which("cc") or shutil.which("gcc"), "-shared", "-fPIC", "-o", place / "libcuda.so.1",
                        place / "driver.c"], check=True)
        others = os.environ.get("LD_LIBRARY_PATH")
        return {"LD_LIBRARY_PATH": f"{place}:{others}" if others else str(place), "TELL_IN": str(place / "was_loaded")}


def demands(backends, reason, env):
    """What is asked for and is not there: one line, exit code 2."""
    for command in ("run", "info"):
        done = backends.run("cuda", env=env, command=command)
        line = f"hillock: --backend cuda: {reason}"
        harness.check(done.returncode == 2 and done.stderr.startswith(line) and done.stderr.count("\n") == 1,
                      f"{command}: exit code {done.returncode}, not '{line}'\n{done.stderr}")


def takes_the_cpu(backends, reason, env, is_said):
    """What is there to be used if it can: the CPU, and whether a line says why."""
    for words in ([], ["--quiet"]):
        for backend in (None, "auto"):
            done = backends.run(backend, *words, env=env)
            said = [line for line in done.stderr.splitlines() if "GPU" in line or "backend" in line]
            harness.check(done.returncode == 0, f"{backend}: exit code {done.returncode}\n{done.stderr}")
            harness.check(len(said) == is_said and all(line.startswith(f"backend cpu: {reason}") for line in said),
                          f"{backend} {words}: {said}")
            summary = backends.summary()
            harness.check(summary["backend"] == "cpu" and summary["backend_reason"].startswith(reason)
                          and summary["device"] == "", f"run.json: {summary}")
    done = backends.run("auto", env=env, command="info")
    harness.check(done.returncode == 0 and "instruction set" in done.stdout, f"info: {done.stderr}")


def refuses_words(backends):
    for word, text in [("gpu", "NVIDIA GPUs are called 'cuda'"), ("", "'' is not known. Known: auto, cpu, cuda"),
                       ("cud", "'cud' is not known. Did you mean 'cuda'? Known: auto, cpu, cuda"), ("CPU", "'CPU' is not known.")]:
        done = backends.run(None, f"--backend={word}") if word else backends.run(None, "--backend", "")
        harness.check(done.returncode == 2 and f"--backend: {text}" in done.stderr,
                      f"--backend '{word}': exit code {done.returncode}\n{done.stderr}")
    done = backends.run(None, env={"HILLOCK_LIBRARY": str(backends.folder / "none")})
    harness.check(done.returncode == 2 and "none: there is no such folder" in done.stderr, done.stderr)
    done = backends.run(None, env={"HILLOCK_ISA": "sse"})
    harness.check(done.returncode == 2 and "HILLOCK_ISA=sse: it is baseline, avx2 or avx512" in done.stderr,
                  done.stderr)


def is_absent(backends):
    for env in ({"CUDA_VISIBLE_DEVICES": ""}, {"CUDA_VISIBLE_DEVICES": "77"}):
        demands(backends, "no GPU: ", env)
        takes_the_cpu(backends, "no GPU: ", env, is_said=False)


def needs_no_driver(backends):
    """hillock is linked with no part of the driver, and the CPU alone is never asked of one."""
    linked = subprocess.run(["ldd", harness.HILLOCK], capture_output=True, text=True).stdout
    harness.check("libc.so" in linked and "libcuda" not in linked and "libnvrtc" not in linked, linked)
    env = backends.driver("driver", 13000)
    for command in ("run", "info"):
        done = backends.run("cpu", env=env, command=command)
        harness.check(done.returncode == 0 and not pathlib.Path(env["TELL_IN"]).exists(),
                      f"{command} --backend cpu looked for a driver, or failed: {done.stderr}")
    harness.check(backends.run("cpu", "--force", env=env).returncode == 0 and
                  backends.summary()["backend_reason"] == "asked for", f"run.json: {backends.summary()}")


def tells_of_old_and_broken_drivers(backends):
    old = backends.driver("old", 10020)
    demands(backends, "the NVIDIA driver is too old: it knows CUDA 10.2, and this build needs ", old)
    takes_the_cpu(backends, "the NVIDIA driver is too old", old, is_said=True)
    harness.check(pathlib.Path(old["TELL_IN"]).exists(), "the driver that was made is not the one that is asked")
    broken = backends.driver("broken", 99000)
    demands(backends, "the NVIDIA driver fails: ", broken)
    takes_the_cpu(backends, "the NVIDIA driver fails", broken, is_said=True)


def tells_of_its_precision(backends):
    """The CPU has no loops that solve cables with floats."""
    exact = None
    for precision, taken, lines in (
            ("double", "double", []), ("mixed", "mixed", []),
            ("single", "mixed", ["run.precision: single: the CPU computes with mixed"])):
        done = backends.run("cpu", "--quiet", "--set", f"run.precision={precision}")
        harness.check(done.returncode == 0 and done.stderr.splitlines() == lines, f"{precision}: {done.stderr}")
        harness.check(backends.summary()["precision"] == taken, f"run.json: {backends.summary()}")
        with h5py.File(backends.folder / "model.out/v.h5") as file:
            voltages = file["report/p/data"][:, 0].tolist()
        off = max(abs(a - b) for a, b in zip(voltages, exact or voltages))
        exact = exact or voltages
        harness.check((0 < off < 1e-4) if taken == "mixed" else off == 0, f"{precision}: {off} mV off")
    done = backends.run("cpu", "--set", "run.precision=half")
    harness.check(done.returncode == 3 and "run.precision" in done.stderr and "double, mixed" in done.stderr,
                  f"exit code {done.returncode}: {done.stderr}")


def main():
    with harness.scratch() as folder:
        backends = Backends(pathlib.Path(folder))
        refuses_words(backends)
        is_absent(backends)
        tells_of_its_precision(backends)
        if not (shutil.which("cc") or shutil.which("gcc")):
            harness.leave_out("drivers, for want of a C compiler")
        else:
            needs_no_driver(backends)
            if backends.has_cuda:
                tells_of_old_and_broken_drivers(backends)
    harness.finish(backends.count, "calls")


if __name__ == "__main__":
    main()
