"""Compiles .mod files for Debian's NEURON and loads them.

Not here: what is done with them.  Debian's nrnivmodl looks for its makefile beside itself, where it
does not lie; and one wrong file stops its whole list.  So each file goes through nocmodl and the C
compiler by itself, and the objects become one library.
"""

import concurrent.futures
import os
import pathlib
import re
import resource
import shutil
import subprocess

from parity import skip

# NEURON has mechanisms of these names: the files that replace them get another one there.
TAKEN = {"hh": "hh_mod", "pas": "pas_mod"}

LIBRARY_FOLDERS = ("/usr/lib/nrn", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib")


class Refused(Exception):
    """NEURON refuses a file: its name and what nocmodl or the compiler said."""

    def __init__(self, path, text):
        super().__init__(f"{path}: {text}")
        self.path, self.text = path, text


def neuron_name(name):
    """A mechanism's name in NEURON."""
    return TAKEN.get(name, name)


def load(h, files, folder):
    """Compiles the files in folder, with at most two processes at once, and loads the mechanisms."""
    library, refused = build(files, folder)
    if refused:
        raise next(iter(refused.values()))
    h.nrn_load_dll(str(library))


def written(texts, folder):
    """The files of mechanisms, {name: text}, in a folder."""
    files = [pathlib.Path(folder) / f"{name}.mod" for name in texts]
    for path in files:
        path.write_text(texts[path.stem])
    return files


def build(files, folder):
    """(the library, {stem: Refused}): what NEURON refuses is left out."""
    tools = {name: shutil.which(name) for name in ("nocmodl", "cc", "c++")}
    missing = [name for name, path in tools.items() if not path]
    if missing or not pathlib.Path("/usr/share/nrn/lib/nrnunits.lib").exists():
        skip(f"mechanisms for NEURON need {', '.join(missing) or 'nrnunits.lib'} (packages neuron-dev, g++)")
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for path in files:  # what the files INCLUDE lies beside them
        for included in pathlib.Path(path).parent.glob("*.inc"):
            shutil.copy(included, folder)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda path: _compile(pathlib.Path(path), folder), files))
    refused = {result.path.stem: result for result in results if isinstance(result, Refused)}
    stems = [path.stem for path in map(pathlib.Path, files) if path.stem not in refused]
    return _link(stems, folder), refused


def _compile(path, folder):
    stem = path.stem
    text = path.read_text()
    for name, other in TAKEN.items():
        text = re.sub(rf"(\bSUFFIX\s+){name}\b", rf"\g<1>{other}", text)
    if "BBCOREPOINTER" in text and "VERBATIM" not in text:
        # NEURON wants functions in C beside it, for CoreNEURON alone; to NEURON itself it is a POINTER.
        text = text.replace("BBCOREPOINTER", "POINTER")
    (folder / path.name).write_text(text)
    environment = dict(os.environ, MODLUNIT="/usr/share/nrn/lib/nrnunits.lib")
    for command in (["nocmodl", path.name],
                    ["cc", "-O2", "-w", "-fPIC", "-DHAVE_CONFIG_H", "-I.", "-I/usr/include",
                     "-c", f"{stem}.c", "-o", f"{stem}.o"]):
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True,
                              preexec_fn=_in_little_memory)
        if done.returncode:
            return Refused(path, (done.stdout + done.stderr)[-1500:])
    return stem


def _in_little_memory():
    """nocmodl eats all memory on two DERIVATIVE blocks that are both solved."""
    resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))


def _link(stems, folder):
    declared = "".join(f"void _{stem}_reg(void);\n" for stem in stems)
    called = "".join(f"  _{stem}_reg();\n" for stem in stems)
    (folder / "mod_func.cpp").write_text(
        f'extern "C" {{\n{declared}void modl_reg() {{\n{called}}}\n}}\n')
    library = folder / "libnrnmech.so"
    search = [f"-L{path}" for path in LIBRARY_FOLDERS if pathlib.Path(path).is_dir()]
    done = subprocess.run(["c++", "-shared", "-fPIC", "-o", library.name, "mod_func.cpp",
                           *[f"{stem}.o" for stem in stems], *search, "-lnrniv"],
                          cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise Refused(library, done.stderr[-1500:])
    return library
