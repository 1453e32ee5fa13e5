#!/usr/bin/env python3
"""Whatever happens to the directory of a run that was killed, --resume gives the bytes of the run that nobody stopped
or refuses.  Kills a run at random moments, damages what it left, and resumes it.

    damaged_runs.py [--count N] [--undamaged N] [--seed S]
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import random
import shutil
import signal
import subprocess
import time

import harness

MODEL = harness.ROOT / "tests/command/models/mixed.yaml"
SETTINGS = ["--set", "run.duration=1500ms"]
PAGE = 4096


def h5_files(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*.h5"))}


def killed(folder, wait_s, *settings):
    """Leaves what a run has when it is killed so long after its first checkpoint; False where it was over."""
    shutil.rmtree(folder, ignore_errors=True)
    running = subprocess.Popen([harness.HILLOCK, "run", MODEL, "-o", folder, "--quiet", "--threads", "1",
                                "--checkpoint-every", "50ms", "--flush-interval", "0.01", *SETTINGS, *settings])
    while running.poll() is None and not (folder / "run.checkpoint").exists():
        time.sleep(0.002)
    time.sleep(wait_s)
    running.send_signal(signal.SIGKILL)
    return running.wait() != 0


def flip(path, r, _):
    data = bytearray(path.read_bytes())
    for _ in range(r.choice([1, 1, 3, 40])):
        data[r.randrange(len(data))] ^= 1 << r.randrange(8)
    path.write_bytes(data)


def truncate(path, r, _):
    os.truncate(path, int(path.stat().st_size * r.choice([0, 0.01, 0.3, 0.9, 0.999])))


def append(path, r, _):
    with open(path, "ab") as file:
        file.write(r.randbytes(r.choice([1, PAGE, 100000])))


def exchange_pages(path, r, _):
    data = bytearray(path.read_bytes())
    pages = max(1, len(data) // PAGE)
    a, b = (PAGE * r.randrange(pages) for _ in range(2))
    data[a:a + PAGE], data[b:b + PAGE] = data[b:b + PAGE], data[a:a + PAGE]
    path.write_bytes(data)


def clear_page(path, r, _):
    data = bytearray(path.read_bytes())
    at = PAGE * r.randrange(max(1, len(data) // PAGE))
    data[at:at + PAGE] = bytes(len(data[at:at + PAGE]))
    path.write_bytes(data)


def of_another_run(path, r, others):
    """The same file of a run with another seed, or of this one at another moment."""
    there = [other / path.name for other in others if (other / path.name).exists()]
    if there:
        shutil.copy(r.choice(there), path)


def another_file(path, r, _):
    shutil.copy(r.choice(sorted(path.parent.iterdir())), path.parent / "copied")
    os.replace(path.parent / "copied", path)


def gone(path, _r, _):
    path.unlink()


def fifo(path, _r, _):
    path.unlink()
    os.mkfifo(path)


def folder_instead(path, _r, _):
    path.unlink()
    path.mkdir()


def device(path, r, _):
    path.unlink()
    path.symlink_to(r.choice(["/dev/zero", "/dev/null", "/dev/tty", "nowhere"]))


DAMAGES = [flip, flip, flip, truncate, append, exchange_pages, clear_page, of_another_run, another_file, gone, fifo,
           folder_instead, device]


def resumed(folder, want):
    """How a directory is resumed: 'same', 'refused', or what is wrong."""
    try:
        done = subprocess.run([harness.HILLOCK, "run", MODEL, "-o", folder, "--quiet", "--resume", "--threads", "1", *SETTINGS],
                              capture_output=True, text=True, timeout=60)
    except subprocess.TimeoutExpired:
        return "hangs"
    if done.returncode == 0:
        return "same" if h5_files(folder) == want else "other bytes"
    return "refused" if done.returncode in (3, 4) and done.stderr else f"ended with {done.returncode}: {done.stderr[-300:]}"


def attempt(number, seed, bases, want, scratch):
    """(what was done, what came of it)"""
    r = random.Random(seed * 1_000_003 + number)
    base = bases[number % 3]
    folder = scratch / f"attempt{number}"
    shutil.copytree(base, folder)
    damage = r.choice(DAMAGES)
    path = r.choice(sorted(path for path in folder.iterdir() if path.stat().st_size > 0))
    name = path.name
    damage(path, r, [other for other in bases if other != base])
    outcome = resumed(folder, want)
    shutil.rmtree(folder)
    return f"{damage.__name__} {name}", outcome


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=60, help="damaged directories")
    parser.add_argument("--undamaged", type=int, default=6, help="others")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    r = random.Random(options.seed)
    with harness.scratch() as name, concurrent.futures.ThreadPoolExecutor(2) as pool:
        scratch = pathlib.Path(name)
        done = harness.run("run", MODEL, "-o", scratch / "whole", "--quiet", *SETTINGS)
        harness.check(done.returncode == 0, f"the whole run: {done.stderr}")
        want = h5_files(scratch / "whole")
        for number in range(options.undamaged):
            if killed(scratch / "killed", r.uniform(0, 0.25)):
                outcome = resumed(scratch / "killed", want)
                harness.check(outcome == "same", f"killed run {number}: {outcome}")
        bases = [scratch / f"base{k}" for k in range(5)]
        for k, base in enumerate(bases):
            while not killed(base, r.uniform(0.02, 0.15), *(["--set", f"run.seed={k}"] if k > 2 else [])):
                pass
        jobs = [pool.submit(attempt, number, options.seed, bases, want, scratch) for number in range(options.count)]
        table = collections.Counter()
        for number, job in enumerate(jobs):
            what, outcome = job.result()
            table[what.split()[0], outcome if outcome in ("same", "refused") else "WRONG"] += 1
            harness.check(outcome in ("same", "refused"), f"attempt {number}: {what}: {outcome}")
    for (what, outcome), times in sorted(table.items()):
        print(f"{what:16} {outcome:8} {times}")
    harness.finish(options.count + options.undamaged, "directories resumed")


if __name__ == "__main__":
    main()
