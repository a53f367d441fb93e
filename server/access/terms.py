"""Terms of use: immutable versions, and who accepted which version before they got data."""

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.access import service as access
from server.audit import service as audit
from server.core.actors import Actor
from server.core.errors import ChangedMeanwhile, Forbidden, TermsNotAccepted, require_found
from server.core.i18n import _
from server.core.storage import text_sha256
from server.tasks.models import Task, TermsAcceptance, TermsVersion


def find_terms(session: Session, task: Task) -> TermsVersion | None:
    """Return the terms in force; None: there are none."""
    if not task.terms:
        return None
    query = select(TermsVersion).where(TermsVersion.task_id == task.id).order_by(TermsVersion.number.desc())
    return session.scalar(query.limit(1))


def list_versions(session: Session, task: Task) -> list[TermsVersion]:
    """List all versions of a task's terms, the oldest first."""
    query = select(TermsVersion).where(TermsVersion.task_id == task.id).order_by(TermsVersion.number)
    return list(session.scalars(query))


def version_hash(version: TermsVersion) -> str:
    """Return the SHA-256 of a version's text, which identifies it everywhere."""
    return text_sha256(version.text)


def put_terms(session: Session, actor: Actor, task: Task, text: str, now: datetime) -> TermsVersion | None:
    """Put a text in force as the next version; None: it is in force already. An empty text ends the terms.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
    """
    access.require_organizer(session, actor, task)
    text = "" if text.strip() in ("", "none") else text.lstrip("\ufeff")
    if text == (task.terms or ""):
        return None
    version = add_version(session, task, text, now, actor.user_id)
    audit.record(
        session, actor, now, "terms.add", task.id, version=version.number, sha256=version_hash(version)
    )
    return version


def add_version(
    session: Session, task: Task, text: str, now: datetime, made_by: int | None = None
) -> TermsVersion:
    """Add the next version of a task's terms; the caller writes the audit log."""
    versions = list_versions(session, task)
    number = versions[-1].number + 1 if versions else 1
    version = TermsVersion(task_id=task.id, number=number, text=text, made_by=made_by, made_at=now)
    task.terms = text or None
    session.add(version)
    session.flush()
    return version


def find_pending(session: Session, actor: Actor, task: Task) -> TermsVersion | None:
    """Return the terms that `actor` has still to accept; None: there are none."""
    terms = find_terms(session, task)
    if terms is None or access.is_organizer(session, actor, task):
        return None
    if actor.user_id is None or session.get(TermsAcceptance, (terms.id, actor.user_id)) is None:
        return terms
    return None


def require_accepted(session: Session, actor: Actor, task: Task) -> None:
    """Raise unless `actor` has accepted the terms in force, if there are any.

    Raises:
        TermsNotAccepted: `actor` has not accepted them yet.
    """
    if find_pending(session, actor, task) is not None:
        raise TermsNotAccepted.of("Read and accept the terms of the task first.")


def find_acceptance(session: Session, actor: Actor, terms: TermsVersion) -> TermsAcceptance | None:
    """Return the acceptance of a version by `actor`."""
    return None if actor.user_id is None else session.get(TermsAcceptance, (terms.id, actor.user_id))


def accept_terms(session: Session, actor: Actor, task: Task, sha256: str, now: datetime) -> None:
    """Accept the version that was read.

    Raises:
        Forbidden: nobody is signed in.
        NotFound: the task has no terms.
        ChangedMeanwhile: they were changed meanwhile.
    """
    if actor.user_id is None:
        raise Forbidden.of("Sign in to accept the terms.")
    terms = require_found(find_terms(session, task), _("This task has no terms to accept."))
    if version_hash(terms) != sha256:
        raise ChangedMeanwhile.of("The terms have changed in the meantime. Read and accept the new version.")
    if session.get(TermsAcceptance, (terms.id, actor.user_id)) is not None:
        return
    session.add(TermsAcceptance(terms_version_id=terms.id, user_id=actor.user_id, accepted_at=now))
    session.flush()
    team = access.find_team(session, actor, task)
    of_team = None if team is None else team.id
    audit.record(session, actor, now, "terms.accept", task.id, of_team, version=terms.number, sha256=sha256)
