"""Statements of releases: what a site signs in the instant in which a board becomes public."""

from dataclasses import dataclass
from datetime import datetime

from scorer.errors import Problem, ProofError
from scorer.proof.shape import misfits
from scorer.proof.signing import SignedDocument, read_instant

SCHEMA = "assay.release/1"
_STATEMENT = {
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
class Statement:
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


def read_statement(document: SignedDocument, source: str) -> Statement:
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
    faults = list(misfits(content, _STATEMENT))
    if content.get("schema") != SCHEMA:
        faults = [("schema", f'is not "{SCHEMA}"; is it of another kind, or of a later version?')]
    elif not faults and len({one["level"] for one in content["gold"]}) < len(content["gold"]):
        faults = [("gold", "names a level twice")]
    if faults:
        raise ProofError([Problem(source, None, "bad_statement", f"{at}: {what}") for at, what in faults])
    return Statement(
        **{name: content[name] for name in ("site", "task", "phase", "split", "number", "board", "rules")},
        made=read_instant(content["made"]),
        gold={one["level"]: (one["version"], one["commitment"]) for one in content["gold"]},
        audit_number=content["audit"]["number"],
        audit_sha256=content["audit"]["sha256"],
    )
