"""Static files have an address that changes with their content, and are cached by it."""

import pytest

from server.web.static_files import IMMUTABLE
from tests.server.world import World

pytestmark = pytest.mark.one_database


def test_asset_named_by_content_hash_is_cached_forever(world: World) -> None:
    page = world.client().get("/")
    address = next(part for part in page.text.split('"') if part.startswith("/static/assay.css?v="))
    found = world.client().get(address)
    assert found.headers["Cache-Control"] == IMMUTABLE
    again = world.client().get(address, headers={"If-None-Match": found.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")


def test_asset_under_an_older_name_is_revalidated(world: World) -> None:
    found = world.client().get("/static/assay.css?v=0123456789")
    assert (found.status_code, found.headers["Cache-Control"]) == (200, "public, max-age=3600")
    assert world.client().get("/static/nothing.css").status_code == 404


def test_imported_javascript_module_is_revalidated_before_each_use(world: World) -> None:
    found = world.client().get("/static/sending.js")
    assert (found.status_code, found.headers["Cache-Control"]) == (200, "public, no-cache")
    again = world.client().get("/static/sending.js", headers={"If-None-Match": found.headers["ETag"]})
    assert again.status_code == 304
