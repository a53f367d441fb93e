"""Checking a task that was set up, and creating it by the service of an import."""

import pytest

from server.access import service as access
from server.core import db
from server.core.errors import Conflict
from server.gold import versions as gold_versions
from server.setups import creation, service
from server.setups.bundle_files import content_of
from server.setups.models import TaskSetup
from server.tasks.models import Task
from tests.server.pages.setups.setup_forms import GOLD, ITEMS, LEVEL, PHASE, begin, fill, upload
from tests.server.visitors import words
from tests.server.world import DURING, World

pytestmark = pytest.mark.one_database


def find_task(world: World) -> Task | None:
    return world.session.query(Task).filter_by(slug="tides-and-words").one_or_none()


def test_task_is_set_up_step_by_step_and_created(world: World) -> None:
    ada, at = fill(world)
    ada.post(f"{at}levels/new", {**LEVEL, "slug": "s2p", "title": "Sentence to phrase"})
    upload(ada, f"{at}levels/s2p/", items=ITEMS)
    upload(ada, f"{at}levels/s2p/", "trial", items=ITEMS, gold=GOLD, public=True)
    check = words(ada.get(f"{at}check"))
    assert "The task has no problems." in check
    assert "Paragraph to sentence Test 4 items, 3 with a gold label hidden" in check
    assert "Sentence to phrase Trial 4 items, 3 with a gold label public" in check
    assert "Sentence to phrase has no gold for its test items: add it before teams submit." in check
    assert "Evaluation Test 1 Mar 2026, 09:00 UTC 16 Mar 2026, 11:59 UTC" in check
    assert "23:59 AoE 3 no limit Nothing until results are released" in check
    assert "Teams: no size limit; anyone can create a team." in check
    assert "Needed to publish: organizers, contact. Add them under Texts." in check
    assert "Texts needed before publishing no description yet; no organizers yet; no contact yet" in words(
        ada.get(at)
    )
    assert ada.post(f"{at}create").headers["Location"] == "/tasks/tides-and-words/organize/"
    assert "The task was created as a draft and you are its organizer." in words(
        ada.get("/tasks/tides-and-words/organize/")
    )
    assert world.client("dee").get("/tasks/tides-and-words/").status_code == 404
    task = find_task(world)
    assert task is not None
    assert access.is_organizer(world.session, world.actor("ada"), task)
    assert task.state == "draft"
    assert (task.title, task.scale_max, task.labels) == (
        "Tides and words",
        4,
        [[0, "unrelated"], [4, "the same"]],
    )
    splits = {f"{level.slug} {split.name}": split for level in task.levels for split in level.splits}
    assert {name: split.public_gold for name, split in splits.items()} == {
        "p2s test": False, "s2p trial": True, "s2p test": False,
    }  # fmt: skip
    assert gold_versions.find_gold(world.session, splits["p2s test"]) is not None
    assert world.session.query(TaskSetup).count() == 0
    assert ada.get(at).status_code == 404


def test_missing_steps_are_listed_before_anything_is_planned(world: World) -> None:
    ada, at = begin(world)
    page = ada.get(f"{at}check")
    assert "The task cannot be created yet." in words(page)
    for sentence, link in (
        ("Scale and metrics Enter the lowest and the highest value of the scale.", f"{at}scale"),
        ("Levels Add a level.", f"{at}levels/new"),
        ("Phases Add a phase.", f"{at}phases/new"),
    ):
        assert sentence in words(page)
        assert f'href="{link}"' in page.text
    response = ada.post(f"{at}create")
    assert response.headers["Location"] == f"{at}check"
    assert world.session.query(TaskSetup).count() == 1


def test_every_problem_of_the_data_links_to_its_step(world: World) -> None:
    ada, at = fill(world)
    upload(ada, f"{at}levels/p2s/", gold=b"x\n1\n2\n3\n")
    ada.post(f"{at}levels/new", {**LEVEL, "slug": "s2p", "title": "Sentence to phrase"})
    upload(ada, f"{at}levels/s2p/", items=ITEMS + b"only one\n")
    page = ada.get(f"{at}check")
    assert 'Paragraph to sentence, Test, gold: gold.tsv: Line 1 Gold value "x" is not a number' in words(page)
    assert "Sentence to phrase, Test, items: items.tsv: Line 5 1 column instead of 3" in words(page)
    assert f'href="{at}levels/p2s/"' in page.text
    assert f'href="{at}levels/s2p/"' in page.text
    assert "Create the task" not in page.text
    assert ada.post(f"{at}create").headers["Location"] == f"{at}check"
    assert find_task(world) is None


def test_phase_that_is_already_over_is_named_when_it_is_saved_and_checked(world: World) -> None:
    ada, at = fill(world)
    sentence = "Evaluation is already closed. Check its dates."
    assert sentence not in words(ada.get(f"{at}check"))
    ada.post(
        f"{at}phases/evaluation/edit", {**PHASE, "opens": "2020-01-01 00:00", "closes": "2020-02-01 00:00"}
    )
    assert sentence in words(ada.get(at))
    assert sentence in words(ada.get(f"{at}check"))


def test_phase_without_items_is_a_problem_of_the_phase(world: World) -> None:
    ada, at = fill(world)
    ada.post(f"{at}phases/new", {**PHASE, "slug": "practice", "title": "Practice", "split": "test"})
    ada.post(f"{at}levels/p2s/", {"test-remove": "y"})
    upload(ada, f"{at}levels/p2s/", "trial", items=ITEMS)
    page = ada.get(f"{at}check")
    assert "Practice uses the test items, but no level has any." in words(page)
    assert f'href="{at}phases/practice/edit"' in page.text


def test_short_name_of_an_existing_task_is_refused_and_the_setup_stays(world: World) -> None:
    ada, at = fill(world)
    ada.post(f"{at}texts", {"title": "Tides", "slug": "small"})
    assert ada.post(f"{at}create").headers["Location"] == f"{at}check"
    page = words(ada.get(f"{at}check"))
    assert page.count('There is already a task "small". Choose another short') == 2  # after the button too
    assert "Create the task" not in page
    assert world.session.query(TaskSetup).count() == 1


def test_setup_that_changed_since_it_was_planned_is_not_created(world: World) -> None:
    fill(world)
    setup = world.session.query(TaskSetup).one()
    content, setup_id = content_of(setup), setup.id
    with creation.planned(content, world.storage) as plan:
        with db.writing(world.session):
            service.change_task(world.session.get_one(TaskSetup, setup_id), {"licence": "none"}, DURING)
        with pytest.raises(Conflict, match="changed meanwhile"), db.writing(world.session):
            creation.create_task(
                world.session, world.storage, world.actor("ada"), setup_id, content, plan, DURING
            )
    assert find_task(world) is None


def test_person_who_may_no_longer_import_keeps_the_setup_but_cannot_create_the_task(world: World) -> None:
    world.give_role("dee", "organizer")
    dee, at = begin(world, "dee")
    world.end_role("dee")
    assert dee.get(at).status_code == 200
    assert dee.get(f"{at}bundle.zip").status_code == 200
    assert dee.post(f"{at}create").status_code == 403
