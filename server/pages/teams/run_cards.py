"""The runs of a team on the page "My runs": a card for each, with a line for each level."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from markupsafe import Markup

from server.access.tasks import PhaseView
from server.phases.feedback import ShownScore
from server.phases.quotas import FilesLeft
from server.phases.rules import PhaseState
from server.releases.placements import LiveRank
from server.runs import links
from server.runs.completeness import MissingFile
from server.runs.service import CountingFile, LevelState, RunState
from server.submissions.models import Rejection
from server.web import fragments


@dataclass(frozen=True, slots=True)
class UploadLine:
    """A submission that counts, or a rejected upload."""

    id: int
    filename: str
    sha256: str
    arrived_at: datetime
    sender: str | None
    problems: int
    """The number of warnings, or of what was wrong."""
    score: ShownScore | None = None
    rank: LiveRank | None = None


@dataclass(frozen=True, slots=True)
class LevelLine:
    """A run at one level."""

    slug: str
    title: str
    on_time: UploadLine | None
    late: UploadLine | None
    rejection: UploadLine | None
    left: FilesLeft


@dataclass(frozen=True, slots=True)
class RunCard:
    """All that the card of a run shows."""

    task: str
    phase: str
    state: PhaseState
    id: int
    name: str
    number: int
    description: str
    is_primary: bool
    is_described: bool
    is_withdrawn: bool
    is_first: bool
    is_last: bool
    missing: str | None
    """The level to upload first, if it is one of this run."""
    submissions: int
    rejections: int
    levels: tuple[LevelLine, ...]


def render_run_cards(
    task: str,
    view: PhaseView,
    runs: Sequence[RunState],
    scores: Mapping[int, ShownScore],
    ranks: Mapping[int, LiveRank],
    first_missing: MissingFile | None,
) -> list[Markup]:
    """Render the runs of a team in a phase; `scores` and `ranks` are by the ids of submissions."""
    return [
        fragments.render_fragment(
            "teams/_run.html",
            RunCard(
                task=task,
                phase=view.phase.slug,
                state=view.state,
                id=filed.run.id,
                name=filed.run.name,
                number=filed.run.number,
                description=filed.run.description,
                is_primary=filed.run.is_primary,
                is_described=links.has_paper_details(filed.run),
                is_withdrawn=filed.withdrawn,
                is_first=filed is runs[0],
                is_last=filed is runs[-1],
                missing=first_missing.level.slug
                if first_missing and first_missing.run is filed.run
                else None,
                submissions=sum(at.scored for at in filed.levels),
                rejections=filed.refused,
                levels=tuple(_level_line(at, scores, ranks) for at in filed.levels),
            ),
        )
        for filed in runs
    ]


def _level_line(at: LevelState, scores: Mapping[int, ShownScore], ranks: Mapping[int, LiveRank]) -> LevelLine:
    on_time, late = (
        None if file is None else _file_line(file, scores.get(file.id), ranks.get(file.id))
        for file in (at.on_time, at.late)
    )
    refused = at.last_rejection
    rejection = None if refused is None else _rejection_line(refused)
    return LevelLine(at.level.slug, at.level.title, on_time, late, rejection, at.left)


def _file_line(file: CountingFile, score: ShownScore | None, rank: LiveRank | None) -> UploadLine:
    return UploadLine(
        file.id, file.filename, file.sha256, file.arrived_at, file.sender, file.warnings, score, rank
    )


def _rejection_line(refused: Rejection) -> UploadLine:
    sender = refused.sender.name if refused.sender else None
    return UploadLine(refused.id, refused.filename, refused.sha256, refused.arrived_at, sender, refused.count)
