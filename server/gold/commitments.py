"""Salted commitments to gold: what the site binds itself to before anybody may see it."""

from scorer.proof.signing import gold_commitment
from server.core.storage import Storage
from server.gold.models import GoldVersion


def commitment_to(storage: Storage, version: GoldVersion) -> str:
    """The salted hash of a gold version's file, which tells nothing of it and binds the site."""
    return gold_commitment(bytes.fromhex(version.salt), storage.get(version.sha256))
