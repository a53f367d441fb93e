"""`make rehearsal`: a whole task over HTTP, on real sites, with the time of each step."""

import sys
import tempfile
import time
from pathlib import Path

import click

from tests.rehearsal import campaign
from tests.rehearsal.databases import POSTGRESQL, empty_databases, has_server
from tests.rehearsal.invented import Invented
from tests.rehearsal.moves import INFERENCE, RELEASE
from tests.rehearsal.play import Failed, Rehearsal
from tests.rehearsal.story import rehearse, staged

WAYS = {"sqlite": ("sqlite", POSTGRESQL, "sqlite"), POSTGRESQL: (POSTGRESQL, "sqlite", POSTGRESQL)}
"""By the database that it begins on: the kinds of the three sites; the third is the first, restored."""


@click.command()
@click.option("--teams", type=click.IntRange(3, 60), default=20, show_default=True)
@click.option("--runs", type=click.IntRange(2, 6), default=3, show_default=True, help="Of each team.")
@click.option("--items", type=click.IntRange(20, 2000), default=40, show_default=True, help="Of each level.")
@click.option("--database", type=click.Choice([*WAYS, "both"]), default="both", show_default=True)
@click.option("--seed", default=0, show_default=True, help="The same seed invents the same texts and runs.")
def main(teams: int, runs: int, items: int, database: str, seed: int) -> None:
    """Play a whole task from the first account to the last comparison, and on to the other database."""
    if not has_server():
        raise click.UsageError("name a server of PostgreSQL in TEST_DATABASE_URL, or use `make rehearsal`")
    began, played = time.perf_counter(), []
    for kinds in WAYS.values() if database == "both" else [WAYS[database]]:
        rehearsal = Rehearsal(
            f"{teams} teams with {runs} runs, {items} items a level, on {kinds[0]}, then {kinds[1]}"
        )
        with tempfile.TemporaryDirectory(prefix=f"from-{kinds[0]}-") as folder:
            play_once(Path(folder), Invented(seed, items, teams, runs), kinds, rehearsal)
        played.append(rehearsal)
    table(played)
    for kind in WAYS if database == "both" else [database]:
        play_campaign(kind)
    if len({rehearsal.results for rehearsal in played}) > 1:
        click.echo("The two ways led to different boards.", err=True)
        sys.exit(1)
    click.echo(f"\nThe rehearsal passed in {time.perf_counter() - began:.0f} s.")


def play_once(folder: Path, invented: Invented, kinds: tuple[str, ...], rehearsal: Rehearsal) -> None:
    """One way; ends the program where a step fails."""
    try:
        with empty_databases(folder, kinds) as databases, staged(folder, invented, databases) as play:
            rehearse(play, rehearsal)
            rehearsal.results = (play.visitor.get(f"{RELEASE}.json").body, play.visitor.get(INFERENCE).body)
    except Failed as error:
        click.echo(
            f"\nThe rehearsal failed after {rehearsal.seconds:.0f} s, "
            f"at step {len(rehearsal.rows) + 1}.\n{error}",
            err=True,
        )
        sys.exit(1)


def play_campaign(kind: str) -> None:
    """A campaign from its plan to gold and a leaderboard; ends the program where a step fails."""
    try:
        with (
            tempfile.TemporaryDirectory(prefix="campaign-") as folder,
            empty_databases(Path(folder), (kind,)) as databases,
            campaign.staged(Path(folder), databases[0]) as play,
        ):
            campaign.rehearse(play, Rehearsal(f"a campaign of twelve annotators, on {kind}"))
    except Failed as error:
        click.echo(f"\nThe campaign failed.\n{error}", err=True)
        sys.exit(1)


def table(played: list[Rehearsal]) -> None:
    """Print the times of all steps, a column for each way."""
    click.echo("\n" + "".join(f"{rehearsal.title.rsplit(', on ', 1)[1]:>24}" for rehearsal in played))
    for rows in zip(*(rehearsal.rows for rehearsal in played), strict=True):
        click.echo("".join(f"{taken:>22.1f} s" for taken, _, _ in rows) + f"  {rows[0][1]}")
    click.echo("".join(f"{rehearsal.seconds:>22.1f} s" for rehearsal in played) + "  together")


if __name__ == "__main__":
    main()
