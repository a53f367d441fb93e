"""`scorer senses`: writes the senses that annotators can choose for words."""

from pathlib import Path

import click

from scorer.cli._options import StrictCommand, flag_option, label, value_option
from scorer.cli.annotation._shared import output_option, print_or_write
from scorer.files.reading import read_bytes
from scorer.files.text import count_noun


@click.command("senses", cls=StrictCommand)
@click.argument("words")
@value_option("--wordnet", "DIR", "The folder of WordNet 3.0.")
@value_option(
    "--within",
    "EDGES",
    "Maximum number of edges from the nearest sense of the word. An edge is any relation of WordNet.",
    type=click.IntRange(1, 5),
    default=3,
)
@value_option("--limit", "N", "Maximum number of senses of a word.", type=click.IntRange(1, 500), default=60)
@output_option("--out", "Write the senses to FILE instead of standard output.")
@flag_option("--force", "Replace an existing file.")
def command(
    *, words: str, wordnet: str | None, within: int, limit: int, out: Path | None, force: bool
) -> None:
    """List the senses near words, for annotators to choose from.

    For pairs of a word and a sense, annotators get a word and a wanted rating, and choose the sense that is
    as similar to the word as the rating says. WORDS is the table of units of such a round. Its column key has
    the names of the units, and its column left the words, as word#pos. The part of speech is n, v, a or r.

    The output is a table with the columns unit, sense and definition. It has the senses that are near a sense
    of the word in WordNet 3.0, without the senses of the word itself. Name the table as `senses` in the round
    of annotation.toml.

    Most words have hundreds of senses within three edges. If there are more than --limit, the command selects
    as many at one edge as at two and at three. How many words that concerns is printed to standard error.

    \b
    Examples:
      scorer senses words.tsv --within 3 --out senses.tsv
      scorer senses words.tsv --wordnet /usr/share/wordnet --limit 90 > senses.tsv

    \b
    Exit codes:
      0  success
      1  bad data, a word without senses, or WordNet 3.0 not found
      2  usage error
    """
    from scorer.baselines.senses import open_wordnet
    from scorer.campaigns.word_senses import write_candidates

    table = write_candidates(read_bytes(words), label(words), open_wordnet(wordnet), within, limit)
    print_or_write(table.text.encode(), out, words, force=force)
    sizes = [len(found.senses) for found in table.candidates]
    cut = [found.n_near for found in table.candidates if found.n_near > len(found.senses)]
    click.echo(f"{count_noun(len(sizes), 'word')}, {count_noun(sum(sizes), 'sense')}", err=True)
    if cut:
        most = f"the most that were near a word is {max(cut)}"
        click.echo(f"{count_noun(len(cut), 'word')} got a selection of {limit} senses; {most}", err=True)
