"""Watches which templates are rendered, and what they lack."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from flask import Flask
from jinja2 import Environment, Undefined


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

    def note(self: Environment, name: Any, *others: Any, **more: Any) -> Any:
        template = load(self, name, *others, **more)
        rendered.add(template.name or "")
        return template

    load = Environment.get_template
    app.jinja_env.undefined = Missed
    Missed.found.clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Environment, "get_template", note)
        yield rendered
