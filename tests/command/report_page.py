#!/usr/bin/env python3
"""The pages of hillock report and view in a browser: what is drawn, zoomed, turned and switched is what the run holds, on a wide
window, a phone and paper, in light and dark, without an error and without a request. Skipped without Chromium, its
driver and selenium."""

import base64
import json
import pathlib

import harness

harness.need("h5py", "numpy")

import numpy as np  # noqa: E402

from browser import Browser  # noqa: E402
from report import HARM, MODEL, STICK, report_of, spikes_of, write_run  # noqa: E402
from view import MODEL as VIEWED  # noqa: E402

BLUE, VERMILLION, SKY = (0, 114, 178), (213, 94, 0), (86, 180, 233)
RASTER, LINES, SHAPE = "#raster canvas", "#report-0 canvas", "#shape-0 canvas"
checked = 0


def expect(condition, message):
    global checked
    checked += 1
    harness.check(condition, message)


def open_page(browser, run, what):
    done = harness.run("report", run)
    expect(done.returncode == 0, f"{what}: {done.stderr}")
    browser.open(run / "report.html")
    ready = browser.run("return window.hillock?.isReady")
    errors = browser.errors()
    expect(ready is True and not errors, f"{what}: ready {ready}, errors {errors}")
    expect(browser.run("return performance.getEntriesByType('resource').length") == 0, f"{what}: something was asked for")
    return browser


def time(browser):
    return browser.run("const { lo, hi, min, max } = hillock.time; return [lo, hi, min, max]")


def is_whole(browser):
    lo, hi, least, most = time(browser)
    return (lo, hi) == (least, most)


def check_plots(browser):
    counts = browser.run("return hillock.raster.bands.map((band) => band.times.length)")
    expect(all(n > 0 for n in counts), f"spikes in the page: {counts}")
    for colour, name in ((BLUE, "sticks"), (VERMILLION, "balls")):
        expect(browser.pixels(RASTER, colour) > 50, f"no marks of {name}")
    browser.show(RASTER)
    browser.click("#raster .tools button", 3)
    lo, hi, least, most = time(browser)
    expect(abs(hi - lo - (most - least) / 2) < 1e-6, f"+ shows {lo} to {hi}")
    browser.click("#raster .tools button", 1)
    expect(time(browser)[0] > lo, "→ moves to what is later")
    browser.key(RASTER, "0")
    expect(is_whole(browser), "0 shows all")
    browser.key(RASTER, "+")
    browser.key(RASTER, "ArrowLeft")
    lo, hi, *_ = time(browser)
    expect(hi - lo < 75, f"+ by key shows {lo} to {hi}")
    browser.key(RASTER, "Home")
    browser.run("document.activeElement.blur()")
    left, top, width, height = browser.box(RASTER)
    middle = (left + width / 2, top + height / 2)
    browser.wheel(*middle, -200)
    expect(is_whole(browser), "a wheel alone leaves a plot as it is")
    browser.show(RASTER)
    left, top, width, height = browser.box(RASTER)
    middle = (left + width / 2, top + height / 2)
    at = browser.run("return hillock.raster.plot.xAt(arguments[0])", width / 2)
    browser.wheel(*middle, -400, modifiers=2)
    lo, hi, *_ = time(browser)
    expect(hi - lo < 70, f"Ctrl and wheel show {lo} to {hi}")
    expect(abs(browser.run("return hillock.raster.plot.xAt(arguments[0])", width / 2) - at) < 0.5, "the place under the pointer moves")
    browser.wheel(*middle, -300, modifiers=2 | 8)
    y = browser.run("return [hillock.raster.y.lo, hillock.raster.y.hi]")
    expect(y[1] - y[0] < 0.9 and time(browser)[:2] == [lo, hi], f"with Shift cells are zoomed: {y}")
    browser.drag(middle, (middle[0] - 100, middle[1]))
    expect(time(browser)[0] > lo and abs(time(browser)[1] - time(browser)[0] - (hi - lo)) < 1e-9, "a drag moves")
    other = browser.run("return hillock.rates.plot.x === hillock.time && hillock.traces[0].lines.plot.x === hillock.time")
    expect(other, "all plots of time go together")
    browser.mouse("mouseMoved", *middle)
    browser.frame()
    bubble = browser.run("const b = document.querySelector('#raster .bubble'); return b.hidden ? '' : b.textContent")
    expect("[" in bubble and "ms" in bubble, f"the read-out says '{bubble}'")
    browser.key(RASTER, "ArrowRight")
    browser.frame()
    moved = browser.run("return document.querySelector('#raster .bubble').textContent")
    expect(moved != bubble, f"after a key it says what is under the pointer then: '{moved}'")
    browser.key(RASTER, "0")
    low = browser.run("const { raster } = hillock; const band = raster.bands[0]; raster.plot.pointAt(raster.plot.inside.left + 5,"
                      " raster.plot.inside.top + raster.plot.inside.height - 2);"
                      " return document.querySelector('#raster .bubble').textContent")
    expect("[0]" in low, f"the first cell is the lowest, as in hillock.plot: '{low}'")
    browser.show(LINES)
    before = browser.pixels(LINES)
    browser.run("hillock.time.set(20, 22)")
    browser.show(LINES)
    expect(browser.pixels(LINES) != before, "lines of a part are those of all")
    value = browser.run("return hillock.traces[0].set.valueAt(0, 20)")
    expect(len(value) == 1 and -90 < value[0] < 60, f"a value of {value} mV")
    browser.run("hillock.time.reset()")


def check_switches(browser):
    browser.click("#populations button", 1)
    browser.show(RASTER)
    expect(browser.pixels(RASTER, VERMILLION) == 0 and browser.pixels(RASTER, BLUE) > 50, "a population is switched off")
    browser.click("#populations button", 1)
    browser.show(RASTER)
    expect(browser.pixels(RASTER, VERMILLION) > 50, "a population is switched on")
    browser.show("#rates canvas")
    before = browser.pixels("#rates canvas")
    browser.run("const s = document.querySelector('#rates select'); s.value = 10; s.dispatchEvent(new Event('change'))")
    browser.frame()
    expect(browser.run("return hillock.rates.width") == 10 and browser.pixels("#rates canvas") != before, "bins of 10 ms")
    browser.click("#report-0 .tools button", 1)
    expect(browser.run("return hillock.traces[0].lines.page") == 1, "other traces")
    pages, shown, all_traces = browser.run(
        "const { lines, set } = hillock.traces[0]; return [lines.pages, lines.shown, set.count]")
    expect(shown == list(range(1, all_traces, pages)) and shown[-1] > all_traces / 2, f"traces over all: {shown} of {all_traces}")
    expect(sorted(sum((browser.run(f"const {{ lines }} = hillock.traces[0]; lines.turnTo({page}); return lines.shown")
                       for page in range(pages)), [])) == list(range(all_traces)), "pages have all traces")


def check_rhythms(browser, folder):
    """Spectrum and correlogram of numbers whose rhythm is known, and of what ran."""
    expect(browser.run("return hillock.rhythms.length") == 0, "a run of 100 ms has no rhythms")
    run = folder / "longer"
    done = harness.run("run", folder / "model.yaml", "-o", run, "--quiet", "--set", "run.duration=300 ms",
                       "--set", "stimuli.0.iclamp.duration=290 ms")
    expect(done.returncode == 0, done.stderr)
    open_page(browser, run, "a run with rhythms")
    peak, sum_of_power, variance = browser.run("""
        const ms = 2, rates = Float64Array.from({ length: 4000 }, (_, i) => 30 + 20 * Math.sin(2 * Math.PI * 40 * i * ms / 1000));
        const { step, values } = hillock.spectrumOf(rates, ms);
        const most = values.indexOf(Math.max(...values));
        return [most * step, values.reduce((sum, v) => sum + v, 0) * step, 200]""")
    expect(abs(peak - 40) < 0.3 and abs(sum_of_power - variance) < 2, f"power {sum_of_power} of {variance}, most at {peak} Hz")
    first, step, values = browser.run("""
        const rates = Float64Array.from({ length: 3000 }, (_, i) => Math.sin(2 * Math.PI * i / 50));
        const { first, step, values } = hillock.correlogramOf(rates, 1, 100);
        return [first, step, [...values]]""")
    at = {round(first + i * step): value for i, value in enumerate(values)}
    expect(first == -100 and at[0] == 1 and abs(at[25] + 1) < 0.02 and abs(at[-50] - 1) < 0.02, f"correlations {at[25]}, {at[-50]}")
    rhythms = browser.run("return hillock.rhythms.map(({ curves }) => curves.map((one) => one && one.values.length))")
    expect(len(rhythms) == 2 and any(rhythms[0]), f"rhythms of populations: {rhythms}")
    browser.show("#rhythms canvas")
    expect(browser.pixels("#rhythms canvas", BLUE) > 30, "a spectrum is drawn")


def check_shape(browser):
    browser.show(SHAPE)
    empty = browser.run("return hillock.trees[0].drawn.owner.pieces.reduce((sum, piece) => sum + (piece < 0), 0)")
    whole = browser.run("return hillock.trees[0].drawn.owner.pieces.length")
    expect(whole * 0.5 < empty < whole - 200, f"{whole - empty} of {whole} pixels are a cell's")
    first = browser.run("return hillock.trees[0].frame")
    before = browser.pixels(SHAPE)
    browser.run("const s = document.querySelector('#shape-0 input'); s.value = 0; s.dispatchEvent(new Event('input'))")
    browser.frame()
    expect(first > 0 and browser.pixels(SHAPE) != before, "the slider changes colours")
    expect(browser.run("return document.querySelector('#shape-0 output').textContent") == "0.0 ms", "the slider's time")
    expect(browser.run("return hillock.time.cursor") == 0, "plots do not show the slider's time")
    frames = browser.run("return hillock.trees[0].tree.rows.length")
    expect(frames == 1000, f"{frames} moments")
    left, top, width, height = browser.box(SHAPE)
    before = browser.pixels(SHAPE)
    browser.drag((left + 200, top + 200), (left + 320, top + 260))
    turned = browser.pixels(SHAPE)
    expect(turned != before, "a drag turns")
    browser.wheel(left + width / 2, top + height / 2, -300, modifiers=2)
    expect(browser.run("return hillock.trees[0].drawn.zoom") > 1.2 and browser.pixels(SHAPE) != turned, "a wheel zooms")
    browser.key(SHAPE, "0")
    x, y = browser.run("""const { pieces, width } = hillock.trees[0].drawn.owner;
                          const at = pieces.findIndex((piece) => piece >= 0); return [at % width, Math.floor(at / width)]""")
    left, top, *_ = browser.box(SHAPE)
    browser.mouse("mouseMoved", left + x, top + y)
    browser.frame()
    bubble = browser.run("const b = document.querySelector('#shape-0 .bubble'); return b.hidden ? '' : b.textContent")
    expect("(" in bubble and "mV" in bubble, f"a piece says '{bubble}'")
    browser.click("#shape-0 .player button")
    for _ in range(20):
        browser.frame()
    browser.click("#shape-0 .player button")
    expect(browser.run("return hillock.trees[0].frame") > 0, "it does not play")
    browser.run("const s = document.querySelector('#shape-0 select'); s.value = 1; s.dispatchEvent(new Event('change'))")
    browser.frame()
    expect(browser.run("return hillock.trees[0].told.label") == "sticks[1]", "another cell")


def check_activity(browser):
    """Cells where they lie, in the colours of their rates: over the run, in windows, window after window."""
    canvas = "#activity canvas"
    browser.show(canvas)
    seen = browser.run("const { owner } = hillock.activity.tree; return new Set(owner.pieces).size")
    expect(seen == 7, f"{seen - 1} balls of 6")
    whole, spikes = browser.run("return [[...hillock.activity.counts], hillock.raster.bands[1].times.length]")
    expect(sum(whole) == spikes and whole[-1] > whole[0], f"spikes by cell {whole}, {spikes} in all")
    before = browser.pixels(canvas)
    browser.run("const s = document.querySelector('#activity select'); s.value = 10; s.dispatchEvent(new Event('change'))")
    browser.frame()
    frames, counts = browser.run("return [hillock.activity.frames, [...hillock.activity.counts]]")
    expect(frames == 10 and sum(counts) == spikes and [sum(counts[i::6]) for i in range(6)] == whole, f"windows: {counts}")
    expect(browser.pixels(canvas) != before, "nothing has spiked in the first window")
    expect(browser.run("return document.querySelector('#activity output').textContent") == "0.0 ms + 10 ms", "the window's time")
    browser.run("const s = document.querySelector('#activity input'); s.value = 4; s.dispatchEvent(new Event('input'))")
    expect(browser.run("return hillock.time.cursor") == 45, "plots do not show the window")
    browser.click("#populations .chip", 1)
    browser.frame()
    grey = browser.pixels(canvas)
    browser.click("#populations .chip", 1)
    browser.frame()
    expect(browser.pixels(canvas) != grey, "a population that is switched off")


def check_themes(browser):
    def name():
        return browser.run("return document.documentElement.dataset.theme")
    expect(name() == "light", "a light page")
    browser.prefer("dark")
    browser.frame()
    browser.show(RASTER)
    expect(name() == "dark" and browser.pixels(RASTER, SKY) > 50 and browser.pixels(RASTER, BLUE) == 0, "the system's dark")
    browser.click(".switch button", 1)
    browser.show(RASTER)
    expect(name() == "light" and browser.pixels(RASTER, BLUE) > 50, "light by the switch")
    browser.click(".switch button", 2)
    expect(name() == "dark", "dark by the switch")
    browser.run("addEventListener('beforeprint', () => (window.printed = document.documentElement.dataset.theme))")
    paper = base64.b64decode(browser.command("Page.printToPDF", printBackground=False)["data"])
    expect(paper.startswith(b"%PDF") and len(paper) > 20_000, f"a PDF of {len(paper)} bytes")
    expect(browser.run("return window.printed") == "light" and name() == "dark", "paper is light, and the page dark again")
    browser.command("Emulation.setEmulatedMedia", media="print")
    shown = browser.run("return [...document.querySelectorAll('.tools, .switch, .contents, .player input')]"
                        ".filter((e) => getComputedStyle(e).display !== 'none').length")
    expect(shown == 0, f"{shown} controls on paper")
    browser.command("Emulation.setEmulatedMedia", media="", features=[])
    browser.click(".switch button", 0)


def check_names(browser):
    """Every control can be reached and says what it is."""
    nameless = browser.run("""
        return [...document.querySelectorAll("button, select, input, canvas[tabindex], a")].filter((e) => e.tabIndex < 0 ||
          !(e.getAttribute("aria-label") || e.textContent.trim() || e.closest("label"))).map((e) => e.outerHTML)""")
    expect(nameless == [], f"controls without a name: {nameless}")
    expect(browser.run("return [...document.querySelectorAll('[id]')].length === new Set([...document.querySelectorAll('[id]')]"
                       ".map((e) => e.id)).size"), "two elements of one name")


def check_phone(browser, run):
    browser.size(390, 844, 2, True)
    open_page(browser, run, "on a phone")
    wide, window = browser.run("return [document.documentElement.scrollWidth, innerWidth]")
    expect(wide <= window == 390, f"{wide} pixels of {window}")
    small = browser.run("return [...document.querySelectorAll('.tools button, .switch button, select')].filter((e) =>"
                        "e.getBoundingClientRect().height < 38).length")
    expect(small == 0, f"{small} controls are too small for a finger")
    browser.show(RASTER)
    expect(browser.pixels(RASTER, BLUE) > 50, "no marks on a phone")
    left, top, width, height = browser.box(RASTER)
    browser.pinch(left + width / 2, top + height / 2, 60, 180)
    lo, hi, *_ = time(browser)
    expect(hi - lo < 60, f"two fingers show {lo} to {hi}")
    browser.show(SHAPE)
    before = browser.run("return hillock.trees[0].drawn.zoom")
    left, top, width, height = browser.box(SHAPE)
    browser.pinch(left + width / 2, top + height / 2, 60, 150)
    expect(browser.run("return hillock.trees[0].drawn.zoom") > before * 1.5, "two fingers zoom a shape")
    expect(browser.errors() == [], "errors on a phone")
    browser.size(1280, 900)


def check_others(browser, folder):
    harmful = write_run(
        folder / "harmful", {"host": HARM, "error": HARM, "warnings": [HARM], "status": HARM, "timings_s": {HARM: 1},
                             "options": {HARM: HARM}, "populations": [{"name": "<script>", "cell": HARM, "size": 10**15, "spikes_of": [[0, 10**15]]}]},
        spikes=spikes_of([1, float("nan"), 50, 2], [1, 1, 1, 15_000_000], "<script>"),
        v=report_of([[float("nan"), float("inf"), 1], [2, float("-inf"), 3]], units=HARM, shape=STICK))
    open_page(browser, harmful, "a harmful run")
    expect(browser.run("return window.harmed === undefined && !document.querySelector('img')"), "a name became a script")
    expect(browser.run("return document.querySelector('#populations button').textContent") == "<script>", "a name is changed")
    expect("window.harmed" in browser.run("return document.querySelector('#warnings').textContent"), "a warning is lost")
    bare = write_run(folder / "bare", spikes=lambda file: file.create_group("spikes"))
    open_page(browser, bare, "a run of nothing")
    silent = write_run(folder / "silent", spikes=spikes_of([], []), v=report_of([[]], pointers=[0, 0], elements=[]))
    open_page(browser, silent, "a run without a spike")
    cut = write_run(folder / "cut", {"status": "interrupted", "error": "stopped"}, spikes=spikes_of([1, 30], [0, 1]))
    (cut / "spikes.h5").rename(cut / "spikes.h5.partial")
    open_page(browser, cut, "a run that was cut short")
    text = browser.run("return document.querySelector('.top').textContent")
    expect("Interrupted" in text and "30 ms of 100 ms" in text, f"it is said to be cut short: {text}")


def contacts_of(values, places):
    """The form of potentials at contacts."""
    def fill(file):
        group = file.create_group("ecp")
        group["data"], group["time"] = values, [0.0, 0.1 * len(values), 0.1]
        group["data"].attrs["units"] = "mV"
        group["channel_id"] = np.arange(len(places))
        for axis, name in enumerate("xyz"):
            group[f"channel_{name}_um"] = places[:, axis]
    return fill


def moment_of(values):
    def fill(file):
        file["dipole/data"], file["dipole/time"] = values, [0.0, 0.1 * len(values), 0.1]
        file["dipole/data"].attrs["units"] = "nA um"
    return fill


def check_contacts(browser, folder):
    """Two columns of contacts at unlike depths: their mean over depth, sources by its second difference, the contacts in
    space; two contacts, which are no depths; a dipole moment."""
    depths = np.array([-300.0, -200, -100, -50, 0, 100, 200])
    places = np.array([[x, 0, z] for x in (-20, 20) for z in depths])
    in_time = np.sin(np.arange(400) / 30)
    columns = np.concatenate([(depths / 100) ** 2 + 0.5, (depths / 100) ** 2 - 0.5])
    angles = np.arange(8) * np.pi / 4
    ring = np.column_stack([50 * np.cos(angles), 50 * np.sin(angles), 0 * angles])
    bare = folder / "contacts"
    write_run(bare, spikes=spikes_of([1, 30], [0, 1], places=[[0, 0, 0, 0], [1, 10, 5, -60]]),
              lfp=contacts_of(in_time[:, None] * columns, places),
              two=contacts_of(in_time[:, None] * [1, 2], places[:2]), ring=contacts_of(in_time[:, None] * angles, ring),
              moment=moment_of(in_time[:, None] * [1, 2, 3]))
    open_page(browser, bare, "potentials")
    found = browser.run("""return hillock.depths.map(({ depths }) => [depths.name, Array.from(depths.um),
        depths.values.map((one) => one[47]), depths.sources.map((one) => one && one[47])])""")
    name, um, values, sources = found[0]
    expect(len(found) == 2 and name == "z" and um == depths.tolist(), f"depths: {found}")
    expect(np.allclose(values, in_time[47] * (depths / 100) ** 2, atol=1e-3), f"means of a depth: {values}")
    expect(sources[0] is None and sources[-1] is None and np.allclose(sources[1:-1], -200 * in_time[47], rtol=0.01),
           f"sources: {sources}, not {-200 * in_time[47]}")
    expect(browser.run("return hillock.contacts.map((one) => one.tree.count)") == [16, 4, 10], "contacts and cells in space")
    for canvas in ("#depth-0 canvas", "#contacts-0 canvas"):
        browser.show(canvas)
        expect(browser.pixels(canvas) > 1000, f"{canvas} is empty")
    told = browser.run("const { potential, sources } = hillock.depths[0]; return [potential.readOut(4.7, 110), sources.readOut(4.7, 250)]")
    expect(told[0][0] == "z = 100 µm" and told[1][2] == "no value", f"what a pointer reads: {told}")
    titles = browser.run("return Array.from(document.querySelectorAll('h2'), (one) => one.textContent)")
    expect("two over depth" not in titles and "lfp over depth" in titles and "moment" in titles, f"titles: {titles}")
    text = browser.run("return hillock.traces.at(-1).set.labels")
    expect(browser.run("return hillock.traces.some(({ set }) => set.labels.join() === 'x,y,z')"), f"labels: {text}")
    browser.size(390, 844, 2, True)
    open_page(browser, bare, "potentials on a phone")
    expect(browser.run("return document.documentElement.scrollWidth") <= 390, "wider than a phone")


def check_view(browser, folder):
    """The page of a model before it runs."""
    (folder / "view.yaml").write_text(VIEWED.replace("HARM", json.dumps(HARM)))
    done = harness.run("view", folder / "view.yaml")
    expect(done.returncode == 0, f"view: {done.stderr}")
    browser.open(folder / "view.html")
    errors = browser.errors()
    expect(browser.run("return window.hillock?.isReady") is True and errors == [], f"the page of a model: {errors}")
    expect(browser.run("return window.harmed === undefined && !document.querySelector('img')"), "a name became a script")
    browser.show("#places canvas")
    drawn = browser.run("return new Set(hillock.places.owner.pieces).size - 1")
    expect(drawn > 400, f"{drawn} cells of 540 are seen where they lie")
    # Regions in colours of their own; then one thing alone is coloured.
    browser.show("#cell-0 canvas")
    expect(browser.pixels("#cell-0 canvas", VERMILLION) > 100, "no dendrite")
    browser.run("""const { select, layers } = hillock.cells[0];
                   select.value = 1 + layers.findIndex((layer) => layer.name === "mechanism hh");
                   select.dispatchEvent(new Event("change"))""")
    browser.frame()
    few = browser.pixels("#cell-0 canvas", VERMILLION)
    browser.run("""const { select, layers } = hillock.cells[0];
                   select.value = 1 + layers.findIndex((layer) => layer.name === "mechanism pas");
                   select.dispatchEvent(new Event("change"))""")
    browser.frame()
    expect(few < browser.pixels("#cell-0 canvas", VERMILLION), "a choice changes nothing")
    browser.show("#delays canvas")
    before = browser.pixels("#delays canvas")
    browser.click("#delays button.chip", 1)
    expect(browser.pixels("#delays canvas") != before, "a projection is switched off")
    text = browser.run("return document.querySelector('#matrix table').textContent")
    expect("202" in text and "2 nS, 1.5 ms" in text and "3 nS, gap junctions" in text, f"the table of connections: {text}")
    browser.size(390, 844, 2, True)
    browser.open(folder / "view.html")
    wide = browser.run("return document.documentElement.scrollWidth")
    expect(wide <= 390 and browser.errors() == [], f"{wide} pixels on a phone")


def main():
    with harness.scratch() as folder, Browser(folder) as browser:
        folder = pathlib.Path(folder)
        (folder / "model.yaml").write_text(MODEL)
        run = folder / "run"
        done = harness.run("run", folder / "model.yaml", "-o", run, "--quiet")
        harness.check(done.returncode == 0, done.stderr)
        browser.prefer("light")
        open_page(browser, run, "a whole run")
        check_plots(browser)
        check_switches(browser)
        check_shape(browser)
        check_activity(browser)
        check_themes(browser)
        check_names(browser)
        errors = browser.errors()
        expect(errors == [], f"errors: {errors}")
        check_phone(browser, run)
        check_rhythms(browser, folder)
        check_others(browser, folder)
        browser.size(1280, 900)
        check_contacts(browser, folder)
        browser.size(1280, 900)
        check_view(browser, folder)
    harness.finish(checked, "things of pages")


if __name__ == "__main__":
    main()
