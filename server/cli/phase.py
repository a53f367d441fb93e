"""`assay phase`: the dates of a task's phases."""

from datetime import datetime

import click

from server.access import tasks
from server.cli.common import check_with, flag_option, get_team, open_site, parse_instant, reason_option
from server.core import clock
from server.core.actors import CONSOLE
from server.core.dates import format_plain_utc
from server.core.errors import ConfirmationRequired
from server.phases.forms import PHASE_SLUG
from server.planning import extensions, phase_editing
from server.planning.inputs import PHASE_DEFAULTS, read_phase_edit
from server.tasks.split_names import SPLITS
from server.web.validators import TITLE


@click.group("phase")
def command() -> None:
    """Show and add the phases of a task, and extend deadlines.

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


@command.command("add")
@click.argument("slug")
@click.argument("phase", callback=check_with(PHASE_SLUG))
@click.argument("split", type=click.Choice(SPLITS))
@click.option("--title", required=True, callback=check_with(TITLE), help="The title, as the pages show it.")
@click.option("--opens", metavar="TIME", callback=parse_instant, help="When it opens. [default: at once]")
@click.option("--closes", metavar="TIME", callback=parse_instant, help="When it closes. [default: never]")
@flag_option("--yes", "Add it even if its items are public at once.")
def add(
    slug: str, phase: str, split: str, title: str, opens: datetime | None, closes: datetime | None, yes: bool
) -> None:
    """Add a phase, in which teams upload files for SPLIT.

    PHASE is its short name in addresses. The other rules are those that the page for a new phase begins
    with: scores are hidden until you release them, and each team has 3 runs.

    \b
    Example:  assay phase add clss-2014 evaluation test --title Evaluation --opens "1 Mar 2027 00:00 UTC"
    Exit:     0 success, 1 error, 2 usage or settings
    """
    edit = read_phase_edit({**PHASE_DEFAULTS, "title": title, "opens": opens, "closes": closes})
    with open_site() as site, site.writing() as session:
        task = tasks.get_named_task(session, slug)
        try:
            phase_editing.add_phase(session, CONSOLE, task, phase, split, edit, clock.now(), sure=yes)
        except ConfirmationRequired as error:
            raise ConfirmationRequired(f"{error.message} Use --yes to add it anyway.") from error
        click.echo(f"{title} was added to {slug}.")


@command.command("extend")
@click.argument("slug")
@click.argument("phase")
@click.argument("closes", callback=parse_instant)
@click.option("--team", help="Extend the deadline of this team only.")
@reason_option("The reason, which the teams can read.")
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
