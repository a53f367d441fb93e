"""Opening the site from the console: settings, app, an up-to-date database."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.orm import Session

from server import db, migrate
from server.app import create_app
from server.config import Config, ConfigError, from_env
from server.errors import NotFound
from server.models import User
from server.storage import Storage
from server.views.context import Site, site_of


@contextmanager
def open_site(config: Config | None = None) -> Iterator[Site]:
    """The parts of the site, in its app's context.

    Raises:
        ConfigError: a setting is wrong, or the database is not at this version's schema.
    """
    config = from_env() if config is None else config
    config.data_dir.mkdir(parents=True, exist_ok=True)
    app = create_app(config)
    site = site_of(app)
    current = migrate.current_revision(site.engine)
    if current != migrate.head_revision():
        raise ConfigError("the database is not at this version's schema; run `assay migrate` first")
    with app.app_context():
        yield site


@contextmanager
def writing(site: Site) -> Iterator[tuple[Session, Storage]]:
    """One transaction that writes."""
    session = site.session()
    with db.writing(session):
        yield session, site.storage


def get_account(session: Session, email: str) -> User:
    """The account with this address.

    Raises:
        NotFound: there is none.
    """
    from server.accounts import find_account

    user = find_account(session, email)
    if user is None:
        raise NotFound(f"There is no account with the address {email}; `assay user add` makes one.")
    return user
