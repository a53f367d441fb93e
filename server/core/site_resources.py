"""The resources of one site: its settings, database, files and mail server."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from sqlalchemy import Engine
from sqlalchemy.orm import Session, scoped_session

from server.core import db, i18n
from server.core.config import Config
from server.core.identity import IDENTITY_KEY, Identity
from server.core.mailer import Mailer
from server.core.storage import STORAGE_KEY, Storage


@dataclass(frozen=True, slots=True)
class Site:
    """The settings, database, files and mail server of one site."""

    config: Config
    engine: Engine
    session: scoped_session[Session]
    storage: Storage
    mailer: Mailer

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """Run a transaction of the thread's session that writes."""
        session = self.session()
        with db.writing(session):
            yield session

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Run a transaction of the thread's session that reads one snapshot of the database."""
        session = self.session()
        with db.reading(session):
            yield session


def create_site(config: Config, *, impatient: bool = False) -> Site:
    """Create a site from its settings; this process uses its language from now on.

    `impatient`: as of `db.open_engine`.
    """
    i18n.set_language(config.language)
    engine = db.open_engine(config.database_url, impatient=impatient)
    storage = Storage(config.files_dir)
    session = db.open_sessions(engine, **{IDENTITY_KEY: Identity.of(config), STORAGE_KEY: storage})
    return Site(config, engine, session, storage, Mailer(config.mail_url, config.mail_from))
