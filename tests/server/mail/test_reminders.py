from datetime import datetime, timedelta

import pytest

from server.core import db
from server.core.actors import Actor
from server.mail import reminders
from server.mail.models import Mail, Reminder
from server.phases.models import Extension
from server.runs import service as runs
from server.teams import service as teams
from server.teams.models import Team
from tests.server.mail_sink import Sink
from tests.server.visitors import words
from tests.server.world import CLOSES, DURING, OPENS, World

DAY = CLOSES - timedelta(hours=24)
MINUTE = timedelta(minutes=1)


def set_reminders(world: World, *hours: int) -> None:
    with db.writing(world.session):
        world.phase().reminders = list(hours)


def extend(world: World, closes: datetime, team: Team) -> None:
    with db.writing(world.session):
        row = Extension(
            phase_id=world.phase().id, team_id=team.id, closes=closes, reason="ill", made_at=DURING
        )
        world.session.add(row)


def begin(world: World, at: datetime = OPENS) -> None:
    """The run "one" of bo's and cy's team, from long before the deadline."""
    with db.writing(world.session):
        runs.add_run(world.session, world.team, world.phase(), "one", "", at)


def reminded(sink: Sink) -> list[str]:
    found = [mail["To"].split("@")[0] for mail in sink.mails if "closes in" in mail["Subject"]]
    sink.mails.clear()
    return sorted(found)


def test_teams_with_incomplete_runs_are_reminded_once_of_what_is_missing(
    world: World, sink: Sink, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reminders, "BATCH", 1)  # one team in each transaction
    set_reminders(world, 72, 24)
    begin(world)
    world.upload(world.run(), "p2s")
    world.found_team("dee", "alder")  # no run at all
    world.work(DAY - timedelta(hours=48) - MINUTE)
    assert reminded(sink) == []
    world.work(DAY - timedelta(hours=48))
    assert reminded(sink) == ["bo", "cy", "dee"]
    world.work(DAY - timedelta(hours=47))
    assert reminded(sink) == []

    world.work(DAY)
    texts = {mail["To"]: mail.get_body(("plain",)).get_content() for mail in sink.mails}
    assert all("closes in 24 hours" in mail["Subject"] for mail in sink.mails)
    text = texts["cy@example.org"].replace("\r\n", "\n")
    assert "15 Mar 2026, 12:00 UTC (15 Mar 2026, 00:00 AoE)" in text
    assert "- one: Sentence to phrase\n" in text  # what is there is not asked for
    assert "until 18 Mar 2026, 12:00 UTC" in text
    assert "https://assay.test/tasks/small/counts" in text
    assert "Your team has no run in this phase yet." in texts["dee@example.org"]
    assert len(sink.mails) == 3


def test_complete_team_gets_no_reminder(world: World, sink: Sink) -> None:
    set_reminders(world, 24)
    begin(world)
    for level in ("p2s", "s2p"):
        sent = world.upload(world.run(), level)
    world.work(DAY)
    assert reminded(sink) == []
    world.withdraw(sent, DAY)  # from here on it lacks one
    world.work(DAY + MINUTE)
    assert reminded(sink) == ["bo", "cy"]


def test_reminder_is_never_sent_after_the_deadline(world: World, sink: Sink) -> None:
    set_reminders(world, 1)
    begin(world)
    with sink.down():
        world.work(CLOSES - timedelta(hours=1))
    world.work(CLOSES)
    assert sink.mails == []
    ada = world.client("ada")
    page = words(ada.get("/tasks/small/organize/mails"))
    assert "failed The deadline passed before it could be sent, so it will not be sent." in page
    assert "Send again" not in page
    assert "Retry all now" not in page
    mail = world.session.query(Mail).first()
    assert mail is not None
    again = ada.post(f"/tasks/small/organize/mails/{mail.id}/again", follow_redirects=True)
    assert "This email cannot be sent again. It may have been sent in the meantime or be outdated." in words(
        again
    )
    world.work(CLOSES + timedelta(days=1))
    assert sink.mails == []


def test_extended_deadline_of_a_team_gets_its_own_reminder(world: World, sink: Sink) -> None:
    set_reminders(world, 24)
    begin(world)
    extend(world, CLOSES + timedelta(days=3), world.team)
    world.found_team("dee", "alder")
    world.work(DAY)
    assert reminded(sink) == ["dee"]
    world.work(DAY + timedelta(days=3))
    assert reminded(sink) == ["bo", "cy"]

    with db.writing(world.session):
        world.phase().closes = CLOSES + timedelta(days=5)
    world.work(DAY + timedelta(days=5))
    assert reminded(sink) == ["bo", "cy", "dee"]
    world.session.rollback()
    assert world.session.query(Reminder).count() == 4


def test_after_a_long_pause_of_the_worker_one_reminder_is_sent(world: World, sink: Sink) -> None:
    set_reminders(world, 72, 48, 24)
    begin(world)
    world.work(DAY + timedelta(hours=20))
    assert reminded(sink) == ["bo", "cy"]
    assert {row.hours for row in world.session.query(Reminder)} == {72, 48, 24}
    world.work(CLOSES)  # closed: it is too late to remind
    world.work(CLOSES + timedelta(days=1))
    assert reminded(sink) == []


def test_team_that_starts_after_the_reminder_time_or_opted_out_gets_none(world: World, sink: Sink) -> None:
    set_reminders(world, 24)
    begin(world)
    with db.writing(world.session):
        world.user("cy").mail_reminders = False
        teams.create_team(world.session, Actor(user_id=world.user("dee").id), world.task, "elm", DAY + MINUTE)
    world.work(DAY + timedelta(hours=2))
    assert reminded(sink) == ["bo"]
