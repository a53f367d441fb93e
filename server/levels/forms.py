"""The forms of a level: its names and metrics, the files of its splits, and their columns."""

from typing import Any

from flask_wtf.file import FileField
from wtforms import BooleanField, FieldList, RadioField, SelectField
from wtforms.validators import ValidationError

from scorer.bundles.drafts.items_preview import IGNORED
from scorer.bundles.toml_table import LEVEL_SLUG as _LEVEL_SLUG
from scorer.metrics import METRICS
from server.annotation.drafts.forms import COLUMN_LABELS
from server.core.i18n import N_, _
from server.levels.preview import MAX_COLUMNS
from server.tasks.forms import SluggedForm
from server.web.fields import CheckboxesField, EditForm, SiteForm, line_field
from server.web.validators import TITLE, TextValidator, find_invisible, one_line

LEVEL_SLUG = TextValidator(
    empty=N_("Enter a short name."),
    pattern=f"^{_LEVEL_SLUG.pattern}$",
    pattern_error=N_("Use letters, digits, and hyphens or underscores between them."),
    clean=one_line,
)
SIDE = TextValidator(find_invisible, most=40, empty=N_("Enter a word."), clean=one_line)
METRIC_TITLES = {name: metric.title for name, metric in METRICS.items()}
ROLE_LABELS = COLUMN_LABELS | {
    "right": N_("right text"),
    "sense_key": N_("sense key"),
    "context": N_("context (shown with the pair)"),
    "group": N_("group (for choice accuracy)"),
}
"""What a column of an items file can be."""


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


class FilesForm(EditForm):
    """The files of all splits and the columns, of which each split and the columns have a form."""


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
