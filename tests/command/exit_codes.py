#!/usr/bin/env python3
"""Exit codes and messages of the command: 0, 2 usage, 3 model, 4 input/output, 5 numbers, 6 memory,
signals."""

import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import time

import harness

CELL = """hillock: 1
run: {duration: DURATION, dt: 0.025 ms}
cells:
  c:
    morphology: {branches: [{name: soma, length: 20 um, diameter: 20 um},
                            {name: dend, parent: soma, length: 300 um, diameter: 2 um}]}
    discretization: {max_length: 100 um}
    regions: {all: {pas: {g: 1e-4 S/cm2, e: -65 mV}}}
populations: {p: {cell: c, size: 3}}
stimuli:
  - {iclamp: {amplitude: AMPLITUDE, start: 2 ms, duration: 5 ms}, to: "p[1]", at: dend(0.5)}
record: [{name: v, of: p, variable: v, at: soma(0.5), every: 1 ms}]
"""


def model(folder, name, duration="10 ms", amplitude="0.1 nA"):
    path = pathlib.Path(folder) / name
    path.write_text(CELL.replace("DURATION", duration).replace("AMPLITUDE", amplitude))
    return path


def expect(count, words, code, *texts, env=None):
    done = harness.run(*words, env=env)
    output = done.stdout + done.stderr
    harness.check(done.returncode == code,
                  f"{' '.join(map(str, words))}: exit code {done.returncode}, not {code}\n{output}")
    for text in texts:
        harness.check(text in output, f"{' '.join(map(str, words))}: no '{text}' in\n{output}")
    return count + 1


def loses_no_output(count, good):
    """What cannot be written to standard output is an error; a reader who has enough is none."""
    for words in (["info", good], ["info", good, "--json"], ["validate", good], ["mech", "list"],
                  ["mech", "show", "hh"], ["--version"], ["--help"], ["run", "--help"],
                  ["run", good, "--force", "--quiet", "--json"], ["bench", "solvers", "--list"]):
        with open("/dev/full", "w") as full:
            done = subprocess.run([harness.HILLOCK, *words], stdout=full, stderr=subprocess.PIPE,
                                  text=True)
        harness.check(done.returncode == 4 and "standard output: " in done.stderr,
                      f"{words} to a full disk: exit code {done.returncode}\n{done.stderr}")
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run([harness.HILLOCK, *words], stdout=writer, stderr=subprocess.PIPE)
        os.close(writer)
        harness.check(done.returncode == -signal.SIGPIPE and not done.stderr,
                      f"{words} to a closed pipe: exit code {done.returncode}\n{done.stderr}")
        count += 2
    # Without a standard output, no file of the run gets its number.
    for words, code in [(["validate", good], 4), (["run", good, "--force"], 0)]:
        done = subprocess.run(["sh", "-c", '"$0" "$@" >&- 2>&-', harness.HILLOCK, *words])
        harness.check(done.returncode == code, f"{words} without output: {done.returncode}")
        count += 1
    # Nobody reading its messages does not end a run.
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([harness.HILLOCK, "run", good, "--force"], stderr=writer)
    os.close(writer)
    harness.check(done.returncode == 0, f"standard error is a closed pipe: {done.returncode}")
    return count + 1


def tells_of_memory(count, good):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (400 << 20, 400 << 20))

    started = subprocess.run([harness.HILLOCK, "--version"], capture_output=True, preexec_fn=limit)
    if started.returncode != 0:
        harness.leave_out("little memory: this build cannot start with limited addresses (a sanitizer's cannot)")
        return count
    for command in ("info", "run"):
        done = subprocess.run([harness.HILLOCK, command, good, "--set", "populations.p.size=9000000",
                               *(["--force", "--ignore-memory"] if command == "run" else [])],
                              stderr=subprocess.PIPE, text=True, preexec_fn=limit)
        for text in ("out of memory", "This process held ", "(ulimit -v)"):
            harness.check(text in done.stderr, f"{command}: no '{text}' in\n{done.stderr}")
        harness.check(done.returncode == 6, f"{command} without memory: {done.returncode}")
        count += 1
    return names_who_asked(count, good, limit)


MANY_CONNECTIONS = """hillock: 1
run: {duration: 1 ms, dt: 0.025 ms}
cells:
  c:
    morphology: {branches: [{name: soma, length: 20 um, diameter: 20 um}]}
    regions: {all: {hh: {}}}
    detector: {at: soma(0.5), threshold: 0 mV}
populations: {p: {cell: c, size: 10000}}
projections:
  - {from: p, to: p, connect: {fixed_indegree: {number: 3000}}, synapse: {expsyn: {tau: 2 ms, e: 0 mV}, at: soma(0.5)},
     weight: {uniform: {min: 0 uS, max: 1e-5 uS}}, delay: 1 ms}
record: [{name: spikes, of: p}]
"""


def names_who_asked(count, good, limit):
    """Cells, connections and a record ask for more than there is: by name, with how much, and what helps there."""
    connected = good.with_name("connected.yaml")
    connected.write_text(MANY_CONNECTIONS)
    somas = ["--set", "populations.p.size=4000000", "--set", "record.0.of=p[0]"]
    samples = ["--set", "populations.p.size=60000", "--set", "record.0.at=all", "--set", "record.0.every=0.025ms"]
    for model, sets, asker, advice in ((good, somas, "population 'p'", "Fewer cells or compartments need less"),
                                       (connected, [], "projection 'p->p'", "Fewer connections need less"),
                                       (good, samples, "report 'v'", "Records of fewer cells or places need less")):
        done = subprocess.run([harness.HILLOCK, "run", model, *sets, "-o", good.with_name("asked.out"), "--force",
                               "--ignore-memory", "--quiet", "--threads", "1"],
                              stderr=subprocess.PIPE, text=True, preexec_fn=limit)
        asked = re.search(r"out of memory while [^:]+: (.*) asked for [1-9][\d.]* (bytes|kB|MB|GB) more\. ", done.stderr)
        harness.check(done.returncode == 6 and asked and asked[1] == asker and advice in done.stderr,
                      f"{asker} in 400 MiB: exit code {done.returncode}\n{done.stderr}")
        count += 1
    return count


def refuses_what_cannot_fit(count, good):
    """Before it begins, by the machine's memory or the process's addresses, and only what is far beyond them."""
    out = good.with_name("large.out")
    large = ["run", good, "-o", out, "--quiet", "--threads", "1", "--set", "populations.p.size=100000",
             "--set", "run.duration=0.1 ms"]
    scarce = {"HILLOCK_MEMORY": "20M"}
    count = expect(count, large, 6, "out of memory before the run", "20 MB are free (HILLOCK_MEMORY)", env=scarce)
    harness.check(not out.exists(), "a run that was refused made a directory")
    count = expect(count, [*large, "--ignore-memory"], 0, env=scarce)
    said = json.loads(harness.run("info", "--json", "--ranks", 1, good, *large[7:]).stdout)["memory_bytes"]
    for part, code in ((0.9, 6), (1.1, 0)):
        count = expect(count, [*large, "--force"], code, env={"HILLOCK_MEMORY": str(int(part * said))})
    count = expect(count, [*large, "--force"], 2, "HILLOCK_MEMORY", env={"HILLOCK_MEMORY": "much"})

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (400 << 20, 400 << 20))

    if subprocess.run([harness.HILLOCK, "--version"], capture_output=True, preexec_fn=limit).returncode != 0:
        return count
    done = subprocess.run([harness.HILLOCK, *large, "--force", "--set", "populations.p.size=9000000"],
                          stderr=subprocess.PIPE, text=True, preexec_fn=limit)
    harness.check(done.returncode == 6 and "before the run" in done.stderr and "(ulimit -v)" in done.stderr,
                  f"9,000,000 cells in 400 MiB: exit code {done.returncode}\n{done.stderr}")
    return count + 1


def tells_of_threads(count, good):
    """More threads than there are addresses for their stacks."""
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (600 << 20, 600 << 20))
        resource.setrlimit(resource.RLIMIT_STACK, (64 << 20, 64 << 20))

    if subprocess.run([harness.HILLOCK, "--version"], capture_output=True,
                      preexec_fn=limit).returncode != 0:
        harness.leave_out("many threads: this build cannot start with limited addresses")
        return count
    out = good.with_name("threads.out")
    done = subprocess.run([harness.HILLOCK, "run", good, "-o", out, "--threads", "32",
                           "--set", "populations.p.size=1000"],
                          stderr=subprocess.PIPE, text=True, preexec_fn=limit)
    harness.check(done.returncode == 6 and "no more threads can be started" in done.stderr,
                  f"32 threads in 600 MiB: exit code {done.returncode}\n{done.stderr}")
    harness.check('"failed"' in (out / "run.json").read_text(), "run.json: not failed")
    return count + 1


def main():
    count = 0
    with harness.scratch() as folder:
        folder = pathlib.Path(folder)
        good = model(folder, "good.yaml")
        count = expect(count, ["run", good], 0, "compartment-steps/s")
        harness.check((folder / "good.out/spikes.h5").exists(), "no spikes.h5")
        harness.check((folder / "good.out/v.h5").exists(), "no v.h5")
        count = expect(count, ["run", good], 4, "good.out", "--force")
        count = expect(count, ["run", good, "--force", "--json"], 0, '"status": "complete"')
        copies = {"SLURM_STEP_NUM_TASKS": "3", "SLURM_PROCID": "0"}
        count = expect(count, ["run", good, "--force"], 0, "srun started 3 copies, and no MPI joins them", env=copies)
        count = expect(count, ["validate", good], 0, "valid")
        count = expect(count, ["info", good], 0, "compartments", "solver", "predicted")
        count = expect(count, ["info", good, "--json"], 0, '"predicted_us"')
        count = expect(count, ["info", good, "--set", "run.solver=contraction"], 0, "contraction: asked for")
        count = expect(count, ["run", good, "--set", "run.solver=hines", "--force"], 0)
        count = expect(count, ["run", good, "--set", "run.solver=branch", "--force"], 3,
                       "run.solver", "use auto")
        mods = folder / "mods"
        mods.mkdir()
        (mods / "good.mod").write_text("NEURON { SUFFIX good }\n")
        count = expect(count, ["mech", "check", mods / "good.mod"], 0, "good.mod: good")
        (mods / "later.mod").write_text("NEURON { SUFFIX later }\nSTATE { p }\n"
                                        "ASSIGNED { q }\nINITIAL { q = p@1 }\n")
        count = expect(count, ["mech", "check", mods / "later.mod"], 3,
                       "later.mod:4:15: not supported yet: values of earlier steps")
        for form, spread, said in (
                ("SUFFIX", "COMPARTMENT d {c} if (d > 1) { LONGITUDINAL_DIFFUSION d {c} }", "under a condition"),
                ("SUFFIX", "LONGITUDINAL_DIFFUSION d {c}", "of 'c' without its COMPARTMENT"),
                ("SUFFIX", "COMPARTMENT d {q} LONGITUDINAL_DIFFUSION d {q}", "of 'q', which is no STATE"),
                ("POINT_PROCESS", "COMPARTMENT d {c} LONGITUDINAL_DIFFUSION d {c}", "in a point process")):
            (folder / "spreads.mod").write_text(f"NEURON {{ {form} spreads }} PARAMETER {{ d = 1 }} ASSIGNED {{ q }}\n"
                                                f"STATE {{ c }} BREAKPOINT {{ SOLVE k METHOD sparse }}\n"
                                                f"KINETIC k {{ ~ c << (1) {spread} }}\n")
            count = expect(count, ["mech", "check", folder / "spreads.mod"], 3, "spreads.mod:3:",
                           f"not supported yet: LONGITUDINAL_DIFFUSION {said}")
        count = expect(count, ["--version", "--verbose"], 0, "hillock 0.", "processor ", "GPU ",
                       "MPI ", "HDF5 ", "C++ compiler ", "cache ", "models ")
        count = expect(count, ["--verbose", "mech", "list"], 2, "--version")
        count = expect(count, ["mech", "list"], 0, "hh ", "density", "expsyn", "synapse")
        count = expect(count, ["mech", "show", "hh"], 0, "gnabar", "S/cm2", "0.12", "ion na")
        count = expect(count, ["mech", "show", "hhh"], 2, "Did you mean 'hh'? Known: aeif_cond_exp, alphasynapse, ampanmda, bk,")
        count = expect(count, ["mech", "show", "gap"], 0, "gap (point): ", "vgap", "uS")
        (mods / "bad.mod").write_text("NEURON { SUFFIX bad }\nINITIAL { a = 1 }\n")
        count = expect(count, ["mech", "check", mods], 3, "bad.mod:2:11: error: 'a' is declared",
                       "3 files: 1 good, 1 with errors, 1 not supported yet")
        count = expect(count, ["mech", "check", mods / "none.mod"], 4, "none.mod")
        (folder / "empty").mkdir()
        for action in ("check", "build"):
            count = expect(count, ["mech", action, folder / "empty"], 4, "empty: holds no .mod files")
        count = expect(count, ["import", "simulation.json", "-o", "-"], 2, "-o - cannot be")
        count = expect(count, ["mech", "check"], 2, "hillock: mech check: paths is required")
        count = expect(count, ["mech"], 2, "mech: a command is missing: check, build, list, show")
        count = expect(count, ["mech", "chek"], 2,
                       "hillock: mech: unknown command 'chek'. Did you mean 'check'?")
        count = expect(count, ["--version"], 0, "0.")
        count = expect(count, [], 2, "hillock: a command is missing: validate, info,")
        count = expect(count, ["fly", good], 2, "hillock: unknown command 'fly'. Known: validate,")
        count = expect(count, ["infos", good], 2, "unknown command 'infos'. Did you mean 'info'?")
        count = expect(count, [good], 2, f"Did you mean 'run {good}'?")
        count = expect(count, ["--versoin"], 2, "unknown option '--versoin'. Did you mean '--version'?")
        count = expect(count, ["run"], 2, "hillock: run: model is required")
        count = expect(count, ["run", good, good], 2, f"run: '{good}' is one word too many")
        count = expect(count, ["run", "--thread", "3", good], 2,
                       "hillock: run: unknown option '--thread'. Did you mean '--threads'?")
        count = expect(count, ["run", good, "--threads", "0"], 2)
        count = expect(count, ["run", good, "--set", "duration"], 2, "KEY=VALUE")
        count = expect(count, ["run", good, "--force"], 2, "MPI",
                       env={"OMPI_COMM_WORLD_SIZE": "4"})
        count = expect(count, ["run", good, "--set", "run.durration=1 ms", "--force"], 3, "duration")
        count = expect(count, ["run", "--set", "run.duration=2ms", good, "--force"], 0)
        count = expect(count, ["run", good, "--set", "include=x.yaml", "--force"], 3, "include")
        # Nobody reading standard error must not end a run.
        with open("/dev/full", "w") as full:
            done = subprocess.run([harness.HILLOCK, "run", good, "--force"], stderr=full)
        harness.check(done.returncode == 0, f"standard error full: exit code {done.returncode}")
        count += 1
        count = loses_no_output(count, good)
        count = tells_of_memory(count, good)
        count = refuses_what_cannot_fit(count, good)
        count = tells_of_threads(count, good)
        broken = folder / "broken.yaml"
        broken.write_text(good.read_text().replace("variable: v", "variable: w"))
        count = expect(count, ["run", broken], 3, f"{broken}:12:37: error")
        harness.check(not (folder / "broken.out").exists(), "a broken model made an output folder")
        count = expect(count, ["run", folder / "missing.yaml"], 4, "missing.yaml")
        file = folder / "file"
        file.write_text("")
        count = expect(count, ["run", good, "-o", file], 4, "file")
        # Far below any rest, hh's h gate divides infinity by infinity.
        wild = model(folder, "wild.yaml", amplitude="-1e9 nA")
        wild.write_text(wild.read_text().replace("regions: {all:", "regions: {soma: {hh: {}}, all:")
                        .replace("at: dend(0.5)", "at: soma(0.5)"))
        count = expect(count, ["run", wild], 5, "2.05 ms", "p[1]", "soma(0.5)")
        harness.check('"failed"' in (folder / "wild.out/run.json").read_text(), "run.json: not failed")
        for number in (signal.SIGINT, signal.SIGTERM):
            long = model(folder, f"long{number}.yaml", duration="10000 s")
            started = subprocess.Popen([harness.HILLOCK, "run", long], stderr=subprocess.PIPE,
                                       text=True)
            out = folder / f"long{number}.out"
            deadline = time.time() + 60
            while not (out / "v.h5.partial").exists() and time.time() < deadline:
                time.sleep(0.05)
            time.sleep(0.3)
            started.send_signal(number)
            _, messages = started.communicate(timeout=60)
            harness.check(started.returncode == 128 + number,
                          f"signal {number}: exit code {started.returncode}\n{messages}")
            harness.check('"interrupted"' in (out / "run.json").read_text(), "not interrupted")
            harness.check((out / "v.h5.partial").exists(), "no partial report")
            count += 1
    harness.finish(count, "calls")


if __name__ == "__main__":
    main()
