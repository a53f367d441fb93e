"""Histories: what came before a task was imported, put back row by row."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import cast

from sqlalchemy.orm import Session

from server.domain.feedback import Feedback
from server.domain.probing import FlagCode
from server.domain.standing import Filed, counting
from server.models import (
    Announcement,
    Attribution,
    Extension,
    Flag,
    GoldVersion,
    ImportedPerson,
    Level,
    Phase,
    Refusal,
    Release,
    ReleaseWithdrawal,
    Reminder,
    Run,
    RunWithdrawal,
    Split,
    Standing,
    Submission,
    Task,
    Team,
    TermsVersion,
    Withdrawal,
)
from server.models.histories import Part
from server.models.teams import TeamState
from server.services import scoring, tasks, teams
from server.services.bundles.planning import GoldKey, HistoryPlan
from server.services.bundles.records import (
    GoldRecord,
    ReleaseRecord,
    RunRecord,
    SubmissionRecord,
    TermsRecord,
)
from server.storage import Storage


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
    _Restoring(session, task, phases, plan).restore()


class _Restoring:
    """One import: the rows by what the history calls them."""

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

    def restore(self) -> None:
        self.task.created_at = self.history.created_at
        self._people()
        self._terms()
        self._gold()
        self._teams()
        self._runs()
        self._submissions()
        self._scores()
        self._standings()
        self._withdrawals()
        self._flags()
        self._refusals()
        self._releases()
        self._extensions()
        self._announcements()
        self._reminders()
        self.session.flush()

    def _add(self, rows: Sequence[object]) -> None:
        """Rows in their order, so that ids grow as they did."""
        self.session.add_all(rows)
        self.session.flush()

    def _attribute(self, part: Part, row_id: int, person: str | None, at: datetime | None = None) -> None:
        if person is not None:
            self.session.add(
                Attribution(
                    task_id=self.task.id, part=part, row_id=row_id, person_id=self.people[person].id, at=at
                )
            )

    def _people(self) -> None:
        records = self.history.people
        self.people = {one.id: ImportedPerson(task_id=self.task.id, name=one.name) for one in records}
        self._add(list(self.people.values()))

    def _terms(self) -> None:
        versions = {}
        for record in self.history.terms:
            version = versions[record.number] = self._terms_version(record)
            self.task.terms = version.text or None
        self._add(list(versions.values()))
        for record in self.history.terms:
            self._attribute("terms", versions[record.number].id, record.made_by)
        for one in self.history.acceptances:
            self._attribute("acceptance", versions[one.number].id, one.person, one.accepted_at)

    def _terms_version(self, record: TermsRecord) -> TermsVersion:
        text = "" if record.file is None else self.plan.texts[record.file]
        return TermsVersion(
            task_id=self.task.id, number=record.number, text=text, made_by=None, made_at=record.made_at
        )

    def _gold(self) -> None:
        for record in self.history.gold:
            self.golds[record.level, record.split, record.number] = self._gold_version(record)
        self._add(list(self.golds.values()))
        for record in self.history.gold:
            version = self.golds[record.level, record.split, record.number]
            self._attribute("gold", version.id, record.made_by)

    def _gold_version(self, record: GoldRecord) -> GoldVersion:
        split: Split | None = tasks.find_split(self.levels[record.level], record.split)
        assert split is not None  # noqa: S101  (the plan was checked)
        return GoldVersion(
            split_id=split.id,
            number=record.number,
            sha256=record.sha256,
            reason=record.reason,
            made_by=None,
            made_at=record.made_at,
        )

    def _teams(self) -> None:
        for record in self.history.teams:
            team = teams.add_team(self.session, self.task, record.name, record.created_at)
            team.affiliations, team.reason = record.affiliations, record.reason
            team.state = cast(TeamState, record.state)  # the plan was checked
            self.teams[record.name] = team
            self._attribute("captain", team.id, record.captain)
        for member in self.history.members:
            self._attribute("member", self.teams[member.team].id, member.person, member.joined_at)

    def _runs(self) -> None:
        self.runs = {record.id: self._run(record) for record in self.history.runs}
        self._add(list(self.runs.values()))
        rows = [
            RunWithdrawal(
                run_id=self.runs[one.run].id, withdrawn=one.withdrawn, made_by=None, made_at=one.made_at
            )
            for one in self.history.run_withdrawals
        ]
        self._add(rows)
        for row, one in zip(rows, self.history.run_withdrawals, strict=True):
            self._attribute("run-withdrawal", row.id, one.made_by)

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

    def _submissions(self) -> None:
        records = self.history.submissions
        self.submissions = {record.id: self._submission(record) for record in records}
        self._add(list(self.submissions.values()))
        for record in records:
            self._attribute("submission", self.submissions[record.id].id, record.submitted_by)

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

    def _scores(self) -> None:
        """What each file got against each gold that it met; as old as the younger of the two."""
        for number, found in self.plan.scores.items():
            submission = self.submissions[number]
            for key, results in found:
                version = self.golds[key]
                at = max(submission.arrived_at, version.made_at)
                self.session.add_all(scoring.score_rows(submission, version, results, at))
        self.session.flush()

    def _standings(self) -> None:
        withdrawn = {one.submission: one.withdrawn for one in self.history.withdrawals}
        gone = {self.runs[one.run].id: one.withdrawn for one in self.history.run_withdrawals}
        filed: dict[tuple[int, int], list[Filed]] = defaultdict(list)
        for number, row in self.submissions.items():
            taken_back = withdrawn.get(number, False) or gone.get(row.run_id, False)
            filed[row.run_id, row.level_id].append(Filed(row.id, row.arrived_at, row.late, taken_back))
        for (run_id, level_id), files in filed.items():
            for late in (False, True):
                newest = counting(files, late=late)
                if newest is not None:
                    self.session.add(
                        Standing(run_id=run_id, level_id=level_id, late=late, submission_id=newest)
                    )

    def _withdrawals(self) -> None:
        rows = [
            Withdrawal(
                submission_id=self.submissions[one.submission].id,
                withdrawn=one.withdrawn,
                made_by=None,
                made_at=one.made_at,
            )
            for one in self.history.withdrawals
        ]
        self._add(rows)
        for row, one in zip(rows, self.history.withdrawals, strict=True):
            self._attribute("withdrawal", row.id, one.made_by)

    def _flags(self) -> None:
        self._add(
            [
                Flag(
                    submission_id=self.submissions[one.submission].id,
                    code=cast(FlagCode, one.code),  # the plan was checked
                    words=one.words,
                    other_id=None if one.other is None else self.submissions[one.other].id,
                    made_at=one.made_at,
                )
                for one in self.history.flags
            ]
        )

    def _refusals(self) -> None:
        rows = [
            Refusal(
                run_id=self.runs[one.run].id,
                level_id=self.levels[one.level].id,
                sha256=one.sha256,
                filename=one.filename,
                problems=[asdict(problem) for problem in one.problems],
                count=one.count,
                submitted_by=None,
                arrived_at=one.arrived_at,
            )
            for one in self.history.refusals
        ]
        self._add(rows)
        for row, one in zip(rows, self.history.refusals, strict=True):
            self._attribute("refusal", row.id, one.submitted_by)

    def _releases(self) -> None:
        rows = [self._release(record) for record in self.history.releases]
        self._add(rows)
        for row, one in zip(rows, self.history.releases, strict=True):
            self._attribute("release", row.id, one.made_by)
            if one.withdrawn_at is not None:
                self.session.add(
                    ReleaseWithdrawal(
                        release_id=row.id,
                        reason=one.withdrawn_reason or "",
                        made_by=None,
                        made_at=one.withdrawn_at,
                    )
                )
                self._attribute("unrelease", row.id, one.withdrawn_by)

    def _extensions(self) -> None:
        rows = [
            Extension(
                phase_id=self.phases[one.phase].id,
                team_id=None if one.team is None else self.teams[one.team].id,
                closes=one.closes,
                reason=one.reason,
                made_by=None,
                made_at=one.made_at,
            )
            for one in self.history.extensions
        ]
        self._add(rows)
        for row, one in zip(rows, self.history.extensions, strict=True):
            self._attribute("extension", row.id, one.made_by)

    def _announcements(self) -> None:
        rows = [
            Announcement(
                task_id=self.task.id,
                audience="all" if one.phase is None else "incomplete",
                phase_id=None if one.phase is None else self.phases[one.phase].id,
                title=one.title,
                text=one.text,
                made_by=None,
                made_at=one.made_at,
            )
            for one in self.history.announcements
        ]
        self._add(rows)
        for row, one in zip(rows, self.history.announcements, strict=True):
            self._attribute("announcement", row.id, one.made_by)

    def _reminders(self) -> None:
        self._add(
            [
                Reminder(
                    phase_id=self.phases[one.phase].id,
                    team_id=self.teams[one.team].id,
                    closes=one.closes,
                    hours=one.hours,
                    sent_at=one.sent_at,
                )
                for one in self.history.reminders
            ]
        )

    def _release(self, record: ReleaseRecord) -> Release:
        return Release(
            phase_id=self.phases[record.phase].id,
            number=record.number,
            board=self.plan.texts[record.file],
            sha256=record.sha256,
            feedback=cast(Feedback | None, record.feedback),  # the plan was checked
            made_by=None,
            made_at=record.made_at,
        )
