#!/usr/bin/env python3
"""Lists of connections on several ranks, each of which reads a part of them: the bytes of one process, and what is
wrong with a row ends all with the message that one process has. Skipped without MPI; fails without it when
REQUIRE_MPI=1."""

import json
import pathlib
import random

import h5py

import harness
import mpi

CELLS, ROWS = 40, 900
MODEL = f"""hillock: 1
run: {{duration: 40 ms, dt: 0.1 ms, seed: 3}}
cells:
  point: {{artificial: {{intfire: {{tau: 12 ms}}}}}}
  ball:
    morphology: {{branches: [{{name: soma, length: 20 um, diameter: 20 um}}]}}
    regions: {{all: {{hh: {{}}}}}}
    detector: {{at: soma(0.5)}}
populations: {{points: {{cell: point, size: {CELLS}}}, balls: {{cell: ball, size: {CELLS}}}}}
stimuli:
  - {{poisson: {{rate: 400 Hz}}, to: points, weight: 0.6}}
projections:
  - {{from: points, to: points, connect: {{list: {{csv: named.csv}}}}, weight: 0.1, delay: 1 ms}}
  - {{from: points, to: balls, connect: {{list: {{csv: plain.csv}}}}, synapse: {{expsyn: {{tau: 2 ms}}, at: soma(0.5)}},
     weight: {{uniform: {{min: 0 nS, max: 1 nS}}}}, delay: "1 ms + 2 ms * r"}}
  - {{from: "points[10:40]", to: "balls[5:35]", connect: {{list: {{hdf5: edges.h5, source: s, target: t, weight: w}}}},
     synapse: {{expsyn: {{tau: 2 ms}}, at: soma(0.5)}}, weight: 1 nS, delay: 2 ms}}
  - {{from: balls, to: points, connect: {{list: [[0, 1], [39, 1], [2, 38], [2, 38], [5, 5]]}}, weight: 0.3, delay: 1 ms}}
  - {{from: balls, to: balls, connect: {{list: {{csv: gaps.csv}}}},
     gap_junction: {{g: "1 nS * r", at: soma(0.5), peer_at: soma(0.5)}}}}
record:
  - {{name: spikes, of: points}}
  - {{name: v, of: balls, variable: v, at: soma(0.5), every: 1 ms}}
"""


def write_lists(folder):
    draws = random.Random(5)
    pairs = [(draws.randrange(CELLS), draws.randrange(CELLS)) for _ in range(ROWS)]
    named = ["# drawn", "target,delay,source,weight"]
    named += [f"{t},{draws.randint(10, 90) / 10},{s},{draws.randint(0, 30) / 100}" for s, t in pairs]
    (folder / "named.csv").write_text("\n".join(named) + "\n")
    (folder / "plain.csv").write_text("".join(f"{s},{t}\r\n" for s, t in pairs))
    (folder / "gaps.csv").write_text("source,target\n" + "".join(f"{i},{(7 * i + 1) % CELLS}\n" for i in range(CELLS)))
    with h5py.File(folder / "edges.h5", "w") as file:
        file["s"] = [s % 30 for s, _ in pairs]
        file["t"] = [t % 30 for _, t in pairs]
        file.create_dataset("w", data=[draws.random() / 1000 for _ in pairs], compression="gzip", chunks=(100,))
    return named


def run(folder, ranks, *options):
    return mpi.run(ranks, "run", folder / "model.yaml", "-o", folder / f"{ranks}.out", "--force", "--quiet",
                   "--threads", 1, *options)


def same_bytes(folder):
    count = 0
    done = run(folder, 1)
    harness.check(done.returncode == 0, f"one process: {done.stderr}")
    wanted = mpi.outputs(folder / "1.out")
    one = json.loads((folder / "1.out/run.json").read_text())
    harness.check(len(wanted) == 2 and one["spikes"] > 100, f"{list(wanted)}, {one['spikes']} spikes")
    for ranks, placement in ((2, "cost"), (3, "blocks"), (4, "round_robin"), (5, "cost")):
        done = run(folder, ranks, "--set", f"run.placement={placement}")
        harness.check(done.returncode == 0, f"{ranks} ranks: {done.stderr}")
        got = mpi.outputs(folder / f"{ranks}.out")
        harness.check(got == wanted, f"{ranks} ranks by {placement}: other bytes")
        told = json.loads((folder / f"{ranks}.out/run.json").read_text())
        harness.check(told["spikes"] == one["spikes"], f"{ranks} ranks: {told['spikes']} spikes")
        count += 1
    return count


def same_message(folder, file, text, place):
    """What one process says of a wrong row, and which part it is in."""
    (folder / file).write_text(text)
    alone = run(folder, 1)
    harness.check(alone.returncode == 3 and place in alone.stderr, f"{place}: {alone.stderr}")
    line = next(line for line in alone.stderr.splitlines() if place in line)
    for ranks in (2, 3):
        done = run(folder, ranks)
        harness.check(done.returncode == 3, f"{ranks} ranks: exit code {done.returncode}\n{done.stderr}")
        said = [said for said in done.stderr.splitlines() if ": error:" in said]
        harness.check(len(said) == 1 and line in said[0], f"{ranks} ranks do not say '{line}':\n{done.stderr}")
    return 2


def looked_at(folder):
    """One process that tells of ranks knows all rows."""
    count = 4 * ROWS - ROWS + 5
    info = json.loads(harness.run("info", "--json", folder / "model.yaml").stdout)
    harness.check(info["connections"] == count, f"info: {info['connections']} connections, not {count}")
    harness.check(info["gap_junctions"] == CELLS, f"info: {info['gap_junctions']} gap junctions")
    told = json.loads(harness.run("info", "--json", "--ranks", "3", folder / "model.yaml").stdout)
    synapses = sum(rank["synapses"] for rank in told["ranks"])
    harness.check(synapses == info["synapses"], f"info --ranks: {synapses} synapses, not {info['synapses']}")
    return 3


def main():
    mpi.need()
    with harness.scratch() as scratch:
        folder = pathlib.Path(scratch)
        (folder / "model.yaml").write_text(MODEL)
        named = write_lists(folder)
        count = same_bytes(folder) + looked_at(folder)
        last = f"{CELLS},1,1,1"
        count += same_message(folder, "named.csv", "\n".join([*named, last]) + "\n", f"named.csv:{len(named) + 1}:1")
        named[5] = named[5].replace(",", ",x", 1)
        count += same_message(folder, "named.csv", "\n".join(named), "named.csv:6:")
        count += same_message(folder, "named.csv", "source,target\n", "named.csv:1:1: error")
    harness.finish(count, "runs")


if __name__ == "__main__":
    main()
