"""Verifying signed documents against the audit log and the gold: receipts, statements, outside copies.

Each has to be signed by this site and to name an entry that the log has. The commitments to gold versions
that it names have to follow from the salts and the files that the site has now.
"""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from scorer.errors import DataError
from scorer.proof import signing
from server.activity.entry_sentences import read_row_id
from server.audit import raw_rows
from server.audit.chain import ChainHead, ChainProblems
from server.audit.models import AuditEntry
from server.core.config import ConfigError
from server.core.identity import Identity, get_identity
from server.core.storage import storage_of, text_sha256
from server.gold.models import GoldVersion
from server.phases.models import Phase
from server.releases.models import Release, ReleaseSeal
from server.releases.seals import format_rules
from server.runs.models import Run
from server.signing import service as signing_keys
from server.signing.models import SigningKey
from server.submissions.models import Receipt, Submission
from server.tasks.models import Level, Split, Task
from server.teams.models import Team

BATCH = 500


@dataclass(frozen=True, slots=True)
class UnverifiedDocument:
    """A document, its name, and its contents."""

    name: str
    data: bytes
    says: dict[str, Any] = field(default_factory=dict)
    may_be_foreign: bool = False
    """Whether it may be from another site, because it came with an imported task."""
    fault: str | None = None
    """Why there is nothing to read."""


@dataclass(slots=True)
class DocumentResults:
    """How many documents are valid, how many are from other sites, and the newest entry that one names.

    `unfit`: how many prove nothing about this log, because they are invalid themselves.
    """

    good: int = 0
    foreign: int = 0
    newest: int = 0
    unfit: int = 0


@dataclass(frozen=True, slots=True)
class NamedEntry:
    """The entry of the log that a document names."""

    document: str
    number: int
    sha256: str


class DocumentVerifier:
    """Verifies documents against the log and the gold: signed by this site, with facts that still hold."""

    def __init__(self, session: Session, problems: ChainProblems, head: ChainHead | None) -> None:
        self.session, self.problems = session, problems
        self.last = 0 if head is None else head.number
        self.own = {key.public for key in signing_keys.list_keys(session)}
        self.golds = GoldCheck(session, problems)

    def verify(self, documents: Iterable[UnverifiedDocument]) -> DocumentResults:
        """Verify all documents in batches."""
        results = DocumentResults()
        named_entries = self._read_all(documents, results)
        while batch := list(islice(named_entries, BATCH)):
            self._look_up(batch, results)
        return results

    def _read_all(
        self, documents: Iterable[UnverifiedDocument], results: DocumentResults
    ) -> Iterator[NamedEntry]:
        """Yield the entries that valid documents of this site name; report and count the other documents."""
        for document in documents:
            try:
                named = self._read(document)
            except raw_rows.MalformedCell as error:
                self.problems.add(str(error))
                results.unfit += 1
                continue
            if named is None:
                results.foreign += 1
            else:
                yield named

    def _read(self, document: UnverifiedDocument) -> NamedEntry | None:
        """Return the entry that a document names; None: it is another site's.

        Raises:
            MalformedCell: the document is invalid, or not of this site.
        """
        if document.fault is not None:
            raise raw_rows.MalformedCell(document.fault)
        try:
            signed = signing.read_signed(document.data, document.name)
        except DataError as error:
            raise raw_rows.MalformedCell(str(error.problems[0])) from error
        fault = _find_fault(document, signed, self.own)
        if fault is not None:
            raise raw_rows.MalformedCell(f"{document.name}: {fault}")
        if signed.key not in self.own:
            return None
        head = signed.content.get("audit")
        head = head if isinstance(head, dict) else {}
        number, sha256 = read_row_id(head.get("number")), head.get("sha256")
        if number is None or not isinstance(sha256, str):
            raise raw_rows.MalformedCell(
                f"{document.name}: refers to no entry of the log, so it proves nothing about it"
            )
        self.golds.check(document.name, signed.content, may_be_gone=document.may_be_foreign)
        return NamedEntry(document.name, number, sha256)

    def _look_up(self, batch: Sequence[NamedEntry], results: DocumentResults) -> None:
        numbers = {named.number for named in batch if named.number < 2**31}
        sha256 = raw_rows.raw_cells(self.session, sha256=AuditEntry.sha256)
        query = select(AuditEntry.number, *sha256).where(AuditEntry.number.in_(numbers))
        log_hashes = {row.number: bytes(row.sha256 or b"") for row in self.session.execute(query)}
        for named in batch:
            number, fault = named.number, None
            if number > self.last:
                fault = f"refers to entry {number}, which is not in the log: the log was truncated"
            elif number not in log_hashes:
                fault = f"refers to entry {number}, which is missing from the log"
            elif log_hashes[number] != named.sha256.encode():
                fault = f"refers to another entry {number} than the log has: the log was rewritten"
            else:
                results.good += 1
                results.newest = max(results.newest, number)
            if fault is not None:
                self.problems.add(f"{named.document}: {fault}")


def _find_fault(document: UnverifiedDocument, signed: signing.SignedDocument, own: set[str]) -> str | None:
    """Return why a document proves nothing, or is not about the object that it is stored with."""
    if not signing.has_valid_signature(signed):
        return "was edited: its signature does not match its contents"
    if signed.key not in own:
        none_of_ours = f"is signed with a key that does not belong to this site ({signed.key[:10]}...)"
        return None if document.may_be_foreign else none_of_ours
    for name, value in document.says.items():
        if signed.content.get(name) != value:
            part, signed_value, stored_value = _difference(name, signed.content.get(name), value)
            return f"is about {part} {signed_value}, but is stored for {stored_value}"
    return None


def _difference(name: str, signed_value: object, stored_value: object) -> tuple[str, object, object]:
    """Return what differs in two values: of a file, its hash or its size."""
    if isinstance(signed_value, dict) and isinstance(stored_value, dict):
        for key, stored in stored_value.items():
            if signed_value.get(key) != stored:
                return f"a {name} with {key}", signed_value.get(key), stored
    return name, signed_value, stored_value


def list_unopenable_keys(session: Session) -> list[str]:
    """List public keys whose private keys the secret cannot decrypt: anyone could have inserted them."""
    identity = get_identity(session)
    return [key.public for key in signing_keys.list_keys(session) if not _can_open(identity, key)]


def _can_open(identity: Identity, key: SigningKey) -> bool:
    try:
        return signing.public_key(identity.open(key.sealed)) == key.public
    except (ConfigError, ValueError):
        return False


def stream_receipts(session: Session, imported: Collection[int]) -> Iterator[UnverifiedDocument]:
    """Yield the receipts in the database; those of imported tasks may be from the original site."""
    cells = raw_rows.raw_cells(session, text=Receipt.text, sha256=Submission.sha256)
    query = (
        select(Receipt.submission_id, Team.task_id, Submission.size, *cells)
        .join(Submission, Submission.id == Receipt.submission_id)
        .join(Run, Run.id == Submission.run_id)
        .join(Team, Team.id == Run.team_id)
        .order_by(Receipt.submission_id)
    )
    for row in session.execute(query, execution_options={"yield_per": raw_rows.BATCH}):
        came = row.task_id in imported
        says = {"file": {"sha256": _decode(row.sha256), "bytes": row.size}}
        numbered = {} if came else {"receipt": row.submission_id}
        name = f"receipt {row.submission_id}"
        yield UnverifiedDocument(name, bytes(row.text or b""), says | numbered, may_be_foreign=came)


def stream_seals(session: Session, imported: Collection[int]) -> Iterator[UnverifiedDocument]:
    """Yield the statements of releases in the database."""
    cells = raw_rows.raw_cells(
        session, text=ReleaseSeal.text, board=ReleaseSeal.board_sha256, rules=Release.rules
    )
    query = (
        select(Release.number, Phase.slug, Task.slug.label("task"), Task.id, *cells)
        .select_from(ReleaseSeal)
        .join(Release, Release.id == ReleaseSeal.release_id)
        .join(Phase, Phase.id == Release.phase_id)
        .join(Task, Task.id == Phase.task_id)
    )
    for row in session.execute(query, execution_options={"yield_per": raw_rows.BATCH}):
        says = {"board": _decode(row.board), "number": row.number, "rules": _rules_hash(row.rules)}
        name = f"statement of release {row.number} of {row.slug} ({row.task})"
        yield UnverifiedDocument(name, bytes(row.text or b""), says, may_be_foreign=row.id in imported)


def _decode(cell: Any) -> str:
    return bytes(cell or b"").decode(errors="replace")


def _rules_hash(cell: Any) -> str:
    """Return the SHA-256 of the rules' file; if the cell is not an object, of the cell as it is."""
    try:
        rules = json.loads(_decode(cell))
    except (ValueError, RecursionError):
        rules = None
    return text_sha256(format_rules(rules) if isinstance(rules, dict) else _decode(cell))


GoldVersionKey = tuple[str, str, str, int]
"""Task, level, split and the number of the version."""
_HEX = re.compile(rb"[0-9a-f]{64}")


class GoldCheck:
    """Computes the commitment to each gold version once, and reports a version that does not match once."""

    def __init__(self, session: Session, problems: ChainProblems) -> None:
        self.session, self.problems = session, problems
        self.known: dict[GoldVersionKey, str | None] = {}
        """The commitment to each version that was looked up; None: it cannot be computed."""
        self.reported: set[GoldVersionKey] = set()

    @property
    def count(self) -> int:
        """The number of versions that documents name and that are unchanged."""
        return len(self.known) - len(self.reported)

    def check(self, name: str, content: dict[str, Any], *, may_be_gone: bool) -> None:
        """Check the facts about gold versions in a document of this site."""
        for place, commitment in _list_commitments(content):
            if place not in self.known:
                self.known[place] = self._compute(place)
            is_now = self.known[place]
            if is_now == commitment or place in self.reported or (is_now is None and may_be_gone):
                continue
            self.reported.add(place)
            task, level, split, number = place
            self.problems.add(
                f"gold {number} of {level} ({split}) of {task} is not the one that {name} refers to: "
                f"its salt or its file {'is missing' if is_now is None else 'was changed'}"
            )

    def _compute(self, place: GoldVersionKey) -> str | None:
        cells = raw_rows.raw_cells(self.session, salt=GoldVersion.salt, sha256=GoldVersion.sha256)
        query = (
            select(*cells)
            .select_from(GoldVersion)
            .join(Split, Split.id == GoldVersion.split_id)
            .join(Level, Level.id == Split.level_id)
            .join(Task, Task.id == Level.task_id)
            .where(Task.slug == place[0], Level.slug == place[1])
            .where(Split.name == place[2], GoldVersion.number == min(place[3], 2**31 - 1))
        )
        row = self.session.execute(query).first()
        if row is None or not all(_HEX.fullmatch(bytes(cell or b"")) for cell in row):
            return None
        try:
            gold = storage_of(self.session).get(bytes(row.sha256).decode())
        except OSError:
            return None
        return signing.gold_commitment(bytes.fromhex(bytes(row.salt).decode()), gold)


def _list_commitments(content: dict[str, Any]) -> Iterator[tuple[GoldVersionKey, str]]:
    """Yield the gold versions that a receipt or a statement names, with their commitments."""
    gold, level = content.get("gold"), content.get("level")
    entries = [{**gold, "level": level}] if isinstance(gold, dict) else gold
    for entry in entries if isinstance(entries, list) else []:
        if isinstance(entry, dict):
            names = content.get("task"), entry.get("level"), content.get("split")
            task, level_name, split = map(str, names)
            key = task, level_name, split, read_row_id(entry.get("version")) or 0
            yield key, str(entry.get("commitment"))
