"""Goes through the simulator room's source, for the checks beside this file."""


def lines_outside(root, exempt):
    """Yields (file, line number, line) of simulator/ where exempt(file) is false."""
    for path in sorted((root / "simulator").rglob("*.?pp")):
        name = path.relative_to(root).as_posix()
        if not exempt(name):
            for number, line in enumerate(path.read_text().splitlines(), 1):
                yield name, number, line
