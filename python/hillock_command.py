"""Starts the command, which lies in the package `hillock`. A module of its own: the package takes a while to import."""

import importlib.util
import os
import sys


def main():
    found = importlib.util.find_spec("hillock")
    for folder in found.submodule_search_locations or () if found else ():
        program = os.path.join(folder, "hillock")
        if os.path.isfile(program):
            os.execv(program, ["hillock", *sys.argv[1:]])
    sys.exit("hillock: the command is not in the package hillock that Python finds"
             + (f" ({found.origin}), which is another's" if found else ": there is none")
             + ". It comes with pip install hillock-sim")


if __name__ == "__main__":
    main()
