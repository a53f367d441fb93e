"""Downloads receipts from a site, saves them unchanged, and verifies them against the site's keys."""

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


def fetch_site_keys(site: Connection) -> tuple[str, KeyRing]:
    """Download the public keys of a site; also return their address for messages.

    Raises
    ------
    SiteError
        If the site does not answer.
    ProofError
        If the file is not a list of keys.
    """
    source = site.address + KEYS_PATH
    return source, read_keys(site.file(KEYS_PATH), source)


def fetch_receipt(site: Connection, number: int) -> bytes:
    """Download the signed receipt of a submission.

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
            f"{error}\nThe number was {number} on {site.address}; `scorer status` shows your submissions",
            error.problem,
        ) from error


def save_receipt(folder: Path, number: int, data: bytes, *, force: bool = False) -> Path:
    """Save the receipt of a submission.

    Parameters
    ----------
    folder : Path
        The folder to write to.
    number : int
        The number of the submission.
    data : bytes
        The receipt.
    force : bool
        Replace an existing file that differs.

    Returns
    -------
    Path
        The saved file.

    Raises
    ------
    ProofError
        If the data is not a receipt.
    DataError
        If the file cannot be written, or a different file exists.
    """
    path = folder / f"receipt-{number}.json"
    read_receipt(read_signed(data, str(path)), str(path))
    hint = f"replace it: `scorer receipt {number} --to {quote(str(folder))} --force`"
    save_file(path, data, force=force, hint=hint)
    return path


def verify_receipt_file(
    path: Path, data: bytes, keys: tuple[str, KeyRing], run: tuple[str, bytes] | None = None
) -> Sequence[Finding]:
    """Verify a receipt, and return what it proves.

    Parameters
    ----------
    path : Path
        The file of the receipt, for messages.
    data : bytes
        The receipt.
    keys : (str, KeyRing)
        From `fetch_site_keys`.
    run : (str, bytes), optional
        The run file that the receipt is for: its name for messages, and its bytes.

    Returns
    -------
    sequence of Finding
        What is proved, stated, failed or open.

    Raises
    ------
    ProofError
        If the data is not a receipt.
    """
    signed = read_signed(data, str(path))
    receipt = read_receipt(signed, str(path))
    return verify_receipt(
        signed, receipt, VerificationInputs(keys=keys, run=None if run is None else NamedFile(*run))
    )
