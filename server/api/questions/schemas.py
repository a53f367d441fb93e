"""Schemas of questions and answers in the API."""

from apiflask.fields import AwareDateTime, Integer, List, Nested, String

from server.questions.forms import ANSWER_TEXT, PUBLIC_QUESTION, QUESTION_TEXT
from server.web.rest.fields import AnswerSchema, RequestSchema, TextField


class PublicAnswer(AnswerSchema):
    """An answer."""

    id = Integer()
    public_question = String(allow_none=True)
    text = String()
    made_at = AwareDateTime()


class MadeAnswer(PublicAnswer):
    """An answer that was just made."""


class QuestionSchema(AnswerSchema):
    """A question of a team, with its answers."""

    id = Integer()
    team = String(attribute="team.name")
    text = String()
    made_at = AwareDateTime()
    answers = List(Nested(PublicAnswer))


class MadeQuestion(QuestionSchema):
    """A question that was just asked."""


class QuestionsSchema(AnswerSchema):
    """The public answers, and the questions that the caller may read."""

    public_answers = List(Nested(PublicAnswer))
    questions = List(Nested(QuestionSchema))


class NewQuestion(RequestSchema):
    """A question to the organizers."""

    text = TextField(required=True, validate=QUESTION_TEXT)


class NewAnswer(RequestSchema):
    """An answer to the team that asked, or also to everyone."""

    text = TextField(required=True, validate=ANSWER_TEXT)
    public_question = TextField(load_default=None, allow_none=True, validate=PUBLIC_QUESTION)
