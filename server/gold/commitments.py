"""Salted commitments to gold files, which the site publishes before anyone may see the files."""

from sqlalchemy.orm import Session

from scorer.proof.signing import gold_commitment
from server.core.cache import CacheByHash
from server.core.storage import storage_of
from server.gold.models import GoldVersion

_CACHE: CacheByHash[tuple[str, str], str] = CacheByHash(64)
"""By salt and hash, because each upload needs the commitment, and gold can be large."""


def commitment_to(session: Session, version: GoldVersion) -> str:
    """Return the salted hash of a gold version's file, which fixes the file without revealing it."""
    salt, sha256 = version.salt, version.sha256
    return _CACHE.get(
        (salt, sha256), lambda: gold_commitment(bytes.fromhex(salt), storage_of(session).get(sha256))
    )
