from dataclasses import fields
from datetime import datetime, timedelta
from email.message import EmailMessage

import pytest

from server.core import db
from server.mail.notices import DELAY
from server.planning import extensions, phase_editing
from server.releases import pseudonyms
from server.teams.models import Team
from tests.server.mail_sink import Sink
from tests.server.world import AFTER, CLOSES, DURING, World

pytestmark = pytest.mark.one_database

LATER = CLOSES + timedelta(days=2)


def extend(world: World, days: int, team: str | None = None) -> None:
    with db.writing(world.session):
        later = CLOSES + timedelta(days=days)
        named = None if team is None else world.session.query(Team).filter_by(name=team).one()
        extensions.extend_deadline(
            world.session,
            world.actor("ada"),
            world.phase(),
            named,
            later,
            "x",
            DURING,
        )


def notices(sink: Sink) -> list[EmailMessage]:
    """The emails that are not confirmations of uploads."""
    return [mail for mail in sink.mails if mail["Subject"].startswith(("New dates", "Results"))]


def recipients(sink: Sink) -> list[str]:
    return sorted(mail["To"].split("@")[0] for mail in notices(sink))


def read(sink: Sink) -> str:
    return notices(sink)[0].get_body(("plain",)).get_content()


def edit_dates(world: World, slug: str, at: datetime = DURING, **dates: datetime) -> None:
    """Change dates of a phase, by ada."""
    with db.writing(world.session):
        phase = world.phase(slug)
        old = {field.name: getattr(phase, field.name) for field in fields(phase_editing.PhaseEdit)}
        edit = phase_editing.PhaseEdit(**old | dates)
        phase_editing.edit_phase(world.session, world.actor("ada"), phase, edit, at)


def test_extensions_within_ten_minutes_make_one_email_with_the_last_deadline(
    world: World, sink: Sink
) -> None:
    world.found_team("dee", "alder")
    extend(world, 1)
    world.work(DURING + DELAY - timedelta(seconds=1))
    assert recipients(sink) == []
    extend(world, 2)
    world.work(DURING + DELAY)
    assert recipients(sink) == ["bo", "cy", "dee"]
    text = read(sink)
    assert notices(sink)[0]["Subject"] == "New dates of Evaluation"
    assert "Deadline: 17 Mar 2026, 12:00 UTC" in text
    assert "It was: 15 Mar 2026, 12:00 UTC" in text
    assert "/tasks/small/rules#phase-evaluation" in text


def test_closing_early_and_opening_again_are_emailed_at_once(world: World, sink: Sink) -> None:
    extend(world, 1)
    edit_dates(world, "evaluation", closes=DURING)
    world.work(DURING)
    assert recipients(sink) == ["bo", "cy"]
    assert "Deadline: 10 Mar 2026, 12:00 UTC" in read(sink)
    minute_later = DURING + timedelta(minutes=1)
    edit_dates(world, "evaluation", minute_later, closes=CLOSES)
    world.work(minute_later)
    assert "It was: 10 Mar 2026, 12:00 UTC" in notices(sink)[-1].get_body(("plain",)).get_content()


def test_extension_of_one_team_is_emailed_to_this_team_alone(world: World, sink: Sink) -> None:
    world.found_team("dee", "alder")
    extend(world, 1, "birch")
    world.work(DURING + DELAY)
    assert recipients(sink) == ["bo", "cy"]
    assert "have changed for your team birch alone:" in read(sink)
    assert "Reason: x" in read(sink)


def test_change_that_is_taken_back_is_not_emailed(world: World, sink: Sink) -> None:
    with db.writing(world.session):
        world.phase().closes += timedelta(microseconds=250)  # what no form shows
    edit_dates(world, "evaluation", closes=LATER)
    edit_dates(world, "evaluation", closes=CLOSES)
    world.work(DURING + DELAY)
    assert recipients(sink) == []


def test_changes_of_several_phases_within_ten_minutes_make_one_email(world: World, sink: Sink) -> None:
    edit_dates(world, "practice", closes=LATER)
    edit_dates(world, "evaluation", closes=LATER)
    world.work(DURING + DELAY)
    assert recipients(sink) == ["bo", "cy"]
    assert notices(sink)[0]["Subject"] == "New dates"
    text = " ".join(read(sink).split())
    assert "The dates of Practice of A small task have changed:" in text
    assert "The dates of Evaluation of A small task have changed:" in text
    assert "Reason" not in text


def test_release_is_emailed_to_teams_with_submissions_without_any_figure(world: World, sink: Sink) -> None:
    world.found_team("dee", "alder")
    world.upload(world.run(), "p2s")
    world.release(AFTER)
    world.work(AFTER + DELAY)
    assert recipients(sink) == ["bo", "cy"]
    text = read(sink)
    assert notices(sink)[0]["Subject"] == "Results of Evaluation"
    assert "The results of Evaluation of A small task have been released." in " ".join(text.split())
    assert "/tasks/small/boards/evaluation" in text
    assert "0." not in text


def test_correction_and_revealed_names_are_named_in_the_email(world: World, sink: Sink) -> None:
    world.upload(world.run(), "p2s")
    world.release(AFTER, anonymous=True)
    world.work(AFTER + DELAY)
    sink.mails.clear()
    later = AFTER + timedelta(days=1)
    world.fix_gold("p2s", b"0\n1\n2\n4\n", later)
    world.release(later + timedelta(hours=1), anonymous=True)
    with db.writing(world.session):
        pseudonyms.reveal_names(world.session, world.actor("ada"), world.phase(), later + timedelta(hours=1))
    world.work(later + timedelta(hours=2))
    assert recipients(sink) == ["bo", "cy"]
    text = " ".join(read(sink).split())
    assert "have been released again, because gold labels were corrected." in text
    assert "The leaderboard of Evaluation now shows the names of the teams." in text


def test_release_that_was_withdrawn_within_ten_minutes_is_not_emailed(world: World, sink: Sink) -> None:
    world.upload(world.run(), "p2s")
    world.release(AFTER)
    world.withdraw_release("a mistake", AFTER + timedelta(minutes=5))
    world.work(AFTER + DELAY)
    assert recipients(sink) == []


def test_kinds_can_be_turned_off(world: World, sink: Sink) -> None:
    world.upload(world.run(), "p2s")
    world.client("bo").post("/account/mails", {"date": "y"})
    world.client("cy").post("/account/mails", {"release": "y"})
    sink.mails.clear()
    extend(world, 1)
    world.work(DURING + DELAY)
    assert recipients(sink) == ["bo"]
    sink.mails.clear()
    world.release(AFTER)
    world.work(AFTER + DELAY)
    assert recipients(sink) == ["cy"]
