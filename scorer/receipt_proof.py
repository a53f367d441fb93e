"""What a receipt proves, and what it cannot: a sentence for each, from the receipt and what is beside it."""

from collections.abc import Iterator
from datetime import datetime

from scorer.beside import Beside, NamedFile
from scorer.keys import KeyRing
from scorer.proof import Finding
from scorer.receipts import Receipt, ReceiptScore
from scorer.signing import SignedDocument, gold_commitment, is_signed

FAREWELL = (
    "that the file counted in the end: a later file or a withdrawal may have come; the released board says",
    "that the site's clock was right, and who sent the file: a receipt names a team and no person",
)
"""What no receipt can tell."""


def verify_receipt(document: SignedDocument, receipt: Receipt, beside: Beside) -> list[Finding]:
    """Hold a receipt against its signature, the site's keys, and the files that it speaks of.

    Parameters
    ----------
    document : SignedDocument
        From `read_signed`.
    receipt : Receipt
        From `read_receipt` of that document.
    beside : Beside
        What there is to hold against it; what is not given is left open.

    Returns
    -------
    list of Finding
        At least one. A receipt whose signature is wrong says nothing, so nothing else is looked at.

    Notes
    -----
    The scores are computed anew where run and gold are given and are those of the receipt. They depend on the
    items too where these are keyed, grouped or public in part.
    """
    if not is_signed(document):
        return [
            Finding(
                "fails",
                f"The signature is not one of the key {document.key} over this content: it was changed.",
            ),
            Finding("open", "all that the receipt says: without its signature it says nothing"),
        ]
    findings = [
        Finding(
            "holds", f"Whoever holds the key {document.key} signed this, and nothing in it was changed since."
        ),
        *_layout(document),
        _key(document.key, receipt, beside.keys),
        *_claims(receipt),
        *_files(receipt, beside),
        _gold(receipt, beside),
    ]
    if beside.run is not None and beside.gold is not None and all(each.state != "fails" for each in findings):
        from scorer.receipt_scores import compare_scores  # noqa: PLC0415  only who has gold pays for it

        findings += compare_scores(receipt, beside, beside.run, beside.gold)
    log = (
        f"that entry {receipt.audit_number} of the site's audit log still has the hash {receipt.audit_sha256}"
    )
    farewell = (
        f"{log}: whoever reads the log can compare, and so see whether anything up to there was rewritten",
        *FAREWELL,
    )
    return [*findings, *(Finding("open", text) for text in farewell)]


def title_of(receipt: Receipt, source: str) -> str:
    """What a receipt is, in one line."""
    place = f"task {receipt.task}, phase {receipt.phase}, level {receipt.level}"
    return f"{source}: receipt {receipt.number} of {receipt.site}, {place}"


def _layout(document: SignedDocument) -> Iterator[Finding]:
    if not document.as_written:
        text = (
            "how the file is laid out: its blanks, escapes or order are not the site's, and it says the same"
        )
        yield Finding("open", text)


def _key(key: str, receipt: Receipt, published: tuple[str, KeyRing] | None) -> Finding:
    """Whether the key is one that the site had at the time that the receipt claims."""
    if published is None:
        own = f"compare it with {receipt.site.rstrip('/')}/keys, or give the site's keys.json as --key FILE"
        return Finding("open", f"that the key is the site's: {own}")
    source, ring = published
    found = ring.find(key)
    if found is None and ring.site != receipt.site:
        return Finding(
            "fails", f"{source} has the keys of {ring.site}, and the receipt speaks for {receipt.site}."
        )
    if found is None:
        newer = "fetch it again if it is older than the receipt"
        return Finding("fails", f"{source} does not have this key, so it is none of {ring.site}; {newer}.")
    until = "" if found.until is None else f" until {_time(found.until)}"
    moved = "" if ring.site == receipt.site else f"; the site was {receipt.site} then"
    use = f"{source}: it is key {found.number} of {ring.site}, in use from {_time(found.since)}{until}"
    if not found.held_at(receipt.arrived):
        return Finding("fails", f"{use}, and the receipt claims {_time(receipt.arrived)}.")
    return Finding("holds", f"{use}, so at the time of the receipt{moved}.")


def _claims(receipt: Receipt) -> Iterator[Finding]:
    """What the key's holder said, in words."""
    file = f"a file of {receipt.file_bytes} bytes with the SHA-256 {receipt.file_sha256}"
    whose = f"of run {receipt.run_id} ({receipt.run}) of team {receipt.team_id} ({receipt.team})"
    yield Finding("holds", f"The signer says: {file}, {whose}, came at {_time(receipt.arrived)}.")
    yield Finding("holds", f"The signer says: {_counting(receipt)}")
    yield Finding("holds", f"The signer says: {_shown(receipt.scores)}")


def _counting(receipt: Receipt) -> str:
    instead = "" if receipt.replaces is None else f", in place of the file of receipt {receipt.replaces}"
    when = "it was late" if receipt.late else "it was on time"
    if not receipt.counts:
        return f"{when}, and did not count."
    return f"{when}, and {'stood among the late files' if receipt.late else 'counted'} from then on{instead}."


def _shown(scores: tuple[ReceiptScore, ...] | None) -> str:
    if scores is None:
        return "it was scored, and the phase hid the scores then."
    if not scores:
        return "the phase showed no score of it then."
    return f"the phase showed {', '.join(map(str, scores))}."


def _files(receipt: Receipt, beside: Beside) -> Iterator[Finding]:
    yield _file("run", beside.run, receipt.file_sha256, receipt.file_bytes)
    if beside.items is not None:
        yield _file("items", beside.items, receipt.items_sha256, None)
    if beside.public_items is not None:
        yield _file("public-items", beside.public_items, receipt.public_sha256, None)


def _file(option: str, file: NamedFile | None, sha256: str | None, size: int | None) -> Finding:
    what = {"run": "the file", "items": "the items", "public-items": "the public items"}[option]
    if file is None:
        return Finding("open", f"which file that was: give it as --{option} FILE")
    if sha256 is None:
        return Finding("fails", f"{file.source}: the receipt names no {what.removeprefix('the ')}.")
    found = f"{len(file.data)} bytes with the SHA-256 {file.sha256}"
    if file.sha256 != sha256 or size not in (None, len(file.data)):
        named = sha256 if size is None else f"{size} bytes with {sha256}"
        return Finding("fails", f"{file.source} is not {what} of the receipt: it has {found}, not {named}.")
    return Finding("holds", f"{file.source} is {what} of the receipt: {found}.")


def _gold(receipt: Receipt, beside: Beside) -> Finding:
    version = f"version {receipt.gold_version} of the gold"
    if beside.gold is None or beside.salt is None:
        hidden = f"the site bound itself to {version}, and shows nothing of it"
        return Finding(
            "open", f"which gold was in force: {hidden}; once it is open, give --gold FILE --salt HEX"
        )
    commitment = gold_commitment(beside.salt, beside.gold.data)
    if commitment != receipt.commitment:
        mend = "are file and salt those that were published together, unchanged?"
        return Finding(
            "fails", f"{beside.gold.source} with this salt is not {version} that the receipt binds: {mend}"
        )
    return Finding("holds", f"{beside.gold.source} is {version}, to which the site had bound itself by then.")


def _time(at: datetime) -> str:
    return str(at).replace("+00:00", " UTC")
