"""Errors that a page shows: at its top, or at the form field that they are about."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from flask import flash, render_template
from wtforms import Field, Form

from server.core.errors import Conflict, ServerError


@contextmanager
def flash_error(kind: type[ServerError] = Conflict) -> Iterator[None]:
    """Flash an error of this kind, and continue after the block."""
    try:
        yield
    except kind as error:
        flash(error.message, "error")


@contextmanager
def show_error_at(fields: Mapping[type[ServerError], Field]) -> Iterator[None]:
    """Add an error to the field of the first matching kind, and continue after the block."""
    try:
        yield
    except tuple(fields) as error:
        field = next(field for kind, field in fields.items() if isinstance(error, kind))
        field.errors = [*field.errors, error.message]


def render_form(template: str, form: Form, **values: object) -> tuple[str, int]:
    """Render a page with its form; the status is 422 if the form has errors, or a file was refused."""
    page = render_template(template, form=form, **values)
    return page, 422 if form.errors or values.get("refused") is not None else 200
