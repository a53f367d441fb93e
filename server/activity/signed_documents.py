"""Signed documents that name an entry of the audit log: receipts, statements of releases, outside copies."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from scorer.errors import DataError
from scorer.proof import signing
from scorer.proof.signing import SignedDocument
from server.activity.telling import number_of
from server.activity.verify_gold import GoldCheck
from server.audit import rows as audit_rows
from server.audit.chain import ChainHead, ChainProblems
from server.audit.models import AuditEntry
from server.audit.rows import MalformedCell
from server.core.config import ConfigError
from server.core.identity import Identity
from server.phases.models import Phase
from server.releases.models import Release, ReleaseSeal
from server.releases.seals import format_rules, text_sha256
from server.runs.models import Run
from server.signing import service as signing_keys
from server.signing.models import SigningKey
from server.submissions.models import Receipt, Submission
from server.tasks.models import Task
from server.teams.models import Team

BATCH = 500


@dataclass(frozen=True, slots=True)
class UnverifiedDocument:
    """A document, what it is called, and what it has to say."""

    name: str
    data: bytes
    says: dict[str, Any] = field(default_factory=dict)
    may_be_foreign: bool = False
    """Whether it may be of another site: it came with a task that was imported."""
    fault: str | None = None
    """Why there is nothing to read."""


@dataclass(slots=True)
class DocumentResults:
    """How many documents were good, how many are of other sites, and the newest entry that one names.

    `unfit`: how many say nothing of this log, since they are at fault themselves.
    """

    good: int = 0
    foreign: int = 0
    newest: int = 0
    unfit: int = 0


class DocumentVerifier:
    """Holds documents against the log and the gold: signed by this site, and naming what is still so."""

    def __init__(self, session: Session, problems: ChainProblems, head: ChainHead | None) -> None:
        self.session, self.problems = session, problems
        self.last = 0 if head is None else head.number
        self.own = {key.public for key in signing_keys.list_keys(session)}
        self.golds = GoldCheck(session, problems)

    def hear(self, papers: Iterable[UnverifiedDocument]) -> DocumentResults:
        """Check all of them, a batch at a time."""
        found = DocumentResults()
        batch: list[tuple[UnverifiedDocument, int, str]] = []
        for paper in papers:
            try:
                named = self._read(paper, found)
            except MalformedCell as odd:
                self.problems.add(str(odd))
                found.unfit += 1
                continue
            if named is not None:
                batch.append((paper, *named))
            if len(batch) == BATCH:
                self._look_up(batch, found)
                batch.clear()
        self._look_up(batch, found)
        return found

    def _read(self, paper: UnverifiedDocument, found: DocumentResults) -> tuple[int, str] | None:
        """The entry that a document names; None: it is another site's.

        Raises:
            Odd: the document is not good in itself, or not of this site.
        """
        document = _open(paper)
        fault = _fault(paper, document, self.own)
        if fault is not None:
            raise MalformedCell(f"{paper.name}: {fault}")
        if document.key not in self.own:
            found.foreign += 1
            return None
        head = document.content.get("audit")
        number = number_of(head.get("number")) if isinstance(head, dict) else None
        sha256 = head.get("sha256") if isinstance(head, dict) else None
        if number is None or not isinstance(sha256, str):
            raise MalformedCell(f"{paper.name}: names no entry of the log, so it says nothing of it")
        self.golds.check(paper.name, document.content, may_be_gone=paper.may_be_foreign)
        return number, sha256

    def _look_up(self, batch: Sequence[tuple[UnverifiedDocument, int, str]], found: DocumentResults) -> None:
        dialect = self.session.get_bind().dialect.name
        numbers = {number for _, number, _ in batch if number < 2**31}
        sha256 = audit_rows.raw(dialect, AuditEntry.sha256).label("sha256")
        query = select(AuditEntry.number, sha256).where(AuditEntry.number.in_(numbers))
        held = {row.number: bytes(row.sha256 or b"") for row in self.session.execute(query)}
        for paper, number, named in batch:
            if number > self.last:
                words = f"names entry {number}, which is not in the log: its end was cut off"
                self.problems.add(f"{paper.name}: {words}")
            elif number not in held:
                self.problems.add(f"{paper.name}: names entry {number}, which is missing from the log")
            elif held[number] != named.encode():
                words = f"names another entry {number} than the log has: it was written anew"
                self.problems.add(f"{paper.name}: {words}")
            else:
                found.good += 1
                found.newest = max(found.newest, number)


def _open(paper: UnverifiedDocument) -> SignedDocument:
    if paper.fault is not None:
        raise MalformedCell(paper.fault)
    try:
        return signing.read_signed(paper.data, paper.name)
    except DataError as error:
        raise MalformedCell(str(error.problems[0])) from error


def _fault(paper: UnverifiedDocument, document: SignedDocument, own: set[str]) -> str | None:
    if not signing.is_signed(document):
        return "was edited: its signature does not fit what it says"
    if document.key not in own and not paper.may_be_foreign:
        return f"is signed with a key that is none of this site’s ({document.key[:10]}...)"
    for name, value in paper.says.items():
        if document.key in own and document.content.get(name) != value:
            what, said, kept = _difference(name, document.content.get(name), value)
            return f"is of {what} {said}, and is kept for {kept}"
    return None


def _difference(name: str, said: object, kept: object) -> tuple[str, object, object]:
    """What two values differ in: of a file, its hash or its size."""
    if not (isinstance(said, dict) and isinstance(kept, dict)):
        return name, said, kept
    key = next((key for key in kept if said.get(key) != kept[key]), None)
    return (name, said, kept) if key is None else (f"a {name} with {key}", said.get(key), kept[key])


def list_unopened(session: Session) -> list[str]:
    """The public keys whose private halves the secret does not open: anybody could have put them there."""
    identity = signing_keys.get_identity(session)
    return [key.public for key in signing_keys.list_keys(session) if not _opens(identity, key)]


def _opens(identity: Identity, key: SigningKey) -> bool:
    try:
        return signing.public_key(identity.open(key.sealed)) == key.public
    except (ConfigError, ValueError):
        return False


def receipts(session: Session, imported: Iterable[int]) -> Iterator[UnverifiedDocument]:
    """The receipts that the site keeps; those of imported tasks may be of the site that they came from."""
    dialect, brought = session.get_bind().dialect.name, set(imported)
    text = audit_rows.raw(dialect, Receipt.text).label("text")
    sha256 = audit_rows.raw(dialect, Submission.sha256).label("sha256")
    query = (
        select(Receipt.submission_id, text, Team.task_id, sha256, Submission.size)
        .join(Submission, Submission.id == Receipt.submission_id)
        .join(Run, Run.id == Submission.run_id)
        .join(Team, Team.id == Run.team_id)
        .order_by(Receipt.submission_id)
    )
    for row in session.execute(query, execution_options={"yield_per": audit_rows.BATCH}):
        came, file = row.task_id in brought, _decoded(row.sha256)
        says = {"file": {"sha256": file, "bytes": row.size}}
        numbered = {} if came else {"receipt": row.submission_id}
        yield UnverifiedDocument(
            f"receipt {row.submission_id}", bytes(row.text or b""), says | numbered, came
        )


def seals(session: Session, imported: Iterable[int]) -> Iterator[UnverifiedDocument]:
    """The statements of releases that the site keeps."""
    dialect, brought = session.get_bind().dialect.name, set(imported)
    text = audit_rows.raw(dialect, ReleaseSeal.text).label("text")
    board = audit_rows.raw(dialect, ReleaseSeal.board_sha256).label("board")
    rules = audit_rows.raw(dialect, Release.rules).label("rules")
    query = (
        select(text, board, rules, Release.number, Phase.slug, Task.slug.label("task"), Task.id)
        .join(Release, Release.id == ReleaseSeal.release_id)
        .join(Phase, Phase.id == Release.phase_id)
        .join(Task, Task.id == Phase.task_id)
    )
    for row in session.execute(query, execution_options={"yield_per": audit_rows.BATCH}):
        says = {"board": _decoded(row.board), "number": row.number, "rules": _rules_hash(row.rules)}
        name = f"statement of release {row.number} of {row.slug} ({row.task})"
        yield UnverifiedDocument(name, bytes(row.text or b""), says, row.id in brought)


def _decoded(cell: Any) -> str:
    return bytes(cell or b"").decode(errors="replace")


def _rules_hash(cell: Any) -> str:
    """The SHA-256 of the rules as their file has it; of what is no object, of the cell as it stands."""
    try:
        rules = json.loads(_decoded(cell))
    except (ValueError, RecursionError):
        rules = None
    return text_sha256(format_rules(rules) if isinstance(rules, dict) else _decoded(cell))
