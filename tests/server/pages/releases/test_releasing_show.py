"""The desk: what needs doing, the teams of a phase in the order of need, files over time; the rest below."""

from datetime import timedelta
from pathlib import Path

import pytest

from server import bundles
from server.core import db
from server.core.actors import CONSOLE
from server.core.errors import InvalidFile
from server.mail.models import Mail
from server.organize import to_do
from server.phases.models import Extension
from server.planning import registrations
from server.releases import scheduling as release_scheduling
from server.runs import service as runs, withdrawals as run_withdrawals
from server.runs.models import Run
from server.scoring import service as scoring
from server.submissions.models import Flag, Submission
from tests.server.small_task import TASK, variant, write_bundle
from tests.server.visitors import words
from tests.server.world import AFTER, CLOSES, DURING, LATE, OPENS, World

pytestmark = pytest.mark.one_database

PATH = "/tasks/small/organize/"


def test_overview_shows_the_release_and_that_nothing_needs_attention(world: World) -> None:
    world.upload(world.run(), "p2s")
    world.upload(world.run(), "s2p")
    ada = world.client("ada")
    assert "To do Nothing." in words(ada.get(PATH))
    world.release()
    page = words(ada.get(PATH))
    assert "Evaluation open closes in 5 days 15 Mar 2026, 12:00 UTC release 1 is public" in page


@pytest.mark.parametrize(("person", "status"), [("bo", 403), ("dee", 404), (None, 302)])
def test_only_people_with_a_role_see_the_overview(world: World, person: str | None, status: int) -> None:
    world.upload(world.run(), "p2s")
    response = world.client(person).get(PATH)
    assert response.status_code == status
    if person == "bo":
        assert "Only the task’s organizers and observers can see this." in words(response)
    if person is None:
        assert response.headers["Location"] == f"/sign-in?next={PATH}"


def test_to_do_list_starts_with_the_most_serious(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No gold, an overdue scheduled release, pseudonyms, another scorer."""
    without = TASK.replace('slug = "small"', 'slug = "waits"').replace(', gold = "s2p.test.gold"', "")
    plan = bundles.plan_import(write_bundle(tmp_path / "waits", without))
    with db.writing(world.session):
        bundles.import_task(world.session, CONSOLE, plan, [world.user("ada")], OPENS, published=True)
    ada = world.client("ada")
    page = words(ada.get("/tasks/waits/organize/"))
    assert (
        "has no gold standard for Sentence to phrase, so uploads are rejected there. Upload gold file" in page
    )
    world.upload(world.run(), "p2s")
    world.release(at=DURING, anonymous=True)
    with db.writing(world.session):
        release_scheduling.schedule_release(world.session, world.actor("ada"), world.phase(), CLOSES, DURING)
    world.set_clock(CLOSES + to_do.OVERDUE_AFTER)
    assert "overdue" not in words(ada.get(PATH))
    monkeypatch.setattr(scoring, "VERSION", "9.0.0")
    world.set_clock(CLOSES + to_do.OVERDUE_AFTER + timedelta(seconds=1))
    page = words(ada.get(PATH))
    sentences = (
        "The release of Evaluation scheduled for 15 Mar 2026, 12:00 UTC is overdue.",
        "Release 1 of Evaluation is anonymous. Reveal names",
        "The scores for Paragraph to sentence, test, were computed by scorer",
    )
    places = [page.index(sentence) for sentence in sentences]
    assert places == sorted(places)


def fill(world: World) -> None:
    """birch: complete, a late file, a flag; alder: rejected file; elm waits; oak has uploaded nothing."""
    one = world.run()
    world.upload(one, "p2s")
    flagged = world.upload(one, "p2s", variant(1))
    world.upload(one, "s2p", at=LATE)
    alder = world.found_team("dee", "alder")
    with db.writing(world.session):
        world.session.add(Flag(submission_id=flagged.id, code="tiny-steps", words="tiny", made_at=DURING))
        run = runs.add_run(world.session, alder, world.phase(), "a", "", DURING)
        later = Extension(
            phase_id=world.phase().id, team_id=alder.id, closes=LATE, reason="flood", made_at=DURING
        )
        world.session.add(later)
        for name, state in (("elm", "waiting"), ("oak", "approved")):
            registrations.teams.add_team(world.session, world.task, name, DURING, state=state)
    world.upload(run, "p2s", by="dee")
    with pytest.raises(InvalidFile):
        world.upload(run, "s2p", b"1\n", at=LATE, by="dee")


def test_teams_that_need_attention_are_listed_first_with_the_reason(world: World) -> None:
    fill(world)
    world.set_clock(LATE + timedelta(hours=1))
    ada = world.client("ada")
    page = words(ada.get(PATH))
    places = [page.index(f" {name} {why}") for name, why in (
        ("elm", "waiting for approval"), ("alder", "last upload rejected"),
        ("birch", "flagged"), ("oak", "no submissions"),
    )]  # fmt: skip
    assert places == sorted(places)
    assert "Teams in Evaluation Practice Evaluation 2 of 4 teams have submitted." in page
    for said in (
        "1 team is waiting for approval and cannot submit until then.",
        "1 team had its last upload to Evaluation rejected.",
        "1 team has a submission in Evaluation that looks like an attempt to find out gold labels.",
        "1 waiting for approval 1 with last upload rejected 1 flagged as suspicious",
        "birch flagged as suspicious 1 – missing 1 late 15 Mar 2026, 13:00 UTC 1 2 of 3 1 2",
        "alder last upload rejected until 15 Mar 2026, 13:00 UTC 1 – missing 10 Mar",
        "4 submissions, 1 late. Peak: 3 in the hour from 10 Mar, 12:00 UTC.",
        "15 Mar, 13:00 UTC 0 1",
    ):
        assert said in page, said
    with db.writing(world.session):
        theirs = world.session.query(Submission).join(Run).filter(Run.name == "a").one()
        world.session.add(Flag(submission_id=theirs.id, code="tiny-steps", words="tiny", made_at=DURING))
        world.phase().files_per_level = 1  # lowered, after birch had two
    page = words(ada.get(f"{PATH}?only=flagged"))
    assert "2 teams have submissions in Evaluation that look like attempts" in page
    assert "1 with last upload rejected" in page
    assert " alder last upload rejected" in page, "refused, and flagged beside"
    assert "2 (more than 1)" in page
    one = words(ada.get(f"{PATH}?only=waiting"))
    assert " elm waiting for approval" in one
    assert " birch flagged" not in one


def test_phase_can_be_chosen_and_missing_gold_is_reported(world: World) -> None:
    world.upload(world.run("one", "practice"), "p2s")
    ada = world.client("ada")
    assert "1 of 1 team has submitted." in words(ada.get(f"{PATH}?phase=practice"))
    assert "0 of 1 team" in words(ada.get(f"{PATH}?phase=nowhere"))
    assert "1 submission. Peak: 1 on 10 Mar 2026" in words(ada.get(f"{PATH}?phase=practice"))
    page = ada.get(f"{PATH}?phase=practice")
    assert '<figure class="chart" id="activity-chart" data-chart="bars" data-stacked="yes">' in page.text
    assert "Day On time Late 4 Mar 2026 0 0" in words(page)
    assert "9 Mar 2026 0 0 10 Mar 2026 1 0" in words(page)


def test_incomplete_run_failed_emails_and_unreleased_board_need_attention(world: World) -> None:
    one = world.run("one")
    for level in ("p2s", "s2p"):
        world.upload(one, level)
    ada = world.client("ada")
    assert "birch complete 1 1 10 Mar 2026, 12:00 UTC" in words(ada.get(PATH))
    world.upload(world.run("two"), "p2s")
    with db.writing(world.session):
        mail = Mail(task_id=world.task.id, user_id=world.user("bo").id, kind="confirmation", subject="s")
        mail.text, mail.html, mail.message_id, mail.state, mail.attempts = "t", "h", "<m@x>", "failed", 6
        mail.created_at = DURING
        world.session.add(mail)
    world.set_clock(AFTER)
    page = words(ada.get(PATH))
    assert "birch incomplete runs 2 1 of 2" in page
    assert "1 with incomplete runs" in page
    needed = "Evaluation is closed but none of its results are public. Preview leaderboard"
    assert needed in page
    assert "1 email could not be sent. Show emails" in page
    with db.writing(world.session):
        run_withdrawals.withdraw_run(world.session, world.actor("bo"), world.run("two"), DURING)
    assert "birch complete 1 1 10 Mar" in words(ada.get(PATH))
    world.release(AFTER)
    assert needed not in words(ada.get(PATH))
    world.withdraw_release()
    assert needed in words(ada.get(PATH))


@pytest.mark.parametrize("page", ["0", "-1", "x", "9", "99999999999999999999999"])
def test_invalid_page_number_is_not_an_error(world: World, page: str) -> None:
    for path in (PATH, f"{PATH}files"):
        assert world.client("ada").get(f"{path}?page={page}").status_code == 200


def test_list_of_many_teams_is_paginated(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.pages.organize.dashboard.TEAMS_PER_PAGE", 2)
    fill(world)
    world.set_clock(CLOSES)
    ada = world.client("ada")
    first, second = words(ada.get(PATH)), words(ada.get(f"{PATH}?page=2"))
    assert "Page 1 of 2 Next teams" in first
    assert " elm waiting" in first
    assert " oak no submissions" not in first
    assert " oak no submissions" in second
