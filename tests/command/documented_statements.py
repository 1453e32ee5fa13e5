#!/usr/bin/env python3
"""What the documentation says is so: its links lead somewhere, the options and Python's names that it mentions are
there, its commands and Python's snippets run, and the defaults that it names are those that a run has."""

import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys

import harness

harness.need("h5py", "numpy")

import h5py  # noqa: E402
import numpy as np  # noqa: E402

PAGES = [harness.ROOT / "README.md", harness.ROOT / "CONTRIBUTING.md", *sorted((harness.ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```([^\n]*)\n(.*?)^```", re.M | re.S)
#: Commands that install, build, measure or submit something, or that other tests run.
NOT_HERE = re.compile(r"apt-get|pip |docker|apptainer|cmake|git clone|mod_sweep|modeldb\.py|\./dev (test|bench|wheel|docs|aarch64)|build/aarch64|^ninja |drawn\.py|^#|source|"
                      r"python3 -m venv|my_script|make_model|simulation_config|examples/gallery|^venv/|srun")
#: Options of Python's, CoreNEURON's, mpirun's and Slurm's.
OF_OTHERS = {"--command", "--gpu", "--bind-to", "--mca", "--mpi", "--cpus-per-task", "--gpus-per-node", "--ntasks-per-node",
             "--signal"}
PACKAGE = harness.HILLOCK.parent / "python"
checks = 0


def expect(condition, message):
    global checks
    checks += 1
    harness.check(condition, message)


def name_of(page):
    return str(page.relative_to(harness.ROOT))


def prose_of(page):
    """Without blocks of code."""
    return BLOCK.sub("", page.read_text())


def anchors_of(page):
    """As web pages of such files name their headings."""
    titles = re.findall(r"^#+ (.*)$", prose_of(page), re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def check_links():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", prose_of(page))):
            if re.match(r"[a-z]+:", target):
                continue
            file, _, anchor = target.partition("#")
            path = (page.parent / file).resolve() if file else page
            expect(path.exists(), f"{name_of(page)}: {target} is not there")
            if path.exists() and anchor and path.suffix == ".md":
                expect(anchor in anchors_of(path), f"{name_of(page)}: {target} is no heading")


def check_options():
    """Every option that is mentioned with the command, or alone, is one of some command of hillock's, of dev's, or
    that a script adds."""
    words = re.findall(r"^  (\w+)  ", harness.run("--help").stdout, re.M)
    known = harness.run("--help").stdout + (harness.ROOT / "dev").read_text()
    for folder in ("bench", "tests"):
        for script in (harness.ROOT / folder).rglob("*.py"):
            known += " ".join(["", *re.findall(r"add_argument\(\"(--[a-z-]+)", script.read_text())])
    known += (harness.ROOT / "bench/options.cpp").read_text()
    for word in words:
        known += harness.run(word, "--help").stdout
        for inner in re.findall(r"^  (\w+)  ", harness.run(word, "--help").stdout, re.M):
            known += harness.run(word, inner, "--help").stdout
    options = set(re.findall(r"--[a-z][a-z-]+", known))
    expect({"--threads", "--quiet", "--set"} <= options, f"options: {sorted(options)}")
    for page in PAGES:
        spans = re.findall(r"`([^`\n]+)`", prose_of(page)) + \
            [line for kind, text in BLOCK.findall(page.read_text()) if kind == "sh" for line in text.splitlines()]
        for span in spans:
            if re.match(r"(\./dev |hillock |--[a-z])", span) and not NOT_HERE.search(span):
                for option in re.findall(r"(?<!\S)--[a-z][a-z-]+", span.split("#")[0]):
                    if option not in OF_OTHERS:
                        expect(option in options, f"{name_of(page)}: there is no option {option} (`{span}`)")



def values_of(directory):
    """{file and dataset: numbers} of a run."""
    found = {}
    for path in sorted(directory.glob("*.h5")):
        with h5py.File(path) as file:
            file.visititems(lambda name, one, path=path: found.update({f"{path.name}/{name}": one[()]})
                            if isinstance(one, h5py.Dataset) else None)
    return found


def check_defaults(folder):
    """A run whose default is written out is the same run."""
    model = harness.ROOT / "examples/ring/ring.yaml"
    short = ["--quiet", "--force", "--set", "run.duration=20 ms"]
    text = (harness.ROOT / "docs/model-file.md").read_text()
    table = text[text.index("\n## run\n"):text.index("\n### Rest\n")]
    rows = [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in table.splitlines()
            if line.startswith("| `")]
    given = re.findall(r"^  (\w+):", model.read_text()[model.read_text().index("run:"):], re.M)
    plain = folder / "plain"
    expect(harness.run("run", model, "-o", plain, *short).returncode == 0, "the ring runs")
    for key, _, default, *_ in rows:
        if default in ("required", "none") or key in given:
            continue
        done = harness.run("run", model, "-o", folder / key, *short, "--set", f"run.{key}={default}")
        expect(done.returncode == 0, f"run.{key}: {default} is taken: {done.stderr}")
        if done.returncode == 0:
            ours, theirs = values_of(plain), values_of(folder / key)
            expect(ours.keys() == theirs.keys() and all(np.array_equal(ours[one], theirs[one]) for one in ours),
                   f"run.{key} is {default} by default")
    expect(len(rows) > 10, f"the table of run's keys: {rows}")


def check_words(folder):
    """Units, prefixes and functions of expressions that the model's page lists."""
    text = (harness.ROOT / "docs/model-file.md").read_text()
    symbols = re.search(r"Units are the symbols ([\w ]+) and their", text)[1].split()
    prefixes = re.search(r"with the prefixes ([\w ]+?) \(or", text)[1].split() + \
        re.search(r"\(or µ\) ([\w ]+);", text)[1].split()
    for unit in [*symbols, *(prefix + "V" for prefix in prefixes), "volt", "siemens", "mho"]:
        said = harness.run("validate", harness.ROOT / "examples/ring/ring.yaml", "--set", f"run.seed=1 {unit}").stderr
        said += harness.run("validate", harness.ROOT / "examples/ring/ring.yaml", "--set", f"run.dt=1 {unit}").stderr
        expect("is not a unit" not in said, f"{unit} is a unit: {said}")
    functions = re.search(r"parentheses, (exp [a-z ]+),", text)[1].split()
    for function in functions:
        arguments = "0.5, 0.2" if function in ("min", "max", "mod") else "0.5"
        done = harness.run("validate", harness.ROOT / "examples/ring/ring.yaml", "--set",
                           f"run.duration=1 ms * (10 + floor({function}({arguments})))")
        expect(done.returncode == 0, f"{function} is a function: {done.stderr}")
    expect(len(symbols) > 15 and len(prefixes) > 8 and len(functions) > 8, f"{symbols} {prefixes} {functions}")


def check_commands(folder):
    """Lines of shells, as they stand, in a folder like a clone's."""
    programs = folder / "bin"
    programs.mkdir()
    (programs / "hillock").symlink_to(harness.HILLOCK)
    (folder / "dev").symlink_to(harness.HILLOCK)
    shutil.copytree(harness.ROOT / "examples", folder / "examples")
    for path in (folder / "examples").rglob("*.yaml"):  # in small
        path.write_text(re.sub(r"(\bduration: )[\d.e]+ (ms|s)\b", r"\g<1>50 ms", path.read_text(), count=1))
    harness.run("new", folder / "model.yaml")
    harness.run("run", folder / "examples/pyramidal_network/pyramidal_network.yaml", "-o",
                folder / "examples/pyramidal_network/pyramidal_network.out", "--quiet")
    for page in PAGES:
        for kind, text in BLOCK.findall(page.read_text()):
            for line in text.splitlines() if kind == "sh" else ():
                if not line.strip() or NOT_HERE.search(line):
                    continue
                if "new net.yaml" in line:
                    (folder / "net.yaml").unlink(missing_ok=True)
                    shutil.rmtree(folder / "net.out", ignore_errors=True)
                done = subprocess.run(["bash", "-c", line], cwd=folder, capture_output=True, text=True, timeout=300,
                                      env=harness.environment(PATH=f"{programs}:{os.environ['PATH']}",
                                                              SLURM_ARRAY_TASK_ID="3"))
                expect(done.returncode == 0, f"{name_of(page)}: `{line}` ends with {done.returncode}: {done.stderr}")


def check_python(folder):
    """Names of the package, and the snippets of its pages one after the other."""
    sys.path.insert(0, str(PACKAGE))
    import hillock
    os.chdir(folder)
    for page in PAGES:
        if page.parent.name == "decisions":
            continue
        for whole, name in re.findall(r"\b(hillock\.([A-Za-z]\w*))\(", page.read_text()):
            expect(hasattr(hillock, name), f"{name_of(page)}: there is no {whole}")
    for page in ("README.md", "docs/python.md", "docs/figures.md", "docs/coming-from.md"):
        scope = {}
        if page == "docs/figures.md" and not importlib.util.find_spec("matplotlib"):
            continue
        for kind, text in BLOCK.findall((harness.ROOT / page).read_text()):
            if not kind.startswith("python"):
                continue
            if not importlib.util.find_spec("efel"):
                text = re.sub(r".*\.efel\(.*\n", "", text)
            text = text.replace(", 1000)}", ", 10)}")  # in small
            try:
                exec(text, scope)
                expect(True, "")
            except Exception as error:
                expect(False, f"{page}: {type(error).__name__}: {error} in\n{text}")


def main():
    check_links()
    check_options()
    with harness.scratch() as name:
        folder = pathlib.Path(name)
        check_words(folder)
        check_defaults(folder)
        check_commands(folder)
        if importlib.util.find_spec("hillock") or list(PACKAGE.glob("hillock/_hillock*.so")):
            check_python(folder)
        else:
            harness.leave_out("Python's snippets: the package is not built")
        os.chdir("/")
    harness.finish(checks, "statements")


if __name__ == "__main__":
    main()
