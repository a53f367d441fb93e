"""The tables of a task's history: a list in `history.json` for each table here.

A row is an object with the values of its columns, without those that are null. A row has no id: others refer
to it by its number in its list, so that `step_id` becomes `step`; to the rows that an import makes from
`task.toml` and from the configuration files of campaigns, by their slugs. An account is "person 1" and so on,
whose name is in `people`, if names were requested. A file is referred to by its SHA-256. A column that is
added to a table needs no change here; a table that is added needs a line.

Who annotators are, and their links, are in no export.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, get_args, get_type_hints

from sqlalchemy import Column, ColumnElement, PrimaryKeyConstraint, UniqueConstraint, inspect, select

from scorer.typed_json import Fault
from server.accounts.models import User
from server.annotation.campaigns import consents
from server.annotation.models import (
    AnnotationRound,
    Annotator,
    AnswerText,
    Assignment,
    AssignmentEvent,
    AssignmentPlan,
    Campaign,
    Consent,
    ConsentVersion,
    Decision,
    Entry,
    Exclusion,
    RoundEvent,
    Step,
    Unit,
    UnitAnswer,
)
from server.bundles.models import AttributionPart, ImportedPerson
from server.bundles.task_history import campaign_checks, checks, release_checks
from server.bundles.task_history.history import TaskHistory
from server.bundles.task_history.json_columns import (
    HumanCeilingScore,
    PublishedFile,
    RejectedFileProblem,
    ReleaseRules,
)
from server.core.db import UtcDateTime
from server.gold.models import GoldEvent, GoldVersion
from server.mail.models import Announcement, AnnouncementTeam, Reminder
from server.phases.models import Extension, Phase
from server.questions.models import Answer, Question
from server.releases.models import (
    Inference,
    Pseudonym,
    Release,
    ReleaseNaming,
    ReleaseSeal,
    ReleaseWithdrawal,
)
from server.runs.models import Run, RunWithdrawal
from server.scoring.models import Score
from server.submissions.models import Flag, Receipt, Rejection, Submission, Withdrawal
from server.tasks.models import Level, Split, Task, TaskFile, TermsAcceptance, TermsVersion
from server.teams.models import Membership, Team

ACCOUNT = User.__tablename__
_TASK = Task.__tablename__


def list_task_rows(task: Task, phases: Mapping[str, Phase]) -> dict[str, dict[Any, Any]]:
    """Return the rows that an import makes from `task.toml`, by table and by the key that refers to them."""
    splits = [split for level in task.levels for split in level.splits]
    return {
        Phase.__tablename__: dict(phases),
        Level.__tablename__: {level.slug: level for level in task.levels},
        Split.__tablename__: {f"{split.level.slug}/{split.name}": split for split in splits},
    }


def list_campaign_rows(campaigns: list[Campaign]) -> dict[str, dict[Any, Any]]:
    """Return the rows that an import makes from the configuration files of campaigns."""
    return {
        AnnotationRound.__tablename__: {
            f"{row.slug}/{each.slug}": each for row in campaigns for each in row.rounds
        },
        Entry.__tablename__: {f"{row.slug}/{each.slug}": each for row in campaigns for each in row.entries},
    }


@dataclass(frozen=True, slots=True)
class RowField:
    """A field of a row: a value, or a reference to a row of the table `target`."""

    name: str
    """The key in the file."""
    attribute: str
    column: Column[Any]
    kind: Any
    """The type of the values."""
    target: str | None

    @property
    def is_author(self) -> bool:
        """Whether the field names a person."""
        return self.target == ACCOUNT

    @property
    def is_moment(self) -> bool:
        """Whether the value is a date and time."""
        return isinstance(self.column.type, UtcDateTime)

    @property
    def may_be_missing(self) -> bool:
        """Whether a row may lack the field: the column is null, or gets its default."""
        return bool(self.column.nullable) or self.column.server_default is not None


def _no_faults(_history: TaskHistory) -> Iterator[Fault]:
    yield from ()


@dataclass(slots=True)
class HistoryTable:
    """One table of a task."""

    model: type[Any]
    part: AttributionPart | None = None
    """The part of the attributions that has the authors of its rows."""
    only: tuple[str, ...] = ()
    """The attributes that are exported, if an import computes the others."""
    left_out: tuple[str, ...] = ()
    """The attributes that are in no export."""
    where: ColumnElement[bool] | None = None
    """The condition for the rows that are exported, if not all are."""
    stored: str | None = None
    """The field that is the SHA-256 of a file in the store."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """The columns with texts that become files, and the fields that have their SHA-256."""
    types: Mapping[str, Any] = field(default_factory=dict)
    """The types of columns with JSON objects."""
    nested: Mapping[str, str] = field(default_factory=dict)
    """The columns with lists of objects of which each refers to a row, by the name of its table."""
    numbered_by: tuple[str, ...] | None = None
    """Rows with the same values of these fields have the numbers 1, 2, 3 and so on."""
    check: Callable[[TaskHistory], Iterator[Fault]] = _no_faults
    """Yields what cannot be although each row is well formed."""
    fields: tuple[RowField, ...] = field(init=False)
    unique: tuple[tuple[str, ...], ...] = field(init=False)
    """The combinations of fields that must be unique."""

    def __post_init__(self) -> None:
        self.fields = tuple(self._list_fields())
        names = {row_field.column: row_field.name for row_field in self.fields}
        self.unique = tuple(
            tuple(names[column] for column in constraint.columns if column in names)
            for constraint in self.model.__table__.constraints
            if isinstance(constraint, (UniqueConstraint, PrimaryKeyConstraint))
            and any(column in names for column in constraint.columns)
        )

    def _list_fields(self) -> Iterator[RowField]:
        hints = get_type_hints(self.model)
        for attribute in inspect(self.model).column_attrs:
            column = attribute.columns[0]
            target = next((key.column.table.name for key in column.foreign_keys), None)
            is_own_id = column.primary_key and column.name == "id"
            is_file = self.texts.get(attribute.key, attribute.key) != attribute.key
            is_left_out = attribute.key in self.left_out or (self.only and attribute.key not in self.only)
            if is_own_id or is_file or target == _TASK or is_left_out:
                continue
            name = attribute.key if target is None else attribute.key.removesuffix("_id")
            (kind,) = get_args(hints[attribute.key])
            yield RowField(name, attribute.key, column, kind, target)

    @property
    def table_name(self) -> str:
        """The name of the table in the database."""
        return str(self.model.__tablename__)

    @property
    def row_id(self) -> str:
        """The attribute by which attributions refer to a row."""
        return str(inspect(self.model).primary_key[0].name)

    @property
    def key(self) -> list[str]:
        """The fields of the primary key."""
        return [row_field.name for row_field in self.fields if row_field.column.primary_key]

    @property
    def needed(self) -> list[str]:
        """The tables to which each row refers."""
        return [each.target for each in self.fields if each.target is not None and not each.column.nullable]

    @property
    def is_of_people(self) -> bool:
        """Whether each row is of an account, so that an import has attributions in its place."""
        return ACCOUNT in self.needed

    @property
    def people_fields(self) -> tuple[RowField, RowField, RowField]:
        """The person, the reference and the time in such a row."""
        person = next(each for each in self.fields if each.is_author)
        reference = next(each for each in self.fields if each.target not in (None, ACCOUNT))
        return person, reference, next(each for each in self.fields if each.is_moment)


def of_task(model: type[Any], task_id: int) -> ColumnElement[bool]:
    """Return the condition for the rows of a task, by the first reference that leads there."""
    if hasattr(model, "task_id"):
        condition: ColumnElement[bool] = model.task_id == task_id
        return condition
    models = {each.__tablename__: each for each in (Level, Split, Phase, AnnotationRound, Entry)}
    models |= {table.table_name: table.model for table in TABLES.values()}
    keys = (key for column in model.__table__.columns for key in column.foreign_keys)
    key = next(key for key in keys if key.column.table.name in models)
    target = models[key.column.table.name]
    of_model: ColumnElement[bool] = key.parent.in_(select(key.column).where(of_task(target, task_id)))
    return of_model


_WITHDRAWN_STEPS = select(Step.id).where(Step.annotator_id.in_(consents.select_withdrawn()))
TABLES: Mapping[str, HistoryTable] = {
    "people": HistoryTable(ImportedPerson),
    "terms": HistoryTable(
        TermsVersion, "terms", texts={"text": "text"}, numbered_by=(), check=checks.check_terms
    ),
    "acceptances": HistoryTable(TermsAcceptance, "acceptance"),
    "task_files": HistoryTable(TaskFile, stored="sha256", check=checks.check_task_files),
    "gold": HistoryTable(
        GoldVersion,
        "gold",
        stored="sha256",
        types={"human_ceiling": list[HumanCeilingScore]},
        numbered_by=("split",),
        check=checks.check_gold,
    ),
    "gold_events": HistoryTable(GoldEvent, "gold-event"),
    "teams": HistoryTable(Team, "captain", check=checks.check_teams),
    "members": HistoryTable(Membership, "member"),
    "runs": HistoryTable(Run, check=checks.check_runs),
    "run_withdrawals": HistoryTable(RunWithdrawal, "run-withdrawal", check=checks.check_run_withdrawals),
    "submissions": HistoryTable(Submission, "submission", stored="sha256", check=checks.check_submissions),
    "receipts": HistoryTable(Receipt, texts={"text": "text"}, check=checks.check_receipts),
    "scores": HistoryTable(Score, only=("submission_id", "gold_version_id"), check=checks.check_scores),
    "withdrawals": HistoryTable(Withdrawal, "withdrawal", check=checks.check_withdrawals),
    "flags": HistoryTable(Flag),
    "rejections": HistoryTable(
        Rejection, "rejection", types={"problems": list[RejectedFileProblem]}, check=checks.check_rejections
    ),
    "releases": HistoryTable(
        Release,
        "release",
        texts={"board": "sha256", "named_board": "named_sha256"},
        types={"rules": ReleaseRules, "files": list[PublishedFile]},
        nested={"files": Submission.__tablename__},
        numbered_by=("phase",),
        check=release_checks.check_releases,
    ),
    "release_withdrawals": HistoryTable(
        ReleaseWithdrawal, "unrelease", check=release_checks.check_release_withdrawals
    ),
    "release_namings": HistoryTable(
        ReleaseNaming, "release-naming", check=release_checks.check_release_namings
    ),
    "release_seals": HistoryTable(ReleaseSeal, texts={"text": "text"}, check=release_checks.check_seals),
    "inferences": HistoryTable(
        Inference,
        only=("release_id", "board_sha256", "sha256", "noted_at", "made_at"),
        where=Inference.release_id.is_not(None) & Inference.text.is_not(None),
        texts={"text": "sha256"},
        check=release_checks.check_inferences,
    ),
    "pseudonyms": HistoryTable(Pseudonym, check=release_checks.check_pseudonyms),
    "extensions": HistoryTable(Extension, "extension"),
    "announcements": HistoryTable(Announcement, "announcement"),
    "announcement_teams": HistoryTable(AnnouncementTeam, check=checks.check_audiences),
    "reminders": HistoryTable(Reminder),
    "questions": HistoryTable(Question, "question"),
    "answers": HistoryTable(Answer, "answer"),
    "campaigns": HistoryTable(
        Campaign, "campaign", only=("slug", "bundle_sha256", "made_by", "made_at"), stored="bundle_sha256"
    ),
    "units": HistoryTable(Unit, check=campaign_checks.check_units),
    "round_events": HistoryTable(RoundEvent, "round-event"),
    "plans": HistoryTable(
        AssignmentPlan, "assignment-plan", stored="sha256", check=campaign_checks.check_plans
    ),
    "consent_versions": HistoryTable(
        ConsentVersion, "consent-text", check=campaign_checks.check_consent_versions
    ),
    "annotators": HistoryTable(
        Annotator, where=Annotator.trial.is_(False), check=campaign_checks.check_annotators
    ),
    "consents": HistoryTable(Consent),
    "exclusions": HistoryTable(Exclusion, "exclusion"),
    "decisions": HistoryTable(Decision, "decision"),
    "assignments": HistoryTable(Assignment, check=campaign_checks.check_assignments),
    "assignment_events": HistoryTable(AssignmentEvent),
    "steps": HistoryTable(Step, check=campaign_checks.check_steps),
    "unit_answers": HistoryTable(
        UnitAnswer,
        left_out=("key_sha256",),
        where=UnitAnswer.step_id.not_in(_WITHDRAWN_STEPS),
        check=campaign_checks.check_unit_answers,
    ),
    "answer_texts": HistoryTable(AnswerText),
}
"""The tables by the names of their lists; a row refers to rows of earlier lists, and of its own."""
