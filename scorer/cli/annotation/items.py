"""`scorer items`: what the items of a task are made of."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from scorer.cli._inputs import refuse_second_stdin
from scorer.cli._options import StrictCommand, check_scale, label, layout_options
from scorer.cli.annotation._shared import gold_options, sheet_format
from scorer.errors import DataError, RequestError
from scorer.files.reading import ItemsLayout, KeyedFormat, parse_gold, parse_items, read_bytes

if TYPE_CHECKING:
    from scorer.items.report import ItemsLevel
    from scorer.items.words import WordNetVocabulary
    from scorer.values import Undefined


@click.command("items", cls=StrictCommand, short_help="Say what items are made of, as a paper's tables do.")
@click.argument("items", nargs=-1, required=True)
@click.option(
    "--gold",
    "golds",
    multiple=True,
    metavar="FILE",
    help="Gold of the items, a value a line or keyed; repeat it in the order of the items files.",
)
@click.option(
    "--scale",
    type=float,
    nargs=2,
    metavar="MIN MAX",
    callback=check_scale,
    help="Of the gold; by default as it is.",
)
@click.option(
    "--step", type=float, default=1.0, show_default="1", help="Between the points where gold is counted."
)
@click.option(
    "--tokens",
    type=click.Choice(("words", "spaces")),
    default="words",
    show_default=True,
    help="What is counted: words in lower case without numbers, or all that blanks part, as it is.",
)
@click.option("--turns", metavar="SIGN", help="What parts the turns of a context; each is a text then.")
@click.option(
    "--lemmas", metavar="LANGUAGE", help="Count lemmas too, by the package simplemma: en, de, cs and others."
)
@click.option(
    "--function-words",
    metavar="FILE",
    help="The words that carry no content, one a line; English by default.",
)
@click.option("--wordnet", metavar="DIR", help="The folder of WordNet 3.0; found in its usual places.")
@click.option(
    "--window", type=int, default=50, show_default=True, metavar="N", help="Tokens of MSTTR and MATTR."
)
@click.option(
    "--threshold", type=float, default=0.72, show_default=True, help="Type-token ratio of a factor of MTLD."
)
@click.option(
    "--draws", type=int, default=42, show_default=True, metavar="N", help="Tokens of HD-D's sample."
)
@gold_options
@layout_options
@sheet_format
def command(
    *,
    items: tuple[str, ...],
    golds: tuple[str, ...],
    scale: tuple[float, float] | None,
    step: float,
    tokens: str,
    turns: str | None,
    lemmas: str | None,
    function_words: str | None,
    wordnet: str | None,
    window: int,
    threshold: float,
    draws: int,
    gold_format: KeyedFormat | None,
    layout: ItemsLayout,
    format_: str,
) -> None:
    """Print tables on the ITEMS of each file, by genre.

    The mean content words of each side and their ratio; the content words that WordNet 3.0 lacks; tokens,
    types, mean length and lexical diversity (TTR, RTTR, CTTR, MSTTR, MATTR, MTLD, HD-D); and with gold how
    ratings are distributed. A sense such as pier#n#1 is its word.

    \b
    Example:  scorer items items.tsv --gold gold.tsv --scale 0 4
              scorer items training.tsv test.tsv --tokens spaces --lemmas de --format latex
    Exit:     0 good (also where a value is undefined), 1 bad data, 2 usage
    """
    from scorer.items.report import items_report
    from scorer.items.word_counts import WordRules
    from scorer.items.words import ENGLISH_FUNCTION_WORDS, open_lemmatizer, parse_function_words
    from scorer.reports.table_report import render_table_report

    rules = WordRules(
        "spaces" if tokens == "spaces" else "words",
        parse_function_words(read_bytes(function_words), label(function_words))
        if function_words
        else ENGLISH_FUNCTION_WORDS,
        _vocabulary(wordnet),
        open_lemmatizer(lemmas) if lemmas else None,
        lemmas,
        window,
        threshold,
        draws,
        turns or None,
    )
    levels = _levels(items, golds, layout, gold_format)
    click.echo(render_table_report(items_report(levels, rules, scale, step), format_), nl=False)


def _levels(
    items: tuple[str, ...], golds: tuple[str, ...], layout: ItemsLayout, keyed: KeyedFormat | None
) -> "list[ItemsLevel]":
    from scorer.items.report import ItemsLevel

    if golds and len(golds) != len(items):
        message = f"there are {len(items)} files of items and {len(golds)} of gold"
        raise RequestError(f"{message}; give each its gold, in the same order")
    refuse_second_stdin(*items, *golds)
    names = [Path(path).name for path in items]
    levels, refused = list[ItemsLevel](), list[DataError]()
    for place, path in enumerate(items):
        name = label(path) if path == "-" or names.count(names[place]) > 1 else names[place]
        try:
            levels.append(_level(name, path, golds[place] if golds else None, layout, keyed))
        except DataError as error:
            refused.append(error)
    if refused:
        problems = [problem for error in refused for problem in error.problems]
        raise DataError(problems, sum(error.count for error in refused))
    return levels


def _level(
    name: str, path: str, gold: str | None, layout: ItemsLayout, keyed: KeyedFormat | None
) -> "ItemsLevel":
    from scorer.items.report import ItemsLevel

    items = parse_items(read_bytes(path), label(path), layout)
    if gold is None:
        return ItemsLevel(name, items)
    return ItemsLevel(
        name, items, parse_gold(read_bytes(gold), label(gold), ids=items.ids, keyed=keyed), label(gold)
    )


def _vocabulary(folder: str | None) -> "WordNetVocabulary | Undefined":
    from scorer.baselines.wordnet import WORDNET_HINT, find_wordnet
    from scorer.items.words import WordNetVocabulary
    from scorer.values import Undefined

    wordnet_folder = folder or find_wordnet()
    if wordnet_folder is None:
        return Undefined("no_wordnet", f"WordNet 3.0 is not in any of its usual places: {WORDNET_HINT}")
    return WordNetVocabulary(wordnet_folder)
