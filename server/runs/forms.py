"""Forms for runs."""

from typing import Any

from wtforms import Field, TextAreaField
from wtforms.validators import ValidationError

from server.core.i18n import N_, _
from server.runs.links import MAX_LINK_LENGTH, MAX_LINKS, is_link, split_links
from server.web.fields import MaxLength, SiteForm, name_field, require_visible_lines


def _text_field(label: str, description: str, rows: int, most: int = 2000, *validators: Any) -> TextAreaField:
    return TextAreaField(
        label,
        description=description,
        filters=[_normalize_line_ends],
        validators=[
            MaxLength(most),
            require_visible_lines,
            *validators,
        ],
        render_kw={"maxlength": most, "rows": rows},
    )


def _normalize_line_ends(text: str | None) -> str | None:
    """Text whose lines end as they do everywhere but in browsers."""
    return text.replace("\r\n", "\n").replace("\r", "\n").strip() if text else text


def _require_links(_form: object, field: Field) -> None:
    """Refuse lines that are no addresses, each by its number."""
    lines = split_links(field.data or "")
    if len(lines) > MAX_LINKS:
        raise ValidationError(_("Give %(most)d links at most.", most=MAX_LINKS))
    for number, line in enumerate(lines, start=1):
        if not is_link(line):
            raise ValidationError(
                _(
                    "Link %(number)d is no address; begin it with https:// or http://, and use %(most)d "
                    "characters at most, without blanks.",
                    number=number,
                    most=MAX_LINK_LENGTH,
                )
            )


class RunForm(SiteForm):
    """A run: one system of the team, and what the team says of it."""

    name = name_field(N_("Run name"), N_("As it will stand on the board, beside the team's name."))
    description = _text_field(N_("Description"), N_("One or two sentences on the system; optional."), 3)
    method = _text_field(
        N_("Method"), N_("How it works: model, features, training. For the paper's table; optional."), 3
    )
    resources = _text_field(
        N_("Resources"), N_("Data, lexicons and pretrained models beside what the task gives; optional."), 3
    )
    links = _text_field(
        N_("Links"), N_("Code, model or paper: one address a line; optional."), 2, 4000, _require_links
    )
    authors = _text_field(N_("Authors"), N_("As a paper should have them, one a line; optional."), 3)
