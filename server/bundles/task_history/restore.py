"""Restores the history of an imported task, row by row."""

from sqlalchemy.orm import Session

from server.bundles.task_history.plan import HistoryPlan
from server.bundles.task_history.release_restore import ReleaseRestorer
from server.bundles.task_history.run_restore import RunRestorer
from server.bundles.task_history.task_restore import TaskRestorer
from server.core.storage import Storage
from server.phases.models import Phase
from server.tasks.models import Task


def keep_files(storage: Storage, plan: HistoryPlan) -> None:
    """Put the files into the store that it lacks: best before the write lock is taken."""
    for sha256, path in plan.files.items():
        if not storage.renew(sha256):
            storage.put(path.read_bytes())


def restore_history(
    session: Session, storage: Storage, task: Task, phases: dict[str, Phase], plan: HistoryPlan
) -> None:
    """Put everything back as it was. People are no accounts here: what they did stays attributed to them."""
    keep_files(storage, plan)
    _HistoryRestorer(session, task, phases, plan).restore()


class _HistoryRestorer(TaskRestorer, RunRestorer, ReleaseRestorer):
    """One import, from its people to its reminders."""

    def restore(self) -> None:
        self.task.created_at = self.history.created_at
        self.restore_people()
        self.restore_terms()
        self.restore_gold()
        self.restore_teams()
        self.restore_runs()
        self.restore_submissions()
        self.restore_scores()
        self.restore_standings()
        self.restore_withdrawals()
        self.restore_flags()
        self.restore_refusals()
        self.restore_releases()
        self.restore_pseudonyms()
        self.restore_extensions()
        self.restore_announcements()
        self.restore_reminders()
        self.session.flush()
        self.restore_inputs()
        self.session.flush()
