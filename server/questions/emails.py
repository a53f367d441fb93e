"""Emails about a question to the organizers, and about its answer to the team."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import select

from server.accounts.models import User
from server.core import db
from server.core.site_resources import Site
from server.mail import service as mails
from server.questions.models import Answer, Question
from server.tasks.models import TaskRole
from server.tasks.rules import ROLE_CAPABILITIES
from server.teams.models import Membership

_ORGANIZING = [role for role, capabilities in ROLE_CAPABILITIES.items() if "run" in capabilities]


def write_question_mails(site: Site, payload: Mapping[str, Any], now: datetime) -> None:
    """Write the emails about a question; running it again writes none."""
    session = site.session()
    with db.writing(session):
        question = session.get_one(Question, payload["question"])
        roles = TaskRole.task_id == question.task_id, TaskRole.ended_at.is_(None)
        people = select(User).join(TaskRole, TaskRole.user_id == User.id)
        organizers = session.scalars(people.where(*roles, TaskRole.role.in_(_ORGANIZING)).order_by(User.id))
        _queue(site, organizers, question, f"question {question.id}", now, None)


def write_answer_mails(site: Site, payload: Mapping[str, Any], now: datetime) -> None:
    """Write the emails about an answer to the members of the team; running it again writes none."""
    session = site.session()
    with db.writing(session):
        answer = session.get_one(Answer, payload["answer"])
        people = select(User).join(Membership, Membership.user_id == User.id)
        members = session.scalars(
            people.where(Membership.team_id == answer.question.team_id).order_by(User.id)
        )
        _queue(site, members, answer.question, f"answer {answer.id}", now, answer)


def _queue(
    site: Site, people: Iterable[User], question: Question, what: str, now: datetime, answer: Answer | None
) -> None:
    cause, letter = f"{what} {(answer or question).made_at.isoformat()}", "answer" if answer else "question"
    facts = {"letter": letter, "team": question.team, "question": question, "answer": answer}
    mails.queue_mails(site, question.task, people, "question", cause, now, **facts)
