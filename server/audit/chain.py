"""Verification of the audit log: finds entries that are missing, edited, or not in the chain."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Row
from sqlalchemy.orm import Session

from server.audit import raw_rows, service as audit
from server.audit.models import AuditEntry

MAX_LISTED = 100
"""The number of problems that are listed; further ones are only counted."""
BROKEN_LOG_HINT = " that is intact; the entries listed above may be theirs"
"""Added to problems of records without audit entries if entries are missing or were edited."""


@dataclass(slots=True)
class ChainProblems:
    """The first problems, and the number of all."""

    listed: list[str] = field(default_factory=list)
    count: int = 0

    def add(self, problem: str) -> None:
        """Add a problem."""
        self.count += 1
        if len(self.listed) < MAX_LISTED:
            self.listed.append(problem)


@dataclass(frozen=True, slots=True)
class ChainHead:
    """The number and the hash of the newest entry."""

    number: int
    sha256: str


@dataclass(slots=True)
class _PreviousEntry:
    """The previous entry, with the hash that it has and the one that it should have."""

    number: int = 0
    hashes: tuple[str, ...] = (audit.GENESIS,)
    broken: bool = False
    """Whether an entry up to here is missing or was changed."""


EntryCallback = Callable[[AuditEntry], None]


@dataclass(frozen=True, slots=True)
class ChainCheck:
    """How many entries there are, the newest one, and whether an entry is missing or was changed."""

    count: int
    head: ChainHead | None
    broken: bool


def check_chain(session: Session, problems: ChainProblems, notice: EntryCallback) -> ChainCheck:
    """Check every entry, and call `notice` with each whose hash is correct."""
    last, count = _PreviousEntry(), 0
    for row in raw_rows.stream_rows(session):
        count += 1
        for problem in _check_entry(row, last, notice):
            problems.add(f"entry {row.number}: {problem}")
    head = ChainHead(last.number, last.hashes[0]) if count and last.hashes else None
    return ChainCheck(count, head, last.broken)


def _check_entry(row: Row[Any], last: _PreviousEntry, notice: EntryCallback) -> Iterator[str]:
    """Yield what is wrong with an entry and its place, and make it the previous entry of the next one."""
    number = row.number
    follows = number == last.number + 1
    yield from _check_number(number, last)
    last.broken = last.broken or not follows
    if number < 1:
        return
    try:
        entry = raw_rows.read_entry(row)
        is_hash = audit.entry_hash(entry)
    except (raw_rows.MalformedCell, UnicodeEncodeError) as error:
        yield f"was edited or is damaged: {error}"
        last.number, last.hashes, last.broken = number, (), True
        return
    if entry.sha256 != is_hash:
        yield "was edited: its contents do not match its hash"
    if follows and last.hashes and entry.previous not in last.hashes:
        yield (
            f"does not follow from entry {last.number}: one of them was replaced, "
            "or they belong to different chains (a fork)"
        )
    last.number, last.hashes = number, (entry.sha256, is_hash)
    if entry.sha256 == is_hash:
        notice(entry)
    else:
        last.broken = True


def _check_number(number: int, last: _PreviousEntry) -> Iterator[str]:
    if number < 1:
        yield "has a number below 1; the first entry is 1"
    elif number == last.number:
        yield "occurs twice: the chain forks here"
    elif number > last.number + 1:
        single = number == last.number + 2
        missing = f"entry {number - 1} is" if single else f"entries {last.number + 1} to {number - 1} are"
        yield f"follows a gap: {missing} missing"
