"""Every page of the route table, in every role, is valid HTML in which axe-core finds nothing."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route

from tests.browser.looking import WIDE, glance_at, validate
from tests.server.answers import CollectedAnswers

STATIC = Path(__file__).parents[3] / "server"
BASE = "http://site.example"


def each_page(collected: CollectedAnswers) -> dict[str, str]:
    """The pages that GET brings in all roles, by route, status and role."""
    return {
        f"{case.endpoint}.{answer.response.status_code}.{role}": answer.response.text
        for role, answers in collected.answers.items()
        for answer in answers
        if (case := answer.case) is not None and case.method == "GET" and case.endpoint != "static"
        if answer.response.mimetype == "text/html" and answer.response.status_code not in (301, 302)
    }


def fullest(pages: dict[str, str]) -> dict[str, str]:
    """Of each route the page of the role that sees most, and of each error the longest."""
    by_size = sorted(pages.items(), key=lambda page: len(page[1]))
    return dict({_subject(name): (name, html) for name, html in by_size}.values())


def _subject(name: str) -> str:
    route, status, _role = name.rsplit(".", 2)
    return route if status == "200" else status


@pytest.fixture
def page(chromium: Browser) -> Iterator[tuple[Page, dict[str, str]]]:
    """A page of a browser, and the HTML that it is served by name."""
    context = chromium.new_context(viewport=WIDE, reduced_motion="reduce")
    one, pages = context.new_page(), dict[str, str]()

    def answer(route: Route) -> None:
        path = route.request.url.removeprefix(BASE + "/").split("?")[0]
        if path.startswith("static/"):
            route.fulfill(path=STATIC / path)
        elif path in pages:
            route.fulfill(body=pages[path], content_type="text/html; charset=utf-8")
        else:
            route.fulfill(status=404)

    one.route("**/*", answer)
    yield one, pages
    context.close()


@pytest.mark.xdist_group("collected-answers")
def test_every_page_of_every_role_is_valid_and_accessible(
    closed: CollectedAnswers, released: CollectedAnswers, page: tuple[Page, dict[str, str]], tmp_path: Path
) -> None:
    browser, pages = page
    every, folder = each_page(closed) | each_page(released), tmp_path / "pages"
    folder.mkdir()
    for name, html in every.items():
        (folder / f"{name}.html").write_text(html, encoding="utf-8")
    pages |= fullest(every)
    faults: dict[str, list[str]] = {}
    for name in pages:
        browser.goto(f"{BASE}/{name}")
        faults[name] = glance_at(browser)
    assert len(pages) > 70
    assert {name: found for name, found in faults.items() if found} == {}
    assert validate(folder) == []
