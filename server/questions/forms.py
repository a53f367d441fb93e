"""Forms of questions and answers."""

from typing import Any

from wtforms import HiddenField, RadioField
from wtforms.validators import DataRequired, StopValidation

from server.core.i18n import N_
from server.web.fields import SiteForm, markdown_field
from server.web.validators import long_text

QUESTION_TEXT = long_text(2000, empty=N_("Enter your question."))
ANSWER_TEXT = long_text(5000, empty=N_("Enter an answer."))
PUBLIC_QUESTION = long_text(2000)
TEAM, EVERYONE = "team", "everyone"


class QuestionForm(SiteForm):
    """A question to the organizers."""

    text = markdown_field(
        QUESTION_TEXT,
        N_("Your question"),
        N_("Only your team, the organizers and observers can read it."),
        rows=5,
    )


class AnswerForm(SiteForm):
    """An answer to a team, or to everyone."""

    text = markdown_field(ANSWER_TEXT, N_("Answer"))
    readers = RadioField(
        N_("Who can read it"),
        choices={TEAM: N_("Only the team that asked"), EVERYONE: N_("Everyone, on the page Questions")},
        default=TEAM,
        validators=[DataRequired(N_("Choose who can read it."))],
    )
    public_question = markdown_field(
        PUBLIC_QUESTION,
        N_("The question as everyone reads it"),
        N_("Used only if everyone can read the answer. Leave out anything that shows who asked."),
        rows=4,
    )

    known_answers = HiddenField()
    """The number of answers that the page showed: another organizer may have answered meanwhile."""

    def validate_public_question(self, field: Any) -> None:
        """Require the question if everyone can read the answer."""
        if self.readers.data == EVERYONE and not (field.data or "").strip():
            raise StopValidation(N_("Enter the question as everyone will read it."))

    @property
    def published_question(self) -> str | None:
        """The question as everyone reads it; None: the answer is for the team alone."""
        return self.public_question.data if self.readers.data == EVERYONE else None
