"""What names a system of a board in an address: official/quay/cross-encoder."""

from typing import Literal, get_args
from urllib.parse import quote, unquote

Kind = Literal["official", "late", "baseline"]
KINDS: tuple[Kind, ...] = get_args(Kind)


def write_key(kind: str, team: str, run: str) -> str:
    """The key of a system; its parts are percent-encoded, so that a slash in a name divides nothing."""
    return "/".join(quote(part, safe="") for part in (kind, team, run))


def read_key(text: str) -> tuple[Kind, str, str] | None:
    """Kind, team and run of a key; None for a text that is no key."""
    parts = [unquote(part) for part in text.split("/")]
    if len(parts) != 3 or parts[0] not in KINDS:
        return None
    return parts[0], parts[1], parts[2]
