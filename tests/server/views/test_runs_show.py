"""The page of one's own run: item by item where its gold is public, and nothing of hidden gold."""

from server import db
from server.services import terms
from tests.server.small_task import GOLD
from tests.server.visitors import words
from tests.server.world import DURING, World, see_once


def test_a_practice_run_is_held_against_its_public_gold_and_no_other_run_is(world: World) -> None:
    see_once(world)
    practice, run = world.run("one", "practice"), world.run()
    for one in (practice, run):
        world.upload(one, "p2s")
    paths = [f"/tasks/small/runs/{one.id}/" for one in (practice, run)]
    bo = world.client("bo")
    page = words(bo.get(paths[0]))
    assert "The gold of these items is public" in page
    assert "Gold 2, score 1 Trial-2, residual +0.769" in page
    hidden = bo.get(paths[1])
    assert "The worst pairs" not in hidden.text
    assert GOLD["p2s"][1] not in hidden.text
    assert "You see the gold by your role" in words(world.client("ada").get(paths[1]))
    with db.writing(world.session):
        terms.put_terms(world.session, world.actor("ada"), world.task, "Do not share it.\n", DURING)
    assert "The worst pairs" not in bo.get(paths[0]).text
