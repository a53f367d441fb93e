"""`scorer dataset`: makes a data set from an exported campaign."""

from pathlib import Path

import click

from scorer.cli._options import StrictCommand, value_option
from scorer.cli._output import progress
from scorer.cli.annotation._shared import new_folder_option, refuse_full_folder, write_files


@click.command("dataset", cls=StrictCommand)
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False), metavar="FOLDER")
@new_folder_option("data set", "DIR")
@value_option(
    "--context-sentences",
    "N",
    "Maximum number of sentences of context on each side of the marked one.",
    type=click.IntRange(0),
    default=2,
)
@value_option(
    "--at-least",
    "N",
    "Leave out pairs with fewer than N ratings in a pass. By default gold.at_least of the campaign if "
    "this round makes the gold standard, otherwise 1.",
    type=click.IntRange(1),
)
@value_option(
    "--expected",
    "CHOICE=NUMBER,...",
    "The expected rating of each choice in choices.tsv. By default A is the highest value of the scale, "
    "B the middle, and C the lowest value.",
)
@click.option(
    "--seed", type=click.IntRange(0), default=0, help="Random seed of the order of pairs and of all names."
)
def command(
    *,
    folder: Path,
    out: Path,
    context_sentences: int,
    at_least: int | None,
    expected: str | None,
    seed: int,
) -> None:
    """Make a data set from an exported campaign.

    FOLDER is the unpacked export of a round: ratings in one or two passes, or best-worst answers. With two
    passes, pairs were rated first without and then with context. The command reads campaign/annotation.toml
    with the files that it names, and then units.tsv and the ratings of each pass, or bws.csv.

    The data set has the pairs, their gold standard (the mean rating, or what the organizers decided) and the
    ratings; with two passes also the pairs whose ratings changed significantly with context. For best-worst
    scaling, it has the items with their scores, and the answers. Each data set has a README, its figures as
    `scorer figures` prints them, a data card, and a task.toml with which a site can host it as a task.

    If people sorted and rated pairs before the campaign, you can add these pairs as choices.tsv. Its columns
    are left, right, choice, rating and optionally id. The choice is A for the most similar of several pairs,
    C for the least similar, and B for those in between. Pairs that are not in units.tsv become training
    pairs.

    In texts with context, the rated sentence is between <sent> and </sent>, as in the columns left_context
    and right_context of units.tsv. Pairs get new names and a new order, and annotators get new pseudonyms,
    all at random.

    \b
    Examples:
      scorer dataset EXPORT --out DATASET --seed 7
      scorer dataset EXPORT --out DATASET --context-sentences 1 --at-least 7

    \b
    Exit codes:
      0  success
      1  bad data
      2  usage error
    """
    from scorer.annotation.choices_reader import parse_expected_ratings
    from scorer.campaigns.scales import expect_ratings
    from scorer.datasets.bws_dataset import make_bws_dataset, read_bws_export
    from scorer.datasets.campaign_facts import BWS, read_facts
    from scorer.datasets.dataset import DatasetRules, make_dataset
    from scorer.datasets.export_reader import read_export

    refuse_full_folder(out)
    facts = read_facts(folder)
    rules = DatasetRules(
        seed,
        context_sentences,
        at_least or facts.at_least,
        expect_ratings(*facts.scale) if expected is None else parse_expected_ratings(expected),
    )
    with progress("Making the data set"):
        if facts.round.kind == BWS:
            files = make_bws_dataset(read_bws_export(folder, facts), seed)
        else:
            files = make_dataset(read_export(folder, facts, rules.expected), rules)
    write_files(out, files)
