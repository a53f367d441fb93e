"""Release statements: the document that a site signs when it releases a board, and its verification."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from scorer.proof.document_schema import Document, Ordinal, Sha256, Site, read_document
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
from scorer.typed_json import Fault

SCHEMA = "assay.release/1"


@dataclass(frozen=True, slots=True)
class GoldCommitment:
    """The gold version of a level, and the salted hash that binds the site to it."""

    level: str
    version: Ordinal
    commitment: Sha256


@dataclass(frozen=True, slots=True)
class ReleaseStatement(Document):
    """A site's statement about one release.

    Parameters
    ----------
    site : str
        The address of the site.
    task, phase, split : str
        The task, phase and split of the board.
    number : int
        The number of the release, from 1.
    made : datetime
        When the release was made, by the site's clock.
    board, rules : str
        The SHA-256 of the board's file and of the file of the rules.
    golds : tuple of GoldCommitment
        The gold of each level.
    audit_number, audit_sha256 : int, str
        The number and the hash of the release's entry in the site's audit log.
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
        """The number of the gold version and the commitment to it, by level."""
        return {gold.level: (gold.version, gold.commitment) for gold in self.golds}

    def contradictions(self) -> Iterator[Fault]:
        """Yield a fault if the statement has two gold versions of one level."""
        if len(self.gold) < len(self.golds):
            yield "gold", "names a level twice"


def read_statement(document: SignedDocument, source: str) -> ReleaseStatement:
    """Parse the content of a signed document as a release statement.

    This does not verify the signature; `verify_statement` does.

    Parameters
    ----------
    document : SignedDocument
        The result of `read_signed`.
    source : str
        The name of the file in messages.

    Returns
    -------
    ReleaseStatement
        The content of the document.

    Raises
    ------
    ProofError
        If the content is not a release statement of a known version. The error lists all problems.
    """
    return read_document(ReleaseStatement, document.content, source)


def verify_statement(
    document: SignedDocument,
    statement: ReleaseStatement,
    keys: tuple[str, KeyRing] | None = None,
    board: NamedFile | None = None,
) -> list[Finding]:
    """Verify the signature of a release statement, its key, and the board that it names.

    Parameters
    ----------
    document : SignedDocument
        The result of `read_signed`.
    statement : ReleaseStatement
        The result of `read_statement` for that document.
    keys : (str, KeyRing), optional
        The name of the keyring's file in messages, and the keyring that the site published.
    board : NamedFile, optional
        The board as JSON, as it was released.

    Returns
    -------
    list of Finding
        At least one finding. What would need input that is not given is reported as not covered.

    Notes
    -----
    Only the evidence of the release can prove that the board follows from the gold and the runs.
    """
    return run_checks(
        check_signature(document),
        check_key(document.key, statement.site, statement.made, keys),
        _check_statement(statement, board),
    )


def statement_title(statement: ReleaseStatement, source: str) -> str:
    """Return one line that identifies a release statement."""
    place = f"task {statement.task}, phase {statement.phase}, split {statement.split}"
    return f"{source}: release {statement.number} of {statement.site}, {place}"


def _check_statement(statement: ReleaseStatement, board: NamedFile | None) -> Iterator[Finding]:
    """Yield the claims of a release statement, and whether the board is the one that it names."""
    yield claimed(
        f"The site signed this statement at {time_text(statement.made)}. Release {statement.number} was made "
        f"under the rules with the SHA-256 {statement.rules}."
    )
    golds = [f"version {gold.version} of {gold.level} ({gold.commitment})" for gold in statement.golds]
    if golds:
        yield claimed(f"These gold versions, each with its salted hash, were in force: {', '.join(golds)}.")
    else:
        yield claimed("No level had a gold standard.")
    if board is None:
        yield not_covered(
            f"The statement has only the SHA-256 of the leaderboard, {statement.board}. To compare the "
            "leaderboard with it, give its JSON file as --board FILE."
        )
    else:
        yield check_file("the leaderboard of this statement", board, statement.board)
    yield not_covered(
        "The statement does not prove that the leaderboard follows from the gold standard and the runs. To "
        "check this, verify the evidence of this release."
    )
    number, sha256 = statement.audit_number, statement.audit_sha256
    yield not_covered(audit_log_text("statement", number, statement.site, sha256))
    yield not_covered("The statement does not prove that the site's clock was right.")
    yield not_covered(
        "The statement does not show whether the release was withdrawn later. The page of the release shows "
        "this."
    )
