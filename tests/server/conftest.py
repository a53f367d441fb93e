"""The fixtures of the server's tests, each defined in the module of its subject."""

import pytest

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
    """Run a test on each kind of database; those of pages, API and commands on one, unless they name both."""
    definition = metafunc.definition
    named = any(mark.args[0] == "databases" for mark in definition.iter_markers("parametrize"))
    if "databases" in metafunc.fixturenames and not named:
        one = definition.get_closest_marker("one_database") is not None
        metafunc.parametrize("databases", ["sqlite"] if one else ["sqlite", "postgresql"], indirect=True)
