"""The script sorts and filters a board as the server does, whose page at its address has the same order."""

import random
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import pytest
from jinja2 import Environment, FileSystemLoader
from playwright.sync_api import Browser, Page, Route

from scorer.boards.board import Kind, Row
from server.app import HEADERS
from server.boards.board_table import BoardView, view_board
from server.boards.inference_marks import Mark, MarkedBoard
from server.boards.query_parameters import read_query
from server.core import i18n
from server.core.config import find_package_folder
from server.pages.template_filters import FILTERS
from tests.server.boards import test_board_views

BASE = "http://board.example"
PAGE = """<!doctype html>
<html lang=en><meta charset=utf-8><title>b</title>
<link rel=stylesheet href=/static/assay.css><link rel=stylesheet href=/static/board.css>
<script src=/static/board.js defer></script>
{% from "boards/_table.html" import whole with context %}{{ whole(board, view) }}
"""


def board() -> MarkedBoard:
    """Forty systems with ties and gaps, in three clusters, and late ones."""
    rng = random.Random(7)  # noqa: S311  (the same board each time)

    def some() -> float | None:
        return rng.choice([None, *(k / 8 for k in range(9))])

    def row(k: int, rank: int | None, kind: Kind = "official") -> Row:
        cells = [(some(), None) for _ in range(3)]
        total = (None if rank is None else 8 - k / 4), rank
        team, other = rng.choice("aBcÄ") + f"{k}", rng.choice([None, 1, 2])
        return test_board_views.row(team, total, other, *cells, kind)

    rows = [row(k, k + 1 if k < 20 else None) for k in range(40)]
    interval = {(rows[0].key, (None, "pearson")): Mark((7.5, 8.5), range=(1, 2), cluster=1)}
    clusters = {row.team: 1 + k // 7 for k, row in enumerate(rows[:20])}
    return test_board_views.marked([*rows, *(row(k, None, "late") for k in range(5))], clusters, interval)


def asked(url: str) -> BoardView:
    """The server's view at an address."""
    return view_board(board(), read_query(board(), parse_qs(urlsplit(url).query)), "/board")


def expected(url: str) -> tuple[list[str], list[str]]:
    rows = [row for _, rows in asked(url).groups for row in rows]
    return [row.record.team for row in rows], [row.record.team for row in rows if row.rule]


def seen(page: Page) -> tuple[list[str], list[str]]:
    rows = page.locator("tr[data-o]:visible")
    return rows.locator(".team").all_inner_texts(), rows.and_(page.locator(".rule")).locator(
        ".team"
    ).all_inner_texts()


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    templates = Environment(
        loader=FileSystemLoader(find_package_folder("templates")),
        autoescape=True,
        extensions=[i18n.JINJA_EXTENSION],
    )
    i18n.install_gettext(templates)
    templates.filters.update(FILTERS)

    def answer(route: Route) -> None:
        parts = urlsplit(route.request.url)
        if parts.path.startswith("/static/"):
            route.fulfill(path=find_package_folder("server/static") / parts.path.removeprefix("/static/"))
        else:
            body = templates.from_string(PAGE).render(board=board(), view=asked(route.request.url))
            headers = {
                "Content-Security-Policy": HEADERS["Content-Security-Policy"],
                "Content-Type": "text/html",
            }
            route.fulfill(body=body, headers=headers)

    context = chromium.new_context(base_url=BASE)
    context.route("**/*", answer)
    page, complaints = context.new_page(), []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    yield page
    assert complaints == []
    context.close()


@pytest.mark.parametrize(
    "path", ["/board", "/board?level=p2s&metric=mse", "/board?metric=mse&show=official,late"]
)
def test_each_sort_order_equals_the_servers_and_has_a_url(page: Page, path: str) -> None:
    page.goto(path)
    page.evaluate("window.kept = true")
    assert seen(page) == expected(page.url)
    links = page.locator("th a[data-sort]")
    orders = set()
    for k in range(links.count()):
        for _ in range(2):
            links.nth(k).click()
            assert seen(page) == expected(page.url), page.url
            assert page.locator("th[aria-sort$=ending]").count() == 1
            orders.add(page.url)
    if page.locator("#ends").count():
        page.locator("#ends").check()
        assert page.locator("td .ends:has(i)").first.is_visible()
        followed = [page.url, *page.locator("thead a").evaluate_all("links => links.map(link => link.href)")]
        assert all(asked(url).query.numbers for url in followed), "the address shares them"
    page.locator("#q").fill("Ä")
    assert seen(page) == expected(page.url)
    assert "q=%C3%84" in page.url
    assert page.locator(".status").inner_text().startswith(f"{len(seen(page)[0])} of ")
    page.locator("#q").fill("")
    assert len(orders) >= 2 * links.count() - 1
    assert page.evaluate("window.kept"), "nothing was loaded anew"


def test_filtered_url_works_with_links(page: Page) -> None:
    page.goto("/board?q=c&sort=total&order=asc")
    first = seen(page)
    page.get_by_role("link", name="System").click()
    page.wait_for_url("**sort=system**")
    assert seen(page) == expected(page.url) != first
    page.get_by_role("link", name="Show all").click()
    page.wait_for_url("**/board?sort=system")
    assert len(seen(page)[0]) == 45
