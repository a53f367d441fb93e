"""Exports a task's runs and submissions, their withdrawals, flags and rejections as records."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session, joinedload

from server.bundles.export_files import ExportFiles
from server.bundles.export_people import ExportPeople
from server.bundles.task_history.records import (
    FlagRecord,
    ProblemLineRecord,
    ProblemRecord,
    RefusalRecord,
    RunRecord,
    RunWithdrawalRecord,
    SubmissionRecord,
    WithdrawalRecord,
)
from server.bundles.task_history.task_export import RecordExporter
from server.gold.models import GoldVersion
from server.phases.models import Phase
from server.releases.seals import text_sha256
from server.runs.models import Run, RunWithdrawal
from server.scoring.models import Score
from server.submissions.models import Flag, Receipt, Refusal, Standing, Submission, Withdrawal
from server.tasks.models import Level, Split, Task


@dataclass(frozen=True, slots=True)
class CountingRun:
    """A run with the files that count, by level: on time, and late."""

    run: Run
    files: dict[str, str]
    late_files: dict[str, str]


class RunExporter(RecordExporter):
    """Runs, submissions, withdrawals, flags, refusals."""

    def __init__(self, session: Session, task: Task, files: ExportFiles, people: ExportPeople) -> None:
        super().__init__(session, task, files, people)
        self.counting_files: dict[int, str] = {}

    def of_runs(self, table: Any, order: Any) -> list[Any]:
        """The rows of the task's runs: submissions, or refusals."""
        return self.all(
            select(table)
            .join(Run)
            .join(Phase)
            .where(Phase.task_id == self.task.id)
            .options(joinedload(table.level))
            .order_by(order)
        )

    def counting(self, runs: Sequence[Run], submissions: Sequence[Submission]) -> dict[int, CountingRun]:
        """Each run with the names of the files that count; a baseline's are computed."""
        counting = {run.id: CountingRun(run, {}, {}) for run in runs}
        query = select(Standing.submission_id).join(Run).join(Phase).where(Phase.task_id == self.task.id)
        ids = set(self.session.scalars(query))
        for submission in submissions:
            counting_run = counting[submission.run_id]
            if submission.id in ids and counting_run.run.baseline is None:
                files = counting_run.late_files if submission.late else counting_run.files
                file = self.files.counting(counting_run.run, submission)
                files[submission.level.slug] = self.counting_files[submission.id] = file
        return counting

    def run(self, run: Run, number: int) -> RunRecord:
        """One run."""
        return RunRecord(
            id=number,
            phase=run.phase.slug,
            team=run.team.name,
            name=run.name,
            number=run.number,
            created_at=run.created_at,
            description=run.description,
            baseline=run.baseline,
            method=run.method,
            resources=run.resources,
            links=run.links,
            authors=run.authors,
            is_primary=run.is_primary,
            position=None if run.position == run.number else run.position,
        )

    def run_withdrawals(self, numbers: dict[int, int]) -> list[RunWithdrawalRecord]:
        """Runs taken back, or put forward again."""
        query = select(RunWithdrawal).join(Run).join(Phase).where(Phase.task_id == self.task.id)
        return [
            RunWithdrawalRecord(
                run=numbers[withdrawal.run_id],
                withdrawn=withdrawal.withdrawn,
                made_at=withdrawal.made_at,
                made_by=self.people.who("run-withdrawal", withdrawal.id, withdrawal.made_by),
            )
            for withdrawal in self.all(query.order_by(RunWithdrawal.id))
        ]

    def submissions(
        self, submissions: Sequence[Submission], numbers: dict[int, int]
    ) -> list[SubmissionRecord]:
        """Every scored file, the first that came first."""
        golds, receipts = self._golds(), self._receipts()
        return [
            SubmissionRecord(
                id=number,
                run=numbers[submission.run_id],
                level=submission.level.slug,
                file=self.counting_files.get(submission.id) or self.files.other(submission.sha256),
                sha256=submission.sha256,
                filename=submission.filename,
                late=submission.late,
                arrived_at=submission.arrived_at,
                warnings=submission.warnings,
                submitted_by=self.people.who("submission", submission.id, submission.submitted_by),
                golds=golds[submission.id],
                receipt=self._receipt(number, receipts.get(submission.id)),
                receipt_sha256=None
                if submission.id not in receipts
                else text_sha256(receipts[submission.id]),
            )
            for number, submission in enumerate(submissions, start=1)
        ]

    def _receipts(self) -> dict[int, str]:
        """The receipts, by the ids of their submissions."""
        query = select(Receipt.submission_id, Receipt.text).join(Submission).join(Run).join(Phase)
        rows = self.session.execute(query.where(Phase.task_id == self.task.id))
        return {submission_id: text for submission_id, text in rows}  # noqa: C416  (rows, not pairs)

    def _receipt(self, number: int, text: str | None) -> str | None:
        return None if text is None else self.files.receipt(number, text)

    def _golds(self) -> dict[int, list[int]]:
        """The numbers of the gold versions that each submission was scored against."""
        query = (
            select(Score.submission_id, GoldVersion.number)
            .join(GoldVersion, GoldVersion.id == Score.gold_version_id)
            .join(Split)
            .join(Level)
            .where(Level.task_id == self.task.id)
            .distinct()
            .order_by(Score.submission_id, GoldVersion.number)
        )
        golds: dict[int, list[int]] = defaultdict(list)
        for submission_id, number in self.session.execute(query):
            golds[submission_id].append(number)
        return golds

    def withdrawals(self, submissions: Sequence[Submission]) -> list[WithdrawalRecord]:
        """Files taken back, or put forward again."""
        numbers = {submission.id: number for number, submission in enumerate(submissions, start=1)}
        query = select(Withdrawal).join(Submission).join(Run).join(Phase).where(Phase.task_id == self.task.id)
        return [
            WithdrawalRecord(
                submission=numbers[withdrawal.submission_id],
                withdrawn=withdrawal.withdrawn,
                made_at=withdrawal.made_at,
                made_by=self.people.who("withdrawal", withdrawal.id, withdrawal.made_by),
            )
            for withdrawal in self.all(query.order_by(Withdrawal.id))
        ]

    def flags(self, submissions: Sequence[Submission]) -> list[FlagRecord]:
        """What looked like probing."""
        numbers = {submission.id: number for number, submission in enumerate(submissions, start=1)}
        query = select(Flag).join(Submission, Flag.submission_id == Submission.id).join(Run).join(Phase)
        query = query.where(Phase.task_id == self.task.id)
        return [
            FlagRecord(
                submission=numbers[flag.submission_id],
                code=flag.code,
                words=flag.words,
                made_at=flag.made_at,
                other=None if flag.other_id is None else numbers[flag.other_id],
            )
            for flag in self.all(query.order_by(Flag.submission_id, Flag.code))
        ]

    def refusals(self, numbers: dict[int, int]) -> list[RefusalRecord]:
        """Every refused file."""
        return [
            RefusalRecord(
                run=numbers[refusal.run_id],
                level=refusal.level.slug,
                sha256=refusal.sha256,
                filename=refusal.filename,
                count=refusal.count,
                arrived_at=refusal.arrived_at,
                problems=[_problem_record(problem) for problem in refusal.problems],
                submitted_by=self.people.who("refusal", refusal.id, refusal.submitted_by),
            )
            for refusal in self.of_runs(Refusal, Refusal.id)
        ]


def _problem_record(problem: dict[str, Any]) -> ProblemRecord:
    """A problem of a refused file as it was stored; what an older version stored has no other lines."""
    others = [ProblemLineRecord(**line) for line in problem.get("others", ())]
    return ProblemRecord(**{**problem, "others": others})
