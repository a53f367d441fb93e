"""Pictures of every page, wide and narrow, light and dark: `make screenshots`.

Takes the address of a running `assay demo`, or starts one of its own. Signs in with the demo's accounts, does
what a picture needs (sends a broken file, say), and writes `screenshots/<page>.<width>.<theme>.png`. It says
which page scrolls sideways and which one writes to the console (a Content-Security-Policy that was not held
does), and ends with 1 if any did.
"""

import argparse
import contextlib
import itertools
import sys
from pathlib import Path

from playwright.sync_api import ConsoleMessage, Page, sync_playwright

from tests.browser.pages import ADDRESSES, CHROMIUM, PAGES, Go, demo, signed_in

WIDTHS = {"wide": 1280, "narrow": 360}
THEMES = ("light", "dark")


def main() -> int:
    """Take the pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("base", nargs="?", help="the address of a running `assay demo`; by default a new one")
    parser.add_argument("--out", type=Path, default=Path("screenshots"))
    parser.add_argument("--only", nargs="*", help="names of pages")
    parser.add_argument("--fast", action="store_true", help="narrow dark and wide light only")
    options = parser.parse_args()
    options.out.mkdir(exist_ok=True)
    with contextlib.nullcontext(options.base) if options.base else demo() as base:
        faults = take_all(options, base.rstrip("/"))
    print("\n".join(faults) or "no page scrolls sideways, none writes to the console")
    return 1 if faults else 0


def take_all(options: argparse.Namespace, base: str) -> list[str]:
    """Take the pictures; what is wrong with the pages."""
    faults: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for size, theme in itertools.product(WIDTHS, THEMES):
            if options.fast and (size, theme) not in (("wide", "light"), ("narrow", "dark")):
                continue
            for who in (None, *ADDRESSES):
                chosen = [(name, go) for name, role, go in PAGES if role == who]
                if options.only:
                    chosen = [(name, go) for name, go in chosen if name in options.only]
                if chosen:
                    with signed_in(browser, base, who, WIDTHS[size], theme) as page:
                        faults += _take(page, base, options.out, chosen, (size, theme))
        browser.close()
    return faults


def _take(page: Page, base: str, out: Path, chosen: list[tuple[str, Go]], look: tuple[str, str]) -> list[str]:
    faults: list[str] = []
    name = ""
    size, theme = look

    def note(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and "Failed to load resource" not in message.text:
            faults.append(f"{name} ({size}, {theme}): console: {message.text}")

    page.on("console", note)
    for name, go in chosen:
        go(page, base)
        page.wait_for_load_state("load")
        width = page.evaluate("document.documentElement.scrollWidth")
        if width > WIDTHS[size]:
            faults.append(f"{name} ({size}, {theme}): {width} px wide, so it scrolls sideways")
        page.screenshot(path=out / f"{name}.{size}.{theme}.png", full_page=True)
        print(f"{name}.{size}.{theme}.png")
    return faults


if __name__ == "__main__":
    sys.exit(main())
