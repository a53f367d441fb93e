from flask import Flask

from tests.server.conftest import AFTER, OPENS, Visitor, World, words


def test_lists_tasks_with_their_levels_and_dates(world: World) -> None:
    page = words(world.client().get("/"))
    assert "A small task" in page
    assert "Paragraph to sentence · Sentence to phrase" in page
    assert "Evaluation open closes in 5 days: 15 Mar 2026, 12:00 UTC" in page
    assert "Practice open" in page


def test_dates_go_by_the_servers_clock(world: World) -> None:
    world.set_clock(AFTER)
    assert "Evaluation closed closed 15 Mar 2026, 12:00 UTC" in words(world.client().get("/"))
    world.set_clock(OPENS.replace(year=2025))
    assert "Evaluation not yet open opens in 365 days: 1 Mar 2026, 00:00 UTC" in words(
        world.client().get("/")
    )


def test_an_empty_site_says_what_brings_a_task(app: Flask) -> None:
    page = words(Visitor(app.test_client()).get("/"))
    assert "There is no task yet." in page
    assert "assay task import" in page
