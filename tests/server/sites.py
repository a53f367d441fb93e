"""Sites to test: each test process makes a few, and restores what a test changed before the next one."""

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from flask import Flask
from jinja2 import FileSystemBytecodeCache

from server.app import create_app
from server.core import clock, file_permissions, i18n
from server.core.config import Config
from server.core.site_resources import Site
from server.web.context import site_of
from server.web.rest.openapi import openapi_spec
from tests.server.databases import Databases, SavedDatabase
from tests.server.mail_sink import Sink
from tests.server.small_task import write_bundle
from tests.server.world import DURING, World, host_small_task

COMPILED = FileSystemBytecodeCache()
"""The templates that one of the test processes has compiled, which each of its apps would compile again."""


def make_app(config: Config) -> Flask:
    """The app of a site, as `create_app` makes it."""
    app = create_app(config)
    app.jinja_env.bytecode_cache = COMPILED
    return app


def site_config(folder: Path, database_url: str, *, mail_url: str = "log:") -> Config:
    """The settings of a new site in a new folder."""
    folder.mkdir(mode=0o700)
    return Config(
        secret_key="t" * 32,
        data_dir=folder,
        database_url=database_url,
        site_url="https://assay.test",
        mail_url=mail_url,
        mail_from="assay@assay.test",
        secure_cookies=False,
        testing=True,
    )


def disconnect(app: Flask) -> None:
    """Close the connections of an app to its database."""
    site_of(app).session.remove()
    site_of(app).engine.dispose()


def host_task_in(app: Flask, folder: Path) -> None:
    """Fill an empty site with the small task and its cast."""
    with pytest.MonkeyPatch.context() as patch, app.app_context():
        patch.setattr(clock, "now", lambda: DURING)
        host_small_task(World(app, lambda _: None), write_bundle(folder))
    disconnect(app)


@dataclass
class SiteUnderTest:
    """A site and its app."""

    config: Config
    app: Flask


class SavedSite(SiteUnderTest):
    """A site that many tests use one after another, because making an app takes longer than most tests.

    A test may change its rows, its files, and what the app keeps in `config` and `extensions`.
    """

    def __init__(self, folder: Path, database: SavedDatabase, mail_url: str, *, with_task: bool) -> None:
        self.config = site_config(folder / "data", database.url, mail_url=mail_url)
        self.app = make_app(self.config)
        with self.app.app_context():
            openapi_spec()  # is made at the first request to the API, and takes longer than most tests
        if with_task:
            host_task_in(self.app, folder / "bundle")
        file_permissions.restrict_data(self.config)  # as every start of a site does
        self.database = database
        self.database.save()
        self.files = shutil.copytree(self.config.data_dir, folder / "files")
        self.app_config, self.extensions = dict(self.app.config), dict(self.app.extensions)

    def restore(self) -> None:
        """Have everything as it was when the site was made.

        Connections to PostgreSQL stay, as a new one knows none of the tables yet; an SQLite file is replaced.
        """
        i18n.set_language(self.config.language)
        site_of(self.app).session.remove()
        if self.database.url.startswith("sqlite"):
            disconnect(self.app)
        self.database.restore()
        shutil.rmtree(self.config.data_dir)
        shutil.copytree(self.files, self.config.data_dir)
        self.app.config.clear()
        self.app.config.update(self.app_config)
        self.app.extensions.clear()
        self.app.extensions.update(self.extensions)


class SavedSites:
    """The saved sites of a test process, each made when a test first needs it."""

    def __init__(self, folder: Path, mail_url: str) -> None:
        self.folder = folder
        self.mail_url = mail_url
        self.sites: dict[tuple[Databases, str], SavedSite] = {}
        self.count = 0

    def lend(self, databases: Databases, name: str, *, with_task: bool) -> Iterator[SavedSite]:
        """The site of this name on these databases, restored afterwards."""
        if (databases, name) not in self.sites:
            self.count += 1
            folder = self.folder / str(self.count)
            folder.mkdir()
            self.sites[databases, name] = SavedSite(
                folder, databases.saved(), self.mail_url, with_task=with_task
            )
        site = self.sites.pop((databases, name))  # one that cannot be restored is not used again
        yield site
        site.restore()
        self.sites[databases, name] = site


@pytest.fixture(scope="session")
def saved_sites(tmp_path_factory: pytest.TempPathFactory, mail_server: Sink) -> Iterator[SavedSites]:
    saved = SavedSites(tmp_path_factory.mktemp("sites"), mail_server.url)
    yield saved
    for site in saved.sites.values():
        disconnect(site.app)


@pytest.fixture
def site_under_test(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    databases: Databases,
    saved_sites: SavedSites,
    sink: Sink,
) -> Iterator[SiteUnderTest]:
    """A site with the small task where the test has a world, and else an empty one.

    A test that is marked with `own_site` gets one that is made for it alone.
    """
    with_task = "world" in request.fixturenames
    if request.node.get_closest_marker("own_site") is not None:
        config = site_config(tmp_path / "data", databases.migrated(), mail_url=sink.url)
        app = make_app(config)
        if with_task:
            host_task_in(app, tmp_path / "hosted")
        yield SiteUnderTest(config, app)
        disconnect(app)
    else:
        yield from saved_sites.lend(databases, "task" if with_task else "empty", with_task=with_task)


@pytest.fixture
def config(site_under_test: SiteUnderTest) -> Config:
    """The settings of the test's site."""
    return site_under_test.config


@pytest.fixture
def app(site_under_test: SiteUnderTest) -> Flask:
    """The app of the test's site."""
    return site_under_test.app


@pytest.fixture
def second_site(
    request: pytest.FixtureRequest, databases: Databases, saved_sites: SavedSites
) -> Iterator[Site]:
    """An empty site into which a task is imported: on the other kind of database, where there are both."""
    other = "postgresql" if request.node.callspec.params["databases"] == "sqlite" else "sqlite"
    if other == "sqlite" or os.environ.get("TEST_DATABASE_URL"):
        databases = request.getfixturevalue(other)
    for site in saved_sites.lend(databases, "second", with_task=False):
        with site.app.app_context():
            yield site_of(site.app)
