"""`assay user`: accounts."""

import click
from sqlalchemy import select

from server.access import accounts, admins
from server.accounts.models import User
from server.accounts.passwords import EASY_TO_GUESS, is_easy_to_guess
from server.audit import service as audit
from server.cli.common import flag_option, get_account, open_app, open_site, require_text
from server.core import clock
from server.core.actors import CONSOLE
from server.personal_data import erasure
from server.personal_data.account_management import create_account, set_password

PASSWORD_OPTION = click.option(
    "--password", prompt=True, hide_input=True, confirmation_prompt=True, help="Prompted for if not given."
)
KEEP_TOKENS_OPTION = flag_option("--keep-tokens", "Do not revoke the API tokens of the account.")


def _require_address(context: click.Context, parameter: click.Parameter, value: str) -> str:
    from email_validator import EmailNotValidError, validate_email

    try:
        return validate_email(value, check_deliverability=False, test_environment=True).normalized
    except EmailNotValidError as error:
        raise click.BadParameter(str(error), context, parameter) from error


def _require_name(context: click.Context, parameter: click.Parameter, value: str) -> str:
    value = require_text(context, parameter, value)
    if len(value) > 80:
        raise click.BadParameter("use at most 80 characters", context, parameter)
    return value


@click.group("user")
def command() -> None:
    """Manage accounts and site administrators.

    \b
    Exit:  0 success, 1 error, 2 usage or settings
    """


@command.command("add")
@click.argument("email", callback=_require_address)
@click.option(
    "--name", required=True, callback=_require_name, help="The name that team members and organizers see."
)
@flag_option("--admin", "Make the person a site administrator.", "is_admin")
@PASSWORD_OPTION
def add(email: str, name: str, is_admin: bool, password: str) -> None:
    """Add an account.

    Only site administrators and people who already organize a task can create tasks in the browser.

    \b
    Example:  assay user add ada@example.org --name Ada --admin
    Exit:     0 success, 1 the address is in use, 2 usage or settings
    """
    _require_password(password, name, email)
    with open_app() as site, site.writing() as session:
        user = create_account(session, email, name, password)
        audit.record(session, CONSOLE, clock.now(), "account.create", user=f"user:{user.id}")
        if is_admin:
            admins.add_admin(session, CONSOLE, user, clock.now())
        click.echo(f"Created account {user.id} for {user.email}.")


@command.command("list")
def list_() -> None:
    """List all accounts: id, email address, name.

    \b
    Exit:  0 success, 2 usage or settings
    """
    with open_site() as site:
        for user in site.session().scalars(select(User).order_by(User.id)):
            click.echo(f"{user.id}\t{user.email}\t{user.name}")


@command.command("password")
@click.argument("email")
@PASSWORD_OPTION
@KEEP_TOKENS_OPTION
def password_(email: str, password: str, keep_tokens: bool) -> None:
    """Set a new password for an account.

    This signs the account out everywhere and revokes its API tokens.

    \b
    Exit:  0 success, 1 there is no such account, 2 usage or settings
    """
    _require_password(password, email)
    with open_app() as site, site.writing() as session:
        user = get_account(session, email)
        set_password(session, CONSOLE, user, password, clock.now(), keep_tokens=keep_tokens)
        click.echo(f"The password of {user.email} was changed.")


@command.command("confirm")
@click.argument("email")
def confirm(email: str) -> None:
    """Confirm the email address of an account.

    Use this if the confirmation email did not arrive, and only if you know that the person who signed up
    owns the address.

    \b
    Exit:  0 success, 1 there is no such account, 2 usage or settings
    """
    with open_site() as site, site.writing() as session:
        accounts.confirm_account(session, CONSOLE, get_account(session, email).email, clock.now())
        click.echo("The account is confirmed.")


@command.command("second-factor-off")
@click.argument("email")
@KEEP_TOKENS_OPTION
def second_factor_off(email: str, keep_tokens: bool) -> None:
    """Turn off two-factor authentication for an account.

    Use this for a person who lost their device and recovery codes. It signs the account out everywhere
    and revokes its API tokens.

    \b
    Exit:  0 success, 1 there is no such account, 2 usage or settings
    """
    with open_site() as site, site.writing() as session:
        user = get_account(session, email)
        accounts.drop_second_factor(session, CONSOLE, user, clock.now(), keep_tokens=keep_tokens)
        click.echo(f"Two-factor authentication is off for {user.email}.")


@command.command("admin")
@click.argument("email")
@flag_option("--remove", "Remove the person as site administrator.")
def admin(email: str, remove: bool) -> None:
    """Make the owner of EMAIL a site administrator.

    Site administrators manage accounts. They have no access to the gold standard of a task.

    \b
    Exit:  0 success, 1 error, 2 usage or settings
    """
    with open_site() as site, site.writing() as session:
        user = get_account(session, email)
        if remove:
            admins.remove_admin(session, CONSOLE, user, clock.now())
            click.echo(f"{user.email} is no longer a site administrator.")
        else:
            admins.add_admin(session, CONSOLE, user, clock.now())
            click.echo(f"{user.email} is now a site administrator.")


@command.command("forget")
@click.argument("email")
@flag_option("--yes", "Do not ask for confirmation.")
def forget(email: str, yes: bool) -> None:
    """Erase the name and address of a person permanently.

    EMAIL is the address of the account. The person is signed out and cannot sign in again. Their roles
    end, and waiting emails are not sent. Records of their actions stay, but identify them only by a
    number; pages show "a person who was removed". Author lists that teams wrote do not change, and
    neither do existing backups and exports.

    \b
    Example:  assay user forget bo@example.org
    Exit:     0 success, 1 error, 2 usage or settings
    """
    with open_site() as site:
        account = get_account(site.session(), email)
        if not yes:
            _confirm_erasure(account, erasure.find_participation(site.session(), account))
        with site.writing() as session:
            user = get_account(session, email)
            erasure.erase_person(session, CONSOLE, user, clock.now())
            click.echo(f"Erased the name and the address of account {user.id}.")


def _confirm_erasure(user: User, traces: erasure.Involvement) -> None:
    """Show what would be erased, and ask for confirmation."""
    click.echo(f"Account {user.id}: {user.name} <{user.email}>", err=True)
    click.echo(f"Teams: {', '.join(traces.teams) or 'none'} (membership stays, without the name)", err=True)
    click.echo(f"Roles: {', '.join(traces.roles) or 'none'} (will be removed)", err=True)
    click.echo(f"Waiting emails: {traces.mails} (will not be sent)", err=True)
    click.confirm("Erase the name and the address? This cannot be undone", abort=True, err=True)


def _require_password(password: str, *personal: str) -> None:
    if len(password) < 8:
        raise click.BadParameter("use at least 8 characters", param_hint="--password")
    if is_easy_to_guess(password, *personal):
        raise click.BadParameter(EASY_TO_GUESS, param_hint="--password")
