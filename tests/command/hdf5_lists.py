#!/usr/bin/env python3
"""Connection lists in HDF5 files from strangers: what lies in the file is read, what leads out of it
is refused by name, and a file that breaks the HDF5 library is one plain error.

--flips N damages that many copies of a good file (of FILE with --of FILE); --seed numbers them.
Files of earlier findings beside the repository (../shared/data/found) are read as well.
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import random
import re
import shutil
import socket
import stat
import time

import h5py
import numpy

import harness

MODEL = """hillock: 1
run: {duration: 2 ms, dt: 0.1 ms}
cells:
  c:
    morphology: {branches: [{name: soma, length: 20 um, diameter: 20 um}]}
    regions: {all: {pas: {}}}
    detector: {at: soma(0.5)}
populations: {p: {cell: c, size: 10}}
projections:
  - from: p
    to: p
    connect: {list: {hdf5: FILE, source: SOURCE, target: /e/t, weight: /e/w, delay: /e/d}}
    synapse: {expsyn: {tau: 2 ms, e: 0 mV}, at: soma(0.5)}
    weight: 1 nS
    delay: 1 ms
record: [{name: spikes, of: p}]
"""
PLACED = re.compile(r"^\S+\.yaml:12:\d+: error: projections\[0\]\.connect\.list", re.M)
SECRET = 48151623
N = 9


class Lists:
    """A folder of HDF5 files and what reading each has to come to."""

    def __init__(self, folder):
        self.folder = folder
        self.cases = []

    def path(self, name):
        return self.folder / name

    def add(self, name, *texts, source="/e/s", code=3):
        """`hillock validate` of this file ends with the code and says the texts."""
        self.cases.append((name, texts, source, code))

    def good(self, name):
        """A good file, but for its sources, which stand in no dataset yet."""
        file = h5py.File(self.path(name), "w")
        group = file.create_group("e")
        group["t"] = numpy.arange(N, dtype="i4")
        group["w"] = numpy.full(N, 0.001)
        group["d"] = numpy.full(N, 1.0, "f4")
        return file, group

    def sources(self, name, *texts, code=3, source="/e/s", **options):
        """A file whose sources h5py's create_dataset makes with these options."""
        file, group = self.good(name)
        with file:
            if not options.keys() & {"data", "shape"}:
                options["data"] = numpy.arange(N)
            group.create_dataset("s", **options)
        self.add(name, *texts, code=code, source=source)


def good_files(lists):
    lists.sources("plain.h5", code=0)
    lists.sources("big_endian.h5", code=0, data=numpy.arange(N), dtype=">i8")
    lists.sources("floats.h5", code=0, data=numpy.arange(N), dtype="f2")
    lists.sources("gzip.h5", code=0, chunks=(4,), compression="gzip", shuffle=True)
    lists.sources("shuffle.h5", code=0, chunks=(4,), shuffle=True)
    lists.sources("growing.h5", code=0, chunks=(4,), maxshape=(None,), data=numpy.arange(N))
    with h5py.File(lists.path("newest.h5"), "w", libver="latest") as file:
        for name in "std":
            file["e/" + name] = numpy.arange(N) + (name == "d")
        file["e/w"] = numpy.ones(N)
    lists.add("newest.h5", code=0)
    file, group = lists.good("soft_link.h5")
    with file:
        file["elsewhere/deep"] = numpy.arange(N)
        file["there"] = h5py.SoftLink("/elsewhere")
        group["s"] = h5py.SoftLink("/there/deep")
    lists.add("soft_link.h5", code=0)


def files_that_lead_out(lists):
    secret = lists.path("secret")
    secret.write_bytes(numpy.full(N, SECRET, "i8").tobytes())
    other = lists.path("other.h5")
    with h5py.File(other, "w") as file:
        file["e/s"] = numpy.full(N, SECRET)
    os.mkfifo(lists.path("pipe"))

    lists.sources("external_storage.h5", "'/e/s' has external storage", shape=(N,), dtype="i8",
                  external=[(str(secret), 0, 8 * N)])
    lists.sources("external_storage_fifo.h5", "external storage", shape=(N,), dtype="i8",
                  external=[(str(lists.path("pipe")), 0, 8 * N)])
    for name, target in (("external_link.h5", "other.h5"), ("external_link_fifo.h5", "pipe"),
                         ("external_link_nowhere.h5", "nowhere.h5"),
                         ("external_link_to_itself.h5", "external_link_to_itself.h5"),
                         ("external_link_zero.h5", "/dev/zero")):
        file, group = lists.good(name)
        with file:
            group["s"] = h5py.ExternalLink(target, "/e/t")
        lists.add(name, "'/e/s' leads through an external link")
    file, group = lists.good("external_group.h5")
    with file:
        file["out"] = h5py.ExternalLink("other.h5", "/e")
        file["on"] = h5py.SoftLink("/out")
        group["s"] = h5py.SoftLink("/on/s")
    lists.add("external_group.h5", "'/out/s' leads through an external link", source="/out/s")
    lists.add("external_group.h5", "'/e/s' leads through an external link")
    for name, source in (("virtual.h5", other), ("virtual_fifo.h5", lists.path("pipe")),
                         ("virtual_itself.h5", ".")):
        layout = h5py.VirtualLayout(shape=(N,), dtype="i8")
        layout[:] = h5py.VirtualSource(str(source), "e/s", shape=(N,))
        file, group = lists.good(name)
        with file:
            group.create_virtual_dataset("s", layout)
        lists.add(name, "'/e/s' is a virtual dataset")
    file, group = lists.good("soft_loop.h5")
    with file:
        group["s"] = h5py.SoftLink("/e/again")
        group["again"] = h5py.SoftLink("/e/s")
    lists.add("soft_loop.h5", "has no dataset '/e/s'")
    file, group = lists.good("soft_nowhere.h5")
    with file:
        group["s"] = h5py.SoftLink("/nowhere")
    lists.add("soft_nowhere.h5", "has no dataset '/e/s'")


def files_that_are_none(lists):
    os.mkfifo(lists.path("fifo.h5"))
    lists.path("folder.h5").mkdir()
    lists.path("link_to_fifo.h5").symlink_to("fifo.h5")
    lists.path("link_to_zero.h5").symlink_to("/dev/zero")
    lists.path("empty.h5").write_bytes(b"")
    lists.path("text.h5").write_text("source,target\n0,1\n")
    lists.path("signature.h5").write_bytes(b"\x89HDF\r\n\x1a\n")
    lists.path("holes.h5").touch()
    os.truncate(lists.path("holes.h5"), 1 << 40)
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(lists.path("socket.h5")))
    for name in ("fifo.h5", "link_to_fifo.h5", "link_to_zero.h5", "/dev/zero", "socket.h5"):
        lists.add(name, "this is not a regular file")
    lists.add("folder.h5", "this is a directory")
    lists.add("missing.h5", "there is no such file")
    lists.add("holes.h5", "larger than 256 MiB")
    for name in ("empty.h5", "text.h5", "signature.h5"):
        lists.add(name, "not an HDF5 file")


def datasets_that_are_not_read(lists):
    szip = h5py.h5z.filter_avail(h5py.h5z.FILTER_SZIP)
    for name, options in (("lzf", {"compression": "lzf"}), ("fletcher32", {"fletcher32": True}),
                          ("scaleoffset", {"scaleoffset": 0}),
                          *([("szip", {"compression": "szip"})] if szip else [])):
        lists.sources(name + ".h5", f"'/e/s' has the filter {name} (gzip and shuffle are read)",
                      chunks=(8,), **options)
    file, group = lists.good("nbit.h5")
    with file:
        made = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        made.set_chunk((8,))
        made.set_filter(h5py.h5z.FILTER_NBIT, h5py.h5z.FLAG_MANDATORY)
        h5py.h5d.create(group.id, b"s", h5py.h5t.STD_I32LE, h5py.h5s.create_simple((N,)), made)
    lists.add("nbit.h5", "the filter nbit")

    for name, options in (
            ("compound", {"dtype": [("a", "i4"), ("b", "f8")], "shape": (N,)}),
            ("text", {"dtype": "S8", "shape": (N,)}),
            ("texts", {"dtype": h5py.string_dtype(), "shape": (N,)}),
            ("ragged", {"dtype": h5py.vlen_dtype("i4"), "shape": (N,)}),
            ("truth", {"data": numpy.ones(N, bool)}),
            ("opaque", {"data": numpy.zeros(N, "V16")}),
            ("references", {"dtype": h5py.ref_dtype, "shape": (N,)}),
            ("arrays", {"dtype": numpy.dtype(("i4", (3,))), "shape": (N,)})):
        lists.sources(f"type_{name}.h5", "'/e/s' does not hold numbers", **options)
    lists.sources("huge.h5", "more than 10000000 values", shape=(10**12,), chunks=(1024,),
                  dtype="i8")
    lists.sources("long.h5", "has 9 values where source has 10000000", shape=(10_000_000,),
                  chunks=(1024,), dtype="i1")
    lists.sources("square.h5", "is not one-dimensional", data=numpy.zeros((3, 3)))
    lists.sources("scalar.h5", "is not one-dimensional", data=1)
    lists.sources("null.h5", "is not one-dimensional", data=h5py.Empty("i8"))
    lists.sources("none.h5", "has 9 values where source has 0", data=numpy.zeros(0))
    for number in (-1, 0.5, 10, 1e300, numpy.nan, numpy.inf):
        lists.sources(f"source_{number}.h5", "row 8: the source",
                      data=numpy.array([0.0] * (N - 1) + [number]))
    for column, number in (("w", numpy.nan), ("w", -1), ("d", numpy.nan), ("d", numpy.inf),
                           ("d", -1), ("d", 0)):
        name = f"{column}_{number}.h5"
        lists.sources(name, "row 3: the " + {"w": "weight", "d": "delay"}[column])
        with h5py.File(lists.path(name), "r+") as file:
            file["e"][column][3] = number
    for source in ("/", "/e", "e/s/t", "''", "../e/s", "'" + "x/" * 5000 + "'"):
        lists.add("plain.h5", "has no dataset", source=source)


def earlier_findings(lists):
    found = harness.ROOT.parent / "shared/data/found"
    columns = "source: /e/src, target: /e/tgt, weight: /e/w, delay: /e/d"
    for name, text in (("heap_corruption.h5", "cannot be read"), ("sigbus.h5", "cannot be read"),
                       ("external_raw_storage.h5", "external storage"),
                       ("external_link.h5", "external link"),
                       ("external_link_fifo.h5", "external link")):
        if (found / name).exists():
            shutil.copy(found / name, lists.folder)
            lists.path(name).chmod(stat.S_IRUSR | stat.S_IWUSR)
            lists.add(name, text, source=columns)


def validate(lists, number, case):
    """Checks one case; returns its output."""
    name, texts, source, code = case
    model = MODEL.replace("FILE", name)
    if "target:" in source:  # all columns
        model = re.sub("source: SOURCE.*}}", lambda _: source + "}}", model)
    path = lists.path(f"model{number}.yaml")
    path.write_text(model.replace("SOURCE", source))
    done = harness.run("validate", path, timeout=120)
    output = done.stdout + done.stderr
    harness.check(done.returncode == code,
                  f"{name}: exit code {done.returncode}, not {code}\n{output}")
    harness.check(code == 0 or PLACED.search(output), f"{name}: no placed error\n{output}")
    for text in texts:
        harness.check(text in output, f"{name}: no '{text}' in\n{output}")
    harness.check(str(SECRET) not in output.replace(str(lists.folder), ""),
                  f"{name}: shows what lies elsewhere\n{output}")
    path.unlink()
    return output


def file_to_damage(lists):
    """A good file of many kinds of metadata and few values."""
    file, group = lists.good("to_damage.h5")
    with file:
        del group["t"], group["w"]
        group.create_dataset("s", data=numpy.arange(N, dtype="i2"), chunks=(4,), maxshape=(None,),
                             compression="gzip", shuffle=True)
        group["t"] = numpy.arange(N, dtype=">u4")
        file["weights"] = numpy.ones(N, "f2")
        group["w"] = h5py.SoftLink("/weights")
        group.attrs["made by"] = "a stranger"
    lists.add("to_damage.h5", code=0)


def damaged(content, seed):
    """A copy with one to four bytes changed, most of them where something stands."""
    draw = random.Random(seed)
    copy = bytearray(content)
    places = [i for i, byte in enumerate(content) if byte]
    for _ in range(draw.randint(1, 4)):
        at = draw.choice(places) if draw.random() < 0.8 else draw.randrange(len(copy))
        copy[at] = draw.choice([0, 1, 0x7F, 0x80, 0xFF, copy[at] ^ 1 << draw.randrange(8),
                                draw.randrange(256)])
    return bytes(copy)


def validate_damaged(lists, content, columns, seed):
    """(what a damaged copy comes to, seconds)"""
    path = lists.path(f"damaged{seed}.h5")
    path.write_bytes(damaged(content, seed))
    model = lists.path(f"damaged{seed}.yaml")
    model.write_text(MODEL.replace("FILE", path.name).replace(
        "source: SOURCE, target: /e/t, weight: /e/w, delay: /e/d", columns))
    started = time.monotonic()
    done = harness.run("validate", model, timeout=120)
    seconds = time.monotonic() - started
    output = done.stdout + done.stderr
    good = done.returncode == 0 or (done.returncode == 3 and PLACED.search(output))
    harness.check(good, f"seed {seed}: exit code {done.returncode}\n{output}")
    path.unlink()
    model.unlink()
    for known in (r"ends with signal \d+|library fails|takes [^;]*", r"cannot be read|not an HDF5|"
                  r"no dataset|external|virtual|filter|hold numbers|one-dimensional|row|values"):
        if found := re.search(known, output):
            return found.group(), seconds
    return output.strip().split()[-1], seconds


def check_damaged(pool, lists, options):
    columns = "source: /e/s, target: /e/t, weight: /e/w, delay: /e/d"
    content = lists.path("to_damage.h5").read_bytes()
    if options.of:
        content = options.of.read_bytes()
        columns = "source: /e/src, target: /e/tgt, weight: /e/w, delay: /e/d"
    seeds = range(options.seed, options.seed + options.flips)
    outcomes = list(pool.map(lambda seed: validate_damaged(lists, content, columns, seed), seeds))
    for outcome, count in collections.Counter(outcome for outcome, _ in outcomes).items():
        print(f"{count:6} damaged copies: {outcome}")
    print(f"the slowest took {max((seconds for _, seconds in outcomes), default=0):.1f} s")
    return len(outcomes)


def check_reader_is_needed(lists):
    """A program without its reader says so; only a list in HDF5 asks for it."""
    alone = lists.path("alone")
    alone.mkdir()
    shutil.copy(harness.HILLOCK, alone / "hillock")
    kept, harness.HILLOCK = harness.HILLOCK, alone / "hillock"
    model = lists.path("alone.yaml")
    model.write_text(MODEL.replace("FILE", "plain.h5").replace("SOURCE", "/e/s"))
    here = os.getcwd()
    os.chdir(lists.folder)  # a program of that name here is a stranger's
    stranger = lists.path("hillock-read-columns")
    stranger.write_text("#!/bin/sh\ntouch started\n")
    stranger.chmod(0o755)
    for program in (None, "#!/bin/sh\nexit 3\n"):
        if program:
            (alone / "hillock-read-columns").write_text(program)
            (alone / "hillock-read-columns").chmod(0o755)
        done = harness.run("validate", model)
        harness.check(done.returncode == 4 and "hillock-read-columns" in done.stderr,
                      f"without a reader: exit code {done.returncode}\n{done.stderr}")
    harness.check(not lists.path("started").exists(), "a stranger's reader was started")
    os.chdir(here)
    harness.HILLOCK = kept


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--flips", type=int, default=200)
    parser.add_argument("--of", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with harness.scratch() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        lists = Lists(pathlib.Path(folder))
        good_files(lists)
        file_to_damage(lists)
        files_that_lead_out(lists)
        files_that_are_none(lists)
        datasets_that_are_not_read(lists)
        earlier_findings(lists)
        list(pool.map(lambda case: validate(lists, *case), enumerate(lists.cases)))
        check_reader_is_needed(lists)
        flips = check_damaged(pool, lists, options)
    harness.finish(len(lists.cases) + flips, "files")


if __name__ == "__main__":
    main()
