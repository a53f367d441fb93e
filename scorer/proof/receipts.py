"""Receipts: what a site says of one accepted file, from the signed document that it gave the team."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from scorer.proof.document_schema import Count, Document, Fault, Number, Ordinal, Sha256, Site, read_document
from scorer.proof.signing import SignedDocument
from scorer.values import Undefined

SCHEMA = "assay.receipt/1"


@dataclass(frozen=True, slots=True)
class ReceiptScore:
    """A score that a receipt shows: its digits as `repr` writes them, or why there are none."""

    metric: str
    digits: Number | None = field(metadata={"at": "value"})
    undefined: Undefined | None
    signature: str | None

    @property
    def value(self) -> str | Undefined | None:
        """The digits, or why there are none."""
        return self.digits if self.undefined is None else self.undefined

    def __str__(self) -> str:
        value = self.digits if self.undefined is None else f"undefined ({self.undefined.reason})"
        return f"{self.metric} {value}"


@dataclass(frozen=True, slots=True)
class Receipt(Document):
    """What a site says of one file that it accepted.

    Parameters
    ----------
    site : str
        Its address.
    number : int
        Of the receipt, from 1.
    task, phase, split, level : str
        What the file answers.
    team_id, run_id : int
        The numbers of the team and of its run, which stay when they are renamed.
    team, run : str
        What they were called.
    arrived : datetime
        When the file came, by the site's clock.
    file_sha256, file_bytes : str, int
        The file.
    items_sha256, items_count, public_sha256 : str, int, str or None
        The items it answers, and those among them that were declared public.
    gold_version, commitment : int, str
        The gold that was in force, and its salted hash.
    scorer : str
        The version of the scorer.
    metrics : tuple of str
        What is computed, the official one first.
    late, counts : bool
        Whether it came after the deadline, and whether it counted from then on.
    replaces : int or None
        The receipt of the file that counted until then.
    scores : tuple of ReceiptScore or None
        As the phase showed them then; None where it hid them.
    audit_number, audit_sha256 : int, str
        The entry of this upload in the site's audit log.
    """

    KIND = SCHEMA
    FAULT_CODE = "bad_receipt"

    site: Site
    number: Ordinal = field(metadata={"at": "receipt"})
    task: str
    phase: str
    split: str
    level: str
    team_id: Ordinal = field(metadata={"at": "team.id"})
    team: str = field(metadata={"at": "team.name"})
    run_id: Ordinal = field(metadata={"at": "run.id"})
    run: str = field(metadata={"at": "run.name"})
    arrived: datetime
    file_sha256: Sha256 = field(metadata={"at": "file.sha256"})
    file_bytes: Count = field(metadata={"at": "file.bytes"})
    items_sha256: Sha256 = field(metadata={"at": "items.sha256"})
    items_count: Ordinal = field(metadata={"at": "items.count"})
    public_sha256: Sha256 | None = field(metadata={"at": "items.public_sha256"})
    gold_version: Ordinal = field(metadata={"at": "gold.version"})
    commitment: Sha256 = field(metadata={"at": "gold.commitment"})
    scorer: str = field(metadata={"at": "scorer.version"})
    metrics: tuple[str, ...] = field(metadata={"at": "scorer.metrics"})
    late: bool
    counts: bool
    replaces: Ordinal | None
    scores: tuple[ReceiptScore, ...] | None
    audit_number: Ordinal = field(metadata={"at": "audit.number"})
    audit_sha256: Sha256 = field(metadata={"at": "audit.sha256"})

    @classmethod
    def kind_faults(cls, values: Any) -> Iterator[Fault]:
        """Why it is no receipt, or one of a later version."""
        schema = values.get("schema")
        if not isinstance(schema, str) or not schema.startswith("assay.receipt/"):
            yield "signed.schema", f'is not "{SCHEMA}"; this is no receipt that Assay gives'
        elif schema != SCHEMA:
            yield (
                "signed.schema",
                f'"{schema}" is not known to this version of the scorer; install a newer one',
            )

    def contradictions(self) -> Iterator[Fault]:
        """Where metrics or scores say two things, or nothing."""
        if not self.metrics or len(set(self.metrics)) < len(self.metrics):
            yield "scorer.metrics", "has none, or one twice"
        seen = set[str]()
        for number, score in enumerate(self.scores or (), start=1):
            if (score.digits is None) == (score.undefined is None):
                yield f"scores[{number}]", "must have either a value or a reason why there is none"
            if score.metric in seen:
                yield f"scores[{number}].metric", "stands there twice"
            seen.add(score.metric)


def read_receipt(document: SignedDocument, source: str) -> Receipt:
    """A receipt from its signed document.

    Parameters
    ----------
    document : SignedDocument
        From `read_signed`.
    source : str
        What messages call it.

    Returns
    -------
    Receipt
        What it says; whether it is signed rightly is asked by `verify_receipt`.

    Raises
    ------
    ProofError
        If it is no receipt that this version can read, with every place that is wrong.
    """
    return read_document(Receipt, document.content, source)
