"""Tickets: the signed field of a form that an annotator answers.

A ticket is the form's CSRF token, the idempotency key of its answer, and the start of its clock. It says
whose answer it is, so that the answer is stored even if the annotator's cookie is gone by then.
"""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from itsdangerous import BadSignature, URLSafeSerializer

from server.core.errors import ServerError
from server.core.i18n import N_, _

LIFETIME = timedelta(days=30)
"""How long a form can be sent, and how long a browser remembers an annotator."""
INVALID_TICKET = N_(
    "The form is no longer valid: it is older than 30 days, or it was damaged. The answer was not saved."
)
MILLISECOND = timedelta(milliseconds=1)


@dataclass(frozen=True, slots=True)
class Ticket:
    """What the form of a step says about itself."""

    annotator_id: int
    step_id: int
    shown_at: datetime
    nonce: str
    known_answer_id: int | None
    """The answer that the page showed; None: it showed a step without an answer."""


@dataclass(frozen=True, slots=True)
class Entrance:
    """Who a browser works as: an annotator, by one of their links."""

    annotator_id: int
    key_id: int


def make_ticket(annotator_id: int, step_id: int, known_answer_id: int | None, now: datetime) -> Ticket:
    """Make the ticket of a page that is shown now."""
    return Ticket(annotator_id, step_id, now, secrets.token_hex(8), known_answer_id)


def sign_ticket(secret_key: str, ticket: Ticket) -> str:
    """Return the ticket as the value of a form's field."""
    shown_ms = _milliseconds(ticket.shown_at)
    fields = [ticket.annotator_id, ticket.step_id, shown_ms, ticket.nonce, ticket.known_answer_id]
    return _sign(secret_key, "ticket", fields)


def read_ticket(secret_key: str, text: str, now: datetime) -> Ticket:
    """Return the ticket of a form that was sent.

    Raises:
        ServerError: it is forged, damaged, or older than 30 days.
    """
    annotator_id, step_id, shown_ms, nonce, known_answer_id = _read(secret_key, "ticket", text, 5)
    shown_at = _instant(shown_ms)
    if now - shown_at > LIFETIME:
        raise ServerError(_(INVALID_TICKET))
    return Ticket(annotator_id, step_id, shown_at, nonce, known_answer_id)


def sign_entrance(secret_key: str, entrance: Entrance, now: datetime) -> str:
    """Return the value of the cookie of an annotator."""
    return _sign(secret_key, "entrance", [entrance.annotator_id, entrance.key_id, _milliseconds(now)])


def find_entrance(secret_key: str, text: str, now: datetime) -> Entrance | None:
    """Return who the cookie is of; None: it is forged, or older than 30 days."""
    try:
        annotator_id, key_id, made_ms = _read(secret_key, "entrance", text, 3)
    except ServerError:
        return None
    return Entrance(annotator_id, key_id) if now - _instant(made_ms) <= LIFETIME else None


def sign_form(secret_key: str, purpose: str, number: int, now: datetime) -> str:
    """Return the token of another form of an annotator, such as the consent's; `number`: whose or what."""
    return _sign(secret_key, f"form {purpose}", [number, _milliseconds(now)])


def check_form(secret_key: str, purpose: str, number: int, text: str, now: datetime) -> None:
    """Check the token of another form.

    Raises:
        ServerError: it is forged, older than 30 days, or of another annotator or purpose.
    """
    signed_number, made_ms = _read(secret_key, f"form {purpose}", text, 2)
    if signed_number != number or now - _instant(made_ms) > LIFETIME:
        raise ServerError(_("The form is no longer valid. Reload the page and try again."))


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
        raise ServerError(_(INVALID_TICKET)) from error
    if not isinstance(fields, list) or len(fields) != n_fields:  # signed by another version of the site
        raise ServerError(_(INVALID_TICKET))
    return fields


def _signer(secret_key: str, purpose: str) -> URLSafeSerializer:
    """Return a signer whose key is derived from the site's secret as that of sessions is."""
    return URLSafeSerializer(
        secret_key,
        salt=f"assay annotation {purpose}",
        signer_kwargs={"key_derivation": "hmac", "digest_method": hashlib.sha256},
    )
