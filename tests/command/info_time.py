#!/usr/bin/env python3
"""`hillock info --time`: a short piece of a run, what follows from it for the whole, and no file."""

import json
import pathlib
import signal
import subprocess

import harness

RING = (harness.ROOT / "examples/ring/ring.yaml").read_text()


def say(folder, code, *words, text=None):
    done = subprocess.run([harness.HILLOCK, "info", *words], capture_output=True, text=True, cwd=folder, timeout=120,
                          input=text)
    harness.check(done.returncode == code, f"{words}: {done.returncode}, not {code}\n{done.stderr}")
    return done


def near(found, expected):
    return abs(found - expected) <= 1e-9 * abs(expected)


def adds_up(told, duration_ms):
    """What is estimated follows from what was measured."""
    harness.check(told["duration_ms"] == duration_ms, f"{told['duration_ms']} ms")
    harness.check(near(told["set_up_s"], told["read_s"] + told["build_s"] + told["initialise_s"]), "set-up is no sum")
    harness.check(near(told["estimated_s"], told["set_up_s"] + told["run_s"]), "the whole is no sum")
    left_s = (duration_ms - told["tried_ms"]) / told["biological_ms_per_s"]
    harness.check(near(told["run_s"], told["tried_s"] + left_s), f"the run does not follow from the trial: {told}")
    harness.check(near(told["s_per_biological_s"] * told["biological_ms_per_s"], 1000), "two speeds")


def of_a_short_run(folder):
    """All of it is run, so that it is known: no machine needs two seconds for it."""
    short = ["--set", "run.duration=100 ms"]
    told = json.loads(say(folder, 0, "m.yaml", "--time", "--json", "--threads", "1", *short).stdout)
    adds_up(told, 100)
    harness.check(told["tried_all"] and told["tried_ms"] == 100 and near(told["mean_rate_hz"], 1.6), f"{told}")
    harness.check(told["backend"] == "cpu" and told["threads"] == 1, f"{told}")
    words = say(folder, 0, "-", "--time", *short, text=RING).stdout
    harness.check("all of it; a cell spikes at 1.6 Hz in the mean" in words and "about" not in words, words)


def of_a_long_run(folder):
    """Of more than any machine does in two seconds."""
    hours = ["--set", "run.duration=10000 s"]
    told = json.loads(say(folder, 0, "m.yaml", "--time", "--json", *hours).stdout)
    adds_up(told, 1e7)
    harness.check(not told["tried_all"] and 0 < told["tried_ms"] < 1e6, f"{told}")
    words = " ".join(say(folder, 0, "m.yaml", "--time", "--backend", "cpu", *hours).stdout.split())
    for text in ("in all about ", "set-up ", "for 10000000 ms of biological time", "ms/s (biological time by wall time)",
                 "the first ", "Where activity changes later"):
        harness.check(text in words, f"no '{text}' in {words}")


def what_it_refuses(folder):
    for words in (["--ranks", "2"], ["--branches", "ball_and_sticks"]):
        harness.check("--time goes with neither" in say(folder, 2, "m.yaml", "--time", *words).stderr, f"{words}")
    say(folder, 2, "m.yaml", "--threads", "2")
    say(folder, 2, "m.yaml", "--time", "--backend", "cuda")  # no GPU is shown to it
    say(folder, 3, "m.yaml", "--time", "--set", "run.dt=0")
    process = subprocess.Popen([harness.HILLOCK, "info", "--time", "m.yaml", "--set", "run.duration=10000 s"],
                               stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=folder)
    line = process.stderr.readline()
    harness.check(line.startswith("running  ") and "  0 spikes" not in line, f"it does not tell how it runs: {line}")
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=60)
    harness.check(process.returncode == 143 and out == "", f"stopped: {process.returncode}, {out}{err}")


def main():
    with harness.scratch() as folder:
        folder = pathlib.Path(folder)
        (folder / "m.yaml").write_text(RING)
        of_a_short_run(folder)
        of_a_long_run(folder)
        what_it_refuses(folder)
        harness.check([file.name for file in folder.iterdir()] == ["m.yaml"], "it has written something")
    harness.finish(9, "estimates")


if __name__ == "__main__":
    main()
