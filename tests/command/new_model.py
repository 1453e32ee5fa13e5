#!/usr/bin/env python3
"""`hillock new` makes models that are valid, without a warning, and run as they are, and overwrites
nothing."""

import json
import pathlib
import subprocess

import harness

TEMPLATES = sorted((harness.ROOT / "simulator/command/templates").glob("*.yaml"))


def run(folder, code, *words, **env):
    done = subprocess.run([harness.HILLOCK, *words], capture_output=True, text=True, cwd=folder, timeout=120,
                          env=harness.environment(**env))
    harness.check(done.returncode == code, f"{words}: {done.returncode}, not {code}\n{done.stderr}")
    return done


def works(folder, template):
    kind = template.stem
    name = f"{kind} here.yaml"
    made = run(folder, 0, "new", name, "--kind", kind)
    harness.check(made.stdout == f"{name}: made. Next: hillock run '{name}'\n", made.stdout)
    text = (folder / name).read_text()
    harness.check(text == template.read_text(), f"{name} is not {template.name}")
    lines = text.splitlines()
    harness.check(len(lines) <= 70 and max(map(len, lines)) <= 105, f"{template.name} is too long to read")
    harness.check(sum("#" in line for line in lines) >= 10, f"{template.name} has few comments")
    valid = run(folder, 0, "validate", name)
    harness.check(valid.stderr == "", f"{name}: {valid.stderr}")
    run(folder, 0, "run", name, "-o", kind)
    summary = json.loads((folder / kind / "run.json").read_text())
    harness.check(summary["spikes"] > 0 and summary["mean_rate_hz"] < 200, f"{kind}: {summary['spikes']} spikes")
    harness.check(len(summary["outputs"]) > 1, f"{kind} records no variable")
    harness.check(run(folder, 0, "new", "-", "--kind", kind).stdout == text, f"{kind}: standard output has another text")


def overwrites_nothing(folder):
    made = run(folder, 0, "new")
    harness.check(made.stdout == "model.yaml: made. Next: hillock run model.yaml\n", made.stdout)
    harness.check((folder / "model.yaml").read_text() == TEMPLATES[0].read_text(), "the usual one is not cells.yaml")
    made = run(folder, 0, "new", "from_dev.yaml", HILLOCK_CALLED="./dev")
    harness.check(made.stdout == "from_dev.yaml: made. Next: ./dev run from_dev.yaml\n", made.stdout)
    (folder / "model.yaml").write_text("mine")
    (folder / "link.yaml").symlink_to("nowhere")
    for name in ("model.yaml", "link.yaml", "."):
        refused = run(folder, 4, "new", name)
        harness.check("not overwritten" in refused.stderr, refused.stderr)
    harness.check((folder / "model.yaml").read_text() == "mine" and not (folder / "nowhere").exists(), "it was")
    run(folder, 4, "new", "none/model.yaml")
    refused = run(folder, 2, "new", "other.yaml", "--kind", "cell")
    known = ", ".join(sorted(template.stem for template in TEMPLATES))
    harness.check("Did you mean 'cells'?" in refused.stderr and not (folder / "other.yaml").exists(), refused.stderr)
    told = refused.stderr.split("Known: ")[1].split(" (")[0]
    harness.check(", ".join(sorted(told.split(", "))) == known, f"kinds: {told}, files: {known}")


def main():
    with harness.scratch() as folder:
        folder = pathlib.Path(folder)
        for template in TEMPLATES:
            works(folder, template)
        overwrites_nothing(folder)
    harness.finish(len(TEMPLATES), "models to start from")


if __name__ == "__main__":
    main()
