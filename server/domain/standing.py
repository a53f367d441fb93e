"""What counts: the newest submission that is not withdrawn, on time and late apart."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Filed:
    """A submission of one run and level; ids grow in the order in which files were stored."""

    id: int
    arrived_at: datetime
    late: bool
    withdrawn: bool


def counting(files: Iterable[Filed], *, late: bool) -> int | None:
    """The id of the submission that counts: the one that arrived last, however long it took to send.

    A late one never stands in place of one on time.
    """
    kept = [filed for filed in files if filed.late == late and not filed.withdrawn]
    newest = max(kept, key=lambda filed: (filed.arrived_at, filed.id), default=None)
    return None if newest is None else newest.id
