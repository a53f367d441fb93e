"""What My runs shows of a run: values and nothing else, by which a page knows how it wrote them before."""

from collections.abc import Sequence
from typing import NamedTuple

from server.domain.quota import Left
from server.models import Run, Task
from server.services.runs import CountingFile, NamedLevel, RunState
from server.services.tasks import PhaseView
from server.views import times, words


class LevelLine(NamedTuple):
    """A level of a run: what counts, and how many files may still come."""

    slug: str
    title: str
    on_time: CountingFile | None
    late: CountingFile | None
    left: Left


class RunCard(NamedTuple):
    """A run, and all that its card depends on."""

    task: str
    state: str
    """Of the phase."""
    zone: str | None
    """In which times are told beside UTC."""
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
    """The level that is to be sent before all others of the team."""
    came: int
    refused: int
    levels: tuple[LevelLine, ...]


def list_cards(
    task: Task, view: PhaseView, own: Sequence[RunState], missing: tuple[Run, NamedLevel] | None
) -> list[RunCard]:
    """The cards of a team's runs in a phase."""
    slug, zone = task.slug, times.zone_name()
    first, level = (None, None) if missing is None else (missing[0].id, missing[1].slug)
    named = [(at.level.slug, at.level.title) for at in own[0].levels] if own else []
    return [
        RunCard(
            task=slug,
            state=view.state,
            zone=zone,
            id=(run := filed.run).id,
            number=run.number,
            name=run.name,
            description=run.description,
            described=words.described(run),
            is_primary=run.is_primary,
            withdrawn=filed.withdrawn,
            is_first=place == 0,
            is_last=place == len(own) - 1,
            missing=level if run.id == first else None,
            came=sum(at.came for at in filed.levels),
            refused=filed.refused,
            levels=tuple(
                LevelLine(*name, at.on_time, at.late, at.left)
                for at, name in zip(filed.levels, named, strict=True)
            ),
        )
        for place, filed in enumerate(own)
    ]
