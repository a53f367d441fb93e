"""The rows that belong to each list of `history.json`, and how their columns become fields.

Export, checks and restore use this table. To export one more column, add a field with its name to the
record. Only where a row and its record differ, as where a text becomes a file, are fields set explicitly, in
`export.py` and `restore.py`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, Literal, get_args, get_origin, get_type_hints

from server.annotation.models import Campaign
from server.bundles.models import AttributionPart
from server.bundles.task_history import records
from server.gold.models import GoldEvent, GoldVersion
from server.mail.models import Announcement, Reminder
from server.phases.models import Extension, Phase
from server.questions.models import Answer, Question
from server.releases.models import Pseudonym, Release
from server.runs.models import Run, RunWithdrawal
from server.submissions.models import Flag, Rejection, Submission, Withdrawal
from server.tasks.models import Level, Split, TermsAcceptance, TermsVersion
from server.teams.models import Membership, Team

REFERENCES = {
    "phase": "phases",
    "level": "levels",
    "team": "teams",
    "run": "runs",
    "submission": "submissions",
    "other": "submissions",
    "question": "questions",
}
"""Fields that refer to a record, and the list of that record: a row has its id, a record its key."""
AUTHORS = ("made_by", "submitted_by", "captain")
"""Fields that name who did what a record describes."""


@dataclass(slots=True)
class RecordTable:
    """The rows of the records in one list."""

    record: type[Any]
    model: type[Any]
    joins: Sequence[Any] = ()
    """Joins from the rows to a table with the task's id."""
    order: Sequence[Any] = ()
    """The order of the rows; by default, by id."""
    part: AttributionPart | None = None
    """The part of the attributions that has the authors of imported rows."""
    key: Callable[[Any], Any] | None = None
    """Returns the key by which other records refer to a record."""
    unique: Sequence[tuple[str, ...]] = ()
    """Combinations of fields that must be unique."""
    numbered_within: tuple[str, ...] | None = None
    """Records with the same values of these fields are numbered 1, 2, 3 and so on; empty: all records are."""
    missing: str | None = None
    """The message if a record refers to something missing, in place of one about the field."""
    author: str | None = field(init=False)
    """The field that names the author."""
    copied: list[str] = field(init=False)
    """The fields that are copied from columns with the same name."""
    references: dict[str, str] = field(init=False)
    """The fields that refer to other records, and the lists of those."""
    choices: dict[str, tuple[str, ...]] = field(init=False)
    """The fields that are one of some words, and those words."""

    def __post_init__(self) -> None:
        hints = get_type_hints(self.record)
        names, columns = list(hints), self.model.__table__.columns
        self.author = next((name for name in names if name in AUTHORS), None)
        self.copied = [name for name in names if name in columns and name not in ("id", self.author)]
        self.references = {
            name: REFERENCES[name] for name in names if name in REFERENCES and f"{name}_id" in columns
        }
        self.choices = {name: get_args(hint) for name, hint in hints.items() if get_origin(hint) is Literal}


TABLES = {
    "terms": RecordTable(
        records.TermsRecord,
        TermsVersion,
        order=[TermsVersion.number],
        part="terms",
        key=attrgetter("number"),
        numbered_within=(),
    ),
    "acceptances": RecordTable(
        records.AcceptanceRecord,
        TermsAcceptance,
        [TermsVersion],
        [TermsAcceptance.accepted_at, TermsAcceptance.user_id],
        part="acceptance",
        unique=[("number", "person")],
    ),
    "gold": RecordTable(
        records.GoldRecord,
        GoldVersion,
        [Split, Level],
        [Level.position, Split.name.desc(), GoldVersion.number],  # as `Level.splits`
        part="gold",
        key=attrgetter("level", "split", "number"),
        numbered_within=("level", "split"),
    ),
    "gold_events": RecordTable(
        records.GoldEventRecord, GoldEvent, [GoldVersion, Split, Level], part="gold-event"
    ),
    "teams": RecordTable(records.TeamRecord, Team, part="captain", key=attrgetter("name")),
    "members": RecordTable(
        records.MemberRecord,
        Membership,
        order=[Membership.joined_at, Membership.user_id],
        part="member",
        unique=[("person",)],
    ),
    "runs": RecordTable(
        records.RunRecord,
        Run,
        [Phase],
        key=attrgetter("id"),
        unique=[("id",), ("phase", "team", "name"), ("phase", "team", "number")],
    ),
    "run_withdrawals": RecordTable(
        records.RunWithdrawalRecord, RunWithdrawal, [Run, Phase], part="run-withdrawal"
    ),
    "submissions": RecordTable(
        records.SubmissionRecord, Submission, [Run, Phase], part="submission", key=attrgetter("id")
    ),
    "withdrawals": RecordTable(
        records.WithdrawalRecord, Withdrawal, [Submission, Run, Phase], part="withdrawal"
    ),
    "flags": RecordTable(
        records.FlagRecord,
        Flag,
        [Flag.submission, Run, Phase],
        [Flag.submission_id, Flag.code],
        unique=[("submission", "code")],
        missing="there is no such submission",
    ),
    "rejections": RecordTable(records.RejectionRecord, Rejection, [Run, Phase], part="rejection"),
    "releases": RecordTable(
        records.ReleaseRecord, Release, [Phase], part="release", numbered_within=("phase",)
    ),
    "pseudonyms": RecordTable(
        records.PseudonymRecord,
        Pseudonym,
        [Phase],
        [Phase.position, Pseudonym.team_id],
        unique=[("phase", "team"), ("phase", "name")],
        missing="there is no such phase, or no such team",
    ),
    "extensions": RecordTable(records.ExtensionRecord, Extension, [Phase], part="extension"),
    "announcements": RecordTable(records.AnnouncementRecord, Announcement, part="announcement"),
    "reminders": RecordTable(
        records.ReminderRecord,
        Reminder,
        [Phase, Team],
        [Reminder.sent_at, Phase.position, Team.name_key, Reminder.hours],
        unique=[("phase", "team", "closes", "hours")],
    ),
    "questions": RecordTable(
        records.QuestionRecord, Question, part="question", key=attrgetter("id"), unique=[("id",)]
    ),
    "answers": RecordTable(records.QuestionAnswerRecord, Answer, [Question], part="answer"),
    "campaigns": RecordTable(
        records.CampaignRecord, Campaign, part="campaign", key=attrgetter("slug"), unique=[("slug",)]
    ),
}
"""The tables by the name of their list, except people, who are accounts or came with an import."""
