"""What the statement of a release proves by itself, and beside the board that was downloaded."""

from collections.abc import Iterator

from scorer.proof.document_proof import NO_MORE, check_file, check_key, check_signature, log_words, time_words
from scorer.proof.findings import Finding, is_proved
from scorer.proof.keys import KeyRing
from scorer.proof.named_files import NamedFile
from scorer.proof.signing import SignedDocument
from scorer.proof.statements import Statement


def verify_statement(
    document: SignedDocument,
    statement: Statement,
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
        return [*signature, key, NO_MORE]
    return [
        *signature,
        key,
        *_claims(statement),
        _board(statement, board),
        Finding("open", "that the board follows from its files: verify the evidence of this release"),
        Finding("open", log_words(statement.audit_number, statement.audit_sha256)),
        Finding("open", "that the site's clock was right, and that the release still stands: its page says"),
    ]


def statement_title(statement: Statement, source: str) -> str:
    """What a statement is, in one line."""
    place = f"task {statement.task}, phase {statement.phase}, split {statement.split}"
    return f"{source}: release {statement.number} of {statement.site}, {place}"


def _claims(statement: Statement) -> Iterator[Finding]:
    made = time_words(statement.made)
    yield Finding(
        "says",
        f"signed at {made}: this board is release {statement.number}, by rules with the SHA-256 "
        f"{statement.rules}.",
    )
    golds = [
        f"version {version} at {level} ({sha256})" for level, (version, sha256) in statement.gold.items()
    ]
    yield Finding("says", f"the gold was {', '.join(golds) or 'of no level'}.")


def _board(statement: Statement, board: NamedFile | None) -> Finding:
    if board is None:
        return Finding(
            "open", f"which board that was: give its JSON as --board FILE; its SHA-256 is {statement.board}"
        )
    return check_file("the board", board, statement.board)
