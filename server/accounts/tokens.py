"""API tokens for scripts: made by a person, shown once, listed and revoked."""

import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from server.accounts.models import ApiToken, User
from server.accounts.scopes import SCOPES, Scope
from server.audit import service as audit
from server.core.actors import Actor
from server.core.errors import Conflict, require_found
from server.core.i18n import _
from server.core.storage import text_sha256

TOKEN_PREFIX = "assay_"  # noqa: S105  (how each begins)
"""The prefix of every token, by which scanners for leaked secrets recognize them."""
MAX_TOKENS = 50
"""The maximum number of tokens of one person that are in use."""


def make_token(
    session: Session,
    actor: Actor,
    name: str,
    scopes: Sequence[Scope],
    days: int,
    now: datetime,
    after: int | None = None,
) -> tuple[ApiToken, str]:
    """Make a token and return its text, which is not stored. `after`: how many tokens the form knew of.

    Raises:
        Conflict: a token was made since the form was shown, or the person has the maximum number.
    """
    if after is not None and after != count_made(session, actor):
        raise Conflict.of(
            "A token was already created with this form. Submit it again to create another one."
        )
    if len(list_tokens(session, actor, now)) >= MAX_TOKENS:
        raise Conflict.of(
            "You already have %(most)d tokens. Revoke one that you do not need.", most=MAX_TOKENS
        )
    text = TOKEN_PREFIX + secrets.token_urlsafe(32)
    token = ApiToken(
        user_id=actor.user_id,
        name=name,
        scopes=[scope for scope in SCOPES if scope in scopes],
        token_sha256=text_sha256(text),
        made_at=now,
        ends_at=now + timedelta(days=days),
    )
    session.add(token)
    session.flush()
    audit.record(
        session, actor, now, "token.make", token=token.id, scopes=token.scopes, ends=token.ends_at.isoformat()
    )
    return token, text


def count_made(session: Session, actor: Actor) -> int:
    """Count the tokens that a person ever made; a form sends it, so that a double click makes one token."""
    query = select(func.count()).select_from(ApiToken).where(ApiToken.user_id == actor.user_id)
    return session.scalar(query) or 0


def list_tokens(session: Session, actor: Actor, now: datetime) -> list[ApiToken]:
    """List the tokens of a person that are in use, the newest first."""
    query = select(ApiToken).where(*_in_use(actor, now))
    return list(session.scalars(query.order_by(ApiToken.made_at.desc(), ApiToken.id.desc())))


def revoke_token(session: Session, actor: Actor, token_id: int, now: datetime) -> ApiToken:
    """Revoke one of the person's tokens.

    Raises:
        NotFound: it is not the person's, or no longer in use.
    """
    token = session.scalar(select(ApiToken).where(ApiToken.id == token_id, *_in_use(actor, now)))
    token = require_found(token, _("There is no such active token."))
    token.revoked_at = now
    audit.record(session, actor, now, "token.revoke", token=token.id)
    return token


def revoke_all(session: Session, actor: Actor, user_id: int, now: datetime) -> int:
    """Revoke the tokens of a person that are in use; return how many there were."""
    listed = list_tokens(session, Actor(user_id=user_id), now)
    for token in listed:
        token.revoked_at = now
        audit.record(session, actor, now, "token.revoke", token=token.id)
    return len(listed)


def find_token(session: Session, text: str, now: datetime) -> ApiToken | None:
    """Return the token with this text, if it and its person's account are in use."""
    query = select(ApiToken).join(User, User.id == ApiToken.user_id).where(User.active)
    return session.scalar(query.where(ApiToken.token_sha256 == text_sha256(text), *_current(now)))


def person_of(session: Session, token: ApiToken) -> User:
    """Return the person of a token."""
    return session.get_one(User, token.user_id)


def _in_use(actor: Actor, now: datetime) -> tuple[ColumnElement[bool], ...]:
    return ApiToken.user_id == actor.user_id, *_current(now)


def _current(now: datetime) -> tuple[ColumnElement[bool], ...]:
    return ApiToken.revoked_at.is_(None), ApiToken.ends_at > now
