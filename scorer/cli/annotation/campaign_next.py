"""`scorer campaign next`: makes the campaign that follows a round, from the round's export."""

from pathlib import Path
from typing import Any

import click

from scorer.cli._options import StrictCommand, value_option
from scorer.cli.annotation._shared import new_folder_option, refuse_full_folder, write_files


@click.command("next", cls=StrictCommand)
@click.argument("export", type=click.Path(path_type=Path), metavar="EXPORT")
@new_folder_option("campaign", "FOLDER")
@value_option(
    "--first",
    "N",
    "From choices: the number of summary sentences of an assignment.  [default: all that have choices]",
    type=click.IntRange(1, 1000),
)
@value_option(
    "--assignments",
    "N",
    "From choices: the number of assignments, those with the lowest numbers that are complete.  "
    "[default: all that are complete]",
    type=click.IntRange(1),
)
@value_option(
    "--context",
    "N",
    "From choices: maximum number of sentences of context on each side.  [default: 2]",
    type=click.IntRange(0, 20),
)
@value_option(
    "--zeros",
    "SHARE",
    "From written texts: the share of random pairs.  [default: 0.2]",
    type=click.FloatRange(0, 0.5, max_open=True),
)
@click.option(
    "--seed", type=click.IntRange(0), help="From written texts: random seed of the pairs.  [default: 0]"
)
def command(*, export: Path, out: Path, **options: Any) -> None:
    """Make the campaign that follows a round.

    EXPORT is the export of a round: a zip file, or its folder. The command writes the folder of a new
    campaign, in which annotators rate pairs. `scorer campaign check` accepts the folder as it is, but read
    its annotation.toml first. Consent texts, languages, contact and scale are those of the campaign before,
    and so is where the gold standard goes. Write instructions for rating: those of before explain other work.

    From a choose round, the pairs are summary sentences with the three sentences that were chosen for each.
    An assignment is complete if as many of its summary sentences as --first says have choices. Nine
    annotators rate each pair without and then with context, and nobody gets two pairs of a summary sentence.

    From a write round, the pairs are texts with what was written for them. A share of the pairs, --zeros, is
    random: a text with what another annotator wrote for another text of the same genre. The keys and the
    order of pairs do not tell which these are. Two experts rate all pairs. The wanted ratings are in no file.

    From best-worst scaling, the pairs are the items, for an expert who says whether the texts of each are
    rather similar or rather different.

    \b
    Examples:
      scorer campaign next choose.zip --out RATE --assignments 8 --first 50
      scorer campaign next EXPORT --out RATE --zeros 0.2 --seed 7

    \b
    Exit codes:
      0  success
      1  bad data
      2  usage error
    """
    from scorer.bundles.zips import open_folder_or_zip
    from scorer.campaigns.drafts.next_stage import NextOptions, draft_next

    refuse_full_folder(out)
    with open_folder_or_zip(export) as folder:
        stage = draft_next(folder, NextOptions(**options))
    write_files(out, stage.files)
    for note in stage.notes:
        click.echo(f"note: {note}", err=True)
    click.echo(f"Read the files, then run: scorer campaign check {out}", err=True)
