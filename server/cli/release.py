"""`assay release`: boards and their releases."""

import click
from sqlalchemy.orm import Session

from server import clock
from server.cli.site import open_site, require_words, writing
from server.domain.actors import CONSOLE
from server.models import Phase
from server.services import boards, release_making, releases, tasks


@click.group("release")
def command() -> None:
    """Boards: show, release, withdraw a release.

    \b
    Exit:  0 good, 1 refused, 2 usage or settings
    """


@command.command("show")
@click.argument("slug")
@click.argument("phase")
@click.option("--preview", is_flag=True, help="The board as it would be released now.")
def show(slug: str, phase: str, preview: bool) -> None:
    """Print the released board of a phase as JSON.

    \b
    Exit:  0 good, 1 no such phase or nothing is released, 2 usage or settings
    """
    with open_site() as site:
        session = site.session()
        target = _phase(session, slug, phase)
        text = boards.board_text(session, target) if preview else releases.get_public(session, target).text
        click.echo(text, nl=False)


@command.command("add")
@click.argument("slug")
@click.argument("phase")
def add(slug: str, phase: str) -> None:
    """Publish the board of a phase as it stands now.

    \b
    Example:  assay release add clss-2014 evaluation
    Exit:     0 good, 1 refused, 2 usage or settings
    """
    with open_site() as site, writing(site) as (session, _):
        release = release_making.release_board(session, CONSOLE, _phase(session, slug, phase), clock.now())
        click.echo(f"Release {release.number} is public, SHA-256 {release.sha256}.")


@command.command("withdraw")
@click.argument("slug")
@click.argument("phase")
@click.option(
    "--reason", required=True, callback=require_words, help="The public reads it in place of the board."
)
def withdraw(slug: str, phase: str, reason: str) -> None:
    """Take the newest release of a phase back.

    \b
    Exit:  0 good, 1 nothing is released, 2 usage or settings
    """
    with open_site() as site, writing(site) as (session, _):
        target = _phase(session, slug, phase)
        release = releases.withdraw_release(session, CONSOLE, target, reason, clock.now())
        click.echo(f"Release {release.number} is withdrawn.")


@command.command("list")
@click.argument("slug")
def list_(slug: str) -> None:
    """List the releases of a task: phase, number, time, SHA-256, state.

    \b
    Exit:  0 good, 1 no such task, 2 usage or settings
    """
    with open_site() as site:
        session = site.session()
        for view in tasks.list_phases(session, tasks.get_task(session, slug), clock.now()):
            for state in releases.list_releases(session, view.phase):
                word = "public" if state.withdrawal is None else f"withdrawn: {state.withdrawal.reason}"
                release = state.release
                at = release.made_at.isoformat(timespec="seconds")
                click.echo(f"{view.phase.slug}\t{release.number}\t{at}\t{release.sha256}\t{word}")


def _phase(session: Session, slug: str, phase: str) -> Phase:
    return tasks.get_phase(session, tasks.get_task(session, slug), phase)
