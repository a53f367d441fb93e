"""Refusals that a page shows: above itself, or at the field of its form that they are about."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from flask import flash
from wtforms import Field

from server.core.errors import Conflict, ServerError


@contextmanager
def flash_refusal(kind: type[ServerError] = Conflict) -> Iterator[None]:
    """Flash a refusal of this kind, and go on after the block."""
    try:
        yield
    except kind as error:
        flash(error.message, "error")


@contextmanager
def show_refusal_at(fields: Mapping[type[ServerError], Field]) -> Iterator[None]:
    """Add a refusal to the errors of a field, the first one whose kind it is, and go on after the block."""
    try:
        yield
    except tuple(fields) as error:
        field = next(field for kind, field in fields.items() if isinstance(error, kind))
        field.errors = [*field.errors, error.message]
