"""A task of one level has no total: its systems are ranked by the official metric on every page."""

from pathlib import Path

import pytest

from server import bundles
from server.access import tasks
from server.core import db
from server.core.actors import CONSOLE
from server.releases import creation as release_creation
from server.runs import service as runs
from server.submissions import eligibility, service as submissions
from server.tasks.models import Task
from server.teams import service as teams
from tests.server.small_task import GOOD, TASK, write_bundle
from tests.server.visitors import words
from tests.server.world import AFTER, DURING, OPENS, World

pytestmark = pytest.mark.one_database

SECOND_LEVEL = TASK[TASK.index('[[level]]\nslug = "s2p"') : TASK.index("[[phase]]")]
SINGLE = TASK.replace('slug = "small"', 'slug = "single"').replace(SECOND_LEVEL, "")


@pytest.fixture
def single(world: World, tmp_path: Path) -> Task:
    """A task of one level, where bo's team has two scored runs."""
    plan = bundles.plan_import(write_bundle(tmp_path / "single", SINGLE))
    with db.writing(world.session):
        bundles.import_task(world.session, CONSOLE, plan, [world.user("ada")], OPENS, published=True)
    with db.writing(world.session):
        task = tasks.get_task(world.session, "single")
        team = teams.create_team(world.session, world.actor("bo"), task, "birch", OPENS)
        phase = tasks.get_phase(world.session, task, "evaluation")
        made = [runs.add_run(world.session, team, phase, name, "", DURING).id for name in ("heron", "plover")]
    for run_id, data in zip(made, (b"3\n1\n2\n4\n", GOOD), strict=True):
        prepared = submissions.prepare_file(
            world.session,
            world.actor("bo"),
            eligibility.ReceivedFile(
                eligibility.find_own_target(world.session, world.actor("bo"), run_id, "p2s", DURING),
                data,
                "run.tsv",
            ),
            DURING,
        )
        with db.writing(world.session):
            submissions.submit_file(world.session, world.actor("bo"), prepared, DURING)
    with db.writing(world.session):
        task = tasks.get_task(world.session, "single")
        phase = tasks.get_phase(world.session, task, "evaluation")
        release_creation.release_board(world.session, world.actor("ada"), phase, AFTER)
    return tasks.get_task(world.session, "single")


@pytest.mark.usefixtures("single")
def test_the_leaderboard_ranks_by_the_official_metric_and_shows_no_total(world: World) -> None:
    page = words(world.client().get("/tasks/single/boards/evaluation"))
    assert "Rank System Pearson Spearman" in page
    assert "1 birch plover" in page
    assert "2 birch heron" in page
    assert "Total" not in page.split("Recompute the leaderboard")[0]


@pytest.mark.usefixtures("single")
def test_a_team_sees_its_ranks(world: World) -> None:
    world.set_clock(AFTER)
    page = words(world.client("bo").get("/tasks/single/team/"))
    assert "plover has rank 1 of 2. heron has rank 2 of 2." in page


@pytest.mark.usefixtures("single")
def test_rules_name_the_ranking_metric(world: World) -> None:
    page = words(world.client().get("/tasks/single/rules"))
    assert "There is only one level, so there is no total. Systems are ranked by its official metric." in page
    assert "In the total" not in page
