#!/usr/bin/env python3
"""The cache of compiled mechanisms loads nothing that another user can change, nor what is damaged."""

import os
import pathlib
import shutil
import stat
import subprocess

import harness

MOD = """NEURON { SUFFIX NAME NONSPECIFIC_CURRENT i RANGE g }
UNITS { (mA) = (milliamp) (mV) = (millivolt) (S) = (siemens) }
PARAMETER { g = 1e-4 (S/cm2) }
ASSIGNED { v (mV) i (mA/cm2) }
BREAKPOINT { i = g*v }
"""
SOMEBODY = 12345  # no user of the machine
LENGTH_OF_SUM = len("\nhillock \n") + 64


class Cache:
    """A cache with the library of one mechanism, made with the weakest umask."""

    def __init__(self, folder):
        self.folder = folder / "cache"
        self.mod = folder / "leak1.mod"
        self.mod.write_text(MOD.replace("NAME", "leak1"))
        self.count = 0
        self.compiler = ""
        self.expect(0, "built ")
        self.compiler = self.quick_compiler(folder)
        shutil.rmtree(self.folder)
        self.expect(0, "built ")
        self.kept = folder / "kept"
        shutil.copytree(self.folder, self.kept)

    def quick_compiler(self, folder):
        """One that gives what the system's has made, at once."""
        library, = self.folder.glob("leak1-*/*.so")
        made = folder / "made.so"
        made.write_bytes(library.read_bytes()[:-LENGTH_OF_SUM])
        compiler = folder / "compiler"
        compiler.write_text("#!/bin/sh\n[ \"$1\" = --version ] && exit 0\n"
                            "while [ $1 != -o ]; do shift; done\n"
                            f"exec /bin/cp {made} $2\n")
        compiler.chmod(0o755)
        return str(compiler)

    def restore(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        if self.folder.is_symlink():
            self.folder.unlink()
        shutil.copytree(self.kept, self.folder)
        self.library, = self.folder.glob("leak1-*/*.so")
        return self.library

    def expect(self, code, *texts, absent=(), **env):
        self.count += 1
        before = os.umask(0)
        try:
            done = harness.run("mech", "build", self.mod,
                               env={"HILLOCK_CACHE": str(self.folder), "CXX": self.compiler, **env})
        finally:
            os.umask(before)
        output = done.stdout + done.stderr
        harness.check(done.returncode == code, f"exit code {done.returncode}, not {code}\n{output}")
        for text in texts:
            harness.check(text in output, f"no '{text}' in\n{output}")
        for text in absent:
            harness.check(text not in output, f"'{text}' in\n{output}")


def others_rights(path):
    return stat.S_IMODE(path.stat().st_mode) & 0o077


def is_private_whatever_the_umask(cache):
    for path in [cache.folder, *cache.folder.rglob("*")]:
        harness.check(others_rights(path) == 0, f"{path}: mode {path.stat().st_mode:o}")
    deep = cache.folder / "a/b"
    cache.expect(0, "built ", HILLOCK_CACHE=str(deep))
    harness.check(others_rights(deep) == others_rights(deep.parent) == 0, "a/b is not private")
    fake = cache.folder / "fake"
    fake.write_text("#!/bin/sh\n[ \"$1\" = --version ] && exit 0\nexit 7\n")
    fake.chmod(0o700)
    failed = cache.folder / "failed"
    cache.expect(1, "kept in", HILLOCK_CACHE=str(failed), CXX=str(fake))
    building, = failed.iterdir()
    harness.check(others_rights(building) == 0, "the folder of a compilation is not private")


def replaces_what_is_damaged(cache):
    def truncate(library):
        library.write_bytes(library.read_bytes()[:-100])

    def flip(library):
        content = bytearray(library.read_bytes())
        content[len(content) // 2] ^= 1
        library.write_bytes(content)

    def empty(library):
        library.write_bytes(b"")

    def without_sum(library):  # as earlier versions made them
        library.write_bytes(library.read_bytes()[:-LENGTH_OF_SUM])

    def other_mechanism(library):
        other = cache.folder / "other.mod"
        other.write_text(MOD.replace("NAME", "other").replace("g*v", "2*g*v"))
        harness.run("mech", "build", other,
                    env={"HILLOCK_CACHE": str(cache.folder), "CXX": cache.compiler})
        found, = cache.folder.glob("other-*/*.so")
        shutil.copy(found, library)

    def link(library):
        library.rename(library.with_suffix(".moved"))
        library.symlink_to(library.with_suffix(".moved"))

    def pipe(library):
        library.unlink()
        os.mkfifo(library)

    def writable(library):
        library.chmod(0o666)

    for damage, text in [(truncate, "damaged"), (flip, "damaged"), (empty, "damaged"),
                         (without_sum, "earlier version"), (other_mechanism, "damaged"),
                         (link, "it is a link"), (pipe, "it is no file"),
                         (writable, "others may write to it (mode 0666)")]:
        library = cache.restore()
        damage(library)
        cache.expect(0, f"{library}: not used: ", text, "compiling leak1", "built ")
        cache.expect(0, "cached ", absent=["not used", "compiling"])
        library = cache.restore()
        damage(library)
        cache.expect(3, "not used", "needs a C++ compiler", CXX="", PATH="", absent=["The cache"])


def says_what_it_has_for_others(cache):
    cache.restore()
    if "(of baseline here)" in harness.run("--version", "--verbose").stdout:
        harness.leave_out("a cache for another instruction set")
    else:
        cache.expect(3, f"{cache.mod}: error: this needs a C++ compiler",
                     f"The cache {cache.folder} has leak1 for ", "and this runs on baseline: HILLOCK_ISA=",
                     CXX="", PATH="", HILLOCK_ISA="baseline")
    text = cache.mod.read_text()
    cache.mod.write_text(text.replace("g*v", "2*g*v"))
    cache.expect(3, f"What the cache {cache.folder} has of leak1 was made by another version of Hillock, or of "
                 "another text", CXX="", PATH="")
    cache.mod.write_text(text)


def says_why_a_packaged_compiler_does_not_run(cache):
    """As Python's packages lie: zig, beside a Hillock that came as a wheel, where it cannot write."""
    packages = cache.folder.parent / "packages"
    own, zig = packages / "hillock" / "hillock", packages / "ziglang" / "zig"
    for program in (own, zig):
        program.parent.mkdir(parents=True)
    shutil.copy(harness.HILLOCK, own)
    (own.parent / "__init__.py").touch()
    zig.write_text("#!/bin/sh\necho 'error: unable to create the cache' >&2\nexit 1\n")
    zig.chmod(0o755)
    shutil.rmtree(cache.folder, ignore_errors=True)
    for text in (f"'{zig} c++ --version' does not run here: error: unable to create the cache",
                 "pip install 'hillock-sim[compiler]'"):
        done = subprocess.run([own, "mech", "build", cache.mod], capture_output=True, text=True,
                              env={"HILLOCK_CACHE": str(cache.folder), "CXX": "", "PATH": ""})
        cache.count += 1
        harness.check(done.returncode == 3 and text in done.stderr, f"{done.returncode}\n{done.stderr}")
        zig.unlink(missing_ok=True)


def mends_what_is_ours(cache):
    library = cache.restore()
    for path in [cache.folder, library.parent]:
        path.chmod(0o755)
    cache.expect(0, "cached ", absent=["not used"])
    library.parent.chmod(0o777)
    cache.expect(0, "cached ", absent=["not used"])
    harness.check(others_rights(library.parent) == 0, "the mechanism's folder stays open to others")
    behind = cache.folder.with_name("behind")
    cache.folder.rename(behind)
    cache.folder.symlink_to(behind)  # the user's own choice
    cache.expect(0, "cached ")
    cache.folder.unlink()
    shutil.rmtree(behind)


def refuses_what_others_can_write_to(cache):
    for mode in (0o777, 0o1777, 0o770):
        cache.restore()
        cache.folder.chmod(mode)
        cache.expect(4, f"hillock: {cache.folder}: is not safe", f"(mode {mode:04o})",
                     "Set HILLOCK_CACHE", absent=["cached", "compiling"])
    library = cache.restore()
    target = cache.folder / "target"
    library.parent.rename(target)
    library.parent.symlink_to(target)
    cache.expect(4, f"{library.parent}: cannot be opened")
    cache.restore()
    cache.expect(4, "cannot be made", HILLOCK_CACHE=str(library / "under"))


def refuses_what_others_own(cache):
    """Only root can give files away."""
    library = cache.restore()
    os.chown(cache.folder, SOMEBODY, SOMEBODY)
    cache.expect(4, f"{cache.folder}: is not safe", f"belongs to user {SOMEBODY}",
                 absent=["cached", "compiling"])
    library = cache.restore()
    os.chown(library.parent, SOMEBODY, SOMEBODY)
    cache.expect(4, f"{library.parent}: is not safe", f"belongs to user {SOMEBODY}", "Remove it",
                 absent=["cached"])
    library = cache.restore()
    os.chown(library, SOMEBODY, SOMEBODY)
    cache.expect(0, f"{library}: not used: it belongs to user {SOMEBODY}", "built ")
    harness.check(library.stat().st_uid == os.geteuid(), "the library is still somebody's")


def trusts_root(cache):
    """What an administrator has prepared for all is taken, and cannot be added to."""
    library = cache.restore()
    cache.folder.parent.chmod(0o711)
    for path in [cache.folder, library.parent]:
        path.chmod(0o755)
    library.chmod(0o644)
    environment = {"HILLOCK_CACHE": str(cache.folder), "CXX": cache.compiler}
    other = cache.folder.parent / "other.mod"
    other.write_text(MOD.replace("NAME", "other"))
    for mod, code, text in [(cache.mod, 0, "cached "), (other, 4, "cannot be written to")]:
        try:
            done = subprocess.run([harness.HILLOCK, "mech", "build", mod], user=SOMEBODY, group=SOMEBODY,
                                  extra_groups=[], capture_output=True, text=True, env=environment,
                                  cwd="/")
        except PermissionError:
            harness.leave_out("another user cannot start this hillock")
            return
        cache.count += 1
        harness.check(done.returncode == code and text in done.stdout + done.stderr,
                      f"as another user: exit code {done.returncode}\n{done.stdout}{done.stderr}")


def main():
    with harness.scratch() as folder:
        cache = Cache(pathlib.Path(folder))
        is_private_whatever_the_umask(cache)
        replaces_what_is_damaged(cache)
        says_what_it_has_for_others(cache)
        says_why_a_packaged_compiler_does_not_run(cache)
        mends_what_is_ours(cache)
        refuses_what_others_can_write_to(cache)
        if os.geteuid() == 0:
            refuses_what_others_own(cache)
            trusts_root(cache)
        else:
            harness.leave_out("files of another user, which only root can make")
    harness.finish(cache.count, "calls")


if __name__ == "__main__":
    main()
