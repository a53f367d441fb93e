"""Forms for a task's texts, and for a phase's dates and rules."""

import re
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from flask_wtf import FlaskForm
from wtforms import Field, IntegerField, SelectField, StringField, TextAreaField
from wtforms.validators import DataRequired, InputRequired, Length, NumberRange, Optional, ValidationError

from server.forms.fields import one_line, require_visible

MAX_TEXT = 100_000
MAX_GRACE_HOURS = 366 * 24
MOST = 1_000_000
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)[T ]+(\d\d:\d\d(?::\d\d)?)(?:\.0+)?\s*(UTC|Z|AoE)?", re.IGNORECASE)
_AOE = timezone(timedelta(hours=-12))


def _lines(text: str | None) -> str | None:
    """Text whose lines end as they do everywhere but in browsers."""
    return text.replace("\r\n", "\n").replace("\r", "\n").lstrip("\ufeff") if text else text


def _require_text(_form: object, field: Field) -> None:
    """Refuse control characters, which no text needs: line ends and tabs aside."""
    for char in field.data or "":
        if (char < " " and char not in "\n\t") or char == "\x7f" or "\ud800" <= char <= "\udfff":
            raise ValidationError(f"Leave out the control character U+{ord(char):04X}.")


def _title_field() -> StringField:
    return StringField(
        "Title",
        filters=[one_line],
        validators=[
            DataRequired("Give a title."),
            Length(max=200, message="Use 200 characters at most."),
            require_visible,
        ],
        render_kw={"maxlength": 200, "autocomplete": "off"},
    )


def _text_field(label: str, description: str, rows: int, most: int = MAX_TEXT) -> TextAreaField:
    return TextAreaField(
        label,
        description=description,
        filters=[_lines],
        validators=[Length(max=most, message=f"Use {most} characters at most."), _require_text],
        render_kw={"rows": rows},
    )


class UtcField(StringField):
    """An instant as text: in UTC, or where the day ends last; empty: None."""

    moment: datetime | None = None

    def process_data(self, value: Any) -> None:
        """Show an instant in UTC, to the second if it has any."""
        self.moment = value
        if value is not None:
            value = value.astimezone(UTC)
            value = f"{value:%Y-%m-%d %H:%M:%S}" if value.second else f"{value:%Y-%m-%d %H:%M}"
        super().process_data(value)

    def pre_validate(self, _form: object) -> None:
        """Read what was typed."""
        self.moment = None
        if not (text := (self.data or "").strip()):
            return
        found = _MOMENT.fullmatch(text)
        try:
            moment = datetime.fromisoformat(f"{found[1]}T{found[2]}") if found else None
        except ValueError:
            moment = None
        if found is None or moment is None:
            raise ValidationError("Write a date and time in UTC, as 2026-03-15 12:00; or with AoE after it.")
        if not 1970 < moment.year < 9000:
            raise ValidationError("Write a year from 1971 to 8999.")
        self.moment = moment.replace(tzinfo=_AOE if (found[3] or "").lower() == "aoe" else UTC).astimezone(
            UTC
        )


class TaskForm(FlaskForm):
    """The texts of a task."""

    title = _title_field()
    description = _text_field("Description", "What the task is about, in Markdown.", 16)
    licence = _text_field("Licence of the data", "In one line, under the list of data files.", 2, 2000)
    terms = _text_field(
        "Terms",
        "In Markdown; empty: none. Changed terms are a new version, which everybody is asked to accept "
        "before they download data or upload files.",
        10,
    )


class PhaseForm(FlaskForm):
    """Dates and rules of a phase."""

    title = _title_field()
    opens = UtcField("Opens", description="In UTC, as 2026-03-01 09:00; empty: open from the start.")
    closes = UtcField("Closes", description="In UTC, or as 2026-03-15 23:59 AoE; empty: without a deadline.")
    grace_hours = IntegerField(
        "Hours of grace",
        description="How long late files are taken after that; they are scored and shown apart.",
        validators=[
            InputRequired("Give a number; 0: no late files."),
            NumberRange(0, MAX_GRACE_HOURS, message=f"Give a number from 0 to {MAX_GRACE_HOURS}."),
        ],
    )
    runs_per_team = IntegerField(
        "Runs a team",
        validators=[
            InputRequired("Give a number."),
            NumberRange(1, MOST, message=f"Give a number from 1 to {MOST}."),
        ],
    )
    files_per_level = IntegerField(
        "Scored files for each level",
        description="Of a team, all its runs together; empty: as many as they like.",
        validators=[Optional(), NumberRange(1, MOST, message=f"Give a number from 1 to {MOST}, or none.")],
    )
    files_per_day = IntegerField(
        "Scored files for each level and day",
        description="Of a team, all its runs together. A day is a day of UTC; empty: no such bound.",
        validators=[Optional(), NumberRange(1, MOST, message=f"Give a number from 1 to {MOST}, or none.")],
    )
    feedback = SelectField(
        "Scores",
        choices={
            "hidden": "hidden until the release",
            "scores": "shown to the team at once",
        },
        description="Exact scores tell about the gold: labels can be recovered from many of them.",
    )
