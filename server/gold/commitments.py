"""Salted commitments to gold files, which the site publishes before anyone may see the files."""

from scorer.proof.signing import gold_commitment
from server.core.storage import Storage
from server.gold.models import GoldVersion


def commitment_to(storage: Storage, version: GoldVersion) -> str:
    """Return the salted hash of a gold version's file, which fixes the file without revealing it."""
    return gold_commitment(bytes.fromhex(version.salt), storage.get(version.sha256))
