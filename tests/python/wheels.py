"""The wheel that ./dev wheel makes, for its tests."""

import os
import pathlib
import sys


def skip(why):
    """Ends the script as skipped; as failed when REQUIRE_PYTHON=1."""
    print(why)
    sys.exit(1 if os.environ.get("REQUIRE_PYTHON", "0") == "1" else 77)


def wheel_in(folder):
    """The one for this Python."""
    wheels = list(pathlib.Path(folder).glob(f"hillock_sim-*-cp3{sys.version_info.minor}-*.whl"))
    if len(wheels) != 1:
        skip(f"there is no wheel in {folder}: ./dev wheel makes it")
    return wheels[0]
