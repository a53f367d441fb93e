"""Whose the keys of evidence are: named as a site's only where whoever verifies vouched for them."""

from dataclasses import dataclass
from datetime import datetime

from scorer.proof.keys import KeyRing


@dataclass(frozen=True, slots=True)
class Keys:
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
            The site, or whoever holds the key.
        """
        found = self.ring.find(key)
        if not self.vouched or found is None or not found.held_at(at):
            return f"whoever holds the key {key}"
        return f"{self.ring.site}, by its key {found.number} in {self.source},"
