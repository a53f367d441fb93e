"""Salted commitments to gold files, which the site publishes before anyone may see the files."""

from sqlalchemy.orm import Session

from scorer.proof.signing import gold_commitment
from server.core.storage import storage_of
from server.gold.models import GoldVersion


def commitment_to(session: Session, version: GoldVersion) -> str:
    """Return the salted hash of a gold version's file, which fixes the file without revealing it."""
    return gold_commitment(bytes.fromhex(version.salt), storage_of(session).get(version.sha256))
