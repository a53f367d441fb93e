"""The types of columns with JSON: the rules of a release, its run files, and the problems of a file."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Literal

from scorer.boards.board import BoardRules
from scorer.typed_json import Scalar, is_storable
from server.phases.feedback import Feedback
from server.releases.run_files import ReleasedFile

_Line = Annotated[
    str,
    Scalar("text", lambda value: type(value) is str and is_storable(value.replace("\0", ""))),
]
"""A line of a rejected file, which may contain any characters."""


@dataclass(frozen=True, slots=True)
class RejectedLine:
    """Another line of a rejected file with the same problem."""

    line: int | None
    message: str
    text: _Line | None


@dataclass(frozen=True, slots=True)
class RejectedFileProblem:
    """One problem of a rejected file, and how many lines have it."""

    source: str
    line: int | None
    code: str
    message: str
    text: _Line | None
    count: int
    others: list[RejectedLine]
    before: _Line | None
    after: _Line | None


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

    kind: Feedback
    places: int | None
    step: float | None


@dataclass(frozen=True, slots=True)
class HumanCeilingScore:
    """How well annotators would do by a metric."""

    metric: str
    value: float
    annotators: int
    units: int
    signature: str


@dataclass(frozen=True, slots=True)
class GoldRules:
    """Which gold version was in force, since when, and how well its annotators would do."""

    version: int
    since: datetime
    human_ceiling: list[HumanCeilingScore] | None = field(
        default=None, metadata={"type": list[HumanCeilingScore]}
    )


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
class ReleaseRules:
    """The rules that a release was made under."""

    schema: Literal["assay.rules/1"]
    phase: PhaseRules
    extensions: ExtensionRules
    runs_per_team: int
    files_per_level: int | None
    files_per_day: int | None
    feedback: FeedbackRules
    board: BoardRules
    levels: list[LevelRules]
    baselines: bool
    runs_public: bool
    opens_gold: bool
    terms: int | None
    scorer: str


@dataclass(frozen=True, slots=True)
class FileNames:
    """The names of a file in an anonymous release once its names are revealed."""

    team: str
    run: str
    path: str


@dataclass(frozen=True, slots=True)
class PublishedFile(ReleasedFile):
    """A run file that is published with a release; in an anonymous one, `named` has the true names."""

    submission: int
    named: FileNames | None = field(default=None, metadata={"type": FileNames})
