"""The page of one's own run: item by item where its gold is public, and nothing of hidden gold."""

from datetime import timedelta

import pytest

from server.access import terms
from server.core import db
from server.runs import history as run_history
from tests.server.small_task import GOLD, GOOD, variant
from tests.server.visitors import words
from tests.server.world import DURING, World

pytestmark = pytest.mark.one_database


def test_run_page_compares_with_gold_only_if_the_gold_is_public(world: World) -> None:
    practice, run = world.run("one", "practice"), world.run()
    for one in (practice, run):
        world.upload(one, "p2s")
    paths = [f"/tasks/small/runs/{one.id}/" for one in (practice, run)]
    bo = world.client("bo")
    shown = bo.get(paths[0])
    assert "<tr><th>Trial-2<td>2<td>1\n" in shown.text, "5,000 of these rows are a short page"
    page = words(shown)
    assert "The gold standard of these items is public" in page
    assert "Gold 2, score 1 Trial-2, residual +0.769" in page
    hidden = bo.get(paths[1])
    assert "Items farthest from the line" not in hidden.text
    assert GOLD["p2s"][1] not in hidden.text
    assert "The gold standard of these items is not public." in words(hidden)
    with_gold, without = (
        [line.split("\t") for line in bo.get(f"{path}items/p2s.tsv").text.splitlines()] for path in paths
    )
    assert with_gold[0] == ["id", "genre", "left", "right", "score", "gold", "residual"]
    assert [with_gold[2][0], *with_gold[2][4:6], with_gold[2][6][:5]] == ["Trial-2", "1.0", "2.0", "0.769"]
    assert without[0] == ["id", "genre", "left", "right", "score"]
    assert [line[4] for line in without[1:]] == [str(float(score)) for score in GOOD.split()]
    assert bo.get("/tasks/small/team/").text.count(f'href="{paths[1]}#items"') == 1
    assert "You can see the gold standard because of your role; the team cannot." in words(
        world.client("ada").get(paths[1])
    )
    with db.writing(world.session):
        terms.put_terms(world.session, world.actor("ada"), world.task, "Do not share it.\n", DURING)
    assert "Items farthest from the line" not in bo.get(paths[0]).text
    assert bo.get(f"{paths[0]}items/p2s.tsv").status_code == 404


def test_replaced_files_are_paginated_on_the_run_page(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    run_id, bo = world.run().id, world.client("bo")
    for number, data in enumerate((variant(0), variant(1), b"x\n")):
        world.set_clock(DURING + timedelta(minutes=number))
        bo.upload(f"/tasks/small/runs/{run_id}/p2s/upload", data, f"{number}.tsv")
    own = words(bo.get("/tasks/small/team/"))
    assert "2 submissions, 1 rejected upload" in own
    assert "1.tsv" in own
    assert "0.tsv" not in own
    monkeypatch.setattr(run_history, "PER_PAGE", 2)
    pages = [words(bo.get(f"/tasks/small/runs/{run_id}/?page={number}")) for number in (1, 2, 3)]
    assert [("0.tsv" in page, "1.tsv" in page, "2.tsv" in page) for page in pages] == [
        (False, True, True),
        (True, False, False),
        (False, False, False),
    ]
    assert "Page 2 of 2" in pages[1]
    assert "There is no such page." in pages[2]
