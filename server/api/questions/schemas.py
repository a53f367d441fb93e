"""Schemas of questions and answers in the API."""

from apiflask.fields import AwareDateTime, Integer, List, Nested, String

from server.questions.forms import ANSWER_TEXT, PUBLIC_QUESTION, QUESTION_TEXT
from server.web.rest.fields import AnswerSchema, RequestSchema, TextField

_MARKDOWN = {"description": "In Markdown."}
_PUBLIC_QUESTION = {
    "description": "The question as everyone reads it; null: only the team that asked reads the answer."
}


class PublicAnswer(AnswerSchema):
    """An answer."""

    id = Integer()
    public_question = String(allow_none=True, metadata=_PUBLIC_QUESTION)
    text = String(metadata=_MARKDOWN)
    made_at = AwareDateTime()


class MadeAnswer(PublicAnswer):
    """An answer that was just made."""


class QuestionSchema(AnswerSchema):
    """A question of a team, with its answers."""

    id = Integer()
    team = String(attribute="team.name")
    text = String(metadata=_MARKDOWN)
    made_at = AwareDateTime()
    answers = List(Nested(PublicAnswer), metadata={"description": "The answers, the oldest first."})


class MadeQuestion(QuestionSchema):
    """A question that was just asked."""


class QuestionsSchema(AnswerSchema):
    """The public answers, and the questions that the caller may read."""

    public_answers = List(Nested(PublicAnswer), metadata={"description": "What everyone can read."})
    questions = List(
        Nested(QuestionSchema),
        metadata={"description": "The questions of the caller's team; for organizers and observers all."},
    )


class NewQuestion(RequestSchema):
    """A question to the organizers."""

    text = TextField(required=True, validate=QUESTION_TEXT, metadata=_MARKDOWN)


class NewAnswer(RequestSchema):
    """An answer to the team that asked, or also to everyone."""

    text = TextField(required=True, validate=ANSWER_TEXT, metadata=_MARKDOWN)
    public_question = TextField(
        load_default=None, allow_none=True, validate=PUBLIC_QUESTION, metadata=_PUBLIC_QUESTION
    )
