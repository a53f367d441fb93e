"""All runs of a phase as one zip: the submissions that count, all submissions, and two tables of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from sqlalchemy import Row, select
from sqlalchemy.orm import Session

from server.access import service as access
from server.audit import service as audit
from server.core.actors import Actor
from server.core.storage import Storage
from server.core.table_formats import write_table
from server.core.zips import UniqueFilenames
from server.phases.models import Phase
from server.runs import system_table
from server.runs.models import Run
from server.submissions import standings
from server.submissions.models import Standing, Submission
from server.tasks.models import Level
from server.teams.models import Team

SUBMISSION_COLUMNS = (
    "file", "team", "run", "level", "sha256", "bytes", "arrived", "late", "withdrawn", "counts",
    "uploaded_as",
)  # fmt: skip
_SUFFIXES = (".tsv", ".csv", ".txt")


@dataclass(frozen=True, slots=True)
class RunArchive:
    """The files of a zip by name, each with its contents or the SHA-256 of its contents in the store."""

    name: str
    tables: dict[str, bytes]
    stored: dict[str, str]

    def readers(self, storage: Storage) -> list[tuple[str, Callable[[], bytes]]]:
        """Return each file with the function that reads it."""
        tables = [(name, partial(bytes, text)) for name, text in self.tables.items()]
        return [*tables, *((name, partial(storage.get, sha256)) for name, sha256 in self.stored.items())]


def collect_runs(session: Session, actor: Actor, phase: Phase) -> RunArchive:
    """Collect all submissions of a phase, in a constant number of queries.

    Raises:
        Forbidden, NotFound: `actor` may not see all of the task.
    """
    access.require_observer(session, actor, phase.task)
    names, stored, rows = _ArchivePaths(), {}, []
    counting = _counting(session, phase)
    for row in session.execute(_submissions_query(phase)):
        path = f"all/{names.path(row, dated=True)}"
        stored[path] = row.sha256
        if row.id in counting:
            stored[f"counting/{names.path(row, dated=False)}"] = row.sha256
        rows.append(_submission_row(path, row, counts=row.id in counting))
    head, cells = system_table.make_system_table(
        system_table.list_systems(session, actor, phase), with_members=False
    )
    tables = {
        "systems.tsv": write_table("tsv", head, cells).encode(),
        "submissions.tsv": write_table("tsv", SUBMISSION_COLUMNS, rows).encode(),
    }
    return RunArchive(f"{phase.task.slug}-{phase.slug}-runs", tables, stored)


def record_archive(session: Session, actor: Actor, phase: Phase, archive: RunArchive, now: datetime) -> None:
    """Record in the audit log who downloaded the runs.

    Raises:
        Forbidden, NotFound: `actor` may not see all of the task.
    """
    access.require_observer(session, actor, phase.task)
    files = len(archive.stored)
    audit.record(session, actor, now, "runs.download", phase.task_id, phase=phase.slug, files=files)


def _submissions_query(phase: Phase) -> Any:
    return (
        select(
            Submission.id,
            Submission.sha256,
            Submission.size,
            Submission.filename,
            Submission.late,
            Submission.arrived_at,
            Submission.run_id,
            Run.name.label("run"),
            Run.team_id,
            Team.name.label("team"),
            Level.slug.label("level"),
            standings.WITHDRAWN.label("withdrawn"),
            standings.RUN_WITHDRAWN.label("run_withdrawn"),
        )
        .join(Run, Run.id == Submission.run_id)
        .join(Team, Team.id == Run.team_id)
        .join(Level, Level.id == Submission.level_id)
        .where(Run.phase_id == phase.id, Run.baseline.is_(None))
        .order_by(Submission.id)
    )


def _counting(session: Session, phase: Phase) -> set[int]:
    return set(session.scalars(select(Standing.submission_id).join(Run).where(Run.phase_id == phase.id)))


class _ArchivePaths:
    """Safe paths: TEAM/RUN/LEVEL.tsv, with the time of arrival in the folder of all submissions."""

    def __init__(self) -> None:
        self.names = UniqueFilenames()

    def path(self, row: Row[Any], *, dated: bool) -> str:
        """Return the path of a file; teams, runs or files with similar names get different paths."""
        team = self.names.give("", row.team_id, row.team)
        folder = f"{team}/{self.names.give(team, row.run_id, row.run)}"
        suffix = PurePosixPath(row.filename).suffix.lower()
        name = f"{row.level}.late" if row.late else row.level
        if dated:
            name += f".{row.arrived_at:%Y%m%dT%H%M%S.%fZ}"
        return f"{folder}/{self.names.give(f'{folder} {dated}', row.id, name)}" + (
            suffix if suffix in _SUFFIXES else ".tsv"
        )


def _submission_row(path: str, row: Row[Any], *, counts: bool) -> Sequence[str]:
    arrived = row.arrived_at.isoformat(timespec="microseconds").replace("+00:00", "Z")
    late, gone, counting = (
        "yes" if flag else "no" for flag in (row.late, row.withdrawn or row.run_withdrawn, counts)
    )
    if counts and row.late:
        counting = "late"  # in a folder of its own, beside the one on time
    return [
        path,
        row.team,
        row.run,
        row.level,
        row.sha256,
        str(row.size),
        arrived,
        late,
        gone,
        counting,
        row.filename,
    ]
