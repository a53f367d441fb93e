"""What of a task goes into `history.json`, and the names of the files there and in `task.toml`."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, select
from sqlalchemy.orm import Session, joinedload

from server.models import (
    Announcement,
    Extension,
    Flag,
    GoldVersion,
    Level,
    Membership,
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
    TermsAcceptance,
    TermsVersion,
    Withdrawal,
)
from server.services import terms
from server.services.bundles.files import ExportFiles
from server.services.bundles.people import ExportPeople
from server.services.bundles.records import (
    AcceptanceRecord,
    AnnouncementRecord,
    ExtensionRecord,
    FlagRecord,
    GoldRecord,
    History,
    MemberRecord,
    ProblemRecord,
    RefusalRecord,
    ReleaseRecord,
    ReminderRecord,
    RunRecord,
    RunWithdrawalRecord,
    SubmissionRecord,
    TeamRecord,
    TermsRecord,
    WithdrawalRecord,
)


@dataclass(frozen=True, slots=True)
class CountingRun:
    """A run with the files that count, by level: on time, and late."""

    run: Run
    files: dict[str, str]
    late_files: dict[str, str]


@dataclass(frozen=True, slots=True)
class Collected:
    """The history, and what `task.toml` says of runs and gold."""

    history: History
    runs: tuple[CountingRun, ...]
    gold: dict[int, str]
    """The file of the gold in force, by split."""


def collect(session: Session, task: Task, files: ExportFiles, *, with_names: bool) -> Collected:
    """Everything, in the order in which it came, so that the same task gives the same bytes."""
    return _Collector(session, task, files).collect(with_names=with_names)


class _Collector:
    """One export: each part is one query, and one record a row."""

    def __init__(self, session: Session, task: Task, files: ExportFiles) -> None:
        self.session = session
        self.task = task
        self.files = files
        self.people = ExportPeople(session, task)
        self.gold_files: dict[int, str] = {}
        self.counting_files: dict[int, str] = {}

    def collect(self, *, with_names: bool) -> Collected:
        versions = terms.list_versions(self.session, self.task)
        teams = self._all(select(Team).where(Team.task_id == self.task.id).order_by(Team.id))
        runs = self._all(
            select(Run)
            .join(Phase)
            .where(Phase.task_id == self.task.id)
            .options(joinedload(Run.team), joinedload(Run.phase))
            .order_by(Run.id)
        )
        numbers = {run.id: number for number, run in enumerate(runs, start=1)}
        submissions = self._of_runs(Submission, Submission.id)
        counting = self._counting(runs, submissions)
        history = History(
            created_at=self.task.created_at,
            terms=self._terms(versions),
            acceptances=self._acceptances(versions),
            gold=self._gold(),
            teams=[self._team(team) for team in teams],
            members=self._members(teams),
            runs=[self._run(run, numbers[run.id]) for run in runs],
            run_withdrawals=self._run_withdrawals(numbers),
            submissions=self._submissions(submissions, numbers),
            withdrawals=self._withdrawals(submissions),
            flags=self._flags(submissions),
            refusals=self._refusals(numbers),
            releases=self._releases(),
            extensions=self._extensions(),
            announcements=self._announcements(),
            reminders=self._reminders(),
        )
        history.people.extend(self.people.records(self.session, with_names=with_names))
        return Collected(history, tuple(counting.values()), self.gold_files)

    def _all(self, query: Select[Any]) -> list[Any]:
        return list(self.session.scalars(query))

    def _of_runs(self, table: Any, order: Any) -> list[Any]:
        """The rows of the task's runs: submissions, or refusals."""
        return self._all(
            select(table)
            .join(Run)
            .join(Phase)
            .where(Phase.task_id == self.task.id)
            .options(joinedload(table.level))
            .order_by(order)
        )

    def _terms(self, versions: Sequence[TermsVersion]) -> list[TermsRecord]:
        return [
            TermsRecord(
                number=version.number,
                made_at=version.made_at,
                file=self.files.terms(version.text, None if version is versions[-1] else version.number)
                if version.text
                else None,
                sha256=terms.version_hash(version) if version.text else None,
                made_by=self.people.who("terms", version.id, version.made_by),
            )
            for version in versions
        ]

    def _acceptances(self, versions: Sequence[TermsVersion]) -> list[AcceptanceRecord]:
        query = select(TermsAcceptance).join(TermsVersion).where(TermsVersion.task_id == self.task.id)
        accepted: dict[int, list[TermsAcceptance]] = defaultdict(list)
        for one in self._all(query.order_by(TermsAcceptance.accepted_at, TermsAcceptance.user_id)):
            accepted[one.terms_version_id].append(one)
        records = []
        for version in versions:
            came_with = self.people.came_with("acceptance", version.id)
            records += [AcceptanceRecord(version.number, who, at) for who, at in came_with]
            records += [
                AcceptanceRecord(version.number, self.people.account(one.user_id), one.accepted_at)
                for one in accepted[version.id]
            ]
        return records

    def _gold(self) -> list[GoldRecord]:
        versions = self._all(
            select(GoldVersion)
            .join(Split)
            .join(Level)
            .where(Level.task_id == self.task.id)
            .options(joinedload(GoldVersion.split).joinedload(Split.level))
            .order_by(Level.position, Split.id, GoldVersion.number)
        )
        newest = {version.split_id: version for version in versions}
        records = []
        for version in versions:
            in_force = newest[version.split_id] is version
            file = self.files.gold(version.split, version.sha256, None if in_force else version.number)
            if in_force:
                self.gold_files[version.split_id] = file
            records.append(
                GoldRecord(
                    level=version.split.level.slug,
                    split=version.split.name,
                    number=version.number,
                    file=file,
                    sha256=version.sha256,
                    reason=version.reason,
                    made_at=version.made_at,
                    made_by=self.people.who("gold", version.id, version.made_by),
                )
            )
        return records

    def _team(self, team: Team) -> TeamRecord:
        return TeamRecord(
            name=team.name,
            created_at=team.created_at,
            captain=self.people.who("captain", team.id, team.captain_id),
            affiliations=team.affiliations,
            state=team.state,
            reason=team.reason,
        )

    def _members(self, teams: Sequence[Team]) -> list[MemberRecord]:
        query = select(Membership).where(Membership.task_id == self.task.id)
        members: dict[int, list[Membership]] = defaultdict(list)
        for one in self._all(query.order_by(Membership.joined_at, Membership.user_id)):
            members[one.team_id].append(one)
        records = []
        for team in teams:
            came_with = self.people.came_with("member", team.id)
            records += [MemberRecord(team.name, who, at) for who, at in came_with]
            records += [
                MemberRecord(team.name, self.people.account(one.user_id), one.joined_at)
                for one in members[team.id]
            ]
        return records

    def _run(self, run: Run, number: int) -> RunRecord:
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

    def _run_withdrawals(self, numbers: dict[int, int]) -> list[RunWithdrawalRecord]:
        query = select(RunWithdrawal).join(Run).join(Phase).where(Phase.task_id == self.task.id)
        return [
            RunWithdrawalRecord(
                run=numbers[one.run_id],
                withdrawn=one.withdrawn,
                made_at=one.made_at,
                made_by=self.people.who("run-withdrawal", one.id, one.made_by),
            )
            for one in self._all(query.order_by(RunWithdrawal.id))
        ]

    def _counting(self, runs: Sequence[Run], submissions: Sequence[Submission]) -> dict[int, CountingRun]:
        """Each run with the names of the files that count; a baseline's are computed."""
        counting = {run.id: CountingRun(run, {}, {}) for run in runs}
        query = select(Standing.submission_id).join(Run).join(Phase).where(Phase.task_id == self.task.id)
        ids = set(self.session.scalars(query))
        for submission in submissions:
            found = counting[submission.run_id]
            if submission.id in ids and found.run.baseline is None:
                files = found.late_files if submission.late else found.files
                file = self.files.counting(found.run, submission)
                files[submission.level.slug] = self.counting_files[submission.id] = file
        return counting

    def _submissions(
        self, submissions: Sequence[Submission], numbers: dict[int, int]
    ) -> list[SubmissionRecord]:
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
            )
            for number, submission in enumerate(submissions, start=1)
        ]

    def _withdrawals(self, submissions: Sequence[Submission]) -> list[WithdrawalRecord]:
        numbers = {submission.id: number for number, submission in enumerate(submissions, start=1)}
        query = select(Withdrawal).join(Submission).join(Run).join(Phase).where(Phase.task_id == self.task.id)
        return [
            WithdrawalRecord(
                submission=numbers[one.submission_id],
                withdrawn=one.withdrawn,
                made_at=one.made_at,
                made_by=self.people.who("withdrawal", one.id, one.made_by),
            )
            for one in self._all(query.order_by(Withdrawal.id))
        ]

    def _flags(self, submissions: Sequence[Submission]) -> list[FlagRecord]:
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
            for flag in self._all(query.order_by(Flag.submission_id, Flag.code))
        ]

    def _refusals(self, numbers: dict[int, int]) -> list[RefusalRecord]:
        return [
            RefusalRecord(
                run=numbers[refusal.run_id],
                level=refusal.level.slug,
                sha256=refusal.sha256,
                filename=refusal.filename,
                count=refusal.count,
                arrived_at=refusal.arrived_at,
                problems=[ProblemRecord(**problem) for problem in refusal.problems],
                submitted_by=self.people.who("refusal", refusal.id, refusal.submitted_by),
            )
            for refusal in self._of_runs(Refusal, Refusal.id)
        ]

    def _releases(self) -> list[ReleaseRecord]:
        query = (
            select(Release, ReleaseWithdrawal)
            .join(Phase)
            .outerjoin(ReleaseWithdrawal, ReleaseWithdrawal.release_id == Release.id)
            .where(Phase.task_id == self.task.id)
            .options(joinedload(Release.phase))
            .order_by(Phase.position, Release.number)
        )
        return [self._release(release, withdrawal) for release, withdrawal in self.session.execute(query)]

    def _release(self, release: Release, withdrawal: ReleaseWithdrawal | None) -> ReleaseRecord:
        by = self.people.who("release", release.id, release.made_by)
        gone = withdrawal
        return ReleaseRecord(
            phase=release.phase.slug,
            number=release.number,
            file=self.files.release(release.phase.slug, release.number, release.board),
            sha256=release.sha256,
            made_at=release.made_at,
            made_by=by,
            withdrawn_at=None if gone is None else gone.made_at,
            withdrawn_by=None if gone is None else self.people.who("unrelease", release.id, gone.made_by),
            withdrawn_reason=None if gone is None else gone.reason,
            feedback=release.feedback,
        )

    def _extensions(self) -> list[ExtensionRecord]:
        query = (
            select(Extension)
            .join(Phase)
            .where(Phase.task_id == self.task.id)
            .options(joinedload(Extension.phase), joinedload(Extension.team))
            .order_by(Extension.id)
        )
        return [
            ExtensionRecord(
                phase=extension.phase.slug,
                team=None if extension.team is None else extension.team.name,
                closes=extension.closes,
                reason=extension.reason,
                made_at=extension.made_at,
                made_by=self.people.who("extension", extension.id, extension.made_by),
            )
            for extension in self._all(query)
        ]

    def _announcements(self) -> list[AnnouncementRecord]:
        query = select(Announcement).where(Announcement.task_id == self.task.id).order_by(Announcement.id)
        return [
            AnnouncementRecord(
                title=one.title,
                text=one.text,
                made_at=one.made_at,
                phase=None if one.phase is None else one.phase.slug,
                made_by=self.people.who("announcement", one.id, one.made_by),
            )
            for one in self._all(query.options(joinedload(Announcement.phase)))
        ]

    def _reminders(self) -> list[ReminderRecord]:
        query = (
            select(Reminder, Phase.slug, Team.name)
            .join(Phase, Phase.id == Reminder.phase_id)
            .join(Team, Team.id == Reminder.team_id)
            .where(Phase.task_id == self.task.id)
            .order_by(Reminder.sent_at, Phase.position, Team.name_key, Reminder.hours)
        )
        return [
            ReminderRecord(phase, team, one.closes, one.hours, one.sent_at)
            for one, phase, team in self.session.execute(query)
        ]
