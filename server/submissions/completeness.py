"""What counts of a team's runs in a phase, and what is missing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from server.access.tasks import PhaseView
from server.runs.models import Run
from server.submissions.runs import RunState
from server.tasks.models import Level


@dataclass(frozen=True, slots=True)
class Outlook:
    """Of so many levels of runs that are not withdrawn, those without a file that counts."""

    of: int
    missing: tuple[tuple[Run, Level], ...]

    @property
    def counting(self) -> int:
        """How many have one."""
        return self.of - len(self.missing)


def look_ahead(view: PhaseView, own: Sequence[RunState]) -> Outlook:
    """What a team's runs have in a phase: on time, or in the grace late too."""
    late = view.state == "grace"
    kept = [(filed.run, level) for filed in own if not filed.withdrawn for level in filed.levels]
    missing = [(run, at.level) for run, at in kept if not (at.on_time or (late and at.late))]
    return Outlook(len(kept), tuple(missing))


def first_missing(views: Sequence[PhaseView], outlooks: Mapping[int, Outlook]) -> tuple[Run, Level] | None:
    """The run and the level that is to be sent first: of the phases that are open."""
    found = [pair for view in views if view.state == "open" for pair in outlooks[view.phase.id].missing]
    return found[0] if found else None
