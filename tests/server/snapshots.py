"""PostgreSQL databases that are put back as they were, which is cheaper than a copy for every test."""

from collections.abc import Iterable
from dataclasses import dataclass

import psycopg

ROWS = "SELECT '{0}' AS name, count(*) AS n, coalesce(max(xmin::text::bigint), 0) AS last FROM {0}"
CATALOGS = ("pg_class", "pg_attribute", "pg_constraint", "pg_index", "pg_trigger", "pg_proc", "pg_namespace")
"""Where every change of the tables themselves leaves a row: made, altered, truncated."""


@dataclass(frozen=True)
class Snapshot:
    """What the databases copied from one template hold: each table's rows, how many, and the sequences."""

    rows: dict[str, bytes]
    counts: dict[str, int]
    sequences: str
    """The statement that sets them back."""


class Copy:
    """A database, just copied and used by nobody yet, that can be put back after it was used."""

    def __init__(self, name: str, address: str, snapshot: Snapshot | None = None) -> None:
        self.name = name
        self.connection = psycopg.connect(address, autocommit=True)
        self.connection.execute("SET session_replication_role = replica")  # rows come without their order
        self.snapshot = snapshot or self._take()
        self.since = self._now()

    def put_back(self) -> bool:
        """Undo what was committed; whether that could be done, which it cannot where tables were changed."""
        self.connection.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        if self._changed(CATALOGS):
            return False
        with self.connection.transaction():
            for name in self._changed(self.snapshot.rows):
                self._fill(name)
        self.connection.execute(self.snapshot.sequences)
        self.since = self._now()
        return True

    def close(self) -> None:
        """Leave the database."""
        self.connection.close()

    def _take(self) -> Snapshot:
        found = self.connection.execute(
            "SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = 'public'"
        )
        rows = {name: self._rows(name) for (name,) in found.fetchall()}
        counts = {name: self._one(f"SELECT count(*) FROM {name}") for name in (*rows, *CATALOGS)}  # noqa: S608  (names that PostgreSQL quoted)
        sequences = self.connection.execute(
            "SELECT sequencename, start_value, last_value FROM pg_sequences WHERE schemaname = 'public'"
        )
        steps = [
            f"setval('{name}', {start if last is None else last}, {last is not None})"
            for name, start, last in sequences.fetchall()
        ]
        return Snapshot(rows, counts, "SELECT " + ", ".join(steps))

    def _changed(self, tables: Iterable[str]) -> list[str]:
        question = " UNION ALL ".join(ROWS.format(name) for name in tables)
        found = self.connection.execute(question).fetchall()
        return [name for name, n, last in found if last >= self.since or n != self.snapshot.counts[name]]

    def _rows(self, name: str) -> bytes:
        with self.connection.cursor().copy(f"COPY {name} TO STDOUT") as copy:
            return b"".join(bytes(part) for part in copy)

    def _fill(self, name: str) -> None:
        self.connection.execute(f"DELETE FROM {name}")  # noqa: S608  (the same)
        if self.snapshot.rows[name]:
            with self.connection.cursor().copy(f"COPY {name} FROM STDIN") as copy:
                copy.write(self.snapshot.rows[name])

    def _now(self) -> int:
        """The number of the next transaction; what is in the database has a lower one."""
        return int(self._one("SELECT pg_current_xact_id()::text::bigint"))

    def _one(self, question: str) -> int:
        row = self.connection.execute(question).fetchone()
        assert row is not None
        return int(row[0])
