"""Tickets: the signed field of a form that an annotator answers.

A ticket is the form's CSRF token, the idempotency key of its answer, and the start of its clock. It says
whose answer it is, so that the answer is stored even if the annotator's cookie is gone by then.

Tickets, cookies and other forms name an annotator by the hash of the key of their link. It is random, so that
it fits nobody else after a backup is restored, and it ends with the link.
"""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from itsdangerous import BadSignature, URLSafeSerializer

from server.core.errors import ServerError
from server.core.i18n import N_

LIFETIME = timedelta(days=30)
"""How long a form can be sent, and how long a browser remembers an annotator."""
INVALID_TICKET = N_(
    "The form is no longer valid: it is older than 30 days, your link was replaced, or the form was damaged. "
    "The answer was not saved."
)
MILLISECOND = timedelta(milliseconds=1)


@dataclass(frozen=True, slots=True)
class Ticket:
    """What the form of a step says about itself."""

    key_sha256: str
    step_id: int
    shown_at: datetime
    nonce: str
    known_answer_id: int | None
    """The answer that the page showed; None: it showed a step without an answer."""


def make_ticket(key_sha256: str, step_id: int, known_answer_id: int | None, now: datetime) -> Ticket:
    """Make the ticket of a page that is shown now."""
    return Ticket(key_sha256, step_id, now, secrets.token_hex(8), known_answer_id)


def sign_ticket(secret_key: str, ticket: Ticket) -> str:
    """Return the ticket as the value of a form's field."""
    shown_ms = _milliseconds(ticket.shown_at)
    fields = [ticket.key_sha256, ticket.step_id, shown_ms, ticket.nonce, ticket.known_answer_id]
    return _sign(secret_key, "ticket", fields)


def read_ticket(secret_key: str, text: str, now: datetime) -> Ticket:
    """Return the ticket of a form that was sent.

    Raises:
        ServerError: it is forged, damaged, or older than 30 days.
    """
    key_sha256, step_id, shown_ms, nonce, known_answer_id = _read(secret_key, "ticket", text, 5)
    shown_at = _instant(shown_ms)
    if now - shown_at > LIFETIME:
        raise ServerError.of(INVALID_TICKET)
    return Ticket(key_sha256, step_id, shown_at, nonce, known_answer_id)


def sign_key(secret_key: str, purpose: str, key_sha256: str, now: datetime) -> str:
    """Return the value of an annotator's cookie, or the token of another form, such as the consent's."""
    return _sign(secret_key, purpose, [key_sha256, _milliseconds(now)])


def find_key(secret_key: str, purpose: str, text: str, now: datetime) -> str | None:
    """Return whose cookie or token it is; None: it is forged, too old, or of another purpose."""
    try:
        key_sha256, made_ms = _read(secret_key, purpose, text, 2)
    except ServerError:
        return None
    return str(key_sha256) if now - _instant(made_ms) <= LIFETIME else None


def _milliseconds(at: datetime) -> int:
    return (at - datetime.fromtimestamp(0, UTC)) // MILLISECOND


def _instant(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(0, UTC) + milliseconds * MILLISECOND


def _sign(secret_key: str, purpose: str, fields: list[Any]) -> str:
    signed = _signer(secret_key, purpose).dumps(fields)
    return signed if isinstance(signed, str) else signed.decode("ascii")


def _read(secret_key: str, purpose: str, text: str, n_fields: int) -> list[Any]:
    try:
        fields = _signer(secret_key, purpose).loads(text)
    except BadSignature as error:
        raise ServerError.of(INVALID_TICKET) from error
    if not isinstance(fields, list) or len(fields) != n_fields:  # signed by another version of the site
        raise ServerError.of(INVALID_TICKET)
    return fields


def _signer(secret_key: str, purpose: str) -> URLSafeSerializer:
    """Return a signer whose key is derived from the site's secret as that of sessions is."""
    return URLSafeSerializer(
        secret_key,
        salt=f"assay annotator {purpose}",
        signer_kwargs={"key_derivation": "hmac", "digest_method": hashlib.sha256},
    )
