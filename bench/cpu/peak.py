#!/usr/bin/env python3
"""Runs a command and says how much memory its process had at most.

    bench/cpu/peak.py FOLDER COMMAND…

puts it into a file of FOLDER, named by the rank of MPI that this is, and ends as the command does."""

import json
import os
import pathlib
import subprocess
import sys
import time
from typing import NamedTuple

EVERY_S = 0.002


class Peak(NamedTuple):
    """What a process took, in bytes."""
    bytes: int        # the peak of its resident set, as wait4() says
    unread_code: int  # of the program and its libraries, what never came into memory: it differs from build to build

    @property
    def with_all_code(self):
        """As it would be had the process read all of its code, which is what `hillock info` counts."""
        return self.bytes + self.unread_code


def unread_code_of(pid):
    """Bytes of code that are not in memory; None when the process has ended."""
    try:
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
        told = dict(line.split(":", 1) for line in status.splitlines())
        code, libraries, files = (1024 * int(told[name].split()[0]) for name in ("VmExe", "VmLib", "RssFile"))
    except (OSError, KeyError):
        return None
    return max(0, code + libraries - files)


def wait(process):
    """The Peak of a process that subprocess started, when it has ended."""
    unread = 0
    while True:
        last = unread_code_of(process.pid)
        unread = unread if last is None else last
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return Peak(usage.ru_maxrss * 1024, unread)
        time.sleep(EVERY_S)


def main():
    folder, *command = sys.argv[1:]
    with subprocess.Popen(command) as process:
        peak = wait(process)
    (pathlib.Path(folder) / os.environ.get("OMPI_COMM_WORLD_RANK", "0")).write_text(json.dumps(peak))
    sys.exit(process.returncode)


if __name__ == "__main__":
    main()
