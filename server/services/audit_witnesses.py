"""Signed documents that name an entry of the audit log: receipts, statements of releases, outside copies."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from scorer import signing
from scorer.errors import DataError
from scorer.signing import SignedDocument
from server.config import ConfigError
from server.domain.audit_telling import number_of
from server.identity import Identity
from server.models import (
    AuditEntry,
    Phase,
    Receipt,
    Release,
    ReleaseSeal,
    Run,
    SigningKey,
    Submission,
    Task,
    Team,
)
from server.services import audit_rows, keys
from server.services.audit_chain import Problems

BATCH = 500


@dataclass(frozen=True, slots=True)
class Paper:
    """A document, what it is called, and what it has to say."""

    name: str
    data: bytes
    says: dict[str, Any] = field(default_factory=dict)
    may_be_foreign: bool = False
    """Whether it may be of another site: it came with a task that was imported."""


@dataclass(slots=True)
class Witnesses:
    """How many documents were good, how many are of other sites, and the newest entry that one names."""

    good: int = 0
    foreign: int = 0
    newest: int = 0


def check(session: Session, papers: Iterable[Paper], problems: Problems) -> Witnesses:
    """Hold documents against the log: signed by this site, and naming an entry that is in it."""
    found, own = Witnesses(), {key.public for key in keys.list_keys(session)}
    batch: list[tuple[Paper, int, str]] = []
    for paper in papers:
        head = _read(paper, own, problems, found)
        if head is not None:
            batch.append((paper, *head))
        if len(batch) == BATCH:
            _look_up(session, batch, problems, found)
            batch.clear()
    _look_up(session, batch, problems, found)
    return found


def _read(paper: Paper, own: set[str], problems: Problems, found: Witnesses) -> tuple[int, str] | None:
    """The entry that a document names, if the document is good in itself and of this site."""
    try:
        document = signing.read_signed(paper.data, paper.name)
    except DataError as error:
        problems.add(str(error.problems[0]))
        return None
    fault = _fault(paper, document, own)
    if fault is not None:
        problems.add(f"{paper.name}: {fault}")
        return None
    if document.key not in own:
        found.foreign += 1
        return None
    head = document.content.get("audit")
    number = number_of(head.get("number")) if isinstance(head, dict) else None
    sha256 = head.get("sha256") if isinstance(head, dict) else None
    if number is None or not isinstance(sha256, str):
        problems.add(f"{paper.name}: names no entry of the log, so it says nothing of it")
        return None
    return number, sha256


def _fault(paper: Paper, document: SignedDocument, own: set[str]) -> str | None:
    if not signing.is_signed(document):
        return "was edited: its signature does not fit what it says"
    if document.key not in own and not paper.may_be_foreign:
        return f"is signed with a key that is none of this site’s ({document.key[:10]}...)"
    for name, value in paper.says.items():
        if document.key in own and document.content.get(name) != value:
            return f"is of {name} {document.content.get(name)}, and is kept for {value}"
    return None


def _look_up(
    session: Session, batch: Sequence[tuple[Paper, int, str]], problems: Problems, found: Witnesses
) -> None:
    dialect = session.get_bind().dialect.name
    numbers = {number for _, number, _ in batch if number < 2**31}
    sha256 = audit_rows.raw(dialect, AuditEntry.sha256).label("sha256")
    query = select(AuditEntry.number, sha256).where(AuditEntry.number.in_(numbers))
    held = {row.number: bytes(row.sha256 or b"") for row in session.execute(query)}
    for paper, number, named in batch:
        if number not in held:
            problems.add(f"{paper.name}: names entry {number}, which is not in the log: its end was cut off")
        elif held[number] != named.encode():
            problems.add(f"{paper.name}: names another entry {number} than the log has: it was written anew")
        else:
            found.good += 1
            found.newest = max(found.newest, number)


def list_unopened(session: Session) -> list[str]:
    """The public keys whose private halves the secret does not open: anybody could have put them there."""
    identity = keys.identity_of(session)
    return [key.public for key in keys.list_keys(session) if not _opens(identity, key)]


def _opens(identity: Identity, key: SigningKey) -> bool:
    try:
        return signing.public_key(identity.open(key.sealed)) == key.public
    except (ConfigError, ValueError):
        return False


def receipts(session: Session, imported: Iterable[int]) -> Iterator[Paper]:
    """The receipts that the site keeps; those of imported tasks may be of the site that they came from."""
    dialect, brought = session.get_bind().dialect.name, set(imported)
    text = audit_rows.raw(dialect, Receipt.text).label("text")
    sha256 = audit_rows.raw(dialect, Submission.sha256).label("sha256")
    query = (
        select(Receipt.submission_id, text, Team.task_id, sha256, Submission.size)
        .join(Submission, Submission.id == Receipt.submission_id)
        .join(Run, Run.id == Submission.run_id)
        .join(Team, Team.id == Run.team_id)
    )
    for row in session.execute(query, execution_options={"yield_per": audit_rows.BATCH}):
        came, file = row.task_id in brought, bytes(row.sha256 or b"").decode(errors="replace")
        says = {"file": {"sha256": file, "bytes": row.size}}
        numbered = {} if came else {"receipt": row.submission_id}
        yield Paper(f"receipt {row.submission_id}", bytes(row.text or b""), says | numbered, came)


def seals(session: Session, imported: Iterable[int]) -> Iterator[Paper]:
    """The statements of releases that the site keeps."""
    dialect, brought = session.get_bind().dialect.name, set(imported)
    text = audit_rows.raw(dialect, ReleaseSeal.text).label("text")
    query = (
        select(text, ReleaseSeal.board_sha256, Release.number, Phase.slug, Task.slug.label("task"), Task.id)
        .join(Release, Release.id == ReleaseSeal.release_id)
        .join(Phase, Phase.id == Release.phase_id)
        .join(Task, Task.id == Phase.task_id)
    )
    for row in session.execute(query, execution_options={"yield_per": audit_rows.BATCH}):
        says = {"board": row.board_sha256, "number": row.number}
        name = f"statement of release {row.number} of {row.slug} ({row.task})"
        yield Paper(name, bytes(row.text or b""), says, row.id in brought)
