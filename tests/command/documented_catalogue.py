#!/usr/bin/env python3
"""The catalogue is what lies in its folder: `mech list` names it, and docs/mechanisms.md has every
mechanism with its parameters, their defaults and units, and no other."""

import re

import harness

FILES = sorted(path.stem for path in (harness.ROOT / "mechanisms/catalogue").glob("*.mod"))


def said(*words):
    done = harness.run(*words)
    harness.check(done.returncode == 0, f"{' '.join(words)}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout.splitlines()


def parameters_of(name):
    """{parameter: (default, unit)} as `mech show` has them; a POINTER has no default."""
    rows = [line.split() for line in said("mech", "show", name)]
    return {row[0]: (float(row[3]), row[2]) for row in rows if row[1:2] == ["parameter"]}


def documented():
    """{mechanism: {parameter: (default, unit)}} of the tables that have a column of defaults."""
    found, column = {}, None
    for line in (harness.ROOT / "docs/mechanisms.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")] if line.startswith("|") else []
        if "parameters and defaults" in cells:
            column = cells.index("parameters and defaults")
        elif not cells:
            column = None
        elif column and (name := re.match(r"`(\w+)`", cells[0])):
            parts = re.findall(r"`(\w+)` (-?[\d.e-]+)(?: ([^\s,]+))?", cells[column])
            found[name[1]] = {key: (float(value), unit or "1") for key, value, unit in parts}
    return found


def main():
    harness.check(len(FILES) > 20, f"only {len(FILES)} files in the catalogue")
    listed = [line.split()[0] for line in said("mech", "list")]
    harness.check(listed == FILES, f"mech list has {listed}, the folder {FILES}")
    pages = documented()
    harness.check(sorted(pages) == FILES, f"docs/mechanisms.md has {sorted(pages)}, the folder {FILES}")
    for name in FILES:
        expected = parameters_of(name)
        harness.check(pages.get(name) == expected,
                      f"{name}: docs/mechanisms.md has {pages.get(name)}, the mechanism {expected}")
    harness.finish(len(FILES), "mechanisms")


if __name__ == "__main__":
    main()
