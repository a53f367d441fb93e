"""`scorer items`: prints statistics of the items of a task."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scorer.cli._inputs import raise_all, refuse_second_stdin
from scorer.cli._options import StrictCommand, file_option, label, layout_options, scale_option, value_option
from scorer.cli._output import progress
from scorer.cli.annotation._shared import gold_options, print_report, report_format
from scorer.errors import DataError, RequestError
from scorer.files.reading import ItemsLayout, KeyedFormat, parse_gold, parse_items, read_bytes

if TYPE_CHECKING:
    from scorer.items.report import ItemsLevel
    from scorer.items.words import WordNetVocabulary
    from scorer.values import Undefined


@click.command("items", cls=StrictCommand)
@click.argument("items", nargs=-1, required=True)
@file_option(
    "--gold",
    "The gold file of the items, with one value per line or keyed. With several files of ITEMS, repeat "
    "it in the same order.",
    "golds",
    multiple=True,
)
@scale_option("The ends of the rating scale. By default the range of the gold values.")
@click.option("--step", default=1.0, help="The distance between the points of the rating scale.")
@click.option(
    "--tokens",
    type=click.Choice(("words", "spaces")),
    default="words",
    help="What counts as a token: words in lower case without numbers, or everything between spaces, "
    "unchanged.",
)
@value_option(
    "--turns", "SIGN", "The separator between the turns of a context. Each turn is then counted as one text."
)
@value_option("--lemmas", "LANGUAGE", "Also count lemmas, with the package simplemma; en, de, cs and others.")
@file_option(
    "--function-words", "The words that are not content words, one per line. By default those of English."
)
@value_option("--wordnet", "DIR", "The folder of WordNet 3.0. By default searched in the usual places.")
@value_option("--window", "N", "Window size of MSTTR and MATTR, in tokens.", default=50)
@click.option("--threshold", default=0.72, help="Type-token ratio that ends a factor of MTLD.")
@value_option("--draws", "N", "Sample size of HD-D, in tokens.", default=42)
@gold_options
@layout_options
@report_format
def command(
    *,
    items: tuple[str, ...],
    golds: tuple[str, ...],
    scale: tuple[float, float] | None,
    step: float,
    turns: str | None,
    lemmas: str | None,
    function_words: str | None,
    wordnet: str | None,
    gold_format: KeyedFormat | None,
    layout: ItemsLayout,
    format_: str,
    **rules: Any,
) -> None:
    """Print statistics of items for a paper.

    The output has tables for each file of ITEMS, by genre. The tables have the mean number of content words
    of each side and their ratio; the content words that are not in WordNet 3.0; tokens, types, mean length
    and lexical diversity (TTR, RTTR, CTTR, MSTTR, MATTR, MTLD, HD-D); and, with --gold, the distribution of
    the ratings. A sense such as pier#n#1 counts as its word, pier.

    \b
    Examples:
      scorer items items.tsv --gold gold.tsv --scale 0 4
      scorer items training.tsv test.tsv --tokens spaces --lemmas de --format latex

    \b
    Exit codes:
      0  success (also if a value is undefined)
      1  bad data
      2  usage error
    """
    from scorer.items.report import items_report
    from scorer.items.word_counts import WordRules
    from scorer.items.words import ENGLISH_FUNCTION_WORDS, open_lemmatizer, parse_function_words

    counted = WordRules(
        function_words=parse_function_words(read_bytes(function_words), label(function_words))
        if function_words
        else ENGLISH_FUNCTION_WORDS,
        vocabulary=_vocabulary(wordnet),
        lemma=open_lemmatizer(lemmas) if lemmas else None,
        lemmas=lemmas,
        turns=turns or None,
        **rules,
    )
    with progress("Counting"):
        report = items_report(_levels(items, golds, layout, gold_format), counted, scale, step)
    print_report(report, format_)


def _levels(
    items: tuple[str, ...], golds: tuple[str, ...], layout: ItemsLayout, keyed: KeyedFormat | None
) -> "list[ItemsLevel]":
    from scorer.items.report import ItemsLevel

    if golds and len(golds) != len(items):
        message = f"there are {len(items)} files of items and {len(golds)} gold files"
        raise RequestError(f"{message}; give one gold file for each, in the same order")
    refuse_second_stdin(*items, *golds)
    names = [Path(path).name for path in items]
    levels, refused = list[ItemsLevel](), list[DataError]()
    for path, gold, name in zip(items, golds or ("gold",) * len(items), names, strict=True):
        shown = label(path) if path == "-" or names.count(name) > 1 else name
        try:
            parsed_items, answers = parse_items(read_bytes(path), label(path), layout), None
            if golds:
                answers = parse_gold(read_bytes(gold), label(gold), ids=parsed_items.ids, keyed=keyed)
            levels.append(ItemsLevel(shown, parsed_items, answers, label(gold)))
        except DataError as error:
            refused.append(error)
    raise_all(refused)
    return levels


def _vocabulary(folder: str | None) -> "WordNetVocabulary | Undefined":
    from scorer.baselines.wordnet import WORDNET_HINT, find_wordnet
    from scorer.items.words import WordNetVocabulary
    from scorer.values import Undefined

    wordnet_folder = folder or find_wordnet()
    if wordnet_folder is None:
        return Undefined("no_wordnet", f"WordNet 3.0 is not in any of its usual places: {WORDNET_HINT}")
    return WordNetVocabulary(wordnet_folder)
