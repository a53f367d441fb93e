"""Copies of a task for next year."""

from datetime import timedelta

import pytest

from server import bundles
from server.access import roles, tasks
from server.core import db
from server.core.errors import NameTaken, NotFound
from server.gold import versions as gold_versions
from server.phases.models import Phase
from server.planning import task_files
from server.releases.models import Release
from server.runs.models import Run
from server.scoring.models import Score
from server.submissions.models import Submission
from server.tasks.models import Task
from server.teams.models import Membership
from tests.server.visitors import words
from tests.server.world import CLOSES, DURING, OPENS, World


def copy(world: World, slug: str = "small-2027", by: str = "ada", days: int = 364) -> Task:
    actor, shift = world.actor(by), timedelta(days=days)
    with bundles.plan_copy(world.session, actor, world.task, slug, shift) as plan, db.writing(world.session):
        bundles.add_copy(world.session, actor, world.task, plan, DURING)
    return tasks.get_named_task(world.session, slug)


def item_files(task: Task) -> list[list[tuple[str, str]]]:
    return [[(split.name, split.items_sha256) for split in level.splits] for level in task.levels]


def test_copy_has_texts_pictures_levels_items_gold_in_force_and_roles(world: World) -> None:
    world.add_picture()
    world.add_kit_file()
    with db.writing(world.session):
        task_files.choose_logo(world.session, world.actor("ada"), world.task, "lake.png", DURING)
    version = world.fix_gold("p2s", b"4\n3\n2\n1\n")
    world.give_role("dee", "observer")
    made, old = copy(world), world.task
    assert (made.state, made.published_at) == ("draft", None)
    for name in (
        "title",
        "description",
        "logo",
        "terms",
        "licence",
        "labels",
        "keyed",
        "board_rules",
        "scale_max",
    ):
        assert getattr(made, name) == getattr(old, name), name
    assert [level.slug for level in made.levels] == [level.slug for level in old.levels]
    assert item_files(made) == item_files(old)
    kit_file, picture = task_files.list_files(world.session, made)
    assert (kit_file.name, kit_file.is_picture) == ("check.py", False)
    assert (picture.name, picture.width, picture.height) == ("lake.png", 6, 4)
    gold = gold_versions.find_gold(world.session, tasks.get_level_split(made, "p2s", "test")[1])
    assert gold is not None
    assert (gold.number, gold.sha256) == (1, version.sha256)
    holders = roles.list_people(world.session, world.actor("ada"), made)
    assert [(holder.user.name, holder.held.role) for holder in holders] == [
        ("ada", "organizer"),
        ("dee", "observer"),
    ]


def test_copy_has_baselines_but_no_teams_runs_or_releases(world: World) -> None:
    world.upload(world.run(), "p2s")
    world.release(DURING)
    made = copy(world)
    phases = [phase.id for phase in world.session.query(Phase).filter_by(task_id=made.id)]
    runs = world.session.query(Run).filter(Run.phase_id.in_(phases)).all()
    assert {run.baseline for run in runs} == {"lcs"}
    files = world.session.query(Submission).filter(Submission.run_id.in_([run.id for run in runs])).all()
    assert {file.level.slug for file in files} == {"p2s", "s2p"}
    scores = world.session.query(Score).filter(Score.submission_id.in_([file.id for file in files]))
    assert scores.count() >= len(files)
    assert world.session.query(Membership).filter_by(task_id=made.id).count() == 0
    assert world.session.query(Release).filter(Release.phase_id.in_(phases)).count() == 0


def test_dates_move_by_whole_weeks(world: World) -> None:
    phase = tasks.get_phase(world.session, copy(world), "evaluation")
    assert (phase.opens, phase.closes) == (OPENS + timedelta(weeks=52), CLOSES + timedelta(weeks=52))


def test_copy_needs_a_free_slug_and_an_organizer(world: World) -> None:
    with pytest.raises(NameTaken):
        copy(world, "small")
    with pytest.raises(NotFound):
        copy(world, by="dee")


def test_page_copies_and_goes_to_the_new_overview(world: World) -> None:
    ada = world.client("ada")
    page = ada.post("/tasks/small/organize/copy", {"slug": "small-2027", "days": "364"})
    assert page.headers["Location"] == "/tasks/small-2027~2/organize/"
    assert "This task is a draft." in words(ada.get("/tasks/small-2027~2/organize/"))
    refused = ada.post("/tasks/small/organize/copy", {"slug": "small", "days": "364"})
    assert refused.status_code == 422
    assert "There is already a task" in words(refused)
