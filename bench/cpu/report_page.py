#!/usr/bin/env python3
"""How fluid the page of hillock report is: in Chromium without a screen or a GPU, the time from asking for the page to its
first complete drawing, and what a frame takes of script and drawing while each kind of plot is zoomed, turned or played.

  report_page.py [--hillock PROGRAM] [--frames 160] [--turns 3] [--only CASE]

Cases: a balanced network with a million spikes, one with 1,000 traces of 10,000 samples, and a cell of more than 10,000
compartments, each recorded. Of several turns the best is told, for the machine may be busy. Needs chromium,
chromium-driver and python3-selenium."""

import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from needs import Needs  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
NETWORK = """hillock: 1
include: ["library:balanced_network.yaml"]
run: {{duration: {duration} ms, dt: 0.05 ms, seed: 1, temperature: 36 degC, v_init: -65 mV}}
record:
  - {{name: spikes_exc, of: exc}}
  - {{name: spikes_inh, of: inh}}
  - {{name: soma_v, of: "exc[0:{cells}]", variable: v, at: soma(0.5), every: 0.1 ms}}
"""
CELL = """hillock: 1
include: ["library:pyramidal.yaml"]
run: {duration: 100 ms, dt: 0.025 ms, temperature: 6.3 degC, v_init: -65 mV}
populations: {pyr: {cell: pyramidal, size: 1}}
stimuli: [{iclamp: {amplitude: 2 nA, start: 5 ms, duration: 80 ms}, to: pyr, at: soma(0.5)}]
record:
  - {name: spikes, of: pyr}
  - {name: v, of: pyr, variable: v, at: all, every: 0.1 ms}
"""
CASES = {
    "million spikes": (NETWORK.format(duration=6300, cells=10), [], ("raster", "rates")),
    "1,000 traces": (NETWORK.format(duration=1000, cells=1000), [], ("lines", "image", "raster")),
    "12,573 compartments": (CELL, ["--set", "cells.pyramidal.discretization={max_length: 0.75 um}"], ("tree", "play", "lines", "image")),
}
# Zooms in for half of the frames and out for the other half; gives the frames' milliseconds.
DRIVE = """
const [which, frames, done] = arguments;
const { time, raster, rates, traces, trees, drawing } = hillock;
const tree = trees.at(-1);
const part = { raster: raster?.plot, rates: rates?.plot, lines: traces.at(-1)?.lines.plot, image: traces.at(-1)?.image?.plot,
               tree: tree?.drawn, play: tree?.drawn }[which];
part.element.scrollIntoView({ block: "center", behavior: "instant" });
setTimeout(() => {
  drawing.frames.length = 0;
  let i = 0;
  const step = () => {
    const factor = i < frames / 2 ? 0.94 : 1 / 0.94;
    if (which === "play") tree.show(i % tree.tree.rows.length);
    else if (which === "tree") {
      part.turn(0.03, 0.01);
      part.zoomAt(i < frames / 2 ? 0.97 : 1 / 0.97, 600, 260);
    } else time.zoom(factor, time.min + (time.max - time.min) * 0.37);
    if (++i < frames) requestAnimationFrame(step);
    else setTimeout(() => done(drawing.frames.slice()), 100);
  };
  requestAnimationFrame(step);
}, 500);
"""


def browser():
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1280,900"):
        options.add_argument(word)
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    driver.set_script_timeout(120)
    return driver


def measure(page, plots, frames):
    """[(what, median, 95th percentile)] in milliseconds; of opening both are the same."""
    driver = browser()
    try:
        driver.get("about:blank")
        driver.get(f"file://{page}")
        if not driver.execute_script("return hillock.isReady"):
            sys.exit(f"{page} is not ready: {driver.get_log('browser')}")
        opened = driver.execute_script("return hillock.readyAt")
        told = [("opened", opened, opened)]
        for plot in plots:
            times = sorted(driver.execute_async_script(DRIVE, plot, frames))
            told.append((plot, times[len(times) // 2], times[int(len(times) * 0.95)]))
        return told
    finally:
        driver.quit()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hillock", default=ROOT / "build/release/hillock", type=pathlib.Path)
    parser.add_argument("--frames", type=int, default=160)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--only", choices=CASES)
    options = parser.parse_args()
    Needs().program(options.hillock, "./dev build makes it").program("chromium", "apt-get install chromium") \
        .program("chromedriver", "apt-get install chromium-driver").modules("selenium").check()
    print(f"{'case':<22}{'page MB':>9}{'what':>10}{'median ms':>11}{'95 % ms':>9}")
    with tempfile.TemporaryDirectory() as folder:
        for name, (model, words, plots) in CASES.items():
            if options.only not in (None, name):
                continue
            file, run = pathlib.Path(folder) / "model.yaml", pathlib.Path(folder) / name.replace(" ", "_")
            file.write_text(model)
            subprocess.run([options.hillock, "run", file, "-o", run, "--quiet", *words], check=True)
            subprocess.run([options.hillock, "report", run], check=True, capture_output=True)
            page = run / "report.html"
            turns = [measure(page, plots, options.frames) for _ in range(options.turns)]
            for parts in zip(*turns):
                what, median, most = min(parts, key=lambda part: part[1])
                print(f"{name:<22}{page.stat().st_size / 1e6:>9.2f}{what:>10}{median:>11.1f}{most:>9.1f}", flush=True)


if __name__ == "__main__":
    main()
