"""What puts the rows of one history back: by what the history calls them, attributed to its people."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy.orm import Session

from server.bundles.models import Attribution, ImportedPerson, Part
from server.bundles.planning import HistoryPlan
from server.bundles.records import GoldKey
from server.gold.models import GoldVersion
from server.phases.models import Phase
from server.runs.models import Run
from server.submissions.models import Submission
from server.tasks.models import Level, Task
from server.teams.models import Team


class RestoredRows:
    """One import: the rows that are back, by what the history calls them."""

    def __init__(self, session: Session, task: Task, phases: dict[str, Phase], plan: HistoryPlan) -> None:
        self.session = session
        self.task = task
        self.phases = phases
        self.plan = plan
        self.history = plan.history
        self.levels: dict[str, Level] = {level.slug: level for level in task.levels}
        self.people: dict[str, ImportedPerson] = {}
        self.golds: dict[GoldKey, GoldVersion] = {}
        self.teams: dict[str, Team] = {}
        self.runs: dict[int, Run] = {}
        self.submissions: dict[int, Submission] = {}

    def add(self, rows: Sequence[object]) -> None:
        """Rows in their order, so that ids grow as they did."""
        self.session.add_all(rows)
        self.session.flush()

    def attribute(self, part: Part, row_id: int, person: str | None, at: datetime | None = None) -> None:
        """Say that a person of the history did something."""
        if person is not None:
            self.session.add(
                Attribution(
                    task_id=self.task.id, part=part, row_id=row_id, person_id=self.people[person].id, at=at
                )
            )
