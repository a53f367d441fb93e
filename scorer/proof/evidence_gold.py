"""Check whether the gold in the evidence of a release matches the commitments that the site signed."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from scorer.proof.document_schema import Document, Ordinal, Salt, read_document
from scorer.proof.evidence import SALTS, Evidence
from scorer.proof.findings import Finding, failed, not_covered, proved
from scorer.proof.signing import gold_commitment, read_json
from scorer.typed_json import Fault

SCHEMA = "assay.salts/1"


@dataclass(frozen=True, slots=True)
class GoldSalt:
    """The salt of one gold version of a level, and the path of its gold file."""

    level: str
    version: Ordinal
    salt: Salt
    file: str


@dataclass(frozen=True, slots=True)
class PublishedSalts(Document):
    """The salts that were published together with the gold."""

    FAULT_CODE = "bad_salts"

    salts: tuple[GoldSalt, ...]

    @classmethod
    def kind_faults(cls, _values: Any) -> Iterator[Fault]:
        """Yield nothing: its file name identifies the kind, and `contradictions` checks the version."""
        yield from ()

    def contradictions(self) -> Iterator[Fault]:
        """Yield a fault if the file has another version."""
        if self.schema != SCHEMA:
            yield "schema", f'is not "{SCHEMA}"'


def check_gold(evidence: Evidence) -> Iterator[Finding]:
    """Recompute the commitments in the release statement and in the receipts from the gold and the salts.

    Yields
    ------
    Finding
        A finding for each gold version of the release whose salt was published, and for each other gold
        version that a receipt names.

    Raises
    ------
    ProofError
        If the salts or a receipt cannot be read.
    """
    salts: tuple[GoldSalt, ...] = ()
    if evidence.has(SALTS):
        salts = read_document(PublishedSalts, read_json(evidence.read(SALTS), SALTS), SALTS).salts
    opened = {(salt.level, salt.version): salt for salt in salts}
    for gold in evidence.statement.golds:
        if salt := opened.get((gold.level, gold.version)):
            yield _check_commitment(evidence, salt, gold.commitment, "the release")
    for (level, version), commitments in _earlier_commitments(evidence).items():
        salt = opened.get((level, version))
        if salt is None:
            yield not_covered(
                f"Receipts name gold version {version} of {level}, but the evidence does not contain it."
            )
        elif len(commitments) > 1:
            yield failed(f"The receipts have different salted hashes for gold version {version} of {level}.")
        else:
            yield _check_commitment(evidence, salt, min(commitments), "an earlier receipt")


def _check_commitment(evidence: Evidence, salt: GoldSalt, commitment: str, whose: str) -> Finding:
    version = f"gold version {salt.version} of {salt.level}"
    if not evidence.has(salt.file):
        return failed(f"{SALTS} names {salt.file}, but the evidence does not contain this file.")
    if gold_commitment(salt.salt, evidence.read(salt.file)) != commitment:
        return failed(f"{salt.file} is not {version}. With its salt, it does not have the hash in {whose}.")
    return proved(f"{salt.file} is {version}. With its salt, it has the hash in {whose}.")


def _earlier_commitments(evidence: Evidence) -> dict[tuple[str, int], set[str]]:
    """Return the commitments of receipts to gold versions other than the release's, by level and version."""
    of_release = {(gold.level, gold.version) for gold in evidence.statement.golds}
    commitments = defaultdict[tuple[str, int], set[str]](set)
    for receipt in (entry.receipt for entry in evidence.receipts):
        if (receipt.level, receipt.gold_version) not in of_release:
            commitments[receipt.level, receipt.gold_version].add(receipt.commitment)
    return commitments
