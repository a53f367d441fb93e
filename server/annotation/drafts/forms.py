"""The form that asks what a table does not say about its campaign."""

from collections.abc import Iterator
from typing import Any

from wtforms import BooleanField, FieldList, SelectField
from wtforms.validators import DataRequired

from scorer.bundles.drafts.items_preview import IGNORED
from scorer.campaigns.drafts.draft import MAX_COLUMNS, CampaignDraft, find_faults
from scorer.campaigns.keys import MAX_ANSWERS, MAX_ASSIGNMENT
from server.annotation.answers.questions import LANGUAGE_NAMES
from server.annotation.campaigns.forms import CampaignNameForm
from server.annotation.drafts.inputs import correct_draft
from server.core.i18n import N_
from server.tasks.forms import CONTACT, ScaleForm
from server.web.fields import CheckboxesField, line_field, markdown_field, number_field
from server.web.validators import RangeValidator, TextValidator, find_invisible, long_text, one_line

COLUMN_LABELS = {
    IGNORED: N_("not used"),
    "left": N_("left text"),
    "right": N_("right or only text"),
    "pair": N_("both texts"),
    "id": N_("id"),
    "genre": N_("genre"),
    "group": N_("group of pairs"),
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
    return role if role in COLUMN_LABELS else IGNORED


class DraftForm(ScaleForm, CampaignNameForm):
    """The columns of a table, and what it does not say about its campaign."""

    header = BooleanField(N_("The first line has the names of the columns"))
    roles = FieldList(
        SelectField(choices=COLUMN_LABELS, coerce=_known_role), N_("Columns"), max_entries=MAX_COLUMNS
    )
    compared = line_field(
        COMPARED,
        N_("Text to compare with"),
        N_("Annotators choose the texts that are most and least similar to it."),
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
    languages = CheckboxesField(N_("Languages of the annotators’ pages"), choices=LANGUAGE_NAMES)
    text_language = line_field(
        LANGUAGE_CODE,
        N_("Language of the texts"),
        N_("Its code, such as en. Screen readers need it, and annotators’ pages begin in it if they can."),
        maxlength=16,
    )
    guide = markdown_field(
        long_text(50_000),
        N_("Instructions"),
        N_("What annotators should know, for all languages. Leave empty for none."),
    )
    gold = SelectField(
        N_("Gold standard for"),
        description=N_("You cannot change this later."),
        validators=[DataRequired(N_("Choose one."))],
    )

    def __init__(self, draft: CampaignDraft, **options: Any) -> None:
        super().__init__(**options)
        self._draft = draft

    def correct_draft(self) -> CampaignDraft:
        """Return the draft with the values of the form, each of which is valid by itself."""
        return correct_draft(self._draft, self.data)

    def find_contradictions(self) -> Iterator[tuple[str, str]]:
        """Yield what the scorer finds in the answers, once each of them is valid by itself."""
        if not self.errors:
            yield from find_faults(self.correct_draft())
