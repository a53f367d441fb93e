"""The whole story in a real browser: from signing up to a stranger who reads the board."""

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import BUNDLE, PASSWORD
from tests.server.mail_sink import Sink

pytestmark = pytest.mark.browser

LEVELS = ("Paragraph to sentence", "Sentence to phrase", "Phrase to word", "Word to sense")
FILES = ("paragraph2sentence", "sentence2phrase", "phrase2word", "word2sense")
RUN = BUNDLE / "runs" / "lantern" / "embed-large"
BROKEN = BUNDLE / "runs-refused" / "quay-paragraph2sentence.tsv"


@pytest.mark.parametrize(("database", "script"), [("sqlite", False), ("postgresql", True)])
def test_a_team_uploads_the_organizer_releases_a_stranger_reads(
    visitor: Callable[[], Page], sink: Sink
) -> None:
    bo, ada, dee = visitor(), visitor(), visitor()

    sign_up(bo, sink, "Bo", "bo@example.org")
    found_team(bo, "birch")
    add_run(bo, "overlap")
    upload(bo, LEVELS[0], BROKEN)
    see_every_bad_line(bo)
    for level, name in zip(LEVELS, FILES, strict=True):
        upload(bo, level, RUN / f"{name}.tsv")
        see_stored_without_scores(bo, RUN / f"{name}.tsv")

    see_closed_board(dee)

    sign_in(ada, "ada@example.org")
    release(ada)

    see_board(dee)


def sign_up(page: Page, sink: Sink, name: str, email: str) -> None:
    page.goto("/")
    page.get_by_role("link", name="Sign up").first.click()
    page.get_by_label("Name").fill(name)
    page.get_by_label("E-mail address").fill(email)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.locator("main").get_by_role("button").click()
    expect(page.get_by_role("status")).to_contain_text(f"A mail is on its way to {email}")
    page.goto(sink.wait_for_link(email))
    expect(page.get_by_role("status")).to_contain_text("Your address is confirmed")
    sign_in(page, email)


def sign_in(page: Page, email: str) -> None:
    page.goto("/sign-in")
    page.get_by_label("E-mail address").fill(email)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.locator("main").get_by_role("button").click()
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()


def found_team(page: Page, name: str) -> None:
    page.goto("/")
    page.get_by_role("link", name="Cross-Level Similarity in a Harbour Town").click()
    page.locator("main").get_by_role("link", name="Create a team").first.click()
    page.get_by_label("Team name").fill(name)
    page.get_by_role("button", name="Create the team").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(name)


def add_run(page: Page, name: str) -> None:
    page.locator("section", has=page.get_by_role("heading", name="Evaluation")).get_by_role(
        "link", name="Add a run"
    ).first.click()
    page.get_by_label("Run name").fill(name)
    page.locator("main form").get_by_role("button").click()
    expect(page.get_by_role("heading", name=re.compile(name))).to_be_visible()


def upload(page: Page, level: str, path: Path) -> None:
    page.goto("/tasks/harbour-2026/team/")
    page.get_by_role("link", name=re.compile(f"Upload.*{level}")).click()
    page.get_by_label("Run file").set_input_files(path)
    page.get_by_role("button", name=f"Upload {level}").click()


def see_every_bad_line(page: Page) -> None:
    expect(page.get_by_role("alert")).to_contain_text("Nothing was stored")
    problems = page.locator("ol.problems")
    for line in (7, 12, 18, 25, 31):
        expect(problems).to_contain_text(f"Line {line}")
    expect(problems).to_contain_text("n/a")


def see_stored_without_scores(page: Page, path: Path) -> None:
    expect(page.get_by_role("heading", level=1)).to_contain_text("stored")
    expect(page.locator("main")).to_contain_text(hashlib.sha256(path.read_bytes()).hexdigest())
    assert "0.8" not in page.locator("main").inner_text()


def see_closed_board(page: Page) -> None:
    page.goto("/tasks/harbour-2026/boards/evaluation")
    expect(page.locator("main")).to_contain_text("The board is closed")
    assert page.locator("main table").count() == 0


def release(page: Page) -> None:
    page.goto("/tasks/harbour-2026/organize/")
    page.get_by_role("link", name="Preview of Evaluation").click()
    page.get_by_role("button", name="Release").click()
    expect(page.get_by_role("status")).to_contain_text("Release 1 is public now")


def see_board(page: Page) -> None:
    page.goto("/")
    page.get_by_role("link", name="Cross-Level Similarity in a Harbour Town").click()
    page.locator("nav").get_by_role("link", name="Evaluation board").click()
    row = page.locator("main table").first.get_by_role("row").filter(has_text="birch")
    expect(row).to_contain_text("0.853")
    shown = [float(value or "nan") for value in row.locator("data").evaluate_all(VALUES)]
    answer = page.request.get("/tasks/harbour-2026/boards/evaluation.json")
    board = json.loads(answer.body())
    (birch,) = (row for row in board["official"] if row["team"] == "birch")
    official = [birch["levels"][name]["pearson"]["value"] for name in FILES]
    assert shown == [birch["total"]["pearson"]["value"], *official]
    expect(page.locator("main")).to_contain_text(hashlib.sha256(answer.body()).hexdigest())


VALUES = "cells => cells.map(cell => cell.getAttribute('value'))"
