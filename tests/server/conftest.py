"""Fixtures: databases, a mail server, sites, and the small task on one of them."""

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from flask import Flask
from sqlalchemy import make_url

from server import clock
from server.cli.__main__ import main as assay_command
from server.config import Config
from server.services import keys
from server.site import Site
from server.views.context import site_of
from tests.server.answers import LAST_OF_ACCOUNTS, OF_TASKS, Told, played, tell
from tests.server.databases import Databases, PostgresqlServer, SqliteFiles
from tests.server.mail_sink import Sink
from tests.server.route_cases import CLOSED, RELEASED, WITHDRAWN, Case
from tests.server.route_table import CASES
from tests.server.sites import Assay, host_once, open_app, site_config
from tests.server.world import DURING, World


@pytest.fixture(scope="session")
def sqlite(tmp_path_factory: pytest.TempPathFactory) -> Databases:
    return SqliteFiles(tmp_path_factory.mktemp("sqlite"))


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Databases]:
    address = os.environ.get("TEST_DATABASE_URL")
    if not address:
        pytest.skip("missed: the site on PostgreSQL; run `make test`, or give TEST_DATABASE_URL")
    server = PostgresqlServer(make_url(address), f"assay_test_{os.getpid()}")
    yield server
    server.close()


@pytest.fixture(params=["sqlite", "postgresql"])
def databases(request: pytest.FixtureRequest) -> Iterator[Databases]:
    """Empty databases of one kind; a test that asks for one, or for a site, runs on each kind."""
    made: Databases = request.getfixturevalue(request.param)
    yield made
    made.drop_all()


@pytest.fixture(scope="session")
def mail_server() -> Iterator[Sink]:
    sink = Sink()
    sink.controller.start()
    yield sink
    sink.controller.stop()


@pytest.fixture
def sink(mail_server: Sink) -> Sink:
    """The mails of this test."""
    mail_server.mails.clear()
    mail_server.refused.clear()
    return mail_server


@pytest.fixture
def config(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    databases: Databases,
    kept_sites: dict[Databases, Config],
    sink: Sink,
) -> Config:
    """The settings of a site: of the small task's, where the test has a world, and else of an empty one."""
    config = site_config(
        tmp_path / "data", databases, mail_url=sink.url, database="world" not in request.fixturenames
    )
    if "world" not in request.fixturenames:
        return config
    if databases not in kept_sites:
        kept_sites[databases] = host_once(tmp_path / "hosted", databases)
    shutil.copytree(kept_sites[databases].data_dir, config.data_dir, dirs_exist_ok=True)
    return replace(config, database_url=databases.copy(kept_sites[databases].database_url))


@pytest.fixture(scope="session")
def kept_sites() -> dict[Databases, Config]:
    """The sites of the small task that were made, one for each kind of database, for the tests' copies."""
    return {}


@pytest.fixture
def second_config(tmp_path: Path, databases: Databases, request: pytest.FixtureRequest) -> Iterator[Config]:
    """Another site, which knows nothing of the first: on the other kind of database, where there are both."""
    other = "postgresql" if request.node.callspec.params["databases"] == "sqlite" else "sqlite"
    there = other == "sqlite" or bool(os.environ.get("TEST_DATABASE_URL"))
    made: Databases = request.getfixturevalue(other) if there else databases
    yield site_config(tmp_path / "second", made)
    made.drop_all()


@pytest.fixture
def app(config: Config) -> Iterator[Flask]:
    app = open_app(config)
    yield app
    site_of(app).session.remove()
    site_of(app).engine.dispose()


@pytest.fixture
def second_site(second_config: Config) -> Iterator[Site]:
    """The empty site that a task is brought to."""
    app = open_app(second_config)
    with app.app_context():
        yield site_of(app)
    site_of(app).session.remove()
    site_of(app).engine.dispose()


@pytest.fixture
def set_clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[datetime], None]:
    """Sets the server's time."""

    def set_to(at: datetime) -> None:
        monkeypatch.setattr(clock, "now", lambda: at)

    set_to(DURING)
    return set_to


@pytest.fixture
def world(app: Flask, set_clock: Callable[[datetime], None]) -> Iterator[World]:
    """The small task, hosted, during its evaluation."""
    with app.app_context():
        yield World(app, set_clock)


@pytest.fixture(scope="session")
def closed(sqlite: Databases, tmp_path_factory: pytest.TempPathFactory) -> Told:
    """What each role gets of the small task before its board is released, for the tests of one group."""
    return told_of(CLOSED, sqlite, tmp_path_factory.mktemp("closed"), LAST_OF_ACCOUNTS)


@pytest.fixture(scope="session")
def released(sqlite: Databases, tmp_path_factory: pytest.TempPathFactory) -> Told:
    """The same once it is released."""
    return told_of(RELEASED, sqlite, tmp_path_factory.mktemp("released"), CASES)


@pytest.fixture(scope="session")
def withdrawn(sqlite: Databases, tmp_path_factory: pytest.TempPathFactory) -> Told:
    """The same once that release was taken back."""
    return told_of(WITHDRAWN, sqlite, tmp_path_factory.mktemp("withdrawn"), OF_TASKS)


def told_of(state: str, databases: Databases, folder: Path, cases: tuple[Case, ...]) -> Told:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keys, "draw_key", lambda: bytes(32))  # as the sites have that are compared with it

        def set_to(at: datetime) -> None:
            patch.setattr(clock, "now", lambda: at)

        with played(databases, set_to, folder / "data", state) as world:
            return tell(world, cases)


@pytest.fixture
def assay(config: Config, monkeypatch: pytest.MonkeyPatch) -> Iterator[Assay]:
    """The command, on a site of its own whose database is migrated and empty."""
    for name in [name for name in os.environ if name.startswith("ASSAY_") or name == "DATABASE_URL"]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("ASSAY_SECRET_KEY", config.secret_key)
    monkeypatch.setenv("ASSAY_DATA_DIR", str(config.data_dir))
    monkeypatch.setenv("ASSAY_DATABASE_URL", config.database_url)
    monkeypatch.setenv("ASSAY_TESTING", "true")

    def run(*arguments: object, **options: Any) -> Result:
        return CliRunner().invoke(assay_command, [str(argument) for argument in arguments], **options)

    before = os.umask(0o077)  # as `assay` has it as a process
    yield run
    os.umask(before)
