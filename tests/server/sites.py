"""Sites to test, opened fast: what one app has compiled, the others use."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pytest
from click.testing import Result
from flask import Flask
from jinja2.bccache import Bucket, BytecodeCache
from sqlalchemy import Dialect, Engine
from sqlalchemy.util import LRUCache
from werkzeug.routing import Rule

from server import clock, language
from server.app import create_app
from server.config import Config
from server.views.context import site_of
from tests.server.databases import Databases
from tests.server.small_task import write_bundle
from tests.server.world import DURING, World, host_small_task


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
    folder.mkdir(mode=0o700)
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


class CompiledTemplates(BytecodeCache):
    """Templates that one app has compiled, for the apps of the other tests."""

    def __init__(self) -> None:
        self.code: dict[tuple[str, str], bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        if (key := (language.spoken(), bucket.key)) in self.code:
            bucket.bytecode_from_string(self.code[key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        self.code[language.spoken(), bucket.key] = bucket.bytecode_to_string()


COMPILED = CompiledTemplates()


class CompiledRule(Rule):
    """A route that one app has compiled, for the apps of the other tests."""

    compiled: ClassVar[dict[tuple[object, ...], Rule]] = {}

    def compile(self) -> None:
        key = self.rule, repr(self.defaults), self.subdomain, self.merge_slashes
        if key not in self.compiled:
            super().compile()
            self.compiled[key] = self
        first: Any = self.compiled[key]
        self._parts, self._trace, self._converters = first._parts, first._trace, first._converters
        self.arguments = set(first.arguments)
        self._build = first._build.__func__.__get__(self)
        self._build_unknown = first._build_unknown.__func__.__get__(self)


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


Assay = Callable[..., Result]
"""Runs the `assay` command as the operator does, with settings from the environment."""
