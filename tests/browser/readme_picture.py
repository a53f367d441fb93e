"""The README's picture of a leaderboard, deploy/leaderboard.png: `python -m tests.browser.readme_picture`.

Takes the address of a running `assay demo`, or starts one of its own. Run it again when leaderboards change.
"""

import argparse
import contextlib
from pathlib import Path

from playwright.sync_api import FloatRect, Locator, sync_playwright

from tests.browser.pages import CHROMIUM, ISLAND, demo, signed_in

PICTURE = Path(__file__).parents[2] / "deploy" / "leaderboard.png"
WIDTH = 1240
ROWS = 10
"""Enough to show two clusters and the line between them."""
MARGIN = 12


def main() -> None:
    """Take the picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("base", nargs="?", help="the address of a running `assay demo`; by default a new one")
    options = parser.parse_args()
    with contextlib.nullcontext(options.base) if options.base else demo() as base:
        take(base.rstrip("/"))


def take(base: str) -> None:
    """Save the header and the first rows of the demo's large leaderboard."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        with signed_in(browser, base, None, WIDTH, "light") as page:
            page.goto(base + ISLAND)
            table = page.locator(".scroll.board table").first
            top, last = box(table), box(table.locator("tbody tr").nth(ROWS - 1))
            clip: FloatRect = {
                "x": top["x"] - MARGIN,
                "y": top["y"] - MARGIN,
                "width": top["width"] + 2 * MARGIN,
                "height": last["y"] + last["height"] - top["y"] + MARGIN,
            }
            page.screenshot(path=PICTURE, full_page=True, clip=clip)
        browser.close()


def box(locator: Locator) -> FloatRect:
    """Where something is on the page."""
    bounds = locator.bounding_box()
    if bounds is None:
        raise SystemExit("the leaderboard of the demo is not on the page")
    return bounds


if __name__ == "__main__":
    main()
