"""The records of what a release was made under, and of the files of runs that it publishes."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from server.releases.run_files import ReleasedFile


@dataclass(frozen=True, slots=True)
class PhaseRules:
    """Which phase, and its times."""

    slug: str
    title: str
    split: str
    opens: datetime | None
    closes: datetime | None
    grace_hours: int


@dataclass(frozen=True, slots=True)
class ExtensionRules:
    """Later deadlines for all, and how many teams had one of their own."""

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
    """One level, and what its files were scored by and against."""

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
    """What an anonymous release calls a file once its names are shown."""

    team: str
    run: str
    path: str


@dataclass(frozen=True, slots=True)
class FileRecord(ReleasedFile):
    """A file of a run that is published with a release; in an anonymous one, `named` has the true names."""

    named: NameRecord | None = None
    submission: int | None = None
    """Which of the history's it is; None: the release is of before this was kept."""


@dataclass(frozen=True, slots=True)
class FilesRecord:
    """The files that a release publishes; there may be none."""

    files: list[FileRecord] = field(default_factory=list)


def parse_rules(values: Mapping[str, Any]) -> RulesRecord | None:
    """The rules as a release keeps them; None: it is of before these were kept."""
    if not values:
        return None
    return RulesRecord(
        **{
            **values,
            "phase": PhaseRules(**_dated(values["phase"], "opens", "closes")),
            "extensions": ExtensionRules(
                [datetime.fromisoformat(at) for at in values["extensions"]["for_all"]],
                values["extensions"]["teams"],
            ),
            "feedback": FeedbackRules(**values["feedback"]),
            "board": BoardRecord(**values["board"]),
            "levels": [_level(level) for level in values["levels"]],
        }
    )


def _level(values: Mapping[str, Any]) -> LevelRules:
    gold = values["gold"]
    return LevelRules(**{**values, "gold": None if gold is None else GoldRules(**_dated(gold, "since"))})


def _dated(values: Mapping[str, Any], *names: str) -> dict[str, Any]:
    at = {name: values[name] for name in names}
    return {**values, **{name: text and datetime.fromisoformat(text) for name, text in at.items()}}


def dump_rules(record: RulesRecord | None) -> dict[str, Any]:
    """The rules as a release keeps them."""
    values: dict[str, Any] = {} if record is None else _plain(asdict(record))
    return values


def parse_files(values: list[dict[str, Any]] | None, numbers: Mapping[int, int]) -> FilesRecord | None:
    """The published files as a release keeps them; `numbers`: those of the history, by submission."""
    if values is None:
        return None
    return FilesRecord(
        [
            FileRecord(
                **{
                    **file,
                    "named": None if file.get("named") is None else NameRecord(**file["named"]),
                    "submission": numbers.get(file.get("submission", 0)),
                }
            )
            for file in values
        ]
    )


def dump_files(record: FilesRecord | None, ids: Mapping[int, int]) -> list[dict[str, Any]] | None:
    """The published files as a release keeps them; `ids`: those of submissions here, by their numbers."""
    if record is None:
        return None
    rows = [
        asdict(file) | {"submission": None if file.submission is None else ids[file.submission]}
        for file in record.files
    ]
    absent = ("named", "submission")
    return [
        {name: value for name, value in row.items() if value is not None or name not in absent}
        for row in rows
    ]


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat(timespec="seconds").replace("+00:00", "Z")
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, list) else value
