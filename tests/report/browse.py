#!/usr/bin/env python3
"""Opens a report in a headless browser, steps through its trace with keys and mouse, and looks whether it is legible.

    browse.py REPORT.html [FOLDER]      FOLDER is for screenshots

Exit codes: 0 all is well; 1 something is wrong, and what; 77 there is no browser. With FPSOLVE_INSTALL_BROWSER=1 a
missing browser is installed from Debian's packages, if that is possible. Only Python's own library is used.
"""

import base64
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

BROWSERS = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--disable-dev-shm-usage"]
KEYS = {"End": "\uE010", "Home": "\uE011", "ArrowLeft": "\uE012", "ArrowRight": "\uE014"}
PATIENCE = 120


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def find():
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    driver = shutil.which("chromedriver")
    return (browser, driver) if browser and driver else None


def install():
    if os.environ.get("FPSOLVE_INSTALL_BROWSER") != "1":
        skip("no chromium with chromedriver here; FPSOLVE_INSTALL_BROWSER=1 installs them with apt-get")
    if not shutil.which("apt-get") or os.geteuid() != 0:
        skip("no chromium with chromedriver here, and no way to install them")
    for command in ["apt-get update", "apt-get install -y --no-install-recommends chromium chromium-driver"]:
        try:
            subprocess.run(command.split(), check=True, stdout=subprocess.DEVNULL, timeout=300)
        except (subprocess.SubprocessError, OSError) as error:
            skip(f"{command} failed: {error}")


class Browser:
    """A session of chromedriver's protocol."""

    def __init__(self, browser, driver, profile):
        self.driver = subprocess.Popen([driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        port = None
        for line in self.driver.stdout:
            found = re.search(r"on port (\d+)", line)
            if found and "successfully" in line:
                port = found.group(1)
                break
        if port is None:
            raise RuntimeError("chromedriver did not start")
        self.base = f"http://127.0.0.1:{port}/session"
        options = {"binary": browser, "args": FLAGS + [f"--user-data-dir={profile}"]}
        wanted = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        answer = self.post("", {"capabilities": {"alwaysMatch": wanted}})
        self.base += "/" + answer["sessionId"]

    def call(self, method, path, body=None):
        payload = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, payload, {"Content-Type": "application/json"}, method=method)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=PATIENCE) as response:
                return json.load(response)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{method} {path} {body}: {error.read().decode(errors='replace')[:500]}") from error

    def post(self, path, body):
        return self.call("POST", path, body)

    def run(self, script, *arguments):
        return self.post("/execute/sync", {"script": script, "args": list(arguments)})

    def size(self, width, height):
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.post("/goog/cdp/execute", {"cmd": "Emulation.setDeviceMetricsOverride", "params": metrics})

    def press(self, key):
        value = KEYS.get(key, key)
        actions = [{"type": kind, "value": value} for kind in ("keyDown", "keyUp")]
        self.post("/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def click(self, selector):
        # As a user would: what is to be clicked on is brought away from headings that cover it.
        self.run("document.querySelector(arguments[0]).scrollIntoView({ block: 'center' })", selector)
        element = self.post("/element", {"using": "css selector", "value": selector})
        self.post(f"/element/{next(iter(element.values()))}/click", {})

    def complaints(self):
        return [entry["message"] for entry in self.post("/se/log", {"type": "browser"}) if entry["level"] != "DEBUG"]

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("GET", "/screenshot")))

    def end(self):
        try:
            self.call("DELETE", "")
        except OSError:
            pass
        self.driver.terminate()
        self.driver.wait(10)


class Check:
    def __init__(self):
        self.wrong = []

    def equal(self, what, found, wanted):
        if found != wanted:
            self.wrong.append(f"{what}: {found!r}, not {wanted!r}")


# What the page shows of the present moment.
SEEN = """
const text = selector => [...document.querySelectorAll(selector)].map(element => element.textContent);
return {
  told: text('#told')[0],
  steps: text('.run tr[aria-current] > td:first-child').filter(step => step),
  lines: text('.program .line.now > .at').map(Number),
  hidden: ['.program .line.now', '.run tr[aria-current]', '.values td.changed'].filter(selector => {
    const element = document.querySelector(selector);
    if (!element) return false;
    const box = element.getBoundingClientRect(), pane = element.closest('.scroll').getBoundingClientRect();
    return box.top < pane.top - 1 || box.bottom > pane.bottom + 1;
  }),
  changed: [...document.querySelectorAll('.values td.changed')].map(cell => cell.previousSibling.textContent),
};
"""

# Text that is too small, what makes the page wider than the window, and programs and equations that are cut off.
LEGIBLE = """
const small = [], wide = [];
for (const element of document.querySelectorAll('body *')) {
  const own = [...element.childNodes].some(node => node.nodeType === 3 && node.textContent.trim());
  const box = element.getBoundingClientRect();
  if (!own || !box.width || element.closest('script, style, noscript')) continue;
  const scale = element.ownerSVGElement ? element.ownerSVGElement.getBoundingClientRect().width
    / element.ownerSVGElement.viewBox.baseVal.width : 1;
  if (parseFloat(getComputedStyle(element).fontSize) * scale < 10.5) small.push(element.textContent.slice(0, 40));
  if (box.right > innerWidth + 1 && !element.closest('.scroll')) wide.push(element.textContent.slice(0, 40));
}
const page = document.documentElement;
const cut = [...document.querySelectorAll('.listing')].filter(listing => listing.scrollWidth > listing.clientWidth
  || listing.parentElement.scrollWidth > listing.parentElement.clientWidth);
return { small, wide, cut: cut.map(listing => listing.textContent.slice(0, 40)), over: page.scrollWidth - page.clientWidth,
  sections: [...document.querySelectorAll('section')].map(section => section.id),
  fetched: performance.getEntriesByType('resource').map(entry => entry.name) };
"""


def step_through(browser, check, trace, where):
    """The moments of the trace by keys, buttons and clicks, against the data of the page."""
    steps = trace["steps"]
    last = len(steps)

    def expect(how, at):
        seen = browser.run(SEEN)
        check.equal(f"{where}: step after {how}", seen["told"].split(":")[0], f"step {at} of {last}")
        check.equal(f"{where}: marked step after {how}", seen["steps"], [str(at)])
        check.equal(f"{where}: out of sight after {how}", seen["hidden"], [])
        if at:
            step = steps[at - 1]
            check.equal(f"{where}: marked line after {how}", seen["lines"], [step["line"]])
            names = sorted(change["variable"] for change in step["changes"])
            check.equal(f"{where}: marked variables after {how}", sorted(seen["changed"]), names)
        else:
            check.equal(f"{where}: marked lines after {how}", seen["lines"], [])

    expect("opening", last)
    browser.click(".stepper button:nth-of-type(1)")
    expect("the button |◀", 0)
    browser.press("ArrowLeft")
    expect("← at the beginning", 0)
    for at in range(1, min(last, 12) + 1):
        browser.press("ArrowRight" if at % 2 else "j")
        expect(f"→ number {at}", at)
    here = min(last, 12)
    browser.press("k")
    expect("k", here - 1)
    browser.click(".stepper button:nth-of-type(3)")
    expect("the button ▶", here)
    browser.click(".stepper button:nth-of-type(2)")
    expect("the button ◀", here - 1)
    browser.click(".stepper button:nth-of-type(4)")
    expect("the button ▶|", last)
    browser.press("ArrowRight")
    expect("→ at the end", last)
    browser.click(".run tbody tr:nth-child(3) td:first-child")
    expect("a click on step 2", 2)
    browser.run("document.querySelector('.run').focus()")
    browser.press("End")
    expect("End", last)
    browser.press("Home")
    expect("Home", 0)


def examine(browser, check, page, folder):
    url = "file://" + urllib.request.pathname2url(os.path.abspath(page))
    for width, height in [(1280, 900), (400, 800)]:
        browser.size(width, height)
        browser.post("/url", {"url": url})
        where = f"{width} pixels"
        trace = browser.run("return JSON.parse(document.getElementById('data').textContent).trace")
        seen = browser.run(LEGIBLE)
        check.equal(f"{where}: too small", seen["small"], [])
        check.equal(f"{where}: too wide", seen["wide"], [])
        check.equal(f"{where}: listings that scroll sideways", seen["cut"], [])
        check.equal(f"{where}: the page scrolls sideways by", seen["over"], 0)
        check.equal(f"{where}: fetched", seen["fetched"], [])
        wanted = ["trace"] if trace else []
        wanted += ["profile", "components", "equations", "settings"]
        check.equal(f"{where}: missing sections", [name for name in wanted if name not in seen["sections"]], [])
        proof = browser.run("return JSON.parse(document.getElementById('data').textContent).proof")
        first = "trace" if trace else "proof" if proof else seen["sections"][0]
        check.equal(f"{where}: what comes first", seen["sections"][0], first)
        if trace:
            step_through(browser, check, trace, where)
            if width < 700:
                pane = "const run = document.querySelector('.run'); return run.scrollWidth - run.clientWidth"
                check.equal(f"{where}: the steps scroll sideways by", browser.run(pane), 0)
        check.equal(f"{where}: the console says", browser.complaints(), [])
        if folder:
            if trace:
                for _ in range(min(len(trace["steps"]), 9)):
                    browser.press("ArrowRight")
            os.makedirs(folder, exist_ok=True)
            browser.run("scrollTo(0, 0)")
            browser.picture(os.path.join(folder, f"{width}-top.png"))
            for section in seen["sections"]:
                browser.run("document.getElementById(arguments[0]).scrollIntoView()", section)
                browser.picture(os.path.join(folder, f"{width}-{section}.png"))


def main():
    page, folder = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None
    if find() is None:
        install()
    found = find()
    if found is None:
        skip("chromium and chromedriver were installed and are not found")
    check = Check()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(*found, profile)
        try:
            examine(browser, check, page, folder)
        finally:
            browser.end()
    for wrong in check.wrong:
        print(wrong)
    sys.exit(1 if check.wrong else 0)


main()
