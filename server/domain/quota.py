"""How many files and bytes a team may bring. A scored file counts; an invalid one costs nothing."""

from datetime import timedelta

REFUSALS = 30
"""Invalid files that a run may bring within REFUSALS_WITHIN."""
REFUSALS_WITHIN = timedelta(hours=1)

_UPLOAD_BASE = 64 * 1024
_UPLOAD_ITEM = 256
_KEYED = 4


def upload_limit(n_items: int, *, keyed: bool) -> int:
    """The most bytes of a run file: 64 kB and 256 bytes an item, four times that if keyed."""
    return (_UPLOAD_BASE + _UPLOAD_ITEM * n_items) * (_KEYED if keyed else 1)


def files_left(used: int, allowed: int | None) -> int | None:
    """How many more files a team may have scored; None: without bound."""
    return None if allowed is None else max(0, allowed - used)
