"""The cards of runs on the page My runs."""

from collections.abc import Sequence
from dataclasses import dataclass

from server.access.tasks import PhaseView
from server.runs import links
from server.runs.models import Run
from server.runs.service import LevelState, RunState
from server.tasks.models import Level, Task


@dataclass(frozen=True, slots=True)
class RunCard:
    """What the card of a run shows."""

    task: str
    state: str
    """The state of the phase."""
    id: int
    number: int
    name: str
    description: str
    described: bool
    is_primary: bool
    withdrawn: bool
    is_first: bool
    is_last: bool
    missing: str | None
    """The level to upload first, if it belongs to this run."""
    scored: int
    refused: int
    levels: tuple[LevelState, ...]


def list_cards(
    task: Task, view: PhaseView, own: Sequence[RunState], missing: tuple[Run, Level] | None
) -> list[RunCard]:
    """List the cards of a team's runs in a phase."""
    first, level = (None, None) if missing is None else (missing[0].id, missing[1].slug)
    return [
        RunCard(
            task=task.slug,
            state=view.state,
            id=(run := filed.run).id,
            number=run.number,
            name=run.name,
            description=run.description,
            described=links.has_paper_details(run),
            is_primary=run.is_primary,
            withdrawn=filed.withdrawn,
            is_first=place == 0,
            is_last=place == len(own) - 1,
            missing=level if run.id == first else None,
            scored=sum(at.scored for at in filed.levels),
            refused=filed.refused,
            levels=tuple(filed.levels),
        )
        for place, filed in enumerate(own)
    ]
