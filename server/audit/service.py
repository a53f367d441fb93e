"""The audit log: append-only, each entry chained to the one before by its SHA-256."""

import hashlib
import json
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.audit.models import AuditEntry
from server.core.actors import Actor

GENESIS = "0" * 64

_HEAD = select(AuditEntry.number, AuditEntry.sha256).order_by(AuditEntry.number.desc()).limit(1)


def record(
    session: Session,
    actor: Actor,
    now: datetime,
    action: str,
    task_id: int | None = None,
    team_id: int | None = None,
    /,
    **details: Any,
) -> AuditEntry:
    """Append one entry. Its number is unique, so that two writers cannot fork the chain.

    `team_id`: the team that it concerns, whose members read it.
    """
    last, previous = find_head(session) or (0, GENESIS)
    entry = AuditEntry(
        number=last + 1,
        at=now,
        actor=actor.label,
        task_id=task_id,
        team_id=team_id,
        action=action,
        details=details,
        previous=previous,
    )
    entry.sha256 = entry_hash(entry)
    session.add(entry)
    session.flush()
    return entry


def find_head(session: Session) -> tuple[int, str] | None:
    """Return the number and the hash of the newest entry, which covers all entries before it."""
    row = session.execute(_HEAD).first()
    return None if row is None else (row.number, row.sha256)


def entry_hash(entry: AuditEntry) -> str:
    """Compute the SHA-256 of an entry's content and of the previous entry's hash."""
    return hash_content(content_of(entry))


def content_of(entry: AuditEntry) -> dict[str, Any]:
    """Return the part of an entry that its hash covers; the team is a part of it only if there is one."""
    values: dict[str, Any] = {
        "number": entry.number,
        "at": entry.at.isoformat(),
        "actor": entry.actor,
        "task": entry.task_id,
        "action": entry.action,
        "details": entry.details,
        "previous": entry.previous,
    }
    return values if entry.team_id is None else {**values, "team": entry.team_id}


def hash_content(values: dict[str, Any]) -> str:
    """Compute the SHA-256 of the canonical form of an entry's content."""
    canonical = json.dumps(values, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()
