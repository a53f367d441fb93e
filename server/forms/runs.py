"""Forms for runs."""

from typing import Any

from flask_wtf import FlaskForm
from wtforms import Field, TextAreaField
from wtforms.validators import Length, ValidationError

from server.domain.links import LONGEST, MOST, is_link, links_of
from server.forms.fields import name_field, require_visible_lines


def _text(label: str, description: str, rows: int, most: int = 2000, *validators: Any) -> TextAreaField:
    return TextAreaField(
        label,
        description=description,
        filters=[_plain_lines],
        validators=[
            Length(max=most, message=f"Use {most} characters at most."),
            require_visible_lines,
            *validators,
        ],
        render_kw={"maxlength": most, "rows": rows},
    )


def _plain_lines(text: str | None) -> str | None:
    """Text whose lines end as they do everywhere but in browsers."""
    return text.replace("\r\n", "\n").replace("\r", "\n").strip() if text else text


def _require_links(_form: object, field: Field) -> None:
    """Refuse lines that are no addresses, each by its number."""
    lines = links_of(field.data or "")
    if len(lines) > MOST:
        raise ValidationError(f"Give {MOST} links at most.")
    for number, line in enumerate(lines, start=1):
        if not is_link(line):
            raise ValidationError(
                f"Link {number} is no address; begin it with https:// or http://, and use {LONGEST} "
                "characters at most, without blanks."
            )


class RunForm(FlaskForm):
    """A run: one system of the team, and what the team says of it."""

    name = name_field("Run name", "As it will stand on the board, beside the team's name.")
    description = _text("Description", "One or two sentences on the system; optional.", 3)
    method = _text("Method", "How it works: model, features, training. For the paper's table; optional.", 3)
    resources = _text(
        "Resources", "Data, lexicons and pretrained models beside what the task gives; optional.", 3
    )
    links = _text("Links", "Code, model or paper: one address a line; optional.", 2, 4000, _require_links)
    authors = _text("Authors", "As a paper should have them, one a line; optional.", 3)
