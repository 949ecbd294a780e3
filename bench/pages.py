"""python -m bench.pages: how long until people see the Ask page and can type, over the sample organization.

The real app and a Chromium with nothing kept, again and again; the bar is a first paint under 0.5 s on an idle machine.
"""

import argparse
import os
import tempfile
from pathlib import Path
from statistics import median

os.environ.setdefault("HF_HUB_OFFLINE", "1")

from bench.__main__ import fill
from tests.serving import app_of_its_own, chromium
from trag.home import open_home
from trag.settings import Settings

TIMES = 10
BAR = 0.5
PAINTED = """new Promise((resolve) => new PerformanceObserver((list) =>
    resolve(list.getEntriesByName("first-contentful-paint")[0].startTime)).observe({type: "paint", buffered: true}))"""


def main() -> None:
    """Fill a home, open the page so many times, print."""
    parser = argparse.ArgumentParser(prog="python -m bench.pages")
    parser.add_argument("--times", type=int, default=TIMES, metavar="N", help="how often the page is opened")
    times = parser.parse_args().times
    with tempfile.TemporaryDirectory() as name:
        home = Path(name) / "home"
        with open_home(Settings(home=home)) as opened:
            fill(opened, Path(name))
        painted, typed = list[float](), list[float]()
        with app_of_its_own(home, Path(name) / "log") as (address, _), chromium() as browser:
            for number in range(times + 1):
                with browser.new_context(base_url=address) as context:
                    page = context.new_page()
                    page.goto("/", wait_until="commit")
                    page.wait_for_selector("#question textarea:enabled")
                    typable = page.evaluate("performance.now()") / 1000
                    if number:  # the first one finds nothing compiled
                        painted.append(page.evaluate(PAINTED) / 1000)
                        typed.append(typable)
                    else:
                        page.wait_for_selector("#state .notice", state="detached", timeout=300_000)
    print("| seconds | median | slowest |\n|---|---|---|")
    for row, found in (("first paint", painted), ("a question can be typed", typed)):
        print(f"| {row} | {median(found):.2f} | {max(found):.2f} |")
    print(f"The bar of {BAR} s is {'held' if median(painted) < BAR else 'not held'} by the first paint.")


if __name__ == "__main__":
    main()
