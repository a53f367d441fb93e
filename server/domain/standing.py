"""What counts: the newest submission that is not withdrawn, on time and late apart."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Filed:
    """A submission of one run and level; ids grow in the order of arrival."""

    id: int
    late: bool
    withdrawn: bool


def counting(files: Iterable[Filed], *, late: bool) -> int | None:
    """The id of the submission that counts; a late one never stands in place of one on time."""
    return max((filed.id for filed in files if filed.late == late and not filed.withdrawn), default=None)
