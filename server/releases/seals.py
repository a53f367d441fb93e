"""Seals: signed statements about a release, made in its transaction, and again when names are revealed."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import select, tuple_
from sqlalchemy.orm import Session

from scorer.proof.signing import format_instant
from scorer.proof.statements import SCHEMA
from scorer.values import write_json
from server.access import tasks
from server.audit.models import AuditEntry
from server.core.identity import get_identity
from server.core.storage import text_sha256
from server.gold.commitments import commitment_to
from server.gold.models import GoldVersion
from server.phases.models import Phase
from server.releases.models import Release, ReleaseSeal
from server.releases.rules import named_gold_versions
from server.signing import service as signing_keys


def format_rules(rules: Mapping[str, Any]) -> str:
    """Format the rules of a release as the file whose hash is signed."""
    return write_json(rules)


def seal_release(session: Session, phase: Phase, release: Release, entry: AuditEntry, now: datetime) -> None:
    """Sign the leaderboard, rules and gold versions of a release; `entry` is the head of the audit log."""
    _add(session, phase, release, release.sha256, _golds(session, phase, release), entry, now)


def find_anonymous_seal(session: Session, release: Release) -> ReleaseSeal | None:
    """Return the seal that one with names must follow; None: the names change nothing."""
    if release.named_sha256 in (None, release.sha256):  # a leaderboard of baselines has no pseudonyms
        return None
    return get_seal(session, release.id, release.sha256)


def seal_named(
    session: Session, phase: Phase, release: Release, first: ReleaseSeal, entry: AuditEntry, now: datetime
) -> None:
    """Sign the leaderboard with the revealed names; `first`: the seal of the anonymous one."""
    assert release.named_sha256 is not None  # noqa: S101  (`find_anonymous_seal` found it)
    golds = json.loads(first.text)["signed"]["gold"]
    _add(session, phase, release, release.named_sha256, golds, entry, now)


def get_seal(session: Session, release_id: int, board_sha256: str) -> ReleaseSeal:
    """Return the seal of the leaderboard that a release shows."""
    of_board = ReleaseSeal.release_id == release_id, ReleaseSeal.board_sha256 == board_sha256
    return session.scalars(select(ReleaseSeal).where(*of_board)).one()


def _add(
    session: Session,
    phase: Phase,
    release: Release,
    board_sha256: str,
    golds: list[dict[str, Any]],
    entry: AuditEntry,
    now: datetime,
) -> None:
    content = {
        "schema": SCHEMA,
        "site": get_identity(session).site_url,
        "task": phase.task.short_name,
        "phase": phase.slug,
        "split": phase.split,
        "number": release.number,
        "made": format_instant(now),
        "board": board_sha256,
        "rules": text_sha256(format_rules(release.rules)),
        "gold": golds,
        "audit": {"number": entry.number, "sha256": entry.sha256},
    }
    text = signing_keys.sign_document(session, content, now)
    session.add(ReleaseSeal(release_id=release.id, board_sha256=board_sha256, text=text, made_at=now))
    session.flush()


def _golds(session: Session, phase: Phase, release: Release) -> list[dict[str, Any]]:
    """Return the gold version of each level that the release's rules name, with its commitment."""
    named = named_gold_versions(release.rules)
    slugs = {split.id: level.slug for level, split in tasks.splits_of(phase) if level.slug in named}
    wanted = [(split_id, named[slug]) for split_id, slug in slugs.items()]
    query = select(GoldVersion).where(tuple_(GoldVersion.split_id, GoldVersion.number).in_(wanted))
    versions = {version.split_id: version for version in session.scalars(query)}
    return [
        {"level": slug, "version": named[slug], "commitment": commitment_to(session, versions[split_id])}
        for split_id, slug in slugs.items()
    ]
