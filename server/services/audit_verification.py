"""`assay audit verify`: the whole log, the files, the receipts and the releases, held against one another."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from server.services import audit_chain, audit_witnesses
from server.services.audit_chain import Head, Problems
from server.services.audit_files import FileCheck
from server.services.audit_rows import Entry
from server.services.audit_witnesses import Paper, Witnesses


@dataclass(frozen=True, slots=True)
class Verification:
    """What was checked, and what was found."""

    entries: int
    head: Head | None
    files: int
    receipts: Witnesses
    seals: Witnesses
    outside: Witnesses
    inside: int
    """How many problems were found without what is from outside."""
    unopened: Sequence[str]
    """Keys of which nothing says that they are the site's, but that they stand in its database."""
    problems: Problems

    @property
    def witnessed(self) -> int:
        """The newest entry that a good document names: up to it nothing can be cut off or written anew."""
        return max(self.receipts.newest, self.seals.newest, self.outside.newest)


def verify(
    session: Session, outside: Iterable[Paper], notice: Callable[[int], None] = lambda _number: None
) -> Verification:
    """Check everything, as one instant of the database has it; tells `notice` of each entry."""
    problems = Problems()
    files = FileCheck(session, problems)

    def see(number: int, entry: Entry) -> None:
        files.notice(number, entry)
        notice(number)

    entries, head = audit_chain.walk(session, problems, see)
    files.finish()
    brought = [task_id for task_id, count in files.imported.items() if count]
    receipts = audit_witnesses.check(session, audit_witnesses.receipts(session, brought), problems)
    seals = audit_witnesses.check(session, audit_witnesses.seals(session, brought), problems)
    inside = problems.count
    return Verification(
        entries,
        head,
        files.count,
        receipts,
        seals,
        audit_witnesses.check(session, outside, problems),
        inside,
        audit_witnesses.list_unopened(session),
        problems,
    )
