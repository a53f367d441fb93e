"""The records of `history.json`: one class each, for writing and for reading.

A field that is added later needs a default; it is written only if it differs, and may be missing.
People are "person 1" and so on; their names are in `people`, if they were requested.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime

from scorer.errors import ProblemLine
from server.bundles.task_history.release_records import FilesRecord, RulesRecord
from server.gold.models import GoldEventName
from server.submissions.probing import FlagCode
from server.submissions.rules import SubmissionFacts, find_counting_id
from server.teams.models import TeamState

GoldKey = tuple[str, str, int]
"""A gold version: level, split, number."""


@dataclass(frozen=True, slots=True)
class PersonRecord:
    """A person who took part."""

    id: str
    name: str | None = None


@dataclass(frozen=True, slots=True)
class TermsRecord:
    """One version of the terms; without a file, it ended the terms."""

    number: int
    made_at: datetime
    file: str | None = None
    sha256: str | None = None
    made_by: str | None = None


@dataclass(frozen=True, slots=True)
class AcceptanceRecord:
    """A person's acceptance of one version of the terms."""

    number: int
    person: str
    accepted_at: datetime


@dataclass(frozen=True, slots=True)
class GoldRecord:
    """One gold version of a split."""

    level: str
    split: str
    number: int
    file: str
    sha256: str
    reason: str
    made_at: datetime
    made_by: str | None = None
    scorer: str | None = None
    """In older exports without it, the version of the scorer that reads this."""
    salt: str | None = None
    """The salt of its commitment; older exports have none, and a new one is drawn."""


@dataclass(frozen=True, slots=True)
class GoldEventRecord:
    """An event of a gold version, in chronological order."""

    level: str
    split: str
    number: int
    event: GoldEventName
    reason: str
    made_at: datetime
    made_by: str | None = None


@dataclass(frozen=True, slots=True)
class TeamRecord:
    """A team; that of the baselines has no people."""

    name: str
    created_at: datetime
    captain: str | None = None
    affiliations: str = ""
    state: TeamState = "approved"
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class MemberRecord:
    """A person in a team."""

    team: str
    person: str
    joined_at: datetime


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A run; its submissions refer to its `id`."""

    id: int
    phase: str
    team: str
    name: str
    number: int
    created_at: datetime
    description: str = ""
    baseline: str | None = None
    method: str = ""
    resources: str = ""
    links: str = ""
    authors: str = ""
    is_primary: bool = False
    position: int | None = None
    """None: its position is its number."""


@dataclass(frozen=True, slots=True)
class RunWithdrawalRecord:
    """A run withdrawn with all its files, or restored, in chronological order."""

    run: int
    withdrawn: bool
    made_at: datetime
    made_by: str | None = None


@dataclass(frozen=True, slots=True)
class SubmissionRecord:
    """A submission; ids grow in the order in which files were stored."""

    id: int
    run: int
    level: str
    file: str
    sha256: str
    filename: str
    late: bool
    arrived_at: datetime
    warnings: list[str] = field(default_factory=list)
    golds: list[int] = field(default_factory=list)
    """Numbers of the gold versions that it was scored against; none: the one of its time, and all later."""
    submitted_by: str | None = None
    receipt: str | None = None
    """The file of its receipt; None: it has none."""
    receipt_sha256: str | None = None


@dataclass(frozen=True, slots=True)
class WithdrawalRecord:
    """A submission withdrawn, or restored, in chronological order."""

    submission: int
    withdrawn: bool
    made_at: datetime
    made_by: str | None = None


@dataclass(frozen=True, slots=True)
class FlagRecord:
    """A submission that looks like probing; `other`: the one from which it hardly differs."""

    submission: int
    code: FlagCode
    words: str
    made_at: datetime
    other: int | None = None


@dataclass(frozen=True, slots=True)
class ProblemRecord:
    """One problem of a rejected file, and how many lines have it."""

    source: str
    line: int | None
    code: str
    message: str
    text: str | None = None
    before: str | None = None
    after: str | None = None
    count: int = 1
    others: list[ProblemLine] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class RejectionRecord:
    """A rejected file, which is not stored itself."""

    run: int
    level: str
    sha256: str
    filename: str
    count: int
    arrived_at: datetime
    problems: list[ProblemRecord] = field(default_factory=list)
    submitted_by: str | None = None


@dataclass(frozen=True, slots=True)
class InferenceRecord:
    """The inference of a release's leaderboard with this hash."""

    board_sha256: str
    file: str
    sha256: str
    noted_at: datetime
    made_at: datetime


@dataclass(frozen=True, slots=True)
class SealRecord:
    """The signed statement of the site that made a release, about the leaderboard with this hash."""

    board_sha256: str
    file: str
    sha256: str


@dataclass(frozen=True, slots=True)
class ReleaseRecord:
    """A released leaderboard, and its withdrawal if there was one."""

    phase: str
    number: int
    file: str
    sha256: str
    made_at: datetime
    made_by: str | None = None
    withdrawn_at: datetime | None = None
    withdrawn_by: str | None = None
    withdrawn_reason: str | None = None
    feedback: str | None = None
    named_file: str | None = None
    """The leaderboard of an anonymous release with the teams' names."""
    named_sha256: str | None = None
    named_at: datetime | None = None
    """When the names became public."""
    named_by: str | None = None
    opens_gold: bool = False
    rules: RulesRecord | None = None
    """None: the release is older than stored rules."""
    published: FilesRecord | None = None
    """None: the run files are not published with it."""
    note: str | None = None
    inferences: list[InferenceRecord] = field(default_factory=list)
    """Its inferences, if they were computed: with pseudonyms, and with names."""
    seals: list[SealRecord] = field(default_factory=list)
    """Its signed statements, of its creation and of the revealed names. Old releases have none."""


@dataclass(frozen=True, slots=True)
class PseudonymRecord:
    """The name of a team in the anonymous releases of a phase."""

    phase: str
    team: str
    name: str


@dataclass(frozen=True, slots=True)
class ExtensionRecord:
    """A later deadline, for all teams or for one."""

    phase: str
    closes: datetime
    reason: str
    made_at: datetime
    team: str | None = None
    made_by: str | None = None


@dataclass(frozen=True, slots=True)
class AnnouncementRecord:
    """An announcement to all teams, to those with incomplete runs in a phase, or to chosen teams."""

    title: str
    text: str
    made_at: datetime
    phase: str | None = None
    teams: list[str] = field(default_factory=list)
    made_by: str | None = None


@dataclass(frozen=True, slots=True)
class QuestionRecord:
    """A question of a team."""

    id: int
    team: str
    text: str
    made_at: datetime
    made_by: str | None = None


@dataclass(frozen=True, slots=True)
class QuestionAnswerRecord:
    """An answer; with `public_question`, the question in these words, it is public."""

    question: int
    text: str
    made_at: datetime
    public_question: str | None = None
    made_by: str | None = None


@dataclass(frozen=True, slots=True)
class ReminderRecord:
    """A reminder that was sent to a team, so many hours before its deadline."""

    phase: str
    team: str
    closes: datetime
    hours: int
    sent_at: datetime


@dataclass(frozen=True, slots=True)
class CampaignRecord:
    """A campaign: the zip of its configuration, and the file with its rows."""

    slug: str
    made_at: datetime
    bundle: str
    bundle_sha256: str
    file: str
    sha256: str
    made_by: str | None = None


@dataclass(frozen=True, slots=True)
class TaskHistory:
    """Everything in a task that its leaderboard does not need."""

    created_at: datetime
    people: list[PersonRecord] = field(default_factory=list)
    terms: list[TermsRecord] = field(default_factory=list)
    acceptances: list[AcceptanceRecord] = field(default_factory=list)
    gold: list[GoldRecord] = field(default_factory=list)
    gold_events: list[GoldEventRecord] = field(default_factory=list)
    """If empty, each version was put in force when it was added."""
    teams: list[TeamRecord] = field(default_factory=list)
    members: list[MemberRecord] = field(default_factory=list)
    runs: list[RunRecord] = field(default_factory=list)
    run_withdrawals: list[RunWithdrawalRecord] = field(default_factory=list)
    submissions: list[SubmissionRecord] = field(default_factory=list)
    withdrawals: list[WithdrawalRecord] = field(default_factory=list)
    flags: list[FlagRecord] = field(default_factory=list)
    rejections: list[RejectionRecord] = field(default_factory=list)
    releases: list[ReleaseRecord] = field(default_factory=list)
    pseudonyms: list[PseudonymRecord] = field(default_factory=list)
    extensions: list[ExtensionRecord] = field(default_factory=list)
    announcements: list[AnnouncementRecord] = field(default_factory=list)
    reminders: list[ReminderRecord] = field(default_factory=list)
    questions: list[QuestionRecord] = field(default_factory=list)
    answers: list[QuestionAnswerRecord] = field(default_factory=list)
    campaigns: list[CampaignRecord] = field(default_factory=list)


def list_withdrawn_runs(history: TaskHistory) -> dict[int, bool]:
    """Return whether each run that was ever withdrawn is so in the end; a removed baseline is, too."""
    return {withdrawal.run: withdrawal.withdrawn for withdrawal in history.run_withdrawals}


def find_counting(history: TaskHistory) -> dict[tuple[int, str, bool], SubmissionRecord]:
    """Return the submissions that count, by run, level, and whether they are late."""
    withdrawn = {withdrawal.submission: withdrawal.withdrawn for withdrawal in history.withdrawals}
    run_withdrawn = list_withdrawn_runs(history)
    filed: dict[tuple[int, str], list[SubmissionFacts]] = defaultdict(list)
    for record in history.submissions:
        gone = withdrawn.get(record.id, False) or run_withdrawn.get(record.run, False)
        filed[record.run, record.level].append(SubmissionFacts(record.id, record.late, gone))
    by_id = {record.id: record for record in history.submissions}
    return {
        (*key, late): by_id[newest]
        for key, files in filed.items()
        for late in (False, True)
        if (newest := find_counting_id(files, late=late)) is not None
    }
