#!/usr/bin/env python3
"""What a user with a GPU meets: what `info --backend cuda` says, what `--backend auto` takes, kernels that are kept, and
a GPU whose memory does not suffice. Skipped without a GPU; fails without one when REQUIRE_GPU=1."""

import contextlib
import ctypes
import json
import pathlib

import harness

RING = harness.ROOT / "examples/ring/ring.yaml"
MIXED = harness.ROOT / "examples/mixed_network/mixed_network.yaml"
SHORT = ["--set", "run.duration=2 ms"]
# So many that they need some hundreds of megabytes.
MANY = ["--set", "populations.ring.size=60000"]


class Gpu:
    def __init__(self, folder):
        self.folder = folder
        self.out = folder / "out"
        self.cache = folder / "cache"
        self.environment = {"HILLOCK_CACHE": str(self.cache)}
        self.count = 0

    def call(self, code, *words, texts=(), absent=(), env=None):
        self.count += 1
        done = harness.run(*words, env=self.environment | (env or {}))
        output = " ".join((done.stdout + done.stderr).split())  # wherever lines are folded
        harness.check(done.returncode == code, f"{words}: exit code {done.returncode}, not {code}\n{output}")
        for text in texts:
            harness.check(text in output, f"{words}: no '{text}' in\n{output}")
        for text in absent:
            harness.check(text not in output, f"{words}: '{text}' in\n{output}")
        return done

    def run(self, code, *words, model=RING, **expected):
        return self.call(code, "run", model, "-o", self.out, "--force", *SHORT, *words, **expected)

    def summary(self):
        return json.loads((self.out / "run.json").read_text())

    def info(self, *words, model=RING):
        return json.loads(self.call(0, "info", model, "--backend", "cuda", "--json", *words).stdout)["on_gpu"]


def tells_what_kernels_come_to(gpu):
    report = gpu.info()
    harness.check(sum(kind["cells"] for kind in report["kinds"]) == 100, report)
    kind = report["kinds"][0]
    harness.check(kind["rows"] >= 26 * kind["cells"] and kind["fewest_rows"] >= 26, kind)
    harness.check(kind["population"] == "ring" and set(kind["mechanisms"]) == {"hh", "pas", "expsyn"}, kind)
    for number in ("threads_a_cell", "registers_a_thread", "block_threads", "blocks_a_multiprocessor",
                   "warps_a_multiprocessor", "cells_at_once", "bytes"):
        harness.check(kind[number] > 0, f"{number}: {kind}")
    harness.check(kind["warps_a_multiprocessor"] <= kind["most_warps_a_multiprocessor"], kind)
    harness.check(kind["bytes"] <= report["bytes"] < report["free_bytes"] <= report["total_bytes"], report)
    harness.check(report["bytes"] == sum(report["bytes_for"].values()), report)
    gpu.call(0, "info", RING, "--backend", "cuda", texts=["memory on the GPU", "registers", "cells on the GPU at once"])
    more = gpu.info("--set", "populations.ring.size=200")
    harness.check(more["bytes_for"]["cells"] > 1.5 * report["bytes_for"]["cells"], "twice the cells take hardly more")


def runs_both_kinds_of_cells(gpu):
    report = gpu.info(model=MIXED)
    harness.check(sum(kind["cells"] for kind in report["kinds"]) == 20, report)
    harness.check(report["bytes"] == sum(report["bytes_for"].values()), report)
    for population in ("points", "sticks"):
        more = gpu.info("--set", f"populations.{population}.size=1000", model=MIXED)["bytes_for"]
        for use in ("cells", "connections"):
            harness.check(more[use] > report["bytes_for"][use], f"{population}, {use}: {more}, {report}")
    gpu.run(0, "--set", "run.precision=mixed", model=MIXED, texts=["point neurons are computed in double precision"])
    summary = gpu.summary()
    harness.check((summary["backend"], summary["precision"], summary["propagation"]) == ("cuda", "mixed", "auto"), summary)


def takes_the_gpu(gpu):
    gpu.run(0, texts=["backend cuda: there is a GPU (NVIDIA"])
    summary = gpu.summary()
    harness.check(summary["backend"] == "cuda" and summary["backend_reason"] == "there is a GPU"
                  and "NVIDIA" in summary["device"], summary)
    gpu.run(0, "--quiet", absent=["backend"])
    gpu.run(0, "--backend", "cuda", absent=["backend cuda:"])
    harness.check(gpu.summary()["backend_reason"] == "asked for", gpu.summary())
    gpu.run(0, "--backend", "cpu")
    harness.check(gpu.summary()["backend"] == "cpu", gpu.summary())
    gpu.run(0, absent=["backend"], env={"CUDA_VISIBLE_DEVICES": ""})
    harness.check(gpu.summary()["backend"] == "cpu", gpu.summary())


def keeps_kernels(gpu):
    kept = {path: path.stat().st_mtime_ns for path in gpu.cache.glob("kernel-*/*.cubin")}
    harness.check(kept, "no kernel was kept")
    gpu.run(0, "--backend", "cuda")
    harness.check(kept == {path: path.stat().st_mtime_ns for path in gpu.cache.glob("kernel-*/*.cubin")},
                  "a kernel that was kept was compiled again")
    for path in kept:
        path.write_bytes(path.read_bytes()[:-1])
    gpu.run(0, "--backend", "cuda", texts=[".cubin: not used: it is damaged"])
    gpu.run(0, "--backend", "cuda", absent=["not used"])
    nowhere = gpu.folder / "file"
    nowhere.write_text("")
    gpu.run(0, "--backend", "cuda", texts=["kernels are compiled anew in every run"],
            env={"HILLOCK_CACHE": str(nowhere / "cache")})


@contextlib.contextmanager
def taken(left):
    """Memory of the GPU taken: `left` bytes stay beside what a program takes to begin, or fewer where it is negative.
    """
    driver = ctypes.CDLL("libcuda.so.1")

    def ask(name, *arguments):
        status = getattr(driver, name)(*arguments)
        if status != 0:
            raise RuntimeError(f"{name}: {status}")

    ask("cuInit", 0)
    context = ctypes.c_void_p()
    ask("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    ask("cuCtxSetCurrent", context)
    free, total, address = ctypes.c_size_t(), ctypes.c_size_t(), ctypes.c_uint64()
    ask("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
    to_begin = total.value - free.value  # of this process, and about that of the other
    ask("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(free.value - to_begin - left))
    try:
        yield
    finally:
        ask("cuMemFree_v2", address)


def tells_that_memory_does_not_suffice(gpu):
    needed = gpu.info(*MANY)["bytes"]
    with taken(needed // 2):
        figures = [f"the model needs {needed / 1e6:.3g} MB there (", " for cells", "are free"]
        gpu.run(6, "--backend", "cuda", *MANY, texts=["hillock: the GPU's memory does not suffice: ", *figures],
                absent=["internal error", "cudaMalloc"])
        summary = gpu.summary()
        harness.check(summary["status"] == "failed" and "does not suffice" in summary["error"], summary)
        gpu.run(0, *MANY, texts=["backend cpu: the GPU's memory does not suffice: ", *figures])
        summary = gpu.summary()
        harness.check(summary["backend"] == "cpu" and "does not suffice" in summary["backend_reason"]
                      and summary["device"] == "", summary)
        gpu.call(0, "info", RING, *MANY, "--backend", "cuda", texts=["which does not suffice"])
    gpu.run(0, "--backend", "cuda", *MANY)


def tells_that_the_gpu_is_busy(gpu):
    """Others have so much of its memory that a program cannot even begin."""
    with taken(-(300 << 20)):
        for command in ("run", "info"):
            words = [command, RING, *SHORT, *(["-o", gpu.out, "--force"] if command == "run" else [])]
            gpu.call(2, *words, "--backend", "cuda",
                     texts=["hillock: --backend cuda: NVIDIA", " is busy: other processes have all of its memory"])
        gpu.run(0, "--quiet", texts=["backend cpu: NVIDIA", " is busy: "])
        harness.check("is busy" in gpu.summary()["backend_reason"], gpu.summary())


def main():
    with harness.scratch() as folder:
        gpu = Gpu(pathlib.Path(folder))
        harness.need_gpu(gpu.environment)
        tells_what_kernels_come_to(gpu)
        runs_both_kinds_of_cells(gpu)
        takes_the_gpu(gpu)
        keeps_kernels(gpu)
        tells_that_memory_does_not_suffice(gpu)
        tells_that_the_gpu_is_busy(gpu)
    harness.finish(gpu.count, "calls")


if __name__ == "__main__":
    main()
