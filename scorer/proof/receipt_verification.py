"""Verify a receipt against other files, and say what it proves and what it cannot prove."""

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
    "A receipt does not prove that the file counted in the end: the team may have replaced or withdrawn it "
    "later. The team's page What counts shows it, and so does a release that publishes the files.",
    "A receipt does not prove that the site's clock was right.",
    "A receipt does not show who uploaded the file. It names a team but no person.",
)
"""What a receipt can never prove."""


def verify_receipt(document: SignedDocument, receipt: Receipt, beside: VerificationInputs) -> list[Finding]:
    """Verify the signature of a receipt, its key, the files that it names, and its scores.

    Parameters
    ----------
    document : SignedDocument
        The result of `read_signed`.
    receipt : Receipt
        The result of `read_receipt` for that document.
    beside : VerificationInputs
        The files and options to verify it against. What would need a file that is not given is reported as
        not covered.

    Returns
    -------
    list of Finding
        At least one finding. If the signature or the key is wrong, nothing else is checked.

    Notes
    -----
    The scores are recomputed if the run and the gold are given and are those that the receipt names. The
    items are needed too if they are keyed or grouped, or if only a part of them is public.
    """
    return run_checks(
        check_signature(document),
        check_key(document.key, receipt.site, receipt.arrived, beside.keys),
        _check_receipt(receipt, beside),
    )


def _check_receipt(receipt: Receipt, inputs: VerificationInputs) -> Iterator[Finding]:
    """Yield the claims of a receipt, and check them against the other files."""
    findings = [*_claims(receipt), *_check_files(receipt, inputs), _check_gold(receipt, inputs)]
    yield from findings
    if inputs.run is not None and inputs.gold is not None and not has_failed(findings):
        # This imports the readers and metrics, which are not needed without gold.
        from scorer.proof.receipt_scores import compare_scores  # noqa: PLC0415

        yield from compare_scores(receipt, inputs, inputs.run, inputs.gold)
    yield not_covered(audit_log_text("receipt", receipt.audit_number, receipt.site, receipt.audit_sha256))
    yield from map(not_covered, NEVER_PROVED)


def receipt_title(receipt: Receipt, source: str) -> str:
    """Return one line that identifies a receipt."""
    place = f"task {receipt.task}, phase {receipt.phase}, level {receipt.level}"
    return f"{source}: receipt {receipt.number} of {receipt.site}, {place}"


def _claims(receipt: Receipt) -> Iterator[Finding]:
    """Yield what the holder of the key claims."""
    file = f"A file of {receipt.file_bytes} bytes with the SHA-256 {receipt.file_sha256} arrived"
    whose = f"for run {receipt.run_id} ({receipt.run}) of team {receipt.team_id} ({receipt.team})"
    yield claimed(f"{file} at {time_text(receipt.arrived)}, {whose}.")
    yield claimed(_counting_text(receipt))
    if receipt.left_out:
        levels = ", ".join(receipt.left_out)
        yield claimed(f"Not stored with it, because the quota was used up: the files for {levels}.")
    yield claimed(_scores_text(receipt.scores))


def _counting_text(receipt: Receipt) -> str:
    when = f"The file was {'late' if receipt.late else 'on time'}"
    if not receipt.counts:
        return f"{when}. It did not count."
    among = " as a late submission" if receipt.late else ""
    instead = "" if receipt.replaces is None else f". It replaced the file of receipt {receipt.replaces}"
    return f"{when}. It counted{among} when it was accepted{instead}."


def _scores_text(scores: tuple[ReceiptScore, ...] | None) -> str:
    if scores is None:
        return "The file was scored. The phase did not show the scores at that time."
    if not scores:
        return "The phase did not show any score of the file at that time."
    return f"The phase showed these scores: {', '.join(map(str, scores))}."


def _check_files(receipt: Receipt, inputs: VerificationInputs) -> Iterator[Finding]:
    if inputs.run is None:
        yield not_covered(
            "The receipt has only the hash of the run file. To compare your file with it, give --run FILE."
        )
    else:
        yield check_file("the run file of this receipt", inputs.run, receipt.file_sha256, receipt.file_bytes)
    if inputs.items is not None:
        yield check_file("the items file of this receipt", inputs.items, receipt.items_sha256)
    if inputs.public_items is None:
        return
    if receipt.public_sha256 is None:
        yield failed(
            f"{inputs.public_items.source} was not compared, because the receipt names no public items."
        )
    else:
        yield check_file("the public items file of this receipt", inputs.public_items, receipt.public_sha256)


def _check_gold(receipt: Receipt, inputs: VerificationInputs) -> Finding:
    version = f"gold version {receipt.gold_version}"
    if inputs.gold is None or inputs.salt is None:
        return not_covered(
            f"The receipt names {version} but does not show its labels; it has only a salted hash of them. "
            "If a release publishes the gold standard, its evidence has the gold file and the salt: give "
            "them with --gold FILE --salt HEX."
        )
    if gold_commitment(inputs.salt, inputs.gold.data) == receipt.commitment:
        return proved(f"{inputs.gold.source} is {version}. With the salt, it has the hash in the receipt.")
    hint = "Check that the file and the salt were published together, and that neither was changed."
    return failed(
        f"{inputs.gold.source} is not {version}. With this salt, it does not have the hash in the receipt. "
        f"{hint}"
    )
