"""Emails about a question to the organizers, and about its answer to the team."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from server.accounts.models import User
from server.core.site_resources import Site
from server.mail import recipients, service as mails
from server.questions.models import Answer, Question


def write_question_mails(site: Site, payload: Mapping[str, Any], now: datetime) -> None:
    """Write the emails about a question; running it again writes none."""
    with site.writing() as session:
        question = session.get_one(Question, payload["question"])
        organizers = recipients.list_organizers(session, question.task_id)
        _queue(site, organizers, question, f"question {question.id}", now, None)


def write_answer_mails(site: Site, payload: Mapping[str, Any], now: datetime) -> None:
    """Write the emails about an answer to the members of the team; running it again writes none."""
    with site.writing() as session:
        answer = session.get_one(Answer, payload["answer"])
        members = recipients.list_members(session, answer.question.team_id)
        _queue(site, members, answer.question, f"answer {answer.id}", now, answer)


def _queue(
    site: Site, people: Iterable[User], question: Question, what: str, now: datetime, answer: Answer | None
) -> None:
    cause, letter = f"{what} {(answer or question).made_at.isoformat()}", "answer" if answer else "question"
    facts = {"letter": letter, "team": question.team, "question": question, "answer": answer}
    mails.queue_mails(site, question.task, people, "question", cause, now, **facts)
