"""A page that anybody gets is kept for a second, and never longer than it is true."""

import threading
from datetime import timedelta

import pytest
from flask.signals import template_rendered
from jinja2 import Template

from server import db
from server.services import extensions
from tests.server.world import AFTER, CLOSES, LATE, OPENS, World, max_queries

BOARD = "/tasks/small/boards/evaluation"


def see_alone(world: World) -> None:
    """Skip where other tests write to the same server: PostgreSQL's snapshot is of all its databases."""
    if world.site.engine.dialect.name != "sqlite":
        pytest.skip("seen on SQLite; what other tests commit ends what is kept on PostgreSQL")


GZIP = {"Accept-Encoding": "gzip"}


def test_a_board_is_made_once_a_second(world: World) -> None:
    see_alone(world)
    world.upload(world.run(), "p2s")
    world.release()
    for headers in ({}, GZIP):
        first = world.client().get(BOARD, headers=headers)
        with max_queries(world, 0):
            again = world.client().get(BOARD, headers=headers)
        assert (again.data, again.headers.to_wsgi_list()) == (first.data, first.headers.to_wsgi_list())
    world.set_clock(AFTER + timedelta(seconds=1))
    assert world.client().get(BOARD, headers=GZIP).data != first.data, "the page tells the server's clock"


def test_what_was_written_is_on_the_page_at_once(world: World) -> None:
    assert "The board is closed" in world.client().get(BOARD).text
    world.upload(world.run(), "p2s")
    world.release()
    assert "birch" in world.client().get(BOARD).text
    world.withdraw_release("two labels were swapped")
    page = world.client().get(BOARD).text
    assert "two labels were swapped" in page
    assert "birch" not in page


def test_a_page_of_one_reader_is_neither_kept_nor_replaced(world: World) -> None:
    world.upload(world.run(), "p2s")
    world.release()
    assert "(your team)" in world.client("bo").get(BOARD).text
    for _ in range(2):
        assert "(your team)" not in world.client().get(BOARD).text
        assert "(your team)" in world.client("bo").get(BOARD).text
    assert world.client().get(f"{BOARD}?q=nobody").data != world.client().get(BOARD).data
    assert world.client().open(BOARD, method="HEAD").data == b""


def test_many_who_ask_at_once_have_a_page_made_once(world: World) -> None:
    see_alone(world)
    world.upload(world.run(), "p2s")
    world.release()
    made, pages = [], []
    gate = threading.Barrier(8)

    def ask() -> None:
        gate.wait()
        pages.append(world.app.test_client().get(BOARD).data)

    def note(_app: object, template: object, **_others: object) -> None:
        made.append(template)

    with template_rendered.connected_to(note, world.app):
        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
    assert (len(made), len(pages), len(set(pages))) == (1, 8, 1)


def test_the_database_says_whether_anything_was_committed(world: World) -> None:
    changes = db.Changes(world.site.engine)
    before = changes.version()
    world.client("bo").get("/tasks/small/")
    world.session.rollback()
    signed_in = changes.version()
    assert before != signed_in, "signing in is written"
    stays = False
    for _ in range(50):  # a server of other tests as well: PostgreSQL counts what they commit
        signed_in = changes.version()
        world.client().get("/tasks/small/")
        stays = stays or changes.version() == signed_in
    assert stays
    with db.writing(world.session):
        world.task.title = "Another"
        world.session.flush()
        assert changes.version() is not None
    assert changes.version() != signed_in
    world.site.engine.dispose()
    assert changes.version() != signed_in, "another connection tells nothing of before"


def column(world: World, person: str) -> str:
    """The main column of the task's page, as somebody gets it."""
    return world.client(person).get("/tasks/small/").text.partition('<div class="main-column">')[2]


def test_what_all_teams_read_of_a_task_is_made_once_a_second(world: World) -> None:
    see_alone(world)
    world.found_team("dee", "elm")
    people = [world.client(person) for person in ("bo", "dee")]
    made: list[str | None] = []

    def note(_app: object, template: Template, **_others: object) -> None:
        made.append(template.name)

    with template_rendered.connected_to(note, world.app):
        pages = [person.get("/tasks/small/").text for person in people]
    assert made == ["tasks/_column.html", "tasks/show.html", "tasks/show.html"]
    assert ["You are in elm" in page for page in pages] == [False, True]
    assert len({page.partition('<div class="main-column">')[2] for page in pages}) == 1
    with max_queries(world, 5) as asked:
        people[0].get("/tasks/small/")
    assert not [one for one in asked if " level" in one], "the column has the levels, and it is kept"


def test_what_was_written_is_in_a_kept_part_at_once(world: World) -> None:
    assert "Another" not in column(world, "bo")
    with db.writing(world.session):
        world.task.description = "Another text."
    assert "Another text." in column(world, "bo")


def test_a_part_tells_each_reader_their_own_times(world: World) -> None:
    world.found_team("dee", "elm")
    everybodys = column(world, "dee")
    with db.writing(world.session):
        extensions.extend(
            world.session,
            world.actor("ada"),
            world.phase(),
            world.team,
            CLOSES + timedelta(days=2),
            "down",
            LATE,
        )
    assert "Extended for your team" in column(world, "bo")
    assert column(world, "dee") == everybodys
    with db.writing(world.session):
        world.user("dee").time_zone = "Asia/Tokyo"
    assert "JST" in column(world, "dee")
    assert "JST" not in column(world, "cy")


def test_whoever_sees_more_of_a_task_leaves_nothing_of_it_to_others(world: World) -> None:
    early = OPENS - timedelta(days=1)
    world.set_clock(early)
    hidden = "/tasks/small/data/p2s.test.items.tsv"
    assert hidden in column(world, "ada")
    assert hidden not in column(world, "bo")
    assert hidden in column(world, "ada")
