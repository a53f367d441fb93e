"""The fixtures of the server's tests, each defined in the module of its subject."""

import os

import pytest

from server.bundles import upload_planning
from tests.server.answers import closed, released, withdrawn
from tests.server.commands import assay
from tests.server.databases import databases, postgresql, sqlite
from tests.server.mail_sink import mail_server, sink
from tests.server.sites import app, config, saved_sites, second_site, site_under_test
from tests.server.world import set_clock, world

__all__ = [
    "app",
    "assay",
    "closed",
    "config",
    "databases",
    "mail_server",
    "postgresql",
    "released",
    "saved_sites",
    "second_site",
    "set_clock",
    "sink",
    "site_under_test",
    "sqlite",
    "withdrawn",
    "world",
]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test on SQLite if it is of pages, API or commands, on both if it depends on the database.

    All others run on PostgreSQL, or on SQLite where there is no server.
    """
    if "databases" not in metafunc.fixturenames:
        return
    marks = (mark.name for mark in metafunc.definition.iter_markers())
    closest = next((name for name in marks if name in ("one_database", "both_databases")), None)
    if closest == "both_databases":
        kinds = ["sqlite", "postgresql"]
    elif closest == "one_database" or not os.environ.get("TEST_DATABASE_URL"):
        kinds = ["sqlite"]
    else:
        kinds = ["postgresql"]
    metafunc.parametrize("databases", kinds, indirect=True)


@pytest.fixture(autouse=True)
def bundles_are_read_once(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Uploaded bundles are first read in a process with limits, which takes longer than most tests.

    It reports nothing but that the limits were kept. A test that is marked with `reading_process` has it.
    """
    if request.node.get_closest_marker("reading_process") is None:
        monkeypatch.setattr(upload_planning, "COMMAND", ("true",))
