"""What a receipt proves, and what it cannot: a sentence for each, from the receipt and what is beside it."""

from collections.abc import Iterator

from scorer.proof.document_verification import (
    REST_NOT_CHECKED,
    VerificationInputs,
    audit_log_text,
    check_file,
    check_key,
    check_signature,
    time_text,
)
from scorer.proof.findings import Finding, is_proved
from scorer.proof.receipts import Receipt, ReceiptScore
from scorer.proof.signing import SignedDocument, gold_commitment

NEVER_PROVED = (
    "that the file counted in the end: a later file or a withdrawal may have come; the released board says",
    "that the site's clock was right, and who sent the file: a receipt names a team and no person",
)
"""What no receipt can tell."""


def verify_receipt(document: SignedDocument, receipt: Receipt, beside: VerificationInputs) -> list[Finding]:
    """Hold a receipt against its signature, the site's keys, and the files that it speaks of.

    Parameters
    ----------
    document : SignedDocument
        From `read_signed`.
    receipt : Receipt
        From `read_receipt` of that document.
    beside : VerificationInputs
        What there is to hold against it; what is not given is left open.

    Returns
    -------
    list of Finding
        At least one. A receipt whose signature or key is wrong says nothing, so nothing else is looked at.

    Notes
    -----
    The scores are computed anew where run and gold are given and are those of the receipt. They depend on the
    items too where these are keyed, grouped or public in part.
    """
    signature = check_signature(document)
    if not is_proved(signature):
        return signature
    key = check_key(document.key, receipt.site, receipt.arrived, beside.keys)
    if key.state == "fails":
        return [*signature, key, REST_NOT_CHECKED]
    findings = [
        *signature,
        key,
        *_claims(receipt),
        *_file_findings(receipt, beside),
        _gold_finding(receipt, beside),
    ]
    if (
        beside.run is not None
        and beside.gold is not None
        and all(finding.state != "fails" for finding in findings)
    ):
        from scorer.proof.receipt_scores import compare_scores  # noqa: PLC0415  only who has gold pays for it

        findings += compare_scores(receipt, beside, beside.run, beside.gold)
    farewell = (audit_log_text(receipt.audit_number, receipt.audit_sha256), *NEVER_PROVED)
    return [*findings, *(Finding("open", text) for text in farewell)]


def receipt_title(receipt: Receipt, source: str) -> str:
    """What a receipt is, in one line."""
    place = f"task {receipt.task}, phase {receipt.phase}, level {receipt.level}"
    return f"{source}: receipt {receipt.number} of {receipt.site}, {place}"


def _claims(receipt: Receipt) -> Iterator[Finding]:
    """What the key's holder said, in words."""
    file = f"a file of {receipt.file_bytes} bytes with the SHA-256 {receipt.file_sha256}"
    whose = f"of run {receipt.run_id} ({receipt.run}) of team {receipt.team_id} ({receipt.team})"
    yield Finding("says", f"{file}, {whose}, came at {time_text(receipt.arrived)}.")
    yield Finding("says", _counting_text(receipt))
    yield Finding("says", _scores_text(receipt.scores))


def _counting_text(receipt: Receipt) -> str:
    instead = "" if receipt.replaces is None else f", in place of the file of receipt {receipt.replaces}"
    when = "it was late" if receipt.late else "it was on time"
    if not receipt.counts:
        return f"{when}, and did not count."
    return f"{when}, and {'stood among the late files' if receipt.late else 'counted'} from then on{instead}."


def _scores_text(scores: tuple[ReceiptScore, ...] | None) -> str:
    if scores is None:
        return "it was scored, and the phase hid the scores then."
    if not scores:
        return "the phase showed no score of it then."
    return f"the phase showed {', '.join(map(str, scores))}."


def _file_findings(receipt: Receipt, beside: VerificationInputs) -> Iterator[Finding]:
    if beside.run is None:
        yield Finding("open", "which file that was: give it as --run FILE")
    else:
        yield check_file("the file", beside.run, receipt.file_sha256, receipt.file_bytes)
    if beside.items is not None:
        yield check_file("the items", beside.items, receipt.items_sha256)
    if beside.public_items is not None and receipt.public_sha256 is None:
        yield Finding("fails", f"{beside.public_items.source}: the receipt names no public items.")
    elif beside.public_items is not None and receipt.public_sha256 is not None:
        yield check_file("the public items", beside.public_items, receipt.public_sha256)


def _gold_finding(receipt: Receipt, beside: VerificationInputs) -> Finding:
    version = f"version {receipt.gold_version} of the gold"
    if beside.gold is None or beside.salt is None:
        hidden = f"the site bound itself to {version}, and shows nothing of it"
        return Finding(
            "open",
            f"which gold was in force: {hidden}; once it is open, the evidence of a release has both: give "
            "--gold FILE --salt HEX",
        )
    commitment = gold_commitment(beside.salt, beside.gold.data)
    if commitment != receipt.commitment:
        mend = "are file and salt those that were published together, unchanged?"
        return Finding(
            "fails", f"{beside.gold.source} with this salt is not {version} that the receipt binds: {mend}"
        )
    return Finding(
        "holds", f"{beside.gold.source} is {version}: with the salt it has the hash that this names."
    )
