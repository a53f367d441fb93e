"""Collects what an export says of a task's history, and the files that it names."""

from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session, joinedload

from server.access import terms
from server.bundles.export_files import ExportFiles
from server.bundles.export_people import ExportPeople
from server.bundles.task_history.records import TaskHistory
from server.bundles.task_history.release_export import ReleaseExporter
from server.bundles.task_history.run_export import CountingRun, RunExporter
from server.bundles.task_history.task_export import TaskExporter
from server.phases.models import Phase
from server.runs.models import Run
from server.submissions.models import Submission
from server.tasks.models import Task
from server.teams.models import Team


@dataclass(frozen=True, slots=True)
class CollectedHistory:
    """The history, and what `task.toml` says of runs and gold."""

    history: TaskHistory
    runs: tuple[CountingRun, ...]
    gold: dict[int, str]
    """The file of the gold in force, by split."""


def collect_history(
    session: Session, task: Task, files: ExportFiles, *, with_names: bool
) -> CollectedHistory:
    """Everything, in the order in which it came, so that the same task gives the same bytes."""
    people = ExportPeople(session, task)
    of_task = TaskExporter(session, task, files, people)
    of_releases = ReleaseExporter(session, task, files, people)
    of_runs = RunExporter(session, task, files, people)
    versions = terms.list_versions(session, task)
    teams = of_task.all(select(Team).where(Team.task_id == task.id).order_by(Team.id))
    runs = of_runs.all(
        select(Run)
        .join(Phase)
        .where(Phase.task_id == task.id)
        .options(joinedload(Run.team), joinedload(Run.phase))
        .order_by(Run.id)
    )
    numbers = {run.id: number for number, run in enumerate(runs, start=1)}
    submissions = of_runs.of_runs(Submission, Submission.id)
    counting = of_runs.counting(runs, submissions)
    history = TaskHistory(
        created_at=task.created_at,
        terms=of_task.terms(versions),
        acceptances=of_task.acceptances(versions),
        gold=of_task.gold(),
        gold_events=of_task.gold_events(),
        teams=[of_task.team(team) for team in teams],
        members=of_task.members(teams),
        runs=[of_runs.run(run, numbers[run.id]) for run in runs],
        run_withdrawals=of_runs.run_withdrawals(numbers),
        submissions=of_runs.submissions(submissions, numbers),
        withdrawals=of_runs.withdrawals(submissions),
        flags=of_runs.flags(submissions),
        refusals=of_runs.refusals(numbers),
        releases=of_releases.releases(submissions),
        pseudonyms=of_releases.pseudonyms(),
        extensions=of_task.extensions(),
        announcements=of_task.announcements(),
        reminders=of_task.reminders(),
    )
    history.people.extend(people.records(session, with_names=with_names))
    return CollectedHistory(history, tuple(counting.values()), of_task.gold_files)
