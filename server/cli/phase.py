"""`assay phase`: the dates of a task's phases."""

from datetime import datetime

import click

from server.access import tasks
from server.cli.common import get_team, open_site, parse_instant, require_text
from server.core import clock
from server.core.actors import CONSOLE
from server.core.dates import format_plain_utc
from server.planning import extensions


@click.group("phase")
def command() -> None:
    """Show the phases of a task, and extend deadlines.

    \b
    Exit:  0 success, 1 error, 2 usage or settings
    """


@command.command("list")
@click.argument("slug")
def list_(slug: str) -> None:
    """List the phases of a task.

    The columns are short name, state, opening and closing time, each for all teams.

    \b
    Exit:  0 success, 1 error, 2 usage or settings
    """
    with open_site() as site, site.reading() as session:
        for view in tasks.list_phases(session, tasks.get_named_task(session, slug), clock.now()):
            window = view.window
            dates = ("-" if at is None else format_plain_utc(at) for at in (window.opens, window.closes))
            click.echo("\t".join((view.phase.slug, view.state, *dates)))


@command.command("extend")
@click.argument("slug")
@click.argument("phase")
@click.argument("closes", callback=parse_instant)
@click.option("--team", help="Extend the deadline of this team only.")
@click.option("--reason", required=True, callback=require_text, help="The reason, which the teams can read.")
def extend(slug: str, phase: str, closes: datetime, team: str | None, reason: str) -> None:
    """Extend the deadline of a phase to CLOSES.

    Late submissions stay late. Ten minutes later, the teams concerned get an email.

    \b
    Exit:  0 success, 1 error, 2 usage or settings
    """
    with open_site() as site, site.writing() as session:
        target = tasks.get_phase(session, tasks.get_named_task(session, slug), phase)
        for_team = None if team is None else get_team(session, slug, team)
        extensions.extend_deadline(session, CONSOLE, target, for_team, closes, reason, clock.now())
        whom = "all teams" if for_team is None else for_team.name
        click.echo(f"{target.title} closes for {whom} on {format_plain_utc(closes)}.")
