#!/usr/bin/env python3
"""hillock report: a page has what a run's files have, thinned out within its bounds, for runs that are complete, cut
short, empty or made up to do harm. What a browser makes of it is in report_page.py."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

import harness

harness.need("h5py", "numpy")

import h5py  # noqa: E402
import numpy as np  # noqa: E402

from page_data import Page  # noqa: E402

MODEL = """hillock: 1
run: {duration: 100 ms, dt: 0.025 ms, seed: 3}
cells:
  stick:
    morphology:
      branches:
        - {name: soma, length: 20 um, diameter: 20 um}
        - {name: "dend[0]", region: dend, parent: soma, length: 200 um, diameter: 2 um, compartments: 5}
        - {name: "dend[1]", region: dend, parent: soma, length: 100 um, diameter: 1 um, compartments: 3}
    regions: {all: {cm: 1 uF/cm2}, soma: {hh: {}}, dend: {pas: {g: 1 pS/um2, e: -65 mV}}}
    detector: {at: soma(0.5), threshold: 0 mV}
  ball:
    morphology: {branches: [{name: soma, length: 20 um, diameter: 20 um}]}
    regions: {all: {hh: {}}}
    detector: {at: soma(0.5), threshold: 0 mV}
populations: {sticks: {cell: stick, size: 4}, balls: {cell: ball, size: 10, positions: {grid: {counts: [5, 2, 1], spacing: [10 um, 20 um, 30 um]}}}}
stimuli:
  - {iclamp: {amplitude: "0.3 nA + 20 pA * index", start: 5 ms, duration: 90 ms}, to: sticks, at: soma(0.5)}
  - {iclamp: {amplitude: "10 pA * index", start: 5 ms, duration: 90 ms}, to: balls, at: soma(0.5)}
record:
  - {name: spikes, of: sticks}
  - {name: some, of: "balls[2:8]"}
  - {name: v, of: "sticks[0:2]", variable: v, at: all, every: 0.1 ms}
  - {name: soma_v, of: balls, variable: v, at: soma(0.5), every: 0.5 ms, type: float64}
"""
EXTERNAL = re.compile(r"https?://|\bsrc=|<link|url\(|@import|XMLHttpRequest|fetch\(|new WebSocket|\bimport\b", re.I)
checked = 0


def report(directory, *words, code=0, **options):
    """The page and what was said on standard error."""
    global checked
    checked += 1
    done = harness.run("report", directory, *words, **options)
    harness.check(done.returncode == code, f"report {directory.name}: exit code {done.returncode}, not {code}: {done.stderr}")
    page = directory / "report.html"
    return (Page(page) if code == 0 and page.exists() else None), done.stderr


def check_sound(page, what):
    """One page of our own elements, which asks for nothing."""
    ours = re.sub("<title>.*</title>", "", page.text.replace(page.scripts["data"], ""))
    harness.check(not EXTERNAL.search(ours), f"{what}: the page asks for {EXTERNAL.search(ours)}")
    tags = {tag for tag, _ in page.elements}
    harness.check(tags <= {"html", "head", "meta", "title", "style", "body", "noscript", "div", "script"},
                  f"{what}: elements {tags}")
    harness.check(sum(tag == "script" and "type" not in attributes for tag, attributes in page.elements) == 1,
                  f"{what}: more than one script")
    policy = [a["content"] for t, a in page.elements if a.get("http-equiv") == "Content-Security-Policy"]
    harness.check(policy and policy[0].startswith("default-src 'none'"), f"{what}: no policy")


def check_whole_run(folder):
    run = folder / "run"
    (folder / "model.yaml").write_text(MODEL)
    done = harness.run("run", folder / "model.yaml", "-o", run, "--quiet")
    harness.check(done.returncode == 0, done.stderr)
    page, said = report(run)
    check_sound(page, "a whole run")
    data = page.data
    harness.check(said == "" and data["problems"] == [] and data["left_out"] == [], f"a whole run: {said} {data['left_out']}")
    harness.check(data["summary"]["status"] == "complete" and data["stop_ms"] == 100 and data["title"] == "model",
                  "the summary of a whole run")
    harness.check(data["provenance"]["model_text"] == MODEL, "the model's text")
    names = [p["name"] for p in data["populations"]]
    harness.check(names == ["sticks", "balls"], f"populations in the model's order: {names}")
    check_spikes(page, run)
    check_reports(page, run)
    elsewhere = folder / "elsewhere.html"
    report(run, "-o", elsewhere)
    harness.check(elsewhere.read_bytes() == (run / "report.html").read_bytes(), "-o makes another page")
    harness.check(harness.run("report", run, "-o", folder).returncode == 4, "a folder is written over")
    for file in ("run.json", "spikes.h5"):
        done = harness.run("report", run / file)
        harness.check(done.returncode == 4 and f"{run / file}: is a file; give the folder of the run, {run}" in done.stderr,
                      f"report of {file}: {done.stderr}")
    return run


def check_spikes(page, run):
    with h5py.File(run / "spikes.h5") as file:
        for told in page.data["populations"]:
            times, nodes = (file["spikes"][told["name"]][c][:] for c in ("timestamps", "node_ids"))
            kept = page.blob(told["times"], "<u4") / 4294967295 * 100
            cells = page.blob(told["cells"], "<u4" if told["wide"] else "<u2")
            order = np.lexsort((nodes, times))
            harness.check(len(times) > 0 and told["spikes"] == told["kept"] == len(times), f"spikes of {told['name']}")
            harness.check(np.allclose(np.sort(kept), times[order], atol=1e-6) and sorted(cells) == sorted(nodes),
                          f"times and cells of {told['name']}")
            bins = np.histogram(times, np.arange(0, 100 + 1e-9, told["rate_bin_ms"]))[0]
            harness.check((page.blob(told["rate_counts"], "<u4") == bins).all(), f"rates over time of {told['name']}")
            check_distributions(told, times, nodes)
        check_places(page, file)


def check_places(page, file):
    """Cells that have places and whose spikes are shown."""
    sticks, balls = page.data["populations"]
    rows = file["places/balls"][:]
    harness.check(list(file["places"]) == ["balls"] and (rows[:, 0] == np.arange(10)).all() and len(np.unique(rows[:, 1:], axis=0)) == 10
                  and np.ptp(rows[:, 1:], axis=0).tolist() == [40, 20, 0], f"places of balls: {rows}")
    harness.check("places" not in sticks and (page.blob(balls["placed"], "<u4") == np.arange(2, 8)).all() and
                  (page.blob(balls["places"], "<f4").reshape(-1, 3) == rows[2:8, 1:]).all(), f"places on the page: {balls}")


def check_distributions(told, times, nodes):
    recorded = {"sticks": (0, 4), "balls": (2, 8)}[told["name"]]
    cells = range(*recorded)
    harness.check(told["recorded"] == len(cells) and told["first_recorded"] == recorded[0], f"recorded cells {told}")
    counts = np.array([(nodes == cell).sum() for cell in cells])
    harness.check(told["silent"] == (counts == 0).sum(), f"{told['name']}: {told['silent']} silent cells")
    rates = told["rates"]
    bins = (counts / 0.1 / rates["width"] + 1e-9).astype(int)
    harness.check((np.bincount(bins, minlength=len(rates["counts"])) == rates["counts"]).all(),
                  f"rates of {told['name']}: {rates}, not {bins}")
    intervals = [np.diff(np.sort(times[nodes == cell])) for cell in cells]
    harness.check(sum(told["intervals"]["counts"]) == sum(map(len, intervals)), f"intervals of {told['name']}")
    variations = [i.std(ddof=1) / i.mean() for i in intervals if len(i) >= 4]
    of_page = told["variations"]
    expected = np.bincount((np.array(variations) / of_page["width"] + 1e-9).astype(int), minlength=len(of_page["counts"]))
    harness.check((expected == of_page["counts"]).all(), f"variations of {told['name']}: {variations}, {of_page}")


def check_reports(page, run):
    by_name = {r["name"]: r for r in page.data["reports"]}
    for name, told in by_name.items():
        with h5py.File(run / f"{name}.h5") as file:
            values = file["report"][told["population"]]["data"][:]
        traces = told["traces"]
        q = page.blob(traces["values"], "<u2").reshape(len(traces["labels"]), -1)
        low, high = page.blob(traces["low"], "<f4"), page.blob(traces["high"], "<f4")
        shown = low[:, None] + q / 65534 * (high - low)[:, None]
        harness.check(traces["samples_per_bin"] == 1 and np.abs(shown.T - values).max() < 1e-3, f"traces of {name}")
    labels = by_name["v"]["traces"]["labels"]
    harness.check(labels[0] == "sticks[0] soma(0.5)" and "sticks[1] dend[1](0.5)" in labels, f"labels {labels}")
    trees = by_name["v"]["trees"]
    harness.check([t["label"] for t in trees] == ["sticks[0]", "sticks[1]"] and trees[0]["drawn_up"], "cells that are drawn")
    ends = page.blob(trees[0]["ends"], "<f4").reshape(-1, 2, 4)
    lengths = np.linalg.norm(ends[:, 0, :3] - ends[:, 1, :3], axis=1)
    branches = page.blob(trees[0]["piece_branches"], "<u4")
    harness.check(np.allclose([lengths[branches == b].sum() for b in range(3)], [20, 200, 100], atol=1e-3),
                  "branches keep their lengths")
    harness.check(sorted(page.blob(trees[0]["piece_elements"], "<i4")) == list(range(trees[0]["elements"])),
                  "each location has its piece")
    harness.check(by_name["soma_v"]["trees"] == [], "cells with one location are not drawn")


def check_cut_short(folder):
    """Runs that were stopped, and killed."""
    for name, number, status in (("stopped", signal.SIGTERM, "interrupted"), ("killed", signal.SIGKILL, "running")):
        run = folder / name
        process = subprocess.Popen([str(harness.HILLOCK), "run", str(folder / "model.yaml"), "-o", str(run), "--quiet",
                                    "--set", "run.duration=10000 s", "--flush-interval", "0.05"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=harness.environment())
        deadline = time.monotonic() + 60
        log = run / "flush.log"
        while not (log.exists() and log.read_text().count("\n") > 12) and time.monotonic() < deadline:
            time.sleep(0.02)
        process.send_signal(number)
        process.wait(60)
        page, said = report(run)
        check_sound(page, name)
        data = page.data
        harness.check(data["summary"]["status"] == status and said == "", f"{name}: {data['summary']['status']} {said}")
        harness.check(0 < data["stop_ms"] < 1e7 and data["populations"][0]["spikes"] > 0 and len(data["reports"]) == 2,
                      f"{name}: ends at {data['stop_ms']} ms")
        harness.check(data["populations"][0]["backward"] == 0, f"{name}: spikes go backward")


def check_empty(folder):
    silent = folder / "silent.yaml"
    silent.write_text(MODEL.replace("0.3 nA", "0 nA").replace("20 pA", "0 pA").replace("10 pA", "0 pA"))
    for name, words in (("silent", ()), ("nothing", ("--set", "record=[]"))):
        run = folder / name
        done = harness.run("run", silent, "-o", run, "--quiet", *words)
        harness.check(done.returncode == 0, done.stderr)
        page, said = report(run)
        check_sound(page, name)
        harness.check(said == "" and all(p["spikes"] == 0 for p in page.data["populations"]), f"{name}: {said}")
    for what, text in (("none", None), ("no JSON", "{"), ("no run's", "[1]"), ("of a number", '{"status": 3}')):
        run = folder / "no_run"
        run.mkdir(exist_ok=True)
        if text is not None:
            (run / "run.json").write_text(text)
        report(run, code=4)
    report(folder / "nowhere", code=4)
    harness.check(harness.run("report").returncode == 2, "a report of nothing")


HARM = '</script><script>window.harmed = 1</script><img src=x onerror="window.harmed=1">'


def write_run(run, facts=None, **files):
    """A directory as a run leaves one."""
    run.mkdir()
    summary = {"status": "complete", "model": "m.yaml", "model_sha256": "", "dt_ms": 0.1, "steps": 1000,
               "outputs": ["spikes.h5", *(f"{name}.h5" for name in files if name != "spikes")], **(facts or {})}
    (run / "run.json").write_text(json.dumps(summary))
    for name, fill in files.items():
        with h5py.File(run / f"{name}.h5", "w") as file:
            fill(file)
    return run


def spikes_of(times, nodes, name="p", places=None):
    def fill(file):
        if places is not None:
            file[f"places/{name}"] = np.asarray(places, float)
        group = file.create_group("spikes").create_group(name)
        group["timestamps"] = np.asarray(times, float)
        group["node_ids"] = np.asarray(nodes)
    return fill


def report_of(values, *, name="p", pointers=None, units="mV", time=(0, 100, 0.1), elements=None, shape=None):
    def fill(file):
        group = file.create_group("report").create_group(name)
        group["data"] = np.asarray(values, float)
        group["data"].attrs["units"] = units
        columns = group["data"].shape[-1]
        mapping = group.create_group("mapping")
        mapping["node_ids"] = np.arange(1)
        mapping["index_pointers"] = [0, columns] if pointers is None else pointers
        mapping["element_ids"] = np.zeros(columns, int) if elements is None else elements
        mapping["element_pos"] = np.linspace(0, 1, columns)
        mapping["time"] = time
        if shape:
            held = file.create_group("morphology").create_group(name)
            for column, numbers in shape.items():
                held[column] = numbers
    return fill


STICK = {"parent": [-1], "at": [0], "point_pointers": [0, 2], "x": [0, 9], "y": [0, 1], "z": [0, 2], "diameter": [1, 1],
         "names": np.array([HARM.encode()])}


def check_hostile(folder):
    """Names that are HTML, numbers that are none, files that are something else: a page, or a plain error."""
    harmful = write_run(
        folder / "harmful",
        {"model": f"{HARM}.yaml", "host": HARM, "error": HARM, "warnings": [HARM, "a\u202eb\x1b[31m"], "status": HARM,
         "populations": [{"name": "<script>", "cell": HARM, "size": 10**18, "spikes_of": [[0, 2**60], [7, 3], [3, 4]]}],
         "timings_s": {HARM: 1}, "options": {HARM: HARM}, "outputs": ["v.h5", "../other.h5", "/etc/passwd.h5"]},
        spikes=spikes_of([1, np.nan, -5, np.inf, 1e300, 50, 2], [1, 1, 1, 1, 1, 2**62, 19_000_000], "<script>"),
        v=report_of([[np.nan, np.inf, 1], [2, -np.inf, 3]], units=HARM, shape=STICK))
    page, said = report(harmful)
    check_sound(page, "a harmful run")
    told = page.data["populations"][0]
    harness.check(told["name"] == "<script>" and told["spikes"] == told["kept"] == 2, f"harmful: {told}")
    harness.check("<img src=x onerror=" in page.title and page.data["summary"]["warnings"][1] == "a\\u202eb\\u001b[31m", "names stay what they are")
    harness.check("5 spikes" in said and "infinite or no number" in said and "\x1b" not in said, f"harmful: {said}")
    harness.check(not any("other" in p or "passwd" in p for p in page.data["problems"]), "other files were looked for")

    write_run(folder / "odd", {"steps": 2**63, "dt_ms": 1e300}, spikes=spikes_of([1], [1]))
    write_run(folder / "negative", {"steps": 10, "dt_ms": -1}, spikes=spikes_of([1], [-3]))
    write_run(folder / "uneven", spikes=spikes_of([1, 2, 3], [0, 1]))
    nowhere = [[0, 1, 2, 3], [1, np.nan, 0, 0], [-1, 0, 0, 0], [np.inf, 0, 0, 0], [2, 1e300, 0, 0], [1e18, 0, 0, 0], [1.5, 4, 5, 6]]
    for name, rows, placed in (("nowhere", nowhere, [0, 1]), ("flat", [1, 2, 3], None), ("narrow", [[1, 2, 3]], None), ("none", np.zeros((0, 4)), None)):
        write_run(folder / name, spikes=spikes_of([1, 2], [0, 3], places=rows))
        page, _ = report(folder / name)
        check_sound(page, name)
        told = page.data["populations"][0]
        harness.check("placed" not in told if placed is None else page.blob(told["placed"], "<u4").tolist() == placed, f"{name}: {told}")
    for name in ("odd", "negative", "uneven"):
        check_sound(report(folder / name)[0], name)

    broken = {
        "pointers": report_of([[1, 2]], pointers=[0, 9]),
        "backward": report_of([[1, 2]], pointers=[2, 0]),
        "no_time": report_of([[1, 2]], time=(0, 1, 0)),
        "one_dimension": report_of([1, 2]),
        "cycle": report_of([[1, 2]], shape={**STICK, "parent": [0]}),
        "far": report_of([[1, 2]], shape={**STICK, "x": [0, np.inf]}),
        "short": report_of([[1, 2]], shape={**STICK, "y": [0]}),
        "texts": lambda file: file.create_dataset("report/p/data", data=np.array([b"a"])),
        "elsewhere": lambda file: file.__setitem__("report", h5py.ExternalLink("spikes.h5", "/spikes")),
        "endless": lambda file: file.create_dataset("report/p/data", (2**60, 2), "f4", chunks=(1024, 2)),
    }
    run = write_run(folder / "broken", spikes=spikes_of([1], [0]), good=report_of([[1, 2]]), **broken)
    (run / "garbage.h5").write_bytes(b"\x89HDF\r\n\x1a\n" + os.urandom(5000))
    (run / "text.h5").write_text("no HDF5")
    os.mkfifo(run / "pipe.h5")
    facts = json.loads((run / "run.json").read_text())
    facts["outputs"] += ["garbage.h5", "text.h5", "pipe.h5", "gone.h5"]
    (run / "run.json").write_text(json.dumps(facts))
    page, said = report(run)
    check_sound(page, "a broken run")
    harness.check([r["name"] for r in page.data["reports"]] == ["good"], f"of broken files: {page.data['reports']}")
    for name in [*(n for n in broken if n != "elsewhere"), "garbage", "text", "pipe", "gone"]:
        harness.check(f"{name}.h5" in said and any(f"{name}.h5" in p for p in page.data["problems"]), f"{name} is not told of: {said}")


def check_thinned(folder):
    """A page stays within its bounds, and says what it leaves out."""
    rng = np.random.default_rng(1)
    count = 3_000_000
    times = np.sort(rng.uniform(0, 1000, count))
    run = write_run(folder / "large", {"steps": 10_000, "populations": [{"name": "p", "cell": "c", "size": 20_000, "spikes_of": [[0, 20_000]]}]},
                    spikes=spikes_of(times, rng.integers(0, 20_000, count)),
                    v=report_of(rng.normal(size=(10_000, 1500))))
    page, _ = report(run)
    told = page.data["populations"][0]
    harness.check(told["spikes"] == count and 500_000 < told["kept"] <= 1_250_000 and told["every_cell"] == 4, f"thinned: {told}")
    cells = page.blob(told["cells"], "<u2")
    harness.check((cells % 4 == 0).all() and len(np.unique(cells)) == 5000, "whole trains are kept")
    harness.check(page.blob(told["rate_counts"], "<u4").sum() == count, "rates are of all spikes")
    traces = page.data["reports"][0]["traces"]
    harness.check(len(traces["labels"]) == 1000 and traces["bins"] * traces["samples_per_bin"] >= 10_000, f"traces: {traces['bins']} bins")
    with h5py.File(run / "v.h5") as file:
        first = file["report/p/data"][:traces["samples_per_bin"], 0]
    low, high = page.blob(traces["low"], "<f4")[0], page.blob(traces["high"], "<f4")[0]
    pair = low + page.blob(traces["values"], "<u2")[:2] / 65534 * (high - low)
    harness.check(np.allclose(pair, [first.min(), first.max()], atol=1e-3), f"the least and the greatest: {pair}")
    said = " ".join(page.data["left_out"])
    harness.check(all(words in said for words in ("every 4th cell", "1000 traces of 1500", "the least and the greatest")), said)
    harness.check(len(page.text) < 30e6, f"the page has {len(page.text)} bytes")


def main():
    with harness.scratch() as folder:
        folder = pathlib.Path(folder)
        check_whole_run(folder)
        check_cut_short(folder)
        check_empty(folder)
        check_hostile(folder)
        check_thinned(folder)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
    harness.finish(checked, "reports")


if __name__ == "__main__":
    main()
