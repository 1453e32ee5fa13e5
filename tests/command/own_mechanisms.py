#!/usr/bin/env python3
"""A model's own .mod files: compiled once, equal to the catalogue's, with placed errors."""

import json
import os
import pathlib
import re
import resource
import shutil
import subprocess

import harness

harness.need("h5py", "numpy")
import h5py  # noqa: E402
import numpy as np  # noqa: E402

CATALOGUE = harness.ROOT / "mechanisms/catalogue"
MODEL = """hillock: 1
run: {duration: 20 ms, dt: 0.025 ms, seed: 3}
mechanisms: [MODS]
cells:
  c:
    morphology: {branches: [{name: soma, length: 20 um, diameter: 20 um},
                            {name: dend, parent: soma, length: 300 um, diameter: 2 um}]}
    discretization: {max_length: 50 um}
    regions: {all: {pas: {g: 1e-4 S/cm2, e: -65 mV},
                    IH: {gbar: "1e-4 S/cm2 * exp(distance / 100 um)", e: -30 mV}},
              soma: {hh: {}, NAT: {gbar: 0.01 S/cm2, q10: 2}, KDR: {gbar: 0.01 S/cm2}}}
    detector: {at: soma(0.5), threshold: 0 mV}
populations: {p: {cell: c, size: 11}}
projections:
  - {from: p, to: p, connect: {fixed_indegree: 3}, synapse: {NMDA: {tau1: 1 ms, mg: 0.5 mM}, at: dend(0.5)},
     weight: 1 nS, delay: 1 ms}
stimuli:
  - {iclamp: {amplitude: "0.1 nA * index", start: 2 ms, duration: 15 ms}, to: p, at: soma(0.5)}
record:
  - {name: v, of: p, variable: v, at: all, every: 0.5 ms, type: float64}
  - {name: gate, of: p, variable: IH.m, at: all, every: 0.5 ms, type: float64}
  - {name: conductance, of: p, variable: NMDA.g, at: dend(0.5), every: 0.5 ms, type: float64}
  - {name: ina, of: p, variable: ina, at: soma(0.5), every: 0.5 ms, type: float64}
  - {name: spikes, of: p}
"""
COPIED = ["ih", "kdr", "nat", "nmda"]


def copy_of_catalogue(folder):
    """The catalogue's files with a 2 behind the mechanisms' names, as a user's own."""
    folder.mkdir()
    for name in COPIED:
        text = (CATALOGUE / f"{name}.mod").read_text()
        text, count = re.subn(rf"\b(SUFFIX|POINT_PROCESS) {name}\b", rf"\1 {name}2", text)
        assert count == 1, name
        (folder / f"{name}2.mod").write_text(text)


def model(path, mods, ending=""):
    text = MODEL.replace("MODS", mods)
    for name in COPIED:
        text = re.sub(rf"\b{name.upper()}\b", name + ending, text)
    path.write_text(text)
    return path


def contents(folder):
    """Every data set of a run's files, as bytes by name."""
    found = {}
    for file in sorted(folder.glob("*.h5")):
        with h5py.File(file) as opened:
            opened.visititems(lambda name, item: found.update({f"{file.name}/{name}": item[()].tobytes()})
                              if isinstance(item, h5py.Dataset) else None)
    return found


class Caller:
    def __init__(self, folder):
        self.folder = folder
        self.cache = folder / "cache"
        self.count = 0

    def expect(self, code, *words, texts=(), absent=(), **env):
        self.count += 1
        done = harness.run(*words, env={"HILLOCK_CACHE": str(self.cache), "CXX": "", **env})
        output = done.stdout + done.stderr
        said = f"{' '.join(map(str, words))}: "
        harness.check(done.returncode == code, f"{said}exit code {done.returncode}, not {code}\n{output}")
        for text in texts:
            harness.check(text in output, f"{said}no '{text}' in\n{output}")
        for text in absent:
            harness.check(text not in output, f"{said}'{text}' in\n{output}")
        return output


def equals_the_catalogue(caller):
    folder = caller.folder
    copy_of_catalogue(folder / "mods")
    own = model(folder / "own.yaml", "mods/*.mod", "2")
    builtin = model(folder / "builtin.yaml", "")
    caller.expect(0, "validate", own, texts=["valid"], absent=["compiling"])
    caller.expect(0, "run", own, texts=["compiling ih2, kdr2, nat2, nmda2 with /"])
    caller.expect(0, "run", builtin, absent=["compiling"])
    ours, theirs = contents(folder / "own.out"), contents(folder / "builtin.out")
    harness.check(len(ours) > 20 and ours.keys() == theirs.keys(), "not the same data sets")
    for name, data in ours.items():
        harness.check(data == theirs.get(name), f"{name} differs from the catalogue's")
    with h5py.File(folder / "own.out/spikes.h5") as spikes:
        harness.check(len(spikes["spikes/p/timestamps"]) >= 5, "the model hardly spikes")
        inputs = [name.decode() if isinstance(name, bytes) else name
                  for name in spikes.attrs["input_names"]]
        harness.check(inputs == [f"mods/{name}2.mod" for name in COPIED],
                      f"the .mod files are no inputs: {inputs}")
    return own


def compiles_once(caller, own):
    caller.expect(0, "run", own, "--force", absent=["compiling"])
    caller.expect(0, "run", own, "--force", absent=["compiling"], PATH="")
    caller.expect(0, "info", own, texts=["compartments"], absent=["compiling"], PATH="")
    caller.expect(0, "mech", "build", caller.folder / "mods", texts=["nmda2", "synapse", "ih2", "density", "built"])
    caller.expect(0, "mech", "build", caller.folder / "mods", texts=["cached", str(caller.cache)], absent=["built"])
    other = caller.folder / "other"
    caller.expect(0, "mech", "build", caller.folder / "mods/ih2.mod", texts=["built", str(other)],
                   HILLOCK_CACHE=str(other))
    library, = other.glob("*/*.so")
    library.write_bytes(b"no library")
    caller.expect(0, "mech", "build", caller.folder / "mods/ih2.mod", texts=["built"],
                   HILLOCK_CACHE=str(other))
    left = [path.name for path in other.iterdir() if not path.name.startswith("ih2-")]
    harness.check(not left, f"left in the cache: {left}")
    for name, value in [("HILLOCK_CACHE", other / "c"), ("XDG_CACHE_HOME", other / "x"),
                        ("HOME", other / "h")]:
        places = {"HILLOCK_CACHE": "", "XDG_CACHE_HOME": "", "HOME": "", name: str(value)}
        caller.expect(0, "mech", "build", caller.folder / "mods/kdr2.mod",
                       texts=[f"built   {value}"], **places)
    caller.expect(0, "mech", "build", caller.folder / "mods/kdr2.mod", HILLOCK_CACHE="", XDG_CACHE_HOME="", HOME="",
                   TMPDIR=str(other), texts=[f"built   {other}/hillock-{os.getuid()}/"])


def is_shared_by_processes(caller):
    shared = caller.folder / "shared"
    environment = dict(os.environ, HILLOCK_CACHE=str(shared), CXX="")
    words = [harness.HILLOCK, "mech", "build", caller.folder / "mods/ih2.mod"]
    started = [subprocess.Popen(words, env=environment, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True) for _ in range(3)]
    for process in started:
        output, _ = process.communicate(timeout=300)
        harness.check(process.returncode == 0, f"one of several processes: {output}")
        caller.count += 1
    harness.check(len(list(shared.glob("*/*"))) == 1, "more than one library of a mechanism")


def needs_a_compiler(caller, own):
    empty = str(caller.folder / "empty")
    caller.expect(3, "run", own, "--force", PATH="", HILLOCK_CACHE=empty,
                   texts=[f"{own}:3:14: error: ", "ih2.mod: this needs a C++ compiler",
                          "apt-get install g++", "catalogue need none"])
    caller.expect(0, "validate", own, PATH="", HILLOCK_CACHE=empty)
    caller.expect(3, "run", own, "--force", CXX="/no/such/compiler", HILLOCK_CACHE=empty,
                   texts=["C++ compiler", "CXX"])
    caller.expect(3, "mech", "build", caller.folder / "mods", PATH="", HILLOCK_CACHE=empty,
                   texts=["needs a C++ compiler"])
    fake = caller.folder / "fake"
    fake.write_text("#!/bin/sh\n[ \"$1\" = --version ] && exit 0\necho cannot do that\nexit 7\n")
    fake.chmod(0o755)
    output = caller.expect(1, "run", own, "--force", CXX=str(fake), HILLOCK_CACHE=empty,
                            texts=["bug of Hillock", "exit code 7", "cannot do that"])
    kept = re.search(r"kept in (\S+)\.", output)
    harness.check(kept and (pathlib.Path(kept.group(1)) / "library.cpp").exists(),
                  "the source is not kept")


def places_errors(caller):
    mods = caller.folder / "bad"
    mods.mkdir()
    (mods / "bad.mod").write_text("NEURON { SUFFIX bad }\nINITIAL { a = 1 }\n")
    (mods / "later.mod").write_text("NEURON { SUFFIX later }\nSTATE { p }\n"
                                    "ASSIGNED { q }\nINITIAL { q = p@1 }\n")
    (mods / "alone.mod").write_text("NEURON { ARTIFICIAL_CELL alone }\n"
                                    "NET_RECEIVE(w) { net_event(t) }\n")
    path = caller.folder / "bad.yaml"

    def with_mods(text, membrane="bad: {}"):
        model(path, text)
        path.write_text(path.read_text().replace("all: {pas:", f"all: {{{membrane}, pas:")
                        .replace("size: 11", "sise: 11"))

    for command in ["validate", "run"]:
        with_mods("bad/bad.mod")
        caller.expect(3, command, path, texts=[f"{mods}/bad.mod:2:11: error: 'a' is declared",
                                                "sise"], absent=["unknown key 'bad'"])
    with_mods("bad/later.mod", "later: {}")
    caller.expect(3, "run", path, texts=[f"{mods}/later.mod:4:15: error: not supported yet"],
                   absent=["unknown key 'later'"])
    with_mods("bad/alone.mod", "alone: {}")
    caller.expect(3, "run", path, texts=["error: cells.c.regions.all.alone: alone is a cell by itself"])
    with_mods("bad/none.mod")
    caller.expect(3, "run", path, texts=[f"{path}:3:14: error: mechanisms[0]: cannot read"])
    (mods / "ih.mod").write_text("NEURON { SUFFIX ih }\nINITIAL { a = 1 }\n")
    with_mods("bad/ih.mod", "pas2: {}")
    caller.expect(3, "run", path, texts=[f"{mods}/ih.mod:2:11: error: 'a' is declared"],
                  absent=["unknown key 'ih'", "gbar"])
    for name in ["one", "two"]:
        shutil.copy(caller.folder / "mods/ih2.mod", mods / f"{name}.mod")
    with_mods("bad/one.mod, bad/two.mod")
    caller.expect(3, "run", path, texts=[f"{mods}/two.mod:9:10: error: the mechanism 'ih2' is also "
                                          f"defined at {mods}/one.mod:9:10"])
    caller.expect(3, "mech", "build", mods, texts=["bad.mod:2:11: error", "ih2"])
    caller.expect(4, "mech", "build", mods / "none.mod", texts=["none.mod"])


def takes_the_place_of_the_built_in(caller):
    """A folder with files that are called like built-in mechanisms loads as it is."""
    folder = caller.folder / "theirs"
    mods = folder / "mods"
    mods.mkdir(parents=True)
    for name in ["kdr", "hh"]:
        text = (CATALOGUE / f"{name}.mod").read_text()
        (mods / f"{name}.mod").write_text(re.sub(r"\bgbar\b", "gmax", text))
    # Keys stay what they are when someone calls a mechanism like one, even of another kind.
    (mods / "iclamp.mod").write_text("NEURON { POINT_PROCESS iclamp ELECTRODE_CURRENT i RANGE amp }\n"
                                     "PARAMETER { amp = 0.05 (na) }\nASSIGNED { i (nA) }\n"
                                     "BREAKPOINT { i = amp }\n")
    (mods / "gap.mod").write_text("NEURON { SUFFIX gap NONSPECIFIC_CURRENT i RANGE g }\n"
                                  "PARAMETER { g = 0 (S/cm2) }\nASSIGNED { v (mV) i (mA/cm2) }\n"
                                  "BREAKPOINT { i = g*(v + 60) }\n")
    text = """hillock: 1
run: {duration: 10 ms, dt: 0.025 ms}
cells:
  c:
    morphology: {branches: [{name: soma, length: 20 um, diameter: 20 um}]}
    regions: {all: {hh: {}, kdr: {GBAR: 0.01 S/cm2}}}
    detector: {at: soma(0.5)}
populations: {p: {cell: c, size: 3}}
projections:
  - {from: p, to: p, connect: all_to_all, gap_junction: {g: 1 nS, at: soma(0.5), peer_at: soma(0.5)}}
stimuli:
  - {iclamp: {amplitude: 0.3 nA, start: 1 ms, duration: 5 ms}, to: "p[0]", at: soma(0.5)}
record:
  - {name: v, of: p, variable: v, at: all, every: 0.1 ms, type: float64}
  - {name: gate, of: p, variable: kdr.m, at: all, every: 0.1 ms, type: float64}
"""
    (folder / "builtin.yaml").write_text(text.replace("GBAR", "gbar"))
    own = text.replace("GBAR", "gmax").replace("cells:\n", "mechanisms: [mods]\ncells:\n", 1)
    (folder / "own.yaml").write_text(own)
    notes = [f"{mods}/{name}: note: '{name.split('.')[0]}' takes the place of the built-in mechanism"
             for name in ["gap.mod:1:17", "iclamp.mod:1:24"]]
    caller.expect(0, "run", folder / "builtin.yaml", absent=["note:"])
    caller.expect(0, "run", folder / "own.yaml", texts=notes)
    ours, theirs = contents(folder / "own.out"), contents(folder / "builtin.out")
    harness.check(ours.keys() == theirs.keys() and len(ours) > 5, "not the same data sets")
    for name, data in theirs.items():
        harness.check(data == ours.get(name), f"{name} differs from the built-in mechanisms'")
    facts = json.loads(harness.run("info", folder / "own.yaml", "--json",
                                   env={"HILLOCK_CACHE": str(caller.cache)}).stdout)
    harness.check([(one["name"], one["replaces_builtin"]) for one in facts["own_mechanisms"]] ==
                  [(name, True) for name in ["gap", "hh", "iclamp", "kdr"]],
                  f"info says of own mechanisms: {facts['own_mechanisms']}")
    told = " ".join(caller.expect(0, "info", folder / "own.yaml", texts=["own mechanisms"]).split())
    harness.check(f"kdr ({mods}/kdr.mod, in place of the built-in one)" in told, f"info says {told}")

    (folder / "wrong.yaml").write_text(own.replace("gmax", "gbar"))
    caller.expect(3, "validate", folder / "wrong.yaml",
                  texts=[f"unknown key 'gbar' in kdr of {mods}/kdr.mod. Known keys: gmax"])
    (folder / "instance.yaml").write_text(own.replace("stimuli:\n", "stimuli:\n  - {point: {iclamp: "
                                                      "{amp: 0.1 nA}, at: soma(0.5)}, to: p}\n")
                                          + "  - {name: i, of: p, variable: iclamp.i, at: all, "
                                          "every: 5 ms}\n")
    caller.expect(0, "run", folder / "instance.yaml")
    with h5py.File(folder / "instance.out/i.h5") as file:
        current = file["report/p/data"][()]
    harness.check(np.array_equal(current, np.full((2, 3), np.float32(0.1))),
                  f"iclamp.i is not that of the file: {current}")
    # The library's files use it as well, and say whose it is when that cannot be.
    (mods / "hh.mod").write_text("NEURON { SUFFIX hh }\nINITIAL { }\n")
    (folder / "ring.yaml").write_text("include: library:ring\nmechanisms: [mods/hh.mod]\n")
    caller.expect(3, "validate", folder / "ring.yaml", texts=["error", f"hh of {mods}/hh.mod"])


def shows_what_a_file_says(caller):
    mods = caller.folder / "theirs/mods"
    lines = caller.expect(0, "mech", "list", mods).splitlines()
    for name in ["kdr", "gap"]:
        line = [line for line in lines if line.startswith(f"{name} ")]
        harness.check(len(line) == 1 and f"{mods}/{name}.mod, in place of the built-in one" in line[0],
                      f"mech list has {line}")
    harness.check(any(line.startswith("expsyn ") and "mod" not in line for line in lines),
                  "mech list has no expsyn")
    shown = caller.expect(0, "mech", "show", mods / "kdr.mod",
                          texts=["takes the place of the built-in kdr"]).splitlines()
    builtin = caller.expect(0, "mech", "show", "kdr", absent=["place of"]).splitlines()
    harness.check([line.replace("gmax", "gbar") for line in shown[:-1]] == builtin,
                  f"mech show says of a file {shown}, of the built-in {builtin}")
    caller.expect(0, "mech", "show", caller.folder / "mods/ih2.mod", absent=["built-in"])
    follows = caller.expect(0, "mech", "show", harness.ROOT / "tests/peer/mechanisms/follows_a_pointer.mod")
    harness.check(re.search(r"^gate +pointer ", follows, re.MULTILINE), f"mech show knows no POINTER in {follows}")
    caller.expect(4, "mech", "show", mods / "none.mod", texts=["none.mod"])
    caller.expect(3, "mech", "show", caller.folder / "bad/bad.mod", texts=["bad.mod:2:11: error"])


UNITS = """NEURON { SUFFIX cased NONSPECIFIC_CURRENT i RANGE g, half, tau, odd }
UNITS { (mv) = (millivolt) (mA) = (milliamp) }
PARAMETER { g = 1e-4 (SIEMENS/CM2) half = -60 (MV) tau = 5 (MS) odd = 1 (bananas) }
ASSIGNED { v (mv) i (MA/cm2) }
BREAKPOINT { i = g*(v - half)/tau*odd }
"""


def reads_units_in_another_case(caller):
    mods = caller.folder / "cased"
    mods.mkdir()
    (mods / "cased.mod").write_text(UNITS)
    caller.expect(0, "mech", "check", mods / "cased.mod",
                  texts=["cased.mod:3:73: warning: the unit (bananas) is unknown; its numbers are plain"])
    path = model(caller.folder / "cased.yaml", "cased, mods")
    good = path.read_text().replace("all: {pas:", "all: {cased: {half: -55 mV, tau: 3 ms, g: 0.2 mS/cm2, "
                                    "odd: 2}, pas:")
    for name in COPIED:
        good = re.sub(rf"\b{name}:", f"{name}2:", good)
        good = re.sub(rf"\b{name}\.", f"{name}2.", good)
    path.write_text(good)
    caller.expect(0, "validate", path, texts=["bananas", "valid"])
    path.write_text(good.replace("3 ms", "3 mV"))
    caller.expect(3, "validate", path, texts=["cased.tau: 3 mV is a voltage; tau must be a time"])


def takes_long_chains(caller):
    """Thousands of values, each in the next, and as many branches: with a small stack and little memory."""
    steps = {"sum": "s = s + exp(v*k)", "nested": "s = exp(-s)", "compared": "s = s < v + k", "counted": "s = s + 1"}
    ends = "\n".join("FROM k = 0 TO 6000 { %s }\ni = i + exp(s)" % step for step in steps.values())
    links = " else ".join(f"if (v > {k}) {{ s = {k} }}" for k in range(1900))
    mod = f"""NEURON {{ SUFFIX chains RANGE s NONSPECIFIC_CURRENT i }}
ASSIGNED {{ s v i }}
INITIAL {{ {links} }}
BREAKPOINT {{
s = v
i = 0
{ends}
}}
"""
    (caller.folder / "chains.mod").write_text(mod)

    def limit():
        resource.setrlimit(resource.RLIMIT_STACK, (2 << 20, 2 << 20))
        resource.setrlimit(resource.RLIMIT_DATA, (256 << 20, 256 << 20))

    done = subprocess.run([harness.HILLOCK, "mech", "check", caller.folder / "chains.mod"], capture_output=True, text=True,
                          preexec_fn=limit)
    harness.check(done.returncode == 0 and "good" in done.stdout, f"exit code {done.returncode}: {done.stderr}")
    longer = links + "".join(f"\nelse if (v > {k}) {{ s = {k} }}" for k in range(1900, 2100))
    (caller.folder / "longer.mod").write_text(mod.replace(links, longer))
    caller.expect(3, "mech", "check", caller.folder / "longer.mod",
                  texts=["longer.mod:104:", "more than 2,000 branches"])
    caller.count += 1


def indexes_long_arrays(caller):
    """What a compartment's voltage was 25 ms before, in an array of 1,024 elements, is what it was."""
    mod = (harness.ROOT / "tests/command/models/remembers.mod").read_text()
    assert "DEFINE N 200" in mod
    (caller.folder / "remembers.mod").write_text(mod.replace("DEFINE N 200", "DEFINE N 1024"))
    (caller.folder / "further.mod").write_text(mod.replace("DEFINE N 200", "DEFINE N 1025"))
    path = caller.folder / "remembers.yaml"
    path.write_text("""hillock: 1
run: {duration: 60 ms, dt: 0.025 ms}
mechanisms: [remembers.mod]
cells: {c: {morphology: {branches: [{name: soma, length: 20 um, diameter: 20 um}]}, regions: {all: {hh: {}}}}}
populations: {p: {cell: c, size: 3}}
stimuli:
  - {iclamp: {amplitude: "0.1 nA * (1 + index)", start: 2 ms, duration: 50 ms}, to: p, at: soma(0.5)}
  - {point: {Remembers: {lag: "25 ms - 5 ms * index", g: 0.01 uS}, at: soma(0.5)}, to: p}
record:
  - {name: v, of: p, variable: v, at: soma(0.5), every: 0.025 ms, type: float64}
  - {name: seen, of: p, variable: Remembers.seen, at: soma(0.5), every: 0.025 ms, type: float64}
""")
    caller.expect(0, "run", path, "--quiet", "-o", caller.folder / "remembered")
    v, seen = (h5py.File(caller.folder / f"remembered/{name}.h5")["report/p/data"][:] for name in ("v", "seen"))
    for cell, lag in enumerate((1000, 800, 600)):
        harness.check(np.ptp(v[:, cell]) > 50 and np.array_equal(seen[lag:, cell], v[:-lag, cell]),
                      f"{cell}: what was {lag} steps ago is something else")
    caller.expect(3, "mech", "check", caller.folder / "further.mod", texts=["further.mod:49:", "1,024 elements"])


def gives_arguments(caller):
    """What NET_RECEIVE takes behind the weight is each connection's own, drawn or by expression."""
    path = caller.folder / "arguments.yaml"
    mod = harness.ROOT / "tests/peer/mechanisms/given_arguments.mod"

    def late(arguments, weight="1 nS"):
        path.write_text(f"""hillock: 1
run: {{duration: 10 ms, dt: 0.1 ms, seed: 4}}
mechanisms: [{mod}]
cells:
  sender: {{artificial: {{intfire: {{}}}}}}
  c: {{morphology: {{branches: [{{name: soma, length: 20 um, diameter: 20 um}}]}}, regions: {{all: {{pas: {{}}}}}}}}
populations: {{a: {{cell: sender, size: 400}}, p: {{cell: c, size: 400}}}}
projections:
  - {{from: a, to: p, connect: one_to_one, synapse: {{given_arguments: {{}}, at: soma(0.5)}}, weight: {weight}, delay: 1 ms,
     arguments: {arguments}}}
stimuli: [{{spikes: {{times: [1 ms]}}, to: a, weight: 2}}]
record: [{{name: late, of: p, variable: given_arguments.late, at: soma(0.5), every: 5 ms, type: float64}}]
""")
        caller.expect(0, "run", path, "--force")
        with h5py.File(caller.folder / "arguments.out/late.h5") as file:
            return file["report/p/data"][1]

    constant = late("{tau: 2.5 ms}")
    harness.check(np.array_equal(constant, np.full(400, 2.5)), f"a constant argument is {constant}")
    drawn = late("{tau: {uniform: {min: 1 ms, max: 3 ms}}, gain: 1, seen: 7}")
    # 400 uniform draws: the mean has the standard error 0.029, the standard deviation one of about 0.013.
    harness.check(abs(drawn.mean() - 2) < 0.12 and abs(drawn.std() - 1 / 3**0.5) < 0.06 and len(set(drawn)) == 400,
                  f"drawn arguments: mean {drawn.mean():g}, sd {drawn.std():g}")
    harness.check(np.array_equal(drawn, late("{tau: {uniform: {min: 1 ms, max: 3 ms}}}", '"1 nS * r"')),
                  "an argument's draws depend on the weight")
    other = late("{gain: {uniform: {min: 1, max: 3}}, tau: \"1 ms + 2 ms * r\"}")
    harness.check(abs(np.corrcoef(drawn, other)[0, 1]) < 0.2, "r is the argument's own draw")
    caller.expect(0, "mech", "show", mod, texts=["weight in uS", "gain in 1, tau in ms, seen in 1, last in ms"])


def reads_another_cells_voltage(caller):
    """A POINTER may be the voltage on the other side of a junction."""
    path = caller.folder / "peer.yaml"
    mods = harness.ROOT / "tests/command/models"

    def validate(code, entry, **more):
        path.write_text(f"""hillock: 1
run: {{duration: 1 ms}}
mechanisms: [{entry}]
cells:
  c: {{morphology: {{branches: [{{name: soma, length: 20 um, diameter: 20 um}}]}}, regions: {{all: {{pas: {{}}}}}}}}
populations: {{p: {{cell: c, size: 3}}}}
projections:
  - {{from: p, to: p, connect: all_to_all, gap_junction: {{mechanism: {{graded: {{gmax: 1 nS}}}}, at: soma(0.5), peer_at: soma(0.5)}}}}
""")
        caller.expect(code, "validate", path, **more)

    validate(0, f"{{file: {mods}/graded.mod, peer: vpre}}")
    validate(3, f"{mods}/graded.mod", texts=["graded has no RANGE variable vgap", "peer:"])
    validate(3, f"{{file: {mods}/graded.mod, peer: vper}}",
             texts=[f"{mods}/graded.mod has no POINTER or RANGE variable 'vper'. Did you mean 'vpre'?"],
             absent=["vgap"])
    folder = caller.folder / "peers"
    folder.mkdir()
    graded = (mods / "graded.mod").read_text()
    for name, text, words in [
            ("writes", graded.replace("s = steady(vpre)", "s = 0 vpre = 1"), "assigns its vpre"),
            ("both", graded.replace("ASSIGNED {", "ASSIGNED { vgap"), "has a variable vgap already"),
            ("membrane", graded.replace("POINT_PROCESS", "SUFFIX"), "is no POINT_PROCESS")]:
        (folder / f"{name}.mod").write_text(text)
        validate(3, f"{{file: {folder}/{name}.mod, peer: vpre}}", texts=[words])


def says_what_the_built_in_says(caller):
    """What an evaluator keeps for itself cannot be recorded, be it built in or a model's own."""
    mods = caller.folder / "same"
    mods.mkdir()
    text = (CATALOGUE / "hh.mod").read_text()
    (mods / "hh9.mod").write_text(re.sub(r"\bSUFFIX hh\b", "SUFFIX hh9", text))
    path = caller.folder / "same.yaml"
    for name, ending in [("hh", ""), ("hh9", "2")]:
        model(path, "same/hh9.mod, mods/*.mod", ending)
        good = path.read_text().replace("soma: {hh: {}", f"soma: {{{name}: {{}}")
        for variable, code in [("m", 0), ("run_constant", 3)]:
            path.write_text(good + f"  - {{name: one, of: p, variable: {name}.{variable}, at: soma(0.5)}}\n")
            for command in ["validate"] if code else ["validate", "run"]:
                caller.expect(code, command, path, *["--force"] * (command == "run"),
                              texts=[f"{name} has no variable 'run_constant'"] if code else [])


def pointers_need_targets(caller):
    mods = caller.folder / "pointing"
    mods.mkdir()
    (mods / "push.mod").write_text("NEURON { SUFFIX push POINTER p RANGE k }\nPARAMETER { k = 2 }\n"
                                   "ASSIGNED { p }\nBREAKPOINT { p = k }\n")
    path = caller.folder / "pointing.yaml"
    for use, text in [("{}", "has no p: a POINTER"), ("{p: pas.h}", "is none of 'pas.h'"),
                      ("{p: pas.g}", "which stands for the parameter pas.g"),
                      ("{p: {x: 1}}", "must name a variable of the place")]:
        model(path, "pointing/push.mod")
        path.write_text(path.read_text().replace("all: {pas:", f"all: {{push: {use}, pas:"))
        caller.expect(3, "run", path, texts=[text])


def junctions_read_what_is_there_once(caller):
    path = caller.folder / "reading.yaml"
    for read, place, text in [("hh.m", "dend(0.5)", "there is none of 'hh.m' at dend(0.5) of p[0]"),
                              ("hh.m", "soma(0)", "there is none of 'hh.m' at soma(0) of p[0]"),
                              ("expsyn.g", "soma(0.5)", "there are several of 'expsyn.g' at soma(0.5) of p[0]")]:
        path.write_text(f"""hillock: 1
run: {{duration: 1 ms}}
cells:
  c: {{morphology: {{branches: [{{name: soma, length: 20 um, diameter: 20 um}},
                              {{name: dend, parent: soma, length: 90 um, diameter: 2 um}}]}},
      regions: {{all: {{pas: {{}}}}, soma: {{hh: {{}}}}}}}}
populations: {{p: {{cell: c, size: 2}}}}
projections:
  - {{from: "p[0]", to: "p[1]", connect: all_to_all,
     gap_junction: {{mechanism: {{gap: {{}}}}, reads: {read}, at: soma(0.5), peer_at: {place}}}}}
stimuli:
  - {{point: {{expsyn: {{tau: 1 ms}}, at: soma(0.5)}}, to: p}}
  - {{point: {{expsyn: {{tau: 2 ms}}, at: soma(0.5)}}, to: p}}
record: [{{name: v, of: p, variable: v, at: soma(0.5)}}]
""")
        caller.expect(3, "run", path, texts=[text])


def events_without_end_are_an_error(caller):
    mods = caller.folder / "looping"
    mods.mkdir()
    (mods / "looper.mod").write_text("NEURON { ARTIFICIAL_CELL looper }\nINITIAL { net_send(1, 1) }\n"
                                     "NET_RECEIVE (w) { net_send(0, 1) }\n")
    path = caller.folder / "looping.yaml"
    path.write_text("""hillock: 1
mechanisms: [looping/looper.mod]
run: {duration: 30 ms, dt: 0.1 ms}
cells: {a: {artificial: {looper: {}}}}
populations: {p: {cell: a, size: 3}}
record: [{name: sp, of: p}]
""")
    caller.expect(5, "run", path, texts=["NET_RECEIVE of looper is called more than a million times",
                                         "at 1 ms in p[0]"])


TABLES = """NEURON { SUFFIX measured NONSPECIFIC_CURRENT i RANGE seen, both }
UNITS { (mA) = (milliamp) (mV) = (millivolt) }
ASSIGNED { v (mV) i (mA/cm2) seen both }
BREAKPOINT { i = flow(v) + fixed(v, 1) seen = uneven(v) both = plane(v, 2*v) }
FUNCTION_TABLE flow(v (mV)) (mA/cm2)
FUNCTION_TABLE fixed(v (mV), w) (mA/cm2)
FUNCTION_TABLE uneven(v (mV))
FUNCTION_TABLE plane(v (mV), w (mV))
"""
GIVEN = {"flow": "{values: [-0.004, 0.001, 0.002, 0.001], from: -90, to: -30}", "fixed": "-0.0005",
         "uneven": "{csv: uneven.csv}",
         "plane": "{values: [[0, 2, 4], [1, 3, 5]], from: [-100, -200], to: [0, 0]}"}


def uses_tables(caller):
    """Recorded values against NumPy's interpolation; steps against backward Euler with the tables' slopes."""
    folder = caller.folder / "tables"
    folder.mkdir()
    (folder / "measured.mod").write_text(TABLES)
    points = [-100, -66, -61, -58.5, 0], [3, 1, 4, 1, 5]
    (folder / "uneven.csv").write_text("x,value\n" + "".join(f"{x},{y}\n" for x, y in zip(*points)))
    path = folder / "model.yaml"

    def write(tables):
        given = "".join(f"      {name}: {text}\n" for name, text in tables.items())
        path.write_text(f"""hillock: 1
run: {{duration: 20 ms, dt: 0.25 ms, v_init: -45 mV}}
mechanisms:
  - file: measured.mod
    tables:
{given}cells:
  c:
    morphology: {{branches: [{{name: soma, length: 20 um, diameter: 20 um}}]}}
    regions: {{all: {{cm: 1 uF/cm2, measured: {{}}}}}}
populations: {{p: {{cell: c, size: 3}}}}
record:
  - {{name: v, of: p, variable: v, at: all, every: 0.25 ms, type: float64}}
  - {{name: seen, of: p, variable: measured.seen, at: all, every: 0.25 ms, type: float64}}
  - {{name: both, of: p, variable: measured.both, at: all, every: 0.25 ms, type: float64}}
""")

    write(GIVEN)
    caller.expect(0, "validate", path, absent=["compiling"])
    caller.expect(0, "run", path, texts=["compiling measured"])
    data = {}
    for name in ["v", "seen", "both"]:
        with h5py.File(folder / f"model.out/{name}.h5") as file:
            data[name] = file["report/p/data"][:, 0]
    v, before = data["v"], data["v"][:-1]
    harness.check(np.ptp(v) > 10, f"v hardly moves: {v}")
    for name, expected in [("seen", np.interp(before, *points)), ("both", 5 + before / 20)]:
        apart = np.abs(data[name][1:] - expected).max()
        harness.check(apart < 1e-12, f"{name} is {apart:g} from its table")
    x, y = np.array([-90, -70, -50, -30]), np.array([-0.004, 0.001, 0.002, 0.001])
    slope = (np.diff(y) / np.diff(x))[np.searchsorted(x, before, side="right") - 1]
    current = np.interp(before, x, y) - 0.0005  # mA/cm2; 1 uF/cm2 is 1e-3 mA.ms/(mV.cm2)
    apart = np.abs(np.diff(v) + current / (1e-3 / 0.25 + slope)).max()
    harness.check(apart < 1e-9, f"steps differ by {apart:g} mV from those with the tables' slopes")

    write(GIVEN | {"fixed": "0.0"})
    caller.expect(0, "run", path, "--force", texts=["compiling measured"])
    write({name: text for name, text in GIVEN.items() if name != "plane"} | {"plan": "1"})
    caller.expect(3, "validate", path, texts=["has no FUNCTION_TABLE 'plan'. Did you mean 'plane'?"])
    write({name: text for name, text in GIVEN.items() if name != "plane"})
    caller.expect(3, "run", path, texts=[f"{path}:4:11: error: FUNCTION_TABLE plane of {folder}/measured.mod "
                                         "has no table: give one under `tables`"])
    among = folder / "among"
    among.mkdir()
    shutil.copy(folder / "measured.mod", among)
    beside = folder / "beside.yaml"
    beside.write_text("""hillock: 1
run: {duration: 1 ms}
mechanisms: [among]
cells: {c: {morphology: {branches: [{name: soma, length: 20 um, diameter: 20 um}]}, regions: {all: {pas: {}}}}}
populations: {p: {cell: c, size: 1}}
""")
    caller.expect(0, "validate", beside, texts=["warning: FUNCTION_TABLE", "the file is left out, as the model does not"])
    caller.expect(0, "mech", "check", folder / "measured.mod", texts=["good"])
    caller.expect(0, "mech", "build", folder / "measured.mod", absent=["built "],
                  texts=["measured.mod:5:16: warning: not built: the model that uses it gives the table of flow"])


def main():
    with harness.scratch() as folder:
        caller = Caller(pathlib.Path(folder))
        own = equals_the_catalogue(caller)
        compiles_once(caller, own)
        is_shared_by_processes(caller)
        needs_a_compiler(caller, own)
        places_errors(caller)
        takes_the_place_of_the_built_in(caller)
        shows_what_a_file_says(caller)
        reads_units_in_another_case(caller)
        takes_long_chains(caller)
        indexes_long_arrays(caller)
        gives_arguments(caller)
        reads_another_cells_voltage(caller)
        says_what_the_built_in_says(caller)
        pointers_need_targets(caller)
        junctions_read_what_is_there_once(caller)
        events_without_end_are_an_error(caller)
        uses_tables(caller)
    harness.finish(caller.count, "calls")


if __name__ == "__main__":
    main()
