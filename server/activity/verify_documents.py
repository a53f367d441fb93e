"""Verifying signed documents against the audit log and the gold: receipts, statements, outside copies.

Each has to be signed by this site and to name an entry that the log has. The commitments to gold versions
that it names have to follow from the salts and the files that the site has now.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from scorer.errors import DataError
from scorer.proof import signing
from scorer.proof.signing import SignedDocument, gold_commitment
from server.activity.entry_sentences import read_row_id
from server.audit import raw_rows
from server.audit.chain import ChainHead, ChainProblems
from server.audit.models import AuditEntry
from server.audit.raw_rows import MalformedCell
from server.core.config import ConfigError
from server.core.identity import Identity
from server.core.storage import STORAGE_KEY, Storage
from server.gold.models import GoldVersion
from server.phases.models import Phase
from server.releases.models import Release, ReleaseSeal
from server.releases.seals import format_rules, text_sha256
from server.runs.models import Run
from server.signing import service as signing_keys
from server.signing.models import SigningKey
from server.submissions.models import Receipt, Submission
from server.tasks.models import Level, Split, Task
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
        results = DocumentResults()
        batch: list[tuple[UnverifiedDocument, int, str]] = []
        for paper in papers:
            try:
                named = self._read(paper, results)
            except MalformedCell as odd:
                self.problems.add(str(odd))
                results.unfit += 1
                continue
            if named is not None:
                batch.append((paper, *named))
            if len(batch) == BATCH:
                self._look_up(batch, results)
                batch.clear()
        self._look_up(batch, results)
        return results

    def _read(self, paper: UnverifiedDocument, results: DocumentResults) -> tuple[int, str] | None:
        """The entry that a document names; None: it is another site's.

        Raises:
            Odd: the document is not good in itself, or not of this site.
        """
        document = _read_signed(paper)
        fault = _find_fault(paper, document, self.own)
        if fault is not None:
            raise MalformedCell(f"{paper.name}: {fault}")
        if document.key not in self.own:
            results.foreign += 1
            return None
        head = document.content.get("audit")
        number = read_row_id(head.get("number")) if isinstance(head, dict) else None
        sha256 = head.get("sha256") if isinstance(head, dict) else None
        if number is None or not isinstance(sha256, str):
            raise MalformedCell(f"{paper.name}: names no entry of the log, so it says nothing of it")
        self.golds.check(paper.name, document.content, may_be_gone=paper.may_be_foreign)
        return number, sha256

    def _look_up(
        self, batch: Sequence[tuple[UnverifiedDocument, int, str]], results: DocumentResults
    ) -> None:
        dialect = self.session.get_bind().dialect.name
        numbers = {number for _, number, _ in batch if number < 2**31}
        sha256 = raw_rows.raw_cell(dialect, AuditEntry.sha256).label("sha256")
        query = select(AuditEntry.number, sha256).where(AuditEntry.number.in_(numbers))
        log_hashes = {row.number: bytes(row.sha256 or b"") for row in self.session.execute(query)}
        for paper, number, named in batch:
            if number > self.last:
                words = f"names entry {number}, which is not in the log: its end was cut off"
                self.problems.add(f"{paper.name}: {words}")
            elif number not in log_hashes:
                self.problems.add(f"{paper.name}: names entry {number}, which is missing from the log")
            elif log_hashes[number] != named.encode():
                words = f"names another entry {number} than the log has: it was written anew"
                self.problems.add(f"{paper.name}: {words}")
            else:
                results.good += 1
                results.newest = max(results.newest, number)


def _read_signed(paper: UnverifiedDocument) -> SignedDocument:
    if paper.fault is not None:
        raise MalformedCell(paper.fault)
    try:
        return signing.read_signed(paper.data, paper.name)
    except DataError as error:
        raise MalformedCell(str(error.problems[0])) from error


def _find_fault(paper: UnverifiedDocument, document: SignedDocument, own: set[str]) -> str | None:
    if not signing.has_valid_signature(document):
        return "was edited: its signature does not fit what it says"
    if document.key not in own and not paper.may_be_foreign:
        return f"is signed with a key that is none of this site’s ({document.key[:10]}...)"
    for name, value in paper.says.items():
        if document.key in own and document.content.get(name) != value:
            part, signed_value, stored_value = _difference(name, document.content.get(name), value)
            return f"is of {part} {signed_value}, and is kept for {stored_value}"
    return None


def _difference(name: str, signed_value: object, stored_value: object) -> tuple[str, object, object]:
    """What two values differ in: of a file, its hash or its size."""
    if not (isinstance(signed_value, dict) and isinstance(stored_value, dict)):
        return name, signed_value, stored_value
    key = next((key for key in stored_value if signed_value.get(key) != stored_value[key]), None)
    return (
        (name, signed_value, stored_value)
        if key is None
        else (f"a {name} with {key}", signed_value.get(key), stored_value[key])
    )


def list_unopenable_keys(session: Session) -> list[str]:
    """The public keys whose private halves the secret does not open: anybody could have put them there."""
    identity = signing_keys.get_identity(session)
    return [key.public for key in signing_keys.list_keys(session) if not _can_open(identity, key)]


def _can_open(identity: Identity, key: SigningKey) -> bool:
    try:
        return signing.public_key(identity.open(key.sealed)) == key.public
    except (ConfigError, ValueError):
        return False


def stream_receipts(session: Session, imported: Iterable[int]) -> Iterator[UnverifiedDocument]:
    """The receipts that the site keeps; those of imported tasks may be of the site that they came from."""
    dialect, brought = session.get_bind().dialect.name, set(imported)
    text = raw_rows.raw_cell(dialect, Receipt.text).label("text")
    sha256 = raw_rows.raw_cell(dialect, Submission.sha256).label("sha256")
    query = (
        select(Receipt.submission_id, text, Team.task_id, sha256, Submission.size)
        .join(Submission, Submission.id == Receipt.submission_id)
        .join(Run, Run.id == Submission.run_id)
        .join(Team, Team.id == Run.team_id)
        .order_by(Receipt.submission_id)
    )
    for row in session.execute(query, execution_options={"yield_per": raw_rows.BATCH}):
        came, file = row.task_id in brought, _decode(row.sha256)
        says = {"file": {"sha256": file, "bytes": row.size}}
        numbered = {} if came else {"receipt": row.submission_id}
        yield UnverifiedDocument(
            f"receipt {row.submission_id}", bytes(row.text or b""), says | numbered, came
        )


def stream_seals(session: Session, imported: Iterable[int]) -> Iterator[UnverifiedDocument]:
    """The statements of releases that the site keeps."""
    dialect, brought = session.get_bind().dialect.name, set(imported)
    text = raw_rows.raw_cell(dialect, ReleaseSeal.text).label("text")
    board = raw_rows.raw_cell(dialect, ReleaseSeal.board_sha256).label("board")
    rules = raw_rows.raw_cell(dialect, Release.rules).label("rules")
    query = (
        select(text, board, rules, Release.number, Phase.slug, Task.slug.label("task"), Task.id)
        .join(Release, Release.id == ReleaseSeal.release_id)
        .join(Phase, Phase.id == Release.phase_id)
        .join(Task, Task.id == Phase.task_id)
    )
    for row in session.execute(query, execution_options={"yield_per": raw_rows.BATCH}):
        says = {"board": _decode(row.board), "number": row.number, "rules": _rules_hash(row.rules)}
        name = f"statement of release {row.number} of {row.slug} ({row.task})"
        yield UnverifiedDocument(name, bytes(row.text or b""), says, row.id in brought)


def _decode(cell: Any) -> str:
    return bytes(cell or b"").decode(errors="replace")


def _rules_hash(cell: Any) -> str:
    """The SHA-256 of the rules as their file has it; of what is no object, of the cell as it stands."""
    try:
        rules = json.loads(_decode(cell))
    except (ValueError, RecursionError):
        rules = None
    return text_sha256(format_rules(rules) if isinstance(rules, dict) else _decode(cell))


GoldVersionKey = tuple[str, str, str, int]
"""Task, level, split and the number of the version."""
_HEX = re.compile(rb"[0-9a-f]{64}")


class GoldCheck:
    """Computes the commitment to each gold version once, and names a version that fits no longer once."""

    def __init__(self, session: Session, problems: ChainProblems) -> None:
        self.session, self.problems = session, problems
        self.known: dict[GoldVersionKey, str | None] = {}
        """What follows from each that was asked for; None: nothing does."""
        self.told: set[GoldVersionKey] = set()

    @property
    def count(self) -> int:
        """The versions that documents name and that are as they were."""
        return len(self.known) - len(self.told)

    def check(self, name: str, content: dict[str, Any], *, may_be_gone: bool) -> None:
        """Hold against the gold what a document of this site says of it."""
        for place, commitment in _list_commitments(content):
            if place not in self.known:
                self.known[place] = self._compute(place)
            is_now = self.known[place]
            if is_now == commitment or place in self.told or (is_now is None and may_be_gone):
                continue
            self.told.add(place)
            task, level, split, number = place
            self.problems.add(
                f"gold {number} of {level} ({split}) of {task} is not the one that {name} names: "
                f"its salt or its file {'is gone' if is_now is None else 'was changed'}"
            )

    def _compute(self, place: GoldVersionKey) -> str | None:
        dialect = self.session.get_bind().dialect.name
        salt, sha256 = (
            raw_rows.raw_cell(dialect, column) for column in (GoldVersion.salt, GoldVersion.sha256)
        )
        query = (
            select(salt.label("salt"), sha256.label("sha256"))
            .join(Split, Split.id == GoldVersion.split_id)
            .join(Level, Level.id == Split.level_id)
            .join(Task, Task.id == Level.task_id)
            .where(Task.slug == place[0], Level.slug == place[1])
            .where(Split.name == place[2], GoldVersion.number == min(place[3], 2**31 - 1))
        )
        row = self.session.execute(query).first()
        if row is None or not all(_HEX.fullmatch(bytes(cell or b"")) for cell in row):
            return None
        storage: Storage = self.session.info[STORAGE_KEY]
        try:
            gold = storage.get(bytes(row.sha256).decode())
        except OSError:
            return None
        return gold_commitment(bytes.fromhex(bytes(row.salt).decode()), gold)


def _list_commitments(content: dict[str, Any]) -> Iterator[tuple[GoldVersionKey, str]]:
    """The gold versions that a receipt or a statement names, with the commitments to them."""
    gold = content.get("gold")
    if isinstance(gold, dict):
        gold = [{**gold, "level": content.get("level")}]
    for gold_entry in gold if isinstance(gold, list) else []:
        if isinstance(gold_entry, dict):
            task, level, split = (
                str(value) for value in (content.get("task"), gold_entry.get("level"), content.get("split"))
            )
            yield (
                (task, level, split, read_row_id(gold_entry.get("version")) or 0),
                str(gold_entry.get("commitment")),
            )
