from datetime import timedelta

import pytest
from flask import Flask

from server.core import db
from server.pages.tasks import tasks
from server.teams.models import Team
from tests.server.commands import Assay
from tests.server.pages.questions.test_questions import ask
from tests.server.small_task import PASSWORD
from tests.server.visitors import Visitor, words
from tests.server.world import AFTER, CLOSES, DURING, LATE, OPENS, World

pytestmark = pytest.mark.one_database


def test_home_page_lists_tasks_with_levels_and_dates(world: World) -> None:
    page = words(world.client().get("/"))
    assert "A small task" in page
    assert "Paragraph to sentence · Sentence to phrase" in page
    assert "In progress A small task" in page
    assert (
        "Evaluation is open and closes in 5 days: 15 Mar 2026, 12:00 UTC (00:00 AoE). Practice is open."
        in page
    )
    assert "1 published task 1 team 0 released systems" in page
    assert "Your team" not in page
    assert "Your team birch" in words(world.client("bo").get("/"))
    assert "Organize: A small task" in words(world.client("ada").get("/"))


def test_own_tasks_come_first_with_what_is_missing_and_until_when(world: World) -> None:
    world.upload(world.run(), "p2s")
    page = words(world.client("bo").get("/"))
    assert "My tasks A small task" in page
    assert "Evaluation: no submission yet for Sentence to phrase. It closes in 5 days." in page
    assert "In progress" not in page
    ada = words(world.client("ada").get("/"))
    assert "waiting for approval" not in ada
    assert "no submission yet" not in ada
    ask(world)
    world.found_team("dee", "alder")
    with db.writing(world.session):
        world.session.query(Team).filter_by(name="alder").one().state = "waiting"
    ada = words(world.client("ada").get("/"))
    assert "1 team is waiting for approval 1 question waits for an answer" in ada
    assert "waiting for approval" not in words(world.client("bo").get("/"))


def test_home_page_pictures_the_released_leaderboard_and_nothing_that_is_not_released(world: World) -> None:
    world.upload(world.run(), "p2s")
    assert "birch" not in world.client().get("/").text
    world.release(DURING)
    world.infer()
    page = world.client().get("/")
    assert "Evaluation leaderboard: A small task 1 birch one" in words(page)
    assert "1 released system" in words(page)
    assert 'class="i"/><rect' in page.text
    world.withdraw_release(at=DURING)
    assert "birch" not in world.client().get("/").text


def test_tasks_are_searched_by_words_and_filtered_by_state(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert 'role="search"' not in world.client().get("/").text
    monkeypatch.setattr(tasks, "SEARCH_FROM", 1)
    assert 'role="search"' in world.client().get("/").text
    for query, found in (
        ("q=phrase+SMALL", True),
        ("q=large", False),
        ("state=open", True),
        ("state=over", False),
    ):
        page = words(world.client().get(f"/?{query}"))
        assert ("A small task" in page, "No task matches." in page) == (found, not found), query


def test_draft_is_not_said_to_be_open(world: World) -> None:
    with db.writing(world.session):
        world.task.state = "draft"
    ada = world.client("ada")
    for path in ("/", "/tasks/small/"):
        page = words(ada.get(path))
        assert "Evaluation opens when the task is published." in page
        assert "is open" not in page


def test_link_previews_say_what_a_task_is_and_nothing_of_a_draft(world: World) -> None:
    described = '<meta property="og:description" content="How similar are two texts?">'
    assert described in world.client().get("/tasks/small/boards/evaluation").text
    with db.writing(world.session):
        world.task.state = "draft"
    for path in ("/tasks/small/", "/"):
        assert "How similar are two texts?" not in world.client().get(path).text


def test_crawlers_are_kept_from_personal_links(app: Flask) -> None:
    assert "Disallow: /a/" in app.test_client().get("/robots.txt").text


def test_tasks_are_grouped_by_current_state(world: World) -> None:
    with db.writing(world.session):
        world.phase("practice").opens, world.phase("practice").closes = OPENS, CLOSES
    for at, group, line in (
        (OPENS - timedelta(days=2), "Upcoming", "Practice opens in 2 days: 1 Mar 2026, 00:00 UTC"),
        (
            LATE,
            "In progress",
            "Evaluation is closed. Late submissions are accepted; the grace period ends in 2 days",
        ),
        (AFTER, "Finished", "closed on 15 Mar 2026, 12:00 UTC"),
    ):
        world.set_clock(at)
        page = words(world.client().get("/"))
        assert f"{group} A small task" in page, at
        assert line in page, at


def test_empty_site_leads_its_administrator_to_a_new_task_and_tells_others_whom_to_ask(
    app: Flask, assay: Assay
) -> None:
    for name, *rest in (("ada", "--admin"), ("bo",)):
        email = f"{name}@example.org"
        assert assay("user", "add", email, "--name", name, *rest, "--password", PASSWORD).exit_code == 0
    pages = {}
    for name in ("ada", "bo", None):
        visitor = Visitor(app.test_client())
        if name:
            visitor.post("/sign-in", {"email": f"{name}@example.org", "password": PASSWORD})
        pages[name] = words(visitor.get("/"))
        if name == "bo":
            assert "Ask a site administrator, or the operator" in words(visitor.get("/new-task"))
    assert "Host a task Take part Import a task There are no tasks yet." in pages["ada"]
    for name in ("bo", None):
        assert "Host a task Take part Only site administrators and people who already" in pages[name]
    assert "If you can, sign in. There are no tasks yet." in pages[None]
