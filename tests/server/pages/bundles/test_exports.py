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


def test_downloaded_zip_equals_console_export_and_is_audited(world: World) -> None:
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


def test_downloaded_export_contains_names_only_on_request(world: World) -> None:
    world.upload(world.run(), "p2s")
    data = world.client("ada").post(PATH, {"people": "names"}).data
    assert data == packed(world.site, people="names") != packed(world.site)


def test_export_form_with_unknown_choice_is_rejected(world: World) -> None:
    ada = world.client("ada")
    assert ada.post(PATH, {"people": "addresses"}).headers["Location"] == "/tasks/small/organize/#bundle"
    assert "Choose how people appear in the bundle." in words(ada.get("/tasks/small/organize/"))
    assert exports_of(world) == []


@pytest.mark.parametrize(("person", "status"), [("bo", 403), ("dee", 404), (None, 302)])
def test_only_organizers_can_download_an_export(world: World, person: str | None, status: int) -> None:
    assert world.client(person).post(PATH, {"people": "ids"}).status_code == status
    assert exports_of(world) == []


def test_export_cannot_be_downloaded_by_get_or_without_csrf_token(world: World) -> None:
    assert world.client("ada").get(PATH).status_code == 405
    assert world.client("ada").open(PATH, method="POST", data={"people": "ids"}).status_code == 400
