"""Exports a task's history: its rows become records, and texts become files of the bundle."""

import hashlib
from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.access import terms
from server.annotation.models import Campaign
from server.bundles.export_files import ExportFiles
from server.bundles.export_people import ExportPeople
from server.bundles.task_history import campaign_export
from server.bundles.task_history.records import (
    InferenceRecord,
    ProblemRecord,
    SealRecord,
    TaskHistory,
)
from server.bundles.task_history.release_records import FileRecord, FilesRecord, RulesRecord
from server.bundles.task_history.serialization import record_of
from server.bundles.task_history.tables import TABLES
from server.core.storage import text_sha256
from server.gold import versions as gold_versions
from server.gold.models import GoldVersion
from server.mail.models import Announcement, announcement_teams
from server.phases.models import Phase
from server.questions.models import Question
from server.releases import inferences, seals
from server.releases import service as releases
from server.releases.models import Inference, Release, ReleaseSeal
from server.releases.service import ReleaseState
from server.runs.models import Run
from server.scoring.models import Score
from server.submissions import standings
from server.submissions.models import Receipt, Standing, Submission
from server.tasks.models import Level, Split, Task, TermsVersion
from server.teams.models import Team


@dataclass(frozen=True, slots=True)
class CountingRun:
    """A run with the submissions that count, by level: on time, and late."""

    run: Run
    files: dict[str, str]
    late_files: dict[str, str]


@dataclass(frozen=True, slots=True)
class CollectedHistory:
    """The history, and the runs and gold files for `task.toml`."""

    history: TaskHistory
    runs: tuple[CountingRun, ...]
    gold: dict[int, str]
    """The gold file in force, by split."""


def collect_history(
    session: Session, task: Task, phases: list[Phase], files: ExportFiles, *, with_names: bool
) -> CollectedHistory:
    """Collect everything in chronological order, so that the same task always gives the same bytes."""
    exporter = _HistoryExporter(session, task, phases, files)
    runs = exporter.counting_runs()
    history = exporter.history()
    history.people.extend(exporter.people.records(session, with_names=with_names))
    return CollectedHistory(history, tuple(runs), exporter.gold_files)


class _HistoryExporter:
    """One export: its task, its files, and its people so far."""

    def __init__(self, session: Session, task: Task, phases: list[Phase], files: ExportFiles) -> None:
        self.session = session
        self.task = task
        self.files = files
        self.people = ExportPeople(session, task)
        self.phases = phases
        self.splits = {split.id: split for level in task.levels for split in level.splits}
        self.terms: list[TermsVersion] = self.rows("terms")
        self.teams: list[Team] = self.rows("teams")
        self.runs: list[Run] = self.rows("runs")
        self.submissions: list[Submission] = self.rows("submissions")
        self.golds: list[GoldVersion] = self.rows("gold")
        self.questions: list[Question] = self.rows("questions")
        self.names: dict[str, dict[int, Any]] = {
            "phases": {phase.id: phase.slug for phase in self.phases},
            "levels": {level.id: level.slug for level in task.levels},
            "teams": {team.id: team.name for team in self.teams},
            "runs": {run.id: number for number, run in enumerate(self.runs, start=1)},
            "submissions": {row.id: number for number, row in enumerate(self.submissions, start=1)},
            "questions": {row.id: number for number, row in enumerate(self.questions, start=1)},
        }
        """The keys of rows in the history, by list and row id."""
        self.counting_files: dict[int, str] = {}
        self.gold_files: dict[int, str] = {}

    def rows(self, list_name: str) -> list[Any]:
        """Return the task's rows of one list."""
        table = TABLES[list_name]
        query = select(table.model)
        for joined in table.joins:
            query = query.join(joined)
        of_task = (table.model, *table.joins)[-1].task_id == self.task.id
        return list(self.session.scalars(query.where(of_task).order_by(*table.order or [table.model.id])))

    def record(self, list_name: str, row: Any, **by_hand: Any) -> Any:
        """Convert a row to a record; `by_hand`: the fields that are not copied from its columns."""
        table = TABLES[list_name]
        values = {name: getattr(row, name) for name in table.copied}
        for name, target in table.references.items():
            row_id = getattr(row, f"{name}_id")
            values[name] = None if row_id is None else self.names[target][row_id]
        if table.author is not None:
            account = row.captain_id if table.author == "captain" else getattr(row, table.author)
            values[table.author] = self.people.who(table.part, row.id, account)
        return table.record(**values | by_hand)

    def records(self, list_name: str) -> list[Any]:
        """Return the records of a list whose fields are all copied from columns."""
        return [self.record(list_name, row) for row in self.rows(list_name)]

    def history(self) -> TaskHistory:
        """Return all lists; people are numbered in the order in which this method meets them."""
        teams_of = self._announced_teams()
        return TaskHistory(
            created_at=self.task.created_at,
            terms=[self.record("terms", version, **self._terms(version)) for version in self.terms],
            acceptances=self._with_people(
                "acceptances",
                {version.id: version.number for version in self.terms},
                [(row.terms_version_id, row.user_id, row.accepted_at) for row in self.rows("acceptances")],
            ),
            gold=self._gold(),
            gold_events=[
                self.record("gold_events", event, **self._gold_key(event.version))
                for event in self.rows("gold_events")
            ],
            teams=[self.record("teams", team) for team in self.teams],
            members=self._with_people(
                "members",
                self.names["teams"],
                [(row.team_id, row.user_id, row.joined_at) for row in self.rows("members")],
            ),
            runs=[
                self.record(
                    "runs",
                    run,
                    id=self.names["runs"][run.id],
                    position=None if run.position == run.number else run.position,
                )
                for run in self.runs
            ],
            run_withdrawals=self.records("run_withdrawals"),
            submissions=self._submissions(),
            withdrawals=self.records("withdrawals"),
            flags=self.records("flags"),
            rejections=[
                self.record(
                    "rejections", rejection, problems=record_of(list[ProblemRecord], rejection.problems)
                )
                for rejection in self.rows("rejections")
            ],
            releases=self._releases(),
            pseudonyms=self.records("pseudonyms"),
            extensions=self.records("extensions"),
            announcements=[
                self.record("announcements", row, teams=sorted(teams_of[row.id]))
                for row in self.rows("announcements")
            ],
            reminders=self.records("reminders"),
            questions=[
                self.record("questions", row, id=self.names["questions"][row.id]) for row in self.questions
            ],
            answers=self.records("answers"),
            campaigns=[self._campaign(campaign) for campaign in self.rows("campaigns")],
        )

    def counting_runs(self) -> list[CountingRun]:
        """Return each run with the names of the submissions that count; a baseline's are computed.

        A removed baseline is left out: from `task.toml`, it would be computed again.
        """
        withdrawn = standings.withdrawn_run_ids(self.session, [run.id for run in self.runs])
        removed = {run.id for run in self.runs if run.baseline is not None and run.id in withdrawn}
        counting = {run.id: CountingRun(run, {}, {}) for run in self.runs if run.id not in removed}
        query = select(Standing.submission_id).join(Run).join(Phase).where(Phase.task_id == self.task.id)
        ids = set(self.session.scalars(query))
        for submission in self.submissions:
            if submission.id not in ids:
                continue
            counting_run = counting[submission.run_id]
            if counting_run.run.baseline is None:
                files = counting_run.late_files if submission.late else counting_run.files
                file = self.files.counting(counting_run.run, submission)
                files[submission.level.slug] = self.counting_files[submission.id] = file
        return list(counting.values())

    def _announced_teams(self) -> dict[int, list[str]]:
        """Return the names of the teams that announcements are for, by the ids of those to some teams."""
        query = select(announcement_teams).join(Announcement).where(Announcement.task_id == self.task.id)
        names: dict[int, list[str]] = defaultdict(list)
        for announcement_id, team_id in self.session.execute(query):
            names[announcement_id].append(self.names["teams"][team_id])
        return names

    def _terms(self, version: TermsVersion) -> dict[str, Any]:
        """Return the text as a file, if there is one."""
        if not version.text:
            return {}
        older = None if version is self.terms[-1] else version.number
        return {"file": self.files.terms(version.text, older), "sha256": terms.version_hash(version)}

    def _with_people(
        self, list_name: str, names: dict[int, Any], accounts: list[tuple[int, int, datetime]]
    ) -> list[Any]:
        """Return the people of terms or teams, with their times: those from imports first, then accounts."""
        table, accounts_by_row = TABLES[list_name], defaultdict(list)
        for row_id, user_id, at in accounts:
            accounts_by_row[row_id].append((user_id, at))
        records = []
        for row_id, name in names.items():
            came_with = self.people.came_with(table.part, row_id)
            records += [table.record(name, person, at) for person, at in came_with]
            records += [
                table.record(name, self.people.account(user_id), at)
                for user_id, at in accounts_by_row[row_id]
            ]
        return records

    def _gold(self) -> list[Any]:
        """Return every gold version; the file of the one in force is stored by its split."""
        ids = [version.id for version in self.golds]
        in_force = set(self.session.scalars(gold_versions.select_in_force(GoldVersion.id.in_(ids))))
        records = []
        for version in self.golds:
            older = None if version.id in in_force else version.number
            file = self.files.gold(self.splits[version.split_id], version.sha256, older)
            if older is None:
                self.gold_files[version.split_id] = file
            records.append(self.record("gold", version, file=file, **self._gold_key(version)))
        return records

    def _gold_key(self, version: GoldVersion) -> dict[str, Any]:
        """Return the key by which records refer to a gold version."""
        split = self.splits[version.split_id]
        return {"level": split.level.slug, "split": split.name, "number": version.number}

    def _submissions(self) -> list[Any]:
        """Return every submission, the oldest first."""
        golds, receipts = self._scored_against(), self._receipts()
        records = []
        for submission in self.submissions:
            number, receipt = self.names["submissions"][submission.id], receipts.get(submission.id)
            file = self.counting_files.get(submission.id) or self.files.other(submission.sha256)
            records.append(
                self.record(
                    "submissions",
                    submission,
                    id=number,
                    file=file,
                    golds=golds[submission.id],
                    receipt=None if receipt is None else self.files.receipt(number, receipt),
                    receipt_sha256=None if receipt is None else text_sha256(receipt),
                )
            )
        return records

    def _receipts(self) -> dict[int, str]:
        """Return the receipts, by the ids of their submissions."""
        query = select(Receipt.submission_id, Receipt.text).join(Submission).join(Run).join(Phase)
        rows = self.session.execute(query.where(Phase.task_id == self.task.id))
        return {submission_id: text for submission_id, text in rows}  # noqa: C416  (rows, not pairs)

    def _scored_against(self) -> dict[int, list[int]]:
        """Return the numbers of the gold versions that each submission was scored against."""
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

    def _releases(self) -> list[Any]:
        """Return every release, including withdrawn ones."""
        states_by_phase = releases.list_releases_by_phase(self.session, self.phases)
        states = [state for phase in self.phases for state in reversed(states_by_phase[phase.id])]
        ids = [state.release.id for state in states]
        inferred, signed = inferences.list_inferences(self.session, ids), seals.list_seals(self.session, ids)
        return [
            self._release(state, inferred[state.release.id], signed[state.release.id]) for state in states
        ]

    def _campaign(self, campaign: Campaign) -> Any:
        rows = campaign_export.export_rows(self.session, campaign, self.people, self.files)
        return self.record(
            "campaigns",
            campaign,
            bundle=self.files.campaign_bundle(campaign.slug, campaign.bundle_sha256),
            file=self.files.campaign_rows(campaign.slug, rows),
            sha256=hashlib.sha256(rows).hexdigest(),
        )

    def _release(self, state: ReleaseState, inferred: list[Inference], signed: list[ReleaseSeal]) -> Any:
        release, gone, named = state.release, state.withdrawal, state.naming
        key = self.names["phases"][release.phase_id], release.number
        return self.record(
            "releases",
            release,
            made_by=self.people.who("release", release.id, release.made_by),  # numbered before the others
            file=self.files.release(*key, release.board),
            withdrawn_at=None if gone is None else gone.made_at,
            withdrawn_by=None if gone is None else self.people.who("unrelease", release.id, gone.made_by),
            withdrawn_reason=None if gone is None else gone.reason,
            named_file=None
            if release.named_board is None
            else self.files.release(*key, release.named_board, "-named"),
            named_at=None if named is None else named.made_at,
            named_by=None if named is None else self.people.who("release-naming", release.id, named.made_by),
            rules=record_of(RulesRecord, release.rules or None),
            published=self._published(release),
            inferences=[
                InferenceRecord(
                    board_sha256=inference.board_sha256,
                    file=self.files.inference(*key, inference.board_sha256, inference.text),
                    sha256=inference.sha256,
                    noted_at=inference.noted_at,
                    made_at=inference.made_at,
                )
                for inference in inferred
                if inference.text is not None
                and inference.sha256 is not None
                and inference.made_at is not None
            ],
            seals=[
                SealRecord(
                    board_sha256=seal.board_sha256,
                    file=self.files.seal(*key, seal.board_sha256, seal.text),
                    sha256=text_sha256(seal.text),
                )
                for seal in signed
            ],
        )

    def _published(self, release: Release) -> FilesRecord | None:
        """Return the published files; that of a submission has its number in the history."""
        if release.files is None:
            return None
        numbers = self.names["submissions"]
        files = [file | {"submission": numbers.get(file.get("submission", 0))} for file in release.files]
        return FilesRecord(record_of(list[FileRecord], files))
