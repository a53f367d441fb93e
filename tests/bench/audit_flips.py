"""The audit table with one bit turned, by raw SQL, for the verification that has to notice it."""

import random
from collections.abc import Iterator

from sqlalchemy import text
from sqlalchemy.orm import Session

from server.activity import verification
from server.core import db
from tests.bench.flips import flipped

TEXTS = ("at", "actor", "action", "details", "previous", "sha256")
NUMBERS = ("number", "task_id", "team_id")
BITS = 64
"""Of a whole number in SQLite."""


def flips(session: Session, count: int, seed: int) -> Iterator[tuple[str, list[str]]]:
    """Turn a bit of a random cell, verify, and put it back, so many times: which it was, what was found."""
    draw = random.Random(seed)  # noqa: S311  (places of bits, not secrets)
    numbers = list(session.scalars(text("SELECT number FROM audit_entry")))
    done = 0
    while done < count:
        number, column = draw.choice(numbers), draw.choice(TEXTS + NUMBERS)
        db.begin_writing(session)
        session.execute(text("PRAGMA defer_foreign_keys = ON"))
        bit = _turn(session, number, column, draw)
        if bit is not None:
            done += 1
            yield (
                f"bit {bit} of {column} of entry {number}",
                verification.verify_log(session, ()).problems.listed,
            )
        session.rollback()


def _turn(session: Session, number: int, column: str, draw: random.Random) -> int | None:
    """Turn one bit; None: the cell holds nothing, or the database does not take what comes out."""
    cell = f"CAST({column} AS BLOB)" if column in TEXTS else column
    value = session.scalar(text(f"SELECT {cell} FROM audit_entry WHERE number = :number"), {"number": number})  # noqa: S608  (ours)
    if value is None:
        return None
    if column in TEXTS:
        ((bit, turned),) = flipped(value, 1, draw.getrandbits(32))
        new, put = turned, "CAST(:new AS TEXT)"
    else:
        bit = draw.randrange(BITS)
        new, put = (value ^ 1 << bit) if bit < BITS - 1 else value - (1 << BITS - 1), ":new"
    taken = column == "number" and session.scalar(
        text("SELECT 1 FROM audit_entry WHERE number = :new"), {"new": new}
    )
    if taken:
        return None
    statement = f"UPDATE audit_entry SET {column} = {put} WHERE number = :number"  # noqa: S608  (ours)
    session.execute(text(statement), {"new": new, "number": number})
    return bit
