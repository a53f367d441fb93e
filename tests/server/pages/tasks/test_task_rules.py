"""A task's rules are sentences made of its settings: where these differ, the sentences do."""

from datetime import timedelta

import pytest

from scorer.boards.board import DECIMALS
from server.core import db
from server.core.clock import MAX_BODY_TIME
from server.phases.quotas import MAX_REJECTIONS
from server.planning import extensions
from server.releases import release_gold
from server.scoring import service as scoring
from tests.server.visitors import words
from tests.server.world import AFTER, CLOSES, DURING, LATE, World

pytestmark = pytest.mark.one_database

PATH = "/tasks/small/rules"


def test_rules_page_follows_the_task_settings(world: World) -> None:
    page = words(world.client().get(PATH))
    for sentence in (
        "one line for each item, in the order of the items: a score from 0 to 4 and, optionally, "
        "a tab and a confidence from 0 to 1.",
        f"If {MAX_REJECTIONS} different files of a run are rejected within an hour",
        "Paragraph to sentence Pearson Spearman yes",
        f"Assay’s scorer, version {scoring.VERSION},",
        "The total is the sum of the official values at the 2 levels that count. Levels without a "
        "value are left out. The total says how many levels it includes, for example “2 of 4”. "
        "Systems are ranked by the total.",
        f"Values are compared at {DECIMALS} decimal places",
        "Opens 1 Mar 2026, 00:00 UTC (28 Feb, 12:00 AoE) Closes 15 Mar 2026, 12:00 UTC (00:00 AoE)",
        "Late submissions Accepted until 18 Mar 2026, 12:00 UTC (00:00 AoE). They are scored and shown",
        "The test items: Paragraph to sentence 4, Sentence to phrase 4.",
        "Limits per team 2 runs; 3 scored submissions at each level, shared by all runs.",
        "Scores shown to you You see no scores until the results are released.",
        "Leaderboard Public once the organizers release results.",
        "Baselines Hidden until the deadlines of all phases on these items have passed",
        "Your submissions Not published. Gold standard Hidden.",
        "The trial items: Paragraph to sentence 4.",
        "Gold standard Public.",
        f"is on time if it takes at most {MAX_BODY_TIME // timedelta(minutes=1)} minutes",
    ):
        assert sentence in page, sentence
    for other in ("lower is better", "of them per day", "approve", "of the terms", "Extended", "Reminders"):
        assert other not in page, other


def test_rules_of_a_phase_change_with_its_release(world: World) -> None:
    world.upload(world.run(), "p2s")
    hidden, public = "You see no scores until the results are released.", "Release 1 is public."
    for withdrawn in (False, True):
        page = words(world.client().get(PATH))
        assert (hidden in page, public in page) == (True, False), withdrawn
        if not withdrawn:
            world.release()
            page = words(world.client().get(PATH))
            assert "Scores of new submissions stay hidden until the next release." in page
            world.set_clock(AFTER)
            page = words(world.client().get(PATH))
            assert "Scores shown to you Scores were hidden until the results were released." in page
            assert (hidden in page, public in page) == (False, True)
            world.withdraw_release()


def test_rules_say_in_which_release_the_submissions_are(world: World) -> None:
    with db.writing(world.session):
        world.phase("evaluation").runs_public = True
    world.upload(world.run(), "p2s")
    assert "late ones are published with the next release." in words(world.client().get(PATH))
    world.release(DURING)
    assert "Submissions made after it are published with the next release." in words(world.client().get(PATH))
    world.set_clock(AFTER)
    page = words(world.client().get(PATH))
    assert "Submissions made after it are published with the next release." in page
    assert "Late submissions Were accepted until 18 Mar 2026, 12:00 UTC (00:00 AoE)." in page
    world.release(opens_gold=True)
    page = words(world.client().get(PATH))
    assert "The submissions that count and the late ones are in release 2." in page


def test_rules_say_when_leaderboards_show_baselines(world: World) -> None:
    for at, hidden in ((DURING, True), (LATE, False)):
        world.set_clock(at)
        page = words(world.client().get(PATH))
        assert ("Hidden until the deadlines of all phases on these items have passed" in page) is hidden
        shown = page.count("Shown in every leaderboard that is released or updated from now on.")
        assert shown == 2 - hidden  # practice has no deadline


def test_rules_pages_of_two_tasks_differ(world: World) -> None:
    with db.writing(world.session):
        task, phase = world.task, world.phase("evaluation")
        task.board_rules = {"total": "weighted", "total_needs": "all", "enter_at_least": 1}
        task.keyed = {"id": "pair_ID", "score": "rating", "confidence": None, "delimiter": "tab"}
        task.scale_min, task.scale_max, task.team_size, task.registration = -1, 5, 3, "approved"
        for level in task.levels:
            level.metrics = ["rmse", "pearson"]
        phase.grace_hours, phase.files_per_level, phase.files_per_day, phase.runs_per_team = 0, None, 1, 1
        phase.feedback, phase.feedback_places, phase.board, phase.reminders = "rounded", 1, "live", [72, 24]
        phase.baselines, phase.runs_public = "always", True
    page = words(world.client().get(PATH))
    for sentence in (
        "A submission is a table with a header: pair_ID is the item’s id, rating a score from −1 to 5.",
        "RMSE: lower is better.",
        "Paragraph to sentence RMSE Pearson yes",
        "the mean of the official values at the 2 levels that count, weighted by the "
        "number of scored items. Every level is required: a system that lacks a level has no total",
        "Late submissions Not accepted.",
        "Limits per team 1 run; 1 scored submission at each level per day (UTC), shared by all runs.",
        "You see scores at once, rounded to 1 decimal place. The leaderboard is live",
        "Live: new submissions appear within a minute.",
        "Shown in every release.",
        "The submissions that count and the late ones are published with the next release.",
        "this many hours before the deadline: 72, 24.",
        "A team can have up to 3 members. New teams can submit once the organizers have approved them.",
    ):
        assert sentence in page, sentence
    with db.writing(world.session):
        world.task.board_rules = {"total": "none", "total_needs": "entered", "enter_at_least": 1}
        world.phase("evaluation").closes = None
        release_gold.open_gold(world.session, world.actor("ada"), world.phase("evaluation"), CLOSES)
    page = words(world.client().get(PATH))
    assert (
        "There is no total. Each level has its own ranking, and rows are ordered by the first level." in page
    )
    assert "Closes no deadline Late submissions There is no deadline, so no submission is late." in page
    assert "Gold standard Hidden." not in page
    assert f'href="{PATH}"' in world.client().get("/tasks/small/").text


def test_only_the_team_sees_its_own_deadline(world: World) -> None:
    later = CLOSES + timedelta(days=1)
    with db.writing(world.session):
        extensions.extend_deadline(
            world.session, world.actor("ada"), world.phase(), world.team, later, "an outage", DURING
        )
    assert "Extended for your team to 16 Mar 2026, 12:00 UTC (00:00 AoE): an outage" in words(
        world.client("bo").get(PATH)
    )
    stranger = words(world.client("dee").get(PATH))
    assert "16 Mar" not in stranger
    assert "Extended" not in stranger
