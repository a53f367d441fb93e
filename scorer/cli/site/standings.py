"""`scorer standings`: prints the public leaderboard of a task."""

import click

from scorer.cli._options import format_option, value_option
from scorer.cli.site._site_command import SiteCommand, connect_to_site, site_option
from scorer.errors import RequestError, SiteError

FORMATS = ("text", "tsv", "csv", "json", "markdown", "latex")


@click.command("standings", cls=SiteCommand)
@click.argument("task")
@click.argument("named", metavar="[PHASE]", required=False)
@value_option("--phase", "SLUG", "The same as PHASE.")
@site_option
@format_option(
    FORMATS,
    "text, markdown and latex round. tsv, csv and json do not. If there is an error, json has a code and a "
    "detail.",
)
def command(*, task: str, named: str | None, phase: str | None, site: str | None, format_: str) -> None:
    """Print the public leaderboard of a task.

    By default, PHASE is the last released phase of TASK.

    The ranks are recomputed from the values by the ranking rules in the leaderboard. With --format json, the
    leaderboard is printed byte for byte as the site has it. A row without a rank shows how well people would
    do, if the release says so.

    \b
    Examples:
      scorer standings clss-2014
      scorer standings clss-2014 --phase evaluation --format markdown

    \b
    Exit codes:
      0  success
      1  rejected or not released
      2  usage error
      3  site not available
      4  no valid token
    """
    from scorer.boards.serialization import read_board
    from scorer.client.hosted_tasks import fetch_board, fetch_people, read_task
    from scorer.client.times import format_time
    from scorer.proof.reranking import rerank_board
    from scorer.reports.board import render_board

    if named is not None and phase not in (None, named):
        raise RequestError(f"two phases are given, {named} and --phase {phase}; give one")
    phase = phase or named
    with connect_to_site(site, token=False) as connection:
        hosted = read_task(connection, task)
        slugs = [str(row["slug"]) for row in hosted.values["phases"]]
        if phase is not None and phase not in slugs:
            raise RequestError(f'{task} has no phase "{phase}"; it has {", ".join(slugs)}')
        try:
            board = fetch_board(connection, task, slugs if phase is None else [phase])
        except SiteError as error:
            if error.code != "not_found" or phase is None or hosted.phase(phase)["state"] != "early":
                raise
            opens = format_time(hosted.phase(phase)["window"]["opens"])
            raise SiteError(f"{phase} opens at {opens}; it has no results yet", error.problem) from error
        if format_ == "json":
            click.echo(board.data.decode(), nl=False)
            return
        file, people = read_board(board.data, board.address), fetch_people(connection, board)
        click.echo(render_board(rerank_board(file.board), format_, **file.names, people=people), nl=False)
