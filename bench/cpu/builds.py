"""Runs one or two builds of hillock, for the scripts that compare them."""

import argparse
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent))
from needs import Needs  # noqa: E402


def parser_of(doc):
    """With --hillock and --before."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hillock", default=ROOT / "build/release/hillock", type=pathlib.Path)
    parser.add_argument("--before", type=pathlib.Path, help="another build of hillock")
    return parser


def programs_of(options):
    """This build and, if it was named, the other one. Ends the script when one is missing."""
    needs = Needs().program(options.hillock, "build it with ./dev build, or name it with --hillock")
    if options.before:
        needs.program(options.before, "a build of hillock")
    needs.check()
    return [program.resolve() for program in (options.hillock, options.before) if program]


def timings(program, model, threads=1):
    """{part: seconds} of one run."""
    out = model.with_suffix(".out")
    subprocess.run([program, "run", model, "-o", out, "--force", "--quiet", "--threads", str(threads)], check=True,
                   capture_output=True, env=dict(os.environ, CUDA_VISIBLE_DEVICES=""))  # on the CPU
    return json.loads((out / "run.json").read_text())["timings_s"]
