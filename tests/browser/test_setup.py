"""A task is set up in a real browser, from nothing to its page: by keyboard alone, and with a script."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import ADA, LastingSite
from tests.browser.test_story import Keys, Mouse, sign_in

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("site")]

PAIRS = (
    ("the tide leaves the pier at noon", "the tide goes out at noon"),
    ("a lantern hangs over the door", "the door is painted green"),
    ("we mended nets until it was dark", "nets were repaired all day"),
)
PLAIN = "".join(f"{left}\t{right}\tLetter-{i}\n" for i, (left, right) in enumerate(PAIRS, start=1))
HEADED = "number,first,second\n" + "".join(
    f"{i},{left},{right}\n" for i, (left, right) in enumerate(PAIRS, start=1)
)


@pytest.fixture
def site(lasting_site: LastingSite) -> str:
    """The address of a site that gets one more task."""
    return lasting_site.address


@pytest.mark.parametrize("script", [False, True])
def test_task_of_two_levels_is_set_up_from_nothing_and_published(
    visitor: Callable[[], Page], tmp_path: Path, script: bool
) -> None:
    hands, ada = Keys() if not script else Mouse(), visitor()
    sign_in(hands, ada, ADA)
    ada.goto("/")
    hands.press(ada.get_by_role("link", name="Host a task"))
    hands.write(ada.get_by_label("Title"), f"Tides and words {int(script)}")
    hands.press(ada.get_by_role("button", name="Begin the task"))
    expect(ada.get_by_role("heading", name="Organize", exact=True)).to_be_visible()
    overview = ada.url

    hands.press(ada.get_by_role("link", name="Edit Scale and metrics"))
    hands.write(ada.get_by_label("Lowest value"), "0")
    hands.write(ada.get_by_label("Highest value"), "4")
    hands.press(ada.get_by_role("button", name="Save"))

    add_level(hands, ada, "Letter to note")
    upload(hands, ada, tmp_path, PLAIN, "1\n2\n")
    expect(ada.get_by_text("The gold has 2 lines, but there are 3 items")).to_be_visible()
    upload(hands, ada, tmp_path, PLAIN, "1\n2.5\n\n")
    expect(ada.get_by_text("3 items, 2 with a gold label.")).to_be_visible()

    add_level(hands, ada, "Note to line")
    upload(hands, ada, tmp_path, HEADED, "4\n0\n3\n")
    expect(ada.get_by_label("The first line has the names of the columns")).to_be_checked()
    expect(ada.get_by_label("Column 2")).to_have_value("left")
    hands.press(ada.get_by_role("link", name="Back to the overview"))

    hands.press(ada.get_by_role("link", name="Add a phase").first)
    hands.write(ada.get_by_label("Title"), "Evaluation")
    hands.write(ada.get_by_label("Short name"), "evaluation")
    hands.write(ada.get_by_label("Closes", exact=True), "2998-06-30 23:59 AoE")
    hands.press(ada.get_by_role("button", name="Add the phase"))

    hands.press(ada.get_by_role("link", name="Publish the task"))
    expect(ada.get_by_text("You cannot publish the task yet.")).to_be_visible()
    ada.goto(overview)
    hands.press(ada.get_by_role("link", name="Edit Description and terms"))
    hands.write(ada.get_by_label("Organizers"), "The Harbour Group")
    hands.write(ada.get_by_label("Contact"), "ada@example.org")
    hands.press(ada.get_by_role("button", name="Save"))
    expect(ada.get_by_role("status").filter(has_text="Saved")).to_be_visible()
    ada.goto(overview)
    hands.press(ada.get_by_role("link", name="Publish the task"))
    hands.press(ada.get_by_role("button", name="Publish the task"))
    expect(ada).to_have_url(re.compile(rf"/tasks/tides-and-words-{int(script)}/organize/$"))
    expect(ada.get_by_role("status").filter(has_text="The task is published.")).to_be_visible()


def add_level(hands: Mouse, page: Page, title: str) -> None:
    pages = page.get_by_role("navigation", name="Organize")
    hands.press(pages.get_by_role("link", name="Set up"))
    hands.press(pages.get_by_role("link", name="Levels and files"))
    hands.press(page.get_by_role("link", name="Add a level"))
    hands.write(page.get_by_label("Title"), title)
    left, _to, right = title.lower().split()
    hands.write(page.get_by_label("The left text is a"), left)
    hands.write(page.get_by_label("The right text is a"), right)
    hands.press(page.get_by_role("button", name="Add the level"))


def upload(hands: Mouse, page: Page, folder: Path, items: str, gold: str) -> None:
    """The items and the gold of the test split."""
    for name, text in (("items", items), ("gold", gold)):
        (folder / f"{name}.tsv").write_text(text, encoding="utf-8")
        hands.choose(page.locator(f"#test-{name}"), folder / f"{name}.tsv")
    hands.press(page.get_by_role("button", name="Save", exact=True))
