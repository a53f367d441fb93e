"""`scorer bws`: best-worst scaling, from tuples to scores and their reliability."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from scorer.cli._options import StrictCommand, format_option, label, option_group, table_options
from scorer.cli._output import progress
from scorer.cli.annotation._shared import print_report, report_format, split_names, strong_option
from scorer.files.reading import read_bytes

if TYPE_CHECKING:
    from scorer.bws.answers import Answers

_PROGRESS_FROM = 50
"""Splits for which it is worth to show how far they are."""


@click.group("bws", short_help="Best-worst scaling: tuples, scores, reliability.")
def command() -> None:
    """Make tuples to ask about, score items from the answers, and say how reliable the scores are.

    Who answers sees a few items together and names the best and the worst. ANSWERS has a header and a row an
    answer: Item1, Item2 and so on, BestItem, WorstItem (or Best, Worst); other columns are ignored unless
    they are named. Best and worst are items, or their positions in the tuple from 1: whichever fits more of
    the choices in the file.

    \b
    Example:  scorer bws tuples items.txt --size 4 --factor 2 --seed 1 > tuples.tsv
              scorer bws score answers.csv
              scorer bws reliability answers.csv --repeats 100 --seed 1
    Exit:     0 good (also where a value is undefined), 1 bad data, 2 usage
    """


def _answers_reader(
    *, items: str | None, tuple_: str | None, controls: tuple[str, ...], **layout: Any
) -> "Callable[[str], Answers]":
    """What reads a file of answers that is written so."""

    def read(path: str) -> "Answers":
        from scorer.bws.answers import AnswersLayout, parse_answers

        shown, checks = split_names(items) if items else (), frozenset(controls)
        its = AnswersLayout(shown, tuple_=tuple_, controls=checks, **layout)
        return parse_answers(read_bytes(path), label(path), its)

    return read


_answers_options = option_group(
    "read",
    _answers_reader,
    click.option(
        "--items",
        metavar="NAMES",
        help="The columns with the items that were shown, between commas; by default Item1, Item2, ...",
    ),
    click.option(
        "--best",
        metavar="COLUMN",
        help="The column with the best item, or its position in the tuple, from 1; by default BestItem, "
        "or Best where the header has it.",
    ),
    click.option(
        "--worst",
        metavar="COLUMN",
        help="The column with the worst item, or its position; by default WorstItem, or Worst.",
    ),
    click.option(
        "--annotator",
        metavar="COLUMN",
        help="Who answered: a second answer to a tuple is a repeat then, and is left out.",
    ),
    click.option(
        "--tuple",
        "tuple_",
        metavar="COLUMN",
        help="The tuple's name; by default answers about the same items are answers to one tuple.",
    ),
    click.option(
        "--group",
        metavar="COLUMN",
        help="What the tuple belongs to, such as a dialogue; an item is another one in each group.",
    ),
    click.option(
        "--same",
        type=click.Choice(("drop", "count")),
        help="Answers whose best item is their worst: drop leaves them out, as if they were not in the "
        "file; count has the item as best and as worst, which cancel, and each item of the tuple as "
        "shown. By default the file is rejected.",
    ),
    click.option(
        "--control",
        "controls",
        metavar="ITEM",
        multiple=True,
        help="An item that checks whether annotators pay attention: answers to tuples that show it, once "
        "or more often, are left out, and it has no score. Repeat it for more.",
    ),
    table_options,
    passed_on=("best", "worst", "annotator", "group", "delimiter", "quotes", "same"),
)
"""How a file of answers is written; the command gets `read`, which reads one."""


@command.command("tuples", cls=StrictCommand, short_help="Make tuples of items to ask about.")
@click.argument("items")
@click.option("--size", type=click.IntRange(2), default=4, help="Items of a tuple.")
@click.option(
    "--factor",
    type=click.FloatRange(0, min_open=True),
    default=2.0,
    show_default="2",
    help="Tuples for each item: 1.5 or 2 are usual.",
)
@click.option("--seed", type=click.IntRange(0), default=0, help="Of the random choices.")
@click.option("--item", metavar="COLUMN", help="ITEMS is a table with a header: the column of the items.")
@click.option("--group", metavar="COLUMN", help="The column of the group: tuples stay within groups.")
@table_options
@format_option(
    ("tsv", "csv", "text", "json", "latex"),
    "tsv and csv are the tuples alone, for annotation tools; the others have the balance too.",
    "tsv",
)
def tuples(*, items: str, size: int, factor: float, seed: int, format_: str, **columns: Any) -> None:
    """Choose which of ITEMS, one a line, to show together: distinct tuples of --size items.

    Items are shown in numbers that differ by one at most, and few pairs never meet; how it came out is said
    on standard error. Where there are fewer than 1.5 tuples for each item, or than were asked for, all are
    made.

    \b
    Example:  scorer bws tuples items.txt --size 4 --factor 2 --seed 1 > tuples.tsv
              scorer bws tuples candidates.tsv --item candidate --group dialogue --size 3 --format csv
    Exit:     0 good, 1 bad data, 2 usage
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
    tuple_set = make_tuples(item_list, TupleRules(size, factor, seed))
    if format_ in ("tsv", "csv"):
        click.echo(render_tuples(tuple_set, "\t" if format_ == "tsv" else ","), nl=False)
        click.echo(balance_sentence(tuple_set), err=True)
    else:
        print_report(tuples_report(tuple_set), format_)


@command.command("score", cls=StrictCommand, short_help="Score items from best-worst answers.")
@click.argument("answers")
@_answers_options
@report_format
def score(*, answers: str, read: "Callable[[str], Answers]", format_: str) -> None:
    """Count how often each item of ANSWERS was shown, best and worst, and score it from -1 to 1 and 0 to 1.

    \b
    Example:  scorer bws score answers.csv
              scorer bws score answers.tsv --group dialogue --best most --worst least --format tsv
              scorer bws score answers.csv --same drop --control check1 --control check2
    Exit:     0 good, 1 bad data, 2 usage
    """
    from scorer.bws.report import score_report

    parsed_answers = read(answers)
    _print_treatment_notes(parsed_answers, format_)
    print_report(score_report(parsed_answers), format_)


def _print_treatment_notes(answers: "Answers", format_: str) -> None:
    """TSV has no notes: say on standard error how many answers were left out or counted."""
    from scorer.bws.report import treatment_notes

    for note in treatment_notes(answers) if format_ == "tsv" else ():
        click.echo(f"note: {note}", err=True)


@command.command("reliability", cls=StrictCommand, short_help="Say how reliable best-worst scores are.")
@click.argument("answers")
@click.option(
    "--repeats", type=click.IntRange(1, 1_000_000), default=100, help="Split so often, and average."
)
@click.option("--seed", type=click.IntRange(0), default=0, help="Of the splits.")
@click.option(
    "--missing",
    type=click.Choice(("left-out", "zero")),
    default="left-out",
    help="An item without an answer in one half; zero is the rule of the NRC's script: 0 in the second half, "
    "left out if the first has none.",
)
@strong_option("Questions with this share of equal answers")
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
    """Split the answers of each tuple of ANSWERS into random halves, score both, and correlate the scores.

    Beside it stand Krippendorff's alpha over the answers and the share of strong agreement, also by group.

    \b
    Example:  scorer bws reliability answers.csv --repeats 100 --seed 1
              scorer bws reliability answers.csv --group dialogue --annotator who --format json
    Exit:     0 good (also where a value is undefined), 1 bad data, 2 usage
    """
    from scorer.bws.reliability import split_half
    from scorer.bws.report import reliability_report

    parsed_answers = read(answers)
    _print_treatment_notes(parsed_answers, format_)
    with progress("splits", repeats, long=repeats >= _PROGRESS_FROM) as tell:
        reliabilities = split_half(parsed_answers, repeats, seed, missing, tell)
    report = reliability_report(
        parsed_answers, reliabilities, repeats=repeats, seed=seed, missing=missing, strong=strong
    )
    print_report(report, format_)
