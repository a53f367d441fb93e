"""Pages with lists ask the database no more often when the lists grow."""

import pytest

from server import db
from server.domain.actors import CONSOLE
from server.services import bundles, gold, releases, tasks
from tests.server.conftest import DURING, World, max_queries
from tests.server.small_task import TASK, variant, write_bundle

PAGES = [
    ("/", None, 3),
    ("/", "bo", 7),
    ("/tasks/small/", "bo", 14),
    ("/tasks/small/team/", "bo", 20),
    ("/tasks/small/organize/", "ada", 14),
    ("/tasks/small/organize/boards/evaluation", "ada", 12),
    ("/tasks/small/organize/boards/evaluation.json", "ada", 9),
    ("/tasks/small/boards/evaluation", None, 6),
    ("/tasks/small/boards/evaluation", "bo", 10),
]


def fill(world: World, first: int, last: int) -> None:
    """Teams, runs, files and withdrawals, a task more each; and runs of bo's own team."""
    with db.writing(world.session):
        world.phase().runs_per_team = 100
        world.phase().files_per_level = None
    for number in range(first, last):
        run = world.run(f"run {number}")
        for level in ("p2s", "s2p"):
            world.upload(run, level)
        world.withdraw(world.upload(run, "p2s", variant(number)))
        toml = TASK.replace('slug = "small"', f'slug = "small-{number}"')
        plan = bundles.plan_import(write_bundle(world.site.config.data_dir / f"bundle-{number}", toml))
        with db.writing(world.session):
            bundles.import_task(world.session, world.storage, CONSOLE, plan, [], DURING)
    with db.writing(world.session):
        releases.release_board(world.session, world.actor("ada"), world.phase(), DURING)


@pytest.mark.parametrize(("path", "person", "most"), PAGES, ids=str)
def test_a_page_asks_as_often_with_twelve_as_with_two(
    world: World, path: str, person: str | None, most: int
) -> None:
    visitor = world.client(person)
    fill(world, 0, 2)
    with max_queries(world, most) as few:
        assert visitor.get(path).status_code == 200
    fill(world, 2, 12)
    with max_queries(world, len(few)) as many:
        page = visitor.get(path)
    assert page.status_code == 200
    assert len(many) > 0


def test_a_gold_file_asks_as_often_with_twelve_submissions_as_with_two(world: World) -> None:
    def asked(first: int, last: int) -> int:
        for number in range(first, last):
            world.upload(world.run(f"run {number}"), "s2p")
        ada = world.actor("ada")
        world.session.expire_all()
        split = tasks.get_level_split(world.task, "s2p", "test")[1]
        with max_queries(world, 20) as queries:
            gold.prepare(world.session, world.storage, ada, split, b"0\n1\n2\n3\n", "gold.tsv", "mistyped")
        return len(queries)

    with db.writing(world.session):
        world.phase().runs_per_team = 100
        world.phase().files_per_level = None
    few = asked(0, 2)
    assert asked(2, 12) == few
