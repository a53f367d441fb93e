"""`scorer bws`: makes tuples for best-worst scaling, scores items and measures reliability."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from scorer.cli._inputs import refuse_second_stdin
from scorer.cli._options import (
    StrictCommand,
    column_option,
    file_option,
    format_option,
    label,
    option_group,
    table_options,
    value_option,
)
from scorer.cli._output import progress
from scorer.cli.annotation._shared import print_report, report_format, split_names, strong_option
from scorer.files.reading import read_bytes

if TYPE_CHECKING:
    from scorer.bws.answers import Answers


@click.group("bws")
def command() -> None:
    """Create and score best-worst scaling annotations.

    Annotators see a tuple of a few items and choose the best and the worst one. ANSWERS is a table with a
    header and one row per answer. Its columns are Item1, Item2 and so on, BestItem and WorstItem (or Best and
    Worst). Options can name other columns; the rest is ignored.

    The best and the worst item are given by name or by position in the tuple, from 1. The command finds
    out which of the two the file uses.

    \b
    Examples:
      scorer bws tuples items.txt --size 4 --factor 2 --seed 1 > tuples.tsv
      scorer bws score answers.csv
      scorer bws reliability answers.csv --repeats 100 --seed 1

    \b
    Exit codes:
      0  success (also if a value is undefined)
      1  bad data
      2  usage error
    """


def _answers_reader(
    *, items: str | None, tuple_: str | None, controls: tuple[str, ...], **layout: Any
) -> "Callable[[str], Answers]":
    """Return a function that reads a file of answers in this format."""

    def read(path: str) -> "Answers":
        from scorer.bws.answers import AnswersLayout, parse_answers

        shown, checks = split_names(items) if items else (), frozenset(controls)
        answers_layout = AnswersLayout(shown, tuple_=tuple_, controls=checks, **layout)
        return parse_answers(read_bytes(path), label(path), answers_layout)

    return read


_answers_options = option_group(
    "read",
    _answers_reader,
    value_option(
        "--items",
        "NAMES",
        "The columns of the items in the tuple, separated by commas. By default Item1, Item2, ...",
    ),
    column_option(
        "--best",
        "The column of the best item, or of its position in the tuple, from 1. By default BestItem or Best.",
    ),
    column_option(
        "--worst",
        "The column of the worst item, or of its position in the tuple. By default WorstItem or Worst.",
    ),
    column_option(
        "--annotator",
        "The column of the annotator. If an annotator answered a tuple twice, the second answer is "
        "then left out.",
    ),
    column_option(
        "--tuple",
        "The column of the tuple's name. By default, answers with the same items belong to one tuple.",
        "tuple_",
    ),
    column_option(
        "--group",
        "The column of the group of a tuple, such as a dialogue. Each group has its own items, even if "
        "they have the same names.",
    ),
    click.option(
        "--same",
        type=click.Choice(("drop", "count")),
        help="What to do with answers whose best item is also the worst. drop leaves them out. count "
        "counts them like other answers: the item gets one best and one worst, and shown goes up by one for "
        "each item of the tuple. By default the file is rejected.",
    ),
    click.option(
        "--incomplete",
        type=click.Choice(("drop", "count")),
        help="What to do with answers without a best or without a worst item. drop leaves them out. count "
        "counts the choice that they have, and shown goes up by one for each item of the tuple. By default "
        "the file is rejected.",
    ),
    value_option(
        "--control",
        "ITEM",
        "An item that serves as an attention check. A tuple may show it several times. Repeatable.",
        "controls",
        multiple=True,
    ),
    click.option(
        "--control-answers",
        type=click.Choice(("drop", "count")),
        default="drop",
        help="What to do with answers to tuples with a control item. drop leaves them out, so that control "
        "items have no score. count counts them like other answers.",
    ),
    table_options,
    passed_on=(
        *("best", "worst", "annotator", "group", "delimiter", "quotes"),
        *("same", "incomplete", "control_answers"),
    ),
)
"""The options on the format of a file of answers; the command gets `read`, which reads such a file."""


@command.command("tuples", cls=StrictCommand)
@click.argument("items")
@click.option("--size", type=click.IntRange(2), default=4, help="Number of items in a tuple.")
@click.option(
    "--factor",
    type=click.FloatRange(0, min_open=True),
    default=2.0,
    help="Number of tuples divided by number of items; usually 1.5 or 2.",
)
@click.option("--seed", type=click.IntRange(0), default=0, help="Random seed.")
@column_option("--item", "The column of the items. ITEMS is then a table with a header.")
@column_option("--group", "The column of the group of an item. All items of a tuple are then from one group.")
@table_options
@format_option(
    ("tsv", "csv", "text", "json", "latex"),
    "tsv and csv have only the tuples, for annotation tools. The other formats also have the balance.",
    "tsv",
)
def tuples(*, items: str, size: int, factor: float, seed: int, format_: str, **columns: Any) -> None:
    """Make tuples of items.

    ITEMS has one item per line. Each tuple has --size items, and no two tuples have the same items. Every
    item is in about as many tuples as any other; these numbers differ by at most one. As many pairs of items
    as possible are together in at least one tuple. The command prints this balance to standard error.

    For n items (with --group, for the n items of each group), the command makes --factor times n tuples. If
    there are fewer possible tuples than that, or fewer than 1.5 times n, it makes all of them.

    \b
    Examples:
      scorer bws tuples items.txt --size 4 --factor 2 --seed 1 > tuples.tsv
      scorer bws tuples candidates.tsv --item candidate --group dialogue --size 3 --format csv

    \b
    Exit codes:
      0  success
      1  bad data
      2  usage error
    """
    from scorer.bws.tuples import (
        TupleRules,
        balance_sentence,
        make_tuples,
        parse_item_list,
        render_tuples,
        tuples_report,
    )

    item_list = parse_item_list(read_bytes(items), label(items), **columns)
    with progress("Making tuples"):
        tuple_set = make_tuples(item_list, TupleRules(size, factor, seed))
    if format_ in ("tsv", "csv"):
        click.echo(render_tuples(tuple_set, "\t" if format_ == "tsv" else ","), nl=False)
        click.echo(balance_sentence(tuple_set), err=True)
    else:
        print_report(tuples_report(tuple_set), format_)


@command.command("score", cls=StrictCommand)
@click.argument("answers")
@file_option(
    "--expert",
    "Also compare the scores with the ratings of an expert: 1 if an item is similar, 0 if not. A "
    "1 agrees with a scaled score above .5, a 0 with one below. FILE has a row for each rating, and the "
    "columns unit, annotator and rating, like the ratings that a site exports.",
)
@_answers_options
@report_format
def score(*, answers: str, expert: str | None, read: "Callable[[str], Answers]", format_: str) -> None:
    """Score items from best-worst answers.

    The score of an item is (best - worst) / shown: how often it was chosen as best, minus how often it was
    chosen as worst, divided by how often it was shown.

    The output has these three counts (shown, best, worst), the score from -1 to 1, and the score mapped to 0
    to 1 (scaled).

    \b
    Examples:
      scorer bws score answers.csv
      scorer bws score answers.csv --expert ratings.csv
      scorer bws score answers.tsv --group dialogue --best most --worst least --format tsv
      scorer bws score answers.csv --same drop --control check1 --control check2

    \b
    Exit codes:
      0  success
      1  bad data
      2  usage error
    """
    from scorer.bws.expert import parse_judgments
    from scorer.bws.report import score_report

    refuse_second_stdin(answers, expert)
    with progress("Reading"):
        parsed_answers = read(answers)
    judgments = None if expert is None else parse_judgments(read_bytes(expert), label(expert))
    _print_treatment_notes(parsed_answers, format_)
    print_report(score_report(parsed_answers, judgments), format_)


def _print_treatment_notes(answers: "Answers", format_: str) -> None:
    """Print to standard error how many answers were left out or counted, because TSV has no notes."""
    from scorer.bws.report import treatment_notes

    for note in treatment_notes(answers) if format_ == "tsv" else ():
        click.echo(f"note: {note}", err=True)


@command.command("reliability", cls=StrictCommand)
@click.argument("answers")
@click.option(
    "--repeats",
    type=click.IntRange(1, 1_000_000),
    default=100,
    help="Number of random splits to average over.",
)
@click.option("--seed", type=click.IntRange(0), default=0, help="Random seed of the splits.")
@click.option(
    "--missing",
    type=click.Choice(("left-out", "zero")),
    default="left-out",
    help="What to do with an item that has no answers in one half. left-out leaves the item out. zero does "
    "what the best-worst scaling script of the NRC does: an item without answers in the first half "
    "is left out, and an item without answers in the second half gets the score 0 there.",
)
@strong_option("Questions (for the best or the worst item of a tuple) with this share of equal answers")
@_answers_options
@report_format
def reliability(
    *,
    answers: str,
    repeats: int,
    seed: int,
    missing: Any,
    strong: float,
    read: "Callable[[str], Answers]",
    format_: str,
) -> None:
    """Measure the split-half reliability of the scores.

    The command splits the answers to each tuple of ANSWERS into random halves, scores the items by each half,
    and correlates the scores. The output also has Krippendorff's alpha of the answers and the share of
    questions with strong agreement (--strong), overall and by group.

    \b
    Examples:
      scorer bws reliability answers.csv --repeats 100 --seed 1
      scorer bws reliability answers.csv --group dialogue --annotator who --format json

    \b
    Exit codes:
      0  success (also if a value is undefined)
      1  bad data
      2  usage error
    """
    from scorer.bws.reliability import split_half
    from scorer.bws.report import reliability_report

    with progress("Reading"):
        parsed_answers = read(answers)
    _print_treatment_notes(parsed_answers, format_)
    with progress("Splitting", repeats) as advance:
        reliabilities = split_half(parsed_answers, repeats, seed, missing, advance)
    report = reliability_report(
        parsed_answers, reliabilities, repeats=repeats, seed=seed, missing=missing, strong=strong
    )
    print_report(report, format_)
