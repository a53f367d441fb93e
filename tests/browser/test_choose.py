"""Systems to compare are filtered in place; what is ticked stays, and the address names that alone."""

from pathlib import Path

from jinja2 import Environment, FileSystemLoader
from playwright.sync_api import Browser, Route

from server.boards.systems import format_system_key
from server.core import i18n
from server.core.config import find_package_folder

BASE = "http://choose.example"
PAGE = """<!doctype html>
<html lang=en><title>c</title><link rel=stylesheet href=/static/run.css>
<script src=/static/choose.js defer></script>
{% from "releases/_comparison_chooser.html" import chooser with context %}{{ chooser(rows, [], rows, "") }}
"""


def test_filtering_in_place_keeps_the_selection(chromium: Browser) -> None:
    made = Environment(
        loader=FileSystemLoader(find_package_folder("templates")),
        autoescape=True,
        extensions=[i18n.JINJA_EXTENSION],
    )
    i18n.install_gettext(made)
    rows = [("official", f"team{k}", run) for k in range(10) for run in ("encoder", "overlap")]
    variables = {
        "url_for": lambda *_, **__: "/compare",
        "key_of": lambda key: format_system_key(*key),
        "parts": {},
    }
    body = made.from_string(PAGE).render(rows=rows, **variables)

    def answer(route: Route) -> None:
        path = route.request.url.removeprefix(BASE)
        if path.startswith("/static/"):
            route.fulfill(path=Path(find_package_folder("server/static")) / path.removeprefix("/static/"))
        else:
            route.fulfill(body=body, content_type="text/html")

    page = chromium.new_page()
    page.route("**/*", answer)
    page.goto(f"{BASE}/compare")
    page.fill("#q", "am3 O")
    page.check("text=team3 overlap")
    page.fill("#q", "team7")
    assert page.locator(".choice:visible").all_inner_texts() == [
        "team3 overlap",
        "team7 encoder",
        "team7 overlap",
    ]
    assert page.locator(".status").inner_text() == "3 of 20 systems match."
    page.check("text=team7 encoder")
    page.press("#q", "Enter")
    assert page.url == f"{BASE}/compare", "it is filtered already"
    page.click(".actions button")
    assert page.url == f"{BASE}/compare?of=official%2Fteam3%2Foverlap&of=official%2Fteam7%2Fencoder"
    page.close()
