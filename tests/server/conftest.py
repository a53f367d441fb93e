"""The fixtures of the server's tests, each defined in the module of its subject."""

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
