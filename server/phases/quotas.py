"""Limits on the files and bytes that a team may upload. Scored files count; rejected ones do not."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

MAX_REJECTIONS = 30
"""The maximum number of rejected files of a run within the time below."""
REJECTION_WINDOW = timedelta(hours=1)

_BASE_SIZE = 64 * 1024
_SIZE_PER_ITEM = 256
_KEYED_FACTOR = 4


@dataclass(frozen=True, slots=True)
class FilesUsed:
    """The number of scored files of a team, phase and level: in total, and within one day of UTC."""

    in_all: int
    today: int


@dataclass(frozen=True, slots=True)
class FilesLeft:
    """How many more files may be scored: in total, and on this day of UTC; None: unlimited."""

    in_all: int | None
    today: int | None

    @property
    def now(self) -> int | None:
        """How many files can be uploaded now: the minimum of the two."""
        bounds = [bound for bound in (self.in_all, self.today) if bound is not None]
        return min(bounds, default=None)


def upload_limit(n_items: int, *, keyed: bool) -> int:
    """Return the maximum size of a run file: 64 kB and 256 bytes per item, four times that if keyed."""
    return (_BASE_SIZE + _SIZE_PER_ITEM * n_items) * (_KEYED_FACTOR if keyed else 1)


def files_left(used: FilesUsed, in_all: int | None, a_day: int | None) -> FilesLeft:
    """Subtract the used files from the two limits; None: unlimited."""
    return FilesLeft(
        None if in_all is None else max(0, in_all - used.in_all),
        None if a_day is None else max(0, a_day - used.today),
    )


def utc_day(at: datetime) -> tuple[datetime, datetime]:
    """Return the start of the day of UTC that contains an instant, and of the next day."""
    begin = at.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return begin, begin + timedelta(days=1)
