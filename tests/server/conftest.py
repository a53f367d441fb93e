"""A site with a small task, its cast (ada organizes, bo and cy are a team, dee is a stranger), a clock."""

import html
import os
import re
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from contextvars import Context
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any, ClassVar

import pytest
from click.testing import CliRunner, Result
from flask import Flask
from flask.testing import FlaskClient
from jinja2.bccache import Bucket, BytecodeCache
from sqlalchemy import Dialect, Engine, event, make_url
from sqlalchemy.orm import Session
from sqlalchemy.util import LRUCache
from werkzeug.routing import Rule
from werkzeug.test import TestResponse

from server import clock, db
from server.accounts import create_account
from server.app import create_app
from server.cli.__main__ import main as assay_command
from server.config import Config
from server.domain.actors import CONSOLE, Actor
from server.domain.roles import RoleName
from server.models import GoldVersion, Job, Phase, Release, Run, Submission, Task, Team, User
from server.services import (
    access,
    bundles,
    gold,
    gold_publishing,
    gold_scoring,
    inferences,
    invitations,
    jobs,
    release_making,
    releases,
    role_invitations,
    roles,
    runs,
    submissions,
    tasks,
    teams,
    withdrawals,
)
from server.site import Site
from server.storage import Storage
from server.views.context import site_of
from server.worker import HANDLERS, Handler, tick, work_off
from tests.server.databases import Databases, PostgresqlServer, SqliteFiles
from tests.server.mail_sink import Sink
from tests.server.small_task import GOOD, PASSWORD, write_bundle

OPENS = datetime(2026, 3, 1, tzinfo=UTC)
CLOSES = datetime(2026, 3, 15, 12, tzinfo=UTC)
DURING = datetime(2026, 3, 10, 12, tzinfo=UTC)
LATE = CLOSES + timedelta(hours=1)
AFTER = CLOSES + timedelta(hours=100)
"""The evaluation takes late files for 72 hours."""


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


def host_once(folder: Path, databases: Databases) -> Config:
    """A site of the small task, to be copied."""
    config = site_config(folder, databases)
    app = open_app(config)
    with pytest.MonkeyPatch.context() as patch, app.app_context():
        patch.setattr(clock, "now", lambda: DURING)
        host_small_task(World(app, lambda _: None), write_bundle(folder / "bundle"))
    site_of(app).session.remove()
    site_of(app).engine.dispose()
    databases.keep(config.database_url)
    return config


def site_config(
    folder: Path, databases: Databases, *, database: bool = True, mail_url: str = "log:"
) -> Config:
    """The settings of a new site in a new folder, on a database of its own unless it gets one later."""
    folder.mkdir()
    return Config(
        secret_key="t" * 32,
        data_dir=folder,
        database_url=databases.migrated() if database else "",
        site_url="https://assay.test",
        mail_url=mail_url,
        mail_from="assay@assay.test",
        secure_cookies=False,
        testing=True,
    )


@pytest.fixture
def second_config(tmp_path: Path, databases: Databases, request: pytest.FixtureRequest) -> Iterator[Config]:
    """Another site, which knows nothing of the first: on the other kind of database, where there are both."""
    other = "postgresql" if request.node.callspec.params["databases"] == "sqlite" else "sqlite"
    there = other == "sqlite" or bool(os.environ.get("TEST_DATABASE_URL"))
    made: Databases = request.getfixturevalue(other) if there else databases
    yield site_config(tmp_path / "second", made)
    made.drop_all()


class CompiledTemplates(BytecodeCache):
    """Templates that one app has compiled, for the apps of the other tests."""

    def __init__(self) -> None:
        self.code: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        if bucket.key in self.code:
            bucket.bytecode_from_string(self.code[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        self.code[bucket.key] = bucket.bytecode_to_string()


COMPILED = CompiledTemplates()


class CompiledRule(Rule):
    """A route whose builder of addresses one app has compiled, for the apps of the other tests."""

    builders: ClassVar[dict[tuple[object, ...], Any]] = {}

    def _compile_builder(self, append_unknown: bool = True) -> Any:
        key = self.rule, repr(self.defaults), self.subdomain, append_unknown
        if key not in self.builders:
            self.builders[key] = super()._compile_builder(append_unknown)
        return self.builders[key]


Flask.url_rule_class = CompiledRule


COMPILED_FOR: dict[str, tuple[Dialect, LRUCache[Any, Any]]] = {}
"""Statements that one engine has compiled, for the engines of the other tests, by the kind of database.

What is compiled is kept by the dialect that it was compiled for, so the engines share one of those too.
"""


def share_compiled(engine: Engine) -> None:
    """Let an engine use what those of other tests have compiled."""
    if engine.dialect.name not in COMPILED_FOR:
        engine.connect().close()  # a dialect knows its server from the first connection on
        COMPILED_FOR[engine.dialect.name] = engine.dialect, engine._compiled_cache
    engine.dialect, engine._compiled_cache = COMPILED_FOR[engine.dialect.name]


def open_app(config: Config) -> Flask:
    """A site of its own, as `create_app` joins it."""
    app = create_app(config)
    app.jinja_env.bytecode_cache = COMPILED
    share_compiled(site_of(app).engine)
    return app


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


@dataclass
class World:
    """The site and its cast; each step is one transaction through the services."""

    app: Flask
    set_clock: Callable[[datetime], None]

    @property
    def site(self) -> Site:
        return site_of(self.app)

    @property
    def session(self) -> Session:
        return self.site.session()

    @property
    def storage(self) -> Storage:
        return self.site.storage

    def user(self, name: str) -> User:
        return self.session.query(User).filter_by(email=f"{name}@example.org").one()

    def actor(self, name: str) -> Actor:
        return Actor(user_id=self.user(name).id)

    @property
    def task(self) -> Task:
        return tasks.get_task(self.session, "small")

    def phase(self, slug: str = "evaluation") -> Phase:
        return tasks.get_phase(self.session, self.task, slug)

    @property
    def team(self) -> Team:
        team = teams.find_team_by_name(self.session, self.task, "birch")
        assert team is not None
        return team

    def run(self, name: str = "one", phase: str = "evaluation") -> Run:
        """A run of bo's and cy's team, made if it is not there."""
        target, team = self.phase(phase), self.team
        found = (
            self.session.query(Run).filter_by(team_id=team.id, phase_id=target.id, name=name).one_or_none()
        )
        if found is not None:
            return found
        with db.writing(self.session):
            return runs.add_run(self.session, team, target, name, "", DURING)

    def upload(
        self, run: Run, level: str, data: bytes = GOOD, at: datetime = DURING, by: str = "bo"
    ) -> Submission:
        """What the page does, at a set time."""
        prepared = submissions.prepare(
            self.session, self.storage, self.actor(by), run.id, level, data, "run.tsv", at
        )
        with db.writing(self.session):
            return submissions.submit(self.session, self.storage, self.actor(by), prepared, at)

    def found_team(self, captain: str, name: str) -> Team:
        """Another team, of one."""
        with db.writing(self.session):
            return teams.create_team(self.session, self.actor(captain), self.task, name, OPENS)

    def link(self, at: datetime = DURING, by: str = "bo") -> str:
        """The token of a new link of a person's team."""
        with db.writing(self.session):
            team = access.require_team(self.session, self.actor(by), self.task)
            return invitations.invite(self.session, self.actor(by), team, at).token

    def give_role(self, name: str, role: RoleName, at: datetime = OPENS) -> None:
        """A role in the task, given by ada."""
        with db.writing(self.session):
            roles.add_person(self.session, self.actor("ada"), self.task, self.user(name), role, at)

    def role_link(self, role: RoleName, at: datetime = DURING) -> str:
        """The token of a new link that gives a role."""
        with db.writing(self.session):
            return role_invitations.invite(self.session, self.actor("ada"), self.task, role, at).token

    def end_role(self, name: str, at: datetime = DURING) -> None:
        """The end of a role, by ada."""
        with db.writing(self.session):
            roles.remove_person(self.session, self.actor("ada"), self.task, self.user(name).id, at)

    def withdraw(self, submission: Submission, at: datetime = DURING, by: str = "bo") -> None:
        """Take a submission back."""
        with db.writing(self.session):
            withdrawals.withdraw(self.session, self.actor(by), submission, at)

    def bring_gold(
        self, level: str, data: bytes, at: datetime = DURING, split: str = "test", reason: str = "mistyped"
    ) -> GoldVersion:
        """A new version of the gold as a candidate, brought by ada; nothing is scored yet."""
        actor, target = self.actor("ada"), tasks.get_level_split(self.task, level, split)[1]
        prepared = gold.prepare(self.session, self.storage, actor, target, data, "fix.tsv", reason)
        with db.writing(self.session):
            return gold.bring(self.session, self.storage, actor, prepared, at)

    def publish_gold(self, version: GoldVersion, at: datetime = DURING) -> None:
        """The candidate in force."""
        with db.writing(self.session):
            gold_publishing.publish(self.session, self.actor("ada"), version, at)

    def fix_gold(self, level: str, data: bytes, at: datetime = DURING, split: str = "test") -> GoldVersion:
        """A new version of the gold, scored and published."""
        version = self.bring_gold(level, data, at, split)
        gold_scoring.score_all(self.site, version.id, at)
        self.publish_gold(version, at)
        return version

    def release(self, at: datetime = AFTER, **manner: Any) -> Release:
        """Publish the board of the evaluation, in some manner."""
        with db.writing(self.session):
            phase, how = self.phase(), release_making.Manner(**manner)
            return release_making.release_board(self.session, self.actor("ada"), phase, at, how)

    def withdraw_release(self, reason: str = "a mistake", at: datetime = AFTER) -> Release:
        """Take the newest release of the evaluation back."""
        with db.writing(self.session):
            return releases.withdraw_release(self.session, self.actor("ada"), self.phase(), reason, at)

    def work(
        self,
        at: datetime,
        handlers: Mapping[str, Handler] = HANDLERS,
        but: Collection[str] = (inferences.INFER,),
    ) -> list[int]:
        """All that a worker does at a set time, until nothing is due; the jobs that it did.

        Inferences are left alone unless `but` says otherwise: each is a process of its own.
        """
        self.set_clock(at)
        tick(self.site, at)
        done: list[int] = []
        while due := jobs.list_due(self.session, at, but=but):
            done += [job_id for job_id in due if work_off(self.site, job_id, handlers)]
        return done

    def infer(self, what: str = "inference", at: datetime = AFTER + timedelta(minutes=3)) -> None:
        """Do the inferences of one kind that are due: of releases by hand, "live" ones, or a "draft"."""
        self.set_clock(at)
        for job_id in jobs.list_due(self.session, at, only=[inferences.INFER]):
            if what in self.session.get_one(Job, job_id).payload:
                work_off(self.site, job_id)

    def client(self, name: str | None = None) -> "Visitor":
        """A browser of one of the cast, signed in; of nobody, not signed in."""
        visitor = Visitor(self.app.test_client())
        if name is not None:
            form = {"email": f"{name}@example.org", "password": PASSWORD, "remember": "y"}
            response = visitor.post("/sign-in", form)
            assert response.status_code == 302, response.text
        return visitor


class Slow(BytesIO):
    """A body that comes after something else has happened."""

    def __init__(self, data: bytes, meanwhile: Callable[[], None]) -> None:
        super().__init__(data)
        self.meanwhile: Callable[[], None] | None = meanwhile

    def wait(self) -> None:
        if self.meanwhile is not None:
            self.meanwhile()
            self.meanwhile = None

    def read(self, size: int | None = -1, /) -> bytes:
        self.wait()
        return super().read(size)

    def readinto(self, buffer: Any, /) -> int:
        self.wait()
        return super().readinto(buffer)


class Visitor:
    """A test client that sends forms as a browser does: with the token of a page that it has seen."""

    def __init__(self, client: FlaskClient) -> None:
        self.client = client
        self.tokens: dict[object, str] = {}

    def open(self, path: str, **options: Any) -> TestResponse:
        """One request, as if it came from outside: the test's own context would lend it its user."""
        site_of(self.client.application).session.remove()
        return Context().run(self.client.open, path, buffered=True, **options)

    def get(self, path: str, **options: Any) -> TestResponse:
        """Fetch a page."""
        return self.open(path, **options)

    def post(self, path: str, form: dict[str, Any] | None = None, **options: Any) -> TestResponse:
        """Send a form with a token."""
        return self.open(path, method="POST", data={"csrf_token": self.token(), **(form or {})}, **options)

    def upload(self, path: str, data: bytes, filename: str = "run.tsv", **form: str) -> TestResponse:
        """Send a file with a token."""
        return self.post(path, {"file": (BytesIO(data), filename), **form})

    def upload_slowly(
        self, path: str, data: bytes, token: str, meanwhile: Callable[[], None]
    ) -> TestResponse:
        """Send a file whose head comes first; its body comes once something has happened."""
        fields = (
            (b'name="csrf_token"', token.encode()),
            (b'name="file"; filename="run.tsv"', data),
        )
        parts = [b"--part\r\nContent-Disposition: form-data; %b\r\n\r\n%b\r\n" % field for field in fields]
        body = b"".join([*parts, b"--part--\r\n"])
        return self.open(
            path,
            method="POST",
            input_stream=Slow(body, meanwhile),
            content_length=len(body),
            content_type="multipart/form-data; boundary=part",
        )

    def token(self) -> str:
        """The CSRF token of a page that this browser has seen in its session."""
        session = self.session()
        if session in self.tokens:
            return self.tokens[session]
        page = self.get("/sign-up", follow_redirects=True).text
        token = re.search(r'name="csrf_token"[^>]*value="([^"]+)"', page)
        assert token is not None, page
        self.tokens[self.session()] = token[1]
        return token[1]

    def session(self) -> object:
        """What tokens are good for: none is before the first page, nor after a session has ended."""
        app, cookie = self.client.application, self.client.get_cookie("session")
        signer = app.session_interface.get_signing_serializer(app)
        return None if cookie is None else signer.loads(cookie.value).get("csrf_token")


def words(response: TestResponse) -> str:
    """What a page says, without its mark-up and between single blanks."""
    body = response.text.split("<body>", 1)[-1]
    return (
        " ".join(html.unescape(re.sub(r"<[^>]*>", " ", body)).split())
        .replace(" .", ".")
        .replace(" ,", ",")
        .replace(" :", ":")
        .replace(" ;", ";")
        .replace("( ", "(")
        .replace(" )", ")")
    )


def see_once(seen: World | Databases) -> None:
    """Skip a long test of pages alone on the second database: what it holds is the same on both."""
    on_sqlite = (
        seen.site.engine.dialect.name == "sqlite"
        if isinstance(seen, World)
        else isinstance(seen, SqliteFiles)
    )
    if not on_sqlite:
        pytest.skip("seen on SQLite; nothing here depends on the database")


@contextmanager
def max_queries(world: World, n: int) -> Iterator[list[str]]:
    """Fails where the site asks the database more than `n` times; gives what it asked."""
    asked: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_others: object) -> None:
        if not statement.startswith(("BEGIN", "PRAGMA")):
            asked.append(statement)

    event.listen(world.site.engine, "before_cursor_execute", note)
    try:
        yield asked
    finally:
        event.remove(world.site.engine, "before_cursor_execute", note)
    assert len(asked) <= n, "\n".join(asked)


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


def host_small_task(world: World, bundle: Path) -> None:
    """Fill an empty site: the cast, the task that ada organizes, the team of bo and cy."""
    session = world.session
    with db.writing(session):
        for name in ("ada", "bo", "cy", "dee"):
            create_account(session, f"{name}@example.org", name, PASSWORD)
    plan = bundles.plan_import(bundle)
    with db.writing(session):
        bundles.import_task(session, world.storage, CONSOLE, plan, [world.user("ada")], OPENS)
    with db.writing(session):
        team = teams.create_team(session, world.actor("bo"), world.task, "birch", OPENS)
        link = invitations.invite(session, world.actor("bo"), team, OPENS).token
        invitations.join_team(session, world.actor("cy"), world.task, link, OPENS)
    session.expunge_all()


Assay = Callable[..., Result]
"""Runs the `assay` command as the operator does, with settings from the environment."""


@pytest.fixture
def assay(config: Config, monkeypatch: pytest.MonkeyPatch) -> Assay:
    """The command, on a site of its own whose database is migrated and empty."""
    for name in [name for name in os.environ if name.startswith("ASSAY_") or name == "DATABASE_URL"]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("ASSAY_SECRET_KEY", config.secret_key)
    monkeypatch.setenv("ASSAY_DATA_DIR", str(config.data_dir))
    monkeypatch.setenv("ASSAY_DATABASE_URL", config.database_url)
    monkeypatch.setenv("ASSAY_TESTING", "true")

    def run(*arguments: object, **options: Any) -> Result:
        return CliRunner().invoke(assay_command, [str(argument) for argument in arguments], **options)

    return run
