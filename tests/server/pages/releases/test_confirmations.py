"""What asks first: releases that show what is hidden, names, withdrawals, dates that stop a phase."""

import html
import re
from collections.abc import Mapping
from datetime import datetime, timedelta

import pytest

from server.core import db
from server.planning import extensions
from server.releases import service as releases
from tests.server.small_task import PHASE_FORM
from tests.server.visitors import Visitor, words
from tests.server.world import AFTER, CLOSES, DURING, LATE, World

pytestmark = pytest.mark.one_database

PREVIEW = "/tasks/small/organize/boards/evaluation"
RELEASE = f"{PREVIEW}/release"
EDIT = "/tasks/small/organize/phases/evaluation/edit"
EXACT = "A release shows exact official scores, which this phase does not show to teams."
UNDO = "You can withdraw the release, but not what people have read or downloaded in the meantime."


def release_count(world: World) -> int:
    world.session.rollback()
    return len(releases.list_releases(world.session, world.phase()))


def ask(ada: Visitor, path: str, form: Mapping[str, str]) -> str:
    """The question that a form gets in answer; nothing has happened."""
    response = ada.post(path, dict(form))
    assert response.status_code == 200
    assert 'name="sure"' in response.text
    return words(response)


def test_release_while_files_are_accepted_asks_and_the_page_sends_the_form_again(world: World) -> None:
    world.upload(world.run(), "p2s")
    ada = world.client("ada")
    response = ada.post(RELEASE, {"names": "anonymous", "note": 'Say "yes" & <no>.'})
    assert (
        f"Release the results of Evaluation? Evaluation still accepts submissions. {EXACT} {UNDO}"
        in words(response)
    )
    assert release_count(world) == 0
    hidden = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', response.text)
    sent = {name: html.unescape(value) for name, value in hidden if name != "csrf_token"}
    assert sent == {"names": "anonymous", "note": 'Say "yes" & <no>.'}
    assert ada.post(RELEASE, {**sent, "sure": "y"}).status_code == 302
    newest = releases.find_newest(world.session, world.phase())
    assert newest is not None
    assert (newest.anonymous, newest.release.note) == (True, 'Say "yes" & <no>.')


def test_going_back_from_the_question_keeps_what_was_typed(world: World) -> None:
    world.upload(world.run(), "p2s")
    ada = world.client("ada")
    back = ada.post(RELEASE, {"names": "anonymous", "note": "The first.", "edit": "y"})
    assert back.status_code == 200
    assert "The first.</textarea>" in back.text
    assert release_count(world) == 0
    again = ada.post(EDIT, {**PHASE_FORM, "closes": "2026-03-05 12:00", "edit": "y"})
    assert 'value="2026-03-05 12:00"' in again.text
    assert world.phase().closes == CLOSES


def test_first_release_of_hidden_scores_asks_even_after_the_end_and_the_next_one_does_not(
    world: World,
) -> None:
    world.upload(world.run(), "p2s")
    world.set_clock(AFTER)
    ada = world.client("ada")
    asked = ask(ada, RELEASE, {})
    assert f"Release the results of Evaluation? {EXACT} {UNDO}" in asked
    ada.post(RELEASE, {"sure": "y"})
    world.upload(world.run(), "s2p", at=DURING)
    assert ada.post(RELEASE).status_code == 302
    assert release_count(world) == 2


def test_release_after_the_end_of_a_phase_that_showed_scores_is_one_click(world: World) -> None:
    with db.writing(world.session):
        world.phase().feedback = "scores"
    world.upload(world.run(), "p2s")
    ada = world.client("ada")
    assert "Evaluation still accepts submissions. You can withdraw" in ask(ada, RELEASE, {})
    world.set_clock(AFTER)
    assert ada.post(RELEASE).status_code == 302
    assert release_count(world) == 1


def test_release_asks_while_one_team_can_still_submit(world: World) -> None:
    with db.writing(world.session):
        world.phase().feedback = "scores"
        actor, phase, team = world.actor("ada"), world.phase(), world.team
        extensions.extend_deadline(
            world.session, actor, phase, team, AFTER + timedelta(days=9), "a power cut", LATE
        )
    world.upload(world.run(), "p2s")
    world.set_clock(AFTER)
    assert "Evaluation still accepts submissions." in ask(world.client("ada"), RELEASE, {})


def test_release_that_makes_the_gold_public_asks_and_says_that_it_cannot_be_undone(world: World) -> None:
    world.upload(world.run(), "p2s")
    world.set_clock(AFTER)
    ada = world.client("ada")
    ada.post(RELEASE, {"sure": "y"})
    asked = ask(ada, RELEASE, {"opens_gold": "y"})
    assert (
        "Everyone can then download the gold standard of the test items. This cannot be undone, even by "
        "withdrawing the release." in asked
    )
    ada.post(RELEASE, {"opens_gold": "y", "sure": "y"})
    assert release_count(world) == 2


def test_release_with_names_after_an_anonymous_one_asks(world: World) -> None:
    world.upload(world.run(), "p2s")
    world.set_clock(AFTER)
    ada = world.client("ada")
    ada.post(RELEASE, {"names": "anonymous", "sure": "y"})
    assert "compares the two leaderboards can see which team is which." in ask(ada, RELEASE, {})


def test_schedule_asks_only_if_files_are_accepted_at_that_time(world: World) -> None:
    world.upload(world.run(), "p2s")
    ada = world.client("ada")
    soon = {"when": "at", "at": "2026-03-12 09:00"}
    asked = ask(ada, RELEASE, soon)
    assert f"At that time, Evaluation still accepts submissions. {EXACT} You can cancel" in asked
    assert "Schedule the release" in asked
    assert ada.post(RELEASE, {"when": "at", "at": "2026-03-25 09:00"}).status_code == 302
    assert "The release is scheduled." in words(ada.get(PREVIEW))


def test_revealing_names_asks_on_a_page_of_its_own(world: World) -> None:
    world.upload(world.run(), "p2s")
    ada = world.client("ada")
    assert ada.get(f"{PREVIEW}/name").headers["Location"] == PREVIEW
    world.release(at=DURING, anonymous=True)
    assert f'href="{PREVIEW}/name"' in ada.get(PREVIEW).text
    page = words(ada.get(f"{PREVIEW}/name"))
    assert "the names of all teams and runs in release 1 of Evaluation. This cannot be undone." in page
    assert "Evaluation still accepts submissions." in page
    world.set_clock(AFTER)
    assert "still accepts" not in words(ada.get(f"{PREVIEW}/name"))


def test_withdrawing_asks_on_a_page_of_its_own(world: World) -> None:
    ada = world.client("ada")
    assert ada.get(f"{PREVIEW}/withdraw").headers["Location"] == PREVIEW
    world.release()
    assert f'href="{PREVIEW}/withdraw"' in ada.get(PREVIEW).text
    page = words(ada.get(f"{PREVIEW}/withdraw"))
    assert "Withdraw release 1?" in page
    assert "This cannot be undone, but you can release results again." in page


STOPS = (
    (DURING, {"closes": "2026-03-09 12:00"}, "The new deadline of Evaluation has passed."),
    (
        DURING,
        {"closes": "2026-03-05 12:00"},
        "Evaluation closes at once and accepts no more submissions. You can change the dates again",
    ),
    (LATE, {"grace_hours": "0"}, "Evaluation stops accepting late submissions at once."),
    (
        DURING,
        {"opens": "2026-03-12 12:00"},
        "Evaluation accepts no submissions until 12 Mar 2026, 12:00 UTC.",
    ),
)


@pytest.mark.parametrize(("now", "changed", "consequence"), STOPS)
def test_dates_that_stop_a_phase_at_once_ask_first(
    world: World, now: datetime, changed: dict[str, str], consequence: str
) -> None:
    world.set_clock(now)
    ada = world.client("ada")
    asked = ask(ada, EDIT, {**PHASE_FORM, **changed})
    assert consequence in asked
    world.session.rollback()
    assert world.phase().closes == CLOSES
    assert ada.post(EDIT, {**PHASE_FORM, **changed, "sure": "y"}).status_code == 302


def test_other_dates_are_saved_without_a_question(world: World) -> None:
    ada = world.client("ada")
    for closes in ("2026-03-12 12:00", "2026-04-15 12:00"):
        assert ada.post(EDIT, {**PHASE_FORM, "closes": closes}).status_code == 302
    world.set_clock(AFTER + timedelta(days=60))
    assert ada.post(EDIT, {**PHASE_FORM, "closes": "2026-03-05 12:00"}).status_code == 302, (
        "it was closed already"
    )


def test_dates_that_make_items_public_at_once_ask_first(world: World) -> None:
    with db.writing(world.session):
        world.phase().opens = AFTER
        world.phase().closes = AFTER + timedelta(days=9)
    ada, visitor, items = world.client("ada"), world.client(), "/tasks/small/data/p2s.test.items.tsv"
    public = (
        "The dates make the test items public: everyone can download them at once. This cannot be undone."
    )
    new = {**PHASE_FORM, "slug": "sister", "title": "Sister", "split": "test", "opens": ""}
    assert f"Add Sister? {public}" in ask(ada, "/tasks/small/organize/phases/new", new)
    assert public in ask(ada, EDIT, {**PHASE_FORM, "opens": ""})
    assert visitor.get(items).status_code == 404
    assert ada.post("/tasks/small/organize/phases/new", {**new, "sure": "y"}).status_code == 302
    assert visitor.get(items).status_code == 200
    assert ada.post(EDIT, {**PHASE_FORM, "opens": ""}).status_code == 302, "they are public already"


def test_dates_of_a_draft_need_no_confirmation(world: World) -> None:
    with db.writing(world.session):
        world.task.state = "draft"
    assert world.client("ada").post(EDIT, {**PHASE_FORM, "closes": "2026-03-05 12:00"}).status_code == 302
