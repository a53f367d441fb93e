"""Editing a phase's dates and rules on the page."""

from datetime import UTC, datetime, timedelta

import pytest

from server.audit.models import AuditEntry
from server.core import db
from server.submissions.models import Submission
from tests.server.small_task import PHASE_FORM, variant
from tests.server.visitors import words
from tests.server.world import CLOSES, DURING, LATE, OPENS, World

pytestmark = pytest.mark.one_database

PATH = "/tasks/small/organize/phases/evaluation/edit"


def edits(world: World) -> list[dict[str, object]]:
    return [entry.details for entry in world.session.query(AuditEntry).filter_by(action="phase.edit")]


def test_changed_dates_and_rules_are_audited_with_old_and_new_values(world: World) -> None:
    ada = world.client("ada")
    page = ada.get(PATH)
    assert 'value="2026-03-15 12:00"' in page.text
    assert "A new date does not change whether existing submissions are late." in words(page)
    form = {
        **PHASE_FORM,
        "closes": "2026-03-20 23:59:30",
        "runs_per_team": "4",
        "files_per_level": "",
        "files_per_day": "2",
    }
    response = ada.post(PATH, form)
    assert response.headers["Location"] == "/tasks/small/organize/"
    assert "Saved: Closes, Runs per team, Submissions per level, Submissions per level and day." in words(
        ada.get("/tasks/small/organize/")
    )
    phase = world.phase()
    assert phase.closes == datetime(2026, 3, 20, 23, 59, 30, tzinfo=UTC)
    assert (phase.runs_per_team, phase.files_per_level, phase.files_per_day) == (4, None, 2)
    assert edits(world) == [
        {
            "phase": "evaluation",
            "changed": {
                "closes": ["2026-03-15T12:00:00+00:00", "2026-03-20T23:59:30+00:00"],
                "runs_per_team": [2, 4],
                "files_per_level": [3, None],
                "files_per_day": [None, 2],
            },
        }
    ]


def test_changed_title_is_audited_by_its_hash(world: World) -> None:
    world.client("ada").post(PATH, {**PHASE_FORM, "title": "Main round"})
    (details,) = edits(world)
    assert "Main round" not in repr(details)
    assert world.phase().title == "Main round"


def test_earlier_deadline_makes_no_file_late_and_counts_files_after_it(world: World) -> None:
    submission_id = world.upload(world.run(), "p2s").id
    late_id = world.upload(world.run(), "p2s", variant(1), at=LATE).id
    ada = world.client("ada")
    ada.post(PATH, {**PHASE_FORM, "closes": "2026-03-05 12:00", "sure": "y"})
    page = words(ada.get("/tasks/small/organize/"))
    assert "1 submission arrived before the old deadline but after the new one. It is still on time." in page
    assert world.session.get_one(Submission, submission_id).late is False
    ada.post(PATH, {**PHASE_FORM, "closes": "2026-05-05 12:00"})
    assert world.session.get_one(Submission, late_id).late is True


def test_new_deadline_applies_to_the_next_file(world: World) -> None:
    world.client("ada").post(PATH, {**PHASE_FORM, "closes": "2026-03-05 12:00", "sure": "y"})
    assert world.upload(world.run(), "p2s", at=DURING - timedelta(days=4)).late is True


DATES = (
    ("2026-03-15T12:30", datetime(2026, 3, 15, 12, 30, tzinfo=UTC)),
    ("2026-03-15 12:30 UTC", datetime(2026, 3, 15, 12, 30, tzinfo=UTC)),
    (" 2026-03-15 12:30:05Z ", datetime(2026, 3, 15, 12, 30, 5, tzinfo=UTC)),
    ("2026-03-15 23:59 AoE", datetime(2026, 3, 16, 11, 59, tzinfo=UTC)),
    ("2026-03-15 24:00", datetime(2026, 3, 16, tzinfo=UTC)),
    ("", None),
)


def test_date_is_read_in_utc_or_anywhere_on_earth(world: World) -> None:
    ada = world.client("ada")
    for typed, expected in DATES:
        form = {**PHASE_FORM, "closes": typed, "grace_hours": "72" if expected else "0"}
        assert ada.post(PATH, form).status_code == 302, typed
        world.session.rollback()
        assert world.phase().closes == expected, typed


@pytest.mark.parametrize(("zone", "hours"), [("", 0), (" AoE", 12)])
def test_date_alone_is_the_whole_day(world: World, zone: str, hours: int) -> None:
    form = {**PHASE_FORM, "opens": f"2026-03-01{zone}", "closes": f"2026-03-15{zone}"}
    assert world.client("ada").post(PATH, form).status_code == 302
    world.session.rollback()
    assert world.phase().opens == datetime(2026, 3, 1, tzinfo=UTC) + timedelta(hours=hours)
    assert world.phase().closes == datetime(2026, 3, 15, 23, 59, 59, tzinfo=UTC) + timedelta(hours=hours)


APART = (
    ({"closes": ""}, "A grace period needs a closing time. Enter one, or 0 hours."),
    ({"closes": "", "grace_hours": "0", "reminders": "24"}, "Reminders need a closing time"),
    ({"title": "practice"}, 'The task already has a phase with the title "practice".'),
    (
        {"closes": "2026-03-15 24:01"},
        "Enter a date and time in UTC, such as 2026-03-15 12:00, or add AoE for anywhere on earth.",
    ),
)


def test_contradictory_rules_are_reported_at_the_field(world: World) -> None:
    ada = world.client("ada")
    for changed, message in APART:
        response = ada.post(PATH, PHASE_FORM | changed)
        assert response.status_code == 422, changed
        assert message in words(response), changed
    assert edits(world) == []


NO_DATES = (
    "15 March 2026", "2026-03-15 CET", "2026-13-15 12:00", "2026-02-30 12:00", "2026-03-15 25:00", "12:00",
    "x", "2026-03-15 12:00 CET", "1970-01-01 00:00", "9999-12-31 23:59", "\u0662026-03-15 12:00",
)  # fmt: skip


def test_invalid_date_says_how_to_write_it_and_keeps_the_input(world: World) -> None:
    ada = world.client("ada")
    for typed in NO_DATES:
        response = ada.post(PATH, {**PHASE_FORM, "closes": typed, "title": "Typed with care"})
        assert response.status_code == 422, typed
        said = words(response)
        assert (
            "Enter a date and time in UTC, such as 2026-03-15 12:00, or add AoE for anywhere on earth."
            in said
            or "Write a year" in said
        ), typed
        assert f'value="{typed}"' in response.text
        assert "Typed with care" in response.text, typed
    assert edits(world) == []
    assert world.phase().closes == CLOSES


def test_closing_before_opening_is_rejected_at_the_field(world: World) -> None:
    response = world.client("ada").post(PATH, {**PHASE_FORM, "closes": "2026-02-01 12:00", "title": "Typed"})
    assert response.status_code == 422
    assert "The phase must close after it opens. Correct one of the two dates." in words(response)
    assert 'value="2026-02-01 12:00"' in response.text
    assert 'value="Typed"' in response.text
    assert (world.phase().opens, world.phase().closes) == (OPENS, CLOSES)


RULES = (
    (
        "grace_hours",
        "-1",
        "Enter a number of hours from 0 to 8784. With 0, late submissions are not accepted.",
    ),
    (
        "grace_hours",
        "9999",
        "Enter a number of hours from 0 to 8784. With 0, late submissions are not accepted.",
    ),
    ("grace_hours", "", "Enter a number of hours. With 0, late submissions are not accepted."),
    (
        "grace_hours",
        "three",
        "Enter a number of hours from 0 to 8784. With 0, late submissions are not accepted.",
    ),
    ("runs_per_team", "0", "Enter a number from 1 to 1000000."),
    ("files_per_level", "0", "Enter a number from 1 to 1000000, or leave it empty."),
    ("files_per_day", "99999999999", "Enter a number from 1 to 1000000, or leave it empty."),
    ("feedback", "steps", "Not a valid choice"),
    ("title", "", "Enter a title."),
)


def test_impossible_rule_is_rejected(world: World) -> None:
    ada = world.client("ada")
    for name, value, message in RULES:
        response = ada.post(PATH, {**PHASE_FORM, name: value})
        assert response.status_code == 422, (name, value)
        assert message in words(response), (name, value)
    assert edits(world) == []


def test_grace_period_of_zero_is_accepted(world: World) -> None:
    assert world.client("ada").post(PATH, {**PHASE_FORM, "grace_hours": "0"}).status_code == 302
    assert world.phase().grace_hours == 0


def test_unedited_time_keeps_its_full_precision(world: World) -> None:
    exact = CLOSES + timedelta(seconds=30, microseconds=123456)
    with db.writing(world.session):
        world.phase().closes = exact
    ada = world.client("ada")
    assert 'value="2026-03-15 12:00:30"' in ada.get(PATH).text
    ada.post(PATH, {**PHASE_FORM, "closes": "2026-03-15 12:00:30", "runs_per_team": "5"})
    assert world.phase().closes == exact
    assert edits(world)[0]["changed"] == {"runs_per_team": [2, 5]}


@pytest.mark.parametrize(("person", "status"), [("bo", 403), ("dee", 404), (None, 302)])
def test_only_organizers_can_change_dates(world: World, person: str | None, status: int) -> None:
    visitor = world.client(person)
    assert visitor.get(PATH).status_code == status
    assert visitor.post(PATH, {**PHASE_FORM, "grace_hours": "1"}).status_code == status
    assert world.phase().grace_hours == 72


def test_unknown_phase_is_not_found(world: World) -> None:
    assert world.client("ada").get(PATH.replace("evaluation", "nowhere")).status_code == 404


def test_reminder_hours_are_separated_by_commas(world: World) -> None:
    ada = world.client("ada")
    assert ada.post(PATH, {**PHASE_FORM, "reminders": " 24, 72,24 "}).status_code == 302
    assert edits(world)[-1]["changed"] == {"reminders": [[], [72, 24]]}
    assert 'value="72, 24"' in ada.get(PATH).text
    for wrong in ("soon", "0", "721", "1 2 3 4 5 6", "٢٤"):
        refused = ada.post(PATH, {**PHASE_FORM, "reminders": wrong})
        assert (refused.status_code, f'value="{wrong}"' in refused.text) == (422, True)
    assert world.phase().reminders == [72, 24]
    assert ada.post(PATH, {**PHASE_FORM, "reminders": ""}).status_code == 302
    world.session.rollback()
    assert world.phase().reminders == []


def test_files_uploaded_under_the_promise_of_privacy_are_not_published(world: World) -> None:
    ada, form = world.client("ada"), {**PHASE_FORM, "runs_public": "y"}
    assert ada.post(PATH, form).status_code == 302
    assert ada.post(PATH, PHASE_FORM).status_code == 302
    world.upload(world.run(), "p2s")
    refused = ada.post(PATH, form)
    assert refused.status_code == 422
    assert (
        "There are submissions in Evaluation, and their teams were told that these are not published."
        in words(refused)
    )
    assert not world.phase().runs_public
    with db.writing(world.session):
        world.phase().runs_public = True
    assert ada.post(PATH, PHASE_FORM).status_code == 302, "the other way is open"
