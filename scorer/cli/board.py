"""`scorer board`: the table of a task bundle, recomputed from its files."""

from pathlib import Path

import click

from scorer.board_report import FORMATS, render_board
from scorer.bundle import SPLITS
from scorer.bundle_reader import read_bundle
from scorer.recompute import recompute_board


@click.command("board", short_help="Rank the runs of a task bundle.")
@click.argument("bundle", type=click.Path(path_type=Path))
@click.option("--config", type=click.Path(path_type=Path), help="A task.toml kept outside the bundle.")
@click.option("--split", type=click.Choice(SPLITS), help="Which split; by default the main phase's.")
@click.option("--wordnet", metavar="DIR", help="WordNet 3.0's dictionary files, for word2sense baselines.")
@click.option("--format", "format_", type=click.Choice(FORMATS), default="text", show_default=True)
def command(bundle: Path, config: Path | None, split: str | None, wordnet: str | None, format_: str) -> None:
    """Score every run of BUNDLE against its gold, and rank them by the bundle's rules.

    BUNDLE is a folder with a task.toml, or any folder together with --config. Baselines that the bundle
    names are computed. The figures are those of the site's board, to the last digit.

    \b
    Example:  scorer board clss-2014 --split training --format latex
    Exit:     0 good, 1 bad data (every problem on standard error), 2 usage
    """
    task = read_bundle(bundle, config)
    chosen = split or task.main_split
    if not any(chosen in level.splits for level in task.levels):
        raise click.BadParameter(f'no level of this bundle lists a split "{chosen}"', param_hint="--split")
    board = recompute_board(task, chosen, wordnet)
    if not (board.official or board.late):
        click.echo(
            f"No run of this bundle answers the {chosen} split; the board has baselines only.", err=True
        )
    text = render_board(board, format_, task=task.task.slug, title=task.task.title, split=chosen)
    click.echo(text, nl=False)
