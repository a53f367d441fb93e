"""The parts that one site is joined from, for whoever works on an open site."""

from dataclasses import dataclass

from sqlalchemy import Engine
from sqlalchemy.orm import Session, scoped_session

from server.config import Config
from server.mail import Mailer
from server.storage import Storage


@dataclass(frozen=True, slots=True)
class Site:
    """Settings, database, files and mail of one site."""

    config: Config
    engine: Engine
    session: scoped_session[Session]
    storage: Storage
    mailer: Mailer
