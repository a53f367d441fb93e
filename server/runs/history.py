"""All uploads for a run, including rejected files, in pages."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate
from typing import Literal

from sqlalchemy import func, literal, select, union_all
from sqlalchemy.orm import Session, joinedload

from server.runs.models import Run
from server.runs.service import RunState, SubmissionState
from server.submissions import standings
from server.submissions.models import Rejection, Standing, Submission

PER_PAGE = 100
EntryKind = Literal["file", "rejection"]


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """A scored file with its state, or a rejected one: then `file` is None."""

    row: Submission | Rejection
    file: SubmissionState | None


@dataclass(frozen=True, slots=True)
class History:
    """A page of uploads, the newest first, and the number of all."""

    uploads: tuple[HistoryEntry, ...]
    total: int
    page: int

    @property
    def pages(self) -> int:
        """The number of pages, at least one."""
        return max(1, -(-self.total // PER_PAGE))


def read_history(session: Session, run: Run, page: int) -> History:
    """Read one page of the uploads for a run.

    Scored and rejected files are sorted by time, but never before one that was stored earlier: the clock
    of the server may have stepped back between them.
    """
    places = union_all(
        *(
            select(
                literal(kind).label("kind"),
                table.id,
                func.max(table.arrived_at).over(order_by=table.id).label("no_earlier_than"),
            ).where(table.run_id == run.id)
            for kind, table in (("file", Submission), ("rejection", Rejection))
        )
    ).subquery()
    total = session.scalar(select(func.count()).select_from(places)) or 0
    ordered = select(places.c.kind, places.c.id).order_by(places.c.no_earlier_than.desc(), places.c.id.desc())
    shown = session.execute(ordered.offset((page - 1) * PER_PAGE).limit(PER_PAGE)).all()
    files = _files(session, run, [row.id for row in shown if row.kind == "file"])
    refused = Rejection.id.in_([row.id for row in shown if row.kind == "rejection"])
    query = (
        select(Rejection).where(refused).options(joinedload(Rejection.level), joinedload(Rejection.sender))
    )
    rejections = {rejection.id: HistoryEntry(rejection, None) for rejection in session.scalars(query)}
    kinds: dict[EntryKind, dict[int, HistoryEntry]] = {"file": files, "rejection": rejections}
    return History(tuple(kinds[row.kind][row.id] for row in shown), total, page)


def _files(session: Session, run: Run, ids: list[int]) -> dict[int, HistoryEntry]:
    query = select(Submission).where(Submission.id.in_(ids))
    query = query.options(joinedload(Submission.level), joinedload(Submission.sender))
    counting = set(session.scalars(select(Standing.submission_id).where(Standing.run_id == run.id)))
    withdrawn = standings.withdrawn_ids(session, ids)
    return {
        submission.id: HistoryEntry(
            submission, SubmissionState(submission, submission.id in withdrawn, submission.id in counting)
        )
        for submission in session.scalars(query)
    }


def merge_history(filed: RunState) -> list[HistoryEntry]:
    """Merge the listed uploads of a run, including rejected ones, the newest first."""
    files = [HistoryEntry(file.submission, file) for level in filed.levels for file in level.files]
    rejections = [HistoryEntry(rejection, None) for level in filed.levels for rejection in level.rejections]
    merged = sorted(
        [*_with_times(files), *_with_times(rejections)],
        key=lambda one: (one[0], one[1].row.id),
        reverse=True,
    )
    return [upload for _time, upload in merged]


def _with_times(uploads: list[HistoryEntry]) -> Iterable[tuple[datetime, HistoryEntry]]:
    """Return each upload with its time, or an earlier upload's if the clock stepped back between them."""
    stored = sorted(uploads, key=lambda upload: upload.row.id)
    return zip(accumulate((upload.row.arrived_at for upload in stored), max), stored, strict=True)
