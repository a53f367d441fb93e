"""Forms for a phase's dates and rules, for extending it, and for its public items."""

import re
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from flask_wtf import FlaskForm
from wtforms import BooleanField, Field, FloatField, IntegerField, RadioField, SelectField, StringField
from wtforms.validators import DataRequired, InputRequired, NumberRange, Optional, Regexp, ValidationError

from server.forms.fields import one_line, reason_field, require_visible, title_field

MAX_GRACE_HOURS = 366 * 24
MAX_REMINDERS = 5
MAX_REMINDER_HOURS = 30 * 24
MOST = 1_000_000
_SLUG = r"[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?\Z"
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)[T ]+(\d\d:\d\d(?::\d\d)?)(?:\.0+)?\s*(UTC|Z|AoE)?", re.IGNORECASE)
_AOE = timezone(timedelta(hours=-12))


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
            moment = _read(found[1], found[2]) if found else None
        except (ValueError, OverflowError):
            moment = None
        if found is None or moment is None:
            raise ValidationError("Write a date and time in UTC, as 2026-03-15 12:00; or with AoE after it.")
        if not 1970 < moment.year < 9000:
            raise ValidationError("Write a year from 1971 to 8999.")
        self.moment = moment.replace(tzinfo=_AOE if (found[3] or "").lower() == "aoe" else UTC).astimezone(
            UTC
        )


def _read(day: str, time: str) -> datetime:
    """A date and time; 24:00 is the end of its day."""
    if re.fullmatch(r"24:00(:00)?", time):
        return datetime.fromisoformat(day) + timedelta(days=1)
    return datetime.fromisoformat(f"{day}T{time}")


FEEDBACK = {
    "hidden": "Nothing until the release",
    "scores": "All digits",
    "rounded": "Rounded scores",
    "public-part": "Scores on a public part of the items",
    "ladder": "The Ladder",
}
GIVEN_AWAY = {
    "hidden": "Gives nothing away, unless another phase shows scores on the same items. Teams learn that the "
    "file was read, its hash, and what counts.",
    "scores": "Gives labels away: of 250 items, 27 exact Pearson scores told an attacker 243 labels. "
    "For practice, or where the gold is public.",
    "rounded": "Gives labels away more slowly: of each file up to three at three places, one at two. Keep "
    "the number of files small.",
    "public-part": "Gives the labels of the public items away, and nothing of the rest, which decides the "
    "board. The public items must be declared before the first file comes.",
    "ladder": "Shows a team's best official score so far, in steps; it moves only for a file that is better "
    "by more than one step (Blum and Hardt, 2015). Their guarantee is for losses that are means over items: "
    "correlations are none, so here it is a good habit and no guarantee.",
}
"""What each kind of feedback gives away of the gold."""
BOARDS = {
    "released": "Released by an organizer",
    "live": "Live: it releases itself when it changes, at most once a minute, with what teams see",
}

BASELINES = {
    "after": "Once no deadline on these items is to come",
    "always": "Always, also while teams send files",
}


class HoursField(StringField):
    """Whole numbers of hours with commas between them, the most first; empty: none."""

    hours: tuple[int, ...] = ()

    def process_data(self, value: Any) -> None:
        """Show a list of hours."""
        self.hours = tuple(value or ())
        super().process_data(", ".join(map(str, self.hours)))

    def pre_validate(self, _form: object) -> None:
        """Read what was typed."""
        words = re.split(r"[,;\s]+", (self.data or "").strip()) if (self.data or "").strip() else []
        if not all(
            re.fullmatch(r"[0-9]{1,3}", word) and 1 <= int(word) <= MAX_REMINDER_HOURS for word in words
        ):
            raise ValidationError(f"Write hours from 1 to {MAX_REMINDER_HOURS} with commas, as 72, 24.")
        if len(words) > MAX_REMINDERS:
            raise ValidationError(f"Give {MAX_REMINDERS} times at most.")
        self.hours = tuple(sorted({int(word) for word in words}, reverse=True))


class PhaseForm(FlaskForm):
    """Dates and rules of a phase."""

    title = title_field()
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
    reminders = HoursField(
        "Reminders",
        description="So many hours before it closes, teams with incomplete runs are reminded by mail, "
        "as 72, 24; empty: never.",
        render_kw={"autocomplete": "off"},
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
    feedback = RadioField("What teams see of their scores", choices=FEEDBACK)
    feedback_places = IntegerField(
        "Decimal places",
        description="Of rounded scores, from 0 to 6.",
        default=2,
        validators=[Optional(), NumberRange(0, 6, message="Give a number from 0 to 6.")],
    )
    ladder_step = FloatField(
        "Step of the Ladder",
        description="By how much the best score has to grow before it moves, from 0.0001 to 1.",
        default=0.01,
        validators=[Optional(), NumberRange(0.0001, 1, message="Give a number from 0.0001 to 1.")],
    )
    board = RadioField("Board", choices=BOARDS)
    baselines = RadioField("Baselines in released boards", choices=BASELINES, default="after")
    sure = BooleanField("Show teams the scores of the files that they have sent")
    runs_public = BooleanField("Files that count are published with the release; teams are told at upload")

    def validate_grace_hours(self, field: Field) -> None:
        """Grace is counted from the closing time."""
        if field.data and self._endless():
            raise ValidationError("Hours of grace need a closing time; give one, or 0 hours.")

    def validate_reminders(self, field: HoursField) -> None:
        """Reminders are counted back from the closing time."""
        if field.hours and self._endless():
            raise ValidationError("Reminders need a closing time; give one, or leave them empty.")

    def _endless(self) -> bool:
        return self.closes.moment is None and not self.closes.errors

    def validate_board(self, field: Field) -> None:
        """A live board shows scores."""
        if field.data == "live" and self.feedback.data == "hidden":
            raise ValidationError(
                "A live board shows scores; choose what teams see of them, or no live board."
            )


class NewPhaseForm(PhaseForm):
    """A phase that is to be."""

    slug = StringField(
        "Short name",
        description="For addresses, as post-evaluation: small letters, digits and hyphens. It stays.",
        filters=[one_line],
        validators=[
            DataRequired("Give a short name."),
            Regexp(
                r"[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?\Z",
                message="Use small letters, digits and inner hyphens.",
            ),
        ],
        render_kw={"maxlength": 64, "autocomplete": "off"},
    )
    split = SelectField("On the items of", description="Which split the runs answer. It stays.")


class ExtendForm(FlaskForm):
    """A later deadline, for all or for one team."""

    closes = UtcField("New deadline", description="In UTC, as 2026-03-16 12:00; or with AoE after it.")
    team = SelectField(
        "For",
        description="One team's is seen by that team and you; a release says how many had one.",
    )
    reason = reason_field("Reason", "Those whom it is for read it; one for all stands on the task's page.")

    def validate_closes(self, field: UtcField) -> None:
        """An extension has an end."""
        if field.moment is None and not field.errors:
            raise ValidationError("Give the new deadline.")


class PublicItemsForm(FlaskForm):
    """How many of the items are public, and by which seed they are drawn."""

    percent = IntegerField(
        "Per cent of the items",
        description="Of each level; the others decide the board.",
        default=30,
        validators=[
            InputRequired("Give a number."),
            NumberRange(1, 99, message="Give a number from 1 to 99."),
        ],
    )
    seed = StringField(
        "Seed",
        description="Any word or number. The items are drawn by it, so that everybody can draw the same.",
        filters=[one_line],
        validators=[DataRequired("Give a seed."), require_visible],
        render_kw={"maxlength": 80, "autocomplete": "off"},
    )
