"""The browsers in which a person is signed in: each has a row, so that it can be listed and signed out."""

import secrets
from datetime import datetime, timedelta

from sqlalchemy import BindParameter, ColumnElement, bindparam, select
from sqlalchemy.orm import Session

from server.accounts.models import SignIn, User
from server.core.actors import Actor
from server.core.db import UtcDateTime
from server.core.errors import NotFound
from server.core.storage import text_sha256

LONG_LIFETIME = timedelta(days=30)
"""How long a person stays signed in who asked for it."""
SHORT_LIFETIME = timedelta(hours=24)
"""How long others stay signed in; their browser also drops the cookie when it is closed."""


def open_sign_in(session: Session, user: User, browser: str, now: datetime, *, lasting: bool) -> str:
    """Record that a browser has signed in, and return its token, of which only a hash is stored."""
    token = secrets.token_urlsafe(32)
    session.add(
        SignIn(
            user_id=user.id,
            token_sha256=text_sha256(token),
            browser=browser[:200],
            began_at=now,
            ends_at=now + (LONG_LIFETIME if lasting else SHORT_LIFETIME),
        )
    )
    session.flush()
    return token


def find_person(session: Session, token: str, now: datetime) -> User | None:
    """Return the person of a browser with this token, if it is still signed in."""
    return session.scalar(_PERSON, {"token_sha256": text_sha256(token), "now": now})


def list_sign_ins(session: Session, actor: Actor, now: datetime) -> list[SignIn]:
    """List the browsers where the person is signed in, the newest first."""
    query = select(SignIn).where(SignIn.user_id == actor.user_id, *_open(now))
    return list(session.scalars(query.order_by(SignIn.began_at.desc(), SignIn.id.desc())))


def end_sign_in(session: Session, actor: Actor, sign_in_id: int, now: datetime) -> None:
    """Sign one of the person's browsers out.

    Raises:
        NotFound: it is not the person's, or is signed out already.
    """
    for sign_in in list_sign_ins(session, actor, now):
        if sign_in.id == sign_in_id:
            sign_in.ended_at = now
            return
    raise NotFound.of("This browser is not signed in.")


def end_all_sign_ins(session: Session, user_id: int, now: datetime, *, but: str | None = None) -> int:
    """Sign every browser of a person out, except that with the token `but`; return how many there were."""
    ended = 0
    for sign_in in list_sign_ins(session, Actor(user_id=user_id), now):
        if but is None or sign_in.token_sha256 != text_sha256(but):
            sign_in.ended_at = now
            ended += 1
    return ended


def end_by_token(session: Session, token: str, now: datetime) -> None:
    """Sign out the browser with this token."""
    sign_in = session.scalar(select(SignIn).where(SignIn.token_sha256 == text_sha256(token), *_open(now)))
    if sign_in is not None:
        sign_in.ended_at = now


def has_token(sign_in: SignIn, token: str | None) -> bool:
    """Whether the sign-in belongs to the browser with this token."""
    return token is not None and sign_in.token_sha256 == text_sha256(token)


def _open(now: datetime | BindParameter[datetime]) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return SignIn.ended_at.is_(None), SignIn.ends_at > now


_PERSON = (  # built once, because each request runs it
    select(User)
    .join(SignIn, SignIn.user_id == User.id)
    .where(SignIn.token_sha256 == bindparam("token_sha256"), *_open(bindparam("now", type_=UtcDateTime)))
)
