"""Shared by the commands: opening the site or its database, transactions, and checks of options."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any, TextIO

import click
from marshmallow import ValidationError
from sqlalchemy import Engine
from sqlalchemy.exc import DatabaseError
from sqlalchemy.orm import Session

import server.tables  # noqa: F401  (loads every table)
from server.accounts.models import User
from server.core import dates, db, file_permissions, migrate
from server.core.config import Config, ConfigError, from_env
from server.core.errors import require_found
from server.core.identity import IDENTITY_KEY, Identity
from server.core.site_resources import Site, create_site
from server.jobs import engine_schema
from server.teams.models import Team

if TYPE_CHECKING:
    from server.web.validators import TextValidator


@contextmanager
def open_site(config: Config | None = None) -> Iterator[Site]:
    """Open the site's resources, without its app.

    Raises:
        ConfigError: a setting is wrong, or the database is not at this version's schema.
    """
    with _require_current_schema(create_site(_prepare_config(config))) as site:
        yield site


@contextmanager
def open_app(config: Config | None = None) -> Iterator[Site]:
    """Open the site's resources in the context of its app, which hashes passwords; raises as `open_site`."""
    from server.app import create_app
    from server.web.context import site_of

    app = create_app(_prepare_config(config))
    with _require_current_schema(site_of(app)) as site, app.app_context():
        yield site


def _prepare_config(config: Config | None) -> Config:
    """Return the given settings, or those of the environment; raises as `require_database`."""
    config = from_env() if config is None else config
    require_database(config)
    return config


def require_database(config: Config) -> None:
    """Raise if the file of the database is missing, which SQLite would create.

    Raises:
        ConfigError: it is.
    """
    file = file_permissions.find_database_file(config.database_url)
    if file is not None and not file.exists():
        raise ConfigError(
            f"there is no database at {file}; set ASSAY_DATA_DIR, or run `assay migrate` to create one"
        )


def prepare_data_folder(config: Config) -> None:
    """Create the folder of the files, closed to other accounts; print a line if it was open."""
    config.data_dir.mkdir(parents=True, exist_ok=True)
    for line in file_permissions.restrict_data(config):
        click.echo(line, err=True)


@contextmanager
def _require_current_schema(site: Site) -> Iterator[Site]:
    """Yield a site whose database is at this version's schema, and close it at the end."""
    try:
        with _database_errors_in_one_line():
            current = migrate.current_revision(site.engine)
            _require_known_schema(current)
        if current != migrate.head_revision() or not engine_schema.is_current(site.engine):
            raise ConfigError("the database is not at this version's schema; run `assay migrate` first")
        yield site
    finally:
        site.session.remove()
        site.engine.dispose()


def migrate_database(config: Config, revision: str = "head") -> str | None:
    """Migrate the database to a revision, and return the previous one; None: it was empty.

    Raises:
        ConfigError: the database cannot be opened, or another version made it.
    """
    prepare_data_folder(config)
    with open_database(config) as engine:
        before = migrate.current_revision(engine)
        _require_known_schema(before)
        migrate.migrate(engine, revision)
        if revision == "head":
            engine_schema.upgrade(engine)
    return before


def _require_known_schema(revision: str | None) -> None:
    if revision not in (None, *migrate.revisions()):
        raise ConfigError(
            f"the database has the schema {revision}, which this version cannot migrate; name an empty "
            "database, or install the version that made this one"
        )


@contextmanager
def open_database(config: Config) -> Iterator[Engine]:
    """Open the database, whatever it contains, and nothing else of the site.

    Raises:
        ConfigError: the database cannot be opened.
    """
    engine = db.open_engine(config.database_url)
    try:
        with _database_errors_in_one_line():
            yield engine
    finally:
        engine.dispose()


def require_signing_key(config: Config) -> None:
    """Raise if no receipt could be signed.

    Raises:
        ConfigError: the site's key was encrypted with another secret.
    """
    from server.signing import service as signing_keys

    identity = {IDENTITY_KEY: Identity.of(config)}
    with open_database(config) as engine, Session(engine, info=identity) as session:
        signing_keys.require_usable_key(session)


@contextmanager
def exiting_on_sigterm() -> Iterator[None]:
    """Let SIGTERM, as from `timeout`, raise an exception, so that all work is rolled back."""

    def end(number: int, _frame: object) -> None:
        raise SystemExit(128 + number)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def require_text(context: click.Context, parameter: click.Parameter, value: str) -> str:
    """Strip whitespace from an option's text, which must not be empty."""
    value = " ".join(value.split())
    if not value:
        raise click.BadParameter("must not be empty", context, parameter)
    return value


def flag_option(
    option: str, description: str, *parameter: str
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add an option without a value; `parameter` is its name in the command, if another."""
    return click.option(option, *parameter, is_flag=True, help=description)


def reason_option(description: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add the option for the reason of an act, which has to be given."""
    return click.option("--reason", required=True, callback=require_text, help=description)


def check_with(
    validator: "TextValidator",
) -> Callable[[click.Context, click.Parameter, str | TextIO | None], str | None]:
    """Return a callback that checks a text, or the text of a file, as the form of the page does."""

    def check(context: click.Context, parameter: click.Parameter, value: str | TextIO | None) -> str | None:
        if value is None:
            return None
        text = validator.clean_input(value if isinstance(value, str) else value.read())
        try:
            return str(validator(text))
        except ValidationError as error:
            raise click.BadParameter(" ".join(map(str, error.messages)), context, parameter) from None

    return check


@contextmanager
def _database_errors_in_one_line() -> Iterator[None]:
    try:
        yield
    except DatabaseError as error:
        reason = " ".join(str(error.orig).split())
        raise ConfigError(f"the database cannot be used: {reason}") from error


def get_account(session: Session, email: str) -> User:
    """Return the account with this address.

    Raises:
        NotFound: there is none.
    """
    from server.access.accounts import find_account

    user = find_account(session, email)
    return require_found(user, f"There is no account with the address {email}; `assay user add` creates one.")


def get_team(session: Session, slug: str, name: str) -> Team:
    """Return the team of a task with this name.

    Raises:
        NotFound: there is no such task or team.
    """
    from server.access import tasks
    from server.teams import service as teams

    team = teams.find_team_by_name(session, tasks.get_named_task(session, slug), name)
    return require_found(
        team, f'There is no team "{name}" in {slug}. `assay team list {slug}` lists the teams.'
    )


def parse_instant(_context: click.Context, _option: click.Parameter, value: str | None) -> datetime | None:
    """Parse a date and time as the pages do; without a zone, it is in UTC."""
    try:
        return None if value is None else dates.parse_moment(value, "", None)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None
