#!/usr/bin/env python3
"""The wheel of ./dev wheel in a root without compilers, headers or the libraries that Hillock is built with: installed by
an ordinary user, it passes tests of the command and of the package.

  python3 tests/python/wheel_root_test.py build/wheel

The root holds Python and what it depends on, copied from the packages of this Debian. Exits with 77 where that is none,
or where nothing may be mounted (root may), and where there is no wheel, or no package index for numpy and its like;
REQUIRE_PYTHON=1 makes the last two a failure."""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from wheels import skip, wheel_in

SOURCES = pathlib.Path(__file__).resolve().parents[2]
PACKAGES = ("python3", "python3-venv", "bash", "coreutils", "libc-bin", "libgcc-s1", "libstdc++6", "util-linux")
FROM_INDEX = ("numpy", "h5py", "pyyaml")
COMMAND_TESTS = ("completion", "damaged_runs", "documented_catalogue", "export", "hdf5_lists", "hostile_models",
                 "info_time", "memory", "narrow", "new_model", "record_slices", "report", "sonata_faults",
                 "sweeps", "validate_says_what_run_says", "view")
PACKAGE_TESTS = ("run", "simulation", "sweep", "process")
USER = 1000


def said(*words, **options):
    return subprocess.run(words, check=True, capture_output=True, text=True, **options).stdout


def closure(wanted):
    """These packages and what they depend on, of what is installed."""
    depends, provider = {}, {}
    for line in said("dpkg-query", "-W", "-f", "${Package}\t${Depends}, ${Pre-Depends}\t${Provides}\n").splitlines():
        name, needs, provides = line.split("\t")
        depends[name] = [re.match(r"[^ (:]*", one.strip()).group() for one in re.split(r"[,|]", needs) if one.strip()]
        for one in provides.split(","):
            provider.setdefault(re.match(r"[^ (]*", one.strip()).group(), name)
    found, waiting = set(), list(wanted)
    while waiting:
        name = waiting.pop()
        name = name if name in depends else provider.get(name)
        if name and name not in found:
            found.add(name)
            waiting += depends[name]
    return sorted(found)


def copy(files, source, target):
    """Files below a folder to their places below another; links to folders there stay."""
    archive = subprocess.run(["tar", "-C", source, "--null", "-T", "-", "-c"], input="\0".join(files).encode(), check=True,
                             capture_output=True).stdout
    subprocess.run(["tar", "-C", target, "-x", "--keep-directory-symlink"], input=archive, check=True)


def make_root(root):
    for name in ("bin", "sbin", "lib", "lib64"):
        (root / "usr" / name).mkdir(parents=True)
        (root / name).symlink_to(f"usr/{name}")
    files = set()
    packages = closure(PACKAGES)
    wrong = [name for name in packages if name.endswith("-dev") or name.startswith(("gcc-1", "g++", "libhdf5", "libfmt"))
             and not name.endswith("-base")]
    if wrong:
        sys.exit(f"the root would hold {', '.join(wrong)}")
    for name in said("dpkg-query", "-L", *packages).splitlines():
        if os.path.isfile(name) and not name.startswith(("/usr/share/doc", "/usr/share/man", "/usr/share/locale")):
            files.add(name)
    copy(sorted(files), "/", root)  # some are listed below /lib or /bin, which are links
    (root / "bin/sh").symlink_to("bash")
    for name in ("proc", "dev", "tmp", "home/user", "etc"):
        (root / name).mkdir(parents=True, exist_ok=True)
    (root / "tmp").chmod(0o1777)
    os.chown(root / "home/user", USER, USER)
    (root / "etc/passwd").write_text(f"root:x:0:0::/root:/bin/sh\nuser:x:{USER}:{USER}::/home/user:/bin/bash\n")
    (root / "etc/group").write_text(f"root:x:0:\nuser:x:{USER}:\n")
    subprocess.run(["ldconfig", "-r", root], check=True)


def within(root, *words, **env):
    """Runs words there as that user, where /proc and /dev are for as long."""
    mounts = 'mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && '
    enter = f'root=$1; shift; exec chroot --userspec={USER}:{USER} "$root" /usr/bin/env -i "$@"'
    clean = {"HOME": "/home/user", "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", **env}
    return subprocess.run(["unshare", "-m", "sh", "-c", mounts + enter, "sh", root,
                           *(f"{name}={value}" for name, value in clean.items()), *words],
                          capture_output=True, text=True, timeout=600)


def main():
    wheel = wheel_in(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="hillock-root-") as folder:
        root = pathlib.Path(folder)
        may_mount = subprocess.run(["unshare", "-m", "mount", "-t", "proc", "proc", root], capture_output=True)
        if not shutil.which("dpkg-query") or may_mount.returncode != 0:
            print("left out: a root is made from Debian's packages, by who may mount")
            sys.exit(77)
        root.chmod(0o755)
        make_root(root)
        (root / "wheels").mkdir()
        shutil.copy(wheel, root / "wheels")
        done = subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--disable-pip-version-check",
                               "--only-binary=:all:", "-d", root / "wheels", *FROM_INDEX], capture_output=True, text=True)
        if done.returncode != 0:
            skip(f"no {', '.join(FROM_INDEX)} is to be had: {done.stderr}")
        (root / "hillock").mkdir()
        copy(said("git", "ls-files", "-z", cwd=SOURCES).rstrip("\0").split("\0"), SOURCES, root / "hillock")
        home = "/home/user"
        for words in (("python3", "-m", "venv", f"{home}/venv"),
                      (f"{home}/venv/bin/pip", "install", "-q", "--disable-pip-version-check", "--no-index",
                       "--find-links", "/wheels", "hillock-sim", "pyyaml")):
            done = within(root, *words)
            if done.returncode != 0:
                sys.exit(f"{' '.join(words)}:\n{done.stdout}{done.stderr}")
        print(within(root, f"{home}/venv/bin/hillock", "--version", "--verbose").stdout)
        tests = [f"/hillock/tests/command/{name}.py" for name in COMMAND_TESTS]
        tests += [f"/hillock/tests/python/{name}_test.py" for name in PACKAGE_TESTS]

        def passes(script):
            done = within(root, f"{home}/venv/bin/python", script, PYTHONDONTWRITEBYTECODE="1",
                          HILLOCK=f"{home}/venv/lib/python3.{sys.version_info.minor}/site-packages/hillock/hillock")
            print(f"{script}: exit code {done.returncode}", flush=True)
            if done.returncode != 0:
                print(done.stdout[-3000:] + done.stderr[-3000:], flush=True)
            return done.returncode == 0

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as crew:
            passed = sum(crew.map(passes, tests))
    print(f"{wheel.name}: {passed} of {len(tests)} tests passed in a root of its own")
    sys.exit(0 if passed == len(tests) else 1)


if __name__ == "__main__":
    main()
