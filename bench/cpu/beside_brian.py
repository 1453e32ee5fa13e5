"""Compiles networks with Brian2's C++ standalone and runs them and Hillock's in turns, one thread each, for the scripts
that compare the two. Brian2 compiles with its own flags for this machine (-O3 -ffast-math -march=native). Both count
the loop alone, without set-up and compiling."""

import json
import subprocess

import scaling


def compiled(folder, make_network, dt_ms, seed):
    """The folder of Brian2's program. make_network(brian2): makes and runs a network."""
    import brian2
    brian2.device.reinit()
    brian2.set_device("cpp_standalone", directory=str(folder), build_on_run=False)
    brian2.seed(seed)
    brian2.defaultclock.dt = dt_ms*brian2.ms
    brian2.prefs.devices.cpp_standalone.openmp_threads = 0
    make_network(brian2)
    brian2.device.build(directory=str(folder), run=False, with_output=False)
    return folder


def run_brian(folder):
    """(seconds of the loop, spikes)"""
    subprocess.run(["./main"], cwd=folder, check=True, capture_output=True)
    seconds = float((folder / "results/last_run_info.txt").read_text().split()[0])
    [times] = folder.glob("results/_dynamic_array_spikemonitor_t_*")
    return seconds, times.stat().st_size // 8


def run_hillock(program, path):
    seconds, _ = scaling.seconds(program, path, 1)
    return seconds, json.loads((path.with_suffix(".out") / "run.json").read_text())["spikes"]


def compare(title, theirs, model, programs, repeat):
    """Prints the best of so many runs. theirs: of compiled(); model: Hillock's file."""
    import brian2
    runs = {"Brian2": lambda: run_brian(theirs)}
    for name, program in zip(("Hillock", "Hillock before"), programs):
        runs[name] = lambda program=program: run_hillock(program, model)
    best = {}
    for _ in range(repeat):
        for name, run in runs.items():
            found = run()
            best[name] = min(found, best.get(name, found))
    print(f"{title}, one thread; Brian2 {brian2.__version__}")
    for name, (seconds, spikes) in best.items():
        print(f"{name:<16}{seconds:9.3f} s {spikes:9d} spikes   Brian2 / it {best['Brian2'][0] / seconds:6.2f}")
