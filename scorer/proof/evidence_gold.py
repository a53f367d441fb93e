"""The gold in the evidence of a release: whether it is what the site had bound itself to."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from scorer.errors import Problem, ProofError
from scorer.proof.document_schema import schema_faults
from scorer.proof.evidence import SALTS, Evidence
from scorer.proof.findings import Finding
from scorer.proof.receipts import read_receipt
from scorer.proof.signing import gold_commitment, read_json, read_signed
from scorer.proof.statements import ReleaseStatement

SCHEMA = "assay.salts/1"
_SALTS_SCHEMA = {
    "schema": "text",
    "salts": [{"level": "text", "version": "ordinal", "salt": "sha256", "file": "text"}],
}


@dataclass(frozen=True, slots=True)
class GoldSalt:
    """The salt of one gold version of a level, and the gold's file."""

    level: str
    version: int
    salt: bytes
    file: str


def read_salts(data: bytes, source: str) -> tuple[GoldSalt, ...]:
    """The salts that were published with gold.

    Parameters
    ----------
    data : bytes
        The file.
    source : str
        What messages call it.

    Returns
    -------
    tuple of Salt
        One a gold version.

    Raises
    ------
    ProofError
        If it is no such file, with every place that is wrong.
    """
    values: Any = read_json(data, source)
    faults = list(schema_faults(values, _SALTS_SCHEMA))
    if not faults and values["schema"] != SCHEMA:
        faults = [("schema", f'is not "{SCHEMA}"')]
    if faults:
        raise ProofError([Problem(source, None, "bad_salts", f"{at}: {fault}") for at, fault in faults])
    return tuple(
        GoldSalt(entry["level"], entry["version"], bytes.fromhex(entry["salt"]), entry["file"])
        for entry in values["salts"]
    )


def check_gold(evidence: Evidence, statement: ReleaseStatement) -> Iterator[Finding]:
    """Compute the commitments of the release and of its receipts anew from gold and salts.

    Parameters
    ----------
    evidence : Evidence
        With salts.json, or without.
    statement : Statement
        Of the release.

    Yields
    ------
    Finding
        One for each version that the release was made with; one for all earlier ones of its receipts.

    Raises
    ------
    ProofError
        If salts or a receipt cannot be read.
    """
    salts = read_salts(evidence.read(SALTS), SALTS) if evidence.has(SALTS) else ()
    opened = {(gold_salt.level, gold_salt.version): gold_salt for gold_salt in salts}
    for level, (version, commitment) in statement.gold.items():
        salt = opened.get((level, version))
        if salt is not None:
            yield _check_commitment(evidence, salt, commitment, "the release")
    earlier = _earlier_commitments(evidence, statement)
    for (level, version), commitments in earlier.items():
        salt = opened.get((level, version))
        if salt is None:
            words = (
                f"what version {version} of the gold of {level} was, which receipts name: it is not in here"
            )
            yield Finding("open", words)
        elif len(commitments) > 1:
            yield Finding(
                "fails", f"Receipts bind their signer to several golds as version {version} of {level}."
            )
        else:
            yield _check_commitment(evidence, salt, min(commitments), "a receipt of before")


def _check_commitment(evidence: Evidence, salt: GoldSalt, commitment: str, whose: str) -> Finding:
    version = f"version {salt.version} of the gold of {salt.level}"
    if not evidence.has(salt.file):
        return Finding("fails", f"{SALTS} names {salt.file}, which is not in here.")
    if gold_commitment(salt.salt, evidence.read(salt.file)) != commitment:
        return Finding(
            "fails", f"{salt.file} with its salt is not {version} that {whose} binds its signer to."
        )
    return Finding("holds", f"{salt.file} is {version}: the salted hash by which {whose} binds its signer.")


def _earlier_commitments(evidence: Evidence, statement: ReleaseStatement) -> dict[tuple[str, int], set[str]]:
    """The commitments of receipts to other versions than those of the release, by level and version."""
    commitments: dict[tuple[str, int], set[str]] = {}
    for file in evidence.receipts:
        receipt = read_receipt(read_signed(evidence.read(file.path), file.path), file.path)
        if statement.gold.get(receipt.level, (0, ""))[0] != receipt.gold_version:
            commitments.setdefault((receipt.level, receipt.gold_version), set()).add(receipt.commitment)
    return commitments
