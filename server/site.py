"""The parts that one site is joined from, for whoever works on an open site."""

from dataclasses import dataclass

from sqlalchemy import Engine
from sqlalchemy.orm import Session, scoped_session

from server.config import Config
from server.storage import Storage


@dataclass(frozen=True, slots=True)
class Site:
    """Settings, database and files of one site."""

    config: Config
    engine: Engine
    session: scoped_session[Session]
    storage: Storage
