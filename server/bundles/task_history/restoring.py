"""Restores the history of an imported task: its rows with new ids, which grow as before."""

from collections.abc import Collection, Iterator
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.annotation.campaigns import creation
from server.annotation.models import AnnotatorIdentity, Campaign
from server.boards import service as boards
from server.boards.inference_json import summarize_inference
from server.bundles.models import Attribution
from server.bundles.task_history.history import Row, find_counting
from server.bundles.task_history.plan import HistoryPlan
from server.bundles.task_history.tables import (
    ACCOUNT,
    TABLES,
    HistoryTable,
    list_campaign_rows,
    list_task_rows,
)
from server.core.storage import Storage, storage_of, text_sha256
from server.gold.models import GoldVersion
from server.inferences import inference_inputs
from server.phases.models import Phase
from server.releases.models import Inference, Release
from server.runs.models import Run
from server.scoring import service as scoring
from server.submissions.models import Standing, Submission
from server.tasks.models import Level, Task


def keep_files(storage: Storage, plan: HistoryPlan) -> None:
    """Store files that the store lacks; do this before the write lock is taken."""
    for sha256 in plan.stored:
        if not storage.renew(sha256):
            storage.put(plan.history.data(sha256))


def restore_history(session: Session, task: Task, phases: dict[str, Phase], plan: HistoryPlan) -> None:
    """Restore everything. People get no accounts here, but what they did stays attributed to them."""
    keep_files(storage_of(session), plan)
    task.created_at = plan.history.created_at
    restorer = _HistoryRestorer(session, task, phases, plan)
    for name, table in TABLES.items():
        restorer.restore(name, table)
    restorer.restore_standings()
    restorer.restore_inputs(phases.values())
    session.flush()


class _HistoryRestorer:
    """One import: the restored rows, by their table and key."""

    def __init__(self, session: Session, task: Task, phases: dict[str, Phase], plan: HistoryPlan) -> None:
        self.session = session
        self.task = task
        self.plan = plan
        self.history = plan.history
        self.rows = list_task_rows(task, phases)

    def restore(self, name: str, table: HistoryTable) -> None:
        """Restore one list: its rows, or what an import has in their place."""
        if name == "scores":
            self._restore_scores()
        elif table.is_of_people:
            self._attribute_people(table, self.history.rows[name])
        else:
            rows = self._add(table, self.history.rows[name])
            self._follow_up(name, rows)

    def _add(self, table: HistoryTable, values: list[Row]) -> list[Any]:
        """Add rows in their order, and attribute them to those who did it."""
        rows = [table.model(**self._columns(table, row)) for row in values]
        self.session.add_all(rows)
        self.session.flush()
        self.rows[table.table_name] = dict(enumerate(rows, start=1))
        for row, row_values in zip(rows, values, strict=True):
            for row_field in table.fields:
                value = row_values.get(row_field.name)
                if value is not None and row_field.is_author:
                    self._attribute(table, getattr(row, table.row_id), value)
                elif value is not None and row_field.target == table.table_name:
                    setattr(row, row_field.attribute, rows[value - 1].id)
        return rows

    def _columns(self, table: HistoryTable, row: Row) -> dict[str, Any]:
        """Return the columns of a row, except references to its own list, whose rows have no ids yet."""
        columns: dict[str, Any] = {"task_id": self.task.id} if hasattr(table.model, "task_id") else {}
        for row_field in table.fields:
            value, target = row.get(row_field.name), row_field.target
            if value is None or row_field.is_author or target == table.table_name:
                continue
            if row_field.name in table.nested:
                inner = table.nested[row_field.name]
                value = [item | {inner: self.rows[inner][item[inner]].id} for item in value]
            columns[row_field.attribute] = value if target is None else self.rows[target][value].id
        columns |= {
            column: self.history.text(row[name]) for column, name in table.texts.items() if name in row
        }
        if table.model is Campaign:
            config = next(config for config in self.history.campaigns if config.slug == row["slug"])
            columns |= creation.campaign_values(config)
        if table.model is Inference:
            columns["phase_id"] = self.rows[Release.__tablename__][row["release"]].phase_id
            columns["shown"] = summarize_inference(columns["text"])
        return columns

    def _follow_up(self, name: str, rows: list[Any]) -> None:
        """Restore what depends on the rows of a list."""
        if name == "people":
            self.rows[ACCOUNT] = {f"person {number}": row for number, row in enumerate(rows, start=1)}
        elif name == "terms" and rows:
            self.task.terms = rows[-1].text or None
        elif name == "campaigns":
            self.rows |= list_campaign_rows(rows)
        elif name == "annotators":
            self.session.add_all(AnnotatorIdentity(annotator_id=row.id) for row in rows)

    def _attribute_people(self, table: HistoryTable, values: list[Row]) -> None:
        """Attribute rows of accounts, which people have none of here, to the people."""
        person, reference, moment = table.people_fields
        for row in values:
            row_id = self.rows[str(reference.target)][row[reference.name]].id
            self._attribute(table, row_id, row[person.name], row[moment.name])

    def _attribute(self, table: HistoryTable, row_id: int, person: str, at: datetime | None = None) -> None:
        assert table.part is not None  # noqa: S101  (of each table with authors)
        person_id = self.rows[ACCOUNT][person].id
        attribution = Attribution(
            task_id=self.task.id, part=table.part, row_id=row_id, person_id=person_id, at=at
        )
        self.session.add(attribution)

    def _restore_scores(self) -> None:
        """Store the scores of each file, with the later time of the file's and the gold version's."""
        for row, results in zip(self.history.rows["scores"], self.plan.scores, strict=True):
            submission = self.rows[Submission.__tablename__][row["submission"]]
            version = self.rows[GoldVersion.__tablename__][row["gold_version"]]
            at = max(submission.arrived_at, version.made_at)
            scoring.add_scores(self.session, version, {submission.id: results}, at)

    def restore_standings(self) -> None:
        """Recompute which submissions count."""
        for (run, level, late), number in find_counting(self.history).items():
            self.session.add(
                Standing(
                    run_id=self.rows[Run.__tablename__][run].id,
                    level_id=self.rows[Level.__tablename__][level].id,
                    late=late,
                    submission_id=self.rows[Submission.__tablename__][number].id,
                )
            )
        self.session.flush()

    def restore_inputs(self, phases: Collection[Phase]) -> None:
        """Restore the inputs of inferences, if the files here give the same leaderboards."""
        inputs = {key: values for phase in phases for key, values in self._inputs(phase)}
        query = select(Inference).where(Inference.phase_id.in_([phase.id for phase in phases]))
        for row in self.session.scalars(query):
            row.inputs = inputs.get((row.phase_id, row.board_sha256))

    def _inputs(self, phase: Phase) -> Iterator[tuple[tuple[int, str], dict[str, Any]]]:
        for baselines in (True, False):
            text = boards.board_text(self.session, phase, baselines=baselines)
            inputs = inference_inputs.collect_inputs(self.session, phase, baselines=baselines)
            yield (phase.id, text_sha256(text)), inputs
