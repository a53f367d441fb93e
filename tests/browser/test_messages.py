"""A message on a page whose address names a place far below."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Route, expect

pytestmark = pytest.mark.browser
SCRIPT = (Path(__file__).parents[2] / "server" / "static" / "messages.js").read_text(encoding="utf-8")
SITE = "http://assay.example/"
PAGE = """<main id="content"><div class="note good" role="status">It is public.</div>
<script src="messages.js" defer></script><p style="height: 300rem">A leaderboard</p>
<section><h2 id="release">Release</h2><p style="height: 300rem">A form</p></section></main>"""


@pytest.mark.parametrize("place", ["", "#release", "#content", "#nowhere"])
def test_message_is_in_view_wherever_the_address_leads(chromium: Browser, place: str) -> None:
    page = chromium.new_context().new_page()

    def answer(route: Route) -> None:
        script = route.request.url.endswith(".js")
        kind = "text/javascript" if script else "text/html"
        route.fulfill(body=SCRIPT if script else PAGE, content_type=kind)

    page.route("**/*", answer)
    page.goto(SITE + place)
    expect(page.get_by_role("status")).to_be_in_viewport()
    if place == "#release":
        expect(page.get_by_role("heading", name="Release")).to_be_in_viewport()
    page.context.close()
