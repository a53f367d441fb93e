"""What the site stores about one person, as they can download it."""

from datetime import datetime
from typing import Any

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from server.accounts.models import ApiToken, SignIn, User
from server.core.actors import Actor
from server.mail import opt_outs
from server.mail.models import Mail
from server.phases.models import Phase
from server.questions.models import Question
from server.runs.models import Run
from server.submissions.models import Rejection, Submission
from server.tasks.models import Level, Task, TaskRole
from server.teams.models import Membership, Team

SCHEMA = "assay.personal-data/1"
_TASK = Task.slug.label("task")


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
        "uploads": _list_uploads(session, user, Submission),
        "rejected_uploads": _list_uploads(session, user, Rejection),
        "questions": _list_questions(session, user),
        "emails": _list_mails(session, user),
        "api_tokens": _list_tokens(session, user),
        "signed_in_browsers": _list_sign_ins(session, user),
    }


def _list_teams(session: Session, user: User) -> list[dict[str, Any]]:
    is_captain = Team.captain_id.is_not_distinct_from(user.id)
    query = select(_TASK, Team.name.label("team"), is_captain.label("captain"), Membership.joined_at)
    query = query.join_from(Membership, Team, Team.id == Membership.team_id).join(Team.task)
    query = query.where(Membership.user_id == user.id)
    return _list_rows(session, query.order_by(Membership.joined_at, Team.id))


def _list_roles(session: Session, user: User) -> list[dict[str, Any]]:
    times = TaskRole.added_at.label("since"), TaskRole.ended_at.label("until")
    query = select(_TASK, TaskRole.role, *times).join_from(TaskRole, Task, Task.id == TaskRole.task_id)
    query = query.where(TaskRole.user_id == user.id)
    return _list_rows(session, query.order_by(TaskRole.added_at, TaskRole.task_id))


def _list_uploads(session: Session, user: User, model: type[Submission | Rejection]) -> list[dict[str, Any]]:
    names = Phase.slug.label("phase"), Run.name.label("run"), Level.slug.label("level")
    query = select(_TASK, *names, model.filename, model.sha256, model.arrived_at).select_from(model)
    query = query.join(model.run).join(Run.team).join(Team.task).join(Run.phase).join(model.level)
    return _list_rows(session, query.where(model.submitted_by == user.id).order_by(model.id))


def _list_questions(session: Session, user: User) -> list[dict[str, Any]]:
    query = select(_TASK, Question.text, Question.made_at.label("asked_at"))
    query = query.join_from(Question, Task, Task.id == Question.task_id)
    return _list_rows(session, query.where(Question.made_by == user.id).order_by(Question.id))


def _list_mails(session: Session, user: User) -> list[dict[str, Any]]:
    times = Mail.created_at.label("written_at"), Mail.sent_at
    query = select(_TASK, Mail.kind, Mail.subject, Mail.text, Mail.state, *times).join_from(Mail, Mail.task)
    return _list_rows(session, query.where(Mail.user_id == user.id).order_by(Mail.id))


def _list_tokens(session: Session, user: User) -> list[dict[str, Any]]:
    columns = ApiToken.name, ApiToken.scopes, ApiToken.made_at, ApiToken.ends_at, ApiToken.revoked_at
    return _list_rows(session, select(*columns).where(ApiToken.user_id == user.id).order_by(ApiToken.id))


def _list_sign_ins(session: Session, user: User) -> list[dict[str, Any]]:
    columns = SignIn.browser, SignIn.began_at, SignIn.ends_at, SignIn.ended_at
    return _list_rows(session, select(*columns).where(SignIn.user_id == user.id).order_by(SignIn.id))


def _list_rows(session: Session, query: Select[*tuple[Any, ...]]) -> list[dict[str, Any]]:
    """Return the rows of a query by the names of its columns, with times as text."""
    return [
        {name: value.isoformat() if isinstance(value, datetime) else value for name, value in row.items()}
        for row in session.execute(query).mappings()
    ]


def _instant(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()
