"""`assay announcement`: what organizers write to the teams of a task."""

import click

from server.access import tasks
from server.cli.common import check_with, get_team, open_site
from server.core import clock
from server.core.actors import CONSOLE
from server.core.dates import format_plain_utc
from server.mail import announcements
from server.mail.forms import ANNOUNCEMENT_TEXT
from server.web.validators import TITLE

TITLE_CHECK, TEXT_CHECK = check_with(TITLE), check_with(ANNOUNCEMENT_TEXT)
TEXT_FILE = click.File(encoding="utf-8-sig")


@click.group("announcement")
def command() -> None:
    """List, send, edit and pin announcements.

    \b
    Exit:  0 success, 1 error, 2 usage or settings
    """


@command.command("list")
@click.argument("slug")
def list_(slug: str) -> None:
    """List the announcements of a task, those that are pinned first.

    The columns are number, date, audience (all, incomplete or chosen), "pinned" or "-", and title.

    \b
    Exit:  0 success, 1 error, 2 usage or settings
    """
    with open_site() as site:
        session = site.session()
        task = tasks.get_named_task(session, slug)
        for row in announcements.list_announcements(session, CONSOLE, task):
            pinned, at = "pinned" if row.pinned else "-", format_plain_utc(row.made_at)
            click.echo(f"{row.id}\t{at}\t{row.audience}\t{pinned}\t{row.title}")


@command.command("add")
@click.argument("slug")
@click.argument("title", callback=TITLE_CHECK)
@click.argument("text", type=TEXT_FILE, callback=TEXT_CHECK)
@click.option("--phase", metavar="PHASE", help="Write only to teams whose runs of this phase are incomplete.")
@click.option("--team", "teams", multiple=True, metavar="NAME", help="Write only to this team. Repeatable.")
def add(slug: str, title: str, text: str, phase: str | None, teams: tuple[str, ...]) -> None:
    """Publish an announcement, and email it to team members.

    TEXT is a file in Markdown; - is standard input. Without --phase or --team, everyone can read it.

    \b
    Exit:  0 success, 1 error, 2 usage or settings
    """
    if phase is not None and teams:
        raise click.UsageError("Use either --phase or --team.")
    with open_site() as site, site.writing() as session:
        task = tasks.get_named_task(session, slug)
        for_phase = None if phase is None else tasks.get_phase(session, task, phase)
        for_teams = tuple(get_team(session, slug, name) for name in teams)
        draft = announcements.AnnouncementDraft(title, text, for_phase, for_teams)
        announcement = announcements.announce(session, CONSOLE, task, draft, clock.now())
        click.echo(f"Announcement {announcement.id} was published and is being sent.")


@command.command("edit")
@click.argument("slug")
@click.argument("number", type=int)
@click.option("--title", callback=TITLE_CHECK, help="The new title.")
@click.option(
    "--text", type=TEXT_FILE, callback=TEXT_CHECK, help="A file with the new text; - is standard input."
)
@click.option("--pin/--unpin", default=None, help="Keep it above the other announcements, or no longer.")
def edit(slug: str, number: int, title: str | None, text: str | None, *, pin: bool | None) -> None:
    """Edit an announcement, or pin it above the others.

    `assay announcement list` has the NUMBER. The task's page marks a new text as edited; no email is sent.

    \b
    Exit:  0 success, 1 error, 2 usage or settings
    """
    with open_site() as site, site.writing() as session:
        task = tasks.get_named_task(session, slug)
        row = announcements.get_announcement(session, CONSOLE, task, number)
        changed = announcements.edit_announcement(
            session, CONSOLE, row, clock.now(), title=title, text=text, pinned=pin
        )
        click.echo(f"Saved: {', '.join(changed)}." if changed else "Nothing was changed.")
