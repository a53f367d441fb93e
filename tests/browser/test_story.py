"""The whole story in a real browser, by keyboard alone and without script, up to a stranger at the board."""

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import BUNDLE, PASSWORD
from tests.server.mail_sink import Sink

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("site")]

LEVELS = ("Paragraph to sentence", "Sentence to phrase", "Phrase to word", "Word to sense")
FILES = ("paragraph2sentence", "sentence2phrase", "phrase2word", "word2sense")
RUN = BUNDLE / "runs" / "lantern" / "embed-large"
BROKEN = BUNDLE / "runs-refused" / "quay-paragraph2sentence.tsv"


class Mouse:
    """A person who uses a pointer."""

    def press(self, target: Locator) -> None:
        target.click()

    def write(self, target: Locator, text: str) -> None:
        target.fill(text)

    def choose(self, target: Locator, path: Path) -> None:
        target.set_input_files(path)


class Keys(Mouse):
    """A person without a pointer: everything is reached by Tab, with a visible focus."""

    def press(self, target: Locator) -> None:
        self._reach(target)
        target.page.keyboard.press("Enter")

    def write(self, target: Locator, text: str) -> None:
        self._reach(target)
        target.page.keyboard.type(text)

    def choose(self, target: Locator, path: Path) -> None:
        # Asked for first: a chooser that opens before the browser was told to hand it over is never seen.
        with target.page.expect_file_chooser() as chooser:
            self._reach(target)
            target.page.keyboard.press("Space")
        chooser.value.set_files(path)

    def _reach(self, target: Locator) -> None:
        target.page.wait_for_load_state()  # scripts may move what is focused
        target.wait_for()
        target.focus()
        target.page.keyboard.press("Shift+Tab")
        target.page.keyboard.press("Tab")  # from what is before it
        reached = target.evaluate("target => target === document.activeElement")
        assert reached, f"{target} is not reached by Tab"
        outline = target.evaluate("target => getComputedStyle(target).outlineStyle")
        shadow = target.evaluate("target => getComputedStyle(target).boxShadow")
        assert (outline, shadow) != ("none", "none"), f"nobody sees that {target} is reached"


@pytest.mark.parametrize("script", [False])
def test_team_uploads_organizer_releases_and_visitor_reads_the_board(
    visitor: Callable[[], Page], sink: Sink
) -> None:
    hands, bo, ada, dee = Keys(), visitor(), visitor(), visitor()

    sign_up(hands, bo, sink, "Bo", "bo@example.org")
    found_team(hands, bo, "birch")
    add_run(hands, bo, "overlap")
    upload(hands, bo, LEVELS[0], BROKEN)
    see_every_bad_line(bo)
    for level, name in zip(LEVELS, FILES, strict=True):
        upload(hands, bo, level, RUN / f"{name}.tsv")
        see_stored_without_scores(bo, RUN / f"{name}.tsv")

    see_closed_board(dee)

    sign_in(hands, ada, "ada@example.org")
    release(hands, ada)

    see_board(hands, dee)


def sign_up(hands: Mouse, page: Page, sink: Sink, name: str, email: str) -> None:
    page.goto("/")
    hands.press(page.get_by_role("link", name="Sign up").first)
    hands.write(page.get_by_label("Name"), name)
    hands.write(page.get_by_label("Email address"), email)
    hands.write(page.get_by_label("Password", exact=True), PASSWORD)
    hands.press(page.locator("main").get_by_role("button"))
    expect(page.get_by_role("status")).to_contain_text(f"We sent an email to {email}")
    page.goto(sink.wait_for_link(email))
    expect(page.get_by_role("status")).to_contain_text("Your email address is confirmed")
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()


def sign_in(hands: Mouse, page: Page, email: str) -> None:
    page.goto("/sign-in")
    hands.write(page.get_by_label("Email address"), email)
    hands.write(page.get_by_label("Password", exact=True), PASSWORD)
    hands.press(page.locator("main").get_by_role("button"))
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()


def found_team(hands: Mouse, page: Page, name: str) -> None:
    page.goto("/")
    hands.press(page.get_by_role("link", name="Cross-Level Similarity in a Harbour Town", exact=True))
    hands.press(page.locator("main").get_by_role("link", name="Create a team").first)
    hands.write(page.get_by_label("Team name"), name)
    hands.press(page.get_by_role("button", name="Create the team"))
    expect(page.get_by_role("heading", level=1)).to_contain_text(name)


def add_run(hands: Mouse, page: Page, name: str) -> None:
    evaluation = page.locator("section", has=page.get_by_role("heading", name="Evaluation"))
    hands.press(evaluation.get_by_role("link", name="Add a run").first)
    hands.write(page.get_by_label("Run name"), name)
    hands.press(page.locator("main form").get_by_role("button"))
    expect(page.get_by_role("heading", name=re.compile(name))).to_be_visible()


def upload(hands: Mouse, page: Page, level: str, path: Path) -> None:
    page.goto("/tasks/harbour-2026/team/")
    hands.press(page.get_by_role("link", name=re.compile(f"Upload.*{level}")))
    hands.choose(page.get_by_label("Run file"), path)
    hands.press(page.locator("main form.upload button[type=submit]:not([formaction])"))


def see_every_bad_line(page: Page) -> None:
    expect(page.get_by_role("alert")).to_contain_text("The file was not stored")
    problems = page.locator("ol.problems")
    for line in (7, 12, 18, 25, 31):
        expect(problems).to_contain_text(f"Line {line}")
    expect(problems).to_contain_text("n/a")


def see_stored_without_scores(page: Page, path: Path) -> None:
    expect(page.get_by_role("heading", level=1)).to_contain_text("accepted")
    expect(page.locator("main")).to_contain_text(hashlib.sha256(path.read_bytes()).hexdigest())
    assert "0.8" not in page.locator("main").inner_text()


def see_closed_board(page: Page) -> None:
    page.goto("/tasks/harbour-2026/boards/evaluation")
    expect(page.locator("main")).to_contain_text("No results have been released yet.")
    assert page.locator("main table").count() == 0


def release(hands: Mouse, page: Page) -> None:
    page.goto("/tasks/harbour-2026/organize/")
    hands.press(page.get_by_role("link", name="Leaderboard of Evaluation"))
    hands.press(page.get_by_role("button", name="Release results"))
    expect(page.locator("h1")).to_have_text("Release the results of Evaluation?")
    hands.press(page.get_by_role("button", name="Release results"))
    expect(page.get_by_role("status").filter(has_text="Release 1 is now public")).to_be_visible()


def see_board(hands: Mouse, page: Page) -> None:
    page.goto("/")
    hands.press(page.get_by_role("link", name="Cross-Level Similarity in a Harbour Town", exact=True))
    hands.press(page.locator("nav").get_by_role("link", name="Leaderboard", exact=True))
    hands.press(page.locator("nav").get_by_role("link", name="Evaluation", exact=True))
    row = page.locator("main table").first.get_by_role("row").filter(has_text="birch")
    expect(row).to_contain_text("0.853")
    shown = [float(value or "nan") for value in row.locator("data").evaluate_all(VALUES)]
    answer = page.request.get("/tasks/harbour-2026/boards/evaluation.json")
    board = json.loads(answer.body())
    (birch,) = (row for row in board["official"] if row["team"] == "birch")
    official = [birch["levels"][name]["pearson"]["value"] for name in FILES]
    assert shown == [birch["total"]["pearson"]["value"], *official]
    hands.press(page.get_by_role("link", name="release 1", exact=True))
    expect(page.locator("main")).to_contain_text(hashlib.sha256(answer.body()).hexdigest())


VALUES = "cells => cells.map(cell => cell.getAttribute('value'))"
