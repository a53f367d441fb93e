"""What the site stores about one person, as they can download it."""

from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session, joinedload
from sqlalchemy.orm.interfaces import ORMOption

from server.accounts.models import ApiToken, SignIn, User
from server.core.actors import Actor
from server.mail import opt_outs
from server.mail.models import Mail
from server.questions.models import Question
from server.runs.models import Run
from server.submissions.models import Rejection, Submission
from server.tasks.models import Task, TaskRole
from server.teams.models import Membership, Team

SCHEMA = "assay.personal-data/1"


def collect_personal_data(session: Session, actor: Actor, now: datetime) -> dict[str, Any]:
    """Collect the person's account and all that refers to it, without passwords, secrets and scores."""
    user = session.get_one(User, actor.user_id)
    return {
        "schema": SCHEMA,
        "made_at": _instant(now),
        "account": {
            "number": user.id,
            "name": user.name,
            "email": user.email,
            "created_at": _instant(user.created_at),
            "confirmed_at": _instant(user.confirmed_at),
            "time_zone": user.time_zone,
            "two_factor_authentication": user.tf_primary_method is not None,
            "site_roles": sorted(role.name for role in user.site_roles),
            "emails": {kind: opt_outs.wants_mail(user, kind) for kind in opt_outs.MAIL_KINDS},
        },
        "teams": _list_teams(session, user),
        "roles": _list_roles(session, user),
        "uploads": _list_submissions(session, user),
        "rejected_uploads": _list_rejections(session, user),
        "questions": _list_questions(session, user),
        "emails": _list_mails(session, user),
        "api_tokens": _list_tokens(session, user),
        "signed_in_browsers": _list_sign_ins(session, user),
    }


def _list_teams(session: Session, user: User) -> list[dict[str, Any]]:
    query = select(Membership, Team, Task.slug).join(Team, Team.id == Membership.team_id)
    query = query.join(Task, Task.id == Team.task_id).where(Membership.user_id == user.id)
    return [
        {
            "task": slug,
            "team": team.name,
            "captain": team.captain_id == user.id,
            "joined_at": _instant(membership.joined_at),
        }
        for membership, team, slug in session.execute(query.order_by(Membership.joined_at, Team.id))
    ]


def _list_roles(session: Session, user: User) -> list[dict[str, Any]]:
    query = select(TaskRole, Task.slug).join(Task, Task.id == TaskRole.task_id)
    query = query.where(TaskRole.user_id == user.id).order_by(TaskRole.added_at, TaskRole.task_id)
    return [
        {
            "task": slug,
            "role": role.role,
            "since": _instant(role.added_at),
            "until": _instant(role.ended_at),
        }
        for role, slug in session.execute(query)
    ]


def _list_submissions(session: Session, user: User) -> list[dict[str, Any]]:
    query = select(Submission).where(Submission.submitted_by == user.id).options(*_names_of(Submission))
    return [_upload(submission) for submission in session.scalars(query.order_by(Submission.id))]


def _list_rejections(session: Session, user: User) -> list[dict[str, Any]]:
    query = select(Rejection).where(Rejection.submitted_by == user.id).options(*_names_of(Rejection))
    return [_upload(rejection) for rejection in session.scalars(query.order_by(Rejection.id))]


def _names_of(model: type[Submission | Rejection]) -> tuple[ORMOption, ...]:
    run = joinedload(model.run)
    return run.joinedload(Run.team).joinedload(Team.task), run.joinedload(Run.phase), joinedload(model.level)


def _upload(upload: Submission | Rejection) -> dict[str, Any]:
    return {
        "task": upload.run.team.task.slug,
        "phase": upload.run.phase.slug,
        "run": upload.run.name,
        "level": upload.level.slug,
        "filename": upload.filename,
        "sha256": upload.sha256,
        "arrived_at": _instant(upload.arrived_at),
    }


def _list_questions(session: Session, user: User) -> list[dict[str, Any]]:
    query = select(Question, Task.slug).join(Task, Task.id == Question.task_id)
    query = query.where(Question.made_by == user.id).order_by(Question.id)
    return [
        {"task": slug, "text": question.text, "asked_at": _instant(question.made_at)}
        for question, slug in session.execute(query)
    ]


def _list_mails(session: Session, user: User) -> list[dict[str, Any]]:
    query = select(Mail).where(Mail.user_id == user.id).options(joinedload(Mail.task)).order_by(Mail.id)
    return [
        {
            "task": mail.task.slug,
            "kind": mail.kind,
            "subject": mail.subject,
            "text": mail.text,
            "state": mail.state,
            "written_at": _instant(mail.created_at),
            "sent_at": _instant(mail.sent_at),
        }
        for mail in session.scalars(query)
    ]


def _list_tokens(session: Session, user: User) -> list[dict[str, Any]]:
    query = select(ApiToken).where(ApiToken.user_id == user.id).order_by(ApiToken.id)
    return [
        {
            "name": token.name,
            "scopes": list(token.scopes),
            "made_at": _instant(token.made_at),
            "ends_at": _instant(token.ends_at),
            "revoked_at": _instant(token.revoked_at),
        }
        for token in session.scalars(query)
    ]


def _list_sign_ins(session: Session, user: User) -> list[dict[str, Any]]:
    query = select(SignIn).where(SignIn.user_id == user.id).order_by(SignIn.id)
    return [
        {
            "browser": sign_in.browser,
            "began_at": _instant(sign_in.began_at),
            "ends_at": _instant(sign_in.ends_at),
            "ended_at": _instant(sign_in.ended_at),
        }
        for sign_in in session.scalars(query)
    ]


def _instant(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()
