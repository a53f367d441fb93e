"""Receipts: signed documents in which a site confirms to a team that it accepted a file."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from scorer.proof.document_schema import Count, Document, Number, Ordinal, Sha256, Site, read_document
from scorer.proof.signing import SignedDocument
from scorer.typed_json import Fault
from scorer.values import Undefined

SCHEMA = "assay.receipt/1"


@dataclass(frozen=True, slots=True)
class ReceiptScore:
    """A score in a receipt: its digits as `repr` writes them, or the reason why it is undefined."""

    metric: str
    digits: Number | None = field(metadata={"at": "value"})
    undefined: Undefined | None
    signature: str | None

    @property
    def value(self) -> str | Undefined | None:
        """The digits of the score, or the reason why it is undefined."""
        return self.digits if self.undefined is None else self.undefined

    def __str__(self) -> str:
        value = self.digits if self.undefined is None else f"undefined ({self.undefined.reason})"
        return f"{self.metric} {value}"


@dataclass(frozen=True, slots=True)
class Receipt(Document):
    """A site's statement about one file that it accepted.

    Parameters
    ----------
    site : str
        The address of the site.
    number : int
        The number of the receipt, from 1.
    task, phase, split, level : str
        The task, phase, split and comparison level for which the file was uploaded.
    team_id, run_id : int
        The numbers of the team and of its run. They do not change when the team or the run is renamed.
    team, run : str
        The names of the team and of its run at the time of the upload.
    arrived : datetime
        When the file arrived, by the site's clock.
    file_sha256, file_bytes : str, int
        The SHA-256 of the file and its size in bytes.
    items_sha256, items_count, public_sha256 : str, int, str or None
        The SHA-256 of the items file, the number of items, and the SHA-256 of the list of public items if
        there is one.
    gold_version, commitment : int, str
        The gold version that was in force, and the commitment to it (a salted hash).
    scorer : str
        The version of the scorer.
    metrics : tuple of str
        The metrics that are computed. The first is the official metric.
    late, counts : bool
        Whether the file arrived after the deadline, and whether it counted from its arrival on.
    replaces : int or None
        The number of the receipt of the file that counted before, if this file replaces one.
    scores : tuple of ReceiptScore or None
        The scores that the phase showed at that time, or None if it hid them.
    audit_number, audit_sha256 : int, str
        The number and the hash of the upload's entry in the site's audit log.
    left_out : tuple of str
        The levels whose files were uploaded with this one and were not stored, because the quota was used up.
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
    left_out: tuple[str, ...] = ()

    @classmethod
    def kind_faults(cls, values: Any) -> Iterator[Fault]:
        """Yield why the values are not a receipt, or that they are a receipt of a later version."""
        schema = values.get("schema")
        if not isinstance(schema, str) or not schema.startswith("assay.receipt/"):
            yield "signed.schema", f'is not "{SCHEMA}"; this is no receipt that Assay gives'
        elif schema != SCHEMA:
            yield (
                "signed.schema",
                f'"{schema}" is not known to this version of the scorer; install a newer one',
            )

    def contradictions(self) -> Iterator[Fault]:
        """Yield where metrics or scores are missing, repeated or contradictory."""
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
    """Parse the content of a signed document as a receipt.

    This does not verify the signature; `verify_receipt` does.

    Parameters
    ----------
    document : SignedDocument
        The result of `read_signed`.
    source : str
        The name of the file in messages.

    Returns
    -------
    Receipt
        The content of the document.

    Raises
    ------
    ProofError
        If the content is not a receipt of a known version. The error lists all problems.
    """
    return read_document(Receipt, document.content, source)
