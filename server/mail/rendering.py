"""Emails as plain text and as HTML: by templates, without Flask, and without remote contents."""

from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from server.core import dates, i18n
from server.core.config import find_package_folder
from server.core.placeholders import is_placeholder_date
from server.web.markdown import render_markdown, write_absolute_links

_SUBJECT = "Subject: "
_SUBJECT_LENGTH = 200


@dataclass(frozen=True, slots=True)
class RenderedMail:
    """The subject and the texts of one email."""

    subject: str
    text: str
    html: str


def render_mail(name: str, **facts: Any) -> RenderedMail:
    """Render an email by the templates of this name; the first line of the plain text is the subject."""
    templates = mail_environment()
    subject, _, text = templates.get_template(f"mail/emails/{name}.txt").render(**facts).partition("\n")
    words = " ".join(subject.removeprefix(_SUBJECT).split())
    html = templates.get_template(f"mail/emails/{name}.html").render(subject=words, **facts)
    return RenderedMail(words[:_SUBJECT_LENGTH], text.strip() + "\n", html)


@cache
def mail_environment() -> Environment:
    """Return the template environment of emails: only HTML is escaped, and a missing variable is an error."""
    environment = Environment(
        loader=FileSystemLoader(find_package_folder("templates")),
        autoescape=lambda name: name is not None and name.endswith(".html"),  # noqa: S701  (texts as they are)
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        extensions=[i18n.JINJA_EXTENSION],
    )
    i18n.install_gettext(environment)
    environment.filters.update(
        both=format_utc_and_aoe,
        both_seconds=format_utc_and_aoe_seconds,
        markdown=render_markdown,
        absolute=write_absolute_links,
    )
    return environment


def format_utc_and_aoe(at: datetime) -> str:
    """Format an instant to the minute, in UTC and anywhere on earth."""
    return _format_utc_and_aoe(at, seconds=False)


def format_utc_and_aoe_seconds(at: datetime) -> str:
    """Format an instant to the second, in UTC and anywhere on earth."""
    return _format_utc_and_aoe(at, seconds=True)


def _format_utc_and_aoe(at: datetime, *, seconds: bool) -> str:
    utc, aoe = dates.format_utc(at, seconds=seconds), dates.moment(at.astimezone(dates.AOE), seconds=seconds)
    return utc if is_placeholder_date(at) else f"{utc} ({aoe} AoE)"
