"""Forms for a phase's dates and rules, for extending it, and for its public items."""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import marshmallow
from apiflask.validators import Length
from wtforms import BooleanField, Field, FloatField, RadioField, SelectField
from wtforms.validators import InputRequired, Optional, ValidationError
from wtforms.widgets import TextInput

from server.core.dates import ALLOWED_YEARS, YEAR_MESSAGE
from server.core.i18n import N_, _
from server.web.fields import Holds, SiteForm, line_field, number_field, reason_field
from server.web.validators import TITLE, RangeValidator, TextValidator, find_invisible, one_line

MAX_REMINDERS = 5
REMINDER_HOURS = RangeValidator(1, 30 * 24)
GRACE_HOURS = RangeValidator(
    0, 366 * 24, error=N_("Give a number from %(low)s to %(high)s; 0: no late files.")
)
RUNS_PER_TEAM = RangeValidator(1, 1_000_000)
FILE_LIMIT = RangeValidator(1, 1_000_000, error=N_("Give a number from %(low)s to %(high)s, or none."))
FEEDBACK_PLACES = RangeValidator(0, 6)
LADDER_STEP = RangeValidator(0.0001, 1)
PUBLIC_PERCENT = RangeValidator(1, 99)
SEED = TextValidator(find_invisible, most=80, empty=N_("Give a seed."), clean=one_line)
PHASE_SLUG = TextValidator(
    empty=N_("Give a short name."),
    pattern=r"^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$",
    pattern_error=N_("Use small letters, digits and inner hyphens."),
    clean=one_line,
)
_MOMENT_PATTERN = re.compile(
    r"(\d{4}-\d\d-\d\d)[T ]+(\d\d:\d\d(?::\d\d)?)(?:\.0+)?\s*(UTC|Z|AoE)?", re.IGNORECASE
)
_AOE = timezone(timedelta(hours=-12))


class UtcField(Field):
    """An instant as text: in UTC, or where the day ends last; empty: None."""

    widget = TextInput()

    def process_formdata(self, valuelist: list[Any]) -> None:
        """Read what was typed."""
        if valuelist:
            self.data = None
            self.data = _parse_moment(valuelist[0].strip())

    def _value(self) -> str:
        """What was typed, or an instant in UTC, to the second if it has any."""
        if self.raw_data:
            return str(self.raw_data[0])
        if self.data is None:
            return ""
        at = self.data.astimezone(UTC)
        return f"{at:%Y-%m-%d %H:%M:%S}" if at.second else f"{at:%Y-%m-%d %H:%M}"


def _parse_moment(text: str) -> datetime | None:
    """The instant that a text says; 24:00 is the end of its day."""
    if not text:
        return None
    match = _MOMENT_PATTERN.fullmatch(text)
    day, time, zone = match.groups("") if match else ("", "", "")
    ends_day = re.fullmatch(r"24:00(:00)?", time)
    try:
        moment = datetime.fromisoformat(day if ends_day else f"{day}T{time}")
        moment += timedelta(days=1 if ends_day else 0)
    except (ValueError, OverflowError) as error:
        raise ValueError(
            _("Write a date and time in UTC, as 2026-03-15 12:00; or with AoE after it.")
        ) from error
    if moment.year not in ALLOWED_YEARS:
        raise ValueError(_(YEAR_MESSAGE))
    return moment.replace(tzinfo=_AOE if zone.lower() == "aoe" else UTC).astimezone(UTC)


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


class RemindersValidator(Length):
    """So many hours before a phase closes, a few times."""

    def __call__(self, value: Any) -> Any:
        """Check them; apispec reads how many there may be."""
        most = REMINDER_HOURS.max
        if not all(REMINDER_HOURS.min <= hours <= most for hours in value):
            raise marshmallow.ValidationError(
                _("Write hours from 1 to %(most)d with commas, as 72, 24.", most=most)
            )
        if len(value) > MAX_REMINDERS:
            raise marshmallow.ValidationError(_("Give %(most)d times at most.", most=MAX_REMINDERS))
        return value


REMINDERS = RemindersValidator(max=MAX_REMINDERS)


class HoursField(Field):
    """Whole numbers of hours with commas between them; empty: none."""

    widget = TextInput()

    def process_data(self, value: Any) -> None:
        """Show a list of hours."""
        self.data = value or ()

    def process_formdata(self, valuelist: list[Any]) -> None:
        """Read what was typed; what is no number of three digits at most is none that can be."""
        if valuelist:
            words = filter(None, re.split(r"[,;\s]+", valuelist[0].strip()))
            self.data = [int(word) if re.fullmatch(r"[0-9]{1,3}", word) else 0 for word in words]

    def _value(self) -> str:
        return str(self.raw_data[0]) if self.raw_data else ", ".join(map(str, self.data))


def find_contradictions(phase: Mapping[str, Any]) -> dict[str, str]:
    """What of a phase's dates and rules does not go together, by the field that is to be mended."""
    found = {}
    if phase["closes"] is None and phase["grace_hours"]:
        found["grace_hours"] = _("Hours of grace need a closing time; give one, or 0 hours.")
    if phase["closes"] is None and phase["reminders"]:
        found["reminders"] = _("Reminders need a closing time; give one, or leave them empty.")
    if phase["board"] == "live" and phase["feedback"] == "hidden":
        found["board"] = _("A live board shows scores; choose what teams see of them, or no live board.")
    return found


class PhaseForm(SiteForm):
    """Dates and rules of a phase."""

    title = line_field(TITLE, N_("Title"))
    opens = UtcField(N_("Opens"), description=N_("In UTC, as 2026-03-01 09:00; empty: open from the start."))
    closes = UtcField(
        N_("Closes"), description=N_("In UTC, or as 2026-03-15 23:59 AoE; empty: without a deadline.")
    )
    grace_hours = number_field(
        GRACE_HOURS,
        N_("Hours of grace"),
        N_("How long late files are taken after that; they are scored and shown apart."),
        empty=N_("Give a number; 0: no late files."),
    )
    reminders = HoursField(
        N_("Reminders"),
        description=N_(
            "So many hours before it closes, teams with incomplete runs are reminded by mail, "
            "as 72, 24; empty: never."
        ),
        validators=[Holds(REMINDERS)],
        render_kw={"autocomplete": "off"},
    )
    runs_per_team = number_field(RUNS_PER_TEAM, N_("Runs a team"), empty=N_("Give a number."))
    files_per_level = number_field(
        FILE_LIMIT,
        N_("Scored files for each level"),
        N_("Of a team, all its runs together; empty: as many as they like."),
    )
    files_per_day = number_field(
        FILE_LIMIT,
        N_("Scored files for each level and day"),
        N_("Of a team, all its runs together. A day is a day of UTC; empty: no such bound."),
    )
    feedback = RadioField(N_("What teams see of their scores"), choices=FEEDBACK_LABELS)
    feedback_places = number_field(
        FEEDBACK_PLACES, N_("Decimal places"), N_("Of rounded scores, from 0 to 6."), default=2
    )
    ladder_step = FloatField(
        N_("Step of the Ladder"),
        description=N_("By how much the best score has to grow before it moves, from 0.0001 to 1."),
        default=0.01,
        validators=[Optional(), Holds(LADDER_STEP)],
    )
    board = RadioField(N_("Board"), choices=BOARD_LABELS)
    baselines = RadioField(N_("Baselines in released boards"), choices=BASELINE_LABELS, default="after")
    sure = BooleanField(N_("Show teams the scores of the files that they have sent"))
    runs_public = BooleanField(
        N_("Files that count are published with the release; teams are told at upload")
    )

    def validate(self, extra_validators: Mapping[str, Sequence[Any]] | None = None) -> bool:
        """Whether each field may stand, and all of them beside each other."""
        valid: bool = super().validate(extra_validators)
        for name, words in find_contradictions(self.data).items():
            if not self[name].errors and (name == "board" or not self.closes.errors):
                self[name].errors = [*self[name].errors, words]
                valid = False
        return valid


class NewPhaseForm(PhaseForm):
    """A phase that is to be."""

    slug = line_field(
        PHASE_SLUG,
        N_("Short name"),
        N_("For addresses, as post-evaluation: small letters, digits and hyphens. It stays."),
        maxlength=64,
    )
    split = SelectField(N_("On the items of"), description=N_("Which split the runs answer. It stays."))


class ExtendForm(SiteForm):
    """A later deadline, for all or for one team."""

    closes = UtcField(
        N_("New deadline"), description=N_("In UTC, as 2026-03-16 12:00; or with AoE after it.")
    )
    team = SelectField(
        N_("For"), description=N_("One team’s is seen by that team and you; a release says how many had one.")
    )
    reason = reason_field(
        N_("Reason"), N_("Those whom it is for read it; one for all stands on the task’s page.")
    )

    def validate_closes(self, field: UtcField) -> None:
        """An extension has an end."""
        if field.data is None and not field.errors:
            raise ValidationError(_("Give the new deadline."))


class PublicItemsForm(SiteForm):
    """How many of the items are public, and by which seed they are drawn."""

    percent = number_field(
        PUBLIC_PERCENT,
        N_("Per cent of the items"),
        N_("Of each level; the others decide the board."),
        empty=N_("Give a number."),
        default=30,
    )
    seed = line_field(
        SEED,
        N_("Seed"),
        N_("Any word or number. The items are drawn by it, so that everybody can draw the same."),
    )


_CORRELATION = [
    InputRequired(N_("Give a number.")),
    Holds(RangeValidator(0.01, 0.99, error=N_("Write a correlation from 0.01 to 0.99."))),
]


class DetectableForm(SiteForm):
    """What is supposed of two systems, and how many pairs are tested together."""

    class Meta:
        """It is sent with an address."""

        csrf = False

    r = FloatField(N_("Correlation with the gold"), validators=_CORRELATION, default=0.8)
    between = FloatField(N_("Correlation with each other"), validators=_CORRELATION, default=0.9)
    pairs = number_field(
        RangeValidator(1, 1_000_000),
        N_("Pairs"),
        N_("38 systems make 703."),
        empty=N_("Give a number."),
        default=703,
    )
