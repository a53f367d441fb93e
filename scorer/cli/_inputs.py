"""Gold and the runs that answer it, as the commands read them: aligned or keyed, and perhaps swapped."""

from collections.abc import Sequence
from dataclasses import dataclass
from os.path import realpath
from pathlib import PurePath

import click

from scorer.cli._options import KeyedOptions, label
from scorer.errors import DataError, GoldError, Problem, RequestError, RunError
from scorer.files.reading import Gold, Items, KeyedFormat, Run, Scale, parse_gold, parse_run, read_bytes

_MAX_WARNINGS = 5


@dataclass(frozen=True, slots=True)
class ValueLimits:
    """How far scores and confidences go."""

    scale: Scale | None
    confidence_max: float


@dataclass(frozen=True, slots=True)
class FileFormats:
    """How the two files are written; None for an aligned one. `sniff_gold`: keyed if its header looks so."""

    gold: KeyedFormat | None
    run: KeyedFormat | None
    sniff_gold: bool

    @classmethod
    def choose(cls, keyed: KeyedOptions, gold_score: str | None) -> "FileFormats":
        """What the options for the columns say."""
        only_gold = gold_score is not None and keyed.score is None and keyed.confidence is None
        run = None if only_gold else keyed.run_format()
        column = gold_score or keyed.score
        if column is None:
            return cls(None, run, sniff_gold=False)
        if keyed.id is None:
            raise RequestError("keyed gold needs --id COLUMN beside --gold-score")
        return cls(keyed.format_of(keyed.id, column, None), run, sniff_gold=gold_score is None)


def refuse_second_stdin(*paths: str | None) -> None:
    """Refuse to read standard input twice."""
    if paths.count("-") > 1:
        raise RequestError("only one of the files can be standard input")


def check_duplicates(paths: Sequence[str]) -> None:
    """Refuse a run that is there twice, however its path is written."""
    seen = set()
    for path in paths:
        place = label(path) if path == "-" else realpath(path)
        if place in seen:
            raise RequestError(f"{path} is there more than once; each run counts once")
        seen.add(place)


def read_gold_and_runs(
    gold_path: str, run_paths: Sequence[str], level: Items | None, formats: FileFormats, limits: ValueLimits
) -> tuple[Gold, list[Run]]:
    """The gold and each run in the order of its items; every problem of every run at once."""
    gold_data, refused = read_bytes(gold_path), list[DataError]()
    runs: list[tuple[str, bytes]] = []
    for path in run_paths:
        try:
            runs.append((label(path), read_bytes(path)))
        except DataError as error:
            refused.append(error)
    ids = None if level is None else level.ids
    gold_format = formats.gold if not formats.sniff_gold or _looks_keyed(gold_data, formats.gold) else None
    try:
        gold = parse_gold(gold_data, label(gold_path), ids=ids, keyed=gold_format)
    except GoldError as error:
        if runs:
            _refuse_swapped(error, gold_data, runs[0][1], label(gold_path), runs[0][0])
        raise
    item_ids = ids or gold.ids
    if formats.run is not None and item_ids is None:
        raise RequestError(
            "the run is keyed and the gold is not: --items FILE has to say which line has which id"
        )
    answers = []
    for source, data in runs:
        try:
            if item_ids is None or formats.run is None:
                answers.append(_read_aligned_run(data, source, gold, label(gold_path), limits))
            else:
                answers.append(_read_keyed_run(data, source, item_ids, formats.run, limits))
        except RunError as error:
            refused.append(error)
    if refused:
        raise _merge_errors(refused)
    return gold, answers


def _read_keyed_run(
    data: bytes, source: str, ids: Sequence[str], keyed: KeyedFormat, limits: ValueLimits
) -> Run:
    return parse_run(
        data, source, ids=ids, keyed=keyed, scale=limits.scale, confidence_max=limits.confidence_max
    )


def _read_aligned_run(data: bytes, source: str, gold: Gold, gold_source: str, limits: ValueLimits) -> Run:
    n = len(gold.values)
    try:
        return parse_run(data, source, n=n, scale=limits.scale, confidence_max=limits.confidence_max)
    except RunError as error:
        short = any(problem.code == "too_few_lines" for problem in error.problems)
        if short and gold.values[-1] is None:
            message = "the last line of the gold is blank and counts as an item; remove it if it is none"
            hint = Problem(gold_source, n, "blank_last_line", message)
            raise RunError([*error.problems, hint], error.count + 1) from error
        raise


def _merge_errors(errors: Sequence[DataError]) -> DataError:
    if len(errors) == 1:
        return errors[0]
    problems = [problem for error in errors for problem in error.problems]
    return RunError(problems, sum(error.count for error in errors))


def _looks_keyed(data: bytes, keyed: KeyedFormat | None) -> bool:
    """Whether the first line names the id column or, in a file without a header, has several columns."""
    first = data[:10000].splitlines()[:1]
    if keyed is None or not first:
        return False
    return keyed.id.encode() in first[0] if keyed.has_header else b"\t" in first[0] or b"," in first[0]


def _refuse_swapped(error: GoldError, gold: bytes, run: bytes, gold_source: str, run_source: str) -> None:
    """Say so if the gold has confidences, which only runs have, and the run could be gold."""
    if not any(problem.code == "too_many_columns" for problem in error.problems):
        return
    try:
        parse_run(gold, gold_source)
        parse_gold(run, run_source)
    except DataError:
        return
    message = f"has confidences, as a run has, and {run_source} has none: are they swapped? GOLD comes first"
    raise GoldError([Problem(gold_source, None, "swapped", message)]) from error


def warn_if_swapped(gold: Gold, run: Run, gold_source: str, run_source: str) -> None:
    """Ratings come in quarter points, systems' scores seldom do: say so where it is the other way round."""
    ratings = [value for value in gold.values if value is not None]
    finer = sum((4 * value) % 1 != 0 for value in ratings)
    coarse = sum((4 * score) % 1 == 0 for score in run.scores)
    if 10 * finer > 6 * len(ratings) and 10 * coarse > 6 * len(run.scores) and len(set(run.scores)) > 2:
        click.echo(
            f"note: {run_source} has mostly quarter points, as gold has, and {gold_source} has not: "
            "are they swapped? GOLD comes first",
            err=True,
        )


def print_warnings(runs: Sequence[Run]) -> None:
    """The first scores outside the scale, on standard error; what a constant run lacks is in the report."""
    warnings = [problem for run in runs for problem in run.warnings if problem.code != "constant_run"]
    for warning in warnings[:_MAX_WARNINGS]:
        click.echo(f"warning: {warning}", err=True)
    if len(warnings) > _MAX_WARNINGS:
        click.echo("warning: there are more; `scorer check --scale` lists them", err=True)


def short_run_names(paths: Sequence[str]) -> list[str]:
    """What tables call the runs: their paths without the folders and the last parts that all have in common.

    >>> short_run_names(["runs/ash/test.tsv", "runs/birch/test.tsv"])
    ['ash', 'birch']
    >>> short_run_names(["runs/one.tsv", "runs/two.tsv"])
    ['one.tsv', 'two.tsv']
    """
    parts = [PurePath(label(path)).parts or (path,) for path in paths]
    for end in (0, -1):
        while min(map(len, parts)) > 1 and len({part[end] for part in parts}) == 1:
            parts = [part[1:] if end == 0 else part[:-1] for part in parts]
    return [str(PurePath(*part)) for part in parts]
