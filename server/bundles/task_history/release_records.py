"""The records of a release's rules, and of the run files that it publishes."""

from dataclasses import dataclass, field
from datetime import datetime

from server.releases.run_files import ReleasedFile


@dataclass(frozen=True, slots=True)
class PhaseRules:
    """The phase and its times."""

    slug: str
    title: str
    split: str
    opens: datetime | None
    closes: datetime | None
    grace_hours: int


@dataclass(frozen=True, slots=True)
class ExtensionRules:
    """Later deadlines for all teams, and how many teams had their own."""

    for_all: list[datetime]
    teams: int


@dataclass(frozen=True, slots=True)
class FeedbackRules:
    """What teams saw of their scores."""

    kind: str
    places: int | None
    step: float | None


@dataclass(frozen=True, slots=True)
class BoardRecord:
    """How levels make a total."""

    total: str
    total_needs: str
    enter_at_least: int


@dataclass(frozen=True, slots=True)
class GoldRules:
    """Which gold version was in force, and since when."""

    version: int
    since: datetime


@dataclass(frozen=True, slots=True)
class LevelRules:
    """One level, with the metrics and the gold version of its files."""

    slug: str
    title: str
    metrics: list[str]
    counts: bool
    items: int
    public_items: int | None
    gold: GoldRules | None


@dataclass(frozen=True, slots=True)
class RulesRecord:
    """The rules that a release was made under."""

    schema: str
    phase: PhaseRules
    extensions: ExtensionRules
    runs_per_team: int
    files_per_level: int | None
    files_per_day: int | None
    feedback: FeedbackRules
    board: BoardRecord
    levels: list[LevelRules]
    baselines: bool
    runs_public: bool
    opens_gold: bool
    terms: int | None
    scorer: str


@dataclass(frozen=True, slots=True)
class NameRecord:
    """The names of a file in an anonymous release once its names are revealed."""

    team: str
    run: str
    path: str


@dataclass(frozen=True, slots=True)
class FileRecord(ReleasedFile):
    """A run file that is published with a release; in an anonymous one, `named` has the true names."""

    named: NameRecord | None = None
    submission: int | None = None
    """The submission in the history; None: the release is older than this field."""


@dataclass(frozen=True, slots=True)
class FilesRecord:
    """The files that a release publishes; there may be none."""

    files: list[FileRecord] = field(default_factory=list)
