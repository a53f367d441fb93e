"""The forms of the steps by which a task is set up."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from flask_wtf.file import FileField
from wtforms import BooleanField, FieldList, FloatField, RadioField, SelectField, SelectMultipleField
from wtforms.validators import InputRequired, Optional, ValidationError
from wtforms.widgets import CheckboxInput, ListWidget

from scorer.bundles.drafts.items_preview import IGNORED
from scorer.bundles.overview import divides_scale
from scorer.bundles.task_keys import find_limits
from scorer.bundles.toml_table import LEVEL_SLUG as _LEVEL_SLUG
from scorer.files.numbers import read_number
from scorer.metrics import METRICS
from server.core.i18n import N_, _
from server.phases.forms import FEEDBACK_LABELS, PHASE_SLUG, NewPhaseForm
from server.setups.rules import suggest_slug
from server.tasks.forms import ContactForm
from server.web.fields import SiteForm, ValidatedBy, line_field, lines_field, number_field
from server.web.validators import TITLE, RangeValidator, TextValidator, find_invisible, long_text, one_line

TEXT_LIMIT = 1024 * 1024
"""The maximum size of the form with a task's texts."""
LEVEL_SLUG = TextValidator(
    empty=N_("Enter a short name."),
    pattern=f"^{_LEVEL_SLUG.pattern}$",
    pattern_error=N_("Use letters, digits, and hyphens or underscores between them."),
    clean=one_line,
)
SIDE = TextValidator(find_invisible, most=40, empty=N_("Enter a word."), clean=one_line)
COLUMN_NAME = TextValidator(find_invisible, most=100, clean=one_line)
LABEL_LINES = long_text(10_000)
SCALE_END = RangeValidator(-1e9, 1e9)
CONFIDENCE = RangeValidator(1e-9, 1e9, error=N_("Enter a number above 0."))
LEVELS_TO_ENTER = RangeValidator(*find_limits("board", "enter_at_least"))
METRIC_TITLES = {name: metric.title for name, metric in METRICS.items()}
_LABEL_LINE = re.compile(r"(\S+?)\s*[:=\s]\s*(.*\S)")
ROLE_LABELS = {
    IGNORED: N_("not used"),
    "left": N_("left text"),
    "right": N_("right text"),
    "pair": N_("both texts"),
    "id": N_("id"),
    "genre": N_("genre"),
    "sense_key": N_("sense key"),
    "context": N_("context (shown with the pair)"),
    "group": N_("group (for choice accuracy)"),
}
"""What a column of an items file can be."""
MAX_COLUMNS = 100


class CheckboxesField(SelectMultipleField):
    """Several choices, each with a checkbox."""

    widget = ListWidget(prefix_label=False)
    option_widget = CheckboxInput()


class SluggedForm(SiteForm):
    """A form with a title, for which a short name is suggested if none was given."""

    def validate(self, extra_validators: Mapping[str, Sequence[Any]] | None = None) -> bool:
        """Validate each field, after the short name was made from the title if none was given."""
        if not self.slug.data:
            self.slug.data = suggest_slug(self.title.data or "")
        valid = bool(super().validate(extra_validators))
        if not self.slug.data:
            words = _("The title has no letters from a to z and no digits. Enter a short name.")
            self.slug.errors = [words] if self.title.data else []
        return valid


class BeginForm(SluggedForm):
    """The names of a new task."""

    title = line_field(TITLE, N_("Title"))
    slug = line_field(
        PHASE_SLUG,
        N_("Short name"),
        N_(
            "Used in URLs, such as similarity-2027: lowercase letters, digits and hyphens. Leave it "
            "empty to make it from the title."
        ),
        maxlength=64,
    )


class TextsForm(ContactForm, BeginForm):
    """The names and texts of a task."""

    description = lines_field(
        long_text(), N_("Description"), N_("What the task is about, in Markdown."), rows=12
    )
    licence = lines_field(
        long_text(2000),
        N_("Licence of the data"),
        N_("One line, shown below the list of data files."),
        rows=2,
    )
    terms = lines_field(
        long_text(),
        N_("Terms"),
        N_(
            "In Markdown; leave empty for none. Everyone has to accept the terms before downloading data or "
            "uploading files."
        ),
        rows=6,
    )


class ScaleForm(SiteForm):
    """The rating scale, the metrics, the format of runs, and the total."""

    low = FloatField(
        N_("Lowest value"), validators=[InputRequired(N_("Enter a number.")), ValidatedBy(SCALE_END)]
    )
    high = FloatField(
        N_("Highest value"), validators=[InputRequired(N_("Enter a number.")), ValidatedBy(SCALE_END)]
    )
    step = FloatField(
        N_("Step"),
        description=N_(
            "The difference between two points of the scale. Leave it empty if a label can have any value."
        ),
        validators=[Optional()],
    )
    labels = lines_field(
        LABEL_LINES,
        N_("Labels"),
        N_("One line for each point that has a label, such as: 4 = very similar. Leave empty for none."),
        rows=5,
    )
    official = SelectField(
        N_("Official metric"),
        description=N_("It decides the ranking."),
        choices=METRIC_TITLES,
    )
    others = CheckboxesField(N_("Other metrics, shown beside the official one"), choices=METRIC_TITLES)
    run_format = RadioField(
        N_("Run files"),
        choices={
            "aligned": N_("One score per line, in the order of the items"),
            "keyed": N_("A table with a header, with the id of the item in each row"),
        },
        default="aligned",
    )
    keyed_id = line_field(COLUMN_NAME, N_("Column of ids"), N_("Such as pair_ID."))
    keyed_score = line_field(COLUMN_NAME, N_("Column of scores"), N_("Such as relatedness_score."))
    keyed_gold = line_field(
        COLUMN_NAME,
        N_("Column of gold values"),
        N_("In gold files, if it differs from the column of scores."),
    )
    keyed_confidence = line_field(
        COLUMN_NAME, N_("Column of confidences"), N_("Leave it empty if runs have none.")
    )
    confidence = FloatField(
        N_("Highest confidence"),
        description=N_("Runs can have a confidence beside each score, from 0 to this number."),
        default=1.0,
        validators=[Optional(), ValidatedBy(CONFIDENCE)],
    )
    total = RadioField(
        N_("Total over the levels"),
        choices={
            "sum": N_("Sum"),
            "mean": N_("Mean"),
            "weighted": N_("Mean, weighted by the number of items"),
            "none": N_("None"),
        },
        default="sum",
    )
    total_needs = RadioField(
        N_("Systems that did not enter all levels"),
        choices={
            "entered": N_("The total is over the levels that they entered"),
            "all": N_("They have no total"),
        },
        default="entered",
    )
    enter_at_least = number_field(
        LEVELS_TO_ENTER,
        N_("Minimum number of levels"),
        N_("A system with fewer levels is not in the overall ranking."),
        empty=N_("Enter a number."),
        default=1,
    )

    def validate(self, extra_validators: Mapping[str, Sequence[Any]] | None = None) -> bool:
        """Validate each field, and all of them together."""
        valid = bool(super().validate(extra_validators))
        for name, words in self._find_contradictions():
            if not self[name].errors:
                self[name].errors = [words]
                valid = False
        return valid

    def _find_contradictions(self) -> list[tuple[str, str]]:
        low, high, step = self.low.data, self.high.data, self.step.data
        found = []
        if low is not None and high is not None and high <= low:
            found.append(("high", _("The highest value must be above the lowest.")))
        elif low is not None and high is not None and step is not None and not 0 < step <= high - low:
            words = _("Enter a number above 0 that is not larger than the scale, or leave the field empty.")
            found.append(("step", words))
        elif low is not None and high is not None and step is not None and not divides_scale(step, low, high):
            words = _(
                "Steps of %(step)s from %(low)s do not reach %(high)s. Enter a step that divides the scale, "
                "or leave the field empty.",
                step=f"{step:g}", low=f"{low:g}", high=f"{high:g}",
            )  # fmt: skip
            found.append(("step", words))
        if low is not None and high is not None:
            points = [f"{point:g}" for point, _label in self._read_points() if not low <= point <= high]
            words = _("Outside the scale: %(points)s.", points=", ".join(points))
            found += [("labels", words)] if points else []
        if self.run_format.data == "keyed":
            empty = [name for name in ("keyed_id", "keyed_score") if not self[name].data]
            found += [(name, _("Enter the name of the column.")) for name in empty]
        return found

    def _read_points(self) -> list[tuple[float, str]]:
        """Return the points that have a label, as far as they can be read."""
        points = map(read_label, (self.labels.data or "").split("\n"))
        return [point for point in points if point is not None]

    def validate_labels(self, field: Any) -> None:
        """Require a number and a label in each line, each number once."""
        lines = [line for line in (field.data or "").split("\n") if line.strip()]
        points = [read_label(line) for line in lines]
        for line, point in zip(lines, points, strict=True):
            if point is None:
                words = _(
                    '"%(line)s": write a number and its label, such as: 4 = very similar.', line=line[:80]
                )
                raise ValidationError(words)
        numbers = [point[0] for point in points if point is not None]
        if len(set(numbers)) < len(numbers):
            raise ValidationError(_("Give each point one label."))


def read_label(line: str) -> tuple[float, str] | None:
    """Read a point of the scale and its label; None if the line has none."""
    match = _LABEL_LINE.fullmatch(line.strip())
    point = None if match is None else read_number(match[1])
    return None if match is None or point is None else (point, match[2])


class BaselinesForm(SiteForm):
    """The baselines that the site computes."""

    lcs = BooleanField(N_("LCS: the longest common substring of both texts"))
    gst = BooleanField(N_("GST: greedy string tiling"))


class LevelForm(SluggedForm):
    """The names of a level."""

    title = line_field(TITLE, N_("Title"), N_("Such as Paragraph to sentence."))
    slug = line_field(
        LEVEL_SLUG,
        N_("Short name"),
        N_(
            "Used in URLs and in the names of files, such as paragraph2sentence: letters, digits, hyphens "
            "and underscores. Leave it empty to make it from the title."
        ),
        maxlength=64,
    )
    left = line_field(SIDE, N_("The left text is a"), N_("Such as paragraph."), maxlength=40)
    right = line_field(SIDE, N_("The right text is a"), N_("Such as sentence."), maxlength=40)
    counts = BooleanField(N_("Counts in the total"), default=True)
    official = SelectField(
        N_("Official metric of the level"),
        choices={"": N_("that of the task"), **METRIC_TITLES},
        default="",
    )
    others = CheckboxesField(N_("Its other metrics"), choices=METRIC_TITLES)

    def validate_others(self, field: Any) -> None:
        """Require an official metric beside other ones."""
        if field.data and not self.official.data:
            raise ValidationError(_("Choose the official metric of the level, too."))

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics of the level, the official one first; none: those of the task."""
        others = [name for name in self.others.data or () if name != self.official.data]
        return (self.official.data, *others) if self.official.data else ()


class SplitForm(SiteForm):
    """The files of a split of a level."""

    items = FileField(N_("Items"), render_kw={"accept": ".tsv,.csv,.txt"})
    gold = FileField(N_("Gold"), render_kw={"accept": ".tsv,.csv,.txt"})
    public_gold = BooleanField(N_("Everyone can download the gold"))
    remove = BooleanField(N_("Remove these files"))


class ColumnsForm(SiteForm):
    """What the columns of a level's items are."""

    delimiter = RadioField(N_("Columns are separated by"), choices={"tab": N_("tabs"), "comma": N_("commas")})
    header = BooleanField(N_("The first line has the names of the columns"))
    roles = FieldList(SelectField(choices=ROLE_LABELS), N_("Columns"), max_entries=MAX_COLUMNS)

    def validate_roles(self, field: Any) -> None:
        """Require both sides, and each role once."""
        given = [entry.data for entry in field]
        sides = [role for role in ("left", "right") if role in given]
        if "pair" in given and sides:
            raise ValidationError(_("Choose either “both texts”, or “left text” and “right text”."))
        if "pair" not in given and len(sides) < 2:
            raise ValidationError(_("Choose the columns of the left text and of the right text."))
        twice = [role for role in ROLE_LABELS if role != IGNORED and given.count(role) > 1]
        if twice:
            label = _(ROLE_LABELS[twice[0]])
            raise ValidationError(_("Choose “%(label)s” for one column only.", label=label))


class SetupPhaseForm(NewPhaseForm):
    """A phase; which items are public can be declared once the task is there."""

    feedback = RadioField(
        N_("Scores shown to teams"),
        choices={kind: label for kind, label in FEEDBACK_LABELS.items() if kind != "public-part"},
    )
