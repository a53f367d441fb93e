"""The parts that one site is joined from, for whoever works on an open site."""

from dataclasses import dataclass

from sqlalchemy import Engine
from sqlalchemy.orm import Session, scoped_session

from server.core import db
from server.core import i18n as language
from server.core.config import Config
from server.core.identity import IDENTITY, Identity
from server.core.mailer import Mailer
from server.core.storage import STORAGE, Storage


@dataclass(frozen=True, slots=True)
class Site:
    """Settings, database, files and mail of one site."""

    config: Config
    engine: Engine
    session: scoped_session[Session]
    storage: Storage
    mailer: Mailer


def join_site(config: Config) -> Site:
    """A site by its settings, whose process speaks its language from now on."""
    language.speak(config.language)
    engine = db.open_engine(config.database_url)
    storage = Storage(config.files_dir)
    session = db.open_sessions(engine, **{IDENTITY: Identity.of(config), STORAGE: storage})
    return Site(config, engine, session, storage, Mailer(config.mail_url, config.mail_from))
