"""Restores a history's runs, submissions, scores and standings, withdrawals, flags and rejections."""

from collections import defaultdict
from dataclasses import asdict
from typing import cast

from server.bundles.task_history.records import RunRecord, SubmissionRecord
from server.bundles.task_history.task_restore import RecordRestorer
from server.runs.models import Run, RunWithdrawal
from server.scoring import service as scoring
from server.submissions.models import Flag, Receipt, Refusal, Standing, Submission, Withdrawal
from server.submissions.probing import FlagCode
from server.submissions.rules import SubmissionFacts, find_counting_id


class RunRestorer(RecordRestorer):
    """Runs, submissions, scores, standings, withdrawals, flags, refusals."""

    def restore_runs(self) -> None:
        """The runs, and what became of them."""
        self.runs = {record.id: self._run(record) for record in self.history.runs}
        self.add(list(self.runs.values()))
        rows = [
            RunWithdrawal(
                run_id=self.runs[withdrawal.run].id,
                withdrawn=withdrawal.withdrawn,
                made_by=None,
                made_at=withdrawal.made_at,
            )
            for withdrawal in self.history.run_withdrawals
        ]
        self.add(rows)
        for row, withdrawal in zip(rows, self.history.run_withdrawals, strict=True):
            self.attribute("run-withdrawal", row.id, withdrawal.made_by)

    def _run(self, record: RunRecord) -> Run:
        return Run(
            team_id=self.teams[record.team].id,
            phase_id=self.phases[record.phase].id,
            number=record.number,
            name=record.name,
            description=record.description,
            method=record.method,
            resources=record.resources,
            links=record.links,
            authors=record.authors,
            is_primary=record.is_primary,
            position=record.number if record.position is None else record.position,
            baseline=record.baseline,
            created_at=record.created_at,
        )

    def restore_submissions(self) -> None:
        """Every scored file, with the receipt that its site gave for it."""
        records = self.history.submissions
        self.submissions = {record.id: self._submission(record) for record in records}
        self.add(list(self.submissions.values()))
        for record in records:
            self.attribute("submission", self.submissions[record.id].id, record.submitted_by)
            if record.receipt is not None:
                text = self.plan.texts[record.receipt]
                self.session.add(Receipt(submission_id=self.submissions[record.id].id, text=text))

    def _submission(self, record: SubmissionRecord) -> Submission:
        return Submission(
            run_id=self.runs[record.run].id,
            level_id=self.levels[record.level].id,
            sha256=record.sha256,
            size=self.plan.files[record.sha256].stat().st_size,
            filename=record.filename,
            warnings=record.warnings,
            late=record.late,
            submitted_by=None,
            arrived_at=record.arrived_at,
        )

    def restore_scores(self) -> None:
        """What each file got against each gold that it met; as old as the younger of the two."""
        for number, scores in self.plan.scores.items():
            submission = self.submissions[number]
            for key, results in scores:
                version = self.golds[key]
                at = max(submission.arrived_at, version.made_at)
                scoring.add_scores(self.session, version, {submission.id: results}, at)

    def restore_standings(self) -> None:
        """What counts, derived anew."""
        withdrawn = {withdrawal.submission: withdrawal.withdrawn for withdrawal in self.history.withdrawals}
        gone = {
            self.runs[withdrawal.run].id: withdrawal.withdrawn for withdrawal in self.history.run_withdrawals
        }
        filed: dict[tuple[int, int], list[SubmissionFacts]] = defaultdict(list)
        for number, row in self.submissions.items():
            taken_back = withdrawn.get(number, False) or gone.get(row.run_id, False)
            filed[row.run_id, row.level_id].append(SubmissionFacts(row.id, row.late, taken_back))
        for (run_id, level_id), files in filed.items():
            for late in (False, True):
                newest = find_counting_id(files, late=late)
                if newest is not None:
                    self.session.add(
                        Standing(run_id=run_id, level_id=level_id, late=late, submission_id=newest)
                    )

    def restore_withdrawals(self) -> None:
        """Files taken back, or put forward again."""
        rows = [
            Withdrawal(
                submission_id=self.submissions[withdrawal.submission].id,
                withdrawn=withdrawal.withdrawn,
                made_by=None,
                made_at=withdrawal.made_at,
            )
            for withdrawal in self.history.withdrawals
        ]
        self.add(rows)
        for row, withdrawal in zip(rows, self.history.withdrawals, strict=True):
            self.attribute("withdrawal", row.id, withdrawal.made_by)

    def restore_flags(self) -> None:
        """What looked like probing."""
        self.add(
            [
                Flag(
                    submission_id=self.submissions[flag.submission].id,
                    code=cast(FlagCode, flag.code),  # the plan was checked
                    words=flag.words,
                    other_id=None if flag.other is None else self.submissions[flag.other].id,
                    made_at=flag.made_at,
                )
                for flag in self.history.flags
            ]
        )

    def restore_refusals(self) -> None:
        """Every refused file."""
        rows = [
            Refusal(
                run_id=self.runs[refusal.run].id,
                level_id=self.levels[refusal.level].id,
                sha256=refusal.sha256,
                filename=refusal.filename,
                problems=[asdict(problem) for problem in refusal.problems],
                count=refusal.count,
                submitted_by=None,
                arrived_at=refusal.arrived_at,
            )
            for refusal in self.history.refusals
        ]
        self.add(rows)
        for row, refusal in zip(rows, self.history.refusals, strict=True):
            self.attribute("refusal", row.id, refusal.submitted_by)
