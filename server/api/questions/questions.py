"""API: the questions of a task and their answers."""

from typing import Any

from server.access import service as access, tasks
from server.access.api_auth import ApiBlueprint, caller, get_organized_task, organizers_only
from server.api.questions.schemas import MadeAnswer, MadeQuestion, NewAnswer, NewQuestion, QuestionsSchema
from server.questions import service as questions
from server.questions.models import Answer, Question
from server.web import context

blueprint = ApiBlueprint("api_questions", url_prefix="/tasks/<slug>/questions", tag="Tasks")


@blueprint.get("")
@blueprint.output(QuestionsSchema)
def index(slug: str) -> dict[str, Any]:
    """List the public answers, and the questions of the caller's team; organizers see all questions."""
    session, actor = context.session(), caller()
    task = tasks.get_task(session, slug)
    team = access.find_team(session, actor, task)
    if access.sees_all(session, actor, task):
        listed = questions.list_questions(session, actor, task)
    else:
        listed = () if team is None else questions.list_team_questions(session, team)
    return {"public_answers": questions.list_public_answers(session, task), "questions": listed}


@blueprint.post("", scopes=["submit"])
@blueprint.input(NewQuestion, arg_name="given")
@blueprint.output(MadeQuestion, status_code=201)
def ask(slug: str, given: dict[str, Any]) -> Question:
    """Ask the organizers a question, which no other team can read."""
    with context.writing() as session:
        task = tasks.get_task(session, slug)
        return questions.ask_question(session, caller(), task, given["text"], context.arrival_time())


@blueprint.post("/<int:question_id>/answers", scopes=["organize"])
@organizers_only
@blueprint.input(NewAnswer, arg_name="given")
@blueprint.output(MadeAnswer, status_code=201)
def answer(slug: str, question_id: int, given: dict[str, Any]) -> Answer:
    """Answer a question, to its team or also to everyone."""
    with context.writing() as session:
        question = questions.get_question(session, caller(), get_organized_task(slug), question_id)
        return questions.answer_question(
            session,
            caller(),
            question,
            given["text"],
            given["public_question"] or None,
            context.arrival_time(),
        )
