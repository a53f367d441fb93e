"""What a receipt proves, and what it cannot: a sentence for each, from the receipt and what is beside it."""

from collections.abc import Iterator

from scorer.proof.document_verification import (
    VerificationInputs,
    audit_log_text,
    check_file,
    check_key,
    check_signature,
    time_text,
)
from scorer.proof.findings import Finding, claimed, failed, has_failed, not_covered, proved, run_checks
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
    The scores are recomputed where run and gold are given and are those of the receipt. They depend on the
    items too where these are keyed, grouped or public in part.
    """
    return run_checks(
        check_signature(document),
        check_key(document.key, receipt.site, receipt.arrived, beside.keys),
        _check_receipt(receipt, beside),
    )


def _check_receipt(receipt: Receipt, beside: VerificationInputs) -> Iterator[Finding]:
    """What it says, and whether that is so, as far as the files beside it can tell."""
    findings = [*_claims(receipt), *_check_files(receipt, beside), _check_gold(receipt, beside)]
    yield from findings
    if beside.run is not None and beside.gold is not None and not has_failed(findings):
        from scorer.proof.receipt_scores import compare_scores  # noqa: PLC0415  only who has gold pays for it

        yield from compare_scores(receipt, beside, beside.run, beside.gold)
    yield not_covered(audit_log_text(receipt.audit_number, receipt.audit_sha256))
    yield from map(not_covered, NEVER_PROVED)


def receipt_title(receipt: Receipt, source: str) -> str:
    """What a receipt is, in one line."""
    place = f"task {receipt.task}, phase {receipt.phase}, level {receipt.level}"
    return f"{source}: receipt {receipt.number} of {receipt.site}, {place}"


def _claims(receipt: Receipt) -> Iterator[Finding]:
    """What the key's holder said, in words."""
    file = f"a file of {receipt.file_bytes} bytes with the SHA-256 {receipt.file_sha256}"
    whose = f"of run {receipt.run_id} ({receipt.run}) of team {receipt.team_id} ({receipt.team})"
    yield claimed(f"{file}, {whose}, came at {time_text(receipt.arrived)}.")
    yield claimed(_counting_text(receipt))
    yield claimed(_scores_text(receipt.scores))


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


def _check_files(receipt: Receipt, beside: VerificationInputs) -> Iterator[Finding]:
    if beside.run is None:
        yield not_covered("which file that was: give it as --run FILE")
    else:
        yield check_file("the file", beside.run, receipt.file_sha256, receipt.file_bytes)
    if beside.items is not None:
        yield check_file("the items", beside.items, receipt.items_sha256)
    if beside.public_items is None:
        return
    if receipt.public_sha256 is None:
        yield failed(f"{beside.public_items.source}: the receipt names no public items.")
    else:
        yield check_file("the public items", beside.public_items, receipt.public_sha256)


def _check_gold(receipt: Receipt, beside: VerificationInputs) -> Finding:
    version = f"version {receipt.gold_version} of the gold"
    if beside.gold is None or beside.salt is None:
        hidden = f"the site bound itself to {version}, and shows nothing of it"
        hint = "once it is open, the evidence of a release has both: give --gold FILE --salt HEX"
        return not_covered(f"which gold was in force: {hidden}; {hint}")
    if gold_commitment(beside.salt, beside.gold.data) == receipt.commitment:
        return proved(f"{beside.gold.source} is {version}: with the salt it has the hash that this names.")
    hint = "are file and salt those that were published together, unchanged?"
    return failed(f"{beside.gold.source} with this salt is not {version} that the receipt binds: {hint}")
