"""Restores the history of an imported task: its records become rows."""

from collections.abc import Callable, Iterator
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.access import tasks
from server.annotation.campaigns import creation
from server.boards import service as boards
from server.boards.inference_json import read_inference, summarize_inference
from server.bundles.models import Attribution, AttributionPart, ImportedPerson
from server.bundles.task_history import campaign_restore
from server.bundles.task_history.plan import HistoryPlan
from server.bundles.task_history.records import (
    AnnouncementRecord,
    CampaignRecord,
    GoldEventRecord,
    GoldRecord,
    RejectionRecord,
    ReleaseRecord,
    RunRecord,
    SubmissionRecord,
    TeamRecord,
    TermsRecord,
    find_counting,
)
from server.bundles.task_history.release_records import FilesRecord
from server.bundles.task_history.serialization import plain_values
from server.bundles.task_history.tables import TABLES, RecordTable
from server.core.storage import Storage, text_sha256
from server.corrections.service import draw_salt
from server.inferences import inference_inputs
from server.phases.models import Phase
from server.releases.models import Inference, Release, ReleaseNaming, ReleaseSeal, ReleaseWithdrawal
from server.scoring import service as scoring
from server.submissions.models import Receipt, Standing
from server.tasks.models import Task
from server.teams.service import name_key


def keep_files(storage: Storage, plan: HistoryPlan) -> None:
    """Store files that the store lacks; do this before the write lock is taken."""
    for sha256, path in plan.files.items():
        if not storage.renew(sha256):
            storage.put(path.read_bytes())


def restore_history(
    session: Session, storage: Storage, task: Task, phases: dict[str, Phase], plan: HistoryPlan
) -> None:
    """Restore everything. People get no accounts here, but what they did stays attributed to them."""
    keep_files(storage, plan)
    _HistoryRestorer(session, task, phases, plan).restore()


def _nothing(_record: Any) -> dict[str, Any]:
    """Return no additional columns, for records whose fields have all of them."""
    return {}


class _HistoryRestorer:
    """One import: the restored rows, by their keys in the history."""

    def __init__(self, session: Session, task: Task, phases: dict[str, Phase], plan: HistoryPlan) -> None:
        self.session = session
        self.task = task
        self.plan = plan
        self.history = plan.history
        self.people: dict[str, ImportedPerson] = {}
        self.rows: dict[str, dict[Any, Any]] = {
            "phases": dict(phases),
            "levels": {level.slug: level for level in task.levels},
        }

    def add(
        self, list_name: str, by_hand: Callable[[Any], dict[str, Any]] = _nothing, records: Any = None
    ) -> list[Any]:
        """Add the rows of one list in their order, so that ids grow as before, with who did it.

        `by_hand` returns the columns that are not copied from fields of a record.
        """
        table, records = TABLES[list_name], records or getattr(self.history, list_name)
        rows = [table.model(**self._columns(table, record) | by_hand(record)) for record in records]
        self.session.add_all(rows)
        self.session.flush()
        if table.part is not None and table.author is not None:
            for row, record in zip(rows, records, strict=True):
                self.attribute(table.part, row.id, getattr(record, table.author))
        if table.key is not None:
            self.rows[list_name] = dict(zip(map(table.key, records), rows, strict=True))
        return rows

    def _columns(self, table: RecordTable, record: Any) -> dict[str, Any]:
        values = {name: getattr(record, name) for name in table.copied}
        for name, target in table.references.items():
            key = getattr(record, name)
            values[f"{name}_id"] = None if key is None else self.rows[target][key].id
        return values

    def attribute(
        self, part: AttributionPart, row_id: int, person: str | None, at: datetime | None = None
    ) -> None:
        """Record that a person of the history did something."""
        if person is not None:
            person_id = self.people[person].id
            self.session.add(
                Attribution(task_id=self.task.id, part=part, row_id=row_id, person_id=person_id, at=at)
            )

    def restore(self) -> None:
        """Restore every list, from the people to the reminders."""
        self.task.created_at = self.history.created_at
        self._restore_people()
        self._restore_terms()
        self._restore_gold()
        self._restore_teams()
        self.add("runs", self._run)
        self.add("run_withdrawals")
        self._restore_submissions()
        self._restore_scores()
        self._restore_standings()
        self.add("withdrawals")
        self.add("flags")
        self.add("rejections", self._rejection)
        self._restore_releases()
        self.add("pseudonyms")
        self.add("extensions")
        self.add("announcements", self._announcement)
        self.add("reminders")
        self.add("questions", self._of_task)
        self.add("answers")
        self._restore_campaigns()
        self._restore_inputs()
        self.session.flush()

    def _restore_people(self) -> None:
        """Restore the people of the history, who have no accounts here."""
        records = self.history.people
        self.people = {
            person.id: ImportedPerson(task_id=self.task.id, name=person.name) for person in records
        }
        self.session.add_all(self.people.values())
        self.session.flush()

    def _restore_terms(self) -> None:
        """Restore every version of the terms, and who accepted it."""
        for version in self.add("terms", self._terms):
            self.task.terms = version.text or None
        for record in self.history.acceptances:
            version = self.rows["terms"][record.number]
            self.attribute("acceptance", version.id, record.person, record.accepted_at)

    def _terms(self, record: TermsRecord) -> dict[str, Any]:
        return {
            "task_id": self.task.id,
            "text": "" if record.file is None else self.plan.texts[record.file],
        }

    def _restore_gold(self) -> None:
        """Restore every gold version with its events."""
        self.add("gold", self._gold_version)
        published = [
            GoldEventRecord(
                gold.level, gold.split, gold.number, "published", gold.reason, gold.made_at, gold.made_by
            )
            for gold in self.history.gold
        ]
        self.add("gold_events", self._gold_event, self.history.gold_events or published)

    def _gold_version(self, record: GoldRecord) -> dict[str, Any]:
        split = tasks.find_split(self.rows["levels"][record.level], record.split)
        assert split is not None  # noqa: S101  (the plan was checked)
        return {
            "split_id": split.id,
            "salt": record.salt or draw_salt(),
            "scorer": record.scorer or scoring.VERSION,
        }

    def _gold_event(self, record: GoldEventRecord) -> dict[str, Any]:
        return {"gold_version_id": self.rows["gold"][record.level, record.split, record.number].id}

    def _restore_teams(self) -> None:
        """Restore the teams with their members."""
        self.add("teams", self._team)
        for record in self.history.members:
            self.attribute("member", self.rows["teams"][record.team].id, record.person, record.joined_at)

    def _team(self, record: TeamRecord) -> dict[str, Any]:
        return {"task_id": self.task.id, "name_key": name_key(record.name)}

    def _run(self, record: RunRecord) -> dict[str, Any]:
        return {"position": record.number if record.position is None else record.position}

    def _restore_submissions(self) -> None:
        """Restore every submission, with the receipt of its site."""
        rows = self.add("submissions", self._submission)
        for row, record in zip(rows, self.history.submissions, strict=True):
            if record.receipt is not None:
                self.session.add(Receipt(submission_id=row.id, text=self.plan.texts[record.receipt]))

    def _submission(self, record: SubmissionRecord) -> dict[str, Any]:
        return {"size": self.plan.files[record.sha256].stat().st_size}

    def _restore_scores(self) -> None:
        """Store the scores of each file, with the later time of the file's and the gold version's."""
        for number, scores in self.plan.scores.items():
            submission = self.rows["submissions"][number]
            for key, results in scores:
                version = self.rows["gold"][key]
                at = max(submission.arrived_at, version.made_at)
                scoring.add_scores(self.session, version, {submission.id: results}, at)

    def _restore_standings(self) -> None:
        """Recompute which submissions count."""
        for (run, level, late), record in find_counting(self.history).items():
            self.session.add(
                Standing(
                    run_id=self.rows["runs"][run].id,
                    level_id=self.rows["levels"][level].id,
                    late=late,
                    submission_id=self.rows["submissions"][record.id].id,
                )
            )

    def _rejection(self, record: RejectionRecord) -> dict[str, Any]:
        return {"problems": [asdict(problem) for problem in record.problems]}

    def _restore_releases(self) -> None:
        """Restore every release, including withdrawn ones."""
        rows = self.add("releases", self._release)
        for row, record in zip(rows, self.history.releases, strict=True):
            self.session.add_all(self._inferences(row, record))
            self.session.add_all(self._seals(row, record))
            if record.withdrawn_at is not None:
                reason, at = record.withdrawn_reason or "", record.withdrawn_at
                self.session.add(
                    ReleaseWithdrawal(release_id=row.id, reason=reason, made_by=None, made_at=at)
                )
                self.attribute("unrelease", row.id, record.withdrawn_by)
            if record.named_at is not None:
                self.session.add(ReleaseNaming(release_id=row.id, made_by=None, made_at=record.named_at))
                self.attribute("release-naming", row.id, record.named_by)

    def _release(self, record: ReleaseRecord) -> dict[str, Any]:
        return {
            "board": self.plan.texts[record.file],
            "named_board": None if record.named_file is None else self.plan.texts[record.named_file],
            "rules": {} if record.rules is None else plain_values(record.rules),
            "files": None if record.published is None else self._files(record.published),
        }

    def _files(self, published: FilesRecord) -> list[dict[str, Any]]:
        """Return the published files as a release stores them: that of a submission has its id."""
        files: list[dict[str, Any]] = plain_values(published.files)
        ids = self.rows["submissions"]
        return [
            file | {"submission": ids[file["submission"]].id} if "submission" in file else file
            for file in files
        ]

    def _seals(self, release: Release, record: ReleaseRecord) -> list[ReleaseSeal]:
        """Return the signed statements of the original site, with its name and key in them."""
        return [
            ReleaseSeal(
                release_id=release.id,
                board_sha256=seal.board_sha256,
                text=self.plan.texts[seal.file],
                made_at=record.made_at if seal.board_sha256 == record.sha256 else record.named_at,
            )
            for seal in record.seals
        ]

    def _inferences(self, release: Release, record: ReleaseRecord) -> list[Inference]:
        """Return the inferences of the original site, unchanged."""
        return [
            Inference(
                phase_id=release.phase_id,
                release_id=release.id,
                board_sha256=inference.board_sha256,
                inputs=None,
                noted_at=inference.noted_at,
                text=self.plan.texts[inference.file],
                sha256=inference.sha256,
                shown=summarize_inference(read_inference(self.plan.texts[inference.file])),
                made_at=inference.made_at,
            )
            for inference in record.inferences
        ]

    def _announcement(self, record: AnnouncementRecord) -> dict[str, Any]:
        of_some = "chosen" if record.phase is None else "incomplete"
        teams = [self.rows["teams"][name] for name in record.teams]
        return {"task_id": self.task.id, "audience": of_some if teams else "all", "teams": teams}

    def _of_task(self, _record: Any) -> dict[str, Any]:
        return {"task_id": self.task.id}

    def _restore_campaigns(self) -> None:
        """Restore the campaigns with their rows."""
        for campaign in self.add("campaigns", self._campaign):
            campaign_restore.restore_rows(
                self.session, campaign, self.plan.campaigns[campaign.slug], self.attribute
            )

    def _campaign(self, record: CampaignRecord) -> dict[str, Any]:
        config = self.plan.campaigns[record.slug].config
        return {"task_id": self.task.id, **creation.campaign_values(config)}

    def _restore_inputs(self) -> None:
        """Restore the inputs of inferences, if the files here give the same leaderboards."""
        phases = self.rows["phases"].values()
        inputs = {key: values for phase in phases for key, values in self._inputs(phase)}
        query = select(Inference).where(Inference.phase_id.in_([phase.id for phase in phases]))
        for row in self.session.scalars(query):
            row.inputs = inputs.get((row.phase_id, row.board_sha256))

    def _inputs(self, phase: Phase) -> Iterator[tuple[tuple[int, str], dict[str, Any]]]:
        for baselines in (True, False):
            text = boards.board_text(self.session, phase, baselines=baselines)
            inputs = inference_inputs.collect_inputs(self.session, phase, baselines=baselines)
            yield (phase.id, text_sha256(text)), inputs
