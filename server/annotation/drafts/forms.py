"""The form that asks what a table does not say about its campaign."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wtforms import BooleanField, FieldList, FloatField, HiddenField, RadioField, SelectField
from wtforms.validators import DataRequired, Optional, ValidationError

from scorer.bundles.bundle import ScaleSpec
from scorer.bundles.drafts.items_preview import IGNORED, ItemsPreview
from scorer.campaigns.config import scale_points
from scorer.campaigns.keys import MAX_ANSWERS, MAX_ASSIGNMENT, MAX_LABEL, MAX_SCALE_POINTS
from scorer.campaigns.scales import find_scale_fault
from server.annotation.answers.questions import LANGUAGE_NAMES
from server.annotation.drafts.tables import MAX_COLUMNS
from server.core.i18n import N_, _
from server.tasks.forms import CONTACT, LABEL_LINES, SCALE_END, TASK_SLUG, read_labels
from server.web.fields import CheckboxesField, SiteForm, ValidatedBy, line_field, lines_field, number_field
from server.web.validators import TITLE, RangeValidator, TextValidator, find_invisible, long_text, one_line

NO_GOLD = "none"
ROLE_LABELS = {
    IGNORED: N_("not used"),
    "left": N_("left text"),
    "right": N_("right or only text"),
    "pair": N_("both texts"),
    "id": N_("id"),
    "genre": N_("genre"),
    "group": N_("group"),
    "context": N_("context (not shown)"),
}
"""What a column of the table can be."""
ANNOTATORS_CONTACT = TextValidator(
    *CONTACT.checks, most=CONTACT.max, empty=N_("Enter an email address or a link."), clean=one_line
)
COMPARED = TextValidator(find_invisible, most=1000, clean=one_line)
LANGUAGE_CODE = TextValidator(
    empty=N_("Enter the code of a language, such as en."),
    pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$",
    pattern_error=N_("Enter the code of a language, such as en or pt-BR."),
    most=16,
    clean=one_line,
)


def _known_role(role: str) -> str:
    return role if role in ROLE_LABELS else IGNORED


def _scale_field(label: str, description: str = "") -> FloatField:
    return FloatField(label, description=description, validators=[Optional(), ValidatedBy(SCALE_END)])


class DraftForm(SiteForm):
    """The columns of a table, and what it does not say about its campaign."""

    shown = HiddenField()
    """The delimiter with which the page has shown the columns."""
    delimiter = RadioField(N_("Columns are separated by"), choices={"tab": N_("tabs"), "comma": N_("commas")})
    header = BooleanField(N_("The first line has the names of the columns"))
    roles = FieldList(
        SelectField(choices=ROLE_LABELS, coerce=_known_role), N_("Columns"), max_entries=MAX_COLUMNS
    )
    kind = RadioField(
        N_("What annotators do"),
        choices={
            "rate": N_("They rate each pair of texts on a scale"),
            "bws": N_("They choose the best and the worst of three or four texts (best-worst scaling)"),
        },
    )
    low = _scale_field(N_("Lowest rating"))
    high = _scale_field(N_("Highest rating"))
    step = _scale_field(N_("Step"), N_("The difference between two neighbouring ratings."))
    labels = lines_field(
        LABEL_LINES,
        N_("Labels"),
        N_(
            "One line for each point that has a label, such as: 4 = very similar. Leave the field empty for "
            "the usual labels, which the site has in each language."
        ),
        rows=5,
    )
    compared = line_field(
        COMPARED,
        N_("Text to compare with"),
        N_("Only for a list of texts: annotators choose the texts that are most and least similar to it."),
    )
    title = line_field(TITLE, N_("Title"), N_("Annotators see it."))
    slug = line_field(
        TASK_SLUG,
        N_("Short name"),
        N_("Used in URLs and in names of files: lowercase letters, digits and hyphens."),
        maxlength=64,
    )
    contact = line_field(
        ANNOTATORS_CONTACT,
        N_("Contact"),
        N_("Where annotators can ask questions: an email address or a link."),
    )
    answers = number_field(
        RangeValidator(1, MAX_ANSWERS),
        N_("Answers"),
        N_("How many annotators answer about each pair or each tuple of texts. 3 or 5 are usual."),
        empty=N_("Enter a number."),
    )
    assignment = number_field(
        RangeValidator(1, MAX_ASSIGNMENT),
        N_("Size of an assignment"),
        N_("How many pairs or tuples an annotator gets at most. 50 pairs or 20 tuples are usual."),
        empty=N_("Enter a number."),
    )
    language = SelectField(N_("Language of the annotators’ pages"), choices=LANGUAGE_NAMES)
    others = CheckboxesField(N_("Other languages that annotators can choose"), choices=LANGUAGE_NAMES)
    text_language = line_field(
        LANGUAGE_CODE,
        N_("Language of the texts"),
        N_("Its code, such as en. Screen readers need it."),
        maxlength=16,
    )
    guide = lines_field(
        long_text(50_000),
        N_("Instructions"),
        N_("What annotators should know, in Markdown, for all languages. Leave empty for none."),
        rows=8,
    )
    gold = SelectField(
        N_("Gold standard for"),
        description=N_("You cannot change this later."),
        validators=[DataRequired(N_("Choose one."))],
    )

    def show_columns(self, layout: ItemsPreview) -> None:
        """Replace what the columns are."""
        self.shown.data = self.delimiter.data = layout.delimiter
        self.header.data = layout.header
        self.roles.process(None, layout.roles)

    def validate(self, extra_validators: Mapping[str, Sequence[Any]] | None = None) -> bool:
        """Validate each field, and all of them together."""
        valid = bool(super().validate(extra_validators))
        for name, words in self._find_contradictions():
            if not self[name].errors:
                self[name].errors = [words]
                valid = False
        return valid

    def validate_roles(self, field: Any) -> None:
        """Require texts, and each role once."""
        twice = [role for role in ROLE_LABELS if role != IGNORED and field.data.count(role) > 1]
        if twice:
            label = _(ROLE_LABELS[twice[0]])
            raise ValidationError(_("Choose “%(label)s” for one column only.", label=label))
        if "pair" in field.data and {"left", "right"} & {*field.data}:
            raise ValidationError(_("Choose either “both texts”, or “left text” and “right text”."))
        if not {"pair", "right"} & {*field.data}:
            raise ValidationError(_("Choose the column of the right texts, or of the texts of a list."))

    def _find_contradictions(self) -> Iterator[tuple[str, str]]:
        has_left = bool({"pair", "left"} & {*self.roles.data})
        if self.kind.data == "rate":
            if not has_left and not self.roles.errors:
                yield "kind", _("A list of texts cannot be rated. Choose best-worst scaling, or a left text.")
            yield from self._find_scale_faults()
        elif not has_left and not self.compared.data:
            yield "compared", _("Enter the text with which the texts of the list are compared.")

    def _find_scale_faults(self) -> Iterator[tuple[str, str]]:
        low, high, step = self.low.data, self.high.data, self.step.data
        if low is None or high is None or step is None:
            empty = [name for name in ("low", "high", "step") if self[name].data is None]
            yield from ((name, _("Enter a number.")) for name in empty)
        elif (fault := find_scale_fault(low, high, step)) is None:
            yield from self._find_label_faults(scale_points(ScaleSpec(low, high, step)))
        elif fault[0] == "max":
            yield "high", _("The highest rating must be above the lowest.")
        else:
            words = _(
                "Enter a step that divides the scale, for at most %(most)d ratings.", most=MAX_SCALE_POINTS
            )
            yield "step", words

    def _find_label_faults(self, points: Sequence[float]) -> Iterator[tuple[str, str]]:
        labels = read_labels(self.labels.data or "")
        others = [f"{point:g}" for point, _label in labels if point not in points]
        if others:
            yield "labels", _("Not on the scale: %(points)s.", points=", ".join(others))
        if any(len(label) > MAX_LABEL for _point, label in labels):
            yield "labels", _("Use at most %(most)d characters for a label.", most=MAX_LABEL)
