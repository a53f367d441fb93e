"""The style of the home page's cards."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

pytestmark = pytest.mark.browser
STATIC = Path(__file__).parents[2] / "server" / "static"
STYLES = ("vendor/pico/pico.min.css", "assay.css", "home.css")
PAGE = """<a href="#open">Take part</a><h2 id="open">In progress</h2><div class="cards"><article class="task">
<table class="leaders"><tr>
<td class="strip"><svg><rect x="100%" width="2" height="8"/></svg></td></tr></table>
</article></div>"""


def test_cards_show_whole_dots_and_where_one_can_take_part(chromium: Browser) -> None:
    page = chromium.new_context().new_page()
    page.set_content(PAGE)
    for name in STYLES:
        page.add_style_tag(path=STATIC / name)
    expect(page.locator("td svg")).to_have_css("overflow", "visible")  # a dot at the end is not cut off
    border = "element => getComputedStyle(element).borderColor"
    before = page.locator("article").evaluate(border)
    page.get_by_role("link", name="Take part").click()
    expect(page.locator("article")).not_to_have_css("border-color", before)
    page.context.close()
