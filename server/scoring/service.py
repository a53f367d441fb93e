"""The site's only access to the scorer: parse a file, validate it, evaluate it against gold labels."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from scorer import __version__ as scorer_version
from scorer.bundles import overview
from scorer.bundles.bundle import parse_gold_for
from scorer.errors import DataError, GoldError, NotEntered, Problem, RunError
from scorer.files import other_items, problem_codes, reading as io
from scorer.files.public_items import ItemsPart, parse_public_items
from scorer.metrics import get_metric, needs_groups, needs_sds
from scorer.scoring.evaluate import Result, evaluate
from scorer.values import Undefined
from server.access import tasks
from server.core.actors import Actor
from server.core.cache import CacheByHash
from server.core.errors import FileProblem, InvalidFile
from server.core.i18n import _, ngettext
from server.core.metrics import SCORING_SECONDS, timed
from server.core.storage import storage_of
from server.gold.models import GoldVersion
from server.phases.feedback import Part, ShownScore
from server.scoring.models import PartScore, Score, ScoreColumns
from server.tasks.models import Level, Split, Task

_LINE_END = re.compile(r"\r\n|\n|\r")
_NEIGHBOUR_LENGTH = 200
"""How many characters of a neighbouring line are shown."""

_MAX_CACHED_ITEMS = 5000
_GOLD_CACHE: CacheByHash[tuple[str, str, str], io.Gold] = CacheByHash(16)
"""Parsed gold files of limited size, by the hashes of the file and its items, and how they are parsed."""

VERSION = scorer_version
"""The installed version of the scorer."""
LINE_CODES = problem_codes.PROBLEM_CODES
ParsedRun = io.Run
ParsedGold = io.Gold
MetricResult = Result
ItemsParts = tuple[ItemsPart, ItemsPart] | None
"""The public items of a split, and the rest; None: no items were declared public."""


@dataclass(frozen=True, slots=True)
class RunResults:
    """One result for each metric: over all items, and over each part if some items were declared public."""

    whole: tuple[Result, ...]
    parts: Mapping[Part, tuple[Result, ...]]


def lower_is_better(metrics: Iterable[str]) -> list[str]:
    """Return the metrics whose smallest value is the best, each once."""
    return [name for name in dict.fromkeys(metrics) if not get_metric(name).higher_is_better]


def items_of(session: Session, split: Split) -> io.Items:
    """Return the items of a split, parsed from its file."""
    return parse_items(storage_of(session).get(split.items_sha256), split.level.slug, split.level.layout)


def parse_items(data: bytes, slug: str, layout: Mapping[str, Any]) -> io.Items:
    """Parse the items in a file of a level, by the layout that the level stores."""
    return io.parse_items(data, f"{slug}.items", layout_of(layout))


def list_sampling_units(items: io.Items, level: Level) -> list[tuple[str, str]]:
    """List each item's id and its unit for drawing public items: its group if a metric compares in groups."""
    groups = items.groups if needs_groups(level.metrics) else None
    units = (
        items.ids
        if groups is None
        else [f"\t{id_}" if group is None else group for id_, group in zip(items.ids, groups, strict=True)]
    )
    return list(zip(items.ids, units, strict=True))


def layout_of(values: Mapping[str, Any]) -> io.ItemsLayout:
    """Return the layout of an items file from the form in which its level stores it."""
    columns = values["columns"] or ()
    kept = tuple(columns.items() if isinstance(columns, dict) else columns)
    return io.ItemsLayout(**{**values, "columns": kept or None})


def layout_values(layout: io.ItemsLayout) -> dict[str, Any]:
    """Return a layout in the form in which its level stores it, and a task.toml has it."""
    values, columns = asdict(layout), layout.columns or ()
    named = {column[0]: column[1] for column in columns if not isinstance(column, str)}
    return values | ({"columns": named} if named else {})


def keyed_of(level: Level) -> io.KeyedFormat | None:
    """Return the columns of the task's run files, if they are keyed."""
    return None if level.task.keyed is None else io.KeyedFormat(**level.task.keyed)


def parse_run(
    session: Session,
    split: Split,
    data: bytes,
    filename: str,
    *,
    baseline: bool = False,
    first_is_score: bool = True,
) -> io.Run:
    """Parse a run file into the order of the items; a baseline's is always aligned. It never reads gold.

    A stored file has been accepted with its first column; in a new one, this may look like ids, and is then
    refused unless `first_is_score`.

    Raises:
        InvalidFile: with every problem of the file.
    """
    task, keyed = split.level.task, None if baseline else keyed_of(split.level)

    def parse(ids: tuple[str, ...] | None) -> io.Run:
        return io.parse_run(
            data,
            filename,
            n=split.n_items,
            ids=ids,
            keyed=keyed,
            scale=task.scale,
            confidence_max=task.confidence_max,
            first_is_score=first_is_score,
        )

    needs_ids = keyed is not None or (not first_is_score and b"\t" in data)
    try:
        return parse(items_of(session, split).ids if needs_ids else None)
    except DataError as error:
        if needs_ids:
            raise rejection_of(error, filename, data) from error
    try:  # again: with the ids, the scorer can describe the problem better
        return parse(items_of(session, split).ids)
    except DataError as error:
        raise rejection_of(error, filename, data) from error


def find_other_items(
    session: Session,
    split: Split,
    data: bytes,
    filename: str,
    problems: Sequence[Problem],
    others: Iterable[Split],
) -> InvalidFile | None:
    """Return the error for a run file that fits the items of one of `others`; None if it does not.

    Its message names those items and their number, so `others` must be items that the reader may know.
    """
    found = other_items.find_other_items(
        problems,
        data,
        filename,
        keyed_of(split.level),
        _items_of_task(session, split),
        [_items_of_task(session, other) for other in others],
    )
    return None if found is None else rejection_of(RunError([found]), filename)


def _items_of_task(session: Session, split: Split) -> other_items.TaskItems:
    name = f"the {split.name} items of {split.level.title}"
    return other_items.TaskItems(name, split.n_items, lambda: items_of(session, split).ids)


def parse_gold(session: Session, split: Split, data: bytes, filename: str) -> io.Gold:
    """Parse a gold file into the order of the items, and check its scale.

    Raises:
        InvalidFile: with every problem of the file.
    """
    level, items = split.level, items_of(session, split)
    with_sds = needs_sds(level.metrics)
    try:
        return parse_gold_for(items, data, filename, keyed_of(level), level.task.scale, with_sds=with_sds)
    except GoldError as error:
        raise rejection_of(error, filename, data) from error


def is_on_step(label: float, task: Task) -> bool:
    """Whether a gold label is on a step of the task's scale, if the scale has steps."""
    step = task.scale_step
    return step is None or overview.is_on_step(label, step, task.scale[0])


def name_rules(split: Split) -> str:
    """Identify all that a run file of a split is parsed and scored with, but the gold."""
    level, task = split.level, split.level.task
    of_task = task.scale_min, task.scale_max, task.confidence_max, task.keyed
    return repr((split.items_sha256, split.public_items_sha256, level.layout, level.metrics, of_task))


def rejection_of(error: DataError, filename: str, data: bytes = b"") -> InvalidFile:
    """Convert the scorer's problems to the site's error, each line between its neighbours."""
    bad = bad_lines(error, data)
    if isinstance(error, NotEntered):
        return InvalidFile(_("%(file)s does not enter this level.", file=filename), bad, error.count)
    words = ngettext(
        "%(file)s has %(num)d problem.", "%(file)s has %(num)d problems.", error.count, file=filename
    )
    return InvalidFile(words, bad, error.count)


def bad_lines(error: DataError, data: bytes = b"") -> list[FileProblem]:
    """Convert the scorer's problems, each line between its neighbours if the file is given."""
    lines = _LINE_END.split(data.decode("utf-8", "replace"))
    if not lines[-1]:
        lines.pop()  # after the last line end there is no line
    return [_bad_line(problem, lines) for problem in error.problems]


def _bad_line(problem: Problem, lines: list[str]) -> FileProblem:
    known = {field.name: getattr(problem, field.name) for field in fields(problem)}
    if problem.line is None or problem.text is None:
        return FileProblem(**known)
    before, after = (
        lines[index][:_NEIGHBOUR_LENGTH] if 0 <= index < len(lines) else None
        for index in (problem.line - 2, problem.line)
    )
    return FileProblem(**known, before=before, after=after)


def gold_of(session: Session, split: Split, version: GoldVersion) -> io.Gold:
    """Parse a gold version; small ones are cached, because many uploads need them."""

    def parse() -> io.Gold:
        return parse_gold(session, split, storage_of(session).get(version.sha256), f"gold {version.number}")

    if split.n_items > _MAX_CACHED_ITEMS:
        return parse()
    level, task = split.level, split.level.task
    with_sds = needs_sds(level.metrics)
    how = (level.slug, level.layout, task.keyed, task.scale, version.number, with_sds)
    return _GOLD_CACHE.get((version.sha256, split.items_sha256, repr(how)), parse)


def parts_of(session: Session, split: Split) -> ItemsParts:
    """Return the parts of a split, parsed from its file of public items."""
    if split.public_items_sha256 is None:
        return None
    return parse_parts(session, split, storage_of(session).get(split.public_items_sha256), "public items")


def parse_parts(session: Session, split: Split, data: bytes, filename: str) -> tuple[ItemsPart, ItemsPart]:
    """Parse a file of public items into them and the rest.

    Raises:
        InvalidFile: with every problem of the file.
    """
    items = items_of(session, split)
    groups = items.groups if needs_groups(split.level.metrics) else None
    try:
        return parse_public_items(data, filename, items.ids, groups)
    except DataError as error:
        raise rejection_of(error, filename, data) from error


def evaluate_run(gold: io.Gold, run: io.Run, metrics: Sequence[str], parts: ItemsParts) -> RunResults:
    """Compute one result for each metric, over all items and over each part."""
    with timed(SCORING_SECONDS):
        by_part = {part.name: evaluate(gold, run, metrics, part=part).results for part in parts or ()}
        return RunResults(evaluate(gold, run, metrics).results, by_part)


def add_scores(
    session: Session, version: GoldVersion, found: Mapping[int, RunResults], now: datetime
) -> None:
    """Store results, by submission, over all items and over each part."""
    session.add_all(
        Score(**_columns(submission_id, version, result, now))
        for submission_id, results in found.items()
        for result in results.whole
    )
    add_part_scores(session, version, found, now)


def add_part_scores(
    session: Session, version: GoldVersion, found: Mapping[int, RunResults], now: datetime
) -> None:
    """Store results, by submission, over the parts alone."""
    session.add_all(
        PartScore(part=part, **_columns(submission_id, version, result, now))
        for submission_id, results in found.items()
        for part, of_part in results.parts.items()
        for result in of_part
    )


def _columns(submission_id: int, version: GoldVersion, result: Result, now: datetime) -> dict[str, Any]:
    undefined = result.value if isinstance(result.value, Undefined) else None
    return {
        "submission_id": submission_id,
        "gold_version_id": version.id,
        "metric": result.metric,
        "value": None if isinstance(result.value, Undefined) else result.value,
        "undefined_code": None if undefined is None else undefined.code,
        "undefined_reason": None if undefined is None else undefined.reason,
        "n": result.n,
        "signature": result.signature,
        "made_at": now,
    }


def is_higher_better(metric: str) -> bool:
    """Whether a larger value of a metric is better."""
    return get_metric(metric).higher_is_better


def result_of(score: ScoreColumns | ShownScore) -> Result:
    """Convert a stored score, or the part that is shown, to the scorer's result."""
    value: float | Undefined
    if score.value is not None:
        value = score.value
    else:
        value = Undefined(score.undefined_code or "", score.undefined_reason or "")
    return Result(score.metric, value, score.n, score.signature)


def read_items(
    session: Session, actor: Actor, task: Task, level: str, split: str, now: datetime
) -> Sequence[object]:
    """Return the items in the order of their file, if `actor` may download it now.

    Raises:
        NotFound: there is no such file, or not yet, or not for this person.
    """
    file, content = tasks.read_file(session, actor, task, level, split, "items", now)
    return parse_items(content, level, file.level.layout).items
