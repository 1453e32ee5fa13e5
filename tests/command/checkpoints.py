#!/usr/bin/env python3
"""Runs that are killed go on from their last checkpoint: the files of the resumed run are, byte for byte, those of a
run that nobody disturbed.  Killed where: after a checkpoint at a random step, and at random moments of runs that save
all the time.  Damaged checkpoints, and those of other runs, are refused with the reason."""

import argparse
import pathlib
import random
import signal
import subprocess
import time

import harness

harness.need("yaml")

MODELS = harness.ROOT / "tests/command/models"
# (name, file, options that make the run long enough to be killed)
RUNS = [("ring", harness.ROOT / "examples/ring/ring.yaml", ["run.duration=500 ms"]),
        ("mixed", MODELS / "mixed.yaml", ["run.duration=1000 ms"]),
        ("saved", MODELS / "saved.yaml", ["run.duration=1000 ms"]),
        ("events", MODELS / "events.yaml", ["run.duration=1000 ms"]),
        ("potentials", MODELS / "potentials.yaml", ["run.duration=300 ms"]),
        ("fields", MODELS / "fields.yaml", ["run.duration=300 ms"]),
        ("layers", MODELS / "layers.yaml", ["run.duration=300 ms"]),
        ("points", MODELS / "points.yaml", ["run.duration=4000 ms"]),
        ("plastic", MODELS / "only_plastic.yaml", ["run.duration=4000 ms"]),
        ("balanced", harness.ROOT / "examples/balanced_network/balanced_network.yaml", ["run.duration=60 ms"])]


def steps_of(model, settings):
    """(duration, dt) in ms, dt as the model has it."""
    import yaml
    text = yaml.safe_load(model.read_text())
    dt = float(str(text["run"]["dt"]).split()[0])
    return float(settings[0].split("=")[1].split()[0]), dt


def arguments(model, out, settings, *more):
    sets = [word for setting in settings for word in ("--set", setting)]
    return ["run", model, "-o", out, "--quiet", *sets, *more]


def outputs(folder):
    return {path.name: path.read_bytes() for path in folder.glob("*.h5")}


def compare(what, found, expected):
    harness.check(found.keys() == expected.keys(), f"{what}: {sorted(found)}")
    for name in expected:
        harness.check(found.get(name) == expected[name], f"{what}: {name} differs")


def start(words):
    return subprocess.Popen([harness.HILLOCK, *map(str, words)], stderr=subprocess.PIPE, text=True)


def resume(model, out, settings, *more):
    done = harness.run(*arguments(model, out, settings, "--resume", *more))
    harness.check(done.returncode == 0, f"{out}: cannot be resumed: {done.stderr}")
    left = sorted(p.name for p in out.iterdir())
    harness.check(not any("checkpoint" in name or "partial" in name or "new" in name for name in left),
                  f"{out}: left over: {left}")


def killed_after_a_checkpoint(folder, number, moments):
    """One run for each model; returns how many."""
    checked = 0
    for name, model, settings in RUNS:
        whole = folder / name
        if not whole.exists():
            done = harness.run(*arguments(model, whole, settings))
            harness.check(done.returncode == 0, f"{name}: {done.stderr}")
        expected = outputs(whole)
        duration, dt = steps_of(model, settings)
        for _ in range(number):
            out = folder / f"{name}.killed"
            step = moments.randrange(1, int(0.9 * duration / dt))
            process = start(arguments(model, out, settings, "--checkpoint-every", f"{step * dt!r} ms",
                                      "--threads", moments.choice("123")))
            while not (out / "run.checkpoint").exists() and process.poll() is None:
                time.sleep(0.0005)
            process.send_signal(signal.SIGKILL)
            process.wait()
            harness.check(process.returncode == -signal.SIGKILL, f"{name}: ended before it was killed, "
                                                                 f"step {step}: {process.stderr.read()}")
            resume(model, out, settings, "--threads", moments.choice("123"),
                   "--epoch-steps", moments.choice(["1", "7", "400"]))
            compare(f"{name}, saved at step {step}", outputs(out), expected)
            subprocess.run(["rm", "-r", out], check=True)
            checked += 1
    return checked


def killed_while_saving(folder, kills, moments):
    """Saves at every moment, is killed at any, and is resumed until it is over."""
    name, model, settings = RUNS[1]
    whole = folder / "saving.whole"
    settings = ["run.duration=600 ms"]
    harness.run(*arguments(model, whole, settings))
    expected = outputs(whole)
    out = folder / "saving"
    killed = 0
    while killed < kills:
        words = arguments(model, out, settings, "--checkpoint-every", "0.25 ms", "--threads", "2")
        if (out / "run.json").exists() and not (out / "run.checkpoint").exists() or (out / "run.checkpoint").exists():
            words.append("--resume")
        process = start(words)
        while not (out / "flush.log").exists() and process.poll() is None:
            time.sleep(0.001)
        time.sleep(moments.uniform(0, 0.12))
        process.send_signal(signal.SIGKILL)
        process.wait()
        if process.returncode == 0:  # it was over before
            compare(f"after {killed} kills", outputs(out), expected)
            subprocess.run(["rm", "-r", out], check=True)
            continue
        harness.check(process.returncode == -signal.SIGKILL, f"kill {killed}: {process.stderr.read()}")
        killed += 1
    resume(model, out, settings)
    compare(f"after {killed} kills", outputs(out), expected)
    return killed


def a_signal_saves(folder):
    name, model, settings = RUNS[1]
    expected = outputs(folder / name)
    for sent in (signal.SIGTERM, signal.SIGINT):
        out = folder / "stopped"
        process = start(arguments(model, out, settings, "--checkpoint-wall", "1h"))
        while not (out / "flush.log").exists() and process.poll() is None:
            time.sleep(0.001)
        time.sleep(0.01)  # a quick machine is done in a tenth of a second
        process.send_signal(sent)
        process.wait()
        harness.check(process.returncode == 128 + sent, f"{sent}: {process.returncode}")
        harness.check((out / "run.checkpoint").exists(), f"{sent}: nothing was saved")
        told = process.stderr.read()
        harness.check("--resume" in told, f"{sent}: {told}")
        again = harness.run(*arguments(model, out, settings))
        harness.check(again.returncode == 4 and "--resume goes on" in again.stderr,
                      f"a saved run is not replaced: {again.returncode} {again.stderr}")
        resume(model, out, settings)
        compare(f"after {sent}", outputs(out), expected)
        subprocess.run(["rm", "-r", out], check=True)
    return 2


def damages(data, moments):
    """(what, bytes) of checkpoints that nobody should go on from."""
    yield "empty", b""
    yield "text", b"this is no checkpoint\n"
    yield "another version", data.replace(b"checkpoint 4\n", b"checkpoint 3\n", 1)
    yield "longer", data + b"\0"
    yield "twice", data + data
    yield "zeros at the end", data[:-4096] + bytes(4096)
    yield "no hash", data[:-64]
    for part in (0.01, 0.3, 0.5, 0.9):
        yield f"cut at {part}", data[:int(part * len(data))]
    for cut in (1, 2, 63, 65, 100):
        yield f"cut by {cut}", data[:-cut]
    while True:
        at = moments.randrange(len(data))
        flipped = bytes([data[at] ^ (1 << moments.randrange(8))])
        yield f"bit at {at}", data[:at] + flipped + data[at + 1:]


def refused(folder, kinds, moments):
    name, model, settings = RUNS[1]
    out = folder / "damaged"
    process = start(arguments(model, out, settings, "--checkpoint-every", "300 ms"))
    while not (out / "run.checkpoint").exists() and process.poll() is None:
        time.sleep(0.0005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    good = (out / "run.checkpoint").read_bytes()
    count = 0

    def check(what, words, reason, code=4, leaves_record=True):
        nonlocal count
        record = (out / "run.json").read_bytes()
        done = harness.run(*words)
        harness.check(done.returncode == code and reason in done.stderr and "internal" not in done.stderr,
                      f"{what}: {done.returncode} {done.stderr}")
        harness.check(not leaves_record or (out / "run.json").read_bytes() == record, f"{what}: run.json is as it was")
        count += 1

    for what, data in damages(good, moments):
        if count == kinds:
            break
        (out / "run.checkpoint").write_bytes(data)
        reason = ("damaged" if data.startswith(b"hillock checkpoint 4\n") else
                  "another version of hillock" if data.startswith(b"hillock checkpoint ") else "no checkpoint")
        check(what, arguments(model, out, settings, "--resume"), reason)
    (out / "run.checkpoint").write_bytes(good)
    check("another duration", arguments(model, out, ["run.duration=900 ms"], "--resume"), "--set run.duration=1000 ms")
    check("no --set", arguments(model, out, [], "--resume"), "--set run.duration=1000 ms")
    changed = folder / "changed.yaml"
    changed.write_text(model.read_text() + "\n# changed\n")
    check("another model", arguments(changed, out, settings, "--resume"), "another model file")
    check("--force with --resume", arguments(model, out, settings, "--resume", "--force"), "--force", 2)
    for option, value in (("every", "0 ms"), ("every", "5 mV"), ("every", "soon"), ("wall", "-1 s"), ("wall", "5")):
        check(f"--checkpoint-{option} {value}",
              arguments(model, out, settings, f"--checkpoint-{option}={value}", "--resume"), "is not a time", 2)
    for name in ("spikes.h5.partial", "soma.h5.partial"):
        partial = out / name
        if not partial.exists():
            partial = sorted(out.glob("*.h5.partial"))[0]
        kept = partial.read_bytes()
        partial.unlink()
        check(f"without {partial.name}", arguments(model, out, settings, "--resume"), "is not there", leaves_record=False)
        partial.write_bytes(kept[:len(kept) // 3])
        check(f"a third of {partial.name}", arguments(model, out, settings, "--resume"), "cannot be resumed", leaves_record=False)
        partial.write_bytes(kept)
    resume(model, out, settings)
    compare("after all that was refused", outputs(out), outputs(folder / RUNS[1][0]))
    empty = folder / "empty"
    done = harness.run(*arguments(model, empty, settings, "--resume"))
    harness.check(done.returncode == 0 and "no checkpoint" in done.stderr, f"nothing to resume: {done.stderr}")
    compare("nothing to resume", outputs(empty), outputs(folder / RUNS[1][0]))
    again = harness.run(*arguments(model, empty, settings, "--resume"))
    harness.check(again.returncode == 0 and "holds the complete run" in again.stderr, f"a complete run: {again.stderr}")
    return count + 2


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=2, help="random steps a model")
    parser.add_argument("--kills", type=int, default=8, help="while a checkpoint is written")
    parser.add_argument("--damages", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    moments = random.Random(options.seed)
    with harness.scratch() as folder:
        folder = pathlib.Path(folder)
        count = killed_after_a_checkpoint(folder, options.steps, moments)
        print(f"{count} runs were killed after a checkpoint and resumed", flush=True)
        killed = killed_while_saving(folder, options.kills, moments)
        print(f"{killed} kills of runs that save all the time", flush=True)
        count += killed + a_signal_saves(folder)
        told = refused(folder, options.damages, moments)
        print(f"{told} refusals", flush=True)
        count += told
    harness.finish(count, "runs checked")


if __name__ == "__main__":
    main()
