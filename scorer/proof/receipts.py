"""Receipts: what a site says of one accepted file, from the signed document that it gave the team."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from scorer.errors import Problem, ProofError
from scorer.proof.document_schema import nullable, schema_faults
from scorer.proof.signing import SignedDocument, read_instant
from scorer.values import Undefined

SCHEMA = "assay.receipt/1"
_UNDEFINED_SCHEMA = {"code": "text", "reason": "text"}
_SCORE_SCHEMA = {
    "metric": "text",
    "value": nullable("number"),
    "undefined": nullable(_UNDEFINED_SCHEMA),
    "signature": nullable("text"),
}
_RECEIPT_SCHEMA = {
    "schema": "text",
    "site": "site",
    "receipt": "ordinal",
    "task": "text",
    "phase": "text",
    "split": "text",
    "level": "text",
    "team": {"id": "ordinal", "name": "text"},
    "run": {"id": "ordinal", "name": "text"},
    "arrived": "instant",
    "file": {"sha256": "sha256", "bytes": "count"},
    "items": {"sha256": "sha256", "count": "ordinal", "public_sha256": nullable("sha256")},
    "gold": {"version": "ordinal", "commitment": "sha256"},
    "scorer": {"version": "text", "metrics": ["text"]},
    "late": "truth",
    "counts": "truth",
    "replaces": nullable("ordinal"),
    "scores": nullable([_SCORE_SCHEMA]),
    "audit": {"number": "ordinal", "sha256": "sha256"},
}


@dataclass(frozen=True, slots=True)
class ReceiptScore:
    """A score that a receipt shows: its digits as `repr` writes them, or why there are none."""

    metric: str
    value: str | Undefined
    signature: str | None

    def __str__(self) -> str:
        value = self.value if isinstance(self.value, str) else f"undefined ({self.value.reason})"
        return f"{self.metric} {value}"


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a site says of one file that it accepted.

    Parameters
    ----------
    site : str
        Its address.
    number : int
        Of the receipt, from 1.
    task, phase, split, level : str
        What the file answers.
    team, run : str
        Whose system it is.
    team_id, run_id : int
        Their numbers, which stay when they are renamed.
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

    site: str
    number: int
    task: str
    phase: str
    split: str
    level: str
    team: str
    team_id: int
    run: str
    run_id: int
    arrived: datetime
    file_sha256: str
    file_bytes: int
    items_sha256: str
    items_count: int
    public_sha256: str | None
    gold_version: int
    commitment: str
    scorer: str
    metrics: tuple[str, ...]
    late: bool
    counts: bool
    replaces: int | None
    scores: tuple[ReceiptScore, ...] | None
    audit_number: int
    audit_sha256: str


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
    content = document.content
    faults = (
        list(_schema_faults(content))
        or list(schema_faults(content, _RECEIPT_SCHEMA))
        or list(_content_faults(content))
    )
    if faults:
        raise ProofError(
            [Problem(source, None, "bad_receipt", f"{place}: {fault}") for place, fault in faults]
        )
    team, run, file, items = content["team"], content["run"], content["file"], content["items"]
    scores = content["scores"]
    return Receipt(
        site=content["site"],
        number=content["receipt"],
        **{name: content[name] for name in ("task", "phase", "split", "level", "late", "counts", "replaces")},
        team=team["name"],
        team_id=team["id"],
        run=run["name"],
        run_id=run["id"],
        arrived=read_instant(content["arrived"]),
        file_sha256=file["sha256"],
        file_bytes=file["bytes"],
        items_sha256=items["sha256"],
        items_count=items["count"],
        public_sha256=items["public_sha256"],
        gold_version=content["gold"]["version"],
        commitment=content["gold"]["commitment"],
        scorer=content["scorer"]["version"],
        metrics=tuple(content["scorer"]["metrics"]),
        scores=None if scores is None else tuple(map(_score, scores)),
        audit_number=content["audit"]["number"],
        audit_sha256=content["audit"]["sha256"],
    )


def _schema_faults(content: dict[str, Any]) -> Iterator[tuple[str, str]]:
    schema = content.get("schema")
    if not isinstance(schema, str) or not schema.startswith("assay.receipt/"):
        yield "signed.schema", f'is not "{SCHEMA}"; this is no receipt that Assay gives'
    elif schema != SCHEMA:
        yield "signed.schema", f'"{schema}" is not known to this version of the scorer; install a newer one'


def _content_faults(content: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Where a receipt of the right shape says two things, or nothing."""
    metrics, scores = content["scorer"]["metrics"], content["scores"] or []
    if not metrics or len(set(metrics)) < len(metrics):
        yield "scorer.metrics", "has none, or one twice"
    for number, score in enumerate(scores, start=1):
        if (score["value"] is None) == (score["undefined"] is None):
            yield f"scores[{number}]", "must have either a value or a reason why there is none"
        if score["metric"] in [other["metric"] for other in scores[: number - 1]]:
            yield f"scores[{number}].metric", "stands there twice"


def _score(values: dict[str, Any]) -> ReceiptScore:
    undefined = values["undefined"]
    value = values["value"] if undefined is None else Undefined(undefined["code"], undefined["reason"])
    return ReceiptScore(values["metric"], value, values["signature"])
