from datetime import timedelta

import pytest
from flask import Flask

from server.core import db
from tests.server.commands import Assay
from tests.server.small_task import PASSWORD
from tests.server.visitors import Visitor, words
from tests.server.world import AFTER, CLOSES, LATE, OPENS, World

pytestmark = pytest.mark.one_database


def test_home_page_lists_tasks_with_levels_and_dates(world: World) -> None:
    page = words(world.client().get("/"))
    assert "A small task" in page
    assert "Paragraph to sentence · Sentence to phrase" in page
    assert "Open now A small task" in page
    assert (
        "Evaluation is open and closes in 5 days: 15 Mar 2026, 12:00 UTC (00:00 AoE). Practice is open."
        in page
    )
    assert "Your team" not in page
    assert "Your team birch" in words(world.client("bo").get("/"))
    assert "Organize: A small task" in words(world.client("ada").get("/"))


def test_tasks_are_grouped_by_current_state(world: World) -> None:
    with db.writing(world.session):
        world.phase("practice").opens, world.phase("practice").closes = OPENS, CLOSES
    for at, group, line in (
        (OPENS - timedelta(days=2), "Upcoming", "Practice opens in 2 days: 1 Mar 2026, 00:00 UTC"),
        (
            LATE,
            "Open now",
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
    assert "There are no tasks yet. New task" in pages["ada"]
    assert "There are no tasks yet. Only site administrators and people" in pages["bo"]
    assert "There are no tasks yet. Sign in to create one." in pages[None]
