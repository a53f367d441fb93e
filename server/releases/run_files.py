"""The run files that are published with a release, under the names that the release shows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row, select
from sqlalchemy.orm import Session

from server.boards.service import RunNames
from server.core.zips import UniqueFilenames
from server.phases.models import Phase
from server.runs.models import Run
from server.submissions.models import Standing, Submission
from server.tasks.models import Level
from server.teams.models import Team


@dataclass(frozen=True, slots=True)
class ReleasedFile:
    """A file as the public may see it: with the names that the release shows now."""

    team: str
    run: str
    level: str
    late: bool
    baseline: bool
    sha256: str
    size: int
    path: str
    """TEAM/RUN/LEVEL.tsv, safe and unique on all file systems."""


def list_files(
    session: Session, phase: Phase, names: RunNames | None, *, baselines: bool
) -> list[dict[str, Any]] | None:
    """Return the files that count, as a release stores them; None: the phase does not publish them.

    With `names` (of an anonymous release) the true names are under "named", for when they are revealed.
    """
    if not phase.runs_public:
        return None
    rows = [row for row in session.execute(_select_counted_files(phase)) if baselines or row.baseline is None]
    named = _public_records(phase, rows, {})
    if names is None:
        return list(named.values())
    name_keys = ("team", "run", "path")
    return [
        values | {"named": {key: named[submission_id][key] for key in name_keys}}
        for submission_id, values in _public_records(phase, rows, names).items()
    ]


def read_files(files: Sequence[Mapping[str, Any]] | None, *, named: bool) -> list[ReleasedFile] | None:
    """Return the files of a release with the names that it shows, or (`named`) the true ones."""
    if files is None:
        return None
    shown = [{**file, **(file.get("named", {}) if named else {})} for file in files]
    released = [
        ReleasedFile(**{name: file[name] for name in ReleasedFile.__dataclass_fields__}) for file in shown
    ]
    return sorted(released, key=lambda file: file.path.casefold())


def _select_counted_files(phase: Phase) -> Any:
    return (
        select(
            Submission.id,
            Submission.sha256,
            Submission.size,
            Standing.late,
            Run.id.label("run_id"),
            Run.team_id,
            Run.name.label("run"),
            Run.baseline,
            Team.name.label("team"),
            Level.slug.label("level"),
            Level.position,
        )
        .join(Standing, Standing.submission_id == Submission.id)
        .join(Run, Run.id == Standing.run_id)
        .join(Team, Team.id == Run.team_id)
        .join(Level, Level.id == Standing.level_id)
        .where(Run.phase_id == phase.id)
    )


def _public_records(phase: Phase, rows: Sequence[Row[Any]], names: RunNames) -> dict[int, dict[str, Any]]:
    """Return each file with the names to show, in their order, so that the order reveals nothing."""
    called = [(*names.get(row.run_id, (row.team, row.run)), row) for row in rows]
    called.sort(
        key=lambda entry: (
            entry[0].casefold(),
            entry[1].casefold(),
            *entry[:2],
            entry[2].position,
            entry[2].late,
        )
    )
    plain, files = UniqueFilenames(), {}
    delimiter = (phase.task.keyed or {}).get("delimiter")
    for team, run, row in called:
        folder = plain.give("", row.team_id, team)
        folder = f"{folder}/{plain.give(folder, row.run_id, run)}"
        ending = "csv" if delimiter == "comma" and row.baseline is None else "tsv"
        files[row.id] = {
            "team": team,
            "run": run,
            "level": row.level,
            "late": row.late,
            "baseline": row.baseline is not None,
            "sha256": row.sha256,
            "size": row.size,
            "path": f"{folder}/{row.level}{'.late' if row.late else ''}.{ending}",
            "submission": row.id,
        }
    return files
