"""Accounts without forms, for the operator's commands and the demo."""

import uuid
from datetime import datetime

from flask_security import hash_password
from sqlalchemy.orm import Session

from server.access.accounts import find_account
from server.accounts import sign_ins, tokens
from server.accounts.models import User
from server.audit import service as audit
from server.core import clock
from server.core.actors import Actor
from server.core.errors import NameTaken


def create_account(session: Session, email: str, name: str, password: str) -> User:
    """Create a confirmed account; this needs the app's context for the password hash.

    Raises:
        NameTaken: there is an account with this address.
    """
    email = email.strip().lower()
    if find_account(session, email) is not None:
        raise NameTaken.of("There is already an account with the address %(email)s.", email=email)
    now = clock.now()
    user = User(
        email=email,
        name=" ".join(name.split()),
        password=hash_password(password),
        active=True,
        fs_uniquifier=uuid.uuid4().hex,
        confirmed_at=now,
        created_at=now,
    )
    session.add(user)
    session.flush()
    return user


def set_password(
    session: Session, actor: Actor, user: User, password: str, now: datetime, *, keep_tokens: bool = False
) -> None:
    """Set a new password; end the account's sessions, and revoke its tokens unless they are kept."""
    user.password = hash_password(password)
    user.fs_uniquifier = uuid.uuid4().hex
    audit.record(session, actor, now, "account.password", user=f"user:{user.id}")
    sign_ins.end_all_sign_ins(session, user.id, now)
    if not keep_tokens:
        tokens.revoke_all(session, actor, user.id, now)
