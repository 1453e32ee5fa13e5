#!/usr/bin/env python3
"""Question: how much memory does each rank of MPI take, and does `hillock info --ranks` say so beforehand? The peak of
the resident set of every rank (what wait4() says of its process), on one thread a rank, of models of different kinds:
cells that all spike at once, random trees, many connections, gap junctions.

    bench/cpu/rank_memory.py [--hillock PROGRAM] [--ranks N,N,…] [--part N] [--only NAME]
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import memory
import models
import peak
import scaling


def coupled(number):
    """Cells of one compartment, each with 20 gap junctions to others."""
    model = memory.points(number, {"fixed_indegree": {"number": 10}}, "1 nS", "1 ms")
    model["projections"] = [{"from": "p", "to": "p", "connect": {"fixed_indegree": {"number": 10}},
                             "gap_junction": {"g": "0.01 nS", "at": "soma(0.5)", "peer_at": "soma(0.5)"}}]
    return model


def all_models(part):
    """{name: (model, pairs.csv or none)}; of part N an N-th of the cells or connections."""
    return {
        "balanced, 400 synapses": (scaling.balanced(40000 // part, 20, 400), None),
        "balanced, 80 synapses": (scaling.balanced(40000 // part, 20, 80), None),
        "busyring": models.busyring(4096 // part, 5, 20),
        "alike connections": (memory.points(10000, {"fixed_indegree": {"number": 2000 // part}}, "1e-6 uS", "2 ms"), None),
        "gap junctions": (coupled(40000 // part), None),
    }


def environment():
    return dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


def peaks_of(program, ranks, model, folder):
    """[rank] peak.Peak."""
    launcher = ["mpirun", "--oversubscribe", "-n", str(ranks)] if ranks > 1 else []
    done = subprocess.run([*launcher, sys.executable, peak.__file__, folder, program, "run", model, "-o", folder / "out",
                           "--force", "--quiet", "--threads", "1", "--backend", "cpu"],
                          capture_output=True, text=True, env=environment())
    if done.returncode != 0:
        sys.exit(f"{ranks} ranks: exit code {done.returncode}\n{done.stderr[-2000:]}")
    return [peak.Peak(*json.loads((folder / str(rank)).read_text())) for rank in range(ranks)]


def told(program, ranks, model):
    """[rank] bytes, of ranks that have a thread each."""
    here = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(here)[:1])
    try:
        done = subprocess.run([program, "info", "--json", "--ranks", str(ranks), model], capture_output=True, check=True)
    finally:
        os.sched_setaffinity(0, here)
    return [rank["memory_bytes"] for rank in json.loads(done.stdout)["ranks"]]


def measure(program, ranks, model, pairs):
    """What info says in bytes, and the peaks as peak.Peak, [rank]."""
    with tempfile.TemporaryDirectory(prefix="hillock-memory-") as scratch:
        folder = pathlib.Path(scratch)
        path = folder / "model.yaml"
        path.write_text(model if isinstance(model, str) else json.dumps(model))
        if pairs:
            (folder / "pairs.csv").write_text(pairs)
        return told(program, ranks, path), peaks_of(program, ranks, path, folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hillock", type=pathlib.Path, default=pathlib.Path("build/release/hillock"))
    parser.add_argument("--ranks", default="1,2,4")
    parser.add_argument("--part", type=int, default=1, help="N: an N-th of the cells or connections")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    print(f"{'model':<26}{'ranks':>6}{'info, MB':>16}{'peaks, MB':>16}{'ratio':>14}")
    for name, (model, pairs) in all_models(options.part).items():
        if options.only not in name:
            continue
        for ranks in map(int, options.ranks.split(",")):
            said, peaks = measure(options.hillock.resolve(), ranks, model, pairs)
            peaks = [one.bytes for one in peaks]
            ratios = [a / b for a, b in zip(said, peaks)]

            def span(values, form):
                return f"{min(values):{form}} to {max(values):{form}}" if len(values) > 1 else f"{values[0]:{form}}"
            print(f"{name:<26}{ranks:>6}{span([b / 1e6 for b in said], '.1f'):>16}"
                  f"{span([b / 1e6 for b in peaks], '.1f'):>16}{span(ratios, '.2f'):>14}", flush=True)


if __name__ == "__main__":
    main()
