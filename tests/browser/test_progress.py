"""The page of a gold candidate while files are scored, in a real browser with a clock that is set."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

pytestmark = pytest.mark.browser
SCRIPT = (Path(__file__).parents[2] / "server" / "static" / "progress.js").read_text(encoding="utf-8")
SITE = "http://assay.example/"
PAGE = """<main><progress data-reload="Looks again."></progress><span id="reload">Load this page again.</span>
<textarea></textarea></main><script src="progress.js" defer></script>"""


def _pass(page: Page, seconds: int) -> None:
    """Let time pass on the page, and its requests leave in between."""
    for _ in range(seconds // 3):
        page.clock.run_for(3_000)
        page.wait_for_timeout(60)


def test_page_polls_at_most_once_a_minute_until_finished_and_never_while_a_form_is_edited(
    chromium: Browser,
) -> None:
    """A reload that is asked for again breaks the first one off, and a slow answer would never come."""
    page, asked = chromium.new_context().new_page(), list[str]()

    def answer(route: Route) -> None:
        """The page, then nothing that would replace it, then the next one."""
        if route.request.url.endswith(".js"):
            route.fulfill(body=SCRIPT, content_type="text/javascript")
            return
        asked.append(route.request.url)
        bodies = {1: PAGE, 3: "<main>Every file is scored.</main>"}
        status = 200 if len(asked) in bodies else 204
        route.fulfill(status=status, body=bodies.get(len(asked), ""), content_type="text/html")

    page.route("**/*", answer)
    page.clock.install()
    page.goto(SITE)
    expect(page.locator("#reload")).to_contain_text("Looks again.")
    page.locator("textarea").fill("a reason")
    _pass(page, 30)
    assert len(asked) == 1
    page.locator("textarea").fill("")
    page.locator("textarea").blur()
    _pass(page, 30)
    assert len(asked) == 2
    _pass(page, 40)
    expect(page.locator("main")).to_have_text("Every file is scored.")
    page.context.close()
