"""Whether the site can serve: for load balancers, units, containers and monitoring."""

import logging
import time
from dataclasses import dataclass
from datetime import datetime, timedelta

from obstore.exceptions import BaseError as StorageError
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from server.core import db, migrate
from server.core.site_resources import Site
from server.core.storage import Storage
from server.core.zips import WEB_LIMITS
from server.jobs import service as jobs

_CLOCK = text("SELECT extract(epoch FROM clock_timestamp())::float")
LOG = logging.getLogger("assay.health")
CLOCK_SECONDS = 1.0
"""How far the clocks of hosts may be apart: they decide who is late, and every host must decide alike."""
FREE_BYTES = 2 * WEB_LIMITS.unpacked
"""An uploaded bundle is unpacked, and its files are stored beside that: with less, the largest one fails."""


@dataclass(frozen=True, slots=True)
class HealthCheck:
    """What serving needs, and what is wrong with it: a sentence without secrets, paths and versions."""

    name: str
    problem: str | None


@dataclass(frozen=True, slots=True)
class SiteHealth:
    """The checks of a site, and how long the job that is due the longest has waited; None: none is due."""

    checks: tuple[HealthCheck, ...]
    oldest_due: timedelta | None

    @property
    def is_ready(self) -> bool:
        """Whether everything works that serving needs; jobs can be late, because uploads do not wait."""
        return all(check.problem is None for check in self.checks)

    @property
    def database_answers(self) -> bool:
        """Whether the site can read from its database."""
        return all(check.problem is None for check in self.checks if check.name in ("database", "schema"))

    @property
    def is_late(self) -> bool:
        """Whether due jobs wait for too long."""
        return self.oldest_due is not None and self.oldest_due > jobs.LATE_AFTER


@dataclass(frozen=True, slots=True)
class DatabaseState:
    """What the database says: whether it has this version's schema, and since when a due job waits.

    `clock_off`: by how many seconds its clock is ahead of this host's, at least.
    """

    is_current: bool
    due_since: datetime | None = None
    clock_off: float = 0.0


def check_site(site: Site, now: datetime) -> SiteHealth:
    """Check what serving needs, on new connections and with a new file."""
    problems: dict[str, str | None] = {"database": None, "schema": None, "clock": None}
    state = _read_database(site.config.database_url, now)
    if state is None:
        problems["database"] = "It does not answer."
        problems["schema"] = "It is unknown, because the database does not answer."
    elif not state.is_current:
        problems["schema"] = "It is not this version’s: run assay migrate."
    elif abs(state.clock_off) > CLOCK_SECONDS:
        problems["clock"] = f"It differs from the database’s by {abs(state.clock_off):.1f} seconds."
    problems["storage"] = _check_storage(site.storage)
    since = None if state is None else state.due_since
    return SiteHealth(
        tuple(HealthCheck(name, problem) for name, problem in problems.items()),
        None if since is None else max(now - since, timedelta()),
    )


def _read_database(url: str, now: datetime) -> DatabaseState | None:
    """Return what the database says; None: it does not answer, and only the log has the reason."""
    try:
        with db.open_probe(url) as engine:
            if migrate.current_revision(engine) != migrate.head_revision():
                return DatabaseState(is_current=False)
            with Session(engine) as session:
                return DatabaseState(True, jobs.find_oldest_due(session, now), _compare_clocks(session))
    except SQLAlchemyError as error:
        LOG.warning("The database does not answer: %r", error)
        return None


def _compare_clocks(session: Session) -> float:
    """Return by how many seconds PostgreSQL's clock is ahead, at least: nobody knows when it was read."""
    if session.get_bind().dialect.name == "sqlite":
        return 0.0
    before = time.time()
    theirs: float = session.scalar(_CLOCK)
    after = time.time()
    return theirs - min(max(theirs, before), after)


def _check_storage(storage: Storage) -> str | None:
    try:
        is_same, free = storage.is_writable(), storage.free_bytes()
    except (OSError, StorageError) as error:
        LOG.warning("The data folder cannot be written: %r", error)
        return "No file can be written to the data folder."
    if not is_same:
        return "A file in the data folder does not contain what was written."
    return f"Less than {FREE_BYTES // 10**6} MB are free." if free < FREE_BYTES else None
