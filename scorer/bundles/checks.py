"""Checks all files of a bundle and reports all problems at once."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from scorer.baselines.senses import open_senses
from scorer.bundles.bundle import Bundle, LevelSpec, RunSpec, SplitSpec
from scorer.bundles.drafts.items_preview import IGNORED, SAMPLE_ROWS, read_first_rows, roles_of_layout
from scorer.errors import BundleError, DataError, Problem, RequestError
from scorer.files.numbers import read_number
from scorer.files.reading import Items, header_of
from scorer.metrics import needs_groups

MIN_LABELS = 3
"""So many numbers that are those of the gold are no accident."""


def check_bundle(bundle: Bundle) -> None:
    """Read every file that a bundle names, and raise one BundleError with all problems of all files."""
    errors = list(_file_errors(bundle))
    if errors:
        raise BundleError.of_all(errors)


def _file_errors(bundle: Bundle) -> Iterator[DataError]:
    if problems := list(_files_without_split(bundle)):
        yield BundleError(problems)
    yield from _senses_errors(bundle)
    for level in bundle.levels:
        for split in level.splits.values():
            try:
                items = bundle.items(level, split.name)
            except DataError as error:
                yield error
            except RequestError as error:  # the columns of the level cannot be those of any file
                message = f"level[{level.slug}].columns: {error}"
                yield BundleError([Problem(bundle.source, None, error.code, message)])
            else:
                yield from _split_errors(bundle, level, split, items)


def _senses_errors(bundle: Bundle) -> Iterator[DataError]:
    """Read the dictionaries of the levels, even if no baseline uses them yet."""
    for name in dict.fromkeys(level.senses for level in bundle.levels if level.senses is not None):
        try:
            open_senses(str(bundle.folder / name))
        except DataError as error:
            problems = [replace(problem, source=name) for problem in error.problems]
            yield BundleError(problems, error.count)


def _split_errors(bundle: Bundle, level: LevelSpec, split: SplitSpec, items: Items) -> Iterator[DataError]:
    if missing_groups := _missing_groups(level, split, items):
        yield BundleError([missing_groups])
    if revealed_gold := list(_gold_in_items(bundle, level, split, items)):
        yield BundleError(revealed_gold)
    reads: list[Callable[[], object]] = [partial(bundle.parts, level, split.name, items)]
    if split.gold is not None:
        reads.insert(0, partial(bundle.gold, level, split.name, items))
    reads += [
        partial(bundle.run, path, items, baseline=run.baseline is not None)
        for run in bundle.runs
        if split.name in bundle.splits_of(run)
        for path in run_files(run, level)
    ]
    for read in reads:
        try:
            read()
        except DataError as error:
            yield error


def _missing_groups(level: LevelSpec, split: SplitSpec, items: Items) -> Problem | None:
    """Return a problem if the items lack the groups that a metric of their level needs."""
    if items.groups is not None or not needs_groups(level.metrics):
        return None
    name = next(name for name in level.metrics if needs_groups([name]))
    why = f"{name} of {level.slug} needs a column that says which items are compared"
    fix = "add the column, and group to the level's columns, or choose another metric"
    return Problem(split.items, None, "no_groups", f"{why}; {fix}")


def run_files(run: RunSpec, level: LevelSpec) -> list[str]:
    """Return the files of a run for a level: a timely file, a late file, or both."""
    paths = (files.get(level.slug) for files in (run.files, run.late_files))
    return [path for path in paths if path is not None]


def _gold_in_items(bundle: Bundle, level: LevelSpec, split: SplitSpec, items: Items) -> Iterator[Problem]:
    """Yield a problem if the items reveal hidden gold, because everyone can download the items."""
    if split.public_gold:
        return
    fix = "everyone can download the items: name a file without it, or set public_gold = true"
    data = bundle.read(split.items)
    if split.gold is not None and bundle.read(split.gold) == data:
        yield Problem(split.items, None, "gold_shown", f"is the gold of {level.slug} too, and {fix}")
        return
    if bundle.task.keyed is not None and level.layout.has_header:
        column = bundle.task.keyed.gold_column
        if column in header_of(data, level.layout):
            message = f'has the column "{column}", the gold of {level.slug}, and {fix}'
            yield Problem(split.items, 1, "gold_shown", message)
            return
    if (place := _find_gold_column(bundle, level, split, items, data)) is not None:
        message = f"has the gold of {level.slug} in column {place}, and {fix}"
        yield Problem(split.items, None, "gold_shown", message)


def _find_gold_column(
    bundle: Bundle, level: LevelSpec, split: SplitSpec, items: Items, data: bytes
) -> int | None:
    """Return the place, from 1, of an unused column whose first rows have the gold of their items."""
    rows = read_first_rows(data, level.layout.delimiter, SAMPLE_ROWS)
    roles = roles_of_layout(level.layout, max(rows, key=len, default=()))
    unused = [place for place, role in enumerate(roles) if role == IGNORED] if level.layout.columns else []
    if split.gold is None or not unused:
        return None
    try:
        gold = bundle.gold(level, split.name, items).values
    except DataError:
        return None  # another check says what is wrong with it
    body = rows[1:] if level.layout.has_header else rows
    labelled = [(row, value) for row, value in zip(body, gold, strict=False) if value is not None]
    if len(labelled) < MIN_LABELS or len({value for _row, value in labelled}) == 1:
        return None
    for place in unused:
        if all(len(row) > place and read_number(row[place].strip()) == value for row, value in labelled):
            return place + 1
    return None


def _files_without_split(bundle: Bundle) -> Iterator[Problem]:
    """Yield run files for a level without items in the split of the phase: no leaderboard shows them."""
    for run in bundle.runs if bundle.phases else ():
        splits = bundle.splits_of(run)
        for level in bundle.levels:
            for path in run_files(run, level) if splits.isdisjoint(level.splits) else ():
                why = f"answers {level.slug}, which has no {min(splits)} split"
                message = f"{why}; leave the file out, or name the phase"
                yield Problem(path, None, "no_split", message)
