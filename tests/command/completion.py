#!/usr/bin/env python3
"""Shells complete the command's words: what bash offers is what help tells of, and zsh and fish, where
they are there, offer the same of what is tried."""

import os
import pathlib
import pty
import re
import shutil
import subprocess

import harness

BASH = r"""
source script.bash
while IFS= read -r line; do
  read -ra COMP_WORDS <<< "$line"
  [[ $line == *" " ]] && COMP_WORDS+=("")
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMPREPLY=()
  _hillock
  echo "${COMPREPLY[*]}"
done
"""
FISH = r"""
source script.fish
while read line
  echo (complete -C $line | string replace -r '\t.*' '')
end
"""
FILES = ["a.yaml", "b.yml", "c.txt", "d.mod", "sub/e.yaml"]
# What is typed, what is offered (in any order), and what is not.
CASES = [("hillock ru", ["run"], []),
         ("hillock mech ", ["build", "check", "list", "show"], ["run"]),
         ("hillock run --backend ", ["auto", "cpu", "cuda"], []),
         ("hillock info a.yaml --backend cu", ["cuda"], ["cpu"]),
         ("hillock run --exchange ne", ["neighbours"], []),
         ("hillock new --kind ", ["cells", "morphology", "points"], []),
         ("hillock completion ", ["bash", "fish", "zsh"], []),
         ("hillock mech show nm", ["nmda"], []),
         ("hillock run ", ["a.yaml", "b.yml", "sub"], ["c.txt", "d.mod"]),
         ("hillock run --set run.seed=1 -", ["--output", "--backend", "--json"], ["--branches"]),
         ("hillock run -o ", ["sub"], ["a.yaml"]),
         ("hillock run --threads 2 a", ["a.yaml"], []),
         ("hillock run -o run sub/", ["sub/e.yaml"], []),
         ("hillock mech check ", ["d.mod", "sub"], ["a.yaml"]),
         ("hillock validate --se", ["--set"], [])]


def offered(program, script, lines, folder):
    done = subprocess.run([*program, script], input="".join(line + "\n" for line in lines), capture_output=True,
                          text=True, cwd=folder, timeout=60)
    harness.check(done.stderr == "", f"{program[0]}: {done.stderr}")
    return [{word.rstrip("/") for word in line.split()} for line in done.stdout.splitlines()]


def check_cases(shell, answers):
    harness.check(len(answers) == len(CASES), f"{shell}: {len(answers)} answers to {len(CASES)} lines")
    for (line, wanted, unwanted), found in zip(CASES, answers):
        # fish names files with the right endings first, and the others behind them.
        are_files = shell == "fish" and any("." in word for word in unwanted)
        right = found.issuperset(wanted) and (are_files or not found.intersection(unwanted))
        harness.check(right, f"{shell}: '{line}' gives {sorted(found)}, not {wanted}")


def help_of(*words):
    return harness.run(*words, "--help").stdout


def commands_below(*words):
    """All commands, as help tells of them, with the program itself."""
    found = [words]
    page = help_of(*words)
    if "\nSubcommands:\n" in page:
        for name in re.findall(r"^  (\S+)", page.split("\nSubcommands:\n")[1], re.M):
            if name != "bench":  # whose options are of another program
                found += commands_below(*words, name)
    return found


def offers_all_of_help(folder):
    """No command, no option and no word of a choice is missing."""
    count = 0
    for command in commands_below():
        page = help_of(*command)
        typed = " ".join(["hillock", *command])
        options = {name for names in re.findall(r"^  (-[\w,-]+)", page, re.M) for name in names.split(",")}
        harness.check("--help" in options, f"{typed}: help is read wrongly")
        found, = offered(["bash"], "ask.bash", [typed + " -"], folder)
        harness.check(found == options, f"{typed}: offers {found}, and has {options}")
        for name, words in re.findall(r"^  (?:-\w,)?(--[\w-]+) (\w+(?:\|\w+)+)", page, re.M):
            found, = offered(["bash"], "ask.bash", [f"{typed} {name} "], folder)
            harness.check(found == set(words.split("|")), f"{typed} {name}: offers {found}, and takes {words}")
            count += 1
        count += 1
    return count


def completes_what_is_typed(folder):
    """In a bash that somebody types into."""
    ours, theirs = pty.openpty()
    bash = subprocess.Popen(["bash", "--norc", "--noprofile", "-i"], stdin=theirs, stdout=theirs, stderr=theirs,
                            cwd=folder, start_new_session=True, env=dict(os.environ, TERM="dumb", PS1="$ "))
    os.close(theirs)
    typed = "source script.bash; hillock() { echo \"got:$*\"; }\nhillock ru\t--backen\tcud\ta\t\nexit\n"
    os.write(ours, typed.encode())
    text = b""
    while True:
        try:
            block = os.read(ours, 4096)
        except OSError:
            break
        if not block:
            break
        text += block
    os.close(ours)
    bash.wait(60)
    harness.check(b"got:run --backend cuda a.yaml" in text, f"typed: {text.decode(errors='replace')}")
    return 1


def main():
    with harness.scratch() as folder:
        folder = pathlib.Path(folder)
        for name in FILES:
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text("")
        (folder / "ask.bash").write_text(BASH)
        (folder / "ask.fish").write_text(FISH)
        for shell in ("bash", "zsh", "fish"):
            (folder / f"script.{shell}").write_text(harness.run("completion", shell).stdout)
        lines = [line for line, _, _ in CASES]
        check_cases("bash", offered(["bash"], "ask.bash", lines, folder))
        count = len(CASES) + offers_all_of_help(folder) + completes_what_is_typed(folder)
        # The others are looked at where somebody has them.
        if shutil.which("fish"):
            check_cases("fish", offered(["fish", "--no-config"], "ask.fish", lines, folder))
            count += len(CASES)
        if shutil.which("zsh"):
            done = subprocess.run(["zsh", "-fc", "autoload -U compinit && compinit -u -d none && source script.zsh && "
                                   "whence -w _hillock_run && print $_comps[hillock]"], capture_output=True, text=True,
                                  cwd=folder)
            harness.check(done.stdout.split() == ["_hillock_run:", "function", "_hillock"], done.stdout + done.stderr)
            count += 1
    harness.finish(count, "completions")


if __name__ == "__main__":
    main()
