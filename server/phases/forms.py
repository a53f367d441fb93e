"""Forms for a phase's dates and rules, for extending it, and for its public items."""

import re
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from wtforms import BooleanField, Field, FloatField, IntegerField, RadioField, SelectField, StringField
from wtforms.validators import DataRequired, InputRequired, Optional, Regexp, ValidationError

from server.core.dates import ALLOWED_YEARS, YEAR_MESSAGE
from server.core.i18n import N_, _
from server.web.fields import (
    MaxLength,
    NumberBounds,
    SiteForm,
    one_line,
    reason_field,
    require_visible,
    title_field,
)

MAX_GRACE_HOURS = 366 * 24
MAX_REMINDERS = 5
MAX_REMINDER_HOURS = 30 * 24
MAX_SEED = 80
MAX_COUNT = 1_000_000
_SLUG_PATTERN = r"[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?\Z"
_MOMENT_PATTERN = re.compile(
    r"(\d{4}-\d\d-\d\d)[T ]+(\d\d:\d\d(?::\d\d)?)(?:\.0+)?\s*(UTC|Z|AoE)?", re.IGNORECASE
)
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
        match = _MOMENT_PATTERN.fullmatch(text)
        try:
            moment = _parse_moment(match[1], match[2]) if match else None
        except (ValueError, OverflowError):
            moment = None
        if match is None or moment is None:
            raise ValidationError(
                _("Write a date and time in UTC, as 2026-03-15 12:00; or with AoE after it.")
            )
        if moment.year not in ALLOWED_YEARS:
            raise ValidationError(_(YEAR_MESSAGE))
        self.moment = moment.replace(tzinfo=_AOE if (match[3] or "").lower() == "aoe" else UTC).astimezone(
            UTC
        )


def _parse_moment(day: str, time: str) -> datetime:
    """A date and time; 24:00 is the end of its day."""
    if re.fullmatch(r"24:00(:00)?", time):
        return datetime.fromisoformat(day) + timedelta(days=1)
    return datetime.fromisoformat(f"{day}T{time}")


FEEDBACK_LABELS = {
    "hidden": N_("Nothing until the release"),
    "scores": N_("All digits"),
    "rounded": N_("Rounded scores"),
    "public-part": N_("Scores on a public part of the items"),
    "ladder": N_("The Ladder"),
}
FEEDBACK_RISKS = {
    "hidden": N_(
        "Gives nothing away, unless another phase shows scores on the same items. Teams learn that the "
        "file was read, its hash, and what counts."
    ),
    "scores": N_(
        "Gives labels away: of 250 items, 27 exact Pearson scores told an attacker 243 labels. "
        "For practice, or where the gold is public."
    ),
    "rounded": N_(
        "Gives labels away more slowly: of each file up to three at three places, one at two. Keep "
        "the number of files small."
    ),
    "public-part": N_(
        "Gives the labels of the public items away, and nothing of the rest, which decides the "
        "board. The public items must be declared before the first file comes."
    ),
    "ladder": N_(
        "Shows a team’s best official score so far, in steps; it moves only for a file that is better "
        "by more than one step (Blum and Hardt, 2015). Their guarantee is for losses that are means over "
        "items: correlations are none, so here it is a good habit and no guarantee."
    ),
}
"""What each kind of feedback gives away of the gold."""
BOARD_LABELS = {
    "released": N_("Released by an organizer"),
    "live": N_("Live: it releases itself when it changes, at most once a minute, with what teams see"),
}

BASELINE_LABELS = {
    "after": N_("Once no deadline on these items is to come"),
    "always": N_("Always, also while teams send files"),
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
            message = _("Write hours from 1 to %(most)d with commas, as 72, 24.", most=MAX_REMINDER_HOURS)
            raise ValidationError(message)
        if len(words) > MAX_REMINDERS:
            raise ValidationError(_("Give %(most)d times at most.", most=MAX_REMINDERS))
        self.hours = tuple(sorted({int(word) for word in words}, reverse=True))


class PhaseForm(SiteForm):
    """Dates and rules of a phase."""

    title = title_field()
    opens = UtcField(N_("Opens"), description=N_("In UTC, as 2026-03-01 09:00; empty: open from the start."))
    closes = UtcField(
        N_("Closes"), description=N_("In UTC, or as 2026-03-15 23:59 AoE; empty: without a deadline.")
    )
    grace_hours = IntegerField(
        N_("Hours of grace"),
        description=N_("How long late files are taken after that; they are scored and shown apart."),
        validators=[
            InputRequired(N_("Give a number; 0: no late files.")),
            NumberBounds(0, MAX_GRACE_HOURS, N_("Give a number from %(low)s to %(high)s; 0: no late files.")),
        ],
    )
    reminders = HoursField(
        N_("Reminders"),
        description=N_(
            "So many hours before it closes, teams with incomplete runs are reminded by mail, "
            "as 72, 24; empty: never."
        ),
        render_kw={"autocomplete": "off"},
    )
    runs_per_team = IntegerField(
        N_("Runs a team"),
        validators=[InputRequired(N_("Give a number.")), NumberBounds(1, MAX_COUNT)],
    )
    files_per_level = IntegerField(
        N_("Scored files for each level"),
        description=N_("Of a team, all its runs together; empty: as many as they like."),
        validators=[
            Optional(),
            NumberBounds(1, MAX_COUNT, N_("Give a number from %(low)s to %(high)s, or none.")),
        ],
    )
    files_per_day = IntegerField(
        N_("Scored files for each level and day"),
        description=N_("Of a team, all its runs together. A day is a day of UTC; empty: no such bound."),
        validators=[
            Optional(),
            NumberBounds(1, MAX_COUNT, N_("Give a number from %(low)s to %(high)s, or none.")),
        ],
    )
    feedback = RadioField(N_("What teams see of their scores"), choices=FEEDBACK_LABELS)
    feedback_places = IntegerField(
        N_("Decimal places"),
        description=N_("Of rounded scores, from 0 to 6."),
        default=2,
        validators=[Optional(), NumberBounds(0, 6)],
    )
    ladder_step = FloatField(
        N_("Step of the Ladder"),
        description=N_("By how much the best score has to grow before it moves, from 0.0001 to 1."),
        default=0.01,
        validators=[Optional(), NumberBounds(0.0001, 1)],
    )
    board = RadioField(N_("Board"), choices=BOARD_LABELS)
    baselines = RadioField(N_("Baselines in released boards"), choices=BASELINE_LABELS, default="after")
    sure = BooleanField(N_("Show teams the scores of the files that they have sent"))
    runs_public = BooleanField(
        N_("Files that count are published with the release; teams are told at upload")
    )

    def validate_grace_hours(self, field: Field) -> None:
        """Grace is counted from the closing time."""
        if field.data and self._endless():
            raise ValidationError(_("Hours of grace need a closing time; give one, or 0 hours."))

    def validate_reminders(self, field: HoursField) -> None:
        """Reminders are counted back from the closing time."""
        if field.hours and self._endless():
            raise ValidationError(_("Reminders need a closing time; give one, or leave them empty."))

    def _endless(self) -> bool:
        return self.closes.moment is None and not self.closes.errors

    def validate_board(self, field: Field) -> None:
        """A live board shows scores."""
        if field.data == "live" and self.feedback.data == "hidden":
            raise ValidationError(
                _("A live board shows scores; choose what teams see of them, or no live board.")
            )


class NewPhaseForm(PhaseForm):
    """A phase that is to be."""

    slug = StringField(
        N_("Short name"),
        description=N_("For addresses, as post-evaluation: small letters, digits and hyphens. It stays."),
        filters=[one_line],
        validators=[
            DataRequired(N_("Give a short name.")),
            Regexp(_SLUG_PATTERN, message=N_("Use small letters, digits and inner hyphens.")),
        ],
        render_kw={"maxlength": 64, "autocomplete": "off"},
    )
    split = SelectField(N_("On the items of"), description=N_("Which split the runs answer. It stays."))


class ExtendForm(SiteForm):
    """A later deadline, for all or for one team."""

    closes = UtcField(
        N_("New deadline"), description=N_("In UTC, as 2026-03-16 12:00; or with AoE after it.")
    )
    team = SelectField(
        N_("For"),
        description=N_("One team’s is seen by that team and you; a release says how many had one."),
    )
    reason = reason_field(
        N_("Reason"), N_("Those whom it is for read it; one for all stands on the task’s page.")
    )

    def validate_closes(self, field: UtcField) -> None:
        """An extension has an end."""
        if field.moment is None and not field.errors:
            raise ValidationError(_("Give the new deadline."))


class PublicItemsForm(SiteForm):
    """How many of the items are public, and by which seed they are drawn."""

    percent = IntegerField(
        N_("Per cent of the items"),
        description=N_("Of each level; the others decide the board."),
        default=30,
        validators=[InputRequired(N_("Give a number.")), NumberBounds(1, 99)],
    )
    seed = StringField(
        N_("Seed"),
        description=N_("Any word or number. The items are drawn by it, so that everybody can draw the same."),
        filters=[one_line],
        validators=[DataRequired(N_("Give a seed.")), MaxLength(MAX_SEED), require_visible],
        render_kw={"maxlength": MAX_SEED, "autocomplete": "off"},
    )


MAX_PAIRS = 1_000_000
_CORRELATION = NumberBounds(0.01, 0.99, N_("Write a correlation from 0.01 to 0.99."))


class DetectableForm(SiteForm):
    """What is supposed of two systems, and how many pairs are tested together."""

    class Meta:
        """It is sent with an address."""

        csrf = False

    r = FloatField(
        N_("Correlation with the gold"),
        validators=[InputRequired(N_("Give a number.")), _CORRELATION],
        default=0.8,
    )
    between = FloatField(
        N_("Correlation with each other"),
        validators=[InputRequired(N_("Give a number.")), _CORRELATION],
        default=0.9,
    )
    pairs = IntegerField(
        N_("Pairs"),
        description=N_("38 systems make 703."),
        validators=[InputRequired(N_("Give a number.")), NumberBounds(1, MAX_PAIRS)],
        default=703,
    )
