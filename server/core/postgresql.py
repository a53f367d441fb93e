"""Connections to PostgreSQL that give up when the server does not answer."""

import time
from contextlib import suppress
from typing import Any, TypeVar

from psycopg import Connection, Error, OperationalError
from psycopg.abc import PQGen
from psycopg.errors import ConnectionTimeout
from psycopg.pq import TransactionStatus
from sqlalchemy.engine import Dialect
from sqlalchemy.pool import ConnectionPoolEntry

ANSWER_SECONDS = 2
"""How long a new connection, or the check of an idle one, may take; it usually takes milliseconds."""
STATEMENT_SECONDS = 20
"""How long a statement of a transaction may take; the largest campaigns hold the write lock for 13 s."""
Result = TypeVar("Result")


class ImpatientConnection(Connection[Any]):
    """A connection that limits each statement, and is closed when the server does not answer in time.

    A server that is frozen enforces none of its own limits, such as `statement_timeout`, and its operating
    system still acknowledges what is sent, so `tcp_user_timeout` does not end the wait either.
    """

    def wait(self, gen: PQGen[Result], interval: float = 0.1, timeout: float | None = None) -> Result:
        """Wait for the server, as every statement does."""
        if timeout is None:  # the pool checks idle connections outside of transactions
            timeout = ANSWER_SECONDS if self.autocommit else STATEMENT_SECONDS
        try:
            return super().wait(gen, interval, timeout)
        except OperationalError:
            if self.info.transaction_status == TransactionStatus.ACTIVE:
                with suppress(Error):
                    self.cancel_safe(timeout=ANSWER_SECONDS)
                self.close()
            raise


class Connector:
    """Connects for an engine. After the server did not answer, requests do not wait for it one by one."""

    def __init__(self) -> None:
        self._pause_ends = 0.0

    def connect(
        self, _dialect: Dialect, _record: ConnectionPoolEntry, words: list[Any], options: dict[str, Any]
    ) -> ImpatientConnection:
        """Connect, as SQLAlchemy's event `do_connect` asks."""
        if time.monotonic() < self._pause_ends:
            raise OperationalError("the server did not answer a moment ago")
        try:
            return ImpatientConnection.connect(*words, **options | {"connect_timeout": ANSWER_SECONDS})
        except ConnectionTimeout:
            self._pause_ends = time.monotonic() + ANSWER_SECONDS
            raise
