"""`assay team`: the teams of a task."""

import click

from server.access import tasks
from server.cli.common import get_account, get_team, open_site, reason_option
from server.core import clock
from server.core.actors import CONSOLE
from server.core.dates import format_plain_utc
from server.planning import registrations
from server.teams import invitations, memberships


@click.group("team")
def command() -> None:
    """Manage teams: their approval, invitations, captains and members.

    \b
    Exit:  0 success, 1 error, 2 usage or settings
    """


@command.command("list")
@click.argument("slug")
def list_(slug: str) -> None:
    """List the teams of a task.

    The columns are name, state, scored files and email addresses, the captain's first.

    \b
    Exit:  0 success, 1 error, 2 usage or settings
    """
    with open_site() as site, site.reading() as session:
        for view in registrations.list_registrations(session, CONSOLE, tasks.get_named_task(session, slug)):
            people = sorted(view.members, key=lambda user: user.id != view.team.captain_id)
            addresses = " ".join(user.email for user in people)
            click.echo(f"{view.team.name}\t{view.team.state}\t{view.files}\t{addresses}")


@command.command("invite")
@click.argument("slug")
@click.argument("team")
def invite(slug: str, team: str) -> None:
    """Create an invitation link for a team.

    Use this for example for an imported team without members. The first person to join a team without a
    captain becomes its captain.

    \b
    Exit:  0 success, 1 error, 2 usage or settings
    """
    with open_site() as site, site.writing() as session:
        invitation = invitations.invite(session, CONSOLE, get_team(session, slug, team), clock.now())
        click.echo(f"/tasks/{slug}/join/{invitation.token}")
        click.echo(f"The link is valid until {format_plain_utc(invitation.expires_at)}.", err=True)


@command.command("approve")
@click.argument("slug")
@click.argument("team")
def approve(slug: str, team: str) -> None:
    """Approve a team, so that it can compete.

    \b
    Exit:  0 success, 1 error, 2 usage or settings
    """
    with open_site() as site, site.writing() as session:
        target_team = get_team(session, slug, team)
        registrations.approve_team(session, CONSOLE, target_team.task, target_team.id, clock.now())
        click.echo(f"{target_team.name} is approved and can upload runs.")


@command.command("decline")
@click.argument("slug")
@click.argument("team")
@reason_option("The reason, which the team can read.")
def decline(slug: str, team: str, reason: str) -> None:
    """Decline a team, so that it cannot compete.

    You cannot decline a team that has a submission.

    \b
    Exit:  0 success, 1 error, 2 usage or settings
    """
    with open_site() as site, site.writing() as session:
        target_team = get_team(session, slug, team)
        registrations.decline_team(session, CONSOLE, target_team.task, target_team.id, reason, clock.now())
        click.echo(f"{target_team.name} is declined.")


@command.command("captain")
@click.argument("slug")
@click.argument("team")
@click.argument("email")
def captain(slug: str, team: str, email: str) -> None:
    """Make the member with this address the captain.

    \b
    Exit:  0 success, 1 error, 2 usage or settings
    """
    with open_site() as site, site.writing() as session:
        target_team, user = get_team(session, slug, team), get_account(session, email)
        memberships.hand_over(session, CONSOLE, target_team, user.id, clock.now())
        click.echo(f"{user.email} is now the captain of {target_team.name}.")


@command.command("remove")
@click.argument("slug")
@click.argument("team")
@click.argument("email")
def remove(slug: str, team: str, email: str) -> None:
    """Remove the member with this address.

    The team keeps its submissions. The oldest member follows a captain who is removed.

    \b
    Exit:  0 success, 1 error, 2 usage or settings
    """
    with open_site() as site, site.writing() as session:
        target_team, user = get_team(session, slug, team), get_account(session, email)
        memberships.remove_member(session, CONSOLE, target_team, user.id, clock.now())
        click.echo(f"{user.email} is no longer in {target_team.name}.")
