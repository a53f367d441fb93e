"""Declaring an organizer's own list of public items."""

import zipfile
from io import BytesIO

import pytest

from server.audit.models import AuditEntry
from server.core import db
from server.core.errors import Conflict, InvalidFile
from server.planning import public_items
from server.tasks.models import Split
from tests.server.visitors import words
from tests.server.world import DURING, World

PAGE = "/tasks/small/organize/phases/evaluation/public-items"
LIST = f"{PAGE}/list"


def declare(world: World, ids: str, level: str = "p2s") -> None:
    with db.writing(world.session):
        public_items.declare_listed_items(
            world.session, world.actor("ada"), world.phase(), level, ids, DURING
        )


def test_listed_ids_are_the_public_items_of_that_level_alone(world: World) -> None:
    declare(world, " News-4 \r\nNews-2\n\n")
    listed = world.client().get("/tasks/small/data/p2s.test.public.tsv")
    assert listed.text == "News-2\nNews-4\n"
    assert world.client().get("/tasks/small/data/s2p.test.public.tsv").status_code == 404
    (entry,) = world.session.query(AuditEntry).filter_by(action="items.declare_public")
    assert (entry.details["split"], entry.details["seed"]) == ("test", None)
    assert {level: count for level, (count, _hash) in entry.details["levels"].items()} == {"p2s": 2}


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ("News-1\nNews-9\n", "2: News-9 is not an item of this split"),
        ("News-1\nNews-2\nNews-1\n", "3: News-1 is already on line 1"),
        ("News-1\n", "names 1 of 4 items; both parts need at least two"),
        ("News-1\nNews-2\nNews-3\n", "names 3 of 4 items; both parts need at least two"),
    ],
)
def test_list_that_does_not_fit_is_rejected(world: World, ids: str, message: str) -> None:
    with pytest.raises(InvalidFile) as refused:
        declare(world, ids)
    assert message in refused.value.problems[0].said.replace('"', "")
    assert world.session.query(Split).filter(Split.n_public.is_not(None)).count() == 0


def test_list_cannot_change_after_the_first_submission(world: World) -> None:
    declare(world, "News-1\nNews-2\n")
    world.upload(world.run(), "s2p")
    with pytest.raises(Conflict, match="There are submissions on these items"):
        declare(world, "News-3\nNews-4\n")


@pytest.mark.one_database
def test_list_is_saved_on_the_page_and_its_problems_stand_at_the_field(world: World) -> None:
    ada = world.client("ada")
    assert "Choose the items yourself" in words(ada.get(PAGE))
    wrong = ada.post(LIST, {"list-level": "p2s", "list-ids": "News-1\nNews-9"})
    assert wrong.status_code == 422
    assert 'Line 2: "News-9" is not an item of this split; write one id per line.' in words(wrong)
    assert "News-1\nNews-9</textarea>" in wrong.text
    empty = ada.post(LIST, {"list-level": "p2s", "list-ids": " "})
    assert "Enter the ids of the public items, one per line." in words(empty)
    assert ada.post(LIST, {"list-level": "nowhere", "list-ids": "News-1"}).status_code == 422
    done = ada.post(LIST, {"list-level": "p2s", "list-ids": "News-1\r\nNews-2"})
    assert done.headers["Location"] == PAGE
    assert "2 public items (4 test items)" in words(ada.get(PAGE))


@pytest.mark.one_database
def test_bundle_has_the_listed_items_and_the_rules_for_teams(world: World) -> None:
    ada = world.client("ada")
    ada.post(LIST, {"list-level": "p2s", "list-ids": "News-1\nNews-2"})
    ada.post("/tasks/small/organize/teams", {"size": "6", "registration": "approved"})
    sent = ada.post("/tasks/small/organize/export", {"people": "ids"}).data
    with zipfile.ZipFile(BytesIO(sent)) as bundle:
        files = {name.partition("/")[2]: bundle.read(name).decode() for name in bundle.namelist()}
    assert 'size = 6\nregistration = "approved"' in files["task.toml"]
    (name,) = [name for name in files if "public" in name]
    assert files[name] == "News-1\nNews-2\n"
    assert f'public_items = "{name}"' in files["task.toml"]
