"""Reads items, gold files and runs for the commands, and notices gold and runs in the wrong order."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from os.path import realpath
from pathlib import PurePath

import click

from scorer.cli._options import (
    Decorator,
    KeyedOptions,
    confidence_option,
    first_is_score_option,
    gold_id_option,
    gold_score_option,
    keyed_options,
    label,
    layout_options,
    option_group,
    scale_option,
)
from scorer.errors import DataError, GoldError, Problem, RequestError, RunError
from scorer.files.reading import (
    Gold,
    Items,
    ItemsLayout,
    KeyedFormat,
    Run,
    parse_gold,
    parse_items,
    parse_run,
    read_bytes,
)
from scorer.files.values import Scale
from scorer.metrics import needs_sds

_MAX_WARNINGS = 5
_SAMPLE = 10_000
"""The number of lines that show whether gold and run are swapped."""


@dataclass(frozen=True, slots=True)
class InputFiles:
    """Reads files of items, gold and runs in the formats that the options describe.

    Gold and runs without a format have one value per line. If no option names the column of the gold values,
    the gold file is read as keyed only if it looks like a keyed file.
    """

    layout: ItemsLayout
    run_format: KeyedFormat | None
    gold_format: KeyedFormat | None
    gold_score: str | None
    scale: Scale | None
    confidence_max: float
    first_is_score: bool

    @classmethod
    def choose(
        cls,
        keyed: KeyedOptions,
        layout: ItemsLayout,
        scale: Scale | None,
        confidence_max: float,
        gold_score: str | None = None,
        gold_id: str | None = None,
        *,
        first_is_score: bool,
    ) -> "InputFiles":
        """Derive the formats of runs and gold from the values of the options."""
        only_gold = gold_score is not None and keyed.score is None and keyed.confidence is None
        run_format = None if only_gold else keyed.run_format()
        column, gold_format = gold_score or keyed.score, None
        if column is not None:
            id_ = gold_id or keyed.id_
            if id_ is None:
                raise RequestError("keyed gold needs --id COLUMN in addition to --gold-score")
            gold_format = keyed.format_of(id_, column, None)
        return cls(layout, run_format, gold_format, gold_score, scale, confidence_max, first_is_score)

    def read_items(self, path: str | None) -> Items | None:
        """Read the items, if the user named a file of them."""
        return None if path is None else parse_items(read_bytes(path), label(path), self.layout)

    def read_gold_and_runs(
        self, gold_path: str, run_paths: Sequence[str], level: Items | None, metrics: Sequence[str]
    ) -> tuple[Gold, list[Run]]:
        """Read the gold and each run in the order of the items; report the problems of all runs at once.

        The gold has what these metrics need.
        """
        gold_data, refused = read_bytes(gold_path), list[DataError]()
        runs: list[tuple[str, bytes]] = []
        for path in run_paths:
            try:
                runs.append((label(path), read_bytes(path)))
            except DataError as error:
                refused.append(error)
        ids, gold_format = None if level is None else level.ids, self.gold_format
        if self.gold_score is None and not _looks_keyed(gold_data, gold_format):
            gold_format = None
        try:
            gold = parse_gold(
                gold_data, label(gold_path), ids=ids, keyed=gold_format, with_sds=needs_sds(metrics)
            )
        except GoldError as error:
            if runs:
                _refuse_swapped(error, gold_data, runs[0][1], label(gold_path), runs[0][0])
            raise self._explain_gold_columns(error, label(gold_path), gold_format) from error
        item_ids = ids or gold.ids
        if item_ids is None and self.run_format is not None:
            raise RequestError(
                "the run is keyed and the gold is not; add --items FILE, which gives the id of each line"
            )
        answers = []
        for source, data in runs:
            try:
                answers.append(self.parse_run(data, source, item_ids, len(gold.values)))
            except RunError as error:
                refused.append(_explain_short_run(error, gold, label(gold_path)))
        raise_all(refused)
        return gold, answers

    def _explain_gold_columns(self, error: GoldError, source: str, found: KeyedFormat | None) -> GoldError:
        """Add to the error of gold that is not in the columns of the runs how to name its own columns."""
        codes, wanted = {problem.code for problem in error.problems}, self.gold_format
        if wanted is None or self.gold_score is not None:
            return error
        if found is None and "too_many_columns" in codes:
            message = (
                f'the first line does not name the column "{wanted.id}"; to read a table without a header, '
                "add --no-header and give the columns of all files by number"
            )
        elif found is not None and not codes.isdisjoint(("not_a_number", "missing_column")):
            message = (
                f'the gold values were looked for in the column "{wanted.score}", like the scores; if they '
                "are in another column, name it with --gold-score COLUMN (and another id with --gold-id)"
            )
        else:
            return error
        return GoldError([*error.problems, Problem(source, None, "gold_columns", message)], error.count + 1)

    def parse_run(self, data: bytes, source: str, ids: Sequence[str] | None, n: int | None = None) -> Run:
        """Parse a run. `ids` are the ids of the items, which a keyed run needs."""
        return parse_run(
            data,
            source,
            n=n,
            ids=ids,
            keyed=self.run_format,
            scale=self.scale,
            confidence_max=self.confidence_max,
            first_is_score=self.first_is_score,
        )


def input_files(*, gold: bool) -> Decorator:
    """Add the options on the formats of runs, items and, if `gold`, gold; the command gets `files`."""
    of_gold = (gold_score_option, gold_id_option) if gold else ()
    scale = scale_option(
        "Warn about scores outside this range, if the file has no errors. They are still scored."
    )
    options = keyed_options, *of_gold, layout_options, scale, confidence_option, first_is_score_option
    return option_group("files", InputFiles.choose, *options)


def refuse_second_stdin(*paths: str | None) -> None:
    """Raise RequestError if more than one file is standard input, which can be read only once."""
    if paths.count("-") > 1:
        raise RequestError("only one of the files can be standard input")


def check_duplicates(paths: Sequence[str]) -> None:
    """Raise RequestError if a run is given twice, even if its path is written in two ways."""
    seen = set()
    for path in paths:
        place = label(path) if path == "-" else realpath(path)
        if place in seen:
            raise RequestError(f"{path} is given more than once; give each run once")
        seen.add(place)


def _looks_keyed(data: bytes, keyed: KeyedFormat | None) -> bool:
    """Whether the first line names the id column or, if the file has no header, has several columns."""
    first = data[:10000].splitlines()[:1]
    if keyed is None or not first:
        return False
    return keyed.id.encode() in first[0] if keyed.has_header else b"\t" in first[0] or b"," in first[0]


def _explain_short_run(error: RunError, gold: Gold, gold_source: str) -> RunError:
    """Add a hint to the error of a run that is too short, if the gold ends in a blank line."""
    short = any(problem.code == "too_few_lines" for problem in error.problems)
    if not short or gold.values[-1] is not None:
        return error
    message = "the last line of the gold is blank and counts as an item; remove it if it is not an item"
    hint = Problem(gold_source, len(gold.values), "blank_last_line", message)
    return RunError([*error.problems, hint], error.count + 1)


def raise_all(refused: Sequence[DataError]) -> None:
    """Raise the errors of several files as one error, if there are any."""
    if len(refused) == 1:
        raise refused[0]
    if refused:
        problems = [problem for error in refused for problem in error.problems]
        raise RunError(problems, sum(error.count for error in refused))


def _refuse_swapped(error: GoldError, gold: bytes, run: bytes, gold_source: str, run_source: str) -> None:
    """Raise GoldError if gold and run look swapped: the gold has confidences and the run has none."""
    if not any(problem.code == "too_many_columns" for problem in error.problems):
        return
    try:
        parse_run(gold, gold_source)
        parse_gold(run, run_source)
    except DataError:
        return
    message = f"has confidences like a run, and {run_source} has none: are they swapped? GOLD comes first"
    raise GoldError([Problem(gold_source, None, "swapped", message)]) from error


def warn_if_swapped(gold: Gold, run: Run, gold_source: str, run_source: str) -> None:
    """Print a note if gold and run look swapped: ratings are mostly quarter points, scores seldom are.

    Whole scores beside any gold say nothing, and neither do scores beside means of up to twelve ratings.
    """
    scores = run.scores[:_SAMPLE]
    coarse = sum([(4 * score).is_integer() for score in scores])
    is_varied = 10 * coarse > 6 * len(scores) and len(set(scores)) > 2
    if not is_varied or all(score.is_integer() for score in scores):
        return
    ratings = Counter(value for value in gold.values[:_SAMPLE] if value is not None)
    finer = (sum(n for value, n in ratings.items() if not _is_mean(value, k)) for k in range(1, 13))
    if all(10 * n > 6 * ratings.total() for n in finer):
        click.echo(
            f"note: {run_source} has mostly quarter points, as gold usually has, and {gold_source} does not: "
            "are they swapped? GOLD comes first",
            err=True,
        )


def _is_mean(value: float, k: int) -> bool:
    """Whether a value is a mean of `k` whole ratings, to the decimal places that it has."""
    places = len(repr(value).partition(".")[2])
    return value % 1 == 0 or abs(value - round(value * k) / k) < 10.0**-places


def print_warnings(runs: Sequence[Run]) -> None:
    """Print the first warnings to standard error. Constant runs are left out: the report says it."""
    warnings = [problem for run in runs for problem in run.warnings if problem.code != "constant_run"]
    for warning in warnings[:_MAX_WARNINGS]:
        click.echo(f"warning: {warning}", err=True)
    if len(warnings) > _MAX_WARNINGS:
        click.echo("warning: there are more warnings; `scorer check --scale` lists them", err=True)


def short_run_names(paths: Sequence[str]) -> list[str]:
    """Shorten paths to names for tables: drop the folders and last parts that all of them share.

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
