"""Statements of releases: what a site signs when a board becomes public, and what that proves."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from scorer.proof.document_schema import Document, Fault, Ordinal, Sha256, Site, read_document
from scorer.proof.document_verification import (
    NamedFile,
    audit_log_text,
    check_file,
    check_key,
    check_signature,
    time_text,
)
from scorer.proof.findings import Finding, claimed, not_covered, run_checks
from scorer.proof.keys import KeyRing
from scorer.proof.signing import SignedDocument

SCHEMA = "assay.release/1"


@dataclass(frozen=True, slots=True)
class GoldCommitment:
    """The gold version of a level, and the salted hash by which the site binds itself to it."""

    level: str
    version: Ordinal
    commitment: Sha256


@dataclass(frozen=True, slots=True)
class ReleaseStatement(Document):
    """What a site says of one release.

    Parameters
    ----------
    site : str
        Its address.
    task, phase, split : str
        Whose board it is.
    number : int
        Of the release, from 1.
    made : datetime
        When, by the site's clock.
    board, rules : str
        The SHA-256 of the board's file, and of the rules' file.
    golds : tuple of GoldCommitment
        One a level.
    audit_number, audit_sha256 : int, str
        The entry of the release in the site's audit log.
    """

    KIND = SCHEMA
    FAULT_CODE = "bad_statement"

    site: Site
    task: str
    phase: str
    split: str
    number: Ordinal
    made: datetime
    board: Sha256
    rules: Sha256
    golds: tuple[GoldCommitment, ...] = field(metadata={"at": "gold"})
    audit_number: Ordinal = field(metadata={"at": "audit.number"})
    audit_sha256: Sha256 = field(metadata={"at": "audit.sha256"})

    @property
    def gold(self) -> dict[str, tuple[int, str]]:
        """By level: the number of the gold version, and the commitment to it."""
        return {gold.level: (gold.version, gold.commitment) for gold in self.golds}

    def contradictions(self) -> Iterator[Fault]:
        """Where it names two golds of one level."""
        if len(self.gold) < len(self.golds):
            yield "gold", "names a level twice"


def read_statement(document: SignedDocument, source: str) -> ReleaseStatement:
    """A statement from its signed document.

    Parameters
    ----------
    document : SignedDocument
        From `read_signed`.
    source : str
        What messages call it.

    Returns
    -------
    Statement
        What it says; whether it is signed is another question.

    Raises
    ------
    ProofError
        If it is no statement that this version can read, with every place that is wrong.
    """
    return read_document(ReleaseStatement, document.content, source)


def verify_statement(
    document: SignedDocument,
    statement: ReleaseStatement,
    keys: tuple[str, KeyRing] | None = None,
    board: NamedFile | None = None,
) -> list[Finding]:
    """Hold the statement of a release against its signature, the site's keys, and a board.

    Parameters
    ----------
    document : SignedDocument
        From `read_signed`.
    statement : Statement
        From `read_statement` of that document.
    keys : (str, KeyRing), optional
        The keys that the site published, and what messages call the list.
    board : NamedFile, optional
        The board as JSON, as the release gives it.

    Returns
    -------
    list of Finding
        At least one; what is not given is left open.

    Notes
    -----
    That the board follows from its files is proved by the evidence of the release alone.
    """
    return run_checks(
        check_signature(document),
        check_key(document.key, statement.site, statement.made, keys),
        _check_statement(statement, board),
    )


def statement_title(statement: ReleaseStatement, source: str) -> str:
    """What a statement is, in one line."""
    place = f"task {statement.task}, phase {statement.phase}, split {statement.split}"
    return f"{source}: release {statement.number} of {statement.site}, {place}"


def _check_statement(statement: ReleaseStatement, board: NamedFile | None) -> Iterator[Finding]:
    """What it says of the release, and whether the board is the one that it names."""
    yield claimed(
        f"signed at {time_text(statement.made)}: this leaderboard is release {statement.number}, by rules "
        f"with the SHA-256 {statement.rules}."
    )
    golds = [f"version {gold.version} at {gold.level} ({gold.commitment})" for gold in statement.golds]
    yield claimed(f"the gold was {', '.join(golds) or 'of no level'}.")
    if board is None:
        sha256 = f"its SHA-256 is {statement.board}"
        yield not_covered(f"which leaderboard that was: give its JSON as --board FILE; {sha256}")
    else:
        yield check_file("the leaderboard", board, statement.board)
    yield not_covered("that the leaderboard follows from its files: verify the evidence of this release")
    yield not_covered(audit_log_text(statement.audit_number, statement.audit_sha256))
    yield not_covered(
        "that the site's clock was right, and that the release was not withdrawn (see its page)"
    )
