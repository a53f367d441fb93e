"""People of a crowd: a platform sends all of them to one link, to which it adds their ids.

An id is stored as a keyed hash alone. It proves nothing, because anyone who knows it can type it. So each
browser gets a key of its own, and is shown what was answered with this key.
"""

import re
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.annotation.campaigns import consents, people, personal_links
from server.annotation.campaigns.rules import Invitee
from server.annotation.models import AnnotationBar, Annotator, AnnotatorIdentity, Campaign, Entry
from server.core.errors import Conflict, NotFound
from server.core.i18n import N_
from server.core.identity import get_identity

MAX_ID_LENGTH = 255
EXAMPLE = "{{%PROLIFIC_PID%}}"
"""What one platform replaces by the id of the person."""
_UNFILLED = re.compile(r"[{$\[<%]")
"""How placeholders begin that a platform did not fill in."""
NO_MORE = N_("You have taken part in this campaign before, and cannot go on with it.")


def path_of(session: Session, entry: Entry) -> str:
    """Return the path of the link of a crowd, to which the parameter with the person's id is added."""
    key = get_identity(session).sign_link(_nonce(entry))
    return f"/a/{entry.campaign_id}/join/{key}"


def list_links(session: Session, campaign: Campaign, site_url: str) -> list[tuple[Entry, str]]:
    """List the entries for crowds with their addresses, as one platform needs them."""
    return [
        (entry, f"{site_url}{path_of(session, entry)}?{entry.person}={EXAMPLE}")
        for entry in campaign.entries
        if entry.kind == "crowd"
    ]


def get_entry(session: Session, campaign_id: int, key: str) -> Entry:
    """Return the entry of a crowd whose link has this key.

    Raises:
        NotFound: no link of the campaign has it.
    """
    nonce = get_identity(session).read_link(key)
    query = select(Entry).where(Entry.campaign_id == campaign_id, Entry.kind == "crowd")
    for entry in session.scalars(query):
        if _nonce(entry) == nonce:
            return entry
    raise NotFound.of("There is no such link. Check that you copied all of it.")


def read_person(text: str) -> str | None:
    """Return the id that a platform put into the address; None: it put none there."""
    person = text.strip()
    is_id = person and len(person) <= MAX_ID_LENGTH and _UNFILLED.match(person) is None
    return person if is_id else None


def hash_person(session: Session, entry: Entry, person: str) -> str:
    """Return the keyed hash by which a person is known in the campaign of an entry."""
    return get_identity(session).hash_person(f"crowd {entry.campaign_id} {person}")


def find_annotator(session: Session, person_hash: str) -> Annotator | None:
    """Return the annotator that a person is."""
    identity = session.scalar(select(AnnotatorIdentity).where(AnnotatorIdentity.person_hash == person_hash))
    return None if identity is None else identity.annotator


def join(
    session: Session, entry: Entry, person_hash: str, key_sha256: str, now: datetime
) -> tuple[Annotator, str]:
    """Return the annotator that a person is, who is added when they come first, and the hash of a key.

    `key_sha256`: of the key that their browser has; if it is not theirs, they get another one.

    Raises:
        Conflict: they withdrew their consent, or were erased; or they came by another link of the campaign.
    """
    annotator = find_annotator(session, person_hash)
    if annotator is None:
        if session.get(AnnotationBar, (entry.campaign_id, person_hash)) is not None:
            raise Conflict.of(NO_MORE)
        link = people.add_annotator(session, entry, Invitee(), now)
        session.get_one(AnnotatorIdentity, link.annotator.id).person_hash = person_hash
        session.flush()
        return link.annotator, personal_links.hash_key(link.key)
    if consents.has_withdrawn(session, annotator):
        raise Conflict.of(NO_MORE)
    if annotator.entry_id != entry.id:
        raise Conflict.of("You have taken part by another link of this campaign. Use that link again.")
    if session.scalar(select(personal_links.annotator_of(key_sha256))) == annotator.id:
        return annotator, key_sha256
    return annotator, personal_links.hash_key(personal_links.make_key(session, annotator, now))


def _nonce(entry: Entry) -> str:
    """Return what the key of a link signs; an invitation to a team has a random nonce, never such a one."""
    return f"crowd-{entry.id}"
