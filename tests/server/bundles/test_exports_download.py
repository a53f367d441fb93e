"""The organizer's download of a whole task."""

from io import BytesIO

import pytest

from server.audit.models import AuditEntry
from server.core.zips import unpacked
from tests.server.round_trip import packed
from tests.server.small_task import GOLD
from tests.server.visitors import words
from tests.server.world import World

pytestmark = pytest.mark.one_database

PATH = "/tasks/small/organize/export"


def exports_of(world: World) -> list[AuditEntry]:
    return world.session.query(AuditEntry).filter_by(action="task.export").all()


def test_the_zip_is_the_one_of_the_console_and_is_noted(world: World) -> None:
    world.upload(world.run(), "p2s")
    response = world.client("ada").post(PATH, {"people": "ids"})
    assert response.status_code == 200
    assert response.mimetype == "application/zip"
    assert response.headers["Content-Disposition"] == 'attachment; filename="small.zip"'
    assert response.headers["Cache-Control"] == "no-store"
    assert int(response.headers["Content-Length"]) == len(response.data)
    assert response.data == packed(world.site)
    with unpacked(BytesIO(response.data)) as folder:
        assert (folder / "gold" / "test" / "p2s.tsv").read_text(encoding="utf-8").split() == list(GOLD["p2s"])
    (entry,) = exports_of(world)
    assert (entry.actor, entry.details["people"]) == (world.actor("ada").label, "ids")
    assert len(entry.details["history"]) == 64


def test_names_are_in_it_if_they_are_asked_for(world: World) -> None:
    world.upload(world.run(), "p2s")
    data = world.client("ada").post(PATH, {"people": "names"}).data
    assert data == packed(world.site, people="names") != packed(world.site)


def test_a_form_that_asks_for_something_else_gets_nothing(world: World) -> None:
    ada = world.client("ada")
    assert ada.post(PATH, {"people": "addresses"}).headers["Location"] == "/tasks/small/organize/#bundle"
    assert "Choose how people appear in the bundle." in words(ada.get("/tasks/small/organize/"))
    assert exports_of(world) == []


@pytest.mark.parametrize(("person", "status"), [("bo", 403), ("dee", 404), (None, 302)])
def test_nobody_else_gets_it(world: World, person: str | None, status: int) -> None:
    assert world.client(person).post(PATH, {"people": "ids"}).status_code == status
    assert exports_of(world) == []


def test_it_is_no_link(world: World) -> None:
    assert world.client("ada").get(PATH).status_code == 405
    assert world.client("ada").open(PATH, method="POST", data={"people": "ids"}).status_code == 400
