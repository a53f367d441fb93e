"""`scorer board`: the table of a task bundle, recomputed from its files."""

from pathlib import Path

import click

from scorer.board_report import FORMATS, render_board
from scorer.bundle import SPLITS, Bundle, PhaseSpec
from scorer.bundle_reader import read_bundle
from scorer.recompute import recompute_board


@click.command("board", short_help="Rank the runs of a task bundle.")
@click.argument("bundle", type=click.Path(path_type=Path))
@click.option("--config", type=click.Path(path_type=Path), help="A task.toml kept outside the bundle.")
@click.option("--split", type=click.Choice(SPLITS), help="Which split; by default the main phase's.")
@click.option("--phase", metavar="SLUG", help="Which phase, where several are on one split.")
@click.option("--wordnet", metavar="DIR", help="WordNet 3.0's dictionary files, for word2sense baselines.")
@click.option(
    "--without-baselines",
    is_flag=True,
    help="Leave baselines out, as a release made before the deadline does.",
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(FORMATS),
    default="text",
    show_default=True,
    help="text, markdown and latex round; tsv (a line a value), csv (a row a system) and json do not.",
)
def command(
    bundle: Path,
    config: Path | None,
    split: str | None,
    phase: str | None,
    wordnet: str | None,
    without_baselines: bool,
    format_: str,
) -> None:
    """Score every run of BUNDLE against its gold, and rank them by the bundle's rules.

    BUNDLE is a folder with a task.toml, or any folder together with --config. Baselines that the bundle
    names are computed. The figures are those of the site's board, to the last digit.

    \b
    Example:  scorer board clss-2014 --split training --format latex
    Exit:     0 good, 1 bad data (every problem on standard error), 2 usage
    """
    task = read_bundle(bundle, config)
    asked = None if phase is None else _phase(task, phase, split)
    chosen = split or (task.main_split if asked is None else asked.split)
    if not any(chosen in level.splits for level in task.levels):
        raise click.BadParameter(f'no level of this bundle lists a split "{chosen}"', param_hint="--split")
    board = recompute_board(task, chosen, wordnet, asked, baselines=not without_baselines)
    if not (board.official or board.late):
        rest = "is empty" if without_baselines else "has baselines only"
        click.echo(f"No run of this bundle answers the {chosen} split; the board {rest}.", err=True)
    text = render_board(board, format_, task=task.task.slug, title=task.task.title, split=chosen)
    click.echo(text, nl=False)


def _phase(task: Bundle, slug: str, split: str | None) -> PhaseSpec:
    for phase in task.phases:
        if phase.slug == slug:
            if split not in (None, phase.split):
                raise click.BadParameter(f'"{slug}" is on the {phase.split} split', param_hint="--phase")
            return phase
    known = ", ".join(phase.slug for phase in task.phases) or "none"
    raise click.BadParameter(f'this bundle has no phase "{slug}"; it has {known}', param_hint="--phase")
