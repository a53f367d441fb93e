"""The keys that a site published, when each was in use, and whom a signature by one of them names."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from scorer.errors import Problem, ProofError
from scorer.proof.signing import read_instant, read_json

SCHEMA = "assay.keys/1"
CLOCK_TOLERANCE = timedelta(hours=1)
"""A file arrives when its head does and is signed when it is whole, and the clocks of hosts differ."""
KeyHolder = Literal["this site", "another site", "nobody"]
_KEY = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class PublishedKey:
    """One public key of a site, as 64 hexadecimal digits; `until` None: it is in use."""

    number: int
    key: str
    since: datetime
    until: datetime | None

    def in_use(self, at: datetime) -> bool:
        """Whether the site signed with it at an instant."""
        return self.since <= at and (self.until is None or at < self.until)

    def held_at(self, at: datetime) -> bool:
        """Whether it was in use then, give or take an hour."""
        return self.since - CLOCK_TOLERANCE <= at and (
            self.until is None or at < self.until + CLOCK_TOLERANCE
        )


@dataclass(frozen=True, slots=True)
class KeyRing:
    """All keys that a site ever had, the oldest first."""

    site: str
    keys: tuple[PublishedKey, ...]

    def find(self, key: str) -> PublishedKey | None:
        """The key with these digits, if it was one of the site's."""
        return next((candidate for candidate in self.keys if candidate.key == key), None)

    def holder(self, key: str, site: str, at: datetime) -> KeyHolder:
        """Whose key it was at an instant, where a document says that it is of `site`."""
        entry = self.find(key)
        if entry is None and site != self.site:
            return "another site"
        return "this site" if entry is not None and entry.held_at(at) else "nobody"


def read_keys(data: bytes, source: str) -> KeyRing:
    """The keys of a site from the file that it publishes as /keys.json.

    Parameters
    ----------
    data : bytes
        The file.
    source : str
        What messages call it.

    Returns
    -------
    KeyRing
        The site's address and its keys.

    Raises
    ------
    ProofError
        If it is no such file, with every place that is wrong.
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
    if not _KEY.fullmatch(str(values["key"])):
        raise ValueError("key: must be 64 hexadecimal digits in lower case")
    until = None if values["until"] is None else read_instant(str(values["until"]))
    return PublishedKey(number, str(values["key"]), read_instant(str(values["from"])), until)


def _problem(source: str, message: str) -> Problem:
    return Problem(source, None, "bad_keys", message)


@dataclass(frozen=True, slots=True)
class VerificationKeys:
    """The keys that signatures are held against.

    Parameters
    ----------
    source : str
        What their file is called.
    ring : KeyRing
        What it says.
    vouched : bool
        Whether they came from outside the evidence; its own keys.json is its own word.
    """

    source: str
    ring: KeyRing
    vouched: bool

    def signer(self, key: str, at: datetime) -> str:
        """Who signed by a key, as far as that is known.

        Parameters
        ----------
        key : str
            The public key.
        at : datetime
            When, as the document claims.

        Returns
        -------
        str
            The site, or the holder of the key.
        """
        published_key = self.ring.find(key)
        if not self.vouched or published_key is None or not published_key.held_at(at):
            return f"the holder of the key {key}"
        return f"{self.ring.site}, by its key {published_key.number} in {self.source},"
