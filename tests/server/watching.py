"""Watches which templates are rendered and what they lack, and how SQLite finds what it is asked."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from flask import Flask
from jinja2 import Environment, Template, Undefined
from sqlalchemy import event

from tests.server.world import World


class Missed(Undefined):
    """What a template was not given: asking whether it is there is fine, printing it is a fault."""

    __slots__ = ()
    found: set[str] = set()  # noqa: RUF012  one for all, emptied by each test

    def note(self) -> str:
        self.found.add(self._undefined_message)
        return ""

    __str__ = note

    def __iter__(self) -> Iterator[Any]:
        self.note()
        return iter(())

    def __len__(self) -> int:
        self.note()
        return 0


@contextmanager
def watched(app: Flask) -> Iterator[set[str]]:
    """The templates of pages and mails that are loaded while this lasts: what they extend and include too."""
    rendered: set[str] = set()

    def noting(load: Callable[..., Template]) -> Callable[..., Template]:
        def note(self: Environment, name: Any, *others: Any, **more: Any) -> Template:
            template = load(self, name, *others, **more)
            rendered.add(template.name or "")
            return template

        return note

    app.jinja_env.undefined = Missed
    Missed.found.clear()
    with pytest.MonkeyPatch.context() as patch:
        for kind in (Environment, type(app.jinja_env)):  # of mails, and of pages, which keeps its own
            patch.setattr(kind, "get_template", noting(kind.get_template))
        yield rendered


@contextmanager
def plans(world: World, words: str) -> Iterator[list[list[str]]]:
    """The steps of SQLite for each question with these words; there, once this is over."""
    if world.site.engine.dialect.name != "sqlite":
        pytest.skip("PostgreSQL chooses by how many rows there are")
    asked: list[tuple[str, Any]] = []

    def note(_connection: object, _cursor: object, sql: str, values: object, *_others: object) -> None:
        if words in sql:
            asked.append((sql, values))

    event.listen(world.site.engine, "before_cursor_execute", note)
    found: list[list[str]] = []
    yield found
    event.remove(world.site.engine, "before_cursor_execute", note)
    connection = world.session.connection()
    for sql, values in asked:
        found.append([row[-1] for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {sql}", values)])
