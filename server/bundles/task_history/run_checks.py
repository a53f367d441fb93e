"""Checks a history's runs and submissions, their withdrawals, flags and rejections."""

from collections import defaultdict
from typing import get_args

from scorer.bundles.bundle import BASELINES
from scorer.errors import ProofError
from scorer.proof.receipts import read_receipt
from scorer.proof.signing import has_valid_signature, read_signed
from server.bundles.task_history.records import SubmissionRecord
from server.bundles.task_history.task_checks import RecordChecker
from server.runs.links import is_link, split_links
from server.submissions.probing import FlagCode
from server.submissions.rules import SubmissionFacts, find_counting_id


class RunChecker(RecordChecker):
    """Runs, submissions, withdrawals, flags, refusals."""

    def check_runs(self) -> None:
        """Runs of teams and phases that are there, each once."""
        runs = self.history.runs
        self.once("runs", [run.id for run in runs])
        self.once("runs", [(run.phase, run.team, run.name) for run in runs])
        self.once("runs", [(run.phase, run.team, run.number) for run in runs])
        for k, run in enumerate(runs):
            self.plain_name(f"runs[{k}].name", run.name)
            if run.phase not in self.phases:
                self.refuse(f"runs[{k}].phase", f'there is no phase "{run.phase}"')
            if run.team not in self.teams:
                self.refuse(f"runs[{k}].team", f'there is no team "{run.team}"')
            if run.baseline is not None and run.baseline not in BASELINES:
                self.refuse(f"runs[{k}].baseline", f'there is no baseline "{run.baseline}"')

            for link in split_links(run.links):
                if not is_link(link):
                    self.refuse(f"runs[{k}].links", "each line is an address that begins with https://")
        primary = [(run.phase, run.team) for run in runs if run.is_primary]
        for phase, team in sorted({key for key in primary if primary.count(key) > 1}):
            self.refuse("runs", f"{team} has two primary runs in {phase}")

    def check_run_withdrawals(self) -> None:
        """Runs that were there, each step a change."""
        state: dict[int, bool] = defaultdict(bool)
        for k, withdrawal in enumerate(self.history.run_withdrawals):
            run = self.runs.get(withdrawal.run)
            if run is None or run.baseline is not None:
                self.refuse(
                    f"run_withdrawals[{k}].run", f"there is no run {withdrawal.run} that can be withdrawn"
                )
            elif withdrawal.made_at < run.created_at:
                self.refuse(f"run_withdrawals[{k}].made_at", "is before the run was added")
            elif withdrawal.withdrawn == state[withdrawal.run]:
                self.refuse(f"run_withdrawals[{k}].withdrawn", "changes nothing")
            state[withdrawal.run] = withdrawal.withdrawn

    def _answers(self, where: str, run: int, level: str) -> bool:
        """Whether a file of a run can be for this level."""
        run_record = self.runs.get(run)
        if run_record is None:
            self.refuse(f"{where}.run", f"there is no run {run}")
        elif level not in self.levels:
            self.refuse(f"{where}.level", f'there is no level "{level}"')
        elif (
            run_record.phase in self.phases
            and self.phases[run_record.phase].split not in self.levels[level].splits
        ):
            self.refuse(f"{where}.level", f"{level} has no items in the phase {run_record.phase}")
        else:
            return run_record.phase in self.phases
        return False

    def check_submissions(self) -> None:
        """Files that are there, in the order in which they were stored, and those that count."""
        before = 0
        for k, submission in enumerate(self.history.submissions):
            if submission.id <= before:
                self.refuse(f"submissions[{k}].id", "ids grow in the order in which files were stored")
            before = submission.id
            self.read(f"submissions[{k}].file", submission.file, submission.sha256)
            self._answers(f"submissions[{k}]", submission.run, submission.level)
            if submission.receipt is not None:
                self._receipt(f"submissions[{k}].receipt", submission, submission.receipt)
        self._counting()

    def _receipt(self, where: str, submission: SubmissionRecord, file: str) -> None:
        """One that its site signed, for this file and no other."""
        data = self.read(where, file, submission.receipt_sha256)
        if data is None:
            return
        try:
            document = read_signed(data, file)
            receipt = read_receipt(document, file)
        except ProofError as error:
            self.refuse(where, str(error))
            return
        receipt_values = receipt.file_sha256, receipt.level, receipt.arrived, receipt.late
        if not has_valid_signature(document):
            self.refuse(where, f'the signature of "{file}" is wrong: it was changed')
        elif receipt_values != (submission.sha256, submission.level, submission.arrived_at, submission.late):
            self.refuse(where, f'"{file}" is the receipt of another file')

    def _counting(self) -> None:
        """What counts by the history is what task.toml names."""
        withdrawn = {withdrawal.submission: withdrawal.withdrawn for withdrawal in self.history.withdrawals}
        gone = {withdrawal.run: withdrawal.withdrawn for withdrawal in self.history.run_withdrawals}
        filed: dict[tuple[int, str], list[SubmissionRecord]] = defaultdict(list)
        for submission in self.history.submissions:
            filed[submission.run, submission.level].append(submission)
        expected: set[tuple[str, str, str, str, bool, str]] = set()
        for (run_id, level), files in filed.items():
            run = self.runs.get(run_id)
            if run is None or run.baseline is not None or gone.get(run_id, False):
                continue
            by_id = {record.id: record for record in files}
            states = [
                SubmissionFacts(record.id, record.late, withdrawn.get(record.id, False)) for record in files
            ]
            for late in (False, True):
                newest = find_counting_id(states, late=late)
                if newest is not None:
                    expected.add((run.phase, run.team, run.name, level, late, by_id[newest].file))
        named = {
            (phase.slug, run.team, run.name, level.slug, late, file)
            for phase in self.bundle.phases
            for run in self.bundle.runs
            for level in self.bundle.levels
            for late in (False, True)
            if self.bundle.belongs(run, phase) and (file := run.file(level.slug, late=late)) is not None
        }
        for phase, team, name, level, late, _file in sorted(expected ^ named):
            what = f"the {'late ' if late else ''}file of {team}, {name} at {level} in {phase}"
            self.refuse("submissions", f"{what} that counts is not the one that task.toml names")
        self._baselines()

    def _baselines(self) -> None:
        in_history = {
            (run.phase, run.team, run.name, run.baseline) for run in self.history.runs if run.baseline
        }
        named = {
            (phase.slug, run.team, run.name, run.baseline)
            for phase in self.bundle.phases
            for run in self.bundle.runs
            if run.baseline is not None and self.bundle.belongs(run, phase)
        }
        for phase, team, name, _baseline in sorted(in_history ^ named):
            self.refuse("runs", f"the baseline {team}, {name} in {phase} is not as task.toml has it")

    def check_withdrawals(self) -> None:
        """Submissions that were there, each step a change."""
        submission_ids = {submission.id for submission in self.history.submissions}
        state: dict[int, bool] = defaultdict(bool)
        for k, withdrawal in enumerate(self.history.withdrawals):
            if withdrawal.submission not in submission_ids:
                self.refuse(f"withdrawals[{k}].submission", f"there is no submission {withdrawal.submission}")
            elif withdrawal.withdrawn == state[withdrawal.submission]:
                self.refuse(f"withdrawals[{k}].withdrawn", "changes nothing")
            state[withdrawal.submission] = withdrawal.withdrawn

    def check_flags(self) -> None:
        """Submissions that are there, each flag once."""
        submission_ids = {submission.id for submission in self.history.submissions}
        self.once("flags", [(flag.submission, flag.code) for flag in self.history.flags])
        for k, flag in enumerate(self.history.flags):
            if flag.submission not in submission_ids or flag.other not in submission_ids | {None}:
                self.refuse(f"flags[{k}]", "there is no such submission")
            if flag.code not in get_args(FlagCode):
                self.refuse(f"flags[{k}].code", f"must be one of {', '.join(get_args(FlagCode))}")

    def check_refusals(self) -> None:
        """Runs and levels that are there."""
        for k, refusal in enumerate(self.history.refusals):
            self._answers(f"refusals[{k}]", refusal.run, refusal.level)
            if refusal.count < len(refusal.problems):
                self.refuse(f"refusals[{k}].count", "is less than the problems that are listed")
