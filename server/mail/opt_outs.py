"""The kinds of emails that a person wants: account settings, and a signed opt-out link in each email."""

from collections.abc import Collection
from datetime import datetime
from typing import cast, get_args

from itsdangerous import BadSignature, URLSafeSerializer
from sqlalchemy.orm import Session

from server.accounts.models import User
from server.audit import service as audit
from server.core.actors import Actor
from server.core.config import Config
from server.core.errors import NotFound, require_found
from server.core.i18n import _
from server.mail.models import MailKind

MAIL_KINDS: tuple[MailKind, ...] = get_args(MailKind)


def wants_mail(user: User, kind: MailKind) -> bool:
    """Whether a person wants emails of this kind."""
    return user.active and bool(getattr(user, f"mail_{kind}s"))


def opt_out_url(config: Config, user_id: int, kind: MailKind) -> str:
    """Return the address by which a person opts out of emails of this kind, signed in or not."""
    return f"{config.site_url}/mails/stop/{_signer(config).dumps([user_id, kind])}"


def read_token(session: Session, config: Config, token: str) -> tuple[User, MailKind]:
    """Return the person and the kind of emails that an opt-out link is about.

    Raises:
        NotFound: the link is not the site's, or its account was deleted.
    """
    try:
        user_id, kind = _signer(config).loads(token)
    except (BadSignature, ValueError, TypeError):
        raise NotFound.of("This link is incomplete. Copy the whole link from the email.") from None
    user = require_found(session.get(User, user_id), _("This account no longer exists."))
    return user, cast(MailKind, kind)


def choose_mails(session: Session, actor: Actor, kinds: Collection[MailKind], now: datetime) -> None:
    """Set the kinds of emails that a person wants."""
    user = session.get_one(User, actor.user_id)
    changed = {
        kind: kind in kinds for kind in MAIL_KINDS if getattr(user, f"mail_{kind}s") != (kind in kinds)
    }
    for kind, wanted in changed.items():
        setattr(user, f"mail_{kind}s", wanted)
    if changed:
        audit.record(session, actor, now, "account.mails", user=f"user:{user.id}", **changed)


def opt_out(session: Session, user: User, kind: MailKind, now: datetime) -> None:
    """Send a person no more emails of this kind, by a link that only they got."""
    remaining_kinds = [other for other in MAIL_KINDS if other != kind and getattr(user, f"mail_{other}s")]
    choose_mails(session, Actor(user_id=user.id), remaining_kinds, now)


def _signer(config: Config) -> URLSafeSerializer:
    return URLSafeSerializer(config.secret_key, salt="assay mails that are not wanted")
