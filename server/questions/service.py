"""Teams ask questions; organizers answer them, to the team alone or to everyone.

Nothing of a question is public, not even that it was asked, until an organizer publishes it in their own
words with an answer.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session, contains_eager, joinedload, selectinload

from server.access import service as access
from server.audit import service as audit
from server.core.actors import Actor
from server.core.errors import Conflict, NotFound
from server.jobs import service as jobs
from server.questions.models import Answer, Question
from server.tasks.models import Task
from server.teams.models import Team

QUESTION_JOB = "question.asked"
"""The kind of job that writes the emails about a question to organizers."""
ANSWER_JOB = "question.answered"
"""The kind of job that writes the emails about an answer to the team."""
MAX_UNANSWERED = 10
"""The maximum number of questions of a team that wait for an answer."""
REPEAT_WINDOW = timedelta(minutes=10)
"""The same text within this time is a second click."""


def ask_question(session: Session, actor: Actor, task: Task, text: str, now: datetime) -> Question:
    """Ask the organizers a question for the team of `actor`; a second click returns the same question.

    Raises:
        Forbidden: `actor` has no team.
        Conflict: the task is a draft or archived, or too many questions of the team wait for an answer.
    """
    team = access.require_team(session, actor, task)
    access.require_published(task)
    _require_open(task)
    own = list_team_questions(session, team)
    for question in own:
        if question.text == text and question.made_at > now - REPEAT_WINDOW:
            return question
    if sum(not question.answers for question in own) >= MAX_UNANSWERED:
        raise Conflict.of(
            "%(count)d questions of your team wait for an answer. Wait for one.", count=MAX_UNANSWERED
        )
    question = Question(task_id=task.id, team_id=team.id, text=text, **actor.made(now))
    session.add(question)
    session.flush()
    jobs.add_job(session, QUESTION_JOB, {"question": question.id}, now)
    audit.record(session, actor, now, "question.ask", task.id, question=question.id, team=team.id)
    return question


def answer_question(
    session: Session,
    actor: Actor,
    question: Question,
    text: str,
    public_question: str | None,
    now: datetime,
    *,
    known_answers: str | None = None,
) -> Answer:
    """Answer a question: to its team, or also to everyone, with the question in these words.

    `known_answers`: how many answers the organizer has seen, if that matters.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        Conflict: another answer was given since then.
    """
    access.require_organizer(session, actor, question.task)
    for answer in question.answers:
        same = answer.text == text and answer.public_question == public_question
        if same and answer.made_at > now - REPEAT_WINDOW:
            return answer
    if known_answers is not None and known_answers != str(len(question.answers)):
        raise Conflict.of(
            "Someone else has answered this question in the meantime. Read their answer above first."
        )
    answer = Answer(question=question, text=text, public_question=public_question, **actor.made(now))
    session.add(answer)
    session.flush()
    jobs.add_job(session, ANSWER_JOB, {"answer": answer.id}, now)
    details = {"question": question.id, "team": question.team_id, "everyone": public_question is not None}
    audit.record(session, actor, now, "question.answer", question.task_id, **details)
    return answer


def get_question(session: Session, actor: Actor, task: Task, question_id: int) -> Question:
    """Return a question of the task, for people who may see all of it.

    Raises:
        Forbidden, NotFound: `actor` may not see all of the task, or there is no such question.
    """
    access.require_observer(session, actor, task)
    question = session.get(Question, question_id)
    if question is None or question.task_id != task.id:
        raise NotFound.of("There is no such question.")
    return question


def list_questions(session: Session, actor: Actor, task: Task) -> Sequence[Question]:
    """List the questions of all teams: first those without an answer, then the newest.

    Raises:
        Forbidden, NotFound: `actor` may not see all of the task.
    """
    access.require_observer(session, actor, task)
    query = select(Question).where(Question.task_id == task.id).order_by(Question.id.desc())
    questions = session.scalars(query.options(joinedload(Question.team), selectinload(Question.answers)))
    return sorted(questions, key=lambda question: bool(question.answers))


def list_team_questions(session: Session, team: Team) -> Sequence[Question]:
    """List the questions of a team with their answers, the newest first."""
    query = select(Question).where(Question.team_id == team.id).order_by(Question.id.desc())
    return session.scalars(query.options(selectinload(Question.answers))).all()


def list_public_answers(session: Session, task: Task) -> Sequence[Answer]:
    """List the answers that everyone can read, the newest first."""
    query = select(Answer).join(Answer.question).options(contains_eager(Answer.question))
    public = query.where(Question.task_id == task.id, Answer.public_question.is_not(None))
    return session.scalars(public.order_by(Answer.id.desc())).all()


def count_unanswered(session: Session, task: Task) -> int:
    """Count the questions that wait for an answer."""
    unanswered: ColumnElement[bool] = ~Question.answers.any()
    query = select(func.count(Question.id)).where(Question.task_id == task.id, unanswered)
    return session.scalar(query) or 0


def _require_open(task: Task) -> None:
    if task.state == "archived":
        raise Conflict.of("This task is archived, so questions are closed. Write to the organizers.")
