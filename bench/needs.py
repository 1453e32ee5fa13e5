"""What a script needs, looked at before it begins: everything that is missing is named in one message,
with how to get it.  Not here: what the scripts do."""

import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys

# ctest's word for a test that did not run, or not all of it: SKIP_RETURN_CODE in tests/CMakeLists.txt.
SKIPPED = 77
# Debian's packages of Python modules.
PACKAGES = {"h5py": "python3-h5py", "matplotlib": "python3-matplotlib", "neuron": "python3-neuron",
            "numpy": "python3-numpy", "scipy": "python3-scipy", "selenium": "python3-selenium", "yaml": "python3-yaml"}


def peers_are_required(from_pypi=False):
    """Whether a peer that is missing is a failure. REQUIRE_PEERS=1: those that Debian packages; all: every one."""
    return os.environ.get("REQUIRE_PEERS") in (("all",) if from_pypi else ("1", "all"))


class Needs:
    def __init__(self):
        self.missing = []

    def add(self, what, how):
        self.missing.append(f"{what}: {how}")
        return self

    def program(self, path, how):
        """A path, or a name on $PATH."""
        if not shutil.which(str(path)):
            self.add(f"no program {path}", how)
        return self

    def file(self, path, how="give the path of one"):
        if not pathlib.Path(path).is_file():
            self.add(f"no file {path}", how)
        return self

    def modules(self, *names, python=None):
        """Modules of this interpreter, or of another."""
        absent = [name for name in names if not (_imports(python, name) if python else
                                                 importlib.util.find_spec(name))]
        for name in absent:
            how = f"apt-get install {PACKAGES[name]}, for /usr/bin/python3" if name in PACKAGES \
                else f"pip install {name}"
            self.add(f"{python or sys.executable} has no module {name}", how)
        return self

    def writable(self, path):
        """A file that the script will write, or the folder of its files."""
        path = pathlib.Path(path)
        if path.is_file():
            right = os.access(path, os.W_OK)
        else:
            folder = path if path.is_dir() else path.parent
            right = folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)
        if not right:
            self.add(f"{path} cannot be written", "make its folder, or choose another place")
        return self

    def cores(self, count):
        found = len(os.sched_getaffinity(0))
        if found < count:
            self.add(f"{found} core{'s' if found > 1 else ''} of the {count} that are measured",
                     "use another machine")
        return self

    def check(self):
        """Ends the script, with status 2, when something is missing."""
        if self.missing:
            name = pathlib.Path(sys.argv[0]).name
            print(f"{name}: cannot begin:", *self.missing, sep="\n  ", file=sys.stderr)
            sys.exit(2)


def check_files(read, folder=None):
    """Ends the script when a file that it reads is missing, or its folder cannot be made."""
    needs = Needs()
    for path in read:
        needs.file(path)
    if folder is not None:
        try:
            pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            needs.add(f"{folder} cannot be made ({error.strerror})", "choose another folder")
        else:
            needs.writable(folder)
    needs.check()


def _imports(python, module):
    try:
        return subprocess.run([str(python), "-c", f"import {module}"], capture_output=True,
                              env=dict(os.environ, NEURON_MODULE_OPTIONS="-nogui")).returncode == 0
    except OSError:
        return False
