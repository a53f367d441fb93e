"""The keyring of a site: its public keys, when each was in use, and who signed with one of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from scorer.errors import Problem, ProofError
from scorer.proof.signing import KEY_PATTERN, read_instant, read_json

SCHEMA = "assay.keys/1"
CLOCK_TOLERANCE = timedelta(hours=1)
"""The tolerance for a signature that was made shortly before or after its key was in use.

A file's arrival is the time at which its HTTP headers arrived, but its receipt is signed once the whole file
has arrived. Also, the clocks of hosts differ.
"""
KeyHolder = Literal["this site", "another site", "nobody"]


@dataclass(frozen=True, slots=True)
class PublishedKey:
    """A public key of a site, and the time in which the site signed with it."""

    number: int
    key: str
    """The key as 64 hexadecimal digits."""
    since: datetime
    until: datetime | None
    """The end of its use, or None if it is still in use."""

    def in_use(self, at: datetime, tolerance: timedelta = timedelta()) -> bool:
        """Whether the site signed with this key at the given time."""
        return self.since - tolerance <= at and (self.until is None or at < self.until + tolerance)

    def held_at(self, at: datetime) -> bool:
        """Whether the key was in use at the given time, with a tolerance of `CLOCK_TOLERANCE`."""
        return self.in_use(at, CLOCK_TOLERANCE)


@dataclass(frozen=True, slots=True)
class KeyRing:
    """All public keys that a site has ever had, from the oldest to the newest."""

    site: str
    keys: tuple[PublishedKey, ...]

    def find(self, key: str) -> PublishedKey | None:
        """Return the key with these digits, or None if the site never had it."""
        return next((candidate for candidate in self.keys if candidate.key == key), None)

    def holder(self, key: str, site: str, at: datetime) -> KeyHolder:
        """Return who held a key at the given time, for a document that says that `site` signed it.

        Parameters
        ----------
        key : str
            The public key that the document names.
        site : str
            The address of the site that the document names.
        at : datetime
            When the document says that it was signed.

        Returns
        -------
        "this site", "another site" or "nobody"
            "this site" if the keyring has the key for that time, within the tolerance. "another site" if the
            keyring lacks the key and belongs to a different site than the document. "nobody" otherwise.
        """
        entry = self.find(key)
        if entry is None and site != self.site:
            return "another site"
        return "this site" if entry is not None and entry.held_at(at) else "nobody"


def read_keys(data: bytes, source: str) -> KeyRing:
    """Parse the keyring that a site publishes as /keys.json.

    Parameters
    ----------
    data : bytes
        The contents of the file.
    source : str
        The name of the file in messages.

    Returns
    -------
    KeyRing
        The site's address and its keys.

    Raises
    ------
    ProofError
        If the file is not a keyring. The error lists all its problems.
    """
    values = read_json(data, source)
    if not isinstance(values, dict) or values.get("schema") != SCHEMA:
        raise ProofError([_problem(source, f'schema: is not "{SCHEMA}"; give the /keys.json of a site')])
    if set(values) != {"schema", "site", "keys"} or not isinstance(values["site"], str):
        raise ProofError([_problem(source, 'must have "schema", "site" and "keys", and nothing else')])
    if not isinstance(values["keys"], list):
        raise ProofError([_problem(source, "keys: must be a list")])
    problems, keys = [], []
    for number, entry in enumerate(values["keys"], start=1):
        try:
            keys.append(_read_key(entry, number))
        except ValueError as error:
            problems.append(_problem(source, f"keys[{number}]: {error}"))
    if problems:
        raise ProofError(problems)
    return KeyRing(values["site"], tuple(keys))


def _read_key(values: Any, number: int) -> PublishedKey:
    if not isinstance(values, Mapping) or set(values) != {"number", "key", "from", "until"}:
        raise ValueError('must have "number", "key", "from" and "until", and nothing else')
    if values["number"] != number or isinstance(values["number"], bool):
        raise ValueError(f"number: must be {number}")
    if not KEY_PATTERN.fullmatch(str(values["key"])):
        raise ValueError("key: must be 64 hexadecimal digits in lower case")
    until = None if values["until"] is None else read_instant(str(values["until"]))
    return PublishedKey(number, str(values["key"]), read_instant(str(values["from"])), until)


def _problem(source: str, message: str) -> Problem:
    return Problem(source, None, "bad_keys", message)


@dataclass(frozen=True, slots=True)
class VerificationKeys:
    """The keyring against which signatures are verified, and where it comes from.

    Parameters
    ----------
    source : str
        The name of the keyring's file in messages.
    ring : KeyRing
        The keyring.
    vouched : bool
        Whether the keyring comes from outside the evidence. The keys.json inside the evidence is not
        independent of it, so it does not show that the keys belong to the site.
    """

    source: str
    ring: KeyRing
    vouched: bool

    def signer(self, key: str, at: datetime) -> str:
        """Describe who signed with a key, as far as that is known.

        Parameters
        ----------
        key : str
            The public key.
        at : datetime
            When the document says that it was signed.

        Returns
        -------
        str
            A phrase that names the site if the keyring is independent of the evidence and has the key for
            that time. Otherwise a phrase that names only the key.
        """
        published_key = self.ring.find(key)
        if not self.vouched or published_key is None or not published_key.held_at(at):
            return f"the holder of the key {key}"
        return f"{self.ring.site} (with its key {published_key.number} in {self.source})"
