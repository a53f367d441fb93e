from datetime import timedelta

import pytest
from flask import Flask

from server.core import db
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


def test_empty_site_says_how_to_add_a_task(app: Flask) -> None:
    page = words(Visitor(app.test_client()).get("/"))
    assert "There are no tasks yet." in page
    assert "assay task import" in page
