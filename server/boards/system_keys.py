"""What names a system of a board in an address: official/quay/cross-encoder."""

import re
from typing import Literal, get_args
from urllib.parse import unquote

Kind = Literal["official", "late", "baseline"]
KINDS: tuple[Kind, ...] = get_args(Kind)


def write_key(kind: str, team: str, run: str) -> str:
    """The key of a system, to be encoded once, as any part of an address is: a blank stays a blank.

    A slash in a name, which would divide it, is written *2F, and so are the signs that would be read back.
    """
    return "/".join(re.sub(r"[/*%]", lambda sign: f"*{ord(sign[0]):02X}", part) for part in (kind, team, run))


def read_key(text: str) -> tuple[Kind, str, str] | None:
    """Kind, team and run of a key; None for a text that is no key.

    One with a percent sign is of an older address, in which each part was encoded before the whole was.
    """
    decode = unquote if "%" in text else _read_signs
    parts = [decode(part) for part in text.split("/")]
    if len(parts) != 3 or parts[0] not in KINDS:
        return None
    return parts[0], parts[1], parts[2]


def _read_signs(part: str) -> str:
    return re.sub(r"\*(2F|2A|25)", lambda sign: chr(int(sign[1], 16)), part)
