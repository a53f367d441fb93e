"""Checks that apply to every signed document: its signature, its key, and the files that it names."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from scorer.files.reading import ItemsLayout, KeyedFormat
from scorer.proof.findings import Finding, failed, not_covered, proved
from scorer.proof.keys import KeyRing
from scorer.proof.signing import SignedDocument, has_valid_signature


@dataclass(frozen=True, slots=True)
class NamedFile:
    """The contents of a file, and its name in messages."""

    source: str
    data: bytes

    @property
    def sha256(self) -> str:
        """The SHA-256 of the contents, as hexadecimal digits."""
        return hashlib.sha256(self.data).hexdigest()


@dataclass(frozen=True, slots=True)
class VerificationInputs:
    """The files and options against which a receipt is verified.

    Parameters
    ----------
    keys : (str, KeyRing), optional
        The name of the keyring's file in messages, and the keyring that the site published.
    run, items, public_items, gold : NamedFile, optional
        The files that the receipt names by their hashes.
    salt : bytes, optional
        The 32 bytes that were published with the gold.
    keyed : KeyedFormat, optional
        The columns of the run and of the gold, if they are keyed by item id.
    layout : ItemsLayout
        The columns of the items file.
    confidence_max : float
        The maximum confidence in the run; the minimum is 0.
    """

    keys: tuple[str, KeyRing] | None = None
    run: NamedFile | None = None
    items: NamedFile | None = None
    public_items: NamedFile | None = None
    gold: NamedFile | None = None
    salt: bytes | None = None
    keyed: KeyedFormat | None = None
    layout: ItemsLayout = field(default=ItemsLayout())
    confidence_max: float = 1.0


def check_signature(document: SignedDocument) -> Iterator[Finding]:
    """Check the signature, and whether the file has exactly the bytes that the site wrote."""
    key = document.key
    if not has_valid_signature(document):
        yield failed(f"The signature is not one of the key {key} over this content: it was changed.")
        yield not_covered("all that it says: without its signature it says nothing")
        return
    yield proved(f"The holder of the key {key} signed this, and nothing in it was changed since.")
    if not document.as_written:
        layout = "its blanks, escapes or order are not the site's, and it says the same"
        yield not_covered(f"how the file is laid out: {layout}")


def check_key(key: str, site: str, at: datetime, published: tuple[str, KeyRing] | None) -> Iterator[Finding]:
    """Check whether the site had the key at the time that the document claims."""
    if published is None:
        advice = f"compare it with {site.rstrip('/')}/keys, or give the site's keys.json as --key FILE"
        yield not_covered(f"that the key is the site's: {advice}")
        return
    finding = _find_key(key, site, at, *published)
    yield finding
    if finding.state == "fails":
        yield not_covered(
            "all that it says: nothing more was looked at, for it is not the site's by this key"
        )


def _find_key(key: str, site: str, at: datetime, source: str, ring: KeyRing) -> Finding:
    entry = ring.find(key)
    if entry is None and ring.site != site:
        return failed(f"{source} has the keys of {ring.site}, and this speaks for {site}.")
    if entry is None:
        newer = "fetch it again if it is older than this document"
        return failed(f"{source} does not have this key, so it is none of {ring.site}; {newer}.")
    until = "" if entry.until is None else f" until {time_text(entry.until)}"
    use = f"{source}: this is key {entry.number} of {ring.site}, in use from {time_text(entry.since)}{until}"
    if not entry.held_at(at):
        return failed(f"{use}. It was not in use at the claimed time of signing, {time_text(at)}.")
    when = "at" if entry.in_use(at) else "within an hour of"
    moved = "" if ring.site == site else f" The document names {site}, another address with the same key."
    return proved(f"{use}. It was in use {when} the claimed time of signing, {time_text(at)}.{moved}")


def check_file(what: str, file: NamedFile, sha256: str, size: int | None = None) -> Finding:
    """Check whether a file is the one that the document names."""
    contents = f"{len(file.data)} bytes with the SHA-256 {file.sha256}"
    if file.sha256 != sha256 or size not in (None, len(file.data)):
        named = sha256 if size is None else f"{size} bytes with {sha256}"
        return failed(f"{file.source} is not {what} that this names: it has {contents}, not {named}.")
    return proved(f"{file.source} is {what} that this names: {contents}.")


def audit_log_text(number: int, sha256: str) -> str:
    """Describe what a document cannot prove about the audit log, and how to check it."""
    log = f"that entry {number} of the site's audit log still has the hash {sha256}"
    return (
        f"{log}: anyone who reads the log can compare, and so see whether anything up to there was rewritten"
    )


def time_text(at: datetime) -> str:
    """Format a time for a sentence."""
    return str(at).replace("+00:00", " UTC")
