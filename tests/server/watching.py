"""Watches which templates are rendered and what they lack, and how SQLite finds what it is asked."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from flask import Flask
from jinja2 import Environment, FunctionLoader, Undefined, make_logging_undefined
from sqlalchemy import event

from server.mail import rendering as mail_rendering
from server.web import fragments
from tests.server.world import World


@dataclass
class Rendering:
    """The templates that were loaded, and what they printed or looped over without having been given it."""

    templates: set[str] = field(default_factory=set)
    gaps: set[str] = field(default_factory=set)


class GapHandler(logging.Handler):
    """Collects what Jinja logs of undefined variables."""

    def __init__(self, gaps: set[str]) -> None:
        super().__init__()
        self.gaps = gaps

    def emit(self, record: logging.LogRecord) -> None:
        self.gaps.add(record.getMessage())


def logging_undefined(gaps: set[str]) -> type[Undefined]:
    """Undefined variables whose names are collected when they are printed; `if` may ask for them."""
    logger = logging.Logger("gaps")
    logger.addHandler(GapHandler(gaps))

    class Gap(make_logging_undefined(logger)):
        __slots__ = ()

        def __bool__(self) -> bool:
            return False

        def __len__(self) -> int:
            return len(list(self))

    return Gap


def noting_loader(environment: Environment, templates: set[str]) -> FunctionLoader:
    """The environment's own loader, which also notes what it loads; its templates are not cached yet."""
    loader = environment.loader
    assert loader is not None

    def load(name: str) -> tuple[str, str | None, Any]:
        templates.add(name)
        return loader.get_source(environment, name)

    return FunctionLoader(load)


@contextmanager
def watched(app: Flask) -> Iterator[Rendering]:
    """The templates that pages and emails render in this context, with those they extend or include."""
    rendering = Rendering()
    fragments.FRAGMENT_CACHE.clear()
    with pytest.MonkeyPatch.context() as patch:
        for environment in (app.jinja_env, mail_rendering.mail_environment()):
            patch.setattr(environment, "loader", noting_loader(environment, rendering.templates))
        patch.setattr(app.jinja_env, "undefined", logging_undefined(rendering.gaps))
        yield rendering


@contextmanager
def plans(world: World, words: str) -> Iterator[list[list[str]]]:
    """SQLite's query plan for each statement with these words, available after the context ends."""
    if world.site.engine.dialect.name != "sqlite":
        pytest.skip("PostgreSQL chooses by how many rows there are")
    asked: list[tuple[str, Any]] = []

    def note(_connection: object, _cursor: object, sql: str, values: object, *_others: object) -> None:
        if words in sql:
            asked.append((sql, values))

    event.listen(world.site.engine, "before_cursor_execute", note)
    found: list[list[str]] = []
    try:
        yield found
    finally:
        event.remove(world.site.engine, "before_cursor_execute", note)
    connection = world.session.connection()
    for sql, values in asked:
        found.append([row[-1] for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {sql}", values)])
