"""Each kind of chart is drawn from its table, under the site's own policy, and again in the dark."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Literal

import pytest
from jinja2 import Environment, FileSystemLoader
from playwright.sync_api import Browser, Page, Route

from server.app import HEADERS
from server.core import i18n
from server.core.config import find_package_folder

ROOT = Path(__file__).parents[2]
BASE = "http://charts.example"
TABLES = {
    "scatter": (
        {"x-min": 0, "x-max": 4},
        ["x:gold", "y:prediction", "group:genre", "label:item"],
        [
            ["4", '<data value="3.25">3.3</data>', "Forum", "1"],
            ["1", "−0.5", "Notice", "2"],
            ["2", "–", "Notice", "3"],
        ],
    ),
    "bars": (
        {"stacked": 1, "unit": "files"},
        [":day", "series:on time", "series:late"],
        [["Mon", "3", "0"], ["Tue", "5", "2"]],
    ),
    "lines": (
        {"most": 3},
        [":system", "series:Pearson", "series:Spearman"],
        [["auk", "1", "2"], ["brig", "2", "1"], ["cove", "2", "4"], ["dune", "4", "3"]],
    ),
    "heat": ({}, [":system", "series:Forum", "series:Notice"], [["a", ".81", "–"], ["b", ".12", ".55"]]),
    "dots": (
        {"zero": 1},
        ["label:system", "value:difference", "low:low", "high:high", "group:significant"],
        [["a", ".1", ".02", ".2", "yes"], ["b", "−.03", "−.1", ".04", "no"], ["c", ".2", "–", "–", "no"]],
    ),
    "boxes": (
        {"zero": 1},
        ["label:genre", "low:whisker", "q1:25%", "value:median", "q3:75%", "high:whisker"],
        [["Forum", "−2", "−.5", ".25", "1", "2"], ["Notice", "−1", "0", "0", "0", "1"]],
    ),
}


PAGE = """<!doctype html>
<html lang=en><title>c</title>
<link rel=stylesheet href=/static/assay.css>
<link rel=stylesheet href=/static/charts.css>
<script src=/static/vendor/echarts/echarts.js defer></script>
<script src=/static/charts.js defer></script>
{% from "_chart.html" import chart with context %}
{% call chart(kind, "What it shows.", id="one", options=options) %}
<table><thead><tr>
{% for head in heads %}<th data-as="{{ head.split(":")[0] }}">{{ head.split(":")[1] }}</th>{% endfor %}
</tr></thead><tbody>
{% for row in rows %}
<tr{% if "Tue" in row %} data-mark="Deadline" data-mark-at=".5"{% endif %}>
{% for cell in row %}<td>{{ cell|safe }}</td>{% endfor %}</tr>
{% endfor %}
</tbody></table>
{% endcall %}
"""


SHADES = ({}, [":system", "series:All"], [[f"s{k}", f".{5 * k:02}"] for k in range(21)])
"""A heat map with every shade from its lowest value to its highest."""


def page_of(address: str) -> str:
    kind = {"shades": "heat", "headed": "heat", "crowded": "bars", "boxes": "dots"}.get(address, address)
    named = {"shades": SHADES, "headed": HEADED, "crowded": CROWDED}
    options, heads, rows = named.get(address) or TABLES[address]
    made = Environment(
        loader=FileSystemLoader(find_package_folder("templates")),
        autoescape=True,
        extensions=[i18n.JINJA_EXTENSION],
    )
    i18n.install_gettext(made)
    return made.from_string(PAGE).render(kind=kind, options=options, heads=heads, rows=rows)


@pytest.fixture(scope="module")
def page(chromium: Browser) -> Iterator[tuple[Page, list[str]]]:
    context = chromium.new_context(viewport={"width": 900, "height": 700})
    one, complaints = context.new_page(), list[str]()
    one.on("console", lambda message: complaints.append(message.text))
    one.on("pageerror", lambda error: complaints.append(str(error)))

    def answer(route: Route) -> None:
        path = route.request.url.removeprefix(BASE)
        if path.startswith("/static/"):
            route.fulfill(path=ROOT / "server" / path[1:])
        else:
            policy = {"Content-Security-Policy": HEADERS["Content-Security-Policy"]}
            route.fulfill(body=page_of(path[1:]), content_type="text/html", headers=policy)

    one.route("**/*", answer)
    yield one, complaints
    context.close()


@pytest.mark.parametrize("kind", TABLES)
def test_chart_is_drawn_from_its_table(page: tuple[Page, list[str]], kind: str) -> None:
    one, complaints = page
    complaints.clear()
    one.emulate_media(color_scheme="light")
    one.goto(f"{BASE}/{kind}")
    one.wait_for_selector("figure[data-drawn] svg")
    assert one.locator("figure .plot").get_attribute("role") == "img"
    assert one.locator("figure details[open]").count() == 0, "the table is folded, but there"
    _, heads, rows = TABLES[kind]
    assert one.locator("figure table tbody tr").count() == len(rows)
    text = one.locator("figure svg").text_content() or ""
    for head in heads:
        if head.split(":")[0] in ("series", "x", "y"):
            assert head.split(":")[1] in text, "its axis, legend or line is named"
    assert ("Deadline" in text) == (kind == "bars"), "a line where a row is marked"
    light = one.locator("figure svg").inner_html()
    one.emulate_media(color_scheme="dark")
    one.wait_for_function("before => document.querySelector('figure svg').innerHTML !== before", arg=light)
    assert complaints == [], "nothing that the policy forbids, and no fault"


def test_boxes_end_at_the_quartiles(page: tuple[Page, list[str]]) -> None:
    one, _complaints = page
    one.goto(f"{BASE}/boxes")
    one.wait_for_selector("figure[data-drawn] svg")
    shapes = one.evaluate(
        "[...document.querySelectorAll('figure svg path[stroke-width=\"2\"]')]"
        ".map((path) => path.getBBox()).map(({ width, height }) => [height, width])"
    )
    boxes, whiskers = ([width for height, width in shapes if height == high] for high in (14, 0))
    assert (len(boxes), len(whiskers), boxes[1]) == (2, 2, 0)
    assert boxes[0] / whiskers[0] == pytest.approx(1.5 / 4, abs=0.01)


CROWDED = (
    {"unit": "items"},
    [":level", *(f"series:{name} to {name}" for name in ("Paragraph", "Sentence", "Phrase", "Word"))],
    [[f"Paragraph to {name}", "3", "2", "1", "4"] for name in ("sentence", "phrase", "word", "definition")],
)
"""Bars whose names need several lines in the legend and below the axis of a narrow chart."""


def test_narrow_bar_chart_shows_every_name_and_its_legend_does_not_overlap(
    page: tuple[Page, list[str]],
) -> None:
    one, complaints = page
    complaints.clear()
    _, heads, rows = CROWDED
    one.goto(f"{BASE}/crowded")
    heights = []
    for width in (900, 360):
        one.set_viewport_size({"width": width, "height": 700})
        one.wait_for_function(
            "width => document.querySelector('figure[data-drawn] svg')?.clientWidth <= width", arg=width
        )
        boxes = one.evaluate(
            "() => [...document.querySelectorAll('figure svg text')].map((text) => "
            "[text.textContent, text.getBoundingClientRect().top, text.getBoundingClientRect().bottom])"
        )
        bottoms = {text: bottom for text, _top, bottom in boxes}
        text = " ".join(word for word, _top, _bottom in boxes)
        for row in rows:
            assert text.count(row[0].split()[-1]) >= 1, row[0]
        legend = max(bottoms[head.split(":")[1]] for head in heads[1:])
        assert legend < min(top for word, top, _bottom in boxes if word.isdigit())
        heights.append(one.locator("figure .plot").bounding_box())
    wide, narrow = heights
    assert wide is not None
    assert narrow is not None
    assert narrow["height"] > wide["height"]
    one.set_viewport_size({"width": 900, "height": 700})
    assert complaints == []


def test_rows_with_the_same_rank_share_a_label_and_only_the_first_rows_are_drawn(
    page: tuple[Page, list[str]],
) -> None:
    one, _ = page
    one.goto(f"{BASE}/lines")
    one.wait_for_selector("figure[data-drawn] svg")
    drawn = {" ".join(text.split()) for text in one.locator("figure svg text").all_text_contents()}
    assert {"auk 1", "brig, cove 2", "1 brig", "2 auk"} <= drawn
    assert not any("dune" in text for text in drawn), "the table has it"


def test_printed_chart_is_as_wide_as_the_page(page: tuple[Page, list[str]]) -> None:
    one, _ = page
    one.goto(f"{BASE}/lines")
    svg = one.wait_for_selector("figure[data-drawn] svg")
    assert svg is not None
    before, drawn = svg.bounding_box(), svg.inner_html()
    one.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    one.emulate_media(media="print")
    one.set_viewport_size({"width": 400, "height": 700})
    on_paper = svg.bounding_box()
    assert before is not None
    assert on_paper is not None
    assert 300 < on_paper["width"] <= 400 < before["width"]
    assert svg.inner_html() == drawn
    one.emulate_media(media="screen")
    one.evaluate("window.dispatchEvent(new Event('afterprint'))")
    one.set_viewport_size({"width": 900, "height": 700})
    assert svg.get_attribute("viewBox") is None


CONTRASTS = """
() => {
  const channel = (part) =>
    (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4);
  const light = (color) => {
    const [r, g, b] = color.match(/\\d+/g).map(Number).map(channel);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const paths = [...document.querySelectorAll("figure svg path")];
  const cells = paths.filter((path) => getComputedStyle(path).fill.startsWith("rgb("));
  const texts = [...document.querySelectorAll("figure svg text")];
  return texts.filter((text) => /^[.]\\d+$/.test(text.textContent)).map((text) => {
    const box = text.getBoundingClientRect();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    const under = cells.filter((cell) => {
      const own = cell.getBoundingClientRect();
      return own.x < x && x < own.right && own.y < y && y < own.bottom;
    });
    const pair = [text, under[under.length - 1]].map((each) => light(getComputedStyle(each).fill) + 0.05);
    return Math.max(...pair) / Math.min(...pair);
  });
}
"""


HEADED = (
    {},
    [":system", *(f"series:{name} (12)" for name in ("Notice", "Logbook", "Letter"))],
    [["organizers of the harbour", ".5", ".5", ".5"]],
)
"""A heat map whose headings are wider than its columns on a phone."""


def test_heat_map_headings_do_not_overlap_on_a_phone(page: tuple[Page, list[str]]) -> None:
    one, _ = page
    one.set_viewport_size({"width": 360, "height": 700})
    one.goto(f"{BASE}/headed")
    one.wait_for_selector("figure[data-drawn] svg")
    boxes = one.evaluate(
        "() => [...document.querySelectorAll('figure svg text')].map((text) => "
        "(({top, left, right}) => [top, left, right])(text.getBoundingClientRect()))"
    )
    one.set_viewport_size({"width": 900, "height": 700})
    for top in {top for top, _left, _right in boxes}:
        line = sorted((left, right) for at, left, right in boxes if at == top)
        assert all(right + 4 <= after for (_left, right), (after, _right) in pairwise(line)), line


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_heat_map_numbers_have_a_contrast_of_at_least_4_5(
    page: tuple[Page, list[str]], theme: Literal["light", "dark"]
) -> None:
    one, _ = page
    one.emulate_media(color_scheme=theme)
    one.goto(f"{BASE}/shades")
    one.wait_for_selector("figure[data-drawn] svg")
    contrasts = one.evaluate(CONTRASTS)
    assert len(contrasts) == 21
    assert min(contrasts) >= 4.5
