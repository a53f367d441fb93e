"""Personal links of annotators. Only the hash of a key is stored, so a link is shown once, when made."""

import hashlib
import secrets
from datetime import datetime

from sqlalchemy import ScalarSelect, select
from sqlalchemy.orm import Session

from server.annotation.models import Annotator, AnnotatorKey
from server.core.errors import Gone, require_found
from server.core.i18n import _

LINK_PATH = "/a/me/"
"""The path of personal links; the key follows."""


def get_annotator_by_key(session: Session, key: str) -> Annotator:
    """Return the annotator whose personal link has this key.

    Raises:
        NotFound: no link has it.
        Gone: the link was replaced.
    """
    row = session.scalar(select(AnnotatorKey).where(AnnotatorKey.sha256 == hash_key(key)))
    row = require_found(row, _("There is no such link. Check that you copied all of it."))
    if row.ended_at is not None:
        raise Gone.of(
            "This link was replaced by a new one. Use the newest link that you got, or write to %(contact)s.",
            contact=row.annotator.campaign.contact,
        )
    return row.annotator


def annotator_of(key_sha256: str) -> ScalarSelect[int]:
    """Select the id of the annotator whose link, which was not replaced, has the key with this hash."""
    query = select(AnnotatorKey.annotator_id).where(AnnotatorKey.sha256 == key_sha256)
    return query.where(AnnotatorKey.ended_at.is_(None)).scalar_subquery()


def link_of(site_url: str, key: str) -> str:
    """Return the address of a personal link."""
    return f"{site_url}{LINK_PATH}{key}"


def end_keys(session: Session, annotator: Annotator, now: datetime) -> None:
    """End the personal links of an annotator."""
    query = select(AnnotatorKey).where(
        AnnotatorKey.annotator_id == annotator.id, AnnotatorKey.ended_at.is_(None)
    )
    for earlier in session.scalars(query):
        earlier.ended_at = now


def make_key(session: Session, annotator: Annotator, now: datetime) -> str:
    """Make the key of a new personal link."""
    key = secrets.token_urlsafe(32)
    session.add(AnnotatorKey(annotator_id=annotator.id, sha256=hash_key(key), made_at=now))
    session.flush()
    return key


def hash_key(key: str) -> str:
    """Return the hash of a key, by which the browser that opened the link is known."""
    return hashlib.sha256(key.encode()).hexdigest()
