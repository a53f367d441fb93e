"""Accounts: finding and renaming them, and confirming those whose confirmation email never arrived."""

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.access import service as access
from server.accounts import sign_ins, tokens
from server.accounts.models import User
from server.audit import service as audit
from server.core.actors import Actor
from server.core.errors import Conflict


def find_account(session: Session, email: str) -> User | None:
    """Return the account with this email address."""
    return session.scalar(select(User).where(User.email == email.strip().lower()))


def rename_account(session: Session, actor: Actor, name: str, now: datetime) -> None:
    """Rename the actor's account; the audit log records that the name changed, but not the name."""
    user = session.get_one(User, actor.user_id)
    user.name = " ".join(name.split())
    audit.record(session, actor, now, "account.rename", user=f"user:{user.id}")


def choose_time_zone(session: Session, actor: Actor, name: str | None, now: datetime) -> None:
    """Set the time zone in which the actor reads times, or none; the audit log does not record the zone."""
    user = session.get_one(User, actor.user_id)
    user.time_zone = name
    audit.record(session, actor, now, "account.time-zone", user=f"user:{user.id}")


def confirm_account(session: Session, actor: Actor, email: str, now: datetime) -> None:
    """Confirm the account with this address if it exists and is unconfirmed; the caller does not learn which.

    Raises:
        NotFound: `actor` is not a site administrator.
    """
    access.require_admin(session, actor)
    user = find_account(session, email)
    if user is not None and user.confirmed_at is None:
        user.confirmed_at = now
        audit.record(session, actor, now, "account.confirm", user=f"user:{user.id}")


def require_confirmed(user: User) -> None:
    """Raise if nobody has shown that the account's address is theirs: then it gets no role by its address.

    Raises:
        Conflict: the address is not confirmed.
    """
    if user.confirmed_at is None:
        raise Conflict.of(
            "The address %(email)s is not confirmed, so the account may belong to someone else. Its "
            "owner has to open the link in the confirmation email first.",
            email=user.email,
        )


def drop_second_factor(
    session: Session, actor: Actor, user: User, now: datetime, *, keep_tokens: bool = False
) -> None:
    """Turn two-factor authentication off; end the account's sessions, and its tokens unless kept."""
    user.tf_primary_method = user.tf_totp_secret = user.mf_recovery_codes = None
    audit.record(session, actor, now, "account.second-factor-off", user=f"user:{user.id}")
    sign_ins.end_all_sign_ins(session, user.id, now)
    if not keep_tokens:
        tokens.revoke_all(session, actor, user.id, now)
