"""The script that checks run files in the browser says what the scorer says of them, random ones too."""

import base64
import mimetypes
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route

from scorer.errors import DataError
from scorer.run_names import levels_of
from server.forms.submissions import clean_filename
from server.services import scoring
from tests import run_files
from tests.scorer.test_run_names import NAMES, SLUGS

pytestmark = pytest.mark.browser
STATIC = Path(__file__).parents[2] / "server" / "static"
SITE = "http://assay.example"
MUTANTS = 1500
CHECK = """async (files) => {
  const { checkRun } = await import("/static/check/run.js");
  const read = (text) => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  return files.map(([bytes, facts]) => checkRun(read(bytes), facts));
}"""
PIECES = (
    b"", b"\n", b"\r", b"\r\n", b"\t", b" ", b"\v", b",", b".", b'"', b"'", b"-", b"+", b"e", b"_",
    b"0", b"1", b"9", b"NA", b"nan", b"n/a", b"score", b"sep=;", b"#", b"%", b"\0", b"\xef\xbb\xbf",
    b"\xff", b"\xe2\x82", b"\xed\xa0\x80", b"\xc2\xa0", b"\xf0\x9f\x98\x80", b"\xef\xbc\x91",
    b"0,5", b"1_0", b"1e400", b"1e999", b"-0", b"0x1", b"0.5f", b'"a"', b'""', b";", b"News-1",
    b"News-2\t", b"News-3,", b"pair_ID", b"9" * 41, b"\n\n", b"\n1", b"\t5", b"5\t",
    b"\xe2\x88\x92", b"\xd9\xa3",
)  # fmt: skip


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    """An empty page of a site that has the site's static files."""
    page = chromium.new_context().new_page()
    page.route("**/*", _answer)
    page.goto(SITE)
    yield page
    page.context.close()


def _answer(route: Route) -> None:
    path = route.request.url.removeprefix(SITE)
    if not path.startswith("/static/"):
        route.fulfill(body="<!doctype html><title>Empty</title>", content_type="text/html")
        return
    file = STATIC / path.removeprefix("/static/")
    route.fulfill(body=file.read_bytes(), content_type=mimetypes.guess_type(file.name)[0] or "")


def script_says(page: Page, files: list[tuple[bytes, dict[str, Any]]]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = page.evaluate(
        CHECK, [[base64.b64encode(data).decode(), facts] for data, facts in files]
    )
    return found


def site_says(data: bytes, facts: dict[str, Any]) -> dict[str, Any]:
    """What the scorer says, and each bad line between its neighbours as the site's page shows it."""
    said, error = run_files.scorer_says(data, facts)
    return {**said, "problems": [] if error is None else _shown(error, data)}


def _shown(error: DataError, data: bytes) -> list[dict[str, Any]]:
    lines = scoring.refused(error, run_files.SOURCE, data).problems
    fields = ("line", "code", "message", "text", "before", "after")
    return [{field: getattr(line, field) for field in fields} for line in lines]


def compared(said: dict[str, Any]) -> dict[str, Any]:
    """What the script says in the table's form."""
    warnings = [[one["line"], one["code"], one["message"]] for one in said["warnings"]]
    found = {"count": said["count"], "not_entered": said["notEntered"], "problems": said["problems"]}
    return {**found, "warnings": [] if said["count"] else warnings}


def test_the_script_says_of_every_file_of_the_table_what_the_table_has(page: Page) -> None:
    cases, formats = run_files.cases(), run_files.formats()
    told = script_says(page, [(case.data, formats[case.format]) for case in cases])
    for case, said in zip(cases, told, strict=True):
        found = compared(said)
        assert found == site_says(case.data, formats[case.format]), case.name
        rows = [[one["line"], one["code"], one["message"]] for one in found["problems"]]
        assert {**found, "problems": rows} == case.said, case.name


def test_the_script_agrees_with_the_scorer_on_random_files(page: Page) -> None:
    chance, formats = random.Random(8), run_files.formats()  # noqa: S311  (no secret)
    seeds = [case for case in run_files.cases() if len(case.data) < 1000]
    files = []
    for _ in range(MUTANTS):
        case = chance.choice(seeds)
        format_ = case.format if chance.random() < 0.9 else chance.choice(list(formats))
        files.append((mutated(case.data, chance), formats[format_]))
    told = script_says(page, files)
    codes = set()
    for (data, facts), said in zip(files, told, strict=True):
        assert compared(said) == site_says(data, facts), (data, facts)
        codes |= {one["code"] for one in said["problems"]}
    assert len(codes) > 35


def mutated(data: bytes, chance: random.Random) -> bytes:
    """A file with one to four places cut, replaced, doubled or filled."""
    for _ in range(chance.randint(1, 4)):
        start = chance.randint(0, len(data))
        end = min(len(data), start + chance.choice((0, 0, 1, 2, 5)))
        piece = data[start : start + 8] if chance.random() < 0.1 else chance.choice(PIECES)
        data = data[:start] + piece + data[end:]
    return data


def test_the_script_finds_the_level_in_a_name_as_the_site_does(page: Page) -> None:
    names = [name for name, _ in NAMES] + ["a/b\\c\u00a0d\u200b.tsv ", " ", "x" * 300, "\U0001f600\x1b.tsv"]
    read = """async ([names, slugs]) => {
      const { cleanFilename, levelsOf } = await import("/static/upload/names.js");
      return names.map((name) => [cleanFilename(name), levelsOf(name, slugs)]);
    }"""
    told = page.evaluate(read, [names, list(SLUGS)])
    assert told == [[clean_filename(name), levels_of(name, SLUGS)] for name in names]
