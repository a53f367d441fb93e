"""Statements of releases: what a site signs when a board becomes public, and what that proves."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from scorer.errors import Problem, ProofError
from scorer.proof.document_schema import schema_faults
from scorer.proof.document_verification import (
    REST_NOT_CHECKED,
    NamedFile,
    audit_log_text,
    check_file,
    check_key,
    check_signature,
    time_text,
)
from scorer.proof.findings import Finding, is_proved
from scorer.proof.keys import KeyRing
from scorer.proof.signing import SignedDocument, read_instant

SCHEMA = "assay.release/1"
_STATEMENT_SCHEMA = {
    "schema": "text",
    "site": "site",
    "task": "text",
    "phase": "text",
    "split": "text",
    "number": "ordinal",
    "made": "instant",
    "board": "sha256",
    "rules": "sha256",
    "gold": [{"level": "text", "version": "ordinal", "commitment": "sha256"}],
    "audit": {"number": "ordinal", "sha256": "sha256"},
}


@dataclass(frozen=True, slots=True)
class ReleaseStatement:
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
    gold : mapping of str to (int, str)
        By level: the number of the gold version, and the commitment to it.
    audit_number, audit_sha256 : int, str
        The entry of the release in the site's audit log.
    """

    site: str
    task: str
    phase: str
    split: str
    number: int
    made: datetime
    board: str
    rules: str
    gold: dict[str, tuple[int, str]]
    audit_number: int
    audit_sha256: str


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
    content = document.content
    faults = list(schema_faults(content, _STATEMENT_SCHEMA))
    if content.get("schema") != SCHEMA:
        faults = [("schema", f'is not "{SCHEMA}"; is it of another kind, or of a later version?')]
    elif not faults and len({entry["level"] for entry in content["gold"]}) < len(content["gold"]):
        faults = [("gold", "names a level twice")]
    if faults:
        raise ProofError([Problem(source, None, "bad_statement", f"{at}: {fault}") for at, fault in faults])
    return ReleaseStatement(
        **{name: content[name] for name in ("site", "task", "phase", "split", "number", "board", "rules")},
        made=read_instant(content["made"]),
        gold={entry["level"]: (entry["version"], entry["commitment"]) for entry in content["gold"]},
        audit_number=content["audit"]["number"],
        audit_sha256=content["audit"]["sha256"],
    )


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
    signature = check_signature(document)
    if not is_proved(signature):
        return signature
    key = check_key(document.key, statement.site, statement.made, keys)
    if key.state == "fails":
        return [*signature, key, REST_NOT_CHECKED]
    return [
        *signature,
        key,
        *_claims(statement),
        _board_finding(statement, board),
        Finding("open", "that the board follows from its files: verify the evidence of this release"),
        Finding("open", audit_log_text(statement.audit_number, statement.audit_sha256)),
        Finding("open", "that the site's clock was right, and that the release still stands: its page says"),
    ]


def statement_title(statement: ReleaseStatement, source: str) -> str:
    """What a statement is, in one line."""
    place = f"task {statement.task}, phase {statement.phase}, split {statement.split}"
    return f"{source}: release {statement.number} of {statement.site}, {place}"


def _claims(statement: ReleaseStatement) -> Iterator[Finding]:
    moment = time_text(statement.made)
    yield Finding(
        "says",
        f"signed at {moment}: this board is release {statement.number}, by rules with the SHA-256 "
        f"{statement.rules}.",
    )
    golds = [
        f"version {version} at {level} ({sha256})" for level, (version, sha256) in statement.gold.items()
    ]
    yield Finding("says", f"the gold was {', '.join(golds) or 'of no level'}.")


def _board_finding(statement: ReleaseStatement, board: NamedFile | None) -> Finding:
    if board is None:
        return Finding(
            "open", f"which board that was: give its JSON as --board FILE; its SHA-256 is {statement.board}"
        )
    return check_file("the board", board, statement.board)
