"""Forms for a phase's dates and rules, for extending it, and for its public items."""

import re
from collections.abc import Mapping
from datetime import UTC
from typing import Any

import marshmallow
from apiflask.validators import Length
from wtforms import BooleanField, Field, RadioField, SelectField
from wtforms.validators import InputRequired, Optional, ValidationError
from wtforms.widgets import TextInput

from scorer.bundles.phase_reader import MAX_REMINDERS, MAX_STEP, MIN_STEP
from scorer.bundles.task_keys import find_limits
from scorer.bundles.toml_table import SLUG
from server.core import dates
from server.core.i18n import N_, _
from server.core.placeholders import is_placeholder_date
from server.tasks.forms import SluggedForm
from server.web.fields import (
    EditForm,
    ShortFloatField,
    SiteForm,
    ValidatedBy,
    line_field,
    lines_field,
    number_field,
    reason_field,
)
from server.web.times import reader_zone
from server.web.validators import TITLE, RangeValidator, TextValidator, find_invisible, long_text, one_line

REMINDER_HOURS = RangeValidator(*find_limits("phase", "reminders"))
GRACE_HOURS = RangeValidator(
    *find_limits("phase", "grace_hours"),
    error=N_("Enter a number of hours from %(low)s to %(high)s. With 0, late submissions are not accepted."),
)
RUNS_PER_TEAM = RangeValidator(*find_limits("phase", "runs_per_team"))
FILE_LIMIT = RangeValidator(
    *find_limits("phase", "files_per_level"),
    error=N_("Enter a number from %(low)s to %(high)s, or leave it empty."),
)
FEEDBACK_PLACES = RangeValidator(*find_limits("phase", "places"))
LADDER_STEP = RangeValidator(MIN_STEP, MAX_STEP)
PUBLIC_PERCENT = RangeValidator(1, 99)
ITEM_IDS = long_text(empty=N_("Enter the ids of the public items, one per line."))
SEED = TextValidator(find_invisible, most=80, empty=N_("Enter a seed."), clean=one_line)
PHASE_SLUG = TextValidator(
    empty=N_("Enter a short name."),
    pattern=f"^{SLUG.pattern}$",
    pattern_error=N_("Use lowercase letters, digits and hyphens between them."),
    clean=one_line,
)


class UtcField(Field):
    """An instant as text, in UTC or anywhere on earth; empty: None.

    `date_alone`: the time of a date without one; empty: a time is required.
    """

    widget = TextInput()

    def __init__(self, label: str, date_alone: str = "", **options: Any) -> None:
        super().__init__(label, **options)
        self.date_alone = date_alone

    def process_formdata(self, valuelist: list[Any]) -> None:
        """Read the submitted text."""
        if valuelist:
            self.data = None
            if text := valuelist[0].strip():
                self.data = dates.parse_moment(text, self.date_alone, reader_zone())

    @property
    def is_placeholder(self) -> bool:
        """Whether the field shows a date that nobody chose yet."""
        return not self.raw_data and is_placeholder_date(self.data)

    def _value(self) -> str:
        """Return the submitted text, or an instant in UTC, to the second if its seconds are not zero."""
        if self.raw_data:
            return str(self.raw_data[0])
        if self.data is None:
            return ""
        at = self.data.astimezone(UTC)
        return f"{at:%Y-%m-%d %H:%M:%S}" if at.second else f"{at:%Y-%m-%d %H:%M}"


FEEDBACK_LABELS = {
    "hidden": N_("Nothing until results are released"),
    "scores": N_("Exact scores"),
    "rounded": N_("Rounded scores"),
    "public-part": N_("Scores on a public part of the items"),
    "ladder": N_("The Ladder"),
}
FEEDBACK_RISKS = {
    "hidden": N_(
        "Reveals nothing about the gold standard unless another phase shows scores on the same "
        "items. Teams see that the file is valid, its SHA-256 and what counts."
    ),
    "scores": N_(
        "Reveals gold labels: in a simulation with 250 items, 27 exact Pearson scores revealed 243 "
        "labels. Use it for practice or where the gold standard is public."
    ),
    "rounded": N_(
        "Reveals gold labels more slowly: a submission reveals at most three labels if scores have three "
        "decimal places, and at most one if they have two. Keep the number of submissions small."
    ),
    "public-part": N_(
        "Reveals labels of the public items only; the other items decide the leaderboard. Declare "
        "the public items before the first submission."
    ),
    "ladder": N_(
        "Shows each team’s best official score so far, in steps. The shown score changes only for a "
        "submission that is better by more than one step (Blum and Hardt, 2015). The paper’s guarantee "
        "does not cover correlations, so the Ladder is only a heuristic here."
    ),
}
"""What each kind of feedback reveals about the gold standard."""
BOARD_LABELS = {
    "released": N_("Manual: organizers release results"),
    "live": N_("Live: updated automatically within a minute, with the scores that teams see"),
}

BASELINE_LABELS = {
    "after": N_("After the last deadline on these items"),
    "always": N_("Always, even while the phase is open"),
}


class RemindersValidator(Length):
    """Accepts a few numbers of hours before a phase closes."""

    def __call__(self, value: Any) -> Any:
        """Check the numbers; apispec reads how many there may be."""
        most = REMINDER_HOURS.max
        if not all(REMINDER_HOURS.min <= hours <= most for hours in value):
            raise marshmallow.ValidationError(
                _("Enter hours from 1 to %(most)d separated by commas, such as 72, 24.", most=most)
            )
        if len(value) > MAX_REMINDERS:
            raise marshmallow.ValidationError(_("Enter at most %(most)d reminder times.", most=MAX_REMINDERS))
        return value


REMINDERS = RemindersValidator(max=MAX_REMINDERS)


class HoursField(Field):
    """Whole numbers of hours, separated by commas; empty: none."""

    widget = TextInput()

    def process_data(self, value: Any) -> None:
        """Show a list of hours."""
        self.data = value or ()

    def process_formdata(self, valuelist: list[Any]) -> None:
        """Read the submitted numbers; text that is no number is converted to an invalid one."""
        if valuelist:
            words = filter(None, re.split(r"[,;\s]+", valuelist[0].strip()))
            self.data = [int(word) if re.fullmatch(r"[0-9]{1,3}", word) else 0 for word in words]

    def _value(self) -> str:
        return str(self.raw_data[0]) if self.raw_data else ", ".join(map(str, self.data))


def find_contradictions(phase: Mapping[str, Any]) -> dict[str, str]:
    """Find contradictions between a phase's dates and rules, by the field that should be fixed."""
    found = {}
    if phase["closes"] is None and phase["grace_hours"]:
        found["grace_hours"] = _("A grace period needs a closing time. Enter one, or 0 hours.")
    if phase["closes"] is None and phase["reminders"]:
        found["reminders"] = _("Reminders need a closing time. Enter one, or leave reminders empty.")
    if phase["board"] == "live" and phase["feedback"] == "hidden":
        found["board"] = _(
            "A live leaderboard shows scores. Choose which scores teams see, or a manual release."
        )
    return found


class PhaseForm(EditForm):
    """The dates and rules of a phase."""

    title = line_field(TITLE, N_("Title"))
    opens = UtcField(
        N_("Opens"),
        "00:00",
        description=N_(
            "In UTC, such as 2026-03-01 09:00, or add AoE for anywhere on earth. A date alone begins at "
            "00:00. Leave empty to open at once."
        ),
    )
    closes = UtcField(
        N_("Closes"),
        "23:59:59",
        description=N_(
            "In UTC, such as 2026-03-15 12:00, or add AoE for anywhere on earth. A date alone ends at "
            "23:59:59. Leave empty for no deadline."
        ),
    )
    grace_hours = number_field(
        GRACE_HOURS,
        N_("Grace period (hours)"),
        N_("How long late submissions are accepted. They are scored and shown separately."),
        empty=N_("Enter a number of hours. With 0, late submissions are not accepted."),
    )
    reminders = HoursField(
        N_("Reminders"),
        description=N_(
            "Hours before the deadline at which teams with missing submissions get an email, such as "
            "72, 24. Leave empty for none."
        ),
        validators=[ValidatedBy(REMINDERS)],
        render_kw={"autocomplete": "off"},
    )
    runs_per_team = number_field(
        RUNS_PER_TEAM,
        N_("Runs per team"),
        N_("Runs are systems. Withdrawn runs count, too."),
        empty=N_("Enter a number."),
    )
    files_per_level = number_field(
        FILE_LIMIT,
        N_("Submissions per level"),
        N_("For all runs of a team together. Leave empty for no limit."),
    )
    files_per_day = number_field(
        FILE_LIMIT,
        N_("Submissions per level and day"),
        N_("For all runs of a team together. Days are in UTC. Leave empty for no limit."),
    )
    feedback = RadioField(N_("Scores shown to teams"), choices=FEEDBACK_LABELS)
    feedback_places = number_field(
        FEEDBACK_PLACES, N_("Decimal places"), N_("For rounded scores, from 0 to 6."), default=2
    )
    ladder_step = ShortFloatField(
        N_("Step of the Ladder"),
        description=N_("How much better a submission must be to change the shown score, from 0.0001 to 1."),
        default=0.01,
        validators=[Optional(), ValidatedBy(LADDER_STEP)],
    )
    board = RadioField(N_("Leaderboard"), choices=BOARD_LABELS)
    baselines = RadioField(N_("Baselines in releases"), choices=BASELINE_LABELS, default="after")
    sure = BooleanField()
    runs_public = BooleanField(
        N_(
            "Publish the submissions that count and the late ones with the results (teams are told when they "
            "upload)"
        )
    )

    def find_contradictions(self) -> list[tuple[str, str]]:
        """Return the contradictions; without a closing time that can be read, only that of the board."""
        found = find_contradictions(self.data).items()
        return [pair for pair in found if pair[0] == "board" or not self.closes.errors]


class NewPhaseForm(SluggedForm, PhaseForm):
    """A new phase."""

    slug = line_field(
        PHASE_SLUG,
        N_("Short name"),
        N_(
            "Used in URLs, such as post-evaluation: lowercase letters, digits and hyphens. Leave it empty to "
            "make it from the title. It cannot be changed later."
        ),
        maxlength=64,
    )
    split = SelectField(N_("Items"), description=N_("The split that is scored. It cannot be changed later."))


class ExtendForm(SiteForm):
    """A later deadline, for all teams or for one."""

    closes = UtcField(
        N_("New deadline"),
        description=N_("In UTC, such as 2026-03-16 12:00, or add AoE for anywhere on earth."),
    )
    team = SelectField(
        N_("For"),
        description=N_(
            "An extension for one team is visible only to that team, the organizers and the observers."
        ),
    )
    reason = reason_field(
        N_("Reason"), N_("Shown to the team, or to everyone if the extension is for all teams.")
    )

    def validate_closes(self, field: UtcField) -> None:
        """Require the new deadline."""
        if field.data is None and not field.errors:
            raise ValidationError(_("Enter the new deadline."))


class PublicItemsForm(SiteForm):
    """The percentage of public items, and the seed by which they are drawn."""

    percent = number_field(
        PUBLIC_PERCENT,
        N_("Percentage of items"),
        N_("Of each level. The other items decide the leaderboard."),
        empty=N_("Enter a number."),
        default=30,
    )
    seed = line_field(
        SEED,
        N_("Seed"),
        N_("Any word or number. With the same seed, anyone can draw the same items."),
    )


class ListedItemsForm(SiteForm):
    """The public items of one level, by their ids."""

    level = SelectField(N_("Level"))
    ids = lines_field(
        ITEM_IDS,
        N_("Ids of the public items"),
        N_("One per line. The other items of the level decide the leaderboard."),
        rows=8,
    )


_CORRELATION = [
    InputRequired(N_("Enter a number.")),
    ValidatedBy(RangeValidator(0.01, 0.99, error=N_("Enter a correlation from 0.01 to 0.99."))),
]


class DetectableForm(SiteForm):
    """Assumptions about two systems, and how many pairs are tested together."""

    class Meta:
        """It is sent by GET, which needs no CSRF token."""

        csrf = False

    r = ShortFloatField(N_("Correlation with the gold standard"), validators=_CORRELATION, default=0.8)
    between = ShortFloatField(N_("Correlation between the systems"), validators=_CORRELATION, default=0.9)
    pairs = number_field(
        RangeValidator(1, 1_000_000),
        N_("Pairs"),
        N_(
            "How many pairs of systems are tested. By default 703: the pairs of the 38 systems of "
            "SemEval-2014 Task 3."
        ),
        empty=N_("Enter a number."),
        default=703,
    )
