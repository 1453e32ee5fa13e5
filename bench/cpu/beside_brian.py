"""Compiles networks with Brian2's C++ standalone and runs them, Hillock's and others' in turns, for the scripts that
compare them. Brian2 compiles with its own flags for this machine (-O3 -ffast-math -march=native; with several threads
OpenMP). All count the loop alone, without set-up and compiling: with one thread processor time, as Brian2's program
does, which others on the machine disturb less; with several what a clock on the wall shows. Hillock's processor time is
that of a run, output included, less that of a run of one step."""

import json
import os
import resource
import statistics
import subprocess

import scaling

VERSION = "brian2_version.txt"


def written(folder, make_network, dt_ms, seed, threads=1):
    """The folder of the source of Brian2's program, which needs no Brian2 any more. make_network(brian2): makes and runs
    a network."""
    import brian2
    brian2.device.reinit()
    brian2.set_device("cpp_standalone", directory=str(folder), build_on_run=False)
    brian2.seed(seed)
    brian2.defaultclock.dt = dt_ms*brian2.ms
    brian2.prefs.devices.cpp_standalone.openmp_threads = threads if threads > 1 else 0
    make_network(brian2)
    brian2.device.build(directory=str(folder), compile=False, run=False, with_output=False)
    (folder / VERSION).write_text(brian2.__version__)
    return folder


def compiled(folder):
    """The folder of a program that was written, perhaps on another machine."""
    subprocess.run(["make", "-j", str(os.cpu_count())], cwd=folder, check=True, capture_output=True)
    (folder / "results").mkdir(exist_ok=True)
    return folder


def run_brian(folder):
    """(seconds of the loop, spikes)"""
    subprocess.run(["./main"], cwd=folder, check=True, capture_output=True)
    seconds = float((folder / "results/last_run_info.txt").read_text().split()[0])
    [times] = folder.glob("results/_dynamic_array_spikemonitor_t_*")
    return seconds, times.stat().st_size // 8


def processor_seconds(program, path, *options):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([program, "run", path, "-o", path.with_suffix(".out"), "--force", "--quiet", "--threads", "1",
                    *options], check=True, capture_output=True, env=dict(os.environ, CUDA_VISIBLE_DEVICES=""))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def run_hillock(program, path, threads):
    if threads > 1:
        seconds, _ = scaling.seconds(program, path, threads)
    else:
        set_up = processor_seconds(program, path, "--set", "run.duration=1 ms")
        seconds = processor_seconds(program, path) - set_up
    return seconds, json.loads((path.with_suffix(".out") / "run.json").read_text())["spikes"]


def compare(title, theirs, model, programs, repeat, threads=1, others=None):
    """Prints the best and the median of so many turns. theirs: of compiled(); model: Hillock's file. others: {name: what
    gives (seconds, spikes)}. The ratio of medians is that of each turn's."""
    version = (theirs / VERSION).read_text()
    runs = {"Brian2": lambda: run_brian(theirs)}
    for name, program in zip(("Hillock", "Hillock before"), programs):
        runs[name] = lambda program=program: run_hillock(program, model, threads)
    runs |= others or {}
    turns = {name: [] for name in runs}
    for _ in range(repeat):
        for name, run in runs.items():
            turns[name].append(run())
    print(f"{title}, {'one thread' if threads == 1 else f'{threads} threads'}; Brian2 {version}\n"
          f"{'':<16}{'best':>9}{'median':>11}{'':>18}Brian2 / it: best  median")
    best_of_brian = min(turns["Brian2"])[0]
    for name, found in turns.items():
        seconds, spikes = min(found)
        median = statistics.median(taken for taken, _ in found)
        ratio = statistics.median(brian[0] / own[0] for brian, own in zip(turns["Brian2"], found))
        print(f"{name:<16}{seconds:9.3f} s{median:9.3f} s{spikes:9d} spikes{best_of_brian / seconds:17.2f}{ratio:8.2f}",
              flush=True)
