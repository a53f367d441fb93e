"""What organizers and teams say to each other, with the emails that come of it, in a real browser."""

import re
import sqlite3
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_story import (
    LEVELS,
    RUN,
    Mouse,
    add_run,
    found_team,
    release,
    sign_in,
    sign_up,
    upload,
)
from tests.server.mail_sink import Sink

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("site")]

TASK = "/tasks/harbour-2026"


@pytest.mark.parametrize("script", [False])
def test_questions_removal_new_dates_and_release_reach_the_right_people_by_email(
    visitor: Callable[[], Page], sink: Sink, tmp_path: Path
) -> None:
    hands, ada, bo, cy, dee = Mouse(), visitor(), visitor(), visitor(), visitor()
    for page, name in ((bo, "Bo"), (cy, "Cy"), (dee, "Dee")):
        sign_up(hands, page, sink, name, f"{name.lower()}@example.org")
    sign_in(hands, ada, "ada@example.org")
    found_team(hands, dee, "alder")
    found_team(hands, bo, "birch")
    add_run(hands, bo, "overlap")
    join(bo, cy)
    upload(hands, bo, LEVELS[0], RUN / "paragraph2sentence.tsv")

    ask(bo)
    answer(ada, sink)
    read_answers(bo, dee, sink)
    remove(bo, sink)
    move_deadline(ada, tmp_path, sink)
    release(hands, ada)
    send_now(tmp_path, "mail.release")
    text = wait_for(sink, "Results of Evaluation", ["bo"])
    assert f"{TASK}/boards/evaluation" in text
    assert not re.search(r"0\.\d", text.replace("127.0.0.1", ""))


def join(captain: Page, member: Page) -> None:
    captain.goto(f"{TASK}/team/members")
    captain.get_by_role("button", name="Create link").click()
    member.goto(captain.locator(".invitation input").first.input_value())
    member.locator("main form").get_by_role("button").first.click()


def ask(page: Page) -> None:
    page.goto(TASK + "/")
    page.get_by_role("link", name="Questions").click()
    page.get_by_label("Your question").fill("May birch use *all* of the trial data?")
    page.get_by_role("button", name="Send question").click()
    expect(page.get_by_role("status")).to_contain_text("Your question was sent to the organizers.")


def answer(page: Page, sink: Sink) -> None:
    assert "May birch use *all*" in wait_for(sink, "Question of birch", ["ada"])
    page.goto(TASK + "/organize/")
    page.get_by_role("link", name="Show questions").click()
    page.get_by_role("link", name="Answer to question").click()
    page.get_by_label("Answer", exact=True).fill("Yes, **everyone** may.")
    page.get_by_label("Everyone, on the page Questions").check()
    page.get_by_label("The question as everyone reads it").fill("May we use the trial data?")
    page.get_by_role("button", name="Send answer").click()
    expect(page.get_by_role("status")).to_contain_text(
        "The answer was sent to the team, and everyone can read it"
    )


def read_answers(asker: Page, other: Page, sink: Sink) -> None:
    assert "Yes, **everyone** may." in wait_for(sink, "Answer to your team", ["bo", "cy"])
    for page, sees in ((asker, True), (other, False)):
        page.goto(TASK + "/questions")
        expect(page.locator("main")).to_contain_text("May we use the trial data?")
        assert ("May birch use" in page.locator("main").inner_text()) is sees


def remove(captain: Page, sink: Sink) -> None:
    captain.goto(f"{TASK}/team/members")
    captain.locator("main a[href$='/remove']").click()
    captain.locator("main form").get_by_role("button").click()
    expect(captain.locator("main")).not_to_contain_text("Cy")
    wait_for(sink, "removed", ["bo", "cy"])


def move_deadline(page: Page, folder: Path, sink: Sink) -> None:
    page.goto(f"{TASK}/organize/phases/evaluation/extend")
    later = datetime.now(UTC) + timedelta(days=3)
    page.locator("[name=closes]").fill(f"{later:%Y-%m-%d} 12:00 UTC")
    page.get_by_label("Reason").fill("The site was slow")
    page.get_by_role("button", name="Extend the deadline").click()
    send_now(folder, "mail.dates")
    text = wait_for(sink, "New dates of Evaluation", ["bo", "dee"])
    assert "12:00 UTC" in text


def send_now(folder: Path, kind: str) -> None:
    """Let the job that waits ten minutes for further changes run now."""
    with sqlite3.connect(folder / "assay.sqlite", timeout=30) as database:
        assert database.execute(
            "UPDATE job SET due_at = created_at WHERE kind = ? AND state = 'waiting'", (kind,)
        ).rowcount


def wait_for(sink: Sink, subject: str, names: list[str]) -> str:
    """Wait for the emails with this subject, which reach these people alone, and return the text of one."""
    for _ in range(600):
        found = [mail for mail in sink.mails if subject in mail["Subject"]]
        if len(found) >= len(names):
            break
        time.sleep(0.1)
    assert sorted(mail["To"].split("@")[0] for mail in found) == names
    return str(found[0].get_body(("plain",)).get_content())
