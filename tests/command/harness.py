"""Runs the hillock command for the tests of this folder. Not here: what is checked."""

import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
HILLOCK = pathlib.Path(os.environ.get("HILLOCK", ROOT / "build/release/hillock")).resolve()
# What is checked here is checked on the CPU, which a run takes where it sees no GPU.
os.environ["CUDA_VISIBLE_DEVICES"] = ""
FAILURES = []
LEFT_OUT = []

sys.path.insert(0, str(ROOT / "bench"))
from needs import SKIPPED, Needs, peers_are_required  # noqa: E402,F401


def need(*modules):
    """Ends the script when hillock or one of these Python modules is missing."""
    Needs().program(HILLOCK, "build it with ./dev build, or name another in HILLOCK") \
        .modules(*modules).check()


need()


def environment(**more):
    return dict(os.environ, **more)


def run(*words, env=None, timeout=300):
    """The finished process of `hillock words`."""
    return subprocess.run([str(HILLOCK), *map(str, words)], capture_output=True, text=True,
                          timeout=timeout, env=environment(**(env or {})))


def check(condition, message):
    """Notes a failure, and goes on."""
    if not condition:
        FAILURES.append(message)
        print("FAIL", message)


def leave_out(what):
    """Notes a part that cannot be run here: the script ends as skipped, if not as failed."""
    LEFT_OUT.append(what)
    print("left out:", what)


def need_gpu(env=None):
    """Lets all that is run see GPUs. Ends the script as skipped where there is none; as failed when REQUIRE_GPU=1."""
    os.environ.pop("CUDA_VISIBLE_DEVICES", None)
    done = run("info", ROOT / "examples/ring/ring.yaml", "--backend", "cuda", env=env)
    if done.stderr.startswith("hillock: --backend cuda: "):
        print("left out:", done.stderr.strip())
        sys.exit(1 if os.environ.get("REQUIRE_GPU") == "1" else SKIPPED)


def scratch():
    return tempfile.TemporaryDirectory(prefix="hillock-test-")


def finish(count, what):
    print(f"{count} {what}, {len(FAILURES)} failures")
    if count == 0 and not LEFT_OUT:
        sys.exit("nothing was checked")
    sys.exit(1 if FAILURES else SKIPPED if LEFT_OUT else 0)
