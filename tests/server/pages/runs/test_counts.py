"""What counts: the page that a team trusts at two in the morning."""

from datetime import timedelta

import pytest

from server.core import db
from server.phases.models import Extension
from server.runs import editing as run_editing, withdrawals as run_withdrawals
from tests.server.small_task import GOOD, variant
from tests.server.visitors import words
from tests.server.world import AFTER, CLOSES, DURING, LATE, World, max_queries

pytestmark = pytest.mark.one_database

PATH = "/tasks/small/counts"


def page_of(world: World, at=DURING, person: str = "bo", path: str = PATH) -> str:
    client = world.client(person)
    world.set_clock(at)
    return words(client.get(path))


def test_completeness_page_lists_counting_files_in_full_and_what_is_missing(world: World) -> None:
    one, _ = world.run("one"), world.run("two")
    world.upload(one, "p2s", variant(1))
    counting = world.upload(one, "p2s", GOOD, at=DURING + timedelta(seconds=7, microseconds=9))
    world.upload(one, "s2p")
    with db.writing(world.session):
        run_editing.choose_primary(world.session, world.actor("bo"), one, DURING)
    size, sha256 = counting.size, counting.sha256
    page = page_of(world, DURING + timedelta(minutes=1))
    for promise in (
        "What counts for birch Evaluation: 2 of 4 submissions are missing.",
        "As of 10 Mar 2026, 12:01:00 UTC (server time).",
        "Your deadline is in 4 days: 15 Mar 2026, 12:00 UTC (00:00 AoE).",
        "Missing: Paragraph to sentence of two Upload",
        "Sentence to phrase of two Upload",
        "one run 1 primary",
        f"counts, on time run.tsv, {size} bytes, arrived 10 Mar 2026, 12:00:07 UTC {sha256}",
        "Paragraph to sentence: 1 of 3 in total",
        "Sentence to phrase: 2 of 3 in total",
    ):
        assert promise in page, promise
    assert page.count(sha256) == 2  # at each level; the replaced one is not listed


def test_organizer_reads_that_the_team_has_no_run_yet(world: World) -> None:
    organizers_path = f"/tasks/small/organize/teams/{world.team.id}/counts"
    assert "Evaluation: the team has no run in this phase yet." in page_of(
        world, person="ada", path=organizers_path
    )
    assert "Evaluation: you have no run in this phase yet." in page_of(world)


def test_complete_submission_is_confirmed_in_one_line_ignoring_withdrawn_runs(world: World) -> None:
    run = world.run("one")
    world.upload(world.run("gone"), "p2s", variant(5))
    for level in ("p2s", "s2p"):
        world.upload(run, level)
    assert "Evaluation: 1 of 4 submissions is missing." in page_of(world)
    with db.writing(world.session):
        run_withdrawals.withdraw_run(world.session, world.actor("bo"), world.run("gone"), DURING)
    page = page_of(world)
    assert "Evaluation: complete (2 submissions)." in page
    assert "Withdrawn, so their submissions do not count: gone." in page
    assert "Missing" not in page.split("Practice")[0]


def test_after_the_deadline_late_files_are_separate_and_still_missing_on_time(world: World) -> None:
    size = world.upload(world.run(), "p2s", at=LATE).size
    page = page_of(world, LATE)
    assert "Evaluation: 0 of 2 on time, 1 late." in page
    assert f"late shown separately, not ranked: run.tsv, {size} bytes" in page
    assert "Missing at the deadline: Paragraph to sentence of one" in page
    over = page_of(world, AFTER)
    assert "Your deadline has passed: 15 Mar 2026, 12:00 UTC" in over
    assert "These submissions are final." in over


def test_countdown_runs_to_the_teams_own_deadline(world: World) -> None:
    world.run()
    with db.writing(world.session):
        closes = CLOSES + timedelta(hours=5)
        world.session.add(
            Extension(
                phase_id=world.phase().id, team_id=world.team.id, closes=closes, reason="a storm",
                made_by=None, made_at=DURING,
            )
        )  # fmt: skip
    assert "Your deadline is in 4 h 0 min: 15 Mar 2026, 17:00 UTC" in page_of(world, LATE)


@pytest.mark.parametrize("person", ["ada", "observer"])
def test_organizers_see_the_completeness_page_of_any_team_without_buttons(world: World, person: str) -> None:
    if person == "observer":
        with db.writing(world.session):
            world.user("dee").name = "observer"
        world.give_role("dee", "observer")
    submission = world.upload(world.run(), "p2s")
    sha256, path = submission.sha256, f"/tasks/small/organize/teams/{world.team.id}/counts"
    page = page_of(world, person="dee" if person == "observer" else person, path=path)
    assert "What counts for birch Evaluation: 1 of 2 submissions is missing." in page
    assert sha256 in page
    assert "Upload" not in page
    assert world.client("bo").get(path).status_code == 403


def test_completeness_page_is_linked_everywhere_and_its_query_count_is_constant(world: World) -> None:
    with db.writing(world.session):
        world.phase().files_per_level = None
    bo = world.client("bo")
    world.upload(world.run(), "p2s")
    for path in ("/tasks/small/", "/tasks/small/team/", "/tasks/small/boards/evaluation"):
        assert f'href="{PATH}"' in bo.get(path).text
    with max_queries(world, 20) as few:
        bo.get(PATH)
    for number in range(8):
        world.upload(world.run(f"run {number}"), "p2s", variant(number))
    with max_queries(world, len(few)):
        bo.get(PATH)
