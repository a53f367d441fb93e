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
        yield failed(
            f"The signature by the key {key} is not valid for this content. The document was changed."
        )
        yield not_covered("Nothing else was checked, because the content is not signed.")
        return
    yield proved(f"The holder of the key {key} signed this document. It was not changed after that.")
    if not document.as_written:
        yield not_covered(
            "The signature does not cover the layout of the file. Its whitespace, escapes or order are not "
            "as the site wrote them, but its content is the same."
        )


def check_key(key: str, site: str, at: datetime, published: tuple[str, KeyRing] | None) -> Iterator[Finding]:
    """Check whether the site had the key at the time that the document claims."""
    if published is None:
        yield not_covered(f"The document does not prove that the key belongs to the site. {key_advice(site)}")
        return
    finding = _find_key(key, site, at, *published)
    yield finding
    if finding.state == "fails":
        yield not_covered("Nothing else was checked, because the key is not known to belong to the site.")


def _find_key(key: str, site: str, at: datetime, source: str, ring: KeyRing) -> Finding:
    entry = ring.find(key)
    if entry is None and ring.site != site:
        return failed(f"{source} has the keys of {ring.site}, but the document is from {site}.")
    if entry is None:
        newer = f"If {source} is older than the document, download it again"
        return failed(f"{source} does not have this key, so it is not a key of {ring.site}. {newer}.")
    until = "" if entry.until is None else f" until {time_text(entry.until)}"
    number = f"According to {source}, this is key {entry.number} of {ring.site}"
    use = f"{number}, which is in use from {time_text(entry.since)}{until}"
    if not entry.held_at(at):
        return failed(f"{use}. It was not in use at the claimed time of signing, {time_text(at)}.")
    when = "at" if entry.in_use(at) else "within an hour of"
    moved = (
        ""
        if ring.site == site
        else f" The document names {site}, which is another address with the same key."
    )
    return proved(f"{use}. It was in use {when} the claimed time of signing, {time_text(at)}.{moved}")


def key_advice(site: str) -> str:
    """Say how to check whether a key belongs to a site."""
    return f"Compare it with {site.rstrip('/')}/keys, or give the site's keys.json as --key FILE."


def check_file(what: str, file: NamedFile, sha256: str, size: int | None = None) -> Finding:
    """Check whether a file is the one that the document names."""
    contents = f"{len(file.data)} bytes with the SHA-256 {file.sha256}"
    if file.sha256 != sha256 or size not in (None, len(file.data)):
        named = sha256 if size is None else f"{size} bytes with {sha256}"
        return failed(f"{file.source} is not {what}. It has {contents}, not {named}.")
    return proved(f"{file.source} is {what}. It has {contents}.")


def audit_log_text(document: str, number: int, site: str, sha256: str) -> str:
    """Describe what a document cannot prove about the audit log, and how to check it."""
    return (
        f"The {document} says that entry {number} of the activity log of {site} has the hash {sha256}. "
        "Compare it with the log: if it differs, this entry or an earlier one was changed."
    )


def time_text(at: datetime) -> str:
    """Format a time for a sentence."""
    return str(at).replace("+00:00", " UTC")
