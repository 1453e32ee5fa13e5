#!/usr/bin/env python3
"""Fails when the command says something past simulator/command/terminal/report.hpp, which makes all words
printable: whatever a model or the name of a file holds, no text of it steers a terminal.

  words_are_printable.py ROOT
"""

import pathlib
import re
import sys

from simulator_lines import lines_outside

PAST_IT = re.compile(r"\b(fmt::(v?print|println)|std::(v?print|println|cout|cerr|clog|puts)|f?puts|f?printf|"
                     r"fwrite|putchar)\b")


def violations(root):
    """Yields (file, line, text) for each way of writing that goes past it."""
    for name, number, line in lines_outside(root, lambda name: name == "simulator/command/terminal/report.hpp"):
        if found := PAST_IT.search(line.split("//")[0]):
            yield name, number, found.group(0)


def main():
    root = pathlib.Path(sys.argv[1])
    text = (root / "simulator/command/terminal/report.hpp").read_text()
    if "printable" not in text or not PAST_IT.search(text):
        sys.exit("report.hpp does not write printable words: this check looks at the wrong thing")
    found = list(violations(root))
    for name, line, text in found:
        print(f"{name}:{line}: {text} goes past report.hpp (use print or report)")
    print(f"{len(found)} ways past report.hpp")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
