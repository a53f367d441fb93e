"""Receipts from a site: saved as they came, and held against the site's keys."""

from collections.abc import Sequence
from pathlib import Path
from shlex import quote

from scorer.client.connection import API, Connection
from scorer.client.local_files import save_file
from scorer.errors import SiteError
from scorer.proof.document_verification import NamedFile, VerificationInputs
from scorer.proof.findings import Finding
from scorer.proof.keys import KeyRing, read_keys
from scorer.proof.receipt_verification import verify_receipt
from scorer.proof.receipts import read_receipt
from scorer.proof.signing import read_signed

KEYS_PATH = "/keys.json"


def receipt_file_name(number: int) -> str:
    """What the file of a receipt is called.

    >>> receipt_file_name(17)
    'receipt-17.json'
    """
    return f"receipt-{number}.json"


def fetch_site_keys(site: Connection) -> tuple[str, KeyRing]:
    """The keys that a site publishes, and what messages call them.

    Raises
    ------
    SiteError
        If it does not answer.
    ProofError
        If they are none.
    """
    source = site.address + KEYS_PATH
    return source, read_keys(site.file(KEYS_PATH), source)


def fetch_receipt(site: Connection, number: int) -> bytes:
    """The signed receipt of one submission, as it is.

    Raises
    ------
    SiteError
        If there is none, or the site does not answer.
    """
    try:
        return site.file(f"{API}/submissions/{number}/receipt")
    except SiteError as error:
        if error.code != "not_found":
            raise
        raise SiteError(
            f"{error}\nIt was number {number} of {site.address}; `scorer status` has the numbers of yours",
            error.problem,
        ) from error


def save_and_verify_receipt(
    folder: Path,
    number: int,
    data: bytes,
    keys: tuple[str, KeyRing],
    run: tuple[str, bytes] | None = None,
    *,
    force: bool = False,
) -> tuple[Path, Sequence[Finding]]:
    """Save a receipt, and say what it proves; see `save_receipt` and `verify_receipt_file`."""
    path = save_receipt(folder, number, data, force=force)
    return path, verify_receipt_file(path, data, keys, run)


def save_receipt(folder: Path, number: int, data: bytes, *, force: bool = False) -> Path:
    """Save the receipt of a submission.

    Parameters
    ----------
    folder : Path
        Where to.
    number : int
        Of the submission.
    data : bytes
        The receipt.
    force : bool
        Replace a file with other bytes.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    ProofError
        If it is no receipt.
    DataError
        If it cannot be written, or another file is there.
    """
    path = folder / receipt_file_name(number)
    read_receipt(read_signed(data, str(path)), str(path))
    mend = f"replace it: `scorer receipt {number} --to {quote(str(folder))} --force`"
    save_file(path, data, force=force, mend=mend)
    return path


def verify_receipt_file(
    path: Path, data: bytes, keys: tuple[str, KeyRing], run: tuple[str, bytes] | None = None
) -> Sequence[Finding]:
    """What a receipt proves.

    Parameters
    ----------
    path : Path
        What messages call it.
    data : bytes
        The receipt.
    keys : (str, KeyRing)
        From `fetch_site_keys`.
    run : (str, bytes), optional
        The file that it is for: what messages call it, and its bytes.

    Returns
    -------
    sequence of Finding
        Each thing proved, said, failed or left open.

    Raises
    ------
    ProofError
        If it is no receipt.
    """
    signed = read_signed(data, str(path))
    receipt = read_receipt(signed, str(path))
    return verify_receipt(
        signed, receipt, VerificationInputs(keys=keys, run=None if run is None else NamedFile(*run))
    )
