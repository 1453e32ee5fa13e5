"""Chromium without a screen, for tests of pages. Not here: what is tested."""

import importlib.util
import os
import shutil
import sys

import harness

if missing := [name for name, there in (("selenium", importlib.util.find_spec("selenium")),
                                        ("chromium", shutil.which("chromium")),
                                        ("chromedriver", shutil.which("chromedriver"))) if not there]:
    print(f"left out: no {', '.join(missing)} (apt-get install chromium chromium-driver python3-selenium, for /usr/bin/python3)")
    sys.exit(1 if harness.peers_are_required() else harness.SKIPPED)

from selenium import webdriver  # noqa: E402
from selenium.webdriver.chrome.service import Service  # noqa: E402


class Browser:
    def __init__(self, folder):
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium")
        for word in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars",
                     f"--user-data-dir={folder}/profile"):
            options.add_argument(word)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        # Whatever proxy there is, is for others: the driver is on this machine.
        os.environ["no_proxy"] = "localhost,127.0.0.1"
        self.driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
        self.driver.set_script_timeout(60)
        self.size(1280, 900)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.quit()

    def command(self, name, **words):
        return self.driver.execute_cdp_cmd(name, words)

    def size(self, width, height, ratio=1, is_phone=False):
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=ratio, mobile=is_phone)
        self.command("Emulation.setTouchEmulationEnabled", enabled=is_phone)

    def prefer(self, scheme):
        self.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def open(self, page):
        self.driver.get(f"file://{page}")

    def run(self, script, *words):
        return self.driver.execute_script(script, *words)

    def frame(self):
        """Waits until what has changed is drawn: observers are told in the order of their making, so the page's, which
        draws in the next frame what has come into view, knows before this one."""
        self.driver.execute_async_script("""
            const done = arguments[0];
            const last = new IntersectionObserver(() => {
              last.disconnect();
              requestAnimationFrame(() => requestAnimationFrame(() => done()));
            });
            last.observe(document.body);""")

    def errors(self):
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def show(self, selector):
        self.run("document.querySelector(arguments[0]).scrollIntoView({block: 'center', behavior: 'instant'})", selector)
        self.frame()

    def box(self, selector):
        """left, top, width, height within the window."""
        return self.run("const b = document.querySelector(arguments[0]).getBoundingClientRect();"
                        "return [b.left, b.top, b.width, b.height]", selector)

    def click(self, selector, number=0):
        self.run("document.querySelectorAll(arguments[0])[arguments[1]].click()", selector, number)
        self.frame()

    def mouse(self, kind, x, y, **more):
        self.command("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def drag(self, start, end, **more):
        self.mouse("mousePressed", *start, button="left", buttons=1, clickCount=1, **more)
        for part in (0.3, 0.7, 1):
            self.mouse("mouseMoved", *(a + (b - a) * part for a, b in zip(start, end)), button="left", buttons=1, **more)
        self.mouse("mouseReleased", *end, button="left", clickCount=1, **more)
        self.frame()

    def wheel(self, x, y, by, **more):
        self.mouse("mouseWheel", x, y, deltaX=0, deltaY=by, **more)
        self.frame()

    def pinch(self, x, y, before, after):
        """Two fingers on a level line, so far apart."""
        def points(gap):
            return [{"x": x - gap / 2, "y": y, "id": 0}, {"x": x + gap / 2, "y": y, "id": 1}]
        self.command("Input.dispatchTouchEvent", type="touchStart", touchPoints=points(before))
        for part in (0.25, 0.5, 0.75, 1):
            self.command("Input.dispatchTouchEvent", type="touchMove", touchPoints=points(before + (after - before) * part))
        self.command("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        self.frame()

    def key(self, selector, key):
        self.run("document.querySelector(arguments[0]).focus()", selector)
        for kind in ("keyDown", "keyUp"):
            self.command("Input.dispatchKeyEvent", type=kind, key=key, text=key if len(key) == 1 and kind == "keyDown" else "")
        self.frame()

    def pixels(self, selector, colour=None):
        """A sum of what a canvas shows, or how many of its pixels have a colour."""
        return self.run("""
            const canvas = document.querySelector(arguments[0]);
            const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
            const colour = arguments[1];
            let sum = 0;
            for (let i = 0; i < data.length; i += 4)
              if (!colour) sum = (sum * 31 + data[i] * 65536 + data[i + 1] * 256 + data[i + 2]) % 4294967291;
              else if (data[i] === colour[0] && data[i + 1] === colour[1] && data[i + 2] === colour[2]) ++sum;
            return sum;""", selector, colour)
