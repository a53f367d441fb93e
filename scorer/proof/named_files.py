"""The files that somebody has beside a receipt, to hold against it."""

import hashlib
from dataclasses import dataclass, field

from scorer.files.reading import ItemsLayout, KeyedFormat
from scorer.proof.keys import KeyRing


@dataclass(frozen=True, slots=True)
class NamedFile:
    """A file's bytes, and what messages call it."""

    source: str
    data: bytes

    @property
    def sha256(self) -> str:
        """Its SHA-256, as hexadecimal digits."""
        return hashlib.sha256(self.data).hexdigest()


@dataclass(frozen=True, slots=True)
class VerificationInputs:
    """What somebody has beside a receipt, to hold against it.

    Parameters
    ----------
    keys : (str, KeyRing), optional
        The keys that the site published, and what messages call the list.
    run, items, public_items, gold : NamedFile, optional
        The files that the receipt speaks of.
    salt : bytes, optional
        The 32 bytes that were published with the gold.
    keyed : KeyedFormat, optional
        The columns of a keyed run, and of keyed gold.
    layout : ItemsLayout
        The columns of the items.
    confidence_max : float
        Confidences of the run go from 0 to this.
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
